"""What is decided about a round in the hall itself: when it begins, when an adjourned game is
resumed, and which games are forfeited that no table has begun.

The decisions are kept in a file of the hall's folder, one JSON object a line. Lines are only added,
so a forfeit that was taken back stays on record.
"""

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from blindplay.given import shown, whole_lines
from blindplay.record import files
from blindplay.translation import UserError
from blindplay.wording.names import typed

_FILE = "decisions.jsonl"
_LATEST = 1e11  # seconds since 1970
_LONG_AGO = timedelta(hours=3)  # nobody begins a round so late

RESULTS: Mapping[str, str] = {"white": "0-1", "black": "1-0", "both": "0-0"}
"""The result of a forfeit, by the side that has not come."""


@dataclass(frozen=True)
class Forfeit:
    """A game that an arbiter has declared forfeited without its table."""

    round: str
    table: str
    white: str
    black: str
    missing: str
    """One of :data:`RESULTS`."""
    article: str
    """As rulings cite it: ``fide-2023 6.7.1``."""
    who: str
    """The arbiter."""
    wall: float = 0.0
    """The hall's time of day, since 1970."""
    former: tuple[str, ...] = ()
    """The results that were declared before this one."""

    @property
    def result(self) -> str:
        return RESULTS[self.missing]

    @property
    def pair(self) -> tuple[str, str]:
        """Both names, as pairs of a round are compared."""
        return typed(self.white), typed(self.black)


@dataclass(frozen=True)
class RoundStart:
    """The time of day at which something begins, since 1970."""

    at: float
    who: str = ""
    """The arbiter who has set it; empty: the first clock of the round was started then."""


@dataclass(frozen=True)
class Decisions:
    """The decisions that hold."""

    starts: Mapping[str, RoundStart] = field(default_factory=dict)
    """By the name of the round."""
    resumptions: Mapping[str, float] = field(default_factory=dict)
    """The times of day, since 1970, at which adjourned games are resumed, by the game as heads name
    it."""
    forfeits: Mapping[tuple[str, str, str], Forfeit] = field(default_factory=dict)
    """By the round and both names, as they are compared."""
    withdrawn: Mapping[tuple[str, str, str], tuple[str, ...]] = field(default_factory=dict)
    """The results of forfeits that were taken back, of games without a forfeit now."""

    def taken_back(self, number: str, white: str, black: str) -> tuple[str, ...]:
        """The results of the forfeits of a game that were taken back, so that it has none now."""
        return self.withdrawn.get((number, typed(white), typed(black)), ())

    def forfeit(self, number: str, white: str, black: str) -> Forfeit | None:
        return self.forfeits.get((number, typed(white), typed(black)))

    def of_round(self, number: str | None) -> list[Forfeit]:
        """The forfeits of a round; None: of all rounds."""
        return [one for one in self.forfeits.values() if number in (None, one.round)]


def decisions_file(folder: Path) -> Path:
    """The file in the hall's folder."""
    return folder / _FILE


def read_decisions(folder: Path) -> Decisions:
    """The decisions kept in ``folder``. A line that was cut off, or that only a newer program
    knows, is left out.

    :raises OSError: if there is a file, and it cannot be read.
    """
    starts, resumptions = dict[str, RoundStart](), dict[str, float]()
    forfeits = dict[tuple[str, str, str], Forfeit]()
    declared = dict[tuple[str, str, str], tuple[str, ...]]()  # ever, also what was taken back
    for line in _lines(decisions_file(folder)):
        with contextlib.suppress(ValueError, TypeError, KeyError, AttributeError):
            kind, value = line.pop("kind"), line
            if kind == "start":
                found = RoundStart(_moment(value["at"]), str(value["who"]))
                if found.who or str(value["round"]) not in starts:  # an arbiter's word stays
                    starts[str(value["round"])] = found
            elif kind == "resumption":
                resumptions[str(value["game"])] = _moment(value["at"])
            elif kind in ("forfeit", "withdrawn"):
                one = _forfeit_of(value)
                key = one.round, *one.pair
                forfeits.pop(key, None)
                if kind == "forfeit":
                    former = tuple(x for x in declared.get(key, ()) if x != one.result)
                    forfeits[key] = replace(one, former=former)
                    declared[key] = *former, one.result
    withdrawn = {key: results for key, results in declared.items() if key not in forfeits}
    return Decisions(starts, resumptions, forfeits, withdrawn)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        for line in whole_lines(file):
            with contextlib.suppress(ValueError, RecursionError):
                value = json.loads(line)
                if isinstance(value, dict):
                    yield value


def _moment(value: Any) -> float:
    """:raises ValueError: if it is no time of day that can be shown."""
    moment = float(value)
    if not 0 <= moment <= _LATEST:
        raise ValueError
    return moment


def _forfeit_of(value: Mapping[str, Any]) -> Forfeit:
    """:raises ValueError, KeyError, TypeError: if something in it is wrong."""
    names = ("round", "table", "white", "black", "missing", "article", "who")
    number, table, white, black, missing, article, who = (str(value[name]) for name in names)
    wall = _moment(value["wall"])
    one = Forfeit(number, table, white, black, missing, article, who, wall)
    if one.missing not in RESULTS:
        raise ValueError
    return one


def time_of(text: str, now: float | None = None) -> float:
    """The time of day that people write, as ``14:00`` or with its date, since 1970. Without a date
    it is of the day ``now``; if that lies long back, it is of the next day, as ``09:00`` that
    somebody writes in the evening.

    :raises ValueError: one sentence, for another text.
    """
    today = datetime.fromtimestamp(time.time() if now is None else now)
    text = " ".join(text.replace("T", " ").split())
    for form in ("%H:%M", "%H.%M", "%Y-%m-%d %H:%M"):
        with contextlib.suppress(ValueError, OverflowError, OSError):
            found = datetime.strptime(text, form)
            if "%Y" not in form:
                found = datetime.combine(today, found.time())
                found += timedelta(days=today - found > _LONG_AGO)
            return found.timestamp()
    raise UserError(
        "{text} is not a time; write one such as 14:00 or 2026-11-30 14:00.", text=shown(text)
    )


def set_start(folder: Path, number: str, at: float, who: str = "") -> None:
    """Keep the time at which round ``number`` begins.

    :raises OSError: if it cannot be written. The same holds for the functions below.
    """
    _add(folder, {"kind": "start", "round": number, "at": at, "who": who, "wall": _now()})


def set_resumption(folder: Path, game: str, at: float, who: str) -> None:
    """Keep the time at which an adjourned game is resumed."""
    _add(folder, {"kind": "resumption", "game": game, "at": at, "who": who, "wall": _now()})


def declare(folder: Path, forfeit: Forfeit) -> None:
    """Keep a forfeit. It takes the place of another one of the same game."""
    _add(folder, {"kind": "forfeit", **asdict(replace(forfeit, wall=_now()))})


def take_back(folder: Path, forfeit: Forfeit, who: str, reason: str) -> None:
    """Keep that ``who`` has taken a forfeit back, and why."""
    withdrawn = asdict(replace(forfeit, who=who, wall=_now()))
    _add(folder, {"kind": "withdrawn", **withdrawn, "reason": reason})


def _now() -> float:
    return round(time.time(), 3)


def _add(folder: Path, value: Mapping[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # A write that failed may have left a part of a line.
    line = f"\n{json.dumps(value, ensure_ascii=False)}\n".encode()
    handle = files.open_file(decisions_file(folder), create=True)
    try:
        files.write(handle, line)
        files.sync(handle)
    finally:
        os.close(handle)
