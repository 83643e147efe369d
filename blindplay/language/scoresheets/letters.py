"""The letters that people write for the pieces, and what those of one sheet can mean.

The Laws let each player write the letters of their own language (fide-2023 C.3) and name none.
Tables of languages are the first guess. The sheet itself decides: see :class:`SheetLetters`.
docs/development/research/letters-of-the-pieces.md names the sources.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache, lru_cache

import chess

PIECES = (chess.KING, chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, chess.PAWN)
FIGURINES = "♔♕♖♗♘♙"  # the same in every country
PAWN_BY_LETTER = 0
"""Stands for the pawn in a pair if its letter begins an entry, which no edition asks for."""

BRITISH_BRAILLE = "british-braille"
"""No piece has a file's letter; only in Braille, see :mod:`.braille`."""

Pair = tuple[str, chess.PieceType]
"""A letter and the piece that it stands for."""
Letters = frozenset[Pair]

# From king to pawn. Letters with a stroke between them are all in use: Cyrillic and Greek ones are
# also typed as Latin letters that look or sound the same.
LANGUAGES: Mapping[str, str] = {
    "af": "K D T L R P",
    "az": "Ş V T F A P",
    "bg": "Ц/C/Ts/Tz Д/D Т/T О/O К/K П/P",
    "bs": "K D T L S P",
    "ca": "R D T A C P",
    "cs": "K D V S J P",
    "da": "K D T L S B",
    "de": "K D T L S B",
    "el": "Ρ Β Π Α Ι Σ",
    "el-latn": "R B P A I",
    "en": "K Q R B N/Kt P",
    "es": "R D T A C P",
    "et": "K L V O R P/E",
    "fi": "K D T L R P",
    "fr": "R D T F C P",
    "gl": "R D T B C P",
    "hr": "K D T L S P",
    "hu": "K V B F H G",
    "id": "R M B G K P",
    "is": "K D H B R P",
    "it": "R D T A C P",
    "lb": "K D T L P B",
    "lt": "K V B R Ž/Z P",
    "lv": "K D T L Z B",
    "nb": "K D T L S B",
    "nl": "K D T L P O",
    "nn": "K D T L S B",
    "pl": "K H W G S P",
    "pt": "R D T B C P",
    "ro": "R D T N C P",
    "ru": "Кр/Kp/Kr Ф/F Л/L С/C/S К/K П/P",
    "sk": "K D V S J P",
    "sl": "K D T L S P",
    "sr": "К/K Д/D Т/T Л/L С/S П/P",
    "sv": "K D T L S B",
    "tr": "Ş V K F A P",
    "uk": "Кр/Kp/Kr Ф/F Т/T С/C/S К/K П/P",
    "vi": "V H X T M",
    BRITISH_BRAILLE: "K Q R L S P",
}


@cache
def table(language: str) -> Mapping[str, frozenset[chess.PieceType]]:
    """The letters of a language in :data:`LANGUAGES`, each with its pieces."""
    found: dict[str, frozenset[chess.PieceType]] = {}
    for letters, piece in zip(LANGUAGES[language].split(), PIECES, strict=False):
        for letter in letters.split("/"):
            found[letter] = found.get(letter, frozenset()) | {piece}
    return found


def language_of(words: Iterable[Set[str]]) -> tuple[str, bool]:
    """The language that has the letters of the most words, each given by its letters, and whether
    it has those of all. English comes first: its letters are those of PGN.

    >>> language_of([{"H"}, {"W"}]), language_of([{"N"}, {"B"}, {"M"}])
    (('pl', True), ('en', False))
    """
    found = [letters for letters in words if letters]
    languages = ("en", *(one for one in LANGUAGES if one not in ("en", BRITISH_BRAILLE)))
    counts = {one: sum(letters <= table(one).keys() for letters in found) for one in languages}
    best = max(languages, key=counts.__getitem__)
    return best, counts[best] == len(found)


@cache
def _known(language: str | None = None) -> Letters:
    """The pairs of one language, or of all."""
    names = LANGUAGES if language is None else (language,)
    return frozenset((of, one) for name in names for of, ps in table(name).items() for one in ps)


def long_letters() -> list[str]:
    """The letters of pieces that are two signs, such as ``Kt``."""
    return sorted({letter for letter, _ in _known() if len(letter) > 1})


def is_known(letter: str) -> bool:
    """True if a language has this letter for a piece other than the pawn."""
    return any(of == letter and piece != chess.PAWN for of, piece in _known())


def is_pawn(letter: str) -> bool:
    """True if a language has this letter for the pawn."""
    return (letter, chess.PAWN) in _known()


_CONTRADICTION = 3
"""Weight of a letter against its language: as much as a slip of the pen."""
_SECOND_LETTER = 2
"""Weight of another letter for a piece that has one."""


@dataclass(frozen=True)
class SheetLetters:
    """The letters that one sheet holds, and the weight of what they can stand for.

    The sheet is read as a whole. Where one language has all its letters, they mean what they mean
    there. A sheet may also mix two languages, and a player may have letters of their own.

    ``written`` are all letters on the sheet. ``bare``: a pawn's move stands there without a letter,
    so none with a letter is expected. ``braille``: the sheet is in Braille. ``language`` is the
    player's, if it is known; it only decides if the sheet does not.
    """

    written: frozenset[str] = frozenset()
    bare: bool = False
    braille: bool = False
    language: str = ""

    def weight(self, letters: Letters) -> int:
        """How far ``letters`` are from the language that explains them best; 0 for the letters of
        one language that has all that the sheet holds, 3 or more for a contradiction to it."""
        return _weight(self, letters)

    def adds(self, pair: Pair, letters: Letters = frozenset()) -> int:
        """The weight that ``pair`` adds to ``letters``."""
        return _weight(self, letters | {pair}) - _weight(self, letters)

    def is_foreign(self, letter: str) -> bool:
        """True if no language that explains the sheet best has this letter."""
        return letter in _foreign(self)

    def pieces(self, letter: str, letters: Letters = frozenset()) -> list[chess.PieceType]:
        """The pieces that ``letter`` can be: the likeliest, or all that contradict nothing if it is
        foreign to the sheet. ``letters`` are already known."""
        added = {piece: self.adds((letter, piece), letters) for piece in PIECES[:5]}
        if is_pawn(letter):
            added[PAWN_BY_LETTER] = self.adds((letter, PAWN_BY_LETTER), letters)
        most = _CONTRADICTION - 1 if self.is_foreign(letter) else min(added.values())
        return [piece for piece in added if added[piece] <= most]


ANY_LETTERS = SheetLetters()
"""Nothing is known about the sheet."""


@lru_cache(maxsize=256)
def _bases(sheet: SheetLetters) -> Mapping[str, int]:
    """By language, the weight of the sheet's letters that it does not have."""
    own = sheet.language if sheet.language in LANGUAGES else ""
    elsewhere = {letter for letter, _ in _known()}
    return {
        language: (_CONTRADICTION if own and language != own else 0)
        + sum(1 + (letter not in elsewhere) for letter in sheet.written - _has(language, sheet))
        for language in LANGUAGES
        if language != BRITISH_BRAILLE or sheet.braille
    }


def _has(language: str, sheet: SheetLetters) -> set[str]:
    """The letters of a language that explain those of the sheet."""
    for_pawns = {chess.PAWN} if sheet.bare else set[int]()
    return {letter for letter, pieces in table(language).items() if pieces - for_pawns}


@lru_cache(maxsize=256)
def _foreign(sheet: SheetLetters) -> frozenset[str]:
    bases = _bases(sheet)
    least = min(bases.values())
    best = [_has(language, sheet) for language, base in bases.items() if base == least]
    return sheet.written.difference(*best)


@lru_cache(maxsize=1 << 16)
def _weight(sheet: SheetLetters, letters: Letters) -> int:
    bases = _bases(sheet)
    return min(
        base + sum(_in_language(language, letters, sheet.bare)) for language, base in bases.items()
    ) - min(bases.values())


def _in_language(language: str, letters: Letters, bare: bool) -> Iterator[int]:
    """The weight of each pair in a language."""
    has, all_ = table(language), _known()
    seen = set()
    for letter, piece in letters:
        meant = chess.PAWN if piece == PAWN_BY_LETTER else piece
        if piece == PAWN_BY_LETTER:
            yield _CONTRADICTION if bare else 1
        strange = (letter, meant) not in all_
        if letter in has:
            yield 0 if meant in has[letter] else _CONTRADICTION + strange
        else:
            yield strange + (_CONTRADICTION if letter in seen else 0)
            seen.add(letter)
    figures = [(letter in has, piece) for letter, piece in letters if piece in PIECES[:5]]
    named = {piece for own, piece in figures if own}
    for piece in (piece for own, piece in figures if not own):
        yield _SECOND_LETTER if piece in named else 0
        named.add(piece)


@cache
def _of_pgn() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A piece's letter that begins a move, and one that ends it, in a word of PGN."""
    letter = f"(?P<letter>{'|'.join(map(re.escape, long_letters()))}|[{FIGURINES}]|[^\\W\\d_a-z])"
    squares = "[a-h]?[1-8]?[-x:]?[a-h][1-8]"
    return (
        re.compile(rf"(?<![^\W\d_]){letter}(?={squares})"),
        re.compile(rf"(?<=[a-h][18])(?P<before>=?){letter}(?![^\W\d_])"),
    )


def in_english(word: str, letters: Letters) -> str:
    """A move in PGN with the English letters of its pieces.

    >>> in_english("1.Sf3", frozenset({("S", chess.KNIGHT)}))
    '1.Nf3'
    """

    def english(match: re.Match[str]) -> str:
        letter, before = match["letter"], match.groupdict().get("before", "")
        if letter in FIGURINES:
            return before + "KQRBNP"[FIGURINES.index(letter)]
        found = [piece for of, piece in letters if of == letter and piece != PAWN_BY_LETTER]
        return before + (chess.piece_symbol(found[0]).upper() if len(found) == 1 else letter)

    begins, ends = _of_pgn()
    return ends.sub(english, begins.sub(english, word))
