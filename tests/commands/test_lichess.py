"""``blindplay lichess``, and ``play --against lichess``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.laws.facts import Player
from blindplay.opponents.lichess.player import LichessPlayer
from blindplay.record import Journal, games
from tests.command_line import run
from tests.commands.test_play import Table
from tests.commands.test_play import table as table
from tests.opponents.lichess.board_server import GAME, TOKEN, BoardServer


@pytest.fixture
def without_account() -> Iterator[BoardServer]:
    server = BoardServer()
    yield server
    server.close()


def test_a_token_is_checked_kept_and_removed(without_account: BoardServer, tmp_path: Path) -> None:
    login = ("lichess", "login", "--server", without_account.url)
    without_account.scopes = "board:play"
    refused = run(*login, stdin=f"{TOKEN}\n", home=tmp_path)
    assert refused.status == 2 and "does not permit challenge:write" in refused.stderr
    wrong = run(*login, stdin="lip_other\n", home=tmp_path)
    assert wrong.status == 2 and "does not accept the token" in wrong.stderr
    without_account.scopes = "board:play,challenge:write"
    done = run(*login, stdin=f"{TOKEN}\n", home=tmp_path)
    assert done.status == 0 and "You are Kenneth at Lichess." in done.stdout
    assert "scopes[]=board:play&scopes[]=challenge:write" in done.stdout
    for said in (refused, wrong, done):
        assert TOKEN not in said.stdout + said.stderr and "lip_other" not in said.stderr
    assert run("lichess", "logout", home=tmp_path).stdout == "The token is removed.\n"
    assert "No token" in run("lichess", "logout", home=tmp_path).stdout


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    ran = run("lichess", "login", "--server", "lichess.org", stdin="x\n", home=tmp_path)
    assert ran.status == 2 and "such as https://lichess.org" in ran.stderr


# --- ``play --against lichess``: which game is asked for, and what becomes of the one found


PLAY = ("play", "--against", "lichess", "--silent")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[BoardServer]:
    server = BoardServer(me="black")
    server.answers["/api/challenge/ai"] = 201, {"id": GAME}
    run("lichess", "login", "--server", server.url, stdin=TOKEN, home=tmp_path)
    yield server
    server.close()


def test_the_game_that_is_found_becomes_the_tables(
    server: BoardServer, table: Table, tmp_path: Path
) -> None:
    server.move("e2e4")  # the opponent's first move is heard as all others
    ran = run(*PLAY, "--level", "3", "--time-control", "10m", home=tmp_path)
    assert ran.status == 0, ran.stderr
    assert server.given[-1]["clock.limit"] == "600" and server.given[-1]["color"] == "random"
    setup = table.setup
    assert (setup.arbiter, setup.time_control, setup.boards) == ("server", "900+10", 2)
    assert setup.site == f"{server.url}/{GAME}" and setup.fen == server.start.fen()
    assert setup.white.name == "Salma" and setup.black == Player("Kenneth", True, language="en")
    assert setup.announce_in == "en"  # nobody else hears the announcements
    assert isinstance(table.arguments[8], LichessPlayer) and not table.options.training
    server.move("e7e5")  # on a phone: the table goes on from there
    run(*PLAY, "--level", "3", home=tmp_path)
    assert table.setup.fen == server.board.fen()
    journal = tmp_path / "game.jsonl"
    with Journal(journal) as new:
        new.append(table.setup)
    games.keep_options(journal, dict(table.options.kept))
    run("play", "--resume", "--journal", str(journal), home=tmp_path)
    assert table.arguments[1] is None and isinstance(table.arguments[8], LichessPlayer)


def test_who_waits_is_told_so_and_may_leave(
    server: BoardServer, table: Table, tmp_path: Path
) -> None:
    ran = run(*PLAY, "--accept", "--language", "en", stdin="\nquit\n", home=tmp_path)
    said = "The table is waiting for a challenge on Lichess. Type quit to stop.\n"
    assert (ran.status, ran.stdout) == (0, said * 2) and table.arguments == ()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (("--training",), "--training cannot go with --against lichess"),
        (("--white", "Anna"), "--white cannot go with --against lichess"),
        (("--level", "9"), "the levels 1 to 8"),
        (("--level", "club"), "the levels 1 to 8"),
        (("--impaired", "both"), "you are one player"),
        (("--time-control", "40/90m+30m"), "one period only"),
        (("--time-control", "3m"), "bullet never"),
        (("--challenge", "a b"), "is not a name at Lichess"),
        (("--board", "/no/such/port"), "port"),
        (("--tape", "table"), "leave out --silent, or --tape"),
        (("--no-silent", "--private-output", "no such earphone"), "no audio output called"),
        (("--console", "--host", "192.0.2.1"), "cannot be served at 192.0.2.1"),
        (("--journal", "tests"), "tests"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_asked(
    server: BoardServer, table: Table, tmp_path: Path, given: tuple[str, ...], why: str
) -> None:
    ran = run(*PLAY, *given, home=tmp_path)
    assert ran.status == 2 and why in ran.stderr and table.arguments == ()
    assert server.asked == ["GET /api/account"]


def test_options_of_lichess_need_lichess_and_an_account(table: Table, tmp_path: Path) -> None:
    ran = run("play", "--challenge", "Salma", home=tmp_path)
    assert ran.status == 2 and "need --against lichess" in ran.stderr
    ran = run(*PLAY, home=tmp_path)
    assert ran.status == 2 and "run: blindplay lichess login" in ran.stderr
