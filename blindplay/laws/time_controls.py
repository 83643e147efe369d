"""Time controls as people write them, and the kind of game that follows from one (A.1, B.1)."""

import re
from dataclasses import replace
from itertools import pairwise

from blindplay.translation import UserError

from .clock import Period, TimeControl
from .editions import Edition

_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000  # milliseconds
_UNITS = {"h": _HOUR, "m": _MINUTE, "min": _MINUTE, "'": _MINUTE, "′": _MINUTE, "’": _MINUTE,
          "s": _SECOND, "sec": _SECOND, '"': _SECOND, "″": _SECOND, "”": _SECOND}  # fmt: skip
_TIME = re.compile("([0-9]{1,7}(?:[.][0-9]{1,3})?)(h|min|m|'|′|’|sec|s|\"|″|”)", re.ASCII)
_TIMES = re.compile(f"(?:([0-9]{{1,3}})/)?((?:{_TIME.pattern})+)", re.ASCII)
_HOUR_AND_MINUTES = re.compile("(?<=[0-9]h)([0-5]?[0-9])(?![0-9.hms'′’\"″”])", re.ASCII)
_AS_ON_A_CLOCK = re.compile(
    "(?:([0-9]{1,3}):(?=[0-5][0-9]:))?([0-9]{1,3}):([0-5][0-9])(?![0-9:/])", re.ASCII
)
_MODES = {"d": "delay", "b": "bronstein", "delay": "delay", "bronstein": "bronstein"}
# What is done with the seconds of each move, as a last word or before their number.
_MODE = re.compile("(?:[;,+]?([db])([0-9.]{1,6})s?|(delay|bronstein))", re.ASCII)
# As federations in America and servers write it, in minutes: 40/120,SD/30;+30 or G/60 or 15|10.
_AMERICAN = re.compile(
    "((?:[0-9]{1,3}/[0-9]{1,3},)*)(?:g/?|sd/?)([0-9]{1,3})(?:[;,]?[+]([0-9]{1,3})s?)?", re.ASCII
)
_BARRED = re.compile("([0-9]{1,3})[|]([0-9]{1,3})", re.ASCII)
_AS_PGN = re.compile(r"[0-9.]+|[0-9]+/[0-9.]+", re.ASCII)
_MOST_MINUTES = 180  # a smaller number without a unit may be meant in minutes
_LONGEST_TIME = 1000 * _HOUR
_LONGEST = 100  # characters


def read(text: str) -> TimeControl:
    """The time control in ``text``.

    - ``90m+30s``: 90 minutes, and 30 seconds for each move. A unit is h, m, min, s or sec.
    - ``40/90m+30m+30s``: 40 moves in 90 minutes, then 30 minutes, and 30 seconds for each move.
    - ``5400+30``, ``40/5400+30:1800+30``: PGN's form, in seconds.
    - ``15:00+10s``, ``1:30:00``: the first time as on a clock.
    - ``G/60``, ``40/120,SD/30;+30``, ``15|10``: minutes, and seconds for each move.
    - ``G/60 d5``, ``60m d5s``, ``60m+5s delay``: a delay of 5 seconds instead; ``b`` and
      ``bronstein`` likewise.
    - ``-``: no clock.

    >>> read("40/90m+30m+30s").pgn
    '40/5400+30:1800+30'

    :raises ValueError: one sentence, if it is not a time control, or if it has two readings.
    """
    compact = "".join(text.lower().split())
    if len(compact) > _LONGEST:
        raise _unreadable(text)
    compact = _as_units(_HOUR_AND_MINUTES.sub(r"\1m", compact))
    found = next((one for one in _MODE.finditer(compact) if one.end() == len(compact)), None)
    if found is None:
        return _read(compact, text)
    if not found.start():
        raise _unreadable(text)
    added = f"+{found[2]}s" if found[2] else ""
    control = _read(compact[: found.start()] + added, text)
    if not all(period.increment for period in control.periods):
        raise _unreadable(text)  # there is nothing to delay
    return replace(control, mode=_MODES[found[1] or found[3]])


def _as_units(text: str) -> str:
    """``text`` with units, where it begins with a time as on a clock: ``15m0s`` for ``15:00``."""
    match = _AS_ON_A_CLOCK.match(text)
    if match is None:
        return text
    hours = f"{match[1]}h" if match[1] else ""
    return f"{hours}{match[2]}m{match[3]}s{text[match.end() :]}"


def stored(text: str) -> TimeControl:
    """The time control of a text that was kept: what :func:`written` gives, or PGN's form.

    :raises ValueError: if it is another text.
    """
    if all(_AS_PGN.fullmatch(part) for part in re.split("[+:]", text)):
        return TimeControl.parse(text)
    return read(text)


def written(control: TimeControl) -> str:
    """The text of a time control, which :func:`read` reads as it is.

    >>> written(read("G/3;+2")), written(read("40/5400+30:1800+30 delay"))
    ('3m+2s', '40/90m+30s:30m+30s delay')
    """
    parts = []
    for period in control.periods:
        moves = f"{period.moves}/" if period.moves else ""
        minutes = not period.base % _MINUTE
        base = f"{period.base // _MINUTE}m" if minutes else f"{period.base / _SECOND:.12g}s"
        increment = f"+{period.increment / _SECOND:.12g}s" if period.increment else ""
        parts.append(f"{moves}{base}{increment}")
    mode = "" if control.mode == "increment" else f" {control.mode}"
    return (":".join(parts) or "-") + mode


def _read(compact: str, text: str) -> TimeControl:
    """A time control without a word about its seconds, in small letters without spaces."""
    barred, american = _BARRED.fullmatch(compact), _AMERICAN.fullmatch(compact)
    if barred:
        return _read(f"{barred[1]}m+{barred[2]}s", text)
    if american:
        first = american[1].replace(",", "m+")
        return _read(f"{first}{american[2]}m+{american[3] or 0}s", text)
    if len(compact) <= _LONGEST:
        if all(_AS_PGN.fullmatch(part) for part in re.split("[+:]", compact)):
            return _from_pgn(compact)
        if compact == "-":
            return TimeControl(())
        segments = [_periods(part, compact) for part in compact.split(":")]
        periods = tuple(period for segment in segments for period in segment)
        if any(before.moves is None for before, _ in pairwise(periods)):
            raise UserError(
                "The time control {compact} must say how many moves the first time is "
                "for, as in 40/90m+30m; write seconds with an s if they are for each "
                "move, as in 90m+30s.",
                compact=compact,
            )
        if sum(period.base for period in periods) <= _LONGEST_TIME:
            return TimeControl(periods)
    raise _unreadable(text)


def read_length(text: str) -> int:
    """The milliseconds of a length of time such as ``15m``, ``90s`` or ``1h30m``, or as on a clock:
    ``59:30`` or ``1:30:00``. ``0`` is none.

    :raises ValueError: one sentence, if ``text`` is no length of time, or more than 30 days.
    """
    compact = _as_units("".join(text.lower().split())[:_LONGEST])
    match = _TIMES.fullmatch(compact)
    times = _TIME.findall(compact) if match and not match[1] else []
    length = round(sum(float(amount) * _UNITS[unit] for amount, unit in times))
    if (not times and compact != "0") or length > 30 * 24 * _HOUR:
        raise UserError(
            "{text} is not a time up to 30 days; write one such as 1h30m, 15m, 90s or 59:30.",
            text=repr(text[:60]),
        )
    return length


def mode_of(control: TimeControl, edition: Edition) -> str:
    """``rapid``, ``blitz`` or ``standard``, as the edition draws the line (fide-2023 A.1, B.1).

    It counts all times and the increments of as many moves as the edition says: 60. Without a
    clock, the game is one of standard play.
    """
    if not control.periods:
        return "standard"
    increments = edition.switch("increments_counted")
    total = sum(period.base for period in control.periods)
    minutes = (total + increments * control.periods[0].increment) / _MINUTE
    bound = edition.switch("blitz_less_than_minutes")
    if minutes < bound or (minutes == bound and edition.switch("blitz_bound_included")):
        return "blitz"
    low, high = edition.switch("rapid_more_than_minutes"), edition.switch("rapid_less_than_minutes")
    if edition.switch("rapid_bounds_included"):
        return "rapid" if low <= minutes <= high else "standard"
    return "rapid" if low < minutes < high else "standard"


def _from_pgn(text: str) -> TimeControl:
    """A time control without units. A small number may be meant in minutes, so it is refused."""
    try:
        control = TimeControl.parse(text)
    except ValueError:
        raise _unreadable(text) from None
    if any(period.base <= _MOST_MINUTES * _SECOND for period in control.periods):
        minutes, seconds = _with_units(control, "m"), _with_units(control, "s")
        raise UserError(
            "The time control {text} has two readings: write {minutes} for minutes, or "
            "{seconds} for seconds.",
            text=text,
            minutes=minutes,
            seconds=seconds,
        )
    return control


def _with_units(control: TimeControl, unit: str) -> str:
    parts = []
    for period in control.periods:
        moves = f"{period.moves}/" if period.moves else ""
        increment = f"+{period.increment / _SECOND:g}s" if period.increment else ""
        parts.append(f"{moves}{period.base / _SECOND:g}{unit}{increment}")
    return ":".join(parts)


def _periods(text: str, whole: str) -> list[Period]:
    """The periods of ``90m+30s`` or ``40/90m+30m+30s``, all with the same increment."""
    found: list[tuple[int | None, int]] = []
    increment = 0
    parts = text.split("+")
    for number, part in enumerate(parts):
        match = _TIMES.fullmatch(part)
        if match is None or match[1] == "0":
            raise _unreadable(whole)
        times = [(float(time[1]), _UNITS[time[2]]) for time in _TIME.finditer(match[2])]
        length = round(sum(amount * unit for amount, unit in times))
        for_each_move = all(unit == _SECOND for _, unit in times) and not match[1]
        if number and for_each_move and number == len(parts) - 1:
            increment = length
        elif length:
            found.append((int(match[1]) if match[1] else None, length))
        else:
            raise _unreadable(whole)
    return [Period(moves, base, increment) for moves, base in found]


def _unreadable(text: str) -> ValueError:
    return UserError(
        "{text} is not a time control; write one such as 90m+30s, 40/90m+30m+30s or "
        "3h, or as in PGN, 5400+30.",
        text=repr(text[:60]),
    )
