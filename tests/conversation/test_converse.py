"""Whole conversations, typed and heard: who is meant, when it counts, and what is never done."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.conversation import OpeningWord
from blindplay.conversation import effects as e
from blindplay.conversation.state import (
    ANSWER_SECONDS,
    BEGINNING_SECONDS,
    ButtonTapped,
    ClockPressed,
    Event,
    HeardUtterance,
    SecondPassed,
    TableBegun,
    TypedLine,
)
from blindplay.hearing.decision import Verdict
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.speech.speaker import Output
from blindplay.wording.pack_words import PackWords
from tests.conversation.conversing import GERMAN, Conversation, Talk
from tests.sampling import examples


def test_yes_and_no_are_talk_where_nothing_was_asked(at: Conversation) -> None:
    assert at.hear(Verdict.COMMAND, "ja") == []
    assert at.hear(Verdict.COMMAND, "nein") == []
    assert at.hear(Verdict.NOTHING) == []
    assert at.kinds() == ["start"]


def test_who_has_nothing_to_repeat_is_not_listened_to_for_moves(at: Conversation) -> None:
    # Both microphones hear the one who announces.
    for verdict in (Verdict.ACCEPT, Verdict.ILLEGAL, Verdict.REFUSE, Verdict.ASK):
        assert at.hear(verdict, "springer felix drei", side="black") == []
    assert at.kinds() == ["start"]
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.REFUSE, "springer hector", "springer", side="black")
    assert at.wait(BEGINNING_SECONDS + 1) != []  # the rest of it is asked for


def test_a_repetition_in_the_movers_microphone_is_not_announced_again(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    for verdict in (Verdict.ACCEPT, Verdict.ASK, Verdict.REFUSE):
        assert at.hear(verdict, "springer felix drei", "springer hector drei") == []
    assert at.kinds().count("announce") == 1
    assert at.type("springer felix drei") == ["Springer Gustav eins Felix drei"]


# --- when something was begun ---------------------------------------------------------------------


def _spoken(at: Conversation, verdict: Verdict, phrase: str, begun: int, awaited: bool) -> None:
    decision = at.decided(verdict, phrase)
    at.converse(HeardUtterance("white", decision, begun, awaited))


def test_a_yes_that_was_begun_before_the_question_answers_nothing(at: Conversation) -> None:
    at.now = 10.0
    at.type("aufgeben")
    assert at.asked()
    _spoken(at, Verdict.COMMAND, "ja", begun=9_400, awaited=True)
    assert at.asked() and not at.table.game.over
    _spoken(at, Verdict.COMMAND, "ja", begun=10_200, awaited=True)
    assert at.table.game.over


def test_an_answer_counts_from_its_beginning(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    at.now = 15.4
    _spoken(at, Verdict.ACCEPT, "hector drei", begun=14_500, awaited=True)
    assert at.announced == "g1h3"


def test_what_was_taken_as_an_answer_is_no_announcement_when_the_question_is_gone(
    at: Conversation,
) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    at.now = 17.0
    _spoken(at, Verdict.ACCEPT, "felix drei", begun=16_000, awaited=True)
    assert not at.asked() and at.announced is None
    assert at.said[-1][1] == GERMAN.sentence("cancelled")


# --- what the Laws ask both players ---------------------------------------------------------------


def _ask_both(at: Conversation) -> None:
    at.play("e2e4", "e7e5", "g1f3")
    at.now += 10
    at.table.submit(f.Irregular(by="white", what="wrong_start", t=at.table.time()))


def test_both_players_are_asked_and_a_yes_of_each_takes_the_moves_back(at: Conversation) -> None:
    _ask_both(at)
    due = [GERMAN.sentence("consent_due", player=player) for player in ("Weiß", "Schwarz")]
    assert [words for _, words in at.said[-2:]] == due
    assert at.hear(Verdict.COMMAND, "ja", side="black") == [
        GERMAN.sentence("consent_given", player="Schwarz"), due[0],
    ]  # fmt: skip
    assert at.hear(Verdict.COMMAND, "ja", side="black") == []  # that is talk now
    assert at.type("ja")[0] == GERMAN.sentence("consent_given", player="Weiß")
    assert not at.table.game.history


def test_a_no_of_one_player_is_enough_and_the_game_goes_on(at: Conversation) -> None:
    _ask_both(at)
    at.hear(Verdict.COMMAND, "ja", side="black")
    told = at.hear(Verdict.COMMAND, "nein")
    assert told[0] == GERMAN.sentence("consent_refused", player="Weiß")
    assert len(at.table.game.history) == 3 and at.table.game.clock.running == "black"


def test_players_who_talk_it_over_answer_nothing(at: Conversation) -> None:
    _ask_both(at)
    for verdict in (Verdict.REFUSE, Verdict.NOTHING):
        assert at.hear(verdict, "springer") == at.hear(verdict, "e4", side="black") == []
    _spoken(at, Verdict.COMMAND, "ja", begun=9_000, awaited=True)  # before they were asked
    assert at.table.game.pending is not None and len(at.table.game.pending.asked) == 2
    assert at.type("springer felix drei")[-1] == GERMAN.sentence("refused_waiting_for_players")


def test_a_question_that_was_open_is_dropped_when_both_players_are_asked(at: Conversation) -> None:
    at.type("aufgeben", side="black")
    _ask_both(at)
    at.type("ja", side="black")
    assert not at.table.game.over and "consent" in at.kinds()
    at.type("aufgeben", side="black")  # what is asked last is answered
    at.type("ja", side="black")
    assert at.table.game.over


def test_a_typed_yes_is_of_the_player_who_has_still_to_answer(at: Conversation) -> None:
    _ask_both(at)
    assert at.talking.author("ja") == "black"  # the player on move
    at.type("ja", side="black")
    assert at.talking.author("ja") == at.talking.author("nein") == "white"
    assert at.talking.author("zeit") == "black"


# --- whatever is said -----------------------------------------------------------------------------


PHRASES = [
    "ich gebe auf", "remis anbieten", "remis annehmen", "remis ablehnen", "schiedsrichter",
    "stellungswiederholung", "zeitüberschreitung", "hängepartie", "pause", "weiter", "nein",
    "korrektur", "zeit", "hilfe", "mehr", "wiederholen", "springer felix drei",
    "springer hector drei", "bauer eva zwei eva vier", "korrektur springer hector drei",
    "bauer eva sieben eva fünf", "turm anna eins anna vier", "hector", "felix drei", "vier",
    "brett ich gebe auf", "brett zeit", "lauter", "quatsch",
]  # fmt: skip


VERDICTS = st.sampled_from(list(Verdict))


EVENTS = st.one_of(
    st.tuples(
        st.just("hear"),
        VERDICTS,
        st.lists(st.sampled_from(PHRASES), min_size=1, max_size=3),
        st.sampled_from(f.SIDES),
    ),
    st.tuples(st.just("type"), st.sampled_from(PHRASES), st.sampled_from(f.SIDES)),
    st.tuples(st.just("wait"), st.floats(0, 20)),
    st.tuples(st.just("make"), st.sampled_from(f.SIDES)),
    st.tuples(st.just("press"), st.sampled_from(f.SIDES)),
)


@examples(150)
@given(events=st.lists(EVENTS, max_size=25), needed=st.sampled_from(list(OpeningWord)))
def test_without_a_yes_nothing_ends_or_changes_the_game(
    events: list[Any], needed: OpeningWord, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("talk") / "game.jsonl"
    with Conversation(path, opening_word=needed, time_control="-") as at:
        for event in events:
            if event[0] == "hear":
                _, verdict, phrases, side = event
                at.hear(verdict, *phrases, side=side)
            elif event[0] == "type":
                at.type(event[1], event[2])
            elif event[0] == "wait":
                at.wait(event[1])
            elif event[0] == "press":
                if at.table.game.turn.made is not None:  # else it is illegal, and two such lose
                    at.table.submit(f.Press(by=event[1]))
            elif at.announced is not None:
                at.table.submit(f.Make(by=event[1], move=at.announced))
        assert not at.table.game.over
        assert not at.table.game.offers
        changing = {"resign", "offer_draw", "claim_draw", "claim_time", "call_arbiter", "arbiter"}
        assert not changing & set(at.kinds())
        for side in f.SIDES:
            # Left alone, no question stays open.
            at.wait(ANSWER_SECONDS + 1)
            assert not at.asked(side)


CHANGING = (f.Resign, f.OfferDraw, f.AcceptDraw, f.DeclineDraw, f.ClaimDraw, f.ClaimTime,
            f.CallArbiter, f.RequestExtraTime, f.Arbiter)  # fmt: skip


@examples(80)
@given(
    events=st.lists(
        st.tuples(
            st.sampled_from([*Verdict, None]),
            st.sampled_from([*PHRASES, *["ja"] * len(PHRASES)]),
            st.sampled_from(f.SIDES),
            st.floats(0, 10),
        ),
        max_size=25,
    ),
    training=st.booleans(),
)
def test_every_change_is_one_that_this_player_was_asked_about_and_said_yes_to(
    events: list[tuple[Verdict | None, str, str, float]],
    training: bool,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path, offered = tmp_path_factory.mktemp("talk") / "game.jsonl", False
    with Conversation(path, training=training) as at:
        for verdict, phrase, side, seconds in events:
            if at.table.game.over:
                break
            asked, count = at.asked(side), len(at.facts)
            if verdict is None:
                at.type(phrase, side)
            else:
                at.hear(verdict, phrase, side=side)
            certain = verdict not in (Verdict.ASK, Verdict.REFUSE, Verdict.NOTHING)
            changed = [fact for fact in at.facts[count:] if isinstance(fact, CHANGING)]
            for fact in changed:
                if isinstance(fact, f.AcceptDraw | f.DeclineDraw) and not offered:
                    continue  # nothing is offered, and the Laws refuse it
                if isinstance(fact, f.Arbiter) and fact.do == "start_clocks":
                    continue  # after a pause either goes on
                assert asked and phrase == "ja" and certain
                assert at.facts[count].by == side or isinstance(fact, f.Arbiter)  # type: ignore[attr-defined]
            offered = bool(at.table.game.offers)
            at.wait(seconds)


@examples(60)
@given(
    candidates=st.lists(st.sampled_from(PHRASES), min_size=1, max_size=5),
    answers=st.lists(st.sampled_from(PHRASES), max_size=3),
)
def test_what_was_only_asked_about_is_never_played_without_an_answer_that_names_it(
    candidates: list[str], answers: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Conversation(tmp_path_factory.mktemp("talk") / "game.jsonl") as at:
        at.hear(Verdict.ASK, *candidates)
        assert at.announced is None
        for answer in answers:
            at.hear(Verdict.REFUSE if answer == "quatsch" else Verdict.ASK, answer)
            assert at.announced is None
        at.wait(ANSWER_SECONDS + 1)
        assert at.announced is None


@examples(150)
@given(events=st.lists(EVENTS, max_size=25), training=st.booleans())
def test_the_conversation_changes_nothing_itself_only_what_it_asks_for_is_done(
    events: list[Any], training: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("talk") / "game.jsonl"
    with Conversation(path, training=training) as at:

        def happened(event: Any) -> Event:
            match event:
                case "hear", verdict, phrases, side:
                    return HeardUtterance(side, at.decided(verdict, *phrases, side=side))
                case "type", words, side:
                    return TypedLine(side, words)
                case "wait", seconds:
                    at.now += seconds
                    return SecondPassed()
                case "press", side:
                    return ClockPressed(side, at.table.time())
                case "tap", side:
                    return ButtonTapped(side, at.table.time())
                case _:
                    return TableBegun()

        for event in events:
            kind = event[0]
            if kind == "make" and at.announced is not None:
                at.table.submit(f.Make(by=event[1], move=at.announced))
            if kind == "make":
                continue
            facts = len(at.facts)
            effects = at.talking.take(happened(event))
            assert len(at.facts) == facts
            at.perform(effects)
            wanted = [one.fact for one in effects if isinstance(one, e.Submit | e.TellTime)]
            assert [replace(fact, t=0) for fact in at.facts[facts:]] == wanted
        # The facts alone make the same game: nothing else has touched it.
        again = Game(PackWords())
        for taken in at.table.log:
            assert tuple(again.apply(taken.fact)) == taken.rulings
        assert again.turn == at.table.game.turn


# --- a sealed move, and the clock -----------------------------------------------------------------


@pytest.mark.parametrize("verdict", [Verdict.ACCEPT, Verdict.ASK, Verdict.ILLEGAL])
def test_a_move_that_is_spoken_while_one_is_to_be_sealed_is_refused_privately(
    talk: Talk, verdict: Verdict
) -> None:
    at = talk(arbiter="present")
    at.table.submit(f.Arbiter(do="adjourn"))
    before = at.kinds()
    said = at.hear(verdict, "springer felix drei", "springer hector drei")
    assert said == [GERMAN.sentence("seal_written")]
    assert at.said[-1][0] is Output.PRIVATE
    assert at.kinds() == before and not at.asked()
    assert at.hear(verdict, "springer felix sechs", side="black") == []


def test_a_bare_move_that_a_touched_piece_forbids_is_not_asked_about(talk: Talk) -> None:
    """4.3: the touched knight must be moved, so no other move can be sealed."""
    at = talk(arbiter="present")
    at.table.submit(f.Lift(board="white", square="g1"))
    at.table.submit(f.Arbiter(do="adjourn"))
    why = GERMAN.sentence("illegal_touched_piece")
    assert at.type("e4") == [GERMAN.sentence("illegal", why=why)]
    assert at.said[-1][0] is Output.PRIVATE and not at.asked()
    assert at.type("Sf3") == [GERMAN.sentence("seal_sure")]


def test_a_press_waits_for_a_correction_that_was_wanted_and_for_no_misheard_repetition(
    at: Conversation,
) -> None:
    at.type("Springer Felix drei")
    at.execute("b1c3")
    assert at.holds() == []
    at.hear(Verdict.ACCEPT, "springer hector drei")  # it may be the opponent's repetition
    assert at.asked() and at.holds() == []
    at.type("nein")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    hold, question = at.holds()
    assert hold == e.HoldPress() and isinstance(question, e.Say)
    assert "Springer Gustav eins Hector drei" in question.words
