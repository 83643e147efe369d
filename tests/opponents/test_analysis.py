"""An engine's analysis: the same answer each time, none while a game is played, all planted
blunders and no good move, and the reason of each: mate, material, a threat, or who stands better.
"""

from __future__ import annotations

import io
from pathlib import Path

import chess
import chess.pgn
import pytest
from chess.engine import Cp, Mate, Score

from blindplay.opponents import uci
from blindplay.opponents.analysis import (
    AnalysisEffort,
    Analyst,
    Judgement,
    Reason,
    TurningPoint,
    loss_of,
    turning_points,
    why_bad,
    why_good,
    winning_chance,
)
from tests.opponents.blunders import GAMES, HANGING, TRAPS, Planted
from tests.opponents.playing_alone import scripted
from tests.programs import need

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
        # A queen is a queen, also for somebody who is far ahead.
        (QUEEN, "Qc4 Kd7", "Qxd6 cxd6 a4 Kd7", (Cp(2500), Cp(-1600)), Reason("loses", "queen")),
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
