"""Two phones at a table: some moves of the hours that :mod:`tests.endurance.phones` plays."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.endurance.phones import PhoneFigures, PlayedByPhones, TableSample, table_sample
from tests.waiting import until


def test_growth_is_told_in_mib_an_hour_over_the_second_half() -> None:
    figures = PhoneFigures()
    for ten_minutes, memory in enumerate((100, 150, 160, 162, 164, 166)):
        figures.samples.append(TableSample(10 * ten_minutes, memory, 20, 16, 7))
        figures.journals.append((10, 20_480))
        figures.delays_s.append([1.0, 0.5, 3.0])
    text = "\n".join(figures.lines())
    assert "The first game, from minute 0: 100.0 MiB" in text
    assert "The last game, from minute 50: 166.0 MiB, 20 threads, 16 open files, 7" in text
    assert "2.0 KiB of journal for a move; end of speech to ruling: median 1.00 s" in text
    assert "+12.00 MiB an hour" in text and "Before each game, threads: 20." in text


def test_a_run_without_a_game_says_so() -> None:
    assert list(PhoneFigures().lines()) == ["Nothing was played."]


@pytest.mark.realtime
@pytest.mark.skipif(sys.platform == "win32", reason="its process is ended by a signal")
def test_phones_that_come_back_to_game_after_game_leave_nothing_behind(tmp_path: Path) -> None:
    """There is no microphone with a cable, for which the table waits until the phones come."""
    with PlayedByPhones(tmp_path, seed=1) as played:
        for game in range(3):
            if game:
                played.another()
            played.game(plies=1)
        _, second, _ = played.found.samples
        assert not played.found.faults
        assert [moves for moves, _ in played.found.journals] == [1, 1, 1]
        assert played.found.rejoined >= 4  # both phones, after each game but the last

        def as_many() -> bool:
            return table_sample(played.table.process.pid, 0).threads <= second.threads

        assert until(as_many), played.found.samples
