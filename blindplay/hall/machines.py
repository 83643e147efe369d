"""The machines of all tables, as each describes itself, for the organiser."""

import time
from dataclasses import dataclass
from typing import Any

from blindplay.console.messages import catalogue
from blindplay.laws.facts import SIDES

from .follower import Follower
from .overview import natural

COLUMNS = ("table", "boards", "power", "microphone", "models", "voice", "version", "seen")


@dataclass(frozen=True)
class ShownMachine:
    """A table's machine in words; an empty text for unknown values."""

    table: str
    cells: tuple[tuple[str, str], ...]
    """The name of each column except the first, and its text."""
    online: bool
    silent_s: int | None
    """Seconds since something came from it; None if nothing has since the hall began."""


def machines(follower: Follower, language: str) -> list[ShownMachine]:
    """All tables of a hall, table 9 before table 10."""
    now, found = time.monotonic(), []
    with follower.lock:
        for name in sorted(follower.tables, key=natural):
            table = follower.tables[name]
            about = table.presence.about if table.presence is not None else {}
            silent = round(now - table.heard_at) if table.heard_at else None
            told = _in_words(about, language)
            cells = tuple((column, told[column]) for column in COLUMNS[1:-1])
            found.append(ShownMachine(name, cells, table.online, silent))
    return found


def _in_words(about: dict[str, Any], language: str) -> dict[str, str]:
    """A table's description of itself in words. It is foreign: anything may be in it."""
    say = catalogue(language)
    boards, models = about.get("boards"), about.get("models")
    supply, percent = about.get("power"), about.get("battery")
    power = [say[f"hall_power_{supply}"]] if supply in ("mains", "battery") else []
    power += [f"{percent} %"] if type(percent) is int else []
    told = {side: boards[side] for side in boards} if isinstance(boards, dict) else {}
    return {
        "boards": "; ".join(
            f"{say[side]}: {_text(told[side]) or say['hall_not_online']}"
            for side in SIDES
            if side in told
        ),
        "power": ", ".join(power),
        "microphone": _text(about.get("microphone")),
        "models": ", ".join(map(_text, models)) if isinstance(models, list) else "",
        "voice": _text(about.get("voice")),
        "version": _text(about.get("version")),
    }


def _text(value: Any) -> str:
    return value[:100] if isinstance(value, str) else ""
