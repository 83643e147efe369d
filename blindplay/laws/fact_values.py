"""The values in the fields of facts: how each is read from JSON and written back.

A reader takes a JSON value and returns the field's value, or raises :exc:`FactError`.
"""

import dataclasses
import json
import re
from collections.abc import Callable
from typing import Any

import chess

from .clock import TimeControl
from .placement import read_position

Reader = Callable[[Any], Any]
Writer = Callable[[Any], Any]

_UCI = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
_LATEST = 10**9  # seconds, about thirty years; larger values are typos
_LATEST_OF_DAY = 10**11  # seconds since 1970
_LONGEST = 10_000  # characters


class FactError(ValueError):
    """A JSON value that is not a fact of the contract; the message says what is wrong."""


def seconds(milliseconds: int) -> int | float:
    """Milliseconds as the contract's seconds: a whole number if possible."""
    whole, rest = divmod(milliseconds, 1000)
    return milliseconds / 1000 if rest else whole


def optional_seconds(milliseconds: int | None) -> int | float | None:
    """Like :func:`seconds`; None stays None."""
    return None if milliseconds is None else seconds(milliseconds)


def shown(value: Any) -> str:
    """A JSON value as an error message shows it."""
    text = json.dumps(value, ensure_ascii=False)[:60]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def stored(
    read: Reader, write: Writer = lambda value: value, *, default: Any = dataclasses.MISSING
) -> Any:
    """A dataclass field: how to read it, how to write it, and its default."""
    return dataclasses.field(default=default, metadata={"read": read, "write": write})


def _checked(kind: type, wanted: str, fits: Callable[[Any], bool] = lambda value: True) -> Reader:
    """Reads a value of a kind that fits; ``wanted`` says what it must be."""

    def read(value: Any) -> Any:
        if not isinstance(value, kind) or not fits(value):
            raise FactError(f"must be {wanted}, not {shown(value)}")
        return value

    return read


def one_of(*allowed: str) -> Reader:
    return _checked(str, f"one of {', '.join(allowed)}", lambda value: value in allowed)


def some_of(*allowed: str) -> Callable[[Any], tuple[str, ...]]:
    """Reads a list of these; the result has their order."""

    def read(value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(item in allowed for item in value):
            raise FactError(f"must be a list of {', '.join(allowed)}, not {shown(value)}")
        return tuple(name for name in allowed if name in value)

    return read


def whole(low: int, high: int) -> Reader:
    def is_between(value: int) -> bool:
        return not isinstance(value, bool) and low <= value <= high

    return _checked(int, f"a whole number {low} to {high}", is_between)


def text(value: Any) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise FactError(f"must be a text of at most {_LONGEST} characters, not {shown(value)}")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        # Half a surrogate pair is valid JSON, but no journal, file or screen can hold it.
        raise FactError(f"must be a text of whole characters, not {shown(value)}") from None
    return value


def label(value: Any) -> str:
    """Reads a text of the record's head; the number of a round may be a JSON number."""
    return str(value) if type(value) is int else text(value)


switch = _checked(bool, "true or false")
square = _checked(str, "a square a1 to h8", lambda value: value in chess.SQUARE_NAMES)
piece = _checked(str, "a piece letter as in FEN", lambda value: value in tuple("PNBRQKpnbrqk"))
move = _checked(
    str,
    "a move in UCI such as g1f3",
    # chess.Move.from_uci also reads null moves, drops and promotions to a king.
    lambda value: _UCI.fullmatch(value) is not None and value[:2] != value[2:4],
)


def placement(value: Any) -> str:
    try:
        if not isinstance(value, str):
            raise ValueError
        chess.BaseBoard(value)
    except ValueError:
        raise FactError(
            f"must be the first field of a FEN (the placement), not {shown(value)}"
        ) from None
    return value


def fen(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError(f"must be a position in FEN, not {shown(value)}")
    try:
        read_position(value)
    except ValueError as error:
        raise FactError(f"{error}, not {shown(value)}") from None
    return value


def _seconds_up_to(latest: int) -> Reader:
    """Reads seconds; the result is in milliseconds."""

    def read(value: Any) -> int:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not 0 <= value <= latest  # also false for NaN
        ):
            raise FactError(f"must be a number of seconds 0 to {latest}, not {shown(value)}")
        return round(value * 1000)

    return read


duration = _seconds_up_to(_LATEST)
moment = _seconds_up_to(_LATEST_OF_DAY)


def time_control(value: Any) -> str:
    if not isinstance(value, str):
        raise FactError(f"must be a text, not {shown(value)}")
    try:
        TimeControl.parse(value)
    except ValueError as error:
        raise FactError(str(error)) from None
    return value


def edition(value: Any) -> Any:
    """Reads the id of an edition. The editions are loaded only when one is read."""
    from .editions import names

    return one_of(*names())(value)
