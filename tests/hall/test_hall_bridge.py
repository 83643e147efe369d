"""Several halls: the bridge of docs/hall-scale.md between the broker of a hall and the centre's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.hall.brokers import LocalBroker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from tests import ROOT
from tests.programs import need
from tests.waiting import PATIENCE_S, until

from .broker import RealBroker
from .conftest import Event
from .playing import is_equal, kinds, play

PAGE = (ROOT / "docs" / "hall-scale.md").read_text("utf-8")


@pytest.fixture
def centre(event: Event, shared_broker: RealBroker, tmp_path: Path) -> Iterator[LocalBroker]:
    """A broker in the centre, and the bridge that is on the page from the hall's broker to it. Here
    the centre has it, for its configuration is the test's own."""
    need("Mosquitto")
    found = re.search(r"```\n(connection .*?)```", PAGE, re.DOTALL)
    assert found
    text = found[1].replace("open-a", event.name)
    text = text.replace("centre.example:8883", f"127.0.0.1:{shared_broker.port}")
    text = re.sub("(?m)^bridge_.*\n|^remote_.*\n", "", text)
    turned = {" out ": " in ", " in ": " out "}
    text = re.sub(" out | in ", lambda way: turned[way[0]], text)
    broker = LocalBroker(tmp_path, f"allow_anonymous true\n{text}")
    yield broker
    broker.kill()


def test_a_hall_in_the_centre_follows_and_decides_over_a_bridge(
    event: Event, centre: LocalBroker, tmp_path: Path
) -> None:
    table = event.table()
    event.publish(table)
    play(table, "e2e4")
    here = event.hall()
    with Hall(EventFile(event.name, centre.broker, folder=tmp_path / "centre")) as hall:
        assert until(lambda: is_equal(hall, table) and is_equal(here, table))
        body = {"language": "en", "form": {"act": ["arbiter"], "do": ["stop_clocks"]}}
        answer = hall.request("1", "Berta Berg", "act", body).result(timeout=PATIENCE_S)
        assert answer.status == "done"
        play_on = until(lambda: is_equal(hall, table) and is_equal(here, table))
        assert play_on and not kinds(hall) and not kinds(here)
