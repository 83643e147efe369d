"""What the arbiter decides is proposed, and waits for the answer."""

from __future__ import annotations

from tests.laws.table import Table, kinds, of, one, started

WRONG = {"fact": "claim_draw", "by": "white", "rule": "repetition"}


def test_a_proposal_stops_the_clocks_until_the_arbiter_answers() -> None:
    table = started()
    got = table.feed({"t": 10, **WRONG})
    assert one(got, "claim").status == "proposed"
    assert one(got, "penalty").status == "proposed"  # what the claim will cost
    assert one(got, "clock").running == "none"
    table.feed({"t": 60, "fact": "tick"})
    assert table.game.clock.left["white"] == 290_000
    assert kinds(table.feed({"fact": "make", "by": "white", "move": "e2e4"})) == ["refused"]
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert one(got, "claim").status == "confirmed"
    assert one(got, "penalty").status == "confirmed"
    assert one(got, "clock").running == "white"


def test_a_rejected_proposal_costs_nothing_and_the_game_goes_on() -> None:
    table = started()
    table.feed({"t": 10, **WRONG})
    got = table.feed({"fact": "arbiter", "do": "reject"})
    assert {ruling.status for ruling in (*of(got, "claim"), *of(got, "penalty"))} == {"rejected"}
    assert table.game.clock.left["black"] == 300_000
    assert one(got, "clock").running == "white"


def test_without_an_arbiter_a_proposal_is_confirmed_at_once() -> None:
    table = started(arbiter="automatic")
    got = table.feed(WRONG)
    assert one(got, "claim").status == "confirmed"
    assert table.game.pending is None


def test_what_a_person_must_judge_waits_even_without_an_arbiter() -> None:
    table = started(arbiter="automatic", quickplay_finish=True, time_control="100")
    claim = {"fact": "claim_draw", "by": "white", "rule": "cannot_win"}
    assert one(table.feed(claim), "claim").status == "proposed"
    assert table.game.pending is not None


def test_nothing_is_confirmed_that_was_not_proposed() -> None:
    table = Table()
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert one(got, "refused").why == "nothing_proposed"
