"""The printed output of a table."""

import contextlib
import threading
from collections.abc import Callable
from typing import Any, TextIO

from blindplay.laws import Ruling

from .choices import Printed

# Fields that are long or that people hear anyway.
_LEFT_OUT = frozenset(("words", "placement", "undo", "explanations"))
_MOST_MOVES = 12


class Transcript:
    """Prints to ``out``, as far as ``printed`` goes. Safe from several threads.

    ``time`` gives the table's time in ms. A closed terminal or a full disk does not end the game.
    """

    def __init__(
        self,
        out: TextIO,
        time: Callable[[], int],
        printed: Printed = Printed.ALL,
        trouble: Callable[[str], str] = "trouble: {}".format,
        *,
        as_said: Callable[[str, bool], str] = lambda words, public: words,
    ) -> None:
        """``trouble`` gives how a sentence about what went wrong is printed, and ``as_said`` how
        one of the table is, to everybody or not."""
        self._trouble = trouble
        self._as_said = as_said
        self._out = out
        self._printed = printed
        self._unheard: set[bool] = set()  # True: what is public
        self._time = time
        self._lock = threading.Lock()

    @property
    def everything(self) -> bool:
        """Return whether everything that happens is printed."""
        return self._printed is Printed.ALL

    def leaves(self, *, public: bool) -> bool:
        """Return whether what a voice speaks, to everybody or privately, is not printed."""
        return self._printed is Printed.UNSPOKEN and public not in self._unheard

    def is_heard(self, now: bool, *, public: bool) -> None:
        """Print what is said to everybody, or privately, in any case while it is not heard."""
        (self._unheard.discard if now else self._unheard.add)(public)

    def line(self, text: str) -> None:
        """Print one thing that happened, with the table's time in seconds, if everything is."""
        if self.everything:
            self.show(f"{self._time() / 1000:.1f} {text}")

    def said(self, words: str, *, public: bool, spoken: bool) -> bool:
        """Print what the table says, unless a voice has ``spoken`` it and only the rest is printed.
        Return whether it was printed."""
        if self.everything:
            self.line(f"said {'to everybody' if public else 'privately'}: {words}")
        elif spoken and self.leaves(public=public):
            return False
        else:
            self.show(self._as_said(words, public))
        return True

    def show(self, text: str) -> None:
        """Print lines as they are, with no other thread's among them."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            print(text, file=self._out, flush=True)

    def trouble(self, sentence: str) -> None:
        """Print what went wrong outside the game; it goes on with what is left."""
        trouble = self._trouble(sentence)
        if self.everything:
            self.line(trouble)
        else:
            self.show(trouble)


def plain(ruling: Ruling) -> str:
    """A ruling as one plain line: its kind, its fields, its articles."""
    fields = {name: value for name, value in ruling.fields.items() if name not in _LEFT_OUT}
    told = (f"{name.replace('_', ' ')} {_field(name, value)}" for name, value in fields.items())
    parts = [part for part in told if not part.endswith(" ")]
    kind = ruling.kind.replace("_", " ")
    return f"{kind}: {'; '.join(parts)} ({', '.join(ruling.articles)})"


def _field(name: str, value: Any) -> str:
    if name == "steps":
        return ", ".join(f"{step['do']} {step['piece']} {step['square']}" for step in value)
    if name == "squares":
        return ", ".join(
            f"{at['square']} White's board {at['white'] or 'empty'}, "
            f"Black's board {at['black'] or 'empty'}"
            for at in value
        )
    if name == "moves" and isinstance(value, list) and len(value) > _MOST_MOVES:
        return f"{len(value)} moves"
    if isinstance(value, list):
        return " ".join(map(_text, value))
    return _text(value)


def _text(value: Any) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_text(part)}" for name, part in value.items())
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)
