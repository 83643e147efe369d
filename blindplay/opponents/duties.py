"""The duties of a player without hands now. They follow from the game alone, so a game that was
killed at any moment goes on where it stood."""

import chess

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.state import OTHER


def rests(game: Game) -> bool:
    """Return whether nobody may play now: before the start, in a pause, while the arbiter is
    needed, when a move is sealed, and after the game."""
    waiting = game.pending is not None and not game.pending.claimable
    sealing = game.adjourning or game.adjourned or game.sealed is not None
    return game.over or waiting or sealing or not game.started or bool(game.paused)


def due(game: Game, side: str) -> Fact | None:
    """The next thing that ``side`` does without thinking, with any time: repeat what the opponent
    has announced and execute it on the own board (D.2.1), execute the own announced move, and press
    the clock. It agrees to what both players are asked. None if nothing is due."""
    if game.pending is not None and side in game.pending.asked:
        return f.Consent(by=side)
    if rests(game):
        return None
    turn, own = game.turn, game.board_of(side)
    if game.side != side and turn.announced is not None and side not in game.repeated:
        return f.Repeat(by=side, move=turn.announced.uci())
    if own != game.board_of(OTHER[side]):
        for ply in game.outstanding(own):
            return f.Make(by=side, move=ply.move.uci())
    if game.side == side and turn.made is not None:
        return f.Press(by=side)
    if game.side == side and turn.announced is not None:
        return f.Make(by=side, move=turn.announced.uci())
    return None


def is_to_choose(game: Game, side: str) -> bool:
    """Return whether ``side`` has to find a move. Without a clock, a made move may be answered at
    once (1.3), because nobody presses."""
    if rests(game):
        return False
    if game.side == side:
        return game.turn.announced is None and game.turn.made is None
    return game.turn.made is not None and not game.clock


def position(game: Game) -> chess.Board:
    """The position after the last move that was made, with the moves that led to it."""
    board = game.start_board.copy()
    for ply in game.history:
        if not board.is_legal(ply.move):
            return game.position
        board.push(ply.move)
    if game.turn.made is not None:
        board.push(game.turn.made)
    return board
