"""The contract of a hall: its messages, its page, and the reader that stands on the page."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.broker import Link
from blindplay.hall import incidents
from blindplay.hall import protocol as p
from blindplay.hall.brokers import make_certificates
from blindplay.hall.table_side.publisher import Publisher
from blindplay.laws.due import NEEDS
from blindplay.record import Journal
from blindplay.table import Table
from tests import ROOT
from tests.ports import free_port
from tests.waiting import until

from .broker import LOCAL, EventBroker
from .running import SETUP, Event, play

PAGE = (ROOT / "docs/development/hall-protocol.md").read_text("utf-8")
(READER,) = re.findall("```python\n(.*?)```", PAGE, re.S)
GAME = "0123456789abcdef" * 2
MESSAGES: list[Any] = [
    p.Head("r", 1, GAME, 3, GAME, 1.5, 2.5, needs=["flag"], white="Žofie",
           left={"white": 3, "black": 4}),
    p.Presence("r", True, {GAME: [5, GAME]}, {"version": "1"}),
    p.LinesWanted(GAME, 7),
    p.LinesWanted(""),
    p.Request("id", GAME, 1.0, "Berta", "act", {"form": {}}),
    p.RequestAnswer("id", "done", 8, ["Well."]),
]  # fmt: skip


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: type(one).__name__)
def test_a_message_comes_back_from_its_payload(message: Any) -> None:
    payload = p.encode(message)
    assert p.decode(type(message), payload) == message
    assert p.decode(type(message), payload[:-1] + b',"newer":1}') == message


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: type(one).__name__)
def test_what_is_no_message_is_refused(message: Any) -> None:
    payload = p.encode(message)
    wrong = [payload[:-1], b"", b"[]", b"null", b"\xff", b"{}" * 2, b'{"n":1}', b"[" * 10**5]
    wrong += [payload.replace(GAME.encode(), b"x")] if GAME.encode() in payload else []
    wrong += [payload[:-1] + b" " * p.MOST_BYTES + b"}"]
    for one in wrong:
        with pytest.raises(p.MessageError):
            p.decode(type(message), one)


@pytest.mark.parametrize(
    "value", [b"NaN", b"true", b'"1"', b"null", b"{}", b"1e999", b"1" + b"0" * 400]
)
def test_a_value_of_another_type_is_refused(value: bytes) -> None:
    payload = p.encode(MESSAGES[0]).replace(b'"t":1.5', b'"t":' + value)
    with pytest.raises(p.MessageError):
        p.decode(p.Head, payload)


@pytest.mark.parametrize("left", [b'{"white":3}', b'{"a":1,"b":2}', b'{"white":3,"black":1e300}'])
def test_clocks_of_other_sides_or_beyond_all_times_are_refused(left: bytes) -> None:
    payload = p.encode(MESSAGES[0]).replace(b'"left":{"white":3,"black":4}', b'"left":' + left)
    with pytest.raises(p.MessageError):
        p.decode(p.Head, payload)


SHAPES: dict[str, list[Any]] = {
    "games": [{GAME: {"a": 1, "b": 2}}, {GAME: [5, 5]}, {GAME: "ab"}, {GAME: [5, GAME, 1]}],
    "sentences": [[1], [[]], "a"],
    "needs": [[1], {}],
    "left": [{"white": "3", "black": 4}, {"white": None, "black": None}],
}


@pytest.mark.parametrize("message", MESSAGES, ids=lambda one: type(one).__name__)
def test_values_inside_of_another_type_are_refused(message: Any) -> None:
    value = json.loads(p.encode(message))
    for key, wrong in SHAPES.items():
        for one in wrong if key in value else ():
            with pytest.raises(p.MessageError):
                p.decode(type(message), json.dumps(value | {key: one}).encode())


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "white", GAME]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "white", "black", GAME]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(message=st.sampled_from(MESSAGES), data=st.data())
def test_no_payload_raises_anything_but_the_error_of_the_protocol(
    message: Any, data: st.DataObject
) -> None:
    value = json.loads(p.encode(message))
    for key in data.draw(st.sets(st.sampled_from(sorted(value)), min_size=1)):
        value[key] = data.draw(ANYTHING)
    with contextlib.suppress(p.MessageError):
        p.decode(type(message), json.dumps(value).encode())


def test_half_a_character_is_refused() -> None:
    """No file and no screen takes it."""
    payload = p.encode(MESSAGES[0])[:-1] + rb',"white":"\ud800"}'
    with pytest.raises(p.MessageError):
        p.decode(p.Head, payload)


@pytest.mark.parametrize("name", ["1", "table-4", "a" * 40])
def test_a_topic_comes_back_from_its_text(name: str) -> None:
    topic = p.Topic("open-2026", p.checked_name(name, "a table"), "head")
    assert p.topic_of(str(topic)) == topic


@pytest.mark.parametrize("name", ["", "A", "a/b", "+", "#", "a b", "-a", "a-", "a" * 41, "..", "ä"])
def test_a_name_that_cannot_stand_in_a_topic_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="small letters"):
        p.checked_name(name, "a table")
    with pytest.raises(p.MessageError):
        p.topic_of(f"blindplay/1/{name}/1/head")


def test_lines_are_split_at_line_feeds_only() -> None:
    assert p.lines_of("a\u2028b\r\nc\nd".encode()) == ["a\u2028b\r\n".encode(), b"c\n", b"d"]


def test_the_page_names_every_kind_and_every_key() -> None:
    kinds = (p.Head, p.Presence, p.LinesWanted, p.Request, p.RequestAnswer)
    names = {field.name for kind in kinds for field in dataclasses.fields(kind)}
    wanted = names | set(p.KINDS) | set(NEEDS) | set(incidents.KINDS)
    assert wanted <= set(re.findall(r"`(\w+)`", PAGE))


def reading(file: Path, folder: Path) -> list[str]:
    """The command that runs the program on the page, as it is printed there."""
    assert len(READER.splitlines()) <= 150
    return [sys.executable, "-c", READER, str(file), str(folder)]


def test_the_reader_on_the_page_follows_a_hall(event: Event, tmp_path: Path) -> None:
    tables = {name: event.table(name) for name in ("1", "2")}
    event.publish(tables["1"], "1")
    play(tables["1"], "e2e4", "e7e5")
    folder = tmp_path / "copies"
    file = tmp_path / "hall.toml"
    broker = f'[broker]\nhost = "127.0.0.1"\nport = {event.broker.port}\n'
    file.write_text(f'event = "{event.name}"\n{broker}', "utf-8")
    reader = subprocess.Popen(reading(file, folder))
    try:
        event.publish(tables["2"], "2")
        play(tables["1"], "g1f3")
        play(tables["2"], "d2d4")
        wanted = {table.path.read_bytes() for table in tables.values()}
        assert until(lambda: {file.read_bytes() for file in folder.glob("*.jsonl")} == wanted)
    finally:
        reader.kill()
        reader.wait()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EventBroker]:
    broker = EventBroker(tmp_path_factory.mktemp("broker"))
    yield broker
    broker.kill()


@contextlib.contextmanager
def reader_of(file: Path, folder: Path) -> Iterator[Callable[[], str]]:
    """The program on the page while it runs; gives what it has printed."""
    printed = folder.with_suffix(".printed")
    with printed.open("wb") as out:
        reader = subprocess.Popen(reading(file, folder), stdout=out, stderr=out,
                                  env={**os.environ, "PYTHONUNBUFFERED": "1"})  # fmt: skip
    try:
        assert until(lambda: "Connected" in printed.read_text("utf-8"))
        yield lambda: printed.read_text("utf-8")
    finally:
        reader.kill()
        reader.wait()


def test_the_reader_on_the_page_logs_in_and_misses_nothing_while_it_is_away(
    broker: EventBroker, tmp_path: Path
) -> None:
    """With the files of hall init, and a table whose messages are partly no messages."""
    file, folder = broker.folder / "reader.toml", tmp_path / "copies"
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)

        def is_copied() -> bool:
            copies = [one.read_bytes() for one in folder.glob("1-*.jsonl")]
            return copies == [table.path.read_bytes()]

        with reader_of(file, folder), Publisher(table, broker.event_file("1")):
            play(table, "e2e4")
            assert until(is_copied)
            rogue = Link(broker.event_file("2").broker, ["x"], lambda *one: None, lambda: None)
            rogue.start()
            assert until(lambda: rogue.online)
            games = '"../../x"', "7", '"' + "f" * 32 + '"'
            heads = [f'{{"run":"r","seq":1,"n":0,"digest":"","game":{one}}}' for one in games]
            for junk in ("", "[]", "3", "{", "[" * 9999, '{"seq":"1"}', *heads):
                rogue.publish(str(p.Topic("try", "2", "head")), junk.encode())
            rogue.publish(str(p.Topic("try", "2", "journal")), b'{"n":1,\n\xff')
            play(table, "e7e5")
            assert until(is_copied) and until(lambda: not rogue.unsent)
            rogue.close()
            about = broker.event_file("1")
        with Publisher(table, about):
            play(table, "g1f3")
            assert until(lambda: table.written[0] and not is_copied())
            with reader_of(file, folder):
                assert until(is_copied)
        assert {one.name[:2] for one in folder.glob("*.jsonl")} <= {"1-", "2-"}
        assert not (tmp_path / "x.jsonl").exists()


def test_the_reader_on_the_page_says_what_it_lacks_and_why_it_ends(
    broker: EventBroker, tmp_path: Path
) -> None:
    right = broker.folder / "reader.toml"
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal, SETUP)
        play(table, "e2e4")
        with Publisher(table, broker.event_file("1")) as publisher:
            assert until(lambda: publisher._seq and not publisher._link.unsent)
            with reader_of(right, tmp_path / "late") as printed:
                assert until(lambda: "line 1 was published before" in printed())
    other = make_certificates("try", [LOCAL]).authority
    text = right.read_text("utf-8")
    ours = text.partition('certificates = """\n')[2].partition('"""')[0]
    closed = free_port()
    for changed, sentence in (
        (text.replace('password = "', 'password = "x'), "refuses this account: Not authorized."),
        (text.replace(ours, other), "is not the broker that"),
        (text.replace(f"port = {broker.port}", f"port = {closed}"), "cannot be reached: "),
    ):
        file = tmp_path / "changed.toml"
        file.write_text(changed, "utf-8")
        done = subprocess.run(reading(file, tmp_path / "none"), capture_output=True, text=True)
        (line,) = done.stderr.splitlines()
        assert done.returncode == 1 and sentence in line and line.endswith("."), line
