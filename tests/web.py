"""HTTP in tests: a busy machine answers late, so each request waits as long as every test does."""

from __future__ import annotations

from typing import Any

import httpx

from tests.waiting import PATIENCE_S


class Client(httpx.Client):
    """A client that waits for an answer as long as :data:`tests.waiting.PATIENCE_S`."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**{"timeout": PATIENCE_S, **given})


def get(url: str, **given: Any) -> httpx.Response:
    """Ask once."""
    return httpx.get(url, **{"timeout": PATIENCE_S, **given})


def post(url: str, **given: Any) -> httpx.Response:
    """Send a form once."""
    return httpx.post(url, **{"timeout": PATIENCE_S, **given})
