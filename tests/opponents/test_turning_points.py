"""The moves that turned a game: all planted blunders, and no good move."""

from __future__ import annotations

import io

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, Score

from blindplay.opponents import uci
from blindplay.opponents.analysis import AnalysisEffort, Analyst, Judgement
from blindplay.opponents.turning_points import TurningPoint, loss_of, turning_points
from tests.opponents.blunders import GAMES, HANGING, TRAPS, Planted
from tests.opponents.test_analysis import free
from tests.programs import need

QUICK = AnalysisEffort(8_000, 30_000)
PLY = chess.Move.from_uci("e2e4")


def found(planted: Planted, effort: AnalysisEffort | None = None) -> list[TurningPoint]:
    need("Stockfish")
    program = uci.installed()
    assert program is not None
    game = chess.pgn.read_game(io.StringIO(planted.moves))
    assert game is not None and not game.errors
    analyst = Analyst(program, free, effort)
    done: list[float] = []
    try:
        points = turning_points(game.board(), list(game.mainline_moves()), analyst, done.append)
    finally:
        analyst.rest()
    assert done == sorted(done) and done[0] == 0 and done[-1] < 1
    return points


def check(planted: Planted, points: list[TurningPoint]) -> None:
    told = [
        (one.ply, one.before.san(one.played), f"{one.bad.sentence} {one.bad.what}".strip())
        for one in points
    ]
    assert [one[:2] for one in told] == [one[:2] for one in planted.blunders], told
    for (_, _, reason), (_, _, wanted) in zip(told, planted.blunders, strict=True):
        assert reason.startswith(wanted), told
    assert points[0].blunder and all(one.better[0] != one.played for one in points)


@pytest.mark.parametrize("planted", [TRAPS[1], TRAPS[5], HANGING[0]])
def test_planted_blunders_are_found_and_nothing_is_said_about_good_moves(planted: Planted) -> None:
    check(planted, found(planted, QUICK))


@pytest.mark.long
@pytest.mark.parametrize("planted", GAMES, ids=lambda planted: planted.blunders[0][1])
def test_all_blunders_of_twenty_games_are_found_with_their_reasons(planted: Planted) -> None:
    check(planted, found(planted))


def test_there_are_twenty_games() -> None:
    assert len(GAMES) == 20


def test_the_same_game_has_the_same_turning_points() -> None:
    assert found(TRAPS[5], QUICK) == found(TRAPS[5], QUICK)


def test_a_game_without_a_bad_move_has_no_turning_point() -> None:
    quiet = Planted("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6", ())
    assert found(quiet, QUICK) == []


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (Cp(0), Cp(0), 0.0),
        (Cp(300), Cp(0), 0.2511),  # 75.11 % less 50 %
        (Cp(0), Cp(300), 0.2511),
        (Cp(2000), Cp(-1200), 0.0),  # decided before and after
        (Cp(900), Cp(-600), 0.0638),  # 96.49 % less 90.11 %
        (Mate(6), Cp(-1500), 0.0245),  # a long mate, and all the same won
        (Mate(2), Cp(-1500), 0.1),  # a short mate is missed
        (Mate(2), Mate(-4), 0.0),  # it is only put off
        (Mate(1), Mate(0), 0.0),  # another mate in one
        (Cp(-900), Mate(1), 0.1),  # a short mate is allowed
        (Mate(-3), Mate(2), 0.0),  # it could not be avoided
        (Cp(100), Mate(5), 0.591),
    ],
)
def test_a_move_loses_chance_to_win_and_a_short_mate_counts(
    before: Score, after: Score, lost: float
) -> None:
    best, answer = Judgement(before, (PLY,)), Judgement(after, (PLY,))
    assert loss_of(best, answer, 0.1) == pytest.approx(lost, abs=0.0002)
