"""Which place of an analysis a board shows, and whether hands are on the way to one.

A place is a node of the tree of moves.
"""

from collections.abc import Callable

import chess
import chess.pgn

from blindplay.laws.placement import Change, Pieces, difference, moves_that_show, pieces_of


def earlier(node: chess.pgn.GameNode, shows: Callable[[Pieces], bool]) -> chess.pgn.GameNode | None:
    """Return ``node`` or the last place before it whose pieces the board ``shows``."""
    at: chess.pgn.GameNode | None = node
    board = node.board()
    while at is not None and not shows(pieces_of(board)):
        at = at.parent
        if at is not None:
            board.pop()
    return at


def move_instead(node: chess.pgn.GameNode, pieces: Pieces) -> tuple[chess.Move, bool] | None:
    """Return the move that the board shows instead of the last one, and whether that one was only
    its beginning: a rook that was moved before its king castled made no move."""
    board = node.board()
    if node.parent is None or not board.peek():
        return None
    last = board.pop()
    move = next(moves_that_show(board, difference(pieces, pieces_of(board))), None)
    if move is None:
        return None
    begun = board.is_castling(move) and not node.variations and _is_rook_of(board, move, last)
    return move, begun


def move_of_other_side(board: chess.Board, changed: Change) -> chess.Move | None:
    """Return the move with which the side not to move has ``changed`` the pieces."""
    if board.is_check():
        return None
    after = board.copy()
    after.push(chess.Move.null())
    return next(moves_that_show(after, changed), None)


def is_on_the_way(node: chess.pgn.GameNode, pieces: Pieces, settled: Pieces) -> bool:
    """Return whether hands may be in the middle of a move, or of taking one back. ``settled``: the
    pieces when the board last showed a place."""
    board, goal = node.board(), pieces_of(node.board())
    targets = [goal, *([pieces_of(node.parent.board())] if node.parent is not None else [])]
    for move in board.legal_moves:
        after = board.copy(stack=False)
        after.push(move)
        targets.append(pieces_of(after))
        if move.promotion:  # the pawn stands there until it is replaced
            pawn = board.piece_at(move.from_square)
            assert pawn is not None
            targets.append({**targets[-1], move.to_square: pawn.symbol()})
    return any(
        _is_between(pieces, base, target) for base in (goal, settled or goal) for target in targets
    )


def _is_between(pieces: Pieces, base: Pieces, target: Pieces) -> bool:
    """Return whether hands may be on the way from ``base`` to ``target``: some of the pieces that
    change their places are lifted, or stand where they go to."""
    return all(
        pieces.get(at) in (base.get(at), target.get(at))
        or (at not in pieces and base.get(at) != target.get(at))
        for at in base.keys() | target.keys() | pieces.keys()
    )


def _is_rook_of(board: chess.Board, castling: chess.Move, last: chess.Move) -> bool:
    """Return whether ``last`` was the rook's part of castling."""
    after = board.copy(stack=False)
    after.push(castling)
    moved = board.piece_at(last.from_square)
    return (
        moved is not None
        and after.piece_at(last.to_square) == moved
        and (moved.piece_type == chess.ROOK)
    )
