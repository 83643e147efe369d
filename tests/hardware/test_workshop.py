"""The files for a workshop fit the design, and their copper joins what the firmware reads.

The printed board is judged by its Gerber and drill files alone: they are what a maker gets.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import re
import struct
import sys
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise, product
from math import dist, pi
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tests import ROOT
from tests.once import MadeOnce

WORKSHOP = ROOT / "hardware" / "workshop"
SVG = "{http://www.w3.org/2000/svg}"
Point = tuple[float, float]
Corner = tuple[float, float, float]
Triangles = list[tuple[Corner, Corner, Corner]]


def _load(name: str) -> Any:
    """Import a module of hardware/workshop, which is a folder of scripts and no package."""
    sys.path.insert(0, str(WORKSHOP))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(WORKSHOP))


circuit, orders, routing, workshop = map(_load, ("circuit", "orders", "routing", "workshop"))
design, ladder = circuit.design, circuit.ladder

pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in ("ezdxf", "manifold3d")),
    reason="ezdxf and manifold3d are not installed; run: make test",
)


# --- the printed board -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def board_files(made_once: MadeOnce) -> Path:
    return made_once("circuit-board", workshop.circuit_board)


def _packed(folder: Path) -> dict[str, str]:
    with zipfile.ZipFile(folder / "gerber.zip") as packed:
        return {
            name.removeprefix("blindplay-board-"): packed.read(name).decode("ascii")
            for name in packed.namelist()
        }


@dataclass(frozen=True)
class Shape:
    """Copper, ink or an opening: all within ``radius`` of a point, a line or a box."""

    corners: tuple[Point, ...]
    radius: float

    def edges(self) -> list[tuple[Point, Point]]:
        if len(self.corners) == 1:
            return [(self.corners[0], self.corners[0])]
        ends = self.corners if len(self.corners) == 2 else (*self.corners, self.corners[0])
        return list(pairwise(ends))

    def box(self, more: float = 0.0) -> tuple[float, float, float, float]:
        xs, ys = zip(*self.corners, strict=True)
        far = self.radius + more
        return min(xs) - far, min(ys) - far, max(xs) + far, max(ys) + far

    def holds(self, x: float, y: float) -> bool:
        left, low, right, high = Shape(self.corners, 0).box()
        return len(self.corners) == 4 and left <= x <= right and low <= y <= high


def _point_to_line(p: Point, a: Point, b: Point) -> float:
    length = dist(a, b) ** 2
    if not length:
        return dist(p, a)
    along = ((p[0] - a[0]) * (b[0] - a[0]) + (p[1] - a[1]) * (b[1] - a[1])) / length
    along = max(0.0, min(1.0, along))
    return dist(p, (a[0] + along * (b[0] - a[0]), a[1] + along * (b[1] - a[1])))


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _gap(one: Shape, other: Shape) -> float:
    """The distance between two shapes; 0 or less if they touch."""
    if any(one.holds(*p) for p in other.corners) or any(other.holds(*p) for p in one.corners):
        return -one.radius - other.radius
    nearest = min(
        0.0
        if _cross(a, b, c, d)
        else min(
            _point_to_line(a, c, d),
            _point_to_line(b, c, d),
            _point_to_line(c, a, b),
            _point_to_line(d, a, b),
        )
        for (a, b), (c, d) in product(one.edges(), other.edges())
    )
    return nearest - one.radius - other.radius


def read_gerber(text: str) -> list[Shape]:
    """The shapes of a Gerber file. Raises :class:`ValueError` at anything it does not know."""
    apertures: dict[str, tuple[float, ...]] = {}
    size: tuple[float, ...] = (0.0,)
    shapes, at = [], (0.0, 0.0)
    *lines, last, empty = text.split("\n")
    if (last, empty) != ("M02*", "") or "%FSLAX46Y46*%" not in lines or "%MOMM*%" not in lines:
        raise ValueError("format, unit or end is missing")
    for line in lines:
        if found := re.fullmatch(r"%ADD(\d\d)C,([\d.]+)\*%", line):
            apertures[found[1]] = (float(found[2]),)
        elif found := re.fullmatch(r"%ADD(\d\d)R,([\d.]+)X([\d.]+)\*%", line):
            apertures[found[1]] = (float(found[2]), float(found[3]))
        elif found := re.fullmatch(r"D(\d\d)\*", line):
            size = apertures[found[1]]
        elif found := re.fullmatch(r"X(-?\d+)Y(-?\d+)D0([123])\*", line):
            to = (int(found[1]) / 1e6, int(found[2]) / 1e6)
            if found[3] == "1":
                if len(size) > 1:
                    raise ValueError(f"line with a box: {line}")
                shapes.append(Shape((at, to), size[0] / 2))
            elif found[3] == "3" and len(size) == 1:
                shapes.append(Shape((to,), size[0] / 2))
            elif found[3] == "3":
                (x, y), (w, h) = to, size
                corners = ((-w, -h), (w, -h), (w, h), (-w, h))
                shapes.append(Shape(tuple((x + dx / 2, y + dy / 2) for dx, dy in corners), 0))
            at = to
        elif not re.fullmatch(r"%(TF\.[^%]+|FSLAX46Y46|MOMM|LPD)\*%|G01\*", line):
            raise ValueError(f"unknown: {line}")
    return shapes


def read_drills(text: str) -> list[tuple[float, Point]]:
    """Diameter and middle of each hole. Raises :class:`ValueError` at anything it does not know."""
    tools: dict[str, float] = {}
    holes, tool = [], ""
    for line in text.splitlines():
        if found := re.fullmatch(r"(T\d+)C([\d.]+)", line):
            tools[found[1]] = float(found[2])
        elif re.fullmatch(r"T\d+", line):
            tool = line
        elif found := re.fullmatch(r"X([\d.]+)Y([\d.]+)", line):
            holes.append((tools[tool], (float(found[1]), float(found[2]))))
        elif line not in ("M48", "FMAT,2", "METRIC", "%", "G90", "G05", "M30") and line[0] != ";":
            raise ValueError(f"unknown: {line}")
    return holes


def _neighbours(shapes: list[Shape], reach: float) -> Iterator[tuple[int, int]]:
    """Each pair of shapes whose boxes come within ``reach``."""
    cell = 10.0
    cells: dict[tuple[int, int], list[int]] = defaultdict(list)
    boxes = [shape.box(reach / 2) for shape in shapes]
    for i, (left, low, right, high) in enumerate(boxes):
        for x in range(int(left // cell), int(right // cell) + 1):
            for y in range(int(low // cell), int(high // cell) + 1):
                cells[x, y].append(i)
    pairs = {pair for inside in cells.values() for pair in combinations(inside, 2)}
    for i, j in sorted(pairs):
        (l1, b1, r1, t1), (l2, b2, r2, t2) = boxes[i], boxes[j]
        if l1 <= r2 and l2 <= r1 and b1 <= t2 and b2 <= t1:
            yield i, j


class Copper:
    """Both sides of the printed board as the files draw them, and what touches what."""

    def __init__(self, files: dict[str, str]) -> None:
        self.sides = [read_gerber(files["F_Cu.gtl"]), read_gerber(files["B_Cu.gbl"])]
        self.leader: dict[tuple[int, int], tuple[int, int]] = {}
        self.apart = [9.0, 9.0]
        close: list[tuple[int, int, int, float]] = []
        for side, shapes in enumerate(self.sides):
            for i, j in _neighbours(shapes, 0.6):
                gap = _gap(shapes[i], shapes[j])
                if gap <= 1e-6:
                    self._join((side, i), (side, j))
                else:
                    close.append((side, i, j, gap))
        for _, (x, y) in read_drills(files["PTH.drl"]):
            through = [self.at(side, x, y) for side in (0, 1)]
            self._join(*through)
        self.nearest = min(
            gap for side, i, j, gap in close if self._first((side, i)) != self._first((side, j))
        )

    def _first(self, item: tuple[int, int]) -> tuple[int, int]:
        while item in self.leader:
            item = self.leader[item]
        return item

    def _join(self, one: tuple[int, int], other: tuple[int, int]) -> None:
        one, other = self._first(one), self._first(other)
        if one != other:
            self.leader[one] = other

    def at(self, side: int, x: float, y: float) -> tuple[int, int]:
        """The flash in the middle of a pad or a via."""
        for i, shape in enumerate(self.sides[side]):
            if len(shape.corners) != 2:
                left, low, right, high = shape.box()
                if left < x < right and low < y < high:
                    return side, i
        raise AssertionError(f"no copper at {x}, {y}")

    def net(self, pad: Any) -> tuple[int, int]:
        """The piece of copper that a pad belongs to: the same for all that it is joined to."""
        return self._first(self.at(int(pad.below), pad.x, pad.y))


@pytest.fixture(scope="module")
def copper(board_files: Path) -> Copper:
    return Copper(_packed(board_files))


def _pads() -> dict[tuple[str, str], Any]:
    return {
        (pad.part, pad.name): pad for part in circuit.parts() for pad in part.pads() if pad.name
    }


def test_copper_joins_each_jack_to_the_channel_at_which_the_firmware_reads_its_square(
    copper: Copper,
) -> None:
    pads = _pads()
    # The data sheet of the CD74HC4067: channels 0 to 7 are pins 9 to 2, 8 to 15 pins 23 to 16.
    pin_of = {c: str(9 - c if c < 8 else 31 - c) for c in range(16)}
    for index in range(64):
        square = "abcdefgh"[index % 8] + str(index // 8 + 1)
        tip = pads[f"J{index + 1}", "T"]
        # The sleeve is to the left of the hole and the tip to the right, in one line with it.
        x, y = design.hole(square)
        assert (tip.x - x, tip.y) == (pytest.approx(4.92), y)
        chip = pads[f"U{index // 16 + 2}", pin_of[index % 16]]
        assert copper.net(tip) == copper.net(chip), square
        assert copper.net(pads[f"J{index + 1}", "S"]) == copper.net(pads["U1", "4"]), square


def test_copper_joins_the_controllers_pins_to_what_the_firmware_does_with_them(
    copper: Copper,
) -> None:
    pads = _pads()
    # Pins of an Arduino Nano, counted from D1 around the board.
    nano = {
        **{f"D{n}": str(n + 3) for n in range(2, 13)},
        **{f"A{n}": str(n + 19) for n in range(4)},
        "5V": "27",
    }
    select = {"D4": "10", "D5": "11", "D6": "14", "D7": "13"}  # S0 to S3 of the multiplexer
    wanted = [(pin, f"U{chip}", number) for pin, number in select.items() for chip in range(2, 6)]
    wanted += [(f"A{m}", f"R{m + 8}", "1") for m in range(4)]
    wanted += [("D2", "R12", "1"), ("D3", "R13", "1")]
    wanted += [("5V", f"U{chip}", "24") for chip in range(2, 6)]
    wanted += [("D11", "R5", "1"), ("D9", "R6", "1"), ("D10", "R7", "1")]
    wanted += [("D8", "JP1", "1"), ("D12", "JP2", "1")]
    for pin, part, name in wanted:
        assert copper.net(pads["U1", nano[pin]]) == copper.net(pads[part, name]), (pin, part)
    # Behind its resistor each input is joined to what it reads, and not before it.
    for m in range(4):
        behind = copper.net(pads[f"R{m + 8}", "2"])
        assert behind == copper.net(pads[f"U{m + 2}", "1"]) == copper.net(pads[f"R{m + 1}", "1"])
        assert behind != copper.net(pads["U1", nano[f"A{m}"]])
    for resistor, connector in (("R12", "X1"), ("R13", "X2")):
        assert copper.net(pads[resistor, "2"]) == copper.net(pads[connector, "1"])
    # Diodes keep each input between ground and supply.
    for n, pin in enumerate(("A0", "A1", "A2", "A3", "D2", "D3"), start=3):
        low, high, middle = (copper.net(pads[f"D{n}", name]) for name in "123")
        assert low == copper.net(pads["U1", "4"])
        assert high == copper.net(pads["U1", nano["5V"]])
        assert middle == copper.net(pads["U1", nano[pin]])
    # The fuse feeds what hangs outside, and nothing with which pieces are read.
    fused = copper.net(pads["F1", "2"])
    assert fused != copper.net(pads["F1", "1"]) == copper.net(pads["U1", nano["5V"]])
    assert fused == copper.net(pads["X3", "1"]) == copper.net(pads["R14", "1"])
    assert copper.net(pads["R14", "2"]) == copper.net(pads["X4", "1"])


def test_copper_joins_exactly_what_the_circuit_joins_and_keeps_its_distance(
    copper: Copper,
) -> None:
    drawn: dict[tuple[int, int], set[tuple[str, str]]] = defaultdict(set)
    meant: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for key, pad in _pads().items():
        drawn[copper.net(pad)].add(key)
        meant[pad.net or f"open {key}"].add(key)
    assert sorted(map(sorted, drawn.values())) == sorted(map(sorted, meant.values()))
    assert copper.nearest >= circuit.CLEARANCE - 1e-6


def test_a_hole_lies_under_the_middle_of_every_square(board_files: Path) -> None:
    bare = read_drills(_packed(board_files)["NPTH.drl"])
    found = [at for size, at in bare if size == 3.0]
    assert sorted(found) == sorted(design.hole(square) for square in design.SQUARE_NAMES)


def test_board_and_its_parts_lie_inside_the_case(board_files: Path) -> None:
    files = _packed(board_files)
    outline = read_gerber(files["Edge_Cuts.gm1"])
    xs = [x for shape in outline for x, _ in shape.corners]
    ys = [y for shape in outline for _, y in shape.corners]
    edges = (min(xs), min(ys), max(xs), max(ys))
    width, height = design.PANEL
    assert edges[0] > design.WALL and edges[2] < width - design.WALL
    assert edges[1] > design.WALL and edges[3] < height - design.WALL
    for name in ("F_Cu.gtl", "B_Cu.gbl"):
        for shape in read_gerber(files[name]):
            left, low, right, high = shape.box()
            assert left >= edges[0] + 0.5 and right <= edges[2] - 0.5, shape
            assert low >= edges[1] + 0.5 and high <= edges[3] - 0.5, shape
    # The bodies of the push buttons hang into the case.
    assert edges[2] < design.LEVER_X - 18.0 / 2
    # The controller's socket for USB looks into the opening of the left wall.
    pads = [pad for pad in _pads().values() if pad.part == "U1"]
    middle = (max(p.y for p in pads) + min(p.y for p in pads)) / 2
    assert abs(middle - design.USB[1]) < 1


def test_every_file_of_the_maker_can_be_read_and_masks_open_every_pad(board_files: Path) -> None:
    files = _packed(board_files)
    assert len(files) == 10
    layers = {name: read_gerber(text) for name, text in files.items() if name[-3:] != "drl"}
    for side, mask in (("F_Cu.gtl", "F_Mask.gts"), ("B_Cu.gbl", "B_Mask.gbs")):
        open_at = {shape.box() for shape in layers[mask]}
        for pad in _pads().values():
            if pad.on(side[0] == "B"):
                half = pad.width / 2 + 0.05, pad.height / 2 + 0.05
                low, high = (pad.x - half[0], pad.y - half[1]), (pad.x + half[0], pad.y + half[1])
                assert any((*low, *high) == pytest.approx(box) for box in open_at), pad
    surface = [pad for pad in _pads().values() if not pad.drill]
    assert len(layers["B_Paste.gbp"]) == len(surface)


def test_the_list_of_places_has_each_surface_part_once_at_its_pads(board_files: Path) -> None:
    text = (board_files / "blindplay-board-places.csv").read_text("utf-8")
    rows = {row["Designator"]: row for row in csv.DictReader(text.splitlines())}
    pads = defaultdict(list)
    for pad in _pads().values():
        if not pad.drill:
            pads[pad.part].append(pad)
    assert set(rows) == set(pads)
    for name, row in rows.items():
        assert row["Layer"] == "bottom"
        xs, ys = [pad.x for pad in pads[name]], [pad.y for pad in pads[name]]
        assert float(row["Mid X"]) == pytest.approx((min(xs) + max(xs)) / 2, abs=0.01)
        assert float(row["Mid Y"]) == pytest.approx((min(ys) + max(ys)) / 2, abs=0.01)


def test_the_guide_counts_the_joints_that_hands_solder() -> None:
    told = re.search(
        r"(\d+) joints\s+remain by hand, (\d+) of",
        (ROOT / "hardware/ordering.md").read_text("utf-8"),
    )
    assert told
    through = [pad for pad in _pads().values() if pad.drill and pad.name != "TN"]
    at_jacks = [pad for pad in through if pad.part[0] == "J" and pad.part[1] != "P"]
    assert [int(number) for number in told.groups()] == [len(through), len(at_jacks)]


def _schematic_nets(text: str) -> dict[tuple[str, str], str]:
    """The label at each pin of each symbol of a schematic of KiCad."""
    kinds: dict[str, dict[str, Point]] = {}
    library, sheet = text.split("(symbol (lib_id ", 1)
    for block in library.split('(symbol "blindplay:')[1:]:
        pins = re.findall(
            r"\(pin \w+ line \(at (\S+) (\S+) \d+\).*?\(number \"(\w+)\"", block, re.S
        )
        kinds[block.split('"')[0]] = {name: (float(x), float(y)) for x, y, name in pins}
    labels = {
        (float(x), float(y)): net
        for net, x, y in re.findall(
            r'\(global_label "([^"]+)" \(shape \w+\) \(at (\S+) (\S+) \d+\)', sheet
        )
    }
    nets = {}
    for block in ("(symbol (lib_id " + sheet).split("(symbol (lib_id ")[1:]:
        found = re.match(r'"blindplay:(\w+)"\) \(at (\S+) (\S+) 0\)', block)
        name = re.search(r'"Reference" "(\w+)"', block)
        assert found and name
        for pin, (dx, dy) in kinds[found[1]].items():
            spot = round(float(found[2]) + dx, 4), round(float(found[3]) - dy, 4)
            nets[name[1], pin] = labels.get(spot, "")
    return nets


def test_the_schematic_and_the_board_of_kicad_join_the_same_pins(board_files: Path) -> None:
    schematic = _schematic_nets((board_files / "blindplay-board.kicad_sch").read_text("utf-8"))
    board: dict[tuple[str, str], str] = {}
    text = (board_files / "blindplay-board.kicad_pcb").read_text("utf-8")
    for block in text.split('(footprint "')[1:]:
        name = re.search(r'"Reference" "(\w+)"', block)
        assert name
        for pad, net in re.findall(r'\(pad "(\w+)" .*?\(net \d+ "([^"]*)"\)', block):
            board[name[1], pad] = "" if net.startswith("unconnected-") else net
    assert schematic == board
    # A second reading of what the firmware does: square 35 is d5, channel 3 of A2.
    assert board["U4", "6"] == board["J36", "T"] == "d5"
    assert board["U1", "21"] == board["R10", "1"] and board["R10", "2"] == board["U4", "1"] != ""


# Debian's stable release has only KiCad 6, which has no kicad-cli. So no test needs it.
if kicad_cli := workshop.checker():

    def test_kicad_finds_no_fault_in_circuit_and_board(board_files: Path) -> None:
        assert workshop.faults(board_files, kicad_cli) == []


def test_the_schematic_drawing_and_the_printed_board_give_each_part_the_same_value() -> None:
    root = ElementTree.parse(ROOT / "hardware" / "drawings" / "schematic.svg").getroot()
    drawn = {}
    for text in root.iter(f"{SVG}text"):
        words = " ".join(" ".join(text.itertext()).split())
        if found := re.match(r"([RCD]\d+) (\d.*)", words):
            drawn[found[1]] = found[2]
    shared = [part for part in circuit.parts() if part.reference in drawn]
    assert len(shared) >= 15
    for part in shared:
        # A surface-mounted 1N4148W is a 1N4148.
        assert part.value.startswith(drawn[part.reference]), (part.reference, drawn)


def test_a_pad_that_no_track_can_reach_is_told() -> None:
    pad = circuit.Pad
    wall = [pad(f"W{i}", 3 * (i % 3 - 1), 3 * (i // 3 - 1), 3, 3, 2) for i in range(9) if i != 4]
    walled = circuit.Footprint("walled", (pad("1", 0, 0, 0.4, 0.4), *wall), (-5, -5, 5, 5))
    parts = [
        circuit.Part("R2", "", circuit.R0805, (80.01, 60.325), 0, True, {"1": "NET"}),
        circuit.Part("R1", "", walled, (60.325, 60.325), 0, True, {"1": "NET"}),
    ]
    with pytest.raises(routing.NoWayError, match="NET"):
        routing.route(parts)


# --- sheets for a cutter -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def sheet_files(made_once: MadeOnce) -> Path:
    return made_once("workshop-sheets", workshop.sheets)


def _read_dxf(path: Path) -> tuple[dict[str, list[tuple[Point, float]]], dict[str, list[Any]]]:
    """The circles and the lines of a drawing by their layer."""
    import ezdxf
    from ezdxf.filemanagement import readfile

    document = readfile(path)
    assert not document.audit().has_errors
    assert document.units == ezdxf.units.MM
    circles: dict[str, list[tuple[Point, float]]] = defaultdict(list)
    lines: dict[str, list[Any]] = defaultdict(list)
    for shape in document.modelspace():
        layer = shape.dxf.layer
        assert layer in document.layers
        if shape.dxftype() == "CIRCLE":
            x, y, _ = shape.dxf.center
            circles[layer].append(((round(x, 4), round(y, 4)), 2 * shape.dxf.radius))
        else:
            assert shape.dxftype() == "LWPOLYLINE"
            lines[layer].append(shape)
    return circles, lines


def test_the_sheet_of_the_panel_has_every_hole_where_the_design_has_it(sheet_files: Path) -> None:
    circles, lines = _read_dxf(sheet_files / "panel.dxf")
    jacks = circles["HOLES_JACKS_6"]
    assert sorted(at for at, _ in jacks) == sorted(map(design.hole, design.SQUARE_NAMES))
    assert {size for _, size in jacks} == {design.JACK_HOLE}
    assert circles["HOLES_BUZZER_8"] == [(design.BUZZER, 8.0)]
    assert circles["HOLES_LAMP_OPTION_10"] == [(design.LAMP, 10.0)]
    assert sorted(circles["HOLES_LEVERS_12"]) == [((330.0, 75.0), 12.0), ((330.0, 225.0), 12.0)]
    assert sorted(at for at, _ in circles["HOLES_SCREWS_3"]) == sorted(design.SCREWS)
    (outline,) = lines["OUTLINE"]
    assert outline.closed
    assert {tuple(p) for p in outline.get_points("xy")} == {(0, 0), (360, 0), (360, 300), (0, 300)}
    # 64 squares, the dark ones with the place of their tile.
    tiles = [line for line in lines["ENGRAVING"] if line.closed]
    middles = []
    for line in tiles:
        xs, ys = zip(*line.get_points("xy"), strict=True)
        assert max(xs) - min(xs) == max(ys) - min(ys) == design.TILE
        middles.append(((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2))
    assert sorted(middles) == sorted(design.hole(square) for square in design.tiles())
    assert len(lines["ENGRAVING"]) - len(tiles) == 2 * 9


def test_braille_has_a_layer_of_its_own_with_dots_of_the_usual_size(sheet_files: Path) -> None:
    circles, _ = _read_dxf(sheet_files / "panel.dxf")
    dots = [at for at, _ in circles["BRAILLE"]]
    assert {size for _, size in circles["BRAILLE"]} == {1.5}
    # ISO 17049: 2.2 to 2.8 from dot to dot, 5.1 to 6.8 from cell to cell.
    assert 2.2 <= min(dist(a, b) for a, b in combinations(dots, 2)) <= 2.8
    # The letters a to h have 20 dots, the digits as many, and a number sign 4; each stands twice.
    assert len(dots) == 2 * (20 + 20 + 8 * 4)


def test_the_strip_has_36_places_for_all_captured_and_spare_pieces(sheet_files: Path) -> None:
    circles, _ = _read_dxf(sheet_files / "strip.dxf")
    places = circles["HOLES_PEGS_4"]
    assert len(places) == 36 == sum(design.pegs().values())
    assert sorted(at for at, _ in places) == sorted((x, y) for _, x, y in design.strip_places())
    # A foot is at most 25 wide, so two pieces do not touch; a pin of 3.5 goes in without force.
    assert min(dist(a, b) for (a, _), (b, _) in combinations(places, 2)) >= 25 + 2
    assert {size for _, size in places} == {4.0}


@pytest.mark.parametrize("name", ["panel", "tiles", "bottom", "levers", "strip"])
def test_each_drawing_in_svg_has_the_circles_of_that_in_dxf_to_scale(
    sheet_files: Path, name: str
) -> None:
    circles, lines = _read_dxf(sheet_files / f"{name}.dxf")
    root = ElementTree.parse(sheet_files / f"{name}.svg").getroot()
    width, height = root.get("width", ""), root.get("height", "")
    assert width.endswith("mm") and height.endswith("mm")
    assert root.get("viewBox") == f"0 0 {width[:-2]} {height[:-2]}"
    layers = list(root.iter(f"{SVG}g"))
    assert {group.get("id") for group in layers} == set(circles) | set(lines)
    assert layers[-1].get("id") == "OUTLINE"  # what is cut out first falls out of the cutter
    for group in layers:
        found = [
            (float(c.get("cx", "")), float(c.get("cy", "")), 2 * float(c.get("r", "")))
            for c in group.findall(f"{SVG}circle")
        ]
        layer = group.get("id") or ""
        wanted = [(x, float(height[:-2]) - y, size) for (x, y), size in circles[layer]]
        for one, other in zip(sorted(found), sorted(wanted), strict=True):
            assert one == pytest.approx(other, abs=0.011), layer
        for x, y, size in found:
            assert size / 2 <= x <= float(width[:-2]) - size / 2
            assert size / 2 <= y <= float(height[:-2]) - size / 2


def test_there_is_a_tile_for_each_black_square_and_some_to_spare(sheet_files: Path) -> None:
    circles, lines = _read_dxf(sheet_files / "tiles.dxf")
    assert len(lines["OUTLINE"]) == len(circles["HOLES_NUTS_10"]) == 32 + 2
    for line, (middle, _) in zip(lines["OUTLINE"], circles["HOLES_NUTS_10"], strict=True):
        xs, ys = zip(*line.get_points("xy"), strict=True)
        assert (max(xs) - min(xs), max(ys) - min(ys)) == (design.TILE, design.TILE)
        assert middle == ((max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2)


# --- bodies to print ---------------------------------------------------------------------------

PIECES = {
    f"piece-{colour}-{kind}": (colour, kind)
    for colour in ("white", "black")
    for kind in ("pawn", "knight", "bishop", "rook", "queen", "king")
}


BRAILLE_CORNERS = {
    **{f"braille-near-{half}": (x, 9.0) for half, x in (("a-to-d", 30.0), ("e-to-h", 150.0))},
    **{f"braille-far-{half}": (x, 279.0) for half, x in (("a-to-d", 30.0), ("e-to-h", 150.0))},
    **{f"braille-left-{half}": (9.0, y) for half, y in (("1-to-4", 30.0), ("5-to-8", 150.0))},
    **{f"braille-right-{half}": (279.0, y) for half, y in (("1-to-4", 30.0), ("5-to-8", 150.0))},
}
"""Where the left near corner of each strip is glued: along the field from 30 to 270, 12 wide."""


@pytest.fixture(scope="module")
def bodies(made_once: MadeOnce) -> dict[str, Triangles]:
    _load("solids")
    folder = made_once("workshop-bodies", workshop.bodies)
    return {path.stem: _read_stl(path) for path in folder.glob("*.stl")}


def _read_stl(path: Path) -> Triangles:
    data = path.read_bytes()
    (count,) = struct.unpack_from("<I", data, 80)
    assert len(data) == 84 + 50 * count
    triangles = []
    for i in range(count):
        _, _, _, *n = struct.unpack_from("<12f", data, 84 + 50 * i)
        triangles.append(((n[0], n[1], n[2]), (n[3], n[4], n[5]), (n[6], n[7], n[8])))
    return triangles


def _volume(triangles: Triangles) -> float:
    return (
        sum(
            a[0] * (b[1] * c[2] - b[2] * c[1])
            - a[1] * (b[0] * c[2] - b[2] * c[0])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
            for a, b, c in triangles
        )
        / 6
    )


def _height(triangles: Triangles) -> float:
    return max(corner[2] for triangle in triangles for corner in triangle)


def _rounded(corner: Corner) -> Corner:
    return round(corner[0], 4), round(corner[1], 4), round(corner[2], 4)


def test_every_body_is_closed_and_of_one_piece(
    bodies: dict[str, Triangles],
) -> None:
    others = {"raised-square", "strip-first-block", "strip-next-block"}
    assert set(bodies) == {*PIECES, *others, *BRAILLE_CORNERS}
    for name, triangles in bodies.items():
        # Programs join corners that are nearly the same, so no triangle may be thinner.
        triangles = [(_rounded(a), _rounded(b), _rounded(c)) for a, b, c in triangles]
        assert all(len(set(triangle)) == 3 for triangle in triangles), name
        edges = Counter(edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a)))
        # Each edge is passed once in each direction: no gap, and all faces look outwards.
        for (a, b), times in edges.items():
            assert edges[b, a] == times == 1, name
        assert _volume(triangles) > 0, name
        leader: dict[Any, Any] = {}

        def first(corner: Any, leader: dict[Any, Any] = leader) -> Any:
            while corner in leader:
                corner = leader[corner]
            return corner

        for a, b, c in triangles:
            for other in (b, c):
                if first(a) != first(other):
                    leader[first(other)] = first(a)
        assert len({first(corner) for triangle in triangles for corner in triangle}) == 1, name


def test_each_piece_stands_on_its_square_and_takes_the_plug(
    bodies: dict[str, Triangles],
) -> None:
    for name in PIECES:
        corners = {corner for triangle in bodies[name] for corner in triangle}
        on_foot = [dist((0, 0), corner[:2]) for corner in corners if corner[2] == 0]
        # The bill of materials: feet from 18 to 25 wide, a hole of 9 for the body of the plug.
        assert 18 <= 2 * max(on_foot) <= 25.001, name
        assert 2 * min(on_foot) == pytest.approx(9, abs=0.05), name
        floor = [c[2] for c in corners if dist((0, 0), c[:2]) < 4.6 and 1 < c[2] < 20]
        assert max(floor) == pytest.approx(16, abs=0.01), name
        # The wall around the hole never breaks: at its end the piece is 12 wide at least.
        waist = [
            dist((0, 0), c[:2]) for c in corners if 15 <= c[2] <= 19 and dist((0, 0), c[:2]) > 5
        ]
        assert min(waist) >= 6, name
    heights = [_height(bodies[f"piece-white-{kind}"]) for kind in
               ("pawn", "rook", "knight", "bishop", "queen", "king")]  # fmt: skip
    assert heights == sorted(heights)
    assert 55 <= heights[-1] <= 70


def test_every_black_piece_is_specially_marked_and_no_white_one(
    bodies: dict[str, Triangles],
) -> None:
    """D.1.4.2. The mark is the head of a pin, 3 wide, and stands out."""
    for kind in {kind for _, kind in PIECES.values()}:
        white, black = (bodies[f"piece-{colour}-{kind}"] for colour in ("white", "black"))
        more = _volume(black) - _volume(white)
        head = pi * 1.5**2 * 0.8
        assert head < more < 12 * head, kind
        added = {c for t in black for c in t} - {c for t in white for c in t}
        assert any(True for c in added if c[2] > 30)
        if kind != "knight":  # whose ears are higher
            assert _height(black) >= _height(white) + 1.2, kind


def test_a_raised_square_has_the_measures_of_the_design(
    bodies: dict[str, Triangles],
) -> None:
    corners = [corner for triangle in bodies["raised-square"] for corner in triangle]
    assert max(c[0] for c in corners) - min(c[0] for c in corners) == design.TILE
    assert _height(bodies["raised-square"]) == design.TILE_THICK
    ring = min(dist((0, 0), c[:2]) for c in corners)
    assert 2 * ring == pytest.approx(design.TILE_HOLE, abs=0.02)


def test_three_blocks_make_the_strip_and_the_first_tells_the_sides_apart(
    bodies: dict[str, Triangles],
) -> None:
    bottom = design.STRIP_THICK - design.STRIP_DEPTH
    for name in ("strip-first-block", "strip-next-block"):
        ends = {c[:2] for t in bodies[name] for c in t if abs(c[2] - bottom) < 1e-4}
        length = design.STRIP_PITCH * design.STRIP_BLOCK
        here = [(x, y) for _, x, y in design.strip_places() if x < length]
        assert 3 * len(here) == 36
        for place in here:
            assert any(dist(place, end) < 2.1 for end in ends), place
        assert all(min(dist(place, end) for place in here) < 2.1 for end in ends)
    assert _height(bodies["strip-next-block"]) == design.STRIP_THICK
    tops = {
        c[:2] for t in bodies["strip-first-block"] for c in t if c[2] > design.STRIP_THICK + 0.9
    }
    rows = Counter("White" if y < design.STRIP_PITCH else "Black" for _, y in design.strip_marks())
    assert rows == {"White": 1, "Black": 2}
    for mark in design.strip_marks():
        assert any(dist(mark, top) < 0.8 for top in tops)


def test_strips_of_braille_have_every_dot_of_the_panel(bodies: dict[str, Triangles]) -> None:
    found = []
    for name, (left, near) in BRAILLE_CORNERS.items():
        corners = {corner for triangle in bodies[name] for corner in triangle}
        top = max(corner[2] for corner in corners)
        assert top == pytest.approx(0.8 + 0.5, abs=1e-4)
        found += [(left + x, near + y) for x, y, z in corners if z > top - 1e-4]
    panel = importlib.import_module("panel")
    wanted = [dot for _, dots in panel.marks() for dot in dots]
    assert len(found) == len(wanted) == design.braille_dots()
    for dot in wanted:
        assert any(dist(dot, place) < 0.01 for place in found), dot


# --- what to order -----------------------------------------------------------------------------

BOTH_WAYS = pytest.mark.parametrize("printed", [False, True], ids=["wired", "printed"])


def _order_list(folder: Path, printed: bool) -> list[dict[str, str]]:
    workshop.lists(folder)
    name = "printed-board" if printed else "wired-by-hand"
    text = (folder / f"{name}.csv").read_text("utf-8-sig")
    return list(csv.DictReader(text.splitlines()))


def _names(reference: str) -> set[str]:
    """The parts of ``U2–U5`` or ``R5, R6``."""
    found = set()
    for part in reference.split(", "):
        if span := re.fullmatch(r"([A-Z]+)(\d+)–[A-Z]+(\d+)", part):
            found |= {f"{span[1]}{n}" for n in range(int(span[2]), int(span[3]) + 1)}
        else:
            found.add(part)
    return found


@BOTH_WAYS
def test_each_critical_part_has_two_numbers_to_order(printed: bool, tmp_path: Path) -> None:
    rows = _order_list(tmp_path, printed)
    numbered = {
        name
        for row in rows
        if row["first number"] and row["second number"] != row["first number"]
        for name in _names(row["reference"])
        if row["second number"]
    }
    # What reads the pieces, what they stand in, and what draws the most current.
    critical = _names("U1–U5, J1–J64, P1–P36, R1–R4, RP1–RP12, SW1–SW2, BZ1, MT1, F1")
    critical |= _names("D3–D8" if printed else "CL1–CL12")
    assert critical <= numbered


def test_the_numbers_of_the_resistors_in_the_pegs_name_their_values(tmp_path: Path) -> None:
    rows = {row["reference"]: row for row in _order_list(tmp_path, printed=True)}
    for n, (piece, ohms) in enumerate(design.ohms().items(), start=1):
        row = rows[f"RP{n}"]
        # 4K7 has the unit in place of the decimal point; 4701 ends with a power of ten.
        yageo = re.fullmatch(r"Yageo MFR-25FRF52-(\d+)([KR])(\d*)", row["first number"])
        vishay = re.fullmatch(r"Vishay MRS25000C(\d{3})(\d)FCT00", row["second number"])
        assert yageo and vishay, row
        unit = {"K": 1000, "R": 1}[yageo[2]]
        assert float(f"{yageo[1]}.{yageo[3] or 0}") * unit == ohms, piece
        assert int(vishay[1]) * 10 ** int(vishay[2]) == ohms, piece


@BOTH_WAYS
def test_quantities_and_sums_for_one_board_and_for_ten_agree(printed: bool, tmp_path: Path) -> None:
    *rows, total = _order_list(tmp_path, printed)
    sums = {1: 0.0, 10: 0.0}
    for row in rows:
        for boards in (1, 10):
            needed, bought = (int(row[f"{what} for {boards}"]) for what in ("needed", "buy"))
            assert needed == boards * int(row["needed for 1"]) <= bought
            price = float(row[f"guessed price each for {boards}, EUR"])
            assert price > 0, row
            cost = float(row[f"guessed sum for {boards}, EUR"])
            assert cost == pytest.approx(price * bought, abs=0.006)
            sums[boards] += cost
    for boards in (1, 10):
        assert float(total[f"guessed sum for {boards}, EUR"]) == pytest.approx(
            sums[boards], abs=0.3
        )


@BOTH_WAYS
def test_jack_and_plug_have_limits_for_force_life_and_plating(
    printed: bool, tmp_path: Path
) -> None:
    rows = {row["reference"]: row for row in _order_list(tmp_path, printed)}
    jack, plug = rows["J1–J64"]["limits"], rows["P1–P36"]["limits"]
    assert re.search(r"pull a piece out \d+ N to \d+ N", jack)
    for limits in (jack, plug):
        assert "cycles" in limits and "nickel" in limits and "no tin" in limits
    # What the windows of the firmware bear.
    assert f"at most {ladder.Conditions().contact[1]:g} Ω" in jack


def test_the_list_for_the_printed_board_has_each_part_of_its_circuit_once(tmp_path: Path) -> None:
    rows = _order_list(tmp_path, printed=True)
    listed = Counter(name for row in rows for name in _names(row["reference"]))
    for part in circuit.parts():
        assert listed[part.reference] == 1, part.reference
    # Nothing that the printed board replaces is bought, too.
    assert not {"W1", "W2", "M5"} & set(listed)


def test_a_part_of_the_circuit_without_a_row_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    more = circuit.Part("R99", "47 kΩ", circuit.R0805, (0, 0), 0, True, {})
    parts = [*circuit.parts(), more]
    monkeypatch.setattr(circuit, "parts", lambda: parts)
    with pytest.raises(orders.UnknownPartError, match="R99"):
        orders.orders(printed=True)


# --- the command -------------------------------------------------------------------------------


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(workshop, "find_spec", lambda name: None if name == "ezdxf" else name)
    assert workshop.main(["--folder", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert told.startswith("ezdxf is missing") and "pip install ezdxf" in told
    assert told.count("\n") == 1 and told.endswith(".\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("version", ["7.0.11", "none of them"])
def test_an_old_kicad_is_not_asked_to_check(
    version: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Told:
        stdout = f"{version}\n"

    monkeypatch.setattr(workshop.shutil, "which", lambda name: "kicad-cli")
    monkeypatch.setattr(workshop.subprocess, "run", lambda *_, **__: Told())
    assert workshop.checker() is None
    Told.stdout = "9.0.8\n"
    assert workshop.checker() == "kicad-cli"


def test_a_folder_that_cannot_be_written_is_told_in_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")
    assert workshop.main(["--folder", str(taken / "in")]) == 2
    told = capsys.readouterr().err
    assert str(taken) in told and told.count("\n") == 1 and told.endswith(".\n")
