"""A real browser for the tests: the system's Chromium without a window, driven by Playwright."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# What axe-core knows of the Web Content Accessibility Guidelines up to 2.2, A and AA.
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium; where there is none the test is skipped, unless BLINDPLAY_CHROMIUM says that
    there must be one."""
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        if os.environ.get("BLINDPLAY_CHROMIUM") == "required":
            pytest.fail("There is no Chromium; .ci/run installs one.")
        pytest.skip("There is no Chromium on this machine.")
    with sync_playwright() as playwright:
        # In a container there are no rights for Chromium's own sandbox, nor much shared memory.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


def violations(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it stands: rule and element."""
    options: dict[str, Any] = {"runOnly": {"type": "tag", "values": list(_RULES)}}
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {json.dumps(node['html'])}" for one in found for node in one["nodes"]]
