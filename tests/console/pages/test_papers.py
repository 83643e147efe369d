"""The end of a game on the pages: signatures (8.7), and who gets which record."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blindplay.console.pages.timeline import SILENT
from blindplay.laws import facts as f
from blindplay.record.writing import RecordFormat, Scored
from tests.console.hall import Browser, Hall

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

MATE = (("white", "f2f3"), ("black", "e7e5"), ("white", "g2g4"), ("black", "d8h4"))
SHEETS = {"html": RecordFormat.HTML, "brf": RecordFormat.BRF, "txt": RecordFormat.SHEET}


@pytest.fixture
def over(hall: Hall) -> Hall:
    """A game that Black has won."""
    hall.start()
    for by, move in MATE:
        hall.play(by, move)
    assert hall.table.game.over
    return hall


def came_in(hall: Hall, role: str) -> Browser:
    visitor = Browser(hall, role)
    assert visitor.enter().status_code == 303
    return visitor


def status(visitor: Browser, name: str) -> int:
    return visitor.client.get(f"{visitor.seat}papers/{name}").status_code


def allowed(visitor: Browser) -> set[str]:
    """The records that its page names, all of which it gets."""
    found = set(re.findall(r'href="papers/([^"]*)"', visitor.client.get(visitor.seat).text))
    assert {status(visitor, name) for name in found} <= {200}
    return found


ALL = {"game.pgn", "report.html", "report.txt"} | {
    f"{side}.{kind}" for side in f.SIDES for kind in SHEETS
}


def own(side: str) -> set[str]:
    return {"game.pgn", *(f"{side}.{kind}" for kind in SHEETS)}


def test_during_a_game_only_the_arbiter_gets_records(hall: Hall) -> None:
    hall.start()
    for role in ("white", "black", "assistant:white"):
        visitor = came_in(hall, role)
        assert not allowed(visitor)
        assert {status(visitor, name) for name in ALL} == {404}
    assert allowed(came_in(hall, "arbiter")) == ALL


def test_after_the_game_each_player_gets_the_moves_and_their_own_sheet(hall: Hall) -> None:
    hall.start()
    helper = came_in(hall, "assistant:white")  # from then on he is the assistant
    for by, move in MATE:
        hall.play(by, move)
    for role, side in (("white", "white"), ("black", "black"), ("assistant:white", "white")):
        visitor = (
            helper if role == helper.seat.strip("/").replace("-", ":") else came_in(hall, role)
        )
        assert allowed(visitor) == own(side)
        assert {status(visitor, name) for name in ALL - own(side)} == {404}
    assert allowed(came_in(hall, "arbiter")) == ALL


def test_nobody_gets_a_record_without_a_link(over: Hall) -> None:
    visitor = Browser(over, "white")
    assert status(visitor, "game.pgn") == 401
    visitor.enter()
    assert visitor.client.get("/black/papers/game.pgn").status_code == 401


@pytest.mark.parametrize("name", ["report.pdf", "nothing", "..%2fpage.html", "%00", "white"])
def test_there_are_no_other_records(over: Hall, name: str) -> None:
    assert status(came_in(over, "arbiter"), name) == 404


def test_the_records_are_those_that_score_writes(over: Hall) -> None:
    over.table.submit(f.Record(by="black", ply=4, text="Dh4 matt"))
    arbiter = came_in(over, "arbiter")
    scored = Scored.of(over.journal.path)
    for side in f.SIDES:
        for kind, form in SHEETS.items():
            answer = arbiter.client.get(f"/arbiter/papers/{side}.{kind}")
            assert answer.content.decode() == scored.write(form, side)
    answer = arbiter.client.get("/arbiter/papers/game.pgn")
    assert answer.text == scored.write(RecordFormat.PGN)
    assert answer.headers["content-disposition"] == 'attachment; filename="game.pgn"'


def test_a_sheet_to_print_may_use_its_own_style_and_nothing_else(over: Hall) -> None:
    answer = came_in(over, "black").client.get("/black/papers/black.html")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-") and "unsafe" not in policy
    assert "content-disposition" not in answer.headers


def test_the_report_has_each_ruling_with_its_article_and_the_signatures(over: Hall) -> None:
    over.table.submit(f.Sign(by="black", result="0-1"))
    arbiter = came_in(over, "arbiter")
    text = arbiter.client.get("/arbiter/papers/report.txt").text
    assert "Signed by Black: 0-1" in text and "(fide-2023 5.1.1)" in text
    assert text.index("f2–f3") < text.index("fide-2023 8.7")  # in order
    page = arbiter.client.get("/arbiter/papers/report.html").text
    rulings = [one for taken in over.table.log for one in taken.rulings if one.kind not in SILENT]
    cited = {citation for one in rulings for citation in one.articles}
    assert all(one in page for one in cited)


# --- signing ------------------------------------------------------------------------------------


def test_both_sign_on_their_pages_and_the_arbiter_sees_it(over: Hall) -> None:
    white, black = came_in(over, "white"), came_in(over, "black")
    arbiter = came_in(over, "arbiter")
    assert 'name="result" value="0-1"' in white.client.get(white.seat).text
    assert white.do("sign", result="0-1").json()["refused"] is False
    assert "White has signed 0-1." in arbiter.client.get(arbiter.seat).text
    assert "Black has not signed yet." in arbiter.client.get(arbiter.seat).text
    page = white.client.get(white.seat).text
    assert "Black has not signed yet." in page and 'value="sign"' not in page
    black.do("sign", result="0-1")
    assert over.table.game.signed == {"white": "0-1", "black": "0-1"}


def test_nobody_signs_for_a_player(hall: Hall, assistant: Browser) -> None:
    """Signing is none of an assistant's tasks (D.2.10.1 to 6), nor the arbiter's."""
    hall.start()
    for by, move in MATE:
        hall.play(by, move)
    for visitor in (assistant, came_in(hall, "arbiter")):
        assert 'value="sign"' not in visitor.client.get(visitor.seat).text
        answer = visitor.do("sign", result="0-1")
        assert answer.status_code == 409 and answer.json()["refused"] is True
        visitor.do("sign", result="0-1", by="white")
    assert not hall.table.game.signed


def test_nothing_is_signed_before_the_end(hall: Hall) -> None:
    hall.start()
    answer = came_in(hall, "black").do("sign", result="0-1")
    assert answer.status_code == 409 and "8.7" in str(answer.json())


def test_rules_without_signatures_ask_for_none(tmp_path: Path) -> None:
    hall = Hall(tmp_path, edition="fide-1997")
    try:
        hall.table.submit(f.Resign(by="white"))
        page = came_in(hall, "black").client.get("/black/").text
        assert 'value="sign"' not in page and "papers/game.pgn" in page
    finally:
        hall.close()


def test_signatures_survive_a_restart(over: Hall) -> None:
    over.table.submit(f.Sign(by="white", result="0-1"))
    assert Scored.of(over.journal.path).game.signed == {"white": "0-1"}


def test_a_player_signs_with_a_keyboard_and_saves_a_sheet(
    context: BrowserContext, over: Hall
) -> None:
    from playwright.sync_api import expect

    from tests.console.browser import accessible
    from tests.console.pages.test_players import enter

    page = enter(context, over, "black")
    accessible(page)
    page.locator("#sign").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#after")).to_contain_text("Black has signed 0-1.")
    expect(page.locator("#sign")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("link", name="Save for an embosser").click()
    assert download.value.suggested_filename == "scoresheet-black.brf"
    arbiter = context.new_page()
    arbiter.goto(over.link("arbiter"))
    expect(arbiter.locator("#after")).to_contain_text("White has not signed yet.")
    arbiter.goto(arbiter.url + "papers/report.html")
    expect(arbiter.locator("#everything")).to_be_visible()
    accessible(arbiter)
    pdf = arbiter.pdf(format="A4")
    assert pdf.startswith(b"%PDF") and len(re.findall(rb"/Type\s*/Page\b", pdf)) >= 1
    # On paper there are no controls.
    arbiter.emulate_media(media="print")
    assert not arbiter.locator("button:visible, select:visible, .skip:visible").count()
