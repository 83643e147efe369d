"""Questions to an engine that a person asks while they go on, and the answers."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import chess
import chess.engine

from blindplay.record.openings import OpeningName

from .analysis import AS_GOOD, Analyst, Judgement, Reason, why_bad
from .uci import BUILT_IN, EngineFailedError


@dataclass(frozen=True)
class EngineAnswer:
    """The answer to the question ``key`` of a :class:`BackgroundAnalyst`."""

    key: object
    value: object


@dataclass(frozen=True)
class EngineReplaced:
    """The engine keeps failing. The built-in opponent takes its place, unless it was that one."""

    by_built_in: bool


@dataclass(frozen=True)
class EngineRefused:
    """No question can be answered, because of ``error``: no engine may look any more, or there is
    a fault in this program."""

    error: Exception


class _ReplacedError(Exception):
    """Another question has taken the place of this one."""


class BackgroundAnalyst:
    """Asks an engine in a thread of its own, one question at a time. A new question replaces the
    one before, at the next position that one looks at. ``tell`` gets each answer, and the failures,
    in that thread. :meth:`close` it.
    """

    def __init__(self, analyst: Analyst, tell: Callable[[object], object]) -> None:
        self.analyst = analyst.looking(self._look)
        self._tell = tell
        self._changed = threading.Condition()
        self._wanted: tuple[object, Callable[[Analyst], object]] | None = None
        self._closed = False
        threading.Thread(target=self._run, name="analysis", daemon=True).start()

    def ask(self, key: object, question: Callable[[Analyst], object]) -> None:
        """Ask, and tell the answer under this ``key``."""
        with self._changed:
            self._wanted = key, question
            self._changed.notify()

    def close(self) -> None:
        """End the engine, even while it thinks. ``tell`` is not called any more."""
        with self._changed:
            self._closed = True
            self._changed.notify()
            self.analyst.close()

    def _look(self) -> None:
        if self._wanted is not None:
            raise _ReplacedError

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._wanted is not None)
                if self._closed or self._wanted is None:
                    return
                (key, question), self._wanted = self._wanted, None
            try:
                told: object = EngineAnswer(key, question(self.analyst))
            except _ReplacedError:
                continue
            except EngineFailedError:
                told = EngineReplaced(not self.analyst.program.is_built_in)
            except Exception as error:  # a thread that ends would be silent
                told = EngineRefused(error)
            with self._changed:
                if self._closed:
                    return
                if isinstance(told, EngineReplaced) and told.by_built_in:
                    self.analyst = self.analyst.instead(BUILT_IN)
                    self._wanted = self._wanted or (key, question)
                self._tell(told)


@dataclass(frozen=True)
class Arrival:
    """The opening and the judgement of a position that the user has reached."""

    opening: OpeningName | None
    judgement: Judgement


@dataclass(frozen=True)
class BestLine:
    """The best line from a place, and how good it is."""

    judgement: Judgement
    moves: tuple[chess.Move, ...]


@dataclass(frozen=True)
class Compared:
    """A line that is compared: its first move, the judgement of its end, and why it is bad."""

    move: chess.Move
    end: chess.Board
    judgement: Judgement
    chance: float
    """How likely the side that has the choice wins."""
    bad: Reason | None = None


@dataclass(frozen=True)
class ComparedLines:
    """The lines that were compared, the best one first."""

    lines: tuple[Compared, ...]


def best_line(analyst: Analyst, board: chess.Board, plies: int) -> BestLine:
    """The best line from ``board``, so many plies long or to the end of the game.

    :raises EngineFailedError, ValueError: as :meth:`Analyst.judge` does.
    """
    judged = analyst.judge(board, closer=True)
    return BestLine(judged, analyst.line(board, judged, plies)[:plies])


def compare(
    analyst: Analyst, board: chess.Board, lines: Sequence[Sequence[chess.Move]]
) -> ComparedLines:
    """Judge the ends of lines from ``board``, and say why a single move is worse than the best.

    :raises EngineFailedError, ValueError: as :meth:`Analyst.judge` does.
    """
    found, explained = [], {}
    for line in lines:
        end = board.copy()
        for move in line:
            end.push(move)
        judged = analyst.judge(end, closer=True)
        chance = judged.chance if end.turn == board.turn else 1 - judged.chance
        found.append(Compared(line[0], end, judged, chance))
    found.sort(key=lambda one: -one.chance)
    best = found[0]
    for at, one in enumerate(found):
        single = all(len(each.end.move_stack) == len(board.move_stack) + 1 for each in (best, one))
        if single and one.move and best.chance - one.chance >= AS_GOOD:
            explained[at] = _why_worse(analyst, board, best, one)
    return ComparedLines(tuple(replace(one, bad=explained.get(at)) for at, one in enumerate(found)))


def _why_worse(analyst: Analyst, board: chess.Board, best: Compared, worse: Compared) -> Reason:
    lines = [(one.move, *analyst.line(one.end, one.judgement)) for one in (best, worse)]
    answer = best.judgement
    score = chess.engine.Mate(1 - answer.mate) if answer.chance == 0 else -answer.score
    return why_bad(board, Judgement(score, lines[0]), worse.judgement, (lines[0], lines[1]))
