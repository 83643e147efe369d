"""Words from sound with an ONNX network, and what it makes of the same sound as Vosk."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import chess
import numpy as np
import pytest

from blindplay import language
from blindplay.hearing.decision import Verdict
from blindplay.hearing.ear import Ear
from blindplay.hearing.recognisers import open_recogniser
from blindplay.speech.audio import MemorySource
from blindplay.speech.ctc.recogniser import CtcRecogniser
from blindplay.speech.ensemble import Ensemble
from blindplay.speech.listener import Listener
from blindplay.speech.models.folders import ModelError
from blindplay.speech.recogniser import Recogniser, VocabularyError
from models.train.export import read
from models.train.network import Network
from models.train.twin import write_twin
from tests import ROOT
from tests.speech.conftest import COMMANDS, MOVES, ROOM, Spoken, taken
from tests.speech.ctc.networks import echo, sound, spelled
from tests.waiting import PATIENCE_S

BUILT_IN = ROOT / "models" / "de"


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> CtcRecogniser:
    """Return a recogniser whose network writes what the sound says letter by letter."""
    folder = echo(tmp_path_factory.mktemp("echo"))
    words = ["turm", "dame", "eva", "anna", "eins", "zwei"]
    return CtcRecogniser(folder, "de", spellings={"remis": "remie"}, words=words, threads=1)


def test_expected_phrases_win_and_other_words_and_talk_are_readings(reader: CtcRecogniser) -> None:
    found = reader.recognise(sound(spelled("turm eva eins")), ["Turm Eva eins", "turm eva zwei"])
    assert found.words == "Turm Eva eins"
    assert found.hypotheses[0].score == pytest.approx(len("turmevaeins"), abs=0.1)
    assert any(one.words == "" and one.score == 0.0 for one in found.hypotheses)
    found = reader.recognise(sound(spelled("dame anna zwei")), ["turm eva eins"])
    assert found.words == "dame anna zwei", "in no phrase, but in words that it knows"
    found = reader.recognise(sound(spelled("hörprobe")), ["turm eva eins", "dame"])
    assert found.words == "" and found.hypotheses[0].unknown_edges == 1


def test_talk_before_or_after_a_phrase_is_an_edge_of_it(reader: CtcRecogniser) -> None:
    for said, edges in (("dame", 0), ("öh dame", 1), ("öh dame bitte", 2)):
        (first, *_) = reader.recognise(sound(spelled(said)), ["dame", "turm"]).hypotheses
        assert (first.words, first.unknown_edges) == ("dame", edges)


def test_a_word_may_be_written_as_it_sounds(reader: CtcRecogniser) -> None:
    assert reader.recognise(sound(spelled("remie")), ["remis", "turm"]).words == "remis"


def test_silence_is_no_hypothesis_and_a_knock_runs_no_network(reader: CtcRecogniser) -> None:
    assert reader.recognise(sound(np.eye(1, 32).repeat(500, 0) * 20), ["dame"]).hypotheses == ()
    assert reader.recognise(bytes(100), ["dame"]).hypotheses == ()


def test_words_that_it_cannot_spell_are_named_not_dropped(reader: CtcRecogniser) -> None:
    phrases = ["turm eva", "b2 frei", "шах"]
    assert reader.unknown_words(phrases) == ["b2", "шах"]
    assert reader.known_phrases(phrases) == ["turm eva"]
    with pytest.raises(VocabularyError, match="b2, шах"):
        reader.start(phrases)


def test_a_network_that_is_too_slow_has_no_vote(twin: Path) -> None:
    with pytest.raises(ModelError, match=r"needs .* seconds for 5 seconds of sound .* smaller"):
        CtcRecogniser(twin, "de", longest_s=0.0)
    lost: list[str] = []
    pack = language.load("de")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CtcRecogniser.__init__, "__kwdefaults__", SLOW)
        left = open_recogniser(pack, twin, BUILT_IN, lost=lost.append)
    assert left.folders == (BUILT_IN,) and "The others listen without it" in lost[0]


SLOW = {**(CtcRecogniser.__init__.__kwdefaults__ or {}), "longest_s": 0.0}


def test_a_network_that_fails_drops_out_and_the_others_go_on(
    tmp_path: Path, recogniser: Recogniser, spoken: Spoken
) -> None:
    broken = CtcRecogniser(echo(tmp_path, power=0.5), "de", threads=1)
    lost: list[str] = []
    both = Ensemble([broken, recogniser])
    both.watch(lost.append, lost.append)
    # A network of this kind can only take whole frames.
    said = spoken(MOVES[0])
    assert both.recognise(said[: len(said) // 64 * 64], MOVES).words == MOVES[0]
    assert len(lost) == 1 and str(tmp_path) in lost[0]
    assert both.folders == recogniser.folders


# ------------------------------------------------------------------ the twin of a Vosk model


def test_the_twin_gives_what_the_network_of_the_vosk_model_gives(twin: Path) -> None:
    from blindplay.speech.ctc.network import CtcNetwork
    from models.train.export import HANDICAP
    from models.train.features import mfcc

    noise = np.random.default_rng(4).normal(0, 3000, 32_000).astype("<i2")
    wanted = read(BUILT_IN)(mfcc(noise))
    found = CtcNetwork(twin, threads=1).logits(noise.tobytes())
    np.testing.assert_allclose(found[:, 1:], wanted[:, 1:], atol=1e-3)
    np.testing.assert_allclose(found[:, 0], wanted[:, 0] - HANDICAP, atol=1e-3)


@pytest.fixture(scope="module")
def pair(twin: Path) -> tuple[CtcRecogniser, Recogniser]:
    pack = language.load("de")
    ours, vosks = open_recogniser(pack, twin), open_recogniser(pack, BUILT_IN)
    assert isinstance(ours, CtcRecogniser) and isinstance(vosks, Recogniser)
    return ours, vosks


@pytest.mark.parametrize(
    ("said", "voice"),
    [
        ("springer gustav eins felix drei", "de"),
        ("springer bella eins anna drei", "de+f2"),
        ("bauer eva zwei eva vier", "de+m3"),
        ("bauer david zwei david drei", "de"),
        ("wiederholen", "de+f4"),
        ("ich gebe auf", "de"),
        ("springer felix eins gustav drei", "de"),  # illegal
        ("turm anna eins anna drei", "de+f2"),  # illegal
    ],
)
def test_the_twin_ranks_readings_as_its_vosk_model_does(
    said: str, voice: str, pair: tuple[CtcRecogniser, Recogniser], spoken: Spoken
) -> None:
    pcm, phrases = ROOM + spoken(said, voice) + ROOM, MOVES + COMMANDS
    ours, vosks = (one.recognise(pcm, phrases) for one in pair)
    assert vosks.words == said
    # The twin hears a breath of one voice as a word of talk.
    assert ours.words.removeprefix("hm ") == said
    assert taken(ours, phrases) == taken(vosks, phrases)
    # What both have thought of, and what Vosk tells clearly apart, is in the same order.
    scores = {one.words: one.score for one in reversed(ours.hypotheses)}
    common = [one for one in vosks.hypotheses if one.words in scores]
    for better in common:
        for worse in common:
            if better.score > worse.score + 8:
                assert scores[better.words] > scores[worse.words], (better, worse)


def test_an_ear_hears_moves_commands_and_illegal_moves_with_the_twin(
    twin: Path, spoken: Spoken
) -> None:
    ear, board = Ear(language.load("de"), [twin]), chess.Board()
    move = ear.hear(ROOM + spoken("springer gustav eins felix drei"), board)
    assert move.verdict is Verdict.ACCEPT and move.phrase == "springer gustav eins felix drei"
    command = ear.hear(ROOM + spoken("ich gebe auf"), board)
    assert command.likeliest is not None and command.likeliest.text == "ich gebe auf"
    illegal = ear.hear(ROOM + spoken("springer gustav eins eva fünf"), board)
    assert illegal.verdict is not Verdict.ACCEPT
    talk = ear.hear(ROOM + spoken("gestern waren wir lange im garten"), board)
    assert talk.verdict is Verdict.NOTHING


def test_the_twin_and_a_vosk_model_vote_together(twin: Path, spoken: Spoken) -> None:
    ear, board = Ear(language.load("de"), [BUILT_IN, twin]), chess.Board()
    heard = ear.hear(ROOM + spoken("bauer eva zwei eva vier"), board)
    assert heard.recognition.words == "bauer eva zwei eva vier"
    assert all(part.words == "bauer eva zwei eva vier" for part in heard.recognition.by_model)


def test_a_listener_hears_with_a_network_alone(
    pair: tuple[CtcRecogniser, Recogniser], spoken: Spoken
) -> None:
    said = ["bauer eva zwei eva vier", "ich gebe auf"]
    pause = ROOM * 2
    sound_of_all = b"".join(pause + spoken(one) for one in said) + pause
    heard: list[str] = []
    listener = Listener(
        pair[0], MemorySource(sound_of_all), lambda one: heard.append(one.words),
        phrases=MOVES + COMMANDS,
    )  # fmt: skip
    with listener:
        assert listener.wait(PATIENCE_S)
    assert heard == said


@pytest.mark.parametrize("sharpness", [0.1, 1.0, 20.0])
def test_a_network_that_has_learned_nothing_is_never_believed(
    sharpness: float, tmp_path: Path, spoken: Spoken
) -> None:
    """Weights at random, with flat and with sharp outputs, which are as sure as they are wrong."""
    network = Network.random(read(BUILT_IN).phones, seed=1)
    sharper = dataclasses.replace(network, last=network.last * np.float32(sharpness))
    write_twin(sharper, "de", tmp_path)
    ear, board = Ear(language.load("de"), [tmp_path]), chess.Board()
    for said in ("springer gustav eins felix drei", "eva vier", "wie geht es dir"):
        assert ear.hear(spoken(said), board).taken is None
