"""Values of sentences in words: names and texts of people, numbers, times; and what is said before
a game with them: the pairing, the standings, the agreed settings."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Protocol

from blindplay.language import Language
from blindplay.laws.clock import Period, TimeControl
from blindplay.laws.facts import SIDES, Setup
from blindplay.laws.time_controls import read_length
from blindplay.speech.synthesis import is_words

from .names import typed


class Written(str):
    """A text as people have written it, such as a name. A voice speaks its digits one by one."""

    __slots__ = ()


Value = str | int | timedelta
"""A value in a sentence: words as they are spoken, or a number or time that becomes words."""


class Tell(Protocol):
    """Says a sentence of the language packs to everybody at a table."""

    def __call__(self, key: str, **values: Value) -> object: ...


def in_words(value: Value, pack: Language) -> str:
    """``value`` as a voice can speak it.

    >>> from blindplay.language import load
    >>> in_words(Written("Anna 21"), load("de")), in_words(1657, load("sv"))
    ('Anna zwei eins', 'ettusensexhundrafemtiosju')
    """
    if isinstance(value, timedelta):
        return pack.duration(round(value.total_seconds() * 1000))
    if isinstance(value, int):
        return pack.number(value)
    return speakable(value, pack) if isinstance(value, Written) else value


@dataclass(frozen=True)
class Pairing:
    """One game of a round. Names are as people say them."""

    round: str
    table: str
    """The name of the table."""
    white: str
    black: str
    bye: str = ""
    """``white`` has no game, and this kind of bye: full, half, zero, or none if that is unknown."""

    @property
    def players(self) -> tuple[str, str]:
        return self.white, self.black

    def __contains__(self, name: str) -> bool:
        """Return whether a player has this name, however it is typed."""
        return bool(typed(name)) and typed(name) in map(typed, self.players)


def pairing_in_words(pairing: Pairing, pack: Language) -> str:
    """A pairing as a voice can speak it.

    >>> from blindplay.language import load
    >>> pairing_in_words(Pairing("3", "table-4", "Anna Berg", "Bert Dahl"), load("en"))
    'Round three, table four: Anna Berg has White against Bert Dahl.'
    """
    if pairing.bye:
        number, name = number_in_words(pairing.round, pack), speakable(pairing.white, pack)
        return pack.sentence(f"pairing_{pairing.bye}", round=number, name=name)
    return pack.sentence(
        "pairing" if pairing.round else "pairing_of_table",
        round=number_in_words(pairing.round, pack),
        table=number_in_words(pairing.table, pack),
        white=speakable(pairing.white, pack) or pack.sentence("white"),
        black=speakable(pairing.black, pack) or pack.sentence("black"),
    )


def number_in_words(label: str, pack: Language) -> str:
    """The number in the name of a table or of a round; other names as they can be spoken, and the
    digits of longer numbers one by one."""
    number = re.search(r"(?<!\d)(\d{1,4})\D*$", label)
    return pack.number(int(number[1])) if number else speakable(label.replace("-", " "), pack)


def speakable(name: str, pack: Language) -> str:
    """A name in words only; a digit is spoken by itself, so "Anna 21" is "Anna zwei eins"."""
    parts = re.findall(r"\d|[^\d\s]+", name)
    words = (pack.number(int(part)) if part.isdecimal() else part for part in parts)
    return " ".join(filter(is_words, words))


def standing_in_words(rank: int, name: str, points: str, pack: Language) -> str:
    """A line of the standings as a voice can speak it. ``points`` are as printed: "2.5".

    >>> from blindplay.language import load
    >>> standing_in_words(1, "Anna Berg", "2.5", load("en"))
    'Place one: Anna Berg. Points: two and one half.'
    """
    return pack.sentence(
        "standing" if points else "standing_place",
        rank=pack.number(rank),
        name=speakable(name, pack),
        points=_points_in_words(points, pack),
    )


def _points_in_words(points: str, pack: Language) -> str:
    whole, _rest, part = points.partition(".")
    number = pack.number(int(whole or 0))
    if not part.strip("0"):
        return number
    if part.strip("0") != "5":  # points may be counted otherwise
        return f"{number} {' '.join(pack.number(int(digit)) for digit in part)}"
    return (
        pack.sentence("points_and_half", whole=number)
        if int(whole or 0)
        else pack.sentence("points_half")
    )


# A time has at most 99 hours, 999 minutes or 99 999 seconds.
_MOST_DIGITS = 5


def write_time(milliseconds: float, *, hours: bool = False) -> str:
    """A time as clocks show it, with hours from one hour on, or always with ``hours``.

    It is rounded down, so it never shows more time than there is. Negative times are zero.

    >>> write_time(3_909_999), write_time(299_000), write_time(299_000, hours=True)
    ('1:05:09', '4:59', '0:04:59')
    """
    minutes, seconds = divmod(int(max(0, milliseconds)) // 1000, 60)
    whole_hours, rest = divmod(minutes, 60)
    if whole_hours or hours:
        return f"{whole_hours}:{rest:02}:{seconds:02}"
    return f"{minutes}:{seconds:02}"


def read_time(text: str) -> int:
    """The seconds of a time as people write it.

    :raises ValueError: another text

    >>> read_time("1:30:00"), read_time("59:30"), read_time("1h30m"), read_time("90")
    (5400, 3570, 5400, 90)
    """
    if text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS:
        return int(text)
    return read_length(text) // 1000


def settings_in_words(
    setup: Setup, names: Mapping[str, str], boards: Collection[str], pack: Language
) -> Iterator[str]:
    """One line for each matter that was agreed: players, who sees badly, time, kind of game and
    Laws, boards.

    ``names`` are the players' names as they can be spoken, empty for unknown ones. ``boards`` are
    the sides whose sensor boards are attached.
    """
    if any(names[side] for side in SIDES):
        yield " ".join(players_in_words(names, pack))
    impaired = [side for side in SIDES if setup.player(side).impaired]
    told = [pack.sentence("settings_impaired", player=pack.sentence(side)) for side in impaired]
    yield " ".join(told) or pack.sentence("settings_impaired_none")
    yield time_in_settings(setup, pack)
    mode = pack.sentence(f"settings_mode_{setup.mode}")
    yield " ".join((mode, *_edition(setup.edition, pack)))
    yield " ".join(boards_in_words(boards, pack)) or pack.sentence("settings_boards_none")


def time_in_settings(setup: Setup, pack: Language) -> str:
    """The time that each player has, in a sentence."""
    control = TimeControl.parse(setup.time_control)
    if not control.periods:
        return pack.sentence("clock_none")
    control = replace(control, mode=setup.clock_mode)
    return pack.sentence("settings_time", time=time_control_in_words(control, pack))


def boards_in_words(boards: Collection[str], pack: Language) -> Iterator[str]:
    """A sentence for each board with sensors."""
    for side in SIDES:
        if side in boards:
            yield pack.sentence("settings_board", player=pack.sentence(side))


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
            time = pack.duration(period.increment)
            parts.append(pack.sentence(f"time_{control.mode}", time=time))
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
    name, _rest, year = edition.partition("-")
    if year.isdecimal():
        yield pack.sentence("settings_edition", year=pack.number(int(year)))
    elif f"settings_edition_{name}" in pack.sentences():
        yield pack.sentence(f"settings_edition_{name}")
