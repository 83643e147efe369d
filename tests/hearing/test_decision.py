"""One decision about an utterance: never a move in silence that was not surely said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.hearing.decision import Decision, Verdict, decide, silence_after
from blindplay.hearing.expectation import Expected, expect
from blindplay.hearing.meanings import readings
from blindplay.language import Command, Kind, load
from blindplay.speech.confidence import (
    MAX_ONSET_DELAY_OF_WHOLE_S,
    MAX_ONSET_DELAY_S,
    MeaningKind,
    accepted_from,
    confidence_of,
)
from blindplay.speech.confusions import Confusions
from blindplay.speech.endpointing import COMPLETE_S, LIKELY_S, UNDECIDED_S, UNFINISHED_S
from blindplay.speech.ensemble import summed
from blindplay.speech.recogniser import UNKNOWN, Hypothesis, Recogniser, Recognition
from tests.hearing.german import CONFIDENCE, MODEL, PACK, START, heard, together


def about(expected: Expected, *alternatives: tuple[str, float]) -> Decision:
    return decide(heard(*alternatives), expected, PACK, CONFIDENCE)


def test_a_move_far_ahead_of_everything_else_is_taken(start: Expected) -> None:
    decision = about(start, ("springer gustav eins felix drei", -100))
    assert decision.verdict is Verdict.ACCEPT
    assert decision.candidates[0].move == chess.Move.from_uci("g1f3")


def test_the_long_and_the_short_form_of_a_move_are_no_rivals(start: Expected) -> None:
    both = [
        ("springer gustav eins felix drei", -100.0),
        ("springer gustav eins nach felix drei", -101),
    ]
    assert about(start, *both).verdict is Verdict.ACCEPT


def test_an_illegal_move_that_sounds_just_like_a_legal_one_is_no_rival(start: Expected) -> None:
    """By ear, "Bauern acht Eva vier" is "Bauer nach Eva vier", and only that is a move."""
    both = [("bauer nach eva vier", -100.0), ("bauern acht eva vier", -99.9)]
    for order in (both, both[::-1]):
        decision = about(start, *order)
        assert decision.verdict is Verdict.ACCEPT
        assert decision.candidates[0].move == chess.Move.from_uci("e2e4")


def test_an_illegal_move_with_both_squares_is_what_it_sounds_like(start: Expected) -> None:
    """Here the pawn on Anna three is not meant by "pawn Anna two Anna four"."""
    board = chess.Board("4k3/8/8/8/8/P7/8/4K3 w - - 0 1")
    expected, english = replace(start, boards=(board,)), load("en")
    for words, kind in (("pawn anna to anna four", "move"), ("pawn anna two anna four", "illegal")):
        (meaning,) = readings(Recognition((Hypothesis(words, -100.0),)), expected, english).ranked
        assert meaning.meant.kind is Kind[kind.upper()]


def test_two_moves_that_sound_alike_are_asked_about(start: Expected) -> None:
    decision = about(start, ("bauer eva zwei eva drei", -100), ("bauer eva zwei eva vier", -100.5))
    assert decision.verdict is Verdict.ASK
    assert [candidate.move and candidate.move.uci() for candidate in decision.candidates] == [
        "e2e3", "e2e4",
    ]  # fmt: skip


def test_an_illegal_move_is_heard_as_such(start: Expected) -> None:
    decision = about(start, ("läufer felix eins cäsar vier", -100))
    assert decision.verdict is Verdict.ILLEGAL
    assert decision.phrase == "läufer felix eins cäsar vier"


def test_an_illegal_move_that_sounds_like_a_legal_one_is_not_played(start: Expected) -> None:
    decision = about(
        start, ("springer gustav zwei felix drei", -100), ("springer gustav eins felix drei", -106)
    )
    assert decision.verdict is not Verdict.ACCEPT


def test_a_long_form_never_collapses_silently_into_a_short_one(start: Expected) -> None:
    decision = about(start, ("springer felix drei", -100), ("springer david zwei felix drei", -101))
    assert decision.verdict is not Verdict.ACCEPT
    decision = about(start, ("springer felix drei", -100), ("springer [unk] felix drei", -99))
    assert decision.verdict is not Verdict.ACCEPT


def test_a_move_before_which_something_else_was_said_is_not_taken_without_asking(
    start: Expected,
) -> None:
    """A first word that no model heard is in no reading: "Dame Eva zwei Eva vier". Before a piece
    only a longer one can be lost: "Not pawn Felix five"."""
    for words, late, verdict in (
        ("eva zwei eva vier", 0.02, Verdict.ACCEPT),
        ("eva zwei eva vier", MAX_ONSET_DELAY_S + 0.01, Verdict.ASK),
        ("bauer eva zwei eva vier", MAX_ONSET_DELAY_S + 0.01, Verdict.ACCEPT),
        ("bauer eva zwei eva vier", MAX_ONSET_DELAY_OF_WHOLE_S + 0.01, Verdict.ASK),
    ):
        one = Hypothesis(words, -100.0, 0, late)
        assert decide(Recognition((one,)), start, PACK, CONFIDENCE).verdict is verdict
    # A command is heard in the midst of other words.
    one = Hypothesis("wie viel zeit habe ich noch", -100.0, 0, 2.0)
    assert decide(Recognition((one,)), start, PACK, CONFIDENCE).verdict is Verdict.COMMAND


def test_the_end_of_a_longer_sentence_is_asked_about_only_if_it_would_be_taken(
    start: Expected,
) -> None:
    sure, doubtful = [("bauer eva zwei eva vier", -100)], [("eva vier", -100), ("eva drei", -101)]
    illegal = [("bauer eva zwei eva fünf", -100)]
    command, doubtful_command = [("uhr", -100)], [("remis", -100), (UNKNOWN, -98)]
    for words, alone, after in (
        (sure, Verdict.ACCEPT, Verdict.ASK),
        (doubtful, Verdict.ASK, Verdict.NOTHING),
        (illegal, Verdict.ILLEGAL, Verdict.NOTHING),
        (command, Verdict.COMMAND, Verdict.COMMAND),
        (doubtful_command, Verdict.ASK, Verdict.NOTHING),
    ):
        one = heard(*words)
        assert decide(one, start, PACK, CONFIDENCE).verdict is alone
        assert decide(one.after_speech(0.8), start, PACK, CONFIDENCE).verdict is after


def test_names_of_several_moves_are_talk(start: Expected) -> None:
    """An announcement that is not understood is refused; people who talk of two are not."""
    for words, verdict in (
        ("springer drei drei", Verdict.REFUSE),
        ("turm anna sechs lieber turm hector fünf", Verdict.NOTHING),
    ):
        assert decide(heard((words, -100)), start, PACK, CONFIDENCE).verdict is verdict


def test_without_who_listens_for_other_talk_a_move_is_asked_about_and_nothing_refused(
    start: Expected,
) -> None:
    """All that the others can hear is what is expected, so nobody knows whether it was said."""
    for words, alone, without in (
        ("bauer eva zwei eva vier", Verdict.ACCEPT, Verdict.ASK),
        ("springer drei drei", Verdict.REFUSE, Verdict.NOTHING),
    ):
        one = heard((words, -100))
        assert decide(one, start, PACK, CONFIDENCE).verdict is alone
        unheard = replace(one, expected_only=True)
        assert decide(unheard, start, PACK, CONFIDENCE).verdict is without


def test_a_move_is_asked_about_when_an_illegal_one_explains_the_sound_better(
    start: Expected,
) -> None:
    illegal, legal = "bauer eva fünf eva vier", "bauer eva zwei eva vier"
    assert about(start, (illegal, -100), (legal, -100.5)).verdict is not Verdict.ACCEPT
    assert about(start, (illegal, -112), (legal, -100)).verdict is Verdict.ACCEPT


def test_a_form_that_nobody_uses_is_not_taken_without_asking(start: Expected) -> None:
    # An article for a piece: "der Gustav eins Felix drei" is legal by its squares alone.
    assert about(start, ("der gustav eins felix drei", -100)).verdict is not Verdict.ACCEPT


def test_chatter_is_nothing_and_a_broken_announcement_is_refused(start: Expected) -> None:
    assert about(start).verdict is Verdict.NOTHING
    assert about(start, ("", -50)).verdict is Verdict.NOTHING
    assert about(start, ("haben sie heute frei", -100)).verdict is Verdict.NOTHING
    broken = about(start, (f"turm {UNKNOWN} turm acht", -100))
    assert broken.verdict is Verdict.REFUSE


def test_words_that_differ_little_from_a_move_are_asked_about(start: Expected) -> None:
    decision = about(start, ("tor gustav eins felix drei", -100))
    assert decision.verdict in (Verdict.ASK, Verdict.REFUSE)
    decision = about(start, ("springer gustav eins felix zeit", -100))
    assert decision.verdict is Verdict.ASK
    assert decision.candidates[0].move == chess.Move.from_uci("g1f3")


def test_a_command_is_heard_and_one_that_makes_no_sense_now_is_not(
    recogniser: Recogniser, start: Expected
) -> None:
    assert about(start, ("wie viel zeit habe ich noch", -100)).verdict is Verdict.COMMAND
    only_yes = expect(recogniser, PACK, [START], others=["ja", "nein"])
    decision = about(only_yes, ("ich gebe auf", -100))
    assert decision.verdict in (Verdict.NOTHING, Verdict.REFUSE)
    assert not any(c.command is Command.RESIGN for c in decision.candidates)


def test_an_answer_is_taken_where_one_is_awaited_and_nowhere_else(recogniser: Recogniser) -> None:
    awaited = ["drei", "vier", "ja", "nein"]
    asked = expect(recogniser, PACK, [START], others=["ja", "nein"], awaited=awaited)
    assert about(asked, ("vier", -50)).verdict is Verdict.ACCEPT
    assert about(asked, ("vier", -50)).phrase == "vier"
    assert about(asked, ("ja", -50)).verdict is Verdict.COMMAND
    assert about(asked, ("vier", -50), ("drei", -51)).verdict is not Verdict.ACCEPT
    not_asked = expect(recogniser, PACK, [START])
    assert about(not_asked, ("vier", -50)).verdict is not Verdict.ACCEPT


def test_an_answer_that_names_a_move_is_as_sure_as_a_move_and_a_yes_as_a_command(
    recogniser: Recogniser,
) -> None:
    """In babble "Hector fünf" was taken as "Hector drei", with the odds of a command."""
    asked = expect(recogniser, PACK, [START], others=["ja", "nein"], awaited=["drei", "vier", "ja"])
    least = accepted_from(MeaningKind.COMMAND)
    assert least < accepted_from(MeaningKind.MOVE)
    for words, other, sure in (("vier", "drei", False), ("ja", "drei", True)):
        for lead in (least + 0.3, accepted_from(MeaningKind.MOVE) + 0.5):
            decision = about(asked, (words, -50), (other, -50 - lead))
            taken = decision.verdict in (Verdict.ACCEPT, Verdict.COMMAND)
            assert taken == (sure or lead > accepted_from(MeaningKind.MOVE)), (words, lead)


def test_who_answers_beside_other_words_is_asked_again_and_never_taken_at_his_word(
    recogniser: Recogniser,
) -> None:
    """The player waits for the table: silence would be the worst reply."""
    awaited = ["ja", "nein"]
    asked = expect(recogniser, PACK, [START], others=awaited, awaited=awaited)
    not_asked = expect(recogniser, PACK, [START], others=awaited)
    for words in ("ja wurde", "nein name", "ja nein"):
        assert about(asked, (words, -50)).verdict is Verdict.REFUSE
        assert about(not_asked, (words, -50)).verdict is Verdict.NOTHING
    assert about(asked, ("ja das haben sie gestern", -50)).verdict is Verdict.NOTHING
    late = heard(("ja", -100), (UNKNOWN, -86)).after_speech(0.8)
    for where, verdict in ((asked, Verdict.ASK), (not_asked, Verdict.NOTHING)):
        assert decide(late, where, PACK, CONFIDENCE).verdict is verdict


def test_the_opponents_last_move_may_be_repeated(recogniser: Recogniser) -> None:
    after = START.copy()
    after.push_uci("e2e4")
    expected = expect(recogniser, PACK, [after, START])
    decision = about(expected, ("bauer eva zwei eva vier", -100))
    assert decision.verdict is Verdict.ACCEPT
    other = about(expected, ("bauer david zwei david vier", -100))
    assert other.verdict is not Verdict.ACCEPT


def test_a_capture_that_is_repeated_is_not_taken_for_a_recapture(recogniser: Recogniser) -> None:
    before = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 5 4")
    move = chess.Move.from_uci("f6e4")
    now = before.copy()
    now.push(move)
    waited = expect(recogniser, PACK, [now, before], repeated=move)
    assert about(waited, ("springer schlägt eva vier", -100)).candidates[0].move == move
    done = expect(recogniser, PACK, [now, before])
    own = chess.Move.from_uci("c3e4")
    assert about(done, ("springer schlägt eva vier", -100)).candidates[0].move == own


def test_what_hands_do_leans_the_ear_and_never_overrules_it(recogniser: Recogniser) -> None:
    close = [("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -101)]
    executed = frozenset((chess.Move.from_uci("e2e4"),))
    lifted = frozenset(map(chess.Move.from_uci, ("e2e3", "e2e4")))
    told = about(expect(recogniser, PACK, [START], felt=executed), *close)
    assert told.verdict is Verdict.ACCEPT and told.candidates[0].move in executed
    assert about(expect(recogniser, PACK, [START], felt=lifted), *close).verdict is Verdict.ASK
    against = about(
        expect(recogniser, PACK, [START], felt=executed), ("springer gustav eins felix drei", -100)
    )
    assert against.verdict is Verdict.ASK


def test_the_announced_move_is_expected_in_its_repetition_but_not_assumed(
    recogniser: Recogniser,
) -> None:
    move = chess.Move.from_uci("e2e4")
    expected = expect(recogniser, PACK, [START], repeated=move)
    close = [("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -102)]
    assert about(expected, *close).candidates[0].move == move
    other = about(expected, ("springer gustav eins felix drei", -100))
    assert other.candidates[0].move == chess.Move.from_uci("g1f3")


def test_a_players_own_confusion_turns_a_doubt_into_a_question_for_the_right_move(
    start: Expected,
) -> None:
    recognition = heard(
        ("springer gustav eins felix zwei", -100), ("springer gustav eins felix drei", -107)
    )
    habits = Confusions.measured([("drei", "zwei")] * 4 + [("eins", "eins")] * 9)
    before = decide(recognition, start, PACK, CONFIDENCE)
    after = decide(recognition, start, PACK, CONFIDENCE, habits)
    assert before.candidates[0].move is None
    assert after.candidates[0].move == chess.Move.from_uci("g1f3")


OURS = (
    "springer bauer dame könig läufer turm eva david gustav felix eins zwei drei vier nach schlägt"
)


OTHERS = "zeit nein ja der und haus korrektur"


WORDS = st.sampled_from([*OURS.split(), *OTHERS.split(), UNKNOWN])


ALTERNATIVES = st.lists(
    st.tuples(st.lists(WORDS, max_size=6).map(" ".join), st.floats(-130, -100), st.integers(0, 2)),
    max_size=8,
    unique_by=lambda one: one[0],
)


@given(ALTERNATIVES)
def test_only_a_legal_move_in_a_listed_form_is_ever_accepted(
    alternatives: list[tuple[str, float, int]],
) -> None:
    decision = decide(heard(*alternatives), EXPECTED, PACK, CONFIDENCE)
    if decision.verdict is Verdict.ACCEPT:
        assert decision.phrase is not None
        assert decision.phrase.removeprefix("korrektur ") in EXPECTED.phrases
        move = decision.candidates[0].move
        assert move is not None and START.is_legal(move)
    if decision.verdict is Verdict.ASK:
        assert decision.candidates and decision.phrase is None


@given(ALTERNATIVES, st.floats(-50, 50))
def test_only_differences_of_scores_count(
    alternatives: list[tuple[str, float, int]], more: float
) -> None:
    moved = [
        (words, round(score + more, 6), unknown_edges)
        for words, score, unknown_edges in alternatives
    ]
    first = decide(heard(*alternatives), EXPECTED, PACK, CONFIDENCE)
    second = decide(heard(*moved), EXPECTED, PACK, CONFIDENCE)
    assert first.cost == pytest.approx(second.cost, abs=1e-3)


EXPECTED = expect(Recogniser(MODEL, "de", spellings=PACK.spoken), PACK, [START])


@pytest.mark.parametrize("voice", ["de+f3", "de+m5", "de+Alex"])
def test_spoken_moves_illegal_moves_and_chatter_are_told_apart(
    recogniser: Recogniser, spoken: Callable[[str, str], bytes], voice: str
) -> None:
    board = chess.Board("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3")
    expected = expect(recogniser, PACK, [board])

    def verdict(words: str) -> tuple[Verdict, str | None]:
        decision = decide(
            recogniser.recognise(spoken(words, voice), list(expected.phrases)),
            expected,
            PACK,
            CONFIDENCE,
        )
        return decision.verdict, decision.phrase

    legal = ["Springer Gustav acht Felix sechs", "Läufer Felix acht nach Cäsar fünf",
             "Bauer David sieben David sechs", "Dame David acht Felix sechs"]  # fmt: skip
    taken = [verdict(words) for words in legal]
    assert (
        sum(
            found == (Verdict.ACCEPT, words.lower())
            for words, found in zip(legal, taken, strict=True)
        )
        >= 3
    )
    assert all(
        v is not Verdict.ACCEPT or p == w.lower() for w, (v, p) in zip(legal, taken, strict=True)
    )
    for words in ("Turm Anna acht Anna sechs", "Läufer Cäsar acht Hector drei"):
        assert verdict(words)[0] in (Verdict.ILLEGAL, Verdict.ASK, Verdict.REFUSE)
    for words in ("Guten Morgen, wie geht es Ihnen", "Haben Sie einen Stift für mich"):
        assert verdict(words)[0] in (Verdict.NOTHING, Verdict.REFUSE)


# --- several models ------------------------------------------------------------------------------


def test_what_several_models_heard_is_taken_in_whatever_words_each_did(start: Expected) -> None:
    long, short = "springer gustav eins felix drei", "springer gustav eins nach felix drei"
    recognition = together([(long, -100)], [(short, -300)])
    decision = decide(recognition, start, PACK, confidence_of(MODEL, MODEL))
    assert decision.verdict is Verdict.ACCEPT
    assert decision.candidates[0].move == chess.Move.from_uci("g1f3")


@pytest.mark.parametrize("others", [1, 2])
def test_what_one_of_several_models_heard_alone_is_not_taken(start: Expected, others: int) -> None:
    alone = [("springer gustav eins felix drei", -100.0)]
    rest: list[list[tuple[str, float]]] = [[("", -50.0)], [("haus und hof", -50.0)]]
    decision = decide(together(alone, *rest[:others]), start, PACK, confidence_of(MODEL, MODEL))
    assert decision.verdict is not Verdict.ACCEPT


def test_models_that_hear_two_different_moves_lead_to_a_question(start: Expected) -> None:
    three = ("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -104.0)
    four = ("bauer eva zwei eva vier", -200.0), ("bauer eva zwei eva drei", -203.0)
    decision = decide(together([*three], [*four]), start, PACK, confidence_of(MODEL, MODEL))
    assert decision.verdict is Verdict.ASK
    assert {one.phrase for one in decision.candidates} == {three[0][0], four[0][0]}


def test_a_rank_that_no_model_made_out_is_asked_about(start: Expected) -> None:
    # Said: "Springer Bella eins Cäsar drei". Two models lean to another rank, one of them to one
    # that is not possible: that they agree on the piece and the file is not enough.
    first = [("springer bella eins anna drei", 0.0), ("springer bella eins anna acht", -0.8)]
    second = [("springer bella eins anna acht", 0.0), ("springer bella eins anna drei", -4.0)]
    third = [("läufer eins", 0.0), ("springer bella eins", -3.0)]
    recognition = together([*first, ("springer bella eins cäsar drei", -0.9)], second, third)
    decision = decide(recognition, start, PACK, confidence_of(MODEL, MODEL, MODEL))
    assert decision.verdict is not Verdict.ACCEPT


def test_a_players_habits_count_with_each_model(start: Expected) -> None:
    habits = Confusions({"vier": {"drei": 0.5}})
    close = ("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -101.0)
    ranked = readings(together([*close], [*close]), start, PACK, habits).ranked
    assert ranked[0].statement.text == "bauer eva zwei eva vier"


SURE = [("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -111.0)]
"""A reading of the built-in model. Only it hears other talk."""
UNSURE = [("bauer eva zwei eva vier", 0.0), ("bauer eva zwei eva drei", -3.0)]
AGAINST = [("bauer eva zwei eva vier", 0.0), ("bauer eva zwei eva drei", -9.0)]


@pytest.mark.parametrize(
    ("others", "verdict"),
    [
        ([UNSURE], Verdict.ACCEPT),
        ([UNSURE, UNSURE], Verdict.ACCEPT),
        ([AGAINST], Verdict.ASK),
        ([AGAINST, AGAINST], Verdict.ASK),
    ],
)
def test_unsure_models_raise_no_doubt_about_what_the_built_in_one_would_take_alone(
    start: Expected, others: list[list[tuple[str, float]]], verdict: Verdict
) -> None:
    narrow = [replace(heard(*one), expected_only=True) for one in others]
    recognition = summed([heard(*SURE), *narrow])
    confidence = confidence_of(MODEL, *[MODEL] * len(others))
    decision = decide(recognition, start, PACK, confidence)
    assert decision.verdict is verdict
    without = decide(recognition, start, PACK, replace(confidence, of_built_in=None))
    assert without.verdict is Verdict.ASK, "together they would have asked"


def test_what_the_built_in_model_heard_late_is_asked_about_although_the_others_heard_it_early(
    start: Expected,
) -> None:
    """A word may be lost before what only it is sure of."""
    late = replace(heard(*SURE).hypotheses[0], onset_delay_s=MAX_ONSET_DELAY_OF_WHOLE_S + 0.1)
    sure = Recognition((late, *heard(*SURE).hypotheses[1:]))
    recognition = summed([sure, replace(heard(*UNSURE), expected_only=True)])
    assert decide(recognition, start, PACK, confidence_of(MODEL, MODEL)).verdict is Verdict.ASK


def test_without_the_built_in_model_none_of_several_decides_alone(start: Expected) -> None:
    """Where it has failed, all that are left listen for other talk; the first is no better."""
    recognition = summed([heard(*SURE), heard(*UNSURE)])
    assert recognition.by_talk_listener is None
    assert decide(recognition, start, PACK, confidence_of(MODEL, MODEL)).verdict is Verdict.ASK


@pytest.mark.parametrize(
    ("alternatives", "silence"),
    [
        ([("springer gustav eins felix drei", -100.0)], COMPLETE_S),
        ([("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -100.5)], LIKELY_S),
        ([("springer gustav eins", -100.0)], UNFINISHED_S),
        ([("lauter", -100.0), ("leiser", -100.5)], UNFINISHED_S),  # or "Läufer"
        ([("korrektur", -100.0)], UNFINISHED_S),
        ([("remis", -100.0)], UNDECIDED_S),  # or "remis anbieten"
        ([("lautstärke", -100.0)], UNFINISHED_S),
        ([("das wetter ist heute schön", -100.0)], UNFINISHED_S),
        ([("", -100.0)], UNDECIDED_S),
        # The rank of a beginning, misheard: "Springer Berta eins".
        ([("springer berta zwei", -100.0)], UNFINISHED_S),
        ([("turm anton zwei", -100.0)], UNFINISHED_S),
        ([("springer gustav zwei", -100.0), ("springer gustav eins", -101.0)], UNFINISHED_S),
        ([("läufer felix zwei", -100.0), ("läufer felix eins", -101.0)], UNFINISHED_S),
        ([("springer felix drei", -100.0), ("springer felix eins", -100.5)], UNFINISHED_S),
        ([("läufer felix eins cäsar vier", -100.0)], COMPLETE_S),  # illegal, and whole
    ],
)
def test_only_what_is_no_beginning_needs_little_silence(
    start: Expected, alternatives: list[tuple[str, float]], silence: float
) -> None:
    assert silence_after(about(start, *alternatives), start, PACK) == silence
