"""Illegal moves and their price, wrong starts, displaced pieces."""

from __future__ import annotations

import pytest

from tests.laws.table import impaired, lift, one, place, started


def test_an_illegal_move_executed_by_the_sighted_player_is_ruled_when_he_presses() -> None:
    table = impaired()
    table.feed(
        {"fact": "announce", "by": "white", "move": "e2e4"},
        {"fact": "make", "by": "white", "move": "e2e4"},
        {"fact": "press", "by": "white"},
        {"fact": "make", "by": "black", "move": "e7e4"},
    )
    illegal = one(table.feed({"fact": "press", "by": "black"}), "illegal")
    assert (illegal.move, illegal.number, illegal.status) == ("e7e4", 1, "proposed")
    assert illegal.articles == ("fide-2023 7.5.1",)


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


def test_pieces_that_the_opponent_puts_right_give_no_second_delay() -> None:
    # 6.3.2, 7.4.1: 18.5 s of thinking less 10 s of delay; Black's own time pays for the slip.
    table = started(time_control="600+10", clock_mode="delay", boards=1)
    right = table.game.board.board_fen()
    table.feed(
        {"t": 9.5, "fact": "position", "board": "white", "placement": right.replace("n", "1", 1)},
        {"fact": "irregular", "by": "white", "what": "displaced", "player": "black"},
    )
    assert table.game.clock.running == "black"
    table.feed({"t": 30, "fact": "position", "board": "white", "placement": right})
    assert table.game.clock.running == "white"
    table.feed({"t": 39, "fact": "tick"})
    assert table.game.clock.left["white"] == 591_500
    assert table.game.clock.left["black"] == 589_500


E5 = {"fact": "announce", "by": "white", "move": "e2e5"}
PRESS = {"fact": "press", "by": "white"}


@pytest.mark.parametrize("sensors", [True, False])
@pytest.mark.parametrize("announced_first", [True, False])
def test_an_impaired_player_completes_an_illegal_move_by_word_hand_and_press(
    sensors: bool, announced_first: bool
) -> None:
    """7.5.1: word and board agree, so the press completes it as anybody's."""
    table = impaired()
    hand = (lift("e2"), place("e5", "P")) if sensors else ({**E5, "fact": "make"},)
    done = (E5, *hand) if announced_first else (*hand, E5)
    ruling = one(table.feed(*done, PRESS), "illegal")
    assert (ruling.move, ruling.number, ruling.articles) == ("e2e5", 1, ("fide-2023 7.5.1",))
    assert one(table.feed({"fact": "arbiter", "do": "confirm"}), "penalty").seconds == 120


def test_where_word_and_board_disagree_the_board_is_doubted() -> None:
    table = impaired()
    got = table.feed({**E5, "move": "d2d5"}, lift("e2"), place("e5", "P"), PRESS)
    assert {one.kind for one in got} >= {"not_made", "check_board"}
    assert all(one.kind != "illegal" for one in got)


@pytest.mark.parametrize("edition", ["fide-1997", "fide-2014", "fide-2023", "basics-no"])
def test_the_arbiter_rules_an_illegal_move_that_no_board_has_shown(edition: str) -> None:
    table = impaired(edition=edition)
    seen = {"fact": "irregular", "by": "arbiter", "what": "illegal_move", "player": "white"}
    assert one(table.feed(seen), "refused").why == "no_illegal_move_completed"
    table.feed(lift("e2"))
    assert one(table.feed(seen), "illegal").by == "white"
    table.feed({"fact": "arbiter", "do": "confirm"})
    assert table.game.illegal_moves["white"] == 1


def test_the_arbiter_rules_that_a_completed_move_was_illegal() -> None:
    table = started()
    table.play("e2e4")
    seen = {"fact": "irregular", "by": "arbiter", "what": "illegal_move", "player": "white"}
    ruling = one(table.feed(seen), "illegal")
    assert (ruling.by, ruling.to_ply) == ("white", 0)
    table.feed({"fact": "arbiter", "do": "confirm"})
    assert not table.game.history


@pytest.mark.parametrize(
    ("edition", "article"),
    [("fide-2023", "11.3.2.2"), ("fide-2014", "11.3 b"), ("basics-no", "11.3.2.2")],
)
def test_a_player_with_a_telephone_loses_unless_the_arbiter_is_milder(
    edition: str, article: str
) -> None:
    seen = {"fact": "irregular", "by": "arbiter", "what": "phone", "player": "white"}
    table = impaired(edition=edition, fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    ruling = one(table.feed(seen), "penalty")
    assert (ruling.player, ruling.loses, ruling.status) == ("white", True, "proposed")
    assert ruling.articles[0].endswith(article)
    table.feed({"fact": "arbiter", "do": "reject"})
    assert not table.game.over and table.game.clock.running == "white"
    table.feed(seen)
    over = one(table.feed({"fact": "arbiter", "do": "confirm"}), "game_over")
    assert over.result == "0-1"  # the opponent wins although they cannot mate


def test_the_oldest_text_knows_no_telephones() -> None:
    table = impaired(edition="fide-1997")
    seen = {"fact": "irregular", "by": "black", "what": "phone"}
    assert [(one.kind, getattr(one, "player", "")) for one in table.feed(seen)] == [
        ("arbiter_needed", "white")
    ]


@pytest.mark.parametrize(
    ("edition", "article"), [("fide-2023", "11.5"), ("fide-2014", "11.5"), ("fide-1997", "12.5")]
)
def test_the_arbiter_chooses_the_penalty_for_a_disturbance(edition: str, article: str) -> None:
    table = impaired(edition=edition)
    seen = {"fact": "irregular", "by": "white", "what": "disturbance"}
    ruling = one(table.feed(seen), "arbiter_needed")
    assert (ruling.player, ruling.articles[0]) == ("black", f"{edition} {article}")
    assert not table.game.over and table.game.clock.running == "white"
