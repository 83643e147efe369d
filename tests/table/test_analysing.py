"""Analysis by moving pieces: what hands do, what is typed, what the engine says, what is kept."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import chess
import chess.pgn
import pytest

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.given import shown
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import AnalysisWord, Language, languages, load
from blindplay.opponents import analysis, questions, uci
from blindplay.opponents.analysis import Analyst
from blindplay.record.analysis_tree import AnalysisTree, game_from
from blindplay.record.openings import OpeningName
from blindplay.record.studies import studies
from blindplay.record.study import Puzzle, StudiedGame, StudyKind
from blindplay.speech.recogniser import Recogniser
from blindplay.speech.synthesis import Synthesiser, is_words
from blindplay.table.analysing import Analysing, TryingOut
from blindplay.table.attendant import AnsweringEar, Attendant, Prompter
from blindplay.table.reviewing import LessonPart, Teacher, _go_through, solve
from tests import ROOT
from tests.boards.emulated import EmulatedReportingBoard
from tests.boards.wires import WIRES, Millennium, Pegasus, Wire
from tests.opponents.playing_alone import scripted
from tests.opponents.test_analysis import FEW, free
from tests.table.speaking import PAUSE, Microphone, spoken
from tests.table.test_attendant import Running
from tests.table.test_reviewing import taught
from tests.waiting import PATIENCE_S, until

ENGLISH = load("en")
E4 = "White: Pawn Eva two Eva four."
E5 = "Black: Pawn Eva seven Eva five."
D4 = "White: Pawn David two David four."
NF3 = "White: Knight Gustav one Felix three."
BACK_E4 = "Taken back, White: Pawn Eva two Eva four."
WHITE, BLACK = "White to move.", "Black to move."
NONE = "No move has been played yet."
DIFFERS = (
    "This is no move from here. Press Enter, and the board is put right step by step. "
    "With set up the position on the board counts."
)
DONE = "The position is set up."
WON = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"


class Analysed(Running):
    """A person who analyses, at a board or without one."""

    def __init__(
        self,
        path: Path,
        *,
        pack: Language = ENGLISH,
        board: EmulatedBoard | None = None,
        address: str | None = None,
        begin: chess.Board | chess.pgn.Game | None = None,
        program: uci.EngineProgram | None = None,
        longest_s: float = 60.0,
        given: bool = False,
        keys: Iterable[str] | None = None,
    ) -> None:
        super().__init__()
        self._seen = 0
        self._stack = ExitStack()
        self.why: BaseException | None = None
        self.may_look = free
        voice = Prompter(self._stack, pack, True, self.out)
        url = address if board is None else board.url
        self.attendant = Attendant(self._stack, voice, keys or self.keys, url)
        game = begin if isinstance(begin, chess.pgn.Game) else game_from(begin or chess.Board())
        self.tree = AnalysisTree(path, game, "Scripted")
        analyst = Analyst(program or uci.BUILT_IN, free, longest_s=longest_s)
        self.teacher = Teacher(voice, self.attendant, analyst, True)
        self.analysing = Analysing(
            self.teacher,
            self.tree,
            analyst if program else None,
            lambda: self.may_look(),
            given=given,
        )
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        try:
            self.analysing.run()
        except ValueError as error:
            self.why = error

    def begun(self) -> None:
        """Pass over what is said at the beginning."""
        said = self.out.getvalue
        assert until(lambda: said().endswith(" to move.\n")), said()
        self._seen = len(said())

    def says(self, *sentences: str) -> None:
        """Wait until these sentences have been said next."""
        text = "".join(f"{sentence}\n" for sentence in sentences)
        printed = self.out.getvalue
        assert until(lambda: len(printed()) >= self._seen + len(text)), printed()[self._seen :]
        assert printed()[self._seen : self._seen + len(text)] == text, printed()[self._seen :]
        self._seen += len(text)

    def asks(self, line: str, *answer: str) -> None:
        self.keys.type(line)
        self.says(*answer)

    def ended(self) -> None:
        self.thread.join(PATIENCE_S)
        assert not self.thread.is_alive()
        self._stack.close()

    def quit(self) -> None:
        """End, and check that nothing else was said."""
        self.keys.type("quit")
        self.ended()
        assert self.out.getvalue()[self._seen :] == ""


@pytest.fixture(autouse=True)
def without_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the tests of names hear names of openings."""
    monkeypatch.setattr("blindplay.table.analysing.opening_of", lambda board: None)
    monkeypatch.setattr("blindplay.table.analysing.can_name", lambda: True)


def begun(path: Path, **more: object) -> Analysed:
    analysed = Analysed(path, **more)  # type: ignore[arg-type]
    analysed.begun()
    return analysed


def kept(path: Path) -> list[chess.pgn.Game]:
    """The trees in a file, as they are read again to go on with them."""
    found = []
    for entry in studies(path, StudyKind.ANALYSIS):
        assert isinstance(entry, StudiedGame) and entry.whole and not entry.remark
        found.append(entry.pgn)
    return found


def lines_of(node: chess.pgn.GameNode) -> set[tuple[str, ...]]:
    """All lines of a tree, each to its end, in UCI."""
    if not node.variations:
        return {()}
    return {(str(child.move), *line) for child in node.variations for line in lines_of(child)}


# --- by keyboard


def test_moves_of_both_sides_go_forth_and_back_and_all_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    analysed = begun(path)
    assert not path.exists()
    analysed.asks("e4", E4)
    analysed.asks("pawn e7 e5", E5)
    analysed.asks("back", "Taken back, Black: Pawn Eva seven Eva five.", BLACK)
    analysed.asks("take back", BACK_E4, WHITE)
    analysed.asks("back", NONE)
    analysed.asks("d4", D4)
    analysed.asks("back", "Taken back, White: Pawn David two David four.", WHITE)
    analysed.asks("variations", "one: Pawn Eva two Eva four.", "two: Pawn David two David four.")
    analysed.asks("forward", D4, "Other moves that you have tried here: one.")
    analysed.asks("forward", "This is the end of the line.")
    analysed.asks("to the start", NONE, WHITE)
    analysed.asks("one", E4)
    analysed.asks("forward", E5)
    analysed.asks("back 2", NONE, WHITE)
    analysed.asks("repeat", NONE, WHITE)
    analysed.asks("forward 9", "Last move, Black: Pawn Eva seven Eva five.", WHITE)
    assert lines_of(kept(path)[0]) == {("e2e4", "e7e5"), ("d2d4",)}
    analysed.quit()


def test_questions_are_answered_and_each_moment_has_something_to_do(tmp_path: Path) -> None:
    analysed = begun(tmp_path / "kept.pgn")
    analysed.asks("e4", E4)
    analysed.asks("what is on e4", "Eva four: white pawn.")
    analysed.asks("last move", "Last move, White: Pawn Eva two Eva four.")
    analysed.asks("captured pieces", ENGLISH.sentence("captured_none"))
    due = "Make a move, take one back, or type help."
    analysed.asks("", BLACK, due)
    analysed.asks("what now", BLACK, due)
    analysed.asks("Ke6", "That move is not legal. That piece does not move like that.")
    analysed.asks("hello", "I did not catch that. Please repeat.")
    analysed.asks("evaluation", "There is no engine now. The analysis goes on without one.")
    analysed.asks("fen", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1")
    analysed.quit()


def test_a_side_may_move_again_but_not_in_check(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    analysed = begun(path)
    analysed.asks("other side", BLACK)  # nothing was tried: Black begins
    analysed.asks("other side", WHITE)
    analysed.asks("e4", E4)
    analysed.asks("other side", "Black does not move.", WHITE)
    analysed.asks("d4", D4)
    analysed.asks("back", "Taken back, White: Pawn David two David four.", WHITE)
    analysed.asks("back", BLACK)
    analysed.asks("f5", "Black: Pawn Felix seven Felix five.")
    analysed.asks("Qh5", "White: Queen David one Hector five check.")
    analysed.asks("other side", "Black is in check and must move.")
    assert lines_of(kept(path)[0]) == {("e2e4", "0000", "d2d4"), ("e2e4", "f7f5", "d1h5")}
    analysed.quit()


def test_the_end_of_a_game_is_told(tmp_path: Path) -> None:
    analysed = begun(tmp_path / "kept.pgn", begin=chess.Board(WON))
    analysed.asks(
        "Ra8",
        "White: Rook Anna one Anna eight checkmate.",
        "The game is over. White wins. Checkmate.",
    )
    analysed.quit()


@pytest.mark.parametrize(
    ("fen", "over"),
    [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 1 1", "The game is over. White wins. Checkmate."),
        ("k7/8/1QK5/8/8/8/8/8 b - - 1 1", "The game is drawn. Stalemate."),
    ],
)
def test_who_stands_better_after_the_end_is_how_the_game_ended(
    tmp_path: Path, fen: str, over: str
) -> None:
    analysed = with_engine(tmp_path / "kept.pgn", begin=chess.Board(fen))
    analysed.wait(over)
    analysed._seen = len(analysed.out.getvalue())
    analysed.asks("evaluation", over)
    analysed.quit()
    assert "winning position" not in analysed.out.getvalue()
    assert "equal" not in analysed.out.getvalue()


# --- files


def test_a_file_is_never_replaced_and_holds_all_that_was_tried(tmp_path: Path) -> None:
    analysed = begun(tmp_path / "kept.pgn")
    analysed.asks("e4", E4)
    other, fen = tmp_path / "my line.pgn", tmp_path / "position.fen"
    analysed.asks(f"keep {tmp_path}/my line", f"The analysis is in {other}.")
    analysed.asks(f"keep {fen}", f"The position is in {fen}.")
    assert lines_of(kept(other)[0]) == {("e2e4",)}
    assert chess.Board(fen.read_text("utf-8")).fen() == analysed.tree.board.fen()
    analysed.asks(
        f"keep {fen}",
        "It cannot be written there. Name another file after keep.",
        f"trouble: {fen} exists already; give another name.",
    )
    analysed.keys.type(f"keep {tmp_path}/none/x")
    analysed.wait("It cannot be written there.", 2)
    analysed._seen = len(analysed.out.getvalue())
    analysed.asks("keep", f"The analysis is in {tmp_path / 'kept.pgn'}.")
    for name in (".", "..", "/", "~nobody-of-this-name/x", "a\0b"):
        analysed.keys.type(f"keep {name}")
        analysed.wait(f"trouble: {shown(name)} cannot be the name of a file.")
    analysed._seen = len(analysed.out.getvalue())
    analysed.asks("e5", E5)
    analysed.quit()


def test_a_disk_that_is_full_is_told_once_and_the_analysis_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "kept.pgn"
    analysed = begun(path)

    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("blindplay.record.analysis_tree.write_new", full)
        analysed.keys.type("e4")
        analysed.wait(E4)
        assert "No space left" in analysed.out.getvalue()
        analysed._seen = len(analysed.out.getvalue())
        analysed.asks("e5", E5)
    analysed.asks("Nf3", NF3)
    assert lines_of(kept(path)[0]) == {("e2e4", "e7e5", "g1f3")}
    analysed.quit()


def test_what_a_full_disk_did_not_take_is_written_at_the_end_or_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    for room in (True, False):
        path = tmp_path / f"{room}.pgn"
        analysed = begun(path)
        with monkeypatch.context() as patched:
            patched.setattr("blindplay.record.analysis_tree.write_new", full)
            analysed.keys.type("e4")
            analysed.wait(E4)
            if not room:
                analysed.keys.type("quit")
                analysed.ended()
        if room:
            analysed.keys.type("quit")
            analysed.ended()
        assert analysed.tree.kept == path.exists() == room
        assert analysed.out.getvalue().count("No space left") == 2 - room


def test_another_position_keeps_what_was_tried_before(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    analysed = begun(path)
    analysed.asks("e4", E4)
    analysed.keys.type("set up")
    analysed.wait("{} leaves everything as it was.".format("back"))
    analysed._seen = len(analysed.out.getvalue())
    analysed.asks("empty board", "The board is empty.")
    analysed.asks("white king e1, Ra1", "Eva one: white king.", "Anna one: white rook.")
    analysed.asks("ready", "Each side needs one king.")
    analysed.asks("black king e7", "Eva seven: black king.")
    analysed.asks("black king e8", "Eva eight: black king.")  # a king has one place
    analysed.asks("empty a1", "Anna one: empty.")
    analysed.asks("black rook e2", "Eva two: black rook.")
    analysed.asks("something else", "I did not catch that. Please repeat.")
    # After 1. e4 Black is to move, but White is in check.
    analysed.asks(
        "ready",
        "This position is analysed now. With other side the other side is to move.",
        WHITE,
    )
    dead = "The game is drawn. Dead position."
    analysed.asks("Kxe2", "White: King Eva one takes Eva two.", dead)
    first, second = kept(path)
    assert lines_of(first) == {("e2e4",)} and lines_of(second) == {("e1e2",)}
    assert second.headers["FEN"] == "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1"
    analysed.asks("set up", analysed.analysing._sentence("analyse_set_up"))
    analysed.asks("back", "The position stays as it was.")
    analysed.asks("set up", analysed.analysing._sentence("analyse_set_up"))
    analysed.asks("4k3/8/8/8/8/8/8/8 w - - 0 1", ENGLISH.sentence("analyse_kings"))
    for wrong in ("4k3/8/8/8/8/8/8/4K2P w - - 0 1", "9/8/8/8/8/8/8/8 w - - 0 1"):
        analysed.asks(wrong, ENGLISH.sentence("analyse_impossible"))
    analysed.asks(
        WON, "This position is analysed now. With other side the other side is to move.", WHITE
    )
    analysed.quit()


# --- the engine


def with_engine(path: Path, *words: str, **more: object) -> Analysed:
    """Somebody analyses with an engine that does these things."""
    return Analysed(path, program=scripted(path.parent, *words), **more)  # type: ignore[arg-type]


def test_each_arrival_is_judged_and_the_judgement_is_kept(tmp_path: Path) -> None:
    analysed = with_engine(tmp_path / "kept.pgn", "scored")
    analysed.begun()
    analysed.says("The position is equal.")  # 20 centipawns
    analysed.asks("a3", "White: Pawn Anna two Anna three.", "The position is equal.")
    analysed.asks("evaluation", "The position is equal.", "-0.20")
    analysed.asks(
        "best line 2",
        "The best line:",
        "Black: Pawn Anna seven Anna five.",
        "White: Pawn Anna three Anna four.",
        "The position is equal.",
    )
    analysed.quit()
    (game,) = kept(tmp_path / "kept.pgn")
    score = game.variations[0].eval()
    assert score is not None and score.white().score() == -20
    assert game.headers["Annotator"] == "BlindPlay, Scripted"


@pytest.mark.parametrize("failure", ["dies", "silent"])
def test_an_engine_that_fails_is_replaced_and_that_is_told(
    tmp_path: Path, failure: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)
    monkeypatch.setattr(uci, "PATIENCE_S", 0.1)
    analysed = with_engine(tmp_path / "kept.pgn", failure, begin=chess.Board(WON), longest_s=0.1)
    analysed.begun()
    analysed.says(ENGLISH.sentence("review_engine_failed"), "White mates in one move.")
    analysed.quit()


def test_without_any_engine_the_analysis_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = scripted(tmp_path, "dies")
    monkeypatch.setattr(questions, "BUILT_IN", broken)
    monkeypatch.setattr(uci, "BUILT_IN", broken)
    analysed = with_engine(tmp_path / "kept.pgn", "dies")
    analysed.begun()
    gone = "There is no engine now. The analysis goes on without one."
    analysed.says(gone)
    analysed.asks("e4", E4)
    analysed.asks("best line", gone)
    analysed.quit()


def test_quit_ends_at_once_while_an_engine_calculates(tmp_path: Path) -> None:
    analysed = with_engine(tmp_path / "kept.pgn", "silent")
    analysed.begun()
    analysed.quit()


def test_two_moves_or_all_that_were_tried_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)
    analysed = Analysed(tmp_path / "kept.pgn", begin=chess.Board(WON), program=uci.BUILT_IN)
    analysed.begun()
    analysed.says("White mates in one move.")
    what = "Type compare and two moves, or try at least two moves here first."
    analysed.asks("compare", what)
    analysed.asks("compare Ra8", what)
    analysed.keys.type("compare Kf1 and Ra8")
    analysed.wait("This one is better: Rook Anna one Anna eight.")
    said = analysed.out.getvalue()[analysed._seen :].splitlines()
    assert said[:3] == [
        "White: Rook Anna one Anna eight checkmate.",
        "The game is over. White wins. Checkmate.",
        "White: King Gustav one Felix one.",
    ]
    assert said[3].startswith("White ") and said[4] == "It misses mate in one move."
    analysed._seen = len(analysed.out.getvalue())
    analysed.keys.type("Kf1")
    analysed.keys.type("back")
    analysed.keys.type("Ra8")
    analysed.keys.type("back")
    analysed.keys.type("compare")
    analysed.wait("This one is better: Rook Anna one Anna eight.", 2)
    analysed.keys.type("quit")
    analysed.ended()


def test_an_analysis_ends_when_a_table_begins_a_game_and_what_was_tried_is_kept(
    tmp_path: Path,
) -> None:
    path = tmp_path / "kept.pgn"
    analysed = begun(path)
    analysed.asks("e4", E4)

    def refuse() -> None:
        raise ValueError("A table is playing.")

    analysed.may_look = refuse
    analysed.keys.type("e5")
    analysed.ended()
    assert str(analysed.why) == "A table is playing."
    assert lines_of(kept(path)[0]) == {("e2e4",)}


@pytest.mark.parametrize("code", languages())
def test_every_language_says_all_in_words_and_understands_its_own(
    tmp_path: Path, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)
    pack, names = load(code), AnalysisWord
    words = {name: load(code).analysis_phrases(name)[0] for name in names}
    lines = [
        "e2e4", words[names.FORWARD], "back", words[names.VARIATIONS], words[names.OTHER_SIDE],
        "d7d5", words[names.START], "d2d4", "back", words[names.COMPARE], words[names.BEST_LINE],
        words[names.SET_UP], words[names.CLEAR], words[names.READY],
        f"{pack.piece(chess.Piece(chess.KING, True))} e1, kh8", words[names.READY],
        "", "help", "quit",
    ]  # fmt: skip
    analysed = Analysed(
        tmp_path / "kept.pgn", pack=pack, program=uci.BUILT_IN, keys=[f"{line}\n" for line in lines]
    )
    analysed.ended()
    said = analysed.out.getvalue().splitlines()
    assert pack.sentence("not_understood") not in said and len(said) > 40
    assert [line for line in said if not is_words(line, code)] == []
    assert pack.sentence("analyse_kings") in said and pack.sentence("analyse_cleared") in said
    assert chess.Board(kept(tmp_path / "kept.pgn")[1].headers["FEN"]).king(chess.BLACK) == chess.H8


# --- hands


def test_hands_make_moves_of_both_sides_and_take_them_back(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    with EmulatedBoard() as board:
        analysed = begun(path, board=board)
        board.lift("e2")
        board.place("e4", "P")
        analysed.says(E4)
        board.lift("d7")
        board.place("d5", "p")
        analysed.says("Black: Pawn David seven David five.")
        board.lift("d5")
        board.lift("e4")
        board.place("d5", "P")
        analysed.says("White: Pawn Eva four takes David five.")
        board.lift("d5")
        board.place("e4", "P")
        board.place("d5", "p")
        analysed.says("Taken back, White: Pawn Eva four takes David five.", WHITE)
        board.lift("d5")
        board.place("d7", "p")
        analysed.says("Taken back, Black: Pawn David seven David five.", BLACK)
        board.lift("e4")
        board.place("e2", "P")
        analysed.says(BACK_E4, WHITE)
        analysed.quit()
    assert lines_of(kept(path)[0]) == {("e2e4", "d7d5", "e4d5")}


def test_another_move_by_the_same_piece_is_another_variation(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    with EmulatedBoard() as board:
        analysed = begun(path, board=board)
        board.lift("e2")
        board.place("e3", "P")
        analysed.says("White: Pawn Eva two Eva three.")
        board.lift("e3")
        board.place("e4", "P")
        analysed.says(E4)
        board.lift("g1")  # White moves again
        board.place("f3", "N")
        analysed.says("Black does not move.", NF3)
        analysed.quit()
    assert lines_of(kept(path)[0]) == {("e2e3",), ("e2e4", "0000", "g1f3")}


@pytest.mark.parametrize("rook_first", [False, True])
def test_castling_is_one_move_whatever_piece_is_first(tmp_path: Path, rook_first: bool) -> None:
    path = tmp_path / "kept.pgn"
    start = chess.Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with EmulatedBoard(start.board_fen()) as board:
        analysed = begun(path, board=board, begin=start)
        steps = [("e1", "g1", "K"), ("h1", "f1", "R")]
        for origin, to, letter in reversed(steps) if rook_first else steps:
            board.lift(origin)
            board.place(to, letter)
        if rook_first:
            analysed.says("White: Rook Hector one Felix one.")
        analysed.says("White: Castles kingside.")
        analysed.quit()
    assert lines_of(kept(path)[0]) == {("e1g1",)}


def test_a_pawn_waits_for_its_promotion_and_en_passant_for_the_captured_pawn(
    tmp_path: Path,
) -> None:
    start = chess.Board("4k3/P7/8/2pP4/8/8/8/4K3 w - c6 0 1")
    with EmulatedBoard(start.board_fen()) as board:
        analysed = begun(tmp_path / "kept.pgn", board=board, begin=start)
        board.lift("d5")
        board.place("c6", "P")
        board.lift("c5")
        analysed.says("White: Pawn David five takes Cæsar six en passant.")
        board.lift("e8")
        board.place("e7", "k")
        analysed.says("Black: King Eva eight Eva seven.")
        board.lift("a7")
        board.place("a8", "P")
        board.lift("a8")
        board.place("a8", "N")
        analysed.says("White: Pawn Anna seven Anna eight promotes to knight.")
        analysed.quit()


def test_what_is_no_move_is_told_once_and_put_right_step_by_step(tmp_path: Path) -> None:
    with EmulatedBoard() as board:
        analysed = begun(tmp_path / "kept.pgn", board=board)
        board.lift("e2")
        board.place("e5", "P")
        analysed.says(DIFFERS)
        board.lift("e5")
        board.place("e6", "P")
        analysed.keys.type("")
        analysed.wait("Move: white pawn, from Eva six to Eva two.")
        board.lift("e6")
        board.place("e2", "P")
        analysed.wait(DONE)
        analysed._seen = len(analysed.out.getvalue())
        board.lift("e2")
        board.place("e4", "P")
        analysed.says(E4)
        analysed.quit()


def test_hands_set_a_position_up_by_what_they_leave_on_the_board(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    with EmulatedBoard("4k3/8/8/8/8/8/8/R3K3") as board:
        analysed = begun(path, board=board)
        analysed.says(DIFFERS)
        analysed.asks(
            "set up",
            "This position is analysed now. With other side the other side is to move.",
            WHITE,
            "Castling is possible where king and rook stand on their first squares.",
        )
        board.lift("e1")
        board.place("c1", "K")
        board.lift("a1")
        board.place("d1", "R")
        analysed.says("White: Castles queenside.")
        analysed.keys.type("set up")  # the board shows the position of the tree
        analysed.wait("Set up the position on your board,")
        analysed._seen = len(analysed.out.getvalue())
        board.lift("d1")
        analysed.says("David one: empty.")
        board.place("d7", "Q")
        analysed.says("David seven: white queen.")
        analysed.asks("ready")
        analysed.wait("Black to move.")
        analysed.keys.type("quit")
        analysed.ended()
    first, second = kept(path)
    assert first.headers["FEN"] == "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1"
    assert second.headers["FEN"] == "4k3/3Q4/8/8/8/8/8/2K5 b - - 0 1"


def test_hands_are_led_when_a_typed_word_goes_elsewhere(tmp_path: Path) -> None:
    with EmulatedBoard() as board:
        analysed = begun(tmp_path / "kept.pgn", board=board)
        analysed.asks("e4", E4)
        board.lift("e2")
        board.place("e4", "P")
        analysed.says(DONE)
        board.lift("e7")
        board.place("e5", "p")
        analysed.says(E5)
        analysed.asks("to the start", NONE, WHITE)
        analysed.wait("Steps: two.")
        analysed.wait("Move: ", 1)
        board.lift("e4")
        board.place("e2", "P")
        board.lift("e5")
        board.place("e7", "p")
        analysed.wait(DONE, 2)
        board.lift("d2")
        board.place("d4", "P")
        analysed.wait(D4)
        analysed.keys.type("quit")
        analysed.ended()


def test_a_cable_that_is_pulled_is_told_and_the_analysis_goes_on(tmp_path: Path) -> None:
    with EmulatedBoard() as board:
        analysed = begun(tmp_path / "kept.pgn", board=board)
        board.unplug()
        analysed.wait(ENGLISH.sentence("board_lost"))
        analysed._seen = len(analysed.out.getvalue())
        analysed.asks("e4", E4)
        board.plug()
        board.lift("e2")
        board.place("e4", "P")
        analysed.wait(DONE)
        analysed._seen = len(analysed.out.getvalue())
        board.lift("e7")
        board.place("e5", "p")
        analysed.says(E5)
        analysed.quit()


def test_a_board_that_cannot_name_its_pieces_shows_moves(tmp_path: Path) -> None:
    path = tmp_path / "kept.pgn"
    with EmulatedBoard(identity=False) as board:
        analysed = begun(path, board=board)
        for origin, to, letter in (("e2", "e4", "P"), ("d7", "d5", "p")):
            board.lift(origin)
            board.place(to, letter)
        analysed.says(E4, "Black: Pawn David seven David five.")
        board.lift("d5")
        board.lift("e4")
        board.place("d5", "P")
        analysed.says("White: Pawn Eva four takes David five.")
        board.lift("d8")  # it could capture
        board.place("d7", "q")
        analysed.says("Black: Queen David eight David seven.")
        analysed.quit()
    assert lines_of(kept(path)[0]) == {("e2e4", "d7d5", "e4d5", "d8d7")}


REPORTING = [wire for wire in WIRES if isinstance(wire, Millennium | Pegasus)][:3]


@pytest.mark.parametrize("wire", REPORTING, ids=lambda wire: type(wire).__name__)
def test_boards_of_other_makers_show_moves_and_take_backs(tmp_path: Path, wire: Wire) -> None:
    """The last one does not know its pieces."""
    path = tmp_path / "kept.pgn"
    board = EmulatedReportingBoard(wire, chess.STARTING_FEN)
    try:
        analysed = begun(path, address=f"{wire.name}:{board.url}")
        board.move("e2e4")
        analysed.says(E4)
        board.move("d7d5")
        analysed.says("Black: Pawn David seven David five.")
        board.move("d5d7")
        analysed.says("Taken back, Black: Pawn David seven David five.", BLACK)
        analysed.keys.type("to the start")
        analysed.wait("Now the board is set up.")
        board.move("e4e2")
        analysed.wait(DONE)
        board.move("d2d4")
        analysed.wait(D4)
        analysed.keys.type("quit")
        analysed.ended()
    finally:
        board.close()
    assert lines_of(kept(path)[0]) == {("e2e4", "d7d5"), ("d2d4",)}


# --- names of openings, and the ear


def test_an_opening_is_named_when_it_becomes_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {
        1: OpeningName("B00", "King's Pawn Game"),
        2: OpeningName("B20", "Sicilian Defense"),
        3: OpeningName("B27", "Sicilian Defense: Hyperaccelerated Dragon, with Nf3"),
    }
    monkeypatch.setattr(
        "blindplay.table.analysing.opening_of",
        lambda board: names.get(min(len(board.move_stack), 3)),
    )
    analysed = begun(tmp_path / "kept.pgn")
    analysed.asks("opening", "This position has no name of an opening.")
    analysed.asks("e4", E4, "Opening: King's Pawn Game.", "B00")
    analysed.asks("c5", "Black: Pawn Cæsar seven Cæsar five.", "Opening: Sicilian Defense.", "B20")
    analysed.asks("Nf3", NF3, "Opening: Sicilian Defense, Hyperaccelerated Dragon.", "B27")
    analysed.asks("d6", "Black: Pawn David seven David six.")
    analysed.asks("opening", "Opening: Sicilian Defense, Hyperaccelerated Dragon.", "B27")
    analysed.asks("back", "Taken back, Black: Pawn David seven David six.", BLACK)
    analysed.quit()
    (game,) = kept(tmp_path / "kept.pgn")
    assert game.headers["ECO"] == "B27"


def test_without_the_names_that_is_told_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("blindplay.table.analysing.can_name", lambda: False)
    analysed = begun(tmp_path / "kept.pgn")
    said = analysed.out.getvalue()
    assert "The names of openings are not installed.\n" in said and "ocn-chess" in said
    analysed.quit()


def test_moves_words_and_questions_are_said(
    tmp_path: Path, recogniser: Recogniser, synthesiser: Synthesiser
) -> None:
    german = load("de")
    with ExitStack() as stack:
        room = Running()
        microphone = Microphone()
        voice = Prompter(stack, german, True, room.out)
        attendant = Attendant(stack, voice, room.keys)
        teacher = Teacher(voice, attendant, Analyst(uci.BUILT_IN, free, FEW), True)
        ear = AnsweringEar(recogniser, microphone, voice, attendant.hear)
        stack.callback(ear.close)
        teacher.answers.ear = ear
        tree = AnalysisTree(tmp_path / "kept.pgn", game_from(chess.Board()))
        thread = threading.Thread(target=Analysing(teacher, tree, None, free).run, daemon=True)
        thread.start()
        room.wait("Weiß ist am Zug.")
        microphone.push(PAUSE + spoken(synthesiser, "Bauer Eva zwei Eva vier"))
        room.wait("Weiß: Bauer Eva zwei Eva vier.")
        microphone.push(PAUSE + spoken(synthesiser, "Zug zurück"))
        room.wait("Zurückgenommen, Weiß: Bauer Eva zwei Eva vier.")
        room.keys.type("beenden")
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


SAID = (
    AnalysisWord.EVALUATION, AnalysisWord.BEST_LINE, AnalysisWord.COMPARE, AnalysisWord.OPENING,
    AnalysisWord.FORWARD, AnalysisWord.START, AnalysisWord.OTHER_SIDE, AnalysisWord.SET_UP,
    AnalysisWord.CLEAR, AnalysisWord.READY,
)  # fmt: skip


@pytest.mark.parametrize("code", languages())
def test_the_built_in_models_know_a_phrase_for_what_can_be_asked(code: str) -> None:
    pack = load(code)
    recogniser = open_recogniser(pack, ROOT / "models" / code, lost=lambda sentence: None)
    for word in SAID:
        phrases = [phrase.lower() for phrase in pack.analysis_phrases(word)]
        assert list(recogniser.known_phrases(phrases)), (code, word)


# --- from a review and from a puzzle


def test_a_review_and_a_puzzle_let_one_try_moves_and_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "BUILT_IN", FEW)
    monkeypatch.setattr("blindplay.table.analysing.new_analysis", lambda: tmp_path / "kept.pgn")
    mated = chess.Board()
    for move in ("f3", "e5"):
        mated.push_san(move)

    def lesson(teacher: Teacher) -> None:
        teacher.try_out = TryingOut(teacher, uci.BUILT_IN, free)
        point = LessonPart(0, lambda: teacher.say("review_better", move="…"), mated)
        _go_through(teacher, [point, point])
        solve(teacher, [Puzzle(chess.Board(WON), best=(chess.Move.from_uci("a1a8"),))])

    keys = "analyse\ng4\nback\nquit\n\nskip\nanalyse\nKf1\nquit\nRa8\n"
    said = taught(lesson, keys, silent=False)
    at = said.index("White: Pawn Gustav two Gustav four.")
    assert said[at + 1] == "Black mates in one move."
    assert "The review goes on." in said[at:] and "The puzzle goes on." in said[at:]
    assert f"The analysis is in {tmp_path / 'kept.pgn'}." in said[at:]
    assert said[-1] == "Solved without help: zero of one."


# --- random hands


class RandomHands:
    """Hands at an emulated board that know nothing but what stands on it."""

    def __init__(self, board: EmulatedBoard, chance: random.Random) -> None:
        self.board, self.chance = board, chance

    def show(self, after: chess.Board) -> None:
        """Go to a position: lift what is wrong there, and place what is missing, in any order that
        hands can have."""
        now = chess.BaseBoard(self.board.placement).piece_map()
        goal = after.piece_map()
        lifted = [square for square, piece in now.items() if goal.get(square) != piece]
        placed = [square for square, piece in goal.items() if now.get(square) != piece]
        self.chance.shuffle(lifted)
        self.chance.shuffle(placed)
        for square in lifted:
            self.board.lift(chess.square_name(square))
        for square in placed:
            self.board.place(chess.square_name(square), goal[square].symbol())


@pytest.mark.parametrize("seed", range(3))
def test_random_walks_of_hands_are_followed_and_kept(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "kept.pgn", random.Random(seed)
    expected = chess.Board()
    with EmulatedBoard() as board:
        hands = RandomHands(board, chance)
        analysed = begun(path, board=board)
        for _step in range(14):
            if expected.move_stack and chance.random() < 0.3:
                expected.pop()
            else:
                moves = [move for move in expected.legal_moves if not expected.is_castling(move)]
                expected.push(chance.choice(moves))
            hands.show(expected)
            assert until(lambda: analysed.tree.board.move_stack == expected.move_stack)
        analysed.keys.type("quit")
        analysed.ended()
        assert DIFFERS not in analysed.out.getvalue()
        assert chess.BaseBoard(board.placement) == chess.BaseBoard(expected.board_fen())
    assert lines_of(kept(path)[0]) == lines_of(analysed.tree.game)


@pytest.mark.parametrize("seed", range(3))
def test_random_set_ups_are_taken_as_they_stand(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "kept.pgn", random.Random(seed)
    with EmulatedBoard() as board:
        hands = RandomHands(board, chance)
        analysed = begun(path, board=board)
        for count in range(1, 4):
            while True:
                goal = chess.Board(None)
                letters = ["K", "k", *chance.choices("QRBNPqrbnp", k=chance.randrange(4))]
                squares = chance.sample(chess.SQUARES, len(letters))
                for square, letter in zip(squares, letters, strict=True):
                    goal.set_piece_at(square, chess.Piece.from_symbol(letter))
                other = goal.copy()
                other.turn = chess.BLACK
                if goal.is_valid() or other.is_valid():
                    break
            hands.show(goal)
            analysed.keys.type("set up")
            analysed.wait(ENGLISH.sentence("analyse_set_up_done", other_side="other side"), count)
            assert analysed.tree.board.board_fen() == goal.board_fen() == board.placement
        analysed.keys.type("quit")
        analysed.ended()
