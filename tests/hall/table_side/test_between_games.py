"""A table gets its next game while it waits, and says where people play next."""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from blindplay.hall.hall import Hall
from blindplay.hall.pairings.rounds import ASSIGN, TELL, Assignment
from blindplay.hall.protocol import RequestAnswer
from blindplay.hall.requests import UnreachableError
from blindplay.hall.table_side.between_games import (
    Assigned,
    AssignedGames,
    BetweenGames,
    NextGame,
    WaitingTable,
    handlers,
    publisher,
)
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.hall_contact import Pairings
from blindplay.typed_lines import TypedLines
from blindplay.wording.values import Pairing
from tests.hall.running import Event, is_equal, play
from tests.table.playing import KEYS_ONLY
from tests.table.speaking import Microphone, hear_in_second_language, spoken
from tests.waiting import PATIENCE_S, until

GAME = Assignment("4", "1", "Cia Ek", "David Fors")


def body(game: Assignment = GAME) -> dict[str, Any]:
    return asdict(game)


class Desk:
    """A table of a hall that takes assignments, and what the hall's requests come to."""

    def __init__(self, event: Event, *, rounds: bool = True) -> None:
        self.table: Table = event.table()
        self.next = NextGame()
        joined = event.joined("1")
        following = self.next if rounds else None
        event.publish(self.table, handlers=handlers(self.table, joined, following))
        self.hall: Hall = event.hall()
        assert until(lambda: is_equal(self.hall, self.table))

    def status(self, kind: str = ASSIGN, body: dict[str, Any] | None = None) -> str:
        what = asdict(GAME) if body is None else body
        return self.hall.request("1", "Berta", kind, what).result(timeout=PATIENCE_S).status


@pytest.fixture
def desk(event: Event) -> Desk:
    return Desk(event)


def test_a_table_refuses_while_its_game_runs(desk: Desk) -> None:
    play(desk.table, "e2e4")
    assert desk.status() == "refused" and desk.next.known is None


def test_a_table_whose_game_is_over_takes_its_next_game(desk: Desk) -> None:
    play(desk.table, "e2e4")
    desk.table.submit(f.Resign(by="black"))
    assert desk.status() == "done"
    assert desk.next.known is not None and desk.next.known.game == GAME
    assert desk.table.pairings.next_of("cia ek") == GAME.pairing
    assert desk.next.take() is not None and desk.next.known is None


def test_a_table_that_has_its_game_already_stays_as_it_is(desk: Desk) -> None:
    assert desk.status() == "done"  # the game of the set-up has not begun
    setup = desk.table.game.setup
    assert setup is not None
    same = Assignment(setup.round, "1", "Anna", "Bert")
    desk.table.submit(f.Start())
    assert desk.status(body=body(same)) == "refused"  # another Black
    assert desk.next.known is not None


def test_a_pairing_that_was_corrected_back_leaves_the_game_that_is_set_up(event: Event) -> None:
    setup = f.Setup(white=f.Player(name="Cia Ek"), black=f.Player(name="David Fors"), round="4")
    table, following = event.table(setup=setup), NextGame()
    joined = event.joined("1")
    event.publish(table, handlers=handlers(table, joined, following))
    hall = event.hall()
    assert until(lambda: is_equal(hall, table))
    for white, known in (("Eva", True), ("Cia Ek", False)):
        game = replace(GAME, white=white)
        assert hall.request("1", "", ASSIGN, body(game)).result(timeout=PATIENCE_S).status == "done"
        assert (following.known is not None) is known


@pytest.mark.parametrize("wrong", [{"table": "2"}, {"white": ""}, {"impaired": "x"}, {"round": 4}])
def test_what_is_no_assignment_for_this_table_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    assert desk.status(body={**asdict(GAME), **wrong}) == "refused"


def test_a_table_that_plays_one_game_only_takes_no_other(event: Event) -> None:
    desk = Desk(event, rounds=False)
    assert desk.status() == "unknown"
    told = {"pairings": [asdict(GAME.pairing)]}
    assert desk.status(TELL, told) == "done"
    assert desk.table.pairings.next_of("Cia Ek") == GAME.pairing
    assert desk.status(TELL, {"pairings": [{"white": 3}]}) == "refused"


@pytest.fixture
def waiting(event: Event) -> Iterator[WaitingTable]:
    joined = event.joined("1")
    with WaitingTable(joined, event.folder / "at-1", {}) as table:
        yield table


def heard_of(hall: Hall, waiting: WaitingTable) -> bool:
    """Let the table wait on until the hall knows that it waits."""

    def known() -> bool:
        waiting.wait(0.01)
        table = hall.follower.tables.get("1")
        return table is not None and table.presence is not None and table.presence.waits >= 0

    return until(known)


def test_a_waiting_table_takes_the_game_that_it_is_asked_for_once(
    event: Event, waiting: WaitingTable
) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    first = hall.request("1", "Berta", ASSIGN, body()).result(timeout=PATIENCE_S)
    assert first.status == "done"
    assert waiting.wait(60) == Assigned(GAME, "Berta", first.id)
    again = hall.request("1", "Berta", ASSIGN, body()).result(timeout=PATIENCE_S)
    assert again.status == "done"
    assert waiting.wait(0) == Assigned(GAME, "Berta", first.id)
    other = body(replace(GAME, white="Eva"))
    assert hall.request("1", "Berta", ASSIGN, other).result(timeout=PATIENCE_S).status == "refused"


def test_a_waiting_table_does_nothing_else(event: Event, waiting: WaitingTable) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    assert hall.request("1", "", "act", {}).result(timeout=PATIENCE_S).status == "unknown"
    bad = body(replace(GAME, table="2"))
    assert hall.request("1", "", ASSIGN, bad).result(timeout=PATIENCE_S).status == "refused"
    assert hall.request("1", "", ASSIGN, {}).result(timeout=PATIENCE_S).status == "refused"
    assert waiting.wait(0) is None


def test_a_waiting_table_learns_where_its_people_play_next(event: Event) -> None:
    joined, known = event.joined("1"), Pairings("1")
    with WaitingTable(joined, event.folder / "at-1", {}, known) as waiting:
        hall = event.hall()
        assert heard_of(hall, waiting)
        body = {"pairings": [asdict(GAME)]}
        assert hall.request("1", "", TELL, body).result(timeout=PATIENCE_S).status == "done"
        assert known.told == (GAME.pairing,)
        bad = {"pairings": [3]}
        assert hall.request("1", "", TELL, bad).result(timeout=PATIENCE_S).status == "refused"
        assert waiting.wait(0) is None and known.told == (GAME.pairing,)


def test_an_assignment_for_an_earlier_wait_is_stale(event: Event, waiting: WaitingTable) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    followed = hall.follower.tables["1"]
    true = followed.presence
    assert true is not None
    for wrong in (replace(true, run="another"), replace(true, waits=true.waits + 3600)):
        followed.presence = wrong
        assert hall.request("1", "", ASSIGN, body()).result(timeout=PATIENCE_S).status == "stale"
    assert waiting.wait(0) is None


def test_a_waiting_table_gives_the_journals_of_its_earlier_games(event: Event) -> None:
    table = event.table()
    event.publish(table).close()
    joined = event.joined("1")
    with WaitingTable(joined, table.path.parent, {}) as waiting:
        hall = event.hall()
        assert heard_of(hall, waiting)
        copies = event.folder / "hall" / "table-1"

        def is_copied() -> bool:
            waiting.wait(0.01)
            return [one.read_bytes() for one in copies.glob("*")] == [table.path.read_bytes()]

        assert until(is_copied)


GERMAN, ENGLISH = load("de"), load("en")
NEXT = Pairing("4", "7", "Anna", "Bert")
SENTENCE = "Runde vier, Tisch sieben: Anna hat Weiß gegen Bert"


def people(told: list[str], *pairings: Pairing) -> BetweenGames:
    known = Pairings("2")
    found = BetweenGames(GERMAN, None, known, told.append)
    known.tell(pairings)
    return found


def test_where_people_play_is_said_as_soon_as_the_hall_tells_it() -> None:
    told: list[str] = []
    people(told, NEXT)
    assert len(told) == 1 and told[0].startswith(SENTENCE)


def test_the_question_is_answered_as_far_as_the_hall_has_told() -> None:
    told: list[str] = []
    asked = people(told)
    asked.answer()
    assert told == [GERMAN.sentence("pairing_unknown")]
    other = Pairing("4", "1", "Cia", "David")
    told.clear()
    people(told, NEXT, other).answer()
    assert told[2:] == told[:2] and len(told) == 4


@pytest.mark.parametrize(
    ("words", "asks"),
    [("wo spiele ich", True), ("Wo spiele ich", True), ("e4", False), ("", False)],
)
def test_only_the_question_itself_is_one(words: str, asks: bool) -> None:
    assert people([]).is_question(words) is asks


@pytest.mark.parametrize("only_second", [False, True])
def test_the_question_is_heard_in_any_language_and_other_talk_is_not_taken_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, only_second: bool
) -> None:
    told: list[str] = []
    asked, microphone = people(told, NEXT), Microphone()
    told.clear()
    recogniser = Recogniser(find_model("de"), "de", spellings=GERMAN.spoken)
    if only_second:
        hear_in_second_language(recogniser, monkeypatch)
    with Synthesiser("de", cache=tmp_path, spellings=GERMAN.spoken) as synthesiser:
        listener = asked.listen(microphone, recogniser)
        try:
            microphone.push(spoken(synthesiser, "Springer Gustav eins Felix drei"))
            microphone.push(spoken(synthesiser, "Wo spiele ich"))
            assert until(lambda: told)
            assert until(lambda: not microphone.waiting())
        finally:
            listener.close()
    assert len(told) == 1 and told[0].startswith(SENTENCE)


FULL = Assignment("4", "1", "Cia Ek", "David Fors", "both", "", "de")
OPTIONS = {"round": "4", "white": "Cia Ek", "black": "David Fors", "impaired": "both",
           "black_language": "de"}  # fmt: skip


def games(event: Event) -> AssignedGames:
    return AssignedGames(event.joined("1"), event.folder)


def asked(hall: Hall) -> RequestAnswer | None:
    """The table's answer to the assignment; None while the hall does not know the table."""
    try:
        return hall.request("1", "Berta", ASSIGN, asdict(FULL)).result(timeout=PATIENCE_S)
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
    sentence = "Table one waits for its next pairing. Type quit to close the table.\n"
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
    table._following.put(Assigned(FULL, "Berta", "id"))
    assert table.known
    found = table.next(load("en"), KEYS_ONLY, TypedLines([]), io.StringIO())
    assert found == {**OPTIONS, "who": "Berta", "request": "id"} and not table.known


def test_the_request_stands_in_the_set_up_so_it_is_answered_as_done(event: Event) -> None:
    """The answer may be lost, and the hall asks again when the game is set up already."""
    white, black = f.Player(name="Cia Ek"), f.Player(name="David Fors")
    setup = f.Setup(white=white, black=black, round="4", who="Berta", request="id")
    table, following = event.table(setup=setup), NextGame()
    joined = event.joined("1")
    with publisher(table, joined, dict, following):
        hall = event.hall()
        assert until(lambda: is_equal(hall, table))
        answer = asked(hall)
        assert answer is not None and answer.status == "done"
    assert following.known is None
