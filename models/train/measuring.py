"""Say what ``python -m benchmarks voice`` measures in voices that trained nothing, and keep it as
recordings.

    python -m models.train.measuring LANGUAGE FOLDER [--count N] [--others N] [--without KIND,…]

espeak's voices are left out, because the benchmark speaks in them itself. Measure with:
python -m benchmarks voice --recordings FOLDER.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks import corpus
from blindplay.hearing.script import ScriptLine
from blindplay.language import load
from blindplay.speech.audio import write_wav
from models.train.phrases import Phrase, Phrases
from models.train.pronounce import fold, speaker
from models.train.synthesis import cut
from models.train.voices import Voice, VoiceError, engine, voices

COUNT = 400
_TOGETHER = 100
"""Utterances between two reports."""


def unheard(language: str, without: Sequence[str]) -> list[Voice]:
    """Return the voices, each with its speakers that trained nothing, without those of espeak.

    :raises VoiceError: if there is none.
    """
    there = [voice for voice in voices(language) if voice.engine != "espeak"]
    found = [replace(voice, unheard=voice.speakers) for voice in there if voice.kind in without]
    found += [voice for voice in there if voice.unheard and voice.kind not in without]
    if not found:
        raise VoiceError(f"Every voice of {language!r} trains; leave one out with --without.")
    return found


@dataclass(frozen=True)
class Planned:
    """What a speaker of a voice is going to say: ``line`` in phones."""

    line: ScriptLine
    voice: Voice
    speaker: str
    phrase: Phrase


def plan(
    lines: Sequence[ScriptLine], language: str, without: Sequence[str], chance: random.Random
) -> list[Planned]:
    """Return the lines in random voices that trained nothing, without those that have a sound that
    no voice has.

    :raises VoiceError: if there is no such voice.
    """
    spell = speaker({"en": "en-us"}.get(language, language))
    chosen = [(voice, name) for voice in unheard(language, without) for name in voice.unheard]
    phrases = {v.name: Phrases(language, v.sounds.keys(), chance) for v, _ in chosen}
    planned = []
    for line in lines:
        for voice, name in chance.sample(chosen, len(chosen)):
            phrase = phrases[voice.name].of(
                line.words, lambda word: tuple(fold(spell(word), language))
            )
            if voice.sounds.keys() >= {*phrase.phones}:
                planned.append(Planned(line, voice, name, phrase))
                break
    return planned


def record(
    language: str, folder: Path, count: int, others: int, without: Sequence[str], seed: int
) -> Iterator[str]:
    """Write recordings of ``count`` moves and ``others`` of each other kind into ``folder``, with
    their ``index.jsonl``. Yield a sentence now and then, and at the end.

    :raises VoiceError: if a voice is missing.
    """
    chance = random.Random(f"{seed} measuring")
    lines = corpus.lines(load(language), count, others, chance)
    planned = plan(lines, language, without, chance)
    folder.mkdir(parents=True, exist_ok=True)
    written = 0
    with (folder / "index.jsonl").open("w", encoding="utf-8") as index:
        for name, voice in {one.voice.name: one.voice for one in planned}.items():
            speaks = engine(voice.engine, seed)
            its = [one for one in planned if one.voice.name == name]
            for first in range(0, len(its), _TOGETHER):
                some = its[first : first + _TOGETHER]
                said = speaks.say(voice, [(one.speaker, one.phrase) for one in some], chance)
                for one, (whole, rate) in zip(some, said, strict=True):
                    if (sound := cut(whole, rate)) is None:
                        continue
                    written += 1
                    file = f"{written:05}.wav"
                    write_wav(folder / file, sound.tobytes())
                    entry = {"file": file, "speaker": f"{voice.kind} {one.speaker}"}
                    entry |= {"language": language, "words": one.line.words, "fen": one.line.fen}
                    index.write(json.dumps(entry, ensure_ascii=False) + "\n")
                yield f"{written} of {len(lines)} utterances."
    yield f"{written} recordings in {folder}; no voice could say {len(lines) - written} utterances."


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
