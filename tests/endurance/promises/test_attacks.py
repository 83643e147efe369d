"""The promises hold when BlindPlay is attacked from outside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.endurance.promises import disk, kills
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.table import printed, untold
from tests.endurance.promises.whole import whole

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows moves no file that is open.")


def test_what_is_lost_or_invented_is_found() -> None:
    lines = [
        "0.1 ruled clock: running white; white 300; black 300 (fide-2023 6.6)",
        "0.8 ruled made: by white; move e2e4; san e4 (fide-2023 D.2.3)",
        "1.0 ruled game over: result 1-0; reason resignation (fide-2023 5.1.2)",
    ]
    held: list[dict[str, object]] = [
        {"ruling": "clock", "running": "white", "white": 300, "black": 300.0},
        {"ruling": "made", "by": "white", "move": "e2e4", "san": "e4"},
        {"ruling": "game_over", "result": "1-0", "reason": "resignation"},
    ]
    told = printed(lines)
    assert untold(told, held) == ([], [])
    assert untold(told, held[::2]) == ([told[1]], [])
    assert untold(told[::2], held) == ([], [1])
    assert untold(told, [held[0], {**held[1], "move": "d2d4"}, held[2]]) == ([told[1]], [2])


@pytest.mark.realtime
def test_a_killed_table_has_lost_and_invented_nothing(tmp_path: Path) -> None:
    figures = Figures()
    kills.killed(tmp_path, figures, seed=3, kills=3, mode="two people")
    assert figures.faults == [] and figures.counts["killed"]["rulings"] > 5


@posix
@pytest.mark.realtime
def test_a_journal_that_is_written_over_in_the_game_is_told_and_whole_in_the_end(
    tmp_path: Path,
) -> None:
    figures = Figures()
    disk.taken(tmp_path, figures, 1, "written over")
    assert figures.faults == []


@posix
@pytest.mark.long
@pytest.mark.parametrize(
    "attack",
    ["killed", "journal taken", "full disk", "stopped", "console", "damaged", "distant", "hall"],
)
def test_nothing_is_lost_or_invented_and_everybody_is_told(attack: str) -> None:
    figures = whole(only=attack)
    assert figures.faults == [], "\n".join(figures.lines())
