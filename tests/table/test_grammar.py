"""What each player may say now, and which commands need the opening word."""

from __future__ import annotations

import chess

from blindplay.hearing.decision import Verdict
from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.table.choices import OpeningWord
from blindplay.table.commands import CONFIRMED
from blindplay.table.conversation import Awaited
from tests.table.conversation import GERMAN, Conversation, Talk


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


def test_after_the_game_hardly_anything_is_listened_for(at: Conversation) -> None:
    at.table.submit(f.Resign(by="white"))
    listening = at.dialogue.sayable("white")
    assert listening.boards == ()
    assert CONFIRMED & listening.bare == {Command.SIGN}


def test_what_is_listened_for_is_understood_as_it_was_meant(talk: Talk) -> None:
    at = talk(training=True)
    at.type("Hilfe")
    at.hear(Verdict.ASK, "springer felix drei", "springer hector drei")
    listening = at.dialogue.sayable("white")
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
    listening = at.dialogue.sayable("white")
    assert listening.bare == {Command.CORRECTION, Command.ADJUST}
    phrases = listening.phrases(GERMAN)
    assert "brett zeit" in phrases and "zeit" not in phrases
    assert at.type("Hilfe")[1].startswith("Nach dem Wort Brett können Sie sagen: Zeit")
    at.type("aufgeben")
    assert Command.YES in at.dialogue.sayable("white").bare


def test_one_word_alone_is_talk_where_single_words_need_it(talk: Talk) -> None:
    at = talk(opening_word=OpeningWord.SINGLE)
    phrases = at.dialogue.sayable("white").phrases(GERMAN)
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
