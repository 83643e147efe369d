"""Everybody sees the games later, and nothing too early."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from blindplay.console.public import Audience
from blindplay.hall.broadcast.delayed import NOTHING, DelayedCopy, DelayedHall, JournalEnd
from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.wording.pack_words import PackWords
from tests.hall.model import ModelHall, ScriptedTable, forged, pass_time, setup
from tests.laws.random_games import play
from tests.sampling import first


def copy_of(hall: ModelHall, delay: int, shown: JournalEnd = NOTHING) -> DelayedCopy:
    table = hall.follower.tables["1"]
    assert table.game is not None
    return DelayedCopy(hall.follower, table, table.game, delay, shown, lambda: hall.now)


def begun(folder: Path, table: ScriptedTable) -> ModelHall:
    hall = ModelHall(folder, table)
    hall.publish(table.presence(), table.journal(table.lines), table.head())
    hall.wait(0.2)
    return hall


@pytest.mark.parametrize("seed", first(8, range(25)))
def test_it_is_the_game_as_it_was_and_never_newer(tmp_path: Path, seed: int) -> None:
    """Random games over a network that loses, doubles and delays. Sometimes the table stands still,
    as when its process is started again, and sometimes the hall is. A line is never shown before it
    is as old as the delay. A line that the hall has had for so long is shown."""
    chance = random.Random(seed)
    delay = chance.choice((0, 1, 7, 60))
    first, *coming = [fact for fact, _, _ in play(seed, 90)]
    table = ScriptedTable(first)
    hall = ModelHall(tmp_path, table, seed=seed)
    facts, happened, came = [first], [0.0], dict[str, float]()
    past: DelayedCopy | None = None
    shown: JournalEnd = NOTHING
    hall.publish(table.presence(), table.journal(table.lines), table.head())
    while coming:
        passed = chance.choice((0.1, 0.5, 2.0, 20.0))
        hall.now += passed
        if chance.random() < 0.9:  # else the table stands still
            table.clock += passed
        while coming and coming[0].t <= table.clock * 1000:
            facts.append(coming.pop(0))
            hall.publish(table.journal(table.tell(facts[-1])))
            happened.append(hall.now - (table.clock - facts[-1].t / 1000))
        if chance.random() < 0.5:
            hall.publish(table.head())
        if chance.random() < 0.03 and past is not None:
            shown, past = past.shown, None
            hall.start()
            hall.publish(table.presence(), table.head())
        hall.deliver()
        hall.follower.tick(hall.now)
        known = hall.follower.tables.get("1")
        if known is None or known.game is None:
            came.clear()
            continue
        if past is None:
            past = copy_of(hall, delay, shown)
            came.clear()
        past.catch_up()
        copy = known.game.copy
        for number in range(1, copy.number + 1):
            came.setdefault(copy.digest(number), hall.now)
        number = past.shown[0] if copy.reaches(*past.shown) else 0
        assert all(at <= hall.now - delay + 0.001 for at in happened[:number])
        expected = Game(PackWords())
        for fact in facts[:number]:
            expected.apply(fact)
        assert past.game.setup == expected.setup
        if expected.setup is not None:
            assert past.game.board.fen() == expected.board.fen()
            assert past.game.result == expected.result
            assert len(past.game.history) == len(expected.history)
        old = [n for n in range(1, copy.number + 1) if came[copy.digest(n)] <= hall.now - delay]
        assert number >= max(old, default=0)


def test_moves_come_when_the_delay_has_passed(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 60)
    hall.now, table.clock = 100.0, 100.0
    hall.publish(table.journal(table.move(100.0, "e2e4")), table.head())
    hall.deliver()
    for at, moves in ((100.0, 0), (159.9, 0), (160.0, 1)):
        hall.now = at
        past.catch_up()
        assert len(past.game.history) == moves


def test_lines_that_come_late_are_shown_by_the_time_of_their_table(tmp_path: Path) -> None:
    """The table was cut off for ten minutes; its head says how long ago the move was."""
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 60)
    lines = table.move(100.0, "e2e4")
    hall.now, table.clock = 700.0, 700.0
    hall.publish(table.journal(lines), table.head())
    hall.deliver()
    past.catch_up()
    assert len(past.game.history) == 1


def test_a_table_that_stood_still_shows_nothing_early(tmp_path: Path) -> None:
    """An hour passes in which the table's time stands. The next move comes before a head."""
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 60)
    hall.now = 3600.0
    hall.publish(table.journal(table.move(1.0, "e2e4")))
    hall.deliver()
    past.catch_up()
    assert past.game.history == []
    hall.now = 3660.0
    past.catch_up()
    assert len(past.game.history) == 1


def test_a_forged_line_that_is_taken_out_in_time_is_never_shown(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 60)
    hall.publish(table.journal([forged(table, 2)]))
    hall.wait(1)
    past.catch_up()
    hall.settle()
    hall.now += 100
    past.catch_up()
    assert past.shown[0] == len(table.lines) == 2 and past.game.turn.announced is None


def test_lines_that_were_shown_and_are_taken_out_are_no_longer_shown(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 0)
    line = forged(table, 2)
    hall.publish(table.journal([line]))
    hall.wait(1)
    past.catch_up()
    assert past.shown[0] == 3
    before = past.taken
    hall.settle()
    past.catch_up()
    past.catch_up()
    assert past.shown[0] == 2 and past.taken > before


def test_the_clocks_stop_when_the_table_is_silent(tmp_path: Path) -> None:
    table = ScriptedTable(setup(), f.Start())
    hall = begun(tmp_path, table)
    past = copy_of(hall, 0)
    table.clock = 10.0
    hall.publish(table.head())
    hall.deliver()
    hall.now += 5
    assert past.catch_up() == 15_000
    hall.now += 600
    assert past.catch_up() == 40_000


def test_a_fact_of_a_newer_table_ends_the_game_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = ScriptedTable(setup(), f.Start())
    table.move(1.0, "e2e4")
    monkeypatch.delitem(f.KINDS, "announce")
    hall = begun(tmp_path, table)
    past = copy_of(hall, 0)
    past.catch_up()
    assert "Update BlindPlay" in past.trouble and past.game.started


DELAY = 900


class Watched:
    """Tables, and the hall as everybody sees it."""

    def __init__(self, folder: Path, *tables: ScriptedTable, names: bool = True) -> None:
        self.hall = ModelHall(folder, *tables)
        self.tables = tables
        self.names = names
        for table in tables:
            self.hall.publish(table.presence(), table.journal(table.lines))
        self.again()

    def again(self) -> None:
        """A new process of what everybody sees."""
        audience = Audience(DELAY, self.names)
        self.shown = DelayedHall(self.hall.follower, audience, "Cup", lambda: self.hall.now)

    def wait(self, seconds: float) -> None:
        """Pass time at the tables, too."""
        pass_time(self.hall, self.tables, seconds)
        self.shown.catch_up()

    def moves(self) -> dict[str, int]:
        """How many moves each table shows."""
        return {one.table: len(one.game.history) for one in self.shown.boards()}


def test_a_table_shows_its_new_game_only_when_that_is_old_enough(tmp_path: Path) -> None:
    """The next round begins before the last moves of this one are shown."""
    table = ScriptedTable(setup(), f.Start())
    watched = Watched(tmp_path, table)
    watched.wait(1000)
    watched.hall.publish(table.journal(table.move(1000, "e2e4")))
    watched.wait(100)
    watched.wait(200)
    assert watched.moves() == {"1": 0}
    table.next_game("run-2", setup(round="4"), f.Start())
    watched.hall.publish(table.presence(), table.journal(table.lines))
    watched.wait(100)
    assert watched.moves() == {"1": 0} and watched.shown.boards()[0].round == 3
    watched.wait(DELAY - 250)
    assert watched.moves() == {"1": 1} and watched.shown.boards()[0].round == 3
    watched.wait(200)
    assert watched.moves() == {"1": 0} and watched.shown.boards()[0].round == 4
    assert {one.round for one in watched.shown.games()} <= {3, 4}


def test_a_hall_that_is_started_again_shows_no_less_and_nothing_newer(tmp_path: Path) -> None:
    """The table is switched off after its game, so that nothing tells its time any more."""
    table = ScriptedTable(setup(), f.Start())
    watched = Watched(tmp_path, table)
    watched.hall.publish(table.journal(table.move(10, "e2e4")))
    watched.wait(1000)
    watched.hall.publish(table.journal(table.move(1001, "e7e5", by="black")))
    watched.wait(10)
    assert watched.moves() == {"1": 1}
    watched.shown.close()
    watched.hall.start()
    watched.again()
    watched.shown.catch_up()
    assert watched.moves() == {"1": 1}
    watched.hall.now += DELAY + 1
    watched.shown.catch_up()
    assert watched.moves() == {"1": 2}


def test_tables_keep_their_numbers(tmp_path: Path) -> None:
    names = ("hall-b", "table-4", "2", "a-2", "007", "12345")
    tables = [ScriptedTable(setup(), name=name, run=name) for name in names]
    watched = Watched(tmp_path, *tables)
    watched.wait(DELAY + 1)
    numbers = {one.table: one.number for one in watched.shown.boards()}
    assert numbers["table-4"] == 4 and numbers["2"] == 2 and numbers["007"] == 7
    assert len(set(numbers.values())) == len(names)
    watched.shown.close()
    watched.hall.start()
    watched.again()
    watched.shown.catch_up()
    assert {one.table: one.number for one in watched.shown.boards()} == numbers


@pytest.mark.parametrize("content", ["", "[]", '{"numbers": {"1": "x"}, "shown": {}}', "[" * 9999])
def test_a_spoilt_file_only_costs_the_delay(tmp_path: Path, content: str) -> None:
    (tmp_path / "shown.json").write_text(content, "utf-8")
    watched = Watched(tmp_path, ScriptedTable(setup(), f.Start()))
    assert watched.moves() == {}
    watched.wait(DELAY + 1)
    assert watched.moves() == {"1": 0}


@pytest.mark.parametrize(
    ("told", "number"),
    [("3", 3), ("", 1), ("Round 4", 4), ("5.2", 5), ("0", 1), ("final", 1), ("1234", 123)],
)
def test_a_round_has_a_number(tmp_path: Path, told: str, number: int) -> None:
    watched = Watched(tmp_path, ScriptedTable(setup(round=told)))
    watched.wait(DELAY + 1)
    assert watched.shown.boards()[0].round == number


def test_the_pgn_has_the_board_and_names_only_if_they_are_allowed(tmp_path: Path) -> None:
    watched = Watched(tmp_path, ScriptedTable(setup(event=""), name="6"), names=False)
    watched.wait(DELAY + 1)
    text = watched.shown.boards()[0].pgn()
    for tag in ('[Round "3.6"]', '[Board "6"]', '[White "White 6"]', '[Event "Cup"]'):
        assert tag in text
    assert "Anna" not in text and "Bert" not in text


def test_a_game_that_is_over_for_everybody_is_forgotten(tmp_path: Path) -> None:
    table = ScriptedTable(setup())
    watched = Watched(tmp_path, table)
    watched.wait(DELAY + 1)
    table.next_game("run-2", setup(round="4"))
    watched.hall.publish(table.presence(), table.journal(table.lines))
    watched.wait(DELAY + 1)
    watched.wait(1)
    watched.wait(1)
    assert [one.round for one in watched.shown.games()] == [4]
    assert len(watched.shown._games) == 1
