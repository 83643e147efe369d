"""Signing in over a real server: the browsers that get a session, and those that keep it."""

from __future__ import annotations

from pathlib import Path

from blindplay.console.access import RateLimiter
from blindplay.console.server import ConsoleHost
from blindplay.laws import facts as f
from tests.console.hall import SEAT, Browser, Hall
from tests.ports import free_port


def test_a_link_opens_the_page_of_its_role(hall: Hall) -> None:
    browser = Browser(hall)
    assert browser.client.get(SEAT).status_code == 401
    answer = browser.enter()
    assert (answer.status_code, answer.headers["location"]) == (303, SEAT)
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and f"path={SEAT}" in cookie
    assert browser.token not in cookie
    page = browser.client.get(SEAT)
    assert page.status_code == 200
    assert "Assistant of White, Anna" in page.text


def test_a_wrong_link_opens_nothing(hall: Hall) -> None:
    browser = Browser(hall)
    browser.token = browser.token[:-1] + ("A" if browser.token[-1] != "A" else "B")
    assert browser.enter().status_code == 403
    assert "set-cookie" not in browser.enter().headers
    assert browser.client.get(SEAT).status_code == 401


def test_the_session_of_one_role_is_none_of_another(assistant: Browser) -> None:
    name = assistant.hall.cookie
    secret = assistant.client.cookies.get(name)
    for seat in ("/assistant-black/", "/arbiter/", "/white/", "/nobody/"):
        answer = assistant.client.get(seat, headers={"cookie": f"{name}={secret}"})
        assert answer.status_code == 401


def test_a_page_whose_colour_has_changed_sends_its_browser_to_the_other(
    hall: Hall, assistant: Browser
) -> None:
    assert assistant.client.get(SEAT).status_code == 200
    hall.host.console.sign_in.links.change_colours()  # as for a rematch
    answer = assistant.client.get(SEAT)
    assert (answer.status_code, answer.headers["location"]) == (303, "/assistant-black-1/")
    beside = assistant.client.get(f"{SEAT}clocks")
    assert beside.headers["location"] == "/assistant-black-1/clocks"
    assert assistant.client.get("/assistant-black-1/").status_code == 200


def test_after_rematches_the_pages_of_both_players_in_one_browser_go_on(hall: Hall) -> None:
    """Each open page goes to the new colour of its own player, whichever comes first."""
    white, black = Browser(hall, "white"), Browser(hall, "black")
    black.client = white.client  # one browser
    for one in (white, black):
        assert one.enter().status_code == 303
    places = {white: "/white/", black: "/black/"}
    for game in (1, 2):
        hall.host.console.sign_in.links.change_colours()
        for one, before in places.items():
            answer = one.client.get(before)
            assert answer.status_code == 303
            places[one] = answer.headers["location"]
        colours = ("black", "white") if game == 1 else ("white", "black")
        assert [*places.values()] == [f"/{colour}-{game}/" for colour in colours]
        for one, place in places.items():
            page = one.client.get(place)
            assert page.status_code == 200 and one.client.get("/white/").status_code == 303
            done = one.client.post(f"{place}do", data={"act": "call_arbiter"})
            assert (done.status_code, done.headers["location"]) == (303, place)
            role = place.strip("/").partition("-")[0]
            assert hall.taken("call_arbiter")[-1].by == role
    for place in ("/white-3/", "/white-0/", "/white-x/"):
        assert white.client.get(place).status_code == 401


def test_each_page_stays_with_its_person_when_the_colours_were_reversed(
    hall: Hall, tmp_path: Path
) -> None:
    """Also after a restart, and when the arbiter undoes it (7.3)."""
    links = tmp_path / "game.links"
    hall.host.close()
    hall.host = ConsoleHost(hall.table, port=(port := free_port()), links=links)
    hall.start()
    white = Browser(hall, "white")
    assert white.enter().headers["location"] == "/white/"
    reverse_colours(hall)
    answer = white.client.get("/white/")
    assert (answer.status_code, answer.headers["location"]) == (303, "/black-1/")
    for _ in range(2):
        assert white.client.get("/black-1/").status_code == 200
        assert white.client.post("/black-1/do", data={"act": "call_arbiter"}).status_code == 303
        assert hall.taken("call_arbiter")[-1].by == "black"
        hall.host.close()
        hall.host = ConsoleHost(hall.table, port=port, links=links)
    hall.table.submit(f.Arbiter(do="undo", reason="the wrong table"))
    assert not hall.table.game.swapped
    assert white.client.get("/black-1/").headers["location"] == "/white-2/"


def reverse_colours(hall: Hall) -> None:
    """The players have begun with the wrong colours, and the arbiter lets a new game begin."""
    hall.table.submit(f.Irregular(by="arbiter", what="reversed_colours"))
    if not hall.table.game.swapped:
        hall.table.submit(f.Arbiter(do="confirm"))
    assert hall.table.game.swapped


def test_a_new_link_shuts_the_old_one_and_whoever_came_in_with_it(
    hall: Hall, assistant: Browser
) -> None:
    assert assistant.client.get(SEAT).status_code == 200
    again = Browser(hall)  # asks for a new link of the same role
    assert assistant.client.get(SEAT).status_code == 401
    assert assistant.do("press").status_code == 401
    assert assistant.enter().status_code == 403
    assert again.enter().status_code == 303


def test_a_revoked_role_has_nobody(hall: Hall, assistant: Browser) -> None:
    hall.host.console.revoke("assistant:white")
    assert assistant.client.get(SEAT).status_code == 401
    assert assistant.enter().status_code == 403


def test_guessing_is_slowed_down(hall: Hall) -> None:
    hall.host.console.sign_in.entering = RateLimiter(a_second=0, at_once=3)
    browser = Browser(hall)
    right, browser.token = browser.token, "wrong"
    assert [browser.enter().status_code for _ in range(4)] == [403, 403, 403, 429]
    browser.token = right
    assert browser.enter().status_code == 303  # a right link always works
    assert browser.client.get(browser.seat).status_code == 200


def test_a_browser_is_remembered_only_if_the_organiser_wants_that(
    hall: Hall, tmp_path: Path
) -> None:
    """A closed browser forgets cookies without an age. The file keeps no secret."""
    links = tmp_path / "game.links"
    host = ConsoleHost(hall.table, port=free_port(), links=links, remember_s=12 * 3600)
    port = int(host.url.rpartition(":")[2])
    again: ConsoleHost | None = None
    try:
        guest = Browser(hall, link=host.link("black"))
        kept = [guest.enter(), guest.client.get("/black/")]
        for answer in kept:  # its time begins anew with every answer
            assert "Max-Age=43200" in answer.headers["set-cookie"]
            assert "HttpOnly" in answer.headers["set-cookie"]
        secret = next(iter(guest.client.cookies.values()))
        assert secret not in links.read_text()
        host.close()
        again = ConsoleHost(hall.table, port=port, links=links, remember_s=12 * 3600)
        assert guest.client.get("/black/").status_code == 200
        again.console.revoke("black")
        assert guest.client.get("/black/").status_code == 401
        forgetful = Browser(hall)
        assert "Max-Age" not in forgetful.enter().headers["set-cookie"]
        forgetful.client.close()
        guest.client.close()
    finally:
        for one in filter(None, (host, again)):
            one.close()
