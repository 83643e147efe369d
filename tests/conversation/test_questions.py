"""What is asked, what an answer does, and what silence means."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest

from blindplay.conversation.converse import UNCLEAR_ANSWERS, converse
from blindplay.conversation.effects import Effect, Relisten, Say, TellStep
from blindplay.conversation.state import (
    ANSWER_SECONDS,
    Event,
    HeardUtterance,
    SecondPassed,
    Situation,
    Talks,
    TypedLine,
)
from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import Command, languages
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.speaker import Output
from blindplay.wording.pack_words import PackWords
from blindplay.wording.readers import Readers
from tests.conversation.conversing import GERMAN, KNIGHTS, PROMOTION, Conversation, Talk


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("hector drei", Verdict.ACCEPT),
        ("hector", Verdict.COMMAND),
        ("springer hector drei", Verdict.ACCEPT),
        ("springer gustav eins hector drei", Verdict.ACCEPT),
    ],
)
def test_two_that_differ_in_one_thing_are_asked_by_it(
    at: Conversation, answer: str, verdict: Verdict
) -> None:
    assert at.hear(Verdict.ASK, "springer felix drei", "springer hector drei") == [
        "Felix drei oder Hector drei?"
    ]
    assert at.said[-1][0] is Output.PRIVATE
    assert at.table.game.turn.announced is None
    assert {"hector drei", "hector", "felix"} <= at.talking.sayable("white").answers
    at.hear(verdict, answer)
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_an_answer_may_be_typed(at: Conversation) -> None:
    at.hear(Verdict.ASK, "eva zwei eva drei", "eva zwei eva vier")
    at.type("hinauf")
    assert at.announced is None  # that is not the answer, and no move either: asked again
    at.type("Auf Eva 4, bitte")
    assert at.announced == "e2e4"


def test_those_that_differ_in_more_are_read_back_the_likeliest_first(at: Conversation) -> None:
    said = at.hear(Verdict.ASK, "springer felix drei", "bauer eva zwei eva vier")
    assert said == ["Springer Gustav eins Felix drei. Richtig?"]
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "g1f3"


def test_what_was_asked_counts_as_begun_so_that_a_press_is_only_too_early(
    at: Conversation,
) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.table.submit(f.Press(by="white"))
    assert at.rulings[-1].kind == "not_made"
    assert "not_understood" in [ruling.kind for ruling in at.rulings]
    assert "Nicht verstanden. Bitte wiederholen Sie." not in [words for _, words in at.said]


def test_no_is_answered_by_saying_it_again_and_the_refused_is_not_offered_again(
    at: Conversation,
) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.hear(Verdict.COMMAND, "nein") == ["Bitte wiederholen Sie."]
    assert at.hear(Verdict.ASK, "springer felix drei", "springer hector drei") == [
        "Springer Gustav eins Hector drei. Richtig?"
    ]


def test_what_was_refused_is_offered_again_only_when_it_is_said_twice(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.hear(Verdict.COMMAND, "nein")
    assert at.hear(Verdict.ACCEPT, "springer felix drei") == ["Bitte wiederholen Sie."]
    assert at.announced is None
    assert at.hear(Verdict.ACCEPT, "springer nach felix drei") == [
        "Springer Gustav eins Felix drei. Richtig?"
    ]
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "g1f3"


def test_what_was_refused_may_be_said_in_the_next_move(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.hear(Verdict.COMMAND, "nein")
    at.play("e2e4", "e7e5")
    at.hear(Verdict.ACCEPT, "springer felix drei")
    assert at.announced == "g1f3"


def test_no_and_the_right_move_in_one_breath(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.type("nein, Springer Hector drei")
    assert at.announced == "g1h3"
    assert "g1f3" not in [ruling.fields.get("move") for ruling in at.rulings]


def test_another_move_said_while_asked_is_taken_instead(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    at.hear(Verdict.ACCEPT, "eva zwei eva vier")
    assert (at.announced, at.asked()) == ("e2e4", False)


def test_an_unclear_answer_is_asked_again_and_then_means_no(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    for _ in range(UNCLEAR_ANSWERS):
        assert at.hear(Verdict.REFUSE) == ["Ja oder nein?"]
    assert at.hear(Verdict.REFUSE) == [GERMAN.sentence("cancelled")]
    assert not (at.announced or at.asked())


def test_a_yes_that_was_not_clear_is_no_yes(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.hear(Verdict.ASK, "ja", "nein")
    at.hear(Verdict.ASK, "ja")
    assert at.announced is None
    at.type("aufgeben")
    at.hear(Verdict.ASK, "ja")
    assert not at.table.game.over


def test_an_answer_that_leaves_fewer_is_asked_about_these(at: Conversation) -> None:
    first = at.hear(
        Verdict.ASK, "eva zwei eva vier", "cäsar zwei cäsar vier", "gustav zwei gustav vier"
    )
    assert first == ["Bauer Eva zwei Eva vier. Richtig?"]  # they differ in both squares
    at.type("nein")
    first = at.hear(Verdict.ASK, "eva vier", "cäsar vier", "gustav vier")
    assert first == ["Cäsar vier oder Gustav vier?"]  # e2e4 was refused
    assert at.hear(Verdict.ASK, "gustav", "gustav vier") == [
        "Bauer Gustav zwei Gustav vier. Richtig?"
    ]
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "g2g4"


def test_a_doubtful_answer_that_names_one_of_two_is_read_back(at: Conversation) -> None:
    at.hear(Verdict.ASK, "eva zwei eva vier", "eva zwei eva drei")
    assert at.hear(Verdict.REFUSE, "vier") == ["Bauer Eva zwei Eva vier. Richtig?"]
    assert at.announced is None
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "e2e4"


def test_a_yes_to_either_or_is_asked_again(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    assert at.hear(Verdict.COMMAND, "ja") == ["Felix drei oder Hector drei?"]
    assert at.announced is None


def test_a_question_is_repeated_on_request(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.type("wie bitte") == ["Springer Gustav eins Felix drei. Richtig?"]


def test_time_is_told_while_a_question_waits(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.type("meine Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    at.type("ja")
    assert at.announced == "g1f3"


def test_silence_means_no_by_itself(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.wait(ANSWER_SECONDS) == []
    assert at.wait(0.1) == [GERMAN.sentence("cancelled")]
    assert at.wait(60) == []
    at.hear(Verdict.COMMAND, "ja")  # too late
    assert at.announced is None


def test_nobody_is_expected_to_answer_while_we_speak(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.speaking = True
    assert at.wait(ANSWER_SECONDS + 1) == []
    at.speaking = False
    assert at.wait(ANSWER_SECONDS) == []
    assert at.wait(1) == [GERMAN.sentence("cancelled")]


def test_a_player_without_the_earphone_is_asked_aloud(at: Conversation) -> None:
    at.play("e2e4")
    at.hear(Verdict.ASK, "bauer eva sieben eva fünf", side="black")
    assert at.said[-1] == (Output.PUBLIC, "Bauer Eva sieben Eva fünf. Richtig?")
    at.type("nein", "black")
    at.type("Sf3", "black")
    assert at.said[-1][0] is Output.PUBLIC


def test_a_question_lapses_when_the_move_is_made_in_another_way(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.play("e2e4")
    assert not at.asked()
    assert at.wait(60) == []


# --- what an announcement left open ---------------------------------------------------------------


def test_an_ambiguous_announcement_is_asked_by_its_origin(talk: Talk) -> None:
    at = talk(fen=KNIGHTS)
    assert at.type("Springer David zwei") == ["Bella eins oder Felix drei?"]
    at.type("Felix")
    assert at.announced == "f3d2"
    assert [ruling.kind for ruling in at.rulings].count("ambiguous") == 1


def test_what_several_moves_share_is_asked_by_its_origin_when_it_was_heard(
    talk: Talk,
) -> None:
    at = talk(fen=KNIGHTS)
    said = at.hear(Verdict.ASK, "springer david zwei", "springer cäsar drei")
    assert said == ["Bella eins oder Felix drei?"]
    at.hear(Verdict.COMMAND, "felix drei")
    assert at.announced == "f3d2"


def test_castling_without_its_side_is_asked(talk: Talk) -> None:
    at = talk(fen="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert at.type("Rochade") == ["Kurze Rochade oder Lange Rochade?"]
    at.type("lange Rochade")
    assert at.announced == "e1c1"


@pytest.mark.parametrize("answer", ["kurz", "die kurze", "Kurze Rochade", "die kleine bitte"])
def test_which_castling_is_answered_by_whatever_names_one(talk: Talk, answer: str) -> None:
    at = talk(fen="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    at.type("Rochade")
    at.type(answer)
    assert at.announced == "e1g1"


def test_a_castling_that_only_one_reading_fits_is_no_question(talk: Talk) -> None:
    at = talk(fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert at.type("Rochade") == ["Kurze Rochade"]
    assert (at.announced, at.asked()) == ("e1g1", False)
    at = talk(fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    # The ear may have lost "lange", so what is heard is read back.
    assert at.hear(Verdict.ASK, "rochade") == ["Kurze Rochade. Richtig?"]
    at.type("stimmt")
    assert at.announced == "e1g1"


def test_a_move_that_only_the_touched_piece_can_make_is_no_question(talk: Talk) -> None:
    """4.3: the touched knight must be moved."""
    at = talk(fen=KNIGHTS)
    at.table.submit(f.Position(board="white", placement=at.table.game.position.board_fen()))
    at.table.submit(f.Lift(board="white", square="f3"))
    at.type("Springer David zwei")
    assert (at.announced, at.asked()) == ("f3d2", False)


def test_a_promotion_without_its_piece_is_asked_for_it(talk: Talk) -> None:
    # fide-2023 D.2.1: the player must announce the chosen piece.
    at = talk(fen=PROMOTION)
    said = at.hear(Verdict.ILLEGAL, "bauer eva sieben eva acht")
    assert said == ["In welche Figur wird der Bauer umgewandelt?"]
    assert at.announced is None
    at.hear(Verdict.COMMAND, "pferd")
    assert at.announced == "e7e8n"


@pytest.mark.parametrize("answer", ["Dame", "die Dame", "zur Dame bitte", "Umwandlung in Dame"])
def test_the_promotion_is_answered_by_whatever_names_its_piece(talk: Talk, answer: str) -> None:
    at = talk(fen=PROMOTION)
    at.type("e8")
    at.type(answer)
    assert at.announced == "e7e8q"


def test_an_illegal_move_may_be_what_was_meant(at: Conversation) -> None:
    at.hear(Verdict.ASK, "bauer eva zwei eva vier", "bauer eva zwei eva fünf")
    said = at.hear(Verdict.COMMAND, "fünf")
    assert said == ["Dieser Zug ist regelwidrig. So zieht diese Figur nicht."]
    assert at.announced is None


@pytest.mark.parametrize("language", languages())
def test_questions_are_asked_and_answered_in_every_language(talk: Talk, language: str) -> None:
    at = talk(fen=KNIGHTS, language=language)
    moves = [chess.Move.from_uci(move) for move in ("b1d2", "f3d2")]
    spoken_moves = [at.pack.announce(at.table.game.board, move).lower() for move in moves]
    (question,) = at.hear(Verdict.ASK, *spoken_moves)
    assert all(at.pack.square(move.from_square) in question for move in moves)
    at.type(at.pack.square(chess.F3))
    assert at.announced == "f3d2"


# --- how long a question waits ------------------------------------------------------------------


LATE = ANSWER_SECONDS * 1000
CANCELLED = [Say("white", GERMAN.sentence("cancelled"), fleeting=True), Relisten()]


class Waiting:
    """White was asked about a move when the game began; the clock stands at 0 s. No table."""

    def __init__(self) -> None:
        self.game = Game(PackWords())
        for fact in (f.Setup(t=0, white=Player(impaired=True)), f.Start(t=1)):
            self.game.apply(fact)
        heard = Recognition((Hypothesis("springer felix drei", 0.0),))
        said = interpret("springer felix drei", [chess.Board()], GERMAN, recognition=heard)
        asks = Decision(Verdict.ASK, heard, None, (Candidate(said, 0.0),))
        self.talks = Talks()
        self.asked = self.at(0, HeardUtterance("white", asks))

    def at(self, now: int, event: Event, *, speaking: bool = False) -> list[Effect]:
        about = Situation(
            self.game,
            Readers(self.game, GERMAN),
            now,
            lambda fact: self.game.preview(replace(fact, t=max(now, self.game.t))),
            speaking=speaking,
        )
        self.talks, effects = converse(self.talks, event, about)
        return effects

    def passed(self, now: int, *, speaking: bool = False) -> list[Effect]:
        return self.at(now, SecondPassed(), speaking=speaking)


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


def test_a_question_expires_once_and_means_no(waiting: Waiting) -> None:
    assert Say("white", "Springer Gustav eins Felix drei. Richtig?", fleeting=True) in waiting.asked
    assert waiting.passed(LATE) == []
    assert waiting.talks.white.question is not None
    assert waiting.passed(LATE + 1) == CANCELLED
    assert waiting.talks.white.question is None
    assert waiting.passed(2 * LATE) == []


def test_waiting_anew_moves_the_end_but_not_when_it_was_asked(waiting: Waiting) -> None:
    waiting.passed(10_000, speaking=True)
    question = waiting.talks.white.question
    assert question is not None and (question.asked, question.since) == (0, 10_000)
    assert waiting.passed(LATE + 10_000) == []
    assert waiting.passed(LATE + 10_001) == CANCELLED


def test_a_question_that_was_asked_again_waits_anew(waiting: Waiting) -> None:
    waiting.at(10_000, TypedLine("white", "Kartoffelsalat"))
    assert waiting.passed(LATE + 10_000) == []
    assert waiting.passed(LATE + 10_001) == CANCELLED


def test_no_question_is_open_after_the_game(waiting: Waiting) -> None:
    waiting.game.apply(f.Resign(t=2, by="white"))
    assert waiting.passed(LATE + 1) == []
    assert waiting.talks.white.question is None


def test_an_answer_that_comes_a_little_too_late_is_told_so(waiting: Waiting) -> None:
    waiting.passed(LATE + 1)
    late = Say("white", GERMAN.sentence("question_lapsed"), fleeting=True)
    assert waiting.at(LATE + 5_000, TypedLine("white", "ja")) == [late, TellStep("white")]
    nothing = Say("white", GERMAN.sentence("refused_no_question"))
    assert waiting.at(3 * LATE, TypedLine("white", "ja")) == [nothing, TellStep("white")]


@pytest.mark.parametrize("language", languages())
def test_a_yes_and_a_no_may_be_typed_in_many_words(talk: Talk, language: str) -> None:
    at = talk(language=language)
    for word in (at.pack.command(Command.NO), *at.pack.typed("no")):
        at.type(at.pack.command(Command.RESIGN))
        assert at.type(word) == [at.pack.sentence("cancelled")]
    for word in at.pack.typed("yes"):
        with talk(language=language) as other:
            other.type(at.pack.command(Command.RESIGN))
            other.type(word)
            assert other.table.game.over


def test_the_answers_that_people_give_are_taken(at: Conversation) -> None:
    for word, cancels in (("doch nicht", True), ("ja bitte", False)):
        at.type("Remis anbieten")
        assert (at.type(word) == [GERMAN.sentence("cancelled")]) is cancels
    assert "white" in at.table.game.offers
