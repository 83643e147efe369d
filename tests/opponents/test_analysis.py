"""What an engine thinks: the same answer each time, and none while a game is played."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest
from chess.engine import Cp, Mate, Score

from blindplay.opponents import uci
from blindplay.opponents.analysis import AnalysisEffort, Analyst, Judgement, winning_chance
from tests.opponents.playing_alone import scripted

FEW = AnalysisEffort(400, 800, plies=5)
MATES = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")


def free() -> None:
    """No table plays a game."""


@pytest.mark.parametrize(
    ("score", "percent"),
    [
        # 50 + 50 * (2 / (1 + exp(-0.00368208 * centipawns)) - 1), as lichess.org/page/accuracy says
        (Cp(0), 50.0),
        (Cp(100), 59.10),
        (Cp(-100), 40.90),
        (Cp(300), 75.11),
        (Cp(1000), 97.55),
        (Cp(2500), 97.55),  # from ten pawns on a game is decided
        (Mate(7), 100.0),
        (Mate(-1), 0.0),
        (Mate(0), 0.0),
    ],
)
def test_the_chance_to_win_is_that_of_lichess(score: Score, percent: float) -> None:
    assert 100 * winning_chance(score) == pytest.approx(percent, abs=0.01)


def test_the_same_position_has_the_same_judgement_and_its_line_can_be_played_on() -> None:
    analyst = Analyst(uci.BUILT_IN, free, FEW)
    try:
        first, second = analyst.judge(chess.Board()), analyst.judge(chess.Board())
        assert first == second and chess.Board().is_legal(first.line[0])
        mate = analyst.judge(MATES)
        assert (mate.mate, mate.chance, mate.line) == (1, 1.0, (chess.Move.from_uci("a1a8"),))
        assert analyst.line(MATES, mate) == mate.line  # the game is over then
        line = analyst.line(chess.Board(), first)
        board = chess.Board()
        for move in line:
            board.push(move)
        assert len(line) == FEW.plies
    finally:
        analyst.rest()


def test_a_game_that_is_over_is_judged_without_an_engine() -> None:
    def never() -> None:
        raise AssertionError

    analyst = Analyst(uci.BUILT_IN, never)
    mated = chess.Board("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1")
    stalemate = chess.Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert analyst.judge(mated) == Judgement(Mate(0)) and analyst.judge(mated).chance == 0.0
    assert analyst.judge(stalemate).chance == 0.5


def test_no_engine_starts_while_a_table_plays_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def playing() -> None:
        raise ValueError("A table is playing.")

    monkeypatch.setattr(uci.UciEngine, "_started", lambda engine: pytest.fail("It was started."))
    with pytest.raises(ValueError, match="A table is playing"):
        Analyst(uci.BUILT_IN, playing).judge(chess.Board())


def test_an_engine_that_fails_once_is_asked_again_and_one_that_keeps_failing_is_given_up(
    tmp_path: Path,
) -> None:
    for words, good in ((("dies", "scored"), True), (("dies", "dies"), False)):
        folder = tmp_path / words[1]
        folder.mkdir()
        analyst = Analyst(scripted(folder, *words), free, FEW)
        if good:
            assert analyst.judge(chess.Board()).line[0].uci() == "a2a3"
        else:
            with pytest.raises(uci.EngineFailedError):
                analyst.judge(chess.Board())
        analyst.rest()
