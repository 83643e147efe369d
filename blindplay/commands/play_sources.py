"""Where options of ``play`` come from besides the command line and the settings file: from the
hall, from an event's file, and from the game itself that is resumed."""

import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blindplay.given import LONGEST_LINE
from blindplay.language import Command
from blindplay.laws.clock import TimeControl
from blindplay.laws.facts import SIDES, Setup
from blindplay.laws.state import OTHER
from blindplay.laws.time_controls import stored, written
from blindplay.translation import UserError, _

from . import options
from .play_options import OPTIONS, PlayOptions, setting

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile
    from blindplay.table.play import Ended


# --- the hall


def with_fetched_file(given: PlayOptions) -> PlayOptions:
    """``given`` with the file of the table in place of a ticket, fetched from the hall.

    :raises ValueError: one sentence, if the ticket does not lead to a file.
    """
    if given.hall is None:  # as most often: it need not wait for the import of what joins
        return given
    from blindplay.hall.table_side.joining import join, ticket_of
    from blindplay.record.games import halls_folder

    ticket = ticket_of(str(given.hall))
    if ticket is None:
        return given
    digits, address = ticket
    if not address:
        address = _answer(_("Which address stands beside the ticket on the hall's page?"))
    joined, path = join(digits, address, _which, halls_folder())
    options.show(
        _(
            "This is table {table} of {title}. Its file is {path}.",
            table=joined.table,
            title=joined.title,
            path=path,
        )
    )
    options.show(_("From now on you can start the table with:"))
    waits = " --await-pairing" if given.await_pairing else ""
    options.show(f"    {options.called()} play --hall {path}{waits}")
    return replace(given, hall=path)


def _which(tables: Sequence[str]) -> str:
    return _answer(
        _("Which table is this? There are tickets for: {tables}.", tables=", ".join(tables))
    )


def _answer(question: str) -> str:
    options.show(question)
    line = sys.stdin.readline(LONGEST_LINE).strip()
    if not line:
        raise UserError("There is no answer; type the ticket as the hall's page shows it.")
    return line


# --- an event's file


def with_event_settings(given: PlayOptions, joined: "EventFile | None") -> PlayOptions:
    """``given``, completed by the settings of the event's file. Typed options count more, and so do
    language and devices in the user's settings file. Rules that the file does not name are the
    usual ones, whatever the user's settings are.

    :raises ValueError: one sentence, if a setting is wrong.
    """
    if joined is None:
        return given
    usual = PlayOptions()
    settings: dict[str, Any] = {
        name: value if (value := getattr(usual, name)) is None else option.stored(value)
        for name, option in OPTIONS.items()
        if option.of_the_event and name not in given.typed
    }
    for name, value in joined.play.items():
        try:
            option = setting(name)
            stored = option.stored(value)
        except ValueError as error:
            raise UserError("The event's file: {error}", error=error) from None
        if option.name not in (given.typed if option.of_the_event else given.chosen):
            settings[str(option.name)] = stored
    return replace(given, **settings)


def with_settings_of_later_games(given: PlayOptions, joined: "EventFile | None") -> PlayOptions:
    """The options for the games after one whose options are ``given``, also after a resumed one:
    those of the event's file, except typed ones and those of language and devices.

    :raises ValueError: one sentence, if a setting of the file is wrong.
    """
    same = {
        name: getattr(given, name)
        for name, option in OPTIONS.items()
        if option.kept and not (option.of_each_game or option.of_the_console)
    }
    if given.own_language:  # the language of a game that came from another machine
        del same["language"]
        given = replace(given, language=given.own_language, own_language="")
    typed = {
        name: OPTIONS[name].stored(value)
        for name, value in _typed_for_each_game(given).items()
        if name in OPTIONS and OPTIONS[name].of_each_game
    }
    return replace(with_event_settings(given, joined), **same, **typed)


def _typed_for_each_game(given: PlayOptions) -> dict[str, Any]:
    """The options that were typed here, or when the table was started that is resumed, and that
    hold for each game which it plays."""
    typed = {name: _plain(getattr(given, name)) for name in given.typed
            if OPTIONS[name].of_each_game}  # fmt: skip
    return {**given.typed_before, **typed}


# --- the game that is resumed


def kept_values(given: PlayOptions, *, resumed: bool = False) -> dict[str, Any]:
    """The options of a new game that are kept, by name, and in ``typed`` those that were typed for
    each game; of a game that is resumed only how its pages are served now."""
    kept = {
        name: f"{value}s" if option.type is options.LENGTH and value is not None else _plain(value)
        for name, option in OPTIONS.items()
        if (option.of_the_console if resumed else option.kept)
        for value in (getattr(given, name),)
    }
    if resumed:
        return kept
    if given.engine is not None and (program := shutil.which(given.engine)):
        kept["engine"] = _plain(Path(program))
    return {**kept, "typed": _typed_for_each_game(given), "own": given.own}


def _plain(value: Any) -> Any:
    """A value as JSON holds it, and as it could be typed in any folder."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Path):
        return str(value.absolute())
    return value if value is None or isinstance(value, bool) else str(value)


def with_kept_options(journal: Path, given: PlayOptions) -> PlayOptions:
    """``given``, completed by the options with which the game began.

    :raises ValueError: if something was typed that contradicts the game, or the options cannot be
        read.
    :raises JournalError: if the journal cannot be read.
    """
    from blindplay.record import games, read_journal

    (setup, *_rest) = [*read_journal(journal).facts, None]
    if not isinstance(setup, Setup):
        return given  # the table says what is wrong with it
    _check(journal, setup, given)
    impaired = next((side for side in SIDES if setup.player(side).impaired), "white")
    language = setup.player(impaired).language or None
    file, kept_options = games.options_of(journal), games.kept_options(journal)
    if not kept_options and file.exists():  # else a game against the computer would lose it unheard
        raise UserError(
            "The options of the game, {file}, cannot be read; move that file elsewhere, and "
            "type again what the game was begun with, such as --against engine.",
            file=file,
        )
    kept = {"language": language, **kept_options}
    before, moved = kept.get("typed"), not file.is_file()
    values = {
        name: option.stored(kept[name])
        for name, option in OPTIONS.items()
        if option.kept
        and name not in given.typed
        and kept.get(name) is not None
        and not (option.of_the_console and "console" in given.chosen)
    }
    for name in ("certificate", "key"):
        if name in values and not values[name].is_file():
            raise UserError(
                "The pages of this game were encrypted with {file}, which is not there any more; "
                "put it back, or type how they are served now, such as --console --host 0.0.0.0.",
                file=values[name],
            )
    own = str(kept["own"]) if kept.get("own") in SIDES else ""
    return replace(
        given, typed_before=before if isinstance(before, dict) else {}, own=own,
        own_language=given.language if moved and "language" in values else "", **values,
    )  # fmt: skip


# --- the game after this one at the same table


def for_another_game(given: PlayOptions, ended: "Ended") -> PlayOptions:
    """The options of another game of the same people, after the one that ``ended`` with the options
    ``given``. The devices and assistants stay with their people, whatever colours these have."""
    values = {**_options_of(ended.setup), "boards": ended.setup.boards}
    values |= {f"{side}_assistant": side in ended.assisted for side in SIDES}
    impaired = values["impaired"]
    usual = impaired if impaired in SIDES else "black" if ended.swapped else "white"
    own = OTHER[given.own] if given.own and ended.swapped else given.own or usual
    values |= {"own": own, "journal": None, "resume": False, "dead_time": "nobody"}
    same = replace(given, **values)
    if ended.again is not Command.REMATCH:
        return same
    names = ("", "_language", "_hearing_impaired", "_assistant")
    changed: dict[str, Any] = {
        f"{side}{name}": getattr(same, f"{OTHER[side]}{name}") for side in SIDES for name in names
    }
    return replace(
        same,
        impaired=OTHER.get(same.impaired, same.impaired),
        own=OTHER[own],
        **changed,
    )


def with_ports(given: PlayOptions, ended: "Ended") -> PlayOptions:
    """``given`` with the ports at which the boards were during the game that ``ended``: a port in
    use is not found by its maker's name. Not to be kept: tomorrow the board is at another one."""
    own, opponents = ended.boards
    return replace(
        given,
        board=given.board and (own or given.board),
        sighted_board=given.sighted_board and (opponents or given.sighted_board),
    )


def _check(journal: Path, setup: Setup, given: PlayOptions) -> None:
    """Raise ValueError if one of the typed options is not as the game has it."""
    for name, own in _options_of(setup).items():
        if name not in given.typed or _same(name, getattr(given, name), own):
            continue
        option = f"--{name.replace('_', '-')}"
        has = f"{option} {own}" if not isinstance(own, bool) else _switch(option, own)
        raise ValueError(
            _(
                "The game in {journal} was begun with {has}; leave yours out to continue "
                "it, or begin another game without --resume.",
                journal=journal,
                has=has,
            )
            if own != ""
            else _(
                "The game in {journal} was begun with no {option}; leave yours out to "
                "continue it, or begin another game without --resume.",
                journal=journal,
                option=option,
            )
        )


def _switch(option: str, on: bool) -> str:
    return option if on else option.replace("--", "--no-", 1)


def _same(name: str, typed: Any, own: Any) -> bool:
    if name == "time_control":
        return stored(typed) == stored(own)
    return bool(typed == own)


def _options_of(setup: Setup) -> dict[str, Any]:
    """The options that would give this game, by name."""
    impaired = [side for side in SIDES if setup.player(side).impaired]
    values = {name: getattr(setup, name) for name in OPTIONS if hasattr(setup, name)}
    control = TimeControl.parse(setup.time_control)
    values["time_control"] = written(replace(control, mode=setup.clock_mode))
    late = setup.default_time
    values["default_time"] = None if late is None else options.default_time_of(late // 1000)
    values["check"] = setup.announce_check
    values["chess960"] = setup.variant == "chess960"
    values["arbiter"] = setup.arbiter == "present"
    values["impaired"] = impaired[0] if len(impaired) == 1 else "both" if impaired else "none"
    for side in SIDES:
        player = setup.player(side)
        values[side] = player.name
        values[f"{side}_language"] = player.language
        values[f"{side}_hearing_impaired"] = player.hearing_impaired
        values[f"{side}_assistant"] = player.assistant
    return values
