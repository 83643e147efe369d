"""What people study: journals of games that are over, PGN, EPD; and the annotated game."""

from __future__ import annotations

import io
import re
from pathlib import Path

import chess
import chess.pgn
import pytest

from blindplay.laws import facts as f
from blindplay.record import Journal
from blindplay.record.studies import (
    Mark,
    Puzzle,
    StudiedGame,
    StudyKind,
    annotated,
    studies,
)

SETUP = f.Setup(boards=1, arbiter="automatic", white=f.Player(name="Anna"))
MADE = (
    f.Make(t=1, by="white", move="e2e4"), f.Press(t=2, by="white"),
    f.Make(t=3, by="black", move="e7e5"), f.Press(t=4, by="black"),
)  # fmt: skip
MATE = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"
TWO = '[White "Anna"]\n\n1. e4 {[%clk 1:00:00]} e5 (1... c5) 1-0\n\n[White "Bert"]\n\n1. d4 0-1\n'


def written(folder: Path, text: str | bytes, name: str = "given") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def journal(folder: Path, *facts: f.Fact) -> Path:
    path = folder / "game.jsonl"
    with Journal(path) as kept:
        kept.append(SETUP, f.Start(), *facts)
    return path


def test_a_journal_is_studied_when_its_game_is_over(tmp_path: Path) -> None:
    (game,) = studies(journal(tmp_path, *MADE, f.Resign(t=9, by="white")))
    assert isinstance(game, StudiedGame) and game.whole
    assert [move.uci() for move in game.moves] == ["e2e4", "e7e5"]
    assert game.pgn.headers["White"] == "Anna" and game.pgn.headers["Result"] == "0-1"


@pytest.mark.parametrize(
    ("facts", "why"), [(MADE, "is not over"), ((f.Resign(t=9, by="white"),), "has no moves")]
)
def test_a_game_that_is_not_over_or_has_no_moves_is_refused(
    tmp_path: Path, facts: tuple[f.Fact, ...], why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        studies(journal(tmp_path, *facts))


def test_pgn_holds_games_and_puzzles(tmp_path: Path) -> None:
    first, second = studies(written(tmp_path, TWO))
    assert isinstance(first, StudiedGame) and len(first.moves) == 2
    assert isinstance(second, StudiedGame) and second.pgn.headers["White"] == "Bert"
    text = f'[Event "Mate"]\n[FEN "{MATE}"]\n\n1. Ra8# *\n'
    (puzzle,) = studies(written(tmp_path, text))
    ra8 = chess.Move.from_uci("a1a8")
    assert puzzle == Puzzle(chess.Board(MATE), "Mate", (ra8,), line=(ra8,))
    (as_game,) = studies(written(tmp_path, text), StudyKind.GAME)  # mate is an end, too
    (played,) = studies(written(tmp_path, text.replace("[FEN", '[Mode "OTB"]\n[FEN')))
    assert isinstance(as_game, StudiedGame) and isinstance(played, StudiedGame)
    (opening,) = studies(written(tmp_path, "1. e4 e5 *"), StudyKind.PUZZLE)
    assert isinstance(opening, Puzzle) and len(opening.line) == 2


def test_pgn_in_the_standards_encoding_is_read(tmp_path: Path) -> None:
    (game,) = studies(written(tmp_path, '[White "Björn"]\n\n1. e4 1-0'.encode("latin-1")))
    assert isinstance(game, StudiedGame) and game.pgn.headers["White"] == "Björn"


def test_epd_holds_puzzles_with_moves_to_find_and_to_avoid(tmp_path: Path) -> None:
    text = (
        "# the first ones\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"back rank\";\n\n"
        "6k1/5ppp/8/8/8/8/8/R5K1 w - - am Ra7 Ra6;\n6k1/5ppp/8/8/8/8/8/R5K1 w - - pv Ra8;\n"
    )  # fmt: skip
    first, second, third = studies(written(tmp_path, text))
    assert isinstance(first, Puzzle) and isinstance(second, Puzzle) and isinstance(third, Puzzle)
    assert (first.name, first.best) == ("back rank", (chess.Move.from_uci("a1a8"),))
    assert [move.uci() for move in second.avoid] == ["a1a7", "a1a6"] and not second.best
    assert third.best == third.line == first.best


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Buy milk and eggs.\n", "holds no game and no position"),
        ("", "holds no game and no position"),
        ("1. e4 e5 2. Ke3 *", "Game 1 in .* has a mistake near its move 2"),
        (TWO + "\n1. e4 e4 *", "Game 3 in .* has a mistake"),
        ('[FEN "nonsense"]\n\n1. e4 *', "Game 1 in .* cannot be read"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "cannot be reviewed"),
        ('[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 0 9999"]\n\n1. Ra8+ *', "cannot be reviewed"),
        ('[Variant "Atomic"]\n\n1. e4 *', "cannot be reviewed"),
        ('[Termination "unterminated"]\n\n1. e4 *', "is not over"),
        ('[Termination "Unterminated"]\n\n1. e4 *', "Game 1 in .* is not over"),
        ('[Termination "In progress"]\n[Result "1-0"]\n\n1. e4 *', "is not over"),
        (f'[Termination "Unterminated"]\n[FEN "{MATE}"]\n\n1. Ra7 *', "is not over"),
        ("1. e4 e5 *", "Game 1 in .* has no result"),
        ('[Result "?"]\n\n1. e4 e5', "has no result"),
        (TWO + "\n1. e4 e5 2. Sf4 d6 1-0", "Game 3 in .* holds 'Sf4', .* as K, Q, R, B and N"),
        ("1. e4 e5 2.Sf3 Pc6 3. Lc4 Se4 1-0", "holds '2.Sf3'"),
        ("1. e4 d5 2. e:d5 1-0", "holds 'e:d5'"),
        ('[FEN "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]\n\n*', "has no legal move"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra9;", "line 1: this is not EPD"),
        ("8/8/8/8/8/8/8/R5K1 w - - bm Ra8;", "line 1: this position cannot be played on"),
    ],
)
def test_what_cannot_be_studied_is_told_with_its_place(tmp_path: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        studies(written(tmp_path, text))


def test_a_game_that_has_ended_without_a_result_is_studied(tmp_path: Path) -> None:
    """PGN has no result for two losers (11.8), and none for a game that was broken off."""
    for text in ('[Termination "Abandoned"]\n\n1. e4 *', "1. f3 e5 2. g4 Qh4# *"):
        (game,) = studies(written(tmp_path, text))
        assert isinstance(game, StudiedGame)


def test_letters_in_comments_and_behind_moves_are_no_pieces(tmp_path: Path) -> None:
    text = (
        '[Event "Sf3"]\n[Annotator "Pf3"]\n\n1.e4! {Sf3\nPf3} e5?! ; Lb5\n% Pf3\n'
        "2.Nf3 (2.f4 exf4 e.p.) N 2...Nc6 $1 3.Ng1-f3? *"
    )
    with pytest.raises(ValueError, match="has a mistake near its move 3"):  # the last move only
        studies(written(tmp_path, text))


@pytest.mark.parametrize(
    "letters", ["KDTLS", "KDTLP", "KDTLR", "RDTAC", "\u2654\u2655\u2656\u2657\u2658", "KHWGS"]
)
def test_pgn_with_the_letters_of_another_language_is_read(tmp_path: Path, letters: str) -> None:
    """The PGN standard (1994, 8.2.1.1) asks for K, Q, R, B and N, and programs write others."""
    text = "1.e4 e5 2.Nf3 {Nf3} Nc6 (2...d6 3.Bc4 (3.d4 Nd7)) 3.Bb5 Nf6 4.O-O Nxe4 5.Re1 Qe7 *"
    (game,) = studies(written(tmp_path, text), StudyKind.PUZZLE)
    told = re.sub("[KQRBN](?=[a-h1-8x])", lambda piece: letters["KQRBN".index(piece[0])], text)
    told = told.replace(f"{{{letters[4]}f3}}", "{Nf3}")
    (other,) = studies(written(tmp_path, told.encode()), StudyKind.PUZZLE)
    assert isinstance(game, Puzzle) and other == game and len(game.line) == 10


def test_epd_with_the_letters_of_another_language_is_read(tmp_path: Path) -> None:
    lines = [
        f"6k1/5ppp/8/8/8/8/8/R5K1 w - - {moves};" for moves in ("bm Ta8", "pv Ta8+ ", "am Ta7")
    ]
    first, second, third = studies(written(tmp_path, "\n".join(lines)))
    assert isinstance(first, Puzzle) and isinstance(second, Puzzle) and isinstance(third, Puzzle)
    assert first.best == second.line == (chess.Move.from_uci("a1a8"),)
    assert third.avoid == (chess.Move.from_uci("a1a7"),)


def test_marks_become_signs_comments_and_variations_and_nothing_is_lost(tmp_path: Path) -> None:
    (game, _) = studies(written(tmp_path, TWO))
    assert isinstance(game, StudiedGame)
    better = [chess.Move.from_uci(uci) for uci in ("d2d4", "d7d5")]
    marks = [
        Mark(0, False, "Not this.", better, "This."),
        Mark(1, True, "It loses.", [chess.Move.from_uci("c7c5")], "It is there already."),
    ]
    text = annotated(game.pgn, marks, "BlindPlay")
    again = chess.pgn.read_game(io.StringIO(text))
    assert again is not None and not again.errors
    assert annotated(again, marks, "BlindPlay") == text  # a second time adds nothing
    assert again.headers["Annotator"] == "BlindPlay"
    first, second = again.mainline()
    assert first.nags == {chess.pgn.NAG_MISTAKE} and second.nags == {chess.pgn.NAG_BLUNDER}
    assert first.comment == "[%clk 1:00:00] Not this." and second.comment == "It loses."
    variation = again.variations[1]
    assert (variation.move, variation.comment) == (better[0], "This.")
    assert variation.variations[0].move == better[1]
    assert [node.move for node in first.variations] == [second.move, chess.Move.from_uci("c7c5")]
