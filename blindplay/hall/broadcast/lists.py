"""The lists of an event for everybody: pairings, results and standings, and one page of them all
for a projector. They hold names, so they are there only where names may be shown."""

import contextlib
import math
import re
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from blindplay.console import views
from blindplay.console.messages import catalogue
from blindplay.console.public import PATH, ReaderLimits
from blindplay.console.views import NamedLink
from blindplay.given import PAIRINGS, plain, read_bytes, reason_of
from blindplay.language import load
from blindplay.laws.facts import SIDES
from blindplay.translation import _
from blindplay.wording.names import spoken_name
from blindplay.wording.values import Pairing

from ..overview import natural
from ..pairings.decided import Decisions, read_decisions
from ..pairings.played import (
    DECLARED,
    TableResult,
    as_result,
    forfeited_scores,
    forfeits_in,
    pair_of,
    results_in,
)
from ..pairings.rounds import PlayerPlace, Round, kept_rounds, resting_in
from ..pairings.trf import Standing, TrfFile, read_trf, standings
from ..protocol import state_of
from .delayed import DelayedHall, ShownGame

_FIGURES = {
    "1": "1", "w": "1", "+": "+", "0": "0", "l": "0", "-": "–", "=": "½", "d": "½", "1/2": "½",
}  # fmt: skip


_AGAIN_S = 60.0  # between two looks at the journals of an earlier round


@dataclass(frozen=True)
class ListedGame:
    """One game of a round; an empty ``result`` for none yet."""

    table: str
    white: str
    black: str
    result: str = ""


@dataclass(frozen=True)
class _TableResult:
    """A result as a table has it, and those that a report file may still have of it, from before
    the arbiter corrected it (8.7)."""

    figures: str
    former: frozenset[str] = frozenset()

    def beside(self, known: str) -> str:
        """The result that counts where ``known`` is in the file; it is empty for none."""
        return self.figures if not known or known in self.former else known


_Results = Mapping[tuple[str, str], _TableResult]


def _of_table(one: TableResult, forfeit: TableResult | None) -> _Results:
    """The result of a game at a table, if it has one. If the game was declared forfeited otherwise
    before, there is none until the arbiter has decided it."""
    pair = pair_of(*one.players)
    if one.state == "setup":
        return {}
    if forfeit is not None and forfeit.result != one.result:
        return {pair: _TableResult("", frozenset({figures(*forfeit.scores)}))}
    former = frozenset(figures(*scores) for scores in one.former_scores)
    return {pair: _TableResult(figures(*one.scores), former)} if one.result else {}


@dataclass(frozen=True)
class ListedRound:
    """The games of a round by their tables, and the players without a game."""

    number: str
    games: tuple[ListedGame, ...]
    resting: tuple[str, ...]
    byes: Mapping[str, str]
    """The kind of each player's bye, if it is known."""

    def players(self) -> list[PlayerPlace]:
        """All players of the round by their last names."""
        found = [PlayerPlace(name, None, self.byes.get(name, "")) for name in self.resting]
        for game in self.games:
            pairing = Pairing(self.number, game.table, game.white, game.black)
            found += (PlayerPlace(game.white, pairing), PlayerPlace(game.black, pairing))
        return sorted(found, key=lambda player: player.name.split()[::-1])


@dataclass(frozen=True)
class Ranking:
    """The standings of a report file. ``rounds``: those whose results its points have; None if that
    cannot be told. ``played``: those that have results in it. ``ties``: the codes of the tie-breaks
    by which its program ranks, as the file names them. ``by_points``: the file has no ranks, so the
    players are in the order of their points."""

    rounds: int | None
    played: int
    rows: tuple[Standing, ...]
    ties: tuple[str, ...]
    by_points: bool = False

    def about(self, say: Mapping[str, str]) -> str:
        """After which round the standings are, whether ranks or results are missing in them, and
        what breaks ties."""
        if self.rounds is None:
            text = say["list_ranked_differ"]
        else:
            key = "list_ranked_after" if self.by_points else "list_ranked"
            text = say[key].format(round=self.rounds)
            if self.rounds < self.played:
                text += " " + say["list_ranked_old"].format(round=self.rounds + 1)
        if self.by_points:
            text = f"{say['list_ranked_by_points']} {text}"
        names = ", ".join(_tie_break(code, say) for code in self.ties)
        return f"{text} {say['list_ties']} {names}." if names else text


def _tie_break(code: str, say: Mapping[str, str]) -> str:
    """A tie-break in words and, as the file writes it, as a code."""
    name = say.get(f"tie_{re.split('[/:]', code)[0]}", "")
    return f"{name} ({code})" if name else code


@dataclass(frozen=True)
class EventNow:
    """The lists as they stand. ``newest``: of the rounds, the one that is played or comes next.
    ``unread``: a file cannot be read now."""

    rounds: tuple[ListedRound, ...]
    newest: ListedRound | None
    ranking: Ranking | None
    unread: bool


class EventLists:
    """The rounds and the standings of an event, from the pairings that the hall has kept in
    ``folder``, the ``report`` file of a pairing program, if there is one, and the games as the
    public sees them. Safe to use from several threads."""

    def __init__(self, folder: Path, report: Path | None, shown: DelayedHall) -> None:
        self._folder, self._report, self._shown = folder, report, shown
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, int], TrfFile | None] = (0, 0), None
        self._kept: list[Round] = []
        self._earlier: dict[str, tuple[float, frozenset[str], _Results]] = {}
        self.trouble = ""
        """One sentence on why the lists cannot be read now; empty if they can."""
        self.remarks: tuple[str, ...] = ()
        """Sentences for the organiser about what was guessed in the report file."""

    def read(self) -> EventNow:
        """All rounds and the standings. Of a file that cannot be read now, what was read last."""
        trouble: OSError | ValueError | None = None
        with self._lock:
            try:
                self._read_report()
            except (OSError, ValueError) as error:
                trouble = error
            try:
                self._kept = kept_rounds(self._folder)
            except (OSError, ValueError) as error:
                trouble = error
            file, kept = self._read[1], self._kept
        rounds, place = self._rounds(file, kept)
        self.trouble = ""
        if trouble is not None:
            why = trouble if isinstance(trouble, ValueError) else reason_of(trouble)
            self.trouble = _(
                "The lists of the broadcast cannot be read ({trouble}); correct the file.",
                trouble=why,
            )
        newest = rounds[place] if rounds else None
        return EventNow(tuple(rounds), newest, ranking_of(file), trouble is not None)

    @property
    def age(self) -> float:
        """Seconds since any table was heard; -1.0 if none was."""
        return self._shown.silence()

    def _rounds(
        self, file: TrfFile | None, kept_last: list[Round]
    ) -> tuple[list[ListedRound], int]:
        """All rounds, the first one first, and the place of the newest one among them: a file may
        pair later rounds, too."""
        kept = {paired.round: paired for paired in kept_last}
        written = {} if file is None else {str(n): n for n in range(1, file.rounds + 1)}
        rounds = list[ListedRound]()
        for name in sorted({*kept, *written}, key=natural):
            results = self._results_in_file(file, written[name]) if file and name in written else {}
            if name in kept:
                games = [ListedGame(one.table, one.white, one.black) for one in kept[name].games]
                resting, byes = kept[name].resting, kept[name].byes
            else:
                assert file is not None
                games = [
                    ListedGame(board, *(spoken_name(player.name) for player in pair))
                    for board, pair in file.boards(written[name])
                ]
                resting, byes = resting_in(file, written[name])
            if games:
                games.sort(key=lambda game: natural(game.table))
                one = ListedRound(name, tuple(games), resting, byes)
                rounds.append(_with_results(one, self._seen(name), results))
        names = [one.number for one in rounds]
        newest = {kept_last[-1].round if kept_last else "", _open_round(file)} & {*names}
        place = names.index(max(newest or names, key=natural)) if names else 0
        earlier = [_with_results(one, self._played(one.number)) for one in rounds[:place]]
        return earlier + rounds[place:], place

    def _read_report(self) -> None:
        """Read the report file if it has changed. Hold the lock.

        :raises ValueError: one sentence, if it cannot be read.
        :raises OSError: as above.
        """
        if self._report is None:
            return
        about = self._report.stat()
        if self._read[0] != (about.st_mtime_ns, about.st_size):
            file = read_trf(read_bytes(self._report, PAIRINGS), plain(self._report.name))
            self._read = (about.st_mtime_ns, about.st_size), file
            self.remarks = tuple(file.remarks)

    def _results_in_file(self, file: TrfFile, number: int) -> dict[tuple[str, str], str]:
        """The results of a round, without forfeits that the arbiter has taken back since."""
        decisions = Decisions()
        with contextlib.suppress(OSError):
            decisions = read_decisions(self._folder)
        results = dict[tuple[str, str], str]()
        for pair in file.pairs(number):
            names, scores = [player.name for player in pair], file.scores(number, pair)
            if scores not in forfeited_scores(decisions.taken_back(str(number), *names)):
                results[pair_of(*names)] = figures(*scores)
        return results

    def _forfeits(self, number: str) -> dict[tuple[str, str], TableResult]:
        """The games that were forfeited without their tables, as late as all results."""
        old = time.time() - self._shown.audience.delay
        with contextlib.suppress(OSError):
            found = forfeits_in(self._folder, number)
            return {one.pair: as_result(one) for one in found if one.wall <= old}
        return {}

    def _seen(self, number: str) -> _Results:
        """The results of a round that the public has seen, and of the games that were forfeited
        without their tables."""
        forfeits = self._forfeits(number)
        results = {pair: _TableResult(figures(*one.scores)) for pair, one in forfeits.items()}
        for board in self._shown.games():
            with board.past.lock:
                found = _as_shown(board) if board.begun else None
            if found is not None and found.round == number:
                results |= _of_table(found, forfeits.get(pair_of(*found.players)))
        return results

    def _played(self, number: str) -> _Results:
        """The results of an earlier round, from the copies of its journals: of games that are over
        for everybody. A round may be paired before all games of the last one have ended."""
        waiting = self._shown.waiting()
        read_at, waited, kept = self._earlier.get(number, (-math.inf, None, {}))
        results = dict(kept)
        if waited == waiting and time.monotonic() - read_at < _AGAIN_S:
            return results
        old = time.time() - self._shown.audience.delay

        def counts(path: Path) -> bool:
            return path.stem not in waiting and path.stat().st_mtime <= old

        with contextlib.suppress(OSError):  # a copy that was just moved away
            played, forfeits = results_in(self._folder, number, counts), self._forfeits(number)
            results = {}
            for one in played:
                results |= _of_table(one, forfeits.get(pair_of(*one.players)))
        self._earlier[number] = time.monotonic(), waiting, results
        return results


def _with_results(
    one: ListedRound, played: _Results, known: Mapping[tuple[str, str], str] | None = None
) -> ListedRound:
    """The round with the results that are ``known`` and, where it lacks one or it was corrected,
    those of the tables."""
    games = []
    for game in one.games:
        pair = pair_of(game.white, game.black)
        result = game.result or (known or {}).get(pair, "")
        games.append(
            replace(game, result=played[pair].beside(result) if pair in played else result)
        )
    return replace(one, games=tuple(games))


def _as_shown(board: ShownGame) -> TableResult:
    """A game as the public has seen it. Hold its lock."""
    past, game = board.past, board.past.game
    assert game.setup is not None
    white, black = (game.player(side).name for side in SIDES)
    return TableResult(
        board.table, white, black, game.result or "", (), len(game.history),
        past.reason in DECLARED, former=tuple(past.former), state=state_of(game),
        round=game.setup.round, forfeited=bool(game.result) and game.forfeited,
    )  # fmt: skip


def _open_round(file: TrfFile | None) -> str:
    """The round that a file says is played now: the first one without all results, or its last."""
    if file is None:
        return ""
    try:
        return str(file.open_round())
    except ValueError:
        return str(file.rounds)


def ranking_of(file: TrfFile | None) -> Ranking | None:
    """The standings; None if no file has ranks or points."""
    if file is None or not any(one.rank or one.points for one in file.players.values()):
        return None
    rows, by_points = tuple(standings(file)), not file.has_ranks
    return Ranking(file.counted, file.played, rows, file.tie_breaks, by_points)


def figures(white: str, black: str) -> str:
    """A result as it is printed; empty for none.

    >>> figures("1/2", "1/2"), figures("+", "-"), figures("", "")
    ('½–½', '+ : –', '')
    """
    if not white or not black:
        return ""
    between = " : " if {white, black} & {"+", "-"} else "–"
    return f"{_FIGURES[white.lower()]}{between}{_FIGURES[black.lower()]}"


class ListPages:
    """The pages of the lists. ``title``: the event's name for people."""

    def __init__(self, lists: EventLists, title: str, delay: int, limits: ReaderLimits) -> None:
        """``delay``: the seconds by which results are shown late."""
        self._lists, self._title, self._delay = lists, title, delay
        self.routes = [
            Route(f"{PATH}{name}", limits.limited(answer))
            for name, answer in (
                ("pairings", self._pairings),
                ("results", self._results),
                ("standings", self._standings),
                ("screen", self._screen),
            )
        ]

    @staticmethod
    def links(language: str) -> tuple[NamedLink, ...]:
        """Links to the pages, also to the one with all boards."""
        say = catalogue(language)
        names = ("pairings", "results", "standings", "screen")
        return tuple(NamedLink(name, f"{PATH}{name}", say[f"list_{name}"]) for name in names)

    def _pairings(self, request: Request, language: str) -> Response:
        return self._page("pairings", language, self._lists.read())

    def _results(self, request: Request, language: str) -> Response:
        now, asked = self._lists.read(), request.query_params.get("round", "")
        shown = next((one for one in now.rounds if one.number == asked), now.newest)
        return self._page("results", language, now, shown=shown, rounds=now.rounds)

    def _standings(self, request: Request, language: str) -> Response:
        return self._page("standings", language, self._lists.read())

    def _screen(self, request: Request, language: str) -> Response:
        return self._page("screen", language, self._lists.read(), age=self._lists.age)

    def _page(self, name: str, language: str, now: EventNow, **more: Any) -> Response:
        values = {"shown": now.newest, "ranking": now.ranking, "unread": now.unread, **more}
        say = catalogue(language)
        boards = NamedLink("boards", PATH, say["public_boards"])
        around = (boards, *(link for link in self.links(language) if link.id != name))
        pack = load(language)
        delay = pack.duration(self._delay * 1000) if self._delay else ""
        return HTMLResponse(
            views.render(
                f"lists/{name}.html", language, styles=("lists.css",), title=self._title,
                around=around, delay=delay, time=time.strftime("%H:%M"),
                decimal=pack.printed("decimal"), **values,
            )
        )  # fmt: skip
