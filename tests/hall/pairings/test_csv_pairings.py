"""Results in a table of comma-separated values."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.pairings.csv_pairings import CsvFile
from blindplay.hall.pairings.played import TableResult, enter_results
from blindplay.hall.pairings.rounds import keep_round, kept_rounds, read_result_file, read_round
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


def test_a_player_without_a_game_may_leave_the_round_open() -> None:
    assert CsvFile("table,white,black,round\n4,Bert,Anna,2\n,Eva,,\n").open_round() == 2


def test_a_table_that_says_no_round_is_named_by_what_needs_it() -> None:
    file = CsvFile("table,white,black\n4,Bert,Anna\n")
    for read in (lambda: file.all_rounds, file.open_round):
        with pytest.raises(ValueError, match="round"):
            read()


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
    assert [one.status for one in enter_results(file, 2, tmp_path)] == ["entered", "there"]
    there = ("4", "Bert Dahl", "Anna Berg", "0-1", "y")
    assert file.content().decode() == table(heading, there, other)


@pytest.mark.parametrize("result", f.RESULTS)
@pytest.mark.parametrize("decided", [True, False])
@pytest.mark.parametrize("plies", range(3))
def test_every_result_can_be_entered(result: str, decided: bool, plies: int) -> None:
    scores = TableResult("4", "A", "B", result, (), plies, decided).scores
    file = CsvFile("table,white,black\n4,A,B\n")
    ((_, pair),) = file.boards(2)
    assert file.enter(2, pair, scores) == "entered"


@pytest.mark.parametrize("name", ['"Anna', '"Anna" Berg', '"Anna' + "\n5,C,D" * 20_000])
def test_a_quotation_mark_without_a_partner_is_one_sentence(name: str) -> None:
    with pytest.raises(ValueError, match="in row 2 of the table has no partner"):
        CsvFile(f"table,white,black\n4,{name},Bert\n")


def test_a_name_in_quotation_marks_may_have_some_of_its_own() -> None:
    file = CsvFile('table,white,black\n4,"Anna ""Ann""\nBerg",Bert "B" Dahl\n')
    ((_, (white, black)),) = file.boards(1)
    assert (white.name, black.name) == ('Anna "Ann" Berg', 'Bert "B" Dahl')


@pytest.mark.parametrize(
    ("head", "sep"),
    [
        ("Tisch;Weiß;Schwarz;Runde", ""),
        ("Brett;Weiss;Schwarz;Rd.", "sep=;\r\n"),
        ("Bord;Hvit;Sort;Runde", ""),
        ("Bord;Vit;Svart;Rond", '"sep=;"\n'),
        ("Bord;Hvid;Sort;Runde", ""),
        ("Br.;Name;Name;Runde", ""),
        ("Board;White;Black;Round", ""),
    ],
)
def test_heads_of_other_languages_and_the_line_of_excel_are_read(head: str, sep: str) -> None:
    text = f"{sep}{head}\n4;Bert Dahl;Anna Berg;2\n"
    file = CsvFile(text)
    ((_, values),) = file.games()
    assert (values["table"], values["white"], values["black"]) == ("4", "Bert Dahl", "Anna Berg")
    assert file.open_round() == 2 and file.content().decode() == text


@pytest.mark.parametrize("head", ["Nr.;Brett", "No;Board", "Br.;Tisch"])
def test_a_number_before_the_board_is_no_table(head: str) -> None:
    ((board, _),) = CsvFile(f"{head};Weiß;Schwarz\n17;1;Bert Dahl;Anna Berg\n").boards(1)
    assert board == "1"
    ((alone, _),) = CsvFile("Nr.;Weiß;Schwarz\n17;Bert Dahl;Anna Berg\n").boards(1)
    assert alone == "17"


@pytest.mark.parametrize(
    ("nobody", "kind"),
    [
        ("bye", ""), ("Spielfrei", ""), ("walkover", ""), ("W.O.", ""), ("w/o", ""), ("-", ""),
        ("--", ""), ("0000", ""), ("half-point bye", "half"), ("½ bye", "half"),
        ("0-point bye", "zero"), ("frirunde", ""), ("Oversidder", ""),
    ],
)  # fmt: skip
def test_a_word_for_no_opponent_is_no_player(nobody: str, kind: str) -> None:
    text = f"table,white,black,round\n1,Cia Ek,{nobody},1\n2,{nobody},Bo Li,1\n3,A Frei,B Bye,1\n"
    file = CsvFile(text)
    rows = [(row["white"], row["black"], row["bye"]) for _, row in file.games()]
    assert rows == [("Cia Ek", "", kind), ("", "Bo Li", kind), ("A Frei", "B Bye", "")]
    assert [board for board, _ in file.boards(1)] == ["3"]


def test_a_player_whose_surname_is_like_a_short_word_has_a_game() -> None:
    ((_, pair),) = CsvFile("table,white,black\n1,Cia Ek,Wo\n").boards(1)
    assert [player.name for player in pair] == ["Cia Ek", "Wo"]


def test_one_bad_row_refuses_no_other_and_is_named(tmp_path: Path) -> None:
    path = tmp_path / "round.csv"
    path.write_text(
        "sep=;\ntable;white;black;round;impaired\n1;A B;C D;1;\n;E F;G H;1;\n3;I J;K L;1;nobody\n",
        "utf-8",
    )
    paired = read_round(path)
    assert [game.table for game in paired.games] == ["1"] and paired.resting == ()
    first, second = paired.left_out
    assert first.startswith("Row 3, E F against G H, is left out: A game lacks its table")
    assert second.startswith("Row 4, I J against K L, is left out: impaired is white")
    keep_round(tmp_path, paired)
    (kept,) = kept_rounds(tmp_path)
    assert kept == paired and kept.left_out == ()
    path.write_text("table,white,black,round\n,E F,G H,1\n", "utf-8")
    with pytest.raises(ValueError, match="Row 2, E F against G H"):
        read_round(path)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_a_copy_with_results_has_the_encoding_of_its_file(tmp_path: Path, encoding: str) -> None:
    copy(tmp_path, "4", RESIGNED)
    path = tmp_path / "round.csv"
    path.write_bytes("Tisch;Weiß;Schwarz\n4;Bert Dahl;Anna Berg\n".encode(encoding))
    file = read_result_file(path)
    enter_results(file, 2, tmp_path)
    assert (
        file.content().decode(encoding) == "Tisch;Weiß;Schwarz;result\n4;Bert Dahl;Anna Berg;0-1\n"
    )
