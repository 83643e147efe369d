"""Announcements with strong foreign accents: voices of MBROLA say our words in their own sounds.

``accents.toml`` has what they say instead of a sound that they lack. MBROLA and its voices are
Debian packages (``mbrola``, ``mbrola-pl1`` …); nothing of them is part of BlindPlay.
"""

import json
import math
import random
import shutil
import struct
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import corpus
from blindplay.hearing.script import ScriptLine, UtteranceKind
from blindplay.language import Language, lexicon
from blindplay.speech.adaptation.sounds import is_vowel
from blindplay.speech.audio import RATE, read_audio, write_wav
from models.train import pronounce

VOICES = Path("/usr/share/mbrola")
"""Where Debian keeps MBROLA's voices."""
_SILENCE = "_"
_SHORT_MS, _LONG_MS, _CONSONANT_MS = 85, 130, 75
_BETWEEN_MS = 12
"""The silence between two phones which the voice cannot join."""


@dataclass(frozen=True)
class AccentedVoice:
    """A voice of MBROLA: its file, its ``pitch`` in Hz, and the pairs of phones that it has."""

    file: Path
    pitch: float
    pairs: frozenset[tuple[str, str]]

    @cached_property
    def phones(self) -> frozenset[str]:
        """Return its phones that are sounds of their own."""
        without = _data()["without"].get(self.file.name, "").split()
        return frozenset(phone for pair in self.pairs for phone in pair).difference(without)


def voice(file: Path) -> AccentedVoice:
    """Return the voice in this file.

    :raises ValueError: if it is none.
    """
    data = file.read_bytes()
    if not data.startswith(b"MBROLA"):
        raise ValueError(f"{file} is no voice of MBROLA.")
    # The magic word, the version, and how many pairs, as numbers with the lowest byte first.
    count, rate, period = struct.unpack_from("<11xh10xhB", data)
    at = 27
    pairs = set()
    for _ in range(count):
        left, right, _rest = data[at : at + 40].split(b"\0", 2)
        pairs.add((left.decode("latin-1"), right.decode("latin-1")))
        at += len(left) + len(right) + 6
    return AccentedVoice(file, rate / period, frozenset(pairs))


def voices(half: str) -> list[str]:
    """Return the names of the voices that are "fitted" or "measured"."""
    return list(_data()["voices"][half])


@cache
def _data() -> dict[str, dict[str, Any]]:
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def spoken(line: ScriptLine, pack: Language, chance: random.Random) -> list[Sequence[str]]:
    """Return a pronunciation of each word of the line: that of espeak if the lexicon has none."""
    known = lexicon(pack.code)
    words: list[Sequence[str]] = []
    for word in line.tokens:
        variants = known.words.get(word) or known.fillers.get(word)
        if variants is None:
            words.append(pronounce.fold(_espeak(pack.code)(word), pack.code))
        else:
            likely = [math.exp(-cost) for cost in variants.values()]
            words.append(chance.choices(list(variants), likely)[0])
    return words


@cache
def _espeak(code: str) -> Callable[[str], list[str]]:
    return pronounce.speaker({"en": "en-us"}.get(code, code))


def score(said: Sequence[Sequence[str]], by: AccentedVoice, chance: random.Random) -> str:
    """Return what MBROLA reads: phones with their milliseconds, and the pitch in Hz at points."""
    pitch, speed = by.pitch * chance.uniform(0.85, 1.2), chance.uniform(0.8, 1.25)
    lines, last = [f"{_SILENCE} 80 0 {pitch:.0f}"], _SILENCE
    for number, word in enumerate(said):
        pitch *= chance.uniform(0.94, 1.01)
        stressed = True
        for sound in word:
            vowel = is_vowel(sound)
            long = vowel and (sound.endswith(":") or number == len(said) - 1)
            length = (_LONG_MS if long else _SHORT_MS) if vowel else _CONSONANT_MS
            high = pitch * (1.12 if vowel and stressed else 1.0)
            stressed = stressed and not vowel
            phones = _phones(sound, last, by)
            for phone in phones:
                if (last, phone) not in by.pairs and last != _SILENCE:
                    lines.append(f"{_SILENCE} {_BETWEEN_MS}")
                ms = length * speed * chance.uniform(0.85, 1.15) / max(1, 0.7 * len(phones))
                lines.append(f"{phone} {ms:.0f} 50 {high:.0f}")
                last = phone
        if chance.random() < 0.15:
            lines.append(f"{_SILENCE} {chance.randint(40, 150)}")
            last = _SILENCE
    return "\n".join([*lines, f"{_SILENCE} 80"]) + "\n"


def _phones(sound: str, last: str, by: AccentedVoice) -> list[str]:
    """Return what the voice says after the phone ``last`` instead of a sound: the first alternative
    that it can join, or else the first; nothing if nothing is like the sound."""
    known = by.phones
    alternatives = [
        [phone for phone in text.split() if phone != "-"]
        for text in _data()["sounds"].get(sound, sound).split("|")
    ]
    possible = [phones for phones in alternatives if known.issuperset(phones)]
    joined = (one for one in possible if by.pairs.issuperset(pairwise([last, *one])))
    return next(joined, possible[0] if possible else [])


def say(pack: Language, names: Sequence[str], count: int, folder: Path, seed: int) -> Iterator[str]:
    """Write recordings to a new folder of ``folder`` for each voice, and yield a line about each:
    ``count`` announcements of all voices together, half as many illegal ones and as much talk, and
    commands.

    :raises ValueError: in one sentence, if MBROLA or a voice is missing.
    """
    program = shutil.which("mbrola")
    if program is None:
        raise ValueError("MBROLA is missing; on Debian: apt-get install mbrola mbrola-pl1 …")
    if missing := [name for name in names if not (VOICES / name / name).is_file()]:
        raise ValueError(f"There is no voice {missing[0]} of MBROLA in {VOICES}.")
    chance = random.Random(f"{seed} {pack.code} accents")
    lines = corpus.lines(pack, count, count // 2, chance)
    for at, name in enumerate(names):
        own, by = folder / f"{pack.code}-{name}", voice(VOICES / name / name)
        own.mkdir(parents=True)
        entries = []
        for number, line in enumerate(lines[at :: len(names)]):
            read = score(spoken(line, pack, chance), by, chance)
            pcm = _rendered(program, read, by, chance)
            file = own / f"{number}.wav"
            write_wav(file, pcm)
            words = None if line.what is UtteranceKind.TALK else line.words
            entry = {"file": file.name, "speaker": name, "language": pack.code, "words": words}
            entries.append(json.dumps({**entry, "fen": line.fen}, ensure_ascii=False) + "\n")
        (own / "index.jsonl").write_text("".join(entries), "utf-8")
        yield f"{own}: {len(entries)} utterances."


def _rendered(program: str, text: str, by: AccentedVoice, chance: random.Random) -> bytes:
    """Return 16-bit sound at RATE: the voice of another person, whose vocal tract is another."""
    with tempfile.TemporaryDirectory() as made:
        file = Path(made) / "said.wav"
        command = [program, "-e", str(by.file), "-", str(file)]
        subprocess.run(command, input=text.encode("latin-1"), check=True, capture_output=True)
        return read_audio(file, round(RATE * chance.uniform(0.9, 1.1)))
