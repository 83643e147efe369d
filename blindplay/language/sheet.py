"""Scoresheets as people write them: the entries of a whole sheet, and what each stands for.

A sheet is evidence (D.2.9): what was written stays as it is, and the reading says what it is taken
for and how sure that is. Nothing is ever repaired silently.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

import chess

from .written import Notation, Remark

__all__ = [
    "Certainty",
    "Doubt",
    "Entry",
    "Notation",
    "Reading",
    "Remark",
    "entries",
    "notation_of",
    "read",
]


class Certainty(Enum):
    """How sure it is which move an entry stands for."""

    SURE = "sure"
    """One legal move fits everything that is written, and nothing is odd."""
    LIKELY = "likely"
    """One legal move fits, and something is odd: see the remarks."""
    AMBIGUOUS = "ambiguous"
    """Several legal moves fit."""
    ILLEGAL = "illegal"
    """A move is written, and no legal one fits."""
    UNREADABLE = "unreadable"
    """It is no move that anybody writes."""
    MISSING = "missing"
    """Nothing is written, or a sign for nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What an entry is taken for.

    ``text``: as it was written. ``moves``: the move (SURE, LIKELY), the moves that fit
    (AMBIGUOUS), or what was meant as far as that can be said (ILLEGAL; may be empty); else none.
    ``remarks``: what is odd; empty when SURE.
    """

    text: str
    certainty: Certainty
    moves: tuple[chess.Move, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def move(self) -> chess.Move | None:
        """The legal move when one is fitting (SURE, LIKELY), else None."""
        found = self.certainty in (Certainty.SURE, Certainty.LIKELY)
        return self.moves[0] if found else None


class Doubt(Enum):
    """Why it is not certain to which ply an entry belongs."""

    NUMBER_SKIPPED = "number_skipped"
    """The number before it is higher than the one that was due."""
    NUMBER_REPEATED = "number_repeated"
    """The number before it has been used; the ply is counted on."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a sheet.

    ``ply``: 1 is White's first move. ``text``: as it was written, a BRF file's cells in Unicode.
    ``struck``: what was written there before and struck through, oldest first.
    """

    ply: int
    text: str
    struck: tuple[str, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def read(text: str, board: chess.Board, notations: Collection[Notation] | None = None) -> Reading:
    """The move that ``text`` stands for on ``board``. Never raises for any text.

    ``notations``: those the sheet can be in (see :func:`notation_of`), None for all of them. An
    entry that two of them read as different legal moves is AMBIGUOUS.
    """
    raise NotImplementedError


def notation_of(texts: Iterable[str]) -> tuple[Notation, ...]:
    """The notations that the entries of a sheet can be in, by their pieces' letters.

    One when the letters decide; several when they do not; all when there are no letters.
    """
    raise NotImplementedError


def entries(text: str, *, brf: bool = False) -> list[Entry]:
    """The entries of a whole sheet, by ply. Never raises for any text.

    ``brf``: the text is a file for a Braille embosser. A ply for which nothing is written has no
    entry.
    """
    raise NotImplementedError
