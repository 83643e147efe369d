"""Who may do what at the table: players, assistants (D.2.10, D.2.11) and the arbiter."""

from . import facts as f
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
_ARBITERS = frozenset(("arbiter", "start", "inspect", "assistant", "open_envelope"))
_NOBODYS = frozenset(("setup", "tick", "lift", "place", "position"))
_NOT_OF_ASSISTANTS = frozenset(("irregular",))

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


def closed(game: State, what: str, by: str, *, while_adjourned: bool = False) -> bool:
    """Refuse ``what`` if nothing of the kind can happen now. Returns whether it was refused."""
    if game.over:
        game.refuse(by, what, "game_over", "result")
    elif game.pending is not None and not game.pending.claimable:
        game.refuse(by, what, "waiting_for_arbiter", "arbiter")
    elif game.adjourned and not while_adjourned:
        game.refuse(by, what, "adjourned", "sealing")
    else:
        return False
    return True


def acting(game: State, by: str, what: str, *, duty: str) -> str | None:
    """The side for which ``by`` acts; None, with a refusal, if ``by`` may not do ``what``.

    ``duty`` is "announce" or "execute" for what an assistant in a game with an impaired player may
    do for both players (D.2.10.1-2, D.2.11), and "own" for what only the impaired player's
    assistant may do, and only for that player (D.2.10.3-6). If nobody is impaired, an assistant
    acts for their own player (4.9, 6.2.6, 8.1.6).
    """
    if by == "arbiter" and what not in ("claim_time", "touch"):
        game.refuse(by, what, "not_his_task", "arbiter")
        return None
    if not by.startswith("assistant:"):
        return by
    of = by.removeprefix("assistant:")
    if game.assistants[of] is False:
        game.refuse(by, what, "no_such_assistant", "assistant")
        return None
    if _superseded(game, of):
        game.refuse(by, what, "opponent_has_assistant", "assistant_of_sighted")
        return None
    if game.impaired(of):
        game.helping = _TASKS.get(what, _TASKS.get(duty))
        return game.side if duty in ("announce", "execute") else of
    if not game.impaired(OTHER[of]):
        return of
    if game.assistants[OTHER[of]]:
        # The sighted player may have an assistant only if the impaired player has none (D.2.11).
        game.refuse(by, what, "opponent_has_assistant", "assistant_of_sighted")
    elif duty == "own":
        game.refuse(by, what, "not_his_task", "assistant_of_sighted")
    else:
        game.helping = "assistant_of_sighted"
        return game.side
    return None


def entitled(game: State, fact: f.Personal, *, duty: str) -> str | None:
    """The side for which the person of ``fact`` acts; None, with a refusal, if nothing of the kind
    can happen now, or this person may not do it. ``duty`` is that of :func:`acting`."""
    if closed(game, fact.kind, fact.by):
        return None
    return acting(game, fact.by, fact.kind, duty=duty)


def _superseded(game: State, of: str) -> bool:
    """Whether the sighted opponent's assistant acts in this game because nobody has declared one
    for the impaired player ``of``. The two never act in one game (D.2.11)."""
    other = OTHER[of]
    one_impaired = game.impaired(of) and not game.impaired(other)
    return one_impaired and game.assistants[of] is None and game.assistants[other] is True


def settle_assistant(game: State, by: str) -> None:
    """Note that the first assistant who acts exists, if one player is impaired and nobody has said
    who has an assistant."""
    of = by.removeprefix("assistant:")
    one_impaired = game.impaired("white") != game.impaired("black")
    if one_impaired and game.assistants[of] is None:
        game.assistants[of] = True


def is_player(game: State, by: str, what: str) -> bool:
    """Whether ``by`` is a player; refuses ``what`` if not. It is then something that neither an
    assistant (D.2.10) nor the arbiter can do for a player."""
    if by in OTHER:
        return True
    sighted = by.startswith("assistant:") and not game.impaired(by.removeprefix("assistant:"))
    rule = "arbiter" if by == "arbiter" else "assistant_of_sighted" if sighted else "assistant"
    game.refuse(by, what, "not_his_task", rule)
    return False


def by_player(game: State, fact: f.Personal, *, while_adjourned: bool = False) -> bool:
    """Whether ``fact`` can happen now and comes from a player; refuses it if not."""
    return not closed(game, fact.kind, fact.by, while_adjourned=while_adjourned) and is_player(
        game, fact.by, fact.kind
    )


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
        return _ARBITERS | {"claim_time", "touch", "query", "irregular"}
    if who in OTHER:
        return frozenset(f.KINDS) - _ARBITERS - _NOBODYS
    of = who.removeprefix("assistant:")
    if game.assistants[of] is False or _superseded(game, of):
        return frozenset()
    if game.impaired(of) or not game.impaired(OTHER[of]):
        return _FOR_BOTH | _FOR_OWN
    return frozenset() if game.assistants[OTHER[of]] else _FOR_BOTH


def refusal(game: State, who: str, kind: str) -> Ruling | None:
    """The refusal of a fact that ``who`` may not bring but the Laws would take from anybody; None
    for all other facts, on which the Laws rule themselves."""
    trusted = kind in _ARBITERS | _NOBODYS | _NOT_OF_ASSISTANTS
    if not trusted or kind in rights(game, who):
        return None
    rule = "arbiter"
    if who.startswith("assistant:"):
        own = game.impaired(who.removeprefix("assistant:"))
        rule = "assistant" if own else "assistant_of_sighted"
    articles = game.edition.cite(rule, game.regime)
    refused = Refused(by=who, what=kind, why="not_his_task")
    return refused.stamped(game.t, articles)
