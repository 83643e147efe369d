"""What is listened for is what is understood; nothing else is ever made into a move."""

import itertools

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.roundtrip import positions
from blindplay.language import IllegalReason, Kind, languages, load
from blindplay.language.pack_check import STARTS
from tests.sampling import examples

DE = load("de")
BOARDS = [board.copy() for board in positions(400, 11)][::8] + [chess.Board(fen) for fen in STARTS]

FILES = {
    **dict(
        zip(
            ["anna", "bella", "cäsar", "david", "eva", "felix", "gustav", "hector"],
            range(8),
            strict=True,
        )
    ),
    "hektor": 7,
    "cesar": 2,
}
RANKS = {
    **dict(
        zip(
            ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht"],
            range(8),
            strict=True,
        )
    ),
    "zwo": 1,
}
PIECES = {
    "könig": chess.KING,
    "dame": chess.QUEEN,
    "turm": chess.ROOK,
    "läufer": chess.BISHOP,
    "springer": chess.KNIGHT,
    "pferd": chess.KNIGHT,
    "bauer": chess.PAWN,
}
CAPTURES = ("schlägt", "nimmt", "mal")
OTHERS = [
    "von",
    "nach",
    "auf",
    "in",
    "wird",
    "umwandlung",
    "en",
    "passant",
    "schach",
    "matt",
    "kurze",
    "lange",
    "rochade",
    "korrektur",
    "nein",
    "ja",
    "bitte",
    "remis",
    "zeit",
    "mit",
    "der",
    "dem",
    "e4",
    "Sf3",
    "exd5",
    "0-0",
    "a",
    "b",
    "1",
    "2",
    "[unk]",
    "xyz",
]
SOUP = st.lists(st.sampled_from([*FILES, *RANKS, *PIECES, *CAPTURES, *OTHERS]), max_size=9)


# German with all boards; the other languages share its grammar and differ in words only.
PARTS = [("de", number) for number in range(0, len(BOARDS), 8)] + [
    (language, len(BOARDS) - 8) for language in languages() if language != "de"
]


@pytest.mark.parametrize(("language", "number"), PARTS)
def test_every_phrase_listened_for_is_understood_as_a_legal_move(
    language: str, number: int
) -> None:
    words = load(language)
    for board in BOARDS[number : number + 8]:
        phrases = words.phrases(board)
        assert len(phrases) == len(set(phrases))
        meant = [words.understand(phrase, board) for phrase in phrases]
        assert all(m.kind is Kind.MOVE and m.cost == 0 for m in meant)
        # Every legal move can be said, the long way at least.
        assert {m.move for m in meant} == set(board.legal_moves)
        for move in board.legal_moves:
            assert words.announce(board, move).lower() in phrases


@pytest.mark.parametrize(("language", "number"), PARTS)
def test_every_illegal_phrase_is_understood_as_illegal(language: str, number: int) -> None:
    words = load(language)
    for board in BOARDS[number : number + 8]:
        phrases = words.illegal_phrases(board)
        assert len(phrases) == len(set(phrases))
        assert not set(phrases) & set(words.phrases(board))
        for phrase in phrases:
            meant = words.understand(phrase, board)
            assert (meant.kind, meant.why is None) == (Kind.ILLEGAL, False), phrase


def test_phrases_have_the_usual_forms() -> None:
    phrases = DE.phrases(chess.Board())
    for phrase in (
        "springer gustav eins felix drei",
        "springer gustav eins nach felix drei",
        "springer felix drei",
        "springer nach felix drei",
        "pferd felix drei",
        "gustav eins felix drei",
        "bauer eva zwei eva vier",
        "bauer eva zwo eva vier",
        "eva vier",
    ):
        assert phrase in phrases
    assert "kurze rochade" in DE.illegal_phrases(chess.Board())
    assert "turm anna eins anna vier" in DE.illegal_phrases(chess.Board())


def test_short_form_is_listened_for_only_where_it_is_unambiguous() -> None:
    # Knights on b1 and f3 both reach d2.
    phrases = DE.phrases(chess.Board("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1"))
    assert "springer david zwei" not in phrases
    assert "springer bella david zwei" in phrases
    assert "springer cäsar drei" in phrases


def test_no_promotion_is_listened_for_without_its_piece() -> None:
    board = chess.Board("8/4P3/8/8/8/8/k7/7K w - - 0 1")
    assert "bauer eva sieben eva acht" not in DE.phrases(board)
    assert "bauer eva sieben eva acht umwandlung in springer" in DE.phrases(board)
    assert "bauer eva sieben eva acht" in DE.illegal_phrases(board)


@pytest.mark.parametrize(("language", "number"), PARTS)
def test_every_word_listened_for_is_among_the_words_of_the_grammar(
    language: str, number: int
) -> None:
    heard = load(language)
    words = set(heard.grammar_words())
    assert all(set(phrase.split()) <= words for phrase in heard.command_phrases())
    for board in BOARDS[number : number + 8]:
        for phrase in [*heard.phrases(board), *heard.illegal_phrases(board)]:
            assert set(phrase.split()) <= words


def _squares(words: list[str]) -> list[chess.Square]:
    return [
        chess.square(FILES[first], RANKS[second])
        for first, second in itertools.pairwise(words)
        if first in FILES and second in RANKS
    ]


@examples(600)
@given(words=SOUP, number=st.integers(0, len(BOARDS) - 1))
def test_no_move_contradicts_the_words_that_were_said(words: list[str], number: int) -> None:
    board = BOARDS[number]
    meant = DE.understand(" ".join(words), board)
    if meant.kind is Kind.ILLEGAL:
        assert isinstance(meant.why, IllegalReason)
    if meant.move is None:
        return
    move = meant.move
    assert move in board.legal_moves
    said = meant.words.split()
    for void in ("korrektur", "nein"):
        if void in said:
            said = said[len(said) - said[::-1].index(void) :]
    if "rochade" in said:
        assert board.is_castling(move)
        assert board.is_kingside_castling(move) == ("kurze" in said)
        return
    squares = _squares(said)
    assert squares[-1] == move.to_square
    assert squares[:-1] in ([], [move.from_square])
    assert not {"xyz", "[unk]", "rochade"} & set(said)
    pieces = [PIECES[word] for word in said if word in PIECES]
    if move.promotion:
        assert pieces[-1] == move.promotion
        pieces.pop()
    if said[0] in PIECES:
        assert PIECES[said[0]] == board.piece_type_at(move.from_square)
        pieces.pop(0)
    if set(CAPTURES) & set(said):
        assert board.is_capture(move)
    if "passant" in said:
        assert board.is_en_passant(move)


@examples(400)
@given(text=st.text(max_size=40))
def test_no_text_at_all_raises(text: str) -> None:
    meant = DE.understand(text, BOARDS[0])
    assert (meant.kind is Kind.MOVE) == (meant.move is not None)
