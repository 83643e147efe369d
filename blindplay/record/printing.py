"""Scoresheets on paper: pages of Braille for an embosser, and a page of HTML for a printer."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from .score import ENGLISH, Labels, ScoredPly, moves, written

CELLS, LINES = 40, 25
"""Cells in a line and lines on a page of Braille paper, as BRF files have them."""
POINTS = 14
"""Size of type: 12 is the least that is recommended, 16 to 22 are large print (RNIB)."""
NOT_SIGNED: Mapping[str, str] = MappingProxyType({})
_RUNOVER = "  "  # a block that takes another line continues in its third cell


def pages(
    blocks: Iterable[str],
    *,
    cells: int = CELLS,
    lines: int = LINES,
    number: Callable[[int], str] = str,
) -> list[list[str]]:
    """Lay out text in which each sign takes one cell: Unicode Braille, BRF or print.

    Each block (for example a move) begins a line. A block that is too long is broken at blanks; it
    is not divided between two pages if it fits on one. From the second page on, the first line
    holds the page's number at its right end, as ``number`` writes it.

    :raises ValueError: for fewer than 10 cells or 3 lines.
    """
    if cells < 10 or lines < 3:
        raise ValueError("A Braille page needs at least 10 cells in a line and 3 lines.")
    found: list[list[str]] = [[]]
    for block in blocks:
        folded = list(_folded(block, cells))
        if len(folded) <= lines - 1 and len(found[-1]) + len(folded) > lines:
            found.append([])
        for line in folded:
            if len(found[-1]) == lines:
                found.append([])
            if not found[-1] and len(found) > 1:
                found[-1].append(number(len(found)).rjust(cells))
            found[-1].append(line)
    return found


def _folded(block: str, cells: int) -> Iterator[str]:
    line = ""
    for word in block.split():
        if line.strip() and len(line) + 1 + len(word) > cells:
            yield line
            line = _RUNOVER
        line += word if not line.strip() else f" {word}"
        while len(line) > cells:  # a word that is longer than a line
            yield line[:cells]
            line = _RUNOVER + line[cells:]
    yield line


def brf(laid_out: Iterable[Iterable[str]]) -> str:
    """Pages of BRF signs as a file: CR LF ends a line, a form feed ends a page.

    Programs differ in how they end lines and pages; this is how liblouisutdml does it.
    """
    return "".join("".join(f"{line}\r\n" for line in page) + "\f" for page in laid_out)


def html(
    title: str,
    heading: Mapping[str, str],
    entries: Iterable[ScoredPly],
    labels: Labels = ENGLISH,
    *,
    language: str = "en",
    points: int = POINTS,
    signed: Mapping[str, str] = NOT_SIGNED,
) -> str:
    """A scoresheet as one HTML page, for a printer and for a screen reader.

    ``heading`` stands above the moves, one line each. Struck entries are struck through, and words
    say so, too. Below is room for both signatures (8.7), with the results that were ``signed``
    at the table, by sides. ``points``: size of type, 6 to 72.

    :raises ValueError: for another size.
    """
    from jinja2 import Environment, PackageLoader  # it is large, and only this page needs it

    if not 6 <= points <= 72:
        raise ValueError("The size of type must be 6 to 72 points; 18 and more is large print.")
    environment = Environment(
        loader=PackageLoader("blindplay.record"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("scoresheet.html").render(
        title=title, heading=heading, moves=moves(entries), labels=labels, language=language,
        points=points, signed=signed, written=written,
    )  # fmt: skip
