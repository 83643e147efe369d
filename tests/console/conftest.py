from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A table with an impaired White, his board without sensors, and its console on loopback."""
    hall = Hall(tmp_path)
    try:
        yield hall
    finally:
        hall.close()
