#!/usr/bin/env python3
"""Computes the windows of the resistors that name the pieces, and the distances between them.

Each peg holds a resistor between the tip and the sleeve of its plug. With the hole's contact, the
multiplexer and a pull-up it forms a voltage divider, which the microcontroller's 10-bit converter
reads. This script computes the window of readings that each resistor can give when every part is
as bad as its data sheet allows. From the windows it writes the firmware's table and the parts list.

    python3 hardware/ladder.py            write firmware/ladder.h and parts/ladder.md
    python3 hardware/ladder.py --check    only say whether both are up to date

It exits with status 1 and one sentence if two windows meet, because the board could take one piece
for another. It exits with status 2 and one sentence if an option makes no sense. Then it writes
nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
HEADER = FOLDER / "firmware" / "ladder.h"
PARTS = FOLDER / "parts" / "ladder.md"

PIECES = ".PRNBKQprnbkq"
"""Index = piece code on the wire, as in blindplay/boards/peg/protocol.py."""

ORDER = "PpNnBbRrQqKk"
"""Pieces by rising resistance: those of one kind side by side, white below black."""

RESISTORS = (820, 1800, 3300, 4700, 6800, 10000, 15000, 22000, 33000, 47000, 82000, 180000)
"""Ohms, all of the E12 series, in the order of ORDER."""

MOST_OHMS = 10_000_000
"""The largest resistor that may be given. Long before that it reads like an open hole."""

NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
PER_SIDE = {"p": 8, "n": 2, "b": 2, "r": 2, "q": 2, "k": 1}
"""Pegs of each kind for one side; a second queen for promotion."""

TOP = 1023
"""The highest reading. A reading is the voltage in 1023rds of the supply."""


@dataclass(frozen=True)
class Conditions:
    """The errors of the parts, in ohms, amperes and fractions.

    ``leak`` is the leakage of multiplexers, converter and a damp board into one common line, in
    either direction. ``converter`` is the converter's error in readings. ``guard`` widens each
    window in the firmware beyond the worst case, in readings.
    """

    pull_up: float = 10_000.0
    tolerance: float = 0.01
    on_resistance: tuple[float, float] = (30.0, 200.0)
    contact: tuple[float, float] = (0.0, 20.0)
    leak: float = 0.4e-6
    supply: float = 5.0
    converter: float = 3.0
    guard: int = 6


@dataclass(frozen=True)
class Window:
    """The readings ``low`` to ``high``, both included, that mean ``piece`` (``.`` an open hole).

    ``worst_low`` and ``worst_high`` are the worst case without the guard. ``ohms`` is None for an
    open hole.
    """

    piece: str
    ohms: int | None
    worst_low: float
    worst_high: float
    low: int
    high: int


class WindowsMeetError(ValueError):
    """Two pieces, or a piece and an open or shorted hole, could give the same reading."""


def reading(ohms: float, pull_up: float, leak: float, supply: float) -> float:
    """The reading of ``ohms`` to ground with this ``pull_up`` and this ``leak`` into the line."""
    volts = (supply / pull_up + leak) / (1 / pull_up + 1 / ohms)
    return TOP * volts / supply


def worst(ohms: float, at: Conditions) -> tuple[float, float]:
    """The lowest and the highest reading of a resistor marked ``ohms``."""
    low = reading(
        ohms * (1 - at.tolerance) + at.on_resistance[0] + at.contact[0],
        at.pull_up * (1 + at.tolerance),
        -at.leak,
        at.supply,
    )
    high = reading(
        ohms * (1 + at.tolerance) + at.on_resistance[1] + at.contact[1],
        at.pull_up * (1 - at.tolerance),
        at.leak,
        at.supply,
    )
    return low - at.converter, high + at.converter


def windows(resistors: Sequence[int] = RESISTORS, at: Conditions | None = None) -> list[Window]:
    """One window for each piece by rising reading, then that of an open hole.

    Raises :class:`WindowsMeetError` if two of them meet, or one meets a short circuit's.
    """
    at = at or Conditions()
    found = []
    for piece, ohms in zip(ORDER, resistors, strict=True):
        low, high = worst(ohms, at)
        found.append(Window(piece, ohms, low, high, int(low) - at.guard, int(high) + 1 + at.guard))
    # Only the leakage pulls an open hole down.
    volts = at.supply - at.leak * at.pull_up * (1 + at.tolerance)
    low = TOP * volts / at.supply - at.converter
    found.append(Window(".", None, low, TOP, int(low) - at.guard, TOP))
    before, last = "a short circuit", int(worst(0.001, at)[1]) + 1 + at.guard
    for window in found:
        if window.low <= last:
            raise WindowsMeetError(
                f"The windows of {before} and {describe(window.piece)} meet at reading "
                f"{window.low}: choose resistors further apart or with less tolerance."
            )
        before, last = describe(window.piece), window.high
    return found


def margins(of: Sequence[Window], at: Conditions | None = None) -> list[float]:
    """The readings between each worst case and the one below it, first that of a short circuit."""
    last, gaps = worst(0.001, at or Conditions())[1], []
    for window in of:
        gaps.append(window.worst_low - last)
        last = window.worst_high
    return gaps


def describe(piece: str) -> str:
    """``white pawn`` for ``P``, ``an open hole`` for ``.``."""
    if piece == ".":
        return "an open hole"
    return f"{'white' if piece.isupper() else 'black'} {NAMES[piece.lower()]}"


def header(of: Sequence[Window], at: Conditions | None = None) -> str:
    """The text of ladder.h."""
    at = at or Conditions()
    rows = [
        f"    {{{w.low}, {w.high}, {PIECES.index(w.piece)}}}, "
        f"/* {describe(w.piece)}{f', {w.ohms} ohm' if w.ohms else ''} */"
        for w in of
    ]
    by_piece = {w.piece: w.ohms for w in of}
    ohms = ", ".join(str(by_piece[piece] or 0) for piece in PIECES)
    return "\n".join(
        [
            "/* Written by ../ladder.py: change and run that instead of this file. */",
            "#ifndef LADDER_H",
            "#define LADDER_H",
            "",
            "#include <stdint.h>",
            "",
            f"#define LADDER_PULL_UP_OHM {at.pull_up:.0f}",
            "",
            "/* By piece code. 0 is the open hole. */",
            f"#define LADDER_OHMS {{{ohms}}}",
            "",
            "/* By rising reading. A reading between two windows is a fault. */",
            "static const struct ladder_window {",
            "    uint16_t low, high;",
            "    uint8_t code;",
            "} LADDER[] = {",
            *rows,
            "};",
            "",
            "#endif",
            "",
        ]
    )


def value(ohms: int) -> str:
    """``820 Ω`` or ``4.7 kΩ``."""
    return f"{ohms} Ω" if ohms < 1000 else f"{ohms / 1000:g} kΩ"


def parts(of: Sequence[Window], at: Conditions | None = None) -> str:
    """The text of the parts list."""
    at = at or Conditions()
    gaps = margins(of, at)
    lines = [
        "# The resistors in the pegs",
        "",
        "Written by `hardware/ladder.py`: change and run that instead of this file.",
        "",
        f"All resistors are of the E12 series, 1 %, any size that fits into a 3.5 mm plug's shell; "
        f"each of the four multiplexers has a pull-up of {value(round(at.pull_up))}, 1 %, at its "
        "common line. Solder the resistor between tip and sleeve. One set of 34 pegs, with a "
        "second queen for each side, needs:",
        "",
        "| piece | resistor | pegs | lowest reading | highest reading | distance below |",
        "|---|---|---|---|---|---|",
    ]
    for window, gap in zip(of, gaps, strict=True):
        lines.append(
            f"| {describe(window.piece)} "
            f"| {value(window.ohms) if window.ohms else 'none'} "
            f"| {PER_SIDE[window.piece.lower()] if window.ohms else ''} "
            f"| {window.worst_low:.1f} | {window.worst_high:.1f} | {gap:.1f} |"
        )
    low, high = at.on_resistance
    lines += [
        "",
        f"Readings run from 0 (short circuit) to {TOP} (open). Lowest and highest are the worst "
        f"case: pull-up and resistor both {at.tolerance:.0%} off, {low:.0f} to {high:.0f} Ω in the "
        f"multiplexer, {at.contact[0]:.0f} to {at.contact[1]:.0f} Ω in the contact, "
        f"{at.leak * 1e6:.1f} µA of leakage either way, {at.converter:.0f} readings of converter "
        "error. The first distance is that to a short circuit. The firmware's windows are "
        f"{at.guard} readings wider at each side; a reading in none of them is a fault, never a "
        "piece and never an empty hole.",
        "",
        f"The smallest distance is {min(gaps):.1f} readings.",
        "",
    ]
    return "\n".join(lines)


def _resistors(text: str) -> tuple[int, ...]:
    """Read ``--resistors``. Raises :class:`ValueError` with the sentence to print."""
    try:
        ohms = tuple(int(part) for part in text.split(","))
    except ValueError:
        ohms = ()
    if len(ohms) != len(ORDER) or not all(1 <= each <= MOST_OHMS for each in ohms):
        raise ValueError(
            f"{text!r} are not resistors: give {len(ORDER)} whole numbers of ohms from 1 to "
            f"{MOST_OHMS} with commas between, for the pieces {' '.join(ORDER)}."
        )
    return ohms


def _tolerance(text: str) -> float:
    """Read ``--tolerance`` as a fraction. Raises :class:`ValueError` with the sentence to print."""
    try:
        percent = float(text)
    except ValueError:
        percent = math.nan
    if not 0 < percent < 50:  # False for nan, too
        raise ValueError(f"{text!r} is not a tolerance: give percent above 0 and below 50.")
    return percent / 100


def main(arguments: Sequence[str] | None = None) -> int:
    """Write both files, or compare them with ``--check``. Return the exit status."""
    parser = argparse.ArgumentParser(description="The resistors that name the pieces.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare")
    parser.add_argument(
        "--resistors",
        default=",".join(map(str, RESISTORS)),
        help=f"twelve values in ohms, for the pieces {' '.join(ORDER)}",
    )
    parser.add_argument("--tolerance", default="1", help="of all resistors, in percent")
    given = parser.parse_args(arguments)
    try:
        at = Conditions(tolerance=_tolerance(given.tolerance))
        found = windows(_resistors(given.resistors), at)
    except WindowsMeetError as error:
        print(error, file=sys.stderr)
        return 1
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    stale = []
    for path, text in ((HEADER, header(found, at)), (PARTS, parts(found, at))):
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(path.relative_to(FOLDER))
        if not given.check:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
    if given.check and stale:
        names = " and ".join(map(str, stale))
        print(f"{names} do not fit ladder.py: run it without --check.", file=sys.stderr)
        return 1
    print(f"The smallest distance between two windows is {min(margins(found, at)):.1f} readings.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
