"""Topics and messages between tables and a hall; see docs/development/hall-protocol.md."""

import dataclasses
import json
import re
from dataclasses import dataclass, field
from typing import Any, TypeVar, get_args, get_origin

from blindplay.given import shown
from blindplay.laws import Game
from blindplay.laws.facts import SIDES
from blindplay.record.chain import DIGITS
from blindplay.translation import UserError

ROOT = "blindplay/1"
"""All topics begin with this; the number is the version of the protocol."""
TABLE_KINDS = ("journal", "head", "presence", "answer", "signature")
"""The kinds that a table publishes."""
HALL_KINDS = ("ask", "request")
"""The kinds that a hall publishes."""
KINDS = TABLE_KINDS + HALL_KINDS
MOST_BYTES = 65_536
"""The longest message; only a single line of a journal may be longer."""
NAME = re.compile("[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
"""A name of an event or of a table."""

STATES = ("setup", "playing", "stopped", "adjourned", "over")
"""The states in a head. A game is stopped while its clocks are, before its end."""

STATUSES = ("done", "refused", "stale", "unknown", "waiting")
"""The statuses of an answer to a request."""

_MOST_S = 1e12  # a time beyond it is a fault
_DIGEST = re.compile(f"[0-9a-f]{{{DIGITS}}}")
_NO_GAME = "0" * DIGITS
_NUMBER = re.compile(rb'\{"n":([1-9][0-9]{0,8}),')


class MessageError(UserError):
    """A message that breaks the protocol."""


@dataclass(frozen=True)
class Topic:
    """The event, the table and the kind of a message, as in its MQTT topic."""

    event: str
    table: str
    kind: str

    def __str__(self) -> str:
        return f"{ROOT}/{self.event}/{self.table}/{self.kind}"


def topic_of(text: str) -> Topic:
    """:raises MessageError: if it is not a topic of a hall."""
    parts = text.removeprefix(f"{ROOT}/").split("/")
    if text.startswith(f"{ROOT}/") and len(parts) == 3:
        event, table, kind = parts
        if NAME.fullmatch(event) and NAME.fullmatch(table) and kind in KINDS:
            return Topic(event, table, kind)
    raise MessageError("{text} is not a topic of a hall", text=shown(text))


def checked_name(text: str, what: str) -> str:
    """``text``, the name of a table or an event.

    :raises ValueError: if it cannot stand in a topic; the message says what can.
    """
    if NAME.fullmatch(text):
        return text
    raise UserError(
        "{text} cannot be the name of {what}; take up to 40 small letters, digits and "
        "hyphens, such as table-4.",
        text=shown(text),
        what=what,
    )


# --- messages --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Head:
    """The state of a table. Times are seconds."""

    run: str
    """A random name of the process that publishes; a table that is started again has another."""
    seq: int
    """Counts the heads of a run, from 1. A head with a smaller number is old."""
    game: str
    """The digest of the journal's first line, by which games differ."""
    n: int
    digest: str
    """The number and the digest of the last line on the table's disk."""
    t: float
    """The table's time."""
    wall: float
    """The table's time of day, since 1970. It may be wrong."""
    state: str = ""
    """One of :data:`STATES`; a newer table may have others."""
    result: str = ""
    white: str = ""
    black: str = ""
    round: str = ""
    fen: str = ""
    moves: int = 0
    """Plies that have been made."""
    last: str = ""
    """The last move, in UCI."""
    left: dict[str, float] = field(default_factory=dict)
    """The time left of each side at ``t``; empty without a clock."""
    running: str = ""
    """The side whose clock runs; empty if none does."""
    needs: list[str] = field(default_factory=list)
    """The reasons why the table needs a person, from :data:`blindplay.laws.due.NEEDS`."""
    began: float = -1.0
    """The table's time at which the game was started or, after an adjournment, resumed. -1.0: it
    has not begun, or is adjourned."""
    missing: list[str] = field(default_factory=list)
    """The sides that nothing shows to have come."""
    unsigned: list[str] = field(default_factory=list)
    """The sides that have not signed the result of a game that is over."""
    leaves: bool = False
    """The process ends now, and waits some seconds until the hall has everything."""
    strangers: list[str] = field(default_factory=list)
    """The runs of heads that another process publishes under this table's name."""


@dataclass(frozen=True)
class Presence:
    """The state of a table's connection. The broker publishes the one with ``online`` false when
    the connection is lost."""

    run: str
    online: bool
    games: dict[str, list[Any]] = field(default_factory=dict)
    """The number and the digest of the last line of each earlier game that the table still has."""
    about: dict[str, Any] = field(default_factory=dict)
    """Data about the table's machine for the organiser."""
    waits: float = -1.0
    """Seconds that the table has waited for its next game; -1.0: it does not wait."""


@dataclass(frozen=True)
class LinesWanted:
    """Publish the lines of ``game`` from number ``start`` on once more, and the head."""

    game: str
    """Empty: the game that is played now."""
    start: int = 1
    have: str = ""
    """The digest of the line before ``start``: the hall has all lines up to there."""


@dataclass(frozen=True)
class Request:
    """Something that the hall wants done at a table."""

    id: str
    game: str
    """The game that the person saw; empty if it concerns none."""
    t: float
    """The table's time in the newest head that the hall had: so the table knows its age."""
    who: str
    """The name of the person who wants it."""
    kind: str
    body: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class RequestAnswer:
    """The answer to a request."""

    id: str
    status: str
    """One of :data:`STATUSES`; see docs/development/hall-protocol.md."""
    n: int = 0
    """The number of the last line of the journal after it."""
    sentences: list[str] = field(default_factory=list)
    body: dict[str, Any] = field(default_factory=dict)


Message = TypeVar("Message", Head, Presence, LinesWanted, Request, RequestAnswer)


def state_of(game: Game) -> str:
    """The state of a game, one of :data:`STATES`."""
    if game.over:
        return "over"
    if game.adjourned:
        return "adjourned"
    if not game.started:
        return "setup"
    return "stopped" if game.paused else "playing"


def encode(message: Head | Presence | LinesWanted | Request | RequestAnswer) -> bytes:
    """A message as it is published."""
    value = {member.name: getattr(message, member.name) for member in dataclasses.fields(message)}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def decode(kind: type[Message], payload: bytes) -> Message:
    """Read a message. Unknown fields are left out: a newer table may have them.

    :raises MessageError: if ``payload`` is not such a message.
    """
    try:
        if len(payload) > MOST_BYTES:
            raise ValueError
        value = json.loads(payload, parse_constant=_constant)
        if not isinstance(value, dict):
            raise ValueError
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()  # no half characters
        fields = [member for member in dataclasses.fields(kind) if member.name in value]
        message = kind(**{member.name: _read(member.type, value[member.name]) for member in fields})
        _check(message)
    except (ValueError, TypeError, LookupError, OverflowError, RecursionError):
        raise MessageError("it is not as the protocol says") from None
    return message


def _read(annotation: Any, value: Any) -> Any:
    """A value of a field; raise ValueError if it, or anything in it, is of another type."""
    if annotation is Any:
        return value
    wanted = get_origin(annotation) or annotation
    if wanted is float and type(value) is int:
        return float(value)
    if type(value) is not wanted:
        raise ValueError
    if wanted is list:
        return [_read(get_args(annotation)[0], item) for item in value]
    if wanted is dict:
        return {key: _read(get_args(annotation)[1], item) for key, item in value.items()}
    return value


def _constant(name: str) -> Any:
    raise ValueError(name)


def _check(message: Head | Presence | LinesWanted | Request | RequestAnswer) -> None:
    """Raise ValueError for a message whose values cannot be."""
    if isinstance(message, Head):
        wrong = message.seq < 1 or message.n < 1 or not _is_game(message.game, message.digest)
        times = (message.t, message.wall, message.began, *message.left.values())
        wrong |= any(abs(seconds) > _MOST_S for seconds in times)
        wrong |= set(message.left) not in (set(), set(SIDES))
    elif isinstance(message, Presence):
        wrong = not all(
            len(end) == 2 and type(end[0]) is int and end[0] > 0 and _is_game(game, end[1])
            for game, end in message.games.items()
        )
    elif isinstance(message, LinesWanted):
        wrong = message.start < 1 or not _is_game(
            message.game or _NO_GAME, message.have or _NO_GAME
        )
    elif isinstance(message, Request):
        wrong = not 0 < len(message.id) <= 100 or not _is_game(message.game or _NO_GAME)
    else:
        wrong = False
    if wrong:
        raise ValueError


def _is_game(*digests: str) -> bool:
    return all(_DIGEST.fullmatch(digest) for digest in digests)


# --- lines -----------------------------------------------------------------------------------


def number_of(line: bytes) -> int:
    """The number that a line of a journal claims; 0 if it is none."""
    match = _NUMBER.match(line)
    return int(match[1]) if match else 0


def lines_of(payload: bytes) -> list[bytes]:
    """The lines in a message of ``journal``, each with its line feed; a line that is cut off has
    none."""
    *whole, rest = payload.split(b"\n")
    return [line + b"\n" for line in whole] + ([rest] if rest else [])
