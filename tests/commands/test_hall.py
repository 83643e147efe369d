"""``blindplay hall``, and tables that join a hall by their command line."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.hall.event_file import read_event_file
from blindplay.hall.hall import Hall
from blindplay.language import load
from blindplay.opponents.distant.connections import Relay, waiting_at
from tests.command_line import run
from tests.hall.broker import RealBroker
from tests.programs import need
from tests.waiting import until

COMMON = ("play", "--microphone", "none", "--silent")


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    broker = RealBroker(tmp_path)
    yield broker
    broker.kill()


def event_file(folder: Path, broker: RealBroker, table: str = "") -> str:
    file = folder / f"{table or 'hall'}.toml"
    named = f'table = "{table}"\n' if table else ""
    place = f'[broker]\nhost = "127.0.0.1"\nport = {broker.port}\n'
    file.write_text(f'event = "try"\n{named}{place}', "utf-8")
    return str(file)


def test_a_hall_prints_a_line_when_a_table_has_moved(broker: RealBroker, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "blindplay", "hall", "follow", event_file(tmp_path, broker)]
    hall = subprocess.Popen(
        [*command, "--json"],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        env=dict(os.environ, PYTHONIOENCODING="utf-8"),
    )
    game = tmp_path / "game.jsonl"
    own = event_file(tmp_path, broker, "4")
    assert hall.stdout is not None
    try:
        assert "hall-try" in hall.stdout.readline()
        played = run(*COMMON, "--journal", str(game), "--hall", own, "--white", "Anna",
                     stdin="start\ne4\n\ne5\n\nquit\n", home=tmp_path)  # fmt: skip
        assert played.status == 0, played.stderr
        rows = (json.loads(line) for line in hall.stdout)
        row = next(row for row in rows if row["moves"] == 2)
        assert (row["table"], row["white"], row["last"]) == ("4", "Anna", "e7e5")
        copies = tmp_path / "hall-try" / "table-4"
        assert until(lambda: [one.read_bytes() for one in copies.iterdir()] == [game.read_bytes()])
        again = run(*COMMON, "--resume", "--journal", str(game), stdin="\nquit\n", home=tmp_path)
        assert again.status == 0, again.stderr  # it joins the hall again by itself
        assert until(lambda: [one.read_bytes() for one in copies.iterdir()] == [game.read_bytes()])
    finally:
        hall.kill()
        hall.wait()
        hall.stdout.close()


def test_what_a_hall_lacks_when_a_table_is_left_comes_with_the_command_that_the_table_prints(
    broker: RealBroker, tmp_path: Path
) -> None:
    game, own = tmp_path / "game.jsonl", event_file(tmp_path, broker, "4")
    file = Path(own)
    reachable = file.read_text("utf-8")
    file.write_text(reachable.replace(str(broker.port), "9"), "utf-8")  # the network is down
    played = run(*COMMON, "--journal", str(game), "--hall", own, "--language", "en",
                 stdin="start\nresign\nyes\nquit\n", home=tmp_path)  # fmt: skip
    assert load("en").sentence("hall_lacks") in played.stdout
    command = f"play --resume --journal {game}\n"
    assert played.stdout.endswith(command)
    file.write_text(reachable, "utf-8")
    with Hall(read_event_file(Path(event_file(tmp_path, broker)), table=False)) as hall:
        sent = run(*command.split(), stdin="quit\n", home=tmp_path)
        assert sent.status == 0 and load("en").sentence("hall_lacks") not in sent.stdout
        copy = hall.follower.tables["4"].copy
        assert copy is not None and copy.path.read_bytes() == game.read_bytes()


def test_a_demonstration_brings_its_own_broker(tmp_path: Path) -> None:
    need("Mosquitto")
    environment = dict(os.environ, PYTHONIOENCODING="utf-8", LC_MESSAGES="C")
    command = [sys.executable, "-m", "blindplay", "hall", "--demo"]
    hall = subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8", env=environment)
    assert hall.stdout is not None
    try:
        lines = iter(hall.stdout.readline, "")
        (file,) = next(found for line in lines if (found := re.findall(r"--hall (\S+)", line)))
        game, copies = tmp_path / "g.jsonl", Path(file).parent / "copies"
        played = run(*COMMON, "--journal", str(game), "--hall", file, "--white", "Anna",
                     stdin="start\ne4\n\nquit\n", home=tmp_path)  # fmt: skip
        assert played.status == 0, played.stderr

        def copied() -> bool:
            """Whether the hall has the move. It may have come after the table had gone."""
            if any(b"e2e4" in one.read_bytes() for one in copies.rglob("*.jsonl")):
                return True
            again = (*COMMON, "--resume", "--journal", str(game))
            assert run(*again, stdin="\nquit\n", home=tmp_path).status == 0
            return False

        assert until(copied)
    finally:
        hall.send_signal(signal.SIGINT)
        hall.wait()
        hall.stdout.close()
    assert not Path(file).exists()


@pytest.mark.parametrize("words", [("hall", "follow"), (*COMMON, "--hall")])
def test_a_file_that_is_missing_or_wrong_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.toml"
    wrong.write_text("event = 3.5\n", "utf-8")
    for file in (tmp_path / "missing.toml", wrong):
        done = run(*words, str(file), home=tmp_path)
        assert done.status == 2 and str(file) in done.stderr
        assert "Traceback" not in done.stderr


def test_a_table_plays_without_the_broker_of_its_hall(tmp_path: Path) -> None:
    file = tmp_path / "4.toml"
    file.write_text('event = "try"\ntable = 4\n[broker]\nport = 9\n', "utf-8")
    done = run(*COMMON, "--hall", str(file), "--journal", str(tmp_path / "g.jsonl"),
               stdin="start\ne4\n\nquit\n", home=tmp_path)  # fmt: skip
    assert (done.status, done.stderr) == (0, "")


def test_two_tables_meet_at_it_and_it_leaves_nothing() -> None:
    need("Mosquitto")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "blindplay", "hall", "meetings", "--port", str(port)]
    hall = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert hall.stdout is not None
    try:
        lines = [hall.stdout.readline().decode() for _ in range(2)]
        assert re.fullmatch(rf"    .+ play --against wait@\S+:{port}\n", lines[1]), lines
        waits = waiting_at("127.0.0.1", port)
        assert Relay("127.0.0.1", port, room=waits.room).holder() == waits.inbox
        waits.close()
    finally:
        hall.send_signal(signal.SIGINT)
        hall.wait()
        hall.stdout.close()
    assert hall.returncode == 130


def test_without_a_broker_nobody_is_told_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    ran = run("hall", "meetings")
    assert (ran.status, ran.stdout) == (2, "") and "There is no Mosquitto" in ran.stderr
