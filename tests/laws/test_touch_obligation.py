"""Touched pieces: articles 4.3 to 4.5."""

from __future__ import annotations

import chess
import pytest

from blindplay.laws.touch_obligation import obligation

BOTH = "4k3/8/8/3p1n2/4P3/8/8/R3K2R w KQ - 0 1"


def bound(fen: str, touched: str, **more: bool) -> tuple[set[str], bool, str]:
    board = chess.Board(fen)
    got = obligation(board, [chess.parse_square(name) for name in touched.split()], **more)
    return {move.uci() for move in got.moves}, got.free, got.rule


CASES = [
    # 4.3.1: the first touched own piece that can be moved.
    (chess.STARTING_FEN, "g1", {"g1f3", "g1h3"}, "touched_own"),
    (chess.STARTING_FEN, "f1 g1", {"g1f3", "g1h3"}, "touched_own"),
    (chess.STARTING_FEN, "e2 g1", {"e2e3", "e2e4"}, "touched_own"),
    # 4.3.2: the first touched opponent's piece that can be taken.
    (BOTH, "d5", {"e4d5"}, "touched_opponents"),
    (BOTH, "e8 f5", {"e4f5"}, "touched_opponents"),
    # En passant takes a piece that does not stand on the square of arrival.
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d5", {"e5d6"}, "touched_opponents"),
    # 4.3.3: the first with the first; else the first that can be moved or taken.
    (BOTH, "e4 d5", {"e4d5"}, "touched_both"),
    (BOTH, "f5 e4", {"e4f5"}, "touched_both"),
    (BOTH, "d5 a1", {"e4d5"}, "touched_both"),
    (BOTH, "a1 d5", {"a1b1", "a1c1", "a1d1", *(f"a1a{rank}" for rank in range(2, 9))},
     "touched_both"),
    # 4.4.1: king and rook binds to castling on that side.
    (BOTH, "e1 h1", {"e1g1"}, "castling_king_first"),
    (BOTH, "e1 a1", {"e1c1"}, "castling_king_first"),
    # 4.4.2: rook and then king forbids it; the rook must move.
    (BOTH, "h1 e1", {"h1g1", "h1f1", *(f"h1h{rank}" for rank in range(2, 9))},
     "castling_rook_first"),
    # 4.4.3: castling with this rook is illegal: another move of the king, the other side included.
    ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1 a1",
     {"e1d1", "e1f1", "e1d2", "e1e2", "e1f2", "e1g1"}, "castling_illegal"),
    # A rook elsewhere is no rook to castle with, though castling on its side is legal.
    ("4k3/8/8/7R/8/8/8/4K2R w K - 0 1", "e1 h5",
     {"e1d1", "e1f1", "e1d2", "e1e2", "e1f2", "e1g1"}, "touched_own"),
]  # fmt: skip


@pytest.mark.parametrize(("fen", "touched", "moves", "rule"), CASES)
def test_touched_pieces_bind_to(fen: str, touched: str, moves: set[str], rule: str) -> None:
    assert bound(fen, touched) == (moves, False, rule)


@pytest.mark.parametrize(
    ("fen", "touched", "rule"),
    [
        (chess.STARTING_FEN, "", "touched_free"),
        (chess.STARTING_FEN, "a1 h8", "touched_free"),
        # 4.4.3: neither castling nor another move of the king: free, and not bound to the rook.
        ("4k3/8/8/8/8/8/3PPP2/3QKB1R w K - 0 1", "e1 h1", "castling_illegal"),
    ],
)
def test_who_can_do_nothing_with_what_he_touched_is_free(fen: str, touched: str, rule: str) -> None:
    assert bound(fen, touched) == (set(), True, rule)


def test_rook_then_king_where_the_rook_cannot_move_binds_the_king_but_not_to_castle() -> None:
    fen = "4k3/8/8/8/8/7p/7P/4KB1R w K - 0 1"
    moves, free, rule = bound(fen.replace("KB1R", "KBNR"), "h1 e1")
    assert (moves, free, rule) == ({"e1d1", "e1d2", "e1e2", "e1f2"}, False, "castling_rook_first")


def test_by_the_federations_rules_another_piece_must_take() -> None:
    assert bound(BOTH, "a1 d5", another_takes=True) == ({"e4d5"}, False, "touched_both")
    assert bound(BOTH, "a1 e8", another_takes=True) == (set(), True, "touched_both")


def test_castling_in_chess960_where_the_king_stays_begins_with_the_rook() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/6KR w H - 0 1", chess960=True)
    assert chess.Move.from_uci("g1h1") in obligation(board, [chess.H1]).moves
