"""Sentences of people at a board: announcements in every form, and other talk; seeded.

A player who enrols, checks or gives a voice repeats it, and benchmarks speak it.
"""

import heapq
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from importlib.resources import files
from itertools import pairwise

import chess

from blindplay.language import Kind, Language, LanguageError, lexicon

_LONGEST_GAME = 160


class UtteranceKind(Enum):
    """The kind of an utterance."""

    MOVE = "moves"
    ILLEGAL = "illegal moves"
    COMMAND = "commands"
    OPENED = "commands after the opening word"
    TALK = "other speech"
    WORD = "single words"


COMMANDS = (UtteranceKind.COMMAND, UtteranceKind.OPENED)


@dataclass(frozen=True)
class ScriptLine:
    """A line to say in a position; ``words`` are "" if they are not known."""

    what: UtteranceKind
    fen: str
    words: str

    @property
    def board(self) -> chess.Board:
        """Return the position."""
        return chess.Board(self.fen)

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the single words in small letters."""
        return tuple(self.words.lower().split())


def position(chance: random.Random) -> chess.Board:
    """Return a position of a random game in which much is captured."""
    while True:
        board = chess.Board()
        for _ in range(chance.randrange(70)):
            moves = list(board.legal_moves)
            if not moves:
                break
            captures = [move for move in moves if board.is_capture(move)]
            board.push(chance.choice(captures if captures and chance.random() < 0.35 else moves))
        if not board.is_game_over():
            return board


def _is_special(board: chess.Board, move: chess.Move) -> bool:
    return bool(move.promotion) or board.is_castling(move) or board.is_en_passant(move)


def _has_a_twin(board: chess.Board, move: chess.Move) -> bool:
    """Return whether another piece of the kind can go there, too."""
    kind = board.piece_type_at(move.from_square)
    return kind != chess.PAWN and any(
        other.to_square == move.to_square
        and other.from_square != move.from_square
        and board.piece_type_at(other.from_square) == kind
        for other in board.legal_moves
    )


def _special(chance: random.Random) -> tuple[chess.Board, chess.Move]:
    """Return a castling, a promotion, a capture en passant, or a move that has a twin."""
    while True:
        suits = _has_a_twin if chance.random() < 0.4 else _is_special
        board = chess.Board()
        for _ in range(_LONGEST_GAME):
            moves = list(board.legal_moves)
            if not moves:
                break
            if chance.random() < 0.3 and (fitting := [m for m in moves if suits(board, m)]):
                return board, chance.choice(fitting)
            board.push(chance.choice(moves))


def announcement(pack: Language, chance: random.Random) -> ScriptLine:
    """Return a legal move in a form that means it: in two fifths of all cases the full one, in
    three tenths the shortest, as people say it who know each other."""
    if chance.random() < 0.25:
        board, move = _special(chance)
    else:
        board = position(chance)
        move = chance.choice(list(board.legal_moves))
    return ScriptLine(UtteranceKind.MOVE, board.fen(), any_form(pack, board, move, chance))


def any_form(pack: Language, board: chess.Board, move: chess.Move, chance: random.Random) -> str:
    """Return the full form, the shortest or any other."""
    drawn = chance.random()
    if drawn < 0.4:
        return pack.announce(board, move)
    if drawn < 0.7:
        return short_form(pack, board, move)
    # Choose a form and then its words; otherwise variants such as "zwo" would be most of them.
    forms = _forms(pack, board, move)
    cores = list({pack.understand(form, board).core: form for form in reversed(forms)}.values())
    return chance.choice(cores if chance.random() < 0.7 else forms)


def _forms(pack: Language, board: chess.Board, move: chess.Move) -> list[str]:
    """Return the forms that mean the move alone and say where it ends."""
    to = pack.square(move.to_square).lower()
    return [
        form
        for form in pack.forms(board)
        if (to in form or board.is_castling(move)) and pack.understand(form, board).move == move
    ]


def short_form(pack: Language, board: chess.Board, move: chess.Move) -> str:
    """Return the shortest announcement that means the move and says where it ends."""
    forms = _forms(pack, board, move)
    return min(forms, key=lambda form: len(form.split()), default=pack.announce(board, move))


def word_names(pack: Language) -> tuple[list[str], list[str], list[str]]:
    """Return the names of the files, the ranks and the pieces from pawn to king."""
    corners = [pack.square(chess.square(n, n)).split() for n in range(8)]
    pieces = [pack.piece(chess.Piece(kind, chess.WHITE)).split()[-1] for kind in chess.PIECE_TYPES]
    return [names[0] for names in corners], [names[-1] for names in corners], pieces


def talk(pack: Language, count: int, chance: random.Random) -> Iterator[ScriptLine]:
    """Yield other speech: sentences, talk about the position on the board, and in a third of all
    cases our own words in disorder."""
    written = sentences(pack)
    if not written:
        return
    about_chess = _written(f"{pack.code}-chess")
    others = [word for sentence in written for word in sentence.split()]
    ours = [name for names in word_names(pack) for name in names]
    yielded = 0
    while yielded < count:
        board = position(chance)
        words = chance.choice(written)
        drawn = chance.random()
        if about_chess and drawn > 0.65:
            words = _about(pack, board, chance.choice(about_chess), chance)
        if drawn < 0.35:
            count_of_words = chance.randrange(1, 5)
            mixed = ([*ours, *chance.sample(others, len(ours))] for _ in range(count_of_words))
            words = " ".join(map(chance.choice, mixed))
        if pack.understand(words, board).kind in (Kind.UNCLEAR, Kind.NOTHING):
            yielded += 1
            yield ScriptLine(UtteranceKind.TALK, board.fen(), words)


def sentences(pack: Language) -> list[str]:
    """Return what people say near a board; none for a language in which nobody has written any."""
    return _written(pack.code)


def _about(pack: Language, board: chess.Board, template: str, chance: random.Random) -> str:
    """Fill a sentence about chess with a move that is possible, the likeliest to be mistaken."""
    move = chance.choice(list(board.legal_moves))
    piece = word_names(pack)[2][(board.piece_type_at(move.from_square) or 1) - 1]
    other = pack.square(chance.randrange(64))
    return template.format(piece=piece, square=pack.square(move.to_square), other=other)


def _written(name: str) -> list[str]:
    source = files(__package__).joinpath("talk", f"{name}.txt")
    written = source.read_text("utf-8").splitlines() if source.is_file() else []
    return [line for line in written if line and not line.startswith("#")]


Unit = tuple[str, ...]
"""The kind of a unit, and a word, two words in a row, or two phones in a row."""
_WEIGHTS = {"word": 1.0, "words": 0.5, "phones": 0.2}
_LENGTH = 2.0  # what it takes to say anything, in words


class Coverage:
    """The lines chosen of one language; it finds which other line adds most to them."""

    def __init__(self, pack: Language) -> None:
        self._count: Counter[Unit] = Counter()
        try:
            known = lexicon(pack.code)
            variants = {**known.fillers, **known.words}
        except LanguageError:  # a language of the user's own need not have pronunciations
            variants = {}
        self._phones = {word: min(of, key=of.__getitem__) for word, of in variants.items()}

    def chosen(self, lines: Iterable[ScriptLine], count: int) -> list[ScriptLine]:
        """Return ``count`` of the lines, or all of them if there are fewer. Each adds most to those
        before it, for its length."""
        # The gain of a line only decreases, so the first line whose gain is up to date is the best.
        left = [(-self._gain(line), n, line) for n, line in enumerate(dict.fromkeys(lines))]
        heapq.heapify(left)
        chosen: list[ScriptLine] = []
        while left and len(chosen) < count:
            _, number, best = left[0]
            gain = -self._gain(best)
            if gain > left[0][0]:
                heapq.heapreplace(left, (gain, number, best))
                continue
            heapq.heappop(left)
            self._count.update(self._units(best))
            chosen.append(best)
        return chosen

    def _gain(self, line: ScriptLine) -> float:
        gain = sum(_WEIGHTS[unit[0]] / (1 + self._count[unit]) ** 2 for unit in self._units(line))
        return gain / (_LENGTH + len(line.tokens))

    def _units(self, line: ScriptLine) -> Iterator[Unit]:
        words = line.tokens
        yield from (("word", word) for word in words)
        yield from (("words", *pair) for pair in pairwise(words))
        phones = [phone for word in words for phone in self._phones.get(word, ())]
        yield from (("phones", *pair) for pair in pairwise(phones))
