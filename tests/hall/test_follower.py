"""Whatever becomes of the messages, the hall's copies are equal to the journals in the end."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.hall.follower import Follower
from blindplay.hall.protocol import Topic

from .model_hall import ModelHall
from .model_table import EVENT, ModelTable, forged

STEPS = st.lists(
    st.sampled_from(("play", "play", "deliver", "wait", "kill", "wipe", "restart", "new game")),
    max_size=25,
)


@settings(max_examples=60)
@given(STEPS, st.integers(0, 2**32))
def test_after_any_loss_doubling_delay_and_cut_all_copies_are_equal(
    steps: list[str], seed: int
) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        table, other = ModelTable("1"), ModelTable("2", "run-2")
        hall = ModelHall(folder / "hall", table, other, seed=seed)
        for number, step in enumerate(steps):
            if step == "play":
                for one in (table, other):
                    hall.publish(one.journal(one.play(1 + seed % 3)), one.head())
            elif step == "deliver":
                hall.deliver()
            elif step == "wait":
                hall.wait(4)
            elif step == "kill":
                hall.start()
            elif step == "wipe":
                shutil.rmtree(hall.folder)
                hall.start()
            elif step == "restart":
                table.restart(f"again-{number}")
            elif step == "new game":
                hall.publish(table.presence(online=False))
                table.new_game(f"game-{number}")
                hall.publish(table.presence(), table.journal(table.lines))
        hall.settle()
        for one in (table, other):
            journals = [b"".join(lines) for lines in (*one.before, one.lines)]
            assert hall.copies(one) == sorted(journals)
        assert hall.named("forged", "forked", "head", "two_tables") == []
    finally:
        shutil.rmtree(folder)


def test_a_quiet_hall_asks_nothing(hall: ModelHall, table: ModelTable) -> None:
    asked: list[Topic] = []
    follower = Follower(EVENT, hall.folder, lambda topic, payload: asked.append(topic))
    follower.receive(*table.head(), 0.0)
    for now in range(100):
        follower.tick(float(now))
    assert asked == []


def test_asks_without_an_answer_become_rare(tmp_path: Path) -> None:
    asked: list[Topic] = []
    follower = Follower(EVENT, tmp_path, lambda topic, payload: asked.append(topic))
    follower.receive(*ModelTable(facts=9).head(), 0.0)
    for tenth in range(36_000):
        follower.tick(tenth / 10)
    assert 100 < len(asked) < 150


def test_incidents_outlive_the_process(hall: ModelHall, table: ModelTable) -> None:
    hall.publish(table.journal([forged(table, 5)]))
    hall.settle()
    named = hall.named("forked")
    hall.start()
    assert named and hall.named("forked") == named


@pytest.mark.parametrize(
    "topic",
    ["", "blindplay/1/open/1", "blindplay/2/open/1/head", "blindplay/1/other/1/head",
     "blindplay/1/open/../head", "blindplay/1/open/A B/journal", "blindplay/1/open/1/answer"],
)  # fmt: skip
def test_what_is_published_elsewhere_is_left_alone(hall: ModelHall, topic: str) -> None:
    hall.follower.receive(topic, b"{}", hall.now)
    assert list(hall.follower.tables) == ["1"] and hall.named() == []


@given(st.sampled_from(["journal", "head", "presence"]), st.binary(max_size=200))
def test_no_message_stops_a_hall(kind: str, payload: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        follower = Follower(EVENT, Path(folder), lambda topic, payload: None)
        follower.receive(str(Topic(EVENT, "1", kind)), payload, 0.0)
        follower.tick(1.0)
