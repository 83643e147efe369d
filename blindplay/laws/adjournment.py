"""Adjourning a game and taking it up again (Guideline I, Bilaga E, Anhang A)."""

from collections.abc import Mapping
from typing import Literal

import chess

from . import facts as f
from . import rulings as r
from .completing import complete
from .compulsory_assistant import release_clocks
from .duties import binding, oblige
from .ends import conclusion, lose, result_of_losing
from .executing import make_it
from .permissions import by_player, closed, entitled
from .proposals import propose
from .rulings import both_seconds
from .sheet_comparison import EntryCertainty
from .sheets import want
from .state import OTHER, Effect, Heard, State, Turn

_WHY_IT_LOSES = {
    "ambiguous": "sealed_ambiguous",
    "other": "sealed_unclear",
    "illegal": "sealed_illegal",
}
_ENTRY_KINDS: Mapping[EntryCertainty, Literal["move", "ambiguous", "illegal"]] = {
    "sure": "move",
    "likely": "move",
    "ambiguous": "ambiguous",
    "illegal": "illegal",
}


def want_to_adjourn(game: State, fact: f.Adjourn) -> None:
    """The arbiter adjourns the game (I.1.1). Where nobody presides, both players agree on it."""
    if not by_player(game, fact):
        return
    by, asked = fact.by, game.wants_to_adjourn == OTHER[fact.by]
    if game.adjourning:
        game.refuse(by, fact.kind, "seal_due", "sealing")
    elif not game.started and game.clock:
        game.refuse(by, fact.kind, "not_started", "start")
    elif fact.declined and not asked:
        game.refuse(by, fact.kind, "nothing_proposed", "sealing")
    elif fact.declined:
        game.wants_to_adjourn = ""
        game.rule(r.AdjournmentAsked(by=by, declined=True), "sealing")
    elif game.presided:
        game.rule(r.ArbiterNeeded(why="adjournment", by=by), "sealing")
    elif asked:
        ask_to_seal(game)
    else:
        game.wants_to_adjourn = by
        game.rule(r.AdjournmentAsked(by=by), "sealing")


def ask_to_seal(game: State) -> None:
    """The arbiter asks the player on move to seal their move, or both players want to adjourn."""
    game.adjourning, game.wants_to_adjourn = True, ""
    game.rule(r.ArbiterNeeded(why="seal", by=game.side), "sealing")


def seal(game: State, fact: f.Seal) -> None:
    """The player on move writes their sealed move. They may change it until they stop the clock."""
    side = entitled(game, fact, duty="own")
    if side is None:
        return
    if side != game.side:
        game.refuse(fact.by, "seal", "not_on_move", "sealing")
        return
    if not game.started and game.clock:
        game.refuse(fact.by, "seal", "not_started", "start")
        return
    made = game.turn.made
    if made is not None:
        heard = read_sealed(game, fact.text)
        if heard.kind != "move" or heard.moves[0] != made:
            # A move made on the board must be the sealed move (I.1.1).
            game.refuse(fact.by, "seal", "already_made", "sealing", move=made.uci())
            return
    if made is None and not _may_be_sealed(game, read_sealed(game, fact.text)):
        # The player may still seal another move. The move that was tried stays secret.
        game.refuse(fact.by, "seal", "touched_piece", "sealing")
        oblige(game)
        return
    if fact.absent and not _sealer_is_absent(game):
        game.refuse(fact.by, "seal", "opponent_present", "sealed_reply")
        return
    game.sealed, game.sealed_reply = fact.text, fact.absent
    if fact.absent:
        game.rule(r.Sealed(by=side), "sealed_reply")
        game.delivered = not game.clock  # without a clock no press follows
        return
    rules = ("sealing",) if ":" not in fact.by else ("sealing", "assistant_adjourns")
    game.rule(r.Sealed(by=side), *rules)
    if not game.clock:
        adjourn(game)


def _sealer_is_absent(game: State) -> bool:
    """Return whether the game has been resumed, the sealed move stands on the board, and its player
    has not come (I.9.3)."""
    if game.resumed_at is None or game.adjourned or game.turn.made is not None:
        return False
    return len(game.history) == game.resumed_from and OTHER[game.side] not in game.arrived


def seal_and_adjourn(game: State) -> None:
    """The clock is pressed after the arbiter has asked for a sealed move, or after sealing.

    A move made on the board meanwhile is the sealed move (I.1.1). Without a sealed move the clock
    may not be stopped yet."""
    if game.sealed is None and game.turn.made is None:
        game.refuse(game.side, "press", "not_sealed", "sealing")
        return
    if game.sealed_reply:
        # This player's clock stops and the absent one's runs; the envelope is kept until they come.
        game.delivered = True
        game.resume("sealed_reply")
        return
    if game.sealed is None:
        assert game.turn.made is not None
        game.sealed = game.turn.made.uci()
        game.rule(r.Sealed(by=game.side), "sealing")
    adjourn(game)


def adjourn(game: State) -> None:
    """The clock is stopped after sealing: what stands on the envelope (I.2)."""
    side = game.side
    game.adjourned, game.adjourning = True, False
    game.displacing = None
    game.arrived.clear()
    game.resumed_at, game.resumed_from = None, len(game.history) + 1
    game.clock.stop()
    offer = next((by for by in OTHER if by in game.offers), None)
    envelope = r.Envelope(
        players={who: game.player(who).name for who in OTHER},
        position=game.board.fen(),
        **both_seconds(game.clock.left),
        sealed_by=side,
        move_number=game.board.fullmove_number,
        draw_offer=offer,
    )
    game.rule(r.Adjourned(envelope=envelope), "envelope")
    game.tell_clock("sealing")


def open_envelope(game: State, fact: f.OpenEnvelope) -> None:
    """The game is taken up again: the sealed move is executed, and the other clock starts."""
    if closed(game, "open_envelope", fact.by, while_adjourned=True):
        return
    if game.sealed is None:
        game.refuse(fact.by, "open_envelope", "nothing_sealed", "opening_envelope")
        return
    if fact.by != "arbiter" and game.presided:
        # The arbiter keeps the envelope (I.3).
        game.refuse(fact.by, "open_envelope", "not_their_task", "opening_envelope")
        return
    if must_wait_for_the_other(game, fact.by):
        rule = "sealed_reply" if game.sealed_reply else "envelope_stays_closed"
        game.refuse(fact.by, "open_envelope", "opponent_absent", rule)
        return
    if not game.adjourned and not game.sealed_reply:
        adjourn(game)
    if game.resumed_at is None:
        game.resumed_at = game.t
    side, text = game.side, game.sealed
    forget_sealed(game)
    release_clocks(game)
    if fact.missing:
        # Go on from the position and the times of the adjournment. The sealer plays the move that
        # they say they sealed.
        game.turn = Turn()
        for board in game.tables:
            if not game.outstanding(board):
                want(game, board, game.pieces, "missing_envelope")
        game.rule(r.ArbiterNeeded(why="missing_envelope", by=side), "missing_envelope")
        game.clock.stop()
        game.tell_clock("missing_envelope")
        return
    heard = read_sealed(game, text)
    if heard.kind != "move":
        _lose_by_seal(game, side, heard)
        return
    if game.turn.made is None:
        if not _may_be_sealed(game, heard):
            # The texts do not say what follows: another move is owed, and the arbiter decides.
            game.clock.stop()
            game.rule(r.ArbiterNeeded(why="sealed_move", by=side), "opening_envelope")
            oblige(game)
            game.tell_clock("opening_envelope")
            return
        _play_sealed(game, heard.moves[0])
    if not game.over:
        complete(game)


def _play_sealed(game: State, move: chess.Move) -> None:
    """Only the envelope counts: the opponent's answer begins with the clock, the hands follow."""
    game.turn = Turn(touched=game.turn.touched, announced=move, executed=move)
    make_it(game, move, "opening_envelope")


def _may_be_sealed(game: State, heard: Heard) -> bool:
    """Return False if a touched piece or a wrong claim asks for another move (4.3, 9.5.3)."""
    owed = binding(game)
    return heard.kind != "move" or owed is None or heard.moves[0] in owed.moves


def sealed_end_excuses(game: State, late: str) -> bool:
    """Return whether ``late`` does not lose by coming late to the resumed game if the sealed move
    ends it (I.10). In fide-1997 that excuses only the player who has sealed it (A.10)."""
    whom = game.switch("sealed_end_excuses")
    return game.adjourned and (whom == "anybody" or late == game.side)


def end_by_sealed_move(game: State, late: str) -> bool:
    """Execute the sealed move if it ends the game and excuses ``late``, and return whether it did:
    its result stands."""
    if not sealed_end_excuses(game, late) or game.sealed is None:
        return False
    heard = read_sealed(game, game.sealed)
    if heard.kind != "move" or not _may_be_sealed(game, heard):
        return False
    if conclusion(game, game.after(heard.moves[0])) is None:
        return False
    forget_sealed(game)
    _play_sealed(game, heard.moves[0])
    return True


def must_wait_for_the_other(game: State, by: str) -> bool:
    """Return whether the player whose move is not in the envelope is known to be away (I.7, I.9.3).

    A player who stops the clock or opens the envelope has come. Where no arrival is recorded,
    nobody counts as away: the person who opens the envelope sees who is there."""
    waits_for = OTHER[game.side]
    told = bool(game.arrived) or game.resumed_at is not None
    if by == waits_for or game.paused in (waits_for, f"assistant:{waits_for}"):
        return False
    return waits_for not in game.arrived and (game.sealed_reply or (game.adjourned and told))


def forget_sealed(game: State) -> None:
    """Forget the sealed move: no envelope holds a move any more."""
    game.adjourned, game.sealed = False, None
    game.sealed_reply = game.delivered = False


def read_sealed(game: State, text: str) -> Heard:
    """Return what a sealed move means. It is read in the letters of its player's scoresheet, else
    in that player's words, else in the table's, else in any notation. It is ambiguous only if none
    of these reads it as one legal move (I.8.1)."""
    sheet = tuple(game.sheets[game.side].values())
    languages = dict.fromkeys((game.player(game.side).language, game.announcing_language()))
    heard = [_written(game, text, sheet)] if sheet else []
    heard += [game.words.understand(text, game.board, one) for one in languages if one]
    heard.append(_written(game, text, ()))
    possible: tuple[chess.Move, ...] = ()
    for one in heard:
        if one.kind in ("move", "ambiguous"):
            fitting = tuple(move for move in possible if move in one.moves)
            possible = fitting or possible or one.moves
            if len(possible) == 1:
                return Heard("move", possible)
        elif one.kind == "illegal" and not possible:
            return one  # it is clear what is meant: no other notation makes that legal (I.8.3)
    return Heard("ambiguous", possible) if possible else Heard("other")


def _written(game: State, text: str, sheet: tuple[str, ...]) -> Heard:
    """``text`` as an entry of a sheet with these entries."""
    found = game.words.reader((*sheet, text)).read(text, game.board)
    kind = _ENTRY_KINDS.get(found.certainty)
    return Heard(kind, found.moves) if kind is not None else Heard("other")


def _lose_by_seal(game: State, side: str, heard: Heard) -> None:
    """A sealed move that is ambiguous, unintelligible or illegal loses (I.8)."""
    rule = _WHY_IT_LOSES[heard.kind]
    several = heard.moves if heard.kind == "ambiguous" else ()
    penalty = r.Penalty(
        player=side,
        loses=True,
        why=rule,
        result=result_of_losing(game, side),
        moves=tuple(move.uci() for move in several),
    )
    game.turn = Turn()
    lost = Effect(lose, side, "sealed_move", rule)
    propose(game, penalty, (rule,), lost, Effect(_read_otherwise, side, rule))


def _read_otherwise(game: State, side: str, rule: str) -> None:
    """The arbiter reads a sealed move differently, and takes the move that the player meant."""
    game.rule(r.ArbiterNeeded(why="sealed_move", by=side), rule)
