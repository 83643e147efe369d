"""Conversations at a table that has no session: a helper performs the effects."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from blindplay.conversation import OpeningWord
from blindplay.conversation import effects as e
from blindplay.conversation.state import (
    AgainWanted,
    Awaited,
    ButtonTapped,
    ClockPressed,
    Event,
    HeardUtterance,
    SecondPassed,
    TypedLine,
)
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import Command, load, parts_of
from blindplay.laws import Fact, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Answer
from blindplay.record import Journal
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.speaker import Output
from blindplay.speech.synthesis import is_words
from blindplay.table import Table
from blindplay.table.talking import Talking
from blindplay.wording.announcements import announcements, goes_to_earphone
from blindplay.wording.position import time_in_words
from blindplay.wording.readers import Readers
from tests.table.sitting import play_moves

GERMAN = load("de")
KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
PROMOTION = "8/4P3/8/8/8/8/k7/7K w - - 0 1"


class Conversation:
    """A table, its conversation, what was said, and a clock that moves when it is told."""

    def __init__(
        self,
        path: Path,
        *,
        training: bool = False,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        language: str = "de",
        started: bool = True,
        plays_again: bool = True,
        **setup: Any,
    ) -> None:
        self.pack = load(language)
        self.now = 0.0
        self.said: list[tuple[Output, str]] = []
        self.rulings: list[Ruling] = []
        self.facts: list[Fact] = []
        self.learned: list[tuple[str, str]] = []
        self.adjusted: list[Command] = []
        self.again: list[Command] = []
        self.acknowledged: list[str] = []
        self.steps_told: list[str] = []
        self.journal = Journal(path)
        fields: dict[str, Any] = {
            "time_control": "5400",
            "arbiter": "automatic",
            "white": Player(impaired=True, language=language),
            "announce_in": language,
            **setup,
        }
        self.table = Table(
            self.journal, Setup(t=0, **fields), now=lambda: self.now, training=training
        )
        self.speaking = False
        self.told: float | None = 0.0
        """When questions were told, in ms; see :class:`~blindplay.conversation.state.Situation`."""
        self.talking = Talking(
            self.table,
            Readers(self.table.game, self.pack),
            opening_word=opening_word,
            plays_again=plays_again,
            speaking=lambda: self.speaking,
            told=lambda words: self.told,
        )
        self.table.listen(self._deliver)
        if started:
            self.table.submit(f.Start())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.journal.close()

    def _say(self, output: Output, words: str) -> None:
        own = self.pack.code
        assert all(is_words(text, code or own) for text, code in parts_of(words, own)), words
        self.said.append((output, words))

    def _tell(self, to: str | None, words: str) -> None:
        private = to is not None and goes_to_earphone(self.table.game, to)
        self._say(Output.PRIVATE if private else Output.PUBLIC, words)

    def converse(self, event: Event) -> list[e.Effect]:
        """Let something happen in the conversation, and bring its effects about."""
        effects = self.talking.take(event)
        self.perform(effects)
        return effects

    def perform(self, effects: list[e.Effect]) -> None:
        """Bring about what comes of the conversation, as a session does."""
        for effect in effects:
            match effect:
                case e.Say(to, words):
                    self._tell(to, words)
                case e.SayAgain(to):
                    if self.said:
                        self._tell(to, self.said[-1][1])
                case e.TellStep(to):
                    self.steps_told.append(to)
                case e.Submit(fact, reports):
                    self.table.submit(fact, Origin("conversation", reports))
                case e.Acknowledge(to):
                    self.acknowledged.append(to)
                case e.TellTime(side, fact, command):
                    for ruling in self.table.submit(fact, Origin("conversation", (Answer,))):
                        if isinstance(ruling, Answer):
                            self._tell(side, time_in_words(self.pack, ruling, command))
                case e.Learn(_, recognition, phrase):
                    self.learned.append((recognition.words, phrase))
                case e.AdjustVoice():
                    self.adjusted.append(effect.command)
                case e.AskAgain(side, command):
                    self.converse(AgainWanted(side, command))
                case e.PlayAgain(command):
                    self.again.append(command)
                case e.Relisten():
                    pass

    def _deliver(self, taken: Taken) -> None:
        self.facts.append(taken.fact)
        self.rulings += taken.rulings
        for one in announcements(taken, self.table.game, self.pack):
            self._tell(one.to, one.words)
        self.converse(taken)

    def type(self, text: str, side: str = "white") -> list[str]:
        """Type a line; what was said then."""
        return self._then(lambda: self.converse(TypedLine(side, text)))

    def hear(
        self, verdict: Verdict, *phrases: str, side: str = "white", sound: str = ""
    ) -> list[str]:
        """Hear phrases, the likeliest first; what was said then."""
        decision = self.decided(verdict, *phrases, side=side, sound=sound)
        return self._then(lambda: self.converse(HeardUtterance(side, decision)))

    def decided(
        self, verdict: Verdict, *phrases: str, side: str = "white", sound: str = ""
    ) -> Decision:
        """What the ear decides about phrases, the likeliest first."""
        heard = Recognition((Hypothesis(sound or (phrases[0] if phrases else ""), 0.0),))
        may = self.talking.sayable(side)
        due = None if may.repeats is None else may.repeats[1]
        said = [
            interpret(phrase, may.boards, self.pack, repeated=due, recognition=heard)
            for phrase in phrases
        ]
        certain = verdict in (Verdict.ACCEPT, Verdict.COMMAND, Verdict.ILLEGAL)
        candidates = tuple(Candidate(one, float(n)) for n, one in enumerate(said))
        return Decision(verdict, heard, said[0] if certain else None, candidates)

    def wait(self, seconds: float) -> list[str]:
        def tick() -> None:
            self.now += seconds
            self.converse(SecondPassed())

        return self._then(tick)

    def execute(self, uci: str) -> None:
        """Hands move a piece on White's board, which has sensors."""
        start, goal = uci[:2], uci[2:]
        placement = self.table.game.position.board_fen()
        self.table.submit(f.Position(board="white", placement=placement))
        self.table.submit(f.Lift(board="white", square=start))
        self.table.submit(f.Place(board="white", square=goal))

    def press(self, presser: str = "white", at: float | None = None) -> list[str]:
        """Press the clock, now or ``at`` so many seconds; what was said then."""

        def press() -> None:
            seconds = self.now if at is None else at
            if e.HoldPress() not in self.converse(ClockPressed(presser, round(seconds * 1000))):
                self.table.submit(f.Press(by=presser))

        return self._then(press)

    def tap(self, side: str = "white") -> list[str]:
        """Press the talk button twice, quickly; what was said then."""
        return self._then(lambda: self.converse(ButtonTapped(side, self.table.time())))

    def holds(self, presser: str = "white", at: int = 0) -> list[e.Effect]:
        """What would come of a press of the clock, without what it does."""
        return self.talking.take(ClockPressed(presser, at))

    def play(self, *uci: str) -> None:
        play_moves(self.table, *uci)

    def _then(self, act: Callable[[], object]) -> list[str]:
        before = len(self.said)
        act()
        return [words for _, words in self.said[before:]]

    @property
    def announced(self) -> str | None:
        move = self.table.game.turn.announced
        return move.uci() if move else None

    def asked(self, side: str = "white") -> bool:
        return self.talking.sayable(side).awaited is Awaited.ANSWER

    def kinds(self) -> list[str]:
        return [fact.kind for fact in self.facts]


Talk: TypeAlias = Callable[..., Conversation]
"""Begins a conversation; the arguments are those of :class:`Conversation` after its path."""
