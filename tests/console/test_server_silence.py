"""A connection that fails without saying so: a table that is suspended, and a network that drops,
delays and doubles. Nothing is done twice, and the page tells what became of it."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Error, Page, Route, expect

from blindplay.console.actions import stamp
from blindplay.laws import facts as f
from tests import waiting, web
from tests.console.browser import send, up_to_date
from tests.console.hall import Hall

TABLE = """
import sys, pathlib
from tests.console.browser import send
from tests.console.hall import Hall
hall = Hall(pathlib.Path(sys.argv[1]))
hall.start()
hall.play("white", "e2e4")
print(hall.link("black"), flush=True)
sys.stdin.read()
hall.close()
"""


SILENCE_S = 20
"""After so long a page misses its table."""


@dataclass
class OtherProcess:
    """A table in a process of its own, which can be suspended."""

    process: subprocess.Popen[str]
    link: str
    journal: Path

    def suspend(self) -> None:
        if sys.platform != "win32":
            os.kill(self.process.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        if sys.platform != "win32":
            os.kill(self.process.pid, signal.SIGCONT)

    def written(self) -> int:
        """How often the entry of this test is in the journal."""
        return self.journal.read_text("utf-8").count("P-K4")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[OtherProcess]:
    if sys.platform == "win32":
        pytest.skip("Windows has no signal that suspends a process.")
    command = [sys.executable, "-c", TABLE, str(tmp_path)]
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=root
    ) as process:
        assert process.stdout is not None
        table = OtherProcess(process, process.stdout.readline().strip(), tmp_path / "game.jsonl")
        try:
            yield table
        finally:
            table.go_on()
            process.terminate()


def opened(context: BrowserContext, link: str) -> Page:
    """The page of Black, whose clock stands until the test moves it."""
    page = context.new_page()
    page.clock.install()
    with page.expect_request("**/changes?*"):
        page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Bert")
    for ahead in itertools.accumulate(itertools.repeat(1)):  # seconds, in which a busy machine
        try:  # may not get so far
            page.clock.pause_at(page.evaluate("Date.now() / 1000") + ahead)
            return page
        except Error:
            assert ahead < SILENCE_S
    raise AssertionError


def until(page: Page, found: str) -> None:
    """Let the page's clock run until this expression is true, and no faster than the table's and
    the network's, which are real: the page would ask again before it can be answered."""
    before = time.monotonic()

    def is_found() -> bool:
        nonlocal before
        page.wait_for_timeout(20)
        before, since = time.monotonic(), before
        page.clock.run_for(round((before - since) * 1000))
        return bool(page.evaluate(found))

    said = "document.getElementById('messages').innerText"
    assert waiting.until(is_found), page.evaluate(said)


def becomes(page: Page, **wanted: str) -> None:
    """Let the page's clock run until its body has these data."""
    until(page, " && ".join(f"document.body.dataset.{n} === '{v}'" for n, v in wanted.items()))


def says(page: Page, region: str, sentence: str) -> None:
    """Let the page's clock run until a live region says this."""
    until(page, f"document.getElementById('{region}').textContent.includes('{sentence}')")


def written(hall: Hall) -> int:
    return sum(fact.text == "P-K4" for fact in hall.taken("record"))


def write(page: Page) -> None:
    """Write on the scoresheet, as its form does; the answer is not waited for."""
    send(page, {"act": "record", "ply": "1", "text": "P-K4"}, answered=False)


def test_a_table_that_falls_silent_is_noticed_and_its_return_too(
    context: BrowserContext, other: OtherProcess
) -> None:
    page = opened(context, other.link)
    other.suspend()
    page.clock.run_for(12_000)
    expect(page.locator("body")).to_have_attribute("data-connection", "")
    page.clock.run_for(1000 * SILENCE_S - 12_000)
    becomes(page, connection="lost")
    says(page, "urgent", "No connection.")
    other.go_on()
    becomes(page, connection="")
    says(page, "polite", "The connection is back.")
    expect(page.locator("#urgent")).to_have_text("")  # it no longer holds


def test_an_action_without_an_answer_is_sending_and_then_taken_once(
    context: BrowserContext, other: OtherProcess
) -> None:
    page = opened(context, other.link)
    other.suspend()
    write(page)
    page.wait_for_selector("body[data-action=sending]", state="attached")
    page.clock.run_for(2_900)
    expect(page.locator("body")).to_have_attribute("data-connection", "")
    expect(page.locator("body")).to_have_attribute("data-action", "sending")
    page.clock.run_for(300)
    expect(page.locator("body")).to_have_attribute("data-connection", "lost")
    says(page, "urgent", "No connection. What you did is still being sent.")
    other.go_on()
    becomes(page, connection="", action="taken")
    says(page, "polite", "What you did was taken.")
    expect(page.locator("#urgent")).to_have_text("")
    assert other.written() == 1


def test_an_answer_that_is_dropped_is_asked_for(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = opened(context, hall.link("black"))

    def drop(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/do", drop)
    write(page)
    becomes(page, connection="", action="taken")
    says(page, "polite", "What you did was taken.")
    assert written(hall) == 1


def test_an_answer_that_comes_after_a_newer_change_does_not_make_the_page_older(
    context: BrowserContext, hall: Hall
) -> None:
    """It would be late with whatever its player does next."""
    hall.start()
    hall.play("white", "e2e4")
    page = context.new_page()
    with page.expect_request("**/changes?*"):
        page.goto(hall.link("black"))

    def delay(route: Route) -> None:
        answer = route.fetch()
        hall.table.submit(f.Announce(by="black", move="e7e5"))
        up_to_date(page, hall.table)
        route.fulfill(response=answer)

    page.route("**/do", delay)
    before = stamp(hall.table.game)
    send(page, {"act": "record", "ply": "1", "text": "P-K4"})
    shown = page.evaluate("document.body.dataset.seen")
    assert shown == stamp(hall.table.game) != before and written(hall) == 1


def test_an_action_that_comes_twice_is_done_once(context: BrowserContext, hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = opened(context, hall.link("black"))

    def double(route: Route) -> None:
        route.fetch()
        route.fulfill(response=route.fetch())

    page.route("**/do", double)
    with page.expect_response("**/do"):
        write(page)
    page.clock.run_for(1_600)  # the second answer tells nothing, so the page asks once
    expect(page.locator("body")).to_have_attribute("data-action", "")
    assert written(hall) == 1


def test_an_action_that_is_dropped_is_not_taken_even_if_it_comes_later(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = opened(context, hall.link("black"))
    late: list[tuple[str, dict[str, str]]] = []

    def lose(route: Route) -> None:
        late.append((route.request.post_data or "", route.request.all_headers()))
        route.abort()

    page.route("**/do", lose)
    write(page)
    becomes(page, connection="", action="not-taken")
    says(page, "urgent", "What you did was not taken. Do it again.")
    page.unroute("**/do")
    (body, headers), url = late[0], page.url + "do"
    assert web.post(url, content=body, headers=headers).status_code == 208
    assert written(hall) == 0
    write(page)
    expect(page.locator("body")).to_have_attribute("data-action", "")
    assert written(hall) == 1
