"""A language pack: one TOML file, and the dictionary of spoken and typed words made from it."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import chess

PIECE_NAMES: Mapping[chess.PieceType, str] = {
    chess.KING: "king",
    chess.QUEEN: "queen",
    chess.ROOK: "rook",
    chess.BISHOP: "bishop",
    chess.KNIGHT: "knight",
    chess.PAWN: "pawn",
}

# Written out, these letters are two: "fünf" and "fuenf", "Cæsar" and "Caesar" are the same word.
_TWO_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe"}
)


class LanguageError(ValueError):
    """An unknown language, sentence or letter, or a pack that is not complete."""


class Sign(Enum):
    """What a word does in an announcement; the value is one letter of the move's grammar."""

    FILE = "f"
    RANK = "r"
    PIECE = "P"
    FROM = "v"
    TO = ">"
    CAPTURES = "x"
    PROMOTES = "="
    EN_PASSANT = "e"
    CASTLES_SHORT = "S"
    CASTLES_LONG = "L"
    CASTLES = "C"
    CHECK = "+"
    CHECKMATE = "#"
    LINK = "m"
    ARTICLE = "a"
    IGNORED = "i"
    CORRECTION = "k"
    UNKNOWN = "?"


_SIGNS = {
    Sign.FROM: "from",
    Sign.TO: "to",
    Sign.CAPTURES: "captures",
    Sign.PROMOTES: "promotes",
    Sign.EN_PASSANT: "en_passant",
    Sign.CASTLES_SHORT: "castles_short",
    Sign.CASTLES_LONG: "castles_long",
    Sign.CASTLES: "castles",
    Sign.CHECK: "check",
    Sign.CHECKMATE: "checkmate",
    Sign.LINK: "link",
    Sign.ARTICLE: "article",
    Sign.IGNORED: "ignored",
    Sign.CORRECTION: "correction",
}
"""The lists of a pack's ``[move]``."""


@dataclass(frozen=True, slots=True)
class Word:
    """One or several words with one meaning; ``value`` is a file, rank (0-7) or piece type."""

    sign: Sign
    value: int
    text: str


def fold(text: str) -> str:
    """The form in which words are compared: no case, accent, umlaut or punctuation.

    Composed and decomposed Unicode give the same.
    """
    text = unicodedata.normalize("NFC", text).casefold().translate(_TWO_LETTERS)
    return " ".join(
        "".join(c for c in unicodedata.normalize("NFKD", word) if c.isalnum())
        for word in text.split()
    )


class Pack:
    """The contents of ``packs/<code>.toml``, checked when it is read.

    ``file`` is what the file is called where something in it is to be corrected.
    """

    def __init__(self, code: str, data: Mapping[str, Any], file: str = "") -> None:
        self.code = code
        self.data = data
        self.file = file or f"packs/{code}.toml"
        self.file_names = tuple(self.words("files", name)[0] for name in "abcdefgh")
        self.rank_names = tuple(self.words("ranks", name)[0] for name in "12345678")
        self.piece_names = {
            piece: self.words("pieces", name)[0] for piece, name in PIECE_NAMES.items()
        }
        self.piece_letters: dict[chess.PieceType, str] = {
            piece: self.text("notation", name)
            for piece, name in PIECE_NAMES.items()
            if piece != chess.PAWN
        }

    @classmethod
    def read(cls, code: str) -> Pack:
        """The pack of the language ``code``. LanguageError if there is none or it is not whole.

        ``"de+nb"``: German, with the ranks in Norwegian, for the arbiter may decide so (fide-2023
        D.2.1).
        """
        code, plus, ranks = code.partition("+")
        entry, file = source(code)
        try:
            text = entry.read_bytes()
        except OSError as error:
            why = "it is a folder" if entry.is_dir() else error.strerror or "it cannot be read"
            raise LanguageError(f"{file} is no language pack ({why}): remove it.") from None
        data = parse(text, file)
        if file != f"packs/{code}.toml":
            _complete(data, code)
        pack = cls(code, data, file)
        return pack.with_ranks(cls.read(ranks)) if plus else pack

    def with_ranks(self, other: Pack) -> Pack:
        """This pack with the ranks in the words of ``other``; its own are understood, too.

        LanguageError, when its words are used, if one of them means something else here.
        """
        own = {rank: self.words("ranks", rank) for rank in "12345678"}
        taken = {rank: other.words("ranks", rank) for rank in "12345678"}
        new = {word for words in taken.values() for word in words}
        old = {fold(word) for words in own.values() for word in words}
        every = {fold(word) for word in new}
        also = [word for word in self.words("listen", "also") if fold(word) not in old]
        also += [word for word in other.words("listen", "also") if fold(word) in every]
        data = {
            **self.data,
            "ranks": {
                rank: [*taken[rank], *(word for word in own[rank] if fold(word) not in every)]
                for rank in own
            },
            "listen": {**self.table("listen"), "also": also or taken["1"][:1]},
        }
        if "pronunciations" in self.data and "pronunciations" in other.data:
            spoken = other.table("pronunciations")
            names = {word.lower() for word in new} & spoken.keys()
            data["pronunciations"] = {
                **{word: spoken[word] for word in sorted(names)},
                **self.table("pronunciations"),
            }
            data["fillers"] = {
                word: said
                for word, said in self.data.get("fillers", {}).items()
                if word not in names
            }
        return Pack(self.code, data, f"{self.file} with the ranks of {other.file}")

    def table(self, *path: str) -> Mapping[str, Any]:
        """The table at ``path``."""
        found = self._at(*path)
        if not isinstance(found, Mapping):
            raise LanguageError(f"{self.file}: {'.'.join(path)} must be a table.")
        return found

    def words(self, *path: str) -> list[str]:
        """The list of words at ``path``, at least one."""
        found = self._at(*path)
        if not isinstance(found, list) or not found or not all(isinstance(w, str) for w in found):
            raise LanguageError(f"{self.file}: {'.'.join(path)} must list words.")
        return found

    def text(self, *path: str) -> str:
        """The text at ``path``."""
        found = self._at(*path)
        if not isinstance(found, str):
            raise LanguageError(f"{self.file}: {'.'.join(path)} must be a text.")
        return found

    def _at(self, *path: str) -> Any:
        found: Any = self.data
        for name in path:
            if not isinstance(found, Mapping) or name not in found:
                raise LanguageError(f"{self.file} lacks {'.'.join(path)}: add it.")
            found = found[name]
        return found

    @cached_property
    def dictionary(self) -> dict[str, Word]:
        """Folded words to their meaning. LanguageError when two meanings share their words."""
        found: dict[str, Word] = {}
        for _, word in entries(self.words):
            key = fold(word.text)
            known = found.setdefault(key, word)
            if (known.sign, known.value) != (word.sign, word.value):
                raise LanguageError(
                    f"{self.file}: {word.text!r} has two meanings: keep one of them."
                )
        return found

    @cached_property
    def longest(self) -> int:
        """The greatest number of words with one meaning."""
        return max(key.count(" ") + 1 for key in self.dictionary)

    @cached_property
    def notation(self) -> re.Pattern[str]:
        """A move as it is written: Sf3, Sbd2, exd6e.p., e8=D+, e2-e4, e7e8q."""
        letters = "".join(self.piece_letters.values())
        return re.compile(
            rf"(?P<piece>[{letters}]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<link>[x:×–-]?)"
            rf"(?P<to_file>[a-h])(?P<to_rank>[1-8])"
            rf"(?:[=/(]?(?P<promotion>[{letters}{letters.lower()}QRBNqrbn])\)?)?"
            r"(?P<en_passant>(?:e\.?p\.?)?)(?P<check>\+\+|[+#†]?)[!?]*"
        )


def entries(words: Callable[..., list[str]]) -> Iterator[tuple[tuple[str, str], Word]]:
    """Each word or group of words for a move, and the names under which the pack has it.

    ``words`` gives the words at such a path.
    """
    paths: list[tuple[Sign, int, tuple[str, str]]] = [
        (sign, number, (table, names[number]))
        for number in range(8)
        for sign, table, names in (
            (Sign.FILE, "files", "abcdefgh"),
            (Sign.RANK, "ranks", "12345678"),
        )
    ]
    paths += [(Sign.PIECE, piece, ("pieces", name)) for piece, name in PIECE_NAMES.items()]
    paths += [(sign, 0, ("move", name)) for sign, name in _SIGNS.items()]
    for sign, value, path in paths:
        for word in words(*path):
            yield path, Word(sign, value, word.lower())


_own: Path | None = None


def look_in(folder: Path) -> None:
    """Take the packs in ``folder``, too, if there is one; they go before those of the same name.

    To be called before any language is loaded.
    """
    global _own
    _own = folder


# What Python says of a file that is no TOML, and how it is told to a translator.
_IN_WORDS = {
    "Illegal character '\\n'": "the quotation mark at the end of the words is missing",
    "Cannot overwrite": "this name is there already, keep one of the two",
    "Cannot declare": "this table is there already, put the two together",
    "Unclosed array": "here or before it, a comma between two words or the bracket ] at the end of "
    "a list is missing",
    "Expected '='": "write a name, an equals sign, and words in quotes",
    "Invalid value": "write the words in straight quotes, and a list of them in brackets [ ]",
    "Invalid statement": "begin with a name; one that has other letters than a to z goes in quotes",
    "Expected newline": "something is left over at the end; the words go in one pair of quotes",
    "Unescaped": "write each backslash twice, or leave it out",
}


def parse(text: bytes, file: str) -> dict[str, Any]:
    """The contents of a pack. LanguageError, which names ``file``, if it is no TOML."""
    try:
        return tomllib.loads(text.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise LanguageError(f"{file} is no text in UTF-8: save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:  # of TOML, and of numbers too long for Python
        place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
        told = next((told for begin, told in _IN_WORDS.items() if str(error).startswith(begin)), "")
        if place and told:
            raise LanguageError(f"Correct {file}, line {place[1]}: {told}.") from error
        raise LanguageError(f"Correct {file}: {error}.") from error


def _complete(data: dict[str, Any], code: str) -> None:
    """Add the sentences that a user's own pack lacks, for it may be older than the program: in
    the middle of a game another language is better than silence."""
    folder = files(__package__).joinpath("packs")
    built_in = folder.joinpath(f"{code}.toml")
    if not built_in.is_file():
        built_in = folder.joinpath("en.toml")
    whole = parse(built_in.read_bytes(), built_in.name)
    for table in ("sentences", "printed"):
        if isinstance(data.get(table), dict):
            data[table] = whole[table] | data[table]


def codes() -> list[str]:
    """The languages there are, as two-letter codes in alphabetical order."""
    return list(_sources())


def source(code: str) -> tuple[Traversable, str]:
    """The file of a language, and what it is called. LanguageError if there is none."""
    found = _sources()
    if code not in found:
        raise LanguageError(f"Unknown language {code!r}: choose one of {', '.join(found)}.")
    return found[code]


def _sources() -> dict[str, tuple[Traversable, str]]:
    """The files of the packs, and what each is called."""
    folders: list[tuple[Traversable, str]] = [(files(__package__).joinpath("packs"), "packs")]
    if _own is not None and _own.is_dir():
        folders.append((_own, str(_own)))
    found = {
        entry.name.removesuffix(".toml"): (entry, f"{called}/{entry.name}")
        for folder, called in folders
        for entry in folder.iterdir()
        if re.fullmatch(r"[a-z]{2,3}\.toml", entry.name)
    }
    return dict(sorted(found.items()))
