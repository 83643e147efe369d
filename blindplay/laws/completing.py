"""A move is made, then completed: by the clock, by the next move, or because nothing is pressed."""

from dataclasses import replace
from typing import Final

import chess

from .ends import end
from .proposals import propose
from .rulings import ArbiterNeeded, Completed
from .sheets import bring_sheet_up_to_date, check_corrections, compare_boards
from .state import DRAW, Effect, Ply, State


def complete(game: State, *, illegal: str = "") -> None:
    """The move that was made is completed: the clock is pressed (D.2.4, 6.2.1).

    ``illegal`` is why it is illegal though it stands (A.5.2).
    """
    side = game.side
    ply = game.advance(completed=True, illegal=illegal)
    game.started = True
    _count(game, len(game.history), "illegal_stands" if illegal else "completing")
    check_corrections(game, side)
    compare_boards(game, pressed=side)
    _still_illegal(game, ply)


def complete_answered(game: State, ply: Ply, rule: str) -> None:
    """A move that was answered already is completed now: by a late press (6.2.2), or because its
    player has gone on to the next move (6.2.1.2; fide-1997 asks for the press)."""
    number = next(n for n, played in enumerate(game.history, 1) if played is ply)
    _count(game, number, rule)


def _count(game: State, number: int, rule: str) -> None:
    ply = game.history[number - 1]
    side = ply.side
    period = game.clock.period(side)
    game.clock.complete(side)
    game.history[number - 1] = replace(ply, completed=True, clock=game.clock.snapshot())
    game.rule(Completed(by=side, move=ply.move.uci(), ply=number, illegal=bool(ply.illegal)), rule)
    game.tell_clock("clock_special" if game.impaired(side) else rule)
    bring_sheet_up_to_date(game, side, period)


def answered(game: State, side: str) -> None:
    """``side`` begins to move although the move before has been made, but not completed.

    They are on move as soon as it has been made (1.3). Without a clock, that completes it.
    """
    if game.turn.made is None or side == game.side:
        return
    if not game.clock:
        complete(game)
        return
    game.advance(completed=False)
    waiting = game.unpressed()
    if len(waiting) == 2 and game.switch("next_move_completes"):
        for ply in waiting:
            complete_answered(game, ply, "completing_by_next_move")


def _still_illegal(game: State, ply: Ply) -> None:
    """A.5.4: both kings in check, or a pawn on the last rank. The arbiter waits for the next
    completed move; if the position on the board is still illegal, they declare a draw."""
    if game.over or game.pending is not None or not game.switch("illegal_position_draws"):
        return
    if _is_illegal(ply.before) and _is_illegal(game.board):
        rule: Final = "illegal_position"
        propose(game, ArbiterNeeded(why=rule), (rule,), Effect(end, DRAW, "declared", rule))


def _is_illegal(board: chess.Board) -> bool:
    return bool(board.pawns & chess.BB_BACKRANKS) or all(
        (king := board.king(colour)) is not None and board.is_attacked_by(not colour, king)
        for colour in chess.COLORS
    )
