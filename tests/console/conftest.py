from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.console.hall import Browser as Visitor
from tests.console.hall import Hall

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext


@pytest.fixture
def device(browser: Browser) -> Iterator[Callable[..., BrowserContext]]:
    """Gives one more browser with each call, as :func:`tests.console.browser.person` does."""
    from tests.console.browser import person

    with ExitStack() as stack:
        yield lambda **how: stack.enter_context(person(browser, **how))


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
