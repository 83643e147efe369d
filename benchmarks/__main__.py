"""Measure how fast and how well BlindPlay works on this machine.

python -m benchmarks [--language LANGUAGE]
python -m benchmarks COMMAND --help
"""

from pathlib import Path
from typing import Any

import click

from blindplay.commands.options import FiniteRange
from blindplay.language import Language

from . import attempts as attempts_
from . import boards as boards_
from . import command_options as options
from . import comparison, distant_tables, laws_and_words
from . import game as game_
from . import hall as hall_
from . import host as host_
from . import opponents as opponents_
from . import pages as pages_
from . import pauses as pauses_
from . import phone as phone_
from . import sheets as sheets_
from . import table_voice as table_voice_
from . import talk as talk_
from . import voice as voice_
from .command_options import show


@click.group(invoke_without_command=True, context_settings={"show_default": True})
@options.language
@click.pass_context
def benchmarks(context: click.Context, pack: Language) -> None:
    """Measure the Laws, words, a board, speech and an opponent, or what a command says."""
    if context.invoked_subcommand is None:
        show(laws_and_words.measure(pack))


@benchmarks.command()
@options.language
@click.option("--cases", type=click.IntRange(1), default=1000, help="Explain so many boards.")
def slips(pack: Language, cases: int) -> None:
    """Measure how often and how fast boards on which hands have slipped are explained."""
    show(laws_and_words.measure_reconciling(pack, cases))


@benchmarks.command()
@click.option("--moves", type=click.IntRange(1), default=500, help="Make so many random moves.")
@click.option("--firmware", is_flag=True, help="Measure the real firmware in its emulator.")
def boards(moves: int, firmware: bool) -> None:
    """Measure how fast and how reliably a pegged board reports hands."""
    show((boards_.firmware_figures if firmware else boards_.figures)(moves=moves))


@benchmarks.command()
@click.option("--games", type=click.IntRange(1), default=20, help="Write so many games.")
@click.option(
    "--from",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Take them from the PGN files in this folder instead of random ones.",
)
def sheets(games: int, folder: Path | None) -> None:
    """Measure how many pairs of scoresheets are read whole.

    Each game is written in the letters of every country with the slips of people.
    """
    show(sheets_.figures(games, folder))


@benchmarks.command()
@options.language
@options.models
@options.voices
@click.option("--count", type=click.IntRange(4), default=60, help="Say so many moves.")
@options.seed
def phone(pack: Language, **given: Any) -> None:
    """Measure how well moves are understood through the page on a player's phone.

    It takes three times as long as the moves are spoken, for each is heard through a real browser.
    """
    show(phone_.figures(pack, voice_.Options(**given)))


@benchmarks.command()
@options.speech(voice_.CONDITIONS)
def voice(pack: Language, **given: Any) -> None:
    """Measure how well spoken moves are understood.

    It counts right, asked and refused moves, and wrong ones that were accepted. It also speaks
    half as many illegal moves, and as much other talk.
    """
    show(voice_.figures(pack, voice_.Options(**given)))


@benchmarks.command()
@options.speech(comparison.CONDITIONS)
@click.option("--enrol", is_flag=True, help="Also learn each voice from half of it.")
def models(pack: Language, enrol: bool, **given: Any) -> None:
    """Compare speech models on the same utterances, each alone and up to three together.

    Without --model, all models of the language are compared.
    """
    show(comparison.compare(pack, voice_.Options(**given), enrolled=enrol))


@benchmarks.command()
@options.language
@options.models
@click.option(
    "--moves", type=click.IntRange(1, 100), default=40, help="Play so many moves of each player."
)
@click.option("--noise", default="clean", help="Play in this noise, such as 20 or pink10.")
@options.voices
@click.option("--boards/--no-boards", default=True, help="Without boards, a press executes.")
@click.option("--full", is_flag=True, help="Announce with both squares instead of short forms.")
@click.option("--others", "others_db", type=FiniteRange(0, 60),
              help="Let somebody else name a move before each, so many dB softer.")  # fmt: skip
@click.option("--varies", "varies_db", type=FiniteRange(0, 30), default=0.0,
              help="Speak so many dB louder or softer.")  # fmt: skip
@click.option("--farther", "farther_db", type=FiniteRange(0, 60), default=0.0,
              help="Speak so many dB softer in the second half.")  # fmt: skip
@options.seed
def game(pack: Language, **given: Any) -> None:
    """Count what a whole game by voice costs its players.

    Two synthesised voices play it at a real table. It counts the utterances and the questions for
    each move, and how long the table speaks.
    """
    show(game_.figures(pack, game_.GameOptions(**given)))


@benchmarks.command()
@options.language
@options.models
@click.option("--count", type=click.IntRange(1), default=60, help="Say so many in each noise.")
@options.noises
@options.voices
@click.option("--everyday", is_flag=True, help="Say them in forms that nobody was taught.")
@options.seed
def attempts(pack: Language, **given: Any) -> None:
    """Count which attempts to announce a move get an answer.

    A synthesised voice announces a move, alone in a quiet room, and waits for an answer.
    """
    show(attempts_.figures(pack, attempts_.AttemptOptions(**given)))


@benchmarks.command()
@options.language
@options.models
@click.option("--pairs", type=click.IntRange(1), default=200, help="Say so many announcements.")
@options.voices
@click.option("--misheard", is_flag=True, help="Say another rank before the pause.")
@options.seed
def pauses(pack: Language, **given: Any) -> None:
    """Count what a pause within an announcement does.

    A synthesised voice says each announcement in two parts. Between them the room is quiet, or
    somebody coughs, another person talks, or the table speaks.
    """
    show(pauses_.figures(pack, pauses_.PauseOptions(**given)))


@benchmarks.command()
@options.language
@options.models
@click.option("--count", type=click.IntRange(4), default=60, help="Say so many announcements.")
@options.noises
@options.voices
@options.seed
def table_voice(pack: Language, **given: Any) -> None:
    """Measure how well the table's public and private voices are understood.

    Give ears that were trained on people with --model; the built-in ones learned from one of the
    voices.
    """
    show(table_voice_.figures(pack, table_voice_.TableVoiceOptions(**given)))


@benchmarks.command()
@options.language
@options.models
@click.option("--minutes", type=FiniteRange(0.1, 600), default=5.0, help="Talk so long of each.")
@options.voices
@options.seed
def talk(pack: Language, **given: Any) -> None:
    """Count how often a table reacts to people who talk to each other.

    Synthesised voices talk near a real table, first about everyday matters, then about chess. They
    say nothing to the table, so each answer of it is one too many.
    """
    show(talk_.figures(pack, talk_.TalkOptions(**given)))


@benchmarks.command()
@click.option("--tables", type=click.IntRange(1), multiple=True, default=(10, 100, 1000),
              help="Simulate so many tables; it can be repeated.")  # fmt: skip
@click.option("--seconds", type=FiniteRange(1, 3600), default=20.0, help="Play so many seconds.")
@click.option("--speed", type=FiniteRange(0.1, 100), default=1.0,
              help="Play so many times as fast as a rapid game.")  # fmt: skip
def hall(tables: tuple[int, ...], seconds: float, speed: float) -> None:
    """Measure how fast a hall follows its tables, and what it needs for that.

    The tables are simulated, the broker is a real Mosquitto on this machine.
    """
    show(hall_.measure(tables, seconds, speed))


@benchmarks.command()
@options.language
@click.option("--tables", type=click.IntRange(1, 50), default=10,
              help="Measure so many tables beside one alone.")  # fmt: skip
@click.option("--seconds", type=FiniteRange(8, 600), default=60.0, help="Talk for so many seconds.")
def host(pack: Language, tables: int, seconds: float) -> None:
    """Measure what several tables on one computer need while half of their players talk."""
    try:
        show(host_.figures(pack, tables, seconds))
    except host_.NoProcessesError as error:
        raise click.UsageError(str(error)) from None


@benchmarks.command()
@options.language
@click.option("--moves", type=click.IntRange(1, 100), default=20,
              help="Play so many moves at two tables over a bad line.")  # fmt: skip
def opponents(pack: Language, moves: int) -> None:
    """Measure opponents who are not in the room.

    It measures how soon their moves are heard, whether ears and keys wait for an engine that
    thinks, and the clocks of two tables over a line that delays and loses messages.
    """
    show(opponents_.figures(pack))
    show(opponents_.thinking_figures(pack))
    show(distant_tables.figures(moves))


@benchmarks.command()
@click.option("--pages", type=click.IntRange(1, 1000), multiple=True, default=(4, 100),
              help="Open so many pages, of all roles in turn; it can be repeated.")  # fmt: skip
@click.option(
    "--against",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also measure the version of BlindPlay in this folder, in turns with this one.",
)
@click.option("--load", is_flag=True,
              help="Measure instead how soon a browser has a page on a slow line.")  # fmt: skip
def pages(pages: tuple[int, ...], against: Path | None, load: bool) -> None:
    """Measure how soon open pages show a fact, and with how many bytes, over 400 plies."""
    if load:
        try:
            show(pages_.load(against))
        except pages_.NoBrowserError as error:
            raise click.UsageError(str(error)) from None
        return
    for number in pages:
        show(pages_.measure(number, pages_.WINDOWS, against))


if __name__ == "__main__":
    options.run(benchmarks)
