"""Whether a side can still mate: no verdict is ever wrong, and hardly any is left open."""

from __future__ import annotations

import itertools
import random
from collections import deque

import chess
import pytest

from blindplay.laws import mating
from blindplay.laws.mating import Mating, MatingVerdict, can_mate, is_dead

POSSIBLE, IMPOSSIBLE = MatingVerdict.POSSIBLE, MatingVerdict.IMPOSSIBLE


def mates(board: chess.Board, side: chess.Color, line: tuple[chess.Move, ...]) -> bool:
    """Whether the moves are legal one after the other and end with ``side`` giving mate."""
    board = board.copy(stack=False)
    for move in line:
        if move not in board.legal_moves:
            return False
        board.push(move)
    return board.is_checkmate() and board.turn != side


def asked(board: chess.Board, side: chess.Color) -> Mating:
    """The verdict, with everything about it that can be checked at once."""
    found = can_mate(board, side)
    if found.verdict is POSSIBLE:
        assert mates(board, side, found.line), board.fen()
        assert not found.reason
    else:
        assert not found.line
        assert bool(found.reason) == (found.verdict is IMPOSSIBLE)
    return found


def by_hand(board: chess.Board, side: chess.Color, most: int) -> bool | None:
    """The plainest answer: every position that can be reached, or None if there are too many."""
    start = board.copy(stack=False)
    queue, seen = deque([start]), set()
    while queue:
        here = queue.popleft()
        moves = list(here.legal_moves)
        if not moves and here.is_check() and here.turn != side:
            return True
        for move in moves:
            after = here.copy(stack=False)
            after.push(move)
            key = (
                after.occupied_co[True], after.occupied_co[False], after.pawns, after.knights,
                after.bishops, after.rooks, after.queens, after.turn, after.castling_rights,
                after.ep_square if after.has_legal_en_passant() else None,
            )  # fmt: skip
            if key not in seen:
                seen.add(key)
                queue.append(after)
        if len(seen) > most:
            return None
    return False


# --- positions by chance ------------------------------------------------------------------------


def games(rng: random.Random, count: int, greed: float) -> list[chess.Board]:
    """Random games stopped at a random ply; with ``greed``, captures come first."""
    boards: list[chess.Board] = []
    while len(boards) < count:
        board = chess.Board()
        if rng.random() < 0.2:
            board = chess.Board.from_chess960_pos(rng.randrange(960))
        for _ in range(rng.randrange(4, 200)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(rng.choice(captures if captures and rng.random() < greed else moves))
        boards.append(board)
    return boards


def placed(rng: random.Random, kinds: str) -> chess.Board:
    """A legal position with these pieces, as in FEN, put anywhere."""
    while True:
        board = chess.Board(None)
        squares = rng.sample(chess.SQUARES, len(kinds))
        for kind, square in zip(kinds, squares, strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(kind))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def locked(rng: random.Random, pieces: int) -> chess.Board:
    """Pawns locked on nearly every file, now and then a loose one, and a few pieces anywhere."""
    while True:
        board = chess.Board(None)
        rank = rng.randrange(2, 5)
        for file in range(8):
            if rng.random() < 0.9:
                board.set_piece_at(chess.square(file, rank), chess.Piece.from_symbol("P"))
                board.set_piece_at(chess.square(file, rank + 1), chess.Piece.from_symbol("p"))
            rank = min(5, max(1, rank + rng.choice((-1, -1, 0, 1, 1))))
        free = [square for square in chess.SQUARES if not board.piece_at(square)]
        symbols = ["K", "k", *(rng.choice("BBNbbnRr") for _ in range(pieces))]
        for symbol, square in zip(symbols, rng.sample(free, len(symbols)), strict=True):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


def wall(rng: random.Random, pieces: str) -> chess.Board:
    """A wall of pawns in teeth from edge to edge, each king behind its own pawns."""
    while True:
        board = chess.Board(None)
        low = rng.randrange(2, 4)
        ranks = [low + (file + low) % 2 for file in range(8)]
        for file, rank in enumerate(ranks):
            board.set_piece_at(chess.square(file, rank), chess.Piece.from_symbol("P"))
            board.set_piece_at(chess.square(file, rank + 1), chess.Piece.from_symbol("p"))
        below = [s for s in chess.SQUARES if s // 8 < ranks[s % 8]]
        above = [s for s in chess.SQUARES if s // 8 > ranks[s % 8] + 1]
        board.set_piece_at(rng.choice(below), chess.Piece.from_symbol("K"))
        board.set_piece_at(rng.choice(above), chess.Piece.from_symbol("k"))
        for symbol in pieces:
            side = below if symbol.isupper() else above
            free = [square for square in side if not board.piece_at(square)]
            board.set_piece_at(rng.choice(free), chess.Piece.from_symbol(symbol))
        board.turn = rng.random() < 0.5
        if board.is_valid():
            return board


# --- known positions ----------------------------------------------------------------------------

KNOWN = [
    # What stands on the board alone decides.
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("4k3/8/8/8/8/8/8/B1B1K3 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),  # both on dark squares
    ("2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k1n1/8/8/8/8/8/8/2B1K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k1n1/8/8/8/8/8/8/1N2K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("3qk3/8/8/8/8/8/8/1N2K3 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("3qkq2/8/8/8/8/8/8/1N2K3 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("3rk3/8/8/8/8/8/8/1N2K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("3rk3/8/8/8/8/8/8/2B1K3 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("3qk3/8/8/8/8/8/8/2B1K3 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("3rkb2/8/8/8/8/8/8/2B1K3 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("2brk3/8/8/8/8/8/8/2B1K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k3/p7/8/8/8/8/8/1N2K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k3/3p4/8/8/8/8/8/2B1K3 w - - 0 1", POSSIBLE, POSSIBLE),
    ("4k3/8/8/8/8/8/7P/2B1K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("7k/8/8/8/8/8/7P/2B1K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),  # the wrong corner, but unskilled
    ("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("4kb2/8/8/8/8/8/8/R3K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", POSSIBLE, POSSIBLE),
    # The game is over already.
    ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("K7/1q6/1k6/8/8/8/8/8 w - - 0 1", IMPOSSIBLE, POSSIBLE),
    ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("8/8/8/8/8/1k6/p7/K7 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # Walls.
    ("8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("8/2k5/8/p1p1p1p1/P1P1P1P1/8/3K4/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/3K4/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # A bishop behind its own pawns attacks nothing that matters.
    ("8/2k5/8/p1p1p1p1/P1P1P1P1/8/3KB3/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("8/2k5/1b6/p1p1p1p1/P1P1P1P1/8/3KB3/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # On the other colour it is taken by a pawn, and the wall is open.
    ("8/2k2b2/8/p1p1p1p1/P1P1P1P1/8/3KB3/8 w - - 0 1", POSSIBLE, POSSIBLE),
    # A pawn that is not held, a hole in the wall, a pawn that can be taken.
    ("8/1k6/1p1p1p1p/1P1P1P1P/8/8/6P1/K7 w - - 0 1", POSSIBLE, POSSIBLE),
    ("8/2k5/8/p1p1p3/P1P1P3/8/3K4/8 w - - 0 1", POSSIBLE, POSSIBLE),
    ("8/8/8/k1p5/1p1p1p2/1P1P1P2/K1P5/8 w - - 0 1", POSSIBLE, POSSIBLE),
    ("1k6/1p1p1p1p/1P1P1P1P/8/8/p1p1p1p1/P1P1P1P1/6K1 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # Only taking in passing opens the wall, and only now.
    ("4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - b3 0 1", POSSIBLE, POSSIBLE),
    ("4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # Kings may take the loose pawns behind the wall, which frees nothing.
    ("7k/2p3p1/p1P1p1P1/P3P1p1/p5P1/P3p2K/4P3/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # The king in check from a wall leaves that square for good.
    ("4k3/3p1p2/p1pPpPp1/PpPKP1Pp/1P3B1P/8/8/1b6 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # Forced moves: the last piece has to be taken.
    ("k7/1R6/8/8/8/8/8/K7 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("8/8/8/8/8/8/1q6/K6k w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("k7/1R6/8/8/8/8/8/K6R b - - 0 1", POSSIBLE, IMPOSSIBLE),
    ("7K/5k1P/8/8/8/8/8/8 w - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    # Mate at once, by a piece of lower rank, by the last move there is.
    ("k7/p1P5/8/1K6/8/8/8/8 w - - 0 1", POSSIBLE, POSSIBLE),
    ("8/8/8/8/8/p1k5/P1p5/K1B5 w - - 0 1", POSSIBLE, POSSIBLE),
    ("5bk1/5p1p/5PpP/6P1/8/8/8/K7 w - - 0 1", POSSIBLE, POSSIBLE),
    ("6k1/8/8/8/8/8/1r4PP/7K w - - 0 1", POSSIBLE, POSSIBLE),
    # Both colours' pawns and pieces so entangled that everything there is has to be looked at.
    ("Bb2kb2/bKp1p1p1/1pP1P1P1/1P6/p5P1/P7/8/8 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
    ("1k6/1P5p/BP3p2/1P6/8/8/5PKP/8 b - - 0 1", IMPOSSIBLE, IMPOSSIBLE),
]


@pytest.mark.parametrize(("fen", "white", "black"), KNOWN)
def test_known_positions(fen: str, white: MatingVerdict, black: MatingVerdict) -> None:
    board = chess.Board(fen)
    assert asked(board, chess.WHITE).verdict is white
    assert asked(board, chess.BLACK).verdict is black


@pytest.mark.parametrize(("fen", "white", "black"), KNOWN)
def test_a_board_turned_over_has_the_answers_turned_over(
    fen: str, white: MatingVerdict, black: MatingVerdict
) -> None:
    board = chess.Board(fen).mirror()
    assert asked(board, chess.BLACK).verdict is white
    assert asked(board, chess.WHITE).verdict is black


@pytest.mark.parametrize(("fen", "white", "black"), KNOWN)
def test_a_position_is_dead_only_if_neither_can_mate(
    fen: str, white: MatingVerdict, black: MatingVerdict
) -> None:
    if is_dead(chess.Board(fen)):
        assert (white, black) == (IMPOSSIBLE, IMPOSSIBLE)


@pytest.mark.parametrize(
    "fen",
    [
        "4k3/8/8/8/8/8/8/4KN2 w - - 0 1",
        "8/1k6/1p1p1p1p/1P1P1P1P/8/8/8/K7 w - - 0 1",
        "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/3K4/8 w - - 0 1",
        "8/2k5/8/p1p1p1p1/P1P1P1P1/8/3KB3/8 w - - 0 1",
        "8/2k5/1b6/p1p1p1p1/P1P1P1P1/8/3KB3/8 b - - 0 1",
        "k7/1R6/8/8/8/8/8/K7 b - - 0 1",
        "8/8/8/8/8/8/1q6/K6k w - - 0 1",
        "8/8/8/8/8/2k5/1r6/K7 w - - 0 1",
        "7K/5k1P/8/8/8/8/8/8 w - - 0 1",
    ],
)
def test_dead_positions_are_found_after_a_move(fen: str) -> None:
    board = chess.Board(fen)
    assert is_dead(board)
    assert is_dead(board.mirror())
    assert board.fen() == fen  # looked at, not touched


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "8/8/8/4k3/4P3/4K3/8/8 w - - 0 1",
        "k7/1R6/8/8/8/8/8/K6R b - - 0 1",
        "8/2k2b2/8/p1p1p1p1/P1P1P1P1/8/3KB3/8 w - - 0 1",
        "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1",
        "4k3/8/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/4K3 b - b3 0 1",
    ],
)
def test_a_position_with_a_mate_left_is_not_dead(fen: str) -> None:
    assert not is_dead(chess.Board(fen))


# --- never wrong, hardly ever undecided ---------------------------------------------------------


@pytest.mark.parametrize("greed", [0.0, 0.3, 0.7])
def test_every_final_position_of_a_random_game_is_decided(greed: float) -> None:
    for board in games(random.Random(round(greed * 10)), 60, greed):
        verdicts = [asked(board, side).verdict for side in (chess.WHITE, chess.BLACK)]
        assert MatingVerdict.UNDECIDED not in verdicts, board.fen()
        for side, verdict in zip((chess.WHITE, chess.BLACK), verdicts, strict=True):
            if board.has_insufficient_material(side):
                assert verdict is IMPOSSIBLE
        if is_dead(board):
            assert verdicts == [IMPOSSIBLE, IMPOSSIBLE]


@pytest.mark.parametrize(
    "pieces",
    ["KNkp", "KBkp", "KNkr", "KNkb", "KNkn", "KBkn", "KPkq", "KPkp", "KNNk", "KBNk", "KBBk",
     "KNkqp", "KBkrp", "KNkrq", "KBkpp", "KNkppp", "KPknb", "KRkrb", "KBBkn", "KPPkrr", "KNPkqb",
     "KPPkpp", "KBkbn", "KRPkrp", "KQPkqp"],
)  # fmt: skip
def test_endings_are_decided(pieces: str) -> None:
    rng = random.Random(pieces)
    for _ in range(12):
        board = placed(rng, pieces)
        for side in (chess.WHITE, chess.BLACK):
            assert asked(board, side).verdict is not MatingVerdict.UNDECIDED, board.fen()


def check_against_every_position(boards: list[chess.Board], most: int) -> tuple[int, int]:
    """How often the verdict could be compared: with a mate found, and with none there is."""
    found = none = 0
    for board in boards:
        for side in (chess.WHITE, chess.BLACK):
            verdict = asked(board, side).verdict
            truth = by_hand(board, side, most)
            if truth is None:
                continue
            assert verdict is (POSSIBLE if truth else IMPOSSIBLE), board.fen()
            if truth:
                found += 1
            else:
                none += 1
        if is_dead(board):
            assert by_hand(board, chess.WHITE, most) is not True
            assert by_hand(board, chess.BLACK, most) is not True
    return found, none


def test_walls_agree_with_every_position_looked_at() -> None:
    rng = random.Random(1)
    boards = [wall(rng, "") for _ in range(4)] + [wall(rng, rng.choice("Bb")) for _ in range(3)]
    _, none = check_against_every_position(boards, 2_500)
    assert none >= 4


def test_locked_positions_agree_with_every_position_looked_at() -> None:
    rng = random.Random(2)
    check_against_every_position([locked(rng, rng.randrange(3)) for _ in range(15)], 800)


def test_nearly_stuck_positions_agree_with_every_position_looked_at() -> None:
    """Kings in corners between pawns, so that there are few ways to go on and all can be tried."""
    rng = random.Random(3)
    boards: list[chess.Board] = []
    while len(boards) < 60:
        board = placed(rng, "Kk" + "".join(rng.choice("PPPpppBbNn") for _ in range(6)))
        if board.legal_moves.count() <= 3:
            boards.append(board)
    found, _ = check_against_every_position(boards, 400)
    assert found


def test_forced_last_captures_agree_with_every_position_looked_at() -> None:
    rng = random.Random(4)
    boards: list[chess.Board] = []
    while len(boards) < 40:
        board = placed(rng, "Kk" + rng.choice("QRqr") + rng.choice(["", "N", "b"]))
        if 0 < board.legal_moves.count() <= 2:
            boards.append(board)
    check_against_every_position(boards, 60)
    for board in boards:
        if is_dead(board):
            assert {can_mate(board, side).verdict for side in chess.COLORS} == {IMPOSSIBLE}


@pytest.mark.parametrize("pieces", ["KNk", "KBk", "KNkq", "KBkr", "KBkq"])
def test_no_placing_of_too_few_pieces_is_mate(pieces: str) -> None:
    """What is called too little really is: all mates are looked for, loser's king by symmetry."""
    kind = chess.Piece.from_symbol(pieces[1])
    others = [chess.Piece.from_symbol(symbol) for symbol in pieces[3:]]
    for king in (chess.A1, chess.B1, chess.C1, chess.D1, chess.B2, chess.C2, chess.C3, chess.D3):
        # No lone minor piece and king take all squares from a king that is not in a corner's reach.
        for square in chess.SQUARES:
            board = chess.Board(None)
            board.turn = chess.BLACK
            board.set_piece_at(king, chess.Piece.from_symbol("k"))
            if square == king:
                continue
            board.set_piece_at(square, kind)
            if not board.attackers_mask(chess.WHITE, king):
                continue
            around = [s for s in chess.SQUARES if chess.square_distance(s, king) in (2, 3)]
            for guard in (s for s in around if s != square):
                board.set_piece_at(guard, chess.Piece.from_symbol("K"))
                open_squares = [
                    step
                    for step in chess.SquareSet(chess.BB_KING_ATTACKS[king])
                    if not board.attackers_mask(chess.WHITE, step)
                ]
                if len(open_squares) <= len(others):
                    for places in itertools.permutations(open_squares, len(others)):
                        assert not is_mate_with(board, others, places), board.fen()
                board.remove_piece_at(guard)


def is_mate_with(
    board: chess.Board, pieces: list[chess.Piece], places: tuple[chess.Square, ...]
) -> bool:
    board = board.copy(stack=False)
    for piece, place in zip(pieces, places, strict=True):
        board.set_piece_at(place, piece)
    return board.is_checkmate()


def test_no_position_of_a_game_is_called_dead_while_a_mate_is_left() -> None:
    rng = random.Random(5)
    for _ in range(12):
        board = chess.Board()
        while not board.is_game_over() and board.ply() < 300:
            moves = list(board.legal_moves)
            captures = [move for move in moves if board.is_capture(move)]
            board.push(rng.choice(captures if captures and rng.random() < 0.5 else moves))
            if is_dead(board):
                for side in (chess.WHITE, chess.BLACK):
                    assert asked(board, side).verdict is IMPOSSIBLE, board.fen()
                break


# --- the search as such -------------------------------------------------------------------------


def test_the_same_question_has_the_same_answer() -> None:
    for board in games(random.Random(7), 10, 0.3):
        for side in (chess.WHITE, chess.BLACK):
            first = can_mate(board, side)
            mating._decided.cache_clear()  # it thinks again
            assert can_mate(board.copy(), side) == first


@pytest.mark.parametrize("limit", [0, 1, 5, 50])
def test_a_small_limit_leaves_open_what_it_does_not_prove(limit: int) -> None:
    for fen, white, _ in KNOWN:
        found = can_mate(chess.Board(fen), chess.WHITE, limit)
        assert found.verdict in (white, MatingVerdict.UNDECIDED)


def test_castling_is_a_move_like_others() -> None:
    # White castles out of the way, or into it; the line is legal in chess and in chess960.
    for chess960 in (False, True):
        board = chess.Board("5k2/8/8/8/8/8/4P2P/4K2R w K - 0 1", chess960=chess960)
        assert asked(board, chess.WHITE).verdict is POSSIBLE
    rng = random.Random(960)
    for _ in range(15):
        board = chess.Board.from_chess960_pos(rng.randrange(960))
        for side in (chess.WHITE, chess.BLACK):
            assert asked(board, side).verdict is POSSIBLE


def test_draws_by_count_do_not_matter() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 149 200")
    assert asked(board, chess.WHITE).verdict is POSSIBLE


# --- long ---------------------------------------------------------------------------------------


@pytest.mark.long
def test_many_walls_agree_with_every_position_looked_at() -> None:
    rng = random.Random(11)
    boards = [wall(rng, rng.choice(["", "B", "b", "Bb", "N"])) for _ in range(60)]
    _, none = check_against_every_position(boards, 20_000)
    assert none >= 20


@pytest.mark.long
def test_many_locked_positions_agree_with_every_position_looked_at() -> None:
    rng = random.Random(12)
    check_against_every_position([locked(rng, rng.randrange(4)) for _ in range(150)], 5_000)


@pytest.mark.long
def test_thousands_of_positions_are_decided() -> None:
    rng = random.Random(13)
    boards = [board for greed in (0.0, 0.3, 0.7) for board in games(rng, 700, greed)]
    boards += [locked(rng, rng.randrange(4)) for _ in range(1000)]
    for board in boards:
        for side in (chess.WHITE, chess.BLACK):
            assert asked(board, side).verdict is not MatingVerdict.UNDECIDED, board.fen()
