"""A connection to the broker that nothing waits for."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from blindplay.broker import Broker, Link
from tests.hall.broker import RealBroker
from tests.waiting import PATIENCE_S, until


def link_of(broker: Broker, got: list[tuple[str, bytes, bool]] | None = None) -> Link:
    found: list[tuple[str, bytes, bool]] = [] if got is None else got
    link = Link(broker, ["test/#"], lambda *one: found.append(one), lambda: None, ("test/w", b"x"))
    link.start()
    return link


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    broker = RealBroker(tmp_path_factory.mktemp("broker"))
    yield broker.broker
    broker.kill()


def test_messages_come_with_the_note_whether_they_were_kept(real: Broker) -> None:
    here: list[tuple[str, bytes, bool]] = []
    later: list[tuple[str, bytes, bool]] = []
    first = link_of(real, here)
    assert until(lambda: first.online and first.publish("test/kept", b"1", retain=True))
    assert until(lambda: ("test/kept", b"1", False) in here)
    assert until(lambda: first.unsent == 0)
    second = link_of(real, later)
    assert until(lambda: ("test/kept", b"1", True) in later)
    first.close(("test/last", b"2"))
    assert until(lambda: ("test/last", b"2", False) in later)
    second.close()
    assert ("test/w", b"x", False) not in later  # a farewell is not a loss


def test_a_client_whose_farewell_does_not_get_through_is_gone_by_its_will(
    real: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits behind messages that the broker has not acknowledged."""
    monkeypatch.setattr("blindplay.broker._CLOSING_S", 0.1)
    told: list[tuple[str, bytes, bool]] = []
    other = link_of(real, told)
    slow = Link(real, ["none"], lambda *_: None, lambda: None, ("test/slow", b"will"))
    monkeypatch.setattr(slow._client, "_handle_pubackcomp", lambda _kind: 0)
    slow.start()
    assert until(lambda: other.online and slow.online)
    for _ in range(30):
        slow.publish("many", b"")
    slow.close(("test/slow", b"farewell"))
    assert until(lambda: ("test/slow", b"will", False) in told)
    other.close()


def test_a_client_is_gone_only_when_the_broker_has_all_that_it_published(real: Broker) -> None:
    got: list[tuple[str, bytes, bool]] = []
    other = link_of(real, got)
    link = link_of(real)
    assert until(lambda: other.online and link.online)
    for number in range(300):
        link.publish("test/number", b"%d" % number)
    link.close()
    assert until(lambda: ("test/number", b"299", False) in got)
    assert sum(topic == "test/number" for topic, _, _ in got) == 300
    other.close()


def test_a_receiver_that_fails_does_not_end_the_connection(real: Broker) -> None:
    got: list[bytes] = []

    def receive(topic: str, payload: bytes, kept: bool) -> None:
        if payload == b"bad":
            raise KeyError(payload)
        got.append(payload)

    def connected() -> None:
        raise KeyError

    link = Link(real, ["failing/#"], receive, connected)
    link.start()
    assert until(lambda: link.online and link.publish("failing/1", b"bad"))
    assert until(lambda: link.publish("failing/1", b"good") and b"good" in got)
    link.close()


def test_without_a_broker_nothing_waits() -> None:
    begun = time.monotonic()
    link = link_of(Broker("127.0.0.1", 9))
    assert not link.publish("test/a", b"1") and not link.online
    link.close(("test/a", b"2"))
    assert time.monotonic() - begun < PATIENCE_S / 2


def test_certificates_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="the organiser gave"):
        link_of(Broker(certificates="-----BEGIN CERTIFICATE-----"))


def test_who_has_no_hall_loads_no_mqtt() -> None:
    script = (
        "import sys, blindplay.hall.hall, blindplay.opponents.distant.meeting; "
        "print('paho' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr
