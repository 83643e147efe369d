"""Pushes to a server that answers as Lichess describes it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.hall.broadcast.lichess_push import (
    LIMITED_S,
    PAUSE_S,
    LichessPush,
    LichessRounds,
    read_token,
)
from blindplay.opponents.lichess.api import Waits

from .lichess_server import ROUND, TOKEN, LichessServer

ONE = '[White "Anna"]\n[Black "Bert"]\n[Result "*"]\n\n1. e4 e5 *'
TWO = '[White "Cara"]\n[Black "Dora"]\n[Result "*"]\n\n1. d4 *'
WRONG = '[White "Cara"]\n[Black "Dora"]\n[Result "*"]\n\n1. e5 *'


class Pusher:
    """A push to a server, with a clock that the test sets."""

    def __init__(self, folder: Path, server: LichessServer, answer_s: float = 20.0) -> None:
        self.now = 1000.0
        self.token = folder / "token"
        self.token.write_text(f"{TOKEN}\n", "ascii")
        self.token.chmod(0o600)
        rounds = LichessRounds(self.token, {1: "efgh5678", 3: ROUND}, server.url)
        self.push = LichessPush(rounds, lambda: self.now, Waits(answer_s=answer_s))

    def said(self, *games: str, number: int = 3) -> str:
        """What a push says; empty if there was none."""
        return self.push.push({number: games})

    def wait(self) -> float:
        """Until the next push may be."""
        waited = self.push.due - self.now
        self.now = self.push.due
        return waited


@pytest.fixture
def server() -> Iterator[LichessServer]:
    server = LichessServer()
    yield server
    server.close()


@pytest.fixture
def pusher(tmp_path: Path, server: LichessServer) -> Pusher:
    return Pusher(tmp_path, server)


def test_all_games_of_a_round_go_in_one_request(server: LichessServer, pusher: Pusher) -> None:
    assert pusher.said(ONE, TWO) == "Round 3 is at Lichess: 2 games, 3 moves."
    assert server.pushed == [f"{ONE}\n\n\n{TWO}"]


def test_it_asks_only_after_a_change_and_a_pause(server: LichessServer, pusher: Pusher) -> None:
    assert pusher.said(ONE)
    pusher.now += PAUSE_S - 0.1
    assert not pusher.said(ONE, TWO)
    pusher.now += 0.1
    assert not pusher.said(ONE)
    assert pusher.said(ONE, TWO)
    assert len(server.asked) == 2


def test_nothing_is_pushed_before_a_game_begins(server: LichessServer, pusher: Pusher) -> None:
    assert not pusher.said() and not pusher.said(ONE, number=7)
    assert server.asked == []


def test_a_game_that_is_refused_is_named(server: LichessServer, pusher: Pusher) -> None:
    assert "Cara – Dora: Cannot parse moves" in pusher.said(ONE, WRONG)
    pusher.wait()
    assert not pusher.said(ONE, WRONG)  # it is not pushed again as it is


def test_a_limit_is_kept(server: LichessServer, pusher: Pusher) -> None:
    """Lichess asks for a full minute; then the games go out."""
    server.answers = [(429, {}, b"")]
    assert "asks to wait" in pusher.said(ONE)
    pusher.now = pusher.push.due - 0.1
    assert not pusher.said(ONE)
    pusher.now = 1000 + LIMITED_S
    assert "is at Lichess" in pusher.said(ONE)


def test_a_token_that_is_not_accepted_can_be_replaced(
    server: LichessServer, pusher: Pusher
) -> None:
    pusher.token.write_text("lip_other", "ascii")
    said = pusher.said(ONE)
    assert "does not accept the token" in said and "lip_other" not in said
    assert pusher.wait() == 60
    pusher.token.write_text(TOKEN, "ascii")
    assert "is at Lichess" in pusher.said(ONE)


def test_a_wrong_round_keeps_no_other_from_its_turn(server: LichessServer, pusher: Pusher) -> None:
    games = {1: (ONE,), 3: (TWO,)}
    assert "knows no such round" in pusher.push.push(games)
    pusher.wait()
    assert "Round 3 is at Lichess" in pusher.push.push(games)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ((400, {}, b'{"error":"PGN \\u001b[2J broken"}'), "refuses: PGN  ?broken"),
        ((400, {}, b"<html>"), "refuses: status 400"),
        ((500, {}, b"oops"), "status 500"),
        ((200, {}, b"<html>"), "no answer about games"),
        ((200, {}, b"[" * 100_000), "no answer about games"),
        ((302, {"location": "http://127.0.0.1:1/"}, b""), "status 302"),
        ((200, {}, b" " * 3_000_000), "too much"),
    ],
)
def test_any_other_answer_is_told_and_tried_again(
    server: LichessServer, pusher: Pusher, answer: tuple[int, dict[str, str], bytes], why: str
) -> None:
    import re

    server.answers = [answer]
    assert re.search(why, pusher.said(ONE))
    assert pusher.wait() == 2 * PAUSE_S
    assert "is at Lichess" in pusher.said(ONE)


def test_pauses_grow_to_a_minute_and_shrink_after_success(
    server: LichessServer, pusher: Pusher
) -> None:
    server.answers = [(503, {}, b"")] * 6
    waits = [pusher.said(ONE) and pusher.wait() for _ in range(7)]
    assert waits == [10, 20, 40, 60, 60, 60, PAUSE_S]


def test_silence_ends_with_a_sentence(tmp_path: Path, server: LichessServer) -> None:
    pusher = Pusher(tmp_path, server, answer_s=0.2)
    server.answers = [None]
    assert "cannot be reached" in pusher.said(ONE)


def test_a_server_that_is_away_is_told(tmp_path: Path, server: LichessServer) -> None:
    pusher = Pusher(tmp_path, server)
    server.close()
    assert "cannot be reached" in pusher.said(ONE)


def test_more_games_than_a_round_holds_are_told(server: LichessServer, pusher: Pusher) -> None:
    said = pusher.said(*(TWO.replace("Cara", f"Player {n}") for n in range(101)))
    assert said == "Lichess takes 100 games a round, and there are 101."
    assert server.pushed[0].count("[White ") == 100


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such rights")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "token"
    path.write_text(TOKEN, "ascii")
    path.chmod(mode)
    with pytest.raises(ValueError, match="chmod 600"):
        read_token(path)


@pytest.mark.parametrize("content", [b"", b"two words", "kö".encode(), b"a\nb"])
def test_a_file_without_a_token_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "token"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ValueError, match="no token"):
        read_token(path)
