"""Whole conversations, typed and heard: what is asked, what an answer does, what silence means."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.statement import interpret
from blindplay.language import QUESTIONS, Command, languages, load
from blindplay.laws import Fact, Origin, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.rulings import Answer
from blindplay.record import Journal
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.speaker import Output
from blindplay.speech.synthesis import is_words
from blindplay.table import Table
from blindplay.table import effects as e
from blindplay.table.choices import OpeningWord
from blindplay.table.commands import CONFIRMED
from blindplay.table.conversation import ANSWER_SECONDS, Awaited
from blindplay.table.devices import WantedDevices
from blindplay.table.dialogue import Dialogue
from blindplay.table.play import DEFAULT, TableOptions, run
from blindplay.table.questions import UNCLEAR_ANSWERS
from blindplay.wording.announcements import announcements, goes_to_earphone
from tests import ROOT

DE = load("de")
KNIGHTS = "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"
PROMOTION = "8/4P3/8/8/8/8/k7/7K w - - 0 1"


class Conversation:
    """A table, its dialogue, what was said, and a clock that moves when it is told."""

    def __init__(
        self,
        path: Path,
        *,
        training: bool = False,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        language: str = "de",
        **setup: Any,
    ) -> None:
        self.pack = load(language)
        self.now = 0.0
        self.said: list[tuple[Output, str]] = []
        self.rulings: list[Ruling] = []
        self.facts: list[Fact] = []
        self.learned: list[tuple[str, str]] = []
        self.adjusted: list[Command] = []
        self.journal = Journal(path)
        fields: dict[str, Any] = {
            "time_control": "5400",
            "arbiter": "automatic",
            "white": Player(impaired=True, language=language),
            "announce_in": language,
            **setup,
        }
        self.table = Table(
            self.journal, Setup(t=0, **fields), now=lambda: self.now, training=training
        )
        self.speaking = False
        self.dialogue = Dialogue(
            self.table, self.pack, opening_word=opening_word, speaking=lambda: self.speaking
        )
        self.table.listen(self._deliver)
        self.table.submit(f.Start())

    def _say(self, output: Output, words: str) -> None:
        assert is_words(words), words
        self.said.append((output, words))

    def _tell(self, to: str | None, words: str) -> None:
        private = to is not None and goes_to_earphone(self.table.game, to)
        self._say(Output.PRIVATE if private else Output.PUBLIC, words)

    def perform(self, effects: list[e.Effect]) -> None:
        """Do what the dialogue wants, as a session does."""
        for effect in effects:
            match effect:
                case e.Say(to, words):
                    self._tell(to, words)
                case e.SayAgain(to):
                    if self.said:
                        self._tell(to, self.said[-1][1])
                case e.Submit(fact, reports):
                    self.table.submit(fact, Origin("dialogue", reports))
                case e.Ask(side, fact, in_words):
                    for ruling in self.table.submit(fact, Origin("dialogue", (Answer,))):
                        if isinstance(ruling, Answer):
                            self._tell(side, in_words(ruling))
                case e.Learn(_, recognition, phrase):
                    self.learned.append((recognition.words, phrase))
                case e.AdjustVoice():
                    self.adjusted.append(effect.command)
                case e.Relisten():
                    pass

    def _deliver(self, taken: Taken) -> None:
        self.facts.append(taken.fact)
        self.rulings += taken.rulings
        for one in announcements(taken, self.table.game, self.pack):
            self._tell(one.to, one.words)
        self.perform(self.dialogue.taken(taken))

    def type(self, text: str, side: str = "white") -> list[str]:
        """Type a line; what was said then."""
        return self._then(lambda: self.perform(self.dialogue.typed(side, text)))

    def hear(
        self, verdict: Verdict, *phrases: str, side: str = "white", sound: str = ""
    ) -> list[str]:
        """Hear phrases, the likeliest first; what was said then."""
        decision = self.decided(verdict, *phrases, side=side, sound=sound)
        return self._then(lambda: self.perform(self.dialogue.heard(side, decision)))

    def decided(
        self, verdict: Verdict, *phrases: str, side: str = "white", sound: str = ""
    ) -> Decision:
        """What the ear decides about phrases, the likeliest first."""
        heard = Recognition((Hypothesis(sound or (phrases[0] if phrases else ""), 0.0),))
        may = self.dialogue.sayable(side)
        due = None if may.repeats is None else may.repeats[1]
        said = [
            interpret(phrase, may.boards, self.pack, repeated=due, recognition=heard)
            for phrase in phrases
        ]
        certain = verdict in (Verdict.ACCEPT, Verdict.COMMAND, Verdict.ILLEGAL)
        candidates = tuple(Candidate(one, float(n)) for n, one in enumerate(said))
        return Decision(verdict, heard, said[0] if certain else None, candidates)

    def wait(self, seconds: float) -> list[str]:
        def tick() -> None:
            self.now += seconds
            self.perform(self.dialogue.tick())

        return self._then(tick)

    def play(self, *moves: str) -> None:
        for move in moves:
            side = self.table.game.side
            self.table.submit(f.Announce(by=side, move=move))
            for board in self.table.game.tables:
                self.table.submit(f.Make(by=board, move=move))
            self.table.submit(f.Press(by=side))

    def _then(self, act: Callable[[], object]) -> list[str]:
        before = len(self.said)
        act()
        return [words for _, words in self.said[before:]]

    @property
    def announced(self) -> str | None:
        move = self.table.game.turn.announced
        return move.uci() if move else None

    def asked(self, side: str = "white") -> bool:
        return self.dialogue.sayable(side).awaited is Awaited.ANSWER

    def kinds(self) -> list[str]:
        return [fact.kind for fact in self.facts]


@pytest.fixture
def at(tmp_path: Path) -> Conversation:
    return Conversation(tmp_path / "game.jsonl")


# --- an announcement that was heard well ----------------------------------------------------


def test_an_accepted_announcement_is_told_to_everybody_before_the_clock(at: Conversation) -> None:
    assert at.hear(Verdict.ACCEPT, "springer felix drei") == ["Springer Gustav eins Felix drei"]
    assert at.said[-1][0] is Output.PUBLIC
    assert (at.announced, at.table.game.clock.running) == ("g1f3", "white")


def test_a_slip_is_corrected_without_a_question_before_it_is_executed(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_a_correction_that_undoes_what_hands_have_done_needs_a_yes(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.table.submit(f.Make(by="white", move="g1f3"))
    assert at.type("Korrektur Springer Hector drei") == [
        "Berichtigung: Springer Gustav eins Hector drei. Sagen Sie ja oder nein."
    ]
    assert at.announced == "g1f3"
    at.type("ja")
    assert at.announced == "g1h3"


def test_a_correction_is_too_late_when_the_clock_was_pressed_before_the_yes(
    at: Conversation,
) -> None:
    # fide-2023 D.2.8: before the opponent's clock is started.
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.table.submit(f.Make(by="white", move="g1f3"))
    at.type("Korrektur Springer Hector drei")
    at.table.submit(f.Press(by="white"))
    assert at.type("ja") == ["Das ist jetzt nicht möglich."]
    assert "repeat" not in at.kinds()
    assert at.table.game.history[-1].move == chess.Move.from_uci("g1f3")


TOO_LATE = "Zu spät: Eine Ansage wird berichtigt, bevor die Uhr des Gegners läuft."


@pytest.mark.parametrize("text", ["Korrektur Bauer Eva drei", "Korrektur Bauer Eva sechs"])
def test_a_correction_after_the_press_is_told_to_be_too_late(at: Conversation, text: str) -> None:
    """fide-2023 D.2.8; a move of his own or one that only his opponent could make."""
    at.play("e2e4")
    assert at.type(text) == [TOO_LATE]
    assert at.rulings[-1].articles == ("fide-2023 D.2.8",)
    assert (at.announced, "repeat" in at.kinds()) == (None, False)


def test_a_late_correction_at_a_keyboard_for_both_announces_nothing_for_the_opponent(
    at: Conversation,
) -> None:
    """Whoever types there is taken for the player on move, who has not begun his."""
    at.play("e2e4")
    assert at.type("Korrektur Bauer Eva drei", "black") == [TOO_LATE]
    assert (at.rulings[-1].fields["by"], at.table.game.turn.begun) == ("white", False)
    at.type("Korrektur Bauer Eva fünf", "black")  # that is only his
    assert at.announced == "e7e5"


def test_who_corrects_how_he_repeated_is_not_too_late(at: Conversation) -> None:
    at.type("Springer Felix drei")
    assert at.type("Springer Hector drei", "black") == [
        "Die Wiederholung stimmt nicht. Angesagt war: Springer Gustav eins Felix drei."
    ]
    assert at.type("Korrektur Springer Felix drei", "black") == []
    assert at.rulings[-1].kind == "repeated"


def test_a_correction_to_what_hands_have_done_needs_none(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.table.submit(f.Make(by="white", move="g1h3"))
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_an_illegal_announcement_is_answered_with_the_reason(at: Conversation) -> None:
    said = at.hear(Verdict.ILLEGAL, "turm anna eins anna vier")
    assert said == ["Dieser Zug ist nicht erlaubt. Der Weg ist versperrt."]
    assert at.announced is None


def test_the_opponent_repeats_and_the_player_may_repeat_the_opponents_move(
    at: Conversation,
) -> None:
    at.hear(Verdict.ACCEPT, "eva vier")
    at.hear(Verdict.ACCEPT, "bauer eva zwei eva vier", side="black")
    assert at.rulings[-1].kind == "repeated"
    at.play("e2e4")
    at.hear(Verdict.ACCEPT, "bauer eva sieben eva fünf", side="black")
    at.play("e7e5")
    at.hear(Verdict.ACCEPT, "bauer eva sieben eva fünf")
    assert [ruling.kind for ruling in at.rulings if ruling.kind == "repeated"] == ["repeated"] * 2


# --- questions ------------------------------------------------------------------------------


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
    assert {"hector drei", "hector", "felix"} <= at.dialogue.sayable("white").answers
    at.hear(verdict, answer)
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_an_answer_may_be_typed(at: Conversation) -> None:
    at.hear(Verdict.ASK, "eva zwei eva drei", "eva zwei eva vier")
    at.type("Auf Eva 4, bitte")
    assert at.announced is None  # that is not the answer, and no move either: asked again
    at.type("vier")
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
        assert at.hear(Verdict.REFUSE) == ["Springer Gustav eins Felix drei. Richtig?"]
    assert at.hear(Verdict.REFUSE) == ["Abgebrochen."]
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
    for words in ("wie bitte", "Hilfe"):
        assert at.type(words) == ["Springer Gustav eins Felix drei. Richtig?"]


def test_time_is_told_while_a_question_waits(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.type("meine Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    at.type("ja")
    assert at.announced == "g1f3"


def test_silence_means_no_by_itself(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    assert at.wait(ANSWER_SECONDS) == []
    assert at.wait(0.1) == ["Abgebrochen."]
    assert at.wait(60) == []
    at.hear(Verdict.COMMAND, "ja")  # too late
    assert at.announced is None


def test_nobody_is_expected_to_answer_while_we_speak(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.speaking = True
    assert at.wait(ANSWER_SECONDS + 1) == []
    at.speaking = False
    assert at.wait(ANSWER_SECONDS) == []
    assert at.wait(1) == ["Abgebrochen."]


def test_hands_answer_a_question_about_their_move(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei", sound="what was heard")
    at.table.submit(f.Lift(board="white", square="g1"))
    at.table.submit(f.Place(board="white", square="h3"))
    assert (at.announced, at.asked()) == ("g1h3", False)
    assert at.rulings[-1].kind == "made"
    assert at.learned == [("what was heard", "springer hector drei")]


def test_hands_that_do_something_else_answer_nothing(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    at.table.submit(f.Lift(board="white", square="e2"))
    at.table.submit(f.Place(board="white", square="e4"))
    assert at.asked()
    at.type("Hector")
    assert at.rulings[-1].kind != "made"


def test_what_hands_have_done_already_is_not_asked_about(at: Conversation) -> None:
    at.table.submit(f.Lift(board="white", square="g1"))
    at.table.submit(f.Place(board="white", square="h3"))
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    assert (at.announced, at.asked()) == ("g1h3", False)


def test_a_player_without_the_earphone_is_asked_aloud(at: Conversation) -> None:
    at.play("e2e4")
    at.hear(Verdict.ASK, "bauer eva sieben eva fünf", side="black")
    assert at.said[-1] == (Output.PUBLIC, "Bauer Eva sieben Eva fünf. Richtig?")
    at.type("nein", "black")
    at.type("Sf3", "black")
    assert at.said[-1][0] is Output.PUBLIC


def test_who_has_nothing_to_repeat_is_not_listened_to_for_moves(at: Conversation) -> None:
    # Both microphones hear the one who announces.
    for verdict in (Verdict.ACCEPT, Verdict.ILLEGAL, Verdict.REFUSE, Verdict.ASK):
        assert at.hear(verdict, "springer felix drei", side="black") == []
    assert at.kinds() == ["start"]
    at.hear(Verdict.ACCEPT, "springer felix drei")
    assert at.hear(Verdict.REFUSE, "springer", side="black") != []


def test_a_repetition_in_the_movers_microphone_is_not_announced_again(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei")
    for verdict in (Verdict.ACCEPT, Verdict.ASK, Verdict.REFUSE):
        assert at.hear(verdict, "springer felix drei", "springer hector drei") == []
    assert at.kinds().count("announce") == 1
    assert at.type("springer felix drei") == ["Springer Gustav eins Felix drei"]


def test_what_sounds_like_another_announcement_corrects_only_after_a_yes(
    at: Conversation,
) -> None:
    # It may be the opponent's repetition, misheard; who says that he corrects is believed.
    at.hear(Verdict.ACCEPT, "springer felix drei")
    at.hear(Verdict.ACCEPT, "springer hector drei")
    assert (at.announced, at.asked()) == ("g1f3", True)
    at.hear(Verdict.COMMAND, "ja")
    assert at.announced == "g1h3"
    at.hear(Verdict.ACCEPT, "korrektur springer felix drei")
    assert (at.announced, at.asked()) == ("g1f3", False)


def test_what_is_awaited_follows_the_game(at: Conversation) -> None:
    def states() -> list[Awaited]:
        return [at.dialogue.sayable(side).awaited for side in f.SIDES]

    assert states() == [Awaited.ANNOUNCE, Awaited.WAIT]
    at.hear(Verdict.ACCEPT, "eva vier")
    assert states() == [Awaited.EXECUTE, Awaited.REPEAT]
    repeats = at.dialogue.sayable("black").repeats
    assert repeats is not None and repeats[1] == chess.Move.from_uci("e2e4")
    assert at.dialogue.sayable("white").repeats is None
    at.play("e2e4")
    assert states() == [Awaited.WAIT, Awaited.ANNOUNCE]
    repeats = at.dialogue.sayable("black").repeats  # he may not have repeated it yet
    assert repeats is not None and repeats[1] == chess.Move.from_uci("e2e4")
    at.type("aufgeben")
    assert states() == [Awaited.ANSWER, Awaited.ANNOUNCE]
    at.type("ja")
    assert states() == [Awaited.OVER, Awaited.OVER]


def test_a_question_lapses_when_the_move_is_made_in_another_way(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei")
    at.play("e2e4")
    assert not at.asked()
    assert at.wait(60) == []


def test_an_ambiguous_announcement_is_asked_by_its_origin(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", fen=KNIGHTS)
    assert at.type("Springer David zwei") == ["Bella eins oder Felix drei?"]
    at.type("Felix")
    assert at.announced == "f3d2"
    assert [ruling.kind for ruling in at.rulings].count("ambiguous") == 1


def test_what_several_moves_share_is_asked_by_its_origin_when_it_was_heard(
    tmp_path: Path,
) -> None:
    at = Conversation(tmp_path / "game.jsonl", fen=KNIGHTS)
    said = at.hear(Verdict.ASK, "springer david zwei", "springer cäsar drei")
    assert said == ["Bella eins oder Felix drei?"]
    at.hear(Verdict.COMMAND, "felix drei")
    assert at.announced == "f3d2"


def test_castling_without_its_side_is_asked(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", fen="4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
    assert at.type("Rochade") == ["Kurze Rochade oder Lange Rochade?"]
    at.type("lange Rochade")
    assert at.announced == "e1c1"


def test_a_promotion_without_its_piece_is_asked_for_it(tmp_path: Path) -> None:
    # fide-2023 D.2.1: the player must announce the chosen piece.
    at = Conversation(tmp_path / "game.jsonl", fen=PROMOTION)
    said = at.hear(Verdict.ILLEGAL, "bauer eva sieben eva acht")
    assert said == ["Bitte sagen Sie, in welche Figur der Bauer umgewandelt wird."]
    assert at.announced is None
    at.hear(Verdict.COMMAND, "pferd")
    assert at.announced == "e7e8n"


def test_an_illegal_move_may_be_what_was_meant(at: Conversation) -> None:
    at.hear(Verdict.ASK, "bauer eva zwei eva vier", "bauer eva zwei eva fünf")
    said = at.hear(Verdict.COMMAND, "fünf")
    assert said == ["Dieser Zug ist nicht erlaubt. So zieht diese Figur nicht."]
    assert at.announced is None


# --- what changes the game ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "fact"),
    [
        ("ich gebe auf", "resign"),
        ("ich biete Remis an", "offer_draw"),
        ("Zeitüberschreitung", "claim_time"),
        ("Stellungswiederholung", "claim_draw"),
        ("fünfzig Züge", "claim_draw"),
        ("Schiedsrichter", "call_arbiter"),
        ("Pause", "arbiter"),
        ("Hängepartie", "arbiter"),
        ("Gegner kann nicht gewinnen", "claim_draw"),
        ("zusätzliche Bedenkzeit", "request_extra_time"),
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
            assert "Abgebrochen." in (say("nein") if answer else at.wait(ANSWER_SECONDS + 1))
        else:
            say(answer)
            at.type("nein")
        assert not at.asked()
        assert at.kinds() == before
    say(command)
    say("ja")
    assert at.kinds()[len(before)] == fact


def test_saying_it_again_is_no_yes(at: Conversation) -> None:
    at.type("aufgeben")
    assert at.type("ich gebe auf") == ["Wollen Sie wirklich aufgeben? Sagen Sie ja oder nein."]
    assert not at.table.game.over


def test_a_draw_is_accepted_with_a_yes_and_only_when_it_is_offered(at: Conversation) -> None:
    at.play("e2e4", "e7e5")  # before a move of each nothing can be agreed (9.1.1)
    assert at.type("Remis annehmen", "black") == ["Das ist jetzt nicht möglich."]
    at.type("Remis anbieten")
    at.type("ja")
    assert Command.ACCEPT_DRAW in at.dialogue.sayable("black").bare
    assert Command.ACCEPT_DRAW not in at.dialogue.sayable("white").bare
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
        "Dreimalige Stellungswiederholung. Sagen Sie ja, oder nein, oder den Zug, mit dem Sie "
        "reklamieren."
    ]
    said = at.hear(Verdict.ACCEPT, "springer felix drei")
    assert said == [
        "Dreimalige Stellungswiederholung, Springer Gustav eins Felix drei. Sagen Sie ja oder nein."
    ]
    assert at.announced is None
    at.type("ja")
    claim = next(fact for fact in at.facts if isinstance(fact, f.ClaimDraw))
    assert (claim.rule, claim.move) == ("repetition", "g1f3")


def test_a_claim_with_a_move_may_be_typed_at_once(at: Conversation) -> None:
    said = at.type("fünfzig Züge mit Sf3")
    assert said == ["Fünfzig Züge, Springer Gustav eins Felix drei. Sagen Sie ja oder nein."]
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
    assert Command.RESUME in at.dialogue.sayable("black").bare
    at.type("weiter", "black")
    assert at.table.game.clock.running == "white"


def test_the_clocks_are_the_arbiters_where_there_is_one(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", arbiter="present")
    assert at.type("Pause") == ["Die Uhren hält nur der Schiedsrichter an."]
    assert not {Command.PAUSE, Command.RESUME} & at.dialogue.sayable("white").bare
    at.type("Schiedsrichter")
    at.type("ja")
    assert at.table.game.clock.running is None
    assert at.said[-1] == (Output.PUBLIC, "Der Schiedsrichter wird gebraucht.")


def test_a_sealed_move_is_written_and_never_said(at: Conversation) -> None:
    at.type("Hängepartie")
    at.type("ja")
    at.type("Abgabezug Sf3")
    assert (at.table.game.sealed, at.announced) == ("Sf3", None)
    assert not any("Felix" in words for _, words in at.said)
    at.table.submit(f.Press(by="white"))
    assert at.table.game.adjourned


# --- questions to the table -----------------------------------------------------------------


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
        ("wie viele Züge", "Ausgeführte Züge: eins."),
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
        assert at.type(text) == ["Das ist jetzt nicht möglich."]
        assert isinstance(at.facts[-1], f.Query)
    assert not QUESTIONS & at.dialogue.sayable("white").bare


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
def test_in_training_the_position_may_be_asked(tmp_path: Path, text: str, answer: str) -> None:
    at = Conversation(
        tmp_path / "game.jsonl",
        training=True,
        fen="rnbqkbnr/pppp1ppp/8/8/3Pp3/8/1PP1PPPP/RNBQKBNR w KQkq - 0 3",
    )
    if text == "geschlagene Figuren":
        at.play("b2b4", "a7a5", "h2h3", "a5b4")
    assert at.type(text) == [answer]
    assert isinstance(at.facts[-1], f.Query)
    assert at.facts[-1].about == "position"


def test_captured_pieces_are_counted(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", training=True)
    assert at.type("geschlagene Figuren") == ["Es ist noch nichts geschlagen."]
    at.play("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d2", "d1d2")
    assert at.type("geschlagene Figuren") == [
        "Geschlagen: zwei weiße Bauern, schwarze Dame, schwarzer Bauer."
    ]


def test_help_says_what_can_be_said_now_and_more_on_request(at: Conversation) -> None:
    first = at.type("was kann ich sagen")
    assert first[0].startswith("Sagen Sie Ihren Zug an")
    assert first[1].startswith("Sie können sagen: Zeit") and first[1].endswith("Weiter mit: Mehr.")
    assert Command.MORE in at.dialogue.sayable("white").bare
    told = first[1]
    while Command.MORE in at.dialogue.sayable("white").bare:
        told += " " + at.type("mehr")[0]
    assert "Was steht auf" not in told
    for command in at.dialogue.sayable("white").bare - {Command.HELP}:
        assert DE.command(command) in told
    assert at.type("mehr") == ["Das ist jetzt nicht möglich."]
    at.hear(Verdict.ACCEPT, "springer felix drei")
    assert at.type("Hilfe")[0].startswith("Führen Sie den angesagten Zug aus.")
    assert at.type("Hilfe", "black")[0] == "Wiederholen Sie den angesagten Zug."


def test_more_is_listened_for_only_a_while(at: Conversation) -> None:
    at.type("Hilfe")
    at.wait(ANSWER_SECONDS + 1)
    assert Command.MORE not in at.dialogue.sayable("white").bare


def test_commands_for_the_voice_adjust_it(at: Conversation) -> None:
    at.type("lauter")
    at.type("langsamer")
    assert at.adjusted == [Command.LOUDER, Command.SLOWER]


# --- the opening word -----------------------------------------------------------------------


def test_where_it_is_required_a_command_without_the_opening_word_is_talk(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", opening_word=OpeningWord.REQUIRED)
    assert at.hear(Verdict.COMMAND, "ich gebe auf") == []
    assert at.hear(Verdict.COMMAND, "zeit") == []
    assert at.hear(Verdict.ASK, "zeit", "hilfe") != []  # it was no command: not understood
    assert at.hear(Verdict.COMMAND, "brett zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    at.hear(Verdict.COMMAND, "brett ich gebe auf")
    at.hear(Verdict.COMMAND, "ja")  # an answer needs none
    assert at.table.game.over


def test_where_it_is_required_only_what_cannot_wait_is_listened_for_without_it(
    tmp_path: Path,
) -> None:
    at = Conversation(tmp_path / "game.jsonl", opening_word=OpeningWord.REQUIRED)
    listening = at.dialogue.sayable("white")
    assert listening.bare == {Command.CORRECTION, Command.ADJUST}
    phrases = listening.phrases(DE)
    assert "brett zeit" in phrases and "zeit" not in phrases
    assert at.type("Hilfe")[1].startswith("Nach dem Wort Brett können Sie sagen: Zeit")
    at.type("aufgeben")
    assert Command.YES in at.dialogue.sayable("white").bare


def test_one_word_alone_is_talk_where_single_words_need_it(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", opening_word=OpeningWord.SINGLE)
    phrases = at.dialogue.sayable("white").phrases(DE)
    assert "zeit" not in phrases and "korrektur" in phrases
    assert "meine zeit" in phrases and "brett zeit" in phrases
    assert at.hear(Verdict.COMMAND, "zeit") == []
    assert at.hear(Verdict.COMMAND, "brett zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.hear(Verdict.COMMAND, "meine zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.type("Hilfe")[1].startswith("Nach dem Wort Brett können Sie sagen: Zeit")


def test_typed_commands_never_need_it(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", opening_word=OpeningWord.REQUIRED)
    assert at.type("Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]
    assert at.type("Brett, Zeit") == ["Ihre Zeit: eine Stunde dreißig Minuten."]


def test_yes_and_no_are_talk_where_nothing_was_asked(at: Conversation) -> None:
    assert at.hear(Verdict.COMMAND, "ja") == []
    assert at.hear(Verdict.COMMAND, "nein") == []
    assert at.hear(Verdict.NOTHING) == []
    assert at.kinds() == ["start"]


def test_what_is_listened_for_is_understood_as_it_was_meant(tmp_path: Path) -> None:
    at = Conversation(tmp_path / "game.jsonl", training=True)
    at.type("Hilfe")
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    listening = at.dialogue.sayable("white")
    commands = listening.bare | listening.opened
    for phrase in set(listening.phrases(DE)) - listening.answers:
        assert DE.understand(phrase, chess.Board()).command in commands, phrase


def test_after_the_game_hardly_anything_is_listened_for(at: Conversation) -> None:
    at.table.submit(f.Resign(by="white"))
    listening = at.dialogue.sayable("white")
    assert listening.boards == ()
    assert not CONFIRMED & listening.bare


# --- what is learned ------------------------------------------------------------------------


def test_the_answer_to_a_question_is_learned(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei", sound="what was heard")
    at.hear(Verdict.COMMAND, "hector")
    assert at.learned == [("what was heard", "springer hector drei")]


def test_what_is_said_after_a_no_is_learned_if_it_differs_in_one_thing(at: Conversation) -> None:
    at.hear(Verdict.ASK, "springer felix drei", sound="first")
    at.hear(Verdict.COMMAND, "nein")
    at.hear(Verdict.ACCEPT, "springer hector drei", sound="second")
    assert at.learned == [("first", "springer hector drei")]


def test_a_correction_is_learned_if_it_differs_in_one_thing(at: Conversation) -> None:
    at.hear(Verdict.ACCEPT, "springer felix drei", sound="first")
    at.hear(Verdict.ACCEPT, "korrektur springer hector drei", sound="second")
    assert at.learned == [("first", "springer hector drei")]
    at.hear(Verdict.ACCEPT, "korrektur bauer eva zwei eva vier", sound="third")
    assert len(at.learned) == 1  # he has changed his mind


def test_nothing_is_learned_from_keys_or_from_a_yes_to_a_command(at: Conversation) -> None:
    at.type("Springer Felix drei")
    at.type("Korrektur Springer Hector drei")
    at.hear(Verdict.COMMAND, "remis anbieten")
    at.hear(Verdict.COMMAND, "ja")
    assert at.learned == []


# --- whatever is said -----------------------------------------------------------------------

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


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(events=st.lists(EVENTS, max_size=25), needed=st.sampled_from(list(OpeningWord)))
def test_without_a_yes_nothing_ends_or_changes_the_game(
    events: list[Any], needed: OpeningWord, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("talk") / "game.jsonl"
    at = Conversation(path, opening_word=needed, time_control="-")
    try:
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
    finally:
        at.journal.close()


CHANGING = (f.Resign, f.OfferDraw, f.AcceptDraw, f.DeclineDraw, f.ClaimDraw, f.ClaimTime,
            f.CallArbiter, f.RequestExtraTime, f.Arbiter)  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
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
    at = Conversation(tmp_path_factory.mktemp("talk") / "game.jsonl", training=training)
    offered = False
    try:
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
    finally:
        at.journal.close()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    candidates=st.lists(st.sampled_from(PHRASES), min_size=1, max_size=5),
    answers=st.lists(st.sampled_from(PHRASES), max_size=3),
)
def test_what_was_only_asked_about_is_never_played_without_an_answer_that_names_it(
    candidates: list[str], answers: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    at = Conversation(tmp_path_factory.mktemp("talk") / "game.jsonl")
    try:
        at.hear(Verdict.ASK, *candidates)
        assert at.announced is None
        for answer in answers:
            at.hear(Verdict.REFUSE if answer == "quatsch" else Verdict.ASK, answer)
            assert at.announced is None
        at.wait(ANSWER_SECONDS + 1)
        assert at.announced is None
    finally:
        at.journal.close()


# --- every language -------------------------------------------------------------------------


@pytest.mark.parametrize("language", languages())
def test_every_question_about_the_position_is_answered_in_words(
    tmp_path: Path, language: str
) -> None:
    at = Conversation(tmp_path / "game.jsonl", training=True, language=language)
    at.play("e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d2", "d1d2")
    answers = set()
    for phrase in at.pack.command_phrases(QUESTIONS):
        (answer,) = at.type(phrase)
        answers.add(answer)
    # Squares, ranks, files, attackers; of pieces each kind in three ways, and all of a colour.
    assert len(answers) >= 64 + 8 + 8 + 64 + 3 * 6 + 2


@pytest.mark.parametrize("language", languages())
def test_every_command_is_answered_in_words_and_asks_first_if_it_must(
    tmp_path: Path, language: str
) -> None:
    for command in sorted(CONFIRMED, key=list(Command).index):
        at = Conversation(tmp_path / f"{command.value}.jsonl", language=language)
        at.play("e2e4", "e7e5")
        at.table.submit(f.OfferDraw(by="black"))
        before = at.kinds()
        assert at.type(at.pack.command(command))
        assert at.asked() and at.kinds() == before
        assert at.type(at.pack.command(Command.NO))
        at.type(at.pack.command(command))
        at.type(at.pack.command(Command.YES))
        assert len(at.kinds()) > len(before)
        at.journal.close()
    at = Conversation(tmp_path / "rest.jsonl", language=language)
    for command in set(Command) - CONFIRMED:
        at.type(at.pack.command(command))
    assert not at.table.game.over


@pytest.mark.parametrize("language", languages())
def test_questions_are_asked_and_answered_in_every_language(tmp_path: Path, language: str) -> None:
    at = Conversation(tmp_path / "game.jsonl", fen=KNIGHTS, language=language)
    moves = [chess.Move.from_uci(move) for move in ("b1d2", "f3d2")]
    spoken_moves = [at.pack.announce(at.table.game.board, move).lower() for move in moves]
    (question,) = at.hear(Verdict.ASK, *spoken_moves)
    assert all(at.pack.square(move.from_square) in question for move in moves)
    at.type(at.pack.square(chess.F3))
    assert at.announced == "f3d2"


# --- the documentation ----------------------------------------------------------------------


def test_what_is_written_about_talking_is_understood() -> None:
    text = (ROOT / "docs" / "talking.md").read_text("utf-8")
    table = [line.split("|")[1] for line in text.splitlines() if line.startswith("| *")]
    training = text[text.index("## Training") :]
    phrases = [p for part in (*table, training) for p in re.findall(r"\*([^*`]+)\*", part)]
    commands = {DE.understand(phrase, chess.Board()).command for phrase in phrases}
    assert None not in commands
    # All commands are there, but for those that the text around the table tells of.
    told = {Command.YES, Command.NO, Command.HELP, Command.MORE, Command.CORRECTION, Command.SEAL}
    assert commands == set(Command) - told


# --- at the keyboard ------------------------------------------------------------------------


def played(path: Path, lines: str, *, manner: TableOptions = DEFAULT, **setup: Any) -> str:
    """What ``blindplay play`` prints when these lines are typed."""
    out = io.StringIO()
    fields: dict[str, Any] = {"white": Player(impaired=True), "arbiter": "automatic", **setup}
    run(
        path,
        Setup(t=0, time_control="5400", **fields),
        WantedDevices(microphone="none", silent=True),
        iter(lines.strip().splitlines(keepends=True)),
        out,
        manner,
    )
    return out.getvalue()


def test_a_game_is_resigned_by_a_typed_yes(tmp_path: Path) -> None:
    text = played(tmp_path / "game.jsonl", "start\naufgeben\nZeit\nquit")
    assert "game over" not in text
    text = played(tmp_path / "other.jsonl", "start\naufgeben\nja\n")
    assert "Wollen Sie wirklich aufgeben? Sagen Sie ja oder nein." in text
    assert "ruled game over: result 0-1; reason resignation" in text


def test_what_was_asked_for_is_executed_when_it_is_answered(tmp_path: Path) -> None:
    # Where a board has no sensors, typing a move executes it: so does the answer.
    text = played(tmp_path / "game.jsonl", "start\nSpringer David zwei\nBella\nquit", fen=KNIGHTS)
    assert "said privately: Bella eins oder Felix drei?" in text
    assert "Nicht eindeutig" not in text
    assert "ruled made: by white; move b1d2" in text


def test_the_keyboards_help_is_in_the_language_of_the_table(tmp_path: Path) -> None:
    text = played(tmp_path / "game.jsonl", "quit")
    assert DE.printed("keyboard") in text


@pytest.mark.parametrize("training", [True, False])
def test_the_position_is_told_in_training_only(tmp_path: Path, training: bool) -> None:
    text = played(
        tmp_path / "game.jsonl",
        "start\nwas steht auf e2\nquit",
        manner=TableOptions(training=training),
    )
    assert ("said privately: Eva zwei: weißer Bauer." in text) is training
    assert ("said privately: Das ist jetzt nicht möglich." in text) is not training
    assert "ruled refused: by white; what query; why not_during_play" in text


def test_how_to_ask_for_help_is_said_when_the_game_begins(tmp_path: Path) -> None:
    needed = TableOptions(opening_word=OpeningWord.REQUIRED)
    text = played(tmp_path / "game.jsonl", "start\nquit", manner=needed)
    assert "said privately: Nach dem Wort Brett können Sie sagen: Hilfe." in text


# --- when something was begun -----------------------------------------------------------------


def _spoken(at: Conversation, verdict: Verdict, phrase: str, begun: int, awaited: bool) -> None:
    decision = at.decided(verdict, phrase)
    at.perform(at.dialogue.heard("white", decision, begun=begun, awaited=awaited))


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
    assert at.said[-1][1] == "Abgebrochen."


def test_words_that_repeat_a_capture_and_could_recapture_are_the_repetition(
    at: Conversation,
) -> None:
    at.play("e2e4", "e7e5", "g1f3", "g8f6", "b1c3", "f6e4")
    at.hear(Verdict.ACCEPT, "springer schlägt eva vier")
    assert at.announced is None
    assert at.kinds()[-1] == "repeat"
    # Once it was repeated, the same words are his own move.
    at.hear(Verdict.ACCEPT, "springer schlägt eva vier")
    assert at.announced == "c3e4"


def test_who_types_does_not_repeat(at: Conversation) -> None:
    at.play("e2e4", "d7d5")
    at.type("Bauer schlägt David fünf")
    assert at.announced == "e4d5"
