"""The devices of a table: named ones must be there, others are searched for, all are told of."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial.tools import list_ports

import blindplay
from blindplay.boards import ports
from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.boards.ports import BoardNotFoundError
from blindplay.speech.audio import AudioError
from blindplay.speech.models import folders
from blindplay.speech.models.folders import ModelError
from blindplay.table.devices import (
    AboutTable,
    WantedDevices,
    attach_boards,
    attach_microphone,
    outputs,
    power,
)
from tests.boards.dgt.emulated import EmulatedDgtBoard
from tests.table.sitting import Sit
from tests.waiting import until

DGT, CH340 = (0x045B, 0x8111), (0x1A86, 0x7523)
Plug = Callable[[str, tuple[int, int]], None]


@pytest.fixture(autouse=True)
def plug(monkeypatch: pytest.MonkeyPatch) -> Plug:
    """Plugs a board in at a USB port of this computer, which has none else."""
    plugged: list[SimpleNamespace] = []
    monkeypatch.setattr(list_ports, "comports", lambda: list(plugged))

    def put(url: str, usb: tuple[int, int]) -> None:
        vid, pid = usb
        plugged.append(
            SimpleNamespace(device=url, description="", vid=vid, pid=pid, serial_number=None)
        )

    return put


# --- boards -------------------------------------------------------------------------------------


def test_without_a_name_the_pegged_board_that_is_plugged_in_is_the_players(plug: Plug) -> None:
    assert WantedDevices().boards() == (None, None)
    with EmulatedBoard() as board:
        plug(board.url, CH340)
        assert WantedDevices().boards() == (board.url, None)
        assert WantedDevices(microphone="none").any_present()


def test_boards_that_are_named_are_not_searched_for() -> None:
    with EmulatedBoard() as own, EmulatedDgtBoard() as other:
        wanted = WantedDevices(board=own.url, sighted_board=f"dgt:{other.url}")
        assert wanted.any_present()
        assert wanted.boards() == (own.url, f"dgt:{other.url}")


def test_the_name_of_a_maker_alone_searches_for_its_board(plug: Plug) -> None:
    with EmulatedDgtBoard() as board:
        plug("no-such-port-anywhere", DGT)
        plug(board.url, DGT)
        assert WantedDevices(sighted_board="dgt").boards() == (None, f"dgt:{board.url}")


def test_a_maker_without_a_board_is_one_sentence() -> None:
    with pytest.raises(BoardNotFoundError, match="No DGT board was found: plug it in"):
        WantedDevices(sighted_board="dgt").boards()


@pytest.mark.parametrize(
    "address",
    ["", "no-such-port", "carrier-pigeon://here", "socket://127.0.0.1:99999", __file__,
     "dgt:", "dgt:no-such-port", "dgt:socket://127.0.0.1:99999"],
)  # fmt: skip
def test_a_named_board_with_a_wrong_address_is_one_sentence(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "brltty_runs", lambda: False)  # other tests start it
    for wanted in (WantedDevices(board=address), WantedDevices(sighted_board=address)):
        with pytest.raises(BoardNotFoundError) as refusal:
            wanted.boards()
        assert "give" in str(refusal.value)


def test_nothing_is_there_without_a_board_and_a_microphone() -> None:
    assert not WantedDevices(microphone="none").any_present()


def test_each_player_gets_their_board(sit: Sit) -> None:
    with EmulatedBoard() as own, EmulatedDgtBoard() as other:
        sitting = sit()
        found = (own.url, f"dgt:{other.url}")
        attach_boards(sitting.session, "black", WantedDevices(), found)
        sitting.shows("Black's board is connected")
        sitting.shows("White's board is connected")
        own.press("black")
        sitting.shows("felt Black's clock lever pressed")
        sitting.session.close()


def test_levers_may_be_talk_buttons_on_the_players_own_board_only(sit: Sit) -> None:
    with EmulatedBoard() as own, EmulatedBoard() as other:
        sitting = sit()
        wanted = WantedDevices(talk_levers=True)
        attach_boards(sitting.session, "white", wanted, (own.url, other.url))
        for name in ("White", "Black"):
            sitting.shows(f"{name}'s board is connected")
        own.press("white")
        other.press("black")
        sitting.shows("felt Black's clock lever pressed")
        assert "White's clock lever" not in sitting.printed
        sitting.session.close()


# --- sound --------------------------------------------------------------------------------------


def test_an_output_that_is_named_must_be_there() -> None:
    for wanted in (
        WantedDevices(public_output="no such loudspeaker"),
        WantedDevices(private_output="no such earphone"),
    ):
        with ExitStack() as stack, pytest.raises(AudioError):
            outputs(stack, pytest.fail, wanted)


def test_outputs_are_given_back_when_a_table_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some drivers let nobody else play while an output is open: the next game would be silent."""
    opened = []

    class Sink:
        def __init__(self, *device: str | None, beside: object = None) -> None:
            opened.append(self)

        def close(self) -> None:
            opened.remove(self)

    monkeypatch.setattr("blindplay.table.devices.DeviceSink", Sink)
    for wanted, count in (
        (WantedDevices(), 1),
        (WantedDevices(public_output="hall"), 1),
        (WantedDevices(public_output="hall", private_output="ear"), 2),
    ):
        with ExitStack() as stack:
            outputs(stack, pytest.fail, wanted)
            assert len(opened) == count
        assert not opened


def test_no_microphone_is_attached_where_none_is_wanted(sit: Sit) -> None:
    sitting = sit()
    attach_microphone(sitting.session, "white", WantedDevices(microphone="none"))
    assert not sitting.session.microphones


def test_a_microphone_that_is_named_must_be_there(sit: Sit) -> None:
    with pytest.raises(AudioError):
        attach_microphone(sit().session, "white", WantedDevices(microphone="no such microphone"))


def test_a_model_that_is_named_must_be_there(sit: Sit, tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        attach_microphone(sit().session, "white", WantedDevices(models=(tmp_path,)))


def test_in_a_language_without_a_model_its_words_can_be_typed_and_moves_spoken(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    shipped = folders.built_in
    monkeypatch.setattr(
        folders, "built_in", lambda language: None if language == "nb" else shipped(language)
    )
    sitting = sit(language="nb")
    attach_microphone(sitting.session, "white", WantedDevices())
    assert "Skriv så lenge det du ville sagt på dette språket." in sitting.printed
    assert sitting.session.microphones["white"].listener is not None


def test_before_a_session_it_is_the_program_and_the_power() -> None:
    found = AboutTable(WantedDevices()).now()
    assert found["version"] == blindplay.__version__
    assert found.keys() <= {"version", "power", "battery"}


def test_a_board_tells_its_firmware_as_long_as_it_is_connected(sit: Sit) -> None:
    sitting = sit()
    about = AboutTable(WantedDevices())
    about.follow(sitting.session)
    assert (about.now()["boards"], about.now()["microphone"], about.now()["models"]) == ({}, "", [])
    sitting.attach_boards(white="8/8/8/8/8/8/8/8")
    assert until(lambda: "firmware" in about.now()["boards"]["white"])
    assert about.now()["boards"].keys() == {"white"}


NO_SUPPLIES = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells it otherwise")


def supply(folder: Path, name: str, **told: str) -> None:
    (folder / name).mkdir(parents=True)
    for key, text in told.items():
        (folder / name / key).write_text(f"{text}\n", "ascii")


@NO_SUPPLIES
def test_a_battery_that_discharges_is_told_with_what_is_left(tmp_path: Path) -> None:
    supply(tmp_path, "AC", type="Mains", online="0")
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity="71")
    assert power(tmp_path) == ("battery", 71)


@NO_SUPPLIES
def test_a_battery_that_charges_is_no_matter(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Charging", capacity="9")
    assert power(tmp_path) == ("mains", 9)


@NO_SUPPLIES
def test_the_battery_of_a_mouse_is_not_that_of_the_machine(tmp_path: Path) -> None:
    supply(tmp_path, "mouse", type="Battery", status="Discharging", capacity="5", scope="Device")
    assert power(tmp_path) == ("mains", None)


@NO_SUPPLIES
def test_what_the_system_does_not_say_is_not_known(tmp_path: Path) -> None:
    assert power(tmp_path / "none") == ("", None)
