"""Facts and rulings in the words of a page; the articles that they cite, first in the reader's
language, then in the edition's own words.
"""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.pages import decisions, timeline
from blindplay.console.pages.timeline import cited, in_short
from blindplay.laws import Game, Taken, editions, rulings
from blindplay.laws import facts as f
from blindplay.laws.facts import parse
from blindplay.record import Journal
from blindplay.table import Table
from blindplay.wording.pack_words import PackWords
from tests.console.hall import Browser, Hall
from tests.laws.test_game_scenarios import SCENARIOS, scenarios


def citable() -> set[str]:
    """Every article that a ruling of any edition can cite."""
    tables = (editions.load(name).articles for name in editions.names())
    return {one for table in tables for citations in table.values() for one in citations}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_article_that_a_ruling_can_cite_has_its_sentence(language: str) -> None:
    assert in_short(language).keys() == citable()
    for citation, says in in_short(language).items():
        assert says.endswith(".") and says == says.strip() and len(says) < 200, citation


def test_no_sentence_stands_untranslated() -> None:
    english = set(in_short("en").values())
    for language in set(LANGUAGES) - {"en"}:
        assert english.isdisjoint(in_short(language).values()), language


def test_an_article_has_its_sentence_and_the_words_of_its_edition() -> None:
    (article,) = cited(["fide-2023 7.5.3"], "de")
    assert (article.edition, article.number) == ("fide-2023", "7.5.3")
    assert article.says == "Die Uhr ohne Zug zu drücken, gilt als regelwidriger Zug."
    assert article.language == "nb" and article.lines
    assert cited(["fide-2023 99.9"], "de") == ()


@pytest.mark.parametrize(
    ("language", "knight", "queen"),
    [("de", "Sf3", "e7–e8=D"), ("nb", "Sf3", "e7–e8=D"), ("en", "Nf3", "e7–e8=Q")],
)
def test_moves_of_the_timeline_have_the_letters_of_its_language(
    hall: Hall, language: str, knight: str, queen: str
) -> None:
    """A scoresheet's letters (C.2): German and Norwegian S is the knight, D the queen."""
    hall.start()
    hall.play("white", "g1f3")
    telling = timeline.Narrator(hall.table.game, language)
    (made,) = (ruling for ruling in hall.rulings if ruling.kind == "made")
    assert knight in telling.ruling(made)
    fact = parse({"t": 0, "fact": "make", "by": "white", "move": "e7e8q"})
    assert queen in telling.fact(fact)


def test_everything_is_told_after_a_restart_too(tmp_path: Path) -> None:
    hall = Hall(tmp_path, arbiter="automatic")
    hall.start()
    browser = Browser(hall, "arbiter")
    browser.enter()
    browser.client.close()
    hall.play("white", "e2e4")
    facts = [taken.fact for taken in hall.table.log]
    hall.close()
    with Journal(tmp_path / "game.jsonl") as journal:
        table = Table(journal)
        assert [taken.fact for taken in table.log] == facts
        assert table.game.presided
        assert any(one.kind == "presides" for taken in table.log for one in taken.rulings)


def test_every_kind_of_fact_and_ruling_has_words() -> None:
    for language in LANGUAGES:
        say = catalogue(language)
        for kind in (*f.KINDS, *rulings.KINDS, *(f"arbiter_{do}" for do in f.DECISIONS)):
            known = "r" if kind in rulings.KINDS and kind != "assistant" else "f"
            if kind != "arbiter":
                assert any(key.startswith(f"{known}_{kind}") for key in say), (language, kind)
        for word in (*f.IRREGULARITIES, *f.REQUIREMENTS, *f.QUESTIONS, *f.CLAIMS):
            assert f"v_{word}" in say


@pytest.mark.long
def test_whatever_the_laws_say_has_words_in_every_language() -> None:
    """Of all scenarios of the Laws: each fact and ruling, and what an arbiter's word on each
    proposal would do. No sentence shows a name of the program's, an empty value or a template."""
    bad = set()
    for path in sorted(SCENARIOS.glob("*.jsonl")):
        for scenario in scenarios(path):
            game, t = Game(PackWords()), 0.0
            for _, line in scenario.lines:
                if "fact" not in line:
                    continue
                t = line.get("t", t)
                edition = {"edition": scenario.edition} if line["fact"] == "setup" else {}
                fact = parse({"t": t, **line, **edition})
                caused = game.apply(fact)
                for language in LANGUAGES:
                    telling = timeline.Narrator(game, language)
                    told = [one.text for one in telling.entry(0, Taken(fact, tuple(caused))).lines]
                    told += [telling.ruling(one) for one in caused]
                    if game.pending is not None:
                        told += [*chain(*decisions.outcomes(telling, game.pending))]
                    bad |= {one for one in told if not one or re.search(r"[_{}]|: \.|None", one)}
    assert bad == set()
