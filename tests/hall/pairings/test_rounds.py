"""The pairings of a round, its results and its report."""

from __future__ import annotations

import csv
import io
import shutil
from pathlib import Path

import pytest

from blindplay.hall.pairings.rounds import (
    Assignment,
    Reporter,
    Round,
    TableResult,
    as_csv,
    enter_results,
    keep_round,
    kept_round,
    read_round,
    results_in,
    where,
)
from blindplay.hall.pairings.trf import read_trf, spoken_name
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table import Table
from tests.hall.running import Event, is_equal, play
from tests.waiting import until

from .trf_text import OPEN

CSV = """\
Table,White,Black,Round,Impaired,White_language
4,"Berg, Anna",Bert Dahl,3,both,sv
Table-5,Cecilia Ek,David  Fors,3,,
,Eva Gran,,3,,
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "round"
    file.write_text(text, "utf-8")
    return file


def test_a_report_file_gives_the_games_of_the_open_round(tmp_path: Path) -> None:
    paired = read_round(written(tmp_path, OPEN))
    assert paired.round == "2" and paired.resting == ("Eva Gran",)
    assert paired.games == (
        Assignment("2", "1", "Bert Dahl", "Anna Berg"),
        Assignment("2", "2", "Cecilia Ek", "David Fors"),
    )
    assert read_round(written(tmp_path, OPEN), 1).games[0].white == "Anna Berg"


def test_players_of_one_name_are_told_apart_by_their_starting_numbers(tmp_path: Path) -> None:
    text = OPEN.replace("Ek, Cecilia", "Berg, Anna ").replace("Gran, Eva  ", "dahl, bert ")
    paired = read_round(written(tmp_path, text))
    names = [(one.white, one.black) for one in paired.games]
    assert names == [("Bert Dahl 2", "Anna Berg 1"), ("Anna Berg 3", "David Fors")]
    assert paired.resting == ("bert dahl 5",)
    assert [one.name for one in where(paired, "Anna Berg")] == ["Anna Berg 1", "Anna Berg 3"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_gives_its_games(tmp_path: Path, delimiter: str) -> None:
    text = CSV if delimiter == "," else CSV.replace('"Berg, Anna"', "Anna Berg")
    paired = read_round(written(tmp_path, text.replace(",", delimiter)))
    first = Assignment("3", "4", "Anna Berg", "Bert Dahl", "both", "sv")
    assert paired.games[0] == first and paired.games[1].black == "David Fors"
    assert (paired.round, paired.resting) == ("3", ("Eva Gran",))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("white,black\nA,B\n", "table is missing"),
        ("table,white,black\n1,A,B\n", "round"),
        ("table,white,black,round\n1,A,B,1\n1,C,D,1\n", "twice"),
        ("table,white,black,round\n1,A,B,1\n2,C,A,1\n", "twice"),
        ("table,white,black,round\n1,A,B,1\n2,C,D,2\n", "--round"),
        ("table,white,black,round\n1,A,,1\n", "no pairings"),
        ("table,white,black,round,impaired\n1,A,B,1,left\n", "impaired"),
        ("table,white,black,round,white_language\n1,A,B,1,xx\n", "language"),
    ],
)
def test_a_wrong_table_is_refused_with_its_name(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        read_round(written(tmp_path, text))
    assert str(tmp_path) in str(refused.value)


def test_a_number_chooses_or_names_the_round(tmp_path: Path) -> None:
    both = written(tmp_path, "table,white,black,round\n1,A,B,1\n1,A,C,2\n")
    assert read_round(both, 2).games == (Assignment("2", "1", "A", "C"),)
    assert read_round(written(tmp_path, "table,white,black\n1,A,B\n"), 7).round == "7"


def test_the_hall_keeps_the_round_that_was_paired_last(tmp_path: Path) -> None:
    assert kept_round(tmp_path / "new") is None
    for number in ("1", "2"):
        paired = Round(number, (Assignment(number, "1", "Žofie", "Bert"),), ("Eva",))
        keep_round(tmp_path / "new", paired)
        assert kept_round(tmp_path / "new") == paired


def test_a_player_is_found_by_the_whole_name_or_by_a_part(tmp_path: Path) -> None:
    games = (Assignment("1", "1", "Anna Berg", "Bo Berg"), Assignment("1", "2", "Anna", "Cia Ek"))
    paired = Round("1", games, ("Eva Gran",))
    assert [one.name for one in where(paired, "anna")] == ["Anna"]
    assert [one.name for one in where(paired, "BERG")] == ["Anna Berg", "Bo Berg"]
    assert [one.pairing for one in where(paired, "Berg, Bo")] == [games[0].pairing]
    assert [one.pairing for one in where(paired, "eva")] == [None]
    assert where(paired, "") == where(paired, "Zoe") == []


DAHL, BERG = f.Player(name="Bert Dahl"), f.Player(name="Anna Berg", impaired=True)


def copy(folder: Path, name: str, *facts: f.Fact, moves: int = 2, **setup: object) -> None:
    """A copy of the game of Dahl and Berg, after so many plies and these facts."""
    with Journal(folder / "play" / f"{name}.jsonl") as journal:
        fields = {"white": DAHL, "black": BERG, "round": "2", **setup}
        table = Table(journal, f.Setup(**fields))  # type: ignore[arg-type]
        if moves:
            play(table, *("e2e4", "e7e5")[:moves])
        for fact in facts:
            table.submit(fact)
    place = folder / f"table-{name}"
    place.mkdir(parents=True)
    shutil.copy(folder / "play" / f"{name}.jsonl", place / "game.jsonl")


def declared(result: str) -> f.Fact:
    return f.Arbiter(do="declare", result=result)


RESIGNED = f.Resign(by="white")
SIGNED = [f.Sign(by=side, result="0-1") for side in ("white", "black")]


def test_a_result_comes_with_the_names_of_those_who_have_signed_it(tmp_path: Path) -> None:
    copy(tmp_path, "1", RESIGNED)
    copy(tmp_path, "2", RESIGNED, SIGNED[1])
    copy(tmp_path, "3", RESIGNED, *SIGNED)
    copy(tmp_path, "4")
    copy(tmp_path, "5", RESIGNED, round="1")
    found = {one.table: (one.result, one.signed) for one in results_in(tmp_path, "2")}
    assert found == {
        "1": ("0-1", ()), "2": ("0-1", ("black",)), "3": ("0-1", ("white", "black")),
        "4": ("", ()),
    }  # fmt: skip


def test_a_result_that_was_undone_is_none(tmp_path: Path) -> None:
    undo = f.Arbiter(do="undo", reason="the wrong table")
    copy(tmp_path, "1", declared("1-0"), undo)
    copy(tmp_path, "2", declared("1-0"), *SIGNED, undo, declared("0-1"))
    found = {one.table: (one.result, one.signed) for one in results_in(tmp_path, "2")}
    assert found == {"1": ("", ()), "2": ("0-1", ())}


def test_results_of_players_of_one_name_go_into_their_own_lines(tmp_path: Path) -> None:
    copy(tmp_path, "1", RESIGNED, black=f.Player(name="Anna Berg 1"))  # as the table was told
    file = read_trf(OPEN.replace("Ek, Cecilia", "Berg, Anna ").encode())
    first, second = enter_results(file, 2, tmp_path)
    assert (first.black, first.status, second.status) == ("Anna Berg 1", "entered", "open")
    assert [file.players[number].line for number in (1, 2)] == [2, 3]
    lines = file.content().decode().splitlines()
    assert lines[2].endswith("2 b 1") and lines[3].endswith("1 w 0")


def test_the_result_goes_into_the_lines_of_both_players(tmp_path: Path) -> None:
    copy(tmp_path, "1", RESIGNED, *SIGNED)
    file = read_trf(OPEN.encode())
    first, second = enter_results(file, 2, tmp_path)
    assert (first.status, second.status) == ("entered", "open")
    assert (first.white, first.black, first.board) == ("Bert Dahl", "Anna Berg", "1")
    lines = file.content().decode().splitlines()
    assert lines[2].endswith("2 b 1") and lines[3].endswith("1 w 0")
    assert lines[4:] == OPEN.splitlines()[4:]


@pytest.mark.parametrize(
    ("result", "plies", "by_arbiter", "scores"),
    [
        ("1-0", 2, False, "10"), ("1/2-1/2", 2, False, "=="), ("0-0", 40, True, "00"),
        ("1/2-0", 2, True, "=0"), ("0-1", 1, False, "LW"), ("1/2-1/2", 0, False, "DD"),
        ("1-0", 0, True, "+-"), ("0-0", 0, True, "--"), ("0-1", 1, True, "LW"),
    ],
)  # fmt: skip
def test_the_characters_are_those_of_the_report_file(
    result: str, plies: int, by_arbiter: bool, scores: str
) -> None:
    """1, = and 0; W, D and L for a game of less than a move each; + and - for a forfeit."""
    one = TableResult("1", "A", "B", result, (), plies, by_arbiter)
    assert one.scores == tuple(scores)


def test_a_game_that_was_declared_before_any_move_is_a_forfeit(tmp_path: Path) -> None:
    copy(tmp_path, "1", declared("0-1"), moves=0)
    file = read_trf(OPEN.encode())
    enter_results(file, 2, tmp_path)
    assert file.content().decode().splitlines()[2].endswith("2 b +")


def test_two_tables_with_two_results_of_one_game_are_not_guessed_at(tmp_path: Path) -> None:
    copy(tmp_path, "1", RESIGNED)
    copy(tmp_path, "2", f.Resign(by="black"))
    file = read_trf(OPEN.encode())
    assert enter_results(file, 2, tmp_path)[0].status == "twice"
    assert file.content() == OPEN.encode()


def test_a_result_in_the_file_stays_and_a_copy_that_is_none_is_passed_over(tmp_path: Path) -> None:
    copy(tmp_path, "1", RESIGNED)
    (tmp_path / "table-1" / "other.jsonl").write_bytes(b"nothing\n")
    text = OPEN.replace("     2 b\n", "     2 b 0\n").replace("     1 w\n", "     1 w 1\n")
    file = read_trf(text.encode())
    assert enter_results(file, 2, tmp_path)[0].status == "other"
    assert file.content() == text.encode()


def test_a_round_that_the_file_does_not_pair_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no pairings"):
        enter_results(read_trf(OPEN.encode()), 3, tmp_path)


def test_it_has_the_games_the_incidents_by_article_and_the_times(event: Event) -> None:
    hall = event.hall()
    ended, going = event.table("9"), event.table("10")
    event.publish(ended, "9")
    event.publish(going, "10")
    play(ended, "e2e4", "e7e5")
    ended.submit(f.Arbiter(do="penalty", player="black", penalty="warning", who="Maria Berg"))
    ended.submit(f.Resign(by="black"))
    play(going, "d2d4")
    going.submit(f.CallArbiter(by="white"))
    assert until(lambda: is_equal(hall, ended, "9") and is_equal(hall, going, "10"))
    reporter = Reporter(hall.follower)
    report = reporter.report("en")
    first, second = report.games
    assert (first.table, first.result, first.reason) == ("9", "1-0", "resignation")
    assert (first.white, first.moves, first.decided_by) == ("Anna", 1, ("Maria Berg",))
    assert first.took == "0:00" and first.left["white"].startswith("1:30:")
    assert (second.table, second.result) == ("10", "")
    assert [one.table for one in report.incidents] == ["9", "10"]
    assert "Warning" in report.incidents[0].text
    articles = dict(report.by_article)
    assert articles and sum(articles.values()) >= 2 and "fide-2023 6.11.2" in articles
    assert reporter.report("en").games[0] is first  # nothing new has come


def test_a_spreadsheet_gets_one_line_for_each_game_and_no_formula(event: Event) -> None:
    hall = event.hall()
    table = event.table(setup=f.Setup(white=f.Player(name="=1+1"), round="3"))
    event.publish(table)
    assert until(lambda: is_equal(hall, table))
    report = Reporter(hall.follower).report("de")
    heading, row = csv.reader(io.StringIO(as_csv(report, "de")))
    assert dict(zip(heading, row, strict=True))["Weiß"] == "'=1+1"
    assert dict(zip(heading, row, strict=True))["Runde"] == "3"


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("Mueller", "Jürgen Müller"), ("muller", "Jürgen Müller"), ("MÜLLER", "Jürgen Müller"),
        ("mu\u0308ller", "Jürgen Müller"), ("Müller, Juergen", "Jürgen Müller"),
        ("Aase", "Åse Bjørk"), ("Åse", "Åse Bjørk"), ("bjoerk", "Åse Bjørk"),
        ("bjork", "Åse Bjørk"),
        ("O'Neill", "Siobhán O’Neill"), ("O’Neill", "Siobhán O’Neill"),
        ("o´neill", "Siobhán O’Neill"),
        ("ONeill", "Siobhán O’Neill"), ("siobhan o neill", "Siobhán O’Neill"),
        ("Neill", "Siobhán O’Neill"), ("weiss", "Ida Weiß-Łukasz"),
        ("Weiß Lukasz", "Ida Weiß-Łukasz"),
        ("lukasz", "Ida Weiß-Łukasz"), ("bauer", "Eva Bauer"),
    ],
)  # fmt: skip
def test_a_player_is_found_by_a_name_as_people_type_it(asked: str, found: str) -> None:
    games = (
        Assignment("1", "1", spoken_name("Müller, Jürgen"), spoken_name("Bjørk, Åse")),
        Assignment("1", "2", "Siobhán O’Neill", spoken_name("Weiß-Łukasz, Ida")),
    )
    paired = Round("1", games, ("Eva Bauer",))
    assert [place.name for place in where(paired, asked, whole_words=True)] == [found]
    assert [place.name for place in where(paired, asked)] == [found]


def test_a_letter_a_part_or_nothing_lists_no_players() -> None:
    paired = Round("1", (Assignment("1", "1", "Siobhán O’Neill", "Oda Ode"),))
    for asked in ("", " ", "o", "O’", "'", "-", "nei", "Siobhán Ode"):
        assert where(paired, asked, whole_words=True) == [], asked
    assert [place.name for place in where(paired, "nei")] == ["Siobhán O’Neill"]
