"""The one thing that is due from a player, and that the page shows one filled button for it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.console import views
from blindplay.console.next_step import next_step
from blindplay.console.pages import page_of
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.record import Journal
from blindplay.table import Table

_MAIN = re.compile(r"<button[^>]*class=\"main\"")
# What the page has a filled button for. The others only wait, or use their hands.
PRESSED = {
    "repeat", "repeat_and_execute", "execute", "announce", "announce_made", "press", "seal", "open",
    "sign",
}  # fmt: skip

Do = Callable[[Table], object]


@contextmanager
def _table(folder: Path, **setup: Any) -> Iterator[Table]:
    """A table with an impaired White, its boards without sensors."""
    fields: dict[str, Any] = {"time_control": "300+5", "white": Player(name="Anna", impaired=True)}
    with Journal(folder / "game.jsonl") as journal:
        yield Table(journal, Setup(t=0, **{**fields, **setup}), now=lambda: 0.0)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with _table(tmp_path) as table:
        yield table


def _filled(table: Table, role: str) -> int:
    """How many filled buttons the page of this player has."""
    page = page_of(table.game, role)
    parts = views.parts(page, page.values(table, table.game, role, "en"), "en")
    return sum(len(_MAIN.findall(html)) for html in parts.values())


def _announce(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Announce(by=by, move=move))


def _make(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Make(by=by, move=move))


def _repeat(by: str, move: str) -> Do:
    return lambda table: table.submit(f.Repeat(by=by, move=move))


def _press(by: str) -> Do:
    return lambda table: table.submit(f.Press(by=by))


def _start(table: Table) -> None:
    table.submit(f.Start())


_E4 = (_start, _announce("white", "e2e4"), _make("white", "e2e4"), _press("white"))
_COPIED = (*_E4, _repeat("black", "e2e4"), _make("black", "e2e4"))
_E5 = (*_COPIED, _announce("black", "e7e5"), _make("black", "e7e5"))


def _do(*what: f.Fact) -> Do:
    return lambda table: [table.submit(fact) for fact in what]


_BOTH_ASKED = (f.Arbiter(do="withdraw"), f.Irregular(by="white", what="wrong_start"))
# After these facts: the steps of White, who is impaired, and of Black.
STATES: dict[str, tuple[tuple[Do, ...], str, str]] = {
    "before the game": ((), "not_started", "not_started"),
    "at its beginning": ((_start,), "announce", "wait"),
    "announced": ((_start, _announce("white", "e2e4")), "execute", "repeat_and_execute"),
    "repeated": (
        (_start, _announce("white", "e2e4"), _repeat("black", "e2e4")), "execute", "execute"
    ),
    "made": (_E4[:3], "press", "repeat_and_execute"),
    "completed": (_E4, "wait", "repeat_and_execute"),
    "copied, not repeated": ((*_E4, _make("black", "e2e4")), "wait", "repeat"),
    "copied": (_COPIED, "wait", "announce"),
    "moved without a word": ((*_COPIED, _make("black", "e7e5")), "execute", "announce_made"),
    "answered": (_E5, "repeat_and_execute", "press"),
    "pressed": ((*_E5, _press("black")), "repeat_and_execute", "wait"),
    "a claim": (
        (*_COPIED, _do(f.Arbiter(do="preside"), f.ClaimDraw(by="black", rule="repetition"))),
        "arbiter", "arbiter",
    ),
    "both asked": ((*_E5, _press("black"), _do(*_BOTH_ASKED)), "consent", "consent"),
    "one has answered": (
        (*_E5, _press("black"), _do(*_BOTH_ASKED, f.Consent(by="black"))),
        "consent", "wait_consent",
    ),
    "the arbiter called": ((*_COPIED, _do(f.CallArbiter(by="black"))), "paused", "paused"),
    "adjourning": (
        (*_COPIED, _do(f.Arbiter(do="preside"), f.Arbiter(do="adjourn"))), "wait_sealed", "seal"
    ),
    "adjourning, not repeated": (
        (*_E4, _do(f.Arbiter(do="preside"), f.Arbiter(do="adjourn"))), "wait_sealed", "seal"
    ),
    "sealed, not repeated": (
        (*_E4, _do(f.Arbiter(do="preside"), f.Arbiter(do="adjourn"),
                   f.Seal(by="black", text="e5"))),
        "wait_sealed", "press",
    ),
    "sealed": (
        (*_COPIED, _do(f.Arbiter(do="preside"), f.Arbiter(do="adjourn"),
                       f.Seal(by="black", text="e5"))),
        "wait_sealed", "press",
    ),
    "adjourned": (
        (*_COPIED, _do(f.Arbiter(do="preside"), f.Arbiter(do="adjourn"),
                       f.Seal(by="black", text="e5"), f.Press(by="black"))),
        "adjourned", "adjourned",
    ),
    "adjourned by both": (
        (*_E4, _do(f.Arbiter(do="withdraw"), f.Adjourn(by="white"), f.Adjourn(by="black"),
                   f.Seal(by="black", text="e5"), f.Press(by="black"))),
        "open", "adjourned",
    ),
    "resumed": (
        (*_E4, _do(f.Arbiter(do="withdraw"), f.Adjourn(by="white"), f.Adjourn(by="black"),
                   f.Seal(by="black", text="e5"), f.Press(by="black"),
                   f.OpenEnvelope(by="white"))),
        "repeat_and_execute", "execute",
    ),
    "over": ((*_COPIED, _do(f.Resign(by="black"))), "sign", "sign"),
    "signed": (
        (*_COPIED, _do(f.Resign(by="black"), f.Sign(by="black", result="1-0"))), "sign", "over"
    ),
}  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_each_state_has_one_next_step_and_its_one_button(table: Table, state: str) -> None:
    reach, *kinds = STATES[state]
    for do in reach:
        do(table)
    assert [next_step(table.game, side).kind for side in SIDES] == kinds
    for side, kind in zip(SIDES, kinds, strict=True):
        assert _filled(table, side) == (kind in PRESSED), side


def test_the_title_of_the_tab_says_what_matters(table: Table) -> None:
    def tab(role: str) -> str:
        page = page_of(table.game, role)
        values = page.values(table, table.game, role, "en")
        return views.parts(page, values, "en")["tab"].strip()

    assert tab("black") == "Not begun yet – BlindPlay"
    for do in _E4:
        do(table)
    assert tab("black") == "● Your move – BlindPlay"
    assert tab("white") == "Black is to move – BlindPlay"
    table.submit(f.Arbiter(do="preside"))
    table.submit(f.ClaimDraw(by="black", rule="repetition"))
    assert tab("white") == "Arbiter needed – BlindPlay"
    assert tab("arbiter") == "● Arbiter needed – BlindPlay"
    assert tab("assistant:white") == "The arbiter is to decide; the game waits – BlindPlay"
    table.submit(f.Arbiter(do="reject"))
    table.submit(f.Resign(by="black"))
    for role in ("white", "arbiter", "assistant:white"):
        assert tab(role) == "1-0 – BlindPlay"


_PEOPLE = st.sampled_from(SIDES)
_MOVES = st.integers(0, 200)
_FACTS = st.one_of(
    st.tuples(st.sampled_from(("announce", "make", "both", "whole", "repeat", "copy")), _PEOPLE,
              _MOVES),
    st.tuples(st.sampled_from(("press", "offer", "accept", "claim", "call", "go_on", "adjourn",
                               "wish", "seal", "open", "confirm")), _PEOPLE, _MOVES),
)  # fmt: skip


def _happen(table: Table, what: str, by: str, number: int) -> None:
    """Something that may happen, or that the Laws refuse."""
    game = table.game
    moves = list(game.board.legal_moves)
    move = moves[number % len(moves)].uci() if moves else "a1a1"
    if game.history and what in ("repeat", "copy"):
        move = game.history[-1].move.uci()
    facts: dict[str, tuple[f.Fact, ...]] = {
        "announce": (f.Announce(by=by, move=move),),
        "make": (f.Make(by=by, move=move),),
        "both": (f.Announce(by=by, move=move), f.Make(by=by, move=move)),
        "whole": (f.Announce(by=game.side, move=move), f.Make(by=game.side, move=move),
                  f.Press(by=game.side)),
        "repeat": (f.Repeat(by=by, move=move),),
        "copy": (f.Repeat(by=by, move=move), f.Make(by=by, move=move)),
        "press": (f.Press(by=by),),
        "offer": (f.OfferDraw(by=by),),
        "accept": (f.AcceptDraw(by=by),),
        "claim": (f.ClaimDraw(by=by, rule="repetition"),),
        "call": (f.CallArbiter(by=by),),
        "go_on": (f.Arbiter(do="start_clocks"),),
        "adjourn": (f.Arbiter(do="preside"), f.Arbiter(do="adjourn")),
        "wish": (f.Arbiter(do="withdraw"), f.Adjourn(by=by)),
        "open": (f.OpenEnvelope(by=by),),
        "seal": (f.Seal(by=by, text=move),),
        "confirm": (f.Arbiter(do="confirm"),),
    }  # fmt: skip
    for fact in facts[what]:
        table.submit(fact)


@settings(max_examples=40, deadline=None)
@given(st.lists(_FACTS, max_size=30), st.booleans())
def test_a_page_never_has_two_filled_buttons(
    happened: list[tuple[str, str, int]], timed: bool
) -> None:
    """And it has none while its player only waits."""
    setup = {} if timed else {"time_control": ""}
    with TemporaryDirectory() as folder, _table(Path(folder), **setup) as table:
        table.submit(f.Start())
        for what, by, number in happened:
            _happen(table, what, by, number)
            for role in SIDES:
                kind = next_step(table.game, role).kind
                assert _filled(table, role) == (kind in PRESSED), (role, kind)


def test_on_a_board_with_sensors_hands_execute_and_the_page_announces(table: Table) -> None:
    """Nothing is filled while hands have to move a piece."""

    def black() -> tuple[str, bool]:
        step = next_step(table.game, "black")
        assert _filled(table, "black") == (step.kind in PRESSED and not step.by_hand)
        return step.kind, step.by_hand

    def hand(start: str, end: str) -> None:
        table.submit(f.Lift(board="black", square=start))
        table.submit(f.Place(board="black", square=end))

    table.submit(f.Position(board="black", placement=table.game.board.board_fen()))
    for do in _E4:
        do(table)
    assert black() == ("repeat", False)
    table.submit(f.Repeat(by="black", move="e2e4"))
    assert black() == ("execute", True)
    hand("e2", "e4")
    assert black() == ("announce", False)
    hand("e7", "e5")
    assert black() == ("announce_made", False)
    table.submit(f.Announce(by="black", move="e7e5"))
    assert black() == ("press", False)


def test_a_board_that_must_be_put_right_comes_first(table: Table) -> None:
    table.submit(f.Position(board="black", placement=table.game.board.board_fen()))
    table.submit(f.Arbiter(do="withdraw"))  # nobody has to confirm it
    for do in _E4:
        do(table)
    table.submit(f.Repeat(by="black", move="e2e4"))
    wrong = "rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR"  # d4 instead of e4
    table.submit(f.Position(board="black", placement=wrong))
    table.submit(f.Press(by="black"))
    assert table.game.tables["black"].wanted is not None
    assert next_step(table.game, "black").kind == "correct"
    assert _filled(table, "black") == 0
    table.submit(f.CallArbiter(by="white"))  # hands put it right while the clocks stand
    assert next_step(table.game, "black").kind == "correct"
    assert next_step(table.game, "white").kind == "paused"
