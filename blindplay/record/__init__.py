"""What stays of a game: the journal of facts, the two scoresheets, the PGN."""

from .journal import Journal, JournalError
from .score import pgn, scoresheet

__all__ = ["Journal", "JournalError", "pgn", "scoresheet"]
