"""The part ``[broadcast]`` of the hall's event file: the public's view, and its outlets."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from blindplay.console import PUBLIC_DELAY_S
from blindplay.console.public import Audience
from blindplay.given import read_bytes, read_toml, shown
from blindplay.laws import time_controls

LICHESS = "https://lichess.org"
MOST_ROUND = 999

_MOST_BYTES = 200_000
_MOST_DELAY_S = 86_400
_ROUND_ID = re.compile("[A-Za-z0-9]{8}")
_KEYS = {"delay", "names", "folder", "lichess"}
_LICHESS_KEYS = {"token", "rounds", "server"}


@dataclass(frozen=True)
class LichessRounds:
    """Broadcast rounds at Lichess, by the number of the round here."""

    token: Path
    """A file with the token. Only its owner may be able to read it."""
    rounds: Mapping[int, str] = field(default_factory=dict)
    server: str = LICHESS


@dataclass(frozen=True)
class BroadcastSettings:
    """The settings of the part."""

    audience: Audience = field(default_factory=Audience)
    folder: Path | None = None
    """The folder for the files of broadcasting programs; None: no such files."""
    lichess: LichessRounds | None = None


def read_broadcast(path: Path) -> BroadcastSettings:
    """The settings in the event file at ``path``. Without the part ``[broadcast]`` there are only
    pages, without names and with the usual delay. Paths are relative to the file's folder.

    :raises ValueError: one sentence, if it cannot be read or something in it is wrong.
    """
    values = read_toml(read_bytes(path, _MOST_BYTES), str(path)).get("broadcast", {})
    try:
        _check_keys(values, _KEYS, "[broadcast]")
        names = values.get("names", False)
        if type(names) is not bool:
            raise ValueError("names must be true or false.")
        folder = _text(values, "folder")
        lichess = values.get("lichess")
        return BroadcastSettings(
            audience=Audience(_delay(values.get("delay")), names),
            folder=path.parent / folder if folder else None,
            lichess=None if lichess is None else _lichess(lichess, path.parent),
        )
    except ValueError as error:
        raise ValueError(f"Correct {path}: {error}") from None


def _check_keys(values: Any, known: set[str], part: str) -> None:
    if not isinstance(values, dict):
        raise ValueError(f"{part} must be a part of its own.")
    if unknown := sorted(values.keys() - known):
        raise ValueError(f"{part} knows no {shown(unknown[0])}; it has {', '.join(sorted(known))}.")


def _text(values: dict[str, Any], name: str) -> str:
    value = values.get(name, "")
    if not isinstance(value, str):
        raise ValueError(f"{name} must be words in quotes.")
    return value


def _delay(value: Any) -> int:
    """The delay in seconds, rounded up."""
    if value is None:
        return PUBLIC_DELAY_S
    if type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise ValueError('delay must be a time in quotes, such as "15m".')
    found = math.ceil(time_controls.read_length(value) / 1000)
    if found > _MOST_DELAY_S:
        raise ValueError('delay must be at most a day, "24h".')
    return found


def _lichess(values: Any, folder: Path) -> LichessRounds:
    _check_keys(values, _LICHESS_KEYS, "[broadcast.lichess]")
    token, rounds = _text(values, "token"), values.get("rounds", {})
    if not token:
        raise ValueError("[broadcast.lichess] names no token, the file with the token of Lichess.")
    if not isinstance(rounds, dict) or not rounds:
        raise ValueError('rounds must give each round its name at Lichess, such as 1 = "a1b2c3d4".')
    found = dict(map(_round, rounds.items()))
    return LichessRounds(folder / token, MappingProxyType(found), _server(values))


def _round(item: tuple[str, Any]) -> tuple[int, str]:
    number, name = item
    plain = number.isascii() and number.isdigit() and 0 < int(number[:4]) <= MOST_ROUND
    if not plain or not isinstance(name, str) or not _ROUND_ID.fullmatch(name):
        raise ValueError(
            f"{shown(number)} is not a round with its name at Lichess; the name is the last part "
            'of the address of the round there, such as 1 = "a1b2c3d4".'
        )
    return int(number), name


def _server(values: dict[str, Any]) -> str:
    """The server's address. A token goes out encrypted, or stays on this machine."""
    server = _text(values, "server") or LICHESS
    place = urlsplit(server)
    here = place.scheme == "http" and place.hostname in ("localhost", "127.0.0.1", "::1")
    if not place.hostname or not (place.scheme == "https" or here):
        raise ValueError("server must be an address that begins with https.")
    return server.rstrip("/")
