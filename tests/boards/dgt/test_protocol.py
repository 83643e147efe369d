"""The DGT board's messages, from bytes alone; its fields and codes as squares and diagrams."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards.dgt.protocol import Decoder
from blindplay.boards.diagram import diagram_of_board
from blindplay.boards.reporting import (
    AboutBoard,
    BoardMessage,
    BoardReport,
    ClockTimes,
    Garbled,
    SignOfLife,
    SquareChange,
)
from tests.boards.dgt import hands

UPDATE = bytes.fromhex("8e00052401")  # a white pawn on e4
PAWN_ON_E4 = SquareChange(chess.E4, ord("P"))
CLOCK = bytes.fromhex("8d000a20050920050409")  # right 0:05:09, left 0:05:04, left runs


def messages(data: bytes) -> list[BoardMessage]:
    return Decoder().feed(data)


def test_a_field_update_names_the_field_and_what_stands_there() -> None:
    assert messages(UPDATE) == [PAWN_ON_E4]


def test_a_dump_holds_the_pieces_by_field_from_a8() -> None:
    (dump,) = messages(bytes((0x86, 0, 67, *range(16), *[0] * 48)))
    assert dump == BoardReport(b"." * 48 + b"rnbkq???" + b".PRNBKQp", agree=2)


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
    assert messages(ack) == [SignOfLife()]
    ack = bytes((0x8D, 0, 10, 0x00, 0x10, 0x01, 0x1A, 0x00, 0x00, 0x00))
    assert messages(ack) == [SignOfLife()]


def test_digits_that_are_no_time_are_no_time() -> None:
    assert messages(bytes((0x8D, 0, 10, 0, 0x6F, 0, 0, 0, 0, 9))) == [SignOfLife()]


def test_version_and_serial_number_are_read() -> None:
    data = bytes((0x93, 0, 5, 1, 8)) + bytes((0x91, 0, 8)) + b"24567"
    assert messages(data) == [
        AboutBoard("version 1.08"),
        AboutBoard("serial number 24567", "24567"),
    ]


def test_messages_of_an_unknown_kind_are_skipped_and_counted() -> None:
    decoder = Decoder()
    assert decoder.feed(bytes((0xB7, 0, 6, 1, 2, 3)) + UPDATE) == [SignOfLife(), PAWN_ON_E4]
    assert decoder.unknown == 1


def test_garbage_before_a_message_is_reported_once() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x01\x02\x03" + UPDATE) == [Garbled(), PAWN_ON_E4]


def test_a_message_cut_short_is_reported_and_the_next_one_is_read() -> None:
    assert messages(UPDATE[:4] + UPDATE) == [Garbled(), PAWN_ON_E4]


def test_a_length_that_the_kind_never_has_is_damage() -> None:
    assert messages(bytes((0x8E, 0, 6, 1, 1, 1)) + UPDATE) == [Garbled(), PAWN_ON_E4]
    assert messages(bytes((0x8E, 0, 2)) + UPDATE) == [Garbled(), PAWN_ON_E4]


def test_a_field_or_piece_that_no_board_has_is_damage() -> None:
    assert messages(bytes((0x8E, 0, 5, 64, 1))) == [Garbled()]
    assert messages(bytes((0x8E, 0, 5, 1, 16))) == [Garbled()]


def test_a_byte_lost_anywhere_in_a_message_is_noticed() -> None:
    for message in (UPDATE, CLOCK):
        for lost in range(len(message)):
            cut = message[:lost] + message[lost + 1 :]
            assert Garbled() in messages(UPDATE + cut + UPDATE)


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
def test_a_dump_shows_the_position_as_the_board_lies(turned: bool) -> None:
    board = chess.Board("r3k2r/8/8/3P4/8/8/1p6/R3K2R")
    shown = diagram_of_board(board)
    (dump,) = messages(hands.dump(hands.pieces_of(board), turned=turned))
    assert dump == BoardReport(shown[::-1] if turned else shown, agree=2)
