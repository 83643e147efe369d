"""Giving the games of a round to the tables of a hall, and telling people where they play."""

import re
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from typing import Any

from blindplay.translation import Message, _, join_texts

from ..hall import TableAsker
from ..protocol import RequestAnswer
from ..requests import UnreachableError
from .rounds import Assignment, Round

ASSIGN, TELL = "assign", "pairings"
"""The kinds of requests: play this game next; tell your people where they play next."""


@dataclass(frozen=True)
class Given:
    """The result of the assignment of one game. ``status`` is that of the table's answer, or
    ``unreachable``; ``sentence`` is the table's comment."""

    game: Assignment
    status: str
    sentence: str = ""


def with_tables(paired: Round, tables: Iterable[str]) -> Round:
    """The round with the names that the tables have: table 4 of a file may be called ``table-4``.

    :raises ValueError: if two tables have the number that the file gives to a game.
    """
    known = set(tables)
    numbered: dict[str, list[str]] = {}
    for name in sorted(known):
        numbered.setdefault(_number(name), []).append(name)

    def named(game: Assignment) -> Assignment:
        number = _number(game.table)
        candidates = numbered.get(number, []) if number and game.table not in known else []
        if len(candidates) > 1:
            raise ValueError(
                _(
                    "Two tables have the number {number}: {first} and {second}.",
                    number=number,
                    first=candidates[0],
                    second=candidates[1],
                )
            )
        return replace(game, table=candidates[0]) if candidates else game

    return replace(paired, games=tuple(map(named, paired.games)))


def _number(name: str) -> str:
    match = re.search(r"(\d+)$", name)
    return match[1].lstrip("0") if match else ""


def assign_round(hall: TableAsker, paired: Round) -> list[Given]:
    """Give each game to its table, and tell the people at each table of the last round where
    they play. Tables that have their game already stay as they are."""
    asked: list[tuple[Assignment, Future[RequestAnswer] | None]] = []
    for game in paired.games:
        body = {name: value for name, value in asdict(game).items() if value}
        asked.append((game, _ask(hall, game.table, ASSIGN, body)))
    given = [_given(game, future) for game, future in asked]
    notices = [_ask(hall, *request) for request in _to_tell(hall, paired)]
    for future in filter(None, notices):
        future.result()
    return given


def _ask(
    hall: TableAsker, table: str, kind: str, body: dict[str, Any]
) -> "Future[RequestAnswer] | None":
    try:
        return hall.request(table, "", kind, body)
    except UnreachableError:
        return None


def _given(game: Assignment, future: "Future[RequestAnswer] | None") -> Given:
    if future is None:
        return Given(game, "unreachable")
    answer = future.result()
    return Given(game, answer.status, join_texts(" ", map(Message, answer.sentences)))


def _to_tell(hall: TableAsker, paired: Round) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """The requests that tell the people at each table of the last round where they play now."""
    with hall.follower.lock:
        people = {
            name: (table.head.white, table.head.black)
            for name, table in hall.follower.tables.items()
            if table.head is not None and table.online
        }
    for table, names in sorted(people.items()):
        pairings = [game.pairing for game in paired.games if any(n in game.pairing for n in names)]
        if pairings:
            body = {"pairings": [asdict(pairing) for pairing in pairings]}
            yield table, TELL, body
