"""The brokers of events, of meetings and of one machine."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.broker import Broker, Link
from blindplay.hall.brokers import (
    CONFIGURATION,
    BrokerCertificates,
    make_certificates,
    meeting_broker_files,
    program,
    run_broker,
)
from blindplay.hall.hall import Hall
from blindplay.hall.new_event import BROKER_FOLDER
from blindplay.hall.protocol import KINDS, Topic
from blindplay.hall.table_side.publisher import Publisher
from blindplay.record import Journal
from blindplay.table import Table
from tests.ports import free_port
from tests.programs import need
from tests.waiting import PATIENCE_S, until

from .broker import LOCAL, EventBroker, RealBroker
from .running import SETUP, is_equal, kinds, play


@pytest.fixture(scope="module")
def made() -> BrokerCertificates:
    return make_certificates("open", ["broker.example", "192.0.2.7", "2001:db8::7"])


def connect(made: BrokerCertificates, folder: Path, name: str, trusted: str) -> None:
    """Shake hands with a server that has ``made``; raise ssl.SSLError if it is not trusted."""
    chain, key = folder / "chain.pem", folder / "key.pem"
    chain.write_text(made.server, "utf-8")
    key.write_text(made.key, "utf-8")
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(chain, key)
    client = ssl.create_default_context(cadata=trusted)
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    here, there = socket.socketpair()

    def serve() -> None:
        with there, contextlib.suppress(OSError):
            server.wrap_socket(there, server_side=True).close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with here:
            client.wrap_socket(here, server_hostname=name).close()
    finally:
        thread.join()


@pytest.mark.parametrize("name", ["broker.example", "192.0.2.7", "2001:db8::7"])
def test_the_broker_is_trusted_under_its_names(
    made: BrokerCertificates, tmp_path: Path, name: str
) -> None:
    connect(made, tmp_path, name, made.authority)


def test_under_another_name_it_is_not_trusted(made: BrokerCertificates, tmp_path: Path) -> None:
    with pytest.raises(ssl.SSLError):
        connect(made, tmp_path, "other.example", made.authority)


def test_another_events_authority_does_not_trust_it(
    made: BrokerCertificates, tmp_path: Path
) -> None:
    other = make_certificates("open", ["broker.example"])
    with pytest.raises(ssl.SSLError):
        connect(made, tmp_path, "broker.example", other.authority)


def test_a_table_with_a_wrong_clock_trusts_it(made: BrokerCertificates, tmp_path: Path) -> None:
    """A machine without a battery for its clock may believe that it is 2001."""
    ca, server = tmp_path / "ca.pem", tmp_path / "server.pem"
    ca.write_text(made.authority, "utf-8")
    server.write_text(made.server, "utf-8")
    for moment in ("1000000000", "4000000000"):  # 2001 and 2096
        command = ["openssl", "verify", "-attime", moment, "-CAfile", str(ca), str(server)]
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip("openssl is not installed")
        assert done.returncode == 0, done.stderr


def test_it_can_be_killed_and_started_again(tmp_path: Path) -> None:
    broker = RealBroker(tmp_path)
    link = Link(broker.broker, ["a"], lambda *one: None, lambda: None)
    link.start()
    assert until(lambda: link.online)
    broker.kill()
    assert until(lambda: not link.online)
    broker.start()
    assert until(lambda: link.online)
    link.close()
    broker.kill()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no service with a signal")
@pytest.mark.parametrize("ending", ["SIGTERM", "SIGHUP"])
def test_a_service_that_is_stopped_and_a_closed_window_leave_no_broker_behind(
    tmp_path: Path, ending: str
) -> None:
    need("Mosquitto")
    address = (LOCAL, free_port())
    folder = tmp_path / BROKER_FOLDER
    folder.mkdir()
    (folder / CONFIGURATION).write_text(f"listener {address[1]} {LOCAL}\nallow_anonymous true\n")
    command = [sys.executable, "-m", "blindplay", "hall", "broker", str(tmp_path / "hall.toml")]
    printed = tmp_path / "printed"
    with (
        printed.open("w") as out,
        subprocess.Popen(
            command, stdout=out, stderr=out, env={**os.environ, "LC_ALL": "en_GB.UTF-8"}
        ) as service,
    ):
        assert until(lambda: "mosquitto.log" in printed.read_text("utf-8"))
        assert _answers(address)
        service.send_signal(getattr(signal, ending))
        assert service.wait(PATIENCE_S) == 130
    assert not _answers(address)
    log = folder / "mosquitto.log"
    assert printed.read_text("utf-8").splitlines() == [
        f"The broker runs at port {address[1]}. Ctrl-C ends it.",
        f"What Mosquitto says is in {log}.",
        "Stopped.",
    ]
    assert log.stat().st_size


def test_a_broker_whose_port_is_taken_says_so(tmp_path: Path) -> None:
    need("Mosquitto")
    ready: list[int] = []
    with socket.create_server((LOCAL, 0)) as taken:
        port = taken.getsockname()[1]
        (tmp_path / CONFIGURATION).write_text(f"listener {port} {LOCAL}\nallow_anonymous true\n")
        with pytest.raises(ValueError, match=rf"Another program has port {port} already\."):
            run_broker(tmp_path, lambda port, log: ready.append(port))
    assert not ready


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends no program with a signal")
def test_a_broker_that_ends_by_itself_is_an_error_whatever_its_status(tmp_path: Path) -> None:
    need("Mosquitto")
    port = free_port()
    line = f"listener {port} {LOCAL}\nallow_anonymous true\npid_file {tmp_path / 'pid'}\n"
    (tmp_path / CONFIGURATION).write_text(line)

    def end(port: int, log: Path) -> None:
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGTERM)

    with pytest.raises(ValueError, match="Mosquitto has ended by itself"):
        run_broker(tmp_path, end)


_STOPPED_WHILE_IT_STARTS = """
import signal, subprocess, sys
from pathlib import Path
from blindplay.hall import brokers

class Popen(subprocess.Popen):
    def __init__(self, *given, **more):
        super().__init__(*given, **more)
        print(self.pid, flush=True)
        signal.raise_signal(signal.SIGINT)

subprocess.Popen = Popen
brokers.run_broker(Path(sys.argv[1]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows stops no service with a signal")
def test_a_service_that_is_stopped_while_its_broker_starts_leaves_none_behind(
    tmp_path: Path,
) -> None:
    need("Mosquitto")
    port = free_port()
    (tmp_path / CONFIGURATION).write_text(f"listener {port} {LOCAL}\nallow_anonymous true\n")
    command = [sys.executable, "-c", _STOPPED_WHILE_IT_STARTS, str(tmp_path)]
    out, err = tmp_path / "out", tmp_path / "err"  # a broker left behind would keep a pipe open
    with out.open("w") as said, err.open("w") as trouble:
        subprocess.run(command, stdout=said, stderr=trouble, check=False)
    assert "KeyboardInterrupt" in err.read_text()
    with pytest.raises(ProcessLookupError):
        os.kill(int(out.read_text()), 0)


def _answers(address: tuple[str, int]) -> bool:
    with socket.socket() as tried:
        return tried.connect_ex(address) == 0


@pytest.mark.parametrize(
    ("system", "command"),
    [("linux", "sudo apt install mosquitto"), ("darwin", "brew install mosquitto"),
     ("win32", "winget install EclipseFoundation.Mosquitto")],
)  # fmt: skip
def test_where_it_is_missing_one_command_installs_it(
    system: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *one, **more: None)
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(ValueError, match=command):
        program()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventBroker]:
    broker = EventBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


END = b"end"


class Listener:
    """A client that hears all that its account may hear."""

    def __init__(self, broker: Broker) -> None:
        self.heard: set[str] = set()
        self.ended = False
        self.link = Link(broker, ["#"], self._take, lambda: None)
        self.link.start()

    def _take(self, topic: str, payload: bytes, *_: object) -> None:
        if payload == END:
            self.ended = True
        else:
            self.heard.add(topic.removeprefix("blindplay/1/try/"))

    def publish_everywhere(self) -> None:
        assert until(lambda: self.link.online)
        for table in ("1", "2"):
            for kind in KINDS:
                self.link.publish(str(Topic("try", table, kind)), b"x")
        assert until(lambda: self.link.unsent == 0)


def published(broker: EventBroker, table: str = "") -> tuple[set[str], set[str]]:
    """Of all topics that an account publishes to: which the hall hears, and which table 1 hears."""
    hall, one = (Listener(broker.event_file(name).broker) for name in ("", "1"))
    rogue = Listener(broker.event_file(table).broker)
    try:
        assert until(lambda: hall.link.online and one.link.online)
        rogue.publish_everywhere()
        # What comes last: all else has come. The hall hears what table 2 says, table 1 itself.
        last = Listener(broker.event_file("2").broker)
        assert until(lambda: last.link.online)
        last.link.publish(str(Topic("try", "2", "presence")), END)
        one.link.publish(str(Topic("try", "1", "presence")), END)
        assert until(lambda: hall.ended and one.ended)
        last.link.close()
        return hall.heard, one.heard
    finally:
        for client in (hall, one, rogue):
            client.link.close()


def test_a_table_writes_its_own_topics_and_no_others(broker: EventBroker) -> None:
    hall, table = published(broker, "1")
    assert hall == {f"1/{kind}" for kind in ("journal", "head", "presence", "answer", "signature")}
    assert table == {"1/head", "1/presence", "1/signature"}


def test_the_hall_alone_asks_and_requests(broker: EventBroker) -> None:
    hall, table = published(broker)
    assert hall == {f"{name}/{kind}" for name in "12" for kind in ("ask", "request")}
    assert table == {"1/ask", "1/request"}


def test_a_reader_reads_what_is_public_of_all_tables_and_writes_nothing(
    broker: EventBroker,
) -> None:
    assert published(broker, "reader") == (set(), set())
    reader = Listener(broker.event_file("reader").broker)
    assert until(lambda: reader.link.online)
    tables = [Listener(broker.event_file(table).broker) for table in ("1", "2", "")]
    for one in tables:
        one.publish_everywhere()
    tables[0].link.publish(str(Topic("try", "1", "presence")), END)
    assert until(lambda: reader.ended)
    public = ("journal", "head", "presence", "signature")
    assert reader.heard == {f"{name}/{kind}" for name in "12" for kind in public}
    for one in (reader, *tables):
        one.link.close()


@pytest.mark.parametrize(
    "changed", [{"password": "wrong"}, {"account": ""}, {"account": "table-2"}], ids=str
)
def test_another_password_or_none_is_refused(broker: EventBroker, changed: dict[str, str]) -> None:
    refused = Listener(replace(broker.event_file("1").broker, **changed))  # type: ignore[arg-type]
    allowed = Listener(broker.event_file("1").broker)
    assert until(lambda: allowed.link.online)
    assert not refused.link.online
    for client in (refused, allowed):
        client.link.close()


def test_a_broker_with_another_certificate_is_not_trusted(
    broker: EventBroker, tmp_path: Path
) -> None:
    other = EventBroker(tmp_path)
    mine = broker.event_file("1").broker
    try:
        lured = Listener(replace(mine, port=other.port))
        honest = Listener(other.event_file("1").broker)
        assert until(lambda: honest.link.online)
        assert not lured.link.online
    finally:
        other.kill()
    for client in (lured, honest):
        client.link.close()


def test_passwords_are_not_in_the_files_of_the_broker(broker: EventBroker) -> None:
    files = [one.read_text("utf-8") for one in (broker.folder / "broker").iterdir()]
    for table in ("", "1", "2"):
        password = broker.event_file(table).broker.password
        assert len(password) >= 32 and not any(password in text for text in files)


def test_a_hall_follows_a_table_and_keeps_what_it_signs(
    broker: EventBroker, tmp_path: Path
) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        with (
            Hall(broker.event_file()) as hall,
            Publisher(table, broker.event_file("1")),
        ):
            play(table, "f2f3", "e7e5")
            assert until(lambda: is_equal(hall, table))
            answer = hall.request("1", "Berta", "sign", {}).result()
            assert answer.status == "done" and answer.n == table.written[0]
            play(table, "g2g4", "d8h4")
            assert until(lambda: is_equal(hall, table) and table.game.over)
            mine = tmp_path / "game.signatures"

            def kept() -> set[bytes]:
                copy = hall.follower.tables["1"].copy
                assert copy is not None
                file = copy.path.with_suffix(".signatures")
                return set(file.read_bytes().splitlines()) if file.is_file() else set()

            assert until(lambda: mine.read_bytes().count(b"\n") == 2)
            assert until(lambda: kept() == set(mine.read_bytes().splitlines()))
            assert answer.body["signature"] == mine.read_text("utf-8").splitlines()[0]
            assert json.loads(answer.body["signature"])["n"] == answer.n
            assert kinds(hall) == set()


def test_strangers_may_use_inboxes_and_rooms_only_and_everything_is_bounded() -> None:
    files = meeting_broker_files(8884)
    access = files["access"].splitlines()
    assert access[0] == "topic write blindplay/meeting/1/to/+"
    rooms = [f"topic readwrite blindplay/meeting/1/room/{room}" for room in range(10, 100)]
    assert access[1:-1] == rooms
    assert access[-1] == "pattern read blindplay/meeting/1/to/table-%c-in"
    settings = {line.split()[0] for line in files["mosquitto.conf"].splitlines()}
    assert settings >= {
        "max_connections", "max_packet_size", "max_queued_bytes", "memory_limit", "certfile",
    }  # fmt: skip
