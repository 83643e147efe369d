"""``blindplay score`` of any games: Braille, words, print and PGN, and the same games again."""

from __future__ import annotations

import dataclasses
import io
import re
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language import languages, load
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.braille_text import read_text
from blindplay.record.annotated import (
    BrailleNotation,
    LineKind,
    LinesError,
    LineWriter,
    Notation,
    WordsNotation,
    label,
    read_lines,
)
from blindplay.record.book import Book, BookStyle, read_book, read_games
from blindplay.record.studies import studies
from blindplay.record.study import StudiedGame, StudyKind, Unread
from blindplay.record.writing import Paper, RecordFormat
from tests.command_line import Ran, run
from tests.record.disks import failing, in_folder
from tests.record.random_studies import random_study
from tests.record.recorded import MOVES, WORDS, recorded
from tests.sampling import examples

TEXT_FORMS = [form for form in RecordFormat if form is not RecordFormat.PGN]
PAPERS = {"28 × 40": Paper(40, 28), "25 × 32": Paper(32, 25), "smallest": Paper(10, 3)}

STUDY = """\
[Event "Vereinsabend"]
[White "Özdemir, Ayşe"]
[Black "Lindqvist, Åke"]
[Result "1-0"]

{ Das Zentrum. } 1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 ( 3... Bc5 { ist ruhiger } 4. c3 Nf6
( 4... d6 5. d4 exd4 $14 ) 5. d4! ) ( 3... h6? 4. d4 ) 4. Ng5 d5 5. exd5 Nxd5?! { Na5! }
6. Nxf7! Kxf7 7. Qf3+ $18 1-0
"""

ENDING = """\
[Event "?"]
[SetUp "1"]
[FEN "8/P6k/8/8/8/8/p6K/8 w - - 0 41"]
[ChapterName "Umwandlung"]

41. a8=Q a1=N! ( 41... a1=Q?? 42. Qxa1 ) 42. Qe4+ *
"""


def games_of(text: str) -> list[chess.pgn.Game]:
    stream = io.StringIO(text)
    return list(iter(lambda: chess.pgn.read_game(stream), None))


def book(*games: chess.pgn.Game, language: str = "de", **style: Any) -> Book:
    return Book.of("Sammlung", games, load(language), BookStyle(**style))


def again(text: str) -> list[str]:
    """The games of a book, in PGN."""
    found = read_book(text)
    assert found is not None
    unread = [one.sentence for one in found if isinstance(one, Unread)]
    assert not unread
    return [str(one.pgn) for one in found if isinstance(one, StudiedGame)]


# --- nothing is lost


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("notation", [Notation, BrailleNotation, WordsNotation])
@examples(6)
@given(seed=st.integers(0, 1 << 30))
def test_the_lines_of_any_study_are_read_as_the_same_game(
    notation: type[Notation], language: str, seed: int
) -> None:
    game, written = random_study(seed, plies=20), notation(load(language))
    lines = [line.text for line in game.accept(LineWriter(written))]
    assert str(read_lines(lines, written)) == str(game)


@pytest.mark.parametrize("form", TEXT_FORMS)
@examples(6)
@given(
    seeds=st.lists(st.integers(0, 1 << 30), min_size=1, max_size=3),
    language=st.sampled_from(languages()),
    paper=st.sampled_from([*PAPERS.values()]),
)
def test_a_book_of_studies_is_read_as_the_same_games(
    form: RecordFormat, seeds: list[int], language: str, paper: Paper
) -> None:
    games = [random_study(seed, plies=12) for seed in seeds]
    text = book(*games, language=language, diagrams=3).write(form, paper)
    assert again(text) == [str(game) for game in games]


@cache
def more_than_a_hundred() -> list[chess.pgn.Game]:
    return [random_study(seed, plies=4) for seed in range(105)]


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_more_than_a_hundred_games_are_read_again(form: RecordFormat) -> None:
    games = more_than_a_hundred()
    text = book(*games).write(form, PAPERS["28 × 40"])
    assert again(text) == [str(game) for game in games]


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_a_very_long_comment_is_read_again(form: RecordFormat) -> None:
    game = games_of(STUDY)[0]
    words = " ".join(f"Wort{number} (siehe {number}.)," for number in range(5000))
    game.next().comment = words  # type: ignore[union-attr]
    game.next().comment += " " + "Donaudampfschifffahrt" * 20  # type: ignore[union-attr]
    text = book(game).write(form, PAPERS["25 × 32"])
    assert again(text) == [str(game)]


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_a_chapter_without_moves_keeps_its_comment(form: RecordFormat) -> None:
    game = chess.pgn.Game()
    game.comment = "Kein Zug, nur Text."
    assert again(book(game, chess.pgn.Game()).write(form, Paper())) == [
        str(game),
        str(chess.pgn.Game()),
    ]


@pytest.mark.parametrize("title", ["Partie 1", "Partie 1: Züge", "Züge", "Game 1"])
@pytest.mark.parametrize("form", TEXT_FORMS)
def test_a_title_like_a_heading_is_no_chapter(form: RecordFormat, title: str) -> None:
    games = games_of(f"{STUDY}\n{ENDING}")
    text = dataclasses.replace(book(*games), title=title).write(form, Paper())
    assert again(text) == [str(game) for game in games]


def test_times_of_programs_are_left_out_if_wanted() -> None:
    game = games_of("1. e4 { [%clk 0:10:00] gut } e5 { [%eval 0.3] [%clk 0:09:59] } *")[0]
    kept = book(game).write(RecordFormat.SHEET, Paper())
    assert "1. e4\n– [%clk 0:10:00] gut\n1... e5 [%eval 0.3] [%clk 0:09:59]\n" in kept
    without = book(game, times=False).write(RecordFormat.SHEET, Paper())
    assert "1. e4\n– gut\n1... e5\n" in without


# --- what stands there


def test_a_study_in_print_has_labels_for_variations_and_lines_for_comments() -> None:
    lines = book(*games_of(STUDY)).write(RecordFormat.SHEET, Paper()).splitlines()
    assert lines[lines.index("Züge") :] == [
        "Züge", "– Das Zentrum.", "1. e4 e5", "2. Sf3 Sc6", "3. Lc4 Sf6",
        "a: 3... Lc5", "a: – ist ruhiger", "a: 4. c3 Sf6",
        "a1: 4... d6 5. d4 exd4 +=", "a: 5. d4!", "b: 3... h6? 4. d4",
        "4. Sg5 d5", "5. exd5 Sxd5?!", "– Na5!", "6. Sxf7! Kxf7", "7. Df3+ +-", "1-0",
    ]  # fmt: skip
    assert lines[:4] == ["Sammlung", "Partien: 1", "", "Partie 1: Ayşe Özdemir – Åke Lindqvist"]


def test_a_study_in_words_names_comments_and_variations() -> None:
    text = book(*games_of(STUDY)).write(RecordFormat.LONGHAND, Paper())
    assert "Variante 1:\n3. Schwarz: Läufer Felix acht Cäsar fünf\nKommentar: ist ruhiger\n" in text
    assert "Variante 1.1:\n4. Schwarz: Bauer David sieben David sechs\n" in text
    assert "Variante 1:\n5. Weiß: Bauer David zwei David vier; guter Zug\nVariante 2:\n" in text
    assert "Hauptvariante:\n4. Weiß: Springer Felix drei Gustav fünf\n" in text
    assert "7. Weiß: Dame David eins Felix drei Schach; Weiß steht auf Gewinn\n" in text


# Braille Chess Code (UKAAF 2015) 1.2 to 1.4 and 3.2 to 3.6; the countries' basic Braille.
@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("de", ["⠼⠉⠄ ⠨⠇⠉⠼⠙ ⠨⠎⠋⠼⠋", "⠃⠒ ⠼⠉⠄⠄⠄ ⠓⠼⠋⠠⠢ ⠼⠙⠄ ⠙⠼⠙", "⠼⠛⠄ ⠨⠙⠋⠼⠉⠖ ⠈⠖⠤"]),
        ("en", ["⠒ ⠇⠉⠲ ⠎⠋⠖", "⠃⠒ ⠒ ⠤⠓⠖⠜⠦ ⠲ ⠙⠲", "⠶ ⠟⠘⠋⠒ ⠐⠖⠤"]),
        ("nb", ["⠼⠉⠄ ⠠⠇⠉⠼⠙ ⠠⠎⠋⠼⠋", "⠃⠒ ⠼⠉⠄⠄⠄ ⠓⠼⠋⠰⠢ ⠼⠙⠄ ⠙⠼⠙", "⠼⠛⠄ ⠠⠙⠋⠼⠉⠖ ⠐⠖⠤"]),
        ("sv", ["⠼⠉⠄ ⠠⠇⠉⠼⠙ ⠠⠎⠋⠼⠋", "⠃⠒ ⠼⠉⠄⠄⠄ ⠓⠼⠋⠰⠢ ⠼⠙⠄ ⠙⠼⠙", "⠼⠛⠄ ⠠⠙⠋⠼⠉⠲ ⠲⠤"]),
        ("da", ["⠼⠉⠄ ⠨⠇⠉⠼⠙ ⠨⠎⠋⠼⠋", "⠃⠒ ⠼⠉⠄⠄⠄ ⠓⠼⠋⠰⠢ ⠼⠙⠄ ⠙⠼⠙", "⠼⠛⠄ ⠨⠙⠋⠼⠉⠖ ⠘⠖⠤"]),
    ],
)
def test_each_country_has_its_own_chess_braille(language: str, lines: list[str]) -> None:
    text = book(*games_of(STUDY), language=language).write(RecordFormat.BRAILLE, Paper())
    assert set(lines) <= set(text.splitlines())


def test_labels_are_letters_and_numbers_in_turn() -> None:
    places = [(1,), (2,), (26,), (27,), (1, 3), (2, 1, 4)]
    assert [label(path) for path in places] == ["a", "b", "z", "aa", "a3", "b1d"]


@pytest.mark.parametrize("paper", PAPERS.values(), ids=PAPERS.keys())
def test_pages_of_braille_are_as_large_as_the_paper(paper: Paper) -> None:
    games = [random_study(seed, plies=8) for seed in range(6)]
    text = book(*games).write(RecordFormat.BRF, paper)
    assert text.isascii() and text.endswith("\r\n\f")
    pages = text.removesuffix("\f").split("\f")
    for number, page in enumerate(pages, 1):
        lines = page.removesuffix("\r\n").split("\r\n")
        assert len(lines) <= paper.lines and all(len(line) <= paper.cells for line in lines)
        if number > 1:
            assert read_text(braille.from_brf(lines[0])) == str(number)
            assert lines[0] == lines[0].strip().rjust(paper.cells)


@pytest.mark.parametrize("name", ["28 × 40", "25 × 32"])
def test_the_contents_in_braille_name_the_page_of_each_game(name: str) -> None:
    moves, games = [*games_of(STUDY)[0].mainline_moves()], []
    for number in range(40):
        game = chess.pgn.Game(headers={"White": "Berg, Anna", "Black": "Dahl, Bert"})
        game.add_line(moves[: number % len(moves) + 1])
        games.append(game)
    text = book(*games).write(RecordFormat.BRF, PAPERS[name])
    pages = [
        [read_text(braille.from_brf(line)) for line in page.split("\r\n")]
        for page in text.split("\f")
    ]
    lines = "\n".join(line for page in pages for line in page)
    for number in range(1, 41):
        begins = [
            at
            for at, page in enumerate(pages, 1)
            for line in page
            if line.startswith(f"Partie {number}:")
        ]
        entry = re.search(rf"\n{number}\. Anna(?:.|\n)*?\.\.+ (\d+)\n", lines)
        assert entry is not None and begins == [int(entry[1])]


def test_a_heading_does_not_stand_at_the_end_of_a_page() -> None:
    games = [random_study(seed, plies=6) for seed in range(30)]
    text = book(*games).write(RecordFormat.BRF, PAPERS["25 × 32"])
    for page in text.removesuffix("\f").split("\f"):
        last = read_text(braille.from_brf(page.removesuffix("\r\n").split("\r\n")[-1]))
        assert not last.startswith("Partie ") and last not in ("Züge", "Stellung")


def test_signs_without_cells_are_explained_before_the_contents() -> None:
    game = games_of("1. e4 { 日 } *")[0]
    text = book(game, game).write(RecordFormat.BRF, Paper())
    lines = [read_text(braille.from_brf(line)) for line in text.split("\r\n")]
    at = lines.index("Besondere Zeichen")
    assert lines[at + 1].startswith("日 bedeutet U+65E5 cjk")
    assert at < lines.index("Inhalt")


def test_a_damaged_line_is_named() -> None:
    text = book(*games_of(f"{STUDY}\n{ENDING}")).write(RecordFormat.SHEET, Paper())
    found = read_book(text.replace("7. Df3+", "7. Df9+"))
    assert found is not None
    assert isinstance(found[0], Unread) and isinstance(found[1], StudiedGame)
    assert "Partie 1" in found[0].sentence and "Df9+" in found[0].sentence
    notation = Notation(load("de"))
    for lines in (["Turnier: x"], ["Züge", "a1: 1. e4"], ["x y", "Züge"], ["Züge", "a: 1. e4"]):
        with pytest.raises(LinesError):
            read_lines(lines, notation)


@pytest.mark.parametrize("form", TEXT_FORMS)
@examples(60)
@given(random=st.randoms(use_true_random=False))
def test_a_damaged_book_is_read_as_far_as_it_can_be(form: RecordFormat, random: Random) -> None:
    text = book(*games_of(f"{STUDY}\n{ENDING}")).write(form, PAPERS["25 × 32"])
    for _time in range(random.randint(1, 5)):
        begin = random.randrange(len(text))
        end = min(len(text), begin + random.randrange(40))
        put = random.choice(["", text[begin:end][::-1], "Züge\n", "a9z:", "⠿⠿", "#", "$", "--"])
        text = text[:begin] + put + text[end:]
    for one in read_book(text) or []:
        assert isinstance(one, StudiedGame) or one.sentence.endswith(".")


def test_another_text_is_no_book() -> None:
    assert read_book(STUDY) is None and read_book("") is None and read_book("Züge\n") is None


# --- print


def test_the_printed_page_has_its_size_its_colours_links_and_diagrams() -> None:
    games = games_of(f"{STUDY}\n{ENDING}")
    text = book(*games, yellow=True, diagrams=5).write(RecordFormat.HTML, Paper(points=26))
    assert "font: 26pt/" in text and "background: #ff0" in text and '<html lang="de">' in text
    links = re.findall(r'<a href="#([\w-]+)">', text)
    assert links == re.findall(r'<h2 class="heading" id="([\w-]+)">', text) == ["game-1", "game-2"]
    labels = re.findall(r'role="img" aria-label="([^"]+)"', text)
    assert len(labels) == 2  # after five moves of the first, and at the beginning of the second
    assert labels[1].startswith("Weiß: König Hector zwei. Bauer Anna sieben.")
    assert "background: #fff" in book(*games).write(RecordFormat.HTML, Paper())


def test_the_author_may_ask_for_a_diagram() -> None:
    text = book(*games_of("1. e4 $220 e5 2. Nf3 *")).write(RecordFormat.HTML, Paper())
    assert text.count("<figure>") == 1


@pytest.mark.parametrize("points", [5, 73])
def test_a_size_of_type_that_is_none_is_refused(points: int) -> None:
    with pytest.raises(ValueError, match="6 to 72"):
        book(*games_of(STUDY)).write(RecordFormat.HTML, Paper(points=points))


def test_the_browser_divides_a_book_into_pages_and_fills_in_the_contents(
    browser: Any, tmp_path: Path
) -> None:
    games = [random_study(seed, plies=10) for seed in range(12)]
    games[3].next().comment = "Ein sehr langer Kommentar. " * 400  # type: ignore[union-attr]
    games[3] = games_of(str(games[3]))[0]
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page()
    for points in (16, 26, 32):
        written = tmp_path / f"book-{points}.html"
        text = book(*games, yellow=True, diagrams=5).write(RecordFormat.HTML, Paper(points=points))
        written.write_text(text, encoding="utf-8")
        page.goto(written.as_uri())
        page.wait_for_selector(".sheet")
        sheets = page.evaluate(
            """() => [...document.querySelectorAll(".sheet")].map((sheet) => ({
                headings: [...sheet.querySelectorAll("h2.heading")].map((one) => one.id),
                figures: sheet.querySelectorAll("figure").length,
                over: Math.max(0, ...[...sheet.children].map((one) =>
                    one.getBoundingClientRect().bottom - sheet.getBoundingClientRect().bottom)),
                folio: sheet.querySelector(".folio").textContent,
            }))"""
        )
        assert [one["folio"] for one in sheets] == [str(n) for n in range(1, len(sheets) + 1)]
        assert all(one["figures"] <= 1 for one in sheets)
        assert all(one["over"] <= 0 for one in sheets)
        named = page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("[data-of]")].map(
                (one) => [one.dataset.of, one.textContent]))"""
        )
        begins = {name: str(n) for n, one in enumerate(sheets, 1) for name in one["headings"]}
        assert named == begins and len(named) == 12
        assert Axe().run(page).response["violations"] == []
        # What the browser shows is still the same games.
        assert again("<!DOCTYPE html>" + page.content()) == [str(game) for game in games]
    page.close()


# --- the files


def test_all_kinds_of_files_are_read(tmp_path: Path) -> None:
    kinds = {
        "puzzles.epd": '8/P6k/8/8/8/8/p6K/8 w - - bm a8=Q a8=R; am Kg1; id "Nr. 7";\n',
        "lines.fen": "8/P6k/8/8/8/8/p6K/8 w - - 0 1\n8/P6k/8/8/8/8/p6K/8 b - - 0 1\n",
        "german.pgn": '[White "Groß"]\n\n1. e4 e5 2. Sf3 Sc6 3. Lc4 *\n',
    }
    counts = []
    for name, text in kinds.items():
        path = tmp_path / name
        path.write_bytes(text.encode("cp1252"))
        counts.append(len(read_games(path, lambda sentence: None)))
    assert counts == [1, 2, 1]
    (puzzle,) = read_games(tmp_path / "puzzles.epd", lambda sentence: None)
    assert isinstance(puzzle, StudiedGame)
    assert str(puzzle.pgn).endswith("1. a8=Q ( 1. a8=R ) ( 1. Kg1 $2 ) *")
    journal = recorded(tmp_path / "game.jsonl", WORDS)
    (played,) = read_games(journal, lambda sentence: None)
    assert isinstance(played, StudiedGame)
    assert [move.uci() for move in played.pgn.mainline_moves()] == MOVES


def test_blank_lines_do_not_part_a_game_from_its_tags(tmp_path: Path) -> None:
    path = tmp_path / "loose.pgn"
    path.write_text(
        '[White "A"]\n[Black "B"]\n\n\n\n1. e4 *\n\n\n[White "C"]\n\n\n[White "D"]\n', "utf-8"
    )
    found = read_games(path, lambda sentence: None)
    games = [one.pgn for one in found if isinstance(one, StudiedGame)]
    assert [game.headers["White"] for game in games] == ["A", "C", "D"]
    assert [len([*game.mainline_moves()]) for game in games] == [1, 0, 0]


@pytest.mark.parametrize("before", ["(1. d4 d5)", "{better:} (1. d4 {or} 1... Nf6) $1"])
def test_a_variation_before_the_first_move_is_named_and_not_taken_for_the_game(
    tmp_path: Path, before: str
) -> None:
    path = tmp_path / "games.pgn"
    path.write_text(f'[Event "A"]\n\n{before} 1. e4 e5 *\n\n[Event "B"]\n\n1. c4 *\n', "utf-8")
    first, second = read_games(path, lambda sentence: None)
    assert isinstance(first, Unread) and "before its first move" in first.sentence
    assert isinstance(second, StudiedGame) and second.pgn.headers["Event"] == "B"


def test_words_in_brackets_before_the_first_move_are_no_variation(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[Event "A"]\n\n(notes by X) 1. e4 e5 *\n', "utf-8")
    (game,) = read_games(path, lambda sentence: None)
    assert isinstance(game, StudiedGame)
    assert [move.uci() for move in game.pgn.mainline_moves()] == ["e2e4", "e7e5"]


def test_a_comment_without_its_brace_does_not_take_the_next_game(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    begun = '[Event "A"]\n\n1. e4 e5 (1... c5 {sharp\n\nand old'
    path.write_text(f'{begun}\n\n[Event "B"]\n\n1. c4 {{calm}} *\n', "utf-8")
    first, second = read_games(path, lambda sentence: None)
    assert isinstance(first, StudiedGame) and isinstance(second, StudiedGame)
    assert first.pgn.variations[0].variations[1].comment.split() == ["sharp", "and", "old"]
    assert second.pgn.headers["Event"] == "B" and second.pgn.end().comment == "calm"


@pytest.mark.parametrize("spoilt", ["a1" * 3000 + "a: 1. e4", "1. e4 $" + "9" * 5000])
def test_a_chapter_that_cannot_be_read_is_named_whatever_stands_in_it(spoilt: str) -> None:
    text = book(*games_of(f"1. c4 *\n\n{STUDY}")).write(RecordFormat.SHEET, Paper())
    found = read_book(text.replace("1. c4", spoilt))
    assert found is not None
    unread, whole = found
    assert isinstance(unread, Unread) and "Partie 1" in unread.sentence
    assert isinstance(whole, StudiedGame) and whole.pgn.headers["Result"] == "1-0"


def score(*arguments: str) -> Ran:
    return run("score", *arguments)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.pgn"
    path.write_text(f"{STUDY}\n{ENDING}", encoding="utf-8")
    return path


@pytest.mark.parametrize("form", RecordFormat)
def test_the_command_writes_games_and_reads_what_it_has_written(
    study: Path, tmp_path: Path, form: RecordFormat
) -> None:
    output = tmp_path / f"book.{form}"
    done = score(str(study), "--format", form, "--language", "sv", "--output", str(output))
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.strip() == str(output)
    back = score(str(output))
    assert (back.status, back.stderr) == (0, "")
    assert back.stdout == score(str(study)).stdout
    assert len(games_of(back.stdout)) == 2


def test_what_can_be_read_is_written_and_the_rest_is_named(study: Path) -> None:
    text = study.read_text(encoding="utf-8")
    study.write_text(
        f'{text}\n[White "A"]\n[Black "B"]\n\n1. Ke2 *\n\n'
        f'[White "C"]\n[Black "D"]\n\n1. e4 e5 2. Ke3 Ke7 *\n\n'
        f'[Variant "Atomic"]\n[White "E"]\n[Black "F"]\n\n1. e4 *\n',
        encoding="utf-8",
    )
    done = score(str(study), "--format", "sheet", "--language", "de")
    assert done.status == 2
    written = done.stdout
    assert "Partie 3: A – B" in written and "moves from here: Ke2" in written
    assert "Partie 4: C – D" in written and "moves from here: Ke3, Ke7" in written
    assert "E – F" not in written
    first, second, third = done.stderr.splitlines()
    assert "Game 3" in first and "A against B" in first and "Ke2" in first
    assert "Game 4" in second and "Ke3" in second
    assert "Game 5" in third and "variant" in third


@pytest.mark.parametrize("form", TEXT_FORMS)
def test_games_have_the_numbers_of_their_file_as_for_an_analysis(
    tmp_path: Path, form: RecordFormat
) -> None:
    path = tmp_path / "games.pgn"
    introduction = '[Event "Club: welcome"]\n\n{ Nothing is played here. } *\n'
    atomic = '[Variant "Atomic"]\n[White "E"]\n[Black "F"]\n\n1. e4 *\n'
    path.write_text(f"{introduction}\n{atomic}\n{STUDY}\n{ENDING}", encoding="utf-8")
    found = read_games(path, lambda sentence: None)
    games = {n: one.pgn for n, one in enumerate(found, 1) if isinstance(one, StudiedGame)}
    made = Book.of("x", (games.get(number, Unread("")) for number in range(1, 5)), load("de"))
    assert [one.number for one in made.chapters] == [1, 3, 4]
    assert made.chapters[1].entry(load("de")) == "3. Ayşe Özdemir – Åke Lindqvist, 1-0"
    assert again(made.write(form, PAPERS["28 × 40"])) == [str(game) for game in games.values()]
    analysed = studies(path, StudyKind.ANALYSIS)
    assert [n for n, one in enumerate(analysed, 1) if isinstance(one, StudiedGame)] == [1, 3, 4]
    assert str(games[3]) == str(analysed[2].pgn)  # type: ignore[union-attr]


def test_another_file_is_replaced_only_with_overwrite_and_then_whole(
    study: Path, tmp_path: Path
) -> None:
    output = tmp_path / "letter.txt"
    output.write_text("dear all", encoding="utf-8")
    wanted = (str(study), "--format", "sheet", "--output", str(output))
    done = score(*wanted)
    assert (done.status, done.stdout) == (2, "") and "add --overwrite" in done.stderr
    assert output.read_text("utf-8") == "dear all"
    with failing("write", taken=3):
        assert score(*wanted, "--overwrite").status == 2
    assert in_folder(output) == {"letter.txt": b"dear all", study.name: study.read_bytes()}
    assert score(*wanted, "--overwrite").status == 0
    assert output.read_text("utf-8").startswith("study\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("{}", "--side", "white"), "scoresheets of journals"),
        (("{}", "--header", "Site=Oslo"), "scoresheets of journals"),
        (("{}", "--format", "tape"), "not a BlindPlay journal"),
        (("{}", "--format", "speech"), "--output"),
        (("{}", "--format", "brf", "--cells", "3"), "at least"),
        (("{}", "--format", "html", "--points", "500"), "6 to 72"),
        (("{}", "--language", "xx"), "Unknown language"),
        (("{}", "--output", "no-such-folder/x"), "no folder"),
        (("{}/none",), "no journal"),
        (("{}.txt",), "no game and no position"),
    ],
)
def test_each_mistake_is_one_sentence(study: Path, arguments: tuple[str, ...], said: str) -> None:
    study.with_name("study.pgn.txt").write_text("nothing of chess\n", encoding="utf-8")
    done = score(*(argument.format(study) for argument in arguments))
    assert done.status == 2 and done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert said in line


def test_options_of_books_are_refused_for_a_scoresheet(tmp_path: Path) -> None:
    journal = recorded(tmp_path / "game.jsonl", WORDS)
    done = score(str(journal), "--format", "html", "--diagrams", "5")
    assert done.status == 2 and "leave them out for a journal" in done.stderr
    yellow = score(str(journal), "--format", "html", "--yellow")
    assert yellow.status == 0 and "background: #ff0" in yellow.stdout


def test_kinds_of_lines_are_the_classes_of_the_page() -> None:
    text = book(*games_of(f"{STUDY}\n{ENDING}")).write(RecordFormat.HTML, Paper())
    classes = {name for found in re.findall(r'class="([^"]+)"', text) for name in found.split()}
    assert {kind.value for kind in LineKind} <= classes
