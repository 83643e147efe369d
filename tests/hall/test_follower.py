"""Whatever becomes of the messages, the hall's copies are equal to the journals in the end."""

from __future__ import annotations

import errno
import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.hall.follower import Follower
from blindplay.hall.protocol import Ask, Head, Topic, decode, encode
from blindplay.laws import facts as f
from blindplay.record import files, read_journal
from blindplay.record.chain import digest_of, encoded

from .model_table import EVENT, Message, ModelTable


class Hall:
    """A follower with a network to its tables that loses, doubles, delays and cuts messages."""

    def __init__(self, folder: Path, *tables: ModelTable, seed: int | None = None) -> None:
        self.folder = folder
        self.tables = tables
        self.chance = None if seed is None else random.Random(seed)
        self.under_way: list[Message] = []
        self.now = 0.0
        self.start()

    def start(self) -> None:
        """A new process of the hall. The one before was killed: it wrote nothing more."""
        self.follower = Follower(EVENT, self.folder, self._send)

    def _send(self, topic: Topic, payload: bytes) -> None:
        ask = decode(Ask, payload)
        if self.chance is not None and self.chance.random() < 0.3:
            return
        for table in self.tables:
            if table.name == topic.table:
                self.publish(*table.answer(ask))

    def publish(self, *messages: Message) -> None:
        self.under_way += messages

    def deliver(self) -> None:
        """Deliver what is under way, each message with the fate that chance gives it."""
        chance, going, self.under_way = self.chance, self.under_way, []
        while going:
            topic, payload = going.pop(0 if chance is None else chance.choice((0, 0, -1)))
            fate = "come" if chance is None else chance.choice(("come",) * 4 + FATES)
            if fate == "late":
                self.under_way.append((topic, payload))
                continue
            if fate == "cut":
                assert chance is not None
                payload = payload[: chance.randrange(len(payload) + 1)]
            for _ in range({"lost": 0, "doubled": 2}.get(fate, 1)):
                self.follower.receive(topic, payload, self.now)

    def wait(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now += 0.1
            self.deliver()
            self.follower.tick(self.now)

    def settle(self) -> None:
        """The network is good again, and all tables publish their heads from time to time."""
        self.chance = None
        for _ in range(3):
            for table in self.tables:
                self.publish(table.presence(), table.head())
            self.wait(10)

    def copy(self, table: ModelTable) -> bytes:
        path = self.folder / f"table-{table.name}" / f"{table.game}.jsonl"
        return path.read_bytes() if path.exists() else b""

    def copies(self, table: ModelTable) -> list[bytes]:
        """The copies of all games of a table."""
        folder = self.folder / f"table-{table.name}"
        return sorted(path.read_bytes() for path in folder.iterdir())

    def named(self, *kinds: str) -> list[str]:
        """The kinds of all incidents, or the lines that incidents of these kinds name."""
        if not kinds:
            return sorted(one.kind for one in self.follower.incidents)
        return [one.text for one in self.follower.incidents if one.kind in kinds]


FATES = ("lost", "doubled", "late", "cut")


@pytest.fixture
def table() -> ModelTable:
    return ModelTable(facts=5)


@pytest.fixture
def hall(tmp_path: Path, table: ModelTable) -> Hall:
    hall = Hall(tmp_path / "hall", table)
    hall.publish(table.presence(), table.journal(table.lines), table.head())
    hall.wait(1)
    return hall


def whole(table: ModelTable) -> bytes:
    return b"".join(table.lines)


def text(line: bytes) -> str:
    return line.decode().rstrip("\n")


STEPS = st.lists(
    st.sampled_from(("play", "play", "deliver", "wait", "kill", "wipe", "restart", "new game")),
    max_size=25,
)


@settings(max_examples=60)
@given(STEPS, st.integers(0, 2**32))
def test_after_any_loss_doubling_delay_and_cut_all_copies_are_equal(
    steps: list[str], seed: int
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        table, other = ModelTable("1"), ModelTable("2", "run-2")
        hall = Hall(folder / "hall", table, other, seed=seed)
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


def test_a_copy_is_the_journal_byte_for_byte(hall: Hall, table: ModelTable) -> None:
    assert hall.copy(table) == whole(table)
    copy = hall.follower.tables["1"].copy
    assert copy is not None and len(read_journal(copy.path).facts) == 5
    assert hall.named() == []


def test_lines_that_come_before_the_ones_before_them_wait(hall: Hall, table: ModelTable) -> None:
    first, second, third = table.play(3)
    for line in (third, second, first):
        hall.follower.receive(*table.journal([line]), hall.now)
    hall.follower.tick(hall.now)
    assert hall.copy(table) == whole(table)


def test_a_hall_that_starts_from_nothing_asks_for_everything(tmp_path: Path) -> None:
    table = ModelTable(facts=100)
    hall = Hall(tmp_path / "hall", table)
    hall.publish(table.head())
    hall.wait(2)
    assert hall.copy(table) == whole(table)


def test_a_hall_that_was_killed_within_a_line_goes_on(hall: Hall, table: ModelTable) -> None:
    path = hall.folder / "table-1" / f"{table.game}.jsonl"
    path.write_bytes(path.read_bytes()[:-7])
    hall.start()
    table.play(2)
    hall.settle()
    assert hall.copy(table) == whole(table)


def forged(table: ModelTable, after: int, text: str = "forged") -> bytes:
    """A line that fits after the first ``after`` lines, and that the table never wrote."""
    end = (after, digest_of(table.lines[after - 1]))
    return encoded(f.Announce(t=9999, by="white", text=text), end)[0]


def test_a_line_whose_digest_is_wrong_is_named(hall: Hall, table: ModelTable) -> None:
    line = table.lines[2].replace(b'"t":0.02', b'"t":0.01')
    assert line != table.lines[2] and digest_of(line) == digest_of(table.lines[2])
    hall.publish(table.journal([line]))
    hall.settle()
    assert hall.named("forged") == [text(line)]
    assert hall.copy(table) == whole(table)


@pytest.mark.parametrize("after", [2, 5])
def test_a_forged_line_that_fits_the_chain_is_taken_out_and_named(
    hall: Hall, table: ModelTable, after: int
) -> None:
    """Anybody can compute a digest: what the table says of its journal decides."""
    line = forged(table, after)
    hall.publish(table.journal([line]))
    hall.wait(1)
    hall.settle()
    assert hall.named("forked") == [text(line)]
    assert hall.copy(table) == whole(table)


def test_forged_lines_in_the_place_of_coming_ones_are_taken_out_and_named(
    hall: Hall, table: ModelTable
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


def test_a_forged_head_is_named_and_changes_nothing(hall: Hall, table: ModelTable) -> None:
    head = Head("run-1", 50, table.game, 3, "0" * 32, 0.0, 0.0)
    hall.publish((table.topic("head"), encode(head)))
    hall.wait(2)
    table._seq = 50
    hall.settle()
    assert "head" in hall.named()
    assert hall.copy(table) == whole(table)


def test_a_line_of_a_game_that_is_not_known_yet_is_no_forgery(
    hall: Hall, table: ModelTable
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
    hall = Hall(tmp_path / "hall", one, other)
    hall.settle()
    assert "two_tables" in hall.named()
    assert (hall.copy(one), hall.copy(other)) == (whole(one), whole(other))


def test_a_table_that_is_started_again_is_not_two_tables(hall: Hall, table: ModelTable) -> None:
    table.restart("again")
    hall.settle()
    assert hall.named() == []


def test_a_table_whose_time_of_day_is_wrong_is_named_until_it_is_right(
    hall: Hall, table: ModelTable
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
    hall: Hall, table: ModelTable
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
    hall: Hall, table: ModelTable, monkeypatch: pytest.MonkeyPatch
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


def test_a_quiet_hall_asks_nothing(hall: Hall, table: ModelTable) -> None:
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


def test_incidents_outlive_the_process(hall: Hall, table: ModelTable) -> None:
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
def test_what_is_published_elsewhere_is_left_alone(hall: Hall, topic: str) -> None:
    hall.follower.receive(topic, b"{}", hall.now)
    assert list(hall.follower.tables) == ["1"] and hall.named() == []


@given(st.sampled_from(["journal", "head", "presence"]), st.binary(max_size=200))
def test_no_message_stops_a_hall(kind: str, payload: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(EVENT, Path(folder), lambda topic, payload: None)
        follower.receive(str(Topic(EVENT, "1", kind)), payload, 0.0)
        follower.tick(1.0)
