"""The games that are kept on this machine: their players, date, length and result."""

import contextlib
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from blindplay.laws.game import Game
from blindplay.wording.pack_words import PackWords

from . import storage
from .files import SUFFIX
from .journal import is_journal, is_running
from .replay import read_from_journal, replay


@dataclass(frozen=True)
class KeptGame:
    """A game as its journal holds it; the names are empty if they are unknown."""

    journal: Path
    white: str = ""
    black: str = ""
    date: str = ""
    """YYYY-MM-DD; empty if not known."""
    moves: int = 0
    """The moves that White has completed, or Black has if they are more."""
    begun: bool = False
    """White's clock was started."""
    result: str = ""
    """Empty if the game is not over."""
    running: bool = False
    """A table is playing it now."""
    trouble: str = ""
    """One sentence about a fault of the journal; the rest comes from its undamaged part."""

    @property
    def unfinished(self) -> bool:
        """True if the game can be continued."""
        return self.begun and not self.result


def journals() -> list[Path]:
    """The journals in the folder of tables, the last written one first."""
    found = []
    for path in storage.tables_folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if ".damaged-" not in path.name and is_journal(path):
                found.append((path.stat().st_mtime_ns, path.name, path))
    return [path for _, _, path in sorted(found, reverse=True)]


def kept_game(journal: Path) -> KeptGame:
    """The game in one journal. No content of the file raises an error."""
    game, trouble = Game(PackWords()), ""
    try:
        deque(replay(read_from_journal(journal), game=game), maxlen=0)
    except ValueError as error:
        trouble = str(error)
    running = is_running(journal)
    setup = game.setup
    if setup is None:
        return KeptGame(journal, running=running, trouble=trouble)
    return KeptGame(
        journal,
        setup.white.name,
        setup.black.name,
        setup.date,
        (len(game.history) + 1) // 2,
        game.started,
        game.result or "",
        running,
        trouble,
    )


def kept_games() -> Iterator[KeptGame]:
    """The games in the folder of tables, the last one first. Each is read when it is wanted."""
    yield from map(kept_game, journals())


def last_unfinished() -> Path:
    """The journal of the unfinished game that was played last.

    :raises ValueError: if there is none.
    """
    found = next((game.journal for game in kept_games() if game.unfinished), None)
    if found is None:
        raise ValueError(
            f"There is no unfinished game in {storage.tables_folder()}; name its journal with "
            "--journal, or begin a game without --resume."
        )
    return found


def last_finished() -> Path:
    """The journal of the game that ended last.

    :raises ValueError: if there is none.
    """
    found = next((game.journal for game in kept_games() if game.result), None)
    if found is None:
        raise ValueError(
            f"There is no finished game in {storage.tables_folder()}; name a journal, a PGN or an "
            "EPD."
        )
    return found


def being_played(*others: Path) -> Path | None:
    """A journal in the folder of tables, or one of ``others``, that a table has open now."""
    return next(filter(is_running, (*others, *journals())), None)
