"""The board of a page: 64 squares with python-chess's drawings of pieces, and their marks."""

import functools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import chess
import chess.svg

from blindplay.language import load
from blindplay.laws.placement import Pieces

from .messages import catalogue

# Names of files: on some systems p.svg and P.svg are the same.
NAMES: Mapping[str, str] = {
    f"{'white' if piece.color else 'black'}-{chess.piece_name(piece.piece_type)}": piece.symbol()
    for piece in (chess.Piece(kind, color) for kind in chess.PIECE_TYPES for color in chess.COLORS)
}
_NAME_OF = {letter: name for name, letter in NAMES.items()}

_MARKS = {
    "last": "last_move_here",
    "touched": "touched_here",
    "check": "check_here",
    "differs": "differs_here",
    "apart": "differs_here",
}


@dataclass(frozen=True)
class Square:
    """One square of a page's board. ``image`` is the name of a drawing, empty for no piece.

    ``marks`` are special features, in the order of the label: "last", "touched",
    "check", "differs", "apart". ``file`` and ``rank`` are written on an edge of the board, else
    empty: the page shows those of the edges that are on the left and below.
    """

    name: str
    label: str
    image: str
    dark: bool
    marks: tuple[str, ...]
    file: str
    rank: str


def drawing(name: str) -> str:
    """The SVG of a piece by its name, such as ``white-knight``; KeyError for any other."""
    return chess.svg.piece(chess.Piece.from_symbol(NAMES[name]))


def image_of(letter: str) -> str:
    """The name of the drawing of a FEN letter; empty for an unknown piece."""
    return _NAME_OF.get(letter, "")


def drawings() -> str:
    """One SVG with all pieces, one below the other; a view of each piece has the piece's name."""
    size = chess.svg.SQUARE_SIZE
    parts = [
        f'<view id="{name}" viewBox="0 {size * at} {size} {size}"/>'
        f'<g transform="translate(0 {size * at})">{_unnamed(chess.svg.PIECES[letter])}</g>'
        for at, (name, letter) in enumerate(NAMES.items())
    ]
    box = f"0 0 {size} {size * len(parts)}"
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">{"".join(parts)}</svg>'


def _unnamed(svg: str) -> str:
    """A drawing without its own id, which would compete with that of its view."""
    return re.sub(r' id="[^"]*"', "", svg, count=1)


Rows = Sequence[Sequence[Square]]
"""The squares of a board in rows, from top to bottom."""


def rows(
    pieces: Pieces,
    language: str,
    *,
    black_below: bool,
    marked: Collection[int] = (),
    touched: Collection[int] = (),
    check: Collection[int] = (),
    differing: Collection[int] = (),
    apart: Collection[int] = (),
    name: Callable[[chess.Square], str] = chess.square_name,
) -> Rows:
    """The board's rows, seen from the player below. ``marked`` are the squares of the last move,
    ``touched`` those of touched pieces, ``check`` that of a king in check, ``differing`` those that
    show something wrong, ``apart`` those that differ from another board while a move is executed;
    ``name`` names a square."""
    meant = (marked, touched, check, differing, apart)
    marks = tuple(map(frozenset, meant))
    return _rows(frozenset(pieces.items()), language, black_below, marks, name)


@functools.lru_cache(maxsize=64)
def _rows(
    placed: frozenset[tuple[int, str]],
    language: str,
    black_below: bool,
    marks: tuple[frozenset[int], ...],
    name: Callable[[chess.Square], str],
) -> Rows:
    pack, words, pieces = load(language), catalogue(language), dict(placed)
    meant = dict(zip(_MARKS, marks, strict=True))

    def square(at: int) -> Square:
        letter = pieces.get(at)
        what = pack.piece(chess.Piece.from_symbol(letter)) if letter else words["empty"]
        own = tuple(mark for mark, squares in meant.items() if at in squares)
        file, rank = tuple(chess.square_name(at))
        return Square(
            name=file + rank,
            label=", ".join((name(at), what, *(words[_MARKS[mark]] for mark in own))),
            image=_NAME_OF[letter] if letter else "",
            dark=not chess.BB_SQUARES[at] & chess.BB_LIGHT_SQUARES,
            marks=own,
            file=file if rank in "18" else "",
            rank=rank if file in "ah" else "",
        )

    ranks = range(8) if black_below else range(7, -1, -1)
    files = range(7, -1, -1) if black_below else range(8)
    return tuple(tuple(square(chess.square(file, rank)) for file in files) for rank in ranks)
