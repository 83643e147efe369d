"""Words from real speech, inside and outside of the closed grammar."""

from pathlib import Path

import numpy as np
import pytest

from blindplay.speech.audio import RATE
from blindplay.speech.confidence import MAX_ONSET_DELAY_S
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recogniser, VocabularyError
from tests.speech.conftest import COMMANDS, MOVES, ROOM, Spoken, taken


@pytest.mark.parametrize("voice", ["de", "de+f2", "de+m3", "de+f4"])
def test_spoken_moves_are_heard_as_spoken(
    recogniser: Recogniser, spoken: Spoken, voice: str
) -> None:
    heard = {
        move: taken(recogniser.recognise(spoken(move, voice), MOVES + COMMANDS), MOVES)
        for move in MOVES
    }
    wrong = {said: got for said, got in heard.items() if got not in (said, None)}
    right = sum(said == got for said, got in heard.items())
    assert not wrong
    assert right >= len(MOVES) - 1


def test_square_tokens_come_back_as_plain_words(recogniser: Recogniser, spoken: Spoken) -> None:
    recognition = recogniser.recognise(spoken("springer gustav eins felix drei"), MOVES)
    assert recognition.words == "springer gustav eins felix drei"
    assert all(
        "_" not in a.words and "[unk]" not in a.words.split()[:1] for a in recognition.hypotheses
    )
    scores = [a.score for a in recognition.hypotheses]
    assert scores == sorted(scores, reverse=True)


def test_adjacent_words_become_the_square_tokens_the_model_has(recogniser: Recogniser) -> None:
    assert recogniser.tokens(["Springer  Gustav eins Felix drei", "uhr"]) == {
        "springer gustav_eins felix_drei": "Springer  Gustav eins Felix drei",
        "uhr": "uhr",
    }


def test_a_phrase_in_other_spelling_comes_back_as_it_was_given(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    phrases = ["Springer Bella eins Cesar drei", "Bauer Hektor zwei Hektor vier"]
    for phrase, said in zip(
        phrases, ["springer bella eins cäsar drei", "bauer hektor zwei hektor vier"], strict=True
    ):
        assert taken(recogniser.recognise(spoken(said), phrases), phrases) == phrase


def test_words_the_model_lacks_are_named_not_dropped(recogniser: Recogniser) -> None:
    phrases = ["springer zeppelin drei", "uhr", "xylofon"]
    assert recogniser.unknown_words(phrases) == ["xylofon", "zeppelin"]
    assert recogniser.known_phrases(phrases) == ["uhr"]
    with pytest.raises(VocabularyError, match="xylofon, zeppelin"):
        recogniser.recognise(ROOM, phrases)


@pytest.mark.parametrize("voice", ["de", "de+f2", "de+m3"])
@pytest.mark.parametrize("decibels", [-96, -15])
def test_the_onset_delay_shows_a_first_word_that_was_not_heard(
    recogniser: Recogniser, spoken: Spoken, voice: str, decibels: int
) -> None:
    move = "eva eins david zwei"
    for said, lost in ((f"dame {move}", True), (f"springer {move}", True), (move, False)):
        sound = np.concatenate([np.zeros(RATE // 2), np.frombuffer(spoken(said, voice), "<i2")])
        room = np.random.default_rng(1).normal(0, 3000 * 10 ** (decibels / 20), len(sound))
        recognition = recogniser.recognise((sound + room).astype("<i2").tobytes(), [move])
        delay = next(one.onset_delay_s for one in recognition.hypotheses if one.words == move)
        assert (delay > MAX_ONSET_DELAY_S) is lost, (said, delay)


def test_silence_and_room_noise_are_no_move(recogniser: Recogniser) -> None:
    for sound in (b"", bytes(2 * RATE), ROOM * 2):
        assert taken(recogniser.recognise(sound, MOVES + COMMANDS), MOVES) is None


def test_another_move_than_the_listed_ones_is_not_taken_for_a_command(
    recogniser: Recogniser, spoken: Spoken
) -> None:
    recognition = recogniser.recognise(spoken("turm david fünf hector fünf"), MOVES + COMMANDS)
    assert taken(recognition, MOVES + COMMANDS) is None


def test_a_folder_without_a_model_is_an_error_not_the_end(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        Recogniser(tmp_path, "de")


def test_a_sharp_s_stays_one(recogniser: Recogniser, spoken: Spoken) -> None:
    phrases = ["große rochade", "kleine rochade"]
    assert recogniser.unknown_words(phrases) == []
    assert taken(recogniser.recognise(spoken("große Rochade"), phrases), phrases) == phrases[0]
