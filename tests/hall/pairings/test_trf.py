"""FIDE's report file: what is read, and what stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.hall.pairings import trf

from .trf_text import OPEN, TRF26, Line

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=33)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def names(pairs: list[tuple[trf.TrfPlayer, trf.TrfPlayer]]) -> list[tuple[str, str]]:
    return [(white.name, black.name) for white, black in pairs]


@pytest.mark.parametrize("text", [OPEN, TRF26])
def test_the_pairings_of_a_round_come_from_the_columns_of_the_players(text: str) -> None:
    file = trf.read_trf(text.encode())
    assert file.open_round() == 2
    assert names(file.pairs(2)) == [("Dahl, Bert", "Berg, Anna"), ("Ek, Cecilia", "Fors, David")]
    assert names(file.pairs(1)) == [("Berg, Anna", "Ek, Cecilia"), ("Fors, David", "Dahl, Bert")]
    assert [one.name for one in file.resting(2)] == ["Gran, Eva"]


def test_boards_are_sorted_by_the_points_of_the_better_player_then_both_then_the_number() -> None:
    """FIDE's C.04.2: score of the higher player, sum of the scores, rank of the higher player."""
    points = {1: "1.0", 2: "2.0", 3: "2.0", 4: "0.5", 5: "1.5", 6: "0.0", 7: "1.0", 8: "1.0"}
    rivals = [(1, 4), (6, 2), (3, 5), (7, 8)]
    games = {a: (b, "w") for a, b in rivals} | {b: (a, "b") for a, b in rivals}
    lines = [Line(no, f"N{no}", points[no], no, [(*games[no], "")]) for no in range(1, 9)]
    file = trf.read_trf("\n".join(map(str, lines)).encode())
    order = [(white.number, black.number) for white, black in file.pairs(1)]
    assert order == [(3, 5), (6, 2), (7, 8), (1, 4)]


def test_a_result_changes_one_character_in_each_of_two_lines() -> None:
    file = trf.read_trf(OPEN.encode())
    (pair, _) = file.pairs(2)
    assert file.enter(2, pair, ("=", "="))
    before, after = OPEN.splitlines(), file.content().decode().splitlines()
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    assert changed == {before[2]: f"{before[2]} =", before[3]: f"{before[3]} ="}
    assert trf.read_trf(file.content()).pairs(2)[0][0].game(2).result == "="


def test_a_result_that_is_in_the_file_stays() -> None:
    file = trf.read_trf(OPEN.encode())
    (pair, _) = file.pairs(1)
    assert not file.enter(1, pair, ("0", "1"))
    assert file.enter(1, pair, ("1", "0"))
    assert file.content() == OPEN.encode()


def test_a_byte_order_mark_moves_no_column() -> None:
    lines = OPEN.splitlines()
    text = "\ufeff" + "\n".join([*lines[2:], *lines[:2]])
    file = trf.read_trf(text.encode())
    (pair, _) = file.pairs(2)
    assert file.enter(2, pair, ("1", "0"))
    assert file.content().startswith(f"\ufeff{lines[2]} 0\n".encode())


@given(data=st.binary(max_size=300), end=ENDS)
def test_what_is_read_and_written_without_a_result_is_the_same_bytes(data: bytes, end: str) -> None:
    whole = data + end.encode() + str(Line(1, "Berg, Anna")).encode() + end.encode()
    try:
        file = trf.read_trf(whole)
    except ValueError:
        return  # the random bytes were a wrong line of a player
    assert file.content() == whole


@st.composite
def tournaments(draw: st.DrawFn) -> tuple[str, int]:
    """A file with any names and results of earlier rounds, and the number of an open round."""
    count, rounds = 2 * draw(st.integers(1, 6)), draw(st.integers(1, 4))
    lines = [Line(no, draw(NAMES), "0.5", no) for no in range(1, count + 1)]
    for number in range(1, rounds + 1):
        order = draw(st.permutations(lines))
        for white, black in zip(order[::2], order[1::2], strict=True):
            won, lost = draw(st.sampled_from([("1", "0"), ("0", "1"), ("=", "="), ("+", "-")]))
            done = number < rounds
            white.games.append((black.number, "w", won if done else ""))
            black.games.append((white.number, "b", lost if done else ""))
    end = draw(ENDS)
    return "".join(f"{str(line).rstrip()}{end}" for line in lines), rounds


@given(tournament=tournaments(), scores=st.data())
def test_every_result_comes_back_and_all_else_stays(
    tournament: tuple[str, int], scores: st.DataObject
) -> None:
    text, number = tournament
    file = trf.read_trf(text.encode())
    assert file.open_round() == number
    wanted: dict[int, str] = {}
    for white, black in file.pairs(number):
        pair = scores.draw(st.sampled_from([("1", "0"), ("=", "="), ("+", "-"), ("0", "0")]))
        assert file.enter(number, (white, black), pair)
        wanted |= {white.number: pair[0], black.number: pair[1]}
    again = trf.read_trf(file.content())
    assert {no: one.game(number).result for no, one in again.players.items()} == wanted
    column = 91 + 10 * (number - 1) + 7
    for old, new in zip(file_lines(text), file_lines(file.content().decode()), strict=True):
        assert new[:column].rstrip() == old.rstrip("\r\n") and new[column + 1 :].strip() == ""


def file_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("001    2 m", "001    x m"),
        ("001    2 m", "001      m"),
        ("001    2 m", "001    1 m"),
        ("1.0    1 ", "1,x    1 "),
        (" 4 b 1", " 4 r 1"),
        (" 4 b 1", " 4 b 7"),
    ],
)
def test_a_line_that_cannot_be_is_named_with_its_column(old: str, new: str) -> None:
    assert OPEN.count(old) == 1
    with pytest.raises(ValueError, match=r"Line \d, from column \d+ on"):
        trf.read_trf(OPEN.replace(old, new).encode())


def test_lines_that_contradict_each_other_are_refused() -> None:
    for old, new in (("     2 b\n", "     3 b\n"), ("     1 w\n", "     1 b\n")):
        file = trf.read_trf(OPEN.replace(old, new, 1).encode())
        with pytest.raises(ValueError, match="contradict"):
            file.pairs(2)


def test_another_file_and_a_round_without_an_open_game_are_refused() -> None:
    with pytest.raises(ValueError, match="001"):
        trf.read_trf(b"table;white;black\n")
    with pytest.raises(ValueError, match="no result"):
        trf.read_trf(str(Line(1, "Berg, Anna", games=[(0, "-", "U")])).encode()).open_round()


def test_standings_are_those_of_the_file() -> None:
    found = trf.standings(trf.read_trf(OPEN.encode()))
    assert [(one.rank, one.name, one.points) for one in found][:3] == [
        (1, "Anna Berg", "1.0"), (2, "Bert Dahl", "1.0"), (3, "Eva Gran", "1.0"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no ranking"):
        trf.standings(trf.read_trf(str(Line(1, "Berg, Anna")).encode()))


def test_names_in_latin_1_are_read_and_come_back_as_they_were() -> None:
    data = OPEN.replace("Ek, Cecilia", "Åk, Cecilia").encode("latin-1")
    file = trf.read_trf(data)
    assert file.players[3].name == "Åk, Cecilia" and file.content() == data
