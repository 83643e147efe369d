"""Files that browsers keep for good, and how little a page needs on a slow line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from blindplay.console import assets
from blindplay.console.pieces import NAMES
from tests.console.hall import SEAT, Browser, Hall
from tests.waiting import PATIENCE_S

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

BYTES_A_S = 50_000 / 8
"""A line of 50 kbit/s."""
LATENCY_S = 0.8
RELOAD_S = 3.0


def test_a_file_may_be_kept_for_good_at_its_address(assistant: Browser) -> None:
    answer = assistant.client.get(assets.address("console.js"))
    assert answer.headers["cache-control"] == "public,max-age=31536000,immutable"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in answer.headers["vary"].lower()
    plain = assistant.client.get(assets.address("console.js"), headers={"accept-encoding": ""})
    assert "content-encoding" not in plain.headers and plain.content == answer.content


def test_a_page_names_files_only_by_their_digest(assistant: Browser) -> None:
    page = assistant.client.get(SEAT).text
    named = re.findall(r'(?:src|href)="(/static/[^"]*)"', page)
    assert named and all(one.startswith(f"/static/{assets.digest()}/") for one in named)
    assert {assistant.client.get(one).status_code for one in set(named)} == {200}


def test_the_digest_of_another_version_leads_to_the_file_of_this_one(assistant: Browser) -> None:
    """A page that was open while BlindPlay was updated goes on."""
    answer = assistant.client.get("/static/0123456789abcdef/board.js")
    assert (answer.status_code, answer.headers["location"]) == (307, assets.address("board.js"))
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["x.css", "..%2fapp.py", "%00"])
def test_there_is_nothing_else(assistant: Browser, name: str) -> None:
    assert assistant.client.get(f"/static/{assets.digest()}/{name}").status_code == 404


def test_a_template_cannot_name_a_file_that_does_not_exist() -> None:
    with pytest.raises(KeyError):
        assets.address("consle.css")


def test_one_file_shows_each_piece(assistant: Browser) -> None:
    answer = assistant.client.get(assets.address("pieces.svg"))
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; style-src")
    assert re.findall(r'id="([^"]*)"', answer.text) == [*NAMES]


def test_changes_are_compressed_while_they_come(hall: Hall, assistant: Browser) -> None:
    with assistant.client.stream("GET", SEAT + "changes", timeout=PATIENCE_S) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        lines = answer.iter_lines()
        while not next(lines).startswith("data: {"):  # the first change is there at once
            pass


# --- on a slow line -----------------------------------------------------------------------------


class Line:
    """A browser's network as the Chrome DevTools protocol sees it, as slow as 50 kbit/s."""

    def __init__(self, page: Page) -> None:
        self.session = page.context.new_cdp_session(page)
        self.session.send("Network.enable")
        self.session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": LATENCY_S * 1000,
                "downloadThroughput": BYTES_A_S,
                "uploadThroughput": BYTES_A_S,
            },
        )
        self.asked: dict[str, str] = {}
        self.cached: set[str] = set()
        self.bytes: dict[str, int] = {}
        self.session.on("Network.requestWillBeSent", self._asks)
        self.session.on("Network.requestServedFromCache", self._keeps)
        self.session.on("Network.responseReceived", self._gets)
        self.session.on("Network.loadingFinished", self._got)

    def _asks(self, event: dict[str, Any]) -> None:
        self.asked[str(event["requestId"])] = event["request"]["url"]

    def _keeps(self, event: dict[str, Any]) -> None:
        self.cached.add(str(event["requestId"]))

    def _gets(self, event: dict[str, Any]) -> None:
        if event["response"].get("fromDiskCache"):
            self.cached.add(str(event["requestId"]))

    def _got(self, event: dict[str, Any]) -> None:
        self.bytes[str(event["requestId"])] = int(event["encodedDataLength"])

    def forget(self) -> None:
        for one in (self.asked, self.cached, self.bytes):
            one.clear()

    def over_the_line(self) -> dict[str, int]:
        """The addresses that were asked for over the line, and how many bytes came."""
        return {
            url: self.bytes.get(name, 0)
            for name, url in self.asked.items()
            if name not in self.cached and not url.startswith("data:")
        }


@pytest.mark.parametrize("role", ["white", "black", "arbiter"])
def test_a_reload_on_a_slow_line_takes_under_three_seconds(
    context: BrowserContext, hall: Hall, role: str
) -> None:
    """By arithmetic, not by a clock: one round trip for the page, and its bytes at 50 kbit/s. The
    browser keeps all else."""
    hall.start()
    for by, move in (("white", "e2e4"), ("black", "e7e5"), ("white", "g1f3"), ("black", "b8c6")):
        hall.play(by, move)
    page = context.new_page()
    page.goto(hall.link(role))
    page.wait_for_url(f"**/{role}/", wait_until="load")
    line = Line(page)
    page.reload(wait_until="load")
    asked = line.over_the_line()
    # The stream of changes opens when the page is there.
    needed = {url: size for url, size in asked.items() if "/changes?" not in url}
    assert list(needed) == [page.url]
    assert LATENCY_S + needed[page.url] / BYTES_A_S < RELOAD_S


@pytest.mark.parametrize("role", ["white", "black", "arbiter"])
def test_a_first_load_takes_few_requests_and_bytes(
    context: BrowserContext, hall: Hall, role: str
) -> None:
    """From the link to the page with its stream of changes, with nothing kept from before."""
    hall.start()
    hall.play("white", "e2e4")
    page = context.new_page()
    line = Line(page)
    page.goto(hall.link(role))
    page.wait_for_url(f"**/{role}/", wait_until="load")
    asked = line.over_the_line()
    assert len(asked) <= 12 and sum(asked.values()) <= 40_000, asked


def test_several_files_in_one_are_each_file_once_and_in_order(assistant: Browser) -> None:
    styles = assistant.client.get(assets.address("tokens.css", "base.css", "print.css"))
    assert styles.headers["content-type"].startswith("text/css")
    assert (
        styles.text.index(":root") < styles.text.index(".skip") < styles.text.index("@media print")
    )
    scripts = assistant.client.get(assets.address("console.js", "log.js", "clock.js")).text
    modules = re.findall(r"^const \$(\w+) = \(\(\) => {$", scripts, re.MULTILINE)
    assert len(modules) == len(set(modules)) and modules[-1] == "clock"
    for name, other in (("actions", "console"), ("kept", "log"), ("time", "clock")):
        assert modules.index(name) < modules.index(other)
    assert not re.search(r"^(import|export) ", scripts, re.MULTILINE)
    for name in ("tokens+x.css", "tokens+console.css", "x+y.js", "tokens+base.svg"):
        assert assistant.client.get(f"/static/{assets.digest()}/{name}").status_code == 404


def test_a_file_is_not_served_twice_in_one() -> None:
    """An address of a few kilobytes would make megabytes."""
    assert assets._content("base+board.css") is not None
    assert assets._content("base+base.css") is None
