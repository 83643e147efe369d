"""The record of a game: the journal of facts, the two scoresheets, the PGN, the tape."""

from .journal import Journal, JournalError, read_journal
from .score import pgn, scoresheet
from .tape import Tape, TapeError

__all__ = [
    "Journal",
    "JournalError",
    "Tape",
    "TapeError",
    "pgn",
    "read_journal",
    "scoresheet",
]
