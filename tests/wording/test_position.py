"""Questions about clocks and positions are answered in words."""

import chess

from blindplay.language import QUESTIONS, About, Command, languages, load
from blindplay.laws import Game
from blindplay.laws.facts import parse
from blindplay.laws.rulings import Answer
from blindplay.speech.synthesis import is_words
from blindplay.wording.pack_words import PackWords
from blindplay.wording.position import look, taken, time_in_words, whole_position

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
    assert look(DE, start, Command.SQUARE, About((chess.E1,))) == "Eva eins: weißer König."
    assert look(DE, start, Command.SQUARE, About((chess.E4,))) == "Eva vier: leer."


def test_a_rank_tells_its_pieces_from_a_to_h() -> None:
    board = game("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    told = look(DE, board, Command.RANK, About(tuple(range(8))))
    assert told == "Reihe eins: weißer Turm Anna eins, weißer König Eva eins."


def test_attackers_of_both_sides_are_told() -> None:
    board = game("4k3/8/8/8/8/2n5/8/R3K3 w - - 0 1")
    told = look(DE, board, Command.ATTACKERS, About((chess.D1,)))
    assert "weißer Turm" in told and "weißer König" in told and "schwarzer Springer" in told


def test_captured_pieces_are_told_once_with_their_number() -> None:
    played = game("4k3/8/8/2p1p3/3P4/8/8/4K3 w - - 0 1", "d4c5", "e8d7", "e1e2", "e5e4")
    assert [piece.symbol() for piece in taken(played)] == ["p"]
    assert "schwarzer Bauer" in look(DE, played, Command.CAPTURED, About())
    nothing = look(DE, game(chess.STARTING_FEN), Command.CAPTURED, About())
    assert nothing == DE.sentence("captured_none")


def test_kings_come_first_in_a_whole_position() -> None:
    board = chess.Board("4k3/p7/8/8/8/8/8/R3K3 w - - 0 1")
    assert whole_position(DE, board) == (
        "weißer König Eva eins, weißer Turm Anna eins. "
        "schwarzer König Eva acht, schwarzer Bauer Anna sieben."
    )


def test_answers_are_words_in_every_language() -> None:
    start = game(chess.STARTING_FEN)
    about = {Command.PIECES: About(piece=chess.KNIGHT), Command.POSITION: About()}
    for code in languages():
        for question in QUESTIONS:
            assert is_words(look(load(code), start, question, about.get(question, About((0, 1)))))


def test_each_of_the_two_times_can_be_told_alone() -> None:
    answer = Answer(about="time", to="assistant:black", white=60.0, black=5.0)
    assert "fünf Sekunden" in time_in_words(DE, answer, Command.CLOCK_MINE)
    assert "eine Minute" in time_in_words(DE, answer, Command.CLOCK_OPPONENT)
