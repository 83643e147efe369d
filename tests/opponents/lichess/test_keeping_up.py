"""Clocks and offers, as Lichess tells them; each is said once."""

from __future__ import annotations

from pathlib import Path

from blindplay.laws import facts as f
from tests.opponents.lichess.playing_there import AtLichess
from tests.opponents.lichess.serving import Serve
from tests.opponents.lichess.serving import serve as serve


def test_what_lichess_agrees_to_becomes_a_fact_and_nothing_else(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.open_with("e2e4", "e7e5")
        at.do(f.OfferDraw(by="white"))
        at.wait(lambda: at.table.game.offers == {"white"})
        server.decline_draw()
        at.wait(lambda: not at.table.game.offers)  # declined
        server.offer_draw()
        at.wait(lambda: at.table.game.offers == {"black"})
        at.do(f.DeclineDraw(by="white"))
        at.wait(lambda: not server.draws and not at.table.game.offers)
        server.offer_draw()
        at.wait(lambda: at.table.game.offers == {"black"})
        at.do(f.AcceptDraw(by="white"))
        at.wait(lambda: at.table.game.over)
        assert at.table.game.result == "1/2-1/2" and "lichess_draw" not in at.told


def test_a_take_back_is_asked_and_answered(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.open_with("e2e4", "e7e5")
        at.do(f.Arbiter(do="restore", ply=0))
        at.wait_for("lichess_takeback_sent")
        assert len(at.moves) == 2
        server.take_back(2)
        at.wait(lambda: at.moves == [])
        at.play("e2e4")  # the same move again is another move
        at.wait(lambda: server.accepted == ["e2e4", "e2e4"])
        server.ask_to_take_back()
        at.wait_for("lichess_takeback_asked")
        at.do(f.DeclineDraw(by="white"))
        at.wait(lambda: not server.takebacks)
        assert at.told.count("lichess_taken_back") == 1


def test_a_slow_line_is_told_when_it_costs_seconds(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.open_with("e2e4", "e7e5")
        server.left["white"] -= 5000
        at.play("g1f3")
        at.wait_for("lichess_lag")
        assert at.values["time"].total_seconds() > 2  # type: ignore[attr-defined]
