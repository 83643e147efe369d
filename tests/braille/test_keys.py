"""Keys of Braille displays, by their codes in BRLTTY's `brlapi_keycodes.h`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.braille.keys import BrailleKey, Pressed, pressed


@pytest.mark.parametrize(
    ("code", "meant"),
    [
        (0x20000018, Pressed(BrailleKey.RIGHT)),  # CMD_FWINRT
        (0x20000017, Pressed(BrailleKey.LEFT)),  # CMD_FWINLT
        (0x20000001, Pressed(BrailleKey.UP)),  # CMD_LNUP
        (0x20000002, Pressed(BrailleKey.DOWN)),  # CMD_LNDN
        (0x2000001D, Pressed(BrailleKey.HOME)),  # CMD_HOME
        (0x0400_00002001000D, Pressed(BrailleKey.ROUTE)),  # CMD_ROUTE at cell 13, with a flag
        (0x20000051, Pressed(BrailleKey.TIME)),  # CMD_TIME
        (0x2022000E, Pressed(BrailleKey.SIGN, "⠎")),  # CMD_PASSDOTS, dots 2, 3, 4
        (0x20220000, Pressed(BrailleKey.SIGN, " ")),
        (0x20220080, Pressed(BrailleKey.ENTER)),  # dot 8
        (0x20220040, Pressed(BrailleKey.BACKSPACE)),  # dot 7
        (0xFF0D, Pressed(BrailleKey.ENTER)),  # SYM_LINEFEED
        (0xFF08, Pressed(BrailleKey.BACKSPACE)),
        (0xFF1B, Pressed(BrailleKey.ESCAPE)),
        (0x61, Pressed(BrailleKey.SIGN, "a")),
        (0x01002801, Pressed(BrailleKey.SIGN, "⠁")),  # SYM_UNICODE
        (0x200000F0, None),  # a command that means nothing here
    ],
)
def test_a_key_means_what_the_header_says(code: int, meant: Pressed | None) -> None:
    assert pressed(code) == meant


@given(st.integers(0, 2**64 - 1))
def test_no_code_is_too_strange(code: int) -> None:
    found = pressed(code)
    assert found is None or found.key is not BrailleKey.SIGN or len(found.sign) == 1
