"""Results in a table of comma-separated values."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.csv_pairings import CsvFile
from blindplay.hall.round_results import enter_results

from .test_round_results import RESIGNED, copy, declared

TABLE = 'Table;White;Black;Round;Club\n4;"Dahl, Bert";Anna Berg;2;"A; B"\n5;Cia Ek;David Fors;2;\n'


def test_results_go_into_a_column_of_their_own_and_all_else_stays(tmp_path: Path) -> None:
    copy(tmp_path, "4", RESIGNED)
    file = CsvFile(TABLE)
    assert file.open_round() == 2
    first, second = enter_results(file, 2, tmp_path)
    assert (first.board, first.white, first.status) == ("4", "Bert Dahl", "entered")
    assert (second.board, second.status) == ("5", "open")
    assert file.content().decode().splitlines() == [
        "Table;White;Black;Round;Club;result",
        '4;Dahl, Bert;Anna Berg;2;"A; B";0-1',
        "5;Cia Ek;David Fors;2;",
    ]


@pytest.mark.parametrize(
    ("there", "status", "result"), [("", "entered", "0-1"), ("0-1", "entered", "0-1"),
                                    ("1-0", "other", "1-0")]
)  # fmt: skip
def test_a_result_that_is_there_stays(tmp_path: Path, there: str, status: str, result: str) -> None:
    copy(tmp_path, "4", RESIGNED)
    file = CsvFile(f"Result,table,white,black\n{there},4,Bert Dahl,Anna Berg\n")
    assert enter_results(file, 2, tmp_path)[0].status == status
    assert file.content().decode().splitlines()[1] == f"{result},4,Bert Dahl,Anna Berg"


@pytest.mark.parametrize(
    ("result", "moves", "written"),
    [("1-0", 0, "+:-"), ("0-1", 0, "-:+"), ("1-0", 1, "1-0"), ("1/2-1/2", 2, "1/2-1/2")],
)
def test_a_game_that_was_forfeited_is_marked(
    tmp_path: Path, result: str, moves: int, written: str
) -> None:
    copy(tmp_path, "4", declared(result), moves=moves)
    file = CsvFile("table,white,black\n4,Bert Dahl,Anna Berg\n")
    enter_results(file, 2, tmp_path)
    assert file.content().decode().endswith(f",{written}\n")


@pytest.mark.parametrize("rows", ["4,A,B,\n", "4,A,B,2\n5,C,D,3\n", "4,A,B,x\n", ""])
def test_without_one_round_its_number_must_be_given(rows: str) -> None:
    with pytest.raises(ValueError, match="--round"):
        CsvFile(f"table,white,black,round\n{rows}").open_round()


def test_a_game_of_another_round_or_without_an_opponent_is_left_alone() -> None:
    file = CsvFile("table,white,black,round\n4,A,B,1\n5,C,D,2\n,E,,2\n")
    assert [board for board, _ in file.boards(2)] == ["5"]
