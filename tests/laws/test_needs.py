"""What a table needs somebody for."""

from __future__ import annotations

from typing import Any

from blindplay.laws import TABLE, Ruling, Taken
from blindplay.laws.facts import parse
from blindplay.laws.needs import needs, open_calls
from tests.laws.table import Table, lift, place

CALL = {"fact": "call_arbiter", "by": "white"}


class LoggedTable(Table):
    """A started game of an impaired player, with everything that it has taken."""

    def __init__(self, **setup: Any) -> None:
        self.log: list[Taken] = []
        super().__init__(white={"impaired": True}, black={}, time_control="300", **setup)
        self.feed({"fact": "start"})

    def feed(self, *facts: dict[str, Any]) -> list[Ruling]:
        got: list[Ruling] = []
        for given in facts:
            rulings = super().feed(given)
            self.log.append(Taken(parse({"t": 0, **given}), tuple(rulings), TABLE))
            got += rulings
        return got

    def needs(self) -> tuple[str, ...]:
        return needs(self.game, self.log)


def test_a_quiet_game_needs_nobody() -> None:
    assert LoggedTable().needs() == ()


def test_a_call_is_open_until_the_arbiter_has_done_something() -> None:
    table = LoggedTable()
    table.feed(CALL)
    assert table.needs() == ("arbiter",)
    assert [one.why for one in open_calls(table.game, table.log)] == ["called"]
    table.feed({"fact": "arbiter", "by": "table", "do": "stop_clocks"})
    assert table.needs() == ("arbiter",)
    table.feed({"fact": "arbiter", "do": "start_clocks"})
    assert table.needs() == ()


def test_a_proposed_ruling_needs_a_decision() -> None:
    table = LoggedTable()
    table.feed({"fact": "claim_draw", "by": "white", "rule": "repetition"})
    assert table.needs() == ("decision",)


def test_a_fallen_flag_that_must_be_claimed_needs_somebody() -> None:
    table = LoggedTable(mode="blitz", edition="fide-2014")
    table.feed({"t": 400, "fact": "tick"})
    assert table.needs() == ("flag",)


def test_a_board_that_must_be_corrected_needs_somebody_until_it_is_right() -> None:
    table = LoggedTable()
    table.play("g1f3")
    table.feed(lift("g8", "black"), place("h6", "n", "black"))
    table.feed({"fact": "announce", "by": "black", "text": "g8f6"})
    for side in ("white", "black"):
        table.feed({"fact": "record", "by": side, "ply": 2, "text": "Nf6"})
    table.feed({"fact": "press", "by": "black"})
    assert table.needs() == ("boards",)
    table.feed(lift("h6", "black"), place("f6", "n", "black"))
    assert table.needs() == ()


def test_a_game_that_is_over_needs_nobody() -> None:
    table = LoggedTable()
    table.feed(CALL, {"fact": "resign", "by": "black"})
    assert table.game.over and table.needs() == ()


def test_once_the_move_is_sealed_the_arbiter_is_not_waited_for_any_more() -> None:
    table = LoggedTable()
    table.feed({"fact": "arbiter", "do": "adjourn"})
    assert [one.why for one in open_calls(table.game, table.log)] == ["seal"]
    table.feed({"fact": "seal", "by": "white", "text": "e2e4"})
    assert open_calls(table.game, table.log) == []
