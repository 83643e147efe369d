"""The possible meanings of an entry of a scoresheet, before any board is looked at.

What its letters stand for is left open: see :mod:`.letters`.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache

import chess

from ..pack import GrammarSign, Pack, fold, languages
from ..parsing import UCI_PIECES, TextParser
from . import braille
from .letters import FIGURINES, PIECES, SheetLetters, is_known, long_letters


class Remark(Enum):
    """An oddity of an entry that can still stand for a move."""

    CAPTURE_UNMARKED = "capture_unmarked"  # a piece captures, and no sign says so
    CAPTURE_FALSE = "capture_false"  # a capture is written, and nothing is captured
    CAPTURED_OTHER = "captured_other"  # another piece is written as captured
    CHECK_FALSE = "check_false"  # check, double check or mate is written, and there is none
    EN_PASSANT_FALSE = "en_passant_false"  # ``e.p.`` is written, and the move is not en passant
    ORIGIN_OMITTED = "origin_omitted"  # which of several pieces moves is not written
    ORIGIN_UNNEEDED = "origin_unneeded"  # a file or rank is written that nobody needs
    RANK_OMITTED = "rank_omitted"  # ``ed``: only the files of a pawn's capture are written
    SQUARE_OMITTED = "square_omitted"  # ``LxS``: only the pieces of a capture are written
    SIDE_OMITTED = "side_omitted"  # the side of castling is not written
    PROMOTION_MISSING = "promotion_missing"  # the piece that the pawn becomes is not written
    PAWN_LETTER = "pawn_letter"  # a letter is written for the pawn
    CAPITAL_SQUARE = "capital_square"  # ``E4``: the square is written in capitals
    SMALL_LETTER = "small_letter"  # ``sf3``: the piece is written in small letters
    LETTER_OPEN = "letter_open"  # the letter may stand for another piece
    CASTLING_AS_KING_MOVE = "castling_as_king_move"  # ``Kg1`` for castling
    CORRECTED = "corrected"  # something else was written before, and taken back


@dataclass(frozen=True, slots=True)
class EntryMeaning:
    """One meaning of an entry, whatever its letters stand for.

    - ``piece``: None if a letter tells it, or if only squares are written.
    - ``letter``, ``captured_letter``, ``promotion_letter``: as written, "" for none.
    - ``origins``, ``targets``: the squares from and to which the piece can go.
    - ``partial``: only a file or a rank of the origin is written.
    - ``check``: "", "+", "++" or "#".
    - ``odd``: what is odd about the entry on any board.
    - ``own``: it is written as usual. Other meanings count only if there is none.
    """

    piece: chess.PieceType | None = None
    origins: chess.Bitboard = chess.BB_ALL
    targets: chess.Bitboard = chess.BB_ALL
    partial: bool = False
    captures: bool = False
    captured: chess.PieceType | None = None
    promotion: chess.PieceType | None = None
    letter: str = ""
    captured_letter: str = ""
    promotion_letter: str = ""
    en_passant: bool = False
    check: str = ""
    castles: GrammarSign | None = None
    odd: tuple[Remark, ...] = ()
    own: bool = True

    @property
    def letters(self) -> frozenset[str]:
        """The letters of pieces that are written."""
        return frozenset({self.letter, self.captured_letter, self.promotion_letter} - {""})


_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("×✕✖⨯", "x"),
        **dict(zip("♚♛♜♝♞♟", FIGURINES, strict=True)),
        "†": "+",
        "‡": "#",
        "≠": "#",
        "÷": ":",
        "…": "...",
    }
)
_NUMBER = re.compile(r"\s*(?:[1-9]\d*(?:\s*[.):]|\s+))?[\s.]*")
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
_LONG_WORD = re.compile(r"(?<![^\W_])[^\W\d_]{4,}(?![^\W_])")
_LONGEST = 200  # characters of an entry in words
_NUMERIC = re.compile(r"([1-8]{2})([1-8]{2})([1-4]?)")
_FILES = str.maketrans("аецсбдфгхαβγδεζηθ", "aeccbdfghabcdefgh")
_FOREIGN_FILE = re.compile("[аецсбдфгхαβγδεζηθ](?=[1-8])|^[аецсбдфгαβγδεζηθ](?=[x:хХX])")
"""A file in Cyrillic or Greek letters."""
_CAPTURE = re.compile("(?<=.)[хХX](?=[^1-8])")
"""A capture's sign that was typed as another letter of its look."""
_EN_PASSANT = r"\(?(?:e\.?p\.?|enpassant)\)?"


@cache
def _packs() -> tuple[Pack, ...]:
    return tuple(map(Pack.read, languages()))


@cache
def _parsers() -> tuple[TextParser, ...]:
    return tuple(map(TextParser, _packs()))


@cache
def _vocabulary() -> frozenset[str]:
    """Every folded word of four letters or more that an entry can hold, in all languages."""
    known = (parser.vocabulary for parser in _parsers())
    return frozenset({"mate", "echec", "enpassant", "passant"}.union(*known))


def _holds_other_words(text: str) -> bool:
    """True if ``text`` holds a word of no language, so that it is not an entry. This is fast."""
    if _LONG_WORD.search(text) is None:
        return False
    words = _LONG_WORD.findall(unicodedata.normalize("NFC", text))
    return any(fold(word) not in _vocabulary() for word in words)


@cache
def _gap() -> re.Pattern[str]:
    """A place where nothing is written, also in the words of our own sheets."""
    said = {pack.text("sentences", "sheet_nothing") for pack in _packs()}
    words = "|".join(map(re.escape, sorted({*said, "leer", "nothing", "empty", "tom", "vide"})))
    return re.compile(rf"[\s.\-_?]*|\((?:{words})\)", re.IGNORECASE)


@cache
def _mark() -> re.Pattern[str]:
    """One mark behind a move, in all languages, without spaces."""

    def words(name: str, *more: str) -> str:
        found = {word for pack in _packs() for word in pack.words("move", name)}
        joined = {re.escape(word.replace(" ", "")) for word in (*found, *more)}
        return "|".join(sorted(joined, key=lambda word: (-len(word), word)))

    return re.compile(
        rf"(?P<en_passant>{_EN_PASSANT})"
        rf"|(?P<mate>\#|\(?(?:{words('checkmate', 'mat', 'mate')})\)?)"
        rf"|(?P<check>\++|\(?(?:{words('check', 'ch', 'sch', 'échec')})\)?)"
        r"|\(=\)|[=!?.,;]",
        re.IGNORECASE,
    )


@cache
def _tail() -> str:
    """All marks behind a move, without the names of their groups.

    Its quantifiers are possessive, so no text makes it backtrack.
    """
    return rf"(?P<tail>(?i:{re.sub(r'[?]P<[^>]*>', '?:', _mark().pattern)})*+)"


@cache
def _castling() -> re.Pattern[str]:
    return re.compile(r"[0oOоО]-?[0oOоО](?P<long>-?[0oOоО])?" + _tail())


@cache
def _moves() -> tuple[re.Pattern[str], ...]:
    """A move with its piece's letter, without a letter, without ranks, and without a square."""
    letter = f"(?:{'|'.join(map(re.escape, long_letters()))}|[{FIGURINES}]|[^\\W\\d_])"
    piece, captured = f"(?P<piece>{letter})", f"(?P<captured>{letter})"
    squares = (
        r"(?P<from_file>[a-hA-H]?)(?P<from_rank>[1-8]?)(?P<link>[-x:]?)"
        rf"{captured}?(?P<to_file>[a-hA-H])(?P<to_rank>[1-8])(?P<late>[x:]?)"
    )
    promotion = rf"(?:(?:(?<=[18])|(?<=[18][x:]))[=/(-]?\(?(?P<promotion>{letter})\)?)?"
    return (
        re.compile(piece + squares + _tail()),
        re.compile(squares + promotion + _tail()),
        re.compile(
            rf"(?P<from_file>[a-h])(?P<link>[x:]?){captured}?(?P<to_file>[a-h])(?P<late>[x:]?)"
            rf"(?:=?(?P<promotion>{letter}))?{_tail()}"
        ),
        re.compile(rf"(?:(?P<from_file>[a-h])|{piece})(?P<link>[x:]){captured}{_tail()}"),
    )


def is_gap(text: str) -> bool:
    """True if nothing is written: an empty place, a dash, dots, a question mark."""
    return _gap().fullmatch(text.translate(_LOOKALIKES)) is not None


def is_mark(text: str) -> bool:
    """True if ``text`` is only a mark behind a move, like the sign for check."""
    return re.fullmatch(_tail(), text) is not None


def is_numeric(text: str) -> bool:
    """True for a move in the numeric notation of correspondence chess."""
    return _NUMERIC.fullmatch(text) is not None


@lru_cache(maxsize=1 << 15)
def meanings(text: str) -> tuple[EntryMeaning, ...]:
    """All meanings of ``text``, whatever its letters stand for; none if it is not a move.

    Small letters for pieces count only if nothing else is meant.
    """
    if len(text) > _LONGEST or _holds_other_words(text):
        return ()
    compact, is_braille = _compact(text)
    found = list(_in_signs(compact, is_braille))
    if not is_braille and all(meant.letter for meant in found):
        found += map(_small, _with_small_letter(compact))
    found = found or list(_in_words(braille.read(text)))
    return tuple(dict.fromkeys(found))


def letters_of(texts: Iterable[str], language: str = "") -> SheetLetters:
    """The letters on a sheet with these entries. ``language`` is its player's, if it is known."""
    written, bare, cells = set[str](), False, False
    for text in texts:
        cells = cells or braille.is_braille(text)
        for meant in meanings(text):
            written |= meant.letters - set(FIGURINES)
            bare = bare or (meant.own and meant.piece == chess.PAWN)
    code = re.split("[-_+]", language.lower())[0]
    return SheetLetters(frozenset(written), bare, cells, {"no": "nb"}.get(code, code))


def _small(meant: EntryMeaning) -> EntryMeaning:
    return replace(meant, odd=(*meant.odd, Remark.SMALL_LETTER), own=False)


def _compact(text: str) -> tuple[str, bool]:
    """The entry in print without its number and spaces, and whether it was in Braille."""
    is_braille = braille.is_braille(text)
    text = braille.read(text) if is_braille else unicodedata.normalize("NFC", text)
    text = "".join(_NUMBER.sub("", text.translate(_LOOKALIKES), count=1).split())
    text = _FOREIGN_FILE.sub(lambda file: file[0].translate(_FILES), text)
    return _CAPTURE.sub("x", text), is_braille


def _in_signs(compact: str, is_braille: bool) -> Iterator[EntryMeaning]:
    """The meanings of an entry in notation. In Braille, small letters may be pieces."""
    if castling := _castling().fullmatch(compact):
        side = GrammarSign.CASTLES_LONG if castling["long"] else GrammarSign.CASTLES_SHORT
        yield replace(_marked(castling["tail"]), castles=side)
        return
    if numeric := _NUMERIC.fullmatch(compact):
        origin, target = (_squares("abcdefgh"[int(n[0]) - 1] + n[1]) for n in numeric.group(1, 2))
        promotion = PIECES[int(numeric[3])] if numeric[3] else None
        yield EntryMeaning(None, origin, target, promotion=promotion)
        return
    for pattern in _moves():
        match = pattern.fullmatch(compact)
        if match and (meant := _meant(match)):
            yield meant
    if is_braille:
        for meant in _with_small_letter(compact):
            # A small file's letter is the file, unless no pawn can be meant.
            yield _small(meant) if compact[0] in "abcdefgh" else meant


def _with_small_letter(compact: str) -> Iterator[EntryMeaning]:
    """The meanings of an entry whose small first letter is a piece's."""
    first = compact[:1]
    if first.islower() and is_known(first.upper()):
        match = _moves()[0].fullmatch(first.upper() + compact[1:])
        if match and (meant := _meant(match)):
            yield meant


@cache
def _squares(name: str) -> chess.Bitboard:
    """The squares of a file, a rank or both: ``e``, ``4``, ``E4``; all for no name."""
    found = chess.BB_ALL
    for sign in name.lower():
        found &= chess.BB_RANKS[int(sign) - 1] if sign.isdigit() else chess.BB_FILES[ord(sign) - 97]
    return found


def _meant(match: re.Match[str]) -> EntryMeaning | None:
    """The meaning of a matched move; None if nobody writes it like this."""
    part = defaultdict(str, match.groupdict(default=""))
    from_file, to_file, letter = part["from_file"], part["to_file"], part["piece"]
    origin, target = from_file + part["from_rank"], to_file + part["to_rank"]
    link, captured, becomes = part["link"], part["captured"], part["promotion"]
    if captured and link not in (":", "x"):
        return None
    if from_file and to_file and from_file.isupper() != to_file.isupper():
        return None
    if link == "-" and not (origin or letter):
        return None
    if letter[:1].islower() or captured[:1].islower():
        return None
    if (
        letter
        and letter in "ABCDEFGH"
        and to_file.isupper()
        and part["from_rank"]
        and not from_file
    ):
        return None  # ``E2-E4``
    whole = len(origin) == 2
    piece = None if letter or whole else chess.PAWN
    if piece == chess.PAWN and from_file and to_file:
        steps = abs(ord(from_file) - ord(to_file))
        if steps > 1 or (not steps and len(target) == 1):
            return None
    promotion: chess.PieceType | None = None
    if becomes.islower():
        promotion = UCI_PIECES.get(becomes) if whole else None
        if promotion is None and not is_known(becomes.upper()):
            return None
    odd = {
        Remark.SQUARE_OMITTED: not target,
        Remark.CAPITAL_SQUARE: to_file.isupper(),
        Remark.RANK_OMITTED: len(target) == 1,
    }
    return replace(
        _marked(part["tail"]),
        piece=piece,
        origins=_squares(origin),
        targets=_squares(target),
        partial=len(origin) == 1 and bool(target),
        captures=bool(part["late"]) or link in (":", "x"),
        promotion=promotion,
        letter=letter,
        captured_letter=captured,
        promotion_letter="" if promotion else becomes.capitalize(),
        odd=tuple(remark for remark in odd if odd[remark]),
    )


def _marked(tail: str) -> EntryMeaning:
    """An entry of which only the marks behind it are known."""
    check, en_passant = "", False
    for mark in _mark().finditer(tail):
        if mark["mate"]:
            check = "#"
        elif mark["check"]:
            check = check or ("++" if mark["check"].startswith("++") else "+")
        elif mark["en_passant"]:
            en_passant = True
    return EntryMeaning(check=check, en_passant=en_passant)


def _in_words(text: str) -> Iterator[EntryMeaning]:
    """The meanings of an entry in words, in all languages.

    The entry needs a word: speech may have signs out of place, and writing may not (``d:6`` could
    be ``dxc6``).
    """
    for parser in _parsers() if _WORD.search(text) else ():
        heard, said = parser.parse(text)
        if said is None:
            continue
        file, rank = said.from_file, said.from_rank
        odd = {
            Remark.CORRECTED: heard.correction,
            Remark.SIDE_OMITTED: said.castles is GrammarSign.CASTLES,
        }
        yield EntryMeaning(
            piece=said.piece,
            origins=(chess.BB_ALL if file is None else chess.BB_FILES[file])
            & (chess.BB_ALL if rank is None else chess.BB_RANKS[rank]),
            targets=chess.BB_ALL if said.to is None else chess.BB_SQUARES[said.to],
            partial=(file is None) != (rank is None),
            captures=said.captures,
            captured=said.captured,
            promotion=said.promotion,
            en_passant=said.en_passant,
            check="#" if said.checkmate else "+" if said.check else "",
            castles=said.castles,
            odd=tuple(remark for remark in odd if odd[remark]),
        )
