"""Links, sessions and allowances, without a server; and actions that are done once, however often
they are sent.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.access import AccessLinks, RateLimiter, keep_for_next_game
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
    session = hall.host.console.sign_in.links._sessions[0]
    for number in range(1000):
        session.once.begin(str(number))
    assert session.once.begin("999") is None and session.once.begin("0") is not None
    hall.table.submit(f.Tick())


def test_a_token_has_256_bits_and_is_kept_nowhere() -> None:
    links = AccessLinks()
    tokens = {links.issue(f"role {n}") for n in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 43 for token in tokens)  # 32 bytes, six bits a letter
    kept = repr(vars(links))
    assert not any(token in kept for token in tokens)


def test_a_token_opens_its_own_role_only_and_only_whole() -> None:
    links = AccessLinks()
    token = links.issue("arbiter")
    assert links.enter(token[:-1], "en") is None
    assert links.enter(token + "x", "en") is None
    assert links.enter("", "en") is None
    entered = links.enter(token, "en")
    assert entered is not None
    session, secret = entered
    assert session.role == "arbiter"
    assert links.session("arbiter", secret) is session
    assert links.session("white", secret) is None
    assert links.session("arbiter", token) is None  # the link's secret is not the cookie's


def test_what_is_kept_is_private_and_is_never_written_through_a_link(tmp_path: Path) -> None:
    letter, file = tmp_path / "letter.txt", tmp_path / "game.links"
    letter.write_text("Dear Sir or Madam")
    try:
        for name in ("game.links", "game.links.new", "game.links.part"):
            (tmp_path / name).symlink_to(letter)
    except OSError:
        pytest.skip("links may not be made here")
    AccessLinks(file).issue("arbiter")
    assert letter.read_text() == "Dear Sir or Madam" and not file.is_symlink()
    assert AccessLinks(file).given() == {"arbiter": 0}
    if os.name != "nt":  # Windows has no such modes
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_in_a_rematch_browsers_come_in_as_the_same_people(tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{name}.links" for name in ("first", "second", "third"))
    links = AccessLinks(first)
    secrets = {}
    for role in ("white", "assistant:white", "arbiter"):
        entered = links.enter(links.issue(role), "nb")
        assert entered is not None
        secrets[role] = entered[1]
    assert keep_for_next_game(first, second, changes_colours=True)
    changed = AccessLinks(second)
    for role, now in (
        ("white", "black"),
        ("assistant:white", "assistant:black"),
        ("arbiter", "arbiter"),
    ):
        session = changed.session(now, secrets[role])
        assert session is not None and session.language == "nb"
    assert changed.session("white", secrets["white"]) is None
    assert keep_for_next_game(second, third, changes_colours=False)
    assert AccessLinks(third).session("black", secrets["white"]) is not None
    assert not keep_for_next_game(tmp_path / "none.links", third, changes_colours=True)


def test_a_role_has_a_handful_of_sessions_and_the_oldest_gives_way() -> None:
    links = AccessLinks()
    token, other = links.issue("arbiter"), links.issue("white")
    mine = links.enter(other, "en")
    secrets = [entered[1] for _ in range(17) if (entered := links.enter(token, "en"))]
    assert links.session("arbiter", secrets[0]) is None
    assert all(links.session("arbiter", secret) for secret in secrets[1:])
    assert mine is not None and links.session("white", mine[1]) is not None


@given(st.text())
def test_no_text_of_a_client_breaks_a_door(text: str) -> None:
    links = AccessLinks()
    links.issue("arbiter")
    assert links.enter(text, "en") is None
    assert links.session("arbiter", text) is None


def test_an_allowance_fills_up_again_with_time_and_is_everybodys_own() -> None:
    now = [0.0]
    allowance = RateLimiter(a_second=2, at_once=3, now=lambda: now[0])
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
    assert allowance.take("b")
    now[0] = 0.5  # two a second: one more
    assert [allowance.take("a") for _ in range(2)] == [True, False]
    now[0] = 1000  # never more than three at once
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
