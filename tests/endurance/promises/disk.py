"""Files that are full, taken away, replaced and damaged."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.endurance.promises import journal
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.table import (
    OPTIONS,
    READY,
    Person,
    Process,
    command,
    environment,
    printed,
    replayed,
    run,
    untold,
)


def _replace(path: Path, content: bytes) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(content)
    other.replace(path)


def _other_game(path: Path) -> None:
    facts = b'{"n":1,"wall":1.0,"fact":{"t":0,"fact":"setup","id":"other"}'
    digest = hashlib.sha256(facts).hexdigest()[:32].encode()
    _replace(path, facts + b',"digest":"' + digest + b'"}\n')


def _folder_away(path: Path) -> None:
    path.parent.rename(path.parent.with_name("away"))


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _pipe(path: Path) -> None:
    path.unlink()
    if sys.platform != "win32":
        os.mkfifo(path)


def _link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def _overwrite(path: Path, content: bytes) -> None:
    with path.open("r+b") as file:
        file.write(content)
        file.truncate()


ATTACKS: Mapping[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "moved": lambda path: path.rename(path.with_name("moved")),
    "folder moved": _folder_away,
    "folder deleted": lambda path: shutil.rmtree(path.parent),
    "replaced by a copy": lambda path: _replace(path, path.read_bytes()),
    "replaced by another game": _other_game,
    "replaced by a folder": _directory,
    "replaced by a link": _link,
    "replaced by a pipe": _pipe,
    "replaced by nothing": lambda path: _replace(path, b""),
    "emptied": lambda path: _overwrite(path, b""),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut in a line": lambda path: os.truncate(path, path.stat().st_size - 9),
    "appended to": lambda path: path.open("ab").write(b"rubbish"),
    "written over": lambda path: _overwrite(path, b"x" * path.stat().st_size),
    "no permissions": lambda path: path.chmod(0),
    "pulse deleted": lambda path: path.with_suffix(".pulse").unlink(),
    "pulse spoilt": lambda path: path.with_suffix(".pulse").write_bytes(bytes(256)),
    "options deleted": lambda path: path.with_suffix(".options").unlink(),
}
"""What somebody does to the journal of a game that is being played."""


def taken(folder: Path, figures: Figures, seed: int, name: str) -> None:
    """Attack the journal in the middle of a game, and look for everything that was told."""
    chance = random.Random(seed)
    place = folder / "games"
    place.mkdir()
    path = place / "game.jsonl"
    table = Process(folder, "play", *OPTIONS, "--journal", path)
    person = Person(chance)
    faults: list[str] = []
    table.says("Press Enter")
    table.type()
    person.play(table, 4)
    before = len(table.lines)
    ATTACKS[name](path)
    person.play(table, 4)
    time.sleep(1.2)
    said = [line for line in table.lines[before:] if "said to everybody" in line]
    told = [
        line for line in said if any(word in line.lower() for word in ("journal", "saved", "save"))
    ]
    kill = chance.random() < 0.5
    if kill:
        table.kill()
    else:
        table.type("quit")
        if status := table.end():
            faults.append(f"exit status {status}")
    faults += _kept(folder, place, table, kill)
    harmless = "pulse", "options", "no permissions", "replaced by a copy"
    if not told and not name.startswith(harmless):
        faults.append(f"nobody was told: {table.lines[before:]}")
    figures.add("journal taken", 1, faults, f"{name} in {folder}")


def _kept(folder: Path, place: Path, table: Process, killed: bool) -> list[str]:
    """Return what is wrong with the best journal in this folder."""
    if "Traceback" in table.text:
        return [table.text[table.text.index("Traceback") :]]
    rulings, faults = printed(table.lines), []
    for path in sorted(place.glob("*.jsonl*"), key=lambda path: path.name):
        if not path.is_file() or not journal.facts(path.read_bytes())[1]:
            continue
        if run(folder, "replay", "--journal", path)[0]:
            continue
        lost, gaps = untold(rulings, replayed(folder, path))
        if not lost and (not gaps or (killed and set(gaps) == {len(rulings)})):
            return []
        faults.append(f"{path.name}: {len(lost)} lost, {len(gaps)} not told: {lost[:2]}")
    return faults or [f"no journal: {sorted(place.iterdir())}"]


class SmallDisk:
    """A file system of 256 KiB, or None where this user may mount nothing."""

    def __init__(self, place: Path) -> None:
        place.mkdir(exist_ok=True)
        self.place = place
        line = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)]
        try:
            self.there = subprocess.run(line, capture_output=True, check=False).returncode == 0
        except OSError:
            self.there = False

    def fill(self, left: int = 0) -> None:
        """Leave so many bytes."""
        with (self.place / "ballast").open("ab", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        if left:
            os.truncate(self.place / "ballast", (self.place / "ballast").stat().st_size - left)

    def free(self) -> None:
        """Make room."""
        (self.place / "ballast").unlink()

    def unmount(self) -> None:
        """Take the disk away."""
        if self.there:
            subprocess.run(["umount", "-l", str(self.place)], check=False)


def full(folder: Path, figures: Figures, seed: int) -> None:
    """Fill the disk in the middle of a game, free it again, and do so twice."""
    chance = random.Random(seed)
    disk = SmallDisk(folder / "disk")
    if not disk.there:
        return
    path = disk.place / "game.jsonl"
    faults: list[str] = []
    try:
        table = Process(folder, "play", *OPTIONS, "--journal", path)
        table.says("Press Enter")
        person = Person(chance)
        table.type()
        person.play(table, chance.randrange(4))
        for _ in range(2):
            before = len(table.lines)
            disk.fill(chance.choice([0, 0, 4096]))
            for _ in range(30):
                person.play(table, 2)
                if table.says("disk", "not saved", "cannot be", after=before, seconds=0.1):
                    break
            person.play(table, 4)
            said = [line for line in table.lines[before:] if "said to everybody" in line]
            aloud = [line for line in said if "save" in line or "disk" in line or "written" in line]
            if len(aloud) != 1:
                faults.append(f"said {len(aloud)} times that the disk is full: {aloud}")
            if not journal.facts(path.read_bytes())[1]:
                faults.append("the journal is torn while the disk is full")
            between = len(table.lines)
            disk.free()
            if not table.says("saved", "written", after=between, seconds=20):
                faults.append("nobody was told that all is saved again")
            person.play(table, 2)
        whole = len(printed(table.lines))
        disk.fill()
        person.play(table, 6)
        table.kill()
        held = replayed(folder, path, whole=False)  # the pulse shows that facts are missing
        lost = untold(printed(table.lines), held)[0]
        if untold(printed(table.lines)[:whole], held)[0] or len(held) < whole:
            faults.append("what was saved before the disk was full is lost")
        again = Process(folder, "play", *OPTIONS, "--journal", path, "--resume")
        again.says(*READY)
        if lost and not any("said to everybody" in x and "damaged" in x for x in again.lines):
            faults.append(f"nobody was told that {len(lost)} rulings are missing: {again.lines}")
        disk.free()
        again.type()
        again.type("quit")
        again.end()
        faults += [again.text] * ("Traceback" in again.text)
        faults += [table.text] * ("Traceback" in table.text)
        figures.count("full disk", rulings=whole, missing=len(lost))
    finally:
        disk.unmount()
    figures.add("full disk", 3, faults, str(folder))


READERS: Mapping[str, tuple[str, ...]] = {
    "verify": ("verify",),
    "replay": ("replay", "--journal"),
    "score": ("score",),
    "sheet": ("score", "--format", "sheet"),
    "review": ("review", "--silent"),
}


def _sound(folder: Path, chance: random.Random) -> Path:
    """Play a short game in this folder, and return its journal."""
    path = folder / "game.jsonl"
    table = Process(folder, "play", *OPTIONS, "--journal", path)
    table.says(*READY)
    table.type()
    Person(chance).play(table, 6)
    table.type("quit")
    table.end()
    return path


def _rulings(folder: Path, facts: list[journal.Fact]) -> list[str]:
    text = "".join(json.dumps(fact) + "\n" for fact in facts)
    line = command("replay", "-")
    done = subprocess.run(line, input=text, env=environment(folder), capture_output=True, text=True)
    return done.stdout.splitlines()


def damaged(folder: Path, figures: Figures, seed: int, name: str) -> None:
    """Damage a copy of a whole journal, read it with every command, and resume it."""
    chance = random.Random(seed)
    (folder / "sound").mkdir()
    sound = _sound(folder / "sound", chance)
    path = folder / "game.jsonl"
    content = journal.DAMAGES[name](sound.read_bytes(), chance)
    path.write_bytes(content)
    if chance.random() < 0.5:
        shutil.copy(sound.with_suffix(".pulse"), path.with_suffix(".pulse"))
    believed, whole = journal.facts(content)
    faults: list[str] = []
    answers = {}
    for reader, words in READERS.items():
        status, text = run(folder, *words, path)
        answers[reader] = (status, text)
        if "Traceback" in text or status not in (0, 1, 2):
            faults.append(f"{reader}: {status} {text[-1500:]}")
        if path.read_bytes() != content:
            faults.append(f"{reader} changed the journal")
    least, most = (_rulings(folder, facts) for facts in (believed, journal.read(sound)))
    rulings = [x for x in answers["replay"][1].splitlines() if x.startswith("{")]
    if rulings != most[: len(rulings)] or len(rulings) < len(least):
        faults.append(f"{len(rulings)} rulings, of {len(least)} to {len(most)} that are right")
    good = answers["verify"][0] == 0
    if good and (not whole or not content.endswith(b"\n")):
        faults.append("verify finds nothing")
    table = Process(folder, "play", *OPTIONS, "--journal", path, "--resume")
    table.says("Press Enter", "is over")
    table.type()
    time.sleep(0.5)
    table.type("quit")
    status = table.end()
    if "Traceback" in table.text or status not in (0, 2):
        faults.append(f"resume: {status} {table.text[-1500:]}")
    if status == 0 and not whole:
        aloud = any("said to everybody" in x and "damaged" in x for x in table.lines)
        if not aloud and "is not as its table wrote it" not in table.text:
            faults.append(f"nobody was told of the damage: {table.lines[:8]}")
        copies = [x for x in folder.iterdir() if x.is_file() and x.read_bytes() == content]
        if content and not copies:
            faults.append(f"no exact copy was kept: {sorted(folder.iterdir())}")
    if status == 0 and journal.facts(path.read_bytes())[0][: len(believed)] != believed:
        faults.append("whole facts were not continued")
    if status == 2 and path.read_bytes() != content:
        faults.append("a journal that is not continued was changed")
    figures.add("damaged journal", 1, faults, f"{name} in {folder}")
    figures.count("damaged journal", reads=len(READERS) + 1)
