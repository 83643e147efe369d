"""Placements: how moves change them, and which move a change shows."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.laws.placement import (
    change,
    difference,
    laid_over,
    moves_that_show,
    pieces_of,
    read_placement,
    read_position,
    write_placement,
)

CASTLE = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"


def changed(fen: str, move: str, *, chess960: bool = False) -> dict[str, str | None]:
    board = chess.Board(fen, chess960=chess960)
    found = change(board, chess.Move.from_uci(move))
    return {chess.square_name(square): letter for square, letter in found.items()}


@pytest.mark.parametrize(
    ("fen", "move", "squares"),
    [
        (chess.STARTING_FEN, "e2e4", {"e2": None, "e4": "P"}),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", {"e5": None, "d5": None, "d6": "P"}),
        (CASTLE, "e1g1", {"e1": None, "g1": "K", "h1": None, "f1": "R"}),
        (CASTLE, "e1h1", {"e1": None, "g1": "K", "h1": None, "f1": "R"}),
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", {"a7": None, "a8": "N"}),
        (chess.STARTING_FEN, "0000", {}),
        (chess.STARTING_FEN, "e4e5", {}),  # nothing stands there
    ],
)
def test_what_a_move_changes(fen: str, move: str, squares: dict[str, str | None]) -> None:
    assert changed(fen, move) == squares


def test_king_and_rook_that_exchange_squares_change_only_these() -> None:
    fen = "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"
    assert changed(fen, "f1g1", chess960=True) == {"f1": "R", "g1": "K"}


def test_every_legal_move_is_the_one_that_its_change_shows() -> None:
    rng = random.Random(1)
    for _ in range(20):
        board = chess.Board()
        for _ in range(rng.randrange(80)):
            moves = list(board.legal_moves)
            if not moves:
                break
            board.push(rng.choice(moves))
        before = pieces_of(board)
        for move in board.legal_moves:
            after = board.copy(stack=False)
            after.push(move)
            shown = change(board, move)
            assert laid_over(before, shown) == pieces_of(after)
            assert difference(pieces_of(after), before) == shown
            assert list(moves_that_show(board, shown)) == [move]


def test_a_change_that_no_move_makes_shows_none() -> None:
    board = chess.Board()
    assert not list(moves_that_show(board, {}))
    assert not list(moves_that_show(board, {chess.E2: None}))
    assert not list(moves_that_show(board, {chess.E2: None, chess.E5: "P"}))


def test_a_placement_is_written_as_it_was_read() -> None:
    text = "r1bqk2r/pppp1ppp/2n4n/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R"
    assert write_placement(read_placement(text)) == text


@pytest.mark.parametrize(
    ("fen", "said"),
    [
        ("nonsense", "in FEN"),
        ("8/8/8/8/8/8/8/4K3 w - - 0 1", "one king of each colour"),
        ("4k3/8/8/8/8/8/8/K3R3 w - - 0 1", "played on"),  # Black is in check, White on move
    ],
)
def test_a_position_that_no_game_goes_on_from_is_refused(fen: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_position(fen)
