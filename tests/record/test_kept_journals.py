"""Journals of each released version: the present one reads them, and no damage makes another game.

``journals/<version>/<game>.jsonl`` is a journal as that version wrote it, ``.pgn`` its record. Both
stay as they are. ``python -m tests.record.test_kept_journals`` adds those of the present version
before its release.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.laws.facts import FORMAT, Setup, loads
from blindplay.record import Journal, JournalError, read_journal
from blindplay.record.journal import is_journal
from blindplay.record.signatures import verify
from blindplay.record.writing import BrokenGameError, RecordFormat, Scored
from blindplay.table.table import with_id
from blindplay.version import VERSION
from tests.record.test_replays import PATHS, steps

FOLDER = Path(__file__).with_name("journals")
KEPT = sorted(FOLDER.glob("*/*.jsonl"))
kept_journals = pytest.mark.parametrize("kept", KEPT, ids=lambda path: path.stem)


def scored(path: Path) -> str:
    try:
        return Scored.of(path).write(RecordFormat.PGN)
    except BrokenGameError as broken:
        return broken.before.write(RecordFormat.PGN)


def test_there_are_journals_of_the_present_version() -> None:
    assert len(list((FOLDER / VERSION).glob("*.jsonl"))) >= 10


@kept_journals
def test_a_journal_of_a_released_version_is_read_whole(kept: Path) -> None:
    read = read_journal(kept)
    setup = read.facts[0]
    assert isinstance(setup, Setup) and 0 < setup.format <= FORMAT
    assert read.whole == kept.read_bytes() and not read.trouble and not read.repaired
    assert all(finding.holds for finding in verify(kept))
    assert scored(kept) == kept.with_suffix(".pgn").read_text("utf-8")


def flipped(content: bytes, seed: int, step: int) -> Iterator[bytes]:
    """``content`` with a flipped bit, once in each ``step`` lines, and in the last one."""
    chance, end = random.Random(seed), 0
    lines = content.splitlines(keepends=True)
    for number, line in enumerate(lines):
        if number % step == 0 or number == len(lines) - 1:
            at = end + chance.randrange(len(line))
            yield (
                content[:at] + bytes((content[at] ^ 1 << chance.randrange(8),)) + content[at + 1 :]
            )
        end += len(line)


def check_that_nothing_is_lost(kept: Path, tmp_path: Path, changed: bytes) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(changed)
    whole, read = read_journal(kept), read_journal(path)
    assert is_journal(path)
    assert read.facts == whole.facts and not read.trouble and read.repaired


@kept_journals
def test_one_flipped_bit_takes_no_move(kept: Path, tmp_path: Path) -> None:
    for changed in flipped(kept.read_bytes(), 1, 40):
        check_that_nothing_is_lost(kept, tmp_path, changed)
    path = tmp_path / "game.jsonl"
    assert scored(path) == kept.with_suffix(".pgn").read_text("utf-8")
    assert not all(finding.holds for finding in verify(path))


@pytest.mark.long
@kept_journals
def test_no_flipped_bit_of_any_line_takes_a_move(kept: Path, tmp_path: Path) -> None:
    for seed in range(20):
        for changed in flipped(kept.read_bytes(), seed, 1):
            check_that_nothing_is_lost(kept, tmp_path, changed)


def spoilt(content: bytes, chance: random.Random) -> bytes:
    """``content`` after something that happens to files."""
    lines = content.splitlines(keepends=True)
    at, count = chance.randrange(len(lines)), chance.randrange(1, 4)
    start = chance.randrange(len(content))
    match chance.randrange(5):
        case 0:  # lines are gone
            return b"".join(lines[:at] + lines[at + count :])
        case 1:  # a block is empty
            return content[:start] + bytes(512) + content[start + 512 :]
        case 2:  # a block is of another file
            return content[:start] + chance.randbytes(512) + content[start + 512 :]
        case 3:  # some bytes are wrong
            places = {chance.randrange(len(content)) for _ in range(count + 1)}
            return bytes(b ^ 1 + chance.randrange(255) if n in places else b
                         for n, b in enumerate(content))  # fmt: skip
        case _:  # a person has edited a line
            words = lines[at].replace(b"white", b"black").replace(b"e", b"f", count)
            return b"".join([*lines[:at], words, *lines[at + 1 :]])


def check_that_no_other_fact_is_given(kept: Path, tmp_path: Path, changed: bytes) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(changed)
    try:
        read = read_journal(path)
        given = scored(path)
    except JournalError:
        return  # nothing is left of the first line
    whole = read_journal(kept)
    assert read.facts == whole.facts[: len(read.facts)]
    assert ("cannot be read to its end" in given) is bool(read.fault)
    # Without a pulse or a seal, nobody knows that lines are missing at the end.
    if not kept.read_bytes().startswith(changed):
        assert read.fault or read.repaired
        assert not all(finding.holds for finding in verify(path))


@kept_journals
def test_no_damage_gives_a_move_that_was_not_played(kept: Path, tmp_path: Path) -> None:
    chance = random.Random(kept.name)
    for _ in range(4):
        check_that_no_other_fact_is_given(kept, tmp_path, spoilt(kept.read_bytes(), chance))


@pytest.mark.long
@kept_journals
def test_no_damage_ever_gives_a_move_that_was_not_played(kept: Path, tmp_path: Path) -> None:
    chance = random.Random(kept.name)
    for _ in range(1000):
        check_that_no_other_fact_is_given(kept, tmp_path, spoilt(kept.read_bytes(), chance))


if __name__ == "__main__":
    for replayed in PATHS[::2]:
        place = FOLDER / VERSION / replayed.name
        if not place.exists():
            with Journal(place) as journal:
                for line, _rulings in steps(replayed):
                    fact = loads(line)
                    journal.append(with_id(fact) if isinstance(fact, Setup) else fact)
            place.with_suffix(".pgn").write_text(scored(place), encoding="utf-8")
