"""A connection that comes back after each break."""

from __future__ import annotations

import queue
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.opponents.distant.keys import Keys
from blindplay.opponents.distant.wire import Lifeline, Wire
from tests.waiting import PATIENCE_S, until


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
