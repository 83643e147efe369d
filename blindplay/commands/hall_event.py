"""A new event, and its rounds: ``blindplay hall init``, ``pair``, ``where``, ``results`` and
``standings``."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.given import plain
from blindplay.translation import _, join_texts

from . import options
from .reader import user_language

if TYPE_CHECKING:
    from blindplay.hall.pairings.rounds import AssignmentResult, Entered
    from blindplay.language import Language

# --- a new event


def _number(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) <= most:
            return int(text)
        raise ValueError(_("Write a number from 1 to {most}.", most=most))

    return read


def _title(text: str) -> str:
    if not text:
        raise ValueError(_("Write at least one letter."))
    return text


def _languages(text: str) -> tuple[str, ...]:
    codes = tuple(code.strip() for code in text.split(",") if code.strip())
    for code in codes:
        options.load_language(code)
    if not codes:
        raise ValueError(_("Write at least one language, such as de, or several: de, en."))
    return codes


def _host(text: str) -> str:
    if not text or not all(sign.isascii() and (sign.isalnum() or sign in "-.:") for sign in text):
        raise ValueError(_("Write a name or an address, such as 192.168.1.20."))
    return text


def _own_address() -> str:
    from blindplay.console.server import reached_at

    return reached_at()


_QUESTIONS: dict[str, tuple[str, str, Callable[[str], Any], Callable[[], str]]] = {
    "title": (_("Call the event by this name."), _("What is the event called?"), _title, lambda:
        ""),
    "rounds": (_("Play so many rounds."), _("How many rounds has it?"), _number(99), lambda: "9"),
    "edition": (_("Use this edition of the Laws."), _("Under which edition of the Laws is it "
    "played?"),
                options.EDITION.parse, lambda: "fide-2023"),
    "time_control": (_("Give each player this time, such as 90m+30s."),
                     _("How much time has each player?"), options.TIME_CONTROL.parse,
                     lambda: "90m+30s"),
    "tables": (_("Write files for so many tables, called 1, 2, and so on."),
               _("How many tables are there? Count one or two more than you need."), _number(1000),
               lambda: "10"),
    "languages": (_("Speak these languages at the tables, such as de,en."),
                  _("In which languages do the tables speak? The first one is the usual one."),
                  _languages, user_language),
    "host": (_("Use this name or address, by which the tables reach the machine of the broker."),
             _("Under which name or address do the tables reach the machine of the broker?"), _host,
             _own_address),
}  # fmt: skip
"""For each option: its help, the question, what reads the answer, and the usual answer."""


@click.command()
@click.option("--folder", type=options.FOLDER, help=_("Write the files into this new folder."),
              show_default=_("the event's name"))  # fmt: skip
def init(folder: Path | None, **given: str | None) -> None:
    """Set up an event: its file, one for each table, and the configuration of its broker.

    It asks for each setting that no option gives, one question after the other. Enter takes the
    usual answer.
    """
    from blindplay.hall.new_event import HALL_FILE, EventPlan, check_new, short_name, write_event

    values = {"title": _value("title", given["title"])}
    folder = folder or Path(short_name(values["title"]))
    check_new(folder)  # before all the other questions
    values |= {name: _value(name, given[name]) for name in _QUESTIONS if name != "title"}
    write_event(EventPlan(**values), folder)
    called, own = options.called(), folder / HALL_FILE
    options.show_all(
        [
            _("The files of the event are in the folder {folder}.", folder=folder),
            _("First start the broker, and leave it running:"),
            f"    {called} hall broker {own}",
            _("In another window start the hall:"),
            f"    {called} hall serve {own} --host 0.0.0.0",
            _(
                "Its page gives each table a ticket. Or copy each table's file to the machine of "
                "the table, and start the table with it:"
            ),
            f"    {called} play --hall table-1.toml",
            _("Keep these files to yourself. They hold passwords."),
        ]
    )


init.params[:0] = [
    click.Option([f"--{name.replace('_', '-')}"], help=text)
    for name, (text, *_) in _QUESTIONS.items()
]


def _value(name: str, given: str | None) -> Any:
    """The value of an option, or of the answer to its question."""
    _rest, question, read, usual = _QUESTIONS[name]
    if given is not None:
        try:
            return read(given.strip())
        except ValueError as error:
            option = f"--{name.replace('_', '-')}"
            raise ValueError(join_texts(": ", (option, error))) from None
    options.show(question)
    if usual():
        options.show(_("Enter alone means {usual}.", usual=usual()))
    while True:
        line = sys.stdin.readline()
        if not line:
            raise ValueError(_("There is no answer; give --{name}.", name=name.replace("_", "-")))
        try:
            return read(line.strip() or usual())
        except ValueError as error:
            options.show(str(error))


# --- a round and its tables


_PATIENCE_S = 10.0  # until a broker answers
_event = click.option(
    "--hall",
    "event_file",
    type=options.FILE,
    default="hall.toml",
    show_default=True,
    help=_("Use this file, the hall's own one of the event."),
)
_round = click.option(
    "--round", "number", type=click.IntRange(1, 99), help=_("Take this round of the file.")
)
_say = click.option("--say", "aloud", is_flag=True, help=_("Speak it, too."))


@click.command()
@click.argument("file", type=options.FILE, help=_("Read this report file (TRF) or table (CSV)."))
@_event
@_round
@options.as_json(help=_("Print JSON, one object for each line."))
def pair(file: Path, event_file: Path, number: int | None, as_json: bool) -> None:
    """Give the games of a round to the tables, which say them at the boards.

    The tables are started with blindplay play --await-pairing. The pairings come from a pairing
    program. Do it again for tables that were not there; the others stay as they are.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import TableCalls
    from blindplay.hall.pairings.rounds import assign_round, keep_round, read_round, with_tables

    paired = read_round(file, number)
    joined = read_event_file(event_file, table=False)
    with TableCalls(joined) as calls:
        if not calls.gather(_PATIENCE_S):
            raise ValueError(_("The broker cannot be reached; start it, or correct its address."))
        with calls.follower.lock:
            names = list(calls.follower.tables)
        paired = with_tables(paired, names)
        keep_round(joined.folder, paired)
        given = assign_round(calls, paired)
    for assigned in given:
        options.show(_assignment_row(assigned) if as_json else _assignment_words(assigned))
    for name in paired.resting:
        options.show(
            {"resting": name} if as_json else _("{name} has no opponent in this round.", name=name)
        )
    if any(assigned.status != "done" for assigned in given):
        raise click.exceptions.Exit(1)


def _assignment_row(assigned: "AssignmentResult") -> dict[str, object]:
    game = assigned.game
    return {"round": game.round, "table": game.table, "white": game.white, "black": game.black,
            "status": assigned.status, "sentence": assigned.sentence}  # fmt: skip


_WHY = {
    "done": _("the table has it."),
    "unknown": _("not assigned. It was started without --await-pairing."),
    "unreachable": _("not assigned. It is not connected; go there."),
}


def _assignment_words(assigned: "AssignmentResult") -> str:
    why = _WHY.get(assigned.status) or (
        _("not assigned. {sentence}", sentence=assigned.sentence)
        if assigned.sentence
        else _("not assigned. The table gave no answer.")
    )
    return _(
        "Table {table}: {white} – {black}: {why}",
        table=assigned.game.table,
        white=assigned.game.white,
        black=assigned.game.black,
        why=why,
    )


@click.command()
@click.argument("name", help=_("Look for this player; a part of the name is enough."))
@_event
@click.option(
    "--round",
    "number",
    type=click.IntRange(1, 99),
    help=_("Look in this round. Without it, it is the one that was paired last."),
)
@click.option("--language", default=user_language, show_default=_("that of the system, else "
    "English"),
              help=_("Answer in this language."))  # fmt: skip
@_say
def where(name: str, event_file: Path, number: int | None, language: str, aloud: bool) -> None:
    """Say where a player plays."""
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.pairings.rounds import kept_round, place_in_words
    from blindplay.hall.pairings.rounds import where as where_plays

    pack = options.load_language(language)
    paired = kept_round(read_event_file(event_file, table=False).folder, number)
    if paired is None:
        raise ValueError(_("This round is not paired yet; do it with: blindplay hall pair FILE"))
    places = where_plays(paired, name)
    if not places:
        raise ValueError(_("Nobody of this name is in this round; check the name."))
    _tell([place_in_words(place, paired, pack) for place in places], pack, aloud=aloud)


@click.command()
@click.argument("file", type=options.FILE, help=_("Read this report file (TRF) or table (CSV)."))
@_event
@_round
@click.option(
    "--output", type=options.FILE, help=_("Write this file. Without it, it is called NAME-results.")
)
@options.as_json(help=_("Print JSON, one object for each line."))
def results(
    file: Path, event_file: Path, number: int | None, output: Path | None, as_json: bool
) -> None:
    """Write the results of a round into a copy of a report file or a table.

    They come from the hall's copies of the journals. The copy differs from the file in nothing
    else. A result that is in the file already stays.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.pairings.rounds import enter_results, read_result_file
    from blindplay.record import files

    output = output or file.with_name(f"{file.stem}-results{file.suffix}")
    options.check_folder_of(output)
    if output.absolute() == file.absolute():
        raise ValueError(_("The copy needs another name than the file; choose one with --output."))
    folder = read_event_file(event_file, table=False).folder
    report = read_result_file(file)
    with _about(file):
        entered = enter_results(report, number or report.open_round(), folder)
    files.write_new(output, report.content())
    for entry in entered:
        options.show(_entered_row(entry) if as_json else _entered_words(entry))
    options.show(
        {"file": str(output)} if as_json else _("The results are in {output}.", output=output)
    )


@contextlib.contextmanager
def _about(file: Path) -> Iterator[None]:
    """Name the file in the message of an error about what it holds."""
    try:
        yield
    except ValueError as error:
        raise ValueError(join_texts(": ", (file, error))) from None


def _entered_row(row: "Entered") -> dict[str, object]:
    game = row.game
    return {"board": row.board, "white": row.white, "black": row.black, "status": row.status,
            "table": game.table if game else "", "result": game.result if game else "",
            "signed": list(game.signed) if game else []}  # fmt: skip


_SIGNED = {
    (): _("not signed"),
    ("white",): _("signed by White only"),
    ("black",): _("signed by Black only"),
    ("white", "black"): _("signed by both"),
}
_ENTERED = {
    "open": _("no result yet."),
    "twice": _("not entered: two tables have different results. Ask the arbiter."),
}


def _entered_words(row: "Entered") -> str:
    game, what = row.game, _ENTERED.get(row.status, "")
    if game is not None and game.result:
        what = _("{result}, {signed}.", result=game.result, signed=_SIGNED[game.signed])
        if row.status == "other":
            stays = _("The file says something else, which stays.")
            what = join_texts(" ", (what, stays))
    return join_texts(": ", (row.board, f"{row.white} – {row.black}", what))


@click.command()
@click.argument("file", type=options.FILE, help=_("Read this report file (TRF)."))
@click.option("--language", default=user_language, show_default=_("that of the system, else "
    "English"),
              help=_("Speak and print in this language."))  # fmt: skip
@_say
@options.as_json(help=_("Print JSON, one object for each line."))
def standings(file: Path, language: str, aloud: bool, as_json: bool) -> None:
    """Print the standings, ranked as in the report file of the pairing program."""
    from blindplay.given import read_bytes
    from blindplay.hall.pairings import trf
    from blindplay.hall.pairings.rounds import MOST_BYTES
    from blindplay.wording.values import standing_in_words

    pack = options.load_language(language)
    with _about(file):
        table = trf.standings(trf.read_trf(read_bytes(file, MOST_BYTES)))
    if as_json:
        options.show_all(vars(row) for row in table)
        return
    rows = []
    for row in table:
        key = "standing" if row.points else "standing_place"
        printed = pack.sentence(key, rank=str(row.rank), name=row.name, points=row.points)
        rows.append((printed, standing_in_words(row.rank, row.name, row.points, pack)))
    _tell(rows, pack, aloud=aloud)


def _tell(rows: Iterable[tuple[str, str]], pack: "Language", *, aloud: bool) -> None:
    """Print each sentence, and with ``aloud`` speak it to its end. Each is given twice: as it is
    printed, and as a voice can speak it."""
    with contextlib.ExitStack() as stack:
        say = _voice(stack, pack) if aloud else None
        for printed, spoken in rows:
            print(plain(printed), flush=True)
            if say is not None:
                say(spoken)


def _voice(stack: contextlib.ExitStack, pack: "Language") -> Callable[[str], object]:
    from blindplay.speech.speaker import Output
    from blindplay.table.devices import open_speaker

    speaker = open_speaker(stack, pack, options.warn)
    stack.callback(speaker.close)

    def say(words: str) -> None:
        speaker.say(words, to=Output.PUBLIC)
        speaker.wait()

    return say
