"""What people type against the computer, and the answers: the lists in ``typed``, one for each
language. Whoever knows the language can read and correct them.

``answers`` are given in training after one e4 e5, two Nf3 Nc6, with ten minutes on each clock;
``refused`` in a game under the Laws. ``moves`` are typed under their position, and told back.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.opponents.player import AbsentPlayer
from blindplay.table.choices import Printed
from blindplay.table.keyboard import Keyboard
from tests.table.sitting import ManualClock, Sit, Sitting

FOLDER = Path(__file__).with_name("typed")
CODES = ["da", "de", "en", "nb", "sv"]
_PLAYED = (("e2e4", "e7e5"), ("g1f3", "b8c6"))


class Waiting(AbsentPlayer):
    """An opponent who never moves by itself."""

    def _consider(self) -> None:
        return


def listed(code: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((FOLDER / f"{code}.toml").read_text("utf-8"))


def table(sit: Sit, code: str, **how: object) -> Sitting:
    """A table at which White plays the computer, in this language."""
    at = sit(
        language=code, announce_in=code, opponent=Waiting(), boards=2, time_control="600",
        printed=Printed.WORDS, now=ManualClock(), options={"one_enter": True},
        white=Player(impaired=True), **how,
    )  # fmt: skip
    at.start()
    return at


def answer(at: Sitting, line: str) -> str:
    """What the table prints when ``line`` is typed; its lines with a bar between them."""
    before = len(at.printed)
    Keyboard(at.session).do(line)
    return " | ".join(at.printed[before:].strip().splitlines())


def after_two_moves(sit: Sit, code: str, *, training: bool) -> Sitting:
    at = table(sit, code, training=training)
    for own, theirs in _PLAYED:
        answer(at, own)
        for fact in (f.Repeat(by="black", move=own), f.Make(by="black", move=own),
                     f.Announce(by="black", move=theirs), f.Make(by="black", move=theirs),
                     f.Press(by="black")):  # fmt: skip
            at.table.submit(fact)
    return at


def typed_moves(code: str) -> Iterator[tuple[str, str, str]]:
    for position, moves in listed(code)["moves"].items():
        yield from ((position, line, told) for line, told in moves.items())  # type: ignore[attr-defined]


def test_the_lists_have_a_hundred_and_fifty_lines() -> None:
    asked = sum(len(listed(code)[one]) for code in CODES for one in ("answers", "refused"))
    assert asked + sum(len(list(typed_moves(code))) for code in CODES) >= 150


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("section", ["answers", "refused"])
def test_each_typed_question_gets_the_listed_answer(sit: Sit, code: str, section: str) -> None:
    at = after_two_moves(sit, code, training=section == "answers")
    wanted = listed(code)[section]
    assert {line: answer(at, line) for line in wanted} == wanted


@pytest.mark.parametrize("code", CODES)
def test_each_typed_move_is_told_back_and_played(sit: Sit, code: str) -> None:
    for position, line, told in typed_moves(code):
        at = table(sit, code, training=True, fen=position)
        assert answer(at, line).split(" | ")[0] == told, line
        assert len(at.table.game.history) == 1, line


@pytest.mark.parametrize("code", CODES)
def test_letters_mean_something_else_while_the_rest_of_a_move_is_awaited(
    sit: Sit, code: str
) -> None:
    fen = "4k3/8/8/8/8/8/7K/2R4R w - - 0 1"
    at = table(sit, code, training=True, fen=fen)
    answer(at, "Rf1" if code == "en" else "Tf1")
    answer(at, "c")
    assert [ply.move.uci() for ply in at.table.game.history] == ["c1f1"]


def test_a_letter_asks_while_a_yes_or_no_is_awaited_and_the_question_stays_open(sit: Sit) -> None:
    at = after_two_moves(sit, "en", training=True)
    asked = answer(at, "resign")
    assert answer(at, "t") == "It is your move."
    assert answer(at, "v").startswith("One: ")
    assert not at.table.game.over
    assert asked.endswith("Say yes or no.")
    assert answer(at, "yes").startswith("The game is over.")
