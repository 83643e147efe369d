"""Pairings, results and standings for everybody, and the page for a projector."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blindplay.console.messages import LANGUAGES
from blindplay.hall.broadcast.lists import EventLists, figures
from blindplay.hall.broadcast.spectators import SpectatorsPages
from blindplay.hall.pairings.decided import Forfeit, declare, take_back
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round
from blindplay.laws import facts as f
from tests.hall.model import ScriptedTable, pass_time

from ..pairings.test_rounds import copy
from ..pairings.trf_text import OPEN, Line
from .test_spectators import Watched

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

RANKED = OPEN.replace("XXR 5", "202 BH/C1,SB\n212 PTS, BH/C1, REP, XYZ")


class Listed(Watched):
    """Three tables that play round 2, and the lists of their event."""

    def __init__(self, folder: Path, delay: int = 0, names: bool = True) -> None:
        super().__init__(folder, delay, names)
        self.host.close()
        self.folder, self.report = folder, folder / "cup.trf"
        self.report.write_text(RANKED, "utf-8")
        self.lists = EventLists(folder, self.report, self.shown)
        self.serve(self.lists if names else None)

    def serve(self, lists: EventLists | None) -> None:
        from blindplay.console.access import RateLimiter
        from blindplay.hall.broadcast.broadcasting import PublicHost

        self.pages = SpectatorsPages(self.shown, "Cup", lists)
        self.pages.limits.asking = RateLimiter(a_second=1e6, at_once=10**6)
        self.host = PublicHost(self.pages, "127.0.0.1", 0)

    def play_again(self, *facts: f.Fact, number: str = "2") -> None:
        """Table 3 plays a game of Dahl and Berg with these facts, which everybody has seen."""
        table = self.tables[2]
        assert isinstance(table, ScriptedTable)
        white, black = f.Player(name="Bert Dahl"), f.Player(name="Anna Berg")
        table.next_game(f"again {number}", f.Setup(round=number, white=white, black=black), *facts)
        self.hall.publish(table.journal(table.lines))
        pass_time(self.hall, self.tables, 1)
        self.shown.catch_up()

    def rows(self, path: str) -> list[list[str]]:
        """The texts of the cells of a page's table."""
        page = self.get(path).text
        rows = re.findall("<tr>(.*?)</tr>", page, re.DOTALL)[1:]
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        return [[re.sub("<[^>]*>", "", cell) for cell in row] for row in cells]


@pytest.fixture
def listed(tmp_path: Path) -> Iterator[Listed]:
    listed = Listed(tmp_path)
    yield listed
    listed.host.close()


def test_a_player_finds_table_colour_and_opponent_by_the_last_name(listed: Listed) -> None:
    """Round 2 of the file: Dahl against Berg and Fors against Ek, Gran rests."""
    assert listed.rows("pairings") == [
        ["Anna Berg", "1", "Black", "Bert Dahl"],
        ["Bert Dahl", "1", "White", "Anna Berg"],
        ["Cecilia Ek", "2", "White", "David Fors"],
        ["David Fors", "2", "Black", "Cecilia Ek"],
        ["Eva Gran", "no opponent in this round, one point"],
    ]


def test_each_kind_of_bye_is_named(listed: Listed) -> None:
    for kind, said in (("H", "does not play in this round, half a point"),
                       ("Z", "does not play in this round"),
                       (" ", "no opponent in this round")):  # fmt: skip
        listed.report.write_text(RANKED.replace("- U\n", f"- {kind}\n"), "utf-8")
        os.utime(listed.report, ns=(1, ord(kind)))
        assert listed.rows("pairings")[-1] == ["Eva Gran", said]
        assert f"<p>Eva Gran: {said}</p>" in listed.get("results").text


def test_results_of_earlier_rounds_are_those_of_the_file(listed: Listed) -> None:
    rows = listed.rows("results?round=1")
    assert rows == [
        ["1", "Anna Berg", "1–0", "Cecilia Ek"],
        ["2", "David Fors", "0–1", "Bert Dahl"],
    ]
    assert [row[2] for row in listed.rows("results")] == ["–no result yet"] * 2
    assert "aria-current" in listed.get("results?round=1").text


def test_standings_are_the_files_and_name_its_tie_breaks(listed: Listed) -> None:
    """By its ranks, with points; tie-breaks by the tag 212 before 202, an unknown one by its code,
    and no value that the file does not hold."""
    assert listed.rows("standings") == [
        ["1", "Anna Berg", "1.0"], ["2", "Bert Dahl", "1.0"], ["3", "Eva Gran", "1.0"],
        ["4", "Cecilia Ek", "0.0"], ["5", "David Fors", "0.0"],
    ]  # fmt: skip
    page = listed.get("standings").text
    assert "Buchholz (BH/C1), Rounds elected to play (REP), XYZ." in page
    assert "After round 1, " in page and "SB" not in page


def test_a_file_that_is_written_anew_is_read_anew(listed: Listed) -> None:
    listed.rows("standings")
    listed.report.write_text(RANKED.replace("1.0    1 ", "0.5    1 "), "utf-8")
    os.utime(listed.report, ns=(1, 1))
    assert listed.rows("standings")[0] == ["1", "Anna Berg", "0.5"]
    assert "do not follow from its results" in listed.get("standings").text
    listed.report.write_text("nothing", "utf-8")
    assert listed.rows("standings")[0] == ["1", "Anna Berg", "0.5"]  # as it was read last
    assert "no line begins with 001" in listed.lists.trouble
    listed.report.write_text(RANKED, "utf-8")
    assert listed.rows("standings") and not listed.lists.trouble


def test_points_that_are_older_than_the_results_are_named(listed: Listed) -> None:
    ended = RANKED.replace("     1 w\n", "     1 w 0\n").replace("     2 b\n", "     2 b 1\n")
    listed.report.write_text(ended, "utf-8")
    os.utime(listed.report, ns=(1, 1))
    page = listed.get("standings").text
    assert "After round 1, " in page and "The results from round 2 on are not in" in page
    assert listed.get("standings", "de").text.count("1,0") == 3


def test_the_organiser_is_told_that_letters_of_the_file_were_guessed(listed: Listed) -> None:
    listed.rows("standings")
    assert not listed.lists.remarks
    listed.report.write_bytes(RANKED.replace("Dahl, Bert", "Öhman, Åsa").encode("cp1252"))
    assert ["1", "Anna Berg", "1.0"] in listed.rows("standings")
    told = " ".join(listed.lists.remarks)
    assert told.startswith("cup.trf is not in UTF-8") and "Öhman" in told


def test_without_the_report_file_the_kept_pairings_are_shown(listed: Listed) -> None:
    listed.report.unlink()
    for path in ("pairings", "results", "standings", "screen"):
        page = listed.get(path).text
        assert "The lists cannot be read." in page and "not paired yet" not in page
    keep_round(listed.folder, Round("1", (Assignment("1", "4", "Anna Berg", "Bert Dahl"),)))
    assert listed.rows("pairings")[0] == ["Anna Berg", "4", "White", "Bert Dahl"]
    assert listed.lists.trouble


def test_a_file_that_pairs_all_rounds_shows_the_one_that_is_played(listed: Listed) -> None:
    """A round robin of four: round 1 until all its results are there, or round 2 is kept."""

    def write(first: str, second: str) -> None:
        lines = [
            Line(1, "Ek, Eva", games=[(4, "w", first), (3, "b", ""), (2, "w", "")]),
            Line(2, "Ask, Bo", games=[(3, "w", second), (4, "b", ""), (1, "b", "")]),
            Line(3, "Dal, Ann", games=[(2, "b", second), (1, "w", ""), (4, "w", "")]),
            Line(4, "Ny, Per", games=[(1, "b", first), (2, "w", ""), (3, "b", "")]),
        ]
        listed.report.write_text("\n".join(map(str, lines)), "utf-8")

    for first, second, newest in (("", "", 1), ("=", "", 1), ("=", "=", 2)):
        write(first, second)
        assert f"Pairings, round {newest}" in listed.get("pairings").text
        assert f"Results, round {newest}" in listed.get("results").text
        assert f"Results, round {newest}" in listed.get("screen").text
    assert "Results, round 3" in listed.get("results?round=3").text
    write("", "")
    keep_round(listed.folder, Round("2", (Assignment("2", "4", "Per Ny", "Bo Ask"),)))
    assert "Pairings, round 2" in listed.get("pairings").text


def test_a_result_of_an_earlier_round_is_no_earlier_than_the_delay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Table 10 plays on while the next round is paired; table 7 played while no broadcast ran."""
    monkeypatch.setattr("blindplay.hall.broadcast.lists._AGAIN_S", 0.0)
    listed = Listed(tmp_path, delay=60)
    try:
        games = (
            Assignment("3", "7", "Cecilia Ek", "David Fors"),
            Assignment("3", "10", "Anna Berg", "Bert Dahl"),
        )
        keep_round(tmp_path, Round("3", games))
        keep_round(tmp_path, Round("4", (Assignment("4", "1", "Anna Berg", "David Fors"),)))
        ek, fors = f.Player(name="Cecilia Ek"), f.Player(name="David Fors")
        copy(tmp_path, "7", f.Resign(by="black"), white=ek, black=fors, round="3")
        copied = tmp_path / "table-7" / "game.jsonl"
        listed.pass_time(100)
        table = listed.tables[2]
        assert isinstance(table, ScriptedTable)
        listed.hall.publish(
            table.journal(table.tell(f.Resign(t=round(table.clock * 1000), by="white")))
        )
        none = "–no result yet"
        for passed, result in ((0, none), (58, none), (3, "0–1")):
            pass_time(listed.hall, listed.tables, passed)
            listed.shown.catch_up()
            assert [row[2] for row in listed.rows("results?round=3")] == [none, result]
        os.utime(copied, (time.time() - 50, time.time() - 50))
        assert listed.rows("results?round=3")[0][2] == none
        os.utime(copied, (time.time() - 61, time.time() - 61))
        assert listed.rows("results?round=3")[0][2] == "1–0"
    finally:
        listed.host.close()


def test_a_forfeit_of_the_hall_is_shown_as_late_as_all_results(tmp_path: Path) -> None:
    forfeit = Forfeit("2", "2", "Cecilia Ek", "David Fors", "white", "fide-2023 6.7.1", "Maria")
    declare(tmp_path, forfeit)
    for delay, shown in ((0, "– : +"), (900, "")):
        listed = Listed(tmp_path, delay)
        try:
            (newest,) = (one for one in listed.lists.read().rounds if one.number == "2")
            assert newest.games[1].result == shown
        finally:
            listed.host.close()


@pytest.mark.parametrize("earlier", [False, True])
def test_a_forfeited_game_that_a_table_has_begun_has_no_result_until_it_is_decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, earlier: bool
) -> None:
    """In the round that is played, and in an earlier one."""
    monkeypatch.setattr("blindplay.hall.broadcast.lists._AGAIN_S", 0.0)
    forfeit = Forfeit("2", "1", "Bert Dahl", "Anna Berg", "white", "fide-2023 6.7.1", "Maria")
    declare(tmp_path, forfeit)
    listed = Listed(tmp_path)
    try:

        def result() -> str:
            return listed.rows("results?round=2")[0][2]

        assert result() == "– : +"
        if earlier:
            copy(tmp_path, "7", f.Resign(by="black"))
            old = time.time() - 100
            os.utime(tmp_path / "table-7" / "game.jsonl", (old, old))
            keep_round(tmp_path, Round("3", (Assignment("3", "1", "Anna Berg", "David Fors"),)))
        else:
            listed.play_again(f.Start())
        assert result() == "–no result yet"
        take_back(tmp_path, forfeit, "Maria", "they came")
        assert result() == ("1–0" if earlier else "–no result yet")
    finally:
        listed.host.close()


def test_a_forfeit_that_a_table_has_recorded_is_shown_as_one(listed: Listed) -> None:
    listed.play_again(f.Arbiter(do="forfeit", player="black"))
    assert listed.rows("results?round=2")[0][2] == "+ : –"


def test_a_forfeit_of_the_file_that_was_taken_back_is_no_result(listed: Listed) -> None:
    forfeit = Forfeit("2", "1", "Bert Dahl", "Anna Berg", "black", "fide-2023 6.7.1", "Maria")
    declare(listed.folder, forfeit)
    text = RANKED.replace("     1 w\n", "     1 w +\n").replace("     2 b\n", "     2 b -\n")
    listed.report.write_text(text, "utf-8")
    os.utime(listed.report, ns=(1, 1))
    assert listed.rows("results?round=2")[0][2] == "+ : –"
    take_back(listed.folder, forfeit, "Maria", "they came")
    assert listed.rows("results?round=2")[0][2] == "–no result yet"


def test_kept_pairings_go_before_the_file_and_get_the_results_that_the_public_has_seen(
    tmp_path: Path,
) -> None:
    """Anna Berg and Bert Dahl play at table 10; the result is shown a minute late."""
    listed = Listed(tmp_path, delay=60)
    try:
        games = (Assignment("3", "10", "Anna Berg", "Bert Dahl"),)
        keep_round(tmp_path, Round("3", games, ("Carl Lund",)))
        listed.pass_time(100)
        table = listed.tables[2]
        assert isinstance(table, ScriptedTable)
        listed.hall.publish(
            table.journal(table.tell(f.Resign(t=round(table.clock * 1000), by="white")))
        )
        for passed, result in ((0, "–no result yet"), (58, "–no result yet"), (3, "0–1")):
            pass_time(listed.hall, listed.tables, passed)
            listed.shown.catch_up()
            assert listed.rows("results?round=3") == [["10", "Anna Berg", result, "Bert Dahl"]]
    finally:
        listed.host.close()


def test_a_corrected_result_goes_before_the_former_one_in_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The organiser has entered the results, then the arbiter corrects one (8.7): first in the
    round that is played, and later in an earlier one."""
    monkeypatch.setattr("blindplay.hall.broadcast.lists._AGAIN_S", 0.0)
    listed = Listed(tmp_path)
    try:
        listed.pass_time(100)
        facts = (f.Start(), f.Resign(by="white"), f.Arbiter(do="declare", result="1/2-1/2",
                 reason="both had agreed"))  # fmt: skip
        listed.play_again(*facts)

        def shown(first: str, second: str) -> str:
            text = RANKED.replace("     1 w\n", f"     1 w {first}\n")
            listed.report.write_text(text.replace("     2 b\n", f"     2 b {second}\n"), "utf-8")
            os.utime(listed.report, ns=(1, ord(first)))
            (found,) = [row[2] for row in listed.rows("results?round=2") if row[1] == "Bert Dahl"]
            return found

        assert shown("0", "1") == "½–½"
        assert shown("1", "0") == "1–0"  # the organiser has decided something else
        assert shown("=", "=") == "½–½"
        copy(tmp_path, "7", f.Resign(by="white"), facts[2], round="2")
        old = time.time() - 100
        os.utime(tmp_path / "table-7" / "game.jsonl", (old, old))
        keep_round(tmp_path, Round("3", (Assignment("3", "1", "Anna Berg", "David Fors"),)))
        listed.play_again(number="3")
        assert shown("0", "1") == "½–½" and shown("1", "0") == "1–0"
    finally:
        listed.host.close()


def test_without_names_there_are_no_lists(tmp_path: Path) -> None:
    listed = Listed(tmp_path, names=False)
    try:
        for path in ("pairings", "results", "standings", "screen"):
            assert listed.get(path).status_code != 200
            assert f'href="/public/{path}"' not in listed.get().text
    finally:
        listed.host.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lists_are_in_the_readers_language(listed: Listed, language: str) -> None:
    for path in ("pairings", "results", "standings", "screen"):
        answer = listed.get(path, language)
        assert answer.status_code == 200 and f'lang="{language}"' in answer.text


@pytest.mark.parametrize(
    ("white", "black", "shown"),
    [("=", "=", "½–½"), ("1", "0", "1–0"), ("W", "L", "1–0"), ("-", "-", "– : –"), ("", "", "")],
)
def test_figures_of_results(white: str, black: str, shown: str) -> None:
    assert figures(white, black) == shown


def test_a_projectors_page_turns_by_itself_until_a_key_is_pressed(
    context: BrowserContext, listed: Listed
) -> None:
    """Forty players do not fit into one window. Every row is shown once in a round of the pages."""
    from playwright.sync_api import expect

    lines = [
        str(
            Line(
                n + 1, f"Player, Number {n}", "0.0", n + 1, [(n + 2 - 2 * (n % 2), "wb"[n % 2], "")]
            )
        )
        for n in range(40)
    ]
    listed.report.write_text("\n".join(lines), "utf-8")
    page = context.new_page()
    page.clock.install(time=0)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{listed.host.url}screen")
    number = page.locator("#page")
    expect(number).to_contain_text(" of ")
    page.clock.pause_at(86_400)  # from now on time passes only where the test lets it
    at, pages = (int(word) for word in re.findall(r"\d+", number.inner_text()))
    seen: list[str] = []

    def turned(to: int) -> None:
        expect(number).to_have_text(f"Page {(at + to - 1) % pages + 1} of {pages}")

    for count in range(pages):
        turned(count)
        rows = page.locator("#lists tbody tr:visible")
        seen += rows.all_inner_texts()
        bottom = page.locator("footer").bounding_box()
        last = rows.last.bounding_box()
        assert bottom and last and last["y"] + last["height"] <= bottom["y"]
        page.clock.run_for(12_000)
    assert len(seen) == len(set(seen)) == 20 + 40 + 40
    turned(pages)
    page.keyboard.press("x")
    expect(page.locator("#go")).to_have_text("Go on")
    page.clock.run_for(30_000)
    turned(pages)
    page.keyboard.press("ArrowRight")
    turned(pages + 1)
    page.keyboard.press("Space")
    page.clock.run_for(12_000)
    turned(pages + 2)


def test_a_projectors_page_rests_under_reduced_motion_and_says_how_old_it_is(
    context: BrowserContext, listed: Listed
) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible

    page = context.new_page()
    page.emulate_media(reduced_motion="reduce")
    page.clock.install()
    page.goto(f"{listed.host.url}screen")
    expect(page.locator("#go")).to_have_text("Go on")
    page.clock.run_for(30_000)
    expect(page.locator("#page")).to_contain_text("Page 1 of ")
    expect(page.locator("#age")).to_contain_text("The tables were heard ")
    accessible(page, colours=True)
    listed.host.close()
    for _ in range(2):  # it is said once
        page.clock.run_for(30_000)
        expect(page.locator("#polite")).to_contain_text("The connection is lost")
    seconds = int(re.sub(r"\D", "", page.locator("#age").inner_text()))
    assert seconds >= 60
    for path in ("pairings", "results", "standings"):
        listed.serve(listed.lists)
        page.goto(f"{listed.host.url}{path}")
        accessible(page)
