"""The page of an impaired player, for a keyboard and a screen reader.

It shows what the player may know: the announcements, the own scoresheet, and, on request, the
clocks and the number of moves (fide-2023 D.2.7, D.2.10.4). It shows the position only in training.
"""

import json
from typing import Any

from blindplay.language import load
from blindplay.laws import Game

from ..messages import catalogue
from ..next_step import Played
from ..pieces import rows
from ..table_port import TablePort
from . import common, players

FOLDER = "player"
PARTS = ("tab", "now", "after", "forms", "ask", "heard", "log", "acts", "sheet", "keys", "signals")
SCRIPTS = ("board_views.js", "board.js", "player.js", "log.js", "next.js")
STYLES = ("board.css", "players.css")
ASIDE = ("theirs", "mine")
EXTRA = players.EXTRA

_HEARD = 10
# The question of each key, as a command of the languages. Texts: key_<name> and keyname_<name>.
KEYS = ("clock_both", "moves", "last_move")
TRAINING_KEYS = (
    "position", "square", "rank", "file", "attackers", "pieces", "captured", "legal_moves",
    "king", "pawns", "diagonals",
)  # fmt: skip
PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    say = catalogue(language)
    shown = players.values(table, game, role, language)
    asked = (*KEYS, *(TRAINING_KEYS if table.training else ()))
    shown |= {
        "training": table.training,
        "asked": asked,
        "keys": json.dumps({say[f"key_{name}"]: name for name in asked}),
        "pieces": json.dumps(dict(zip(say["piece_keys"], PIECES, strict=True))),
        "heard": _heard(game, language),
    }
    if table.training:  # the position after the last move, its squares named as they are spoken
        pieces, name = game.position_pieces(), load(language).square
        shown["rows"] = rows(pieces, language, black_below=role == "black", name=name)
    return shown


def _heard(game: Game, language: str) -> list[common.ShownMove]:
    """The last announcements, the newest first."""
    found = [
        common.told(game, Played(ply.before, ply.spoken, ply.side), language)
        for ply in reversed(game.history[-_HEARD:])
    ]
    if game.turn.announced is not None:
        now = Played(game.board.copy(stack=False), game.turn.announced, game.side)
        found.insert(0, common.told(game, now, language))
    return found
