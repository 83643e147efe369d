"""``blindplay hall`` and its pages."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from blindplay.hall.brokers import make_certificates
from blindplay.hall.event_file import read_event_file
from blindplay.hall.hall import Hall
from blindplay.language import load
from blindplay.opponents.distant.connections import Relay, waiting_at
from tests import web
from tests.command_line import run
from tests.hall.broker import RealBroker
from tests.ports import free_port
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
    port = free_port()
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


# --- ``blindplay hall serve`` and ``cast``: who watches what at the addresses that are printed


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


def test_a_hall_encrypts_with_the_certificate_of_this_computer_if_that_is_wanted(
    broker: RealBroker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    assert run("certificate", home=tmp_path).status == 0
    words = ("serve", event_file(tmp_path, broker), "--no-qr", "--host", "0.0.0.0", "--new-links")
    with hall(*words) as (told,):
        assert "page for Arbiter: http://" in told
    with hall(*words, "--encrypt", lines=2) as (told, advice):
        assert "page for Arbiter: https://" in told
        assert "opens http://" in advice and "first, and follows the steps there." in advice


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
