"""Options, values and helpers that several commands share."""

import contextlib
import dataclasses
import datetime
import json
import math
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from blindplay.given import BATCH, check_file, in_short, lines_of, plain, shown
from blindplay.translation import UserError, _, one_of

from .reader import READER, ReadersContext, user_language

if TYPE_CHECKING:
    import chess

    from blindplay.language import Language

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def called() -> str:
    """Return the command that calls this program here, for printed commands: people copy them."""
    script = Path(sys.argv[0])
    if script.stem != "blindplay":
        return f"{shlex.quote(sys.executable)} -m blindplay"
    program = shutil.which("blindplay")
    if program is not None and Path(program).resolve() == script.resolve():
        return "blindplay"
    with contextlib.suppress(ValueError):
        script = script.absolute().relative_to(Path.cwd())
    return shlex.quote(str(script))


def help_all(text: str) -> click.Option:
    """The option ``--help-all`` with the help ``text``, for a command whose ``--help`` shows what a
    newcomer needs."""

    def show(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
        if wanted:
            context.meta[_ALL] = True
            click.echo(context.get_help(), color=context.color)
            context.exit()

    return click.Option(
        ["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=show, help=text
    )


_ALL = "blindplay.help_all"


def shows_all(context: click.Context) -> bool:
    """Return whether the help shows everything."""
    return _ALL in context.meta


class CommandGroup(click.Group):
    """A group whose help shows the first paragraph of each command's help, uncut.

    Its help and that of its commands are in the reader's language.
    """

    context_class = ReadersContext

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            command.context_class = ReadersContext
        return name, command, rest

    def summaries(self, context: click.Context) -> Iterator[tuple[str, str]]:
        """Each command with its first paragraph."""
        for name in self.list_commands(context):
            command = self.get_command(context, name)
            assert command is not None
            yield name, summary_of(command)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section(_("Commands")):
            formatter.write_dl(list(self.summaries(context)))


def summary_of(command: click.Command) -> str:
    """The first paragraph of a command's help, on one line."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


class ParsedValue(click.ParamType[Any, Any]):
    """A value that a function makes of the typed text; its ValueError is the message.

    ``choices`` returns what the help shows as possible values. It is called only for the help.
    """

    def __init__(
        self,
        name: str,
        parse: Callable[[str], object],
        choices: Callable[[], tuple[str, ...]] | None = None,
    ) -> None:
        self.name = name
        self.parse = parse
        self._choices = choices

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:
        return f"[{'|'.join(self._choices())}]" if self._choices else None

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self.parse(str(value))  # a settings file may have a number


class MemberChoice(click.Choice[Any]):
    """A choice among the members of an enumeration, typed by their values."""

    def normalize_choice(self, choice: Any, ctx: click.Context | None) -> str:
        return str(choice.value if isinstance(choice, Enum) else choice)


class FiniteRange(click.FloatRange):
    """A number in a range. Unlike click's, it refuses ``nan``, which is in no range."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            raise UserError("{value} is not a number.", value=shown(value))
        return float(number)


def load_language(code: str) -> "Language":
    """The language pack with this code."""
    from blindplay import language

    return language.load(code)


def _edition(name: str) -> str:
    from blindplay.laws import editions

    return editions.load(name).id


def _editions() -> tuple[str, ...]:
    from blindplay.laws import editions

    return editions.names()


def _time_control(text: str) -> str:
    """A time control as it is kept, from the one that people write."""
    from blindplay.laws import time_controls

    return time_controls.written(time_controls.read(text))


def _length(text: str) -> int:
    """The whole seconds of a length of time, rounded up."""
    from blindplay.laws import time_controls

    return math.ceil(time_controls.read_length(text) / 1000)


def _default_time(text: str) -> str:
    """A default time (6.7.1) as it is kept, from the one that people write."""
    return default_time_of(_length(text))


def default_time_of(seconds: int) -> str:
    """A default time as it is kept.

    >>> default_time_of(1800), default_time_of(90), default_time_of(0)
    ('30m', '90s', '0m')
    """
    return f"{seconds}s" if seconds % 60 else f"{seconds // 60}m"


def position(fen: str) -> "chess.Board":
    """The position in FEN that a command is given; it must be one that a table accepts."""
    import chess

    from blindplay.laws.placement import read_position

    try:
        board = read_position(fen)
    except ValueError:
        raise UserError(
            "{fen} is not a position of a game in FEN; check it.", fen=shown(fen)
        ) from None
    # With ordinary castling rights, castling is written e1g1. Only Chess960 writes it otherwise.
    plain = chess.Board(fen)
    return plain if plain.status() == chess.STATUS_VALID else board


def legal_move(board: "chess.Board", text: str, pack: "Language") -> "chess.Move":
    """The legal move that ``text`` names on ``board``, in UCI or as on a scoresheet: Nf3, Sf3.

    Letters are first those of the pack's language, then those of any country.
    """
    import chess

    try:
        return board.parse_uci(text)
    except chess.InvalidMoveError:
        pass
    except ValueError:
        raise UserError("{text} is not a legal move in this position.", text=shown(text)) from None
    from blindplay.language.scoresheets.reading import Certainty, letters_of, read

    reading = read(text, board, letters_of((text,), pack.code))
    if reading.move is not None:
        return reading.move
    if reading.certainty is Certainty.ILLEGAL:
        raise UserError("{text} is not a legal move in this position.", text=shown(text))
    if reading.certainty is Certainty.AMBIGUOUS:
        ways = one_of(move.uci() for move in reading.moves)
        raise UserError(
            "{text} has several meanings here; write {ways}.", text=shown(text), ways=ways
        )
    raise UserError(
        "{text} is not a move; write it like Nf3, or from and to, such as g1f3.", text=shown(text)
    )


def can_ask() -> bool:
    """True if somebody is there who can read a question and answer it."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def date_of(date: str, pack: "Language") -> str:
    """The date of a game, as people write it; one that is not whole stays as it is."""
    try:
        return pack.printed_date(datetime.date.fromisoformat(date))
    except ValueError:
        return date or pack.printed("games_undated")


@contextlib.contextmanager
def open_text(file: str) -> Iterator[Iterator[str]]:
    """The lines of a text file in UTF-8, with or without a byte order mark; ``-`` is standard
    input."""
    if file == "-":
        with contextlib.suppress(AttributeError, ValueError):
            sys.stdin.reconfigure(encoding="utf-8-sig")  # type: ignore[union-attr]
        yield lines_of(sys.stdin, BATCH, _("Standard input"))
        return
    check_file(path := a_file(file), BATCH)
    with path.open(encoding="utf-8-sig") as opened:
        try:
            yield lines_of(opened, BATCH, path)
        except UnicodeDecodeError:
            raise UserError("{file} is not a text in UTF-8; save it as UTF-8.", file=file) from None


def check_folder_of(file: Path | None) -> None:
    """Raise ValueError if the folder of a file that is to be written does not exist."""
    if file is not None and not file.parent.is_dir():
        raise UserError("There is no folder {parent}; make it first.", parent=file.parent)


def check_new(output: Path | None, *, overwrite: bool) -> None:
    """Raise ValueError if ``output`` cannot be written as a new file: its folder does not exist, or
    it replaces something without ``overwrite``."""
    check_folder_of(output)
    if output is not None and not overwrite and (output.exists() or output.is_symlink()):
        raise UserError(
            "{output} exists already; give another --output, or add --overwrite.", output=output
        )


def show(line: object) -> None:
    """Print a text, in the reader's language if it is a message, and anything else as one line of
    JSON."""
    text = READER.told(line) if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
    print("\n".join(map(plain, text.split("\n"))), flush=True)


def show_all(lines: Iterable[object]) -> None:
    """Print each line as :func:`show` does."""
    for line in lines:
        show(line)


def warn(sentence: str) -> None:
    """Print a message on standard error, in the reader's language."""
    print(in_short(READER.told(sentence)), file=sys.stderr, flush=True)


def a_file(name: str | Path) -> Path:
    """The path of a file.

    :raises ValueError: if it is empty, or names a folder only.
    """
    if not Path(name).name:
        raise UserError("{name} is not the name of a file; write one.", name=shown(name))
    return Path(name)


FILE = ParsedValue("file", a_file)
FOLDER = click.Path(path_type=Path)
POSITION = ParsedValue("fen", position)
EDITION = ParsedValue("edition", _edition, _editions)
LANGUAGE = ParsedValue("language", load_language)
PLACED = ParsedValue("fen", lambda fen: position(fen) and fen)
SECONDS = FiniteRange(0.1, 86_400)


def _lichess_user(text: str) -> str:
    if not re.fullmatch("[A-Za-z0-9_-]{2,30}", text):
        raise UserError(
            "{text} is not a name at Lichess; it has letters, digits, _ and -.", text=shown(text)
        )
    return text


TIME_CONTROL = ParsedValue("time", _time_control)
LENGTH = ParsedValue("length", _length)
DEFAULT_TIME = ParsedValue("length", _default_time)
LICHESS_USER = ParsedValue("player", _lichess_user)


# Options that several commands share; a command adds its ``help``.
fen = partial(click.option, "--fen", "board", type=POSITION, help=_("Take this position, in FEN."))
fen_from_start = partial(fen, default=START, show_default=_("the initial position"))
language = partial(
    click.option,
    "--language",
    "pack",
    type=LANGUAGE,
    default=user_language,
    show_default=_("that of the system, else English"),
)
announced_in = partial(click.option, "--language", "pack", type=LANGUAGE, default="de")
edition = partial(
    click.option,
    "--edition",
    type=EDITION,
    default="fide-2023",
    help=_("Use this edition of the Laws."),
)
models = partial(click.option, "--model", "models", type=FOLDER, multiple=True)
as_json = partial(click.option, "--json", "as_json", is_flag=True)


def flag(name: str, text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """An option that is on or off: ``--name`` and ``--no-name``, off unless it is given."""
    return click.option(f"--{name}/--no-{name}", default=False, help=text, show_default=False)


overwrite = flag("overwrite", _("Write --output even if it replaces a file."))


def board_and_voice(command: click.decorators.FC) -> click.decorators.FC:
    """Options of a command that speaks, listens and leads hands, as ``board``, ``port``,
    ``microphone`` and ``silent``."""
    for added in (
        flag("silent", _("Print everything and say nothing.")),
        click.option(
            "--microphone",
            help=_("Use the microphone with this in its name; none: type instead of speaking."),
        ),
        click.option(
            "--port",
            help=_(
                "Use the board at this port or URL, such as COM3 or dgt:COM3. Without it, a pegged "
                "board is searched for."
            ),
        ),
        flag("board", _("Also lead hands to each position on your board.")),
    ):
        command = added(command)
    return command


# Options that are the fields of a dataclass.


def name_of(option: click.Option) -> str:
    """The name of an option as it is typed, without the hyphens before it."""
    return option.opts[0].removeprefix("--")


def option(text: str, value: Any = None, **about: Any) -> Any:
    """A field of a dataclass that is an option of a command, with the help ``text``.

    ``value`` is its default; a function is called for it. ``about`` is for :class:`FieldOption`: a
    ``default`` there is the text that gives ``value``.
    """
    metadata = {"help": text, **about}
    if callable(value):
        return dataclasses.field(default_factory=value, metadata=metadata)
    return dataclasses.field(default=value, metadata=metadata)


class FieldOption(click.Option):
    """The option that a field of a dataclass describes: a switch for a bool, a choice for an
    enumeration. ``about``: the metadata of the field, or others."""

    def __init__(self, field: dataclasses.Field[Any], **about: Any) -> None:
        name = field.name.replace("_", "-")
        kinds = get_args(field.type) or (field.type,)
        factory = field.default_factory
        usual = about.pop("default", field.default if factory is dataclasses.MISSING else factory)
        about.setdefault("show_default", bool(usual) and not callable(usual))
        for kind in kinds:
            if isinstance(kind, type) and issubclass(kind, Enum):
                about["type"], usual = MemberChoice(kind), usual and usual.value
        names = f"--{name}/--no-{name}" if bool in kinds else f"--{name}"
        super().__init__([names], default=usual, **about)

    def stored(self, value: Any) -> Any:
        """The value of the option, from one that JSON or TOML holds.

        :raises ValueError: one sentence that names the option, if it cannot have this value.
        """
        name = name_of(self)
        if self.is_flag:
            if isinstance(value, bool):
                return value
            raise UserError("{name} must be true or false, without quotes.", name=name)
        if self.multiple:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise UserError(
                    '{name} must be a list of texts, such as ["one", "two"].', name=name
                )
        elif isinstance(value, bool) or not isinstance(value, str | int):
            raise UserError("{name} must be one text in quotes, or one number.", name=name)
        texts = map(str, value) if self.multiple else [str(value)]
        try:
            values = tuple(self.type.convert(text, self, None) for text in texts)
        except click.UsageError as error:
            raise UserError(
                "{name} is wrong: {message}", name=name, message=error.message
            ) from None
        except ValueError as error:
            raise UserError("{name} is wrong: {message}", name=name, message=error) from None
        return values if self.multiple else values[0]


def taking(
    name: str, kind: type[Any], **defaults: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options of the dataclass ``kind``. It takes one value of it, ``name``.
    ``defaults`` replace those of the dataclass."""
    own = {name: {"default": value} for name, value in defaults.items()}
    options = [
        FieldOption(option, **{**option.metadata, **own.get(option.name, {})})
        for option in dataclasses.fields(kind)
    ]

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def called(**given: Any) -> Any:
            values = {option.name: given.pop(str(option.name)) for option in options}
            return command(**given, **{name: kind(**values)})

        known = getattr(command, "__click_params__", [])
        called.__click_params__ = [*known, *reversed(options)]  # type: ignore[attr-defined]
        return called

    return add
