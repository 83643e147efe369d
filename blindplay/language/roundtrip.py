"""Announces every legal move of many positions and understands it again."""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

import chess

from .language import load

# The random games begin with the usual position, or soon have promotions, en passant, castling on
# both sides, pins, checks, or queens that only their file and rank tell apart.
STARTS = (
    chess.STARTING_FEN,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/PPPPk3/8/8/8/8/4Kppp/8 w - - 0 1",
    "1n1r1b2/P1P1P1P1/8/7k/K7/8/p1p1p1p1/1N1R1B2 w - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    "7k/8/8/1Q3Q2/8/8/8/1Q5K w - - 0 1",
    "6k1/8/1Q6/8/1Q1Q4/8/5q1q/K7 w - - 0 1",
    "4k3/4r3/8/1b6/8/3NB3/4R3/4K1R1 w - - 0 1",
    "k7/8/2N1N3/1N3N2/3q4/1N3N2/2N1N3/K7 w - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 2 3",
    "k1r5/8/8/2pP4/8/8/8/2K5 w - c6 0 1",
    "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1",
)
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
