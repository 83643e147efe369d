"""An assistant and an arbiter who know only their pages and guides do each of their duties, and
nobody gets stuck."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .officials import Meeting
from .test_robots import report

_GAMES = 45
_MANY = 400
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


def _played(folder: Path, seeds: range) -> Counter[str]:
    """Play games with these seeds; nobody is stuck. Return what was done how often."""
    counted, stuck = Counter[str](), []
    for seed in seeds:
        meeting = Meeting(folder, seed)
        told = meeting.play()
        counted += meeting.counted
        if told.stuck is not None:
            stuck.append(told)
    assert not stuck, report(stuck)
    return counted


def test_each_duty_of_an_assistant_and_of_an_arbiter_is_done_and_nobody_gets_stuck(
    tmp_path: Path,
) -> None:
    counted = _played(tmp_path, range(_GAMES))
    assert not {*DUTIES, *DECISIONS} - counted.keys()


@pytest.mark.long
def test_nobody_gets_stuck_in_hundreds_of_games_with_assistants_and_an_arbiter(
    tmp_path: Path,
) -> None:
    _played(tmp_path, range(_GAMES, _GAMES + _MANY))
