"""``play --against``: a program or a distant table."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from blindplay.language import load
from blindplay.laws.facts import Announce, Press, Setup
from blindplay.opponents import uci
from blindplay.opponents.distant import connections
from blindplay.opponents.engine import EnginePlayer
from blindplay.record import Journal, games, read_journal
from blindplay.table.devices import WantedDevices
from tests.command_line import run
from tests.commands.test_play import Table
from tests.commands.test_play import table as table
from tests.ports import free_port
from tests.terminal import Terminal
from tests.waiting import until

ENGLISH = load("en")
SILENT = ("--microphone", "none", "--silent", "--language", "en")
A_TERMINAL = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")


def opponent(table: Table) -> EnginePlayer:
    player = table.arguments[8]
    assert isinstance(player, EnginePlayer)
    return player


def test_stockfish_or_the_built_in_opponent_plays_against_the_impaired_player(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    stockfish = uci.EngineProgram("Stockfish", ("/usr/games/stockfish",))
    monkeypatch.setattr(uci, "installed", lambda: stockfish)
    run("play", "--against", "engine", "--white", "Anna")
    assert opponent(table).program == stockfish and opponent(table).level.elo == 1500
    assert (table.setup.white.name, table.setup.black.name) == ("Anna", "Stockfish")
    assert table.setup.boards == 2 and table.options.training
    run("play", "--against", "engine", "--level", "beginner", "--impaired", "black")
    assert opponent(table).program == uci.BUILT_IN  # Stockfish does not play so weakly
    assert (table.setup.white.name, table.setup.black.impaired) == ("BlindPlay", True)
    monkeypatch.setattr(uci, "installed", lambda: None)
    run("play", "--against", "engine", "--level", "full")
    assert opponent(table).program == uci.BUILT_IN and opponent(table).level.elo is None


def test_an_engine_is_named_by_its_file(table: Table) -> None:
    run("play", "--against", "engine", "--engine", sys.executable, "--level", "1700")
    assert opponent(table).program.command == (sys.executable,)
    assert opponent(table).level.elo == 1700


def test_training_can_be_refused_and_an_arbiter_refuses_it(table: Table) -> None:
    run("play", "--against", "engine", "--no-training")
    assert not table.options.training
    run("play", "--against", "engine", "--arbiter")
    assert not table.options.training


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--level", "club"), "--engine and --level need --against engine."),
        (("--against", "engine", "--level", "weak"), "--level weak is not a level"),
        (("--against", "engine", "--engine", "no-such"), "--engine no-such is not a program"),
        (("--against", "engine", "--impaired", "both"), "--impaired both leaves no side"),
        (("--against", "engine", "--sighted-board", "dgt"), "needs two people at the table"),
        (("--against", "engine", "--shared-microphone"), "needs two people at the table"),
        (("--against", "someone"), "'someone' is not an opponent"),
    ],
)
def test_what_does_not_go_together_is_refused_in_one_sentence(
    table: Table, given: tuple[str, ...], why: str
) -> None:
    ran = run("play", *given)
    assert ran.status == 2 and why in ran.stderr and "Traceback" not in ran.stderr
    assert table.arguments == ()


def test_a_resumed_game_has_the_same_opponent(table: Table, tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    run("play", "--against", "engine", "--level", "learner", "--journal", str(journal))
    kept = dict(table.options.kept)
    assert (kept["against"], kept["level"], kept["training"]) == ("engine", "learner", True)

    with Journal(journal) as new:
        new.append(table.setup)
    games.keep_options(journal, kept)
    run("play", "--resume", "--journal", str(journal))
    assert opponent(table).level.elo == 1100 and table.options.training


def test_where_nobody_can_be_asked_nothing_is_offered(table: Table) -> None:
    assert "1:" not in run("play", "--or-demo", "--board", "none").stdout


@A_TERMINAL
def test_make_play_offers_a_game_against_the_computer(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    with Terminal(
        "play", "--or-demo", *SILENT, "--journal", str(journal), home=tmp_path
    ) as terminal:
        terminal.shows(f"1: {ENGLISH.printed('offer_engine')}")
        terminal.enter("1", ENGLISH.sentence("begin_key"))
        terminal.enter("", ENGLISH.sentence("clock_started", player="White"))
        terminal.enter("e4", "Pawn Eva two Eva four")
        terminal.enter("", "Black")
        terminal.enter("quit", "play --resume")
        assert terminal.status() == 0
    made = [fact.kind for fact in read_journal(journal).facts if fact.kind != "tick"]
    assert made[:3] == ["setup", "start", "announce"]


@A_TERMINAL
def test_make_play_ends_when_nothing_is_chosen(tmp_path: Path) -> None:
    with Terminal("play", "--or-demo", *SILENT, home=tmp_path) as terminal:
        terminal.enter("quit")
        assert terminal.status() == 0


@A_TERMINAL
def test_a_game_whose_process_is_killed_while_the_opponent_thinks_goes_on(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    alone = ("--against", "engine", "--level", "beginner", "--time-control", "1m")
    play = ("play", *SILENT, "--print", "words", "--journal", str(journal))
    with Terminal(*play, *alone, home=tmp_path) as terminal:
        terminal.enter("start", ENGLISH.sentence("clock_started", player="White"))
        terminal.enter("e4", "Pawn Eva two Eva four")
        terminal.enter("", ENGLISH.sentence("pressed", player="Black"))
    with Terminal(*play[:-2], "--resume", "--journal", str(journal), home=tmp_path) as terminal:
        terminal.shows(ENGLISH.sentence("opponent_level_beginner"))
        terminal.type("start")
        assert until(lambda: _answered(journal)), terminal.printed
        terminal.enter("quit", "play --resume")
    moves = [fact.move for fact in read_journal(journal).facts if isinstance(fact, Announce)]
    assert moves[0] == "e2e4" and len(moves) == 2


def _answered(journal: Path) -> bool:
    """Whether Black has pressed."""
    facts = read_journal(journal).facts
    return any(isinstance(fact, Press) and fact.by == "black" for fact in facts)


def test_what_the_settings_say_about_two_people_is_passed_over(
    table: Table, tmp_path: Path
) -> None:
    run("settings", "set", "sighted-board", "dgt:/dev/ttyACM0", home=tmp_path)
    run("settings", "set", "shared-microphone", "on", home=tmp_path)
    assert run("play", "--against", "engine", home=tmp_path).status == 0
    assert table.devices.sighted_board is None and not table.devices.shared_microphone
    assert opponent(table).level.elo == 1500


def test_an_explicit_opponent_needs_no_offer_and_no_devices(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WantedDevices, "any_present", lambda self: False)
    run("play", "--or-demo", "--against", "engine")
    assert opponent(table).program in (uci.BUILT_IN, uci.installed())


# --- ``play --against wait`` and ``play --against HOST``


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
    port = free_port()
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
    port = free_port()
    ran = run("play", *SILENT, "--against", f"127.0.0.1:{port}", stdin="482 915\n")
    assert ran.status == 2 and "Which digits does the other table show?" in ran.stdout
    assert "No table waits at '127.0.0.1'" in ran.stderr


@pytest.mark.parametrize("opponent", ["wait@127.0.0.1:{}", "27482915@127.0.0.1:{}"])
def test_where_no_hall_answers_the_remedy_is_said(
    opponent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "PATIENCE_S", 0.1)
    port = free_port()
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
