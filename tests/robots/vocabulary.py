"""The sentences that people of one language know, read back.

A reader knows the templates of a language pack, as people know the sentences of their language. It
knows nothing of the game but the words that it is given.
"""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import chess

from blindplay.language import load
from blindplay.laws.facts import SIDES

# Values that may hold whole sentences. The others end with their sentence.
_SENTENCES = frozenset(("what", "why", "words", "reason", "result", "times", "step"))
# Sentences with a value that has sentences of its own, which say what has happened.
_OPENED = {
    "arbiter_needed": "why",
    "illegal": "why",
    "on_board_of": "words",
    "due_wait": "what",
    "due_correct": "step",
    "due_correct_on": "step",
}
_NUMBERS = 100  # moves that no game of robots reaches
_PIECES = "KQRBNPkqrbnp"
_STRONG = 3
"""Letters of its own with which a template is recognised: "{move}." fits everything."""


@dataclass(frozen=True)
class Heard:
    """One sentence, understood: the keys of all templates that it may come from, and its values."""

    keys: tuple[str, ...]
    values: Mapping[str, str]
    text: str


@dataclass(frozen=True)
class _Template:
    """A sentence of the pack: how many letters it has of its own, the longest of its own parts, and
    a regular expression for all of it."""

    key: str
    letters: int
    longest: str
    form: str

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The regular expression."""
        return re.compile(self.form, re.DOTALL)

    def match(self, text: str) -> dict[str, str] | None:
        """Return the values of this sentence if ``text`` is one."""
        found = self.pattern.fullmatch(text)
        return None if found is None else found.groupdict()


class Vocabulary:
    """The vocabulary of the language ``code``. Get it from :func:`vocabulary`."""

    def __init__(self, code: str) -> None:
        self.pack = pack = load(code)
        self._sides = {pack.sentence(side): side for side in SIDES}
        others = {pack.sentence("due_arbiter"): "arbiter"}
        for side in SIDES:
            name = pack.sentence("due_assistant_of", player=pack.sentence(side))
            others[name] = f"assistant:{side}"
        for name, person in others.items():
            self._sides |= dict.fromkeys((name, name[:1].upper() + name[1:]), person)
        self._squares = {pack.square(one): chess.square_name(one) for one in chess.SQUARES}
        self._pieces = {pack.piece(chess.Piece.from_symbol(one)): one for one in _PIECES}
        self._numbers = {pack.number(n): n for n in range(_NUMBERS)}
        self._values: dict[str, Collection[str]] = {
            **dict.fromkeys(("player", "owner"), self._sides),
            **dict.fromkeys(("square", "to"), self._squares),
            "piece": self._pieces,
            "number": self._numbers,
        }
        found = (self._template(key) for key in pack.sentences())
        templates = [one for one in found if one.letters >= _STRONG]
        self._templates = sorted(templates, key=lambda one: -one.letters)
        self._known = lru_cache(maxsize=1 << 14)(self._has_known)
        self._parts = lru_cache(maxsize=1 << 14)(self._read)

    def _template(self, key: str) -> _Template:
        marked = self.pack.sentence(key, **{one: f"{{{one}}}" for one in self.pack.fields(key)})
        pattern, letters, longest, seen = "", 0, "", set[str]()
        for literal, name, _, _ in string.Formatter().parse(marked):
            pattern += re.escape(literal)
            letters += sum(map(str.isalpha, literal))
            longest = max(longest, literal.strip(), key=len)
            if name and name in seen:
                pattern += f"(?P={name})"
            elif name:
                seen.add(name)
                value = "|".join(map(re.escape, self._values.get(name, ()))) or "[^.!?]+?"
                pattern += f"(?P<{name}>{'.*?' if name in _SENTENCES else value})"
        return _Template(key, letters, longest, pattern.strip())

    def read(self, text: str) -> tuple[Heard, ...]:
        """Read ``text``, one sentence or several; one that is not known has no keys."""
        return self._parts(text)

    def knows(self, text: str) -> bool:
        """Return whether ``text`` has a sentence of this language."""
        return self._known(text)

    def _has_known(self, text: str) -> bool:
        return any(one.keys for one in self.read(text))

    def _read(self, text: str) -> tuple[Heard, ...]:
        return tuple(self._sentences(text.strip()))

    def _sentences(self, text: str, *, opened: bool = False) -> Iterator[Heard]:
        parts = re.split(r"(?<=[.?!]) ", text)
        begin = 0
        while begin < len(parts):
            for end in range(len(parts), begin, -1):
                known = self._whole(" ".join(parts[begin:end]), opened=opened)
                if known is not None:
                    break
            else:
                end, known = begin + 1, Heard((), {}, parts[begin])
            yield known
            for key in known.keys:
                if key in _OPENED:
                    yield from self._sentences(known.values[_OPENED[key]], opened=True)
            begin = end

    def _whole(self, text: str, *, opened: bool) -> Heard | None:
        """Read ``text`` as one sentence, by the template with the most letters of its own. Why the
        arbiter is needed is told only within another sentence (``opened``)."""
        keys, values, letters = list[str](), dict[str, str](), 0
        for one in [one for one in self._templates if one.longest in text]:
            if one.letters < letters:
                break
            if one.key.startswith("needed_") and not opened:
                continue
            if (found := one.match(text)) is not None:
                keys.append(one.key)
                values, letters = found, one.letters
        return Heard(tuple(keys), values, text) if keys else None

    def side(self, name: str) -> str:
        """Return the person who is called ``name``: "white", "assistant:white", "arbiter"."""
        return self._sides[name]

    def square(self, name: str) -> str:
        """Return the square that is called ``name``: "e4"."""
        return self._squares[name]

    def piece(self, name: str) -> str:
        """Return the piece with this name and colour: "P"."""
        return self._pieces[name]

    def number(self, name: str) -> int:
        """Return the number of a move."""
        return self._numbers[name]


@cache
def vocabulary(code: str) -> Vocabulary:
    """The vocabulary of a language."""
    return Vocabulary(code)
