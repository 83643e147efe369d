"""Puzzles by ear: a position is told, the person types moves, and hears whether they are right."""

from collections.abc import Sequence

import chess
from chess.engine import Mate

from blindplay.language import Key
from blindplay.language.understanding import Kind
from blindplay.opponents.analysis import Judgement
from blindplay.opponents.explaining import why_bad, why_good
from blindplay.opponents.turning_points import loss_of
from blindplay.record.studies import Puzzle

from .reviewing import EndedError, Teacher

_AS_GOOD = 0.05
"""A move that loses less of the chance to win is good, too."""


def solve(teacher: Teacher, puzzles: Sequence[Puzzle], first: int = 1) -> None:
    """Ask the puzzles, numbered from ``first``, and say at the end how many were solved at once."""
    right = asked = 0
    pack = teacher.pack
    teacher.say("puzzle_keys", **teacher.words())
    try:
        for number, puzzle in enumerate(puzzles, first):
            teacher.say("puzzle_number", number=pack.number(number % 10_000))
            teacher.name(puzzle.name)
            right += _Attempt(teacher, puzzle).solved()
            asked += 1
    except EndedError:
        pass
    finally:
        teacher.analyst.rest()
    teacher.say("puzzle_score", right=pack.number(right), count=pack.number(asked))


class _Attempt:
    """A person solves one puzzle."""

    def __init__(self, teacher: Teacher, puzzle: Puzzle) -> None:
        self._teacher, self._puzzle = teacher, puzzle
        self._board = puzzle.board.copy()
        self._judged: Judgement | None = None  # of the position on the board
        self._at_once = True

    def solved(self) -> bool:
        """Ask until the solution is complete or given up. Give whether nothing was wrong."""
        self._ask()
        while True:
            line = self._teacher.typed()
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
        """The move that was typed; None after saying why it is none."""
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

    def _best(self) -> Judgement:
        if self._judged is None:
            self._judged = self._teacher.analyst.judge(self._board, closer=True)
        return self._judged

    def _after(self, move: chess.Move) -> chess.Board:
        after = self._board.copy()
        after.push(move)
        return after

    def _answer(self, move: chess.Move) -> bool:
        """Say whether a move is right. Give whether the puzzle is over."""
        teacher, analyst, after = self._teacher, self._teacher.analyst, self._after(move)
        done = len(self._board.move_stack) - len(self._puzzle.board.move_stack)
        answer = analyst.judge(after, closer=True)
        if not (after.is_checkmate() or self._is_meant(move, answer, done)):
            self._at_once = False
            self._tell_wrong(move, answer)
            return False
        teacher.say("drill_right")
        worth = Mate(1 - answer.mate) if answer.chance == 0 else -answer.score
        line = (move, *analyst.line(after, answer))
        good = why_good(self._board, Judgement(worth, line), line, analyst)
        teacher.play(self._board, move)
        teacher.say_words(teacher.reason(good))
        rest = self._puzzle.line[done + 1 :]
        if after.is_checkmate() or len(rest) < 2 or self._puzzle.line[done] != move:
            return True
        teacher.play(self._board, rest[0])
        self._judged = None
        teacher.say("to_move", player=teacher.player(self._board.turn))
        return False

    def _is_meant(self, move: chess.Move, answer: Judgement, done: int) -> bool:
        """Whether a move is the solution, or one of the solutions."""
        puzzle = self._puzzle
        if done:
            return move == puzzle.line[done]
        if puzzle.best:
            return move in puzzle.best
        return move not in puzzle.avoid and loss_of(self._best(), answer) < _AS_GOOD

    def _tell_wrong(self, move: chess.Move, answer: Judgement) -> None:
        teacher, analyst, best = self._teacher, self._teacher.analyst, self._best()
        if loss_of(best, answer) < _AS_GOOD and move not in self._puzzle.avoid:
            teacher.say("puzzle_other_meant")
            return
        lines = (
            analyst.line(self._board, best),
            (move, *analyst.line(self._after(move), answer)),
        )
        bad = why_bad(self._board, move, best, answer, lines)
        teacher.say("puzzle_wrong", reason=teacher.reason(bad), **teacher.words())

    def _tell_solution(self) -> None:
        done = len(self._board.move_stack) - len(self._puzzle.board.move_stack)
        line = self._puzzle.line[done:] or (() if done else self._puzzle.best[:1])
        teacher = self._teacher
        teacher.say("puzzle_solution")
        for move in line or self._best().line[:1]:
            teacher.play(self._board, move)
