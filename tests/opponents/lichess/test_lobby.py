"""The games that can be asked for, and the way to one: seek, challenge, an incoming challenge, the
computer; all of it is told.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

from blindplay.opponents.lichess.api import LichessApi, LichessError
from blindplay.opponents.lichess.lobby import FoundGame, Lobby, TypedAnswer, WantedGame, why_not
from tests.opponents.lichess.board_server import AT_ONCE, GAME, ME, BoardServer
from tests.waiting import PATIENCE_S, until


@pytest.mark.parametrize(
    ("wanted", "form"),
    [
        ({}, {"time": "15", "increment": "10", "rated": "false", "color": "random"}),
        ({"days": 3, "rated": True}, {"days": "3", "rated": "true"}),
        ({"whom": "Salma", "side": "black"}, {"clock.limit": "900", "color": "black"}),
        ({"ai": 3, "limit_s": None}, {"level": "3", "variant": "standard"}),
        ({"whom": "Salma", "limit_s": 180, "increment_s": 0}, {"clock.limit": "180"}),
        ({"ai": 1, "fen": "8/8"}, {"variant": "fromPosition", "fen": "8/8"}),
        ({"chess960": True}, {"variant": "chess960"}),
    ],
)
def test_a_wish_is_asked_for_as_the_api_takes_it(
    wanted: dict[str, Any], form: dict[str, str]
) -> None:
    wish = WantedGame(**wanted)
    wish.check()
    assert form.items() <= wish.form().items()


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        ({"limit_s": 300, "increment_s": 3}, "bullet never"),  # 420 s: blitz is not sought
        ({"whom": "Salma", "limit_s": 60, "increment_s": 0}, "bullet never"),
        ({"limit_s": None}, "Nobody can be sought"),
        ({"limit_s": 930}, "whole minutes"),
        ({"ai": 3, "rated": True}, "never rated"),
        ({"ai": 3, "whom": "Salma"}, "Give one of"),
        ({"fen": "8/8"}, "from a position"),
    ],
)
def test_what_lichess_does_not_play_is_refused_with_the_remedy(
    wanted: dict[str, Any], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        WantedGame(**wanted).check()


@pytest.mark.parametrize(
    ("challenge", "why"),
    [
        ({"variant": {"key": "standard"}, "speed": "rapid"}, None),
        ({"variant": {"key": "chess960"}, "speed": "blitz", "initialFen": "startpos"}, None),
        ({"variant": {"key": "atomic"}, "speed": "rapid"}, "variant"),
        ({"variant": {"key": "standard"}, "speed": "bullet"}, "tooFast"),
        ({"variant": {"key": "fromPosition"}, "speed": "rapid", "initialFen": "8/8"}, "variant"),
    ],
)
def test_a_challenge_that_no_table_can_play_has_a_reason(
    challenge: dict[str, object], why: str | None
) -> None:
    assert why_not(challenge) == why


# The examples of Lichess's specification, with this game's name.
START = {"type": "gameStart", "game": {"fullId": f"{GAME}1c4x", "gameId": GAME, "color": "white",
         "source": "friend", "speed": "rapid", "compat": {"board": True}}}  # fmt: skip
CHALLENGE: dict[str, Any] = {
    "id": "7pGLxJ4F", "status": "created",
    "challenger": {"id": "lovlas", "name": "Lovlas", "title": "IM", "rating": 2506},
    "destUser": {"id": "kenneth", "name": ME, "rating": 1500},
    "variant": {"key": "standard", "name": "Standard", "short": "Std"}, "rated": True,
    "timeControl": {"type": "clock", "limit": 300, "increment": 25, "show": "5+25"},
    "color": "random", "finalColor": "white", "speed": "rapid",
    "perf": {"icon": "#", "name": "Rapid"},
}  # fmt: skip


class Waiting:
    """Somebody who waits for a game, and answers with ``answers``."""

    def __init__(self, server: BoardServer, wanted: WantedGame) -> None:
        self.server = server
        self.told: list[str] = []
        self.answers: list[TypedAnswer] = []
        self.found: FoundGame | None = None
        self.error = ""
        self._wanted = wanted
        self._thread = threading.Thread(target=self._find, daemon=True)
        self._thread.start()

    def _find(self) -> None:
        def within(seconds: float) -> TypedAnswer | None:
            until(lambda: bool(self.answers), 0.01)
            return self.answers.pop(0) if self.answers else None

        def say(key: str, **values: object) -> None:
            self.told.append(key)

        with LichessApi(self.server.account, AT_ONCE) as api:
            try:
                self.found = Lobby(api, ME, self._wanted, say, within).find()
            except LichessError as error:
                self.error = str(error)

    def wait_for(self, key: str) -> None:
        assert until(lambda: key in self.told), (self.told, self.error, self.server.asked)

    def end(self) -> None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive(), (self.told, self.server.asked)


@pytest.fixture
def server() -> Iterator[BoardServer]:
    server = BoardServer()
    yield server
    server.close()


def test_a_seek_stays_open_until_somebody_comes(server: BoardServer) -> None:
    waiting = Waiting(server, WantedGame(side="white"))
    waiting.wait_for("lichess_seeking")
    assert server.asked.index("GET /api/stream/event") < server.asked.index("POST /api/board/seek")
    assert server.given[-1] == {"variant": "standard", "color": "white", "rated": "false",
                                "time": "15", "increment": "10"}  # fmt: skip
    server.blank()
    server.event(START)
    server.event(START)
    waiting.end()
    assert waiting.found is not None and (waiting.found.id, waiting.found.side) == (GAME, "white")
    assert waiting.told == ["lichess_seeking"]


def test_a_challenge_waits_for_its_answer(server: BoardServer) -> None:
    own = {**CHALLENGE, "challenger": {"name": ME, "id": "kenneth"}, "id": GAME}
    for answer in (START, {"type": "challengeDeclined", "challenge": own}):
        waiting = Waiting(server, WantedGame(whom="Salma", rated=True))
        waiting.wait_for("lichess_waiting_for")
        assert server.given[-1]["keepAliveStream"] == "true"
        server.event({"type": "challenge", "challenge": own})
        server.event({"type": "gameStart", "game": {"gameId": "another1"}})
        server.event(answer)
        waiting.end()
        assert (waiting.found is None) is (answer is not START)
    assert waiting.told[-1] == "lichess_challenge_declined"


def test_a_challenge_that_comes_is_told_and_answered(server: BoardServer) -> None:
    accept, done = "/api/challenge/dd/accept", (200, {"ok": True})
    server.answers |= {
        accept: done,
        "/api/challenge/7pGLxJ4F/decline": done,
        "/api/challenge/bb/decline": done,
    }
    waiting = Waiting(server, WantedGame(waits=True))
    waiting.wait_for("lichess_waiting")
    came = {"type": "challenge", "challenge": CHALLENGE}
    server.event(came)
    server.event(came)  # twice
    waiting.wait_for("lichess_answer")
    waiting.answers.append(TypedAnswer.NO)
    waiting.wait_for("lichess_declined")
    assert waiting.told[1:6] == ["lichess_challenged", "lichess_terms_more", "lichess_terms_rated",
                                 "lichess_answer", "lichess_declined"]  # fmt: skip
    server.event({"type": "challenge", "challenge": {**CHALLENGE, "id": "bb", "speed": "bullet"}})
    waiting.wait_for("lichess_declined_fast")
    assert until(lambda: server.given[-1] == {"reason": "tooFast"})
    for kind in ("challenge", "challengeCanceled"):
        server.event({"type": kind, "challenge": {**CHALLENGE, "id": "cc"}})
    waiting.wait_for("lichess_challenge_gone")
    server.event(came)  # once more
    last = {**CHALLENGE, "id": "dd", "timeControl": {"type": "unlimited"}}
    server.event({"type": "challenge", "challenge": last})
    waiting.wait_for("lichess_terms_unlimited")
    waiting.answers.append(TypedAnswer.YES)
    assert until(lambda: f"POST {accept}" in server.asked)
    server.event(START)
    waiting.end()
    assert waiting.found is not None


def test_the_computer_begins_at_once_and_a_game_in_progress_goes_on(server: BoardServer) -> None:
    server.answers["/api/challenge/ai"] = 201, {"id": GAME, "player": "white", "status": {"id": 20}}
    waiting = Waiting(server, WantedGame(ai=3))
    waiting.end()
    assert waiting.found is not None and server.given[-1]["level"] == "3"
    standard = {"key": "standard"}
    server.playing = [
        {"gameId": "slowgame", "speed": "correspondence", "variant": standard},
        {"gameId": GAME, "speed": "rapid", "variant": standard},
    ]
    waiting = Waiting(server, WantedGame(whom="Salma"))
    waiting.end()
    assert waiting.found is not None and waiting.told == ["lichess_continues"]


def test_cuts_are_told_and_a_refusal_ends_the_waiting(server: BoardServer) -> None:
    waiting = Waiting(server, WantedGame(waits=True))
    waiting.wait_for("lichess_waiting")
    server.answers["/api/stream/event"] = 502, None
    server.cut()
    waiting.wait_for("lichess_lost")
    del server.answers["/api/stream/event"]
    assert until(lambda: len(server._streams["/api/stream/event"]) == 1)
    server.event({"type": "gameFinish"})
    waiting.wait_for("lichess_back")
    waiting.answers += [TypedAnswer.OTHER, TypedAnswer.END]
    waiting.end()
    assert waiting.told.count("lichess_waiting") == 2 and waiting.found is None
    server.answers["/api/board/seek"] = 400, {"error": "Invalid time"}
    waiting = Waiting(server, WantedGame())
    waiting.end()
    assert "Invalid time" in waiting.error
