"""Writes moves in the British chess code in Braille, which the scoresheets read."""

import re

_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", strict=True))
_RANKS = dict(zip("12345678", "⠂⠆⠒⠲⠢⠖⠶⠦", strict=True))
_BRITISH = {"B": "l", "N": "s"}
_MATE = "⠜⠍"


def british(san: str) -> str:
    """A move in standard algebraic notation (English letters) in the British chess code.

    The accessible parts of the code leave out castling, promotion and their check. They are
    ``⠴⠤⠴``, the piece behind the square, and ``⠜⠏`` behind the move.
    Raises ValueError if ``san`` is not a move.
    """
    castling = re.fullmatch(r"([O0]-[O0](?:-[O0])?)([+#]?)", san)
    if castling is not None:
        cells = castling[1].replace("O", "0").replace("0", "⠴").replace("-", "⠤")
        return cells + {"": "", "+": "⠜⠏", "#": _MATE}[castling[2]]
    move = re.fullmatch(
        r"([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h])([1-8])=?([QRBN]?)([+#]?)(?: ?e\.p\.)?", san
    )
    if move is None:
        raise ValueError(f"{san!r} is not a move: give one like Nxf3+.")
    piece, origin, captures, file, rank, promotion, check = move.groups()
    piece, promotion = (_BRITISH.get(letter, letter.lower()) for letter in (piece, promotion))
    sign = {"x": "⠰", "x+": "⠸", "+": "⠘"}.get(captures + check.replace("#", ""), "")
    cells = "".join(_RANKS.get(c) or _LETTERS[c] for c in f"{piece}{origin}")
    square = "".join(_RANKS.get(c) or _LETTERS[c] for c in f"{file}{rank}{promotion}")
    return cells + sign + square + (_MATE if check == "#" else "")
