"""The values in the fields of facts: how each is checked, and how JSON has it.

A check takes a value and returns the one to keep, or raises :exc:`FactError`. It is the same for a
fact that is made in Python and for one that is read from JSON.
"""

import dataclasses
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import chess

from blindplay.given import plain
from blindplay.translation import UserError, _

from .clock import TimeControl
from .placement import read_position

_UCI = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
_LATEST = 10**9  # seconds, about thirty years; larger values are typos
_LATEST_OF_DAY = 10**11  # seconds since 1970
_LONGEST = 10_000  # characters


class FactError(UserError):
    """A value that is not one of the contract; the message says what is wrong."""


class UnknownError(FactError):
    """A fact, a field or a word that this version does not know. A newer one may."""


def seconds(milliseconds: int) -> int | float:
    """Milliseconds as the contract's seconds: a whole number if possible."""
    whole, rest = divmod(milliseconds, 1000)
    return milliseconds / 1000 if rest else whole


def _milliseconds(value: Any) -> Any:
    """The contract's seconds in milliseconds; anything but a number as it is."""
    if type(value) is int or (isinstance(value, float) and math.isfinite(value * 1000)):
        return round(value * 1000)
    return value


def shown(value: Any) -> str:
    """A value as an error message shows it: as JSON has it, if it has it."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)[:60]
    except (TypeError, ValueError):
        text = f"a {type(value).__name__}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _as_it_is(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Values:
    """The values of a field: how to check one, to read it from JSON, and to write it there."""

    check: Callable[[Any], Any]
    read: Callable[[Any], Any] = _as_it_is
    write: Callable[[Any], Any] = _as_it_is


def stored(values: Values, *, default: Any = dataclasses.MISSING) -> Any:
    """A dataclass field with these values. Its default is not checked."""
    return dataclasses.field(default=default, metadata={"values": values})


def _checked(
    kind: type,
    wanted: str,
    fits: Callable[[Any], bool] = lambda value: True,
    error: type[FactError] = FactError,
) -> Values:
    """Values of a kind that fit; ``wanted`` says what one must be."""

    def check(value: Any) -> Any:
        if not isinstance(value, kind) or not fits(value):
            raise error(_("must be {wanted}, not {value}", wanted=wanted, value=shown(value)))
        return value

    return Values(check)


def one_of(*allowed: str) -> Values:
    return _checked(
        str,
        _("one of {allowed}", allowed=", ".join(allowed)),
        lambda value: value in allowed,
        UnknownError,
    )


def some_of(*allowed: str) -> Values:
    """Tuples of these, in their order; a list becomes one."""

    def check(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list | tuple) or not all(item in allowed for item in value):
            raise UnknownError(
                "must be a list of {allowed}, not {value}",
                allowed=", ".join(allowed),
                value=shown(value),
            )
        return tuple(name for name in allowed if name in value)

    return Values(check, write=list)


def whole(low: int, high: int) -> Values:
    def is_between(value: int) -> bool:
        return not isinstance(value, bool) and low <= value <= high

    return _checked(int, _("a whole number {low} to {high}", low=low, high=high), is_between)


def _text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise FactError(
            "must be a text of at most {longest} characters, not {value}",
            longest=_LONGEST,
            value=shown(value),
        )
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair is valid JSON, but no journal, file or screen can hold it.
        raise FactError(
            "must be a text of whole characters, not {value}", value=shown(value)
        ) from None
    return plain(value)


text = Values(_text)
"""Texts, without the characters that no terminal, page or file should get."""
label = Values(lambda value: str(value) if type(value) is int else _text(value))
"""Texts of the record's head; the number of a round may be a number."""

switch = _checked(bool, _("true or false"))
square = _checked(str, _("a square a1 to h8"), lambda value: value in chess.SQUARE_NAMES)
piece = _checked(str, _("a piece letter as in FEN"), lambda value: value in tuple("PNBRQKpnbrqk"))
move = _checked(
    str,
    _("a move in UCI such as g1f3"),
    # chess.Move.from_uci also reads null moves, drops and promotions to a king.
    lambda value: _UCI.fullmatch(value) is not None and value[:2] != value[2:4],
)


@Values
def placement(value: Any) -> str:
    try:
        if not isinstance(value, str):
            raise ValueError
        chess.BaseBoard(value)
    except ValueError:
        raise FactError(
            "must be the first field of a FEN (the placement), not {value}", value=shown(value)
        ) from None
    return value


@Values
def fen(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError("must be a position in FEN, not {value}", value=shown(value))
    try:
        read_position(value)
    except ValueError as error:
        raise FactError("{error}, not {value}", error=error, value=shown(value)) from None
    return value


def _time_up_to(latest: int) -> Values:
    """Whole milliseconds up to ``latest`` seconds; JSON has seconds."""

    def check(value: Any) -> int:
        if type(value) is not int or not 0 <= value <= latest * 1000:
            raise FactError("must be 0 to {latest} seconds, in whole milliseconds", latest=latest)
        return value

    return Values(check, _milliseconds, seconds)


duration = _time_up_to(_LATEST)
moment = _time_up_to(_LATEST_OF_DAY)


@Values
def time_control(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError("must be a text, not {value}", value=shown(value))
    try:
        TimeControl.parse(value)
    except ValueError as error:
        raise FactError(str(error)) from None
    return value


@Values
def edition(value: Any) -> Any:
    """The id of an edition. The editions are loaded only when one is checked."""
    from .editions import names

    return one_of(*names()).check(value)
