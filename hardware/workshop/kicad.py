"""Writes the printed board and its schematic as a project of KiCad 8 or newer."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Sequence
from itertools import pairwise

import circuit
import lettering
from circuit import Part, PlacedPad, Track, Via

_SPACE = uuid.UUID("4c0ad2b6-6d0e-4b5e-9f0b-3a8f6a1f2a10")
_ROOT = str(uuid.uuid5(_SPACE, "sheet"))

TITLE = "The pegged board of BlindPlay"

_MIDDLE = 300.0
"""KiCad counts y downwards."""


def _id(*what: object) -> str:
    """The same identifier for the same thing, whenever it is written."""
    return f'(uuid "{uuid.uuid5(_SPACE, " ".join(map(str, what)))}")'


def _n(value: float) -> str:
    return f"{round(value, 4) + 0.0:g}"


def _at(x: float, y: float) -> str:
    return f"{_n(x)} {_n(_MIDDLE - y)}"


# --- the board ---------------------------------------------------------------------------------


def _unjoined(pad: PlacedPad, part: Part) -> str:
    """The net that KiCad invents for a pad which the schematic leaves open."""
    name = part.pins.get(pad.name, "")
    return f"unconnected-({part.reference}-{name + '-' if name else ''}Pad{pad.name})"


def _net_of(pad: PlacedPad, part: Part) -> str:
    return pad.net or (_unjoined(pad, part) if pad.name else "")


def orientation(part: Part) -> int:
    """The angle that KiCad gives the part, counter-clockwise in degrees.

    KiCad mirrors a part that is turned over at its horizontal axis, circuit.py at its upright one.
    """
    return (part.turn + (180 if part.below else 0)) % 360


def _local(part: Part, x: float, y: float) -> tuple[float, float]:
    """A point of the footprint as KiCad keeps it."""
    return x, y if part.below else -y


def _pad(pad: PlacedPad, part: Part, numbers: dict[str, int], index: int) -> str:
    kind = "smd" if not pad.drill else "thru_hole" if pad.plated else "np_thru_hole"
    side = "B" if pad.below else "F"
    layers = '"*.Cu" "*.Mask"' if pad.drill else f'"{side}.Cu" "{side}.Paste" "{side}.Mask"'
    net = _net_of(pad, part)
    own = part.footprint.pads[index]
    x, y = _local(part, own.x, own.y)
    return (
        f'(pad "{pad.name}" {kind} {"circle" if pad.round else "rect"} '
        f"(at {_n(x)} {_n(y)} {orientation(part)}) (size {_n(own.width)} {_n(own.height)}) "
        + (f"(drill {_n(pad.drill)}) " if pad.drill else "")
        + f"(layers {layers}) "
        + (f'(net {numbers[net]} "{net}") ' if net else "")
        + _id("pad", part.reference, pad.name, index)
        + ")"
    )


def _footprint(part: Part, numbers: dict[str, int]) -> list[str]:
    side = "B" if part.below else "F"
    mirror = " (justify mirror)" if part.below else ""
    font = f"(effects (font (size 1 1) (thickness 0.15)){mirror})"
    kind = "through_hole" if any(pad.drill for pad in part.footprint.pads) else "smd"
    lines = [
        f'(footprint "blindplay:{part.footprint.name}" (layer "{side}.Cu") '
        f"{_id('footprint', part.reference)} (at {_at(*part.at)} {orientation(part)})",
        f'(property "Reference" "{part.reference}" (at 0 0) (layer "{side}.Fab") (hide yes) '
        f"{_id('reference', part.reference)} {font})",
        f'(property "Value" "{part.value}" (at 0 2) (layer "{side}.Fab") (hide yes) '
        f"{_id('value', part.reference)} {font})",
        f'(path "/{uuid.uuid5(_SPACE, "symbol " + part.reference)}")',
        f"(attr {kind})",
    ]
    body = part.footprint.body
    (x1, y1), (x2, y2) = _local(part, *body[:2]), _local(part, *body[2:])
    margin = 0.25
    for layer, more, width in (("Fab", 0.0, 0.1), ("CrtYd", margin, 0.05)):
        low = (min(x1, x2) - more, min(y1, y2) - more)
        high = (max(x1, x2) + more, max(y1, y2) + more)
        lines.append(
            f"(fp_rect (start {_n(low[0])} {_n(low[1])}) (end {_n(high[0])} {_n(high[1])}) "
            f"(stroke (width {width}) (type solid)) (fill none) "
            f'(layer "{side}.{layer}") {_id(layer, part.reference)})'
        )
    lines += [_pad(pad, part, numbers, i) for i, pad in enumerate(part.pads())]
    return [*lines, ")"]


_LAYERS = """(layers
(0 "F.Cu" signal) (31 "B.Cu" signal)
(32 "B.Adhes" user "B.Adhesive") (33 "F.Adhes" user "F.Adhesive")
(34 "B.Paste" user) (35 "F.Paste" user)
(36 "B.SilkS" user "B.Silkscreen") (37 "F.SilkS" user "F.Silkscreen")
(38 "B.Mask" user) (39 "F.Mask" user)
(40 "Dwgs.User" user "User.Drawings") (41 "Cmts.User" user "User.Comments")
(44 "Edge.Cuts" user) (45 "Margin" user)
(46 "B.CrtYd" user "B.Courtyard") (47 "F.CrtYd" user "F.Courtyard")
(48 "B.Fab" user) (49 "F.Fab" user)
)"""


def pcb(parts: Sequence[Part], tracks: Iterable[Track], vias: Iterable[Via]) -> str:
    """The text of the .kicad_pcb file."""
    numbers: dict[str, int] = {}
    for part in parts:
        for pad in part.pads():
            if net := _net_of(pad, part):
                numbers.setdefault(net, len(numbers) + 1)
    left, near, right, far = circuit.OUTLINE
    lines = [
        '(kicad_pcb (version 20240108) (generator "blindplay") (generator_version "8.0")',
        "(general (thickness 1.6))",
        '(paper "A3")',
        f'(title_block (title "{TITLE}"))',
        _LAYERS,
        "(setup (pad_to_mask_clearance 0.05))",
        '(net 0 "")',
        *(f'(net {number} "{net}")' for net, number in numbers.items()),
    ]
    for part in parts:
        lines += _footprint(part, numbers)
    for i, (x, y) in enumerate(circuit.MOUNTS):
        size = circuit.MOUNT_HOLE
        lines.append(
            f'(footprint "blindplay:MountingHole" (layer "F.Cu") {_id("mount", i)} '
            f"(at {_at(x, y)}) "
            f'(property "Reference" "H{i + 1}" (at 0 0) (layer "F.Fab") (hide yes) '
            f"{_id('mount reference', i)} (effects (font (size 1 1)))) "
            "(attr exclude_from_pos_files exclude_from_bom board_only) "
            f'(pad "" np_thru_hole circle (at 0 0) (size {size} {size}) (drill {size}) '
            f'(layers "*.Cu" "*.Mask") {_id("mount pad", i)}))'
        )
    lines.append(
        f"(gr_rect (start {_at(left, near)}) (end {_at(right, far)}) "
        f'(stroke (width 0.1) (type solid)) (fill none) (layer "Edge.Cuts") {_id("outline")})'
    )
    for i, (below, points) in enumerate(lettering.of_board(parts)):
        for j, (start, end) in enumerate(pairwise(points)):
            lines.append(
                f"(gr_line (start {_at(*start)}) (end {_at(*end)}) "
                f"(stroke (width {lettering.PEN}) (type solid)) "
                f'(layer "{"B" if below else "F"}.SilkS") {_id("ink", i, j)})'
            )
    for i, track in enumerate(tracks):
        lines.append(
            f"(segment (start {_at(*track.start)}) (end {_at(*track.end)}) "
            f'(width {_n(track.width)}) (layer "{"B" if track.below else "F"}.Cu") '
            f"(net {numbers[track.net]}) {_id('track', i)})"
        )
    for i, via in enumerate(vias):
        lines.append(
            f"(via (at {_at(*via.at)}) (size {circuit.VIA}) (drill {circuit.VIA_HOLE}) "
            f'(layers "F.Cu" "B.Cu") (net {numbers[via.net]}) {_id("via", i)})'
        )
    return "\n".join([*lines, ")", ""])


# --- the schematic -----------------------------------------------------------------------------

_GRID = 2.54


def _kind(part: Part) -> str:
    """The name of the part's symbol."""
    if part.footprint is circuit.NANO:
        return "Arduino_Nano"
    if part.footprint is circuit.SOIC24:
        return "CD74HC4067"
    if part.footprint is circuit.JACK:
        return "Jack_mono"
    if part.footprint is circuit.SOT23:
        return "".join(["SOT23_", *part.pins.values()])
    if part.footprint in (circuit.XH2, circuit.BRIDGE):
        return "Connector_2"
    return {"R": "Resistor", "C": "Capacitor", "D": "Diode", "F": "Fuse"}[part.reference[0]]


def _sides(part: Part) -> tuple[list[str], list[str]]:
    """The pads at the left and at the right of the symbol, from top to bottom."""
    names = [pad.name for pad in part.footprint.pads if pad.name]
    if part.footprint is circuit.SOIC24:
        channels = sorted(
            (n for n in names if part.pins[n][0] == "C"), key=lambda n: int(part.pins[n][1:])
        )
        return ["24", "1", "10", "11", "14", "13", "15", "12"], channels
    if part.footprint is circuit.JACK:
        return ["T", "TN", "S"], []
    if part.footprint in (circuit.XH2, circuit.BRIDGE):
        return ["1", "2"], []
    return names[: (len(names) + 1) // 2], names[(len(names) + 1) // 2 :][::-1]


def _electrical(part: Part, name: str) -> str:
    """KiCad's type of a pin, for its check of the circuit."""
    pin = part.pins.get(name, "")
    if part.footprint is circuit.NANO:
        if name in ("27", "4"):
            return "power_out"
        if (pin.startswith("D") and part.nets.get(name, "")[:1] in ("S", "B")) or part.nets.get(
            name
        ) in ("MOTOR", "LAMP"):
            return "output"
        return "input" if pin.startswith(("A", "D")) and name in part.nets else "passive"
    if part.footprint is circuit.SOIC24:
        if pin in ("VCC", "GND"):
            return "power_in"
        return "input" if pin[0] in "SE" and pin != "SIG" else "bidirectional"
    return "passive"


def _height(part: Part) -> int:
    return max(map(len, _sides(part)))


def _width(part: Part) -> float:
    return {2: 2}.get(len(part.footprint.pads), 4 if part.footprint is circuit.JACK else 8) * _GRID


def _pins(part: Part) -> list[tuple[str, float, float, int]]:
    """Each pad with the place of its end in the symbol, y up, and the direction of the pin."""
    half, rows = _width(part) / 2 + _GRID, _height(part)
    top = round((rows - 1) / 2) * _GRID
    left, right = _sides(part)
    return [
        *((name, -half, top - i * _GRID, 0) for i, name in enumerate(left)),
        *((name, half, top - i * _GRID, 180) for i, name in enumerate(right)),
    ]


def _symbol(part: Part) -> list[str]:
    kind, half = _kind(part), _width(part) / 2
    ends = [y for _, _, y, _ in _pins(part)]
    top, low = max(ends) + 1.27, min(ends) - 1.27
    small = "(effects (font (size 1.27 1.27)))"
    two = len(part.footprint.pads) == 2
    lines = [
        f'(symbol "blindplay:{kind}" '
        + ("(pin_numbers hide) " if two else "")
        + f"(pin_names (offset 1.016){' hide' if two else ''}) (in_bom yes) (on_board yes)",
        f'(property "Reference" "{part.reference[0]}" (at 0 {_n(top + 1.27)} 0) {small})',
        f'(property "Value" "{kind}" (at 0 {_n(low - 1.27)} 0) {small})',
        '(property "Footprint" "" (at 0 0 0) (effects (font (size 1.27 1.27)) hide))',
        '(property "Datasheet" "" (at 0 0 0) (effects (font (size 1.27 1.27)) hide))',
        f'(symbol "{kind}_0_1" (rectangle (start {_n(-half)} {_n(top)}) (end {_n(half)} {_n(low)}) '
        "(stroke (width 0.254) (type default)) (fill (type background))))",
        f'(symbol "{kind}_1_1"',
    ]
    for name, x, y, turn in _pins(part):
        shown = part.pins.get(name) or ("~" if two else name)
        lines.append(
            f"(pin {_electrical(part, name)} line (at {_n(x)} {_n(y)} {turn}) (length {_GRID}) "
            f'(name "{shown}" {small}) (number "{name}" {small}))'
        )
    return [*lines, "))"]


def _places(parts: Sequence[Part]) -> dict[str, tuple[float, float]]:
    """Where each symbol stands on the sheet: the jacks as on the board, seen from above."""
    places: dict[str, tuple[float, float]] = {}
    at = {part.reference: part for part in parts}
    files, ranks = 15, 6
    for part in parts:
        if part.footprint is circuit.JACK:
            column = circuit.design.FILES.index(part.value[0])
            places[part.reference] = (90 + files * column, 14 + ranks * (8 - int(part.value[1])))
    places["U1"] = (20, 20)
    for m in range(4):
        places[f"U{m + 2}"] = (20 + 36 * m, 76)
    others = [r for r in at if r not in places]
    for i, reference in enumerate(others):
        places[reference] = (16 + 22 * (i % 9), 100 + 6 * (i // 9))
    return {r: (x * _GRID, y * _GRID) for r, (x, y) in places.items()}


def schematic(parts: Sequence[Part]) -> str:
    """The text of the .kicad_sch file. A label at each pin names its net."""
    small = "(effects (font (size 1.27 1.27)))"
    hidden = "(effects (font (size 1.27 1.27)) hide)"
    lines = [
        '(kicad_sch (version 20231120) (generator "blindplay") (generator_version "8.0")',
        f'(uuid "{_ROOT}") (paper "A2") (title_block (title "{TITLE}"))',
        "(lib_symbols",
    ]
    seen = set()
    for part in parts:
        if _kind(part) not in seen:
            seen.add(_kind(part))
            lines += _symbol(part)
    lines.append(")")
    for part in parts:
        x, y = _places(parts)[part.reference]
        ends = [-end for _, _, end, _ in _pins(part)]
        above, below = y + min(ends) - 2.54, y + max(ends) + 2.54
        identity = uuid.uuid5(_SPACE, "symbol " + part.reference)
        lines += [
            f'(symbol (lib_id "blindplay:{_kind(part)}") (at {_n(x)} {_n(y)} 0) (unit 1) '
            f'(in_bom yes) (on_board yes) (dnp no) (uuid "{identity}")',
            f'(property "Reference" "{part.reference}" (at {_n(x)} {_n(above)} 0) {small})',
            f'(property "Value" "{part.value}" (at {_n(x)} {_n(below)} 0) {small})',
            f'(property "Footprint" "blindplay:{part.footprint.name}" '
            f"(at {_n(x)} {_n(y)} 0) {hidden})",
            f'(property "Datasheet" "" (at {_n(x)} {_n(y)} 0) {hidden})',
            *(f'(pin "{name}" {_id("pin", part.reference, name)})' for name, *_ in _pins(part)),
            f'(instances (project "blindplay-board" (path "/{_ROOT}" '
            f'(reference "{part.reference}") (unit 1)))))',
        ]
        for name, px, py, turn in _pins(part):
            spot = f"{_n(x + px)} {_n(y - py)}"
            if net := part.nets.get(name):
                label_turn, justify = (180, "right") if turn == 0 else (0, "left")
                lines.append(
                    f'(global_label "{net}" (shape passive) (at {spot} {label_turn}) '
                    f"(effects (font (size 1.27 1.27)) (justify {justify})) "
                    f"{_id('label', part.reference, name)})"
                )
            else:
                lines.append(f"(no_connect (at {spot}) {_id('open', part.reference, name)})")
    lines.append('(sheet_instances (path "/" (page "1")))')
    return "\n".join([*lines, ")", ""])


def project() -> str:
    """The text of the .kicad_pro file, with the rules that the tracks keep."""
    return json.dumps(
        {
            "board": {
                "design_settings": {
                    "rules": {
                        "min_clearance": circuit.CLEARANCE,
                        "min_copper_edge_clearance": circuit.EDGE,
                        "min_hole_to_hole": 0.25,
                        "min_hole_clearance": 0.2,
                        "min_through_hole_diameter": circuit.VIA_HOLE,
                        "min_track_width": circuit.TRACK,
                        "min_via_annular_width": 0.13,
                        "min_via_diameter": circuit.VIA,
                    },
                    # Footprints and symbols live in the project itself.
                    "rule_severities": {"lib_footprint_issues": "ignore"},
                }
            },
            "erc": {
                "rule_severities": {
                    "lib_symbol_issues": "ignore",
                    "footprint_link_issues": "ignore",
                }
            },
            "meta": {"filename": "blindplay-board.kicad_pro", "version": 1},
            "net_settings": {
                "classes": [
                    {
                        "name": "Default", "clearance": circuit.CLEARANCE,
                        "track_width": circuit.TRACK, "via_diameter": circuit.VIA,
                        "via_drill": circuit.VIA_HOLE,
                    }
                ]
            },
        },
        indent=2,
    ) + "\n"  # fmt: skip
