#!/usr/bin/env python3
"""Computes the windows of the resistors that name the pieces, and the distances between them.

Each peg holds a resistor between the tip and the sleeve of its plug. With the hole's contact, the
multiplexer and a pull-up it forms a voltage divider, which the microcontroller's 10-bit converter
reads. This script computes the window of readings that each resistor can give when every part is
as bad as its data sheet allows. From the windows it writes the firmware's table, that of the board
in software, and the list of resistors with their margins.

    python3 hardware/ladder.py            write all three
    python3 hardware/ladder.py --check    only say whether they are up to date

It exits with status 1 and one sentence if two windows meet, because the board could take one piece
for another. It exits with status 2 and one sentence if an option makes no sense. Then it writes
nothing.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
HEADER = FOLDER / "firmware" / "ladder.h"
PARTS = FOLDER / "parts" / "ladder.md"
SOFTWARE = FOLDER.parent / "blindplay" / "boards" / "peg" / "ladder.py"

PIECES = ".PRNBKQprnbkq"
"""Index = piece code on the wire, as in blindplay/boards/peg/protocol.py."""

ORDER = "KkQqRPprBbNn"
"""Pieces by rising resistance. More resistance in a contact matters least at a large resistor, and
damp least at a small one. So the sixteen pawns have the middle, which bears both, and the kings and
queens, of which one of each stands on the board, the smallest resistors."""

RESISTORS = (820, 1800, 3300, 5100, 7500, 10000, 15000, 20000, 27000, 39000, 62000, 110000)
"""Ohms, all of the E24 series, in the order of ORDER. Of the series' values between those of the
kings and pawns, and above, these leave the largest distances with much room above the last: damp of
140 kΩ or more is no piece."""

MOST_OHMS = 10_000_000
"""The largest resistor that may be given. Long before that it reads like an open hole."""

NAMES = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}
PER_SIDE = {"p": 8, "n": 2, "b": 2, "r": 2, "q": 2, "k": 1}
"""Pegs of each kind for one side; a second queen for promotion."""

USUAL_VOLTS = 5.0

TOP = 1023
"""The highest reading. A reading is the voltage in 1023rds of the supply."""


@dataclass(frozen=True)
class Conditions:
    """The errors of the parts, in ohms, amperes, volts, kelvin and fractions.

    ``tolerance`` is that of a resistor at 25 °C, which changes by ``drift`` for each of ``kelvin``
    colder or warmer. ``contact`` is that of jack, plug and wire, and ``usual`` what contact and
    multiplexer have together on most boards. ``leak`` is the leakage of multiplexers, clamps,
    converter and a damp board into one common line, in either direction; it counts most at the
    lowest ``supply``. ``converter`` is the converter's error in readings.
    ``guard`` widens each window in the firmware beyond the worst case, in readings.
    """

    pull_up: float = 10_000.0
    tolerance: float = 0.01
    drift: float = 100e-6
    kelvin: float = 25.0
    on_resistance: tuple[float, float] = (30.0, 200.0)
    contact: tuple[float, float] = (0.0, 50.0)
    usual: float = 100.0
    leak: float = 0.4e-6
    supply: float = 4.5
    converter: float = 3.0
    guard: int = 6

    @property
    def error(self) -> float:
        """The error of a resistor from tolerance and temperature together."""
        return self.tolerance + self.drift * self.kelvin


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
        ohms * (1 - at.error) + at.on_resistance[0] + at.contact[0],
        at.pull_up * (1 + at.error),
        -at.leak,
        at.supply,
    )
    high = reading(
        ohms * (1 + at.error) + at.on_resistance[1] + at.contact[1],
        at.pull_up * (1 - at.error),
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
    volts = at.supply - at.leak * at.pull_up * (1 + at.error)
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


@dataclass(frozen=True)
class Bears:
    """How far one cause alone may go at a piece before its reading is a fault, on a board that is
    ``usual`` in all else.

    ``contact`` is more ohms in the contact, ``damp`` ohms from tip to ground, ``leak`` amperes into
    or out of the line, ``tolerance`` that of the piece's resistor as a fraction, ``volts`` the
    difference between the supply of the pull-ups and that of the converter. ``as_other_contact``
    and ``as_other_damp`` are where the reading becomes that of another piece; 0 for damp that never
    makes one. ``drift`` is no limit: so many readings come from the temperature at most.
    """

    contact: float
    as_other_contact: float
    damp: float
    as_other_damp: float
    leak: float
    tolerance: float
    volts: float
    drift: float


def bears(of: Sequence[Window], at: Conditions | None = None) -> list[Bears]:
    """What each piece of these windows bears."""
    at = at or Conditions()
    return [
        _bears(of[n].ohms or 0, of[n - 1] if n else None, of[n], of[n + 1], at)
        for n in range(len(of) - 1)
    ]


def _bears(ohms: int, below: Window | None, own: Window, above: Window, at: Conditions) -> Bears:
    def usual(ohms: float, pull_up: float = at.pull_up, leak: float = 0.0) -> float:
        return reading(ohms + at.usual, pull_up, leak, USUAL_VOLTS)

    def leaves(*ways: Callable[[float], float]) -> float:
        """The smallest number at which one of these ways leads out of the window."""
        low, high = own.low - 0.5, own.high + 0.5
        return first(lambda x: not all(low <= way(x) <= high for way in ways))

    def damp(siemens: float) -> float:
        return usual(1 / (1 / ohms + siemens))

    warmer = 1 + at.drift * at.kelvin
    below_high = below.high + 0.5 if below else -1.0
    return Bears(
        contact=leaves(lambda x: usual(ohms + x)),
        as_other_contact=first(lambda x: usual(ohms + x) >= above.low - 0.5),
        damp=1 / leaves(damp),
        as_other_damp=1 / first(lambda x: damp(x) <= below_high) if below else 0.0,
        leak=leaves(lambda x: usual(ohms, leak=x), lambda x: usual(ohms, leak=-x)),
        tolerance=leaves(lambda x: usual(ohms * (1 + x)), lambda x: usual(ohms * (1 - min(x, 1)))),
        volts=leaves(
            lambda x: usual(ohms) * (1 + x / USUAL_VOLTS),
            lambda x: usual(ohms) * (1 - x / USUAL_VOLTS),
        ),
        drift=usual(ohms * warmer, at.pull_up / warmer) - usual(ohms),
    )


def empty_bears(of: Sequence[Window]) -> tuple[float, float]:
    """The ohms of damp at which an empty hole becomes a fault, and at which it reads as a piece."""
    piece, hole = of[-2], of[-1]

    def damp(siemens: float) -> float:
        return reading(1 / siemens, Conditions.pull_up, 0.0, USUAL_VOLTS)

    return (
        1 / first(lambda x: damp(x) < hole.low - 0.5),
        1 / first(lambda x: damp(x) <= piece.high + 0.5),
    )


def first(holds: Callable[[float], bool]) -> float:
    """The smallest positive number for which this holds, as it does for all larger ones."""
    low, high = 0.0, 1e-9
    while not holds(high):
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


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


def software(of: Sequence[Window], at: Conditions | None = None) -> str:
    """The text of ladder.py of the board in software."""
    at = at or Conditions()
    by_piece = {w.piece: w.ohms for w in of}
    ohms = ", ".join(str(by_piece[piece] or "inf") for piece in PIECES).replace("inf", "math.inf")
    rows = [f"    ({w.low}, {w.high}, {PIECES.index(w.piece)})," for w in of]
    return "\n".join(
        [
            '"""The resistors in the pegs, and the readings that mean them. Written by'
            " hardware/ladder.py: change",
            'and run that instead of this file."""',
            "",
            "import math",
            "",
            f"PULL_UP = {at.pull_up:.0f}",
            '"""Ohms from each line to the supply."""',
            "",
            f"OHMS = ({ohms})",
            '"""The resistor of each piece, by its code; 0 is an empty hole."""',
            "",
            f"USUAL = {at.usual:.0f}",
            '"""Ohms that multiplexer and contact usually have together."""',
            "",
            f"TOP = {TOP}",
            '"""The highest reading, that of an open hole."""',
            "",
            "WINDOWS = (",
            *rows,
            ")",
            '"""The lowest and the highest reading of each code, by rising reading."""',
            "",
        ]
    )


def value(ohms: float) -> str:
    """``820 Ω`` or ``4.7 kΩ``."""
    return f"{ohms:g} Ω" if ohms < 1000 else f"{ohms / 1000:g} kΩ"


def rounded(ohms: float, to_whole: Callable[[float], int] = math.floor) -> str:
    """``ohms`` with two digits: ``810 Ω`` or ``3.9 kΩ``."""
    step = 10.0 ** (math.floor(math.log10(ohms)) - 1)
    return value(round(to_whole(ohms / step) * step))


def parts(of: Sequence[Window], at: Conditions | None = None) -> str:
    """The text of the parts list."""
    at = at or Conditions()
    gaps = margins(of, at)
    lines = [
        "# The resistors in the pegs",
        "",
        "Written by `hardware/ladder.py`: change and run that instead of this file.",
        "",
        f"All resistors are of the E24 series, 1 %, any size that fits into a 3.5 mm plug's shell; "
        f"each of the four multiplexers has a pull-up of {value(round(at.pull_up))}, 1 %, at its "
        "common line. Solder the resistor between tip and sleeve. One set of 34 pegs, with a "
        "second queen for each side, needs:",
        "",
        "| piece | resistor | pegs | lowest reading | highest reading |",
        "|---|---|---|---|---|",
    ]
    for window in of:
        lines.append(
            f"| {describe(window.piece)} "
            f"| {value(window.ohms) if window.ohms else 'none'} "
            f"| {PER_SIDE[window.piece.lower()] if window.ohms else ''} "
            f"| {window.worst_low:.1f} | {window.worst_high:.1f} |"
        )
    low, high = at.on_resistance
    lines += [
        "",
        f"Readings run from 0 (short circuit) to {TOP} (open). Lowest and highest are the worst "
        f"case, all of this at once: pull-up and resistor {at.tolerance:.0%} off in opposite "
        f"directions, and {at.kelvin:.0f} °C warmer or colder than 25 °C with "
        f"{at.drift * 1e6:.0f} millionths for each degree, {low:.0f} to {high:.0f} Ω in the "
        f"multiplexer, {at.contact[0]:.0f} to {at.contact[1]:.0f} Ω in contact and wire, "
        f"{at.leak * 1e6:.1f} µA of leakage either way, a supply of {at.supply:g} V, and "
        f"{at.converter:.0f} readings of converter error. The firmware's windows are {at.guard} "
        "readings wider at each side. A reading in none of them is a fault, never a piece and "
        "never an empty hole.",
        "",
        "## Margins",
        "",
        "*Distance* is from the worst case of this piece to that of the next lower one, in "
        "readings; the first is that to a short circuit. The other columns say how far one cause "
        f"alone may go, on a board with {at.usual:.0f} Ω in multiplexer and contact and all else "
        "as marked: more resistance in the contact, damp between tip and ground, leakage, an error "
        "of the piece's resistor, and a difference between the supply of the pull-ups and that of "
        "the controller. Beyond that the hole is a fault. *Other piece* is where it reads as "
        "another piece instead: such a reading is doubted if it cannot be, and reported neither as "
        "a lift nor as a placing. *Temperature* is how far "
        f"{at.kelvin:.0f} °C move the reading if they drive resistor and pull-up apart; a window "
        f"has {at.guard} readings to spare even in the worst case.",
        "",
        "| piece | distance | contact | contact, other piece | damp | damp, other piece | leakage "
        "| resistor | supply | temperature |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for window, gap, bear in zip(of, gaps, bears(of, at), strict=False):
        lines.append(
            f"| {describe(window.piece)} | {gap:.0f} | {rounded(bear.contact)} "
            f"| {rounded(bear.as_other_contact)} | {rounded(bear.damp, math.ceil)} "
            f"| {rounded(bear.as_other_damp, math.ceil) if bear.as_other_damp else 'never'} "
            f"| {bear.leak * 1e6:.1f} µA | {bear.tolerance:.1%} "
            f"| {bear.volts * 1000:.0f} mV | {bear.drift:.1f} |".replace("%", " %")
        )
    fault, piece = empty_bears(of)
    lines += [
        "",
        f"The smallest distance is {min(gaps):.1f} readings; that from {describe(of[-2].piece)} to "
        f"an open hole is {gaps[-1]:.0f}. An empty hole is a fault with less than "
        f"{rounded(fault, math.ceil)} of damp from tip to ground, and reads as a piece below "
        f"{rounded(piece, math.ceil)} only. The supply itself does not "
        "matter, since it feeds the pull-ups and is the converter's reference.",
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
    """Write the files, or compare them with ``--check``. Return the exit status."""
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
    written = {HEADER: header(found, at), SOFTWARE: software(found, at), PARTS: parts(found, at)}
    for path, text in written.items():
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(path.name)
        if not given.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    if given.check and stale:
        names = " and ".join(stale)
        print(f"{names} do not fit ladder.py: run it without --check.", file=sys.stderr)
        return 1
    print(f"The smallest distance between two windows is {min(margins(found, at)):.1f} readings.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
