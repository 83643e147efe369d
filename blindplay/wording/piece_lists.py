"""Pieces with their squares, as somebody types or says them to set up a position."""

import re
from collections.abc import Mapping
from functools import lru_cache

import chess

from blindplay.language import Language, load
from blindplay.language.pack import fold

from .drills import squares_in

_SIGN = re.compile(r"([A-Za-z])\s*([a-h][1-8])")


def read_pieces(pack: Language, text: str, *, empty: bool = False) -> dict[int, str | None]:
    """The FEN letters by squares that a text such as "white king e1, black pawns a7 b7" names.
    ``empty``: the text names squares only, and nothing is to stand there. Nothing if a part of it
    is not understood.

    A letter of a piece may stand before a square, a capital one for White: ``Ke1, qd8``.

    >>> read_pieces(load("de"), "weißer König Eva eins, schwarze Bauern a7 b7")
    {4: 'K', 48: 'p', 49: 'p'}
    """
    found: dict[int, str | None] = {}
    for part in re.split(r"[,;.]", text):
        if not part.strip():
            continue
        sign = _SIGN.fullmatch(part.strip())
        squares = squares_in(pack, part)
        letter = None
        if not empty and sign is not None:
            letter = _letters(pack).get(sign[1].upper())
            letter = letter.lower() if letter and sign[1].islower() else letter
            squares = [chess.parse_square(sign[2])]
        elif not empty:
            words = fold(part)
            letter = next((one for name, one in _names(pack).items() if _begins(words, name)), None)
        if not squares or (letter is None and not empty):
            return {}
        found |= dict.fromkeys(squares, letter)
    return found


def _begins(words: str, name: str) -> bool:
    return words == name or words.startswith(f"{name} ")


@lru_cache(maxsize=8)
def _names(pack: Language) -> Mapping[str, str]:
    """The FEN letters by the folded names of pieces, of the pack or in English."""
    found: dict[str, str] = {}
    for language in (load("en"), pack):
        for color in chess.COLORS:
            for kind in chess.PIECE_TYPES:
                piece = chess.Piece(kind, color)
                for name in (language.piece(piece), language.pieces(kind, color)):
                    found[fold(name)] = piece.symbol()
    return found


@lru_cache(maxsize=8)
def _letters(pack: Language) -> Mapping[str, str]:
    """White's FEN letters by those of the country, else by those of FEN."""
    return {letter: letter for letter in "KQRBNP"} | {
        pack.notation(letter): letter for letter in "KQRBN"
    }
