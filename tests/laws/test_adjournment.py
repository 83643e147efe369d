"""Adjourning a game and taking it up again."""

from __future__ import annotations

from tests.laws.table import Table, kinds, one, started


def sealed(text: str = "e2e4", **setup: object) -> Table:
    table = started(**setup)
    table.feed({"t": 10, "fact": "arbiter", "do": "adjourn"})
    table.feed({"fact": "seal", "by": "white", "text": text})
    return table


def test_the_envelope_tells_everything_but_the_move() -> None:
    table = sealed()
    got = table.feed({"t": 20, "fact": "press", "by": "white"})
    envelope = one(got, "adjourned").envelope
    assert (envelope.sealed_by, envelope.move_number) == ("white", 1)
    assert (envelope.white, envelope.black) == (280, 300)
    assert "e2e4" not in str(one(got, "adjourned").fields)
    assert table.game.clock.running is None


def test_a_sealed_move_may_be_changed_until_the_clock_is_stopped() -> None:
    table = sealed()
    table.feed({"fact": "seal", "by": "white", "text": "d2d4"}, {"fact": "press", "by": "white"})
    got = table.feed({"fact": "open_envelope"})
    assert one(got, "completed").move == "d2d4"
    assert one(got, "clock").running == "black"


def test_a_sealed_move_that_is_illegal_loses() -> None:
    table = sealed("e2e5")
    table.feed({"fact": "press", "by": "white"})
    penalty = one(table.feed({"fact": "open_envelope"}), "penalty")
    assert (penalty.loses, penalty.status) == (True, "proposed")
    over = one(table.feed({"fact": "arbiter", "do": "confirm"}), "game_over")
    assert (over.result, over.reason) == ("0-1", "sealed_move")


def test_a_lost_envelope_leaves_the_position_and_the_times_of_the_adjournment() -> None:
    table = sealed()
    table.feed({"t": 20, "fact": "press", "by": "white"})
    got = table.feed({"t": 3600, "fact": "open_envelope", "missing": True})
    assert one(got, "arbiter_needed").why == "missing_envelope"
    assert table.game.clock.left["white"] == 280_000
    assert table.game.side == "white"


def test_nothing_is_played_while_a_game_is_adjourned() -> None:
    table = sealed()
    table.feed({"fact": "press", "by": "white"})
    got = table.feed({"fact": "make", "by": "white", "move": "d2d4"})
    assert (kinds(got), one(got, "refused").why) == (["refused"], "adjourned")


def test_nothing_is_announced_while_a_sealed_move_is_due() -> None:
    table = started()
    table.feed({"fact": "arbiter", "do": "adjourn"})
    for kind, by in (("announce", "white"), ("correct", "white"), ("repeat", "black")):
        got = table.feed({"fact": kind, "by": by, "move": "e2e4"})
        assert (kinds(got), one(got, "refused").why) == (["refused"], "seal_due")
    assert table.game.turn.announced is None
    assert kinds(table.feed({"fact": "seal", "by": "white", "text": "e2e4"})) == ["sealed"]


def test_a_flag_falls_while_the_player_who_must_answer_is_away() -> None:
    table = sealed()
    table.feed({"t": 20, "fact": "press", "by": "white"})
    assert kinds(table.feed({"t": 3600, "fact": "tick"})) == []  # the game is adjourned
    table.feed({"t": 4000, "fact": "start"})
    fallen = one(table.feed({"t": 4300, "fact": "tick"}), "flag")
    assert (fallen.by, fallen.result) == ("black", "1-0")


def test_a_player_claims_the_flag_of_the_opponent_who_is_away() -> None:
    table = sealed(edition="fide-1997", mode="rapid")
    table.feed({"t": 20, "fact": "press", "by": "white"}, {"t": 4000, "fact": "start"})
    early = table.feed({"t": 4200, "fact": "claim_time", "by": "white"})
    assert one(early, "refused").why == "flag_has_not_fallen"
    fallen = one(table.feed({"t": 4300, "fact": "claim_time", "by": "white"}), "flag")
    assert (fallen.by, fallen.called_by) == ("black", "white")


# --- by agreement ---------------------------------------------------------------------------------


def wish(by: str, **fields: object) -> dict[str, object]:
    return {"fact": "adjourn", "by": by, **fields}


def test_where_nobody_presides_both_players_agree_to_adjourn() -> None:
    table = started(arbiter="automatic")
    asked = one(table.feed(wish("black")), "adjournment")
    assert (asked.by, asked.declined) == ("black", False)
    assert kinds(table.feed(wish("black"))) == ["adjournment"]  # nobody agrees with themselves
    assert not table.game.adjourning
    assert one(table.feed(wish("white")), "arbiter_needed").why == "seal"
    assert table.game.adjourning


def test_a_wish_to_adjourn_ends_when_it_is_declined_or_a_move_is_completed() -> None:
    table = started(arbiter="automatic")
    table.feed(wish("white"))
    assert one(table.feed(wish("black", declined=True)), "adjournment").declined
    again = table.feed(wish("black", declined=True))
    assert one(again, "refused").why == "nothing_proposed"
    table.feed(wish("white"))
    table.play("e2e4")
    assert one(table.feed(wish("black")), "adjournment").by == "black"
    assert not table.game.adjourning


def test_where_an_arbiter_presides_the_arbiter_is_asked() -> None:
    table = started()
    table.feed(wish("white"))
    called = one(table.feed(wish("black")), "arbiter_needed")
    assert (called.why, called.by) == ("adjournment", "black")
    assert not table.game.adjourning


def test_nobody_adjourns_before_the_start_or_twice() -> None:
    table = Table(time_control="300", arbiter="automatic")
    assert one(table.feed(wish("white")), "refused").why == "not_started"
    table = started(arbiter="automatic")
    table.feed(wish("white"), wish("black"))
    assert one(table.feed(wish("white")), "refused").why == "seal_due"
    table.feed({"fact": "seal", "by": "white", "text": "e2e4"}, {"fact": "press", "by": "white"})
    assert one(table.feed(wish("white")), "refused").why == "adjourned"
