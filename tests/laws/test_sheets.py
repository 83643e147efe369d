"""What both scoresheets decide at a table, and the duty to record (D.2.9, 7.5, 7.6, 8)."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.spoilt_boards import mishap
from blindplay.laws import facts as f
from blindplay.laws.deviation import SlipKind
from blindplay.laws.placement import pieces_of, write_placement
from blindplay.laws.rulings import MustRecord, Ruling
from tests.laws.table import Table, impaired, kinds, lift, of, one, place, started
from tests.sampling import examples

GAME = ("e2e4", "e7e5", "g1f3", "g8f6", "b1c3", "b8c6")


def played(*moves: str, **setup: Any) -> Table:
    table = Table(**{"time_control": "3000", "white": {"impaired": True}, **setup})
    table.feed({"fact": "start"})
    for number, move in enumerate(moves or GAME, 1):
        table.play(move, t=10 * number)
    return table


def written(table: Table, white: str, black: str) -> None:
    for side, texts in (("white", white), ("black", black)):
        for ply, text in enumerate(texts.split(), 1):
            if text != "_":
                table.feed({"fact": "record", "by": side, "ply": ply, "text": text})


def shown(table: Table, board: str, placement: str) -> list[Any]:
    return table.feed({"fact": "position", "board": board, "placement": placement})


ON_H6 = "r1bqkb1r/pppp1ppp/2n4n/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R"
ALL = " ".join(GAME)
EDITIONS = [("fide-2023", "D.2.9"), ("fide-2014", "D.2.8"), ("fide-1997", "F.7")]


@pytest.mark.parametrize(("edition", "article"), EDITIONS)
def test_the_program_says_which_move_was_executed_instead(edition: str, article: str) -> None:
    table = played(edition=edition)
    written(table, ALL, ALL)
    got = shown(table, "black", ON_H6)
    why = one(got, "explained")
    assert why.fields["explanations"] == [
        [{"what": "other_square", "ply": 4, "move": "g8f6", "executed": "g8h6", "piece": "n",
          "square": "g8", "to": "h6"}]
    ]  # fmt: skip
    assert why.articles == (f"{edition} {article}",)
    correct = one(got, "correct_board")
    assert [(s.do, s.square) for s in correct.steps] == [("lift", "h6"), ("place", "f6")]
    assert kinds(got).index("explained") < kinds(got).index("correct_board")
    assert "clock" not in kinds(got)


def test_at_a_disagreement_every_source_is_told() -> None:
    table = played()
    written(table, ALL, ALL.replace("g8f6", "g8h6"))
    got = shown(table, "black", ON_H6)
    told = one(got, "scoresheets")
    assert (told.agree, told.from_ply) == (False, 4)
    assert (told.white, told.black) == ("g8f6", "g8h6")
    assert (told.white_move, told.black_move) == ("g8f6", "g8h6")
    assert told.announced == "g8f6"
    assert told.boards == {"white": "g8f6", "black": "g8h6"}
    assert told.clocks == {"white": 2980, "black": 2980}
    back = one(got, "take_back")
    assert (back.to_ply, back.status) == (3, "proposed")
    assert (back.white, back.black) == (2980, 2990)


def test_taking_back_restores_both_boards_and_strikes_both_sheets() -> None:
    table = played()
    written(table, ALL, ALL.replace("g8f6", "g8h6"))
    shown(table, "white", "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R")
    shown(table, "black", ON_H6)
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    boards = of(got, "correct_board")
    assert [ruling.board for ruling in boards] == ["white", "black"]
    assert {ruling.placement for ruling in boards} == {
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
    }
    game = table.game
    assert sorted(game.sheets["white"]) == sorted(game.sheets["black"]) == [1, 2, 3]
    assert ("white", 4, "g8f6") in game.struck
    assert ("black", 4, "g8h6") in game.struck
    assert {side: left // 1000 for side, left in game.clock.left.items()} == {
        "white": 2980, "black": 2990,
    }  # fmt: skip


def test_an_entry_that_comes_while_a_board_is_corrected_and_differs_counts() -> None:
    table = played()
    written(table, ALL, "e2e4 e7e5 g1f3")
    assert one(shown(table, "black", ON_H6), "scoresheets").agree is True
    got = table.feed({"fact": "record", "by": "black", "ply": 4, "text": "g8h6"})
    assert one(got, "scoresheets").from_ply == 4
    assert one(got, "take_back").to_ply == 3


def test_an_entry_that_comes_late_and_says_the_same_changes_nothing() -> None:
    table = played()
    written(table, ALL, "e2e4 e7e5 g1f3")
    shown(table, "black", ON_H6)
    got = table.feed({"fact": "record", "by": "black", "ply": 4, "text": "Nf6"})
    assert kinds(got) == []


def test_what_the_arbiter_has_rejected_is_not_proposed_again() -> None:
    table = played()
    written(table, ALL, ALL.replace("g8f6", "g8h6"))
    shown(table, "black", ON_H6)
    table.feed({"fact": "arbiter", "do": "reject"})
    table.feed(
        {"fact": "lift", "board": "black", "square": "h6"},
        {"fact": "place", "board": "black", "square": "f6", "piece": "n"},
    )
    got = shown(table, "black", ON_H6)
    assert "take_back" not in kinds(got)
    assert one(got, "scoresheets").agree is True


def test_what_the_arbiter_has_rejected_is_open_again_once_it_is_taken_back() -> None:
    """D.2.9: what has been said about a move that was taken back says nothing about another."""
    table = played()
    written(table, ALL, ALL.replace("g8f6", "g8h6"))
    shown(table, "black", ON_H6)
    table.feed({"fact": "arbiter", "do": "reject"})
    table.feed(
        {"fact": "arbiter", "do": "restore", "ply": 3},
        {"fact": "arbiter", "do": "start_clocks"},
    )
    table.play("g8f6", "b1c3", "b8c6")
    written(table, ALL, ALL.replace("g8f6", "g8h6"))
    got = shown(table, "black", ON_H6)
    assert (one(got, "scoresheets").agree, one(got, "take_back").to_ply) == (False, 3)


def test_one_sheet_against_the_announcement_is_for_the_arbiter() -> None:
    table = played()
    written(table, "e2e4 e7e5 g1f3", ALL.replace("g8f6", "g8h6"))
    got = shown(table, "black", ON_H6)
    needed = [r for r in of(got, "arbiter_needed") if r.why == "entry_differs"]
    assert [(r.by, r.ply, r.text) for r in needed] == [("black", 4, "g8h6")]


@pytest.mark.parametrize("arbiter", ["present", "automatic"])
@pytest.mark.parametrize("other", ["b8d6", "b8h6", "d7d6"])
def test_a_slip_of_the_pen_takes_nothing_back(arbiter: str, other: str) -> None:
    """All that comes later is written on both sheets, and only the other entry fits it."""
    table = played("e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "c6d4", "f3d4", arbiter=arbiter)
    right = "e2e4 e7e5 g1f3 b8c6 f1b5 c6d4 f3d4"
    written(table, right.replace("b8c6", other), right)
    got = shown(table, "black", "r1bqkbnr/pppp1ppp/8/1B2p3/3NP3/8/PPPP1PPP/RNBQK2R")
    assert "take_back" not in kinds(got)
    needed = [(r.why, r.by, r.ply) for r in of(got, "arbiter_needed")]
    assert needed == ([("entry_slip", "white", 4)] if got else [])


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "7.5.1"), ("fide-2014", "7.5 a"), ("fide-1997", "7.4")]
)
def test_the_same_illegal_move_on_both_sheets_goes_back_before_it(
    edition: str, article: str
) -> None:
    table = played(edition=edition)
    both = ALL.replace("g8f6", "g8g6")
    written(table, both, both)
    back = one(shown(table, "black", ON_H6), "take_back")
    assert (back.to_ply, back.why) == (3, "illegal_written")
    assert f"{edition} {article}" in back.articles


def test_later_moves_that_do_not_fit_what_both_wrote_go_back_to_the_last_known_position() -> None:
    table = played("e2e4", "e7e5", "d2d4", "e5d4")
    written(table, "e2e4 e7e6", "e2e4 e7e6")
    wrong = "rnbqkbnr/pppp1ppp/4p3/8/3PP3/8/PPP2PPP/RNBQKBNR"
    back = one(shown(table, "black", wrong), "take_back")
    assert (back.to_ply, back.why, back.articles) == (
        3, "moves_do_not_fit", ("fide-2023 7.6",),
    )  # fmt: skip
    table.feed({"fact": "arbiter", "do": "confirm"})
    assert [ply.move.uci() for ply in table.game.history] == ["e2e4", "e7e6", "d2d4"]
    assert table.game.tables["black"].placement == table.game.pieces


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "7.6"), ("fide-2014", "7.6"), ("fide-1997", "7.4")]
)
def test_pieces_displaced_some_moves_ago_go_back_to_the_position_before(
    edition: str, article: str
) -> None:
    table = played(edition=edition)
    written(table, ALL, ALL)
    got = table.feed({"fact": "irregular", "by": "black", "what": "displaced", "ply": 4})
    back = one(got, "take_back")
    assert (back.to_ply, back.why, back.status) == (3, "displaced", "proposed")
    assert (back.white, back.black) == (2980, 2990)
    assert back.articles == (f"{edition} {article}",)
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert {ruling.board for ruling in of(got, "correct_board")} == {
        "white", "black",
    }  # fmt: skip
    assert len(table.game.history) == 3
    for side in ("white", "black"):
        assert sorted(table.game.sheets[side]) == [1, 2, 3]
        assert [(ply, text) for of, ply, text in table.game.struck if of == side] == [
            (4, "g8f6"), (5, "b1c3"), (6, "b8c6"),
        ]  # fmt: skip


def test_pieces_displaced_in_the_future_are_refused() -> None:
    table = played()
    got = table.feed({"fact": "irregular", "by": "black", "what": "displaced", "ply": 9})
    assert one(got, "refused").why == "no_such_ply"


def test_an_illegal_move_found_later_brings_the_clocks_of_the_position_before() -> None:
    """7.5.1, 7.1: the program proposes them, the arbiter confirms."""
    table = played("e2e4", "e7e5", mode="rapid", white={})
    table.feed({"fact": "make", "by": "white", "move": "e4e6", "t": 30})
    table.feed({"fact": "press", "by": "white"}, {"fact": "arbiter", "do": "reject"})
    assert len(table.game.history) == 3  # it stands until the opponent has moved (A.5.2)
    got = table.feed({"fact": "irregular", "by": "black", "what": "illegal_move", "t": 40})
    ruling = one(got, "illegal")
    assert (ruling.to_ply, ruling.white, ruling.black) == (2, 2990, 2990)


def test_a_board_that_lags_by_the_last_move_does_not_differ() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
    )
    assert "boards_differ" not in kinds(table.rulings)


def test_sheets_that_lack_the_last_move_are_to_be_brought_up_to_date() -> None:
    table = impaired()
    table.feed({"fact": "announce", "by": "white", "move": "e2e4"}, lift("e2"), place("e4", "P"))
    table.feed(lift("e2", "black"), place("e3", "P", "black"))
    got = table.feed({"fact": "press", "by": "white"})
    missing = [(r.by, r.ply) for r in of(got, "must_record")]
    assert missing == [("white", 1), ("black", 1)]


# --- random games, with a board and a sheet spoilt ------------------------------------------

SLIPS = (
    SlipKind.OTHER_SQUARE,
    SlipKind.OTHER_PIECE,
    SlipKind.OTHER_MOVE,
    SlipKind.CAPTURER_LEFT,
    SlipKind.DISPLACED,
    SlipKind.EXCHANGED,
    SlipKind.MISSING,
    SlipKind.EXTRA,
    SlipKind.REPLACED,
)


@examples(60)
@given(
    seed=st.integers(0, 1 << 30),
    what=st.sampled_from(SLIPS),
    spoilt=st.sampled_from(("nothing", "lag", "gap", "illegible", "other")),
    whose=st.sampled_from(("white", "black")),
)
def test_hands_that_follow_the_decision_come_to_the_right_position(
    seed: int, what: SlipKind, spoilt: str, whose: str
) -> None:
    rng = random.Random(seed)
    made = mishap(rng, 11, what)  # then Black is on move, and White's board stands still
    table = played(*(move.uci() for move in made.moves), arbiter="automatic")
    positions = [ply.before for ply in table.game.history]
    texts = {
        side: {
            ply: b.san(m) for ply, (b, m) in enumerate(zip(positions, made.moves, strict=True), 1)
        }
        for side in ("white", "black")
    }
    at = rng.randrange(1, 12)
    others = [move for move in positions[at - 1].legal_moves if move != made.moves[at - 1]]
    parted = spoilt == "other" and bool(others)
    if spoilt == "lag":
        texts[whose] = {ply: text for ply, text in texts[whose].items() if ply < at}
    elif spoilt == "gap":
        del texts[whose][at]
    elif spoilt == "illegible":
        texts[whose][at] = "~~~"
    elif parted:
        texts[whose][at] = positions[at - 1].san(rng.choice(others))
    for side, sheet in texts.items():
        for ply, text in sheet.items():
            table.feed({"fact": "record", "by": side, "ply": ply, "text": text})
    got = shown(table, "white", write_placement(made.shown))
    # If both sheets go on as only the move that was played allows, the other entry is a slip.
    slips = [(r.by, r.ply) for r in of(got, "arbiter_needed") if r.why == "entry_slip"]
    assert slips in ([], [(whose, at)])
    if parted and not slips and one(got, "scoresheets").agree:
        return  # the other move leads to the same position in the end
    parted = parted and not slips
    assert one(got, "scoresheets").agree is not parted
    if parted:
        assert one(got, "take_back").to_ply == at - 1
        if table.game.pending is not None:  # both players are asked about more than the last move
            table.feed({"fact": "consent", "by": "white"})
            got = table.feed({"fact": "consent", "by": "black"})
    else:
        explained = of(got, "explained")
        assert explained, (seed, what)
    todo = {r.board: r.steps for r in of(got, "correct_board")}
    assert "white" in todo
    for board, steps in todo.items():
        for step in steps:
            fact = {"board": board, "square": step.square}
            if step.do == "place":
                got = table.feed({"fact": "place", "piece": step.piece, **fact})
            else:
                got = table.feed({"fact": "lift", **fact})
        if board == "white":  # the other one has no sensors; it is believed
            assert "boards_agree" in kinds(got)
    right = made.moves[: at - 1] if parted else made.moves
    goal = chess.Board()
    for move in right:
        goal.push(move)
    assert table.game.tables["white"].placement == pieces_of(goal)
    assert table.game.tables["white"].wanted is None


def test_boards_agree_once_both_show_the_position() -> None:
    """D.2.9: after a take-back hands put one board right after the other."""
    table = played("e2e4", "e7e5", arbiter="present")
    for board in ("white", "black"):
        shown(table, board, write_placement(table.game.pieces))
    table.feed({"fact": "arbiter", "do": "restore", "ply": 1})
    for board, agree in (("white", []), ("black", ["black"])):
        table.feed(lift("e5", board))
        got = table.feed(place("e7", "p", board))
        assert [one.board for one in of(got, "boards_agree")] == agree


def test_boards_do_not_agree_if_a_press_puts_one_right_and_a_piece_is_off_the_other() -> None:
    """D.2.9: the boards differ in another way from then on."""
    table = played("e2e4", "e7e5", arbiter="present")
    for board in ("white", "black"):
        shown(table, board, write_placement(table.game.pieces))
    moved = chess.Board()
    for uci in ("e2e4", "e7e5", "g1f3"):
        moved.push_uci(uci)
    placement = moved.board_fen()
    assert "correct_board" in kinds(shown(table, "black", placement))
    table.feed({"fact": "announce", "by": "white", "move": "g1f3"})
    shown(table, "white", placement)
    table.feed(lift("h8", "white"))
    got = table.feed({"fact": "press", "by": "white"})
    assert "completed" in kinds(got) and "boards_differ" in kinds(got)
    assert "boards_agree" not in kinds(got)
    got = table.feed(place("h8", "r", "white"))
    assert [one.board for one in of(got, "boards_agree")] == ["white"]


# --- what was taken back stands again -----------------------------------------------------------


def state(table: Table) -> tuple[object, ...]:
    """What taking back changes."""
    game = table.game
    moves = [ply.move.uci() for ply in game.history]
    struck = sorted(game.struck)
    return moves, game.board.fen(), dict(game.pieces), list(game.keys), game.sheets, struck


@pytest.mark.parametrize("steps", [(0,), (3,), (3, 1), (2, 0), (3, 1, 2)])
def test_what_was_taken_back_stands_again_with_its_entries(steps: tuple[int, ...]) -> None:
    table = played("e2e4", "e7e5", "g1f3", "b8c6")
    written(table, "e4 e5 Nf3 Nc6", "e4 e5 Nf3 Nc6")
    before = copy.deepcopy(state(table))
    left = dict(table.game.clock.left)
    table.game.settled = {2, 4}
    for ply in steps:
        table.feed({"fact": "arbiter", "do": "restore", "ply": ply})
        assert len(table.game.history) == ply
        assert table.game.settled == {n for n in (2, 4) if n <= ply}
    got = table.feed({"fact": "arbiter", "do": "restore", "ply": 4})
    assert one(got, "take_back").undone
    assert state(table) == before
    assert table.game.clock.left == left and table.game.settled == {2, 4}


def test_what_was_taken_back_lapses_with_the_next_move() -> None:
    table = played("e2e4", "e7e5")
    table.feed({"fact": "arbiter", "do": "restore", "ply": 0})
    table.feed({"fact": "arbiter", "do": "start_clocks"})
    table.play("d2d4")
    got = table.feed({"fact": "arbiter", "do": "restore", "ply": 2})
    assert one(got, "refused").why == "no_such_ply"


def test_a_preview_changes_nothing() -> None:
    table = played("e2e4", "e7e5")
    before = copy.deepcopy(state(table))
    rulings = table.game.preview(f.Arbiter(do="restore", ply=0))
    assert one(list(rulings), "take_back").to_ply == 0
    assert state(table) == before
    for fact in (f.Resign(by="white"), f.Arbiter(do="declare", result="1-0")):
        assert kinds(list(table.game.preview(fact)))
        assert not table.game.over


def test_a_fork_that_brings_back_a_turn_does_not_touch_it_in_the_game() -> None:
    table = started()
    table.play("e2e4", "e7e5")
    table.feed({"fact": "touch", "by": "white", "square": "g1"})
    table.feed({"fact": "arbiter", "do": "restore", "ply": 0})
    fork = table.game.fork()
    for fact in (f.Arbiter(do="restore", ply=2), f.Touch(by="white", square="f1")):
        fork.apply(replace(fact, t=fork.t))
    assert fork.turn.touched == [chess.G1, chess.F1]
    table.feed({"fact": "arbiter", "do": "restore", "ply": 2})
    assert table.game.turn.touched == [chess.G1]


def _differing(**setup: Any) -> list[Ruling]:
    """Boards differ after two plies that nobody has written."""
    table = impaired(**setup)
    table.play("e2e4", "e7e5")
    return table.feed(
        {"fact": "position", "board": "white",
         "placement": "rnbqkbnr/pppp1ppp/8/4p3/3P4/8/PPP1PPPP/RNBQKBNR"},
        {"fact": "press", "by": "white"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("setup", "plies"),
    [
        ({"time_control": "900"}, {1}),  # the first that is missing
        ({"time_control": "240"}, set()),  # 8.4
        ({"mode": "blitz"}, set()),  # B.2
        ({"mode": "rapid", "time_control": "900"}, set()),  # A.2
        ({"mode": "rapid", "time_control": "1200", "edition": "fide-1997"}, set()),  # B.3
    ],
)
def test_boards_that_differ_ask_only_those_to_write_who_must(
    setup: dict[str, Any], plies: set[int]
) -> None:
    got = _differing(**setup)
    assert "boards_differ" in {one.kind for one in got}
    assert {one.ply for one in got if isinstance(one, MustRecord)} == plies
