"""Questions to an engine in a thread of its own: the newest counts, and none ends in silence."""

from __future__ import annotations

import queue
import threading

import chess
import pytest
from chess.engine import Cp, Score

from blindplay.opponents import uci
from blindplay.opponents.analysis import Analyst
from blindplay.opponents.questions import BackgroundAnalyst, EngineAnswer, EngineRefused
from tests.waiting import PATIENCE_S


@pytest.fixture
def analyst(monkeypatch: pytest.MonkeyPatch) -> Analyst:
    def analyse(
        engine: uci.UciEngine, board: chess.Board, *limits: object
    ) -> tuple[Score, tuple[chess.Move, ...]]:
        return Cp(0), (next(iter(board.legal_moves)),)

    monkeypatch.setattr(uci.UciEngine, "analyse", analyse)
    return Analyst(uci.BUILT_IN, lambda: None)


def test_a_new_question_ends_the_one_before_at_its_next_position(analyst: Analyst) -> None:
    told: queue.Queue[object] = queue.Queue()
    asking = BackgroundAnalyst(analyst, told.put)
    begun, newer, reached = threading.Event(), threading.Event(), threading.Event()

    def long(one: Analyst) -> None:
        one.judge(chess.Board())
        begun.set()
        assert newer.wait(PATIENCE_S)
        one.judge(chess.Board())
        reached.set()

    asking.ask("first", long)
    assert begun.wait(PATIENCE_S)
    asking.ask("second", lambda one: one.judge(chess.Board()).score)
    newer.set()
    assert told.get(timeout=PATIENCE_S) == EngineAnswer("second", Cp(0))
    assert not reached.is_set() and told.empty()
    asking.close()


def test_a_fault_in_a_question_is_told_and_the_next_question_is_answered(analyst: Analyst) -> None:
    told: queue.Queue[object] = queue.Queue()
    asking = BackgroundAnalyst(analyst, told.put)
    asking.ask(1, lambda one: dict[str, str]()["nothing"])
    refused = told.get(timeout=PATIENCE_S)
    assert isinstance(refused, EngineRefused) and isinstance(refused.error, KeyError)
    asking.ask(2, lambda one: "answer")
    assert told.get(timeout=PATIENCE_S) == EngineAnswer(2, "answer")
    asking.close()
