"""The phrases of players, for a recogniser to listen for. Everything is in small letters."""

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import chess

from .move_index import MoveFeatures, MoveIndex, reaches
from .pack import PIECE_NAMES, LanguageError, Pack, fold
from .sentences import Sentences
from .understanding import Command


class MoveForms:
    """The forms of moves in one pack. ``squares`` are the names of the squares.

    :raises LanguageError: if the pack cannot explain a word.
    """

    def __init__(self, pack: Pack, squares: Sequence[str]) -> None:
        self._squares = [name.lower() for name in squares]
        self._files = [name.lower() for name in pack.file_names]
        self._ranks = [name.lower() for name in pack.rank_names]
        self._pieces = {piece: name.lower() for piece, name in pack.piece_names.items()}
        self._from, self._captures, self._en_passant, self._check = (
            pack.words("move", name)[0].lower()
            for name in ("from", "captures", "en_passant", "check")
        )
        self._links, self._takes, self._promotes, self._castles = (
            [word.lower() for word in pack.words("listen", name)]
            for name in ("to", "captures", "promotes", "castles")
        )
        self._synonyms: dict[str, list[str]] = {}
        meanings = {(word.sign, word.value): word for word in reversed(pack.dictionary.values())}
        for also in pack.words("listen", "also"):
            word = pack.dictionary.get(fold(also))
            if word is None:
                raise LanguageError(
                    "{file}: listen.also has {also}, which no table explains.",
                    file=pack.file,
                    also=repr(also),
                )
            usual = meanings[word.sign, word.value].text
            self._synonyms.setdefault(usual, []).append(also.lower())

    def legal(self, index: MoveIndex) -> Iterator[tuple[str, chess.Move]]:
        """The forms of all legal moves with their moves. Short forms may be ambiguous."""
        for one in index.features:
            ends = ["", self._check] if index.gives_check(one.move) else [""]
            for form, end in itertools.product(self._forms(one, index), ends):
                yield _join(form, end), one.move

    def _forms(self, one: MoveFeatures, index: MoveIndex) -> Iterator[str]:
        if one.castles:
            yield from self._castles
            return
        origin, to = one.move.from_square, one.move.to_square
        piece, square = self._pieces[one.piece], self._squares[origin]
        file, rank = self._files[origin & 7], self._ranks[origin >> 3]
        heads = [f"{piece} {square}", f"{piece} {self._from} {square}", square, piece]
        if one.piece == chess.PAWN:
            heads += ["", file, f"{piece} {file}"] if one.captured else [""]
        elif any(other.piece == one.piece and other != one for other in index.to(to)):
            heads += [f"{piece} {file}", f"{piece} {rank}"]
        ends = [""]
        if one.move.promotion:
            ends = [_join(word, self._pieces[one.move.promotion]) for word in self._promotes]
        elif one.en_passant:
            ends.append(self._en_passant)
        links = self._takes if one.captured else self._links
        for head, link, end in itertools.product(heads, links, ends):
            yield from self.variants(_join(head, link, self._squares[to], end))

    def variants(self, phrase: str) -> Iterator[str]:
        """``phrase``, and ``phrase`` with other words that are worth listening for."""
        choices = [[word, *self._synonyms.get(word, ())] for word in phrase.split()]
        return map(" ".join, itertools.product(*choices))

    def illegal(self, index: MoveIndex) -> Iterator[str]:
        """Well-formed announcements, most of them illegal.

        They are the moves that are legal if nothing stands in the way, and castling.
        """
        board, names = index.board, self._squares
        for (square, piece), to in itertools.product(board.piece_map().items(), chess.SQUARES):
            pawn = piece.piece_type == chess.PAWN
            if piece.color != board.turn or not reaches(board, square, to):
                continue
            legal = any(one.move.from_square == square for one in index.to(to))
            if legal and not (pawn and chess.square_rank(to) in (0, 7)):
                continue
            name = self._pieces[piece.piece_type]
            takes = [self._captures] if board.piece_at(to) else []
            for link in [*self._links, *takes]:
                yield _join(name, names[square], link, names[to])
                yield _join(names[square], link, names[to])
            for link in ["", *takes]:
                yield _join(name, link, names[to])
            if pawn:
                yield names[to]
        yield from self._castles


def command_phrases(pack: Pack, sentences: Sentences, command: Command) -> Iterator[str]:
    """The phrases of a command. A question has one phrase for each thing that it may be about."""
    phrases = pack.said(command)
    if not phrases:
        return
    slot = re.search(r"\{\w+\}", phrases[0])
    if slot is None:
        yield from (phrase.lower() for phrase in phrases)
        return
    names: Mapping[str, Iterable[str]] = {
        "{square}": (sentences.square(square, edition="") for square in chess.SQUARES),
        "{file}": pack.file_names,
        "{rank}": pack.rank_names,
        "{pieces}": itertools.chain(
            (sentences.pieces(kind) for kind in PIECE_NAMES),
            (sentences.pieces(k, c) for c in chess.COLORS for k in (*PIECE_NAMES, None)),
        ),
    }
    for name in names[slot[0]]:
        yield phrases[0].replace(slot[0], name).lower()


def _join(*parts: str) -> str:
    return " ".join(filter(None, parts))
