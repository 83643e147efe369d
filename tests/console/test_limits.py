"""The console among many: idle connections, tables side by side, too many requests and pages; and
errors. Only those that ask too much are slowed down.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import httpx
import pytest

from blindplay.console import actions, limits, sign_in, stream, views
from blindplay.console.access import RateLimiter
from blindplay.console.limits import is_here
from tests import web
from tests.console.hall import SEAT, Browser, Hall
from tests.coroutines import finished
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def far(monkeypatch: pytest.MonkeyPatch, hall: Hall) -> None:
    """Everybody comes from one other machine, and may ask three times."""
    monkeypatch.setattr(sign_in, "is_here", lambda address: False)
    hall.host.console.sign_in.asking = RateLimiter(a_second=0, at_once=3)
    hall.host.console.sign_in.entering = RateLimiter(a_second=0, at_once=3)


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
    page = guest.client.get("/")
    assert (page.status_code, 'id="enter"' in page.text) == (429, True)  # a link can be tried
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


if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext


@contextlib.contextmanager
def idle(hall: Hall, count: int) -> Iterator[list[socket.socket]]:
    """So many connections to the console, on which nothing is said."""
    place = urlsplit(hall.host.url)
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(
                socket.create_connection((place.hostname, place.port), timeout=PATIENCE_S)
            )
            for _ in range(count)
        ]


def hung_up(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_two_tables_on_one_machine_do_not_log_each_other_out(tmp_path: Path) -> None:
    """A browser sends a cookie to every port of a host (RFC 6265, 8.5)."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = Hall(tmp_path / "a"), Hall(tmp_path / "b")
    try:
        with web.Client() as one:
            for hall in (first, second):
                base, _, token = hall.link("arbiter").partition("/#")
                answer = one.post(f"{base}/enter", data={"token": token}, headers={"origin": base})
                assert answer.status_code == 303
            for hall in (first, second):
                assert one.get(f"{hall.host.url}/arbiter/").status_code == 200
    finally:
        first.close()
        second.close()


@pytest.mark.parametrize(
    ("address", "here"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("::ffff:127.0.0.1", True),
     ("192.0.2.1", False), ("fe80::1%eth0", False), ("", False), ("testclient", False)],
)  # fmt: skip
def test_which_addresses_are_this_machine(address: str, here: bool) -> None:
    assert is_here(address) is here


def test_this_machine_is_never_shut_out(hall: Hall, assistant: Browser) -> None:
    with idle(hall, limits.AN_ADDRESS + 10):
        assert assistant.client.get(SEAT).status_code == 200


def test_who_says_nothing_is_hung_up_on_and_has_a_share(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(limits, "is_here", lambda address: False)
    monkeypatch.setattr(limits, "AN_ADDRESS", 3)
    with idle(hall, 4) as (*_, surplus):
        assert hung_up(surplus)
    monkeypatch.setattr(limits, "HEADERS_S", 0.05)
    with idle(hall, 3) as silent:
        for one in silent[1:]:
            one.sendall(b"GET / HTTP/1.1\r\nhost: 127")  # and never the rest
        assert all(hung_up(one) for one in silent)
    assert web.get(hall.host.url).status_code == 200
    assert "".join(capfd.readouterr()) == ""


def test_other_machines_may_not_ask_without_end(hall: Hall) -> None:
    hall.host.console.sign_in.asking = RateLimiter(a_second=0, at_once=2)

    async def ask(address: str) -> list[int]:
        transport = httpx.ASGITransport(hall.host.console.app, client=(address, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return [(await client.get("/")).status_code for _ in range(3)]

    assert finished(ask("192.0.2.7")) == [200, 200, 429]
    assert finished(ask("192.0.2.8")) == [200, 200, 429]
    assert finished(ask("127.0.0.1")) == [200, 200, 200]


def test_a_browser_that_listens_too_often_loses_its_oldest_page_and_says_so(
    assistant: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stream, "_MOST_STREAMS", 1)
    begun, lines = threading.Event(), list[str]()

    def listen() -> None:
        with assistant.client.stream("GET", SEAT + "changes", timeout=PATIENCE_S) as answer:
            for line in answer.iter_lines():
                lines.append(line)
                begun.set()

    first = threading.Thread(target=listen)
    first.start()
    assert begun.wait(PATIENCE_S)
    with assistant.client.stream("GET", SEAT + "changes", timeout=PATIENCE_S):
        first.join(PATIENCE_S)
    assert not first.is_alive()
    assert "event: crowded" in lines


def test_who_has_given_way_to_newer_browsers_is_told_so(hall: Hall, assistant: Browser) -> None:
    for _ in range(16):
        assert hall.host.console.sign_in.links.enter(assistant.token, "en") is not None
    answer = assistant.client.get(SEAT)
    assert answer.status_code == 410
    assert "Open the link again" in answer.text
    assert assistant.enter().status_code == 303
    assert assistant.client.get(SEAT).status_code == 200


# --- what goes wrong ----------------------------------------------------------------------------


def test_no_request_prints_anything_on_the_terminal(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    arbiter = Browser(hall, "arbiter")
    arbiter.enter()
    many = "&".join(f"f{n}=1" for n in range(50))
    assert arbiter.client.get(f"/arbiter/sure?{many}").status_code == 400
    post = arbiter.client.post("/arbiter/do", data={"act": "x"}, headers={"origin": "http://["})
    assert post.status_code == 403
    with idle(hall, 1) as (connection,):
        connection.sendall(b"\x00\xff nonsense\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 400"

    def broken(*_: object, **__: object) -> str:
        raise RuntimeError("out of order")

    monkeypatch.setattr(views, "whole", broken)
    monkeypatch.setattr(actions, "act", broken)
    page = arbiter.client.get("/arbiter/")
    assert (page.status_code, page.headers["x-content-type-options"]) == (500, "nosniff")
    assert "Something went wrong" in page.text and "out of order" not in page.text
    answer = arbiter.do("press")
    assert (answer.status_code, answer.json()["refused"]) == (500, True)
    assert "".join(capfd.readouterr()) == ""


# --- two tabs -----------------------------------------------------------------------------------


def test_an_answer_is_in_the_language_of_the_page_that_asked(assistant: Browser) -> None:
    answers = {code: assistant.do("dance", page=code) for code in ("de", "en", "nb")}
    assert [one.headers["content-language"] for one in answers.values()] == [*answers]
    assert len({one.json()["said"][0] for one in answers.values()}) == 3
    assert assistant.do("dance", page="xx").headers["content-language"] == "en"


# --- in a browser -------------------------------------------------------------------------------


def test_a_link_opened_where_the_door_stands_already_comes_in(
    context: BrowserContext, hall: Hall
) -> None:
    page = context.new_page()
    page.goto(hall.host.url)
    page.evaluate("link => { location.href = link; }", hall.link("assistant:white"))
    page.wait_for_url("**/assistant-white/")


def test_a_hidden_page_leaves_its_connection_and_is_told_what_it_missed(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    page = context.new_page()
    page.goto(hall.link("black"))
    see = """hidden => {
        Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""

    def listening(count: int) -> None:
        assert until(lambda: hall.host.console.present()["black"][1] == count), count

    listening(1)
    page.evaluate(see, True)
    listening(0)
    hall.play("white", "e2e4")
    page.evaluate(see, False)
    words = page.locator("#polite [lang=de]")
    words.get_by_text("Bauer Eva zwei Eva vier").wait_for()
    assert "Black to move." in (page.locator("#polite").text_content() or "")


def test_a_page_that_gets_errors_says_that_the_connection_is_lost(
    context: BrowserContext, hall: Hall
) -> None:
    page = context.new_page()
    page.route("**/changes?*", lambda route: route.fulfill(status=503))
    page.goto(hall.link("black"))
    page.locator("#urgent").get_by_text("No connection.").wait_for()
    page.unroute("**/changes?*")
    page.locator("#polite").get_by_text("The connection is back").wait_for()


def test_no_clock_breaks_inside_its_number(context: BrowserContext, tmp_path: Path) -> None:
    hall = Hall(tmp_path, time_control="36000+30")
    try:
        page = context.new_page()
        page.set_viewport_size({"width": 320, "height": 640})
        for role in ("black", "arbiter"):
            page.goto(hall.link(role))
            clock = page.locator(".clock .figures").first
            assert clock.text_content() is not None
            lines, over = clock.evaluate(
                """one => [one.getBoundingClientRect().height
                        / parseFloat(getComputedStyle(one).lineHeight),
                    document.documentElement.scrollWidth - innerWidth]"""
            )
            assert lines < 1.5
            assert over <= 0
    finally:
        hall.close()
