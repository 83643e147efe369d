"""What the hall's page shows of each table."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.overview import GROUPS, NEEDS, Overview, meant, natural
from blindplay.hall.protocol import Head, Presence, Topic, encode
from blindplay.hall.requests import FRESH_S

DIGEST = "0123456789abcdef" * 2
HEAD = Head(
    run="r", seq=1, game=DIGEST, n=1, digest=DIGEST, t=60.0, wall=0.0, state="playing",
    white="Anna Berg", black="Bert Dahl", round="3", moves=3, last="e7e8q",
    fen="4Q1k1/8/8/8/8/8/8/4K3 b - - 0 2",
    left={"white": 300.0, "black": 250.5}, running="white",
)  # fmt: skip


class Tables:
    """A follower that is given heads and presences, with a time that is told."""

    def __init__(self, folder: Path) -> None:
        self.now = 1000.0
        self.wall = 5000.0
        self.follower = Follower("open", folder, lambda topic, payload: None)
        self.overview = Overview(self.follower, lambda: self.now, lambda: self.wall)
        self._seq = 0

    def head(self, table: str, **changed: object) -> None:
        self._seq += 1
        head = replace(HEAD, seq=self._seq, **changed)  # type: ignore[arg-type]
        self._give(table, "head", encode(head))

    def present(self, table: str, online: bool = True, waits: float = -1.0) -> None:
        self._give(table, "presence", encode(Presence("p", online, waits=waits)))

    def _give(self, table: str, kind: str, payload: bytes) -> None:
        self.follower.receive(str(Topic("open", table, kind)), payload, self.now)


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    return Tables(tmp_path)


def kinds(tables: Tables, name: str) -> list[str]:
    tables.overview.look()
    return [need.kind for need in tables.overview[name].needs]


def test_a_table_shows_its_players_its_last_move_and_its_clocks(tables: Tables) -> None:
    tables.present("4")
    tables.head("4")
    assert tables.overview.look() == {"4": ()}
    shown = tables.overview["4"]
    assert (shown.white, shown.black, shown.round) == ("Anna Berg", "Bert Dahl", "3")
    assert (shown.moves, shown.last) == (2, "e7–e8=Q")  # three plies: the second move has begun
    white, black = shown.clocks
    assert (white.left, white.at, white.runs) == (300_000, 1_000_000, True)
    assert (black.left, black.runs, black.shown) == (250_500, False, "4:10")
    assert shown.groups == ("playing",)


def test_what_only_goes_on_changes_nothing(tables: Tables) -> None:
    tables.present("4")
    tables.head("4")
    tables.overview.look()
    tables.now += 10
    tables.head("4", t=70.0, left={"white": 290.1, "black": 250.5})
    assert tables.overview.look() == {}
    tables.head("4", t=70.0, left={"white": 350.1, "black": 250.5})
    assert tables.overview.look() == {"4": ()}


def test_tables_that_need_somebody_come_first_and_the_most_urgent_before_all(
    tables: Tables,
) -> None:
    for name, needs in (("1", []), ("2", ["boards"]), ("3", ["arbiter"]), ("10", ["arbiter"])):
        tables.present(name)
        tables.head(name, needs=needs)
    assert tables.overview.look()["3"] == ("arbiter",)
    tables.wall += 60
    tables.head("1", needs=["decision", "arbiter"])
    tables.overview.look()
    assert [one.name for one in tables.overview.urgent] == ["1", "10", "3", "2"]
    assert (
        tables.overview["1"].needs[0].since == 5060 and tables.overview["3"].needs[0].since == 5000
    )
    assert tables.overview.names == ["1", "2", "3", "10"]


def test_a_need_says_for_how_many_minutes_it_has_waited(tables: Tables) -> None:
    tables.present("4")
    tables.head("4", needs=["arbiter"])
    tables.overview.look()
    for seconds, minutes, changed in (
        (59, 0, {}),
        (1, 1, {"4": ()}),
        (30, 1, {}),
        (30, 2, {"4": ()}),
    ):
        tables.wall += seconds
        assert tables.overview.look() == changed
        assert tables.overview["4"].needs[0].minutes == minutes


@pytest.mark.parametrize(
    ("uci", "fen", "shown"),
    [
        ("g1f3", "8/8/8/8/8/5N2/8/K1k5 b - - 0 1", "Ng1–f3"),
        ("e2e4", "8/8/8/8/4P3/8/8/K1k5 b - - 0 1", "e2–e4"),
        ("e1g1", "8/8/8/8/8/8/8/k4RK1 b - - 0 1", "O-O"),
        ("e8c8", "2kr4/8/8/8/8/8/8/K7 w - - 0 1", "O-O-O"),
        ("e1h1", "8/8/8/8/8/8/8/k4RK1 b - - 0 1", "O-O"),  # as in Chess960
        ("e1f1", "8/8/8/8/8/8/8/k4K2 b - - 0 1", "Ke1–f1"),
        ("b7a8n", "N7/8/8/8/8/8/8/K1k5 b - - 0 1", "b7–a8=N"),
        ("?", "", "?"),  # of a newer table
    ],
)
def test_a_move_has_its_piece(tables: Tables, uci: str, fen: str, shown: str) -> None:
    tables.head("4", last=uci, fen=fen)
    tables.overview.look()
    assert tables.overview["4"].last == shown


def test_a_table_that_is_not_connected_needs_somebody_until_its_game_is_over(
    tables: Tables,
) -> None:
    tables.present("4")
    tables.head("4", running="")
    assert kinds(tables, "4") == []
    tables.now += FRESH_S + 1  # it should have published its head twice
    assert kinds(tables, "4") == ["gone"]
    assert "gone" in tables.overview["4"].groups
    tables.head("4", running="")
    assert kinds(tables, "4") == []
    tables.present("4", online=False)
    assert kinds(tables, "4") == ["gone"]
    tables.head("4", state="over", result="1-0")
    assert kinds(tables, "4") == [] and tables.overview["4"].result == "1-0"


def test_a_clock_that_runs_below_a_minute_needs_somebody(tables: Tables) -> None:
    tables.present("4")
    tables.head("4", left={"white": 65.0, "black": 5.0})
    assert kinds(tables, "4") == []  # Black's does not run
    tables.now += 6
    assert kinds(tables, "4") == ["low"]
    tables.head("4", state="stopped", running="", left={"white": 59.0, "black": 5.0})
    assert kinds(tables, "4") == []


def test_a_table_of_which_nothing_has_come_is_shown(tables: Tables) -> None:
    tables.present("4")
    tables.overview.look()
    assert tables.overview["4"].groups == ("setup",)
    assert tables.overview["4"].state == "" and set(tables.overview["4"].groups) < set(GROUPS)


def test_a_state_that_only_a_newer_table_knows_is_shown_as_unknown(tables: Tables) -> None:
    tables.head("4", state="suspended")
    tables.overview.look()
    assert tables.overview["4"].state == ""


def test_a_table_that_waits_for_its_next_game_shows_no_earlier_one(tables: Tables) -> None:
    tables.head("4", state="over", result="1-0")
    tables.present("4", waits=3.0)
    tables.overview.look()
    shown = tables.overview["4"]
    assert (shown.state, shown.groups, shown.white, shown.result) == (
        "waiting",
        ("waiting",),
        "",
        "",
    )
    tables.present("4")
    tables.head("4")
    tables.overview.look()
    assert tables.overview["4"].groups == ("playing",)


def test_names_are_sorted_by_their_numbers() -> None:
    names = ["b2", "10", "b10", "9", "hall"]
    assert sorted(names, key=natural) == ["b2", "b10", "hall", "9", "10"]
    assert NEEDS[:5] == ("conflict", "decision", "arbiter", "flag", "boards")


def test_a_time_that_was_typed_has_its_date_unless_it_comes_later_today() -> None:
    """So nobody takes a time that has passed for one to come."""
    noon = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
    assert meant(noon - 60, noon) == "2026-11-30 11:59"
    assert meant(noon + 60, noon) == "12:01"
    assert meant(noon + 24 * 3600, noon) == "2026-12-01 12:00"
