"""The first hour at a real terminal, in German and English: one session for each thing to learn."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import chess
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import Command, Key, Language, load, word_of
from blindplay.laws.facts import Setup
from blindplay.record import read_journal
from tests.command_line import run
from tests.sampling import first
from tests.terminal import Terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
TYPED = ("play", "--silent", "--microphone", "none")
# Moves are announced with the German names in every language (D.2.1).
MOVES = {uci: load("de").announce(chess.Board(), chess.Move.from_uci(uci))
         for uci in ("e2e4", "d2d4", "g1f3")}  # fmt: skip


@pytest.fixture(params=first(1, ["de", "en"]))
def pack(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Language:
    """The language of the user, as the system knows it."""
    monkeypatch.setenv("LC_ALL", {"de": "de_DE.UTF-8", "en": "en_GB.UTF-8"}[request.param])
    return load(request.param)


Play = Callable[..., Terminal]


@pytest.fixture
def play(tmp_path: Path) -> Iterator[Play]:
    """Begins a table; the arguments are more options."""
    opened: list[Terminal] = []

    def begin(*options: str) -> Terminal:
        opened.append(Terminal(*TYPED, *options, home=tmp_path))
        return opened[-1].__enter__()

    yield begin
    for table in opened:
        table.__exit__()


def leave(table: Terminal, pack: Language) -> None:
    """End a table in the words of its language."""
    table.enter(word_of(pack, Key.END), pack.sentence("saved"))
    assert table.status() == 0


# --- it begins, and answers ---------------------------------------------------------------------


def test_both_boards_begin_the_game_and_each_press_is_answered(play: Play, pack: Language) -> None:
    say, white, black = pack.sentence, pack.sentence("white"), pack.sentence("black")
    boards = [EmulatedBoard("8/8/8/8/8/8/8/8") for _ in range(2)]
    with closing(boards[0]), closing(boards[1]):
        own, other = boards
        table = play("--board", own.url, "--sighted-board", other.url)
        table.shows(say("settings_board", player=white), say("settings_board", player=black))
        table.shows(say("begin_boards"))
        assert say("begin_key") not in table.printed  # hands are led
        assert say("clock_started", player=white) not in table.printed
        table.type("start")  # hands need not set up two boards for this
        table.shows(say("game_begins"), say("clock_started", player=white))
        table.type("stop")
        table.shows(say("clock_stopped"))
        table.interrupt()
        table.shows(say("saved"))
        assert table.status() == 0


def test_a_table_with_boards_that_stand_begins_by_itself(play: Play, pack: Language) -> None:
    say, white, black = pack.sentence, pack.sentence("white"), pack.sentence("black")
    boards = [EmulatedBoard(chess.STARTING_BOARD_FEN) for _ in range(2)]
    with closing(boards[0]), closing(boards[1]):
        own, other = boards
        table = play("--board", own.url, "--sighted-board", other.url)
        table.shows(say("game_begins"), say("clock_started", player=white))
        table.enter("e4", MOVES["e2e4"])
        table.enter("", say("not_made_placed"))
        own.lift("e2")
        own.place("e4", "P")
        own.press("white")
        table.shows(say("pressed", player=black))
        table.end_input()
        table.shows(say("keyboard_ended"))  # the boards are still there
        table.interrupt()
        assert table.status() == 0


def test_a_table_without_boards_says_what_is_true_without_one(play: Play, pack: Language) -> None:
    say = pack.sentence
    table = play()
    table.enter("", say("game_begins"))
    help_ = pack.command(Command.HELP)
    table.enter("xyzzy", say("not_understood_typed", help=help_, example=MOVES["g1f3"]))
    table.enter("", say("not_made_entered"))
    table.enter("Ke5")
    table.enter("", say("not_made_entered"))
    table.enter("e4", MOVES["e2e4"])
    correction = pack.command(Command.CORRECTION)
    table.enter(f"{correction} d4", say("corrected", move=MOVES["d2d4"]))
    table.enter(pack.command(Command.REPEAT), say("corrected", move=MOVES["d2d4"]))
    table.enter(pack.command(Command.HELP), say("help_correct", correction=correction))
    table.enter(correction, say("correct_which", move=MOVES["d2d4"]))
    # It completes nothing while this is asked.
    table.enter("", say("correct_how", move=MOVES["d2d4"]))
    table.enter("nf3", MOVES["g1f3"])
    table.enter("", say("pressed", player=pack.sentence("black")))
    leave(table, pack)
    assert say("not_made_placed") not in table.printed


# --- the rules of the house ---------------------------------------------------------------------


def test_what_contradicts_the_game_is_refused_when_it_goes_on(
    play: Play, pack: Language, tmp_path: Path
) -> None:
    table = play("--white", "Anna", "--time-control", "90m+30s")
    table.enter("", pack.sentence("game_begins"))
    table.enter("e4", MOVES["e2e4"])
    leave(table, pack)
    listed = run("games", "--language", pack.code, home=tmp_path).stdout
    assert "Anna" in listed and pack.printed("games_open") in listed
    for refused in (("--white", "Bella"), ("--time-control", "5m")):
        other = run("play", "--resume", *refused, home=tmp_path)
        assert other.status == 2 and refused[0] in other.stderr
    with Terminal("play", "--resume", home=tmp_path) as again:  # the last one, without its name
        again.shows(pack.sentence("going_on"), pack.sentence("going_on_key"))
        again.type("quit")
        assert again.status() == 0


def test_the_arbiter_takes_moves_back_and_nobody_else(play: Play, pack: Language) -> None:
    say = pack.sentence
    table = play("--arbiter")
    table.shows(say("begin_key"))
    table.enter("arbiter: start", say("clock_started", player=pack.sentence("white")))
    table.enter("e4", MOVES["e2e4"])
    table.enter("", say("pressed", player=pack.sentence("black")))
    table.enter("restore 0", say("arbiter_only"))
    table.enter("restore", say("typed_incomplete"), "restore 6")
    table.enter("record white 30 e4", say("refused_written_in_advance"))
    table.enter("arbiter: restore 0", say("take_back_all"), say("say_yes_or_no"))
    table.enter(pack.command(Command.NO), say("cancelled"))
    leave(table, pack)
    assert "\n30. " not in table.printed  # the refused entry has no row


def test_a_game_that_is_over_says_how_to_leave(play: Play, pack: Language) -> None:
    say = pack.sentence
    table = play("--white", "Änne 2", "--print", "all")
    table.shows(say("settings_player", player=say("white"), name=f"Änne {pack.number(2)}"))
    table.enter("", say("game_begins"))
    table.enter(pack.command(Command.RESIGN), say("resign_sure"))
    table.enter(pack.command(Command.YES), say("over_leave", end=word_of(pack, Key.END)))
    table.enter("e4", say("refused_game_over"))
    leave(table, pack)
    assert '[White "Änne 2"]' in table.printed


def test_claims_are_understood_in_short_forms(play: Play, pack: Language) -> None:
    say = pack.sentence
    table = play("--time-control", "-")
    table.enter("", say("game_begins"))
    short = pack.typed(Command.CLAIM_REPETITION.value)[0]
    for claim in ("claim threefold", "threefold", short):
        what = pack.command(Command.CLAIM_REPETITION)
        table.enter(claim, say("claim_move_sure", what=what))
        table.enter(pack.command(Command.NO), say("cancelled"))
    leave(table, pack)


# --- two languages ------------------------------------------------------------------------------


def test_moves_follow_the_arbiter_and_commands_their_players(play: Play, pack: Language) -> None:
    say = pack.sentence
    other = load({"de": "en", "en": "de"}[pack.code])
    table = play("--announce-in", "en", "--black-language", other.code)
    table.enter("", say("game_begins"))
    table.enter("nf3", load("en").announce(chess.Board(), chess.Move.from_uci("g1f3")))
    table.enter("", say("pressed", player=say("black")))
    table.enter(other.command(Command.RESIGN), other.sentence("resign_sure"))
    table.enter(other.command(Command.NO), other.sentence("cancelled"))
    leave(table, pack)


def test_a_setting_holds_until_the_command_line_says_else(
    tmp_path: Path, play: Play, pack: Language
) -> None:
    assert run("settings", "set", "language", "sv", home=tmp_path).status == 0
    swedish = play()
    swedish.shows(load("sv").sentence("begin_key"))
    leave(swedish, load("sv"))
    own = play("--language", pack.code)
    own.shows(pack.sentence("begin_key"))
    leave(own, pack)


# --- what is given ------------------------------------------------------------------------------


def test_names_cannot_command_a_terminal_or_a_record(
    play: Play, pack: Language, tmp_path: Path
) -> None:
    journal = tmp_path / "game.jsonl"
    name = 'Anna\x1b[31m "A" \\ \u202ebella'
    table = play(
        "--white", name, "--journal", str(journal), "--event", 'A "cup"]', "--print", "all"
    )
    table.enter("", pack.sentence("game_begins"))
    leave(table, pack)
    assert "\x1b[31m" not in table.printed and "\u202e" not in table.printed
    assert '[White "Anna \\"A\\" \\\\ bella"]' in table.printed
    assert '[Event "A \\"cup\\"]"]' in table.printed
    (setup, *_) = read_journal(journal).facts
    assert isinstance(setup, Setup) and setup.white.name == 'Anna "A" \\ bella'


# --- options and training -----------------------------------------------------------------------


def test_check_is_announced_where_it_is_wanted(play: Play, pack: Language) -> None:
    table = play("--check", "--time-control", "-", "--fen", "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1")
    table.enter("", pack.sentence("game_begins"))
    table.enter("Ra8", "Turm Anna eins Anna acht Schach")
    leave(table, pack)


def test_in_training_the_board_is_told_and_moves_are_taken_back(play: Play, pack: Language) -> None:
    table = play("--training", "--time-warnings", "1:29:00")
    table.enter("", pack.sentence("game_begins"))
    for command, answer in (
        (Command.KING, pack.square(chess.E1)),
        (Command.PAWNS, pack.sentence("file_named", file=pack.file(0))),
        (Command.POSITION, pack.sentence("white")),
    ):
        table.enter(pack.command(command), answer)
    e4 = pack.square(chess.E4)
    table.enter(pack.command(Command.SQUARE), pack.sentence("square_empty", square=e4))
    # Nobody else must understand it.
    table.enter("e4", pack.announce(chess.Board(), chess.Move.from_uci("e2e4")))
    table.enter(pack.command(Command.TAKE_BACK), pack.sentence("say_yes_or_no"))
    table.enter(pack.command(Command.YES), pack.sentence("take_back_all"))
    leave(table, pack)
