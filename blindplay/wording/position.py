"""Moves, slips of the hand, clocks and positions in words.

Questions about the position are answered only in training. The Laws forbid them during a game
(D.2.10.4, 11.3.1).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import chess

from blindplay.language import About, Command, Language
from blindplay.laws import Game
from blindplay.laws.deviation import UNKNOWN, Slip, SlipKind
from blindplay.laws.rulings import Answer
from blindplay.laws.state import OTHER

_KINDS = tuple(reversed(chess.PIECE_TYPES))  # kings before pawns
_PAWN = chess.Piece(chess.PAWN, chess.WHITE)


def hint_in_words(
    pack: Language, game: Game, side: str, move: chess.Move | None, *, given: bool
) -> str:
    """The good ``move`` that ``side`` asked for, or the reason why there is none. ``given``:
    there are hints in this game."""
    if not given:
        return pack.sentence("hint_refused")
    if game.over or side != game.side:
        return pack.sentence("refused_game_over" if game.over else "refused_not_on_move")
    if move is None or not game.board.is_legal(move):
        return pack.sentence("hint_later")
    return pack.sentence("hint_is", move=pack.announce(game.board, move))


def time_in_words(pack: Language, answer: Answer, command: Command) -> str:
    """One of the two times of an answer about both: CLOCK_MINE or CLOCK_OPPONENT."""
    side = answer.to.removeprefix("assistant:")
    whose = side if command is Command.CLOCK_MINE else OTHER[side]
    left = answer.white if whose == "white" else answer.black
    return pack.sentence(command.value, time=pack.duration(round((left or 0) * 1000)))


def look(pack: Language, game: Game, by: str, command: Command, about: About) -> str:
    """The answer to ``command``, one of :data:`~blindplay.language.QUESTIONS`, in words. ``by`` is
    the side of the player who asks."""
    board = game.position
    if command is Command.KING:
        kings = tuple(board.pieces(chess.KING, by == "white"))
        return _square(pack, board, kings)
    if command is Command.LEGAL_MOVES_HERE:
        touched = tuple(game.turn.touched[:1]) or about.squares
        if not touched:
            return pack.sentence("legal_moves_which")
        command, about = Command.LEGAL_MOVES, About(squares=touched)
    if command is Command.CAPTURED:
        return captured_in_words(pack, taken(game))
    if command is Command.CHECK:
        key = "check_own" if board.turn == (by == "white") else "check_other"
        return pack.sentence(key if board.is_check() else "check_none")
    return look_at(pack, board, command, about)


def look_at(pack: Language, board: chess.Board, command: Command, about: About) -> str:
    """The answer to a question about a position alone, one of :data:`ABOUT_POSITION`, in words."""
    if command is Command.POSITION or (command is Command.PIECES and about == About()):
        return whole_position(pack, board)
    if command is Command.PIECES:
        colors = chess.COLORS if about.color is None else (about.color,)
        return " ".join(_pieces(pack, board, about.piece, color) for color in colors)
    if command is Command.MATERIAL:
        return _material(pack, board)
    if command is Command.PAWNS:
        return _pawns_by_file(pack, board)
    return _ABOUT_SQUARES[command](pack, board, about.squares)


_Squares = Sequence[chess.Square]


def _square(pack: Language, board: chess.Board, squares: _Squares) -> str:
    name, piece = pack.square(squares[0]), board.piece_at(squares[0])
    if piece is None:
        return pack.sentence("square_empty", square=name)
    return pack.sentence("square_holds", square=name, piece=pack.piece(piece))


def _attackers(pack: Language, board: chess.Board, squares: _Squares) -> str:
    white, black = (board.attackers(color, squares[0]) for color in chess.COLORS)
    what = pack.sentence("attackers_of", square=pack.square(squares[0]))
    return _listed(pack, what, "listed_none", _standing(pack, board, white | black))


def _file(pack: Language, board: chess.Board, squares: _Squares) -> str:
    what = pack.sentence("file_named", file=pack.file(chess.square_file(squares[0])))
    return _listed(pack, what, "listed_empty", _standing(pack, board, squares))


def _rank(pack: Language, board: chess.Board, squares: _Squares) -> str:
    what = pack.sentence("rank_named", rank=pack.rank(chess.square_rank(squares[0])))
    return _listed(pack, what, "listed_empty", _standing(pack, board, squares))


def _diagonals(pack: Language, board: chess.Board, squares: _Squares) -> str:
    """Both diagonals through a square, from White's side upwards."""
    file, rank = chess.square_file(squares[0]), chess.square_rank(squares[0])
    told = []
    for step in (1, -1):
        line = [
            chess.square(file + step * by, rank + by)
            for by in range(-7, 8)
            if 0 <= rank + by < 8 and 0 <= file + step * by < 8
        ]
        if len(line) > 1:
            first, last = pack.square(line[0]), pack.square(line[-1])
            what = pack.sentence("diagonal_named", first=first, last=last)
            told.append(_listed(pack, what, "listed_empty", _standing(pack, board, line)))
    return " ".join(told)


def _legal_moves(pack: Language, board: chess.Board, squares: _Squares) -> str:
    """The legal moves of the piece on a square, as if its side were to move. It may then give
    check, but nobody captures a king."""
    piece = board.piece_at(squares[0])
    if piece is None:
        return _square(pack, board, squares)
    if piece.color != board.turn:
        board = board.copy(stack=False)
        board.turn, board.ep_square = piece.color, None
    elsewhere = ~board.kings
    moves = board.generate_legal_moves(chess.BB_SQUARES[squares[0]], elsewhere)
    ordered = sorted(moves, key=lambda move: (move.to_square & 7, move.to_square))
    told = dict.fromkeys(pack.destination(board, move) for move in ordered)
    name = pack.square(squares[0])
    what = pack.sentence("legal_moves_of", piece=pack.piece(piece), square=name)
    return _listed(pack, what, "listed_none", list(told))


_ABOUT_SQUARES: Mapping[Command, Callable[[Language, chess.Board, _Squares], str]] = {
    Command.SQUARE: _square,
    Command.ATTACKERS: _attackers,
    Command.FILE: _file,
    Command.RANK: _rank,
    Command.DIAGONALS: _diagonals,
    Command.LEGAL_MOVES: _legal_moves,
}


ABOUT_POSITION = frozenset(
    (*_ABOUT_SQUARES, Command.POSITION, Command.PIECES, Command.MATERIAL, Command.PAWNS)
)
"""The questions that need no game and no player, only a position."""


def whole_position(pack: Language, board: chess.Board) -> str:
    """Every piece with its square, grouped for the ear: White first, a sentence for each kind."""
    return " ".join(
        pack.sentence(
            "side_has",
            player=pack.sentence("white" if color else "black"),
            pieces=". ".join(_groups(pack, board, color)),
        )
        for color in chess.COLORS
        if board.occupied_co[color]
    )


def _groups(pack: Language, board: chess.Board, color: chess.Color) -> Iterator[str]:
    for kind in _KINDS:
        ordered = sorted(board.pieces(kind, color), key=lambda square: (square & 7, square))
        squares = [pack.square(square) for square in ordered]
        if squares:
            name = pack.piece_alone(kind) if len(squares) == 1 else pack.pieces(kind)
            yield f"{name[0].upper()}{name[1:]} {', '.join(squares)}"


def _pawns_by_file(pack: Language, board: chess.Board) -> str:
    """The pawns of each file that has some, from White's side upwards."""
    told = []
    for file, squares in enumerate(chess.BB_FILES):
        pawns = [
            f"{pack.piece(board.piece_at(square) or _PAWN)} {pack.rank(chess.square_rank(square))}"
            for square in chess.SquareSet(squares & board.pawns)
        ]
        if pawns:
            what = pack.sentence("file_named", file=pack.file(file))
            told.append(_listed(pack, what, "listed_none", pawns))
    return " ".join(told) or pack.sentence("listed_none", what=pack.pieces(chess.PAWN).capitalize())


def taken(game: Game) -> list[chess.Piece]:
    """The captured pieces, in the order of the captures."""
    moves = [(ply.before, ply.move) for ply in game.history]
    if game.turn.made is not None:
        moves.append((game.board, game.turn.made))
    return captured_by(moves)


def in_order(
    start: chess.Board, moves: Iterable[chess.Move]
) -> list[tuple[chess.Board, chess.Move]]:
    """Each of these moves with the position before it."""
    board, found = start.copy(stack=False), list[tuple[chess.Board, chess.Move]]()
    for move in moves:
        found.append((board.copy(stack=False), move))
        board.push(move)
    return found


def captured_by(moves: Iterable[tuple[chess.Board, chess.Move]]) -> list[chess.Piece]:
    """The pieces that these moves capture, each with the position before it."""
    found = []
    for before, move in moves:
        there = before.piece_at(move.to_square)
        if there is not None and there.color != before.turn:
            found.append(there)
        elif before.is_en_passant(move):
            found.append(chess.Piece(chess.PAWN, not before.turn))
    return found


def _pieces(
    pack: Language, board: chess.Board, kind: chess.PieceType | None, color: chess.Color
) -> str:
    if kind is None:
        told = _standing(pack, board, _of(board, color))
    else:
        told = [pack.square(square) for square in board.pieces(kind, color)]
    what = pack.pieces(kind, color)
    return _listed(pack, what[0].upper() + what[1:], "listed_none", told)


def _of(board: chess.Board, color: chess.Color) -> list[chess.Square]:
    return [square for kind in _KINDS for square in board.pieces(kind, color)]


def captured_in_words(pack: Language, pieces: list[chess.Piece]) -> str:
    if not pieces:
        return pack.sentence("captured_none")
    told = ", ".join(_counted(pack, pieces.count, color) for color in chess.COLORS).strip(", ")
    return pack.sentence("captured", pieces=told)


def _counted(pack: Language, count: Callable[[chess.Piece], int], color: chess.Color) -> str:
    """So many pieces of a colour, each kind with its number if there are several."""
    told = []
    for kind in _KINDS:
        piece = chess.Piece(kind, color)
        if (number := count(piece)) == 1:
            told.append(pack.piece(piece))
        elif number > 1:
            told.append(f"{pack.number(number)} {pack.pieces(kind, color)}")
    return ", ".join(told)


def _material(pack: Language, board: chess.Board) -> str:
    """What each side has more than the other."""

    def more(piece: chess.Piece) -> int:
        colors = (piece.color, not piece.color)
        own, other = (len(board.pieces(piece.piece_type, color)) for color in colors)
        return own - other

    told = [
        pack.sentence(
            "material_more", player=pack.sentence("white" if color else "black"), pieces=pieces
        )
        for color in chess.COLORS
        if (pieces := _counted(pack, more, color))
    ]
    return " ".join(told) or pack.sentence("material_equal")


def moves_in_words(pack: Language, game: Game) -> Iterator[tuple[int, str]]:
    """The numbers of the moves that were played, each with both plies in words."""
    assert game.setup is not None
    edition, first = game.setup.edition, game.start_board
    lines: dict[int, list[str]] = {}
    for place, ply in enumerate(game.history, first.turn == chess.BLACK):
        words = move_in_words(ply.before, ply.move, pack, edition)
        lines.setdefault(first.fullmove_number + place // 2, []).append(words)
    for number, moves in lines.items():
        named = pack.number(number)
        yield number, f"{named[:1].upper()}{named[1:]}: {', '.join(moves)}."


def _standing(pack: Language, board: chess.Board, squares: Iterable[chess.Square]) -> list[str]:
    return [
        f"{pack.piece(piece)} {pack.square(square)}"
        for square in squares
        if (piece := board.piece_at(square)) is not None
    ]


def _listed(pack: Language, what: str, empty: str, told: list[str]) -> str:
    return pack.sentence("listed" if told else empty, what=what, pieces=", ".join(told))


def move_in_words(
    board: chess.Board, move: chess.Move, pack: Language, edition: str, check: bool = False
) -> str:
    """The announcement of a move, with check if wanted; the two squares of an illegal one."""
    if board.is_legal(move):
        return pack.announce(board, move, edition=edition, check=check)
    return f"{pack.square(move.from_square)} {pack.square(move.to_square)}"


def ply_in_words(ply: int, first: str, pack: Language, before: int = 0) -> dict[str, str]:
    """The values ``number`` and ``player`` of a ply, for sentences.

    ``first`` is the side that made the first ply. ``before`` is the number of moves on the
    scoresheets before it.
    """
    index = ply if first == "white" else ply + 1
    return {
        "number": pack.number((index + 1) // 2 + before),
        "player": pack.sentence("white" if index % 2 else "black"),
    }


def diagnosis(
    explanations: Sequence[Sequence[Slip]], board: str, first: str, pack: Language, before: int = 0
) -> str:
    """Return the slips of hands on ``board``, a sentence for each; empty without slips.

    ``first`` and ``before`` are as in :func:`ply_in_words`.
    """
    told = [
        " ".join(_slip_in_words(slip, first, pack, before) for slip in slips)
        for slips in explanations
        if slips
    ]
    if not told:
        return ""
    alternative = f" {pack.sentence('slip_or')} "
    intro = pack.sentence("slip_board", player=pack.sentence(board))
    return f"{intro} {alternative.join(told)}"


def _slip_in_words(slip: Slip, first: str, pack: Language, before: int) -> str:
    values = {}
    for name, letter in (("piece", slip.piece), ("other", slip.other)):
        known = letter not in (None, UNKNOWN)
        values[name] = pack.piece(chess.Piece.from_symbol(str(letter))) if known else ""
    for name, square in (("square", slip.square), ("to", slip.to)):
        values[name] = "" if square is None else pack.square(square)
    if slip.move is not None:
        values["origin"] = pack.square(slip.move.from_square)
        values["right"] = pack.square(slip.move.to_square)
    for name, move in (("promoted", slip.executed), ("wanted", slip.move)):
        if move is not None and move.promotion:
            white = chess.square_rank(move.to_square) == 7
            values[name] = pack.piece(chess.Piece(move.promotion, white))
    if slip.ply is not None:
        values |= ply_in_words(slip.ply, first, pack, before)
    return pack.sentence(_sentence_of(slip, named=bool(values["piece"])), **values)


def _sentence_of(slip: Slip, *, named: bool) -> str:
    """The key of the sentence for a slip. ``named``: its piece is known."""
    if slip.what is SlipKind.OTHER_PIECE:
        return "slip_other_move"
    if slip.what is SlipKind.DISPLACED and slip.other is not None:
        return "slip_displaced_onto"
    if slip.what is SlipKind.EXTRA and not named:
        return "slip_extra_unknown"
    return f"slip_{slip.what.value}"
