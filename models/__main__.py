"""Fit how far speech models can be trusted: their ``confidence.json``.

python -m models confidence [--write] [--diagram FILE.svg] [--model FOLDER]…
"""

import json
from pathlib import Path
from typing import Any

import click

from benchmarks import command_options as options
from benchmarks.voice import Options, listening
from blindplay.language import Language
from blindplay.speech.confidence import confidence_file
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
def confidence(pack: Language, write: bool, diagram: Path | None, **given: Any) -> None:
    """Fit the odds of models to what synthesised voices or recordings say.

    As many illegal moves as moves are said, and as much other talk. Without --write, the result is
    printed.
    """
    wanted = Options(**given, as_many_others=True)
    measured = confidence_.measure(pack, wanted)
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


if __name__ == "__main__":
    options.run(models)
