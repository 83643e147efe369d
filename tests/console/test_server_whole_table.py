"""The whole table in a real Chromium: an entire game by clicks, everybody's page open at once, a
crowd that clicks at the same moment, and a table that was killed and comes back."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page, Request, expect

from blindplay.console.actions import stamp
from blindplay.console.server import ConsoleHost
from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.table import Table
from tests import web
from tests.console.browser import change, overhear, overheard, shot, up_to_date, violations
from tests.console.hall import Hall
from tests.ports import free_port
from tests.waiting import PATIENCE_S, until


def move_by_clicks(page: Page, start: str, end: str) -> None:
    page.locator(f"#sq-{start}").click()
    page.locator(f"#sq-{end}").click()
    page.get_by_role("button", name=re.compile("^(Announce and execute|Move and press)$")).click()


@pytest.mark.long
def test_an_entire_game_by_clicks(context: BrowserContext, hall: Hall) -> None:
    """Everything that the assistant of White does at the table, from the first move to mate. What
    the players' own hands do, their board and their lever tell."""
    hall.start()
    page = context.new_page()
    page.goto(hall.link("assistant:white"))
    status = page.locator(".status")
    game = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")
    for ply, move in enumerate(game, start=1):
        white = ply % 2 == 1
        up_to_date(page, hall.table)
        if white:
            hall.table.submit(f.Announce(by="white", move=move))
            hall.table.submit(f.Make(by="white", move=move))
            if ply == len(game):  # mate: nothing is left to be done
                break
            page.locator("#due-execute").click()
            expect(page.locator("#due-execute")).to_have_count(0)
        else:
            move_by_clicks(page, move[:2], move[2:])
        if white:
            page.get_by_role("button", name="Start the opponent's clock").click()
            # The table has kept the sheet; now the field of the ply does not change any more.
            expect(page.locator("#sheet tbody tr")).to_have_count((ply + 1) // 2)
            page.locator("#ply").fill(str(ply))
            page.locator("#entry").fill(move)
            page.get_by_role("button", name="Write", exact=True).click()
            expect(page.locator("td", has_text=move)).to_be_visible()
            page.get_by_role("button", name="Time of both").click()
            expect(page.get_by_role("status")).to_contain_text("You have")
        else:
            assert until(lambda: hall.table.game.turn.made)
            hall.table.submit(f.Press(by="black"))
            hall.table.submit(f.Make(by="white", move=move))  # his hand copies it (D.2.5)
    expect(status).to_have_text("The game is over: 1-0.")
    assert [fact.by for fact in hall.taken("make") if ":" in fact.by] == ["assistant:white"] * 6
    assert len(hall.taken("query")) == 3
    assert violations(page) == []


@pytest.mark.long
def test_everybody_has_his_page_open_at_one_table(
    device: Callable[..., BrowserContext], hall: Hall
) -> None:
    """Fool's mate. No page asks anybody but the table for anything."""
    asked: list[Request] = []
    pages: dict[str, Page] = {}
    troubles: list[str] = []
    for role in ("arbiter", "white", "black", "assistant:white"):
        context = device()  # everybody has one of their own
        context.on("request", lambda request: asked.append(request))
        pages[role] = page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto(hall.link(role))
        expect(page.locator("h1")).not_to_have_text("Come in to the table")
    hall.start()
    white, black, assistant = pages["white"], pages["black"], pages["assistant:white"]

    def everybody_sees_it() -> None:
        for page in pages.values():
            up_to_date(page, hall.table)

    for number, (one, other) in enumerate((("f2f3", "e7e5"), ("g2g4", "d8h4")), start=1):
        everybody_sees_it()
        white.locator("#text").fill(one)
        white.get_by_role("button", name="Move and press").click()
        assistant.locator("#due-execute").click()
        expect(black.locator("#due-execute")).to_have_count(0)  # one board, and both see it
        expect(black.locator(".status")).to_contain_text("Black to move")
        everybody_sees_it()
        move_by_clicks(black, other[:2], other[2:])
        if number == 1:
            # Black has not repeated the move before, so the press is a step of its own.
            expect(black.locator("#press.main")).to_be_visible()
            black.get_by_role("button", name="Press the clock").click()
            everybody_sees_it()
            white.get_by_role("button", name="I repeat and execute").click()
            expect(white.locator("[id^=due-repeat]")).to_have_count(0)
    for page in pages.values():
        expect(page.locator(".status")).to_have_text("The game is over: 0-1.")
    for role, page in pages.items():
        assert violations(page) == [], role
        shot(page, f"whole-{role}")
    assert troubles == []
    home = urlsplit(hall.host.url).netloc
    assert {urlsplit(one.url).netloc for one in asked} == {home}


def test_a_crowd_that_clicks_at_once_makes_one_move_each_time(hall: Hall) -> None:
    hall.start()
    rounds, crowd = 8, 6
    base, _, token = hall.link("assistant:white").partition("/#")
    headers = {"origin": base, "accept": "application/json", "accept-language": "en"}
    clients = [web.Client(base_url=base, headers=headers) for _ in range(crowd)]
    for client in clients:
        assert client.post("/enter", data={"token": token}).status_code == 303
    for done in range(1, rounds + 1):
        game = hall.table.game
        # Whose click comes first decides the game: where it has fewer moves, several want the same.
        moves = islice(cycle(move.uci() for move in game.board.legal_moves), crowd)
        form = {"act": "move", "how": "announce", "seen": stamp(game)}
        together = threading.Barrier(crowd)
        answers: list[Any] = []

        def click(
            client: httpx.Client,
            data: dict[str, str],
            together: threading.Barrier = together,
            answers: list[Any] = answers,
        ) -> None:
            together.wait()
            answers.append(client.post("/assistant-white/do", data=data).json())

        threads = [
            threading.Thread(target=click, args=(client, {**form, "text": move}))
            for client, move in zip(clients, moves, strict=True)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
        refused = [answer["said"][0] for answer in answers if answer["refused"]]
        assert len(answers) == crowd
        assert len(refused) == crowd - 1
        assert all("somebody else has just entered something" in said for said in refused)
        made = hall.taken("announce")[-1]
        assert len(hall.taken("announce")) == done
        side = game.side
        for board in ("white", "black"):
            hall.table.submit(f.Make(by=board, move=made.move))
        hall.table.submit(f.Press(by=side))
        assert len(game.history) == done
    for client in clients:
        client.close()


def test_a_table_that_was_killed_comes_back_to_its_pages(
    context: BrowserContext, tmp_path: Path
) -> None:
    """Nobody needs a new link, what was typed is still there, and the page says how it stands."""
    hall = Hall(tmp_path)
    links = tmp_path / "game.links"
    host = ConsoleHost(hall.table, port=free_port(), links=links)
    port = int(host.url.rpartition(":")[2])
    again: list[ConsoleHost] = []
    try:
        hall.start()
        page = context.new_page()
        page.goto(host.link("assistant:white"))
        change(page, "Colours", "dark")
        expect(page.get_by_role("combobox", name="Colours")).to_have_value("dark")
        page.locator("#entry").fill("Bauer e4, oder doch")
        page.locator("#text").fill("Nf")
        overhear(page)
        host.close()
        expect(page.get_by_role("alert")).to_contain_text("No connection.")
        hall.table.submit(f.Announce(by="white", move="e2e4"))  # the page cannot know
        hall.close()
        with Journal(tmp_path / "game.jsonl") as journal:
            table = Table(journal)
            again.append(ConsoleHost(table, port=port, links=links))
            expect(page.locator(".announced")).to_have_text("Bauer Eva zwei Eva vier")
            expect(page.get_by_role("status")).to_contain_text("Bauer Eva zwei Eva vier")
            assert "The connection is back." in " ".join(overheard(page))
            expect(page.locator("#entry")).to_have_value("Bauer e4, oder doch")
            expect(page.locator("#text")).to_have_value("Nf")
            table.submit(f.Arbiter(do="start_clocks"))
            page.get_by_role("button", name="e4 is executed").click()
            expect(page.locator("#due-execute")).to_have_count(0)
            page.reload()
            expect(page.get_by_role("combobox", name="Colours")).to_have_value("dark")
            again[0].close()
    finally:
        for one in (host, *again):
            one.close()
        hall.close()
