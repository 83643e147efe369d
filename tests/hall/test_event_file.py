"""The file that joins a table or a hall to an event."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.broker import Broker
from blindplay.hall.event_file import EventFile, read_event_file

PEM = "-----BEGIN CERTIFICATE-----\n"
WHOLE = """
event = "open-2026"
title = "Open of 2026"
table = 4
folder = "copies"

[broker]
host = "broker.example"
account = "table-4"
password = "secret"
certificates = "ca.pem"
"""


def test_a_file_says_where_to_connect_and_as_whom(tmp_path: Path) -> None:
    file = tmp_path / "table-4.toml"
    file.write_text(WHOLE, "utf-8")
    (tmp_path / "ca.pem").write_text(PEM, "utf-8")
    broker = Broker("broker.example", 8883, "table-4", "secret", PEM)
    expected = EventFile("open-2026", broker, "4", "Open of 2026", tmp_path / "copies")
    assert read_event_file(file, table=True) == expected


def test_little_is_needed_for_a_try_on_one_machine(tmp_path: Path) -> None:
    file = tmp_path / "hall.toml"
    file.write_text('event = "try"\n', "utf-8")
    expected = EventFile("try", Broker(), "", "try", tmp_path / "hall-try")
    assert read_event_file(file, table=False) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "says no event"),
        ('event = "try"', "says no table"),
        ('event = "My open"\ntable = 1', "small letters"),
        ('event = "a"\ntable = "b/c"', "small letters"),
        ('event = "a"\ntable = true', "words in quotes"),
        ('event = "a"\ntable = 1\nbroker = 3', "a part of its own"),
        ('event = "a"\ntable = 1\n[broker]\nport = 0', "1 to 65535"),
        ('event = "a"\ntable = 1\nkey = "12"', "64 hexadecimal digits"),
        ('event = "a"\ntable = 1\nkeys = {1 = 2}', "64 hexadecimal digits"),
        ('event = "a"\ntable = 1\nrounds = -1', "0 to 999"),
        ('event = "a"\ntable = 1\nlanguages = "de"', "a list of texts"),
        ('event = "a"\ntable = 1\nplay = 1', "a part of its own"),
        ('event = "a"\ntable = 1\n[broker]\ncertificates = "none.pem"', "no file"),
        ("event =", "line 1"),
    ],
)
def test_a_wrong_file_is_refused_with_the_remedy(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match=message) as error:
        read_event_file(file, table=True)
    assert str(file) in str(error.value)
