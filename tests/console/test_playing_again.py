"""Another game after this one, by the pages of both players."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.console.actions import ActionResult, act
from blindplay.console.messages import catalogue
from blindplay.console.pages import page_of
from blindplay.console.stream import Stream
from blindplay.console.views import RenderedParts
from blindplay.conversation.state import AGAIN_SECONDS
from blindplay.language import Command, load
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from tests.console.hall import Hall

SAY = catalogue("en")
DECLINED = load("en").sentence("again_declined")
REMATCH = SAY["again_what_rematch"]
ASKED = SAY["again_asked"].format(side="White", what=REMATCH)
WAITS = SAY["again_waits"].format(what=REMATCH)


@pytest.fixture
def over(tmp_path: Path) -> Iterator[Hall]:
    """A game without an arbiter that White has resigned, signed by both."""
    hall = Hall(tmp_path, language="en", plays_again=True)
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.start()
    hall.table.submit(f.Resign(by="white"))
    for side in SIDES:
        hall.table.submit(f.Sign(by=side, result="0-1"))
    yield hall
    hall.close()


def want(hall: Hall, role: str, wants: str) -> ActionResult:
    return act(hall.table, role, "en", {"act": ["again"], "wants": [wants]})


def shown(hall: Hall, role: str) -> str:
    """What the page of ``role`` says after the game."""
    game = hall.table.game
    page = page_of(game, role)
    values = {**page.values(hall.table, game, role, "en"), "of_table": ""}
    return RenderedParts("en").of(page, values)["after"]


class Reader:
    """An open page, and what it is told."""

    def __init__(self, hall: Hall, role: str) -> None:
        self.stream: Stream = hall.host.console._stream(role, "en")
        self.place = self.stream.now().place

    def told(self) -> list[str]:
        """What it has been told since this was asked last, as far as that still holds."""
        self.stream.catch_up()
        missed = self.stream.since(self.place)
        if missed is None:
            return []
        self.place, change = missed[0], json.loads(missed[1])
        state = change["state"]
        return [
            words
            for words, _urgent, rests in change["told"]
            if all(state[name] == was for name, was in rests.items())
        ]


@pytest.mark.parametrize("wants", ["rematch", "new_game"])
def test_a_game_begins_when_both_want_the_same(over: Hall, wants: str) -> None:
    before = shown(over, "black")
    assert SAY["again_rematch"] in before and SAY["again_new_game"] in before
    stream = over.host.console._stream("black", "en")
    assert not want(over, "white", wants).refused
    assert stream.is_outdated  # no fact says so
    what = SAY[f"again_what_{wants}"]
    assert SAY["again_asked"].format(side="White", what=what) in shown(over, "black")
    assert SAY["again_waits"].format(what=what) in shown(over, "white")
    assert over.session.another_game.chosen is None
    assert not want(over, "black", wants).refused
    assert over.session.another_game.chosen is Command(wants)


def test_who_wants_none_says_so_to_both(over: Hall) -> None:
    want(over, "white", "rematch")
    want(over, "black", "")
    assert over.session.another_game.chosen is None and over.table.another_game.wanted == {}
    for side in SIDES:
        assert SAY["again_rematch"] in shown(over, side)


def test_who_has_asked_may_think_better_of_it(over: Hall) -> None:
    want(over, "white", "rematch")
    want(over, "white", "")
    assert over.table.another_game.wanted == {} and DECLINED in over.out.getvalue()
    over.session.typed("black", "yes")
    assert over.session.another_game.chosen is None  # White has refused it
    want(over, "black", "rematch")
    assert over.table.another_game.wanted == {"black": Command.REMATCH}
    assert over.session.another_game.chosen is None
    want(over, "white", "rematch")
    assert over.session.another_game.chosen is Command.REMATCH


def test_without_an_answer_the_wish_ends_on_pages_too(over: Hall) -> None:
    white, black = Reader(over, "white"), Reader(over, "black")
    want(over, "white", "rematch")
    over.now += AGAIN_SECONDS
    over.session.second()
    assert (white.told(), black.told()) == ([WAITS], [ASKED])
    over.now += 1
    over.session.second()
    assert over.table.another_game.wanted == {} and DECLINED in over.out.getvalue()
    assert (white.told(), black.told()) == ([DECLINED], [DECLINED])
    assert ASKED not in shown(over, "black") and WAITS not in shown(over, "white")
    want(over, "black", "rematch")  # too late: it is a wish of its own
    assert over.session.another_game.chosen is None


def test_an_answer_on_a_page_counts_as_long_as_the_page_asks(over: Hall) -> None:
    want(over, "white", "rematch")
    over.now += AGAIN_SECONDS + 0.5  # the second is not over yet
    assert ASKED in shown(over, "black")
    want(over, "black", "rematch")
    assert over.session.another_game.chosen is Command.REMATCH


def test_a_yes_that_is_pressed_twice_asks_nobody(over: Hall) -> None:
    want(over, "white", "rematch")
    want(over, "black", "rematch")
    want(over, "black", "rematch")
    assert over.session.another_game.chosen is Command.REMATCH
    assert over.table.another_game.wanted == {}
    assert not over.session.asked("white")


def test_the_pages_tell_both_players_what_is_wanted_and_answered(over: Hall) -> None:
    white, black = Reader(over, "white"), Reader(over, "black")
    assert want(over, "white", "rematch").told
    assert (white.told(), black.told()) == ([WAITS], [ASKED])
    assert want(over, "black", "").told
    assert (white.told(), black.told()) == ([DECLINED], [DECLINED])
    assert not want(over, "black", "").told  # there is nothing to decline any more
    for word in ("rematch", "no"):
        over.session.typed("white" if word == "rematch" else "black", word)
    # The question was answered before the pages could tell it.
    assert (white.told(), black.told()) == ([DECLINED], [DECLINED])
    want(over, "white", "rematch")
    want(over, "white", "new_game")
    what = SAY["again_what_new_game"]
    assert black.told() == [SAY["again_asked"].format(side="White", what=what)]
    assert want(over, "black", "new_game").told
    agreed = SAY["again_agreed"].format(what=what)
    assert white.told()[-1] == agreed and black.told() == [agreed]


def test_who_is_asked_for_one_game_and_wants_another_declines_the_first(over: Hall) -> None:
    want(over, "white", "rematch")
    want(over, "black", "new_game")
    assert over.session.another_game.chosen is None and over.table.another_game.wanted == {}
    want(over, "white", "new_game")
    want(over, "black", "new_game")
    assert over.session.another_game.chosen is Command.NEW_GAME


def test_a_wish_by_voice_or_keys_is_answered_on_a_page_and_the_other_way_round(over: Hall) -> None:
    for word in ("rematch", "yes"):
        over.session.typed("white", word)
    assert SAY["again_asked"].format(side="White", what=SAY["again_what_rematch"]) in shown(
        over, "black"
    )
    want(over, "black", "")
    assert over.table.another_game.wanted == {} and over.session.another_game.chosen is None
    want(over, "white", "rematch")
    over.session.typed("black", "yes")
    assert over.session.another_game.chosen is Command.REMATCH


def test_both_sign_first(tmp_path: Path) -> None:
    hall = Hall(tmp_path, language="en", plays_again=True)
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.start()
    assert want(hall, "black", "rematch").refused and "again" not in shown(hall, "black")
    hall.table.submit(f.Resign(by="white"))
    assert SAY["again_sign"] in shown(hall, "black")
    assert want(hall, "black", "rematch").sentences[0] == SAY["again_sign"]
    hall.close()


@pytest.mark.parametrize("role", ["arbiter", "assistant:white"])
def test_only_players_decide_it(over: Hall, role: str) -> None:
    assert want(over, role, "rematch").refused


def test_an_arbiter_who_presides_arranges_the_next_game(over: Hall) -> None:
    hall = over
    hall.table.submit(f.Arbiter(do="preside"))
    if hall.table.game.presided:
        assert SAY["again_rematch"] not in shown(hall, "black")
        assert want(hall, "black", "rematch").refused


def test_a_table_that_plays_no_other_game_offers_none(hall: Hall) -> None:
    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.start()
    hall.table.submit(f.Resign(by="white"))
    for side in SIDES:
        hall.table.submit(f.Sign(by=side, result="0-1"))
    assert SAY["again"] not in shown(hall, "black")
