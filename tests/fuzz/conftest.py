"""Where the parsers' files are written in the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import targets


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    targets.folder(tmp_path)
