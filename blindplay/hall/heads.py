"""The state of a table in one message."""

import time
from typing import Any

from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.laws.needs import needs
from blindplay.table.table import Table

from .protocol import Head


def head_of(table: Table, run: str, seq: int, game: str, **more: Any) -> Head | None:
    """The head of a running table, with ``more`` fields that the table does not know; None while
    nothing of its game is on the disk."""
    with table.lock:
        number, digest = table.written
        state, now = table.game, table.time()
        if state.setup is None or not number:
            return None
        position = state.position
        made = state.turn.made or (state.history[-1].move if state.history else None)
        return Head(
            run=run, seq=seq, game=game, n=number, digest=digest,
            t=now / 1000, wall=round(time.time(), 3),
            state=_state(state), result=state.result or "",
            white=state.player("white").name, black=state.player("black").name,
            round=state.setup.round,
            fen=position.fen(), moves=len(state.history) + bool(state.turn.made),
            last=made.uci() if made else "",
            left=_left(state, now), running=state.clock.running or "",
            needs=list(needs(state, table.log)), **more,
        )  # fmt: skip


def _state(game: Game) -> str:
    if game.over:
        return "over"
    if game.adjourned:
        return "adjourned"
    if not game.started:
        return "setup"
    return "stopped" if game.paused else "playing"


def _left(game: Game, now: int) -> dict[str, float]:
    clock = game.clock
    if not clock:
        return {}
    passed = {side: now - clock.counts_from if side == clock.running else 0 for side in SIDES}
    return {side: max(0, clock.left[side] - max(0, passed[side])) / 1000 for side in SIDES}
