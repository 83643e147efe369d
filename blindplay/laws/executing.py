"""Hands on boards: lifting, placing, and what has been executed and made (D.2.1, D.2.3, 4.7)."""

import chess

from . import facts as f
from . import rulings as r
from . import unidentified_pieces
from .completing import answered
from .duties import binding, oblige, unasked, why_owed
from .ends import decline_by_playing, end_if_over
from .irregularities import lapse
from .permissions import board_on_table
from .placement import (
    Change,
    change,
    difference,
    is_white,
    letter_at,
    moves_that_show,
    read_placement,
)
from .sheets import (
    check_single_board,
    compare_boards,
    difference_of,
    in_motion,
    record_before_next_move,
    righted,
    shows,
)
from .state import OTHER, State, TableBoard, enveloped, san
from .touch_obligation import Obligation
from .touching import counts_as_touch, touched


def lift(game: State, fact: f.Lift) -> None:
    table = board_on_table(game, fact.board, "lift")
    if table is None:
        return
    table.sensors = True
    square = chess.parse_square(fact.square)
    letter = table.placement.get(square)
    if letter is None:
        game.refuse(fact.board, "lift", "empty_square", "moving", square=fact.square)
        return
    playing = not game.over and not enveloped(game)
    free = game.pending is None or game.pending.claimable
    if playing and free:
        _begins_an_answer(game, fact.board, square)
    unidentified_pieces.lifted(game, fact.board, square)
    if not playing:
        return
    if counts_as_touch(game, fact.board, square):
        touched(game, square)
    look(game, fact.board)


def place(game: State, fact: f.Place) -> None:
    table = board_on_table(game, fact.board, "place")
    if table is None:
        return
    table.sensors = True
    square = chess.parse_square(fact.square)
    letter = fact.piece or unidentified_pieces.guess(game, fact.board, square)
    if letter is None:
        _doubt_touches(game, fact.board)
        game.refuse(fact.board, "place", "nothing_in_the_hand", "moving", square=fact.square)
        return
    if fact.piece is not None and not unidentified_pieces.in_the_hand(table, square, letter):
        _doubt_touches(game, fact.board)
    unidentified_pieces.put(table, square, letter, known=fact.piece is not None)
    look(game, fact.board)


def _doubt_touches(game: State, board: str) -> None:
    """Something left its square and no lift was reported. The board may report touches of this turn
    in the wrong order, so they bind nobody (4.3 asks which piece was first)."""
    if board == game.board_of(game.side):
        game.turn.doubted = True


def _begins_an_answer(game: State, board: str, square: int) -> None:
    """The player who moves next may answer a move that is made but not completed (1.3), by lifting
    a piece on their own board. Lifting what the made move itself moves there is no answer."""
    made = game.turn.made
    if made is None:
        return
    side = OTHER[game.side]
    table = game.tables[board]
    lifted = table.placement[square]
    if (
        board == game.board_of(side)
        and is_white(lifted) != game.board.turn
        and square not in change(game.board, made)
        and table.wanted is None
    ):
        answered(game, side)


# --- looking at a board --------------------------------------------------------------------


def look(game: State, board: str) -> None:
    """A piece moved on ``board``: what has been executed, and does that make the move?"""
    if game.over:
        return
    table = game.tables[board]
    unidentified_pieces.rename(game, board)
    for square, stood in list(table.inherited.items()):
        if table.placement.get(square) != stood:
            del table.inherited[square]  # a hand has been there since
    if table.wanted is not None:
        shown = _corrected(game, table)
        if shown is not None:
            righted(game, board, shown)
        elif not enveloped(game) and game.pending is None and board == game.board_of(game.side):
            _look_at_own(game, board)
        return
    if game.turn.adjusting and board == game.board_of(game.side):
        if table.placement == game.shown_after(table.plies):
            table.hand.clear()
            return
        if _executed(game, board) is None:
            return
        # A piece adjusted into another square was not adjusted (4.2) but touched.
        game.turn.adjusting = False
        for square in sorted(difference_of(game, board)):
            if square not in game.turn.touched and square in game.pieces:
                touched(game, square)
    catch_up(game, board)
    if game.over or enveloped(game) or (game.pending is not None and not game.pending.claimable):
        return
    _look_at_copy(game, board)
    if board == game.board_of(game.side):
        _look_at_own(game, board)
    elif game.turn.announced is not None or game.turn.made is not None:
        _look_at_other(game, board)


def _corrected(game: State, table: TableBoard) -> int | None:
    """Return the number of plies that a board to be corrected now shows; None while it is wrong.

    The game may have gone on meanwhile, and the board may have been brought up to it."""
    for plies in range(len(game.history), table.wanted_plies, -1):
        if table.placement == game.shown_after(plies):
            return plies
    if table.placement in (table.wanted, game.position_pieces()):
        return min(table.wanted_plies, len(game.history))
    return None


def catch_up(game: State, board: str) -> None:
    """Notice that completed moves have now been executed on this board, too."""
    table = game.tables[board]
    for index in range(len(game.history), table.plies, -1):
        if table.placement == game.shown_after(index):
            _brought_up_to(game, board, index)
            table.hand.clear()
            return
    own = board == game.board_of(game.side) and table.plies < len(game.history)
    move = _executed(game, board) if own else None
    if move is None or _still_in_hand(game, board, move):
        return
    if shows(game, board, move):
        # The player's own move began before the opponent's was executed here, or a cable was off
        # meanwhile: the board shows both.
        _brought_up_to(game, board, len(game.history))


def _brought_up_to(game: State, board: str, plies: int) -> None:
    """The first ``plies`` plies have now been executed on ``board``."""
    table = game.tables[board]
    for ply in game.history[table.plies : plies]:
        _executed_on(game, board, ply.move)
    table.plies = plies


def _executed_on(game: State, board: str, move: chess.Move) -> None:
    game.rule(r.Executed(board=board, move=move.uci()), game.executing)


def look_again(game: State) -> None:
    """The move is no longer made: the executed move is the one that its player's board shows
    now."""
    board = game.board_of(game.side)
    if game.tables[board].sensors:
        game.turn.executed = _executed(game, board)


def finished(game: State, board: str) -> None:
    """The player presses, so a move that seemed unfinished is finished. On a board without names,
    recapturing on the square where the opponent captured shows the same holes with the piece in the
    hand and with it in its hole. A position that the board still shows after people were asked to
    check it counts as played."""
    said = game.turn.announced
    if game.turn.asked is not None and game.turn.asked == difference_of(game, board):
        _look_at_own(game, board)
        return
    if said is not None and game.outstanding(board) and shows(game, board, said):
        _brought_up_to(game, board, len(game.history))
        _look_at_own(game, board)


def _still_in_hand(game: State, board: str, move: chess.Move) -> bool:
    """Return True if the capturing piece is still in the hand. On a board that lags behind, the
    piece to be captured may look like the piece that captures it."""
    table = game.tables[board]
    letter = table.placement.get(move.to_square)
    same = game.shown_after(table.plies).get(move.to_square) == letter
    return same and any(home == move.from_square for home, _ in table.hand)


def _executed(game: State, board: str) -> chess.Move | None:
    """The legal move that turns the position into what stands on ``board``, if any."""
    shown = difference_of(game, board)
    if not shown:
        return None
    said = game.turn.announced
    if said is not None and shown == change(game.board, said):
        return said  # in Chess960 castling may look like a move of the rook
    if begins(game, board, said) and shown != game.turn.asked:
        return None
    move = next(moves_that_show(game.board, shown), None)
    if move is None and board == game.board_of(game.side) and game.tables[board].inherited:
        return _beside_what_stood_wrong(game, board, shown)
    return move


def begins(game: State, board: str, said: chess.Move | None) -> bool:
    """Return whether all that ``board`` shows belongs to the move ``said``. The rest is still to
    come, or its reports were lost: half of castling looks like a move of the rook, or on a board
    without names like one of the king."""
    if said is None or not game.tables[board].sensors:
        return False
    wanted, guessed = change(game.board, said), game.tables[board].unsure
    return all(
        at in wanted and (now in (None, wanted[at]) or (at in guessed and wanted[at] is not None))
        for at, now in difference_of(game, board).items()
    )


def _beside_what_stood_wrong(game: State, board: str, shown: Change) -> chess.Move | None:
    """The legal move that explains all that hands have done since the turn began. Earlier
    differences do not hinder it (7.6), and may have been part of it: a hand that was too early."""
    done = game.done_on(board)
    leading = game.tables[board].wanted is not None
    said = [game.turn.announced] if game.turn.announced is not None else []
    for move in (*said, *game.board.legal_moves) if done else ():
        wanted = change(game.board, move)
        begun_before = wanted.keys() - done.keys()
        if done.items() <= wanted.items() <= shown.items() and not (leading and begun_before):
            return None if _still_in_hand(game, board, move) else move
    return None


def _look_at_copy(game: State, board: str) -> None:
    """The opponent's completed move is being executed here: is it another one?"""
    table, lagging = game.tables[board], game.outstanding(board)
    if len(lagging) != 1 or table.hand:
        return
    ply = lagging[0]
    shown, wanted = difference(table.placement, ply.pieces), change(ply.before, ply.move)
    if all(at in wanted and now in (None, wanted[at]) for at, now in shown.items()):
        return  # on the way to it
    move = next(moves_that_show(ply.before, shown), None)
    if move == ply.spoken:
        compare_boards(game)  # executed as announced; the opponent's hand did otherwise (D.2.9)
    elif move is not None:
        _say_executed_differs(game, board, ply.move, move)


def _look_at_own(game: State, board: str) -> None:
    """The mover executes their move on their own board."""
    turn = game.turn
    if game.clock and not game.started:
        return
    move = _executed(game, board)
    if move is None and turn.made is None and not game.impaired(game.side):
        _king_released(game, board)
    if move == turn.executed:
        if move is not None and turn.made is None and game.outstanding(board):
            try_to_make(game)  # the captured piece may have been removed from where it lagged
        return
    if turn.made is not None:
        # A made move stays made (D.2.3, 4.7), whatever hands do on the board afterwards.
        if move is not None:
            game.refuse(game.side, "make", "already_made", final(game), move=move.uci())
        return
    turn.executed = move
    if move is None:
        return
    _executed_on(game, board, move)
    if turn.announced is not None and turn.announced != move:
        executed_differs(game, board, turn.announced, move)
    try_to_make(game)


def final(game: State) -> str:
    """The rule by which the move that is made can no longer be changed."""
    assert game.turn.made is not None
    if game.impaired(game.side):
        return "made_special"
    return "promotion_final" if game.turn.made.promotion else "released"


def _king_released(game: State, board: str) -> None:
    """4.7.2: a king released two squares from his own towards a rook is bound to castle on that
    side; where that is illegal, to another move of the king. An earlier touch still binds (4.3.1,
    4.4.2): then releasing the king adds nothing."""
    turn, position = game.turn, game.board
    home = position.king(position.turn)
    if turn.castles is not None or home is None or game.tables[board].hand or unasked(game):
        return
    king = letter_at(position, home)
    shown = difference_of(game, board)
    there = next((square for square, letter in shown.items() if letter == king), None)
    if there is None or shown != {home: None, there: king}:
        return
    owed = binding(game)
    castling = [move for move in position.legal_moves if position.is_castling(move)]
    for move in castling:
        if change(position, move).get(there) == king:
            if owed is None or move in owed.moves:
                turn.castles = move
                oblige(game)
            return
    same_rank = chess.square_rank(there) == chess.square_rank(home)
    if same_rank and chess.square_distance(there, home) == 2 and not turn.tried_castling:
        turn.tried_castling = True
        kings = list(position.generate_legal_moves(chess.BB_SQUARES[home]))
        if owed is not None:
            kings = [move for move in kings if move in owed.moves]
        if kings or owed is None:
            moves = tuple(move.uci() for move in kings)
            game.rule(r.Obliged(by=game.side, moves=moves, free=not moves), "released_castling")


def _look_at_other(game: State, board: str) -> None:
    """The opponent's board: the announced move is executed on it, too (D.2.1)."""
    expected = game.turn.made or game.turn.announced
    if expected is None or game.outstanding(board):
        return
    if shows(game, board, expected):
        _executed_on(game, board, expected)
        return
    move = _executed(game, board)
    if move is not None and move != expected:
        executed_differs(game, board, expected, move)


def reconsider(game: State) -> None:
    """Name the pieces of boards that cannot name them: the announcement may tell which they are."""
    for board, table in game.tables.items():
        if table.unsure and table.wanted is None:
            unidentified_pieces.rename(game, board)
            if board == game.board_of(game.side) and not game.outstanding(board):
                move = _executed(game, board)
                if move is not None and move != game.turn.executed:
                    game.turn.executed = move
                    _executed_on(game, board, move)


def executed_differs(game: State, board: str, announced: chess.Move, move: chess.Move) -> None:
    """Say so, unless what was announced is still being executed."""
    if not begins(game, board, announced) or game.turn.asked is not None:
        _say_executed_differs(game, board, announced, move)


def _say_executed_differs(game: State, board: str, announced: chess.Move, move: chess.Move) -> None:
    game.rule(
        r.ExecutedDiffers(board=board, announced=announced.uci(), executed=move.uci()),
        "announcing",
        "boards_differ",
    )


def position(game: State, fact: f.Position) -> None:
    table = board_on_table(game, fact.board, "position")
    if table is None:
        return
    table.sensors = True
    seen = read_placement(fact.placement)
    changed = seen != table.placement
    if any(at not in seen for at in table.placement):
        _doubt_touches(game, fact.board)
    table.placement = seen
    if changed:
        table.hand.clear()
        table.unsure.clear()
        _answered_unseen(game, fact.board)
        look(game, fact.board)
    if in_motion(game, fact.board):
        return
    if not game.over and game.pending is None and not enveloped(game):
        compare_boards(game)
        if changed and table.wanted is None and (game.started or not game.clock):
            check_single_board(game)


def _answered_unseen(game: State, board: str) -> None:
    """A dump may show the move that was made and its answer (1.3), both executed unseen."""
    made, side = game.turn.made, OTHER[game.side]
    closed = game.over or game.pending is not None
    if made is None or closed or board != game.board_of(side):
        return
    table = game.tables[board]
    shown = difference(table.placement, game.position_pieces())
    if table.wanted is None and any(moves_that_show(game.position, shown)):
        answered(game, side)
        table.inherited.clear()  # what the dump shows beside the made move is the answer to it


# --- made ----------------------------------------------------------------------------------


def try_to_make(game: State) -> None:
    """The move is made when everything the Laws ask of this player has been done (D.2.3, 4.7)."""
    turn, side = game.turn, game.side
    if turn.executed is None or turn.made is not None:
        return
    impaired = game.impaired(side)
    # A sighted player's move is made by hand alone (D.2.5), whatever was announced.
    if impaired and turn.announced != turn.executed:
        return
    if impaired and captured_elsewhere(game, game.board_of(side), turn.executed):
        return
    owed = binding(game)
    if owed is not None and turn.executed not in owed.moves:
        game.refuse(side, "make", why_owed(owed), owed.rule, move=turn.executed.uci())
        if withdraw_announcement(game, owed) and not game.tables[game.board_of(side)].sensors:
            turn.executed = None  # nothing will report that the refused move is taken back
            game.tables[game.board_of(side)].show(game.pieces)
        oblige(game)
        return
    rules: tuple[str, ...] = ("made_special",)
    if not impaired:
        rules = (_released(game, turn.executed),)
        if len(game.tables) == 2:
            rules = ("sighted_ordinary", *rules)
    make_it(game, turn.executed, *rules)


def withdraw_announcement(game: State, owed: Obligation) -> bool:
    """Withdraw an announced move that ``owed`` forbids, and return whether there was one."""
    turn, side = game.turn, game.side
    if turn.announced is None or turn.announced in owed.moves:
        return False
    game.rule(r.AnnouncementVoid(by=side, move=turn.announced.uci()), owed.rule, "announcing")
    turn.announced, turn.announced_by = None, ""
    game.repeated.discard(OTHER[side])
    return True


def captured_elsewhere(game: State, board: str, move: chess.Move) -> bool:
    """Return True if the captured piece has not been removed from the board (D.2.3.1): it still
    stands where it stood before the opponent's last move, which has not been executed on this
    board."""
    placement = game.tables[board].placement
    return any(
        ply.move.to_square == move.to_square
        and placement.get(ply.move.from_square) == ply.pieces.get(ply.move.from_square)
        for ply in game.outstanding(board)
    )


def _released(game: State, move: chess.Move) -> str:
    if move.promotion:
        return "released_promotion"
    if game.board.is_castling(move):
        return "released_castling"
    return "released_capture" if game.board.is_capture(move) else "released"


def make_it(game: State, move: chess.Move, *rules: str) -> None:
    """``move`` is made: on the board, announced, and no longer to be changed."""
    turn, side = game.turn, game.side
    turn.made, turn.adjusting = move, False
    game.rule(r.Made(by=side, move=move.uci(), san=san(game.board, move)), *rules)
    turn.claim_lost = True
    if "opening_envelope" not in rules:
        # An offer made after sealing stands: the sealed move is not an answer to it (I.4).
        decline_by_playing(game, side)
    lapse(game)
    record_before_next_move(game, side)
    end_if_over(game, game.after(move))
