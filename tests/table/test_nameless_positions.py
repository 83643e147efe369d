"""Positions of a board that knows only which squares are occupied."""

from __future__ import annotations

import re
from pathlib import Path

import chess

from blindplay.table.nameless_positions import read_position
from tests.table.sitting import START, Sitting

# The pawn takes on d5 or on f5.
FEN = "4k3/8/8/3p1p2/4P3/8/8/4K3 w - - 0 1"


def shown(move: str, fen: str = FEN) -> str:
    board = chess.Board(fen)
    board.push_uci(move)
    return board.board_fen()


def without_names(placement: str) -> str:
    return re.sub("[A-Za-z]", "?", placement)


def squares(*names: str) -> list[int]:
    return [chess.parse_square(name) for name in names]


def test_captures_that_look_alike_are_told_apart_by_what_was_lifted_or_announced(
    tmp_path: Path,
) -> None:
    at = Sitting(tmp_path, fen=FEN)
    try:
        at.start()
        game, alike = at.table.game, without_names(shown("e4d5"))
        assert read_position(game, "white", alike, squares("e4", "f5")) == shown("e4f5")
        assert read_position(game, "white", alike, squares("e4")) is None
        assert read_position(game, "white", None, []) is None
        assert read_position(game, "white", shown("e4d5"), []) == shown("e4d5")
        assert read_position(game, "white", without_names(START), []) is None
        at.session.typed("white", "Eva vier David fünf")
        assert read_position(game, "white", alike, squares("e4")) == shown("e4d5")
    finally:
        at.close()


def test_a_promoted_pawn_stays_a_pawn_until_words_say_what_it_is(tmp_path: Path) -> None:
    fen = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1"
    at = Sitting(tmp_path, fen=fen)
    try:
        at.start()
        game, promoted = at.table.game, without_names(shown("a7a8q", fen))
        assert read_position(game, "white", promoted, squares("a7")) == "P3k3/8/8/8/8/8/8/4K3"
        at.session.typed("white", "Anna sieben Anna acht Turm")
        assert read_position(game, "white", promoted, squares("a7")) == shown("a7a8r", fen)
    finally:
        at.close()
