"""What may be said now, and what else than the sound speaks for it."""

from __future__ import annotations

import chess
import pytest

from blindplay.hearing.expectation import LEANING, Expected, expect, felt_moves
from blindplay.language import Understanding
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.speech.recogniser import Recogniser
from blindplay.wording.pack_words import PackWords
from tests.hearing.german import PACK, START

E4, NF3 = chess.Move.from_uci("e2e4"), chess.Move.from_uci("g1f3")


def meant(text: str) -> Understanding:
    return PACK.understand(text, START)


# --- what is listened for -----------------------------------------------------------------------


def test_every_form_of_every_legal_move_and_every_command_is_expected(start: Expected) -> None:
    assert set(PACK.forms(START)) <= set(start.phrases)
    assert {"zeit", "brett zeit"} <= start.others <= set(start.phrases)
    assert start.out_of_vocabulary == ()


def test_only_the_others_that_are_given_are_expected(recogniser: Recogniser) -> None:
    expected = expect(recogniser, PACK, [START], others=["ja"], awaited=["vier"])
    assert expected.others == {"ja", "vier"} and expected.awaited == {"vier"}
    assert "zeit" not in expected.phrases


def test_phrases_with_words_that_the_model_lacks_are_left_out_and_the_words_named(
    recogniser: Recogniser,
) -> None:
    expected = expect(recogniser, PACK, [START], others=["ja", "bitte xyzzy", "plugh"])
    assert expected.others == {"ja"}
    assert expected.out_of_vocabulary == ("plugh", "xyzzy")


def test_moves_of_two_positions_may_be_expected_at_once(recogniser: Recogniser) -> None:
    after = START.copy()
    after.push(E4)
    expected = expect(recogniser, PACK, [after, START], others=[])
    assert expected.boards == (after, START)
    for words in ("bauer eva sieben eva fünf", "bauer eva zwei eva vier"):
        assert expected.in_grammar(words)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("springer gustav eins felix drei", True),
        ("korrektur springer gustav eins felix drei", True),
        ("korrektur", True),
        ("korrektur quatsch", False),
        ("springer gustav eins", False),
        ("turm anna eins anna vier", False),
        ("", False),
    ],
)
def test_a_correction_may_go_before_what_is_expected(
    start: Expected, words: str, expected: bool
) -> None:
    assert start.in_grammar(words) is expected


# --- what else speaks for it --------------------------------------------------------------------


def test_what_hands_did_and_what_is_to_be_repeated_is_likelier(recogniser: Recogniser) -> None:
    felt = expect(recogniser, PACK, [START], others=[], felt=frozenset((E4,)))
    both = expect(recogniser, PACK, [START], others=[], felt=frozenset((E4,)), repeated=E4)
    assert [felt.leaning(move) for move in (E4, NF3, None)] == [LEANING, 0.0, 0.0]
    assert [both.leaning(move) for move in (E4, NF3, None)] == [2 * LEANING, 0.0, 0.0]


def test_only_another_move_than_the_felt_one_contradicts_the_hands(recogniser: Recogniser) -> None:
    felt = expect(recogniser, PACK, [START], others=[], felt=frozenset((E4,)))
    assert felt.contradicts(meant("springer felix drei"))
    for words in ("bauer eva vier", "korrektur springer felix drei", "zeit", "turm anna vier"):
        assert not felt.contradicts(meant(words))


def test_hands_that_did_nothing_contradict_nothing(start: Expected) -> None:
    assert not start.contradicts(meant("springer felix drei"))
    assert start.leaning(NF3) == 0.0


# --- what hands have done -----------------------------------------------------------------------


def game(*given: f.Fact, fen: str = chess.STARTING_FEN) -> Game:
    """A game with two boards in which this was done."""
    made = Game(PackWords())
    made.apply(f.Setup(fen=fen, white=f.Player(impaired=True), arbiter="automatic"))
    for t, fact in enumerate((f.Start(), *given), 1):
        made.apply(f.parse({**fact.to_json(), "t": t}))
    return made


def test_hands_that_rest_say_nothing_and_nor_do_those_of_the_other_player() -> None:
    assert felt_moves(game(), "white") is None
    assert felt_moves(game(f.Lift(board="white", square="e2")), "black") is None


def test_a_touched_piece_is_to_be_moved() -> None:
    moves = felt_moves(game(f.Lift(board="white", square="e2")), "white")
    assert moves is not None
    assert {move.uci() for move in moves} == {"e2e3", "e2e4"}


def test_a_touched_piece_of_the_opponent_is_to_be_taken() -> None:
    fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"
    moves = felt_moves(game(f.Lift(board="white", square="d5"), fen=fen), "white")
    assert moves == frozenset((chess.Move.from_uci("e4d5"),))


def test_a_touched_piece_that_cannot_move_says_nothing() -> None:
    assert felt_moves(game(f.Lift(board="white", square="a1")), "white") is None


def test_an_executed_move_is_the_only_one() -> None:
    done = [f.Lift(board="white", square="g1"), f.Place(board="white", square="f3")]
    assert felt_moves(game(*done), "white") == frozenset((NF3,))
