"""ChessUp against the tables of other programs."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards.chessup import ChessUpBoard, ChessUpState, Decoder, OwnMove
from blindplay.boards.events import PieceTouched
from blindplay.boards.ports import UnfitBoardError
from blindplay.boards.reporting import BoardReport, FingerOn, Garbled, SignOfLife

# The order of squares in mono424/chessupdriver, the highest bit of the first byte first.
RAW_SQUARES = [f"{file}{rank}" for rank in "87654321" for file in "hgfedcba"]


def report(*occupied: str) -> bytes:
    bits = "".join(str(int(square in occupied)) for square in RAW_SQUARES)
    return b"\xfd\xfd" + int(bits, 2).to_bytes(8, "big")


def shown(message: object) -> set[str]:
    assert isinstance(message, BoardReport)
    return {chess.square_name(at) for at in chess.SQUARES if message.diagram[at] != ord(".")}


def test_occupied_squares_are_read_in_their_order() -> None:
    assert len(RAW_SQUARES) == 64 and RAW_SQUARES[0] == "h8" and RAW_SQUARES[-1] == "a1"
    (message,) = Decoder().feed(report("a1", "e4", "h8"))
    assert shown(message) == {"a1", "e4", "h8"}


def test_other_messages_are_passed_over_whole() -> None:
    # A finger on a piece and off, a move of the board's own game, its position, the battery.
    others = b"\xb8\x0c\0" + b"\xbb" + b"\xa3\x35\x04\x01\x04\x03" + b"\x67" + b"\xfd" * 72 + b"3\1"
    *heard, last = Decoder().feed(others + report("e2"))
    assert heard == [
        FingerOn(chess.E2),
        SignOfLife(),
        OwnMove(),
        SignOfLife(),
        SignOfLife(),
    ] and shown(last) == {"e2"}


def test_a_board_that_tells_only_the_moves_of_its_own_game_is_refused_as_a_chessup_2() -> None:
    own_move = b"\xa3\x35\x04\x01\x04\x03"
    state = ChessUpState(ChessUpBoard, "ble://1")
    assert state.receive(own_move, 1.0) == state.receive(b"", 3.0) == []
    with pytest.raises(UnfitBoardError, match="ble://1 is a ChessUp 2, "):
        state.receive(b"", 3.9)  # the driver gives up after 3 s
    late = ChessUpState(ChessUpBoard, "ble://1")
    assert late.receive(b"", 1.0) == []
    with pytest.raises(UnfitBoardError, match="ble://1 is a ChessUp 2, "):
        late.receive(own_move, 3.9)


def test_a_chessup_may_tell_a_move_of_its_own_game_before_its_squares() -> None:
    own_move = b"\xa3\x35\x04\x01\x04\x03"
    state = ChessUpState(ChessUpBoard, "ble://1")
    assert state.receive(own_move, 1.0) == [] and state.receive(report("e2") * 3, 2.0)
    assert state.receive(own_move, 60.0) == []


def test_after_damage_a_rank_is_not_taken_for_the_beginning_of_a_report() -> None:
    # Ranks 8 and 7 are FD: all but the b-file is occupied.
    squares = [f"{file}{rank}" for rank in "87" for file in "acdefgh"]
    frame = report(*squares, "e1")
    assert frame[:4] == b"\xfd" * 4
    decoder = Decoder()
    assert [type(one) for one in decoder.feed(frame * 2)] == [BoardReport] * 2
    assert decoder.feed(b"\x7d" + frame[1:] + frame * 5) == [Garbled()]
    clear = report("e1")
    assert shown(decoder.feed(clear)[-1]) == {"e1"}


def touched(*heard: tuple[float, bytes]) -> list[str]:
    """The squares that were touched, when a board has sent these messages at these seconds."""
    state = ChessUpState(ChessUpBoard, "")
    told = [event for now, data in heard for event in state.receive(data, now)]
    return [event.square for event in told if isinstance(event, PieceTouched)]


def test_a_finger_is_forgotten_with_the_action_that_it_began_and_no_sooner() -> None:
    all_, without_e2, without_both = report("e2", "d2"), report("d2"), report()
    finger = {square: b"\xb8" + bytes([chess.parse_square(square), 0]) for square in ("e2", "d2")}
    begun = [(0.0, all_), (0.1, all_), (0.2, all_), (1.0, all_)]
    gone = [(2.0, without_e2), (2.1, without_e2), (2.2, without_e2)]
    later = [(3.0, without_e2), (4.0, without_both), (4.1, without_both), (4.2, without_both)]
    assert touched(*begun, (1.5, finger["e2"]), *gone) == ["e2"]
    # A finger that rested on d2 while e2 was lifted, and a piece that goes much later.
    assert touched(*begun, (1.5, finger["d2"]), *gone, *later) == []
    # It comes right after that change, before the board has shown that hands rest.
    assert touched(*begun, *gone, (2.3, finger["d2"]), *later) == ["d2"]
