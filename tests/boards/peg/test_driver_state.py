"""The state of a pegged board, in cases that a healthy emulator does not produce; and its motor and
lamp, which tell each thing once, until the board has heard it.
"""

from __future__ import annotations

import chess
import pytest
from chess import STARTING_BOARD_FEN as START
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards import events
from blindplay.boards.driver import Notice
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import PegBoardState, Signals
from blindplay.boards.ports import UnfitBoardError

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
    """Hands do not wait. Of frames without a loss between them the order is kept, too."""
    state, codes, sequence, uptime = _state(), list(peg.codes_of(START)), 0xFFFF, 6000
    shown = list(codes)
    presses = told = 0

    def hear(message: peg.Message) -> None:
        nonlocal shown, told
        for event in state.hear(message, uptime / 1000 + 95):
            match event:
                case events.BoardPosition(placement):
                    shown = list(peg.codes_of(placement))
                case events.Lifted(square):
                    shown[chess.parse_square(square)] = peg.EMPTY
                case events.Placed(square, piece) if piece:
                    shown[chess.parse_square(square)] = peg.PIECES.index(piece)
                case events.LeverPressed():
                    pressed = round((event.at - 95) * 1000)
                    assert shown in [codes for at, codes in history if at >= pressed]
                    told += 1

    history = [(uptime, list(codes))]
    for _ in range(data.draw(st.integers(1, 40))):
        sequence, uptime = (sequence + 1) & 0xFFFF, uptime + 200
        message: peg.Message
        if data.draw(st.integers(0, 3)) == 0:
            message = peg.LeverMoved(sequence, uptime, 0, 1)
            presses += 1
        else:
            square = data.draw(st.integers(0, 15))
            old, new = codes[square], peg.EMPTY if codes[square] else 1
            message = peg.HoleChanged(sequence, uptime, square, old, new)
            codes[square] = new
        history.append((uptime, list(codes)))
        for _ in range(data.draw(st.sampled_from((0, 1, 1, 1, 2)))):
            hear(message)
        if state.wants_dump and data.draw(st.booleans()):
            hear(peg.Dump(sequence, uptime, tuple(codes)))
    state.hear(peg.Ping(sequence, uptime, peg.state_crc(codes), 0, 0, 0, 0), uptime / 1000 + 95)
    if state.wants_dump:
        hear(peg.Dump(sequence, uptime, tuple(codes)))
    assert shown == codes and told <= presses


# --- a piece that changes in its hole -------------------------------------------------------------

PAWN, BISHOP, BLACK_PAWN = (peg.PIECES.index(piece) for piece in "PBp")
E2, C1 = chess.E2, chess.C1


def _told_of(
    changes: list[tuple[int, int, int]], size: int, placement: str = START
) -> tuple[PegBoardState, list[tuple[str, str]]]:
    """The state after ``changes`` (square, old, new), one every 200 ms, whose bytes come in parts
    of this ``size``, and the events about squares."""
    state = PegBoardState("test")
    frames: list[peg.Message] = [
        peg.Hello(1, 0x100, 7, 64, 99, 0, 5000),
        peg.Dump(0, 5010, peg.codes_of(placement)),
    ]
    frames += [
        peg.HoleChanged(number, 5000 + 200 * number, *change)
        for number, change in enumerate(changes, 1)
    ]
    stream = b"".join(peg.encode(frame) for frame in frames)
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
