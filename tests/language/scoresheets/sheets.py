"""How people write moves: every legal move of a position in every form and country."""

from __future__ import annotations

from collections.abc import Iterator

import chess

from blindplay.language import load
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.letters import (
    BRITISH_BRAILLE,
    FIGURINES,
    LANGUAGES,
    SheetLetters,
)


def of_language(language: str) -> SheetLetters:
    """The letters of a sheet that is in one language of :data:`LANGUAGES`."""
    five = (letters.split("/")[0] for letters in LANGUAGES[language].split()[:5])
    return SheetLetters(frozenset(five), braille=language == BRITISH_BRAILLE, language=language)


GERMAN, ENGLISH, FRENCH = map(of_language, ("de", "en", "fr"))
BRITISH = of_language(BRITISH_BRAILLE)
FIGURINE = SheetLetters(bare=True)
LETTERS = {GERMAN: "KDTLS", ENGLISH: "KQRBN", FRENCH: "RDTFC", FIGURINE: FIGURINES[:5]}


def printed(board: chess.Board, move: chess.Move, letters: SheetLetters) -> str:
    """The move as the Laws print it, in the letters of a country, with all signs."""
    san = board.copy(stack=False).san(move).replace("O", "0").replace("=", "")
    return san.translate(str.maketrans("KQRBN", LETTERS[letters]))


def exact_forms(board: chess.Board, move: chess.Move, letters: SheetLetters) -> Iterator[str]:
    """Forms with nothing left out: each is surely the move on a sheet of that notation."""
    text = printed(board, move, letters)
    yield text
    yield text.rstrip("+#")
    yield text.replace("#", "++")
    yield text.replace("x", ":")
    yield text.replace("x", " × ")
    yield f"{text}!?"
    yield f"{text} (=)"
    if "0-0" in text:
        yield text.replace("0", "O")
        yield text.replace("0", "o")
        yield text.replace("-", "")
        yield text.replace("-", " – ")
        return
    board = board.copy(stack=False)
    pawn = board.piece_type_at(move.from_square) == chess.PAWN
    captures = "x" in text
    if pawn and captures:
        yield text.replace("x", "")
        yield text.replace("x", " ")
    if captures:
        bare = text.rstrip("+#").replace("x", "")
        if not move.promotion:
            yield f"{bare}:"
    if board.is_en_passant(move):
        yield text.rstrip("+#") + "e.p."
        yield f"{text} e.p."
        yield f"{text} ep"
    if move.promotion:
        letter = text.rstrip("+#")[-1]
        head = text.rstrip("+#")[:-1]
        for style in ("={}", "({})", "/{}", "=({})", "-{}"):
            yield head + style.format(letter)
        yield head + letter.lower()
    piece = "" if pawn else text[0]
    end = text.rstrip("+#")[-1] if move.promotion else ""
    start, target = chess.square_name(move.from_square), chess.square_name(move.to_square)
    link = ("x", ":", " x ") if captures else ("-", "", " – ")
    for sign in link:
        yield f"{piece}{start}{sign}{target}{end}"
    if not board.is_castling(move):
        yield move.uci()
    squares = (move.from_square, move.to_square)
    numeric = "".join(f"{chess.square_file(s) + 1}{chess.square_rank(s) + 1}" for s in squares)
    yield numeric + ("" if not move.promotion else str(" qrbn".index(move.uci()[-1])))


def braille_forms(board: chess.Board, move: chess.Move, letters: SheetLetters) -> Iterator[str]:
    """The move in Braille on a sheet of that notation."""
    text = printed(board, move, letters)
    for language in ("de", "nb", "en"):
        yield braille.write(text, language)
    # Ranks as lowered digits, with a capital sign.
    lowered = braille.write(text.rstrip("+#"), "de")
    for digit, low in zip("⠁⠃⠉⠙⠑⠋⠛⠓", "⠂⠆⠒⠲⠢⠖⠶⠦", strict=True):
        lowered = lowered.replace(f"⠼{digit}", low)
    if "0-0" not in text:
        yield lowered


def spoken_forms(board: chess.Board, move: chess.Move) -> Iterator[str]:
    """The move in words."""
    for language in ("de", "nb", "sv", "da", "en"):
        yield load(language).announce(board, move)
        yield load(language).announce(board, move, check=True)
