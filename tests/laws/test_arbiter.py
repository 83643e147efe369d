"""The arbiter's decisions, and questions to the table."""

from __future__ import annotations

from blindplay.laws.due import due
from tests.laws.table import impaired, kinds, one, started


def test_information_is_given_only_on_request_and_the_position_not_at_all() -> None:
    table = impaired()
    answer = one(table.feed({"t": 11, "fact": "query", "by": "white", "about": "time"}), "answer")
    assert (answer.white, answer.black) == (290, 300)
    assert answer.articles == ("fide-2023 D.2.10.4",)
    got = table.feed({"fact": "query", "by": "white", "about": "position"})
    assert kinds(got) == ["refused"]


def test_the_arbiter_takes_moves_back_with_their_times() -> None:
    table = started()
    table.play("e2e4", t=10)
    table.play("e7e5", t=30)
    got = table.feed({"fact": "arbiter", "do": "restore", "ply": 1})
    back = one(got, "take_back")
    assert (back.white, back.black) == (290, 300)
    assert (len(table.game.history), table.game.clock.running) == (1, None)
    assert back.articles == ("fide-2023 12.2",)  # nothing was illegal
    assert not any(" 7.5" in article for ruling in got for article in ruling.articles)


def test_warnings_of_little_time_are_permitted_once() -> None:
    table = started()
    decision = {"fact": "arbiter", "do": "permit_warnings"}
    assert not table.game.warnings_permitted
    assert kinds(table.feed(decision)) == ["warnings_permitted"]
    assert table.game.warnings_permitted
    assert one(table.feed(decision), "refused").why == "already_so"


def test_the_arbiter_corrects_a_result_that_both_have_signed_and_says_why() -> None:
    """8.7: a result that both have signed stands, unless the arbiter decides otherwise."""
    table = started()
    table.feed({"fact": "resign", "by": "white"})
    for by in ("white", "black"):
        table.feed({"fact": "sign", "by": by, "result": "0-1"})
    declare = {"fact": "arbiter", "do": "declare"}
    for fact, why in (
        ({**declare, "result": "0-1", "reason": "again"}, "already_so"),
        ({**declare, "result": "1-0"}, "reason_missing"),
    ):
        assert one(table.feed(fact), "refused").why == why
    got = table.feed({**declare, "result": "1-0", "reason": "Black had resigned"})
    corrected, over = one(got, "result_corrected"), one(got, "game_over")
    assert (corrected.before, corrected.reason) == ("0-1", "Black had resigned")
    assert "fide-2023 8.7" in corrected.articles
    assert (over.result, over.reason, table.game.result) == ("1-0", "declared", "1-0")
    assert due(table.game, "white").do == due(table.game, "black").do == "sign"
    for by in ("white", "black"):
        table.feed({"fact": "sign", "by": by, "result": "0-1"})
    assert table.game.result == "1-0"  # players do not decide over the arbiter
    assert (
        one(table.feed({"fact": "sign", "by": "white", "result": "1-0"}), "signed").stands is False
    )
    assert one(table.feed({"fact": "sign", "by": "black", "result": "1-0"}), "signed").stands
    assert due(table.game, "white").do == "nothing"


def test_a_correction_is_corrected_and_not_undone() -> None:
    table = started()
    table.feed({"fact": "arbiter", "do": "declare", "result": "1-0"})
    for result in ("0-1", "1/2-1/2"):
        table.feed({"fact": "arbiter", "do": "declare", "result": result, "reason": "a slip"})
        assert table.game.result == result
        assert (
            one(table.feed({"fact": "arbiter", "do": "undo"}), "refused").why == "nothing_to_undo"
        )
