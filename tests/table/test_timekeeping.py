"""Time at a table: seconds that are facts, and warnings of little time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from blindplay.conversation.effects import Say
from blindplay.language import languages
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.record import Journal
from blindplay.record.pulse import last_beat
from blindplay.table import Table
from blindplay.table.timekeeping import Timekeeper, TimeWarnings
from blindplay.wording.readers import Readers
from tests.conversation.conversing import GERMAN, Conversation, Talk
from tests.record.disks import failing
from tests.table.sitting import ManualClock, Sit, Sitting
from tests.table.test_alone import Adviser
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        yield Table(journal, Setup(t=0, time_control="60"), now=ManualClock())


class Seconds:
    """Counts the seconds that pass, and what went wrong meanwhile."""

    def __init__(self, fails: Callable[[int], Exception | None] = lambda count: None) -> None:
        self.count, self.troubles = 0, list[str]()
        self._fails = fails

    def __call__(self) -> None:
        self.count += 1
        error = self._fails(self.count)
        if error is not None:
            raise error

    def keep(self, table: Table) -> Timekeeper:
        return Timekeeper(table, self, self.failed, tick_seconds=0.005)

    def failed(self, error: Exception) -> None:
        self.troubles.append(str(error))

    def wait_for(self, count: int) -> None:
        assert until(lambda: self.count >= count)


def ticks(table: Table) -> int:
    return sum(isinstance(fact, f.Tick) for fact in table._journal.facts())


def test_time_is_a_fact_only_while_a_clock_runs(table: Table) -> None:
    seconds = Seconds()
    keeper = seconds.keep(table)
    seconds.wait_for(3)
    assert ticks(table) == 0
    table.submit(f.Start())
    assert until(lambda: ticks(table) >= 2)
    keeper.close()
    assert seconds.troubles == []


def test_what_could_not_be_written_is_written_while_no_clock_runs(table: Table) -> None:
    with failing("write", taken=10):
        table.submit(f.Announce(by="white", move="e2e4"))
    assert table._journal.unwritten == 1
    keeper = Seconds().keep(table)
    assert until(lambda: table._journal.unwritten == 0)
    keeper.close()


def test_a_failure_does_not_stop_the_time_and_is_said_once(table: Table) -> None:
    seconds = Seconds(lambda count: ValueError("deaf") if count < 4 else OSError("and dumb"))
    keeper = seconds.keep(table)
    seconds.wait_for(8)
    keeper.close()
    assert [trouble.count("deaf") for trouble in seconds.troubles] == [1, 0]
    assert "and dumb" in seconds.troubles[1]


def test_after_it_is_closed_no_time_passes_and_the_last_beat_is_written(
    table: Table, tmp_path: Path
) -> None:
    seconds = Seconds()
    keeper = seconds.keep(table)
    seconds.wait_for(1)
    keeper.close()
    count = seconds.count
    beat = last_beat(tmp_path / "game.jsonl")
    assert beat is not None and beat.facts == 1
    assert not [one for one in threading.enumerate() if one in keeper._threads]
    assert seconds.count == count


def test_a_flag_falls_though_somebody_fails_at_every_second_before(sit: Sit) -> None:
    clock, failed = ManualClock(), threading.Event()

    def fails(taken: Taken) -> None:
        if isinstance(taken.fact, f.Tick):
            failed.set()
            raise RuntimeError("no room")

    white = Player(impaired=True)
    sitting = sit(now=clock, time_control="60", white=white, options={"tick_seconds": 0.01})
    sitting.table.listen(fails)
    sitting.start()
    assert failed.wait(PATIENCE_S)
    clock.at += 61
    assert sitting.session.wait_for("flag", PATIENCE_S) is not None
    sitting.session.close()
    assert sitting.printed.count("trouble: Während die Zeit lief") == 1


Warned = Callable[[float], list[Say]]


def warnings(at: Conversation, *times: int) -> tuple[TimeWarnings, Warned]:
    """Warnings at these seconds, and what they say when the clock has run so many more."""
    made = TimeWarnings(at.table, Readers(at.table.game, at.pack), times)

    def after(seconds: float) -> list[Say]:
        at.now += seconds
        at.table.submit(f.Tick())
        return [one for one in made.tick() if isinstance(one, Say)]

    return made, after


def left(words: str) -> Say:
    return Say("white", GERMAN.sentence("time_left", time=words))


def test_in_training_the_player_on_move_is_told_once_at_each_time(talk: Talk) -> None:
    _, after = warnings(talk(training=True, time_control="300"), 60, 120)
    assert after(100) == []
    assert after(80) == [left("zwei Minuten")]
    assert after(30) == []
    assert after(31) == [left("neunundfünfzig Sekunden")]
    assert after(10) == []


def test_under_the_laws_they_are_silent_until_the_arbiter_permits_them(talk: Talk) -> None:
    at = talk(time_control="300", arbiter="present")
    _, after = warnings(at, 120, 60)
    assert after(190) == []
    at.table.submit(f.Arbiter(do="permit_warnings"))
    assert GERMAN.sentence("warnings_permitted") in [words for _, words in at.said]
    assert after(20) == []  # two minutes are past
    assert after(31) == [left("neunundfünfzig Sekunden")]


def test_the_player_here_is_not_warned_of_the_time_of_an_absent_opponent(sit: Sit) -> None:
    at = sit(
        opponent=Adviser(), training=True, boards=2, time_control="300",
        white=Player(), black=Player(),
    )  # fmt: skip
    made = TimeWarnings(at.table, at.session.readers, [600])
    at.table.submit(f.Start())
    assert made.tick()
    at.play("e2e4")
    assert at.table.absent == at.table.game.clock.running == "black"
    made.choose("black", [500])
    assert made.tick() == []


def test_nobody_is_told_the_opponents_time(talk: Talk) -> None:
    at = talk(training=True, time_control="300", black=Player())
    _, after = warnings(at, 60)
    at.play("e2e4")
    assert after(290) == []  # Black sees the clock and has chosen nothing


def test_there_are_none_unless_they_are_chosen(talk: Talk) -> None:
    _, after = warnings(talk(training=True, time_control="300"))
    assert after(290) == []


@pytest.mark.parametrize("language", languages())
def test_a_player_chooses_their_times(talk: Talk, language: str) -> None:
    at = talk(time_control="300", language=language)
    made, after = warnings(at, 60)
    times = f"{at.pack.duration(120_000)}, {at.pack.duration(30_000)}"
    assert made.choose("white", [30, 120]) == [
        Say(
            "white", at.pack.sentence("warnings_set", player=at.pack.sentence("white"), times=times)
        ),
        Say("white", at.pack.sentence("warnings_forbidden")),
    ]
    at.table.submit(f.Arbiter(do="permit_warnings"))
    assert after(180) == [
        Say("white", at.pack.sentence("time_left", time=at.pack.duration(120_000)))
    ]
    (off,) = made.choose("white", [])
    assert isinstance(off, Say)
    assert off.words == at.pack.sentence("warnings_off", player=at.pack.sentence("white"))
    assert after(100) == []


def test_an_increment_brings_no_warning_again_but_much_more_time_does(talk: Talk) -> None:
    at = talk(training=True, time_control="300")
    _, after = warnings(at, 60)
    assert len(after(245)) == 1
    at.table.submit(f.Arbiter(do="set_clock", white=80_000))
    assert after(25) == []
    at.table.submit(f.Arbiter(do="set_clock", white=200_000))
    assert after(1) == []
    assert len(after(150)) == 1


# --- reminders ------------------------------------------------------------------------------------


Later: TypeAlias = Callable[[float], list[str]]
Reminded: TypeAlias = Callable[..., tuple[Sitting, Later]]


@pytest.fixture
def reminded(sit: Sit) -> Reminded:
    """Players who are reminded after 20 seconds of silence and 60 more, and a function that lets
    time pass and returns what was said."""

    def sit_down(**how: Any) -> tuple[Sitting, Later]:
        clock = ManualClock()
        at = sit(now=clock, options={"remind_after": (20, 60)}, **{"time_control": "5400", **how})

        def later(seconds: float) -> list[str]:
            at.said()
            clock.at += seconds
            at.session.second()
            return at.said()

        later(0)
        return at, later

    return sit_down


REPEAT = GERMAN.sentence("due_repeat", move="Bauer Eva zwei Eva vier")


def test_a_silent_player_hears_their_step_twice_and_no_more(reminded: Reminded) -> None:
    at, later = reminded()
    at.start()
    at.play("e2e4")
    later(0)
    assert later(19) == [] and later(1) == [REPEAT]
    assert later(59) == [] and later(1) == [REPEAT]
    assert later(600) == []
    at.session.typed("black", "Zeit")  # silence begins anew
    assert later(19) == [] and later(2) == [REPEAT]


def test_nobody_who_may_think_is_reminded_under_the_laws(reminded: Reminded) -> None:
    at, later = reminded()
    at.start()
    assert later(600) == [] and later(600) == []
    training, later = reminded(training=True)
    training.start()
    later(0)
    assert later(20) == [GERMAN.sentence("due_announce")]


def test_a_made_move_waits_for_its_press_and_its_player_is_reminded(reminded: Reminded) -> None:
    at, later = reminded()
    at.start()
    at.session.typed("white", "e4")
    later(0)
    assert later(20) == [GERMAN.sentence("due_press"), REPEAT]


def test_what_either_player_may_do_is_said_once(reminded: Reminded) -> None:
    _, later = reminded()
    (told,) = later(20)
    assert told.startswith(GERMAN.sentence("due_begin"))


def test_nobody_is_reminded_while_they_are_asked_something(reminded: Reminded) -> None:
    at, later = reminded()
    at.start()
    at.session.typed("white", "e4")
    at.session.typed("black", "e4")
    at.session.typed("white", "aufgeben")
    assert later(10) == []


def test_an_opponent_who_is_not_in_the_room_is_not_reminded(reminded: Reminded) -> None:
    at, later = reminded(opponent=Adviser(), boards=2)
    at.start()
    at.play("e2e4")
    later(0)
    assert later(20) == []


def test_a_table_that_has_just_adjourned_reminds_nobody(reminded: Reminded) -> None:
    at, later = reminded()
    at.start()
    at.table.submit(f.Arbiter(do="adjourn"))
    at.table.submit(f.Seal(by="white", text="Sf3"))
    at.table.submit(f.Press(by="white"))
    assert at.table.game.adjourned and later(20) == []
