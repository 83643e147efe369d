"""The file that joins a table or a hall to an event: where the broker is, and who connects."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.given import read_bytes, read_toml

from .protocol import checked_name

_MOST_BYTES = 100_000
PORT, TLS_PORT = 1883, 8883


@dataclass(frozen=True)
class Broker:
    """An MQTT broker, and the account that connects to it."""

    host: str = "localhost"
    port: int = PORT
    account: str = ""
    """Empty: a broker that lets everybody in."""
    password: str = ""
    certificates: Path | None = None
    """Encrypt, and trust the authorities in this file, in PEM."""


@dataclass(frozen=True)
class EventFile:
    """What the file says."""

    event: str
    broker: Broker
    table: str = ""
    """The name of the table; empty in the hall's own file."""
    title: str = ""
    """The event's name for people."""
    folder: Path = Path()
    """Where the hall keeps its copies."""

    def __post_init__(self) -> None:
        checked_name(self.event, "an event")
        if self.table:
            checked_name(self.table, "a table")


def read_event_file(path: Path, *, table: bool) -> EventFile:
    """The event file at ``path``: that of a table, or that of the hall. Paths in it are relative to
    its folder.

    :raises ValueError: one sentence, if it cannot be read or something in it is wrong.
    """
    values = read_toml(read_bytes(path, _MOST_BYTES), str(path))
    try:
        event = _text(values, "event", needed=True)
        return EventFile(
            event=event,
            broker=_broker(values.get("broker", {}), path.parent),
            table=_text(values, "table", needed=table),
            title=_text(values, "title") or event,
            folder=path.parent / (_text(values, "folder") or f"hall-{event}"),
        )
    except ValueError as error:
        raise ValueError(f"Correct {path}: {error}") from None


def _broker(values: Any, folder: Path) -> Broker:
    if not isinstance(values, dict):
        raise ValueError("[broker] must be a part of its own.")
    certificates = _text(values, "certificates")
    port = values.get("port", TLS_PORT if certificates else PORT)
    if type(port) is not int or not 0 < port < 65536:
        raise ValueError("port must be a number from 1 to 65535.")
    return Broker(
        host=_text(values, "host") or "localhost",
        port=port,
        account=_text(values, "account"),
        password=_text(values, "password"),
        certificates=folder / certificates if certificates else None,
    )


def _text(values: dict[str, Any], name: str, *, needed: bool = False) -> str:
    value = values.get(name, "")
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise ValueError(f"{name} must be words in quotes.")
    if needed and not value:
        raise ValueError(f'it says no {name}; add a line such as {name} = "…".')
    return value
