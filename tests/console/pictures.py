"""Make the pictures of docs/pages anew: the pages as a real Chromium draws them.

    python -m tests.console.pictures [--folder FOLDER] [--language LANGUAGE] [--all]

Each picture is a PNG named ROLE-STATE-SIZE-PALETTE. The pages are those of one game between two
players of a club, in the reader's language. With ``--all`` every state is shown in every size and
palette; without, there are seventeen pictures: one of each state, and the sighted player's turn in
four sizes.
"""

from __future__ import annotations

import argparse
import base64
import itertools
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chess
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from blindplay.console.public import Audience
from blindplay.console.server import ConsoleHost
from blindplay.language import Command
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from tests.console.browser import chromium
from tests.console.hall import Hall

FOLDER = Path(__file__).parents[2] / "docs" / "pages"
SIZES: dict[str, ViewportSize] = {
    "phone": {"width": 390, "height": 844},
    "tablet": {"width": 820, "height": 1180},
    "desktop": {"width": 1400, "height": 900},
    "landscape": {"width": 844, "height": 390},
    "zoomed": {"width": 700, "height": 450},
}
"""``zoomed`` is the desktop at twice the size."""
PALETTES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "contrast": "no-preference"},
    "dark": {"color_scheme": "dark", "contrast": "no-preference"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
}
COLOURS = 16
"""Of each picture: the most frequent ones. Text stays sharp, and the set small."""
# The palette and, of each pixel, its place in it.
_FEW_COLOURS = """async ([png, colours]) => {
    const drawn = await createImageBitmap(await (await fetch(png)).blob());
    const context = new OffscreenCanvas(drawn.width, drawn.height).getContext("2d");
    context.drawImage(drawn, 0, 0);
    const image = context.getImageData(0, 0, drawn.width, drawn.height);
    const pixels = new Uint32Array(image.data.buffer);
    const count = new Map();
    for (const one of pixels) count.set(one, (count.get(one) ?? 0) + 1);
    const kept = [...count.keys()].sort((a, b) => count.get(b) - count.get(a)).slice(0, colours);
    const parts = one => [0, 8, 16].map(at => (one >> at) & 255);
    const apart = (a, b) =>
        parts(a).reduce((sum, part, at) => sum + (part - parts(b)[at]) ** 2, 0);
    const place = new Map([...count.keys()].map(one => [one, kept.reduce(
        (best, other, at) => apart(one, other) < apart(one, kept[best]) ? at : best, 0)]));
    const places = new Uint8Array(pixels.length);
    pixels.forEach((one, at) => { places[at] = place.get(one); });
    const reader = new FileReader();
    await new Promise(on => { reader.onload = on; reader.readAsDataURL(new Blob([places])); });
    return [drawn.width, drawn.height, kept.flatMap(parts), reader.result.split(",")[1]];
}"""

_MOVES = (
    "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7 Nbd2 cxd4 cxd4"
)
_SECONDS = (20, 35, 90, 15, 140, 60)
"""How long the players think, again and again."""


class Club(Hall):
    """A game of a club, before Black's thirteenth move; both boards are without sensors."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            language="en",
            time_control="5400+30",
            announce_in="en",
            plays_again=True,
            event="Club championship",
            white=Player(name="Anna Lindqvist", impaired=True, assistant=True),
            black=Player(name="Bernd Hofmann"),
        )
        self.host.close()
        self.host = ConsoleHost(self.table, port=0, audience=Audience(delay=0, names=True))
        self.do(f.Arbiter(do="preside"), f.Start())
        for san, seconds in zip(_MOVES.split(), itertools.cycle(_SECONDS), strict=False):
            self.now += seconds
            self.play_whole(san)

    def do(self, *what: f.Fact) -> None:
        for fact in what:
            self.table.submit(fact)

    def play_whole(self, san: str) -> None:
        """One move on both boards."""
        by, other = self.sides
        move = self.move(san)
        self.play(by, move)
        self.do(f.Repeat(by=other, move=move), f.Make(by=other, move=move))

    @property
    def sides(self) -> tuple[str, str]:
        """Who is on move, and who is not."""
        return ("white", "black") if self.table.game.side == "white" else ("black", "white")

    def move(self, san: str) -> str:
        board: chess.Board = self.table.game.board.copy(stack=False)
        return board.parse_san(san).uci()


def _black_to_move(hall: Club) -> None:
    hall.now += 47


def _white_to_move(hall: Club) -> None:
    hall.now += 95
    hall.play_whole("Nc6")
    hall.now += 31


def _repeat(hall: Club) -> None:
    _white_to_move(hall)
    move = hall.move("Nb3")
    hall.do(f.Announce(by="white", move=move), f.Make(by="white", move=move), f.Press(by="white"))
    hall.now += 4


def _differ(hall: Club) -> None:
    """Black's board has sensors, and his hands put the announced bishop on the wrong square."""
    hall.do(f.Position(board="black", placement=hall.table.game.board.board_fen()))
    hall.now += 47
    hall.do(
        f.Lift(board="black", square="c8"),
        f.Place(board="black", square="d7", piece="b"),
        f.Announce(by="black", move="c8b7"),
        f.Press(by="black"),
    )


def _illegal(hall: Club) -> None:
    """Black completed an illegal move; the arbiter decides."""
    hall.now += 62
    hall.do(f.Make(by="black", move="a6a4"), f.Press(by="black"))


def _over(hall: Club) -> None:
    _white_to_move(hall)
    hall.do(f.Resign(by="black"))


def _asked_again(hall: Club) -> None:
    """Nobody arranges the next game; both have signed, and Black wants a rematch."""
    hall.do(f.Arbiter(do="withdraw"))
    _over(hall)
    hall.do(f.Sign(by="white", result="1-0"), f.Sign(by="black", result="1-0"))
    with hall.table.lock:
        hall.table.another_game.want("black", Command.REMATCH)


# Role and state: what happens first, the link (the role's own if empty) and the page behind it.
STATES: dict[str, tuple[Callable[[Club], None], str, str]] = {
    "opponent-your-move": (_black_to_move, "black", ""),
    "opponent-waiting": (_white_to_move, "black", ""),
    "opponent-repeat": (_repeat, "black", ""),
    "opponent-boards-differ": (_differ, "black", ""),
    "opponent-arbiter-needed": (_illegal, "black", ""),
    "opponent-over": (_over, "black", ""),
    "player-waiting": (_black_to_move, "white", ""),
    "player-your-move": (_white_to_move, "white", ""),
    "assistant-your-move": (_white_to_move, "assistant:white", ""),
    "arbiter-in-play": (_white_to_move, "arbiter", ""),
    "arbiter-decision": (_illegal, "arbiter", ""),
    "clocks-in-play": (_black_to_move, "black", "clocks"),
    "public-in-play": (_white_to_move, "", "public/"),
    "player-another-game": (_asked_again, "white", ""),
}
WHOLE = "opponent-your-move"
"""The state that is kept in four sizes."""


def kept(number: int, state: str) -> list[tuple[str, str]]:
    """The sizes and palettes of a state's pictures, which take turns."""
    if state == WHOLE:
        return list(zip(("phone", "desktop", "landscape", "zoomed"), itertools.cycle(PALETTES)))
    size = ("desktop", "phone", "tablet")[number % 3]
    return [(size, tuple(PALETTES)[number // 3 % 3])]


@contextmanager
def opened(browser: Browser, state: str, language: str) -> Iterator[Page]:
    """The page in this state."""
    happen, role, path = STATES[state]
    with TemporaryDirectory() as folder:
        hall = Club(Path(folder))
        context: BrowserContext = browser.new_context(locale=language)
        try:
            happen(hall)
            page = context.new_page()
            if role:
                page.goto(hall.link(role))
                expect(page.locator("#main")).to_be_visible()
            if path:
                page.goto(f"{hall.host.url}/{role and role + '/'}{path}")
            page.wait_for_load_state("load")
            yield page
        finally:
            context.close()
            hall.close()


def taken(page: Page, size: str, palette: str) -> bytes:
    """What the window shows, as PNG."""
    page.set_viewport_size(SIZES[size])
    page.emulate_media(**PALETTES[palette])
    page.evaluate("() => new Promise(on => requestAnimationFrame(() => requestAnimationFrame(on)))")
    return page.screenshot()


def small(empty: Page, png: bytes) -> bytes:
    """The picture as a PNG with a palette, two pixels in a byte."""
    address = f"data:image/png;base64,{base64.b64encode(png).decode()}"
    width, height, palette, text = empty.evaluate(_FEW_COLOURS, [address, COLOURS])
    places = base64.b64decode(text)
    packed = bytes(one << 4 | other for one, other in zip(places[::2], places[1::2], strict=True))
    row = width // 2
    lines = b"".join(b"\0" + packed[at : at + row] for at in range(0, len(packed), row))
    head = struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)
    parts = ((b"IHDR", head), (b"PLTE", bytes(palette)), (b"IDAT", zlib.compress(lines, 9)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in (*parts, (b"IEND", b""))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the pictures of the pages.")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where they go")
    parser.add_argument("--language", default="en", help="of the pages")
    parser.add_argument("--all", action="store_true", help="every state in every size and palette")
    parser.add_argument("states", nargs="*", help="only these states")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    every = list(itertools.product(SIZES, PALETTES))
    with chromium() as browser:
        empty = browser.new_page()
        for number, state in enumerate(STATES):
            if wanted.states and state not in wanted.states:
                continue
            with opened(browser, state, wanted.language) as page:
                for size, palette in every if wanted.all else kept(number, state):
                    png = taken(page, size, palette)
                    path = wanted.folder / f"{state}-{size}-{palette}.png"
                    path.write_bytes(small(empty, png))
            print(state, flush=True)


if __name__ == "__main__":
    main()
