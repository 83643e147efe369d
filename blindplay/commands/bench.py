"""``blindplay bench``: measurements on this machine."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.language import Language

from . import options

if TYPE_CHECKING:
    from blindplay.hearing.evaluation.report import Options

_ONE_OR_MORE = click.IntRange(1)
_count = click.option(
    "--count", type=click.IntRange(4), default=80, help="Measure so many moves in each condition."
)
_conditions = click.option(
    "--conditions",
    help="Add these noises: clean, a number for babble in dB, pink10, hum10, talkers15, room, "
    "phone; a list.",
)
_voices = click.option(
    "--voices", help="Speak with these voices of this machine, such as de+croak,de+fast."
)
_recordings = click.option(
    "--recordings",
    type=options.FOLDER,
    help='Measure the recordings in this folder; its index.jsonl has {"file", "words", "fen"}.',
)


def _names(voices: str | None) -> tuple[str, ...]:
    return tuple(name.strip() for name in (voices or "").split(",") if name.strip())


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@click.option(
    "--positions",
    type=_ONE_OR_MORE,
    default=20_000,
    help="Try so many positions in the round trip.",
)
@click.option(
    "--board-moves", type=_ONE_OR_MORE, default=500, help="Play so many random moves on a board."
)
@options.announced_in(help="Measure this language.")
@click.option("--reconcile", type=_ONE_OR_MORE, help="Only explain this many wrong boards.")
@click.pass_context
def bench(
    context: click.Context, positions: int, board_moves: int, pack: Language, reconcile: int | None
) -> None:
    """Measure how fast and how well everything works on this machine."""
    if context.invoked_subcommand is not None:
        return
    from blindplay.bench.laws_and_words import measure, measure_reconciling

    if reconcile is not None:
        figures = measure_reconciling(pack, reconcile)
    else:
        figures = measure(pack, positions, board_moves)
    options.show_all(figures)


@bench.command()
@options.announced_in(help="Take this language as the one that is spoken.")
@options.models(
    help="Use the Vosk model in this folder instead of the chosen ones; it can be repeated."
)
@_count
@_conditions
@_voices
@_recordings
@click.option("--measure", is_flag=True, help="Print how far the model can be trusted.")
@click.option("--write", is_flag=True, help="Write the result of --measure beside the model.")
@click.option(
    "--diagram",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Draw with --measure how far the odds can be trusted, in this SVG file.",
)
@options.as_json(help="Print JSON, one object per line.")
def voice(
    pack: Language,
    models: tuple[Path, ...],
    count: int,
    conditions: str | None,
    voices: str | None,
    recordings: Path | None,
    measure: bool,
    write: bool,
    diagram: Path | None,
    as_json: bool,
) -> None:
    """Measure how well spoken moves are understood.

    It counts right, asked and refused moves, and wrong ones that were accepted. It also speaks
    illegal moves and other talk: half as many as moves, with --measure as many.
    """
    from blindplay.hearing.evaluation import report
    from blindplay.speech.models.folders import unread_choices

    if (write or diagram) and not measure:
        raise ValueError("--write and --diagram go with --measure: they show what was measured.")
    wanted = conditions or (report.MEASURED_IN if measure else report.CONDITIONS)
    others = count if measure else count // 2
    given = report.Options(models, count, others, wanted, _names(voices), recordings)
    if not models and (unread := unread_choices()):
        options.warn(unread)
    if measure:
        _measure_confidence(pack, given, write, diagram)
        return
    for figures in report.bench(pack, given):
        if isinstance(figures, str) != as_json:
            options.show(figures)


def _measure_confidence(
    pack: Language, given: "Options", write: bool, diagram: Path | None
) -> None:
    from blindplay.hearing.evaluation import report
    from blindplay.speech.confidence import confidence_file

    measured = report.measure(pack, given)
    for line in measured.lines:
        options.warn(line)
    if diagram is not None:
        title = "Moves, " + " and ".join(measured.confidence.measured["models"])
        diagram.write_text(measured.diagram(title), "utf-8")
    text = json.dumps(measured.confidence.as_json(), ensure_ascii=False, indent=1) + "\n"
    if not write:
        sys.stdout.write(text)
        return
    file = confidence_file(*report.listening(pack, given))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    print(file)


@bench.command()
@options.announced_in(help="Take this language as the one that is spoken.")
@options.models(
    help="Measure the model in this folder; it can be repeated. Without it, all are measured."
)
@_count
@_conditions
@_voices
@_recordings
@click.option("--enrol", is_flag=True, help="Also learn each voice from half of it.")
@options.as_json(help="Print JSON, one object per line.")
def models(
    pack: Language,
    models: tuple[Path, ...],
    count: int,
    conditions: str | None,
    voices: str | None,
    recordings: Path | None,
    enrol: bool,
    as_json: bool,
) -> None:
    """Compare speech models on the same utterances, each alone and up to three together.

    It prints the right, asked, refused and wrong moves, the effect of other speech, and the size,
    memory and processor time of the models.
    """
    from blindplay.hearing.evaluation import comparison, report

    wanted = conditions or comparison.CONDITIONS
    given = report.Options(models, count, count // 2, wanted, _names(voices), recordings)
    for line in comparison.compare(pack, given, enrolled=enrol):
        if isinstance(line, str) != as_json:
            options.show(line)


@bench.command()
@options.announced_in(help="Take this language as the one that is spoken.")
@options.models(
    help="Use the Vosk model in this folder instead of the chosen ones; it can be repeated."
)
@click.option(
    "--moves", type=click.IntRange(1, 100), default=40, help="Play so many moves of each player."
)
@click.option("--noise", default="clean", help="Play in this noise, such as 20 or pink10.")
@_voices
@click.option("--no-boards", is_flag=True, help="Play without boards: a press executes the move.")
@click.option("--full", is_flag=True, help="Announce with both squares instead of short forms.")
@click.option("--seed", type=_ONE_OR_MORE, default=1, help="Play another random game.")
def game(
    pack: Language,
    models: tuple[Path, ...],
    moves: int,
    noise: str,
    voices: str | None,
    no_boards: bool,
    full: bool,
    seed: int,
) -> None:
    """Count what a whole game by voice costs its players.

    Two synthesised voices play it at a real table. It counts the utterances and the questions for
    each move, and how long the table speaks.
    """
    from blindplay.bench.game import GameOptions, figures

    given = GameOptions(moves, models, _names(voices), noise, not no_boards, full, seed)
    options.show_all(figures(pack, given))


@bench.command()
@options.announced_in(help="Take this language as the one that is spoken.")
@options.models(
    help="Use the Vosk model in this folder instead of the chosen ones; it can be repeated."
)
@click.option(
    "--minutes", type=options.FiniteRange(0.1, 600), default=5.0, help="Talk so long of each kind."
)
@_voices
@click.option("--seed", type=_ONE_OR_MORE, default=1, help="Say other sentences.")
def talk(
    pack: Language, models: tuple[Path, ...], minutes: float, voices: str | None, seed: int
) -> None:
    """Count how often a table reacts to people who talk to each other.

    Synthesised voices talk near a real table, first about everyday matters, then about chess. They
    say nothing to the table, so each answer of it is one too many.
    """
    from blindplay.bench.talk import TalkOptions, figures

    options.show_all(figures(pack, TalkOptions(models, minutes, _names(voices), seed)))


@bench.command()
@click.option("--tables", type=_ONE_OR_MORE, multiple=True, default=(10, 100, 1000),
              help="Simulate so many tables; it can be repeated.")  # fmt: skip
@click.option(
    "--seconds", type=options.FiniteRange(1, 3600), default=20.0, help="Play so long, in seconds."
)
@click.option("--speed", type=options.FiniteRange(0.1, 100), default=1.0,
              help="Play so many times as fast as a rapid game.")  # fmt: skip
def hall(tables: tuple[int, ...], seconds: float, speed: float) -> None:
    """Measure how fast a hall follows its tables, and what it needs for that.

    The tables are simulated, the broker is a real Mosquitto on this machine.
    """
    from blindplay.bench.hall import measure

    options.show_all(measure(tables, seconds, speed))


@bench.command()
@options.announced_in(help="Measure with the words of this language.")
@click.option("--moves", type=click.IntRange(1, 100), default=20,
              help="Play so many moves at two tables over a bad line.")  # fmt: skip
def opponents(pack: Language, moves: int) -> None:
    """Measure opponents who are not in the room.

    It measures how soon their moves are heard, whether ears and keys wait for an engine that
    thinks, and the clocks of two tables over a line that delays and loses messages.
    """
    from blindplay.bench import distant_tables
    from blindplay.bench.opponents import figures, thinking_figures

    options.show_all(figures(pack))
    options.show_all(thinking_figures(pack))
    options.show_all(distant_tables.figures(moves))
