"""The board's panel from above, to scale."""

from __future__ import annotations

import design
import svg

_BLACK_DOT = 'fill="black" stroke="none"'


def braille(cells: str, x: float, y: float, turned: bool) -> list[tuple[float, float]]:
    """The raised dots of ``cells`` around the point x, y of the panel (y away from White).

    ``turned`` marks are read from Black's side.
    """
    dots = []
    width = design.CELL_PITCH * (len(cells) - 1) + design.DOT_PITCH
    for i, cell in enumerate(cells):
        for dot in design.BRAILLE[cell]:
            column, row = divmod(int(dot) - 1, 3)
            dx = i * design.CELL_PITCH + column * design.DOT_PITCH - width / 2
            dy = (1 - row) * design.DOT_PITCH
            sign = -1 if turned else 1
            dots.append((x + sign * dx, y + sign * dy))
    return dots


def marks() -> list[tuple[str, list[tuple[float, float]]]]:
    """Each Braille mark of the panel: its text and its reader, and the places of its dots."""
    far_y, far_x = design.PANEL[1] - design.MARGIN / 2, design.MARGIN * 1.5 + design.FIELD
    near = design.MARGIN / 2
    found = []
    for file in design.FILES:
        x = design.hole(f"{file}1")[0]
        found.append((f"{file} for White", braille(file, x, near, turned=False)))
        found.append((f"{file} for Black", braille(file, x, far_y, turned=True)))
    for rank in "12345678":
        y = design.hole(f"a{rank}")[1]
        found.append((f"{rank} for White", braille(f"#{rank}", near, y, turned=False)))
        found.append((f"{rank} for Black", braille(f"#{rank}", far_x, y, turned=True)))
    return found


def _in_words() -> str:
    (width, height), (left, low) = design.PANEL, design.hole("a1")
    right, high = design.hole("h8")
    square, tile = f"{design.SQUARE:g}", f"{design.TILE:g}"
    (buzzer_x, buzzer_y), (lamp_x, lamp_y) = design.BUZZER, design.LAMP
    motor_x, motor_y = design.MOTOR
    levers = " and ".join(
        f"{player}'s at {design.LEVER_X:g} and {y:g} with "
        + ("one raised dot" if dots == 1 else f"{dots} raised dots")
        for (player, dots), y in zip(design.LEVER_DOTS.items(), design.LEVER_Y, strict=True)
    )
    return " ".join(
        [
            "The panel from above, to scale, White sitting below.",
            "All places are in millimetres, to the right of the left edge first, then up from the "
            "lower edge.",
            f"The panel is {width:g} wide and {height:g} high.",
            f"The field of {design.FIELD:g} by {design.FIELD:g} begins {design.MARGIN:g} from the "
            f"left and the lower edge; a square is {square}.",
            f"In the middle of each square is a hole of {design.JACK_HOLE:g} for a 3.5 millimetre "
            f"jack: a1 at {left:g} and {low:g}, then every {square} both ways up to h8 at "
            f"{right:g} and {high:g}.",
            f"Each of the {len(design.tiles())} black squares, a1 among them, carries a tile of "
            f"{tile} by {tile}, {design.TILE_THICK:g} high, with a hole of {design.TILE_HOLE:g} "
            "around the jack's nut.",
            "Braille marks run along all four edges of the field, files at the lower and upper, "
            "ranks with a number sign at the left and right; those at the upper and right edge are "
            "turned for Black.",
            f"Levers at the right: {levers}.",
            f"The buzzer's hole of {design.BUZZER_HOLE:g} is between them at {buzzer_x:g} and "
            f"{buzzer_y:g}.",
            f"Optional: a hole of {design.LAMP_HOLE:g} for a lamp at {lamp_x:g} and {lamp_y:g}, "
            f"and a vibration motor glued under the panel at {motor_x:g} and {motor_y:g}.",
            f"The USB opening is in the left wall at height {design.USB[1]:g}.",
            f"{len(design.SCREWS)} screws of {design.SCREW_HOLE:g} hold the panel on walls "
            f"{design.WALL:g} thick; two rails are glued under it.",
            f"The case is {design.CASE_HEIGHT:g} deep.",
            "Below, a cut through two squares shows a tile as high as a nut.",
        ]
    )


def _cut() -> list[str]:
    """A cut through a white and a black square, five times as large, under the plan."""
    scale, left, top = 5.0, 40.0, 330.0
    parts = [svg.text(180, top - 8, "Cut through b1 (white) and c1 (black), 5 : 1", 6)]

    def box(x: float, y: float, width: float, height: float, style: str = svg.INK) -> str:
        return svg.rect(left + x * scale, top + y * scale, width * scale, height * scale, style)

    grey = 'fill="#bbb" stroke="black" stroke-width="0.4"'
    light = 'fill="#eee" stroke="black" stroke-width="0.4"'
    thick, high = design.PANEL_THICK, design.TILE_THICK
    for i in range(2):
        middle = design.SQUARE * (i + 0.5)
        start = design.SQUARE * i
        half = design.JACK_HOLE / 2
        parts += [
            box(start, high, design.SQUARE / 2 - half, thick, grey),
            box(middle + half, high, design.SQUARE / 2 - half, thick, grey),
            box(middle - design.JACK_NUT / 2, 0, design.JACK_NUT, high),
            box(middle - half, 0, 2 * half, high + thick, light),
            box(middle - 4.5, high + thick, 9, 9, light),
            box(
                middle - 1.75,
                0,
                3.5,
                high + thick + 9,
                'fill="white" stroke="black" stroke-width="0.2"',
            ),
        ]
    side = (design.TILE - design.TILE_HOLE) / 2
    start = design.SQUARE + (design.SQUARE - design.TILE) / 2
    parts += [box(start, 0, side, high, light), box(start + side + 10, 0, side, high, light)]
    right = left + 2 * design.SQUARE * scale
    parts += svg.dimension(
        right + 4, top, right + 4, top + high * scale, f"tile {svg.number(high)}"
    )
    parts += svg.dimension(
        right + 4,
        top + high * scale,
        right + 4,
        top + (high + thick) * scale,
        f"panel {svg.number(thick)}",
    )
    parts.append(svg.text(left + 0.5 * design.SQUARE * scale, top + 72, "jack, nut on top"))
    parts.append(svg.text(left + 1.5 * design.SQUARE * scale, top + 72, "tile level with the nut"))
    return parts


def draw() -> str:
    """The panel from above, to scale, in millimetres, as SVG."""
    width, height = design.PANEL
    body = svg.group("Panel", [svg.rect(0, 0, width, height)])
    body += svg.group(
        f"Field, {svg.number(design.FIELD)} by {svg.number(design.FIELD)} mm",
        [svg.rect(design.MARGIN, design.MARGIN, design.FIELD, design.FIELD)],
    )
    body += _squares()
    for what, places in marks():
        body += svg.group(
            f"Braille {what}", [svg.circle(x, _up(y), design.DOT, _BLACK_DOT) for x, y in places]
        )
    body += _levers() + _openings()
    body += svg.group("Dimensions in millimetres", _dimensions())
    body += svg.group("Cut", _cut())
    return svg.document(
        "The pegged board from above, in millimetres",
        _in_words(),
        (-20, -22, width + 50, height + 140),
        "mm",
        body,
    )


def _up(y: float) -> float:
    return design.PANEL[1] - y


def _squares() -> list[str]:
    square, edge = design.SQUARE, design.TILE
    body = []
    for name in design.SQUARE_NAMES:
        x, y = design.hole(name)
        parts = [svg.rect(x - square / 2, _up(y) - square / 2, square, square, svg.THIN)]
        if design.is_black(name):
            parts += [
                svg.rect(x - edge / 2, _up(y) - edge / 2, edge, edge, 'fill="#ccc" stroke="none"'),
                svg.circle(
                    x, _up(y), design.TILE_HOLE, 'fill="white" stroke="black" stroke-width="0.2"'
                ),
            ]
        parts.append(svg.circle(x, _up(y), design.JACK_HOLE))
        kind = "black, raised" if design.is_black(name) else "white"
        body += svg.group(f"{name}, {kind}, hole at {svg.number(x)} and {svg.number(y)}", parts)
    return body


def _levers() -> list[str]:
    body = []
    for (player, dots), y in zip(design.LEVER_DOTS.items(), design.LEVER_Y, strict=True):
        length, breadth = design.LEVER_ARM
        # The free end is the one nearer to the player, and carries the marks.
        outward = -1 if y < design.PANEL[1] / 2 else 1
        mark_y = y + outward * (length / 2 - 6)
        spread = [design.LEVER_DOT_PITCH * (i - (dots - 1) / 2) for i in range(dots)]
        hinge = y - outward * length / 2
        parts = [
            svg.rect(design.LEVER_X - breadth / 2, _up(y) - length / 2, breadth, length),
            svg.circle(design.LEVER_X, _up(y), design.LEVER_HOLE, svg.THIN),
            svg.line(
                design.LEVER_X - breadth / 2,
                _up(hinge),
                design.LEVER_X + breadth / 2,
                _up(hinge),
                'stroke="black" stroke-width="1.2"',
            ),
            *(svg.circle(design.LEVER_X + dx, _up(mark_y), 3, _BLACK_DOT) for dx in spread),
        ]
        body += svg.group(f"{player}'s lever", parts)
        body.append(svg.text(design.LEVER_X, _up(y - outward * (length / 2 + 7)) + 2, player))
    return body


def _openings() -> list[str]:
    body = svg.group(
        "Buzzer", [svg.circle(design.BUZZER[0], _up(design.BUZZER[1]), design.BUZZER_HOLE)]
    )
    body.append(svg.text(design.BUZZER[0] + 7, _up(design.BUZZER[1]) + 2, "buzzer", 5, "start"))
    dashed = 'fill="none" stroke="black" stroke-width="0.2" stroke-dasharray="2 2"'
    for name, (x, y), width in (
        ("lamp", design.LAMP, design.LAMP_HOLE),
        ("motor", design.MOTOR, design.MOTOR_WIDTH),
    ):
        body += svg.group(f"Option: {name}", [svg.circle(x, _up(y), width, dashed)])
        body.append(svg.text(x + 7, _up(y) + 2, name, 5, "start"))
    body += svg.group("USB opening", [svg.rect(-1, _up(design.USB[1]) - 6, 2, 12)])
    body.append(svg.text(-3, _up(design.USB[1]) + 2, "USB", 5, "end"))
    body += svg.group(
        f"{len(design.SCREWS)} screws",
        [svg.circle(x, _up(y), design.SCREW_HOLE) for x, y in design.SCREWS],
    )
    body += svg.group(
        "Rails under the panel",
        [
            svg.rect(
                design.WALL,
                _up(y) - design.RAIL / 2,
                design.PANEL[0] - 2 * design.WALL,
                design.RAIL,
                dashed,
            )
            for y in design.RAILS_Y
        ],
    )
    return body


def _dimensions() -> list[str]:
    (width, height), a1, b1 = design.PANEL, design.hole("a1"), design.hole("b1")
    return [
        *svg.dimension(0, -10, width, -10, svg.number(width)),
        *svg.dimension(
            design.MARGIN, -3, design.MARGIN + design.FIELD, -3, svg.number(design.FIELD)
        ),
        *svg.dimension(width + 5, 0, width + 5, height, svg.number(height)),
        *svg.dimension(0, height + 8, a1[0], height + 8, svg.number(a1[0])),
        *svg.dimension(a1[0], height + 8, b1[0], height + 8, svg.number(b1[0] - a1[0])),
    ]
