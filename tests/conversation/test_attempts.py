"""Attempts to announce: whoever speaks alone and waits gets an answer, and never a move."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.conversation.state import HeardUtterance, Hushed
from blindplay.hearing.decision import Verdict
from blindplay.laws import facts as f
from tests.conversation.conversing import GERMAN, Conversation

NOT_UNDERSTOOD = GERMAN.sentence("not_understood")
OTHERWISE = GERMAN.sentence("attempt_otherwise")
NAMES = (
    "Die Linien heißen Anna, Bella, Cäsar, David, Eva, Felix, Gustav, Hector, die Reihen eins bis "
    "acht. Sagen Sie zum Beispiel: Springer Gustav eins Felix drei."
)
ASKED = "Springer Gustav eins Felix drei. Richtig?"


def attempt(at: Conversation, *guesses: str, side: str = "white") -> list[str]:
    """Say something that the ear passes over, and wait; what was said then."""
    decision = at.decided(Verdict.NOTHING, *guesses, side=side, sound="fahr los")
    said = at._then(lambda: at.converse(HeardUtterance(side, decision)))
    assert said == []  # others may be talking
    return at._then(lambda: at.converse(Hushed(side)))


def test_an_attempt_of_which_there_is_a_guess_is_a_question(at: Conversation) -> None:
    assert attempt(at, "springer felix drei") == [ASKED]
    assert at.announced is None
    at.type("ja")
    assert at.announced == "g1f3"


def test_the_first_failure_says_once_what_helps_and_the_third_names_another_way(
    at: Conversation,
) -> None:
    assert attempt(at) == [NOT_UNDERSTOOD, NAMES]
    assert attempt(at) == [NOT_UNDERSTOOD]
    assert attempt(at) == [
        NOT_UNDERSTOOD,
        OTHERWISE,
        GERMAN.sentence("attempt_assistant", word="Assistent"),
    ]
    assert attempt(at) == [NOT_UNDERSTOOD]


def test_without_an_assistant_none_is_named(at: Conversation) -> None:
    at.table.submit(f.Assistant(of="white", present=False))
    said = [attempt(at) for _ in range(3)]
    assert said[-1] == [NOT_UNDERSTOOD, OTHERWISE]


def test_failures_of_all_kinds_count_until_the_next_move(at: Conversation) -> None:
    assert at.hear(Verdict.REFUSE, "vier acht") == [NOT_UNDERSTOOD, NAMES]
    attempt(at, "springer felix drei")
    assert at.type("nein") == [GERMAN.sentence("repeat_please")]
    assert OTHERWISE in attempt(at)
    for move, side in (("Springer Felix drei", "white"), ("Springer Felix sechs", "black")):
        at.type(move, side)
        at.table.submit(f.Make(by=side, move={"white": "g1f3", "black": "g8f6"}[side]))
        at.table.submit(f.Press(by=side))
    assert attempt(at) == [NOT_UNDERSTOOD]


def test_who_was_understood_before_knows_the_names(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    at.table.submit(f.Make(by="white", move="g1h3"))
    at.table.submit(f.Press(by="white"))
    at.type("Springer Felix sechs", "black")
    at.table.submit(f.Make(by="black", move="g8f6"))
    at.table.submit(f.Press(by="black"))
    assert attempt(at) == [NOT_UNDERSTOOD]


@pytest.mark.parametrize("why", ["another turn", "announced", "over"])
def test_only_who_is_to_announce_is_answered(at: Conversation, why: str) -> None:
    if why == "announced":
        at.type("Springer Felix drei")
    elif why == "over":
        at.table.submit(f.Resign(by="white"))
    said = attempt(at, "bauer eva fünf", side="black" if why == "another turn" else "white")
    assert said == []


def test_a_beginning_that_was_hardly_heard_is_asked_about_when_nothing_follows(
    at: Conversation,
) -> None:
    decision = at.decided(Verdict.NOTHING, sound="springer gustav eins")
    at.converse(HeardUtterance("white", decision))
    assert at._then(lambda: at.converse(Hushed("white"))) == []
    assert at.wait(7) == ["Springer Gustav eins. Wohin?"]


def test_an_answer_that_was_not_heard_lets_the_question_be_asked_again(at: Conversation) -> None:
    attempt(at, "springer felix drei")
    assert attempt(at) == ["Ja oder nein?"]


def test_a_repetition_that_was_hardly_heard_gets_a_tick(at: Conversation) -> None:
    at.type("Springer Felix drei")
    assert attempt(at, "springer felix drei", side="black") == []
    assert at.acknowledged == ["black"]
    assert attempt(at, "springer hector drei", side="black") == []
    assert at.acknowledged == ["black"]


def test_with_the_talk_button_nobody_need_wait(at: Conversation) -> None:
    decision = at.decided(Verdict.NOTHING, "springer felix drei")
    heard = HeardUtterance("white", decision, pressed=True)
    assert at._then(lambda: at.converse(heard)) == [ASKED]


def test_words_after_it_are_another_matter(at: Conversation) -> None:
    decision = at.decided(Verdict.NOTHING, sound="fahr los")
    at.converse(HeardUtterance("white", decision))
    at.hear(Verdict.COMMAND, "züge")
    assert at._then(lambda: at.converse(Hushed("white"))) == []


@given(
    st.lists(
        st.sampled_from([(), ("springer felix drei",), ("eva vier", "eva drei"), ("züge",)]),
        max_size=8,
    )
)
def test_no_attempt_is_silently_a_move(heard: list[tuple[str, ...]]) -> None:
    with TemporaryDirectory() as folder, Conversation(Path(folder) / "game.jsonl") as at:
        for guesses in heard:
            attempt(at, *guesses)
            assert at.announced is None
