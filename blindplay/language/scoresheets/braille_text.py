"""Any text in a country's uncontracted six-dot Braille, so that it can be read back.

:func:`write_text` writes prose and signs of chess as the country's Braille authority does, and
:func:`read_text` gives the same text again. Where the country's code has one sign for several of
print, such as one accent for all, the commonest has that sign, and the others have one of their own
here. Sources:

- German: *Das System der deutschen Brailleschrift* (BSKDL, 2018). Behind a number or inside a word
  punctuation has dot 6 before it.
- English: *Rules of Unified English Braille* (ICEB, 2013).
- Norwegian: *Håndbok i litterær punktskrift* (Offentlig utvalg for punktskrift, 2019).
- Swedish: *Svenska skrivregler för punktskrift* (Punktskriftsnämnden, 2009).
- Danish: the signs of liblouis' Danish tables, which follow *Den danske punktskrift*.
- Cyrillic and Greek letters: *World Braille Usage* (UNESCO, Perkins, NLS, 3rd edition, 2013),
  behind ⠿⠿⠉ and ⠿⠿⠛.

What none of these has is written as ⠿⠿, its number in Unicode, ⠿. A word is read back as soon as it
is written; a sign that would be read as another one is written by its number, too. So nothing is
lost, whatever stands in a text.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

_LETTERS = dict(zip("abcdefghijklmnopqrstuvwxyz", "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", strict=True))
_DIGITS = dict(zip("1234567890", "⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚", strict=True))
_FROM_DIGITS = {cell: digit for digit, cell in _DIGITS.items()}
_NUMBER = "⠼"
_ESCAPE, _ESCAPE_END = "⠿⠿", "⠿"
BROKEN = f"{_ESCAPE}⠐"
"""At the end of a line: the word goes on in the next line, without a blank."""
_CAPITAL = {"de": "⠨", "da": "⠨"}  # in other countries ⠠
_SMALL = {"de": "⠠"}  # before a small letter a to j behind a digit; in other countries ⠰
_EVERYWHERE = {",": "⠂", ";": "⠆", ":": "⠒", "!": "⠖", "-": "⠤"}
_SIGNS: Mapping[str, Mapping[str, str]] = {
    "de": {
        ".": "⠄", "?": "⠢", "(": "⠶", "[": "⠠⠶", '"': "⠦", "'": "⠠", "–": "⠠⠤", "/": "⠐⠂",
        "*": "⠠⠔", "#": "⠈⠼", "&": "⠐⠅", "$": "⠈⠎", "%": "⠼⠚⠴", "+": "⠈⠖", "=": "⠈⠶", "<": "⠈⠪⠄",
        ">": "⠈⠕⠂", "~": "⠈⠢⠢", "|": "⠐⠤", "{": "⠐⠷", "}": "⠐⠾", "@": "⠈⠜", "_": "⠈⠸", "\\": "⠈⠌",
        "§": "⠬", "°": "⠈⠴", "×": "⠈⠦", "€": "⠈⠑",
        "ä": "⠜", "ö": "⠪", "ü": "⠳", "ß": "⠮", "à": "⠈⠷", "â": "⠈⠡", "ç": "⠈⠯", "è": "⠈⠮",
        "é": "⠈⠿",
        "ê": "⠈⠣", "ë": "⠈⠫", "î": "⠈⠩", "ï": "⠈⠻", "ô": "⠈⠹", "ù": "⠈⠾", "û": "⠈⠱",
    },
    "en": {
        ".": "⠲", "?": "⠦", "(": "⠐⠣", ")": "⠐⠜", "[": "⠨⠣", "]": "⠨⠜", '"': "⠠⠶", "'": "⠄",
        "–": "⠠⠤", "—": "⠐⠠⠤", "/": "⠸⠌", "*": "⠐⠔", "#": "⠸⠹", "&": "⠈⠯", "$": "⠈⠎", "%": "⠨⠴",
        "+": "⠐⠖", "=": "⠐⠶", "<": "⠈⠣", ">": "⠈⠜", "~": "⠈⠔", "|": "⠸⠳", "{": "⠸⠣", "}": "⠸⠜",
        "@": "⠈⠁", "_": "⠨⠤", "\\": "⠸⠡", "^": "⠈⠢", "§": "⠘⠎", "°": "⠘⠚", "±": "⠸⠖", "×": "⠐⠦",
        "€": "⠈⠑", "£": "⠈⠇", "∞": "⠼⠿", "ß": "⠨⠮", "ø": "⠈⠡⠕", "ł": "⠈⠡⠇", "đ": "⠈⠒⠙",
        "æ": "⠁⠘⠖⠑", "œ": "⠕⠘⠖⠑", "ð": "⠼⠫", "þ": "⠼⠮",
    },
    "nb": {
        ".": "⠄", "?": "⠢", "(": "⠦", ")": "⠴", "[": "⠷", "]": "⠾", '"': "⠲", "'": "⠐", "–": "⠤⠤",
        "/": "⠌", "*": "⠔", "#": "⠼", "&": "⠬", "$": "⠈⠎", "%": "⠨⠴", "+": "⠐⠖", "=": "⠶",
        "<": "⠪⠄", ">": "⠕⠂", "~": "⠹", "{": "⠠⠷", "}": "⠠⠾", "@": "⠈", "_": "⠸", "\\": "⠱",
        "^": "⠨", "°": "⠐⠴", "æ": "⠜", "ø": "⠪", "å": "⠡", "ü": "⠳", "é": "⠿", "è": "⠮", "ê": "⠣",
        "ç": "⠯",
    },
    "sv": {
        ".": "⠄", "?": "⠢", "(": "⠦", ")": "⠴", "[": "⠷", "]": "⠾", '"': "⠰", "'": "⠐", "–": "⠤⠤",
        "/": "⠌", "*": "⠔", "#": "⠘⠼", "&": "⠯", "$": "⠘⠎", "%": "⠹", "+": "⠲", "=": "⠶", "~": "⠘⠒",
        "{": "⠠⠷", "}": "⠠⠾", "@": "⠘⠷", "_": "⠘⠤", "\\": "⠘⠌", "^": "⠘⠖", "|": "⠸", "§": "⠬",
        "°": "⠻⠛", "×": "⠻⠭", "€": "⠘⠑",
        "å": "⠡", "ä": "⠜", "ö": "⠪", "ü": "⠳", "é": "⠿", "è": "⠮",
    },
    "da": {
        ".": "⠄", "?": "⠢", "(": "⠦", ")": "⠴", "[": "⠠⠦", "]": "⠠⠴", '"': "⠶", "'": "⠈",
        "–": "⠤⠤", "/": "⠌", "*": "⠔", "#": "⠘⠼", "&": "⠯", "$": "⠘⠎", "%": "⠼⠚⠴", "+": "⠘⠖",
        "=": "⠘⠶", "<": "⠘⠣", ">": "⠘⠜", "~": "⠘⠠", "{": "⠸⠦", "}": "⠸⠴", "@": "⠘⠁", "_": "⠸⠤",
        "\\": "⠸⠡", "^": "⠘⠢", "|": "⠸⠳", "§": "⠬", "°": "⠈⠴", "×": "⠘⠄", "€": "⠘⠑",
        "æ": "⠜", "ø": "⠪", "å": "⠡",
    },
}  # fmt: skip
"""The signs of each country beside those of :data:`_EVERYWHERE`."""
_CLOSED_LIKE = {"de": {")": "(", "]": "["}}
"""Brackets of one sign for both: the first one opens, the next one closes."""
_MORE = {
    "“": "⠘⠦", "”": "⠘⠴", "„": "⠘⠠⠦", "«": "⠸⠦", "»": "⠸⠴", "‘": "⠐⠦", "’": "⠐⠄", "…": "⠸⠄",
    "—": "⠸⠤⠤", "½": "⠸⠼⠃",
}  # fmt: skip
"""Signs that differ in print only, where the country has no sign for them."""
_MARKS = {
    "\u0300": "⠡", "\u0301": "⠌", "\u0302": "⠩", "\u0303": "⠻", "\u0304": "⠤", "\u0306": "⠱",
    "\u0307": "⠂", "\u0308": "⠒", "\u030a": "⠫", "\u030b": "⠖", "\u030c": "⠬", "\u0326": "⠆",
    "\u0327": "⠯", "\u0328": "⠢",
}  # fmt: skip
"""Combining marks of Latin letters, behind the country's sign for an accent: the second cells of
Unified English Braille (4.2) as far as it has the mark."""
_ACCENT = {"en": "⠘", "da": "⠐"}  # in other countries ⠈
_ENGLISH_MARKS = {"\u0304": "⠈⠤", "\u0306": "⠈⠬"}
"""Those that are not behind the same cell in English."""
_STROKED = {
    "ł": "l",
    "đ": "d",
    "ø": "o",
    "ð": "e",
    "þ": "t",
    "æ": "a",
    "œ": "q",
    "ı": "i",
    "ß": "s",
}
"""Letters that are no letter with a combining mark: the letter behind ⠸ and the accent."""
_PLAIN_ACCENT = {
    "a": "á", "c": "ć", "e": "é", "i": "í", "n": "ñ", "o": "ó", "s": "š", "u": "ú", "y": "ý",
    "z": "ž", "r": "ř", "g": "ğ", "d": "ď", "t": "ť", "l": "ľ",
}  # fmt: skip
"""The letter that an accent without its kind means, where the country has one accent for all."""
_ALPHABETS = {
    "⠉": dict(
        zip(
            "абвгдеёжзийклмнопрстуфхцчшщъыьэюяіїєґ",
            "⠁⠃⠺⠛⠙⠑⠡⠚⠵⠊⠯⠅⠇⠍⠝⠕⠏⠗⠎⠞⠥⠋⠓⠉⠟⠱⠭⠷⠮⠾⠪⠳⠫⠽⠹⠜⠻",
            strict=True,
        )
    ),
    "⠛": dict(zip("αβγδεζηθικλμνξοπρστυφχψω", "⠁⠃⠛⠙⠑⠵⠱⠹⠊⠅⠇⠍⠝⠭⠕⠏⠗⠎⠞⠥⠋⠯⠽⠺", strict=True)),
}
_STRESS = "⠈"
"""Before a Greek or Cyrillic letter with an accent, and before a sigma at the end of a word."""
_FROM_ALPHABETS = {
    sign: {cell: letter for letter, cell in letters.items()} for sign, letters in _ALPHABETS.items()
}
_MOST_TRIES = 200  # of writing one word: each puts one more sign into its number
_MOST_WORK = 100_000  # signs that are written for one word
_FAR = 16  # cells that tell what comes next


def normal(text: str) -> str:
    """``text`` as Braille, print and PGN can all hold it: composed letters, single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def write_text(text: str, language: str = "de") -> str:
    """``text`` in the uncontracted Braille of ``language``, a two-letter code; for another one than
    those of this module as in English. Words have single blanks between them.

    >>> write_text("Schön!", "de"), write_text("(see 3.)", "en")
    ('⠨⠎⠉⠓⠪⠝⠖', '⠐⠣⠎⠑⠑ ⠼⠉⠲⠐⠜')
    """
    code = _code(language)
    opened = frozenset[str]()
    found = []
    for word in normal(text).split():
        cells, opened = _write_word(word, code, opened)
        found.append(cells)
    return " ".join(found)


def read_text(cells: str, language: str = "de") -> str:
    """The text that :func:`write_text` has written. A cell that it has not written stays.

    >>> read_text("⠨⠎⠉⠓⠪⠝⠖"), read_text("⠐⠣⠎⠑⠑ ⠼⠉⠲⠐⠜", "en")
    ('Schön!', '(see 3.)')
    """
    code = _code(language)
    opened = frozenset[str]()
    found = []
    for word in cells.replace("\u2800", " ").split():
        text, opened = _read_word(word, code, opened)
        found.append(text)
    return " ".join(found)


def numbered(sign: str) -> str:
    """A sign by its number in Unicode."""
    return f"{_ESCAPE}{_NUMBER}{''.join(_DIGITS[digit] for digit in str(ord(sign)))}{_ESCAPE_END}"


def numbered_signs(cells: str) -> list[str]:
    """The signs that :func:`write_text` has written by their numbers, each once."""
    numbers = re.findall(f"{_ESCAPE}{_NUMBER}([⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚]+){_ESCAPE_END}", cells)
    signs = ("".join(_FROM_DIGITS[cell] for cell in number) for number in numbers)
    return list(dict.fromkeys(chr(int(sign)) for sign in signs))


def _code(language: str) -> str:
    return language if language in _SIGNS else "en"


@lru_cache(maxsize=1 << 14)
def _write_word(word: str, code: str, opened: frozenset[str]) -> tuple[str, frozenset[str]]:
    by_number: set[int] = set()
    for _try in range(min(_MOST_TRIES, 1 + _MOST_WORK // len(word))):
        cells = _encoded(word, code, by_number)
        read, after = _read_word(cells, code, opened)
        if read == word:
            return cells, after
        differs = next(
            (at for at, (one, other) in enumerate(zip(word, read, strict=False)) if one != other),
            min(len(read), len(word) - 1),
        )
        # What comes before a sign that was read wrongly may be the reason.
        while differs in by_number and differs > 0:
            differs -= 1
        if differs in by_number:
            break
        by_number.add(differs)
    cells = _encoded(word, code, set(range(len(word))))
    return cells, opened


def _encoded(word: str, code: str, by_number: set[int]) -> str:
    found, before, alphabet = "", "", ""
    for at, sign in enumerate(word):
        if at in by_number:
            found += numbered(sign)
            before = alphabet = ""
            continue
        other = _alphabet(sign)
        if other != alphabet:
            found += f"{_ESCAPE}{other}" if other else _ESCAPE_END
            alphabet = other
        if sign in _DIGITS:
            found += _DIGITS[sign] if before in _DIGITS and before else _NUMBER + _DIGITS[sign]
        elif sign.isalpha() and sign.lower() != sign and len(sign.lower()) == 1:
            found += _CAPITAL.get(code, "⠠") + _letter(sign.lower(), code, alphabet)
        elif sign.isalpha():
            cells = _letter(sign, code, alphabet)
            if before in _DIGITS and before and cells[:1] in _FROM_DIGITS:
                found += _SMALL.get(code, "⠰")
            found += cells
        else:
            found += _sign(sign, before, at == 0, at == len(word) - 1, code)
        before = sign
    return found


def _accented(base: str, mark: str, code: str) -> str:
    """The cells of a Latin letter with a mark."""
    other = _ENGLISH_MARKS.get(mark) if code == "en" else None
    return (other or _ACCENT.get(code, "⠈") + _MARKS[mark]) + _LETTERS[base]


def _parted(letter: str) -> str:
    """A Greek or Cyrillic letter, and a mark behind it if it is stressed."""
    if letter == "ς":
        return "σ\u0301"
    parts = unicodedata.normalize("NFD", letter)
    return parts if parts[1:] == "\u0301" else letter


def _alphabet(sign: str) -> str:
    base = _parted(sign.lower())[0]
    return next((key for key, letters in _ALPHABETS.items() if base in letters), "")


def _sign(sign: str, before: str, first: bool, last: bool, code: str) -> str:
    cells = _cells(code).get(sign)
    if cells is None:
        return numbered(sign)
    if sign == '"' and code == "en":
        return "⠦" if first else "⠴" if last else cells
    if sign == "?" and code == "en" and first:
        return f"⠰{cells}"  # otherwise it would be a quotation mark
    if sign == '"' and code == "de" and not first:
        return "⠠⠴" if before.isdigit() else "⠴"
    # BSKDL: punctuation behind a number or inside a word has dot 6 before it.
    inside = before.isdigit() or (before.isalpha() and not last)
    if code == "de" and ((sign in "?!" and inside) or (sign in "()" and before.isdigit())):
        return f"⠠{cells}"
    return cells


def _letter(letter: str, code: str, alphabet: str) -> str:
    if alphabet:
        parts = _parted(letter)
        return _STRESS * (len(parts) > 1) + _ALPHABETS[alphabet][parts[0]]
    own = _cells(code).get(letter) or _LETTERS.get(letter)
    if own:
        return own
    accent = _ACCENT.get(code, "⠈")
    if letter in _STROKED:
        return f"⠸{accent}{_LETTERS[_STROKED[letter]]}"
    parts = unicodedata.normalize("NFD", letter)
    base, mark = parts[0], parts[1:]
    if base in _LETTERS and mark in _MARKS:
        plain = accent + _LETTERS[base]
        if code != "en" and _PLAIN_ACCENT.get(base) == letter and plain not in _own(code):
            return plain
        return _accented(base, mark, code)
    return numbered(letter)


@lru_cache
def _cells(code: str) -> Mapping[str, str]:
    """The cells of each sign and special letter of a country."""
    own = _EVERYWHERE | dict(_SIGNS[code])
    own |= {closing: own[opening] for closing, opening in _CLOSED_LIKE.get(code, {}).items()}
    return {sign: cells for sign, cells in _MORE.items() if sign not in own} | own


@lru_cache
def _own(code: str) -> frozenset[str]:
    return frozenset(_SIGNS[code].values())


@lru_cache
def _readings(code: str) -> Mapping[str, str]:
    """What each group of cells means: letters come before signs, and a group that has several
    meanings has the first one."""
    found: dict[str, str] = {}
    for sign, cells in (*_cells(code).items(), *((one, cell) for one, cell in _LETTERS.items())):
        found.setdefault(cells, sign)
    accent = _ACCENT.get(code, "⠈")
    for letter, base in _STROKED.items():
        found.setdefault(f"⠸{accent}{_LETTERS[base]}", letter)
    for base, cell in _LETTERS.items():
        for mark in _MARKS:
            letter = unicodedata.normalize("NFC", base + mark)
            if len(letter) == 1:
                found.setdefault(_accented(base, mark, code), letter)
        if code != "en" and base in _PLAIN_ACCENT:
            found.setdefault(accent + cell, _PLAIN_ACCENT[base])
    if code == "en":
        found |= {"⠴": '"', "⠰⠦": "?"}
    if code == "de":
        found |= {"⠴": '"', "⠠⠴": '"', "⠠⠢": "?", "⠠⠖": "!"}
    return found


_LONGEST = 4  # cells of one sign


@lru_cache(maxsize=1 << 14)
def _read_word(word: str, code: str, opened: frozenset[str]) -> tuple[str, frozenset[str]]:
    """The text of a word. ``opened``: the brackets of one sign for both that are open."""
    found, at, number, upper = "", 0, False, False
    alphabet: Mapping[str, str] = {}
    capital, small = _CAPITAL.get(code, "⠠"), _SMALL.get(code, "⠰")
    readings, closing = _readings(code), {o: c for c, o in _CLOSED_LIKE.get(code, {}).items()}
    accents = (_ACCENT.get(code, "⠈"), "⠸")
    while at < len(word):
        rest = word[at : at + _FAR]
        if alphabet and not rest.startswith(_ESCAPE):
            if rest[0] == _ESCAPE_END:
                alphabet, at = {}, at + 1
            elif rest[0] == capital and (rest[1:2] in alphabet or rest[1:2] == _STRESS):
                upper, at = True, at + 1
            elif rest[0] == _STRESS and rest[1:2] in alphabet:
                letter = unicodedata.normalize("NFC", alphabet[rest[1]] + "\u0301")
                letter = "ς" if letter == "σ\u0301" else letter
                found, at, upper = found + (letter.upper() if upper else letter), at + 2, False
            elif upper:
                found, at, upper = found + alphabet.get(rest[0], rest[0]).upper(), at + 1, False
            else:
                found, at = found + alphabet.get(rest[0], rest[0]), at + 1
            continue
        if rest.startswith(_ESCAPE):
            escaped = re.match(f"{_ESCAPE}{_NUMBER}([⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚]+){_ESCAPE_END}", rest)
            if escaped is not None:
                point = int("".join(_FROM_DIGITS[cell] for cell in escaped[1]))
                known = point < 0x110000 and not 0xD800 <= point < 0xE000  # UTF-8 has no surrogates
                found += chr(point) if known else rest[: escaped.end()]
                at, number, alphabet = at + escaped.end(), False, {}
                continue
            if rest[2:3] in _FROM_ALPHABETS:
                alphabet, at, number = _FROM_ALPHABETS[rest[2]], at + 3, False
                continue
            found, at, number = found + _ESCAPE, at + 2, False
            continue
        if rest[0] == _NUMBER and rest[1:2] in _FROM_DIGITS and not rest.startswith("⠼⠚⠴"):
            number, at = True, at + 1
            continue
        if number and rest[0] in _FROM_DIGITS:
            found, at = found + _FROM_DIGITS[rest[0]], at + 1
            continue
        if number and rest[0] == small and rest[1:2] in _FROM_DIGITS:
            number, at = False, at + 1
            continue
        number = False
        if rest[0] == capital and not upper and (
            rest[1:2] in _LETTERS.values() or rest[1:2] in accents or rest[1:2] in "⠜⠪⠳⠡⠿⠮⠣⠯⠈⠨⠼"
        ) and rest[:2] not in readings:  # fmt: skip
            upper, at = True, at + 1
            continue
        for size in range(min(_LONGEST, len(rest)), 0, -1):
            sign = readings.get(rest[:size])
            if sign is not None:
                break
        else:
            found, at, upper = found + rest[0], at + 1, False
            continue
        if code == "en" and rest[:size] == "⠦":
            sign = '"' if not found else "?"
        if sign in closing:
            if sign == "[" and found[-1:].isdigit() and not ("[" in opened and "(" not in opened):
                sign = "("  # behind a number it has dot 6, too
            opened, sign = (
                (opened - {sign}, closing[sign]) if sign in opened else (opened | {sign}, sign)
            )
        found += sign.upper() if upper else sign
        upper, at = False, at + size
    return found, opened
