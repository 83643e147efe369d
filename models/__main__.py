"""Fit how far speech models can be trusted: their ``confidence.json``.

python -m models confidence [--write] [--diagram FILE.svg] [--model FOLDER]…
python -m models accents FOLDER [--half fitted|measured]
"""

import json
from pathlib import Path
from typing import Any

import click

from benchmarks import command_options as options
from benchmarks.voice import Options, listening
from blindplay.language import Language
from blindplay.speech.confidence import confidence_file
from models import accents as accents_
from models import confidence as confidence_


@click.group(context_settings={"show_default": True})
def models() -> None:
    """Measure how far speech models can be trusted."""


@models.command()
@options.speech(confidence_.CONDITIONS)
@click.option("--write", is_flag=True, help="Write the result beside the model.")
@click.option(
    "--diagram",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw how far the odds can be trusted, in this SVG file.",
)
@click.option("--learn-on", is_flag=True, help="Begin with the weights that the models have.")
def confidence(
    pack: Language, write: bool, diagram: Path | None, learn_on: bool, **given: Any
) -> None:
    """Fit the odds of models to what synthesised voices or recordings say.

    As many illegal moves as moves are said, and as much other talk. Without --write, the result is
    printed. With --voices, these speak besides the recordings.
    """
    wanted = Options(**given, as_many_others=True)
    measured = confidence_.measure(pack, wanted, learn_on=learn_on)
    for line in measured.lines:
        click.echo(line, err=True)
    if diagram is not None:
        title = "Moves, " + " and ".join(measured.confidence.measured["models"])
        diagram.write_text(measured.diagram(title), "utf-8")
    text = json.dumps(measured.confidence.as_json(), ensure_ascii=False, indent=1) + "\n"
    if not write:
        click.echo(text, nl=False)
        return
    file = confidence_file(*listening(pack, wanted))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    click.echo(file)


@models.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@options.language
@click.option(
    "--half",
    type=click.Choice(["fitted", "measured"]),
    default="measured",
    help="Take the voices that weights are fitted to, or those that measure them.",
)
@click.option("--count", type=click.IntRange(4), default=140, help="Say so many moves.")
@options.seed
def accents(folder: Path, pack: Language, half: str, count: int, seed: int) -> None:
    """Let voices of other countries announce moves in their own sounds.

    The recordings are for --recordings of the benchmarks. They need MBROLA and its voices.
    """
    options.show(accents_.say(pack, accents_.voices(half), count, folder, seed))


if __name__ == "__main__":
    options.run(models)
