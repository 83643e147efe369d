"""The page of a sighted player: board, clocks and scoresheet (fide-2023 D.2.5)."""

from typing import Any

from blindplay.laws import Game

from ..table_port import TablePort
from . import boards, players

FOLDER = "opponent"
PARTS = (
    "tab", "theirs", "now", "next", "after", "forms", "board", "mine", "sheet", "acts", "log",
    "keys", "signals",
)  # fmt: skip
SCRIPTS = ("board_views.js", "board.js", "clock.js", "log.js", "next.js")
STYLES = ("board.css", "players.css")
EXTRA = players.EXTRA


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    shown = players.values(table, game, role, language)
    board, black_below = game.board_of(role), role == "black"
    shown["rows"] = boards.live(game, board, language, black_below=black_below)
    shown["fix"] = boards.restoring(table, game, board, language, black_below=black_below)
    # A move is chosen on the board while it can be made or corrected (1.3).
    shown["may_choose"] = not game.over and (game.side == role or game.turn.made is not None)
    return shown
