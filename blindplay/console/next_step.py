"""The one thing that is due from a player now."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from blindplay.laws import Game
from blindplay.laws.due import Played, to_be_repeated, to_execute
from blindplay.laws.facts import SIDES
from blindplay.laws.state import enveloped

Kind = Literal[
    "repeat", "repeat_and_execute", "execute", "announce", "announce_made", "press", "seal",
    "open", "correct", "wait", "wait_sealed", "wait_consent", "consent", "arbiter", "not_started",
    "paused", "adjourned", "over", "sign",
]  # fmt: skip

# How the page's form handles a move; see ``actions``.
_HOW: Mapping[Kind, str] = {
    "repeat": "repeat",
    "repeat_and_execute": "repeat_make",
    "execute": "make",
    "announce_made": "announce",
}
# Steps that are one action without a move.
_ACTS: Mapping[Kind, str] = {"press": "press", "open": "open_envelope"}


@dataclass(frozen=True)
class NextStep:
    """One thing for a player to do or to wait for, with the ``move`` that it is about."""

    kind: Kind
    move: Played | None = None
    by_hand: bool = False
    """It is done on a board with sensors, so the page has nothing to press."""

    @property
    def button(self) -> tuple[str, str] | None:
        """The name and the value of the button that does it with one press; None if the player has
        to write, to use their hands or to wait."""
        if self.kind in _ACTS:
            return "act", _ACTS[self.kind]
        if self.by_hand or self.kind not in _HOW:
            return None
        return "how", _HOW[self.kind]

    @property
    def id(self) -> str:
        """The id of that button."""
        return {"repeat_and_execute": "repeat", "execute": "executed"}.get(self.kind, self.kind)

    @property
    def is_due(self) -> bool:
        """True if the game waits for this player."""
        return self.kind in (*_HOW, *_ACTS, "announce", "seal", "correct", "consent")


def next_step(game: Game, role: str) -> NextStep:
    """The step of the player ``role`` now. There is always exactly one."""
    board = game.tables[game.board_of(role)]
    standing = _standing(game)
    seals = (game.adjourning or game.sealed is not None) and not enveloped(game)
    if standing is None and seals and game.side == role:  # before all else (I.1.1)
        written = game.sealed is not None or game.turn.made is not None
        return NextStep("press" if written else "seal")
    if board.wanted is not None and standing in (None, "not_started", "paused"):
        return NextStep("correct", by_hand=True)
    if standing == "over" and game.edition.has("signatures"):  # 8.7
        return NextStep("over" if game.signed.get(role) == game.result else "sign")
    asked = game.pending.asked if game.pending is not None else ()
    if standing == "arbiter" and asked:
        return NextStep("consent" if role in asked else "wait_consent")
    if standing == "adjourned" and not game.presided and game.side != role:
        return NextStep("open")
    if standing is not None:
        return NextStep(standing)
    heard = _to_repeat(game, role)
    first = to_execute(game, game.board_of(role))
    if heard is not None:
        executes_it = first is not None and first.move == heard.move and not board.sensors
        return NextStep("repeat_and_execute" if executes_it else "repeat", heard)
    if first is not None:
        return NextStep("execute", first, by_hand=board.sensors)
    if game.side == role:
        return _own_move(game, role)
    late = any(ply.side == role for ply in game.unpressed())
    if late and not game.delivered:
        return NextStep("press")
    return NextStep("wait_sealed" if game.adjourning else "wait")


def _standing(game: Game) -> Kind | None:
    """Why both players only wait."""
    if game.over:
        return "over"
    if game.adjourned:
        return "adjourned"
    if game.pending is not None and not game.pending.claimable:
        return "arbiter"
    if game.clock and not game.started:
        return "not_started"
    if game.paused or (game.clock and game.clock.running is None):
        return "paused"
    return None


def _own_move(game: Game, role: str) -> NextStep:
    """The step of the player on move, on whose board nothing is outstanding."""
    made = game.turn.made
    if enveloped(game):
        return NextStep("wait")
    if made is None:
        return NextStep("announce")
    unsaid = game.turn.announced is None and any(game.impaired(side) for side in SIDES)
    played = Played(game.board.copy(stack=False), made, role)
    return NextStep("announce_made" if unsaid else "press", played)


def _to_repeat(game: Game, role: str) -> Played | None:
    if not to_be_repeated(game, role):
        return None
    if game.turn.announced is not None:
        return Played(game.board.copy(stack=False), game.turn.announced, game.side)
    ply = game.history[-1]
    return Played(ply.before, ply.spoken, ply.side)
