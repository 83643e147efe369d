"""What a table knows of the pairings."""

from __future__ import annotations

from blindplay.table.pairings import Pairings
from blindplay.wording.values import Pairing

FOUR = Pairing("3", "4", "Anna Berg", "Bert Dahl")
FIVE = Pairing("3", "5", "Cia Ek", "David Fors")


def test_a_player_is_found_whatever_the_case_of_the_name() -> None:
    pairings = Pairings("4")
    pairings.tell([FOUR, FIVE])
    assert pairings.next_of("anna berg") == FOUR and pairings.next_of("David Fors") == FIVE
    assert pairings.next_of("") is pairings.next_of("Eva") is None


def test_only_a_pairing_that_is_new_is_told() -> None:
    pairings, heard = Pairings("4"), list[Pairing]()
    pairings.listen(heard.append)
    pairings.tell([FOUR])
    pairings.tell([FOUR, FIVE])
    assert heard == [FOUR, FIVE]
    pairings.tell([])
    assert pairings.next_of("Anna Berg") is None
