"""Checks whether each contact of a pegged board is good and each piece differs from the others.

The check compares the board's converter readings (``r`` of the protocol, 0–1023; an empty hole
reads near the top) with each other, not with a table of resistors: a piece reads the same in each
hole, and two kinds of pieces read differently. The result is kept in the user's configuration, one
file for each board.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path

import chess

from blindplay.own_files import config_folder, read_object, write_json

from ..ports import discover
from . import protocol as peg
from .raw_board import HoleReading

STEADY = 16
"""Largest spread of a good contact: the converter's noise is 3 either way, and the multiplexer's
resistance shows most at the smallest resistor (5 either way on an emulated board). A loose contact
jumps by hundreds."""
DRIFT = 18
"""Largest difference of one piece in two good holes: multiplexers of 30 and 200 Ω."""
APART = 24
"""Two kinds of pieces with a smaller difference cannot be told apart in every hole."""
OPEN = 995
"""Smallest reading of an empty hole."""


class Contact(Enum):
    """The state of a hole. The values name sentences of the language packs, except that of GOOD."""

    GOOD = "contact_good"
    BAD = "contact_bad"
    NOTHING = "contact_nothing"
    OTHER_PIECE = "contact_other_piece"
    NOT_EMPTY = "contact_not_empty"


@dataclass(frozen=True)
class Calibration:
    """The result of a check: levels by piece and by square, and why a square is not good."""

    pieces: Mapping[str, int] = field(default_factory=dict)
    squares: Mapping[str, int] = field(default_factory=dict)
    bad: Mapping[str, str] = field(default_factory=dict)
    checked_at: str = ""


def judge_empty(reading: HoleReading) -> Contact:
    """Judge a hole that should be empty."""
    empty = reading.code == peg.EMPTY and min(reading.levels) >= OPEN
    return Contact.GOOD if empty else Contact.NOT_EMPTY


def judge(reading: HoleReading, code: int | None, level: int | None) -> Contact:
    """Judge a hole with a piece.

    ``code`` is the piece's code, None if the board cannot tell pieces apart. ``level`` is the
    piece's reading in another hole, None if there is none yet.
    """
    if reading.code == peg.EMPTY:
        return Contact.NOTHING
    spread = max(reading.levels) - min(reading.levels)
    if reading.code == peg.FAULT or spread > STEADY:
        return Contact.BAD
    if code is not None and reading.code != code:
        return Contact.OTHER_PIECE
    if level is not None and abs(reading.level - level) > DRIFT:
        return Contact.BAD
    return Contact.GOOD


def alike(levels: Mapping[str, int]) -> list[tuple[str, str]]:
    """The pairs of pieces whose readings are too close to each other."""
    pairs = itertools.pairwise(sorted(levels, key=levels.__getitem__))
    return [(low, high) for low, high in pairs if levels[high] - levels[low] < APART]


def merged(before: Calibration, fresh: Calibration) -> Calibration:
    """Combine two checks of one board: the ``fresh`` one counts for the squares it looked at."""
    looked_at = fresh.squares.keys() | fresh.bad.keys()
    squares = {at: level for at, level in before.squares.items() if at not in looked_at}
    bad = {at: why for at, why in before.bad.items() if at not in looked_at}
    return Calibration(
        {**before.pieces, **fresh.pieces},
        {**squares, **fresh.squares},
        {**bad, **fresh.bad},
        fresh.checked_at,
    )


def kept(which: str, url: str) -> Calibration | None:
    """The saved result for the board of the id ``which``, empty if it has none, at ``url``. None if
    there is none or it cannot be read: a person may have changed it.
    """
    found = read_object(_file(which, url))
    try:
        result = Calibration(**found)
        levels, squares = {**result.pieces, **result.squares}, {**result.squares, **result.bad}
    except TypeError:
        return None
    right = (
        set(peg.PIECES[1:]).issuperset(result.pieces)
        and set(chess.SQUARE_NAMES).issuperset(squares)
        and all(type(level) is int for level in levels.values())
        and all(isinstance(why, str) for why in (*result.bad.values(), result.checked_at))
    )
    return result if found and right else None


def keep(which: str, url: str, calibration: Calibration) -> Path:
    """Save the result for the board of the id ``which``, empty if it has none, at ``url``, and
    return the file.

    :raises OSError: if the file cannot be written.
    """
    path = _file(which, url)
    write_json(path, asdict(calibration))
    return path


def _file(which: str, url: str) -> Path:
    """The file of a board: by its id, else by its USB serial number, else by its port."""
    serial = "" if which else _serial_number(url)
    name = which or (f"usb-{serial}" if serial else f"port-{url}")
    return config_folder() / "boards" / f"{re.sub('[^A-Za-z0-9]+', '-', name)}.json"


def _serial_number(url: str) -> str:
    for port in discover():
        if port.url == url and port.serial_number:
            return f"{port.vid:04x}:{port.pid:04x}:{port.serial_number}"
    return ""
