"""A real browser for the tests: the system's Chromium without a window, driven by Playwright."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

from blindplay.console.actions import stamp
from blindplay.table import Table
from tests.console.hall import Hall
from tests.programs import PROGRAMS, need
from tests.waiting import PATIENCE_S, until

# What axe-core knows of the Web Content Accessibility Guidelines up to 2.2, A and AA.
_RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

PHONE: ViewportSize = {"width": 320, "height": 640}
"""Also what a desk's 1280 pixels are at four times the size (1.4.10)."""
ZOOMED: ViewportSize = {"width": 640, "height": 450}
"""What the desk's window is at twice the size (1.4.4)."""
DESK: ViewportSize = {"width": 1280, "height": 900}

APART = "localStorage.setItem('press-apart', 'true')"
"""The choice of a reader to press the clock in a step of its own."""

# Windows of the layouts between these.
_BETWEEN: tuple[ViewportSize, ...] = (
    {"width": 820, "height": 1180},
    {"width": 1152, "height": 700},
)
# Further ones, some at the very edge of a layout.
_OTHERS: tuple[ViewportSize, ...] = (
    {"width": 390, "height": 844}, {"width": 844, "height": 390}, {"width": 1024, "height": 768},
    {"width": 1280, "height": 720}, {"width": 1920, "height": 1080},
)  # fmt: skip

# How the system may want colours: color_scheme, contrast, forced_colors.
_COLOURS: tuple[dict[str, Any], ...] = (
    {"color_scheme": "dark", "contrast": "no-preference", "forced_colors": "none"},
    {"color_scheme": "light", "contrast": "more", "forced_colors": "none"},
    {"color_scheme": "dark", "contrast": "more", "forced_colors": "none"},
    {"color_scheme": "dark", "contrast": "no-preference", "forced_colors": "active"},
)
_USUAL_COLOURS: dict[str, Any] = {
    "color_scheme": "light",
    "contrast": "no-preference",
    "forced_colors": "none",
}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A Chromium; where there is none the test is skipped. Playwright starts only once in a
    process, so tests take the fixture ``browser`` or ``context``."""
    need("Chromium")
    (path,) = PROGRAMS["Chromium"].places()
    assert path is not None
    with sync_playwright() as playwright:
        # In a container there are no rights for Chromium's own sandbox, nor much shared memory.
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        try:
            yield browser
        finally:
            browser.close()


# On a busy machine ten seconds may pass between any two steps of a test. What a page does by itself
# after a longer time, such as to take a message away, it does only where a test sets its clock.
_UNHURRIED = """{
    const later = window.setTimeout;
    window.setTimeout = (then, ms, ...more) => (ms > 10_000 ? 0 : later(then, ms, ...more));
}"""


@contextmanager
def person(browser: Browser, **how: Any) -> Iterator[BrowserContext]:
    """Somebody's own browser, in English, at a desk; a busy machine is waited for."""
    context = browser.new_context(**{"locale": "en-GB", "viewport": DESK, **how})
    context.add_init_script(_UNHURRIED)
    context.set_default_timeout(PATIENCE_S * 1000)
    expect.set_options(timeout=PATIENCE_S * 1000)
    try:
        yield context
    finally:
        context.close()


def come_in(context: BrowserContext, link: str, language: str = "en") -> None:
    """Come in with a link, as its page does, without loading that page."""
    base, _, token = link.partition("/#")
    headers = {"origin": base, "accept-language": language}
    came = context.request.post(f"{base}/enter", form={"token": token}, headers=headers)
    assert came.ok


def go_in(page: Page, hall: Hall, role: str) -> None:
    """Come in with the link of ``role``, and open its page."""
    come_in(page.context, hall.link(role))
    page.goto(f"{hall.host.url}/{role.replace(':', '-')}/")


def becomes(page: Page, expression: str, arg: object = None) -> None:
    """Wait until ``expression`` is true. The pages' security policy refuses what Playwright's own
    ``wait_for_function`` does. A page that another one is replacing has no body for a moment."""
    wrong = ""

    def is_true() -> bool:
        nonlocal wrong
        try:
            return bool(page.evaluate(expression, arg))
        except Error as error:
            wrong = str(error)
            return False

    assert until(is_true), f"{expression} {wrong}"


def change(page: Page, setting: str, option: str) -> None:
    """Choose ``option`` of the combobox ``setting``, and wait until the page has come with it."""
    page.get_by_role("combobox", name=setting).select_option(option)
    with page.expect_navigation():
        page.get_by_role("button", name="Change").click()


def up_to_date(page: Page, table: Table) -> None:
    """Wait until the page shows the game as it is now."""
    with table.lock:
        seen = stamp(table.game)
    becomes(page, "seen => document.body.dataset.seen === seen", seen)


def send(page: Page, fields: Mapping[str, str], *, answered: bool = True) -> None:
    """Let the page do what a form with these ``fields`` does, and wait until that is ``answered``.
    The page adds the game that it has seen."""
    page.evaluate(_SEND, [fields, answered])


_SEND = """([fields, answered]) => new Promise((done) => {
    const form = document.createElement("form");
    for (const [name, value] of Object.entries({ seen: document.body.dataset.seen, ...fields })) {
        const input = document.createElement("input");
        Object.assign(input, { type: "hidden", name, value });
        form.append(input);
    }
    document.body.append(form);
    document.addEventListener("answered", () => { form.remove(); done(); }, { once: true });
    form.requestSubmit();
    if (!answered) done();
})"""


def overhear(page: Page) -> None:
    """Keep what the live regions say from now on, also what then disappears."""
    page.evaluate(_OVERHEAR)


def overheard(page: Page) -> list[str]:
    """What they have said since this was asked last, with "! " before what interrupts."""
    return list(page.evaluate("heard.splice(0)"))


_OVERHEAR = """() => {
    window.heard = [];
    for (const [mark, id] of [["! ", "urgent"], ["", "polite"]]) {
        new MutationObserver((changes) => {
            for (const one of changes.flatMap((change) => [...change.addedNodes])) {
                if (one.nodeType === 1) heard.push(mark + one.textContent);
            }
        }).observe(document.getElementById(id), { childList: true });
    }
}"""


def shot(page: Page, name: str) -> None:
    """A picture for people to look at, where BLINDPLAY_SHOTS names a folder for them."""
    if folder := os.environ.get("BLINDPLAY_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def violations(page: Page, *rules: str) -> list[str]:
    """What axe-core finds wrong with the page as it stands: rule and element. With ``rules``,
    only what they find."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    only = {"type": "rule", "values": rules} if rules else {"type": "tag", "values": _RULES}
    # axe-core reports only violations, and works out only what we read: a report of all that is
    # right is a hundred times as long.
    found: list[str] = page.evaluate(
        """async only => {
            const { violations } = await axe.run({
                runOnly: only, resultTypes: ["violations"],
                elementRef: false, preload: false, selectors: false,
            });
            return violations.flatMap(one => one.nodes.map(node => `${one.id}: ${node.html}`));
        }""",
        only,
    )
    return found


# What a browser measures of a page as it stands; each gives sentences about what is wrong.
_LAYOUT = """() => {
    const wrong = [];
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) wrong.push(`the page is ${wide} wide`);
    for (const one of document.body.querySelectorAll("*")) {
        if (!one.checkVisibility({ visibilityProperty: true })) continue;
        const hides = /hidden|clip/.test(getComputedStyle(one).overflowX);
        const cut = one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1;
        if (cut && (hides || one.matches("button, summary, th, td, label, option")))
            wrong.push(`its text is cut off: ${one.outerHTML.slice(0, 120)}`);
    }
    return wrong;
}"""
_TARGETS = """() => {
    const wrong = [];
    const all = "a[href], button, input:not([type=hidden]), select, textarea, summary, audio";
    for (const one of document.querySelectorAll(all)) {
        // 44 px are more than 2.5.8 wants, which excepts links within a text. Eight squares of 44
        // do not fit into a phone; there a move can be typed.
        const other = ".board *, p a, li a, .skip:not(:focus)";
        if (!one.checkVisibility() || one.matches(other)) continue;
        const box = (one.type === "checkbox" || one.type === "radio" ? one.closest("label") : one)
            .getBoundingClientRect();
        if (box.width < 43.9 || box.height < 43.9)
            wrong.push(`${box.width} by ${box.height} is small: ${one.outerHTML.slice(0, 120)}`);
    }
    for (const one of document.querySelectorAll(".board[role=grid] button")) {
        if (!one.checkVisibility()) continue;
        const { width } = one.getBoundingClientRect();
        if (width < Math.min(innerWidth / 8, 44) - 0.1) wrong.push(`${one.id} is ${width} wide`);
    }
    return wrong;
}"""
_FOCUS = """() => {
    const wrong = [];
    const before = document.activeElement, top = scrollY;
    const all = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]";
    const every = [...document.querySelectorAll(all)];
    for (const one of [...every, ...every.reverse()]) {
        if (!one.checkVisibility() || one.disabled || one.tabIndex < 0) continue;
        if (one.closest("[inert]")) continue;
        one.focus({ focusVisible: true });
        const name = one.outerHTML.slice(0, 120);
        if (document.activeElement !== one) { wrong.push(`takes no focus: ${name}`); continue; }
        const style = getComputedStyle(one);
        if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2)
            wrong.push(`the focus is not to be seen: ${name}`);
        const box = one.getBoundingClientRect();
        const points = [[0.5, 0.5], [0.1, 0.2], [0.9, 0.2], [0.1, 0.8], [0.9, 0.8]];
        const seen = points.filter(([x, y]) => {
            const there = document.elementFromPoint(box.x + x * box.width, box.y + y * box.height);
            return there && (one.contains(there) || there.contains(one) || there.control === one);
        });
        const hidden = box.bottom < 0 || box.top > innerHeight || !seen.length;
        if (hidden) wrong.push(`something hides the focus: ${name}`);
    }
    before?.focus({ preventScroll: true });
    scrollTo(0, top);
    return wrong;
}"""
# Whether a pointer hits each control at its centre, when its reader has scrolled there: a link that
# is broken into lines, on the first one. The steps that put a board right lie over that board.
_HIT = """() => {
    const wrong = [];
    const all =
        "a[href], button, input:not([type=hidden]), select, textarea, summary, audio, .clock";
    const places = [...document.querySelectorAll("*")].map(one => [one, one.scrollTop]);
    const beneath =
        ":has(> * > .diagram:not([hidden])) > .board *, .skip:not(:focus), [inert] *";
    for (const one of document.querySelectorAll(all)) {
        if (!one.checkVisibility({ visibilityProperty: true }) || one.disabled) continue;
        if (one.matches(beneath)) continue;
        one.scrollIntoView({ block: "center", behavior: "instant" });
        const { x, y, width, height } = one.getClientRects()[0];
        const there = document.elementFromPoint(x + width / 2, y + height / 2);
        if (!one.contains(there) && there?.closest("label")?.control !== one)
            wrong.push(`${there?.outerHTML.slice(0, 60)} lies over ${one.outerHTML.slice(0, 120)}`);
    }
    for (const [one, top] of places) one.scrollTop = top;
    return wrong;
}"""
_DRAWN = "() => new Promise(on => requestAnimationFrame(() => requestAnimationFrame(on)))"
# As far as 1.4.12 lets a reader space a text. A sheet that is made by a script, so that the page's
# own policy allows it.
_SPACED = """wide => {
    window.spacing ??= new CSSStyleSheet();
    spacing.replaceSync(wide ? `* { line-height: 1.5 !important; letter-spacing: .12em !important;
        word-spacing: .16em !important; } p { margin-bottom: 2em !important; }` : "");
    document.adoptedStyleSheets = [spacing];
}"""


def covered(page: Page, *, everywhere: bool = False) -> list[str]:
    """The controls and clocks of the page as it stands over which something else lies, from a
    phone's width to a desk's: in a window of each layout, or ``everywhere``."""
    found, before = [], page.viewport_size or DESK
    for size in (PHONE, ZOOMED, *_BETWEEN, *(_OTHERS if everywhere else ()), DESK):
        page.set_viewport_size(size)
        page.evaluate(_DRAWN)
        found += [f"{size['width']} wide: {sentence}" for sentence in page.evaluate(_HIT)]
    page.set_viewport_size(before)
    return found


def accessible(page: Page, *, colours: bool = False, everywhere: bool = False) -> None:
    """Assert what WCAG 2.2 A and AA want of the page as it stands, and what this house wants.

    By axe-core; and measured: no sideways scrolling and no text cut off on a phone, at twice the
    size and at a desk, with the letters as far apart as readers may want them (1.4.4, 1.4.10,
    1.4.12); targets of 44 px (2.5.8), and nothing over them (:func:`covered`); the focus visible
    and not hidden by anything (2.4.7, 2.4.11); nothing that moves by itself (2.3.3). With
    ``colours``, the contrasts also in dark, with more contrast, and in the system's forced colours.
    """
    wrong = violations(page)
    before = page.viewport_size or DESK
    for size in (PHONE, ZOOMED, *_BETWEEN, *(_OTHERS if everywhere else ()), DESK):
        page.set_viewport_size(size)
        page.evaluate(_DRAWN)
        found = page.evaluate(_HIT)
        if size in (PHONE, ZOOMED, DESK):
            found += [one for check in (_LAYOUT, _TARGETS, _FOCUS) for one in page.evaluate(check)]
            page.evaluate(_SPACED, True)
            found += [f"spaced, {sentence}" for sentence in page.evaluate(_LAYOUT)]
            page.evaluate(_SPACED, False)
        wrong += [f"{size['width']} wide: {sentence}" for sentence in found]
    page.set_viewport_size(before)
    if page.evaluate("document.getAnimations().length"):
        wrong.append("something moves")
    if colours:
        for wanted in _COLOURS:
            page.emulate_media(**wanted)
            how = ", ".join(wanted.values())
            wrong += [f"{how}: {one}" for one in violations(page, "color-contrast")]
        page.emulate_media(**_USUAL_COLOURS)  # in which the page was looked at above
    assert wrong == [], "\n".join(wrong)
