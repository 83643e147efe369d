"""``blindplay doctor``."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

from tests.command_line import run


def test_doctor_reports_what_is_there_and_what_is_missing(tmp_path: Path) -> None:
    done = run("doctor", "--json", home=tmp_path)
    assert done.status == 0
    about = {json.loads(line)["about"] for line in done.stdout.splitlines()}
    assert {"voices", "recogniser", "output", "microphone", "board", "journal"} <= about


def test_the_report_is_one_file_without_sound(tmp_path: Path) -> None:
    file = tmp_path / "report.txt"
    done = run("doctor", "--json", "--report", str(file), home=tmp_path)
    assert done.status == 0
    told = [json.loads(line) for line in done.stdout.splitlines()]
    text = file.read_text("utf-8")
    first = text.splitlines()[:3]
    assert first[0].startswith("BlindPlay ") and first[2].endswith(platform.python_version())
    for one in told:
        needed = ", and needed" if one["needed"] else ""
        verdict = "Good" if one["ok"] else f"Missing{needed}"
        assert f"{verdict}, {one['about']}: " in text
    assert {"packages", "journal", "disk", "room", "clock", "console"} <= {
        one["about"] for one in told
    }
    assert str(tmp_path) not in text
    assert not list(tmp_path.rglob("*.wav"))


@pytest.mark.usefixtures("reads_english")
def test_the_status_is_1_if_no_table_can_be_run(tmp_path: Path) -> None:
    (tmp_path / "blindplay").mkdir()
    (tmp_path / "blindplay" / "tables").write_text("a file in the place of the folder", "utf-8")
    done = run("doctor", home=tmp_path)
    assert done.status == 1
    assert "Missing, and needed: No game can be kept" in done.stdout


def test_a_report_into_a_folder_that_is_not_there_is_one_sentence(tmp_path: Path) -> None:
    done = run("doctor", "--report", str(tmp_path / "no" / "report.txt"), home=tmp_path)
    assert (done.status, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
