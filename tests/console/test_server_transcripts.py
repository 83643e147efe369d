"""What the live regions of every page say over a whole short game, against written transcripts.

``transcripts/LANGUAGE.txt`` has each step of the game as a heading, and under it what each role's
page says: ``!`` marks what interrupts.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import BrowserContext, Page

from tests.console.browser import becomes, come_in, overhear, overheard, send
from tests.console.hall import Hall

ROLES = ("arbiter", "white", "black", "assistant:white", "assistant:black")
# Who does what, by the step's name in the transcripts.
STEPS: dict[str, tuple[str, dict[str, str]]] = {
    "start": ("arbiter", {"act": "start"}),
    "e4": ("white", {"act": "move", "how": "both", "text": "e4"}),
    "repeat": ("black", {"act": "repeat", "move": "e2e4"}),
    "execute": ("black", {"act": "move", "how": "make", "text": "e2e4"}),
    "press": ("white", {"act": "press"}),
    "offer": ("white", {"act": "offer_draw"}),
    "offer again": ("white", {"act": "offer_draw"}),
    "decline": ("black", {"act": "decline_draw"}),
    "e5": ("black", {"act": "move", "how": "both", "text": "e5"}),
    "press of the opponent": ("black", {"act": "press"}),
    "Nf3": ("white", {"act": "move", "how": "both", "text": "Nf3"}),
    "press of the assistant": ("assistant:white", {"act": "press"}),
    "illegal move": (
        "black",
        {"act": "move", "how": "make", "anyway": "yes", "text": "e5e4"},
    ),
    "illegal press": ("black", {"act": "press"}),
    "decision": ("arbiter", {"act": "arbiter", "do": "confirm"}),
    "touch": ("assistant:white", {"act": "touch", "square": "b8"}),
    "rejected": ("arbiter", {"act": "arbiter", "do": "reject"}),
    "call": ("black", {"act": "call_arbiter"}),
    "call again": ("black", {"act": "call_arbiter"}),
    "clocks": ("arbiter", {"act": "arbiter", "do": "start_clocks"}),
    "resign": ("black", {"act": "resign"}),
}

SAYING = "() => { window.said = new Promise((on) => setTimeout(on, 200)); }"
"""A page says within 150 ms what it has got."""


def transcript(language: str) -> dict[str, dict[str, list[str]]]:
    """What each role hears at each step."""
    text = (Path(__file__).parent / "transcripts" / f"{language}.txt").read_text("utf-8")
    found: dict[str, dict[str, list[str]]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            step = found.setdefault(line[2:], {})
        elif line:
            roles, _, sentence = line.partition(": ")
            for role in ROLES if roles == "all" else roles.split(", "):
                step.setdefault(role, []).append(sentence)
    return found


@pytest.mark.parametrize("language", [pytest.param("en", marks=pytest.mark.long), "de"])
def test_every_page_says_what_is_written(
    device: Callable[..., BrowserContext], hall: Hall, language: str
) -> None:
    written = transcript(language)
    assert list(written) == list(STEPS)
    pages = dict[str, Page]()
    for role in ROLES:
        context = device(locale=language)
        come_in(context, hall.link(role), language)  # which is told on the pages that are open
        page = pages[role] = context.new_page()
        with page.expect_request("**/changes?*"):
            page.goto(f"{hall.host.url}/{role.replace(':', '-')}/")
        becomes(page, "document.body.dataset.run")
        overhear(page)
    for name, (role, fields) in STEPS.items():
        send(pages[role], fields)
        wanted = written[name]
        for who, page in pages.items():
            count = len(wanted.get(who, []))
            becomes(page, "count => heard.length >= count", count)
        for page in pages.values():
            page.evaluate(SAYING)
        for who, page in pages.items():
            page.evaluate("said")  # what is told later than that spoils the next step
            heard = [re.sub(r"\s+", " ", one) for one in overheard(page)]
            for region in ("! ", ""):  # each is read in its own order
                told = [one for one in heard if one.startswith("! ") is bool(region)]
                meant = [one for one in wanted.get(who, []) if one.startswith("! ") is bool(region)]
                assert told == meant, (name, who)
