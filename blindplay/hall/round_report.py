"""The report of a round: its games, the rulings in them by article, and their times."""

import csv
import io
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from blindplay.console.messages import catalogue
from blindplay.console.pages import timeline
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from blindplay.wording.clock_times import write_time

from .follower import FoldedGame, Follower
from .overview import natural


@dataclass(frozen=True)
class ReportedIncident:
    """One ruling that a report names."""

    table: str
    time: str
    """The table's time."""
    articles: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class ReportedGame:
    """One game of the round."""

    table: str
    round: str
    white: str
    black: str
    result: str
    """Empty while the game goes on."""
    reason: str
    moves: int
    took: str
    """The table's time from the start of the clocks to the end of the game, or to now."""
    left: dict[str, str]
    """The time left of each side; empty without a clock."""
    decided_by: tuple[str, ...]
    """The arbiters with a decision in this game."""
    incidents: tuple[ReportedIncident, ...]


@dataclass(frozen=True)
class RoundReport:
    """The games that the tables play now, or have played last."""

    at: datetime
    games: tuple[ReportedGame, ...]

    @property
    def incidents(self) -> list[ReportedIncident]:
        return [incident for game in self.games for incident in game.incidents]

    @property
    def by_article(self) -> list[tuple[str, int]]:
        """Each article, and how many rulings rest on it, the most frequent first."""
        counted = Counter(article for one in self.incidents for article in one.articles)
        return sorted(counted.items(), key=lambda one: (-one[1], one[0]))


class Reporter:
    """Makes reports. It folds a game again only when something has been added to it."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._lock = threading.Lock()  # one report at a time, for it takes the processor
        self._games: dict[tuple[str, str], tuple[tuple[int, str], ReportedGame]] = {}

    def report(self, language: str) -> RoundReport:
        """The report in a language of the pages. It reads files."""
        with self._lock:
            names = sorted(self._follower.tables, key=natural)
            games = [self._game(name, language) for name in names]
        return RoundReport(datetime.now(), tuple(game for game in games if game is not None))

    def _game(self, name: str, language: str) -> ReportedGame | None:
        with self._follower.lock:
            copy = self._follower.tables[name].copy
            end = (0, "") if copy is None else copy.end
        known = self._games.get((name, language))
        if known is not None and known[0] == end:
            return known[1]
        try:
            folded = FoldedGame(self._follower, name)
        except (ValueError, OSError):
            return None
        if folded.game.setup is None:
            return None
        made = _reported(name, folded, language)
        self._games[name, language] = end, made
        return made


def _reported(name: str, folded: FoldedGame, language: str) -> ReportedGame:
    game, log = folded.game, folded.log
    assert game.setup is not None
    telling = timeline.Narrator(game, language)
    ends = [(t.fact.t, one) for t in log for one in t.rulings if isinstance(one, r.GameOver)]
    ended = ends[-1] if ends and game.over else None
    began = next((taken.fact.t for taken in log if isinstance(taken.fact, f.Start)), None)
    until = ended[0] if ended else game.t
    arbiters = dict.fromkeys(taken.fact.who for taken in log if taken.fact.who)
    return ReportedGame(
        table=name,
        round=game.setup.round,
        white=game.player("white").name,
        black=game.player("black").name,
        result=game.result or "",
        reason=telling.word(ended[1].reason) if ended else "",
        moves=(len(game.history) + 1) // 2,
        took=write_time(until - began) if began is not None else "",
        left={side: write_time(game.clock.left[side]) for side in f.SIDES if game.clock},
        decided_by=tuple(arbiters),
        incidents=tuple(_incidents(name, folded, telling)),
    )


def _incidents(name: str, folded: FoldedGame, telling: timeline.Narrator) -> list[ReportedIncident]:
    found = []
    for taken in folded.log:
        for ruling in taken.rulings:
            if _is_incident(ruling):
                line = telling.line(ruling)
                articles = tuple(one.citation for one in line.articles)
                time = write_time(taken.fact.t)
                found.append(ReportedIncident(name, time, articles, str(line.text)))
    return found


def _is_incident(ruling: r.Ruling) -> bool:
    """Return whether a ruling concerns the arbiter. A proposed ruling is left out, since it comes
    once more when it is decided."""
    if not isinstance(ruling, r.Proposable) or isinstance(ruling, r.Touched):
        return False
    again = isinstance(ruling, r.ArbiterNeeded) and ruling.again
    return ruling.status != "proposed" and not again


def as_csv(report: RoundReport, language: str) -> str:
    """The games of a report, for a spreadsheet: one line each, with a heading."""
    say = catalogue(language)
    names = (
        "table", "round", "white", "black", "result", "reason", "moves", "took", "left_white",
        "left_black", "incidents", "articles", "arbiters",
    )  # fmt: skip
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([say[f"hall_report_{name}"] for name in names])
    for game in report.games:
        articles = [article for one in game.incidents for article in one.articles]
        writer.writerow(
            map(
                _harmless,
                (
                    game.table, game.round, game.white, game.black, game.result, game.reason,
                    str(game.moves), game.took, game.left.get("white", ""),
                    game.left.get("black", ""), str(len(game.incidents)),
                    "; ".join(dict.fromkeys(articles)), "; ".join(game.decided_by),
                ),
            )
        )  # fmt: skip
    return text.getvalue()


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text
