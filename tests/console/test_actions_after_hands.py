"""Pages of a table whose boards have bad lines: what they ask for comes after what hands did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import chess
import pytest

from blindplay.console.actions import ActionResult, AskedAction, act_after_hands, stamp
from blindplay.console.messages import catalogue
from blindplay.table.keyboard import Keyboard
from tests.table.bad_line import BadHall, Faults, Side
from tests.table.test_hands_first import COSTS, LINES, UNUSABLE

E3, E4 = chess.Move.from_uci("e2e3"), chess.Move.from_uci("e2e4")


class HallOfPages(BadHall):
    """Its players announce and press on their pages, when these show that it is their move."""

    def __init__(self, folder: Path, faults: Faults, seed: int = 0) -> None:
        super().__init__(folder, faults, seed)
        self.answers: list[ActionResult] = []
        self.asked = 0
        self.last: dict[str, AskedAction] = {}

    def do(self, role: str, action: str, **fields: str) -> None:
        seen = stamp(self.table.game)
        form = {"act": [action], "seen": [seen], **{name: [it] for name, it in fields.items()}}
        self.asked += 1
        before = self.last.get(role)
        answer = self.answers.append
        self.last[role] = act_after_hands(self.table, role, "en", form, answer, before)

    def run_until(self, done: Callable[[], bool]) -> None:
        """Let time pass, for a minute at most."""
        end = self.now + 60_000
        while not done() and self.now < end:
            self.run(10)

    def announce(self, side: Side, board: chess.Board, move: chess.Move) -> None:
        self.run_until(lambda: self.table.game.side == side)
        self.do(side, "move", text=move.uci(), how="announce")

    def press(self, side: Side) -> None:
        self.run(200)  # no hand gets from a board to a page faster
        boards = self.session.boards.values()
        self.run_until(lambda: all(board.connected for board in boards))  # everybody hears it
        self.do(side, "press")


def play(folder: Path, line: str, seeds: range, plies: int) -> None:
    for seed in seeds:
        hall = HallOfPages(folder, LINES[line], seed)
        try:
            played = hall.play(chess.Board(), plies)
            hall.run_until(lambda: len(hall.table.game.history) == played)  # noqa: B023
        finally:
            hall.close()
        ruled = Counter(ruling.kind for _, ruling in hall.rulings)
        assert not (COSTS | {"refused", "not_made"}) & ruled.keys()
        assert ruled["made"] == ruled["completed"] == played
        finished = [answer for answer in hall.answers if "cannot be read" not in str(answer)]
        assert len(finished) == hall.asked == 2 * played
        assert not [answer for answer in finished if answer.refused]


def test_a_press_on_a_page_does_not_complete_what_a_player_is_correcting(tmp_path: Path) -> None:
    """Whoever presses, and wherever: the clock waits for the right move (D.2.8)."""
    hall = HallOfPages(tmp_path, Faults())
    try:
        board, words = chess.Board(), catalogue("en")["press_held"]
        hall.session.typed("white", hall.session.pack.announce(board, E4))
        hall.execute(board, E3, "white")  # what is executed as announced is no slip
        hall.run(1000)
        hall.session.typed("white", "Korrektur")
        hall.run(500)
        hall.press("white")
        hall.run(500)
        assert hall.answers == [ActionResult((words,), refused=True)]
        assert not hall.table.game.history
        hall.session.typed("white", hall.session.pack.announce(board, E3))
        hall.run(500)
        hall.press("white")
        hall.run(500)
        assert [ply.move for ply in hall.table.game.history] == [E3]
    finally:
        hall.close()


READABLE = pytest.mark.parametrize("line", sorted(LINES.keys() - {UNUSABLE}))


@READABLE
def test_moves_and_presses_on_pages_cost_nobody_anything_behind_a_bad_line(
    tmp_path: Path, line: str
) -> None:
    play(tmp_path, line, range(1), 30)


@pytest.mark.long
@READABLE
def test_no_bad_line_costs_pages_anything_in_a_thousand_plies(tmp_path: Path, line: str) -> None:
    play(tmp_path, line, range(0, 20, 2), 100)


def test_where_no_board_can_be_read_pages_ask_people_and_rule_nothing(tmp_path: Path) -> None:
    hall = HallOfPages(tmp_path, LINES[UNUSABLE])
    try:
        hall.play(chess.Board(), 8)
        hall.run(3000)
    finally:
        hall.close()
    assert not COSTS & {ruling.kind for _, ruling in hall.rulings}
    assert "cannot be read" in str(hall.answers)


def test_a_press_on_a_page_is_not_judged_before_what_its_player_has_executed(
    tmp_path: Path,
) -> None:
    """The frames of the whole move are lost."""
    hall = HallOfPages(tmp_path, Faults())
    try:
        hall.announce("white", chess.Board(), E4)
        hall.run(200)
        hall.lines["white"].hands.lose(2)
        hall.execute(chess.Board(), E4, "white")
        hall.press("white")
        assert len(hall.answers) == 1
        hall.run(200)
        assert [answer.refused for answer in hall.answers] == [False, False]
        assert len(hall.table.game.history) == 1
    finally:
        hall.close()


def test_a_press_on_a_page_asks_people_while_a_board_cannot_be_read(tmp_path: Path) -> None:
    hall = HallOfPages(tmp_path, Faults())
    try:
        hall.announce("white", chess.Board(), E4)
        hall.run(200)
        hall.lines["white"].hands.lose(10**6)
        hall.execute(chess.Board(), E4, "white")
        del hall.answers[:]
        hall.press("white")
        hall.run(2500)
        asked = ActionResult(
            (
                "The board of White cannot be read. Please check the board.",
                "Your press counts as soon as the board can be read.",
            )
        )
        assert hall.answers == [asked] and not hall.table.game.history
        said = hall.session.pack.sentence("board_unread", player="Weiß")
        assert hall.said().count(said) == 1
        hall.press("white")  # and so does each further press, at once
        assert hall.answers == [asked, asked] and hall.said().count(said) == 2
        hall.do("arbiter", "arbiter", do="preside")  # nothing else waits for that board
        hall.run(200)
        assert hall.answers[2:] == [ActionResult()]
        hall.lines["white"].hands.lose(0)
        hall.run(3000)
        assert len(hall.table.game.history) == 1
        late = hall.answers[3:]  # the second press of the two is one too many
        assert [answer.refused for answer in late] == [False, True]
    finally:
        hall.close()


def test_facts_as_typed_json_wait_for_the_boards_too(tmp_path: Path) -> None:
    hall = BadHall(tmp_path, Faults(), 0)
    try:
        hall.announce("white", chess.Board(), E4)
        hall.run(200)
        keyboard = Keyboard(hall.session)
        hall.lines["white"].hands.lose(2)
        hall.execute(chess.Board(), E4, "white")
        keyboard.do('{"fact": "press", "by": "white"}')
        hall.run(1000)  # a piece without a lift is doubted until every quicker hand's lift is told
        assert len(hall.table.game.history) == 1
    finally:
        hall.close()
