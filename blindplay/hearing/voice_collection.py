"""A folder of donated voices, one folder per speaker.

``python -m benchmarks voice --recordings`` reads it. Archives are checked before they are put in. A
voice that was taken back never comes in again.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from blindplay.language import LanguageError, load
from blindplay.speech.audio import write_wav

from . import kept_recordings, voice_archive
from .voice_archive import CONSENT, DONATION, ArchiveError, VoiceArchive, VoiceQuality

_REVOKED = "revoked.txt"


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
        found = (
            f"{self.archive} holds the voice {about.speaker}, language {about.language}: usable "
            f"recordings {len(worth.usable)}, others {len(worth.faults)}, {worth.seconds} seconds, "
            f"{worth.level} dB."
        )
        if worth.complete:
            return found
        if worth.missing:
            return f"{found} It is not complete; nobody says {', '.join(worth.missing)}."
        return f"{found} It is not complete; {voice_archive.LEAST} recordings are needed."

    def as_json(self) -> dict[str, object]:
        """Return it for a program."""
        found: dict[str, object] = {"archive": str(self.archive), "good": self.good}
        if self.held is None or self.quality is None:
            return {**found, "refused": self.refused}
        worth = self.quality
        return {
            **found,
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
    refused, and so is a voice that was taken back. Raises OSError.
    """
    revoked = _revoked(collection) if collection else set()
    known = dict(_speakers(collection)) if collection else {}
    for archive in archives:
        try:
            held = voice_archive.read(archive)
            speaker = held.donation.speaker
            if speaker in revoked:
                raise ArchiveError(f"The voice in {archive} was taken back; delete this archive.")
            sounds = _sounds(one.pcm for one in held.recordings.values())
            for other, its in known.items():
                if speaker == other or sounds & its:
                    raise ArchiveError(f"{archive} has the voice {other}, which is there already.")
            worth = _quality(held)
        except ArchiveError as error:
            yield CheckedArchive(archive, None, None, str(error))
            continue
        known[speaker] = sounds
        if worth.complete and collection is not None:
            _put(collection, held, worth)
        yield CheckedArchive(archive, held, worth)


def _quality(held: VoiceArchive) -> VoiceQuality:
    try:
        return voice_archive.quality(held, load(held.donation.language))
    except LanguageError as error:
        raise ArchiveError(str(error)) from None


def _sounds(sounds: Iterable[bytes]) -> set[bytes]:
    return {hashlib.sha256(pcm).digest() for pcm in sounds}


def _speakers(collection: Path) -> Iterator[tuple[str, set[bytes]]]:
    for about in collection.glob(f"*/{DONATION}"):
        said = kept_recordings.read(about.parent)
        yield about.parent.name, _sounds(one.pcm for one in said)


def _put(collection: Path, held: VoiceArchive, quality: VoiceQuality) -> None:
    """Write the usable recordings into the collection, all of them or none. Only what was checked
    is written."""
    collection.mkdir(parents=True, exist_ok=True)
    about = held.donation
    with tempfile.TemporaryDirectory(dir=collection, prefix=".new-") as temporary:
        fresh = Path(temporary) / about.speaker
        fresh.mkdir()
        for one in quality.usable.values():
            kept_recordings.add(fresh, one, speaker=about.speaker, language=about.language)
        write_wav(fresh / CONSENT, held.consent)
        (fresh / DONATION).write_text(about.to_json(), "utf-8")
        fresh.rename(collection / about.speaker)


def revoke(collection: Path, code: str) -> bool:
    """Remove the voice with this code from a collection, and let it never come in again. Return
    whether it was there. Raises ValueError if this is not a code, and OSError."""
    speaker = voice_archive.speaker_of(code)
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
