"""The pages on which players find their game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from starlette.applications import Starlette
from starlette.routing import Route

from blindplay.console import assets
from blindplay.console.access import RateLimiter
from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.server import PageServer
from blindplay.console.sign_in import guarded
from blindplay.hall.mails import Mails
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round, undo_round
from blindplay.hall.players import PlayerPages
from tests import web
from tests.waiting import until

from .test_mails import MailBox

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

FIRST = Round(
    "1",
    (
        Assignment("1", "4", "Jürgen Müller", "Åse O’Neill"),
        Assignment("1", "5", "Eva Ek", "Jan Ek"),
    ),
    ("Carl Lund",),
)
SECOND = Round("2", (Assignment("2", "7", "Eva Ek", "Jürgen Müller"),))


class Door:
    """The players' pages of a hall, with its mails."""

    def __init__(self, folder: Path, box: MailBox | None = None) -> None:
        self.folder = folder / "hall"
        self.server = PageServer("127.0.0.1", 0)
        self.url = self.server.url
        keep_round(self.folder, FIRST)
        self.mails = None
        if box is not None:
            self.mails = Mails(box.server, self.folder, "Nordic Open", self.url)
        self.pages = PlayerPages(self.folder, "Nordic Open", self.url, self.mails)
        routes = [*self.pages.routes, Route("/static/{digest}/{name}", assets.serve)]
        app: Starlette = guarded(routes, self.server.hosts, lambda request: True)
        self.server.start(app)

    def close(self) -> None:
        self.server.close()
        if self.mails is not None:
            self.mails.close()

    def get(self, path: str, language: str = "en", **query: str) -> httpx.Response:
        headers = {"accept-language": language}
        return web.get(f"{self.url}{path}", params=query, headers=headers)

    def post(self, path: str, **fields: str) -> str:
        headers = {"origin": self.url, "accept-language": "en"}
        answer = web.post(f"{self.url}{path}", data=fields, headers=headers)
        if answer.status_code == 303:  # to the page that can be loaded again
            answer = web.get(f"{self.url}{answer.headers['location']}", headers=headers)
        assert answer.status_code == 200
        return answer.text


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    door = Door(tmp_path)
    yield door
    door.close()


@pytest.fixture
def mailing(tmp_path: Path) -> Iterator[tuple[Door, MailBox]]:
    box = MailBox(tmp_path)
    door = Door(tmp_path, box)
    yield door, box
    door.close()
    box.controller.stop()


@pytest.mark.parametrize("name", ["Mueller", "muller", "Müller", "juergen MULLER"])
def test_a_player_learns_table_colour_and_opponent(door: Door, name: str) -> None:
    for path in ("/where", "/where/mine"):
        page = door.get(path, name=name).text
        for words in ("Table 4", "White against Åse O’Neill", "Round 1"):
            assert words in page
        assert "Ek" not in page and "Lund" not in page


def test_a_page_tells_that_the_round_was_undone_as_news_and_never_the_one_before(
    door: Door,
) -> None:
    def now() -> dict[str, str]:
        found = door.get("/where/mine/now", name="Müller").json()
        assert isinstance(found, dict)
        return found

    keep_round(door.folder, SECOND)
    second = now()
    keep_round(door.folder, replace(FIRST, resting=()))  # a correction of the round before
    assert now() == second
    undo_round(door.folder)
    keep_round(door.folder, replace(SECOND, resting=("Zoe",)))
    assert now() == second
    undo_round(door.folder)
    assert now() == second
    for number in "34":
        keep_round(door.folder, replace(SECOND, round=number))
    undo_round(door.folder)
    undone = now()
    assert undone["key"] not in ("", second["key"])
    assert undone["told"] == (
        "Round 4: the pairing of Jürgen Müller is withdrawn. Wait for a new one."
    )
    assert undone["told"] in undone["html"] and "Table" not in undone["html"]


def test_nobody_learns_more_than_the_list_says(door: Door) -> None:
    """A part of a name, a letter or nothing lists no players; one last name lists its players."""
    for name in ("e", "M", "Mull", "'", "%", "Jürgen Ek"):
        page = door.get("/where", name=name).text
        assert not any(one in page for one in ("Müller", "Eva", "Lund")), name
    page = door.get("/where", name="Ek").text
    assert page.count("Table 5") == 2
    assert "has no opponent" in door.get("/where", name="Lund").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_are_in_the_players_language(door: Door, language: str) -> None:
    say = catalogue(language)
    page = door.get("/where/mine", language, name="Åse O'Neill").text
    assert say["mine_black"].format(name="Jürgen Müller") in page and say["mine_title"] in page


def test_a_code_leads_a_phone_to_the_page(door: Door) -> None:
    page = door.get("/where/mine", name="Åse O'Neill").text
    link = re.findall(r'<a href="([^"]*name=[^"]*)"', page)[0]
    assert link == f"{door.url}/where/mine?name=%C3%85se+O%E2%80%99Neill"
    assert "<svg" in page and " style=" not in page


def test_the_next_round_is_told_with_a_signal_once(door: Door, context: BrowserContext) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible

    page = context.new_page()
    page.add_init_script(
        """window.buzzed = []; navigator.vibrate = (pattern) => buzzed.push(pattern);
        window.tones = 0;
        AudioContext.prototype.createOscillator = new Proxy(AudioContext.prototype.createOscillator,
            { apply: (of, on, args) => (tones += 1, Reflect.apply(of, on, args)) });"""
    )
    page.clock.install()
    page.goto(f"{door.url}/where")
    page.get_by_label("Your name").fill("mueller")
    page.get_by_role("button", name="Tell me").click()
    expect(page.locator(".seat")).to_have_text("Table 4")
    accessible(page)
    page.get_by_role("link", name="Keep on this phone").click()
    expect(page.locator(".against")).to_have_text("White against Åse O’Neill")
    page.get_by_label("sound").check()
    page.get_by_label("vibration").check()
    accessible(page, colours=True)
    page.clock.run_for(20_000)
    assert page.evaluate("[buzzed.length, tones]") == [0, 0]
    keep_round(door.folder, SECOND)
    page.clock.run_for(10_000)
    expect(page.locator(".seat")).to_have_text("Table 7")
    page.clock.run_for(200)
    sentence = "Round 2, table 7: Eva Ek has White against Jürgen Müller."
    expect(page.locator("#urgent")).to_have_text(sentence)
    expect(page).to_have_title(sentence)
    assert until(lambda: page.evaluate("[buzzed.length, tones]") == [1, 2])
    page.clock.run_for(30_000)
    assert page.evaluate("buzzed.length") == 1
    page.goto(f"{door.url}/where")  # the phone keeps the name, until it is to forget it
    page.get_by_role("link", name="Your page: Jürgen Müller").click()
    expect(page.locator(".seat")).to_have_text("Table 7")
    assert page.evaluate("buzzed.length") == 0
    page.get_by_role("link", name="Another name").click()
    expect(page.locator("#kept")).to_be_hidden()


def test_a_round_that_was_paired_while_the_page_was_closed_is_told_when_it_opens(
    door: Door, context: BrowserContext
) -> None:
    from playwright.sync_api import expect

    page = context.new_page()
    page.goto(f"{door.url}/where/mine?name=muller")
    expect(page.locator(".seat")).to_have_text("Table 4")
    page.goto("about:blank")
    keep_round(door.folder, SECOND)
    page.goto(f"{door.url}/where/mine?name=muller")
    expect(page.locator("#urgent")).to_contain_text("Table 7")


def test_a_phone_that_keeps_two_players_tells_the_next_game_of_each(
    door: Door, context: BrowserContext
) -> None:
    from playwright.sync_api import expect

    pages = {name: context.new_page() for name in ("Eva Ek", "Jürgen Müller")}
    for name, page in pages.items():
        page.clock.install()
        page.goto(f"{door.url}/where/mine?name={name}")
        expect(page.locator(".seat")).to_be_visible()
    keep_round(door.folder, SECOND)
    for page in pages.values():
        page.clock.run_for(11_000)
        expect(page.locator("#urgent")).to_contain_text("Round 2, table 7")


def test_a_lost_connection_is_said_once_and_its_return(door: Door, context: BrowserContext) -> None:
    from playwright.sync_api import expect

    page = context.new_page()
    page.clock.install()
    page.goto(f"{door.url}/where/mine?name=muller")
    page.evaluate(
        """() => {
            window.told = [];
            new MutationObserver(() => told.push(polite.textContent.trim()))
                .observe(polite, { childList: true, characterData: true, subtree: true });
        }"""
    )
    page.route("**/now?*", lambda route: route.abort())
    lost = "The connection is lost. This page tries again by itself."
    for _ in range(3):
        page.clock.run_for(11_000)
        expect(page.locator("#polite")).to_have_text(lost)
    page.unroute("**/now?*")
    page.clock.run_for(11_000)
    expect(page.locator("#polite")).to_have_text("The connection is back.")
    assert [one for one in page.evaluate("told") if one].count(lost) == 1


def test_a_player_orders_mails_and_removes_the_address(mailing: tuple[Door, MailBox]) -> None:
    door, box = mailing
    page = door.post("/where/mail", name="Jürgen Müller", address="juergen@example.org")
    assert "A mail is on its way" in page and "juergen@example.org" not in page
    assert until(lambda: box.mails)
    path = f"/where/mail/{token_in_local(box, door)}"
    asked = door.get(path).text
    assert "Send the next games of Jürgen Müller" in asked and "@example.org" not in asked
    assert len(box.mails) == 1  # a mail program that only looks at the link confirms nothing
    assert "come to this address by mail" in door.post(path, act="confirm")
    assert until(lambda: len(box.mails) == 2)
    assert "The address is deleted." in door.post(path, act="remove")
    assert "no longer valid" in door.get(path).text
    keep_round(door.folder, SECOND)
    door.post("/where/mail", name="Eva Ek", address="eva@example.org")
    assert until(lambda: box.to("eva@example.org"))
    assert len(box.to("juergen@example.org")) == 2


def token_in_local(box: MailBox, door: Door) -> str:
    text: str = box.mails[0].get_content()
    return text.partition(f"{door.url}/where/mail/")[2].split()[0]


def test_mails_go_only_to_players_and_not_too_often(mailing: tuple[Door, MailBox]) -> None:
    door, box = mailing
    door.pages.ordering = RateLimiter(a_second=1e-9, at_once=5)
    nobody = door.post("/where/mail", name="Nobody", address="nobody@example.org")
    assert "A mail is on its way" not in nobody and "Nobody" in nobody
    wrong = door.post("/where/mail", name="Eva Ek", address="eva@host")
    assert 'aria-describedby="address-wrong ' in wrong and "not a mail address" in wrong
    for number in range(9):
        door.post("/where/mail", name="Eva Ek", address=f"eva{number}@example.org")
    door.pages.ordering = RateLimiter(a_second=1e-9, at_once=1)
    door.post("/where/mail", name="Eva Ek", address="last@example.org")
    assert until(lambda: box.to("last@example.org"))
    assert len(box.mails) == 5 and not box.to("nobody@example.org")


def test_the_page_says_when_no_mail_is_sent(
    mailing: tuple[Door, MailBox], monkeypatch: pytest.MonkeyPatch
) -> None:
    door, box = mailing
    monkeypatch.setattr("blindplay.hall.mails._MOST", 0)
    page = door.post("/where/mail", name="Eva Ek", address="eva@example.org")
    assert "The hall keeps no more addresses." in page and not box.mails


def test_without_a_mail_server_no_address_is_asked_for(door: Door) -> None:
    assert "mail" not in door.get("/where/mine", name="muller").text.partition("<main")[2].lower()
    headers = {"origin": door.url}
    assert web.post(f"{door.url}/where/mail", data={}, headers=headers).status_code == 404
