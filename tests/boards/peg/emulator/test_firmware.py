"""The model of the firmware: contacts and bytes in, messages out."""

from __future__ import annotations

import chess
import pytest

from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import SimulatedFirmware

E2 = chess.E2


@pytest.fixture
def firmware() -> SimulatedFirmware:
    made = SimulatedFirmware(chess.STARTING_BOARD_FEN, identity=True)
    made.hear(peg.encode(peg.AskHello()), 0)
    assert isinstance(made.take()[0], peg.Hello)
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
