"""From hands to moves."""

from __future__ import annotations

import itertools
import random

import chess
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.boards.tracker import Tracker


def follow(fen: str, hands: str, *, chess960: bool = False) -> Tracker:
    """Let hands work: ``-e2`` lifts, ``+e4P`` places, ``+e4`` places an unnamed piece."""
    tracker = Tracker(chess.Board(fen, chess960=chess960))
    for act in hands.split():
        if act[0] == "-":
            tracker.lift(act[1:])
        else:
            tracker.place(act[1:3], act[3:] or None)
    return tracker


def moves(found: list[chess.Move]) -> list[str]:
    return sorted(move.uci() for move in found)


CASTLE = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1"
CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"
PASSANT = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
PROMOTE = "3r2k1/4P3/8/8/8/8/8/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "hands", "move"),
    [
        (chess.STARTING_FEN, "-e2 +e4P", "e2e4"),
        (chess.STARTING_FEN, "+e4P -e2", "e2e4"),
        (CAPTURE, "-d5 -e4 +d5P", "e4d5"),
        (CAPTURE, "-e4 -d5 +d5P", "e4d5"),
        (PASSANT, "-e5 +d6P -d5", "e5d6"),
        (PASSANT, "-d5 -e5 +d6P", "e5d6"),
        (CASTLE, "-e1 +g1K -h1 +f1R", "e1g1"),
        (CASTLE, "-h1 +f1R -e1 +g1K", "e1g1"),
        (CASTLE, "-e1 -h1 +f1R +g1K", "e1g1"),
        (CASTLE, "-a1 -e1 +c1K +d1R", "e1c1"),
        (PROMOTE, "-e7 +e8N", "e7e8n"),
        (PROMOTE, "-d8 -e7 +d8Q", "e7d8q"),
        (chess.STARTING_FEN, "-e2 +e2P -d2 +d4P", "d2d4"),
        (chess.STARTING_FEN, "-e2 -d2 +e2P +d4P", "d2d4"),
    ],
)
def test_the_executed_move_is_found_whatever_the_order(fen: str, hands: str, move: str) -> None:
    assert moves(follow(fen, hands).executed()) == [move]


def test_a_rook_first_is_a_rook_move_until_the_king_follows() -> None:
    tracker = follow(CASTLE, "-h1 +f1R")
    assert moves(tracker.executed()) == ["h1f1"]
    assert moves(tracker.candidates()) == ["e1g1", "h1f1"]
    tracker.lift("e1")
    assert tracker.executed() == []
    assert moves(tracker.candidates()) == ["e1g1"]


def test_in_chess960_the_king_may_stay_where_it_is() -> None:
    fen = "4k3/8/8/8/8/8/8/6KR w H - 0 1"
    lifted = follow(fen, "-g1", chess960=True)
    assert "g1h1" in moves(lifted.candidates())
    done = follow(fen, "-h1 +f1R", chess960=True)
    assert moves(done.matches()) == ["g1h1"]  # the king stood between: no rook move


def test_the_hand_holds_several_pieces_in_order_of_lifting() -> None:
    tracker = follow(CAPTURE, "-d5 -e4")
    assert list(tracker.in_hand) == ["p", "P"]
    tracker.place("d5", "P")
    assert list(tracker.in_hand) == ["p"]
    tracker.advance(chess.Move.from_uci("e4d5"))
    assert list(tracker.in_hand) == []


def test_a_lifted_piece_leaves_its_moves_as_candidates() -> None:
    assert moves(follow(chess.STARTING_FEN, "-g1").candidates()) == ["g1f3", "g1h3"]
    assert moves(follow(CAPTURE, "-d5").candidates()) == ["e4d5"]


def test_putting_back_frees_every_candidate_and_is_no_move() -> None:
    tracker = follow(chess.STARTING_FEN, "-g1 +g1N")
    assert tracker.at_rest
    assert tracker.executed() == []
    assert len(tracker.candidates()) == 20


def test_a_wrong_square_is_no_move_and_leaves_no_candidate() -> None:
    tracker = follow(chess.STARTING_FEN, "-g1 +g3N")
    assert tracker.executed() == []
    assert tracker.candidates() == []


def test_a_wrong_piece_is_not_the_promotion() -> None:
    assert follow(PROMOTE, "-e7 +e8P").executed() == []


def test_two_plies_at_once_are_told_in_order() -> None:
    tracker = follow(chess.STARTING_FEN, "-e7 +e5p -e2 +e4P")
    assert [m.uci() for m in tracker.executed()] == ["e2e4", "e7e5"]


def test_without_identity_one_piece_in_the_hand_is_that_piece() -> None:
    assert moves(follow(chess.STARTING_FEN, "-g1 +f3").executed()) == ["g1f3"]
    assert moves(follow(CAPTURE, "-d5 -e4 +d5").executed()) == ["e4d5"]


def test_without_identity_a_promotion_leaves_four_moves() -> None:
    tracker = follow(PROMOTE, "-e7 +e8")
    assert tracker.executed() == []
    assert moves(tracker.matches()) == ["e7e8b", "e7e8n", "e7e8q", "e7e8r"]
    tracker.advance(chess.Move.from_uci("e7e8r"))
    assert tracker.at_rest
    tracker.lift("e8")
    assert list(tracker.in_hand) == ["R"]


def test_a_dump_replaces_what_was_felt() -> None:
    tracker = follow(chess.STARTING_FEN, "-a2 -b2")
    tracker.resync("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR")
    assert list(tracker.in_hand) == []
    assert moves(tracker.executed()) == ["e2e4"]


def test_a_dump_from_a_presence_only_board_keeps_known_names() -> None:
    tracker = Tracker(chess.Board())
    tracker.resync("????????/????????/8/8/8/8/????????/????????")
    assert tracker.at_rest
    tracker.resync("????????/????????/8/8/4?3/8/????1???/????????")
    assert moves(tracker.executed()) == ["e2e4"]


def test_illegal_input_is_refused() -> None:
    tracker = Tracker(chess.Board())
    with pytest.raises(ValueError):
        tracker.lift("j9")
    with pytest.raises(ValueError, match="no piece"):
        tracker.place("e4", "x")
    with pytest.raises(ValueError, match="not legal"):
        tracker.advance(chess.Move.from_uci("e2e5"))


def acts(board: chess.Board, move: chess.Move) -> list[tuple[str, str | None]]:
    """What must happen for a move: (square, None) is a lift, (square, piece) a placing."""
    before = board.piece_map()
    board.push(move)
    after = board.piece_map()
    board.pop()
    changed = [s for s in before.keys() | after.keys() if before.get(s) != after.get(s)]
    lifts: list[tuple[str, str | None]] = [
        (chess.square_name(s), None) for s in changed if s in before
    ]
    return lifts + [(chess.square_name(s), after[s].symbol()) for s in changed if s in after]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_every_legal_move_in_any_order_of_hands_is_found(
    seed: int,
) -> None:
    rng = random.Random(seed)
    board = chess.Board()
    for _ in range(rng.randrange(80)):
        if not (legal := list(board.legal_moves)):
            break
        board.push(rng.choice(legal))
    for move in list(board.legal_moves):
        orders = [
            order
            for order in itertools.permutations(acts(board, move))
            # A hole must be emptied before another piece can be put in.
            if all(
                not (p is not None and (s, None) in order) or order.index((s, None)) < i
                for i, (s, p) in enumerate(order)
            )
        ]
        tracker = Tracker(board)
        for square, piece in rng.choice(orders):
            assert move in tracker.candidates()
            if piece is None:
                tracker.lift(square)
            else:
                tracker.place(square, piece)
        assert tracker.executed() == [move]
