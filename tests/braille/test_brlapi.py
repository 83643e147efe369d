"""BrlAPI, spoken with a real BRLTTY."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.braille import brlapi
from blindplay.braille.brlapi import (
    BrailleError,
    BrailleKey,
    Connection,
    Display,
    Packet,
    Pressed,
    Unpacker,
    pressed,
    written,
)
from tests.braille.virtual_display import VirtualDisplay
from tests.waiting import until

KINDS = st.sampled_from(["v", "a", "A", "k", "PU"])
PACKETS = st.lists(st.builds(Packet, KINDS, st.binary(max_size=30)), max_size=6)


@pytest.fixture
def folder() -> Iterator[Path]:
    """One with a short path, for sockets."""
    with tempfile.TemporaryDirectory(prefix="brl-") as name:
        yield Path(name)


@given(PACKETS, st.lists(st.integers(1, 9)))
def test_packets_are_the_same_whole_in_pieces_and_byte_by_byte(
    packets: list[Packet], sizes: list[int]
) -> None:
    stream = b"".join(packet.encoded() for packet in packets)
    for cuts in (sizes, [1] * len(stream)):
        unpack, rest, found = Unpacker(), stream, []
        for size in cuts:
            found += unpack.feed(rest[:size])
            rest = rest[size:]
        assert found + unpack.feed(rest) == packets


@given(st.binary(max_size=40))
def test_garbage_is_refused_in_a_sentence_or_waited_for(garbage: bytes) -> None:
    try:
        Unpacker().feed(garbage)
    except BrailleError as error:
        assert str(error).endswith(".")


def test_a_packet_is_written_as_the_protocol_has_it() -> None:
    """Size and type first; then flags (region, text, cursor, charset), the region from cell 1 on,
    the text with its length in bytes, the cursor, and the name of the charset."""
    packet = written("⠎a", 4, 1)
    text = "⠎a  ".encode()
    assert packet.encoded() == b"".join(
        (
            (4 + 8 + 4 + len(text) + 4 + 6).to_bytes(4, "big") + b"\0\0\0w",
            b"\0\0\0\x66",
            b"\0\0\0\x01\0\0\0\x04",
            len(text).to_bytes(4, "big") + text,
            b"\0\0\0\x02",
            b"\x05UTF-8",
        )
    )


def test_a_display_shows_text_and_dots_gives_its_keys_and_may_be_pulled_out(folder: Path) -> None:
    events: list[Pressed | Display] = []
    with VirtualDisplay(folder, 20) as display, Connection(display.host) as connection:

        def read() -> None:
            try:
                while True:
                    events.append(connection.read())
            except BrailleError as error:
                ended.append(str(error))

        ended: list[str] = []
        threading.Thread(target=read, daemon=True).start()
        assert connection.display == Display(20)
        connection.write("⠎⠋⠒ da", 3)
        # The cursor is dots 7 and 8.
        assert until(lambda: display.shown == "⠎⠋⠒⣀⠙⠁"), display.shown
        display.press("fwinrt", "route 5", "passdots 14", "passchar 13", "time")
        assert until(lambda: sum(isinstance(one, Pressed) for one in events) == 5)
        keys = [one for one in events if isinstance(one, Pressed)]
        assert keys == [
            Pressed(BrailleKey.RIGHT),
            Pressed(BrailleKey.ROUTE),
            Pressed(BrailleKey.SIGN, "⠎"),
            Pressed(BrailleKey.ENTER),
            Pressed(BrailleKey.TIME),
        ]
        display.unplug()
        assert until(lambda: connection.display == Display(0))
        display.plug_in()
        assert until(lambda: connection.display == Display(20))
        connection.write("da")
        assert until(lambda: display.shown == "⠙⠁")
        display.stop()
        assert until(lambda: ended) and "BRLTTY" in ended[0]
        with pytest.raises(BrailleError, match="start it"):
            Connection(display.host)


def test_the_key_of_the_machine_opens_the_display_and_who_may_not_read_it_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key, own = folder / "key", folder / "own"
    for file in (key, own):
        file.write_bytes(b"a secret of this machine\n")
    monkeypatch.setattr(brlapi, "_KEY_FILE", own)
    with VirtualDisplay(folder, 20, auth=f"keyfile:{key}") as display:
        with Connection(display.host) as connection:
            assert connection.display.cells == 20
        own.write_bytes(b"another\n")
        with pytest.raises(BrailleError, match="refuses"):
            Connection(display.host)
        own.unlink()
        with pytest.raises(BrailleError, match="usermod -aG brlapi"):
            Connection(display.host)


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
