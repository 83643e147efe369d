"""A language pack: one TOML file, and the dictionary of spoken and typed words made from it."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

import chess
import platformdirs

from blindplay.given import PACK, read_bytes, read_toml, shown, too_large
from blindplay.translation import UserError, _

from .understanding import TYPED_ONLY, Command

PIECE_NAMES: Mapping[chess.PieceType, str] = {
    piece: chess.piece_name(piece) for piece in reversed(chess.PIECE_TYPES)
}
"""The English names by which packs list the pieces, from king to pawn."""

# Each of these letters may be written as two: "fünf" and "fuenf" are the same word.
_TWO_LETTERS = {"ä": "ae", "ö": "oe", "ü": "ue", "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe"}
_PUNCTUATION = {code: None for code in range(128) if chr(code) != " " and not chr(code).isalnum()}


class LanguageError(UserError):
    """An unknown language, sentence or letter, or a pack that is not complete."""


class GrammarSign(Enum):
    """The role of a word in an announcement. The value is one letter of the move's grammar."""

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


@dataclass(frozen=True, slots=True)
class Word:
    """One or more words with one meaning. ``value`` is a file or rank (0 to 7) or a piece type."""

    sign: GrammarSign
    value: int
    text: str


@lru_cache(maxsize=1 << 14)
def fold(text: str) -> str:
    """The form in which words are compared: no case, accent, umlaut or punctuation.

    >>> fold("Fünf!"), fold("Cæsar")
    ('fuenf', 'caesar')
    """
    if text.isascii():  # most are, and a pack has tens of thousands
        text = text.lower()
    else:
        text = unicodedata.normalize("NFC", text).casefold()
        for (
            letter,
            two,
        ) in _TWO_LETTERS.items():  # faster than str.translate, which asks each letter
            text = text.replace(letter, two)
    words = text.split()
    if text.isascii():
        joined = " ".join(words)
        return joined if "".join(words).isalnum() else joined.translate(_PUNCTUATION)
    return " ".join(
        "".join(c for c in unicodedata.normalize("NFKD", word) if c.isalnum()) for word in words
    )


class Pack:
    """The contents of ``packs/<code>.toml``. ``file`` is its name in error messages.

    :raises LanguageError: if the board's names are not complete.
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
    def read(cls, code: str) -> "Pack":
        """The pack of the language ``code``.

        ``"de+nb"`` is German with the ranks in Norwegian: the arbiter may decide so (fide-2023
        D.2.1).

        :raises LanguageError: it is missing or incomplete
        """
        code, plus, ranks = code.partition("+")
        entry, file = source(code)
        try:
            text = read_bytes(entry, PACK)
        except ValueError as error:
            raise LanguageError("The language pack {error}", error=error) from None
        data = parse_pack(text, file)
        if file != f"packs/{code}.toml":
            _add_missing_texts(data, code)
        pack = cls(code, data, file)
        return pack.with_ranks(cls.read(ranks)) if plus else pack

    def with_ranks(self, other: "Pack") -> "Pack":
        """This pack with the ranks in the words of ``other``. It still understands its own.

        :raises LanguageError: on first use, if one of these words means something else here
        """
        own, new = (
            {rank: pack.words("ranks", rank) for rank in "12345678"} for pack in (self, other)
        )
        own_keys = {fold(word) for words in own.values() for word in words}
        new_keys = {fold(word) for words in new.values() for word in words}
        also = [word for word in self.words("listen", "also") if fold(word) not in own_keys]
        also += [word for word in other.words("listen", "also") if fold(word) in new_keys]
        data = {
            **self.data,
            "ranks": {
                rank: [*new[rank], *(word for word in own[rank] if fold(word) not in new_keys)]
                for rank in own
            },
            "listen": {**self.table("listen"), "also": also or new["1"][:1]},
        }
        if "pronunciations" in self.data and "pronunciations" in other.data:
            names = {word.lower() for words in new.values() for word in words}
            spoken = other.table("pronunciations")
            data["pronunciations"] = {
                **{word: spoken[word] for word in sorted(names & spoken.keys())},
                **self.table("pronunciations"),
            }
            data["fillers"] = {
                word: sounds
                for word, sounds in self.data.get("fillers", {}).items()
                if word not in names & spoken.keys()
            }
        return Pack(self.code, data, f"{self.file} with the ranks of {other.file}")

    def table(self, *path: str) -> Mapping[str, Any]:
        """The table at ``path``."""
        found = self._at(*path)
        if not isinstance(found, Mapping):
            raise LanguageError(
                "{file}: {paths} must be a table.", file=self.file, paths=".".join(path)
            )
        return found

    def words(self, *path: str) -> list[str]:
        """The list of words at ``path``, at least one."""
        found = self._at(*path)
        if not isinstance(found, list) or not found or not all(isinstance(w, str) for w in found):
            raise LanguageError(
                "{file}: {paths} must list words.", file=self.file, paths=".".join(path)
            )
        return found

    def text(self, *path: str) -> str:
        """The text at ``path``."""
        found = self._at(*path)
        if not isinstance(found, str):
            raise LanguageError(
                "{file}: {paths} must be a text.", file=self.file, paths=".".join(path)
            )
        return found

    def _at(self, *path: str) -> Any:
        found: Any = self.data
        for name in path:
            if not isinstance(found, Mapping) or name not in found:
                raise LanguageError(
                    "{file} lacks {paths}: add it.", file=self.file, paths=".".join(path)
                )
            found = found[name]
        return found

    @cached_property
    def sounding_alike(self) -> list[tuple[str, str]]:
        """Pairs of words or groups of words that sound alike, in small letters."""
        table = self.table("sounds_like") if "sounds_like" in self.data else {}
        return [(one.lower(), str(other).lower()) for one, other in table.items()]

    def said(self, command: Command) -> list[str]:
        """The phrases of ``command`` that may be said; none if it is typed only."""
        return [] if command in TYPED_ONLY else self.words("commands", command.value)

    @cached_property
    def letters(self) -> dict[str, Command]:
        """The commands that one letter alone stands for when it is typed."""
        listed = self.data.get("letters", {})
        return {str(letter): Command(name) for name, letter in listed.items()}

    def typed(self, name: str) -> list[str]:
        """The forms of a command or key that are typed only, each written out; none if the pack has
        none."""
        if name not in self.table("typed"):
            return []
        forms = self.words("typed", name)
        return [text for form in forms for text in written_out(form, self.file)]

    def _typed_words(self, *path: str) -> list[str]:
        """The words of a list for moves that are typed only."""
        if path[1] not in self.data.get("typed_moves", {}).get(path[0], {}):
            return []
        forms = self.words("typed_moves", *path)
        return [text for form in forms for text in written_out(form, self.file)]

    @cached_property
    def heard(self) -> dict[str, Word]:
        """The meaning of each folded word or group of words that can be said in a move.

        :raises LanguageError: if one has two meanings.
        """
        return self._meanings(self.words, {})

    @cached_property
    def dictionary(self) -> dict[str, Word]:
        """The same, with the words that are typed only."""
        return self._meanings(self._typed_words, self.heard)

    def _meanings(
        self, words: Callable[..., list[str]], known_before: Mapping[str, Word]
    ) -> dict[str, Word]:
        found = dict(known_before)
        for _unused, word in words_of_moves(words):
            known = found.setdefault(fold(word.text), word)
            if (known.sign, known.value) != (word.sign, word.value):
                raise LanguageError(
                    "{file}: {text} has two meanings: keep one of them.",
                    file=self.file,
                    text=repr(word.text),
                )
        return found


_PART_OF_FORM = re.compile(r"[()\[\]|]|[^()\[\]|]+")
_MOST_WRITTEN_OUT = 2_000  # texts of one form; the built-in ones have at most some hundred


def written_out(form: str, file: str) -> list[str]:
    """All texts of a form with choices: ``[brackets]`` may be left out, ``(this|that)`` is either.

    >>> written_out("[ich] (will|möchte) aufgeben", "de.toml")
    ['will aufgeben', 'möchte aufgeben', 'ich will aufgeben', 'ich möchte aufgeben']

    :raises LanguageError: naming ``file``, if brackets do not match or if there are too many texts.
    """
    parts = iter(_PART_OF_FORM.findall(form))

    def choices(closing: str) -> list[str]:
        done: list[str] = []
        texts = [""]
        for part in parts:
            if part in "([":
                inner = choices(")" if part == "(" else "]")
                inner = ["", *inner] if part == "[" else inner
                texts = [text + more for text in texts for more in inner]
            elif part == "|":
                done, texts = done + texts, [""]
            elif part == closing:
                return done + texts
            elif part in ")]":
                break
            else:
                texts = [text + part for text in texts]
            if len(done) + len(texts) > _MOST_WRITTEN_OUT:
                break
        else:
            if not closing:
                return done + texts
        raise LanguageError(
            "{file}: in {form} a bracket is not closed, or there are too many choices.",
            file=file,
            form=repr(form),
        )

    return list(dict.fromkeys(" ".join(text.split()) for text in choices("")))


def words_of_moves(words: Callable[..., list[str]]) -> Iterator[tuple[tuple[str, str], Word]]:
    """Each word or group of words for a move, after the path of its list in the pack.

    ``words`` gives the list at a path.
    """
    named = (GrammarSign.FILE, GrammarSign.RANK, GrammarSign.PIECE, GrammarSign.UNKNOWN)
    paths = [
        *((GrammarSign.FILE, number, ("files", name)) for number, name in enumerate("abcdefgh")),
        *((GrammarSign.RANK, number, ("ranks", name)) for number, name in enumerate("12345678")),
        *((GrammarSign.PIECE, piece, ("pieces", name)) for piece, name in PIECE_NAMES.items()),
        *((sign, 0, ("move", sign.name.lower())) for sign in GrammarSign if sign not in named),
    ]
    for sign, value, path in paths:
        for word in words(*path):
            yield path, Word(sign, value, word.lower())


_BUILT_IN = Path(__file__).with_name("packs")


def own_packs() -> Path:
    """The folder of the packs that the user has added, one file ``CODE.toml`` each. They replace
    built-in ones of the same name."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "languages"


_MOST_KEYS = 5_000  # of a pack; the built-in ones have about 1300
_MOST_ENTRIES = 60  # of a list; the built-in ones have at most 17
_LONGEST_KEY = 300  # letters, as in the next two
_LONGEST_TEXT = 2_000
_LONGEST_NAME = 300  # of a word, phrase or form in a list


def parse_pack(text: bytes, file: str) -> dict[str, Any]:
    """The contents of a pack.

    :raises LanguageError: naming ``file``, if it is not TOML, or if it is so large, or holds
        so long words, that it cannot be a language pack.
    """
    if len(text) > PACK.most_bytes:
        raise LanguageError(str(too_large(file, PACK)))
    return dict(_parsed(text, file))


@lru_cache(maxsize=8)  # what understands, what listens and what writes each read their pack
def _parsed(text: bytes, file: str) -> Mapping[str, Any]:
    try:
        data = read_toml(text, file)
    except ValueError as error:
        raise LanguageError(str(error)) from None
    if excess := _excess(data):
        raise LanguageError("Correct {path}: {error}", path=file, error=excess)
    return data


def _excess(data: Mapping[str, Any]) -> str:
    """A sentence about what is larger in a pack than anything in a language is; "" if nothing."""
    keys, left = 0, list(data.items())
    while left:
        key, value = left.pop()
        keys += 1
        if keys > _MOST_KEYS:
            return _("it has more than {most_keys} keys; remove some.", most_keys=_MOST_KEYS)
        if len(key) > _LONGEST_KEY:
            return _(
                "the key {key} has more than {longest_key} letters; shorten it.",
                key=shown(key),
                longest_key=_LONGEST_KEY,
            )
        if isinstance(value, Mapping):
            left += value.items()
        elif isinstance(value, list):
            if len(value) > _MOST_ENTRIES:
                return _(
                    "{key} lists more than {most_entries} words; remove some.",
                    key=shown(key),
                    most_entries=_MOST_ENTRIES,
                )
            longest = max((len(word) for word in value if isinstance(word, str)), default=0)
            if longest > _LONGEST_NAME:
                return _(
                    "a word of {key} has more than {longest_name} letters; shorten it.",
                    key=shown(key),
                    longest_name=_LONGEST_NAME,
                )
        elif isinstance(value, str) and len(value) > _LONGEST_TEXT:
            return _(
                "{key} has more than {longest_text} letters; shorten it.",
                key=shown(key),
                longest_text=_LONGEST_TEXT,
            )
    return ""


def built_in(name: str) -> dict[str, Any]:
    """The contents of the built-in pack with this file name."""
    return parse_pack((_BUILT_IN / name).read_bytes(), name)


def _add_missing_texts(data: dict[str, Any], code: str) -> None:
    """Add the texts that a user's own pack lacks, because it may be older than the program.

    In the middle of a game another language is better than silence.
    """
    whole = built_in(f"{code}.toml" if (_BUILT_IN / f"{code}.toml").is_file() else "en.toml")
    for table in ("sentences", "printed", "typed", "date", "letters", "analysis"):
        own = data.get(table, {})
        if isinstance(own, dict):
            data[table] = whole[table] | own


def languages() -> list[str]:
    """The codes of all languages, in alphabetical order."""
    return list(_sources())


def source(code: str) -> tuple[Path, str]:
    """The file of a language, and its name in messages.

    :raises LanguageError: if there is none.
    """
    found = _sources()
    if code not in found:
        raise LanguageError(
            "Unknown language {code}: choose one of {found}.",
            code=repr(code),
            found=", ".join(found),
        )
    return found[code]


def _sources() -> dict[str, tuple[Path, str]]:
    """The file of each pack, and its name in messages."""
    own = own_packs()
    added = _packs_in(own, str(own)) if own.is_dir() else {}
    return dict(sorted((_built_in_sources() | added).items()))


@cache  # asked for in each game, and always the same
def _built_in_sources() -> dict[str, tuple[Path, str]]:
    return _packs_in(_BUILT_IN, "packs")


def _packs_in(folder: Path, called: str) -> dict[str, tuple[Path, str]]:
    return {
        entry.stem: (entry, f"{called}/{entry.name}")
        for entry in folder.iterdir()
        if re.fullmatch(r"[a-z]{2,3}\.toml", entry.name)
    }
