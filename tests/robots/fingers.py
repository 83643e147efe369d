"""A channel of one player who has nothing but a Braille line of 20 cells."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator

from blindplay.braille.brlapi import BrailleError, BrailleKey, Connection, Pressed
from blindplay.table.braille_seat import BrailleSeat

from .channels import EVERYBODY, Listeners, Terminal
from .robot import Act

READER = "white"
"""The side that reads Braille."""
_CELLS = 20
_PIECES_A_SECOND = 2
_MOVE_IN_CELLS = re.compile("^(?:[⠀-⣿]+ )+")  # in chess Braille, before the same move in words


class Fingers(Terminal):
    """A table whose White neither sees nor hears, and has a Braille display; the others have the
    terminal. Fingers go on to the right, and have read a sentence when they have felt its end."""

    _seat: BrailleSeat
    _state = ""

    def attach(self) -> None:
        """See :meth:`.Channel.attach`."""
        super().attach()
        gone = threading.Event()

        def connect() -> Connection:
            """Nothing but this test feels the cells and presses the keys."""
            gone.wait()
            raise BrailleError("The display is closed.")

        self._seat = BrailleSeat(self.session, READER, connect, self._typed)
        self._stack.callback(gone.set)
        self._stack.callback(self._seat.close)

    def _typed(self, side: str, line: str) -> None:
        self.type(self._keyboard.as_words_of(side, line))

    def told(self) -> Iterator[tuple[Listeners, str]]:
        """See :meth:`.People.told`."""
        others = tuple(who for who in EVERYBODY if who != READER)
        yield from ((others, line) for line in self.printed())
        if self.open:
            yield from self._read_cells()

    def _read_cells(self) -> Iterator[tuple[Listeners, str]]:
        line = self._seat._line
        for _ in range(_PIECES_A_SECOND):
            sentence, at, state = line.sentence, line._at, self._seat._state()
            if sentence is None:
                if state != self._state:
                    self._state = state
                    yield READER, _MOVE_IN_CELLS.sub("", state)
                return
            line.shown(_CELLS, state)
            self._seat._press(Pressed(BrailleKey.RIGHT), _CELLS)
            if line._at != at:
                yield (READER,), _MOVE_IN_CELLS.sub("", sentence)

    def has_more(self, side: str) -> bool:
        """See :meth:`.People.has_more`."""
        return side == READER and self.open and self._seat._is_unread()

    def say(self, side: str, act: Act) -> str:
        """See :meth:`.Channel.say`."""
        if side != READER:
            return super().say(side, act)
        self._seat._type(act.words)
        return f"types in Braille: {act.words or '(Enter)'}"
