"""An entry of a scoresheet is taken for what it says, for no more, and never silently."""

from __future__ import annotations

import re

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.roundtrip import positions
from blindplay.language import load
from blindplay.language.scoresheets import braille
from blindplay.language.scoresheets.letters import ANY_LETTERS, SheetLetters
from blindplay.language.scoresheets.notation import Remark
from blindplay.language.scoresheets.reading import (
    Certainty,
    EntryReading,
    learned,
    letters_of,
    read,
)
from tests.language.scoresheets.sheets import (
    BRITISH,
    ENGLISH,
    FRENCH,
    GERMAN,
    LETTERS,
    braille_forms,
    exact_forms,
    of_language,
    printed,
    spoken_forms,
)
from tests.sampling import examples

SURE, LIKELY, AMBIGUOUS = Certainty.SURE, Certainty.LIKELY, Certainty.AMBIGUOUS
ILLEGAL, UNREADABLE, MISSING = Certainty.ILLEGAL, Certainty.UNREADABLE, Certainty.MISSING
START = chess.Board()
BOARDS = [board.copy(stack=False) for board in positions(900, 23)][::10]


def ucis(
    text: str, board: chess.Board, letters: SheetLetters = ANY_LETTERS
) -> tuple[Certainty, list[str]]:
    found = read(text, board, letters)
    return found.certainty, [move.uci() for move in found.moves]


# ------------------------------------------------------------ every move in every form


@pytest.mark.parametrize("letters", LETTERS)
def test_move_written_in_full_is_sure_on_a_sheet_of_its_country(letters: SheetLetters) -> None:
    for board in BOARDS:
        for move in board.legal_moves:
            for text in exact_forms(board, move, letters):
                found = read(text, board, letters)
                assert (found.certainty, found.moves) == (SURE, (move,)), (board.fen(), text)


@pytest.mark.parametrize("letters", LETTERS)
def test_move_of_an_unknown_country_is_never_taken_for_another(letters: SheetLetters) -> None:
    for board in BOARDS[::3]:
        for move in board.legal_moves:
            for text in exact_forms(board, move, letters):
                found = read(text, board)
                assert move in found.moves, (board.fen(), text)
                assert found.certainty in (SURE, LIKELY, AMBIGUOUS)


def test_move_in_words_of_any_language_is_sure() -> None:
    for board in BOARDS[::6]:
        for move in board.legal_moves:
            for text in spoken_forms(board, move):
                assert read(text, board).move == move, (board.fen(), text)


@pytest.mark.parametrize("letters", [GERMAN, ENGLISH])
def test_move_in_braille_with_capital_signs_is_sure(letters: SheetLetters) -> None:
    for board in BOARDS[::3]:
        for move in board.legal_moves:
            for text in braille_forms(board, move, letters):
                found = read(text, board, letters)
                assert (found.certainty, found.moves) == (SURE, (move,)), (board.fen(), text)


def test_move_in_the_british_braille_code_is_sure() -> None:
    for board in BOARDS:
        for move in board.legal_moves:
            text = braille.write_british(board.copy(stack=False).san(move))
            found = read(text, board, BRITISH)
            assert (found.certainty, found.moves) == (SURE, (move,)), (board.fen(), text)


@pytest.mark.parametrize("letters", LETTERS)
def test_capture_without_its_sign_is_the_move_but_not_surely(letters: SheetLetters) -> None:
    for board in BOARDS[::2]:
        for move in board.legal_moves:
            text = printed(board, move, letters)
            if "x" not in text or board.piece_type_at(move.from_square) == chess.PAWN:
                continue
            found = read(text.replace("x", ""), board, letters)
            assert (found.certainty, found.moves) == (LIKELY, (move,))
            assert found.remarks == (Remark.CAPTURE_UNMARKED,)


def test_files_of_a_pawn_capture_name_it_as_far_as_they_can() -> None:
    seen = 0
    for board in BOARDS:
        captures = [
            move
            for move in board.legal_moves
            if board.piece_type_at(move.from_square) == chess.PAWN and board.is_capture(move)
        ]
        for move in captures:
            files = (move.from_square & 7, move.to_square & 7)
            same = [m for m in captures if (m.from_square & 7, m.to_square & 7) == files]
            text = "abcdefgh"[files[0]] + "abcdefgh"[files[1]]
            found = read(text, board, GERMAN)
            assert sorted(found.moves, key=str) == sorted(same, key=str)
            assert found.certainty is (LIKELY if len(same) == 1 else AMBIGUOUS)
            assert Remark.RANK_OMITTED in found.remarks
            seen += 1
    assert seen > 30


# ------------------------------------------------------------ what is never sure

SHORT = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "", "", "K", "D", "T", "L", "S"]),
        st.sampled_from(["", "", "", *"abcdefgh", *"12345678"]),
        st.sampled_from(["", "x"]),
        st.sampled_from(list(chess.SQUARE_NAMES)),
        st.sampled_from(["", "", "", "D", "S"]),
        st.sampled_from(["", "", "+", "#"]),
    ),
)


def stands_for(text: str, board: chess.Board, move: chess.Move) -> bool:
    """Whether ``text`` is one of the full forms of the move, but for the signs behind it.

    Where the Laws prefer the file to tell two pieces apart, the rank may tell them as well.
    """
    bare = re.sub(r"[\s+#=!?]", "", text)
    forms = {re.sub(r"[\s+#=!?]", "", form) for form in exact_forms(board, move, GERMAN)}
    return bare in forms or without_origin(bare) in map(without_origin, forms)


def without_origin(text: str) -> str:
    """A piece's move without the file or rank it comes from."""
    return re.sub(r"^([KDTLS])[a-h1-8](?=[x:]?[a-h])", r"\1", text)


@given(st.sampled_from(BOARDS), SHORT)
@examples(400)
def test_what_is_sure_is_written_as_the_laws_write_it(board: chess.Board, text: str) -> None:
    found = read(text, board, GERMAN)
    if found.certainty is not SURE:
        return
    right = printed(board, found.moves[0], GERMAN)
    assert stands_for(text, board, found.moves[0])
    if text.endswith(("+", "#")):
        assert right.endswith(("+", "#"))
    if text.endswith("#"):
        assert right.endswith("#")


def mutations(text: str) -> st.SearchStrategy[str]:
    """``text`` with one sign gone, doubled, or another."""
    places = st.integers(0, len(text) - 1)
    return st.one_of(
        places.map(lambda i: text[:i] + text[i + 1 :]),
        places.map(lambda i: text[: i + 1] + text[i:]),
        st.tuples(places, st.sampled_from("abcdefgh12345678KDTLSx+#=")).map(
            lambda change: text[: change[0]] + change[1] + text[change[0] + 1 :]
        ),
    )


@given(st.data())
@examples(400)
def test_slip_of_the_pen_is_no_sure_move_that_is_written_otherwise(
    data: st.DataObject,
) -> None:
    board = data.draw(st.sampled_from(BOARDS))
    moves = sorted(board.legal_moves, key=str)
    text = printed(board, data.draw(st.sampled_from(moves)), GERMAN)
    wrong = data.draw(mutations(text))
    found = read(wrong, board, GERMAN)
    assert found.text == wrong
    if found.certainty is SURE:
        (move,) = found.moves
        assert stands_for(wrong, board, move)


@given(st.sampled_from(BOARDS[:20]), st.text(max_size=20))
@examples(300)
def test_no_text_raises_and_every_text_stays_as_it_is(board: chess.Board, text: str) -> None:
    found = read(text, board)
    assert found.text == text
    assert (found.move is not None) == (found.certainty in (SURE, LIKELY))
    assert (found.certainty is AMBIGUOUS) <= (len(found.moves) > 1)
    if found.certainty in (SURE, LIKELY, AMBIGUOUS):
        assert all(board.is_legal(move) for move in found.moves)
    else:
        assert not any(board.is_legal(move) for move in found.moves)
    assert not (found.certainty is SURE and found.remarks)


# ------------------------------------------------------------ the laws' examples

# fide-2023 C.10.1 to C.10.3 and fide-1997 E.9: knights that both reach f3.
ON_RANK = chess.Board("4k3/8/8/8/8/8/8/K3N1N1 w - - 0 1")
ON_FILE = chess.Board("4k3/8/8/6N1/8/8/8/K5N1 w - - 0 1")
APART = chess.Board("4k3/8/8/8/3N4/8/7N/K7 w - - 0 1")


@pytest.mark.parametrize(
    ("board", "text", "move"),
    [
        (ON_RANK, "Sgf3", "g1f3"),
        (ON_RANK, "Sef3", "e1f3"),
        (ON_FILE, "S5f3", "g5f3"),
        (ON_FILE, "S1f3", "g1f3"),
        (APART, "Shf3", "h2f3"),
        (APART, "Sdf3", "d4f3"),
    ],
)
def test_two_pieces_are_told_apart_as_the_laws_say(
    board: chess.Board, text: str, move: str
) -> None:
    assert ucis(text, board, GERMAN) == (SURE, [move])


@pytest.mark.parametrize("board", [ON_RANK, ON_FILE, APART])
def test_piece_that_is_not_told_apart_is_ambiguous(board: chess.Board) -> None:
    found = read("Sf3", board, GERMAN)
    assert (found.certainty, len(found.moves)) == (AMBIGUOUS, 2)
    assert found.remarks == (Remark.ORIGIN_OMITTED,)


# fide-1997 E.8 prints the pawns' captures with a space.
@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("4k3/8/8/4p3/3P4/8/8/4K3 w - - 0 1", "dx e5", "d4e5"),
        ("4k3/8/8/8/8/5n2/6P1/4K3 w - - 0 1", "gx f3", "g2f3"),
        ("4k3/8/8/1p6/P7/8/8/4K3 w - - 0 1", "ax b5", "a4b5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
        ("4k3/3P4/8/8/8/8/8/4K3 w - - 0 1", "d8D", "d7d8q"),
        ("k7/5P2/8/8/8/8/8/4K3 w - - 0 1", "f8S", "f7f8n"),
        ("4k3/8/8/8/8/8/1p6/4K3 b - - 0 1", "b1L", "b2b1b"),
        ("4k3/8/8/8/8/8/6p1/4K3 b - - 0 1", "g1T", "g2g1r"),
    ],
)
def test_examples_of_the_laws_are_sure(fen: str, text: str, move: str) -> None:
    assert ucis(text, chess.Board(fen), GERMAN) == (SURE, [move])


# The sample games of fide-1997 E.12 and fide-2023 C.13, which is printed twice: with all signs,
# and without those that are optional.
GAME_1997 = (
    "d4 Sf6 c4 e6 Sc3 Lb4 Ld2 0-0 e4 d5 exd5 exd5 cxd5 Lxc3 Lxc3 Sxd5 Sf3 b6 Db3 Sxc3 bxc3 c5 "
    "Le2 cxd4 Sxd4 Te8 0-0 Sd7 a4 Sc5 Db4 Lb7 a5(=)"
)
GAME_2023 = (
    "e4 e5|Sf3 Sf6|d4 exd4|e5 Se4|Dxd4 d5|exd6 e.p. Sxd6|Lg5 Sc6|De3+ Le7|Sbd2 0-0|0-0-0 Te8|Kb1(=)"
)
BARE_2023 = "e4 e5|Sf3 Sf6|d4 ed4|e5 Se4|Dd4 d5|ed6 Sd6|Lg5 Sc6|De3 Le7|Sbd2 0-0|0-0-0 Te8|Kb1(=)"


def played(texts: list[str]) -> tuple[list[EntryReading], str]:
    board = chess.Board()
    found = []
    letters = letters_of(texts)
    for text in texts:
        found.append(read(text, board, letters))
        move = found[-1].move
        assert move is not None, (text, found[-1])
        board.push(move)
    return found, board.fen()


def test_sample_game_of_1997_is_sure_from_first_to_last() -> None:
    found, _ = played(GAME_1997.split())
    assert {one.certainty for one in found} == {SURE}


def test_sample_game_of_2023_is_the_same_with_its_signs_and_without() -> None:
    full = re.split(r"[ |](?!e\.p\.)", GAME_2023)
    bare = re.split(r"[ |]", BARE_2023)
    with_signs, end = played(full)
    without, same_end = played(bare)
    assert {one.certainty for one in with_signs} == {SURE}
    assert end == same_end
    assert [one.text for one in without if one.certainty is LIKELY] == ["Dd4", "Sd6"]


# ------------------------------------------------------------ oddities, one by one

FORK = chess.Board("4k3/8/8/8/5r2/8/6K1/5R2 w - - 0 1")
RICH = chess.Board("1n2k3/P7/8/3pP3/8/5N2/8/RN2K2R w KQ d6 0 1")


@pytest.mark.parametrize(
    ("board", "text", "move", "remarks"),
    [
        (FORK, "Tf4", "f1f4", {Remark.CAPTURE_UNMARKED}),
        (START, "Sxf3", "g1f3", {Remark.CAPTURE_FALSE}),
        (START, "Sf3+", "g1f3", {Remark.CHECK_FALSE}),
        (START, "Sf3 matt", "g1f3", {Remark.CHECK_FALSE}),
        (START, "Sgf3", "g1f3", {Remark.ORIGIN_UNNEEDED}),
        (START, "ee4", "e2e4", {Remark.ORIGIN_UNNEEDED}),
        (START, "SF3", "g1f3", {Remark.CAPITAL_SQUARE}),
        (START, "E4", "e2e4", {Remark.CAPITAL_SQUARE}),
        (START, "E2-E4", "e2e4", {Remark.CAPITAL_SQUARE}),
        (START, "sf3", "g1f3", {Remark.SMALL_LETTER}),
        (RICH, "Kg1", "e1g1", {Remark.CASTLING_AS_KING_MOVE}),
        (RICH, "Ke1-g1", "e1g1", {Remark.CASTLING_AS_KING_MOVE}),
        (RICH, "Rochade", "e1g1", {Remark.SIDE_OMITTED}),
        (RICH, "exd", "e5d6", {Remark.RANK_OMITTED}),
        (RICH, "ed:", "e5d6", {Remark.RANK_OMITTED}),
        (RICH, "d6", "e5d6", {Remark.ORIGIN_OMITTED, Remark.CAPTURE_UNMARKED}),
        (RICH, "xd6", "e5d6", {Remark.ORIGIN_OMITTED}),
        (RICH, "d6:", "e5d6", {Remark.ORIGIN_OMITTED}),
        (RICH, "axb8D e.p.", "a7b8q", {Remark.EN_PASSANT_FALSE}),
        (RICH, "axLb8D", "a7b8q", {Remark.CAPTURED_OTHER}),
        (RICH, "exB", "e5d6", {Remark.SQUARE_OMITTED, Remark.PAWN_LETTER}),
        (RICH, "e6 nein e5xd6", "e5d6", {Remark.CORRECTED}),
    ],
)
def test_oddity_leaves_a_likely_move_and_is_told(
    board: chess.Board, text: str, move: str, remarks: set[Remark]
) -> None:
    found = read(text, board, GERMAN)
    assert (found.certainty, [m.uci() for m in found.moves]) == (LIKELY, [move])
    assert set(found.remarks) == remarks


def test_rook_to_f4_is_no_sure_capture_as_python_chess_takes_it() -> None:
    assert FORK.parse_san("Rf4") == FORK.parse_san("Rxf4")
    assert read("Rf4", FORK, ENGLISH).certainty is LIKELY
    assert read("Rxf4", FORK, ENGLISH).certainty is SURE


def test_pieces_of_a_capture_are_enough_where_one_legal_capture_fits() -> None:
    board = chess.Board("4k3/8/2n5/8/8/3B4/8/1R2K3 w - - 0 1")
    assert ucis("LxS", board, GERMAN)[0] is ILLEGAL
    board = chess.Board("4k3/8/8/8/4n3/3B4/8/1R2K3 w - - 0 1")
    found = read("LxS", board, GERMAN)
    assert (found.certainty, found.remarks) == (LIKELY, (Remark.SQUARE_OMITTED,))


@pytest.mark.parametrize("text", ["a8", "a8=", "a8+", "axb8", "ab", "axS"])
def test_promotion_without_its_piece_is_never_a_queen(text: str) -> None:
    found = read(text, RICH, GERMAN)
    assert found.certainty is AMBIGUOUS
    assert {move.promotion for move in found.moves} == {2, 3, 4, 5}
    assert Remark.PROMOTION_MISSING in found.remarks


def test_mate_in_the_sign_of_1997_may_also_be_double_check() -> None:
    double = chess.Board("4k3/8/8/8/8/8/4B3/4R1K1 w - - 0 1")
    assert read("Lb5++", double, GERMAN).certainty is SURE
    assert read("Lb5#", double, GERMAN).remarks == (Remark.CHECK_FALSE,)
    single = chess.Board("4k3/8/8/8/8/8/8/R5K1 w - - 0 1")
    assert read("Ta8+", single, GERMAN).certainty is SURE
    assert read("Ta8++", single, GERMAN).remarks == (Remark.CHECK_FALSE,)


def test_sign_of_check_alone_tells_two_pieces_apart_but_not_surely() -> None:
    # Knights on c3 and g3 reach e4; only from there does neither check: so on d5 and f5.
    board = chess.Board("8/8/5k2/8/8/2N3N1/8/4K3 w - - 0 1")
    assert board.gives_check(chess.Move.from_uci("c3e4")) == board.gives_check(
        chess.Move.from_uci("g3e4")
    )
    assert read("Se4+", board, GERMAN).certainty is AMBIGUOUS
    # A discovered check by one of them only.
    board = chess.Board("6k1/8/8/8/8/2N3N1/8/4K1R1 w - - 0 1")
    found = read("Se4+", board, GERMAN)
    assert (found.certainty, [m.uci() for m in found.moves]) == (LIKELY, ["g3e4"])
    assert found.remarks == (Remark.ORIGIN_OMITTED,)


# ------------------------------------------------------------ countries


def test_letter_of_two_countries_is_ambiguous_unless_the_sheet_decides() -> None:
    board = chess.Board("4k3/8/8/8/8/8/6K1/5R2 w - - 0 1")
    found = read("Rf3", board)
    assert {move.uci() for move in found.moves} == {"f1f3", "g2f3"}
    assert (found.certainty, found.remarks) == (AMBIGUOUS, (Remark.LETTER_OPEN,))
    assert ucis("Rf3", board, ENGLISH) == (SURE, ["f1f3"])
    assert ucis("Rf3", board, FRENCH) == (SURE, ["g2f3"])


def test_letter_of_two_countries_is_not_sure_though_one_move_only_is_legal() -> None:
    found = read("Rxf4", FORK)
    assert (found.certainty, found.remarks) == (LIKELY, (Remark.LETTER_OPEN,))


def test_letter_that_the_sheet_knows_is_not_taken_for_another_country() -> None:
    # On a French sheet R is the king, who cannot go to f4: it is not read as an English rook.
    assert ucis("Rf4", FORK, FRENCH)[0] is ILLEGAL


def test_letter_of_another_country_is_read_on_a_sheet_and_told() -> None:
    found = read("Nf3", START, GERMAN)
    assert (found.certainty, found.remarks) == (LIKELY, (Remark.LETTER_OPEN,))
    assert [move.uci() for move in found.moves] == ["g1f3"]


@pytest.mark.parametrize("knight", ["P", "R", "J", "H", "M", "\u041a", "\u0399"])
def test_letter_of_a_knight_in_any_country_is_no_pawn(knight: str) -> None:
    """Dutch, Finnish, Czech, Hungarian, Vietnamese, Russian and Greek."""
    sheet = ["e4", "e5", f"{knight}f3", f"{knight}c6"]
    assert ucis(f"{knight}f3", START, letters_of(sheet))[1] == ["g1f3"]


def test_letter_for_a_pawn_is_read_and_told() -> None:
    found = read("Be4", START, GERMAN)
    assert (found.certainty, found.remarks) == (LIKELY, (Remark.PAWN_LETTER,))
    bishop = chess.Board("4k3/8/8/8/8/3B4/4P3/4K3 w - - 0 1")
    assert ucis("Be4", bishop, ENGLISH) == (SURE, ["d3e4"])


def test_letter_for_a_pawn_is_not_expected_where_other_pawns_have_none() -> None:
    """Who writes e4 and e5 means a knight by Pf3, as in the Netherlands."""
    sheet = letters_of(["e4", "e5", "Pf3", "Pc6", "Lb5", "a6"])
    assert ucis("Pf3", START, sheet)[1] == ["g1f3"]
    assert ucis("Pe3", START, sheet)[0] in (UNREADABLE, ILLEGAL)


def test_letters_of_the_players_language_count_first_and_then_all() -> None:
    assert ucis("Nf3", START, letters_of(["Nf3"], "de"))[1] == ["g1f3"]
    board = chess.Board("4k3/8/8/8/8/8/6K1/5R2 w - - 0 1")
    assert ucis("Rf3", board, letters_of(["Rf3"], "en-GB")) == (SURE, ["f1f3"])
    assert ucis("Rf3", board, letters_of(["Rf3"], "fr")) == (SURE, ["g2f3"])
    assert ucis("Rf3", board, letters_of(["Rf3"], "de"))[0] is AMBIGUOUS
    assert ucis("Pf3", START, letters_of(["Pf3"], "de")) == (AMBIGUOUS, ["g1f3", "f2f3"])


def test_letters_are_learned_from_a_game_that_is_known() -> None:
    """A player of their own kind writes W for knights."""
    board, written = chess.Board(), []
    for text, move in (("e4", "e2e4"), ("e5", "e7e5"), ("Wf3", "g1f3"), ("Wc6", "b8c6")):
        written.append((text, board.copy(), chess.Move.from_uci(move)))
        board.push_uci(move)
    sheet = letters_of(text for text, _, _ in written)
    known = learned(sheet, written)
    assert known == {("W", chess.KNIGHT)}
    found = read("Wc3", board, sheet, known)
    assert (found.certainty, [move.uci() for move in found.moves]) == (SURE, ["b1c3"])


def test_small_letter_of_a_file_is_a_pawn() -> None:
    board = chess.Board("4k3/8/8/8/8/2n5/1P6/B3K3 w - - 0 1")
    assert ucis("bxc3", board) == (SURE, ["b2c3"])
    board = chess.Board("4k3/8/8/8/8/2n5/P7/B3K3 w - - 0 1")
    assert ucis("bxc3", board)[0] is ILLEGAL


def test_stray_letter_does_not_change_the_others() -> None:
    sheet = letters_of([*GAME_1997.split(), "Nf3"])
    assert ucis("Lc4", chess.Board("4k3/8/8/8/8/8/4B3/4K3 w - - 0 1"), sheet) == (SURE, ["e2c4"])


def test_notation_of_a_language_has_the_letters_of_its_pack() -> None:
    for code in ("de", "nb", "sv", "da", "en"):
        start = chess.Board("4k3/8/8/8/8/8/8/BNRQK3 w - - 0 1")
        letters = {load(code).write(start, move)[0] for move in start.legal_moves}
        assert letters == of_language(code).written


# ------------------------------------------------------------ nothing, nonsense, the impossible


@pytest.mark.parametrize("text", ["", "  ", "-", "–", "—", "--", "?", "???", "…", "...", "(leer)"])
def test_gap_is_missing(text: str) -> None:
    assert read(text, START) == EntryReading(text, MISSING)


@pytest.mark.parametrize(
    "text", ["1-0", "remis", "Sz9", "xyz", "Sf", "S", "e", "♘", "unleserlich", "d:6", "-f3", "(Sf3"]
)
def test_what_nobody_writes_is_unreadable(text: str) -> None:
    assert read(text, START) == EntryReading(text, UNREADABLE)


@pytest.mark.parametrize(
    ("board", "text", "meant"),
    [
        (START, "Ke2", ["e1e2"]),
        (START, "Lc4", ["f1c4"]),
        (START, "e5", []),
        (START, "e2e5", ["e2e5"]),
        (START, "exd3", ["e2d3"]),
        (START, "0-0", ["e1g1"]),
        (START, "e7e5", ["e7e5"]),
        (RICH, "0-0-0", ["e1c1"]),
        (RICH, "Ta7", ["a1a7"]),
        (RICH, "a8K", ["a7a8k"]),
        (FORK, "Kf3", ["g2f3"]),
    ],
)
def test_illegal_move_says_what_was_meant(board: chess.Board, text: str, meant: list[str]) -> None:
    found = read(text, board, GERMAN)
    assert (found.certainty, [move.uci() for move in found.moves]) == (ILLEGAL, meant)


def test_move_number_is_no_part_of_the_move() -> None:
    for text in ("1. Sf3", "1.Sf3", "1) Sf3", "1 Sf3", "1... Sf3", "… Sf3"):
        assert ucis(text, START, GERMAN) == (SURE, ["g1f3"]), text


def test_words_in_braille_are_read_without_contractions() -> None:
    for words in ("Springer Felix drei", "Eva vier", "Springer f3"):
        assert read(braille.write(words), START).certainty is SURE


def test_small_letters_without_a_capital_sign_are_pieces_in_braille() -> None:
    assert ucis("⠎⠋⠒", START, GERMAN) == (SURE, ["g1f3"])
    board = chess.Board("4k3/8/8/8/8/2p5/8/B2QK3 w - - 0 1")
    # A file's letter is the file, unless no pawn can be meant: then it may be the queen.
    found = read("⠙⠙⠲", board, GERMAN)
    assert (found.certainty, found.remarks) == (LIKELY, (Remark.SMALL_LETTER,))
    assert [move.uci() for move in found.moves] == ["d1d4"]


def test_castling_of_chess960_is_read() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", chess960=True)
    assert ucis("0-0", board) == (SURE, ["f1h1"])
    assert ucis("0-0-0", board) == (SURE, ["f1b1"])
    assert ucis("f1h1", board) == (SURE, ["f1h1"])
    assert ucis("Kg1", board, GERMAN) == (SURE, ["f1g1"])
