"""Moves, plies and slips in words, in every language."""

from __future__ import annotations

import chess
import pytest

from benchmarks.spoilt_boards import BY_THEMSELVES
from blindplay import language
from blindplay.laws.deviation import Slip, SlipKind
from blindplay.speech.synthesis import is_words
from blindplay.wording.moves import diagnosis, ply_in_words

CASTLING, PROMOTION = chess.Move.from_uci("e1g1"), chess.Move.from_uci("a7a8q")


def slip(what: SlipKind) -> Slip:
    """One with every field that such a slip has."""
    move, executed = chess.Move.from_uci("g8f6"), chess.Move.from_uci("g8h6")
    if what in (SlipKind.OTHER_PROMOTION, SlipKind.PAWN_NOT_REPLACED):
        promoted = chess.ROOK if what is SlipKind.OTHER_PROMOTION else None
        move, executed = PROMOTION, chess.Move(chess.A7, chess.A8, promoted)
    elif what in (SlipKind.OTHER_CASTLING, SlipKind.ROOK_FORGOTTEN, SlipKind.KING_FORGOTTEN):
        move, executed = CASTLING, chess.Move.from_uci("e1c1")
    ply = None if what in BY_THEMSELVES else 4
    return Slip(what, ply, move if ply else None, executed if ply else None, "n",
                executed.from_square, executed.to_square,
                "b" if what in (SlipKind.EXCHANGED, SlipKind.REPLACED) else None)  # fmt: skip


@pytest.mark.parametrize("code", language.languages())
def test_every_slip_has_a_sentence_of_words(code: str) -> None:
    pack = language.load(code)
    for what in SlipKind:
        words = diagnosis([[slip(what)]], "black", "white", pack)
        assert is_words(words), words
        assert pack.sentence("slip_board", player=pack.sentence("black")) in words
        twice = diagnosis([[slip(what)], [slip(SlipKind.MISSING)]], "black", "white", pack)
        assert pack.sentence("slip_or") in twice, what


@pytest.mark.parametrize("code", language.languages())
def test_a_piece_that_nobody_has_named_is_told_by_its_square(code: str) -> None:
    pack = language.load(code)
    words = diagnosis([[Slip(SlipKind.EXTRA, piece="?", square=chess.E4)]], "white", "white", pack)
    assert pack.square(chess.E4) in words and is_words(words)


@pytest.mark.parametrize("first", ["white", "black"])
def test_the_number_of_a_ply_goes_by_who_began(first: str) -> None:
    pack = language.load("en")
    told = [ply_in_words(ply, first, pack) for ply in (1, 2, 3)]
    numbers = {"white": ["one", "one", "two"], "black": ["one", "two", "two"]}[first]
    players = ["White", "Black"] if first == "white" else ["Black", "White"]
    assert [one["number"] for one in told] == numbers
    assert [one["player"] for one in told] == [players[0], players[1], players[0]]


def test_nothing_is_said_where_nothing_explains() -> None:
    assert diagnosis([], "white", "white", language.load("de")) == ""
    assert diagnosis(((),), "white", "white", language.load("de")) == ""
