"""Units of the system that start a table or a hall with the machine.

A unit is a file: of systemd on Linux, of launchd on macOS, of the Task Scheduler on Windows. The
units are the user's own, so nothing runs with more rights than the user has. A file that BlindPlay
did not write, or that somebody has changed since, is never overwritten or removed.
"""

import getpass
import hashlib
import os
import plistlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from xml.etree import ElementTree

from .given import KEPT, read_bytes, shown
from .own_files import config_folder, data_folder, write_secret
from .translation import UserError, _

_MARK = re.compile(r"^(?:# |<!-- )Written by blindplay service ([0-9a-f]{16})(?: -->)?\n", re.M)
_STOP_S = 60
"""Seconds in which a table saves its game and a hall closes, before the system ends them."""
_AGAIN_S = 5
_LAUNCHD_LABEL, _TASKS = "org.blindplay.{}", r"\BlindPlay\{}"
_TASK_XML = "http://schemas.microsoft.com/windows/2004/02/mit/task"
_Content = Mapping[str, "str | _Content"]
"""The elements within one of XML, by their names."""


@dataclass(frozen=True)
class Unit:
    """Something to run: ``name`` is one word, ``command`` the program with its arguments, the
    program by its whole path. ``folder`` is where it runs, ``environment`` what it is given of the
    present one where the system has none of its own."""

    name: str
    command: Sequence[str]
    folder: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """:raises ValueError: if a text cannot stand on one line of a file."""
        for text in (*self.command, str(self.folder), *self.environment.values()):
            if not text.isprintable():
                raise UserError(
                    "{text} has a character that no service can be given.", text=shown(text)
                )


@dataclass(frozen=True)
class SystemStep:
    """A program to call, and a sentence for each way in which it ends. ``holds``: what its output
    must have in it, besides its success. A step that ``may_fail`` says nothing then."""

    command: Sequence[str]
    good: str = ""
    bad: str = ""
    holds: str = ""
    may_fail: bool = False


class System(Protocol):
    """What starts programs with the machine."""

    def file(self, name: str) -> Path: ...
    def content(self, unit: Unit) -> bytes:
        """The file of a unit, with the mark that BlindPlay wrote it."""

    def starting(self, name: str, *, anew: bool) -> Iterator[SystemStep]:
        """``anew``: in the place of one that was there."""

    def checking(self, name: str) -> Iterator[SystemStep]: ...
    def ending(self, name: str) -> Iterator[SystemStep]: ...


def here() -> System:
    """What this machine has.

    :raises ValueError: if BlindPlay was called with another user's rights.
    """
    if sys.platform == "win32":
        return TaskScheduler()
    if os.geteuid() == 0 and os.environ.get("SUDO_USER"):
        raise UserError(
            "A service runs as you, and needs no other rights; repeat this without sudo."
        )
    return Launchd() if sys.platform == "darwin" else Systemd()


def run(step: SystemStep) -> tuple[bool, str]:
    """Call the program of a step; return whether it did what it should, and its sentence."""
    try:
        done = subprocess.run(
            step.command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_STOP_S + 30
        )
    except (OSError, subprocess.TimeoutExpired):
        return False, step.bad
    good = not done.returncode and step.holds in done.stdout.decode(errors="replace")
    return good, step.good if good else step.bad


def kept(system: System, name: str) -> str | None:
    """The content of the file of a unit; None if there is none.

    :raises ValueError: if BlindPlay did not write it as it is.
    """
    file = system.file(name)
    if not (file.exists() or file.is_symlink()):
        return None
    content = b"" if file.is_symlink() or not file.is_file() else read_bytes(file, KEPT)
    text = _text(content)
    mark = _MARK.search(text)
    if mark is None or mark[1] != _digest(_MARK.sub("", text, count=1)):
        raise UserError(
            "{file} is not as BlindPlay has written it, and stays as it is; move it elsewhere, "
            "and repeat the command.",
            file=file,
        )
    return text


def write(system: System, unit: Unit) -> bool:
    """Write the file of a unit; return whether one of BlindPlay was there before.

    :raises ValueError: if there is a file that BlindPlay did not write as it is.
    :raises OSError: if it cannot be written.
    """
    before = kept(system, unit.name) is not None
    write_secret(system.file(unit.name), system.content(unit), anew=True)
    return before


def remove(system: System, name: str) -> None:
    """Remove the file of a unit.

    :raises ValueError: if there is none, or one that BlindPlay did not write as it is.
    :raises OSError: if it cannot be removed.
    """
    if kept(system, name) is None:
        raise no_unit(name)
    system.file(name).unlink()


def no_unit(name: str) -> ValueError:
    """The error that there is no such unit."""
    return UserError(
        "There is no service {name}; blindplay service add {name} makes one.", name=name
    )


def _text(content: bytes) -> str:
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    return content.decode("utf-16" if wide else "utf-8", errors="replace").replace("\r\n", "\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _marked(text: str, comment: str = "<!-- {} -->") -> str:
    """``text`` with the mark in its first line, or after the declaration of XML."""
    mark = comment.format(f"Written by blindplay service {_digest(text)}") + "\n"
    first, rest = text.split("\n", 1) if text.startswith("<?xml") else ("", text)
    return f"{first}\n{mark}{rest}" if first else mark + rest


class Systemd:
    """The units of a user. They start with the machine if the user lingers."""

    def file(self, name: str) -> Path:
        # Where systemd looks; platformdirs leads elsewhere for root.
        home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
        return Path(home) / "systemd" / "user" / self._unit(name)

    @staticmethod
    def _unit(name: str) -> str:
        return f"blindplay-{name}.service"

    @staticmethod
    def _quoted(text: str) -> str:
        escaped = text.replace("\\", r"\\").replace('"', r"\"").replace("%", "%%")
        return f'"{escaped}"'

    def content(self, unit: Unit) -> bytes:
        environment = "".join(
            f"Environment={self._quoted(f'{name}={value}')}\n"
            for name, value in unit.environment.items()
        )
        command = " ".join(self._quoted(word).replace("$", "$$") for word in unit.command)
        folder = str(unit.folder).replace("%", "%%")
        return _marked(
            f"""[Unit]
Description=BlindPlay: {unit.name}
After=sound.target pipewire.service pipewire-pulse.service wireplumber.service pulseaudio.service
StartLimitIntervalSec=0

[Service]
WorkingDirectory={folder}
{environment}ExecStart={command}
Restart=always
RestartSec={_AGAIN_S}
KillMode=mixed
TimeoutStopSec={_STOP_S}

[Install]
WantedBy=default.target
""",
            "# {}",
        ).encode()

    def starting(self, name: str, *, anew: bool) -> Iterator[SystemStep]:
        control, unit, user = ("systemctl", "--user"), self._unit(name), getpass.getuser()
        yield SystemStep(
            (*control, "daemon-reload"),
            bad=_("systemd cannot be reached; log in as this user, and repeat the command."),
        )
        yield SystemStep(
            (*control, "enable", unit),
            _("It starts when you log in."),
            _("systemd does not take it: systemctl --user status {unit} says why.", unit=unit),
        )
        yield SystemStep(
            ("loginctl", "enable-linger", user),
            _("It starts with the machine, before anybody logs in."),
            _(
                "To start it before anybody logs in, run: sudo loginctl enable-linger {user}",
                user=user,
            ),
        )
        yield SystemStep((*control, "restart", unit), *self._runs(unit))

    def _runs(self, unit: str) -> tuple[str, str]:
        return _("It runs now."), _(
            "It does not run. What it said last: journalctl --user --unit {unit}", unit=unit
        )

    def checking(self, name: str) -> Iterator[SystemStep]:
        control, unit, user = ("systemctl", "--user"), self._unit(name), getpass.getuser()
        yield SystemStep(
            ("systemd-analyze", "--user", "verify", str(self.file(name))),
            _("systemd finds nothing wrong with the file."),
            may_fail=True,  # systemd-analyze is not everywhere
        )
        yield SystemStep(
            (*control, "is-enabled", unit),
            _("It starts when you log in."),
            _("It does not start by itself; run: systemctl --user enable {unit}", unit=unit),
        )
        yield SystemStep(
            ("loginctl", "show-user", user, "--property=Linger"),
            _("It starts with the machine, before anybody logs in."),
            _(
                "To start it before anybody logs in, run: sudo loginctl enable-linger {user}",
                user=user,
            ),
            holds="Linger=yes",
        )
        yield SystemStep((*control, "is-active", unit), *self._runs(unit))

    def ending(self, name: str) -> Iterator[SystemStep]:
        unit = self._unit(name)
        yield SystemStep(
            ("systemctl", "--user", "disable", "--now", unit),
            _("It is stopped, and starts no more."),
            _("It could not be stopped; run: systemctl --user stop {unit}", unit=unit),
        )


class Launchd:
    """The agents of a user, which start when the user logs in."""

    def file(self, name: str) -> Path:
        return Path.home() / "Library" / "LaunchAgents" / f"{self._label(name)}.plist"

    @staticmethod
    def _label(name: str) -> str:
        return _LAUNCHD_LABEL.format(name)

    @staticmethod
    def _domain() -> str:
        if sys.platform == "win32":
            return "gui"
        return f"gui/{os.getuid()}"

    def content(self, unit: Unit) -> bytes:
        log = str(Path.home() / "Library" / "Logs" / f"blindplay-{unit.name}.log")
        agent = {
            "Label": self._label(unit.name),
            "ProgramArguments": list(unit.command),
            "WorkingDirectory": str(unit.folder),
            "EnvironmentVariables": dict(unit.environment),
            "RunAtLoad": True,
            "KeepAlive": True,
            "ThrottleInterval": _AGAIN_S,
            "ExitTimeOut": _STOP_S,
            "ProcessType": "Interactive",  # else macOS slows sound down
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
        return _marked(plistlib.dumps(agent).decode()).encode()

    def starting(self, name: str, *, anew: bool) -> Iterator[SystemStep]:
        if anew:
            yield SystemStep(("launchctl", "bootout", self._at(name)), may_fail=True)
        yield SystemStep(
            ("launchctl", "bootstrap", self._domain(), str(self.file(name))),
            _("It runs now, and starts when you log in. A Mac without a keyboard must log you in "
              "by itself: see the system settings, users."),
            _("launchd does not take it; log in at the Mac itself, and repeat the command."),
        )  # fmt: skip

    def checking(self, name: str) -> Iterator[SystemStep]:
        yield SystemStep(
            ("launchctl", "print", self._at(name)),
            _("It runs now."),
            _("It does not run. What it said last is in {log}", log=self._log(name)),
            holds="state = running",
        )

    def ending(self, name: str) -> Iterator[SystemStep]:
        yield SystemStep(
            ("launchctl", "bootout", self._at(name)),
            _("It is stopped, and starts no more."),
            _("It could not be stopped; log out and in again."),
        )

    def _at(self, name: str) -> str:
        return f"{self._domain()}/{self._label(name)}"

    def _log(self, name: str) -> Path:
        return Path.home() / "Library" / "Logs" / f"blindplay-{name}.log"


class TaskScheduler:
    """The tasks of a user, which start when the user logs in: before that, Windows gives no program
    a loudspeaker."""

    def file(self, name: str) -> Path:
        return config_folder() / f"service-{name}.xml"

    @staticmethod
    def _task(name: str) -> str:
        return _TASKS.format(name)

    def content(self, unit: Unit) -> bytes:
        domain = os.environ.get("USERDOMAIN", "")
        user = f"{domain}\\{getpass.getuser()}" if domain else getpass.getuser()
        program, *arguments = unit.command
        settings: _Content = {
            "MultipleInstancesPolicy": "IgnoreNew",
            "DisallowStartIfOnBatteries": "false",
            "StopIfGoingOnBatteries": "false",
            "StartWhenAvailable": "true",
            "ExecutionTimeLimit": "PT0S",  # without end
            "Priority": "5",  # the usual one of tasks slows sound down
            "RestartOnFailure": {"Interval": "PT1M", "Count": "255"},
        }
        task = _element(
            "Task",
            {
                "RegistrationInfo": {"Description": f"BlindPlay: {unit.name}"},
                "Triggers": {"LogonTrigger": {"Enabled": "true", "UserId": user}},
                "Principals": {
                    "Principal": {
                        "UserId": user,
                        "LogonType": "InteractiveToken",
                        "RunLevel": "LeastPrivilege",
                    }
                },
                "Settings": settings,
                "Actions": {
                    "Exec": {
                        "Command": program,
                        "Arguments": subprocess.list2cmdline(arguments),
                        "WorkingDirectory": str(unit.folder),
                    }
                },
            },
        )
        task.attrib |= {"version": "1.2", "xmlns": _TASK_XML}
        ElementTree.indent(task)
        text = ElementTree.tostring(task, encoding="unicode")
        head = '<?xml version="1.0" encoding="UTF-16"?>\n'
        return _marked(f"{head}{text}\n").encode("utf-16")

    def starting(self, name: str, *, anew: bool) -> Iterator[SystemStep]:
        # A task of this name that BlindPlay did not make is not replaced.
        replaces = ("/F",) if anew else ()
        create = ("schtasks", "/Create", "/TN", self._task(name), "/XML", str(self.file(name)))
        yield SystemStep(
            (*create, *replaces),
            _("It starts when you log in. A computer without a keyboard must log you in by "
              "itself."),
            _("Windows does not take it: look for {task} in the Task Scheduler.",
              task=self._task(name)),
        )  # fmt: skip
        if anew:
            yield SystemStep(("schtasks", "/End", "/TN", self._task(name)), may_fail=True)
        yield SystemStep(
            ("schtasks", "/Run", "/TN", self._task(name)),
            _("It runs now."),
            _("It does not run. What it said last is in {log}", log=log_file(name)),
        )

    def checking(self, name: str) -> Iterator[SystemStep]:
        yield SystemStep(
            ("schtasks", "/Query", "/TN", self._task(name)),
            _("It starts when you log in."),
            _("Windows has no task {task}; add the service again.", task=self._task(name)),
        )

    def ending(self, name: str) -> Iterator[SystemStep]:
        yield SystemStep(("schtasks", "/End", "/TN", self._task(name)), may_fail=True)
        yield SystemStep(
            ("schtasks", "/Delete", "/TN", self._task(name), "/F"),
            _("It is stopped, and starts no more."),
            _("It could not be stopped: look for {task} in the Task Scheduler.",
              task=self._task(name)),
        )  # fmt: skip


def log_file(name: str) -> Path:
    """Where what a service prints is kept, on a system that keeps none of it."""
    return data_folder() / f"service-{name}.log"


def _element(tag: str, within: "str | _Content") -> ElementTree.Element:
    element = ElementTree.Element(tag)
    if isinstance(within, str):
        element.text = within
    else:
        element.extend(_element(name, part) for name, part in within.items())
    return element
