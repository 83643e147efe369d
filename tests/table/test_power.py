"""Whether the machine runs from a battery."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from blindplay.table.power import power

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows tells it otherwise")


def supply(folder: Path, name: str, **told: str) -> None:
    (folder / name).mkdir(parents=True)
    for key, text in told.items():
        (folder / name / key).write_text(f"{text}\n", "ascii")


def test_a_battery_that_discharges_is_told_with_what_is_left(tmp_path: Path) -> None:
    supply(tmp_path, "AC", type="Mains", online="0")
    supply(tmp_path, "BAT0", type="Battery", status="Discharging", capacity="71")
    assert power(tmp_path) == ("battery", 71)


def test_a_battery_that_charges_is_no_matter(tmp_path: Path) -> None:
    supply(tmp_path, "BAT0", type="Battery", status="Charging", capacity="9")
    assert power(tmp_path) == ("mains", 9)


def test_the_battery_of_a_mouse_is_not_that_of_the_machine(tmp_path: Path) -> None:
    supply(tmp_path, "mouse", type="Battery", status="Discharging", capacity="5", scope="Device")
    assert power(tmp_path) == ("mains", None)


def test_what_the_system_does_not_say_is_not_known(tmp_path: Path) -> None:
    assert power(tmp_path / "none") == ("", None)
