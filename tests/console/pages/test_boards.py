"""What pages show of the boards, in Python and in a real Chromium: marks that are seen in every
palette, the keyboard's way, dragging, the board turned round, past positions, and how a board is
put right."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("playwright")
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from blindplay.console.messages import LANGUAGES, catalogue
from blindplay.console.pages import boards
from blindplay.language import load
from blindplay.language.pack import Pack
from blindplay.laws import facts as f
from blindplay.laws.facts import Player
from blindplay.laws.sheet_comparison import steps
from tests.console.browser import PHONE, accessible, becomes, go_in, person, shot
from tests.console.hall import Hall
from tests.console.pages.test_players import enter
from tests.sampling import examples, first
from tests.waiting import until

PLACEMENTS = st.dictionaries(st.integers(0, 63), st.sampled_from("PNBRQKpnbrqk"), max_size=20)


def wrong_knight(hall: Hall) -> None:
    """Black, whose board has sensors, has put on h6 the knight that was announced for f6."""
    hall.start()
    hall.play("white", "g1f3")
    for fact in (
        f.Lift(board="black", square="g1"),
        f.Place(board="black", square="f3", piece="N"),
        f.Lift(board="black", square="g8"),
        f.Place(board="black", square="h6", piece="n"),
        f.Announce(by="black", text="Nf6", move="g8f6"),
        f.Record(by="white", ply=2, text="Sf6"),
        f.Record(by="black", ply=2, text="Sf6"),
        f.Press(by="black"),
    ):
        hall.table.submit(fact)


# --- marks --------------------------------------------------------------------------------------


def labels(hall: Hall, board: str = "black") -> dict[str, str]:
    rows = boards.live(hall.table.game, board, "en", black_below=True)
    return {square.name: square.label for row in rows for square in row}


def test_the_last_move_a_touched_piece_and_check_are_told_by_their_squares(hall: Hall) -> None:
    hall.start()
    for by, move in (("white", "e2e4"), ("black", "f7f6")):
        hall.play(by, move)
    hall.table.submit(f.Make(by="black", move="e2e4"))
    hall.play("white", "d1h5")
    hall.table.submit(f.Make(by="black", move="d1h5"))
    shown = labels(hall)
    assert shown["h5"] == "h5, white queen, last move"
    assert shown["d1"] == "d1, empty, last move"
    assert shown["e8"] == "e8, black king, check"
    assert hall.table.game.board.is_check()
    hall.table.submit(f.Touch(by="black", square="g7"))
    assert labels(hall)["g7"] == "g7, black pawn, touched"
    assert "touched" not in labels(hall, "white")["g7"]


def test_a_board_that_lags_shows_no_check_of_another_position(hall: Hall) -> None:
    hall.start()
    for by, move in (("white", "e2e4"), ("black", "f7f6"), ("white", "d1h5")):
        hall.play(by, move)
    assert "check" not in labels(hall)["e8"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_letters_that_find_pieces_are_those_of_the_notation(language: str) -> None:
    letters = catalogue(language)["piece_keys"]
    pack = Pack.read(language)
    noted = [pack.piece_letters[kind].lower() for kind in range(chess.KING, chess.PAWN, -1)]
    assert list(letters[:5]) == noted
    assert pack.piece_names[chess.PAWN].lower().startswith(letters[5])
    assert len(set(letters)) == 6


# --- how a board is put right -------------------------------------------------------------------


@examples(200)
@given(shown=PLACEMENTS, goal=PLACEMENTS)
def test_hands_that_follow_the_shown_steps_come_to_the_position(
    shown: dict[int, str], goal: dict[int, str]
) -> None:
    fix = boards.steps_between(shown, goal, "en")
    board, aside = dict(shown), []
    for step in fix.steps if fix else ():
        if step.source:
            piece = board.pop(chess.parse_square(step.source))
            assert step.source in step.words
            if not step.to:
                aside.append(piece)
        if step.to:
            to = chess.parse_square(step.to)
            assert to not in board and step.to in step.words
            board[to] = piece if step.source else goal[to]
    assert board == goal
    moved = sum(1 for at in shown if shown[at] != goal.get(at))
    filled = sum(1 for at in goal if goal[at] != shown.get(at))
    assert len(fix.steps if fix else ()) <= moved + filled


@given(shown=PLACEMENTS, goal=PLACEMENTS)
def test_what_a_board_showed_follows_from_its_steps_and_what_it_shows_now(
    shown: dict[int, str], goal: dict[int, str]
) -> None:
    assert boards.undone(goal, steps(shown, goal)) == shown


def test_a_moved_piece_is_one_step_in_plain_words() -> None:
    fix = boards.steps_between({chess.G1: "N"}, {chess.F3: "N"}, "en")
    assert fix is not None
    assert [step.words for step in fix.steps] == ["White knight: take from g1, put on f3."]
    assert boards.steps_between({chess.G1: "N"}, {chess.G1: "N"}, "en") is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_of_step_has_its_words_in_every_language(language: str) -> None:
    shown, goal = {chess.A1: "K", chess.B1: "Q", chess.C1: "r"}, {chess.A1: "Q", chess.B1: "K"}
    fix = boards.steps_between(shown, {**goal, chess.D1: "b"}, language)
    assert fix is not None and len(fix.steps) == 5
    queen = load(language).piece(chess.Piece.from_symbol("Q"))
    assert any(step.words.lower().startswith(queen.lower()) for step in fix.steps)
    assert all(step.words[0].isupper() and step.words.endswith(".") for step in fix.steps)


def test_without_sensors_the_steps_stay_until_the_game_goes_on(hall: Hall) -> None:
    def words() -> list[str]:
        game = hall.table.game
        fix = boards.restoring(hall.table, game, "black", "en", black_below=True)
        return [step.words for step in fix.steps] if fix else []

    hall.start()
    hall.play("white", "e2e4")
    hall.table.submit(f.Make(by="black", move="e2e4"))
    assert words() == []
    hall.table.submit(f.Arbiter(do="restore", ply=0))
    assert words() == ["White pawn: take from e4, put on e2."]
    hall.table.submit(f.Announce(by="white", move="d2d4"))
    assert words() == []


# --- past positions -----------------------------------------------------------------------------


def test_players_look_back_only_after_the_game(hall: Hall) -> None:
    """11.3.1: no analysis on another chessboard during play."""
    hall.start()
    hall.play("white", "e2e4")
    game = hall.table.game
    roles = ("white", "black", "assistant:white", "arbiter", "public")
    assert [boards.may_look_back(game, role) for role in roles] == [False] * 3 + [True] * 2
    refused = boards.past(hall.table, "black", "en", {"ply": ["0"]})
    assert (refused["past"], refused["why"]) == (None, "Past positions can be seen after the game.")
    hall.table.submit(f.Resign(by="white"))
    assert all(boards.may_look_back(game, role) for role in roles)
    assert boards.past(hall.table, "black", "en", {"ply": ["0"]})["past"]["earlier"] is None


@pytest.mark.parametrize(("text", "title"), [
    ("0", "Past position: the start"),
    ("1", "Past position: after 1. e4"),
    ("2", "Past position: after 1… e5"),
    ("99", "Past position: after 1… e5"),
    ("-1", "Past position: after 1… e5"),
    ("x" * 99, "Past position: after 1… e5"),
])  # fmt: skip
def test_a_past_position_is_named_by_its_last_move(hall: Hall, text: str, title: str) -> None:
    hall.start()
    hall.play("white", "e2e4")
    hall.play("black", "e7e5")
    past = boards.past(hall.table, "arbiter", "en", {"ply": [text]})["past"]
    assert past["title"] == title
    shown = {square.name: square.label for row in past["rows"] for square in row}
    if text == "1":
        assert shown["e4"] == "e4, white pawn, last move" and shown["e7"] == "e7, black pawn"


# --- in a browser -------------------------------------------------------------------------------

# The pixels of a screenshot that satisfy a test, counted; the page stands for PIL.
_PIXELS = """async ({ png, other, squares }) => {
    const read = async text => {
        const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
    };
    const [marked, plain] = [await read(png), await read(other)];
    return squares.map(({ x, y, side }) => {
        const counts = {};
        for (let j = 0; j < side; j++) for (let i = 0; i < side; i++) {
            const at = ((y + j) * marked.width + x + i) * 4;
            const [now, before] =
                [marked, plain].map(one => [...one.data.slice(at, at + 3)].join());
            if (now !== before) counts[`${now} ${before}`] = (counts[`${now} ${before}`] ?? 0) + 1;
        }
        return counts;
    });
}"""
_MARK = """([name, kind]) => {
    const square = document.querySelector(`#sq-${name}`);
    const mark = document.createElement("span");
    mark.className = `mark ${kind}`;
    square.classList.add(kind);
    if (["chosen", "target"].includes(kind)) return;
    square.prepend(mark);
}"""
_UNMARKED = """() => {
    for (const one of document.querySelectorAll(".mark")) one.remove();
    for (const one of document.querySelectorAll("#board [data-square]"))
        one.classList.remove("last", "touched", "check", "differs", "chosen", "target");
}"""
_TO_SQUARES = """names => {
    const board = document.querySelector("#board .board").getBoundingClientRect();
    return names.map(name => {
        const box = document.querySelector(`#sq-${name}`).getBoundingClientRect();
        return { x: Math.round(box.x - board.x), y: Math.round(box.y - board.y),
            side: Math.floor(box.width) };
    });
}"""
_PIECES_SEEN = """seen => {
    for (const one of document.querySelectorAll("#board img"))
        one.style.visibility = seen ? "" : "hidden";
}"""

PALETTES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "contrast": "no-preference"},
    "dark": {"color_scheme": "dark", "contrast": "no-preference"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
    "dark contrast": {"color_scheme": "dark", "contrast": "more"},
}


def luminance(colour: str) -> float:
    """WCAG's relative luminance of "r,g,b"."""
    parts = [int(one) / 255 for one in colour.split(",")]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def changed(
    page: Page, before: bytes, after: bytes, squares: list[str]
) -> list[dict[tuple[str, str], int]]:
    """Of each square, how many pixels have which colour after and before, where they differ."""
    given = {
        "png": base64.b64encode(after).decode(),
        "other": base64.b64encode(before).decode(),
        "squares": page.evaluate(_TO_SQUARES, squares),
    }
    found = page.evaluate(_PIXELS, given)
    return [{tuple(key.split()): n for key, n in one.items()} for one in found]


@pytest.fixture
def page(context: BrowserContext, hall: Hall) -> Page:
    """The opponent's page; Black is below."""
    hall.start()
    return enter(context, hall, "black")


def test_each_mark_contrasts_three_to_one_with_both_colours_of_squares(page: Page) -> None:
    board = page.locator("#board .board")
    # Each on a light and on a dark square that are empty, and whose neighbours show no other mark.
    squares = {
        "last": ("b5", "a5"), "touched": ("d5", "c5"), "check": ("f5", "e5"),
        "differs": ("h5", "g5"), "chosen": ("a4", "b4"), "target": ("c4", "d4"),
    }  # fmt: skip
    for palette in PALETTES:
        page.emulate_media(**PALETTES[palette])
        page.evaluate(_UNMARKED)
        for name in squares["last"]:  # another colour, too, and that is what its mark lies on
            page.evaluate(_MARK, [name, "last"])
        page.evaluate("for (const one of document.querySelectorAll('.mark')) one.remove()")
        before = board.screenshot()
        marked = [(kind, name) for kind, names in squares.items() for name in names]
        for kind, name in marked:
            page.evaluate(_MARK, [name, kind])
        after = board.screenshot()
        found = changed(page, before, after, [name for _, name in marked])
        for (kind, name), pixels in zip(marked, found, strict=True):
            seen = sum(n for pair, n in pixels.items() if contrast(*pair) >= 3)
            side = page.evaluate(_TO_SQUARES, [name])[0]["side"]
            # A frame of two pixels around a quarter of the square is the least that is seen.
            assert seen >= 2 * side, (palette, kind, name, seen)


def test_pieces_and_coordinates_are_seen_on_both_colours_of_squares(page: Page) -> None:
    board = page.locator("#board .board")
    for palette, wanted in PALETTES.items():
        page.emulate_media(**wanted)
        pieces = board.screenshot()
        page.evaluate(_PIECES_SEEN, False)
        bare = board.screenshot()
        page.evaluate(_PIECES_SEEN, True)
        # Both colours of both kinds of square.
        names = ["b8", "c8", "a1", "h1", "a2", "b2", "a7", "b7"]
        for name, pixels in zip(names, changed(page, bare, pieces, names), strict=True):
            seen = sum(n for pair, n in pixels.items() if contrast(*pair) >= 3)
            side = page.evaluate(_TO_SQUARES, [name])[0]["side"]
            assert seen >= 0.045 * side * side, (palette, name, seen)
        for name in ("h8", "g8", "a8"):  # the lowest rank for Black
            colour, ground = page.evaluate(
                """name => { const style = getComputedStyle(document.querySelector(`#sq-${name}`));
                    return [style.color, style.backgroundColor]
                        .map(one => one.match(/[0-9]+/g).slice(0, 3).join()); }""",
                name,
            )
            assert contrast(colour, ground) >= 4.5, (palette, name)


@pytest.mark.parametrize(
    ("width", "turned"), first(2, [(320, True), (1400, False), (320, False), (1400, True)])
)
def test_coordinates_stand_in_the_edge_squares_only_and_over_no_piece(
    page: Page, width: int, turned: bool
) -> None:
    page.set_viewport_size({"width": width, "height": 2000})  # nothing lies over the board
    if turned:
        page.locator("#flip").click()
        expect(page.locator("#polite")).not_to_be_empty()
    board = page.locator("#board .board")
    found = board.evaluate(
        """here => Object.fromEntries([...here.querySelectorAll("[data-square]")].map(one => {
            const drawn = which =>
                getComputedStyle(one, which).content.replace(/"|none|normal/g, "");
            return [one.dataset.square, drawn("::before") + drawn("::after")];
        }))"""
    )
    left, lowest = ("a", "1") if turned else ("h", "8")
    for square, text in found.items():
        wanted = (square[1] if square[0] == left else "") + (
            square[0] if square[1] == lowest else ""
        )
        assert text == wanted, square
    edge = [square for square, text in found.items() if text]
    drawings = (board.locator("img").first.get_attribute("src") or "").partition("#")[0]

    def shot_of(piece: str, text: bool) -> str:
        board.evaluate(
            """(here, [image_of, text]) => {
                for (const one of here.querySelectorAll("[data-square]")) {
                    one.querySelector("img")?.remove();
                    one.style.color = text ? "" : "transparent";
                    if (!image_of) continue;
                    const image = new Image();
                    image.src = image_of;
                    one.append(image);
                }
                return Promise.all([...here.querySelectorAll("img")].map(one => one.decode()));
            }""",
            [piece and f"{drawings}#{piece}", text],
        )
        return base64.b64encode(board.screenshot()).decode()

    # The piece alone, the coordinate alone, nothing: no pixel may have changed in both.
    shots = {"nothing": shot_of("", False), "text": shot_of("", True)}
    for piece in ("white-queen", "white-bishop", "black-knight", "white-rook", "black-king"):
        shots["piece"] = shot_of(piece, False)
        both = page.evaluate(
            """async ({ shots, squares }) => {
                const read = async text => {
                    const bytes = Uint8Array.from(atob(text), one => one.charCodeAt(0));
                    const image = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
                    const canvas = new OffscreenCanvas(image.width, image.height);
                    canvas.getContext("2d").drawImage(image, 0, 0);
                    return canvas.getContext("2d").getImageData(0, 0, image.width, image.height);
                };
                const [nothing, piece, text] =
                    await Promise.all(["nothing", "piece", "text"].map(one => read(shots[one])));
                const differs = (one, at) => [0, 1, 2].some(
                    part => Math.abs(one.data[at + part] - nothing.data[at + part]) > 60);
                return squares.map(({ x, y, side }) => {
                    let both = 0, texts = 0;
                    for (let j = 0; j < side; j++) for (let i = 0; i < side; i++) {
                        const at = ((y + j) * nothing.width + x + i) * 4;
                        texts += differs(text, at);
                        both += differs(text, at) && differs(piece, at);
                    }
                    return [both, texts];
                });
            }""",
            {"shots": shots, "squares": page.evaluate(_TO_SQUARES, edge)},
        )
        assert all(texts > 5 for _, texts in both)
        assert [name for name, (over, _) in zip(edge, both, strict=True) if over] == [], piece


def test_squares_are_as_large_as_the_screen_allows(page: Page) -> None:
    page.set_viewport_size(PHONE)
    box = page.locator("#board .board").bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, PHONE["width"])


# --- the keyboard -------------------------------------------------------------------------------


@pytest.fixture
def moving(context: BrowserContext, hall: Hall) -> Page:
    """The opponent's page when the opponent is to move."""
    hall.start()
    hall.play("white", "a2a3")
    hall.table.submit(f.Make(by="black", move="a2a3"))
    hall.table.submit(f.Repeat(by="black", move="a2a3"))
    return enter(context, hall, "black")


def test_letters_find_pieces_and_keys_lead_over_the_board(moving: Page) -> None:
    page = moving

    def after(*keys: str) -> str:
        for key in keys:
            page.keyboard.press(key)
        return str(page.evaluate("document.activeElement.dataset.square"))

    page.locator("#sq-h1").focus()  # the first square, for Black
    assert (
        after("n") == "g1" and after("N") == "b1" and after("n") == "g8" and after("n", "n") == "g1"
    )
    assert after("q") == "d1" and after("Q") == "d8" and after("k") == "e1"
    assert after("p") == "h2" and after("p") == "g2"
    assert after("Home") == "h2" and after("End") == "a2"
    assert after("Control+End") == "a8" and after("Control+Home") == "h1"
    assert after("ArrowUp") == "h1" and after("ArrowDown", "ArrowRight") == "g2"
    assert after("x") == "g2"
    assert page.locator("#board [tabindex='0'][data-square]").count() == 1
    # Chosen by Enter, told as chosen, and given back by Escape.
    page.locator("#sq-e7").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("gridcell", name="e7", selected=True)).to_be_focused()
    expect(page.locator("#text")).to_have_value("e7")
    page.keyboard.press("Escape")
    expect(page.locator("#text")).to_have_value("")
    expect(page.locator("[aria-selected], .chosen")).to_have_count(0)
    expect(page.locator("#board [aria-pressed]")).to_have_count(0)


def test_a_letter_without_a_piece_says_so(context: BrowserContext, tmp_path: Any) -> None:
    hall = Hall(tmp_path, fen="8/4P3/8/8/8/8/k7/7K w - - 0 1", black=Player(name="Bert"))
    try:
        hall.start()
        page = enter(context, hall, "black")
        page.locator("#sq-h1").focus()
        page.keyboard.press("q")
        expect(page.locator("#polite")).to_have_text("There is no queen on this board.")
        expect(page.locator("#sq-h1")).to_be_focused()
    finally:
        hall.close()


def test_what_a_pawn_becomes_is_said(context: BrowserContext, tmp_path: Any) -> None:
    hall = Hall(tmp_path, fen="8/4P3/8/8/8/8/k7/7K b - - 0 1", black=Player(name="Bert"))
    try:
        hall.start()
        hall.play("black", "a2b3")
        page = context.new_page()
        go_in(page, hall, "assistant:white")
        page.locator("#sq-h1").focus()
        page.keyboard.press("p")
        expect(page.locator("#sq-e7")).to_be_focused()
        for key in ("Enter", "ArrowDown", "Enter", "Tab", "Enter"):
            page.keyboard.press(key)
        expect(page.locator("#text")).to_have_value("e7e8r")
        expect(page.locator("#polite")).to_contain_text("e7 to e8, promoted to rook")
    finally:
        hall.close()


def test_a_drag_shows_where_it_comes_from_and_where_it_would_go(moving: Page) -> None:
    page = moving
    page.locator("#sq-e7").hover()
    page.mouse.down()
    page.locator("#sq-e6").hover()
    page.locator("#sq-e5").hover()
    expect(page.locator(".chosen")).to_have_id("sq-e7")
    expect(page.locator(".lifted")).to_have_id("sq-e7")
    expect(page.locator(".target")).to_have_id("sq-e5")
    shot(page, "drag")
    page.mouse.up()
    expect(page.locator("#text")).to_have_value("e7e5")
    expect(page.locator(".target, .chosen, .dragged")).to_have_count(0)
    expect(page.locator(".planned")).to_have_count(2)
    expect(page.locator("#sq-e5 .ghost")).to_be_visible()
    page.locator("#text").fill("")
    expect(page.locator(".planned, .ghost, .lifted")).to_have_count(0)


# --- turned round -------------------------------------------------------------------------------


def test_the_board_is_turned_round_and_stays_so_on_this_device(page: Page, hall: Hall) -> None:
    first = page.locator("#board [data-square]").first
    expect(first).to_have_id("sq-h1")
    page.locator("#flip").click()
    expect(first).to_have_id("sq-a8")
    expect(page.locator("#polite")).to_have_text("White is below.")
    page.locator("#sq-a8").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#sq-b8")).to_be_focused()
    hall.play("white", "e2e4")  # the board comes anew
    page.locator("[id^=due-repeat]").click()
    expect(page.locator("#sq-e4")).to_have_attribute("aria-label", "e4, white pawn, last move")
    expect(first).to_have_id("sq-a8")
    page.reload()
    expect(first).to_have_id("sq-a8")
    page.evaluate("scrollTo(0, 0)")
    page.locator("#flip").click()
    expect(first).to_have_id("sq-h1")
    expect(page.locator("#polite")).to_have_text("Black is below.")


# --- past positions in a browser ----------------------------------------------------------------


def arbiter_looking_back(context: BrowserContext, hall: Hall) -> Page:
    """After 1. e4 e5, the arbiter's page looks back at the position after 1. e4."""
    hall.start()
    hall.play("white", "e2e4")
    hall.play("black", "e7e5")
    page = context.new_page()
    go_in(page, hall, "arbiter")
    page.locator("#look-back").click()
    return page


def test_the_arbiter_steps_back_with_keys_while_the_game_goes_on(
    context: BrowserContext, hall: Hall
) -> None:
    page = arbiter_looking_back(context, hall)
    past = page.locator(".past")
    expect(past.get_by_role("heading")).to_have_text("Past position: after 1. e4")
    expect(page.locator("#polite")).to_have_text("Past position: after 1. e4")
    expect(page.locator("#past-e7")).to_have_attribute("data-piece", "black-pawn")
    expect(page.locator("[data-live]")).to_be_hidden()
    page.keyboard.press("ArrowLeft")
    expect(past.get_by_role("heading")).to_have_text("Past position: the start")
    accessible(page)
    shot(page, "past")
    hall.play("white", "g1f3")
    expect(page.locator("[data-live] [data-square]").first).to_be_attached()
    expect(past).to_be_visible()
    for number in ("after 1. e4", "after 1… e5", "after 2. Nf3"):
        page.keyboard.press("ArrowRight")
        expect(past.get_by_role("heading")).to_have_text(f"Past position: {number}")
    page.locator("#past-a8").focus()  # on the board the arrow keys go over the squares
    page.keyboard.press("ArrowRight")
    expect(page.locator("#past-b8")).to_be_focused()
    page.keyboard.press("Escape")
    expect(past).to_have_count(0)
    expect(page.locator("[data-live]")).to_be_visible()
    expect(page.locator("#look-back")).to_be_focused()
    page.goto(f"{page.url}past?ply=1")
    expect(page.get_by_role("heading", level=2)).to_have_text("Past position: after 1. e4")
    accessible(page)


def test_a_past_position_that_comes_after_its_reader_has_left_is_not_shown(
    context: BrowserContext, hall: Hall
) -> None:
    page = arbiter_looking_back(context, hall)
    expect(page.locator(".past h2")).to_have_text("Past position: after 1. e4")
    late: list[Route] = []
    page.route("**/past?*", lambda route: late.append(route))
    page.keyboard.press("ArrowLeft")
    assert until(lambda: page.evaluate("true") and late)
    page.keyboard.press("Escape")
    expect(page.locator(".past")).to_have_count(0)
    with page.expect_response("**/past?*"):
        late[0].continue_()
    page.unroute("**/past?*")
    page.locator("#look-back").click()
    expect(page.locator(".past h2")).to_have_text("Past position: after 1. e4")


def test_players_step_back_after_the_game_also_without_scripts(
    browser: Browser, context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "black")
    expect(page.locator("#look-back")).to_have_count(0)
    answer = page.evaluate("fetch('past?ply=0&part=yes').then(one => one.text())")
    assert "Past positions can be seen after the game." in answer and "data-square" not in answer
    hall.table.submit(f.Resign(by="white"))
    page.locator("#look-back").click()
    expect(page.locator(".past h2")).to_have_text("Past position: the start")
    page.locator("#past-back").click()
    expect(page.locator(".past")).to_have_count(0)
    address = page.url
    page.close()
    cookies = context.cookies()
    with person(browser, java_script_enabled=False) as plain:
        plain.add_cookies(cookies)  # type: ignore[arg-type]
        page = plain.new_page()
        page.goto(address)
        expect(page.locator("#flip")).to_be_hidden()
        page.locator("#look-back").click()
        expect(page.get_by_role("heading", level=2)).to_have_text("Past position: the start")
        page.get_by_role("link", name="Forward one move").click()
        expect(page.get_by_role("heading", level=2)).to_have_text("Past position: after 1. e4")
        page.get_by_role("link", name="Back to the game").click()
        expect(page.locator("#board .board")).to_be_visible()


def test_an_impaired_player_walks_over_past_positions_after_the_game(
    context: BrowserContext, hall: Hall
) -> None:
    hall.start()
    hall.play("white", "e2e4")
    page = enter(context, hall, "white")
    expect(page.locator("#look-back")).to_have_count(0)
    hall.table.submit(f.Resign(by="black"))
    expect(page.locator("#flip")).to_be_hidden()
    page.locator("#look-back").press("Enter")
    expect(page.get_by_role("status")).to_have_text("Past position: the start")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_have_text("Past position: after 1. e4")
    expect(page.get_by_role("gridcell", name="e4, white pawn, last move")).to_be_visible()
    expect(page.locator("#flip")).to_be_visible()
    accessible(page)


# --- steps in a browser -------------------------------------------------------------------------


@pytest.fixture
def wrong(context: BrowserContext, hall: Hall) -> Iterator[Page]:
    """The opponent's page while the own board has to be put right."""
    wrong_knight(hall)
    yield enter(context, hall, "black")


def test_a_board_is_put_right_by_words_and_step_by_step(wrong: Page, hall: Hall) -> None:
    place = wrong.locator(".restoring")
    expect(place.get_by_role("listitem")).to_have_text(["Black knight: take from h6, put on f6."])
    expect(wrong.locator("#sq-h6")).to_have_attribute("aria-label", "h6, black knight, differs")
    expect(place.locator(".diagram")).to_be_hidden()  # nothing moves unasked
    wrong.get_by_role("button", name="Show the steps").click()
    expect(place.locator("[data-square=f6] img")).to_have_count(1)
    expect(place.locator("[data-square=h6].chosen img")).to_have_count(0)
    expect(place.locator("[aria-current=step]")).to_have_count(1)
    expect(wrong.locator("#polite")).to_contain_text("take from h6, put on f6")
    becomes(wrong, "() => !document.getAnimations().length")
    accessible(wrong)
    shot(wrong, "steps")
    wrong.get_by_role("button", name="Hide the steps").click()
    expect(place.locator(".diagram")).to_be_hidden()
    hall.table.submit(f.Lift(board="black", square="h6"))
    hall.table.submit(f.Place(board="black", square="f6", piece="n"))
    expect(place).to_have_count(0)


def test_several_steps_are_walked_through_and_begin_anew_when_hands_move(
    context: BrowserContext, hall: Hall
) -> None:
    wrong_knight(hall)
    hall.table.submit(f.Lift(board="black", square="a8"))
    hall.table.submit(f.Place(board="black", square="a6", piece="r"))
    page = enter(context, hall, "black")
    place = page.locator(".restoring")
    expect(place.get_by_role("listitem")).to_have_count(2)
    page.get_by_role("button", name="Show the steps").click()
    current = place.locator("[aria-current=step]")
    first = current.inner_text()
    page.get_by_role("button", name="Next step").click()
    expect(current).not_to_have_text(first)
    for square in ("a8", "f6"):  # both steps have been done on the diagram
        expect(place.locator(f"[data-square={square}] img")).to_have_count(1)
    page.get_by_role("button", name="Previous step").click()
    expect(current).to_have_text(first)
    page.locator("#flip").click()
    page.get_by_role("button", name="Next step").click()
    expect(place.locator("[data-square]").first).to_have_attribute("data-square", "a8")
    hall.table.submit(f.Lift(board="black", square="a6"))
    hall.table.submit(f.Place(board="black", square="a8", piece="r"))
    expect(place.get_by_role("listitem")).to_have_count(1)
    expect(current).to_have_text("Black knight: take from h6, put on f6.")
    expect(page.get_by_role("button", name="Next step")).to_have_count(0)


def test_the_arbiter_hears_which_board_a_button_is_about(
    context: BrowserContext, hall: Hall
) -> None:
    wrong_knight(hall)
    page = context.new_page()
    go_in(page, hall, "arbiter")
    page.get_by_role("button", name="Show the steps Black's board").click()
    expect(page.locator("#fix-b-steps [data-square=f6] img")).to_have_count(1)


def test_nothing_slides_for_a_reader_who_wants_no_motion(wrong: Page) -> None:
    wrong.evaluate(
        """() => {
            window.slid = 0;
            const animate = Element.prototype.animate;
            Element.prototype.animate = function (...how) {
                slid += 1;
                return animate.apply(this, how);
            };
        }"""
    )

    def moves() -> bool:
        wrong.get_by_role("button", name="Show the steps").click()
        expect(wrong.get_by_role("button", name="Hide the steps")).to_be_visible()
        return bool(wrong.evaluate("slid || document.getAnimations().length"))

    wrong.emulate_media(reduced_motion="reduce")
    assert not moves()
    wrong.get_by_role("button", name="Hide the steps").click()
    wrong.emulate_media(reduced_motion="no-preference")
    assert moves()
