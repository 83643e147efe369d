"""``play --against wait`` and ``play --against HOST``."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from blindplay.laws.facts import Setup
from blindplay.opponents.distant import connections
from blindplay.record import Journal
from tests.command_line import run

SILENT = ("--microphone", "none", "--silent", "--language", "en")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--against", "a b:c"), "is not an opponent"),
        (("--lag-limit", "5"), "--lag-limit needs --against wait."),
        (("--against", "wait", "--level", "club"), "--engine and --level need --against engine."),
        (("--against", "host.example", "--time-control", "5m"), "decides about --time-control"),
        (("--against", "wait", "--impaired", "both"), "leaves no side for --against"),
        (("--against", "wait", "--lag-limit", "1"), "2<=x<=60"),
        (("--voices",), "--voices needs --against with a distant table, such as wait."),
        (("--against", "wait", "--voices"), "--voices needs an earphone, so that"),
        (("--against", "wait", "--shared-microphone"), "needs two people at the table"),
    ],
)
def test_options_that_do_not_go_together_are_refused(words: tuple[str, ...], sentence: str) -> None:
    ran = run("play", *SILENT, *words)
    assert ran.status == 2 and sentence in ran.stderr


def test_where_no_table_waits_the_remedy_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ran = run("play", *SILENT, "--against", f"482915@127.0.0.1:{port}")
    assert ran.status == 2
    assert f"let TCP port {port} through" in ran.stderr and "check the address" in ran.stderr


def test_digits_are_asked_for_and_must_be_six_or_eight() -> None:
    ran = run("play", *SILENT, "--against", "127.0.0.1", stdin="12 34\n")
    assert ran.status == 2 and "Which digits does the other table show?" in ran.stdout
    assert "These are neither six nor eight digits" in ran.stderr


def test_what_this_table_lacks_is_said_before_anybody_is_waited_for(tmp_path: Path) -> None:
    kept = tmp_path / "game.jsonl"
    with Journal(kept) as journal:
        journal.append(Setup(t=0))
    for words, sentence in (
        (("--tape", "table"), "leave out --silent, or --tape"),
        (("--console", "--host", "192.0.2.1"), "cannot be served at 192.0.2.1"),
        (("--journal", str(kept)), "already holds a game"),
    ):
        ran = run("play", *SILENT, "--against", "wait:0", *words, stdin="quit\n")
        assert ran.status == 2 and sentence in ran.stderr and "six digits" not in ran.stdout


def test_the_digits_that_are_typed_when_asked_are_those_of_the_call() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ran = run("play", *SILENT, "--against", f"127.0.0.1:{port}", stdin="482 915\n")
    assert ran.status == 2 and "Which digits does the other table show?" in ran.stdout
    assert "No table waits at '127.0.0.1'" in ran.stderr


@pytest.mark.parametrize("opponent", ["wait@127.0.0.1:{}", "27482915@127.0.0.1:{}"])
def test_where_no_hall_answers_the_remedy_is_said(
    opponent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ran = run("play", *SILENT, "--against", opponent.format(port))
    assert ran.status == 2 and f"No hall answers at '127.0.0.1', port {port}" in ran.stderr
    assert "whether blindplay hall meetings runs there" in ran.stderr


def test_a_port_that_is_taken_is_told() -> None:
    with socket.create_server(("", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("play", *SILENT, "--against", f"wait:{port}", stdin="quit\n")
    assert ran.status == 2 and f"wait:{port + 1}" in ran.stderr


def test_the_table_that_waits_can_be_ended() -> None:
    ran = run("play", *SILENT, "--against", "wait:0", stdin="quit\n")
    assert ran.status == 0 and "Your six digits are:" in ran.stdout
