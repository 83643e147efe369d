"""The moves that the entries of scoresheets stand for.

A sheet is evidence (D.2.9): the text stays as it was written, and the reading tells the move and
how sure that is. Nothing is repaired silently.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

import chess

from ..move_index import intended_castlings, reaches
from ..pack import GrammarSign
from .letters import (
    ANY_LETTERS,
    FIGURINES,
    PAWN_BY_LETTER,
    PIECES,
    Letters,
    SheetLetters,
    is_pawn,
)
from .notation import EntryMeaning, Remark, is_gap, letters_of, meanings


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
    that fit (AMBIGUOUS) or those that were meant (ILLEGAL, may be empty). ``letters`` tells for
    each move that fits what the letters of the entry stand for. ``remarks`` tell what is odd.
    """

    text: str
    certainty: Certainty
    moves: tuple[chess.Move, ...] = ()
    remarks: tuple[Remark, ...] = ()
    letters: tuple[Letters, ...] = ()

    @property
    def move(self) -> chess.Move | None:
        """The legal move (SURE, LIKELY), else None."""
        found = self.certainty in (Certainty.SURE, Certainty.LIKELY)
        return self.moves[0] if found else None


class Allowed(Enum):
    """The pieces that a letter may stand for."""

    LIKELY = "likely"  # the likeliest ones on its sheet
    NEW = "new"  # any, if it has not stood for another piece yet
    ANY = "any"  # any


def read(
    text: str,
    board: chess.Board,
    sheet: SheetLetters = ANY_LETTERS,
    known: Letters = frozenset(),
    letters: Allowed = Allowed.LIKELY,
) -> EntryReading:
    """The move that ``text`` stands for on ``board``. Never raises for any text.

    An entry may be in the notation of any country, in whole words of the packs' languages, in
    squares, UCI, the numeric notation of correspondence chess, or Braille (in Unicode). ``sheet``
    tells what letters can mean there (see :func:`.letters_of`), ``known`` what they have meant so
    far. A letter that can be several pieces makes the entry AMBIGUOUS if each has a legal move. If
    only an unlikely piece has one, the entry is UNREADABLE, unless ``letters`` allows it. A
    promotion without its piece is AMBIGUOUS: it is never taken for a queen.

    The Laws leave the signs for check and mate and e.p. to the writer (C.13). They are odd only if
    they are false. The sign of a capture is also optional (C.13.3). Without it the entry is at
    most LIKELY, because one thing less vouches for the move. A pawn's capture is SURE: its file
    tells.

    One entry alone does not tell in which language its letter stands.

    >>> read("Sf3", chess.Board()).certainty, read("e4", chess.Board()).certainty
    (<Certainty.LIKELY: 'likely'>, <Certainty.SURE: 'sure'>)
    """
    if is_gap(text):
        return EntryReading(text, Certainty.MISSING)
    found = meanings(text)
    if not found:
        return EntryReading(text, Certainty.UNREADABLE)
    meant: tuple[EntryMeaning, ...] = ()
    fits: list[_Fit] = []
    for own in (True, False):
        if not fits and any(one.own is own for one in found):
            meant = tuple(one for one in found if one.own is own)
            fits = [fit for one in meant for fit in _fits(one, board, sheet, known)]
    if letters is Allowed.LIKELY:
        likely = [fit for fit in fits if _is_likely(fit, sheet, known)]
    else:
        likely = [fit for fit in fits if letters is Allowed.ANY or not fit.again]
    if not likely:
        return _without_move(text, board, sheet, known, meant, bool(fits))
    # Signs decide between meanings only if they are true of one and false of another.
    likely = [fit for fit in likely if not fit.false] or likely
    choice: dict[chess.Move, _Fit] = {}
    for fit in likely:
        kept = choice.get(fit.move)
        if kept is None or len(fit.odd) + len(fit.false) < len(kept.odd) + len(kept.false):
            choice[fit.move] = fit
    remarks = {remark for fit in choice.values() for remark in (*fit.odd, *fit.false)}
    if any(_open(one, sheet, known) for one in meant):
        remarks.add(Remark.LETTER_OPEN)
    certainty = Certainty.LIKELY if remarks else Certainty.SURE
    if len(choice) > 1:
        certainty = Certainty.AMBIGUOUS
    stand_for = tuple(fit.letters for fit in choice.values())
    return EntryReading(text, certainty, tuple(choice), _in_order(remarks), stand_for)


_CONTRADICTION = 3


def _open(meant: EntryMeaning, sheet: SheetLetters, known: Letters) -> bool:
    """True if a letter of an entry may stand for another piece on this sheet."""
    settled = {letter for letter, _ in known}
    return any(
        letter not in settled and letter not in FIGURINES and len(sheet.pieces(letter, known)) > 1
        for letter in meant.letters
    )


def _without_move(
    text: str,
    board: chess.Board,
    sheet: SheetLetters,
    known: Letters,
    meant: tuple[EntryMeaning, ...],
    unlikely: bool,
) -> EntryReading:
    """The reading of an entry that no likely move fits. ``unlikely``: its letter may be somebody
    else's, who means a legal move."""
    if unlikely and any(_open(one, sheet, known) for one in meant):
        return EntryReading(text, Certainty.UNREADABLE)
    named = tuple(one for each in meant for one in _named(each, sheet, known))
    moves = tuple(dict.fromkeys(move for one in named for move in _intended(one, board)))
    odd = {remark for one in named for remark in one.odd}
    return EntryReading(text, Certainty.ILLEGAL, moves, _in_order(odd))


def _named(meant: EntryMeaning, sheet: SheetLetters, known: Letters) -> Iterator[EntryMeaning]:
    """A meaning with the pieces that its letters can stand for."""

    def pieces(letter: str) -> Iterable[chess.PieceType | None]:
        if letter in FIGURINES:
            return [PIECES[FIGURINES.index(letter)] if letter else None]
        settled = [piece for of, piece in known if of == letter]
        return [piece or chess.PAWN for piece in settled or sheet.pieces(letter, known)]

    for piece in pieces(meant.letter):
        for promotion in pieces(meant.promotion_letter):
            yield replace(meant, piece=piece or meant.piece, promotion=promotion or meant.promotion)


def impossible(text: str, sheet: SheetLetters, known: Letters) -> frozenset[object]:
    """The parts that an entry names which no legal move fits. Two such entries that have something
    in common say the same, in whatever letters."""
    return frozenset(
        (one.piece, one.origins, one.targets, one.promotion, one.castles)
        for meant in meanings(text)
        if meant.own
        for one in _named(meant, sheet, known)
    )


def _in_order(remarks: Collection[Remark]) -> tuple[Remark, ...]:
    return tuple(remark for remark in Remark if remark in remarks) if remarks else ()


@dataclass(frozen=True, slots=True)
class _Fit:
    """A legal move that an entry can mean, what would be odd and false about the entry, what its
    letters stand for then, and the weight that this adds."""

    move: chess.Move
    odd: tuple[Remark, ...]
    false: tuple[Remark, ...]
    letters: Letters = frozenset()
    weight: int = 0
    again: bool = False  # a letter has stood for another piece so far


def _is_likely(fit: _Fit, sheet: SheetLetters, known: Letters) -> bool:
    """True if each letter stands for a piece that is as likely as any for it."""
    return fit.weight == 0 or all(
        piece in sheet.pieces(letter, known) for letter, piece in fit.letters - known
    )


def _fits(
    meant: EntryMeaning, board: chess.Board, sheet: SheetLetters, known: Letters
) -> list[_Fit]:
    """The legal moves that one meaning of an entry fits best, for each piece that it can name."""
    fits: dict[tuple[chess.PieceType | None, chess.PieceType | None], list[_Fit]] = {}
    for move in _candidates(meant, board):
        if (fit := _fit(meant, board, move, sheet, known)) is not None:
            kind = board.piece_type_at(move.from_square) if meant.letter else meant.piece
            becomes = move.promotion if meant.promotion_letter else meant.promotion
            fits.setdefault((kind, becomes), []).append(fit)
    return [fit for found in fits.values() for fit in _best(found, meant)]


def _best(found: list[_Fit], meant: EntryMeaning) -> list[_Fit]:
    """The moves of one kind of piece that an entry fits best."""
    if len(found) < 2:
        return found
    usual = {*meant.odd, Remark.PAWN_LETTER}
    true = [fit for fit in found if not fit.false] or found
    best = [fit for fit in true if usual.issuperset(fit.odd)] or true
    # Only a sign behind the move tells which piece moves, or nothing does.
    by_sign = any(fit.false and usual.issuperset(fit.odd) for fit in found if fit not in best)
    if by_sign or len({fit.move.from_square for fit in best}) > 1:
        best = [replace(fit, odd=(*fit.odd, Remark.ORIGIN_OMITTED)) for fit in best]
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
    promotes = meant.promotion is not None or bool(meant.promotion_letter)
    found = [
        move
        for move in board.generate_legal_moves(origins, _targets(meant, board))
        if (meant.promotion is None or move.promotion == meant.promotion)
        and (move.promotion is not None or not meant.promotion_letter)
        and not (chess.BB_SQUARES[move.from_square] & board.kings and board.is_castling(move))
    ]
    kings = origins & board.kings
    if kings and not promotes and not any(chess.BB_SQUARES[m.from_square] & kings for m in found):
        found += [
            move
            for move in board.generate_castling_moves(kings)
            if meant.targets & (_castled(board, move) | chess.BB_SQUARES[move.to_square])
        ]
    return found


def _pieces(meant: EntryMeaning, board: chess.Board) -> chess.Bitboard:
    """The squares of the pieces that an entry can mean."""
    if meant.piece is None:
        return meant.origins & board.occupied_co[board.turn]
    return meant.origins & board.pieces_mask(meant.piece, board.turn)


def _targets(meant: EntryMeaning, board: chess.Board) -> chess.Bitboard:
    if meant.targets != chess.BB_ALL or not (meant.captured or meant.captured_letter):
        return meant.targets
    # Only the pieces of a capture are written.
    if meant.captured is None:
        taken = board.occupied_co[not board.turn]
        if board.ep_square is not None:
            taken |= chess.BB_SQUARES[board.ep_square]
        return taken
    taken = board.pieces_mask(meant.captured, not board.turn)
    if meant.captured == meant.piece == chess.PAWN and board.ep_square is not None:
        taken |= chess.BB_SQUARES[board.ep_square]
    return taken


def _castled(board: chess.Board, move: chess.Move) -> chess.Bitboard:
    """The king's square after castling."""
    file = chess.BB_FILE_G if board.is_kingside_castling(move) else chess.BB_FILE_C
    return file & chess.BB_RANKS[move.from_square >> 3]


def _fit(
    meant: EntryMeaning,
    board: chess.Board,
    move: chess.Move,
    sheet: SheetLetters,
    known: Letters,
) -> _Fit | None:
    """Return what is odd and what is false about an entry that means ``move``; None if one of its
    letters cannot stand for a piece of it."""
    odd = list(meant.odd)
    false = []
    origin, target = chess.BB_SQUARES[move.from_square], chess.BB_SQUARES[move.to_square]
    castles = bool(origin & board.kings) and board.is_castling(move)
    taken = None if castles else board.piece_type_at(move.to_square)
    en_passant = False
    if castles:
        if meant.letter or meant.piece is not None:
            odd.append(Remark.CASTLING_AS_KING_MOVE)
    elif origin & board.pawns:
        if meant.letter and meant.letter not in FIGURINES:
            odd.append(Remark.PAWN_LETTER)
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
        if taken and not meant.captures and (meant.letter or meant.piece is not None):
            odd.append(Remark.CAPTURE_UNMARKED)
        if meant.partial:
            kind = board.piece_type_at(move.from_square) or chess.KING
            others = board.pieces_mask(kind, board.turn) & ~origin
            if not any(board.generate_legal_moves(others, target)):
                odd.append(Remark.ORIGIN_UNNEEDED)
    if meant.captures and taken is None:
        false.append(Remark.CAPTURE_FALSE)
    if meant.captured not in (None, taken):
        false.append(Remark.CAPTURED_OTHER)
    if meant.en_passant and not en_passant:
        false.append(Remark.EN_PASSANT_FALSE)
    if move.promotion and not (meant.promotion or meant.promotion_letter):
        odd.append(Remark.PROMOTION_MISSING)  # no sign may choose between the pieces
    elif meant.check and not _is_so(meant.check, board, move):
        false.append(Remark.CHECK_FALSE)
    letters, weight, again = known, 0, False
    for letter, piece in (
        (meant.letter, _moving(board, move)),
        (meant.promotion_letter, move.promotion),
        (meant.captured_letter, taken),
    ):
        if not letter:
            continue
        added = _added(letter, piece, sheet, letters)
        if letter == meant.captured_letter and (added is None or added >= _CONTRADICTION):
            if meant.targets & (meant.targets - 1):
                return None  # only the pieces of the capture are written
            false.append(Remark.CAPTURED_OTHER)
            continue
        if added is None or piece is None:
            return None
        weight += added
        again = again or (added > 0 and any(of == letter for of, _ in letters))
        if letter not in FIGURINES:
            letters = letters | {(letter, piece)}
            if piece == chess.PAWN:
                odd.append(Remark.PAWN_LETTER)
    return _Fit(move, tuple(odd), tuple(false), letters, weight, again)


def _added(
    letter: str, piece: chess.PieceType | None, sheet: SheetLetters, letters: Letters
) -> int | None:
    """The weight that it adds if ``letter`` stands for ``piece``; None if it cannot."""
    if piece is None or (piece == PAWN_BY_LETTER and not is_pawn(letter)):
        return None
    if letter in FIGURINES:
        return 0 if PIECES[FIGURINES.index(letter)] == (piece or chess.PAWN) else None
    return 0 if (letter, piece) in letters else sheet.adds((letter, piece), letters)


def _moving(board: chess.Board, move: chess.Move) -> chess.PieceType:
    """The piece that a letter stands for which begins the entry of ``move``."""
    piece = board.piece_type_at(move.from_square)
    return PAWN_BY_LETTER if piece in (None, chess.PAWN) else piece


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


def learned(
    sheet: SheetLetters,
    played: Iterable[tuple[str, chess.Board, chess.Move]],
    known: Letters = frozenset(),
) -> Letters:
    """What the letters of a sheet stand for if the game is known: each entry with the position
    before it and the move that was played. ``known`` is what earlier entries have told."""
    for text, board, move in played:
        found = read(text, board, sheet, known, Allowed.ANY)
        if found.certainty is not Certainty.ILLEGAL and move in found.moves:
            letters = found.letters[found.moves.index(move)]
            if sheet.weight(letters) - sheet.weight(known) < _CONTRADICTION:
                known = letters
    return known


__all__ = [
    "Allowed",
    "Certainty",
    "EntryReading",
    "Remark",
    "impossible",
    "learned",
    "letters_of",
    "read",
]
