"""Text and files that people give: made harmless, bounded, and refused in one sentence."""

from __future__ import annotations

import errno
import io
import os
import re
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from blindplay import given
from blindplay.laws import facts
from blindplay.own_files import read_object

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
            given.read_bytes(path, given.Limit(10))
    latin = tmp_path / "latin"
    latin.write_bytes("Läufer".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin is not a text in UTF-8; save it as UTF-8\.$"):
        given.read_text(latin, given.Limit(100))


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


def test_a_file_that_grows_while_it_is_read_is_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "grows"
    file.write_bytes(b"x" * 10)

    def check_and_grow(path: Path, limit: given.Limit) -> None:
        with path.open("ab") as more:
            more.write(b"x")

    monkeypatch.setattr(given, "check_file", check_and_grow)
    with pytest.raises(ValueError, match=r"^.*grows is too large; .* 0 kilobytes\. Give a smaller"):
        given.read_bytes(file, given.Limit(10))


@pytest.mark.parametrize(
    "content", [b"[]", b"{", b"[" * 100_000, b"\xff", b'{"a": 1}' + b" " * 1_000_000]
)
def test_a_kept_file_that_is_no_object_within_the_limit_is_as_none(
    tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "kept.json"
    assert read_object(file) == {}
    file.write_bytes(b'{"a": 1}')
    assert read_object(file) == {"a": 1}
    file.write_bytes(content)
    assert read_object(file) == {}


def test_lines_without_an_end_are_refused_and_so_is_a_line_without_one() -> None:
    endless = io.TextIOWrapper(_Endless(b"e4\n"), "utf-8")
    with pytest.raises(ValueError, match=r"^Standard input is too large; it may have 1 kilobytes"):
        for line in given.lines_of(endless, given.Limit(1000), "Standard input"):
            assert line == "e4\n"
    one = io.TextIOWrapper(_Endless(b"x"), "utf-8")
    with pytest.raises(ValueError, match=r"^A line of it is too long; it may have 100000 char"):
        list(given.lines_of(one, given.BATCH, "it"))


class _Endless(io.BytesIO):
    """A pipe out of which the same bytes come without end."""

    def read1(self, size: int | None = -1) -> bytes:
        return self.getvalue() * (4096 // len(self.getvalue()))


def test_work_that_takes_too_long_is_refused_and_waiting_is_no_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    remedies = {False: "Give a smaller part of it.", True: "Check that it is the right file."}
    for whole, remedy in remedies.items():
        clock = iter([0.0, 59.0, 60.0, 61.0])
        monkeypatch.setattr(time, "thread_time", partial(next, clock))
        done = []
        with pytest.raises(ValueError, match=rf"^it takes longer than 60 seconds\. {remedy}$"):
            for part in given.in_time("abc", given.Limit(1, whole=whole), "it"):
                done.append(part)
        assert done == ["a", "b"]


OWN_FILES = """
boards/ports braille/brlapi commands/doctor commands/guides commands/language
console/assets console/messages console/pages/timeline
hall/brokers hearing/recognisers hearing/script hearing/speaker_preferences hearing/voice_archive
language/pack laws/editions/__init__ record/openings
speech/adaptation/finetuning speech/adaptation/graph
speech/adaptation/kaldi_files speech/adaptation/sounds speech/confidence
speech/models/catalogue speech/models/download speech/models/folders speech/models/store
table/devices table/drilling
"""
"""The modules that read a file in another way: one that BlindPlay or the system has written, or a
part of an installed model or package, whose sum is known."""


def test_every_file_that_people_give_is_read_within_a_limit() -> None:
    package = Path(given.__file__).parent
    reading = {
        path.relative_to(package).with_suffix("").as_posix()
        for path in package.rglob("*.py")
        if re.search(r"\.read_(?:bytes|text)\(", path.read_text("utf-8"))
    }
    assert reading == set(OWN_FILES.split())
