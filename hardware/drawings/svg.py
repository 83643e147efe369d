"""The shapes of the drawings to scale, and the frame around every drawing.

Every drawing has a title and a description, and each of its parts has a title, so that a screen
reader can describe the drawing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

INK = 'fill="none" stroke="black" stroke-width="0.4"'
THIN = 'fill="none" stroke="black" stroke-width="0.2"'


def number(value: float) -> str:
    """A length in a drawing: two decimals at most, no trailing zeros, never ``-0``."""
    return f"{round(value, 2) + 0.0:g}"


def document(
    title: str,
    description: str,
    box: tuple[float, float, float, float],
    unit: str,
    body: Iterable[str],
) -> str:
    """A whole drawing. ``box`` is its left, top, width and height in ``unit`` (mm or px)."""
    left, top, width, height = map(number, box)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" '
            f'lang="en" width="{width}{unit}" height="{height}{unit}" '
            f'viewBox="{left} {top} {width} {height}">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="white"/>',
            *body,
            "</svg>",
            "",
        ]
    )


def group(title: str, parts: Iterable[str]) -> list[str]:
    """Parts that belong together, with a title for screen readers."""
    return ["<g>", f"<title>{escape(title)}</title>", *parts, "</g>"]


def rect(x: float, y: float, width: float, height: float, style: str = INK) -> str:
    return (
        f'<rect x="{number(x)}" y="{number(y)}" width="{number(width)}" '
        f'height="{number(height)}" {style}/>'
    )


def circle(x: float, y: float, diameter: float, style: str = INK) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(diameter / 2)}" {style}/>'


def line(x1: float, y1: float, x2: float, y2: float, style: str = THIN) -> str:
    return (
        f'<line x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}" {style}/>'
    )


def path(points: Sequence[tuple[float, float]], style: str = INK, closed: bool = True) -> str:
    steps = " L ".join(f"{number(x)} {number(y)}" for x, y in points)
    return f'<path d="M {steps}{" Z" if closed else ""}" {style}/>'


def text(x: float, y: float, words: str, size: float = 5, anchor: str = "middle") -> str:
    return (
        f'<text x="{number(x)}" y="{number(y)}" font-family="sans-serif" '
        f'font-size="{number(size)}" text-anchor="{anchor}">{escape(words)}</text>'
    )


def dimension(x1: float, y1: float, x2: float, y2: float, label: str) -> list[str]:
    """A level or upright dimension line, with a bar at each end."""
    level = y1 == y2
    bars = [
        line(x, y - 1.5, x, y + 1.5) if level else line(x - 1.5, y, x + 1.5, y)
        for x, y in ((x1, y1), (x2, y2))
    ]
    middle = ((x1 + x2) / 2, (y1 + y2) / 2)
    words = (
        text(middle[0], y1 - 1.5, label) if level else text(x1 + 2, middle[1], label, 5, "start")
    )
    return [line(x1, y1, x2, y2), *bars, words]
