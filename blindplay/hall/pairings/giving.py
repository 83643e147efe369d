"""The games of a round are given to their tables, and adjourned ones are given again."""

import time
from collections.abc import Container, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from blindplay.translation import Message, join_texts
from blindplay.wording.names import KnownNames, is_same
from blindplay.wording.values import Pairing

from ..hall import TableAsker
from ..protocol import RequestAnswer
from ..requests import UnreachableError
from .played import TableResult, results_in
from .rounds import Assignment, Round, one_player, players_in, withdrawn_from

_LOOK_S = 0.05

ASSIGN, WITHDRAW, TELL = "assign", "withdraw", "pairings"
"""The kinds of requests: play this game next; do not play it; tell your people where they play
next."""
BEGUN = "begun"
"""In the body of a request to play a game: the table continues it, and refuses a new game."""
ALSO = "also"
"""In the body of a request to tell people where they play: these games go on now, and what they
play next stays as it is."""


class TableState(Enum):
    """What a table does with the game that it was given, as in its answer."""

    SET_UP = "set_up"
    """It sets the game up, or has done so."""
    PLAYS = "plays"
    NEXT = "next"
    """People sign the game before, or have adjourned it."""
    OTHER = "other"
    """It plays another game."""
    RESUMED = "resumed"
    """It goes on with this game, which it has begun before."""
    OVER = "over"
    """It has played this game to its end, and does not play it again."""


@dataclass(frozen=True)
class AssignmentResult:
    """The result of the assignment of one game. ``status`` is that of the table's answer, or
    ``unreachable``; ``sentence`` is the table's comment."""

    game: Assignment
    status: str
    sentence: str = ""
    state: TableState | None = None
    """None if the table has not said it."""
    seen: bool = False
    """The table has published this game: that it is set up, or has begun."""
    plays: Pairing | None = None
    """The other game that is played there."""

    @property
    def is_unopened(self) -> bool:
        """The table has taken this game, and has not published that it has opened it."""
        return self.state in (TableState.SET_UP, TableState.RESUMED) and not self.seen


def assign_round(
    hall: TableAsker, paired: Round, before: Round | None = None, seconds: float = 0.0
) -> tuple[list[AssignmentResult], list[AssignmentResult]]:
    """Tell the people at each table where they play, take back the games of the round ``before``
    whose tables have none now, and give each game to its table. Tables that have their game already
    stay as they are. Return the results of the games and of those that were withdrawn. Wait
    ``seconds`` at most until the tables have set up their games."""
    notices = _to_tell(hall, paired)
    _tell(hall, notices)
    taken_back = _asked(hall, withdrawn_from(before, paired), WITHDRAW)
    told = _to_tell(hall, before, _silent(taken_back)) if before else {}
    nothing: dict[str, Any] = {"pairings": [], "byes": []}
    _tell(hall, {table: nothing for table in told if table not in notices})
    given = _asked(hall, paired.games, ASSIGN)
    silent = _silent(given)
    every = _to_tell(hall, paired, silent)
    _tell(hall, {table: body for table, body in every.items() if table in silent})
    return _when_seen(hall, given, seconds), taken_back


def resume_games(
    hall: TableAsker, games: Iterable[TableResult], seconds: float = 0.0
) -> list[AssignmentResult]:
    """Let each table go on with its game, which it has begun before. Tell the people of those that
    it takes where they are now, wherever they sit. A game that is over goes on for the arbiter:
    nobody is called away from a board for it. Return the results. Wait ``seconds`` at most until
    the tables have opened the games."""
    over = {_assignment_to(game): game.state == "over" for game in games}
    given = _asked(hall, over, ASSIGN, begun=True)
    goes_on = [
        one.game
        for one in given
        if one.state in (TableState.RESUMED, TableState.NEXT) and not over[one.game]
    ]
    for number in dict.fromkeys(game.round for game in goes_on):
        of_round = tuple(game for game in goes_on if game.round == number)
        notices = _to_tell(hall, Round(number, of_round))
        _tell(hall, {table: {**body, ALSO: True} for table, body in notices.items()})
    return _when_seen(hall, given, seconds)


def _assignment_to(game: TableResult) -> Assignment:
    return Assignment(game.round, game.table, game.white, game.black)


def begun_games(folder: Path, number: int | None = None, name: str = "") -> list[TableResult]:
    """The adjourned games of which the hall has copies in ``folder``; with ``number``, all of this
    round that have begun: tables may have left them. ``name``: those of this player, as
    :func:`where` finds names.

    :raises ValueError: if not exactly one player has this name.
    :raises OSError: if the copies cannot be read.
    """
    wanted = ("adjourned",) if number is None else ("playing", "stopped", "adjourned", "over")
    games = [
        game
        for game in results_in(folder, None if number is None else str(number))
        if game.state in wanted and all((game.round, game.white, game.black))
    ]
    if not name:
        return games
    player = one_player((name for game in games for name in (game.white, game.black)), name)
    return [one for one in games if any(is_same(player, of) for of in (one.white, one.black))]


def _asked(
    hall: TableAsker, games: Iterable[Assignment], kind: str, *, begun: bool = False
) -> list[AssignmentResult]:
    only = {BEGUN: True} if begun else {}
    requests = [
        (game, _ask(hall, game.table, kind, {k: v for k, v in asdict(game).items() if v} | only))
        for game in games
    ]
    return [_result_of(game, future) for game, future in requests]


def _pairing_at(hall: TableAsker, table: str) -> tuple[Pairing, str] | None:
    """The game that a connected table has opened, and its state. Between two games a table is not
    connected, and its newest head is of the earlier one."""
    with hall.follower.lock:
        followed = hall.follower.tables.get(table)
        there = followed is not None and followed.online and not followed.waits
        head = followed.head if followed is not None and there else None
    if head is None:
        return None
    return Pairing(head.round, table, head.white, head.black), head.state


def _when_seen(
    hall: TableAsker, given: list[AssignmentResult], seconds: float
) -> list[AssignmentResult]:
    """The results when the tables have set up their games, or after ``seconds``."""
    until = time.monotonic() + seconds
    while any(_is_awaited(hall, one) for one in given) and time.monotonic() < until:
        time.sleep(_LOOK_S)
    return [_seen(hall, one) for one in given]


def _is_awaited(hall: TableAsker, result: AssignmentResult) -> bool:
    """Return whether the table opens the game, and has not published that it has."""
    if result.state not in (TableState.SET_UP, TableState.RESUMED):
        return False
    at = _pairing_at(hall, result.game.table)
    rests = result.state is TableState.SET_UP and at is not None and at[1] in ("over", "adjourned")
    return at is None or at[0] != result.game.pairing or rests


def _seen(hall: TableAsker, result: AssignmentResult) -> AssignmentResult:
    at = _pairing_at(hall, result.game.table)
    plays = at[0] if at and result.state is TableState.OTHER else None
    return replace(result, seen=at is not None and at[0] == result.game.pairing, plays=plays)


def _ask(
    hall: TableAsker, table: str, kind: str, body: dict[str, Any]
) -> "Future[RequestAnswer] | None":
    try:
        return hall.request(table, "", kind, body)
    except UnreachableError:
        return None


def _result_of(game: Assignment, future: "Future[RequestAnswer] | None") -> AssignmentResult:
    if future is None:
        return AssignmentResult(game, "unreachable")
    answer = future.result()
    sentence = join_texts(" ", map(Message, answer.sentences))
    state = next((one for one in TableState if one.value == answer.body.get("state")), None)
    return AssignmentResult(game, answer.status, sentence, state)


def _silent(results: Iterable[AssignmentResult]) -> set[str]:
    """The tables that do not tell their people about these games: they play one game only, or still
    play another one."""
    return {
        one.game.table
        for one in results
        if one.status == "unknown" or one.state is TableState.OTHER
    }


def _tell(hall: TableAsker, notices: Mapping[str, dict[str, Any]]) -> None:
    for future in [_ask(hall, table, TELL, body) for table, body in notices.items()]:
        if future is not None:
            future.result()


def _to_tell(
    hall: TableAsker, paired: Round, silent: Container[str] = ()
) -> dict[str, dict[str, Any]]:
    """By table, the requests that tell its people where they play now. A game at their own table is
    told by the table itself when it is given, unless it is ``silent``."""
    bodies = {}
    with hall.follower.lock:
        people = {
            name: (table.head.white, table.head.black)
            for name, table in hall.follower.tables.items()
            if table.head is not None and table.online
        }
    known = KnownNames(players_in(paired))
    here = {table: set(map(known.known, names)) for table, names in people.items()}
    of_player: dict[str, list[Pairing]] = {}
    for game in paired.games:
        for name in (game.white, game.black):
            of_player.setdefault(name, []).append(game.pairing)
    for table, names in sorted(people.items()):
        own = (one for name in map(known.known, names) for one in of_player.get(name, ()))
        pairings = [one for one in own if one.table != table or table in silent]
        byes = [
            {"round": paired.round, "name": name, "bye": paired.byes.get(name, "")}
            for name in paired.resting
            if name in here[table]
        ]
        if pairings or byes:
            body = {"pairings": [asdict(pairing) for pairing in dict.fromkeys(pairings)]}
            bodies[table] = {**body, "byes": byes}
    return bodies
