"""The pages of players and of their assistants.

The page of an impaired player is for a keyboard and a screen reader. It shows what the player may
know: the announcements, the own scoresheet, and, on request, the clocks and the number of moves
(fide-2023 D.2.7, D.2.10.4). It shows the position only in training. The page of a sighted player
has board, clocks and scoresheet (fide-2023 D.2.5); the one of an assistant the tasks of D.2.10 and
D.2.11.
"""

import json
from collections.abc import Mapping
from typing import Any

from blindplay.language import PLAYS_AGAIN, Command, load
from blindplay.laws import Game, Taken, permissions
from blindplay.laws.claims import QUICKPLAY_CLAIMS
from blindplay.laws.due import Played, Step, due
from blindplay.laws.editions import article
from blindplay.laws.facts import IRREGULARITIES, SIDES, Tick
from blindplay.laws.state import OTHER
from blindplay.record.score import entry_place
from blindplay.wording.announcements import announcements

from ..actions import Form
from ..messages import catalogue
from ..pieces import rows
from ..table_port import TableView, held
from . import boards, common, papers, timeline


def _common_values(table: TableView, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the shared templates for the player ``role``."""
    say = catalogue(language)
    step = common.step_values(game, role, language)
    waits = game.pending is not None and not game.pending.claimable
    return {
        **step,
        "own": role,
        "other": OTHER[role],
        "over": game.over,
        "status": common.status(game, language),
        "last": common.last_announced(game, language),
        "announced_in": common.spoken_in(game),
        "sensors": game.tables[game.board_of(role)].sensors,
        **_pressing(game, role, step["step"]),
        "outcome": game.result or "",
        "ending": _ending(table, game, language),
        "name": {side: common.name_of(game, side, language) for side in SIDES},
        "clock": {clock.side: clock for clock in common.clocks(game)},
        "offered": OTHER[role] in game.offers and not (game.over or game.adjourned or waits),
        "question": _question(game, role, language),
        "offering": role in game.offers and not game.over,
        "own_moves": sum(ply.side == role for ply in game.history),
        "opponent": say[OTHER[role]],
        "claims": _claims(game),
        "timed": bool(game.clock),
        "seals_later": game.adjourning and game.side == role and step["step"].do != "seal",
        "presided": game.presided,
        "adjourns": not (game.over or game.adjourning or game.adjourned or table.absent),
        "wants_to_adjourn": game.wants_to_adjourn,
        "sheet": common.sheet_later(game, role),
        **_entry(game),
        "deaf": _deaf(game),
        "assisted": game.assistants[role],
        "hints": table.allows(Command.HINT) and not game.over,
        "takes_back": table.allows(Command.TAKE_BACK) and not game.over,
        **papers.values(game, role, language),
        "may_be_assisted": _may_be_assisted(game, role),
        "past": boards.before_last(game, role),
        **_another_game(table, game, role),
    }


def _another_game(table: TableView, game: Game, role: str) -> dict[str, Any]:
    """The games that may follow, whether this player can choose one now, what they want, and what
    the opponent wants."""
    wanted, may = table.another_game.wanted, game.over and table.another_game.may
    signed = bool(table.absent) or not any(due(game, side).do == "sign" for side in SIDES)
    return {
        "again": [one.value for one in PLAYS_AGAIN] if may else [],
        "again_now": signed,
        "again_wanted": wanted[role].value if role in wanted else "",
        "again_asked": wanted[OTHER[role]].value if OTHER[role] in wanted else "",
    }


def _pressing(game: Game, role: str, step: Step) -> dict[str, bool]:
    """How the clock may be pressed together with a move: whether that is so in this game, in which
    nobody has a lever; whether the step that is due ends with the press; and whether a move that is
    chosen on the board is complete at once, because nobody repeats it and nothing else is due."""
    can = not (game.served or any(table.sensors for table in game.tables.values()))
    own = step.do == "announce" or (step.move is not None and step.move.by == role)
    moves = own and step.do in ("announce", "execute", "announce_made")
    presses = can and moves and not game.unpressed()
    asked = OTHER[role] in game.offers or game.wants_to_adjourn == OTHER[role]
    heard = any(game.impaired(side) for side in SIDES)
    at_once = presses and step.do == "announce" and not (heard or step.owed or asked)
    return {"can_press_too": can, "presses_too": presses, "at_once": at_once}


def _question(game: Game, role: str, language: str) -> str:
    """The words of what both players are asked, if this one has not answered it yet."""
    if game.pending is None or due(game, role).do != "consent":
        return ""
    asked = Taken(Tick(), (game.pending.ruling,))
    return " ".join(one.words for one in announcements(asked, game, load(language))[:1])


def _ending(table: TableView, game: Game, language: str) -> str:
    """Why the game is over, in one sentence; empty while it goes on."""
    ended = common.ended(table, game)
    told = announcements(Taken(Tick(), (ended,)), game, load(language)) if ended else ()
    return " ".join(one.words for one in told)


def _entry(game: Game) -> dict[str, Any]:
    """The place of the entry that a player writes next: the move that is being played, or the last
    one; and the number of the first move."""
    turn = game.turn
    begun = any(move is not None for move in (turn.announced, turn.executed, turn.made))
    number, side = entry_place(game, max(1, len(game.history) + begun))
    first, _ = entry_place(game, 1)
    return {"entry_number": number, "entry_side": side, "entry_first": first}


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
    return may and not permissions.bars_assistant(game, side)


def _deaf(game: Game) -> dict[str, Any] | None:
    """Return the Laws' rule for an impaired player against a hearing-impaired one: whether an
    assistant is a must, and the article that says so. None for other players."""
    if not any(game.player(one).hearing_impaired and game.impaired(OTHER[one]) for one in SIDES):
        return None
    if not game.switch("hearing_impaired_opponent_needs_assistant"):
        return {"must": False, "article": None}
    (citation,) = game.edition.cite("hearing_impaired_opponent", game.regime)
    return {"must": True, "article": article(citation)}


def _whole_clocks(table: TableView, role: str, language: str, form: Form) -> dict[str, Any]:
    """Only the two clocks, as large as the screen allows, for low vision (6.12)."""
    with held(table) as game:
        return {
            "clock": {clock.side: clock for clock in common.clocks(game)},
            "name": {side: common.name_of(game, side, language) for side in SIDES},
            "own": role,
            "other": OTHER[role],
            "now": table.time(),
        }


def _whole_moves(table: TableView, role: str, language: str, form: Form) -> dict[str, Any]:
    """All moves in notation and in words."""
    with held(table) as game:
        told = [
            common.told(game, Played(ply.before, ply.spoken, ply.side), language)
            for ply in game.history
        ]
        return {"moves": told, "announced_in": common.spoken_in(game)}


_EXTRA: Mapping[str, Any] = {"past": boards.past, "clocks": _whole_clocks, "moves": _whole_moves}
"""Further pages by their addresses; each function gives the values of its template."""


_HEARD = 10
# The question of each key, as a command of the languages. Texts: key_<name> and keyname_<name>.
KEYS = ("clock_both", "moves", "last_move")
TRAINING_KEYS = (
    "position", "square", "rank", "file", "attackers", "pieces", "captured", "legal_moves",
    "king", "pawns", "diagonals",
)  # fmt: skip
PIECES = ("king", "queen", "rook", "bishop", "knight", "pawn")


def _impaired_values(table: TableView, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    say = catalogue(language)
    shown = _common_values(table, game, role, language)
    asked = (*KEYS, *(TRAINING_KEYS if table.training else ()))
    shown |= {
        "training": table.training,
        "asked": asked,
        "keys": json.dumps({say[f"key_{name}"]: name for name in asked}),
        "pieces": json.dumps(dict(zip(say["piece_keys"], PIECES, strict=True))),
        "heard": _heard(game, language),
    }
    if table.training:  # the position after the last move, its squares named as they are spoken
        pieces, name = game.position_pieces(), load(language).square
        shown["rows"] = rows(pieces, language, black_below=role == "black", name=name)
    return shown


def _heard(game: Game, language: str) -> list[common.ShownMove]:
    """The last announcements, the newest first."""
    found = [
        common.told(game, Played(ply.before, ply.spoken, ply.side), language)
        for ply in reversed(game.history[-_HEARD:])
    ]
    if game.turn.announced is not None:
        now = Played(game.board.copy(stack=False), game.turn.announced, game.side)
        found.insert(0, common.told(game, now, language))
    return found


_IMPAIRED_PARTS = (
    "tab", "now", "after", "forms", "ask", "heard", "log", "acts", "sheet", "keys", "signals",
)  # fmt: skip
IMPAIRED = common.Page(
    folder="player",
    parts=_IMPAIRED_PARTS,
    scripts=("board_views.js", "board.js", "player.js", "log.js", "next.js"),
    styles=("board.css", "players.css"),
    values=_impaired_values,
    aside=("theirs", "mine"),
    extra=_EXTRA,
)
"""The page of an impaired player."""


def _sighted_values(table: TableView, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    shown = _common_values(table, game, role, language)
    board, black_below = game.board_of(role), role == "black"
    shown["rows"] = boards.live(game, board, language, black_below=black_below)
    shown["fix"] = boards.restoring(table, game, board, language, black_below=black_below)
    # A move is chosen on the board while it can be made or corrected (1.3).
    shown["moves_shown"] = True
    shown["may_choose"] = not game.over and (game.side == role or game.turn.made is not None)
    return shown


_SIGHTED_PARTS = (
    "tab", "theirs", "now", "next", "after", "forms", "board", "mine", "sheet", "acts", "log",
    "keys", "signals",
)  # fmt: skip
SIGHTED = common.Page(
    folder="opponent",
    parts=_SIGHTED_PARTS,
    scripts=("board_views.js", "board.js", "clock.js", "log.js", "next.js", "moves.js"),
    styles=("board.css", "players.css"),
    values=_sighted_values,
    extra=_EXTRA,
)
"""The page of a sighted player."""


def _assistant_values(table: TableView, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    own = role.removeprefix("assistant:")
    shown = own if not game.impaired(own) else OTHER[own]
    board = game.board_of(shown)
    telling = timeline.Narrator(game, language)
    return {
        **common.step_values(game, role, language),
        "may": permissions.rights(game, role),
        "clocks": common.clocks(game),
        "names": {side: common.name_of(game, side, language) for side in SIDES},
        "timed": bool(game.clock),
        "declared": bool(game.assistants[own]),
        "whats": [(what, telling.word(what)) for what in IRREGULARITIES],
        "status": common.status(game, language),
        "last": common.last_announced(game, language),
        "announced_in": common.spoken_in(game),
        "sensors": game.tables[board].sensors,
        "board_of": shown if len(game.tables) == 2 else "",
        "rows": boards.live(game, board, language, black_below=shown == "black"),
        "own": own,
        "owed": common.owed_in_words(game, language),
        "on_move": game.side,
        "sheet": common.sheet_later(game, own, with_struck=False),
        "next_ply": common.next_ply(game, own),
        "plies": len(game.history),
        "over": game.over,
        **papers.values(game, role, language),
        "outcome": game.result or "",
        "sealing": common.sealing(game) and game.side == own,
        "adjourned": game.adjourned and not game.over,
    }


ASSISTANT = common.Page(
    folder="assistant",
    parts=("tab", "now", "after", "clocks", "board", "forms", "sheet"),
    scripts=("clock.js", "board_views.js", "board.js", "next.js"),
    styles=("board.css", "arbiter.css"),
    values=_assistant_values,
    extra={},
)
"""The page of an assistant."""
