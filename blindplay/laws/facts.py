"""Facts: everything that happens at a table. The Laws fold facts into rulings.

A fact is a frozen value with the time at which it happened. :func:`parse` reads one from the JSON
object of the public contract, and :meth:`Fact.to_json` writes it back. Both are exact.
Times are integer milliseconds since the table was set up (``t`` in JSON is in seconds).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import chess

from . import fact_values as v
from .fact_values import FactError as FactError
from .fact_values import seconds as seconds

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


@dataclass(frozen=True)
class Player:
    """One player, as the arbiter entered them."""

    name: str = field(default="", metadata=v.stored(v.text))
    impaired: bool = field(default=False, metadata=v.stored(v.switch))
    hearing_impaired: bool = field(default=False, metadata=v.stored(v.switch))
    assistant: bool = field(default=False, metadata=v.stored(v.switch))
    language: str = field(default="de", metadata=v.stored(v.text))


def _player(value: Any) -> Player:
    if not isinstance(value, dict):
        raise FactError(f'must be an object such as {{"name": …}}, not {v.shown(value)}')
    # An assistant may be given by name; the Laws only ask whether there is one.
    if isinstance(value.get("assistant"), str):
        value = {**value, "assistant": bool(value["assistant"])}
    return Player(**_read_fields(Player, value, "player"))


_BY_PLAYER = v.stored(v.one_of(*SIDES))
_BY_ANYONE = v.stored(v.one_of(*PEOPLE))
_ON_BOARD = v.stored(v.one_of(*SIDES))
_A_SQUARE = v.stored(v.square)
_MAYBE_MOVE = v.stored(v.move)
_A_TEXT = v.stored(v.text)


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact at time ``t``: milliseconds since the table was set up, never decreasing.

    A running table gives its own time to a fact without one. ``kind`` names the class in the
    contract.
    """

    kind: ClassVar[str] = ""
    t: int = field(default=0, metadata=v.stored(v.duration, seconds))

    def to_json(self) -> dict[str, Any]:
        """The contract's JSON object, without the fields that have their default value."""
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
    edition: str = field(default="fide-2023", metadata=v.stored(v.edition))
    mode: str = field(default="standard", metadata=v.stored(v.one_of(*MODES)))
    supervised: bool = field(default=False, metadata=v.stored(v.switch))
    variant: str = field(default="chess", metadata=v.stored(v.one_of("chess", "chess960")))
    fen: str = field(default=chess.STARTING_FEN, metadata=v.stored(v.fen))
    boards: int = field(default=0, metadata=v.stored(v.whole(1, 2)))
    time_control: str = field(default="-", metadata=v.stored(v.time_control))
    clock_mode: str = field(
        default="increment", metadata=v.stored(v.one_of("increment", "delay", "bronstein"))
    )
    announce_in: str = field(default="de", metadata=v.stored(v.text))
    quickplay_finish: bool = field(default=False, metadata=v.stored(v.switch))
    arbiter: str = field(default="present", metadata=v.stored(v.one_of("present", "automatic")))
    default_time: int | None = field(
        default=None, metadata=v.stored(v.duration, v.optional_seconds)
    )
    # The head of the record. The Laws do not use it. ``date`` is YYYY-MM-DD.
    event: str = field(default="", metadata=v.stored(v.label))
    site: str = field(default="", metadata=v.stored(v.label))
    round: str = field(default="", metadata=v.stored(v.label))
    date: str = field(default="", metadata=v.stored(v.label))
    white: Player = field(default=Player(), metadata=v.stored(_player, _write_player))
    black: Player = field(default=Player(), metadata=v.stored(_player, _write_player))

    @property
    def board_count(self) -> int:
        """``boards`` if given; else two boards if a player is impaired, and one if not."""
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
    """The arbiter has inspected a special board; ``fulfils`` are some of :data:`REQUIREMENTS`."""

    kind: ClassVar[str] = "inspect"
    board: str = field(metadata=_ON_BOARD)
    fulfils: tuple[str, ...] = field(metadata=v.stored(v.some_of(*REQUIREMENTS), list))


@dataclass(frozen=True, kw_only=True)
class Assistant(Fact):
    """An assistant of a player comes or leaves."""

    kind: ClassVar[str] = "assistant"
    of: str = field(metadata=_BY_PLAYER)
    present: bool = field(default=True, metadata=v.stored(v.switch))


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
    """A piece was lifted from its securing hole, or from a square of a sensor board."""

    kind: ClassVar[str] = "lift"
    board: str = field(metadata=_ON_BOARD)
    square: str = field(metadata=_A_SQUARE)


@dataclass(frozen=True, kw_only=True)
class Place(Fact):
    """A piece was put into a hole; ``piece`` is None if the board cannot name it."""

    kind: ClassVar[str] = "place"
    board: str = field(metadata=_ON_BOARD)
    square: str = field(metadata=_A_SQUARE)
    piece: str | None = field(default=None, metadata=v.stored(v.piece))


@dataclass(frozen=True, kw_only=True)
class Position(Fact):
    """A dump of a board: everything that stands on it, as FEN's first field."""

    kind: ClassVar[str] = "position"
    board: str = field(metadata=_ON_BOARD)
    placement: str = field(metadata=v.stored(v.placement))


@dataclass(frozen=True, kw_only=True)
class Adjust(Fact):
    """A player says that they adjust pieces ("j'adoube")."""

    kind: ClassVar[str] = "adjust"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Spoken(Fact):
    """A spoken move, as ``text``, as ``move``, or as both; then ``move`` is what ``text`` means."""

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
    """A move executed on a board without sensors: touched and released in one."""

    kind: ClassVar[str] = "make"
    by: str = field(metadata=_BY_ANYONE)
    move: str = field(metadata=_MAYBE_MOVE)


@dataclass(frozen=True, kw_only=True)
class Touch(Fact):
    """A touch that no sensor saw. ``by`` touched a piece, ``seen_by`` reports it.

    If ``by`` is an assistant or the arbiter, they report a touch by a player. ``ply`` is the ply of
    the touch if it is reported later.
    """

    kind: ClassVar[str] = "touch"
    by: str = field(metadata=_BY_ANYONE)
    square: str = field(metadata=_A_SQUARE)
    seen_by: str | None = field(default=None, metadata=_BY_ANYONE)
    ply: int | None = field(default=None, metadata=v.stored(v.whole(1, 20_000)))


@dataclass(frozen=True, kw_only=True)
class Press(Fact):
    """The clock was pressed by a player, or for a player by an assistant."""

    kind: ClassVar[str] = "press"
    by: str = field(metadata=_BY_ANYONE)


@dataclass(frozen=True, kw_only=True)
class Record(Fact):
    """A scoresheet entry as written; ``ply`` 1 is White's first move."""

    kind: ClassVar[str] = "record"
    by: str = field(metadata=_BY_ANYONE)
    ply: int = field(metadata=v.stored(v.whole(1, 20_000)))
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
    """A claim of a draw; ``move`` is the move that the player wrote down for it."""

    kind: ClassVar[str] = "claim_draw"
    by: str = field(metadata=_BY_ANYONE)
    rule: str = field(metadata=v.stored(v.one_of(*CLAIMS)))
    move: str | None = field(default=None, metadata=_MAYBE_MOVE)


@dataclass(frozen=True, kw_only=True)
class RequestExtraTime(Fact):
    """A request for five seconds a move in a quickplay finish."""

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
    about: str = field(metadata=v.stored(v.one_of(*QUESTIONS)))


@dataclass(frozen=True, kw_only=True)
class Irregular(Fact):
    """Something irregular, reported by ``by``; ``player`` did it, if that is known.

    ``ply`` is the ply during which pieces were displaced, if moves have been played since.
    """

    kind: ClassVar[str] = "irregular"
    by: str = field(metadata=_BY_ANYONE)
    what: str = field(metadata=v.stored(v.one_of(*IRREGULARITIES)))
    player: str | None = field(default=None, metadata=_BY_PLAYER)
    ply: int | None = field(default=None, metadata=v.stored(v.whole(1, 20_000)))


@dataclass(frozen=True, kw_only=True)
class Seal(Fact):
    kind: ClassVar[str] = "seal"
    by: str = field(metadata=_BY_ANYONE)
    text: str = field(metadata=_A_TEXT)


@dataclass(frozen=True, kw_only=True)
class OpenEnvelope(Fact):
    kind: ClassVar[str] = "open_envelope"
    by: str = field(default="arbiter", metadata=_BY_ANYONE)
    missing: bool = field(default=False, metadata=v.stored(v.switch))


@dataclass(frozen=True, kw_only=True)
class Arbiter(Fact):
    """A decision of the arbiter; ``do`` decides which of the other fields are needed.

    If ``by`` is "table", the table stopped the clocks when its process ended, or starts them again.
    """

    kind: ClassVar[str] = "arbiter"
    by: str = field(default="arbiter", metadata=v.stored(v.one_of("arbiter", "table")))
    do: str = field(metadata=v.stored(v.one_of(*DECISIONS)))
    white: int | None = field(default=None, metadata=v.stored(v.duration, v.optional_seconds))
    black: int | None = field(default=None, metadata=v.stored(v.duration, v.optional_seconds))
    player: str | None = field(default=None, metadata=v.stored(v.one_of(*SIDES)))
    penalty: str | None = field(default=None, metadata=_A_TEXT)
    ply: int | None = field(default=None, metadata=v.stored(v.whole(0, 20_000)))
    result: str | None = field(default=None, metadata=v.stored(v.one_of(*RESULTS)))

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

# The contract calls this field "kind", but every fact here already has an attribute ``kind``.
_FIELD_NAMES = {"kind": "penalty"}
_CONTRACT_NAMES = {field: name for name, field in _FIELD_NAMES.items()}


def _read_fields(cls: type, values: Mapping[str, Any], what: str) -> dict[str, Any]:
    fields = {item.name: item for item in dataclasses.fields(cls)}
    read: dict[str, Any] = {}
    for key, value in values.items():
        item = fields.get(_FIELD_NAMES.get(key, key))
        if item is None:
            continue  # a field of a newer table must not stop an older reader
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
    """The fact that a JSON object of the contract describes.

    :raises FactError: if it describes no fact; the message is one sentence.
    """
    if not isinstance(value, dict):
        raise FactError("a fact must be a JSON object")
    kind = value.get("fact")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise FactError(f"unknown fact {v.shown(kind)}; known are {', '.join(KINDS)}")
    fields = {name: item for name, item in value.items() if name != "fact"}
    if fields.get("t") is None:
        raise FactError(f"{cls.kind} needs t")
    return cls(**_read_fields(cls, fields, cls.kind))


def loads(line: str, t: int | None = None) -> Fact:
    """The fact on one line of JSON. ``t`` (ms) replaces the line's own time.

    :raises FactError: if the line is no fact.
    """
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
