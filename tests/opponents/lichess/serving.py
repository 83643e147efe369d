"""The fixture ``serve``: servers on this machine that are closed after the test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.opponents.lichess.board_server import BoardServer

Serve = Callable[..., BoardServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    opened: list[BoardServer] = []

    def serve(**given: Any) -> BoardServer:
        opened.append(BoardServer(**given))
        return opened[-1]

    yield serve
    for server in opened:
        server.close()
