"""The common part of all players' pages."""

from collections.abc import Mapping
from typing import Any

from blindplay.language import Command, load
from blindplay.laws import Game, Taken, permissions
from blindplay.laws.claims import QUICKPLAY_CLAIMS
from blindplay.laws.editions import article
from blindplay.laws.facts import SIDES, Tick
from blindplay.laws.state import OTHER
from blindplay.record.score import entry_place
from blindplay.wording.announcements import announcements

from ..actions import Form
from ..messages import catalogue
from ..next_step import NextStep, Played, next_step
from ..table_port import TablePort, held
from . import boards, common, papers

# Then an offer of a draw cannot be answered.
_UNANSWERED = ("over", "sign", "arbiter", "consent", "wait_consent", "adjourned", "open")


def values(table: TablePort, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the shared templates for the player ``role``."""
    say = catalogue(language)
    step = next_step(game, role)
    return {
        "own": role,
        "other": OTHER[role],
        "over": game.over,
        "status": common.status(game, language),
        "last": common.last_announced(game, language),
        "announced_in": common.spoken_in(game),
        "sensors": game.tables[game.board_of(role)].sensors,
        "step": step,
        "due_now": step.is_due,
        "step_move": common.told(game, step.move, language) if step.move else None,
        "heading": (heading := _heading(game, step, say)),
        "why": say.get(f"why_{step.kind}", ""),
        "tab": say["tab_yours"] if step.is_due else heading,
        "ending": _ending(table, game, language),
        "name": {side: common.name_of(game, side, language) for side in SIDES},
        "clock": {clock.side: clock for clock in common.clocks(game)},
        "offered": OTHER[role] in game.offers and step.kind not in _UNANSWERED,
        "question": _question(game, step, language),
        "offering": role in game.offers and not game.over,
        "opponent": say[OTHER[role]],
        "claims": _claims(game),
        "timed": bool(game.clock),
        "sealing": game.adjourning and game.side == role,
        "presided": game.presided,
        "adjourns": not (game.over or game.adjourning or game.adjourned or table.absent),
        "wants_to_adjourn": game.wants_to_adjourn,
        "sheet": common.sheet_rows(game, role),
        "plies": [(ply, *entry_place(game, ply)) for ply in range(len(game.history) + 1, 0, -1)],
        "ply": max(1, len(game.history) + _begun(game)),
        "deaf": _deaf(game),
        "assisted": game.assistants[role],
        "hints": table.allows(Command.HINT) and not game.over,
        "to_execute": _to_execute(table, game, role),
        "takes_back": table.allows(Command.TAKE_BACK) and not game.over,
        **papers.values(game, role, language),
        "may_be_assisted": _may_be_assisted(game, role),
        "past": boards.before_last(game, role),
    }


def _to_execute(table: TablePort, game: Game, role: str) -> str:
    """The absent opponent's move that the player still has to say is executed; empty if none is,
    or if the board feels it."""
    board = game.board_of(role)
    if not table.absent or game.over or game.tables[board].sensors:
        return ""
    return next((ply.move.uci() for ply in game.outstanding(board)), "")


def _heading(game: Game, step: NextStep, say: Mapping[str, str]) -> str:
    """The step in a few words; at the end the result."""
    if game.over:
        return game.result or ""
    return say[f"next_{step.kind}"].format(name=game.player(game.side).name or say[game.side])


def _question(game: Game, step: NextStep, language: str) -> str:
    """The words of what both players are asked, if this one has not answered it yet."""
    if game.pending is None or step.kind != "consent":
        return ""
    asked = Taken(Tick(), (game.pending.ruling,))
    return " ".join(one.words for one in announcements(asked, game, load(language))[:1])


def _ending(table: TablePort, game: Game, language: str) -> str:
    """Why the game is over, in one sentence; empty while it goes on."""
    ended = common.ended(table, game)
    told = announcements(Taken(Tick(), (ended,)), game, load(language)) if ended else ()
    return " ".join(one.words for one in told)


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
    """Return whether this player may announce an assistant now (D.2.10, D.2.11)."""
    may = "assistant" in permissions.rights(game, side)
    return may and (game.impaired(side) or not game.assistants[OTHER[side]])


def _deaf(game: Game) -> dict[str, Any] | None:
    """Return the Laws' rule for an impaired player against a hearing-impaired one: whether an
    assistant is a must, and the article that says so. None for other players."""
    if not any(game.player(one).hearing_impaired and game.impaired(OTHER[one]) for one in SIDES):
        return None
    if not game.switch("hearing_impaired_opponent_needs_assistant"):
        return {"must": False, "article": None}
    (citation,) = game.edition.cite("hearing_impaired_opponent", game.regime)
    return {"must": True, "article": article(citation)}


def _whole_clocks(table: TablePort, role: str, language: str, form: Form) -> dict[str, Any]:
    """Only the two clocks, as large as the screen allows, for low vision (6.12)."""
    with held(table) as game:
        return {
            "clock": {clock.side: clock for clock in common.clocks(game)},
            "name": {side: common.name_of(game, side, language) for side in SIDES},
            "own": role,
            "other": OTHER[role],
            "now": table.time(),
        }


def _whole_moves(table: TablePort, role: str, language: str, form: Form) -> dict[str, Any]:
    """All moves in notation and in words."""
    with held(table) as game:
        told = [
            common.told(game, Played(ply.before, ply.spoken, ply.side), language)
            for ply in game.history
        ]
        return {"moves": told, "announced_in": common.spoken_in(game)}


EXTRA: Mapping[str, Any] = {"past": boards.past, "clocks": _whole_clocks, "moves": _whole_moves}
"""Further pages by their addresses; each function gives the values of its template."""
