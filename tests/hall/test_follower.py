"""A hall follows its tables: each copy is equal to the journal in the end."""

from __future__ import annotations

import errno
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.actions import stamp
from blindplay.console.table_port import TablePort
from blindplay.hall.copies import branches_of
from blindplay.hall.follower import FoldedGame, Follower, SignatureKeeper
from blindplay.hall.incidents import Incidents
from blindplay.hall.protocol import Head, LinesWanted, Topic, encode
from blindplay.laws import FactError, Taken
from blindplay.laws import facts as f
from blindplay.record import files, read_journal, signatures
from blindplay.record.chain import digest_of
from tests.record.disks import failing
from tests.record.test_signatures import PUBLIC, SECRET, STATEMENT
from tests.sampling import examples
from tests.waiting import until

from .model import EVENT, ModelHall, ModelTable, forged, text, whole
from .running import Event, is_equal, play

LINE = signatures.signed(STATEMENT, SECRET)


def keeper(folder: Path, keys: dict[str, str]) -> tuple[SignatureKeeper, Incidents]:
    incidents = Incidents(folder / "incidents.jsonl")
    return SignatureKeeper("open", keys, incidents), incidents


@pytest.mark.parametrize("keys", [{}, {"4": PUBLIC}])
def test_a_signature_lies_beside_the_copy_and_once(tmp_path: Path, keys: dict[str, str]) -> None:
    found, incidents = keeper(tmp_path, keys)
    for payload in (LINE, LINE + LINE):
        found.take("4", tmp_path / "table-4", payload)
    assert (tmp_path / "table-4" / f"{STATEMENT.game}.signatures").read_bytes() == LINE
    assert not list(incidents)


@pytest.mark.parametrize(
    ("table", "line", "text"),
    [
        ("5", LINE, "another table"),
        ("4", signatures.signed(replace(STATEMENT, event="club"), SECRET), "another table"),
        ("4", LINE.replace(b"1-0", b"0-1"), "does not belong"),
        ("4", LINE[:100], "not a signature"),
    ],
)
def test_a_wrong_signature_is_named_and_not_kept(
    tmp_path: Path, table: str, line: bytes, text: str
) -> None:
    found, incidents = keeper(tmp_path, {"4": PUBLIC, "5": PUBLIC})
    for _ in range(2):
        found.take(table, tmp_path / "table", line)
    (incident,) = incidents
    assert (incident.kind, incident.table) == ("signature", table) and text in incident.text
    assert not (tmp_path / "table").exists()


def test_the_key_must_be_that_of_the_table(tmp_path: Path) -> None:
    found, incidents = keeper(tmp_path, {"4": "0" * 64})
    found.take("4", tmp_path / "table", LINE)
    assert [one.text for one in incidents] == ["it is not made with the table's key"]


def test_a_disk_that_cannot_be_written_is_an_incident(tmp_path: Path) -> None:
    found, incidents = keeper(tmp_path, {})
    (tmp_path / "table").write_text("no folder")
    found.take("4", tmp_path / "table", LINE)
    assert [one.kind for one in incidents] == ["storage"]


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
    if more:  # a line that differs, even if both are written within one millisecond
        back.lines.append(forged(table, lines, "back"))
        back.play(more - 1)
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
    assert hall.named() == ["reopened"]  # and no line of it is called forged
    assert [one.read_bytes() for one in branches_of(hall.path(table))] == [whole(back)] * (more > 0)
    if more:
        back.play(2)
        hall.settle()
        assert [one.read_bytes() for one in branches_of(hall.path(table))] == [whole(back)]
    followed = hall.follower.tables["1"].game
    assert followed is not None and followed.in_conflict
    hall.tables = (table,)
    table.play(2)  # such as the signatures of the players
    hall.settle()
    assert hall.copy(table) == whole(table)
    assert followed.in_conflict is (more > 0)  # else the other machine has added nothing


@pytest.mark.parametrize("signature_first", [True, False])
def test_the_end_that_comes_and_is_signed_later_counts_and_the_other_version_is_kept(
    tmp_path: Path, signature_first: bool
) -> None:
    """The machine that was replaced is back before the hall hears of the spare one's end."""
    table = ModelTable(facts=8)
    back = come_back(table, 5, 9)
    hall = ModelHall(tmp_path / "hall", back, keys={"1": PUBLIC})
    hall.settle()
    assert hall.copy(back) == whole(back)
    signature = table.topic("signature"), signed(table, "1-0")
    for one in (table, back):
        hall.tables = (one,)
        hall.publish(*[signature] * (signature_first or one is back))
        hall.settle()
    assert hall.copy(table) == whole(table) and "reopened" in hall.named()
    assert whole(back) in [one.read_bytes() for one in branches_of(hall.path(table))]


def test_lines_stay_in_the_copy_until_the_disk_keeps_them_as_another_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk takes a part of the other version each time, until there is room again."""
    table = ModelTable(facts=8)
    back = come_back(table, 5, 9)
    hall = ModelHall(tmp_path / "hall", back, keys={"1": PUBLIC})
    hall.settle()
    open_file, write = files.open_file, files.write
    branches = set[int]()

    def opened(path: Path, **how: bool) -> int:
        handle = open_file(path, **how)
        (branches.add if path.parent.name == "branches" else branches.discard)(handle)
        return handle

    def full(handle: int, content: bytes) -> None:
        if handle not in branches:
            return write(handle, content)
        write(handle, content[: len(content) * 2 // 3])
        raise OSError(errno.ENOSPC, "No space left on device")

    hall.tables = (table,)
    with monkeypatch.context() as patch:
        patch.setattr(files, "open_file", opened)
        patch.setattr(files, "write", full)
        hall.publish((table.topic("signature"), signed(table, "1-0")))
        hall.settle()
        assert "storage" in hall.named() and hall.copy(back) == whole(back)
    hall.settle()
    assert hall.copy(table) == whole(table)
    assert whole(back) in [one.read_bytes() for one in branches_of(hall.path(table))]
    assert set(hall.named("forked")) == {text(line) for line in back.lines[5:]}


def test_lines_stay_in_the_copy_where_a_game_has_too_many_versions(tmp_path: Path) -> None:
    """Somebody with the table's account claims one version after the other."""
    table = ModelTable(facts=8)
    hall = ModelHall(tmp_path / "hall", table)
    hall.settle()
    versions = [table]
    for number in range(10):
        other = ModelTable(run=f"run {number}", facts=0)
        other.lines = [*table.lines[:5], forged(table, 5, f"version {number}")]
        hall.tables = (other,)
        hall.settle()
        versions.append(other)
    kept = {hall.copy(table), *(one.read_bytes() for one in branches_of(hall.path(table)))}
    assert kept == {whole(one) for one in versions[:9]}
    assert hall.copy(table) == whole(versions[8])
    ends = {f"{len(one.lines)} {digest_of(one.lines[-1])}" for one in versions[9:]}
    assert ends <= {one.key for one in hall.follower.incidents if one.kind == "forked"}


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
    assert hall.named() == []  # the game is in order
    assert not hall.follower.tables["1"].followed(table.game).in_conflict


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


def test_a_late_farewell_of_an_earlier_run_is_ignored(hall: ModelHall, table: ModelTable) -> None:
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


STEPS = st.lists(
    st.sampled_from(("play", "play", "deliver", "wait", "kill", "wipe", "restart", "new game")),
    max_size=25,
)


@examples(60)
@given(STEPS, st.integers(0, 2**32))
def test_after_any_loss_doubling_delay_and_cut_all_copies_are_equal(
    steps: list[str], seed: int
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        table, other = ModelTable("1"), ModelTable("2", "run-2")
        hall = ModelHall(folder / "hall", table, other, seed=seed)
        for number, step in enumerate(steps):
            if step == "play":
                for one in (table, other):
                    hall.publish(one.journal(one.play(1 + seed % 3)), one.head())
            elif step == "deliver":
                hall.deliver()
            elif step == "wait":
                hall.wait(4)
            elif step == "kill":
                hall.start()
            elif step == "wipe":
                shutil.rmtree(hall.folder)
                hall.start()
            elif step == "restart":
                table.restart(f"again-{number}")
            elif step == "new game":
                hall.publish(table.presence(online=False))
                table.new_game(f"game-{number}")
                hall.publish(table.presence(), table.journal(table.lines))
        hall.settle()
        for one in (table, other):
            journals = [b"".join(lines) for lines in (*one.before, one.lines)]
            assert hall.copies(one) == sorted(journals)
        assert hall.named("forged", "forked", "head", "two_tables") == []
    finally:
        shutil.rmtree(folder)


def test_a_quiet_hall_asks_nothing(hall: ModelHall, table: ModelTable) -> None:
    asked: list[Topic] = []
    follower = Follower(EVENT, hall.folder, lambda topic, payload: asked.append(topic))
    follower.receive(*table.head(), 0.0)
    for now in range(100):
        follower.tick(float(now))
    assert asked == []


def test_asks_without_an_answer_become_rare(tmp_path: Path) -> None:
    asked: list[Topic] = []
    follower = Follower(EVENT, tmp_path, lambda topic, payload: asked.append(topic))
    follower.receive(*ModelTable(facts=9).head(), 0.0)
    for tenth in range(36_000):
        follower.tick(tenth / 10)
    assert 100 < len(asked) < 150


def test_incidents_outlive_the_process(hall: ModelHall, table: ModelTable) -> None:
    hall.publish(table.journal([forged(table, 5)]))
    hall.settle()
    named = hall.named("forked")
    hall.start()
    assert named and hall.named("forked") == named


@pytest.mark.parametrize(
    "topic",
    ["", "blindplay/1/open/1", "blindplay/2/open/1/head", "blindplay/1/other/1/head",
     "blindplay/1/open/../head", "blindplay/1/open/A B/journal", "blindplay/1/open/1/answer"],
)  # fmt: skip
def test_what_is_published_elsewhere_is_left_alone(hall: ModelHall, topic: str) -> None:
    hall.follower.receive(topic, b"{}", hall.now)
    assert list(hall.follower.tables) == ["1"] and hall.named() == []


@given(st.sampled_from(["journal", "head", "presence"]), st.binary(max_size=200))
def test_no_message_stops_a_hall(kind: str, payload: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(EVENT, Path(folder), lambda topic, payload: None)
        follower.receive(str(Topic(EVENT, "1", kind)), payload, 0.0)
        follower.tick(1.0)


def test_the_game_is_that_of_the_table(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table, "e2e4", "e7e5")
    assert until(lambda: is_equal(hall, table))
    folded = FoldedGame(hall.follower, "1")
    port: TablePort = folded
    assert port.game.board.fen() == table.game.board.fen()
    assert stamp(port.game) == stamp(table.game)
    assert [one.fact for one in port.log] == [one.fact for one in table.log]
    assert port.path.read_bytes() == table.path.read_bytes()
    seen: list[Taken] = []
    folded.listen(seen.append)
    play(table, "g1f3")
    assert until(lambda: folded.catch_up() and folded.game.history[2:])
    assert stamp(folded.game) == stamp(table.game)
    assert [one.fact for one in seen] == [one.fact for one in table.log[-len(seen) :]]
    assert not folded.catch_up()
    assert abs(folded.time() - table.time()) < 60_000


def test_nothing_is_submitted_at_the_hall(hall: ModelHall) -> None:
    folded = FoldedGame(hall.follower, "1")
    with pytest.raises(FactError, match="table itself"):
        folded.submit(f.Tick(), None)  # type: ignore[arg-type]
    done: list[bool] = []
    folded.after_hands(lambda: done.append(folded.holds_press("white")))
    assert done == [False]


def test_lines_that_are_taken_out_of_the_copy_are_not_in_the_game(
    hall: ModelHall, table: ModelTable
) -> None:
    folded = FoldedGame(hall.follower, "1")
    assert len(folded.log) == 1 and folded.game.t == 40
    rogue = ModelTable(run="rogue")
    rogue.lines = list(table.lines)
    hall.publish(table.journal(rogue.play(4)))
    hall.wait(1)
    assert folded.catch_up() and folded.game.t == 80
    hall.settle()
    assert folded.catch_up() and folded.game.t == 40
    assert folded._end[0] == 5


def test_a_game_of_a_newer_version_is_called_that_and_kept_whole(
    hall: ModelHall, table: ModelTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(f.KINDS, "tick")
    folded = FoldedGame(hall.follower, "1")
    assert folded.trouble.startswith("A newer BlindPlay wrote this game")
    assert "Update BlindPlay here." in folded.trouble and folded.game.setup is not None
    assert hall.copy(table) == whole(table)
    assert read_journal(folded.path).proved == whole(table)


def test_a_table_without_a_game_is_refused(tmp_path: Path) -> None:
    follower = Follower("open", tmp_path, lambda topic, payload: None)
    with pytest.raises(ValueError, match="no game of table 9"):
        FoldedGame(follower, "9")
