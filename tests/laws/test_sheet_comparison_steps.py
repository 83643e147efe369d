"""How a board is put right: with the fewest actions, and possible for hands."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import chess
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blindplay.laws.placement import pieces_of
from blindplay.laws.rulings import CorrectingStep
from blindplay.laws.sheet_comparison import steps
from tests.sampling import examples

Pieces = Mapping[int, str]


def done(now: Pieces, todo: Sequence[CorrectingStep]) -> tuple[dict[int, str], int]:
    """The board after the steps, done by hands, and how many pieces were set aside meanwhile."""
    board = dict(now)
    hand: list[str] = []
    aside = 0
    for step, following in itertools.zip_longest(todo, todo[1:]):
        square = chess.parse_square(step.square)
        if step.do == "place":
            assert square not in board, "there is something in that hole"
            board[square] = step.piece
            if step.piece in hand:
                hand.remove(step.piece)
        else:
            assert board.pop(square) == step.piece
            if step.do == "lift":
                hand.append(step.piece)
                aside += following is None or following.do != "place"
    assert not hand, "what was lifted must be put down, else it is a removal"
    return board, aside


def fewest_aside(now: Pieces, goal: Pieces) -> int:
    """By trying every way in which equal pieces can be dealt out: the fewest circles."""
    wrong = [at for at in now if goal.get(at) != now[at]]
    best = len(wrong)
    by_letter = []
    for letter in set(now.values()) | set(goal.values()):
        sources = [at for at in wrong if now[at] == letter]
        targets = [at for at in goal if goal[at] == letter and now.get(at) != letter]
        if len(sources) <= len(targets):
            deals = [
                dict(zip(sources, chosen, strict=True))
                for chosen in itertools.permutations(targets, len(sources))
            ]
        else:
            deals = [
                dict(zip(chosen, targets, strict=True))
                for chosen in itertools.permutations(sources, len(targets))
            ]
        by_letter.append(deals)
    for deal in itertools.product(*by_letter):
        target = {source: to for part in deal for source, to in part.items()}
        circles, seen = 0, set()
        for start in target:
            way = []
            at = start
            while at in target and at not in seen:
                seen.add(at)
                way.append(at)
                at = target[at]
            circles += at in way
        best = min(best, circles)
    return best


def few(letters: str) -> st.SearchStrategy[dict[int, str]]:
    return st.dictionaries(st.integers(0, 6), st.sampled_from(letters), max_size=6)


@examples(1000)
@given(few("PNn"), few("PNn"))
@example({0: "P", 1: "N", 3: "N", 4: "N", 5: "P"}, {0: "P", 3: "P", 4: "P", 5: "N", 6: "N"})
def test_a_small_board_is_put_right_as_shortly_as_trying_everything_finds(
    now: dict[int, str], goal: dict[int, str]
) -> None:
    todo = steps(now, goal)
    board, aside = done(now, todo)
    assert board == goal
    lifts = sum(goal.get(at) != piece for at, piece in now.items())
    placings = sum(now.get(at) != piece for at, piece in goal.items())
    assert len(todo) == lifts + placings
    assert aside == fewest_aside(now, goal)


@examples(200)
@given(st.data())
def test_any_board_can_be_put_right(data: st.DataObject) -> None:
    some = st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQKpnbrqk"), max_size=32)
    now, goal = data.draw(some), data.draw(some)
    assert done(now, steps(now, goal))[0] == goal


@pytest.mark.parametrize(
    ("now", "goal", "said"),
    [
        ("8/8/8/8/8/8/8/8", "8/8/8/8/4P3/8/8/8", "place e4"),
        ("8/8/8/8/4P3/8/8/8", "8/8/8/8/8/8/8/8", "remove e4"),
        ("8/8/8/8/6Q1/8/8/8", "8/8/8/7Q/8/8/8/8", "lift g4 place h5"),
        ("8/8/8/8/8/8/8/KQ6", "8/8/8/8/8/8/8/QK6", "lift a1 lift b1 place a1 place b1"),
        # A rook beside the circle of rook and knight saves setting one aside.
        (
            "8/8/8/8/8/8/8/RN5R", "8/8/8/8/8/R7/8/NR6",
            "lift a1 place a3 lift b1 place a1 lift h1 place b1",
        ),
        (chess.STARTING_FEN.split()[0], chess.STARTING_FEN.split()[0], ""),
    ],
)  # fmt: skip
def test_the_steps_in_order(now: str, goal: str, said: str) -> None:
    todo = steps(pieces_of(chess.BaseBoard(now)), pieces_of(chess.BaseBoard(goal)))
    assert " ".join(f"{step.do} {step.square}" for step in todo) == said
