"""Engines in processes of their own, and levels in words and in Elo."""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
from pathlib import Path

import chess
import chess.engine
import pytest

from blindplay.opponents import uci
from blindplay.opponents.built_in import STRONGEST, WEAKEST
from blindplay.opponents.uci import ELO, Level, level
from tests.opponents.playing_alone import WEAK, scripted
from tests.programs import lacks
from tests.waiting import PATIENCE_S, until


def test_each_word_and_each_number_is_a_level() -> None:
    assert [level(word).elo for word in ELO] == [800, 1100, 1500, 1900, 2300, None]
    assert level("1623") == Level(1623) and level("1623").name == "club"
    assert [level(word).name for word in ELO] == list(ELO)


@pytest.mark.parametrize("text", ["", "weak", "599", "3201", "-800", "1e3", "99999"])
def test_anything_else_is_none_and_the_levels_are_named(text: str) -> None:
    with pytest.raises(ValueError, match="is not a level; give beginner, learner, club"):
        level(text)


def test_stockfish_is_found_where_debian_has_its_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    found = uci.installed()
    if shutil.which("stockfish", path="/usr/games") is None:
        pytest.skip(lacks("Stockfish"))
    assert found == uci.EngineProgram("Stockfish", ("/usr/games/stockfish",))


def test_an_engine_is_named_after_its_file(tmp_path: Path) -> None:
    file = tmp_path / "lc0-v2.exe"
    file.touch()
    file.chmod(0o700)
    assert uci.named(str(file)) == uci.EngineProgram("Lc0", (str(file),))
    with pytest.raises(ValueError, match="--engine nothing is not a program"):
        uci.named("nothing")


def test_the_built_in_engine_answers_at_its_level_and_judges_at_full_strength() -> None:
    engine = uci.UciEngine(uci.BUILT_IN, Level(1500))
    try:
        assert engine.elos() == (WEAKEST, STRONGEST)
        assert chess.Board().is_legal(engine.choose(chess.Board(), 0.1))
        mates = chess.Board("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1")
        move, worth = engine.judge(mates, 20.0)
        assert move.uci() == "a1a8" and worth > 90_000
    finally:
        engine.stop()


def test_it_thinks_in_a_process_that_steps_back_and_ends_with_it(tmp_path: Path) -> None:
    engine = uci.UciEngine(scripted(tmp_path, "good"), WEAK)
    engine.choose(chess.Board(), 0.1)
    assert engine._running is not None
    process = engine._running.transport.get_pid()
    assert process != os.getpid()
    if sys.platform != "win32":
        assert os.getpriority(os.PRIO_PROCESS, process) > os.getpriority(os.PRIO_PROCESS, 0)
        engine.stop()
        assert until(lambda: not _runs(process))


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("failing", ["wrong", "nonsense", "dies"])
def test_a_failure_ends_the_process_and_the_next_question_starts_another(
    tmp_path: Path, failing: str
) -> None:
    engine = uci.UciEngine(scripted(tmp_path, failing, "good"), WEAK)
    with pytest.raises(uci.EngineFailedError, match="Scripted"):
        engine.choose(chess.Board(), 0.1)
    assert engine.choose(chess.Board(), 0.1) == chess.Move.from_uci("a2a3")
    engine.stop()


def test_nobody_reads_an_error_of_an_engine_that_is_ended_while_it_thinks(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    engine = uci.UciEngine(scripted(tmp_path, "good", "silent"), WEAK, patience_s=60)
    engine.choose(chess.Board(), 0.1)
    running = engine._running
    assert running is not None
    asked = threading.Thread(target=lambda: _fails(engine))
    asked.start()
    assert until(lambda: running.protocol.command is not None)
    engine.close()
    asked.join(PATIENCE_S)
    assert until(running.shutdown_event.is_set) and until(running.protocol.loop.is_closed)
    assert not [one for one in caplog.records if one.levelno >= logging.WARNING]


def _fails(engine: uci.UciEngine) -> None:
    with pytest.raises(uci.EngineFailedError):
        engine.choose(chess.Board(), 0.1)


_SPIN = "type spin default"


@pytest.mark.parametrize(
    "words",
    [
        # Real engines say such things of their options, and end when they get another value.
        [f"+option name Hash {_SPIN} 32 min 32 max 32", "good"],
        [f"+option name Hash {_SPIN} 1 min 1 max 8", "good"],
        [f"+option name Threads {_SPIN} 3 min 3 max 8", "good"],
        [f"+option name Hash {_SPIN} 0 min 1 max 8", "good"],
        [f"+option name Contempt {_SPIN}  min -9 max 9", "good"],
        ["+option name Depth type spin min 1 max 9 default 12", "good"],
        ["+option name Hash type string default 16", "good"],
        ["+option name Style type combo default Wild var Calm var Bold", "good"],
        ["+option name Clear Hash type button", "+option name Book type string default", "good"],
        [
            "+option name UCI_LimitStrength type check default false",
            f"+option name UCI_Elo {_SPIN} 2000 min 1350 max 2850",
            "good",
        ],
        ["+option name UCI_LimitStrength type check default false", "good"],
        # And these of themselves and their moves.
        ["+banner", "good"],
        ["+crlf", "good"],
        ["+slow", "good"],
        ["chatty"],
        ["ponders"],
        ["capitals"],
        ["late"],
        ["twice"],
    ],
    ids=" ".join,
)
def test_what_real_engines_do_is_taken(tmp_path: Path, words: list[str]) -> None:
    engine = uci.UciEngine(scripted(tmp_path, *words), WEAK, patience_s=PATIENCE_S)
    board = chess.Board()
    for _ in range(2):
        board.push(engine.choose(board, 0.1))
    assert [move.uci() for move in board.move_stack] == ["a2a3", "a7a5"]
    engine.close()


def test_an_engine_that_stays_is_ended(tmp_path: Path) -> None:
    engine = uci.UciEngine(scripted(tmp_path, "+stays", "good"), WEAK, patience_s=PATIENCE_S)
    engine.choose(chess.Board(), 0.1)
    assert engine._running is not None
    process = engine._running.transport.get_pid()
    engine.close()
    if sys.platform != "win32":
        assert until(lambda: not _runs(process))
