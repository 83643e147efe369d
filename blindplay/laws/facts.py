"""Facts: everything that happens at a table. The Laws fold facts into rulings.

A fact is a frozen value with the time at which it happened. It checks itself when it is made, and
raises :exc:`FactError`. :func:`parse` reads one from the JSON object of the public contract, and
:meth:`Fact.to_json` writes it back. Both are exact.
Times are integer milliseconds since the table was set up (``t`` in JSON is in seconds).
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self, dataclass_transform

import chess

from blindplay.translation import _, one_of

from . import fact_values as v
from .fact_values import FactError as FactError
from .fact_values import UnknownError as UnknownError
from .fact_values import seconds as seconds

FORMAT = 1
"""The format of the journals that this version writes. A version that knows only earlier ones does
not read a journal of this format, even if it knows all words of it."""
SIDES = ("white", "black")
MODES = ("standard", "rapid", "blitz")
PEOPLE = ("white", "black", "assistant:white", "assistant:black", "arbiter")
QUESTIONS = ("time", "moves", "last_move", "position", "scoresheet")
IRREGULARITIES = (
    "two_hands",
    "displaced",
    "wrong_start",
    "reversed_colours",
    "board_turned",
    "wrong_clock",
    "illegal_move",
    "phone",
    "disturbance",
)
REQUIREMENTS = ("size", "raised_black_squares", "securing_holes", "pegs", "staunton_black_marked")
DECISIONS = (
    "confirm",
    "reject",
    "stop_clocks",
    "start_clocks",
    "set_clock",
    "penalty",
    "restore",
    "declare",
    "forfeit",
    "adjourn",
    "postpone",
    "preside",
    "withdraw",
    "permit_warnings",
    "announce_in",
    "attend",
    "undo",
)
CLAIMS = ("repetition", "fifty_moves", "cannot_win", "no_effort")
RESULTS = ("1-0", "0-1", "1/2-1/2", "0-0", "1/2-0", "0-1/2")


# The contract calls this field "kind", but every fact here already has an attribute ``kind``.
_CONTRACT_NAMES = {"penalty": "kind"}


_Field = tuple[str, str, Any, v.Values]
"""A field: its name, its name in the contract, its default, its values."""
_FIELDS: dict[type, tuple[_Field, ...]] = {}


def _fields(cls: type) -> tuple[_Field, ...]:
    """The fields of a class, worked out once: every fact that is made asks for them."""
    if cls not in _FIELDS:
        _FIELDS[cls] = tuple(
            (one.name, _CONTRACT_NAMES.get(one.name, one.name), one.default, one.metadata["values"])
            for one in dataclasses.fields(cls)
        )
    return _FIELDS[cls]


@functools.cache
def _names(kind: str) -> frozenset[str]:
    """The names that the contract has for the fields of a fact, or of a player."""
    cls = KINDS.get(kind, Player)
    return frozenset(written for _name, written, *_rest in _fields(cls))


class _Checked:
    """A frozen dataclass that checks its fields when it is made.

    :raises FactError: if a value is not one of the contract; the message is one sentence.
    """

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for name, written, default, values in _fields(type(self)):
            value = getattr(self, name)
            if value is default:
                continue
            try:
                kept = values.check(value)
            except FactError as error:
                raise type(error)(
                    _("{what}: {key} {error}", what=self.kind, key=written, error=error)
                ) from None
            if kept is not value:
                object.__setattr__(self, name, kept)

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Self:
        """Make one from a JSON object. ``null`` stands for the default, and a field of a newer
        table does not stop an older reader."""
        given: dict[str, Any] = {}
        for name, written, default, values in _fields(cls):
            if value.get(written) is not None:
                given[name] = values.read(value[written])
            elif default is dataclasses.MISSING:
                raise FactError("{kind} needs {written}", kind=cls.kind, written=written)
        return cls(**given)

    def to_json(self) -> dict[str, Any]:
        """The contract's JSON object, without the fields that have their default value."""
        return {
            written: values.write(value)
            for name, written, default, values in _fields(type(self))
            if (value := getattr(self, name)) != default
        }


@dataclass(frozen=True)
class Player(_Checked):
    """One player, as the arbiter entered them."""

    kind: ClassVar[str] = "player"
    name: str = v.stored(v.text, default="")
    impaired: bool = v.stored(v.switch, default=False)
    hearing_impaired: bool = v.stored(v.switch, default=False)
    assistant: bool = v.stored(v.switch, default=False)
    language: str = v.stored(v.text, default="")
    """The language in which the player reads and commands; "" is the table's language."""


def _check_player(value: Any) -> Player:
    if isinstance(value, Player):
        return value
    if not isinstance(value, dict):
        raise FactError(
            "must be an object such as {example}, not {value}",
            example='{"name": …}',
            value=v.shown(value),
        )
    # An assistant may be given by name; the Laws only ask whether there is one.
    if isinstance(value.get("assistant"), str):
        value = {**value, "assistant": bool(value["assistant"])}
    return Player.read(value)


_player = v.Values(_check_player, write=Player.to_json)
_side = v.one_of(*SIDES)
_person = v.one_of(*PEOPLE)
_ply = v.whole(1, 20_000)


KINDS: dict[str, type[Fact]] = {}
"""All facts of the contract by their names."""


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(v.stored,))
@dataclass(frozen=True, kw_only=True)
class Fact(_Checked):
    """A fact at time ``t``: milliseconds since the table was set up, never decreasing.

    A running table gives its own time to a fact without one. Subclasses are frozen dataclasses;
    ``kind`` is the name of the class in the contract.

    :raises FactError: if a field has no value of the contract.
    """

    t: int = v.stored(v.duration, default=0)
    who: str = v.stored(v.label, default="")
    """The name of the person, if the role does not tell it: one of several arbiters of a hall."""
    request: str = v.stored(v.label, default="")
    """The id of the hall's request that brought this fact about."""
    table: str = v.stored(v.one_of("", *SIDES), default="")
    """The side whose table this happened at, where the players sit at two."""
    wall: int | None = v.stored(v.moment, default=None)
    """The time of day at that table, in ms since 1970."""

    def __init_subclass__(cls, *, kind: str = "") -> None:
        dataclass(frozen=True, kw_only=True)(cls)
        if kind:
            cls.kind = kind
            KINDS[kind] = cls

    def to_json(self) -> dict[str, Any]:
        return {"t": seconds(self.t), "fact": self.kind, **super().to_json()}


class Setup(Fact, kind="setup"):
    """The first line of every game."""

    id: str = v.stored(v.label, default="")
    """A random text, so that no two games have the same first line; the table chooses it."""
    format: int = v.stored(v.whole(0, 1_000_000), default=0)
    """The :data:`FORMAT` of the journal that the table writes; 0 before journals named theirs."""
    edition: str = v.stored(v.edition, default="fide-2023")
    mode: str = v.stored(v.one_of(*MODES), default="standard")
    supervised: bool = v.stored(v.switch, default=False)
    variant: str = v.stored(v.one_of("chess", "chess960"), default="chess")
    fen: str = v.stored(v.fen, default=chess.STARTING_FEN)
    boards: int = v.stored(v.whole(1, 2), default=0)
    time_control: str = v.stored(v.time_control, default="-")
    clock_mode: str = v.stored(v.one_of("increment", "delay", "bronstein"), default="increment")
    announce_in: str = v.stored(v.text, default="")
    """The language in which moves are announced; "" is the one that the Laws say (D.2.1)."""
    announce_check: bool = v.stored(v.switch, default=False)
    quickplay_finish: bool = v.stored(v.switch, default=False)
    arbiter: str = v.stored(v.one_of("present", "automatic", "server"), default="present")
    """``server``: the game is played on a server, which keeps the time and gives the result."""
    default_time: int | None = v.stored(v.duration, default=None)
    # The head of the record. The Laws do not use it. ``date`` is YYYY-MM-DD.
    event: str = v.stored(v.label, default="")
    site: str = v.stored(v.label, default="")
    round: str = v.stored(v.label, default="")
    date: str = v.stored(v.label, default="")
    white: Player = v.stored(_player, default=Player())
    black: Player = v.stored(_player, default=Player())

    @property
    def board_count(self) -> int:
        """``boards`` if given; else two boards if a player is impaired, and one if not."""
        return self.boards or (2 if self.white.impaired or self.black.impaired else 1)

    def player(self, side: str) -> Player:
        return self.white if side == "white" else self.black


class Personal(Fact):
    """A fact that a person brings about."""

    by: str = v.stored(_person)


class TwoBoards(Personal, kind="two_boards"):
    """A player demands two boards (D.1)."""


class OnBoard(Fact):
    """A fact about one of the boards."""

    board: str = v.stored(_side)


class Inspect(OnBoard, kind="inspect"):
    """The arbiter has inspected a special board; ``fulfils`` are some of :data:`REQUIREMENTS`."""

    fulfils: tuple[str, ...] = v.stored(v.some_of(*REQUIREMENTS))


class Assistant(Fact, kind="assistant"):
    """A player has an assistant from now on, or has none. ``by`` announces it; it is "table" if the
    assistant has opened the link that the table issued for them."""

    by: str = v.stored(v.one_of(*PEOPLE, "table"), default="arbiter")
    of: str = v.stored(_side)
    present: bool = v.stored(v.switch, default=True)


class Arrive(Personal, kind="arrive"):
    """A player comes to the board."""


class Start(Fact, kind="start"):
    """The arbiter, or a player where nobody presides, starts the clock of the player on move."""

    by: str = v.stored(_person, default="arbiter")


class Lift(OnBoard, kind="lift"):
    """A piece was lifted from its securing hole, or from a square of a sensor board."""

    square: str = v.stored(v.square)


class Place(OnBoard, kind="place"):
    """A piece was put into a hole; ``piece`` is None if the board cannot name it."""

    square: str = v.stored(v.square)
    piece: str | None = v.stored(v.piece, default=None)


class Position(OnBoard, kind="position"):
    """A dump of a board: everything that stands on it, as FEN's first field."""

    placement: str = v.stored(v.placement)


class BoardOwners(Fact, kind="board_owners"):
    """The table cannot tell which board is whose; ``known``: now it can. It counts nothing that
    happens on such a board."""

    known: bool = v.stored(v.switch)


class Adjust(Personal, kind="adjust"):
    """A player says that they adjust pieces ("j'adoube")."""


class Spoken(Personal):
    """A spoken move, as ``text``, as ``move``, or as both; then ``move`` is what ``text`` means."""

    text: str | None = v.stored(v.text, default=None)
    move: str | None = v.stored(v.move, default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.text is None and self.move is None:
            raise FactError("{kind} needs text or move", kind=self.kind)


class Announce(Spoken, kind="announce"):
    """The player on move announces a move."""


class Repeat(Spoken, kind="repeat"):
    """The opponent repeats an announcement."""


class Correct(Spoken, kind="correct"):
    """A player corrects an announcement."""


class Make(Personal, kind="make"):
    """A move executed on a board without sensors: touched and released in one. ``presumed``: nobody
    says so; the table takes the announced move as executed, because nothing there reports hands."""

    move: str = v.stored(v.move)
    presumed: bool = v.stored(v.switch, default=False)


class Touch(Personal, kind="touch"):
    """A touch that no sensor saw. ``by`` touched a piece, ``seen_by`` reports it.

    If ``by`` is an assistant or the arbiter, they report a touch by a player. ``ply`` is the ply of
    the touch if it is reported later.
    """

    square: str = v.stored(v.square)
    seen_by: str | None = v.stored(_person, default=None)
    ply: int | None = v.stored(_ply, default=None)


class Press(Personal, kind="press"):
    """The clock was pressed by a player, or for a player by an assistant. It was on the line for
    ``late`` ms, which are charged to nobody if it counts."""

    late: int = v.stored(v.duration, default=0)


class Record(Personal, kind="record"):
    """A scoresheet entry as written; ``ply`` 1 is White's first move."""

    ply: int = v.stored(_ply)
    text: str = v.stored(v.text)


class OfferDraw(Personal, kind="offer_draw"):
    """A player offers a draw."""


class AcceptDraw(Personal, kind="accept_draw"):
    """A player accepts the opponent's offer."""


class DeclineDraw(Personal, kind="decline_draw"):
    """A player declines the opponent's offer by word."""


class Consent(Personal, kind="consent"):
    """A player says yes, or no, to what the players decide together where no arbiter presides."""

    given: bool = v.stored(v.switch, default=True)


class Resign(Personal, kind="resign"):
    """A player resigns."""


class ClaimDraw(Personal, kind="claim_draw"):
    """A claim of a draw; ``move`` is the move that the player wrote down for it."""

    rule: str = v.stored(v.one_of(*CLAIMS))
    move: str | None = v.stored(v.move, default=None)


class RequestExtraTime(Personal, kind="request_extra_time"):
    """A request for five seconds a move in a quickplay finish."""


class ClaimTime(Personal, kind="claim_time"):
    """Somebody says that a flag has fallen."""


class CallArbiter(Personal, kind="call_arbiter"):
    """A player stops the clock and asks for the arbiter."""


class Adjourn(Personal, kind="adjourn"):
    """A player would like to adjourn, or agrees to the opponent's wish. ``declined``: does not
    agree to it."""

    declined: bool = v.stored(v.switch, default=False)


class Query(Personal, kind="query"):
    """A question to the table."""

    about: str = v.stored(v.one_of(*QUESTIONS))


class Irregular(Personal, kind="irregular"):
    """Something irregular, reported by ``by``; ``player`` did it, if that is known.

    ``ply`` is the ply during which pieces were displaced, if moves have been played since.
    """

    what: str = v.stored(v.one_of(*IRREGULARITIES))
    player: str | None = v.stored(_side, default=None)
    ply: int | None = v.stored(_ply, default=None)


class Seal(Personal, kind="seal"):
    """The sealed move as written. ``absent``: it answers a sealed move whose player has not come to
    the resumed game (I.9.3)."""

    text: str = v.stored(v.text)
    absent: bool = v.stored(v.switch, default=False)


class OpenEnvelope(Fact, kind="open_envelope"):
    """The arbiter opens the envelope, or it is ``missing``."""

    by: str = v.stored(_person, default="arbiter")
    missing: bool = v.stored(v.switch, default=False)


class Sign(Personal, kind="sign"):
    """A player signs both scoresheets after the game, with this ``result`` (8.7)."""

    result: str = v.stored(v.one_of(*RESULTS))


class Arbiter(Fact, kind="arbiter"):
    """A decision of the arbiter; ``do`` decides which of the other fields are needed.

    If ``by`` is "table", the table stopped the clocks when its process ended, or starts them again.
    ``player`` with "restore" or "start_clocks" is the player who does it where no arbiter presides;
    with "forfeit" it is the player who has not come, and None means that neither has.
    ``reason`` says why a decision is undone, or the result of a game that is over corrected.
    """

    by: str = v.stored(v.one_of("arbiter", "table"), default="arbiter")
    do: str = v.stored(v.one_of(*DECISIONS))
    white: int | None = v.stored(v.duration, default=None)
    black: int | None = v.stored(v.duration, default=None)
    player: str | None = v.stored(_side, default=None)
    penalty: str | None = v.stored(v.text, default=None)
    ply: int | None = v.stored(v.whole(0, 20_000), default=None)
    result: str | None = v.stored(v.one_of(*RESULTS), default=None)
    white_moves: int | None = v.stored(v.whole(0, 10_000), default=None)
    black_moves: int | None = v.stored(v.whole(0, 10_000), default=None)
    language: str = v.stored(v.text, default="")
    reason: str = v.stored(v.text, default="")

    def __post_init__(self) -> None:
        super().__post_init__()
        needed = {
            "set_clock": ("white", "black", "white_moves", "black_moves"),
            "restore": ("ply",),
            "declare": ("result",),
        }.get(self.do)
        if needed and all(getattr(self, name) is None for name in needed):
            raise FactError("arbiter {do} needs {needed}", do=self.do, needed=one_of(needed))
        if self.by == "table" and self.do not in ("stop_clocks", "start_clocks"):
            raise FactError("arbiter {do} is not the table's to decide", do=self.do)


class Tick(Fact, kind="tick"):
    """Time passes."""


def parse(value: Any) -> Fact:
    """The fact that a JSON object of the contract describes.

    :raises FactError: if it describes no fact; the message is one sentence.
    """
    if not isinstance(value, dict):
        raise FactError("a fact must be a JSON object")
    kind = value.get("fact")
    cls = KINDS.get(kind) if isinstance(kind, str) else None
    if cls is None:
        raise UnknownError(
            "unknown fact {kind}; known are {kinds}", kind=v.shown(kind), kinds=", ".join(KINDS)
        )
    if value.get("t") is None:
        raise FactError("{kind} needs t", kind=cls.kind)
    return cls.read(value)


def parse_kept(value: Any) -> Fact:
    """The fact on a line of a journal. Unlike :func:`parse`, it passes over nothing that this
    version does not know: the game could be another one.

    :raises UnknownError: if a newer version wrote it.
    :raises FactError: if it is no fact.
    """
    if isinstance(value, dict) and isinstance(kind := value.get("fact"), str):
        if kind not in KINDS:
            raise UnknownError("the fact {kind}", kind=v.shown(kind))
        given = value.get("format")
        if kind == Setup.kind and isinstance(given, int) and given > FORMAT:
            raise UnknownError(
                "format {given}; the latest one known is {known}", given=given, known=FORMAT
            )
    fact = parse(value)
    parts: list[tuple[type[_Checked], dict[str, Any]]] = [(type(fact), value)]
    parts += [(Player, part) for part in map(value.get, SIDES) if isinstance(part, dict)]
    for cls, part in parts:
        for name in part:
            if name != "fact" and name not in _names(cls.kind):
                raise UnknownError("the field {name} of {what}", name=v.shown(name), what=cls.kind)
    return fact


def loads(line: str, t: int | None = None) -> Fact:
    """The fact on one line of JSON. ``t`` (ms) replaces the line's own time.

    :raises FactError: if the line is not a fact.
    """
    try:
        value = json.loads(line, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise FactError("it is not a line of JSON") from None
    if t is not None and isinstance(value, dict):
        value["t"] = t / 1000
    return parse(value)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def dumps(fact: Fact) -> str:
    """The fact as one line of JSON."""
    return json.dumps(fact.to_json(), ensure_ascii=False, separators=(",", ":"))
