"""The page of a sighted player: board, clock and scoresheet (fide-2023 D.2.5)."""

from typing import Any

from blindplay.laws import Game

from ..pieces import rows
from ..table_port import TablePort
from . import common, players

FOLDER = "opponent"
PARTS = ("now", "clocks", "board", "forms", "acts", "sheet", "log")
SCRIPTS = ("board.js", "clock.js", "log.js")
STYLES = ("board.css", "players.css")


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    shown = players.values(game, role, language)
    placement = game.tables[game.board_of(role)].placement
    marked = common.squares_of(shown["last"])
    shown["rows"] = rows(placement, language, black_below=role == "black", marked=marked)
    return shown
