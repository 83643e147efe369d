"""Links, sessions and allowances, without a server."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.access import AccessLinks, RateLimiter


def test_a_token_has_256_bits_and_is_kept_nowhere() -> None:
    doors = AccessLinks()
    tokens = {doors.issue(f"role {n}") for n in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 43 for token in tokens)  # 32 bytes, six bits a letter
    kept = repr(vars(doors))
    assert not any(token in kept for token in tokens)


def test_a_token_opens_its_own_role_only_and_only_whole() -> None:
    doors = AccessLinks()
    token = doors.issue("arbiter")
    assert doors.enter(token[:-1], "en") is None
    assert doors.enter(token + "x", "en") is None
    assert doors.enter("", "en") is None
    entered = doors.enter(token, "en")
    assert entered is not None
    session, secret = entered
    assert session.role == "arbiter"
    assert doors.session("arbiter", secret) is session
    assert doors.session("white", secret) is None
    assert doors.session("arbiter", token) is None  # the link's secret is not the cookie's


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


def test_a_role_has_a_handful_of_sessions_and_the_oldest_gives_way() -> None:
    doors = AccessLinks()
    token, other = doors.issue("arbiter"), doors.issue("white")
    mine = doors.enter(other, "en")
    secrets = [entered[1] for _ in range(17) if (entered := doors.enter(token, "en"))]
    assert doors.session("arbiter", secrets[0]) is None
    assert all(doors.session("arbiter", secret) for secret in secrets[1:])
    assert mine is not None and doors.session("white", mine[1]) is not None


@given(st.text())
def test_no_text_of_a_client_breaks_a_door(text: str) -> None:
    doors = AccessLinks()
    doors.issue("arbiter")
    assert doors.enter(text, "en") is None
    assert doors.session("arbiter", text) is None


def test_an_allowance_fills_up_again_with_time_and_is_everybodys_own() -> None:
    now = [0.0]
    allowance = RateLimiter(a_second=2, at_once=3, now=lambda: now[0])
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
    assert allowance.take("b")
    now[0] = 0.5  # two a second: one more
    assert [allowance.take("a") for _ in range(2)] == [True, False]
    now[0] = 1000  # never more than three at once
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
