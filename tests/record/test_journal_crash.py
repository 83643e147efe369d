"""A model of the journal's life: killed, without power, on a full disk, moved, damaged.

The model knows only the facts that were written without an error. Whatever happens, in any order,
those facts stay, in their order, and nothing else is ever read but the facts that were on their way
when the table died.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, files, pulse, read_journal
from tests.record.disks import PowerCutError, failing

CALLS = ("write", "sync", "truncate", "open_file", "lock", "read")
SIZES = st.lists(st.sampled_from([0, 1, 30, 300, 5000]), min_size=1, max_size=3)


class JournalLife(RuleBasedStateMachine):
    """One game, its journal, and everything that can happen to both."""

    @initialize()
    def begin(self) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(files, "sync", self.sync)
        self.patch.setattr(files, "sync_folder", lambda folder: None)
        self.folder = Path(tempfile.mkdtemp(prefix="blindplay-journal-"))
        self.path = self.folder / "game.jsonl"
        self.synced: dict[tuple[int, int], int] = {}  # by file: so many bytes are on the disk
        self.t = 0
        self.damaged_at = -1  # facts that were left by the last damage: it is told until one more
        self.written: list[Fact] = [f.Setup(t=0)]
        self.waiting: list[Fact] = []  # could not be written yet
        self.journal = Journal(self.path)
        self.journal.append(self.written[0])

    def teardown(self) -> None:
        if hasattr(self, "journal"):
            self.journal.close()
            self.patch.undo()
            shutil.rmtree(self.folder)

    def sync(self, handle: int) -> None:
        """In place of the slow real thing: note what would be on the disk now."""
        stands = os.fstat(handle)
        self.synced[stands.st_dev, stands.st_ino] = stands.st_size

    def new(self, sizes: list[int]) -> list[Fact]:
        self.t += len(sizes)
        first = self.t - len(sizes) + 1
        return [
            f.Record(t=first + at, by="white", ply=1, text="x" * size)
            for at, size in enumerate(sizes)
        ]

    def assert_refused(self, why: str, act: Callable[[], None]) -> None:
        try:
            act()
        except JournalError as error:
            assert why in str(error)
        else:
            raise AssertionError("it was not refused")

    # --- what the table does -------------------------------------------------------------------

    @rule(sizes=SIZES)
    def write(self, sizes: list[int]) -> None:
        facts = self.new(sizes)
        self.journal.append(*facts)
        self.written += self.waiting + facts
        self.waiting = []

    @rule()
    def save(self) -> None:
        self.journal.save()
        self.written += self.waiting
        self.waiting = []

    @rule()
    def beat(self) -> None:
        self.journal.beat(self.t)

    @rule(sizes=SIZES, calls=st.sampled_from([("write",), ("sync",), ("write", "truncate")]),
          taken=st.integers(0, 800))  # fmt: skip
    def write_on_a_full_disk(self, sizes: list[int], calls: tuple[str, ...], taken: int) -> None:
        facts = self.new(sizes)
        with failing(*calls, taken=taken):
            self.assert_refused("cannot be written", lambda: self.journal.append(*facts))
        self.waiting += facts

    # --- what happens to it --------------------------------------------------------------------

    def die(self) -> None:
        """The process is gone; the system closes its files."""
        self.journal._release()
        self.journal._pulse.close()

    def resume(self) -> None:
        self.journal = Journal(self.path, resume=True)
        facts = self.journal.facts()
        on_their_way = self.written + self.waiting
        assert facts == on_their_way[: len(facts)] and len(facts) >= len(self.written)
        if len(facts) < len(on_their_way) and self.journal.damaged:
            self.damaged_at = len(facts)  # people were told facts that could not be written
        self.written, self.waiting = facts, []

    @rule()
    def kill_while_nothing_is_written(self) -> None:
        self.die()
        self.resume()

    @rule(sizes=SIZES, after=st.integers(0, 6), taken=st.integers(0, 800))
    def kill_while_something_is_written(self, sizes: list[int], after: int, taken: int) -> None:
        facts = self.new(sizes)
        with failing(*CALLS, after=after, taken=taken, error=PowerCutError()):
            try:
                self.journal.append(*facts)
            except PowerCutError:
                self.waiting += facts
            else:
                self.written += self.waiting + facts
                self.waiting = []
        self.die()
        self.resume()
        assert not self.journal.damaged or self.damaged_at == len(self.written)

    @rule(sizes=SIZES, kept=st.integers(0, 800), zeros=st.booleans(), pulse_kept=st.booleans())
    def cut_the_power(self, sizes: list[int], kept: int, zeros: bool, pulse_kept: bool) -> None:
        """Of what was not synced, the disk has any part, or only room for it."""
        facts = self.new(sizes)
        with failing("sync", error=PowerCutError()), contextlib.suppress(PowerCutError):
            self.journal.append(*facts)
        self.waiting += facts
        self.die()
        stands = self.path.stat()
        certain = self.synced[stands.st_dev, stands.st_ino]
        content = self.path.read_bytes()
        rest = content[certain:][:kept]
        self.path.write_bytes(content[:certain] + (bytes(len(rest)) if zeros else rest))
        if not pulse_kept:
            files.pulse_of(self.path).unlink(missing_ok=True)
        self.resume()
        assert not self.journal.damaged or self.damaged_at == len(self.written)

    @precondition(lambda self: os.name != "nt" and not self.waiting)
    @rule(deleted=st.booleans())
    def move_or_delete_the_file(self, deleted: bool) -> None:
        if deleted:
            self.path.unlink()
        else:
            self.path.replace(self.path.with_name("away.jsonl"))
        self.assert_refused("moved or deleted", self.journal.save)

    @precondition(lambda self: not self.waiting)
    @rule(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
    def flip_a_bit(self, place: float, bit: int) -> None:
        """Damage: the digests prove all facts, but for those from a line on that is too long to
        try. The damaged file is kept."""
        self.die()
        content = bytearray(self.path.read_bytes())
        at = int(place * len(content))
        before, line = content.count(b"\n", 0, at), content[content.rfind(b"\n", 0, at) + 1 :]
        content[at] ^= 1 << bit
        self.path.write_bytes(content)
        read = read_journal(self.path)
        with Journal(self.path, resume=True) as journal:
            assert journal.notes and journal.damaged is bool(read.fault and not read.torn)
            facts = journal.facts()
            assert facts == self.written or (
                len(line.split(b"\n")[0]) > 2000 and facts == self.written[:before]
            )
            self.written = facts
        if read.repaired or not read.torn:
            self.damaged_at = len(self.written)
            copies = files.damaged_copies(self.path)
            assert bytes(content) in {copy.read_bytes() for copy in copies}
        self.resume()

    @invariant()
    def the_file_holds_what_was_written(self) -> None:
        if not hasattr(self, "journal"):
            return
        read = read_journal(self.path)
        assert read.facts[: len(self.written)] == self.written
        assert read.facts == (self.written + self.waiting)[: len(read.facts)]
        assert self.waiting or not read.trouble or read.torn or self.journal.damaged
        assert self.journal.unwritten == len(self.waiting)
        beat = pulse.last_beat(self.path)
        assert beat is None or beat.facts <= len(self.written + self.waiting)


@pytest.mark.parametrize("lives", [20, pytest.param(1000, marks=pytest.mark.long)])
def test_whatever_happens_no_fact_that_was_written_is_lost(
    monkeypatch: pytest.MonkeyPatch, lives: int
) -> None:
    monkeypatch.setattr("blindplay.record.journal._REREAD_S", 0)  # nobody completes a torn line
    plan = settings(max_examples=lives, stateful_step_count=25)
    run_state_machine_as_test(JournalLife, settings=plan)
