"""People at a table hear that the hall cannot be reached, once, and that it is back."""

from __future__ import annotations

from blindplay.table.hall_contact import LONG_S, HallContact


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
