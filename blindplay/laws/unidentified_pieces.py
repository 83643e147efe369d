"""Pieces that a board cannot name: which piece in the hand went where.

A board without identities knows only which holes are occupied. What it shows is read against the
positions that hands may be on the way to: the one it is to be corrected to, the plies it lags
behind, the announced move, the legal moves. A name given here is a guess until the board shows
one of them, so it is kept with the piece that it was taken from and may be taken back: nothing is
committed before the hands have finished.
"""

from collections import Counter
from collections.abc import Iterator

import chess

from .placement import Pieces, change, is_white, laid_over, read_placement, write_placement
from .state import State, TableBoard

UNKNOWN = "?"
"""The letter for a piece without a name in a placement."""


def guess(game: State, board: str, square: int) -> str | None:
    """The piece that was put on ``square``; None if there is none that it can have been.

    It is the one that brings the board nearest to a position it may be meant for: fewest squares
    wrong, and fewest lifted pieces that would have to go back home. Only words can tell the piece
    to which a pawn is promoted; until then it stays a pawn.
    """
    table = game.tables[board]
    if table.wanted is not None and square in table.wanted:
        return table.wanted[square]  # it may come from beside the board, too
    held = [letter for _, letter in table.hand]
    for ply in game.outstanding(board):
        # The opponent's move comes first, though an own piece may be in the hand already.
        moved = change(ply.before, ply.move).get(square)
        if moved is not None and (moved in held or _pawn_of(moved, square) in held):
            return moved
    ways: list[tuple[int, int, str]] = []
    for goal, told in _goals(game, board):
        letter = goal.get(square)
        if letter is None:
            continue
        if letter not in held:
            pawn = _pawn_of(letter, square)
            if pawn not in held:
                continue
            letter = letter if told else pawn
        shown = {**table.placement, square: letter}
        wrong = sum(shown.get(at) != goal.get(at) for at in shown.keys() | goal.keys())
        back = sum(goal.get(home) == lifted for home, lifted in table.hand if home != square)
        ways.append((wrong, back, letter))
    if ways:
        return min(ways, key=lambda way: way[:2])[2]
    here = [letter for home, letter in table.hand if home == square]
    own = [letter for letter in held if is_white(letter) == game.board.turn]
    letters = here or own or held
    return letters[-1] if letters else None


def put(table: TableBoard, square: int, letter: str, *, known: bool) -> None:
    """Put a piece from the hand, or from beside the board, into a hole."""
    covered = table.placement.get(square)
    if covered is not None:
        # A sensor may report the new piece without the old one ever having left.
        table.hand.append(table.unsure.pop(square, (square, covered)))
    entry = _taken(table.hand, square, letter)
    if entry is not None:
        table.hand.remove(entry)
    table.placement[square] = letter
    table.unsure.pop(square, None)
    if not known:
        table.unsure[square] = entry or (square, letter)


def in_the_hand(table: TableBoard, square: int, letter: str) -> bool:
    """Return whether the piece put on ``square`` was lifted before."""
    return _taken(table.hand, square, letter) is not None


def lifted(game: State, board: str, square: int) -> None:
    """Take what stands on ``square`` into the hand."""
    table = game.tables[board]
    settled = (game.shown_after(table.plies), game.pieces)
    if table.unsure and not table.hand and table.placement in settled:
        table.unsure.clear()
    letter = table.placement.pop(square)
    table.hand.append(table.unsure.pop(square, (square, letter)))


def rename(game: State, board: str) -> None:
    """Give the guessed pieces their names in a position that the board may be meant for, if the
    same holes are occupied in it."""
    table = game.tables[board]
    if not table.unsure:
        return
    fitting: list[Pieces] = []
    for goal, told in (*_exchanges(game, board), *_goals(game, board)):
        if _fits(table, goal):
            if told:
                _take_names(table, goal)
                return
            fitting.append(goal)
    # While something else is expected here, a move that nobody spoke of may be half of it.
    expected = game.turn.announced is not None or game.outstanding(board)
    named = {tuple(goal[square] for square in sorted(table.unsure)) for goal in fitting}
    if len(named) == 1 and not expected:
        _take_names(table, fitting[0])


def may_show(game: State, board: str, move: chess.Move) -> bool:
    """Return whether a board shows the position after ``move`` if its guessed pieces are named
    anew."""
    return _fits(game.tables[board], laid_over(game.pieces, change(game.board, move)))


def named(game: State, board: str, placement: str) -> str:
    """A placement in which every ``?`` has a name, as FEN's first field.

    ``placement`` is what a board without identities shows. Pieces that stand where they stood keep
    their names; the others are read as :func:`guess` would read them one by one.

    :raises ValueError: not a placement
    """
    if UNKNOWN not in placement:
        return placement
    table = game.tables[board]
    holes = occupied(placement)
    for goal in (table.placement, *(goal for goal, _ in _goals(game, board))):
        if goal.keys() == holes:
            return write_placement(goal)
    kept = {square: letter for square, letter in table.placement.items() if square in holes}
    missing = list((Counter(game.shown_after(table.plies).values()) - Counter(kept.values()))
                   .elements())  # fmt: skip
    for square in sorted(holes - kept.keys()):
        home = game.shown_after(table.plies).get(square)
        letter = home if home in missing else missing[-1] if missing else "P"
        if letter in missing:
            missing.remove(letter)
        kept[square] = letter
    return write_placement(kept)


def told(game: State, board: str, placement: str) -> str | None:
    """Return the position with the holes of ``placement`` that has been reported: the one that the
    board shows already, one that it is to be corrected to, a completed or an announced move. None
    if there is none.

    :raises ValueError: not a placement
    """
    holes = occupied(placement)
    for goal in (game.tables[board].placement, *expected(game, board)):
        if goal.keys() == holes:
            return write_placement(goal)
    return None


def occupied(placement: str) -> frozenset[int]:
    """The squares on which something stands. :class:`ValueError` for what is not a placement."""
    # The rules of chess have no "?": any letter serves to find the occupied squares.
    return frozenset(read_placement(placement.replace(UNKNOWN, "P")))


def _exchanges(game: State, board: str) -> Iterator[tuple[Pieces, bool]]:
    """The position after the announced move if that leaves the same squares occupied, as castling
    does in Chess960 where king and rook change places, and the hands have lifted both."""
    table, move = game.tables[board], game.turn.announced
    if move is None or table.wanted is not None or game.outstanding(board):
        return
    changed = change(game.board, move)
    after = laid_over(game.pieces, changed)
    if after.keys() == game.pieces.keys() and changed.keys() <= table.unsure.keys():
        yield after, True


def expected(game: State, board: str) -> Iterator[Pieces]:
    """The positions of which somebody has told that hands on ``board`` are on the way to them: a
    correction, a completed, made or announced move, or all put back."""
    table = game.tables[board]
    if table.wanted is not None:
        yield table.wanted
    for plies in range(table.plies, len(game.history) + 1):
        yield game.shown_after(plies)
    for move in (game.turn.made, game.turn.announced):
        if move is not None:
            yield laid_over(game.pieces, change(game.board, move))


def _goals(game: State, board: str) -> Iterator[tuple[Pieces, bool]]:
    """The positions that hands on ``board`` may be on the way to, and whether they are
    :func:`expected`."""
    yield from ((goal, True) for goal in expected(game, board))
    for move in game.board.legal_moves:
        yield laid_over(game.pieces, change(game.board, move)), False


def _pawn_of(letter: str, square: int) -> str | None:
    """The pawn that may have become ``letter`` on ``square``."""
    if letter in "PpKk" or chess.square_rank(square) != (7 if is_white(letter) else 0):
        return None
    return "P" if is_white(letter) else "p"


def _taken(hand: list[tuple[int, str]], square: int, letter: str) -> tuple[int, str] | None:
    """Return the piece of the hand that it is: from this very square, else the last of its kind,
    else the pawn that is promoted."""
    same = [entry for entry in hand if entry[1] == letter]
    same = same or [entry for entry in hand if entry[1] == _pawn_of(letter, square)]
    return next((entry for entry in same if entry[0] == square), same[-1] if same else None)


def _fits(table: TableBoard, goal: Pieces) -> bool:
    """Return whether the board shows ``goal`` if its guessed pieces are named anew."""
    if goal.keys() != table.placement.keys():
        return False
    if any(goal[at] != letter for at, letter in table.placement.items() if at not in table.unsure):
        return False
    return _dealt(table, goal) is not None


def _dealt(
    table: TableBoard, goal: Pieces
) -> tuple[dict[int, tuple[int, str]], list[tuple[int, str]]] | None:
    """Return which lifted piece stands on which guessed square if the board shows ``goal``, and
    what is left in the hand; None if a piece of ``goal`` was never lifted."""
    pool = [*table.hand, *table.unsure.values()]
    dealt: dict[int, tuple[int, str]] = {}
    for square in sorted(table.unsure, key=lambda at: _pawn_of(goal[at], at) is not None):
        entry = _taken(pool, square, goal[square])
        if entry is None:
            return None
        pool.remove(entry)
        dealt[square] = entry
    return dealt, pool


def _take_names(table: TableBoard, goal: Pieces) -> None:
    dealt = _dealt(table, goal)
    assert dealt is not None
    table.unsure, table.hand = dealt
    for square in table.unsure:
        table.placement[square] = goal[square]
