"""Duties: what the player on move is bound to by touching, releasing, or a claim (4.3 to 4.7,
9.5.3), and whose task at the table which fact is (D.2.10, D.2.11)."""

from __future__ import annotations

import chess

from . import facts as f
from .rulings import Obliged, Refused, Ruling
from .state import OTHER, State
from .touch_obligation import Obligation, obligation

# An assistant announces and executes the moves of both players (D.2.10.1, D.2.10.2, D.2.11).
_FOR_BOTH = frozenset(("announce", "repeat", "correct", "make"))
# What an assistant does for his own player alone (D.2.10.3 to 6).
_FOR_HIS_OWN = frozenset(
    ("press", "record", "query", "claim_time", "touch", "call_arbiter", "adjust", "seal")
)
# What the arbiter alone says, and what only devices and the table itself do. The Laws take these
# facts from whoever brings them, so a table must ask :func:`refusal` before it takes one from a
# person.
_ARBITERS = frozenset(("arbiter", "start", "inspect", "assistant", "open_envelope"))
_NOBODYS = frozenset(("setup", "tick", "lift", "place", "position"))
_NOT_OF_ASSISTANTS = frozenset(("irregular",))


def due(game: State, board: chess.Board, squares: list[int]) -> Obligation:
    """What touching these pieces obliges to under this edition (4.3 to 4.5)."""
    return obligation(
        board,
        squares,
        another_takes=game.switch("touched_both_another_takes"),
        must_castle=game.switch("king_and_rook_must_castle"),
    )


def bound(game: State) -> Obligation:
    """What the player on move is bound to by what he has touched, released or claimed."""
    turn = game.turn
    if turn.must_play is not None:
        return Obligation((turn.must_play,), False, "wrong_claim")
    if turn.castles is not None:
        return Obligation((turn.castles,), False, "released_castling")
    if turn.due is None or turn.due[0] != turn.touched:
        turn.due = (list(turn.touched), due(game, game.board, turn.touched))
    return turn.due[1]


def oblige(game: State, *rules: str) -> None:
    """Say what the player on move is bound to."""
    now = bound(game)
    moves = tuple(move.uci() for move in now.moves)
    game.rule(Obliged(by=game.side, moves=moves, free=now.free), *rules, now.rule)


def rights(game: State, who: str) -> frozenset[str]:
    """The kinds of facts that ``who`` may bring about at this table, now. The Laws refuse him
    every other one, or :func:`refusal` does; whether one fits the game is another matter."""
    if who == "arbiter":
        return _ARBITERS | {"claim_time", "touch", "query", "irregular"}
    if who in OTHER:
        return frozenset(f.KINDS) - _ARBITERS - _NOBODYS
    of = who.removeprefix("assistant:")
    if game.assistants[of] is False or game.outrun(of):
        return frozenset()
    if game.impaired(of) or not game.impaired(OTHER[of]):
        return _FOR_BOTH | _FOR_HIS_OWN
    return frozenset() if game.assistants[OTHER[of]] else _FOR_BOTH


def refusal(game: State, who: str, kind: str) -> Ruling | None:
    """The refusal of a fact that is not for ``who`` to bring and that the Laws would take from
    anybody; None where they judge themselves."""
    trusted = kind in _ARBITERS | _NOBODYS | _NOT_OF_ASSISTANTS
    if not trusted or kind in rights(game, who):
        return None
    rule = "arbiter"
    if who.startswith("assistant:"):
        own = game.impaired(who.removeprefix("assistant:"))
        rule = "assistant" if own else "assistant_of_sighted"
    articles = game.edition.cite(rule, game.regime)
    refused = Refused(by=who, what=kind, why="not_his_task")
    return refused.stamped(game.t, articles)
