"""The lists of an event for everybody: pairings, results and standings, and one page of them all
for a projector. They hold names, so they are there only where names may be shown."""

import math
import threading
import time
from collections.abc import Iterator, Mapping
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
from blindplay.given import read_bytes, reason_of
from blindplay.language import load
from blindplay.translation import _

from ..overview import natural
from ..pairings.rounds import MOST_BYTES, kept_rounds, pair_of, results_in
from ..pairings.trf import Standing, TrfFile, read_trf, spoken_name, standings
from .delayed import DelayedHall

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
class ListedPlayer:
    """One player of a round; without a ``table`` they have no game."""

    name: str
    table: str = ""
    side: str = ""
    opponent: str = ""


@dataclass(frozen=True)
class ListedRound:
    """The games of a round by their tables, and the players without a game."""

    number: str
    games: tuple[ListedGame, ...]
    resting: tuple[str, ...]

    def players(self) -> list[ListedPlayer]:
        """All players of the round by their last names."""
        found = [ListedPlayer(name) for name in self.resting]
        for game in self.games:
            found.append(ListedPlayer(game.white, game.table, "white", game.black))
            found.append(ListedPlayer(game.black, game.table, "black", game.white))
        return sorted(found, key=lambda player: player.name.split()[::-1])


@dataclass(frozen=True)
class Ranking:
    """The standings of a report file after ``rounds`` rounds. ``ties``: the codes of the tie-breaks
    by which its program ranks, as the file names them."""

    rounds: int
    rows: tuple[Standing, ...]
    ties: tuple[str, ...]


class EventLists:
    """The rounds and the standings of an event, from the pairings that the hall has kept in
    ``folder``, the ``report`` file of a pairing program, if there is one, and the games as the
    public sees them. Safe to use from several threads."""

    def __init__(self, folder: Path, report: Path | None, shown: DelayedHall) -> None:
        self._folder, self._report, self._shown = folder, report, shown
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, int], TrfFile | None] = (0, 0), None
        self._earlier: dict[str, tuple[float, Mapping[tuple[str, str], str]]] = {}
        self.trouble = ""
        """One sentence on why the lists cannot be read now; empty if they can."""

    def read(self) -> tuple[list[ListedRound], Ranking | None]:
        """All rounds and the standings; what cannot be read now is left out."""
        try:
            found = self.rounds(), self.ranking()
        except (OSError, ValueError) as error:
            why = error if isinstance(error, ValueError) else reason_of(error)
            self.trouble = _(
                "The lists of the broadcast cannot be read ({trouble}); correct the file.",
                trouble=why,
            )
            return [], None
        self.trouble = ""
        return found

    @property
    def age(self) -> float:
        """Seconds since any table was heard; -1.0 if none was."""
        return self._shown.silence()

    def rounds(self) -> list[ListedRound]:
        """All rounds, the first one first.

        :raises ValueError: one sentence, if a file cannot be read.
        :raises OSError: as above.
        """
        file = self._file()
        kept = {paired.round: paired for paired in kept_rounds(self._folder)}
        written = {} if file is None else {str(n): n for n in range(1, file.rounds + 1)}
        rounds = list[ListedRound]()
        for name in sorted({*kept, *written}, key=natural):
            results = self._results_in_file(file, written[name]) if file and name in written else {}
            if name in kept:
                games = [ListedGame(one.table, one.white, one.black) for one in kept[name].games]
                resting = kept[name].resting
            else:
                assert file is not None
                games = [
                    ListedGame(board, *(spoken_name(player.name) for player in pair))
                    for board, pair in file.boards(written[name])
                ]
                resting = tuple(spoken_name(p.name) for p in file.resting(written[name]))
            if games:
                games.sort(key=lambda game: natural(game.table))
                one = ListedRound(name, tuple(games), resting)
                rounds.append(self._with_results(one, results))
        earlier = [self._with_results(one, self._played(one.number)) for one in rounds[:-1]]
        return earlier + rounds[-1:]

    def ranking(self) -> Ranking | None:
        """The standings; None if no file ranks the players.

        :raises ValueError: one sentence, if the file cannot be read.
        """
        file = self._file()
        if file is None or not any(player.rank for player in file.players.values()):
            return None
        return Ranking(file.played, tuple(standings(file)), file.tie_breaks)

    def _file(self) -> TrfFile | None:
        if self._report is None:
            return None
        about = self._report.stat()
        with self._lock:
            if self._read[0] != (about.st_mtime_ns, about.st_size):
                file = read_trf(read_bytes(self._report, MOST_BYTES))
                self._read = (about.st_mtime_ns, about.st_size), file
            return self._read[1]

    @staticmethod
    def _results_in_file(file: TrfFile, number: int) -> dict[tuple[str, str], str]:
        return {
            pair_of(*(player.name for player in pair)): figures(
                *(player.game(number).result for player in pair)
            )
            for pair in file.pairs(number)
        }

    def _with_results(self, one: ListedRound, known: Mapping[tuple[str, str], str]) -> ListedRound:
        """The round with the results that it lacks: those that are ``known``, or that the public
        has seen."""
        seen = dict(self._seen(one.number))
        games = []
        for game in one.games:
            pair = pair_of(game.white, game.black)
            result = game.result or known.get(pair, "") or seen.get(pair, "")
            games.append(replace(game, result=result))
        return replace(one, games=tuple(games))

    def _seen(self, number: str) -> Iterator[tuple[tuple[str, str], str]]:
        for board in self._shown.games():
            with board.past.lock:
                game = board.past.game
                if game.setup is not None and game.setup.round == number and game.result:
                    names = (game.player(side).name for side in ("white", "black"))
                    yield pair_of(*names), figures(*game.result.split("-"))

    def _played(self, number: str) -> Mapping[tuple[str, str], str]:
        """The results of an earlier round, from the copies of its journals. A later round is
        paired, so none of them is news that the delay has to hold back."""
        read_at, results = self._earlier.get(number, (-math.inf, {}))
        if time.monotonic() - read_at > _AGAIN_S:
            results = {
                pair_of(one.white, one.black): figures(*one.result.split("-"))
                for one in results_in(self._folder, number)
                if one.result
            }
            self._earlier[number] = time.monotonic(), results
        return results


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
        rounds, _ranking = self._lists.read()
        return self._page("pairings", language, shown=rounds[-1] if rounds else None)

    def _results(self, request: Request, language: str) -> Response:
        rounds, _ranking = self._lists.read()
        asked = request.query_params.get("round", "")
        shown = next((one for one in rounds if one.number == asked), rounds[-1] if rounds else None)
        return self._page("results", language, shown=shown, rounds=rounds)

    def _standings(self, request: Request, language: str) -> Response:
        _rounds, ranking = self._lists.read()
        return self._page("standings", language, ranking=ranking)

    def _screen(self, request: Request, language: str) -> Response:
        rounds, ranking = self._lists.read()
        shown = rounds[-1] if rounds else None
        return self._page("screen", language, shown=shown, ranking=ranking, age=self._lists.age)

    def _page(self, name: str, language: str, **values: Any) -> Response:
        say = catalogue(language)
        boards = NamedLink("boards", PATH, say["public_boards"])
        around = (boards, *(link for link in self.links(language) if link.id != name))
        delay = load(language).duration(self._delay * 1000) if self._delay else ""
        return HTMLResponse(
            views.render(
                f"lists/{name}.html", language, styles=("lists.css",), title=self._title,
                around=around, delay=delay, time=time.strftime("%H:%M"), **values,
            )
        )  # fmt: skip
