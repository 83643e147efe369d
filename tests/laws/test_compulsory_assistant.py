"""No clock runs without the assistant that a deaf and a blind player must use (D.2.11)."""

from __future__ import annotations

import pytest

from blindplay.laws.compulsory_assistant import check_assistants, must_wait
from tests.laws.table import Table, kinds, of, one

DEAF = {"white": {"impaired": True}, "black": {"hearing_impaired": True}}


def with_assistant(edition: str = "fide-2023", time_control: str = "300") -> Table:
    table = Table(edition=edition, time_control=time_control, **DEAF)
    table.feed({"fact": "assistant", "of": "white", "present": True}, {"fact": "start"})
    return table


@pytest.mark.parametrize(("edition", "waits"), [("fide-2023", True), ("fide-2014", False)])
def test_only_the_newest_text_makes_the_clocks_wait(edition: str, waits: bool) -> None:
    table = Table(edition=edition, time_control="300", **DEAF)
    assert must_wait(table.game) is waits
    assert check_assistants(table.game) is not waits


def test_nobody_loses_time_until_the_assistant_is_back() -> None:
    table = with_assistant()
    got = table.feed({"t": 10, "fact": "assistant", "of": "white", "present": False})
    assert one(got, "clock").running == "none"
    got = table.feed({"t": 100, "fact": "assistant", "of": "white", "present": True})
    assert (one(got, "clock").running, one(got, "clock").white) == ("white", 290)


def test_the_returning_assistant_does_not_start_what_the_arbiter_stopped() -> None:
    table = with_assistant()
    table.feed({"fact": "arbiter", "do": "stop_clocks"})
    table.feed({"fact": "assistant", "of": "white", "present": False})
    got = table.feed({"fact": "assistant", "of": "white", "present": True})
    assert kinds(got) == ["assistant"]


def test_a_game_without_a_clock_is_not_stopped() -> None:
    table = with_assistant(time_control="-")
    table.feed({"fact": "assistant", "of": "white", "present": False})
    assert not table.game.paused
    assert not of(table.rulings, "clock")
