"""What comes of an action is told on its own page, once, with the articles; and to nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.messages import LANGUAGES
from blindplay.console.pages import common, page_of
from blindplay.language import load
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Refused
from blindplay.wording.announcements import announcements
from tests.console.hall import Hall


def do(hall: Hall, role: str, kind: str, language: str = "en", **fields: str) -> ActionResult:
    form = {"act": [kind], "seen": [stamp(hall.table.game)]}
    return act(hall.table, role, language, form | {name: [it] for name, it in fields.items()})


@pytest.mark.parametrize("role", ["white", "black", "assistant:white", "arbiter"])
def test_what_a_page_is_refused_is_told_there_with_its_article_and_nowhere_else(
    hall: Hall, role: str
) -> None:
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    hall.table.submit(f.Make(by="white", move="e2e4"))
    hall.table.submit(f.Press(by="white"))
    before = hall.out.getvalue()
    answer = do(hall, role, "touch", square="e5")
    assert answer.refused and "fide-2023" in answer.sentences[0]
    assert "said" not in hall.out.getvalue()[len(before) :]


def test_a_press_out_of_turn_is_called_no_illegal_move(hall: Hall) -> None:
    hall.start()
    (ruling,) = hall.table.submit(f.Press(by="black"))
    assert isinstance(ruling, Refused) and ruling.why == "not_on_move"
    pack = hall.session.pack
    (told,) = announcements(Taken(f.Tick(), (ruling,)), hall.table.game, pack)
    assert told.words == pack.sentence("refused_not_on_move")


def test_a_refused_press_of_a_sighted_player_says_what_is_missing(hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    hall.table.submit(f.Announce(by="black", move="e7e5"))
    before = hall.out.getvalue()
    answer = do(hall, "black", "press")
    assert answer.refused
    assert answer.sentences[0].startswith(
        "The announced move has not been made on the board yet. (fide-2023"
    )
    assert "said" not in hall.out.getvalue()[len(before) :]


def test_a_corrected_slip_is_told_once_on_a_page(hall: Hall) -> None:
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    stream = hall.host.console._stream("arbiter", "de")
    place = stream.now()[0]
    hall.table.submit(f.Correct(by="white", move="d2d4"))
    missed = hall.host.console._stream("arbiter", "de").since(place)
    assert missed is not None
    change = json.loads(missed[1])
    told = [text for text, *_ in change["told"] if "vier" in str(text)]
    assert len(told) == 1, change


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_board_that_fulfils_nothing_can_be_recorded(hall: Hall, language: str) -> None:
    assert not do(hall, "arbiter", "inspect", language, board="white").refused
    assert [one.fulfils for one in hall.taken("inspect")] == [()]


@pytest.mark.parametrize("language", ["de", "nb"])
def test_what_is_no_fact_is_said_in_the_pages_language(hall: Hall, language: str) -> None:
    hall.start()
    (said,) = do(hall, "white", "touch", language).sentences
    assert "needs" not in said and "square" not in said


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_player_says_yes_or_no_on_their_page_to_what_both_are_asked(
    hall: Hall, language: str
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    hall.play("black", "e7e5")
    hall.table.submit(f.Arbiter(do="withdraw"))
    seen = stamp(hall.table.game)
    hall.table.submit(f.Irregular(by="white", what="wrong_start"))
    late = {"act": ["consent"], "given": ["yes"], "seen": [seen]}
    assert act(hall.table, "white", language, late).refused  # that page did not show the question
    game = hall.table.game
    question = page_of(game, "black").values(hall.table, game, "black", language)["question"]
    pack = load(language)
    assert question == pack.sentence("consent_asked", what=pack.sentence("new_game"))
    answer = do(hall, "black", "consent", language, given="yes")
    assert not answer.refused and answer.told
    assert not page_of(game, "black").values(hall.table, game, "black", language)["question"]
    assert do(hall, "black", "consent", language, given="no").refused  # it has been said
    assert do(hall, "assistant:white", "consent", language, given="yes").refused
    assert not do(hall, "white", "consent", language, given="no").refused
    assert len(hall.table.game.history) == 2 and hall.table.game.pending is None


@pytest.mark.parametrize("text", ["Pf3", "Pe4", "Bc3"])
def test_a_letter_that_may_be_a_piece_elsewhere_moves_no_pawn(hall: Hall, text: str) -> None:
    """A Dutch P is a knight, and an English B a bishop."""
    hall.start()
    assert do(hall, "white", "move", text=text, how="both").refused
    assert not hall.taken("announce")


def test_what_is_written_far_ahead_of_the_game_is_refused_and_makes_no_row(hall: Hall) -> None:
    hall.start()
    hall.play("white", "e2e4")
    answer = do(hall, "white", "record", ply="20000", text="e4")
    assert answer.refused and "(fide-2023 8.1.2)" in answer.sentences[0]
    assert len(common.sheet_rows(hall.table.game, "white")) == 1


def test_who_announces_and_presses_at_once_is_not_late_by_his_own_doing(
    hall: Hall, tmp_path: Path
) -> None:
    hall.start()
    port, seen = hall.table, stamp(hall.table.game)
    form = {"act": ["move"], "seen": [seen], "text": ["e2e4"], "how": ["both"]}
    answer = act(port, "white", "en", form)
    assert answer.seen == stamp(hall.table.game) != seen
    late = act(port, "white", "en", {"act": ["call_arbiter"], "seen": [seen]})
    assert late.seen == ""  # his page has not shown what happened meanwhile
