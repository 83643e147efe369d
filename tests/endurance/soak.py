"""A table that plays for hours at high speed: does it grow, leak or forget?

It plays game after game with two boards, a microphone with the recogniser, both outputs and four
pages of the console. Each game opens its devices and closes them. Then its journal is replayed, and
every ruling must be the one that was given; memory, threads and open files are counted.
"""

import contextlib
import gc
import io
import os
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.memory_audio import MemorySink
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.console.server import ConsoleHost
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import Command, load
from blindplay.laws import Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER
from blindplay.record import Journal, read_journal
from blindplay.speech.audio import QueueSource
from blindplay.speech.models.folders import find_model
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.demo import DemonstrationError, Person
from blindplay.table.desk import Transcript
from blindplay.table.play import share_one_heap
from blindplay.table.session import Session
from blindplay.table.table import Table
from blindplay.wording.pack_words import PackWords

from .visitor import Visitor

_PLIES = 60
_SPOKEN_EVERY = 9  # one of so many moves is spoken, the others are typed
_THOUGHT_S = (5.0, 45.0)  # for a move, in the table's time
_PATIENCE_S = 60.0


def growth(memory: Sequence[tuple[float, float]]) -> float:
    """Return how memory grows over the second half, in MiB an hour, by least squares.

    :param memory: hours since the beginning, and MiB then.
    """
    hours, sizes = zip(*memory[len(memory) // 2 :], strict=True)
    return statistics.linear_regression(hours, sizes).slope if len(set(hours)) > 1 else 0.0


@dataclass(frozen=True)
class MemorySample:
    """What the process holds after a game: memory in MiB and open files, both 0 if the system does
    not tell, and threads."""

    hours: float  # the table's time, all games together
    memory: float
    threads: int
    files: int


@dataclass
class SoakFigures:
    """The results of hours of play."""

    games: int = 0
    plies: int = 0
    facts: int = 0
    rulings: int = 0
    spoken: int = 0
    requests: int = 0
    samples: list[MemorySample] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the figures, a line each."""
        if not self.samples:
            yield "Nothing was played."
            return
        first, last = self.samples[min(1, len(self.samples) - 1)], self.samples[-1]
        yield (
            f"Played: {last.hours:.1f} hours of the table's time, {self.games} games, {self.plies} "
            f"moves ({self.spoken} spoken and heard), {self.facts} facts, {self.rulings} rulings, "
            f"{self.requests} requests of the console."
        )
        most = max(sample.memory for sample in self.samples)
        grown = growth([(one.hours, one.memory) for one in self.samples])
        yield (
            f"Memory after the second game {first.memory:.1f} MiB, after the last "
            f"{last.memory:.1f} MiB, most after any {most:.1f} MiB: "
            f"{grown:+.2f} MiB an hour over the second half."
        )
        threads = sorted({sample.threads for sample in self.samples})
        files = sorted({sample.files for sample in self.samples})
        yield f"After each game: threads {threads}, open files {files}."
        yield f"Rulings that a replay gave otherwise, and other faults: {len(self.faults)}."
        yield from self.faults


def sample(hours: float) -> MemorySample:
    """Return a sample of this process, now."""
    gc.collect()
    memory, files = 0.0, 0
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        memory = pages * os.sysconf("SC_PAGE_SIZE") / 2**20
        files = len(list(Path("/proc/self/fd").iterdir()))
    return MemorySample(hours, memory, threading.active_count(), files)


def soak(
    hours: float,
    speed: float,
    *,
    seed: int = 1,
    progress: Callable[[str], None] = lambda line: None,
) -> SoakFigures:
    """Play ``hours`` of a table's time, which runs ``speed`` times as fast as the wall clock."""
    share_one_heap()  # as `play` does
    play = _Play(speed, random.Random(seed), time.monotonic() + hours * 3600 / speed)
    found, played_s = play.found, 0.0
    with tempfile.TemporaryDirectory(prefix="blindplay-soak-") as folder:
        while time.monotonic() < play.end:
            played_s += play.game(Path(folder) / f"game-{found.games}.jsonl")
            found.games += 1
            now = sample(played_s / 3600)
            found.samples.append(now)
            progress(
                f"{now.hours:.2f} hours, {found.games} games: {now.memory:.1f} MiB, {now.threads} "
                f"threads, {now.files} files, {len(found.faults)} faults."
            )
    return found


class _Play:
    """Games one after another, until the monotonic time ``end``."""

    def __init__(self, speed: float, rng: random.Random, end: float) -> None:
        self.speed, self.rng, self.end = speed, rng, end
        self.found = SoakFigures()
        self.pack = load("de")
        self.recogniser = open_recogniser(self.pack, find_model("de"))

    def game(self, path: Path) -> float:
        """Play one game. Return its duration in seconds of the table's time."""
        setup = f.Setup(
            t=0, time_control="5400+30", arbiter="automatic",
            white=f.Player(impaired=True, assistant=True), black=f.Player(),
        )  # fmt: skip
        with ExitStack() as stack:
            journal = stack.enter_context(Journal(path))
            synthesiser = stack.enter_context(Synthesiser("de", spellings=self.pack.spoken))
            outputs = (MemorySink(name, keeps=False) for name in ("private", "public"))
            speaker = Speaker(synthesiser, *outputs)
            table = Table(journal, setup, now=lambda: time.monotonic() * self.speed)
            given = [ruling for taken in table.log for ruling in taken.rulings]
            table.listen(lambda taken: given.extend(taken.rulings))
            transcript = Transcript(io.StringIO(), table.time)
            session = Session(table, self.pack, speaker, transcript, tick_seconds=1 / self.speed)
            stack.callback(session.close)
            microphone = QueueSource()
            people = {}
            for side in f.SIDES:
                board = stack.enter_context(EmulatedBoard())
                yes = self.pack.command(Command.YES)
                people[side] = Person(side, session, synthesiser, None, microphone, board, yes)
                session.attach_board(side, board.url, levers=side == "white")
            session.attach_microphone("white", microphone, self.recogniser)
            with self._visited(table):
                _until(lambda: all(seat.board.placement() for seat in session.boards.values()))
                table.submit(f.Start())
                while not table.game.over and len(table.game.history) < _PLIES:
                    if time.monotonic() > self.end or not self._ply(session, people):
                        break
                    time.sleep(self.rng.uniform(*_THOUGHT_S) / self.speed)
                session.wait_until_said()
        self.found.plies += len(table.game.history)
        self._replay(path, given)
        return table.time() / 1000

    @contextlib.contextmanager
    def _visited(self, table: Table) -> Iterator[None]:
        """Open a page of the console for each role."""
        host = ConsoleHost(table, port=0)
        form = {"act": "query", "about": "moves"}
        visitors = [Visitor(host.link(role), form, every=1.0) for role in host.roles()]
        try:
            yield
        finally:
            for visitor in visitors:
                visitor.leave()
                self.found.requests += visitor.sent
            host.close()
            for visitor in visitors:
                visitor.close()

    def _ply(self, session: Session, people: dict[str, Person]) -> bool:
        """Play one random move; False, with a fault, if the table did not follow."""
        game, ply = session.table.game, len(session.table.game.history)
        before = game.board.copy()
        move = self.rng.choice(sorted(before.legal_moves, key=str))
        words = self.pack.announce(before, move)
        mover, other = people[game.side], people[OTHER[game.side]]
        spoken = mover.side == "white" and ply // 2 % _SPOKEN_EVERY == 0
        if spoken:
            try:
                mover.speak(words, "announced")
            except DemonstrationError:
                spoken = False
        self.found.spoken += spoken
        if not spoken:
            session.typed(mover.side, words)
        session.typed(other.side, words)
        for person in (mover, other):
            person.execute(before, move)
        if not _until(lambda: game.over or game.turn.made == move or len(game.history) > ply):
            self._fault(f"ply {ply + 1}: {move} was not made.")
            return False
        if not game.over:
            mover.press(people["white"].board)
            if not _until(lambda: game.over or len(game.history) > ply):
                self._fault(f"ply {ply + 1}: {move} was not completed.")
                return False
        session.wait_until_said()
        return True

    def _replay(self, path: Path, given: list[Ruling]) -> None:
        """Compare the rulings that a replay of the journal gives with those that were given."""
        facts = read_journal(path).facts
        game = Game(PackWords())
        again = [ruling for fact in facts for ruling in game.apply(fact)]
        self.found.facts += len(facts)
        self.found.rulings += len(given)
        if again != given:
            at = next((i for i, one in enumerate(given) if again[i : i + 1] != [one]), len(given))
            self._fault(
                f"ruling {at + 1} was {given[at : at + 1]}, replayed it is {again[at : at + 1]}."
            )

    def _fault(self, sentence: str) -> None:
        self.found.faults.append(f"Game {self.found.games}, {sentence}")


def _until(there: Callable[[], bool]) -> bool:
    end = time.monotonic() + _PATIENCE_S
    while not there():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True
