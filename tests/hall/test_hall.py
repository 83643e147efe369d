"""A hall and its tables with a real broker."""

from __future__ import annotations

import itertools
import os
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from blindplay.hall.brokers import LocalBroker
from blindplay.hall.event_file import EventFile
from blindplay.hall.hall import Hall
from blindplay.hall.protocol import Head, Presence, Topic, encode
from blindplay.hall.table_side.journals import game_ends
from blindplay.laws import facts as f
from blindplay.record import Journal, files
from tests import ROOT
from tests.programs import need
from tests.waiting import PATIENCE_S, until

from .broker import RealBroker
from .running import Event, is_equal, is_there, kinds, play


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[RealBroker]:
    broker = RealBroker(tmp_path)
    yield broker
    broker.kill()


def test_a_hall_has_each_line_and_sees_where_the_table_stands(event: Event) -> None:
    hall, table = event.hall(), event.table(now=lambda: 0.0)
    event.publish(table)
    play(table, "e2e4", "e7e5")
    assert until(lambda: is_equal(hall, table))
    head = until(lambda: (now := hall.follower.tables["1"].head) and now.moves == 2 and now)
    assert head and (head.state, head.white, head.last) == ("playing", "Anna", "e7e5")
    assert head.fen == table.game.position.fen()
    assert head.running == "white" and head.left["white"] == 5400 + 2 * 30
    assert hall.follower.tables["1"].online


def test_what_the_table_needs_is_in_its_head(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table)
    table.submit(f.CallArbiter(by="white"))
    assert until(lambda: (now := hall.follower.tables.get("1")) and now.head and now.head.needs)
    head = hall.follower.tables["1"].head
    assert head is not None and head.needs == ["arbiter"] and head.state == "stopped"


def test_a_hall_that_comes_later_gets_everything(event: Event) -> None:
    table = event.table()
    event.publish(table)
    play(table, "e2e4", "e7e5")
    first = event.hall("first")
    assert until(lambda: is_equal(first, table))
    second = event.hall("second")
    assert until(lambda: is_equal(second, table))


def test_a_table_plays_on_without_a_broker_and_the_hall_catches_up(
    events: Callable[[RealBroker], Event], own_broker: RealBroker
) -> None:
    event = events(own_broker)
    hall, table = event.hall(), event.table()
    publisher = event.publish(table)
    play(table, "e2e4")
    assert until(lambda: is_equal(hall, table))
    for moves in (("e7e5", "g1f3"), ("b8c6", "f1b5")):
        own_broker.kill()
        play(table, *moves)
        assert not is_equal(hall, table)
        own_broker.start()
        assert until(lambda: is_equal(hall, table))
    publisher.close()
    assert until(lambda: not hall.follower.tables["1"].online)
    assert kinds(hall) == set()


@pytest.mark.long
def test_after_a_hundred_broken_connections_the_copies_are_equal(
    events: Callable[[RealBroker], Event], own_broker: RealBroker
) -> None:
    event = events(own_broker)
    hall = event.hall()
    tables = {name: event.table(name) for name in ("1", "2", "3")}
    for name, table in tables.items():
        event.publish(table, name)
        play(table)
    moves = itertools.cycle(["g1f3", "g8f6", "f3g1", "f6g8"])
    chance = random.Random(19)
    for number in range(100):
        if number % 2:
            assert until(lambda: hall.online)
        time.sleep(chance.random() / 2)
        own_broker.kill()
        move = next(moves)
        for table in tables.values():
            if not table.game.over and table.game.pending is None:
                play(table, move)
        own_broker.start()
        if chance.random() < 0.2:
            assert until(lambda: all(is_equal(hall, one, name) for name, one in tables.items()))
    assert until(lambda: all(is_equal(hall, one, name) for name, one in tables.items()))
    assert kinds(hall) == set()


def test_a_folder_has_one_hall(event: Event) -> None:
    hall = event.hall("same")
    with pytest.raises(ValueError, match="One is enough"):
        event.hall("same")
    hall.close()
    event.hall("same")


def test_the_end_of_a_table_reaches_the_hall(event: Event) -> None:
    hall, table = event.hall(), event.table()
    publisher = event.publish(table)
    assert until(lambda: is_equal(hall, table))
    play(table, "f2f3", "e7e5", "g2g4")
    table.submit(f.Resign(by="white"))
    publisher.close()
    assert until(lambda: is_equal(hall, table))
    followed = hall.follower.tables["1"]
    assert until(lambda: not followed.online)
    assert followed.head is not None and followed.head.result == "0-1"


def test_the_next_hall_gets_the_journals_of_earlier_games_too(event: Event) -> None:
    first, second = event.table(file="round-1.jsonl"), event.table(file="round-2.jsonl")
    publisher = event.publish(first)
    play(first, "e2e4")
    publisher.close()
    event.publish(second)
    hall = event.hall()

    def journals() -> set[bytes]:
        followed = hall.follower.tables.get("1")
        if followed is None:
            return set()
        return {path.read_bytes() for path in followed.folder.glob("*.jsonl")}

    wanted = {one.path.read_bytes() for one in (first, second)}
    assert until(lambda: journals() == wanted)


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a file that is open.")
def test_a_game_that_goes_on_beside_another_is_copied_now_and_later(event: Event) -> None:
    hall, table = event.hall(), event.table(file="game.jsonl")
    publisher = event.publish(table)
    play(table, "e2e4")
    assert until(lambda: is_equal(hall, table))
    path = table.path
    path.unlink()
    with Journal(path) as other:
        other.append(f.Setup(round="9"))
    play(table, "e7e5")
    assert table.path != path and until(lambda: is_equal(hall, table))
    assert until(lambda: files.beside(table.path, ".hall").exists())
    publisher.close()
    ends = game_ends(path.parent, event.joined("1"))
    assert list(table.written) in ends.values()


def test_two_tables_with_one_name_are_both_copied(event: Event) -> None:
    hall = event.hall()
    one, other = event.table("1", "one.jsonl"), event.table("x", "other.jsonl")
    event.publish(one)
    event.publish(other)

    def journals() -> set[bytes]:
        return {path.read_bytes() for path in (hall.follower.folder / "table-1").glob("*.jsonl")}

    assert until(lambda: journals() == {one.path.read_bytes(), other.path.read_bytes()})
    for _ in range(50):
        for table in (one, other):
            table.submit(f.Query(by="white", about="time"))
            assert until(lambda: journals() == {one.path.read_bytes(), other.path.read_bytes()})
        if "two_tables" in kinds(hall):
            break
    assert kinds(hall) == {"two_tables"}


def test_a_rogue_that_forges_lines_and_heads_is_named_and_the_copy_is_right(event: Event) -> None:
    hall, table = event.hall(), event.table()
    event.publish(table)
    play(table, "e2e4")
    assert until(lambda: is_there(hall, table))
    head = hall.follower.tables["1"].head
    assert head is not None
    line = table.path.read_bytes().splitlines(keepends=True)[1].replace(b"start", b"tick")
    rogue = event.hall("rogue")
    until(lambda: rogue.online)
    forged = Head(head.run, 10**9, head.game, 2, "0" * 32, head.t, head.wall)
    rogue.publish(Topic(event.name, "1", "journal"), line)
    rogue.publish(Topic(event.name, "1", "head"), encode(forged))
    rogue.publish(Topic(event.name, "1", "presence"), encode(Presence("rogue", False)))
    assert until(lambda: "head" in kinds(hall))
    play(table, "e7e5")
    assert until(lambda: is_equal(hall, table) and hall.follower.tables["1"].online)


PAGE = (ROOT / "docs" / "development" / "hall-scale.md").read_text("utf-8")


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
