"""The measures, counts and wiring of the pegged board; the wiring is that of the firmware.

The drawings, the wiring table and the bill of materials are all written from this module, so they
agree. All lengths are millimetres. Places are seen from above, with White at the near edge: x runs
to the right from the panel's left edge, y away from White from the panel's near edge.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

HARDWARE = Path(__file__).resolve().parent.parent
if str(HARDWARE) not in sys.path:
    sys.path.insert(0, str(HARDWARE))

import ladder  # noqa: E402

FILES = "abcdefgh"
SQUARE_NAMES = tuple(file + rank for rank in "12345678" for file in FILES)

SQUARE = 30.0
"""Side of a square. Eight make a field of 240 mm, above the 200 mm of D.1.1 and F a."""
MARGIN = 30.0
"""From the panel's left, near and far edge to the field."""
STRIP = 90.0
"""From the field to the panel's right edge: rank marks, then the levers."""
FIELD = 8 * SQUARE
PANEL = (MARGIN + FIELD + STRIP, MARGIN + FIELD + MARGIN)
PANEL_THICK = 2.0
TILE = 29.0
TILE_THICK = 2.0
"""Height of the black squares above the white ones (D.1.2, F b), the same as a jack's nut."""
TILE_HOLE = 10.0
"""The hole in the middle of a tile, around the nut."""
JACK_HOLE = 6.0
JACK_NUT = 8.0
CASE_HEIGHT = 40.0
WALL = 12.0
"""Thickness of the wooden strips around the case."""

LEVER_X = 330.0
LEVER_Y = (75.0, 225.0)
"""The buttons under White's and Black's lever, each at the right edge near its player's side."""
LEVER_HOLE = 12.0
LEVER_ARM = (60.0, 20.0)
BUZZER = (330.0, 150.0)
BUZZER_HOLE = 8.0
MOTOR = (330.0, 125.0)
"""Optional, glued under the panel without a hole."""
MOTOR_WIDTH = 10.0
LAMP = (330.0, 175.0)
"""Optional."""
LAMP_HOLE = 10.0
USB = (0.0, 150.0)
"""The opening in the left wall; the players sit at the near and the far edge."""
SCREWS = (
    *((x, y) for x in (6.0, PANEL[0] - 6.0) for y in (6.0, 90.0, 210.0, PANEL[1] - 6.0)),
    *((150.0, y) for y in (6.0, PANEL[1] - 6.0)),
)
SCREW_HOLE = 3.0
RAILS_Y = (90.0, 210.0)
"""Middle lines of two rails under the panel, below the lines between ranks 2 and 3, 6 and 7."""
RAIL = 10.0

BRAILLE = {
    **dict(zip("abcdefgh", ("1", "12", "14", "145", "15", "124", "1245", "125"), strict=True)),
    **dict(zip("12345678", ("1", "12", "14", "145", "15", "124", "1245", "125"), strict=True)),
    "#": "3456",
}
"""The raised dots of each cell; ``#`` is the number sign."""
DOT_PITCH = 2.5
CELL_PITCH = 6.0
DOT = 1.5
DOT_HEIGHT = 0.5
"""Of a Braille dot. All four are those of the common form of Braille and lie within ISO 17049."""

START = {"p": 8, "n": 2, "b": 2, "r": 2, "q": 1, "k": 1}
SPARE_QUEENS = 2
"""For each side, beside the board, for promotion."""

LEVER_DOTS = {"White": 1, "Black": 2}
LEVER_DOT = 3.0
LEVER_DOT_HEIGHT = 1.0
LEVER_DOT_PITCH = 5.0

STRIP_PITCH = 28.0
"""From place to place of the strip beside the board, where captured and spare pieces stand."""
STRIP_COLUMNS = 18
"""Places in the row of each side: 16 pieces and two spare queens."""
STRIP_BLOCK = 6
"""Columns of one printed block; a longer one fits few printers."""
STRIP_HOLE = 4.0
STRIP_DEPTH = 15.0
"""A plug's pin is 3.5 wide and 14 long."""
STRIP_THICK = 18.0

PROTECTED = 6
"""Inputs with a resistor and two diodes: one for each multiplexer and each lever."""

WIRE_TO_JACK = 0.35
"""Metres from a multiplexer at the bottom plate to a jack, with the case open like a book."""

CHIP_PINS = (9, 8, 7, 6, 5, 4, 3, 2, 23, 22, 21, 20, 19, 18, 17, 16)
"""Pin of each channel at a bare 24-pin CD74HC4067."""


@dataclass(frozen=True)
class Connection:
    """The jack of ``square`` hangs on ``channel`` (0 to 15) of the multiplexer at ``pin``."""

    square: str
    jack: str
    multiplexer: int
    channel: int

    @property
    def pin(self) -> str:
        """The controller's analogue input, which also names the multiplexer: A0 to A3."""
        return f"A{self.multiplexer}"


@dataclass(frozen=True)
class Pins:
    """The controller's pins by their names on an Arduino Nano or Uno."""

    select: tuple[str, str, str, str]
    levers: tuple[str, str]
    buzzer: str
    motor: str
    lamp: str
    motor_bridge: str
    """Joined to ground if there is a motor."""
    lamp_bridge: str


class FirmwareChangedError(ValueError):
    """The firmware describes its wiring in a way that this module does not know."""


def _firmware() -> str:
    return (HARDWARE / "firmware" / "avr.c").read_text("utf-8")


def _find(pattern: str, text: str) -> tuple[int, ...]:
    found = re.search(pattern, text)
    if not found:
        raise FirmwareChangedError(f"firmware/avr.c has nothing like {pattern}: adapt design.py.")
    return tuple(int(number) for number in found.groups())


def connections() -> list[Connection]:
    """The connection of each of the 64 jacks, a1 first, as firmware/avr.c reads them.

    Raises :class:`FirmwareChangedError` if the firmware now computes them in another way.
    """
    text = _firmware()
    (channels,) = _find(r"select_channel\(square % (\d+)\)", text)
    (per_multiplexer,) = _find(r"start_conversion\(square / (\d+)\)", text)
    return [
        Connection(name, f"J{square + 1}", square // per_multiplexer, square % channels)
        for square, name in enumerate(SQUARE_NAMES)
    ]


def pins() -> Pins:
    """The pins that firmware/avr.c uses. Raises :class:`FirmwareChangedError`."""
    text = _firmware()
    (shift,) = _find(r"PORTD & 0x0F\) \| channel << (\d)", text)
    black, white = _find(r"PIND & \(lever \? _BV\(PD(\d)\) : _BV\(PD(\d)\)\)", text)
    outputs = [
        _find(rf"void port_{name}[^}}]*set_pin\(PB(\d), on\)", text)[0]
        for name in ("buzzer", "motor", "lamp")
    ]
    bridges = [
        _find(rf"PINB & _BV\(PB(\d)\)\)\) \{{\s*fitted \|= CAN_{name}", text)[0]
        for name in ("MOTOR", "LAMP")
    ]
    s0, s1, s2, s3 = (f"D{shift + bit}" for bit in range(4))
    # Port D is D0 to D7 of an Arduino, port B begins at D8.
    of_port_b = [f"D{bit + 8}" for bit in (*outputs, *bridges)]
    return Pins((s0, s1, s2, s3), (f"D{white}", f"D{black}"), *of_port_b)


def hole(square: str) -> tuple[float, float]:
    """The middle of a square's hole on the panel, x and y."""
    file, rank = FILES.index(square[0]), int(square[1]) - 1
    return MARGIN + SQUARE * (file + 0.5), MARGIN + SQUARE * (rank + 0.5)


def strip_places() -> list[tuple[str, float, float]]:
    """The middle of each place of the strip, with whose piece stands there.

    Measured from the strip's left near corner. White's row is the near one.
    """
    return [
        (side, STRIP_PITCH * (column + 0.5), STRIP_PITCH * (row + 0.5))
        for row, side in enumerate(LEVER_DOTS)
        for column in range(STRIP_COLUMNS)
    ]


def strip_marks() -> list[tuple[float, float]]:
    """The raised dots at the left end of each row of the strip: one for White, two for Black."""
    return [
        (4.0, STRIP_PITCH * (row + 0.5) + LEVER_DOT_PITCH * (i - (dots - 1) / 2))
        for row, dots in enumerate(LEVER_DOTS.values())
        for i in range(dots)
    ]


def is_black(square: str) -> bool:
    """Whether a square is black, like a1, and so gets a tile."""
    return (FILES.index(square[0]) + int(square[1]) - 1) % 2 == 0


def tiles() -> list[str]:
    """The squares that get a raised tile."""
    return [square for square in SQUARE_NAMES if is_black(square)]


def pegs() -> dict[str, int]:
    """The number of pegs of each piece (FEN letter) in a set, with the spare queens."""
    return {
        piece: START[piece.lower()] + (SPARE_QUEENS if piece in "qQ" else 0)
        for piece in ladder.ORDER
    }


def ohms() -> dict[str, int]:
    """The resistor of each piece (FEN letter) in ohms, by rising value."""
    return dict(zip(ladder.ORDER, ladder.RESISTORS, strict=True))


def braille_dots() -> int:
    """The raised dots of all marks: files at two edges, ranks with a number sign at two edges."""
    files = sum(len(BRAILLE[letter]) for letter in FILES)
    ranks = sum(len(BRAILLE["#"]) + len(BRAILLE[digit]) for digit in "12345678")
    return 2 * (files + ranks)


def counts() -> dict[str, int]:
    """All counts of the bill of materials, by their names in bom.toml.

    ``peg P`` and so on are the pegs of one piece. Metres of wire are rounded up.
    """
    wiring = connections()
    set_of_pegs = pegs()
    ground = 8 * (FIELD - SQUARE) + 7 * SQUARE  # along each rank, then from rank to rank
    return {
        "one": 1,
        "squares": len(wiring),
        "black squares": len(tiles()),
        "multiplexers": len({connection.multiplexer for connection in wiring}),
        "pegs": sum(set_of_pegs.values()),
        "black pieces": sum(n for piece, n in set_of_pegs.items() if piece.islower()),
        "levers": len(LEVER_DOTS),
        "protected inputs": PROTECTED,
        "clamps": 2 * PROTECTED,
        "lever dots": sum(LEVER_DOTS.values()),
        "braille dots": braille_dots(),
        "screws": len(SCREWS),
        "rails": len(RAILS_Y),
        "metres of wire": -int(-len(wiring) * WIRE_TO_JACK // 1),
        "metres of bare wire": -int(-ground // 1000),
        **{f"peg {piece}": n for piece, n in set_of_pegs.items()},
    }
