"""Say what `blindplay bench voice` measures in voices that trained nothing, and keep it as
recordings.

    python -m models.train.measuring LANGUAGE FOLDER [--count N] [--others N] [--without KIND,…]

espeak's voices are left out, because the benchmark speaks in them itself. Measure with: blindplay
bench voice --recordings FOLDER.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from blindplay.hearing.evaluation import corpus
from blindplay.language import load
from blindplay.speech.audio import write_wav
from models.train.phrases import Phrases
from models.train.pronounce import fold, speaker
from models.train.synthesis import cut
from models.train.voices import Voice, VoiceError, engine, voices

COUNT = 400


def unheard(language: str, without: Sequence[str]) -> list[Voice]:
    """Return the voices, each with its speakers that trained nothing, without those of espeak.

    Raises VoiceError if there is none.
    """
    there = [voice for voice in voices(language) if voice.engine != "espeak"]
    found = [replace(voice, unheard=voice.speakers) for voice in there if voice.kind in without]
    found += [voice for voice in there if voice.unheard and voice.kind not in without]
    if not found:
        raise VoiceError(f"Every voice of {language!r} trains; leave one out with --without.")
    return found


@dataclass(frozen=True)
class Said:
    """An utterance as a speaker has said it, at 16 kHz."""

    speaker: str
    sound: npt.NDArray[np.int16]


def speakers(
    language: str, without: Sequence[str], chance: random.Random, seed: int
) -> Callable[[str], Said | None]:
    """Return a function that says words in a random voice; None if no voice has their sounds.

    Raises VoiceError if a voice is missing.
    """
    spell = speaker({"en": "en-us"}.get(language, language))
    chosen = [(voice, name) for voice in unheard(language, without) for name in voice.unheard]
    engines = {name: engine(name, seed) for name in {voice.engine for voice, _ in chosen}}
    phrases = {v.name: Phrases(language, v.sounds.keys(), chance) for v, _ in chosen}

    def say(words: str) -> Said | None:
        for voice, name in chance.sample(chosen, len(chosen)):
            phrase = phrases[voice.name].of(words, lambda word: tuple(fold(spell(word), language)))
            if voice.sounds.keys() >= {*phrase.phones}:
                said, rate = engines[voice.engine].say(voice, name, phrase, chance)
                if (sound := cut(said, rate)) is not None:
                    return Said(f"{voice.kind} {name}", sound)
        return None

    return say


def record(
    language: str, folder: Path, count: int, others: int, without: Sequence[str], seed: int
) -> Iterator[str]:
    """Write recordings of ``count`` moves and ``others`` of each other kind into ``folder``, with
    their ``index.jsonl``. Yield a sentence now and then, and at the end.

    Raises VoiceError if a voice is missing.
    """
    chance = random.Random(f"{seed} measuring")
    lines = corpus.lines(load(language), count, others, chance)
    said = speakers(language, without, chance, seed)
    unsaid = 0
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "index.jsonl").open("w", encoding="utf-8") as index:
        for number, line in enumerate(lines, 1):
            if (by := said(line.words)) is None:
                unsaid += 1
                continue
            file = f"{number:05}.wav"
            write_wav(folder / file, by.sound.tobytes())
            entry = {"file": file, "speaker": by.speaker, "language": language}
            entry |= {"words": line.words, "fen": line.fen}
            index.write(json.dumps(entry, ensure_ascii=False) + "\n")
            if number % 100 == 0:
                yield f"{number} of {len(lines)} utterances."
    yield f"{len(lines) - unsaid} recordings in {folder}; no voice could say {unsaid} utterances."


def main(arguments: Sequence[str]) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m models.train.measuring", description=__doc__)
    parser.add_argument("language", help="code of a language pack with pronunciations")
    parser.add_argument("folder", type=Path, help="where the recordings go")
    parser.add_argument("--count", type=int, default=COUNT, help="how many moves")
    parser.add_argument("--others", type=int, default=COUNT // 2, help="illegal moves, other talk")
    parser.add_argument("--without", default="", help="kinds of voices that did not train: joe")
    parser.add_argument("--seed", type=int, default=1, help="other moves, other voices")
    given = parser.parse_args(arguments)
    left_out = tuple(filter(None, given.without.split(",")))
    try:
        for told in record(
            given.language, given.folder, given.count, given.others, left_out, given.seed
        ):
            print(told, flush=True)
    except (ValueError, OSError) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main(sys.argv[1:])
