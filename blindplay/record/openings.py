"""The names of openings, by position: those of the Encyclopaedia of Chess Openings as Lichess
writes them. A package brings them, which need not be installed."""

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.util import find_spec

import chess

from blindplay.extras import install_command
from blindplay.translation import _


@dataclass(frozen=True)
class OpeningName:
    """The code of an opening, such as B90, and its name in English."""

    eco: str
    name: str

    @property
    def parts(self) -> list[str]:
        """The name from its family to its variation."""
        return re.split(r"[:,] ", self.name)


def can_name() -> bool:
    """Return whether the package with the names is installed."""
    return find_spec("ocn") is not None


def remedy() -> str:
    """One sentence on how to get the names."""
    return _("To hear the names of openings, run: {command}.", command=install_command("openings"))


def opening_of(board: chess.Board) -> OpeningName | None:
    """Return the name of the position on ``board``, or else of the last one before it that has a
    name; None if none has one, or the names are not installed."""
    if not can_name():
        return None
    named, at = _catalogue(), board.copy()
    while (found := named(at)) is None:
        if not at.move_stack:
            return None
        at.pop()
    return found


@cache
def _catalogue() -> Callable[[chess.Board], OpeningName | None]:
    """Return a function that gives the name of a position itself."""
    from ocn import Catalog

    catalog, names = Catalog.load(), dict[str, OpeningName]()
    listed = resources.files("ocn") / "data" / "ocn-1.lichess-xref.tsv"
    for row in csv.DictReader(listed.read_text("utf-8").splitlines(), delimiter="\t"):
        if row["match_kind"] == "exact" and row["lichess_name"]:
            names[row["ocn1"]] = OpeningName(row["lichess_eco"], row["lichess_name"])

    def named(board: chess.Board) -> OpeningName | None:
        keys = (row.ocn1 for row in catalog.by_fen_key(board.epd()))
        return next((names[key] for key in keys if key in names), None)

    return named
