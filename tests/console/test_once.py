"""An action is done once, however often it is sent."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from blindplay.laws import facts as f
from tests.console.hall import SEAT, Browser, Hall


def run_of(browser: Browser) -> str:
    return browser.client.get(SEAT).text.partition('data-run="')[2].partition('"')[0]


def settle(browser: Browser, key: str, **fields: str) -> httpx.Response:
    headers = {"accept": "application/json"}
    return browser.client.post(SEAT + "settle", data={"id": key, **fields}, headers=headers)


def test_an_action_that_comes_twice_is_done_once(hall: Hall, assistant: Browser) -> None:
    hall.start()
    key = run_of(assistant) + "-1"
    move: dict[str, Any] = {"text": "e4", "how": "both", "id": key}
    first, second = assistant.do("move", **move), assistant.do("move", **move)
    assert (first.status_code, second.status_code) == (200, 208)
    assert len(hall.taken("announce")) == 1
    asked = settle(assistant, key)
    assert (asked.status_code, asked.json()) == (200, first.json())


def test_an_action_that_has_not_come_is_void_once_its_page_has_given_it_up(
    hall: Hall, assistant: Browser
) -> None:
    key = run_of(assistant) + "-1"
    assert settle(assistant, key).status_code == 204  # it may still come
    assert settle(assistant, key, void="yes").status_code == 205
    assert assistant.do("call_arbiter", id=key).status_code == 208
    assert hall.taken("call_arbiter") == []
    assert settle(assistant, key).status_code == 204


def test_nobody_knows_what_became_of_an_action_before_a_restart(assistant: Browser) -> None:
    assert settle(assistant, "deadbeef-1").status_code == 404


def test_what_others_have_done_is_not_told(hall: Hall, assistant: Browser) -> None:
    key = run_of(assistant) + "-1"
    assistant.do("call_arbiter", id=key)
    other = Browser(hall, link=f"{hall.host.url}/#{assistant.token}")
    assert other.enter().status_code == 303
    assert settle(other, key).status_code == 204


@pytest.mark.parametrize("key", ["", "-", "\N{SNOWMAN}", "x" * 1000])
def test_no_id_that_a_page_can_send_breaks_anything(assistant: Browser, key: str) -> None:
    assert assistant.do("query", about="moves", id=key).status_code == 200
    assert settle(assistant, key).status_code == 404


def test_only_the_last_actions_are_remembered(hall: Hall, assistant: Browser) -> None:
    session = hall.host.console.door.links._sessions[0]
    for number in range(1000):
        session.once.begin(str(number))
    assert session.once.begin("999") is None and session.once.begin("0") is not None
    hall.table.submit(f.Tick())
