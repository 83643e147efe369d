"""Where a table stands, in one message."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.hall.heads import head_of
from blindplay.hall.protocol import Head
from blindplay.laws import facts as f

from .conftest import SETUP, Event
from .playing import play


class SetClock:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def head(table: Any) -> Head:
    found = head_of(table, "run", 1, "0" * 32)
    assert found is not None
    return found


def test_a_running_clock_is_given_as_it_is_now(event: Event) -> None:
    clock = SetClock()
    table = event.table(now=clock)
    assert (head(table).state, head(table).running) == ("setup", "")
    play(table)
    clock.seconds += 60
    now = head(table)
    assert (now.t, now.state, now.running) == (60.0, "playing", "white")
    assert now.left == {"white": 5430 - 60, "black": 5430}  # the increment is given before a move
    clock.seconds += 10_000
    assert head(table).left["white"] == 0


def test_a_head_names_the_last_line_on_the_disk_and_the_position(event: Event) -> None:
    table = event.table()
    play(table, "e2e4")
    now = head(table)
    assert (now.n, now.digest) == table.written == (len(table.log), now.digest)
    assert (now.white, now.black, now.round) == (SETUP.white.name, "", "3")
    assert (now.fen.split()[0], now.moves, now.last) == (
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR", 1, "e2e4",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "state", "result"),
    [
        ([f.Arbiter(do="stop_clocks")], "stopped", ""),
        ([f.Resign(by="black")], "over", "1-0"),
        ([f.Arbiter(do="adjourn"), f.Seal(by="white", text="d2d4"), f.Press(by="white")],
         "adjourned", ""),
    ],
)  # fmt: skip
def test_a_head_says_what_state_the_game_is_in(
    event: Event, facts: list[f.Fact], state: str, result: str
) -> None:
    table = event.table()
    play(table, "e2e4", "e7e5")
    for fact in facts:
        table.submit(fact)
    assert (head(table).state, head(table).result) == (state, result)


def test_without_a_clock_no_time_is_given(event: Event) -> None:
    table = event.table(setup=f.Setup())
    assert head(table).left == {}
