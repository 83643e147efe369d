"""A rematch that two players begin on their pages, both in one browser, at a real table."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, expect

from tests.ports import free_port

_LINK = re.compile(r"http://127\.0\.0\.1:\d+/#[A-Za-z0-9_-]{43}")


def _twice(page: Page, fold: str, button: str) -> None:
    page.locator(f"{fold} summary").click()
    page.get_by_role("button", name=button).click()


@pytest.mark.long
def test_both_pages_in_one_browser_go_on_after_a_rematch_and_a_new_game(
    context: BrowserContext, tmp_path: Path
) -> None:
    port = free_port()
    command = (
        "play", "--silent", "--microphone", "none", "--language", "en", "--white", "Anna",
        "--black", "Bert", "--console", "--console-port", str(port), "--journal",
        str(tmp_path / "first.jsonl"),
    )  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-m", "blindplay", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env={**os.environ, "HOME": str(tmp_path)},
    )
    try:
        assert process.stdout is not None
        links = dict[str, str]()
        while len(links) < 2:
            line = process.stdout.readline()
            assert line, "the table has ended"
            for side in ("White", "Black"):
                if (found := _LINK.search(line)) and line.startswith(f"{side}'s page:"):
                    links[side] = found[0]
        anna, bert = context.new_page(), context.new_page()
        for page, side in ((anna, "White"), (bert, "Black")):
            page.goto(links[side])
        for again, anna_is, bert_is in (
            ("Rematch: the colours change", "black-1", "white-1"),
            ("New game: the same colours", "black-1", "white-1"),
            ("Rematch: the colours change", "white-2", "black-2"),
        ):
            anna.get_by_role("button", name="Begin the game").click()
            _twice(bert, "#resign", "Yes, I resign")
            for page in (anna, bert):
                page.locator("#sign").click()
            anna.get_by_role("button", name=again).click()
            bert.get_by_role("button", name="Yes, play it").click()
            for page, role in ((anna, anna_is), (bert, bert_is)):
                page.wait_for_url(f"**/{role}/")
                expect(page.locator("body")).to_have_attribute("data-connection", "")
            expect(anna.locator("h1")).to_contain_text("Anna")
            expect(bert.locator("h1")).to_contain_text("Bert")
            expect(anna.get_by_role("button", name="Begin the game")).to_be_visible()
    finally:
        process.kill()
        process.communicate()
