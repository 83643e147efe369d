"""Is each contact of a pegged board good, and can each piece be told from the others?

The board's converter readings (``r`` of the protocol, 0–1023; an empty hole reads near the top)
are compared with each other, not with a table of resistors: a piece reads the same in each hole,
and two kinds of pieces read differently. What is found is kept in the user's configuration, one
entry for each board.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import platformdirs
import serial

from ..driver import BAUD, NoAnswerError, check_url, discover, explain_open_error
from . import protocol as peg

SAMPLES = 7
"""Readings of one hole: a loose contact shows in their spread."""
STEADY = 16
"""Readings of a good contact differ by no more: the converter's noise is 3 either way, and the
multiplexer's resistance shows most at the smallest resistor (5 either way on an emulated board).
A loose contact jumps by hundreds."""
DRIFT = 18
"""A piece reads this much differently in two good holes at most: multiplexers of 30 and 200 Ω."""
APART = 24
"""Two kinds of pieces that read closer to each other cannot be told apart in every hole."""
OPEN = 995
"""An empty hole reads at least this."""

_PATIENCE = 3.0
_ASK_EVERY = 0.5


class Contact(Enum):
    """What a hole is like; the values but GOOD's name the sentences of the packs."""

    GOOD = "contact_good"
    BAD = "contact_bad"
    NOTHING = "contact_nothing"
    OTHER_PIECE = "contact_other_piece"
    NOT_EMPTY = "contact_not_empty"


@dataclass(frozen=True)
class HoleReading:
    """One hole: raw ``levels`` and the piece ``code`` that the board takes them for."""

    levels: tuple[int, ...]
    code: int

    @property
    def level(self) -> int:
        """The middle one of the levels."""
        return sorted(self.levels)[len(self.levels) // 2]


@dataclass(frozen=True)
class Calibration:
    """What was found: levels by piece and by square, and the squares that are not good."""

    pieces: Mapping[str, int] = field(default_factory=dict)
    squares: Mapping[str, int] = field(default_factory=dict)
    bad: Mapping[str, str] = field(default_factory=dict)
    checked_at: str = ""


def judge_empty(reading: HoleReading) -> Contact:
    """A hole from which the piece has been taken."""
    empty = reading.code == peg.EMPTY and min(reading.levels) >= OPEN
    return Contact.GOOD if empty else Contact.NOT_EMPTY


def judge(reading: HoleReading, code: int | None, level: int | None) -> Contact:
    """A hole with a piece in it: ``code`` is the piece's, None where the board knows no kinds;
    ``level`` is what the piece read elsewhere, None where it has not been read yet."""
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
    """The kinds of pieces that read too much alike, each pair once."""
    by_level = sorted(levels, key=lambda letter: levels[letter])
    return [
        (low, high)
        for low, high in itertools.pairwise(by_level)
        if levels[high] - levels[low] < APART
    ]


class RawBoard:
    """A board that is asked for readings; nothing else may have its port open meanwhile.

    Raises BoardNotFoundError for what is no board's address,
    NoAnswerError where no board answers, :class:`OSError` with
    one sentence for all else.
    """

    def __init__(self, url: str, *, baud: int = BAUD) -> None:
        check_url(url)
        self.url = url
        self._decoder = peg.Decoder()
        try:
            self._port = serial.serial_for_url(url, baudrate=baud, timeout=0.05, write_timeout=1.0)
        except OSError as error:
            raise OSError(explain_open_error(url, error)) from error
        try:
            hello = self._ask(peg.AskHello(), peg.Hello)
        except OSError:
            self.close()
            raise
        self.knows_pieces = bool(hello.capabilities & peg.Capability.IDENTITY)
        """Whether it can tell one kind of piece from another."""

    def read(self, squares: Sequence[int], samples: int = SAMPLES) -> dict[int, HoleReading]:
        """The readings of these squares (0–63), each taken ``samples`` times, which lasts about a
        twentieth of a second each time."""
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
        self._port.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, command: peg.HostCommand, kind: type[Any], **fields: object) -> Any:
        """Ask until the answer of this kind, with these fields, has come."""
        end, next_ask = time.monotonic() + _PATIENCE, 0.0
        try:
            while (now := time.monotonic()) < end:
                if now >= next_ask:
                    self._port.write(peg.encode(command))
                    next_ask = now + _ASK_EVERY
                for message in self._decoder.feed(self._port.read(max(1, self._port.in_waiting))):
                    if isinstance(message, kind) and all(
                        getattr(message, name) == value for name, value in fields.items()
                    ):
                        return message
        except OSError as error:
            raise OSError(explain_open_error(self.url, error)) from error
        raise NoAnswerError(
            f"The board at {self.url} does not answer: check that it is the board's port, "
            "then replug it."
        )


def merged(before: Calibration, fresh: Calibration) -> Calibration:
    """What is known after a second check: the later one counts for what it looked at."""
    looked_at = fresh.squares.keys() | fresh.bad.keys()
    return Calibration(
        pieces={**before.pieces, **fresh.pieces},
        squares={**{at: level for at, level in before.squares.items() if at not in looked_at},
                 **fresh.squares},
        bad={**{at: why for at, why in before.bad.items() if at not in looked_at}, **fresh.bad},
        checked_at=fresh.checked_at,
    )  # fmt: skip


def name_of(url: str) -> str:
    """What a board is kept under: its USB serial number where it has one, for its port may change
    its name, else its address."""
    for port in discover():
        if port.url == url and port.serial_number:
            return f"{port.vid:04x}:{port.pid:04x}:{port.serial_number}"
    return url


def _file() -> Path:
    return Path(platformdirs.user_config_path("blindplay", appauthor=False)) / "boards.json"


def _all() -> dict[str, Any]:
    try:
        kept = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if isinstance(kept, dict) else {}


def keep(url: str, found: Calibration) -> Path:
    """Keep what was found about the board at ``url``; gives the file. Raises :class:`OSError`."""
    path = _file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # players' names come into it, too
    text = json.dumps({**_all(), name_of(url): asdict(found)}, indent=2, ensure_ascii=False)
    fresh = path.with_suffix(".new")
    fresh.write_text(text + "\n", "utf-8")
    fresh.replace(path)
    return path


def kept(url: str) -> Calibration | None:
    """What is known of the board at ``url``; None if nothing is, or cannot be read."""
    try:
        return Calibration(**_all()[name_of(url)])
    except (KeyError, TypeError):
        return None
