"""What LiveChess's API answers, without a network."""

from __future__ import annotations

import json
from typing import Any

import chess
import pytest

from blindplay.boards import events
from blindplay.boards.livechess.service import MOST_FEEDS, Conversation, Feed, ServedBoard
from tests.boards.dgt import hands

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
