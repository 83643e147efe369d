"""Whether the opponent is there, and what they write."""

from __future__ import annotations

from pathlib import Path

from blindplay.laws import facts as f
from tests.opponents.lichess.playing_there import AtLichess
from tests.opponents.lichess.serving import Serve
from tests.opponents.lichess.serving import serve as serve


def test_chat_is_read_on_request(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        server.chat.append(("Salma", "Good luck"))
        line = {"type": "chatLine", "room": "player", "username": "Salma", "text": "Good luck"}
        server.tell(line)
        at.wait_for("lichess_chat_new")
        assert "text" not in at.values
        at.player.read_chat()
        at.wait_for("lichess_chat")
        assert (at.values["name"], at.values["text"]) == ("Salma", "Good luck")
        at.player.read_chat()
        at.wait_for("lichess_chat_none")


def test_resigning_and_claiming_go_through_lichess(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        server.tell({"type": "opponentGone", "gone": True, "claimWinInSeconds": 52})
        server.tell({"type": "opponentGone", "gone": True, "claimWinInSeconds": 52})
        server.tell({"type": "opponentGone", "gone": False})
        server.tell({"type": "opponentGone", "gone": True, "claimWinInSeconds": 0})
        at.wait_for("lichess_claim")
        assert at.told[1:] == ["lichess_gone", "lichess_came_back", "lichess_gone", "lichess_claim"]
        assert at.table.preview(f.ClaimTime(by="white")) == []  # so it is asked for, with a yes
        at.do(f.ClaimTime(by="white"))
        at.wait(lambda: at.table.game.over)
        assert at.table.game.result == "1-0"
    server = serve(me="black")
    with AtLichess(tmp_path / "lost.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        at.do(f.Resign(by="black"))
        at.wait(lambda: at.table.game.over)
        assert at.table.game.result == "1-0" and server.winner == "white"
