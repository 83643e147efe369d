"""The worked examples of the contract, each played over several chapters of the Laws."""

from __future__ import annotations

from tests.laws.table import impaired, kinds, lift, of, one, place

CAPTURE = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"


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
