"""Touching and adjusting pieces (4.2, 4.3, 4.8, D.2.2, D.2.10.5)."""

import dataclasses

import chess

from . import facts as f
from .completing import answered
from .duties import obligation_of, oblige, unasked
from .ends import decline_by_playing
from .permissions import acting, closed, entitled
from .placement import change
from .proposals import propose
from .rulings import Adjusting, TakeBack, Touched
from .sheets import clocks_at, take_back
from .state import COLOURS, OTHER, Effect, State, enveloped


def counts_as_touch(game: State, board: str, square: int) -> bool:
    """Return whether a lift counts as a touch: by the mover, on their own board, with their own
    move in mind. It does not count while they adjust, correct a wrong position, or execute the
    opponent's last move, nor while play waits for the arbiter or an envelope."""
    table = game.tables[board]
    if game.over or enveloped(game) or not (game.pending is None or game.pending.claimable):
        return False
    if board != game.board_of(game.side) or game.turn.adjusting or table.wanted is not None:
        return False
    if (not game.started and game.clock) or game.turn.made is not None:
        return False
    lagging = game.outstanding(board)
    if any(square in change(ply.before, ply.move) for ply in lagging):
        return False
    if lagging and game.board.color_at(square) != game.board.turn:
        return False  # the opponent's piece, whose move is still to be executed
    return game.board.piece_type_at(square) is not None and square not in game.turn.touched


def touched(game: State, square: int) -> None:
    """The player on move has touched what stands on ``square``: a board has felt it."""
    ruling = _ruling(game, game.side, square)
    game.rule(ruling, *_rules(game, ruling))
    _bind(game, square)


def _ruling(game: State, side: str, square: int, seen_by: str | None = None) -> Touched:
    piece = game.position.piece_at(square)
    assert piece is not None
    reported = None if seen_by == side else seen_by
    name = chess.square_name(square)
    return Touched(by=side, square=name, piece=piece.symbol(), seen_by=reported)


def _rules(game: State, ruling: Touched) -> tuple[str, ...]:
    own = chess.Piece.from_symbol(ruling.piece).color == COLOURS[ruling.by]
    rule = "touched_own" if own else "touched_opponents"
    if len(game.tables) == 1:
        return (rule,)
    if game.impaired(ruling.by) and ruling.seen_by is None:
        return ("touched_special",)
    return ("sighted_ordinary", rule)


def _bind(game: State, square: int, *, asked: bool = False) -> None:
    """Bind the player on move to the touched piece (4.3); ``asked``: the opponent demands it."""
    game.turn.touched.append(square)
    if game.switch("claim_lost_by") == "touch":
        game.turn.claim_lost = True
        decline_by_playing(game, game.side)
    if asked or not unasked(game):
        oblige(game)


def touch(game: State, fact: f.Touch) -> None:
    """A touch that no sensor saw, reported at once or afterwards (D.2.10.5, 4.8)."""
    if closed(game, "touch", fact.by):
        return
    if fact.by not in OTHER:
        # An assistant or the arbiter touches nothing, but has seen it. An assistant reports that
        # the opponent of their player has touched a piece (D.2.10.5).
        made = game.turn.made is not None
        if fact.by == "arbiter":
            who = OTHER[game.side] if made else game.side
        else:
            who = OTHER[fact.by.removeprefix("assistant:")]
        fact = dataclasses.replace(fact, by=who, seen_by=fact.by)
    complains = fact.seen_by or fact.by
    if fact.seen_by is not None and acting(game, fact.seen_by, "touch", duty="own") is None:
        return
    if game.impaired(fact.by) and len(game.tables) == 2:
        # On the tactile board only leaving the securing hole touches: that is a ``lift`` (D.2.2).
        game.refuse(complains, "touch", "only_leaving_the_hole", "touched_special")
        return
    if fact.ply is not None and fact.ply != len(game.history) + 1:
        _complain(game, fact, fact.ply)
        return
    square = chess.parse_square(fact.square)
    piece = game.position.piece_at(square)
    # A player may answer a move that was made but not completed, with a piece of their own.
    answers = game.turn.made is not None and fact.by != game.side
    if answers:
        on_move = piece is not None and piece.color == COLOURS[fact.by]
    else:
        on_move = fact.by == game.side and game.turn.made is None
    if not on_move:
        game.refuse(complains, "touch", "not_on_move", "touched_own")
    elif piece is None:
        game.refuse(complains, "touch", "empty_square", "touched_own")
    elif not game.started and game.clock:
        game.refuse(complains, "touch", "not_started", "start")
    elif answers or not (_known(game, fact, square) or game.turn.adjusting):
        _said(game, fact, square)


def _known(game: State, fact: f.Touch, square: int) -> bool:
    """Return whether this touch has been told, and the telling asks for no ruling (B.5)."""
    return square in game.turn.touched and (fact.seen_by is None or not unasked(game))


def _said(game: State, fact: f.Touch, square: int) -> None:
    """Somebody says that ``fact.by`` has touched what stands on ``square``. It binds at once if the
    player, the opponent or the arbiter says so. An assistant only informs the arbiter (D.2.10.5),
    so it waits for the arbiter's decision, if there is an arbiter."""
    ruling = _ruling(game, fact.by, square, fact.seen_by)
    rules = _rules(game, ruling)

    if not (fact.seen_by or "").startswith("assistant:"):
        game.rule(ruling, *rules)
        _bind_said(game, fact.by, square, fact.seen_by)
    elif game.presided:
        propose(game, ruling, rules, Effect(_confirm_said, fact.by, square, fact.seen_by))
    else:
        game.rule(dataclasses.replace(ruling, status="confirmed"), *rules)
        _bind_said(game, fact.by, square, fact.seen_by)


def _bind_said(game: State, by: str, square: int, seen_by: str | None) -> None:
    answered(game, by)
    asked = seen_by not in (None, by, "arbiter")
    if square not in game.turn.touched:
        _bind(game, square, asked=asked)
    elif asked and unasked(game):
        oblige(game)


def _confirm_said(game: State, by: str, square: int, seen_by: str | None) -> None:
    game.resume()
    _bind_said(game, by, square, seen_by)


def _complain(game: State, fact: f.Touch, number: int) -> None:
    """The player touched a piece during an earlier ply, and moved another. The opponent may
    complain until they themselves have touched a piece (4.8)."""
    complains = fact.seen_by or fact.by
    if number > len(game.history) or game.history[number - 1].side != fact.by:
        game.refuse(complains, "touch", "no_such_ply", "touched_own")
        return
    late = number < len(game.history) or game.turn.touched or game.turn.executed
    if late and fact.seen_by != "arbiter":
        game.refuse(complains, "touch", "right_to_complain_lost", "complaint_lost")
        return
    ply = game.history[number - 1]
    square = chess.parse_square(fact.square)
    squares = tuple(dict.fromkeys((*ply.touched, square)))
    owed = obligation_of(game, ply.before, squares)
    if ply.before.piece_at(square) is None:
        game.refuse(complains, "touch", "empty_square", "touched_own")
        return
    if owed.free or ply.move in owed.moves:
        game.refuse(complains, "touch", "fulfilled", owed.rule)
        return

    clocks, why = clocks_at(game, number - 1), "touched_piece"
    back = TakeBack(to_ply=number - 1, **clocks, why=why, by=fact.by, square=fact.square)
    confirm = Effect(_uphold, number - 1, owed.rule, squares)
    propose(game, back, (owed.rule, "complaint_lost"), confirm)


def _uphold(game: State, to_ply: int, rule: str, squares: tuple[int, ...]) -> None:
    """A complaint is right: the move is taken back, and what was touched obliges."""
    take_back(game, to_ply, rule)
    game.turn.touched = list(squares)
    oblige(game)
    game.resume()


def adjust(game: State, fact: f.Adjust) -> None:
    side = entitled(game, fact, duty="own")
    if side is None:
        return
    if side != game.side or game.turn.touched or game.turn.made is not None:
        game.refuse(fact.by, "adjust", "too_late", "adjusting")
        return
    own_time = "adjusting_on_own_time"
    if game.clock and game.started and game.clock.running != side and game.edition.has(own_time):
        game.refuse(fact.by, "adjust", "clock_not_running", own_time)
        return
    game.turn.adjusting = True
    game.rule(Adjusting(by=side), "adjusting")


def stop_adjusting(game: State) -> None:
    """The player goes on to their move: a piece that they still hold is touched with that
    intention."""
    if game.turn.adjusting:
        game.turn.adjusting = False
        board = game.board_of(game.side)
        for square, _ in list(game.tables[board].hand):
            if counts_as_touch(game, board, square):
                touched(game, square)
