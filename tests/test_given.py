"""Text and files that people give: made harmless, bounded, and refused in one sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from blindplay import given
from blindplay.laws import facts

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c"


@pytest.mark.parametrize(
    ("text", "harmless"),
    [
        ("Anna", "Anna"),
        ("Åse Bjørnsdóttir-Łuk", "Åse Bjørnsdóttir-Łuk"),
        ("\x1b[2J\x1b]0;Anna\x07", "]0;Anna"),
        ("\x1b[Ae4\x1b[1;5C", "e4"),
        ('Anna\r\n[Result "1-0"]', 'Anna [Result "1-0"]'),
        (f"Be{OVERRIDES}rt", "Bert"),
        ("a\x00b\x7fc\x9bd\ufeff", "abcd"),
        ("a\tb\u2028c", "a b c"),
    ],
)
def test_a_text_loses_what_could_command_a_terminal_or_reorder_a_line(
    text: str, harmless: str
) -> None:
    assert given.plain(text) == harmless


@examples(st.text())
def test_a_harmless_text_stays_as_it_is_and_has_one_line(text: str) -> None:
    plain = given.plain(text)
    assert given.plain(plain) == plain
    assert len(plain.splitlines()) <= 1
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 or c in OVERRIDES for c in plain)


def test_lines_of_a_file_stay_lines() -> None:
    assert given.plain_lines("1. e4\te5\r\n\x1b[1m2. Nf3\f") == "1. e4\te5\r\n2. Nf3\f"


def test_every_text_of_a_fact_is_harmless_however_the_fact_is_made() -> None:
    wicked, plain = "\x1b[2JA\u202enna\n", "Anna "
    setup = facts.Setup(event=wicked, white=facts.Player(name=wicked))
    assert (setup.event, setup.white.name) == (plain, plain)
    assert facts.Record(by="white", ply=1, text=wicked).text == plain
    assert facts.Announce(by="white", text=wicked).text == plain
    read = facts.loads('{"t":0,"fact":"setup","black":{"name":"\\u001b[2JB"}}')
    assert isinstance(read, facts.Setup) and read.black.name == "B"


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    large = tmp_path / "large"
    large.write_bytes(b"x" * 11)
    for path, words in (
        (tmp_path, "is a folder; name a file in it."),
        (tmp_path / "no", "There is no file"),
        (large, "is too large"),
        (tmp_path / ("x" * 5000), "cannot be read"),
    ):
        with pytest.raises(ValueError, match=words):
            given.read_bytes(path, 10)
    latin = tmp_path / "latin"
    latin.write_bytes("Läufer".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin is not a text in UTF-8; save it as UTF-8\.$"):
        given.read_text(latin, 100)


@pytest.mark.parametrize(
    "text",
    [
        ".".join(["k"] * 20_000) + " = 1",
        ".".join(['"k"'] * 20_000) + " = 1",
        "x = {" + ".".join(["k"] * 20_000) + " = 1}",
        "[" + ".".join(["k"] * 20_000) + "]",
        "x = " + "[" * 100_000,
        "x = " + "9" * 100_000,
        "a" * 200_000,
        "'" * 200_000,
        '"' * 200_000,
    ],
)
def test_toml_that_nobody_writes_is_refused_at_once(text: str) -> None:
    with pytest.raises(ValueError, match=r"^Correct f.toml.*\.$") as refused:
        given.read_toml(text.encode(), "f.toml")
    assert len(str(refused.value)) < 200


def test_errors_of_the_system_lose_the_words_of_python() -> None:
    gone = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), "game.jsonl")
    assert given.sentence_of(gone).startswith("game.jsonl cannot be used (")
    for error in (gone, UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")):
        told = given.sentence_of(error)
        assert "Errno" not in told and "codec" not in told and told.endswith(".")


def test_a_long_message_keeps_its_beginning_and_its_end() -> None:
    told = given.in_short(f"There is {'x' * 100_000} here; check the name.")
    assert len(told) < 700
    assert told.startswith("There is") and told.endswith("check the name.")


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, "1" * 10_000, "NaN,"])
def test_what_is_no_json_is_one_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=r"^This is not JSON; correct it\.$"):
        given.read_json(text)
