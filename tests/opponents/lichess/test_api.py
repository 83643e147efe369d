"""The account, requests and streams: each failure has its kind, a stream that is cut is opened
again, and no message names the token.
"""

from __future__ import annotations

import stat
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.opponents.lichess import api
from blindplay.opponents.lichess import api as lichess
from blindplay.opponents.lichess.api import Account, LichessApi, Waits, missing_scopes
from tests.opponents.lichess.board_server import AT_ONCE, GAME, TOKEN, BoardServer
from tests.opponents.lichess.playing_there import AtLichess
from tests.opponents.lichess.serving import Serve
from tests.opponents.lichess.serving import serve as serve


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    api.forget_account()
    yield
    api.forget_account()


def test_an_account_is_kept_privately_and_never_shown() -> None:
    with pytest.raises(ValueError, match="blindplay lichess login"):
        api.kept_account()
    kept = Account("Kenneth", "lip_secret", "http://127.0.0.1:1")
    api.keep_account(kept)
    assert api.kept_account() == kept and "lip_secret" not in repr(kept)
    path = api.token_file()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        path.chmod(0o644)
        with pytest.raises(ValueError, match="chmod 600"):
            api.kept_account()
        path.chmod(0o600)
    path.write_text("{", "utf-8")
    with pytest.raises(ValueError, match="is damaged"):
        api.kept_account()
    assert api.forget_account() and not api.forget_account()


def test_a_wrong_token_is_not_repeated() -> None:
    with pytest.raises(ValueError) as refused:
        api.checked_token("my secret token")
    assert "secret" not in str(refused.value)
    assert api.checked_token(" lip_abc\n") == "lip_abc"


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


def test_a_lost_line_is_told_once_and_its_return_too(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    stream = "/api/board/game/stream/xcoxhDvh"
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        server.answers[stream] = 502, None
        server.cut()
        at.wait_for("lichess_lost")
        at.do(f.OfferDraw(by="white"))
        at.wait(lambda: server.draws)  # requests may still go through
        del server.answers[stream]
        at.wait_for("lichess_back")
        at.wait(lambda: at.table.game.offers)
        server.answers[stream] = 401, None
        server.cut()
        at.wait_for("lichess_token")
        assert [at.told.count(key) for key in ("lichess_lost", "lichess_back")] == [1, 1]
