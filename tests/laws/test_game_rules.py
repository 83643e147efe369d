"""Ends of games, claims, flags and irregularities, by edition."""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.table import Table, kinds, one

BARE = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"  # Black cannot mate


def started(**setup: Any) -> Table:
    table = Table(**{"time_control": "300", **setup})
    table.feed({"fact": "start"})
    return table


def test_an_offer_of_a_draw_lasts_until_it_is_answered_or_a_piece_is_touched() -> None:
    table = started()
    table.play("e2e4", "e7e5")
    table.feed({"fact": "offer_draw", "by": "black"})
    got = table.feed({"fact": "make", "by": "white", "move": "g1f3"})
    assert one(got, "draw_declined").by == "white"
    assert kinds(table.feed({"fact": "accept_draw", "by": "white"})) == ["refused"]
    table.feed({"fact": "offer_draw", "by": "white"})
    over = one(table.feed({"fact": "accept_draw", "by": "black"}), "game_over")
    assert (over.result, over.reason) == ("1/2-1/2", "agreement")


@pytest.mark.parametrize(("edition", "ruled"), [("fide-2023", "refused"), ("fide-2014", "clock")])
def test_agreement_before_both_have_moved(edition: str, ruled: str) -> None:
    table = started(edition=edition)
    table.feed({"fact": "offer_draw", "by": "white"})
    assert kinds(table.feed({"fact": "accept_draw", "by": "black"}))[0] == ruled


@pytest.mark.parametrize(
    ("edition", "result"), [("fide-2023", "1/2-1/2"), ("fide-2014", "0-1"), ("fide-1997", "0-1")]
)
def test_resigning_against_a_bare_king(edition: str, result: str) -> None:
    table = started(edition=edition, fen=BARE)
    assert one(table.feed({"fact": "resign", "by": "white"}), "game_over").result == result


@pytest.mark.parametrize(("fen", "result"), [(None, "0-1"), (BARE, "1/2-1/2")])
def test_a_fallen_flag_is_proposed_and_confirmed(fen: str | None, result: str) -> None:
    table = started(**({"fen": fen} if fen else {}))
    fallen = one(table.feed({"t": 300, "fact": "tick"}), "flag")
    assert (fallen.by, fallen.status) == ("white", "proposed")
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert one(got, "flag").status == "confirmed"
    assert one(got, "game_over").result == result


@pytest.mark.parametrize("sensors", [True, False])
def test_a_sighted_players_illegal_move_costs_two_minutes_and_the_second_the_game(
    sensors: bool,
) -> None:
    table = started()
    hands = [
        {"fact": "lift", "board": "white", "square": "e2"},
        {"fact": "place", "board": "white", "square": "e5", "piece": "P"},
    ]
    back = [
        {"fact": "lift", "board": "white", "square": "e5"},
        {"fact": "place", "board": "white", "square": "e2", "piece": "P"},
    ]
    make = {"fact": "make", "by": "white", "move": "e2e5"}
    wrong = hands if sensors else [make]
    first = one(table.feed(*wrong, {"fact": "press", "by": "white"}), "illegal")
    assert (first.move, first.number, first.status) == ("e2e5", 1, "proposed")
    got = table.feed({"fact": "arbiter", "do": "confirm"})
    assert (one(got, "penalty").gives, one(got, "penalty").seconds) == ("black", 120)
    assert (one(got, "clock").running, one(got, "clock").black) == ("white", 420)
    if sensors:
        table.feed(*back)
    table.feed(*wrong, {"fact": "press", "by": "white"})
    over = one(table.feed({"fact": "arbiter", "do": "confirm"}), "game_over")
    assert (over.result, over.reason) == ("0-1", "illegal_moves")


def test_a_pawn_left_on_the_last_rank_becomes_a_queen_and_costs_two_minutes() -> None:
    table = started(fen="8/4P3/8/8/8/k7/8/4K3 w - - 0 1", arbiter="automatic")
    table.feed({"fact": "make", "by": "white", "move": "e7e8"})
    got = table.feed({"fact": "press", "by": "white"})
    assert one(got, "illegal").articles == ("fide-2023 7.5.2",)
    assert one(got, "penalty").seconds == 120
    assert one(got, "completed").move == "e7e8q"
    assert table.game.clock.running == "black"


@pytest.mark.parametrize(("edition", "ruled"), [("fide-2023", "illegal"), ("fide-2014", "refused")])
def test_pressing_without_a_move(edition: str, ruled: str) -> None:
    table = started(edition=edition)
    assert kinds(table.feed({"fact": "press", "by": "white"}))[0] == ruled


def test_the_arbiter_takes_moves_back_with_their_times() -> None:
    table = started()
    table.play("e2e4", t=10)
    table.play("e7e5", t=30)
    got = table.feed({"fact": "arbiter", "do": "restore", "ply": 1})
    back = one(got, "take_back")
    assert (back.white, back.black) == (290, 300)
    assert (len(table.game.history), table.game.clock.running) == (1, None)


def test_what_was_announced_is_repeated_even_where_the_hand_made_another_move() -> None:
    """D.2.1: the announcement is repeated; which of the two counts, the sheets decide (D.2.9)."""
    table = started(black={"impaired": True})
    table.feed(
        {"fact": "make", "by": "white", "move": "d2d4"},
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
    )
    assert table.game.history[0].misannounced
    assert "black" not in table.game.repeated
    got = table.feed({"fact": "repeat", "by": "black", "move": "e2e4"})
    assert kinds(got) == ["repeated"]
    assert table.game.repeated == {"black"}
    table.feed({"fact": "announce", "by": "black", "move": "e7e5"})
    assert table.game.repeated == {"black"}
    table.feed({"fact": "repeat", "by": "white", "move": "e7e5"})
    assert table.game.repeated == {"black", "white"}


def test_an_assistant_reports_what_his_players_opponent_touches_and_nobody_else() -> None:
    table = started(white={"impaired": True})
    # His own player is on move; what he reports is the opponent, who is not (D.2.10.5).
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "e2"})
    assert kinds(got) == ["refused"] and one(got, "refused").why == "not_on_move"
    table.play("e2e4")
    got = table.feed({"fact": "touch", "by": "assistant:white", "square": "b8"})
    assert one(got, "touched").by == "black"
    assert "fide-2023 D.2.10.5" in one(got, "touched").articles
