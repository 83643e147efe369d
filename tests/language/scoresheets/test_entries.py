"""Whole sheets, as people type them, are the entries that stand on them."""

from __future__ import annotations

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.roundtrip import positions
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.entries import Doubt, SheetEntry, entries
from blindplay.language.scoresheets.letters import SheetLetters
from blindplay.language.scoresheets.notation import Remark
from blindplay.language.scoresheets.reading import Certainty, letters_of, read
from tests.language.scoresheets.sheets import BRITISH, GERMAN, printed
from tests.sampling import examples

ITALIAN = ["e4", "e5", "Sf3", "Sc6", "Lc4", "Lc5"]


def plies(text: str) -> list[tuple[int, str]]:
    return [(entry.ply, entry.text) for entry in entries(text)]


def game(count: int, seed: int, letters: SheetLetters = GERMAN) -> list[str]:
    """The first moves of a random game from the usual position."""
    board = chess.Board()
    found: list[str] = []
    while len(found) < count:
        moves = sorted(board.legal_moves, key=str)
        if not moves:
            break
        move = moves[(seed * 7 + len(found) * 13) % len(moves)]
        found.append(printed(board, move, letters))
        board.push(move)
    return found


def rows(texts: list[str]) -> list[tuple[int, str, str]]:
    """Number, White's and Black's entry."""
    black = [*texts[1::2], ""]
    return [(n, white, black[n - 1]) for n, white in enumerate(texts[::2], 1)]


LAYOUTS = {
    "numbered lines": lambda texts: "\n".join(f"{n}. {w} {b}" for n, w, b in rows(texts)),
    "running text": lambda texts: " ".join(f"{n}.{w} {b}" for n, w, b in rows(texts)),
    "no full stops": lambda texts: "\n".join(f"{n} {w} {b}" for n, w, b in rows(texts)),
    "tabs": lambda texts: "\n".join(f"{n}\t{w}\t{b}" for n, w, b in rows(texts)),
    "columns": lambda texts: "\n".join(f"| {n} | {w} | {b} |" for n, w, b in rows(texts)),
    "semicolons": lambda texts: "\n".join(f"{n};{w};{b}" for n, w, b in rows(texts)),
    "a ply a line": lambda texts: "\n".join(texts),
    "numbers before each ply": lambda texts: "\n".join(
        f"{i // 2 + 1}. {text}" if i % 2 == 0 else f"{i // 2 + 1}... {text}"
        for i, text in enumerate(texts)
    ),
    "ellipses": lambda texts: "\n".join(
        f"{i // 2 + 1}. {text}" if i % 2 == 0 else f"{i // 2 + 1}. … {text}"
        for i, text in enumerate(texts)
    ),
    "both numbers alike": lambda texts: "\n".join(
        f"{i // 2 + 1}. {text}" for i, text in enumerate(texts)
    ),
    "wide": lambda texts: "\n".join(f"{n:3}. {w:12} {b}" for n, w, b in rows(texts)),
    "dashes": lambda texts: "\n".join(
        f"{n}. {w} – {b}" if b else f"{n}. {w}" for n, w, b in rows(texts)
    ),
    "Black below White": lambda texts: "\n".join(f"{n}. {w}\n   {b}" for n, w, b in rows(texts)),
    "numbers alone": lambda texts: "\n".join(f"{n}.\n{w}\n{b}" for n, w, b in rows(texts)),
    "Windows": lambda texts: "\ufeff" + "\r\n".join(f"{n}. {w} {b}" for n, w, b in rows(texts)),
    "clocks": lambda texts: "\n".join(
        f"{n}. {w} 1:{n:02} {b} (0:{n:02}:30)" for n, w, b in rows(texts)
    ),
    "minutes": lambda texts: "\n".join(
        f"{n}. {w} {n + 40} {b} {n + 50}'" for n, w, b in rows(texts)
    ),
    "headings": lambda texts: (
        "Weiß: Anna Müller\nSchwarz: Bella\n2. Bundesliga, 3. Runde\n21.11.2026\n\n"
        + "\n".join(f"{n}. {w} {b}" for n, w, b in rows(texts))
        + "\n1-0\nSchwarz gibt auf"
    ),
    "PGN": lambda texts: (
        '[Event "?"]\n[White "Anna, A."]\n\n'
        + " ".join(f"{n}. {w} {{[%clk 1:00:00]}} {b} $1" for n, w, b in rows(texts))
        + " 1/2-1/2"
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("count", [1, 2, 21, 40])
def test_entries_are_found_in_every_layout(layout: str, count: int) -> None:
    for seed in range(5):
        texts = game(count, seed)
        assert plies(LAYOUTS[layout](texts)) == list(enumerate(texts, 1))


def test_two_blocks_of_numbers_stand_side_by_side() -> None:
    texts = game(80, 3)
    left, right = rows(texts)[:20], rows(texts)[20:]
    lines = [
        f"{n}. {w} {b}\t{m}. {v} {c}" for (n, w, b), (m, v, c) in zip(left, right, strict=True)
    ]
    found = entries("\n".join(lines))
    assert [(entry.ply, entry.text) for entry in found] == list(enumerate(texts, 1))
    assert not any(entry.doubts for entry in found)


@pytest.mark.parametrize("language", ["de", "nb", "en"])
@pytest.mark.parametrize("brf", [False, True])
def test_braille_sheet_is_read_move_for_move(language: str, brf: bool) -> None:
    texts = game(60, 2)
    sheet = braille.write("\n".join(f"{n}. {w} {b}" for n, w, b in rows(texts)), language)
    found = entries(braille.to_brf(sheet) if brf else sheet, brf=brf)
    assert [entry.ply for entry in found] == list(range(1, len(texts) + 1))
    assert [braille.read(entry.text) for entry in found] == texts
    assert all(braille.is_braille(entry.text) for entry in found)


def test_numbers_of_braille_pages_are_no_numbers_of_moves() -> None:
    texts = game(80, 1)
    lines = [f"{n}. {w} {b}" for n, w, b in rows(texts)]
    for page in (3, 2, 1):
        lines.insert(page * 10, f"{page + 1:>40}")
    found = entries(braille.to_brf(braille.write("\r\n".join(lines))), brf=True)
    assert [(entry.ply, braille.read(entry.text)) for entry in found] == list(enumerate(texts, 1))
    assert not any(entry.doubts for entry in found)


def test_british_braille_sheet_is_read_to_the_end() -> None:
    board = chess.Board()
    lines = []
    moves = []
    for number in range(1, 21):
        line = [braille.write(str(number))[1:].translate(LOWERED)]
        for _ in range(2):
            move = sorted(board.legal_moves, key=str)[number % 5]
            line.append(braille.write_british(board.san(move)))
            moves.append(move)
            board.push(move)
        lines.append(" ".join(line))
    found = entries(braille.to_brf("\n".join(lines)), brf=True)
    assert letters_of(entry.text for entry in found).braille
    board = chess.Board()
    for entry, move in zip(found, moves, strict=True):
        reading = read(entry.text, board, BRITISH)
        assert (reading.certainty, reading.moves) == (Certainty.SURE, (move,))
        board.push(move)


LOWERED = str.maketrans("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚", "⠂⠆⠒⠲⠢⠖⠶⠦⠔⠴")


def test_words_are_put_together_to_plies() -> None:
    text = (
        "1. Bauer Eva zwei Eva vier Bauer Eva sieben Eva fünf\n"
        "2. Springer Gustav eins Felix drei Springer c6\n3. Läufer Cäsar vier"
    )
    assert plies(text) == [
        (1, "Bauer Eva zwei Eva vier"),
        (2, "Bauer Eva sieben Eva fünf"),
        (3, "Springer Gustav eins Felix drei"),
        (4, "Springer c6"),
        (5, "Läufer Cäsar vier"),
    ]


@pytest.mark.parametrize("text", ["e2 e4\ne7 e5\ng1 f3", "1. e2 e4 e7 e5\n2. g1 f3"])
def test_squares_alone_are_put_together_to_plies(text: str) -> None:
    assert plies(text) == [(1, "e2 e4"), (2, "e7 e5"), (3, "g1 f3")]


def test_squares_with_a_dash_between_them_are_a_ply() -> None:
    text = "1. e2 - e4 e7 - e5\n2. g1 – f3"
    assert plies(text) == [(1, "e2 - e4"), (2, "e7 - e5"), (3, "g1 – f3")]


def test_parts_of_a_move_that_stand_apart_stay_with_it() -> None:
    text = "1. e4 e5 2. f4 ex f4 3. Sf3 + g5 ?! 4. d4 (=) d5 5. e5 f5 6. exf6 e.p. Sf6 !"
    assert [entry for _, entry in plies(text)] == [
        *("e4", "e5", "f4", "ex f4", "Sf3 +", "g5 ?!", "d4 (=)", "d5", "e5", "f5"),
        *("exf6 e.p.", "Sf6 !"),
    ]


# ------------------------------------------------------------ gaps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1. e4 e5\n2. - Sc6", [(1, "e4"), (2, "e5"), (3, "-"), (4, "Sc6")]),
        ("1. e4 ?\n2. Sf3 Sc6", [(1, "e4"), (2, "?"), (3, "Sf3"), (4, "Sc6")]),
        ("1. e4\n2. Sf3 Sc6", [(1, "e4"), (3, "Sf3"), (4, "Sc6")]),
        ("1. … e5\n2. Sf3", [(2, "e5"), (3, "Sf3")]),
        ("1... e5\n2. Sf3", [(2, "e5"), (3, "Sf3")]),
        ("1\t\te5\n2\tSf3\t", [(2, "e5"), (3, "Sf3")]),
        ("1. e4 e5\n2.\n3. Lc4 Lc5", [(1, "e4"), (2, "e5"), (5, "Lc4"), (6, "Lc5")]),
        (
            "1. e4      e5\n2.         Sc6\n3. Lc4     Lc5",
            [(1, "e4"), (2, "e5"), (4, "Sc6"), (5, "Lc4"), (6, "Lc5")],
        ),
        ("23. Sf3 Sc6", [(45, "Sf3"), (46, "Sc6")]),
    ],
)
def test_gap_moves_nothing_to_another_ply(text: str, expected: list[tuple[int, str]]) -> None:
    assert plies(text) == expected
    assert not any(entry.doubts for entry in entries(text))


def test_illegible_entry_stays_in_its_place() -> None:
    assert plies("1. e4 xq#\n2. krz Sc6\n3. Lc4 Lc5") == [
        (1, "e4"),
        (2, "xq#"),
        (3, "krz"),
        (4, "Sc6"),
        (5, "Lc4"),
        (6, "Lc5"),
    ]


def test_letters_of_any_country_are_entries_of_their_own() -> None:
    for knight in ("P", "R", "\u041a"):
        texts = ["e4", "e5", f"{knight}f3", f"{knight}c6"]
        assert plies(f"1. e4 e5\n2. {knight}f3 {knight}c6") == list(enumerate(texts, 1))


def test_comments_are_no_entries() -> None:
    text = (
        "1. e4 e5 gut gespielt\nZeitnot!\n2. Sf3 {oder f4} Sc6 (Sf6 3. Sxe5)\n3. Lc4 (0:12) Lc5\n*"
    )
    assert plies(text) == list(enumerate(ITALIAN, 1))


# ------------------------------------------------------------ numbers


def test_number_that_skips_is_followed_and_told() -> None:
    found = entries("1. e4 e5\n2. Sf3 Sc6\n4. Lc4 Lc5\n5. d3")
    assert [(entry.ply, entry.text) for entry in found] == [
        *enumerate(ITALIAN[:4], 1),
        *((7, "Lc4"), (8, "Lc5"), (9, "d3")),
    ]
    assert [entry.ply for entry in found if entry.doubts] == [7]
    assert found[4].doubts == (Doubt.NUMBER_SKIPPED,)


def test_number_that_is_used_twice_is_counted_on_and_told() -> None:
    found = entries("1. e4 e5\n2. Sf3 Sc6\n2. Lc4 Lc5\n3. d3 d6\n4. 0-0")
    assert [entry.ply for entry in found] == list(range(1, 10))
    assert [(entry.ply, *entry.doubts) for entry in found if entry.doubts] == [
        (5, Doubt.NUMBER_REPEATED)
    ]


def test_numbers_that_are_right_again_are_believed() -> None:
    found = entries("1. e4 e5\n2. Sf3 Sc6\n2. Lc4 Lc5\n4. d3 d6\n5. 0-0")
    assert [entry.ply for entry in found] == list(range(1, 10))
    assert [entry.ply for entry in found if entry.doubts] == [5]


def test_number_that_was_forgotten_moves_the_later_ones() -> None:
    found = entries("1. e4 e5 Sf3 Sc6\n2. Lc4 Lc5")
    assert [(entry.ply, entry.text) for entry in found] == list(enumerate(ITALIAN, 1))
    assert [entry.ply for entry in found if entry.doubts] == [5]


# ------------------------------------------------------------ struck through, and 7.5


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5\n2. ~~Sc3~~ Sf3 Sc6",
        "1. e4 e5\n2. S\u0336c\u03363\u0336 Sf3 Sc6",
        "1. e4 e5\n2. Sf3 (gestrichen: Sc3) Sc6",
        "1. e4 e5\n2. Sf3(struck: Sc3) Sc6",
        "1. e4 … e5\n2. Sf3 … Sc6\nstruck through, ply 3: Sc3",
        "1\te4\te5\n2\t~~Sc3~~ Sf3\tSc6",
    ],
)
def test_struck_entry_is_kept_with_the_one_that_stands(text: str) -> None:
    assert entries(text) == [
        SheetEntry(1, "e4"),
        SheetEntry(2, "e5"),
        SheetEntry(3, "Sf3", ("Sc3",)),
        SheetEntry(4, "Sc6"),
    ]


def test_our_own_sheet_is_read_as_it_was() -> None:
    text = "1. e4 … e5\n2. (nichts notiert) (durchgestrichen: Sf3) … Sc6\n3. Lc4 … (nichts notiert)"
    assert entries(text) == [
        SheetEntry(1, "e4"),
        SheetEntry(2, "e5"),
        SheetEntry(3, "(nichts notiert)", ("Sf3",)),
        SheetEntry(4, "Sc6"),
        SheetEntry(5, "Lc4"),
        SheetEntry(6, "(nichts notiert)"),
    ]
    assert read("(nichts notiert)", chess.Board()).certainty is Certainty.MISSING


def test_moves_taken_back_are_struck_and_written_anew() -> None:
    text = "1. e4 e5\n2. ~~Sc3~~ ~~Sc6~~\n3. ~~f4~~\n2. Sf3 Sf6"
    assert entries(text) == [
        SheetEntry(1, "e4"),
        SheetEntry(2, "e5"),
        SheetEntry(3, "Sf3", ("Sc3",)),
        SheetEntry(4, "Sf6", ("Sc6",)),
        SheetEntry(5, "", ("f4",)),
    ]


# ------------------------------------------------------------ real-looking sheets

CLUB = """
  Partieformular   SC Turm 1921
  Weiß: Jörg Ahrens      Schwarz: M. Lindqvist
  3. Runde, Brett 4      Datum: 14.3.

   1. e4        e5
   2. Sf3       Sc6
   3. Lc4       Lc5      0:05 / 0:04
   4. c3        Sf6
   5. d4        ed
   6. cd        Lb4+
   7. Sc3       Sxe4
   8. 0-0       LxS
   9. d5        ~~Se5~~ Lf6
  10. Te1       Se7
  11. TxS       d6
  12. Lg5       L:g5
  13. Sg5:      0-0
  14. Sxh7      K:h7
  15. Dh5 +     Kg8
  16. Teh4      f6   ?
"""


def test_sheet_of_a_club_player_is_read_to_the_end() -> None:
    found = entries(CLUB)
    assert [entry.ply for entry in found] == list(range(1, 34))[: len(found)]
    assert len(found) >= 32
    letters = letters_of(entry.text for entry in found)
    assert letters.written == {"D", "K", "L", "S", "T"}
    board = chess.Board()
    sure = 0
    for entry in found[:32]:
        reading = read(entry.text, board, letters)
        assert reading.move is not None, (entry, reading, board.fen())
        sure += reading.certainty is Certainty.SURE
        board.push(reading.move)
    assert found[17] == SheetEntry(18, "Lf6", ("Se5",))
    assert sure >= 26


CLUB_IN_FRANCE = """
1. e4 e5  2. Cf3 Cc6  3. Fb5 a6  4. Fxc6 dxc6  5. O-O Fg4  6. h3 h5  7. hxg4 hxg4
8. Ch2 Dh4  9. f3 Dg3  10. fxg4 Dh2+  11. Rf2 Fc5+  12. Re2 Dxg2+ 13. Re1 Dxe4+
"""


def test_french_king_is_no_english_rook() -> None:
    found = entries(CLUB_IN_FRANCE)
    letters = letters_of(entry.text for entry in found)
    board = chess.Board()
    for entry in found:
        reading = read(entry.text, board, letters)
        if entry.ply == 20:
            # The queen takes a knight on h2, and no sign says so.
            assert (reading.certainty, reading.remarks) == (
                Certainty.LIKELY,
                (Remark.CAPTURE_UNMARKED,),
            )
        assert reading.move is not None, (entry, reading, board.fen())
        board.push(reading.move)


# ------------------------------------------------------------ any text


@given(st.text(max_size=200))
@examples(300)
def test_no_text_raises_and_plies_are_in_order(text: str) -> None:
    for brf in (False, True):
        found = entries(text, brf=brf)
        numbers = [entry.ply for entry in found]
        assert numbers == sorted(set(numbers))
        assert all(entry.ply > 0 and (entry.text or entry.struck) for entry in found)


WORDS = [
    "1.",
    "2.",
    "2...",
    "3",
    "7.",
    "e4",
    "Sf3",
    "-",
    "?",
    "xq",
    "0:12",
    "~~e5~~",
    "(=)",
    "\n",
    "\t",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25))
@examples(300)
def test_nothing_that_can_be_read_is_lost(words: list[str]) -> None:
    found = entries(" ".join(["1. d4", *words]))
    texts = " ".join(entry.text for entry in found).split()
    for move in ("e4", "Sf3"):
        assert texts.count(move) == words.count(move)
    struck = [text for entry in found for text in entry.struck]
    assert len(struck) <= words.count("~~e5~~")


@pytest.mark.parametrize("text", ["", "\n\n", "(empty)", "1.", "Keine Partie."])
def test_sheet_without_entries_is_empty(text: str) -> None:
    assert entries(text) == []


@pytest.mark.parametrize(
    "unit", ["e4 ", "1. ", "++", "(", "~~", "schachmatt", "⠼", "0-0", "e.p.", "1. e4  "]
)
def test_no_text_takes_long(unit: str) -> None:
    # Without a limit some of these would take minutes, and with a careless pattern for ever.
    entries(unit * 400)


def test_positions_of_the_sheets_are_real_games() -> None:
    assert len(game(40, 1)) == 40
    assert next(positions(1, 0)).fen()
