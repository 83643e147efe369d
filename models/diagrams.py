"""Diagrams of how far odds can be trusted, as SVG: they need no program but a browser.

The left one is the reliability: of meanings whose odds promise so much, how many are right. The
right one is the trade-off: the more is accepted without a question, the more of it is wrong.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_SIDE, _MARGIN = 320, 60
_BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99, 1.0)


@dataclass(frozen=True)
class ReliabilityBin:
    """Of ``of`` meanings the odds promise the share ``promised``; the share ``right`` is right."""

    promised: float
    right: float
    of: int


def reliability(odds: Sequence[float], right: Sequence[bool]) -> list[ReliabilityBin]:
    """Return how many meanings are right, by what their odds, in nats, promise."""
    pairs = [
        (1 / (1 + math.exp(-max(-50.0, one))), ok) for one, ok in zip(odds, right, strict=True)
    ]
    found = []
    for low, high in itertools.pairwise(_BINS):
        inside = [pair for pair in pairs if low <= pair[0] < high or pair[0] == high == 1.0]
        if inside:
            promised, ok = (sum(column) / len(inside) for column in zip(*inside, strict=True))
            found.append(ReliabilityBin(promised, ok, len(inside)))
    return found


def trade_off(odds: Sequence[float], right: Sequence[bool]) -> list[tuple[int, int]]:
    """Return how many wrong and right meanings are accepted, from the highest odds downwards."""
    points, wrong, good = [(0, 0)], 0, 0
    for _, ok in sorted(zip(odds, right, strict=True), key=lambda pair: -pair[0]):
        wrong, good = wrong + (not ok), good + ok
        points.append((wrong, good))
    return points


def svg(title: str, odds: Sequence[float], right: Sequence[bool], most_wrong: int = 20) -> str:
    """Return both diagrams in one SVG image, which says the same in words to screen readers."""
    bins = reliability(odds, right)
    curve = [point for point in trade_off(odds, right) if point[0] <= most_wrong]
    most = max(1, curve[-1][1])
    told = "; ".join(
        f"{100 * one.promised:.1f} % promised, {100 * one.right:.1f} % of {one.of} right"
        for one in bins
    )
    before = dict(reversed(curve))
    told += ". Right before each wrong one: " + ", ".join(
        str(good) for wrong, good in sorted(before.items()) if wrong
    )
    width, height = 2 * _SIDE + 3 * _MARGIN, _SIDE + 2 * _MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'font-family="sans-serif" font-size="13" role="img">',
        f"<title>{escape(title)}</title><desc>{escape(told)}.</desc>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{_MARGIN}" y="24" font-size="15">{escape(title)}</text>',
    ]
    left, other = _MARGIN, 2 * _MARGIN + _SIDE
    parts += _axes(left, "promised", "right", "100 %", "100 %")
    x, y = _at(left, 0, 0)
    to_x, to_y = _at(left, 1, 1)
    parts.append(f'<path d="M{x} {y}L{to_x} {to_y}" stroke="#999" stroke-dasharray="4"/>')
    parts += [_dot(left, one.promised, one.right, 3 + math.log10(one.of)) for one in bins]
    parts += _axes(other, "wrong accepted", "right accepted", str(most_wrong), str(most))
    line = "L".join(
        "{} {}".format(*_at(other, wrong / most_wrong, good / most)) for wrong, good in curve
    )
    parts.append(f'<path d="M{line}" fill="none" stroke="#036" stroke-width="2"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _at(left: int, x: float, y: float) -> tuple[float, float]:
    return round(left + x * _SIDE, 1), round(_MARGIN + (1 - y) * _SIDE, 1)


def _dot(left: int, x: float, y: float, size: float) -> str:
    across, down = _at(left, x, y)
    return f'<circle cx="{across}" cy="{down}" r="{size:.1f}" fill="#036"/>'


def _axes(left: int, across: str, up: str, most_across: str, most_up: str) -> list[str]:
    bottom = _MARGIN + _SIDE
    return [
        f'<rect x="{left}" y="{_MARGIN}" width="{_SIDE}" height="{_SIDE}" fill="none" '
        'stroke="black"/>',
        f'<text x="{left}" y="{bottom + 18}">0</text>',
        f'<text x="{left + _SIDE}" y="{bottom + 18}" text-anchor="end">{most_across}</text>',
        f'<text x="{left + _SIDE / 2}" y="{bottom + 18}" text-anchor="middle">{across}</text>',
        f'<text x="{left + 4}" y="{_MARGIN - 6}">{up}, up to {most_up}</text>',
    ]
