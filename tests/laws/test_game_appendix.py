"""The appendix for visually impaired players (fide-2023 D, fide-2014 D, fide-1997 F)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.table import Table, kinds, of, one

CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"


def impaired(**setup: Any) -> Table:
    table = Table(white={"impaired": True}, black={}, time_control="300", **setup)
    table.feed({"t": 1, "fact": "start", "by": "arbiter"})
    return table


def lift(square: str, board: str = "white", **more: Any) -> dict[str, Any]:
    return {"fact": "lift", "board": board, "square": square, **more}


def place(square: str, piece: str, board: str = "white", **more: Any) -> dict[str, Any]:
    return {"fact": "place", "board": board, "square": square, "piece": piece, **more}


def test_first_worked_example_of_the_contract() -> None:
    table = impaired(fen=CAPTURE)
    touched = table.feed(lift("e4", t=5))
    assert one(touched, "touched").to_json() == {
        "t": 5, "ruling": "touched", "by": "white", "square": "e4", "piece": "P",
        "article": "fide-2023 D.2.2",
    }  # fmt: skip
    assert sorted(one(touched, "obliged").moves) == ["e4d5", "e4e5"]
    assert one(table.feed({"t": 6, "fact": "announce", "by": "white", "text": "e4d5"}),
               "announced").move == "e4d5"  # fmt: skip
    early = one(table.feed({"t": 7, "fact": "press", "by": "white"}), "not_made")
    assert set(early.missing) == {"placed", "captured_piece_removed"}
    assert early.articles == ("fide-2023 D.2.3", "fide-2023 D.2.4")
    assert table.game.clock.running == "white"
    table.feed(lift("d5", t=9))
    made = one(table.feed(place("d5", "P", t=10)), "made")
    assert (made.move, made.san) == ("e4d5", "exd5")
    pressed = table.feed({"t": 12, "fact": "press", "by": "white"})
    assert one(pressed, "completed").ply == 1
    clock = one(pressed, "clock")
    assert (clock.running, clock.white) == ("black", 289)


def test_second_worked_example_a_slip_is_corrected_before_the_clock_and_too_late_after_it() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "text": "g1f3"})
    slip = one(table.feed({"fact": "correct", "by": "white", "text": "g1h3"}), "slip_corrected")
    assert (slip.was, slip.now) == ("g1f3", "g1h3")
    assert slip.articles == ("fide-2023 D.2.8",)
    table.feed(lift("g1"), place("h3", "N"), {"fact": "press", "by": "white"})
    assert kinds(table.feed({"fact": "correct", "by": "white", "text": "g1f3"})) == ["too_late"]


def test_third_worked_example_the_sheets_agree_and_the_wrong_board_is_corrected() -> None:
    table = impaired()
    table.play("g1f3")
    table.feed(lift("g8", "black"), place("h6", "n", "black"))
    table.feed({"fact": "announce", "by": "black", "text": "g8f6"})
    table.feed({"fact": "record", "by": "white", "ply": 2, "text": "Nf6"})
    table.feed({"fact": "record", "by": "black", "ply": 2, "text": "Nf6"})
    running = table.game.clock.left.copy()
    got = table.feed({"fact": "press", "by": "black"})
    assert [entry.square for entry in one(got, "boards_differ").squares] == ["f6", "h6"]
    assert one(got, "scoresheets").agree is True
    wrong = one(got, "correct_board")
    assert wrong.board == "black"
    assert [(step.do, step.square) for step in wrong.steps] == [
        ("lift", "h6"), ("place", "f6"),
    ]  # fmt: skip
    assert wrong.articles == ("fide-2023 D.2.9",)
    assert table.game.clock.left == running
    righted = table.feed(lift("h6", "black"), place("f6", "n", "black"))
    assert kinds(righted) == ["boards_agree"]


def test_fourth_worked_example_the_sheets_part_and_moves_are_taken_back() -> None:
    table = impaired()
    table.feed({"t": 10, "fact": "tick"})
    moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "f8c5", "d2d3", "g8f6"]
    for number, move in enumerate(moves, 1):
        table.play(move, t=10 + 10 * number)
        table.feed({"fact": "record", "by": "white", "ply": number, "text": move})
        written = "g8h6" if number == 8 else move
        table.feed({"fact": "record", "by": "black", "ply": number, "text": written})
    stood = table.game.history[6].clock.left
    # Black's board shows what Black wrote.
    got = table.feed({
        "fact": "position", "board": "black",
        "placement": "r1bqk2r/pppp1ppp/2n4n/2b1p3/2B1P3/3P1N2/PPP2PPP/RNBQK2R",
    })  # fmt: skip
    sheets = one(got, "scoresheets")
    assert (sheets.agree, sheets.from_ply) == (False, 8)
    proposed = one(got, "take_back")
    assert (proposed.to_ply, proposed.status) == (7, "proposed")
    assert proposed.white * 1000 == stood["white"]
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert one(got, "take_back").status == "confirmed"
    assert [ruling.board for ruling in of(got, "correct_board")] == [
        "white", "black",
    ]  # fmt: skip
    assert table.game.clock.left == stood
    assert ("black", 8, "g8h6") in table.game.struck


@pytest.mark.parametrize(
    ("edition", "article"),
    [("fide-2023", "D.2.2"), ("fide-2014", "D.2.2"), ("fide-1997", "F.2")],
)
def test_touched_cites_the_article_of_the_edition(edition: str, article: str) -> None:
    table = impaired(edition=edition)
    assert one(table.feed(lift("e2")), "touched").articles == (f"{edition} {article}",)


def test_clock_of_opponent_does_not_start_before_the_move_is_announced() -> None:
    table = impaired()
    assert "made" not in kinds(table.feed(lift("e2"), place("e4", "P")))
    got = table.feed({"fact": "press", "by": "white"})
    assert one(got, "not_made").missing == ("announced",)
    assert table.game.clock.running == "white"
    assert "made" in kinds(table.feed({"fact": "announce", "by": "white", "text": "e2e4"}))


def test_captured_piece_may_leave_the_board_first() -> None:
    table = impaired(fen=CAPTURE)
    table.feed(lift("d5"), lift("e4"), place("d5", "P"))
    assert "made" in kinds(table.feed({"fact": "announce", "by": "white", "text": "e4d5"}))


def test_a_pawn_put_on_the_last_rank_misses_its_promotion_piece() -> None:
    table = impaired(fen="7k/4P3/8/8/8/8/8/4K3 w - - 0 1")
    table.feed({"fact": "announce", "by": "white", "text": "e7e8q"})
    table.feed(lift("e7"), place("e8", "P"))
    got = table.feed({"fact": "press", "by": "white"})
    assert one(got, "not_made").missing == ("promotion_piece",)
    assert "made" in kinds(table.feed(lift("e8"), place("e8", "Q")))


def test_executing_the_opponents_move_on_the_own_board_is_no_touch() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed(
        {"fact": "announce", "by": "black", "move": "d7d5"},
        {"fact": "make", "by": "black", "move": "d7d5"},
        {"fact": "press", "by": "black"},
    )
    got = table.feed(lift("d7"), place("d5", "p"))
    assert kinds(got) == ["executed"]
    assert "touched" in kinds(table.feed(lift("e4")))


def test_wrong_execution_on_the_opponents_board_is_said_at_once() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "text": "g1f3"})
    got = one(table.feed(lift("g1", "black"), place("h3", "N", "black")), "executed_differs")
    assert (got.announced, got.executed) == ("g1f3", "g1h3")
    assert "executed" in kinds(table.feed(lift("h3", "black"), place("f3", "N", "black")))


def test_repetition_that_differs_is_said() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "text": "g1f3"})
    assert kinds(table.feed({"fact": "repeat", "by": "black", "text": "g1f3"})) == ["repeated"]
    got = table.feed({"fact": "repeat", "by": "black", "text": "g1h3"})
    assert one(got, "repeat_differs").repeated == "g1h3"


def test_sighted_players_move_is_made_by_releasing_it() -> None:
    table = impaired()
    table.play("e2e4")
    assert "made" in kinds(table.feed({"fact": "make", "by": "black", "move": "e7e5"}))


def test_assistant_of_the_sighted_player_may_not_press_the_clock() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed({"fact": "make", "by": "assistant:black", "move": "e7e5"})
    refused = one(table.feed({"fact": "press", "by": "assistant:black"}), "refused")
    assert refused.articles == ("fide-2023 D.2.11",)


def test_assistant_of_the_impaired_player_presses_for_him() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "assistant:white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "assistant:white", "move": "e2e4"},
    )
    assert "completed" in kinds(table.feed({"fact": "press", "by": "assistant:white"}))
    assert table.game.tables["black"].plies == 1


def test_information_is_given_only_on_request_and_the_position_not_at_all() -> None:
    table = impaired()
    answer = one(table.feed({"t": 11, "fact": "query", "by": "white", "about": "time"}), "answer")
    assert (answer.white, answer.black) == (290, 300)
    assert answer.articles == ("fide-2023 D.2.10.4",)
    got = table.feed({"fact": "query", "by": "white", "about": "position"})
    assert kinds(got) == ["refused"]


def test_deaf_opponent_needs_an_assistant() -> None:
    table = Table(white={"impaired": True}, black={"hearing_impaired": True})
    assert one(table.rulings, "arbiter_needed").articles == ("fide-2023 D.2.11",)


def test_a_board_that_lags_by_the_last_move_does_not_differ() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
    )
    assert "boards_differ" not in kinds(table.rulings)


def test_nothing_is_ruled_after_the_game_is_over() -> None:
    table = impaired()
    table.play("f2f3", "e7e5", "g2g4")
    table.feed({"fact": "announce", "by": "black", "move": "d8h4"})
    got = table.feed({"fact": "make", "by": "black", "move": "d8h4"})
    assert (one(got, "game_over").result, one(got, "game_over").reason) == (
        "0-1", "checkmate",
    )  # fmt: skip
    assert kinds(table.feed({"fact": "press", "by": "black"})) == ["refused"]


def test_who_was_not_understood_has_begun_his_move_and_pressed_too_early() -> None:
    table = impaired()
    assert kinds(table.feed({"fact": "announce", "by": "white", "text": "mumble"})) == [
        "not_understood"
    ]
    got = table.feed({"fact": "press", "by": "white"})
    assert "announced" in one(got, "not_made").missing
    assert table.game.illegal_moves["white"] == 0


def test_an_illegal_move_executed_by_the_sighted_player_is_ruled_when_he_presses() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
        {"fact": "make", "by": "black", "move": "e7e4"},
    )
    illegal = one(table.feed({"fact": "press", "by": "black"}), "illegal")
    assert (illegal.move, illegal.number, illegal.status) == ("e7e4", 1, "proposed")
    assert illegal.articles == ("fide-2023 7.5.1",)


def test_an_offer_stands_beside_the_opponents_own() -> None:
    table = impaired()
    table.play("e2e4", "e7e5")
    table.feed({"fact": "offer_draw", "by": "black"}, {"fact": "offer_draw", "by": "white"})
    got = table.feed({"fact": "accept_draw", "by": "white"})
    assert one(got, "game_over").result == "1/2-1/2"


def test_sheets_that_lack_the_last_move_are_to_be_brought_up_to_date() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "move": "e2e4"}, lift("e2"), place("e4", "P"))
    table.feed(lift("e2", "black"), place("e3", "P", "black"))
    got = table.feed({"fact": "press", "by": "white"})
    missing = [(r.by, r.ply) for r in of(got, "must_record")]
    assert missing == [("white", 1), ("black", 1)]
