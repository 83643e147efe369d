"""A new event: the files of its hall, of its tables and of its broker."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.record import files, signatures
from blindplay.translation import _

from .brokers import (
    HALL_ACCOUNT,
    account_of,
    event_broker_files,
    make_certificates,
    new_password,
)
from .event_file import TLS_PORT
from .protocol import NAME

HALL_FILE = "hall.toml"
BROKER_FOLDER = "broker"
_LOCAL = "localhost", "127.0.0.1"


@dataclass(frozen=True)
class EventPlan:
    """The organiser's plan of an event."""

    title: str
    rounds: int
    edition: str
    time_control: str
    """As in PGN."""
    tables: int
    """They are called 1, 2, and so on."""
    languages: tuple[str, ...]
    """Their codes; tables speak the first one unless their users choose another."""
    host: str
    """The name or address under which the tables reach the broker."""


def short_name(title: str) -> str:
    """The name of an event in topics, from its name for people."""
    letters = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    name = re.sub("[^a-z0-9]+", "-", letters)[:40].strip("-")
    return name if NAME.fullmatch(name) else "event"


def check_new(folder: Path) -> None:
    """Do nothing if ``folder`` is new or empty.

    :raises ValueError: one sentence, if something is there.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ValueError(
            _("{folder} exists already; choose another folder with --folder.", folder=folder)
        )


def write_event(plan: EventPlan, folder: Path) -> None:
    """Write the files of a new event into ``folder``, which must be new or empty. Only its owner
    can read them.

    :raises ValueError: if something is in the folder already.
    :raises OSError: if they cannot be written.
    """
    check_new(folder)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in _files(plan).items():
        path = folder / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        files.write_new(path, text.encode())


def _files(plan: EventPlan) -> dict[str, str]:
    """The files by their names in the folder. The hall's comes last: with it, all are there."""
    event = short_name(plan.title)
    names = [str(number) for number in range(1, plan.tables + 1)]
    passwords = {name: new_password() for name in ("", *names)}
    keys = {name: signatures.new_key() for name in names}
    hosts = list(dict.fromkeys((plan.host, *_LOCAL)))
    authority, server, key = make_certificates(event, hosts)

    def broker(host: str, account: str, password: str) -> dict[str, Any]:
        return {"host": host, "port": TLS_PORT, "account": account, "password": password,
                "certificates": authority}  # fmt: skip

    play = {"event": plan.title, "edition": plan.edition, "time-control": plan.time_control,
            "language": plan.languages[0]}  # fmt: skip
    own = event_broker_files(event, TLS_PORT, passwords, server, key)
    texts = {f"{BROKER_FOLDER}/{name}": text for name, text in own.items()}
    for name in names:
        account = account_of(name)
        texts[f"table-{name}.toml"] = _toml(
            f"Table {name}. Give this file to this table only. "
            "Everybody who has it can act as this table.",
            {"event": event, "title": plan.title, "table": name, "key": keys[name]},
            {"play": play, "broker": broker(plan.host, account, passwords[name])},
        )
    texts[HALL_FILE] = _toml(
        "The hall. Give this file to nobody. Everybody who has it can decide at every table.",
        {"event": event, "title": plan.title, "rounds": plan.rounds,
         "languages": list(plan.languages)},
        {
            "play": play,
            "broker": broker(plan.host, HALL_ACCOUNT, passwords[""]),
            "keys": {name: signatures.public_key(key) for name, key in keys.items()},
        },
    ) + _BROADCAST  # fmt: skip
    return texts


_BROADCAST = """
# What everybody sees of the games, with blindplay hall serve --public or blindplay hall cast.
[broadcast]
delay = "15m"
names = false
# folder = "livechess"
# report = "cup.trf"

# How the hall mails players their next game.
# [mail]
# host = "smtp.example.org"
# port = 465
# account = "hall@example.org"
# password = "..."
# sender = "hall@example.org"
"""


def _toml(comment: str, values: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [f"# {comment}", *(f"{name} = {_value(value)}" for name, value in values.items())]
    for part, inner in parts.items():
        lines += ["", f"[{part}]", *(f"{name} = {_value(value)}" for name, value in inner.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str) and "\n" in value:
        return f'"""\n{value}"""'
    return json.dumps(value, ensure_ascii=False)
