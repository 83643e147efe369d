"""The connection of two tables: over a TCP port, through a real broker that knows neither of them,
and back after each break.
"""

from __future__ import annotations

import queue
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from blindplay.broker import Broker, Link
from blindplay.laws.state import OTHER
from blindplay.opponents.distant import connections
from blindplay.opponents.distant.connections import (
    INBOX_TOPIC,
    ROOM_TOPIC,
    Lifeline,
    PortConnector,
    PortListener,
    Relay,
    Venue,
    Wire,
)
from blindplay.opponents.distant.meeting import Agreement, Keys, Waiting, call
from blindplay.six_digits import WrongDigitsError
from tests.waiting import PATIENCE_S, until

from .meeting_broker import MeetingBroker


def test_a_way_leads_to_the_door_until_it_is_closed() -> None:
    listener = PortListener(0)
    connector = PortConnector("127.0.0.1", listener.place.port)
    assert listener.place == Venue(connector.place.port) and not listener.room
    near, far = connector.connect(), listener.accept()
    for one in (near, far):
        assert one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        one.close()
    errors: list[OSError] = []

    def wait() -> None:
        try:
            listener.accept()
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    listener.close()
    thread.join(PATIENCE_S)
    assert errors
    with pytest.raises(ConnectionRefusedError):
        connector.connect()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeetingBroker]:
    broker = MeetingBroker(tmp_path_factory.mktemp("meetings"))
    yield broker
    broker.kill()


class Spy:
    """Somebody who reads all that the broker gives to a client of this name."""

    def __init__(self, broker: MeetingBroker, name: str) -> None:
        self.heard: list[tuple[str, bytes]] = []
        self.link = Link(
            Broker(broker.host, broker.port, unknown=True),
            ["#"],
            lambda topic, payload, kept: self.heard.append((topic, payload)),
            lambda: None,
            name=name,
        )
        self.link.start()


def both(broker: MeetingBroker) -> tuple[Relay, Relay]:
    """A table that waits in a room, and one that has found it there."""
    waits = connections.waiting_at(broker.host, broker.port)
    calls = Relay(broker.host, broker.port, room=waits.room)
    assert calls.holder() == waits.inbox
    return waits, calls


def test_what_goes_in_at_one_table_comes_out_at_the_other(broker: MeetingBroker) -> None:
    waits, calls = both(broker)
    near = calls.connect()
    sent = bytes(range(256)) * 4000

    def say() -> None:
        near.sendall(sent)
        near.close()

    thread = threading.Thread(target=say)
    thread.start()
    far = waits.accept()
    came = bytearray()
    while data := far.recv(65536):
        came += data
    thread.join()
    assert came == sent
    far.close()
    for one in (calls, waits):
        one.close()
    assert until(lambda: not waits._streams and not calls._streams)


def test_the_ticket_and_nothing_else_opens_and_the_broker_reads_nothing(
    broker: MeetingBroker,
) -> None:
    waits, calls = both(broker)
    own = [INBOX_TOPIC.format(one.inbox) for one in (waits, calls)]
    evil = ("spy", "+", "#", "+/#", "/#", "{}/#", "{}/+", "{}-in/#", "{}+", "+{}", "{}-in/+/#")
    spies = [Spy(broker, name.format(waits.inbox)) for name in evil]
    assert until(lambda: all(one.link.online for one in spies))
    came: list[tuple[socket.socket, Keys]] = []
    waiting = Waiting(waits, lambda *one: came.append(one))
    assert len(waiting.ticket) == 8 and waiting.ticket.startswith(waits.room)
    with pytest.raises(WrongDigitsError):
        call(calls, f"{(int(waiting.digits) + 1) % 1_000_000:06}")
    sock, keys = call(calls, waiting.digits)
    assert until(lambda: came)
    assert came[0][1].other == keys.own and keys.other == came[0][1].own
    waiting.only(came[0][1])
    sock.sendall(b"e4")
    assert came[0][0].recv(10) == b"e4"
    assert until(lambda: (ROOM_TOPIC.format(waits.room), b"") in spies[0].heard)
    assert not any(topic in own for spy in spies for topic, _ in spy.heard)
    for end in (sock, came[0][0], waiting, calls):
        end.close()
    for spy in spies:
        spy.link.close()


def test_300_silent_callers_at_a_broker_keep_the_right_table_out_for_no_time(
    broker: MeetingBroker,
) -> None:
    waits, calls = both(broker)
    came: list[tuple[socket.socket, Keys]] = []
    waiting = Waiting(waits, lambda *one: came.append(one))
    spy = Spy(broker, "0" * 16)
    assert until(lambda: spy.link.online)
    for number in range(300):
        spy.link.publish(INBOX_TOPIC.format(waits.inbox), b"0" * 16 + number.to_bytes(8) + bytes(4))
    assert until(lambda: len(waits._callers) == 300)
    assert not waits._streams
    sock, _ = call(calls, waiting.digits)
    assert until(lambda: came)
    for end in (sock, came[0][0], waiting, calls):
        end.close()
    spy.link.close()


def test_a_stranger_writes_to_inboxes_and_rooms_only_and_breaks_nothing(
    broker: MeetingBroker,
) -> None:
    waits, calls = both(broker)
    near = calls.connect()
    near.sendall(b"here")  # there is no connection of those who say nothing
    far = waits.accept()
    assert far.recv(4) == b"here"
    spy = Spy(broker, "stranger")
    assert until(lambda: spy.link.online)
    inbox = INBOX_TOPIC.format(waits.inbox)
    stranger = b"0" * 16
    for junk in (b"", b"x", stranger, stranger + b"12345678\0\0\0\5e4", b"\xff" * 40):
        spy.link.publish(inbox, junk)
    for topic in (ROOM_TOPIC.format(5), "blindplay/1/event/1/request", "$SYS/x", "x"):
        spy.link.publish(topic, b"x", retain=True)
    for number in range(100):  # many callers
        for message in (bytes(4), (1).to_bytes(4) + b"{"):
            spy.link.publish(inbox, stranger + number.to_bytes(8) + message)
    spy.link.publish(ROOM_TOPIC.format(10), b"last", retain=True)
    assert until(lambda: (ROOM_TOPIC.format(10), b"last") in spy.heard)
    assert {topic for topic, _ in spy.heard} <= {
        ROOM_TOPIC.format(one) for one in connections.ROOMS
    }
    near.sendall(b"still here")
    assert far.recv(20) == b"still here"
    assert len(waits._streams) <= connections.MOST_STREAMS
    spy.link.publish(ROOM_TOPIC.format(10), b"", retain=True)
    for one in (near, far, waits, calls, spy.link):
        one.close()


def test_rooms_that_are_taken_are_left_alone(
    broker: MeetingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "ROOMS", ["20", "21"])
    monkeypatch.setattr(connections, "_ROOM_TRIES", 2)
    tables = [connections.waiting_at(broker.host, broker.port) for _ in range(2)]
    assert {one.room for one in tables} == {"20", "21"}
    with pytest.raises(connections.NoRoomError):
        connections.waiting_at(broker.host, broker.port)
    spy = Spy(broker, "rooms")
    shown = ROOM_TOPIC.format(tables[0].room)
    assert until(lambda: any(topic == shown for topic, _ in spy.heard))
    tables[0].hide()
    assert until(lambda: (shown, b"") in spy.heard)
    third = connections.waiting_at(broker.host, broker.port)
    assert third.room == tables[0].room
    for one in (*tables, third):
        one.close()
    spy.link.close()


def test_a_table_that_leaves_does_not_take_its_room_again(
    broker: MeetingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = connections.waiting_at(broker.host, broker.port)
    topic, end, sent = ROOM_TOPIC.format(table.room), table._link.close, list[bytes]()
    monkeypatch.setattr(table._link, "publish", lambda _, payload, **__: sent.append(payload))

    def end_late(*last: tuple[str, bytes]) -> None:
        table._receive(topic, b"", False)  # the broker is faster
        end(*last)

    monkeypatch.setattr(table._link, "close", end_late)
    table.close()
    assert sent == [b""]


def test_a_table_can_leave_while_it_is_connecting(
    broker: MeetingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, calls = both(broker)
    start, leaves = connections._RelayedStream.start, ThreadPoolExecutor()
    left: list[Future[None]] = []

    def start_late(stream: connections._RelayedStream) -> None:
        left.append(leaves.submit(calls.close))
        assert until(lambda: calls._closed)
        start(stream)

    monkeypatch.setattr(connections._RelayedStream, "start", start_late)
    near = calls.connect()
    left[0].result()
    assert near.recv(1) == b"" and not calls._streams
    monkeypatch.undo()
    for one in (near, waits):
        one.close()


def test_a_table_that_leaves_tells_the_other_one_before(
    broker: MeetingBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its connections may have ended just before."""
    waits, calls = both(broker)
    near = calls.connect()
    near.sendall(b"here")
    far = waits.accept()
    publish, leave = waits._publish, waits._link.close
    ends, left = threading.Event(), threading.Event()
    monkeypatch.setattr(connections, "_LAST_S", PATIENCE_S)

    def publish_late(inbox: str, message: bytes) -> bool:
        ends.set()
        left.wait(0.3)  # it is not to come, and has come by then if it does
        return publish(inbox, message)

    def close(*last: tuple[str, bytes]) -> None:
        leave(*last)
        left.set()

    monkeypatch.setattr(waits, "_publish", publish_late)
    monkeypatch.setattr(waits._link, "close", close)
    far.close()
    assert ends.wait(PATIENCE_S)
    waits.close()
    assert near.recv(1) == b""
    for one in (near, calls):
        one.close()


def test_a_game_goes_on_after_the_broker_or_either_table_was_ended(tmp_path: Path) -> None:
    broker = MeetingBroker(tmp_path)
    waits = connections.waiting_at(broker.host, broker.port)
    mine, theirs = Keys.new(), Keys.new()
    place = broker.port, broker.host, "a" * 16
    agreed = {
        "white": Agreement(mine.knowing(theirs.own), "white", 5, False, True, *place),
        "black": Agreement(theirs.knowing(mine.own), "black", 5, False, False, *place),
    }
    heard: dict[str, list[str]] = {"white": [], "black": []}

    def open_line(side: str) -> Lifeline:
        line = agreed[side].lifeline()
        line.open(lambda message: heard[side].append(message.decode()), lambda: None)
        return line

    beats: dict[str, float] = {}

    def connected(when: str) -> bool:
        if time.monotonic() > beats.get(when, 0) + 1:  # each says so once a second, as tables do
            beats[when] = time.monotonic()
            for side, line in lines.items():
                line.send(f"{side} is here {when}".encode())
        return all(f"{OTHER[side]} is here {when}" in heard[side] for side in lines)

    lines = {side: open_line(side) for side in agreed}
    assert until(lambda: connected("at first"))
    broker.kill()
    broker.start()
    assert until(lambda: connected("after the broker was ended"))
    calls = Relay(broker.host, broker.port, room=waits.room)
    assert calls.holder() == waits.inbox  # it has shown its room again
    calls.close()
    waits.close()
    for side in agreed:
        lines[side].close()
        lines[side] = open_line(side)
        assert until(lambda side=side: connected(f"after {side} was ended"))  # type: ignore[misc]
    for line in lines.values():
        line.close()
    broker.kill()


@pytest.fixture
def wires(tmp_path: Path) -> Iterator[tuple[Wire, Wire]]:
    """Both ends of one encrypted connection."""
    one, other = Keys.new(), Keys.new()
    near, far = socket.socketpair()
    made: queue.SimpleQueue[Wire] = queue.SimpleQueue()

    def answer() -> None:
        context = other.knowing(one.own).context(tmp_path, server=True)
        made.put(Wire(context.wrap_socket(far, server_side=True)))

    thread = threading.Thread(target=answer)
    thread.start()
    folder = tmp_path / "near"
    folder.mkdir()
    first = Wire(one.knowing(other.own).context(folder, server=False).wrap_socket(near))
    thread.join()
    second = made.get()
    yield first, second
    first.close()
    second.close()


def test_messages_come_whole_and_in_order_however_large_they_are(
    wires: tuple[Wire, Wire],
) -> None:
    sent = [bytes([65 + number]) * size for number, size in enumerate((1, 70_000, 3, 900_000))]
    came: list[bytes] = []
    threads = [
        threading.Thread(target=wires[0].run, args=(print,)),
        threading.Thread(target=wires[1].run, args=(came.append,)),
    ]
    for thread in threads:
        thread.start()
    for message in sent:
        wires[0].send(message)
    assert until(lambda: len(came) == len(sent)) and came == sent
    wires[0].close()  # the other end notices
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_what_was_said_last_is_sent_before_the_end(wires: tuple[Wire, Wire]) -> None:
    came: list[bytes] = []
    wires[0].send(b"farewell")
    wires[0].close()
    wires[0].run(print)
    wires[1].run(came.append)
    assert came == [b"farewell"]


def test_a_lifeline_without_a_connection_loses_what_is_sent() -> None:
    line = Lifeline()
    line.send(b"nobody hears this")
    line.open(print, print)
    line.close()
    assert line.idle.is_set()


def test_facts_go_before_voices_and_old_voices_are_dropped(wires: tuple[Wire, Wire]) -> None:
    came: list[bytes] = []
    for number in range(100):
        wires[0].send_voice(b"voice %d" % number)
    wires[0].send(b"fact")
    wires[0].send(b"farewell")
    reader = threading.Thread(target=wires[1].run, args=(came.append,))
    reader.start()
    writer = threading.Thread(target=wires[0].run, args=(print,))
    writer.start()
    assert until(lambda: len(came) >= 6)
    wires[0].close()
    writer.join(PATIENCE_S)
    reader.join(PATIENCE_S)
    assert came == [b"fact", b"farewell", *[b"voice %d" % number for number in range(96, 100)]]
