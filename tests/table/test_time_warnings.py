"""Warnings of little time: one's own, at times one chooses, and under the Laws with permission."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blindplay.language import languages
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.table.effects import Say
from blindplay.table.time_warnings import TimeWarnings
from blindplay.wording.readers import Readers
from tests.table.conversation import GERMAN, Conversation, Talk
from tests.table.sitting import Sit
from tests.table.test_commands_alone import Adviser

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
