"""The letters of files that are not in UTF-8, such as those of older programs and of Excel.

Names of players are too short for statistics of whole texts: charset-normalizer 3.5 reads "Müller,
Jörg" and "Åström" in Windows-1252 as Windows-1250, and so "Ĺström". Here each word is read in each
encoding, and the encoding wins in which most words have the letters of one language.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from blindplay.given import plain, plain_lines
from blindplay.translation import _

_WEST = ("de", "sv", "da", "nl", "fr", "es", "pt", "it", "ca", "is", "et")
_CENTRAL = ("cs", "sk", "pl", "hu", "hr", "ro", "de")
_ENCODINGS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "cp1252": ("Windows-1252", (*_WEST, "tr")),
    "cp1250": ("Windows-1250", _CENTRAL),
    "mac_roman": ("Mac Roman", _WEST),
    "cp1257": ("Windows-1257", ("et", "lt", "lv", "pl", "de")),
    "cp1254": ("Windows-1254", ("tr", "de", "fr", "es", "it")),
    "iso8859_2": ("ISO 8859-2", _CENTRAL),
    "cp1251": ("Windows-1251", ("ru", "uk", "sr")),
    "koi8_r": ("KOI8-R", ("ru",)),
    "cp1253": ("Windows-1253", ("el",)),
    "cp850": ("DOS 850", _WEST),
}
"""The encodings of one byte for a letter, the commonest first: how they are called, and the
languages that people write in them."""
_LETTERS = {
    "de": "äöüß", "sv": "åäö", "da": "æøå", "nl": "éëïöü", "fr": "àâçèéêëîïôœùûü",
    "es": "áéíñóúü", "pt": "àáâãçéêíóôõú", "it": "àèéìòù", "ca": "àçèéíïòóúü", "is": "áæéðíóöúýþ",
    "et": "äõöüšž", "cs": "áčďéěíňóřšťúůýž", "sk": "áäčďéíľňóôšťúýž", "pl": "ąćęłńóśźż",
    "hu": "áéíóöőúüű", "hr": "čćđšž", "ro": "âăîşţșț", "lt": "ąčęėįšųūž", "lv": "āčēģīķļņšūž",
    "tr": "âçğıöşüİ", "ru": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "uk": "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "el": "αβγδεζηθικλμνξοπρστυφχψωςάέήίόύώϊϋ",
}  # fmt: skip
"""Letters of languages that are not in ASCII."""
_NOT_LATIN = ("ru", "uk", "sr", "el")
_UNUSUAL = {
    "sv": "qw", "da": "cqwxz", "fr": "kw", "es": "kw", "pt": "kwy", "it": "jkwxy", "ca": "kwy",
    "is": "cqwz", "et": "cqwxyz", "cs": "qwx", "sk": "qwx", "pl": "qvx", "hu": "qwx", "hr": "qwxy",
    "ro": "kqwy", "lt": "qwx", "lv": "qwxy", "tr": "qwx",
}  # fmt: skip
"""Letters of ASCII that a language has in foreign words only."""
_NORDIC_END = re.compile("(sen|sson)$")
_OF_NORDIC_NAMES = ("de", "sv", "da", "nl", "is")
"""Languages with names like Sørensen."""
_PIECES = frozenset("ŞŽЦДТОКРПФЛСΡΒΠΑΙΣ")
"""Letters for pieces that are not in ASCII, which stand before a square."""
_WORD = re.compile(rb"[A-Za-z'\x80-\xff]*[\x80-\xff][A-Za-z'\x80-\xff]*")
_MOVE = re.compile(rb"([\x80-\xff])(?=[\x80-\xff]?[a-h]?[1-8]?[x:\-]?[a-h][1-8](?![0-9A-Za-z]))")
_END = re.compile(rb"(?<=\n)|(?<=\r)(?!\n)")
_TEXT_END = re.compile(_END.pattern.decode())
_MOST_WORDS = 3000
_STRANGE, _FOREIGN, _HARD, _RARE = 3.0, 1.0, 0.5, 0.25
_OF_ONE = 0.1
_LOOKED_AT = 4000  # bytes, for UTF-16 without its mark
_SHOWN, _LONGEST = 3, 30  # words of a file in a sentence, and their letters


@dataclass(frozen=True)
class GuessedText:
    """A text from a file. ``encodings`` are those of its ``lines``; ``guessed`` is a sentence about
    letters that were guessed, or empty."""

    lines: tuple[str, ...]
    encodings: tuple[str, ...]
    guessed: str = ""

    @property
    def text(self) -> str:
        """The text, made harmless; a byte that is no letter is shown as a replacement character."""
        return plain_lines(shown_whole("".join(self.lines)))


def shown_whole(text: str) -> str:
    """``text`` with replacement characters for bytes that are no letters."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def encoded(lines: "tuple[str, ...] | list[str]", encodings: tuple[str, ...]) -> bytes:
    """The bytes of lines in their encodings, those from which :func:`guess` has read them."""
    return b"".join(
        line.encode(encoding, "surrogateescape")
        for line, encoding in zip(lines, encodings, strict=True)
    )


def guess(data: bytes, name: str) -> GuessedText:
    """The text of a file whose encoding is not known; ``name`` is the file's in the sentence.

    UTF-8 is tried for each line by itself: files that were put together may have several encodings.
    """
    if (wide := _wide(data)) is not None:
        lines = tuple(_TEXT_END.split(data.decode(wide, "replace")))
        return GuessedText(lines, (wide,) * len(lines))
    raw = _END.split(data) if data else []
    other = [line for line in raw if not _is_utf8(line)]
    best = _best(other) if other else ""
    encodings = tuple("utf-8" if _is_utf8(line) else best for line in raw)
    lines = tuple(
        line.decode(encoding, "surrogateescape")
        for line, encoding in zip(raw, encodings, strict=True)
    )
    return GuessedText(lines, encodings, _sentence(other, best, name) if other else "")


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _wide(data: bytes) -> str | None:
    """UTF-16 or UTF-32 by its mark, or by the zeros beside the letters of ASCII; None if it is
    neither. The mark stays in the first line: Python would write one in each line for itself."""
    for mark, encoding in (
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
    ):
        if data.startswith(mark):
            return encoding
    part = data[:_LOOKED_AT]
    even, odd = part[::2].count(0), part[1::2].count(0)
    if max(even, odd) * 3 > len(part) and min(even, odd) * 20 < len(part):
        return "utf-16-be" if even > odd else "utf-16-le"
    return None


def _best(lines: list[bytes]) -> str:
    """The encoding in which the words of these lines have the most usual letters."""
    words: Counter[bytes] = Counter()
    pieces: Counter[bytes] = Counter()
    for line in lines:
        pieces.update(_MOVE.findall(line))
        words.update(_WORD.findall(_MOVE.sub(b" ", line)))
        if len(words) > _MOST_WORDS:
            break

    def cost(encoding: str) -> float:
        strange = sum(
            _STRANGE * count
            for piece, count in pieces.items()
            if piece.decode(encoding, "replace") not in _PIECES
        )
        languages = _ENCODINGS[encoding][1]
        texts = [word.decode(encoding, "replace") for word in words]
        # Most files have the names of one language.
        alone = min(sum(_cost(text, (one,)) for text in texts) for one in languages)
        return strange + sum(_cost(text, languages) for text in texts) + _OF_ONE * alone

    return min(_ENCODINGS, key=cost)


@lru_cache(maxsize=1 << 14)
def _cost(word: str, languages: tuple[str, ...]) -> float:
    """How unlikely a word is in these languages."""
    bare = word.strip("'’‘‚“”„»«›‹–—…‐-¡¿·´`").replace("'", "").replace("’", "")
    if bare.isascii():
        return _HARD if _QUOTED_SMALL.match(word) else 0.0
    strange = sum(unicodedata.category(letter) not in ("Lu", "Ll") for letter in bare)
    if not bare.isupper():
        strange += sum(not one.isascii() and one.isupper() for one in bare[1:])
    text = bare.casefold()
    hard = sum(len(run) - 3 for run in _CONSONANTS.findall(_without_marks(text)))
    crowded = sum(map(len, _CROWDED.findall(text)))
    latin = all(language not in _NOT_LATIN for language in languages)
    cost = _STRANGE * strange + min(_foreign(text, language) for language in languages)
    if latin:
        cost += _HARD * hard + _FOREIGN * crowded
        cost += _HARD * bool(_UNLIKELY.search(text))
    return cost + (_RARE if len(bare) == 1 else 0.0)


_UNLIKELY = re.compile("iæ$|^ç[b-df-hj-np-tv-xz]")
"""In words of the languages here: perhaps *Popović* and *Ērglis*."""
_QUOTED_SMALL = re.compile(r"[«»‹›‚„][a-z]+$")
"""A word in small letters behind a quotation mark that does not end there: perhaps *Çelik*."""
_CONSONANTS = re.compile(r"[^\Waeiouyæøœı\d_]{4,}")
_CROWDED = re.compile(r"[^\x00-\x7f]{3,}")


def _without_marks(text: str) -> str:
    return "".join(
        one for one in unicodedata.normalize("NFD", text) if not unicodedata.combining(one)
    )


def _foreign(word: str, language: str) -> float:
    """How many letters of a word this language does not have."""
    alphabet, unusual = _LETTERS[language], _UNUSUAL.get(language, "")
    ascii_letters = [letter for letter in word if letter.isascii()]
    foreign = sum(letter not in alphabet for letter in word if not letter.isascii())
    if language in _NOT_LATIN:
        return _FOREIGN * (foreign + len(ascii_letters))
    rare = sum(letter in unusual for letter in ascii_letters)
    rare += language not in _OF_NORDIC_NAMES and bool(_NORDIC_END.search(word))
    return _FOREIGN * foreign + _RARE * rare


def _sentence(lines: list[bytes], encoding: str, name: str) -> str:
    words = dict.fromkeys(word for line in lines for word in _WORD.findall(line))
    longest = sorted((word for word in words if len(word) <= _LONGEST), key=len, reverse=True)
    some = [plain(word.decode(encoding, "replace")) for word in longest[:_SHOWN]]
    return _(
        "{name} is not in UTF-8; its letters were read as {encoding}: {words}. If they are wrong, "
        "save it as UTF-8.",
        name=name,
        encoding=_ENCODINGS[encoding][0],
        words=", ".join(some),
    )
