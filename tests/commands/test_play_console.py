"""``blindplay play --console``: what it prints, and what it says where it cannot be served."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from blindplay.console.access import AccessLinks
from tests.command_line import Ran, run

PLAY = ["play", "--silent", "--microphone", "none", "--console"]
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#[A-Za-z0-9_-]{43}\n")


def play(path: Path, *options: str, keys: str = "", reader: str = "en") -> Ran:
    where = ("--console-port", "0", "--journal", str(path))
    return run(*PLAY, *where, *options, stdin=f"{keys}quit\n", reader=reader)


def test_one_link_a_role_is_printed_renewed_taken_away_and_told_of(tmp_path: Path) -> None:
    keys = "link assistant:white\nlink nobody\nlinks\nunlink assistant:white\nlinks\nunlink\n"
    said = play(tmp_path / "game.jsonl", "--language", "en", keys=keys)
    assert said.status == 0, said.stderr
    named = re.findall(r"Name the role: (.+)\.", said.stdout)
    assert len(named) == 2
    roles = named[0].split(", ")
    assert {"white", "black", "assistant:white"} <= set(roles)
    links = LINK.findall(said.stdout)
    assert len(links) == len(set(links)) == len(roles) + 1  # White's assistant's anew
    assert said.stdout.count("The page of White's assistant: ") == 2
    state = "assistant:white: browsers that have come in: 0; pages open now: 0."
    assert said.stdout.count(state) == 1  # not after it was taken away
    assert "assistant:white has no page any more" in said.stdout
    assert "█" not in said.stdout  # no screen reader can read it


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Die Seite des Assistenten von Weiß: http"), ("nb", "Siden til assistenten for Hvit:"),
     ("sv", "Sidan för Vits medhjälpare: http")],
)  # fmt: skip
def test_links_are_told_in_the_tables_language(tmp_path: Path, language: str, words: str) -> None:
    said = play(tmp_path / "game.jsonl", "--language", language, "--qr")
    assert words in said.stdout
    assert "█" in said.stdout


def test_links_outlast_the_table_and_no_other_game_has_them(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    links = LINK.findall(play(path).stdout)
    assert len(links) >= 3
    secrets = [link.rpartition("#")[2].strip() for link in links]
    kept = path.with_suffix(".links")
    assert not any(secret in kept.read_text() for secret in secrets)
    if os.name == "posix":
        assert kept.stat().st_mode & 0o777 == 0o600
    again = play(path, "--resume")
    assert LINK.findall(again.stdout) == []
    assert "The links of before" in again.stdout
    doors = AccessLinks(kept)
    assert all(doors.enter(secret, "en") for secret in secrets)
    path.unlink()
    assert len(LINK.findall(play(path).stdout)) == len(links)
    assert not any(AccessLinks(kept).enter(secret, "en") for secret in secrets)


def test_a_certificate_needs_its_key_and_both_their_files(tmp_path: Path) -> None:
    alone = play(tmp_path / "1.jsonl", "--certificate", "c.pem")
    assert "--certificate and --key need each other" in alone.stderr
    files = [tmp_path / "c.pem", tmp_path / "k.pem"]
    both = ("--certificate", str(files[0]), "--key", str(files[1]))
    missing = play(tmp_path / "2.jsonl", *both)
    assert missing.stderr == f"There is no file {files[0]}; check the name.\n"
    for one in files:
        one.write_text("nothing")
    assert "cannot be encrypted" in play(tmp_path / "3.jsonl", *both).stderr


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = play(tmp_path / "game.jsonl", "--console-port", port)
    assert f"The console cannot be served at 127.0.0.1, port {port}" in said.stderr
    assert "--console-port" in said.stderr


@pytest.mark.parametrize("host", [" ", "a\nb", "x" * 5000, "\ud800"])
def test_an_address_that_is_none_is_one_sentence_in_the_users_language(
    tmp_path: Path, host: str
) -> None:
    said = play(tmp_path / "game.jsonl", f"--host={host}", reader="de").stderr
    assert said.startswith("Die Konsole lässt sich nicht unter ") and said.count("\n") == 1
    assert "--host" in said and "known" not in said


def test_where_to_serve_needs_something_to_serve(tmp_path: Path) -> None:
    arguments = [word for word in PLAY if word != "--console"]
    said = run(*arguments, "--host", "0.0.0.0", stdin="quit\n")
    assert "need --console" in said.stderr


def test_the_address_of_the_public_page_is_printed(tmp_path: Path) -> None:
    said = play(tmp_path / "1.jsonl", "--public", "--public-delay", "5m", reader="de").stdout
    assert "fünf Minuten" in said and "/public/" in said
    assert "/public/" not in play(tmp_path / "2.jsonl").stdout
