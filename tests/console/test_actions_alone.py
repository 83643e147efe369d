"""What a page offers a player who plays alone: hints, take-backs, and the opponent's move."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from markupsafe import escape

from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.pages import page_of
from blindplay.language import load
from blindplay.laws import Fact, Origin
from blindplay.laws import facts as f
from blindplay.laws.facts import Setup
from blindplay.opponents.player import PlayedTable, WriteAccess
from blindplay.record import Journal
from blindplay.table import Table
from tests.console.filled import filled, press
from tests.console.hall import IMPAIRED, Browser, Hall
from tests.table.test_alone import Adviser

ENGLISH = load("en")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    with Journal(tmp_path / "game.jsonl") as journal:
        setup = Setup(t=0, arbiter="automatic", white=IMPAIRED, boards=2, time_control="600")
        table = Table(journal, setup, training=True, opponent=Adviser(), now=lambda: 0)
        table.submit(f.Start())
        yield table


def do(table: Table, **form: str) -> ActionResult:
    given = {"seen": stamp(table.game), **form}
    return act(table, "white", "en", {name: [value] for name, value in given.items()})


def play(table: Table, *moves: str) -> None:
    for move in moves:
        side = table.game.side
        table.submit(f.Announce(by=side, move=move))
        table.submit(f.Make(by=side, move=move))
        table.submit(f.Press(by=side))


def test_a_page_gives_a_hint(table: Table) -> None:
    told = do(table, act="ask", about="hint").sentences
    assert told == ("A good move: Knight Gustav one Felix three.",)
    assert do(table, act="ask", text="what should I play").sentences == told
    table.training = False
    assert do(table, act="ask", about="hint").sentences == (ENGLISH.sentence("hint_refused"),)


def test_a_page_takes_a_move_back_with_its_answer(table: Table) -> None:
    assert do(table, act="take_back").sentences == (
        ENGLISH.sentence("nothing_to_take_back"), "It is your move.",
    )  # fmt: skip
    seen = stamp(table.game)
    play(table, "e2e4", "e7e5")
    assert do(table, act="take_back", seen=seen).refused  # that page showed another game
    assert not do(table, act="take_back").refused
    assert table.game.history == []


def test_no_page_takes_back_under_the_laws(table: Table) -> None:
    play(table, "e2e4", "e7e5")
    table.training = False
    told = do(table, act="take_back")
    assert told.refused and told.sentences[0] == ENGLISH.sentence("take_back_stands")
    table.training = True
    table.submit(f.Arbiter(do="preside"))
    assert do(table, act="take_back").refused and len(table.game.history) == 2


def test_a_page_says_that_the_opponents_move_is_executed(table: Table) -> None:
    play(table, "e2e4", "e7e5")
    shown = page_of(table.game, "white").values(table, table.game, "white", "en")
    assert shown["step"].do == "repeat_and_execute" and shown["hints"] and shown["takes_back"]
    (button,) = filled(table, "white")
    assert not press(table, "white", button).refused
    assert not table.game.outstanding("white")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_names_them_in_each_language(language: str) -> None:
    say = catalogue(language)
    names = ("hint", "take_back", "take_back_sure", "take_back_yes")
    assert all(say[name] for name in names)


def test_the_page_offers_both_and_nobody_gets_the_opponents_page(tmp_path: Path) -> None:
    hall = Hall(tmp_path, training=True, opponent=Adviser(), arbiter="automatic", boards=2)
    assert hall.host.roles() == ["arbiter", "white", "assistant:white"]
    hall.start()
    play(hall.table, "e2e4", "e7e5")
    browser = Browser(hall, "white")
    browser.enter()
    say, page = catalogue("en"), browser.client.get(browser.seat).text
    assert all(escape(say[name]) in page for name in ("hint", "take_back"))
    assert "Knight Gustav one Felix three" in browser.do("ask", about="hint").text
    browser.do("take_back")
    assert hall.table.game.history == []
    hall.close()


class Elsewhere(Adviser, WriteAccess):
    """An opponent like those at Lichess and at other tables: some facts are not this table's."""

    def access(self, table: PlayedTable, facts: list[Fact]) -> WriteAccess:
        return self

    def admit(self, fact: Fact, origin: Origin) -> Fact | None:
        return None if isinstance(fact, f.Resign | f.Query | f.Arbiter) else fact


def test_a_page_is_not_told_that_something_is_done_that_others_decide(tmp_path: Path) -> None:
    with Journal(tmp_path / "game.jsonl") as journal:
        setup = Setup(t=0, arbiter="automatic", white=IMPAIRED, boards=2, time_control="600")
        table = Table(journal, setup, training=True, opponent=Elsewhere(), now=lambda: 0)
        table.submit(f.Start())
        play(table, "e2e4", "e7e5")
        before = len(table.log)
        said = catalogue("en")["decided_elsewhere"]
        for form in ({"act": "resign"}, {"act": "ask", "about": "moves"}, {"act": "take_back"}):
            told = do(table, **form)
            assert told.refused and told.sentences == (said,) and not told.field
        assert len(table.log) == before
