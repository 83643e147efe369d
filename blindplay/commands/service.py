"""``blindplay service``: tables and halls that start with the machine, for people who only hear."""

import contextlib
import os
import subprocess
import sys
import threading
import time
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import click

from blindplay import services
from blindplay.ctrl_c import CtrlC
from blindplay.given import plain
from blindplay.services import Unit
from blindplay.translation import _

from . import options
from .reader import READER

KINDS = {
    "table": ("play", "--as-service"),
    "hall": ("hall", "serve", "--as-service"),
    "broker": ("hall", "broker"),
}
"""What can be a service, and the command that it runs."""
_SPEAKS = ("table", "hall")
_ENVIRONMENT = ("LC_ALL", "LC_MESSAGES", "LANG", "XDG_DATA_HOME", "XDG_CONFIG_HOME",
                "XDG_CACHE_HOME")  # fmt: skip
"""Names of what a service must know of its user, and a system may not tell it."""
_LOUDSPEAKER_S = 30
"""Seconds that a machine which has just started is given to find its loudspeaker."""
_PAUSE_S, _LONGEST_PAUSE_S = 2, 60
_REPEAT_S = 600
"""Seconds until the same trouble is said again."""
_CLOSES_S = 50
"""Seconds that a program which is stopped may take."""
_LOOK_S = 0.2
"""Seconds between two looks for a signal."""
_LAST_LINES_S = 5
"""Seconds that the last lines of a program which has ended may take."""

_kind = click.argument(
    "kind",
    type=click.Choice(tuple(KINDS)),
    help=_("Name what is the service: a table, a hall or a broker."),
)
_any_kind = click.argument(
    "kind",
    type=click.Choice(tuple(KINDS)),
    required=False,
    help=_("Check this one only."),
)
_arguments = click.argument(
    "arguments",
    nargs=-1,
    type=click.UNPROCESSED,
    metavar="[ARGS]...",
    help=_("Give the table, the hall or the broker these options."),
)
_RAW = {"ignore_unknown_options": True, "allow_interspersed_args": False}


@click.group(cls=options.CommandGroup)
def service() -> None:
    """Start a table or a hall with the machine, without a screen and a keyboard.

    It runs as you, is started again when it ends, and says that the table is ready. On Linux
    systemd starts it, on macOS launchd and on Windows the Task Scheduler.
    """


@service.command(context_settings=_RAW)
@click.option(
    "--start/--no-start",
    default=True,
    show_default=False,
    help=_("Begin at once. With --no-start, only the file is written."),
)
@_kind
@_arguments
def add(kind: str, arguments: tuple[str, ...], start: bool) -> int:
    """Start a table, a hall or a broker with the machine from now on.

    After table come options of blindplay play, such as --against engine; after hall those of
    blindplay hall serve, with the event's file; after broker that file. Files are found from the
    present folder.
    """
    _check(kind, arguments)
    system = services.here()
    program = _program()
    command = (*program, "-m", "blindplay", "service", "run", kind, *arguments)
    environment = {name: value for name in _ENVIRONMENT if (value := os.environ.get(name))}
    anew = services.write(system, Unit(kind, command, Path.cwd(), environment))
    options.show(_("The service is written into {file}.", file=system.file(kind)))
    if not start:
        return 0
    done = _do(system.starting(kind, anew=anew))
    if kind == "table":
        options.show(_("Listen: the table says when it is ready."))
    return int(not done)


def _program() -> tuple[str, ...]:
    """The Python that runs a service; on Windows the one that opens no window."""
    own = Path(sys.executable)
    windowless = own.with_name("pythonw.exe")
    return (str(windowless if sys.platform == "win32" and windowless.exists() else own),)


def _check(kind: str, arguments: Sequence[str]) -> None:
    """Read the options as the service will.

    :raises ValueError, click.UsageError: if one of them is wrong, or cannot be one of a service.
    """
    from blindplay.cli import TABLE

    *groups, name = (word for word in KINDS[kind] if not word.startswith("-"))
    context, group = click.Context(TABLE, info_name="blindplay"), typing.cast(click.Group, TABLE)
    for one in groups:
        found = group.get_command(context, one)
        assert isinstance(found, click.Group)
        context, group = click.Context(found, context, one), found
    command = group.get_command(context, name)
    assert command is not None
    context = command.make_context(name, [*KINDS[kind][len(groups) + 1 :], *arguments], context)
    if kind == "table":
        from .play_options import PlayOptions, check

        check(PlayOptions.of(context))


def _do(steps: Iterator[services.SystemStep]) -> bool:
    """Do the steps, and say how each went; return whether all went well."""
    every = True
    for step in steps:
        good, sentence = services.run(step)
        every = every and (good or step.may_fail)
        if sentence:
            options.show(sentence)
    return every


@service.command()
@_any_kind
def check(kind: str | None) -> int:
    """Say whether a service is as it should be, and what to do if not.

    Without a name, every service that was added is checked. The exit status is 1 if something is
    missing.
    """
    system, every = services.here(), True
    kinds = [kind] if kind else [one for one in KINDS if services.kept(system, one) is not None]
    if not kinds:
        raise services.no_unit("table")
    for one in kinds:
        content = services.kept(system, one)
        if content is None:
            raise services.no_unit(one)
        options.show(_("The service {name} is in {file}.", name=one, file=system.file(one)))
        if _program()[0] not in content:
            every = False
            options.show(
                _("It starts another BlindPlay than this one; add it again, or use that one.")
            )
        every = _do(system.checking(one)) and every
    return int(not every)


@service.command()
@_kind
def remove(kind: str) -> int:
    """Stop a service, and start it no more. Games and settings stay."""
    system = services.here()
    if services.kept(system, kind) is None:
        raise services.no_unit(kind)
    done = _do(system.ending(kind))
    services.remove(system, kind)
    options.show(_("The file {file} is removed.", file=system.file(kind)))
    return int(not done)


@service.command(context_settings=_RAW)
@_kind
@_arguments
def run(kind: str, arguments: tuple[str, ...]) -> int:
    """Run what a service runs, again and again, until Ctrl-C.

    If it does not start, it says why. This is what the file of a service calls; try it before you
    add the service.
    """
    from .words import aloud

    pack = options.load_language(READER.language)

    def say(sentence: str) -> None:
        options.warn(sentence)
        if kind in _SPEAKS:
            aloud(pack, sentence)

    if kind in _SPEAKS:
        _await_loudspeaker()
    command = (*_program(), "-m", "blindplay", *KINDS[kind], *arguments)
    with contextlib.suppress(KeyboardInterrupt), _log(kind) as log:
        Restarter(command, say, pack.sentence("service_fails"), log).keep()
    return 0


@contextlib.contextmanager
def _log(kind: str) -> Iterator[int | None]:
    """Where to print: a file on Windows, which shows nobody what a service prints."""
    if sys.platform != "win32" or sys.stdout.isatty():
        yield None
        return
    path = services.log_file(kind)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("wb") as file:
        yield file.fileno()


def _await_loudspeaker(
    there: Callable[[], bool] | None = None, sleep: Callable[[float], object] = time.sleep
) -> None:
    """Wait a while until there is an output for sound."""
    if there is None:
        from blindplay.speech.audio_devices import devices

        def there() -> bool:
            return bool(devices().playback)

    for _second in range(_LOUDSPEAKER_S):
        if there():
            return
        sleep(1)


@dataclass
class Restarter:
    """Runs a command again whenever it ends. ``say`` tells people in the room; ``fails`` is how
    that begins. Windows' scheduler would not start it again, and no system says why not."""

    command: Sequence[str]
    say: Callable[[str], None]
    fails: str
    log: int | None = None
    sleep: Callable[[float], object] = time.sleep
    now: Callable[[], float] = time.monotonic

    def keep(self) -> None:
        """Run it until Ctrl-C, or the signal that stops a service, which ends it, too."""
        told, told_at, pause = "", 0.0, _PAUSE_S
        while True:
            status, why = self._once()
            if not status:
                told, pause = "", _PAUSE_S
            elif why != told or self.now() - told_at > _REPEAT_S:
                told, told_at = why, self.now()
                self.say(self.fails)
                if why:
                    self.say(why)
            self.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S) if status else _PAUSE_S

    def _once(self) -> tuple[int, str]:
        """Run it once; return its status, and the last line that it printed about an error."""
        # Ctrl-C is for this process, which passes it on once: a second one would cut off a game.
        with CtrlC() as ctrl_c:
            child = subprocess.Popen(
                self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.PIPE,
                text=True, encoding="utf-8", errors="replace",
                start_new_session=True,
            )  # fmt: skip
            assert child.stderr is not None
            last = [""]
            printing = threading.Thread(target=_print, args=(child.stderr, last), daemon=True)
            printing.start()
            try:
                # No wait is long: Python notices a signal that comes just before one at its end.
                while child.poll() is None and not ctrl_c.pressed:
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        child.wait(_LOOK_S)
                if ctrl_c.pressed:
                    raise KeyboardInterrupt
            except BaseException:
                child.terminate()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(_CLOSES_S)
                child.kill()
                raise
            finally:
                printing.join(_LAST_LINES_S)  # what it has started may hold the stream open
            return child.returncode, last[0]


def _print(lines: IO[str], last: list[str]) -> None:
    """Print the lines of a program; the last one that is not empty is in ``last``."""
    with lines:
        for line in lines:
            last[0] = plain(line).strip() or last[0]
            print(plain(line.rstrip("\n")), file=sys.stderr, flush=True)
