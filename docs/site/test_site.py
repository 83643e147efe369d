"""The built site, opened as files in a real browser: ``make site`` runs this."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Page

import blindplay
from tests import ROOT
from tests.console.browser import DESK, PHONE, becomes, person, violations
from tests.test_documents import PAGES as DOCUMENTS

SITE = ROOT / "build" / "site"
START = SITE / "docs" / "site" / "index.html"
PAGES = sorted(
    page
    for page in SITE.rglob("*.html")
    if "_static" not in page.relative_to(SITE).parts
    and page != SITE / "index.html"  # it leads to START at once
)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page of a browser as wide as a phone."""
    with person(browser, viewport=PHONE) as somebody:
        yield somebody.new_page()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(SITE)))
def test_a_page_is_accessible_narrow_and_wide_light_and_dark_and_loads_nothing_from_others(
    page: Page, path: Path
) -> None:
    loaded, errors = list[str](), list[str]()
    page.on("request", lambda request: loaded.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.emulate_media(color_scheme="light", reduced_motion="reduce")
    page.goto(path.as_uri())
    page.wait_for_load_state()
    found = violations(page)
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        found.append(f"{page.evaluate('document.documentElement.scrollWidth')} pixels wide")
    page.set_viewport_size(DESK)
    found += violations(page)
    page.emulate_media(color_scheme="dark")
    becomes(page, "() => document.documentElement.dataset.theme === 'dark'")
    found += violations(page, "color-contrast")
    assert not found, "\n".join(found)
    assert not errors
    assert {url.split(":")[0] for url in loaded} <= {"file", "data"}


def test_each_document_is_in_the_site_in_its_language() -> None:
    for document in DOCUMENTS:
        built = SITE / document.relative_to(ROOT).with_suffix(".html")
        language = re.search(r"\.(da|de|nb|sv)\.md$", document.name)
        named = re.search(r'<html lang="(\w+)"', built.read_text("utf-8"))
        assert named and named[1] == (language[1] if language else "en"), document


def test_each_link_leads_to_a_place_in_the_site() -> None:
    texts = {page: page.read_text("utf-8") for page in PAGES}
    places = {page: set(re.findall(r'\sid="([^"]+)"', text)) for page, text in texts.items()}
    for page, text in texts.items():
        for link in re.findall(r'<(?:a|img)\s[^>]*(?:href|src)="([^"]+)"', text):
            if re.match(r"[a-z]+:", link):
                continue
            file, _, place = unquote(unescape(link)).partition("#")
            there = (page.parent / file).resolve() if file else page
            assert there.exists(), f"{page}: {link}"
            assert not place or place in places.get(there, {place}), f"{page}: {link}"


def test_the_reference_has_each_public_name_and_its_source() -> None:
    reference = (SITE / "docs" / "site" / "api.html").read_text("utf-8")
    modules = {"facts": "laws.facts", "rulings": "laws.rulings", "events": "boards.events"}
    for name in blindplay.__all__:
        if name in modules:
            own = (SITE / "docs" / "site" / f"{name}.html").read_text("utf-8")
            assert f'id="module-blindplay.{modules[name]}"' in own
        else:
            entry = reference.partition(f'id="blindplay.{name}"')[2].partition("</dt>")[0]
            assert entry, name
            if name != "load_language":  # has another name in its module, so it has no link there
                assert "_modules/blindplay/" in entry, name


@pytest.mark.parametrize(
    ("word", "title"),
    [("scoresheet", "record of a game"), ("Schachprogramme", "Allein spielen")],
    ids=["English", "German"],
)
def test_search_finds_a_page_without_a_server(page: Page, word: str, title: str) -> None:
    page.goto(START.as_uri())
    page.keyboard.press("Control+k")
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    found = page.get_by_role("main").get_by_role("link", name=title).first
    found.wait_for()
    assert violations(page) == []
    found.click()
    page.wait_for_load_state()
    assert title in page.get_by_role("heading", level=1).inner_text()


def test_the_pages_are_reached_by_keyboard_on_a_phone(page: Page) -> None:
    page.goto(START.as_uri())
    page.get_by_role("button", name="Site navigation").press("Enter")
    inside = page.get_by_role("dialog")
    inside.wait_for()
    assert violations(page) == []
    link = inside.get_by_role("link", name="Arbiters")
    link.press("Enter")
    page.wait_for_url("**/arbiter.html")
    assert page.get_by_role("heading", level=1).inner_text() == "For arbiters"
