"""A stream that is cut is opened again, and people are told."""

from __future__ import annotations

from pathlib import Path

from blindplay.laws import facts as f
from tests.opponents.lichess.playing_there import AtLichess
from tests.opponents.lichess.serving import Serve
from tests.opponents.lichess.serving import serve as serve


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
