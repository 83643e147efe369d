"""What an utterance may mean, and how far the likeliest meaning is ahead."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from blindplay.hearing.expectation import Expected
from blindplay.hearing.meanings import EMPTY_WORD, LETTER, OTHER_FORM, Meanings, features, readings
from blindplay.speech.confidence import Features, MeaningKind
from blindplay.speech.ensemble import MOST_BEHIND, UNTHOUGHT, summed
from tests.hearing.german import PACK, heard, together

E4, E3 = "bauer eva zwei eva vier", "bauer eva zwei eva drei"
ILLEGAL = "bauer eva zwei eva fünf"


def read(start: Expected, *alternatives: tuple[str, float]) -> tuple[Meanings, Features]:
    recognition = heard(*alternatives)
    found = readings(recognition, start, PACK)
    return found, features(found, recognition, start, PACK)


def test_leads_are_over_the_next_of_each_kind(start: Expected) -> None:
    found, ahead = read(start, (E4, -100), (E3, -104), (ILLEGAL, -106), ("haus und hof", -109))
    assert [one.statement.text for one in found.ranked] == [E4, E3, ILLEGAL]
    assert ahead.kind is MeaningKind.MOVE
    assert (ahead.over_legal, ahead.over_illegal, ahead.over_nothing) == (4, 6, 9)
    assert ahead.rivals == (4, 6)


def test_nobody_is_surer_than_the_lead_over_the_next_meaning(start: Expected) -> None:
    _, close = read(start, (E4, -100), (E3, -101))
    assert close.highest_odds == pytest.approx(1)
    _, illegal = read(start, (E4, -100), (ILLEGAL, -102))
    assert illegal.highest_odds == pytest.approx(2 + 2), "few announcements are illegal"
    _, longer = read(start, ("springer felix drei", -100), ("springer [unk] felix drei", -101))
    assert longer.highest_odds == pytest.approx(1, abs=0.02)
    _, alone = read(start, (E4, -100))
    assert alone.highest_odds > 20


def test_talk_may_sound_better_to_one_model_by_as_much_as_other_meanings_sound_worse(
    start: Expected,
) -> None:
    _, alone = read(start, ("eva vier", -103), ("haus und hof", -100))
    assert alone.highest_odds == pytest.approx(12 - 3)
    _, doubted = read(start, ("eva vier", -103), ("haus und hof", -100), (ILLEGAL, -107))
    assert doubted.highest_odds == pytest.approx(4 + 2 - 3, abs=0.1)


def test_talk_may_sound_better_still_than_a_move_with_both_squares(start: Expected) -> None:
    _, whole = read(start, ("gustav eins felix drei", -118), ("haus und hof", -100))
    assert whole.highest_odds == pytest.approx(12 + 8 - 18)
    _, castling = read(start, ("kurze rochade", -110), ("haus und hof", -100))
    assert not castling.both_squares


def test_several_models_are_no_surer_than_their_lead_over_other_meanings(start: Expected) -> None:
    short, talk = "gustav eins felix drei", "danke gustav eins felix drei"
    recognition = together([(short, -100), (talk, -101)], [(short, -50), (talk, -50), (E4, -53)])
    found = features(readings(recognition, start, PACK), recognition, start, PACK)
    assert found.over_longer == pytest.approx(1)
    assert found.highest_odds == pytest.approx(3 + MOST_BEHIND)
    # A link is not a word that may be lost.
    linked = "gustav eins nach felix drei"
    recognition = together([(short, -100)], [(linked, -50)])
    found = features(readings(recognition, start, PACK), recognition, start, PACK)
    assert found.over_longer is None


def test_a_correction_is_rarer_than_a_move(start: Expected) -> None:
    found, _ = read(start, (f"ich meine {E4}", -100), (E3, -104))
    assert found.ranked[0].statement.text == E3


def test_each_model_tells_how_far_the_meaning_is_ahead_in_it(start: Expected) -> None:
    recognition = together(
        [(E4, -100), (E3, -103)], [(ILLEGAL, -50), (E4, -52)], [("haus und hof", -70)]
    )
    found = readings(recognition, start, PACK)
    ahead = features(found, recognition, start, PACK)
    assert found.ranked[0].statement.text == E4
    assert ahead.over_rivals_by_model == (3, -2, 0)
    assert ahead.over_nothing_by_model == (MOST_BEHIND, MOST_BEHIND - 2, -MOST_BEHIND)
    assert ahead.behind_best == -2 - MOST_BEHIND
    assert ahead.absent == pytest.approx(1 / 3)


def test_what_a_model_did_not_listen_for_it_cannot_have_thought_of(start: Expected) -> None:
    broad = heard((ILLEGAL, -100), (E4, -104), ("haus und hof", -105))
    narrow = replace(heard((E4, -50), (E3, -51)), expected_only=True)
    recognition = summed([broad, narrow])
    ahead = features(readings(recognition, start, PACK), recognition, start, PACK)
    assert ahead.over_illegal == UNTHOUGHT - 4
    assert ahead.over_nothing_by_model == (1,), "only the other one listened for talk"
    assert recognition.heard_talk and not narrow.heard_talk


def test_the_same_move_in_words_that_nobody_expects_is_no_rival_of_itself(start: Expected) -> None:
    expected, other = "springer gustav eins hector drei", "springer gustav eins hektor drei"
    assert start.in_grammar(expected) and not start.in_grammar(other)
    for first, second in ((expected, other), (other, expected)):
        found, ahead = read(start, (first, -100), (second, -101))
        assert found.nothing is None and ahead.over_nothing is None
        assert ahead.in_grammar and found.ranked[0].statement.text == expected
    found, _ = read(start, (expected, -100), (f"und der {other}", -101))
    assert found.nothing is not None, "a word too many may be somebody else's"


@pytest.mark.parametrize(
    "words, cost",
    [
        ("springer gustav eins felix drei", 0.0),
        ("springer geht auf felix drei", OTHER_FORM),
        ("äh springer felix drei", OTHER_FORM + EMPTY_WORD),
        ("ich spiele den springer nach felix drei", OTHER_FORM + 2 * EMPTY_WORD),
        ("springer anna drei nein springer felix drei", OTHER_FORM),
        ("springer f drei", OTHER_FORM + LETTER),
        ("springer g eins f drei", OTHER_FORM + 2 * LETTER),
    ],
)
def test_a_move_in_other_words_is_a_form_that_needs_a_surer_ear(
    start: Expected, words: str, cost: float
) -> None:
    found, ahead = read(start, (words, -100))
    (meaning,) = found.ranked
    assert (meaning.meant.move, meaning.form_cost) == (chess.Move.from_uci("g1f3"), cost)
    assert ahead.in_grammar and ahead.certain


@pytest.mark.parametrize("words", ["e vier", "bauer d drei", "springer h drei"])
def test_a_letter_is_asked_about_where_one_that_sounds_like_it_is_legal_too(
    start: Expected, words: str
) -> None:
    found, ahead = read(start, (words, -100))
    assert found.ranked[0].meant.move is not None
    assert not ahead.certain


def test_beside_a_letter_another_may_be_lost(start: Expected) -> None:
    _, ahead = read(start, ("springer eins f drei", -100))
    assert not ahead.certain


def test_letters_that_agree_need_no_question(start: Expected) -> None:
    _, ahead = read(start, ("e zwei e vier", -100))
    assert ahead.certain


@pytest.mark.parametrize(
    "words", ["der eva drei", "und eva drei", "eva drei hm", "springer felix drei schach"]
)
def test_a_word_that_does_not_belong_to_the_move_makes_no_form(start: Expected, words: str) -> None:
    found = readings(heard((words, -100)), start, PACK)
    assert not any(one.in_grammar for one in found.ranked)


def test_castling_without_its_side_is_the_only_legal_one(start: Expected) -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    found, ahead = read(replace(start, boards=(board,)), ("rochade", -100))
    assert found.ranked[0].meant.move == chess.Move.from_uci("e1g1") and ahead.certain


def test_an_illegal_move_among_other_words_is_talk(start: Expected) -> None:
    found, _ = read(start, (ILLEGAL, -100), (E4, -120))
    assert found.ranked[0].statement.text == ILLEGAL and found.nothing is None
    found, ahead = read(start, (f"der {ILLEGAL} bitte", -100), (E4, -120))
    assert [one.statement.text for one in found.ranked] == [E4]
    assert found.nothing is not None and ahead.over_nothing == -20


def test_a_form_that_nobody_uses_and_that_fits_far_better_is_what_was_said(
    start: Expected,
) -> None:
    # A dull voice in a noisy hall: the expected form fits so badly that talk seems to lead it.
    loose, talk = "bauer eva zwei geht auf eva vier", "bauer eva zwei gegen auf eva vier"
    found, ahead = read(start, (loose, -100), (talk, -103), (E4, -120))
    assert found.ranked[0].statement.text == loose
    assert ahead.over_nothing == pytest.approx(3)
    assert ahead.in_grammar and found.ranked[0].form_cost == OTHER_FORM
    near, _ = read(start, (loose, -100), (talk, -103), (E4, -101))
    assert near.ranked[0].statement.text == E4, "the expected form fits nearly as well"


def test_a_form_that_nobody_uses_and_speech_before_the_first_word_are_not_certain(
    start: Expected,
) -> None:
    assert read(start, (E4, -100))[1].certain
    assert not read(start, ("der gustav eins felix drei", -100))[1].certain
