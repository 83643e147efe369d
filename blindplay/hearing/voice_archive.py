"""Archives of donated voices: written, read with distrust, and collected.

An archive is a zip file in which nothing is compressed, so that it cannot swell. It holds one
folder, which has the name of the speaker: the consent, and recordings as in ``kept_recordings``.
docs/development/voices.md describes it.

A collection has one such folder for each speaker; ``python -m benchmarks voice --recordings`` reads
it. Archives are checked before they are put in. A voice that was taken back never comes in again.
"""

import datetime
import hashlib
import io
import json
import os
import re
import secrets
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import chess

from blindplay.given import VOICES, read_bytes, read_json, shown
from blindplay.language import Language, LanguageError, load
from blindplay.speech.audio import RATE, AudioError, parse_wav, wav, write_wav
from blindplay.translation import UserError, _

from . import kept_recordings
from .kept_recordings import INDEX, SpeakerRecording, entry_of
from .prompting import RecordingFault, Take, fault_of, voice_level
from .script import word_names

DONATION, CONSENT = "donation.json", "consent.wav"
LICENCE = "CC0-1.0"
LEAST = 50
"""An archive with fewer usable recordings is not complete."""
_FORMAT = 1
_SQUARES = 8  # of a code: 48 bits, each try at which costs a moment
_MOST_FILES = 1000
_MOST_TEXT = 1_000_000
_LONGEST_WORDS = 300
_LONGEST_FEN = 100
_SPEAKER = re.compile(r"[0-9a-f]{16}")
_LANGUAGE = re.compile(r"[A-Za-z][A-Za-z+_-]{1,20}")  # also "de+nb"
_NAME = re.compile(rf"({_SPEAKER.pattern})/(donation\.json|index\.jsonl|consent\.wav|\d{{3}}\.wav)")
_KEYS = {"file", "speaker", "language", "words", "fen", "doubted"}
_REVOKED = "revoked.txt"
# The date of every file, so that it does not tell when somebody spoke.
_MADE = (1980, 1, 1, 0, 0, 0)


class ArchiveError(ValueError):
    """An archive of a voice cannot be used. The message says why."""


def new_code() -> str:
    """Return a secret code: eight squares, which can be said and written down."""
    return "".join(chess.square_name(secrets.randbelow(64)) for _ in range(_SQUARES))


def squares_of(code: str) -> list[chess.Square]:
    """Return the squares of a code, typed with or without spaces.

    :raises ValueError:
    """
    letters = re.sub(r"[\s,;.-]", "", code.lower())
    if not re.fullmatch(rf"([a-h][1-8]){{{_SQUARES}}}", letters):
        raise UserError("{code} is not a code; a code is eight squares.", code=shown(code))
    return [chess.parse_square(letters[at : at + 2]) for at in range(0, len(letters), 2)]


def speaker_of(code: str) -> str:
    """Return the name of a speaker who has this code. The code cannot be found from it."""
    secret = "".join(map(chess.square_name, squares_of(code))).encode()
    return hashlib.scrypt(secret, salt=b"blindplay voice", n=1 << 14, r=8, p=1, dklen=8).hex()


@dataclass(frozen=True)
class Donation:
    """The speaker of a donated voice, without a name, and their consent: the ``statement`` as it
    was spoken, the word typed to sign it, and the date in ISO 8601."""

    speaker: str
    language: str
    statement: str
    signed: str
    date: str

    def to_json(self) -> str:
        """Return it as archives hold it."""
        about = {"format": _FORMAT, "licence": LICENCE, **asdict(self)}
        return json.dumps(about, ensure_ascii=False, indent=1) + "\n"

    @classmethod
    def from_json(cls, fields: Any) -> "Donation":
        """Read it again. It has no other keys, which could hold a name.

        :raises ValueError, TypeError, KeyError, AttributeError: if it is wrong anywhere.
        """
        if (fields.pop("format"), fields.pop("licence")) != (_FORMAT, LICENCE):
            raise ValueError
        donation = cls(**fields)
        if not all(isinstance(value, str) and 0 < len(value) < 1000 for value in fields.values()):
            raise ValueError
        datetime.date.fromisoformat(donation.date)
        if not _SPEAKER.fullmatch(donation.speaker) or not _LANGUAGE.fullmatch(donation.language):
            raise ValueError
        return donation


@dataclass(frozen=True)
class VoiceArchive:
    """The contents of an archive: a donation, the spoken consent (PCM), and recordings by their
    file."""

    donation: Donation
    consent: bytes
    recordings: Mapping[str, SpeakerRecording]


def write(target: Path, archive: VoiceArchive) -> None:
    """Write an archive, whole or not at all.

    :raises OSError:
    """
    speaker, language = archive.donation.speaker, archive.donation.language
    entries = (entry_of(recording, name, speaker=speaker, language=language)
               for name, recording in archive.recordings.items())  # fmt: skip
    index = "".join(json.dumps(entry) + "\n" for entry in entries)
    files = {
        DONATION: archive.donation.to_json().encode(),
        CONSENT: wav(archive.consent),
        INDEX: index.encode(),
        **{name: wav(recording.pcm) for name, recording in archive.recordings.items()},
    }
    fresh = target.with_suffix(".new")
    with fresh.open("wb") as stream:
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as opened:
            for name, data in files.items():
                opened.writestr(zipfile.ZipInfo(f"{speaker}/{name}", _MADE), data)
        stream.flush()
        os.fsync(stream.fileno())
    fresh.replace(target)


def read(archive: Path) -> VoiceArchive:
    """Return what an archive holds, all of it in memory.

    :raises ArchiveError: in one sentence, if anything in it is wrong.
    """
    try:
        data = read_bytes(archive, VOICES)
    except ValueError as error:
        raise ArchiveError(str(error)) from None
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as opened:
            speaker = _checked(opened.infolist(), archive, len(data))
            files = {info.filename[len(speaker) + 1 :]: opened.read(info)
                     for info in opened.infolist()}  # fmt: skip
    except ArchiveError:
        raise
    except Exception:  # zipfile raises whatever its parts raise
        raise ArchiveError(
            _(
                "{archive} is not an archive of a voice, or is damaged; ask for it again.",
                archive=archive,
            )
        ) from None
    donation = _donation(files, speaker, archive)
    sounds = {name: _sound(data, f"{archive}/{name}")
              for name, data in files.items() if name.endswith(".wav")}  # fmt: skip
    if CONSENT not in sounds or not sounds[CONSENT]:
        raise ArchiveError(
            _(
                "{archive} holds no spoken consent, so nobody may use it; delete it.",
                archive=archive,
            )
        )
    consent = sounds.pop(CONSENT)
    return VoiceArchive(donation, consent, _recordings(files, donation, sounds, archive))


def _checked(infos: Sequence[zipfile.ZipInfo], archive: Path, size: int) -> str:
    """Check the names and sizes in an archive, and return its speaker."""
    names: set[str] = set()
    speakers: set[str] = set()
    for info in infos:
        name = _NAME.fullmatch(info.orig_filename)
        plain = (
            info.compress_type == zipfile.ZIP_STORED
            and info.file_size == info.compress_size
            and not info.flag_bits & 1
            and stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
        )
        if name is None or not plain or info.orig_filename in names:
            raise ArchiveError(
                _(
                    "{member} does not belong in an archive of a voice, so nothing of "
                    "{archive} was used; ask for one that blindplay voice donate has "
                    "written.",
                    member=shown(info.orig_filename),
                    archive=archive,
                )
            )
        names.add(info.orig_filename)
        speakers.add(name[1])
    if len(speakers) != 1 or len(infos) > _MOST_FILES or sum(i.file_size for i in infos) > size:
        raise ArchiveError(
            _(
                "{archive} does not hold one voice; ask for one that blindplay voice "
                "donate has written.",
                archive=archive,
            )
        )
    return speakers.pop()


def _donation(files: Mapping[str, bytes], speaker: str, archive: Path) -> Donation:
    try:
        donation = Donation.from_json(read_json(_text(files[DONATION])))
        if donation.speaker != speaker:
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ArchiveError(
            _(
                "{archive} does not say who has agreed to what, so nobody may use it; delete it.",
                archive=archive,
            )
        ) from None
    return donation


def _recordings(
    files: Mapping[str, bytes], donation: Donation, sounds: dict[str, bytes], archive: Path
) -> dict[str, SpeakerRecording]:
    """Return the recordings in the order of the index. Each file is named once."""
    recordings: dict[str, SpeakerRecording] = {}
    try:
        for line in _text(files[INDEX]).splitlines():
            file, recording = _recording(line, donation)
            recordings[file] = replace(recording, pcm=sounds.pop(file))
        if sounds:
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ArchiveError(
            _(
                "{archive} does not say in line {count} of its index what was recorded; "
                "ask for one that blindplay voice donate has written.",
                archive=archive,
                count=len(recordings) + 1,
            )
        ) from None
    return recordings


def _recording(line: str, donation: Donation) -> tuple[str, SpeakerRecording]:
    """Return a line of an index, without the sound. It has the errors of ``Donation.from_json``."""
    entry = read_json(line)
    words, fen, doubted = entry["words"], entry["fen"], entry.get("doubted", False)
    right = (
        entry.keys() <= _KEYS
        and (entry["speaker"], entry["language"]) == (donation.speaker, donation.language)
        and 0 < len(words) <= _LONGEST_WORDS
        and words.isprintable()
        and len(fen) <= _LONGEST_FEN
        and chess.Board(fen).is_valid()
        and isinstance(doubted, bool)
    )
    if not right:
        raise ValueError
    return entry["file"], SpeakerRecording(words, fen, b"", doubted=doubted)


def _text(data: bytes) -> str:
    if len(data) > _MOST_TEXT:
        raise ValueError
    return data.decode()


def _sound(data: bytes, name: str) -> bytes:
    try:
        pcm, rate = parse_wav(data, name)
    except AudioError as error:
        raise ArchiveError(str(error)) from None
    if rate != RATE:
        raise ArchiveError(
            _("{name} is not a sound of sixteen kilohertz; ask for the archive again.", name=name)
        )
    return pcm


@dataclass(frozen=True)
class VoiceQuality:
    """The quality of an archive. Recordings and faults are named by their file."""

    usable: Mapping[str, SpeakerRecording]
    faults: Mapping[str, RecordingFault]
    missing: tuple[str, ...]
    """The names of files, ranks and pieces that nobody says."""
    seconds: float
    level: float
    """The level of the voice in dB below full scale."""

    @property
    def complete(self) -> bool:
        """Return whether enough of it can be used."""
        return len(self.usable) >= LEAST and not self.missing


def quality(archive: VoiceArchive, pack: Language) -> VoiceQuality:
    """Return the quality of an archive in the language of ``pack``."""
    faults: dict[str, RecordingFault] = {}
    usable: dict[str, SpeakerRecording] = {}
    levels = []
    for name, recording in archive.recordings.items():
        take = Take(recording.pcm, voice_level(recording.pcm), -96.0)
        if fault := fault_of(recording.words, take):
            faults[name] = fault
        else:
            usable[name] = recording
            levels.append(take.level)
    words = {word for recording in usable.values() for word in recording.words.lower().split()}
    missing = tuple(
        name for names in word_names(pack) for name in names if name.lower() not in words
    )
    seconds = sum(len(recording.pcm) for recording in usable.values()) / 2 / RATE
    return VoiceQuality(
        usable, faults, missing, round(seconds, 1),
        round(sum(levels) / len(levels), 1) if levels else -96.0,
    )  # fmt: skip


@dataclass(frozen=True)
class CheckedArchive:
    """An archive, what it holds and what that is worth, or ``refused``: a sentence that says why it
    cannot be used."""

    archive: Path
    held: VoiceArchive | None
    quality: VoiceQuality | None
    refused: str = ""

    @property
    def good(self) -> bool:
        """Return whether it can be used and enough of it is there."""
        return self.quality is not None and self.quality.complete

    @property
    def sentence(self) -> str:
        """Return in words what it is worth."""
        if self.held is None or self.quality is None:
            return self.refused
        about, worth = self.held.donation, self.quality
        verdict = _(
            "{archive} holds the voice {code}, language {language}: usable recordings "
            "{usable}, others {others}, {seconds} seconds, {decibels} dB.",
            archive=self.archive,
            code=about.speaker,
            language=about.language,
            usable=len(worth.usable),
            others=len(worth.faults),
            seconds=worth.seconds,
            decibels=worth.level,
        )
        if worth.complete:
            return verdict
        if worth.missing:
            return _(
                "{found} It is not complete; no speaker says {missing}.",
                found=verdict,
                missing=", ".join(worth.missing),
            )
        return _(
            "{found} It is not complete; {least} recordings are needed.", found=verdict, least=LEAST
        )

    def as_json(self) -> dict[str, object]:
        """Return it for a program."""
        fields: dict[str, object] = {"archive": str(self.archive), "good": self.good}
        if self.held is None or self.quality is None:
            return {**fields, "refused": self.refused}
        worth = self.quality
        return {
            **fields,
            **asdict(self.held.donation),
            "recordings": len(worth.usable),
            "faults": {name: fault.name.lower() for name, fault in worth.faults.items()},
            "missing": worth.missing,
            "seconds": worth.seconds,
            "level": worth.level,
        }


def check(archives: Iterable[Path], collection: Path | None = None) -> Iterator[CheckedArchive]:
    """Yield each archive with what it is worth, and put the good ones into the folder
    ``collection`` if there is one.

    A speaker or a recording that was there before, in another archive or in the collection, is
    refused, and so is a voice that was taken back.

    :raises OSError:
    """
    revoked = _revoked(collection) if collection else set()
    known = dict(_speakers(collection)) if collection else {}
    for archive in archives:
        try:
            held = read(archive)
            speaker = held.donation.speaker
            if speaker in revoked:
                raise ArchiveError(
                    _(
                        "The voice in {archive} was taken back; delete this archive.",
                        archive=archive,
                    )
                )
            sounds = _digests(recording.pcm for recording in held.recordings.values())
            for other, its in known.items():
                if speaker == other or sounds & its:
                    raise ArchiveError(
                        _(
                            "{archive} has the voice {other}, which is there already.",
                            archive=archive,
                            other=other,
                        )
                    )
            worth = quality(held, load(held.donation.language))
        except (ArchiveError, LanguageError) as error:
            yield CheckedArchive(archive, None, None, str(error))
            continue
        known[speaker] = sounds
        if worth.complete and collection is not None:
            _put(collection, held, worth)
        yield CheckedArchive(archive, held, worth)


def _digests(sounds: Iterable[bytes]) -> set[bytes]:
    return {hashlib.sha256(pcm).digest() for pcm in sounds}


def _speakers(collection: Path) -> Iterator[tuple[str, set[bytes]]]:
    for about in collection.glob(f"*/{DONATION}"):
        recordings = kept_recordings.read(about.parent)
        yield about.parent.name, _digests(recording.pcm for recording in recordings)


def _put(collection: Path, held: VoiceArchive, quality: VoiceQuality) -> None:
    """Write the usable recordings into the collection, all of them or none. Only what was checked
    is written."""
    collection.mkdir(parents=True, exist_ok=True)
    about = held.donation
    with tempfile.TemporaryDirectory(dir=collection, prefix=".new-") as temporary:
        fresh = Path(temporary) / about.speaker
        fresh.mkdir()
        for recording in quality.usable.values():
            kept_recordings.add(fresh, recording, speaker=about.speaker, language=about.language)
        write_wav(fresh / CONSENT, held.consent)
        (fresh / DONATION).write_text(about.to_json(), "utf-8")
        fresh.rename(collection / about.speaker)


def revoke(collection: Path, code: str) -> bool:
    """Remove the voice with this code from a collection, and let it never come in again. Return
    whether it was there.

    :raises ValueError: if this is not a code.
    :raises OSError:
    """
    speaker = speaker_of(code)
    if speaker not in _revoked(collection):
        with (collection / _REVOKED).open("a", encoding="utf-8") as file:
            file.write(f"{speaker}\n")
            file.flush()
            os.fsync(file.fileno())
    place = collection / speaker
    if not place.is_dir():
        return False
    shutil.rmtree(place)
    return True


def _revoked(collection: Path) -> set[str]:
    file = collection / _REVOKED
    return set(file.read_text("utf-8").split()) if file.is_file() else set()
