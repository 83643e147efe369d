"""An arbiter sees who is missing on the hall's page, and declares forfeits there."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from html import unescape
from typing import TYPE_CHECKING

import pytest

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.hall.missing import REASONS
from blindplay.hall.pairings.decided import decisions_file, read_decisions, set_start
from blindplay.hall.pairings.played import results_in
from blindplay.hall.pairings.round_report import Reporter
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round
from blindplay.laws import facts as f
from blindplay.table import Table
from tests.waiting import until

from .running import Arbiter, Event, Served, served

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

ROUND = Round("3", (Assignment("3", "1", "Anna Berg", "Bert Dahl"),
                    Assignment("3", "2", "Cia Ek", "David Fors")))  # fmt: skip
SETUP = f.Setup(white=f.Player(name="Anna Berg", impaired=True), black=f.Player(name="Bert Dahl"),
                time_control="5400+30", round="3", default_time=1_800_000)  # fmt: skip
FIRST = {"round": "3", "white": "Anna Berg", "black": "Bert Dahl"}
SECOND = {"round": "3", "white": "Cia Ek", "black": "David Fors"}


@pytest.fixture
def hall(event: Event) -> Iterator[Served]:
    """A hall with a round of two games, of which a player may come 30 minutes late."""
    with served(event, default_time="30m") as pages:
        keep_round(pages.hall.follower.folder, ROUND)
        yield pages


@pytest.fixture
def maria(hall: Served) -> Arbiter:
    return Arbiter(hall).enter()


@pytest.fixture
def first(hall: Served) -> Table:
    """Table 1, whose people have not begun."""
    table = hall.event.table("1", setup=SETUP)
    hall.event.publish(table, "1")
    assert hall.follows(table, "1")
    assert until(lambda: hall.host.pages.missing.look().games[0].reason == "unbegun")
    return table


def shown(arbiter: Arbiter) -> str:
    """The words of the part of the page that says who is missing."""
    part = arbiter.page("/hall/").partition('<section id="missing"')[2].partition("</section>")[0]
    return " ".join(unescape(re.sub("<[^>]*>", " ", part.partition(">")[2])).split())


def begun(hall: Served, minutes: float) -> None:
    set_start(hall.hall.follower.folder, "3", time.time() - 60 * minutes, "Maria Berg")


def press(arbiter: Arbiter, *, form: dict[str, str], path: str = "forfeit") -> str:
    """Press the second button, and return what the page says then."""
    answer = arbiter.client.post(f"/hall/{path}", data=form)
    return answer.text if answer.status_code == 200 else arbiter.page("/hall/")


def test_the_page_says_who_is_missing_and_when_the_round_begins(
    hall: Served, maria: Arbiter, first: Table
) -> None:
    assert until(lambda: "not begun" in shown(maria))
    words = shown(maria)
    assert "Table 1 Anna Berg – Bert Dahl not begun Anna Berg is missing" in words
    assert "Table 2 Cia Ek – David Fors not connected" in words
    assert "Round 3 begins with its first game" in words
    assert "A player may come 30 min late." in words
    set_form = {"round": "3", "at": "2030-01-02 14:00"}
    assert "Set: 2030-01-02 14:00." in press(maria, form=set_form, path="begins")
    assert until(lambda: "Round 3 begins at 2030-01-02 14:00." in shown(maria))
    assert "The default time ends at 2030-01-02 14:30." in shown(maria)
    assert "soon is not a time" in unescape(
        press(maria, form={"round": "3", "at": "soon"}, path="begins")
    ).replace("'", "")


def test_a_forfeit_is_declared_in_two_presses_and_only_once(hall: Served, maria: Arbiter) -> None:
    """Table 2 has never been connected. Two arbiters have the page open."""
    begun(hall, 31)
    jens = Arbiter(hall, "Jens Dahl").enter()
    form = {**SECOND, "missing": "white"}
    sure = unescape(maria.client.get("/hall/forfeit", params=form).text)
    assert "Cia Ek (White) has not come, and loses against David Fors. The result is 0-1." in sure
    assert "fide-2023 6.7.1: A player who comes after the default time loses" in sure
    assert "the hall keeps it" in sure.lower() and "all the same" not in sure
    assert "Declared: Cia Ek – David Fors 0-1." in press(maria, form=form)
    assert "has changed meanwhile" in press(jens, form={**SECOND, "missing": "both"})
    (forfeit,) = read_decisions(hall.hall.follower.folder).of_round("3")
    assert (forfeit.result, forfeit.who) == ("0-1", "Maria Berg")
    assert until(lambda: "Forfeits Table 2 Cia Ek – David Fors 0-1" in shown(jens))


def test_before_the_default_time_has_ended_the_page_asks(hall: Served, maria: Arbiter) -> None:
    form = {**SECOND, "missing": "both"}
    untimed = unescape(maria.client.get("/hall/forfeit", params=form).text)
    assert "It is not known when the default time ends." in untimed
    begun(hall, 10)
    sure = unescape(maria.client.get("/hall/forfeit", params=form).text)
    assert "Neither Cia Ek nor David Fors has come. Both lose. The result is 0-0." in sure
    assert "The default time has not ended" in sure and "Declare 0-0 all the same" in sure
    # Somebody has set a later time since the page was opened.
    assert "Not done: the default time has not ended." in press(maria, form=form)
    assert not decisions_file(hall.hall.follower.folder).read_text("utf-8").count("forfeit")
    assert "Declared: " in press(maria, form={**form, "early": "yes"})


def test_a_connected_table_writes_the_forfeit_into_its_journal(
    hall: Served, maria: Arbiter, first: Table
) -> None:
    begun(hall, 31)
    form = {**FIRST, "missing": "black"}
    assert "Table 1 writes it into its journal" in maria.client.get(
        "/hall/forfeit", params=form
    ).text.replace("\n", " ")
    press(maria, form=form)
    assert first.game.result == "1-0" and first.game.forfeited
    assert [taken.fact.who for taken in first.log if taken.fact.who] == ["Maria Berg"]
    folder = hall.hall.follower.folder
    assert until(lambda: [one.result for one in results_in(folder, "3")] == ["1-0"])
    assert results_in(folder, "3")[0].scores == ("+", "-")
    assert not read_decisions(folder).forfeits
    report = Reporter(hall.hall.follower).report("en", "3")
    assert [(one.table, one.articles) for one in report.incidents] == [("1", ("fide-2023 6.7.1",))]
    assert until(lambda: "Table 1" not in shown(maria))  # nobody is asked to sign it
    assert "has changed meanwhile" in press(maria, form=form)


def test_a_player_who_comes_between_the_two_presses_is_not_forfeited(
    hall: Served, maria: Arbiter, first: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(hall, 31)
    form = {**FIRST, "missing": "black"}
    missing = hall.host.pages.missing
    before = missing.look()
    first.submit(f.Arrive(by="black"))
    assert until(lambda: missing.look().games[0].sides == ("white",))
    assert "has changed meanwhile" in press(maria, form=form)
    # The table knows it, even if the hall does not yet.
    monkeypatch.setattr(missing, "look", lambda: before)
    assert "That player is here." in press(maria, form=form)
    assert not first.game.over


def test_a_table_that_comes_with_a_forfeited_game_is_named_until_it_is_taken_back(
    hall: Served, maria: Arbiter
) -> None:
    begun(hall, 31)
    press(maria, form={**FIRST, "missing": "both"})
    table = hall.event.table("1", setup=SETUP)
    hall.event.publish(table, "1")
    assert until(lambda: "The table is connected now, and has this game." in shown(maria))
    assert not table.game.over  # nothing is declared there by itself
    table.submit(f.Start())
    assert until(lambda: "This game has begun at a table." in shown(maria))
    sure = maria.client.get("/hall/take-back", params=FIRST).text
    assert "The game counts as not played again." in sure
    assert "the reason is missing" in press(maria, form=FIRST, path="take-back")
    reason = {**FIRST, "reason": "they came in time"}
    assert "Taken back: Anna Berg – Bert Dahl." in press(maria, form=reason, path="take-back")
    assert until(lambda: "Forfeits" not in shown(maria))
    assert "has changed meanwhile" in press(maria, form=reason, path="take-back")


def test_an_adjourned_game_gets_a_time_and_is_forfeited_under_its_own_article(
    hall: Served, maria: Arbiter, first: Table
) -> None:
    first.submit(f.Start())
    first.submit(f.Arbiter(do="adjourn"))
    first.submit(f.Seal(by="white", text="e2e4"))
    first.submit(f.Press(by="white"))
    assert until(lambda: "adjourned, and not resumed" in shown(maria))
    (game,) = (one for one in hall.host.pages.missing.look().games if one.reason == "adjourned")
    press(maria, form={"game": game.game, "at": "2020-01-02 10:00"}, path="begins")
    assert until(lambda: "The default time ended at 2020-01-02 10:30." in shown(maria))
    form = {**FIRST, "missing": "black"}
    assert "Guideline I.10" in maria.client.get("/hall/forfeit", params=form).text
    press(maria, form=form)
    assert first.game.result == "1-0"


def test_a_disk_that_takes_nothing_is_said(
    hall: Served, maria: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError("no space")

    begun(hall, 31)
    monkeypatch.setattr("blindplay.hall.forfeits.declare", full)
    monkeypatch.setattr("blindplay.hall.forfeits.set_start", full)
    assert "cannot write it down" in press(maria, form={**SECOND, "missing": "white"})
    assert "cannot write it down" in press(maria, form={"round": "3", "at": "14:00"}, path="begins")


def test_nothing_that_a_browser_makes_up_declares_anything(hall: Served, maria: Arbiter) -> None:
    for form in (
        {}, {**SECOND, "missing": "arbiter"}, {**SECOND, "missing": ""},
        {**SECOND, "black": "Nobody", "missing": "white"},
    ):  # fmt: skip
        assert "has changed meanwhile" in press(maria, form={**form, "early": "yes"})
        maria.client.get("/hall/forfeit", params=form)
    assert not read_decisions(hall.hall.follower.folder).forfeits
    with Arbiter(hall).client as nobody:
        for path in ("forfeit", "take-back", "begins"):
            assert nobody.post(f"/hall/{path}", data=SECOND).status_code == 401


def test_every_reason_has_its_words() -> None:
    for language in LANGUAGES:
        say = catalogue(language)
        assert all(f"hall_missing_{reason}" in say for reason in REASONS)


def test_an_arbiter_declares_a_forfeit_with_the_keyboard_alone(
    hall: Served, first: Table, context: BrowserContext
) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible, violations

    begun(hall, 29)
    page = context.new_page()
    page.goto(hall.link())
    row = page.locator("#missing li", has_text="Table 2")
    expect(row.locator(".figures")).to_have_text(re.compile(r"^(1:00|0:\d\d)$"))
    accessible(page)
    link = page.locator("#forfeit-3-2-both")
    link.focus()
    begun(hall, 31)
    expect(page.locator("#urgent")).to_have_text(
        "The default time has ended, and players are missing. Tables: 1, 2."
    )
    expect(row).to_contain_text("The default time ended at")
    expect(link).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Nordic Open: Declare a forfeit")
    assert violations(page) == []
    page.locator("#sure").press("Enter")
    expect(page.locator("#polite")).to_have_text("Declared: Cia Ek – David Fors 0-0.")
    expect(page.locator("#declared-heading")).to_be_visible()
    accessible(page)
    page.locator("#back-3-2").press("Enter")
    assert violations(page) == []
    page.locator("#reason").fill("The train was late")
    page.locator("#sure").press("Enter")
    expect(page.locator("#polite")).to_have_text("Taken back: Cia Ek – David Fors.")
