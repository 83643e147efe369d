"""What two tables say to each other before a game."""

from __future__ import annotations

import math
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from blindplay.laws.facts import Player
from blindplay.opponents.distant import terms
from blindplay.opponents.distant.meeting import write
from blindplay.opponents.distant.terms import NotAgreedError, OtherVersionError, Terms

from .two_tables import SETUP

GUEST = Player(name="Bo", impaired=True, language="da")


def talk(host: Callable[[Any], object], guest: Callable[[Any], Any]) -> Any:
    """What the guest gets, while the host does its part."""
    near, far = socket.socketpair()
    for one in (near, far):
        one.settimeout(20)

    def receive() -> None:
        with far:
            try:
                host(far)
            except (OSError, ValueError):
                return

    thread = threading.Thread(target=receive)
    thread.start()
    try:
        with near:
            return guest(cast(Any, near))
    finally:
        thread.join()


def proposal(player: Player) -> Terms:
    return Terms(replace(SETUP, black=player), "white", 7, training=True)


def host(sock: Any) -> None:
    proposed = proposal(terms.guest_of(sock, "1"))
    if terms.propose(sock, proposed, "1"):
        terms.begin(sock)


def test_the_guest_gets_the_terms_as_its_own_table_sees_them_and_agrees() -> None:
    def guest(sock: Any) -> Terms:
        found = terms.introduce(sock, GUEST, "1")
        terms.answer(sock, agrees=True)
        return found

    assert talk(host, guest) == replace(proposal(GUEST), here="black")


def test_no_agreement_is_no_game() -> None:
    def guest(sock: Any) -> None:
        terms.introduce(sock, Player(), "1")
        terms.answer(sock, agrees=False)

    with pytest.raises(NotAgreedError):
        talk(host, guest)


def test_a_table_that_has_a_game_says_so() -> None:
    def taken(sock: Any) -> None:
        terms.guest_of(sock, "1")
        terms.refuse(sock, "1")

    with pytest.raises(NotAgreedError):
        talk(taken, lambda sock: terms.introduce(sock, GUEST, "1"))


def test_another_version_is_told_at_both_tables() -> None:
    told: list[str] = []

    def old(sock: Any) -> None:
        try:
            terms.guest_of(sock, "1")
        except OtherVersionError as error:
            told.append(str(error))

    with pytest.raises(OtherVersionError, match="1"):
        talk(old, lambda sock: terms.introduce(sock, GUEST, "2"))
    assert told == ["2"]


def test_a_setup_that_is_none_is_not_taken() -> None:
    bad = {**proposal(GUEST).to_json(), "setup": {**SETUP.to_json(), "fen": "nonsense"}}

    def host(sock: Any) -> None:
        terms.guest_of(sock, "1")
        write(sock, version="1", **bad)

    with pytest.raises(ValueError, match="position in FEN"):
        talk(host, lambda sock: terms.introduce(sock, GUEST, "1"))


@pytest.mark.parametrize("limit", [math.inf, 0, -5, 61, 5.0, "5", True, None])
def test_a_limit_that_no_table_can_choose_is_not_taken(limit: Any) -> None:
    with pytest.raises(ValueError):
        talk(
            lambda sock: terms.propose(sock, replace(proposal(GUEST), limit_s=limit), "1"),
            lambda sock: terms.introduce(sock, GUEST, "1"),
        )
