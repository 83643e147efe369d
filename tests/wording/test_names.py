"""Names of players as people say and type them."""

from __future__ import annotations

import pytest

from blindplay.wording.names import KnownNames, find_names, find_player, typed
from blindplay.wording.values import Pairing

PLAYERS = ("Ole Ødegård", "Jürgen Müller", "Łukasz Nowak", "José Núñez", "Siobhán O’Neill")
TYPED = (
    ("Odegard", 0), ("Ødegaard", 0), ("oedegaard", 0), ("ødegård", 0), ("Muller", 1),
    ("MUELLER", 1), ("Müller, Juergen", 1), ("Lukasz", 2), ("Nunez", 3), ("Jose Nuñez", 3),
    ("O'Neill", 4), ("oneill", 4), ("O`NEILL", 4), ("o neill", 4),
)  # fmt: skip


@pytest.mark.parametrize(("asked", "place"), TYPED)
def test_a_name_is_found_however_it_is_typed(asked: str, place: int) -> None:
    for whole_words in (True, False):
        assert find_names(PLAYERS, asked, whole_words=whole_words) == [PLAYERS[place]]
    assert find_player(PLAYERS, asked) == PLAYERS[place]


@pytest.mark.parametrize(
    ("written", "otherwise"),
    [("Ole Ødegård", "Ole Odegaard"), ("Jürgen Müller", "MULLER, Jurgen"),
     ("Łukasz Nowak", "lukasz  nowak"), ("Siobhán O’Neill", "Siobhan O'Neill")],
)  # fmt: skip
def test_a_whole_name_means_one_player_in_each_of_its_spellings(
    written: str, otherwise: str
) -> None:
    assert KnownNames(PLAYERS).known(otherwise) == written
    assert otherwise in Pairing("1", "2", written, "Bo")
    assert "Bo Ek" not in Pairing("1", "2", written, "Bo")


def test_of_two_players_who_are_typed_alike_the_one_who_is_written_so_is_meant() -> None:
    """The third letter of the first names is left out in neither of them."""
    both = ("Michael Novak", "Michal Novak", "Jan Muller", "Jan Müller")
    for name in both:
        assert find_player(both, name) == KnownNames(both).known(name) == name
    assert find_player(both, "Jan Mueller") == find_player(both, "Novak") == ""
    assert KnownNames(both).known("Jan Mueller") == "Jan Mueller"  # not guessed at
    assert find_player(both, "Zoe") == KnownNames(()).known("") == ""


def test_nobody_has_a_name_of_signs_only() -> None:
    assert typed("'") == "" and "'" not in Pairing("1", "", "Eva", "", "full")
