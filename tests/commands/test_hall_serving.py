"""``blindplay hall serve`` and ``cast``: who watches what at the addresses that are printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blindplay.hall.brokers import make_certificates
from tests import web
from tests.command_line import run
from tests.hall.broker import RealBroker
from tests.waiting import until

from .test_hall import COMMON, event_file


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    broker = RealBroker(tmp_path)
    yield broker
    broker.kill()


@contextmanager
def hall(*words: str, lines: int = 1) -> Iterator[list[str]]:
    """A running command of a hall at any port, and the first lines that it prints."""
    environment = dict(os.environ, PYTHONIOENCODING="utf-8", LC_MESSAGES="C")
    command = [sys.executable, "-m", "blindplay", "hall", *words, "--console-port", "0"]
    started = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment)
    assert started.stdout is not None
    try:
        yield [started.stdout.readline() for _ in range(lines)]
    finally:
        started.kill()
        started.wait()
        started.stdout.close()


def shown_file(folder: Path, broker: RealBroker) -> str:
    """The file of a hall that shows everything at once."""
    file = Path(event_file(folder, broker))
    with file.open("a", encoding="utf-8") as settings:
        settings.write('[broadcast]\ndelay = "0"\nfolder = "livechess"\n')
    return str(file)


def play(folder: Path, broker: RealBroker) -> None:
    own = event_file(folder, broker, "4")
    played = run(*COMMON, "--journal", str(folder / "g.jsonl"), "--hall", own,
                 "--white", "Anna", stdin="start\ne4\n\nquit\n", home=folder)  # fmt: skip
    assert played.status == 0, played.stderr


def test_everybody_watches_a_table_at_the_address_that_is_printed(
    broker: RealBroker, tmp_path: Path
) -> None:
    with hall("cast", shown_file(tmp_path, broker)) as (told,):
        assert told.startswith("Everybody may watch the games at http://127.0.0.1:")
        play(tmp_path, broker)
        url = told.split()[-1]
        assert until(lambda: "1. e4" in web.get(f"{url}4/").text)
        assert "Anna" not in web.get(f"{url}games.pgn").text
        assert (tmp_path / "hall-try-broadcast" / "table-4").is_dir()
        assert until(lambda: "e4 " in (tmp_path / "livechess/round-1/game-4.json").read_text())


def test_the_hall_of_the_arbiters_shows_the_games_to_everybody_from_its_own_copies(
    broker: RealBroker, tmp_path: Path
) -> None:
    with hall("serve", shown_file(tmp_path, broker), "--public", "--no-qr", lines=2) as lines:
        assert lines[0].startswith("Everybody may watch the games at http://127.0.0.1:")
        play(tmp_path, broker)
        url = lines[0].split()[-1]
        assert until(lambda: "1. e4" in web.get(f"{url}4/").text)
        base, _, token = lines[1].split()[-1].partition("/#")
        with web.Client(base_url=base, headers={"origin": base}) as arbiter:
            assert arbiter.get("/hall/").status_code == 401
            assert arbiter.post("/enter", data={"token": token}).status_code == 303
            assert "Anna" in arbiter.get("/hall/").text
        assert [one.name for one in tmp_path.glob("hall-try*")] == ["hall-try"]


def test_without_public_nobody_else_sees_a_game(broker: RealBroker, tmp_path: Path) -> None:
    with hall("serve", shown_file(tmp_path, broker), "--no-qr") as (told,):
        base = told.split()[-1].partition("/#")[0]
        assert web.get(f"{base}/public/").status_code == 404
        assert web.get(f"{base}/public/games.pgn").status_code == 404


def test_the_pages_for_everybody_can_be_encrypted(broker: RealBroker, tmp_path: Path) -> None:
    made = make_certificates("try", ["127.0.0.1"])
    (pem := tmp_path / "own.pem").write_text(made.server, "ascii")
    (key := tmp_path / "own.key").write_text(made.key, "ascii")
    words = ("cast", shown_file(tmp_path, broker), "--certificate", str(pem))
    alone = run("hall", *words, home=tmp_path)
    assert alone.status == 2 and "--certificate and --key need each other." in alone.stderr
    with hall(*words, "--key", str(key)) as (told,):
        assert told.startswith("Everybody may watch the games at https://127.0.0.1:")
        url = told.split()[-1]
        assert until(lambda: web.get(url, verify=False).status_code == 200)


def test_two_halls_with_one_folder_are_refused_in_one_sentence(
    broker: RealBroker, tmp_path: Path
) -> None:
    file = event_file(tmp_path, broker)
    with hall("serve", file, "--no-qr"):
        done = run("hall", "follow", file, home=tmp_path)
    assert done.status == 2 and done.stderr.count("\n") == 1
    assert "One is enough; end it before you start another." in done.stderr


def test_a_mistake_in_the_broadcast_ends_it_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "hall.toml"
    file.write_text('event = "try"\n[broadcast]\ndelay = "soon"\n', "utf-8")
    found = run("hall", "cast", str(file), home=tmp_path)
    assert found.status == 2 and "15m" in found.stderr and str(file) in found.stderr
