"""Letters of straight strokes for the printed board and for engraving."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import circuit
from circuit import Part

Stroke = list[tuple[float, float]]

PEN = 0.15

# Points are written as x and y from 0 to 4 and 0 to 6; a blank lifts the pen.
_GLYPHS = {
    "0": "1030 3041 4145 4536 3616 1605 0501 0110 1145", "1": "1526 2620 1030",
    "2": "0506 0636 3645 4544 4400 0040", "3": "0646 4623 2333 3342 4241 4130 3010 1001",
    "4": "3036 3602 0242", "5": "4606 0603 0333 3342 4241 4130 3000",
    "6": "4636 3614 1402 0201 0110 1030 3041 4142 4233 3313 1302", "7": "0646 4610",
    "8": "1333 3344 4445 4536 3616 1605 0504 0413 1302 0201 0110 1030 3041 4142 4233",
    "9": "4424 4433 3313 1304 0405 0516 1636 3645 4544 4432 3210", "A": "0004 0426 2644 4440 0242",
    "B": "0006 0636 3645 4544 4433 3303 3342 4241 4130 3000",
    "C": "4536 3616 1605 0501 0110 1030 3041", "D": "0006 0626 2644 4442 4220 2000",
    "E": "4606 0600 0040 0333", "F": "4606 0600 0333",
    "G": "4536 3616 1605 0501 0110 1030 3041 4143 4323", "H": "0006 4046 0343",
    "I": "1030 2026 1636", "J": "4641 4130 3010 1001", "K": "0006 4603 0340", "L": "0600 0040",
    "M": "0006 0623 2346 4640", "N": "0006 0640 4046",
    "O": "1030 3041 4145 4536 3616 1605 0501 0110", "P": "0006 0636 3645 4544 4433 3303",
    "Q": "1030 3041 4145 4536 3616 1605 0501 0110 2240", "R": "0006 0636 3645 4544 4433 3303 2340",
    "S": "4536 3616 1605 0504 0413 1333 3342 4241 4130 3010 1001", "T": "0646 2620",
    "U": "0601 0110 1030 3041 4146", "V": "0620 2046", "W": "0610 1023 2330 3046",
    "X": "0046 0640", "Y": "0623 2346 2320", "Z": "0646 4600 0040",
    "a": "0414 1434 3443 4340 4212 1201 0110 1030 3041", "b": "0600 0434 3443 4341 4130 3000",
    "c": "4434 3414 1403 0301 0110 1040", "d": "4640 4414 1403 0301 0110 1040",
    "e": "0242 4243 4334 3414 1403 0301 0110 1040", "f": "1015 1526 2636 0434",
    "g": "4515 1504 0403 0312 1242 4541 4130 3010 1001", "h": "0006 0434 3443 4340",
    "+": "2125 0343",
    "-": "0343", ".": "2021", "/": "0046",
}  # fmt: skip


def strokes(text: str, x: float, y: float, height: float, mirrored: bool = False) -> list[Stroke]:
    """The lines of ``text`` around the point x, y. ``mirrored`` text is read from below."""
    unit = height / 6
    width = unit * (6 * len(text) - 2)
    sign = -1 if mirrored else 1
    found = []
    for i, letter in enumerate(text):
        if letter == " ":
            continue
        for pair in _GLYPHS[letter].split():
            points = []
            for px, py in (pair[:2], pair[2:]):
                dx, dy = (6 * i + int(px)) * unit - width / 2, int(py) * unit - height / 2
                points.append((round(x + sign * dx, 4), round(y + dy, 4)))
            found.append(points)
    return found


def _frame(part: Part, more: float) -> Stroke:
    (x1, y1), (x2, y2) = part.point(*part.footprint.body[:2]), part.point(*part.footprint.body[2:])
    left, right, low, high = (
        min(x1, x2) - more,
        max(x1, x2) + more,
        min(y1, y2) - more,
        max(y1, y2) + more,
    )
    return [(left, low), (right, low), (right, high), (left, high), (left, low)]


_FRAMES = {circuit.NANO.name: -0.3, circuit.SOIC24.name: -0.3}
"""How much larger a frame is than the part, so that no line lies on a pad or beyond the edge."""


def of_board(parts: Sequence[Part]) -> Iterator[tuple[bool, Stroke]]:
    """Each line printed on the board, with whether it is on the lower side.

    Above, each jack has its square. Below, each part has its name, and pad 1 a tick.
    """
    for part in parts:
        x, y = part.at
        if part.footprint is circuit.JACK:
            for line in strokes(part.value, x + 9.6, y, 2.0):
                yield False, line
            yield False, _frame(part, 0.1)
            for line in strokes(part.value, x + 9.6, y, 2.0, mirrored=True):
                yield True, line
            continue
        frame = _frame(part, _FRAMES.get(part.footprint.name, 0.3))
        surface = not part.footprint.pads[0].drill
        if not surface or part.footprint is circuit.SOIC24:
            yield True, frame
        if part.footprint is circuit.SOIC24:
            first = part.footprint.pads[0]
            yield True, [part.point(first.x + dx, first.y + 0.8) for dx in (-0.5, 0.5)]
        reach = [(pad.x + pad.width / 2, pad.y + pad.height / 2) for pad in part.pads()]
        middle = (x, max(frame[2][1], *(top for _, top in reach)) + 1.1)
        if surface and part.footprint is not circuit.SOIC24 and not part.turn % 180:
            # Beside a part that lies: they stand close above each other.
            width = 0.2 * (6 * len(part.reference) - 2)
            middle = (max(right for right, _ in reach) + 0.7 + width / 2, y)
        for line in strokes(part.reference, *middle, 1.2, mirrored=True):
            yield True, line
        if part.footprint is circuit.SOD123:  # the cathode
            yield True, [part.point(-2.4, -0.7), part.point(-2.4, 0.7)]
