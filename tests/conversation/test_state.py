"""What an utterance is to a question."""

from __future__ import annotations

import chess
import pytest

from blindplay.conversation.state import Awaited, Question, Reply, Sayable
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import Command
from tests.conversation.conversing import GERMAN

BOARD = chess.Board()


def said(text: str) -> Statement:
    return interpret(text, [BOARD], GERMAN)


def question(*options: str, confirms: bool = False) -> Question:
    """A question about these options; two moves are asked about by what they differ in."""
    answers = None if confirms else GERMAN.differing(list(options), BOARD)
    return Question(
        tuple(map(said, options)),
        "?",
        asked=0,
        since=0,
        confirms=confirms,
        answers=tuple(tuple(word.lower() for word in words) for words in answers or ()),
    )


FELIX, HECTOR = "springer felix drei", "springer hector drei"


@pytest.mark.parametrize(
    ("words", "kind", "chosen"),
    [
        ("ja", Reply.CHOSEN, FELIX),
        (FELIX, Reply.CHOSEN, FELIX),
        ("Springer Gustav eins Felix drei", Reply.CHOSEN, FELIX),
        ("nein", Reply.NO, None),
        ("korrektur", Reply.NO, None),
        ("wie bitte", Reply.AGAIN, None),
        ("Hilfe", Reply.AGAIN, None),
        ("Kartoffelsalat", Reply.UNCLEAR, None),
        ("eva zwei eva vier", Reply.OTHER, None),
        ("Zeit", Reply.OTHER, None),
    ],
)
def test_one_option_is_answered_by_yes_or_no(words: str, kind: Reply, chosen: str | None) -> None:
    option = None if chosen is None else said(chosen)
    assert question(FELIX).reply(said(words), GERMAN) == (kind, option)


@pytest.mark.parametrize(
    ("words", "kind", "chosen"),
    [
        ("hector", Reply.CHOSEN, HECTOR),
        ("Felix drei", Reply.CHOSEN, FELIX),
        (HECTOR, Reply.CHOSEN, HECTOR),
        ("ja", Reply.UNCLEAR, None),
        ("drei", Reply.UNCLEAR, None),
        ("nein", Reply.NO, None),
    ],
)
def test_one_of_two_is_chosen_by_what_they_differ_in(
    words: str, kind: Reply, chosen: str | None
) -> None:
    option = None if chosen is None else said(chosen)
    assert question(FELIX, HECTOR).reply(said(words), GERMAN) == (kind, option)


def test_what_changes_the_game_is_not_confirmed_by_saying_it_again() -> None:
    resign = question("ich gebe auf", confirms=True)
    assert resign.reply(said("aufgeben"), GERMAN) == (Reply.AGAIN, None)
    assert resign.reply(said("ja"), GERMAN) == (Reply.CHOSEN, said("ich gebe auf"))


@pytest.mark.parametrize(
    ("command", "word", "claims"),
    [
        ("Stellungswiederholung", FELIX, True),
        ("fünfzig Züge", FELIX, True),
        ("ich gebe auf", FELIX, False),
        ("Stellungswiederholung", "Zeit", False),
    ],
)
def test_a_draw_may_be_claimed_with_the_move_that_is_said_to_the_question(
    command: str, word: str, claims: bool
) -> None:
    with_move = question(command, confirms=True).claim_with(said(word))
    assert (with_move is not None) is claims
    if with_move is not None:
        assert with_move.meant.command is said(command).meant.command
        assert with_move.meant.moves == said(FELIX).meant.moves
        assert with_move.text == f"{command} {FELIX}"


def test_a_move_that_is_only_read_back_is_no_claim() -> None:
    assert question(FELIX).claim_with(said(HECTOR)) is None


def test_what_may_be_said_is_listed_once_and_single_words_apart() -> None:
    sayable = Sayable(
        Awaited.ANSWER,
        bare=frozenset((Command.CLOCK_MINE, Command.CORRECTION)),
        single=frozenset((Command.CORRECTION,)),
        opened=frozenset((Command.RESIGN,)),
        answers=frozenset(("vier", "drei")),
    )
    phrases = sayable.phrases(GERMAN)
    assert phrases[:2] == ["drei", "vier"]
    assert len(phrases) == len(set(phrases))
    assert "korrektur" in phrases
    assert "meine zeit" in phrases and "zeit" not in phrases
    assert "brett ich gebe auf" in phrases and "ich gebe auf" not in phrases


@pytest.mark.parametrize(("option", "about"), [(FELIX, True), ("ich gebe auf", False)])
def test_a_question_is_about_a_move_or_about_a_command(option: str, about: bool) -> None:
    assert question(option, confirms=True).is_about_a_move is about
