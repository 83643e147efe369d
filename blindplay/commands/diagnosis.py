"""What a table needs and what of it is there: one sentence each, with the remedy.

:func:`report` makes of it a text to send with a question, without what tells who asks.
"""

from __future__ import annotations

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
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from pathlib import Path

import chess

from blindplay import __version__
from blindplay.boards.driver import probe
from blindplay.boards.line import discover
from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.hearing.evaluation.resources import memory
from blindplay.language import Language
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, storage
from blindplay.record.tape import beside
from blindplay.speech.models.folders import ModelError, chosen, unread_choices

from . import speech_diagnosis as findings
from .speech_diagnosis import Diagnosis

_ROOM = 500_000_000
"""Bytes a disk should have left: a long game with its tape takes a fifth of that."""
_LATE_MS = 500
_GAMES = 20
_PORT = 8080  # console_host.PORT, which would load a web server


def examine(pack: Language, model: Path | None, microphone: str | None) -> Iterator[Diagnosis]:
    """All findings: packages, voices, recogniser and vocabulary, sound devices, boards, journals
    and their disk, clock, console, private folders, brltty."""
    yield _packages()
    words = [*pack.phrases(chess.Board()), *pack.command_phrases()]
    yield from findings.examine(pack.code, model=model, words=words, microphone=microphone)
    yield from _together(pack, model)
    yield from _boards()
    yield from _journal(storage.tables_folder())
    yield from _games(storage.tables_folder())
    yield _clock()
    yield _console()
    yield from _private()
    brltty = _brltty()
    if brltty is not None:
        yield brltty


def _together(pack: Language, model: Path | None) -> Iterator[Diagnosis]:
    """Whether those listen that were chosen; what several together cost; what they are worth,
    `bench models` says."""
    if model is None and (unread := unread_choices()):
        yield Diagnosis(False, "models", unread)
    try:
        folders = chosen(pack.code) if model is None else (model,)
    except ModelError:
        return  # told already
    measured = memory(folders, pack.code) if len(folders) > 1 else None
    if measured is not None:
        yield Diagnosis(
            True,
            "models",
            f"{len(folders)} speech models listen together, in {measured[1] - measured[0]:.0f} MB "
            "of memory; blindplay bench models says how well, and how fast.",
        )


def _boards() -> Iterator[Diagnosis]:
    ports = [port for port in discover() if port.likely]
    if not ports:
        yield Diagnosis(
            False,
            "board",
            "No pegged board is plugged in; plug it in, or give its port with --board.",
        )
    for port in ports:
        try:
            yield Diagnosis(True, "board", f"At {port.url} there is a {probe(port.url)}.")
        except (OSError, ValueError) as error:
            yield Diagnosis(False, "board", str(error))
    if sys.platform.startswith("linux") and hasattr(os, "getgroups"):
        import grp

        try:
            dialout = grp.getgrnam("dialout").gr_gid
        except KeyError:
            return
        if os.geteuid() != 0 and dialout not in os.getgroups():
            yield Diagnosis(
                False,
                "permissions",
                "You may not open serial ports; run sudo usermod -aG dialout with your user "
                "name, then log out and in again.",
            )
        else:
            yield Diagnosis(True, "permissions", "You may open serial ports.")


def _journal(folder: Path) -> Iterator[Diagnosis]:
    """Whether facts come to the disk, how fast, and whether there is room for more."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".doctor-") as trial:
            path = Path(trial) / "trial.db"
            with Journal(path) as journal:
                took = sorted(_append(journal, t) for t in range(20))
                logged = path.with_name(f"{path.name}-wal").exists()
    except (JournalError, OSError) as error:
        reason = error if isinstance(error, JournalError) else f"{folder}: {error.strerror}."
        yield Diagnosis(False, "journal", f"No game can be kept: {reason}")
        return
    yield Diagnosis(True, "journal", f"Games are kept in {folder}.")
    usual = statistics.median(took)
    if not logged:
        yield Diagnosis(
            False,
            "disk",
            f"The disk with {folder} keeps no log of what is being written, as a folder in the "
            "network may not; name a file on a disk of this machine with --journal.",
        )
    elif usual > _LATE_MS:
        yield Diagnosis(
            False,
            "disk",
            f"A fact is on the disk only after {usual:.0f} ms, and only then is a move announced; "
            "name a file on a faster disk with --journal.",
        )
    else:
        yield Diagnosis(
            True,
            "disk",
            f"A fact is on the disk after {usual:.0f} ms, at the latest after {took[-1]:.0f} ms.",
        )
    free = shutil.disk_usage(folder).free
    megabytes = f"{free // 1_000_000} megabytes"
    if free < _ROOM:
        yield Diagnosis(
            False, "room", f"The disk with {folder} has only {megabytes} left; make room on it."
        )
    else:
        yield Diagnosis(True, "room", f"The disk with the games has {megabytes} left.")


def _append(journal: Journal, t: int) -> float:
    """Milliseconds until one fact is on the disk."""
    before = time.perf_counter()
    journal.append(f.Tick(t=t))
    return (time.perf_counter() - before) * 1000


def _games(folder: Path) -> Iterator[Diagnosis]:
    """Whether the last games can be read to their ends, and of how many there is sound."""
    journals = sorted(folder.glob("*.db"), key=lambda path: path.stat().st_mtime)
    newest = [path for path in journals if ".damaged-" not in path.name][-_GAMES:]
    bad = 0
    for path in newest:
        try:
            with Journal(path, read_only=True) as journal:
                for _ in journal.facts():
                    pass
        except JournalError as error:
            bad += 1
            yield Diagnosis(False, "games", str(error), "A game cannot be read to its end.")
    if newest and not bad:
        yield Diagnosis(
            True, "games", f"Games that were read to their ends: the last {len(newest)}."
        )
    taped = sum(beside(path).is_dir() for path in journals)
    if taped:
        yield Diagnosis(
            True, "tape", f"Games with sound on tape: {taped}; blindplay forget removes a game's."
        )


def _clock() -> Diagnosis:
    """The games' clock must go forward only, in steps that are small beside a second; the time of
    day says how long a table was down."""
    known = time.get_clock_info("monotonic")
    readings = [time.monotonic() for _ in range(10_000)]
    back = any(later < earlier for earlier, later in itertools.pairwise(readings))
    if back or not known.monotonic or known.resolution > 0.05:
        return Diagnosis(
            False, "clock", "This machine's clock is not good enough to time a game; take another."
        )
    if datetime.date.today().year < 2025:
        return Diagnosis(
            False,
            "clock",
            f"The date of this machine is {datetime.date.today()}; set it: records bear it.",
        )
    return Diagnosis(True, "clock", "The clock that times games goes forward, and finely enough.")


def _console() -> Diagnosis:
    try:
        with socket.create_server(("127.0.0.1", _PORT)):
            pass
    except OSError:
        return Diagnosis(
            False,
            "console",
            f"Another program has port {_PORT}; if you want the pages of --console, name another "
            "with --console-port.",
        )
    return Diagnosis(True, "console", f"The pages of --console can be served at port {_PORT}.")


def _private() -> Iterator[Diagnosis]:
    """Folders with names or voices that others on this machine may look into."""
    if os.name != "posix":
        return  # Windows gives a user's folders to him alone
    folders = [
        storage.tables_folder(),
        speaker_models.players_folder(),
        speaker_preferences.folder(),
    ]
    open_ = [path for path in folders if path.is_dir() and path.stat().st_mode & 0o077]
    for path in open_:
        yield Diagnosis(
            False,
            "private",
            f"Others on this machine may look into {path}, where names are; run: "
            f'chmod go= "{path}"',
        )
    if not open_:
        yield Diagnosis(True, "private", "Nobody else on this machine may look into your games.")


def _packages() -> Diagnosis:
    """Python, and the packages that run BlindPlay against those it was tested with."""
    tested = _locked()
    others = []
    there = _installed()
    for name, version in there.items():
        if name in tested and version not in tested[name]:
            others.append(f"{name} {version} instead of {' or '.join(sorted(tested[name]))}")
    python = f"Python {platform.python_version()}"
    if not tested:
        return Diagnosis(True, "packages", f"{python} with {len(there)} packages.")
    if not others:
        return Diagnosis(
            True, "packages", f"{python}, and all {len(there)} packages are as they were tested."
        )
    return Diagnosis(
        True,
        "packages",
        f"{python}; of {len(there)} packages these are not as they were tested: "
        f"{'; '.join(sorted(others))}.",
    )


def _installed() -> dict[str, str]:
    """The versions of the packages that BlindPlay runs with, as far as they are there."""
    found: dict[str, str] = {}
    wanted = ["blindplay"]
    while wanted:
        name = wanted.pop()
        try:
            package = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            continue  # for another system, or gone
        found[name] = package.version
        for line in package.requires or ():
            other = re.split(r"[^\w.-]", line, maxsplit=1)[0]
            other = re.sub(r"[-_.]+", "-", other).lower()
            if not re.search(r"\bextra\b", line) and other not in found:
                wanted.append(other)
    del found["blindplay"]
    return found


def _locked() -> dict[str, set[str]]:
    """The versions that were tested, by the packages' names; nothing if that is not known."""
    inside = resources.files("blindplay").joinpath("locks", "packages.txt")
    beside_it = Path(__file__).resolve().parent.parent.parent / "locks" / "packages.txt"
    try:
        text = (inside if inside.is_file() else beside_it).read_text("utf-8")
    except OSError:
        return {}
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def report(findings: Iterable[Diagnosis]) -> str:
    """Findings and versions as a text for others: without sound, and without names of people, of
    this machine, or of devices."""
    lines = [
        f"BlindPlay {__version__}",
        f"{platform.system()} {platform.release()}, {platform.machine()}",
        f"{platform.python_implementation()} {platform.python_version()}",
        *(f"{name} {version}" for name, version in sorted(_installed().items())),
        "",
    ]
    for one in findings:
        said = one.sentence if one.shared is None else one.shared
        lines.append(f"{'Good' if one.ok else 'Missing'}, {one.about}: {said}")
    return nameless("\n".join(lines) + "\n")


def nameless(text: str) -> str:
    """``text`` with the home folder as ~, and NAME for the names of the user, of this machine, and
    of the players that are known here."""
    for home in {str(Path.home()), str(Path.home().resolve()), Path.home().as_posix()}:
        if len(home) > 1:
            text = re.sub(re.escape(home) + r"(?![\w-])", "~", text, flags=re.IGNORECASE)
    names = {_user(), platform.node(), platform.node().partition(".")[0]}
    for player in speaker_preferences.players():
        names |= {player, *player.split()}
    for name in sorted(names, key=len, reverse=True):
        if len(name) > 2:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "NAME", text, flags=re.IGNORECASE)
    return text


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name
        return ""


def _brltty() -> Diagnosis | None:
    """brltty grabs the USB adapters (CH340, CP210x) that boards are built with."""
    if not sys.platform.startswith("linux"):
        return None
    for name in Path("/proc").glob("[0-9]*/comm"):
        try:
            running = name.read_text().strip() == "brltty"
        except OSError:
            continue
        if running:
            return Diagnosis(
                False,
                "brltty",
                "brltty is running and may take the board's USB adapter; if the board is not "
                "found, tell brltty which port your Braille display has.",
            )
    return Diagnosis(True, "brltty", "brltty is not running, so it takes no USB adapter.")
