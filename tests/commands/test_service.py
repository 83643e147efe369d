"""``blindplay service``, as its user meets it."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from blindplay import services
from blindplay.commands import service
from blindplay.commands.service import Restarter
from blindplay.language import load
from blindplay.laws.facts import Player, Setup
from blindplay.services import Systemd, SystemStep
from blindplay.table.play import TableOptions, run
from tests import command_line
from tests.command_line import Ran
from tests.table.playing import KEYS_ONLY


@pytest.fixture(autouse=True)
def called(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The programs of the system that were called; all of them do what they should."""
    calls: list[str] = []

    def call(step: SystemStep) -> tuple[bool, str]:
        calls.append(" ".join(step.command))
        return True, step.good

    monkeypatch.setattr(services, "run", call)
    monkeypatch.setattr(services, "here", Systemd)
    return calls


def said(home: Path, *arguments: str, reader: str = "en") -> Ran:
    return command_line.run("service", *arguments, home=home, reader=reader)


def file_of(home: Path, kind: str = "table") -> Path:
    return home / "systemd" / "user" / f"blindplay-{kind}.service"


def test_adding_a_table_says_each_step(tmp_path: Path, called: list[str]) -> None:
    ran = said(tmp_path, "add", "table", "--against", "engine")
    assert ran.status == 0 and ran.stderr == ""
    assert ran.stdout.splitlines() == [
        f"The service is written into {file_of(tmp_path)}.",
        "It starts when you log in.",
        "It starts with the machine, before anybody logs in.",
        "It runs now.",
        "Listen: the table says when it is ready.",
    ]
    assert '"service" "run" "table" "--against" "engine"' in file_of(tmp_path).read_text("utf-8")
    assert [call.split()[0] for call in called] == [
        "systemctl", "systemctl", "loginctl", "systemctl"
    ]  # fmt: skip


def test_it_speaks_the_language_of_its_user(tmp_path: Path) -> None:
    lines = said(tmp_path, "add", "table", reader="de").stdout.splitlines()
    assert lines[-1] == "Hören Sie: Der Tisch sagt, wenn er bereit ist."


def test_only_the_file_is_written_without_a_start(tmp_path: Path, called: list[str]) -> None:
    assert said(tmp_path, "add", "--no-start", "hall", "event.toml").status == 0
    assert file_of(tmp_path, "hall").exists() and not called


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["table", "--agianst", "engine"], "No such option '--agianst'."),
        (["table", "--against", "nobody"], "is not an opponent"),
        (["table", "--resume"], "A service finds its game itself; leave out --resume"),
        (["table", "--qr"], "need --console"),
        (["hall"], "Missing argument 'FILE'"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(
    tmp_path: Path, called: list[str], arguments: list[str], why: str
) -> None:
    ran = said(tmp_path, "add", *arguments)
    assert ran.status == 2 and why in ran.stderr and not called
    assert not file_of(tmp_path).exists() and not file_of(tmp_path, "hall").exists()


def test_a_check_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = said(tmp_path, "check")
    assert none.status == 2 and "blindplay service add table makes one" in none.stderr
    said(tmp_path, "add", "table")
    assert said(tmp_path, "check").status == 0
    monkeypatch.setattr(services, "run", lambda step: (False, step.bad))
    missing = said(tmp_path, "check", "table")
    assert missing.status == 1
    assert "run: systemctl --user enable blindplay-table.service" in missing.stdout
    assert "run: sudo loginctl enable-linger" in missing.stdout


def test_a_service_of_another_installation_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said(tmp_path, "add", "table")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    ran = said(tmp_path, "check")
    assert ran.status == 1 and "It starts another BlindPlay than this one" in ran.stdout


def test_removing_stops_it_and_keeps_a_file_that_somebody_has_changed(
    tmp_path: Path, called: list[str]
) -> None:
    said(tmp_path, "add", "table")
    changed = file_of(tmp_path).read_text("utf-8") + "# mine\n"
    file_of(tmp_path).write_text(changed, "utf-8")
    called.clear()
    assert said(tmp_path, "remove", "table").status == 2 and not called
    assert file_of(tmp_path).read_text("utf-8") == changed
    file_of(tmp_path).write_text(changed.removesuffix("# mine\n"), "utf-8")
    assert said(tmp_path, "remove", "table").status == 0
    assert called == ["systemctl --user disable --now blindplay-table.service"]
    assert not file_of(tmp_path).exists()


# --- what runs


def ends(status: int, *lines: str) -> tuple[str, ...]:
    """A command that prints these lines about an error and ends."""
    program = f"import sys; print({chr(10).join(lines)!r}, file=sys.stderr); sys.exit({status})"
    return sys.executable, "-c", program


def kept(command: tuple[str, ...], times: int) -> tuple[list[str], list[float]]:
    """What people hear while a command is run so many times, and the pauses between."""
    heard: list[str] = []
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == times:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Restarter(command, heard.append, "It fails.", sleep=sleep, now=lambda: 0.0).keep()
    return heard, pauses


def test_the_reason_why_it_does_not_start_is_said_once_and_tried_more_rarely() -> None:
    heard, pauses = kept(ends(2, "A warning.", "There is no board."), 4)
    assert heard == ["It fails.", "There is no board."] and pauses == [2, 4, 8, 16]


def test_a_table_that_ends_well_is_started_again_at_once_without_a_word() -> None:
    assert kept(ends(0), 3) == ([], [2, 2, 2])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends programs without a signal")
def test_what_stops_the_service_lets_the_table_save_its_game(tmp_path: Path) -> None:
    mark = tmp_path / "saved"
    table = (
        "import pathlib, signal, sys, time\n"
        f"saved = pathlib.Path({str(mark)!r}).touch\n"
        "signal.signal(signal.SIGTERM, lambda *_: (saved(), sys.exit()))\n"
        "print('I run', file=sys.stderr, flush=True)\n"
        "while True: time.sleep(1)\n"
    )
    keeper = (
        "import sys\n"
        "from blindplay import cli\n"
        "from blindplay.commands import service\n"
        "service._await_loudspeaker = lambda: None\n"
        "service.KINDS['table'] = ()\n"
        "service._program = lambda: (sys.executable, '-c', sys.argv[1])\n"
        "sys.exit(cli.main(['service', 'run', 'table']))\n"
    )
    command = [sys.executable, "-c", keeper, table]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            assert any("I run" in line for line in running.stderr)  # its keeper has told it
            running.send_signal(signal.SIGTERM)
            assert running.wait() == 0 and mark.exists()
        finally:
            running.kill()


def test_it_waits_for_the_loudspeaker_of_a_machine_that_has_just_started() -> None:
    seconds: list[float] = []
    service._await_loudspeaker(lambda: len(seconds) == 3, seconds.append)
    assert len(seconds) == 3
    service._await_loudspeaker(lambda: False, seconds.append)
    assert len(seconds) == 3 + 30


# --- the table


@pytest.mark.parametrize("code", ["de", "en", "nb", "sv", "da"])
def test_the_table_says_that_it_is_ready_and_asks_for_no_key(tmp_path: Path, code: str) -> None:
    out, pack = io.StringIO(), load(code)
    options = TableOptions(language=code, as_service=True)
    run(
        tmp_path / "game.jsonl",
        Setup(t=0, white=Player(impaired=True)),
        KEYS_ONLY,
        [],
        out,
        options,
    )
    assert pack.sentence("table_ready") in out.getvalue()
    assert pack.sentence("begin_key") not in out.getvalue()
    assert pack.sentence("keyboard_ended") not in out.getvalue()


def test_where_nobody_could_play_it_says_what_to_plug_in(tmp_path: Path) -> None:
    ran = command_line.run("play", "--as-service", "--microphone", "none", home=tmp_path)
    assert ran.status == 2 and "Neither a microphone nor a board is there." in ran.stderr


def test_after_a_power_cut_the_unfinished_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = ("--silent", "--microphone", "none", "--language", "en", "--print", "words")
    begun = command_line.run(
        "play", *quiet, "--white", "Anna", stdin="\ne2e4\nquit\n", home=tmp_path
    )
    assert begun.status == 0, begun.stderr
    monkeypatch.setattr("blindplay.table.devices.WantedDevices.any_present", lambda self: True)
    ran = command_line.run("play", "--as-service", *quiet, "--white", "Berta", home=tmp_path)
    assert ran.status == 0, ran.stderr
    assert "This is a game that was begun earlier. White: Anna." in ran.stdout
    assert "The table is ready." in ran.stdout
