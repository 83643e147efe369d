"""The conversation is a pure function: it answers everything, and walks through each file once."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay import conversation
from blindplay.conversation import OpeningWord
from blindplay.conversation import effects as e
from blindplay.conversation.converse import converse
from blindplay.conversation.grammar import sayable
from blindplay.conversation.state import (
    ButtonTapped,
    ClockPressed,
    Event,
    HeardUtterance,
    Hushed,
    SecondPassed,
    Situation,
    TableBegun,
    Talks,
    TypedLine,
)
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import Command
from blindplay.laws import Fact, Game, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.wording.pack_words import PackWords
from blindplay.wording.readers import Readers
from tests.conversation.conversing import GERMAN
from tests.sampling import examples

PROMOTES = "4k3/P7/8/8/8/8/8/R3K2R w KQ - 0 1"
FENS = (chess.STARTING_FEN, PROMOTES, "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")


class Play:
    """A game and a conversation about it, without a table. What comes of it is done at once."""

    def __init__(self, fen: str = chess.STARTING_FEN, **about: Any) -> None:
        self.game = Game(PackWords())
        self.talks, self.now = Talks(), 1
        self._about = about
        setup = f.Setup(t=0, fen=fen, time_control="5400", white=Player(impaired=True))
        self.game.apply(setup)
        self.submit(f.Start())

    @property
    def about(self) -> Situation:
        readers = Readers(self.game, GERMAN)
        return Situation(self.game, readers, self.now, self._preview, **self._about)

    def _preview(self, fact: Fact) -> list[Any]:
        return self.game.preview(replace(fact, t=self.now))

    def submit(self, fact: Fact) -> None:
        fact = replace(fact, t=self.now)
        self.happen(Taken(fact, tuple(self.game.apply(fact))))

    def happen(self, event: Event) -> list[e.Effect]:
        self.talks, effects = converse(self.talks, event, self.about)
        for effect in effects:
            if isinstance(effect, e.Submit | e.TellTime):
                self.submit(effect.fact)
        return effects

    def heard(self, verdict: Verdict, phrases: list[str], side: str) -> Decision:
        may = sayable(self.about, side, self.talks.of(side).current(self.game, side))
        sound = Recognition((Hypothesis(phrases[0], 0.0),))
        due = None if may.repeats is None else may.repeats[1]
        said = [
            interpret(one, may.boards, GERMAN, repeated=due, recognition=sound) for one in phrases
        ]
        certain = verdict in (Verdict.ACCEPT, Verdict.COMMAND, Verdict.ILLEGAL)
        candidates = tuple(Candidate(one, float(n)) for n, one in enumerate(said))
        return Decision(verdict, sound, said[0] if certain else None, candidates)


# --- everything is answered -----------------------------------------------------------------------

LINES = [
    *(GERMAN.command(command) for command in Command),
    "springer felix drei", "springer david zwei", "rochade", "kurz", "die lange", "a8", "dame",
    "korrektur springer hector drei", "korrektur", "falsch", "Springer g1", "f3", "eva vier",
    "bauer eva sieben eva fünf", "Abgabezug Sf3", "fünfzig Züge mit Sf3", "quatsch", "", "4 ?",
]  # fmt: skip
SIDES = st.sampled_from(f.SIDES)
FACTS = st.sampled_from(
    [
        f.Adjourn(by="black"), f.OfferDraw(by="black"), f.Press(by="white"), f.Press(by="black"),
        f.Lift(board="white", square="g1"), f.Place(board="white", square="f3"),
        f.Make(by="white", move="g1f3"), f.Make(by="black", move="g1f3"), f.Resign(by="white"),
        f.Arbiter(do="preside"), f.Arbiter(do="adjourn"), f.Arbiter(do="stop_clocks"),
        f.Irregular(by="white", what="wrong_start"), f.Announce(by="white", move="e2e4"),
    ]
)  # fmt: skip
HAPPENS = st.one_of(
    st.tuples(st.just("type"), st.sampled_from(LINES), SIDES),
    st.tuples(st.just("write"), st.text(max_size=12), SIDES),
    st.tuples(
        st.just("hear"),
        st.sampled_from(list(Verdict)),
        st.lists(st.sampled_from(LINES), min_size=1, max_size=3),
        SIDES,
        st.booleans(),
    ),
    st.tuples(st.just("press"), st.sampled_from([*f.SIDES, "assistant:white"])),
    st.tuples(st.just("tap"), SIDES),
    st.tuples(st.just("hush"), SIDES),
    st.tuples(st.just("rule"), FACTS),
    st.tuples(st.just("wait"), st.integers(0, 20_000)),
    st.tuples(st.just("begin")),
)


@examples(120)
@given(
    happens=st.lists(HAPPENS, max_size=20),
    fen=st.sampled_from(FENS),
    word=st.sampled_from(list(OpeningWord)),
    speaking=st.booleans(),
    allowed=st.booleans(),
)
def test_whatever_happens_in_whatever_state_gives_a_state_and_effects(
    happens: list[Any], fen: str, word: OpeningWord, speaking: bool, allowed: bool
) -> None:
    play = Play(fen, opening_word=word, speaking=speaking, allows=lambda command: allowed)
    for one in happens:
        match one:
            case "type" | "write", line, side:
                event: Event = TypedLine(side, line)
            case "hear", verdict, phrases, side, awaited:
                event = HeardUtterance(side, play.heard(verdict, phrases, side), None, awaited)
            case "press", presser:
                event = ClockPressed(presser, play.now)
            case "tap", side:
                event = ButtonTapped(side, play.now)
            case "hush", side:
                event = Hushed(side)
            case "wait", time:
                play.now += time
                event = SecondPassed()
            case "rule", fact:
                play.submit(fact)
                continue
            case _:
                event = TableBegun()
        before = play.talks
        again = converse(before, event, play.about)
        assert again == converse(before, event, play.about)  # the same comes of the same
        play.happen(event)
    hash_free = repr(play.talks)
    assert hash_free.startswith("Talks(")  # the state can be printed


def test_a_talk_is_replayed_from_its_events_alone() -> None:
    first, again = Play(PROMOTES), Play(PROMOTES)
    lines = ["Rochade", "die kurze", "falsch", "a8", "Dame", "Remis anbieten", "doch nicht"]
    told = [first.happen(TypedLine("white", line)) for line in lines]
    assert [again.happen(TypedLine("white", line)) for line in lines] == told
    assert first.talks == again.talks


# --- each attempt is answered ---------------------------------------------------------------------


def test_a_doubtful_repetition_is_kept_and_acknowledged() -> None:
    play = Play()
    play.happen(TypedLine("white", "Springer Felix drei"))
    phrases = ["springer felix drei", "springer hector drei"]
    heard = HeardUtterance("black", play.heard(Verdict.ASK, phrases, "black"))
    assert play.happen(heard) == [e.Acknowledge("black")]
    assert play.talks.black.repetition is not None


@pytest.mark.parametrize(("words", "heard"), [("f3", True), ("h3", False)])
def test_a_right_repetition_is_acknowledged_and_a_wrong_one_contradicted(
    words: str, heard: bool
) -> None:
    play = Play()
    play.happen(TypedLine("white", "Springer Felix drei"))
    effects = play.happen(TypedLine("black", f"S{words}"))
    assert (e.Acknowledge("black") in effects) is heard


# --- the walk -------------------------------------------------------------------------------------

ROOM = Path(str(conversation.__file__)).parent
VALUES = {"state.py", "effects.py", "__init__.py"}
"""They have values, which know only themselves; every other file decides something."""


def entered(play: Play, event: Event) -> Counter[str]:
    """How often each file that decides is entered from outside of it while ``event`` is taken."""
    count = Counter[str]()

    def of_room(frame: FrameType | None) -> str:
        """The nearest file of the room that decides and that this frame was called from."""
        while frame is not None:
            path = Path(frame.f_code.co_filename)
            if path.parent == ROOM and path.name not in VALUES:
                return path.name
            frame = frame.f_back
        return ""

    def watch(frame: FrameType, what: str, _: object) -> None:
        path = Path(frame.f_code.co_filename)
        decides = path.parent == ROOM and path.name not in VALUES
        if what == "call" and decides and of_room(frame.f_back) != path.name:
            count[path.name] += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        converse(play.talks, event, play.about)
    finally:
        sys.setprofile(before)
    return count


WALKS = {
    "a move": (["Ke2"], {"converse.py", "grammar.py", "beginnings.py"}),
    "a move that is not understood": (["Larifari"], set()),
    "a beginning": (["Springer b1"], {"questions.py"}),
    "its rest": (["Springer b1", "d2"], set()),
    "a move that two pieces can make": (["Springer David zwei"], {"questions.py"}),
    "the answer to it": (["Springer David zwei", "Felix"], set()),
    "a command": (["Zeit"], {"commands.py"}),
    "a command that asks first": (["aufgeben"], {"commands.py", "questions.py"}),
    "its yes": (["aufgeben", "ja"], {"commands.py"}),
    "its no": (["aufgeben", "nein"], set()),
    "another command in its place": (["aufgeben", "Remis anbieten"], {"questions.py"}),
    "a correction": (["Springer David zwei", "Felix", "Korrektur"], {"questions.py"}),
    "help": (["Hilfe"], {"commands.py"}),
    "a claim": (["fünfzig Züge"], {"commands.py", "questions.py"}),
    "a claim with its move": (["fünfzig Züge", "Ke2"], {"commands.py", "questions.py"}),
}


@pytest.mark.parametrize(("lines", "visited"), WALKS.values(), ids=WALKS)
def test_the_walk_of_a_typed_line_visits_each_file_once(
    lines: list[str], visited: set[str]
) -> None:
    play = Play("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    for line in lines[:-1]:
        play.happen(TypedLine("white", line))
    count = entered(play, TypedLine("white", lines[-1]))
    assert set(count.values()) == {1}, count
    assert visited | {"converse.py"} <= set(count)
