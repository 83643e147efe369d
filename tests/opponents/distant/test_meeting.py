"""Two tables that find each other with six digits, and others that do not get in."""

from __future__ import annotations

import itertools
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from blindplay.opponents.distant import meeting
from blindplay.opponents.distant.keys import Keys
from blindplay.opponents.distant.meeting import (
    TRIES,
    NoMeetingError,
    NotReachedError,
    Waiting,
    call,
)
from blindplay.opponents.distant.places import PATIENCE_S, PortDoor, PortWay
from blindplay.six_digits import DigitsSide, WrongDigitsError
from tests.waiting import until


class Host:
    """A table that waits, with what it got."""

    def __init__(self) -> None:
        self.came: list[tuple[ssl.SSLSocket, Keys]] = []
        self.renewed = 0
        self.waiting = Waiting(
            PortDoor(0), lambda *one: self.came.append(one), changed=self._changed
        )

    def _changed(self) -> None:
        self.renewed += 1


@contextmanager
def waiting() -> Iterator[Host]:
    host = Host()
    try:
        yield host
    finally:
        host.waiting.close()


def other_than(digits: str) -> str:
    return f"{(int(digits) + 1) % 1_000_000:06}"


def test_whoever_knows_the_digits_comes_in_and_both_know_each_other() -> None:
    with waiting() as host:
        sock, keys = call(PortWay("127.0.0.1", host.waiting.place.port), host.waiting.digits)
        assert until(lambda: host.came)
        there, theirs = host.came[0]
        assert theirs.other == keys.own and keys.other == theirs.own
        sock.sendall(b"e4")
        assert there.recv(10) == b"e4" and sock.version() == "TLSv1.3"
        sock.close()
        there.close()


def test_each_wrong_guess_is_a_try_and_then_the_digits_are_new() -> None:
    with waiting() as host:
        digits = host.waiting.digits
        for _ in range(TRIES):
            assert host.waiting.digits == digits
            with pytest.raises(WrongDigitsError):
                call(PortWay("127.0.0.1", host.waiting.place.port), other_than(digits))
            assert until(lambda: host.waiting._exchanging.acquire(blocking=False))
            host.waiting._exchanging.release()
        assert until(lambda: host.renewed == 1) and not host.came


def test_nonsense_and_silence_at_the_door_keep_nobody_out() -> None:
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        silent = socket.create_connection(address)
        for said in (b"GET / HTTP/1.1\r\n\r\n", b"[]\n", b'{"message": 3}\n', b"\x16\x03\x01"):
            # It may be refused before all was said.
            with suppress(OSError), socket.create_connection(address) as rude:
                rude.sendall(said)
                rude.shutdown(socket.SHUT_WR)
                while rude.recv(4096):
                    pass
        assert not host.renewed
        sock, _ = call(PortWay(*address), host.waiting.digits)
        assert until(lambda: host.came)
        sock.close()
        silent.close()


def test_a_stranger_who_says_half_a_word_keeps_nobody_waiting() -> None:
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        with socket.create_connection(address) as stranger:
            stranger.sendall(b"{")
            time.sleep(0.2)  # its thread has read that
            began = time.monotonic()
            sock, _ = call(PortWay(*address), host.waiting.digits)
            assert time.monotonic() - began < PATIENCE_S / 2
            sock.close()


def test_a_stranger_who_is_slow_with_each_byte_is_cut_off_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meeting, "PATIENCE_S", 1.0)
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        side = DigitsSide("123456", meeting._NAMES, b"", first=True)
        with socket.create_connection(address) as stranger:
            meeting.write(stranger, message=side.message.hex())
            meeting.read(stranger, 20)
            began = time.monotonic()
            with suppress(OSError):
                while time.monotonic() - began < 20:
                    stranger.sendall(b" ")
                    time.sleep(0.2)
            assert time.monotonic() - began < 10
        sock, _ = call(PortWay(*address), host.waiting.digits)
        sock.close()


def test_a_guest_who_is_gone_at_once_does_not_end_the_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accept, tries = PortDoor.accept, itertools.count()

    def failing(door: PortDoor) -> socket.socket:
        if next(tries) < 2:
            raise OSError("too many open files")
        return accept(door)

    monkeypatch.setattr(PortDoor, "accept", failing)
    with waiting() as host:
        sock, _ = call(PortWay("127.0.0.1", host.waiting.place.port), host.waiting.digits)
        sock.close()


def test_a_message_of_brackets_fails_quietly_at_both_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brackets = b"[" * 15_000 + b"\n"
    failed: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        with socket.create_connection(address) as rude:
            rude.sendall(brackets)
            assert rude.recv(1) == b"" and not failed
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as guest:
                guest.sendall(brackets)
                guest.recv(4096)

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(NoMeetingError):
            call(PortWay(*server.getsockname()), "123456")


def test_a_game_that_goes_on_lets_in_only_its_other_table(tmp_path: Path) -> None:
    with waiting() as host:
        sock, keys = call(PortWay("127.0.0.1", host.waiting.place.port), host.waiting.digits)
        assert until(lambda: host.came)
        sock.close()
        digits, port = host.waiting.digits, host.waiting.place.port
        host.waiting.only(host.came[0][1])
        for use in (Keys.new().knowing(keys.other), keys):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)) as plain:
                known = use.context(tmp_path, server=False).wrap_socket(plain)
                known.settimeout(0.5 if use is keys else 20)
                assert known.recv(1) == b""  # a stranger is told only now
        assert until(lambda: len(host.came) == 2) and host.came[1][1].other == keys.own
        with pytest.raises(WrongDigitsError):
            call(PortWay("127.0.0.1", port), digits)
    with pytest.raises(NotReachedError):
        call(PortWay("127.0.0.1", port), digits)
