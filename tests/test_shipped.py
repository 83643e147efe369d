"""Where files are found that come with BlindPlay: in a wheel, and in a source tree."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from blindplay import shipped
from tests import ROOT


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a package, with the source tree around it."""
    folder = tmp_path / "blindplay"
    folder.mkdir()
    monkeypatch.setattr(shipped, "_PACKAGE", folder)
    return folder


def test_a_file_of_the_wheel_goes_before_one_of_the_source_tree(package: Path) -> None:
    for place in (package / "guides", package.parent / "docs" / "guides"):
        place.mkdir(parents=True)
    assert shipped.shipped("guides", "docs/guides") == package / "guides"


def test_without_a_wheel_the_source_tree_is_taken(package: Path) -> None:
    assert shipped.shipped("guides", "docs/guides") == package.parent / "docs/guides"
    assert shipped.shipped("locks/packages.txt") == package.parent / "locks/packages.txt"


def test_everything_that_a_wheel_adds_to_the_package_is_found_in_this_source_tree() -> None:
    built = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    for source, installed in built["targets"]["wheel"]["force-include"].items():
        found = shipped.shipped(installed.removeprefix("blindplay/"), source)
        assert found == ROOT / source and found.exists()
