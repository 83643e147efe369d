"""What stays of a game: the journal of facts, the two scoresheets, the PGN, the tape."""

from .journal import Journal, JournalError
from .rescue import Reopened, reopen
from .score import pgn, scoresheet
from .tape import Tape, TapeError

__all__ = [
    "Journal",
    "JournalError",
    "Reopened",
    "Tape",
    "TapeError",
    "pgn",
    "reopen",
    "scoresheet",
]
