"""One table as a hall follows it: gaps, forgeries, two tables, a full disk."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.protocol import Head, LinesWanted, encode
from blindplay.record import files, read_journal, signatures
from blindplay.record.chain import digest_of
from tests.record.disks import failing
from tests.record.test_signatures import PUBLIC, SECRET, STATEMENT

from .model_hall import ModelHall, text, whole
from .model_table import EVENT, ModelTable, forged


def test_a_copy_is_the_journal_byte_for_byte(hall: ModelHall, table: ModelTable) -> None:
    assert hall.copy(table) == whole(table)
    copy = hall.follower.tables["1"].copy
    assert copy is not None and len(read_journal(copy.path).facts) == 5
    assert hall.named() == []


def test_lines_that_come_before_the_ones_before_them_wait(
    hall: ModelHall, table: ModelTable
) -> None:
    first, second, third = table.play(3)
    for line in (third, second, first):
        hall.follower.receive(*table.journal([line]), hall.now)
    hall.follower.tick(hall.now)
    assert hall.copy(table) == whole(table)


def test_a_hall_that_starts_from_nothing_asks_for_everything(tmp_path: Path) -> None:
    table = ModelTable(facts=100)
    hall = ModelHall(tmp_path / "hall", table)
    hall.publish(table.head())
    hall.wait(2)
    assert hall.copy(table) == whole(table)


def test_a_table_that_leaves_is_told_when_the_copy_has_its_last_line(
    hall: ModelHall, table: ModelTable
) -> None:
    table.play(2)
    hall.publish(table.head())
    hall.wait(2)
    assert hall.copy(table) == whole(table) and hall.confirmed == []
    missing = table.play(2)
    end = LinesWanted(table.game, 10, digest_of(missing[-1]))
    table.leaves = True
    hall.follower.receive(*table.head(), hall.now)
    hall.follower.tick(hall.now)
    assert hall.confirmed == []
    with failing("write"):
        hall.follower.receive(*table.journal(missing), hall.now)
        hall.follower.tick(hall.now)
        assert hall.confirmed == []
    hall.wait(10)
    assert hall.copy(table) == whole(table)
    told = len(hall.confirmed)
    assert hall.confirmed == [end] * told and told > 0
    hall.publish(table.head())  # the word may have been lost
    hall.wait(1)
    assert hall.confirmed == [end] * (told + 1)


def test_a_hall_that_was_killed_within_a_line_goes_on(hall: ModelHall, table: ModelTable) -> None:
    path = hall.folder / "table-1" / f"{table.game}.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    hall.start()
    table.play(2)
    hall.settle()
    assert hall.copy(table) == whole(table)


def test_a_line_whose_digest_is_wrong_is_named(hall: ModelHall, table: ModelTable) -> None:
    line = table.lines[2].replace(b'"t":0.02', b'"t":0.01')
    assert line != table.lines[2] and digest_of(line) == digest_of(table.lines[2])
    hall.publish(table.journal([line]))
    hall.settle()
    assert hall.named("forged") == [text(line)]
    assert hall.copy(table) == whole(table)


@pytest.mark.parametrize("after", [2, 5])
def test_a_forged_line_that_fits_the_chain_is_taken_out_and_named(
    hall: ModelHall, table: ModelTable, after: int
) -> None:
    """Anybody can compute a digest: what the table says of its journal decides."""
    line = forged(table, after)
    hall.publish(table.journal([line]))
    hall.wait(1)
    hall.settle()
    assert hall.named("forked") == [text(line)]
    assert hall.copy(table) == whole(table)


def test_forged_lines_in_the_place_of_coming_ones_are_taken_out_and_named(
    hall: ModelHall, table: ModelTable
) -> None:
    rogue = ModelTable(run="rogue")
    rogue.lines = [*table.lines, forged(table, 5)]
    rogue.play(2)
    hall.publish(table.journal(rogue.lines[5:]))
    hall.wait(1)
    hall.publish(table.journal(table.play(5)), table.head())
    hall.settle()
    assert hall.named("forked") == [text(line) for line in rogue.lines[5:]]
    assert hall.copy(table) == whole(table)


def test_a_forged_head_is_named_and_changes_nothing(hall: ModelHall, table: ModelTable) -> None:
    head = Head("run-1", 50, table.game, 3, "0" * 32, 0.0, 0.0)
    hall.publish((table.topic("head"), encode(head)))
    hall.wait(2)
    table._seq = 50
    hall.settle()
    assert "head" in hall.named()
    assert hall.copy(table) == whole(table)


@pytest.mark.parametrize(("number", "game"), [(99, ""), (3, ""), (4, "8" * 32)])
def test_a_head_that_nothing_bears_out_is_named(
    hall: ModelHall, table: ModelTable, number: int, game: str
) -> None:
    """A line that the journal does not have, another digest, and a game that nobody knows."""
    head = Head("x", 1, game or table.game, number, "9" * 32, 0.0, 0.0)
    hall.publish((table.topic("head"), encode(head)))
    hall.wait(1)
    for _ in range(4):
        hall.publish(table.head())
        hall.wait(10)
    assert hall.named("head") == [game or f"{number} {'9' * 32}"]
    assert hall.copy(table) == whole(table)


def test_a_forged_line_and_a_forged_head_that_fit_each_other_are_both_named(
    hall: ModelHall, table: ModelTable
) -> None:
    line = forged(table, 5)
    head = Head("x", 1, table.game, 6, digest_of(line), 0.0, 0.0)
    hall.publish(table.journal([line]), (table.topic("head"), encode(head)))
    hall.wait(1)
    hall.publish(table.journal(table.play(2)), table.head())
    hall.settle()
    assert hall.named("forked") == [text(line)]
    assert hall.named("head") == [f"6 {digest_of(line)}"]
    assert hall.copy(table) == whole(table)


def test_a_table_says_who_else_publishes_under_its_name(hall: ModelHall, table: ModelTable) -> None:
    topic, payload = table.head()
    said = payload.replace(b'"strangers":[]', b'"strangers":["run-9"]')
    assert said != payload
    hall.publish((topic, said))
    hall.settle()
    assert hall.named("two_tables") == ["run-9"]


def test_a_line_of_a_game_that_is_not_known_yet_is_no_forgery(
    hall: ModelHall, table: ModelTable
) -> None:
    new = ModelTable(run="new", facts=4)
    hall.publish(table.head(), new.journal(new.lines))
    hall.wait(8)
    hall.tables = (new,)
    hall.settle()
    assert hall.copy(new) == whole(new)
    assert hall.copy(table) == whole(table)
    assert hall.named("forged", "forked") == []


def test_two_tables_with_one_name_are_named_and_both_are_copied(tmp_path: Path) -> None:
    one, other = ModelTable(run="one", facts=3), ModelTable(run="other", facts=7)
    hall = ModelHall(tmp_path / "hall", one, other)
    hall.settle()
    assert "two_tables" in hall.named()
    assert (hall.copy(one), hall.copy(other)) == (whole(one), whole(other))


def signed(table: ModelTable, result: str) -> bytes:
    """The signature of the journal as it is."""
    end = len(table.lines), digest_of(table.lines[-1])
    statement = replace(STATEMENT, event=EVENT, table=table.name, game=table.game,
                        n=end[0], digest=end[1], result=result)  # fmt: skip
    return signatures.signed(statement, SECRET)


def come_back(table: ModelTable, lines: int, more: int) -> ModelTable:
    """The machine that failed during this game after so many lines; it plays ``more``."""
    back = ModelTable(table.name, run="back", facts=0)
    back.lines = table.lines[:lines]
    back.play(more)
    return back


@pytest.mark.parametrize("restarted", [True, False])
@pytest.mark.parametrize("more", [0, 1, 9])
def test_a_signed_game_does_not_yield_to_a_machine_that_reopens_it(
    tmp_path: Path, more: int, restarted: bool
) -> None:
    table = ModelTable(facts=8)
    hall = ModelHall(tmp_path / "hall", table, keys={"1": PUBLIC})
    hall.settle()
    hall.publish((table.topic("signature"), signed(table, "1-0")))
    hall.wait(1)
    back = come_back(table, 5, more)
    hall.tables = (back,)
    if restarted:
        hall.start()
    hall.settle()
    assert hall.copy(table) == whole(table)
    assert set(hall.named()) - {"forked", "forged"} == {"reopened"}
    hall.tables = (table,)
    table.play(2)  # such as the signatures of the players
    hall.settle()
    assert hall.copy(table) == whole(table)


def test_a_signed_game_does_not_yield_to_a_machine_that_has_less_of_it(tmp_path: Path) -> None:
    """It plays the next round, and names what it has of the earlier games."""
    table = ModelTable(facts=8)
    hall = ModelHall(tmp_path / "hall", table, keys={"1": PUBLIC})
    hall.settle()
    hall.publish((table.topic("signature"), signed(table, "1-0")))
    back = come_back(table, 5, 0)
    back.new_game("next")
    hall.tables = (back,)
    hall.settle()
    assert hall.copy(table) == whole(table) and hall.copy(back) == whole(back)
    assert hall.named() == ["reopened"]


@pytest.mark.parametrize(("result", "known"), [("", True), ("1-0", False)])
def test_only_the_tables_own_signature_of_a_result_ends_a_game(
    tmp_path: Path, result: str, known: bool
) -> None:
    """A journal that is signed in the middle of the game may lose its end in a damage; and anybody
    can make a key."""
    table = ModelTable(facts=8)
    hall = ModelHall(tmp_path / "hall", table, keys={"1": PUBLIC} if known else None)
    hall.settle()
    hall.publish((table.topic("signature"), signed(table, result)))
    hall.wait(1)
    back = come_back(table, 5, 1)
    hall.tables = (back,)
    hall.settle()
    assert hall.copy(back) == whole(back)


def test_a_table_that_is_started_again_is_not_two_tables(
    hall: ModelHall, table: ModelTable
) -> None:
    table.restart("again")
    hall.settle()
    assert hall.named() == []


def test_a_table_whose_time_of_day_is_wrong_is_named_until_it_is_right(
    hall: ModelHall, table: ModelTable
) -> None:
    topic, payload = table.head()
    wrong = payload.replace(b'"wall":1', b'"wall":2')
    hall.publish((topic, wrong))
    hall.wait(1)
    assert hall.named() == ["clock"]
    hall.publish(table.head())
    hall.wait(1)
    assert hall.named() == []


def test_a_late_word_that_an_earlier_run_has_gone_does_not_count(
    hall: ModelHall, table: ModelTable
) -> None:
    table.restart("again")
    hall.publish(table.presence(), table.head())
    table.run = "run-1"
    hall.publish(table.presence(online=False))
    hall.wait(1)
    assert hall.follower.tables["1"].online
    table.run = "again"
    hall.publish(table.presence(online=False))
    hall.wait(1)
    assert not hall.follower.tables["1"].online


def test_a_full_disk_is_named_and_nothing_is_missing_afterwards(
    hall: ModelHall, table: ModelTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(handle: int, content: bytes) -> None:
        write(handle, content[: len(content) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    write = files.write
    with monkeypatch.context() as patch:
        patch.setattr(files, "write", full)
        hall.publish(table.journal(table.play(4)), table.head())
        hall.wait(12)
        assert "storage" in hall.named()
    hall.wait(60)
    assert hall.copy(table) == whole(table)
    assert hall.named() == []
