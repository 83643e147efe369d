"""What an entry of a scoresheet says, before any board is looked at."""

from __future__ import annotations

from enum import Enum


class Notation(Enum):
    """The letters of the pieces, from king to pawn; no pawn's letter belongs on a sheet (C.3)."""

    GERMAN = "KDTLSB"
    """German, Norwegian, Swedish and Danish."""
    ENGLISH = "KQRBNP"
    FRENCH = "RDTFCP"
    BRITISH_BRAILLE = "KQRLSP"
    """None of the first five is a file's letter, so that no capital sign is needed."""


class Remark(Enum):
    """What is odd about an entry, and yet leaves a move that it can stand for."""

    CAPTURE_UNMARKED = "capture_unmarked"
    """A piece captures and no sign says so."""
    CAPTURE_FALSE = "capture_false"
    """A capture is written and nothing is captured."""
    CAPTURED_OTHER = "captured_other"
    """Another piece is written as captured."""
    CHECK_FALSE = "check_false"
    """Check, double check or mate is written and is not so."""
    EN_PASSANT_FALSE = "en_passant_false"
    """``e.p.`` is written and the move is none."""
    ORIGIN_OMITTED = "origin_omitted"
    """Several pieces, or a pawn that captures, and it is not written which."""
    ORIGIN_UNNEEDED = "origin_unneeded"
    """A file or rank tells two pieces apart of which only one can go there."""
    RANK_OMITTED = "rank_omitted"
    """``ed``: only the files of a pawn's capture are written."""
    SQUARE_OMITTED = "square_omitted"
    """``LxS``: only the pieces of a capture are written."""
    SIDE_OMITTED = "side_omitted"
    """Castling, and it is not written to which side."""
    PROMOTION_MISSING = "promotion_missing"
    """It is not written what the pawn becomes."""
    PAWN_LETTER = "pawn_letter"
    """A letter is written for the pawn."""
    CAPITAL_SQUARE = "capital_square"
    """``E4``: the square is written in capitals."""
    SMALL_LETTER = "small_letter"
    """``sf3``: the piece is written in small letters."""
    FOREIGN_LETTER = "foreign_letter"
    """The letter is of another country than the sheet."""
    LETTER_OPEN = "letter_open"
    """The letter is two pieces in two countries, and it is not known which country's it is."""
    CASTLING_AS_KING_MOVE = "castling_as_king_move"
    """``Kg1`` for castling."""
    CORRECTED = "corrected"
    """Something else was written before it and taken back."""
