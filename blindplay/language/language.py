"""One language at the table: announces moves, understands them, and lists what to listen for."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache, cached_property, lru_cache
from operator import attrgetter

import chess

from blindplay.translation import _

from .listening import MoveForms, command_phrases
from .move_index import MoveFeatures, MoveIndex
from .pack import GrammarSign, Pack, fold
from .parsing import ParsedMove, TextParser
from .sentences import Sentences
from .understanding import QUESTIONS, Command, Kind, Understanding

_SQUARE_SIGNS = frozenset({GrammarSign.FILE, GrammarSign.RANK})
_MOVE_SIGNS = _SQUARE_SIGNS | {GrammarSign.PIECE, GrammarSign.CAPTURES, GrammarSign.PROMOTES}
_PIECE_SIGNS = frozenset({GrammarSign.PIECE})
_LETTERS = frozenset("abcdefgh")
"""The letters of files. To call a file so is no form that is taught or listened for."""
_LINK_SIGNS = frozenset(
    (
        *(GrammarSign.FROM, GrammarSign.TO, GrammarSign.CAPTURES, GrammarSign.PROMOTES),
        *(GrammarSign.LINK, GrammarSign.ARTICLE, GrammarSign.CHECK, GrammarSign.IGNORED),
    )
)
_MOVES = (Kind.MOVE, Kind.AMBIGUOUS)
_WRITTEN = re.compile(
    "(?:(?P<castles>[O0]-[O0](?:-[O0])?)|"
    "(?P<piece>[A-ZÅÄÖÆØ]?)(?P<file>[a-h]?)(?P<rank>[1-8]?)(?P<takes>[x:-]?)(?P<square>[a-h][1-8])"
    "=?(?P<promoted>[A-Z]?))(?P<check>[+#]?)"
)
"""A move in algebraic notation, short or long."""
# The attributes that tell positions apart, with the squares that White occupies.
_POSITION = attrgetter(
    *("pawns", "knights", "bishops", "rooks", "queens", "kings"),
    *("turn", "castling_rights", "ep_square", "chess960", "__class__"),
)


@cache
def load(language: str) -> "Language":
    """The language with the code ``language``, for instance ``"de"``.

    ``"de+nb"`` is German with the ranks in Norwegian: the arbiter may decide so (fide-2023 D.2.1).

    :raises LanguageError: in one sentence, if there is no such language.
    """
    return Language(Pack.read(language))


class Language(Sentences):
    """The words of one language. Get it from :func:`load`. Threads may share it."""

    def __init__(self, pack: Pack) -> None:
        super().__init__(pack)
        parser = TextParser(pack)
        self._parse = lru_cache(maxsize=1 << 16)(parser.parse)
        self._capitalised = parser.capitalised
        self._signs = lru_cache(maxsize=1 << 10)(parser.signs)
        self._beginning = lru_cache(maxsize=1 << 10)(parser.beginning)
        self._captures, self._en_passant, self._promotes = (
            pack.words("move", name)[0] for name in ("captures", "en_passant", "promotes")
        )
        self._castles = {
            sign: pack.words("move", sign.name.lower())[0]
            for sign in (GrammarSign.CASTLES_SHORT, GrammarSign.CASTLES_LONG)
        }
        # The last position only: a table asks about one position many times. It is one tuple, so
        # threads never see half of it.
        self._last: tuple[tuple[object, ...], MoveIndex] | None = None

    # --- moves, out

    def announce(
        self,
        board: chess.Board,
        move: chess.Move,
        *,
        edition: str = "fide-2023",
        check: bool = False,
    ) -> str:
        """The words that announce ``move`` on ``board`` (fide-2023 D.2.1).

        ``edition`` chooses the spelling of the files' names. ``check`` adds check or checkmate.
        Castling may be the king's step or, in chess960, the king taking the rook.

        :raises chess.IllegalMoveError: (a ValueError) the move is not legal on ``board``

        >>> load("de").announce(chess.Board(), chess.Move.from_uci("g1f3"))
        'Springer Gustav eins Felix drei'
        """
        _must_be_legal(board, move)
        one = MoveFeatures.of(board, move)
        words = self._announcement(one, self._squares(edition))
        if check:
            after = board.copy(stack=False)
            after.push(move)
            if after.is_check():
                name = "checkmate" if after.is_checkmate() else "check"
                words += " " + self._pack.words("move", name)[0]
        return words

    def _announcement(self, one: MoveFeatures, squares: Sequence[str]) -> str:
        if one.castles:
            return self._castles[one.castles]
        parts = [self._pack.piece_names[one.piece], squares[one.move.from_square]]
        if one.captured is not None:
            parts.append(self._captures)
        parts.append(squares[one.move.to_square])
        if one.en_passant:
            parts.append(self._en_passant)
        if one.move.promotion is not None:
            parts += [self._promotes, self._pack.piece_names[one.move.promotion]]
        words = " ".join(parts)
        return words[0].upper() + words[1:]

    def destination(self, board: chess.Board, move: chess.Move) -> str:
        """Return the words for a legal move after its piece and origin were named, without a
        promotion: "schlägt Eva fünf", "Kurze Rochade"."""
        one = MoveFeatures.of(board, move)
        if one.castles:
            return self._castles[one.castles]
        square = self.square(move.to_square)
        return square if one.captured is None else f"{self._captures} {square}"

    def write(self, board: chess.Board, move: chess.Move) -> str:
        """``move`` in algebraic notation with the country's letters, for a scoresheet.

        :raises chess.IllegalMoveError: (a ValueError) the move is not legal on ``board``

        >>> load("de").write(chess.Board(), chess.Move.from_uci("g1f3"))
        'Sf3'
        """
        _must_be_legal(board, move)
        return self.notation(board.copy(stack=False).san(move))  # python-chess plays the move

    def notation(self, san: str) -> str:
        """A move in English algebraic notation (PGN's) as this country writes it.

        >>> load("de").notation("Nf3"), load("de").notation("e8=Q+"), load("de").notation("O-O")
        ('Sf3', 'e8=D+', '0-0')
        """
        if san.startswith("O-O"):
            name = "castles_long" if san.startswith("O-O-O") else "castles_short"
            return self._pack.text("notation", name) + san.lstrip("O-")
        letters = self._pack.piece_letters.items()
        return san.translate({ord(chess.piece_symbol(p).upper()): letter for p, letter in letters})

    def notation_in_words(self, notation: str) -> str | None:
        """A move in this country's notation, or in PGN's, in words; None if it is no move. No
        position is needed, so the words are those that are written.

        >>> load("de").notation_in_words("Sf3"), load("de").notation_in_words("exd8=Q+")
        ('Springer Felix drei', 'Eva schlägt David acht Umwandlung in Dame Schach')
        """
        match = _WRITTEN.fullmatch(notation)
        if match is None:
            return None
        if match["castles"]:
            long = len(match["castles"]) > 3
            parts = [self._castles[GrammarSign.CASTLES_LONG if long else GrammarSign.CASTLES_SHORT]]
        else:
            pieces = {chess.piece_symbol(kind).upper(): kind for kind in chess.PIECE_TYPES}
            pieces |= {letter: kind for kind, letter in self._pack.piece_letters.items()}
            moved, promoted = match["piece"], match["promoted"]
            if any(one and one not in pieces for one in (moved, promoted)):
                return None
            square = chess.parse_square(match["square"])
            origin = (match["file"], match["rank"])
            parts = [self._pack.piece_names[pieces[moved]]] if moved else []
            parts += [self._pack.file_names[ord(origin[0]) - 97]] if origin[0] else []
            parts += [self._pack.rank_names[int(origin[1]) - 1]] if origin[1] else []
            parts += [self._captures] if match["takes"] == "x" else []
            parts.append(self.square(square))
            parts += [self._promotes, self._pack.piece_names[pieces[promoted]]] if promoted else []
        if match["check"]:
            name = "checkmate" if match["check"] == "#" else "check"
            parts.append(self._pack.words("move", name)[0])
        words = " ".join(parts)
        return words[0].upper() + words[1:]

    # --- words, in

    def understand(self, text: str, board: chess.Board) -> Understanding:
        """Return what ``text``, heard or typed, means on ``board``. Never raises for any text.

        Besides words there may be squares (``e2 e4``), UCI (``e7e8q``) and the country's notation
        (``Sf3``, ``exd6 e.p.``, ``0-0``). Piece letters are the country's, or N, Q and R. They may
        be small; where ``bc4`` is a legal move of the pawn and of the bishop, it is AMBIGUOUS. The
        sign of a capture is optional (fide-2023 C.13.3), so ``Te4`` is also ``Txe4``. If it is
        there, the move must capture.

        A piece and a destination are enough if one legal move fits. A square alone is a pawn's
        move. Everything that is said must be true, except check and mate (see
        :class:`Understanding`). Nothing is guessed: a promotion without its piece is ILLEGAL with
        PROMOTION_MISSING (D.2.1), and "Rochade" without its side is AMBIGUOUS.
        """
        index = self._index(board)
        meant = index.understand(self._parse(text))
        capitalised = self._capitalised(text)
        if capitalised == text:
            return meant
        piece = index.understand(self._parse(capitalised))
        if meant.kind not in _MOVES:
            return piece if piece.kind in _MOVES or meant.kind is Kind.UNCLEAR else meant
        if piece.kind not in _MOVES:
            return meant
        moves = tuple(dict.fromkeys((*meant.moves, *piece.moves)))
        return replace(meant, kind=Kind.AMBIGUOUS, moves=moves) if len(moves) > 1 else meant

    def begins(self, text: str, board: chess.Board) -> chess.SquareSet:
        """Return the squares of the pieces whose announcement ``text`` may begin: it names a piece
        of the player on move, the square that a piece leaves, or both, and of the destination at
        most the file.

        >>> load("de").begins("Springer Gustav eins", chess.Board())
        SquareSet(0x0000_0000_0000_0040)
        >>> list(load("de").begins("Springer Hector", chess.Board()))  # to h3
        [6]
        """
        for one in dict.fromkeys((text, self._capitalised(text))):
            said = self._beginning(one)
            if said is not None:
                pieces = board.occupied_co[board.turn]
                if said.piece is not None:
                    pieces = board.pieces_mask(said.piece, board.turn)
                found = chess.SquareSet(pieces)
                begun = chess.SquareSet(square for square in found if said.comes_from(square))
                if said.from_file is not None and said.from_rank is None:
                    files = chess.BB_FILES[said.from_file]
                    begun.update(
                        move.from_square for move in board.generate_legal_moves(pieces, files)
                    )
                return begun
        return chess.SquareSet()

    def _index(self, board: chess.Board) -> MoveIndex:
        key = (*_POSITION(board), board.occupied_co[chess.WHITE])
        last = self._last
        if last is None or last[0] != key:
            last = self._last = key, MoveIndex(board)
        return last[1]

    def differing(
        self, announcements: Sequence[str], board: chess.Board
    ) -> list[tuple[str, ...]] | None:
        """The words in which announcements differ, if they differ in one thing; else None.

        For each announcement, the words to ask with come first. Other words that tell it from the
        rest follow. If one leaves something unsaid, the one move that it can mean completes it.

        >>> de = load("de")
        >>> de.differing(["Springer Felix drei", "Springer Hector drei"], chess.Board())
        [('Felix drei', 'Felix'), ('Hector drei', 'Hector')]
        """
        parsed = [self._parse(text) for text in announcements]
        said = [move for _, move in parsed if move is not None]
        if len(said) < 2 or len(said) < len(parsed):
            return None
        if len({one.form for one in said}) > 1:
            meant = [self._index(board).understand(one) for one in parsed]
            if any(len(one.moves) != 1 for one in meant) or any(one.castles for one in said):
                return None
            said = [_completed(s, board, m.moves[0]) for s, m in zip(said, meant, strict=True)]
        columns = zip(*map(self._things_said, said), strict=True)
        differing = [names for names in columns if len(set(names)) > 1]
        if len(differing) != 1 or not all(differing[0]):
            return None
        names = differing[0]
        if len(set(names)) < len(names):
            return None
        return [_telling(words, names, self._forms) for words in names]

    def _things_said(self, said: ParsedMove) -> Iterable[tuple[str, ...]]:
        """The words for castling, piece, origin, destination and promotion; empty if unsaid."""

        def square(file: int | None, rank: int | None) -> tuple[str, ...]:
            names = [] if file is None else [self._pack.file_names[file]]
            names += [] if rank is None else [self._pack.rank_names[rank]]
            return (" ".join(names), *names) if len(names) > 1 else tuple(names)

        yield self._castling_words.get(said.castles, ("",)) if said.castles else ()
        yield (self._pack.piece_names[said.piece],) if said.piece else ()
        yield square(said.from_file, said.from_rank)
        yield () if said.to is None else square(said.to & 7, said.to >> 3)
        yield (self._pack.piece_names[said.promotion],) if said.promotion else ()

    @cached_property
    def _castling_words(self) -> Mapping[GrammarSign, tuple[str, ...]]:
        """The words for castling to each side: first its announcement, then the words that name
        only this side, alone: "kurze", "kurz"."""
        words = {
            sign: [
                word.lower()
                for phrase in self._pack.words("move", sign.name.lower())
                for word in phrase.split()
            ]
            for sign in self._castles
        }
        short, long = (words[sign] for sign in self._castles)
        own = zip(self._castles.items(), (short, long), (long, short), strict=True)
        return {
            sign: (name, *dict.fromkeys(word for word in these if word not in others))
            for (sign, name), these, others in own
        }

    # --- words to listen for, all in small letters

    @cached_property
    def _forms(self) -> MoveForms:
        return MoveForms(self._pack, self._squares(""))

    def forms(self, board: chess.Board) -> list[str]:
        """Every form in which a legal move may be said, each once.

        Several moves may share a form: the table asks which one is meant. This takes 2 ms, so it
        fits between two plies.
        """
        return list(dict.fromkeys(form for form, _ in self._forms.legal(self._index(board))))

    def phrases(self, board: chess.Board) -> list[str]:
        """The forms that mean one legal move, each once. Each is understood as its move."""
        forms = self._forms.legal(self._index(board))
        return list(dict.fromkeys(f for f, move in forms if self.understand(f, board).move == move))

    def illegal_phrases(self, board: chess.Board) -> list[str]:
        """Plausible announcements that are illegal on ``board``, each once.

        They are the moves that a piece of the player on move could make if nothing stood in its
        way, long and short; castling that is not allowed; and promotions without their piece. A
        recogniser that knows them need not force them into a legal move.
        """
        found = dict.fromkeys(self._forms.illegal(self._index(board)))
        return [one for one in found if self.understand(one, board).kind is Kind.ILLEGAL]

    def command_phrases(
        self, commands: Iterable[Command] | None = None, *, opened: bool = False
    ) -> list[str]:
        """Every phrase to listen for that is one of ``commands``, each once.

        ``commands`` is None for all that can be said in a game, that is all except questions about
        the position. ``opened`` puts the opening word before each. A sealed move is written, so
        its phrases are never listened for.
        """
        wanted = set(Command) - QUESTIONS if commands is None else set(commands)
        opening = f"{self.opening_word.lower()} " if opened else ""
        return list(
            dict.fromkeys(
                opening + phrase
                for command in Command
                if command in wanted and command is not Command.SEAL
                for phrase in command_phrases(self._pack, self, command)
            )
        )

    def typed(self, name: str) -> list[str]:
        """The forms of the command or key ``name`` that are typed only. Nobody listens for them."""
        return self._pack.typed(name)

    @cached_property
    def letters(self) -> Mapping[str, Command]:
        """The commands by the letters that stand for them when they are typed alone: its own, and
        those of English that mean nothing else."""
        own = self._pack.letters
        others = {} if self.code == "en" else load("en").letters
        return own | {letter: one for letter, one in others.items() if letter not in own}

    def analysis_phrases(self, word: "AnalysisWord") -> list[str]:
        """The phrases for ``word`` in the analysis of a position, typed or said."""
        return self._pack.words("analysis", word.value)

    @cached_property
    def analysis_words(self) -> "Mapping[str, AnalysisWord]":
        """The words of the analysis by their folded phrases, the longest first."""
        found = {
            fold(phrase): word for word in AnalysisWord for phrase in self.analysis_phrases(word)
        }
        return dict(sorted(found.items(), key=lambda one: -len(one[0])))

    @cached_property
    def keys(self) -> "Mapping[str, Key]":
        """The keys by the folded words that mean them."""
        return {fold(word): key for key in reversed(Key) for word in _words_of_key(self, key)}

    def certainty(self, text: str) -> float:
        """Return by how many nats more than others the odds of a heard phrase must be for it to be
        taken without asking: short words sound like many others."""
        return self._certainty.get(fold(text), 0.0)

    @cached_property
    def _certainty(self) -> Mapping[str, float]:
        table = self._pack.table("certainty") if "certainty" in self._pack.data else {}
        return {fold(phrase): float(nats) for phrase, nats in table.items()}

    def empty_words(self, text: str) -> int | None:
        """Return how many words of an announcement say nothing, such as "äh", or "den" before
        "Bauern"; None if another word belongs to no move, is an article or comes first: "der Eva
        drei" and "und Eva drei" are rather something else."""
        signs = [sign for sign in self._signs(text) if sign is not GrammarSign.IGNORED]
        if signs[:2] == [GrammarSign.ARTICLE, GrammarSign.PIECE]:
            del signs[0]
        others = (GrammarSign.ARTICLE, GrammarSign.UNKNOWN)
        if signs[:1] == [GrammarSign.LINK] or any(other in signs for other in others):
            return None
        return len(self._signs(text)) - len(signs)

    def has_typed_word(self, text: str) -> bool:
        """True if a word of ``text`` is understood only when it is typed."""
        return not self._typed_words.isdisjoint(map(fold, text.split()))

    @cached_property
    def _typed_words(self) -> frozenset[str]:
        all_words, heard = (
            {part for key in words for part in key.split()}
            for words in (self._pack.dictionary, self._pack.heard)
        )
        return frozenset(all_words - heard)

    @property
    def corrections(self) -> list[str]:
        """The words before a move that correct what was said before (D.2.8)."""
        words = self._pack.words("move", "correction")
        return list(dict.fromkeys(word.lower() for word in words))

    @property
    def opening_word(self) -> str:
        """The word before a command, so that talk is never taken for one: "Brett"."""
        return self._pack.words("listen", "opening")[0]

    def grammar_words(self) -> list[str]:
        """Every single word of all phrases, sorted.

        A recogniser without one of them cannot hear the phrases that have it.
        """
        dictionary = (word.text for word in self._pack.heard.values())
        words = {part for text in dictionary for part in re.split(r"[\s-]+", text)}
        words = {word for word in words if len(word) > 1}  # "e p" is for typing
        for phrase in self.command_phrases(Command, opened=True):
            words.update(re.split(r"[\s-]+", phrase))
        return sorted(words)

    def is_word_of_a_move(self, word: str) -> bool:
        """True for the name of a file, a rank or a piece, and for words like "schlägt". A letter is
        none: talk has many sounds like it."""
        return _has_sign(self._pack, word, _MOVE_SIGNS)

    def is_file_or_rank(self, word: str) -> bool:
        """True for the name of a file or a rank, and for the letter of a file."""
        return word in _LETTERS or _has_sign(self._pack, word, _SQUARE_SIGNS)

    def is_piece(self, word: str) -> bool:
        """True for the name of a piece."""
        return _has_sign(self._pack, word, _PIECE_SIGNS)

    def is_link(self, word: str) -> bool:
        """True for words like "nach" and "schlägt", which a move can be said without."""
        return _has_sign(self._pack, word, _LINK_SIGNS)

    def sounding_like(self, text: str) -> Iterator[str]:
        """Yield what sounds like ``text``, in small letters, with other words at one place each.

        "knight two eva two" sounds like "knight to eva two".
        """
        for pair in self._pack.sounding_alike:
            for said, other in (pair, pair[::-1]):
                for found in re.finditer(rf"\b{re.escape(said)}\b", text.lower()):
                    yield text[: found.start()].lower() + other + text[found.end() :].lower()


def _telling(
    words: tuple[str, ...], all_names: Sequence[tuple[str, ...]], forms: MoveForms
) -> tuple[str, ...]:
    """``words`` and their variants. A file or a rank alone must belong to no other name."""
    first, *more = words
    own = (first, *(word for word in more if sum(word in one for one in all_names) == 1))
    variants = (found for word in own for found in forms.variants(word.lower()))
    known = {word.lower() for word in own}
    return (*own, *(found for found in variants if found not in known))


def _has_sign(pack: Pack, word: str, signs: frozenset[GrammarSign]) -> bool:
    known = pack.heard.get(fold(word))
    return known is not None and known.sign in signs


def _must_be_legal(board: chess.Board, move: chess.Move) -> None:
    if not move or not board.is_legal(move):
        raise chess.IllegalMoveError(
            _("{uci} is not legal in {fen}: give a legal move.", uci=move.uci(), fen=board.fen())
        )


def _completed(said: ParsedMove, board: chess.Board, move: chess.Move) -> ParsedMove:
    """``said`` with the piece and the origin of ``move``."""
    return replace(
        said,
        piece=board.piece_type_at(move.from_square),
        from_file=move.from_square & 7,
        from_rank=move.from_square >> 3,
    )


class Key(Enum):
    """The meaning of a typed word, for everything that reads aloud, asks or waits. END and BACK
    are lists of the packs' ``[typed]``, the others are commands. HELP asks for the keys."""

    END = "end"
    SKIP = "skip"
    BACK = "back"
    REPEAT = "repeat"
    HELP = "help"


SPOKEN: Mapping[Key, Command] = {
    Key.REPEAT: Command.REPEAT,
    Key.SKIP: Command.SKIP,
    Key.HELP: Command.HELP,
}
"""The keys that can be said, too, and their commands."""


def key_of(pack: Language, line: str) -> Key | None:
    """Return what ``line`` asks for, in the words of ``pack`` or in English; None if nothing fits.

    >>> key_of(load("de"), "Beenden"), key_of(load("de"), "quit"), key_of(load("de"), "e4")
    (<Key.END: 'end'>, <Key.END: 'end'>, None)
    """
    text = fold(line)
    return pack.keys.get(text) or load("en").keys.get(text)


def word_of(pack: Language, key: Key) -> str:
    """The word that a table names for ``key``."""
    return next(_words_of_key(pack, key))


def _words_of_key(pack: Language, key: Key) -> Iterator[str]:
    """The phrases to say, then the words for typing only."""
    if key in SPOKEN:
        yield from pack.command_phrases([SPOKEN[key]])
    yield from pack.typed(key.value)


class AnalysisWord(Enum):
    """What can be asked in the analysis of a position, besides keys, moves and questions about the
    position. The values are the names in the packs."""

    ANALYSE = "analyse"
    EVALUATION = "evaluation"
    BEST_LINE = "best_line"
    COMPARE = "compare"
    OPENING = "opening"
    FORWARD = "forward"
    START = "start"
    VARIATIONS = "variations"
    OTHER_SIDE = "other_side"
    SET_UP = "set_up"
    CLEAR = "clear"
    EMPTY = "empty"
    READY = "ready"
    FEN = "fen"
    KEEP = "keep"


def analysis_word_of(pack: Language, line: str) -> tuple[AnalysisWord, str] | None:
    """Return what ``line`` asks for in an analysis, in the words of ``pack`` or in English, and the
    words after that; None if nothing fits.

    >>> analysis_word_of(load("de"), "Beste Variante fünf")
    (<AnalysisWord.BEST_LINE: 'best_line'>, 'fünf')
    """
    for language in dict.fromkeys((pack, load("en"))):
        for phrase, word in language.analysis_words.items():
            count = len(phrase.split())
            words = line.split(maxsplit=count)
            if fold(" ".join(words[:count])) == phrase:
                return word, " ".join(words[count:])
    return None
