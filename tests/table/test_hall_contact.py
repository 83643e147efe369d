"""People at a table hear once that the hall is gone and back, and where they play next."""

from __future__ import annotations

from blindplay.table.hall_contact import LONG_S, HallContact, Pairings
from blindplay.wording.values import Pairing


def test_a_short_break_is_not_told_and_a_long_one_once() -> None:
    told: list[bool] = []
    contact = HallContact()
    contact.listen(told.append)
    for online, now in [(True, 0), (False, 10), (False, 10 + LONG_S - 1), (True, 200),
                        (False, 300), (False, 350)]:  # fmt: skip
        contact.see(online, now)
    assert told == []
    contact.see(False, 300 + LONG_S)
    contact.see(False, 1000)
    assert told == [False]
    contact.see(True, 1001)
    contact.see(True, 1002)
    assert told == [False, True]


def test_a_hall_that_was_never_reached_is_told_too() -> None:
    told: list[bool] = []
    contact = HallContact()
    contact.listen(told.append)
    contact.see(False, 0.0)
    contact.see(False, LONG_S)
    assert told == [False]


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
