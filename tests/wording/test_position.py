"""Questions about clocks and positions are answered in words."""

from __future__ import annotations

import chess
import pytest

from benchmarks.spoilt_boards import BY_THEMSELVES
from blindplay import language
from blindplay.language import QUESTIONS, About, Command, languages, load
from blindplay.laws import Game
from blindplay.laws.deviation import Slip, SlipKind
from blindplay.laws.facts import parse
from blindplay.laws.rulings import Answer
from blindplay.speech.synthesis import is_words
from blindplay.wording.pack_words import PackWords
from blindplay.wording.position import (
    diagnosis,
    look,
    ply_in_words,
    taken,
    time_in_words,
    whole_position,
)

DE = load("de")


def game(fen: str, *moves: str) -> Game:
    found = Game(PackWords())
    found.apply(parse({"t": 0, "fact": "setup", "fen": fen}))
    for number, move in enumerate(moves):
        by = found.side
        found.apply(parse({"t": number, "fact": "make", "by": by, "move": move}))
        found.apply(parse({"t": number, "fact": "press", "by": by}))
    return found


def test_a_square_tells_its_piece() -> None:
    start = game(chess.STARTING_FEN)
    assert look(DE, start, "white", Command.SQUARE, About((chess.E1,))) == "Eva eins: weißer König."
    assert look(DE, start, "white", Command.SQUARE, About((chess.E4,))) == "Eva vier: leer."


def test_a_rank_tells_its_pieces_from_a_to_h() -> None:
    board = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    told = look(DE, board, "white", Command.RANK, About(tuple(range(8))))
    assert told == "Reihe eins: weißer Turm Anna eins, weißer König Eva eins."


def test_attackers_of_both_sides_are_told() -> None:
    board = game("4k3/8/8/8/8/2n5/8/R3K3 w - - 0 1")
    told = look(DE, board, "white", Command.ATTACKERS, About((chess.D1,)))
    assert "weißer Turm" in told and "weißer König" in told and "schwarzer Springer" in told


def test_captured_pieces_are_told_once_with_their_number() -> None:
    played = game("4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1", "d4c5", "e8d7", "e1e2", "e5e4")
    assert [piece.symbol() for piece in taken(played)] == ["p"]
    assert "schwarzer Bauer" in look(DE, played, "white", Command.CAPTURED, About())
    nothing = look(DE, game(chess.STARTING_FEN), "white", Command.CAPTURED, About())
    assert nothing == DE.sentence("captured_none")


def test_a_whole_position_is_grouped_for_the_ear() -> None:
    board = chess.Board("4k3/p7/8/8/8/8/8/R3K2R w - - 0 1")
    assert whole_position(DE, board) == (
        "Weiß: König Eva eins. Türme Anna eins, Hector eins. "
        "Schwarz: König Eva acht. Bauer Anna sieben."
    )


def test_a_player_asks_for_their_own_king() -> None:
    board = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert look(DE, board, "white", Command.KING, About()) == "Eva eins: weißer König."
    assert look(DE, board, "black", Command.KING, About()) == "Eva acht: schwarzer König."


def test_pawns_are_told_file_by_file() -> None:
    board = game("4k3/p4p2/8/8/8/8/P3P3/4K3 w - - 0 1")
    assert look(DE, board, "white", Command.PAWNS, About()) == (
        "Linie Anna: weißer Bauer zwei, schwarzer Bauer sieben. "
        "Linie Eva: weißer Bauer zwei. Linie Felix: schwarzer Bauer sieben."
    )
    empty = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert look(DE, empty, "white", Command.PAWNS, About()) == "Bauern: keine."


def test_both_diagonals_of_a_square_are_told_upwards() -> None:
    board = game("7k/8/8/5p2/8/2B5/8/K7 b - - 0 1")
    assert look(DE, board, "white", Command.DIAGONALS, About((chess.C3,))) == (
        "Diagonale von Anna eins bis Hector acht: weißer König Anna eins, "
        "weißer Läufer Cäsar drei, schwarzer König Hector acht. "
        "Diagonale von Eva eins bis Anna fünf: weißer Läufer Cäsar drei."
    )
    corner = look(DE, board, "white", Command.DIAGONALS, About((chess.A8,)))
    assert corner == "Diagonale von Hector eins bis Anna acht: leer."


def test_no_legal_move_captures_a_king() -> None:
    check = game("4r2k/8/8/8/8/8/8/4K3 w - - 0 1")
    told = look(DE, check, "white", Command.LEGAL_MOVES, About((chess.E8,)))
    assert "Eva zwei" in told and "Eva eins" not in told


def test_the_legal_moves_of_a_piece_are_told_for_either_side() -> None:
    board = game("4k3/8/8/8/8/8/p7/1N2K2R w K - 0 1")
    told = look(DE, board, "white", Command.LEGAL_MOVES, About((chess.B1,)))
    assert told == "Züge, weißer Springer Bella eins: Anna drei, Cäsar drei, David zwei."
    king = look(DE, board, "white", Command.LEGAL_MOVES, About((chess.E1,)))
    assert "Kurze Rochade" in king
    pawn = look(DE, board, "white", Command.LEGAL_MOVES, About((chess.A2,)))
    assert pawn == "Züge, schwarzer Bauer Anna zwei: Anna eins, schlägt Bella eins."
    assert look(DE, board, "white", Command.LEGAL_MOVES, About((chess.E4,))) == "Eva vier: leer."


def test_this_piece_is_the_one_that_is_touched() -> None:
    start = game(chess.STARTING_FEN)
    assert look(DE, start, "white", Command.LEGAL_MOVES_HERE, About()) == DE.sentence(
        "legal_moves_which"
    )
    start.apply(parse({"t": 9, "fact": "lift", "board": "white", "square": "g1"}))
    told = look(DE, start, "white", Command.LEGAL_MOVES_HERE, About())
    assert told == "Züge, weißer Springer Gustav eins: Felix drei, Hector drei."


def test_answers_are_words_in_every_language() -> None:
    start = game(chess.STARTING_FEN)
    about = {Command.PIECES: About(piece=chess.KNIGHT), Command.POSITION: About()}
    for code in languages():
        for question in QUESTIONS:
            assert is_words(
                look(load(code), start, "white", question, about.get(question, About((0, 1)))), code
            )


def test_each_of_the_two_times_can_be_told_alone() -> None:
    answer = Answer(about="time", to="assistant:black", white=60.0, black=5.0)
    assert "fünf Sekunden" in time_in_words(DE, answer, Command.CLOCK_MINE)
    assert "eine Minute" in time_in_words(DE, answer, Command.CLOCK_OPPONENT)


CASTLING, PROMOTION = chess.Move.from_uci("e1g1"), chess.Move.from_uci("a7a8q")


def slip(what: SlipKind) -> Slip:
    """One with every field that such a slip has."""
    move, executed = chess.Move.from_uci("g8f6"), chess.Move.from_uci("g8h6")
    if what in (SlipKind.OTHER_PROMOTION, SlipKind.PAWN_NOT_REPLACED):
        promoted = chess.ROOK if what is SlipKind.OTHER_PROMOTION else None
        move, executed = PROMOTION, chess.Move(chess.A7, chess.A8, promoted)
    elif what in (SlipKind.OTHER_CASTLING, SlipKind.ROOK_FORGOTTEN, SlipKind.KING_FORGOTTEN):
        move, executed = CASTLING, chess.Move.from_uci("e1c1")
    ply = None if what in BY_THEMSELVES else 4
    return Slip(what, ply, move if ply else None, executed if ply else None, "n",
                executed.from_square, executed.to_square,
                "b" if what in (SlipKind.EXCHANGED, SlipKind.REPLACED) else None)  # fmt: skip


@pytest.mark.parametrize("code", language.languages())
def test_every_slip_has_a_sentence_of_words(code: str) -> None:
    pack = language.load(code)
    for what in SlipKind:
        words = diagnosis([[slip(what)]], "black", "white", pack)
        assert is_words(words, code), words
        assert pack.sentence("slip_board", player=pack.sentence("black")) in words
        twice = diagnosis([[slip(what)], [slip(SlipKind.MISSING)]], "black", "white", pack)
        assert pack.sentence("slip_or") in twice, what


@pytest.mark.parametrize("code", language.languages())
def test_a_piece_that_nobody_has_named_is_told_by_its_square(code: str) -> None:
    pack = language.load(code)
    words = diagnosis([[Slip(SlipKind.EXTRA, piece="?", square=chess.E4)]], "white", "white", pack)
    assert pack.square(chess.E4) in words and is_words(words, code)


@pytest.mark.parametrize("first", ["white", "black"])
def test_the_number_of_a_ply_goes_by_who_began(first: str) -> None:
    pack = language.load("en")
    told = [ply_in_words(ply, first, pack) for ply in (1, 2, 3)]
    numbers = {"white": ["one", "one", "two"], "black": ["one", "two", "two"]}[first]
    players = ["White", "Black"] if first == "white" else ["Black", "White"]
    assert [one["number"] for one in told] == numbers
    assert [one["player"] for one in told] == [players[0], players[1], players[0]]


def test_nothing_is_said_where_nothing_explains() -> None:
    assert diagnosis([], "white", "white", language.load("de")) == ""
    assert diagnosis(((),), "white", "white", language.load("de")) == ""
