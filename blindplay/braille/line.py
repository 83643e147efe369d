"""A few cells that show sentences piece by piece. Without I/O.

The line shows one sentence after the other, and at the end the present state. If more follows, the
last cell has all six dots. Text that is being typed takes the place of all that.
"""

import textwrap

MORE = "\u283f"
FEWEST = 2
_MOST = 1000
"""The number of sentences that can be read again."""


class BrailleLine:
    """The text under a reader's fingers. ``keeps``: a new sentence waits until those before it have
    been read to their ends, else it is shown at once."""

    def __init__(self, *, keeps: bool) -> None:
        self.keeps = keeps
        self.typed = ""
        self._sentences: list[str] = []
        self._at: int | None = None  # the sentence; None: the state
        self._piece = 0

    @property
    def unread(self) -> bool:
        """True if a reader who must read everything has more to read."""
        return self.keeps and self._at is not None

    @property
    def sentence(self) -> str | None:
        """The sentence that is shown; None while it is the state."""
        return None if self._at is None else self._sentences[self._at]

    @property
    def newest(self) -> str:
        """The sentence said last; "" before the first."""
        return self._sentences[-1] if self._sentences else ""

    def say(self, sentence: str) -> None:
        """Add a sentence."""
        self._sentences.append(sentence)
        if len(self._sentences) > _MOST and self._at != 0:
            del self._sentences[0]
            self._at = None if self._at is None else self._at - 1
        if self._at is None or not self.keeps:
            self._go(len(self._sentences) - 1)

    def shown(self, cells: int, state: str) -> tuple[str, int | None]:
        """Return the text of so many cells, and the cell of the cursor, or None without one."""
        width = max(cells, FEWEST) - 1
        if self.typed:
            tail = self.typed[-width:]
            return tail, len(tail)
        pieces = _pieces(state if self._at is None else self._sentences[self._at], width)
        self._piece = min(self._piece, len(pieces) - 1)
        more = self._piece < len(pieces) - 1 or self._at not in (None, len(self._sentences) - 1)
        return pieces[self._piece].ljust(width) + (MORE if more else " "), None

    def right(self, cells: int, state: str) -> None:
        """On to the next piece, the next sentence or, after all of them, the state."""
        text = state if self._at is None else self._sentences[self._at]
        if self._piece < len(_pieces(text, max(cells, FEWEST) - 1)) - 1:
            self._piece += 1
        else:
            self.next()

    def next(self) -> None:
        """On to the next sentence or, after all of them, the state."""
        last = self._at is None or self._at == len(self._sentences) - 1
        self._go(None if self._at is None or last else self._at + 1)

    def left(self, cells: int) -> None:
        """Back to the piece before, or to the end of the sentence before."""
        if self._piece > 0:
            self._piece -= 1
        elif self.back() and self.sentence is not None:
            self._piece = len(_pieces(self.sentence, max(cells, FEWEST) - 1)) - 1

    def back(self) -> bool:
        """Back to the sentence before; False if there is none."""
        before = (len(self._sentences) if self._at is None else self._at) - 1
        if before >= 0:
            self._go(before)
        return before >= 0

    def home(self) -> None:
        """To the state. A reader who must not miss anything goes to the newest sentence first."""
        unread = self._at is not None and self._at < len(self._sentences) - 1
        self._go(len(self._sentences) - 1 if self.keeps and unread else None)

    def _go(self, at: int | None) -> None:
        self._at, self._piece = at, 0


def _pieces(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]
