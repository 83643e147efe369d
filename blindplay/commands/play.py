"""``blindplay play`` and ``blindplay demo``: run a table."""

import datetime
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.console import PUBLIC_DELAY_S
from blindplay.conversation import OpeningWord
from blindplay.given import sentence_of
from blindplay.language import Command
from blindplay.laws import facts
from blindplay.table.choices import Printed
from blindplay.translation import UserError, _

from . import against, menu, options
from .lichess import with_found_game
from .play_options import OPTIONS, Address, PlayOption, PlayOptions, check
from .play_sources import (
    for_another_game,
    kept_values,
    with_event_settings,
    with_fetched_file,
    with_kept_options,
    with_ports,
    with_settings_of_later_games,
)
from .reader import user_language

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.opponents.player import AbsentPlayer
    from blindplay.table.devices import WantedDevices
    from blindplay.table.play import Companion, ConsoleAt, Ended, TableOptions
    from blindplay.typed_lines import TypedLines


_SHOWN = (Printed.WORDS, Printed.ALL)
_ASSIGNED = "assigned"  # beside the options that are kept with a game


class TableCommand(click.Command):
    """``blindplay play``. Its help shows the options of a first week, or all of them."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        wanted = [
            param for param in self.get_params(ctx) if options.shows_all(ctx) or _is_first(param)
        ]
        headings = groupby(wanted, lambda param: getattr(param, "heading", _("Help")))
        for heading, group in headings if options.shows_all(ctx) else [(_("Options"), wanted)]:
            with formatter.section(heading):
                formatter.write_dl([row for param in group if (row := param.get_help_record(ctx))])


def _is_first(option: click.Parameter) -> bool:
    return not isinstance(option, PlayOption) or option.first


def _play(**_: Any) -> int:
    """Run the command and return its exit status: 1 if a game is left that is not saved whole."""
    from blindplay.typed_lines import TypedLines

    given = with_fetched_file(PlayOptions.of(click.get_current_context()))
    offered = given.or_demo and not given.resume and given.against is None
    chosen = (
        menu.ask(options.load_language(given.language)) if offered and options.can_ask() else None
    )
    if chosen == "phone":
        from .certificate import make_certificate_once

        make_certificate_once()
        given = replace(given, console=True, host=given.host or "0.0.0.0")
    if isinstance(chosen, Path):
        given = replace(given, resume=True, journal=chosen)
    if given.as_service:
        given = _as_service(given)
    if given.resume:
        journal = _journal(given)
        given = with_kept_options(journal, replace(given, journal=journal))
        check(given)
        joined = _joined(given)
    else:
        joined = _joined(given)
        given = with_event_settings(given, joined)
        check(given)
        if chosen == "engine":
            given = replace(given, against="engine")
        given = against.with_opponent(given)
    devices = _devices(given)
    unasked = offered and chosen is None
    if chosen == "demo" or (unasked and not devices.any_present()):
        words = Printed.ALL if given.print is Printed.ALL else Printed.WORDS
        _demonstrate(given.journal, given.language, words, instead=unasked)
        return 0
    if joined is not None and given.await_pairing:
        return _play_rounds(given, devices, joined)
    if isinstance(given.against, Address):
        return _play_distant(given, devices)
    journal, lines = _journal(given), TypedLines(sys.stdin)
    if given.against == "lichess" and not given.resume:
        _check_table(journal, devices, given)
        with_game = with_found_game(given, options.load_language(given.language), lines, sys.stdout)
        if with_game is None:
            return 0
        given = with_game
    setup = None if given.resume else _setup(given)
    beside = _companion(joined), against.opponent(given)
    return int(not _run(given, journal, setup, devices, lines, joined, *beside).whole)


def _as_service(given: PlayOptions) -> PlayOptions:
    """The options with which a service continues the unfinished game, if there is one.

    :raises ValueError: if options do not go together, or nobody could play at the table.
    """
    from blindplay.record import games

    check(given)
    if not (given.console or given.await_pairing or _devices(given).any_present()):
        raise UserError(
            "Neither a microphone nor a board is there. Plug one in; then the table starts by "
            "itself."
        )
    left = games.left_unfinished()
    if left is None:
        return given
    # What holds for the next game may not be what this one was begun with.
    return replace(given, resume=True, journal=left.journal, typed=frozenset())


def _run(
    given: PlayOptions,
    journal: Path,
    setup: facts.Setup | None,
    devices: "WantedDevices",
    lines: "TypedLines",
    joined: "EventFile | None" = None,
    companion: "Companion | None" = None,
    opponent: "AbsentPlayer | None" = None,
    assigned: Mapping[str, Any] | None = None,
    follows: Callable[[], bool] = bool,
) -> "Ended":
    """Run the table, and play again at it as its players wish; return how the last game ended.
    ``setup`` None: the game is resumed. ``assigned``: how the hall has assigned it; ``follows``:
    whether it has given the next one."""
    from blindplay.record import files, games
    from blindplay.table.play import Ended, run
    from blindplay.table.play import check as check_table

    keeps_links = False
    ended: Ended | None = None

    def prepare(ended: Ended) -> None:
        nonlocal given, journal, setup, devices, opponent
        after = for_another_game(given, ended)
        wanted, path = _devices(with_ports(after, ended)), games.new_journal(journal.parent)
        check_table(path, wanted, _table_options(after, joined), None)  # the port is in use
        wanted.check_boards()
        setup, opponent = _setup(after), against.opponent(after)
        given, journal, devices = after, path, wanted

    while True:
        kept = kept_values(given, resumed=setup is None)
        if assigned is not None:
            kept[_ASSIGNED] = dict(assigned)
        table = replace(_table_options(given, joined), kept=kept)
        console = _console(given, joined)
        if console is not None:
            console = replace(console, keeps_links=keeps_links, after=ended)
        before = journal
        ended = run(journal, setup, devices, lines, sys.stdout, table, console, companion, opponent,
                    prepare, follows)  # fmt: skip
        if ended.again is None:
            return ended
        if journal.parent != games.tables_folder():
            pack = options.load_language(given.language)
            options.show(pack.printed("again_kept", path=journal))
        if given.console:
            from blindplay.console.access import keep_for_next_game

            links = (files.beside(game, ".links") for game in (before, journal))
            changes = ended.again is Command.REMATCH
            keeps_links = keep_for_next_game(*links, changes_colours=changes)
            keeps_links &= given.console_port != 0  # another port has other addresses


def _play_distant(given: PlayOptions, devices: "WantedDevices") -> int:
    """Play at two tables; return the exit status."""
    from blindplay.table.meeting_distant import MeetingPlace
    from blindplay.typed_lines import TypedLines

    against.check_voices(given)
    journal, lines = _journal(given), TypedLines(sys.stdin)
    if given.resume:
        setup, player = None, against.go_on(given, journal)
    else:
        _check_table(journal, devices, given)
        pack = options.load_language(given.language)
        place = MeetingPlace(pack, devices, lines, sys.stdout)
        met = against.meet(given, _setup(given), place)
        if met is None:
            return 0
        met.agreement.keep(journal)
        setup, player = met.setup, met.agreement.player(met.lifeline, voices=given.voices)
        given = replace(given, training=met.agreement.training)
    return int(not _run(given, journal, setup, devices, lines, opponent=player).whole)


def _play_rounds(given: PlayOptions, devices: "WantedDevices", joined: "EventFile") -> int:
    """Play one game after the other, each as the hall assigns it; return the exit status. A game
    that cannot be opened, because a device is missing for example, leaves the table waiting."""
    from blindplay.hall.table_side.between_games import AssignedGames
    from blindplay.record import games
    from blindplay.table.play import FinishedElsewhereError
    from blindplay.typed_lines import TypedLines

    lines = TypedLines(sys.stdin)
    assigned_games = AssignedGames(joined, games.tables_folder(), given.journal)
    status = 0

    def play(
        given: PlayOptions,
        journal: Path,
        setup: facts.Setup | None = None,
        assigned: Mapping[str, Any] | None = None,
    ) -> bool:
        """Play a game, or go on with it; return whether another one can follow."""
        nonlocal status
        try:
            ended = _run(given, journal, setup, devices, lines, joined, assigned_games.companion,
                        assigned=assigned, follows=lambda: assigned_games.known)  # fmt: skip
        except FinishedElsewhereError:  # the table has said so
            return True
        status = status or int(not ended.whole)
        return ended.over or ended.adjourned or ended.withdrawn or assigned_games.known

    goes_on = True
    if given.resume:
        journal = _journal(given)
        games.note(journal, left=False)
        assigned_games.resume(games.kept_options(journal).get(_ASSIGNED))
        goes_on = play(given, journal)
        given = _for_next_game(given, joined)
    else:
        _check_table(None, devices, given)
    while goes_on:
        pack = options.load_language(given.language)
        assigned = assigned_games.next(pack, devices, lines, sys.stdout)
        if assigned is None:
            games.leave_event()
            break
        try:
            given = _for_next_game(given, joined)
            if (left := assigned_games.begun) is None:
                setup = _setup(replace(given, **assigned))
                goes_on = play(given, games.new_journal(), setup, assigned)
            else:  # what was typed for each game is not what this one was begun with
                begun = replace(given, resume=True, journal=left, typed=frozenset())
                goes_on = play(with_kept_options(left, begun), left)
        except BrokenPipeError:  # nobody reads what this table prints
            raise
        except (ValueError, RuntimeError, OSError) as error:
            # The hall sees that the table waits still. It can give the game once more.
            options.warn(sentence_of(error))
            status = status or 2
    return status


def _for_next_game(given: PlayOptions, joined: "EventFile") -> PlayOptions:
    """The options of a game that the hall assigns, after those of the table: the rules are read
    anew from the event's file, or stay as they were read first if it is wrong now."""
    try:
        after = with_settings_of_later_games(given, _joined(given))
        check(after)
    except ValueError as error:
        options.warn(str(error))
        after = with_settings_of_later_games(given, joined)
        check(after)
    return after


def _check_table(journal: Path | None, devices: "WantedDevices", given: PlayOptions) -> None:
    """Look for what this table needs: nobody must find an opponent and then have no table."""
    from blindplay.table.play import check

    devices.boards()
    check(journal, devices, _table_options(given), _console(given))


def _joined(given: PlayOptions) -> "EventFile | None":
    """The event that the table plays at; None without a hall."""
    if given.hall is None:
        return None
    from blindplay.hall.event_file import read_event_file

    return read_event_file(given.hall, table=True)


def _companion(joined: "EventFile | None") -> "Companion | None":
    """Return the companion that publishes the table to a hall; None without a hall."""
    if joined is None:
        return None
    from blindplay.hall.table_side.between_games import publisher

    return lambda table, about: publisher(table, joined, about)


def _journal(given: PlayOptions) -> Path:
    """The file of the game: the one that is named, the last unfinished one, or a new one."""
    from blindplay.record import games

    if given.journal is not None or not given.resume:
        return given.journal or games.new_journal()
    return games.last_unfinished(of_event=bool({"hall", "await_pairing"} & set(given.typed)))


play = TableCommand(
    "play",
    params=[*OPTIONS.values(), options.help_all(_("Show all options and exit."))],
    callback=_play,
    help=_("Run a table with voice and board, or with typed words."),
)


def _devices(given: PlayOptions) -> "WantedDevices":
    from blindplay.table.devices import WantedDevices

    same = [field.name for field in fields(WantedDevices) if field.name in OPTIONS]
    values = {name: getattr(given, name) for name in same}
    if click.get_current_context().obj is not None:  # what is plugged in belongs to no table
        values = {"push_to_talk": given.push_to_talk, "phones_only": True}
    return WantedDevices(models=given.model, own=given.own, **values)


def _table_options(given: PlayOptions, joined: "EventFile | None" = None) -> "TableOptions":
    from blindplay.table.play import TableOptions

    # Phones may hear talk at a table that has no microphone.
    usual = OpeningWord.OPTIONAL if given.push_to_talk else OpeningWord.SINGLE
    return TableOptions(
        language=given.language,
        training=given.training,
        opening_word=given.opening_word or usual,
        printed=given.print,
        tape=given.tape,
        charge_dead_time=given.dead_time == "running",
        time_warnings=given.time_warnings or (),
        remind_after=given.remind,
        press_answer=given.press_answer,
        one_enter=given.against == "engine" and not given.press_apart,
        table="" if joined is None else joined.table,
        command=options.called(),
        as_service=given.as_service,
    )


def _console(given: PlayOptions, joined: "EventFile | None" = None) -> "ConsoleAt | None":
    from blindplay.table.play import ConsoleAt

    if not given.console:
        return None
    delay = PUBLIC_DELAY_S if given.public_delay is None else given.public_delay
    front = click.get_current_context().obj
    if front is not None:  # only that server is called from elsewhere
        given = replace(given, host=None, console_port=0, certificate=None, key=None, encrypt=False)
    return ConsoleAt(
        given.host,
        given.console_port,
        given.certificate,
        given.key,
        given.qr,
        given.remember_browsers or 0,
        delay if given.public else None,
        given.public_names,
        encrypt=given.encrypt,
        front=front,
        issuer=None if joined is None else joined.issuer(),
    )


def _setup(given: PlayOptions) -> facts.Setup:
    from blindplay.laws import editions
    from blindplay.laws.time_controls import mode_of, read_length, stored

    def player(side: str) -> facts.Player:
        return facts.Player(
            name=getattr(given, side),
            impaired=given.impaired in (side, "both"),
            hearing_impaired=getattr(given, f"{side}_hearing_impaired"),
            assistant=getattr(given, f"{side}_assistant"),
            language=_language_of(given, side),
        )

    control = stored(given.time_control)
    arbiter = "present" if given.arbiter else "automatic"
    return facts.Setup(
        t=0,
        who=given.who,
        request=given.request,
        edition=given.edition,
        mode=given.mode or mode_of(control, editions.load(given.edition)),
        supervised=given.supervised,
        variant="chess960" if given.chess960 else "chess",
        fen=given.fen,
        boards=given.boards,
        time_control=control.pgn,
        clock_mode=control.mode,
        announce_in=given.announce_in or _own_language(given),
        announce_check=given.check,
        quickplay_finish=given.quickplay_finish,
        arbiter="server" if given.against == "lichess" else arbiter,
        default_time=None if given.default_time is None else read_length(given.default_time),
        event=given.event,
        site=given.site,
        round=given.round,
        date=datetime.date.today().isoformat(),
        white=player("white"),
        black=player("black"),
    )


def _own_language(given: PlayOptions) -> str:
    """The language of announcements that nobody has chosen: the own one of those who play here,
    where nobody else must understand them. D.2.1 binds two players; "" is what the Laws say."""
    from blindplay.laws import editions

    people = facts.SIDES if given.against is None else (_person(given),)
    languages = {_language_of(given, side) for side in people}
    alone = given.against in ("engine", "lichess") or (given.training and given.against is None)
    free = editions.load(given.edition).switch("ranks_by_arbiter")
    own = languages.pop() if alone and free and len(languages) == 1 else "de"
    return "" if own == "de" else own


def _person(given: PlayOptions) -> str:
    """The side of the person who plays here against an engine or on Lichess."""
    return given.own or ("black" if given.impaired == "black" else "white")


def _language_of(given: PlayOptions, side: str) -> str:
    return getattr(given, f"{side}_language") or given.language


@click.command()
@click.option(
    "--journal", type=options.FILE, help=_("Keep the journal in this file, else nowhere.")
)
@click.option(
    "--language",
    default=user_language,
    show_default=_("that of the system, else English"),
    help=_("Take this language as the one that is spoken."),
)
@click.option("--print", "printed", default="words", type=options.MemberChoice(_SHOWN),
              help=_("Print a report (words), or every ruling, too (all)."))  # fmt: skip
def demo(journal: Path | None, language: str, printed: Printed) -> None:
    """Show a short game with emulated boards and synthetic voices."""
    _demonstrate(journal, language, printed)


def _demonstrate(
    journal: Path | None, language: str, printed: Printed, *, instead: bool = False
) -> None:
    from blindplay.table.demo import Shown, demonstrate

    options.load_language(language)
    demonstrate(sys.stdout, language, Shown(journal, printed, instead, options.called()))
