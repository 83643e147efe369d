"""The real firmware to the millisecond, and the board in software alike, in lock-step."""

from __future__ import annotations

import queue
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import pytest
from chess import STARTING_BOARD_FEN as START

from benchmarks import boards
from benchmarks.boards import Host, Stepped
from blindplay.boards import events
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import PegBoardState
from blindplay.boards.ports import NoAnswerError
from hardware.lockstep import LockstepBoard
from tests import ROOT
from tests.boards.event_log import EventLog
from tests.programs import need
from tests.waiting import PATIENCE_S

if TYPE_CHECKING:
    from hardware.emulated import LockstepFirmware

HARDWARE = ROOT / "hardware"
MAKERS = ["software", "firmware"]

Make = Callable[..., Any]


@pytest.fixture
def real(firmware: None) -> Iterator[LockstepFirmware]:
    from hardware.emulated import LockstepFirmware

    with closing(LockstepFirmware()) as board:
        yield board


@pytest.fixture(params=MAKERS)
def make(request: pytest.FixtureRequest) -> Make:
    if request.param == "software":
        return LockstepBoard
    request.getfixturevalue("firmware")
    from hardware.emulated import LockstepFirmware

    return LockstepFirmware


@pytest.fixture
def board(make: Make) -> Iterator[Stepped]:
    with closing(make()) as made:
        yield made


class Line:
    """Talks to a board in lock-step without any driver."""

    def __init__(self, board: Stepped) -> None:
        self.board = board
        self.decoder = peg.Decoder()

    def run(self, ms: float) -> list[tuple[float, peg.Message]]:
        return [(at, m) for at, data in self.board.run(ms) for m in self.decoder.feed(data)]

    def ask(self, command: peg.HostCommand, ms: float = 90) -> list[peg.Message]:
        self.board.hear(peg.encode(command))
        return [message for _, message in self.run(ms)]

    def hello(self) -> peg.Hello:
        (hello,) = [m for m in self.ask(peg.AskHello()) if isinstance(m, peg.Hello)]
        return hello

    def which(self) -> peg.Identity:
        (which,) = [m for m in self.ask(peg.AskHello()) if isinstance(m, peg.Identity)]
        return which

    def changes(self, ms: float) -> list[peg.HoleChanged | peg.LeverMoved]:
        return [m for _, m in self.run(ms) if isinstance(m, peg.HoleChanged | peg.LeverMoved)]


# --- both boards -----------------------------------------------------------------------------


def test_the_board_is_silent_before_the_first_hello(board: Stepped) -> None:
    board.set("e2", ".")
    board.press("white")
    assert board.run(3000) == []


def test_after_the_hello_it_pings_each_second_until_the_host_is_silent_for_ten(
    board: Stepped,
) -> None:
    line = Line(board)
    line.run(50)
    line.ask(peg.AskHello())
    pings = [at for at, message in line.run(12_000) if isinstance(message, peg.Ping)]
    assert len(pings) in (9, 10)
    assert all(later - at == pytest.approx(1000, abs=3) for at, later in pairwise(pings))


def test_hello_dump_ping_and_presses_agree(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    hello = line.hello()
    assert (hello.version, hello.firmware, hello.squares) == (1, 0x102, 64)
    assert hello.capabilities & 7 == 7
    board.set("e2", ".")
    board.press("black")
    assert len(line.changes(300)) == 3  # lever down, lever up, lift
    dump, presses = line.ask(peg.AskDump())
    assert isinstance(dump, peg.Dump)
    assert isinstance(presses, peg.Presses)
    assert peg.placement_of(dump.codes) == START.replace("PPPPPPPP", "PPPP1PPP")
    assert (dump.sequence, presses.white, presses.black) == (3, 0, 1)
    ping, again = line.ask(peg.AskPing())
    assert isinstance(ping, peg.Ping)
    assert (ping.sequence, ping.state_crc) == (3, peg.state_crc(dump.codes))
    assert isinstance(again, peg.Presses)
    assert (again.black, again.black_at) == (1, presses.black_at)


def test_the_event_carries_the_time_of_the_first_opening(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    line.hello()
    ((_, ping), _) = [(at, m) for at, m in line.run(1200) if isinstance(m, peg.Ping | peg.Presses)][
        :2
    ]
    assert isinstance(ping, peg.Ping)
    for wait in (0.3, 1.7, 2.9, 3.6):
        line.run(wait)
        (before, _) = line.ask(peg.AskPing())
        assert isinstance(before, peg.Ping)
        asked_at = board.time
        board.set("e2", ".", 3)
        (lift,) = line.changes(250)
        board.set("e2", "P", 3)
        (place,) = line.changes(120)
        assert isinstance(lift, peg.HoleChanged)
        assert isinstance(place, peg.HoleChanged)
        # The question took 90 ms, and the board made the ping while the command came in.
        opened = lift.uptime - before.uptime
        assert 80 <= opened <= 100
        assert place.uptime - lift.uptime == pytest.approx(250, abs=8)
        assert (lift.old, lift.new, place.old, place.new) == (1, 0, 0, 1)
        assert board.time - asked_at == pytest.approx(370, abs=0.01)


@pytest.mark.parametrize("lift_ms", [50, 150, 300])
def test_felt_pieces_are_never_lifted_and_lifted_ones_always(make: Make, lift_ms: int) -> None:
    with closing(make()) as board:
        felt = boards.feeling(board, 6, lift_ms)
    assert felt.felt >= 72
    assert felt.false == 0
    assert felt.lifts > 0
    assert felt.found == felt.lifts


def test_a_contact_that_opens_for_less_than_a_lift_is_counted(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    line.ask(peg.AskHello())
    for square in ("a2", "b2", "c2"):
        board.feel(square, 60)
    line.run(200)
    ping, _ = line.ask(peg.AskPing())
    assert isinstance(ping, peg.Ping)
    assert ping.wobbles == 3


def test_a_board_keeps_its_id_and_its_name_without_power(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    assert line.which() == peg.Identity(0)
    named = peg.Identify(0xFFFF_FFFE, "Ærlig Öl-Brett nr. 3")
    assert line.ask(named, 300) == [peg.Ack()]
    assert line.which() == peg.Identity(0xFFFF_FFFE, "Ærlig Öl-Brett nr. 3")
    board.unplug()
    board.run(100)
    board.plug()
    line.run(50)
    assert line.which() == peg.Identity(0xFFFF_FFFE, "Ærlig Öl-Brett nr. 3")
    assert line.ask(peg.Identify(7), 300) == [peg.Ack()]
    assert line.which() == peg.Identity(7)


def test_settings_have_limits(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    line.ask(peg.AskHello())
    for key, value, kind in [
        (1, 49, peg.Nak), (1, 50, peg.Ack), (1, 300, peg.Ack), (1, 301, peg.Nak),
        (2, 4, peg.Nak), (2, 5, peg.Ack), (3, 100, peg.Nak),
    ]:  # fmt: skip
        (answer,) = line.ask(peg.Set(key, value))
        assert isinstance(answer, kind)


def test_an_unknown_command_is_refused(board: Stepped) -> None:
    line = Line(board)
    line.run(50)
    board.hear(peg.encode_frame(b"q"))
    board.hear(peg.encode_frame(b"r\x40"))
    board.hear(peg.encode(peg.Signal(1, 2, 3)))  # it has neither motor nor lamp
    answers = [message for _, message in line.run(100)]
    assert answers == [
        peg.Nak(peg.NakReason.UNKNOWN_COMMAND),
        peg.Nak(peg.NakReason.BAD_ARGUMENT),
        peg.Nak(peg.NakReason.UNKNOWN_COMMAND),
    ]


def test_commands_damaged_on_the_way_to_the_board_are_counted_and_not_obeyed(
    board: Stepped,
) -> None:
    line = Line(board)
    line.run(50)
    line.ask(peg.AskHello())
    board.hear(b"\0\xffgarbage\0" + peg.encode(peg.AskDump())[:4] + b"\x55\0" + b"y" * 200 + b"\0")
    line.run(300)
    ping, _ = line.ask(peg.AskPing())
    assert isinstance(ping, peg.Ping)
    assert ping.line_errors == 3


def test_a_board_that_lost_power_boots_with_another_nonce_and_the_pieces_in_its_holes(
    board: Stepped,
) -> None:
    line = Line(board)
    nonces = []
    for square in ("a2", "b2", "c2"):
        line.run(50)
        hello = line.hello()
        assert (hello.cause & 1, hello.uptime < 200) == (1, True)
        nonces.append(hello.nonce)
        board.unplug()
        board.set(square, ".")
        assert board.run(100) == []
        board.plug()
    assert len(set(nonces)) == 3
    line.run(50)
    (dump, _) = line.ask(peg.AskDump())
    assert isinstance(dump, peg.Dump)
    assert dump.sequence == 0
    assert peg.placement_of(dump.codes) == START.replace("PPPPPPPP", "3PPPPP")


def test_moves_in_noise_and_with_the_cable_pulled_are_neither_lost_nor_invented(
    make: Make,
) -> None:
    with closing(make(seed=5)) as board:
        found = boards.reliability(board, 16, seed=11)
    assert found.unplugged > 0
    assert found.damaged_frames > 0
    assert (found.lost, found.invented) == (0, 0)
    assert (found.presses_lost, found.presses_invented) == (0, 0)
    assert found.told + found.shown == found.actions


@pytest.mark.parametrize("ppm", [100, 1000])
def test_no_wrong_dump_is_accepted(make: Make, ppm: int) -> None:
    with closing(make(seed=3)) as board:
        accepted, wrong = boards.dumps(board, 60, ppm)
    assert accepted > 30
    assert wrong == 0


def test_a_press_whose_frames_are_lost_is_reported_once(board: Stepped) -> None:
    host = Host(board)
    host.run(300)
    board.lose(2)  # type: ignore[attr-defined]
    pressed_at = board.time
    board.press("white")
    told = [event for event in host.run(2500) if isinstance(event, events.LeverPressed)]
    (press,) = told
    assert press.side == "white"
    assert press.at * 1000 == pytest.approx(pressed_at, abs=40)


def test_events_are_soon_there(make: Make) -> None:
    with closing(make()) as board:
        taken = boards.simulated_latency(board, 5)
    # A frame takes 17 ms; a ping or a dump may be on the line before it.
    for action, wait_ms in {"lift": 150, "place": 25, "press": 0}.items():
        assert wait_ms + 15 <= median(taken[action]) <= wait_ms + 80


@pytest.mark.parametrize(
    ("open_ms", "told"),
    [(0, ["doubted"]), (100, ["doubted"]), (160, ["lifted", "placed"])],
)
def test_a_piece_exchanged_faster_than_a_lift_is_doubted(
    board: Stepped, open_ms: int, told: list[str]
) -> None:
    """A lift takes 150 ms of an open contact. Until it is seen the piece from before counts."""
    host = Host(board)
    host.run(300)
    board.set("c1", ".")
    host.run(300)
    if open_ms:
        board.set("h7", ".")
        host.run(open_ms)
    board.set("h7", "B")
    assert [event.kind for event in host.run(300)] == told
    pawns = "pppppppp" if open_ms < 150 else "pppppppB"
    assert host.placement == START.replace("RNBQ", "RN1Q").replace("pppppppp", pawns)


# --- the real one only -----------------------------------------------------------------------


def test_the_same_commands_give_the_same_answers(firmware: None) -> None:
    from hardware.emulated import LockstepFirmware

    heard = []
    for _ in range(2):
        with closing(LockstepFirmware(seed=7)) as board:
            board.run(50)
            board.hear(peg.encode(peg.AskHello()))
            board.set("g1", ".", 4)
            said = board.run(300)
            board.set("f3", "N", 4)
            heard.append(said + board.run(1000))
    assert heard[0] == heard[1]
    assert len(heard[0]) >= 5


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_piece_is_known_in_every_hole_whatever_its_resistor_is_off_by(
    firmware: None, seed: int
) -> None:
    from hardware.emulated import LockstepFirmware

    for first in range(0, 12, 4):
        codes = [1 + (square + first) % 12 for square in range(64)]
        with closing(LockstepFirmware(peg.placement_of(codes), seed=seed)) as board:
            line = Line(board)
            line.run(50)
            (dump, _) = line.ask(peg.AskDump())
            assert isinstance(dump, peg.Dump)
            assert dump.codes == tuple(codes)


def test_a_fault_is_reported_and_no_lift_is_derived_from_it(real: LockstepFirmware) -> None:
    line = Line(real)
    line.run(50)
    line.ask(peg.AskHello())
    real.fault("e1")
    (fault,) = line.changes(300)
    assert isinstance(fault, peg.HoleChanged)
    assert (fault.old, fault.new) == (5, peg.FAULT)
    real.mend("e1")
    (mended,) = line.changes(300)
    assert isinstance(mended, peg.HoleChanged)
    assert (mended.old, mended.new) == (peg.FAULT, 5)


@pytest.mark.parametrize("size", [4096, 1], ids=["whole", "bytes"])
def test_a_contact_with_more_resistance_lifts_and_places_nothing(
    real: LockstepFirmware, size: int
) -> None:
    """5000 ohms more make the 10 000 of a white pawn the 15 000 of a black one."""
    state = PegBoardState("lock-step")
    told: list[str] = []

    def run(ms: float) -> list[str]:
        told.clear()
        end = real.time + ms
        while real.time < end:
            for at, data in real.run(10):
                for first in range(0, len(data), size):
                    told.extend(
                        e.kind for e in state.receive(data[first : first + size], at / 1000)
                    )
            real.hear(state.requests(real.time / 1000))
        return list(told)

    assert run(400) == ["connected", "position"]
    real.resistance("e2", 5000)
    assert run(1500) == ["doubted"] and state.placement() == START
    real.mend("e2")
    assert run(1500) == ["certain"]
    real.resistance("e2", 5000)
    assert run(300) == ["doubted"]
    real.set("e2", ".")
    assert run(300) == ["lifted"]
    real.set("e2", "P")
    assert run(300) == ["placed"] and state.placement() == START


def test_a_raw_reading_is_what_the_divider_gives(real: LockstepFirmware) -> None:
    line = Line(real)
    line.run(50)
    for square, ohms in (("a2", 10_000), ("e1", 820)):
        (raw,) = line.ask(peg.AskRaw(peg.square_index(square)))
        assert isinstance(raw, peg.Raw)
        assert raw.value == pytest.approx(1023 * ohms / (ohms + 10_000), abs=20)
    (raw,) = line.ask(peg.AskRaw(peg.square_index("e4")))
    assert isinstance(raw, peg.Raw)
    assert raw.value > 1015


def test_settings_outlive_a_loss_of_power(real: LockstepFirmware) -> None:
    line = Line(real)
    line.run(50)
    line.ask(peg.AskHello())
    assert line.ask(peg.Set(peg.Setting.LIFT_MS, 300)) == [peg.Ack()]
    real.unplug()
    real.plug()
    line.run(50)
    line.ask(peg.AskHello())
    real.feel("e2", 250)
    assert line.changes(600) == []
    real.feel("e2", 330)
    assert len(line.changes(600)) == 2


def test_a_board_that_loses_power_while_it_is_named_has_its_old_name_or_its_new_one(
    real: LockstepFirmware,
) -> None:
    """The 31 bytes of a copy take some 3.4 ms each."""
    line = Line(real)
    line.run(50)
    old, found = peg.Identity(1, "Brett"), []
    assert line.ask(peg.Identify(1, "Brett"), 300) == [peg.Ack()]
    for number, ms in enumerate(range(10, 170, 7), 2):
        new = peg.Identity(number, f"Brett Nummer {number}")
        real.hear(peg.encode(peg.Identify(new.id, new.name)))
        real.run(ms)
        real.unplug()
        real.run(20)
        real.plug()
        line.run(50)
        found.append(line.which())
        assert found[-1] in (old, new)
        old = found[-1]
    kept = [which.id for which in found]
    assert kept[0] == 1 and kept[-1] == len(kept) + 1
    assert line.ask(peg.Set(peg.Setting.LIFT_MS, 300)) == [peg.Ack()]
    assert line.which() == old  # settings are in another place


def test_an_old_firmware_has_no_id_and_refuses_one(firmware: None) -> None:
    from hardware.emulated import LockstepFirmware

    with closing(LockstepFirmware(old=True)) as board:
        line = Line(board)
        line.run(50)
        (hello,) = line.ask(peg.AskHello())
        assert isinstance(hello, peg.Hello)
        assert (hello.firmware, hello.capabilities) == (0x101, 0b11111)
        assert line.ask(peg.Identify(7, "Brett")) == [peg.Nak(peg.NakReason.UNKNOWN_COMMAND)]
        host = Host(board)
        (connected, _) = host.run(600)
        assert isinstance(connected, events.Connected)
        assert connected.which == ""


@pytest.mark.parametrize("lost", [0, 1])
def test_a_board_without_an_id_gets_one_from_the_first_program(board: Stepped, lost: int) -> None:
    host = Host(board)
    board.lose(lost)  # type: ignore[attr-defined]
    first, _ = host.run(1500)
    assert isinstance(first, events.Connected)
    assert first.which and Line(board).which().text == first.which
    again, _ = Host(board).run(600)
    assert isinstance(again, events.Connected)
    assert again.which == first.which


def test_a_firmware_that_hangs_starts_again_by_its_watchdog(real: LockstepFirmware) -> None:
    host = Host(real)
    host.run(500)
    real.set("e2", ".")
    host.run(500)
    (before,) = {m.nonce for m in host.messages if isinstance(m, peg.Hello)}
    real.hang()
    told = host.run(5000)
    after = [m for m in host.messages if isinstance(m, peg.Hello)][-1]
    assert after.nonce != before
    assert after.cause == 8
    assert [type(event) for event in told] == [events.BoardPosition]
    assert host.placement == START.replace("PPPPPPPP", "PPPP1PPP")
    real.press("white")
    assert [type(event) for event in host.run(300)] == [events.LeverPressed]


def test_a_hand_that_sweeps_the_board_is_reported_in_full(real: LockstepFirmware) -> None:
    host = Host(real)
    host.run(300)
    for file in "abcdefgh":
        for rank in "1278":
            real.set(file + rank, ".", 3)
    told = host.run(4000)
    assert host.placement == "8/8/8/8/8/8/8/8"
    lifted = [event.square for event in told if isinstance(event, events.Lifted)]
    assert len(lifted) == len(set(lifted))
    if len(lifted) < 32:  # more than the board's send buffer holds
        assert any(isinstance(event, events.BoardPosition) for event in told)


def test_at_115200_baud_the_same_messages_arrive_sooner(firmware: None) -> None:
    from hardware.emulated import LockstepFirmware

    with closing(LockstepFirmware(baud=115200)) as board:
        line = Line(board)
        line.run(50)
        board.hear(peg.encode(peg.AskDump()))
        (at, dump), _ = line.run(20)
        assert isinstance(dump, peg.Dump)
        assert peg.placement_of(dump.codes) == START
        assert at < 50 + 10


def test_a_firmware_behind_a_boot_loader_is_greeted_until_it_answers(firmware: None) -> None:
    from hardware.emulated import FirmwareBoard

    told: queue.Queue[events.BoardEvent] = queue.Queue()
    with FirmwareBoard(boot_seconds=1.2) as board, PegBoard(board.url, told.put, ports=list):
        first, second = told.get(timeout=PATIENCE_S), told.get(timeout=PATIENCE_S)
    assert isinstance(first, events.Connected)
    assert isinstance(second, events.BoardPosition)
    assert second.placement == START


def test_a_firmware_at_another_speed_does_not_answer_and_at_its_own_it_does(
    firmware: None,
) -> None:
    from hardware.emulated import FirmwareBoard

    with FirmwareBoard(baud=115200) as board:
        with pytest.raises(NoAnswerError):
            PegBoard.probe(board.url, seconds=0.7)
        assert "firmware 1.2" in PegBoard.probe(board.url, baud=115200)


def test_several_firmwares_run_side_by_side(firmware: None) -> None:
    from hardware.emulated import FirmwareBoard

    with FirmwareBoard() as one, FirmwareBoard("8/8/8/8/8/8/8/K6k") as other:
        heard: dict[str, list[str]] = {}
        for board in (one, other):
            log = EventLog()
            with PegBoard(board.url, log, ports=list):
                board.open_contact("a1", 0.05)
                board.open_contact("a1", 0.05)
                log.wait(
                    lambda told: any(isinstance(event, events.BoardPosition) for event in told)
                )
            positions = [e.placement for e in log.events if isinstance(e, events.BoardPosition)]
            heard[board.url] = positions
        assert heard == {one.url: [START], other.url: ["8/8/8/8/8/8/8/K6k"]}


# --- without the emulator --------------------------------------------------------------------


def test_the_core_of_the_firmware_passes_its_tests_on_this_computer() -> None:
    need("a C compiler")
    made = subprocess.run(
        ["make", "-s", "-C", str(HARDWARE), "check"], capture_output=True, text=True
    )
    assert made.returncode == 0, made.stdout + made.stderr


def _ladder(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(HARDWARE / "ladder.py"), "--check", *options],
        capture_output=True,
        text=True,
    )


def test_the_firmwares_table_and_the_parts_list_fit_the_ladder() -> None:
    made = _ladder()
    assert made.returncode == 0, made.stderr
    assert "43.8" in made.stdout


def test_resistors_whose_windows_meet_are_refused_in_one_sentence() -> None:
    made = _ladder("--tolerance", "10")
    assert made.returncode == 1
    assert made.stderr.count("\n") == 1
    assert "meet" in made.stderr


def test_a_firmware_whose_data_leave_too_little_for_the_stack_is_not_built(
    firmware: None, tmp_path: Path
) -> None:
    target = tmp_path / "firmware-9600.elf"
    made = subprocess.run(
        ["make", "-s", "-C", str(HARDWARE), f"BUILD={tmp_path}", "STACK=1000", str(target)],
        capture_output=True,
        text=True,
    )
    assert made.returncode and not target.exists()
    assert "leave too little memory for its stack" in made.stderr


def test_no_compiler_chooses_places_in_the_eeprom(firmware: None) -> None:
    """Another compiler would lose the settings of a board that gets a newer firmware."""
    for name in ("firmware-9600.elf", "old-9600.elf"):
        sections = ["avr-objdump", "-h", str(HARDWARE / "build" / name)]
        assert ".eeprom" not in subprocess.run(sections, capture_output=True, text=True).stdout


def test_the_stack_never_comes_near_the_data(real: LockstepFirmware) -> None:
    line = Line(real)
    line.run(50)
    line.ask(peg.AskHello())
    for square in ("e2", "d2", "g1", "b1"):
        real.set(square, ".", 5)
    line.ask(peg.AskDump())
    line.ask(peg.AskPing())
    line.ask(peg.Set(peg.Setting.LIFT_MS, 150))
    line.run(1500)
    real.hear(peg.encode(peg.Leave()) + b"begin " + START.encode() + b" w\n")
    line.run(800)
    assert 60 < real.stack_free() < 400
