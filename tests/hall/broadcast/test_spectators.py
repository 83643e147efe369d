"""The pages for everybody: many boards, one board, and all games as PGN."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from blindplay.console.access import RateLimiter
from blindplay.console.public import Audience
from blindplay.hall.broadcast.broadcasting import PublicHost
from blindplay.hall.broadcast.delayed import DelayedHall
from blindplay.hall.broadcast.spectators import SpectatorsPages
from blindplay.laws import facts as f
from tests import web
from tests.hall.model import ModelHall, ScriptedTable, pass_time, setup
from tests.waiting import PATIENCE_S, until

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


class Watched:
    """Three tables, and their pages."""

    def __init__(
        self,
        folder: Path,
        delay: int = 0,
        names: bool = True,
        tables: Iterable[int] = (1, 2, 10),
        **more: object,
    ) -> None:
        self.tables = [
            ScriptedTable(setup(**more), f.Start(), name=str(n), run=f"run-{n}") for n in tables
        ]
        self.hall = ModelHall(folder, *self.tables)
        for table in self.tables:
            self.hall.publish(table.presence(), table.journal(table.lines))
        audience = Audience(delay, names)
        self.shown = DelayedHall(self.hall.follower, audience, "Cup", lambda: self.hall.now)
        self.pages = SpectatorsPages(self.shown, "Cup <1>", most=3, an_address=2)
        self.pages.limits.asking = RateLimiter(a_second=1e6, at_once=10**6)
        self.host = PublicHost(self.pages, "127.0.0.1", 0)
        self.pass_time(0)

    def pass_time(self, seconds: float) -> None:
        pass_time(self.hall, self.tables, seconds)
        self.shown.catch_up()
        self.pages.update()

    def play(self, number: int, *moves: str) -> None:
        table = self.tables[number]
        self.hall.publish(table.journal(table.move(table.clock, *moves)))
        self.pass_time(0)

    def get(self, path: str = "", language: str = "en") -> httpx.Response:
        return web.get(f"{self.host.url}{path}", headers={"accept-language": language})


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    watched = Watched(tmp_path)
    yield watched
    watched.host.close()


def test_the_page_has_all_boards_by_number(watched: Watched) -> None:
    watched.play(0, "e2e4")
    page = watched.get().text
    assert re.findall(r">(Table \d+)</a>", page) == ["Table 1", "Table 2", "Table 10"]
    assert "Cup &lt;1&gt;" in page and "1. e4" in page and page.count("Anna Berg") == 3
    assert "<form" not in page and "<input" not in page


def test_names_are_shown_only_if_they_are_allowed(tmp_path: Path) -> None:
    watched = Watched(tmp_path, names=False)
    try:
        for path in ("", "now?since=x", "games.pgn", "1/", "1/now", "1/game.pgn"):
            answer = watched.get(path)
            assert answer.status_code == 200, path
            assert not any(name in answer.text for name in ("Berg", "Bert", "Dahl")), path
    finally:
        watched.host.close()


def test_nothing_is_on_any_page_before_the_delay(tmp_path: Path) -> None:
    watched = Watched(tmp_path, delay=60)
    try:
        assert "No game has begun yet." in watched.get().text
        assert watched.get("1/").status_code == 404
        assert watched.get("games.pgn").text.strip() == watched.get("1/game.pgn").text.strip() == ""
        watched.pass_time(100)
        watched.play(0, "e2e4")
        for passed, there in ((0, False), (58, False), (2, True)):
            watched.pass_time(passed)
            for path in ("", "now?since=x", "games.pgn", "1/", "1/now", "1/game.pgn"):
                assert ("1. e4" in watched.get(path).text) is there, (path, watched.hall.now)
    finally:
        watched.host.close()


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Tisch 1"), ("nb", "Bord 1"), ("da", "Alle partierne"), ("sv", "Alla partier")],
)
def test_the_page_is_in_the_readers_language(watched: Watched, language: str, words: str) -> None:
    assert words in watched.get(language=language).text


def test_all_games_are_one_pgn(watched: Watched) -> None:
    watched.play(1, "d2d4")
    answer = watched.get("games.pgn")
    assert answer.headers["content-type"].startswith("application/vnd.chess-pgn")
    assert re.findall(r'\[Board "(\d+)"\]', answer.text) == ["1", "2", "10"]
    assert answer.text.count("1. d4") == 1


def test_without_a_script_the_clocks_are_those_of_now(watched: Watched) -> None:
    """5400 and 30 seconds, and White of table 1 has thought for 100."""
    watched.pass_time(100)
    left = re.findall(r'data-runs="yes">([^<]*)<', watched.get().text)
    assert left[0] in ("1:28:50", "1:28:49")


def test_a_page_that_asks_gets_only_what_is_new(watched: Watched) -> None:
    whole = watched.get("now?since=").json()
    assert set(whole["change"]["parts"]) == {"1", "2", "10"} and whole["change"]["whole"]
    assert "change" not in watched.get(f"now?since={whole['place']}").json()
    watched.play(1, "e2e4")
    news = watched.get(f"now?since={whole['place']}").json()
    assert set(news["change"]["parts"]) == {"2"}


def test_an_open_page_is_told_and_there_is_room_for_others(watched: Watched) -> None:
    """Two streams for one address; the third page asks now and then."""
    place = watched.get("now?since=").json()["place"]
    came = list[str]()

    def listen() -> None:
        with httpx.stream(
            "GET", f"{watched.host.url}changes?since={place}", timeout=PATIENCE_S
        ) as one:
            for line in one.iter_lines():
                came.append(line)
                if line.startswith("data: {"):
                    return

    readers = [threading.Thread(target=listen) for _ in range(2)]
    for reader in readers:
        reader.start()
    assert until(lambda: watched.pages._open.total() == 2)
    assert watched.get("changes").status_code == 503
    watched.play(1, "e2e4")
    for reader in readers:
        reader.join(PATIENCE_S)
    told = [json.loads(line[6:]) for line in came if line.startswith("data: {")]
    assert [set(one["parts"]) for one in told] == [{"2"}, {"2"}]


def test_a_reader_who_asks_too_often_waits(watched: Watched) -> None:
    watched.pages.limits.asking = RateLimiter(a_second=1e-6, at_once=2)
    assert [watched.get("now").status_code for _ in range(3)] == [200, 200, 429]
    assert watched.get("changes").status_code == 429


def test_another_site_cannot_listen(watched: Watched) -> None:
    headers = {"origin": "https://example.org"}
    assert web.get(f"{watched.host.url}changes", headers=headers).status_code == 403
    assert web.post(watched.host.url, headers=headers).status_code == 403


def test_a_table_that_is_not_there_has_no_page(watched: Watched) -> None:
    for path in ("99/", "99/now", "..%2f/"):
        assert watched.get(path).status_code == 404


def test_a_reader_follows_one_table_by_ear(context: BrowserContext, watched: Watched) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible

    page = context.new_page()
    page.goto(watched.host.url)
    expect(page.get_by_role("heading", level=2)).to_have_text(["Table 1", "Table 2", "Table 10"])
    follow = page.get_by_role("button", name="Table 2: Tell me the moves of this table")
    follow.focus()
    page.keyboard.press("Enter")
    expect(follow).to_have_attribute("aria-pressed", "true")
    watched.play(0, "d2d4")
    expect(page.locator('[data-table="1"] .notation')).to_have_text("1. d4")
    expect(page.get_by_role("status")).to_have_text("")
    watched.play(1, "e2e4")
    expect(page.get_by_role("status")).to_have_text("Table 2. Bauer Eva zwei Eva vier")
    expect(follow).to_be_focused()
    accessible(page, colours=True)
    page.get_by_role("link", name="Table 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Table 2")
    expect(page.locator(".moves tbody tr")).to_have_text(["1e4"])
    page.get_by_role("link", name="All boards").click()
    expect(follow).to_have_attribute("aria-pressed", "true")


def test_ten_boards_are_whole_in_a_window_and_little_time_is_seen(
    context: BrowserContext, tmp_path: Path
) -> None:
    from playwright.sync_api import expect

    watched = Watched(tmp_path, tables=range(1, 11), time_control="4000+0")
    try:
        page = context.new_page()
        page.set_viewport_size({"width": 1400, "height": 900})
        page.goto(watched.host.url)
        for number in range(10):
            watched.play(number, "e2e4", "e7e5", "g1f3")
        expect(page.locator(".notation")).to_have_text(["2. Nf3"] * 10)
        bottoms = "all => all.map(one => one.getBoundingClientRect().bottom)"
        assert max(page.locator(".boards > li").evaluate_all(bottoms)) <= 900
        figures = page.locator(".figures")
        rows = figures.evaluate_all("all => all.map(one => one.getClientRects().length)")
        assert rows == [1] * 20
        expect(page.locator(".figures.low")).to_have_count(0)
        watched.pass_time(3990)
        page.reload()
        expect(page.locator(".figures.low")).to_have_count(10)
    finally:
        watched.host.close()


def test_words_of_another_language_are_marked_and_a_lost_connection_is_said_once(
    context: BrowserContext, watched: Watched
) -> None:
    from playwright.sync_api import expect

    page = context.new_page()
    page.clock.install()
    page.goto(watched.host.url)
    page.get_by_role("button", name="Table 2").click()
    watched.play(1, "e2e4")
    expect(page.locator("#polite [lang]")).to_have_text("Bauer Eva zwei Eva vier")
    expect(page.locator("#polite [lang]")).to_have_attribute("lang", "de")
    page.evaluate(
        """() => {
            window.told = [];
            new MutationObserver(() => told.push(polite.textContent))
                .observe(polite, { childList: true, characterData: true, subtree: true });
        }"""
    )
    watched.host.close()
    lost = "The connection is lost. This page tries again by itself."
    for _ in range(5):
        page.clock.run_for(10_000)
        expect(page.locator("#polite")).to_have_text(lost)
    assert page.evaluate("told") == [lost]
