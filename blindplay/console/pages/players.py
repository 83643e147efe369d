"""What the pages of all players have in common."""

from typing import Any

from blindplay.laws import Game, permissions
from blindplay.laws.claims import QUICKPLAY_CLAIMS
from blindplay.laws.editions import article
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.record.score import entry_place

from ..messages import catalogue
from . import common


def values(game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the shared templates for the player ``role``."""
    say = catalogue(language)
    board = game.board_of(role)
    sensors = game.tables[board].sensors
    last = common.last_announced(game, language)
    due = None if sensors or game.over else common.due(game, board, language)
    return {
        "own": role,
        "over": game.over,
        "status": common.status(game, language),
        "last": last,
        "announced_in": common.spoken_in(game),
        "sensors": sensors,
        "to_repeat": last if to_be_repeated(game, role) else None,
        "due": due,
        "clocks": common.clocks(game),
        "offered": OTHER[role] in game.offers and not game.over,
        "offering": role in game.offers and not game.over,
        "opponent": say[OTHER[role]],
        "claims": _claims(game),
        "timed": bool(game.clock),
        "sealing": game.adjourning and game.side == role,
        "sheet": common.sheet_rows(game, role),
        "plies": [(ply, *entry_place(game, ply)) for ply in range(len(game.history) + 1, 0, -1)],
        "ply": max(1, len(game.history) + _begun(game)),
        "deaf": _deaf(game),
        "assisted": game.assistants[role],
        "may_be_assisted": _may_be_assisted(game, role),
    }


def to_be_repeated(game: Game, side: str) -> bool:
    """Whether ``side`` must still repeat the opponent's last announcement (D.2.1)."""
    impaired = any(game.impaired(one) for one in SIDES)
    if game.over or game.adjourned or side in game.repeated or not impaired:
        return False
    if game.side != side:
        return game.turn.announced is not None
    answers = bool(game.history) and game.turn.announced is None
    return answers and not game.history[-1].illegal  # an illegal move was not announced


def _begun(game: Game) -> bool:
    turn = game.turn
    return any(move is not None for move in (turn.announced, turn.executed, turn.made))


def _claims(game: Game) -> list[str]:
    """The claims of a draw that exist in this game."""
    assert game.setup is not None
    found = ["repetition", "fifty_moves"]
    rapid = game.setup.mode == "rapid" and bool(game.switch("quickplay_is_rapid"))
    if game.setup.mode != "blitz" and (game.setup.quickplay_finish or rapid):
        found += QUICKPLAY_CLAIMS
        if game.switch("quickplay_extra_time"):
            found.append("extra_time")
    return found


def _may_be_assisted(game: Game, side: str) -> bool:
    """Whether this player may announce an assistant now (D.2.10, D.2.11)."""
    may = "assistant" in permissions.rights(game, side)
    return may and (game.impaired(side) or not game.assistants[OTHER[side]])


def _deaf(game: Game) -> dict[str, Any] | None:
    """What the Laws say if an impaired player meets a hearing-impaired one."""
    if not any(game.player(one).hearing_impaired and game.impaired(OTHER[one]) for one in SIDES):
        return None
    if not game.switch("hearing_impaired_opponent_needs_assistant"):
        return {"must": False, "article": None}
    (citation,) = game.edition.cite("hearing_impaired_opponent", game.regime)
    return {"must": True, "article": article(citation)}
