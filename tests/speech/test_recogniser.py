"""Words from real speech, inside and outside of the closed grammar."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from blindplay.speech import recogniser as module
from blindplay.speech.audio import RATE
from blindplay.speech.confidence import MAX_ONSET_DELAY_S
from blindplay.speech.models.folders import ModelError, find_model
from blindplay.speech.recogniser import Bigram, Recogniser, VocabularyError, plain_path
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


SQUARES = ["gustav_eins", "felix_drei", "eva_zwei", "eva_vier", "hector_drei"]


def test_costs_are_those_of_counted_pairs_and_of_backing_off() -> None:
    model = Bigram(["a b", "a c"])
    # Counted: a twice, b and c once, the end twice: six words; after a: b or c.
    first, other, end = math.log(6), math.log(12), math.log(6)
    after_a = math.log(4)
    assert model.cost(["a", "b"]) == pytest.approx(first + after_a + math.log(2))
    assert model.cost(["b", "a"]) == pytest.approx(other + math.log(2) + first + math.log(2) + end)
    assert model.cost(["d"]) == math.inf


@pytest.mark.parametrize("said", ["springer gustav eins felix drei", "bauer eva zwei eva vier"])
def test_without_the_language_model_two_grammars_give_the_same_score(spoken, said) -> None:  # type: ignore[no-untyped-def]
    import vosk

    vosk.SetLogLevel(-1)
    model = vosk.Model(str(find_model("de")))
    loop = ["springer", "bauer", *SQUARES]
    pairs = [f"{a} {b}" for a in loop for b in SQUARES]
    tokens = said.replace("gustav eins", "gustav_eins").replace("felix drei", "felix_drei")
    tokens = tokens.replace("eva zwei", "eva_zwei").replace("eva vier", "eva_vier")
    told, scores = [], []
    for items in (loop, pairs, [tokens]):
        kaldi = vosk.KaldiRecognizer(model, 16000.0, json.dumps(items, ensure_ascii=False))
        kaldi.SetMaxAlternatives(3)
        kaldi.AcceptWaveform(spoken(said))
        best = json.loads(kaldi.FinalResult())["alternatives"][0]
        assert best["text"] == tokens
        told.append(best["confidence"])
        scores.append(best["confidence"] + Bigram(items).cost(tokens.split()))
    # The pruning of the search still makes a difference.
    assert max(told) - min(told) > 5
    assert max(scores) - min(scores) < 1


LONG, SHORT = Path("C:\\Users\\Jürgen\\de"), "C:\\Users\\JRGEN~1\\de"


def on_windows(monkeypatch: pytest.MonkeyPatch, short: str) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(module, "_short_path", lambda path: short)


def test_a_folder_that_is_not_ascii_has_its_short_path_on_windows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert plain_path(LONG) == str(LONG)
    on_windows(monkeypatch, SHORT)
    assert plain_path(LONG) == SHORT
    assert plain_path(Path("C:\\models\\de")) == "C:\\models\\de"


def test_without_a_short_path_one_sentence_says_where_to_move_the_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on_windows(monkeypatch, str(LONG))
    with pytest.raises(ModelError, match=r"^Vosk cannot open .*Jürgen.*; move the model"):
        plain_path(LONG)


def test_vosk_loads_a_model_by_its_short_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = tmp_path / "jürgen"
    link.symlink_to(find_model("de"))
    opened: list[str] = []

    class Vosk:
        KaldiRecognizer = None

        def Model(self, path: str) -> object:  # noqa: N802
            opened.append(path)
            return Vosk()

    monkeypatch.setattr("blindplay.speech.recogniser._vosk", Vosk)
    on_windows(monkeypatch, SHORT)
    Recogniser(link, "de")
    assert opened == [SHORT]
