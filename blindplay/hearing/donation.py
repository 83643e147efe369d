"""A donation of a voice: the explanation, the consent, the recordings, and their archive.

The donor repeats moves, commands, answers and everyday sentences for ten minutes. Everything is
said aloud, and nothing needs to be seen. Nothing is kept before the donor has agreed by voice and
by keyboard. From then on each recording is on the disk before the next one is asked for.
"""

import datetime
import random
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import chess

from blindplay.given import KEPT, read_text
from blindplay.language import NEVER_OPENED, Command, Key, Language, word_of
from blindplay.own_files import data_folder, read_object, to_disk
from blindplay.speech.audio import read_wav, write_wav
from blindplay.speech.ensemble import AnyRecogniser

from . import kept_recordings, voice_archive
from .kept_recordings import SpeakerRecording
from .prompting import TRIES, Booth, fault_of, repeated
from .script import Coverage, ScriptLine, UtteranceKind, announcement, talk
from .voice_archive import CONSENT, DONATION, Donation, VoiceArchive

SECONDS_EACH = 6.5
"""About how long one prompt takes."""
MOVES, COMMANDS, OPENED, ANSWERS, TALK = 50, 14, 4, 6, 18
_CANDIDATES = 3  # times as many moves and sentences are there to choose from
_ANSWERS = (Command.YES, Command.NO, Command.CORRECTION, Command.REPEAT, Command.MORE)
EXPLAINED = ("donate_what", "donate_who", "donate_kept", "donate_free", "donate_revoke")
"""The sentences of a pack that explain what a donor agrees to."""
_PAUSE_S = 2.0  # a longer one ends the spoken consent
_CODE = "code.txt"
_GIVEN = "given.txt"


def folder() -> Path:
    """Return the folder of all donations on this machine."""
    return data_folder() / "donations"


@dataclass(frozen=True)
class UnfinishedDonation:
    """A donation that is in no archive yet: the folder of its recordings and its secret code."""

    place: Path
    donation: Donation
    code: str

    def asked(self, pack: Language) -> list[ScriptLine]:
        """Return all that is to be said."""
        return prompts(pack, int(self.donation.speaker, 16))

    def left(self, pack: Language) -> list[ScriptLine]:
        """The lines that were not recorded yet."""
        recorded = {(take.words, take.fen) for take in kept_recordings.read(self.place)}
        return [line for line in self.asked(pack) if (line.words, line.fen) not in recorded]


def prompts(pack: Language, seed: int) -> list[ScriptLine]:
    """Return what a donor is asked to say: sentences that together hold many words, pairs of words
    and phones of the language. They are mixed, so that a donor who ends early has said some of
    each. Another donor is asked for others."""
    chance = random.Random(seed)
    coverage, start = Coverage(pack), chess.STARTING_FEN

    def phrases(*which: Command) -> list[str]:
        known = list(pack.command_phrases(which))
        chance.shuffle(known)
        return known

    def lines(what: UtteranceKind, words: Iterable[str]) -> list[ScriptLine]:
        return [ScriptLine(what, start, one) for one in words]

    others = phrases(*(one for one in Command if one not in _ANSWERS))
    openable = phrases(*(one for one in Command if one not in NEVER_OPENED))
    opened = (f"{pack.opening_word} {one}" for one in openable if " " not in one)
    moves = [announcement(pack, chance) for _ in range(_CANDIDATES * MOVES)]
    chosen = [
        coverage.chosen(moves, MOVES),
        coverage.chosen(lines(UtteranceKind.COMMAND, others), COMMANDS),
        coverage.chosen(lines(UtteranceKind.COMMAND, phrases(*_ANSWERS)), ANSWERS),
        coverage.chosen(lines(UtteranceKind.OPENED, opened), OPENED),
        coverage.chosen(talk(pack, _CANDIDATES * TALK, chance), TALK),
    ]
    placed = [
        ((number + 0.5) / len(some), kind, line)
        for kind, some in enumerate(chosen)
        for number, line in enumerate(some)
    ]
    return list(dict.fromkeys(line for _, _, line in sorted(placed, key=lambda one: one[:2])))


def unfinished(language: str) -> Iterator[UnfinishedDonation]:
    """Yield the donations in a language that were interrupted, the last one first."""
    files = folder().glob(f"{language}-*/{DONATION}")
    for about in sorted(files, key=lambda file: file.stat().st_mtime, reverse=True):
        place = about.parent
        try:
            donation = Donation.from_json(read_object(about))
            code = read_text(place / _CODE, KEPT).strip()
            if voice_archive.speaker_of(code) == donation.speaker and read_wav(place / CONSENT):
                yield UnfinishedDonation(place, donation, code)
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            continue  # the power failed before the consent was kept


def consent(booth: Booth) -> tuple[bytes, str] | None:
    """Explain what a donation means, and let the donor agree by voice and by keyboard.

    Return the sound of the spoken consent and the word typed; None if the donor does not agree.
    Enter repeats it all.

    :raises AudioError: if the microphone is gone.
    """
    end = word_of(booth.pack, Key.END)
    spoken: bytes | Key | None = Key.REPEAT
    while spoken is Key.REPEAT:
        for sentence in (*EXPLAINED, "donate_agree"):
            booth.tell(sentence, end=end)
            if booth.to_end:
                return None
        spoken = _spoken(booth)
    if not isinstance(spoken, bytes):
        return None
    yes = next(iter(booth.pack.command_phrases([Command.YES])))
    typed = booth.typed("donate_sign", yes=yes)
    if typed is None or booth.pack.understand(typed, chess.Board()).command is not Command.YES:
        return None
    return spoken, yes


def _spoken(booth: Booth) -> bytes | Key | None:
    """Return the spoken consent, Key.REPEAT to hear the explanation again, or None."""
    statement = booth.pack.sentence("donate_statement")
    for _ in range(TRIES):
        booth.say(statement)
        take = booth.hear(_PAUSE_S)
        if isinstance(take, Key):
            return Key.REPEAT if take is Key.REPEAT else None
        fault = fault_of(statement, take)
        if fault is None:
            return take.pcm
        booth.tell(fault.value)
    booth.tell("voice_microphone")
    return None


def begin(language: str, statement: str, spoken: bytes, signed: str) -> UnfinishedDonation:
    """Keep a consent, and begin a donation in a folder of the user's own.

    :raises OSError:
    """
    code = voice_archive.new_code()
    speaker = voice_archive.speaker_of(code)
    place = folder() / f"{language}-{speaker}"
    for path in (folder(), place):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    donation = Donation(speaker, language, statement, signed, str(datetime.date.today()))
    (place / _CODE).write_text(f"{code}\n", "utf-8")
    write_wav(place / CONSENT, spoken)
    (place / DONATION).write_text(donation.to_json(), "utf-8")
    for file in place.iterdir():
        to_disk(file)
    return UnfinishedDonation(place, donation, code)


def record(
    booth: Booth, pack: Language, donation: UnfinishedDonation, recogniser: AnyRecogniser | None
) -> bool:
    """Let the donor say the remaining lines, in the words of ``pack``; keep each recording at once.

    Return whether all of it was asked for.

    :raises AudioError: if the microphone is gone, or OSError.
    """
    about = donation.donation
    lines = donation.left(pack)
    booth.begin("donate_begin", len(lines), SECONDS_EACH)
    for answer in repeated(booth, pack, lines, recogniser):
        line = lines[answer.number]
        take = SpeakerRecording(line.words, line.fen, answer.pcm, doubted=answer.doubted)
        kept_recordings.add(donation.place, take, speaker=about.speaker, language=about.language)
    return not booth.ended


def finish(pack: Language, donation: UnfinishedDonation, target: Path) -> bool:
    """Write the archive, and remove the recordings outside of it. The code is kept on this machine.

    Return False, and write nothing, if too much is missing.

    :raises OSError, ArchiveError:
    """
    takes = enumerate(kept_recordings.read(donation.place), 1)
    spoken, _ = read_wav(donation.place / CONSENT)
    archive = VoiceArchive(donation.donation, spoken, {f"{n:03}.wav": take for n, take in takes})
    if not voice_archive.quality(archive, pack).complete:
        return False
    voice_archive.write(target, archive)
    voice_archive.read(target)  # what cannot be read again must not be all that is left
    with (folder() / _GIVEN).open("a", encoding="utf-8") as log:
        log.write(f"{donation.donation.date} {donation.code} {target.name}\n")
    shutil.rmtree(donation.place)
    return True
