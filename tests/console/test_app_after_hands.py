"""The console of a table with a board that is slow to answer."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import chess
import httpx
import pytest

from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.console.access import RateLimiter
from blindplay.laws import facts as f
from tests.console.hall import SEAT, Browser, Hall
from tests.console.test_app import Changes, place_of
from tests.waiting import PATIENCE_S, until

AFTER_E4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
UNREAD = [
    "The board of White cannot be read. Please check the board.",
    "Your press counts as soon as the board can be read.",
]


class SlowBoard(SensorBoard):
    """A board that answers when the test says so."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def placement(self) -> str | None:
        return chess.STARTING_BOARD_FEN

    def read(self, number: int) -> None:
        self.asked.append(number)

    def answer(self, placement: str) -> None:
        self.tell(events.BoardPosition(placement))
        for number in iter(self.asked[:]):
            self.tell(events.Read(number))


@pytest.fixture
def board(hall: Hall) -> Iterator[SlowBoard]:
    """White's board, after the announcement of e4, which is executed and not yet told."""
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    board = SlowBoard()
    hall.session.attach(board, "white")
    yield board


class Request:
    """A request in a thread of its own."""

    def __init__(self, browser: Browser, *, scripted: bool) -> None:
        self._answers: list[httpx.Response] = []
        seen = browser.client.get(browser.seat).text.partition('data-seen="')[2].partition('"')[0]
        accept = "application/json" if scripted else "text/html"

        def ask() -> None:
            data = {"act": "press", "seen": seen}
            answer = browser.client.post(browser.seat + "do", data=data, headers={"accept": accept})
            self._answers.append(answer)

        self._thread = threading.Thread(target=ask)
        self._thread.start()

    @property
    def waits(self) -> bool:
        return self._thread.is_alive()

    def answer(self) -> httpx.Response:
        self._thread.join(PATIENCE_S)
        (answer,) = self._answers
        return answer


def test_a_press_is_answered_when_the_board_has_been_read_and_keeps_nobody_waiting(
    hall: Hall, assistant: Browser, board: SlowBoard
) -> None:
    hall.host.console.acting = RateLimiter(a_second=1000, at_once=1000)
    requests = [Request(assistant, scripted=True) for _ in range(45)]  # the server has 40 threads
    assert until(lambda: len(hall.table.hands_first._waiting) == len(requests))
    assert assistant.client.get(SEAT).status_code == 200
    while any(request.waits for request in requests):
        board.answer(AFTER_E4)
    answers = [request.answer().json() for request in requests]
    assert {"refused": False, "said": []} in answers
    assert len(hall.table.game.history) == 1


@pytest.mark.parametrize("scripted", [True, False])
def test_a_page_shows_its_reader_what_came_of_a_press_that_waited_for_a_board(
    hall: Hall, assistant: Browser, board: SlowBoard, scripted: bool
) -> None:
    changes = Changes(assistant, place_of(assistant))
    press = Request(assistant, scripted=scripted)
    assert until(lambda: board.asked)
    board.tell(events.PositionUnknown())
    answer = press.answer()
    if scripted:
        assert answer.json() == {"refused": False, "said": UNREAD}
    else:
        page = assistant.client.get(SEAT).text
        assert all(sentence in page for sentence in UNREAD)
    board.answer(chess.STARTING_BOARD_FEN)  # the move has not been executed
    refusal = "The piece is not on its new square yet."
    if scripted:
        assert until(lambda: any(refusal in str(change["told"]) for _, change in changes.events))
    else:
        assert refusal in assistant.client.get(SEAT).text
    assert not hall.table.game.history
