"""Announces every legal move of many positions and understands it again."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import chess

from blindplay.language import load
from blindplay.language.pack_check import STARTS

_PLIES = 60


@dataclass(frozen=True)
class RoundTrip:
    """The result of a round trip.

    ``seconds`` is processor time, including the time to make the positions. ``failures`` has a
    line for each move that was not understood as itself.
    """

    positions: int
    moves: int
    seconds: float
    failures: tuple[str, ...]


def positions(count: int, seed: int) -> Iterator[chess.Board]:
    """``count`` positions of random games, the same for the same ``seed``.

    All are one board: copy it to keep it. A quarter of the games is chess960.
    """
    rng = random.Random(seed)
    game = 0
    while count > 0:
        if game % 4 == 3:
            board = chess.Board.from_chess960_pos(rng.randrange(960))
        else:
            board = chess.Board(rng.choice(STARTS))
        game += 1
        for _ in range(_PLIES):
            moves = list(board.legal_moves)
            if not moves or count <= 0:
                break
            yield board
            count -= 1
            # Promotions and castlings are rare in random games, so prefer them a little.
            special = [
                move
                for move in moves
                if move.promotion or board.is_castling(move) or board.is_en_passant(move)
            ]
            if special and rng.random() < 0.15:
                moves = special
            board.push(rng.choice(moves))


def roundtrip(positions_wanted: int, seed: int, *, language: str = "de") -> RoundTrip:
    """Announce and understand every legal move of ``positions_wanted`` positions."""
    words = load(language)
    begun = time.process_time()
    seen = moves = 0
    failures = []
    for board in positions(positions_wanted, seed):
        seen += 1
        for move in board.legal_moves:
            moves += 1
            text = words.announce(board, move)
            meant = words.understand(text, board)
            if meant.move != move or meant.cost:
                failures.append(f"{board.fen()} {move.uci()} {text!r} {meant}")
    return RoundTrip(seen, moves, time.process_time() - begun, tuple(failures))
