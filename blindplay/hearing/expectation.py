"""The phrases that may be said now, and evidence for them besides the sound."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import chess

from blindplay.language import Language, Understanding
from blindplay.laws.game import Game
from blindplay.speech.ensemble import AnyRecogniser

LEANING = 5.0
"""Nats by which the executed or touched move is likelier, or the announcement that is to be
repeated: enough to settle a doubt of the ear, too little to overrule it."""


@dataclass(frozen=True)
class Expected:
    """All that may be said now.

    ``boards``: the position whose moves may be announced, and perhaps the one before, whose move
    may be repeated. ``phrases`` are for the recogniser: all forms of the legal moves,
    and ``others``: commands and answers. ``corrections`` may go before a move. Phrases with words
    that the model lacks are left out, never shortened; those words are ``out_of_vocabulary``.

    ``felt``: the moves that fit the hands' actions, None if there were none; ``repeated``: the
    announcement that is to be repeated (D.2.1); ``awaited``: phrases that answer an open question.
    Each makes matching meanings likelier, not certain. ``shown``: hands on a sensor board
    show which move was meant, so a wrong one is soon noticed.
    """

    boards: tuple[chess.Board, ...]
    phrases: Mapping[str, None]
    others: frozenset[str]
    corrections: frozenset[str] = frozenset()
    out_of_vocabulary: tuple[str, ...] = ()
    felt: frozenset[chess.Move] | None = None
    repeated: chess.Move | None = None
    awaited: frozenset[str] = frozenset()
    shown: bool = False

    def leaning(self, move: chess.Move | None) -> float:
        """Return the nats by which ``move`` is likelier for another reason than its sound."""
        if move is None:
            return 0.0
        return LEANING * ((self.felt is not None and move in self.felt) + (move == self.repeated))

    def contradicts(self, meant: Understanding) -> bool:
        """Return whether hands have done something else than ``meant``, which is not a
        correction."""
        return (
            self.felt is not None
            and meant.move is not None
            and not meant.correction
            and meant.move not in self.felt
        )

    def in_grammar(self, words: str) -> bool:
        """Return whether these words are expected as they are, perhaps after a correction."""
        if words in self.phrases:
            return True
        return any(
            words.startswith(f"{first} ") and words.removeprefix(f"{first} ") in self.phrases
            for first in self.corrections
        )


def expect(
    recogniser: AnyRecogniser,
    pack: Language,
    boards: Iterable[chess.Board],
    *,
    others: Iterable[str] | None = None,
    felt: frozenset[chess.Move] | None = None,
    repeated: chess.Move | None = None,
    awaited: Collection[str] = (),
    shown: bool = False,
) -> Expected:
    """Return what may be said of any of ``boards``, and the ``others``: all commands unless
    given."""
    boards = tuple(boards)
    if others is None:
        others = [*pack.command_phrases(), *pack.command_phrases(opened=True)]
    moves = dict.fromkeys(form for board in boards for form in pack.forms(board))
    talk = dict.fromkeys((*others, *awaited))
    return Expected(
        boards,
        dict.fromkeys(recogniser.known_phrases([*moves, *talk])),
        frozenset(recogniser.known_phrases(talk)),
        frozenset(recogniser.known_phrases(pack.corrections)),
        tuple(recogniser.unknown_words([*moves, *talk])),
        felt,
        repeated,
        frozenset(awaited),
        shown,
    )


def felt_moves(game: Game, side: str) -> frozenset[chess.Move] | None:
    """The moves that fit the actions of ``side``'s hands; None if there were none, or ``side`` is
    not on move."""
    turn = game.turn
    if side != game.side:
        return None
    if turn.executed is not None:
        return frozenset((turn.executed,))
    if not turn.touched:
        return None
    if turn.obligation is not None and not turn.obligation[1].free:
        return frozenset(turn.obligation[1].moves) or None  # what touching obliges to (4.3)
    # A touched piece of one's own is to be moved; one of the opponent's is to be taken.
    square = turn.touched[0]
    fitting = frozenset(
        move for move in game.board.legal_moves if square in (move.from_square, move.to_square)
    )
    return fitting or None
