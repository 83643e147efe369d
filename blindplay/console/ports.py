"""What the console needs of a table; the table's own package provides it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Protocol

from blindplay.laws import Game, Ruling


class Table(Protocol):
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

    def told(self, ruling: Ruling, language: str) -> Iterable[tuple[bool, str]]:
        """What is said about a ruling in that language, and whether everybody may hear it."""
        ...
