"""Boards whose reports are lost, late or doubled: a legal move is never ruled illegal.

A board's reports keep their order: what is late makes what follows late, too.
"""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.laws import Game, Ruling
from blindplay.laws import rulings as r
from blindplay.laws.editions import names
from blindplay.laws.facts import parse
from blindplay.laws.placement import Pieces, change, laid_over, pieces_of, write_placement
from tests.laws.table import PlainWords

LOST, DOUBLED, LATE = 0.06, 0.03, 0.1


class LossyTable:
    """People who only play legal moves, on boards that report badly."""

    def __init__(self, seed: int, *, impaired: bool, named: bool) -> None:
        self.rng, self.named = random.Random(seed), named
        self.game, self.told = Game(PlainWords()), list[Ruling]()
        self.late: list[dict[str, object]] = []
        self.feed(
            fact="setup", edition=self.rng.choice(names()), time_control="5400+30",
            mode=self.rng.choice(("standard", "rapid", "blitz")),
            arbiter="automatic", white={"impaired": impaired},
        )  # fmt: skip
        self.feed(fact="start")
        self.true: dict[str, Pieces] = dict.fromkeys(self.game.tables, self.game.pieces)

    def feed(self, **fact: object) -> list[Ruling]:
        given = self.game.apply(parse({"t": 0, **fact}))
        self.told += given
        return given

    def report(self, fact: dict[str, object]) -> None:
        """What a board reports, with luck."""
        if self.rng.random() < LOST:
            return
        self.late += [fact] * (2 if self.rng.random() < DOUBLED else 1)
        if self.rng.random() >= LATE:
            self.arrive()

    def arrive(self) -> None:
        """What was late arrives."""
        for fact in self.late:
            self.feed(**fact)
        self.late.clear()

    def hands(self, board: str, before: chess.Board, move: chess.Move) -> None:
        changed = change(before, move)
        for at in sorted(changed, key=lambda at: changed[at] is not None):
            if at in self.true[board]:
                self.report({"fact": "lift", "board": board, "square": chess.square_name(at)})
        for at, now in changed.items():
            if now is not None:
                piece = now if self.named else None
                square = chess.square_name(at)
                self.report({"fact": "place", "board": board, "square": square, "piece": piece})
        self.true[board] = laid_over(self.true[board], changed)

    def dump(self, board: str) -> None:
        self.arrive()  # the dump comes after all of them
        self.feed(fact="position", board=board, placement=write_placement(self.true[board]))

    def ply(self) -> bool:
        """One legal move; False when the game is over."""
        game = self.game
        before = game.board.copy(stack=False)
        moves = list(before.legal_moves)
        if game.over or not moves:
            return False
        move, side = self.rng.choice(moves), game.side
        own = game.board_of(side)
        self.feed(fact="announce", by=side, move=move.uci())
        boards = sorted(game.tables, key=lambda board: board != own)
        for board in boards if self.rng.random() < 0.8 else reversed(boards):
            self.hands(board, before, move)
        self.feed(fact="press", by=side)  # hands do not wait
        if game.side == side and not game.over:
            self.dump(own)  # the board is read anew, and the player presses again
            self.feed(fact="press", by=side)
        assert game.over or game.history[-1].move == move, (before.fen(), move)
        for board in boards:
            if self.rng.random() < 0.5:
                self.dump(board)
        return True


NAMED = pytest.mark.parametrize("named", [True, False], ids=["named", "unnamed"])
BOARDS = pytest.mark.parametrize("impaired", [True, False], ids=["two boards", "one board"])


def _play(seed: int, *, impaired: bool, named: bool) -> None:
    table = LossyTable(seed, impaired=impaired, named=named)
    for _ in range(30):
        if not table.ply():
            break
    wrong = [one for one in table.told if isinstance(one, r.IllegalMove | r.TakeBack)]
    assert not wrong, (seed, wrong[0])
    assert pieces_of(table.game.position) == table.game.position_pieces()


@NAMED
@BOARDS
def test_a_legal_move_is_never_ruled_illegal_whatever_a_board_reports(
    impaired: bool, named: bool
) -> None:
    for seed in range(3):
        _play(seed, impaired=impaired, named=named)


@pytest.mark.long
@NAMED
@BOARDS
@pytest.mark.parametrize("tens", range(20))
def test_no_legal_move_is_illegal_in_many_games_on_bad_boards(
    tens: int, impaired: bool, named: bool
) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        _play(seed, impaired=impaired, named=named)
