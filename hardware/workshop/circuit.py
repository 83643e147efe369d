"""The circuit of the printed board: parts, their places, and what each of their pads is joined to.

The channels come from design.py, which reads them from the firmware. All lengths are millimetres.
Places are those of design.py: seen from above, x to the right, y away from White.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path

_DRAWINGS = str(Path(__file__).resolve().parent.parent / "drawings")
if _DRAWINGS not in sys.path:
    sys.path.insert(0, _DRAWINGS)

import design  # noqa: E402
import ladder  # noqa: E402

GROUND = "GND"
SUPPLY = "+5V"
OUTSIDE = "+5V_OUT"
"""Behind the fuse, for buzzer and motor. What the pieces are read with stays before it: its
resistance would change the readings."""

GRID = 0.635
"""Of the tracks: a quarter of the pitch of pins in rows, a half of that of the multiplexers."""

OUTLINE = (14.0, 30.0, 312.0, 270.0)
"""Left, near, right and far edge. The walls of the case leave 12 to 348 and 12 to 288."""

MOUNTS = ((28.0, 60.0), (28.0, 240.0), (298.0, 60.0), (298.0, 240.0))
MOUNT_HOLE = 3.2

TRACK = 0.25
POWER = 0.6
BUS = 1.0
CLEARANCE = 0.2
VIA, VIA_HOLE = 0.6, 0.3
EDGE = 0.5
"""From copper to the outline."""


@dataclass(frozen=True)
class Pad:
    """A pad of a footprint, seen from the side of the part, with y up.

    ``drill`` is 0 for a pad of a surface-mounted part. ``plated`` is False for a bare hole.
    """

    name: str
    x: float
    y: float
    width: float
    height: float
    drill: float = 0.0
    round: bool = False
    plated: bool = True


@dataclass(frozen=True)
class Footprint:
    """Pads, and the part's outline: left, lower, right, upper edge."""

    name: str
    pads: tuple[Pad, ...]
    body: tuple[float, float, float, float]


@dataclass(frozen=True)
class PlacedPad:
    """A pad on the board. ``net`` is empty for a pad that is joined to nothing."""

    part: str
    name: str
    x: float
    y: float
    width: float
    height: float
    drill: float
    round: bool
    plated: bool
    below: bool
    net: str

    def on(self, below: bool) -> bool:
        """Whether the pad has copper on the lower or upper side."""
        return bool(self.drill) or self.below == below


@dataclass(frozen=True)
class Part:
    """A part on the board. ``turn`` is counter-clockwise in degrees, seen from above.

    ``nets`` has the net of each joined pad. ``pins`` names pads for the schematic.
    """

    reference: str
    value: str
    footprint: Footprint
    at: tuple[float, float]
    turn: int
    below: bool
    nets: dict[str, str] = field(hash=False)
    pins: dict[str, str] = field(default_factory=dict, hash=False)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point of the footprint on the board."""
        if self.below:
            x = -x
        for _ in range(self.turn // 90):
            x, y = -y, x
        return round(self.at[0] + x, 4), round(self.at[1] + y, 4)

    def pads(self) -> list[PlacedPad]:
        """The pads on the board."""
        found = []
        for pad in self.footprint.pads:
            x, y = self.point(pad.x, pad.y)
            width, height = pad.width, pad.height
            if self.turn % 180:
                width, height = height, width
            found.append(
                PlacedPad(
                    self.reference,
                    pad.name,
                    x,
                    y,
                    width,
                    height,
                    pad.drill,
                    pad.round,
                    pad.plated,
                    self.below,
                    self.nets.get(pad.name, ""),
                )
            )
        return found


def _row(
    names: range, x: float, top: float, step: float, size: tuple[float, float], **more: object
):
    return [Pad(str(name), x, top + step * i, *size, **more) for i, name in enumerate(names)]  # type: ignore[arg-type]


JACK = Footprint(
    # QingPu PJ398SM or WQP518MA. The middle hole leaves room for the end of a plug.
    "Jack_3.5mm_mono_vertical",
    (
        Pad("S", 0, 6.48, 1.93, 1.83, 1.22),
        Pad("TN", 0, 3.38, 2.13, 2.13, 1.42, round=True),
        Pad("T", 0, -4.92, 2.13, 2.13, 1.43, round=True),
        Pad("", 0, 0, 3.0, 3.0, 3.0, round=True, plated=False),
    ),
    (-4.5, -6.3, 4.5, 4.5),
)
NANO = Footprint(
    "Arduino_Nano_sockets",
    (
        *_row(range(1, 16), -7.62, 17.78, -2.54, (1.6, 1.6), drill=1.0, round=True),
        *_row(range(16, 31), 7.62, -17.78, 2.54, (1.6, 1.6), drill=1.0, round=True),
    ),
    (-8.89, -21.59, 8.89, 21.59),
)
SOIC24 = Footprint(
    "SOIC-24W_7.5x15.4mm_P1.27mm",
    (
        *_row(range(1, 13), -4.65, 6.985, -1.27, (2.05, 0.6)),
        *_row(range(13, 25), 4.65, -6.985, 1.27, (2.05, 0.6)),
    ),
    (-3.75, -7.7, 3.75, 7.7),
)
R1206 = Footprint(
    "1206_3216Metric",
    (Pad("1", -1.4625, 0, 1.125, 1.75), Pad("2", 1.4625, 0, 1.125, 1.75)),
    (-1.6, -0.8, 1.6, 0.8),
)
R0805 = Footprint(
    "0805_2012Metric",
    (Pad("1", -0.95, 0, 1.0, 1.45), Pad("2", 0.95, 0, 1.0, 1.45)),
    (-1.0, -0.625, 1.0, 0.625),
)
SOD123 = Footprint(
    "SOD-123",  # pad 1 is the cathode
    (Pad("1", -1.65, 0, 0.9, 1.2), Pad("2", 1.65, 0, 0.9, 1.2)),
    (-1.4, -0.9, 1.4, 0.9),
)
SOT23 = Footprint(
    "SOT-23",
    (
        Pad("1", -0.9375, 0.95, 1.475, 0.6),
        Pad("2", -0.9375, -0.95, 1.475, 0.6),
        Pad("3", 0.9375, 0, 1.475, 0.6),
    ),
    (-0.65, -1.45, 0.65, 1.45),
)
FUSE1812 = Footprint(
    "Fuse_1812_4532Metric",
    (Pad("1", -2.1375, 0, 1.125, 3.4), Pad("2", 2.1375, 0, 1.125, 3.4)),
    (-2.25, -1.6, 2.25, 1.6),
)
RADIAL = Footprint(
    "CP_Radial_D5.0mm_P2.00mm",
    (
        Pad("1", -1.0, 0, 1.6, 1.6, 0.8),
        Pad("2", 1.0, 0, 1.6, 1.6, 0.8, round=True),
    ),
    (-2.5, -2.5, 2.5, 2.5),
)
XH2 = Footprint(
    "JST_XH_B2B-XH-A",
    (
        Pad("1", -1.25, 0, 1.8, 1.8, 1.0),
        Pad("2", 1.25, 0, 1.8, 1.8, 1.0, round=True),
    ),
    (-3.7, -3.4, 3.7, 2.35),
)
BRIDGE = Footprint(
    "PinHeader_1x02_P2.54mm",
    (
        Pad("1", 0, 1.27, 1.7, 1.7, 1.0),
        Pad("2", 0, -1.27, 1.7, 1.7, 1.0, round=True),
    ),
    (-1.33, -2.6, 1.33, 2.6),
)

NANO_PINS = {
    **dict(
        enumerate(
            [
                "D1",
                "D0",
                "RESET",
                "GND",
                "D2",
                "D3",
                "D4",
                "D5",
                "D6",
                "D7",
                "D8",
                "D9",
                "D10",
                "D11",
                "D12",
            ],
            1,
        )
    ),
    **dict(
        enumerate(
            [
                "D13",
                "3V3",
                "AREF",
                "A0",
                "A1",
                "A2",
                "A3",
                "A4",
                "A5",
                "A6",
                "A7",
                "5V",
                "RESET",
                "GND",
                "VIN",
            ],
            16,
        )
    ),
}
"""The pins of an Arduino Nano by their numbers."""


def snap(x: float, y: float) -> tuple[float, float]:
    """The nearest point of the grid."""
    return round(round(x / GRID) * GRID, 4), round(round(y / GRID) * GRID, 4)


def _controller() -> Part:
    pins = design.pins()
    nets = {"5V": SUPPLY, "GND": GROUND, **{f"A{m}": f"IN{m}" for m in range(4)}}
    nets |= {pin: f"S{bit}" for bit, pin in enumerate(pins.select)}
    nets |= {pins.levers[0]: "IN_W", pins.levers[1]: "IN_B", pins.buzzer: "BUZZER"}
    nets |= {pins.motor: "MOTOR", pins.motor_bridge: "M_BRIDGE"}
    nets |= {pins.lamp: "LAMP", pins.lamp_bridge: "L_BRIDGE"}
    return Part(
        "U1", "Arduino Nano in sockets", NANO, (35.56, 149.86), 270, True,
        {str(n): nets[pin] for n, pin in NANO_PINS.items() if pin in nets},
        {str(n): pin for n, pin in NANO_PINS.items()},
    )  # fmt: skip


def _multiplexers() -> list[Part]:
    parts = []
    channels = {(c.multiplexer, c.channel): c.square for c in design.connections()}
    for m in range(design.counts()["multiplexers"]):
        _, y = design.hole(f"a{2 * m + 1}")
        at = snap(149.86, y + design.SQUARE / 2)
        names = {1: "SIG", 10: "S0", 11: "S1", 12: "GND", 13: "S3", 14: "S2", 15: "EN", 24: "VCC"}
        nets = {1: f"SENSE{m}", 12: GROUND, 15: GROUND, 24: SUPPLY}
        nets |= {number: f"S{name[1]}" for number, name in names.items() if name in _SELECTS}
        for channel, number in enumerate(design.CHIP_PINS):
            names[number] = f"C{channel}"
            nets[number] = channels[m, channel]
        parts.append(
            Part(
                f"U{m + 2}",
                "CD74HC4067M",
                SOIC24,
                at,
                270,
                True,
                {str(n): net for n, net in nets.items()},
                {str(n): name for n, name in names.items()},
            )
        )
        x, y = at
        pull_up = ladder.value(round(ladder.Conditions().pull_up))
        parts += [
            _two(f"R{m + 1}", f"{pull_up} 1 %", (x + 13.335, y - 6.35), 0, f"SENSE{m}", SUPPLY),
            _two(f"C{m + 1}", "100 nF", (x + 13.335, y + 5.08), 0, GROUND, SUPPLY),
        ]
    return parts


_SELECTS = ("S0", "S1", "S2", "S3")


def _two(
    reference: str, value: str, at: tuple[float, float], turn: int, first: str, second: str,
    footprint: Footprint = R0805,
) -> Part:  # fmt: skip
    return Part(reference, value, footprint, snap(*at), turn, True, {"1": first, "2": second})


def _transistor(reference: str, value: str, at: tuple[float, float], net: str, load: str) -> Part:
    x, y = snap(*at)
    return Part(
        reference, value, SOT23, (x, round(y + 0.3175, 4)), 0, True,
        {"1": net, "2": GROUND, "3": load}, {"1": "B", "2": "E", "3": "C"},
    )  # fmt: skip


def _outside() -> list[Part]:
    """What goes to the levers, the buzzer, the motor and the lamp at the right."""
    x = 304.8
    return [
        _two("X1", "SW1 White's lever", (x, design.LEVER_Y[0]), 90, "LEVER_W", GROUND, XH2),
        _two("X2", "SW2 Black's lever", (x, design.LEVER_Y[1]), 90, "LEVER_B", GROUND, XH2),
        _two("X3", "BZ1 buzzer, 1 is plus", (x, design.BUZZER[1]), 90, OUTSIDE, "BUZZER_LOW", XH2),
        _two("X4", "MT1 motor", (x, design.MOTOR[1]), 90, "MOTOR_HIGH", "MOTOR_LOW", XH2),
        _two("X5", "LD1 lamp, 1 is plus", (x, design.LAMP[1]), 90, "LAMP_HIGH", GROUND, XH2),
        _two("F1", "0.2 A resettable", (292.0, 142.0), 0, SUPPLY, OUTSIDE, FUSE1812),
        _two("R5", "1 kΩ", (280.0, 156.0), 0, "BUZZER", "Q1_BASE"),
        _transistor("Q1", "MMBT2222A", (287.0, 156.0), "Q1_BASE", "BUZZER_LOW"),
        _two("D1", "1N4148W", (295.0, 156.0), 0, OUTSIDE, "BUZZER_LOW", SOD123),
        _two("R6", "1 kΩ", (280.0, 128.0), 0, "MOTOR", "Q2_BASE"),
        _transistor("Q2", "MMBT2222A", (287.0, 128.0), "Q2_BASE", "MOTOR_LOW"),
        _two("D2", "1N4148W", (295.0, 128.0), 0, "MOTOR_HIGH", "MOTOR_LOW", SOD123),
        _two("C6", "100 nF", (295.0, 122.0), 0, "MOTOR_HIGH", "MOTOR_LOW"),
        _two("R14", "22 Ω", (295.0, 134.0), 0, OUTSIDE, "MOTOR_HIGH", R1206),
        _two("R7", "220 Ω", (292.0, 175.0), 0, "LAMP", "LAMP_HIGH"),
        _two("C5", "47 µF", (62.0, 168.0), 0, SUPPLY, GROUND, RADIAL),
        _two("JP1", "motor fitted", (24.0, 132.0), 90, "M_BRIDGE", GROUND, BRIDGE),
        _two("JP2", "lamp fitted", (24.0, 124.0), 90, "L_BRIDGE", GROUND, BRIDGE),
    ]


def _clamped(
    number: int, at: tuple[float, float], pin: str, outside: str, diodes: str
) -> list[Part]:
    """A resistor from ``outside`` to a ``pin`` of the controller, and diodes at the pin that keep
    it between ground and supply: R8 and D3 are number 0."""
    x, y = snap(*at)
    return [
        _two(f"R{number + 8}", "1 kΩ", (x - 4.445, y), 90, pin, outside),
        Part(
            f"D{number + 3}",
            diodes,
            SOT23,
            (x, round(y + 0.3175, 4)),
            0,
            True,
            {"1": GROUND, "2": SUPPLY, "3": pin},
            {"1": "A1", "2": "K2", "3": "K1A2"},
        ),
    ]


def _protection() -> list[Part]:
    """Keeps what comes in through jacks and levers, such as a spark from a hand, from the
    controller. The diodes of the jacks leak little, because leakage changes the readings."""
    parts = []
    for m in range(4):
        parts += _clamped(m, (30.48, 166.37 + 8.89 * m), f"IN{m}", f"SENSE{m}", "BAV199")
    for lever, (pin, outside) in enumerate((("IN_W", "LEVER_W"), ("IN_B", "LEVER_B"))):
        parts += _clamped(4 + lever, (63.5, 132.08 - 8.89 * lever), pin, outside, "BAV99")
    return parts


def parts() -> list[Part]:
    """All parts of the board. Each jack is called as in the wiring table."""
    jacks = [
        Part(c.jack, c.square, JACK, design.hole(c.square), 90, False, {"T": c.square, "S": GROUND})
        for c in design.connections()
    ]
    return [_controller(), *_multiplexers(), *_outside(), *_protection(), *jacks]


@dataclass(frozen=True)
class Track:
    """A straight piece of copper of ``net`` with round ends."""

    net: str
    start: tuple[float, float]
    end: tuple[float, float]
    width: float
    below: bool


@dataclass(frozen=True)
class Via:
    """A plated hole that joins both sides."""

    net: str
    at: tuple[float, float]


def buses() -> tuple[list[Track], list[Via]]:
    """The wide lines of ground and supply, which are laid before anything else.

    Ground runs along each file through all sleeves, below, and across the board between the ranks
    that no multiplexer reads together, above. The supply runs across the middle and past all four
    multiplexers.
    """
    tracks, vias = [], []
    across = [snap(0, y)[1] for y in (34.29, 90.17, 209.55, 265.43)]
    left, right = snap(20.32, 0)[0], snap(309.88, 0)[0]
    for y in across:
        tracks.append(Track(GROUND, (left, y), (right, y), BUS, below=False))
    sleeve = next(pad.x for pad in JACK.pads if pad.name == "S"), 6.48
    for file in design.FILES:
        x = round(design.hole(f"{file}1")[0] - sleeve[1], 4)
        # The controller's rows of pins cross the a file.
        pieces = (across[0], 135.0, 165.0, across[3]) if file == "a" else (across[0], across[3])
        for low, high in zip(pieces[::2], pieces[1::2], strict=True):
            tracks.append(Track(GROUND, (x, low), (x, high), BUS, below=True))
        vias += [Via(GROUND, (x, y)) for y in across]
    for x, low, high in (
        (left, across[0], across[1]), (left, across[2], across[3]), (right, across[0], across[3]),
    ):  # fmt: skip
        tracks.append(Track(GROUND, (x, low), (x, high), BUS, below=True))
    vias += [Via(GROUND, (x, y)) for x in (left, right) for y in across]
    middle, column, end = snap(0, 148.59)[1], 167.64, snap(299.72, 0)[0]
    tracks.append(Track(SUPPLY, snap(58.42, middle), (end, middle), BUS, below=False))
    chips = [y for part in _multiplexers() if part.reference[0] == "U" for y in (part.at[1],)]
    low, high = snap(0, min(chips) - 6.35)[1], snap(0, max(chips) + 6.35)[1]
    tracks.append(Track(SUPPLY, (column, low), (column, high), BUS, below=True))
    vias.append(Via(SUPPLY, (column, middle)))
    return tracks, vias
