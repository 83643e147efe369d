"""Words, heard or typed, are understood as the one move they say, or not as a move."""

import unicodedata

import chess
import pytest

from benchmarks.roundtrip import positions
from blindplay.language import IllegalReason, Kind, languages, load

DE = load("de")
START = chess.Board()
# Knights on b1 and f3 both reach d2; e5 takes d6 en passant; a7 promotes on a8 and b8.
RICH = chess.Board("1n2k3/P7/8/3pP3/8/5N2/8/RN2K2R w KQ d6 0 1")


def uci(*moves: str) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Springer Gustav eins Felix drei", "g1f3"),
        ("springer von gustav eins nach felix drei", "g1f3"),
        ("Springer auf Felix drei", "g1f3"),
        ("mit dem Springer auf Felix drei", "g1f3"),
        ("Pferd Felix drei", "g1f3"),
        ("Gustav eins Felix drei", "g1f3"),
        ("SPRINGER, GUSTAV EINS: FELIX DREI!", "g1f3"),
        ("springer gustav_eins felix_drei", "g1f3"),
        ("Springer zieht nach Hektor drei", "g1h3"),
        ("Springer Hector drei", "g1h3"),
        ("Eva vier", "e2e4"),
        ("Bauer Eva zwo auf Eva vier", "e2e4"),
        ("Bauer Cäsar vier", "c2c4"),
        ("Bauer Cesar vier", "c2c4"),
        ("Bauer Cæsar vier", "c2c4"),
        ("Bauer Caesar vier", "c2c4"),
        ("Bauer Ca\u0308sar vier", "c2c4"),
        ("e4", "e2e4"),
        ("e2e4", "e2e4"),
        ("e2 e4", "e2e4"),
        ("e2-e4", "e2e4"),
        ("1. e4", "e2e4"),
        ("Sf3", "g1f3"),
        ("Sg1f3", "g1f3"),
        ("S g1 f3", "g1f3"),
        ("Springer f3", "g1f3"),
        ("bitte Eva vier", "e2e4"),
    ],
)
def test_same_move_may_be_said_in_many_ways(text: str, move: str) -> None:
    meant = DE.understand(text, START)
    assert (meant.kind, meant.moves) == (Kind.MOVE, uci(move))
    assert DE.understand(unicodedata.normalize("NFD", text), START) == meant


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Bauer Eva fünf schlägt David sechs en passant", "e5d6"),
        ("Eva fuenf nimmt David sechs", "e5d6"),
        ("Eva mal David sechs e p", "e5d6"),
        ("David sechs", "e5d6"),
        ("exd6 e.p.", "e5d6"),
        ("exd6e.p.", "e5d6"),
        ("ed6", "e5d6"),
        ("Bauer Anna sieben schlägt Bella acht wird Turm", "a7b8r"),
        ("Anna sieben Anna acht Umwandlung in Dame", "a7a8q"),
        ("Bauer Anna acht verwandelt sich in Läufer", "a7a8b"),
        ("Anna acht gleich Springer", "a7a8n"),
        ("Anna acht zur Dame", "a7a8q"),
        ("Anna acht Dame", "a7a8q"),
        ("a8=D", "a7a8q"),
        ("axb8S", "a7b8n"),
        ("a7a8q", "a7a8q"),
        ("a7b8b", "a7b8b"),
        ("Anna sieben schlägt den Springer auf Bella acht wird Dame", "a7b8q"),
        ("Kurze Rochade", "e1g1"),
        ("kleine rochade", "e1g1"),
        ("große Rochade", None),
        ("0-0", "e1g1"),
        ("O-O", "e1g1"),
        ("e1g1", "e1g1"),
        ("König Eva eins Gustav eins", "e1g1"),
        ("Springer Bella David zwei", "b1d2"),
        ("Springer drei David zwei", "f3d2"),
        ("Sbd2", "b1d2"),
        ("S3d2", "f3d2"),
        ("Turm Hector acht Schach", "h1h8"),
        ("Th8+", "h1h8"),
    ],
)
def test_rich_position(text: str, move: str | None) -> None:
    meant = DE.understand(text, RICH)
    if move is None:
        assert meant.why is IllegalReason.CASTLING_NOT_ALLOWED
    else:
        assert (meant.kind, meant.moves, meant.cost) == (Kind.MOVE, uci(move), 0)


def test_capture_word_may_be_left_out_but_not_added() -> None:
    board = chess.Board("4k3/8/8/8/r3R3/8/8/4K3 w - - 0 1")
    assert DE.understand("Turm Eva vier Anna vier", board).moves == uci("e4a4")
    assert DE.understand("Ta4", board).moves == uci("e4a4")
    assert DE.understand("Turm Eva vier schlägt David vier", board).why is (
        IllegalReason.NOTHING_TO_CAPTURE
    )
    assert DE.understand("Txb4", board).kind is Kind.ILLEGAL


def test_promotion_without_its_piece_is_never_a_queen() -> None:
    board = chess.Board("8/4P3/8/8/8/8/k7/7K w - - 0 1")
    for text in ("Bauer Eva sieben Eva acht", "Eva acht", "e8", "e7e8"):
        meant = DE.understand(text, board)
        assert (meant.kind, meant.why) == (Kind.ILLEGAL, IllegalReason.PROMOTION_MISSING)
        assert set(meant.moves) == set(uci("e7e8q", "e7e8r", "e7e8b", "e7e8n"))
        assert meant.move is None


def test_two_knights_are_ambiguous_and_both_are_named() -> None:
    meant = DE.understand("Springer David zwei", RICH)
    assert (meant.kind, set(meant.moves)) == (Kind.AMBIGUOUS, set(uci("b1d2", "f3d2")))


def test_piece_and_square_are_enough_when_the_other_piece_is_pinned() -> None:
    # The knight on e2 is pinned by the rook on e8; both knights reach c3.
    board = chess.Board("k3r3/8/8/8/8/8/4N3/1N2K3 w - - 0 1")
    assert DE.understand("Springer Cäsar drei", board).moves == uci("b1c3")


def test_castling_without_its_side_is_asked_even_if_one_side_is_possible() -> None:
    meant = DE.understand("Rochade", RICH)
    assert (meant.kind, meant.moves) == (Kind.AMBIGUOUS, uci("e1g1"))


@pytest.mark.parametrize(
    ("fen", "text", "why"),
    [
        (chess.STARTING_FEN, "Turm Anna eins Anna vier", IllegalReason.BLOCKED),
        (chess.STARTING_FEN, "Läufer Cäsar vier", IllegalReason.BLOCKED),
        (chess.STARTING_FEN, "Turm Anna eins Anna zwei", IllegalReason.OWN_PIECE_THERE),
        (chess.STARTING_FEN, "Springer Gustav eins Gustav drei", IllegalReason.CANNOT_MOVE_THERE),
        (chess.STARTING_FEN, "Eva fünf", IllegalReason.CANNOT_MOVE_THERE),
        (chess.STARTING_FEN, "Dame Eva zwei Eva vier", IllegalReason.NO_SUCH_PIECE),
        (chess.STARTING_FEN, "Turm Eva vier Eva fünf", IllegalReason.NO_SUCH_PIECE),
        (chess.STARTING_FEN, "Bauer Eva sieben Eva fünf", IllegalReason.NOT_YOUR_PIECE),
        (chess.STARTING_FEN, "Eva zwei David drei", IllegalReason.NOTHING_TO_CAPTURE),
        (chess.STARTING_FEN, "Kurze Rochade", IllegalReason.CASTLING_NOT_ALLOWED),
        (chess.STARTING_FEN, "Eva vier Dame", IllegalReason.PROMOTION_NOT_POSSIBLE),
        (chess.STARTING_FEN, "Eva vier en passant", IllegalReason.NOT_EN_PASSANT),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
            "Bauer schlägt Dame auf David fünf",
            IllegalReason.CAPTURES_ANOTHER_PIECE,
        ),
        (
            "8/4P3/8/8/8/8/k7/7K w - - 0 1",
            "Eva acht Umwandlung in König",
            IllegalReason.PROMOTION_PIECE,
        ),
        (
            "k3r3/8/8/8/8/8/4N3/1N2K3 w - - 0 1",
            "Springer Eva zwei Cäsar drei",
            IllegalReason.PINNED_OR_CHECK,
        ),
        # En passant would open the fifth rank on the king.
        (
            "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1",
            "David fünf schlägt Cäsar sechs en passant",
            IllegalReason.PINNED_OR_CHECK,
        ),
        ("4k3/8/8/8/4p3/4P3/8/4K3 w - - 0 1", "Eva vier", IllegalReason.BLOCKED),
    ],
)
def test_illegal_move_is_told_with_its_reason(fen: str, text: str, why: IllegalReason) -> None:
    meant = DE.understand(text, chess.Board(fen))
    assert (meant.kind, meant.why, meant.move) == (Kind.ILLEGAL, why, None)


def test_illegal_move_comes_with_the_move_that_was_meant_and_near_legal_ones() -> None:
    meant = DE.understand("Bauer Eva zwei Eva fünf", START)
    assert meant.moves == uci("e2e5")
    assert set(meant.alternatives) == set(uci("e2e3", "e2e4"))


@pytest.mark.parametrize("language", languages())
def test_one_lost_word_never_makes_another_move_of_an_announcement(language: str) -> None:
    spoken = load(language)
    for board in positions(150, 21):
        for move in board.legal_moves:
            words = spoken.announce(board, move).split()
            for lost in range(len(words)):
                heard = " ".join(words[:lost] + words[lost + 1 :])
                assert spoken.understand(heard, board).move in (None, move)


@pytest.mark.parametrize("language", languages())
def test_written_moves_are_understood_as_themselves(language: str) -> None:
    words = load(language)
    for board in positions(500 if language == "de" else 150, 22):
        for move in board.legal_moves:
            assert words.understand(words.write(board, move), board).move == move
            assert words.understand(board.uci(move), board).move == move


def test_check_that_is_none_is_reported_and_does_not_change_the_move() -> None:
    meant = DE.understand("Eva vier Schach", START)
    assert (meant.moves, meant.false_check, meant.cost) == (uci("e2e4"), True, 1.0)
    board = chess.Board("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    meant = DE.understand("Turm Anna acht Schach", board)
    assert (meant.false_check, meant.cost) == (False, 0)
    assert DE.understand("Turm Anna acht Schachmatt", board).false_check


def test_chess960_castling_is_typed_as_king_takes_rook() -> None:
    board = chess.Board("4k3/8/8/8/8/8/8/5K1R w H - 0 1", chess960=True)
    assert DE.understand("f1h1", board).moves == uci("f1h1")
    assert DE.understand("König Hector eins", board).why is IllegalReason.CANNOT_MOVE_THERE


def test_position_is_not_confused_with_the_one_before() -> None:
    board = chess.Board()
    assert DE.understand("e4", board).kind is Kind.MOVE
    board.push_san("e4")
    assert DE.understand("e4", board).kind is Kind.ILLEGAL
    assert DE.understand("e5", board).moves == uci("e7e5")
    board.pop()
    assert DE.understand("e4", board).kind is Kind.MOVE
