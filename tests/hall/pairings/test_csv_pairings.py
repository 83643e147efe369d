"""Results in a table of comma-separated values."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.pairings.csv_pairings import CsvFile
from blindplay.hall.pairings.rounds import TableResult, enter_results, read_result_file
from blindplay.laws import facts as f

from .test_rounds import RESIGNED, copy, declared

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
        '4;"Dahl, Bert";Anna Berg;2;"A; B";0-1',
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
    [
        ("1-0", 0, "+:-"),
        ("0-1", 0, "-:+"),
        ("0-0", 0, "-:-"),
        ("0-1/2", 0, "0-1/2"),
        ("0-0", 2, "0-0"),
        ("1/2-0", 1, "1/2-0"),
        ("1-0", 1, "1-0"),
        ("1/2-1/2", 2, "1/2-1/2"),
    ],
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


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quote", ["", '"'])
@pytest.mark.parametrize("last", [True, False])
def test_a_copy_differs_in_nothing_but_the_results(
    tmp_path: Path, mark: str, end: str, quote: str, last: bool
) -> None:
    def table(*rows: tuple[str, ...]) -> str:
        lines = [",".join(f"{quote}{value}{quote}" for value in row) for row in rows]
        return mark + end.join(lines) + end * last

    copy(tmp_path, "4", RESIGNED)
    heading = ("table", "white", "black", "result", "note")
    other = ("5", "Cia Ek", "David Fors", "1-0", " x ")
    path = tmp_path / "round.csv"
    path.write_text(table(heading, ("4", "Bert Dahl", "Anna Berg", "", "y"), other), newline="")
    file = read_result_file(path)
    assert [one.status for one in enter_results(file, 2, tmp_path)] == ["entered", "open"]
    there = ("4", "Bert Dahl", "Anna Berg", "0-1", "y")
    assert file.content().decode() == table(heading, there, other)


@pytest.mark.parametrize("result", f.RESULTS)
@pytest.mark.parametrize("decided", [True, False])
@pytest.mark.parametrize("plies", range(3))
def test_every_result_can_be_entered(result: str, decided: bool, plies: int) -> None:
    scores = TableResult("4", "A", "B", result, (), plies, decided).scores
    file = CsvFile("table,white,black\n4,A,B\n")
    ((_, pair),) = file.boards(2)
    assert file.enter(2, pair, scores)


@pytest.mark.parametrize("name", ['"Anna', '"Anna" Berg', '"Anna' + "\n5,C,D" * 20_000])
def test_a_quotation_mark_without_a_partner_is_one_sentence(name: str) -> None:
    with pytest.raises(ValueError, match="in row 2 of the table has no partner"):
        CsvFile(f"table,white,black\n4,{name},Bert\n")


def test_a_name_in_quotation_marks_may_have_some_of_its_own() -> None:
    file = CsvFile('table,white,black\n4,"Anna ""Ann""\nBerg",Bert "B" Dahl\n')
    ((_, (white, black)),) = file.boards(1)
    assert (white.name, black.name) == ('Anna "Ann" Berg', 'Bert "B" Dahl')
