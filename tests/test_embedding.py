"""A table inside another program."""

from __future__ import annotations

from pathlib import Path

import chess
import pytest

from blindplay import facts, open_table, rulings
from blindplay.boards import events
from blindplay.boards.driver import SensorBoard
from blindplay.laws import Ruling


class LateBoard(SensorBoard):
    """A board that tells what hands have done only when it is asked."""

    stands = chess.STARTING_BOARD_FEN

    def placement(self) -> str | None:
        return self.stands

    def read(self, number: int) -> None:
        self.tell(events.BoardPosition(self.stands))
        super().read(number)


def test_a_press_is_judged_after_what_hands_have_done(tmp_path: Path) -> None:
    with open_table(tmp_path / "game.jsonl", facts.Setup()) as table:
        board = LateBoard()
        table.attach(board, side="white")
        table.submit(facts.Start())
        table.submit(facts.Announce(by="white", move="e2e4"))
        board.stands = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR"
        ruled = table.submit(facts.Press(by="white"))
        assert [ruling.kind for ruling in ruled] == ["completed"]


def test_a_program_hears_facts_as_well_as_rulings(tmp_path: Path) -> None:
    with open_table(tmp_path / "game.jsonl", facts.Setup()) as table:
        heard: list[str] = []
        table.on(facts.Announce, lambda fact: heard.append(f"said {fact.text}"))
        table.on(rulings.Announced, lambda ruling: heard.append(f"ruled {ruling.move}"))
        table.submit(facts.Start())
        table.typed("white", "Springer f3")
        assert heard == ["said Springer f3", "ruled g1f3"]


def test_a_fact_out_of_a_ruling_is_taken_afterwards_and_waits_for_nothing(tmp_path: Path) -> None:
    with open_table(tmp_path / "game.jsonl", facts.Setup()) as table:
        table.attach(LateBoard(), side="white")
        found: list[tuple[Ruling, ...]] = []
        query = facts.Query(by="white", about="moves")
        table.on(rulings.Announced, lambda _: found.append(table.submit(query)))
        answers: list[rulings.Answer] = []
        table.on(rulings.Answer, answers.append)
        table.submit(facts.Start())
        table.submit(facts.Announce(by="white", move="e2e4"))
        assert found == [()] and len(answers) == 1
        with pytest.raises(facts.FactError):
            table.submit(facts.Setup())


def test_there_are_two_sides(tmp_path: Path) -> None:
    with open_table(tmp_path / "game.jsonl", facts.Setup()) as table:
        with pytest.raises(ValueError, match="white or black"):
            table.typed("purple", "e4")
        with pytest.raises(ValueError, match="white or black"):
            table.attach(LateBoard(), side="purple")
