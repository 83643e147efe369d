"""The words of one reader at a table where moves may be announced in another language."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import chess

from .language import Key, Language, load
from .mixed_text import MixedText
from .pack import fold
from .understanding import Kind, Understanding

_NAMES_A_MOVE = frozenset((Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL))


class ReaderLanguage(Language):
    """Messages, questions and commands in ``own``, announcements in ``announcing()`` (D.2.1).

    It gives announcements as :class:`.MixedText`, so that they keep their language within a
    sentence. It understands commands and moves in either language; where a text means something in
    both, a command is its reader's, and a move is one in the language of announcements. A text that
    means nothing in them may be a command in English: people know "claim threefold" everywhere.
    """

    def __init__(self, own: Language, announcing: Callable[[], Language]) -> None:
        vars(self).update(vars(own))  # it is that language in everything else
        self._own = own
        self._announcing = announcing
        words = {fold(word): None for word in own.corrections}
        self._correction_keys = [tuple(key.split()) for key in words]

    @property
    def announcing(self) -> Language:
        """The language of announcements now; the arbiter may change it."""
        return self._announcing()

    # --- moves, out

    def announce(
        self,
        board: chess.Board,
        move: chess.Move,
        *,
        edition: str = "fide-2023",
        check: bool = False,
    ) -> str:
        """See :meth:`.Language.announce`."""
        pack = self._announcing()
        words = pack.announce(board, move, edition=edition, check=check)
        return words if pack is self._own else MixedText((words, pack.code))

    # --- words, in

    def understand(self, text: str, board: chess.Board) -> Understanding:
        """See :meth:`.Language.understand`."""
        meant = self._in_both(text, board)
        if meant.kind is Kind.UNCLEAR and not meant.opened:
            international = load("en").understand(text, board)
            if international.kind is Kind.COMMAND:
                moves = self._in_both(international.rest, board).moves
                return replace(international, moves=moves or international.moves)
        return meant

    def _in_both(self, text: str, board: chess.Board) -> Understanding:
        own, announcing = self._own.understand(text, board), self._announcing()
        if announcing is self._own:
            return own
        if own.kind is Kind.COMMAND:
            if not own.rest or own.moves:
                return own
            return replace(own, moves=announcing.understand(own.rest, board).moves)
        said = announcing.understand(text, board)
        if said.kind in _NAMES_A_MOVE or said.kind is Kind.COMMAND:
            return said
        if own.kind in _NAMES_A_MOVE or own.kind is Kind.NOTHING:
            return own
        corrected = self._after_correction(text)
        if corrected is not None:
            move = announcing.understand(corrected, board)
            if move.kind in _NAMES_A_MOVE:
                return replace(move, correction=True, words=own.words)
        return said

    def begins(self, text: str, board: chess.Board) -> chess.SquareSet:
        """See :meth:`.Language.begins`."""
        return self._announcing().begins(text, board) or self._own.begins(text, board)

    def _after_correction(self, text: str) -> str | None:
        """Return what follows the last word of correction in the reader's own words, if there is
        one."""
        parts = text.split()
        keys = [fold(part) for part in parts]
        for begin in reversed(range(len(keys))):
            for words in self._correction_keys:
                end = begin + len(words)
                if tuple(keys[begin:end]) == words:
                    return " ".join(parts[end:])
        return None

    def differing(
        self, announcements: Sequence[str], board: chess.Board
    ) -> list[tuple[str, ...]] | None:
        """See :meth:`.Language.differing`. The reader's own words answer, too."""
        pack = self._announcing()
        found = pack.differing(announcements, board)
        if found is None or pack is self._own:
            return found
        announced = [[MixedText((word, pack.code)) for word in words] for words in found]
        moves = [pack.understand(text, board).move for text in announcements]
        texts = [self._own.announce(board, move) for move in moves if move is not None]
        own = self._own.differing(texts, board) if len(texts) == len(moves) else None
        return [
            (*words, *more) for words, more in zip(announced, own or [()] * len(moves), strict=True)
        ]

    @cached_property
    def keys(self) -> Mapping[str, Key]:
        """See :attr:`.Language.keys`: worked out once for all readers of a language."""
        return self._own.keys

    # --- words to listen for

    def forms(self, board: chess.Board) -> list[str]:
        """See :meth:`.Language.forms`."""
        return self._announcing().forms(board)

    def phrases(self, board: chess.Board) -> list[str]:
        """See :meth:`.Language.phrases`."""
        return self._announcing().phrases(board)

    def illegal_phrases(self, board: chess.Board) -> list[str]:
        """See :meth:`.Language.illegal_phrases`."""
        return self._announcing().illegal_phrases(board)

    @property
    def corrections(self) -> list[str]:
        """The words before a correction, in both languages."""
        return self._both(self._own.corrections, self._announcing().corrections)

    def grammar_words(self) -> list[str]:
        """Every single word of all phrases in both languages, sorted."""
        return sorted(self._both(self._own.grammar_words(), self._announcing().grammar_words()))

    def is_word_of_a_move(self, word: str) -> bool:
        """See :meth:`.Language.is_word_of_a_move`."""
        return self._announcing().is_word_of_a_move(word)

    def is_file_or_rank(self, word: str) -> bool:
        """See :meth:`.Language.is_file_or_rank`."""
        return self._announcing().is_file_or_rank(word)

    def is_piece(self, word: str) -> bool:
        """See :meth:`.Language.is_piece`."""
        return self._announcing().is_piece(word)

    def is_link(self, word: str) -> bool:
        """See :meth:`.Language.is_link`."""
        return self._announcing().is_link(word)

    def sounding_like(self, text: str) -> Iterator[str]:
        """See :meth:`.Language.sounding_like`."""
        return self._announcing().sounding_like(text)

    def _both(self, own: Iterable[str], announced: Iterable[str]) -> list[str]:
        return list(dict.fromkeys((*own, *announced)))
