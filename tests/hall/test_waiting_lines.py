"""Lines that have no place yet: the ones that lead somewhere are found."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.copies import JournalCopy
from blindplay.hall.waiting_lines import WaitingLines
from blindplay.record.chain import digest_of

from .model_table import ModelTable, forged

TABLE = ModelTable(facts=6)
LINES = TABLE.lines


@pytest.fixture
def copy(tmp_path: Path) -> JournalCopy:
    """A copy whose last line, the fourth, is forged."""
    copy = JournalCopy(tmp_path / "copy", TABLE.game)
    for line in (*LINES[:3], forged(TABLE, 3)):
        copy.append(line)
    return copy


def waiting_for(*lines: bytes) -> WaitingLines:
    waiting = WaitingLines()
    for now, line in enumerate(lines):
        waiting.add(line, float(now))
    return waiting


def test_the_lines_that_lead_to_the_head_are_found(copy: JournalCopy) -> None:
    waiting = waiting_for(LINES[5], LINES[3], LINES[4])
    assert waiting.branch(copy, 6, digest_of(LINES[5])) == LINES[3:]
    assert waiting.branch(copy, 5, digest_of(LINES[4])) == LINES[3:5]


def test_where_a_line_lacks_there_is_no_branch(copy: JournalCopy) -> None:
    assert waiting_for(LINES[3], LINES[5]).branch(copy, 6, digest_of(LINES[5])) == []
    assert waiting_for(LINES[3]).branch(copy, 6, digest_of(LINES[5])) == []
    assert waiting_for(*LINES[3:]).branch(copy, 6, "0" * 32) == []


def test_a_line_with_a_copied_digest_leads_nowhere(copy: JournalCopy) -> None:
    false = LINES[4].replace(b'"tick"', b'"tack"')
    assert digest_of(false) == digest_of(LINES[4])
    waiting = waiting_for(false, *LINES[3:])
    assert waiting.branch(copy, 6, digest_of(LINES[5])) == LINES[3:]


def test_a_line_waits_once_until_it_is_removed(copy: JournalCopy) -> None:
    waiting = waiting_for(LINES[5], LINES[4], LINES[5])
    assert waiting.older_than(1.0) == [LINES[5]] and waiting.last == 6
    assert waiting.older_than(9.0) == LINES[4:]
    assert waiting.next_of(copy) is None
    for line in LINES[4:]:
        waiting.remove(line)
    assert not waiting and waiting.last == 0


def test_a_flood_of_lines_leaves_nothing_behind(copy: JournalCopy) -> None:
    lines = [b'{"n":%d,"fact":"tick"}\n' % number for number in range(1, 6000)]
    waiting = waiting_for(*lines)
    assert waiting.last == 5000  # as many lines of one table wait at most
    for line in lines[:5000]:
        waiting.remove(line)
    assert not waiting and waiting.last == 0
