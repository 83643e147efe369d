"""The channels through which robots take part in a game: each runs the table in this process and in
simulated time, gives a person sentences, and takes what they do.

A channel runs the table as :func:`blindplay.table.play.run` does, but for devices and threads. The
robots know the keyboard's guide by heart, so it is left out.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import chess

from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.conversation import OpeningWord
from blindplay.conversation.state import HeardUtterance
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import Kind, load
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Setup
from blindplay.laws.placement import write_placement
from blindplay.laws.state import State
from blindplay.opponents.built_in import WEAKEST
from blindplay.opponents.engine import EnginePlayer
from blindplay.opponents.uci import BUILT_IN, Level
from blindplay.record import Journal
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.speaker import Outcome, Output, Sound, Speaker, Voicing
from blindplay.table import Table, play
from blindplay.table.choices import Printed
from blindplay.table.desk import Transcript
from blindplay.table.hall_contact import Pairings
from blindplay.table.keyboard import Keyboard
from blindplay.table.opening import open_game
from blindplay.table.session import Session
from tests.table.sitting import ManualClock

from .mind import ARBITER
from .robot import Act

_NEVER_S = 1e6  # the test lets time pass
_LETTERS_A_SECOND = 15  # of speech
Listeners: TypeAlias = str | tuple[str, ...]
"""The one person who gets a private sentence, or all people who get one that others may hear."""
EVERYBODY = (*SIDES, ARBITER)


@dataclass(frozen=True)
class Game:
    """The game that a channel is for: its journal, its setup, and the options of its table."""

    path: Path
    setup: Setup
    language: str
    training: bool = False
    opening_word: OpeningWord = OpeningWord.OPTIONAL
    opponent: Callable[[], Engine] | None = None
    """Makes the opponent who is not in the room, for each process of the table."""
    one_enter: bool = False
    """A typed move is completed without another Enter."""
    hall: str = ""
    """The name of the table in its hall; empty if it has none."""


class Engine(EnginePlayer):
    """The built-in engine. Its turn comes with each second of the game, not in a thread."""

    def __init__(self) -> None:
        super().__init__(BUILT_IN, Level(WEAKEST), pace=lambda board, left_s, increment_s: 0.0)

    def _run(self) -> None:
        """See :meth:`step`."""

    def step(self) -> None:
        """Do what is due, and choose a move if one is."""
        self._do_duties()
        self._consider()


class PegBoard(SensorBoard):
    """A pegged board whose line loses nothing. It survives the process of its table."""

    def __init__(self, pieces: Mapping[int, str], clock: ManualClock) -> None:
        self.pieces = dict(pieces)
        self._clock = clock

    def placement(self) -> str:
        """See :meth:`.SensorBoard.placement`."""
        return write_placement(self.pieces)

    def now(self) -> float:
        """See :meth:`.SensorBoard.now`."""
        return self._clock()

    def do(self, hands: str) -> None:
        """Do what hands do, in words such as "lift e2, place e4 P" or "press white"."""
        for what, where, *piece in map(str.split, hands.split(", ")):
            match what:
                case "lift":
                    self.pieces.pop(chess.parse_square(where), None)
                    self.tell(events.Lifted(where, at=self.now()))
                case "place":
                    self.pieces[chess.parse_square(where)] = piece[0]
                    self.tell(events.Placed(where, piece[0], at=self.now()))
                case "press":
                    side: Literal["white", "black"] = "white" if where == "white" else "black"
                    self.tell(events.LeverPressed(side, at=self.now()))


class People(ABC):
    """The way between a running table and its people."""

    open: bool
    """True while a process has the table."""

    @abstractmethod
    def start(self) -> None:
        """Begin the game, or go on with it, as a new process does."""

    @abstractmethod
    def kill(self) -> None:
        """End the process of the table, without a word."""

    def await_end(self) -> None:  # noqa: B027  most channels have nothing to wait for
        """Wait until the process has ended, if it is about to."""

    @abstractmethod
    def second(self) -> None:
        """Let the seconds since the last call pass at the table."""

    @abstractmethod
    def do(self, side: str, act: Act) -> str:
        """Do what the person of ``side`` does; return it in words for the transcript."""

    @abstractmethod
    def told(self) -> Iterator[tuple[Listeners, str]]:
        """Yield each sentence since the last call, and who got it."""

    @property
    @abstractmethod
    def state(self) -> State:
        """The game as the table has it; only the judge looks at it."""

    @property
    @abstractmethod
    def is_left(self) -> bool:
        """Return whether people have left the table after the game."""

    @property
    def busy(self) -> bool:
        """Return whether people listen now, and wait with what they do."""
        return False

    def has_more(self, side: str) -> bool:
        """Return whether ``side`` has not yet taken in all that they were told."""
        return self.busy

    @property
    def shows_clock(self) -> bool:
        """Return whether people who see look at a clock."""
        return False


class Channel(People):
    """A table in this process. :meth:`start` begins ``game``, or continues it after
    :meth:`kill`."""

    def __init__(
        self, game: Game, clock: ManualClock, boards: Mapping[str, PegBoard] | None = None
    ) -> None:
        self.game = game
        self.clock = clock
        self.boards = boards or {}
        self.open = False
        self.out = io.StringIO()
        self._read = 0  # letters of it
        self._stack = ExitStack()
        self._begun = False
        self.table: Table
        self.session: Session
        self._journal: Journal
        self._engine: Engine | None
        self._keyboard: Keyboard

    def start(self) -> None:
        """See :meth:`People.start`."""
        resumed, self._begun = self._begun, True
        game, pack = self.game, load(self.game.language)
        self._stack = ExitStack()
        self._journal = self._stack.enter_context(Journal(game.path, resume=resumed))
        setup = None if resumed else game.setup
        self._engine = game.opponent() if game.opponent else None
        self.table = Table(
            self._journal,
            setup,
            now=self.clock,
            training=game.training,
            pairings=Pairings(game.hall),
            opponent=self._engine,
        )
        transcript = Transcript(self.out, self.table.time, Printed.WORDS, pack.trouble)
        self.session = session = Session(
            self.table,
            pack,
            self.speaker(),
            transcript,
            opening_word=game.opening_word,
            tick_seconds=_NEVER_S,
            remind_after=(20, 60),
            one_enter=game.one_enter,
        )
        self._stack.callback(session.close)
        interrupted = resumed and play.go_on(session, self._journal, False)
        session.setting_up.prepare()
        self._keyboard = Keyboard(session)
        self.attach()
        open_game(session, resumed=resumed, interrupted=interrupted)
        if self._engine is not None:
            self._stack.callback(self._engine.close)
            self._engine.sit(self.table, session.desk.tell_all)
        self.open = True

    def attach(self) -> None:
        """Attach the devices of people to the new process."""
        for seat, board in self.boards.items():
            self.session.attach(board, seat)

    def kill(self) -> None:
        """See :meth:`People.kill`."""
        self.open = False
        self._stack.close()

    def second(self) -> None:
        """See :meth:`People.second`."""
        clock = self.table.game.clock
        if clock and clock.running is not None:
            self.table.submit(f.Tick())
        self.session.second()
        if self._engine is not None:
            self._engine.step()

    def type(self, line: str) -> None:
        """Type one line at the keyboard of the table. It may end the table."""
        if self._keyboard.do_all([line]):
            play._end(self.session, self._journal, "blindplay")
            self.flush()
            self.kill()

    def speaker(self) -> Speaker | None:
        """Return the voice of a new process; None if it has none."""
        return None

    @property
    def state(self) -> State:
        """See :meth:`People.state`."""
        return self.table.game

    @property
    def is_left(self) -> bool:
        """See :meth:`People.is_left`."""
        return not self.open and self.table.game.over

    def printed(self) -> list[str]:
        """Return the lines that were printed since the last call."""
        printed = self.out.getvalue()
        self._read, news = len(printed), printed[self._read :]
        return [line for line in news.splitlines() if line.strip()]

    @abstractmethod
    def flush(self) -> None:
        """Let everything that is still to be said be said."""

    def do(self, side: str, act: Act) -> str:
        """See :meth:`People.do`."""
        if act.kind == "hands":
            self.boards[side].do(act.words)
            return f"does by hand: {act.words}"
        return self.say(side, act)

    @abstractmethod
    def say(self, side: str, act: Act) -> str:
        """Do what needs no board; see :meth:`do`."""


class Terminal(Channel):
    """A table whose keyboard and whose printed lines all people share."""

    def flush(self) -> None:
        """See :meth:`Channel.flush`: nothing waits."""

    def say(self, side: str, act: Act) -> str:
        """See :meth:`Channel.say`. Words without a name are those of the player on move."""
        line = act.words
        if act.kind in ("say", "write") and side in SIDES and not act.on_move:
            line = f"{side}: {line}"
        self.type(line)
        return f"types: {line or '(Enter)'}"

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`People.told`."""
        for line in self.printed():
            yield EVERYBODY, line


class Room(Channel):
    """A table that speaks and listens. Its ear is perfect, but hears only what it listens for.

    ``earphone``: the player who has one hears private sentences alone. The keyboard serves for what
    cannot be said. The arbiter sits at it, and reads what is printed there.
    """

    def __init__(
        self, game: Game, clock: ManualClock, boards: Mapping[str, PegBoard], *, earphone: bool
    ) -> None:
        super().__init__(game, clock, boards)
        self._earphone = earphone
        self._voice: _Voice
        self._spoken: list[tuple[Listeners, str]] = []

    def speaker(self) -> Speaker:
        """See :meth:`Channel.speaker`."""
        self._voice = _Voice(self._hear)
        return self._voice

    @property
    def busy(self) -> bool:
        """See :meth:`People.busy`."""
        return self.open and self._voice.speaking

    @property
    def shows_clock(self) -> bool:
        """See :meth:`People.shows_clock`."""
        return True

    def second(self) -> None:
        """See :meth:`Channel.second`."""
        self._voice.pass_second()
        super().second()

    def flush(self) -> None:
        """See :meth:`Channel.flush`."""
        while self._voice.speaking:
            self._voice.pass_second()

    def _hear(self, words: str, output: Output) -> None:
        who: Listeners = SIDES
        if output is Output.PRIVATE and self._earphone:
            who = next((side for side in SIDES if self.game.setup.player(side).impaired), "white")
        self._spoken.append((who, words))

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`People.told`."""
        spoken, self._spoken = self._spoken, []
        yield from spoken
        yield from (((ARBITER,), line) for line in self.printed())

    def say(self, side: str, act: Act) -> str:
        """See :meth:`Channel.say`."""
        if act.kind == "say" and side in SIDES:
            self._speak(side, act.words)
            return f"says: {act.words}"
        line = f"{side}: {act.words}" if act.kind == "write" and not act.on_move else act.words
        self.type(line)
        return f"types: {line or '(Enter)'}"

    def _speak(self, side: str, phrase: str) -> None:
        """Let the table hear ``phrase``, if it listens for it."""
        session = self.session
        with self.table.lock:
            may = session.talking.sayable(side)
            heard = Recognition((Hypothesis(phrase, 0.0),))
            due = None if may.repeats is None else may.repeats[1]
            pack = session.readers.of(side)
            said = interpret(phrase, may.boards, pack, repeated=due, recognition=heard)
            command = said.meant.command
            verdict = Verdict.ACCEPT
            if phrase in session.setting_up.phrases():
                verdict = Verdict.COMMAND
            elif command is not None:
                expected = may.opened if said.meant.opened else may.bare
                verdict = Verdict.COMMAND if command in expected else Verdict.NOTHING
            elif said.meant.kind is Kind.ILLEGAL:
                verdict = Verdict.ILLEGAL
            elif said.meant.kind is Kind.UNCLEAR:
                answers = phrase.lower() in may.answers or session.talking.asked(side)
                verdict = Verdict.ACCEPT if answers else Verdict.REFUSE
            taken = verdict not in (Verdict.REFUSE, Verdict.NOTHING)
            decision = Decision(
                verdict, heard, said if taken else None, (Candidate(said, 0.0),) if taken else ()
            )
            awaited = phrase.lower() in may.answers
            session._heard(HeardUtterance(side, decision, self.table.time(), awaited))


class _Voice(Speaker):
    """Speaks in simulated time to ``listener``: a sentence is heard when it has ended."""

    def __init__(self, listener: Callable[[str, Output], None]) -> None:
        self.speaking = False
        self.speaking_to = None
        self._listener = listener
        self._own_voicing = Voicing()
        self._waiting: deque[tuple[str, Output, Callable[[Outcome], None] | None]] = deque()
        self._left = 0.0

    def say(
        self,
        words: str | Sequence[tuple[str, str]],
        *,
        to: Output,
        on_done: Callable[[Outcome], None] | None = None,
        on_spoken: Callable[[bytes, int], None] | None = None,
        sound: Callable[[], Sound] | None = None,
    ) -> None:
        text = words if isinstance(words, str) else "".join(part for part, _ in words)
        if not self._waiting:
            self._left = len(text) / _LETTERS_A_SECOND
        self._waiting.append((text, to, on_done))
        self.speaking = True

    def pass_second(self) -> None:
        """Speak for a second."""
        self._left -= 1
        while self._waiting and self._left <= 0:
            text, to, on_done = self._waiting.popleft()
            self._listener(text, to)
            if on_done is not None:
                on_done(Outcome.SPOKEN)
            if self._waiting:
                self._left += len(self._waiting[0][0]) / _LETTERS_A_SECOND
        self.speaking = bool(self._waiting)

    @property
    def voicing(self) -> Voicing:
        return self._own_voicing

    @voicing.setter
    def voicing(self, wanted: Voicing) -> None:
        self._own_voicing = wanted

    def interrupt(self, *, hold: float = 0.0, announcements: bool = True) -> None:
        private = [one for one in self._waiting if one[1] is Output.PRIVATE]
        self._waiting = deque(one for one in self._waiting if one[1] is Output.PUBLIC)
        self.speaking = bool(self._waiting)
        for _, _, on_done in private:
            if on_done is not None:
                on_done(Outcome.DROPPED)

    def resume(self) -> None:
        pass

    def wait(self, timeout: float | None = None) -> bool:
        return not self._waiting

    def on_speaking(self, callback: Callable[[bool], None]) -> Callable[[], None]:
        return lambda: None

    def on_output(self, callback: Callable[[Output, bool], None]) -> None:
        pass

    def on_reader(self, callback: Callable[[bool], None]) -> None:
        pass

    def close(self) -> None:
        self._waiting.clear()
        self.speaking = False
