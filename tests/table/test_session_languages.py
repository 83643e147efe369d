"""A table in two languages: what is said, in which voices, and what a page marks."""

from __future__ import annotations

from collections.abc import Iterator

import chess
import pytest

from blindplay.language import load, parts_of
from blindplay.laws.facts import Player
from blindplay.speech.audio import RATE, SilentSink, read_wav
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from tests.table.sitting import Sit

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


def test_an_english_table_announces_in_a_german_voice(sit: Sit, english: Synthesiser) -> None:
    """What the loudspeaker plays is understood by the German speech model."""
    sink = SilentSink()
    with Speaker(english, sink, sink) as speaker:
        sitting = sit(speaker, language="en", white=Player(impaired=True, language="en"))
        sitting.start()
        sitting.session.typed("white", "knight f3")
        sitting.session.wait_until_said()
        played = [sound.pcm for sound in sink.played]
    announced = read_wav(english.render(MOVE, language="de"))[0]
    assert announced in played
    german = Recogniser(find_model("de"), "de", spellings=load("de").spoken)
    sound = _at_rate(announced, read_wav(english.render(MOVE, language="de"))[1])
    heard = german.recognise(sound, load("de").phrases(chess.Board()))
    assert heard.words == MOVE.lower()


def _at_rate(pcm: bytes, rate: int) -> bytes:
    import numpy as np

    samples = np.frombuffer(pcm, "<i2").astype(float)
    places = np.arange(0, len(samples), rate / RATE)
    return bytes(np.interp(places, np.arange(len(samples)), samples).astype("<i2"))


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

    def keep(to: str | None, words: str, *, remember: bool = True) -> None:
        told.append(words)

    sitting.session.desk.tell = keep  # type: ignore[method-assign]
    sitting.session.typed("white", "nf3")
    sitting.session.press("white")
    sitting.session.settle()
    sitting.session.typed("black", "last move")
    assert parts_of(told[-1], "") == (("Last move, White: ", "en"), (f"{MOVE}.", "de"))
