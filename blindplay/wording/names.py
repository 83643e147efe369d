"""Names of players as people say and type them: the one way to tell whom a name means."""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

# Letters that people type in two ways, beside those that only lose a mark: the longer way.
_LONG = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "æ": "ae", "ø": "oe", "œ": "oe", "ł": "l",
     "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)  # fmt: skip
_SHORT = re.compile("([ao])e|(a)a|ue")
_APOSTROPHES = re.compile("['’‘ʼ`´′ʹ]")
_MOST = 65_536  # of the names that are compared again and again


def spoken_name(name: str) -> str:
    """A name in the order in which people say it.

    >>> spoken_name("Berg, Anna"), spoken_name("Anna Berg")
    ('Anna Berg', 'Anna Berg')
    """
    last, comma, first = name.partition(",")
    return " ".join(f"{first} {last}".split()) if comma else " ".join(name.split())


@lru_cache(maxsize=_MOST)
def typed(name: str) -> str:
    """``name`` in small letters without marks, however people type it. Hyphens are spaces, and
    apostrophes are left out.

    >>> typed("Jürgen O’Neill-Åse"), typed("Juergen o'neill aase")
    ('jurgen oneill ase', 'jurgen oneill ase')
    """
    text = re.sub(r"[-‐‑–.,]", " ", _APOSTROPHES.sub("", spoken_name(name).casefold()))
    text = unicodedata.normalize("NFC", text).translate(_LONG)
    text = "".join(
        sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign)
    )
    return " ".join(_SHORT.sub(lambda found: found[1] or found[2] or "u", text).split())


def _words_of(name: str) -> set[str]:
    """The words by which a player may be called: of O’Neill also *neill*, of Berg-Dahl *berg*."""
    return {
        word
        for parted in (name, _APOSTROPHES.sub(" ", name), name.replace("-", ""))
        for word in typed(parted).split()
    }


def find_names(names: Iterable[str], wanted: str, *, whole_words: bool = False) -> list[str]:
    """Return those of ``names`` that ``wanted`` may mean, as :func:`typed` compares them: those of
    exactly this name or, without one, all that contain these words or, with ``whole_words``, have
    them. Then one letter alone finds nobody: it would list many players."""
    names, key = list(names), typed(wanted)
    words = set(key.split())
    if exact := [name for name in names if key and typed(name) == key]:
        return exact
    if whole_words:
        enough = any(len(word) > 1 for word in words)
        return [name for name in names if enough and words <= _words_of(name)]
    return [name for name in names if words and all(word in typed(name) for word in words)]


def find_player(names: Iterable[str], wanted: str) -> str:
    """The one of ``names`` that ``wanted`` means: a part of it is enough, and of two that are typed
    alike the one that is written so; empty if it is none or several."""
    found = find_names(dict.fromkeys(names), wanted)
    same = [name for name in found if is_same(name, wanted)]
    return (same or found)[0] if len(same or found) == 1 else ""


def is_same(name: str, other: str) -> bool:
    """Return whether two names are written alike, but for upper and lower case and their order."""
    return _written(name) == _written(other)


def _written(name: str) -> str:
    return spoken_name(name).casefold()


class KnownNames:
    """Finds each of many players by a whole name."""

    def __init__(self, names: Iterable[str]) -> None:
        self._written = {_written(name): name for name in names}
        self._typed: dict[str, list[str]] = {}
        for name in self._written.values():
            self._typed.setdefault(typed(name), []).append(name)

    def known(self, name: str) -> str:
        """The player who is written ``name`` or, without one, the only one who is typed like it;
        ``name`` itself if there is none."""
        alike = self._typed.get(typed(name), [])
        return self._written.get(_written(name)) or (alike[0] if len(alike) == 1 else name)

    def each_known(self, names: Iterable[str]) -> dict[str, str]:
        """The player of each of ``names``, which are of different people: one who is written like
        one of them is not meant by another that is only typed like it."""
        wanted = list(names)
        same = {
            name: self._written[_written(name)]
            for name in wanted
            if _written(name) in self._written
        }
        others = KnownNames(name for name in self.players if name not in same.values())
        return {name: same.get(name) or others.known(name) for name in wanted}

    @property
    def players(self) -> list[str]:
        """All players, each of one writing once."""
        return list(self._written.values())
