"""The DGT board's messages, from bytes alone; its fields and codes as squares and diagrams."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards.dgt.protocol import (
    ClockTimes,
    Damaged,
    Decoder,
    Dump,
    FieldUpdate,
    Message,
    MessageKind,
    Other,
    Text,
    Version,
    codes_of,
    diagram_of,
    placement_of,
    turned_at_start,
)
from blindplay.boards.diagram import diagram_of_board

UPDATE = bytes.fromhex("8e00052401")  # a white pawn on e4
CLOCK = bytes.fromhex("8d000a20050920050409")  # right 0:05:09, left 0:05:04, left runs


def messages(data: bytes) -> list[Message]:
    return Decoder().feed(data)


def test_a_field_update_names_the_field_and_what_stands_there() -> None:
    assert messages(UPDATE) == [FieldUpdate(0x24, 1)]


def test_a_dump_holds_64_codes() -> None:
    assert messages(bytes((0x86, 0, 67, *range(13), *[0] * 51))) == [Dump((*range(13), *[0] * 51))]


def test_a_clock_message_holds_both_times_and_whose_time_runs() -> None:
    assert messages(CLOCK) == [ClockTimes(left=304, right=309, running="left")]
    assert messages(CLOCK[:-1] + b"\x13") == [ClockTimes(left=304, right=309, running="right")]
    assert messages(CLOCK[:-1] + b"\x08") == [ClockTimes(left=304, right=309, running=None)]


def test_a_running_clock_with_both_sides_or_neither_on_move_runs_for_nobody() -> None:
    for status in (0x01, 0x19):
        (clock,) = messages(CLOCK[:-1] + bytes((status,)))
        assert isinstance(clock, ClockTimes)
        assert clock.running is None


def test_an_answer_of_the_clock_is_no_time() -> None:
    ack = bytes((0x8D, 0, 10, 0x0A, 0x10, 0x01, 0x00, 0x00, 0x00, 0x00))
    assert messages(ack) == [Other(MessageKind.CLOCK, ack[3:])]
    ack = bytes((0x8D, 0, 10, 0x00, 0x10, 0x01, 0x1A, 0x00, 0x00, 0x00))
    assert messages(ack) == [Other(MessageKind.CLOCK, ack[3:])]


def test_digits_that_are_no_time_are_no_time() -> None:
    assert messages(bytes((0x8D, 0, 10, 0, 0x6F, 0, 0, 0, 0, 9))) == [
        Other(MessageKind.CLOCK, bytes((0, 0x6F, 0, 0, 0, 0, 9)))
    ]


def test_version_and_serial_number_are_read() -> None:
    data = bytes((0x93, 0, 5, 1, 8)) + bytes((0x91, 0, 8)) + b"24567"
    assert messages(data) == [Version(1, 8), Text(MessageKind.SERIAL_NUMBER, "24567")]


def test_messages_of_an_unknown_kind_are_skipped_and_counted() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes((0xB7, 0, 6, 1, 2, 3)) + UPDATE) == [FieldUpdate(0x24, 1)]
    assert decoder.unknown == 1


def test_garbage_before_a_message_is_reported_once() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x01\x02\x03" + UPDATE) == [Damaged(), FieldUpdate(0x24, 1)]


def test_a_message_cut_short_is_reported_and_the_next_one_is_read() -> None:
    assert messages(UPDATE[:4] + UPDATE) == [Damaged(), FieldUpdate(0x24, 1)]


def test_a_length_that_the_kind_never_has_is_damage() -> None:
    assert messages(bytes((0x8E, 0, 6, 1, 1, 1)) + UPDATE) == [Damaged(), FieldUpdate(0x24, 1)]
    assert messages(bytes((0x8E, 0, 2)) + UPDATE) == [Damaged(), FieldUpdate(0x24, 1)]


def test_a_field_or_piece_that_no_board_has_is_damage() -> None:
    assert messages(bytes((0x8E, 0, 5, 64, 1))) == [Damaged()]
    assert messages(bytes((0x8E, 0, 5, 1, 16))) == [Damaged()]


def test_a_byte_lost_anywhere_in_a_message_is_noticed() -> None:
    for message in (UPDATE, CLOCK):
        for lost in range(len(message)):
            cut = message[:lost] + message[lost + 1 :]
            assert Damaged() in messages(UPDATE + cut + UPDATE)


@given(st.lists(st.binary(max_size=12) | st.sampled_from([UPDATE, CLOCK]), max_size=30), st.data())
def test_a_stream_holds_the_same_messages_whole_in_chunks_and_byte_by_byte(
    parts: list[bytes], data: st.DataObject
) -> None:
    stream = b"".join(parts)
    whole = messages(stream)
    decoder = Decoder()
    assert [m for byte in stream for m in decoder.feed(bytes((byte,)))] == whole
    decoder, found, rest = Decoder(), [], stream
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        found += decoder.feed(rest[:size])
        rest = rest[size:]
    assert found == whole


@pytest.mark.parametrize("turned", [False, True])
def test_codes_and_diagram_of_a_position_agree_from_both_sides(turned: bool) -> None:
    board = chess.BaseBoard("r3k2r/8/8/3P4/8/8/1p6/R3K2R")
    shown = diagram_of(codes_of(board, turned), turned)
    assert shown == diagram_of_board(board)
    assert placement_of(codes_of(board, turned), turned) == board.board_fen()


def test_the_start_position_shows_which_way_the_board_lies() -> None:
    for turned in (False, True):
        assert turned_at_start(codes_of(chess.Board(), turned)) is turned
    assert turned_at_start(codes_of(chess.BaseBoard(None), False)) is None
