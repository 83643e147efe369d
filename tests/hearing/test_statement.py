"""What words mean at the table: an announcement, or the repetition of the opponent's."""

from __future__ import annotations

from dataclasses import replace

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.hearing.statement import Statement, interpret
from blindplay.language import Command, Kind
from tests.hearing.german import PACK, START, heard
from tests.sampling import examples

RECAPTURE = chess.Board("r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/2N2N2/PPPP1PPP/R1BQKB1R b KQkq - 5 4")
TAKES = chess.Move.from_uci("f6e4")


def after(board: chess.Board, *moves: str) -> chess.Board:
    board = board.copy()
    for move in moves:
        board.push_uci(move)
    return board


def test_the_same_move_in_other_words_has_the_same_key() -> None:
    texts = ("springer felix drei", "Springer Gustav eins nach Felix drei", "Sf3", "g1f3")
    assert {interpret(text, [START], PACK).key for text in texts} == {"g1f3"}


def test_a_command_has_its_own_key_and_a_claim_that_of_its_move_too() -> None:
    assert interpret("aufgeben", [START], PACK).key == Command.RESIGN.value
    claim = interpret("fünfzig Züge mit Sf3", [START], PACK)
    assert claim.key == f"{Command.CLAIM_FIFTY_MOVES.value} g1f3"


def test_words_without_a_meaning_are_told_apart_by_themselves() -> None:
    keys = [interpret(text, [START], PACK).key for text in ("Kartoffel", "Salat", "Kartoffel")]
    assert keys[0] == keys[2] != keys[1]


def test_the_sound_goes_along_and_makes_no_other_statement() -> None:
    recognition = heard(("springer felix drei", -100))
    typed = interpret("springer felix drei", [START], PACK)
    said = interpret("springer felix drei", [START], PACK, recognition=recognition)
    assert said == typed == replace(said, recognition=None)
    assert said.recognition is recognition and typed.recognition is None


def test_without_a_board_words_are_understood_and_repeat_nothing() -> None:
    assert interpret("zeit", [], PACK).meant.command is not None
    assert not interpret("springer felix drei", [], PACK).repeats


def test_the_opponents_move_is_a_repetition_where_it_is_no_announcement() -> None:
    now = after(START, "e2e4")
    said = interpret("bauer eva zwei eva vier", [now, START], PACK)
    assert said.repeats and said.meant.move == chess.Move.from_uci("e2e4")
    own = interpret("bauer eva sieben eva fünf", [now, START], PACK)
    assert not own.repeats and own.meant.move == chess.Move.from_uci("e7e5")
    other = interpret("bauer david zwei david vier", [now, START], PACK)
    assert not other.repeats and other.meant.kind is Kind.ILLEGAL


@pytest.mark.parametrize(("repeated", "meant"), [(None, "c3e4"), (TAKES, "f6e4")])
def test_a_capture_that_could_be_a_recapture_is_one_unless_the_repetition_is_due(
    repeated: chess.Move | None, meant: str
) -> None:
    boards = [after(RECAPTURE, "f6e4"), RECAPTURE]
    said = interpret("springer schlägt eva vier", boards, PACK, repeated=repeated)
    assert said.meant.move == chess.Move.from_uci(meant)
    assert said.repeats is (repeated is not None)


def test_a_command_is_no_repetition() -> None:
    said = interpret("zeit", [after(START, "e2e4"), START], PACK)
    assert said.meant.kind is Kind.COMMAND and not said.repeats


RECAPTURES = [
    (RECAPTURE, TAKES),
    (chess.Board("4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1"), chess.Move.from_uci("e4d5")),
    (chess.Board("r2rk3/8/8/8/8/8/8/3RK3 w - - 0 1"), chess.Move.from_uci("d1d8")),
    (chess.Board("4k3/8/2b5/3b4/4B3/8/8/4K3 w - - 0 1"), chess.Move.from_uci("e4d5")),
    (chess.Board("3qk3/2q5/8/8/8/8/8/3QK3 w - - 0 1"), chess.Move.from_uci("d1d8")),
]
"""Positions with a capture that the same kind of piece may answer in the same words."""


@st.composite
def positions(draw: st.DrawFn) -> tuple[chess.Board, chess.Move, chess.Board]:
    """A position, the move that was played in it, and the position after it."""
    if draw(st.booleans()):
        before, move = draw(st.sampled_from(RECAPTURES))
        return before, move, after(before, move.uci())
    board = chess.Board()
    for _ in range(draw(st.integers(1, 30))):
        moves = sorted(board.legal_moves, key=str)
        move = draw(st.sampled_from(moves))
        before = board.copy(stack=False)
        board.push(move)
        if not any(board.legal_moves):
            break
    return before, move, board.copy(stack=False)


@examples(200)
@given(positions(), st.data())
def test_words_that_fit_both_positions_are_an_announcement_unless_the_repetition_is_due(
    position: tuple[chess.Board, chess.Move, chess.Board], data: st.DataObject
) -> None:
    before, played, now = position
    old, new = list(PACK.forms(before)), list(PACK.forms(now))
    shared = sorted(set(old) & set(new))
    forms = [st.sampled_from(some) for some in (shared, old, new) if some]
    text = data.draw(st.one_of(forms), "text")
    due = st.sampled_from([None, played]) | st.sampled_from(list(before.legal_moves))
    repeated = data.draw(due, "repeated")
    said = interpret(text, [now, before], PACK, repeated=repeated)
    announced, again = PACK.understand(text, now), PACK.understand(text, before)
    assert said == Statement(text, again if said.repeats else announced, said.repeats)
    if said.repeats:
        assert again.move is not None and again.move in (played, repeated)
    if announced.kind is Kind.MOVE:
        assert said.repeats is (again.move is not None and again.move == repeated)
    elif again.move == played:
        assert said.repeats
