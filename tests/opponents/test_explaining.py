"""Why a move is bad or good: mate, material, a threat, or who stands better."""

from __future__ import annotations

import chess
import pytest
from chess.engine import Cp, Mate, Score

from blindplay.opponents import uci
from blindplay.opponents.analysis import Analyst, Judgement
from blindplay.opponents.explaining import Reason, why_bad, why_good
from tests.opponents.test_analysis import FEW, free


def line(board: chess.Board, text: str) -> tuple[chess.Move, ...]:
    """The moves of a line in notation."""
    board, found = board.copy(), []
    for san in text.split():
        found.append(board.push_san(san))
    return tuple(found)


def bad(fen: str, best: str, played: str, scores: tuple[Score, Score]) -> Reason:
    """Why the first move of ``played`` is bad. ``scores``: before it, and after it for the one who
    is to move then."""
    board = chess.Board(fen)
    lines = line(board, best), line(board, played)
    judged = Judgement(scores[0], lines[0]), Judgement(scores[1], lines[1][1:])
    return why_bad(board, *judged, lines)


QUEEN = "4k3/2p5/3p4/8/8/3Q4/P7/4K3 w - - 0 1"
ROOKS = "4k3/8/8/3r4/8/8/P2R4/4K3 w - - 0 1"
EXCHANGE = "4k3/8/5n2/8/8/8/P2R4/4K3 w - - 0 1"
PAWNS = "4k3/1P6/8/8/8/1p6/7P/4K3 w - - 0 1"


@pytest.mark.parametrize(
    ("fen", "best", "played", "scores", "reason"),
    [
        (QUEEN, "Qc4 Kd7", "Qxd6 cxd6 a4 Kd7", (Cp(700), Cp(500)), Reason("loses", "queen")),
        (ROOKS, "Rxd5 Ke7", "Rd3 Ke7", (Cp(600), Cp(20)), Reason("misses", "rook")),
        (ROOKS, "Rxd5 Ke7", "a4 Rxd2 Kxd2", (Cp(600), Cp(0)), Reason("misses", "rook")),
        (EXCHANGE, "Rd4 Ke7", "Rd7 Nxd7 a4 Ke7", (Cp(200), Cp(300)), Reason("loses", "rook")),
        (EXCHANGE, "Kf2 Ke7", "Rd4 Ke7 Rf4 Nd5 Ke2 Nxf4+ Ke3 Ng6", (Cp(200), Cp(300)),
         Reason("loses", "rook")),
        (PAWNS, "b8=Q+ Kd7", "h4 b2 h5 b1=Q+ Kd2", (Cp(900), Cp(800)),
         Reason("allows", "promotion")),
        (PAWNS, "b8=Q+ Kd7", "Kd1 Ke7", (Cp(900), Cp(100)), Reason("misses", "promotion")),
        (QUEEN, "Qc4 Kd7", "Qc4 Kd7", (Mate(2), Cp(-500)), Reason("misses_mate", count=2)),
        (QUEEN, "Qc4 Kd7", "Qc4 Kd7", (Cp(100), Mate(3)), Reason("allows_mate", count=3)),
        # A line that wins a queen for a score that hardly changes is not a loss of a queen.
        (QUEEN, "Qc4 Kd7", "Qxd6 cxd6 a4 Kd7", (Cp(20), Cp(150)),
         Reason("stands_better", player=chess.BLACK)),
        (QUEEN, "Qc4 Kd7", "Qb3 Kd7", (Cp(500), Cp(-200)), Reason("gives_away")),
        (QUEEN, "Qc4 Kd7", "Qb3 Kd7", (Cp(300), Cp(0)), Reason("stands_level")),
        (QUEEN, "Qc4 Kd7", "Qb3 Kd7", (Cp(0), Cp(400)),
         Reason("stands_winning", player=chess.BLACK)),
    ],
)  # fmt: skip
def test_a_bad_move_has_one_reason(
    fen: str, best: str, played: str, scores: tuple[Score, Score], reason: Reason
) -> None:
    assert bad(fen, best, played, scores) == reason


@pytest.mark.parametrize(
    ("fen", "best", "score", "reason"),
    [
        ("7k/8/8/8/8/8/1R6/R3K3 w - - 0 1", "Rb7 Kg8 Ra8#", Mate(2), Reason("mates", count=2)),
        (ROOKS, "Rxd5 Ke7 a4", Cp(600), Reason("wins", "rook")),
        (
            "4k3/8/8/4p3/8/3N4/8/4K3 w - - 0 1", "Nxe5 Ke7 Nd3", Cp(300), Reason("wins", "pawn"),
        ),
        ("4k3/3n4/5r2/8/4N3/8/8/4K3 w - - 0 1", "Nxf6+ Nxf6 Ke2", Cp(200),
         Reason("wins", "exchange")),
    ],
)  # fmt: skip
def test_a_good_move_has_one_reason(fen: str, best: str, score: Score, reason: Reason) -> None:
    board = chess.Board(fen)
    moves = line(board, best)
    analyst = Analyst(uci.BUILT_IN, free, FEW)
    assert why_good(board, Judgement(score, moves), moves, analyst) == reason
    assert why_good(board, Judgement(score, moves), moves, analyst, bad=Reason("loses", "rook"))


def test_what_is_said_of_the_bad_move_is_not_said_again() -> None:
    board = chess.Board(ROOKS)
    best = Judgement(Cp(600), line(board, "Rxd5 Ke7 a4"))
    analyst = Analyst(uci.BUILT_IN, free, FEW)
    assert why_good(board, best, best.line, analyst, bad=Reason("misses", "rook")) is None


def test_threats_are_met_and_made() -> None:
    analyst = Analyst(uci.BUILT_IN, free, FEW)
    try:
        hanging = chess.Board("4k3/p7/8/8/1b6/8/P2Q4/1K6 w - - 0 1")
        away = line(hanging, "Qe3+ Kd7")
        met = why_good(hanging, Judgement(Cp(300), away), away, analyst)
        assert met is not None and met.sentence == "meets_threat" and met.move is not None
        assert met.move[1].uci() == "b4d2"
        rook = chess.Board("6k1/p7/8/3r4/8/8/P3B3/6K1 w - - 0 1")
        attack = line(rook, "Bf3 Kg7")
        made = why_good(rook, Judgement(Cp(-200), attack), attack, analyst)
        assert made is not None and (made.sentence, made.what) == ("threatens", "rook")
    finally:
        analyst.rest()
