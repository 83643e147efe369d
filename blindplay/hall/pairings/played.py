"""The results of a round's games, from the hall's copies of their journals and from decisions, and
how they are entered into a file of results."""

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from blindplay.laws import FactError, Game
from blindplay.laws import rulings as r
from blindplay.laws.facts import SIDES, Setup
from blindplay.record import JournalError, read_journal
from blindplay.record.files import SUFFIX
from blindplay.translation import UserError, _
from blindplay.wording.names import KnownNames, is_same, spoken_name, typed
from blindplay.wording.pack_words import PackWords

from ..copies import branches_of
from ..overview import natural
from ..protocol import state_of
from .decided import Forfeit, read_decisions
from .rounds import PlayerPlace, Round, kept_rounds, one_player, players_in, where

_SCORES = {"1": "1", "0": "0", "1/2": "="}
_UNRATED = {"1": "W", "0": "L", "1/2": "D"}
_FORFEITED = {"1": "+", "0": "-", "1/2": "D"}
_MOVED = 2  # plies after which both have made a move
DECLARED = ("declared", "forfeit")
"""The reasons of the ends of games that an arbiter has decided."""
NEWER = "newer"
"""The state of a game whose journal holds what only a newer version knows."""


@dataclass(frozen=True)
class TableResult:
    """One game of a round, as its table has recorded it."""

    table: str
    white: str
    black: str
    result: str
    """As in facts; empty while there is none."""
    signed: tuple[str, ...]
    """The sides that have signed this result (8.7)."""
    plies: int
    declared: bool
    """The arbiter has decided the result."""
    in_conflict: bool = False
    """The hall has another version of this game, too."""
    former: tuple[str, ...] = ()
    """The results that the arbiter has corrected (8.7)."""
    reason: str = ""
    """The arbiter's reason for the last correction."""
    state: str = "over"
    """One of :data:`.protocol.STATES`, or NEWER."""
    round: str = ""
    forfeited: bool = False
    """A player has not come in time."""
    declared_by: str = ""
    """The arbiter who has declared it forfeited in the hall; no table has begun it then."""
    taken_back: tuple[str, ...] = ()
    """The results of forfeits that were declared in the hall and taken back."""

    @property
    def players(self) -> tuple[str, str]:
        return self.white, self.black

    @property
    def scores(self) -> tuple[str, str]:
        """The results of White and Black in a report file. If a side has not moved, the game is
        not rated. If it has not come, or if neither has moved and the arbiter has decided, the game
        was forfeited."""
        if self.plies >= _MOVED:
            return _scores(self.result, _SCORES)
        forfeited = self.forfeited or (self.declared and not self.plies)
        return _scores(self.result, _FORFEITED if forfeited else _UNRATED)

    @property
    def former_scores(self) -> set[tuple[str, str]]:
        """Those that a report file may have of the corrected results and of forfeits that were
        taken back."""
        return scores_of(self.former) | forfeited_scores(self.taken_back)


SIGNED = {
    (): _("not signed"),
    ("white",): _("signed by White only"),
    ("black",): _("signed by Black only"),
    ("white", "black"): _("signed by both"),
}
"""By the sides that have signed a result."""
OPEN = {
    "setup": _("no result yet. It has not begun."),
    "playing": _("no result yet. It goes on."),
    "stopped": _("no result yet. Its clocks are stopped."),
    "adjourned": _("no result yet. It is adjourned."),
    "newer": _("the result cannot be read. A newer BlindPlay wrote it; update BlindPlay here."),
}
"""By the states of games without a result."""


def scores_of(results: Iterable[str]) -> set[tuple[str, str]]:
    """All results of White and Black that a report file may have of these."""
    kinds = (_SCORES, _UNRATED, _FORFEITED)
    return {_scores(result, names) for result in results for names in kinds}


def forfeited_scores(results: Iterable[str]) -> set[tuple[str, str]]:
    """The results of White and Black that a report file has of games forfeited like this."""
    return {_scores(result, _FORFEITED) for result in results}


def _scores(result: str, names: Mapping[str, str]) -> tuple[str, str]:
    white, black = result.split("-")
    return names[white], names[black]


def results_in(
    folder: Path, number: str | None, counts: Callable[[Path], bool] = lambda path: True
) -> list[TableResult]:
    """The games of round ``number`` of which the hall has copies in ``folder``, as files that
    count. None: those of all rounds.

    :raises OSError: if the folder cannot be read.
    """
    paths = filter(counts, sorted(folder.glob(f"table-*/*{SUFFIX}")))
    results = [_result(path, number) for path in paths]
    return [result for result in results if result is not None]


def result_of(path: Path) -> TableResult | None:
    """The game in a copy of a journal; None if there is none, or it cannot be read."""
    return _result(path, None)


def _result(path: Path, number: str | None) -> TableResult | None:
    try:
        contents = read_journal(path)
    except JournalError:
        return None
    facts = contents.facts
    if not facts or not isinstance(facts[0], Setup) or number not in (None, facts[0].round):
        return None
    game, declared, former, reason = Game(PackWords()), False, list[str](), ""
    try:
        for fact in facts:
            for ruling in game.apply(fact):
                if isinstance(ruling, r.GameOver):
                    declared = ruling.reason in DECLARED
                elif isinstance(ruling, r.ResultCorrected):
                    former.append(ruling.before)
                    reason = ruling.reason
    except FactError:
        return None
    # A result before what only a newer version knows does not count.
    result = (game.result or "") if game.over and not contents.unknown else ""
    signed = tuple(side for side in SIDES if result and game.signed.get(side) == result)
    state = NEWER if contents.unknown else state_of(game)
    white, black = (game.player(side).name for side in SIDES)
    table = path.parent.name.removeprefix("table-")
    return TableResult(
        table, white, black, result, signed, len(game.history), declared,
        bool(branches_of(path)), tuple(former), reason, state, facts[0].round,
        bool(result) and game.forfeited,
    )  # fmt: skip


def as_result(forfeit: Forfeit) -> TableResult:
    """A game that was forfeited without its table."""
    return TableResult(
        forfeit.table, forfeit.white, forfeit.black, forfeit.result, (), 0, True,
        former=forfeit.former, round=forfeit.round, forfeited=True, declared_by=forfeit.who,
    )  # fmt: skip


def all_results_in(folder: Path, number: str | None) -> list[TableResult]:
    """Those of :func:`results_in`, and the games that were forfeited without their tables.

    :raises OSError: if the folder or the decisions of the hall cannot be read.
    """
    decisions = read_decisions(folder)
    results = (
        replace(one, taken_back=decisions.taken_back(one.round, one.white, one.black))
        for one in results_in(folder, number)
    )
    return [*results, *map(as_result, forfeits_in(folder, number))]


def forfeits_in(folder: Path, number: str | None) -> list[Forfeit]:
    """The games of round ``number``, or of all rounds, that were forfeited without their tables.
    Those whose pairings were replaced or undone do not count.

    :raises OSError: if the decisions of the hall cannot be read.
    """
    found = read_decisions(folder).of_round(number)
    pairs: dict[str, set[tuple[str, str]]] = {}
    with contextlib.suppress(ValueError):  # of pairings that cannot be read nothing was replaced
        for paired in kept_rounds(folder, undone=True) if found else ():
            pairs[paired.round] = {pair_of(game.white, game.black) for game in paired.games}
    return [one for one in found if one.pair in pairs.get(one.round, (one.pair,))]


def without_forfeited(paired: Round, folder: Path) -> tuple[Round, list[Forfeit]]:
    """The round without the games that were forfeited, and those.

    :raises OSError: if the decisions of the hall cannot be read.
    """
    decisions = read_decisions(folder)
    found = {game: decisions.forfeit(game.round, game.white, game.black) for game in paired.games}
    games = tuple(game for game in paired.games if found[game] is None)
    return replace(paired, games=games), [one for one in found.values() if one is not None]


@dataclass(frozen=True)
class Entered:
    """One game of the file, and whether its result was entered."""

    board: str
    white: str
    black: str
    game: TableResult | None
    """The game at a table; None if there is no copy of it."""
    status: str
    """entered; replaced (the file had a result that the arbiter has corrected); open (no result
    yet); there (no table has one that counts, the file has); withdrawn (what the file has is a
    forfeit that was taken back, so there is no result); other (the file says something else,
    which stays); twice (two tables, two results); conflict (two versions of the game, and not both
    have signed); played (it was declared forfeited in the hall, but a table has begun it)."""

    @property
    def missing(self) -> bool:
        """The file has no result of this game yet, or somebody must decide which it is."""
        return self.status in ("open", "withdrawn", "twice", "played", "conflict")


class ResultFile(Protocol):
    """A file of pairings into which results can be entered. Its players have a ``name``."""

    def boards(self, number: int) -> Sequence[tuple[str, Any]]: ...

    def left_out(self, number: int) -> list[str]: ...

    def has_result(self, number: int, pair: Any) -> bool: ...

    def scores(self, number: int, pair: Any) -> tuple[str, str]: ...

    def numbers(self, pair: Any) -> tuple[int, ...]: ...

    @property
    def all_rounds(self) -> Sequence[int]: ...

    def enter(
        self, number: int, pair: Any, scores: tuple[str, str], former: set[tuple[str, str]]
    ) -> str: ...


def enter_results(file: ResultFile, number: int, folder: Path) -> list[Entered]:
    """Enter the results of round ``number`` into ``file``.

    :raises ValueError: if the file is contradictory, or has no pairings for this round.
    :raises OSError: if the copies cannot be read.
    """
    boards = file.boards(number)
    if not boards:
        raise UserError("The file has no pairings for this round.")
    played = PlayedGames(all_results_in(folder, str(number)))
    decisions = read_decisions(folder)
    entered = []
    for board, pair in boards:
        white, black = (spoken_name(player.name) for player in pair)
        game, status = played.of(white, black), played.doubt(white, black)
        if status:
            game = None if status == "twice" else game
        elif game is None or not game.result:
            back = forfeited_scores(decisions.taken_back(str(number), white, black))
            withdrawn = file.scores(number, pair) in back
            known = "withdrawn" if withdrawn else "there"
            status = known if file.has_result(number, pair) else "open"
        elif game.in_conflict and len(game.signed) < len(SIDES):
            status = "there" if file.has_result(number, pair) else "conflict"
        else:
            status = file.enter(number, pair, game.scores, game.former_scores)
        entered.append(Entered(board, white, black, game, status))
    return entered


class PlayedGames:
    """Finds the game of two players among ``results``, which are of one round."""

    def __init__(self, results: Iterable[TableResult]) -> None:
        self._known: dict[tuple[str, str], list[TableResult]] = {}
        self._forfeits: dict[tuple[str, str], TableResult] = {}
        for result in results:
            pair = pair_of(result.white, result.black)
            if result.declared_by:
                self._forfeits[pair] = result
            else:
                self._known.setdefault(pair, []).append(result)

    def of(self, white: str, black: str) -> TableResult | None:
        """The game that counts: one with a result or, without any, the one that goes on. A forfeit
        of the hall counts if no table has begun the game."""
        games, forfeit = self._at_tables(white, black)
        if forfeit is not None and all(game.state == "setup" for game in games):
            return forfeit
        over = [game for game in games if game.result]
        return max(over or games, key=_progress, default=None)

    def doubt(self, white: str, black: str) -> str:
        """Why this game has no result that counts although it has one: ``played`` or ``twice``, as
        :class:`Entered` has them; empty if nothing is doubtful."""
        games, forfeit = self._at_tables(white, black)
        begun = (game for game in games if game.state != "setup")
        if forfeit is not None and any(game.result != forfeit.result for game in begun):
            return "played"
        return "twice" if len({game.result for game in games if game.result}) > 1 else ""

    def _at_tables(self, white: str, black: str) -> tuple[list[TableResult], TableResult | None]:
        pair = pair_of(white, black)
        return self._known.get(pair, []), self._forfeits.get(pair)


def _progress(game: TableResult) -> tuple[bool, bool, int]:
    """Of the games of a pair, the greatest is the one that goes on."""
    return game.state != "setup", game.state != "adjourned", game.plies


@dataclass(frozen=True)
class PlayerRound:
    """A player's games in one round, or none."""

    round: str
    place: PlayerPlace | None
    """The place in the pairings; None if the hall has none of this round."""
    games: tuple[TableResult, ...]


def rounds_of(folder: Path, name: str) -> list[PlayerRound]:
    """The rounds of the player with this name, as :func:`where` finds names, the first one first.

    :raises ValueError: if there is nobody or more than one, or if the pairings cannot be read.
    :raises OSError: if the copies cannot be read.
    """
    kept = {paired.round: paired for paired in kept_rounds(folder)}
    results = all_results_in(folder, None)
    paired_names = [one for paired in kept.values() for one in players_in(paired)]
    known = KnownNames(paired_names)  # people at a table may have typed a name otherwise
    played = [(game, set(map(known.known, game.players))) for game in results]
    player = one_player([*paired_names, *(one for _unused, names in played for one in names)], name)
    rounds = []
    for number in sorted({*kept, *(one.round for one in results)}, key=natural):
        places = where(kept[number], player) if number in kept else []
        place = next((one for one in places if is_same(one.name, player)), None)
        games = tuple(
            game
            for game, names in played
            if game.round == number and any(is_same(player, one) for one in names)
            if place is None or game.state != "setup"  # those were replaced, or the place names it
        )
        if place is not None or games:
            rounds.append(PlayerRound(number, place, games))
    return rounds


def pair_of(white: str, black: str) -> tuple[str, str]:
    """Both names, as pairs of a round are compared."""
    return typed(white), typed(black)
