"""A UCI engine in a process of its own: found, started, asked, and ended when it fails; and its
strength, in words and in Elo.
"""

import asyncio
import logging
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from blindplay.translation import UserError

ELO: Mapping[str, int | None] = {
    "beginner": 800,
    "learner": 1100,
    "club": 1500,
    "strong": 1900,
    "master": 2300,
    "full": None,
}
"""The levels, the weakest first; None: as strong as the engine can."""
USUAL = "club"
LOWEST, HIGHEST = 600, 3200


@dataclass(frozen=True)
class Level:
    """``elo`` is None for full strength."""

    elo: int | None

    @property
    def name(self) -> str:
        """The nearest level that has a name."""
        if self.elo is None:
            return "full"
        elo = self.elo
        return min((abs(level - elo), name) for name, level in ELO.items() if level is not None)[1]


def level(text: str) -> Level:
    """The level that ``text`` names: a word, or a number of Elo.

    :raises ValueError: if it names none, in one sentence.
    """
    if text in ELO:
        return Level(ELO[text])
    if text.isdecimal() and len(text) < 5 and LOWEST <= int(text) <= HIGHEST:
        return Level(int(text))
    raise UserError(
        "--level {text} is not a level; give {levels}, or a number from {lowest} to {highest}.",
        text=text,
        levels=", ".join(ELO),
        lowest=LOWEST,
        highest=HIGHEST,
    )


log = logging.getLogger(__name__)
chess.engine.LOGGER.setLevel(logging.CRITICAL)  # what engines say besides is for nobody's terminal

START_S = 10.0
"""Seconds that an engine may take to start, with its network."""
PATIENCE_S = 4.0
"""Seconds by which an engine may answer later than asked before it counts as hung."""
_BUILT_IN_S = 30.0
"""The same two for the built-in engine: nothing can take its place where a machine is busy."""
LONGEST_ANALYSIS_S = 60.0
_SAME_FOR_ALL = {"Threads": 1, "Hash": 16}  # megabytes
_FOLDERS = ("/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin")
"""More folders that may hold Stockfish: Debian's folder of games is not on everybody's path."""
_FAILURES = (chess.engine.EngineError, TimeoutError, OSError, ValueError, CancelledError)
_POLITENESS = 10  # how far an engine steps back behind ears and keys, as of ``nice``


class EngineFailedError(RuntimeError):
    """The engine did not start, hung, ended, or gave an impossible answer. ``late_s``: the seconds
    for which it was waited for in vain."""

    def __init__(self, message: str, late_s: float = 0.0) -> None:
        super().__init__(message)
        self.late_s = late_s


@dataclass(frozen=True)
class EngineProgram:
    """A program that speaks UCI, and its name for people."""

    name: str
    command: tuple[str, ...]

    @property
    def is_built_in(self) -> bool:
        return self == BUILT_IN


BUILT_IN = EngineProgram("BlindPlay", (sys.executable, "-m", "blindplay.opponents.built_in"))


def installed() -> EngineProgram | None:
    """Stockfish, if it is installed where programs usually are."""
    for folder in (None, *_FOLDERS):
        if program := shutil.which("stockfish", path=folder):
            return EngineProgram("Stockfish", (program,))
    return None


def named(path: str) -> EngineProgram:
    """The engine that is the program ``path``, or is called so on the path of programs.

    :raises ValueError: if there is no such program.
    """
    program = shutil.which(path)
    if program is None:
        raise UserError(
            "--engine {path} is not a program; give the file of a UCI engine.", path=path
        )
    name = Path(program).stem.replace("_", " ").replace("-", " ").split()[0]
    return EngineProgram(name[:1].upper() + name[1:], (str(Path(program).absolute()),))


class UciEngine:
    """A running engine. It starts when it is asked first, and again after :meth:`stop`.

    Ask it from one thread; :meth:`stop` and :meth:`close` may be called from any.
    """

    def __init__(
        self, program: EngineProgram, level: Level, *, patience_s: float = PATIENCE_S
    ) -> None:
        self.program = program
        self._level = level
        self._patience_s = max(patience_s, program.is_built_in * _BUILT_IN_S)
        self._running: chess.engine.SimpleEngine | None = None
        self._game = object()
        self._closed = False

    def choose(self, board: chess.Board, seconds: float) -> chess.Move:
        """A move at the engine's level within ``seconds``, or somewhat later.

        :raises EngineFailedError: if it gives none that is legal.
        """
        return self._ask(board, chess.engine.Limit(time=seconds), limited=True)[0]

    def judge(self, board: chess.Board, seconds: float) -> tuple[chess.Move, int]:
        """The best move at full strength, and its worth in centipawns for the side on move.

        :raises EngineFailedError: if it gives none that is legal.
        """
        move, info = self._ask(board, chess.engine.Limit(time=seconds), limited=False)
        score = info.get("score")
        return move, 0 if score is None else score.pov(board.turn).score(mate_score=100_000)

    def analyse(
        self, board: chess.Board, nodes: int, longest_s: float = LONGEST_ANALYSIS_S
    ) -> tuple[chess.engine.Score, tuple[chess.Move, ...]]:
        """The score for the side on move, and the best line. The same question has the same answer:
        the engine visits ``nodes`` positions in one thread, and remembers nothing.

        :raises EngineFailedError: if it gives no legal move, or does not stop after ``longest_s``.
        """
        self._game = object()
        limit = chess.engine.Limit(nodes=nodes, time=longest_s)
        move, info = self._ask(board, limit, limited=False)
        score, line = info.get("score"), tuple(info.get("pv", ()))
        if score is None:
            raise self._failed(ValueError(info))
        return score.pov(board.turn), line if line[:1] == (move,) else (move,)

    def stop(self) -> None:
        """End the process, whatever it does."""
        running, self._running = self._running, None
        if running is not None:
            running.close()

    def close(self) -> None:
        """End the process for good, even one that is just being started."""
        self._closed = True
        self.stop()

    def elos(self) -> tuple[int, int] | None:
        """The weakest and the strongest level that the engine offers; None if it has no levels.

        :raises EngineFailedError: if it does not start.
        """
        option = self._started().options.get("UCI_Elo")
        if option is None or option.min is None or option.max is None:
            return None
        return option.min, option.max

    def _ask(
        self, board: chess.Board, limit: chess.engine.Limit, *, limited: bool
    ) -> tuple[chess.Move, chess.engine.InfoDict]:
        engine = self._started()
        try:
            engine.ping()  # a late line about an earlier question does not answer this one
            played = engine.play(
                board,
                limit,
                game=self._game,
                info=chess.engine.INFO_SCORE | chess.engine.INFO_PV,
                options=dict(self._options(engine, limited=limited)),
            )
        except _FAILURES as error:
            raise self._failed(error) from None
        if played.move is None or not board.is_legal(played.move):
            raise self._failed(ValueError(played.move))
        return played.move, played.info

    def _failed(self, error: BaseException, patience_s: float | None = None) -> EngineFailedError:
        log.info("The engine %s failed: %r", self.program.name, error)
        self.stop()
        late_s = (patience_s or self._patience_s) if isinstance(error, TimeoutError) else 0.0
        return EngineFailedError(f"{self.program.name}: {error!r}", late_s)

    def _options(
        self, engine: chess.engine.SimpleEngine, *, limited: bool
    ) -> Iterator[tuple[str, bool | int]]:
        """One thread with a small memory, and how strong the engine plays; at its weakest or
        strongest where it has no such level."""
        known, elo = engine.options, self._level.elo
        numbers = dict(_SAME_FOR_ALL)
        if "UCI_LimitStrength" in known and "UCI_Elo" in known:
            yield "UCI_LimitStrength", limited and elo is not None
            if limited and elo is not None:
                numbers["UCI_Elo"] = elo
        for name, value in numbers.items():
            option = known.get(name)
            if option is not None and option.type == "spin":
                low = value if option.min is None else option.min
                yield name, max(low, value if option.max is None else min(value, option.max))

    def _started(self) -> chess.engine.SimpleEngine:
        if self._running is not None:
            return self._running
        patience_s = max(self._patience_s, START_S)
        began = time.monotonic()
        try:
            running = self._running = chess.engine.SimpleEngine.popen(
                _Lenient,
                list(self.program.command),
                timeout=patience_s,
                setpgrp=True,  # Ctrl-C is for the table
                stderr=subprocess.DEVNULL,
                creationflags=getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0),
            )
            running.protocol.loop.set_exception_handler(_noted)
            if self._closed:
                raise chess.engine.EngineTerminatedError
            running.timeout = max(patience_s - (time.monotonic() - began), 0)
            running.ping()  # some load their networks now
            running.timeout = self._patience_s
        except _FAILURES as error:
            raise self._failed(error, patience_s) from None
        if sys.platform != "win32":
            with suppress(OSError):
                behind = os.getpriority(os.PRIO_PROCESS, 0) + _POLITENESS
                os.setpriority(os.PRIO_PROCESS, running.transport.get_pid(), behind)
        return running


class _Lenient(chess.engine.UciProtocol):
    """Passes over options that contradict themselves; ``chess.engine`` would refuse the engine."""

    def _line_received(self, line: str) -> None:
        if not _contradicts_itself(line):
            super()._line_received(line)


def _contradicts_itself(line: str) -> bool:
    """True for an option whose usual value is not one of its own."""
    head, _type, rest = line.partition(" type ")
    kind, *parts = re.split(r"\s+(default|min|max|var)\b\s*", rest.strip())
    given = list(zip(parts[::2], parts[1::2], strict=True))
    if not head.lstrip().startswith("option") or kind not in ("spin", "combo"):
        return False
    usual = dict(given).get("default", "")
    if kind == "combo":
        return ("var", usual) not in given
    try:
        value = int(usual)
        low, high = (int(dict(given).get(name, value)) for name in ("min", "max"))
    except ValueError:
        return True
    return not low <= value <= high


def _noted(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A question that an engine was ended at is for nobody's terminal."""
    log.info("%s", context.get("message"))
