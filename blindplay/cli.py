"""The command line: the table of commands, and how errors are reported.

A command's module is imported only when the command is run or explained, so that the command line
starts fast.
"""

import contextlib
import importlib
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType

import click

from blindplay.commands.options import CommandGroup, can_ask, help_all, shows_all, warn
from blindplay.commands.reader import READER
from blindplay.ctrl_c import ENDING
from blindplay.given import in_short, plain, sentence_of
from blindplay.translation import _

COMMANDS = {
    "help": ("help.help_command", _("Read a short guide aloud.")),
    "play": ("play.play", _("Run a table with voice and board, or with typed words.")),
    "settings": (
        "settings.settings",
        _("Print, check and change what holds for every table: language, boards, voice and more."),
    ),
    "demo": ("play.demo", _("Show a short game with emulated boards and synthetic voices.")),
    "doctor": ("doctor.doctor", _("Check what a table needs, and say how to get what is missing.")),
    "certificate": (
        "certificate.certificate",
        _("Make a certificate of this computer's own, so that its pages can be encrypted."),
    ),
    "host": (
        "host.host",
        _("Run several tables on this computer for players with phones, at one address."),
    ),
    "hall": ("hall.hall", _("Follow the tables of a tournament, as an arbiter or an organiser.")),
    "games": (
        "record.games",
        _("List your games with players, date, moves and result, the last one first."),
    ),
    "score": (
        "record.score",
        _("Write the record of a game, the games of a file, or play a tape."),
    ),
    "verify": (
        "record.verify",
        _(
            "Check a journal: its chain, its signatures, and that the rulings follow from the "
            "facts."
        ),
    ),
    "forget": ("record.forget", _("Remove the sound of a table or, with --all, the whole game.")),
    "reconcile": ("record.reconcile", _("Compare two scoresheets and two boards (D.2.9).")),
    "replay": ("laws.replay", _("Read facts and print the rulings.")),
    "mating": ("laws.mating", _("Tell whether each side can still mate, and how (5.2.2, 6.9).")),
    "announce": ("words.announce", _("Print the words that announce a move (D.2.1).")),
    "say": ("words.say", _("Say words aloud, or write them to a WAV file.")),
    "understand": ("words.understand", _("Print what words or sound files mean in a position.")),
    "voice": ("voice.voice", _("Learn, check, give or forget a player's voice.")),
    "drill": (
        "practice.drill",
        _(
            "Practise blindfold: colours of squares, knights, attacks, moves and times by "
            "dictation."
        ),
    ),
    "review": ("practice.review", _("Learn from a game that is over, or solve puzzles.")),
    "analyse": (
        "analyse.analyse",
        _("Analyse by moving pieces: on your board, by voice or by typing."),
    ),
    "follow": (
        "follow.follow",
        _("Follow games that are played elsewhere, by ear and on your own board."),
    ),
    "service": (
        "service.service",
        _("Start a table or a hall with the machine, without a screen and a keyboard."),
    ),
    "lichess": (
        "lichess.lichess",
        _("Let BlindPlay play in your name at Lichess, or no longer."),
    ),
    "models": ("models.models", _("List, install, check and choose speech models.")),
    "language": ("language.language", _("List the languages, or check and add your own.")),
    "board": ("board.board", _("Show live what a pegged board reports, or look after it.")),
    "emulate": ("board.emulate", _("Emulate a pegged board on a machine without one.")),
    "version": ("help.version", _("Print the version of BlindPlay.")),
}
"""For each command its place in :mod:`blindplay.commands`, and the first paragraph of its help."""
FIRST = ("help", "play", "games", "settings", "doctor", "drill", "review")
"""The commands that ``--help`` shows; ``--help-all`` shows all."""


def give_settings(context: click.Context, name: str, command: click.Command) -> None:
    """Let the settings file stand in for the options that are not given."""
    from blindplay.commands.settings import defaults_of
    from blindplay.commands.settings_file import SettingsError

    parts = command.commands if isinstance(command, click.Group) else {}
    try:
        defaults = {part: defaults_of(one) for part, one in parts.items()}
        context.default_map = {name: {**defaults, **defaults_of(command)}}
    except SettingsError as error:
        if name == "play":  # a game must not begin with other settings than people expect
            raise
        warn(_("{error} This command continues without your settings.", error=error))


class CommandTable(CommandGroup):
    """The commands of :data:`COMMANDS`. Each is imported when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _rest, name = COMMANDS[cmd_name][0].partition(".")
        command = getattr(importlib.import_module(f"blindplay.commands.{module}"), name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, and give it the user's settings as its defaults."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and command is not None and "--help" not in rest:
            give_settings(ctx, name, command)
        return name, command, rest

    def summaries(self, context: click.Context) -> Iterator[tuple[str, str]]:
        shown = COMMANDS if shows_all(context) else FIRST
        yield from ((name, COMMANDS[name][1]) for name in shown)


TABLE = CommandTable(
    "blindplay",
    help="\n\n".join(
        (
            _("Chess between a visually impaired player and an opponent, under FIDE's Laws."),
            _("At a terminal, blindplay without a command offers a game."),
        )
    ),
    context_settings={"show_default": True},
    params=[help_all(_("Show all commands and exit."))],
)


def main(arguments: Sequence[str] | None = None, front: object = None) -> int:
    """Run a command line and return its exit status: 2 for bad input, 130 after Ctrl-C.

    Every foreseeable error is one sentence on standard error. ``arguments`` are those of the
    process if not given. ``front``: the :class:`~blindplay.console.server.Front` of a table that
    has a host.
    """
    _prepare_streams()
    if threading.current_thread() is threading.main_thread():
        for ending in ENDING:
            if signal.getsignal(ending) is not signal.SIG_IGN:  # as below nohup
                signal.signal(ending, _end_as_ctrl_c_does)
    typed = [plain(word) for word in (sys.argv[1:] if arguments is None else arguments)]
    READER.begin(typed)
    try:
        wanted = typed or (["play", "--or-demo"] if can_ask() else ["--help"])
        wanted = ["version"] if wanted == ["--version"] else wanted  # as people type it elsewhere
        with TABLE.make_context("blindplay", wanted, obj=front) as context:
            status = TABLE.invoke(context)
        sys.stdout.flush()  # a closed pipe is noticed here, and not when Python ends
        return status if isinstance(status, int) else 0
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        return _fail(_with_remedy(error))
    except (KeyboardInterrupt, click.Abort):
        print(READER.told(_("Stopped.")), file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader of the output has closed it, as head does
        _close_output()
        return 0
    except (ValueError, RuntimeError, OSError) as error:
        return _fail(sentence_of(error))


def _end_as_ctrl_c_does(number: int, frame: FrameType | None) -> None:
    """A service that is stopped saves and says what it does at Ctrl-C, and ends what it started."""
    at_ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(at_ctrl_c):  # Ctrl-C is ignored
        raise KeyboardInterrupt
    at_ctrl_c(number, frame)


def _prepare_streams() -> None:
    """Write UTF-8 everywhere, and log inner errors as one line without a traceback."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Python sets closed streams to None. A file that took the place of one, such as the
            # journal, would get what a program that we start prints.
            setattr(sys, name, Path(os.devnull).open(mode))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            # A file name may hold bytes that are not text.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    with contextlib.suppress(AttributeError, ValueError):
        # A terminal with another encoding may send bytes that are not UTF-8.
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(OneLineFormatter())


def _close_output() -> None:
    """Close a standard output that nobody reads, so that Python does not write to it at its end."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.close()


def _fail(sentence: str) -> int:
    """Print what is wrong on standard error, on one line, and return status 2."""
    with contextlib.suppress(BrokenPipeError):
        print(in_short(READER.told(sentence)), file=sys.stderr)
    return 2


def _with_remedy(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return error.format_message()
    return _(
        "{message} For help: {command} --help",
        message=error.format_message(),
        command=context.command_path,
    )


class OneLineFormatter(logging.Formatter):
    """Formats an inner error as one line that can be read aloud: its type and its place.

    It leaves out the traceback, and the error's message, which may contain names of players.
    """

    def format(self, record: logging.LogRecord) -> str:
        line = " ".join(record.getMessage().split())
        kind, _rest, trace = record.exc_info or (None, None, None)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if kind is None or trace is None:
            return line
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"
        return f"{line} ({kind.__name__} in {place})"
