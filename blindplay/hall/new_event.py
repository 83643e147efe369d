"""A new event: the files of its hall, of its tables and of its broker."""

import datetime
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.certificates import address_in, name_in, new_issuers
from blindplay.record import files, signatures
from blindplay.translation import UserError

from .brokers import (
    HALL_ACCOUNT,
    READER_ACCOUNT,
    account_of,
    event_broker_files,
    make_certificates,
    new_password,
)
from .event_file import TLS_PORT
from .protocol import NAME

HALL_FILE = "hall.toml"
READER_FILE = "reader.toml"
BROKER_FOLDER = "broker"
_LOCAL = "localhost", "127.0.0.1"
_PAGES = datetime.timedelta(days=400)
"""How long devices that trust an event's authority accept the event's pages."""


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
    port: int = TLS_PORT
    """The port of the broker."""
    default_time: str | None = None
    """How late a player may come (6.7.1), such as ``30m``; None: the edition decides."""
    encrypt: bool = False
    """The files have what encrypts the pages of the hall and of the tables for phones."""


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
        raise UserError(
            "{folder} exists already; choose another folder with --folder.", folder=folder
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
    accounts = HALL_ACCOUNT, READER_ACCOUNT, *map(account_of, names)
    passwords = {account: new_password() for account in accounts}
    keys = {name: signatures.new_key() for name in names}
    hosts = list(dict.fromkeys((plan.host, *_LOCAL)))
    authority, server, key = make_certificates(event, hosts)
    hall_pages, *pages = _issuers(plan)  # each the part [pages] of a file

    def broker(account: str) -> dict[str, Any]:
        return {"host": plan.host, "port": plan.port, "account": account,
                "password": passwords[account], "certificates": authority}  # fmt: skip

    play = {"event": plan.title, "edition": plan.edition, "time-control": plan.time_control,
            "language": plan.languages[0]}  # fmt: skip
    play |= {} if plan.default_time is None else {"default-time": plan.default_time}
    own = event_broker_files(event, plan.port, names, passwords, server, key)
    texts = {f"{BROKER_FOLDER}/{name}": text for name, text in own.items()}
    for name, of_pages in zip(names, pages, strict=True):
        texts[f"table-{name}.toml"] = _toml(
            f"Table {name}. Give this file to this table only. "
            "Everybody who has it can act as this table.",
            {"event": event, "title": plan.title, "table": name, "key": keys[name]},
            {"play": play, "broker": broker(account_of(name)), **of_pages},
        )
    texts[READER_FILE] = (
        _toml(
            "A program that only reads. Give this file to people who show the games elsewhere. "
            "Everybody who has it can follow all tables at once, and decide at none.",
            {"event": event, "title": plan.title},
            {"broker": broker(READER_ACCOUNT)},
        )
        + _BROADCAST
    )
    texts[HALL_FILE] = _toml(
        "The hall. Give this file to nobody. Everybody who has it can decide at every table.",
        {"event": event, "title": plan.title, "rounds": plan.rounds,
         "languages": list(plan.languages)},
        {
            "play": play,
            "broker": broker(HALL_ACCOUNT),
            "keys": {name: signatures.public_key(key) for name, key in keys.items()},
            **hall_pages,
        },
    ) + _BROADCAST + _MAIL  # fmt: skip
    return texts


def _issuers(plan: EventPlan) -> list[dict[str, dict[str, str]]]:
    """The parts of the files of the hall and then of each table with what certifies their pages.
    The names of their machines are not known yet: those of multicast DNS are, and where the broker
    is, the hall may be."""
    if not plan.encrypt:
        return [{} for _unused in range(plan.tables + 1)]
    title, name, address = f"BlindPlay {plan.title}", name_in(plan.host), address_in(plan.host)
    names = ["local", *([name] if name and not name.endswith(".local") else [])]
    addresses = [address] if address else []
    issuers = new_issuers(title, names, addresses, plan.tables + 1, _PAGES)
    return [{"pages": {"issuer": issuer.text}} for issuer in issuers]


_BROADCAST = """
# What everybody sees of the games, with blindplay hall serve --public or blindplay hall cast.
[broadcast]
delay = "15m"
names = false
# folder = "livechess"
# report = "cup.trf"
"""
_MAIL = """
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
