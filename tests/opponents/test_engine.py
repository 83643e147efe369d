"""An engine as the opponent: it plays by the Laws, and whatever it does the game goes on."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.opponents.levels import level
from blindplay.opponents.uci import BUILT_IN, EngineProgram
from tests.opponents.playing_alone import Alone, facts_in, scripted


def troubles(at: Alone) -> list[str]:
    return [key for key in at.told if not key.startswith(("opponent_level", "opponent_no_"))]


def test_it_repeats_executes_announces_and_presses_as_the_laws_ask(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Alone(path, scripted(tmp_path, "good")) as at:
        at.start()
        at.table.submit(f.Announce(by="white", move="e2e4"))
        at.wait(lambda: "black" in at.table.game.repeated)
        at.play("e2e4")
        assert at.wait_for_moves(2) == ["e2e4", "a7a5"]
        assert at.table.game.clock.running == "white"
        assert not at.table.game.outstanding("black")
        assert [ply.move.uci() for ply in at.table.game.outstanding("white")] == ["a7a5"]
    own = [fact.kind for fact in facts_in(path) if getattr(fact, "by", "") == "black"]
    assert own[0] == "repeat" and own[-4:] == ["make", "announce", "make", "press"]
    assert troubles(at) == []


def test_it_begins_when_it_has_white(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "good"), person="black") as at:
        at.start()
        assert at.wait_for_moves(1) == ["a2a3"]


def test_without_a_clock_it_answers_a_move_that_nobody_presses(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "good"), time_control="-") as at:
        at.start()
        at.table.submit(f.Announce(by="white", move="e2e4"))
        at.table.submit(f.Make(by="white", move="e2e4"))
        assert at.wait_for_moves(2) == ["e2e4", "a7a5"]


@pytest.mark.parametrize("failing", ["wrong", "nonsense", "dies"])
def test_an_engine_that_fails_is_started_again_and_everybody_is_told(
    tmp_path: Path, failing: str
) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, failing, "good")) as at:
        at.start()
        at.play("e2e4")
        assert at.wait_for_moves(2) == ["e2e4", "a7a5"]
        assert troubles(at) == ["opponent_restarted"]


def test_an_engine_that_hangs_is_ended_and_started_again(tmp_path: Path) -> None:
    engine = scripted(tmp_path, "silent", "good")
    with Alone(tmp_path / "game.jsonl", engine, patience_s=0.5) as at:
        at.start()
        at.play("e2e4")
        assert at.wait_for_moves(2) == ["e2e4", "a7a5"]
        assert "opponent_restarted" in troubles(at)


def test_an_answer_that_comes_late_or_twice_is_played_once(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "late", "twice", "good")) as at:
        at.start()
        for number, uci in enumerate(("e2e4", "d2d4", "c2c4"), 1):
            at.play(uci)
            at.wait_for_moves(2 * number)
        moves = [ply.move.uci() for ply in at.table.game.history]
        assert moves == ["e2e4", "a7a5", "d2d4", "a5a4", "c2c4", "a4a3"]
        assert troubles(at) == []


def test_the_built_in_opponent_takes_the_place_of_an_engine_that_always_fails(
    tmp_path: Path,
) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "dies")) as at:
        at.start()
        at.play("e2e4")
        assert len(at.wait_for_moves(2)) == 2
        assert troubles(at) == ["opponent_restarted", "opponent_restarted", "opponent_replaced"]


def test_a_program_that_is_no_engine_is_replaced_too(tmp_path: Path) -> None:
    no_engine = EngineProgram("Nothing", (str(tmp_path / "missing"),))
    with Alone(tmp_path / "game.jsonl", no_engine) as at:
        at.start()
        at.play("e2e4")
        assert len(at.wait_for_moves(2)) == 2 and at.told[-1] == "opponent_replaced"


def test_it_thinks_anew_when_the_move_it_thought_about_is_taken_back(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "late", "good")) as at:
        at.start()
        at.play("e2e4")
        at.table.submit(f.Arbiter(do="restore", ply=0))
        at.play("d2d4")
        assert at.wait_for_moves(2) == ["d2d4", "a7a5"]


def test_a_pause_stops_it_until_the_clocks_run_again(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "late", "good")) as at:
        at.start()
        at.play("e2e4")
        at.wait(lambda: (tmp_path / "place").exists())  # it thinks
        at.table.submit(f.Arbiter(do="stop_clocks"))
        assert len(at.table.game.history) == 1
        at.table.submit(f.Arbiter(do="start_clocks"))
        assert at.wait_for_moves(2) == ["e2e4", "a7a5"]


def test_it_declines_a_draw_early_and_accepts_one_late_in_a_lost_game(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "good")) as at:
        at.start()
        at.play("e2e4")
        at.wait_for_moves(2)
        at.table.submit(f.OfferDraw(by="white"))
        at.wait(lambda: not at.table.game.offers)
        assert not at.table.game.over
    late = "6k1/8/8/8/8/8/4Q3/6K1 w - - 0 60"
    with Alone(tmp_path / "lost.jsonl", BUILT_IN, fen=late) as at:
        at.start()
        at.play("e2e4")
        at.wait_for_moves(2)
        at.table.submit(f.OfferDraw(by="white"))
        at.wait(lambda: at.table.game.over)
        assert at.table.game.result == "1/2-1/2"


def test_a_hint_is_known_in_training_and_nowhere_else(tmp_path: Path) -> None:
    mate = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
    with Alone(tmp_path / "a.jsonl", BUILT_IN, training=True, fen=mate) as at:
        at.start()
        at.wait(at.table.hint)
        assert at.table.allows(Command.HINT) and at.table.hint() == chess.Move.from_uci("a1a8")
    with Alone(tmp_path / "b.jsonl", BUILT_IN, fen=mate) as at:
        at.start()
        assert not at.table.allows(Command.HINT)


@pytest.mark.parametrize(
    ("engine", "told"), [("good", "opponent_no_levels"), ("built-in", "opponent_no_stronger")]
)
def test_an_engine_that_lacks_the_level_says_so(tmp_path: Path, engine: str, told: str) -> None:
    program = BUILT_IN if engine == "built-in" else scripted(tmp_path, engine)
    with Alone(tmp_path / "game.jsonl", program, level=level("master")) as at:
        at.wait(lambda: told in at.told)
        assert at.told == ["opponent_level_master", told]


def test_a_game_that_is_killed_after_any_fact_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    whole = tmp_path / "game.jsonl"
    moves = ("e2e4", "d2d4")
    with Alone(whole, scripted(tmp_path, "good")) as at:
        at.start()
        for number, uci in enumerate(moves, 1):
            at.play(uci)
            at.wait_for_moves(2 * number)
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    for count in range(2, len(lines) + 1):
        path = tmp_path / f"cut-{count}.jsonl"
        path.write_text("".join(lines[:count]), "utf-8")
        with Alone(path, scripted(tmp_path, "good"), new=False) as at:
            at.start()
            for number, uci in enumerate(moves):
                game = at.table.game
                if len(game.history) == 2 * number:
                    at.play(uci)
                at.wait_for_moves(2 * number + 2)
            played = [ply.move.uci() for ply in at.table.game.history]
        assert played == ["e2e4", "a7a5", "d2d4", "a5a4"], count
        said = [fact.move for fact in facts_in(path) if isinstance(fact, f.Announce)]
        assert len(set(said)) == 4, count


def test_nobody_else_than_the_person_is_impaired(tmp_path: Path) -> None:
    with Alone(tmp_path / "game.jsonl", scripted(tmp_path, "good"), black=Player()) as at:
        assert not at.table.game.impaired("black")
