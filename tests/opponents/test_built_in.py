"""The built-in opponent: it mates, never plays anything illegal, and keeps its deadline."""

from __future__ import annotations

import io
import time

import chess
import pytest

from blindplay.opponents import built_in
from blindplay.opponents.built_in import MATE, choose, serve, within
from tests import ROOT

MATES_IN_ONE = [
    "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR w KQkq - 0 1",
    "rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq g3 0 2",
    "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
    "k7/2P5/1K6/8/8/8/8/8 w - - 0 1",
]
STARTS = [
    chess.STARTING_FEN,
    "8/P7/8/8/8/4k3/8/4K2R w K - 0 1",
    "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3",
    "7k/8/8/8/8/8/q7/7K w - - 0 1",
]


@pytest.mark.parametrize("fen", MATES_IN_ONE)
@pytest.mark.parametrize("elo", [built_in.WEAKEST, built_in.STRONGEST])
def test_it_mates_in_one_at_every_level(fen: str, elo: int) -> None:
    board = chess.Board(fen)
    move, score = choose(board, within(5.0), elo)
    board.push(move)
    assert board.is_checkmate() and score > MATE - 100


def test_it_finds_a_mate_in_two() -> None:
    board = chess.Board("7k/8/8/8/8/8/1R6/R3K3 w Q - 0 1")  # Rb7 and Ra8
    assert choose(board, within(20.0))[1] == MATE - 3


def test_it_takes_what_hangs_and_not_what_is_covered() -> None:
    assert choose(chess.Board("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1"), within(1.0))[0].uci() == "e4d5"
    covered = chess.Board("4k3/2p5/3p4/8/8/3Q4/8/4K3 w - - 0 1")
    assert choose(covered, within(1.0))[0].uci() != "d3d6"


@pytest.mark.parametrize("fen", STARTS)
def test_quick_games_have_legal_moves_only_and_leave_the_board_as_it_was(fen: str) -> None:
    board = chess.Board(fen)
    for number in range(16):
        if board.is_game_over():
            break
        before = board.fen()
        move, _ = choose(board, within(0.03), 600 + 50 * number)
        assert board.fen() == before and board.is_legal(move)
        board.push(move)


def test_it_looks_at_its_deadline_while_it_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by a millisecond each time somebody looks at it."""
    looks = iter(range(10**9))
    monkeypatch.setattr(time, "monotonic", lambda: next(looks) / 1000)
    move, _ = choose(chess.Board(), within(0.1))
    assert chess.Board().is_legal(move) and 70 < next(looks) < 100


def test_it_speaks_uci(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (
        "uci", "isready", "setoption name UCI_LimitStrength value true",
        "setoption name UCI_Elo value 600", "setoption name UCI_Chess960 value false",
        "ucinewgame", f"position fen {MATES_IN_ONE[0]}", "go movetime 5000",
        "position startpos moves f2f3 e7e5 g2g4", "go movetime 5000", "nonsense", "quit",
    )  # fmt: skip
    serve(io.StringIO("\n".join(lines)))
    said = capsys.readouterr().out.splitlines()
    assert {"uciok", "readyok"} <= set(said)
    # The end of its input stops a search, and even then it has a move.
    assert [line.split()[0] for line in said if "bestmove" in line] == ["bestmove"] * 2


def test_it_is_small() -> None:
    source = (ROOT / "blindplay" / "opponents" / "built_in.py").read_text("utf-8")
    assert len(source.splitlines()) <= 200
