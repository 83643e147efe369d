"""The report of a round."""

from __future__ import annotations

import csv
import io

from blindplay.hall.round_report import Reporter, as_csv
from blindplay.laws import facts as f
from tests.waiting import until

from .conftest import Event
from .playing import is_equal, play


def test_it_has_the_games_the_incidents_by_article_and_the_times(event: Event) -> None:
    hall = event.hall()
    ended, going = event.table("9"), event.table("10")
    event.publish(ended, "9")
    event.publish(going, "10")
    play(ended, "e2e4", "e7e5")
    ended.submit(f.Arbiter(do="penalty", player="black", penalty="warning", who="Maria Berg"))
    ended.submit(f.Resign(by="black"))
    play(going, "d2d4")
    going.submit(f.CallArbiter(by="white"))
    assert until(lambda: is_equal(hall, ended, "9") and is_equal(hall, going, "10"))
    reporter = Reporter(hall.follower)
    report = reporter.report("en")
    first, second = report.games
    assert (first.table, first.result, first.reason) == ("9", "1-0", "resignation")
    assert (first.white, first.moves, first.decided_by) == ("Anna", 1, ("Maria Berg",))
    assert first.took == "0:00" and first.left["white"].startswith("1:30:")
    assert (second.table, second.result) == ("10", "")
    assert [one.table for one in report.incidents] == ["9", "10"]
    assert "Warning" in report.incidents[0].text
    articles = dict(report.by_article)
    assert articles and sum(articles.values()) >= 2 and "fide-2023 6.11.2" in articles
    assert reporter.report("en").games[0] is first  # nothing new has come


def test_a_spreadsheet_gets_one_line_for_each_game_and_no_formula(event: Event) -> None:
    hall = event.hall()
    table = event.table(setup=f.Setup(white=f.Player(name="=1+1"), round="3"))
    event.publish(table)
    assert until(lambda: is_equal(hall, table))
    report = Reporter(hall.follower).report("de")
    heading, row = csv.reader(io.StringIO(as_csv(report, "de")))
    assert dict(zip(heading, row, strict=True))["Weiß"] == "'=1+1"
    assert dict(zip(heading, row, strict=True))["Runde"] == "3"
