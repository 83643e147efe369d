"""Make the pictures of a hall's pages in docs/pages anew, as a real Chromium draws them.

    python -m tests.hall.pictures [--folder FOLDER] [--language LANGUAGE] [--all]

Each picture is a PNG named hall-PAGE-SIZE-PALETTE. With ``--all`` every page is shown in every
size.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from playwright.sync_api import Browser, Page, ViewportSize

from blindplay.console.access import RateLimiter
from blindplay.console.public import Audience
from blindplay.hall.broadcast.broadcasting import PublicHost
from blindplay.hall.broadcast.delayed import DelayedHall
from blindplay.hall.broadcast.lists import EventLists
from blindplay.hall.broadcast.spectators import SpectatorsPages
from blindplay.hall.pairings.rounds import Assignment, Round, keep_round
from blindplay.laws import facts as f
from tests.console.browser import chromium
from tests.console.pictures import FOLDER, PALETTES, SIZES, small

from .model import ModelHall, ScriptedTable, pass_time, setup
from .pairings.trf_text import Line
from .showcase import showcase
from .test_players import Door

EVERY: dict[str, ViewportSize] = {
    **SIZES,
    "wide": {"width": 1920, "height": 1080},
    "landscape": {"width": 844, "height": 390},
    "zoomed": {"width": 700, "height": 450},  # a desktop at twice the size
}
NAMES = (
    "Anna Lindqvist", "Bernd Hofmann", "Maria Berg", "Jens Dahl", "Åse Nygård", "Jürgen Müller",
    "Eva Gran", "David Fors", "Siobhán O’Neill", "Karl Schmidt", "Ida Holm", "Per Olsen",
    "Lena Weiß", "Tomasz Łukasz", "Rut Åkesson", "Otto Vogel", "Jan Novák", "Ulla Skov",
    "Finn Juhl", "Nora Ek",
)  # fmt: skip
PAGES: dict[str, tuple[tuple[str, str], ...]] = {
    "tables": (("wide", "light"), ("phone", "dark")),
    "boards": (("desktop", "light"), ("landscape", "contrast")),
    "game": (("desktop", "dark"), ("phone", "light")),
    "pairings": (("phone", "contrast"),),
    "results": (("tablet", "dark"),),
    "standings": (("phone", "light"),),
    "screen": (("wide", "dark"),),
    "mine": (("phone", "light"),),
}
"""Each page, and the sizes and palettes of its pictures that are kept."""


@contextmanager
def tables(folder: Path) -> Iterator[str]:
    """The arbiter's page of a hall in which four tables need somebody."""
    with showcase(folder) as hall:
        more: dict[int, dict[str, Any]] = {
            4: {"needs": ["decision", "boards"]},
            12: {"needs": ["arbiter"]},
            17: {"left": {"white": 42.0, "black": 300.0}},
            22: {"state": "over", "result": "1/2-1/2", "running": ""},
            31: {"needs": ["boards"], "state": "stopped", "running": ""},
        }
        for number in range(1, 41):
            players = {"white": NAMES[number % 20], "black": NAMES[(number + 7) % 20]}
            hall.tell(str(number), **players, **more.get(number, {}))
        yield hall.link


@contextmanager
def public(folder: Path, path: str) -> Iterator[str]:
    """A page for everybody, of round two between twenty players."""
    found = [
        ScriptedTable(
            setup(
                white=f.Player(name=NAMES[2 * at], impaired=True),
                black=f.Player(name=NAMES[2 * at + 1]),
                time_control="75+0" if at == 3 else "5400+30",
                round="2",
                announce_in="en",
            ),
            f.Start(),
            name=str(at + 1),
            run=f"run-{at}",
        )
        for at in range(10)
    ]
    lines = []
    for at, name in enumerate(NAMES):
        first, _, last = name.partition(" ")
        opponent, colour = at + 2 - 2 * (at % 2), "wb"[at % 2]
        score, far, before = ("1", "1.0", "w") if at < 10 else ("0", "0.0", "b")
        games = [((at + 10) % 20 + 1, before, score), (opponent, colour, "")]
        lines.append(str(Line(at + 1, f"{last}, {first}", far, at + 1, games)))
    report = folder / "cup.trf"
    report.write_text("\n".join(["212 PTS,BH/C1,SB", *lines]), "utf-8")
    hall = ModelHall(folder, *found)
    for table in found:
        hall.publish(table.presence(), table.journal(table.lines))
    shown = DelayedHall(hall.follower, Audience(0, True), "Nordic Open", lambda: hall.now)
    pages = SpectatorsPages(shown, "Nordic Open", EventLists(folder, report, shown))
    pages.limits.asking = RateLimiter(a_second=1e6, at_once=10**6)
    host = PublicHost(pages, "127.0.0.1", 0)
    try:
        for at, table in enumerate(found):
            hall.publish(table.journal(table.move(table.clock, *["e2e4", "e7e5", "g1f3", "b8c6"])))
            if at % 4 == 1:
                hall.publish(table.journal(table.tell(f.Resign(by="black"))))
        pass_time(hall, found, 40)
        shown.catch_up()
        pages.update()
        yield f"{host.url}{path}"
    finally:
        host.close()


@contextmanager
def mine(folder: Path) -> Iterator[str]:
    """The page that a player keeps."""
    door = Door(folder)
    games = tuple(
        Assignment("2", str(at + 1), NAMES[2 * at], NAMES[2 * at + 1]) for at in range(10)
    )
    keep_round(door.folder, Round("2", games))
    try:
        yield f"{door.url}/where/mine?name=muller"
    finally:
        door.close()


@contextmanager
def opened(browser: Browser, name: str, language: str) -> Iterator[Page]:
    paths = {"boards": "", "game": "3/"}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        own = {"tables": tables, "mine": mine}.get(name)
        place = own(folder) if own else public(folder, paths.get(name, name))
        address = stack.enter_context(place)
        context = browser.new_context(locale=language)
        stack.callback(context.close)
        page = context.new_page()
        page.goto(address)
        page.locator("#tables, .boards, #part, main table, #places").first.wait_for()
        page.wait_for_load_state("load")
        yield page


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of a hall's pages.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they go")
    parser.add_argument("--language", default="en", help="of the pages")
    parser.add_argument("--all", action="store_true", help="every page in every size")
    parser.add_argument("pages", nargs="*", help="only these pages")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    with chromium() as browser:
        empty = browser.new_page()
        for name, kept in PAGES.items():
            if wanted.pages and name not in wanted.pages:
                continue
            with opened(browser, name, wanted.language) as page:
                for size, palette in [(one, "light") for one in EVERY] if wanted.all else kept:
                    page.set_viewport_size(EVERY[size])
                    page.emulate_media(**PALETTES[palette])
                    page.wait_for_timeout(300)  # a script of the page lays it out anew
                    path = wanted.folder / f"hall-{name}-{size}-{palette}.png"
                    path.write_bytes(small(empty, page.screenshot()))
            print(name, flush=True)


if __name__ == "__main__":
    main()
