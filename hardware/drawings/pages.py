"""Writes the pages wiring.md and bom.md from the design."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass

import design
import ladder

WRITTEN = "Written by `drawings/draw.py`: change {source} and run that instead of this file."


@dataclass(frozen=True)
class Part:
    """A row of the bill of materials. ``needed`` and ``spare`` are in ``unit``, pieces if empty."""

    reference: str
    needed: int
    spare: int
    unit: str
    description: str
    look_for: str
    used: str


def parts() -> list[Part]:
    """All rows of bom.toml with their quantities.

    Raises :class:`KeyError` if a row names an unknown count.
    """
    data = tomllib.loads((design.HARDWARE / "bom.toml").read_text("utf-8"))
    counts, ohms = design.counts(), design.ohms()
    width, height = map(round, design.PANEL)
    inside = height - 2 * round(design.WALL)
    measures = {
        "panel": f"{width} mm by {height} mm",
        "wall": 2 * (width + inside),
        "wall_long": width,
        "wall_short": inside,
        "rail": width - 2 * round(design.WALL),
    }
    found = [
        Part(
            row["reference"],
            counts[row["count"]],
            row["spare"],
            row.get("unit", ""),
            row["description"].format(**measures),
            row["look_for"].format(**measures),
            row["used"],
        )
        for row in data["part"]
    ]
    row = data["pegs"]
    for n, piece in enumerate(ladder.ORDER, start=1):
        words = {"n": n, "value": ladder.value(ohms[piece]), "piece": ladder.describe(piece)}
        found.append(
            Part(
                row["reference"].format(**words),
                counts[f"peg {piece}"],
                row["spare"],
                "",
                row["description"].format(**words),
                row["look_for"],
                row["used"].format(**words),
            )
        )
    return found


def bom() -> str:
    """The text of bom.md."""
    lines = [
        "# Bill of materials",
        "",
        WRITTEN.format(source="`bom.toml`"),
        "",
        "For one board, its case and one set of pieces with "
        f"{design.SPARE_QUEENS} spare queens a side. *Buy* is the sum of *needed* and *spare*. "
        "The price column is for your own prices.",
        "",
        "| reference | needed | spare | buy | what | look for | where used | price |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for part in parts():
        unit = f" {part.unit}" if part.unit else ""
        lines.append(
            f"| {part.reference} | {part.needed}{unit} | {part.spare}{unit} "
            f"| {part.needed + part.spare}{unit} "
            f"| {part.description} | {part.look_for} | {part.used} | |"
        )
    lines += [
        "",
        f"The pegs of a set: {_pegs_in_words()}. The spare queens are for promotions, so that none "
        "has to wait for a captured one; one a side, as in [parts/ladder.md](parts/ladder.md), is "
        "enough for most games.",
        "",
    ]
    return "\n".join(lines)


def _pegs_in_words() -> str:
    pegs = design.pegs()
    names = [
        f"{count} {ladder.describe(piece)}{'s' if count > 1 else ''}"
        for piece, count in pegs.items()
    ]
    return f"{', '.join(names[:-1])} and {names[-1]}, {sum(pegs.values())} in all"


def _controller() -> list[str]:
    pins, count = design.pins(), design.counts()["multiplexers"]
    rows = [
        (
            f"A{m}",
            f"SIG of multiplexer A{m} (U{m + 2}) through R{m + 8}; from SIG R{m + 1} to +5 V",
        )
        for m in range(count)
    ]
    rows += [(pin, f"S{bit} of all four multiplexers") for bit, pin in enumerate(pins.select)]
    rows += [
        (
            pin,
            f"{player}'s lever (SW{lever + 1}) through R{lever + 12}; the other side of the button "
            "to ground",
        )
        for lever, (player, pin) in enumerate(zip(design.LEVER_DOTS, pins.levers, strict=True))
    ]
    rows += [
        (pins.buzzer, "R5, and from there the base of Q1"),
        (pins.motor, "with a motor: R6, and from there the base of Q2"),
        (pins.motor_bridge, "with a motor: ground, so that the board knows of it"),
        (pins.lamp, "with a lamp: R7, and from there plus of LD1"),
        (pins.lamp_bridge, "with a lamp: ground, so that the board knows of it"),
        (
            "5V",
            "the +5 V line: VCC of all four multiplexers, R1 to R4, C5, and F1; behind F1 plus of "
            "the buzzer and, through R14, of the motor",
        ),
        (
            "GND",
            "the ground line: EN and GND of all four, all sleeves, both levers, the emitters of Q1 "
            "and Q2, minus of LD1",
        ),
        (
            "A0 to A3, D2, D3",
            "besides: from each a diode to +5 V, its ring there, and one to ground, its ring at "
            "the pin (CL1 to CL12)",
        ),
        ("AREF, VIN, D0, D1", "nothing"),
    ]
    return [
        "| pin of the Nano or Uno | goes to |",
        "|---|---|",
        *(f"| {pin} | {goes} |" for pin, goes in rows),
    ]


def _halves(bit: int) -> tuple[str, str]:
    """The first two squares of multiplexer A0 that differ in this select line only."""
    first = design.connections()
    low = next(c for c in first if not c.channel & 1 << bit)
    high = next(
        c for c in first if c.channel == low.channel | 1 << bit and c.multiplexer == low.multiplexer
    )
    return low.square, high.square


def wiring() -> str:
    """The text of wiring.md."""
    lines = [
        "# Wiring",
        "",
        WRITTEN.format(source="the firmware or `drawings/design.py`"),
        "",
        "Each multiplexer has the name of the controller's pin that reads it: A0, A1, A2, A3. It "
        "serves two ranks, the lower one on channels 0 to 7 and the upper one on channels 8 to "
        "15, each from file a to file h.",
        "",
        "## The controller",
        "",
        *_controller(),
        "",
        "## The jacks",
        "",
        "The tip of each jack goes to a channel, its sleeve to ground. *Chip pin* is for a bare "
        "24-pin CD74HC4067; on a small board use the name C0 to C15. *Hole* is the middle of the "
        "hole on the panel, in millimetres from the left edge, then from White's edge. From below, "
        "left and right are exchanged: a1 is then at White's right.",
        "",
    ]
    for m in range(design.counts()["multiplexers"]):
        those = [c for c in design.connections() if c.multiplexer == m]
        lines += [
            f"### Multiplexer A{m} (U{m + 2}): {those[0].square} to {those[-1].square}",
            "",
            "| square | channel | jack | chip pin | hole |",
            "|---|---|---|---|---|",
        ]
        for c in those:
            x, y = design.hole(c.square)
            lines.append(
                f"| {c.square} | C{c.channel} | {c.jack} | {design.CHIP_PINS[c.channel]} "
                f"| {x:g}, {y:g} |"
            )
        lines.append("")
    lines += [
        "At a bare chip SIG is pin 1, S0 pin 10, S1 pin 11, GND pin 12, S3 pin 13, S2 pin 14, EN "
        "pin 15, VCC pin 24.",
        "",
        "## What a select line does",
        "",
        "If a select line is broken or not joined, the board confuses two squares. A piece in one "
        "of them shows at both, or at the wrong one. The same happens on all four multiplexers:",
        "",
        "| line | pin | squares that become one, for example |",
        "|---|---|---|",
    ]
    for bit, pin in enumerate(design.pins().select):
        low, high = _halves(bit)
        lines.append(f"| S{bit} | {pin} | {low} and {high} |")
    lines += [
        "",
        "## The pegs",
        "",
        "Measure between tip and sleeve of the finished peg; the resistance must be between the "
        "two limits, which are 1 % below and above the value.",
        "",
        "| piece | resistor | at least | at most | pegs |",
        "|---|---|---|---|---|",
    ]
    pegs = design.pegs()
    for piece, ohms in design.ohms().items():
        low, high = (f"{ohms * (1 + sign * 0.01):,.0f} Ω".replace(",", " ") for sign in (-1, 1))
        lines.append(
            f"| {ladder.describe(piece)} | {ladder.value(ohms)} | {low} | {high} | {pegs[piece]} |"
        )
    return "\n".join([*lines, ""])
