"""The talk of two tables before a game: who plays, and on which terms.

The table that waits proposes the game. The other one's player agrees, or not.
"""

import ssl
from dataclasses import dataclass
from typing import Any

from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.state import OTHER

from . import LAG_LIMITS_S
from .meeting import read, write

ANSWER_S = 600.0
"""Seconds that a player may think about the terms."""
_CONTRACT = 1  # of what tables send to each other


class OtherVersionError(ValueError):
    """The other table has another version of BlindPlay; the message is that version."""


class NotAgreedError(ValueError):
    """The players have not agreed, or there is a game already."""


@dataclass(frozen=True)
class Terms:
    """A proposed game. ``here`` is the side of the table that waits; after ``limit_s`` seconds
    without an answer the connection counts as lost."""

    setup: Setup
    here: str
    limit_s: int
    training: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "setup": self.setup.to_json(),
            "here": OTHER[self.here],
            "limit": self.limit_s,
            "training": self.training,
        }


def introduce(sock: ssl.SSLSocket, player: Player, version: str) -> Terms:
    """Say who plays at this table, and get the terms, as this table sees them.

    :raises OtherVersionError: if the other table has another version.
    :raises NotAgreedError: if that table has a game already.
    :raises OSError, ValueError: if the other table says nothing that makes sense.
    """
    write(sock, contract=_CONTRACT, version=version, player=player.to_json())
    told = read(sock)
    if told.get("version") != version:
        raise OtherVersionError(str(told.get("version", "")))
    if told.get("taken"):
        raise NotAgreedError
    setup, limit_s = f.parse(told["setup"]), told["limit"]
    if not isinstance(setup, Setup) or told["here"] not in f.SIDES:
        raise ValueError
    if not isinstance(limit_s, int) or limit_s not in LAG_LIMITS_S:
        raise ValueError
    return Terms(setup, told["here"], limit_s, told["training"] is True)


def answer(sock: ssl.SSLSocket, *, agrees: bool) -> None:
    """Agree to the terms or not, and wait until the other table has it.

    :raises NotAgreedError: if there is no game.
    :raises OSError, ValueError: if the connection is cut.
    """
    write(sock, agrees=agrees)
    if not agrees or read(sock).get("begins") is not True:
        raise NotAgreedError


def guest_of(sock: ssl.SSLSocket, version: str) -> Player:
    """The player at the table that calls.

    :raises OtherVersionError: if that table has another version; that table learns it, too.
    :raises OSError, ValueError: if it says nothing that makes sense.
    """
    told = read(sock)
    if told.get("version") != version or told.get("contract") != _CONTRACT:
        write(sock, version=version)
        raise OtherVersionError(str(told.get("version", "")))
    return Setup(black=told["player"]).black


def propose(sock: ssl.SSLSocket, terms: Terms, version: str) -> bool:
    """Propose ``terms``, and return whether the player at the other table agrees.

    :raises OSError, ValueError: if the connection is cut.
    """
    write(sock, version=version, **terms.to_json())
    sock.settimeout(ANSWER_S)
    return read(sock).get("agrees") is True


def begin(sock: ssl.SSLSocket) -> None:
    """Tell the other table that the game begins."""
    write(sock, begins=True)


def refuse(sock: ssl.SSLSocket, version: str) -> None:
    """Tell a table that there is a game already."""
    write(sock, version=version, taken=True)
