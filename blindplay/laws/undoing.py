"""The arbiter undoes what the arbiter has decided, until the next move is completed. The texts
leave it to the arbiter how a game goes on (12.2, 13.2): a slip of the arbiter costs no player
anything.

A decision is kept with the game before and after it. What it changed becomes as it was; what
has happened since stays, as far as the decision did not touch it:

- Times go back by difference: the time that has run since stays charged.
- If the decision changed the position or the move at hand, both are as they were, whatever has been
  announced, executed or offered since. The boards are led to what they showed.
- A result is undone with its signatures (8.7). Another end since, such as a resignation, stays.
- After a result or a take-back the clocks stand until the arbiter starts them (6.11.3).

The last decision is undone first, then the one before it. An undoing is not undone: the arbiter
decides again.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from . import facts as f
from .rulings import ArbiterNeeded, FlagFell, Refused, Undone
from .sheets import want
from .state import OTHER, Decided, State, TableBoard, whose_clock

_POSITION = ("history", "board", "pieces", "turn")
# These belong to one position and the move at hand: they are undone together.
_OF_THE_POSITION = (
    *_POSITION, "keys", "taken_back", "settled", "offers", "offered_at", "repeated",
    "told_missing", "differ_told", "displacing", "wants_to_adjourn",
)  # fmt: skip
_OF_THE_END = ("result", "signed")
# These are undone by rules of their own, or are no state of the game.
_APART = frozenset((
    "clock", "tables", "sheets", "struck", "pending", "calls", "decisions",
    "words", "out", "t", "helping", "_after",
))  # fmt: skip


def is_decision(game: State, fact: f.Fact) -> bool:
    """Return whether ``fact`` is a decision that its arbiter may undo. What a player or the table
    does with the arbiter's fact, and what a server decides, is none."""
    if not isinstance(fact, f.Arbiter) or game.served:
        return False
    by_player = fact.player is not None and fact.do in ("restore", "start_clocks")
    corrects = fact.do == "declare" and game.over
    return fact.by == "arbiter" and fact.do != "undo" and not (by_player or corrects)


def keep(game: State, fact: f.Fact, before: State) -> None:
    """Keep the decision ``fact`` with the game before it, unless it was refused."""
    assert isinstance(fact, f.Arbiter)
    given = game.out[len(before.out) :]
    if not any(isinstance(one, Refused) and one.what == fact.do for one in given):
        game.decisions = (*game.decisions, Decided(fact, before, game.fork()))


def forget(game: State) -> None:
    """Forget the decisions if a move has been completed or sealed since the last one."""
    if game.decisions:
        then = game.decisions[-1].after
        if _differ(game, then, ("history", "sealed", "adjourned")):
            game.decisions = ()


def undoable(game: State) -> Decided | None:
    """The decision that can be undone now."""
    last = game.decisions[-1] if game.decisions else None
    return None if last is None or (game.over and not last.after.over) else last


def undo(game: State, fact: f.Arbiter) -> None:
    """Undo the last decision."""
    last = undoable(game)
    if last is None and game.decisions:
        game.refuse("arbiter", "undo", "game_over", "result")
        return
    if last is None:
        game.refuse("arbiter", "undo", "nothing_to_undo")
        return
    before, after = last.before.fork(), last.after
    now = game.fork()
    moved = _differ(before, after, _POSITION)
    ended = after.over and not before.over
    rules = ("arbiter", "signatures") if ended and now.signed else ("arbiter",)
    game.rule(_told(last, moved=moved, ended=ended, reason=fact.reason), *rules)
    names = [
        name for name in vars(before) if name not in _APART and _differ(before, after, (name,))
    ]
    names += [*(_OF_THE_POSITION if moved else ()), *(_OF_THE_END if ended else ())]
    for name in names:
        setattr(game, name, getattr(before, name))
    game.decisions = game.decisions[:-1]
    game.calls = (*game.calls, *(one for one in before.calls if one not in game.calls))
    _write_again(game, before, after)
    game.clock.undo(before.clock, after.clock)
    if game.swapped != now.swapped and len(game.tables) == 2:
        game.tables = {side: game.tables[OTHER[side]] for side in OTHER}
    for name, table in game.tables.items():
        old, new = before.tables.get(name), after.tables.get(name)
        if old is not None and (moved or old != new):
            _lead(game, name, table, old, moved=moved)
    _ask_again(game, before, after, moved=moved)
    _run(game, before, after, stands=moved or ended)


def _differ(one: State, other: State, names: Iterable[str]) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _told(last: Decided, *, moved: bool, ended: bool, reason: str) -> Undone:
    before, after, fact = last.before, last.after, last.fact
    plies = len(before.history)
    return Undone(
        what=fact.do,
        player=fact.player if fact.do == "penalty" else None,
        to_ply=plies if moved and before.history != after.history else None,
        reopened=ended,
        reason=reason,
    )


def _write_again(game: State, before: State, after: State) -> None:
    """Entries that the decision struck through stand again; those written since stay. An entry of
    another game than the one that goes on is struck through."""
    since = Counter(game.struck) - Counter(after.struck)
    game.struck = [*before.struck, *since.elements()]
    for side, sheet in game.sheets.items():
        was, then = before.sheets[side], after.sheets[side]
        if was == then:
            continue
        written = {ply: text for ply, text in sheet.items() if then.get(ply) != text}
        for ply in [ply for ply in written if ply in was and ply not in then]:
            game.struck.append((side, ply, written.pop(ply)))
        game.sheets[side] = {**was, **written}


def _lead(game: State, name: str, table: TableBoard, old: TableBoard, *, moved: bool) -> None:
    """The board is as it was, or hands bring it there. What was in the hand then goes back."""
    if moved and table.placement != old.placement:
        goal = old.wanted if old.wanted is not None else {**old.placement, **dict(old.hand)}
        want(game, name, goal, "arbiter", explained=False)
        table.plies, table.inherited = old.plies, old.inherited
        table.wanted_plies = old.plies if old.wanted is None else old.wanted_plies
    if table.placement == old.placement:
        game.tables[name] = replace(old, sensors=table.sensors)


def _ask_again(game: State, before: State, after: State, *, moved: bool) -> None:
    """What was proposed before the decision is proposed again. A flag is up again if its player has
    time now."""
    asked = game.pending
    if moved or before.pending != after.pending:
        game.pending = before.pending
    elif asked is not None and isinstance(asked.ruling, FlagFell) and not game.clock.flags:
        game.pending = None
    if game.pending is not None and game.pending != asked:
        for one in filter(None, (game.pending.ruling, game.pending.price)):
            game.out.append(replace(one, t=game.t))


def _run(game: State, before: State, after: State, *, stands: bool) -> None:
    """The clocks go on, or stand, as before the decision."""
    clock, ran = game.clock, before.clock.running
    asks = game.pending is not None and not game.pending.claimable
    if asks or game.over:
        clock.stop()
    elif clock and stands and ran is not None and game.presided:
        clock.stop("arbiter")
        game.rule(ArbiterNeeded(why="start_clocks"), "resuming")
    elif stands or ran != after.clock.running or clock.running is None:
        clock.stop()
        if ran is not None:
            clock.start(whose_clock(game))
    game.tell_clock("arbiter_sets_clocks")
