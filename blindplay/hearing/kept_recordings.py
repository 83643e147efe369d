"""A folder of recordings: WAV files, and an ``index.jsonl`` that says what each of them is.

``python -m benchmarks voice --recordings`` reads it. Each recording is on the disk before the next
one is asked for. Recordings that an interruption cut off are skipped.
"""

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blindplay.given import BATCH, read_bytes
from blindplay.own_files import to_disk
from blindplay.speech.audio import read_audio, write_wav

INDEX = "index.jsonl"


@dataclass(frozen=True)
class SpeakerRecording:
    """A player's answer to the prompt ``words``, in the position ``fen`` if any: mono 16-bit PCM at
    16 kHz. ``apart``: it is judged by, and never learned from. ``doubted``: the models took it for
    something else, each time."""

    words: str
    fen: str | None
    pcm: bytes
    apart: bool = False
    doubted: bool = False


def add(place: Path, recording: SpeakerRecording, *, speaker: str, language: str) -> None:
    """Keep a recording of ``speaker`` in the folder ``place``.

    :raises OSError:
    """
    taken = [int(file.stem) for file in place.glob("*.wav") if file.stem.isdecimal()]
    name = f"{max(taken, default=0) + 1:03}.wav"
    write_wav(place / name, recording.pcm)
    to_disk(place / name)
    entry = entry_of(recording, name, speaker=speaker, language=language)
    with (place / INDEX).open("ab+") as index:
        index.seek(max(0, index.seek(0, os.SEEK_END) - 1))
        torn = index.read(1) not in (b"", b"\n")
        index.write(b"\n" * torn + json.dumps(entry).encode() + b"\n")
    to_disk(place / INDEX)


def entry_of(
    recording: SpeakerRecording, file: str, *, speaker: str, language: str
) -> dict[str, object]:
    """Return what an index says of a recording in this file."""
    return {
        "file": file,
        "speaker": speaker,
        "language": language,
        "words": recording.words,
        **({} if recording.fen is None else {"fen": recording.fen}),
        **{key: True for key in ("apart", "doubted") if getattr(recording, key)},
    }


def lines(place: Path) -> list[str]:
    """Return the lines of an index; none if it cannot be read."""
    with contextlib.suppress(ValueError):
        return read_bytes(place / INDEX, BATCH).decode("utf-8").splitlines()
    return []


def read(place: Path) -> Iterator[SpeakerRecording]:
    """Yield the recordings in a folder, without what cannot be read."""
    for line in lines(place):
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            entry = json.loads(line)
            words, fen = str(entry["words"]), entry.get("fen")
            sound = read_audio(place / Path(str(entry["file"])).name)
            apart, doubted = bool(entry.get("apart")), bool(entry.get("doubted"))
            placed = None if fen is None else str(fen)
            yield SpeakerRecording(words, placed, sound, apart, doubted)
