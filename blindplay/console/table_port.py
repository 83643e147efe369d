"""What the console needs of a table; the table's own package provides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from blindplay.language import About, Command
from blindplay.laws import Fact, Game, Ruling


@dataclass(frozen=True)
class TapedUtterance:
    """Something on the table's tape: when it was said, in ms of the table's time, by whom
    ("table", "white" or "black"), its words, and the FLAC file that holds its sound."""

    t: int
    by: str
    words: str
    path: Path


class TablePort(Protocol):
    """One table, as the console sees it."""

    def held(self) -> AbstractContextManager[Game]:
        """The game, standing still: while it is held no fact is taken but the holder's own."""
        ...

    def time(self) -> int:
        """Milliseconds since the table was set up, as its facts have them."""
        ...

    def submit(self, role: str, kind: str, fields: Mapping[str, Any]) -> list[Ruling]:
        """Take one fact of ``role``, now, and give its rulings.

        :raises FactError: if the fields make no fact of the contract.
        """
        ...

    @property
    def training(self) -> bool:
        """Whether players may ask what stands on the board (never under the Laws, D.2.10.4)."""
        ...

    def ask(self, role: str, command: Command, about: About, language: str) -> Ruling:
        """Ask for ``role`` what is answered on his page alone: an ``answer`` whose words are in
        ``language``, or ``refused``. The fact that it was asked is recorded."""
        ...

    def told(self, ruling: Ruling, language: str) -> Iterable[tuple[bool, str]]:
        """What is said about a ruling in that language, and whether everybody may hear it."""
        ...

    def log(self) -> Sequence[tuple[Fact, Sequence[Ruling]]]:
        """Every fact since the table was set up, and what it caused, in order; seconds that only
        passed are left out. It only grows."""
        ...

    def tape(self) -> Mapping[int, TapedUtterance]:
        """What is on the tape, by number, in order; nothing where none is kept. Files are read:
        not for while the game is held."""
        ...
