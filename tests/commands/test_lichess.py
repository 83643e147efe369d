"""``blindplay lichess``: the token is checked before it is kept, and is shown nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import run
from tests.opponents.lichess.board_server import TOKEN, BoardServer


@pytest.fixture
def server() -> Iterator[BoardServer]:
    server = BoardServer()
    yield server
    server.close()


def test_a_token_is_checked_kept_and_removed(server: BoardServer, tmp_path: Path) -> None:
    login = ("lichess", "login", "--server", server.url)
    server.scopes = "board:play"
    refused = run(*login, stdin=f"{TOKEN}\n", home=tmp_path)
    assert refused.status == 2 and "does not permit challenge:write" in refused.stderr
    wrong = run(*login, stdin="lip_other\n", home=tmp_path)
    assert wrong.status == 2 and "does not accept the token" in wrong.stderr
    server.scopes = "board:play,challenge:write"
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
