"""The table's side of the protocol: what it publishes, and that the table waits for nothing."""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from blindplay.broker import Broker, Link
from blindplay.hall.hall import Hall
from blindplay.hall.protocol import Head, LinesWanted, Presence, Topic, decode, encode
from blindplay.hall.table_side.publisher import Publisher, head_of
from blindplay.laws import facts as f
from blindplay.record import Journal, games
from blindplay.record.chain import digest_of
from blindplay.table import Table
from blindplay.table.hall_contact import Elsewhere
from tests.hall.running import SETUP, Event, is_equal, kinds, play
from tests.record.test_signatures import PUBLIC, SECRET
from tests.waiting import PATIENCE_S, until

ECHO = "blindplay.hall.table_side.publisher._ECHO_S"


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker and another machine that answer, however late, are heard."""
    monkeypatch.setattr(ECHO, PATIENCE_S)


class Listening:
    """A client that hears what a table publishes."""

    def __init__(self, event: Event, table: str = "1") -> None:
        self.event, self.table = event, table
        self.heard: list[tuple[str, bytes, bool]] = []
        topic = f"blindplay/1/{event.name}/{table}/+"
        self.link = Link(event.broker.broker, [topic], self._hear, lambda: None)
        self.link.start()
        assert until(lambda: self.link.online)

    def _hear(self, topic: str, payload: bytes, retained: bool) -> None:
        self.heard.append((topic.rpartition("/")[2], payload, retained))

    def of(self, kind: str) -> list[bytes]:
        return [payload for one, payload, _ in self.heard if one == kind]

    def say(self, kind: str, payload: bytes, *, retain: bool = False) -> None:
        topic = str(Topic(self.event.name, self.table, kind))
        assert self.link.publish(topic, payload, retain=retain)

    def newest(self) -> Head | None:
        heads = self.of("head")
        return decode(Head, heads[-1]) if heads else None

    def presence(self) -> Presence | None:
        """The last presence. It and the head come in either order."""
        presences = self.of("presence")
        return decode(Presence, presences[-1]) if presences else None


def heard_all(listening: Listening, table: Table) -> bool:
    return b"".join(listening.of("journal")) == table.path.read_bytes()


def test_the_lines_are_published_once_in_order_and_the_head_after_them(event: Event) -> None:
    listening, table = Listening(event), event.table()
    event.publish(table)
    play(table, "e2e4", "e7e5")
    assert until(lambda: heard_all(listening, table))
    assert until(lambda: (now := listening.newest()) and (now.n, now.digest) == table.written)
    assert until(lambda: (now := listening.presence()) and now.online)
    listening.link.close()


def test_who_asks_gets_the_lines_and_the_head_once_more(event: Event) -> None:
    table = event.table()
    event.publish(table)
    play(table, "e2e4")
    listening = Listening(event)
    assert until(lambda: (now := listening.newest()) and now.n == table.written[0])
    listening.heard.clear()
    listening.say("ask", encode(LinesWanted("", 3)))
    lines = table.path.read_bytes().splitlines(keepends=True)
    assert until(lambda: b"".join(listening.of("journal")).endswith(b"".join(lines[2:])))
    assert until(listening.newest)
    listening.heard.clear()
    listening.say("ask", encode(LinesWanted("0" * 32, 1)))  # a game that it does not know
    listening.say("ask", b"nonsense")
    listening.say("ask", encode(LinesWanted("", 1)))
    assert until(lambda: listening.of("journal") == [b"".join(lines)])
    listening.link.close()


def test_a_journal_of_many_lines_comes_in_few_messages(event: Event) -> None:
    listening, table = Listening(event), event.table()
    play(table, *["g1f3", "g8f6", "f3g1", "f6g8"] * 20)
    event.publish(table)
    assert until(lambda: heard_all(listening, table))
    payloads = listening.of("journal")
    assert len(payloads) < 10 and all(one.endswith(b"\n") for one in payloads)
    listening.link.close()


def test_what_hides_a_table_is_set_right(event: Event) -> None:
    """A late will of an earlier connection, and a head with a number that no later one reaches."""
    listening, table = Listening(event), event.table()
    event.publish(table)
    head = until(listening.newest)
    assert head is not None
    late = encode(Presence("earlier", False))
    listening.say("presence", late, retain=True)
    assert until(lambda: late in listening.of("presence")[:-1])
    assert until(lambda: (now := listening.presence()) and now.online)
    listening.say("head", encode(replace(head, seq=10**9)), retain=True)
    assert until(lambda: (now := listening.newest()) and now.run != head.run)
    listening.link.close()


@pytest.mark.parametrize("about", [{}, {"version": "0"}])
def test_a_presence_of_somebody_else_is_named_and_set_right(
    event: Event, about: dict[str, str]
) -> None:
    listening, table = Listening(event), event.table()
    event.publish(table)
    own = until(listening.presence)
    assert own is not None
    run = own.run if about else "stranger"
    listening.say("presence", encode(Presence(run, True, about=about, waits=3.0)), retain=True)
    assert until(lambda: (now := listening.newest()) and now.strangers == [run])
    assert until(lambda: listening.presence() == own)
    listening.link.close()


def test_a_table_without_a_broker_plays_and_ends_at_once(event: Event) -> None:
    table = event.table()
    joined = event.joined("1", Broker("127.0.0.1", 9))
    with Publisher(table, joined):
        play(table, "e2e4")
    assert len(table.game.history) == 1


def test_a_table_learns_that_the_hall_has_the_whole_game(event: Event) -> None:
    table = event.table()
    publisher = event.publish(table)
    play(table, "e2e4")
    assert until(lambda: table.hall.online)
    assert not table.hall.hand_over(0.0)
    stranger = Listening(event)  # another reader who knows nothing of the last lines
    number, digest = table.written
    head = until(stranger.newest)
    assert head is not None and until(lambda: (now := stranger.newest()) and now.leaves)
    for said in (
        LinesWanted(head.game, number, "0" * 32),
        LinesWanted("0" * 32, number + 1, digest),
    ):
        stranger.say("ask", encode(said))
    seen = head.seq
    assert until(lambda: (now := stranger.newest()) and now.seq > seen + 1)
    assert not table.hall.hand_over(0.0)
    event.hall()
    assert until(lambda: publisher.hand_over(0.0))
    stranger.link.close()


def test_a_table_outside_a_hall_waits_for_none(event: Event) -> None:
    assert event.table().hall.hand_over(60.0)


def test_what_is_known_about_the_machine_is_in_the_presence(event: Event) -> None:
    listening, table = Listening(event), event.table()
    event.publish(table, about=lambda: {"firmware": "1.2"})
    assert until(lambda: (now := listening.presence()) and now.about == {"firmware": "1.2"})
    listening.link.close()


def test_a_game_that_is_forgotten_leaves_nothing_of_the_hall(event: Event) -> None:
    with ExitStack() as stack:
        table = event.table()
        stack.enter_context(Publisher(table, event.joined("1")))
        assert until(lambda: table.path.with_suffix(".hall").exists())
        table._journal.close()
    games.forget(table.path, everything=True)
    assert list(table.path.parent.iterdir()) == []


class ComingBack:
    """A machine that failed in the middle of a game, which another one has finished."""

    def __init__(self, event: Event, key: str = "") -> None:
        self.event = event
        self.joined = replace(event.joined("1"), key=key)
        with Journal(event.folder / "failed" / "game.jsonl") as journal:
            play(Table(journal, SETUP), "e2e4")
        self.path = journal.path
        other = event.folder / "other" / "game.jsonl"
        other.parent.mkdir()
        shutil.copy(journal.path, other)
        with Journal(other, resume=True) as journal:
            finished = Table(journal)
            with Publisher(finished, self.joined):
                play(finished, "e7e5")
                finished.submit(f.Resign(by="black"))
                assert until(lambda: finished.hall.online)
                self.hall = Hall(
                    replace(self.joined, folder=event.folder / "hall", keys={"1": PUBLIC})
                )
                event.callback(self.hall.close)
                assert until(lambda: finished.hall.hand_over(0.0))
                if key:
                    folder = self.hall.follower.tables["1"].folder
                    assert until(lambda: list(folder.glob("*.signatures")))
        self.whole = other.read_bytes()

    def resume(self) -> Table:
        journal = Journal(self.path, resume=True)
        self.event.callback(journal.close)
        return Table(journal)

    def copy(self) -> bytes:
        copy = self.hall.follower.tables["1"].copy
        assert copy is not None
        return copy.path.read_bytes()


@pytest.mark.parametrize("key", ["", SECRET])
def test_a_machine_that_comes_back_hears_first_that_its_game_was_finished_elsewhere(
    event: Event, key: str
) -> None:
    back = ComingBack(event, key)
    table, listening = back.resume(), Listening(event)
    assert until(lambda: listening.of("head") and (now := listening.presence()) and not now.online)
    listening.heard.clear()  # that was the last of the other machine
    with Publisher(table, back.joined):
        assert table.hall.hear_first(PATIENCE_S) == Elsewhere("1-0", signed=bool(key))
        assert table.hall.holds and table.hall.hand_over(0.0)
        table.submit(f.Query(by="white", about="moves"))
    assert back.copy() == back.whole
    assert not listening.of("head") and not listening.of("journal")
    assert all(decode(Presence, one).online for one in listening.of("presence"))
    listening.link.close()


def test_a_signed_end_is_heard_before_another_machine_has_had_its_time_to_answer(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other machine has lost power, so the broker still keeps that it is online."""
    back, listening = ComingBack(event, SECRET), Listening(event)
    listening.say("presence", encode(Presence("gone", True)), retain=True)
    assert until(lambda: (now := listening.presence()) and now.run == "gone")
    monkeypatch.setattr(ECHO, 10 * PATIENCE_S)
    table = back.resume()
    with Publisher(table, back.joined):
        assert table.hall.hear_first(PATIENCE_S) == Elsewhere("1-0", signed=True)
    listening.link.close()


def test_a_signed_game_stays_as_it_is_when_another_machine_plays_on(event: Event) -> None:
    back = ComingBack(event, SECRET)
    table = back.resume()
    with Publisher(table, back.joined):
        table.hall.hear_first(PATIENCE_S)
        table.hall.go_on()
        play(table, "d7d5")
        assert until(lambda: "reopened" in kinds(back.hall))
    assert back.copy() == back.whole
    head = back.hall.follower.tables["1"].head
    assert head is not None and head.result == "1-0"


def test_a_table_that_is_started_again_hears_of_nothing_elsewhere(event: Event) -> None:
    with Journal(event.folder / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        with Publisher(table, event.joined("1")) as first:
            play(table, "e2e4")
            event.hall()
            assert until(lambda: first.hand_over(0.0))
    with Journal(journal.path, resume=True) as journal:
        again = Table(journal)
        with Publisher(again, event.joined("1")):
            assert again.hall.hear_first(PATIENCE_S) is None and not again.hall.holds


def test_the_second_machine_with_one_tables_file_hears_so_at_once_and_the_first_keeps_the_table(
    event: Event,
) -> None:
    first, second = event.table(), event.table("x")
    hall = event.hall()
    event.publish(first)
    play(first, "e2e4")
    assert until(lambda: is_equal(hall, first))
    with Publisher(second, event.joined("1")):
        assert second.hall.hear_first(PATIENCE_S) == Elsewhere(now=True) and second.hall.holds
        play(second, "d2d4")
        play(first, "e7e5")
        assert until(lambda: is_equal(hall, first) and kinds(hall) == {"two_tables"})
        assert first.hall.elsewhere is None and not first.hall.holds
    play(first, "g1f3")
    assert until(lambda: is_equal(hall, first))
    assert {one.name for one in (event.folder / "hall" / "table-1").glob("*.jsonl")} == {
        f"{first_line_of(first)}.jsonl"
    }
    table = hall.follower.tables["1"]
    # The head follows the lines.
    assert until(lambda: table.online and table.head and table.head.n == first.written[0])


def first_line_of(table: Table) -> str:
    return digest_of(table.path.read_bytes().splitlines(keepends=True)[0])


def test_a_presence_that_a_process_left_behind_is_no_other_machine(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ECHO, 0.5)
    listening = Listening(event)
    listening.say("presence", encode(Presence("gone", True)), retain=True)
    assert until(lambda: listening.presence() is not None)
    table = event.table()
    with Publisher(table, event.joined("1")):
        assert table.hall.hear_first(PATIENCE_S) is None and not table.hall.holds
    listening.link.close()


def test_a_new_connection_while_the_table_asks_what_the_broker_kept_stops_nothing(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, breaks = Publisher._publish, [True]

    def publish(self: Publisher, kind: str, payload: bytes, *, retain: bool = False) -> bool:
        published = ask(self, kind, payload, retain=retain)
        if breaks:
            breaks.pop()
            self._on_connect()  # in the connection's own thread it comes at any moment
        return published

    monkeypatch.setattr(Publisher, "_publish", publish)
    table, listening = event.table(), Listening(event)
    event.publish(table)
    play(table, "e2e4")
    assert until(lambda: heard_all(listening, table))
    listening.link.close()


class SetClock:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def head(table: Any) -> Head:
    found = head_of(table, "run", 1, "0" * 32)
    assert found is not None
    return found


def test_a_running_clock_is_given_as_it_is_now(event: Event) -> None:
    clock = SetClock()
    table = event.table(now=clock)
    assert (head(table).state, head(table).running) == ("setup", "")
    play(table)
    clock.seconds += 60
    now = head(table)
    assert (now.t, now.state, now.running) == (60.0, "playing", "white")
    assert now.left == {"white": 5430 - 60, "black": 5430}  # the increment is given before a move
    clock.seconds += 10_000
    assert head(table).left["white"] == 0


def test_a_head_names_the_last_line_on_the_disk_and_the_position(event: Event) -> None:
    table = event.table()
    play(table, "e2e4")
    now = head(table)
    assert (now.n, now.digest) == table.written == (len(table.log), now.digest)
    assert (now.white, now.black, now.round) == (SETUP.white.name, "", "3")
    assert (now.fen.split()[0], now.moves, now.last) == (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", 1, "e2e4",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "state", "result"),
    [
        ([f.Arbiter(do="stop_clocks")], "stopped", ""),
        ([f.Resign(by="black")], "over", "1-0"),
        ([f.Arbiter(do="adjourn"), f.Seal(by="white", text="d2d4"), f.Press(by="white")],
         "adjourned", ""),
    ],
)  # fmt: skip
def test_a_head_says_what_state_the_game_is_in(
    event: Event, facts: list[f.Fact], state: str, result: str
) -> None:
    table = event.table()
    play(table, "e2e4", "e7e5")
    for fact in facts:
        table.submit(fact)
    assert (head(table).state, head(table).result) == (state, result)


def test_without_a_clock_no_time_is_given(event: Event) -> None:
    table = event.table(setup=f.Setup())
    assert head(table).left == {}
