"""FIDE's report file: what is read, and what stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.hall.pairings import trf
from blindplay.hall.pairings.byes import is_nobody

from .trf_text import OPEN, TRF26, Line

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=33).filter(
    lambda name: not is_nobody(name)
)
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
    assert file.enter(2, pair, ("=", "=")) == "entered"
    before, after = OPEN.splitlines(), file.content().decode().splitlines()
    changed = {old: new for old, new in zip(before, after, strict=True) if old != new}
    assert changed == {before[2]: f"{before[2]} =", before[3]: f"{before[3]} ="}
    assert trf.read_trf(file.content()).pairs(2)[0][0].game(2).result == "="


def test_a_result_that_is_in_the_file_stays() -> None:
    file = trf.read_trf(OPEN.encode())
    (pair, _) = file.pairs(1)
    assert file.enter(1, pair, ("0", "1")) == "other"
    assert file.enter(1, pair, ("1", "0")) == "entered"
    assert file.content() == OPEN.encode()


def test_a_byte_order_mark_moves_no_column() -> None:
    lines = OPEN.splitlines()
    text = "\ufeff" + "\n".join([*lines[2:], *lines[:2]])
    file = trf.read_trf(text.encode())
    (pair, _) = file.pairs(2)
    assert file.enter(2, pair, ("1", "0")) == "entered"
    assert file.content().startswith(f"\ufeff{lines[2]} 0\n".encode())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_a_result_in_a_wide_file_changes_two_characters_only(encoding: str) -> None:
    lines = OPEN.splitlines(keepends=True)
    file = trf.read_trf(f"\ufeff{OPEN}".encode(encoding))
    assert file.enter(2, file.pairs(2)[0], ("1", "0")) == "entered"
    lines[2], lines[3] = f"{lines[2].rstrip()} 0\n", f"{lines[3].rstrip()} 1\n"
    assert file.content() == f"\ufeff{''.join(lines)}".encode(encoding)


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
        assert file.enter(number, (white, black), pair) == "entered"
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


def test_lines_that_contradict_each_other_leave_out_that_pair_only() -> None:
    for old, new in (("     2 b\n", "     3 b\n"), ("     1 w\n", "     1 b\n")):
        file = trf.read_trf(OPEN.replace(old, new, 1).encode())
        assert names(file.pairs(2)) == [("Ek, Cecilia", "Fors, David")]
        assert all("contradict" in sentence for sentence in file.left_out(2))
        assert any("Anna Berg" in sentence for sentence in file.left_out(2))
        assert file.left_out(1) == []


@pytest.mark.parametrize(
    "wrong",
    [
        {4: (3, "w")},  # two Whites
        {4: (5, "b")},  # the opponent plays somebody else
        {3: (5, "w")},
        {3: (9, "w")},  # nobody has this number
        {3: (9, "w"), 4: (0, "-")},
        {3: (1, "w"), 4: (6, "b")},
    ],
)
def test_a_pair_that_is_left_out_keeps_its_board(wrong: dict[int, tuple[int, str]]) -> None:
    """Without points, FIDE sorts boards by the better starting number (C.04.2)."""
    games = {1: (2, "w"), 2: (1, "b"), 3: (4, "w"), 4: (3, "b"), 5: (6, "w"), 6: (5, "b")}

    def boards(games: dict[int, tuple[int, str]]) -> dict[str, int]:
        lines = [Line(no, f"N{no}", games=[(*game, "")]) for no, game in games.items()]
        file = trf.read_trf("\n".join(map(str, lines)).encode())
        return {board: white.number for board, (white, _) in file.boards(1)}

    assert boards(games) == {"1": 1, "2": 3, "3": 5}
    assert boards(games | wrong) == {"1": 1, "3": 5}


def test_a_player_whose_opponent_is_absent_rests_and_the_pair_is_named() -> None:
    lines = [
        Line(1, "Berg, Anna", games=[(4, "w", "+")]),
        Line(2, "Dahl, Bert", games=[(3, "w", "")]),
        Line(3, "Ek, Cecilia", games=[(2, "b", "")]),
        Line(4, "Fors, David", games=[(1, "b", "Z")]),
    ]
    file = trf.read_trf("\n".join(map(str, lines)).encode())
    assert names(file.pairs(1)) == [("Dahl, Bert", "Ek, Cecilia")]
    assert [one.name for one in file.resting(1)] == ["Berg, Anna", "Fors, David"]
    assert file.left_out(1)[0].startswith("Round 1: the lines of Anna Berg and of David Fors ")


@pytest.mark.parametrize("nobody", ["Bye", "spielfrei", "w.o.", "-", "0000"])
def test_a_line_for_a_bye_is_no_player(nobody: str) -> None:
    lines = [Line(1, "Berg, Anna", games=[(2, "w", "")]), Line(2, nobody, games=[(1, "b", "")])]
    file = trf.read_trf("\n".join(map(str, lines)).encode())
    assert file.pairs(1) == [] and file.left_out(1) == []
    assert [one.name for one in file.resting(1)] == ["Berg, Anna"]


@pytest.mark.parametrize("cell", ["0000 - U", "   0 - H", "   -   -", "     -  ", "0000    "])
def test_no_opponent_is_written_in_many_ways(cell: str) -> None:
    line = str(Line(1, "Berg, Anna", games=[(0, "-", "U")])).replace("0000 - U", cell)
    file = trf.read_trf(line.encode())
    assert [one.name for one in file.resting(1)] == ["Berg, Anna"] and file.left_out(1) == []


TEAM = """013 Reds                            {0:>4} {1:>4}
013 Blues                           {2:>4} {3:>4}
013 Greens                          {4:>4} {5:>4}
013 Golds                           {6:>4} {7:>4}
"""
TEAM26 = """310 {n:>3} {name:<32} NIC     2486 {points:>6}   28.0  11  {players}
"""


POINTS = ("0.0", "3.0", "1.0", "1.0", "0.0", "0.5", "0.0", "2.0")
RIVALS = {1: (7, "w"), 7: (1, "b"), 2: (8, "b"), 8: (2, "w"),
          3: (5, "w"), 5: (3, "b"), 4: (6, "b"), 6: (4, "w")}  # fmt: skip
OF_TEAMS = "\n".join(
    str(Line(no, f"N{no}", points, no, [(*RIVALS[no], "")])) for no, points in enumerate(POINTS, 1)
)
"""Team 1 plays team 4, and team 2 plays team 3."""


def teams26(*points: str) -> str:
    """Lines 310 of four teams of two, with these match points."""
    return "".join(
        TEAM26.format(n=n, name=f"Team {n}", points=one, players=f"{2 * n - 1:>4} {2 * n:>4}")
        for n, one in enumerate(points, 1)
    )


@pytest.mark.parametrize(
    ("head", "boards"),
    [
        ("", [8, 6, 3, 1]),  # as single players, by their points
        (TEAM.format(*range(1, 9)), [1, 8, 3, 6]),
        (TEAM.format(2, 1, *range(3, 9)), [8, 1, 3, 6]),
        (teams26("1.0", "4.0", "2.0", "2.0"), [3, 6, 1, 8]),
        (teams26("4.0", "2.0", "2.0", "1.0"), [1, 8, 3, 6]),
        # In round 1 team 1 plays with 2 before 1 (300).
        (teams26("4.0", "2.0", "2.0", "1.0") + "300   1   1   4    2    1\n", [8, 1, 3, 6]),
        (teams26("4.0", "2.0", "2.0", "1.0") + "300   2   1   3    2    1\n", [1, 8, 3, 6]),
    ],
)
def test_the_boards_of_a_match_of_teams_follow_each_other(head: str, boards: list[int]) -> None:
    file = trf.read_trf((head + OF_TEAMS).encode())
    assert [white.number for white, _ in file.pairs(1)] == boards


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
    without = "\n".join(str(Line(no, f"N{no}", str(no % 3))) for no in range(1, 6))
    file = trf.read_trf(without.encode())
    assert not file.has_ranks  # so the players are in the order of their points
    assert [(one.rank, one.name) for one in trf.standings(file)] == [
        (1, "N2"), (1, "N5"), (3, "N1"), (3, "N4"), (5, "N3"),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="no ranking"):
        trf.standings(trf.read_trf(str(Line(1, "Berg, Anna")).encode()))


ROUND_2 = OPEN.replace("     1 w\n", "     1 w 0\n").replace("     2 b\n", "     2 b 1\n")
"""A result of round 2 is in the file, and the points are those of round 1."""


@pytest.mark.parametrize(
    ("text", "counted", "played"),
    [
        (OPEN, 1, 1),
        (OPEN.replace("  1.0    3 ", "  2.0    3 "), 1, 1),  # the bye of round 2 is counted
        (OPEN.replace("  1.0    1 ", "  3.0    1 "), None, 1),
        (OPEN.replace("  1.0    2 ", "  1.5    2 "), None, 1),
        (ROUND_2, 1, 2),
        (ROUND_2.replace("  1.0    1 ", "  2.0    1 ").replace("  1.0    3 ", "  2.0    3 "), 2, 2),
        (ROUND_2.replace("  1.0 ", "  0.0 "), 0, 2),
        (OPEN.replace("  1.0 ", "      ").replace("  0.0 ", "      "), 1, 1),
    ],
)
def test_the_points_say_which_rounds_they_count(
    text: str, counted: int | None, played: int
) -> None:
    file = trf.read_trf(text.encode())
    assert (file.counted, file.played) == (counted, played)


def test_names_in_latin_1_are_read_and_come_back_as_they_were() -> None:
    data = OPEN.replace("Ek, Cecilia", "Åk, Cecilia").encode("latin-1")
    file = trf.read_trf(data)
    assert file.players[3].name == "Åk, Cecilia" and file.content() == data
