"""Placements: which piece stands where, and how a move changes it.

A placement maps squares (0 is a1, 63 is h8) to FEN letters. A change maps squares to what stands
there afterwards, None for nothing; laying it over a placement gives another one. A board on the
table is compared with the game by its change against the game's position, which is a handful of
squares however long the game is.
"""

from collections.abc import Iterable, Iterator, Mapping

import chess

from blindplay.translation import UserError

Pieces = Mapping[int, str]
Change = dict[int, str | None]


def pieces_of(board: chess.BaseBoard) -> dict[int, str]:
    """The placement of a position."""
    found: dict[int, str] = {}
    for colour in (chess.WHITE, chess.BLACK):
        own = board.occupied_co[colour]
        for letter, mask in (
            ("p", board.pawns),
            ("n", board.knights),
            ("b", board.bishops),
            ("r", board.rooks),
            ("q", board.queens),
            ("k", board.kings),
        ):
            shown = letter.upper() if colour else letter
            for square in chess.scan_forward(own & mask):
                found[square] = shown
    return found


def read_position(fen: str) -> chess.Board:
    """The position of a game in FEN. Positions that only rapid and blitz allow are accepted: both
    kings in check, or a pawn on the last rank (A.5.4).

    :raises ValueError: if no game can be continued from it; the message says what it must be.
    """
    try:
        board = chess.Board(fen, chess960=True)
    except ValueError:
        raise UserError("must be a position in FEN") from None
    if any(len(board.pieces(chess.KING, colour)) != 1 for colour in chess.COLORS):
        raise UserError("must be a position with one king of each colour")
    status = board.status()
    king_could_be_taken = status & chess.STATUS_OPPOSITE_CHECK and not board.is_check()
    if king_could_be_taken or status & chess.STATUS_INVALID_EP_SQUARE:
        raise UserError("must be a position that can be played on")
    return board


def read_placement(text: str) -> dict[int, str]:
    """The placement that the first field of a FEN describes.

    :raises ValueError: the text is no placement
    """
    return pieces_of(chess.BaseBoard(text))


def write_placement(pieces: Pieces) -> str:
    """The first field of a FEN."""
    board = chess.BaseBoard(None)
    for square, letter in pieces.items():
        board.set_piece_at(square, chess.Piece.from_symbol(letter))
    return board.board_fen()


def is_white(letter: str) -> bool:
    """Return whether a FEN letter is one of White's pieces."""
    return letter.isupper()


def change(board: chess.Board, move: chess.Move) -> Change:
    """Return what ``move`` changes on ``board``: two squares, three en passant, up to four in
    castling.

    The move need not be legal: hands can execute an illegal one. A null move changes nothing.
    """
    if not move:
        return {}
    letter = letter_at(board, move.from_square)
    if letter is None:
        return {}
    if letter in "Kk" and board.is_castling(move):
        return _castling_change(board, move, letter)
    changed: Change = {move.from_square: None}
    if letter in "Pp" and move.to_square == board.ep_square and board.is_en_passant(move):
        changed[captured_en_passant(move)] = None
    if move.promotion:
        named = chess.piece_symbol(move.promotion)
        letter = named.upper() if is_white(letter) else named
    changed[move.to_square] = letter
    return changed


def captured_en_passant(move: chess.Move) -> int:
    """The square of the pawn that an en passant capture takes."""
    return chess.square(chess.square_file(move.to_square), chess.square_rank(move.from_square))


def _castling_change(board: chess.Board, move: chess.Move, king: str) -> Change:
    rook_from = castling_rook(board, move)
    rank = chess.square_rank(move.from_square)
    short = rook_from > move.from_square
    changed: Change = {move.from_square: None, rook_from: None}
    changed[chess.square(6 if short else 2, rank)] = king
    changed[chess.square(5 if short else 3, rank)] = "R" if is_white(king) else "r"
    # In Chess960 a piece may stay where it is: then nothing changes on its square.
    return {at: now for at, now in changed.items() if letter_at(board, at) != now}


def castling_rook(board: chess.Board, move: chess.Move) -> int:
    """The square of the rook that castles, in either spelling of the move."""
    if board.occupied_co[board.turn] & chess.BB_SQUARES[move.to_square]:
        return move.to_square
    rank = chess.square_rank(move.from_square)
    return chess.square(7 if move.to_square > move.from_square else 0, rank)


def letter_at(board: chess.BaseBoard, square: int) -> str | None:
    """The FEN letter of what stands on ``square``."""
    kind = board.piece_type_at(square)
    if kind is None:
        return None
    letter = chess.piece_symbol(kind)
    return letter.upper() if board.occupied_co[chess.WHITE] >> square & 1 else letter


def mask(squares: Iterable[int]) -> int:
    """Different squares as the bits of one number."""
    return sum(chess.BB_SQUARES[square] for square in squares)


def laid_over(pieces: Pieces, changed: Mapping[int, str | None]) -> dict[int, str]:
    """The placement after a change."""
    after = dict(pieces)
    for square, letter in changed.items():
        if letter is None:
            after.pop(square, None)
        else:
            after[square] = letter
    return after


def difference(shown: Pieces, goal: Pieces) -> Change:
    """The change that, laid over ``goal``, gives ``shown``."""
    if shown == goal:
        return {}
    return {square: shown.get(square) for square, _ in sorted(shown.items() ^ goal.items())}


def moves_that_show(board: chess.Board, shown: Change) -> Iterator[chess.Move]:
    """The legal moves of ``board`` whose change is exactly ``shown``; nothing for no change."""
    if not any(shown.values()):
        return  # a move always puts something somewhere
    own = board.occupied_co[board.turn]
    origins = mask(shown)
    if origins & board.rooks & own:
        origins |= board.kings  # in Chess960 the king may castle without leaving his square
    if origins & own:
        for move in board.generate_legal_moves(origins & own, ~board.kings | own):
            if change(board, move) == shown:
                yield move
