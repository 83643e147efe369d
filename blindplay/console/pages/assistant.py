"""The assistant's page (fide-2023 D.2.10, D.2.11)."""

from typing import Any

from blindplay.laws import Game, permissions
from blindplay.laws.facts import IRREGULARITIES, SIDES
from blindplay.laws.state import OTHER

from ..table_port import TablePort
from . import boards, common, papers, timeline

FOLDER = "assistant"
PARTS = ("tab", "now", "after", "clocks", "board", "forms", "sheet")
SCRIPTS = ("clock.js", "board_views.js", "board.js", "next.js")
STYLES = ("board.css", "arbiter.css")


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    own = role.removeprefix("assistant:")
    sighted = own if not game.impaired(own) else OTHER[own]
    board = game.board_of(sighted)
    state = game.tables[board]
    telling = timeline.Narrator(game, language)
    last = common.last_announced(game, language)
    sealing = common.sealing(game) and game.side == own
    due = not (state.sensors or game.over or sealing)
    return {
        "may": permissions.rights(game, role),
        "step": _step(game, own, board),
        "clocks": common.clocks(game),
        "names": {side: common.name_of(game, side, language) for side in SIDES},
        "declared": bool(game.assistants[own]),
        "whats": [(what, telling.word(what)) for what in IRREGULARITIES],
        "status": common.status(game, language),
        "last": last,
        "announced_in": common.spoken_in(game),
        "due": common.due(game, board, language) if due else None,
        "sensors": state.sensors,
        "rows": boards.live(game, board, language, black_below=sighted == "black"),
        "own": own,
        "sheet": common.sheet_rows(game, own, with_struck=False),
        "next_ply": common.next_ply(game, own),
        "over": game.over,
        **papers.values(game, role, language),
        "outcome": game.result or "",
        "sealing": sealing,
        "adjourned": game.adjourned and not game.over,
    }


def _step(game: Game, own: str, board: str) -> str:
    """Return the assistant's next task: ``seal``, ``execute``, ``press`` or ``announce`` a move;
    empty while the game waits for another person."""
    waits = game.pending is not None and not game.pending.claimable
    stopped = game.paused or (game.clock and game.clock.running is None)
    if game.over or game.adjourned or waits or stopped:
        return ""
    if common.sealing(game) and game.side == own:
        written = game.sealed is not None or game.turn.made is not None
        return ("press" if written else "seal") if game.impaired(own) else ""
    if not game.tables[board].sensors and common.due(game, board, "en") is not None:
        return "execute"
    pressing = game.side == own and game.turn.made is not None
    if pressing or any(ply.side == own for ply in game.unpressed()):
        return "press" if game.impaired(own) else ""
    begun = game.turn.announced is not None or game.turn.made is not None
    return "" if begun or common.sealing(game) else "announce"
