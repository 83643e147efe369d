"""The state of a pegged board, in cases that a healthy emulator does not produce; and its motor and
lamp, which tell each thing once, until the board has heard it.
"""

from __future__ import annotations

from collections.abc import Iterator

import chess
import pytest
from chess import STARTING_BOARD_FEN as START
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards import events
from blindplay.boards.driver import Notice
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import PegBoardState, Signals
from blindplay.boards.ports import NoAnswerError, UnfitBoardError

YOUR_MOVE, QUESTION = Notice.YOUR_MOVE, Notice.QUESTION
LONG, THREE_SHORT = 0b111111, 0b1100110011
OFF, STEADY, BLINKING = 0, 0xFF, 0x0F


def sent(signals: Signals, now: float) -> tuple[int, int, int] | None:
    """The number, motor and lamp of the signal that is sent now."""
    bodies = peg.FrameDecoder().feed_bodies(signals.request(now))
    commands = [peg.parse_command(body) for body in bodies]
    if not commands:
        return None
    (signal,) = commands
    assert isinstance(signal, peg.Signal)
    return signal.number, signal.motor, signal.lamp


def shown(signals: Signals, now: float) -> tuple[int, int]:
    signal = sent(signals, now)
    assert signal is not None
    signals.heard(signal[0])
    return signal[1:]


def test_the_motor_tells_what_is_new_and_the_lamp_what_holds() -> None:
    signals = Signals()
    signals.begin(able=True)
    assert shown(signals, 0) == (0, OFF)  # an earlier host may have left the lamp on
    signals.show([YOUR_MOVE])
    assert shown(signals, 1) == (LONG, STEADY)
    signals.show([YOUR_MOVE])
    assert sent(signals, 2) is None
    signals.show([YOUR_MOVE, QUESTION])
    assert shown(signals, 3) == (THREE_SHORT, BLINKING)
    signals.show([YOUR_MOVE])
    assert shown(signals, 4) == (0, STEADY)
    signals.show([])
    assert shown(signals, 5) == (0, OFF)
    signals.show([QUESTION])
    assert shown(signals, 6) == (THREE_SHORT, BLINKING)
    signals.show([YOUR_MOVE, QUESTION])
    assert shown(signals, 7) == (LONG, BLINKING)


def test_a_signal_is_repeated_with_its_number_until_it_is_answered() -> None:
    signals = Signals()
    signals.show([YOUR_MOVE])
    assert sent(signals, 0) is None  # a board without motor and lamp is asked for nothing
    signals.begin(able=True)
    first = sent(signals, 0)
    assert first is not None
    assert sent(signals, 0.1) is None
    assert sent(signals, 0.5) == first
    signals.heard(first[0] % 255 + 1)
    assert sent(signals, 1) == first
    signals.heard(first[0])
    assert sent(signals, 2) is None
    numbers = []
    for now in range(3, 600):
        signals.begin(able=True)
        again = sent(signals, now)
        assert again is not None
        numbers.append(again[0])
        assert again[1:] == (LONG, STEADY)  # a board that has restarted shows nothing
    assert set(numbers) == set(range(1, 256))


def _state() -> PegBoardState:
    state = PegBoardState("test")
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, 5000), 100.0)
    state.hear(peg.Dump(0xFFFF, 5010, peg.codes_of(START)), 100.01)
    assert not state.wants_dump
    return state


def _told(state: PegBoardState, message: peg.Message, now: float) -> list[events.BoardEvent]:
    """The events of a message, and those that waited for the position, without positions."""
    found = state.hear(message, now)
    if state.wants_dump and not state.wants_hello:
        codes = state._board or peg.codes_of(START)
        sequence, uptime = state._sequence or 0, state._uptime
        found += state.hear(peg.Dump(sequence, uptime, tuple(codes)), now)
    return [event for event in found if not isinstance(event, events.BoardPosition)]


def test_the_sequence_wraps_without_a_gap() -> None:
    state = _state()
    assert state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2) == [events.Lifted("e2", 101.0)]
    assert not state.wants_dump


def test_an_event_heard_twice_is_reported_once() -> None:
    state = _state()
    state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.2)
    assert state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.3) == []


def test_a_wrong_state_checksum_asks_for_a_dump() -> None:
    state = _state()
    state.hear(peg.Ping(0xFFFF, 6000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 101.0)
    assert not state.wants_dump
    state.hear(peg.Ping(0xFFFF, 7000, 1, 0, 0, 0, 0), 102.0)
    assert state.wants_dump


def test_the_uptime_counter_may_wrap_after_49_days() -> None:
    state = PegBoardState("test")
    top = (1 << 32) - 1
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, top - 999), 100.0)
    state.hear(peg.Dump(0, top - 999, peg.codes_of(START)), 100.0)
    state.hear(peg.Ping(0, 1000, peg.state_crc(peg.codes_of(START)), 0, 0, 0, 0), 102.0)
    assert not state.wants_hello
    (before,) = state.hear(peg.HoleChanged(1, top - 499, 12, 1, 0), 102.2)
    assert before.at == pytest.approx(100.5)  # opened before the wrap, reported after it
    (after,) = state.hear(peg.HoleChanged(2, 1100, 28, 0, 1), 102.3)
    assert after.at == pytest.approx(102.1)


def test_a_resonator_half_a_percent_slow_stays_within_50_ms() -> None:
    state = _state()
    for second in range(1, 3601):
        state.hear(peg.Ping(0xFFFF, 5010 + second * 995, 0, 0, 0, 0, 0), 100.01 + second)
    (event,) = _told(state, peg.HoleChanged(0, 5010 + 3600 * 995, 12, 1, 0), 100.01 + 3600.15)
    assert event.at == pytest.approx(100.01 + 3600, abs=0.05)


def test_a_board_of_another_protocol_is_refused_with_the_remedy() -> None:
    state = PegBoardState("test")
    with pytest.raises(UnfitBoardError, match="update"):
        state.hear(peg.Hello(2, 0x100, 7, 64, 99, 0, 5000), 100.0)


def test_messages_before_the_hello_are_ignored() -> None:
    state = PegBoardState("test")
    assert _told(state, peg.HoleChanged(7, 6000, 12, 1, 0), 101.2) == []
    assert state.placement() is None


def test_a_press_before_the_hello_is_not_reported() -> None:
    state = _state()
    assert _told(state, peg.Presses(5020, 3, 4000, 250, 4999), 100.02) == []


def test_a_press_that_the_count_shows_is_reported_at_its_time_and_once() -> None:
    state = _state()
    _told(state, peg.Presses(5020, 3, 4000, 255, 4999), 100.02)
    counted = peg.Presses(7000, 3, 4000, 0, 6500)
    assert _told(state, counted, 102.0) == [events.LeverPressed("black", 101.5)]
    assert _told(state, counted, 102.0) == []


def test_a_press_that_was_heard_is_not_reported_again_by_the_count() -> None:
    state = _state()
    _told(state, peg.Presses(5020, 0, 0, 0, 0), 100.02)
    assert len(_told(state, peg.LeverMoved(0, 6000, 0, 1), 101.1)) == 1
    assert _told(state, peg.Presses(6100, 1, 6000, 0, 0), 101.1) == []
    assert _told(state, peg.LeverMoved(1, 6080, 0, 0), 101.1) == []


def test_a_press_after_the_hello_but_before_the_first_count_is_reported_once() -> None:
    heard, lost = _state(), _state()
    assert _told(heard, peg.LeverMoved(0, 6000, 0, 1), 101.1) == [
        events.LeverPressed("white", 101.0)
    ]
    counted = peg.Presses(6100, 9, 6000, 0, 0)
    assert _told(heard, counted, 101.1) == []
    assert _told(lost, counted, 101.1) == [events.LeverPressed("white", 101.0)]


def test_presses_lost_with_both_levers_come_in_the_order_of_their_times() -> None:
    state = _state()
    _told(state, peg.Presses(5020, 0, 0, 0, 0), 100.02)
    told = _told(state, peg.Presses(9000, 1, 8000, 1, 7000), 104.0)
    assert told == [events.LeverPressed("black", 102.0), events.LeverPressed("white", 103.0)]


def test_a_restarted_board_counts_from_nothing_and_no_press_is_invented() -> None:
    state = _state()
    _told(state, peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert _told(state, peg.Presses(300, 0, 0, 0, 0), 101.0) == []  # it restarted unnoticed
    assert state.wants_hello
    state.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 310), 101.0)
    assert _told(state, peg.Presses(320, 0, 0, 0, 0), 101.0) == []


def test_a_press_between_a_restart_and_its_hello_is_reported_once() -> None:
    state = _state()
    _told(state, peg.Presses(5020, 7, 4000, 9, 4999), 100.02)
    assert _told(state, peg.LeverMoved(1, 250, 0, 1), 100.75) == []  # its hello was damaged
    state.hear(peg.Hello(1, 0x100, 7, 64, 100, 0, 500), 101.0)
    counted = peg.Presses(1000, 1, 250, 0, 0)
    assert _told(state, counted, 101.5) == [events.LeverPressed("white", 100.75)]
    assert _told(state, counted, 101.5) == []


def test_the_presses_of_another_board_in_place_of_the_first_are_not_reported() -> None:
    state = PegBoardState("test", _state())
    state.hear(
        peg.Hello(1, 0x100, 7, 64, 100, 0, 60_000), 103.0
    )  # it booted before the first one was lost
    assert _told(state, peg.Presses(60_010, 5, 59_000, 0, 0), 103.01) == []


def test_a_press_while_the_line_was_down_is_reported_if_the_board_lived_on() -> None:
    before = _state()
    _told(before, peg.Presses(5020, 1, 4000, 1, 4999), 100.02)
    counted = peg.Presses(20_020, 2, 15_000, 1, 4999)
    for nonce, told in ((99, [events.LeverPressed("white", 110.0)]), (98, [])):
        state = PegBoardState("test", before)
        state.hear(peg.Hello(1, 0x100, 7, 64, nonce, 0, 20_000), 115.0)
        state.hear(peg.Dump(0, 20_010, peg.codes_of(START)), 115.01)
        assert _told(state, counted, 115.02) == told


# --- what is held back until the position is known ----------------------------------------------


def _dump(state: PegBoardState, sequence: int, placement: str) -> list[events.BoardEvent]:
    found = state.hear(peg.Dump(sequence, 9000, peg.codes_of(placement)), 104.0)
    return found + state.hear(peg.Presses(9000, 0, 0, 0, 0), 104.0)


def test_a_press_after_a_lost_lift_is_judged_by_the_position_before_it() -> None:
    after_e4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    state = _state()
    assert state.hear(peg.HoleChanged(1, 6000, 28, 0, 1), 101.0) == []  # 0, the lift, is lost
    assert state.hear(peg.LeverMoved(2, 6500, 0, 1), 101.5) == []
    position, placed, press = _dump(state, 2, after_e4)
    assert isinstance(position, events.BoardPosition)
    assert position.placement == "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"
    assert isinstance(placed, events.Placed) and placed.square == "e4"
    assert isinstance(press, events.LeverPressed)


def test_a_reading_is_told_when_the_board_has_told_its_position() -> None:
    state = _state()
    state.read(7, 101.0)
    assert peg.encode(peg.AskDump()) in state.requests(101.0)
    assert state.hear(peg.HoleChanged(0, 6000, 12, 1, 0), 101.05) == []  # it was on its way
    assert [event.kind for event in _dump(state, 0, START.replace("PPPPPPPP", "PPPP1PPP"))] == [
        "lifted", "read",
    ]  # fmt: skip


def test_an_answer_that_was_asked_for_before_does_not_end_a_reading() -> None:
    state = _state()
    state.read(1, 101.0)
    state.requests(101.0)
    state.read(2, 101.01)
    assert _dump(state, 0xFFFF, START) == []
    assert [event.kind for event in _dump(state, 0xFFFF, START)] == ["read", "read"]


def test_a_damaged_frame_asks_for_the_board_at_once() -> None:
    state = _state()
    frame = bytearray(peg.encode(peg.HoleChanged(0, 6000, 12, 1, 0)))
    frame[3] ^= 0x10
    assert state.receive(bytes(frame), 101.0) == []
    assert peg.encode(peg.AskDump()) in state.requests(101.0)


def test_people_are_asked_once_when_the_position_stays_unknown_for_two_seconds() -> None:
    state = _state()
    state.hear(peg.LeverMoved(1, 6000, 0, 1), 101.0)
    told = [event for tenth in range(60) for event in state.receive(b"", 101.0 + tenth / 10)]
    assert [event.kind for event in told] == ["position_unknown"]
    assert 103.0 < told[0].at < 103.2
    assert [event.kind for event in _dump(state, 1, START)] == ["position", "lever"]


def test_a_press_that_waited_when_the_line_broke_is_told_after_the_next_position() -> None:
    before = _state()
    before.hear(peg.LeverMoved(1, 6000, 1, 1), 101.0)
    state = PegBoardState("test", before)
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, 8000), 103.0)
    assert [event.kind for event in _dump(state, 1, START)] == ["position", "lever"]


@given(st.data())
def test_whatever_is_lost_or_doubled_no_press_is_told_before_its_position(
    data: st.DataObject,
) -> None:
    """Hands do not wait. Of frames without a loss between them the order is kept, too. Of a piece
    whose lift is lost a doubt may be left."""
    state, codes, sequence, uptime = _state(), list(peg.codes_of(START)), 0xFFFF, 6000
    doubted: set[int] = set()
    shown = list(codes)
    presses = told = 0

    def hear(message: peg.Message) -> None:
        nonlocal shown, told
        for event in state.hear(message, uptime / 1000 + 95):
            match event:
                case events.BoardPosition(placement):
                    shown = list(peg.codes_of(placement))
                    doubted.update(chess.parse_square(square) for square in event.doubted)
                case events.Lifted(square):
                    shown[chess.parse_square(square)] = peg.EMPTY
                case events.Placed(square, piece) if piece:
                    shown[chess.parse_square(square)] = peg.PIECES.index(piece)
                case events.PieceDoubted(square):
                    doubted.add(chess.parse_square(square))
                case events.LeverPressed():
                    pressed = round((event.at - 95) * 1000)
                    assert any(same(codes) for at, codes in history if at >= pressed)
                    told += 1

    def same(codes: list[int]) -> bool:
        pairs = enumerate(zip(shown, codes, strict=True))
        return all(one == other or square in doubted for square, (one, other) in pairs)

    history = [(uptime, list(codes))]
    for _ in range(data.draw(st.integers(1, 40))):
        sequence, uptime = (sequence + 1) & 0xFFFF, uptime + 200
        message: peg.Message
        if data.draw(st.integers(0, 3)) == 0:
            message = peg.LeverMoved(sequence, uptime, 0, 1)
            presses += 1
        else:
            square = data.draw(st.integers(0, 15))
            old, new = codes[square], peg.EMPTY if codes[square] else peg.codes_of(START)[square]
            message = peg.HoleChanged(sequence, uptime, square, old, new)
            codes[square] = new
        history.append((uptime, list(codes)))
        for _ in range(data.draw(st.sampled_from((0, 1, 1, 1, 2)))):
            hear(message)
        if state.wants_dump and data.draw(st.booleans()):
            hear(peg.Dump(sequence, uptime, tuple(codes)))
    uptime += 1000
    state.hear(peg.Ping(sequence, uptime, peg.state_crc(codes), 0, 0, 0, 0), uptime / 1000 + 95)
    if state.wants_dump:
        hear(peg.Dump(sequence, uptime, tuple(codes)))
    assert same(codes) and told <= presses


# --- a piece that changes in its hole -------------------------------------------------------------

PAWN, BISHOP, BLACK_PAWN = (peg.PIECES.index(piece) for piece in "PBp")
E2, C1, A1 = chess.E2, chess.C1, chess.A1


def _frames(changes: list[tuple[int, int, int]], placement: str) -> Iterator[peg.Message]:
    codes = list(peg.codes_of(placement))
    yield peg.Hello(1, 0x100, 7, 64, 99, 0, 5000)
    yield peg.Dump(0, 5010, tuple(codes))
    for number, change in enumerate(changes, 1):
        square, _, codes[square] = change
        yield peg.HoleChanged(number, 5000 + 1000 * number, *change)
        yield peg.Dump(number, 5500 + 1000 * number, tuple(codes))


def _told_of(
    changes: list[tuple[int, int, int]], size: int, placement: str = START
) -> tuple[PegBoardState, list[tuple[str, str]]]:
    """The state after ``changes`` (square, old, new), one a second, each with the whole board
    behind it, whose bytes come in parts of this ``size``, and the events about squares."""
    state = PegBoardState("test")
    stream = b"".join(map(peg.encode, _frames(changes, placement)))
    told = [
        event
        for at in range(0, len(stream), size)
        for event in state.receive(stream[at : at + size], 100 + at / 960)
    ]
    return state, [(event.kind, event.square) for event in told if hasattr(event, "square")]


WHOLE_AND_BYTE_BY_BYTE = pytest.mark.parametrize("size", [4096, 1], ids=["whole", "bytes"])


@WHOLE_AND_BYTE_BY_BYTE
def test_a_piece_that_reads_as_another_and_was_not_lifted_is_doubted(size: int) -> None:
    changed = (E2, PAWN, BLACK_PAWN)
    state, told = _told_of([changed], size)
    assert told == [("doubted", "e2")] and state.placement() == START
    state, told = _told_of([changed, (E2, BLACK_PAWN, BISHOP)], size)
    assert told == [("doubted", "e2")] and state.placement() == START


@WHOLE_AND_BYTE_BY_BYTE
def test_a_doubted_piece_is_certain_when_it_reads_as_before(size: int) -> None:
    state, told = _told_of([(E2, PAWN, BLACK_PAWN), (E2, BLACK_PAWN, PAWN)], size)
    assert told == [("doubted", "e2"), ("certain", "e2")] and state.placement() == START


@WHOLE_AND_BYTE_BY_BYTE
def test_a_doubted_piece_is_certain_when_it_has_been_lifted(size: int) -> None:
    changes = [(E2, PAWN, BLACK_PAWN), (E2, BLACK_PAWN, 0), (E2, 0, PAWN)]
    state, told = _told_of(changes, size)
    assert told == [("doubted", "e2"), ("lifted", "e2"), ("placed", "e2")]
    assert state.placement() == START
    _, told = _told_of([*changes, (E2, PAWN, 0)], size)
    assert told[-1] == ("lifted", "e2")


@WHOLE_AND_BYTE_BY_BYTE
def test_a_capture_faster_than_a_lift_counts_when_the_new_piece_has_been_lifted(size: int) -> None:
    """Bxh6: the bishop comes into the hole before the board has seen it empty."""
    before = "rnbqkbnr/ppppppp1/7p/8/8/3P4/PPP1PPPP/RNBQKBNR"
    capture = [(C1, BISHOP, 0), (chess.H6, BLACK_PAWN, BISHOP)]
    state, told = _told_of(capture, size, before)
    assert told == [("lifted", "c1"), ("doubted", "h6")]
    assert state.placement() == before.replace("RNBQKBNR", "RN1QKBNR")
    again = [(chess.H6, BISHOP, 0), (chess.H6, 0, BISHOP)]
    state, told = _told_of([*capture, *again], size, before)
    assert told[2:] == [("lifted", "h6"), ("placed", "h6")]
    assert state.placement() == "rnbqkbnr/ppppppp1/7B/8/8/3P4/PPP1PPPP/RN1QKBNR"


@WHOLE_AND_BYTE_BY_BYTE
def test_a_fault_before_another_piece_is_no_lift_either(size: int) -> None:
    state, told = _told_of([(E2, PAWN, peg.FAULT), (E2, peg.FAULT, BLACK_PAWN)], size)
    assert told == [("fault", "e2"), ("doubted", "e2")] and state.placement() == START


def test_a_piece_stays_doubted_while_the_line_is_down_and_where_frames_are_lost() -> None:
    before, _ = _told_of([(E2, PAWN, BLACK_PAWN)], 4096)
    state = PegBoardState("test", before)
    state.hear(peg.Hello(1, 0x100, 7, 64, 98, 0, 50), 103.0)
    codes = list(peg.codes_of(START))
    codes[E2] = BLACK_PAWN
    told = state.hear(peg.Dump(0, 60, tuple(codes)), 103.1)
    (position,) = (event for event in told if isinstance(event, events.BoardPosition))
    assert (position.placement, position.doubted) == (START, ("e2",))
    told = state.hear(peg.HoleChanged(2, 300, E2, BLACK_PAWN, PAWN), 103.3)  # 1 is lost
    told += state.hear(peg.Dump(2, 400, peg.codes_of(START)), 103.4)
    positions = [event for event in told if isinstance(event, events.BoardPosition)]
    assert [(event.placement, event.doubted) for event in positions] == [(START, ())]


# --- a piece that is one too many, or that nobody brought ----------------------------------------

E4, E5 = chess.E4, chess.E5
KING, BLACK_KING, BLACK_QUEEN, ROOK = (peg.PIECES.index(piece) for piece in "KkqR")
SPARSE = "4k3/pppp4/8/8/8/8/PPP5/4K3"


@pytest.mark.parametrize(
    ("piece", "before", "doubted"),
    [
        (BLACK_KING, SPARSE, True),  # a second king
        (KING, SPARSE, True),
        (BLACK_PAWN, START, True),  # a 17th pawn
        (PAWN, SPARSE, False),
        (BLACK_QUEEN, START, True),  # nobody can have promoted yet
        (BLACK_QUEEN, START.replace("pppppppp", "ppppppp1"), False),
        (BLACK_QUEEN, START.replace("rnbqkbnr/pppppppp", "rnbqkbnr/pppppp1q"), False),
        (BLACK_QUEEN, START.replace("rnbqkbnr/pppppppp", "rnbqkbnr/ppppppq1"), False),
        (BLACK_QUEEN, START.replace("rnbqkbnr/pppppppp", "rnbqkbnr/pppppppq"), True),
        (BLACK_QUEEN, START.replace("rnbqkbnr", "rnb1kbnr"), False),
        (ROOK, START.replace("RNBQKBNR", "RNBQKBN1"), False),
        (ROOK, START.replace("PPPPPPPP", "PPPPPPP1"), False),
        (ROOK, START, True),
        (ROOK, "8/8/8/8/8/8/8/RRRRRRRR", False),
        (ROOK, "8/8/8/8/8/8/RR6/RRRRRRRR", True),
    ],
)
def test_a_piece_more_than_can_be_is_doubted(piece: int, before: str, doubted: bool) -> None:
    state, told = _told_of([(E4, 0, piece)], 4096, before)
    assert told == [("doubted" if doubted else "placed", "e4")]
    assert (state.placement() == before) == doubted
    state, told = _told_of([(E4, 0, piece), (E4, piece, 0)], 4096, before)
    assert told[1:] == ([] if doubted else [("lifted", "e4")])
    assert state.placement() == before


def test_a_board_that_knows_no_pieces_has_none_too_many() -> None:
    state = PegBoardState("test")
    state.hear(peg.Hello(1, 0x100, 6, 64, 99, 0, 5000), 100.0)
    state.hear(peg.Dump(0, 5010, tuple(min(code, 1) for code in peg.codes_of(START))), 100.01)
    (placed,) = state.hear(peg.HoleChanged(1, 6000, E4, 0, 1), 101.2)
    assert placed == events.Placed("e4", None, placed.at)


@WHOLE_AND_BYTE_BY_BYTE
def test_a_piece_taken_out_as_asked_and_put_back_counts_whatever_it_is(size: int) -> None:
    """In a study a third rook may stand beside eight pawns."""
    again = [(E4, 0, ROOK), (E4, ROOK, 0), (E4, 0, ROOK)]
    state, told = _told_of(again, size)
    assert told == [("doubted", "e4"), ("placed", "e4"), ("certain", "e4")]
    assert state.placement() == "rnbqkbnr/pppppppp/8/8/4R3/8/PPPPPPPP/RNBQKBNR"
    _, told = _told_of([*again, (C1, BISHOP, 0), (E5, 0, BISHOP)], size)
    assert told[-1] == ("placed", "e5")  # it makes nothing worse
    _, told = _told_of([*again, (E4, ROOK, 0)], size)
    assert told[-1] == ("lifted", "e4")


def test_a_hand_that_places_before_its_lift_is_told_is_believed() -> None:
    """A lift takes 150 ms, a placing 25: the ninth pawn of 100 ms is none."""
    state = _state()
    assert state.hear(peg.HoleChanged(0, 6100, E4, 0, PAWN), 101.2) == []
    assert state.hear(peg.HoleChanged(1, 6000, E2, PAWN, 0), 101.3) == []
    codes = list(peg.codes_of(START))
    codes[E4], codes[E2] = PAWN, 0
    assert state.hear(peg.Dump(1, 6200, tuple(codes)), 101.4) == []  # too early
    told = state.hear(peg.Dump(1, 6500, tuple(codes)), 101.7)
    assert [(event.kind, event.square) for event in told if hasattr(event, "square")] == [
        ("placed", "e4"),
        ("lifted", "e2"),
    ]
    assert not state.wants_dump
    # The hand is empty now: a knight after a fault of many seconds is damp.
    state.hear(peg.HoleChanged(2, 6600, E5, 0, peg.FAULT), 102.0)
    state.hear(peg.HoleChanged(3, 16_000, E5, peg.FAULT, PAWN), 111.0)
    codes[E5] = PAWN
    (doubt,) = state.hear(peg.Dump(3, 16_500, tuple(codes)), 111.5)
    assert doubt == events.PieceDoubted("e5", doubt.at, empty=True)


@WHOLE_AND_BYTE_BY_BYTE
@pytest.mark.parametrize(
    ("lifted", "read", "doubted"),
    [("P", "p", True), ("p", "r", True), ("K", "k", True), ("P", "Q", False), ("p", "q", False)],
)
def test_a_piece_that_reads_as_the_lifted_one_in_a_bad_contact_is_doubted(
    lifted: str, read: str, doubted: bool, size: int
) -> None:
    """More resistance makes a pawn read as a rook, and never as a queen, for which it may have been
    exchanged."""
    one, other = peg.PIECES.index(lifted), peg.PIECES.index(read)
    before = f"8/8/8/8/8/8/4{lifted}3/8"
    _, told = _told_of([(E2, one, 0), (E4, 0, other)], size, before)
    assert told == [("lifted", "e2"), ("doubted" if doubted else "placed", "e4")]


@WHOLE_AND_BYTE_BY_BYTE
def test_a_pawn_that_reads_as_one_of_the_other_colour_counts_when_it_reads_right(size: int) -> None:
    moved = [(E2, PAWN, 0), (E4, 0, BLACK_PAWN), (E4, BLACK_PAWN, 0), (E4, 0, PAWN)]
    state, told = _told_of(moved, size)
    assert told == [("lifted", "e2"), ("doubted", "e4"), ("placed", "e4"), ("certain", "e4")]
    assert state.placement() == "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    _, told = _told_of([*moved[:2], (E4, BLACK_PAWN, PAWN)], size)  # pressed down
    assert told[1:] == [("doubted", "e4"), ("placed", "e4"), ("certain", "e4")]
    _, told = _told_of([*moved[:3], (E5, 0, PAWN)], size)  # put elsewhere
    assert told[1:] == [("doubted", "e4"), ("placed", "e5"), ("certain", "e4")]


@WHOLE_AND_BYTE_BY_BYTE
@pytest.mark.parametrize("piece", "nNbBrRqQkKpP")
def test_damp_places_nothing_while_it_comes_and_goes(piece: str, size: int) -> None:
    """A damp hole is a fault for long before it reads as a piece, and afterwards, too."""
    code = peg.PIECES.index(piece)
    before = "k7/8/8/8/8/8/8/K7"
    other = (A1, KING, 0), (A1, 0, KING)
    damp = [(E4, 0, peg.FAULT), *other * 2, (E4, peg.FAULT, code), (E4, code, peg.FAULT)]
    dry = [*other * 2, (E4, peg.FAULT, 0)]
    state, told = _told_of((damp + dry) * 2, size, before)
    about = [kind for kind, square in told if square == "e4"]
    assert about == ["fault", "doubted", "fault", "certain"] * 2
    assert state.placement() == before


@WHOLE_AND_BYTE_BY_BYTE
def test_a_piece_that_was_pushed_in_badly_is_placed_when_it_has_been_pressed_down(
    size: int,
) -> None:
    """The hand that lifted it still has it, however long the fault lasts."""
    before = "4k3/8/8/8/8/8/4P3/4K3"
    waited = [(A1, 0, KING), (A1, KING, 0)] * 10
    pushed = [(E2, PAWN, 0), (E4, 0, peg.FAULT), *waited, (E4, peg.FAULT, PAWN)]
    _, told = _told_of(pushed, size, before.replace("4K3", "8"))
    assert [event for event in told if event[1] != "a1"] == [
        ("lifted", "e2"),
        ("fault", "e4"),
        ("placed", "e4"),
    ]
    # A piece from beside the board, pushed in with one slow movement.
    _, told = _told_of([(E4, 0, peg.FAULT), (E4, peg.FAULT, ROOK)], size, before)
    assert told == [("fault", "e4"), ("placed", "e4")]


@pytest.mark.parametrize("piece", "QRBN")
def test_a_promotion_is_believed_however_quick_the_hand_is(piece: str) -> None:
    code, at = peg.PIECES.index(piece), chess.parse_square
    changes = [
        (at("a7"), PAWN, 0), (at("a8"), 0, PAWN), (at("a8"), PAWN, 0), (at("a8"), 0, code),
    ]  # fmt: skip
    _, told = _told_of(changes, 4096, "4k3/P7/8/8/8/8/8/4K3")
    assert [kind for kind, _ in told] == ["lifted", "placed", "lifted", "placed"]
    taken = [(at("b1"), KING + 1, 0), (at("a2"), PAWN + 6, 0), (at("b1"), 0, code + 6)]
    _, told = _told_of(taken, 4096, "8/8/8/8/8/8/p7/1Q6")
    assert [kind for kind, _ in told] == ["lifted", "lifted", "placed"]


def test_of_what_came_while_the_line_was_down_the_piece_too_many_is_doubted() -> None:
    before, _ = _told_of([], 4096)
    state = PegBoardState("test", before)
    state.hear(peg.Hello(1, 0x100, 7, 64, 98, 0, 50), 103.0)
    codes = list(peg.codes_of(START))
    codes[E4], codes[E2], codes[E5] = BLACK_KING, peg.EMPTY, PAWN
    told = state.hear(peg.Dump(0, 60, tuple(codes)), 103.1)
    (position,) = (event for event in told if isinstance(event, events.BoardPosition))
    assert position.placement == "rnbqkbnr/pppppppp/8/4P3/8/8/PPPP1PPP/RNBQKBNR"
    assert position.doubted == ("e4",)
    assert state.placement() == position.placement


def test_at_the_first_look_the_king_that_stands_where_a_game_begins_is_the_likelier() -> None:
    state = PegBoardState("test")
    state.hear(peg.Hello(1, 0x100, 7, 64, 99, 0, 5000), 100.0)
    codes = list(peg.codes_of(START))
    codes[E4] = BLACK_KING
    told = state.hear(peg.Dump(0, 5010, tuple(codes)), 103.1)
    (position,) = (event for event in told if isinstance(event, events.BoardPosition))
    assert (position.placement, position.doubted) == (START, ("e4",))


def test_a_piece_too_many_behind_a_lost_frame_is_doubted_and_not_placed() -> None:
    state = _state()
    told = state.hear(peg.HoleChanged(1, 6200, E4, 0, BLACK_KING), 101.4)  # 0, of g1, is lost
    codes = list(peg.codes_of(START))
    codes[E4], codes[chess.G1] = BLACK_KING, peg.EMPTY
    told += state.hear(peg.Dump(1, 6600, tuple(codes)), 101.8)
    shown = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R"
    assert [(e.placement, e.doubted) for e in told if isinstance(e, events.BoardPosition)] == [
        (shown, ("e4",))
    ]
    assert [event.kind for event in told] == ["position", "doubted"]
    assert state.placement() == shown


@pytest.mark.parametrize("answered", [True, False])
def test_a_doubted_hole_is_read_once_more(answered: bool) -> None:
    state = _state()
    state.requests(100.02)
    assert state.hear(peg.HoleChanged(0, 6000, E4, 0, BLACK_KING), 101.2) == []
    assert peg.encode(peg.AskDump()) not in state.requests(101.3)
    assert peg.encode(peg.AskDump()) in state.requests(101.6)
    codes = list(peg.codes_of(START))
    if answered:
        codes[E4] = BLACK_KING
        (doubt,) = state.hear(peg.Dump(0, 6500, tuple(codes)), 101.7)
        assert doubt == events.PieceDoubted("e4", doubt.at, empty=True)
        assert not state.wants_dump
    assert state.receive(b"", 104.0) == ([] if answered else [events.PositionUnknown(104.0)])


@given(
    st.lists(
        st.tuples(
            st.sampled_from((E4, E2, chess.D7, chess.E8)),
            st.sampled_from((0, *range(1, 13), peg.FAULT)),
        ),
        max_size=25,
    )
)
def test_whatever_the_holes_read_what_is_told_leads_to_what_counts(
    readings: list[tuple[int, int]],
) -> None:
    """Every lift is of a piece that counted, every placing in a hole that counted as empty."""
    codes, changes = list(peg.codes_of(START)), []
    for square, new in readings:
        if new != codes[square]:
            changes.append((square, codes[square], new))
            codes[square] = new
    state = PegBoardState("test")
    shown = list(peg.codes_of(START))
    doubted: set[str] = set()
    for frame in _frames(changes, START):
        for event in state.hear(frame, 100.0):
            match event:
                case events.Lifted(name):
                    assert shown[chess.parse_square(name)] != peg.EMPTY
                    shown[chess.parse_square(name)] = peg.EMPTY
                    doubted.discard(name)
                case events.Placed(name, piece):
                    assert shown[chess.parse_square(name)] == peg.EMPTY and piece
                    shown[chess.parse_square(name)] = peg.PIECES.index(piece)
                case events.PieceDoubted(name, empty=empty):
                    assert (shown[chess.parse_square(name)] == peg.EMPTY) == empty
                    doubted.add(name)
                case events.PieceCertain(name):
                    doubted.remove(name)
                case events.BoardPosition(placement):
                    shown, doubted = list(peg.codes_of(placement)), set(event.doubted)
    assert state.placement() == peg.placement_of(shown)
    for square, code in enumerate(codes):
        if code not in (shown[square], peg.FAULT):
            assert chess.square_name(square) in doubted  # never silence


@given(st.lists(st.sampled_from((0, PAWN, BISHOP, BLACK_PAWN, peg.FAULT)), max_size=12))
def test_no_lift_is_told_of_a_hole_that_was_never_empty(readings: list[int]) -> None:
    changes, reads = [], PAWN
    for new in readings:
        if new != reads:
            changes.append((E2, reads, new))
            reads = new
    _, told = _told_of(changes, 4096)
    assert told.count(("lifted", "e2")) <= sum(new == 0 for _, _, new in changes)
    if 0 not in readings:
        assert not {"lifted", "placed"} & {kind for kind, _ in told}


# --- which board it is --------------------------------------------------------------------------

NAMED = peg.Capability.IDENTITY | peg.Capability.NAME


def named_hello(uptime: int = 5000, nonce: int = 7) -> peg.Hello:
    return peg.Hello(1, 0x0102, NAMED, 64, nonce, 1, uptime)


def asked(state: PegBoardState, now: float) -> list[peg.HostCommand | None]:
    return [peg.parse_command(b) for b in peg.FrameDecoder().feed_bodies(state.requests(now))]


def test_a_hello_whose_id_was_lost_is_asked_for_again() -> None:
    state = PegBoardState("test")
    assert state.hear(named_hello(), 1.0) == [] and state.wants_hello
    assert state.hear(peg.Dump(0, 5000, peg.codes_of(START)), 1.0) == []
    state.hear(peg.Identity(10, "Club 3"), 1.2)
    (connected,) = state.hear(named_hello(), 1.2)
    assert isinstance(connected, events.Connected)
    assert connected.which == "0000000a"
    assert connected.board.startswith("pegged board Club 3, firmware ")


def test_an_id_of_an_earlier_hello_says_nothing_about_the_next_one() -> None:
    state = PegBoardState("test")
    state.hear(peg.Identity(10), 1.0)
    state.hear(named_hello(), 1.0)
    assert state.hear(named_hello(uptime=20, nonce=8), 3.0) == [] and state.wants_hello
    with pytest.raises(NoAnswerError, match="Another board has come to test: it is read anew"):
        state.hear(peg.Identity(11), 3.1)
        state.hear(named_hello(uptime=120, nonce=8), 3.1)


def test_a_board_without_an_id_is_given_one_until_it_has_it_or_refuses() -> None:
    state = PegBoardState("test")
    for at in (1.0, 2.0, 3.0):
        asked(state, at)
        state.hear(peg.NO_IDENTITY, at)
        assert state.hear(named_hello(), at) == []  # the answer to the gift was lost
    gift, hello = asked(state, 4.0)
    assert isinstance(gift, peg.Identify) and gift.id and hello == peg.AskHello()
    state.hear(peg.Nak(peg.NakReason.NOT_KEPT), 4.1)
    state.hear(peg.NO_IDENTITY, 4.2)
    (connected,) = state.hear(named_hello(), 4.2)
    assert isinstance(connected, events.Connected) and connected.which == ""
    state.hear(peg.NO_IDENTITY, 6.2)
    assert state.hear(named_hello(uptime=7000), 6.2) == []
    assert not [one for one in asked(state, 8.5) if isinstance(one, peg.Identify)]


def test_what_is_known_of_one_board_is_not_believed_of_another() -> None:
    """A fault keeps the piece from before only on the same board."""
    codes = peg.codes_of(START)
    faulty = (*codes[:12], peg.FAULT, *codes[13:])
    shown = {}
    for number in (10, 11):
        first = PegBoardState("test")
        first.hear(peg.Identity(10), 1.0)
        first.hear(named_hello(), 1.0)
        first.hear(peg.Dump(0, 5000, codes), 1.1)
        second = PegBoardState("test", first)
        second.hear(peg.Identity(number), 9.0)
        second.hear(named_hello(nonce=9), 9.0)
        second.hear(peg.Dump(0, 5000, faulty), 9.1)
        shown[number] = second.placement()
    assert shown == {10: START, 11: START.replace("PPPPPPPP", "PPPP1PPP")}
