"""Units of the three systems: each is valid, runs the command, and only its writer replaces it."""

from __future__ import annotations

import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from blindplay import services
from blindplay.services import Launchd, System, Systemd, SystemStep, TaskScheduler, Unit
from tests.programs import need

COMMAND = (sys.executable, "-m", "blindplay", "service", "run", "table", "--white",
           'Zoë "100 %" $HOME \\ <&>')  # fmt: skip
SYSTEMS: Mapping[str, System] = {
    "systemd": Systemd(), "launchd": Launchd(), "scheduler": TaskScheduler()
}  # fmt: skip
each_system = pytest.mark.parametrize("system", SYSTEMS.values(), ids=list(SYSTEMS))
TASK = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("USERDOMAIN", "HALL")
    return tmp_path


def unit(folder: Path, **changed: Any) -> Unit:
    fields = {"name": "table", "command": COMMAND, "folder": folder,
              "environment": {"LANG": "de_DE.UTF-8"}}  # fmt: skip
    return Unit(**{**fields, **changed})


def unquoted(line: str) -> list[str]:
    """The words of a line as systemd.service(5) reads them."""
    words = [re.sub(r"\\(.)", r"\1", word) for word in re.findall(r'"((?:\\.|[^"\\])*)"', line)]
    return [word.replace("$$", "$").replace("%%", "%") for word in words]


def test_systemd_runs_the_command_word_by_word_and_begins_it_again(tmp_path: Path) -> None:
    lines = Systemd().content(unit(tmp_path)).decode().splitlines()
    (start,) = (line for line in lines if line.startswith("ExecStart="))
    assert unquoted(start) == list(COMMAND)
    assert f"WorkingDirectory={tmp_path}" in lines and 'Environment="LANG=de_DE.UTF-8"' in lines
    assert {"Restart=always", "StartLimitIntervalSec=0", "WantedBy=default.target"} <= set(lines)


def test_systemd_finds_nothing_wrong_with_the_file(tmp_path: Path) -> None:
    need("systemd")
    system = Systemd()
    services.write(system, unit(tmp_path))
    found = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(system.file("table"))],
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    if "Failed to initialize manager" in found.stderr:
        pytest.skip(f"systemd-analyze cannot run here: {found.stderr}")
    assert found.returncode == 0 and "blindplay" not in found.stderr, found.stderr


def test_launchd_gets_a_list_of_properties(tmp_path: Path) -> None:
    agent = plistlib.loads(Launchd().content(unit(tmp_path)))
    assert agent["ProgramArguments"] == list(COMMAND)
    assert agent["Label"] == "org.blindplay.table" == Launchd().file("table").stem
    assert agent["KeepAlive"] is True and agent["RunAtLoad"] is True
    assert agent["EnvironmentVariables"] == {"LANG": "de_DE.UTF-8"}
    assert agent["WorkingDirectory"] == str(tmp_path)


def test_the_task_scheduler_gets_a_task_of_this_user_without_more_rights(tmp_path: Path) -> None:
    task = ElementTree.fromstring(TaskScheduler().content(unit(tmp_path)))
    assert task.tag == f"{TASK}Task"

    def text(path: str) -> str:
        return task.findtext("/".join(f"{TASK}{name}" for name in path.split("/"))) or ""

    assert text("Actions/Exec/Command") == sys.executable
    assert text("Actions/Exec/Arguments") == subprocess.list2cmdline(COMMAND[1:])
    assert text("Principals/Principal/RunLevel") == "LeastPrivilege"
    assert text("Triggers/LogonTrigger/UserId").startswith("HALL\\")
    assert text("Settings/ExecutionTimeLimit") == "PT0S"


@each_system
def test_a_file_of_its_own_is_written_anew_and_removed(system: System, tmp_path: Path) -> None:
    assert services.kept(system, "table") is None
    assert services.write(system, unit(tmp_path)) is False
    other = unit(tmp_path, command=(sys.executable, "-V"))
    assert services.write(system, other) is True
    assert system.file("table").read_bytes() == system.content(other)
    services.remove(system, "table")
    assert not system.file("table").exists()
    with pytest.raises(ValueError, match="There is no service table; blindplay service add table"):
        services.remove(system, "table")


@each_system
@pytest.mark.parametrize("changed", ["foreign", "edited", "link", "folder"])
def test_what_it_did_not_write_stays_as_it_is(system: System, changed: str, tmp_path: Path) -> None:
    file, wanted = system.file("table"), unit(tmp_path)
    file.parent.mkdir(parents=True, exist_ok=True)
    if changed == "folder":
        file.mkdir()
    elif changed == "link":
        (tmp_path / "elsewhere").write_bytes(system.content(wanted))
        file.symlink_to(tmp_path / "elsewhere")
    elif changed == "foreign":
        file.write_text("[Unit]\nDescription=my own\n", "utf-8")
    else:
        utf = "utf-16" if isinstance(system, TaskScheduler) else "utf-8"
        text = system.content(wanted).decode(utf)
        file.write_bytes(text.replace("--white", "--black").encode(utf))
    before = file.read_bytes() if file.is_file() else None
    for change in (
        lambda: services.write(system, wanted),
        lambda: services.remove(system, "table"),
    ):
        with pytest.raises(ValueError, match=r"is not as BlindPlay has written it, and stays"):
            change()
    assert file.exists() and (file.read_bytes() if file.is_file() else None) == before


def test_a_line_feed_in_an_option_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="has a character that no service can be given"):
        unit(tmp_path, command=(sys.executable, "--white", "Anna\nExecStop=/bin/x"))


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sudo")
def test_with_sudo_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setenv("SUDO_USER", "anna")
    with pytest.raises(ValueError, match="repeat this without sudo"):
        services.here()


def test_a_step_holds_only_if_its_program_says_so() -> None:
    says = (sys.executable, "-c", "print('Linger=yes')")
    assert services.run(SystemStep(says, "good", "bad", holds="Linger=yes")) == (True, "good")
    assert services.run(SystemStep(says, "good", "bad", holds="Linger=no")) == (False, "bad")
    assert services.run(SystemStep(("no-such-program",), "good", "bad")) == (False, "bad")
