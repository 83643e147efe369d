"""Two tables, one game: the same facts, fair clocks, nothing lost or doubled, and only facts that a
table may add, as docs/distant-table.md lists them.
"""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.opponents.distant.player import permits
from blindplay.wording.pack_words import PackWords

from .two_tables import SETUP, Somebody, World, equal, moves_of, run

BOTH, NOBODY = {"white", "black"}, set[str]()
WHITE, BLACK = {"white"}, {"black"}


def game(arbiter: str = "automatic") -> Game:
    """White waited, and is on move."""
    game = Game(PackWords())
    game.apply(replace(SETUP, arbiter=arbiter))
    game.apply(f.Start(t=0))
    return game


@pytest.mark.parametrize(
    ("fact", "alone", "presided"),
    [
        (f.Resign(by="white"), WHITE, WHITE),
        (f.Resign(by="black"), BLACK, BLACK),
        (f.Press(by="assistant:black"), BLACK, BLACK),
        (f.Query(by="black", about="time"), BLACK, BLACK),
        (f.Record(by="white", ply=1, text="e4"), WHITE, WHITE),
        (f.Lift(board="black", square="e7"), BLACK, BLACK),
        (f.Tick(), WHITE, WHITE),
        (f.Inspect(board="black", fulfils=()), WHITE, WHITE),
        (f.Arbiter(do="stop_clocks"), BOTH, WHITE),
        (f.Arbiter(do="start_clocks"), BOTH, WHITE),
        (f.Arbiter(do="declare", result="1-0"), NOBODY, WHITE),
        (f.Arbiter(do="set_clock", white=1), NOBODY, WHITE),
        (f.Arbiter(do="restore", ply=0), NOBODY, WHITE),
        (f.Arbiter(do="attend"), NOBODY, WHITE),
        (f.Arbiter(do="undo"), NOBODY, WHITE),
        (f.Arbiter(do="preside"), WHITE, WHITE),
        (f.Arbiter(by="table", do="stop_clocks"), BOTH, BOTH),
        (f.Irregular(by="white", what="reversed_colours"), NOBODY, NOBODY),
        (f.Irregular(by="white", what="displaced"), WHITE, WHITE),
        (f.Assistant(by="table", of="black"), BLACK, BLACK),
        (f.OpenEnvelope(), WHITE, WHITE),
        (SETUP, NOBODY, NOBODY),
    ],
    ids=lambda value: value.kind if isinstance(value, Fact) else "",
)
def test_each_fact_has_the_tables_that_may_add_it(
    fact: Fact, alone: set[str], presided: set[str]
) -> None:
    for arbiter, expected in (("automatic", alone), ("present", presided)):
        at = game(arbiter)
        found = {
            side
            for side in f.SIDES
            if permits(fact, at, side, waited=side == "white", training=False)
        }
        assert found == expected


def test_in_training_without_an_arbiter_both_may_take_back() -> None:
    fact = f.Arbiter(do="restore", ply=0)
    for side in f.SIDES:
        assert permits(fact, game(), side, waited=side == "white", training=True)
    assert not permits(fact, game("present"), "black", waited=False, training=True)


def test_100_moves_over_a_slow_and_lossy_line_cost_nobody_the_time_of_the_line(
    tmp_path: Path,
) -> None:
    world = World(1)
    world.lost, world.doubled = 0.05, 0.05
    moves, chance = moves_of(200, 3), random.Random(4)
    people = [
        Somebody(world, tmp_path, side, moves, thinks_s=lambda: chance.uniform(0.1, 1))
        for side in ("white", "black")
    ]
    run(world, people, lambda: all(len(one.table.game.history) == 200 for one in people), 3000)
    run(world, people, lambda: all(one.player._log.settled for one in people), 60)
    assert equal(people)
    for one in people:
        assert "distant_clock" not in one.told
        left = one.table.game.history[-1].clock.left
        assert people[0].table.game.history[-1].clock.left == left
        expected = 5430 + 100 * 30 - one.thought_s
        assert abs(left[one.side] / 1000 - expected) < 0.05


def disturbed(world: World, people: list[Somebody]) -> None:
    """From now on the connection is cut, and tables are killed, again and again."""

    def heal() -> None:
        world.cut = False

    def cut() -> None:
        world.cut = True
        world.later(world.chance.choice((0.2, 2, 12)), heal)
        world.later(world.chance.uniform(15, 40), cut)

    def kill() -> None:
        one = world.chance.choice(people)
        if one.is_up:
            one.is_killed()
            world.later(world.chance.choice((0.3, 3, 15)), one.sit)
        world.later(world.chance.uniform(10, 40), kill)

    world.later(5, cut)
    world.later(10, kill)


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(one, marks=pytest.mark.long) for one in range(1, 8))]
)
def test_cuts_and_kills_lose_and_double_nothing(tmp_path: Path, seed: int) -> None:
    world = World(seed, jitter_s=0.2)
    world.lost = world.doubled = 0.1
    moves, chance = moves_of(40, seed), random.Random(seed)
    people = [
        Somebody(world, tmp_path, side, moves, thinks_s=lambda: chance.uniform(0.1, 4))
        for side in ("white", "black")
    ]
    disturbed(world, people)
    run(
        world,
        people,
        lambda: all(one.is_up and len(one.table.game.history) == 40 for one in people),
        5000,
    )
    world.lost = world.doubled = 0.0
    run(world, people, lambda: all(one.is_up and one.player._log.settled for one in people), 600)
    assert equal(people)
    for one in people:
        assert [ply.move.uci() for ply in one.table.game.history] == moves
        assert one.table.game.clock.left == people[0].table.game.clock.left
    told = {*people[0].told, *people[1].told}
    assert told >= {"distant_lost", "distant_back"}
    assert not told & {"distant_clock", "distant_other_game"}


def playing(folder: Path, *, arbiter: str = "automatic") -> tuple[World, list[Somebody]]:
    """A game of two tables that has begun; White's table waited, and it is White's move."""
    world = World(2)
    setup = replace(SETUP, arbiter=arbiter)
    people = [
        Somebody(world, folder, side, moves_of(2, 1), thinks_s=lambda: 1e6, setup=setup)
        for side in ("white", "black")
    ]
    if arbiter == "present":
        people[0].table.submit(f.Start())
    run(world, people, lambda: all(one.table.game.clock.running == "white" for one in people), 60)
    return world, people


@pytest.mark.parametrize(
    "fact",
    [
        f.Arbiter(do="declare", result="0-1"),
        f.Arbiter(do="set_clock", black=1),
        f.Arbiter(do="restore", ply=0),
        f.Resign(by="black"),
        f.Sign(by="black", result="1-0"),
        f.Arbiter(do="stop_clocks", player="black"),
        f.Arbiter(by="table", do="stop_clocks", player="black"),
        f.Start(by="assistant:black"),
        f.OfferDraw(by="white", who="the arbiter"),
        f.OfferDraw(by="white", request="1"),
        f.OfferDraw(by="white", table="black"),
        f.Irregular(by="white", what="reversed_colours"),
        replace(SETUP, time_control="60"),
    ],
    ids=lambda fact: f"{fact.kind} {fact.who or fact.request or fact.table}",
)
def test_a_fact_that_is_not_of_the_other_table_gets_into_no_journal(
    tmp_path: Path, fact: Fact
) -> None:
    world, (white, black) = playing(tmp_path)
    before = black.facts
    fact = replace(fact, t=white.table.game.t, table=fact.table or "white")
    white.player._log.add(f.dumps(fact))
    run(world, [white, black], lambda: "distant_other_game" in black.told, 60)
    assert black.facts == before and not black.table.game.over
    black.is_killed()
    black.sit()
    assert black.table.game.clock.left["white"] > 60_000


@pytest.mark.parametrize("line", ["", "[", "3", '{"fact":"tick","t":0.0,"more":1}'])
def test_a_line_that_is_no_fact_gets_into_no_journal(tmp_path: Path, line: str) -> None:
    world, (white, black) = playing(tmp_path)
    before = black.facts
    white.player._log.add(line)
    run(world, [white, black], lambda: "distant_other_game" in black.told, 60)
    assert black.facts == before


def test_what_waits_for_the_pen_is_left_out_when_an_arbiter_came_first(tmp_path: Path) -> None:
    world, (white, black) = playing(tmp_path)
    black.table.submit(f.Arbiter(do="stop_clocks"))
    white.table.submit(f.Arbiter(do="preside"))
    run(world, [white, black], lambda: "distant_elsewhere" in black.told, 60)
    run(world, [white, black], lambda: black.player._log.settled, 60)
    assert black.table.game.presided and black.table.game.clock.running == "white"
    assert "distant_other_game" not in white.told


# --- a table that knows the keys, and lies -------------------------------------------------------


def reply_of(liar: Somebody, **changed: Any) -> bytes:
    """The next message of a table, with other values."""
    message = liar.player._log.message(again=True)
    about = {"ready": True, "voice": None, "at": liar.world.time, "answers": liar.world.time}
    return json.dumps({**message, **about, **changed}).encode()


def of_black(table: Somebody) -> list[Fact]:
    return [fact for fact in table.facts if fact.table == "black"]


@pytest.mark.parametrize("later_ms", [-1, 1])
@pytest.mark.parametrize("lent", [False, True])
def test_a_liar_changes_neither_the_time_of_a_player_nor_whose_turn_it_is_to_add_facts(
    tmp_path: Path, later_ms: int, lent: bool
) -> None:
    """White's clock runs, so White's table has the write token, and lends it if it is asked."""
    world, (white, black) = playing(tmp_path)
    after = world.time + 5
    run(world, [white, black], lambda: world.time > after and white.player._log.settled, 60)
    shared, before, clock = white.player._log, of_black(white), white.table.game.clock
    if lent:
        shared.give()
    assert shared.token is not None and shared.holds is not lent
    count, t = len(shared.facts), white.table.game.t + later_ms
    line = f.dumps(f.OfferDraw(by="black", table="black", t=t))
    token = shared.token + (not lent)
    left = white.table.game.clock.left["white"]
    white.player.on_message(reply_of(black, start=count, facts=[line], have=count + 1, pen=token))
    assert "distant_other_game" in white.told and of_black(white) == before
    assert clock.left["white"] >= left - 1000


def test_a_table_that_takes_the_write_token_is_not_believed(tmp_path: Path) -> None:
    world, (white, black) = playing(tmp_path)
    run(world, [white, black], lambda: white.player._log.settled, 60)
    token = white.player._log.token
    assert token is not None and white.player._log.holds
    white.player.on_message(reply_of(black, pen=token + 1))
    assert "distant_other_game" in white.told and white.player._log.holds


def test_a_table_that_keeps_the_write_token_is_told_and_its_player_waits_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, (white, black) = playing(tmp_path)
    monkeypatch.setattr(white.player._log, "give", lambda: None)
    black.table.submit(f.Resign(by="black"))
    run(world, [white, black], lambda: "distant_lost" in black.told, 60)
    assert not white.table.game.over and not black.table.game.over
    world.pass_to(world.time + 60)  # it comes back only when it gives the token
    assert black.told.count("distant_back") == 0
    monkeypatch.undo()
    run(world, [white, black], lambda: black.table.game.over and white.table.game.over, 60)
    assert black.told[-1] == "distant_back" and equal([white, black])


def test_a_connection_that_brings_nothing_for_two_limits_is_replaced(tmp_path: Path) -> None:
    world, people = playing(tmp_path)
    after = world.time + 60
    run(world, people, lambda: world.time > after, 120)
    assert all(one.line.renewed == 0 for one in people)
    world.cut = True
    run(world, people, lambda: all(one.line.renewed == 2 for one in people), 21)
    world.cut = False
    run(world, people, lambda: "distant_back" in people[0].told, 60)
    after = world.time + 60
    run(world, people, lambda: world.time > after, 120)
    assert all(one.line.renewed == 2 for one in people)


def test_a_clock_that_goes_slowly_at_the_other_table_is_told_once(tmp_path: Path) -> None:
    world, (white, black) = playing(tmp_path)
    began = world.time
    white.table._now = lambda: began + (world.time - began) / 10
    run(world, [white, black], lambda: "distant_clock" in black.told, 60)
    assert "distant_clock" not in white.told
    after = world.time + 60
    run(world, [white, black], lambda: world.time >= after, 120)
    assert black.told.count("distant_clock") == 1


def test_messages_that_are_sent_again_later_change_nothing(tmp_path: Path) -> None:
    """Those of this connection and of one before a restart, in any order, at every moment."""
    world = World(5)
    moves = moves_of(12, 5)
    people = [
        Somebody(world, tmp_path, side, moves, thinks_s=lambda: 1.0) for side in ("white", "black")
    ]
    white, black = people
    sent: list[bytes] = []

    def tap() -> None:
        send = white.line.send

        def again(message: bytes) -> None:
            send(message)
            for old in world.chance.choices(sent or [message], k=3):
                send(old)
            sent.append(message)

        white.line.send = again  # type: ignore[method-assign]

    tap()
    run(world, people, lambda: len(black.table.game.history) == 6, 600)
    white.is_killed()
    white.sit()
    tap()
    run(world, people, lambda: len(black.table.game.history) == 12, 3000)
    del sent[:]
    run(world, people, lambda: all(one.player._log.settled for one in people), 600)
    assert equal(people) and "distant_other_game" not in white.told + black.told
    assert [ply.move.uci() for ply in black.table.game.history] == moves
    assert white.table.game.clock.left == black.table.game.clock.left
