"""The check before a release tells each item's verdict, and goes on after a failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import ROOT
from tests.release_check import ITEMS, FailedError, NotHereError, Place, check, main
from tests.test_supply import PROJECT


def place(folder: Path) -> Place:
    (folder / "logs").mkdir()
    return Place(folder, folder / "logs" / "begin.log")


def test_each_item_has_its_line_whatever_the_one_before_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def absent(place: Place) -> str:
        raise NotHereError("there is no Windows")

    def runs(place: Place) -> str:
        return place.run(sys.executable, "-c", "print('seen')").strip()

    def fails(place: Place) -> str:
        return place.run(sys.executable, "-c", "print('why'); raise SystemExit(3)")

    def breaks(place: Place) -> str:
        raise ZeroDivisionError

    items = {"absent": absent, "fails": fails, "breaks": breaks, "runs": runs}
    assert not check(items, place(tmp_path))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("absent  not possible here: there is no Windows [")
    assert "failed: " in lines[1] and "ended with 3: why (see " in lines[1]
    assert lines[2].startswith("breaks  failed: ZeroDivisionError (see ")
    assert lines[3].startswith("runs    ok: seen [") and lines[4] == "4 items, 2 failed."
    assert "why" in (tmp_path / "logs" / "fails.log").read_text("utf-8")


def test_nothing_of_the_user_is_seen_in_the_empty_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/mine")
    monkeypatch.setenv("BLINDPLAY_X", "mine")
    monkeypatch.setenv("MAKEFLAGS", "-- ARGS=--quick")
    seen = place(tmp_path).environment(Path("/programs/blindplay"))
    assert seen["HOME"] == str(tmp_path / "home") and seen["PATH"] == str(Path("/programs"))
    assert not {"XDG_DATA_HOME", "BLINDPLAY_X", "MAKEFLAGS"} & seen.keys()


def test_another_status_than_expected_fails(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "raise SystemExit(1)")
    assert place(tmp_path).run(*command, good=(0, 1)) == ""
    with pytest.raises(FailedError, match="ended with 1: it printed nothing"):
        place(tmp_path / "logs").run(*command)


def test_every_extra_and_every_python_of_the_workflow_is_an_item() -> None:
    extras = set(PROJECT["project"]["optional-dependencies"]) - {"test"}
    assert {f"extra-{name}" for name in extras} <= ITEMS.keys()
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    # on Linux, on macOS and on Windows
    assert workflow.count('python: ["3.11", "3.12", "3.13", "3.14"]') == 3
    assert {f"python-3.{minor}" for minor in range(11, 15)} <= ITEMS.keys()


def test_an_unknown_item_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["packges"])
    assert ended.value.code == 2 and "There is no item packges" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows lacks it all")
def test_every_module_is_imported_without_what_windows_lacks() -> None:
    """Many blind players run Windows."""
    command = [sys.executable, "-m", "tests.without_posix"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0 and "modules are imported" in ran.stdout, ran.stderr
