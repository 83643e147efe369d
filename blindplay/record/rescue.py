"""Going on with a game whose table was killed, whatever the disk has made of its journal.

A damaged journal is evidence: it is kept as it is, under another name, with everything beside it,
and a fresh one with its facts up to the last whole one takes its place. Nothing is ever deleted.
The fresh one is complete on the disk before the old one is moved, and moving goes on where it was
stopped, so a second power cut in the midst of it does no harm.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from blindplay.laws.facts import Fact

from .files import around, aside
from .journal import Journal, JournalError, linked
from .pulse import is_running
from .salvage import salvage


@dataclass(frozen=True)
class Reopened:
    """A journal to go on with; what was wrong with it, and where the damaged one is kept now: None
    as long as it had to be left where it was."""

    journal: Journal
    damage: str = ""
    evidence: Path | None = None


def reopen(path: Path) -> Reopened:
    """Open the journal at ``path`` to go on with its game.

    It may be damaged, then it goes on after its last whole fact; and it may lie where nothing can
    be written, damaged or not, then its facts are kept in memory until something can.

    :raises JournalError: if there is none, it holds no whole fact, or a table runs with it.
    """
    if is_running(path):
        raise JournalError(
            f"A table is playing the game in {path} at this moment; close that one first."
        )
    evidence = _finish(path)
    facts, damage = _whole_facts(path)
    if not damage:
        if evidence is not None:  # whoever found it was killed before he could say so
            damage = f"The journal {path} was damaged and has been put aside."
        return Reopened(Journal(path, create=False, whatever_happens=True), damage, evidence)
    if not facts:
        raise JournalError(damage)

    def restore() -> Path | None:
        fresh = aside(path, "restoring")
        for old in (fresh, *around(fresh)):
            old.unlink(missing_ok=True)  # of a restoration that was not finished
        with Journal(fresh) as journal:
            journal.extend(facts)
        fresh.replace(aside(path, "restored"))
        return _finish(path)

    try:
        evidence = restore()
    except (JournalError, OSError):  # a full disk ends no game; nor does it cost the evidence
        return Reopened(Journal(path, restore=restore, restored=facts), damage)
    return Reopened(Journal(path, create=False, whatever_happens=True), damage, evidence)


def _finish(path: Path) -> Path | None:
    """Put the restored journal, if there is one, in the place of the damaged one, and give the
    damaged one's new name."""
    restored = aside(path, "restored")
    if not restored.exists():
        return None
    number = 1
    while (evidence := aside(path, f"damaged-{number}")).exists():
        number += 1
    # The journal itself last: as long as it is there, the name of its evidence stays the same.
    for old, new in zip((*around(path), path), (*around(evidence), evidence), strict=True):
        if old.exists():
            old.replace(new)
    restored.replace(path)
    return evidence


def _whole_facts(path: Path) -> tuple[list[Fact], str]:
    """The facts up to the last whole one, and what is wrong with those after it; "" if nothing."""
    facts: list[Fact] = []
    damage = ""
    try:
        try:
            journal = Journal(path, read_only=True)
        except JournalError as error:
            if not path.is_file():
                raise
            return _whole_facts_of_a_copy(path, str(error))
        with journal:
            for fact in journal.facts():
                facts.append(fact)  # one by one: those before the damage are kept
    except JournalError as error:
        if not path.is_file():
            raise
        damage = str(error)
    # SQLite passes over a log in silence from its first spoiled byte on.
    salvaged = salvage(path, linked)
    if len(salvaged) > len(facts):
        facts = salvaged
        damage = damage or (
            f"The log beside the journal {path} is damaged; keep the files as they are, and "
            "compare the position with the scoresheets."
        )
    return facts, damage


def _whole_facts_of_a_copy(path: Path, why: str) -> tuple[list[Fact], str]:
    """SQLite makes files beside a database even to read it; where it cannot, read a copy. ``why``
    it could not be read where it is, is what is wrong if the copy cannot be read either."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        try:
            for file in (path, *around(path)):
                if file.exists():
                    shutil.copyfile(file, copy.with_name(file.name))
            with Journal(copy, read_only=True) as journal:
                return list(journal.facts()), ""
        except (JournalError, OSError):
            return salvage(path, linked), why
