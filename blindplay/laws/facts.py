"""Facts: what happens at the table, the words the Laws are folded from.

A fact is a frozen value with the time at which it happened. :func:`parse` reads one from the JSON
object of the public contract and :meth:`Fact.to_json` writes it back; both are exact.

Times are integer milliseconds since the table was set up (``t`` in JSON is in seconds).
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import chess

from .clock import TimeControl
from .placement import read_position

SIDES = ("white", "black")
MODES = ("standard", "rapid", "blitz")
PEOPLE = ("white", "black", "assistant:white", "assistant:black", "arbiter")
QUESTIONS = ("time", "moves", "last_move", "position")
IRREGULARITIES = (
    "two_hands",
    "displaced",
    "wrong_start",
    "reversed_colours",
    "board_turned",
    "wrong_clock",
    "illegal_move",
)
REQUIREMENTS = (
    "size",
    "raised_black_squares",
    "securing_holes",
    "pegs",
    "staunton_black_marked",
)
DECISIONS = (
    "confirm",
    "reject",
    "stop_clocks",
    "start_clocks",
    "set_clock",
    "penalty",
    "restore",
    "declare",
    "adjourn",
    "postpone",
    "preside",
    "withdraw",
)
CLAIMS = ("repetition", "fifty_moves", "cannot_win", "no_effort")
RESULTS = ("1-0", "0-1", "1/2-1/2", "0-0")
_UCI = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
_LATEST = 10**9  # seconds: thirty years at one table are a slip of the keyboard


class FactError(ValueError):
    """A JSON value that is no fact of the contract; the message says what is wrong."""


def seconds(milliseconds: int) -> int | float:
    """Milliseconds as the contract's seconds: a whole number where it is one."""
    whole, rest = divmod(milliseconds, 1000)
    return milliseconds / 1000 if rest else whole


# Readers: each takes a JSON value and gives the field's value or raises FactError.


def _one_of(*allowed: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise FactError(f"must be one of {', '.join(allowed)}, not {_shown(value)}")
        return value

    return read


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > 10_000:
        raise FactError(f"must be a text of at most 10000 characters, not {_shown(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair is valid JSON, but no journal, file or screen can hold it.
        raise FactError(f"must be a text of whole characters, not {_shown(value)}") from None
    return value


def _label(value: Any) -> str:
    """A text for the record; the number of a round may be given as a number."""
    return str(value) if type(value) is int else _text(value)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)[:60]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise FactError(f"must be true or false, not {_shown(value)}")
    return value


def _square(value: Any) -> str:
    if not isinstance(value, str) or value not in chess.SQUARE_NAMES:
        raise FactError(f"must be a square a1 to h8, not {_shown(value)}")
    return value


def _piece(value: Any) -> str:
    if not isinstance(value, str) or len(value) != 1 or value not in "PNBRQKpnbrqk":
        raise FactError(f"must be a piece letter as in FEN, not {_shown(value)}")
    return value


def _move(value: Any) -> str:
    # chess.Move.from_uci also reads null moves, drops and promotions to a king.
    if not isinstance(value, str) or not _UCI.fullmatch(value) or value[:2] == value[2:4]:
        raise FactError(f"must be a move in UCI such as g1f3, not {_shown(value)}")
    return value


def _placement(value: Any) -> str:
    try:
        if not isinstance(value, str):
            raise ValueError
        chess.BaseBoard(value)
    except ValueError:
        raise FactError(
            f"must be the first field of a FEN (the placement), not {_shown(value)}"
        ) from None
    return value


def _requirements(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(item in REQUIREMENTS for item in value):
        raise FactError(f"must be a list of {', '.join(REQUIREMENTS)}, not {_shown(value)}")
    return tuple(name for name in REQUIREMENTS if name in value)


def _fen(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError(f"must be a position in FEN, not {_shown(value)}")
    try:
        read_position(value)
    except ValueError as error:
        raise FactError(f"{error}, not {_shown(value)}") from None
    return value


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise FactError(f"must be a whole number {low} to {high}, not {_shown(value)}")
        return value

    return read


def _duration(value: Any) -> int:
    """Seconds in JSON, milliseconds inside."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not 0 <= value <= _LATEST  # which no NaN is, either
    ):
        raise FactError(f"must be a number of seconds 0 to {_LATEST}, not {_shown(value)}")
    return round(value * 1000)


def _time_control(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError(f"must be a text, not {_shown(value)}")
    try:
        TimeControl.parse(value)
    except ValueError as error:
        raise FactError(str(error)) from None
    return value


def _write_seconds(value: int | None) -> int | float | None:
    return None if value is None else seconds(value)


def _reader(read: Callable[[Any], Any], write: Callable[[Any], Any] | None = None) -> Any:
    return {"read": read, "write": write or (lambda value: value)}


@dataclass(frozen=True)
class Player:
    """One player as the arbiter entered him."""

    name: str = field(default="", metadata=_reader(_text))
    impaired: bool = field(default=False, metadata=_reader(_switch))
    hearing_impaired: bool = field(default=False, metadata=_reader(_switch))
    assistant: bool = field(default=False, metadata=_reader(_switch))
    language: str = field(default="de", metadata=_reader(_text))


def _player(value: Any) -> Player:
    if not isinstance(value, dict):
        raise FactError(f'must be an object such as {{"name": …}}, not {_shown(value)}')
    # An assistant may be given by his name; that he is there is all the Laws ask.
    if isinstance(value.get("assistant"), str):
        value = {**value, "assistant": bool(value["assistant"])}
    return Player(**_read_fields(Player, value, "player"))


def _edition(value: Any) -> str:
    from .editions import names

    return _one_of(*names())(value)


_BY_PLAYER = _reader(_one_of(*SIDES))
_BY_ANYONE = _reader(_one_of(*PEOPLE))
_ON_BOARD = _reader(_one_of(*SIDES))
_A_SQUARE = _reader(_square)
_MAYBE_MOVE = _reader(_move)
_A_TEXT = _reader(_text)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What every fact has: ``t``, milliseconds since the table was set up, never decreasing. A
    running table gives its own time to a fact that has none."""

    kind: ClassVar[str] = ""
    t: int = field(default=0, metadata=_reader(_duration, seconds))

    def to_json(self) -> dict[str, Any]:
        """The contract's JSON object; fields that stand at their default are left out."""
        out: dict[str, Any] = {"t": seconds(self.t), "fact": self.kind}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if item.name != "t" and value != item.default:
                out[_CONTRACT_NAMES.get(item.name, item.name)] = item.metadata["write"](value)
        return out


def _write_player(player: Player) -> dict[str, Any]:
    return {
        item.name: getattr(player, item.name)
        for item in dataclasses.fields(player)
        if getattr(player, item.name) != item.default
    }


@dataclass(frozen=True, kw_only=True)
class Setup(Fact):
    """The first line of every game."""

    kind: ClassVar[str] = "setup"
    edition: str = field(default="fide-2023", metadata=_reader(_edition))
    mode: str = field(default="standard", metadata=_reader(_one_of(*MODES)))
    supervised: bool = field(default=False, metadata=_reader(_switch))
    variant: str = field(default="chess", metadata=_reader(_one_of("chess", "chess960")))
    fen: str = field(default=chess.STARTING_FEN, metadata=_reader(_fen))
    boards: int = field(default=0, metadata=_reader(_whole(1, 2)))
    time_control: str = field(default="-", metadata=_reader(_time_control))
    clock_mode: str = field(
        default="increment", metadata=_reader(_one_of("increment", "delay", "bronstein"))
    )
    announce_in: str = field(default="de", metadata=_reader(_text))
    quickplay_finish: bool = field(default=False, metadata=_reader(_switch))
    arbiter: str = field(default="present", metadata=_reader(_one_of("present", "automatic")))
    default_time: int | None = field(default=None, metadata=_reader(_duration, _write_seconds))
    # What the record is headed with; the Laws do not ask. ``date`` is YYYY-MM-DD.
    event: str = field(default="", metadata=_reader(_label))
    site: str = field(default="", metadata=_reader(_label))
    round: str = field(default="", metadata=_reader(_label))
    date: str = field(default="", metadata=_reader(_label))
    white: Player = field(default=Player(), metadata=_reader(_player, _write_player))
    black: Player = field(default=Player(), metadata=_reader(_player, _write_player))

    @property
    def board_count(self) -> int:
        """Two boards when a player is impaired, else one, unless ``boards`` says otherwise."""
        return self.boards or (2 if self.white.impaired or self.black.impaired else 1)

    def player(self, side: str) -> Player:
        return self.white if side == "white" else self.black


@dataclass(frozen=True, kw_only=True)
class TwoBoards(Fact):
    """A player demands two boards (D.1)."""

    kind: ClassVar[str] = "two_boards"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Inspect(Fact):
    """The arbiter has looked at a special board: which of :data:`REQUIREMENTS` it fulfils."""

    kind: ClassVar[str] = "inspect"
    board: str = field(metadata=_ON_BOARD)
    fulfils: tuple[str, ...] = field(metadata=_reader(_requirements, list))


@dataclass(frozen=True, kw_only=True)
class Assistant(Fact):
    """An assistant of a player comes or leaves."""

    kind: ClassVar[str] = "assistant"
    of: str = field(metadata=_BY_PLAYER)
    present: bool = field(default=True, metadata=_reader(_switch))


@dataclass(frozen=True, kw_only=True)
class Arrive(Fact):
    """A player comes to the board."""

    kind: ClassVar[str] = "arrive"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Start(Fact):
    """The arbiter starts White's clock."""

    kind: ClassVar[str] = "start"
    by: str = field(default="arbiter", metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Lift(Fact):
    """A piece left its securing hole, or its square on a sighted player's sensor board."""

    kind: ClassVar[str] = "lift"
    board: str = field(metadata=_ON_BOARD)
    square: str = field(metadata=_A_SQUARE)


@dataclass(frozen=True, kw_only=True)
class Place(Fact):
    """A piece was put into a hole; ``piece`` is None when the board does not know it."""

    kind: ClassVar[str] = "place"
    board: str = field(metadata=_ON_BOARD)
    square: str = field(metadata=_A_SQUARE)
    piece: str | None = field(default=None, metadata=_reader(_piece))


@dataclass(frozen=True, kw_only=True)
class Position(Fact):
    """A full dump of a board."""

    kind: ClassVar[str] = "position"
    board: str = field(metadata=_ON_BOARD)
    placement: str = field(metadata=_reader(_placement))


@dataclass(frozen=True, kw_only=True)
class Adjust(Fact):
    """J'adoube."""

    kind: ClassVar[str] = "adjust"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Spoken(Fact):
    """A move in words, as a move, or both: then the move is what the words were taken for."""

    by: str = field(metadata=_BY_ANYONE)
    text: str | None = field(default=None, metadata=_A_TEXT)
    move: str | None = field(default=None, metadata=_MAYBE_MOVE)

    def __post_init__(self) -> None:
        if self.text is None and self.move is None:
            raise FactError(f"{self.kind} needs text or move")


@dataclass(frozen=True, kw_only=True)
class Announce(Spoken):
    kind: ClassVar[str] = "announce"


@dataclass(frozen=True, kw_only=True)
class Repeat(Spoken):
    kind: ClassVar[str] = "repeat"


@dataclass(frozen=True, kw_only=True)
class Correct(Spoken):
    kind: ClassVar[str] = "correct"


@dataclass(frozen=True, kw_only=True)
class Make(Fact):
    """A move executed on a board without sensors: touch and release in one."""

    kind: ClassVar[str] = "make"
    by: str = field(metadata=_BY_ANYONE)
    move: str = field(metadata=_MAYBE_MOVE)


@dataclass(frozen=True, kw_only=True)
class Touch(Fact):
    """A touch that no sensor saw; ``by`` is who touched, ``seen_by`` who says so. By an assistant
    or the arbiter it is the touch of the player on move, seen by him.

    ``ply`` is that of his move, where it is said only afterwards.
    """

    kind: ClassVar[str] = "touch"
    by: str = field(metadata=_BY_ANYONE)
    square: str = field(metadata=_A_SQUARE)
    seen_by: str | None = field(default=None, metadata=_BY_ANYONE)
    ply: int | None = field(default=None, metadata=_reader(_whole(1, 20_000)))


@dataclass(frozen=True, kw_only=True)
class Press(Fact):
    """The clock was pressed by a player, or for him by an assistant who may."""

    kind: ClassVar[str] = "press"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Record(Fact):
    """A scoresheet entry as written; ``ply`` 1 is White's first move."""

    kind: ClassVar[str] = "record"
    by: str = field(metadata=_BY_ANYONE)
    ply: int = field(metadata=_reader(_whole(1, 20_000)))
    text: str = field(metadata=_A_TEXT)


@dataclass(frozen=True, kw_only=True)
class OfferDraw(Fact):
    kind: ClassVar[str] = "offer_draw"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class AcceptDraw(Fact):
    kind: ClassVar[str] = "accept_draw"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class DeclineDraw(Fact):
    kind: ClassVar[str] = "decline_draw"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Resign(Fact):
    kind: ClassVar[str] = "resign"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class ClaimDraw(Fact):
    """A claim of a draw; ``move`` if it is claimed with a move written down."""

    kind: ClassVar[str] = "claim_draw"
    by: str = field(metadata=_BY_ANYONE)
    rule: str = field(metadata=_reader(_one_of(*CLAIMS)))
    move: str | None = field(default=None, metadata=_MAYBE_MOVE)


@dataclass(frozen=True, kw_only=True)
class RequestExtraTime(Fact):
    """Five seconds a move, asked for in a quickplay finish."""

    kind: ClassVar[str] = "request_extra_time"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class CallArbiter(Fact):
    """A player stops the clock and asks for the arbiter."""

    kind: ClassVar[str] = "call_arbiter"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class ClaimTime(Fact):
    kind: ClassVar[str] = "claim_time"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Query(Fact):
    kind: ClassVar[str] = "query"
    by: str = field(metadata=_BY_ANYONE)
    about: str = field(metadata=_reader(_one_of(*QUESTIONS)))


@dataclass(frozen=True, kw_only=True)
class Irregular(Fact):
    """Something irregular, seen by ``by``; ``player`` is whose doing it is, where that is said.

    ``ply`` is the ply during which pieces were displaced, where moves have been played since.
    """

    kind: ClassVar[str] = "irregular"
    by: str = field(metadata=_BY_ANYONE)
    what: str = field(metadata=_reader(_one_of(*IRREGULARITIES)))
    player: str | None = field(default=None, metadata=_BY_PLAYER)
    ply: int | None = field(default=None, metadata=_reader(_whole(1, 20_000)))


@dataclass(frozen=True, kw_only=True)
class Seal(Fact):
    kind: ClassVar[str] = "seal"
    by: str = field(metadata=_BY_ANYONE)
    text: str = field(metadata=_A_TEXT)


@dataclass(frozen=True, kw_only=True)
class OpenEnvelope(Fact):
    kind: ClassVar[str] = "open_envelope"
    by: str = field(default="arbiter", metadata=_BY_ANYONE)
    missing: bool = field(default=False, metadata=_reader(_switch))


@dataclass(frozen=True, kw_only=True)
class Arbiter(Fact):
    """A decision of the arbiter; which of the other fields are needed depends on ``do``. By the
    table: it stopped the clocks when its process ended, or lets them go on after that."""

    kind: ClassVar[str] = "arbiter"
    by: str = field(default="arbiter", metadata=_reader(_one_of("arbiter", "table")))
    do: str = field(metadata=_reader(_one_of(*DECISIONS)))
    white: int | None = field(default=None, metadata=_reader(_duration, _write_seconds))
    black: int | None = field(default=None, metadata=_reader(_duration, _write_seconds))
    player: str | None = field(default=None, metadata=_reader(_one_of(*SIDES)))
    penalty: str | None = field(default=None, metadata=_A_TEXT)
    ply: int | None = field(default=None, metadata=_reader(_whole(0, 20_000)))
    result: str | None = field(default=None, metadata=_reader(_one_of(*RESULTS)))

    def __post_init__(self) -> None:
        needed = {"set_clock": "white or black", "restore": "ply", "declare": "result"}
        given = {
            "set_clock": self.white is not None or self.black is not None,
            "restore": self.ply is not None,
            "declare": self.result is not None,
        }
        if not given.get(self.do, True):
            raise FactError(f"arbiter {self.do} needs {needed[self.do]}")
        if self.by == "table" and self.do not in ("stop_clocks", "start_clocks"):
            raise FactError(f"arbiter {self.do} is not the table's to decide")


@dataclass(frozen=True, kw_only=True)
class Tick(Fact):
    """Time passes."""

    kind: ClassVar[str] = "tick"


KINDS: Mapping[str, type[Fact]] = {
    cls.kind: cls
    for cls in (
        Setup, TwoBoards, Inspect, Assistant, Arrive, Start, Lift, Place, Position, Adjust,
        Announce, Repeat, Correct, Make, Touch, Press, Record, OfferDraw, AcceptDraw, DeclineDraw,
        Resign, ClaimDraw, RequestExtraTime, ClaimTime, CallArbiter, Query, Irregular, Seal,
        OpenEnvelope, Arbiter, Tick,
    )
}  # fmt: skip

# The contract calls this field "kind", a word that every fact here already uses for its own.
_FIELD_NAMES = {"kind": "penalty"}
_CONTRACT_NAMES = {field: name for name, field in _FIELD_NAMES.items()}


def _read_fields(cls: type, values: Mapping[str, Any], what: str) -> dict[str, Any]:
    fields = {item.name: item for item in dataclasses.fields(cls)}
    read: dict[str, Any] = {}
    for key, value in values.items():
        item = fields.get(_FIELD_NAMES.get(key, key))
        if item is None:
            continue  # "Add kinds and fields": a newer table's field must not stop an older reader
        if value is None and item.default is not dataclasses.MISSING:
            continue
        try:
            read[item.name] = item.metadata["read"](value)
        except FactError as error:
            raise FactError(f"{what}: {key} {error}") from None
    for name, item in fields.items():
        if item.default is dataclasses.MISSING and name not in read:
            raise FactError(f"{what} needs {name}")
    return read


def parse(value: Any) -> Fact:
    """The fact that a JSON object of the contract stands for.

    :raises FactError: when it is none, in one sentence.
    """
    if not isinstance(value, dict):
        raise FactError("a fact must be a JSON object")
    kind = value.get("fact")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise FactError(f"unknown fact {_shown(kind)}; known are {', '.join(KINDS)}")
    fields = {name: item for name, item in value.items() if name != "fact"}
    if fields.get("t") is None:
        raise FactError(f"{cls.kind} needs t")
    return cls(**_read_fields(cls, fields, cls.kind))


def loads(line: str, t: int | None = None) -> Fact:
    """The fact on one line of JSON, at time ``t`` in ms whatever it says; :exc:`FactError`."""
    try:
        value = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise FactError("is not a line of JSON") from None
    if t is not None and isinstance(value, dict):
        value["t"] = t / 1000
    return parse(value)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def dumps(fact: Fact) -> str:
    """The fact as one line of JSON."""
    return json.dumps(fact.to_json(), ensure_ascii=False, separators=(",", ":"))
