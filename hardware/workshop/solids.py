"""Bodies to print: pieces for the pegs, raised squares, and blocks of the strip, as STL in mm.

The pieces are Staunton pieces with heads that a finger tells apart: ball, battlements, ears and
muzzle, cleft mitre, crown with notches, cross. A black piece has the head of a pin on top, 3 mm
wide (Appendix D.1.4.2). Each stands on its foot and has a hole there for the plug.
"""

from __future__ import annotations

import struct
from typing import Any

import circuit  # noqa: F401  (first: it finds the folder of the drawings)
import design
import ladder
import panel
import pieces
from manifold3d import CrossSection, Manifold, OpType

ROUND = 64
"""Edges of a circle."""

FEET = {"p": 9.5, "r": 10.5, "n": 11.0, "b": 11.0, "q": 12.0, "k": 12.5}
"""Radius of each foot. Two of the widest stand side by side on squares of 30."""

MARK = 3.0
MARK_HEIGHT = 2.4

Profile = list[tuple[float, float]]

_PROFILES: dict[str, Profile] = {
    # Height above the foot, and radius.
    "p": [(0, 9.5), (3, 9.5), (5, 8.8), (8, 7.6), (17, 6.6), (22, 4.8), (25.4, 4.4), (26, 6.6),
          (27.6, 6.6), (28.2, 4.4), (29, 4.4), (29, 0)],
    "r": [(0, 10.5), (3, 10.5), (5, 9.8), (8, 8.4), (17, 7.4), (27, 6.8), (31, 6.8), (32, 8.0),
          (33, 8.8), (42, 8.8), (42, 0)],
    "n": [(0, 11), (3, 11), (5, 10.2), (8, 8.8), (14, 8.2), (17, 8.2), (19, 9.2), (21, 9.2),
          (21, 0)],
    "b": [(0, 11), (3, 11), (5, 10.2), (8, 8.4), (17, 7.0), (28, 5.0), (34, 4.6), (35, 7.0),
          (36.8, 7.0), (37.6, 4.6), (40, 5.9), (42.6, 6.4), (45.6, 5.8), (48.6, 4.0), (51, 1.6),
          (51, 0)],
    "q": [(0, 12), (3.4, 12), (5.4, 11), (8.6, 9.0), (17, 7.4), (32, 5.4), (40, 5.0), (41, 7.8),
          (43, 7.8), (44, 5.4), (48, 6.2), (53, 8.4), (55, 8.4), (55.6, 6.6), (57, 4.6), (58, 0)],
    "k": [(0, 12.5), (3.6, 12.5), (5.6, 11.4), (9, 9.2), (17, 7.6), (34, 5.6), (43, 5.2), (44, 8.2),
          (46, 8.2), (47, 5.6), (51, 6.4), (56, 7.4), (57.4, 6.6), (59, 3.0), (59.5, 0)],
}  # fmt: skip

_TOPS = {"p": 38.4, "r": 41.6, "n": 42.8, "b": 53.2, "q": 60.8, "k": 68.5}
"""Height at which the mark of a black piece begins."""


def _box(x: float, y: float, z: float, at: tuple[float, float, float]) -> Manifold:
    return Manifold.cube((x, y, z), True).translate(at)


def _ball(radius: float, height: float) -> Manifold:
    return Manifold.sphere(radius, ROUND).translate((0, 0, height))


def _turned(profile: Profile) -> Manifold:
    """A body from a lathe."""
    outline = [(0.0, 0.0), *((radius, height) for height, radius in profile)]
    return CrossSection([outline]).revolve(ROUND)


def _rook(body: Manifold) -> Manifold:
    body -= Manifold.cylinder(6, 5.9, 5.9, ROUND).translate((0, 0, 37.5))
    for turn in (0, 45, 90, 135):
        body -= _box(30, 3.0, 6, (0, 0, 42)).rotate((0, 0, turn))
    return body


def _horse() -> Manifold:
    """The head, looking to the right, in steps towards both flanks so that no edge is sharp."""
    outline = [
        (-7.4, 20), (6.6, 20), (7.6, 24), (6.0, 28), (4.2, 30.4), (6.6, 30.0), (9.6, 29.2),
        (12.2, 29.6), (13.0, 32.2), (11.8, 34.6), (8.4, 37.6), (5.6, 41.2), (4.0, 42.6),
        (3.4, 46.4), (1.0, 43.6), (-1.6, 43.4), (-5.4, 41.2), (-8.2, 36.8), (-9.2, 31), (-8.8, 25),
    ]  # fmt: skip
    side = CrossSection([outline])
    layers = [
        side.offset(-inset).extrude(2 * half).translate((0, 0, -half))
        for inset, half in ((0.0, 3.6), (0.6, 4.6), (1.4, 5.4), (2.4, 5.9))
    ]
    head = Manifold.batch_boolean(layers, OpType.Add).rotate((90, 0, 0))
    # A groove between the ears, and the mouth.
    head -= _box(8, 1.8, 5, (2.6, 0, 45.6))
    return head - _box(6, 20, 0.9, (12.2, 0, 31.4))


def _queen(body: Manifold) -> Manifold:
    for i in range(8):
        notch = Manifold.cylinder(6, 1.7, 1.7, 24, True).rotate((0, 90, 0))
        body -= notch.translate((9.03, 0, 55.87)).rotate((0, 0, i * 45 + 22.5))
    return body + _ball(2.4, 58.8)


def _king(body: Manifold) -> Manifold:
    upright = _box(3.0, 3.0, 11.5, (0, 0, 62.9))
    arms = _box(8.4, 3.0, 3.0, (0, 0, 64.4))
    return body + upright + arms


def piece(letter: str) -> Manifold:
    """A piece of FEN's ``letter``, its foot at height 0. Capitals are white, without the mark."""
    kind = letter.lower()
    body = _turned(_PROFILES[kind])
    if kind == "p":
        body += _ball(5.4, 33.2)
    elif kind == "r":
        body = _rook(body)
    elif kind == "n":
        body += _horse()
    elif kind == "b":
        # The cleft runs from the top of the mitre down to its front.
        cleft = _box(20, 30, 1.6, (7.6, 0, 0)).rotate((0, 42, 0)).translate((0.6, 0, 47.4))
        body = body - cleft + _ball(2.0, 51.4)
    elif kind == "q":
        body = _queen(body)
    else:
        body = _king(body)
    if letter.islower():
        neck = Manifold.cylinder(MARK_HEIGHT - 0.7, 0.9, 0.9, ROUND)
        head = Manifold.cylinder(0.8, MARK / 2, MARK / 2, ROUND).translate((0, 0, 0.9))
        dome = Manifold.sphere(MARK / 2, ROUND).scale((1, 1, 0.5)).translate((0, 0, 1.65))
        sunk = _TOPS[kind] - 0.4
        # A knight's is behind the ears, a rook's on a post inside the battlements.
        body += (neck + head + dome).translate((-2.2 if kind == "n" else 0, 0, sunk))
        if kind == "r":
            body += Manifold.cylinder(5, 2.4, 1.6, ROUND).translate((0, 0, 37))
    wide, deep = pieces.PIECE_HOLE
    return body - Manifold.cylinder(deep + 1, wide / 2, wide / 2, ROUND).translate((0, 0, -1))


def tile() -> Manifold:
    """A raised square, its upper edges broken so that they do not scratch."""
    size, thick, edge = design.TILE, design.TILE_THICK, 0.5
    low = CrossSection.square((size, size), True).extrude(thick - edge)
    scale = (size - 2 * edge) / size
    top = CrossSection.square((size, size), True).extrude(edge, 0, 0.0, (scale, scale))
    hole = Manifold.cylinder(thick + 2, design.TILE_HOLE / 2, design.TILE_HOLE / 2, ROUND)
    return low + top.translate((0, 0, thick - edge)) - hole.translate((0, 0, -1))


def strip_block(first: bool) -> Manifold:
    """A block of the strip with places for both sides. The ``first`` has the raised dots.

    Dowels of 4 mm join the blocks.
    """
    pitch, thick = design.STRIP_PITCH, design.STRIP_THICK
    length, depth = pitch * design.STRIP_BLOCK, 2 * pitch
    body = Manifold.cube((length, depth, thick))
    hole = design.STRIP_HOLE / 2
    for _, x, y in design.strip_places():
        if x < length:
            pin = Manifold.cylinder(design.STRIP_DEPTH + 1, hole, hole, 32)
            funnel = Manifold.cylinder(1.5, hole, hole + 1.5, 32)
            body -= pin.translate((x, y, thick - design.STRIP_DEPTH))
            body -= funnel.translate((x, y, thick - 1.5 + 0.001))
    dowel = Manifold.cylinder(20.2, 2.05, 2.05, 32, True).rotate((0, 90, 0))
    for x in (0, length):
        for y in (pitch / 2, pitch * 1.5):
            body -= dowel.translate((x, y, thick / 2))
    if first:
        for x, y in design.strip_marks():
            dot = Manifold.sphere(design.LEVER_DOT / 2, 32)
            flat = 2 * design.LEVER_DOT_HEIGHT / design.LEVER_DOT
            body += dot.scale((1, 1, flat)).translate((x, y, thick))
    return body


BRAILLE_STRIP = (12.0, 0.8)
"""Width and thickness of a strip with the marks of one edge."""


def braille_strips() -> dict[str, Manifold]:
    """The marks of the four edges on strips to glue on, each edge in two halves of four squares.

    All dots stand where they are on the panel, so a strip lies along the edge of the field.
    """
    width, thick = BRAILLE_STRIP
    half = design.FIELD / 2
    made = {}
    middles = {
        "near": design.MARGIN / 2,
        "far": design.PANEL[1] - design.MARGIN / 2,
        "left": design.MARGIN / 2,
        "right": design.MARGIN * 1.5 + design.FIELD,
    }
    for edge, middle in middles.items():
        level = edge in ("near", "far")
        for part, names in enumerate(("abcd", "efgh") if level else ("1234", "5678")):
            start = design.MARGIN + part * half
            corner = (start, middle - width / 2, 0) if level else (middle - width / 2, start, 0)
            size = (half, width, thick) if level else (width, half, thick)
            body = Manifold.cube(size).translate(corner)
            for name, dots in panel.marks():
                x, y = dots[0]
                across, along = (y, x) if level else (x, y)
                if name[0] in names and abs(across - middle) < width / 2 and along > design.MARGIN:
                    for dot in dots:
                        ball = Manifold.sphere(design.DOT / 2, 24)
                        flat = 2 * design.DOT_HEIGHT / design.DOT
                        body += ball.scale((1, 1, flat)).translate((*dot, thick))
            made[f"braille-{edge}-{names[0]}-to-{names[-1]}"] = body.translate(
                tuple(-value for value in corner)
            )
    return made


def bodies() -> dict[str, Manifold]:
    """Every body by the name of its file."""
    made = {
        f"piece-{ladder.describe(letter).replace(' ', '-')}": piece(letter)
        for letter in ladder.ORDER
    }
    made["raised-square"] = tile()
    made["strip-first-block"] = strip_block(first=True)
    made["strip-next-block"] = strip_block(first=False)
    # Slivers thinner than a printer's step would open the mesh where a program joins near corners.
    return {name: body.simplify(0.01) for name, body in (made | braille_strips()).items()}


def as_stl(body: Manifold) -> bytes:
    """The body as binary STL."""
    mesh: Any = body.to_mesh()
    points = [tuple(map(float, row[:3])) for row in mesh.vert_properties]
    triangles = mesh.tri_verts
    parts = [b"BlindPlay, millimetres".ljust(80), struct.pack("<I", len(triangles))]
    for a, b, c in triangles:
        # Readers compute the normals themselves.
        parts.append(struct.pack("<12fH", 0, 0, 0, *points[a], *points[b], *points[c], 0))
    return b"".join(parts)
