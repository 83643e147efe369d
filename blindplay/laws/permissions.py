"""Permissions at the table: of players, assistants (D.2.10, D.2.11) and the arbiter."""

from . import facts as f
from .reasons import RefusalReason
from .rulings import Refused, Ruling
from .state import OTHER, State, TableBoard

# An assistant announces and executes the moves of both players (D.2.10.1, D.2.10.2, D.2.11).
_FOR_BOTH = frozenset(("announce", "repeat", "correct", "make"))
# An assistant does these things for their own player only (D.2.10.3 to 6).
_FOR_OWN = frozenset(
    ("press", "record", "query", "claim_time", "touch", "call_arbiter", "adjust", "seal")
)
# The Laws take these facts from anybody, so a table must ask :func:`refusal` before it accepts one
# from a person: the first are the arbiter's, the second come from devices and the table itself.
_ARBITERS = frozenset(("arbiter", "start", "inspect", "open_envelope"))
_NOBODYS = frozenset(("setup", "tick", "lift", "place", "position", "board_owners"))
# Anybody tells the arbiter of something irregular where the text says so (12.7).
_FOR_ANYBODY = frozenset(("irregular",))

# Facts that make, change or claim with the move at hand: refused while that move is sealed.
_WITH_THE_MOVE = _FOR_BOTH - {"repeat"} | {
    "touch", "adjust", "press", "seal", "claim_draw", "request_extra_time",
}  # fmt: skip

# The tasks of an assistant (D.2.10.1 to 6), and the rules that their rulings cite.
_TASKS = {
    "announce": "assistant_announces",
    "execute": "assistant_executes",
    "press": "assistant_records_and_presses",
    "record": "assistant_records_and_presses",
    "claim_time": "assistant_claims_and_reports",
    "touch": "assistant_claims_and_reports",
    "seal": "assistant_adjourns",
}


# --- checks at the beginning of a fact -------------------------------------------------------


def closed(
    game: State, what: str, by: str, *, while_adjourned: bool = False, ends: bool = False
) -> bool:
    """Refuse ``what`` if nothing of the kind can happen now. Returns whether it was refused.

    ``ends``: the players end the game by it at once (5.1.2, 5.2.3). It waits for no decision of the
    arbiter but one about the result.
    """
    pending = game.pending
    if game.over:
        game.refuse(by, what, "game_over", "result")
    elif pending and not pending.claimable and (not ends or pending.is_about_the_result):
        game.refuse(by, what, pending.refusal, "arbiter")
    elif game.adjourned and not while_adjourned:
        game.refuse(by, what, "adjourned", "sealing")
    elif game.delivered and what in _WITH_THE_MOVE:
        game.refuse(by, what, "already_sealed", "sealed_reply")
    else:
        return False
    return True


def acting(game: State, by: str, what: str, *, duty: str) -> str | None:
    """The side for which ``by`` acts; None, with a refusal, if ``by`` may not do ``what``.

    In a game with an impaired player, an assistant may do the duties "announce" and "execute" for
    both players (D.2.10.1-2, D.2.11). The duty "own" is only for the impaired player's assistant,
    and only for that player (D.2.10.3-6). If nobody is impaired, an assistant acts for their own
    player (4.9, 6.2.6, 8.1.6).
    """
    if by == "arbiter" and what not in ("claim_time", "touch"):
        game.refuse(by, what, "not_their_task", "arbiter")
        return None
    if not by.startswith("assistant:"):
        return by
    of = by.removeprefix("assistant:")
    if game.impaired(of):
        game.helping = _TASKS.get(what, _TASKS.get(duty))
        return game.side if duty in ("announce", "execute") else of
    if not game.impaired(OTHER[of]):
        return of
    if bars_assistant(game, of):
        game.refuse(by, what, "opponent_has_assistant", "assistant_of_sighted")
    elif duty == "own":
        game.refuse(by, what, "not_their_task", "assistant_of_sighted")
    else:
        game.helping = "assistant_of_sighted"
        return game.side
    return None


def entitled(
    game: State, fact: f.Personal, *, duty: str, while_adjourned: bool = False
) -> str | None:
    """The side for which the person of ``fact`` acts; None, with a refusal, if nothing of the kind
    can happen now, or this person may not do it. ``duty`` is that of :func:`acting`."""
    if closed(game, fact.kind, fact.by, while_adjourned=while_adjourned):
        return None
    return acting(game, fact.by, fact.kind, duty=duty)


def is_outsiders(game: State, fact: f.Fact) -> bool:
    """Refuse ``fact`` if it comes from an assistant whom nobody has declared, or who has left;
    return whether it was refused. They may do what anybody may do: tell the arbiter of something
    irregular (12.7)."""
    for who in (getattr(fact, "by", ""), getattr(fact, "seen_by", None) or ""):
        if _is_outsider(game, who) and fact.kind not in rights(game, who):
            refuse_task(game, who, fact.kind)
            return True
    return False


def _is_outsider(game: State, who: str) -> bool:
    return who.startswith("assistant:") and not game.assistants[who.removeprefix("assistant:")]


def _not_theirs(game: State, who: str) -> tuple[RefusalReason, tuple[str, ...]]:
    """Return the reason why ``who`` is refused something that is not theirs to do, and the
    rules."""
    if not who.startswith("assistant:"):
        return "not_their_task", ("arbiter",)
    if _is_outsider(game, who):
        rules = (help_rule(game, who), "outsiders")
        return "no_such_assistant", rules
    return "not_their_task", (help_rule(game, who),)


def refuse_task(game: State, who: str, what: str) -> None:
    """Refuse ``what``, which ``who`` may not do."""
    why, rules = _not_theirs(game, who)
    game.refuse(who, what, why, *rules)


def help_rule(game: State, who: str) -> str:
    """The rule under which a player, or the player of an assistant, may have an assistant."""
    of = who.removeprefix("assistant:")
    rule = "assistant_of_sighted" if game.impaired(OTHER[of]) else "assistant_accepted"
    if game.impaired(of):
        rule = "assistant"
    return rule


def bars_assistant(game: State, side: str) -> bool:
    """Return whether the opponent's assistant bars this player from having one: a sighted player
    may have an assistant only while the impaired opponent has none (D.2.11)."""
    return help_rule(game, side) == "assistant_of_sighted" and bool(game.assistants[OTHER[side]])


def may_correct(game: State, who: str) -> bool:
    """Return whether this person may change the announcement (D.2.8): the player, the player's own
    assistant and the person who announced it may. An opponent's assistant who announces the moves
    of both players (D.2.10.2) may not change what another has announced."""
    return who in (game.side, f"assistant:{game.side}", game.turn.announced_by)


def needs_no_consent(game: State, side: str) -> bool:
    """Return whether this player may take an assistant without asking (D.2.10, D.2.11). If nobody
    is impaired, the arbiter must accept the assistant (4.9, 6.2.6, 8.1.6)."""
    return help_rule(game, side) != "assistant_accepted" or not game.presided


def is_player(game: State, by: str, what: str) -> bool:
    """Return whether ``by`` is a player, and refuse ``what`` if not: neither an assistant (D.2.10)
    nor the arbiter can do it for a player."""
    if by in OTHER:
        return True
    refuse_task(game, by, what)
    return False


def by_player(
    game: State, fact: f.Personal, *, while_adjourned: bool = False, ends: bool = False
) -> bool:
    """Return whether ``fact`` can happen now and comes from a player; refuse it if not. ``ends`` is
    that of :func:`closed`."""
    shut = closed(game, fact.kind, fact.by, while_adjourned=while_adjourned, ends=ends)
    return not shut and is_player(game, fact.by, fact.kind)


def board_on_table(game: State, board: str, what: str) -> TableBoard | None:
    """The board with this name; None, with a refusal of ``what``, if there is none."""
    table = game.tables.get(board)
    if table is None:
        game.refuse(board, what, "no_such_board", "two_boards")
    return table


# --- what a table may ask before it accepts a fact -------------------------------------------


def rights(game: State, who: str) -> frozenset[str]:
    """The kinds of facts that ``who`` may bring about at this table now. The Laws or
    :func:`refusal` refuse every other kind."""
    if who == "arbiter":
        return _ARBITERS | {"assistant", "claim_time", "touch", "query", "irregular"}
    # The arbiter keeps the envelope (I.3).
    keeps = game.presided or not game.adjourned
    opens = frozenset[str]() if keeps else frozenset(("open_envelope",))
    if who in OTHER:
        # Where nobody presides the players begin the game. Clocks that have run and stand, a player
        # starts again as the step that is due; no other decision of an arbiter is theirs.
        begins = bool(game.clock) and not (game.started or game.presided or game.served)
        opens |= frozenset(("start",)) if begins else frozenset()
        own = frozenset(f.KINDS) - _ARBITERS - _NOBODYS | opens
        return own if needs_no_consent(game, who) else own - {"assistant"}
    told = _FOR_ANYBODY if game.switch("outsiders_tell_arbiter") else frozenset[str]()
    rule = help_rule(game, who)
    if _is_outsider(game, who):
        return told
    if rule != "assistant_of_sighted":
        return _FOR_BOTH | _FOR_OWN | told | opens
    barred = bars_assistant(game, who.removeprefix("assistant:"))
    return told if barred else _FOR_BOTH | told


def refusal(game: State, who: str, kind: str) -> Ruling | None:
    """The refusal of a fact that ``who`` may not bring but the Laws would take from anybody; None
    for all other facts, on which the Laws rule themselves."""
    if kind not in _ARBITERS | _NOBODYS or kind in rights(game, who):
        return None
    why, rules = _not_theirs(game, who)
    articles = [one for rule in rules for one in game.edition.cite(rule, game.regime)]
    return Refused(by=who, what=kind, why=why).stamped(game.t, tuple(articles))
