"""The pages as HTML: their language, their roles, and text that is only text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from blindplay.console import views
from blindplay.console.access import BrowserSession
from blindplay.console.messages import catalogue
from blindplay.console.pages import page_of
from blindplay.console.table_port import Moment
from blindplay.console.views import RenderedParts, language_of, roles
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.hall import SEAT, Browser, Hall


@pytest.mark.parametrize(
    ("accepts", "language"),
    [("de-AT,de;q=0.9,en;q=0.5", "de"), ("nn,en;q=0.2", "nb"), ("fr", "en"), ("", "en"),
     ("en;q=0.3, no;q=0.8", "nb"), ("de;q=0, en;q=0.1", "en"), ("de;q=x", "en")],
)  # fmt: skip
def test_pages_speak_the_browsers_language(hall: Hall, accepts: str, language: str) -> None:
    browser = Browser(hall)
    browser.client.headers["accept-language"] = accepts
    browser.enter()
    assert f'<html lang="{language}">' in browser.client.get(SEAT).text


def test_the_language_can_be_changed(assistant: Browser) -> None:
    assistant.client.post(SEAT + "do", data={"language": "de"})
    assert "Assistent von Weiß, Anna" in assistant.client.get(SEAT).text


def test_names_of_players_are_text_and_nothing_else(tmp_path: Path) -> None:
    hall = Hall(tmp_path, white=Player(name="<script>alert(1)</script>", impaired=True))
    try:
        browser = Browser(hall)
        browser.enter()
        assert "<script>alert" not in browser.client.get(SEAT).text
    finally:
        hall.close()


def test_an_assistant_of_a_sighted_player_gets_a_link_only_if_there_is_one(
    hall: Hall, tmp_path: Path
) -> None:
    mine = ["arbiter", "white", "black", "assistant:white"]
    assert roles(hall.table.game) == mine
    deaf = Player(name="Bert", hearing_impaired=True, assistant=True)
    other = Hall(tmp_path / "other", white=Player(name="Anna"), black=deaf)
    try:
        assert roles(other.table.game) == ["arbiter", "white", "black", "assistant:black"]
    finally:
        other.close()


def test_the_page_that_asks_decides_on_the_language(hall: Hall) -> None:
    session = BrowserSession("white", b"", "de")
    assert language_of(session, {"page": ["nb"]}) == "nb"
    assert language_of(session, {"page": ["xx"]}) == language_of(session, {}) == "de"


def test_only_the_parts_that_a_fact_changed_are_rendered(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry on Black's scoresheet changes that part of Black's page, and none of White's."""
    hall.start()
    hall.play("white", "e2e4")
    drawn: list[str] = []
    render = views.render

    def note(template: str, language: str, **values: Any) -> str:
        drawn.append(template)
        return render(template, language, **values)

    monkeypatch.setattr(views, "render", note)
    rendered = {role: RenderedParts("en") for role in ("white", "black")}

    def draw(role: str) -> list[str]:
        drawn.clear()
        moment = Moment.of(hall.table)
        page = page_of(moment.game, role)
        values = {**page.values(moment, moment.game, role, "en"), "of_table": ""}
        shown = rendered[role].of(page, values)
        found = list(drawn)
        again = RenderedParts("en").of(page, values)
        clocks = {"mine", "theirs"}  # an equal clock may count from another moment
        assert all(shown[name] == again[name] for name in shown.keys() - clocks)
        return found

    assert len(draw("white")) == len(draw("black")) == 13
    hall.now = 20.0  # clocks that run stay as they are
    hall.table.submit(f.Record(by="black", ply=1, text="e2-e4"))
    assert (draw("white"), draw("black")) == ([], ["opponent/sheet.html"])
    hall.table.submit(f.Repeat(by="black", move="e2e4"))
    parts = draw("black")
    assert "opponent/board.html" in parts and "opponent/sheet.html" not in parts


@pytest.mark.parametrize(
    ("role", "path"),
    [("arbiter", ""), ("white", "clocks"), ("black", ""), ("black", "clocks"),
     ("assistant:white", "")],
)  # fmt: skip
def test_without_a_script_the_clocks_are_those_of_now(hall: Hall, role: str, path: str) -> None:
    """300+5: White's 305 seconds, less 34, and then less 250; no fact comes meanwhile."""
    browser = Browser(hall, role)
    browser.enter()
    hall.start()
    for now, white, low in ((0, "5:05", False), (34, "4:31", False), (250, "0:55", True)):
        hall.now = now
        page = browser.client.get(browser.seat + path).text
        shown = dict(re.findall(r'data-runs="(yes|no)">([^<]*)<', page))
        assert shown == {"yes": white, "no": "5:05"}, now
        assert ("figures low" in page) is low


def test_the_first_page_need_not_read_what_is_kept(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Templates and texts are read when the console starts."""
    views.warm("en")
    before = catalogue.cache_info().misses

    def read(*_: object) -> None:
        raise AssertionError("a template is compiled")

    monkeypatch.setattr("jinja2.Environment.compile", read)
    browser = Browser(hall, "black")
    browser.enter()
    assert browser.client.get("/black/").status_code == 200
    assert catalogue.cache_info().misses == before
