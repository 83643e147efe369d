"""The agreed settings of a game, in words."""

from collections.abc import Collection, Iterator, Mapping

from blindplay.language import Language
from blindplay.laws.clock import Period, TimeControl
from blindplay.laws.facts import SIDES, Setup


def settings_in_words(
    setup: Setup, names: Mapping[str, str], boards: Collection[str], pack: Language
) -> Iterator[str]:
    """One sentence for each thing that was agreed: players, time, kind of game, Laws, boards.

    ``names`` are the players' names as they can be spoken, empty for unknown ones. ``boards`` are
    the sides whose sensor boards are attached.
    """
    yield from players_in_words(names, pack)
    impaired = [side for side in SIDES if setup.player(side).impaired]
    for side in impaired:
        yield pack.sentence("settings_impaired", player=pack.sentence(side))
    if not impaired:
        yield pack.sentence("settings_impaired_none")
    control = TimeControl.parse(setup.time_control)
    if control.periods:
        yield pack.sentence("settings_time", time=time_control_in_words(control, pack))
    else:
        yield pack.sentence("clock_none")
    yield pack.sentence(f"settings_mode_{setup.mode}")
    yield from _edition(setup.edition, pack)
    for side in SIDES:
        if side in boards:
            yield pack.sentence("settings_board", player=pack.sentence(side))
    if not boards:
        yield pack.sentence("settings_boards_none")


def players_in_words(names: Mapping[str, str], pack: Language) -> Iterator[str]:
    """A sentence for each player whose name is known."""
    for side in SIDES:
        if names[side]:
            yield pack.sentence("settings_player", player=pack.sentence(side), name=names[side])


def time_control_in_words(control: TimeControl, pack: Language) -> str:
    """A time control as people say it. An increment that never changes is said once.

    >>> from blindplay.language import load
    >>> time_control_in_words(TimeControl.parse("5400+30"), load("en"))
    'one hour thirty minutes for all moves, with thirty seconds more for each move'
    """
    increments = [period.increment for period in control.periods]
    once = len(set(increments)) == 1
    parts: list[str] = []
    for number, period in enumerate(control.periods):
        parts.append(_period(period, pack, first=number == 0))
        last = number == len(control.periods) - 1
        if period.increment and (last or not once):
            parts.append(pack.sentence("time_increment", time=pack.duration(period.increment)))
    return ", ".join(parts)


def _period(period: Period, pack: Language, *, first: bool) -> str:
    key = "time_all" if first else "time_rest"
    if period.moves is None:
        return pack.sentence(key, time=pack.duration(period.base))
    key = "time_count" if first else "time_rest_count"
    count = pack.number(period.moves)
    return pack.sentence(key, time=pack.duration(period.base), count=count)


def _edition(edition: str, pack: Language) -> Iterator[str]:
    """The rule text: a year of FIDE's Laws, or a text with a sentence of its own."""
    name, _, year = edition.partition("-")
    if year.isdecimal():
        yield pack.sentence("settings_edition", year=pack.number(int(year)))
    elif f"settings_edition_{name}" in pack.sentences():
        yield pack.sentence(f"settings_edition_{name}")
