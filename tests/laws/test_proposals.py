"""What the arbiter decides is proposed, and waits for the answer."""

from __future__ import annotations

from typing import Any

import pytest

from blindplay.laws import facts as f
from tests.laws.table import Table, kinds, of, one, started
from tests.laws.test_sheets import played, shown, written

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


# --- without an arbiter, more than the last move ------------------------------------------------

MOVES = ("e2e4", "e7e5", "g1f3", "b8c6", "f1b5")
ON_A4 = "r1bqkbnr/pppp1ppp/2n5/4p3/B3P3/5N2/PPPP1PPP/RNBQK2R"
EDITIONS = [("fide-2023", "D.2.9"), ("basics-no", "D.2.9"), ("fide-2014", "D.2.8"),
            ("fide-1997", "F.8")]  # fmt: skip


def consent(by: str, *, given: bool = True) -> dict[str, Any]:
    return {"fact": "consent", "by": by, "given": given}


def slipped(edition: str = "fide-2023", arbiter: str = "automatic") -> Table:
    """One sheet has a slip of the pen at the first move, after which all later ones are possible,
    too, and a board differs at the last one."""
    table = played(*MOVES, edition=edition, arbiter=arbiter)
    written(table, " ".join(MOVES), " ".join(("e2e3", *MOVES[1:])))
    got = shown(table, "black", ON_A4)
    assert (one(got, "take_back").to_ply, one(got, "take_back").status) == (0, "proposed")
    return table


@pytest.mark.parametrize(("edition", "article"), EDITIONS)
def test_a_slip_of_the_pen_starts_no_game_over_unless_both_players_say_yes(
    edition: str, article: str
) -> None:
    table = slipped(edition)
    assert len(table.game.history) == len(MOVES) and table.game.clock.running is None
    got = table.feed(consent("black"))
    said = one(got, "consented")
    assert (said.by, said.given) == ("black", True) and said.articles[0].endswith(f" {article}")
    assert kinds(got) == ["consented"] and len(table.game.history) == len(MOVES)
    got = table.feed(consent("white"))
    assert one(got, "take_back").status == "confirmed"
    assert table.game.history == [] and table.game.clock.running == "white"


def test_a_no_of_either_player_goes_on_from_the_game_as_it_was_announced() -> None:
    for by in ("white", "black"):
        table = slipped()
        table.feed(consent("black" if by == "white" else "white"))
        got = table.feed(consent(by, given=False))
        assert one(got, "take_back").status == "rejected"
        correct = one(got, "correct_board")
        assert (correct.board, [step.square for step in correct.steps]) == ("black", ["a4", "b5"])
        assert len(table.game.history) == len(MOVES) and table.game.clock.running == "black"
        shown(table, "black", "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R")
        assert "take_back" not in kinds(shown(table, "black", ON_A4))  # they are not asked again


def test_the_last_move_goes_back_at_once() -> None:
    table = played(*MOVES, arbiter="automatic")
    written(table, " ".join(MOVES), " ".join((*MOVES[:-1], "f1c4")))
    got = shown(table, "black", ON_A4)
    assert (one(got, "take_back").to_ply, one(got, "take_back").status) == (4, "confirmed")


def test_while_the_players_are_asked_nothing_else_happens_but_the_game_may_end() -> None:
    table = slipped()
    for fact in ({"fact": "announce", "by": "black", "move": "a7a6"},
                 {"fact": "arbiter", "do": "confirm"}, {"fact": "arbiter", "do": "reject"},
                 {"fact": "arbiter", "do": "start_clocks"},
                 {"fact": "arbiter", "do": "adjourn"}):  # fmt: skip
        assert one(table.feed(fact), "refused").why == "waiting_for_players"
    table.feed({"fact": "resign", "by": "white"})
    assert table.game.over
    assert one(table.feed(consent("black")), "refused").why == "nothing_proposed"


def test_only_the_players_who_are_asked_answer_and_each_once() -> None:
    table = slipped()
    for by in ("arbiter", "assistant:white"):
        assert one(table.feed(consent(by)), "refused").by == by
    table.feed(consent("white"))
    assert one(table.feed(consent("white")), "refused").why == "nothing_proposed"
    assert len(table.game.history) == len(MOVES)


def test_an_arbiter_who_comes_decides_and_the_players_no_more() -> None:
    table = slipped()
    table.feed(consent("black"), {"fact": "arbiter", "do": "preside"})
    assert one(table.feed(consent("white")), "refused").why == "nothing_proposed"
    table.feed({"fact": "arbiter", "do": "reject"})
    assert len(table.game.history) == len(MOVES)
    table = slipped(arbiter="present")
    assert one(table.feed(consent("white")), "refused").why == "nothing_proposed"


@pytest.mark.parametrize("what", ["displaced", "wrong_start", "reversed_colours"])
def test_one_player_alone_takes_back_no_more_than_the_last_move(what: str) -> None:
    """7.2.1, 7.3 and 7.6 leave it to an arbiter whether that is so."""
    fact: dict[str, Any] = {"fact": "irregular", "by": "white", "what": what}
    fact |= {"ply": 1} if what == "displaced" else {}
    table = played(*MOVES, arbiter="automatic")
    assert one(table.feed(fact), "take_back").status == "proposed"
    table.feed(consent("white"), consent("black"))
    assert table.game.history == []
    table = played(MOVES[0], arbiter="automatic")
    assert one(table.feed(fact), "take_back").status == "confirmed"


def test_a_player_who_asks_to_go_back_needs_only_the_other_ones_yes() -> None:
    back = {"fact": "arbiter", "do": "restore", "player": "white"}
    table = played(*MOVES, arbiter="automatic")
    got = table.feed({**back, "ply": 2})
    assert (one(got, "take_back").status, one(got, "take_back").by) == ("proposed", "white")
    table.feed(consent("black"))
    assert len(table.game.history) == 2
    assert one(table.feed({**back, "ply": 5}), "take_back").status == "proposed"
    table.feed(consent("black", given=False))
    assert len(table.game.history) == 2
    assert one(table.feed({**back, "ply": 1}), "take_back").status == "confirmed"
    table = slipped()
    assert one(table.feed({**back, "ply": 2}), "refused").why == "waiting_for_players"


def test_a_decision_without_a_player_still_counts_at_once() -> None:
    """So the journals of training games and of older tables give the same rulings."""
    table = played(*MOVES, arbiter="automatic")
    assert one(table.feed({"fact": "arbiter", "do": "restore", "ply": 0}), "take_back").status == (
        "confirmed"
    )


def test_a_game_on_a_server_keeps_the_moves_that_the_server_has() -> None:
    table = played(*MOVES, arbiter="server")
    written(table, " ".join(MOVES), " ".join((*MOVES[:-1], "f1c4")))
    got = shown(table, "black", ON_A4)
    assert one(got, "take_back").status == "rejected"
    assert one(got, "correct_board").board == "black"
    assert len(table.game.history) == len(MOVES) and table.game.pending is None


def test_a_preview_of_the_last_yes_changes_nothing() -> None:
    table = slipped()
    table.feed(consent("white"))
    assert one(table.game.preview(f.Consent(by="black")), "take_back").status == "confirmed"
    assert len(table.game.history) == len(MOVES) and table.game.pending is not None
