"""The one reader and the one writer of clock times in digits, such as ``59:30``."""

import re

# A time has at most 99 hours, 999 minutes or 99 999 seconds.
_TIME = re.compile(r"(?:(?:(\d{1,2}):)?(\d{1,3}):)?(\d{1,5})", re.ASCII)


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
    """The seconds of a time as people write it. Raises ValueError if it is none.

    >>> read_time("1:30:00"), read_time("59:30"), read_time("90")
    (5400, 3570, 90)
    """
    match = _TIME.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a time: write one like 1:30:00, 59:30 or 90.")
    hours, minutes, seconds = (int(part or 0) for part in match.groups())
    if seconds > 59 and match[2] is not None:
        raise ValueError(f"{text!r} has more than 59 seconds in a minute.")
    return 3600 * hours + 60 * minutes + seconds
