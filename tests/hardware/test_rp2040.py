"""The firmware's core on the second controller, an RP2040 in an emulator."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from chess import SQUARE_NAMES
from chess import STARTING_BOARD_FEN as START

from benchmarks import boards
from benchmarks.boards import Host
from blindplay.boards.peg import protocol as peg
from tests import ROOT
from tests.hardware.test_firmware import Line
from tests.programs import need

if TYPE_CHECKING:
    from hardware.emulated import LockstepRp2040

BUILD = ROOT / "hardware" / "build"


@pytest.fixture(scope="module")
def built() -> None:
    need("the RP2040's compiler")
    need("Node")
    from hardware.emulated import ToolsMissingError, build_rp2040

    try:
        build_rp2040()
    except ToolsMissingError as error:
        pytest.skip(str(error))


@pytest.fixture
def board(built: None) -> Iterator[LockstepRp2040]:
    from hardware.emulated import LockstepRp2040

    with closing(LockstepRp2040(signals=True)) as made:
        yield made


def test_it_says_the_same_as_the_other_controller(board: LockstepRp2040) -> None:
    line = Line(board)
    line.run(50)
    identity, hello = line.ask(peg.AskHello())
    assert identity == peg.Identity(0)
    assert isinstance(hello, peg.Hello)
    assert (hello.version, hello.firmware, hello.squares) == (1, peg.FIRMWARE_VERSION, 64)
    assert hello.capabilities == 0xFF
    dump, presses = line.ask(peg.AskDump())
    assert isinstance(dump, peg.Dump) and isinstance(presses, peg.Presses)
    assert peg.placement_of(dump.codes) == START
    ping, _ = line.ask(peg.AskPing())
    assert isinstance(ping, peg.Ping)
    assert ping.state_crc == peg.state_crc(dump.codes)
    assert 1000 < ping.scan_us < 4000  # 64 times 20 µs to settle; a scan begins each 4 ms


def test_every_piece_is_known_in_every_hole(board: LockstepRp2040) -> None:
    line = Line(board)  # it says no hello, so the changes themselves are not told
    line.run(50)
    for shift in range(12):
        wanted = [(square + shift) % 12 + 1 for square in range(64)]
        for square, code in enumerate(wanted):
            board.set(SQUARE_NAMES[square], peg.PIECES[code])
        line.run(60)
        (dump, _) = [m for m in line.ask(peg.AskDump()) if isinstance(m, peg.Dump | peg.Presses)]
        assert isinstance(dump, peg.Dump)
        assert list(dump.codes) == wanted


def test_moves_in_noise_and_with_the_cable_pulled_are_neither_lost_nor_invented(
    built: None,
) -> None:
    from hardware.emulated import LockstepRp2040

    with closing(LockstepRp2040(seed=5)) as board:
        found = boards.reliability(board, 3, seed=11)
    assert (found.lost, found.invented) == (0, 0)
    assert (found.presses_lost, found.presses_invented) == (0, 0)
    assert found.told + found.shown == found.actions > 3


def test_felt_pieces_are_never_lifted_and_lifted_ones_always(board: LockstepRp2040) -> None:
    felt = boards.feeling(board, 4, lift_ms=150)
    assert felt.false == 0 and felt.found == felt.lifts


def test_a_fault_is_told_and_is_no_lift(board: LockstepRp2040) -> None:
    host = Host(board)
    host.run(300)
    board.fault("e2")
    assert [event.kind for event in host.run(400)] == ["fault"]
    assert host.placement == START


def test_name_and_settings_outlive_a_loss_of_power(board: LockstepRp2040) -> None:
    line = Line(board)
    line.run(50)
    assert line.ask(peg.Identify(0xCAFE, "Brett fünf"), 200) == [peg.Ack()]
    assert line.ask(peg.Set(peg.Setting.LIFT_MS, 300), 200) == [peg.Ack()]
    board.unplug()
    line.run(500)
    board.plug()
    line.run(100)
    assert peg.Identity(0xCAFE, "Brett fünf") in line.ask(peg.AskHello())
    board.set("e2", ".")
    assert line.changes(290) == []
    (lift,) = line.changes(60)
    assert isinstance(lift, peg.HoleChanged) and lift.new == peg.EMPTY


def test_a_loss_of_power_while_names_are_written_leaves_one_of_them_whole(
    board: LockstepRp2040,
) -> None:
    """Eighty names fill several sectors of the flash memory."""
    dice = random.Random(3)
    line, last = Line(board), peg.Identity(0)
    line.run(50)
    for number in range(1, 81):
        given = peg.Identify(number, f"Brett {number}")
        cut = number % 5 == 0
        answer = line.ask(given, 30 + dice.random() * 15 if cut else 60)
        new = peg.Identity(given.id, given.name)
        if not cut:
            assert answer == [peg.Ack()]
            last = new
            continue
        board.unplug()
        line.decoder = peg.Decoder()
        board.plug()
        line.run(60)
        found = next(m for m in line.ask(peg.AskHello()) if isinstance(m, peg.Identity))
        assert found in (last, new)
        last = found


def test_levers_buzzer_motor_and_lamp_work(board: LockstepRp2040) -> None:
    line = Line(board)
    line.run(50)
    line.ask(peg.AskHello())
    board.press("white")
    board.press("black")
    changes = [(c.lever, c.down) for c in line.changes(200) if isinstance(c, peg.LeverMoved)]
    assert changes[:2] == [(0, 1), (1, 1)] and sorted(changes[2:]) == [(0, 0), (1, 0)]
    line.ask(peg.Buzz(0b101))
    line.ask(peg.Signal(7, 0b11, 0b1))
    line.run(900)
    assert [on for _, on in board.shown("buzzer")] == [True, False, True, False]
    (on, _), *_, (off, _) = board.shown("motor")
    assert off - on == pytest.approx(200, abs=15)  # it stands still while holes are read
    assert [on for _, on in board.shown("lamp")][:2] == [True, False]


def test_other_programs_are_answered_in_their_protocols(board: LockstepRp2040) -> None:
    board.run(50)
    board.hear(b"\x42")
    (dump,) = [data for _, data in board.run(120)][:1]
    assert dump.startswith(b"\x86\x00\x43") or dump == b"\x86\x00"
    board.hear(b"get_state\n")
    said = b"".join(data for _, data in board.run(150))
    assert said == f"state {START}\n".encode()


def test_a_firmware_that_hangs_starts_again_by_its_watchdog(board: LockstepRp2040) -> None:
    line = Line(board)
    line.run(50)
    before = next(m for m in line.ask(peg.AskHello()) if isinstance(m, peg.Hello))
    assert before.cause == 1
    board.hang()
    line.run(1300)
    after = next(m for m in line.ask(peg.AskHello()) if isinstance(m, peg.Hello))
    assert after.cause == 8 and after.nonce != before.nonce


def test_the_file_for_the_pico_is_whole(built: None) -> None:
    image = (BUILD / "firmware-rp2040.bin").read_bytes()
    crc = 0xFFFFFFFF  # CRC-32/MPEG-2, as the data sheet demands it (2.8.1.3.1)
    for byte in image[:252]:
        crc ^= byte << 24
        for _ in range(8):
            crc = ((crc << 1) ^ (0x04C11DB7 if crc >> 31 else 0)) & 0xFFFFFFFF
    assert struct.unpack("<I", image[252:256])[0] == crc
    mark = f"BlindPlay firmware 0x{peg.FIRMWARE_VERSION:04x} for rp2040 at 9600 baud\0"
    assert mark.encode() in image
    blocks = (BUILD / "firmware-rp2040.uf2").read_bytes()
    assert len(blocks) % 512 == 0
    content = b""
    for number in range(len(blocks) // 512):
        block = blocks[512 * number : 512 * (number + 1)]
        head = struct.unpack("<8I", block[:32])
        assert head == (0x0A324655, 0x9E5D5157, 0x2000, 0x10000000 + 256 * number, 256, number,
                        len(blocks) // 512, 0xE48BFF56)  # fmt: skip
        assert block[-4:] == struct.pack("<I", 0x0AB16F30)
        content += block[32 : 32 + 256]
    assert content.startswith(image)
