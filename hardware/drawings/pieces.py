"""The pieces cut open, with their plugs and resistors."""

from __future__ import annotations

import design
import ladder
import svg

PLUG = 3.5
PLUG_LENGTH = 14.0
PIECE_BASE = 18.0
PIECE_HEIGHT = 38.0
PIECE_HOLE = (9.0, 16.0)
"""Width and depth of the hole in a piece's foot, for the plug's body and the resistor."""


def _in_words() -> str:
    ohms = design.ohms()
    black = design.counts()["black pieces"]
    values = "; ".join(
        f"{ladder.describe(piece)}: {ladder.value(ohms[piece])}" for piece in ladder.ORDER
    )
    wide, deep = PIECE_HOLE
    return " ".join(
        [
            "Two pawns cut open, four times as large, white at the left, black at the right.",
            f"Each has a hole of {wide:g} millimetres, {deep:g} deep, in its foot.",
            f"In it sits the body of a {PLUG:g} millimetre mono plug without its cap, its flange "
            f"level with the foot; its pin of {PLUG_LENGTH:g} millimetres stands out below as the "
            "peg.",
            "Inside, a resistor joins the two solder lugs, tip and sleeve.",
            "The black pawn has a round-headed brass pin, 3 millimetres wide, in the top of its "
            f"head: this is the special mark, and all {black} black pieces have it.",
            f"Resistors: {values}.",
        ]
    )


def _pawn(middle: float, top: float, scale: float, special: bool) -> list[str]:
    """A pawn cut open, its foot level at ``top`` + height, the peg below."""

    def at(x: float, y: float) -> tuple[float, float]:
        return middle + x * scale, top + y * scale

    half, height = PIECE_BASE / 2, PIECE_HEIGHT
    outline = [
        (4.2, 1.2), (5.4, 4.0), (5.4, 6.5), (4.0, 9.2), (6.2, 10.2), (6.2, 11.6), (4.4, 12.6),
        (5.0, 17.0), (6.4, 22.0), (7.0, 27.0), (half, 31.0), (half, height),
    ]  # fmt: skip
    outline = [(2.0, 0.2), *outline]
    both = [at(x, y) for x, y in outline] + [at(-x, y) for x, y in reversed(outline)]
    style = 'fill="#999"' if special else 'fill="#f4ead0"'
    parts = [svg.path(both, f'{style} stroke="black" stroke-width="0.6"')]

    def box(x: float, y: float, width: float, tall: float, fill: str = "white") -> str:
        left, upper = at(x, y)
        ink = f'fill="{fill}" stroke="black" stroke-width="0.5"'
        return svg.rect(left, upper, width * scale, tall * scale, ink)

    wide, deep = PIECE_HOLE
    parts.append(box(-wide / 2, height - deep, wide, deep))
    parts.append(box(-4.2, height - 2.5, 8.4, 2.5, "#ddd"))
    parts.append(box(-2.6, height - 7, 5.2, 4.5, "#ddd"))
    # The lugs, and the resistor between them.
    parts.append(box(-2.2, height - 9.5, 0.7, 2.5, "#ddd"))
    parts.append(box(1.5, height - 11.5, 0.7, 4.5, "#ddd"))
    parts.append(box(-1.0, height - 14.4, 2.0, 4.4, "#fff"))
    ink = 'fill="none" stroke="black" stroke-width="0.6"'
    lead = [
        (0.0, height - 14.4),
        (0.0, height - 15.2),
        (1.85, height - 15.2),
        (1.85, height - 11.5),
    ]
    parts.append(svg.path([at(x, y) for x, y in lead], ink, closed=False))
    lead = [(0.0, height - 10.0), (0.0, height - 9.2), (-1.85, height - 9.2)]
    parts.append(svg.path([at(x, y) for x, y in lead], ink, closed=False))
    # Sleeve, insulating ring, tip.
    r = PLUG / 2
    parts.append(box(-r, height, PLUG, PLUG_LENGTH - 5.5, "#eee"))
    parts.append(box(-r, height + PLUG_LENGTH - 5.5, PLUG, 1, "#333"))
    low = height + PLUG_LENGTH
    tip = [(-r, low - 4.5), (r, low - 4.5), (r, low - 3.6), (1.0, low - 2.8), (1.5, low - 1.6)]
    tip += [(0.3, low), (-0.3, low), (-1.5, low - 1.6), (-1.0, low - 2.8), (-r, low - 3.6)]
    parts.append(
        svg.path([at(x, y) for x, y in tip], 'fill="#eee" stroke="black" stroke-width="0.5"')
    )
    if special:
        head = [(-1.5, 0.2), (-1.3, -0.7), (-0.6, -1.2), (0.6, -1.2), (1.3, -0.7), (1.5, 0.2)]
        parts.append(
            svg.path([at(x, y) for x, y in head], 'fill="#c90" stroke="black" stroke-width="0.5"')
        )
        parts.append(box(-0.4, 0.2, 0.8, 5, "#c90"))
    return parts


def draw() -> str:
    """A white and a black pawn cut open, as SVG."""
    scale, top = 4.0, 20.0
    body = svg.group("White pawn", _pawn(60, top, scale, special=False))
    body += svg.group("Black pawn, specially marked", _pawn(170, top, scale, special=True))
    foot = top + PIECE_HEIGHT * scale

    def note(y: float, text: str, x: float) -> list[str]:
        return [svg.line(x, y, 232, y), svg.text(234, y + 2, text, 6, "start")]

    body += note(top - 3, "special mark: brass pin, black pieces only", 176)
    body += note(foot - 56, "resistor, tip to sleeve", 175)
    body += note(foot - 36, "lugs of tip and sleeve", 177)
    body += note(foot - 5, "flange, level with the foot", 187)
    body += note(foot + 17, "sleeve", 177)
    body += note(foot + 36, "insulating ring", 177)
    body += note(foot + 44, "tip", 177)
    body += svg.dimension(130, foot, 130, foot + PLUG_LENGTH * scale, svg.number(PLUG_LENGTH))
    body += svg.dimension(
        60 - PIECE_BASE * 2, foot + 66, 60 + PIECE_BASE * 2, foot + 66, svg.number(PIECE_BASE)
    )
    body += [
        svg.text(60, foot + 80, "white pawn", 7),
        svg.text(170, foot + 80, "black pawn", 7),
        svg.text(180, foot + 96, "4 : 1, a pawn of the smallest foot; other pieces alike", 6),
    ]
    return svg.document(
        "Pieces, plugs and the resistors inside",
        _in_words(),
        (0, 0, 370, foot + 106),
        "mm",
        body,
    )
