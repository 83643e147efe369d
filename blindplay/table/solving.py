"""Puzzles by ear: a position is told, the person types or says moves, and hears whether they are
right."""

from collections.abc import Sequence

import chess
from chess.engine import Mate

from blindplay.language import Key
from blindplay.language.understanding import Kind
from blindplay.opponents.analysis import Judgement, loss_of, why_bad, why_good
from blindplay.record.studies import Puzzle

from .reviewing import EndedError, Teacher

_AS_GOOD = 0.05
"""A move that loses less of the chance to win is good, too."""


def solve(teacher: Teacher, puzzles: Sequence[Puzzle], first: int = 1) -> None:
    """Ask the puzzles, numbered from ``first``, and say at the end how many were solved at once."""
    right = asked = 0
    pack = teacher.pack
    teacher.say("puzzle_keys", **teacher.words())
    if teacher.answers.ear is not None:
        teacher.say("puzzle_spoken")
    try:
        for number, puzzle in enumerate(puzzles, first):
            teacher.say("puzzle_number", number=pack.number(number % 10_000))
            teacher.name(puzzle.name)
            right += _Attempt(teacher, puzzle).solved()
            asked += 1
    except EndedError:
        pass
    teacher.say("puzzle_score", right=pack.number(right), count=pack.number(asked))


class _Attempt:
    """A person solves one puzzle."""

    def __init__(self, teacher: Teacher, puzzle: Puzzle) -> None:
        self._teacher, self._puzzle = teacher, puzzle
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
            if not line or key is Key.REPEAT:
                self._ask()
            elif (move := self._understood(line)) is not None and self._answer(move):
                return self._at_once

    def _ask(self) -> None:
        teacher, pack = self._teacher, self._teacher.pack
        teacher.show(self._board)
        if self._puzzle.avoid and not self._puzzle.best:
            moves = [pack.announce(self._board, move) for move in self._puzzle.avoid]
            teacher.say("puzzle_avoid", moves=pack.either(moves))

    def _understood(self, line: str) -> chess.Move | None:
        """The move that was typed or said; None after saying why it is none."""
        teacher, pack = self._teacher, self._teacher.pack
        meant = pack.understand(line, self._board)
        if meant.kind is Kind.AMBIGUOUS:
            moves = [pack.announce(self._board, move) for move in meant.moves]
            teacher.say("ambiguous", candidates=pack.either(moves))
        elif meant.why is not None:
            teacher.say("illegal", why=pack.sentence(f"illegal_{meant.why.value}"))
        elif meant.move is None:
            teacher.say("not_understood")
        return meant.move

    def _answer(self, move: chess.Move) -> bool:
        """Say whether a move is right, and why. Return whether the puzzle is over."""
        teacher, after = self._teacher, self._board.copy()
        after.push(move)
        done = len(self._board.move_stack) - len(self._puzzle.board.move_stack)
        if not (after.is_checkmate() or self._is_meant(move, after, done)):
            self._at_once = False
            teacher.say("puzzle_wrong")
            teacher.say_words(teacher.ask(lambda: self._why_wrong(move, after)))
            teacher.say("puzzle_again", **teacher.words())
            return False
        teacher.say("drill_right")
        before = self._board.copy()
        teacher.play(self._board, move)
        teacher.say_words(teacher.ask(lambda: self._why_right(before, move, after)))
        rest = self._puzzle.line[done + 1 :]
        if after.is_checkmate() or len(rest) < 2 or self._puzzle.line[done] != move:
            return True
        teacher.play(self._board, rest[0])
        teacher.say("to_move", player=teacher.player(self._board.turn))
        return False

    def _is_meant(self, move: chess.Move, after: chess.Board, done: int) -> bool:
        """Return whether a move is the solution, or one of the solutions. Without a given solution,
        any move that loses little is one, except those to avoid."""
        puzzle = self._puzzle
        if done:
            return move == puzzle.line[done]
        if puzzle.best:
            return move in puzzle.best
        return move not in puzzle.avoid and self._teacher.ask(lambda: self._loss(after)) < _AS_GOOD

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
        if loss_of(best, answer) < _AS_GOOD and move not in self._puzzle.avoid:
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
