"""The ends of a game: mate, stalemate, dead positions, draws, resignation and flags (5, 6.9, 9)."""

import chess

from . import facts as f
from .mating import MatingVerdict, can_mate, is_dead
from .permissions import by_player, closed, entitled, is_player
from .proposals import propose
from .rulings import ArbiterNeeded, Completed, DrawDeclined, DrawOffered, FlagFell, GameOver
from .sheets import call_to_set_clocks, record_after_a_flag
from .state import COLOURS, DRAW, LOSES, OTHER, Effect, State, position_key


def end(game: State, result: str, reason: str, *rules: str) -> None:
    """The game is over."""
    game.result, game.ended_by = result, rules
    game.pending = None
    game.clock.stop()
    game.tell_clock(*rules)
    game.rule(GameOver(result=result, reason=reason), *rules)


def end_if_over(game: State, board: chess.Board) -> None:
    """Checkmate, stalemate, a dead position and the automatic draws end the game at once.

    ``board`` is the position after the move that has been made, or the one set up.
    """
    found = conclusion(game, board)
    if found is not None:
        _finish(game, *found)


def conclusion(game: State, board: chess.Board) -> tuple[str, str] | None:
    """The result, and the reason, which names its rule, if ``board`` ends the game at once: the
    game's position, or the one after its next move."""
    if not any(board.generate_legal_moves()):
        if not board.is_check():
            return DRAW, "stalemate"
        return "0-1" if board.turn else "1-0", "checkmate"
    if game.served:
        return None
    if is_dead(board):
        return DRAW, "dead_position"
    if _fivefold(game, board):
        return DRAW, "fivefold"
    if board.halfmove_clock >= 150 and game.switch("automatic_seventyfive"):
        return DRAW, "seventyfive_moves"
    return None


def _fivefold(game: State, board: chess.Board) -> bool:
    how = game.switch("automatic_fivefold")
    if how == "never" or board.halfmove_clock < 16:
        return False
    key = position_key(board)
    keys = game.keys[:-1] if board is game.board else game.keys
    if how == "any":
        return keys.count(key) >= 4
    # 9.6 a of fide-2014: in consecutive alternate moves, so every second one of each.
    return len(keys) >= 16 and all(keys[-4 * back] == key for back in range(1, 5))


def _finish(game: State, result: str, reason: str) -> None:
    if game.turn.made is not None:
        # The move ends the game, so it needs no press (6.2.1.1): it belongs to the record.
        side, move = game.side, game.turn.made
        game.complete_all()
        game.advance(completed=True)
        completed = Completed(by=side, move=move.uci(), ply=len(game.history))
        game.rule(completed, "completing_by_ending")
    end(game, result, reason, reason)


# --- can the opponent mate? ----------------------------------------------------------------


def result_of_losing(game: State, side: str, board: chess.Board | None = None) -> str | None:
    """Return the result when ``side`` loses, subject to "by any series of legal moves" (6.9): a win
    for the opponent, a draw if the opponent cannot mate, None if that is undecided. ``board`` is
    the position that counts, if not the game's."""
    winner = COLOURS[OTHER[side]]
    board = board or game.position
    impossible = chess.STATUS_OPPOSITE_CHECK | chess.STATUS_PAWNS_ON_BACKRANK
    if board.status() & impossible or len(board.pieces(chess.KING, winner)) != 1:
        return None  # an illegal position that stands; no text says what is possible in it
    if game.switch("win_needs_material"):
        two_knights = not board.occupied_co[winner] & ~(board.kings | board.knights)
        bare = board.occupied_co[not winner] & ~board.kings == 0
        if two_knights and bare:
            return DRAW  # C.4 of fide-1997 names this case
    verdict = can_mate(board, winner).verdict
    if verdict is MatingVerdict.UNDECIDED:
        return None
    return LOSES[side] if verdict is MatingVerdict.POSSIBLE else DRAW


def lose(
    game: State, side: str, reason: str, *rules: str, board: chess.Board | None = None
) -> None:
    """``side`` loses, unless the opponent cannot mate. If that is undecided, the arbiter is asked:
    they confirm that mate is possible, or reject it."""
    result = result_of_losing(game, side, board)
    if result is not None:
        end(game, result, reason, *rules)
        return
    wins, draws = (Effect(end, result, reason, *rules) for result in (LOSES[side], DRAW))
    asked = ArbiterNeeded(why="mate_undecided", by=side)
    propose(game, asked, rules, wins, draws, needs_arbiter=True)


def resign(game: State, fact: f.Resign) -> None:
    if not by_player(game, fact, while_adjourned=True, ends=True):
        return
    rules = ("resignation", "end_before_resumption") if game.adjourned else ("resignation",)
    if game.switch("resignation_draws_when_opponent_cannot_mate") and not game.served:
        lose(game, fact.by, "resignation", *rules)
    else:
        end(game, LOSES[fact.by], "resignation", *rules)


# --- agreement -----------------------------------------------------------------------------


def offer_draw(game: State, fact: f.OfferDraw) -> None:
    if not by_player(game, fact, while_adjourned=True):
        return
    offered(game, fact.by)


def offered(game: State, by: str, *rules: str) -> None:
    """An offer stands until it is answered; both players write (=)."""
    again = by in game.offers
    game.offers.add(by)
    game.offered_at.append((len(game.history) + (game.turn.made is not None), by))
    if game.adjourned:
        rules = (*rules, "offer_after_sealing")
    ruling = DrawOffered(by=by, record="(=)", again=again)
    game.rule(ruling, "draw_offer", "record_draw_offer", *rules)


def decline_by_playing(game: State, side: str) -> None:
    """An offer is rejected by touching a piece with the intention of moving it (9.1.2.1)."""
    if OTHER[side] in game.offers:
        game.offers.discard(OTHER[side])
        game.rule(DrawDeclined(by=side), "draw_offer")


def accept_draw(game: State, fact: f.AcceptDraw) -> None:
    if not is_player(game, fact.by, "accept_draw"):
        return
    pending = game.pending
    claimed = pending is not None and pending.claim == OTHER[fact.by]
    if not claimed and closed(game, fact.kind, fact.by, while_adjourned=True, ends=True):
        return
    if OTHER[fact.by] not in game.offers:
        game.refuse(fact.by, "accept_draw", "no_offer", "draw_offer")
        return
    if game.switch("agreement_needs_a_move_of_each") and game.position.ply() < 2:
        game.refuse(fact.by, "accept_draw", "too_early", "agreement")
        return
    rules = ("agreement", "end_before_resumption") if game.adjourned else ("agreement",)
    end(game, DRAW, "agreement", *rules)


def decline_draw(game: State, fact: f.DeclineDraw) -> None:
    if not by_player(game, fact, while_adjourned=True):
        return
    if OTHER[fact.by] not in game.offers:
        game.refuse(fact.by, "decline_draw", "no_offer", "draw_offer")
        return
    game.offers.discard(OTHER[fact.by])
    game.rule(DrawDeclined(by=fact.by), "draw_offer")


# --- flags ---------------------------------------------------------------------------------


def watch_flags(game: State) -> None:
    """A flag that has fallen is noticed by the table, where the edition lets anybody but a player
    notice it (6.8, A.5.5)."""
    adjourned = game.adjourned and game.resumed_at is None
    if game.over or game.pending is not None or adjourned or not game.clock.flags:
        return
    if game.switch("flag_called_by") == "arbiter":
        _fallen(game, "table", "flag")


def claim_time(game: State, fact: f.ClaimTime) -> None:
    # The clock of a player who must answer the sealed move runs before they come (I.9.2).
    side = entitled(game, fact, duty="own", while_adjourned=game.resumed_at is not None)
    if side is None:
        return
    flags = game.clock.flags
    if side == "arbiter":
        if game.switch("flag_called_by") != "arbiter":
            game.refuse(fact.by, "claim_time", "only_a_player_claims", "flag")
        elif not flags:
            game.refuse(fact.by, "claim_time", "flag_has_not_fallen", "flag")
        else:
            _fallen(game, fact.by, "flag")
    elif OTHER[side] not in flags and side in flags:
        _fallen(game, fact.by, "flag_claim")  # nobody is a better witness against themselves
    elif OTHER[side] not in flags:
        game.refuse(fact.by, "claim_time", "flag_has_not_fallen", "flag_claim")
    elif (
        side in flags
        and game.switch("flag_claimant_needs_time")
        and not game.switch("both_flags_whatever_order")
    ):
        game.refuse(fact.by, "claim_time", "own_flag_has_fallen", "flag_claim")
    else:
        _fallen(game, fact.by, "flag_claim")


def _fallen(game: State, called_by: str, rule: str) -> None:
    record_after_a_flag(game)
    clock = game.clock
    if len(clock.flags) == 2 and (
        not clock.order_known or game.switch("both_flags_whatever_order")
    ):
        _both_flags(game, called_by)
        return
    side = clock.flags[0]
    result = result_of_losing(game, side)
    fell = FlagFell(by=side, called_by=called_by, result=result, undecided=result is None)
    confirm = Effect(lose, side, "flag", "win_on_time", rule)
    propose(game, fell, (rule, "win_on_time"), confirm, Effect(_raise_flags, needs_times=True))


def _raise_flags(game: State, *, needs_times: bool = False) -> None:
    """No flag has fallen, says the arbiter; with ``needs_times`` they must set the clock."""
    game.clock.flags.clear()
    if needs_times:
        call_to_set_clocks(game, "set_clock", "clock_reading")


def _both_flags(game: State, called_by: str) -> None:
    """Both flags are down and nobody can tell which fell first (6.11, III.3)."""
    last = all(game.clock.in_last_period(side) for side in OTHER)
    if last and game.switch("both_flags_last_period") == "draw":
        rule = "both_flags_last_period"
        fell = FlagFell(by="both", called_by=called_by, result=DRAW)
        propose(game, fell, (rule,), Effect(end, DRAW, "flag", rule), Effect(_raise_flags))
        return
    # The game goes on; its clock needs times again, which are the arbiter's to set.
    game.clock.flags.clear()
    game.clock.stop()
    call_to_set_clocks(game, "both_flags", "both_flags")
