"""The papers of a game: the result to sign (8.7), and the records to keep and to print.

Players get the moves and their own scoresheet when the game is over, and so does the assistant who
kept it (D.2.10.3). The arbiter gets everything at any time.
"""

import base64
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from blindplay.language import load
from blindplay.laws import Game
from blindplay.laws.facts import RESULTS, SIDES
from blindplay.record.score import tags
from blindplay.record.writing import RecordFormat, Scored
from blindplay.wording.announcements import result_in_words

from ..table_port import TableView, held
from . import common, timeline

_SHEETS = {"html": RecordFormat.HTML, "brf": RecordFormat.BRF, "txt": RecordFormat.SHEET}
_REPORT = ("report.html", "report.txt")
_PGN = "game.pgn"
_MEDIA = {
    "html": "text/html",
    "txt": "text/plain",
    "brf": "application/x-brf",
    "pgn": "application/vnd.chess-pgn",
}
_STYLE = re.compile("<style>(.*?)</style>", re.DOTALL)


@dataclass(frozen=True)
class SentRecord:
    """A record as a browser gets it. All but HTML is a file to save."""

    name: str
    content: str
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def media(self) -> str:
        """The media type."""
        return _MEDIA[self.name.rpartition(".")[2]]


@dataclass(frozen=True)
class RulingsReport:
    """All that was ruled: about the game, by name; and the entries in order."""

    title: str
    about: Mapping[str, str]
    decisions: tuple[timeline.TimelineEntry, ...]
    entries: tuple[timeline.TimelineEntry, ...]


def names(game: Game, role: str) -> list[str]:
    """The records that ``role`` may have now."""
    if role == "arbiter":
        return [_PGN, *(f"{side}.{kind}" for side in SIDES for kind in _SHEETS), *_REPORT]
    own = role.removeprefix("assistant:")
    stranger = role != own and not game.assistants[own]
    if not game.over or own not in SIDES or stranger:
        return []
    return [_PGN, *(f"{own}.{kind}" for kind in _SHEETS)]


def values(game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the template ``after.html``."""
    assert game.setup is not None
    pack, result = load(language), game.result
    signs = result is not None and game.edition.has("signatures")
    return {
        "papers": names(game, role),
        # The page of a player shows it as the next step.
        "ended": result_in_words(pack, result) if result and role not in SIDES else "",
        "result": result,
        "signatures": {side: game.signed.get(side) for side in SIDES} if signs else {},
        "to_sign": signs and role in SIDES and game.signed.get(role) != result,
        "other_results": [one for one in RESULTS if one != result],
    }


def paper(
    table: TableView, role: str, language: str, name: str
) -> SentRecord | RulingsReport | None:
    """The record with this name; None if ``role`` may not have it. Scoresheets are in the language
    of their owners, as ``blindplay score`` writes them, and the report in ``language``."""
    with held(table) as game:
        if name not in names(game, role):
            return None
        if name in _REPORT:
            made = report(table, game, language)
            return (
                SentRecord(name, "\n".join(_in_lines(made)) + "\n")
                if name.endswith("txt")
                else made
            )
        scored = Scored(game, _reason(table, game))
        if name == _PGN:
            return SentRecord(name, scored.write(RecordFormat.PGN))
        side, _, kind = name.partition(".")
        content = scored.write(_SHEETS[kind], side)
    if kind != "html":
        return SentRecord(f"scoresheet-{name}", content)
    styles = [hashlib.sha256(one.encode()).digest() for one in _STYLE.findall(content)]
    allowed = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in styles)
    policy = f"default-src 'none'; style-src {allowed}; frame-ancestors 'none'"
    return SentRecord(f"scoresheet-{name}", content, {"content-security-policy": policy})


def _reason(table: TableView, game: Game) -> str:
    """Why the game ended; empty if it goes on."""
    ended = common.ended(table, game)
    return ended.reason if ended else ""


def report(table: TableView, game: Game, language: str) -> RulingsReport:
    """The arbiter's report of all rulings, with their articles; ``game`` is held."""
    assert game.setup is not None
    telling = timeline.Narrator(game, language)
    say = telling.say
    ruled = [
        (telling.entry(at, taken), taken)
        for at, taken in enumerate(table.log)
        if any(one.kind not in timeline.SILENT for one in taken.rulings)
    ]
    decided = (
        entry
        for entry, taken in ruled
        if taken.fact.kind in timeline.GROUPS["decisions"] or timeline.belongs(taken, "rulings", "")
    )
    known = tags(game, _reason(table, game))
    about = {say[f"about_{name.lower()}"]: known[name] for name in _ABOUT if known[name] != "?"}
    about[say["about_result"]] = game.result or say["about_unfinished"]
    for side, signed in game.signed.items():
        about[say["about_signed"].format(side=say[side])] = signed
    return RulingsReport(
        say["paper_report"], about, tuple(decided), tuple(entry for entry, _ in ruled)
    )


_ABOUT = ("Event", "Site", "Date", "Round", "White", "Black", "TimeControl", "Rules")


def _in_lines(made: RulingsReport) -> Iterator[str]:
    """The report as a text, for a screen reader, a Braille display or an e-mail."""
    yield made.title
    yield from (f"{name}: {value}" for name, value in made.about.items())
    yield ""
    for entry in made.entries:
        for number, line in enumerate(entry.lines):
            cited = ", ".join(article.citation for article in line.articles)
            words = f"{line.text} ({cited})" if cited else line.text
            yield f"{' ' * len(entry.time) if number else entry.time} {words}"
