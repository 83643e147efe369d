"""A UCI engine in a process of its own: found, started, asked, and ended when it fails; and its
strength, in words and in Elo.
"""

import asyncio
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chess
import chess.engine

from blindplay.translation import _

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
    raise ValueError(
        _(
            "--level {text} is not a level; give {levels}, or a number from {lowest} to {highest}.",
            text=text,
            levels=", ".join(ELO),
            lowest=LOWEST,
            highest=HIGHEST,
        )
    )


log = logging.getLogger(__name__)
chess.engine.LOGGER.setLevel(logging.CRITICAL)  # what engines say besides is for nobody's terminal

START_S = 20.0
"""Seconds that an engine may take to start."""
PATIENCE_S = 10.0
"""Seconds by which an engine may answer later than asked before it counts as hung."""
_LONGEST_ANALYSIS_S = 60.0
_SAME_FOR_ALL = {"Threads": 1, "Hash": 16}  # megabytes
_FOLDERS = ("/usr/games", "/usr/local/games", "/usr/local/bin", "/opt/homebrew/bin")
"""More folders that may hold Stockfish: Debian's folder of games is not on everybody's path."""
_FAILURES = (chess.engine.EngineError, TimeoutError, OSError, ValueError, CancelledError)
_POLITENESS = 10  # how far an engine steps back behind ears and keys, as of ``nice``


class EngineFailedError(RuntimeError):
    """The engine did not start, hung, ended, or gave an impossible answer."""


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
        raise ValueError(
            _("--engine {path} is not a program; give the file of a UCI engine.", path=path)
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
        self._patience_s = patience_s
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
        self, board: chess.Board, nodes: int
    ) -> tuple[chess.engine.Score, tuple[chess.Move, ...]]:
        """The score for the side on move, and the best line. The same question has the same answer:
        the engine visits ``nodes`` positions in one thread, and remembers nothing.

        :raises EngineFailedError: if it gives no legal move, or takes more than a minute.
        """
        self._game = object()
        limit = chess.engine.Limit(nodes=nodes, time=_LONGEST_ANALYSIS_S)
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
        try:
            option = self._started().options.get("UCI_Elo")
        except _FAILURES as error:
            raise self._failed(error) from None
        if option is None or option.min is None or option.max is None:
            return None
        return option.min, option.max

    def _ask(
        self, board: chess.Board, limit: chess.engine.Limit, *, limited: bool
    ) -> tuple[chess.Move, chess.engine.InfoDict]:
        try:
            engine = self._started()
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

    def _failed(self, error: BaseException) -> EngineFailedError:
        log.info("The engine %s failed: %r", self.program.name, error)
        self.stop()
        return EngineFailedError(f"{self.program.name}: {error!r}")

    def _options(
        self, engine: chess.engine.SimpleEngine, *, limited: bool
    ) -> Iterator[tuple[str, bool | int]]:
        """One thread with a small memory, and how strong the engine plays; at its weakest or
        strongest where it has no such level."""
        known, elo = engine.options, self._level.elo
        yield from ((name, value) for name, value in _SAME_FOR_ALL.items() if name in known)
        option = known.get("UCI_Elo")
        if "UCI_LimitStrength" not in known or option is None:
            return
        limited = limited and elo is not None
        yield "UCI_LimitStrength", limited
        if limited and elo is not None:
            low, high = option.min or elo, option.max or elo
            yield "UCI_Elo", min(max(elo, low), high)

    def _started(self) -> chess.engine.SimpleEngine:
        if self._running is None:
            polite = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)
            self._running = chess.engine.SimpleEngine.popen_uci(
                list(self.program.command),
                timeout=max(self._patience_s, START_S),
                setpgrp=True,  # Ctrl-C is for the table
                stderr=subprocess.DEVNULL,
                creationflags=polite,
            )
            self._running.timeout = self._patience_s
            self._running.protocol.loop.set_exception_handler(_noted)
            if self._closed:
                self.stop()
                raise chess.engine.EngineTerminatedError
            if sys.platform != "win32":
                with suppress(OSError):
                    behind = os.getpriority(os.PRIO_PROCESS, 0) + _POLITENESS
                    os.setpriority(os.PRIO_PROCESS, self._running.transport.get_pid(), behind)
        return self._running


def _noted(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A question that an engine was ended at is for nobody's terminal."""
    log.info("%s", context.get("message"))
