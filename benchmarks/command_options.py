"""Options that the command lines of ``benchmarks`` and ``models`` share, and how they end."""

import re
import sys
from collections.abc import Callable, Iterable
from functools import reduce

import click

from blindplay.commands import options
from blindplay.given import sentence_of

language = options.announced_in(help="Measure with the words of this language.")
models = options.models(
    help="Use the model in this folder instead of the chosen ones; it can be repeated."
)
voices = click.option(
    "--voices",
    type=options.ParsedValue("names", lambda text: tuple(re.findall(r"[^,\s]+", text))),
    default="",
    help="Speak with these voices of this machine, such as de+croak,de+fast.",
)
noises = click.option(
    "--conditions", default="clean", help="Add these noises: clean, room, phone, 20 …"
)
seed = click.option("--seed", type=click.IntRange(1), default=1, help="Draw other random numbers.")


def speech(
    conditions: str,
) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """Add the options that become ``voice.Options``. ``conditions`` are those by default."""
    added = (
        language,
        models,
        click.option(
            "--count",
            type=click.IntRange(4),
            default=80,
            help="Say so many moves in each noise.",
        ),
        click.option(
            "--conditions",
            default=conditions,
            help="Add these noises: clean, a number for babble in dB, pink10, hum10, talkers15, "
            "room, phone; a list.",
        ),
        voices,
        click.option(
            "--recordings",
            type=options.FOLDER,
            help='Measure the recordings in this folder; its index.jsonl has {"file", "words", '
            '"fen"}.',
        ),
    )
    return lambda command: reduce(lambda made, option: option(made), reversed(added), command)


def show(lines: Iterable[str]) -> None:
    """Print each line at once."""
    for line in lines:
        print(line, flush=True)


def run(command: click.Command) -> None:
    """Run a command line. An error is one sentence and status 1."""
    try:
        command()
    except (ValueError, RuntimeError, OSError) as error:
        sys.exit(sentence_of(error))
