"""The board of a page: 64 squares with python-chess's drawings of pieces."""

from collections.abc import Callable, Collection, Mapping
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


@dataclass(frozen=True)
class Square:
    """One square of a page's board. ``image`` is the name of a drawing, empty for no piece."""

    name: str
    label: str
    image: str
    dark: bool
    marked: bool
    differs: bool = False


def drawing(name: str) -> str:
    """The SVG of a piece by its name, such as ``white-knight``; KeyError for any other."""
    return chess.svg.piece(chess.Piece.from_symbol(NAMES[name]))


def rows(
    pieces: Pieces,
    language: str,
    *,
    black_below: bool,
    marked: Collection[int] = (),
    differing: Collection[int] = (),
    name: Callable[[chess.Square], str] = chess.square_name,
) -> list[list[Square]]:
    """The board's rows from top to bottom, seen from the player below. ``marked`` are the squares
    of the last move, ``differing`` those that show something wrong; ``name`` names a square."""
    pack, words = load(language), catalogue(language)

    def square(at: int) -> Square:
        letter = pieces.get(at)
        what = pack.piece(chess.Piece.from_symbol(letter)) if letter else words["empty"]
        dark = not chess.BB_SQUARES[at] & chess.BB_LIGHT_SQUARES
        label = f"{name(at)}, {what}"
        if at in marked:
            label += f", {words['last_move_here']}"
        if at in differing:
            label += f", {words['differs_here']}"
        image = _NAME_OF[letter] if letter else ""
        return Square(chess.square_name(at), label, image, dark, at in marked, at in differing)

    ranks = range(8) if black_below else range(7, -1, -1)
    files = range(7, -1, -1) if black_below else range(8)
    return [[square(chess.square(file, rank)) for file in files] for rank in ranks]
