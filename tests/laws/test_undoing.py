"""The arbiter undoes what the arbiter has decided (12.2, 13.2, 8.7)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.laws.game import MOST_CALLS
from blindplay.laws.rulings import Ruling
from tests.laws.random_games import People, play
from tests.laws.table import impaired, kinds, lift, of, one, place, started
from tests.sampling import first

UNDO: dict[str, Any] = {"fact": "arbiter", "do": "undo", "reason": "the wrong player"}


def decided(do: str, **more: Any) -> dict[str, Any]:
    return {"fact": "arbiter", "do": do, **more}


def test_a_penalty_is_undone_with_its_reason_and_the_time_that_ran_stays_charged() -> None:
    table = started()
    table.feed(decided("penalty", player="white", kind="time", white=100, black=60, t=10))
    got = table.feed({**UNDO, "t": 30})
    undone = one(got, "undone")
    assert (undone.what, undone.player, undone.reason) == ("penalty", "white", "the wrong player")
    assert undone.articles == ("fide-2023 12.2",)
    assert table.game.clock.left == {"white": 270_000, "black": 300_000}
    assert table.game.clock.running == "white"


@pytest.mark.parametrize(
    ("edition", "article"),
    [("fide-2023", "12.2"), ("fide-2014", "12.2"), ("fide-1997", "13.2")],
)
def test_an_undoing_rests_on_the_powers_of_the_arbiter(edition: str, article: str) -> None:
    table = started(edition=edition)
    table.feed(decided("set_clock", white=60))
    assert one(table.feed(UNDO), "undone").articles == (f"{edition} {article}",)
    assert table.game.clock.left["white"] == 300_000


def test_clocks_that_were_set_wrong_go_on_from_what_was_left() -> None:
    table = started()
    table.feed(decided("set_clock", white=1, t=10))
    got = table.feed({"t": 30, "fact": "tick"})
    assert one(got, "flag").status == "proposed"
    got = table.feed({**UNDO, "t": 40})
    assert table.game.clock.left["white"] == 289_000  # 290, and the second that ran
    assert (table.game.pending, table.game.clock.flags) == (None, [])
    assert table.game.clock.running == "white"


def test_a_flag_falls_when_the_time_that_was_given_is_taken_back() -> None:
    table = started(time_control="60")
    table.feed(decided("set_clock", white=600, t=50))
    got = table.feed({**UNDO, "t": 80})
    assert one(got, "flag").by == "white"
    assert table.game.clock.left["white"] == 0


def test_a_take_back_of_any_length_is_undone() -> None:
    table = started()
    table.play("e2e4", "e7e5", "g1f3", "b8c6", t=20)
    table.feed({"fact": "record", "by": "white", "ply": 3, "text": "Nf3"})
    table.feed({"fact": "announce", "by": "white", "move": "f1b5"})
    before = table.game.fork()
    table.feed(decided("restore", ply=0))
    got = table.feed({**UNDO, "t": 25})
    game = table.game
    assert one(got, "undone").to_ply == 4
    assert game.history == before.history and game.turn == before.turn
    assert game.sheets == {"white": {3: "Nf3"}, "black": {}} and not game.struck
    assert game.clock.left == before.clock.left
    # 6.11.3: the arbiter decides when the game goes on.
    assert (game.clock.running, game.paused) == (None, "arbiter")
    assert of(got, "arbiter_needed")[0].why == "start_clocks"
    table.feed(decided("start_clocks"))
    assert game.clock.running == "white"


def test_sensor_boards_are_led_back_to_what_they_showed() -> None:
    table = impaired()
    table.play("e2e4")
    table.feed(lift("e7", "black"), place("e7", "p", "black"), decided("restore", ply=0))
    table.feed(lift("e4", "black"), place("e2", "P", "black"))
    got = table.feed(UNDO)
    todo = {one.board: [step.square for step in one.steps] for one in of(got, "correct_board")}
    assert todo == {"white": ["e2", "e4"], "black": ["e2", "e4"]}
    got = table.feed(lift("e2", "black"), place("e4", "P", "black"))
    assert "boards_agree" in kinds(got)
    assert table.game.tables["black"].plies == 1


def test_a_result_is_undone_with_its_signatures() -> None:
    table = started()
    table.play("e2e4", t=10)
    table.feed(decided("declare", result="1-0", t=20))
    for side in ("white", "black"):
        table.feed({"fact": "sign", "by": side, "result": "1-0"})
    undone = one(table.feed({**UNDO, "t": 90}), "undone")
    assert undone.reopened
    assert undone.articles == ("fide-2023 12.2", "fide-2023 8.7")
    assert not table.game.over and not table.game.signed
    assert table.game.clock.left == {"white": 290_000, "black": 290_000}
    table.feed(decided("start_clocks"))
    table.play("e7e5")
    assert len(table.game.history) == 2


def test_the_end_that_players_have_brought_about_stays() -> None:
    table = started()
    table.feed(decided("penalty", player="white", kind="warning"))
    table.feed({"fact": "resign", "by": "white"})
    assert one(table.feed(UNDO), "refused").why == "game_over"
    assert table.game.result == "0-1"


def test_decisions_are_undone_the_last_one_first() -> None:
    table = started()
    table.feed(decided("set_clock", white=100), decided("set_clock", white=50))
    table.feed(UNDO)
    assert table.game.clock.left["white"] == 100_000
    table.feed(UNDO)
    assert table.game.clock.left["white"] == 300_000
    assert one(table.feed(UNDO), "refused").why == "nothing_to_undo"


def test_the_next_completed_move_settles_the_decision() -> None:
    table = started()
    table.feed(decided("set_clock", white=100))
    table.feed({"fact": "announce", "by": "white", "move": "e2e4"})
    assert table.game.decisions
    table.play("e2e4")
    assert one(table.feed(UNDO), "refused").why == "nothing_to_undo"


def test_a_sealed_move_settles_the_decision() -> None:
    table = started()
    table.feed(decided("set_clock", white=100), decided("adjourn"))
    table.feed({"fact": "seal", "by": "white", "text": "e2e4"})
    assert one(table.feed(UNDO), "refused").why == "nothing_to_undo"


def test_a_decision_about_an_adjourned_game_is_undone() -> None:
    table = started()
    table.feed(decided("adjourn"), {"fact": "seal", "by": "white", "text": "e2e4"})
    table.feed({"fact": "press", "by": "white"}, decided("declare", result="0-1"))
    assert one(table.feed(UNDO), "undone").reopened
    assert table.game.adjourned and table.game.sealed == "e2e4"


def test_the_answer_to_a_proposal_is_undone_and_it_is_proposed_again() -> None:
    table = started(time_control="60")
    table.feed({"t": 70, "fact": "tick"})
    table.feed(decided("confirm"))
    assert table.game.result == "0-1"
    got = table.feed(UNDO)
    assert one(got, "flag").status == "proposed"
    assert table.game.pending is not None and not table.game.over
    table.feed(decided("reject"))
    assert not table.game.over


def test_a_decision_is_undone_after_the_table_was_killed_and_came_back() -> None:
    table = started()
    table.feed(decided("set_clock", white=100, t=5), decided("stop_clocks", by="table", t=9))
    table.feed({**UNDO, "t": 20})
    assert table.game.clock.left["white"] == 291_000  # nine seconds ran
    assert (table.game.clock.running, table.game.paused) == (None, "table")


def test_a_refused_decision_and_the_tables_own_are_none_of_the_arbiters() -> None:
    table = started()
    table.feed(decided("confirm"), decided("stop_clocks", by="table"))
    assert one(table.feed(UNDO), "refused").why == "nothing_to_undo"


@pytest.mark.parametrize("decision", [decided("restore", ply=0), decided("declare", result="1-0")])
def test_a_game_without_clocks_goes_on_at_once(decision: dict[str, Any]) -> None:
    table = started(time_control="-")
    table.play("e2e4")
    table.feed(decision)
    assert "arbiter_needed" not in kinds(table.feed(UNDO))
    table.play("e7e5")
    assert len(table.game.history) == 2


def test_a_game_on_a_server_undoes_nothing() -> None:
    table = started(arbiter="server")
    table.feed(decided("set_clock", white=100))
    assert one(table.feed(UNDO), "refused").why == "nothing_to_undo"


def test_the_call_that_a_decision_heeded_calls_again() -> None:
    table = started()
    table.feed({"fact": "irregular", "by": "white", "what": "disturbance"})
    table.feed(decided("penalty", player="black", kind="warning"))
    assert not table.game.calls
    table.feed(UNDO)
    assert [call.why for call in table.game.calls] == ["disturbance"]


def test_the_arbiter_has_seen_to_a_call_without_a_penalty() -> None:
    table = started()
    table.feed({"fact": "irregular", "by": "white", "what": "disturbance"})
    seen = one(table.feed(decided("attend")), "attended")
    assert (seen.why, seen.player) == ("disturbance", "black")
    assert seen.articles == ("fide-2023 11.5", "fide-2023 12.9")
    assert not table.game.calls and table.game.clock.running == "white"
    assert one(table.feed(decided("attend")), "refused").why == "nothing_to_attend"


@pytest.mark.parametrize(
    ("edition", "what", "articles"),
    [
        ("fide-2023", "disturbance", ("11.5", "12.9")),
        ("fide-2014", "disturbance", ("11.5", "12.9")),
        ("fide-1997", "disturbance", ("12.5", "13.4")),
        ("fide-1997", "phone", ("Vorwort",)),  # the text knows no telephones
    ],
)
def test_what_the_arbiter_has_seen_to_cites_the_article_of_the_call(
    edition: str, what: str, articles: tuple[str, ...]
) -> None:
    table = started(edition=edition)
    table.feed({"fact": "irregular", "by": "white", "what": what})
    seen = one(table.feed(decided("attend")), "attended")
    assert seen.articles == tuple(f"{edition} {article}" for article in articles)


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "11.3.2.2"), ("fide-2014", "11.3 b")]
)
def test_a_telephone_loses_unless_the_arbiter_rejects_it_and_then_nothing_is_left(
    edition: str, article: str
) -> None:
    table = started(edition=edition)
    got = table.feed({"fact": "irregular", "by": "white", "what": "phone"})
    lost = one(got, "penalty")
    assert (lost.player, lost.loses, lost.status) == ("black", True, "proposed")
    assert lost.articles == (f"{edition} {article}",)
    table.feed(decided("reject"))
    assert (table.game.calls, table.game.clock.running) == ((), "white")


def test_a_call_after_the_game_can_be_seen_to() -> None:
    table = started()
    table.feed({"fact": "resign", "by": "white"})
    table.feed({"fact": "sign", "by": "white", "result": "0-1"})
    table.feed({"fact": "sign", "by": "black", "result": "1-0"})
    assert [call.why for call in table.game.calls] == ["signatures_differ"]
    assert kinds(table.feed(decided("attend"))) == ["attended"]
    assert not table.game.calls


def test_a_player_may_call_again_once_the_arbiter_has_come() -> None:
    table = started()
    call = {"fact": "call_arbiter", "by": "white"}
    assert not one(table.feed(call), "arbiter_needed").again
    assert one(table.feed(call), "arbiter_needed").again
    table.feed(decided("attend"))
    assert not one(table.feed(call), "arbiter_needed").again


# --- every decision in random games --------------------------------------------------------------

_CLOCK = ("control", "moves", "_period", "_in_period", "_thought", "_delay", "granted", "flags",
          "running")  # fmt: skip


def _state(game: Game) -> dict[str, Any]:
    """The state without what passing time changes and what is compared by itself."""
    apart = ("clock", "pending", "calls", "decisions", "exempt", "told_missing",
             "out", "t", "words", "helping", "_after")  # fmt: skip
    return {name: value for name, value in vars(game).items() if name not in apart}


def _decision(game: Game, rng: random.Random) -> f.Arbiter:
    """Some decision of the arbiter; a player of theirs would make it that player's."""
    side, ply = rng.choice(("white", "black")), rng.randint(1, len(game.history) + 1)
    told = People(game, rng).decision(side, ply)
    if told["do"] in ("restore", "start_clocks"):
        del told["player"]
    fact = f.parse({"t": game.t / 1000, "fact": "arbiter", **told})
    assert isinstance(fact, f.Arbiter)
    return fact


def _seen(rulings: list[Ruling]) -> list[tuple[str, dict[str, Any]]]:
    return [(ruling.kind, ruling.fields) for ruling in rulings]


@pytest.mark.parametrize("seed", first(5, range(16)))
def test_undoing_a_decision_leads_to_the_game_before_it(seed: int) -> None:
    rng = random.Random(seed)
    undone = 0
    for _, _, game in play(seed, 160):
        if game.setup is None:
            continue
        fact = _decision(game, rng)
        before, later = game.foretell(f.Tick(t=game.t))[0], rng.choice((0, 0, 5_000))
        after = before.fork()
        after.apply(fact)
        if len(after.decisions) != len(before.decisions) + 1:  # refused, or the players' own
            continue
        final = after.fork()
        undo = f.Arbiter(do="undo", t=game.t + later)
        foretold = _seen(after.preview(undo))
        got = final.apply(undo)
        assert _seen(got) == foretold
        undone += 1
        if of(got, "game_over"):  # a flag fell meanwhile, and nobody presides
            assert not game.presided and final.clock.flags
            continue
        assert final.decisions == before.decisions
        for name, value in _state(before).items():
            assert getattr(final, name) == value, (fact, name)
        assert set(final.calls) >= set(before.calls) or len(final.calls) == MOST_CALLS
        if later or final.clock.flags != before.clock.flags:  # one fell
            continue
        assert final.pending == before.pending, fact
        assert final.clock.left == before.clock.left, fact
        stood = after.over != before.over or after.history != before.history
        stood |= after.turn != before.turn
        for name in _CLOCK:
            if name == "running" and stood and final.clock.running is None and game.presided:
                continue
            assert getattr(final.clock, name) == getattr(before.clock, name), (fact, name)
    assert undone


@pytest.mark.parametrize("seed", first(4, range(10)))
def test_undoing_several_decisions_leads_to_the_game_before_the_first(seed: int) -> None:
    rng = random.Random(seed)
    undone = 0
    for number, (_, _, now) in enumerate(play(seed, 160)):
        if not now.presided or number % 5:
            continue
        game = now.foretell(f.Tick(t=now.t))[0]
        before = game.fork()
        for _ in range(4):
            fact = _decision(game, rng)
            if fact.do != "undo":
                game.apply(fact)
        while len(game.decisions) > len(before.decisions):
            game.apply(f.Arbiter(do="undo", t=game.t))
            undone += 1
        assert game.decisions == before.decisions
        for name, value in _state(before).items():
            assert getattr(game, name) == value, (seed, number, name)
        if game.clock.flags == before.clock.flags:  # no flag fell meanwhile
            assert (game.pending, game.clock.left) == (before.pending, before.clock.left)
    assert undone or not now.presided
