"""LiveChess's API without a network, and the moves that a board shows, with every way in which
hands make them.
"""

from __future__ import annotations

import json
import random
from typing import Any

import chess
import pytest

from blindplay.boards import events
from blindplay.boards.diagram import EMPTY, NAMELESS, Diagram, diagram_of_board, fen_of
from blindplay.boards.livechess.service import (
    MOST_FEEDS,
    Conversation,
    Feed,
    Reconstruction,
    ServedBoard,
)
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


START = chess.STARTING_BOARD_FEN


class Client:
    """A client of a board, and the hands on it."""

    def __init__(self, placement: str | None = START) -> None:
        self.board = ServedBoard("dgt:COM3")
        self._service = Feed(self.board)
        self.conversation = Conversation(self.board, self._service)
        if placement is not None:
            self.happens(events.Connected("COM3", "DGT board"), events.BoardPosition(placement))

    def send(self, text: str) -> list[dict[str, Any]]:
        return [json.loads(message) for message in self.conversation.answer(text, 7)]

    def call(self, call: str, **param: Any) -> list[dict[str, Any]]:
        return self.send(json.dumps({"id": 5, "call": call, "param": param}))

    def subscribe(self, serial: str = "") -> list[dict[str, Any]]:
        about = {"serialnr": serial or self.board.serial}
        return self.call("subscribe", feed="eboardevent", id=1, param=about)

    def set_up(self, fen: str = chess.STARTING_FEN) -> list[dict[str, Any]]:
        return self.call("call", id=1, method="setup", param={"fen": fen})

    def happens(self, *told: events.BoardEvent, rest: bool = False) -> list[dict[str, Any]]:
        feeds = [self._service, *self.conversation.feeds.values()]
        for event in told:
            self.board.hear(event)
            for feed in feeds:
                feed.hear(event)
        if rest:
            for feed in feeds:
                feed.rest()
        return [json.loads(message)["param"] for message in self.conversation.news(7)]

    def play(self, fen: str, san: str, *, named: bool = True) -> list[dict[str, Any]]:
        board = chess.Board(fen, chess960=True)
        told = [
            events.Lifted(chess.square_name(square))
            if letter == "."
            else events.Placed(chess.square_name(square), letter if named else None)
            for square, letter in hands.plain(board, board.parse_san(san))
        ]
        return self.happens(*told, rest=True)


def test_a_conversation_goes_as_the_recorded_one_of_chess_com_with_livechess() -> None:
    """The messages were recorded with LiveChess 2; only numbers and names differ."""
    client = Client()
    serial = client.board.serial
    (boards,) = client.send('{"id":1,"call":"eboards"}')
    assert boards == {
        "response": "call",
        "id": 1,
        "param": [
            {
                "serialnr": serial, "source": "COM3", "state": "ACTIVE", "battery": None,
                "comment": "DGT board", "board": START, "flipped": False, "clock": None,
            }
        ],
        "time": 7,
    }  # fmt: skip
    subscription = {"feed": "eboardevent", "id": 1, "param": {"serialnr": serial}}
    answer, feed = client.send(json.dumps({"id": 2, "call": "subscribe", "param": subscription}))
    assert answer == {"response": "call", "id": 2, "param": None, "time": 7}
    shown = {"serialnr": serial, "flipped": False, "board": START}
    assert feed == {"response": "feed", "id": 1, "param": shown | {"clock": None}, "time": 7}
    lifted = "rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR"
    assert client.happens(events.Lifted("e2")) == [shown | {"board": lifted}]
    placed = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
    assert client.happens(events.Placed("e4", "P"), rest=True) == [shown | {"board": placed}]
    assert client.happens(events.LeverPressed("white"), rest=True) == []


def test_moves_are_told_once_a_position_was_set_up() -> None:
    client = Client()
    client.subscribe()
    answer, feed = client.set_up()
    assert answer["response"] == "call"
    assert feed["param"] | {"start": chess.STARTING_FEN, "san": [], "match": True} == feed["param"]
    assert client.happens(events.Lifted("g1"))[0]["match"] is False
    (told,) = client.happens(events.Placed("f3", "N"), rest=True)
    assert (told["san"], told["match"]) == (["Nf3"], True)
    (told,) = client.happens(events.Lifted("g8"), events.Placed("g6", "n"), rest=True)
    assert (told["san"], told["match"]) == (["Nf3"], False)
    followed = client.conversation.feeds[1]
    assert followed.differing() == ["g6", "g8"]
    assert (followed.progress(), followed.progress()) == (["Nf3"], None)
    client.happens(events.Lifted("g6"), events.Placed("f6", "n"), rest=True)
    assert followed.progress() == ["Nf6"]
    client.happens(events.Lifted("f6"), events.Placed("h6", "n"), rest=True)
    assert followed.progress() == ["Nh6"]
    client.happens(events.Lifted("h6"), events.Placed("g8", "n"), rest=True)
    assert followed.progress() == []


def test_a_board_without_names_has_those_of_the_position_that_was_set_up() -> None:
    fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"
    client = Client("4?3/8/8/3?4/4?3/8/8/4?3")
    client.subscribe()
    assert client.set_up(fen)[1]["param"]["board"] == fen.split()[0]
    (told,) = client.play(fen, "exd5", named=False)
    assert (told["board"], told["san"]) == ("4k3/8/8/3P4/8/8/8/4K3", ["exd5"])


def test_a_board_that_lies_turned_is_read_turned() -> None:
    client = Client(START[::-1])
    client.subscribe()
    feed = client.call("call", id=1, method="flip", param={"flip": True})[1]["param"]
    assert (feed["flipped"], feed["board"]) == (True, START)
    client.set_up()
    told = client.happens(events.Lifted("d7"), events.Placed("d5", "P"), rest=True)
    assert told[0]["san"] == ["e4"]


def test_a_game_of_chess960_is_castled() -> None:
    fen = "4k3/8/8/8/8/8/8/1K5R w H - 0 1"
    client = Client(fen.split()[0])
    client.subscribe()
    client.set_up(fen)
    assert client.play(fen, "O-O")[0]["san"] == ["O-O"]


def test_a_board_that_was_lost_does_not_respond_until_it_is_back() -> None:
    client = Client(placement=None)
    boards = client.call("eboards")[0]["param"]
    assert (boards[0]["state"], boards[0]["board"]) == ("NOTRESPONDING", None)
    feed = client.subscribe()[1]["param"]
    assert "board" not in feed and feed["clock"] is None
    told = client.happens(events.Connected("COM4", "DGT board"), events.BoardPosition(START))
    assert told[0]["board"] == START
    assert client.happens(events.Disconnected("Gone.")) == []
    assert client.call("eboards")[0]["param"][0]["state"] == "NOTRESPONDING"


def test_a_feed_that_is_given_up_tells_nothing() -> None:
    client = Client()
    client.subscribe()
    client.call("unsubscribe", id=1)
    assert client.happens(events.Lifted("e2")) == []


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "7", "[]", '"eboards"', "null", "{}", "[" * 9000, '{"id":1}', '{"call":"eboards"}',
        '{"id":[],"call":"eboards"}', '{"id":NaN,"call":"eboards"}', '{"id":1,"call":["eboards"]}',
        '{"id":1,"call":"tournaments"}', '{"id":1,"call":"subscribe"}', "9" * 5000,
        '{"id":1,"call":"subscribe","param":{"feed":"eboardevent","id":1,"param":7}}',
        '{"id":1,"call":"call","param":{"id":9,"method":"setup","param":{"fen":""}}}',
        '{"id":1,"call":"call","param":{"id":1,"method":"setup","param":{"fen":"e4"}}}',
        '{"id":1,"call":"call","param":{"id":1,"method":"setup","param":{"fen":7}}}',
        '{"id":1,"call":"call","param":{"id":1,"method":"flip","param":{"flip":1}}}',
        '{"id":1,"call":"call","param":{"id":1,"method":"speak","param":{"text":"e4"}}}',
    ],
)  # fmt: skip
def test_rubbish_is_answered_with_an_error_and_changes_nothing(text: str) -> None:
    client = Client()
    client.subscribe()
    (answer,) = client.send(text)
    assert answer["response"] == "error" and answer["param"]["message"].endswith(".")
    assert list(client.conversation.feeds) == [1]


def test_a_client_has_only_so_many_feeds() -> None:
    client = Client()
    about = {"serialnr": client.board.serial}
    kinds = [
        client.call("subscribe", feed="eboardevent", id=number, param=about)[0]["response"]
        for number in range(MOST_FEEDS + 1)
    ]
    assert kinds == ["call"] * MOST_FEEDS + ["error"]
