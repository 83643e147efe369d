"""The tree of an analysis: what is kept is read again as the same tree, whatever was tried, and
whenever the process was killed."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import chess
import chess.engine
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.record.analysis_tree import AnalysisTree, game_from
from blindplay.record.openings import OpeningName
from blindplay.record.studies import studies
from blindplay.record.study import StudiedGame, StudyKind
from tests.sampling import examples

Line = tuple[str, ...]
MIDDLE = chess.Board("r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 0 9")


def lines_of(node: chess.pgn.GameNode) -> list[Line]:
    """All lines of a tree, each to its end, in UCI and in their order."""
    if not node.variations:
        return [()]
    return [(str(child.move), *line) for child in node.variations for line in lines_of(child)]


def read_again(path: Path) -> list[chess.pgn.Game]:
    found = []
    for entry in studies(path, StudyKind.ANALYSIS):
        assert isinstance(entry, StudiedGame) and entry.whole and not entry.remark
        found.append(entry.pgn)
    return found


def walk(tree: AnalysisTree, chance: random.Random) -> None:
    """Do one thing that a person may do."""
    board = tree.board
    legal = list(board.legal_moves)
    match chance.randrange(8):
        case 0 if tree.node.parent is not None:
            tree.go(tree.node.parent)
        case 1:
            tree.go(chance.choice(list(tree.path_to(tree.node))))
        case 2 if (following := tree.following()) is not None:
            tree.go(following)
        case 3 if tree.node.parent is not None and not tree.node.variations:
            tree.back(drop=True)
        case 4 if not board.is_check():
            tree.play(chess.Move.null())
        case 5 if not board.is_game_over():
            tree.judge(tree.node, chess.engine.PovScore(chess.engine.Cp(-35), board.turn))
        case _ if legal:
            tree.play(chance.choice(legal))


@examples(40)
@given(seed=st.integers(0, 1 << 32), steps=st.integers(1, 60))
def test_what_is_kept_is_read_again_as_the_same_trees(
    tmp_path_factory: pytest.TempPathFactory, seed: int, steps: int
) -> None:
    chance = random.Random(seed)
    path = tmp_path_factory.mktemp("tree") / "kept.pgn"
    tree = AnalysisTree(path, game_from(chess.Board()), "Scripted")
    earlier: list[list[Line]] = []
    for _step in range(steps):
        if chance.randrange(20):
            walk(tree, chance)
        else:
            if tree.game.variations:
                earlier.append(lines_of(tree.game))
            tree.begin(MIDDLE)
    if not tree.game.variations:
        tree.play(next(iter(tree.board.legal_moves)))
    tree.keep()
    again = read_again(path)
    assert [lines_of(game) for game in again] == [*earlier, lines_of(tree.game)]
    assert again[-1].board().fen() == tree.game.board().fen()
    evals = [node.eval() for node in again[-1].mainline()]
    assert evals == [node.eval() for node in tree.game.mainline()]


def test_nothing_is_written_before_the_first_change(tmp_path: Path) -> None:
    path = tmp_path / "analyses" / "kept.pgn"
    tree = AnalysisTree(path, game_from(chess.Board()))
    tree.go(tree.game)
    assert not tree.kept and not path.parent.exists()
    tree.play(chess.Move.from_uci("e2e4"))
    assert tree.kept and lines_of(read_again(path)[0]) == [("e2e4",)]


@pytest.mark.parametrize("given", [True, False])
def test_what_is_noted_where_an_analysis_begins_is_written_with_what_comes_later(
    tmp_path: Path, given: bool
) -> None:
    played = chess.Board()
    played.push_uci("e2e4")
    tree = AnalysisTree(tmp_path / "kept.pgn", game_from(played if given else chess.Board()))
    tree.walk(played.move_stack)
    tree.judge(tree.node, chess.engine.PovScore(chess.engine.Cp(20), chess.BLACK))
    tree.name(OpeningName("B00", "King's Pawn Game"))
    assert not tree.kept and not tree.path.exists()
    tree.play(chess.Move.from_uci("e7e5"))
    (game,) = read_again(tree.path)
    assert game.headers["ECO"] == "B00" and game.variations[0].eval() is not None


def test_a_game_that_came_with_a_code_of_its_opening_keeps_it(tmp_path: Path) -> None:
    game = game_from(chess.Board())
    game.headers["ECO"] = "A00"
    tree = AnalysisTree(tmp_path / "kept.pgn", game)
    tree.name(OpeningName("B00", "King's Pawn Game"))
    assert game.headers["ECO"] == "A00" and not tree.kept
    tree.begin(chess.Board())
    tree.name(OpeningName("B00", "King's Pawn Game"))
    assert tree.game.headers["Opening"] == "King's Pawn Game" and tree.kept


WALKS = """
import random, sys
from pathlib import Path
import chess
from blindplay.record.analysis_tree import AnalysisTree, game_from
tree = AnalysisTree(Path(sys.argv[1]), game_from(chess.Board()))
chance = random.Random(7)
while True:
    board = tree.board
    if board.is_game_over() or board.ply() > 60:
        tree.go(tree.game)
        continue
    move = chance.choice(list(board.legal_moves))
    tree.play(move)
    print(tree.board.ply(), flush=True)
"""


@pytest.mark.parametrize("moves", [1, 5, 40])
def test_a_killed_process_loses_nothing_that_was_tried(tmp_path: Path, moves: int) -> None:
    path = tmp_path / "kept.pgn"
    process = subprocess.Popen(
        [sys.executable, "-c", WALKS, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    for _move in range(moves):
        process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()
    (game,) = read_again(path)
    assert sum(1 for _ in game.mainline()) >= moves


def test_positions_that_were_set_up_stay_though_no_move_was_tried(tmp_path: Path) -> None:
    tree = AnalysisTree(tmp_path / "kept.pgn", game_from(chess.Board()))
    first, last = chess.Board("4k3/8/8/8/8/8/p7/4K3 w - - 0 1"), MIDDLE
    tree.begin(first)
    first.turn = chess.BLACK  # the same position, with the other side to move
    tree.begin(first)
    tree.begin(last)
    fens = [game.headers["FEN"] for game in read_again(tree.path)]
    assert fens == [first.fen(), last.fen()]
