"""The hall's copy of a journal: the same bytes as at the table."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.copies import Branches, JournalCopy, WaitingLines, branches_of, follows
from blindplay.laws import facts as f
from blindplay.record.chain import digest_of, encoded

from .model import ModelTable, forged

TABLE = ModelTable(facts=6)
LINES = TABLE.lines


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table-1" / "game.jsonl"


def filled(path: Path, count: int = 6) -> JournalCopy:
    copy = JournalCopy(path, TABLE.game)
    for line in LINES[:count]:
        copy.append(line)
    return copy


def test_lines_wait_in_memory_until_they_are_written(path: Path) -> None:
    copy = filled(path, 4)
    assert not path.exists() and copy.waits and list(copy.lines(2)) == LINES[1:4]
    copy.flush()
    assert path.read_bytes() == b"".join(LINES[:4]) and not copy.waits
    copy.append(LINES[4])
    assert list(copy.lines(4)) == LINES[3:5]


def test_a_copy_tells_its_lines_from_others(path: Path) -> None:
    copy = filled(path, 4)
    assert (copy.number, copy.digest(4), copy.digest(0)) == (4, digest_of(LINES[3]), "")
    assert copy.has(LINES[1], 2) and not copy.has(LINES[1], 3) and not copy.has(LINES[4], 5)
    assert copy.fits(LINES[4], 5) and not copy.fits(LINES[5], 6) and not copy.fits(LINES[5], 5)
    assert copy.fits(forged(TABLE, 4), 5) and not copy.has(forged(TABLE, 3), 4)
    assert not copy.fits(LINES[4][:-1], 5)


def test_the_first_line_must_be_that_of_the_game(path: Path) -> None:
    other = ModelTable(run="other")
    assert not JournalCopy(path, TABLE.game).fits(other.lines[0], 1)


@pytest.mark.parametrize(
    "spoilt",
    [b"", b"{", LINES[5][:-5], forged(TABLE, 2), b"\0" * 99],
    ids=["whole", "brace", "cut", "forged", "zeros"],
)
def test_a_file_is_read_up_to_its_last_whole_line_and_continued_there(
    path: Path, spoilt: bytes
) -> None:
    filled(path, 4).flush()
    with path.open("ab") as file:
        file.write(spoilt)
    copy = JournalCopy(path, TABLE.game)
    assert copy.number == 4
    for line in LINES[4:]:
        copy.append(line)
    copy.flush()
    assert path.read_bytes() == b"".join(LINES)


def test_lines_that_are_cut_off_leave_the_file(path: Path) -> None:
    copy = filled(path)
    copy.cut(3)
    assert (copy.number, copy.waits) == (3, True)
    copy.flush()
    assert path.read_bytes() == b"".join(LINES[:3])
    copy.append(LINES[3])
    copy.flush()
    assert path.read_bytes() == b"".join(LINES[:4])


@pytest.mark.parametrize("harm", ["remove", "shorten"])
def test_a_file_that_somebody_has_spoilt_is_noticed(path: Path, harm: str) -> None:
    copy = filled(path, 4)
    copy.flush()
    if harm == "remove":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-9])
    copy.append(LINES[4])
    with pytest.raises(OSError):
        copy.flush()
    assert copy.number == (0 if harm == "remove" else 3)


def test_a_line_follows_only_the_line_before_it() -> None:
    assert follows(LINES[2], 3, digest_of(LINES[1]))
    assert not follows(LINES[2], 4, digest_of(LINES[1]))
    assert not follows(LINES[2], 3, digest_of(LINES[0]))
    assert not follows(b"[" * 100_000 + b"\n", 3, "")


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


def test_versions_that_part_later_from_a_kept_one_are_kept_too(tmp_path: Path) -> None:
    copy = filled(tmp_path / f"{TABLE.game}.jsonl", 4)
    copy.flush()
    end = 5, digest_of(LINES[4])
    others = [encoded(f.Announce(t=9999, by="white", text=text), end)[0] for text in ("a", "b")]
    branches, whole = Branches(copy), set[bytes]()
    for last in (*others, others[0]):
        assert branches.keep([LINES[4], last])
        whole.add(b"".join((*LINES[:5], last)))
    assert branches.keep(LINES[4:5])  # a part of both
    assert branches.keep([others[1], encoded(f.Tick(t=10_000), (6, digest_of(others[1])))[0]])
    assert len(list(branches)) == 2
    for branch in branches_of(copy.path):
        assert any(branch.read_bytes().startswith(one) for one in whole)
    assert sorted(one.number for one in Branches(copy)) == [6, 7]
