"""The changes of a page, numbered, so that a page that comes back gets what it missed."""

import json
import secrets
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from blindplay.language import MixedText, Part

_KEPT = 200

Sentence = str | Sequence[Part]
"""A sentence in the page's language, or its parts, each with its language."""

UrgentSentence = tuple[Sentence, bool]
"""A sentence, and whether it is urgent."""


@dataclass(frozen=True)
class PageChange:
    """One change: the new parts of the page, the game's stamp, and sentences."""

    number: int
    parts: Mapping[str, str]
    stamp: str
    told: Sequence[UrgentSentence] = ()


def sent(words: str) -> Sentence:
    """Words as a page gets them."""
    return words.parts if isinstance(words, MixedText) else words


Wake = Callable[[], None]


class Stream:
    """All changes of one page. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._name = secrets.token_hex(4)  # numbers of a stream before a restart mean nothing
        self._number = 0
        self._parts: dict[str, str] = {}
        self._stamp = ""
        self._changes: deque[PageChange] = deque(maxlen=_KEPT)
        self._listeners: list[Wake] = []

    def now(self) -> tuple[str, dict[str, str], str]:
        """The place in the stream, all parts of the page, and the stamp."""
        with self._lock:
            return f"{self._name}.{self._number}", dict(self._parts), self._stamp

    def update(
        self, parts: Mapping[str, str], stamp: str, told: Sequence[UrgentSentence] = ()
    ) -> None:
        """Add a change to this state of the page, with sentences, unless nothing is new."""
        with self._lock:
            new = {name: html for name, html in parts.items() if self._parts.get(name) != html}
            if not (new or told or stamp != self._stamp):
                return
            self._number += 1
            self._parts, self._stamp = dict(parts), stamp
            self._changes.append(PageChange(self._number, new, stamp, tuple(told)))
        self.wake()

    @property
    def is_watched(self) -> bool:
        """Whether a page is connected."""
        with self._lock:
            return bool(self._listeners)

    def wake(self) -> None:
        """Call all listeners."""
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()

    def since(self, place: str) -> tuple[str, str] | None:
        """What a page at ``place`` lacks, as (its new place, JSON); None if nothing.

        The JSON holds all sentences since ``place``, in order. If there are too many changes, or
        ``place`` belongs to another stream, it holds the ``whole`` page without sentences.
        """
        name, _, number = place.partition(".")
        with self._lock:
            here = f"{self._name}.{self._number}"
            if place == here:
                return None
            known = name == self._name and number.isascii() and number.isdigit()
            at = int(number) if known and len(number) < 10 else -1
            missed = [change for change in self._changes if change.number > at]
            if len(missed) != self._number - at:
                return here, _json(self._parts, self._stamp, (), whole=True)
            parts = {name: html for change in missed for name, html in change.parts.items()}
            told = [one for change in missed for one in change.told]
            return here, _json(parts, self._stamp, told)

    def listen(self, listener: Wake) -> Callable[[], None]:
        """Call ``listener`` after each change, in any thread. Call the result to stop."""
        with self._lock:
            self._listeners.append(listener)

        def leave() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return leave


def _json(
    parts: Mapping[str, str], stamp: str, told: Sequence[UrgentSentence], *, whole: bool = False
) -> str:
    change = {"parts": dict(parts), "seen": stamp, "told": list(told)}
    return json.dumps(change | ({"whole": True} if whole else {}), ensure_ascii=False)
