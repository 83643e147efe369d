"""Announcements are worded as the appendix words them."""

from __future__ import annotations

import chess
import pytest

from blindplay.language import Key, LanguageError, key_of, languages, load, word_of
from blindplay.speech.synthesis import is_words

DE = load("de")


@pytest.mark.parametrize(
    ("fen", "move", "words"),
    [
        (chess.STARTING_FEN, "g1f3", "Springer Gustav eins Felix drei"),
        (chess.STARTING_FEN, "e2e4", "Bauer Eva zwei Eva vier"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "Bauer Eva vier schlägt David fünf"),
        (
            "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
            "e5d6",
            "Bauer Eva fünf schlägt David sechs en passant",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "Kurze Rochade"),
        ("r3k3/8/8/8/8/8/8/4K3 b q - 0 1", "e8c8", "Lange Rochade"),
        (
            "8/4P3/8/8/8/8/k7/7K w - - 0 1",
            "e7e8q",
            "Bauer Eva sieben Eva acht Umwandlung in Dame",
        ),
        (
            "3r4/4P3/8/8/8/8/k7/7K w - - 0 1",
            "e7d8n",
            "Bauer Eva sieben schlägt David acht Umwandlung in Springer",
        ),
    ],
)
def test_move_is_announced_with_piece_and_both_squares(fen: str, move: str, words: str) -> None:
    assert DE.announce(chess.Board(fen), chess.Move.from_uci(move)) == words


@pytest.mark.parametrize(
    ("edition", "name"), [("fide-1997", "Cesar"), ("fide-2014", "Cesar"), ("fide-2023", "Cäsar")]
)
def test_third_file_is_spelled_as_the_edition_spells_it(edition: str, name: str) -> None:
    words = DE.announce(chess.Board(), chess.Move.from_uci("c2c4"), edition=edition)
    assert words == f"Bauer {name} zwei {name} vier"


def test_castling_of_chess960_is_announced_however_it_is_encoded() -> None:
    fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    for chess960 in (False, True):
        board = chess.Board(fen, chess960=chess960)
        for move in ("e1h1", "e1g1"):
            if board.is_legal(chess.Move.from_uci(move)):
                assert DE.announce(board, chess.Move.from_uci(move)) == "Kurze Rochade"
    assert (
        DE.announce(chess.Board(fen, chess960=True), chess.Move.from_uci("e1h1")) == "Kurze Rochade"
    )


def test_king_step_of_chess960_is_not_taken_for_castling() -> None:
    # King f1, rook h1: f1g1 is a step, f1h1 the castling.
    board = chess.Board("4k3/8/8/8/8/8/8/5K1R w H - 0 1", chess960=True)
    step, castling = chess.Move.from_uci("f1g1"), chess.Move.from_uci("f1h1")
    assert DE.announce(board, step) == "König Felix eins Gustav eins"
    assert DE.announce(board, castling) == "Kurze Rochade"
    assert DE.understand("König Felix eins Gustav eins", board).move == step
    assert DE.understand("Kurze Rochade", board).move == castling


@pytest.mark.parametrize("move", ["e2e5", "e7e5", "0000", "e2e4q"])
def test_illegal_move_is_refused(move: str) -> None:
    with pytest.raises(chess.IllegalMoveError):
        DE.announce(chess.Board(), chess.Move.from_uci(move))
    with pytest.raises(chess.IllegalMoveError):
        DE.write(chess.Board(), chess.Move.from_uci(move))


def test_check_and_mate_are_said_on_request_only() -> None:
    fools_mate = chess.Board("rnbqkbnr/pppp1ppp/8/4p3/6P1/5P2/PPPPP2P/RNBQKBNR b KQkq - 0 2")
    mate = chess.Move.from_uci("d8h4")
    assert DE.announce(fools_mate, mate) == "Dame David acht Hector vier"
    assert DE.announce(fools_mate, mate, check=True) == "Dame David acht Hector vier Schachmatt"
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    check = chess.Move.from_uci("a1a8")
    assert DE.announce(board, check, check=True) == "Turm Anna eins Anna acht Schach"
    assert is_words(DE.announce(board, check, check=True))


@pytest.mark.parametrize(
    ("fen", "move", "written"),
    [
        (chess.STARTING_FEN, "g1f3", "Sf3"),
        (chess.STARTING_FEN, "e2e4", "e4"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "0-0"),
        ("r3k3/8/8/8/8/8/8/3K4 b q - 0 1", "e8c8", "0-0-0+"),
        ("8/4P3/8/8/8/8/k7/7K w - - 0 1", "e7e8q", "e8=D"),
        ("7k/8/8/1Q3Q2/8/8/8/1Q5K w - - 0 1", "b5d3", "Db5d3"),
        ("4k3/8/8/8/8/8/3b4/R1K5 w - - 0 1", "c1d2", "Kxd2"),
    ],
)
def test_scoresheet_has_the_letters_of_the_country(fen: str, move: str, written: str) -> None:
    board = chess.Board(fen)
    assert DE.write(board, chess.Move.from_uci(move)) == written
    assert DE.understand(written, board).move == chess.Move.from_uci(move)


def test_unknown_language_is_refused_in_one_sentence() -> None:
    with pytest.raises(LanguageError, match=r"Unknown language 'xx': choose one of .*de"):
        load("xx")
    with pytest.raises(LanguageError):
        load("../de")


def test_language_is_loaded_once() -> None:
    assert load("de") is load("de")
    assert "de" in languages()


def test_what_sounds_like_other_words_is_replaced_place_by_place() -> None:
    english = load("en")
    assert list(english.sounding_like("Rook to Eva two")) == ["rook two eva two", "rook to eva to"]
    assert not list(english.sounding_like("tomorrow"))
    assert list(load("de").sounding_like("bauern acht eva vier")) == ["bauer nach eva vier"]


CODES = ("da", "de", "en", "nb", "sv")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("quit", Key.END),
        ("Q", Key.END),
        ("exit", Key.END),
        ("end", Key.END),
        ("skip", Key.SKIP),
        ("s", Key.SKIP),
        ("continue", None),
        ("back", Key.BACK),
        ("repeat", Key.REPEAT),
        ("", None),
        ("e4", None),
    ],
)
def test_the_english_words_are_known_everywhere(code: str, typed: str, key: Key | None) -> None:
    assert key_of(load(code), typed) is key


@pytest.mark.parametrize(
    ("code", "typed", "key"),
    [
        ("da", "afslut", Key.END),
        ("da", "slut", Key.END),
        ("de", "Beenden", Key.END),
        ("de", "ende", Key.END),
        ("nb", "avslutt", Key.END),
        ("nb", "slutt", Key.END),
        ("sv", "avsluta", Key.END),
        ("sv", "slut", Key.END),
        ("de", "weiter", None),
        ("de", "auslassen", Key.SKIP),
        ("nb", "hopp", Key.SKIP),
        ("de", "zurueck", Key.BACK),
        ("da", "tilbage", Key.BACK),
        ("sv", "tillbaka", Key.BACK),
        ("de", "noch einmal", Key.REPEAT),
        ("de", "slutt", None),
    ],
)
def test_each_language_has_its_own_words(code: str, typed: str, key: Key | None) -> None:
    assert key_of(load(code), typed) is key


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("key", Key)
def test_the_word_that_a_table_names_is_understood(code: str, key: Key) -> None:
    pack = load(code)
    assert key_of(pack, word_of(pack, key)) is key
