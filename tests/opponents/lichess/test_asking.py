"""What is for Lichess to decide, and what is asked of it."""

from __future__ import annotations

from pathlib import Path

from blindplay.laws import facts as f
from tests.opponents.lichess.playing_there import AtLichess
from tests.opponents.lichess.serving import Serve
from tests.opponents.lichess.serving import serve as serve


def test_what_lichess_decides_is_not_decided_here(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        for fact in (
            f.Arbiter(do="stop_clocks"),
            f.Arbiter(do="declare", result="1-0"),
            f.CallArbiter(by="white"),
            f.ClaimDraw(by="white", rule="cannot_win"),
            f.Irregular(by="white", what="reversed_colours"),
        ):
            at.do(fact)
        at.wait(lambda: at.told.count("lichess_decides") == 5)
        assert at.table.game.clock.running == "white" and not at.table.game.over
