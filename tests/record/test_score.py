"""PGN that other programs read as the game that was played, and scoresheets as written."""

from __future__ import annotations

import io
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from blindplay.language import load
from blindplay.laws import Game
from blindplay.record.score import by_move, by_ply, labels_of, pgn, ply_of, scoresheet, sheet
from tests.laws.table import Table
from tests.record import games
from tests.record.games import BLACK_TO_MOVE, STARTS
from tests.sampling import examples


def read(written: str) -> chess.pgn.Game:
    game = chess.pgn.read_game(io.StringIO(written))
    assert game is not None and not game.errors
    assert str(game) == written
    return game


def clocks(game: Game) -> list[int]:
    return [ply.clock.left[ply.side] // 1000 for ply in game.history]


@examples(100)
@given(
    STARTS,
    st.sampled_from(["900+10", "40/5400+30:1800+30", "-"]),
    st.integers(0, 150),
    st.integers(0, 2**32),
)
def test_any_game_is_read_again_as_it_was_played(
    start: dict[str, Any], control: str, length: int, seed: int
) -> None:
    played = games.played(start, control, length, seed).game
    again = read(pgn(played))
    legal = next((n for n, ply in enumerate(played.history) if ply.illegal), len(played.history))
    assert again.board().fen() == played.start_board.fen()
    assert again.board().chess960 == played.start_board.chess960
    nodes = list(again.mainline())
    assert [node.move for node in nodes] == [ply.move for ply in played.history[:legal]]
    if control != "-":
        assert [node.clock() for node in nodes] == clocks(played)[:legal]
    for number, node in enumerate(nodes, 1):
        marks = node.comment.split("An illegal")[0].count("(=)")
        assert marks == sum(ply == number for ply, _ in played.offered_at)
    event(f"{len(nodes) // 10 * 10} moves or more, illegal: {legal < len(played.history)}")
    last = nodes[-1].comment if nodes else again.comment
    if legal < len(played.history):
        tail = last.split("moves from here: ")[1].split(", ")
        assert [part.split()[0] for part in tail] == [
            ply.move.uci() for ply in played.history[legal:]
        ]


def test_another_program_reads_the_pgn_as_the_game_that_was_played() -> None:
    table = Table(time_control="300+5", white={"name": "Ada"}, black={"name": "Émile"})
    table.feed({"fact": "start"})
    table.play("f2f3", "e7e5", t=10)
    table.play("g2g4", t=20)
    table.feed({"fact": "make", "by": "black", "move": "d8h4"})
    game = chess.pgn.read_game(io.StringIO(pgn(table.game)))
    assert game is not None and not game.errors
    assert (game.headers["White"], game.headers["Black"]) == ("Ada", "Émile")
    assert game.headers["Result"] == "0-1"
    assert [move.uci() for move in game.mainline_moves()] == ["f2f3", "e7e5", "g2g4", "d8h4"]
    first = game.next()
    # 300 + 5 at the start, 10 seconds used, 5 given for the next move.
    assert first is not None and first.clock() == 300


def test_offers_of_a_draw_and_moves_after_an_illegal_one_are_kept_in_the_pgn() -> None:
    table = Table(mode="rapid", time_control="900+10")
    table.feed({"fact": "start"}, {"fact": "make", "by": "white", "move": "e2e4"})
    table.feed({"fact": "offer_draw", "by": "white"}, {"fact": "press", "by": "white"})
    table.feed({"fact": "make", "by": "black", "move": "e7e4"}, {"fact": "press", "by": "black"})
    table.feed({"fact": "arbiter", "do": "reject"})  # the illegal move stands (A.5.2)
    table.play("d2d4")
    written = pgn(table.game)
    assert "1. e4 { (=) [%clk 0:15:20]" in written
    assert "An illegal move stands; moves from here: e7e4 0:15:20, d2d4 0:15:30" in written
    assert chess.pgn.read_game(io.StringIO(written)) is not None


def test_headers_say_where_when_and_how_the_game_was_played() -> None:
    table = Table(
        event="Nordic Cup", site="Oslo NOR", round="3.1", date="2026-11-21", time_control="300+5",
        white={"name": "Ada\nLovelace"}, black={"name": 'Émile "Le" \\'},
    )  # fmt: skip
    table.feed({"fact": "start"}, {"fact": "resign", "by": "black"})
    game = read(pgn(table.game, "resignation", {"WhiteElo": "1815"}))
    assert dict(game.headers) == {
        "Event": "Nordic Cup",
        "Site": "Oslo NOR",
        "Date": "2026.11.21",
        "Round": "3.1",
        "White": "Ada Lovelace",
        "Black": r"Émile \"Le\" \\",  # as the standard of 1994 writes them (7)
        "Result": "1-0",
        "TimeControl": "300+5",
        "Mode": "OTB",
        "Rules": "fide-2023",
        "Termination": "normal",
        "WhiteElo": "1815",
    }


def test_an_unknown_tag_is_a_question_mark() -> None:
    headers = read(pgn(Table().game)).headers
    assert [headers[name] for name in ("Event", "Site", "Date", "Round", "White", "Result")] == [
        "?", "?", "????.??.??", "?", "?", "*",
    ]  # fmt: skip
    assert headers["Termination"] == "unterminated"


@pytest.mark.parametrize(
    ("given", "written"),
    [("2026-11-21", "2026.11.21"), ("2026.11.21", "2026.11.21"), ("tomorrow", "????.??.??")],
)
def test_an_invalid_date_is_unknown(given: str, written: str) -> None:
    assert read(pgn(Table(date=given).game)).headers["Date"] == written


def test_a_standard_position_of_chess960_stays_one() -> None:
    table = Table(variant="chess960")
    table.play("e2e4", "e7e5", "g1f3", "g8f6", "f1e2", "f8e7", "e1h1")
    game = read(pgn(table.game))
    assert game.headers["Variant"] == "Chess960"
    assert game.end().move == chess.Move.from_uci("e1h1")


def test_a_flag_is_a_time_forfeit_and_two_losers_have_no_result_that_pgn_knows() -> None:
    table = Table(time_control="300")
    table.feed({"fact": "start"}, {"fact": "claim_time", "by": "black", "t": 301})
    table.feed({"fact": "arbiter", "do": "confirm"})
    assert table.game.over
    assert read(pgn(table.game, "flag")).headers["Termination"] == "time forfeit"
    table = Table()
    table.play("e2e4")
    table.feed({"fact": "arbiter", "do": "declare", "result": "0-0"})
    game = read(pgn(table.game, "declared"))
    assert (game.headers["Result"], game.headers["Termination"]) == ("*", "adjudication")
    assert game.end().comment == "Both players have lost: 0-0"
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4"]


def test_an_offer_by_the_opponent_of_the_mover_names_the_opponent() -> None:
    table = Table()
    table.feed({"fact": "start"}, {"fact": "offer_draw", "by": "black"})
    table.play("e2e4")
    table.feed({"fact": "offer_draw", "by": "black"})
    game = read(pgn(table.game))
    assert (game.comment, game.end().comment) == ("(=) by Black", "(=) by Black")


def entered(**setup: Any) -> Table:
    table = Table(**setup)
    table.play("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6")
    entries = [(1, "e3"), (1, "e4"), (2, "e5"), (3, "Nf3"), (4, "Nf6"), (4, "Nc6"), (6, "a6")]
    for ply, text in entries:
        table.feed({"fact": "record", "by": "white", "ply": ply, "text": text})
    return table


def test_struck_entries_stand_struck_at_their_move_and_gaps_are_said() -> None:
    assert scoresheet(entered().game, "white").splitlines() == [
        "1. e4 (struck through: e3) … e5",
        "2. Nf3 … Nc6 (struck through: Nf6)",
        "3. (nothing) … a6",
    ]
    assert scoresheet(entered().game, "black") == "(nothing)"


def test_a_scoresheet_is_printed_in_the_words_of_a_language() -> None:
    lines = scoresheet(entered().game, "white", labels_of(load("de"))).splitlines()
    assert lines[0] == "1. e4 (durchgestrichen: e3) … e5"
    assert lines[2] == "3. (nichts notiert) … a6"


def test_entries_struck_by_a_take_back_stay_on_both_sheets() -> None:
    table = entered()
    table.feed({"fact": "record", "by": "black", "ply": 4, "text": "Sc6"})
    table.feed({"fact": "arbiter", "do": "restore", "ply": 2})
    table.play("f1c4")
    table.feed({"fact": "record", "by": "white", "ply": 3, "text": "Bc4"})
    assert scoresheet(table.game, "white").splitlines()[1:] == [
        "2. Bc4 (struck through: Nf3) … (nothing) (struck through: Nf6) (struck through: Nc6)",
        "3. (nothing) … (nothing) (struck through: a6)",
    ]
    assert scoresheet(table.game, "black").endswith("… (nothing) (struck through: Sc6)")
    assert len(table.game.struck) == sum(
        len(entry.struck) for side in ("white", "black") for entry in sheet(table.game, side)
    )


def test_a_sheet_line_by_line_names_the_player_and_marks_the_offers() -> None:
    table = entered()
    table.feed({"fact": "offer_draw", "by": "black"})
    assert list(by_ply(sheet(table.game, "white")))[3:6] == [
        "2. Black: Nc6 (struck through: Nf6)",
        "3. White: (nothing)",
        "3. Black: a6 (=)",
    ]


def test_moves_are_numbered_as_on_paper_wherever_the_game_begins() -> None:
    table = Table(fen=BLACK_TO_MOVE)
    table.play("e5d4", "f3d4")
    for ply, text in ((1, "exd4"), (2, "Nxd4")):
        table.feed({"fact": "record", "by": "black", "ply": ply, "text": text})
    assert list(by_move(sheet(table.game, "black"))) == ["9. … exd4", "10. Nxd4"]
    assert [ply_of(table.game, number) for number in (1, 9, 10, 11)] == [1, 1, 2, 4]
    assert [ply_of(Table().game, number) for number in (1, 2, 12)] == [1, 3, 23]


@pytest.mark.parametrize("name", ["No spaces", "", 'Quote"', "[Site]"])
def test_a_tag_that_pgn_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="not a tag"):
        pgn(Table().game, more={name: "x"})


def test_a_tag_of_several_lines_is_written_in_one() -> None:
    assert read(pgn(Table().game, more={"Site": "Oslo\r\nNOR"})).headers["Site"] == "Oslo NOR"
