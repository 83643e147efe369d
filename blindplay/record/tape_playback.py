"""Playing a tape, aloud or into one file."""

import threading
from pathlib import Path
from typing import TextIO

from blindplay.speech.audio import AudioSink, read_audio
from blindplay.speech.speaker import Sound
from blindplay.translation import _

from . import Tape, read_journal
from .score import entry_place, ply_of
from .tape import EXPORT_RATE, Recording, tape_folder, write_sound
from .writing import BrokenGameError, Scored, check_output

PAUSE_SECONDS = 0.5
"""Silence between two utterances of a tape that is written into one file."""


def find_tape(journal: Path) -> Tape:
    """The tape of the game in ``journal``.

    :raises JournalError, TapeError: if there is none.
    """
    read_journal(journal)
    return Tape(tape_folder(journal), create=False)


def play_tape(
    journal: Path, first: int | None, output: Path | None, sink: AudioSink | None, out: TextIO
) -> None:
    """Play the tape of a game from move ``first`` on, or write it into ``output``. Each utterance
    is printed to ``out`` when it is played. ``sink`` None: print only.

    :raises TapeError: if there is no tape, it has nothing from ``first`` on, or cannot be written.
    :raises ValueError: if ``output`` is evidence; see :func:`check_output`.
    """
    if output is not None:
        check_output(journal, output)
    tape = find_tape(journal)
    try:
        scored = Scored.of(journal)
    except BrokenGameError as error:
        print(_("trouble: {error}", error=error), file=out)
        scored = error.before
    game = scored.game
    if scored.repaired:
        print(_("trouble: {error}", error=scored.repaired), file=out)
    for path in tape.damaged():
        print(_("trouble: {path} is damaged and left out.", path=path), file=out)
    recordings = tape.from_ply(ply_of(game, first) if first is not None else 1)
    if output is not None:
        write_tape(output, recordings)
    for part in recordings:
        number, side = entry_place(game, part.ply)
        place = f"{number}." if side == "white" else f"{number}. …"
        print(f"{part.t / 1000:.1f} {place} {part.by}: {part.words}", file=out, flush=True)
        if sink is not None:
            sink.play(*sound(part), threading.Event())


def sound(recording: Recording) -> Sound:
    """A recording's PCM at ``EXPORT_RATE``.

    :raises AudioError: if its file can no longer be read.
    """
    return read_audio(recording.path, EXPORT_RATE), EXPORT_RATE


def write_tape(path: Path, recordings: list[Recording]) -> None:
    """Write recordings into one file, one after the other.

    :raises TapeError: if it cannot be written.
    :raises AudioError: if a recording cannot be read.
    """
    pause = bytes(2 * int(PAUSE_SECONDS * EXPORT_RATE))
    write_sound(path, pause.join(sound(recording)[0] for recording in recordings))
