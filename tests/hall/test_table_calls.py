"""One request to one table, without a hall of its own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blindplay.hall import table_calls
from blindplay.hall.publisher import Publisher
from blindplay.hall.requesting import UnreachableError
from blindplay.hall.table_calls import ask_once
from blindplay.record import signatures

from .conftest import Event
from .playing import play


def test_a_table_signs_in_the_middle_of_a_game_when_it_is_asked(event: Event) -> None:
    table, key = event.table(), signatures.new_key()
    joined = replace(event.broker.event_file("1"), event=event.name, key=key)
    with Publisher(table, joined):
        play(table, "e2e4")
        asker = replace(event.broker.event_file(), event=event.name)
        answer = ask_once(asker, "1", "Berta", "sign")
        assert (answer.status, answer.n) == ("done", table.written[0])
        (line,) = signatures.lines_of(table.path)
        assert signatures.read_line(line).key == signatures.public_key(key)


def test_a_table_that_is_not_there_is_not_asked(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_calls, "_PATIENCE_S", 0.2)
    asker = replace(event.broker.event_file(), event=event.name)
    with pytest.raises(UnreachableError, match="cannot be reached"):
        ask_once(asker, "7", "Berta", "sign")
