"""A table that plays one game after the other, each as the hall assigns it."""

from __future__ import annotations

import io
import threading
from dataclasses import asdict, replace

from blindplay.hall.assigned_games import AssignedGames, publisher
from blindplay.hall.assigning import ASSIGN, Assigned, NextGame
from blindplay.hall.hall import Hall
from blindplay.hall.pairings.rounds import Assignment
from blindplay.hall.protocol import RequestAnswer
from blindplay.hall.requests import UnreachableError
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.typed_lines import TypedLines
from tests.table.playing import KEYS_ONLY
from tests.waiting import PATIENCE_S, until

from .conftest import Event
from .playing import is_equal

GAME = Assignment("4", "1", "Cia Ek", "David Fors", "both", "", "de")
OPTIONS = {"round": "4", "white": "Cia Ek", "black": "David Fors", "impaired": "both",
           "black_language": "de"}  # fmt: skip


def games(event: Event) -> AssignedGames:
    return AssignedGames(replace(event.broker.event_file("1"), event=event.name), event.folder)


def asked(hall: Hall) -> RequestAnswer | None:
    """The table's answer to the assignment; None while the hall does not know the table."""
    try:
        return hall.request("1", "Berta", ASSIGN, asdict(GAME)).result(timeout=PATIENCE_S)
    except UnreachableError:
        return None


def test_a_table_says_that_it_waits_and_takes_what_is_assigned(event: Event) -> None:
    out, told = io.StringIO(), list[object]()
    more = threading.Event()

    def keys() -> object:
        yield "\n"
        more.wait(60)

    lines = TypedLines(keys())  # type: ignore[arg-type]
    table = games(event)
    thread = threading.Thread(
        target=lambda: told.append(table.next(load("en"), KEYS_ONLY, lines, out))
    )
    thread.start()
    hall, answers = event.hall(), list[RequestAnswer]()

    def done() -> bool:
        answer = asked(hall)
        answers.extend([answer] if answer else [])
        return bool(answers)

    assert until(done)
    thread.join(PATIENCE_S)
    more.set()
    assert answers[0].status == "done"
    assert told == [{**OPTIONS, "who": "Berta", "request": answers[0].id}]
    sentence = "Table one waits for its next pairing. Type quit to end the table.\n"
    assert out.getvalue() in (sentence, 2 * sentence)  # a key says it once more


def test_the_word_that_ends_the_table_ends_the_wait(event: Event) -> None:
    lines = TypedLines(["beenden\n"])
    assert games(event).next(load("de"), KEYS_ONLY, lines, io.StringIO()) is None


def test_where_do_i_play_can_be_typed_while_the_table_waits(event: Event) -> None:
    out = io.StringIO()
    lines = TypedLines(["where do I play\n", "quit\n"])
    assert games(event).next(load("en"), KEYS_ONLY, lines, out) is None
    assert out.getvalue().splitlines()[1:] == ["No pairing is known yet."]


def test_what_was_assigned_after_the_last_game_comes_without_a_wait(event: Event) -> None:
    table = games(event)
    assert not table.known
    table._following.put(Assigned(GAME, "Berta", "id"))
    assert table.known
    found = table.next(load("en"), KEYS_ONLY, TypedLines([]), io.StringIO())
    assert found == {**OPTIONS, "who": "Berta", "request": "id"} and not table.known


def test_the_request_stands_in_the_set_up_so_it_is_answered_as_done(event: Event) -> None:
    """The answer may be lost, and the hall asks again when the game is set up already."""
    white, black = f.Player(name="Cia Ek"), f.Player(name="David Fors")
    setup = f.Setup(white=white, black=black, round="4", who="Berta", request="id")
    table, following = event.table(setup=setup), NextGame()
    joined = replace(event.broker.event_file("1"), event=event.name)
    with publisher(table, joined, dict, following):
        hall = event.hall()
        assert until(lambda: is_equal(hall, table))
        answer = asked(hall)
        assert answer is not None and answer.status == "done"
    assert following.known is None
