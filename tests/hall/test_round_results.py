"""Results from the hall's copies, written into a report file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blindplay.hall.round_results import TableResult, enter_results, results_in
from blindplay.hall.trf import read_trf
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table import Table

from .playing import play
from .trf_text import OPEN

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
    with pytest.raises(ValueError, match="pairs nobody"):
        enter_results(read_trf(OPEN.encode()), 3, tmp_path)
