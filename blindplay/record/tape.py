"""The tape (D.2.7): every utterance at the table, kept with its time and its ply.

A tape is a folder with one FLAC file per utterance. The tags of the file hold the time, the ply,
the speaker and the words. There is no index that could disagree with the files. A file gets its
name only when all of it is on the disk; a killed process leaves at most one file called ``.part``,
which is not played. Any player of sound files plays the folder in order.
"""

import functools
import hashlib
import io
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.given import SOUND, read_bytes, reason_of
from blindplay.language import MixedText
from blindplay.translation import UserError

from .files import beside, write_new

_NAME = re.compile(r"(\d{6})-ply-\d+-\w+\.flac", re.ASCII)
# Opus allows only a few rates; no speech synthesiser needs more than 24 kHz.
EXPORT_RATE = 24_000
"""Samples per second of :func:`write_sound`."""
_MOST_FRAMES = 48_000 * 900  # a quarter of an hour: a damaged header may claim any number
_EXPORTS = {
    ".flac": ("FLAC", "PCM_16"),
    ".mp3": ("MP3", "MPEG_LAYER_III"),
    ".opus": ("OGG", "OPUS"),
    ".wav": ("WAV", "PCM_16"),
}


class TapeError(UserError):
    """A tape that cannot be written, or that holds nothing to play; the message says what to do."""


@dataclass(frozen=True)
class Recording:
    """One utterance: ``t`` milliseconds since the table was set up, the ply that was being played
    (1 is the first of the game), the speaker ("table", "white" or "black"), the words, the file."""

    number: int
    t: int
    ply: int
    by: str
    words: str
    path: Path


def tape_folder(journal: Path) -> Path:
    """The folder of the tape of the game in ``journal``: ``game.jsonl`` has ``game.tape``."""
    return beside(journal, ".tape")


def is_recording(path: Path) -> bool:
    """Return whether a file in a tape's folder is part of the tape, whole or not."""
    return _NAME.fullmatch(path.name.removesuffix(".part")) is not None


class Tape:
    """The tape in a folder. Safe to use from several threads of one process."""

    def __init__(self, folder: Path, *, create: bool = True) -> None:
        """Open the tape in ``folder``.

        :raises TapeError: if there is no such folder, or (``create``) it cannot be created.
        """
        _library()
        self.folder = folder
        self._lock = threading.Lock()
        if create:
            try:
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # voices are private
            except OSError as error:
                raise TapeError(
                    "The tape {folder} cannot be made ({reason}); choose another place "
                    "for the journal, beside which it lies.",
                    folder=folder,
                    reason=reason_of(error),
                ) from None
        elif not folder.is_dir():
            raise TapeError(
                "There is no tape at {folder}; a game has one if it was played with --tape.",
                folder=folder,
            )
        self._last = max((number for number, _ in self._files()), default=0)

    def keep(self, pcm: bytes, rate: int, *, t: int, ply: int, by: str, words: str) -> Recording:
        """Add mono 16-bit ``pcm`` of ``rate`` Hz; it is on the disk when this returns.

        :raises TapeError: if it could not be written (a full disk, a folder that is gone).
        """
        tags: dict[str, Any] = {"t": t, "ply": ply, "by": by}
        if isinstance(words, MixedText):
            tags["parts"] = words.parts
        sound = _encoded(pcm, rate, "FLAC", "PCM_16", title=words, comment=json.dumps(tags))
        with self._lock:
            number = self._last + 1
            path = self.folder / f"{number:06}-ply-{ply}-{by}.flac"
            try:
                write_new(path, sound)
            except OSError as error:
                raise TapeError(
                    "The tape {folder} cannot be written ({reason}); make room on the "
                    "disk, and keep the scoresheet by hand meanwhile.",
                    folder=self.folder,
                    reason=reason_of(error),
                ) from None
            self._last = number
        return Recording(number, t, ply, by, words, path)

    def recordings(self) -> list[Recording]:
        """Everything on the tape, in order, except damaged files; see :meth:`damaged`."""
        return [recording for _, path in self._files() if (recording := _read(path)) is not None]

    def damaged(self) -> list[Path]:
        """The files of the tape that no longer hold all that was recorded."""
        return [path for _, path in self._files() if _read(path) is None]

    def from_ply(self, ply: int) -> list[Recording]:
        """The recordings from ``ply`` on.

        If moves were taken back, the tape holds a ply more than once; the recordings begin at the
        last time that the game reached it. From ply 1 on, these are all recordings.

        :raises TapeError: if there are none from ``ply`` on, or none that can be played.
        """
        everything = self.recordings()
        if not everything:
            raise TapeError(
                "There is nothing on the tape {folder} that can be played; go by the scoresheets.",
                folder=self.folder,
            )
        before = [at for at, recording in enumerate(everything) if recording.ply < ply]
        rest = everything[before[-1] + 1 :] if before else everything
        if not rest:
            raise TapeError("The tape ends before that move; name an earlier one.")
        return rest

    def _files(self) -> Iterator[tuple[int, Path]]:
        for path in sorted(self.folder.iterdir()):
            if match := _NAME.fullmatch(path.name):
                yield int(match[1]), path


def write_sound(path: Path, pcm: bytes, **tags: str) -> None:
    """Write mono 16-bit ``pcm`` of :data:`EXPORT_RATE` Hz to a .flac, .mp3, .opus or .wav file,
    with these ``tags``, such as a title.

    :raises TapeError: for another kind of file, or if the file cannot be written.
    """
    if path.suffix.lower() not in _EXPORTS:
        raise TapeError(
            "{path} must end in .flac, .mp3, .opus or .wav: that says how it is written.", path=path
        )
    kind, subtype = _EXPORTS[path.suffix.lower()]
    try:
        write_new(path, _encoded(pcm, EXPORT_RATE, kind, subtype, **tags))
    except OSError as error:
        raise TapeError(
            "{output} cannot be written ({reason}).", output=path, reason=reason_of(error)
        ) from None


def _encoded(pcm: bytes, rate: int, kind: str, subtype: str, **tags: str) -> bytes:
    import numpy as np

    file = io.BytesIO()
    with _library().SoundFile(file, "w", rate, 1, subtype, format=kind) as sound:
        for name, value in tags.items():
            setattr(sound, name, value)
        sound.write(np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2").astype(np.int16))
    return file.getvalue()


def _library() -> Any:
    """The sound library. It is large, so it is loaded only if there is a tape."""
    try:
        import soundfile
    except (ImportError, OSError) as error:
        raise TapeError(
            "Tapes need the sound library libsndfile ({error}); install soundfile again with pip.",
            error=error,
        ) from None
    return soundfile


def _read(path: Path) -> Recording | None:
    """The recording in a file of the tape; None if it is damaged."""
    try:
        stands = path.stat()
        return _decoded(path, stands.st_size, stands.st_mtime_ns)
    except OSError:
        return None


@functools.lru_cache(maxsize=4096)  # enough for a long game: an unchanged file is decoded once
def _decoded(path: Path, size: int, changed: int) -> Recording | None:
    """As :func:`_read`. ``size`` and ``changed`` are those of the file: another version of it is
    decoded again.

    A decoder gives the beginning of a file that was cut short, and silence for damaged parts. So
    this compares the length and the checksum of the sound with those in the file's header (FLAC's
    STREAMINFO: MD5 of the samples, little-endian, in bytes 18 to 33 of the first block).
    """
    soundfile = _library()
    match = _NAME.fullmatch(path.name)
    assert match is not None
    try:
        content = read_bytes(path, SOUND)
        with soundfile.SoundFile(io.BytesIO(content)) as sound:
            words, tags, frames = sound.title, json.loads(sound.comment), sound.frames
            if frames > _MOST_FRAMES:
                return None
            samples = sound.read(dtype="int16")
        t, ply, by = int(tags["t"]), int(tags["ply"]), str(tags["by"])
        words = (
            MixedText(*((str(text), str(code)) for text, code in tags.get("parts", ()))) or words
        )
    except (
        soundfile.SoundFileError, OSError, ValueError, KeyError, TypeError, OverflowError,
        RecursionError,
    ):  # fmt: skip
        return None
    checksum = hashlib.md5(samples.astype("<i2").tobytes(), usedforsecurity=False).digest()
    if len(samples) != frames or content[26:42] not in (checksum, bytes(16)):
        return None
    return Recording(int(match[1]), t, ply, by, words, path)
