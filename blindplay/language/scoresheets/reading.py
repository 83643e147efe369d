"""The moves that the entries of scoresheets stand for.

A sheet is evidence (D.2.9): the text stays as it was written, and the reading tells the move and
how sure that is. Nothing is repaired silently.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import Enum

import chess

from ..move_index import intended_castlings, reaches
from ..pack import GrammarSign
from . import braille
from .notation import (
    EVERY_NOTATION,
    EntryMeaning,
    Notation,
    Remark,
    has_letter,
    is_gap,
    knows,
    meanings,
)


class Certainty(Enum):
    """The certainty of the move of an entry."""

    SURE = "sure"  # one legal move fits the whole text, and nothing is odd
    LIKELY = "likely"  # one legal move fits, and something is odd: see the remarks
    AMBIGUOUS = "ambiguous"  # several legal moves fit
    ILLEGAL = "illegal"  # a move is written, and no legal move fits
    UNREADABLE = "unreadable"  # nobody writes a move like this
    MISSING = "missing"  # nothing is written, or a sign for nothing


@dataclass(frozen=True, slots=True)
class EntryReading:
    """The reading of an entry.

    ``text`` is the entry as it was written. ``moves`` holds the move (SURE, LIKELY), the moves
    that fit (AMBIGUOUS) or those that were meant (ILLEGAL, may be empty). ``remarks`` tell what is
    odd.
    """

    text: str
    certainty: Certainty
    moves: tuple[chess.Move, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def move(self) -> chess.Move | None:
        """The legal move (SURE, LIKELY), else None."""
        found = self.certainty in (Certainty.SURE, Certainty.LIKELY)
        return self.moves[0] if found else None


def read(
    text: str, board: chess.Board, notations: Collection[Notation] = EVERY_NOTATION
) -> EntryReading:
    """The move that ``text`` stands for on ``board``. Never raises for any text.

    An entry may be in the notation of any known country, in whole words of the packs' languages, in
    squares, UCI, the numeric notation of correspondence chess, or Braille (in Unicode).
    ``notations`` are those that the sheet can be in (see :func:`notation_of`). A letter that is no
    piece in them makes an entry UNREADABLE. So does one for a pawn, unless it is that in all of
    them: P is a knight elsewhere. An entry that two of them read as different legal moves is
    AMBIGUOUS. So is a promotion without its piece: it is never taken for a queen.

    The Laws leave the signs for check and mate and e.p. to the writer (C.13). They are odd only if
    they are false. The sign of a capture is also optional (C.13.3). Without it the entry is at
    most LIKELY, because one thing less vouches for the move. A pawn's capture is SURE: its file
    tells.

    >>> read("Sf3", chess.Board()).certainty, read("Sxf3", chess.Board()).remarks
    (<Certainty.SURE: 'sure'>, (<Remark.CAPTURE_FALSE: 'capture_false'>,))
    """
    if is_gap(text):
        return EntryReading(text, Certainty.MISSING)
    unreadable = EntryReading(text, Certainty.UNREADABLE)
    found = meanings(text, frozenset(notations))
    pieces = [one for one in found if Remark.PAWN_LETTER not in one.odd]
    open_ = len({notation.value[5] for notation in notations}) > 1
    if not (pieces if open_ else found):
        return unreadable
    meant = [one for one in found if one.own] or list(found)
    fits = [fit for one in meant for fit in _fits(one, board)]
    if not fits and len(meant) < len(found):
        meant = [one for one in found if not one.own]
        fits = [fit for one in meant for fit in _fits(one, board)]
    if open_ and fits and all(Remark.PAWN_LETTER in fit.odd for fit in fits):
        return unreadable
    if not fits and len({one.piece for one in meant}) > 1:
        return unreadable  # the letter may be a third piece, in a country that is not known here
    if not fits:
        found = tuple(pieces if open_ else found)
        moves = tuple(dict.fromkeys(move for one in found for move in _intended(one, board)))
        odd = {remark for one in found for remark in one.odd}
        return EntryReading(text, Certainty.ILLEGAL, moves, _in_order(odd))
    # Signs decide between meanings only if they are true of one and false of another.
    fits = [fit for fit in fits if not fit.false] or fits
    choice: dict[chess.Move, set[Remark]] = {}
    for fit in fits:
        odd = {*fit.odd, *fit.false}
        if fit.move not in choice or len(odd) < len(choice[fit.move]):
            choice[fit.move] = odd
    remarks = set.union(*choice.values())
    if len({(one.piece, one.promotion) for one in meant}) > 1:
        remarks.add(Remark.LETTER_OPEN)
    certainty = Certainty.LIKELY if remarks else Certainty.SURE
    if len(choice) > 1:
        certainty = Certainty.AMBIGUOUS
    return EntryReading(text, certainty, tuple(choice), _in_order(remarks))


def _in_order(remarks: Collection[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in Remark if remark in remarks) if remarks else ()


@dataclass(frozen=True, slots=True)
class _Fit:
    """A legal move that an entry can mean, and what would be odd and false about the entry."""

    move: chess.Move
    odd: tuple[Remark, ...]
    false: tuple[Remark, ...]


def _fits(meant: EntryMeaning, board: chess.Board) -> list[_Fit]:
    """The legal moves that one meaning of an entry fits best."""
    found = [_fit(meant, board, move) for move in _candidates(meant, board)]
    if len(found) < 2:
        return found
    true = [fit for fit in found if not fit.false] or found
    best = [fit for fit in true if fit.odd == meant.odd] or true
    # Only a sign behind the move tells which piece moves, or nothing does.
    by_sign = any(fit.false and fit.odd == meant.odd for fit in found if fit not in best)
    if by_sign or len({fit.move.from_square for fit in best}) > 1:
        best = [_Fit(f.move, (*f.odd, Remark.ORIGIN_OMITTED), f.false) for f in best]
    return best


def _candidates(meant: EntryMeaning, board: chess.Board) -> list[chess.Move]:
    """The legal moves with the piece, squares and promotion of an entry."""
    if meant.castles is not None:
        return [
            move
            for move in board.generate_castling_moves()
            if meant.castles is GrammarSign.CASTLES
            or board.is_kingside_castling(move) == (meant.castles is GrammarSign.CASTLES_SHORT)
        ]
    origins = _pieces(meant, board)
    if not origins:
        return []
    found = [
        move
        for move in board.generate_legal_moves(origins, _targets(meant, board))
        if (meant.promotion is None or move.promotion == meant.promotion)
        and not (origins & board.kings and board.is_castling(move))
    ]
    if not found and origins & board.kings and meant.promotion is None:
        found = [
            move
            for move in board.generate_castling_moves(origins)
            if meant.targets & (_castled(board, move) | chess.BB_SQUARES[move.to_square])
        ]
    return found


def _pieces(meant: EntryMeaning, board: chess.Board) -> chess.Bitboard:
    """The squares of the pieces that an entry can mean."""
    if meant.piece is None:
        return meant.origins & board.occupied_co[board.turn]
    return meant.origins & board.pieces_mask(meant.piece, board.turn)


def _targets(meant: EntryMeaning, board: chess.Board) -> chess.Bitboard:
    if meant.captured is None or meant.targets != chess.BB_ALL:
        return meant.targets
    # Only the pieces of a capture are written.
    taken = board.pieces_mask(meant.captured, not board.turn)
    if meant.captured == meant.piece == chess.PAWN and board.ep_square is not None:
        taken |= chess.BB_SQUARES[board.ep_square]
    return taken


def _castled(board: chess.Board, move: chess.Move) -> chess.Bitboard:
    """The king's square after castling."""
    file = chess.BB_FILE_G if board.is_kingside_castling(move) else chess.BB_FILE_C
    return file & chess.BB_RANKS[move.from_square >> 3]


def _fit(meant: EntryMeaning, board: chess.Board, move: chess.Move) -> _Fit:
    """Return what is odd and what is false about an entry that means ``move``."""
    odd = list(meant.odd)
    false = []
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    castles = bool(origin & board.kings) and board.is_castling(move)
    taken = None if castles else board.piece_type_at(move.to_square)
    en_passant = False
    if castles:
        if meant.piece is not None:
            odd.append(Remark.CASTLING_AS_KING_MOVE)
    elif origin & board.pawns:
        if (move.from_square ^ move.to_square) & 7:
            en_passant = taken is None
            taken = taken or chess.PAWN
            if meant.origins in _WITHOUT_FILE:
                odd.append(Remark.ORIGIN_OMITTED)
                if not meant.captures:
                    odd.append(Remark.CAPTURE_UNMARKED)
        elif meant.partial:
            odd.append(Remark.ORIGIN_UNNEEDED)
    else:
        if taken and not meant.captures and meant.piece is not None:
            odd.append(Remark.CAPTURE_UNMARKED)
        if meant.partial:
            others = board.pieces_mask(meant.piece or chess.KING, board.turn) & ~origin
            if not any(board.generate_legal_moves(others, target)):
                odd.append(Remark.ORIGIN_UNNEEDED)
    if meant.captures and taken is None:
        false.append(Remark.CAPTURE_FALSE)
    if meant.captured not in (None, taken):
        false.append(Remark.CAPTURED_OTHER)
    if meant.en_passant and not en_passant:
        false.append(Remark.EN_PASSANT_FALSE)
    if move.promotion != meant.promotion:
        odd.append(Remark.PROMOTION_MISSING)  # no sign may choose between the pieces
    elif meant.check and not _is_so(meant.check, board, move):
        false.append(Remark.CHECK_FALSE)
    return _Fit(move, tuple(odd), tuple(false))


_WITHOUT_FILE = frozenset({chess.BB_ALL, *chess.BB_RANKS})


def _is_so(check: str, board: chess.Board, move: chess.Move) -> bool:
    """True if ``move`` gives check (+), double check or mate (++), or mate (#)."""
    after = board.copy(stack=False)
    after.push(move)
    if not after.is_check():
        return False
    if check == "+" or (check == "++" and chess.popcount(after.checkers_mask()) > 1):
        return True
    return after.is_checkmate()


def _intended(meant: EntryMeaning, board: chess.Board) -> list[chess.Move]:
    """The moves that were meant by an entry that no legal move fits, if they can be told.

    They are the moves that only leave the king in check; else those that the piece could make on
    an empty board; else the two squares that are written.
    """
    if meant.castles is not None:
        return list(intended_castlings(board, meant.castles))
    origins, targets = _pieces(meant, board), _targets(meant, board)
    found = [
        move
        for move in board.generate_pseudo_legal_moves(origins, targets)
        if meant.promotion in (None, move.promotion) and not board.is_castling(move)
    ]
    if found or chess.popcount(targets) != 1:
        return found
    to = chess.msb(targets)
    found = [
        chess.Move(square, to, meant.promotion)
        for square in chess.scan_forward(origins)
        if reaches(board, square, to)
    ]
    if not found and chess.popcount(meant.origins) == 1 and meant.origins != targets:
        found = [chess.Move(chess.msb(meant.origins), to, meant.promotion)]
    return found


def read_in(letters: str, text: str, board: chess.Board) -> EntryReading:
    """The move that ``text`` stands for, if possible with these ``letters`` of the pieces, from
    king to knight; else with those of any country."""
    notations = [notation for notation in EVERY_NOTATION if notation.value.startswith(letters)]
    found = read(text, board, notations)
    return read(text, board) if found.certainty is Certainty.UNREADABLE else found


def notation_of(texts: Iterable[str]) -> tuple[Notation, ...]:
    """The notations that the entries of a sheet can be in, by the letters of their pieces.

    There is one if the letters decide, several if they do not, and all if there are no letters.
    One foreign letter among many does not decide. If no notation knows three quarters of the
    entries with letters, the sheet is in those of a country that is not known here: only what needs
    none of them, such as a pawn's move, can be read.

    >>> notation_of(["e4", "e5", "Lc4", "Dh5"]), notation_of(["e4", "e5", "Rf3", "Lc5"])
    ((<Notation.GERMAN: 'KDTLSB'>,), (<Notation.FIGURINE: '♔♕♖♗♘♙'>,))
    """
    entries = list(texts)
    votes = dict.fromkeys(Notation, 0)
    votes.pop(Notation.FIGURINE)
    if not any(map(braille.is_braille, entries)):
        votes.pop(Notation.BRITISH_BRAILLE)
    lettered = 0
    for text in entries:
        knowing = [notation for notation in votes if knows(notation, text)]
        if len(knowing) == len(votes) or not (knowing or has_letter(text)):
            continue
        lettered += 1
        for notation in knowing:
            votes[notation] += 1
    most = max(votes.values())
    if most < _LEAST_KNOWN * lettered:
        return (Notation.FIGURINE,)
    return tuple(notation for notation in votes if votes[notation] == most)


_LEAST_KNOWN = 0.75
"""Share of the entries with letters that a sheet's notation knows."""
