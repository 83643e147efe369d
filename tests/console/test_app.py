"""The console over a real server: what is refused, what a page is told."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from blindplay.console import views
from blindplay.console.access import RateLimiter
from blindplay.console.actions import ActionResult, act, stamp
from blindplay.console.messages import catalogue
from blindplay.console.pages import players
from blindplay.laws import facts as f
from blindplay.laws.rulings import IllegalMove
from tests.console.hall import SEAT, Browser, Hall
from tests.waiting import PATIENCE_S, until

# --- what a browser is made to send -------------------------------------------------------------


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", None])
def test_a_post_from_elsewhere_is_refused(
    hall: Hall, assistant: Browser, origin: str | None
) -> None:
    hall.start()
    before = len(hall.facts)
    del assistant.client.headers["origin"]
    headers = {} if origin is None else {"origin": origin}
    for path in ("/enter", SEAT + "do"):
        body = {"act": "call_arbiter", "token": assistant.token}
        assert assistant.client.post(path, data=body, headers=headers).status_code == 403
    assert [fact for fact in hall.facts[before:] if fact.kind != "tick"] == []


def test_no_other_site_may_listen(assistant: Browser) -> None:
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert assistant.client.get(SEAT + "changes", headers=headers).status_code == 403


def test_a_foreign_name_of_this_host_is_refused(assistant: Browser) -> None:
    """A name that someone else's DNS points here (rebinding) opens nothing."""
    headers = {"host": "evil.example", "origin": "http://evil.example"}
    assert assistant.client.get(SEAT, headers=headers).status_code == 400
    assert assistant.client.post(
        SEAT + "do", data={"act": "press"}, headers=headers
    ).status_code == (400)


def test_every_answer_carries_the_headers_that_keep_it_safe(assistant: Browser) -> None:
    for path in ("/", SEAT, "/static/x.js", "/nothing/here", "/static/../app.py"):
        headers = assistant.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy
        assert "strict-transport-security" not in headers  # RFC 6797, 7.2: never over plain HTTP
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers


def test_pages_have_no_inline_script_or_style(assistant: Browser) -> None:
    page = assistant.client.get(SEAT).text
    assert page.count("<script") == page.count('<script type="module" src="/static/')
    assert "style=" not in page and "<style" not in page and " onclick" not in page


def test_the_page_that_asks_for_a_link_has_one_script_which_its_policy_names(hall: Hall) -> None:
    """What a browser does: it compares the digests (CSP 3)."""
    answer = httpx.get(hall.host.url)
    (script,) = re.findall("<script>(.*?)</script>", answer.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in answer.headers["content-security-policy"]


def test_what_is_too_large_is_refused(assistant: Browser) -> None:
    assert assistant.do("seal", text="x" * 20_000).status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    assert assistant.client.post(SEAT + "do", content=chunks()).status_code == 413


def test_too_many_actions_in_a_short_time_are_refused(hall: Hall, assistant: Browser) -> None:
    hall.start()
    hall.host.console.acting = RateLimiter(a_second=0, at_once=2)
    answers = [assistant.do("query", about="moves") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "Wait a moment" in answers[-1].json()["said"][0]


def test_secrets_are_in_no_output(
    hall: Hall, assistant: Browser, capfd: pytest.CaptureFixture[str]
) -> None:
    assistant.client.get(SEAT)
    assistant.client.get(f"/?token={assistant.token}")
    printed = "".join(capfd.readouterr()) + hall.out.getvalue()
    cookie = assistant.client.cookies.get(hall.cookie)
    assert cookie and cookie not in printed
    assert assistant.token not in printed


def test_without_host_only_this_machine_is_served(hall: Hall) -> None:
    assert hall.host.url.startswith("http://127.0.0.1:")


# --- acting -------------------------------------------------------------------------------------


def test_the_role_says_who_it_was_whatever_the_client_says(hall: Hall, assistant: Browser) -> None:
    hall.start()
    assistant.do("query", about="moves", by="arbiter", t="999", seen_by="white")
    asked = hall.taken("query")[-1]
    assert asked.by == "assistant:white"
    assert asked.t < 999_000


def test_an_assistant_announces_executes_and_starts_the_opponents_clock(
    hall: Hall, assistant: Browser
) -> None:
    """D.2.10.1 to 3."""
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    hall.table.submit(f.Make(by="white", move="e2e4"))  # on White's own board
    assert assistant.do("move", text="e4", how="make").json()["refused"] is False
    assert hall.table.game.tables["black"].placement == hall.table.game.tables["white"].placement
    assert assistant.do("press").json()["refused"] is False
    assert len(hall.table.game.history) == 1
    assert assistant.do("move", text="Springer Gustav acht Felix sechs", how="both").json() == {
        "refused": False, "said": [],  # the announcement is the answer
    }  # fmt: skip
    assert hall.taken("announce")[-1].by == "assistant:white"
    assert hall.table.game.turn.made is not None


def test_an_entry_on_a_scoresheet_is_never_late_because_it_names_its_move(
    hall: Hall, assistant: Browser
) -> None:
    hall.start()
    shown = stamp(hall.table.game)
    hall.play("white", "e2e4")
    answer = assistant.do("record", ply="1", text="e4", seen=shown)
    assert not answer.json()["refused"]
    assert hall.table.game.sheets["white"][1] == "e4"


def test_the_move_that_is_still_due_is_never_late(hall: Hall) -> None:
    """The opponent answers the announcement while the player executes it and presses the clock."""
    hall.start()
    opponent = Browser(hall, "black")
    opponent.enter()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    shown = stamp(hall.table.game)
    hall.table.submit(f.Make(by="white", move="e2e4"))
    hall.table.submit(f.Press(by="white"))
    asked = {"step": "repeat_and_execute", "move": "e2e4", "seen": shown}
    assert not opponent.do("due", **asked).json()["refused"]
    assert [fact.by for fact in hall.taken("make")] == ["white", "black"]
    assert opponent.do("due", **asked).json()["refused"]
    assert len(hall.taken("make")) == 2


def test_what_he_asks_is_answered_and_recorded(hall: Hall, assistant: Browser) -> None:
    """D.2.10.4."""
    hall.start()
    hall.now += 20
    answer = assistant.do("query", about="time").json()
    assert answer["refused"] is False
    # 300 seconds and the first increment of 5, less 20, in the language of the page.
    assert "You have four minutes forty-five seconds" in answer["said"][0]
    assert [fact.about for fact in hall.taken("query")] == ["time"]


@pytest.mark.parametrize("action", ["resign", "offer_draw", "arbiter", "start", "lift"])
def test_what_is_not_their_task_is_refused_with_the_article(
    hall: Hall, assistant: Browser, action: str
) -> None:
    hall.start()
    fields = {
        "arbiter": {"do": "confirm"},
        "lift": {"board": "white", "square": "e2"},
    }.get(action, {})  # fmt: skip
    answer = assistant.do(action, **fields)
    assert answer.status_code == 409
    assert answer.json()["said"] == [
        "That is the task of somebody else. (fide-2023 D.2.10)", "Please wait: White is to move.",
    ]  # fmt: skip
    assert hall.table.game.result is None


@pytest.mark.parametrize(
    ("action", "fields", "said"),
    [
        ("dance", {}, "no such action"),
        ("", {}, "no such action"),
        ("query", {"about": "love"}, "must be one of"),
        ("touch", {}, "needs square"),
        ("record", {"ply": "one", "text": "e4"}, "whole number"),
        ("record", {"ply": "9" * 30, "text": "e4"}, "whole number"),
        ("move", {"text": "e5", "how": "both"}, "not a legal move"),
        ("move", {"text": "e4", "how": "sideways"}, "no such action"),
    ],
)
def test_what_is_no_fact_is_answered_in_a_sentence(
    hall: Hall, assistant: Browser, action: str, fields: dict[str, str], said: str
) -> None:
    hall.start()
    answer = assistant.do(action, **fields)
    assert answer.status_code == 409
    assert said in answer.json()["said"][0]


def test_a_slip_of_the_finger_presses_no_clock_and_seals_no_move(
    hall: Hall, assistant: Browser
) -> None:
    """7.5.3 is for a lever, and nobody seals a move before the arbiter wants it (I.1.1)."""
    hall.start()
    answer = assistant.do("press")
    assert (answer.status_code, hall.table.game.pending) == (409, None)
    said, due = answer.json()["said"]
    assert due == "Please wait: White is to move."
    assert "no move has been begun" in said
    assert "(fide-2023 7.5.3)" in said
    said, due = assistant.do("seal", text="e4").json()["said"]
    assert due == "Please wait: White is to move."
    assert "has not asked" in said
    assert "(fide-2023 Guideline I.1.1)" in said
    assert 'id="seal"' not in assistant.client.get(SEAT).text
    assert hall.taken("press") == hall.taken("seal") == []
    hall.table.submit(f.Arbiter(do="adjourn"))
    assert 'id="seal"' in assistant.client.get(SEAT).text
    assert assistant.do("seal", text="e4").json()["refused"] is False
    assert assistant.do("press").json()["refused"] is False
    assert hall.table.game.adjourned


def test_an_assistant_does_the_formalities_of_an_adjournment(
    hall: Hall, assistant: Browser
) -> None:
    """D.2.10.6: each step is the one filled button of the page while it is due."""

    def filled() -> list[str]:
        return re.findall(r'<button[^>]*class="main"[^>]*>([^<]*)', assistant.client.get(SEAT).text)

    hall.table.submit(f.Arbiter(do="withdraw"))
    hall.start()
    hall.play("white", "e2e4")
    hall.play("black", "e7e5")
    hall.table.submit(f.Adjourn(by="white"))
    hall.table.submit(f.Adjourn(by="black"))
    assert filled() == ["Write it down"]
    assistant.do("seal", text="Nf3")
    assert filled() == ["Start the opponent&#39;s clock"]
    assistant.do("press")
    assert filled() == []
    assert "Open the envelope" in assistant.client.get(SEAT).text
    assert assistant.do("open_envelope").json()["refused"] is False
    assert hall.table.game.history[-1].move.uci() == "g1f3"


def test_a_press_is_not_late_because_the_other_board_has_been_seen_to(
    hall: Hall, assistant: Browser
) -> None:
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    hall.table.submit(f.Make(by="white", move="e2e4"))
    seen = stamp(hall.table.game)
    assert assistant.do("move", text="e2e4", how="make").json()["refused"] is False
    late = assistant.do("move", text="e2e4", how="make", seen=seen)
    assert "somebody else" in late.json()["said"][0]
    assert assistant.do("press", seen=seen).json()["refused"] is False
    assert "somebody else" in assistant.do("press", seen=seen).json()["said"][0]
    assert len(hall.table.game.history) == 1


def test_a_press_before_the_move_is_made_says_what_is_missing(
    hall: Hall, assistant: Browser
) -> None:
    """D.2.3, D.2.4."""
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    answer = assistant.do("press")
    articles = "fide-2023 D.2.3, fide-2023 D.2.4"
    assert answer.json() == {
        "refused": True,
        "said": [
            f"The announced move has not been made on the board yet. ({articles})",
            "Make the move on the board of Black: Pawn Eva two Eva four.",
        ],
        "due": True,  # the last one
    }  # fmt: skip


def test_an_illegal_move_of_the_opponent_can_be_entered_as_it_was(
    hall: Hall, assistant: Browser
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    assistant.do("move", text="e7e4", how="make", anyway="yes")
    hall.table.submit(f.Press(by="black"))
    assert [ruling.by for ruling in hall.rulings if isinstance(ruling, IllegalMove)] == ["black"]


@pytest.mark.parametrize("how", ["announce", "both", "make"])
def test_a_promotion_names_its_piece(tmp_path: Path, how: str) -> None:
    """D.2.1: the piece is announced; nothing is taken for a queen."""
    hall = Hall(tmp_path, fen="8/4P3/8/8/8/8/k7/7K w - - 0 1")
    try:
        hall.start()
        port = hall.table
        form = {"act": ["move"], "text": ["e7e8"], "how": [how], "seen": [stamp(hall.table.game)]}
        answer = act(port, "assistant:white", "en", form)
        assert answer == ActionResult(("Say which piece the pawn becomes.",), refused=True)
        if how != "make":
            act(port, "assistant:white", "en", {**form, "promotion": ["n"]})
            assert hall.taken("announce")[-1].move == "e7e8n"
    finally:
        hall.close()


def test_two_assistants_at_the_same_moment_give_one_move_and_one_refusal(hall: Hall) -> None:
    hall.start()
    link = hall.link("assistant:white")
    seen = stamp(hall.table.game)
    both = [Browser(hall, link=link) for _ in range(2)]
    assert [one.enter().status_code for one in both] == [303, 303]
    ready = threading.Barrier(2)
    answers: list[Any] = []

    def click(browser: Browser, move: str) -> None:
        ready.wait()
        answers.append(
            browser.client.post(
                SEAT + "do",
                data={"act": "move", "text": move, "how": "both", "seen": seen},
                headers={"accept": "application/json"},
            ).json()
        )

    threads = [
        threading.Thread(target=click, args=pair) for pair in zip(both, ("e4", "d4"), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert sorted(answer["refused"] for answer in answers) == [False, True]
    (refusal,) = [answer["said"][0] for answer in answers if answer["refused"]]
    assert "somebody else" in refusal
    assert len(hall.taken("announce")) == 1


# --- what changes -------------------------------------------------------------------------------


class Changes:
    """A page's stream, read in a thread of its own."""

    def __init__(self, browser: Browser, since: str) -> None:
        self.events: list[tuple[str, dict[str, Any]]] = []
        self.ended = threading.Event()
        self._browser, self._since = browser, since
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        place, kind = "", "message"
        url = f"{self._browser.seat}changes"
        with (
            contextlib.suppress(httpx.TransportError),  # the test is over, or the table is
            self._browser.client.stream("GET", url, params={"since": self._since}) as answer,
        ):
            assert answer.headers["content-type"].startswith("text/event-stream")
            for line in answer.iter_lines():
                if line.startswith("id: "):
                    place = line[4:]
                elif line.startswith("event: "):
                    kind = line[7:]
                elif not line:
                    kind = "message"
                elif line.startswith("data: ") and kind == "message":
                    self.events.append((place, json.loads(line[6:])))
        self.ended.set()

    def wait(self, count: int) -> None:
        assert until(lambda: len(self.events) >= count)


def place_of(browser: Browser) -> str:
    return browser.client.get(browser.seat).text.partition('data-place="')[2].partition('"')[0]


def test_a_page_is_told_what_changes_and_what_is_said(hall: Hall, assistant: Browser) -> None:
    hall.start()
    changes = Changes(assistant, place_of(assistant))
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    changes.wait(1)
    _, change = changes.events[0]
    assert "Bauer Eva zwei Eva vier" in change["parts"]["now"]
    assert change["parts"].keys() == {"tab", "now", "board"}  # another step is due
    assert change["told"] == [
        [[["Bauer Eva zwei Eva vier", "de"]], False, {"time": ""}]
    ]  # as set up
    assert change["seen"] == stamp(hall.table.game)


def test_a_page_that_comes_back_is_given_what_it_missed_once(
    hall: Hall, assistant: Browser
) -> None:
    hall.start()
    place = place_of(assistant)
    hall.play("white", "e2e4")
    changes = Changes(assistant, place)
    changes.wait(1)
    place, change = changes.events[0]
    assert "Bauer Eva zwei Eva vier" in change["parts"]["now"]
    told = [sentence for sentence, *_ in change["told"]]
    assert told.count([["Bauer Eva zwei Eva vier", "de"]]) == 1
    assert told.count("Black to move.") == 1
    again = Changes(assistant, place)
    hall.table.submit(f.Announce(by="black", move="e7e5"))
    again.wait(1)
    assert "Bauer Eva sieben Eva fünf" in again.events[0][1]["parts"]["now"]


@pytest.mark.parametrize("place", ["", "deadbeef.3", "nonsense", "x.y.z"])
def test_a_page_from_before_a_restart_is_given_everything(
    hall: Hall, assistant: Browser, place: str
) -> None:
    changes = Changes(assistant, place)
    changes.wait(1)
    assert set(changes.events[0][1]["parts"]) == set(players.ASSISTANT.parts)
    assert changes.events[0][1]["told"] == []


def test_the_stream_of_a_revoked_role_ends(hall: Hall, assistant: Browser) -> None:
    changes = Changes(assistant, "")
    changes.wait(1)
    hall.host.console.revoke("assistant:white")
    assert changes.ended.wait(PATIENCE_S)


# --- pages --------------------------------------------------------------------------------------


def test_without_scripts_a_form_answers_with_the_page(hall: Hall, assistant: Browser) -> None:
    hall.start()
    answer = assistant.client.post(SEAT + "do", data={"act": "query", "about": "moves"})
    assert (answer.status_code, answer.headers["location"]) == (303, SEAT)
    assert "No move has been completed yet" in assistant.client.get(SEAT).text


def test_the_thread_that_submits_a_fact_renders_no_page(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered: set[int] = set()
    render = views.render

    def note(template: str, language: str, **values: Any) -> str:
        rendered.add(threading.get_ident())
        return render(template, language, **values)

    monkeypatch.setattr(views, "render", note)
    hall.start()
    browser = Browser(hall, "arbiter")
    browser.enter()
    assert browser.client.get(browser.seat).status_code == 200
    rendered.clear()
    hall.play("white", "e2e4")
    assert threading.get_ident() not in rendered
    assert "e2" in browser.client.get(browser.seat).text
    assert rendered and threading.get_ident() not in rendered


def test_a_players_page_waits_neither_for_another_page_nor_for_the_table(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The arbiter's page is never rendered, and then somebody holds the table."""
    browsers = {role: Browser(hall, role) for role in ("arbiter", "black")}
    for browser in browsers.values():
        browser.enter()
    hall.start()
    render, free, waits = views.render, threading.Event(), threading.Event()

    def hang(template: str, language: str, **values: Any) -> str:
        if template.startswith("arbiter/"):
            waits.set()
            free.wait(PATIENCE_S)
        return render(template, language, **values)

    monkeypatch.setattr(views, "render", hang)
    slow = threading.Thread(target=lambda: browsers["arbiter"].client.get("/arbiter/"))
    slow.start()
    try:
        assert waits.wait(PATIENCE_S)
        hall.play("white", "e2e4")
        assert '<p class="notation">e4</p>' in browsers["black"].client.get("/black/").text
        with hall.table.lock:
            for page in ("", "moves", "clocks"):
                assert browsers["black"].client.get(f"/black/{page}").status_code == 200
    finally:
        free.set()
        slow.join(PATIENCE_S)


def test_a_role_that_nobody_watches_keeps_a_bounded_number_of_sentences(hall: Hall) -> None:
    console = hall.host.console
    hall.start()
    stream = console._stream("white", "en")
    before = stream.now().place
    for _ in range(300):
        hall.table.submit(f.Announce(by="black", text="e5"))
    assert len(stream._untold) <= 200
    assert console._stream("white", "en") is stream  # whoever is just opening it loses nothing
    missed = stream.since(before)
    assert missed is not None and json.loads(missed[1])["whole"]


def test_a_page_that_cannot_be_rendered_says_so_once_and_is_tried_again(
    hall: Hall, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    stream = hall.host.console._stream("black", "en")
    render, place = views.render, stream.now().place

    def fail(template: str, language: str, **values: Any) -> str:
        raise ZeroDivisionError

    monkeypatch.setattr(views, "render", fail)
    hall.start()
    hall.table.submit(f.Announce(by="white", move="e2e4"))
    for _ in range(3):  # as with heartbeats
        stream.catch_up()
    missed = stream.since(place)
    assert missed is not None and stream.is_outdated
    place, change = missed[0], json.loads(missed[1])
    assert change["told"] == [[catalogue("en")["not_shown"], True, {"shown": "no"}]]
    assert change["state"]["shown"] == "no" and change["parts"] == {}
    assert [one.message for one in caplog.records] == ["A page cannot be rendered."]

    monkeypatch.setattr(views, "render", render)
    stream.catch_up()
    missed = stream.since(place)
    assert missed is not None and not stream.is_outdated
    change = json.loads(missed[1])
    assert change["state"]["shown"] == "" and "announced" in change["parts"]["now"]
    assert len(change["told"]) == 3  # what was said meanwhile


def test_a_refusal_of_words_stays_with_the_person_whom_it_concerns(hall: Hall) -> None:
    hall.start()
    streams = {role: hall.host.console._stream(role, "en") for role in ("black", "arbiter")}
    places = {role: stream.now().place for role, stream in streams.items()}
    hall.table.submit(f.Announce(by="black", text="e5"))
    for role, stream in streams.items():
        stream.catch_up()
        missed = stream.since(places[role])
        assert missed is not None
        ((words, is_urgent, rests),) = json.loads(missed[1])["told"]
        assert words == "It is not your move."
        assert (is_urgent, "unread" in rests) == (role == "black", role == "black")
