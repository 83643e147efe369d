"""Random games with all that may happen at a table, for tests of their records."""

from __future__ import annotations

import random
from typing import Any

import chess
from hypothesis import strategies as st

from tests.laws.table import Table

BLACK_TO_MOVE = "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 4 9"
STARTS: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.just({"fen": BLACK_TO_MOVE}),
    st.integers(0, 959).map(
        lambda n: {"variant": "chess960", "fen": chess.Board.from_chess960_pos(n).fen()}
    ),
)


def played(start: dict[str, Any], control: str, length: int, seed: int) -> Table:
    """A rapid game in which ``length`` things have happened: moves, also illegal ones that stand,
    offers of a draw, moves taken back."""
    table = Table(mode="rapid", time_control=control, **start)
    table.feed({"fact": "start"})
    chance = random.Random(seed)
    for _ in range(length):
        what = chance.choice(["move"] * 20 + ["offer", "take back", "illegal"])
        _happen(table, what, chance.randrange(1000))
    return table


def _happen(table: Table, what: str, pick: int) -> None:
    """Something that may happen at a table, whatever the Laws say to it."""
    game = table.game
    side = game.side
    t = {"t": (game.t + 1000 + pick * 377 % 20_000) / 1000}
    moves = sorted(game.board.legal_moves, key=chess.Move.uci)
    if what == "offer":
        table.feed({"fact": "offer_draw", "by": ("white", "black")[pick % 2], **t})
    elif what == "take back" and game.history:
        table.feed(
            {"fact": "arbiter", "do": "restore", "ply": pick % len(game.history), **t},
            {"fact": "arbiter", "do": "start_clocks"},
        )
    elif what == "illegal":
        own = [
            square
            for square, piece in sorted(game.board.piece_map().items())
            if piece.color == game.board.turn
        ]
        start, end = own[pick % len(own)], chess.SQUARES[pick * 7 % 64]
        move = chess.Move(start, end)
        target = game.board.piece_at(end)
        taken = target is not None and (
            target.piece_type == chess.KING or target.color == game.board.turn
        )
        if start == end or taken or game.board.is_legal(move):
            return
        table.feed(
            {"fact": "make", "by": side, "move": move.uci(), **t},
            {"fact": "press", "by": side},
            {"fact": "arbiter", "do": "reject"},
        )
    elif moves:
        table.feed({"fact": "make", "by": side, "move": moves[pick % len(moves)].uci(), **t})
        if pick % 5 == 0:
            table.feed({"fact": "offer_draw", "by": side})
        table.feed({"fact": "press", "by": side})
