from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.console.hall import Browser as Visitor
from tests.console.hall import Hall


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """A table with an impaired White, his board without sensors, and its console on loopback."""
    hall = Hall(tmp_path)
    try:
        yield hall
    finally:
        hall.close()


@pytest.fixture
def assistant(hall: Hall) -> Iterator[Visitor]:
    """White's assistant, who has come in."""
    visitor = Visitor(hall)
    assert visitor.enter().status_code == 303
    yield visitor
    visitor.client.close()
