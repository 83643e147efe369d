"""Chess in Braille: cells (U+2800 to U+283F), files for an embosser (BRF), and print.

A sheet may use three conventions, also mixed:

- A country's basic Braille, letter by letter as in print. The number sign ⠼ (dots 3456) stands
  before the digits ⠁ to ⠚. A capital sign stands before a piece's letter: ⠨ (46) in German and
  Danish, ⠠ (6) in Norwegian, Swedish and English. Sources: *Das System der deutschen
  Brailleschrift* (BSKDL, 2018), *Rules of Unified English Braille* (ICEB, 2013), and liblouis'
  tables for the Nordic countries. French letters have ⠨ too. French digits (Antoine's) are not
  read. :func:`write` writes this convention. A letter of another language has its accent's sign
  before it: ⠈ (4), in Danish ⠐ (5), in English one for each accent (UEB 4.2).
- Lowered digits for ranks without a number sign, which is quick to write: ``⠎⠋⠒`` is Sf3, with or
  without a capital sign.
- The British code: *Braille Chess Code and Layout* (UKAAF, 2015; earlier BAUK, 2001). Digits are
  lowered, also of move numbers (1.3). There are no capital signs. The pieces are K Q R L S, so none
  is a file's letter (2.1). Before the square of arrival stand ⠰ (56) for a capture, ⠘ (45) for
  check and ⠸ (456) for both (3.4, 3.6). Behind the move stands ⠜⠍ for mate (2.2).

A lowered digit and a sign may be the same cell. Behind a letter it is a digit, behind a digit it
is a sign: ⠖ is 6 in ``⠎⠉⠖`` and + in ``⠎⠋⠒⠖``. On a sheet with number signs it is never a digit.
"""

import re
import unicodedata

from blindplay.translation import UserError

BLANK = "\u2800"

# The North American Braille ASCII Code, which is in use everywhere (glibc's charmap BRF, liblouis'
# en-us-brf.dis). The index is the number of the cell: dot 1 is 1, dot 2 is 2, dot 3 is 4, and so
# on. Its digits are lowered.
_BRF = " A1B'K2L@CIF/MSP\"E3H9O6R^DJG>NTQ,*5<-U8V.%[$+X!&;:4\\0Z7(_?W]#Y)="
_FROM_BRF = {sign: chr(0x2800 + cell) for cell, sign in enumerate(_BRF)}
_FROM_BRF |= {sign.lower(): cell for sign, cell in _FROM_BRF.items()}
# The other half of ASCII's upper two columns means the same, like small letters.
_FROM_BRF |= {low: _FROM_BRF[up] for low, up in zip("`{|}~\x7f", "@[\\]^_", strict=True)}

_LETTERS = dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", "abcdefghijklmnopqrstuvwxyz", strict=True))
_CELLS = {letter: cell for cell, letter in _LETTERS.items()}
_UPPER = dict(zip("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚", "1234567890", strict=True))
_LOWER = dict(zip("⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴", "1234567890", strict=True))
_DIGITS = {digit: cell for cell, digit in _UPPER.items()}
LOWERED = {ord(digit): cell for cell, digit in _LOWER.items()}
_NUMBER = "⠼"
_CAPITALS = "⠨⠠"
_CAPITAL = {"nb": "⠠", "sv": "⠠", "en": "⠠"}
# The meaning of a lowered cell behind a digit or a sign.
_SIGNS = dict(zip("⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴⠄⠤", ",;:.?+=(*).-", strict=True))
_TEXT_SIGNS = _SIGNS | {"⠖": "!", "⠶": "=", "⠌": "/"}
_OTHER_LETTERS = {"ä": "⠜", "ö": "⠪", "ü": "⠳", "ß": "⠮", "æ": "⠜", "ø": "⠪", "å": "⠡"}
_MARKED = {"da": "⠐"}  # before a letter with any mark, in other countries than these: ⠈
_OWN_MARKED = {"nb": {"é": "⠿", "è": "⠮", "à": "⠷"}, "sv": {"é": "⠿", "è": "⠮", "à": "⠷"}}
# In English by their combining marks; any other mark is written as a stroke.
_MARKS = {
    "\u0300": "⠘⠡", "\u0301": "⠘⠌", "\u0302": "⠘⠩", "\u0303": "⠘⠻", "\u0304": "⠈⠤", "\u0306": "⠈⠬",
    "\u0308": "⠘⠒", "\u030a": "⠘⠫", "\u030c": "⠘⠬", "\u0327": "⠘⠯",
}  # fmt: skip
_STROKE = "⠈⠡"
# Letters that are no letter with a combining mark: what is read for them.
_READ_AS = {
    "ł": "l", "đ": "d", "ð": "d", "þ": "t", "ħ": "h", "ŧ": "t", "ŋ": "n", "ı": "i", "œ": "oe",
    "ø": "o", "æ": "ae", "ß": "ss",
}  # fmt: skip
_PRINTED = str.maketrans("‐‑‒–—−’‘ʼ´`", "------'''''")
_APOSTROPHES = {"de": "⠠", "da": "⠈", "nb": "⠐", "sv": "⠐"}  # in other countries ⠄
_TWO_CELLS = {
    "⠐⠖": "+", "⠘⠖": "+", "⠐⠶": "=", "⠐⠦": "x", "⠐⠣": "(", "⠐⠜": ")", "⠜⠍": "#", "⠜⠏": "+",
}  # fmt: skip
_NOUGHT = "(?:⠼?⠚|⠴|[⠨⠠]?⠕)"
_CASTLING = re.compile(f"{_NOUGHT}⠤?{_NOUGHT}(?P<long>⠤?{_NOUGHT})?(?![⠁⠃⠉⠙⠑⠋⠛⠓])")
_RANK = re.compile("[⠂⠆⠒⠲⠢⠖⠶⠦](?!.*⠼)|⠼[⠁⠃⠉⠙⠑⠋⠛⠓]")
_RUN = re.compile("[⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚]+|[⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴]+")
_OFFERS_DRAW = ("⠦⠶⠴", "⠶⠶⠶", "⠐⠣⠶⠐⠜", "⠐⠣⠐⠶⠐⠜")
_CHESS = re.compile(
    r"\d+\.*|(?:\d+\.*)?[kqrbnsdtlfc]?[a-h]?[1-8]?[-x:]?[kqrbnsdtlfc]?[a-h][1-8]"
    r"(?:[x:=(/+#?!.,;-].*|[kqrbnsdtlfc][^a-z]*|e\.?p.*)?",
    re.IGNORECASE,
)


def is_braille(text: str) -> bool:
    """True if there are cells in ``text``."""
    return any("\u2800" <= sign <= "\u28ff" for sign in text)


def to_brf(cells: str) -> str:
    """``cells`` and blanks as the signs of a BRF file. Spaces, line ends and form feeds stay.

    :raises ValueError: anything that is not a cell of six dots

    >>> to_brf("⠨⠎⠋⠼⠉")
    '.SF#C'
    """
    if strange := re.search("[^\u2800-\u283f \n\r\f]", cells):
        raise UserError(
            "{strange} is not a cell of six dots: write the text in Braille first.",
            strange=repr(strange[0]),
        )
    return cells.translate({0x2800 + cell: sign for cell, sign in enumerate(_BRF)})


def from_brf(brf: str) -> str:
    """The cells of a BRF file. Spaces, line ends and other signs stay.

    >>> from_brf(".sf#c")
    '⠨⠎⠋⠼⠉'
    """
    return "".join(sign if sign.isspace() else _FROM_BRF.get(sign, sign) for sign in brf)


def write(text: str, language: str = "de") -> str:
    """``text`` in the basic Braille of ``language`` (a two-letter code), without contractions.

    :func:`read` gives the same moves again. Behind a letter, plus and equals signs have dot 5
    before them, so nobody reads them as digits. Cells stay. A sign without a cell becomes ⠿.

    >>> write("Sxf3+"), write("0-0-0"), write("e8D", "nb")
    ('⠨⠎⠭⠋⠼⠉⠖', '⠼⠚⠤⠼⠚⠤⠼⠚', '⠑⠼⠓⠠⠙')
    """
    stop = "⠲" if language in ("en", "fr") else "⠄"
    signs = {sign: cell for cell, sign in _TEXT_SIGNS.items()} | {".": stop, "+": "⠖", "#": _NUMBER}
    signs["'"] = _APOSTROPHES.get(language, "⠄")
    found: list[str] = []
    before = ""
    for sign in unicodedata.normalize("NFC", text).translate(_PRINTED):
        digit = sign in _DIGITS
        if digit and before not in _DIGITS:
            found.append(_NUMBER)
        if digit:
            found.append(_DIGITS[sign])
        elif sign.isspace() or "\u2800" <= sign <= "\u283f":
            found.append(sign)
        elif sign.isalpha():
            if sign.isupper():
                found.append(_CAPITAL.get(language, "⠨"))
            elif before in _DIGITS and sign in "abcdefghij":
                found.append("⠠" if language == "de" else "⠰")
            found.append(_letter(sign.lower(), language))
        else:
            if sign in "+=" and before.isalpha():
                found.append("⠐")
            found.append(signs.get(sign, "⠿"))
        before = sign or " "
    return "".join(found)


def write_move(san: str, printed: str, language: str) -> str:
    """A move in the chess Braille of ``language``: in English by the British code, else as it is
    ``printed`` there. ``san``: the move in standard algebraic notation.

    >>> write_move("Nf3+", "Nf3+", "en"), write_move("Nf3+", "Sf3+", "sv")
    ('⠎⠘⠋⠒', '⠠⠎⠋⠼⠉⠲')
    """
    if language == "en":
        return write_british(san)
    cells = write(printed, language)
    # In Swedish dots 2 3 5 are an exclamation mark, and a plus sign is dots 2 5 6.
    return cells.replace("⠖", "⠲") if language == "sv" else cells


def write_number(number: int, language: str) -> str:
    """The number of a move in the chess Braille of ``language``, for a move of White.

    >>> write_number(12, "en"), write_number(12, "de")
    ('⠂⠆', '⠼⠁⠃⠄')
    """
    if language == "en":
        return str(number).translate(LOWERED)
    return write(f"{number}.", language)


def write_british(san: str) -> str:
    """A move in standard algebraic notation (English letters) in the British chess code.

    Castling is ``⠴⠤⠴``, a promotion the piece behind the square, and their check ``⠜⠏`` behind the
    move.

    :raises ValueError: if ``san`` is not a move.

    >>> write_british("Nf3"), write_british("Rxf4+"), write_british("Re8#")
    ('⠎⠋⠒', '⠗⠸⠋⠲', '⠗⠑⠦⠜⠍')
    """
    castling = re.fullmatch(r"([O0]-[O0](?:-[O0])?)([+#]?)", san)
    if castling is not None:
        cells = castling[1].replace("O", "0").replace("0", "⠴").replace("-", "⠤")
        return cells + {"": "", "+": "⠜⠏", "#": "⠜⠍"}[castling[2]]
    move = re.fullmatch(
        r"([KQRBN]?)([a-h]?[1-8]?)(x?)([a-h])([1-8])=?([QRBN]?)([+#]?)(?: ?e\.p\.)?", san
    )
    if move is None:
        raise ValueError(f"{san!r} is not a move: give one like Nxf3+.")
    piece, origin, captures, file, rank, promotion, check = move.groups()
    british = {"B": "l", "N": "s"}
    piece, promotion = (british.get(letter, letter.lower()) for letter in (piece, promotion))
    sign = {"x": "⠰", "x+": "⠸", "+": "⠘"}.get(captures + check.replace("#", ""), "")
    ranks = {digit: cell for cell, digit in _LOWER.items()}
    before = "".join(ranks.get(one) or _CELLS[one] for one in f"{piece}{origin}")
    square = "".join(ranks.get(one) or _CELLS[one] for one in f"{file}{rank}{promotion}")
    return before + sign + square + ("⠜⠍" if check == "#" else "")


def _letter(letter: str, language: str) -> str:
    if letter in _CELLS:
        return _CELLS[letter]
    own = {} if language == "en" else _OTHER_LETTERS | _OWN_MARKED.get(language, {})
    if letter in own:
        return own[letter]
    plain, marks = "", ""
    for sign in unicodedata.normalize("NFKD", letter):
        if unicodedata.combining(sign):
            marks += sign
        else:
            plain += _READ_AS.get(sign, sign)
    cells = [_CELLS.get(sign, "") for sign in plain]
    if not all(cells):
        return "⠿"
    mark = _MARKED.get(language, "⠈")
    if language == "en":
        mark = _MARKS.get(marks[:1], _STROKE)
    return (mark if len(cells) == 1 else "") + "".join(cells)  # a ligature needs no mark


def unwritten(text: str, language: str = "de") -> list[str]:
    """The letters of ``text`` for which :func:`write` has no cell, such as those of Greek."""
    own = _OWN_MARKED.get(language, {})
    letters = dict.fromkeys(sign for sign in unicodedata.normalize("NFC", text) if sign.isalpha())
    return [
        sign
        for sign in letters
        if sign.lower() not in own and _letter(sign.lower(), language) == "⠿"
    ]


def read(cells: str) -> str:
    """Braille as print, word by word. Print and unknown cells stay.

    Letters without a capital sign are small. A lowered number on its own is a move number and
    gets its full stop.

    >>> read("⠆ ⠎⠋⠒"), read("⠨⠎⠭⠋⠼⠉⠖"), read("⠗⠸⠋⠲"), read("⠴⠤⠴")
    ('2. sf3', 'Sxf3+', 'rxf4+', '0-0')
    """
    return re.sub(r"[^\s\u2800]+", lambda word: _word(word[0]), cells).replace(BLANK, " ")


def _word(word: str) -> str:
    if not is_braille(word):
        return word
    if word in _OFFERS_DRAW:
        return "(=)"
    if word == "⠑⠲⠏⠲":
        return "e.p."
    castling = _CASTLING.match(word)
    if castling is not None:
        rest = _chess(word[castling.end() :], "0")
        return ("0-0-0" if castling["long"] else "0-0") + rest
    if all(cell in _LOWER for cell in word):
        return "".join(_LOWER[cell] for cell in word) + "."
    moved = _chess(word, "")
    return moved if _CHESS.fullmatch(moved) else _text(word)


def _chess(word: str, before: str) -> str:
    """A word as chess. ``before`` is the print before it."""
    lowered = _NUMBER not in word
    found = before
    checks = ""
    index = 0
    while index < len(word):
        cell, two = word[index], word[index : index + 2]
        behind_letter = found[-1:].isalpha()
        promoted = found[-2:-1].isdigit() and found[-1] in "kqrstln"
        index += 1
        if two in _TWO_CELLS:
            found += _TWO_CELLS[two]
            index += 1
        elif cell == _NUMBER:
            digits = _RUN.match(word, index)
            if digits is None:
                found += "#"
            else:
                # A rank is one digit. Letters follow it without a letter sign.
                run = digits[0][:1] if behind_letter else digits[0]
                found += "".join(_UPPER.get(c) or _LOWER[c] for c in run)
                found += "." if run[0] in _LOWER and not behind_letter else ""
                index += len(run)
        elif cell in _CAPITALS and word[index : index + 1] in _LETTERS:
            letter = _LETTERS[word[index]]
            # Behind a number, dot 6 is also the sign for a small letter: before e.p., and before
            # a file, if a rank follows.
            small = cell == "⠠" and found[-1:].isdigit()
            small = small and (letter == "e" or bool(_RANK.match(word, index + 1)))
            found += letter if small else letter.upper()
            index += 1
        elif cell in _LETTERS:
            found += _LETTERS[cell]
        elif cell in _LOWER and behind_letter and lowered and not promoted:
            found += _LOWER[cell]
        elif cell in _SIGNS:
            found += _SIGNS[cell]
        elif cell in "⠰⠸⠘":
            takes = cell == "⠸" or (cell == "⠰" and found and (lowered or behind_letter))
            found += "x" if takes else ""
            checks += "+" if cell in "⠸⠘" else ""
        elif cell not in "⠜⠐":
            found += cell
    return found[len(before) :] + checks


def _text(word: str) -> str:
    """A word that is not chess."""
    other = {cell: letter for letter, cell in reversed(_OTHER_LETTERS.items())}
    found = ""
    upper = number = False
    for cell in word:
        if cell == _NUMBER:
            number = True
            continue
        if cell in _CAPITALS:
            upper, number = True, False
            continue
        if number and cell in _UPPER:
            found += _UPPER[cell]
            continue
        sign = _LETTERS.get(cell) or other.get(cell) or _TEXT_SIGNS.get(cell, cell)
        number = number and sign in ",.:-/"
        found += sign.upper() if upper else sign
        upper = False
    return found


_COMPUTER_DIGITS = dict(zip("⠡⠣⠩⠹⠱⠫⠻⠳", "12345678", strict=True))
"""Ranks in computer Braille with dot 6, as in German, French and British tables."""


def read_typed(text: str, language: str = "de") -> str:
    """Return as print what was typed on a Braille keyboard, in cells of six or eight dots.

    Besides what :func:`read` reads, these are ranks behind the letter of a file: dot 6 added to the
    letter, as in German, French and British computer Braille, and dot 8, as in the Nordic one.
    Dot 7 makes a letter a capital. ``language`` tells whether å or a rank is meant, and ø from ö.

    >>> read_typed("⠎⠋⠒"), read_typed("⡎⠋⠩"), read_typed("⠎⠋⢉"), read_typed("⠵⠳⠛⠑")
    ('sf3', 'Sf3', 'sf3', 'züge')
    """
    nordic = language in ("nb", "da", "sv")
    found = " ".join(_typed_word(word, nordic) for word in text.replace(BLANK, " ").split())
    return found.translate(str.maketrans("äö", "æø")) if language in ("nb", "da") else found


def _typed_word(word: str, nordic: bool) -> str:
    plain = computer = ""
    for cell in word:
        dots = ord(cell) - 0x2800
        six = chr(0x2800 + (dots & 0x3F))
        sign = cell
        if 0x40 <= dots < 0x100:
            sign = (_NUMBER if dots & 0x80 and six in _UPPER else "⠨" if dots & 0x40 else "") + six
        file = not nordic and computer[-1:] in tuple("⠁⠃⠉⠙⠑⠋⠛⠓")
        rank = _COMPUTER_DIGITS.get(cell) if file else None
        plain += sign
        computer += sign if rank is None else _NUMBER + _DIGITS[rank]
    move = read(computer)
    return move if _CHESS.fullmatch(move) else read(plain)
