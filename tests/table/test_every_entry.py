"""Whatever a person does, in whatever state the game is: somebody hears an answer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blindplay.laws import facts as f
from blindplay.table.keyboard import Keyboard
from tests.console.test_due_on_pages import BLIND, STATES
from tests.table.sitting import Sit, Sitting

_WORDS = ("e4", "Springer Felix drei", "Springer", "Unsinn", "ja", "nein", "falsch", "weiter",
          "Uhren anhalten", "Hängepartie", "Abgabezug e5", "unterschreiben", "Remis anbieten",
          "Schiedsrichter", "Assistent", "letzter Zug", "was ist dran")  # fmt: skip
_LINES = ("", "start", "stop", "open", "adjourn", "confirm", "reject", "restore 0", "undo",
          "arbiter: undo Versehen", "attend", "arbiter: attend",
          "clock white 1:00", "arbiter: start", "?", "black: ?")  # fmt: skip


def _typed(side: str, words: str) -> Callable[[Sitting], None]:
    return lambda at: at.session.typed(side, words)


def _line(line: str) -> Callable[[Sitting], None]:
    def type_it(at: Sitting) -> None:
        Keyboard(at.session).do_all([line])

    return type_it


def _lever(side: str) -> Callable[[Sitting], None]:
    return lambda at: at.session.press(side)


ENTRIES: dict[str, Callable[[Sitting], None]] = {
    **{f"{side} says {words}": _typed(side, words) for side in f.SIDES for words in _WORDS},
    **{f"the line {line!r}": _line(line) for line in _LINES},
    **{f"the lever of {side}": _lever(side) for side in f.SIDES},
}


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("state", STATES)
def test_every_entry_is_answered_in_every_state(sit: Sit, state: str, every: bool) -> None:
    """Usually one half of the entries in every other state, and the other half in those between."""
    setup, reach, _ = STATES[state]
    part = slice(None) if every else slice([*STATES].index(state) % 2, None, 2)
    silent = []
    for name, enter in list(ENTRIES.items())[part]:
        at = sit(**{"white": BLIND, "arbiter": "present", "time_control": "5400", **setup})
        for do in reach:
            do(at.table)
        at.said()
        shown = len(at.printed)
        enter(at)
        at.session.settle()
        if not at.said() and "trouble" not in at.printed[shown:]:
            silent.append((name, at.printed[shown:].splitlines()))
        at.close()
    assert not silent
