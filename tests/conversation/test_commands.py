"""What comes of commands: facts, answers, help."""

from __future__ import annotations

import re

import chess
import pytest

from blindplay.conversation import OpeningWord
from blindplay.conversation import effects as e
from blindplay.conversation.commands import CONFIRMED
from blindplay.conversation.state import (
    AGAIN_SECONDS,
    ANSWER_SECONDS,
    AgainAnswered,
    Awaited,
    TypedLine,
)
from blindplay.hearing.decision import Verdict
from blindplay.language import PLAYS_AGAIN, QUESTIONS, Command, languages, load
from blindplay.laws import facts as f
from blindplay.laws.editions import names
from blindplay.laws.facts import Player
from blindplay.speech.speaker import Output
from blindplay.table import Table
from blindplay.table.hall_contact import Pairings
from blindplay.wording.values import Pairing, pairing_in_words
from tests import ROOT
from tests.conversation.conversing import GERMAN, Conversation, Talk
from tests.table.sitting import play_moves

# --- what changes the game ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        ("ich gebe auf", "resign"),
        ("ich biete Remis an", "offer_draw"),
        ("Stellungswiederholung", "claim_draw"),
        ("fünfzig Züge", "claim_draw"),
        ("Pause", "arbiter"),
        ("Hängepartie", "adjourn"),
    ],
)
@pytest.mark.parametrize("typed", [True, False])
def test_what_changes_the_game_needs_a_yes(
    at: Conversation, command: str, fact: str, typed: bool
) -> None:
    def say(words: str) -> list[str]:
        return at.type(words) if typed else at.hear(Verdict.COMMAND, words.lower())

    before = at.kinds()
    for answer in ("nein", "", "wird nicht verstanden", "ich gebe auf", "Remis"):
        assert say(command)
        assert at.asked()
        if answer in ("nein", ""):
            assert GERMAN.sentence("cancelled") in (
                say("nein") if answer else at.wait(ANSWER_SECONDS + 1)
            )
        else:
            say(answer)
            at.type("nein")
        assert not at.asked()
        assert at.kinds() == before
    say(command)
    say("ja")
    assert at.kinds()[len(before)] == fact


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("Zeitüberschreitung", "flag_has_not_fallen"),
        ("Gegner kann nicht gewinnen", "no_quickplay_finish"),
        ("zusätzliche Bedenkzeit", "no_quickplay_finish"),
        ("Remis annehmen", "no_offer"),
        ("Remis ablehnen", "no_offer"),
        ("weiter", "clocks_running"),
        ("Zug zurück", None),
    ],
)
def test_what_can_only_be_refused_is_refused_at_once_with_its_reason(
    at: Conversation, command: str, reason: str | None
) -> None:
    before = at.kinds()
    key = "take_back_stands" if reason is None else f"refused_{reason}"
    assert at.type(command) == [GERMAN.sentence(key)]
    assert not at.asked() and at.kinds() == before


def test_a_draw_that_is_agreed_too_early_is_refused_before_a_yes(talk: Talk) -> None:
    at = talk(arbiter="present")
    at.table.submit(f.OfferDraw(by="black"))
    assert at.type("Remis annehmen") == [GERMAN.sentence("refused_too_early")]
    assert not at.asked()


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("command", sorted(CONFIRMED - {Command.TAKE_BACK, Command.SIGN}, key=str))
def test_after_the_game_everything_is_refused_with_its_reason(
    talk: Talk, language: str, command: Command
) -> None:
    at = talk(language=language)
    at.table.submit(f.Resign(by="black"))
    told = at.type(at.pack.command(command))
    assert told == [at.pack.sentence("refused_game_over")] or at.steps_told == ["white"]


@pytest.mark.parametrize("language", languages())
def test_a_player_hears_the_result_and_signs_it_with_a_yes(talk: Talk, language: str) -> None:
    """Both record the result after the game (8.7)."""
    at = talk(language=language)
    pack = at.pack
    assert at.type(pack.command(Command.SIGN)) == [pack.sentence("refused_not_over")]
    at.table.submit(f.Resign(by="black"))
    result = pack.sentence("game_over_white_wins", reason="").strip()
    for side in f.SIDES:
        assert Command.SIGN in at.talking.sayable(side).bare
        asked = at.type(pack.command(Command.SIGN), side)
        assert asked == [pack.sentence("sign_sure", what=result)]
        assert side not in at.table.game.signed
        assert pack.sentence("signed", player=pack.sentence(side)) in at.type(
            pack.command(Command.YES), side
        )
        assert Command.SIGN not in at.talking.sayable(side).bare
    assert at.table.game.signed == {"white": "1-0", "black": "1-0"}


@pytest.mark.parametrize("language", languages())
def test_a_player_asks_where_to_play_now_and_next(talk: Talk, language: str) -> None:
    anna = Player(name="Anna Berg", impaired=True, language=language)
    at = talk(language=language, white=anna, black=Player(name="Bert Dahl"), round="3")
    ask = at.pack.command(Command.WHERE_I_PLAY)
    assert at.type(ask) == [at.pack.sentence("pairing_unknown")]
    assert Command.WHERE_I_PLAY not in at.talking.sayable("white").bare
    at.table.pairings = Pairings("4")
    assert Command.WHERE_I_PLAY in at.talking.sayable("white").bare
    now, following = (Pairing("3", "4", "Anna Berg", "Bert Dahl"),
                      Pairing("4", "7", "Cia Ek", "Anna Berg"))  # fmt: skip
    assert at.type(ask) == [pairing_in_words(now, at.pack)]
    at.table.submit(f.Resign(by="black"))
    at.table.pairings.tell([following])
    assert Command.WHERE_I_PLAY in at.talking.sayable("white").bare
    assert at.type(ask) == [pairing_in_words(following, at.pack)]
    assert at.type(ask, "black") == [pairing_in_words(now, at.pack)]  # nothing newer is known


def test_a_signature_that_is_declined_is_none(at: Conversation) -> None:
    at.table.submit(f.Resign(by="black"))
    at.type("unterschreiben")
    assert at.type("nein") == [GERMAN.sentence("cancelled")]
    assert not at.table.game.signed


def test_under_rules_without_signatures_nobody_is_asked_for_one(talk: Talk) -> None:
    at = talk(edition="fide-1997")
    at.table.submit(f.Resign(by="black"))
    assert at.type("unterschreiben") == [GERMAN.sentence("refused_not_in_this_edition")]
    assert Command.SIGN not in at.talking.sayable("white").bare


def test_saying_it_again_is_no_yes(at: Conversation) -> None:
    at.type("aufgeben")
    assert at.type("ich gebe auf") == ["Wollen Sie wirklich aufgeben? Sagen Sie ja oder nein."]
    assert not at.table.game.over


def test_a_draw_is_accepted_with_a_yes_and_only_when_it_is_offered(at: Conversation) -> None:
    at.play("e2e4", "e7e5")  # before a move of each nothing can be agreed (9.1.1)
    assert at.type("Remis annehmen", "black") == [GERMAN.sentence("refused_no_offer")]
    at.type("Remis anbieten")
    at.type("ja")
    assert Command.ACCEPT_DRAW in at.talking.sayable("black").bare
    assert Command.ACCEPT_DRAW not in at.talking.sayable("white").bare
    at.type("Remis annehmen", "black")
    assert not at.table.game.over
    at.type("ja", "white")  # not his to say
    assert not at.table.game.over
    at.type("ja", "black")
    assert at.table.game.result == "1/2-1/2"


def test_a_draw_is_declined_with_a_yes(at: Conversation) -> None:
    at.table.submit(f.OfferDraw(by="white"))
    at.hear(Verdict.COMMAND, "remis ablehnen", side="black")
    assert "white" in at.table.game.offers
    at.hear(Verdict.COMMAND, "ja", side="black")
    assert not at.table.game.offers


def test_a_claim_may_be_made_with_a_move(at: Conversation) -> None:
    said = at.type("ich reklamiere Stellungswiederholung")
    assert said == [
        "Wollen Sie reklamieren: Dreimalige Stellungswiederholung? "
        "Sagen Sie ja oder nein, oder den Zug, mit dem Sie reklamieren."
    ]
    said = at.hear(Verdict.ACCEPT, "springer felix drei")
    assert said == [
        "Wollen Sie reklamieren: Dreimalige Stellungswiederholung, "
        "Springer Gustav eins Felix drei? Sagen Sie ja oder nein."
    ]
    assert at.announced is None
    at.type("ja")
    claim = next(fact for fact in at.facts if isinstance(fact, f.ClaimDraw))
    assert (claim.rule, claim.move) == ("repetition", "g1f3")


def test_a_claim_with_a_move_may_be_typed_at_once(at: Conversation) -> None:
    said = at.type("fünfzig Züge mit Sf3")
    asked = "Wollen Sie reklamieren: Fünfzig Züge, Springer Gustav eins Felix drei? "
    assert said == [f"{asked}Sagen Sie ja oder nein."]
    at.type("ja")
    claim = next(fact for fact in at.facts if isinstance(fact, f.ClaimDraw))
    assert (claim.rule, claim.move) == ("fifty_moves", "g1f3")


def test_a_claim_with_what_is_no_move_is_not_understood(at: Conversation) -> None:
    assert at.type("fünfzig Züge mit Sf5") == ["Nicht verstanden. Bitte wiederholen Sie."]
    assert "claim_draw" not in at.kinds()


def test_pause_stops_the_clocks_of_a_game_without_an_arbiter(at: Conversation) -> None:
    at.type("Pause")
    assert at.type("ja")[-1] == "Pause. Die Uhren stehen."
    assert at.table.game.clock.running is None
    assert Command.RESUME in at.talking.sayable("black").bare
    at.type("weiter", "black")
    assert at.table.game.clock.running == "white"


def test_going_on_declines_an_offered_draw_or_ends_a_pause(talk: Talk) -> None:
    at = talk()
    at.type("ich biete Remis an")
    at.type("ja")
    assert at.type("weiter", "black") == [GERMAN.sentence("decline_draw_sure")]
    at.type("ja", "black")
    assert at.kinds()[-1] == "decline_draw"
    at.type("Pause")
    at.type("ja")
    at.type("wir spielen weiter")
    assert at.table.game.clock.running == "white"


def test_where_no_arbiter_is_a_call_is_answered_with_what_the_players_can_do(
    talk: Talk,
) -> None:
    at = talk()
    words = GERMAN.sentence("no_arbiter_clock", pause="Pause", resume="Weiter")
    assert at.type("Schiedsrichter") == [words]
    assert not at.asked() and at.table.game.clock.running == "white"
    assert Command.CALL_ARBITER not in at.talking.sayable("white").bare
    assert talk(time_control="-").type("Schiedsrichter") == [GERMAN.sentence("no_arbiter")]
    at.table.pairings = Pairings("4")  # in a hall somebody comes
    assert at.type("Schiedsrichter") == [GERMAN.sentence("call_arbiter_sure")]


def test_the_clocks_are_the_arbiters_where_there_is_one(talk: Talk) -> None:
    at = talk(arbiter="present")
    assert at.type("Pause") == ["Die Uhren hält nur der Schiedsrichter an."]
    assert not {Command.PAUSE, Command.RESUME} & at.talking.sayable("white").bare
    at.type("Schiedsrichter")
    at.type("ja")
    assert at.table.game.clock.running is None
    assert at.said[-1] == (
        Output.PUBLIC,
        "Der Schiedsrichter wird gebraucht. Weiß ruft den Schiedsrichter.",
    )


def test_a_sealed_move_is_written_and_never_said(at: Conversation) -> None:
    unasked = GERMAN.sentence("seal_unasked", command="Hängepartie")
    assert at.type("Abgabezug Sf3") == [unasked]
    at.type("Hängepartie")
    at.type("ja")
    at.type("ja", "black")
    at.type("Abgabezug Sf3")
    assert (at.table.game.sealed, at.announced) == ("Sf3", None)
    assert not any("Felix" in words for _, words in at.said)
    at.table.submit(f.Press(by="white"))
    assert at.table.game.adjourned


def wanted(at: Conversation) -> list[str]:
    """White would like to adjourn; what was said then."""
    at.hear(Verdict.COMMAND, "hängepartie")
    return at.hear(Verdict.COMMAND, "ja")


def test_the_opponent_is_asked_before_the_game_is_adjourned(at: Conversation) -> None:
    sure = GERMAN.sentence("adjourn_sure", player="Schwarz")
    asked = [GERMAN.sentence("adjourn_wanted", player="Weiß"), sure]
    assert wanted(at) == asked
    assert at.asked("black") and not at.asked("white")
    assert at.hear(Verdict.COMMAND, "nein", side="black") == [
        GERMAN.sentence("adjourn_declined", player="Schwarz")
    ]
    assert not at.asked("black") and not at.table.game.adjourning
    wanted(at)
    assert at.hear(Verdict.COMMAND, "ja", side="black") == [
        GERMAN.sentence("seal_asked", player="Weiß")
    ]


def test_a_wish_to_adjourn_waits_for_an_opponent_who_says_nothing(at: Conversation) -> None:
    """They may read it on a page. A move that is completed ends it."""
    wanted(at)
    assert at.wait(ANSWER_SECONDS + 1) == []
    assert not at.asked("black") and not at.table.game.adjourning
    at.type("Hängepartie", "black")
    assert at.type("ja", "black") == [GERMAN.sentence("seal_asked", player="Weiß")]


def test_a_player_who_is_asked_something_else_is_not_interrupted(at: Conversation) -> None:
    at.type("aufgeben", "black")
    assert wanted(at) == [GERMAN.sentence("adjourn_wanted", player="Weiß")]
    at.type("nein", "black")
    assert not at.table.game.over and at.table.game.wants_to_adjourn == "white"


def test_a_question_that_is_answered_on_a_page_is_open_no_more(at: Conversation) -> None:
    wanted(at)
    at.table.submit(f.Adjourn(by="black", declined=True))
    assert not at.asked("black")
    wanted(at)
    at.play("e2e4")
    assert not at.asked("black")


@pytest.mark.parametrize("edition", names())
def test_the_envelope_is_opened_by_voice_after_a_yes(talk: Talk, edition: str) -> None:
    at = talk(edition=edition)
    for fact in (f.Adjourn(by="white"), f.Adjourn(by="black"), f.Seal(by="white", text="Sf3")):
        at.table.submit(fact)
    at.table.submit(f.Press(by="white"))
    assert Command.RESUME in at.talking.sayable("black").bare
    assert at.hear(Verdict.COMMAND, "weiter", side="black") == [
        GERMAN.sentence("envelope_of_sure", player="Schwarz")
    ]
    assert at.table.game.adjourned
    move = "Springer Gustav eins Felix drei"
    assert at.hear(Verdict.COMMAND, "ja", side="black") == [
        GERMAN.sentence("envelope_opened", player="Weiß", move=move),
        GERMAN.sentence("clock_started", player="Schwarz"),
    ]


def test_the_arbiter_opens_the_envelope_where_there_is_one(talk: Talk) -> None:
    """I.3, I.9.2: who comes late stops the clock and calls."""
    at = talk(arbiter="present")
    at.table.submit(f.Arbiter(do="adjourn"))
    at.table.submit(f.Seal(by="white", text="Sf3"))
    at.table.submit(f.Press(by="white"))
    assert Command.RESUME not in at.talking.sayable("black").bare
    told = GERMAN.sentence("envelope_arbiter", player="Schwarz")
    assert at.type("weiter", "black") == [told] and not at.asked("black")
    assert Command.CALL_ARBITER not in at.talking.sayable("black").bare
    at.table.submit(f.Start())
    assert Command.CALL_ARBITER in at.talking.sayable("black").bare
    assert Command.CALL_ARBITER not in at.talking.sayable("white").bare
    at.hear(Verdict.COMMAND, "schiedsrichter", side="black")
    at.hear(Verdict.COMMAND, "ja", side="black")
    at.table.submit(f.OpenEnvelope())
    assert not at.table.game.adjourned


# --- questions to the table -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Zeit", "Ihre Zeit: eine Stunde dreißig Minuten."),
        ("seine Zeit", "Zeit des Gegners: eine Stunde dreißig Minuten."),
        (
            "Uhr",
            "Ihre Zeit: eine Stunde dreißig Minuten. "
            "Zeit des Gegners: eine Stunde dreißig Minuten.",
        ),
        ("wie viele Züge", "Abgeschlossene Züge: eins."),
        ("letzter Zug", "Letzter Zug, Schwarz: Bauer Eva sieben Eva fünf."),
    ],
)
def test_what_a_player_may_ask_is_answered_in_his_ear(
    at: Conversation, text: str, answer: str
) -> None:
    at.play("e2e4", "e7e5")
    assert at.type(text) == [answer]
    assert at.said[-1][0] is Output.PRIVATE
    assert isinstance(at.facts[-1], f.Query)


def test_the_position_is_not_told_in_a_game(at: Conversation) -> None:
    for text in ("was steht auf Eva vier", "Stellung", "geschlagene Figuren"):
        assert at.type(text) == [GERMAN.sentence("refused_not_during_play")]
        assert isinstance(at.facts[-1], f.Query)
    assert not QUESTIONS & at.talking.sayable("white").bare


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("was steht auf Eva vier", "Eva vier: schwarzer Bauer."),
        ("was steht auf e5", "Eva fünf: leer."),
        ("Reihe 4", "Reihe vier: weißer Bauer David vier, schwarzer Bauer Eva vier."),
        ("Reihe fünf", "Reihe fünf: leer."),
        (
            "Linie Eva",
            "Linie Eva: weißer König Eva eins, weißer Bauer Eva zwei, schwarzer Bauer Eva vier, "
            "schwarzer König Eva acht.",
        ),
        ("wo stehen die weißen Springer", "Weiße Springer: Bella eins, Gustav eins."),
        (
            "wo stehen die Damen",
            "Weiße Damen: David eins. Schwarze Damen: David acht.",
        ),
        ("was greift Eva vier an", "Angreifer auf Eva vier: keine."),
        (
            "was greift Felix drei an",
            "Angreifer auf Felix drei: weißer Springer Gustav eins, weißer Bauer Eva zwei, "
            "weißer Bauer Gustav zwei, schwarzer Bauer Eva vier.",
        ),
        ("geschlagene Figuren", "Geschlagen: weißer Bauer."),
    ],
)
def test_in_training_the_position_may_be_asked(talk: Talk, text: str, answer: str) -> None:
    at = talk(
        training=True,
        fen="rnbqkbnr/pppp1ppp/8/8/3Pp3/8/1PP1PPPP/RNBQKBNR w KQkq - 0 3",
    )
    if text == "geschlagene Figuren":
        at.play("b2b4", "a7a5", "h2h3", "a5b4")
    assert at.type(text) == [answer]
    assert isinstance(at.facts[-1], f.Query)
    assert at.facts[-1].about == "position"


def test_captured_pieces_are_counted(talk: Talk) -> None:
    at = talk(training=True)
    assert at.type("geschlagene Figuren") == ["Es ist noch nichts geschlagen."]
    at.play("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d2", "d1d2")
    assert at.type("geschlagene Figuren") == [
        "Geschlagen: zwei weiße Bauern, schwarze Dame, schwarzer Bauer."
    ]


def test_help_says_what_can_be_said_now_and_more_on_request(at: Conversation) -> None:
    turn = GERMAN.sentence("wait_announce", player="Weiß")
    assert at.type("Hilfe", "black")[0] == GERMAN.sentence("due_wait", what=turn)
    first = at.type("was kann ich sagen")
    example = GERMAN.sentence("help_announce", example="Springer Gustav eins Felix drei")
    assert first[0] == f"{GERMAN.sentence('due_announce')} {example}"
    assert first[1].startswith("Sie können sagen: Zeit") and first[1].endswith(
        "Weiteres hören Sie mit: Mehr."
    )
    assert Command.MORE in at.talking.sayable("white").bare
    told = first[1]
    while Command.MORE in at.talking.sayable("white").bare:
        told += " " + at.type("mehr")[0]
    assert "Was steht auf" not in told
    for command in at.talking.sayable("white").bare - {Command.HELP}:
        assert GERMAN.command(command) in told
    assert at.type("mehr") == [GERMAN.sentence("refused_no_more")]
    at.hear(Verdict.ACCEPT, "springer felix drei")
    move = "Springer Gustav eins Felix drei"
    correct = GERMAN.sentence("help_correct", correction="Korrektur")
    assert at.type("Hilfe")[0] == f"{GERMAN.sentence('due_execute', move=move)} {correct}"
    assert move in at.type("Hilfe", "black")[0]


SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


def test_all_moves_that_are_asked_by_voice_are_read_five_at_a_time(at: Conversation) -> None:
    """Nobody is heard while a loudspeaker reads, and what everybody hears comes after it."""
    at.play(*3 * SHUFFLE)
    typed = at.type("Züge bisher")
    assert len(typed) == 6 and at.type("mehr") == [GERMAN.sentence("refused_no_more")]
    first = at.hear(Verdict.COMMAND, "züge bisher")
    more = GERMAN.sentence("help_more", more=GERMAN.command(Command.MORE))
    assert first == [*typed[:4], f"{typed[4]} {more}"]
    at.speaking = True
    at.wait(ANSWER_SECONDS + 1)
    at.speaking = False  # all of it was read
    assert at.hear(Verdict.COMMAND, "mehr") == typed[5:]
    assert at.hear(Verdict.COMMAND, "die letzten fünf züge") == typed[1:]
    assert at.hear(Verdict.COMMAND, "mehr") == [GERMAN.sentence("refused_no_more")]
    at.hear(Verdict.COMMAND, "züge bisher")
    at.wait(ANSWER_SECONDS + 1)
    assert Command.MORE not in at.talking.sayable("white").bare


def test_a_correction_of_nothing_says_what_is_due(at: Conversation) -> None:
    assert at.type("falsch") == [GERMAN.sentence("refused_nothing_announced")]
    at.table.submit(f.Resign(by="black"))
    assert at.type("falsch") == []
    assert at.steps_told == ["white", "white"]


@pytest.mark.parametrize("state", ["unbegun", "goes on", "stands", "adjourned", "over"])
@pytest.mark.parametrize("command", sorted(Command, key=str))
def test_a_command_does_something_or_is_answered_with_what_is_due(
    talk: Talk, command: Command, state: str
) -> None:
    at = talk(arbiter="present", started=state != "unbegun")
    decisions: dict[str, list[f.Fact]] = {
        "stands": [f.Arbiter(do="stop_clocks")],
        "adjourned": [f.Arbiter(do="adjourn"), f.Seal(by="white", text="e2e4")],
        "over": [f.Resign(by="black")],
    }
    for fact in decisions.get(state, []):
        at.table.submit(fact)
    before = len(at.facts), len(at.steps_told)
    effects = at.converse(TypedLine("white", at.pack.command(command)))
    said = [one.words for one in effects if isinstance(one, e.Say)]
    assert effects
    refusals = {at.pack.sentence(key) for key in at.pack.sentences() if key.startswith("refused_")}
    if not refusals.isdisjoint(said) and len(at.facts) == before[0]:
        assert len(at.steps_told) > before[1]


def test_more_is_listened_for_only_a_while(at: Conversation) -> None:
    at.type("Hilfe")
    at.wait(ANSWER_SECONDS + 1)
    assert Command.MORE not in at.talking.sayable("white").bare


def test_commands_for_the_voice_adjust_it(at: Conversation) -> None:
    at.type("lauter")
    at.type("langsamer")
    assert at.adjusted == [Command.LOUDER, Command.SLOWER]


# --- every language -------------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
def test_every_question_about_the_position_is_answered_in_words(talk: Talk, language: str) -> None:
    at = talk(training=True, language=language)
    at.play("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d2", "d1d2")
    answers = set()
    for phrase in at.pack.command_phrases(QUESTIONS):
        (answer,) = at.type(phrase)
        answers.add(answer)
    # Squares, ranks, files, attackers; of pieces each kind in three ways, and all of a colour.
    assert len(answers) >= 64 + 8 + 8 + 64 + 3 * 6 + 2


@pytest.mark.parametrize("language", languages())
def test_every_command_is_answered_in_words_and_asks_first_if_it_must(
    talk: Talk, language: str
) -> None:
    for command in sorted(CONFIRMED, key=list(Command).index):
        at = talk(language=language)
        at.play("e2e4", "e7e5")
        at.table.submit(f.OfferDraw(by="black"))
        before = at.kinds()
        assert at.type(at.pack.command(command))
        assert at.kinds() == before
        if not at.asked():
            continue  # refused at once
        assert at.type(at.pack.command(Command.NO))
        at.type(at.pack.command(command))
        at.type(at.pack.command(Command.YES))
        assert len(at.kinds()) > len(before)
    at = talk(language=language)
    for command in set(Command) - CONFIRMED:
        at.type(at.pack.command(command))
    assert not at.table.game.over


@pytest.mark.parametrize("language", ["da", "de", "en", "nb", "sv"])
def test_what_is_written_about_talking_is_understood(language: str) -> None:
    pack = load(language)
    name = "talking.md" if language == "en" else f"talking.{language}.md"
    text = (ROOT / "docs" / name).read_text("utf-8")
    table = [line.split("|")[1] for line in text.splitlines() if line.startswith("| *")]
    training = text.split("\n## ")[-2]
    phrases = [p for part in (*table, training) for p in re.findall(r"\*([^*`]+)\*", part)]
    commands = {pack.understand(phrase, chess.Board()).command for phrase in phrases}
    assert None not in commands
    # All commands are there, but for those that the text around the table tells of.
    told = {Command.YES, Command.NO, Command.HELP, Command.MORE, Command.CORRECTION, Command.SEAL}
    assert commands == set(Command) - told


def test_on_a_server_the_table_tells_what_a_screen_shows_and_no_more(talk: Talk) -> None:
    at = talk(arbiter="server", black=Player(), boards=2)
    assert at.type("wo steht mein König") == ["Eva eins: weißer König."]
    assert not any("Eva vier" in words for words in at.type("wer greift e4 an"))
    assert not at.table.allows(Command.HINT) and not at.table.allows(Command.ATTACKERS)
    assert at.type("Pause") == [at.pack.sentence("lichess_decides")]
    assert at.table.allows(Command.TAKE_BACK) and at.table.game.clock.running == "white"


def test_what_is_awaited_follows_the_game(at: Conversation) -> None:
    def states() -> list[Awaited]:
        return [at.talking.sayable(side).awaited for side in f.SIDES]

    assert states() == [Awaited.ANNOUNCE, Awaited.WAIT]
    at.hear(Verdict.ACCEPT, "eva vier")
    assert states() == [Awaited.EXECUTE, Awaited.REPEAT]
    repeats = at.talking.sayable("black").repeats
    assert repeats is not None and repeats[1] == chess.Move.from_uci("e2e4")
    assert at.talking.sayable("white").repeats is None
    at.play("e2e4")
    assert states() == [Awaited.WAIT, Awaited.ANNOUNCE]
    repeats = at.talking.sayable("black").repeats  # he may not have repeated it yet
    assert repeats is not None and repeats[1] == chess.Move.from_uci("e2e4")
    at.type("aufgeben")
    assert states() == [Awaited.ANSWER, Awaited.ANNOUNCE]
    at.type("ja")
    assert states() == [Awaited.OVER, Awaited.OVER]


def test_after_the_game_hardly_anything_is_listened_for(at: Conversation) -> None:
    at.table.submit(f.Resign(by="white"))
    listening = at.talking.sayable("white")
    assert listening.boards == ()
    assert CONFIRMED & listening.bare == {Command.SIGN}


def test_what_is_listened_for_is_understood_as_it_was_meant(talk: Talk) -> None:
    at = talk(training=True)
    at.type("Hilfe")
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    listening = at.talking.sayable("white")
    commands = listening.bare | listening.opened
    for phrase in set(listening.phrases(GERMAN)) - listening.answers:
        assert GERMAN.understand(phrase, chess.Board()).command in commands, phrase


# --- the opening word -----------------------------------------------------------------------------


def test_where_it_is_required_a_command_without_the_opening_word_is_talk(talk: Talk) -> None:
    at = talk(opening_word=OpeningWord.REQUIRED)
    assert at.hear(Verdict.COMMAND, "ich gebe auf") == []
    assert at.hear(Verdict.COMMAND, "zeit") == []
    assert at.hear(Verdict.ASK, "zeit", "hilfe") != []  # it was not a command: not understood
    assert at.hear(Verdict.COMMAND, "brett zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    at.hear(Verdict.COMMAND, "brett ich gebe auf")
    at.hear(Verdict.COMMAND, "ja")  # an answer needs none
    assert at.table.game.over


def test_where_it_is_required_only_what_cannot_wait_is_listened_for_without_it(
    talk: Talk,
) -> None:
    at = talk(opening_word=OpeningWord.REQUIRED)
    listening = at.talking.sayable("white")
    assert listening.bare == {Command.CORRECTION, Command.ADJUST}
    phrases = listening.phrases(GERMAN)
    assert "brett zeit" in phrases and "zeit" not in phrases
    assert at.type("Hilfe")[1].startswith("Nach dem Wort Brett können Sie sagen: Zeit")
    at.type("aufgeben")
    assert Command.YES in at.talking.sayable("white").bare


def test_one_word_alone_is_talk_where_single_words_need_it(talk: Talk) -> None:
    at = talk(opening_word=OpeningWord.SINGLE)
    phrases = at.talking.sayable("white").phrases(GERMAN)
    assert "zeit" not in phrases and "korrektur" in phrases
    assert "meine zeit" in phrases and "brett zeit" in phrases
    assert at.hear(Verdict.COMMAND, "zeit") == []
    assert at.hear(Verdict.COMMAND, "brett zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.hear(Verdict.COMMAND, "meine zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.type("Hilfe")[1].startswith("Nach dem Wort Brett können Sie sagen: Zeit")


def test_typed_commands_never_need_it(talk: Talk) -> None:
    at = talk(opening_word=OpeningWord.REQUIRED)
    assert at.type("Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.type("Brett, Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]


# --- another game ---------------------------------------------------------------------------------


def over(at: Conversation, *signed: str) -> None:
    """White resigns, and these players sign."""
    at.table.submit(f.Resign(by="white"))
    for side in signed:
        at.table.submit(f.Sign(by=side, result="0-1"))


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("command", PLAYS_AGAIN)
@pytest.mark.parametrize("typed", [True, False])
def test_another_game_begins_when_both_players_want_it(
    talk: Talk, language: str, command: Command, typed: bool
) -> None:
    at = talk(language=language, black=Player(language=language))

    def say(words: str, side: str) -> list[str]:
        heard = Verdict.COMMAND
        return at.type(words, side) if typed else at.hear(heard, words.lower(), side=side)

    over(at, "white", "black")
    wish, pack = at.pack.command(command), at.pack
    sides = {"player": pack.sentence("white"), "other": pack.sentence("black")}
    asked = pack.sentence(f"{command.value}_asked", **sides)
    assert say(wish, "white") == [asked] and at.talking.wanted_again == {"white": command}
    assert say(pack.command(Command.NO), "black") == [pack.sentence("again_declined")]
    assert at.talking.wanted_again == {}
    assert say(wish, "white") == [asked] and not at.again
    assert at.wait(AGAIN_SECONDS) == [] and at.talking.wanted_again == {"white": command}
    assert at.wait(1) == [pack.sentence("again_declined")] and at.talking.wanted_again == {}
    assert say(wish, "white") == [asked] and not at.again
    say(wish, "black")  # the same wish is a yes
    assert at.again == [command] and at.talking.wanted_again == {}


def test_a_wish_for_another_game_ends_with_its_question(talk: Talk) -> None:
    at = talk()
    over(at, "white", "black")
    at.type("Revanche")
    at.converse(AgainAnswered("black", None))  # White has withdrawn the wish on a page
    assert at.said[-1][1] == GERMAN.sentence("again_declined") and not at.asked("black")
    at.type("ja", "black")
    assert not at.again and at.talking.wanted_again == {}


def test_against_the_computer_nobody_else_is_asked(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = talk()
    over(at, "white", "black")
    monkeypatch.setattr(Table, "absent", "black")
    at.hear(Verdict.COMMAND, "revanche")
    assert at.asked() and at.talking.wanted_again == {}


def test_each_player_is_asked_in_the_own_language(talk: Talk) -> None:
    at = talk(black=Player(language="en"))
    over(at, "white", "black")
    (asked,) = at.type("Revanche")
    assert "einverstanden?" in asked and "do you agree?" in asked
    at.type("yes", "black")
    assert at.again == [Command.REMATCH]


def test_everybody_hears_that_the_other_player_wants_something_else(talk: Talk) -> None:
    at = talk()
    over(at, "white", "black")
    at.type("Revanche", "white")
    declined, *others = at.type("neue Partie", "black")
    assert declined == GERMAN.sentence("again_declined")
    assert others and not at.again
    assert at.talking.wanted_again == {"black": Command.NEW_GAME}


def test_before_another_game_the_result_is_signed(at: Conversation) -> None:
    over(at, "white")
    (said,) = at.type("Revanche")
    sign = GERMAN.command(Command.SIGN)
    told = {"players": "Schwarz", "example": f"Schwarz: {sign}"}
    assert said == GERMAN.sentence("again_unsigned", **told)
    assert at.asked() is None or not at.asked()
    assert not at.again


def test_where_nobody_plays_again_it_is_said_how_to_begin_a_game(talk: Talk) -> None:
    at = talk(plays_again=False)
    over(at, "white", "black")
    assert at.type("neue Partie") == [GERMAN.sentence("new_game_how", end="beenden")]
    arbiter = talk(arbiter="present")
    over(arbiter, "white", "black")
    assert arbiter.type("Revanche") == [GERMAN.sentence("again_paired")]
    assert not at.again and not arbiter.again


# --- what is not meant ----------------------------------------------------------------------------

_NOT_MEANT = {
    "de": ["Quatsch", "nimm zurück", "so ein Unsinn"],
    "en": ["nonsense", "take it back", "no wait"],
    "nb": ["tull", "ta tilbake", "å nei"],
    "sv": ["nonsens", "ta tillbaka", "å nej"],
    "da": ["vrøvl", "tag tilbage", "åh nej"],
}


@pytest.mark.parametrize("language", _NOT_MEANT)
@pytest.mark.parametrize("training", [True, False])
def test_words_of_regret_begin_a_correction(talk: Talk, language: str, training: bool) -> None:
    at = talk(language=language, training=training)
    move = at.pack.announce(chess.Board(), chess.Move.from_uci("e2e4"))
    for words in _NOT_MEANT[language]:
        if training and at.pack.understand(words, chess.Board()).command is Command.TAKE_BACK:
            continue  # there the move is taken back
        at.type(move)
        assert at.type(words) == [at.pack.sentence("correct_which", move=move)]
        at.type(at.pack.command(Command.NO))
    assert at.table.game.turn.announced == chess.Move.from_uci("e2e4")
    at.type(_NOT_MEANT[language][0])
    at.type(at.pack.announce(chess.Board(), chess.Move.from_uci("d2d4")))
    assert at.table.game.turn.announced == chess.Move.from_uci("d2d4")


def test_an_announced_move_is_the_last_one_that_is_taken_back(talk: Talk) -> None:
    at = talk(training=True)
    play_moves(at.table, "e2e4", "e7e5")
    for before in (2, 0):
        at.table.submit(f.Announce(by="white", move="g1f3"))
        at.type("Zug zurück")
        at.type("ja")
        assert at.table.game.turn.announced is None
        assert len(at.table.game.history) == 2
        if before:
            continue
        at.type("Zug zurück")
        at.type("ja")
        assert not at.table.game.history


def test_a_typed_word_that_asks_for_time_is_answered_by_what_is_due(at: Conversation) -> None:
    at.type("einen Moment")
    assert at.steps_told == ["white"]
    at.hear(Verdict.COMMAND, "einen moment")
    assert at.steps_told == ["white"]  # people talk beside a board
