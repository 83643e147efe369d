"""A real table in simulated time: it hears sound that is given to it, and says nothing aloud.

Only the people and the room are simulated. Time passes by as much as people and the table speak, so
the counts do not depend on the machine.
"""

import io
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import chess

from benchmarks.memory_audio import MemorySink
from blindplay.language import Language
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.record import Journal
from blindplay.speech.audio import BLOCK_BYTES, RATE, QueueSource
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.listener import Listener
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.choices import Printed
from blindplay.table.desk import Transcript
from blindplay.table.session import Session

PATIENCE_S = 60.0
"""Real time until a table must have done something."""
_EARPHONE = "white"
_THROWN_AWAY_S = 2.0


class StuckTableError(RuntimeError):
    """The table could not be used to the end; the message says where it stopped."""


@dataclass
class Told:
    """The amount of a table's speech to one player."""

    words: int = 0
    sentences: int = 0
    seconds: float = 0.0


@dataclass
class SimulatedTime:
    """The time of a table, in seconds."""

    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


class _Printed(io.StringIO):
    """Takes a table's printed lines, and counts its sentences and words to each player."""

    def __init__(self, told: Mapping[str, Told]) -> None:
        super().__init__()
        self._told = told
        self.lines: list[str] = []

    def write(self, text: str) -> int:
        if text.strip():
            self.lines.append(text.strip())
        for start, sides in (("said to everybody: ", SIDES), ("said privately: ", (_EARPHONE,))):
            _, found, words = text.partition(start)
            for side in sides if found else ():
                self._told[side].sentences += 1
                self._told[side].words += len(words.split())
        return len(text)


@dataclass
class ListeningTable:
    """A table at work. ``told`` counts its speech to each player, ``printed`` has a line for
    each event. White, the blind player, has an earphone."""

    session: Session
    clock: SimulatedTime
    told: Mapping[str, Told]
    printed: list[str]
    _microphones: Mapping[str, tuple[QueueSource, Listener]]

    def hear(self, side: str, sound: bytes) -> None:
        """Let the microphone of ``side`` hear this, and wait until all of it has been decided."""
        self.clock.now += len(sound) / 2 / RATE
        microphone, listener = self._microphones[side]
        microphone.push(sound)
        until = time.monotonic() + PATIENCE_S + len(sound) / 2 / RATE
        for _ in range(3):  # blocks are taken in order
            while microphone.waiting():
                wait_a_little(until)
            reached, pushed = listener.now, -math.inf
            while listener.now == reached:
                # One block is enough, unless it was thrown away while the table spoke. More of them
                # would add a false pause.
                if time.monotonic() - pushed > _THROWN_AWAY_S and not microphone.waiting():
                    microphone.push(bytes(BLOCK_BYTES))
                    pushed = time.monotonic()
                wait_a_little(until)
        self.settle()
        self.session.second()
        self.settle()

    def settle(self) -> None:
        """Wait until all events are handled and all sentences said."""
        self.session.settle()
        self.session.wait_until_said()


def wait_a_little(until: float) -> None:
    """Sleep a moment.

    :raises StuckTableError: after ``until``, in seconds of the monotonic clock.
    """
    if time.monotonic() > until:
        raise StuckTableError("The table does not listen any more.")
    time.sleep(0.005)


@contextmanager
def listening_table(
    pack: Language,
    recogniser: AnyRecogniser,
    synthesiser: Synthesiser,
    folder: Path,
    *,
    sides: Sequence[str] = SIDES,
    boards: Mapping[str, str] | None = None,
    fen: str = chess.STARTING_FEN,
) -> Iterator[ListeningTable]:
    """Yield a table whose game has begun. The players of ``sides`` have a microphone each;
    ``boards`` are the addresses of sensor boards, White's with the levers of the clock. The journal
    is in the new folder ``folder``."""
    told = {side: Told() for side in SIDES}
    clock, printed = SimulatedTime(), _Printed(told)
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(folder / "game.jsonl"))
        setup = Setup(
            t=0,
            fen=fen,
            time_control="90000",
            arbiter="automatic",
            announce_in=pack.code,
            white=Player(impaired=True, language=pack.code),
            black=Player(language=pack.code),
        )
        table = Table(journal, setup, now=clock)
        transcript = Transcript(printed, table.time, Printed.ALL)
        speaker = Speaker(synthesiser, *(_sink(clock, told, who) for who in ((_EARPHONE,), SIDES)))
        session = Session(table, pack, speaker, transcript, private_is_heard_by_all=False)
        stack.callback(session.close)
        for side, address in (boards or {}).items():
            session.attach_board(side, address, levers=side == "white")
        microphones = {}
        for side in sides:
            source = QueueSource()
            seat = session.attach_microphone(side, source, recogniser)
            microphones[side] = source, seat.listener
        until = time.monotonic() + PATIENCE_S
        while not all(seat.board.placement() for seat in session.boards.values()):
            wait_a_little(until)
        table.submit(f.Start())
        session.wait_until_said()
        for one in told.values():
            one.words, one.sentences, one.seconds = 0, 0, 0.0
        yield ListeningTable(session, clock, told, printed.lines, microphones)


def _sink(clock: SimulatedTime, told: Mapping[str, Told], sides: Sequence[str]) -> MemorySink:
    """An output that these players hear. Each sound takes its time."""

    def heard(pcm: bytes, rate: int) -> None:
        seconds = len(pcm) / 2 / rate
        clock.now += seconds
        for side in sides:
            told[side].seconds += seconds

    return MemorySink(on_start=heard, keeps=False)
