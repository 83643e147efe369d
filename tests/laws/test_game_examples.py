"""The example games and examples of the appendices on notation (fide-2023 C, fide-1997 E)."""

from __future__ import annotations

import json

import chess
import pytest

from blindplay.language import languages
from blindplay.laws import Game, Heard
from blindplay.laws.facts import parse
from blindplay.wording.pack_words import PackWords

# fide-2023 C, "Eksempelparti", in its two spellings; fide-1997 E, "Musterpartie". The sign (=) of
# an offered draw at their ends has a test of its own.
GAME_2023 = (
    "e4 e5 Sf3 Sf6 d4 exd4 e5 Se4 Dxd4 d5 exd6|e.p. Sxd6 Lg5 Sc6 De3+ Le7 Sbd2 0-0 0-0-0 Te8 Kb1"
)
GAME_2023_SHORT = (
    "e4 e5 Sf3 Sf6 d4 ed4 e5 Se4 Dd4 d5 ed6 Sd6 Lg5 Sc6 De3 Le7 Sbd2 0-0 0-0-0 Te8 Kb1"
)
MOVES_2023 = (
    "e2e4 e7e5 g1f3 g8f6 d2d4 e5d4 e4e5 f6e4 d1d4 d7d5 e5d6 e4d6 c1g5 b8c6 d4e3 f8e7 b1d2 e8g8 "
    "e1c1 f8e8 c1b1"
)
GAME_1997 = (
    "d4 Sf6 c4 e6 Sc3 Lb4 Ld2 0-0 e4 d5 exd5 exd5 cxd5 Lxc3 Lxc3 Sxd5 Sf3 b6 Db3 Sxc3 bxc3 c5 Le2 "
    "cxd4 Sxd4 Te8 0-0 Sd7 a4 Sc5 Db4 Lb7 a5"
)
GAME_1997_SHORT = GAME_1997.replace("x", "")
MOVES_1997 = (
    "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4 c1d2 e8g8 e2e4 d7d5 e4d5 e6d5 c4d5 b4c3 d2c3 f6d5 g1f3 b7b6 "
    "d1b3 d5c3 b2c3 c7c5 f1e2 c5d4 f3d4 f8e8 e1g1 b8d7 a2a4 d7c5 b3b4 c8b7 a4a5"
)
GAMES = {
    "fide-2023 C": (GAME_2023, MOVES_2023),
    "fide-2023 C, or": (GAME_2023_SHORT, MOVES_2023),
    "fide-1997 E": (GAME_1997, MOVES_1997),
    "fide-1997 E without x": (GAME_1997_SHORT, MOVES_1997),
}


def written(game: str) -> list[str]:
    return [text.replace("|", " ") for text in game.split()]


def understood(text: str, board: chess.Board, language: str) -> list[str]:
    heard: Heard = PackWords().understand(text, board, language)
    return [move.uci() for move in heard.moves] if heard.kind == "move" else [heard.kind]


# Norwegian, Danish and Swedish sheets have the German letters (fide-2023 C.3).
@pytest.mark.parametrize(
    "language", [name for name in ("de", "nb", "da", "sv") if name in languages()]
)
@pytest.mark.parametrize("game", GAMES)
def test_every_move_of_an_example_game_is_understood(game: str, language: str) -> None:
    sheet, moves = GAMES[game]
    board = chess.Board()
    for text, move in zip(written(sheet), moves.split(), strict=True):
        assert understood(text, board, language) == [move], (game, text)
        board.push_uci(move)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("edition", ["fide-2023", "fide-2014", "fide-1997", "basics-no"])
def test_an_example_game_is_announced_and_recorded_as_written(game: str, edition: str) -> None:
    sheet, moves = GAMES[game]
    table = Game(PackWords())
    setup = {"fact": "setup", "edition": edition, "white": {"impaired": True}}

    def feed(**fact: object) -> list[dict[str, object]]:
        value = json.loads(json.dumps({"t": 0, **fact}))
        return [ruling.to_json() for ruling in table.apply(parse(value))]

    feed(**setup)
    feed(fact="start")
    sides = ("white", "black")
    for ply, (text, move) in enumerate(zip(written(sheet), moves.split(), strict=True), 1):
        side, other = sides[(ply - 1) % 2], sides[ply % 2]
        announced = feed(fact="announce", by=side, text=text)
        assert [one["move"] for one in announced if one["ruling"] == "announced"] == [move], text
        feed(fact="make", by=side, move=move)
        feed(fact="make", by=other, move=move)
        done = [one for one in feed(fact="press", by=side) if one["ruling"] == "completed"]
        assert [(one["move"], one["ply"]) for one in done] == [(move, ply)]
        # The one writes as the text does, the other in moves: the sheets agree.
        feed(fact="record", by="white", ply=ply, text=text)
        feed(fact="record", by="black", ply=ply, text=move)
    last = feed(fact="position", board="black", placement=chess.STARTING_FEN.split()[0])
    assert [one["agree"] for one in last if one["ruling"] == "scoresheets"] == [True]


KNIGHTS_1 = "4k3/8/8/8/8/8/8/1K2N1N1 w - - 0 1"
KNIGHTS_2 = "4k3/8/8/6N1/8/8/8/1K4N1 w - - 0 1"
KNIGHTS_3 = "4k3/8/8/8/3N4/8/7N/1K6 w - - 0 1"
PROMOTING = "7k/3P1P2/8/8/8/8/1p4p1/4K3 {} - - 0 1"


def taken(fen: str) -> str:
    """The position with a black pawn on f3."""
    board = chess.Board(fen)
    board.set_piece_at(chess.F3, chess.Piece(chess.PAWN, chess.BLACK))
    return board.fen()


@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        # fide-2023 C.4, C.8; fide-1997 E.3, E.7
        (chess.STARTING_FEN, "e4", "e2e4"),
        (chess.STARTING_FEN, "d4", "d2d4"),
        (chess.STARTING_FEN, "d2d4", "d2d4"),
        (chess.STARTING_FEN, "Sg1f3", "g1f3"),
        (chess.STARTING_FEN, "Sf3", "g1f3"),
        ("4k3/p3p3/8/8/8/8/8/4K3 b - - 0 1", "e7e5", "e7e5"),
        ("4k3/8/p7/8/8/8/8/4K3 b - - 0 1", "a6a5", "a6a5"),
        ("4k3/8/p7/8/8/8/8/4K3 b - - 0 1", "a5", "a6a5"),
        ("4k3/8/8/8/8/8/1B6/R3K3 w - - 0 1", "Le5", "b2e5"),
        ("4k3/8/8/8/8/8/1B6/R3K3 w - - 0 1", "Td1", "a1d1"),
        ("4k3/8/8/8/8/8/1B6/R3K3 w - - 0 1", "Ta1d1", "a1d1"),
        ("4k3/8/8/8/8/4B3/8/4K3 w - - 0 1", "Le3g5", "e3g5"),
        # fide-2023 C.9; fide-1997 E.8
        ("4k3/8/8/4p3/8/8/1B6/4K3 w - - 0 1", "Lxe5", "b2e5"),
        ("4k3/8/8/4p3/8/8/1B6/R2rK3 w - - 0 1", "Txd1", "a1d1"),
        ("4k3/8/8/4p3/8/8/1B6/R2r1K2 w - - 0 1", "Td1", "a1d1"),
        ("4k3/8/8/8/8/5p2/6P1/4K1N1 w - - 0 1", "Sxf3", "g1f3"),
        ("4k3/8/8/8/8/5p2/6P1/4K3 w - - 0 1", "gxf3", "g2f3"),
        ("4k3/8/8/8/8/5p2/6P1/4K3 w - - 0 1", "gf3", "g2f3"),
        ("4k3/8/8/1p2p3/P2P4/8/8/4K3 w - - 0 1", "dxe5", "d4e5"),
        ("4k3/8/8/1p2p3/P2P4/8/8/4K3 w - - 0 1", "axb5", "a4b5"),
        ("4k3/8/8/1p2p3/P2P4/8/8/4K3 w - - 0 1", "ab5", "a4b5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6 e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5d6"),
        # fide-2023 C.10; fide-1997 E.9
        (KNIGHTS_1, "Sgf3", "g1f3"),
        (KNIGHTS_1, "Sef3", "e1f3"),
        (KNIGHTS_2, "S5f3", "g5f3"),
        (KNIGHTS_2, "S1f3", "g1f3"),
        (KNIGHTS_3, "Shf3", "h2f3"),
        (KNIGHTS_3, "Sdf3", "d4f3"),
        (taken(KNIGHTS_1), "Sgxf3", "g1f3"),
        (taken(KNIGHTS_1), "Sexf3", "e1f3"),
        (taken(KNIGHTS_2), "S5xf3", "g5f3"),
        (taken(KNIGHTS_2), "S1xf3", "g1f3"),
        (taken(KNIGHTS_3), "Shxf3", "h2f3"),
        (taken(KNIGHTS_3), "Sdxf3", "d4f3"),
        (taken(KNIGHTS_3), "Sdf3", "d4f3"),
        # fide-2023 C.11; fide-1997 E.11
        (PROMOTING.format("w"), "d8D", "d7d8q"),
        (PROMOTING.format("w"), "f8S", "f7f8n"),
        (PROMOTING.format("b"), "b1L", "b2b1b"),
        (PROMOTING.format("b"), "g1T", "g2g1r"),
        # fide-2023 C.13; fide-1997 E.12
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "0-0-0", "e1c1"),
        ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "Te8++", "e1e8"),
        ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", "Te8#", "e1e8"),
        ("6k1/5pp1/8/8/8/8/8/4R1K1 w - - 0 1", "Te8+", "e1e8"),
        ("6k1/5pp1/8/8/8/8/8/4R1K1 w - - 0 1", "Te8", "e1e8"),
    ],
)
def test_examples_of_the_appendices_on_notation(fen: str, text: str, move: str) -> None:
    assert understood(text, chess.Board(fen), "de") == [move]


# The last moves of the example games carry the offer of a draw, and fide-1997 E.8 prints a space
# after the file and the x.
@pytest.mark.parametrize(
    ("fen", "text", "move"),
    [
        ("4k3/8/8/8/8/8/8/2K5 w - - 0 1", "Kb1 (=)", "c1b1"),
        ("4k3/8/8/8/P7/8/8/2K5 w - - 0 1", "a5 (=)", "a4a5"),
        ("4k3/8/8/8/8/8/8/2K5 w - - 0 1", "Kb1(=)", "c1b1"),
        ("4k3/8/8/1p2p3/P2P4/8/8/4K3 w - - 0 1", "dx e5", "d4e5"),
    ],
)
def test_moves_as_the_appendices_print_them(fen: str, text: str, move: str) -> None:
    assert understood(text, chess.Board(fen), "de") == [move]
