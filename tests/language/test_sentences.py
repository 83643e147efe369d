"""Numbers, times, squares and sentences: words only."""

import datetime

import chess
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.roundtrip import positions
from blindplay import language
from blindplay.language import LanguageError, load
from blindplay.speech.synthesis import is_words
from blindplay.translation import _

DE = load("de")

# What a table announces; without one of them a ruling would be silent.
NEEDED = [
    "welcome",
    "clock_mine",
    "clock_opponent",
    "clock_both",
    "moves_completed",
    "last_move",
    "no_last_move",
    "not_understood",
    "ambiguous",
    "corrected",
    "too_late",
    "touched",
    "not_made_announced",
    "not_made_placed",
    "not_made_captured_piece_removed",
    "not_made_promotion_piece",
    "executed_differs",
    "boards_differ",
    "correct_board_lift",
    "correct_board_place",
    "correct_board_remove",
    "boards_equal",
    "check",
    "checkmate",
    "draw_offered",
    "draw_declined",
    "flag",
    "board_gone",
    "board_back",
    "microphone_gone",
    "model_gone",
    "model_back",
    "recogniser_gone",
    "recogniser_back",
    "arbiter_needed",
    "take_back",
    "repeat_please",
    "game_over_checkmate",
    "game_over_stalemate",
    "game_over_dead_position",
    "game_over_resignation",
    "game_over_agreement",
    "game_over_repetition",
    "game_over_fivefold",
    "game_over_fifty_moves",
    "game_over_seventyfive_moves",
    "game_over_flag",
    "game_over_illegal_moves",
    "game_over_sealed_move",
    "game_over_declared",
    "two_boards",
    "special_board_ok",
    "special_board_missing",
    "special_board_size",
    "special_board_raised_black_squares",
    "special_board_securing_holes",
    "special_board_pegs",
    "special_board_staunton_black_marked",
    "assistant_present",
    "assistant_gone",
    "arbiter_presides",
    "arbiter_withdrew",
    "late",
    "sealed",
    "adjourned",
    "extra_time",
    "new_game",
    "claim_cannot_win",
    "claim_no_effort",
    "play_on",
    "warning",
    "clock_stopped",
    "needed_mate_undecided",
]


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, "null"),
        (1, "eins"),
        (7, "sieben"),
        (11, "elf"),
        (12, "zwölf"),
        (16, "sechzehn"),
        (17, "siebzehn"),
        (20, "zwanzig"),
        (21, "einundzwanzig"),
        (27, "siebenundzwanzig"),
        (30, "dreißig"),
        (76, "sechsundsiebzig"),
        (100, "einhundert"),
        (101, "einhunderteins"),
        (999, "neunhundertneunundneunzig"),
        (1000, "eintausend"),
        (2345, "zweitausenddreihundertfünfundvierzig"),
        (9999, "neuntausendneunhundertneunundneunzig"),
    ],
)
def test_number_in_words(n: int, words: str) -> None:
    assert DE.number(n) == words


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("de", "zweiundzwanzigster November zweitausendsechsundzwanzig"),
        ("en", "the twenty-second of November two thousand and twenty-six"),
        ("nb", "tjueandre november to tusen og tjueseks"),
        ("da", "toogtyvende november to tusind og seksogtyve"),
        ("sv", "tjugoandra november tvåtusentjugosex"),
    ],
)
def test_a_date_is_spoken_as_a_date(code: str, words: str) -> None:
    assert language.load(code).date(datetime.date(2026, 11, 22)) == words


@pytest.mark.parametrize("code", language.languages())
def test_every_day_of_a_year_has_words_of_its_own(code: str) -> None:
    pack, first = language.load(code), datetime.date(2024, 1, 1)
    said = {pack.date(first + datetime.timedelta(days)) for days in range(366)}
    assert len(said) == 366 and all(is_words(words) for words in said)


def test_no_two_numbers_have_the_same_words() -> None:
    assert len({DE.number(n) for n in range(10_000)}) == 10_000


@pytest.mark.parametrize("n", [-1, 10_000])
def test_number_beyond_is_refused(n: int) -> None:
    with pytest.raises(ValueError):
        DE.number(n)


@pytest.mark.parametrize(
    ("milliseconds", "words"),
    [
        (0, "null Sekunden"),
        (-5, "null Sekunden"),
        (999, "null Sekunden"),
        (1_000, "eine Sekunde"),
        (59_999, "neunundfünfzig Sekunden"),
        (60_000, "eine Minute"),
        (63_000, "eine Minute drei Sekunden"),
        (3_600_000, "eine Stunde"),
        (3_720_000, "eine Stunde zwei Minuten"),
        (3_659_000, "eine Stunde"),
        (7_260_000, "zwei Stunden eine Minute"),
    ],
)
def test_duration_in_words_never_tells_more_than_there_is(milliseconds: int, words: str) -> None:
    assert DE.duration(milliseconds) == words


@given(st.integers(0, 9999 * 3_600_000))
def test_durations_are_words_only(milliseconds: int) -> None:
    assert is_words(DE.duration(milliseconds))


def test_square_and_piece() -> None:
    assert DE.square(chess.G1) == "Gustav eins"
    assert DE.square(chess.C8) == "Cäsar acht"
    assert DE.square(chess.C8, edition="fide-1997") == "Cesar acht"
    assert DE.piece(chess.Piece.from_symbol("N")) == "weißer Springer"
    assert DE.piece(chess.Piece.from_symbol("q")) == "schwarze Dame"


def test_pack_has_the_sentences_of_a_table() -> None:
    assert not set(NEEDED) - set(DE.sentences())


def test_sentences_are_words_only() -> None:
    for key in DE.sentences():
        said = DE.sentence(key, **dict.fromkeys(DE.fields(key), "Eva vier"))
        assert is_words(said), (key, said)
        assert said == said.strip() and said, key


def test_sentence_that_is_unknown_or_lacks_a_value_is_refused_in_one_sentence() -> None:
    with pytest.raises(LanguageError, match="no sentence 'nonsense'"):
        DE.sentence("nonsense")
    with pytest.raises(LanguageError, match="needs time"):
        DE.sentence("clock_mine")


def test_no_announcement_holds_a_digit_notation_or_letter() -> None:
    said = {
        DE.announce(board, move, check=True)
        for board in positions(300, 3)
        for move in board.legal_moves
    }
    assert len(said) > 1000
    assert all(map(is_words, said))


def test_several_choices_become_one_question() -> None:
    assert DE.either(["Eva vier"]) == "Eva vier"
    assert DE.either(["Eva drei", "Eva vier"]) == "Eva drei oder Eva vier"
    assert DE.either(["Anna vier", "Eva drei", "Eva vier"]) == "Anna vier, Eva drei oder Eva vier"


def test_what_a_device_says_in_english_is_printed_in_the_language() -> None:
    sentence = _(
        "No microphone can be opened; plug one in and allow this program to use it, or enter the "
        "moves in another way."
    )
    assert load("en").trouble(sentence) == f"trouble: {sentence}"
    for code, begins in (("de", "Störung: Kein"), ("nb", "Feil: Ingen"), ("sv", "Fel: Ingen")):
        assert load(code).trouble(sentence).startswith(begins)
    assert load("de").trouble("The cable is off.") == "Störung: The cable is off."
