"""The reason why a move is bad or good, as one sentence: mate, material, a threat, or who stands
better."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import chess

from .analysis import Analyst, Judgement

_VALUES = {chess.PAWN: 1, chess.KNIGHT: 3, chess.BISHOP: 3, chess.ROOK: 5, chess.QUEEN: 9}
_FOR_LITTLE = {chess.PAWN: 1, chess.KNIGHT: 2, chess.BISHOP: 2, chess.ROOK: 4, chess.QUEEN: 6}
"""A piece is lost, and not exchanged, if so many pawns are lost together."""
_WINNING, _BETTER = 0.75, 0.58
_HALF = 50
"""Centipawns. A line counts as winning pieces if the score changes by half of their worth, too: a
long line of moves may be no good for both sides."""
_MOST_CENTIPAWNS = 3000


@dataclass(frozen=True)
class Reason:
    """The sentence ``review_<sentence>`` of the packs, and its values: ``review_what_<what>``, a
    number of moves, a player, and a move in a position."""

    sentence: str
    what: str = ""
    count: int = 0
    player: chess.Color = chess.WHITE
    move: tuple[chess.Board, chess.Move] | None = None


@dataclass(frozen=True)
class _Change:
    """The change that a line brings for one side: pieces won or lost, and their worth in pawns."""

    what: str
    pawns: int


_NOTHING = _Change("", 0)


def why_bad(
    before: chess.Board,
    best: Judgement,
    answer: Judgement,
    lines: tuple[Sequence[chess.Move], Sequence[chess.Move]],
) -> Reason:
    """Return why a move was bad. ``best`` judges the position before it, ``answer`` the one after
    it. ``lines`` are the best line from ``before``, and the best one that begins with the move."""
    mover = before.turn
    if answer.mate > 0 and best.mate >= 0:
        return Reason("allows_mate", count=answer.mate)
    if best.mate > 0:
        return Reason("misses_mate", count=best.mate)
    cost = _centipawns(best) + _centipawns(answer)
    lost, missed = _change(before, lines[1], mover, 2), _change(before, lines[0], mover, 1)
    if lost.pawns < 0 and cost >= -_HALF * lost.pawns:
        promotes = lost.what == "promotion"
        return Reason("allows" if promotes else "loses", lost.what)
    if missed.pawns > max(0, lost.pawns) and cost >= _HALF * missed.pawns:
        return Reason("misses", missed.what)
    if answer.chance <= 1 - _BETTER:
        return Reason("gives_away")
    return _standing(not mover, answer.chance)


def why_good(
    before: chess.Board,
    best: Judgement,
    line: Sequence[chess.Move],
    analyst: Analyst,
    *,
    bad: Reason | None = None,
) -> Reason | None:
    """Return why the first move of ``line``, the best one, is good; None if ``bad`` has said it."""
    mover = before.turn
    if best.mate > 0:
        reason = Reason("mates", count=best.mate)
        return None if bad is not None and bad.sentence == "misses_mate" else reason
    won = _change(before, line, mover, 1)
    if won.pawns > 0:
        said = bad is not None and (bad.sentence, bad.what) == ("misses", won.what)
        return None if said else Reason("wins", won.what)
    if won.pawns < 0:
        return _standing(mover, best.chance)
    after = before.copy(stack=False)
    after.push(line[0])
    met = _threat(before, analyst, -_centipawns(best))
    if met is not None:
        return Reason("meets_threat", move=met.move)
    made = _threat(after, analyst, _centipawns(best))
    return made or _standing(mover, best.chance)


def _change(
    board: chess.Board, line: Sequence[chess.Move], side: chess.Color, least: int
) -> _Change:
    """Return what ``line`` wins or loses for ``side``, counted after at least ``least`` plies at
    the last place where it is quiet."""
    at = board.copy(stack=False)
    counted, promoted = _NOTHING, {chess.WHITE: False, chess.BLACK: False}
    for ply, move in enumerate((*line, None)):
        if ply >= least and _is_quiet(at, line[ply - 1], move):
            counted = _difference(board, at, side, promoted)
        if move is not None:
            promoted[at.turn] |= move.promotion is not None
            at.push(move)
    return counted


def _is_quiet(board: chess.Board, last: chess.Move, following: chess.Move | None) -> bool:
    """Return whether a line is quiet between two moves: no check, capture or promotion follows. At
    the end of the line, return whether the last piece that moved cannot be taken."""
    if board.is_check():
        return board.is_checkmate()
    if following is None:
        taking = board.generate_legal_captures(to_mask=chess.BB_SQUARES[last.to_square])
        return not any(taking)
    forcing = board.is_capture(following) or board.gives_check(following)
    return not forcing and following.promotion is None


def _difference(
    before: chess.Board, after: chess.Board, side: chess.Color, promoted: dict[chess.Color, bool]
) -> _Change:
    """The pieces that ``side`` has more, less those that the opponent has more."""
    more: Counter[chess.PieceType] = Counter()
    for kind in _VALUES:
        for color, sign in ((side, 1), (not side, -1)):
            change = len(after.pieces(kind, color)) - len(before.pieces(kind, color))
            more[kind] += sign * change
    pawns = sum(_VALUES[kind] * count for kind, count in more.items())
    winner = side if pawns > 0 else not side
    return _Change("promotion" if promoted[winner] else _named(more, pawns), pawns)


def _named(more: Counter[chess.PieceType], pawns: int) -> str:
    """The pieces that change hands, as one thing."""
    sign = 1 if pawns > 0 else -1
    gained = {kind: count * sign for kind, count in more.items() if count * sign > 0}
    given = {kind: -count * sign for kind, count in more.items() if count * sign < 0}
    greatest = max(gained, default=chess.PAWN, key=_VALUES.__getitem__)
    others = {kind for kind in gained if kind not in (greatest, chess.PAWN)}
    if others or gained.get(greatest) != 1:
        return "material"
    if greatest == chess.ROOK and given.get(chess.KNIGHT, 0) + given.get(chess.BISHOP, 0) == 1:
        return "exchange"
    return chess.piece_name(greatest) if sign * pawns >= _FOR_LITTLE[greatest] else "material"


def _threat(board: chess.Board, analyst: Analyst, worth: int) -> Reason | None:
    """Return the threat of the player who has just moved on ``board``: to mate, or to win a piece,
    if the other one passed; None if there is none. ``worth``: the value of the position for that
    player, in centipawns."""
    if board.is_check():
        return None
    passed = board.copy(stack=False)
    passed.push(chess.Move.null())
    passed.clear_stack()
    found = analyst.judge(passed)
    if not found.line:
        return None
    move = passed, found.line[0]
    if found.mate > 0:
        return Reason("threatens_mate", count=found.mate, move=move)
    won = _change(passed, analyst.line(passed, found), passed.turn, 1)
    real = won.pawns >= 2 and _centipawns(found) - worth >= _HALF * won.pawns
    return Reason("threatens", won.what, move=move) if real else None


def _centipawns(judged: Judgement) -> int:
    """The score in centipawns, at most what more than all pieces are worth."""
    worth = judged.score.score(mate_score=10 * _MOST_CENTIPAWNS)
    return max(-_MOST_CENTIPAWNS, min(_MOST_CENTIPAWNS, worth))


def _standing(side: chess.Color, chance: float) -> Reason:
    """Return who stands better, if ``side`` wins with this chance (0 to 1)."""
    if chance < 0.5:
        side, chance = not side, 1 - chance
    if chance < _BETTER:
        return Reason("stands_level")
    return Reason("stands_winning" if chance >= _WINNING else "stands_better", player=side)
