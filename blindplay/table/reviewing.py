"""A teacher: tells the turning points of a game by ear, leads hands through them, asks puzzles."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import chess
from chess.engine import Mate

from blindplay.language import AnalysisWord, Key, analysis_word_of, key_of
from blindplay.language.understanding import Kind
from blindplay.laws.placement import pieces_of
from blindplay.opponents.analysis import (
    AS_GOOD,
    Analyst,
    Judgement,
    Reason,
    TurningPoint,
    loss_of,
    turning_points,
    why_bad,
    why_good,
)
from blindplay.opponents.uci import BUILT_IN, EngineFailedError
from blindplay.record.studies import annotated
from blindplay.record.study import Mark, Puzzle, StudiedGame, Unread
from blindplay.speech.synthesis import is_words
from blindplay.wording.evaluation import moves
from blindplay.wording.position import ply_in_words, whole_position

from .attendant import Answers, Attendant, EndedError, Prompter

QUIET_S = 5.0
"""Seconds of silence of the analysis at most, beside the time for one position."""
_Answer = TypeVar("_Answer")
_PLIES = 6
"""The longest line that is read out, in plies."""


class Teacher:
    """The means of a review or a puzzle: a voice, keys, perhaps a board, and an engine.

    ``silent``: nothing is spoken; then the text goes on to its end when the keys have ended.
    """

    def __init__(
        self, voice: Prompter, attendant: Attendant, analyst: Analyst, silent: bool
    ) -> None:
        self.pack, self.analyst, self._silent = voice.pack, analyst, silent
        self.voice, self.attendant, self.say = voice, attendant, voice.prompt
        self.answers = Answers(attendant, voice)
        self.at_end = False
        """The keys have ended."""
        self.try_out: Callable[[chess.Board, str], None] | None = None
        """Lets the person analyse a position; the sentence is said afterwards."""

    def unread(self, number: int, entry: Unread) -> None:
        """Say that an entry of a file cannot be read, and print which one it is and why."""
        self.say("study_unread", number=self.voice.number(number))
        self.voice.trouble(entry.sentence)

    def name(self, name: str) -> None:
        """Say a name that somebody gave, or print it if a voice cannot read it as words."""
        (self.voice.say if is_words(name) else self.voice.show)(name)

    def typed(self) -> str:
        """Wait for a typed line; empty when there are no more, and everything is only printed.

        :raises EndedError: if it ends.
        """
        return self._typed(self.attendant.line())

    def answered(self, board: chess.Board) -> str:
        """Wait for a typed line as :meth:`typed` does, or for a move of ``board`` that is said.

        :raises EndedError: if it ends.
        """
        return self._typed(self.answers.next(board))

    def chosen(self, choices: Sequence[str]) -> str:
        """Wait for a typed line as :meth:`typed` does, or for one of the choices that is said.

        :raises EndedError: if it ends.
        """
        return self._typed(self.answers.choice(choices))

    def _typed(self, line: str | None) -> str:
        self.at_end = line is None
        if (line is None and not self._silent) or self.key(line or "") is Key.END:
            raise EndedError
        return line or ""

    def key(self, line: str) -> Key | None:
        """Return what a typed line asks for."""
        return key_of(self.pack, line)

    def offer_analysis(self) -> None:
        """Say how to analyse, if that can be done."""
        if self.try_out is not None:
            word = self.pack.analysis_phrases(AnalysisWord.ANALYSE)[0]
            self.say("analyse_offer", analyse=word)

    def analysed(self, line: str, board: chess.Board, goes_on: str) -> bool:
        """Let the person analyse ``board``, if a typed line asks for it; return whether it does."""
        found = analysis_word_of(self.pack, line)
        if self.try_out is None or found is None or found[0] is not AnalysisWord.ANALYSE:
            return False
        self.try_out(board, goes_on)
        return True

    def move_meant(self, line: str, board: chess.Board) -> chess.Move | None:
        """The move that was typed or said; None after saying why it is none."""
        meant = self.pack.understand(line, board)
        if meant.kind is Kind.AMBIGUOUS:
            moves = [self.pack.announce(board, move) for move in meant.moves]
            self.say("ambiguous", candidates=self.pack.either(moves))
        elif meant.why is not None:
            self.say("illegal", why=self.pack.sentence(f"illegal_{meant.why.value}"))
        elif meant.move is None:
            self.say("not_understood")
        return meant.move

    def last_move(self, board: chess.Board) -> None:
        """Say the move that led to a position."""
        earlier = board.copy()
        move = earlier.pop()
        self.voice.say(self.voice.move(earlier, move, "last_move"))

    def show(self, board: chess.Board) -> None:
        """Tell the position or, if there is a board, lead hands to it; say who is to move.

        :raises EndedError: if the person ends.
        """
        if self.attendant.board is None:
            self.voice.say(whole_position(self.pack, board))
        else:
            self.lead(board)
        self.voice.say(self.voice.to_move(board))

    def lead(self, board: chess.Board, *, move: bool = False) -> None:
        """Lead hands to a position, if there is a board. ``move``: one move was told.

        :raises EndedError: if the person ends.
        """
        if self.attendant.board is not None:
            self.attendant.lead(pieces_of(board), move=move)

    def play(self, board: chess.Board, move: chess.Move) -> None:
        """Say a move of a line, play it on ``board`` and, if there is one, at the board of hands.

        :raises EndedError: if the person ends.
        """
        self.voice.say(self.voice.move(board, move))
        board.push(move)
        self.lead(board, move=True)

    def progress(self, part: float) -> None:
        """Say now and then, and when a key is pressed, how much of an analysis is done.

        :raises EndedError: if the person has typed a word that ends.
        """
        if self.attendant.ends():
            raise EndedError
        if self.attendant.drop_typed() or time.monotonic() - self.voice.said_at >= QUIET_S:
            self.say("review_progress", percent=self.pack.number(int(100 * part)))

    def examine(self, game: StudiedGame) -> list[TurningPoint]:
        """The turning points of a game.

        :raises EndedError: if the person ends.
        """
        start, moves = game.pgn.board(), game.moves
        return self.ask(lambda: turning_points(start, moves, self.analyst, self.progress))

    def ask(self, question: Callable[[], _Answer]) -> _Answer:
        """The answer of the engine; if it keeps failing, that of the built-in opponent. No engine
        runs afterwards."""
        try:
            return question()
        except EngineFailedError:
            if self.analyst.program.is_built_in:
                raise
            self.say("review_engine_failed")
            self.analyst = self.analyst.instead(BUILT_IN)
            return question()
        finally:
            self.analyst.rest()

    def reason(self, reason: Reason | None) -> str:
        """A reason in words; empty if there is none."""
        if reason is None:
            return ""
        values = {
            "moves": moves(self.pack, reason.count),
            "player": self.voice.player(reason.player),
        }
        if reason.what:
            values["what"] = self.pack.sentence(f"review_what_{reason.what}")
        if reason.move is not None:
            values["move"] = self.pack.announce(*reason.move)
        return self.pack.sentence(f"review_{reason.sentence}", **values)


@dataclass(frozen=True)
class LessonPart:
    """The telling or doing between two keys, for the turning point ``point``, counted from 0, and
    the position that it is about."""

    point: int
    do: Callable[[], None]
    board: chess.Board


def review(teacher: Teacher, game: StudiedGame, keep: Callable[[str], None] | None = None) -> None:
    """Find the turning points of a game, give the annotated PGN to ``keep``, and tell them.

    :raises EndedError: if the person ends.
    """
    names = [game.pgn.headers.get(side, "?") for side in ("White", "Black")]
    if "?" not in names:
        teacher.say("review_players", white=names[0], black=names[1])
    moves = game.moves
    teacher.say("review_begin", count=teacher.pack.number((len(moves) + 1) // 2))
    if not game.whole:
        teacher.say("review_not_whole")
    if game.remark:
        teacher.voice.trouble(game.remark)
    points = teacher.examine(game)
    if keep is not None:
        annotator = f"BlindPlay, {teacher.analyst.program.name}"
        keep(annotated(game.pgn, [_mark(teacher, point) for point in points], annotator))
    tell(teacher, points)


def tell(teacher: Teacher, points: Sequence[TurningPoint]) -> None:
    """Tell turning points, one step for each key.

    :raises EndedError: if the person ends.
    """
    if not points:
        teacher.say("review_none")
        return
    teacher.say("review_found", count=teacher.pack.number(len(points)))
    teacher.say("review_keys", **teacher.voice.keys)
    teacher.offer_analysis()
    _go_through(
        teacher, [step for at in range(len(points)) for step in _steps(teacher, points, at)]
    )
    teacher.say("review_end")


def _mark(teacher: Teacher, point: TurningPoint) -> Mark:
    bad, good = teacher.reason(point.bad), teacher.reason(point.good)
    return Mark(point.ply, point.blunder, bad, point.better, good)


def _go_through(teacher: Teacher, steps: Sequence[LessonPart]) -> None:
    """Do one step after the other, as the person types."""
    at = 0
    while at < len(steps):
        steps[at].do()
        line = teacher.typed()
        if teacher.analysed(line, steps[at].board, "analyse_review_goes_on"):
            continue
        match teacher.key(line):
            case Key.REPEAT:
                continue
            case Key.HELP:
                teacher.say("review_keys", **teacher.voice.keys)
                teacher.offer_analysis()
            case Key.BACK:
                at = max(0, at - 1)
            case Key.SKIP:
                here = steps[at].point
                at = next((n for n, one in enumerate(steps) if one.point > here), len(steps))
            case _:
                at += 1


def _steps(teacher: Teacher, points: Sequence[TurningPoint], at: int) -> Iterator[LessonPart]:
    """Yield the steps of a turning point: where it was; what was played, and what was better; the
    two lines, move by move."""
    pack, point = teacher.pack, points[at]
    before = point.before
    first = before.root().turn
    player = teacher.voice.player(before.turn)

    def begin() -> None:
        where = ply_in_words(
            point.ply + 1, "white" if first else "black", pack, before.root().fullmove_number - 1
        )
        number, count = pack.number(at + 1), pack.number(len(points))
        teacher.say("review_point", point=number, count=count, **where)
        if before.move_stack:
            teacher.last_move(before)
        teacher.show(before)

    def explain() -> None:
        played = pack.announce(before, point.played)
        teacher.say("review_played", player=player, move=played)
        teacher.voice.say(teacher.reason(point.bad))
        teacher.say("review_better", move=pack.announce(before, point.better[0]))
        teacher.voice.say(teacher.reason(point.good))

    yield LessonPart(at, begin, before)
    yield LessonPart(at, explain, before)
    for key, line in (("review_line_played", point.punished), ("review_line_better", point.better)):
        yield from _line(teacher, at, key, before, line[:_PLIES])


def _line(
    teacher: Teacher, point: int, key: str, start: chess.Board, line: Sequence[chess.Move]
) -> Iterator[LessonPart]:
    """A line, a step for each move. The first step leads back to its start."""

    def step(ply: int) -> Callable[[], None]:
        def do() -> None:
            board = start.copy()
            for move in line[:ply]:
                board.push(move)
            if not ply:
                teacher.say(key)
                teacher.lead(board)
            teacher.play(board, line[ply])

        return do

    board = start.copy()
    for ply, move in enumerate(line):
        board.push(move)
        yield LessonPart(point, step(ply), board.copy())


def solve(
    teacher: Teacher,
    puzzles: Iterable[Puzzle | Unread],
    first: int = 1,
    *,
    of_collection: bool = False,
) -> bool:
    """Ask the puzzles, numbered from ``first``, and say at the end how many were solved at once.
    An entry that cannot be read is told in its turn. Return whether the person wants to choose
    other puzzles of a collection."""
    pack = teacher.pack
    right = asked = 0
    begun = others = False
    try:
        for number, puzzle in enumerate(puzzles, first):
            if isinstance(puzzle, Unread):
                if not puzzle.nothing:
                    teacher.unread(number, puzzle)
                continue
            if not begun:
                begun = True
                teacher.say("puzzle_keys", **teacher.voice.keys)
                if teacher.answers.ear is not None:
                    teacher.say("puzzle_spoken")
                teacher.offer_analysis()
            teacher.say("puzzle_number", number=teacher.voice.number(number))
            teacher.name(puzzle.name)
            right += _Attempt(teacher, puzzle, of_collection=of_collection).solved()
            asked += 1
            if of_collection and teacher.at_end:  # it may have millions
                break
    except EndedError:
        pass
    except _OthersError:
        others = True
    if begun:
        teacher.say("puzzle_score", right=pack.number(right), count=pack.number(asked))
    return others


class _OthersError(Exception):
    """The person wants other puzzles of the collection."""


class _Attempt:
    """A person solves one puzzle."""

    def __init__(self, teacher: Teacher, puzzle: Puzzle, *, of_collection: bool = False) -> None:
        self._teacher, self._puzzle = teacher, puzzle
        self._of_collection = of_collection
        self._board = puzzle.board.copy()
        self._at_once = True

    def solved(self) -> bool:
        """Ask until the solution is complete or given up. Return whether nothing was wrong."""
        self._ask()
        while True:
            line = self._teacher.answered(self._board)
            key = self._teacher.key(line)
            if key is Key.SKIP or (not line and self._teacher.at_end):
                self._tell_solution()
                return False
            if key is Key.BACK and self._of_collection:
                raise _OthersError
            if key is Key.HELP:
                self._teacher.say("puzzle_keys", **self._teacher.voice.keys)
                if self._of_collection:
                    self._teacher.say("puzzles_back", **self._teacher.voice.keys)
            elif not line or key is Key.REPEAT:
                self._ask()
            elif self._teacher.analysed(line, self._board, "analyse_puzzle_goes_on"):
                self._at_once = False
                self._ask()
            else:
                move = self._teacher.move_meant(line, self._board)
                if move is not None and self._answer(move):
                    return self._at_once

    def _ask(self) -> None:
        teacher, pack = self._teacher, self._teacher.pack
        if self._puzzle.board.move_stack:  # the opponent's move leads to the puzzle
            teacher.last_move(self._board)
        teacher.show(self._board)
        if self._puzzle.avoid and not self._puzzle.best:
            moves = [pack.announce(self._board, move) for move in self._puzzle.avoid]
            teacher.say("puzzle_avoid", moves=pack.either(moves))

    def _answer(self, move: chess.Move) -> bool:
        """Say whether a move is right, and why. Return whether the puzzle is over."""
        teacher, after = self._teacher, self._board.copy()
        after.push(move)
        done = len(self._board.move_stack) - len(self._puzzle.board.move_stack)
        if not (after.is_checkmate() or self._is_meant(move, after, done)):
            self._at_once = False
            teacher.say("puzzle_wrong")
            teacher.voice.say(teacher.ask(lambda: self._why_wrong(move, after)))
            teacher.say("puzzle_again", **teacher.voice.keys)
            return False
        teacher.say("drill_right")
        before = self._board.copy()
        teacher.play(self._board, move)
        teacher.voice.say(teacher.ask(lambda: self._why_right(before, move, after)))
        rest = self._puzzle.line[done + 1 :]
        if after.is_checkmate() or len(rest) < 2 or self._puzzle.line[done] != move:
            return True
        teacher.play(self._board, rest[0])
        teacher.voice.say(teacher.voice.to_move(self._board))
        return False

    def _is_meant(self, move: chess.Move, after: chess.Board, done: int) -> bool:
        """Return whether a move is the solution, or one of the solutions. Without a given solution,
        any move that loses little is one, except those to avoid."""
        puzzle = self._puzzle
        if done:
            return move == puzzle.line[done]
        if puzzle.best:
            return move in puzzle.best
        return move not in puzzle.avoid and self._teacher.ask(lambda: self._loss(after)) < AS_GOOD

    def _loss(self, after: chess.Board) -> float:
        judge = self._teacher.analyst.judge
        return loss_of(judge(self._board, closer=True), judge(after, closer=True))

    def _why_right(self, before: chess.Board, move: chess.Move, after: chess.Board) -> str:
        analyst = self._teacher.analyst
        answer = analyst.judge(after, closer=True)
        worth = Mate(1 - answer.mate) if answer.chance == 0 else -answer.score
        line = (move, *analyst.line(after, answer))
        return self._teacher.reason(why_good(before, Judgement(worth, line), line, analyst))

    def _why_wrong(self, move: chess.Move, after: chess.Board) -> str:
        analyst = self._teacher.analyst
        best, answer = (analyst.judge(one, closer=True) for one in (self._board, after))
        if loss_of(best, answer) < AS_GOOD and move not in self._puzzle.avoid:
            return self._teacher.pack.sentence("puzzle_good_too")
        lines = analyst.line(self._board, best), (move, *analyst.line(after, answer))
        return self._teacher.reason(why_bad(self._board, best, answer, lines))

    def _tell_solution(self) -> None:
        done = len(self._board.move_stack) - len(self._puzzle.board.move_stack)
        line = self._puzzle.line[done:] or (() if done else self._puzzle.best[:1])
        teacher = self._teacher
        teacher.say("puzzle_solution")
        if not line:
            line = teacher.ask(lambda: teacher.analyst.judge(self._board, closer=True)).line[:1]
        for move in line:
            teacher.play(self._board, move)
