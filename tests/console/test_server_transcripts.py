"""What the live regions of every page say over a whole short game, against written transcripts.

``transcripts/LANGUAGE.txt`` has each step of the game as a heading, and under it what each role's
page says: ``!`` marks what interrupts.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("playwright")
from playwright.sync_api import Browser, Page

from tests.console.browser import send
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
RECORD = """() => {
    window.heard = [];
    for (const [mark, id] of [["! ", "urgent"], ["", "polite"]]) {
        new MutationObserver((changes) => {
            for (const one of changes.flatMap((change) => [...change.addedNodes])) {
                if (one.nodeType === 1) heard.push(mark + one.textContent);
            }
        }).observe(document.getElementById(id), { childList: true });
    }
}"""


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
def test_every_page_says_what_is_written(browser: Browser, hall: Hall, language: str) -> None:
    written = transcript(language)
    assert list(written) == list(STEPS)
    contexts, pages = [], dict[str, Page]()
    for role in ROLES:
        contexts.append(browser.new_context(locale=language))
        page = pages[role] = contexts[-1].new_page()
        with page.expect_request("**/changes?*"):
            page.goto(hall.link(role))
        page.wait_for_function("document.body.dataset.run")
        page.wait_for_timeout(300)
        page.evaluate(RECORD)
    try:
        for name, (role, fields) in STEPS.items():
            send(pages[role], fields)
            wanted = written[name]
            for who, page in pages.items():
                count = len(wanted.get(who, []))
                page.wait_for_function("count => heard.length >= count", arg=count)
            # What is told later than that would be told by now, or spoils the next step.
            page.evaluate("new Promise((on) => setTimeout(on, 400))")
            for who, page in pages.items():
                heard = [re.sub(r"\s+", " ", one) for one in page.evaluate("heard.splice(0)")]
                for region in ("! ", ""):  # each is read in its own order
                    told = [one for one in heard if one.startswith("! ") is bool(region)]
                    meant = [
                        one for one in wanted.get(who, []) if one.startswith("! ") is bool(region)
                    ]
                    assert told == meant, (name, who)
    finally:
        for context in contexts:
            context.close()
