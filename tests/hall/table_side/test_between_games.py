"""A table gets its next game while it waits, and says where people play next."""

from __future__ import annotations

import io
import shutil
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from blindplay.hall.hall import Hall
from blindplay.hall.pairings.giving import ASSIGN, BEGUN, TELL, WITHDRAW
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round, kept_round
from blindplay.hall.protocol import Request, RequestAnswer, encode
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
from blindplay.hall.table_side.journals import begun_game, mark_journal
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser
from blindplay.table import Table
from blindplay.table.hall_contact import Pairings
from blindplay.typed_lines import TypedLines
from blindplay.wording.values import Pairing, pairing_in_words
from tests.hall.running import SETUP, Event, is_equal, play
from tests.table.playing import KEYS_ONLY
from tests.table.speaking import Microphone, hear_in_second_language, spoken
from tests.waiting import PATIENCE_S, until

GAME = Assignment("4", "1", "Cia Ek", "David Fors")


def body(game: Assignment = GAME) -> dict[str, Any]:
    return asdict(game)


class Desk:
    """A table of a hall that takes assignments, and what the hall's requests come to."""

    def __init__(
        self,
        event: Event,
        *,
        rounds: bool = True,
        setup: f.Setup = SETUP,
        file: str = "game.jsonl",
        following: NextGame | None = None,
    ) -> None:
        self.table: Table = event.table(file=file, setup=setup)
        self.next = following or NextGame()
        joined = event.joined("1")
        following = self.next if rounds else None
        event.publish(self.table, handlers=handlers(self.table, joined, following))
        self.hall: Hall = event.hall()
        assert until(lambda: is_equal(self.hall, self.table))

    def answer(self, kind: str = ASSIGN, body: dict[str, Any] | None = None) -> RequestAnswer:
        what = asdict(GAME) if body is None else body
        return self.hall.request("1", "Berta", kind, what).result(timeout=PATIENCE_S)

    def status(self, kind: str = ASSIGN, body: dict[str, Any] | None = None) -> str:
        return self.answer(kind, body).status


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


PAIRED = f.Setup(white=f.Player(name="Cia Ek"), black=f.Player(name="David Fors"), round="4")
OTHER = replace(GAME, white="Eva")


def test_a_game_that_has_not_begun_is_replaced_and_cannot_begin_any_more(desk: Desk) -> None:
    assert desk.answer().body == {"state": "set_up"}
    assert desk.table.pairings.withdrawn == "pairing_replaced"
    desk.table.submit(f.Start())
    assert not desk.table.game.started
    assert desk.next.known is not None and desk.next.known.game == GAME


def test_a_table_that_has_its_game_already_stays_as_it_is(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    desk.next.present = GAME
    for state in ("set_up", "plays"):
        assert desk.answer().body == {"state": state}
        assert not desk.table.pairings.withdrawn and desk.next.known is None
        desk.table.submit(f.Start())
    assert desk.answer(body=body(OTHER)).body == {"state": "other"}


def test_a_pairing_that_was_corrected_back_is_set_up_again(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    for game in (OTHER, GAME):  # the table is about to close when the second one comes
        assert desk.answer(body=body(game)).status == "done"
        assert desk.next.known is not None and desk.next.known.game == game


def test_the_time_of_a_game_that_has_not_begun_is_replaced_too(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    desk.next.present = GAME
    assert desk.answer(body=body(replace(GAME, impaired="both"))).status == "done"
    assert desk.table.pairings.withdrawn == "pairing_replaced"


def test_a_resumed_table_knows_the_time_of_its_game_that_has_not_begun(event: Event) -> None:
    """It was killed after it had set the game up. The organiser takes the game's own time back."""
    kept = {**asdict(GAME), "time_control": "300+3", "who": "Berta", "request": "id"}
    del kept["table"]
    assigned = AssignedGames(event.joined("1"), event.folder)
    assigned.resume(kept)
    desk = Desk(event, setup=PAIRED, following=assigned._following)
    assert desk.answer(body=body(replace(GAME, time_control="300+3"))).body == {"state": "set_up"}
    assert desk.next.known is None
    assert desk.answer().body == {"state": "set_up"}
    assert desk.table.pairings.withdrawn == "pairing_replaced"
    assert desk.next.known is not None and desk.next.known.game == GAME


@pytest.mark.parametrize("kept", [None, [], {"round": 4}])
def test_a_resumed_game_of_which_nothing_is_known_is_replaced(event: Event, kept: object) -> None:
    assigned = AssignedGames(event.joined("1"), event.folder)
    assigned.resume(kept)
    desk = Desk(event, setup=PAIRED, following=assigned._following)
    assert desk.answer().body == {"state": "set_up"}
    assert desk.table.pairings.withdrawn == "pairing_replaced"


def test_an_adjourned_game_keeps_no_table_from_the_next_round(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    play(desk.table, "e2e4")
    desk.table.submit(f.Arbiter(do="adjourn"))
    desk.table.submit(f.Seal(by="black", text="e7e5"))
    assert desk.table.game.adjourned
    assert desk.answer(body=body(replace(OTHER, round="5"))).body == {"state": "next"}


def test_only_a_game_that_has_not_begun_is_withdrawn(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    assert desk.answer(WITHDRAW, body(OTHER)).status == "done"  # it is not played here
    assert not desk.table.pairings.withdrawn
    desk.table.submit(f.Start())
    assert desk.answer(WITHDRAW).status == "refused" and not desk.table.pairings.withdrawn
    desk.table.submit(f.Resign(by="white"))
    later = body(replace(OTHER, round="5"))
    assert desk.answer(body=later).body == {"state": "next"}
    heard: list[bool] = []
    desk.table.pairings.on_lost(lambda: heard.append(True))
    assert desk.answer(WITHDRAW, later).status == "done"
    assert desk.next.known is None and heard == [True]


def test_a_game_that_is_set_up_is_withdrawn(event: Event) -> None:
    desk = Desk(event, setup=PAIRED)
    assert desk.answer(WITHDRAW).status == "done"
    assert desk.table.pairings.withdrawn == "pairing_withdrawn" and desk.next.known is None


@pytest.mark.parametrize("wrong", [{"table": "2"}, {"white": ""}, {"impaired": "x"}, {"round": 4}])
def test_what_is_no_assignment_for_this_table_is_refused(desk: Desk, wrong: dict[str, Any]) -> None:
    assert desk.status(body={**asdict(GAME), **wrong}) == "refused"


def test_a_table_that_plays_one_game_only_takes_no_other(event: Event) -> None:
    desk = Desk(event, rounds=False)
    assert desk.status() == "unknown"
    told = {"pairings": [asdict(GAME.pairing)]}
    assert desk.status(TELL, told) == "done"
    assert desk.table.pairings.next_of("Cia Ek") == GAME.pairing
    for bye, kind in (("half", "half"), ("", "none")):
        byes = {"pairings": [], "byes": [{"round": "5", "name": "Eva Gran", "bye": bye}]}
        assert desk.status(TELL, byes) == "done"
        assert desk.table.pairings.told == (Pairing("5", "", "Eva Gran", "", kind),)
    assert pairing_in_words(Pairing("5", "", "Eva Gran", "", "half"), load("en")) == (
        "Round five: Eva Gran does not play, and gets half a point."
    )
    assert desk.status(TELL, {"pairings": [], "byes": [{"round": 1}]}) == "refused"
    assert desk.status(TELL, {"pairings": [{"white": 3}]}) == "refused"


def test_a_game_that_people_were_told_of_while_another_one_runs_is_withdrawn(desk: Desk) -> None:
    play(desk.table, "e2e4")
    desk.table.pairings.here = "1"
    assert desk.answer().body == {"state": "other"}
    assert desk.status(TELL, {"pairings": [asdict(GAME.pairing)]}) == "done"
    assert desk.status(WITHDRAW) == "done" and desk.table.pairings.told == ()


ENDS: dict[str, list[f.Fact]] = {
    "over": [f.Resign(by="white")],
    "adjourned": [f.Arbiter(do="adjourn"), f.Seal(by="black", text="e7e5")],
    "killed": [],
}


def play_once(event: Event, end: str) -> None:
    """The table plays GAME, which ends so, and is left."""
    table = event.table(setup=PAIRED)
    event.publish(table).close()
    play(table, "e2e4")
    for fact in ENDS[end]:
        table.submit(fact)


@pytest.mark.parametrize("end", ENDS)
def test_a_game_that_was_begun_and_left_is_neither_set_up_again_nor_withdrawn(
    event: Event, waiting: WaitingTable, end: str
) -> None:
    """The round is given to the tables once more, for one that was away."""
    play_once(event, end)
    hall = event.hall()
    assert heard_of(hall, waiting)

    def answer(kind: str, game: Assignment) -> tuple[str, dict[str, Any]]:
        found = hall.request("1", "", kind, body(game)).result(timeout=PATIENCE_S)
        return found.status, found.body

    assert answer(ASSIGN, GAME) == ("done", {"state": "over" if end == "over" else "plays"})
    assert answer(WITHDRAW, GAME) == ("refused", {"state": "plays"})
    assert waiting.wait(0) is None
    for other in (OTHER, replace(GAME, round="5"), replace(GAME, white="David", black="Cia")):
        assert answer(ASSIGN, other) == ("done", {"state": "set_up"})
        assert answer(WITHDRAW, other) == ("done", {})


def test_a_table_that_has_its_next_game_plays_no_earlier_one_again(event: Event) -> None:
    """The organiser corrects another table in the round before."""
    play_once(event, "over")
    later = replace(GAME, round="5")
    desk = Desk(event, setup=replace(PAIRED, round="5"), file="later.jsonl")
    desk.next.present = later
    for begun in (False, True):
        assert desk.answer().body == {"state": "over"}
        assert desk.answer(WITHDRAW).status == "refused"
        assert not desk.table.pairings.withdrawn and desk.next.known is None
        assert desk.answer(body=body(later)).body == {"state": "plays" if begun else "set_up"}
        desk.table.submit(f.Start())
    desk.table.submit(f.Resign(by="white"))
    last = replace(GAME, round="6")
    assert desk.answer(body=body(last)).body == {"state": "next"}
    assert desk.answer(body=body(later)).body == {"state": "plays"}
    assert desk.next.known is not None and desk.next.known.game == last  # it is of another round


@pytest.mark.parametrize("end", ENDS)
def test_a_game_that_was_begun_and_left_goes_on_when_that_is_asked_for(
    event: Event, waiting: WaitingTable, end: str
) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)

    def answer() -> RequestAnswer:
        return hall.request("1", "", ASSIGN, {**body(), BEGUN: True}).result(timeout=PATIENCE_S)

    assert answer().status == "refused"  # it would begin anew
    play_once(event, end)
    assert heard_of(hall, waiting)
    assert answer().body == {"state": "resumed"}
    found = waiting.wait(60)
    assert found is not None and found.game == GAME and found.goes_on


def test_of_several_journals_of_a_game_the_longest_goes_on(event: Event) -> None:
    """An older copy lies in the folder that is looked at first."""
    table = event.table(setup=PAIRED)
    event.publish(table).close()
    play(table, "e2e4")
    for folder, more in (("a-copy", None), ("b-copy", "e7e5")):
        if more:
            play(table, more)
        (event.folder / folder).mkdir()
        for file in table.path.parent.glob(f"{table.path.stem}*"):
            shutil.copy(file, event.folder / folder)
    folders = [event.folder / name for name in ("a-copy", "b-copy", "a-copy")]
    found = begun_game(folders, event.joined("1"), GAME.pairing)
    assert found is not None and found.journal.parent.name == "b-copy" and not found.over


def test_of_several_games_of_a_pairing_the_one_that_is_not_over_goes_on(event: Event) -> None:
    """The first one was long, and did not count."""
    for file, moves in (("first.jsonl", ("e2e4", "e7e5", "g1f3")), ("second.jsonl", ("d2d4",))):
        table = event.table(file=file, setup=PAIRED)
        event.publish(table).close()
        play(table, *moves)
        if len(moves) > 1:
            table.submit(f.Resign(by="white"))
    found = begun_game([event.folder / "at-1"], event.joined("1"), GAME.pairing)
    assert found is not None and (found.journal.name, found.over) == ("second.jsonl", False)


def test_a_journal_that_cannot_be_read_is_named_when_a_game_cannot_go_on(event: Event) -> None:
    desk = Desk(event)
    asked = {**body(), BEGUN: True}
    assert desk.answer(body=asked).sentences == ["The journal of this game is not on this machine."]
    damaged = desk.table.path.with_name("damaged.jsonl")
    damaged.write_bytes(b"no journal")
    assert mark_journal(damaged, event.joined("1"))
    (said,) = desk.answer(body=asked).sentences
    assert str(damaged) in said and "cannot be read" in said


def test_a_game_is_played_anew_in_a_round_with_another_name(
    event: Event, waiting: WaitingTable
) -> None:
    play_once(event, "over")
    hall = event.hall()
    assert heard_of(hall, waiting)
    anew = replace(GAME, round="replay 4")
    answer = hall.request("1", "", ASSIGN, body(anew)).result(timeout=PATIENCE_S)
    assert answer.body == {"state": "set_up"}
    for game in (GAME, anew):
        keep_round(event.folder, Round(game.round, (game,)))
    newest = kept_round(event.folder)
    assert newest is not None and newest.round == "4"  # people are led to the whole round


def test_a_game_that_goes_on_takes_the_place_of_one_that_has_not_begun(event: Event) -> None:
    play_once(event, "adjourned")
    desk = Desk(event, setup=replace(PAIRED, round="5"), file="later.jsonl")
    assert desk.answer(body={**body(), BEGUN: True}).body == {"state": "resumed"}
    assert desk.table.pairings.withdrawn == "pairing_replaced"
    assert desk.next.known is not None and desk.next.known.goes_on


def test_a_game_that_goes_on_next_forgets_no_pairing_at_another_table(event: Event) -> None:
    play_once(event, "adjourned")
    desk = Desk(event, setup=replace(PAIRED, round="5"), file="later.jsonl")
    desk.table.pairings.here = "1"
    play(desk.table, "e2e4")
    desk.table.submit(f.Resign(by="black"))
    here, there = replace(GAME, round="6").pairing, Pairing("7", "3", "Cia Ek", "Eva")
    desk.table.pairings.tell([here, there])
    assert desk.answer(body={**body(), BEGUN: True}).body == {"state": "next"}
    assert desk.table.pairings.told == (GAME.pairing, there)


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
    other = hall.request("1", "Berta", ASSIGN, body(OTHER)).result(timeout=PATIENCE_S)
    assert other.status == "done"
    assert waiting.wait(0) == Assigned(OTHER, "Berta", other.id)


def test_a_waiting_table_gives_a_game_back_until_it_is_closed(event: Event) -> None:
    """Nobody sets up a game of which the organiser has read that it is withdrawn."""
    following = NextGame()
    with WaitingTable(event.joined("1"), event.folder, {}, following=following) as waiting:
        hall = event.hall()
        assert heard_of(hall, waiting)

        def status(kind: str, game: Assignment = GAME) -> str:
            return hall.request("1", "", kind, body(game)).result(timeout=PATIENCE_S).status

        assert status(ASSIGN) == status(WITHDRAW, OTHER) == "done"
        found = waiting.wait(60)
        assert found is not None and found.game == GAME
        assert status(WITHDRAW) == "done"
        assert waiting.wait(0) is None
        presence = hall.follower.tables["1"].presence
        assert presence is not None
        waiting.close()
        late = Request("late", "", presence.waits, "", ASSIGN, {**body(), "run": presence.run})
        waiting._on_message("blindplay/1/x/1/request", encode(late), False)
    assert following.known is None


def test_a_game_that_is_withdrawn_while_its_table_closes_the_wait_is_not_set_up(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, more = io.StringIO(), threading.Event()

    def keys() -> Iterator[str]:
        more.wait(PATIENCE_S)
        yield "quit\n"

    table, close = games(event), WaitingTable.close
    hall = event.hall()

    def closing(waiting: WaitingTable) -> None:
        if not more.is_set():
            assert hall.request("1", "", WITHDRAW, body()).result(PATIENCE_S).status == "done"
            more.set()
        close(waiting)

    monkeypatch.setattr(WaitingTable, "close", closing)
    told = list[object]()
    thread = threading.Thread(
        target=lambda: told.append(table.next(load("en"), KEYS_ONLY, TypedLines(keys()), out))
    )
    thread.start()
    assert until(lambda: assigned_to(hall, GAME) is not None)
    thread.join(PATIENCE_S)
    assert told == [None] and out.getvalue().count("Table one waits for its next pairing.") == 2


def test_the_second_machine_that_waits_with_one_tables_file_says_so_and_ends(
    event: Event, waiting: WaitingTable
) -> None:
    hall = event.hall()
    assert heard_of(hall, waiting)
    first = hall.follower.tables["1"].presence
    out, ended = io.StringIO(), threading.Event()

    def second() -> None:
        assert games(event).next(load("en"), KEYS_ONLY, TypedLines(open_keys(ended)), out) is None
        ended.set()

    threading.Thread(target=second, daemon=True).start()
    while not ended.is_set():  # the first one answers while it waits
        waiting.wait(0.01)
    assert out.getvalue().endswith(load("en").sentence("hall_twice") + "\n")

    def stays() -> bool:
        presence = hall.follower.tables["1"].presence
        return first is not None and presence is not None and presence.run == first.run

    assert until(stays)  # the hall may hear the answer later than the second machine


def open_keys(ended: threading.Event) -> Iterator[str]:
    """A keyboard at which nothing is typed."""
    ended.wait(PATIENCE_S)
    yield from ()


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


def test_people_who_wait_hear_that_their_pairing_is_withdrawn() -> None:
    told: list[str] = []
    known = Pairings("2")
    BetweenGames(GERMAN, None, known, told.append)
    for pairings in ([NEXT], [], []):
        known.tell(pairings)
    assert told[1:] == [GERMAN.sentence("pairing_withdrawn")]


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
    return assigned_to(hall, FULL)


def assigned_to(hall: Hall, game: Assignment) -> RequestAnswer | None:
    """The table's answer to the assignment; None while the hall does not know the table."""
    try:
        return hall.request("1", "Berta", ASSIGN, asdict(game)).result(timeout=PATIENCE_S)
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


def test_the_request_stands_in_the_set_up_so_it_is_answered_as_done(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer may be lost, and the hall asks again when the game is set up already."""
    white, black = f.Player(name="Cia Ek"), f.Player(name="David Fors")
    setup = f.Setup(white=white, black=black, round="4", who="Berta", request="id")
    table, following = event.table(setup=setup), NextGame()
    joined = event.joined("1")
    with publisher(table, joined, dict, following):
        hall = event.hall()
        assert until(lambda: is_equal(hall, table))
        monkeypatch.setattr("blindplay.hall.requests.secrets.token_hex", lambda size: "id")
        answer = asked(hall)
        assert answer is not None and answer.status == "done"
    assert following.known is None and not table.pairings.withdrawn
