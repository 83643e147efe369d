"""Checks all that a release needs, from a fresh clone in an empty home: ``make release-check``.

One line is printed for each item: ok, failed, or not possible here and why. What an item printed is
in ``build/release-check``. It needs the standard library alone, and takes some hours; ``--quick``
runs fewer tests and leaves out what is large, and names of items run these alone.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from tests import ROOT

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
EXTRAS = {"enrol": "torch, kaldi_native_fbank", "ble": "bleak", "hid": "hid", "reader": "prism",
          "openings": "ocn", "voices": "av"}  # fmt: skip
"""Each extra, and what its packages are imported as."""
LARGE = ("enrol",)
HIDDEN = ("tests/wording", "tests/conversation", "tests/record")
QUICK = ("tests/wording", "tests/record/test_journal.py", "tests/test_embedding.py")
INSTALL = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
NO_COMPILER = {"CC": "false", "CXX": "false"}
GAME = "\ne2e4\ne7e5\nquit\n"


class FailedError(Exception):
    """An item does not hold; the text says why, in one line."""


class NotHereError(Exception):
    """An item cannot be tried on this machine; the text says why."""


@dataclass
class Place:
    """Where the check works: ``folder`` is empty at first. ``log`` has what programs print."""

    folder: Path
    log: Path
    quick: bool = False
    offline: tuple[str, ...] = field(default=())
    """The command before another one that lets it reach no network, if there is one."""

    def run(
        self,
        *command: str | Path,
        cwd: Path | None = None,
        typed: str = "",
        empty: bool = False,
        good: Sequence[int] = (0,),
        more: Mapping[str, str] = {},
    ) -> str:
        """Run a program in the empty home, and return what it prints. ``empty``: also without a
        network, and without any program but those beside it.

        :raises FailedError: if it ends with another status than those in ``good``.
        """
        words = [*(self.offline if empty else ()), *map(str, command)]
        done = subprocess.run(
            words,
            cwd=cwd or self.folder,
            input=typed,
            env=self.environment(Path(command[0]) if empty else None, more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(words)}\n{done.stdout}\n")
        if done.returncode not in good:
            last = (done.stdout.strip().splitlines() or ["it printed nothing"])[-1]
            raise FailedError(f"{Path(command[0]).name} ended with {done.returncode}: {last[:200]}")
        return done.stdout

    def environment(
        self, alone: Path | None = None, more: Mapping[str, str] = {}
    ) -> Mapping[str, str]:
        """The variables of a program; with ``alone``, of one that finds only what is beside it."""
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        # What make was called with is not meant for each make below it.
        own = ("XDG_", "PYTHON", "VIRTUAL_ENV", "BLINDPLAY", "UV_", "MAKE", "MFLAGS", "ARGS")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(own)}
        path = {"PATH": str(alone.parent)} if alone else {}
        return {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", **path, **more}

    @cached_property
    def clone(self) -> Path:
        """A clone of what is committed."""
        self.run("git", "clone", "--quiet", ROOT, self.folder / "clone")
        return self.folder / "clone"

    @cached_property
    def packages(self) -> tuple[Path, Path]:
        """The wheel and the sources, built as for a release."""
        self.run("make", "dist", cwd=self.clone)
        (wheel,), (sources,) = (
            (self.clone / "dist").glob(pattern) for pattern in ("*.whl", "*.tar.gz")
        )
        return wheel, sources

    @cached_property
    def pip(self) -> Path:
        """The Python of an environment that fetches packages."""
        venv.create(self.folder / "fetch", with_pip=True)
        return self.folder / "fetch" / "bin" / "python"

    def wheels(self, extra: str = "") -> Path:
        """A folder with the wheel and all that it needs, made where no compiler works."""
        folder = self.folder / "wheels"
        wanted = f"{self.packages[0]}[{extra}]" if extra else self.packages[0]
        self.run(self.pip, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check",
                 "--wheel-dir", folder, wanted, more=NO_COMPILER)  # fmt: skip
        return folder

    @cached_property
    def installed(self) -> Path:
        """The program ``blindplay`` from the wheel alone."""
        return self.install("installed")

    def install(self, name: str, extra: str = "") -> Path:
        """Install the wheel without a network, in an environment of its own; return its program."""
        wheels = self.wheels(extra)
        venv.create(self.folder / name, with_pip=True)
        wanted = f"blindplay[{extra}]" if extra else "blindplay"
        python = self.folder / name / "bin" / "python"
        self.run(python, *INSTALL, "--no-index", "--find-links", wheels, wanted, empty=True)
        return python.with_name("blindplay")


def packages(place: Place) -> str:
    """make dist builds twice, compares, and lets twine and check-wheel-contents look."""
    wheel, sources = place.packages
    return ", ".join(f"{file.name} {file.stat().st_size / 1e6:.1f} MB" for file in (wheel, sources))


def contents(place: Place) -> str:
    with zipfile.ZipFile(place.packages[0]) as opened:
        names = opened.namelist()
    parts = ("models/de/", "guides/player.en.md", "translations/de.mo", "locks/packages.txt")
    lacks = [part for part in parts if not any(f"blindplay/{part}" in name for name in names)]
    outside = [name for name in names if not re.match(r"blindplay(-[\d.]+\.dist-info)?/", name)]
    wrong = [name for name in names if name.endswith((".po", ".pyc"))]
    if lacks or outside or wrong:
        raise FailedError(f"lacks {lacks}; has {[*outside, *wrong][:5]}")
    firmware = any("firmware-9600.hex" in name for name in names)
    return f"{len(names)} files, {'with' if firmware else 'WITHOUT'} the firmware"


def menu(place: Place) -> str:
    if sys.platform == "win32":
        raise NotHereError("there is no pseudo-terminal")
    import pty

    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*place.offline, place.installed], stdin=theirs, stdout=theirs, stderr=theirs,
        env=place.environment(place.installed), cwd=place.folder, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"quit\n")
    printed = b""
    try:
        while part := os.read(ours, 4096):
            printed += part
    except OSError:  # it has ended
        pass
    os.close(ours)
    if child.wait() or b"1: " not in printed or b"3: " not in printed:
        raise FailedError(printed.decode(errors="replace").strip()[-200:])
    return "offers three choices and ends"


def demonstration(place: Place) -> str:
    printed = place.run(place.installed, "demo", empty=True)
    return f"{len(printed.splitlines())} lines"


def game(place: Place) -> str:
    journal = place.folder / "game.jsonl"
    journal.unlink(missing_ok=True)
    quiet = ("--silent", "--microphone", "none", "--journal", journal)
    place.run(place.installed, "play", *quiet, typed=GAME, empty=True)
    place.run(place.installed, "verify", journal, empty=True)
    return place.run(place.installed, "score", journal, empty=True).strip().splitlines()[-1]


def doctor(place: Place) -> str:
    printed = place.run(place.installed, "doctor", empty=True, good=(0, 1))
    if "needed:" in printed:
        raise FailedError(next(line for line in printed.splitlines() if "needed:" in line))
    return f"{printed.count('Good: ')} findings are good"


def pages(place: Place) -> str:
    quiet = ("--silent", "--microphone", "none", "--console", "--console-port", "0")
    journal = place.folder / "pages.jsonl"
    journal.unlink(missing_ok=True)
    # A page is opened from outside, so the table keeps the network of the computer itself.
    with subprocess.Popen(
        [place.installed, "play", *quiet, "--journal", journal],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=place.environment(place.installed), cwd=place.folder,
    ) as child:  # fmt: skip
        guard = threading.Timer(120, child.kill)
        guard.start()
        try:
            assert child.stdout is not None
            for line in child.stdout:
                if found := re.search(r"http://\S+", line):
                    with urllib.request.urlopen(found[0], timeout=60) as answer:
                        text = answer.read().decode()
                    if answer.status != 200 or "<html" not in text:
                        raise FailedError(f"{found[0]} answers {answer.status}")
                    return "a page of the console answers"
            raise FailedError("no link was printed")
        finally:
            guard.cancel()
            child.terminate()


def _extra(name: str) -> Callable[[Place], str]:
    def check(place: Place) -> str:
        if place.quick and name in LARGE:
            raise NotHereError("it is large; leave out --quick")
        program = place.install(f"with-{name}", name)
        place.run(program.with_name("python"), "-c", f"import {EXTRAS[name]}", empty=True)
        return f"imports {EXTRAS[name]}"

    return check


def _tool(name: str, *command: str, **environment: str) -> Callable[[Place], str]:
    def check(place: Place) -> str:
        place.run(place.pip, *INSTALL, "uv" if name == "uv" else name)
        wheels, program = place.wheels(), place.pip.with_name(name)
        tools = place.folder / name
        folders = {variable: str(tools / folder) for variable, folder in environment.items()}
        source = {"PIP_FIND_LINKS": str(wheels), "UV_NO_INDEX": "1",
                  "UV_FIND_LINKS": str(wheels), "UV_OFFLINE": "1"}  # fmt: skip
        path = os.pathsep.join((str(place.pip.parent), os.environ["PATH"]))
        python = ("--python", sys.executable)
        more = {"PATH": path, **folders, **source}
        place.run(program, *command, *python, place.packages[0], more=more)
        return place.run(tools / "bin" / "blindplay", "version", empty=True).strip()

    return check


def sources(place: Place) -> str:
    """The tests that come with the sources pass where these were unpacked."""
    folder = place.folder / "sources"
    folder.mkdir(exist_ok=True)
    shutil.unpack_archive(place.packages[1], folder, filter="data")
    (unpacked,) = folder.iterdir()
    place.run("make", ".venv/.extras", cwd=unpacked)
    chosen = QUICK if place.quick else ("-n", "auto", "--dist", "worksteal")
    said = place.run(unpacked / ".venv/bin/python", "-m", "pytest", "-q", "-m", "not long", *chosen,
                     cwd=unpacked)  # fmt: skip
    return said.strip().splitlines()[-1].strip("= ")


def find_python(version: str) -> Path | None:
    """A Python of this version in the path, or of pyenv, that runs."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    first = shutil.which(f"python{version}")
    found = [Path(first)] if first else []
    for python in (*found, *sorted((root / "versions").glob(f"{version}.*/bin/python"))):
        if not subprocess.run([python, "-V"], capture_output=True).returncode:
            return python
    return None


def _python(version: str) -> Callable[[Place], str]:
    def check(place: Place) -> str:
        python = find_python(version)
        if python is None:
            raise NotHereError(f"there is no Python {version}; the workflow has it")
        folder = place.folder / f"python-{version}"
        place.run(python, "-m", "venv", folder)
        own = folder / "bin" / "python"
        place.run(own, *INSTALL, place.packages[0], more=NO_COMPILER)
        place.run(own.with_name("blindplay"), "demo", empty=True)
        return place.run(own, "-V").strip()

    return check


def without_posix(place: Place) -> str:
    python = _made(place)
    said = place.run(python, "-m", "tests.without_posix", cwd=place.clone).strip()
    chosen = QUICK[:2] if place.quick else HIDDEN
    tests = place.run(python, "-m", "pytest", "-q", "-m", "not long", "-p", "tests.without_posix",
                      "-n", "auto", *chosen, cwd=place.clone)  # fmt: skip
    return f"{said} {tests.strip().splitlines()[-1].strip('= ')}"


def _made(place: Place) -> Path:
    place.run("make", ".venv/.extras", cwd=place.clone)
    return place.clone / ".venv" / "bin" / "python"


def suite(place: Place) -> str:
    """All that the workflow runs on Linux: the linters and every test."""
    if place.quick:
        raise NotHereError("it takes long; leave out --quick")
    said = place.run("make", "lint", "test", cwd=place.clone)
    return said.strip().splitlines()[-1].strip("= ")


def site(place: Place) -> str:
    place.run("make", "site", cwd=place.clone)
    return f"{sum(1 for _ in (place.clone / 'build/site').rglob('*.html'))} pages"


def zizmor(place: Place) -> str:
    _wheel = place.packages  # make dist installs it
    place.run(place.clone / "build/release/bin/zizmor", "--offline", ".github", cwd=place.clone)
    return "finds no opening in the workflows"


def actionlint(place: Place) -> str:
    program = shutil.which("actionlint")
    if program is None:
        raise NotHereError("actionlint is not installed")
    place.run(program, cwd=place.clone)
    return "finds nothing wrong in the workflows"


ITEMS: Mapping[str, Callable[[Place], str]] = {
    "packages": packages,
    "contents": contents,
    "menu": menu,
    "demonstration": demonstration,
    "game": game,
    "doctor": doctor,
    "pages": pages,
    **{f"extra-{name}": _extra(name) for name in EXTRAS},
    "pipx": _tool("pipx", "install", PIPX_HOME="home", PIPX_BIN_DIR="bin"),
    "uv": _tool("uv", "tool", "install", UV_TOOL_DIR="home", UV_TOOL_BIN_DIR="bin"),
    "sources": sources,
    **{f"python-{version}": _python(version) for version in PYTHONS},
    "without-posix": without_posix,
    "suite": suite,
    "site": site,
    "zizmor": zizmor,
    "actionlint": actionlint,
}
"""Each item by its name: what checks it, and returns what was seen."""


def check(items: Mapping[str, Callable[[Place], str]], place: Place) -> bool:
    """Check the items one after the other, with a line for each; return whether none failed."""
    failed, width = 0, max(map(len, items))
    logs = place.log.parent
    for name, item in items.items():
        began, place.log = time.monotonic(), logs / f"{name}.log"
        place.log.unlink(missing_ok=True)
        try:
            verdict, about = "ok", item(place)
        except NotHereError as why:
            verdict, about = "not possible here", str(why)
        except Exception as error:  # whatever it is, the other items are checked
            failed += 1
            verdict, about = "failed", f"{str(error) or type(error).__name__} (see {place.log})"
        took = f"{time.monotonic() - began:.0f} s"
        print(f"{name.ljust(width)}  {verdict}: {about} [{took}]", flush=True)
    print(f"{len(items)} items, {failed} failed.")
    return not failed


def _offline() -> tuple[str, ...]:
    """The command that takes the network from another one; empty where there is none."""
    program = shutil.which("unshare")
    command = (program, "--net", "--map-root-user") if program else ()
    works = command and not subprocess.run([*command, "true"], capture_output=True).returncode
    return command if works else ()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check everything that a release needs.")
    parser.add_argument("items", nargs="*", metavar="ITEM", help=f"one of {', '.join(ITEMS)}")
    parser.add_argument("--quick", action="store_true", help="fewer tests, and nothing large")
    given = parser.parse_args(arguments)
    if unknown := set(given.items) - ITEMS.keys():
        parser.error(f"There is no item {sorted(unknown)[0]}; --help lists all.")
    logs = ROOT / "build" / "release-check"
    logs.mkdir(parents=True, exist_ok=True)
    offline = _offline()
    if not offline:
        print("The network cannot be taken from programs here, so the wheel is tried with it.")
    with tempfile.TemporaryDirectory(prefix="blindplay-release-") as folder:
        place = Place(Path(folder), logs / "begin.log", given.quick, offline)
        chosen = {name: item for name, item in ITEMS.items() if name in (given.items or ITEMS)}
        return int(not check(chosen, place))


if __name__ == "__main__":
    sys.exit(main())
