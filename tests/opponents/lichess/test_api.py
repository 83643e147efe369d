"""Requests and streams: each failure has its kind, and no message names the token."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from blindplay.opponents.lichess import api as lichess
from blindplay.opponents.lichess.account import Account
from blindplay.opponents.lichess.api import LichessApi, Waits, missing_scopes
from tests.opponents.lichess.board_server import AT_ONCE, GAME, TOKEN, BoardServer

STREAM = f"/api/board/game/stream/{GAME}"


@pytest.fixture
def server() -> Iterator[BoardServer]:
    server = BoardServer()
    yield server
    server.close()


def test_the_user_and_what_the_token_permits_are_known(server: BoardServer) -> None:
    with LichessApi(server.account, AT_ONCE) as api:
        assert api.user() == ("Kenneth", frozenset(("board:play", "challenge:write")))
        server.scopes = "challenge:write"
        assert missing_scopes(api.user()[1]) == ["board:play"]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, lichess.RefusedError),
        (401, lichess.TokenError),
        (403, lichess.TokenError),
        (404, lichess.MissingError),
        (429, lichess.LimitedError),
        (500, lichess.LostLineError),
    ],
)
def test_each_status_has_its_error(
    server: BoardServer, status: int, kind: type[lichess.LichessError]
) -> None:
    server.answers["/api/account"] = server.answers[STREAM] = status, {"error": "No \x1b[2J"}
    with LichessApi(server.account, AT_ONCE) as api:
        with pytest.raises(kind) as told:
            api.user()
        with pytest.raises(kind), api.stream("GET", STREAM):
            pass
        assert TOKEN not in str(told.value) and "\x1b" not in str(told.value)


def test_a_server_that_is_not_there_is_unreachable() -> None:
    away = Account("Kenneth", TOKEN, "http://127.0.0.1:9")
    lost = pytest.raises(lichess.LostLineError, match="Check the way to the internet")
    with LichessApi(away, Waits(answer_s=5)) as api, lost:
        api.user()


def test_a_stream_gives_events_and_blank_lines_and_is_closed_from_outside(
    server: BoardServer,
) -> None:
    with LichessApi(server.account, AT_ONCE) as api, api.stream("GET", STREAM) as lines:
        events = iter(lines)
        seen = [next(events), next(events)]
        assert None in seen and any(event and event["type"] == "gameFull" for event in seen)
        timer = threading.Timer(0.05, lines.close)
        timer.start()
        with pytest.raises(lichess.LostLineError):
            while True:
                next(events)
        timer.join()


def test_what_is_no_event_ends_the_stream(server: BoardServer) -> None:
    server.faults.junk = 1.0
    lost = pytest.raises(lichess.LostLineError)
    with LichessApi(server.account, AT_ONCE) as api, lost, api.stream("GET", STREAM) as lines:
        list(lines)
