"""One order of facts at two tables, whatever becomes of messages and processes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from blindplay.opponents.distant.shared_log import MOST_FACTS, OtherGameError, SharedLog
from tests.sampling import examples

SIDES = st.sampled_from((0, 1))


class TwoTables(RuleBasedStateMachine):
    """Two tables, and a network that may do anything but invent messages."""

    @initialize(common=st.integers(0, 3))
    def begin(self, common: int) -> None:
        self.count = common
        facts = [str(one) for one in range(common)]
        self.logs = [SharedLog(waited=waited, facts=facts) for waited in (True, False)]
        self.journals = [list(facts), list(facts)]
        self.on_the_way: list[tuple[int, str]] = []

    def deliver(self, to: int, message: str) -> None:
        self.logs[to].receive(json.loads(message), self.journals[to].append)

    @rule(side=SIDES, again=st.booleans())
    def send(self, side: int, again: bool) -> None:
        self.on_the_way.append((1 - side, json.dumps(self.logs[side].message(again=again))))

    @precondition(lambda self: self.on_the_way)
    @rule(data=st.data(), kept=st.booleans())
    def arrives(self, data: st.DataObject, kept: bool) -> None:
        at = data.draw(st.integers(0, len(self.on_the_way) - 1))
        to, message = self.on_the_way[at] if kept else self.on_the_way.pop(at)
        self.deliver(to, message)

    @precondition(lambda self: self.on_the_way)
    @rule(data=st.data())
    def is_lost(self, data: st.DataObject) -> None:
        self.on_the_way.pop(data.draw(st.integers(0, len(self.on_the_way) - 1)))

    @rule()
    def talk_a_while(self) -> None:
        """Most of the time a network does its work."""
        for _ in range(4):
            for side in (0, 1):
                self.deliver(1 - side, json.dumps(self.logs[side].message()))

    @rule(side=SIDES)
    def something_happens(self, side: int) -> None:
        log = self.logs[side]
        if not log.holds:
            log.wants = True
            return
        self.journals[side].append(str(self.count))
        log.add(str(self.count))
        self.count += 1

    @rule(side=SIDES)
    def give(self, side: int) -> None:
        if self.logs[side].holds and self.logs[side].other_wants:
            self.logs[side].give()

    @rule(side=SIDES)
    def is_killed(self, side: int) -> None:
        self.logs[side] = SharedLog(waited=side == 0, facts=self.journals[side])

    @rule()
    def breaks(self) -> None:
        for log in self.logs:
            log.begin()

    @invariant()
    def nothing_is_lost_doubled_or_disputed(self) -> None:
        longest = max(self.journals, key=len)
        assert longest == [str(one) for one in range(self.count)]
        assert all(one == longest[: len(one)] for one in self.journals)
        assert [log.facts for log in self.logs] == self.journals
        holders = [side for side in (0, 1) if self.logs[side].holds]
        assert len(holders) < 2
        assert all(self.journals[side] == longest for side in holders)

    def teardown(self) -> None:
        if not hasattr(self, "logs"):
            return
        for _ in range(12):
            for side in (0, 1):
                self.deliver(1 - side, json.dumps(self.logs[side].message(again=True)))
        self.nothing_is_lost_doubled_or_disputed()
        assert all(log.settled for log in self.logs)
        assert sum(log.holds for log in self.logs) == 1


TestTwoTables = TwoTables.TestCase
TestTwoTables.settings = examples(30, stateful_step_count=40)


def talk(*logs: SharedLog, journals: Any = None) -> None:
    for _ in range(6):
        for log, other in (logs, logs[::-1]):
            other.receive(log.message(), lambda fact: None)


def test_a_long_game_comes_in_several_messages() -> None:
    facts = [str(one) for one in range(2 * MOST_FACTS + 7)]
    waited, called = SharedLog(waited=True, facts=facts), SharedLog(waited=False)
    talk(waited, called)
    assert called.facts == facts and waited.settled and waited.holds and not waited.lags


def test_another_game_is_not_mixed_in() -> None:
    waited = SharedLog(waited=True, facts=["a", "b"])
    called = SharedLog(waited=False, facts=["a", "c"])
    with pytest.raises(OtherGameError):
        talk(waited, called)
