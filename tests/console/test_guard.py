"""Who is slowed down: the one who asks too much, and nobody else."""

from __future__ import annotations

import pytest

from blindplay.console import door
from blindplay.console.access import RateLimiter
from tests.console.hall import Browser, Hall


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch, hall: Hall) -> None:
    """Everybody comes from one other machine, and may ask three times."""
    monkeypatch.setattr(door, "is_here", lambda address: False)
    hall.host.console.door.asking = RateLimiter(a_second=0, at_once=3)
    hall.host.console.door.entering = RateLimiter(a_second=0, at_once=3)


@pytest.mark.usefixtures("far")
def test_wrong_links_slow_down_neither_those_who_are_in_nor_a_right_link(hall: Hall) -> None:
    inside, guest = Browser(hall, "black"), Browser(hall, "white")
    assert inside.enter().status_code == 303
    right, guest.token = guest.token, "wrong"
    assert [guest.enter().status_code for _ in range(5)] == [403, 403, 403, 429, 429]
    asked = [guest.client.get("/nonsense/").status_code for _ in range(5)]
    assert asked == [401, 401, 401, 429, 429]
    assert inside.client.get(inside.seat).status_code == 200
    assert inside.do("resign").status_code == 200
    door = guest.client.get("/")
    assert (door.status_code, 'id="enter"' in door.text) == (429, True)  # a link can be tried
    guest.token = right
    assert guest.enter().status_code == 303
    assert guest.client.get(guest.seat).status_code == 200


@pytest.mark.usefixtures("far")
def test_whoever_is_in_is_slowed_down_for_themselves(hall: Hall) -> None:
    busy, quiet = Browser(hall, "black"), Browser(hall, "white")
    for browser in (busy, quiet):
        assert browser.enter().status_code == 303
    asked = [busy.client.get(busy.seat).status_code for _ in range(5)]
    assert asked == [200, 200, 200, 429, 429]
    assert quiet.client.get(quiet.seat).status_code == 200
