"""What a network, a disk and a stranger may do to a hall: in the end all journals are equal, no
decision was applied twice, and what was forged is named."""

from __future__ import annotations

import getpass
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from blindplay.broker import Broker, Link
from blindplay.hall.brokers import LocalBroker
from blindplay.hall.hall import Hall
from blindplay.hall.protocol import Presence, Topic, encode
from blindplay.hall.requests import UnreachableError
from blindplay.laws import facts as f
from blindplay.table import Table
from tests import ROOT
from tests.ports import free_port
from tests.programs import need
from tests.waiting import PATIENCE_S, until

from .broker import RealBroker
from .model import ModelTable, forged
from .proxy import Proxy
from .running import Event, is_equal, is_there, kinds, play

STOP = {"language": "en", "form": {"act": ["arbiter"], "do": ["stop_clocks"]}}
HOUR = 3600
MOVES = "g1f3", "g8f6", "f3g1", "f6g8"


@pytest.fixture
def proxy(shared_broker: RealBroker) -> Iterator[Proxy]:
    proxy = Proxy(shared_broker.port)
    yield proxy
    proxy.close()


class Clock:
    """The clock of a table's machine."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


def decisions(*tables: Table) -> list[str]:
    """The ids of all requests in the journals."""
    lines = [line for table in tables for line in table.path.read_text("utf-8").splitlines()]
    found = [json.loads(line)["fact"].get("request") for line in lines]
    return [one for one in found if one]


def all_equal(hall: Hall, tables: Sequence[Table]) -> bool:
    return all(is_equal(hall, table, str(name)) for name, table in enumerate(tables, 1))


def behind(proxy: Proxy, event: Event) -> tuple[Hall, Table, Clock]:
    """A hall that has the first move of a table, which the proxy connects."""
    clock = Clock()
    hall, table = event.hall(), event.table(now=clock)
    event.publish(table, broker=proxy.broker)
    play(table, "e2e4")
    assert until(lambda: is_equal(hall, table))
    return hall, table, clock


# --- the network ---------------------------------------------------------------------------------


@pytest.mark.parametrize("step_s", [30, pytest.param(1, marks=pytest.mark.long)])
def test_a_table_that_was_cut_off_for_an_hour_catches_up(
    event: Event, proxy: Proxy, step_s: int
) -> None:
    hall, table, clock = behind(proxy, event)
    proxy.cut()
    assert until(lambda: not hall.follower.tables["1"].online)
    with pytest.raises(UnreachableError):
        hall.request("1", "Berta Berg", "act", STOP)
    for _ in range(HOUR // step_s):
        clock.ahead += step_s
        table.submit(f.Tick())
    play(table, "e7e5")
    assert not is_equal(hall, table)
    proxy.mend()
    # The lines may come before the head, which tells the time of the table, and its presence.
    followed = hall.follower.tables["1"]
    assert until(lambda: is_equal(hall, table) and knows_the_end(hall, table) and followed.online)
    assert hall.request("1", "Berta Berg", "act", STOP).result(timeout=PATIENCE_S).status == "done"
    assert kinds(hall) == set()


def knows_the_end(hall: Hall, table: Table) -> bool:
    head = hall.follower.tables["1"].head
    return head is not None and head.n == table.written[0]


def test_a_decision_that_the_network_held_back_is_not_done(event: Event, proxy: Proxy) -> None:
    hall, table, clock = behind(proxy, event)
    proxy.hold()
    answer = hall.request("1", "Berta Berg", "act", STOP)
    time.sleep(0.3)  # it is in the broker now, or in the proxy
    clock.ahead += 40
    proxy.mend()
    assert answer.result(timeout=PATIENCE_S).status == "stale"
    assert decisions(table) == []


@pytest.mark.parametrize(
    ("plies", "number"), [(30, 2), pytest.param(600, 5, marks=pytest.mark.long)]
)
def test_after_messages_are_lost_doubled_reordered_and_cut_all_is_well(
    event: Event, proxy: Proxy, plies: int, number: int
) -> None:
    hall = event.hall(broker=proxy.broker)
    tables = [event.table(str(name)) for name in range(1, number + 1)]
    for name, table in enumerate(tables, 1):
        event.publish(table, str(name), broker=proxy.broker)
    assert until(lambda: all_equal(hall, tables))
    proxy.spoil = 0.25
    asked = []
    for ply in range(plies):
        for name, table in enumerate(tables, 1):
            table.submit(f.Query(by="white", about="time"))
            if ply % 10 == name:
                try:
                    asked.append(hall.request(str(name), "Berta Berg", "act", STOP))
                except UnreachableError:
                    continue
        time.sleep(0.02)

    def has_spoiled() -> bool:
        tables[0].submit(f.Query(by="white", about="time"))
        return sum(proxy.met.values()) > 10

    assert until(has_spoiled)
    proxy.spoil = 0.0
    assert until(lambda: all_equal(hall, tables))
    answers = [one.result(timeout=PATIENCE_S) for one in asked]
    done = decisions(*tables)
    assert len(done) == len(set(done))
    assert {one.id for one in answers if one.status == "done"} <= set(done)
    assert until(lambda: kinds(hall) <= {"damaged"})


# --- the machines -------------------------------------------------------------------------------


@contextmanager
def another_hall(event: Event, folder: str) -> Iterator[subprocess.Popen[str]]:
    """A hall in a process of its own, which is killed in the end."""
    program = [sys.executable, "-m", "tests.hall.deciding_hall", event.name]
    place = [str(event.broker.port), str(event.folder / folder)]
    process = subprocess.Popen([*program, *place], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def copies(event: Event, folder: str) -> set[bytes]:
    return {path.read_bytes() for path in (event.folder / folder).glob("table-*/*.jsonl")}


@pytest.mark.parametrize("times", [2, pytest.param(40, marks=pytest.mark.long)])
def test_a_hall_that_is_killed_goes_on_and_starts_elsewhere_from_nothing(
    event: Event, times: int
) -> None:
    tables = [event.table(name) for name in ("1", "2")]
    for name, table in enumerate(tables, 1):
        event.publish(table, str(name))
    chance, answered = random.Random(19), []
    for number in range(times):
        folder = "here" if number % 3 else f"elsewhere-{number}"
        with another_hall(event, folder) as process:
            assert process.stdout is not None
            answered.append(process.stdout.readline().strip())
            end = time.monotonic() + chance.random() / 2
            while time.monotonic() < end:
                for table in tables:
                    table.submit(f.Query(by="white", about="time"))
                time.sleep(0.01)
    done = decisions(*tables)
    assert len(done) == len(set(done)) and set(answered) <= set(done)
    for folder in ("here", "from-nothing"):
        hall = event.hall(folder)
        assert until(lambda hall=hall: all_equal(hall, tables))  # type: ignore[misc]
        assert kinds(hall) == set()


def test_a_hall_whose_disk_is_full_goes_on_when_there_is_room(event: Event) -> None:
    if sys.platform != "linux":
        pytest.skip("only Linux limits another process")
    import resource

    table = event.table()
    event.publish(table)
    for _ in range(100):
        table.submit(f.Query(by="white", about="time"))
    with another_hall(event, "hall") as process:
        assert until(lambda: copies(event, "hall") == {table.path.read_bytes()})
        size, (_, most) = table.path.stat().st_size, resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size + 1000, most))
        for _ in range(100):
            table.submit(f.Query(by="white", about="time"))
        incidents = event.folder / "hall" / "incidents.jsonl"
        assert until(lambda: incidents.exists() and '"storage"' in incidents.read_text("utf-8"))
        assert copies(event, "hall") != {table.path.read_bytes()}
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (most, most))
        assert until(lambda: copies(event, "hall") == {table.path.read_bytes()})
        assert until(lambda: '"withdrawn": true' in incidents.read_text("utf-8"))
    done = decisions(table)
    assert len(done) == len(set(done))


def test_a_table_with_a_wrong_clock_is_named_and_is_followed(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    yesterday = SimpleNamespace(**vars(time))
    yesterday.time = lambda: time.time() - 24 * HOUR
    hall, table = event.hall(), event.table()
    with monkeypatch.context() as patch:
        patch.setattr("blindplay.hall.table_side.publisher.time", yesterday)
        patch.setattr("blindplay.record.journal.time", yesterday)
        event.publish(table)
        play(table, "e2e4")
        assert until(lambda: is_equal(hall, table) and kinds(hall) == {"clock"})
        assert (
            hall.request("1", "Berta Berg", "act", STOP).result(timeout=PATIENCE_S).status == "done"
        )
    table.submit(f.Query(by="white", about="time"))
    assert until(lambda: is_equal(hall, table) and not kinds(hall))


def test_of_two_tables_with_one_name_the_one_that_is_meant_does_a_decision(event: Event) -> None:
    hall = event.hall()
    tables = event.table("1", "one.jsonl"), event.table("x", "other.jsonl")
    for table in tables:
        event.publish(table)
        play(table)
    assert until(lambda: len(copies(event, "hall")) == 2)
    assert until(lambda: hall.follower.tables["1"].online)
    for number in range(1, 5):
        answer = hall.request("1", "Berta Berg", "act", STOP).result(timeout=PATIENCE_S)
        assert answer.status == "done"
        assert len(decisions(*tables)) == number
    assert until(lambda: copies(event, "hall") == {one.path.read_bytes() for one in tables})
    assert until(lambda: kinds(hall) == {"two_tables"})


# --- a stranger who has the account of a table ---------------------------------------------------

OWNER = f"user {getpass.getuser()}\n"  # a broker that root starts reads nothing of root's otherwise
ACCOUNTS = """\
user hall
topic read blindplay/1/+/+/+
topic write blindplay/1/+/+/ask
topic write blindplay/1/+/+/request
"""
ACCOUNT_OF_A_TABLE = """\
user table-{0}
topic readwrite blindplay/1/+/{0}/journal
topic readwrite blindplay/1/+/{0}/head
topic readwrite blindplay/1/+/{0}/presence
topic readwrite blindplay/1/+/{0}/answer
topic read blindplay/1/+/{0}/ask
topic read blindplay/1/+/{0}/request
"""


class GuardedBroker(RealBroker):
    """A broker with a configuration of its own."""

    def __init__(self, folder: Path, configuration: str) -> None:
        need("Mosquitto")
        LocalBroker.__init__(self, folder, configuration, free_port())


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[RealBroker]:
    """A broker with accounts: table 1 and table 2 write their own topics only. Nobody has a
    password."""
    rights = tmp_path / "acl"
    rights.write_text(ACCOUNTS + "".join(map(ACCOUNT_OF_A_TABLE.format, "12")), "utf-8")
    broker = GuardedBroker(tmp_path, f"allow_anonymous true\nacl_file {rights}\n{OWNER}")
    yield broker
    broker.kill()


class Rogue:
    """A client with the account of table 2."""

    def __init__(self, event: Event) -> None:
        self.event = event
        place = replace(event.broker.broker, account="table-2")
        topic = str(Topic(event.name, "2", "head"))
        self.link = Link(place, [topic], lambda *_: None, lambda: None)
        self.link.start()
        assert until(lambda: self.link.online)

    def say(self, table: str, kind: str, payload: bytes, *, retain: bool = False) -> None:
        assert self.link.publish(str(Topic(self.event.name, table, kind)), payload, retain=retain)


@pytest.fixture
def hall_of_two(
    events: Callable[[RealBroker], Event], guarded: RealBroker
) -> tuple[Event, Hall, list[Table]]:
    event = events(guarded)
    hall = event.hall(broker=Broker("127.0.0.1", guarded.port, "hall"))
    tables = [event.table(name) for name in ("1", "2")]
    for name, table in zip("12", tables, strict=True):
        event.publish(table, name, Broker("127.0.0.1", guarded.port, f"table-{name}"))
        play(table, "e2e4")
    assert until(lambda: all(is_there(hall, tables[int(name) - 1], name) for name in "12"))
    return event, hall, tables


def test_an_account_of_a_table_says_nothing_for_another_table_and_asks_for_nothing(
    hall_of_two: tuple[Event, Hall, list[Table]],
) -> None:
    event, hall, tables = hall_of_two
    rogue, head = Rogue(event), hall.follower.tables["1"].head
    assert head is not None
    line = forged_after(tables[0])
    for table in ("1", "2"):
        rogue.say(table, "request", json.dumps(
            {"id": "x", "game": "", "t": head.t, "who": "Mallory", "kind": "act", "body": STOP}
        ).encode())  # fmt: skip
    rogue.say("1", "journal", line)
    rogue.say("1", "head", encode(replace(head, seq=head.seq + 1, result="0-1")), retain=True)
    rogue.say("1", "presence", encode(Presence("rogue", False)), retain=True)
    tables[0].submit(f.Query(by="white", about="time"))
    assert until(lambda: rogue.link.unsent == 0 and all_equal(hall, tables))
    now = hall.follower.tables["1"]
    assert now.online and now.head is not None and now.head.result == ""
    assert decisions(*tables) == [] and kinds(hall) == set()


def forged_after(table: Table) -> bytes:
    """A line that fits after the end of a table's journal, which the table never wrote."""
    model = ModelTable()
    model.lines = table.path.read_bytes().splitlines(keepends=True)
    return forged(model, len(model.lines))


def test_each_forgery_under_the_name_of_a_table_is_named(
    hall_of_two: tuple[Event, Hall, list[Table]],
) -> None:
    event, hall, tables = hall_of_two
    rogue, head = Rogue(event), hall.follower.tables["2"].head
    assert head is not None
    line, elsewhere = forged_after(tables[1]), ModelTable(run="elsewhere", facts=3).lines[2]
    rogue.say("2", "journal", line)
    rogue.say("2", "journal", elsewhere)
    rogue.say("2", "journal", b"nonsense")
    rogue.say("2", "head", encode(replace(head, seq=10**6, result="0-1")))
    rogue.say("2", "head", encode(replace(head, run="x", seq=1, n=999, digest="9" * 32)))
    rogue.say("2", "presence", encode(Presence("rogue", False)), retain=True)
    rogue.say("2", "presence", encode(Presence("liar", True, waits=5.0)), retain=True)

    def named() -> set[tuple[str, str]]:
        return {(one.kind, one.text) for one in hall.follower.incidents if one.table == "2"}

    wanted = {
        ("forked", line.decode().rstrip()), ("forged", elsewhere.decode().rstrip()),
        ("damaged", ""), ("head", f"999 {'9' * 32}"),
        *(("two_tables", run) for run in (head.run, "x", "liar")),
    }  # fmt: skip

    def goes_on() -> bool:
        time.sleep(0.2)
        tables[1].submit(f.Query(by="white", about="time"))  # its head bears out what is true
        return wanted <= named()

    assert until(goes_on), named()
    assert until(lambda: all_equal(hall, tables))
    now = hall.follower.tables["2"]
    assert until(lambda: now.online and now.head and now.head.result == "")
    assert not any(one.table == "1" for one in hall.follower.incidents)
