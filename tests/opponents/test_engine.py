"""An engine as the opponent: it plays by the Laws at a human pace, also on an emulated pegged
board, and whatever it does the game goes on.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import chess
import pytest

from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.laws.placement import change
from blindplay.opponents import engine, uci
from blindplay.opponents.engine import EnginePlayer, seconds_to_think
from blindplay.opponents.uci import BUILT_IN, EngineProgram, level
from tests.opponents.playing_alone import Alone, at_once, facts_in, scripted
from tests.programs import need
from tests.table.conftest import sit as sit
from tests.table.sitting import Sit, Sitting

LATER = chess.Board("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 20")


def usual(board: chess.Board, left_s: float | None = None, increment_s: float = 0.0) -> float:
    chance = random.Random(1)
    found = sorted(seconds_to_think(board, left_s, increment_s, chance) for _ in range(99))
    assert found[0] < found[-1] or left_s is not None
    return found[49]


def test_it_takes_longer_in_the_middle_than_in_the_opening_and_for_the_only_move() -> None:
    only = chess.Board("7k/8/8/8/8/8/q7/7K w - - 0 40")
    assert usual(only) < usual(chess.Board()) < usual(LATER) < 6


@pytest.mark.parametrize(("left", "increment"), [(60.0, 0.0), (3.0, 2.0), (0.5, 0.0)])
def test_it_never_takes_more_than_a_thirtieth_of_the_time_left(
    left: float, increment: float
) -> None:
    chance = random.Random(2)
    most = max(seconds_to_think(LATER, left, increment, chance) for _ in range(200))
    assert most <= left / 30 + 0.6 * increment


def troubles(at: Alone) -> list[str]:
    return [key for key in at.told if not key.startswith(("opponent_level", "opponent_strongest"))]


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


@pytest.mark.parametrize("failing", ["wrong", "nonsense", "none", "dies"])
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


@pytest.mark.parametrize("hanging", ["silent", "+mute", "+unready"])
def test_one_that_hangs_is_replaced_when_people_have_waited_ten_seconds(
    tmp_path: Path, hanging: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here a second stands for ten. With the usual patience it is tried again once; see below."""
    monkeypatch.setattr(uci, "START_S", 1.0)
    monkeypatch.setattr(engine, "_LATEST_S", 1.0)
    program = scripted(tmp_path, hanging, *["good"] * hanging.startswith("+"))
    with Alone(tmp_path / "game.jsonl", program, patience_s=0.4) as at:
        at.start()
        at.play("e2e4")
        assert len(at.wait_for_moves(2)) == 2
        assert troubles(at)[-1] == "opponent_replaced" and len(troubles(at)) <= 2


def test_an_engine_that_hangs_twice_is_replaced_within_ten_seconds() -> None:
    assert uci.START_S <= engine._LATEST_S == 10 and 2 * uci.PATIENCE_S <= engine._LATEST_S
    assert 3 * uci.PATIENCE_S > engine._LATEST_S


def test_a_program_that_is_no_engine_is_replaced_too(tmp_path: Path) -> None:
    no_engine = EngineProgram("Nothing", (str(tmp_path / "missing"),))
    with Alone(tmp_path / "game.jsonl", no_engine) as at:
        at.start()
        at.play("e2e4")
        assert len(at.wait_for_moves(2)) == 2 and "opponent_replaced" in at.told


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
    ("engine", "told"), [("good", "opponent_level_full"), ("built-in", "opponent_strongest")]
)
def test_an_engine_that_lacks_the_level_says_so(tmp_path: Path, engine: str, told: str) -> None:
    program = BUILT_IN if engine == "built-in" else scripted(tmp_path, engine)
    with Alone(tmp_path / "game.jsonl", program, level=level("master")) as at:
        at.wait(lambda: told in at.told)
        assert at.told == [told]  # nothing that contradicts it


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


GERMAN = load("de")


def stockfish(strength: str) -> EnginePlayer:
    need("Stockfish")
    program = uci.installed()
    assert program is not None
    return EnginePlayer(program, level(strength), pace=at_once)


def at_board(sit: Sit, player: EnginePlayer, fen: str, **how: Any) -> Sitting:
    """A blind White with a pegged board in the position ``fen``; the game has begun."""
    at = sit(opponent=player, fen=fen, boards=2, time_control="600", **how)
    at.attach_boards(white=fen.split()[0])
    at.wait(lambda: at.session.boards["white"].seen)
    at.seat_opponent()
    at.start()
    return at


def execute(at: Sitting, before: chess.Board, uci_move: str) -> None:
    """Hands execute a move on White's board, a captured piece first."""
    move = chess.Move.from_uci(uci_move)
    put = change(before, move)
    for square in sorted(put, key=lambda at: at == move.from_square):
        if before.piece_at(square):
            at.boards["white"].lift(chess.square_name(square))
    for square, letter in put.items():
        if letter is not None:
            at.boards["white"].place(chess.square_name(square), letter)


def play(at: Sitting, uci_move: str) -> None:
    """White announces a move, executes it and presses the lever."""
    before, plies = at.table.game.board.copy(), len(at.table.game.history)
    at.session.typed("white", GERMAN.announce(before, chess.Move.from_uci(uci_move)))
    execute(at, before, uci_move)
    at.boards["white"].press("white")
    at.wait(lambda: len(at.table.game.history) > plies or at.table.game.over)


def copy_answer(at: Sitting) -> None:
    """White's hands execute the opponent's move, as soon as it has been pressed."""
    at.wait(lambda: at.table.game.side == "white" or at.table.game.over)
    if at.table.game.over:
        return
    last = at.table.game.history[-1]
    execute(at, last.before, last.move.uci())
    at.wait(lambda: not at.table.game.outstanding("white"))


def test_stockfish_is_beaten(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "7k/8/8/8/8/8/1R6/R5K1 w - - 0 1")
    play(at, "b2b7")
    copy_answer(at)
    play(at, "a1a8")
    assert at.table.game.result == "1-0"
    assert [ply.move.uci() for ply in at.table.game.history] == ["b2b7", "h8g8", "a1a8"]
    assert GERMAN.sentence("game_over_checkmate") in at.printed


def test_stockfish_wins(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "6k1/4q3/8/8/8/P7/5PPP/4R1K1 w - - 0 1")
    play(at, "a3a4")
    at.wait(lambda: at.table.game.over)
    assert at.table.game.result == "0-1" and at.table.game.board.is_checkmate()


def test_executing_the_opponents_capture_touches_nothing(sit: Sit) -> None:
    at = at_board(sit, stockfish("full"), "7k/8/8/8/8/8/P7/6QK w - - 0 1")
    play(at, "g1g7")
    copy_answer(at)
    assert not at.table.game.turn.touched
    at.said()
    play(at, "a2a4")
    assert "korrig" not in " ".join(at.said()) and at.table.game.history[-1].move.uci() != "h8g7"


@pytest.fixture
def led(sit: Sit, tmp_path: Path) -> Sitting:
    """The opponent has answered with the pawn from a7 to a5, and White's board does not show it."""
    player = EnginePlayer(scripted(tmp_path, "good"), level("club"), pace=at_once)
    at = at_board(sit, player, chess.STARTING_FEN)
    play(at, "e2e4")
    at.wait(lambda: at.table.game.side == "white")
    at.said()
    return at


def test_a_slip_of_the_hand_is_led_to_the_opponents_move(led: Sitting) -> None:
    board = led.boards["white"]
    board.lift("a7")
    board.place("b5", "p")
    led.shows("schwarzer Bauer, von Bella fünf nach Anna fünf")
    assert led.said()[-2] == GERMAN.sentence("correct_board", player=GERMAN.sentence("white"))
    board.lift("b5")
    board.place("a5", "p")
    led.shows(GERMAN.sentence("set_up_done"))
    assert not led.table.game.outstanding("white") and not led.table.game.turn.touched


def test_a_move_that_is_executed_without_a_slip_needs_no_words(led: Sitting) -> None:
    copy_answer(led)
    assert led.said() == []


def test_the_board_leads_to_the_move_when_the_player_only_says_that_it_is_done(
    led: Sitting,
) -> None:
    led.session.typed("white", GERMAN.command(Command.DONE))
    led.shows("schwarzer Bauer, von Anna sieben nach Anna fünf")
    copy_answer(led)
    led.shows(GERMAN.sentence("set_up_done"))
    led.session.typed("white", GERMAN.command(Command.DONE))
    led.shows(GERMAN.sentence("nothing_to_execute"))


def test_a_take_back_is_led_on_the_players_board_alone(sit: Sit, tmp_path: Path) -> None:
    player = EnginePlayer(scripted(tmp_path, "good"), level("club"), pace=at_once)
    at = at_board(sit, player, chess.STARTING_FEN, training=True)
    play(at, "e2e4")
    copy_answer(at)
    at.said()
    for words in (Command.TAKE_BACK, Command.YES):
        at.session.typed("white", GERMAN.command(words))
    at.shows("weißer Bauer, von Eva vier nach Eva zwei")
    assert GERMAN.sentence("correct_board", player=GERMAN.sentence("black")) not in at.said()
