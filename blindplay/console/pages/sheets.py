"""Scoresheets in notation: the meaning of each entry, in the letters of the page's language."""

import functools
from dataclasses import replace
from functools import partial

import chess

from blindplay.language import load
from blindplay.language.scoresheets import reading
from blindplay.language.scoresheets.notation import Notation
from blindplay.laws import Game
from blindplay.record.score import ScoredPly, SheetRow

from . import common


def in_notation(game: Game, side: str, language: str) -> list[SheetRow]:
    """The scoresheet of ``side``, as :func:`.common.sheet_rows` has it. An entry that is one move
    stands in notation, any other as it was written."""
    entries = tuple(game.sheets[side].values())
    notations = reading.notation_of(entries)

    def told(entry: ScoredPly | None) -> ScoredPly | None:
        if entry is None or entry.ply > len(game.history) + 1:
            return entry
        passed = entry.ply <= len(game.history)
        board = game.history[entry.ply - 1].before if passed else game.board
        read = partial(_signs, board.fen(), board.chess960, notations, language)
        text = None if entry.text is None else read(entry.text)
        return replace(entry, text=text, struck=tuple(read(one) for one in entry.struck))

    rows = common.sheet_rows(game, side)
    return [(number, told(white), told(black)) for number, white, black in rows]


@functools.lru_cache(maxsize=4096)
def _signs(
    fen: str, chess960: bool, notations: tuple[Notation, ...], language: str, text: str
) -> str:
    board = chess.Board(fen, chess960=chess960)
    found = reading.read(text, board, notations)
    return text if found.move is None else load(language).write(board, found.move)
