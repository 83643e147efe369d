"""Streams of boards that report whole positions, cut into messages."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.boards.recordings import FRAMERS
from blindplay.boards.reporting import BoardMessage, BoardReport, Garbled
from tests.boards.wires import WIRES, Wire, game, record, spoil
from tests.sampling import examples


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: type(wire).__name__)
@given(seed=st.integers(0, 99), cuts=st.lists(st.integers(1, 90), min_size=1, max_size=8))
@examples(4)
def test_a_stream_means_the_same_however_it_is_cut(wire: Wire, seed: int, cuts: list[int]) -> None:
    hand = random.Random(seed)
    data = spoil(record(wire, game(wire, hand, 2), hand), hand)
    whole = FRAMERS[wire.name]().feed(data)
    for sizes in (cuts, [1]):
        framer, at = FRAMERS[wire.name](), 0
        found: list[BoardMessage] = []
        while at < len(data):
            size = sizes[at % len(sizes)]
            found += framer.feed(data[at : at + size])
            at += size
        assert found == whole


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: type(wire).__name__)
def test_a_run_of_garbage_is_one_damage(wire: Wire) -> None:
    garbled, report = FRAMERS[wire.name]().feed(b"\xfe\xfe\xfe" + wire.report({}))[:2]
    assert isinstance(garbled, Garbled) and isinstance(report, BoardReport)
