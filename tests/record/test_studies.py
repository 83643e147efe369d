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
from blindplay.record.studies import annotated, studies
from blindplay.record.study import Mark, Puzzle, StudiedGame, StudyKind, Unread

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
        ("1. Ke3 1-0", "Game 1 in .*: its move 1, 'Ke3', cannot be played"),
        (
            f'[FEN "{MATE}"]\n\n1. Rb8 1-0',
            "cannot be played; correct it. If it was played, add --as game.",
        ),
        ('[FEN "nonsense"]\n\n1. e4 *', "Game 1 in .*: its position cannot be read"),
        ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n*', "cannot be reviewed"),
        ('[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 0 9999"]\n\n1. Ra8+ *', "cannot be reviewed"),
        ('[Variant "Atomic"]\n\n1. e4 *', "cannot be reviewed"),
        ('[Termination "unterminated"]\n\n1. e4 *', "is not over"),
        ('[Termination "Unterminated"]\n\n1. e4 *', "Game 1 in .*: it is not over"),
        ('[Termination "In progress"]\n[Result "1-0"]\n\n1. e4 *', "is not over"),
        (f'[Termination "Unterminated"]\n[FEN "{MATE}"]\n\n1. Ra7 *', "is not over"),
        ("1. e4 e5 *", "Game 1 in .*: it has no result"),
        ('[Result "?"]\n\n1. e4 e5', "has no result"),
        ("1. e4 e5 2.Sf3 Pc6 3. Lc4 Se4 1-0", "holds '2.Sf3'"),
        ("1. Sf4 d6 1-0", "Game 1 in .* holds 'Sf4', .* as K, Q, R, B and N"),
        ('[FEN "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"]\n\n*', "has no legal move"),
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra9;", "Position 1 in .*, line 1: 'Ra9' is not a move"),
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
        "2.Nf3 (2.f4 exf4 e.p.) N 2...Nc6 $1 3.Ng1-f3? 1-0"
    )
    (game,) = studies(written(tmp_path, text))
    assert isinstance(game, StudiedGame) and len(game.moves) == 4  # all but the last one
    assert "its move 3, 'Ng1-f3', cannot be played; it is read up to there." in game.remark


BROADCAST = """[White "Anna"]
[Black "Bert"]
[Result "1-0"]

1. e4 e5 2. Nf3 Nc6 3. Bxf7 {It stood.} Nf6 4. O-O 1-0
[White "Berg, Cia"]
[Black "Dahl, Dan"]
[Result "0-1"]

1. Qh5 e5 0-1

[White "Eva"]
[Black "Finn"]
[Result "1/2-1/2"]

1. d4 d5 (1... e5 2. Kd4 (2. e4 exd4) exd4) 2. c4 1/2-1/2
"""


def test_one_bad_game_refuses_no_other_and_is_named(tmp_path: Path) -> None:
    first, second, third = studies(written(tmp_path, BROADCAST))
    assert isinstance(first, StudiedGame) and not first.whole and len(first.moves) == 4
    assert first.remark.endswith(
        "Game 1 in given, Anna against Bert: its move 3, 'Bxf7', cannot be played; it is read "
        "up to there.".partition("given")[2]
    )
    assert isinstance(second, Unread)
    assert second.sentence.endswith(
        ", Cia Berg against Dan Dahl: its move 1, 'Qh5', cannot be played; correct it."
    )
    assert second.text.endswith("1. Qh5 e5 0-1\n") and "Berg, Cia" in second.text
    text = annotated(first.pgn, [], "BlindPlay")  # nothing of a file is lost
    assert (
        "{ An illegal move stands; moves from here: Bxf7, (It stood.), Nf6, O-O } 1-0"
        in " ".join(text.split())
    )
    assert isinstance(third, StudiedGame) and third.whole and len(third.moves) == 3
    assert third.remark.endswith("a variation is left out from 'Kd4' on, which cannot be played.")


@pytest.mark.parametrize(
    ("moves", "plies", "word"),
    [
        ("1. e4 d5 2. e:d5 Dxd5 3. Sc3 1:0", 5, ""),
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 Sf6 4. 0-0 S:e4 1-0", 8, ""),
        ("1. e4 c5 2. e5 d5 3. exd6 e.p. 1-0", 5, ""),
        ("1. e4 e5 2. Sf3 Sc6 3. Lg5 Le7 1-0", 4, "Lg5"),
        ("1. ♙e4 ♟e5 2. ♘f3 ♞c6 3. ♗b5 1-0", 5, ""),
        ("1. e4 e5 2. Кf3 Кc6 3. Сb5 Фe7 1-0", 6, ""),
        *(  # a slip in a game with the letters of PGN: the queen could go there
            (f"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 {slip}f6 5. O-O 1-0", 7, f"{slip}f6")
            for slip in "MZGHJSX"
        ),
        ("1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. La4 Mf6 1-0", 7, "Mf6"),
        ("1. e4 (1. d4 Xf6 2. c4) 1... e5 2. Nf3 Mf6 1-0", 3, "Mf6"),
        ("1. e4 e5 2. -- Nc6 3. Nf3 1-0", 2, "--"),
        ("1. e4 e5 2. Z0 Nc6 1-0", 2, "Z0"),
        ("1. e4 e5 2. Nf3 (2. Nc3 -- 3. f4) 2... Nc6 1-0", 4, ""),
    ],
)
def test_a_game_is_read_as_far_as_its_signs_can_be_told(
    tmp_path: Path, moves: str, plies: int, word: str
) -> None:
    (game,) = studies(written(tmp_path, f'[Event "x"]\n\n{moves}\n'))
    assert isinstance(game, StudiedGame) and len(game.moves) == plies
    assert game.whole is not bool(word) and word in game.remark


def test_each_variation_ends_at_its_own_word_that_cannot_be_read(tmp_path: Path) -> None:
    text = "1. e4 e5 2. Nf3 (2. Mf3 d6) (2. f4 Xh4 3. g3) 2... Nc6 3. Bb5 1-0"
    (game,) = studies(written(tmp_path, text))
    assert isinstance(game, StudiedGame) and game.whole and len(game.moves) == 5
    assert "a variation is left out from 'Mf3' on" in game.remark
    (line,) = game.pgn.variations[0].variations[0].variations[1:]
    assert line.move.uci() == "f2f4" and line.comment.endswith("moves from here: Xh4, g3")


def test_one_bad_position_refuses_no_other_and_is_named(tmp_path: Path) -> None:
    text = f"fen\n# mates\n6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra9;\nnonsense\n{MATE}\n"
    heading, first, second, third = studies(written(tmp_path, text))
    assert isinstance(heading, Unread) and ", line 1: this is not a position" in heading.sentence
    assert isinstance(first, Unread) and ", line 3: 'Ra9' is not a move there" in first.sentence
    assert isinstance(second, Unread) and "Position 3 in " in second.sentence
    assert third == Puzzle(chess.Board(MATE))


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


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("bm Rd3", "'Rd3' is not a move there"),  # the king of a French player could go there
        ("bm Na5 Md3", "'Md3' is not a move there"),
        ("bm Nd2", "'Nd2' can be several moves there"),
    ],
)
def test_a_move_of_epd_that_is_not_sure_is_not_guessed(
    tmp_path: Path, moves: str, why: str
) -> None:
    text = f"4k3/8/8/8/8/1N3N2/4K3/R7 w - - {moves};\n{MATE}\n"
    first, second = studies(written(tmp_path, text))
    assert isinstance(first, Unread) and why in first.sentence
    assert isinstance(second, Puzzle)


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


PLACED = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1"
QG6 = chess.Move.from_uci("g3g6")


@pytest.mark.parametrize(
    ("line", "best", "name"),
    [
        (f"{PLACED} w - - 0 1", (), ""),
        (f'{PLACED} w - - 0 1 bm Qg6; id "WAC.001";', (QG6,), "WAC.001"),
        (f"{PLACED} w - - bm Qg6!; c0 \"a; b\"; id 'x y';", (QG6,), "'x y'"),
        (f'{PLACED}\tw\t-\t-\tbm Qg6; id "t";', (QG6,), "t"),
        (f"{PLACED},w,-,-,0,1,g3g6", (QG6,), ""),
        (f"{PLACED} w - -;", (), ""),
        (f"{PLACED} w - -; Qg6!! wins", (QG6,), "wins"),
        (f"{PLACED} W", (), ""),
        (f"{PLACED}/ w - - 0 1 1. Qg6", (QG6,), ""),
        (f"1. {PLACED} w - - 1 ; White to move and win", (), "White to move and win"),
        (f"{PLACED} w KQkq - 0 1 bm Dg6;", (QG6,), ""),
        (f"{PLACED} w - e3 0 1 bm Qg6, Nxf7;", (QG6, chess.Move.from_uci("e5f7")), ""),
        (f'"{PLACED} w - - 0 1"', (), ""),
        (f"{PLACED} w - - acn 12; acs 3; ce +50; dm 2; bm Qg6; pv Qg6 fxg6 Nxg6#;", (QG6,), ""),
    ],
)
def test_positions_are_read_as_people_publish_them(
    tmp_path: Path, line: str, best: tuple[chess.Move, ...], name: str
) -> None:
    (puzzle,) = studies(written(tmp_path, f"{line}\n"))
    assert isinstance(puzzle, Puzzle) and puzzle.board.board_fen() == PLACED
    assert (puzzle.best, puzzle.name) == (best, name)
    assert puzzle.board.is_valid() and puzzle.board.turn == chess.WHITE


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - bm 0-0;", "e1g1"),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - bm e4;", "e2e4"),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - bm e4;", "e2e4"),
        ("1k1r3r/8/8/8/8/8/8/1K1R3R b Dd - bm Rxd1+;", "d8d1"),
    ],
)
def test_castling_and_the_rights_of_chess960_are_read(tmp_path: Path, line: str, move: str) -> None:
    (puzzle,) = studies(written(tmp_path, line))
    assert isinstance(puzzle, Puzzle) and [one.uci() for one in puzzle.best] == [move]


@pytest.mark.parametrize(
    "tags", ['[Variant "From Position"]', '[TimeControl "600+0"]', '[Termination "Normal"]']
)
def test_a_game_that_was_played_from_a_position_is_a_game(tmp_path: Path, tags: str) -> None:
    text = f'[Event "x"]\n[Result "0-1"]\n[FEN "{MATE}"]\n{tags}\n\n1. Rb1 h6 0-1\n'
    (game,) = studies(written(tmp_path, text))
    assert isinstance(game, StudiedGame) and len(game.moves) == 2
    (puzzle,) = studies(written(tmp_path, text), StudyKind.PUZZLE)
    assert isinstance(puzzle, Puzzle)


def test_a_position_in_a_tag_may_have_signs_behind_it(tmp_path: Path) -> None:
    for fen in (f"{MATE};", MATE.replace(" - - 0 1", " - -")):
        (puzzle,) = studies(written(tmp_path, f'[FEN "{fen}"]\n\n1. Ra8# *\n'))
        assert isinstance(puzzle, Puzzle) and puzzle.board.fen() == MATE


def test_the_letters_of_one_game_are_those_of_the_next_which_alone_would_not_tell(
    tmp_path: Path,
) -> None:
    """In the second game S may be a queen or a knight, and an illegal move stands in it."""
    first = "1. e4 e5 2. Sf3 Sc6 3. Lb5 a6 4. 0-0 De7 5. Te1 Dd8 1-0"
    second = "1. e4 e5 2. Sf3 d6 3. Lxh7 Se7 1-0"
    one, two = studies(written(tmp_path, f'[Event "a"]\n\n{first}\n\n[Event "b"]\n\n{second}\n'))
    assert isinstance(one, StudiedGame) and len(one.moves) == 10
    assert isinstance(two, StudiedGame) and two.moves[2] == chess.Move.from_uci("g1f3")
    assert len(two.moves) == 4 and "Bxh7" in two.remark
