"""What a player asks his page, and why what he typed is not a move."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.pages import players
from blindplay.language import load
from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.table.desk import Transcript
from blindplay.table.session import Session
from tests.console.hall import IMPAIRED

KNIGHTS = "4k3/8/8/8/8/8/8/1N2KN2 w - - 0 1"


class Knights:
    """A table without a server: White, impaired, has two knights that can both go to d2."""

    def __init__(self, journal: Journal) -> None:
        setup = Setup(t=0, fen=KNIGHTS, white=IMPAIRED, time_control="300+5")
        self.table = Table(journal, setup, now=lambda: 0)
        self.facts: list[Fact] = []
        self.out = io.StringIO()
        self.session = Session(self.table, load("de"), None, Transcript(self.out, self.table.time))
        self.table.listen(lambda taken: self.facts.append(taken.fact))
        self.table.submit(f.Start())


@pytest.fixture
def knights(tmp_path: Path) -> Iterator[Knights]:
    with Journal(tmp_path / "game.jsonl") as journal:
        knights = Knights(journal)
        yield knights
        knights.session.close()


def ask(
    hall: Knights, role: str, language: str = "en", *, training: bool = False, **what: str
) -> ActionResult:
    form = {"act": ["ask"], **{name: [value] for name, value in what.items()}}
    hall.table.training = training
    return act(hall.table, role, language, form)


@pytest.mark.parametrize(
    ("language", "about", "words"),
    [
        ("en", "clock_mine", "You have five minutes five seconds."),
        ("en", "clock_opponent", "Your opponent has five minutes five seconds."),
        ("de", "moves", "Es ist noch kein Zug abgeschlossen."),
        ("de", "last_move", "Es wurde noch kein Zug gespielt."),
    ],
)
def test_answers_have_the_tables_words_in_the_pages_language(
    knights: Knights, language: str, about: str, words: str
) -> None:
    before = len(knights.out.getvalue())
    assert ask(knights, "white", language, about=about) == ActionResult((words,))
    assert "said" not in knights.out.getvalue()[before:]
    assert [fact.kind for fact in knights.facts] == ["start", "query"]


def test_the_last_move_is_told_as_it_was_announced(knights: Knights) -> None:
    knights.table.submit(f.Announce(by="white", move="b1c3"))
    knights.table.submit(f.Make(by="white", move="b1c3"))
    knights.table.submit(f.Press(by="white"))
    answer = ask(knights, "white", about="last_move")
    assert answer.sentences == ("Last move, White: Springer Bella eins Cäsar drei.",)


@pytest.mark.parametrize("role", ["white", "black", "assistant:white", "assistant:black"])
@pytest.mark.parametrize("about", ["position", "square", "pieces", "attackers", "captured"])
def test_nobody_but_a_player_in_training_is_told_the_position(
    knights: Knights, role: str, about: str
) -> None:
    assert ask(knights, role, about=about, square="b1").refused
    told = ask(knights, role, training=True, about=about, square="b1")
    assert told.refused is (role not in f.SIDES)


@pytest.mark.parametrize(
    "what",
    [{}, {"about": "love"}, {"about": "resign"}, {"about": "square"},
     {"about": "square", "square": "z9"}, {"about": "pieces", "piece": "horse"}, {"text": "resign"},
     {"text": "e4"}],
)  # fmt: skip
def test_what_is_no_question_is_a_sentence_and_nothing_happens(
    knights: Knights, what: dict[str, str]
) -> None:
    assert ask(knights, "white", training=True, **what).refused
    assert {fact.kind for fact in knights.facts} <= {"start", "tick"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Nd2", "That is ambiguous. Do you mean: "),
        ("Nh5", "That is not a legal move here. That piece does not move like that."),
        ("e2e5", "That is not a legal move here."),
        ("gobbledygook", "That was not understood. Write a move in notation"),
        ("xyz", "That was not understood."),
    ],
)
def test_why_it_is_no_move_is_said(knights: Knights, text: str, said: str) -> None:
    form = {"act": ["move"], "how": ["both"], "text": [text], "seen": [stamp(knights.table.game)]}
    answer = act(knights.table, "white", "en", form)
    assert answer.refused
    assert answer.sentences[0].startswith(said)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_key_asks_one_thing(language: str) -> None:
    say = catalogue(language)
    keys = [say[f"key_{name}"] for name in (*players.KEYS, *players.TRAINING_KEYS)]
    assert len(set(keys)) == len(keys)
    assert all(len(key) == 1 and key.isalpha() and key == key.lower() for key in keys)
    assert len(set(say["piece_keys"])) == len(players.PIECES)
    # What the sentence names, the keys do.
    for key in say["piece_keys"]:
        assert f" {key.upper()} " in say["which_pieces"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_questions_that_the_page_gives_as_examples_are_answered(
    knights: Knights, language: str
) -> None:
    _, _, examples = catalogue(language)["question_hint"].partition(": ")
    for text in examples.rstrip(".").split("; "):
        answer = ask(knights, "white", language, training=True, text=text)
        assert not answer.refused, (text, answer)
