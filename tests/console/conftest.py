from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.console.hall import Browser as Visitor
from tests.console.hall import Hall

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


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


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of a worker: it takes seconds to start."""
    pytest.importorskip("playwright")
    from tests.console.browser import chromium

    with chromium() as browser:
        yield browser


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser, in English, at a desk; a busy machine is waited for."""
    from playwright.sync_api import expect

    from tests.console.browser import DESK

    context = browser.new_context(locale="en-GB", viewport=DESK)
    context.set_default_timeout(30_000)
    expect.set_options(timeout=30_000)
    yield context
    context.close()
