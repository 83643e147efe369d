"""The public page: what everybody sees without a link, and never before its time."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from blindplay.console.access import RateLimiter
from blindplay.console.public import Audience, DelayedGame
from blindplay.console.server import ConsoleHost
from blindplay.laws import Game, Taken
from blindplay.laws import facts as f
from blindplay.wording.pack_words import PackWords
from tests import web
from tests.console.hall import Browser, Hall
from tests.laws.random_games import play
from tests.sampling import first

if TYPE_CHECKING:
    from playwright.sync_api import Browser as PlaywrightBrowser
    from playwright.sync_api import BrowserContext

MATE = (("white", "f2f3"), ("black", "e7e5"), ("white", "g2g4"), ("black", "d8h4"))


class Watched(Hall):
    """A table with a public page."""

    def __init__(self, path: Path, audience: Audience, **setup: Any) -> None:
        super().__init__(path, **setup)
        self.host.close()
        self.host = ConsoleHost(self.table, port=0, audience=audience)
        assert self.host.console.public is not None
        self.public = self.host.console.public

    def get(self, path: str = "", **headers: str) -> httpx.Response:
        return web.get(
            f"{self.host.url}/public/{path}", headers={"accept-language": "en", **headers}
        )


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """A game that everybody sees a minute later."""
    hall = Watched(tmp_path, Audience(delay=60), event="Club Cup")
    try:
        yield hall
    finally:
        hall.close()


def test_the_end_of_a_game_is_shown_before_another_one_at_the_same_table(
    watched: Watched, tmp_path: Path
) -> None:
    """Each game is shown a minute later, and the other one begins before that."""
    (tmp_path / "next").mkdir()
    watched.table.submit(f.Start())
    watched.table.submit(f.Resign(by="white"))
    following = Watched(tmp_path / "next", Audience(delay=60, before=watched.public))
    try:
        following.table.submit(f.Start())
        watched.now += 61
        assert "Black wins" in following.get().text
        following.now += 61
        assert "Black wins" not in following.get().text
    finally:
        following.close()


# --- nothing newer ------------------------------------------------------------------------------


def seen(game: Game, at: int) -> tuple[object, ...]:
    """All that a public page could show of a game at a time in ms."""
    clock = game.clock
    left = {
        side: clock.left[side] - (at - clock.counts_from if side == clock.running else 0)
        for side in f.SIDES
        if clock
    }
    return (
        game.setup,
        [(ply.move, ply.side, ply.clock, ply.illegal) for ply in game.history],
        game.position_pieces(),
        game.board.fen(),
        game.turn,
        left,
        clock.running if clock else None,
        sorted(clock.flags) if clock else None,
        game.result,
        game.signed,
        game.paused,
        game.pending and game.pending.ruling,
    )


@pytest.mark.parametrize("seed", first(8, range(40)))
def test_it_is_the_game_as_it_was_and_never_newer(seed: int) -> None:
    """Random games, random delays, random looks: the delayed game is the one that takes exactly the
    facts that are old enough."""
    rng = random.Random(seed)
    delay = rng.choice((0, 1, 999, 5_000, 60_000))
    table = SimpleNamespace(log=list[Taken](), at=0)
    port: Any = SimpleNamespace(log=table.log, time=lambda: table.at)
    delayed = DelayedGame(port, delay)
    facts: list[f.Fact] = []

    def look(at: int) -> None:
        table.at = at
        assert delayed.catch_up() == at - delay
        expected = Game(PackWords())
        for fact in facts:
            if fact.t <= at - delay:
                expected.apply(fact)
        assert (delayed.game.setup is None) == (expected.setup is None)
        if expected.setup is not None:
            assert seen(delayed.game, at - delay) == seen(expected, at - delay)

    for fact, rulings, _ in play(seed, 120):
        if fact.t > table.at and rng.random() < 0.2:
            look(rng.randrange(table.at, fact.t))  # before it is taken
        facts.append(fact)
        if rulings or not isinstance(fact, f.Tick):  # the log of a table has these
            table.log.append(Taken(fact, tuple(rulings)))
        table.at = fact.t
    for later in (0, delay - 1, delay, delay + 1):
        look(max(table.at, facts[-1].t + later))


# --- the page -----------------------------------------------------------------------------------


def moves_on(page: str) -> list[str]:
    return re.findall(r'<a id="ply-[^>]*aria-label="([^"]*)"', page)


def test_the_page_shows_everything_after_the_delay_and_nothing_before(watched: Watched) -> None:
    assert "There is nothing to see yet." in watched.get().text
    watched.public.limits.asking = RateLimiter(a_second=1e6, at_once=10**6)
    watched.now = 10
    watched.start()
    for number, (by, move) in enumerate(MATE):
        watched.now = 20 + 10 * number
        watched.play(by, move)
    notations = ["1. f3", "1… e5", "2. g4", "2… Qh4#"]
    changes = [60, *(80 + 10 * number for number in range(4))]
    for at in (51, *(one + step for one in changes for step in (-1, 0, 1)), 140):
        watched.now = at + 0.9
        page = watched.get().text
        shown = sum(at >= 80 + 10 * number for number in range(4))
        assert moves_on(page) == notations[:shown]
        assert ("Black wins" in page) is (shown == 4)
        text = watched.get("game.pgn").text if at >= 60 else ""
        assert ("0-1" in text) is (shown == 4) and ("Qh4#" in text) is (shown == 4)
    assert (
        web.get(f"{watched.host.url}/public/game.pgn")
        .headers["content-type"]
        .startswith("application/vnd.chess-pgn")
    )


def test_the_clocks_are_those_of_then(watched: Watched) -> None:
    """300 seconds and five for the first move; White thinks for 40 s."""
    watched.now = 10
    watched.start()
    watched.now = 50
    watched.play("white", "e2e4")
    for at, white in ((70, "5:05"), (80, "4:55"), (100.5, "4:34"), (110, "4:30"), (200, "4:30")):
        watched.now = at
        left = re.findall(r"data-left[^>]*>([^<]*)<", watched.get().text)
        assert left[1] == white, at  # White's clock is below Black's


def test_a_move_that_is_taken_back_stays_until_then(watched: Watched) -> None:
    watched.now = 1
    watched.start()
    watched.play("white", "e2e4")
    watched.now = 30
    watched.table.submit(f.Arbiter(do="restore", ply=0))
    watched.now = 75
    assert moves_on(watched.get().text) == ["1. e4"]
    watched.now = 90
    assert moves_on(watched.get().text) == []


@pytest.mark.parametrize("names", [False, True])
def test_names_are_shown_only_if_that_is_allowed(tmp_path: Path, names: bool) -> None:
    hall = Watched(tmp_path, Audience(delay=0, names=names), event="Club Cup")
    try:
        for path in ("", "now", "game.pgn"):
            text = hall.get(path).text
            assert ("Bert" in text) is names
        assert '[Event "Club Cup"]' in hall.get("game.pgn").text
    finally:
        hall.close()


def test_there_is_no_public_page_unless_it_is_wanted(hall: Hall) -> None:
    for path in ("", "now", "game.pgn"):
        assert web.get(f"{hall.host.url}/public/{path}").status_code == 401


def test_nothing_can_be_done_on_the_public_page(watched: Watched) -> None:
    url = f"{watched.host.url}/public/"
    headers = {"origin": watched.host.url}
    for path in ("", "do", "now", "game.pgn", "changes", "papers/report.html"):
        answer = web.post(f"{url}{path}", data={"act": "resign"}, headers=headers)
        assert answer.status_code in (401, 404, 405)
    assert "<form" not in watched.get().text and "<input" not in watched.get().text
    assert not watched.table.game.over


def test_a_sealed_move_stays_secret(tmp_path: Path) -> None:
    hall = Watched(tmp_path, Audience(delay=0))
    try:
        hall.start()
        hall.table.submit(f.Arbiter(do="preside"))
        hall.table.submit(f.Arbiter(do="adjourn"))
        hall.table.submit(f.Seal(by="white", text="Nf3"))
        hall.table.submit(f.Press(by="white"))
        for path in ("", "now", "game.pgn"):
            assert "Nf3" not in hall.get(path).text
        assert moves_on(hall.get().text) == []
    finally:
        hall.close()


def test_a_reader_who_asks_too_often_waits_and_nobody_else_does(watched: Watched) -> None:
    visitor = Browser(watched, "arbiter")
    visitor.enter()
    watched.public.limits.asking = RateLimiter(a_second=1e-6, at_once=3)
    statuses = [watched.get("now").status_code for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert visitor.client.get("/arbiter/").status_code == 200


def test_readers_keep_no_connection_and_share_one_rendering(watched: Watched) -> None:
    watched.now = 100
    first = watched.get("now")
    assert first.headers["connection"] == "close" and "no-store" in first.headers["cache-control"]
    assert watched.get("now").json() == first.json()
    taken = first.json()["taken"]
    assert "html" not in watched.get(f"now?taken={taken}").json()
    assert "html" in watched.get(f"now?taken={taken}0").json()


def test_the_page_is_in_the_readers_language(watched: Watched) -> None:
    watched.now = 100
    assert "Die Stellung in Worten" in watched.get(**{"accept-language": "de"}).text
    assert "Ställningen i ord" in watched.get(**{"accept-language": "sv"}).text


def test_a_reader_sees_the_game_go_on(context: BrowserContext, tmp_path: Path) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible

    hall = Watched(tmp_path, Audience(delay=10))
    try:
        hall.now = 20.0
        hall.start()
        page = context.new_page()
        page.goto(f"{hall.host.url}/public/")
        expect(page.get_by_role("heading", level=1)).to_have_text("The game")
        hall.play("white", "e2e4")
        hall.now = 31.0
        expect(page.locator(".moves tbody tr")).to_have_text(["1e4"])
        expect(page.get_by_role("status")).to_contain_text("Bauer Eva zwei Eva vier")
        page.locator("#words summary").click()
        expect(page.locator("#words p")).to_contain_text("David two, Eva four, Felix two")
        hall.play("black", "e7e5")
        hall.now = 42.0
        expect(page.locator(".moves tbody tr")).to_have_text(["1e4e5"])
        expect(page.locator("#words p")).to_be_visible()  # it stays open
        accessible(page, colours=True)
        assert page.locator(".board .last").count() == 4  # two squares and their marks
        page.set_viewport_size({"width": 390, "height": 844})
        box = page.locator(".board").bounding_box()
        assert box is not None and (box["x"], box["width"]) == (0, 390)
    finally:
        hall.close()


# --- past positions -----------------------------------------------------------------------------


def test_past_positions_are_shown_and_none_before_its_time(watched: Watched) -> None:
    watched.start()
    watched.play("white", "e2e4")
    watched.now = 30
    watched.play("black", "e7e5")
    watched.now = 70  # of a minute ago: White has moved, Black has not
    page = watched.get().text
    assert re.findall(r'href="past\?ply=([0-9]+)"', page) == ["1"]
    for ply in ("1", "2", "999999", "x", ""):
        shown = watched.get(f"past?ply={ply}").text
        assert "Past position: after 1. e4" in shown
        assert 'aria-label="e7, black pawn"' in shown and "e5, black" not in shown
    start = watched.get("past?ply=0").text
    assert "Past position: the start" in start and 'aria-label="e2, white pawn"' in start


def test_a_spectator_walks_through_the_game_without_scripts(
    browser: PlaywrightBrowser, context: BrowserContext, watched: Watched
) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible, person

    watched.start()
    for by, move in MATE:
        watched.play(by, move)
    watched.now = 100
    with person(browser, java_script_enabled=False) as plain:
        page = plain.new_page()
        page.goto(f"{watched.host.url}/public/")
        page.get_by_role("link", name="2… Qh4#").click()
        heading = page.get_by_role("heading", level=2)
        expect(heading).to_have_text("Past position: after 2… Qh4#")
        page.get_by_role("link", name="Back one move").click()
        expect(heading).to_have_text("Past position: after 2. g4")
        page.get_by_role("link", name="Back to the game").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
    page = context.new_page()
    page.goto(f"{watched.host.url}/public/past?ply=3")
    accessible(page)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_title("Past position: after 1… e5 – BlindPlay")
    page.locator("#past-a8").focus()  # on the board the arrow keys go over the squares
    page.keyboard.press("ArrowRight")
    expect(page.locator("#past-b8")).to_be_focused()
    page.keyboard.press("q")
    expect(page.locator("#past-d8")).to_be_focused()
