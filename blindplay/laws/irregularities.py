"""Irregularities (article 7): illegal moves and their penalties, wrong starts, displaced pieces."""

import dataclasses
import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Final, cast

import chess

from . import facts as f
from .completing import complete
from .duties import oblige
from .ends import end, end_if_over, lose, result_of_losing
from .permissions import closed, refuse_task, rights
from .placement import Change, Pieces, captured_en_passant, change, laid_over
from .proposals import decide, propose
from .reasons import ArbiterReason
from .rulings import ArbiterNeeded, IllegalMove, Made, NotMade, Penalty, TakeBack
from .sheet_comparison import steps
from .sheets import call_to_set_clocks, clocks_at, in_order, take_back, want
from .state import (
    LOSES,
    OTHER,
    Displacing,
    Effect,
    Pending,
    Ply,
    Price,
    State,
    Turn,
    san,
    whose_clock,
)

# These have articles of their own.
_BY_THEMSELVES = ("press_without_move", "two_hands", "pawn_not_replaced")


def illegal(
    game: State, move: chess.Move | None, why: str = "", *, claimed_by: str | None = None
) -> None:
    """The player on move has completed an illegal move by pressing the clock (7.5), or is making
    one with two hands. Without ``why`` the move is one that is not legal. ``claimed_by`` the
    opponent, it is not left to them any more."""
    why = why or why_illegal(game.board, move)
    if why == "pawn_not_replaced" and game.switch("unreplaced_pawn") == "silent":
        # The text has no rule for it. No move has been made, and the arbiter says what follows.
        game.rule(NotMade(by=game.side, missing=("promotion_piece",)), "released_promotion")
        game.rule(ArbiterNeeded(why="pawn_not_replaced", player=game.side), "not_covered")
        return
    left = game.switch("illegal_noticed_by") == "opponent" and claimed_by is None
    if left and _can_stand(game, move, why):
        _left_to_the_opponent(game, move, why)
        return
    side = game.side
    number = game.illegal_moves[side] + 1
    own = game.tables[game.board_of(side)]
    goal: Pieces = game.pieces
    if why == "pawn_not_replaced" and game.switch("unreplaced_pawn") == "queen":
        assert move is not None
        goal = laid_over(goal, change(game.board, _queening(move)))
    ruling = IllegalMove(
        by=side,
        why=why,
        number=number,
        move=None if move is None else move.uci(),
        undo=steps(own.placement, goal),
        claimed_by=claimed_by,
    )
    confirm, reject = Effect(_undo, side, number, move, why), Effect(_allow, move, why)
    price = _price(game, side, number, game.board)
    propose(game, ruling, _rules(game, why), confirm, reject, price=price)


def _undo(game: State, side: str, number: int, move: chess.Move | None, why: str) -> None:
    """The move at hand is the ``number``-th illegal one of ``side``: another one replaces it."""
    old = game.turn
    game.turn = Turn(
        touched=list(old.touched), castles=old.castles, must_play=old.must_play,
        claim_lost=old.claim_lost,
    )  # fmt: skip
    if _lose_if_too_many(game, side, number, game.board):
        return
    if move is not None:
        _count_as_touched(game, move)
    _punish(game, side, move, why)


def _allow(game: State, move: chess.Move | None, why: str) -> None:
    """The arbiter rejects that the move at hand is illegal."""
    if game.switch("illegal_stands") and _can_stand(game, move, why):
        _let_stand(game, move, why)
    else:
        game.resume()


def _price(game: State, side: str, number: int, before: chess.Board) -> Price | None:
    """The penalty for the ``number``-th illegal move of ``side``, made in the position
    ``before``, by edition and kind of game; None where the text sets none."""
    if game.served:
        return None
    limit = game.switch("illegal_moves_that_lose")
    given = game.switch("illegal_penalty_seconds")
    if limit and number >= limit:
        result = result_of_losing(game, side, before)
        return Price("penalty", Penalty(player=side, loses=True, result=result))
    if given and game.clock:
        return Price("penalty", Penalty(player=side, gives=OTHER[side], seconds=given))
    return None


def _rules(game: State, why: str) -> tuple[str, ...]:
    if why not in _BY_THEMSELVES:
        return ("illegal",)
    return (why, "illegal_stands") if game.switch("illegal_stands") else (why,)


def _illegal_ply(
    game: State, index: int, *, claimable: bool = False, why: str = "two_hands"
) -> None:
    """The ply with this index, completed long ago or just now, is illegal: back to before it."""
    ply = game.history[index]
    side, why = ply.side, ply.illegal or why
    number = game.illegal_moves[side] + 1
    own = game.tables[game.board_of(side)]
    ruling = IllegalMove(
        by=side,
        why=why,
        number=number,
        move=ply.move.uci() if ply.move else None,
        undo=steps(own.placement, ply.pieces),
        to_ply=index,
        **clocks_at(game, index),
    )
    confirm = Effect(_go_back_before, index, ply, number, why)
    if claimable:
        claim = replace(ruling, claimable=True, status="proposed")
        game.rule(claim, *_rules(game, why))
        game.pending = Pending(claim, confirm, claimable=True)
    else:
        price = _price(game, side, number, ply.before)
        propose(game, ruling, _rules(game, why), confirm, price=price)


def _go_back_before(game: State, index: int, ply: Ply, number: int, why: str) -> None:
    """``ply``, completed as the one with this index, is its player's ``number``-th illegal move."""
    if _lose_if_too_many(game, ply.side, number, ply.before):
        return
    take_back(game, index, "restore")
    game.turn.touched = list(ply.touched)
    _count_as_touched(game, ply.move)
    _punish(game, ply.side, ply.move, why, restored=True)


def _lose_if_too_many(game: State, side: str, number: int, before: chess.Board) -> bool:
    """End the game if so many illegal moves lose it, by edition and kind of game, and return
    whether they do. The game ends in the position before the last of them."""
    game.illegal_moves[side] = number
    price = _price(game, side, number, before)
    if price is None or not price.penalty.loses:
        return False
    game.rule(replace(price.penalty, status="confirmed"), price.rule)
    lose(game, side, "illegal_moves", "penalty", board=before)
    return True


def _punish(
    game: State, side: str, move: chess.Move | None, why: str, *, restored: bool = False
) -> None:
    """The time that an illegal move costs, and how the game goes on."""
    given = 0 if game.served else game.switch("illegal_penalty_seconds")
    if given and game.clock:
        gains = OTHER[side]
        game.clock.set(gains, game.clock.left[gains] + given * 1000)
        game.rule(Penalty(player=side, gives=gains, seconds=given, status="confirmed"), "penalty")
    elif not game.served:
        game.rule(ArbiterNeeded(why="penalty"), "penalty")
    if why == "pawn_not_replaced" and game.switch("unreplaced_pawn") == "queen":
        assert move is not None
        _replace_pawn(game, move)
        return
    if not restored:
        for board in game.tables:
            if not game.outstanding(board):
                want(game, board, game.pieces, "restore")
    if game.turn.touched:
        # 4.3 applies to the move that replaces the illegal one (7.5.1).
        oblige(game, "replacing_move")
    game.resume("arbiter_sets_clocks")


def _count_as_touched(game: State, move: chess.Move) -> None:
    """The pieces of an illegal move have been touched, the player's own first (4.3.3)."""
    touched = game.turn.touched
    for square in (move.from_square, move.to_square) if move else ():
        if game.board.piece_type_at(square) and square not in touched:
            touched.append(square)


def _queening(move: chess.Move) -> chess.Move:
    return chess.Move(move.from_square, move.to_square, chess.QUEEN)


def _replace_pawn(game: State, move: chess.Move) -> None:
    """A pawn left on the last rank becomes a queen, and the move is completed (7.5.2)."""
    side = game.side
    queen = _queening(move)
    game.turn = Turn(executed=queen, made=queen)
    made = Made(by=side, move=queen.uci(), san=san(game.board, queen))
    game.rule(made, "pawn_not_replaced")
    after = laid_over(game.pieces, change(game.board, queen))
    want(game, game.board_of(side), after, "pawn_not_replaced")
    end_if_over(game, game.after(queen))
    if not game.over:
        complete(game)


# --- illegal moves that stand --------------------------------------------------------------


def _can_stand(game: State, move: chess.Move | None, why: str) -> bool:
    """Return whether the game could go on after this: something moved, and both kings are still
    there; or the clock was pressed without a move (A.5.2)."""
    if move is None:
        return why == "press_without_move"
    moved = change(game.board, move)
    gone = [game.pieces.get(square) for square in moved if moved[square] is None]
    kings = [letter for letter in laid_over(game.pieces, moved).values() if letter in "Kk"]
    own = game.board.color_at(move.from_square) == game.board.turn
    return own and bool(gone) and sorted(kings) == ["K", "k"]


def _let_stand(game: State, move: chess.Move | None, why: str) -> None:
    """Nobody objects: the illegal move stands, and the other player is on move (A.5.2)."""
    made = move or chess.Move.null()
    game.turn.made = game.turn.executed = made
    complete(game, illegal=why)


def _left_to_the_opponent(game: State, move: chess.Move | None, why: str) -> None:
    """The opponent's clock runs, and they may claim until they have made their own move (C.3, B.5
    of fide-1997)."""
    _let_stand(game, move, why)
    stands = bool(game.history) and bool(game.history[-1].illegal)
    if stands and not game.over and game.pending is None:
        _illegal_ply(game, len(game.history) - 1, claimable=True)


def lapse(game: State) -> None:
    """The opponent has made their own move: a claim of theirs lapses."""
    if game.pending is not None and game.pending.claimable:
        game.pending = None


# --- what people notice --------------------------------------------------------------------


def irregular(game: State, fact: f.Irregular) -> None:
    if closed(game, fact.kind, fact.by):
        return
    if fact.by.startswith("assistant:"):
        # A complaint is not a task of an assistant (D.2.10). Anybody who sees something irregular
        # may tell the arbiter (12.7).
        if fact.kind in rights(game, fact.by):
            seen = cast("ArbiterReason", fact.what)
            told = ArbiterNeeded(why=seen, by=fact.by, player=fact.player)
            game.rule(told, "outsiders")
        else:
            refuse_task(game, fact.by, fact.kind)
        return
    _IRREGULARITIES[fact.what](game, fact)


def _offender(game: State, fact: f.Irregular) -> str:
    """Return the side that did it: as said, else the other player, else the mover or the last
    mover."""
    if fact.player is not None:
        return fact.player
    if fact.by in OTHER:
        return OTHER[fact.by]
    turn = game.turn
    begun = turn.touched or turn.executed or turn.attempted or turn.made
    return game.side if begun or not game.history else OTHER[game.side]


def _two_hands(game: State, fact: f.Irregular) -> None:
    side = _offender(game, fact)
    turn = game.turn
    if (
        fact.by != "arbiter"
        and side != game.side
        and (turn.touched or turn.executed)
        and game.switch("complaint_lost_covers_one_hand")
    ):
        game.refuse(fact.by, "irregular", "right_to_complain_lost", "complaint_lost")
    elif not game.switch("two_hands_is_illegal"):
        game.rule(ArbiterNeeded(why="two_hands", player=side), "one_hand")
    elif side == game.side:
        illegal(game, turn.made or turn.executed or turn.attempted, "two_hands")
    elif not game.history:
        game.refuse(fact.by, "irregular", "no_move", "two_hands")
    elif game.turn.made is not None and game.switch("illegal_stands"):
        game.refuse(fact.by, "irregular", "stands", "illegal_stands")
    else:
        _illegal_ply(game, len(game.history) - 1)


def _illegal_move(game: State, fact: f.Irregular) -> None:
    by = fact.by
    if game.pending is not None:
        if by == "arbiter" or (by == game.side and not game.presided):
            decide(game, "confirmed")
        elif by == game.side:
            # The opponent claims: now it is the arbiter's to confirm, and the clocks stand.
            pending, game.pending = game.pending, None
            assert isinstance(pending.ruling, IllegalMove)
            claim = replace(pending.ruling, claimable=False, claimed_by=by)
            propose(game, claim, _rules(game, claim.why), pending.confirm)
        else:
            game.refuse(fact.by, "irregular", "not_their_claim", "illegal")
        return
    for index in range(len(game.history) - 1, -1, -1):
        if game.history[index].illegal:
            answered = index < len(game.history) - 1 or game.turn.made is not None
            if answered and game.switch("illegal_stands"):
                game.refuse(fact.by, "irregular", "stands", "illegal_stands")
            else:
                _illegal_ply(game, index)
            return
    # In fide-1997 no press is needed before the claim (7.4).
    made = _attempted(game) if game.switch("illegal_complete_when") == "made" else None
    if made is not None and by == OTHER[game.side]:
        illegal(game, made, claimed_by=by)
    elif by != "arbiter" or not _rule_as_seen(game, _offender(game, fact)):
        game.refuse(fact.by, "irregular", "no_illegal_move_completed", "illegal")


def _attempted(game: State) -> chess.Move | None:
    """The illegal move that was entered, or that the board of the player on move shows."""
    turn = game.turn
    if turn.attempted is not None or turn.made is not None or turn.executed is not None:
        return turn.attempted
    move = seen_move(game, game.done_on(game.board_of(game.side)))
    return None if move is not None and move in game.board.legal_moves else move


def _rule_as_seen(game: State, side: str) -> bool:
    """The arbiter has seen an illegal move of ``side`` that no board shows. Return False if
    ``side`` has moved nothing."""
    turn = game.turn
    if side == game.side:
        seen = turn.made or turn.executed or _attempted(game)
        moved = seen or turn.misnamed or turn.announced
        if moved is None and not (turn.touched or turn.begun):
            return False
        illegal(game, moved, why_illegal(game.board, moved))
        return True
    if not game.history:
        return False
    ply = game.history[-1]
    _illegal_ply(game, len(game.history) - 1, why=why_illegal(ply.before, ply.move))
    return True


def _refuse_if_too_late(game: State, rule: str, fact: f.Irregular) -> bool:
    """Refuse if both have made so many moves that nothing can be changed (A.5.1.2), and return
    whether it was refused."""
    limit = game.switch("wrong_start_too_late_after_moves")
    if not limit or min(moves_of_each(game).values()) < limit:
        return False
    game.refuse(fact.by, "irregular", "too_late", f"{rule}_too_late")
    return True


def moves_of_each(game: State) -> Mapping[str, int]:
    """Return the number of moves that each player has completed, by side."""
    counted = {"white": 0, "black": 0}
    for ply in game.history:
        counted[ply.side] += 1
    return counted


def _wrong_start(game: State, fact: f.Irregular) -> None:
    if not _refuse_if_too_late(game, "wrong_start", fact):
        _propose_new_game(game, "wrong_start")


def _reversed_colours(game: State, fact: f.Irregular) -> None:
    limit = game.switch("reversed_colours_restart_before_moves")
    if not limit:
        # The game goes on unless the arbiter decides otherwise.
        game.rule(ArbiterNeeded(why="reversed_colours"), "reversed_colours")
    elif max(moves_of_each(game).values()) >= limit:
        game.refuse(fact.by, "irregular", "game_continues", "reversed_colours")
    else:
        _propose_new_game(game, "reversed_colours")


def _propose_new_game(game: State, why: str) -> None:
    ruling = TakeBack(to_ply=0, new_game=True, why=why, **clocks_at(game, 0))
    propose(game, ruling, (why,), Effect(_begin_anew, why))


def _begin_anew(game: State, why: str) -> None:
    """The game is annulled, and a new one begins; what was written is struck through, not lost."""
    game.started, game.clock.stopped_by = False, ""
    take_back(game, 0, why)
    game.taken_back = None
    game.clock.stop()
    game.illegal_moves = {"white": 0, "black": 0}
    game.exempt.clear()
    game.offered_at.clear()
    if why == "reversed_colours":
        assert game.setup is not None
        setup = game.setup
        game.setup = dataclasses.replace(setup, white=setup.black, black=setup.white)
        game.assistants = {side: game.assistants[OTHER[side]] for side in OTHER}
        if len(game.tables) == 2:
            game.tables = {side: game.tables[OTHER[side]] for side in OTHER}
        game.swapped = not game.swapped


def _board_turned(game: State, fact: f.Irregular) -> None:
    if not _refuse_if_too_late(game, "board_turned", fact):
        game.rule(ArbiterNeeded(why="board_turned"), "board_turned")


def _displaced(game: State, fact: f.Irregular) -> None:
    """The player who displaced pieces puts them back on their own time, so the clock goes on (7.4).
    If moves have been played since, the position before is restored (7.6)."""
    if fact.ply is not None:
        _propose_to_go_back_before(game, fact, fact.ply)
        return
    side = fact.player
    if side is not None and side != game.side and game.turn.made is None:
        # The other player has displaced the pieces that the player on move seemed to touch.
        game.turn.touched = [at for at in game.turn.touched if at not in _displaced_on(game)]
    _put_back(game)
    led = any(table.wanted is not None for table in game.tables.values())
    if game.switch("opponent_starts_displacers_clock"):
        game.displacing = None if side is None else Displacing(side, own_time=False)
    elif led and side is not None and whose_clock(game) == OTHER[side]:
        # They put the pieces right on their own time, until the boards are seen to be right.
        game.displacing = Displacing(side, own_time=True)
        if game.clock.running is not None:
            game.resume("displaced")
    game.rule(ArbiterNeeded(why="displaced", player=fact.player or None), "displaced")


def _displaced_on(game: State) -> set[int]:
    """The squares on which the player on move's board has changed since the turn began."""
    return set(game.done_on(game.board_of(game.side)))


def _put_back(game: State) -> None:
    for board in [board for board in game.tables if not in_order(game, board)]:
        want(game, board, game.position_pieces(), "displaced")


def _propose_to_go_back_before(game: State, fact: f.Irregular, ply: int) -> None:
    if ply > len(game.history) + 1:
        game.refuse(fact.by, "irregular", "no_such_ply", "displaced_found")
        return
    rule: Final = "displaced_found"
    ruling = TakeBack(to_ply=ply - 1, **clocks_at(game, ply - 1), why="displaced")
    propose(game, ruling, (rule,), Effect(take_back, ply - 1, rule), Effect(_put_back_and_go_on))


def _put_back_and_go_on(game: State) -> None:
    _put_back(game)
    game.resume()


def starts_displacers_clock(game: State, by: str) -> bool:
    """7.3 of fide-1997: the opponent may start the clock of the player who displaced pieces,
    without having made a move; that player presses when the pieces are right."""
    if game.displacing is None or not game.switch("opponent_starts_displacers_clock"):
        return False
    side = game.displacing.by
    if by == OTHER[side] and game.clock.running == by:
        game.displacing = Displacing(side, own_time=True)
    elif by == side and game.clock.running == side and game.side != side:
        game.displacing = None
    else:
        return False
    game.resume("displaced")
    return True


def _wrong_clock(game: State, fact: f.Irregular) -> None:
    """6.10.2: the clock is stopped at once, and the arbiter sets it right."""
    if _refuse_if_too_late(game, "wrong_clock", fact):
        return
    game.clock.stop(fact.by)
    game.tell_clock("wrong_clock")
    call_to_set_clocks(game, "wrong_clock", "wrong_clock")


def _phone(game: State, fact: f.Irregular) -> None:
    """A player carries a telephone or another device. The opponent wins, whatever the position,
    unless the event has a milder penalty: then the arbiter rejects this one (11.3.2.2). Where the
    text knows no telephones, the arbiter says what follows."""
    side, rule = _offender(game, fact), "phone"
    if not game.edition.has(rule):
        game.rule(ArbiterNeeded(why="phone", player=side), "not_covered")
        return
    game.rule(ArbiterNeeded(why="phone", player=side), rule)
    result = LOSES[side]
    penalty = Penalty(player=side, loses=True, why="phone", result=result)
    lost = Effect(end, result, "declared", rule)
    propose(game, penalty, (rule,), lost, needs_arbiter=True)


def _disturbance(game: State, fact: f.Irregular) -> None:
    """A player disturbs the other: the arbiter chooses the penalty (11.5, 12.9)."""
    disturbs = ArbiterNeeded(why="disturbance", player=_offender(game, fact))
    game.rule(disturbs, "disturbance", "arbiter_penalty")


_IRREGULARITIES = {
    "two_hands": _two_hands,
    "displaced": _displaced,
    "wrong_start": _wrong_start,
    "reversed_colours": _reversed_colours,
    "board_turned": _board_turned,
    "wrong_clock": _wrong_clock,
    "illegal_move": _illegal_move,
    "phone": _phone,
    "disturbance": _disturbance,
}


def seen_move(game: State, done: Change) -> chess.Move | None:
    """The move that ``done`` shows if that is all that happened: a piece that went from one square
    to another; or, where that is not legal, castling or a pawn that took another beside it."""
    gone = [square for square, letter in done.items() if letter is None]
    come = [square for square, letter in done.items() if letter is not None]
    for home, target in itertools.product(gone, come):
        was, now, move = game.pieces[home], done[target], chess.Move(home, target)
        if now is None or was.isupper() != now.isupper():
            continue
        if len(gone) == len(come) == 1:
            return move
        if was in "Kk" and game.board.is_castling(move) and done == change(game.board, move):
            return move
        passed = captured_en_passant(move)
        aside = passed in gone and game.pieces[passed] == ("p" if was == "P" else "P")
        if was in "Pp" and aside and len(done) == 3 and _takes_aside(game, move):
            return move
    return None


def _takes_aside(game: State, move: chess.Move) -> bool:
    """Return whether a pawn goes one square diagonally forward."""
    return bool(game.board.attacks_mask(move.from_square) & chess.BB_SQUARES[move.to_square])


def why_illegal(board: chess.Board, move: chess.Move | None) -> str:
    """The reason why a hand's move is illegal, as the language packs name it."""
    if move is None:
        return "cannot_move_there"
    piece = board.piece_at(move.from_square)
    if piece is None:
        return "no_such_piece"
    if piece.color != board.turn:
        return "not_your_piece"
    last_rank = chess.square_rank(move.to_square) == (7 if board.turn == chess.WHITE else 0)
    if piece.piece_type == chess.PAWN and last_rank and not move.promotion:
        queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
        if queen in board.legal_moves:
            return "pawn_not_replaced"
    into_check = board.is_pseudo_legal(move) and not board.is_legal(move)
    return "king_in_check" if into_check else "cannot_move_there"
