"""The moves that a board shows, with every way in which hands make them."""

from __future__ import annotations

import random

import chess
import pytest

from blindplay.boards.diagram import EMPTY, NAMELESS, Diagram, diagram_of_board, fen_of
from blindplay.boards.livechess.reconstruction import Reconstruction
from tests.boards.dgt import hands


class Hands:
    """Hands that move pieces on a board that a reconstruction follows."""

    def __init__(self, fen: str = chess.STARTING_FEN, *, named: bool = True) -> None:
        self.board = chess.Board(fen)
        self.game = Reconstruction(chess.Board(fen))
        self._named = named
        self._cells = bytearray(diagram_of_board(self.board))

    @property
    def shown(self) -> Diagram:
        if self._named:
            return bytes(self._cells)
        return bytes(cell if cell == EMPTY else NAMELESS for cell in self._cells)

    def change(self, square: int, letter: str) -> None:
        self._cells[square] = ord(letter)
        self.game.change(self.shown, emptied=square if letter == "." else None)

    def lift_and_put(self, square: int) -> None:
        letter = chr(self._cells[square])
        self.change(square, ".")
        self.change(square, letter)

    def play(self, *moves: str) -> list[str]:
        """Make moves, and rest after the last; return the moves that are found."""
        for san in moves:
            move = self.board.parse_san(san)
            for square, letter in hands.plain(self.board, move):
                self.change(square, letter)
            self.board.push(move)
        self.game.rest(self.shown)
        return self.game.san


def sans(moves: list[chess.Move]) -> list[str]:
    board = chess.Board()
    return [board.san_and_push(move) for move in moves]


@pytest.mark.parametrize("restless", [False, True])
def test_a_game_is_followed_move_by_move(restless: bool) -> None:
    """``restless``: the hands rest after every change, also on squares on the way."""
    for seed in range(4):
        hand, there = random.Random(seed), Hands()
        moves = hands.random_game(hand, 50)
        for move in moves:
            for square, letter in hands.by_hand(there.board, move, hand):
                there.change(square, letter)
                if restless:
                    there.game.rest(there.shown)
            there.board.push(move)
            there.game.rest(there.shown)
            assert not there.game.differing(there.shown)
        assert there.game.san == sans(moves)


def test_a_game_on_a_board_without_names_is_followed() -> None:
    for seed in range(4):
        hand, there = random.Random(seed), Hands(named=False)
        for move in hands.random_game(hand, 50):
            if move.promotion not in (None, chess.QUEEN):
                break
            for square, letter in hands.by_hand(there.board, move, hand):
                there.change(square, letter)
            there.game.rest(there.shown)
            there.board.push(move)
            if there.game.san != sans(there.board.move_stack):
                # The captured piece was taken so fast that its square was never seen empty.
                there.lift_and_put(move.to_square)
                there.game.rest(there.shown)
            assert there.game.san == sans(there.board.move_stack)
            assert there.game.placement(there.shown) == there.board.board_fen()


def test_a_piece_in_the_hand_is_no_capture_yet() -> None:
    there = Hands("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", named=False)
    there.change(chess.E4, ".")
    there.game.rest(there.shown)
    assert there.game.san == []
    assert there.game.placement(there.shown) == "4k3/8/8/3p4/8/8/8/4K3"
    there.change(chess.D5, ".")
    there.change(chess.D5, "P")
    there.game.rest(there.shown)
    assert there.game.san == ["exd5"]


def test_an_adjusted_piece_does_not_hide_the_move() -> None:
    there = Hands(named=False)
    there.lift_and_put(chess.G1)
    assert there.play("e4") == ["e4"]


@pytest.mark.parametrize("named", [True, False])
def test_moves_that_are_taken_back_are_gone(named: bool) -> None:
    there = Hands(named=named)
    assert there.play("Nf3") == ["Nf3"] and there.play("Nf6") == ["Nf3", "Nf6"]
    there.change(chess.F6, ".")
    there.change(chess.G8, "n")
    there.game.rest(there.shown)
    assert there.game.san == ["Nf3"]
    there.change(chess.F3, ".")
    there.change(chess.H3, "N")
    there.game.rest(there.shown)
    assert there.game.san == ["Nh3"]


def test_two_moves_at_once_are_found_if_nothing_else_fits() -> None:
    assert Hands().play("e4", "e5") == ["e4", "e5"]


def test_what_is_no_move_is_shown_as_it_stands() -> None:
    there = Hands()
    there.change(chess.E2, ".")
    there.change(chess.E5, "P")
    there.game.rest(there.shown)
    assert there.game.san == []
    assert chess.SquareSet(there.game.differing(there.shown)) == {chess.E2, chess.E5}
    assert there.game.placement(there.shown) == fen_of(there.shown)
