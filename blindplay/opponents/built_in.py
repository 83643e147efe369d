"""A small opponent for machines without an engine: a UCI engine in Python, in a process of its own.

It searches with alpha-beta, one ply deeper after the other, until its time is over. It knows
material, where pieces stand well, and captures. With ``UCI_LimitStrength`` it searches less deep
and misjudges moves, but it never overlooks a mate in one.
"""

import itertools
import math
import queue
import random
import sys
import threading
import time
from collections.abc import Callable, Iterable

import chess

WEAKEST, STRONGEST = 600, 1300
MATE = 100_000
_VALUES = (0, 100, 320, 330, 500, 900, 0)  # by piece type
Over = Callable[[int], bool]
_Commands = queue.Queue[list[str]]
_USUAL_S, _MARGIN_S = 1.0, 0.02
_ASIDE = 64  # nodes between two looks at the clock
_CENTRE = [min(at % 8, 7 - at % 8) + min(at // 8, 7 - at // 8) for at in chess.SQUARES]


def _worth(piece: chess.PieceType, at: chess.Square) -> int:
    """The value in centipawns of a white piece on a square."""
    rank, centre = at // 8, _CENTRE[at]
    placed = {
        chess.PAWN: 6 * rank + 4 * centre * (rank > 1) + 30 * (rank == 6),
        chess.KNIGHT: 10 * centre - 30,
        chess.BISHOP: 6 * centre - 20 * (rank == 0),
        chess.ROOK: 20 if rank == 6 else centre,
        chess.QUEEN: 2 * centre,
        chess.KING: 20 * (at in (1, 2, 6)) - 12 * rank - 8 * centre,
    }
    return _VALUES[piece] + placed[piece]


_WORTH = {
    (piece, colour): [
        _worth(piece, at if colour else chess.square_mirror(at)) for at in chess.SQUARES
    ]
    for piece in chess.PIECE_TYPES
    for colour in chess.COLORS
}


class TimeIsOverError(Exception):
    """The deadline has come in the middle of a search."""


def evaluate(board: chess.Board) -> int:
    """Centipawns for the side on move."""
    total = {chess.WHITE: 0, chess.BLACK: 0}
    big = board.knights | board.bishops | board.rooks | board.queens
    endgame = chess.popcount(big) <= 6
    for (piece, colour), worth in _WORTH.items():
        if endgame and piece == chess.KING:
            worth = [10 * centre for centre in _CENTRE]
        total[colour] += sum(worth[at] for at in board.pieces(piece, colour))
    return total[board.turn] - total[not board.turn]


class Search:
    """A search that ends before its depth when ``over`` says so of the number of nodes."""

    def __init__(self, board: chess.Board, over: Over) -> None:
        self._board, self._over, self._nodes = board, over, 0

    def scores(self, deepest: int, *, exact: bool) -> list[tuple[int, chess.Move]]:
        """All moves with their scores, the best first, as deep as the time allows. Not ``exact``:
        only the first score counts."""
        best = [(0, move) for move in sorted(self._board.legal_moves, key=self._gain, reverse=True)]
        try:
            for depth in range(1, deepest + 1):
                scored: list[tuple[int, chess.Move]] = []
                for _, move in best:
                    alpha = -MATE if exact or not scored else scored[0][0]
                    scored.append((self._after(move, depth, alpha), move))
                    scored.sort(key=lambda pair: -pair[0])
                best = scored
                if abs(best[0][0]) > MATE - 100:
                    break
        except TimeIsOverError:
            pass
        return best

    def _after(self, move: chess.Move, depth: int, alpha: int) -> int:
        self._board.push(move)
        try:
            if self._board.is_repetition(2) or self._board.halfmove_clock >= 100:
                return 0
            return -self._alpha_beta(depth - 1, -MATE, -alpha, 1)
        finally:
            self._board.pop()

    def _gain(self, move: chess.Move) -> int:
        """The worth of the captured piece and of a promotion; the least valuable captor is best."""
        board, gain = self._board, _VALUES[move.promotion or 0]
        if board.is_capture(move):
            taken = board.piece_type_at(move.to_square) or chess.PAWN
            gain += 10 * _VALUES[taken] - _VALUES[board.piece_type_at(move.from_square) or 0]
        return gain

    def _alpha_beta(self, depth: int, alpha: int, beta: int, ply: int) -> int:
        self._nodes += 1
        if self._over(self._nodes):
            raise TimeIsOverError
        board, best, checked = self._board, -MATE, self._board.is_check()
        moves = list(board.legal_moves)
        if not moves or board.is_insufficient_material():
            return ply - MATE if checked and not moves else 0
        if depth <= 0 and not (checked and depth > -3):  # from here on captures that may matter
            best = evaluate(board)
            alpha, least = max(alpha, best), 10 * (alpha - best - 200) if depth > -5 else MATE
            moves = [one for one in moves if board.is_capture(one) and self._gain(one) > least]
        for move in sorted(moves, key=self._gain, reverse=True) if alpha < beta else ():
            board.push(move)
            try:
                score = -self._alpha_beta(depth - 1, -beta, -alpha, ply + 1)
            finally:
                board.pop()
            best, alpha = max(best, score), max(alpha, score)
            if alpha >= beta:
                break
        return best


def within(seconds: float, nodes: float = math.inf, stop: threading.Event | None = None) -> Over:
    """A test that ends a search after ``seconds`` or ``nodes``, or once ``stop`` is set."""
    deadline, stop = time.monotonic() + seconds - _MARGIN_S, stop or threading.Event()
    late: Over = lambda node: node % _ASIDE == 0 and time.monotonic() > deadline  # noqa: E731
    return lambda node: late(node) or node > nodes or stop.is_set()


def choose(board: chess.Board, over: Over, elo: int = STRONGEST) -> tuple[chess.Move, int]:
    """A legal move, about as good as ``elo``, and its score."""
    weakness = min(1.0, max(0.0, (STRONGEST - elo) / (STRONGEST - WEAKEST)))
    deepest = 1 + round(2 * (1 - weakness)) if weakness else 50
    scored = Search(board.copy(), over).scores(deepest, exact=bool(weakness))
    if weakness and abs(scored[0][0]) < MATE - 100:
        scored.sort(key=lambda pair: random.gauss(-pair[0], 150 * weakness))
    return scored[0][1], scored[0][0]


def serve(lines: Iterable[str]) -> None:
    """Speak UCI: read ``lines`` until ``quit`` or their end, and print."""
    board, elo, limited = chess.Board(), STRONGEST, False
    commands, stop = _Commands(), threading.Event()
    threading.Thread(target=_read, args=(lines, commands, stop), daemon=True).start()
    while (words := commands.get()) != ["quit"]:
        match words:
            case ["uci"]:
                print("id name BlindPlay\noption name UCI_LimitStrength type check default false")
                print(f"option name UCI_Elo type spin default {elo} min {WEAKEST} max {STRONGEST}")
                print("option name UCI_Chess960 type check default false\nuciok")
            case ["isready"]:
                print("readyok")
            case ["setoption", "name", "UCI_LimitStrength", "value", value]:
                limited = value == "true"
            case ["setoption", "name", "UCI_Elo", "value", value]:
                elo = int(value)
            case ["setoption", "name", "UCI_Chess960", "value", value]:
                board.chess960 = value == "true"
            case ["position", start, *rest]:
                at = rest.index("moves") if "moves" in rest else len(rest)
                fen = chess.STARTING_FEN if start == "startpos" else " ".join(rest[:at])
                board = chess.Board(fen, chess960=board.chess960)
                for move in rest[at + 1 :]:
                    board.push_uci(move)
            case ["go", *limits] if any(board.legal_moves):
                values = dict(itertools.pairwise(limits))
                free = limits == ["infinite"] or "nodes" in values
                seconds = float(values.get("movetime", "inf" if free else 1000 * _USUAL_S)) / 1000
                over = within(seconds, float(values.get("nodes", "inf")), stop)
                best, score = choose(board, over, elo if limited else STRONGEST)
                mate = math.copysign((MATE - abs(score) + 1) // 2, score)
                worth = f"mate {mate:.0f}" if abs(mate) <= 50 else f"cp {score}"
                print(f"info score {worth} pv {board.uci(best)}\nbestmove {board.uci(best)}")
        sys.stdout.flush()


def _read(lines: Iterable[str], commands: _Commands, stop: threading.Event) -> None:
    for line in lines:
        words = line.split()
        if words in (["stop"], ["quit"]):
            stop.set()
        elif words[:1] == ["go"]:
            stop.clear()
        commands.put(words)
    stop.set()
    commands.put(["quit"])


if __name__ == "__main__":
    serve(sys.stdin)
