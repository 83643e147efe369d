"""The script of the resistors: a wrong option gives one sentence, and no file is written."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT

SCRIPT = ROOT / "hardware" / "ladder.py"
WRITTEN = {
    "HEADER": "hardware/firmware/ladder.h",
    "PARTS": "hardware/parts/ladder.md",
    "SOFTWARE": "blindplay/boards/peg/ladder.py",
}


@pytest.fixture
def ladder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script as a module that writes into an empty folder."""
    specification = importlib.util.spec_from_file_location("ladder_alone", SCRIPT)
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "ladder_alone", module)  # its dataclasses look there
    specification.loader.exec_module(module)
    for name, path in WRITTEN.items():
        monkeypatch.setattr(module, name, tmp_path / path)
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
    for path in WRITTEN.values():
        assert (tmp_path / path).read_text("utf-8") == (ROOT / path).read_text("utf-8")


def _fault_after(ladder: Any, piece: str) -> float:
    """By hand: the ohms that the contact bears, from the window's upper edge, with 100 Ω in
    multiplexer and contact."""
    (window,) = [one for one in ladder.windows() if one.piece == piece]
    edge = window.high + 0.5
    return float(10_000 * edge / (1023 - edge) - window.ohms - 100)


def test_the_pawns_bear_three_times_what_they_bore_with_the_smallest_resistors(ladder: Any) -> None:
    """820 and 1800 Ω bore 267 and 301 Ω more in the contact before they read as a fault."""
    assert _fault_after(ladder, "P") > 3 * 267
    assert _fault_after(ladder, "p") > 3 * 301


def test_what_a_piece_bears_follows_from_its_window(ladder: Any) -> None:
    for window, bears in zip(ladder.windows(), ladder.bears(ladder.windows()), strict=False):
        assert bears.contact == pytest.approx(_fault_after(ladder, window.piece), rel=1e-3)
        assert bears.as_other_contact > bears.contact
        assert bears.damp > bears.as_other_damp


def test_no_margin_is_smaller_than_what_the_board_is_built_for(ladder: Any) -> None:
    at = ladder.Conditions()
    for bears in ladder.bears(ladder.windows()):
        assert bears.contact > 2 * at.contact[1]
        assert bears.leak > 10 * at.leak
        assert bears.tolerance > 5 * at.tolerance
        assert bears.drift < at.guard
        assert bears.volts > 0.05


def test_damp_of_150_kilohms_is_no_piece(ladder: Any) -> None:
    fault, piece = ladder.empty_bears(ladder.windows())
    assert piece < 140_000 < 150_000 < fault
