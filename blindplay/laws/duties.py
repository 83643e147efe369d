"""The moves that touching, releasing or a claim leave to the player on move (4.3 to 4.7, 9.5.3)."""

from collections.abc import Sequence

import chess

from .reasons import MoveReason
from .rulings import Obliged
from .state import State
from .touch_obligation import Obligation, obligation


def obligation_of(game: State, board: chess.Board, squares: Sequence[int]) -> Obligation:
    """Return the obligation that touching these pieces brings under this edition (4.3 to 4.5)."""
    return obligation(
        board,
        squares,
        another_takes=game.switch("touched_both_another_takes"),
        must_castle=game.switch("king_and_rook_must_castle"),
    )


def bound(game: State) -> Obligation:
    """Return the obligation of the player on move now."""
    turn = game.turn
    if turn.must_play is not None:
        return Obligation((turn.must_play,), False, "wrong_claim")
    if turn.castles is not None:
        return Obligation((turn.castles,), False, "released_castling")
    if turn.obligation is None or turn.obligation[0] != turn.touched:
        turn.obligation = (list(turn.touched), obligation_of(game, game.board, turn.touched))
    return turn.obligation[1]


def binding(game: State) -> Obligation | None:
    """Return the obligation that limits the next move; None if any move will do."""
    turn = game.turn
    unruled = turn.doubted or unasked(game)
    if turn.must_play is None and (unruled or not (turn.touched or turn.castles)):
        return None
    now = bound(game)
    return None if now.free else now


def unasked(game: State) -> bool:
    """Return whether nobody has asked for a ruling under article 4 that is given only on request,
    as in rapid and blitz of fide-1997 (B.5)."""
    return not game.turn.ruled and bool(game.switch("touch_ruled_on_request"))


def why_owed(owed: Obligation) -> MoveReason:
    """Return the reason why a move that does not fulfil ``owed`` is refused."""
    return "claimed_move" if owed.rule == "wrong_claim" else "touched_piece"


def oblige(game: State, *rules: str) -> None:
    """Report the obligation of the player on move."""
    game.turn.ruled = True
    now = bound(game)
    moves = tuple(move.uci() for move in now.moves)
    game.rule(Obliged(by=game.side, moves=moves, free=now.free), *rules, now.rule)
