"""Checks whether each contact of a pegged board is good and each piece differs from the others.

The check compares the board's converter readings (``r`` of the protocol, 0–1023; an empty hole
reads near the top) with each other, not with a table of resistors: a piece reads the same in each
hole, and two kinds of pieces read differently. The result is kept in the user's configuration, one
entry for each board.
"""

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Self

from blindplay.own_files import config_folder, read_object, write_json
from blindplay.translation import _

from ..ports import (
    NoAnswerError,
    check_url,
    close_port,
    discover,
    explained,
    open_port,
    read_port,
)
from . import protocol as peg

SAMPLES = 7
"""Readings of one hole. A loose contact shows in their spread."""
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

_PATIENCE = 3.0
_ASK_EVERY = 0.5


class Contact(Enum):
    """The state of a hole. The values name sentences of the language packs, except that of GOOD."""

    GOOD = "contact_good"
    BAD = "contact_bad"
    NOTHING = "contact_nothing"
    OTHER_PIECE = "contact_other_piece"
    NOT_EMPTY = "contact_not_empty"


@dataclass(frozen=True)
class HoleReading:
    """One hole: its raw ``levels``, and the piece ``code`` that the board reads there."""

    levels: tuple[int, ...]
    code: int

    @property
    def level(self) -> int:
        """The median of the levels."""
        return sorted(self.levels)[len(self.levels) // 2]


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


class RawBoard:
    """A pegged board that is asked for converter readings. Close all its other users first.

    :raises BoardNotFoundError: if ``url`` is not a board's address.
    :raises NoAnswerError: if no board answers.
    :raises OSError: for anything else, with one sentence.
    """

    def __init__(self, url: str) -> None:
        check_url(url)
        self.url = url
        self._decoder = peg.Decoder()
        with explained(url):
            self._port = open_port(url)
        try:
            hello = self._ask(peg.AskHello(), peg.Hello)
        except OSError:
            self.close()
            raise
        self.knows_pieces = bool(hello.capabilities & peg.Capability.IDENTITY)
        """True if the board can tell one kind of piece from another."""

    def read(self, squares: Sequence[int], samples: int = SAMPLES) -> dict[int, HoleReading]:
        """Read each of these squares (0–63) ``samples`` times. One reading takes about a twentieth
        of a second."""
        levels = {
            square: tuple(
                self._ask(peg.AskRaw(square), peg.Raw, square=square).value for _ in range(samples)
            )
            for square in squares
        }
        codes = self._ask(peg.AskDump(), peg.Dump).codes
        return {square: HoleReading(levels[square], codes[square]) for square in squares}

    def close(self) -> None:
        """Free the port."""
        close_port(self._port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, command: peg.HostCommand, kind: type[Any], **fields: object) -> Any:
        """Send ``command`` until an answer of this kind, with these fields, has arrived."""
        end, next_ask = time.monotonic() + _PATIENCE, 0.0
        with explained(self.url):
            while (now := time.monotonic()) < end:
                if now >= next_ask:
                    self._port.write(peg.encode(command))
                    next_ask = now + _ASK_EVERY
                for message in self._decoder.feed(read_port(self._port)):
                    if isinstance(message, kind) and all(
                        getattr(message, name) == value for name, value in fields.items()
                    ):
                        return message
        raise NoAnswerError(
            _(
                "The board at {url} does not answer: check that it is the board's port, "
                "then replug it.",
                url=self.url,
            )
        )


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


def name_of(url: str) -> str:
    """The key of a board: its USB serial number if it has one, since the name of its port may
    change, else its address."""
    for port in discover():
        if port.url == url and port.serial_number:
            return f"{port.vid:04x}:{port.pid:04x}:{port.serial_number}"
    return url


def _file() -> Path:
    return config_folder() / "boards.json"


def keep(url: str, calibration: Calibration) -> Path:
    """Save the result for the board at ``url`` and return the file.

    :raises OSError: if the file cannot be written.
    """
    path = _file()
    write_json(path, {**read_object(path), name_of(url): asdict(calibration)})
    return path


def kept(url: str) -> Calibration | None:
    """The saved result for the board at ``url``. None if there is none or it cannot be read."""
    try:
        return Calibration(**read_object(_file())[name_of(url)])
    except (KeyError, TypeError):
        return None
