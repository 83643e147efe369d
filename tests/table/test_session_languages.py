"""A table in two languages: what is said, in which voices, and what a page marks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chess
import pytest

from blindplay.hearing.recognisers import open_recognisers
from blindplay.language import load, parts_of
from blindplay.laws.facts import Player
from blindplay.speech.audio import QueueSource, SilentSink, read_audio, read_wav, write_wav
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Output, Speaker
from blindplay.speech.synthesis import Synthesiser
from tests.table.sitting import Sit
from tests.table.speaking import PAUSE, ROOM

MOVE = "Springer Gustav eins Felix drei"


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Synthesiser]:
    """The voice of a table whose messages are in English."""
    with Synthesiser(
        "en",
        cache=tmp_path_factory.mktemp("phrases"),
        spellings=load("en").spoken,
        spellings_of=lambda code: load(code).spoken,
    ) as made:
        yield made


def test_an_english_table_announces_in_a_german_voice(
    sit: Sit, english: Synthesiser, tmp_path: Path
) -> None:
    """What the loudspeaker plays is understood by the German speech model."""
    sink = SilentSink()
    with Speaker(english, sink, sink) as speaker:
        sitting = sit(speaker, language="en", white=Player(impaired=True, language="en"))
        sitting.start()
        sitting.session.typed("white", "knight f3")
        sitting.session.wait_until_said()
        played = [sound.pcm for sound in sink.played]
    german = read_wav(english.render(MOVE, language="de"))[0]
    (at,) = [place for place, pcm in enumerate(played) if pcm == german]
    write_wav(tmp_path / "heard.wav", played[at], read_wav(english.render(MOVE))[1])
    ear = Recogniser(find_model("de"), "de", spellings=load("de").spoken)
    sound = read_audio(tmp_path / "heard.wav")
    assert ear.recognise(sound, load("de").phrases(chess.Board())).words == MOVE.lower()


@pytest.mark.parametrize(
    ("own", "announcing", "move", "command", "answer"),
    [
        ("en", "", MOVE, "how many moves", "No move has been completed"),
        ("de", "en", "Knight Gustav one Felix three", "wie viele Züge", "noch kein Zug"),
    ],
)
def test_one_microphone_hears_announcements_and_the_readers_commands(
    sit: Sit,
    english: Synthesiser,
    own: str,
    announcing: str,
    move: str,
    command: str,
    answer: str,
) -> None:
    white = Player(impaired=True, language=own)
    sitting = sit(language=own, white=white, announce_in=announcing)
    sitting.start()
    microphone, spoken_in = QueueSource(), announcing or "de"
    codes = (spoken_in, own)
    recogniser = open_recognisers([(load(code), find_model(code)) for code in codes])
    sitting.session.attach_microphone("white", microphone, recogniser)
    microphone.push(ROOM + read_audio(english.render(command, language=own)) + PAUSE)
    sitting.shows(answer)
    microphone.push(ROOM + read_audio(english.render(move, language=spoken_in)) + PAUSE)
    sitting.shows(f"said to everybody: {move}")


def test_a_question_to_an_english_player_has_a_german_move_in_it(sit: Sit) -> None:
    sitting = sit(language="en", fen="4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    sitting.start()
    sitting.session.typed("white", "knight d2")
    (said,) = [line for line in sitting.said() if "Bella" in line]
    assert said == "Bella eins or Felix drei?"
    sitting.session.typed("white", "Felix three")
    assert MOVE.replace("Gustav eins Felix drei", "Felix drei David zwei") in sitting.said()


def test_each_player_is_answered_in_their_own_language(sit: Sit) -> None:
    players = {"white": Player(impaired=True, language="en"), "black": Player(language="sv")}
    sitting = sit(time_control="5400", **players)
    sitting.start()
    sitting.said()
    sitting.session.typed("white", "my time")
    sitting.session.typed("black", "min tid")
    english, swedish = sitting.said()
    assert english.startswith("You have one hour") and swedish.startswith("Din tid")
    sitting.session.typed("white", "offer draw")
    sitting.session.typed("white", "yes")
    assert any(line.startswith("Weiß") for line in sitting.said())  # to everybody


def test_a_sentence_marks_the_language_of_each_part(sit: Sit) -> None:
    sitting = sit(language="en", time_control="5400")
    sitting.start()
    told: list[str] = []

    def keep(output: Output, words: str, **_: object) -> None:
        told.append(words)

    sitting.session.desk.say = keep  # type: ignore[method-assign]
    sitting.session.typed("white", "Nf3")
    sitting.session.press("white")
    sitting.session.settle()
    sitting.session.typed("black", "last move")
    assert parts_of(told[-1], "") == (("Last move, White: ", "en"), (f"{MOVE}.", "de"))
