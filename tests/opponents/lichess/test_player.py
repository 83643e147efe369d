"""The opponent at Lichess: nothing is lost or doubled, whatever the line does. What Lichess decides
is asked of it, and its end ends the game here. Clocks, offers, absence and chat are each told once.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.opponents.lichess.followed import GameState
from blindplay.opponents.lichess.player import end_as_told
from blindplay.record import read_journal
from blindplay.wording.pack_words import PackWords
from tests.opponents.lichess.board_server import BoardServer, Faults
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


MATED = "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1"


def test_a_result_that_differs_is_told_and_changes_nothing() -> None:
    game = Game(PackWords())
    for fact in (
        f.Setup(t=0, arbiter="server", fen=MATED),
        f.Start(),
        f.Announce(by="white", move="f7g7"),
        f.Make(by="white", move="f7g7"),
    ):
        game.apply(fact)
    assert game.result == "1-0"
    told: list[str] = []
    submitted: list[Fact] = []
    state = GameState((), {}, "outoftime", "black")
    end_as_told(game, state, submitted.append, told.append)
    assert told == ["lichess_result_black"] and not submitted


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


def test_both_players_moves_clocks_and_names_come_through(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait_for("lichess_plays_casual")
        assert at.values == {"name": "Salma", "number": 714}
        at.play("e2e4")
        at.wait(lambda: server.accepted == ["e2e4"])
        server.left = {"white": 890_000, "black": 880_000}
        server.move("e7e5")
        at.wait(lambda: at.moves == ["e2e4", "e7e5"])
        at.wait(lambda: at.table.game.clock.left["black"] == 880_000)
        assert 880_000 < at.table.game.clock.left["white"] <= 890_000
        assert at.table.game.clock.running == "white"


@pytest.mark.parametrize(
    ("status", "winner", "result", "told"),
    [
        ("resign", "white", "1-0", ""),
        ("outoftime", "black", "0-1", "lichess_out_of_time"),
        ("timeout", "white", "1-0", "lichess_left"),
        ("draw", "", "1/2-1/2", "lichess_draw"),
        ("cheat", "white", "1-0", "lichess_ended"),
        ("aborted", "", None, "lichess_aborted"),
    ],
)
def test_the_game_ends_as_it_does_at_lichess(
    serve: Serve, tmp_path: Path, status: str, winner: str, result: str | None, told: str
) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        server.end(status, winner)
        at.wait(lambda: at.table.game.over if result else "lichess_aborted" in at.told)
        server.tell({**server.state(), "status": "started", "moves": "a2a3"})  # after the end
        assert at.table.game.result == result
        assert at.told[1:] == ([told] if told else [])


def test_a_move_made_elsewhere_is_to_be_executed_here(serve: Serve, tmp_path: Path) -> None:
    server = serve()
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        server.move("d2d4")  # on a phone
        server.move("d7d5")
        at.wait_for("lichess_moved_elsewhere")
        at.wait(lambda: at.table.game.turn.announced == chess.Move.from_uci("d2d4"))
        at.do(f.Make(by="white", move="d2d4"))
        at.do(f.Press(by="white"))
        at.wait(lambda: at.moves == ["d2d4", "d7d5"])
        assert server.accepted == []
        server.answers["/api/board/game/xcoxhDvh/move/c2c4"] = (502, None)
        at.play("c2c4")
        server.move("g1f3")  # at the same time
        at.wait_for("lichess_other_move")
        at.wait(lambda: at.moves == ["d2d4", "d7d5"])


def test_a_refused_move_is_taken_back_and_a_busy_server_waited_for(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    path = "/api/board/game/xcoxhDvh/move/e2e4"
    server.answers[path] = 400, {"error": "No"}
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        at.play("e2e4")
        at.wait_for("lichess_move_refused")
        at.wait(lambda: at.moves == [])
        server.answers[path] = 429, {"error": "Wait"}
        at.play("e2e4")
        at.wait_for("lichess_busy")
        del server.answers[path]
        at.wait(lambda: server.accepted == ["e2e4"])


CASTLING = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
OTHER_ROOKS = "1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w GBgb - 0 1"


@pytest.mark.parametrize(
    ("variant", "fen", "own", "sent", "reply"),
    [
        ("standard", CASTLING, "e1g1", "e1g1", "e8c8"),
        ("fromPosition", CASTLING, "e1g1", "e1h1", "e8c8"),
        ("chess960", OTHER_ROOKS, "e1g1", "e1g1", "e8b8"),
    ],
)
def test_castling_is_understood_and_sent_as_the_game_writes_it(
    serve: Serve, tmp_path: Path, variant: str, fen: str, own: str, sent: str, reply: str
) -> None:
    start = chess.Board(fen, chess960=variant == "chess960")
    server = serve(variant=variant, start=start)
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        at.play(own)
        at.wait(lambda: server.accepted == [sent])
        server.move(reply)
        at.wait(lambda: at.moves == [own, reply])


def test_without_a_clock_a_made_move_counts_after_a_while(serve: Serve, tmp_path: Path) -> None:
    server = serve(clock=None)
    with AtLichess(tmp_path / "game.jsonl", server) as at:
        at.wait(lambda: at.table.game.started)
        at.do(f.Announce(by="white", move="e2e4"))
        at.do(f.Make(by="white", move="e2e4"))
        at.wait(lambda: server.accepted == ["e2e4"])
        server.move("e7e5")
        at.wait(lambda: at.moves == ["e2e4", "e7e5"])


def test_a_game_that_was_begun_elsewhere_goes_on_from_its_position(
    serve: Serve, tmp_path: Path
) -> None:
    server = serve()
    server.move("e2e4")
    server.move("e7e5")
    with AtLichess(tmp_path / "game.jsonl", server, fen=server.board.fen()) as at:
        at.wait(lambda: at.table.game.started)
        at.play("g1f3")
        at.wait(lambda: server.accepted == ["g1f3"])
        server.take_back(3)
        at.wait_for("lichess_no_game")  # further back than this table knows


def some_move(chance: random.Random) -> Callable[[chess.Board], chess.Move]:
    return lambda board: chance.choice(sorted(board.legal_moves, key=str))


def play_with_cuts(path: Path, seed: int) -> None:
    """Play a game to its end while everything goes wrong, and the table's process, too."""
    chance = random.Random(seed)
    rates = {
        name: chance.choice((0, 0.1, 0.3))
        for name in ("cut", "twice", "old", "junk", "lost_before", "lost_after", "limited")
    }
    server = BoardServer(
        me=chance.choice(("white", "black")),
        replies=some_move(chance),
        faults=Faults(chance=random.Random(seed + 1), **rates),
    )
    plies, new = chance.randrange(3, 13), True
    try:
        while server.status == "started":
            killed = chance.randrange(2, 9)
            with AtLichess(path, server, new=new) as at:
                new = False
                at.wait(lambda: at.table.game.started and not at.table.game.paused)
                while server.status == "started" and len(at.moves) < killed + plies // 2:
                    game = at.table.game
                    at.wait(lambda: at.moves == shown(server) or len(at.moves) > len(shown(server)))
                    if game.over or len(at.moves) >= plies:
                        break
                    if at.moves == shown(server) and game.side == at.me:
                        at.play(some_move(chance)(game.board).uci())
                if len(at.moves) >= plies and server.status == "started":
                    at.wait(lambda: at.moves == shown(server))
                    server.end("resign", at.me)
                    at.wait(lambda: at.table.game.over)
        with AtLichess(path, server, new=new) as at:
            at.wait(lambda: at.table.game.over)
            assert at.moves == shown(server)
            played = at.moves[0 if at.me == "white" else 1 :: 2]
            assert server.accepted == played
            assert at.table.game.result == {"white": "1-0", "black": "0-1"}[server.winner]
    finally:
        server.close()
    said = [fact for fact in read_journal(path).facts if isinstance(fact, f.Announce)]
    assert [fact.move for fact in said] == shown(server)


def shown(server: BoardServer) -> list[str]:
    return [move.uci() for move in server.board.move_stack]


def test_no_cut_loses_or_doubles_a_move(tmp_path: Path) -> None:
    for seed in range(20):
        play_with_cuts(tmp_path / f"{seed}.jsonl", seed)


@pytest.mark.long
@pytest.mark.parametrize("hundred", range(10))
def test_no_cut_loses_or_doubles_a_move_in_a_thousand_games(tmp_path: Path, hundred: int) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        play_with_cuts(tmp_path / f"{seed}.jsonl", seed)
