"""The menu at a terminal: a number, its word or a word of the line chooses, and a game goes on."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import click
import pytest

from blindplay.commands import menu
from blindplay.language import Key, load, word_of
from blindplay.laws.facts import Announce, Player, Press, Setup, Start
from blindplay.record import Journal, games
from tests.terminal import Terminal

LANGUAGES = ("da", "de", "en", "nb", "sv")
A_TERMINAL = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of tables of somebody who has not played yet."""
    monkeypatch.setattr(games, "tables_folder", lambda: tmp_path)
    return tmp_path


def chosen(monkeypatch: pytest.MonkeyPatch, language: str, *lines: str) -> object:
    """What the menu gives when these lines are typed; None if the user leaves."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
    try:
        return menu.ask(load(language))
    except click.exceptions.Exit:
        return None


def kept(journal: Path, black: str) -> None:
    """A game that somebody has left after two moves."""
    with Journal(journal) as new:
        new.append(
            Setup(t=0, date="2026-11-29", white=Player(name="Anna"), black=Player(name=black)),
            Start(t=1),
            Announce(t=2, by="white", move="e2e4"),
            Press(t=3, by="white"),
        )


ANSWERS = [
    ("de", "1", "engine"), ("de", "1.", "engine"), ("de", "eins", "engine"),
    ("de", "Computer", "engine"), ("de", "gegen den computer", "engine"), ("de", "Comp", "engine"),
    ("de", "zwei", "people"), ("de", "jemandem", "people"), ("de", "Tisch", "people"),
    ("de", "3: Die Vorführung ansehen.", "demo"), ("de", "vorfuehrung", "demo"),
    ("en", "one", "engine"), ("en", "the computer", "engine"), ("en", "somebody", "people"),
    ("en", "demo", "demo"), ("en", "3)", "demo"), ("en", "phone", "phone"), ("de", "4", "phone"),
    ("de", "Telefon", "phone"), ("nb", "telefonen", "phone"), ("sv", "telefon", "phone"),
    ("da", "telefon", "phone"),
    ("nb", "en", "engine"), ("nb", "datamaskinen", "engine"), ("nb", "noen", "people"),
    ("sv", "ett", "engine"), ("sv", "datorn", "engine"), ("sv", "tre", "demo"),
    ("da", "et", "engine"), ("da", "computeren", "engine"), ("da", "nogen", "people"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "typed", "does"), ANSWERS)
def test_a_number_or_words_of_one_line_choose_it(
    tables: Path, monkeypatch: pytest.MonkeyPatch, language: str, typed: str, does: str
) -> None:
    assert chosen(monkeypatch, language, typed) == does


@pytest.mark.parametrize("typed", ["5", "0", "play", "not the demonstration", "1 2", "co"])
def test_what_names_no_line_or_several_is_asked_again(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str
) -> None:
    assert chosen(monkeypatch, "en", typed, "demo") == "demo"
    assert capsys.readouterr().out.count(load("en").printed("offer_unclear")) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_menu_tells_how_to_leave_and_the_word_leaves(
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
) -> None:
    word = word_of(load(language), Key.END)
    help_word = word_of(load(language), Key.HELP)
    assert chosen(monkeypatch, language, "", help_word, word, "1") is None
    printed = capsys.readouterr().out
    assert printed.count(f": {word}.\n") == 3  # at first, after Enter alone, and after help
    assert load(language).printed("offer_unclear") not in printed


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_unfinished_game_is_offered_first(
    tables: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    language: str,
) -> None:
    kept(tables / "game.jsonl", "Computer 3")
    verb = load(language).printed("offer_resume").split()[0]
    for typed in ("1", verb, verb[:5]):
        assert chosen(monkeypatch, language, typed) == tables / "game.jsonl"
    first, *rest = capsys.readouterr().out.splitlines()
    assert first.startswith(f"1: {verb}") and "Anna" in first and "Computer 3" in first
    assert "2026" in first and "1" in first
    assert rest[0] == f"2: {load(language).printed('offer_engine')}"
    assert chosen(monkeypatch, language, "2") == "engine"


def test_names_in_the_offered_game_choose_nothing(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tables / "game.jsonl", "the Computer")
    assert chosen(monkeypatch, "en", "computer") == "engine"
    assert chosen(monkeypatch, "en", "anna") is None


def test_a_game_that_a_table_is_playing_now_is_not_offered(
    tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(tables / "game.jsonl", "Bert")
    with Journal(tables / "game.jsonl", resume=True):
        assert chosen(monkeypatch, "en", "1") == "engine"
    assert chosen(monkeypatch, "en", "1") == tables / "game.jsonl"


@A_TERMINAL
def test_the_program_alone_offers_the_menu_and_later_the_game_that_was_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    pack = load("en")
    with Terminal(home=tmp_path) as terminal:
        terminal.enter("two", pack.sentence("begin_key"))
        terminal.enter("", pack.sentence("clock_started", player="White"))
        terminal.enter("e4", "Eva vier")
        terminal.enter("", pack.sentence("pressed", player="Black"))
        terminal.enter("quit", "play --resume\n")
        assert terminal.status() == 0
    with Terminal(home=tmp_path) as terminal:
        terminal.shows("1: Continue your game: White against Black")
        terminal.enter("continue", "Eva vier")
        terminal.enter("quit", "play --resume\n")
        assert terminal.status() == 0
    assert len(games.journals()) <= 1


@A_TERMINAL
def test_who_chooses_the_phone_gets_encrypted_pages_that_a_phone_can_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en_GB.UTF-8")
    settings = tmp_path / "blindplay" / "settings.toml"
    settings.parent.mkdir()
    settings.write_text("console-port = 0\n")
    with Terminal(home=tmp_path) as terminal:
        terminal.enter("phone", "A new certificate of this computer was made.", "https://")
        terminal.comes("opens http://")
        terminal.interrupt()
        assert terminal.status() == 0
