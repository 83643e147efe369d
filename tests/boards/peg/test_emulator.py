"""The emulated pegged board: its firmware, its hands, its plug, its own time, its typed words."""

from __future__ import annotations

import io

import chess
import pytest

from blindplay.boards.driver import Notice
from blindplay.boards.events import (
    BoardPosition,
    Connected,
    ContactFault,
    PieceCertain,
    PieceDoubted,
)
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard, SimulatedFirmware, practise
from hardware.lockstep import LockstepBoard
from tests.boards.event_log import EventLog
from tests.command_line import run
from tests.waiting import until

E2 = chess.E2


@pytest.fixture
def firmware() -> SimulatedFirmware:
    made = SimulatedFirmware(chess.STARTING_BOARD_FEN, identity=True)
    made.hear(peg.encode(peg.AskHello()), 0)
    assert [type(message) for message in made.take()] == [peg.Identity, peg.Hello]
    return made


def changes(firmware: SimulatedFirmware, until: float) -> list[peg.Message]:
    firmware.advance(until)
    return [m for m in firmware.take() if isinstance(m, peg.HoleChanged | peg.LeverMoved)]


def test_a_lift_is_confirmed_after_its_time_and_reports_the_first_change(
    firmware: SimulatedFirmware,
) -> None:
    firmware.put(E2, peg.EMPTY, 100)
    assert changes(firmware, 249) == []
    assert changes(firmware, 251) == [peg.HoleChanged(1, 100, E2, 1, peg.EMPTY)]


def test_feeling_a_piece_is_no_lift_and_counts_as_a_wobble(firmware: SimulatedFirmware) -> None:
    firmware.feel(E2, 100, 80)
    assert changes(firmware, 900) == []
    firmware.hear(peg.encode(peg.AskPing()), 900)
    ping, _ = firmware.take()
    assert isinstance(ping, peg.Ping) and ping.wobbles == 1


def test_a_lever_springs_back(firmware: SimulatedFirmware) -> None:
    firmware.press("black", 100)
    moved = [peg.LeverMoved(1, 100, 1, 1), peg.LeverMoved(2, 180, 1, 0)]
    assert changes(firmware, 500) == moved


def test_without_a_host_the_board_falls_silent(firmware: SimulatedFirmware) -> None:
    firmware.advance(11_000)
    firmware.take()
    assert not firmware.native
    firmware.put(E2, peg.EMPTY, 11_100)
    assert changes(firmware, 12_000) == []


def test_a_board_without_identity_reads_all_pegs_alike() -> None:
    firmware = SimulatedFirmware(chess.STARTING_BOARD_FEN, identity=False)
    firmware.hear(peg.encode(peg.AskDump()), 0)
    dump, _ = firmware.take()
    assert isinstance(dump, peg.Dump) and set(dump.codes) == {peg.EMPTY, 1}


@pytest.mark.parametrize(("key", "value"), [(peg.Setting.LIFT_MS, 20), (9, 100)])
def test_an_impossible_setting_is_refused(
    firmware: SimulatedFirmware, key: int, value: int
) -> None:
    firmware.hear(peg.encode(peg.Set(key, value)), 0)
    assert firmware.take() == [peg.Nak(peg.NakReason.BAD_ARGUMENT)]


def test_impossible_actions_of_hands_are_refused() -> None:
    with EmulatedBoard(force_socket=True) as board:
        with pytest.raises(ValueError, match="no piece on e4"):
            board.lift("e4")
        with pytest.raises(ValueError, match="occupied"):
            board.place("e2", "P")
        with pytest.raises(ValueError, match="not a piece"):
            board.place("e4", "X")
        with pytest.raises(ValueError, match="not a square"):
            board.lift("k1")


def test_a_wrong_placement_is_refused() -> None:
    with pytest.raises(ValueError, match="eight ranks"):
        EmulatedBoard("8/8")


def test_it_can_be_closed_plugged_and_unplugged_at_any_time() -> None:
    board = EmulatedBoard()
    for _ in range(20):
        board.unplug()
        board.unplug()
        board.plug()
        board.plug()
    board.close()
    board.close()
    board.plug()


def spoken(seed: int) -> list[tuple[float, bytes]]:
    board = LockstepBoard(seed=seed)
    board.noise(out_ppm=2000, in_ppm=0)
    board.hear(peg.encode(peg.AskHello()))
    said = board.run(50)
    board.set("e2", ".", bounce=5)
    board.set("e4", "P", bounce=5)
    return said + board.run(500)


def test_the_same_calls_give_the_same_frames_with_bounces_and_noise() -> None:
    assert spoken(3) == spoken(3)
    assert spoken(3) != spoken(4)


def test_a_frame_takes_the_time_of_its_bytes_on_the_line() -> None:
    board = LockstepBoard()
    question = peg.encode(peg.AskHello())
    board.hear(question)
    (at, frame), _hello = board.run(100)
    assert at >= (len(question) + len(frame)) * 10 / 9.6


def test_an_unplugged_board_hears_and_says_nothing() -> None:
    board = LockstepBoard()
    board.unplug()
    board.hear(peg.encode(peg.AskHello()))
    assert board.run(100) == []
    board.plug()
    board.hear(peg.encode(peg.AskHello()))
    assert len(board.run(100)) == 2


def test_lost_frames_never_arrive() -> None:
    board = LockstepBoard()
    board.lose(2)
    board.hear(peg.encode(peg.AskHello()) + peg.encode(peg.AskDump()))
    kinds = [type(m) for _, frame in board.run(300) for m in peg.Decoder().feed(frame)]
    assert kinds == [peg.Dump, peg.Presses]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fen bad", "'bad' is not a position: write eight ranks"),
        ("fen 8/8/8/8/8/8/8/8 w - - 0 1", "fen only prints the position"),
        ("dance", "'dance' is not a command"),
    ],
)
def test_practice_says_what_is_wrong_with_a_line(line: str, said: str) -> None:
    out = io.StringIO()
    with EmulatedBoard(force_socket=True) as board:
        before = board.placement
        practise(board, io.StringIO(f"{line}\nfen\n"), out)
    _, trouble, placement = out.getvalue().splitlines()
    assert trouble.startswith(f"trouble: {said}")
    assert placement == before


def test_the_help_of_the_emulator_names_every_word_that_it_accepts() -> None:
    words = set(run("emulate", "--help").stdout.replace(",", " ").split())
    assert words >= {
        "lift",
        "place",
        "move",
        "press",
        "fault",
        "mend",
        "unplug",
        "plug",
        "fen",
        "signals",
    }


@pytest.mark.parametrize(
    ("fen", "move", "after"),
    [
        ("8/8/8/8/8/8/4P3/8", "e2e4", "8/8/8/8/4P3/8/8/8"),
        ("8/8/8/3p4/4P3/8/8/8", "e4d5", "8/8/8/3P4/8/8/8/8"),
        ("8/8/8/3pP3/8/8/8/8", "e5d6", "8/8/3P4/8/8/8/8/8"),
        ("1r6/P7/8/8/8/8/8/8", "a7b8q", "1Q6/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/R3K2R", "e1g1", "8/8/8/8/8/8/8/R4RK1"),
        ("r3k2r/8/8/8/8/8/8/8", "e8c8", "2kr3r/8/8/8/8/8/8/8"),
        ("8/8/8/8/8/8/8/4K3", "e1g1", "8/8/8/8/8/8/8/6K1"),
    ],
)
def test_a_typed_move_is_executed_with_all_its_pieces(fen: str, move: str, after: str) -> None:
    out = io.StringIO()
    with EmulatedBoard(fen, force_socket=True, lift_ms=1, place_ms=1) as board:
        practise(board, io.StringIO(f"move {move}\nfen\n"), out)
    assert out.getvalue().splitlines()[1:] == [after]


def test_a_contact_that_is_spoilt_reads_as_the_piece_that_is_typed() -> None:
    log = EventLog()
    with EmulatedBoard() as board, PegBoard(board.url, log, ports=list):
        log.wait_kinds(Connected, BoardPosition)
        practise(board, ["fault e2 p", "mend e2", "fault e2 x"], out := io.StringIO())
        log.wait_kinds(Connected, BoardPosition, PieceDoubted, PieceCertain)
    assert "trouble: 'x' is not a piece" in out.getvalue()


def test_resistance_and_damp_read_as_the_divider_gives_them() -> None:
    """10 kΩ and 5 kΩ more are a black pawn; 150 kΩ to ground is no piece, 110 kΩ a black knight."""
    log = EventLog()
    with EmulatedBoard() as board, PegBoard(board.url, log, ports=list):
        log.wait_kinds(Connected, BoardPosition)
        practise(board, ["resistance e2 5000", "mend e2", "damp e4 150000"], out := io.StringIO())
        log.wait_kinds(Connected, BoardPosition, PieceDoubted, PieceCertain, ContactFault)
        practise(board, ["damp e2 0", "damp e2 x", "resistance j9 5"], out)
    refused = "are no ohms: write a whole number from 1 to 999999999"
    assert f"'0' {refused}" in out.getvalue() and f"'x' {refused}" in out.getvalue()
    assert "'j9' is not a square" in out.getvalue()


def test_motor_and_lamp_are_shown_tenth_by_tenth_of_a_second() -> None:
    out = io.StringIO()
    with EmulatedBoard(force_socket=True, signals=True) as board:
        with PegBoard(board.url, ports=list) as host:
            host.light([], [Notice.QUESTION])
            assert until(lambda: board.felt)
        practise(board, ["signals"], out)
    assert out.getvalue().splitlines()[1:] == ["motor 1100110011000000", "lamp 11110000"]
