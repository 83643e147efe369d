"""The page of a sighted player in a real Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, expect

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import accessible, shot
from tests.console.hall import Hall
from tests.console.pages.test_players import click_move, enter


def test_a_deaf_opponents_game_from_text_to_the_end(
    context: BrowserContext, tmp_path: Path
) -> None:
    hall = Hall(tmp_path, black=Player(name="Bert", hearing_impaired=True))
    try:
        hall.table.submit(f.Assistant(of="white"))  # without one the clock does not start
        hall.start()
        page = enter(context, hall, "black")
        page.get_by_text("A hearing-impaired player", exact=True).click()
        law = page.locator("#deaf blockquote")
        expect(law).to_contain_text("hørselshemmet spiller må det brukes en assistent")
        assert law.get_attribute("lang") in ("nb", "no")
        expect(page.locator("#deaf")).to_contain_text("fide-2023 D.2.11")
        for number, (white, black) in enumerate((("f2f3", "e7e5"), ("g2g4", "d8h4")), start=1):
            words = {"f2f3": "Bauer Felix zwei Felix drei", "g2g4": "Bauer Gustav zwei Gustav vier"}
            hall.table.submit(f.Announce(by="white", move=white))
            expect(page.locator(".announced")).to_have_text(words[white])
            expect(page.locator("#now")).to_contain_text(f"Move {number}, White announced:")
            if number == 1:
                accessible(page, colours=True)
            page.locator("#repeat-only").click()
            expect(page.locator("#repeat")).to_have_count(0)
            assert (hall.taken("repeat")[-1].by, hall.taken("repeat")[-1].move) == ("black", white)
            page.locator("#executed").click()
            expect(page.locator("#executed")).to_have_count(0)
            hall.table.submit(f.Make(by="white", move=white))
            hall.table.submit(f.Press(by="white"))
            expect(page.locator(".status")).to_contain_text("Black to move")
            click_move(page, black[:2], black[2:])
            if number == 1:
                page.get_by_role("button", name="Press the clock").click()
                expect(page.locator(".status")).to_contain_text("White to move")
                hall.table.submit(f.Make(by="white", move=black))
        expect(page.locator(".status")).to_have_text("The game is over: 0-1.")
        # What everybody was told stays to be read, the words of the end as well.
        expect(page.locator("#entries li").first).to_contain_text("Checkmate")
        page.reload()
        expect(page.locator("#entries li").first).to_contain_text("Checkmate")
        expect(page.locator("#entries")).to_contain_text("Bauer Felix zwei Felix drei")
        shot(page, "deaf-over")
    finally:
        hall.close()


def test_the_opponents_clocks_go_on_between_facts(context: BrowserContext, hall: Hall) -> None:
    """300 seconds and the increment of 5; nobody's clock is told to the impaired player unasked."""
    hall.start()
    page = enter(context, hall, "black")
    clocks = page.locator(".clock .figures")
    assert clocks.nth(1).inner_text() == "5:05"
    expect(clocks.nth(0)).to_have_text(re.compile("^(5:0[0-3]|4:..)$"))
    expect(page.locator(".clock.runs")).to_contain_text("White, Anna")
    expect(page.locator(".clock.runs .sign")).to_contain_text("running")
    # A page that has slept is told the time, and goes on from there.
    shown = page.evaluate(
        """() => {
            document.dispatchEvent(new CustomEvent("time", { detail: 64500 }));
            return document.querySelector(".clock .figures").textContent;
        }"""
    )
    assert shown == "4:00"
