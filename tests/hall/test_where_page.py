"""Where a player plays, on a page of the hall that needs no link."""

from __future__ import annotations

import pytest

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.hall.rounds import Assignment, Round, keep_round
from tests import web

from .conftest import Event
from .served import served

ROUND = Round("3", (Assignment("3", "4", "Anna Berg", "Bert Dahl"),), ("Carl Lund",))


@pytest.mark.parametrize("language", LANGUAGES)
def test_anybody_is_told_where_they_play(event: Event, language: str) -> None:
    with (
        served(event) as hall,
        web.Client(base_url=hall.host.url, headers={"accept-language": language}) as browser,
    ):
        say = catalogue(language)
        assert f'<a href="/where">{say["hall_where"]}</a>' in browser.get("/").text
        assert say["hall_where_unpaired"] in browser.get("/where?name=Berg").text
        keep_round(hall.hall.follower.folder, ROUND)
        for name in ("anna berg", "Dahl"):
            page = browser.get("/where", params={"name": name}).text
            assert "Anna Berg" in page and "Bert Dahl" in page and "4" in page
        assert "Anna" not in browser.get("/where?name=a").text
        assert "Carl Lund" in browser.get("/where?name=lund").text
        nobody = browser.get("/where", params={"name": "<b>Nobody"}).text
        assert "&lt;b&gt;Nobody" in nobody and "<b>" not in nobody


def test_pairings_that_cannot_be_read_are_said(event: Event) -> None:
    with served(event) as hall, web.Client(base_url=hall.host.url) as browser:
        keep_round(hall.hall.follower.folder, ROUND)
        (file,) = hall.hall.follower.folder.glob("*pair*")
        file.write_text("{", "utf-8")
        assert "cannot be read" in browser.get("/where?name=Berg").text
