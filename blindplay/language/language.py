"""One language at the table: announcing, understanding, listening for, and saying the rest."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from types import MappingProxyType

import chess

from .pack import PIECE_NAMES, LanguageError, Pack, Sign, codes, fold
from .understanding import (
    QUESTIONS,
    Command,
    Kind,
    MoveFeatures,
    MoveIndex,
    Parts,
    TextParser,
    Understanding,
    fact_of,
    reaches,
)

__all__ = ["Language", "LanguageError", "languages", "load"]

_SLOTS = ("{square}", "{file}", "{rank}", "{pieces}")
_ARTICLE_PART = re.compile(r"[A-Za-z]+|\d+")

_SIGNS_OF_A_MOVE = frozenset((Sign.FILE, Sign.RANK, Sign.PIECE, Sign.CAPTURES, Sign.PROMOTES))


def _gives_check(board: chess.Board, move: chess.Move) -> bool:
    """Asked of a copy: python-chess plays the move to see, and other threads may be reading."""
    return board.copy(stack=False).gives_check(move)


def languages() -> list[str]:
    """The codes of the languages there are, in alphabetical order."""
    return codes()


@cache
def load(language: str) -> Language:
    """The language with the code ``language``, for instance ``"de"``.

    ``"de+nb"`` is German with the ranks in Norwegian, for the arbiter may decide so (fide-2023
    D.2.1). Raises LanguageError, in one sentence, if there is no such language.
    """
    return Language(Pack.read(language))


class Language:
    """The words of one language. Get it from :func:`load`; safe to share between threads."""

    def __init__(self, pack: Pack) -> None:
        self.code = pack.code
        self.name = pack.text("name")
        self.spoken: Mapping[str, str] = MappingProxyType(
            {k.casefold(): str(v) for k, v in pack.table("spoken").items()}
        )
        """Words in small letters, and how a synthesiser and a speech model spell them instead."""
        self._pack = pack
        self._reader = TextParser(pack)
        self._sentences = pack.table("sentences")
        self._read = lru_cache(maxsize=1 << 16)(self._reader.read)
        self._squares = cache(self._square_names)
        self._below_hundred = pack.text("numbers", "below_hundred").split()
        self._hundreds = pack.words("numbers", "hundreds")
        self._thousands = pack.words("numbers", "thousands")
        if (len(self._below_hundred), len(self._hundreds), len(self._thousands)) != (100, 9, 9):
            raise LanguageError(f"{pack.file}: numbers needs 100, 9 and 9 words: count them.")
        self._captures = pack.words("move", "captures")[0]
        self._en_passant = pack.words("move", "en_passant")[0]
        self._promotes = pack.words("move", "promotes")[0]
        self._castles = {
            Sign.CASTLES_SHORT: pack.words("move", "castles_short")[0],
            Sign.CASTLES_LONG: pack.words("move", "castles_long")[0],
        }
        # The last position only: a table asks about one position many times. One assignment of
        # one tuple, so that threads never see half of it.
        self._last: tuple[tuple[object, ...], MoveIndex] | None = None

    # ------------------------------------------------------------ moves, out

    def announce(
        self,
        board: chess.Board,
        move: chess.Move,
        *,
        edition: str = "fide-2023",
        check: bool = False,
    ) -> str:
        """The words in which ``move`` is announced on ``board`` (fide-2023 D.2.1).

        ``edition`` chooses the spelling of the files' names; one that the pack does not know has
        the usual ones. ``check`` adds check or checkmate. Castling may be given as the king's
        step or, in chess960, as the king taking his rook.
        Raises chess.IllegalMoveError (a ValueError) if the move is not legal on ``board``.

        >>> load("de").announce(chess.Board(), chess.Move.from_uci("g1f3"))
        'Springer Gustav eins Felix drei'
        """
        # Only this move's words are asked for: the other moves need not be looked at.
        if not move or not board.is_legal(move):
            raise chess.IllegalMoveError(
                f"{move.uci()} is not legal in {board.fen()}: give a legal move."
            )
        fact = fact_of(board, move)
        words = self._announcement(fact, self._squares(edition))
        if check and _gives_check(board, fact.move):
            after = board.copy(stack=False)
            after.push(fact.move)
            name = "checkmate" if after.is_checkmate() else "check"
            words += " " + self._pack.words("move", name)[0]
        return words

    def _announcement(self, fact: MoveFeatures, squares: tuple[str, ...]) -> str:
        if fact.castles:
            return self._castles[fact.castles]
        parts = [self._pack.piece_names[fact.piece], squares[fact.from_square]]
        if fact.captured is not None:
            parts.append(self._captures)
        parts.append(squares[fact.to_square])
        if fact.en_passant:
            parts.append(self._en_passant)
        if fact.move.promotion is not None:
            parts += [self._promotes, self._pack.piece_names[fact.move.promotion]]
        words = " ".join(parts)
        return words[0].upper() + words[1:]

    def write(self, board: chess.Board, move: chess.Move) -> str:
        """``move`` in algebraic notation with the country's letters, for a scoresheet.

        German and Scandinavian K D T L S, English K Q R B N; castling 0-0 and 0-0-0.
        Raises chess.IllegalMoveError (a ValueError) if the move is not legal on ``board``.

        >>> load("de").write(chess.Board(), chess.Move.from_uci("g1f3"))
        'Sf3'
        """
        if not move or not board.is_legal(move):
            raise chess.IllegalMoveError(
                f"{move.uci()} is not legal in {board.fen()}: give a legal move."
            )
        alone = board.copy(stack=False)  # python-chess plays the move on it
        return self.notation(alone.san(move))

    def notation(self, san: str) -> str:
        """A move in English algebraic notation (PGN's) in the country's, as :meth:`write` has it.

        >>> load("de").notation("Nf3"), load("de").notation("e8=Q+"), load("de").notation("O-O")
        ('Sf3', 'e8=D+', '0-0')
        """
        if san.startswith("O-O"):
            name = "castles_long" if san.startswith("O-O-O") else "castles_short"
            return self._pack.text("notation", name) + san.lstrip("O-")
        letters = {
            chess.piece_symbol(piece).upper(): letter
            for piece, letter in self._pack.piece_letters.items()
        }
        return "".join(letters.get(c, c) for c in san)

    # ------------------------------------------------------------ words, in

    def understand(self, text: str, board: chess.Board) -> Understanding:
        """What ``text``, heard or typed, means on ``board``. Never raises for any text.

        Heard and typed text are one language: besides words there may be squares (``e2 e4``),
        UCI (``e7e8q``) and the country's notation (``Sf3``, ``exd6 e.p.``, ``0-0``). As in words
        the sign of a capture may be left out (fide-2023 C.13.3: optional), so ``Te4`` is also
        ``Txe4``; where it is given there must be something to capture. Piece letters are those
        of the country, in capitals; no letter of another country is accepted (``Bf4``, ``Nf3``).

        A piece and a destination are enough where one legal move fits; a square alone is a pawn's
        move. Everything said must be so, except check and mate, which are reported (see
        :class:`Understanding`). Nothing is guessed: a promotion without its piece is ILLEGAL
        with PROMOTION_MISSING (D.2.1), "Rochade" without its side is AMBIGUOUS.
        """
        return self._position(board).understand(self._read(text))

    def _position(self, board: chess.Board) -> MoveIndex:
        key = (
            board.pawns,
            board.knights,
            board.bishops,
            board.rooks,
            board.queens,
            board.kings,
            board.occupied_co[chess.WHITE],
            board.turn,
            board.castling_rights,
            board.ep_square,
            board.chess960,
            type(board),
        )
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        position = MoveIndex(board)
        self._last = (key, position)
        return position

    def differing(
        self, announcements: Sequence[str], board: chess.Board
    ) -> list[tuple[str, ...]] | None:
        """The words in which announcements differ, if they differ in one thing; else None.

        For each: the words to ask with, then other words that tell it from the rest. What one
        leaves unsaid is no difference when the one move it can mean tells.

        >>> de = load("de")
        >>> de.differing(["Springer Felix drei", "Springer Hector drei"], chess.Board())
        [('Felix drei', 'Felix'), ('Hector drei', 'Hector')]
        """
        heard = [self._read(text) for text in announcements]
        parts = [Parts.of(one.said) for one in heard if one.said is not None]
        if len(parts) < 2 or len(parts) < len(heard):
            return None
        if len({part.form for part in parts}) > 1:
            meant = [self._position(board).understand(one) for one in heard]
            if any(len(one.moves) != 1 for one in meant) or any(part.castles for part in parts):
                return None
            parts = [
                part.completed(board, one.moves[0]) for part, one in zip(parts, meant, strict=True)
            ]
        squares = [self._origin_and_to(part) for part in parts]
        choices: list[list[tuple[str, ...]]] = [
            [(self._castles.get(part.castles, ""),) if part.castles else () for part in parts],
            [self._named(part.piece) for part in parts],
            [origin for origin, _ in squares],
            [to for _, to in squares],
            [self._named(part.promotion) for part in parts],
        ]
        differing = [names for names in choices if len(set(names)) > 1]
        if len(differing) != 1 or not all(differing[0]):
            return None
        names = differing[0]
        if len(set(names)) < len(names):
            return None
        # A file or a rank alone tells a square from the others only if it is not theirs as well.
        alone = [
            (first, *(word for word in more if sum(word in other for other in names) == 1))
            for first, *more in names
        ]
        return [(words[0], *self._also(words)) for words in alone]

    def _also(self, words: tuple[str, ...]) -> list[str]:
        """All but the first, and the variants of all that are worth listening for."""
        variants = [found for word in words for found in self._variants(word.lower())]
        known = {word.lower() for word in words}
        return [*words[1:], *(found for found in variants if found not in known)]

    def _named(self, piece: chess.PieceType | None) -> tuple[str, ...]:
        if piece is None:
            return ()
        return (self._pack.piece_names[piece],)

    def _origin_and_to(self, part: Parts) -> tuple[tuple[str, ...], tuple[str, ...]]:
        def words(file: int | None, rank: int | None) -> tuple[str, ...]:
            names = [
                *([self._pack.file_names[file]] if file is not None else []),
                *([self._pack.rank_names[rank]] if rank is not None else []),
            ]
            return (" ".join(names), *names) if len(names) > 1 else tuple(names)

        to = part.to
        return words(part.from_file, part.from_rank), (() if to is None else words(to & 7, to >> 3))

    # ------------------------------------------------------------ words to listen for

    def phrases(self, board: chess.Board) -> list[str]:
        """Every plain form of every legal move, in small letters, each once.

        Long with and without the word between the squares, the words for capturing, short where
        that is unambiguous, and the variants the pack wants to be listened for. Each phrase is
        understood again as its move.
        """
        position = self._position(board)
        found: dict[str, None] = {}
        for fact in position.facts:
            for phrase in self._forms(fact, board):
                if phrase in found:
                    continue
                meant = position.understand(self._read(phrase))
                if meant.move == fact.move:
                    found[phrase] = None
        return list(found)

    def forms(self, board: chess.Board) -> list[str]:
        """Every form in which a legal move may be said, in small letters, each once.

        Like :meth:`phrases`, with those that several moves share: who says one is asked which.
        Takes 2 ms, so that it can be done between two plies.
        """
        facts = self._position(board).facts
        return list(dict.fromkeys(form for fact in facts for form in self._forms(fact, board)))

    def is_word_of_a_move(self, word: str) -> bool:
        """Whether ``word`` is a file, a rank, a piece, or what links them in an announcement."""
        known = self._pack.dictionary.get(fold(word))
        return known is not None and known.sign in _SIGNS_OF_A_MOVE

    def is_file_or_rank(self, word: str) -> bool:
        """Whether ``word`` is the name of a file or a rank."""
        known = self._pack.dictionary.get(fold(word))
        return known is not None and known.sign in (Sign.FILE, Sign.RANK)

    def illegal_phrases(self, board: chess.Board) -> list[str]:
        """Announcements that are well formed and plausible, and not legal on ``board``.

        Every move that a piece of the player on move could make if nothing stood in its way, long
        and short; castlings that are not possible; promotions without their piece. A recogniser
        that knows them need not force them into a legal move. Each is understood as ILLEGAL.
        """
        position = self._position(board)
        found: dict[str, None] = {}

        def add(phrase: str) -> None:
            if phrase not in found:
                meant = position.understand(self._read(phrase))
                if meant.kind is Kind.ILLEGAL:
                    found[phrase] = None

        names = self._small_squares()
        links = self._pack.words("listen", "to")
        for square, piece in board.piece_map().items():
            if piece.color != board.turn:
                continue
            name = self._pack.piece_names[piece.piece_type].lower()
            for to in chess.SQUARES:
                if not reaches(board, square, to):
                    continue
                if any(f.from_square == square for f in position.by_square.get(to, ())) and not (
                    piece.piece_type == chess.PAWN and chess.square_rank(to) in (0, 7)
                ):
                    continue
                takes = [self._captures.lower()] if board.piece_at(to) else []
                for link in [*links, *takes]:
                    add(_join(name, names[square], link, names[to]))
                    add(_join(names[square], link, names[to]))
                add(_join(name, names[to]))
                if takes:
                    add(_join(name, takes[0], names[to]))
                if piece.piece_type == chess.PAWN:
                    add(names[to])
        for phrase in self._pack.words("listen", "castles"):
            add(phrase.lower())
        return list(found)

    def command_phrases(
        self, commands: Iterable[Command] | None = None, *, opened: bool = False
    ) -> list[str]:
        """Every phrase to listen for that is one of ``commands``, in small letters, each once.

        ``commands``: all that can be said in a game when None; questions about the position only
        when they are named. ``opened``: with the opening word before each. A sealed move is
        written and never said, so its phrases are not listened for.
        """
        wanted = set(Command) - QUESTIONS if commands is None else set(commands)
        opening = self.opening_word.lower() if opened else ""
        found = (
            _join(opening, phrase.lower())
            for command in Command
            if command in wanted and command is not Command.SEAL
            for phrase in self._command_phrases(command)
        )
        return list(dict.fromkeys(found))

    @property
    def corrections(self) -> list[str]:
        """The words that may go before a move to correct what was said before (D.2.8)."""
        words = self._pack.words("move", "correction")
        return list(dict.fromkeys(word.lower() for word in words))

    @property
    def opening_word(self) -> str:
        """What is said before a command, so that talking is never taken for one: "Brett"."""
        return self._pack.words("listen", "opening")[0]

    def _command_phrases(self, command: Command) -> Iterator[str]:
        phrases = self._pack.words("commands", command.value)
        slot = next((slot for slot in _SLOTS if slot in phrases[0]), None)
        if slot is None:
            yield from phrases
            return
        fillings: dict[str, Iterable[str]] = {
            "{square}": self._squares(""),
            "{file}": self._pack.file_names,
            "{rank}": self._pack.rank_names,
            "{pieces}": self._pieces_asked_for(),
        }
        for words in fillings[slot]:
            yield phrases[0].replace(slot, words)

    def _pieces_asked_for(self) -> Iterator[str]:
        for kind in PIECE_NAMES:
            yield self.pieces(kind)
        for color in chess.COLORS:
            for piece in (*PIECE_NAMES, None):
                yield self.pieces(piece, color)

    def grammar_words(self) -> list[str]:
        """Every single word that any phrase can hold, in small letters, sorted.

        A recogniser whose vocabulary lacks one of them cannot hear that phrase.
        """
        words = {
            part
            for word in self._pack.dictionary.values()
            for part in re.split(r"[\s-]+", word.text)
            if len(part) > 1  # "e p" is for typing
        }
        for phrase in self.command_phrases(Command, opened=True):
            words.update(re.split(r"[\s-]+", phrase))
        return sorted(words)

    def _small_squares(self) -> tuple[str, ...]:
        return tuple(name.lower() for name in self._squares(""))

    def _forms(self, fact: MoveFeatures, board: chess.Board) -> Iterator[str]:
        """Forms in which a player may say this move; the short ones may be ambiguous."""
        check = ""
        if _gives_check(board, fact.move):
            check = self._pack.words("move", "check")[0].lower()
        if fact.castles:
            for phrase in self._pack.words("listen", "castles"):
                yield phrase.lower()
                if check:
                    yield _join(phrase.lower(), check)
            return
        names = self._small_squares()
        origin, to = names[fact.from_square], names[fact.to_square]
        piece = self._pack.piece_names[fact.piece].lower()
        start = self._pack.words("move", "from")[0].lower()
        file_name = self._pack.file_names[fact.from_square & 7].lower()
        rank_name = self._pack.rank_names[fact.from_square >> 3].lower()
        heads = [f"{piece} {origin}", f"{piece} {start} {origin}", origin, piece]
        if fact.piece == chess.PAWN:
            heads.append("")
            if fact.captured:
                heads += [file_name, f"{piece} {file_name}"]
        elif self._needs_origin(fact, board):
            heads += [f"{piece} {file_name}", f"{piece} {rank_name}"]
        links = self._pack.words("listen", "captures" if fact.captured else "to")
        ends = [""]
        if fact.move.promotion:
            promoted = self._pack.piece_names[fact.move.promotion].lower()
            ends = [_join(w.lower(), promoted) for w in self._pack.words("listen", "promotes")]
        elif fact.en_passant:
            ends.append(self._en_passant.lower())
        for head, link, end in itertools.product(heads, links, ends):
            phrase = _join(head, link.lower(), to, end)
            for variant in self._variants(phrase):
                yield variant
                if check:
                    yield _join(variant, check)

    def _needs_origin(self, fact: MoveFeatures, board: chess.Board) -> bool:
        """Whether another piece of the kind can go to the same square."""
        others = self._position(board).by_square[fact.to_square]
        return any(f.piece == fact.piece and f.move != fact.move for f in others)

    def _variants(self, phrase: str) -> Iterator[str]:
        """``phrase``, and with other words of the same meaning that are worth listening for."""
        choices = [[word, *self._other_words.get(word, ())] for word in phrase.split()]
        for words in itertools.product(*choices):
            yield " ".join(words)

    @cached_property
    def _other_words(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        dictionary = self._pack.dictionary
        for also in self._pack.words("listen", "also"):
            meaning = dictionary.get(fold(also))
            if meaning is None:
                raise LanguageError(
                    f"{self._pack.file}: listen.also has {also!r}, which no table explains."
                )
            usual = next(
                word.text
                for word in dictionary.values()
                if (word.sign, word.value) == (meaning.sign, meaning.value)
            )
            found.setdefault(usual, []).append(also.lower())
        return found

    # ------------------------------------------------------------ everything else that is said

    def number(self, n: int) -> str:
        """``n``, 0 to 9999, in words. ValueError beyond.

        >>> load("de").number(27)
        'siebenundzwanzig'
        """
        if not 0 <= n <= 9999:
            raise ValueError(f"{n} cannot be said: give a number from 0 to 9999.")
        thousands, rest = divmod(n, 1000)
        hundreds, rest = divmod(rest, 100)
        parts = []
        if thousands:
            parts.append(self._thousands[thousands - 1])
        if hundreds:
            parts.append(self._hundreds[hundreds - 1])
        great = self._pack.text("numbers", "joined_by").join(parts)
        if not parts:
            return self._below_hundred[rest]
        if not rest:
            return great
        return great + self._pack.text("numbers", "tens_joined_by") + self._below_hundred[rest]

    def duration(self, milliseconds: int) -> str:
        """A time in words: minutes and seconds, from one hour on hours and minutes.

        Parts of a second, and from one hour on seconds, are left out, so that no more time is
        told than there is. Less than a second, or less than nothing, is "null Sekunden".

        >>> load("de").duration(63_000)
        'eine Minute drei Sekunden'
        """
        seconds = max(0, milliseconds) // 1000
        hours, minutes, seconds = seconds // 3600, seconds // 60 % 60, seconds % 60
        if hours:
            seconds = 0
        parts = []
        for n, unit in ((hours, "hour"), (minutes, "minute"), (seconds, "second")):
            if n:
                one, several = self._pack.words("duration", unit)
                parts.append(one if n == 1 else several.format(n=self.number(n)))
        if not parts:
            return self._pack.text("duration", "none")
        return self._pack.text("duration", "joined_by").join(parts)

    def square(self, square: chess.Square, *, edition: str = "fide-2023") -> str:
        """The name of ``square`` (0 to 63): "Gustav eins"."""
        return self._squares(edition)[square]

    def piece(self, piece: chess.Piece) -> str:
        """The piece with its colour: "weißer Springer"."""
        colour = "white" if piece.color else "black"
        return self._pack.text("pieces_with_colour", colour, PIECE_NAMES[piece.piece_type])

    def pieces(self, kind: chess.PieceType | None, color: chess.Color | None = None) -> str:
        """Several pieces of a kind and a colour, None of any: "weiße Springer", "Figuren"."""
        name = self._pack.words("pieces_plural", PIECE_NAMES[kind] if kind else "all")[0]
        if color is None:
            return name
        return f"{self._pack.words('colours', 'white' if color else 'black')[0]} {name}"

    def article(self, reference: str) -> str:
        """An article of the Laws in words: "D.2.9" is "Artikel David zwei neun".

        Letters have the names of the files, or those of the spelling alphabet.
        LanguageError if there is nothing to say in ``reference``.
        """
        parts = []
        for part in _ARTICLE_PART.findall(reference):
            if part.isdigit() and int(part) <= 9999:
                parts.append(self.number(int(part)))
            else:
                parts += [self._letter(letter) for letter in part]
        if not parts:
            raise LanguageError(f"{reference!r} is no article: give one like D.2.9.")
        return self.sentence("article", reference=" ".join(parts))

    def _letter(self, letter: str) -> str:
        if letter.isdigit():
            return self.number(int(letter))
        if letter.lower() in "abcdefgh":
            return self._pack.file_names["abcdefgh".index(letter.lower())]
        return self._pack.text("letters", letter.lower())

    def sentence(self, key: str, **values: str) -> str:
        """The sentence ``key`` of the pack's ``[sentences]`` with its ``{names}`` filled in.

        LanguageError if there is no such sentence, or a value is missing. The values must be
        words already; values that the sentence does not use are ignored.
        """
        if key not in self._sentences:
            raise LanguageError(f"{self._pack.file} has no sentence {key!r}: add it.")
        missing = self.fields(key) - values.keys()
        if missing:
            raise LanguageError(
                f"The sentence {key!r} needs {', '.join(sorted(missing))}: give a value for each."
            )
        return str(self._sentences[key]).format(**values)

    def printed(self, key: str) -> str:
        """A text of the pack's ``[printed]``: shown, not spoken, so there may be notation in it."""
        return self._pack.text("printed", key).strip()

    def command(self, command: Command) -> str:
        """How a command is called: the first of its phrases, of a question with an example."""
        words = self._pack.words("commands", command.value)[0].format(
            square=self.square(chess.E4),
            file=self._pack.file_names[4],
            rank=self._pack.rank_names[3],
            pieces=self.pieces(chess.ROOK),
        )
        return words[0].upper() + words[1:]

    def sentences(self) -> list[str]:
        """The keys of all sentences."""
        return list(self._sentences)

    def fields(self, key: str) -> set[str]:
        """The names of the values that the sentence ``key`` needs."""
        return {
            name for _, name, _, _ in string.Formatter().parse(str(self._sentences[key])) if name
        }

    def either(self, choices: list[str]) -> str:
        """Several announcements as one question: "… , … oder …"."""
        if len(choices) < 2:
            return "".join(choices)
        return f"{', '.join(choices[:-1])} {self.sentence('or')} {choices[-1]}"

    def _square_names(self, edition: str) -> tuple[str, ...]:
        names = list(self._pack.file_names)
        for name, spelling in self._pack.data.get("files_of_edition", {}).get(edition, {}).items():
            names["abcdefgh".index(name)] = spelling
        return tuple(f"{names[s & 7]} {self._pack.rank_names[s >> 3]}" for s in chess.SQUARES)


def _join(*parts: str) -> str:
    return " ".join(part for part in parts if part)
