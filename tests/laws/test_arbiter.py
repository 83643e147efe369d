"""The arbiter's decisions, and questions to the table."""

from __future__ import annotations

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
