"""``blindplay host``: what it refuses, and two tables of real processes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.record.games import kept_game
from tests import web
from tests.command_line import run
from tests.terminal import Terminal
from tests.waiting import until


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (("--", "--journal", "a.jsonl"), "--journal is not for all tables"),
        (("--", "--microphone", "USB"), "--microphone is not for all tables"),
        (("--", "--against", "wait"), "--against is not for all tables"),
        (("--", "--time-control", "soon"), "soon"),
        (("--hall", "nowhere"), "table-1.toml"),
        (("--certificate", "a.pem"), "--key"),
    ],
)
def test_what_cannot_hold_for_all_tables_is_refused_in_a_sentence(
    tmp_path: Path, given: tuple[str, ...], names: str
) -> None:
    refused = run("host", "--tables", "2", "--console-port", "0", *given, home=tmp_path)
    assert refused.status == 2 and names in refused.stderr
    assert refused.stderr.count("\n") == 1


@contextlib.contextmanager
def hosted(home: Path) -> Iterator[tuple[Terminal, str, web.Client]]:
    """A host of two tables, its address, and the organiser's browser."""
    rules = ("--", "--time-control", "15m", "--white", "Anna", "--language", "en")
    with Terminal("host", "--tables", "2", "--console-port", "0", *rules, home=home) as terminal:
        found = until(lambda: re.search(r"(http://\S+)/#(\S+)\n", terminal.printed))
        assert found, terminal.printed
        base, token = found.groups()
        with web.Client(base_url=base, headers={"origin": base}) as organiser:
            organiser.post("/enter", data={"token": token})
            yield terminal, base, organiser


def codes(organiser: web.Client, seat: str) -> list[str]:
    """The codes of a seat at both tables, when both are there."""
    found: list[str] = []

    def are_there() -> bool:
        found[:] = re.findall(rf">{seat}: ([0-9 ]+)", organiser.get("/host/").text)
        return len(found) == 2

    assert until(are_there)
    return found


def begin(base: str, code: str) -> web.Client:
    """Come in with a code, and begin the game."""
    client = web.Client(base_url=base, headers={"origin": base}, follow_redirects=True)
    page = client.post("/enter", data={"token": code})
    place = page.url.path
    assert page.status_code == 200
    form = {"act": "due", "step": "begin", "move": ""}
    assert client.post(f"{place}do", data=form).status_code == 200
    return client


def games(home: Path) -> dict[str, Path]:
    (state,) = home.rglob("host.json")
    return {number: Path(path) for number, path in json.loads(state.read_text()).items()}


def process_of(journal: Path) -> int:
    """The process that plays the game in a journal, as Linux tells."""
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if any(one.resolve() == journal for one in (folder / "fd").iterdir()):
                return int(folder.name)
    raise AssertionError(journal)


@pytest.mark.long
@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="it finds processes as Linux tells them")
def test_tables_are_killed_ended_and_go_on_with_their_games(tmp_path: Path) -> None:
    if sys.platform == "win32":
        return
    with hosted(tmp_path) as (terminal, base, organiser):
        first, second = codes(organiser, "White")
        player, other = begin(base, first), begin(base, second)
        before = games(tmp_path)
        os.kill(process_of(before["1"]), signal.SIGKILL)
        terminal.shows("Table 1 has ended by itself, and is started again.")
        assert until(lambda: player.get("/1/white/").status_code == 200)
        assert "Anna" in player.get("/1/white/").text and games(tmp_path) == before
        assert "was started again. Times: 1." in organiser.get("/host/").text
        for client in (player, other):
            client.close()
        terminal.interrupt()
        terminal.shows("All games are saved.")
        assert terminal.status() == 0
    assert all(kept_game(journal).begun for journal in before.values())
    lines = {path: path.read_bytes() for path in before.values()}
    with hosted(tmp_path) as (terminal, base, organiser):
        codes(organiser, "White")
        assert games(tmp_path) == before
        assert organiser.get("/host/").text.count("Moves: 0.") == 2
        terminal.terminate()
        assert terminal.status() == 0
    for path, content in lines.items():
        assert path.read_bytes().startswith(content)
