"""What an entry of a scoresheet says, before any board is looked at."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache

import chess

from ..pack import Pack, Sign, languages
from ..parsing import ParsedMove, TextParser
from . import braille


class Notation(Enum):
    """The letters of the pieces, from king to pawn.

    A pawn has no letter (fide-1997 E.3); where one is written all the same, it is that one.
    """

    GERMAN = "KDTLSB"
    """German, Norwegian, Swedish and Danish."""
    ENGLISH = "KQRBNP"
    FRENCH = "RDTFCP"
    BRITISH_BRAILLE = "KQRLSP"
    """See :mod:`.braille`: none of the first five is also a file's letter."""
    FIGURINE = "♔♕♖♗♘♙"
    """The same in every country, and so never in question."""

    @classmethod
    def of(cls, language: str) -> Notation:
        """The notation of a language by its two-letter code, for instance ``"de"``."""
        return {"en": cls.ENGLISH, "fr": cls.FRENCH}.get(language, cls.GERMAN)


class Remark(Enum):
    """What is odd about an entry, and yet leaves a move that it can stand for."""

    CAPTURE_UNMARKED = "capture_unmarked"
    """A piece captures and no sign says so."""
    CAPTURE_FALSE = "capture_false"
    """A capture is written and nothing is captured."""
    CAPTURED_OTHER = "captured_other"
    """Another piece is written as captured."""
    CHECK_FALSE = "check_false"
    """Check, double check or mate is written and is not so."""
    EN_PASSANT_FALSE = "en_passant_false"
    """``e.p.`` is written and the move is none."""
    ORIGIN_OMITTED = "origin_omitted"
    """Several pieces, or a pawn that captures, and it is not written which."""
    ORIGIN_UNNEEDED = "origin_unneeded"
    """A file or rank tells two pieces apart of which only one can go there."""
    RANK_OMITTED = "rank_omitted"
    """``ed``: only the files of a pawn's capture are written."""
    SQUARE_OMITTED = "square_omitted"
    """``LxS``: only the pieces of a capture are written."""
    SIDE_OMITTED = "side_omitted"
    """Castling, and it is not written to which side."""
    PROMOTION_MISSING = "promotion_missing"
    """It is not written what the pawn becomes."""
    PAWN_LETTER = "pawn_letter"
    """A letter is written for the pawn."""
    CAPITAL_SQUARE = "capital_square"
    """``E4``: the square is written in capitals."""
    SMALL_LETTER = "small_letter"
    """``sf3``: the piece is written in small letters."""
    FOREIGN_LETTER = "foreign_letter"
    """The letter is of another country than the sheet."""
    LETTER_OPEN = "letter_open"
    """The letter is two pieces in two countries, and it is not known which country's it is."""
    CASTLING_AS_KING_MOVE = "castling_as_king_move"
    """``Kg1`` for castling."""
    CORRECTED = "corrected"
    """Something else was written before it and taken back."""


@dataclass(frozen=True, slots=True)
class EntryMeaning:
    """One meaning of an entry.

    ``piece``: None when squares alone are written. ``origins`` and ``targets``: the squares from
    and to which it can go, as bit boards. ``partial``: only a file or rank of the origin is
    written. ``check``: "", "+", "++" or "#". ``odd``: what is odd about it on any board. ``own``:
    it is in the sheet's notation; other meanings count only when there is none.
    """

    piece: chess.PieceType | None = None
    origins: chess.Bitboard = chess.BB_ALL
    targets: chess.Bitboard = chess.BB_ALL
    partial: bool = False
    captures: bool = False
    captured: chess.PieceType | None = None
    promotion: chess.PieceType | None = None
    en_passant: bool = False
    check: str = ""
    castles: Sign | None = None
    odd: tuple[Remark, ...] = ()
    own: bool = True


_PIECES = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
_UCI = dict(zip("qrbn", _PIECES[1:5], strict=True))

_LOOKALIKES = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys("×✕✖⨯X", "x"),
        **dict(zip("♚♛♜♝♞♟", Notation.FIGURINE.value, strict=True)),
        "†": "+",
        "‡": "#",
        "≠": "#",
        "÷": ":",
        "…": "...",
    }
)
_NUMBER = re.compile(r"\s*(?:[1-9]\d*(?:\s*[.):]|\s+))?[\s.]*")
_WORD = re.compile(r"\b[^\W\d_]{3,}\b")
_LONGEST = 200
"""No entry has more characters, not even in words."""
_NUMERIC = re.compile(r"([1-8]{2})([1-8]{2})([1-4]?)")
_EN_PASSANT = r"\(?(?:e\.?p\.?|enpassant)\)?"


@cache
def _readers() -> tuple[TextParser, ...]:
    return tuple(TextParser(Pack.read(code)) for code in languages())


@cache
def _gap() -> re.Pattern[str]:
    """A place where nothing is written; also as our own sheets say so."""
    said = {Pack.read(code).text("sentences", "sheet_nothing") for code in languages()}
    words = "|".join(map(re.escape, sorted({*said, "leer", "nothing", "empty", "tom", "vide"})))
    return re.compile(rf"[\s.\-_?]*|\((?:{words})\)", re.IGNORECASE)


@cache
def _mark() -> re.Pattern[str]:
    """One thing that may stand behind a move, in all languages, without spaces."""

    def words(name: str, *more: str) -> str:
        found = {word for code in languages() for word in Pack.read(code).words("move", name)}
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
    """All that stands behind a move; the groups of :func:`_mark` without their names.

    Possessive, so that no text makes it try every way to part it.
    """
    return rf"(?P<tail>(?i:{re.sub(r'[?]P<[^>]*>', '?:', _mark().pattern)})*+)"


@cache
def _castling() -> re.Pattern[str]:
    return re.compile(r"[0oO]-?[0oO](?P<long>-?[0oO])?" + _tail())


@cache
def _moves(letters: str) -> tuple[re.Pattern[str], ...]:
    """A move with its piece's letter, without one, of a pawn without ranks, without a square."""
    piece = f"(?P<piece>[{letters}])"
    captured = f"(?P<captured>[{letters}])"
    becomes = f"{letters[:5]}{letters[:5].lower()}qrbn"
    squares = (
        r"(?P<from_file>[a-hA-H]?)(?P<from_rank>[1-8]?)(?P<link>[-x:]?)"
        rf"{captured}?(?P<to_file>[a-hA-H])(?P<to_rank>[1-8])(?P<late>[x:]?)"
    )
    promotion = rf"(?:(?:(?<=[18])|(?<=[18][x:]))[=/(-]?\(?(?P<promotion>[{becomes}])\)?)?"
    return (
        re.compile(piece + squares + _tail()),
        re.compile(squares + promotion + _tail()),
        re.compile(
            rf"(?P<from_file>[a-h])(?P<link>[x:]?){captured}?(?P<to_file>[a-h])(?P<late>[x:]?)"
            rf"(?:=?(?P<promotion>[{letters[:5]}]))?{_tail()}"
        ),
        re.compile(rf"(?:{piece}|(?P<from_file>[a-h]))(?P<link>[x:]){captured}{_tail()}"),
    )


def is_gap(text: str) -> bool:
    """Whether nothing is written: an empty place, a dash, dots, a question mark."""
    return _gap().fullmatch(text.translate(_LOOKALIKES)) is not None


def is_mark(text: str) -> bool:
    """Whether ``text`` only stands behind a move, as a sign for check does."""
    return re.fullmatch(_tail(), text) is not None


def is_numeric(text: str) -> bool:
    """Whether ``text`` is a move in the numeric notation of correspondence chess."""
    return _NUMERIC.fullmatch(text) is not None


@lru_cache(maxsize=1 << 15)
def meanings(text: str, notations: frozenset[Notation]) -> tuple[EntryMeaning, ...]:
    """All that ``text`` can mean on a sheet in one of ``notations``; none if it is no move.

    What other countries write, and small letters for pieces, count only for what the sheet's own
    notations do not know.
    """
    if len(text) > _LONGEST:
        return ()
    compact, dots = _compact(text)
    if any(letter in compact for letter in Notation.FIGURINE.value):
        notations = frozenset({Notation.FIGURINE})
    found = [m for n in Notation if n in notations for m in _in_notation(compact, n, dots)]
    if all(Remark.PAWN_LETTER in meant.odd for meant in found):
        for notation in Notation:
            if notation in notations:
                small = () if dots else _small(compact, notation)
                found += [_other(meant, Remark.SMALL_LETTER) for meant in small]
            else:
                found += [
                    _other(meant, Remark.FOREIGN_LETTER)
                    for meant in _in_notation(compact, notation, dots)
                    if Remark.PAWN_LETTER not in meant.odd
                ]
    found = found or list(_spoken(braille.read(text)))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1 << 15)
def knows(notation: Notation, text: str) -> bool:
    """Whether an entry is a move in ``notation``."""
    compact, dots = _compact(text)
    found = _in_notation(compact, notation, dots)
    return any(Remark.PAWN_LETTER not in meant.odd for meant in found)


def _other(meant: EntryMeaning, why: Remark) -> EntryMeaning:
    return replace(meant, odd=(*meant.odd, why), own=False)


def _compact(text: str) -> tuple[str, bool]:
    """The entry in print without its number and spaces, and whether it was in Braille."""
    dots = braille.is_braille(text)
    text = braille.read(text) if dots else unicodedata.normalize("NFC", text)
    text = text.translate(_LOOKALIKES)
    number = _NUMBER.match(text)
    assert number is not None  # everything in it may be absent
    return "".join(text[number.end() :].split()), dots


def _in_notation(compact: str, notation: Notation, small: bool) -> Iterator[EntryMeaning]:
    """What an entry means in one notation; ``small``: small letters are as good for pieces."""
    castling = _castling().fullmatch(compact)
    if castling is not None:
        side = Sign.CASTLES_LONG if castling["long"] else Sign.CASTLES_SHORT
        yield replace(_marked(castling["tail"]), castles=side)
        return
    numeric = _NUMERIC.fullmatch(compact)
    if numeric is not None:
        origin, target = (chess.square(int(n[0]) - 1, int(n[1]) - 1) for n in numeric.groups()[:2])
        promotion = _PIECES[int(numeric[3])] if numeric[3] else None
        yield EntryMeaning(
            None, chess.BB_SQUARES[origin], chess.BB_SQUARES[target], promotion=promotion
        )
        return
    letters = notation.value
    *usual, without_square = _moves(letters)
    for pattern in usual:
        match = pattern.fullmatch(compact)
        meant = match and _meant(match, letters)
        if meant:
            yield meant
    bare = without_square.fullmatch(compact)
    if bare is not None:
        piece = _piece(bare["piece"], letters) if bare["piece"] else chess.PAWN
        file = bare["from_file"]
        yield replace(
            _marked(bare["tail"]),
            piece=piece,
            origins=chess.BB_FILES["abcdefgh".index(file)] if file else chess.BB_ALL,
            captures=True,
            captured=_piece(bare["captured"], letters),
            odd=(Remark.SQUARE_OMITTED, *_pawn_letter(bare["piece"], piece)),
        )
    if small:
        for meant in _small(compact, notation):
            # A small file's letter is the file, unless no pawn can be meant.
            is_file = compact[0] in "abcdefgh"
            yield _other(meant, Remark.SMALL_LETTER) if is_file else meant


def _small(compact: str, notation: Notation) -> Iterator[EntryMeaning]:
    """What an entry means when its small first letter is a piece's."""
    first = compact[:1]
    if first.islower() and first.upper() in notation.value[:5]:
        letters = notation.value
        match = _moves(letters)[0].fullmatch(first.upper() + compact[1:])
        meant = match and _meant(match, letters)
        if meant:
            yield meant


def _piece(letter: str, letters: str) -> chess.PieceType:
    return _PIECES[letters.index(letter.upper())]


def _pawn_letter(letter: str | None, piece: chess.PieceType) -> tuple[Remark, ...]:
    return (Remark.PAWN_LETTER,) if letter and piece == chess.PAWN else ()


def _meant(match: re.Match[str], letters: str) -> EntryMeaning | None:
    """The meaning of a matched move, None if nobody writes it so."""
    part = match.groupdict()
    from_file, from_rank = part["from_file"], part.get("from_rank")
    to_file, to_rank = part["to_file"], part.get("to_rank")
    captures = part["link"] in ("x", ":") or bool(part["late"])
    captured = part["captured"]
    if captured and part["link"] not in ("x", ":"):
        return None
    if from_file and from_file.isupper() != to_file.isupper():
        return None
    if part["link"] == "-" and not (from_file or from_rank or part.get("piece")):
        return None
    whole = bool(from_file and from_rank)
    letter = part.get("piece")
    piece = _piece(letter, letters) if letter else None if whole else chess.PAWN
    odd = _pawn_letter(letter, piece or chess.PAWN)
    if to_file.isupper():
        odd += (Remark.CAPITAL_SQUARE,)
    column = "abcdefgh".index(to_file.lower())
    targets = chess.BB_FILES[column]
    origins = chess.BB_ALL
    if from_file:
        start = "abcdefgh".index(from_file.lower())
        origins &= chess.BB_FILES[start]
        steps = abs(start - column)
        if piece == chess.PAWN and (steps > 1 or not (steps or to_rank)):
            return None
    if from_rank:
        origins &= chess.BB_RANKS[int(from_rank) - 1]
    if to_rank:
        targets &= chess.BB_RANKS[int(to_rank) - 1]
    else:
        odd += (Remark.RANK_OMITTED,)
    promotion = None
    becomes = part.get("promotion")
    if becomes:
        if whole and becomes in _UCI:
            promotion = _UCI[becomes]
        elif becomes.upper() in letters:
            promotion = _piece(becomes, letters)
        else:
            return None
    return replace(
        _marked(part["tail"]),
        piece=piece,
        origins=origins,
        targets=targets,
        partial=bool(from_file or from_rank) and not whole,
        captures=captures,
        captured=_piece(captured, letters) if captured else None,
        promotion=promotion,
        odd=odd,
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


def _spoken(text: str) -> Iterator[EntryMeaning]:
    """What an entry in words means in all languages.

    Without a word there is nothing to read here: what is heard forgives signs that are out of
    place, and what is written must not (``d:6`` can be ``dxc6``).
    """
    if not _WORD.search(text):
        return
    for reader in _readers():
        heard, said = reader.parse(text)
        if said is not None:
            yield _from_words(said, (Remark.CORRECTED,) if heard.correction else ())


def _from_words(said: ParsedMove, odd: tuple[Remark, ...]) -> EntryMeaning:
    check = "#" if said.checkmate else "+" if said.check else ""
    if said.castles is not None:
        if said.castles is Sign.CASTLES:
            odd += (Remark.SIDE_OMITTED,)
        return EntryMeaning(castles=said.castles, check=check, odd=odd)
    assert said.to is not None  # the grammar of words has a destination
    origins = chess.BB_ALL
    if said.from_file is not None:
        origins &= chess.BB_FILES[said.from_file]
    if said.from_rank is not None:
        origins &= chess.BB_RANKS[said.from_rank]
    return EntryMeaning(
        piece=said.piece,
        origins=origins,
        targets=chess.BB_SQUARES[said.to],
        partial=(said.from_file is None) != (said.from_rank is None),
        captures=said.captures,
        captured=said.captured,
        promotion=said.promotion,
        en_passant=said.en_passant,
        check=check,
        odd=odd,
    )
