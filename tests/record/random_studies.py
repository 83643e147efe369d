"""Studies at random: nested variations, comments in many languages, signs, positions, Chess960."""

from __future__ import annotations

import io
import unicodedata
from random import Random

import chess
import chess.pgn

_WORDS = (  # noqa: SIM905
    "e4 Sf3! 12.Nf3 (besser) „gut“ “better” «mieux» it's "
    "O'Neil 0-0 1-0 1/2-1/2 * – - ... … 50% a) a: "
    "Łódź Šimkus Žydrunas Ångström Ærø Öl Øst Grüße İstanbul ñandú Čapek Иванов Ελλάδας ОТЁЛ naïve "
    "Kommentar: Comment: Variante 1: Partie 2: Züge Moves White: [%cal Gd1h5,Ra1a8] [%csl Ge4] "
    '[%clk 0:10:00] $14 += :) ;-) a b Z3a 3a 1) ((x)) "quoted" 日本 😀 '
    "https://lichess.org/study?a=b&c#d "
    "x_y C:\\temp "
    "½-½ +- ±0,3 §5 €3 7/8 \u2800 ⠿ ; | ~ ^ @ ` = < >"
).split()
_POSITIONS = (
    "8/P6k/8/8/8/8/p6K/8 w - - 0 1",
    "r3k2r/pppq1ppp/2n2n2/3pp3/3PP3/2N2N2/PPPQ1PPP/R3K2R b KQkq - 3 9",
    "8/8/8/3k4/3pP3/8/8/3K4 b - e3 0 41",
    "4k3/1P6/8/8/8/8/1p6/4K3 b - - 12 77",
)
_TAGS = (
    ("Event", "Cup “Łódź”: round 1"), ("Site", "Zürich, [CH]"), ("Date", "2026.11.??"),
    ("Round", "3.1"), ("White", "Šimkus, Žydrunas"), ("Black", "O'Neil, Åse"), ("Result", "1-0"),
    ("WhiteElo", "2301"), ("ECO", "C45"), ("Annotator", "https://lichess.org/@/x_y"),
    ("Turnier", "x"), ("StudyName", "A: b"), ("ChapterName", "Partie 2"),
    ("TimeControl", "40/7200:3600+30"), ("Result", "1/2-1/2"),
)  # fmt: skip


def random_study(seed: int, plies: int = 40) -> chess.pgn.Game:
    """A study, as it is after it was written to a PGN file and read from it."""
    random = Random(seed)
    game = chess.pgn.Game()
    for name, value in random.sample(_TAGS, random.randrange(len(_TAGS))):
        game.headers[name] = value
    kind = random.randrange(4)
    if kind == 1:
        game.setup(chess.Board(random.choice(_POSITIONS)))
    elif kind == 2:
        game.setup(chess.Board.from_chess960_pos(random.randrange(960)))
    if random.random() < 0.5:
        game.comment = _comment(random)
    _grow(game, random, plies, depth=0)
    return reread(game)


def reread(game: chess.pgn.Game) -> chess.pgn.Game:
    """The game as a PGN file holds it, with single spaces in comments."""
    for node in [game, *_nodes(game)]:
        node.comment, node.starting_comment = _plain(node.comment), _plain(node.starting_comment)
    read = chess.pgn.read_game(io.StringIO(str(game)))
    assert read is not None
    assert not read.errors, read.errors
    for node in [read, *_nodes(read)]:
        node.comment, node.starting_comment = _plain(node.comment), _plain(node.starting_comment)
    return read


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text.replace("{", "(").replace("}", ")")).split())


def _nodes(node: chess.pgn.GameNode) -> list[chess.pgn.ChildNode]:
    found, left = [], list(node.variations)
    while left:
        one = left.pop()
        found.append(one)
        left += one.variations
    return found


def _comment(random: Random) -> str:
    many = 300 if random.random() < 0.05 else 8
    return " ".join(random.choice(_WORDS) for _ in range(random.randint(1, many)))


def _grow(node: chess.pgn.GameNode, random: Random, plies: int, depth: int) -> None:
    for _ply in range(plies):
        board = node.board()
        moves = list(board.legal_moves)
        if not moves:
            return
        special = [
            m for m in moves if m.promotion or board.is_castling(m) or board.is_en_passant(m)
        ]
        moves = random.sample(special or moves, min(3, len(special or moves)))
        child = node.add_variation(moves[0])
        _annotate(child, random, depth)
        for other in moves[1:]:
            if depth < 4 and random.random() < 0.2:
                variation = node.add_variation(other)
                _annotate(variation, random, depth + 1)
                if random.random() < 0.4:
                    variation.starting_comment = _comment(random)
                _grow(variation, random, random.randrange(6), depth + 1)
        node = child
    if depth and random.random() < 0.2:
        node.add_variation(chess.Move.null(), comment="null")


def _annotate(node: chess.pgn.ChildNode, random: Random, depth: int) -> None:
    if random.random() < 0.2:
        node.nags = {
            random.choice((1, 2, 3, 4, 5, 6, 7, 10, 13, 14, 16, 18, 22, 40, 132, 146, 220))
        }
        if random.random() < 0.2:
            node.nags |= {1, 19, 253}
    if random.random() < 0.25:
        node.comment = _comment(random)
    elif random.random() < 0.2:
        node.comment = "[%clk 1:23:45] [%eval 0.35]"
