"""Why a board stands as it does: slips whose names are known, found from the placement alone."""

from __future__ import annotations

import random
from collections import Counter

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.spoilt_boards import AT_THE_END, BY_MOVES, BY_THEMSELVES, mishap
from blindplay.laws.deviation import Explanation, SlipKind, explain
from blindplay.laws.placement import pieces_of, read_placement
from tests.sampling import examples

KINDS = BY_MOVES + BY_THEMSELVES + AT_THE_END
# Two things that look alike on a board: pushed into the next hole, or put there at once.
ALIKE = {
    SlipKind.DISPLACED,
    SlipKind.TWICE,
    SlipKind.BY_OTHER_SIDE_TOO,
    SlipKind.NOT_WRITTEN,
    SlipKind.EXCHANGED,
    SlipKind.EXTRA,
    SlipKind.OTHER_MOVE,
    SlipKind.MISSING,
    SlipKind.REPLACED,
}


def played(*sans: str, fen: str = chess.STARTING_FEN) -> tuple[chess.Board, list[chess.Move]]:
    start = chess.Board(fen)
    board, moves = start.copy(), []
    for san in sans:
        moves.append(board.push_san(san))
    return start, moves


def told(explanations: tuple[Explanation, ...]) -> list[list[dict[str, object]]]:
    return [[slip.to_json() for slip in slips] for slips in explanations]


KNIGHTS = ("e4", "e5", "Nf3", "Nf6", "Nc3", "Nc6")


@pytest.mark.parametrize(
    ("sans", "fen", "shown", "slip"),
    [
        (  # the knight went to h6 at Black's second move, f6 was written
            KNIGHTS, chess.STARTING_FEN,
            "r1bqkb1r/pppp1ppp/2n4n/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R",
            {"what": "other_square", "ply": 4, "move": "g8f6", "executed": "g8h6",
             "piece": "n", "square": "g8", "to": "h6"},
        ),
        (  # the other knight
            ("Nf3", "e6", "d3", "d6", "Nbd2", "e5"), chess.STARTING_FEN,
            "rnbqkbnr/ppp2ppp/3p4/4p3/8/3P4/PPPNPPPP/RNBQKB1R",
            {"what": "other_piece", "ply": 5, "move": "b1d2", "executed": "f3d2",
             "piece": "N", "square": "f3", "to": "d2"},
        ),
        (
            ("a4",), "4k3/P7/8/8/8/8/P7/4K3 w - - 0 1", "4k3/P7/8/8/8/8/P7/4K3",
            {"what": "not_executed", "ply": 1, "move": "a2a4", "piece": "P", "square": "a2"},
        ),
        (
            ("a8=Q+", "Ke7"), "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "R7/4k3/8/8/8/8/8/4K3",
            {"what": "other_promotion", "ply": 1, "move": "a7a8q", "executed": "a7a8r",
             "piece": "P", "square": "a7", "to": "a8"},
        ),
        (
            ("a8=Q+", "Ke7"), "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "P7/4k3/8/8/8/8/8/4K3",
            {"what": "pawn_not_replaced", "ply": 1, "move": "a7a8q", "executed": "a7a8",
             "piece": "P", "square": "a7", "to": "a8"},
        ),
        (
            ("O-O",), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/2KR3R",
            {"what": "other_castling", "ply": 1, "move": "e1g1", "executed": "e1c1",
             "piece": "K", "square": "e1", "to": "c1"},
        ),
        (
            ("O-O", "Ke7"), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "8/4k3/8/8/8/8/8/R5KR",
            {"what": "rook_forgotten", "ply": 1, "move": "e1g1", "piece": "R", "square": "h1"},
        ),
        (
            ("O-O", "Ke7"), "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "8/4k3/8/8/8/8/8/R3KR2",
            {"what": "king_forgotten", "ply": 1, "move": "e1g1", "piece": "K", "square": "e1"},
        ),
        (
            ("d5", "exd6", "Kf7"), "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "8/5k2/3P4/3p4/8/8/8/4K3",
            {"what": "en_passant_pawn_left", "ply": 2, "move": "e5d6", "piece": "p",
             "square": "d5"},
        ),
        (  # the captured pawn was taken off, and the capturing one forgotten
            ("exd5", "Ke7"), "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "8/4k3/8/8/4P3/8/8/4K3",
            {"what": "capturer_left", "ply": 1, "move": "e4d5", "piece": "P", "square": "e4"},
        ),
        (  # the capturing bishop elsewhere, and what it was to take still there
            ("Bxf7+", "Ke7"), "4k3/5p2/8/8/2B5/8/8/4K3 w - - 0 1", "8/4kp2/4B3/8/8/8/8/4K3",
            {"what": "other_square", "ply": 1, "move": "c4f7", "executed": "c4e6",
             "piece": "B", "square": "c4", "to": "e6"},
        ),
        (
            ("Nf3", "Kd8"), "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3k4/8/8/8/4N3/8/8/4K3",
            # f3 and e4 are neighbours, though no knight goes from g1 to e4
            {"what": "other_square", "ply": 1, "move": "g1f3", "executed": "g1e4",
             "piece": "N", "square": "g1", "to": "e4"},
        ),
        (
            ("Nf3", "Kd8"), "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3k3N/8/8/8/8/8/8/4K3",
            {"what": "displaced", "piece": "N", "square": "f3", "to": "h8"},
        ),
        (
            ("Nf3", "Kd8"), "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3k4/8/8/8/8/8/8/4K3",
            {"what": "missing", "piece": "N", "square": "f3"},
        ),
        (
            ("Nf3", "Kd8"), "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3k4/8/8/8/8/b4N2/8/4K3",
            {"what": "extra", "piece": "b", "square": "a3"},
        ),
        (
            ("Nf3", "Kd8"), "4k3/8/8/8/8/8/8/4K1N1 w - - 0 1", "3k4/8/8/8/8/5B2/8/4K3",
            {"what": "replaced", "piece": "N", "square": "f3", "other": "B"},
        ),
        (
            ("Kd1", "Kd8"), "4k3/8/8/8/8/8/8/BN2K3 w - - 0 1", "3k4/8/8/8/8/8/8/NB1K4",
            {"what": "exchanged", "piece": "B", "square": "a1", "to": "b1", "other": "N"},
        ),
        (  # White's e4, and Black's pawn went to e5 with it
            ("e4", "d6"), chess.STARTING_FEN, "rnbqkbnr/ppp2ppp/3p4/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
            {"what": "by_other_side_too", "ply": 1, "move": "e2e4", "executed": "e7e5",
             "piece": "p", "square": "e7", "to": "e5"},
        ),
        (
            KNIGHTS, chess.STARTING_FEN, "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
            {"what": "behind", "ply": 4, "move": "g8f6"},
        ),
        (
            KNIGHTS, chess.STARTING_FEN, "r1bqkb1r/pppp1ppp/2n2n2/1B2p3/4P3/2N2N2/PPPP1PPP/R1BQK2R",
            {"what": "not_written", "ply": 7, "executed": "f1b5", "piece": "B", "square": "f1",
             "to": "b5"},
        ),
    ],
)  # fmt: skip
def test_one_slip_is_named(
    sans: tuple[str, ...], fen: str, shown: str, slip: dict[str, object]
) -> None:
    start, moves = played(*sans, fen=fen)
    assert told(explain(start, moves, read_placement(shown))) == [[slip]]


def test_a_board_that_is_right_needs_no_slip() -> None:
    start, moves = played(*KNIGHTS)
    board = start.copy()
    for move in moves:
        board.push(move)
    assert explain(start, moves, pieces_of(board)) == ((),)


def test_a_later_move_of_the_piece_rules_the_slip_out() -> None:
    """The knight moves on from f6, so it cannot have gone to h6 before: nobody would have found
    it. It was the last of its moves that went elsewhere."""
    start, moves = played("e4", "Nf6", "e5", "Nd5", "d4")
    shown = read_placement("rnbqkb1r/pppppppp/7n/4P3/3P4/8/PPP2PPP/RNBQKBNR")
    (only,) = explain(start, moves, shown)
    assert [slip.ply for slip in only] != [2]


def test_two_slips_are_named_in_their_order() -> None:
    start, moves = played(*KNIGHTS)
    shown = read_placement("r1bqkb1r/pppp1ppp/2n4n/4p3/4P3/N4N2/PPPP1PPP/R1BQKB1R")
    (only,) = explain(start, moves, shown)
    assert [(slip.what, slip.ply) for slip in only] == [
        (SlipKind.OTHER_SQUARE, 4), (SlipKind.OTHER_SQUARE, 5),
    ]  # fmt: skip


def test_a_board_that_lags_behind_and_is_wrong_besides_is_explained_once() -> None:
    """The last move is not executed, and a rook was pushed aside, nobody knows when."""
    start, moves = played("e4", "e5", "Nf3")
    shown = read_placement("rnbqkbn1/pppp1ppp/8/4p2r/4P3/8/PPPP1PPP/RNBQKBNR")
    (only,) = explain(start, moves, shown)
    assert [slip.what for slip in only] == [SlipKind.NOT_EXECUTED, SlipKind.DISPLACED]


def test_what_the_board_does_not_tell_apart_is_told_as_several() -> None:
    """Which of two pawns was taken off when the other one was: here either move of two."""
    start, moves = played("Ra2", "Kd8", "Ra1", "Ke8", fen="4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    shown = read_placement("3k4/8/8/8/8/8/8/R3K3")
    found = explain(start, moves, shown)
    assert found[0][0].what is SlipKind.NOT_EXECUTED
    start, moves = played("Rd1", "Kf7", fen="4k3/8/8/8/8/8/8/R3K2R w - - 0 1")
    shown = read_placement("8/5k2/8/8/8/8/8/R1R1K3")
    assert len(explain(start, moves, shown)) > 1


def test_what_nothing_explains_is_left_as_it_is() -> None:
    start, moves = played(*KNIGHTS)
    assert explain(start, moves, read_placement("7k/8/8/3Q4/8/8/8/K7")) == ()


def test_a_board_without_names_tells_as_much_as_its_holes() -> None:
    start, moves = played(*KNIGHTS)
    holes = read_placement("r1bqkb1r/pppp1ppp/2n4n/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R")
    shown = dict.fromkeys(holes, "?")
    (only,) = explain(start, moves, shown, named=False)
    assert [(slip.what, slip.ply) for slip in only] == [(SlipKind.OTHER_SQUARE, 4)]
    promoted, with_promotion = played("a8=Q+", fen="4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
    rook = read_placement("R3k3/8/8/8/8/8/8/4K3")
    assert explain(promoted, with_promotion, rook, named=False) == ((),)


def check(seed: int, plies: int, what: SlipKind) -> tuple[bool, bool]:
    """Whether the slip was among the explanations, and whether there was only one."""
    made = mishap(random.Random(seed), plies, what)
    found = explain(made.start, made.moves, made.shown)
    assert found and found != ((),), (seed, plies, what)
    assert all(len(slips) == 1 for slips in found), "one slip is explained by one"
    named = made.slips in found
    assert named or what in ALIKE, (seed, plies, what, told(found))
    return named, len(found) == 1


@examples(120)
@given(st.integers(0, 1 << 30), st.integers(6, 30), st.sampled_from(KINDS))
def test_a_slip_in_a_random_game_is_found(seed: int, plies: int, what: SlipKind) -> None:
    if what in (
        SlipKind.OTHER_PROMOTION,
        SlipKind.PAWN_NOT_REPLACED,
        SlipKind.EN_PASSANT_PAWN_LEFT,
    ):
        plies += 40  # sooner there are none
    if what in (SlipKind.OTHER_CASTLING, SlipKind.BY_OTHER_SIDE_TOO, SlipKind.CAPTURER_LEFT):
        plies += 20
    check(seed, plies, what)


@pytest.mark.long
def test_ten_thousand_slips_are_found() -> None:
    rng = random.Random(20)
    counted = Counter[str]()
    for seed in range(10_000):
        what = rng.choice(KINDS)
        named, alone = check(seed, rng.randrange(60, 110), what)
        counted.update(cases=1, named=named, unique=alone, both=named and alone)
    assert counted["unique"] >= 0.9 * counted["cases"], counted
    assert counted["both"] >= 0.8 * counted["cases"], counted


def test_two_slips_are_mostly_explained_and_by_two_at_most() -> None:
    """Where one slip has met the other's squares, what is left is the plain difference."""
    rng = random.Random(7)
    explained = 0
    for _ in range(60):
        made = mishap(rng, 40, rng.choice(BY_MOVES[:3]), rng.choice(BY_THEMSELVES))
        found = explain(made.start, made.moves, made.shown)
        assert all(1 <= len(slips) <= 2 for slips in found)
        assert len({frozenset(slips) for slips in found}) == len(found)
        explained += bool(found)
    assert explained >= 50


def test_no_piece_is_extra_that_the_game_cannot_have() -> None:
    start, moves = played("e4", "e5")
    for too_many in (
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/4K3/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/4Q3/PPPP1PPP/RNBQKBNR",
    ):
        shown = read_placement(too_many)
        assert explain(start, moves, shown) == ()


def test_two_pieces_that_lie_about_are_not_told_as_what_happened() -> None:
    start, moves = played("Ka2", "Ka7", "Kb2", "Kb7", fen="k7/8/8/3r4/8/5R2/8/K7 w - - 0 1")
    shown = read_placement("8/1k6/8/8/8/8/1K5r/R7")
    assert explain(start, moves, shown) == ()
    assert explain(start, moves, read_placement("8/1k6/8/3r4/8/8/1K6/R7")) != ()


def test_a_rook_that_went_to_the_kings_square_instead_of_castling_is_named() -> None:
    start, moves = played("O-O", fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    ((slip,),) = explain(start, moves, read_placement("4k3/8/8/8/8/8/8/4K1R1"))
    assert (slip.what, slip.ply) == (SlipKind.OTHER_PIECE, 1)
    assert slip.executed == chess.Move(chess.H1, chess.G1)
