"""How soon the move of an absent opponent is heard, and whether keys and ears wait for an engine
that thinks: ``python -m benchmarks opponents``."""

import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from io import StringIO
from itertools import cycle
from pathlib import Path

import chess

from benchmarks.memory_audio import MemorySink
from blindplay.hearing.recognisers import Ear
from blindplay.language import Command, Language
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.opponents import uci
from blindplay.opponents.player import AbsentPlayer, is_to_choose
from blindplay.record import Journal
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from blindplay.table.table import Table

_MOVES = 7
_CACHED_FROM = 2  # from here on each announcement has been spoken before
_QUESTIONS = 20
_PATIENCE_S = 60.0


class _Knight(AbsentPlayer):
    """Moves a knight there and back when it may, and notes when it has found its move."""

    def __init__(self) -> None:
        super().__init__()
        self.found = 0.0
        self.may_move = threading.Event()
        self._moves = cycle(("g8f6", "f6g8"))

    def _consider(self) -> None:
        game = self._table.game
        if is_to_choose(game, self.side):
            self.may_move.wait(_PATIENCE_S)
            self.may_move.clear()
            move = chess.Move.from_uci(next(self._moves))
            self.found = time.perf_counter()
            self._play(move, lambda: is_to_choose(game, self.side))


class _HeardTable:
    """A table whose sound goes nowhere, and when its next sentence begins."""

    def __init__(self, stack: ExitStack, pack: Language, player: AbsentPlayer | None) -> None:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        journal = stack.enter_context(Journal(folder / "game.jsonl"))
        synthesiser = stack.enter_context(
            Synthesiser(pack.code, cache=folder / "phrases", spellings=pack.spoken)
        )
        synthesiser.voices()  # starts the worker
        setup = Setup(t=0, boards=2, arbiter="automatic", white=Player(impaired=True))
        self.table = Table(journal, setup, opponent=player)
        sink = MemorySink(on_start=self._begins)
        self.speaker = Speaker(synthesiser, sink, sink)
        transcript = Transcript(StringIO(), self.table.time)
        self.session = Session(self.table, pack, self.speaker, transcript)
        stack.callback(self.session.close)
        self._began: list[float] = []
        self._heard = threading.Event()

    def _begins(self, pcm: bytes, rate: int) -> None:
        self._began.append(time.perf_counter())
        self._heard.set()

    def be_quiet(self) -> None:
        """Say all that is to be said, and forget it."""
        self.speaker.wait(_PATIENCE_S)
        self._began.clear()
        self._heard.clear()

    def begins(self) -> float:
        """When the next sentence begins, after it was said."""
        self._heard.wait(_PATIENCE_S)
        self.speaker.wait(_PATIENCE_S)
        return self._began[0]


def figures(pack: Language) -> Iterator[str]:
    """Yield a line about the time from a found move to the first sample of its announcement."""
    delays = answered(pack)
    new, cached = delays[0], statistics.median(delays[_CACHED_FROM:])
    yield (
        f"Opponent's move found to first sample of its announcement: not cached {new * 1000:.1f} "
        f"ms, cached {cached * 1000:.1f} ms, median of {len(delays) - _CACHED_FROM} (without a "
        "device's own delay)."
    )


def answered(pack: Language) -> list[float]:
    """The seconds from each found move to the first sample."""
    player, delays = _Knight(), list[float]()
    with ExitStack() as stack:
        at = _HeardTable(stack, pack, player)
        stack.callback(player.close)
        player.sit(at.table, at.session.desk.tell_all)
        at.table.submit(f.Start())
        for _, move in zip(range(_MOVES), cycle(("g1f3", "f3g1")), strict=False):
            at.table.submit(f.Announce(by="white", move=move))
            at.table.submit(f.Make(by="white", move=move))
            at.table.submit(f.Press(by="white"))
            at.be_quiet()  # only the answer is measured
            player.may_move.set()
            delays.append(at.begins() - player.found)
    return delays


# --- while an engine thinks ----------------------------------------------------------------------


def thinking_figures(pack: Language) -> Iterator[str]:
    """Yield a line about keys and one about ears, while an engine thinks and while none does.

    :raises ModelError: if no speech model listens.
    """
    program = uci.installed() or uci.BUILT_IN
    for name, measure in (
        ("Typed question to first sample of its answer", asked),
        ("Whole announcement to its meaning", heard),
    ):
        quiet = measure(pack)
        with _thinks(program):
            busy = measure(pack)
        yield (
            f"{name}: {_in_ms(quiet)}; while {program.name} thinks: {_in_ms(busy)}; {_QUESTIONS} "
            "of each."
        )


def _in_ms(taken: list[float]) -> str:
    return f"median {statistics.median(taken) * 1000:.1f} ms, longest {max(taken) * 1000:.1f} ms"


def asked(pack: Language) -> list[float]:
    """The seconds from each typed question to the first sample of its answer."""
    question, taken = pack.command_phrases([Command.LAST_MOVE])[0], list[float]()
    with ExitStack() as stack:
        at = _HeardTable(stack, pack, None)
        at.table.submit(f.Start())
        for _ in range(_QUESTIONS + 1):
            at.be_quiet()
            begun = time.perf_counter()
            at.session.typed("white", question)
            taken.append(at.begins() - begun)
    return taken[1:]  # the first answer was not spoken before


def heard(pack: Language) -> list[float]:
    """The seconds in which an ear understands each of several announcements."""
    board, taken, ear = chess.Board(), list[float](), Ear(pack)
    words = pack.announce(board, chess.Move.from_uci("g1f3"))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        synthesiser = Synthesiser(pack.code, cache=folder, spellings=pack.spoken)
        sound = stack.enter_context(synthesiser).render(words)
        for _ in range(_QUESTIONS + 1):
            begun = time.perf_counter()
            ear.hear(sound, board)
            taken.append(time.perf_counter() - begun)
    return taken[1:]


@contextmanager
def _thinks(program: uci.EngineProgram) -> Iterator[None]:
    """An engine thinks at full strength meanwhile."""
    engine = uci.UciEngine(program, uci.level("full"))
    engine.choose(chess.Board(), 0.01)  # starts it

    def think() -> None:
        with suppress(uci.EngineFailedError):
            engine.choose(chess.Board(), _PATIENCE_S)

    thread = threading.Thread(target=think)
    thread.start()
    try:
        yield
    finally:
        engine.close()
        thread.join(_PATIENCE_S)
