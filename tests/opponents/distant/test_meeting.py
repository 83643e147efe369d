"""Two tables that find each other with six digits, agree on a game, and know each other later."""

from __future__ import annotations

import itertools
import json
import math
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from blindplay.laws.facts import Player
from blindplay.opponents.distant import meeting
from blindplay.opponents.distant.connections import Lifeline, PortConnector, PortListener
from blindplay.opponents.distant.meeting import (
    TRIES,
    Agreement,
    Calling,
    Keys,
    NoAgreementError,
    NoMeetingError,
    NotAgreedError,
    NotReachedError,
    OtherVersionError,
    Terms,
    Waiting,
    call,
    kept_agreement,
)
from blindplay.six_digits import DigitsSide, WrongDigitsError
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until

from .two_tables import SETUP


def test_each_game_has_keys_of_its_own_and_no_private_one_lies_about(tmp_path: Path) -> None:
    one, other = Keys.new(), Keys.new()
    assert one.own != other.own and one.key != other.key
    context = one.knowing(other.own).context(tmp_path, server=True)
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.minimum_version is ssl.TLSVersion.TLSv1_3
    assert not list(tmp_path.iterdir())


def test_something_else_is_no_certificate(tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError):
        Keys.new().knowing("no certificate").context(tmp_path, server=False)


class Host:
    """A table that waits, with what it got."""

    def __init__(self) -> None:
        self.came: list[tuple[ssl.SSLSocket, Keys]] = []
        self.renewed = 0
        self.waiting = Waiting(
            PortListener(0), lambda *one: self.came.append(one), changed=self._changed
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
        sock, keys = call(PortConnector("127.0.0.1", host.waiting.place.port), host.waiting.digits)
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
                call(PortConnector("127.0.0.1", host.waiting.place.port), other_than(digits))
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
        sock, _ = call(PortConnector(*address), host.waiting.digits)
        assert until(lambda: host.came)
        sock.close()
        silent.close()


@pytest.mark.parametrize("said", [b"", b"{", b"\x16\x03\x01"])
def test_300_idle_connections_keep_the_right_table_out_neither_now_nor_later(said: bytes) -> None:
    with waiting() as host, ExitStack() as idle:
        address = ("127.0.0.1", host.waiting.place.port)
        crowd = [idle.enter_context(socket.create_connection(address)) for _ in range(300)]
        for stranger in crowd:
            with suppress(OSError):  # it has been sent away
                stranger.sendall(said)
        sock, keys = call(PortConnector(*address), host.waiting.digits)
        assert until(lambda: host.came)
        host.waiting.only(host.came[0][1])
        sock.close()
        crowd += [idle.enter_context(socket.create_connection(address)) for _ in range(300)]
        lifeline = Lifeline()
        calling = Calling(PortConnector(*address), keys, lifeline)
        assert until(lambda: len(host.came) == 2)
        assert not host.renewed  # silence is no guess of the digits
        calling.close()


def test_a_stranger_who_says_half_a_word_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(meeting, "PATIENCE_S", 10 * meeting._TURN_S)  # longer than a caller waits
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        with socket.create_connection(address) as stranger:
            stranger.sendall(b"{")
            time.sleep(0.2)  # its thread has read that
            sock, _ = call(PortConnector(*address), host.waiting.digits)
            sock.close()


def test_a_stranger_who_is_slow_with_each_byte_is_cut_off_in_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with waiting() as host:
        address = ("127.0.0.1", host.waiting.place.port)
        side = DigitsSide("123456", meeting._NAMES, b"", first=True)
        with monkeypatch.context() as soon, socket.create_connection(address) as stranger:
            soon.setattr(meeting, "PATIENCE_S", 1.0)
            meeting.write(stranger, message=side.message.hex())
            meeting.read(stranger, PATIENCE_S)

            def cut_off() -> bool:
                time.sleep(0.2)
                try:
                    stranger.sendall(b" ")
                except OSError:
                    return True
                return False

            assert until(cut_off)
        sock, _ = call(PortConnector(*address), host.waiting.digits)
        sock.close()


def test_a_guest_who_is_gone_at_once_does_not_end_the_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accept, tries = PortListener.accept, itertools.count()

    def failing(listener: PortListener) -> socket.socket:
        if next(tries) < 2:
            raise OSError("too many open files")
        return accept(listener)

    monkeypatch.setattr(PortListener, "accept", failing)
    with waiting() as host:
        sock, _ = call(PortConnector("127.0.0.1", host.waiting.place.port), host.waiting.digits)
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
            call(PortConnector(*server.getsockname()), "123456")


def test_a_game_that_goes_on_lets_in_only_its_other_table(tmp_path: Path) -> None:
    with waiting() as host:
        sock, keys = call(PortConnector("127.0.0.1", host.waiting.place.port), host.waiting.digits)
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
            call(PortConnector("127.0.0.1", port), digits)
    with pytest.raises(NotReachedError):
        call(PortConnector("127.0.0.1", port), digits)


GUEST = Player(name="Bo", impaired=True, language="da")


def talk(host: Callable[[Any], object], guest: Callable[[Any], Any]) -> Any:
    """What the guest gets, while the host does its part."""
    near, far = socket.socketpair()
    for one in (near, far):
        one.settimeout(20)

    def receive() -> None:
        with far:
            try:
                host(far)
            except (OSError, ValueError):
                return

    thread = threading.Thread(target=receive)
    thread.start()
    try:
        with near:
            return guest(cast(Any, near))
    finally:
        thread.join()


def proposal(player: Player) -> Terms:
    return Terms(replace(SETUP, black=player), "white", 7, training=True)


def host(sock: Any) -> None:
    proposed = proposal(meeting.guest_of(sock, "1"))
    if meeting.propose(sock, proposed, "1"):
        meeting.begin(sock)


def test_the_guest_gets_the_terms_as_its_own_table_sees_them_and_agrees() -> None:
    def guest(sock: Any) -> Terms:
        found = meeting.introduce(sock, GUEST, "1")
        meeting.answer(sock, agrees=True)
        return found

    assert talk(host, guest) == replace(proposal(GUEST), here="black")


def test_no_agreement_is_no_game() -> None:
    def guest(sock: Any) -> None:
        meeting.introduce(sock, Player(), "1")
        meeting.answer(sock, agrees=False)

    with pytest.raises(NotAgreedError):
        talk(host, guest)


def test_a_table_that_has_a_game_says_so() -> None:
    def taken(sock: Any) -> None:
        meeting.guest_of(sock, "1")
        meeting.refuse(sock, "1")

    with pytest.raises(NotAgreedError):
        talk(taken, lambda sock: meeting.introduce(sock, GUEST, "1"))


def test_another_version_is_told_at_both_tables() -> None:
    told: list[str] = []

    def old(sock: Any) -> None:
        try:
            meeting.guest_of(sock, "1")
        except OtherVersionError as error:
            told.append(str(error))

    with pytest.raises(OtherVersionError, match="1"):
        talk(old, lambda sock: meeting.introduce(sock, GUEST, "2"))
    assert told == ["2"]


def test_a_setup_that_is_none_is_not_taken() -> None:
    bad = {**proposal(GUEST).to_json(), "setup": {**SETUP.to_json(), "fen": "nonsense"}}

    def host(sock: Any) -> None:
        meeting.guest_of(sock, "1")
        meeting.write(sock, version="1", **bad)

    with pytest.raises(ValueError, match="position in FEN"):
        talk(host, lambda sock: meeting.introduce(sock, GUEST, "1"))


@pytest.mark.parametrize("limit", [math.inf, 0, -5, 61, 5.0, "5", True, None])
def test_a_limit_that_no_table_can_choose_is_not_taken(limit: Any) -> None:
    with pytest.raises(ValueError):
        talk(
            lambda sock: meeting.propose(sock, replace(proposal(GUEST), limit_s=limit), "1"),
            lambda sock: meeting.introduce(sock, GUEST, "1"),
        )


def test_what_was_agreed_is_kept_privately_and_finds_the_other_table_again(tmp_path: Path) -> None:
    mine, theirs = Keys.new(), Keys.new()
    port = free_port()
    for side, keys, host in (
        ("white", mine.knowing(theirs.own), ""),
        ("black", theirs.knowing(mine.own), "127.0.0.1"),
    ):
        Agreement(keys, side, 5, False, not host, port, host).keep(tmp_path / f"{side}.jsonl")
        assert (tmp_path / f"{side}.distant").stat().st_mode & 0o77 == 0
    ends = [kept_agreement(tmp_path / f"{side}.jsonl").lifeline() for side in ("black", "white")]
    heard: list[list[bytes]] = [[], []]
    for end, into in zip(ends, heard, strict=True):
        end.open(into.append, lambda end=end: end.send(b"here"))  # type: ignore[misc]
    assert until(lambda: all(heard))
    ends[0].renew()
    assert until(lambda: all(into.count(b"here") > 1 for into in heard))  # after the break, too
    for end in ends:
        end.close()


def test_what_was_agreed_by_earlier_versions_is_still_understood(tmp_path: Path) -> None:
    for host in ("", "127.0.0.1"):
        Agreement(Keys("a", "b"), "white", 5, False, not host, 1, host).keep(
            tmp_path / "game.jsonl"
        )
        file = tmp_path / "game.distant"
        found = json.loads(file.read_text("utf-8"))
        del found["waited"], found["inbox"]
        file.write_text(json.dumps(found), "utf-8")
        assert kept_agreement(tmp_path / "game.jsonl").waited is not bool(host)


def test_a_game_without_its_agreement_says_so(tmp_path: Path) -> None:
    with pytest.raises(NoAgreementError, match=r"game\.distant cannot be read"):
        kept_agreement(tmp_path / "game.jsonl")
