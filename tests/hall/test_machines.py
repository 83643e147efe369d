"""What the organiser sees of the tables' machines."""

from __future__ import annotations

from pathlib import Path

import pytest

from blindplay.hall.follower import Follower
from blindplay.hall.machines import COLUMNS, ShownMachine, machines
from blindplay.hall.protocol import Presence, Topic, encode


def shown(folder: Path, about: dict[str, object], language: str = "en") -> ShownMachine:
    follower = Follower("open", folder, lambda topic, payload: None)
    presence = encode(Presence("p", True, about=about))
    follower.receive(str(Topic("open", "4", "presence")), presence, 1.0)
    (found,) = machines(follower, language)
    return found


def test_what_a_table_has_is_told_in_the_readers_language(tmp_path: Path) -> None:
    about: dict[str, object] = {
        "version": "1.0", "power": "battery", "battery": 71, "microphone": "USB",
        "boards": {"white": "pegged board, firmware 1.4", "black": ""}, "models": ["de-small"],
        "voice": "de, 160",
    }  # fmt: skip
    assert dict(shown(tmp_path / "en", about).cells) == {
        "boards": "White: pegged board, firmware 1.4; Black: not connected",
        "power": "battery, 71 %",
        "microphone": "USB",
        "models": "de-small",
        "voice": "de, 160",
        "version": "1.0",
    }
    assert dict(shown(tmp_path / "de", about, "de").cells)["power"] == "Akku, 71 %"


@pytest.mark.parametrize(
    "about",
    [{}, {"boards": 3, "power": [], "battery": "x", "models": {}, "voice": 1}, {"models": [3]}],
)
def test_whatever_a_table_says_of_itself_is_shown_or_left_out(
    tmp_path: Path, about: dict[str, object]
) -> None:
    found = shown(tmp_path, about)
    assert not any(text for _, text in found.cells)
    assert [name for name, _ in found.cells] == list(COLUMNS[1:-1])
    assert found.online and found.silent_s is not None


def test_of_a_table_that_has_not_been_heard_nobody_knows_when_it_was_seen(tmp_path: Path) -> None:
    (tmp_path / "table-4").mkdir()
    (found,) = machines(Follower("open", tmp_path, lambda topic, payload: None), "en")
    assert (found.table, found.online, found.silent_s) == ("4", False, None)
