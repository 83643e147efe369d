"""Leading hands to a position: which steps are said, and what is said to what hands do."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language import languages, load
from blindplay.laws.placement import Pieces, pieces_of
from blindplay.wording.board_steps import SetupGuide, named, plan
from tests.sampling import examples

GERMAN = load("de")
BOARDS = st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQKpnbrqk"), max_size=20)


def pieces(placement: str) -> dict[int, str]:
    return pieces_of(chess.BaseBoard(placement))


def without(board: dict[int, str], square: str) -> dict[int, str]:
    return {at: letter for at, letter in board.items() if at != chess.parse_square(square)}


def led(goal: str, now: str) -> tuple[SetupGuide, list[str]]:
    guide = SetupGuide(pieces(goal), GERMAN)
    return guide, guide.begin(pieces(now))


START = chess.STARTING_FEN.split()[0]


def test_a_missing_piece_is_named_with_its_square() -> None:
    guide, said = led(START, "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR")
    assert said == ["Auf Eva zwei fehlt: weißer Bauer."]
    assert guide.opening("Weiß")[0] == "Jetzt wird das Brett von Weiß aufgestellt. Schritte: eins."
    assert guide.feel(pieces(START)) == ["Die Stellung ist aufgestellt."]
    assert guide.finished


def test_a_piece_on_the_wrong_square_is_one_step_and_lifting_it_is_no_other() -> None:
    guide, said = led("8/8/8/7Q/8/8/8/8", "8/8/8/8/6Q1/8/8/8")
    assert said == ["Umstecken: weiße Dame, von Gustav vier nach Hector fünf."]
    assert guide.feel({}) == []
    assert guide.feel(pieces("8/8/8/7Q/8/8/8/8")) == ["Die Stellung ist aufgestellt."]


def test_pieces_in_each_others_way_are_set_aside_first() -> None:
    guide, said = led("8/8/8/8/8/8/8/QK6", "8/8/8/8/8/8/8/KQ6")
    assert said == ["Beiseite legen: weißer König, Anna eins."]
    assert guide.feel(pieces("8/8/8/8/8/8/8/1Q6")) == [
        "Umstecken: weiße Dame, von Bella eins nach Anna eins."
    ]
    assert guide.feel({}) == []
    assert guide.feel(pieces("8/8/8/8/8/8/8/Q7")) == ["Auf Bella eins fehlt: weißer König."]


def test_a_slip_of_the_hand_is_told_with_what_to_do_now() -> None:
    guide, _ = led("8/8/8/7Q/8/8/8/8", "8/8/8/8/6Q1/8/8/8")
    guide.feel({})
    assert guide.feel(pieces("8/8/8/8/7Q/8/8/8")) == [
        "Jetzt steht es anders als erwartet.",
        "Umstecken: weiße Dame, von Hector vier nach Hector fünf.",
    ]


def test_who_works_in_another_order_is_not_disturbed() -> None:
    guide, said = led("8/8/8/8/8/8/PP6/8", "8/8/8/8/8/8/8/8")
    assert said == ["Auf Anna zwei fehlt: weißer Bauer."]
    assert guide.feel(pieces("8/8/8/8/8/8/1P6/8")) == []
    assert guide.feel(pieces("8/8/8/8/8/8/PP6/8")) == ["Die Stellung ist aufgestellt."]


def test_a_step_is_repeated_and_left_out_on_request() -> None:
    guide, said = led("8/8/8/8/8/8/PP6/8", "8/8/8/8/8/8/8/8")
    assert guide.repeat() == said
    assert guide.skip() == ["Auf Bella zwei fehlt: weißer Bauer."]
    assert guide.feel(pieces("8/8/8/8/8/8/1P6/8")) == ["Ausgelassen sind: Anna zwei."]
    assert guide.finished and guide.skip() == [] and guide.repeat() == []


def test_a_board_that_cannot_name_pieces_is_set_up_by_holes() -> None:
    goal = pieces("8/8/8/8/8/8/PP6/8")
    assert named("8/8/8/8/8/8/??6/8", goal) == goal
    guide = SetupGuide(goal, GERMAN)
    assert guide.begin(named("8/8/8/8/8/8/??5?/8", goal)) == [
        "Vom Brett nehmen: die Figur auf Hector zwei."
    ]


def fewest(now: tuple[str, ...], goal: tuple[str, ...]) -> int:
    """By trying everything: a piece is moved into an empty hole, taken off, or put on."""
    reached, front, steps = {now}, {now}, 0
    while goal not in reached:
        following = set()
        for board in front:
            for at, piece in enumerate(board):
                if piece == " ":
                    following |= {(*board[:at], new, *board[at + 1 :]) for new in "PN"}
                    continue
                without = (*board[:at], " ", *board[at + 1 :])
                following.add(without)
                following |= {
                    (*without[:to], piece, *without[to + 1 :])
                    for to, there in enumerate(without)
                    if there == " " and to != at
                }
        reached |= following
        front, steps = following, steps + 1
    return steps


SQUARES = st.tuples(*[st.sampled_from(" PN")] * 4)


@examples(300)
@given(now=SQUARES, goal=SQUARES)
def test_nobody_comes_to_the_position_in_fewer_steps(
    now: tuple[str, ...], goal: tuple[str, ...]
) -> None:
    shown, wanted = (
        {at: piece for at, piece in enumerate(board) if piece != " "} for board in (now, goal)
    )
    assert sum(1 for _ in plan(shown, wanted)) == fewest(now, goal)


@pytest.mark.parametrize("code", languages())
@examples(60)
@given(now=BOARDS, goal=BOARDS)
def test_hands_that_do_what_is_said_come_to_the_position(
    code: str, now: dict[int, str], goal: dict[int, str]
) -> None:
    guide = SetupGuide(goal, load(code))
    said = guide.begin(now)
    expected = sum(1 for _ in plan(now, goal))
    board: Pieces = now
    steps = 0
    while guide.step is not None:
        assert len(said) == 1
        *on_the_way, board = guide.step.boards
        assert not any(guide.feel(shown) for shown in on_the_way)
        said = guide.feel(board)
        steps += 1
    assert steps == expected and board == goal and not guide.left_out
