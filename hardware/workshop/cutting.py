"""Sheets for a laser cutter or a drill: outlines, holes, engraving and Braille, each on a layer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import circuit  # noqa: F401  (first: it finds the folder of the drawings)
import design
import lettering
import panel
import svg

Point = tuple[float, float]

OUTLINE = "OUTLINE"
ENGRAVING = "ENGRAVING"
BRAILLE = "BRAILLE"
"""Dots of 1.5 mm. Drill them 1 mm deep and press in balls of 1.5 mm, or leave the layer out."""

_COLOURS = {OUTLINE: (1, "#ff0000"), ENGRAVING: (5, "#0000ff"), BRAILLE: (6, "#ff00ff")}
_HOLES = (3, "#00a000")
"""Number of the colour in DXF, and colour in SVG. Cutters tell the steps of the work by it."""

SPARE_TILES = 2
GAP = 4.0


@dataclass
class Sheet:
    """One piece of material, ``width`` by ``height``, from its left near corner."""

    title: str
    material: str
    width: float
    height: float
    circles: list[tuple[str, Point, float]] = field(default_factory=list)
    """Layer, middle and diameter."""
    lines: list[tuple[str, list[Point]]] = field(default_factory=list)
    """Layer and points; a closed line ends where it begins."""

    def layers(self) -> list[str]:
        """All layers in use in the order of work: what is cut out last comes last."""
        names = dict.fromkeys([name for name, *_ in (*self.lines, *self.circles)])
        return sorted(names, key=lambda name: (name == OUTLINE, name))

    def box(self, layer: str, left: float, near: float, width: float, height: float) -> None:
        right, far = left + width, near + height
        corners = [(left, near), (right, near), (right, far), (left, far), (left, near)]
        self.lines.append((layer, corners))

    def holes(self, what: str, diameter: float, at: Iterable[Point]) -> None:
        """Holes of one diameter, on the layer ``HOLES_what_diameter``."""
        layer = f"HOLES_{what}_{f'{diameter:g}'.replace('.', '_')}"
        self.circles += [(layer, place, diameter) for place in at]

    def engrave(self, words: str, x: float, y: float, height: float) -> None:
        self.lines += [(ENGRAVING, line) for line in lettering.strokes(words, x, y, height)]


def _panel() -> Sheet:
    width, height = design.PANEL
    sheet = Sheet("Panel", f"{design.PANEL_THICK:g} mm glass fibre or plastic", width, height)
    sheet.box(OUTLINE, 0, 0, width, height)
    sheet.holes("JACKS", design.JACK_HOLE, map(design.hole, design.SQUARE_NAMES))
    sheet.holes("LEVERS", design.LEVER_HOLE, ((design.LEVER_X, y) for y in design.LEVER_Y))
    sheet.holes("BUZZER", design.BUZZER_HOLE, [design.BUZZER])
    sheet.holes("LAMP_OPTION", design.LAMP_HOLE, [design.LAMP])
    sheet.holes("SCREWS", design.SCREW_HOLE, design.SCREWS)
    start, end = design.MARGIN, design.MARGIN + design.FIELD
    for i in range(9):
        at = start + i * design.SQUARE
        sheet.lines.append((ENGRAVING, [(at, start), (at, end)]))
        sheet.lines.append((ENGRAVING, [(start, at), (end, at)]))
    # The raised squares are glued inside these lines.
    inset = (design.SQUARE - design.TILE) / 2
    for square in design.tiles():
        x, y = design.hole(square)
        corner = design.SQUARE / 2 - inset
        sheet.box(ENGRAVING, x - corner, y - corner, design.TILE, design.TILE)
    for _, dots in panel.marks():
        sheet.circles += [(BRAILLE, dot, design.DOT) for dot in dots]
    return sheet


def _tiles() -> Sheet:
    count, columns = len(design.tiles()) + SPARE_TILES, 9
    rows = -(-count // columns)
    step, size = design.TILE + GAP, design.TILE
    sheet = Sheet(
        f"Raised squares, {count} with {SPARE_TILES} spare",
        f"{design.TILE_THICK:g} mm plastic or wood",
        columns * step + GAP,
        rows * step + GAP,
    )
    places = [(GAP + step * (i % columns), GAP + step * (i // columns)) for i in range(count)]
    for x, y in places:
        sheet.box(OUTLINE, x, y, size, size)
    sheet.holes("NUTS", design.TILE_HOLE, ((x + size / 2, y + size / 2) for x, y in places))
    return sheet


def _bottom() -> Sheet:
    width, height = design.PANEL
    sheet = Sheet("Bottom plate", "3 mm to 5 mm plywood", width, height)
    sheet.box(OUTLINE, 0, 0, width, height)
    sheet.holes("SCREWS", design.SCREW_HOLE, design.SCREWS)
    return sheet


def _levers() -> Sheet:
    length, breadth = design.LEVER_ARM
    count = len(design.LEVER_DOTS)
    sheet = Sheet(
        "Arms of the levers", "4 mm wood or plastic",
        count * (breadth + GAP) + GAP, length + 2 * GAP,
    )  # fmt: skip
    for i, (player, dots) in enumerate(design.LEVER_DOTS.items()):
        left = GAP + i * (breadth + GAP)
        sheet.box(OUTLINE, left, GAP, breadth, length)
        middle = left + breadth / 2
        # Shallow seats for the raised dots, near the end to press.
        spread = [design.LEVER_DOT_PITCH * (j - (dots - 1) / 2) for j in range(dots)]
        for dx in spread:
            sheet.circles.append((ENGRAVING, (middle + dx, GAP + 6.0), design.LEVER_DOT))
        sheet.engrave(player[0], middle, GAP + length / 2, 8.0)
    return sheet


def _strip() -> Sheet:
    length, depth = design.STRIP_PITCH * design.STRIP_COLUMNS, 2 * design.STRIP_PITCH
    sheet = Sheet(
        "Strip for captured and spare pieces",
        "6 mm plywood: three layers with holes, and a fourth without",
        length,
        depth,
    )
    sheet.box(OUTLINE, 0, 0, length, depth)
    sheet.holes("PEGS", design.STRIP_HOLE, ((x, y) for _, x, y in design.strip_places()))
    sheet.circles += [(ENGRAVING, dot, design.LEVER_DOT) for dot in design.strip_marks()]
    return sheet


def sheets() -> dict[str, Sheet]:
    """Every sheet by the name of its files."""
    return {
        "panel": _panel(),
        "tiles": _tiles(),
        "bottom": _bottom(),
        "levers": _levers(),
        "strip": _strip(),
    }


def write_dxf(sheet: Sheet, path: Path) -> None:
    """Write the sheet as DXF of the year 2000, which every cutter reads, in millimetres.

    Raises :class:`ImportError` without ezdxf.
    """
    import ezdxf
    from ezdxf import units

    document = ezdxf.new("R2000")
    document.units = units.MM
    for layer in sheet.layers():
        number, _ = _COLOURS.get(layer, _HOLES)
        document.layers.add(layer, color=number)
    space = document.modelspace()
    for layer, points in sheet.lines:
        closed = points[0] == points[-1]
        space.add_lwpolyline(
            points[:-1] if closed else points, close=closed, dxfattribs={"layer": layer}
        )
    for layer, middle, diameter in sheet.circles:
        space.add_circle(middle, diameter / 2, dxfattribs={"layer": layer})
    document.saveas(path)


def as_svg(sheet: Sheet) -> str:
    """The sheet as SVG in millimetres, each layer a group with its name, as Inkscape keeps them."""
    body = []
    for layer in sheet.layers():
        _, colour = _COLOURS.get(layer, _HOLES)
        ink = f'fill="none" stroke="{colour}" stroke-width="0.1"'
        shapes = [
            svg.path([(x, sheet.height - y) for x, y in points], ink, closed=False)
            for name, points in sheet.lines
            if name == layer
        ] + [
            svg.circle(x, sheet.height - y, size, ink)
            for name, (x, y), size in sheet.circles
            if name == layer
        ]
        body += [
            f'<g id="{layer}" inkscape:groupmode="layer" inkscape:label="{layer}">',
            f"<title>{layer}</title>",
            *shapes,
            "</g>",
        ]
    drawing = svg.document(
        sheet.title,
        f"{sheet.title}, {sheet.width:g} by {sheet.height:g} millimetres, {sheet.material}. "
        f"Layers: {', '.join(sheet.layers())}. To scale, seen from above.",
        (0, 0, sheet.width, sheet.height),
        "mm",
        body,
    )
    return drawing.replace(
        "<svg ", '<svg xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" ', 1
    )
