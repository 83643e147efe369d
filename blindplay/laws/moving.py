"""Announcing, repeating, correcting, executing and pressing the clock (D.2, 6.2)."""

from collections.abc import Iterable

import chess

from . import facts as f
from . import rulings as r
from .adjournment import seal_and_adjourn
from .completing import answered, complete, complete_answered
from .duties import binding, oblige, why_owed
from .executing import (
    begins,
    captured_elsewhere,
    catch_up,
    executed_differs,
    final,
    finished,
    look_again,
    reconsider,
    try_to_make,
    withdraw_announcement,
)
from .irregularities import illegal, seen_move, starts_displacers_clock, why_illegal
from .permissions import entitled, may_correct
from .placement import Change, change, difference, laid_over, moves_that_show
from .sheets import compare_boards, difference_of, in_order, shows
from .state import OTHER, Heard, State, legal, understand
from .touching import stop_adjusting
from .unidentified_pieces import may_show


def _heard(game: State, fact: f.Spoken, side: str, board: chess.Board) -> Heard:
    """Return what was spoken, understood as a move on ``board``."""
    if fact.move is None:
        assert fact.text is not None
        return understand(game, side, fact.text, board)
    move = legal(board, fact.move)
    if move is not None:
        return Heard("move", (move,))
    return Heard("illegal", (chess.Move.from_uci(fact.move),), "cannot_move_there")


def meaning(game: State, fact: f.Spoken, side: str, board: chess.Board) -> chess.Move | None:
    """The legal move that was spoken, or None and a ruling that says why not."""
    heard = _heard(game, fact, side, board)
    if heard.kind == "move":
        return heard.moves[0]
    if side == game.side:
        # A player who was not understood has begun a move: 7.5.3 is for a press without any.
        game.turn.begun = True
        game.turn.unnamed_promotion = heard.why == "promotion_missing"
        clear = heard.kind == "illegal" and len(heard.moves) == 1
        game.turn.misnamed = heard.moves[0] if clear else None
    if heard.kind == "ambiguous":
        moves = tuple(move.uci() for move in heard.moves)
        game.rule(r.Ambiguous(by=side, text=fact.text or "", moves=moves), "announcing")
    elif heard.kind == "illegal":
        named = heard.moves[0].uci() if heard.moves else None
        game.refuse(side, fact.kind, heard.why, "announcing", "moving", move=named)
    else:
        game.rule(r.NotUnderstood(by=side, text=fact.text or ""), "announcing")
    return None


def _may_move(game: State, side: str, what: str) -> bool:
    if side != game.side:
        game.refuse(side, what, "not_on_move", "completing")
    elif not game.started and game.clock:
        game.refuse(side, what, "not_started", "start")
    else:
        return True
    return False


def announce(game: State, fact: f.Announce) -> None:
    side = _entitled_to_speak(game, fact)
    if side is None:
        return
    if game.turn.made is not None and side != game.side:
        if _heard(game, fact, side, game.position).kind == "move":
            answered(game, side)
        if game.over:
            return
    if not _may_move(game, side, "announce"):
        return
    stop_adjusting(game)
    move = meaning(game, fact, side, game.board)
    if move is None:
        return
    game.turn.misnamed = None
    if _is_forbidden(game, fact, move):
        return
    was = game.turn.announced
    if was not in (None, move):
        if _may_change_to(game, fact, move):
            _slip(game, side, move)
    elif was is not None and game.turn.made is not None:
        _announced(game, side, move)
    else:
        game.turn.announced = move
        game.turn.announced_by = fact.by
        _announced(game, side, move)
        _after_announcing(game)


def _is_forbidden(game: State, fact: f.Spoken, move: chess.Move) -> bool:
    """Refuse a move that a touched piece or a wrong claim forbids before anybody hears it announced
    (4.3, 9.5.3), and return whether it was refused."""
    owed = binding(game) if game.turn.made is None else None
    if owed is None or move in owed.moves:
        return False
    game.turn.begun = True
    game.refuse(game.side, fact.kind, why_owed(owed), owed.rule, move=move.uci())
    withdraw_announcement(game, owed)  # of a move that was announced before the piece was touched
    oblige(game)
    return True


def _entitled_to_speak(game: State, fact: f.Spoken) -> str | None:
    """The side whose move is spoken; None, with a refusal, if nothing may be announced now. A move
    that is being sealed is written and stays secret (I.1)."""
    if game.adjourning and not game.adjourned:
        game.refuse(fact.by, fact.kind, "seal_due", "sealing")
        return None
    return entitled(game, fact, duty="announce")


def _announced(game: State, side: str, move: chess.Move) -> None:
    game.repeated.discard(OTHER[side])
    words = game.announcement(game.board, move)
    game.rule(r.Announced(by=side, move=move.uci(), words=words), "announcing")


def _after_announcing(game: State) -> None:
    turn, board = game.turn, game.board_of(game.side)
    assert turn.announced is not None
    reconsider(game)
    if turn.executed not in (None, turn.announced):
        if shows(game, board, turn.announced):
            turn.executed = turn.announced  # Chess960: castling that looked like the rook's move
        else:
            # Until the two agree, an impaired player's move is not made. A sighted player's move is
            # made, and they must correct the announcement (D.2.5, 4.7).
            assert turn.executed is not None
            if game.impaired(game.side):
                turn.made = None
            executed_differs(game, board, turn.announced, turn.executed)
    try_to_make(game)


def may_be_a_slip(game: State, right: chess.Move | None = None) -> bool:
    """Return whether the announcement may still be a slip of the tongue, with ``right`` as the
    right move, or any if it is None. A move that was announced and executed was no slip: it is made
    and stays made (4.7, D.2.3). A board without names may show another promotion as well."""
    turn, board = game.turn, game.board_of(game.side)
    if turn.made is None or turn.made != turn.announced or turn.presumed:
        return True
    moves = game.board.legal_moves if right is None else (right,)
    return any(move != turn.made and may_show(game, board, move) for move in moves)


def _may_change_to(game: State, fact: f.Spoken, now: chess.Move) -> bool:
    """Return whether this person may change the announcement to ``now``, and refuse if not
    (D.2.8)."""
    if not may_correct(game, fact.by):
        rules = ("slip", game.helping or "assistant")
        game.refuse(fact.by, fact.kind, "not_their_announcement", *rules)
    elif not may_be_a_slip(game, now):
        game.refuse(fact.by, fact.kind, "already_made", final(game), move=now.uci())
    else:
        return True
    return False


def _slip(game: State, side: str, now: chess.Move) -> None:
    """The announcement is corrected before the opponent's clock runs (D.2.8)."""
    was = game.turn.announced
    assert was is not None
    game.turn.announced = now
    unseen = not game.tables[game.board_of(side)].sensors
    if unseen and game.turn.executed == was:
        # No board has shown that move, and nobody has said that it was made: it goes, too.
        game.turn.made = game.turn.executed = None
    elif game.impaired(side) or game.turn.executed is None:
        game.turn.made = None
        look_again(game)
    game.rule(r.SlipCorrected(by=side, was=was.uci(), now=now.uci()), "slip")
    _announced(game, side, now)
    _after_announcing(game)


def correct(game: State, fact: f.Correct) -> None:
    side = _entitled_to_speak(game, fact)
    if side is None:
        return
    own = fact.by.removeprefix("assistant:")
    if side != game.side or (own != side and game.turn.announced is None):
        # The other player is on move, so this correction is too late, whoever gives it (D.2.8).
        game.rule(r.TooLate(by=own), "slip")
        return
    if game.turn.announced is None:
        if _may_move(game, side, "correct"):
            announce(game, f.Announce(t=fact.t, by=fact.by, text=fact.text, move=fact.move))
        return
    now = meaning(game, fact, side, game.board)
    if now is None:
        return
    if now == game.turn.announced:
        _announced(game, side, now)
    elif _may_change_to(game, fact, now) and not _is_forbidden(game, fact, now):
        _slip(game, side, now)


def repeat(game: State, fact: f.Repeat) -> None:
    """The opponent repeats the last announcement (D.2.1)."""
    if _entitled_to_speak(game, fact) is None:
        return
    by = fact.by.removeprefix("assistant:")
    if game.turn.announced is not None and by != game.side:
        before, said = game.board, game.turn.announced
    elif game.history and by == game.side:
        last = game.history[-1]
        before, said = last.before, last.spoken
    else:
        game.refuse(fact.by, "repeat", "nothing_announced", "announcing")
        return
    move = meaning(game, fact, by, before)
    if move is None:
        return
    if move != said:
        game.rule(r.RepeatDiffers(by=by, announced=said.uci(), repeated=move.uci()), "announcing")
        return
    game.repeated.add(by)
    words = game.announcement(before, move)
    game.rule(r.Repeated(by=by, move=move.uci(), words=words), "announcing")


def make(game: State, fact: f.Make) -> None:
    side = entitled(game, fact, duty="execute")
    if side is None:
        return
    if fact.by.startswith("assistant:"):
        board = _board_for_assistant(game, fact.move)
    else:
        board = game.board_of(fact.by)
    if _execute_outstanding(game, fact.move, board):
        return
    _begin_an_answer(game, fact.move, fact.by, board)
    if game.over:
        return
    if board != game.board_of(game.side):
        _make_on_other(game, fact, board)
    elif _may_move(game, side, "make"):
        _make_on_own(game, fact, board)


def _board_for_assistant(game: State, uci: str) -> str:
    """Return the board on which an assistant executes a move (D.2.10.1, D.2.11): each player's move
    on the other's board; a sighted player's own move, if nobody has entered it yet, on their
    own."""
    for board in game.tables:
        if any(ply.move == legal(ply.before, uci) for ply in game.outstanding(board)):
            return board
    mover = game.side
    done = game.turn.executed is not None and game.turn.executed == legal(game.board, uci)
    return game.board_of(OTHER[mover] if game.impaired(mover) or done else mover)


def _execute_outstanding(game: State, uci: str, board: str) -> bool:
    """Execute a completed move of the opponent on the player's own ``board``, and return whether
    the move was one."""
    table = game.tables[board]
    for ply in game.outstanding(board):
        # A move that is illegal though it stands (A.5.2) must be executed like any other.
        if uci == ply.move.uci() or ply.move == legal(ply.before, uci):
            table.show(laid_over(ply.pieces, change(ply.before, ply.move)))
            catch_up(game, board)
            return True
        if ply.misannounced and ply.spoken == legal(ply.before, uci):
            # Executed as it was announced; the opponent's hand did otherwise (D.2.9).
            table.show(laid_over(ply.pieces, change(ply.before, ply.spoken)))
            compare_boards(game)
            return True
    return False


def _begin_an_answer(game: State, uci: str, by: str, board: str) -> None:
    """A move entered for the player who is next answers the one that is made (1.3)."""
    made = game.turn.made
    if made is None:
        return
    side = OTHER[game.side]
    his = by == side or by.startswith("assistant:")
    on_his_board = board == game.board_of(side)
    if his and on_his_board and uci != made.uci() and legal(game.position, uci) is not None:
        answered(game, side)


def _make_on_other(game: State, fact: f.Make, board: str) -> None:
    """The announced move is executed on the other player's board."""
    expected = game.turn.made or game.turn.announced
    if expected is None:
        game.refuse(fact.by, "make", "not_on_move", "announcing")
        return
    move = legal(game.board, fact.move)
    if move is None:
        game.refuse(fact.by, "make", "cannot_move_there", "moving", move=fact.move)
        return
    table = game.tables[board]
    table.show(laid_over(game.pieces, change(game.board, move)))
    if move == expected:
        table.wanted = None
        game.rule(r.Executed(board=board, move=move.uci()), game.executing)
    else:
        executed_differs(game, board, expected, move)


def _make_on_own(game: State, fact: f.Make, board: str) -> None:
    table, turn = game.tables[board], game.turn
    move = legal(game.board, fact.move)
    impaired = game.impaired(game.side)
    illegal_move = chess.Move.from_uci(fact.move)
    if move is None and impaired and illegal_move != turn.misnamed:
        turn.begun, turn.attempted = True, illegal_move
        game.refuse(fact.by, "make", "cannot_move_there", "moving", move=fact.move)
        return
    if turn.made is not None and move != turn.made:
        game.refuse(fact.by, "make", "already_made", final(game), move=fact.move)
        return
    if game.outstanding(board):
        table.plies = len(game.history)
    if move is None:
        # A sighted hand can put a piece anywhere; it may change that until the clock is pressed.
        turn.attempted = illegal_move
        table.show(laid_over(game.pieces, change(game.board, turn.attempted)))
        turn.executed = turn.made = None
        on_request = game.switch("illegal_noticed_by") == "opponent"  # B.5 of fide-1997
        if game.switch("illegal_complete_when") == "made" and not on_request:
            illegal(game, turn.attempted)
        return
    turn.attempted = None
    table.show(laid_over(game.pieces, change(game.board, move)))
    table.wanted = None
    turn.presumed = fact.presumed and (turn.presumed or turn.executed != move)
    if turn.executed != move:
        turn.executed = move
        game.rule(r.Executed(board=board, move=move.uci()), game.executing)
        if turn.announced is not None and turn.announced != move:
            executed_differs(game, board, turn.announced, move)
        try_to_make(game)


def press(game: State, fact: f.Press) -> None:
    side = entitled(game, fact, duty="own")
    if side is None:
        return
    waiting = game.unpressed()
    own = [ply for ply in waiting if ply.side == side]
    # A press alone completes the last move only while its answer is not completed either.
    late = bool(own) and (game.side != side or game.history[-1] in waiting)
    if not waiting and game.turn.made is None and starts_displacers_clock(game, side):
        return
    if not game.started and game.clock:
        game.refuse(fact.by, "press", "not_started", "start")
    elif game.paused:
        game.refuse(fact.by, "press", "clocks_stopped", "resuming")
    elif own and (late or game.turn.made is not None):
        for ply in own:
            complete_answered(game, ply, "completing_later")
        if side == game.side and game.turn.made is not None:
            complete(game)
    elif waiting and not own:
        game.refuse(fact.by, "press", "clock_not_running", "completing_later")
    elif side != game.side:
        game.refuse(fact.by, "press", "not_on_move", "completing")
    elif game.sealed is not None or game.adjourning:
        seal_and_adjourn(game)
    else:
        _press_of_the_mover(game, side)


def _press_of_the_mover(game: State, side: str) -> None:
    own = game.board_of(side)
    if game.turn.made is None:
        finished(game, own)
    if game.turn.made is not None:
        if not game.over:
            complete(game)
        return
    if game.clock and game.clock.running != side:
        # Nothing has been made, and the time that passes is not theirs (7.4.1, 6.11).
        rule = "displaced" if game.displacing is not None else "resuming"
        game.refuse(side, "press", "clock_not_running", rule)
        return
    if game.outstanding(own) and not in_order(game, own):
        # The opponent's move was copied wrongly: nothing can be made here until that is corrected.
        compare_boards(game, pressed=side)
        if game.pending is not None:
            return
    _press_unmade(game, side)


def _press_unmade(game: State, side: str) -> None:
    """The clock was pressed, but no move has been made."""
    board, turn = game.board_of(side), game.turn
    done = game.done_on(board)
    if game.impaired(side):
        if _executed_as_misnamed(game, board, done):
            illegal(game, turn.misnamed)
        elif turn.touched or turn.announced or turn.executed or turn.begun or done:
            missing = _missing(game, board) or ("placed",)
            game.rule(r.NotMade(by=side, missing=missing), "made_special", "clock_special")
            _doubt_what_contradicts(game, board, done)
            _pressed_too_early(game, side, done)
        else:
            _pressed_without_a_move(game, side)
    elif turn.attempted is not None:
        illegal(game, turn.attempted)
    elif done and turn.executed is None:
        _press_of_a_sighted_hand(game, side, done)
    elif done or turn.touched or turn.announced or turn.begun:
        game.rule(r.NotMade(by=side, missing=("placed",)), "released", "completing")
        _pressed_too_early(game, side, done)
    else:
        _pressed_without_a_move(game, side)


def _executed_as_misnamed(game: State, board: str, done: Change) -> bool:
    """Return whether the hands of an impaired player have done the illegal move that the player has
    announced: word and board agree, so the press completes it (7.5.1)."""
    said, turn = game.turn.misnamed, game.turn
    if said is None or turn.announced is not None:
        return False
    if game.tables[board].sensors:
        return bool(done) and (done == change(game.board, said) or seen_move(game, done) == said)
    return said == turn.attempted


def _press_of_a_sighted_hand(game: State, side: str, done: Change) -> None:
    """A board with sensors shows no legal move. Half of a move is not yet made (4.7); a move that
    is certainly illegal is ruled (7.5.1). If the board shows neither, doubt the board, not its
    player."""
    own = game.board.occupied_co[game.board.turn]
    lifted = [at for at, now in done.items() if now is None and own & chess.BB_SQUARES[at]]
    left = [
        wanted.keys() - done.keys()
        for move in game.board.legal_moves
        if (wanted := change(game.board, move)).keys() >= done.keys()
        and all(now in (None, wanted[at]) for at, now in done.items())
    ]
    move = seen_move(game, done)
    if _contradicts_the_announcement(game):
        _ask_to_check(game, done)
    elif (left and lifted) or not any(done.values()):
        captured = left and not any(own & chess.BB_SQUARES[at] for rest in left for at in rest)
        placed = any(done.values())
        missing = "captured_piece_removed" if captured and placed else "placed"
        game.rule(r.NotMade(by=side, missing=(missing,)), "released", "completing")
        _pressed_too_early(game, side, done)
    elif move is not None and _unnamed_promotion(game, side, move):
        # The board cannot tell a queen from a pawn: the player says what stands there.
        game.rule(r.NotMade(by=side, missing=("promotion_piece",)), "released_promotion")
    elif move is not None and game.turn.announced is None:
        illegal(game, move)
    else:
        _ask_to_check(game, done)


def _contradicts_the_announcement(game: State) -> bool:
    """Return whether the board shows a legal move that is half of the announced one. The report of
    the other half may be lost then, so people are asked before it counts."""
    board = game.board_of(game.side)
    shows_move = any(moves_that_show(game.board, difference_of(game, board)))
    return shows_move and begins(game, board, game.turn.announced)


def _ask_to_check(game: State, done: Change) -> None:
    board = game.board_of(game.side)
    game.turn.asked = difference_of(game, board)
    game.rule(r.NotMade(by=game.side, missing=("placed",)), "released", "completing")
    _check(game, board, done)


def _doubt_what_contradicts(game: State, board: str, done: Change) -> None:
    """Ask people to look at a tactile board that shows something outside the announced move, or
    outside any legal one: a sensor may be wrong."""
    announced, unsure = game.turn.announced, game.tables[board].unsure

    def fits(wanted: Change, at: int) -> bool:
        now, named = done[at], at not in unsure
        return at in wanted and (now in (None, wanted[at]) or not (named or wanted[at] is None))

    moves = [announced] if announced is not None else game.board.legal_moves
    if any(done.values()) and not any(
        all(fits(wanted, at) for at in done)
        for wanted in (change(game.board, move) for move in moves)
    ):
        meant = {} if announced is None else change(game.board, announced)
        _check(game, board, [at for at in done if not fits(meant, at)])


def _check(game: State, board: str, squares: Iterable[int]) -> None:
    doubted = tuple(chess.square_name(square) for square in sorted(squares))
    game.rule(r.CheckBoard(board=board, doubted=doubted), "displaced_found")


def _unnamed_promotion(game: State, side: str, move: chess.Move) -> bool:
    """Return whether a pawn has promoted on a board that has not named the new piece."""
    unsure = game.tables[game.board_of(side)].unsure
    return move.to_square in unsure and why_illegal(game.board, move) == "pawn_not_replaced"


def _pressed_too_early(game: State, side: str, done: Change) -> None:
    """Ask the arbiter for a penalty if the text forbids a press in the middle of a move."""
    if done and game.switch("early_press_is_punished"):
        rules = ("early_press", "arbiter_penalty")
        game.rule(r.ArbiterNeeded(why="press_without_move", player=side), *rules)


def _pressed_without_a_move(game: State, side: str) -> None:
    if game.switch("press_without_move_is_illegal"):
        illegal(game, None, "press_without_move")
    else:
        game.refuse(side, "press", "no_move", "press_without_move")
        rules = ("press_without_move", "arbiter_penalty")
        game.rule(r.ArbiterNeeded(why="press_without_move", player=side), *rules)


def _missing(game: State, board: str) -> tuple[str, ...]:
    """Return what D.2.3 still asks of the impaired player on move."""
    turn = game.turn
    missing = [] if turn.announced is not None else ["announced"]
    table = game.tables[board]
    if missing and turn.unnamed_promotion:
        missing.append("promotion_piece")
    wanted = turn.announced or turn.executed
    if wanted is None:
        if turn.unnamed_promotion and _a_pawn_promotes(game, board):
            return tuple(missing)
        return (*missing, "placed")
    own = str.isupper if game.board.turn else str.islower
    target = change(game.board, wanted)
    left = difference(table.placement, laid_over(game.pieces, target))
    still_wrong = target.keys() & left.keys()
    captured = [
        square for square in target if square in game.pieces and not own(game.pieces[square])
    ]
    # A square that a piece has left, or come to, is right when it shows no own piece any more.
    placed = not any(
        square in still_wrong
        and (target[square] is not None or own(table.placement.get(square, "")))
        for square in target
    )
    if wanted.promotion and not placed:
        pawn = table.placement.get(wanted.to_square)
        lifted = wanted.from_square not in table.placement
        missing.append("promotion_piece" if lifted and pawn in (None, "P", "p") else "placed")
    elif not placed:
        missing.append("placed")
    taken = any(table.placement.get(square) == game.pieces[square] for square in captured)
    if taken or captured_elsewhere(game, board, wanted):
        missing.append("captured_piece_removed")
    return tuple(missing)


def _a_pawn_promotes(game: State, board: str) -> bool:
    """Return whether a pawn has left its square before the last rank."""
    rank = chess.BB_RANK_7 if game.board.turn else chess.BB_RANK_2
    pawns = rank & game.board.pawns & game.board.occupied_co[game.board.turn]
    return any(pawns & chess.BB_SQUARES[at] for at in game.done_on(board))
