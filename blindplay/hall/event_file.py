"""The file that joins a table or a hall to an event: the broker, the names and the keys."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from blindplay.broker import PORT, Broker
from blindplay.certificates import Issuer
from blindplay.given import EVENT, read_bytes, read_text, read_toml, shown
from blindplay.translation import UserError, _

from .protocol import checked_name

_PEM = "-----BEGIN "
_KEY = re.compile("[0-9a-f]{64}")
TLS_PORT = 8883
SMTPS_PORT = 465
"""There the connection is encrypted from its beginning; at other ports from STARTTLS on."""


@dataclass(frozen=True)
class MailServer:
    """The part ``[mail]`` of the hall's file."""

    host: str
    sender: str
    """The address in *From*."""
    port: int = SMTPS_PORT
    account: str = ""
    """Empty: the server wants none."""
    password: str = field(default="", repr=False)
    certificates: str = field(default="", repr=False)
    """PEM; empty: the authorities that this system knows."""
    url: str = ""
    """Where players reach the hall's pages from elsewhere; empty: in the hall's network only."""


@dataclass(frozen=True)
class EventFile:
    """The contents of the file."""

    event: str
    broker: Broker
    table: str = ""
    """The name of the table; empty in the hall's own file."""
    title: str = ""
    """The event's name for people."""
    folder: Path = Path()
    """The folder of the hall's copies."""
    key: str = ""
    """The table's private key, with which it signs its journals; empty: it does not sign."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """In the hall's file: the public key of each table."""
    play: Mapping[str, Any] = field(default_factory=dict)
    """Settings of ``blindplay play`` that hold at the event's tables, by their names."""
    rounds: int = 0
    languages: tuple[str, ...] = ()
    mail: MailServer | None = None
    """In the hall's file: the server for mails to players; None: there is none."""
    issuer_text: str = field(default="", repr=False)
    """What certifies the pages of this table or hall for devices that trust the event's authority;
    empty: nothing does."""

    def issuer(self) -> Issuer | None:
        """:raises ValueError: one sentence, if it is damaged."""
        try:
            return Issuer.read(self.issuer_text) if self.issuer_text else None
        except ValueError:
            raise UserError(
                "The issuer in the part [pages] of the event's file is damaged; use the file "
                "that the organiser gave you."
            ) from None

    def __post_init__(self) -> None:
        checked_name(self.event, _("an event"))
        if self.table:
            checked_name(self.table, _("a table"))


def read_event_file(path: Path, *, table: bool) -> EventFile:
    """The event file at ``path``: that of a table, or that of the hall. Paths in it are relative to
    its folder.

    :raises ValueError: one sentence, if it cannot be read or something in it is wrong.
    """
    return event_file_of(read_bytes(path, EVENT), path, table=table)


def event_file_of(content: bytes, path: Path, *, table: bool) -> EventFile:
    """The event file with this ``content``; see :func:`read_event_file`."""
    values = read_toml(content, str(path))
    try:
        event = text_of(values, "event", needed=True)
        return EventFile(
            event=event,
            broker=_broker(_part(values, "broker"), path.parent),
            table=text_of(values, "table", needed=table),
            title=text_of(values, "title") or event,
            folder=path.parent / (text_of(values, "folder") or f"hall-{event}"),
            key=_keys({"key": values["key"]})["key"] if "key" in values else "",
            keys=_keys(_part(values, "keys")),
            play=_part(values, "play"),
            rounds=_number(values, "rounds", 0, 0, 999),
            languages=_languages(values.get("languages", [])),
            mail=_mail_server(_part(values, "mail"), path.parent),
            issuer_text=text_of(_part(values, "pages"), "issuer"),
        )
    except ValueError as error:
        raise UserError("Correct {path}: {error}", path=path, error=error) from None


def _broker(values: dict[str, Any], folder: Path) -> Broker:
    certificates = _certificates(values, folder)
    return Broker(
        host=text_of(values, "host") or "localhost",
        port=_number(values, "port", TLS_PORT if certificates else PORT, 1, 65_535),
        account=text_of(values, "account"),
        password=text_of(values, "password"),
        certificates=certificates,
    )


def _certificates(values: dict[str, Any], folder: Path) -> str:
    """The certificates in PEM, which stand in the file itself or in one that it names."""
    text = text_of(values, "certificates")
    return text if not text or text.startswith(_PEM) else read_text(folder / text, EVENT)


def check_keys(values: Any, known: Iterable[str], part: str) -> None:
    """:raises ValueError: if ``values`` are not a part of the file, or have other names."""
    if not isinstance(values, dict):
        raise UserError("{part} must be a part of its own.", part=part)
    if unknown := sorted(values.keys() - {*known}):
        raise UserError(
            "{part} knows no {unknown}; it has {known}.",
            part=part,
            unknown=shown(unknown[0]),
            known=", ".join(sorted(known)),
        )


def _part(values: dict[str, Any], name: str) -> dict[str, Any]:
    value: dict[str, Any] = values.get(name, {})
    check_keys(value, value, f"[{name}]")
    return value


def _keys(values: dict[str, Any]) -> dict[str, str]:
    for name, key in values.items():
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise UserError("the key {name} must have 64 hexadecimal digits.", name=name)
    return values


def _number(values: dict[str, Any], name: str, usual: int, least: int, most: int) -> int:
    value = values.get(name, usual)
    if type(value) is not int or not least <= value <= most:
        raise UserError(
            "{name} must be a number from {least} to {most}.", name=name, least=least, most=most
        )
    return value


def _languages(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(code, str) for code in values):
        raise UserError('languages must be a list of texts, such as ["de", "en"].')
    return tuple(values)


def text_of(values: dict[str, Any], name: str, *, needed: bool = False) -> str:
    """:raises ValueError: if the value is no text, or is ``needed`` and not there."""
    value = values.get(name, "")
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise UserError("{name} must be words in quotes.", name=name)
    if needed and not value:
        raise UserError('it says no {name}; add a line such as {name} = "…".', name=name)
    return value


def _mail_server(values: dict[str, Any], folder: Path) -> MailServer | None:
    """The settings in ``values``, whose paths are relative to ``folder``; None if there are none.

    :raises ValueError: one sentence, if something in them is wrong.
    """
    if not values:
        return None
    known = ("host", "port", "account", "password", "sender", "certificates", "url")
    check_keys(values, known, "[mail]")
    sender = text_of(values, "sender", needed=True)
    if not is_address(sender):
        raise UserError("sender must be a mail address, such as hall@example.org.")
    url = text_of(values, "url").rstrip("/")
    if url and not _is_url(url):
        raise UserError("url must be a web address, such as https://hall.example.org.")
    certificates = _certificates(values, folder)
    return MailServer(
        host=text_of(values, "host", needed=True),
        sender=sender,
        port=_number(values, "port", SMTPS_PORT, 1, 65_535),
        account=text_of(values, "account"),
        password=text_of(values, "password"),
        certificates=certificates,
        url=url,
    )


def _is_url(text: str) -> bool:
    """Return whether ``text`` is the address of a web server, without a path."""
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets that hold no address
        return False
    whole = f"{parts.scheme}://{parts.netloc}"
    plain = text.isascii() and text.isprintable() and " " not in text
    return plain and text == whole and parts.scheme in ("http", "https") and bool(parts.hostname)


def is_address(text: str) -> bool:
    """Return whether ``text`` can be a mail address."""
    try:
        host = Address(addr_spec=text).domain
    except (ValueError, IndexError, MessageError):  # the last two from its parser
        return False
    plain = text.isascii() and text.isprintable() and not set(text) & set(' ,;:<>()[]"\\')
    return plain and "." in host.strip(".") and len(text) <= 200
