"""Pieces with their squares, as people type them in each language."""

from __future__ import annotations

import chess
import pytest

from blindplay.language import languages, load
from blindplay.wording.piece_lists import read_pieces


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("white king e1", {chess.E1: "K"}),
        ("White king on Eva one, black pawns a7 b7", {4: "K", 48: "p", 49: "p"}),
        ("Ke1, qd8", {chess.E1: "K", chess.D8: "q"}),
        ("N f3", {chess.F3: "N"}),
        ("king e1", {}),
        ("white king", {}),
        ("white king e1, something", {}),
        ("", {}),
    ],
)
def test_pieces_are_read_with_their_squares(text: str, found: dict[int, str]) -> None:
    assert read_pieces(load("en"), text) == found


@pytest.mark.parametrize("code", languages())
def test_every_piece_is_read_as_its_language_says_it(code: str) -> None:
    pack = load(code)
    for color in chess.COLORS:
        for kind in chess.PIECE_TYPES:
            piece = chess.Piece(kind, color)
            for name in (pack.piece(piece), pack.pieces(kind, color)):
                assert read_pieces(pack, f"{name} {pack.square(9)}") == {9: piece.symbol()}
            if kind != chess.PAWN:
                letter = pack.notation(chess.piece_symbol(kind).upper())
                letter = letter if color else letter.lower()
                assert read_pieces(pack, f"{letter}b2") == {9: piece.symbol()}


def test_squares_are_emptied() -> None:
    assert read_pieces(load("en"), "e4 d5", empty=True) == {chess.E4: None, chess.D5: None}
    assert read_pieces(load("en"), "nothing", empty=True) == {}
