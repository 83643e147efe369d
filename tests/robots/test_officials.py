"""An assistant and an arbiter who know only their pages and guides do each of their duties, and
nobody gets stuck."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from .judge import Told
from .officials import Meeting
from .test_robots import report

_GAMES, _MANY = 45, 400
_RICH = (90, 77, 69, 82, 72, 85, 66)
"""Seeds of games that together have everything. Others follow as long as something is missing."""
DUTIES = (
    # D.2.10.1 to 6
    "assistant make", "assistant announce", "assistant record", "assistant press",
    "assistant query time", "assistant query moves", "assistant query last_move",
    "assistant touch", "assistant seal",
    "assistant call_arbiter", "assistant irregular phone", "assistant irregular disturbance",
)  # fmt: skip
DECISIONS = (
    "arbiter start", "arbiter arbiter start_clocks", "arbiter arbiter stop_clocks",
    "arbiter arbiter confirm", "arbiter arbiter reject", "arbiter arbiter set_clock",
    "arbiter arbiter penalty", "arbiter arbiter restore", "arbiter arbiter declare",
    "arbiter arbiter adjourn", "arbiter open_envelope", "arbiter arbiter preside",
    "arbiter arbiter withdraw", "arbiter arbiter permit_warnings", "arbiter assistant",
    "arbiter inspect", "arbiter touch", "arbiter irregular phone", "arbiter arbiter attend",
)  # fmt: skip


def _stuck(folder: Path, seeds: Iterable[int], wanted: set[str]) -> list[Told]:
    """Play games with these seeds until everything that is wanted has been done. Return the games
    that were stuck, and take out of ``wanted`` what was done."""
    stuck = []
    for seed in seeds:
        meeting = Meeting(folder, seed)
        told = meeting.play()
        stuck += [told] if told.stuck is not None else []
        wanted.difference_update(meeting.counted)
        if not wanted:
            break
    return stuck


def test_each_duty_of_an_assistant_and_of_an_arbiter_is_done_and_nobody_gets_stuck(
    tmp_path: Path,
) -> None:
    wanted = {*DUTIES, *DECISIONS}
    stuck = _stuck(tmp_path, (*_RICH, *range(100, 100 + _GAMES)), wanted)
    assert not stuck, report(stuck)
    assert not wanted


@pytest.mark.long
def test_nobody_gets_stuck_in_hundreds_of_games_with_assistants_and_an_arbiter(
    tmp_path: Path,
) -> None:
    stuck = _stuck(tmp_path, range(_GAMES, _GAMES + _MANY), {"as many as these are"})
    assert not stuck, report(stuck)
