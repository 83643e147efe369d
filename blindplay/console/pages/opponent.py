"""The page of a sighted player: board, clocks and scoresheet (fide-2023 D.2.5)."""

from typing import Any

from blindplay.laws import Game

from ..pieces import rows
from ..table_port import TablePort
from . import common, players

FOLDER = "opponent"
PARTS = ("tab", "theirs", "now", "next", "forms", "board", "mine", "sheet", "acts", "log", "keys")
SCRIPTS = ("board.js", "clock.js", "log.js", "next.js")
STYLES = ("board.css", "players.css")
EXTRA = players.EXTRA


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    shown = players.values(table, game, role, language)
    placement = game.tables[game.board_of(role)].placement
    marked = common.squares_of(shown["last"])
    shown["rows"] = rows(placement, language, black_below=role == "black", marked=marked)
    # A move is chosen on the board while it can be made or corrected (1.3).
    shown["may_choose"] = not game.over and (game.side == role or game.turn.made is not None)
    return shown
