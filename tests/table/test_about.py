"""What an organiser may want to know about the machine of a table."""

from __future__ import annotations

import blindplay
from blindplay.table.about import AboutTable
from blindplay.table.devices import WantedDevices
from tests.waiting import until

from .sitting import Sit


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
