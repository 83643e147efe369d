"""The arbiter's page: the table at a glance, pending decisions, and everything that the Laws let an
arbiter do (6.10 to 6.13, 7, 12)."""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import chess

from blindplay.language import load
from blindplay.laws import Game, Ruling, Taken, permissions
from blindplay.laws import facts as f
from blindplay.laws.due import due, missing
from blindplay.laws.placement import change, difference, laid_over
from blindplay.laws.rulings import Touched
from blindplay.laws.undoing import undoable
from blindplay.wording.announcements import differing_squares
from blindplay.wording.values import write_time

from ..actions import Form, NoActionError, value_of
from ..messages import catalogue
from ..pieces import rows
from ..table_port import TableView, held, tape_of
from . import boards, common, decisions, papers, timeline

NEWEST = 5
"""Entries on the page itself; the timeline has all."""
PAGE = 40
"""Entries on a page of the timeline."""
_LOOKED_BACK = 400  # entries
# Frequent facts that the page itself shows only if they have rulings.
_UNTOLD = frozenset(("lift", "place", "position", "record", "query", "tick", "setup"))
_GROUPS = ("rulings", *timeline.GROUPS, "said")


def values(table: TableView, game: Game, role: str, language: str) -> dict[str, Any]:
    """The values of the page's templates."""
    telling = timeline.Narrator(game, language)
    log, pending = table.log, game.pending
    confirming, rejecting = decisions.outcomes(telling, pending) if pending else ([], [])
    newest, differing = _newest(log), differing_squares(game)
    apart = _under_way(game, differing)
    written = game.sheets, game.struck, game.offered_at
    shown = common.step_values(game, role, language)
    if shown["step"].do == "nothing":
        shown["sentence"] = common.status(game, language)
    return {
        **shown,
        "may": permissions.rights(game, role),
        "over": game.over,
        "outcome": game.result or "",
        "last": common.last_announced(game, language),
        "announced_in": common.spoken_in(game),
        "presided": game.presided,
        "illegal": game.illegal_moves,
        "offers": sorted(game.offers),
        "pending": telling.line(pending.ruling) if pending else None,
        "asked": telling.ruling(replace(pending.ruling, status=None)) if pending else "",
        "price": telling.line(pending.price) if pending and pending.price else None,
        "claimable": pending is not None and pending.claimable,
        "confirming": confirming,
        "rejecting": rejecting,
        "equal": _equal_times(game),
        "needed": [telling.line(one) for one in game.calls],
        "attends": bool(game.unattended),
        "missing": missing(game),
        "undoes": telling.fact(last.fact) if (last := undoable(game)) else "",
        "owed": common.owed_in_words(game, language),
        "on_move": game.side,
        "correcting": [side for side in f.SIDES if due(game, side).do == "correct"],
        "clocks": common.clocks(game),
        "timed": bool(game.clock),
        "started": game.started or not game.clock,
        "running": game.clock.running is not None,
        "boards": _boards(table, game, language, differing, apart),
        "differing": _differing(telling, differing),
        "wrong_squares": _named(sorted(differing.keys() - apart)),
        "moving_squares": _named(sorted(apart)),
        "sheets": common.Later(
            written, lambda: {side: common.sheet_rows(game, side) for side in f.SIDES}
        ),
        "signs": common.Later(
            (written, game.keys),
            lambda: {side: common.in_notation(game, side, language) for side in f.SIDES},
        ),
        "names": {side: common.name_of(game, side, language) for side in f.SIDES},
        "assistants": game.assistants,
        "barred": {side: _barred(game, side, language) for side in f.SIDES},
        "adjourned": game.adjourned,
        "two_boards": len(game.tables) == 2,
        "past": boards.before_last(game, role),
        "whats": [(what, telling.word(what)) for what in f.IRREGULARITIES],
        "requirements": [(name, telling.word(name)) for name in f.REQUIREMENTS],
        "results": f.RESULTS,
        "announcing": decisions.announcing_languages(catalogue(language)),
        "announced_as": game.announce_in,
        "sides": f.SIDES,
        **papers.values(game, role, language),
        "groups": common.Later(
            ([log[at] for at in newest], common.spoken_in(game)),
            lambda: telling.by_move(
                telling.entry(at, log[at], timeline.ply_at(log, at)) for at in newest
            ),
        ),
    }


def calls(game: Game, language: str, rulings: Sequence[Ruling]) -> list[str]:
    """Urgent sentences for the arbiter alone: the decisions that wait. The table itself says
    all other needs for the arbiter, and a reported touch in full."""
    telling = timeline.Narrator(game, language)
    proposed = (one for one in rulings if timeline.status_of(one) == "proposed")
    return [telling.ruling(one) for one in proposed if not isinstance(one, Touched)]


def _barred(game: Game, side: str, language: str) -> str:
    """Why this player may have no assistant; empty if they may."""
    if not permissions.bars_assistant(game, side):
        return ""
    why = load(language).sentence("refused_opponent_has_assistant")
    return f"{why} ({', '.join(game.edition.cite('assistant_of_sighted', game.regime))})"


def _equal_times(game: Game) -> dict[str, str] | None:
    """The times that charge a fault of the clocks to neither player, and the article under which
    the arbiter sets them; None if nothing has gone wrong with the clocks."""
    for call in game.calls:
        if call.white is not None and call.black is not None:
            white, black = (write_time(round(1000 * left)) for left in (call.white, call.black))
            return {"white": white, "black": black, "article": call.articles[0]}
    return None


def _newest(log: Sequence[Taken]) -> list[int]:
    """The places of the newest entries that are shown, the newest first."""
    places = reversed(range(len(log))[-_LOOKED_BACK:])
    shown = (at for at in places if log[at].fact.kind not in _UNTOLD or log[at].rulings)
    return list(itertools.islice(shown, NEWEST))


def _under_way(game: Game, differing: Collection[int]) -> frozenset[int]:
    """Those of the ``differing`` squares on which a move has not been executed on both boards yet.
    After the game none is, and what differs calls for nobody."""
    found, turn = frozenset(differing), game.turn
    if game.over:
        return found
    at_hand = [move for move in (turn.announced, turn.executed, turn.made) if move is not None]
    for table in game.tables.values():
        stages = [game.shown_after(plies) for plies in range(table.plies, len(game.history) + 1)]
        stages += [laid_over(game.pieces, change(game.board, move)) for move in at_hand]
        lifted = {at for stage in stages for at in difference(stages[0], stage)} | {*turn.touched}
        if table.wanted is not None:
            found -= difference(table.placement, table.wanted).keys()
        found -= {
            at
            for at in found
            if not any(table.placement.get(at) == stage.get(at) for stage in stages)
            and (at in table.placement or at not in lifted)
        }
    return found


_MOST_NAMED = 8


def _named(squares: Iterable[int]) -> str:
    """The names of squares, as many as stand in a line."""
    names = [chess.square_name(at) for at in squares]
    return ", ".join([*names[:_MOST_NAMED], *(["…"] if len(names) > _MOST_NAMED else [])])


def _differing(
    telling: timeline.Narrator, differing: Mapping[int, tuple[str | None, str | None]]
) -> list[str]:
    two = len(telling.game.tables) == 2
    names = ("white", "black") if two else ("board", "game")
    sentence = telling.say["arb_differ_at" if two else "arb_differ_at_one"]
    return [
        sentence.format(
            square=chess.square_name(at),
            **dict(zip(names, map(telling.piece, pieces), strict=True)),
        )
        for at, pieces in differing.items()
    ]


def _boards(
    table: TableView,
    game: Game,
    language: str,
    differing: Mapping[int, object],
    apart: Collection[int],
) -> list[dict[str, Any]]:
    """Each board: its side, its squares, how it is put right, and whether it has sensors."""
    # Both as White sees them, so that they can be compared.
    wrong = differing.keys() - apart
    shown = partial(
        boards.live, game, language=language, black_below=False, differing=wrong, apart=apart
    )
    fix = partial(boards.restoring, table, game, language=language, black_below=False)
    return [
        {"side": side, "rows": shown(side), "fix": fix(side), "sensors": state.sensors}
        for side, state in game.tables.items()
    ]


def sure(table: TableView, role: str, language: str, form: Form) -> dict[str, Any]:
    """The second step of a decision: its consequences."""
    say = catalogue(language)
    with held(table) as game:
        try:
            step = decisions.prepare(game, language, form, table.time())
        except (NoActionError, f.FactError) as error:
            why = say.get(str(error), str(error))
            field = getattr(error, "field", "")
            return {"why": f"{why[:1].upper()}{why[1:].rstrip('.')}.", "field": field, "step": None}
        return {
            "step": step,
            "shown": rows(step.shown, language, black_below=False) if step.shown else None,
        }


def _whole_timeline(table: TableView, role: str, language: str, form: Form) -> dict[str, Any]:
    """One page of the timeline, the newest entries first, with the tape."""
    group, who = _chosen(form, "group", _GROUPS), _chosen(form, "who", f.PEOPLE)
    tape = tape_of(table) if group in ("", "said") else {}
    with held(table) as game:
        telling = timeline.Narrator(game, language)
        log = table.log
        places = [  # time, whether it is sound, place or number
            (taken.fact.t, False, at)
            for at, taken in enumerate(log)
            if group != "said" and timeline.belongs(taken, group, who)
        ]
        if who in ("", *f.SIDES):
            places += [(one.t, True, n) for n, one in tape.items() if who in ("", one.by)]
        places.sort(reverse=True)
        skipped = int(text) if (text := value_of(form, "skip")).isdecimal() and len(text) < 7 else 0
        skipped = min(skipped, max(0, len(places) - 1))
        entries = [
            telling.said(tape[at])
            if sound
            else telling.entry(at, log[at], timeline.ply_at(log, at))
            for _, sound, at in places[skipped : skipped + PAGE]
        ]
    return {
        "groups": telling.by_move(entries),
        "group": group,
        "who": who,
        "kinds": _GROUPS,
        "people": [(one, telling.name(one)) for one in f.PEOPLE],
        "first": skipped + 1,
        "last": skipped + len(entries),
        "all": len(places),
        "older": skipped + PAGE if skipped + PAGE < len(places) else None,
        "newer": max(0, skipped - PAGE) if skipped else None,
        "has_tape": bool(tape) or group not in ("", "said"),
    }


def _chosen(form: Form, name: str, known: tuple[str, ...]) -> str:
    text = value_of(form, name)
    return text if text in known else ""


ARBITER = common.Page(
    folder="arbiter",
    parts=("tab", "game", "decide", "clocks", "boards", "timeline", "sheets"),
    scripts=("clock.js", "board_views.js", "board.js", "next.js", "arbiter.js"),
    styles=("board.css", "arbiter.css"),
    values=values,
    beside=("game", "decide"),
    extra={"past": boards.past, "sure": sure, "timeline": _whole_timeline},
    calls=calls,
)
"""The arbiter's page."""
