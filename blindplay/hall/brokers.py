"""Mosquitto, the MQTT broker: for an event, for tables that meet, and for a try-out on one machine.

The broker of an event gives each account its rights to connect and to publish. It has an authority
of its own, whose key is deleted at once, so that no second broker of this event can be certified.

The broker of meetings is for two tables that cannot reach each other. It is another process than
the broker of an event: strangers may connect, and can take nothing from the tables of a tournament.
"""

import base64
import getpass
import hashlib
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Self

from blindplay import certificates
from blindplay.broker import Broker
from blindplay.ctrl_c import CtrlC
from blindplay.given import EVENT, read_text
from blindplay.opponents.distant.connections import INBOX_TOPIC, INBOXES, ROOM_TOPIC, ROOMS
from blindplay.translation import UserError

from .protocol import HALL_KINDS, KINDS, ROOT, TABLE_KINDS

HALL_ACCOUNT = "hall"
"""The account of the hall; a table's account is ``table-NAME``."""
READER_ACCOUNT = "reader"
"""The account of programs that only follow the games."""
CONFIGURATION = "mosquitto.conf"
_ACCESS, _PASSWORDS, _CERTIFICATE, _KEY = "access", "passwords", "broker.pem", "broker.key"
_ITERATIONS = 1000  # no number of them makes a random password of 192 bits easier to guess
_TABLE_SUBSCRIPTIONS = "head", "presence", "ask", "request", "signature"
_PUBLIC = "journal", "head", "presence", "signature"


def account_of(table: str) -> str:
    """The account of a table."""
    return f"table-{table}"


def new_password() -> str:
    """A random password of 192 bits."""
    return secrets.token_urlsafe(24)


def event_broker_files(
    event: str,
    port: int,
    tables: Iterable[str],
    passwords: Mapping[str, str],
    server: str,
    key: str,
) -> dict[str, str]:
    """The files of the broker by name: ``passwords`` are those of the accounts, ``server`` and
    ``key`` its certificate and private key in PEM.

    Names of files are relative, so Mosquitto must run in their folder: it can be moved.
    """
    return {
        CONFIGURATION: _EVENT.format(port=port) + _owner(),
        _ACCESS: _access(event, tables),
        _PASSWORDS: "".join(_hashed(*one) for one in passwords.items()),
        _CERTIFICATE: server,
        _KEY: key,
    }


_EVENT = f"""\
# Start Mosquitto in this folder: mosquitto -c {CONFIGURATION}
listener {{port}}
certfile {_CERTIFICATE}
keyfile {_KEY}
tls_version tlsv1.2
allow_anonymous false
password_file {_PASSWORDS}
acl_file {_ACCESS}
max_queued_messages 100000
max_packet_size 1000000
persistence false
persistent_client_expiration 1h
"""


def _owner() -> str:
    """If root starts Mosquitto, it runs as the user who can read these files."""
    return f"user {getpass.getuser()}\n" if hasattr(os, "geteuid") else ""


def _access(event: str, tables: Iterable[str]) -> str:
    """The topics that each account may read and write; all others are forbidden."""
    parts = [f"user {HALL_ACCOUNT}\n", *(_rule("read", event, "+", kind) for kind in KINDS)]
    parts += [_rule("write", event, "+", kind) for kind in HALL_KINDS]
    parts.append(f"\nuser {READER_ACCOUNT}\n")
    parts += [_rule("read", event, "+", kind) for kind in _PUBLIC]
    for name in tables:
        parts.append(f"\nuser {account_of(name)}\n")
        parts += [_rule("write", event, name, kind) for kind in TABLE_KINDS]
        parts += [_rule("read", event, name, kind) for kind in _TABLE_SUBSCRIPTIONS]
    return "".join(parts)


def _rule(may: str, event: str, table: str, kind: str) -> str:
    return f"topic {may} {ROOT}/{event}/{table}/{kind}\n"


def _hashed(account: str, password: str) -> str:
    """A line of Mosquitto's file of passwords: PBKDF2 with SHA-512."""
    salt = secrets.token_bytes(12)
    hashed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    parts = base64.b64encode(salt).decode(), base64.b64encode(hashed).decode()
    return f"{account}:$7${_ITERATIONS}${parts[0]}${parts[1]}\n"


class BrokerCertificates(NamedTuple):
    """All in PEM."""

    authority: str
    """The tables and the hall trust it."""
    server: str
    key: str
    """The server's private key, without a password."""


def make_certificates(event: str, hosts: Sequence[str]) -> BrokerCertificates:
    """Certificates for a broker that is reached under ``hosts``, each a name or an address. They
    hold for good: the event's end bounds their use."""
    own, key = certificates.new_key(), certificates.new_key()
    authority = certificates.certify(f"Authority of {event}", own, certifies=0)
    signed_by = authority.subject, own
    server = certificates.certify(f"Broker of {event}", key, signed_by, hosts=hosts)
    in_pem = certificates.in_pem
    return BrokerCertificates(in_pem(authority), in_pem(server), certificates.key_in_pem(key))


_ANONYMOUS = "allow_anonymous true\n"
_PLACES = "/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", r"C:\Program Files\mosquitto"
_INSTALL = {
    "win32": "winget install EclipseFoundation.Mosquitto",
    "darwin": "brew install mosquitto",
}


class BrokerMissingError(UserError):
    """Mosquitto is not installed; the message says how to install it."""


def program() -> str:
    """The path of Mosquitto.

    :raises BrokerMissingError: if it is not installed.
    """
    for place in (None, *_PLACES):
        if path := shutil.which("mosquitto", path=place):
            return path
    command = _INSTALL.get(sys.platform, "sudo apt install mosquitto")
    raise BrokerMissingError(
        "There is no Mosquitto on this machine; install it with: {command}", command=command
    )


_LOOKS_EVERY_S = 0.1  # for Ctrl-C
_LOG = "mosquitto.log"
_ENDING_S = 10.0


def _end(broker: subprocess.Popen[bytes]) -> None:
    broker.terminate()
    try:
        broker.wait(_ENDING_S)
    except subprocess.TimeoutExpired:
        broker.kill()
        broker.wait()


def run_broker(folder: Path, on_ready: Callable[[int, Path], object] = lambda *_: None) -> None:
    """Run Mosquitto with the configuration in ``folder`` until it ends. Call ``on_ready`` with its
    port and the file of its log when tables can reach it.

    :raises BrokerMissingError: if Mosquitto is not installed.
    :raises ValueError: if there is no configuration, its port is taken, or Mosquitto ends by
        itself.
    """
    if not (folder / CONFIGURATION).is_file():
        raise UserError(
            "There is no {folder}; name the hall.toml that blindplay hall init has written.",
            folder=folder / CONFIGURATION,
        )
    with CtrlC() as ctrl_c:  # an exception while the process starts would leave it behind
        port, log, ready = _port(folder), folder / _LOG, False
        if _answers(port):  # else what answers there would pass for this one
            raise UserError(
                "Another program has port {port} already. If it is a broker whose window was "
                "closed, end mosquitto, and try again.",
                port=port,
            )
        with log.open("wb") as out:
            broker = subprocess.Popen(
                [program(), "-c", CONFIGURATION], cwd=folder, stdout=out, stderr=out
            )
        try:
            while broker.poll() is None and not ctrl_c.pressed:
                with suppress(subprocess.TimeoutExpired):
                    broker.wait(_LOOKS_EVERY_S)  # first: where the port is taken, it ends at once
                    break
                if not ready and _answers(port):
                    ready = True
                    on_ready(port, log)
        finally:
            _end(broker)
    if ctrl_c.pressed:
        raise KeyboardInterrupt
    raise UserError(
        "Mosquitto has ended by itself. Its last line was: {line}", line=_last_line(log)
    )


def _port(folder: Path) -> int:
    """The port in the configuration in ``folder``; 0 if there is none."""
    text = read_text(folder / CONFIGURATION, EVENT)
    found = re.search(r"^listener (\d+)", text, re.MULTILINE)
    return int(found[1]) if found else 0


def _answers(port: int) -> bool:
    """True if something listens at ``port`` of this machine."""
    with socket.socket() as tried:
        tried.settimeout(1)
        return bool(port) and tried.connect_ex(("127.0.0.1", port)) == 0


def _last_line(log: Path) -> str:
    """The last line of Mosquitto's log, without its time."""
    lines = log.read_text("utf-8", "replace").splitlines() or ["-"]
    return re.sub(r"^\d+: ", "", lines[-1])


class LocalBroker:
    """A Mosquitto that only this machine reaches. It keeps nothing when it ends."""

    def __init__(self, folder: Path, configuration: str = _ANONYMOUS, port: int = 0) -> None:
        """Start it; ``folder`` gets its configuration. Without a ``port`` it gets a free one.

        :raises BrokerMissingError: if Mosquitto is not installed.
        """
        self._program = program()
        with socket.create_server(("127.0.0.1", port)) as free:
            self.port: int = free.getsockname()[1]
        self._file = folder / CONFIGURATION
        listener = f"listener {self.port} 127.0.0.1\nmax_queued_messages 100000\n"
        self._file.write_text(listener + configuration, "utf-8")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def broker(self) -> Broker:
        """The address for connections to it."""
        return Broker("127.0.0.1", self.port)

    def start(self) -> None:
        """Start it again after :meth:`kill`."""
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._file)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def kill(self) -> None:
        """End it as a power cut does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


MOST_TABLES = 100
"""Limit of the tables that are connected at the same time."""
# These limits hold for malicious clients, too.
_MEETINGS = f"""\
listener {{port}}
certfile {_CERTIFICATE}
keyfile {_KEY}
tls_version tlsv1.2
allow_anonymous true
acl_file {_ACCESS}
max_connections {MOST_TABLES}
max_packet_size 20000
max_queued_messages 500
max_queued_bytes 2000000
memory_limit 300000000
max_keepalive 60
set_tcp_nodelay true
persistence false
"""


def meeting_broker_files(port: int) -> dict[str, str]:
    """The files of the broker by name. Any client may connect, and has only these rights: to read
    its own inbox, to write to every inbox, and to read and publish the owners of rooms."""
    access = [f"topic write {INBOXES}\n"]
    access += [f"topic readwrite {ROOM_TOPIC.format(room)}\n" for room in ROOMS]
    access.append(f"pattern read {INBOX_TOPIC.format('%c')}\n")
    _rest, server, key = make_certificates("meetings", ["localhost"])
    return {
        CONFIGURATION: _MEETINGS.format(port=port) + _owner(),
        _ACCESS: "".join(access),
        _CERTIFICATE: server,
        _KEY: key,
    }


def run_meetings(port: int, on_ready: Callable[[int, Path], object]) -> None:
    """Run the broker until it ends. ``on_ready`` is as in :func:`run_broker`.

    :raises BrokerMissingError: if Mosquitto is not installed.
    :raises ValueError: if Mosquitto ends by itself.
    """
    with tempfile.TemporaryDirectory(prefix="blindplay-meetings-") as name:
        for file, text in meeting_broker_files(port).items():
            (Path(name) / file).write_text(text, "utf-8")
        run_broker(Path(name), on_ready)
