"""The wire protocol: known bytes, round trips, damage."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards.peg import protocol as peg
from tests import ROOT

u8, u16, u32 = (st.integers(0, (1 << bits) - 1) for bits in (8, 16, 32))
codes = st.sampled_from([*range(13), peg.FAULT])
squares = st.integers(0, 63)
names = st.text(st.characters(codec="utf-8"), max_size=24).filter(
    lambda name: len(name.encode()) <= peg.NAME_BYTES
)
messages = st.one_of(
    st.builds(peg.Identity, u32, names),
    st.builds(peg.Hello, u8, u16, u8, u8, u16, u8, u32),
    st.builds(peg.Dump, u16, u32, st.tuples(*[codes] * 64)),
    st.builds(peg.Ping, u16, u32, u16, u8, u8, u16, u16),
    st.builds(peg.Raw, squares, st.integers(0, 1023)),
    st.builds(
        lambda n, t, s, pair: peg.HoleChanged(n, t, s, *pair),
        u16,
        u32,
        squares,
        st.tuples(codes, codes).filter(lambda pair: pair[0] != pair[1]),
    ),
    st.builds(peg.LeverMoved, u16, u32, st.integers(0, 1), st.integers(0, 1)),
    st.builds(peg.Presses, u32, u8, u32, u8, u32),
    st.just(peg.Ack()),
    st.builds(peg.Nak, u8),
    st.builds(peg.Signalled, u8),
)
commands = st.one_of(
    st.just(peg.AskHello()),
    st.just(peg.AskDump()),
    st.just(peg.AskPing()),
    st.builds(peg.AskRaw, squares),
    st.builds(peg.Set, u8, u16),
    st.builds(peg.Buzz, u8),
    st.builds(peg.Signal, u8, u16, u8),
    st.builds(peg.Identify, u32, names),
    st.just(peg.Leave()),
)
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"


def test_the_crc_has_the_published_check_value() -> None:
    assert peg.crc16(b"123456789") == 0x6F91  # CRC-16/MCRF4XX in the catalogue of CRCs


def test_a_ping_request_has_exactly_these_bytes() -> None:
    # Body 70, CRC 0x7C00 little endian; COBS replaces the 00 in it.
    assert peg.encode(peg.AskPing()) == bytes.fromhex("00 02 70 02 7c 00")


def test_an_event_takes_sixteen_milliseconds_and_a_dump_46_at_9600_baud() -> None:
    event = peg.encode(peg.HoleChanged(1, 1000, 12, 1, 0))
    dump = peg.encode(peg.Dump(1, 1000, peg.codes_of(START)))
    assert len(event) * 10 / 9600 == pytest.approx(0.016, abs=0.002)
    assert len(dump) * 10 / 9600 == pytest.approx(0.046, abs=0.002)


def test_the_program_and_the_firmware_agree_on_version_name_and_reasons() -> None:
    text = "".join(
        (ROOT / "hardware" / "firmware" / name).read_text() for name in ("device.h", "identity.h")
    )
    defined = dict(re.findall(r"^#define (\w+) (\w+)$", text, re.MULTILINE))
    assert int(defined["FIRMWARE_VERSION"], 16) == peg.FIRMWARE_VERSION
    assert int(defined["PROTOCOL_VERSION"]) == peg.PROTOCOL_VERSION
    assert int(defined["NAME_MAX"]) == peg.NAME_BYTES
    assert int(defined["CAN_NAME"]) == peg.Capability.NAME
    assert int(defined["WHY_NOT_KEPT"]) == peg.NakReason.NOT_KEPT


def test_bytes_of_a_name_that_are_no_text_are_left_out() -> None:
    assert peg.parse_message(b"I\1\0\0\0Bret\xfft") == peg.Identity(1, "Brett")


@pytest.mark.parametrize("body", [b"I\1\0\0", b"I\1\0\0\0" + b"x" * 25])
def test_an_id_has_four_bytes_and_a_name_24_at_most(body: bytes) -> None:
    with pytest.raises(peg.MalformedFrameError):
        peg.parse_message(body)


def test_piece_codes_count_pawn_rook_knight_bishop_king_queen_white_first() -> None:
    board = peg.codes_of(START)
    assert board[:9] == (2, 3, 4, 6, 5, 4, 3, 2, 1)
    assert board[59:61] == (12, 11)
    assert peg.square_index("e8") == 60
    assert peg.placement_of(board) == START


@given(messages)
def test_messages_survive_the_line(message: peg.Message) -> None:
    assert peg.Decoder().feed(peg.encode(message)) == [message]


@given(commands)
def test_commands_survive_the_line(command: peg.HostCommand) -> None:
    (body,) = peg.FrameDecoder().feed_bodies(peg.encode(command))
    assert peg.parse_command(body) == command


@given(st.lists(messages, max_size=6), st.data())
def test_a_capture_with_garbage_decodes_the_same_whole_in_chunks_and_byte_by_byte(
    said: list[peg.Message], data: st.DataObject
) -> None:
    stream = b""
    for message in said:
        # 0xFF means "254 bytes follow", so a run of these lengths is never a frame.
        stream += b"\xff" * data.draw(st.integers(0, 100)) + peg.encode(message)
    whole, bytewise, chunked = peg.Decoder(), peg.Decoder(), peg.Decoder()
    assert whole.feed(stream) == said
    assert [m for i in range(len(stream)) for m in bytewise.feed(stream[i : i + 1])] == said
    heard, rest = [], stream
    while rest:
        cut = data.draw(st.integers(1, len(rest)))
        heard += chunked.feed(rest[:cut])
        rest = rest[cut:]
    assert heard == said
    assert whole.rejected == bytewise.rejected == chunked.rejected


@given(st.binary(max_size=400), messages)
def test_after_any_garbage_the_next_whole_frame_is_heard(junk: bytes, message: peg.Message) -> None:
    decoder = peg.Decoder()
    assert decoder.feed(junk + peg.encode(message))[-1] == message


@given(messages, st.data())
def test_one_flipped_bit_never_makes_another_message(
    message: peg.Message, data: st.DataObject
) -> None:
    frame = bytearray(peg.encode(message))
    frame[data.draw(st.integers(0, len(frame) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    decoder = peg.Decoder()
    heard = decoder.feed(bytes(frame) + b"\0")
    assert heard == [] or heard == [message]  # the latter if the bit was in a delimiter
    assert decoder.rejected or heard


def test_half_a_frame_is_counted_and_the_next_is_whole() -> None:
    frame = peg.encode(peg.HoleChanged(1, 1000, 12, 1, 0))
    decoder = peg.Decoder()
    assert decoder.feed(frame[:7] + frame) == [peg.HoleChanged(1, 1000, 12, 1, 0)]
    assert decoder.rejected == 1


def test_an_endless_stream_without_delimiters_takes_no_memory() -> None:
    decoder = peg.Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\x55" * 100) == []
    assert len(decoder._buffer) <= peg.MAX_ENCODED + 1
    assert decoder.feed(peg.encode(peg.Ack())) == [peg.Ack()]
    assert decoder.rejected == 1


@pytest.mark.parametrize(
    "body",
    [b"H\x01", b"E" + bytes(9), b"E\1\0\0\0\0\0\x40\x01\x00", b"L\1\0\0\0\0\0\x02\x01", b"A\0"],
    ids=["short hello", "unchanged hole", "square 64", "third lever", "long ack"],
)
def test_a_good_crc_around_nonsense_is_rejected(body: bytes) -> None:
    decoder = peg.Decoder()
    assert decoder.feed(peg.encode_frame(body)) == []
    assert decoder.rejected == 1


def test_a_frame_of_an_unknown_type_is_skipped() -> None:
    decoder = peg.Decoder()
    assert decoder.feed(peg.encode_frame(b"W\x07")) == []
    assert decoder.rejected == 0


@pytest.mark.parametrize("bad", ["", "8/8", START + "/8", "9/8/8/8/8/8/8/8", "x7/8/8/8/8/8/8/8"])
def test_a_wrong_placement_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="eight ranks"):
        peg.codes_of(bad)


@given(st.lists(st.integers(0, 12), min_size=64, max_size=64))
def test_placement_and_codes_are_inverse(board: list[int]) -> None:
    assert list(peg.codes_of(peg.placement_of(board))) == board
