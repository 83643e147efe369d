"""The configuration of a Mosquitto for one event, with the rights to connect and to publish."""

import base64
import getpass
import hashlib
import os
import secrets
from collections.abc import Iterable, Mapping

from .protocol import HALL_KINDS, KINDS, ROOT, TABLE_KINDS

HALL = "hall"
"""The account of the hall; a table's account is ``table-NAME``."""
CONFIGURATION = "mosquitto.conf"
_ACCESS, _PASSWORDS, _CERTIFICATE, _KEY = "access", "passwords", "broker.pem", "broker.key"
_ITERATIONS = 1000  # no number of them makes a random password of 192 bits easier to guess
_HEARD_BY_TABLES = "head", "presence", "ask", "request", "signature"


def account_of(table: str) -> str:
    """The account of a table."""
    return f"table-{table}"


def new_password() -> str:
    """A random password of 192 bits."""
    return secrets.token_urlsafe(24)


def configuration_files(
    event: str, port: int, passwords: Mapping[str, str], server: str, key: str
) -> dict[str, str]:
    """The files of the broker by name: ``passwords`` are those of the hall (empty name) and of the
    tables, ``server`` and ``key`` its certificate and private key in PEM.

    Names of files are relative, so Mosquitto must run in their folder: it can be moved.
    """
    tables = [name for name in passwords if name]
    hashes = [
        _hashed(account_of(name) if name else HALL, password)
        for name, password in passwords.items()
    ]
    return {
        CONFIGURATION: _CONFIGURATION.format(port=port) + owner(),
        _ACCESS: _access(event, tables),
        _PASSWORDS: "".join(hashes),
        _CERTIFICATE: server,
        _KEY: key,
    }


_CONFIGURATION = f"""\
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
"""


def owner() -> str:
    """If root starts Mosquitto, it runs as the user who can read these files."""
    return f"user {getpass.getuser()}\n" if hasattr(os, "geteuid") else ""


def _access(event: str, tables: Iterable[str]) -> str:
    """The topics that each account may read and write; all others are forbidden."""
    parts = [f"user {HALL}\n", *(_rule("read", event, "+", kind) for kind in KINDS)]
    parts += [_rule("write", event, "+", kind) for kind in HALL_KINDS]
    for name in tables:
        parts.append(f"\nuser {account_of(name)}\n")
        parts += [_rule("write", event, name, kind) for kind in TABLE_KINDS]
        parts += [_rule("read", event, name, kind) for kind in _HEARD_BY_TABLES]
    return "".join(parts)


def _rule(may: str, event: str, table: str, kind: str) -> str:
    return f"topic {may} {ROOT}/{event}/{table}/{kind}\n"


def _hashed(account: str, password: str) -> str:
    """A line of Mosquitto's file of passwords: PBKDF2 with SHA-512."""
    salt = secrets.token_bytes(12)
    found = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ITERATIONS)
    parts = base64.b64encode(salt).decode(), base64.b64encode(found).decode()
    return f"{account}:$7${_ITERATIONS}${parts[0]}${parts[1]}\n"
