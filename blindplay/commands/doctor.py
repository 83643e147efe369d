"""``blindplay doctor``: what a table needs, and whether it is there.

Each finding is one sentence, with the remedy. :func:`report_of` makes of them a text to send with a
question; it identifies nobody.
"""

import contextlib
import datetime
import getpass
import itertools
import os
import platform
import re
import shutil
import socket
import statistics
import sys
import tempfile
import time
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from pathlib import Path

import chess
import click

from blindplay.boards.makers import driver_of, find_boards
from blindplay.boards.peg import firmware
from blindplay.boards.peg import protocol as peg
from blindplay.boards.ports import (
    brltty_runs,
    group_of_ports,
    remedy_without_right,
    rule_installed,
)
from blindplay.braille.brlapi import BrailleError, Connection
from blindplay.console import PORT
from blindplay.given import reason_of
from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.hearing.recognisers import memory
from blindplay.language import Language
from blindplay.laws import facts as f
from blindplay.opponents.uci import installed
from blindplay.record import Journal, JournalError, games
from blindplay.record.games import read_from_journal, replay
from blindplay.record.tape import tape_folder
from blindplay.shipped import shipped
from blindplay.speech.audio import AudioError, level
from blindplay.speech.audio_devices import MicrophoneSource, devices, drain
from blindplay.speech.ensemble import Ensemble
from blindplay.speech.models.folders import ModelError, chosen_models, probe, unread_choices, verify
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.screen_reader import ReaderError, ScreenReader
from blindplay.speech.synthesis import Synthesiser, SynthesisError
from blindplay.translation import _, join_texts, one_of
from blindplay.version import VERSION

from . import options
from .reader import READER

SILENT_DBFS = -80.0
"""The level at or below which a microphone gives no sound at all."""
LOUD_DBFS = -6.0
"""The level above which a microphone distorts."""
_NEEDED = ("voices", "recogniser", "vocabulary", "models", "journal", "clock")


@dataclass(frozen=True)
class Diagnosis:
    """One finding: whether something is in order, and a sentence with the remedy if not."""

    ok: bool
    about: str
    """The subject in one word."""
    sentence: str
    shared: str | None = None
    """The sentence for other people, if ``sentence`` may contain a name: many devices are named
    after their owners."""

    @property
    def needed(self) -> bool:
        """True if no table can be run without it. Boards, a microphone and a loudspeaker can be
        absent: then people type, and the table prints."""
        return self.about in _NEEDED

    @property
    def verdict(self) -> str:
        """The words before the sentence."""
        if self.ok:
            return _("Good")
        return _("Missing, and needed") if self.needed else _("Missing")


good = partial(Diagnosis, True)
"""A finding that something is in order."""
missing = partial(Diagnosis, False)
"""A finding that something is missing or wrong."""


def examine_speech(
    language: str,
    *,
    model: Path | None = None,
    words: Iterable[str] = (),
    microphone: str | None = None,
    seconds: float = 1.0,
    synthesiser: Synthesiser | None = None,
) -> list[Diagnosis]:
    """Return the findings on voices, recogniser, vocabulary, outputs and microphone.

    ``words`` are the phrases that must be recognised in a game. The microphone is recorded for
    ``seconds``. A missing part is a finding, never an exception.
    """
    return [
        _voices(language, synthesiser),
        *_recogniser(language, model, list(words)),
        _output(),
        _microphone(microphone, seconds),
    ]


def _voices(language: str, given: Synthesiser | None) -> Diagnosis:
    try:
        with nullcontext(given) if given else Synthesiser(language) as synthesiser:
            names = [voice.name for voice in synthesiser.voices(language)]
    except SynthesisError as error:
        return missing("voices", str(error))
    if names:
        return good(
            "voices",
            _("Voices for {language}: {names}.", language=repr(language), names=", ".join(names)),
        )
    remedy = _("install one in the system's speech settings")
    return missing(
        "voices",
        _("There is no voice for {language}; {remedy}.", language=repr(language), remedy=remedy),
    )


def _recogniser(language: str, model: Path | None, words: list[str]) -> list[Diagnosis]:
    try:
        folders = chosen_models(language) if model is None else (model,)
    except ModelError as error:
        return [missing("recogniser", str(error))]
    findings, loaded = [], []
    for folder in folders:
        try:
            probe(folder, language)
            loaded.append(Recogniser(folder, language, words=words))
        except ModelError as error:
            findings.append(missing("recogniser", str(error)))
            continue
        count, files = len(loaded[-1].vocabulary), verify(folder)
        unchanged = (
            _(", and its {files} files are as they were installed", files=files) if files else ""
        )
        sentence = _(
            "The speech model in {folder} knows {count} words{unchanged}.",
            folder=folder,
            count=count,
            unchanged=unchanged,
        )
        findings.append(good("recogniser", sentence))
    if not loaded:
        return findings
    if unknown := ", ".join(Ensemble(loaded).unknown_words(words)):
        sentence = _(
            "The speech model does not know {unknown}; use other words, or another model.",
            unknown=unknown,
        )
        findings.append(missing("vocabulary", sentence))
    elif words:
        findings.append(good("vocabulary", _("The speech model knows every word needed.")))
    return findings


def _output() -> Diagnosis:
    outputs = devices().playback
    if not outputs:
        return missing(
            "output", _("There is no audio output; plug in a loudspeaker or an earphone.")
        )
    return good(
        "output",
        _("Audio outputs: {found}.", found="; ".join(outputs)),
        _("Audio outputs: {found}.", found=len(outputs)),
    )


def _microphone(device: str | None, seconds: float) -> Diagnosis:
    try:
        with MicrophoneSource(device) as source:
            heard = drain(source, seconds)
    except AudioError as error:
        return missing("microphone", str(error), _("No microphone can be recorded."))
    loud = level(heard)
    if not heard or loud <= SILENT_DBFS:
        return missing(
            "microphone", _("The microphone gives no sound; switch it on and turn it up.")
        )
    if loud > LOUD_DBFS:
        return missing(
            "microphone",
            _("The microphone is too loud ({loud} dB); turn it down.", loud=f"{loud:.0f}"),
        )
    return good("microphone", _("The microphone hears the room at {loud} dB.", loud=f"{loud:.0f}"))


_STOCKFISH = {"linux": "sudo apt install stockfish", "darwin": "brew install stockfish"}
_ROOM = 500_000_000
"""Bytes that should be free on a disk. A long game with its tape takes a fifth of that."""
_LATE_MS = 500
"""Milliseconds until a fact is on the disk; a slower disk delays every announcement."""
_GAMES = 20
"""Number of games that are read to their ends, the newest first."""


def examine(pack: Language, model: Path | None, microphone: str | None) -> Iterator[Diagnosis]:
    """All findings: packages, voices, recogniser and vocabulary, sound devices, screen reader,
    Braille display, boards, their firmware, engine, journals and their disk, clock, console,
    private folders and brltty."""
    yield _packages()
    words = [*pack.phrases(chess.Board()), *pack.command_phrases()]
    yield from examine_speech(pack.code, model=model, words=words, microphone=microphone)
    yield from _together(pack, model)
    yield _reader()
    yield _braille()
    yield from _boards()
    yield _firmware()
    yield _engine()
    yield from _journal(games.tables_folder())
    yield from _games(games.tables_folder())
    yield _clock()
    yield _console()
    yield from _private()
    yield from _brltty()


def _together(pack: Language, model: Path | None) -> Iterator[Diagnosis]:
    """Say whether the chosen models can be read, and how much memory several need together."""
    if model is None and (unread := unread_choices()):
        yield missing("models", unread)
    try:
        folders = chosen_models(pack.code) if model is None else (model,)
    except ModelError:
        return  # the finding about the recogniser reports this error
    measured = memory(folders, pack.code) if len(folders) > 1 else None
    if measured is not None:
        yield good(
            "models",
            _(
                "{count} speech models listen together, in {megabytes} MB of memory.",
                count=len(folders),
                megabytes=f"{measured[1] - measured[0]:.0f}",
            ),
        )


def _reader() -> Diagnosis:
    """Say whether a screen reader runs that can speak the sentences for one player only."""
    try:
        name = ScreenReader().name
    except ReaderError as error:
        return missing("reader", str(error))
    return good(
        "reader", _("{name} speaks what only you may hear, with play --voice reader.", name=name)
    )


def _braille() -> Diagnosis:
    """Say whether BRLTTY has a Braille display for a table."""
    try:
        with Connection() as connection:
            cells = connection.display.cells
    except BrailleError as error:
        return missing("braille", str(error))
    if not cells:
        return missing(
            "braille",
            _(
                "BRLTTY runs, but has no Braille display; plug it in, or name it in BRLTTY's "
                "settings."
            ),
        )
    return good(
        "braille",
        _(
            "A Braille display of {cells} cells can be used, with play --braille brltty.",
            cells=cells,
        ),
    )


def _boards() -> Iterator[Diagnosis]:
    """The boards of all makers that ``board find`` finds."""
    troubles: list[str] = []
    any_board = False
    for address, about in find_boards(troubles.append):
        any_board = True
        kind = driver_of(address)[0].KIND
        yield good(
            "board",
            _("At {address} there is a {about}.", address=address, about=about),
            _("There is a {kind}.", kind=kind),
        )
    if not any_board:
        yield missing(
            "board", _("No board was found; switch it on, and plug it in or come nearer with it.")
        )
    for trouble in dict.fromkeys(troubles):
        yield missing("board", trouble)
    yield _right()


def _right() -> Diagnosis:
    """Say whether this user may open serial ports, and what the system demands for it."""
    if sys.platform == "win32":
        return good(
            "permissions",
            _(
                "Windows asks for no right to open serial ports; a board without a port needs the "
                "driver of its adapter."
            ),
        )
    if sys.platform == "darwin":
        return good(
            "permissions",
            _(
                "macOS lets you open serial ports; for a board without a port, allow it and the "
                "driver of its adapter in the system settings under privacy and security."
            ),
        )
    if os.geteuid() == 0 or rule_installed() or _in_group_of_ports():
        return good("permissions", _("You may open serial ports."))
    return missing(
        "permissions",
        _("You may not open serial ports; {remedy}.", remedy=remedy_without_right()),
    )


def _in_group_of_ports() -> bool:
    """Return whether this user is in the group that may use serial ports."""
    if sys.platform == "win32":
        return True
    import grp

    try:
        return grp.getgrnam(group_of_ports()).gr_gid in os.getgroups()
    except KeyError:
        return True  # a system without such a group


def _firmware() -> Diagnosis:
    """The firmware that ``board flash`` writes."""
    try:
        brought = firmware.own()
    except ValueError as error:
        return missing("firmware", str(error))
    return good(
        "firmware",
        _(
            "Firmware {version} for pegged boards comes with this program, SHA-256 {digest}.",
            version=firmware.version_text(peg.FIRMWARE_VERSION),
            digest=f"{brought.digest[:12]}…",
        ),
    )


def _engine() -> Diagnosis:
    """Say whether a chess engine is there to play against."""
    engine = installed()
    if engine is not None:
        return good(
            "engine", _("{name} plays against you with play --against engine.", name=engine.name)
        )
    remedy = _STOCKFISH.get(sys.platform)
    if remedy is None:
        return missing(
            "engine",
            _(
                "Stockfish is not installed; with play --against engine, the small built-in "
                "opponent plays. For stronger levels, get Stockfish from stockfishchess.org, and "
                "give its file with --engine."
            ),
        )
    return missing(
        "engine",
        _(
            "Stockfish is not installed; with play --against engine, the small built-in "
            "opponent plays. For stronger levels, run: {remedy}",
            remedy=remedy,
        ),
    )


def _journal(folder: Path) -> Iterator[Diagnosis]:
    """Say whether facts reach the disk, how fast, and whether there is room for more games."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(dir=folder, prefix=".doctor-") as trial,
            Journal(Path(trial) / "trial.jsonl") as journal,
        ):
            took = sorted(_append(journal, t) for t in range(20))
    except (JournalError, OSError) as error:
        reason = (
            str(error)
            if isinstance(error, JournalError)
            else _("{folder}: {reason}.", folder=folder, reason=reason_of(error))
        )
        yield missing("journal", _("No game can be kept: {reason}", reason=reason))
        return
    yield good("journal", _("Games are kept in {folder}.", folder=folder))
    usual = statistics.median(took)
    if usual > _LATE_MS:
        yield missing(
            "disk",
            _(
                "A fact takes {usual} ms to reach the disk, and each move is announced "
                "only after that; name a file on a faster disk with --journal.",
                usual=f"{usual:.0f}",
            ),
        )
    else:
        yield good(
            "disk",
            _(
                "A fact is on the disk after {usual} ms, at the latest after {took} ms.",
                usual=f"{usual:.0f}",
                took=f"{took[-1]:.0f}",
            ),
        )
    free = shutil.disk_usage(folder).free
    megabytes = _("{count} megabytes", count=free // 1_000_000)
    if free < _ROOM:
        yield missing(
            "room",
            _(
                "The disk with {folder} has only {megabytes} left; make room on it.",
                folder=folder,
                megabytes=megabytes,
            ),
        )
    else:
        yield good("room", _("The disk with the games has {megabytes} left.", megabytes=megabytes))


def _append(journal: Journal, t: int) -> float:
    """Milliseconds until one fact is on the disk."""
    before = time.perf_counter()
    journal.append(f.Tick(t=t))
    return (time.perf_counter() - before) * 1000


def _games(folder: Path) -> Iterator[Diagnosis]:
    """Say whether the newest games can be read to their ends, and how many games have sound."""
    journals = sorted(folder.glob("*.jsonl"), key=lambda path: path.stat().st_mtime)
    newest = [path for path in journals if ".damaged-" not in path.name][-_GAMES:]
    bad, repaired = 0, list[str]()
    for path in newest:
        try:
            deque(replay(read_from_journal(path, repaired.append)), maxlen=0)
        except ValueError as error:
            bad += 1
            yield missing("games", str(error), _("A game cannot be read to its end."))
    for sentence in repaired:
        yield missing("games", sentence, _("The file of a game was changed."))
    if newest and not bad:
        yield good(
            "games", _("Games that were read to their ends: the last {count}.", count=len(newest))
        )
    if taped := sum(tape_folder(path).is_dir() for path in journals):
        yield good(
            "tape",
            _("Games with sound on tape: {taped}; blindplay forget removes it.", taped=taped),
        )


def _clock() -> Diagnosis:
    """The clock that times games must only go forward, in steps far below a second.

    The date tells how long a table was down, and records carry it.
    """
    known = time.get_clock_info("monotonic")
    readings = [time.monotonic() for _ in range(10_000)]
    back = any(later < earlier for earlier, later in itertools.pairwise(readings))
    if back or not known.monotonic or known.resolution > 0.05:
        sentence = _("This machine's clock is not good enough to time a game; take another.")
        return missing("clock", sentence)
    if (today := datetime.date.today()).year < 2025:
        sentence = _(
            "The date of this machine is {today}; set it, for records carry it.", today=today
        )
        return missing("clock", sentence)
    return good("clock", _("This machine's clock is good enough to time a game."))


def _console() -> Diagnosis:
    try:
        with socket.create_server(("127.0.0.1", PORT)):
            pass
    except OSError:
        return missing(
            "console",
            _(
                "Another program uses port {port}; for the pages of --console, name "
                "another port with --console-port.",
                port=PORT,
            ),
        )
    return good("console", _("The pages of --console can be served at port {port}.", port=PORT))


def _private() -> Iterator[Diagnosis]:
    """Folders with names or voices that other users of this machine can read."""
    if os.name != "posix":
        return  # on Windows, only the user can read the user's folders
    voices = speaker_models.players_folder(), speaker_preferences.folder()
    private = [path for path in (games.tables_folder(), *voices) if path.is_dir()]
    open_ = [path for path in private if path.stat().st_mode & 0o077]
    for path in open_:
        yield missing(
            "private",
            _(
                "Other users of this machine can read {path}, which contains names; run: "
                'chmod go= "{path}"',
                path=path,
            ),
        )
    if not open_:
        yield good("private", _("No other user of this machine can read your games."))


def _packages() -> Diagnosis:
    """The version of Python, and packages in other versions than those tested."""
    tested, installed = _locked(), _installed()
    others = [
        _(
            "{name} {version} instead of {tested}",
            name=name,
            version=version,
            tested=one_of(sorted(tested[name])),
        )
        for name, version in sorted(installed.items())
        if version not in tested[name]
    ]
    versions = ""
    if others:
        versions = _(
            "; these have other versions than those tested: {others}",
            others=join_texts("; ", others),
        )
    elif tested:
        versions = _(", all in the versions that were tested")
    python = platform.python_version()
    return good(
        "packages",
        _(
            "Python {python} with {count} packages{versions}.",
            python=python,
            count=len(installed),
            versions=versions,
        ),
    )


def _installed() -> dict[str, str]:
    """The versions of those tested packages that are installed: some are for other systems."""
    versions = {}
    for name in _locked():
        with contextlib.suppress(metadata.PackageNotFoundError):
            versions[name] = metadata.version(name)
    return versions


def _locked() -> dict[str, set[str]]:
    """The tested versions by the packages' names; empty if they are not known."""
    try:
        text = shipped("locks/packages.txt").read_text("utf-8")
    except OSError:
        return {}
    versions: dict[str, set[str]] = defaultdict(set)
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        versions[name].add(version)
    return versions


def report_of(findings: Iterable[Diagnosis]) -> str:
    """Findings and versions as a text to send. It names no people, machine or devices."""
    lines = [
        f"BlindPlay {VERSION}",
        f"{platform.system()} {platform.release()}, {platform.machine()}",
        f"{platform.python_implementation()} {platform.python_version()}",
        *(f"{name} {version}" for name, version in sorted(_installed().items())),
        "",
    ]
    for finding in findings:
        sentence = finding.sentence if finding.shared is None else finding.shared
        lines.append(f"{finding.verdict}, {finding.about}: {sentence}")
    return nameless("\n".join(lines) + "\n")


def nameless(text: str) -> str:
    """``text`` with ~ for the home folder, and NAME for names.

    Names are those of the user, of this machine, and of the players known on it.
    """
    for home in {str(Path.home()), str(Path.home().resolve()), Path.home().as_posix()}:
        if len(home) > 1:
            text = re.sub(re.escape(home) + r"(?![\w-])", "~", text, flags=re.IGNORECASE)
    names = {platform.node(), platform.node().partition(".")[0]}
    with contextlib.suppress(OSError, KeyError, ImportError):  # the system may know no name
        names.add(getpass.getuser())
    for player in speaker_preferences.players():
        names |= {player, *player.split()}
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 2:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text, flags=re.IGNORECASE)
    return text


def _brltty() -> Iterator[Diagnosis]:
    """Say whether brltty runs."""
    if sys.platform != "linux":
        return
    if brltty_runs():
        yield missing(
            "brltty",
            _(
                "brltty is running and may take the board's USB adapter; if the board is not "
                "found, tell brltty which port your Braille display has."
            ),
        )
    else:
        yield good("brltty", _("brltty is not running, so it takes no USB adapter."))


@click.command()
@options.language(help=_("Check for a table in this language."))
@click.option(
    "--model",
    type=options.FOLDER,
    help=_("Use the Vosk model in this folder instead of the chosen one."),
)
@click.option("--microphone", help=_("Use the microphone with this in its name."))
@options.as_json(help=_("Print JSON, one object per line."))
@click.option(
    "--report", type=options.FILE, help=_("Write a file without names, to send to others.")
)
def doctor(
    pack: Language, model: Path | None, microphone: str | None, as_json: bool, report: Path | None
) -> int:
    """Check what a table needs, and say how to get what is missing.

    The exit status is 1 if something is missing without which no table can be run. A table can do
    without boards, a microphone and a loudspeaker.
    """

    options.check_folder_of(report)
    findings = []
    for finding in examine(pack, model, microphone):
        findings.append(finding)
        shown = {
            "ok": finding.ok,
            "needed": finding.needed,
            "about": finding.about,
            "sentence": READER.told(finding.sentence),
        }
        words = join_texts(": ", (finding.verdict, finding.sentence))
        options.show(shown if as_json else words)
    if report is not None:
        report.write_text(report_of(findings), "utf-8")
        if not as_json:
            options.show(_("The report is in {report}; read it before you send it.", report=report))
    return 1 if any(diagnosis.needed and not diagnosis.ok for diagnosis in findings) else 0
