"""Draws the circuit diagram with schemdraw, and describes it in words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import design
import ladder
import schemdraw
import schemdraw.elements
import svg
from schemdraw.segments import Segment, SegmentPoly

elm: Any = schemdraw.elements  # only in part annotated


class Jack(schemdraw.elements.Element):  # type: ignore[no-untyped-call]
    """A mono jack seen from its tip: a spring, and the bush of the sleeve to its right."""

    def __init__(self, *d: object, **kwargs: object) -> None:
        super().__init__(*d, **kwargs)
        self.segments.append(Segment([(0, 0), (0.75, 0), (0.9, -0.16), (1.05, 0)]))
        self.segments.append(SegmentPoly([(1.3, -0.22), (1.45, -0.22), (1.45, 0.22), (1.3, 0.22)]))
        self.segments.append(Segment([(1.45, 0), (1.75, 0)]))
        self.anchors["tip"] = (0, 0)
        self.anchors["sleeve"] = (1.75, 0)


def _net(d: schemdraw.Drawing, at: Any, name: str, side: str) -> None:
    """A short wire that ends in the name of its net."""
    line = elm.Line().at(at).length(0.5)
    d += line.left() if side == "left" else line.right()
    width = 1.1 if len(name) < 4 else 1.7
    d += (
        elm.Tag(width=width, height=0.5).label(name, fontsize=9).theta(180 if side == "left" else 0)
    )


def _chip(name: str, left: Sequence[tuple[str, str]], right: Sequence[tuple[str, str]]) -> Any:
    """A box with named pins, each an (anchor, text), from top to bottom. Anchors are lower case."""
    pins = [
        elm.IcPin(text, side=side, anchorname=anchor)
        for side, names in (("L", left), ("R", right))
        for anchor, text in reversed(names)
    ]
    height = 0.8 * (max(len(left), len(right)) - 1) + 1.0
    return elm.Ic(
        pins=pins, size=(3.2, height), pinspacing=0.8, edgepadH=0.5, leadlen=0.4, fontsize=10
    ).label(name, "top", fontsize=12)


def _controller(d: schemdraw.Drawing) -> None:
    pins = design.pins()
    count = design.counts()["multiplexers"]
    nets = [("5V", "+5V"), *((f"A{m}", f"A{m}") for m in range(count)), ("GND", "GND")]
    right = [
        *((pin, f"S{bit}") for bit, pin in enumerate(pins.select)),
        (pins.levers[0], "LEVER W"),
        (pins.levers[1], "LEVER B"),
        (pins.buzzer, "BUZZER"),
        (pins.motor, "MOTOR"),
        (pins.motor_bridge, "M BRIDGE"),
        (pins.lamp, "LAMP"),
        (pins.lamp_bridge, "L BRIDGE"),
    ]
    chip = _chip(
        "U1 Nano or Uno\n(ATmega328P)",
        [(pin.lower(), pin) for pin, _ in nets],
        [(pin.lower(), pin) for pin, _ in right],
    )
    d += chip.right().at((0, 0)).anchor("center")
    for side, those in (("left", nets), ("right", right)):
        for pin, net in those:
            _net(d, getattr(chip, pin.lower()), net, side)
    d += elm.Label().at((0, -5.0)).label("USB to the computer", fontsize=10)


def _multiplexer(d: schemdraw.Drawing, number_of: int, at: tuple[float, float]) -> None:
    name = f"A{number_of}"
    channels = [(f"c{channel}", f"C{channel}") for channel in range(16)]
    left = [
        (16, "sig", "SIG"),
        *((11 - bit, f"s{bit}", f"S{bit}") for bit in range(4)),
        (5, "en", "EN"),
        (2, "vcc", "VCC"),
        (1, "gnd", "GND"),
    ]
    pins = [
        elm.IcPin(text, side="L", anchorname=anchor, slot=f"{slot}/16")
        for slot, anchor, text in left
    ] + [
        elm.IcPin(text, side="R", anchorname=anchor, slot=f"{16 - i}/16")
        for i, (anchor, text) in enumerate(channels)
    ]
    chip = elm.Ic(
        pins=pins, size=(3.2, 13.0), pinspacing=0.8, edgepadH=0.5, leadlen=0.4, fontsize=10
    ).label(f"U{number_of + 2} CD74HC4067 ({name})", "top", fontsize=12)
    d += chip.right().at(at).anchor("center")
    _net(d, chip.vcc, "+5V", "left")
    for bit in range(4):
        _net(d, getattr(chip, f"s{bit}"), f"S{bit}", "left")
    for pin in ("en", "gnd"):
        _net(d, getattr(chip, pin), "GND", "left")
    d += (wire := elm.Line().at(chip.sig).left().length(1.2))
    d += elm.Dot()
    d += elm.Line().at(wire.end).left().length(0.6)
    d += elm.Tag(width=1.3, height=0.5).label(f"SIG{number_of}", fontsize=9).theta(180)
    d += (
        elm.Resistor()
        .at(wire.end)
        .up()
        .length(2.4)
        .label(f"R{number_of + 1} 10 kΩ 1 %", fontsize=9)
    )
    d += elm.Vdd().label("+5V", fontsize=9)
    sleeves = []
    for connection in design.connections():
        if connection.multiplexer == number_of:
            start = getattr(chip, f"c{connection.channel}")
            d += elm.Line().at(start).right().length(0.8)
            d += (jack := Jack().right().anchor("tip"))
            d += (
                elm.Label()
                .at((start[0] + 0.65, start[1] + 0.03))
                .label(f"{connection.jack} {connection.square}", fontsize=9)
            )
            sleeves.append(jack.sleeve)
    d += elm.Line().at(sleeves[0]).to(sleeves[-1])
    d += elm.Ground().at(sleeves[-1])


def _levers(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    for lever, (player, dots) in enumerate(design.LEVER_DOTS.items()):
        x, y = at[0], at[1] - 1.6 * lever
        marks = "one raised dot" if dots == 1 else f"{dots} raised dots"
        d += (
            elm.Tag(width=1.6, height=0.5)
            .at((x, y))
            .theta(180)
            .label(f"LEVER {player[0]}", fontsize=9)
        )
        d += (
            elm.Button()
            .at((x, y))
            .right()
            .length(2)
            .label(f"SW{lever + 1} {player}, {marks}", "top", fontsize=9)
        )
        d += elm.Line().right().length(0.4)
        d += elm.Ground()


def _switched(
    d: schemdraw.Drawing,
    at: tuple[float, float],
    net: str,
    parts: tuple[str, str, str, str],
    capacitor: str = "",
) -> None:
    """A load that a transistor switches. ``parts`` are the labels of the resistor, the transistor,
    the load, the diode and the supply."""
    resistor, transistor_name, load, diode, supply = parts
    d += elm.Tag(width=1.6, height=0.5).at(at).theta(180).label(net, fontsize=9)
    d += elm.Resistor().at(at).right().length(2).label(resistor, fontsize=9)
    d += (
        transistor := elm.BjtNpn(circle=True)
        .anchor("base")
        .label(transistor_name, "right", fontsize=9)
    )
    d += elm.Line().at(transistor.emitter).down().length(0.5)
    d += elm.Ground()
    d += (stem := elm.Line().at(transistor.collector).up().length(0.6))
    d += elm.RBox().at(stem.end).up().length(1.8).label(load, "bottom", fontsize=9)
    d += (top := elm.Dot())
    d += elm.Vdd().label(supply, fontsize=9)
    d += (left := elm.Line().at(stem.end).left().length(1.1))
    d += elm.Diode().up().length(1.8).label(diode, "top", fontsize=9)
    d += elm.Line().to(top.center)
    if capacitor:
        d += elm.Line().at(left.end).left().length(2.6)
        d += elm.Capacitor().up().length(1.8).label(capacitor, "top", fontsize=9)
        d += elm.Line().right().length(2.6)


def _option(d: schemdraw.Drawing, at: tuple[float, float], what: str, net: str) -> None:
    """The heading of an option, and the bridge by which the board knows of it."""
    d += elm.Label().at((at[0] + 1.5, at[1])).label(f"Option: {what}", fontsize=12)
    bridge = (at[0], at[1] - 0.9)
    d += elm.Tag(width=1.8, height=0.5).at(bridge).theta(180).label(net, fontsize=9)
    d += elm.Line().at(bridge).right().length(1.2)
    d += elm.Ground()


def _lamp(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    d += elm.Tag(width=1.6, height=0.5).at(at).theta(180).label("LAMP", fontsize=9)
    d += elm.Resistor().at(at).right().length(2).label("R7 220 Ω", fontsize=9)
    d += elm.LED().right().length(2).label("LD1", "bottom", fontsize=9)
    d += elm.Ground()


def _decoupling(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    count = design.counts()["multiplexers"]
    for i in range(count + 1):
        x = at[0] + 1.9 * i
        bulk = i == count
        d += elm.Vdd().at((x, at[1])).label("+5V", fontsize=9)
        capacitor = elm.Capacitor(polar=bulk).at((x, at[1])).down().length(1.6)
        d += capacitor.label(f"C{i + 1}\n{'47 µF' if bulk else '100 nF'}", "bottom", fontsize=9)
        d += elm.Ground()
    d += (
        elm.Label()
        .at((at[0] + 3.8, at[1] - 2.7))
        .label(f"C1 to C{count} at U2 to U{count + 1}, C{count + 1} where +5V enters", fontsize=9)
    )


def _protection(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    """The same six times."""
    heading = "Each input: SIG0 to SIG3 to A0 to A3, LEVER W and B to D2 and D3"
    d += elm.Label().at((at[0] + 2.5, at[1] + 2.9)).label(heading, fontsize=12)
    d += elm.Tag(width=2.6, height=0.5).at(at).theta(180).label("SIG or LEVER", fontsize=9)
    d += (resistor := elm.Resistor().at(at).right().length(2.4))
    d += elm.Label().at((at[0] + 1.0, at[1] - 0.75)).label("R8 to R13 1 kΩ", fontsize=9)
    pin = resistor.end
    d += elm.Dot().at(pin)
    d += elm.Line().at(pin).right().length(1.2)
    d += elm.Tag(width=3.0, height=0.5).label("A0-A3, D2, D3", fontsize=9)
    d += elm.Diode().at(pin).up().length(1.7)
    d += elm.Vdd().label("+5V", fontsize=9)
    d += elm.Diode().at((pin[0], pin[1] - 1.7)).up().length(1.7)
    d += elm.Ground().at((pin[0], pin[1] - 1.7))
    d += elm.Label().at((pin[0] + 1.9, pin[1] - 1.2)).label("CL1 to CL12, two each", fontsize=9)


def _fused(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    d += elm.Label().at((at[0] + 3.5, at[1] + 2.9)).label("Supply of buzzer and motor", fontsize=12)
    d += elm.Vdd().at(at).label("+5V", fontsize=9)
    d += (fuse := elm.Fuse().at(at).right().length(2.2))
    for x, text in ((1.1, "F1 0.2 A"), (3.4, "R14 22 Ω")):
        d += elm.Label().at((at[0] + x, at[1] - 0.75)).label(text, fontsize=9)
    d += elm.Dot().at(fuse.end)
    d += elm.Line().at(fuse.end).up().length(1.2)
    d += elm.Line().right().length(1.0)
    d += elm.Tag(width=2.2, height=0.5).label("+5V OUT", fontsize=9)
    d += elm.Resistor().at(fuse.end).right().length(2.4)
    d += elm.Tag(width=2.2, height=0.5).label("M+", fontsize=9)


def _pegs(d: schemdraw.Drawing, at: tuple[float, float]) -> None:
    set_of_pegs, ohms = design.pegs(), design.ohms()
    d += (
        elm.Label()
        .at((at[0] + 14.5, at[1] + 1.2))
        .label(
            "The pegs: a mono plug each, with a resistor from tip (left) to sleeve (right)",
            fontsize=12,
        )
    )
    for i, piece in enumerate(ladder.ORDER):
        x, y = at[0] + 5.6 * (i % 6), at[1] - 1.9 * (i // 6)
        d += elm.Dot(open=True).at((x, y))
        d += (
            elm.Resistor()
            .at((x, y))
            .right()
            .length(2.6)
            .label(f"{ladder.value(ohms[piece])} 1 %", "top", fontsize=9)
        )
        d += elm.Dot(open=True)
        d += (
            elm.Label()
            .at((x + 1.3, y - 0.75))
            .label(f"{ladder.describe(piece)}, {set_of_pegs[piece]}", fontsize=9)
        )


def _in_words() -> str:
    pins, ohms = design.pins(), design.ohms()
    sentences = [
        "Controller U1 is an Arduino Nano or Uno with an ATmega328P.",
        "U2 to U5 are four CD74HC4067 multiplexers, each with 16 channels.",
    ]
    for m in range(design.counts()["multiplexers"]):
        those = [c for c in design.connections() if c.multiplexer == m]
        sentences.append(
            f"U{m + 2}: SIG goes through R{m + 8}, 1 kΩ, to A{m} of U1 and through R{m + 1}, "
            "10 kΩ, to +5 V; channels 0 to "
            f"15 go to the tips of jacks {those[0].jack} to {those[-1].jack}, squares "
            f"{those[0].square} to {those[7].square} and {those[8].square} to {those[-1].square}."
        )
    selects = ", ".join(f"S{bit} to {pin}" for bit, pin in enumerate(pins.select))
    values = ", ".join(
        f"{ladder.describe(piece)} {ladder.value(ohms[piece])}" for piece in ladder.ORDER
    )
    return " ".join(
        [
            *sentences,
            f"The select lines of all four are joined: {selects}.",
            "EN and GND of all four go to ground, VCC to +5 V, with 100 nF at each (C1 to C4) and "
            "47 µF (C5) where +5 V enters.",
            "The sleeves of all 64 jacks go to ground.",
            f"White's lever SW1 joins {pins.levers[0]}, through R12, 1 kΩ, to ground while "
            f"pressed, Black's lever SW2 joins {pins.levers[1]} through R13.",
            "At each of A0 to A3 and of these two pins a diode leads to +5 V, its ring there, and "
            "another one to ground, its ring at the pin: CL1 to CL12.",
            "Fuse F1, 0.2 A, resettable, feeds the buzzer and the motor from +5 V.",
            f"{pins.buzzer} goes through R5, 1 kΩ, to the base of NPN transistor Q1, whose emitter "
            "is at ground and whose collector is at the buzzer's minus; the buzzer's plus is "
            "behind F1; diode D1 lies across the buzzer, its ring at plus.",
            f"Option, a vibration motor: {pins.motor} goes through R6, 1 kΩ, to the base of NPN "
            "transistor Q2, whose emitter is at ground and whose collector is at one wire of motor "
            "MT1; R14, 22 Ω, leads from behind F1 to the motor's other wire; diode D2, its ring at "
            "this wire, and C6, 100 nF, "
            f"lie across the motor; {pins.motor_bridge} is joined to ground.",
            f"Option, a lamp: {pins.lamp} goes through R7, 220 Ω, to plus of light-emitting diode "
            f"LD1, whose minus is at ground; {pins.lamp_bridge} is joined to ground.",
            "Each peg is a mono plug with a resistor between tip and sleeve: " + values + ".",
        ]
    )


def draw() -> str:
    """The circuit diagram as SVG."""
    schemdraw.use("svg")
    schemdraw.svgconfig.text = "text"  # paths would depend on the font library of the computer
    d = schemdraw.Drawing(show=False)
    d.config(unit=2, fontsize=10, font="sans-serif", lw=1.2)
    _controller(d)
    for m in range(design.counts()["multiplexers"]):
        _multiplexer(d, m, (10.5 + 11.0 * m, -4.2))
    _levers(d, (-1.4, -6.4))
    buzzer = ("R5 1 kΩ", "Q1 NPN", "BZ1 +\n5 V", "D1 1N4148", "+5V OUT")
    _switched(d, (-2.0, -13.2), "BUZZER", buzzer)
    _option(d, (-11.0, -7.6), "vibration motor", "M BRIDGE")
    motor = ("R6 1 kΩ", "Q2 NPN", "MT1 \n3 V", "D2 1N4148", "M+")
    _switched(d, (-10.4, -13.2), "MOTOR", motor, "C6 100 nF")
    _option(d, (-11.0, 0.6), "lamp", "L BRIDGE")
    _lamp(d, (-11.0, -2.0))
    _decoupling(d, (-3.6, -17.0))
    _protection(d, (11.0, -20.4))
    _fused(d, (26.0, -20.4))
    _pegs(d, (8.0, -14.4))
    text = d.get_imagedata("svg").decode("utf-8")
    # The last digits of trigonometry differ between computers.
    text = re.sub(r"-?\d+\.\d+(?:e-?\d+)?", lambda match: svg.number(float(match[0])), text)
    text = re.sub(r"(?<![\w.#])-0(?![\w.])", "0", text)
    text = text.replace('font-family="sans"', 'font-family="sans-serif"')  # no font has this name
    body = text[text.index(">", text.index("<svg")) + 1 : text.rindex("</svg>")]
    box = re.search(r'viewBox="([^"]+)"', text)
    assert box is not None
    left, top, width, height = (float(part) for part in box[1].split())
    return svg.document(
        "Schematic of the pegged board",
        _in_words(),
        (left - 10, top - 10, width + 20, height + 20),
        "px",
        [re.sub(r">(?=<(?:path|text|circle|ellipse|rect|g)\b)", ">\n", body)],
    )
