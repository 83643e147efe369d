"""Everyday forms of announcements: other words for the links, verbs, fillers, and alphabets.

``forms/CODE.txt`` lists them: a line has the kind of move that it fits and the words. Such a form
was never taught, but people say it.
"""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import chess

from blindplay.hearing.script import ScriptLine, UtteranceKind, position
from blindplay.language import Language, load

_MOST_TRIES = 2_000  # positions, until a move fits


@dataclass(frozen=True)
class _Square:
    """A square in the words of the table, and its file in those of other alphabets."""

    name: str
    file: int
    alphabets: Mapping[str, list[str]]

    def __str__(self) -> str:
        return self.name

    def __getitem__(self, alphabet: str) -> str:
        return f"{self.alphabets[alphabet][self.file]} {self.name.split()[-1]}"


@dataclass(frozen=True)
class EverydayForms:
    """The ``templates`` of a language with the kinds of moves that they fit, and its alphabets."""

    pack: Language
    templates: list[tuple[str, str]]
    alphabets: Mapping[str, list[str]]

    def draw(self, number: int, chance: random.Random) -> tuple[str, ScriptLine, chess.Move]:
        """Return a template, in turns, and a line and a move that it announces."""
        kind, template = self.templates[number % len(self.templates)]
        for _ in range(_MOST_TRIES):
            board = position(chance)
            fitting = [move for move in board.legal_moves if self._fits(kind, board, move)]
            if fitting:
                move = chance.choice(sorted(fitting, key=str))
                words = self._words(template, board, move, chance)
                if "{from" in template or "{piece" not in template or self._alone(board, move):
                    return template, ScriptLine(UtteranceKind.MOVE, board.fen(), words), move
        raise ValueError(f"No move was found for {template!r}.")

    def _alone(self, board: chess.Board, move: chess.Move) -> bool:
        """Return whether no other piece of the kind can go there."""
        kind = board.piece_type_at(move.from_square)
        return not any(
            other.from_square != move.from_square
            and other.to_square == move.to_square
            and board.piece_type_at(other.from_square) == kind
            for other in board.legal_moves
        )

    def _fits(self, kind: str, board: chess.Board, move: chess.Move) -> bool:
        castles, captures = board.is_castling(move), board.is_capture(move)
        match kind:
            case "short":
                return board.is_kingside_castling(move)
            case "long":
                return board.is_queenside_castling(move)
            case "only":
                return castles and sum(map(board.is_castling, board.legal_moves)) == 1
            case "king":
                return castles
            case "promotion":
                return move.promotion is not None and not captures
            case "check":
                plain = not castles and not move.promotion and not captures
                return plain and board.gives_check(move)
            case "pawn":
                pawn = board.piece_type_at(move.from_square) == chess.PAWN
                return pawn and not captures and not move.promotion
        if castles or move.promotion or board.is_en_passant(move):
            return False
        return captures == (kind == "capture")

    def _words(
        self, template: str, board: chess.Board, move: chess.Move, chance: random.Random
    ) -> str:
        pack = self.pack

        def square(at: chess.Square) -> _Square:
            return _Square(pack.square(at), chess.square_file(at), self.alphabets)

        def piece(kind: chess.PieceType | None) -> str:
            return pack.piece_alone(kind or chess.PAWN)

        others = [one for one in chess.SQUARES if one not in (move.from_square, move.to_square)]
        kind = board.piece_type_at(move.from_square) or chess.PAWN
        return template.format(
            piece=piece(kind),
            english=load("en").piece_alone(kind).lower(),
            captured=piece(board.piece_type_at(move.to_square)),
            promotion=piece(move.promotion),
            other=square(chance.choice(others)),
            **{"from": square(move.from_square), "to": square(move.to_square)},
        )


def everyday_forms(pack: Language) -> EverydayForms:
    """Return the everyday forms of a language.

    :raises ValueError: if nobody has written any.
    """
    source = files(__package__).joinpath("forms", f"{pack.code}.txt")
    if not source.is_file():
        raise ValueError(f"Nobody has written what people say in {pack.name}.")
    parts = [
        [part.strip() for part in line.split("|")]
        for line in source.read_text("utf-8").splitlines()
        if line.strip() and not line.startswith("#")
    ]
    alphabets = {name: words.split() for kind, name, words in (p for p in parts if len(p) == 3)}
    templates = [(kind, words) for kind, words in (p for p in parts if len(p) == 2)]
    return EverydayForms(pack, templates, alphabets)
