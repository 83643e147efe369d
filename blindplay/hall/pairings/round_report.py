"""The report of a round: games, incidents and rulings, from the hall's copies of journals."""

import contextlib
import csv
import io
import json
import threading
from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from blindplay.console.messages import catalogue
from blindplay.console.pages import timeline
from blindplay.laws import rulings as r
from blindplay.laws.facts import SIDES, Start
from blindplay.wording.values import write_time

from ..copies import JournalCopy
from ..follower import FoldedGame, Follower
from ..overview import hour, natural
from ..protocol import state_of
from .decided import Forfeit
from .played import forfeits_in, pair_of
from .rounds import kept_round


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
    began: bool = True
    """False if it has not begun at its table."""


@dataclass(frozen=True)
class RoundReport:
    """The games of one round, or those that the tables play now or have played last."""

    at: datetime
    games: tuple[ReportedGame, ...]
    rounds: tuple[str, ...] = ()
    """All rounds of which there are games."""

    @property
    def incidents(self) -> list[ReportedIncident]:
        return [incident for game in self.games for incident in game.incidents]

    @property
    def by_article(self) -> list[tuple[str, int]]:
        """Each article, and how many rulings rest on it, the most frequent first."""
        counted = Counter(article for incident in self.incidents for article in incident.articles)
        return sorted(counted.items(), key=lambda item: (-item[1], item[0]))


class Reporter:
    """Makes reports. It folds a game again only when something has been added to it."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._lock = threading.Lock()  # one report at a time, for it takes the processor
        self._games: dict[tuple[str, str, str], tuple[tuple[int, str], ReportedGame]] = {}
        self._rounds: dict[tuple[str, str], str] = {}  # by table and game

    def report(self, language: str, number: str = "") -> RoundReport:
        """The report in a language of the pages: of the games that the tables play now or have
        played last or, with its ``number``, of a round. It reads files."""
        with self._lock:
            forfeits = self._forfeits(number)
            games = list[ReportedGame | None]()
            rounds = set[str]()
            for name in sorted(self._follower.tables, key=natural):
                with self._follower.lock:
                    table = self._follower.tables[name]
                    last, copies = table.copy, table.copies()
                for copy in copies:
                    of_round = self._round(name, copy)
                    rounds.add(of_round)
                    if of_round == number if number else copy is last:
                        games.append(self._game(name, copy, language, begun=copy is not last))
        declared = {(one.round, *one.pair) for one in forfeits}
        shown = tuple(
            game
            for game in games
            if game is not None
            and (game.began or (game.round, *pair_of(game.white, game.black)) not in declared)
        )
        shown += tuple(_forfeited(one, language) for one in forfeits)
        rounds |= {one.round for one in forfeits}
        return RoundReport(datetime.now(), shown, tuple(sorted(rounds - {""}, key=natural)))

    def _forfeits(self, number: str) -> list[Forfeit]:
        """The games of a round that were forfeited without their tables; without a number, of the
        newest round."""
        folder = self._follower.folder
        with contextlib.suppress(OSError, ValueError):
            last = kept_round(folder)
            number = number or (last.round if last else "")
            return forfeits_in(folder, number)
        return []

    def _round(self, name: str, copy: JournalCopy) -> str:
        key = name, copy.game
        if key not in self._rounds:
            with contextlib.suppress(OSError, ValueError, KeyError):
                with self._follower.lock:
                    first = next(iter(copy.lines(1)), b"{}")
                self._rounds[key] = str(json.loads(first)["fact"].get("round", ""))
        return self._rounds.get(key, "")

    def _game(
        self, name: str, copy: JournalCopy, language: str, *, begun: bool
    ) -> ReportedGame | None:
        """The report on one game; None if it cannot be read or, with ``begun``, has not begun."""
        with self._follower.lock:
            end = copy.end
        key = name, copy.game, language
        known = self._games.get(key)
        if known is not None and known[0] == end:
            return known[1]
        try:
            folded = FoldedGame(self._follower, name, copy=copy)
        except (ValueError, OSError):
            return None
        if folded.game.setup is None or (begun and state_of(folded.game) == "setup"):
            return None
        made = _reported(name, folded, language)
        self._games[key] = end, made
        return made


def _reported(name: str, folded: FoldedGame, language: str) -> ReportedGame:
    game, log = folded.game, folded.log
    assert game.setup is not None
    narrator = timeline.Narrator(game, language)
    ends = [
        (t.fact.t, ruling) for t in log for ruling in t.rulings if isinstance(ruling, r.GameOver)
    ]
    ended = ends[-1] if ends and game.over else None
    began = next((taken.fact.t for taken in log if isinstance(taken.fact, Start)), None)
    until = ended[0] if ended else game.t
    arbiters = dict.fromkeys(taken.fact.who for taken in log if taken.fact.who)
    return ReportedGame(
        table=name,
        round=game.setup.round,
        white=game.player("white").name,
        black=game.player("black").name,
        result=game.result or "",
        reason=narrator.word(ended[1].reason) if ended else "",
        moves=(len(game.history) + 1) // 2,
        took=write_time(until - began) if began is not None else "",
        left={side: write_time(game.clock.left[side]) for side in SIDES if game.clock},
        decided_by=tuple(arbiters),
        incidents=tuple(_incidents(name, folded, narrator)),
        began=game.started or game.over,
    )


def _forfeited(forfeit: Forfeit, language: str) -> ReportedGame:
    """The report on a game that was forfeited without its table."""
    say = catalogue(language)
    names = {"white": forfeit.white, "black": forfeit.black}
    key = "f_arbiter_forfeit" if forfeit.missing == "both" else "f_arbiter_forfeit_of"
    text = say[key].format(player=names.get(forfeit.missing, ""))
    incident = ReportedIncident(forfeit.table, hour(forfeit.wall), (forfeit.article,), text)
    return ReportedGame(
        forfeit.table, forfeit.round, forfeit.white, forfeit.black, forfeit.result,
        say["v_forfeit"], 0, "", {}, (forfeit.who,), (incident,),
    )  # fmt: skip


def _incidents(
    name: str, folded: FoldedGame, narrator: timeline.Narrator
) -> list[ReportedIncident]:
    incidents = []
    for taken in folded.log:
        for ruling in taken.rulings:
            if _is_incident(ruling):
                line = narrator.line(ruling)
                articles = tuple(article.citation for article in line.articles)
                time = write_time(taken.fact.t)
                incidents.append(ReportedIncident(name, time, articles, str(line.text)))
    return incidents


def _is_incident(ruling: r.Ruling) -> bool:
    """Return whether a ruling concerns the arbiter. A proposed ruling is left out, since it comes
    once more when it is decided."""
    if isinstance(ruling, r.ResultCorrected) or (
        isinstance(ruling, r.GameOver) and ruling.reason == "forfeit"
    ):
        return True
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
        articles = [article for incident in game.incidents for article in incident.articles]
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
