"""The meaning of a Braille display's keys, from BrlAPI's codes.

Source: BRLTTY's `brlapi_keycodes.h` and `brlapi_constants.h`. A code is a command of BRLTTY with
its argument, or an X keysym.
"""

import enum
from dataclasses import dataclass

_FLAGS = 0xFFFFFFFF << 32
_COMMAND = 0x20000000
_KINDS = 0xE0000000
_ROUTE, _DOTS = 1, 34


class BrailleKey(enum.Enum):
    """The action of a key."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    HOME = "home"
    ROUTE = "route"
    TIME = "time"
    ENTER = "enter"
    BACKSPACE = "backspace"
    ESCAPE = "escape"
    SIGN = "sign"
    """A character or, as U+2800 and more, a cell that was typed."""


_COMMANDS = {
    1: BrailleKey.UP, 2: BrailleKey.DOWN, 19: BrailleKey.LEFT, 20: BrailleKey.RIGHT,
    23: BrailleKey.LEFT, 24: BrailleKey.RIGHT, 25: BrailleKey.LEFT, 26: BrailleKey.RIGHT,
    5: BrailleKey.UP, 6: BrailleKey.DOWN, 10: BrailleKey.HOME, 29: BrailleKey.HOME,
    31: BrailleKey.HOME, 81: BrailleKey.TIME,
}  # fmt: skip
_SYMBOLS = {
    0xFF0D: BrailleKey.ENTER, 0x0D: BrailleKey.ENTER, 0x0A: BrailleKey.ENTER,
    0xFF08: BrailleKey.BACKSPACE, 0xFF1B: BrailleKey.ESCAPE, 0xFF51: BrailleKey.LEFT,
    0xFF52: BrailleKey.UP, 0xFF53: BrailleKey.RIGHT, 0xFF54: BrailleKey.DOWN,
}  # fmt: skip
# Dot 8 and dot 7 alone are Enter and Backspace on most displays with eight keys.
_LONE_DOTS = {0x80: BrailleKey.ENTER, 0x40: BrailleKey.BACKSPACE}


@dataclass(frozen=True)
class Pressed:
    """A key that was pressed, and its sign if it has typed one."""

    key: BrailleKey
    sign: str = ""


def pressed(code: int) -> Pressed | None:
    """Return the meaning of the key of this code; None for a key without one here."""
    code &= ~_FLAGS
    if code & _KINDS == _COMMAND:
        block, argument = code >> 16 & 0x1FFF, code & 0xFFFF
        if block == _DOTS:
            return _typed(argument & 0xFF)
        found = BrailleKey.ROUTE if block == _ROUTE else None if block else _COMMANDS.get(argument)
        return Pressed(found) if found is not None else None
    if code in _SYMBOLS:
        return Pressed(_SYMBOLS[code])
    number = code & 0xFFFFFF if code >> 24 == 1 else code
    printable = number < 0x100 or code >> 24 == 1
    if printable and number <= 0x10FFFF and chr(number).isprintable():
        return Pressed(BrailleKey.SIGN, chr(number))
    return None


def _typed(dots: int) -> Pressed:
    """A cell; one without dots is a space."""
    if dots in _LONE_DOTS:
        return Pressed(_LONE_DOTS[dots])
    return Pressed(BrailleKey.SIGN, chr(0x2800 + dots) if dots else " ")
