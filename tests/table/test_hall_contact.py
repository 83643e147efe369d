"""People at a table hear once that the hall is gone and back, and where they play next."""

from __future__ import annotations

from unittest import mock

import pytest

from blindplay.table.hall_contact import LONG_S, Elsewhere, HallContact, Pairings
from blindplay.wording.values import Pairing
from tests.waiting import PATIENCE_S


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


@pytest.mark.parametrize(
    ("unreached", "online", "waits"),
    [(None, False, [5.0]), (1.0, False, [1.0]), (1.0, True, [1.0, 4.0])],
)
def test_a_new_game_waits_for_the_hall_only_if_it_is_reached(
    unreached: float | None, online: bool, waits: list[float]
) -> None:
    """A game that is resumed waits for a broker that is slow; a new one begins without it."""
    contact, waited = HallContact(), list[float | None]()
    contact.join(lambda seconds: False)
    contact.see(online, 0.0)

    def wait(seconds: float | None = None) -> bool:
        waited.append(seconds)
        return False

    with mock.patch.object(contact._heard, "wait", wait):
        assert contact.hear_first(5.0, unreached) is None
    assert waited == waits
    contact.hear(Elsewhere(now=True))  # the word comes when people play already
    assert contact.elsewhere is not None and not contact.holds


def test_the_halls_word_ends_the_wait_before_a_new_game() -> None:
    contact = HallContact()
    contact.join(lambda seconds: False)
    contact.hear(Elsewhere(now=True))
    assert contact.hear_first(PATIENCE_S, PATIENCE_S) == Elsewhere(now=True) and contact.holds


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
