"""The script of the resistors: a wrong option gives one sentence, and no file is written."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

SCRIPT = ROOT / "hardware" / "ladder.py"
WRITTEN = ("firmware/ladder.h", "parts/ladder.md")


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module that writes into an empty folder."""
    specification = importlib.util.spec_from_file_location("ladder_alone", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "ladder_alone", module)  # its dataclasses look there
    specification.loader.exec_module(module)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    monkeypatch.setattr(module, "HEADER", tmp_path / WRITTEN[0])
    monkeypatch.setattr(module, "PARTS", tmp_path / WRITTEN[1])
    return module


@pytest.mark.parametrize("text", ["100", "50", "0", "-1", "nan", "inf", "1e400", "", "one"])
def test_a_wrong_tolerance_is_one_sentence_and_writes_nothing(
    text: str, ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ladder.main(["--tolerance", text]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"{text!r} is not a tolerance: give percent above 0 and below 50.\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "text",
    ["a,b", "", "820,1800", ",".join(["0"] * 12), ",".join(["5"] * 11 + ["1" + "0" * 400])],
    ids=["letters", "empty", "two", "zeros", "huge"],
)
def test_wrong_resistors_are_one_sentence_and_write_nothing(
    text: str, ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ladder.main(["--resistors", text]) == 2
    told = capsys.readouterr()
    assert told.out == "" and len(told.err.splitlines()) == 1
    assert "are not resistors: give 12 whole numbers of ohms" in told.err
    assert not list(tmp_path.iterdir())


def test_windows_that_meet_write_nothing_either(
    ladder: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ladder.main(["--tolerance", "49.9"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_sensible_resistors_are_written(ladder: Any, tmp_path: Path) -> None:
    assert ladder.main(["--tolerance", "1"]) == 0
    for name in WRITTEN:
        assert (tmp_path / name).read_text("utf-8") == (SCRIPT.parent / name).read_text("utf-8")
