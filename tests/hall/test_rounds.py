"""The pairings of a round: from files, in the hall's folder, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.rounds import Assignment, Round, keep_round, kept_round, read_round, where

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
        ("table,white,black,round\n1,A,,1\n", "nobody"),
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
