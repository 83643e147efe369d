"""One reader's words at a table that announces in another language (D.2.1)."""

from __future__ import annotations

import chess
import pytest

from blindplay.language import Command, Kind, ReaderLanguage, load, parts_of

KNIGHT = chess.Move.from_uci("g1f3")


def reader(own: str, announcing: str = "de") -> ReaderLanguage:
    return ReaderLanguage(load(own), lambda: load(announcing))


@pytest.mark.parametrize("own", ["en", "nb", "da", "sv"])
def test_moves_are_announced_in_german_and_messages_are_the_readers(own: str) -> None:
    words = reader(own)
    move = words.announce(chess.Board(), KNIGHT)
    assert parts_of(move, "") == (("Springer Gustav eins Felix drei", "de"),)
    said = words.sentence("confirm_move", move=move)
    assert [language for _, language in parts_of(said, "")] in (["de", own], ["de", own, "de"])
    assert words.sentence("welcome") == load(own).sentence("welcome")


def test_castling_is_german_too() -> None:
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert reader("en").announce(board, chess.Move.from_uci("e1g1")) == "Kurze Rochade"
    assert reader("en").announce(board, chess.Move.from_uci("e1c1")) == "Lange Rochade"


def test_a_table_of_one_language_has_ordinary_strings() -> None:
    assert type(reader("de").announce(chess.Board(), KNIGHT)) is str


@pytest.mark.parametrize(
    ("own", "announcing", "text"),
    [
        ("en", "de", "Springer Gustav eins Felix drei"),
        ("en", "de", "knight f3"),
        ("en", "de", "Sf3"),
        ("en", "de", "Nf3"),
        ("de", "en", "knight Gustav one Felix three"),
        ("de", "en", "Springer Gustav eins Felix drei"),
        ("de", "nb", "springer Gustav en Felix tre"),
        ("sv", "en", "knight Felix three"),
    ],
)
def test_moves_are_understood_in_the_language_of_announcements_and_in_the_readers(
    own: str, announcing: str, text: str
) -> None:
    assert reader(own, announcing).understand(text, chess.Board()).move == KNIGHT


@pytest.mark.parametrize(
    ("own", "announcing", "text", "command"),
    [
        ("en", "de", "my time", Command.CLOCK_MINE),
        ("en", "de", "threefold repetition", Command.CLAIM_REPETITION),
        ("de", "en", "meine Zeit", Command.CLOCK_MINE),
        ("nb", "de", "hjelp", Command.HELP),
    ],
)
def test_commands_are_understood_in_the_readers_language(
    own: str, announcing: str, text: str, command: Command
) -> None:
    assert reader(own, announcing).understand(text, chess.Board()).command is command


@pytest.mark.parametrize("own", ["da", "de", "en", "nb", "sv"])
@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("claim threefold", Command.CLAIM_REPETITION),
        ("threefold", Command.CLAIM_REPETITION),
        ("Claim Fifty Moves", Command.CLAIM_FIFTY_MOVES),
        ("claim 50 moves", Command.CLAIM_FIFTY_MOVES),
        ("claim time", Command.CLAIM_TIME),
        ("offer draw", Command.OFFER_DRAW),
        ("resign", Command.RESIGN),
        ("no", Command.NO),
    ],
)
def test_english_commands_are_understood_in_every_language(
    own: str, text: str, command: Command
) -> None:
    assert reader(own).understand(text, chess.Board()).command is command


@pytest.mark.parametrize("text", ["claim threefold Nf3", "claim threefold Springer Felix drei"])
def test_the_move_of_an_english_claim_is_in_any_language_of_the_table(text: str) -> None:
    meant = reader("nb").understand(text, chess.Board())
    assert (meant.command, meant.moves) == (Command.CLAIM_REPETITION, (KNIGHT,))


@pytest.mark.parametrize(
    ("own", "text", "command"),
    [
        ("de", "dreifach reklamieren", Command.CLAIM_REPETITION),
        ("de", "Reklamiere dreimal", Command.CLAIM_REPETITION),
        ("de", "reklamiere 50 Züge", Command.CLAIM_FIFTY_MOVES),
        ("de", "fünfzig Züge reklamieren", Command.CLAIM_FIFTY_MOVES),
        ("nb", "krev tre ganger", Command.CLAIM_REPETITION),
        ("nb", "krev femti trekk", Command.CLAIM_FIFTY_MOVES),
        ("da", "kræv tre gange", Command.CLAIM_REPETITION),
        ("da", "kræv halvtreds træk", Command.CLAIM_FIFTY_MOVES),
        ("sv", "kräv tre gånger", Command.CLAIM_REPETITION),
        ("sv", "kräv femtio drag", Command.CLAIM_FIFTY_MOVES),
        ("en", "claim fifty", Command.CLAIM_FIFTY_MOVES),
        ("sv", "kräv tid", Command.CLAIM_TIME),
        ("de", "kann nicht gewinnen", Command.CLAIM_CANNOT_WIN),
        ("nb", "prøver ikke å vinne", Command.CLAIM_NO_EFFORT),
    ],
)
def test_claims_have_short_forms_for_typing_in_each_language(
    own: str, text: str, command: Command
) -> None:
    assert reader(own).understand(text, chess.Board()).command is command
    assert text.lower() not in reader(own).command_phrases()


def test_a_correction_is_in_the_readers_words_and_its_move_in_those_of_announcements() -> None:
    for own, text in (
        ("de", "Korrektur knight Gustav one Felix three"),
        ("de", "knight Bella one Korrektur knight Gustav one Felix three"),
        ("en", "correction knight Gustav one Felix three"),
    ):
        meant = reader(own, "en").understand(text, chess.Board())
        assert (meant.move, meant.correction) == (KNIGHT, True), text


def test_a_claim_is_in_the_readers_words_and_its_move_in_those_of_announcements() -> None:
    text = "dreimalige Stellungswiederholung knight Felix three"
    meant = reader("de", "en").understand(text, chess.Board())
    assert (meant.command, meant.moves) == (Command.CLAIM_REPETITION, (KNIGHT,))


def test_words_without_a_meaning_in_either_language_have_none() -> None:
    assert reader("en").understand("blue elephant", chess.Board()).kind is Kind.UNCLEAR


def test_a_question_names_german_words_and_either_language_answers() -> None:
    board = chess.Board("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    words = reader("nb")
    texts = [words.announce(board, chess.Move.from_uci(uci)) for uci in ("b1d2", "f3d2")]
    found = words.differing(texts, board)
    assert found is not None
    assert parts_of(found[0][0], "") == (("Bella eins", "de"),)
    assert "Bella en" in found[0] and "Felix tre" in found[1]


def test_the_arbiter_changes_the_language_of_announcements_under_way() -> None:
    now = ["de"]
    words = ReaderLanguage(load("en"), lambda: load(now[0]))
    assert words.announce(chess.Board(), KNIGHT) == "Springer Gustav eins Felix drei"
    now[0] = "nb"
    assert words.announce(chess.Board(), KNIGHT) == "Springer Gustav en Felix tre"
    assert "springer gustav en felix tre" in words.forms(chess.Board())
    assert words.announcing is load("nb")


def test_what_is_listened_for_are_german_moves_and_the_readers_commands() -> None:
    words = reader("en")
    assert "springer gustav eins felix drei" in words.phrases(chess.Board())
    assert "knight gustav one felix three" not in words.forms(chess.Board())
    assert "offer draw" in words.command_phrases()
    assert {"correction", "korrektur"} <= set(words.corrections)
    assert words.is_word_of_a_move("springer") and not words.is_word_of_a_move("pawn")
    assert words.is_file_or_rank("drei") and {"drei", "draw"} <= set(words.grammar_words())
    assert words.illegal_phrases(chess.Board()) == load("de").illegal_phrases(chess.Board())
