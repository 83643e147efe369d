"""A new event, and its rounds: ``blindplay hall init``, ``pair``, ``where``, ``results`` and
``standings``."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.given import LONGEST_LINE, plain
from blindplay.translation import Message, UserError, _, join_texts

from . import options
from .reader import user_language

if TYPE_CHECKING:
    from blindplay.hall.pairings.giving import AssignmentResult
    from blindplay.hall.pairings.played import Entered, PlayerRound
    from blindplay.language import Language

# --- a new event


def _number(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isascii() and text.isdigit() and len(text) < 6 and 0 < int(text) <= most:
            return int(text)
        raise UserError("Write a number from 1 to {most}.", most=most)

    return read


def _title(text: str) -> str:
    if not text:
        raise UserError("Write at least one letter.")
    return text


def _languages(text: str) -> tuple[str, ...]:
    codes = tuple(code.strip() for code in text.split(",") if code.strip())
    for code in codes:
        options.load_language(code)
    if not codes:
        raise UserError("Write at least one language, such as de, or several: de, en.")
    return codes


def _host(text: str) -> str:
    if not text or not all(sign.isascii() and (sign.isalnum() or sign in "-.:") for sign in text):
        raise UserError("Write a name or an address, such as 192.168.1.20.")
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
    "default_time": (_("Take this default time, such as 30m: how late a player may come (6.7.1)."),
                     _("How late may a player come before the game is forfeited (6.7.1)? Write 0 "
                     "if nobody may come late."), options.DEFAULT_TIME.parse, lambda: "30m"),
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
@click.option("--port", type=click.IntRange(1, 65535), default=8883, show_default=True,
              help=_("Use this TCP port for the broker."))  # fmt: skip
@options.flag("encrypt", _("Add a certificate of the event, so that the tables encrypt their pages "
              "for phones. Each phone must trust it once."))  # fmt: skip
def init(folder: Path | None, port: int, encrypt: bool, **given: str | None) -> None:
    """Set up an event: its file, one for each table, and the configuration of its broker.

    It asks for each setting that no option gives, one question after the other. Enter takes the
    usual answer. If only --default-time is left out, the edition of the Laws decides it.
    """
    from blindplay.hall.new_event import (
        HALL_FILE,
        READER_FILE,
        EventPlan,
        check_new,
        short_name,
        write_event,
    )

    values = {"title": _value("title", given["title"])}
    folder = folder or Path(short_name(values["title"]))
    check_new(folder)  # before all the other questions
    asked = {name for name in _QUESTIONS if name != "title" and given[name] is None}
    values |= {
        name: None if asked == {name} == {"default_time"} else _value(name, given[name])
        for name in _QUESTIONS
        if name != "title"
    }
    write_event(EventPlan(**values, port=port, encrypt=encrypt), folder)
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
            _(
                "Whoever shows the games elsewhere gets {file}. It follows all tables, and decides "
                "at none.",
                file=folder / READER_FILE,
            ),
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
        line = sys.stdin.readline(LONGEST_LINE)
        if not line:
            raise UserError("There is no answer; give --{name}.", name=name.replace("_", "-"))
        try:
            return read(line.strip() or usual())
        except ValueError as error:
            options.show(str(error))


# --- a round and its tables


_BYES = {
    "": _("{name} has no opponent in this round."),
    "full": _("{name} has no opponent in this round, and gets one point."),
    "half": _("{name} does not play in this round, and gets half a point."),
    "zero": _("{name} does not play in this round."),
}
_PATIENCE_S = 10.0  # until a broker answers
_SET_UP_S = 20.0  # until a table has said the pairing and set its game up
event_option = click.option(
    "--hall",
    "event_file",
    type=options.FILE,
    default="hall.toml",
    show_default=True,
    help=_("Use this file, the hall's own one of the event."),
)


def round_option(text: str) -> Callable[[click.decorators.FC], click.decorators.FC]:
    """The option that chooses a round, with this help."""
    return click.option("--round", "number", type=click.IntRange(1, 99), help=text)


_round = round_option(_("Take this round of the file."))
_say = click.option("--say", "aloud", is_flag=True, help=_("Speak it, too."))


@click.command()
@click.argument("file", type=options.FILE, required=False, help=_("Read this report file (TRF), "
                "which has the whole round, or table (CSV). Without it, the round stays as it "
                "is."))  # fmt: skip
@event_option
@_round
@click.option("--withdraw", "gone", multiple=True, metavar="NAME", help=_("Take this player out of "
              "the round. It can be given several times."))  # fmt: skip
@click.option("--whole", is_flag=True, help=_("The table (CSV) is the whole round. Without this, "
              "only the tables and players that it names are changed."))  # fmt: skip
@click.option("--undo", is_flag=True, help=_("Take the last change of the pairings back."))
@click.option("--at", "begins", metavar="TIME", help=_("Begin the round at this time, such as "
              "14:00 today or '2026-11-30 14:00'. Without it, its first game is the "
              "beginning."))  # fmt: skip
@options.as_json(help=_("Print JSON, one object for each line."))
def pair(
    file: Path | None,
    event_file: Path,
    number: int | None,
    gone: tuple[str, ...],
    whole: bool,
    undo: bool,
    begins: str | None,
    as_json: bool,
) -> None:
    """Give the games of a round to the tables, which say them at the boards.

    The tables are started with blindplay play --await-pairing. The pairings come from a pairing
    program. Do it again without a file for tables that were not there; the others stay as they are.
    A game that has not begun is replaced or withdrawn.

    A pair that cannot be read is named and left out. The exit status is 2 then.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import TableCalls
    from blindplay.hall.overview import meant
    from blindplay.hall.pairings import giving, played, rounds
    from blindplay.hall.pairings.decided import set_start, time_of

    at = None if begins is None else time_of(begins)
    if undo and (file or gone or begins or number is not None):
        raise UserError(
            "--undo takes back what was done last; leave the file, --withdraw, --at and "
            "--round out."
        )
    new = None if file is None else rounds.read_round(file, number, options.warn)
    for sentence in new.left_out if new else ():
        options.warn(sentence)
    joined = read_event_file(event_file, table=False)
    with rounds.changing(joined.folder), TableCalls(joined) as calls:
        if not calls.gather(_PATIENCE_S):
            raise UserError("The broker cannot be reached; start it, or correct its address.")
        with calls.follower.lock:
            names = list(calls.follower.tables)
        if undo:
            changed, earlier = rounds.undo_round(joined.folder)
            before: rounds.Round | None = changed
            now = earlier or rounds.Round(changed.round, ())
        else:
            earlier = rounds.kept_round(joined.folder, number if new is None else new.round)
            before = earlier and rounds.with_tables(earlier, names)
            merges = not (whole or (file is not None and rounds.is_whole(file)))
            if new is not None and merges:
                _show_otherwise(rounds.typed_otherwise(before, new), as_json=as_json)
            now = rounds.changed(before, new, gone, names, merges=merges)
            rounds.keep_round(joined.folder, now)
            if at is not None:
                set_start(joined.folder, now.round, at, "hall pair")
        now, forfeited = played.without_forfeited(now, joined.folder)
        given, withdrawn = giving.assign_round(calls, now, before, seconds=_SET_UP_S)
    if undo and not as_json:
        again = _("Round {round} is paired as before.", round=now.round)
        gone_now = _("Round {round} is not paired any more.", round=now.round)
        options.show(again if earlier else gone_now)
    if at is not None and not as_json:
        options.show(_("Round {round} begins at {time}.", round=now.round, time=meant(at)))
    for assigned in given:
        options.show(
            _assignment_row(assigned) if as_json else assignment_words(assigned, event_file)
        )
    never = {(one.table, one.white, one.black) for one in forfeited}
    for taken in withdrawn:
        game = taken.game
        if taken.status == "unreachable" and (game.table, game.white, game.black) in never:
            continue  # nobody has to go to a table that is not there for a game that is decided
        options.show(
            {**_assignment_row(taken), "withdrawn": True} if as_json else _withdrawal_words(taken)
        )
    for one in forfeited:
        row = {"round": one.round, "table": one.table, "white": one.white, "black": one.black,
               "status": "forfeited"}  # fmt: skip
        words = _(
            "Table {table}: {white} – {black}: {why}",
            table=one.table,
            white=one.white,
            black=one.black,
            why=_("forfeited, so the table does not get it."),
        )
        options.show(row if as_json else words)
    for name in now.resting:
        bye = now.byes.get(name, "")
        row = {"resting": name, "bye": bye}
        options.show(row if as_json else Message(_BYES[bye], {"name": name}))
    if new is not None and new.left_out:
        raise click.exceptions.Exit(2)
    begun = any(one.status == "refused" for one in withdrawn)
    if begun or any(one.status != "done" for one in given):
        raise click.exceptions.Exit(1)


def _show_otherwise(players: Mapping[str, str], *, as_json: bool) -> None:
    for name, player in players.items():
        words = _("{name} is taken for {player}, who is in this round.", name=name, player=player)
        options.show({"name": name, "player": player} if as_json else words)


def _withdrawal_words(taken: "AssignmentResult") -> str:
    why = {
        "done": _("withdrawn."),
        "refused": _("withdrawn, but its game has begun; go there."),
    }.get(taken.status, _("withdrawn. The table does not know it; go there."))
    return _about_table(taken, why)


def _about_table(result: "AssignmentResult", why: str) -> str:
    game = result.game
    return _(
        "Table {table}: {white} – {black}: {why}",
        table=game.table,
        white=game.white,
        black=game.black,
        why=why,
    )


def _assignment_row(assigned: "AssignmentResult") -> dict[str, object]:
    game = assigned.game
    return {"round": game.round, "table": game.table, "white": game.white, "black": game.black,
            "status": assigned.status, "sentence": assigned.sentence,
            "state": assigned.state.value if assigned.state else "",
            "seen": assigned.seen}  # fmt: skip


_STATES = {
    "set_up": _("set up."),
    "plays": _("it has begun."),
    "next": _("waiting. The table sets it up when the game before is left with quit."),
    "resumed": _("resumed. The table waits for its people."),
}
_UNOPENED = {
    "set_up": _("taken, but not set up yet; look at the table."),
    "resumed": _("taken, but not opened yet; look at the table."),
}
_WHY = {
    "done": _UNOPENED["set_up"],
    "unknown": _("not assigned. It was started without --await-pairing."),
    "unreachable": _("not assigned. It is not connected; go there."),
}


def assignment_words(assigned: "AssignmentResult", event_file: Path) -> str:
    """What became of a game that a table was given and, if it was begun before, the command that
    opens it there."""
    game = assigned.game
    state = assigned.state.value if assigned.state else ""
    why = (_UNOPENED if assigned.is_unopened else _STATES).get(state)
    if assigned.plays is not None:
        why = _(
            "not assigned. The table plays another game: {white} – {black}, round {round}.",
            white=assigned.plays.white,
            black=assigned.plays.black,
            round=assigned.plays.round,
        )
    number = f" --round {game.round}" if game.round.isdecimal() else ""
    again = f'{options.called()} hall resume "{game.white}"{number} --hall {event_file}'
    if state == "plays" and not assigned.seen:
        why = _("it has begun, and the table has left it; go on with: {command}", command=again)
    elif state == "over":
        why = _(
            "it is over already, and is not played again; correct its result with: {command}",
            command=again,
        )
    no_answer = _("not assigned. The table gave no answer.")
    if assigned.sentence:
        no_answer = _("not assigned. {sentence}", sentence=assigned.sentence)
    return _about_table(assigned, why or _WHY.get(assigned.status) or no_answer)


@click.command()
@click.argument("name", required=False, default="", help=_("Resume the game of this player; a part "
                "of the name is enough. Without it, all adjourned games are resumed."))  # fmt: skip
@event_option
@round_option(_("Resume games of this round, also those that are over, so that a result can be "
                "corrected."))  # fmt: skip
@options.as_json(help=_("Print JSON, one object for each line."))
def resume(name: str, event_file: Path, number: int | None, as_json: bool) -> None:
    """Let tables go on with games that they have left.

    Each adjourned game goes on at its table, which must wait for a pairing, or have a game that is
    over. The table needs its journal. People open the envelope there.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import TableCalls
    from blindplay.hall.pairings import giving

    if number is not None and not name:
        raise UserError("Name the player whose game of this round is resumed.")
    joined = read_event_file(event_file, table=False)
    games = giving.begun_games(joined.folder, number, name)
    if not games:
        raise UserError("There is no adjourned game; name a player and the --round of a game.")
    with TableCalls(joined) as calls:
        if not calls.gather(_PATIENCE_S):
            raise UserError("The broker cannot be reached; start it, or correct its address.")
        resumed = giving.resume_games(calls, games, _SET_UP_S)
    for one in resumed:
        options.show(_assignment_row(one) if as_json else assignment_words(one, event_file))
    if any(one.status != "done" or one.is_unopened for one in resumed):
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("name", help=_("Look for this player; a part of the name is enough."))
@event_option
@round_option(_("Look in this round. Without it, it is the newest one."))
@options.language(help=_("Answer in this language."))
@_say
def where(name: str, event_file: Path, number: int | None, pack: "Language", aloud: bool) -> None:
    """Say where a player plays."""
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.pairings.rounds import kept_round, place_in_words
    from blindplay.hall.pairings.rounds import where as where_plays

    paired = kept_round(read_event_file(event_file, table=False).folder, number)
    if paired is None:
        raise UserError("This round is not paired yet; do it with: blindplay hall pair FILE")
    places = where_plays(paired, name)
    if not places:
        raise UserError("Nobody of this name is in this round; check the name.")
    _tell([place_in_words(place, paired, pack) for place in places], pack, aloud=aloud)


@click.command()
@click.argument("file", type=options.FILE, required=False, help=_("Read this report file (TRF) or "
                "table (CSV)."))  # fmt: skip
@event_option
@_round
@click.option(
    "--output", type=options.FILE, help=_("Write this file. Without it, it is called NAME-results.")
)
@click.option("--player", metavar="NAME", help=_("Instead, print the games of this player in all "
              "rounds; a part of the name is enough."))  # fmt: skip
@options.overwrite
@options.as_json(help=_("Print JSON, one object for each line."))
def results(
    file: Path | None,
    event_file: Path,
    number: int | None,
    output: Path | None,
    player: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write the results of a round into a copy of a report file or a table.

    They come from the hall's copies of the journals. The copy differs from the file in nothing
    else. A result that is in the file already stays, unless the arbiter has corrected it at the
    table since. If games have no result yet, the command ends with status 1.

    A pair that cannot be read is named and left out. The exit status is 2 then.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.pairings.played import enter_results, rounds_of
    from blindplay.hall.pairings.rounds import read_result_file
    from blindplay.record import files

    if (file is None) == (player is None):
        raise UserError("Give either a file or --player.")
    if file is None:
        assert player is not None
        rounds = rounds_of(read_event_file(event_file, table=False).folder, player)
        options.show_all(player_lines(rounds, as_json=as_json))
        return
    if output is not None and output.absolute() == file.absolute():
        raise UserError("The copy needs another name than the file; choose one with --output.")
    options.check_new(output, overwrite=overwrite)
    output = output or file.with_name(f"{file.stem}-results{file.suffix}")
    folder = read_event_file(event_file, table=False).folder
    report = read_result_file(file)
    with about_file(file):
        number = number or report.open_round()
        entered = enter_results(report, number, folder)
        left_out = report.left_out(number)
    for sentence in (*report.remarks, *left_out):
        options.warn(sentence)
    files.write_new(output, report.content())
    for entry in entered:
        options.show(_entered_row(entry) if as_json else _entered_words(entry))
    missing = sum(entry.missing for entry in entered)
    if as_json:
        options.show({"file": str(output), "missing": missing})
    else:
        options.show(_("The results are in {output}.", output=output))
    if missing:
        if not as_json:
            options.show(_("Games without a result: {count}.", count=missing))
            if any(one.missing and one.game and one.game.state == "adjourned" for one in entered):
                options.show(_("Adjourned games go on with:"))
                options.show(f"    {options.called()} hall resume --hall {event_file}")
        raise click.exceptions.Exit(2 if left_out else 1)
    if left_out:
        raise click.exceptions.Exit(2)


def player_lines(
    rounds: Iterable["PlayerRound"], *, as_json: bool
) -> Iterator[dict[str, object] | str]:
    """What is said of a player's games and byes in these rounds."""
    from blindplay.hall.pairings.played import Entered, PlayedGames, pair_of

    for one in rounds:
        place = one.place
        if place is not None and place.pairing is None:
            row: dict[str, object] = {"round": one.round, "resting": place.name, "bye": place.bye}
            words = Message(_BYES[place.bye], {"name": place.name})
            about = _("Round {round}", round=one.round)
            yield row if as_json else join_texts(": ", (about, words))
        played = PlayedGames(one.games)
        games = []
        for own in one.games:
            doubt = played.doubt(*own.players)
            if doubt != "played" or not own.declared_by:  # else said with the game at a table
                games.append(Entered(own.table, *own.players, own, doubt or "open"))
        paired = place and place.pairing
        if paired and pair_of(*paired.players) not in {pair_of(*one.players) for one in one.games}:
            games.append(Entered(paired.table, *paired.players, None, "open"))
        for game in games:
            if as_json:
                yield {"round": one.round, **_entered_row(game)}
                continue
            about = _("Round {round}, table {table}", round=one.round, table=game.board)
            yield _entered_words(replace(game, board=about))


@contextlib.contextmanager
def about_file(file: Path | None) -> Iterator[None]:
    """Name the file, if there is one, in the message of an error about what it holds."""
    try:
        yield
    except ValueError as error:
        raise ValueError(join_texts(": ", filter(None, (file, error)))) from None


def _entered_row(row: "Entered") -> dict[str, object]:
    game = row.game
    return {"board": row.board, "white": row.white, "black": row.black, "status": row.status,
            "table": game.table if game else "", "result": game.result if game else "",
            "signed": list(game.signed) if game else [],
            "state": game.state if game else "",
            "conflict": game is not None and game.in_conflict,
            "forfeited": game is not None and game.forfeited,
            "former": list(game.former) if game else [],
            "reason": game.reason if game else ""}  # fmt: skip


_ENTERED = {
    "there": _("no table has a result; that of the file stays."),
    "twice": _("not entered: two tables have different results. Ask the arbiter."),
    "played": _(
        "not entered: it was declared forfeited, but a table has begun it. Ask the arbiter."
    ),
}

_BESIDE = {
    "other": _("The file says something else, which stays."),
    "there": _("The result of the file stays."),
    "replaced": _("It replaces the one in the file."),
    "conflict": _("It is not entered."),
    "twice": _("Another table has another result. Ask the arbiter."),
    "withdrawn": _("The file still has a forfeit that was taken back; delete it there."),
}
"""What is said beside the result of a table."""


def _entered_words(row: "Entered") -> str:
    from blindplay.hall.pairings.played import OPEN, SIGNED

    game, beside = row.game, _BESIDE.get(row.status, "")
    if game is not None and game.result and row.status != "played":
        what = _("{result}, {signed}.", result=game.result, signed=SIGNED[game.signed])
        if game.forfeited:
            what = _("{result}, forfeited.", result=game.result)
        if game.declared_by:
            what = _(
                "{result}, forfeited; declared in the hall by {who}.",
                result=game.result,
                who=game.declared_by,
            )
        said = [what, beside]
        if game.former and not game.declared_by:
            reason = game.reason.rstrip(".")
            said.append(_("The arbiter has corrected it: {reason}.", reason=reason))
    elif row.status in _ENTERED:
        said = [_ENTERED[row.status]]
    else:
        said = [OPEN.get(game.state if game else "", OPEN["setup"]), beside]
    if game is not None and game.in_conflict:
        said.append(
            _("This game went on in two ways; both are in the hall's folder. Ask the arbiter.")
        )
    words = join_texts(" ", filter(None, said))
    return join_texts(": ", (row.board, f"{row.white} – {row.black}", words))


@click.command()
@click.argument("file", type=options.FILE, help=_("Read this report file (TRF)."))
@options.language(help=_("Speak and print in this language."))
@_say
@options.as_json(help=_("Print JSON, one object for each line."))
def standings(file: Path, pack: "Language", aloud: bool, as_json: bool) -> None:
    """Print the standings, ranked as in the report file of the pairing program.

    A file without ranks is ordered by points, and that is said. If its points are older than its
    results, that is said first.
    """
    from blindplay.given import PAIRINGS, read_bytes
    from blindplay.hall.pairings import trf
    from blindplay.wording.values import standing_in_words

    with about_file(file):
        report = trf.read_trf(read_bytes(file, PAIRINGS), plain(str(file)))
        table = trf.standings(report)
    for remark in report.remarks:
        options.warn(remark)
    counted, decimal = report.counted, pack.printed("decimal")
    if as_json:
        options.show({"counted": counted, "played": report.played, "ranks": report.has_ranks})
        options.show_all(vars(row) for row in table)
        return
    rows = []
    if not report.has_ranks:
        rows.append((pack.sentence("standings_by_points"),) * 2)
    if counted is None:
        rows.append((pack.sentence("standings_differ"),) * 2)
    elif counted < report.played:
        numbers = str(counted + 1), pack.number(counted + 1)
        printed, spoken = (pack.sentence("standings_old", round=number) for number in numbers)
        rows.append((printed, spoken))
    for row in table:
        key, points = "standing" if row.points else "standing_place", row.points
        printed = pack.sentence(
            key, rank=str(row.rank), name=row.name, points=points.replace(".", decimal)
        )
        rows.append((printed, standing_in_words(row.rank, row.name, points, pack)))
    _tell(rows, pack, aloud=aloud)


def _tell(rows: Iterable[tuple[str, str]], pack: "Language", *, aloud: bool) -> None:
    """Print each sentence, and with ``aloud`` speak it to its end. Each is given twice: as it is
    printed, and as a voice can speak it."""
    with contextlib.ExitStack() as stack:
        say = open_voice(stack, pack) if aloud else None
        for printed, spoken in rows:
            print(plain(printed), flush=True)
            if say is not None:
                say(spoken)


def open_voice(stack: contextlib.ExitStack, pack: "Language") -> Callable[[str], object]:
    """What speaks a sentence to everybody, to its end."""
    from blindplay.speech.speaker import Output
    from blindplay.table.devices import open_speaker

    speaker = open_speaker(stack, pack, options.warn)
    stack.callback(speaker.close)

    def say(words: str) -> None:
        speaker.say(words, to=Output.PUBLIC)
        speaker.wait()

    return say
