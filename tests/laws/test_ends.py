"""How games end: draws, resignation and flags."""

from __future__ import annotations

import pytest

from tests.laws.table import Table, impaired, kinds, one, started

BARE = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"  # Black cannot mate


def test_nothing_is_ruled_after_the_game_is_over() -> None:
    table = impaired()
    table.play("f2f3", "e7e5", "g2g4")
    table.feed({"fact": "announce", "by": "black", "move": "d8h4"})
    got = table.feed({"fact": "make", "by": "black", "move": "d8h4"})
    assert (one(got, "game_over").result, one(got, "game_over").reason) == (
        "0-1", "checkmate",
    )  # fmt: skip
    assert kinds(table.feed({"fact": "press", "by": "black"})) == ["refused"]


def test_an_offer_stands_beside_the_opponents_own() -> None:
    table = impaired()
    table.play("e2e4", "e7e5")
    table.feed({"fact": "offer_draw", "by": "black"}, {"fact": "offer_draw", "by": "white"})
    got = table.feed({"fact": "accept_draw", "by": "white"})
    assert one(got, "game_over").result == "1/2-1/2"


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


def test_on_a_server_only_mate_and_stalemate_end_the_game_by_themselves() -> None:
    dead = "4k3/8/8/8/8/8/8/4K2r w - - 0 1"
    table = started(arbiter="server", fen=dead, time_control="300")
    table.play("e1e2", "h1e1", "e2e1")  # bare kings
    table.feed({"fact": "make", "by": "white", "move": "e2e1"}, {"fact": "press", "by": "white"})
    assert not table.game.over
    assert not [one for one in table.feed({"t": 900, "fact": "tick"}) if one.kind == "flag"]
    assert table.game.clock.left["black"] == 0 and not table.game.over
    table = started(arbiter="server", fen=BARE)
    resigned = one(table.feed({"fact": "resign", "by": "white"}), "game_over")
    assert resigned.result == "0-1"  # Lichess asks nothing about mating
    table = started(arbiter="server")
    for _ in range(3):
        table.feed({"fact": "make", "by": "white", "move": "e2e5"})
        got = table.feed({"fact": "press", "by": "white"})
        assert "illegal" in kinds(got) and "penalty" not in kinds(got)
    assert not table.game.over


def _waits_for_the_arbiter() -> Table:
    """White's second move is illegal: the arbiter decides whether it goes back (7.5)."""
    table = started()
    table.play("e2e4", "e7e5")
    table.feed({"fact": "offer_draw", "by": "black"})
    table.feed({"fact": "make", "by": "white", "move": "g1g3"}, {"fact": "press", "by": "white"})
    assert table.game.pending is not None
    return table


@pytest.mark.parametrize(
    ("fact", "by", "result", "reason"),
    [("resign", "black", "1-0", "resignation"), ("resign", "white", "0-1", "resignation"),
     ("accept_draw", "white", "1/2-1/2", "agreement")],
)  # fmt: skip
def test_players_end_the_game_while_a_decision_waits(
    fact: str, by: str, result: str, reason: str
) -> None:
    # 5.1.2 and 5.2.3: resigning and agreeing end the game immediately.
    over = one(_waits_for_the_arbiter().feed({"fact": fact, "by": by}), "game_over")
    assert (over.result, over.reason) == (result, reason)


def test_nobody_resigns_from_a_game_whose_result_waits() -> None:
    # 6.9 and 9.5.2: the flag, or the claim, has decided it, if the arbiter confirms it.
    fallen, claimed = started(), started(fen="4k3/8/8/8/8/8/4P3/4K3 w - - 99 80")
    fallen.feed({"t": 300, "fact": "tick"})
    claimed.feed({"fact": "claim_draw", "by": "white", "rule": "fifty_moves", "move": "e1d1"})
    for table in (fallen, claimed):
        got = table.feed({"fact": "resign", "by": "black"})
        assert one(got, "refused").why == "waiting_for_arbiter"


@pytest.mark.parametrize(
    ("edition", "mode"),
    [("fide-2023", "standard"), ("fide-2014", "blitz"), ("fide-1997", "rapid")],
)
def test_a_player_who_says_that_their_own_flag_fell_is_right(edition: str, mode: str) -> None:
    table = started(edition=edition, mode=mode, time_control="100")
    got = table.feed({"t": 101, "fact": "claim_time", "by": "white"})
    assert (one(got, "flag").by, one(got, "flag").called_by) == ("white", "white")
    over = one(table.feed({"fact": "arbiter", "do": "confirm"}), "game_over")
    assert (over.result, over.reason) == ("0-1", "flag")


def test_a_penalty_that_takes_the_last_seconds_makes_the_flag_fall_at_once() -> None:
    table = started(time_control="100")
    fined = {"fact": "arbiter", "do": "penalty", "player": "white", "white": 200}
    got = table.feed({**fined, "penalty": "time"})
    assert one(got, "penalty").takes == 100
    assert one(got, "flag").by == "white"
