"""The time that an opponent seems to think: as people do, and never so long that its clock runs
out."""

import random

import chess

_SHORTEST_S, _LONGEST_S = 0.8, 12.0
_OPENING = 8
"""Up to this move people play quickly."""


def seconds_to_think(
    board: chess.Board, left_s: float | None, increment_s: float, chance: random.Random
) -> float:
    """Seconds between the opponent's press and the answer. ``left_s``: on the own clock; None: no
    clock runs. A thirtieth of the time left is the most, with most of the increment."""
    replies = board.legal_moves.count()
    last = board.peek() if board.move_stack else None
    takes_back = last is not None and any(
        move.to_square == last.to_square for move in board.generate_legal_captures()
    )
    usual = 4.0
    if replies == 1:
        usual = 1.0
    elif board.fullmove_number <= _OPENING or takes_back:
        usual = 2.0
    wanted = usual * chance.lognormvariate(0, 0.4)
    most = _LONGEST_S if left_s is None else min(_LONGEST_S, left_s / 30 + 0.6 * increment_s)
    return min(max(wanted, _SHORTEST_S), most)
