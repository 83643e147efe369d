"""The step that is due from each person now. Nothing else works it out.

:func:`due` is total: in every state each person has exactly one step, something to do or somebody
to wait for. A person is one of :data:`.facts.PEOPLE`: a player, a player's assistant, or the
arbiter. The players' pages, the keyboard, help, reminders, Braille, opponents that are programs and
the hall all follow it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import chess

from . import facts as f
from .adjournment import must_wait_for_the_other
from .compulsory_assistant import ASSISTANT, must_wait
from .duties import binding
from .facts import Fact
from .permissions import help_rule, may_correct, needs_no_consent
from .placement import Pieces, change, laid_over
from .rulings import ArbiterNeeded
from .setting_up import has_come
from .state import OTHER, State, enveloped

Do = Literal[
    "begin", "continue", "assist", "identify", "arrive", "open", "seal", "correct", "repeat",
    "repeat_and_execute", "execute", "announce", "announce_made", "press", "consent", "sign",
    "decide", "attend", "flag", "wait", "nothing",
]  # fmt: skip
"""The things that a step asks for.

``begin``: start the clocks of a game that has not begun (6.6). ``continue``: start clocks that
stand. ``assist``: get the assistant who is compulsory (D.2.11). ``identify``: lift the own king, so
that the table learns which board is whose. ``arrive``: come to the resumed game (I.9.2). ``open``:
open the envelope (I.9.1). ``correct``: bring the own board to the position (D.2.9). ``announce``:
play a move; ``announce_made``: announce the move that hands have made. ``consent``: say yes or no
to what both players are asked. ``decide``: confirm or reject what is proposed. ``attend``: see to
what somebody called for, see :attr:`Step.call`. ``flag``: a flag has fallen, and the game goes on.
``nothing``: the game is over for this person.
"""

NEEDS = ("decision", "arbiter", "flag", "boards")
"""The reasons why a table needs somebody: a decision waits, the arbiter is called, a flag has
fallen in a game that goes on, a board must be corrected; the most urgent first."""

_RULES: dict[Do, str] = {
    "begin": "start", "continue": "resuming", "assist": "hearing_impaired_opponent",
    "identify": "two_boards", "arrive": "answering_player_absent", "open": "opening_envelope",
    "seal": "sealing", "correct": "displaced_found", "repeat": "announcing",
    "repeat_and_execute": "announcing", "press": "completing", "sign": "signatures",
}  # fmt: skip
_ASSISTANTS: dict[Do, str] = {
    "execute": "assistant_executes", "announce_made": "assistant_announces",
    "press": "assistant_records_and_presses", "seal": "assistant_adjourns",
}  # fmt: skip


@dataclass(frozen=True)
class Played:
    """A move of ``by``, on the board before it."""

    before: chess.Board
    move: chess.Move
    by: str


@dataclass(frozen=True)
class Step:
    """One thing for the person ``of`` to ``do``.

    ``whom``: the person for whom a ``wait`` waits; empty for any other step. ``why``: what that
    person does first. ``move``: the move that the step is about; a sealed move never is. ``board``:
    the side whose board is meant by ``execute``, ``repeat_and_execute`` and ``correct``.
    ``by_hand``: it is done on a board with sensors, so nothing can be pressed for it. ``owed``: the
    legal moves to which a touched piece, a released king or a wrong claim obliges (4.3 to 4.7,
    9.5.3); empty if any move will do. ``call``: why the arbiter is called. ``articles`` of the
    edition.
    """

    of: str
    do: Do
    whom: str = ""
    why: Do = "nothing"
    move: Played | None = None
    board: str = ""
    by_hand: bool = False
    owed: tuple[chess.Move, ...] = ()
    call: ArbiterNeeded | None = None
    articles: tuple[str, ...] = ()

    @property
    def is_active(self) -> bool:
        """True if this person has something to do."""
        return self.do not in ("wait", "nothing")


def due(game: State, person: str) -> Step:
    """Return the step of ``person`` now."""
    own = _active(game, person)
    if own is not None:
        return own
    if game.over:
        return Step(person, "nothing")
    others = (_active(game, other) for other in _in_order(game, person))
    acts = [step for step in others if step is not None]
    first = next((step for step in acts if step.do == "correct"), next(iter(acts), None))
    if first is None:
        return Step(person, "nothing")
    return replace(first, of=person, do="wait", whom=first.of, why=first.do)


def _in_order(game: State, person: str) -> Iterator[str]:
    """The people for whom ``person`` may wait: the player on move first."""
    sides = (game.side, OTHER[game.side])
    people = (*sides, "arbiter", *(f"assistant:{side}" for side in sides))
    if stands(game) and not _waits_for_assistant(game):  # the arbiter has the next step
        people = ("arbiter", *sides, *people[3:])
    yield from (one for one in people if one != person)


def stands(game: State) -> bool:
    """Return whether no move can be played now, though the game is not over."""
    return (
        game.adjourned
        or game.delivered
        or _blocks(game)
        or _is_unbegun(game)
        or bool(game.paused)
        or bool(game.clock and game.clock.running is None)
    )


def _is_unbegun(game: State) -> bool:
    """Return whether the clocks have still to be started; a game without a clock begins with its
    first move."""
    return bool(game.clock) and not game.started


def _is_directed(game: State) -> bool:
    """Return whether the clocks are not the players' to start: an arbiter presides, or a server
    keeps the time."""
    return game.presided or game.served


def _blocks(game: State) -> bool:
    """Return whether a ruling waits for an answer, and the game for the ruling."""
    return game.pending is not None and not game.pending.claimable


def _active(game: State, person: str) -> Step | None:
    """The step of ``person`` if it is more than waiting."""
    if person == "arbiter":
        return _of_arbiter(game)
    if person in OTHER:
        return _of_player(game, person)
    return _of_assistant(game, person, person.removeprefix("assistant:"))


def _step(game: State, person: str, do: Do, rule: str = "", **more: object) -> Step:
    """A step of ``person`` with the articles that it rests on."""
    by_assistant = ":" in person and game.impaired(person.removeprefix("assistant:"))
    name = rule or (by_assistant and _ASSISTANTS.get(do)) or _RULES.get(do, game.executing)
    known = game.edition.has(name)
    articles = game.edition.cite(name, game.regime) if known else ()
    return Step(person, do, articles=articles, **more)  # type: ignore[arg-type]


# --- everybody ------------------------------------------------------------------------------------


def _of_player(game: State, side: str) -> Step | None:
    """The step of a player."""
    if game.over:
        unsigned = game.edition.has("signatures") and game.signed.get(side) != game.result
        return _step(game, side, "sign") if unsigned else None  # 8.7
    if _blocks(game):
        assert game.pending is not None
        if side in game.pending.asked:
            return Step(side, "consent", articles=game.pending.ruling.articles)
        return None
    if enveloped(game):
        return _of_waiting_for_envelope(game, side)
    if _is_sealed_now(game) and game.side == side:
        return _sealing(game, side)
    if not game.owners_known:
        return _step(game, side, "identify", by_hand=True)
    board = game.board_of(side)
    if _is_wrong(game, board) and (side == board or game.side == side):
        rule = "boards_differ" if len(game.tables) == 2 else "displaced_found"
        return _step(game, side, "correct", rule, board=board, by_hand=True)
    return _standing(game, side) if stands(game) else _playing(game, side)


def _is_wrong(game: State, board: str) -> bool:
    """Return whether hands must bring ``board`` to a position: to one that is wanted, or to that of
    a game that has not begun yet or was interrupted."""
    table = game.tables[board]
    waits = _is_unbegun(game) or game.paused == "table"
    shows = table.placement == game.position_pieces()
    return table.wanted is not None or (waits and table.sensors and not shows)


def _of_waiting_for_envelope(game: State, side: str) -> Step | None:
    """The next move lies in an envelope (I.7, I.9). The player who must answer it comes, and opens
    it where nobody presides."""
    if side == game.side:
        return None
    if must_wait_for_the_other(game, "arbiter"):
        return _step(game, side, "open" if not game.presided else "arrive")
    return None if game.presided else _step(game, side, "open")


def _is_sealed_now(game: State) -> bool:
    """Return whether the move at hand is to be sealed, and nothing hinders it."""
    sealing = game.adjourning or game.sealed is not None
    return sealing and not _is_unbegun(game) and not game.paused


def _sealing(game: State, person: str) -> Step | None:
    """The step of the person who seals the move; a move that is made is the one to seal (I.1.1)."""
    made = game.turn.made
    if game.clock and (game.sealed is not None or made is not None):
        return _step(game, person, "press", "sealing") if _may_press(game, game.side) else None
    if made is not None:
        return _step(game, person, "seal", "sealing", move=_at_hand(game, made))
    return _step(game, person, "seal", "sealing", owed=_owed(game))


def _standing(game: State, side: str) -> Step | None:
    """The step of a player before the game begins, and while the clocks stand."""
    if _waits_for_assistant(game):
        needs = game.impaired(side) and needs_no_consent(game, side)
        return _step(game, side, "assist") if needs else None
    if _is_directed(game):
        return None
    return _step(game, side, "begin" if _is_unbegun(game) else "continue")


def _waits_for_assistant(game: State) -> bool:
    """Return whether the clocks stand because the compulsory assistant is missing (D.2.11)."""
    return must_wait(game) and (_is_unbegun(game) or game.paused == ASSISTANT)


def _playing(game: State, side: str) -> Step | None:
    """The step of a player in a game that goes on."""
    if _owes_press(game, side):
        return _step(game, side, "press", "completing_later")
    heard, first = _to_repeat(game, side), _to_execute(game, side, side)
    board = game.board_of(side)
    by_hand = game.tables[board].sensors
    if heard is not None:
        both = first is not None and first.move == heard.move and not by_hand
        return _step(
            game, side, "repeat_and_execute" if both else "repeat", move=heard, board=board
        )
    owed = _owed(game) if game.side == side else ()
    if first is not None and (not owed or first.by != side or first.move in owed):
        return _step(game, side, "execute", move=first, board=board, by_hand=by_hand)
    return _own_move(game, side) if game.side == side else None


def _owes_press(game: State, side: str) -> bool:
    """Return whether ``side`` must still press for a move that has been answered (6.2.2)."""
    waiting = game.unpressed()
    own = any(ply.side == side for ply in waiting)
    return own and (game.side != side or game.history[-1] in waiting)


def _own_move(game: State, side: str) -> Step | None:
    """The step of the player on move, on whose board nothing is outstanding."""
    turn = game.turn
    if turn.made is None:
        owed, done = _owed(game), turn.executed
        board = game.board_of(side)
        table = game.tables[board]
        adjusts = turn.adjusting and table.placement != game.shown_after(table.plies)
        wrong = bool(owed) and done is not None and done not in owed
        if table.sensors and (adjusts or wrong):  # without sensors nobody sees the hands
            return _step(game, side, "correct", "released", board=board, by_hand=True, owed=owed)
        felt = None if done is None or turn.announced or wrong else _at_hand(game, done)
        return _step(game, side, "announce", move=felt, owed=owed)
    made = _at_hand(game, turn.made)
    if _is_unannounced(game):
        return _step(game, side, "announce_made", "announcing", move=made)
    if not _may_press(game, side):
        return None
    rule = "clock_special" if game.impaired(side) else "completing"
    return _step(game, side, "press", rule, move=made)


def _may_press(game: State, side: str) -> bool:
    """Return whether the press of the player on move counts: the opponent's comes first, if that
    player has not pressed for the move before (6.2.2)."""
    waiting = game.unpressed()
    return not waiting or any(ply.side == side for ply in waiting)


def _at_hand(game: State, move: chess.Move) -> Played:
    """``move`` of the player on move."""
    return Played(game.board.copy(stack=False), move, game.side)


def _owed(game: State) -> tuple[chess.Move, ...]:
    owed = binding(game)
    return () if owed is None else owed.moves


def _is_unannounced(game: State) -> bool:
    """Return whether the move that is made must still be announced: somebody cannot see it."""
    other = game.turn.announced != game.turn.made  # a sighted player's hand counts (D.2.5, D.2.8)
    return other and any(game.impaired(side) for side in OTHER)


# --- moves to repeat and to execute ----------------------------------------------------------


def to_execute(game: State, board: str) -> Played | None:
    """The first move that must still be executed on ``board``; None if there is none."""
    for ply in game.outstanding(board):
        return Played(ply.before, ply.move, ply.side)
    turn = game.turn
    expected = turn.made or turn.announced
    if expected is None:
        return None
    shown = laid_over(game.pieces, change(game.board, expected))
    if game.tables[board].placement == shown:
        return None
    return _at_hand(game, expected)


def _to_execute(game: State, person: str, side: str) -> Played | None:
    """The move that ``person`` executes on the board of ``side``; None if that is another person's
    task or there is none."""
    if len(game.tables) == 1 and side != game.side:
        return None  # both see the one board, and the player on move has the hands on it
    if executor(game, side) != person:
        return None
    return to_execute(game, game.board_of(side))


def executor(game: State, side: str) -> str:
    """The person who executes moves on the board of ``side``: its player or, on a sighted player's
    board without sensors, the assistant (D.2.10.1, D.2.11)."""
    own, other = game.impaired(side), game.impaired(OTHER[side])
    if own or not other or game.tables[game.board_of(side)].sensors or len(game.tables) == 1:
        return side
    for helped in (OTHER[side], side):
        if game.assistants[helped]:
            return f"assistant:{helped}"
    return side


def _to_repeat(game: State, side: str) -> Played | None:
    if not to_be_repeated(game, side):
        return None
    if game.turn.announced is not None:
        return _at_hand(game, game.turn.announced)
    ply = game.history[-1]
    return Played(ply.before, ply.spoken, ply.side)


def to_be_repeated(game: State, side: str) -> bool:
    """Return whether ``side`` must still repeat the opponent's last announcement (D.2.1)."""
    impaired = any(game.impaired(one) for one in OTHER)
    # Nothing is said while a move is being sealed (I.1.1).
    silent = game.over or game.adjourning or game.adjourned
    if silent or side in game.repeated or not impaired:
        return False
    if game.side != side:
        announced, made = game.turn.announced, game.turn.made
        return announced is not None and made in (None, announced)  # else it is to be corrected
    answers = bool(game.history) and game.turn.announced is None
    return answers and not game.history[-1].illegal  # an illegal move was not announced


# --- assistants and the arbiter ---------------------------------------------------------------


def _of_assistant(game: State, person: str, of: str) -> Step | None:
    """The step of an assistant (D.2.10, D.2.11; 4.9 where nobody is impaired)."""
    if game.over or not game.assistants[of] or stands(game):
        return None
    rule = help_rule(game, of)
    if _is_sealed_now(game):
        own = game.side == of and rule != "assistant_of_sighted"
        return _sealing(game, person) if own else None
    if rule == "assistant_accepted":  # they act for their own player
        found = _playing(game, of)
        if found is None or found.do not in ("execute", "press") or found.by_hand:
            return None
        if found.do == "execute" and game.side != of:
            return None
        return _step(game, person, found.do, move=found.move, board=found.board)
    if rule == "assistant_of_sighted" and game.assistants[OTHER[of]]:
        return None
    for side in OTHER:
        first = _to_execute(game, person, side)
        if first is not None:
            return _step(game, person, "execute", move=first, board=game.board_of(side))
    turn = game.turn
    announces = turn.announced is None or may_correct(game, person)
    if announces and turn.made is not None and _is_unannounced(game):
        return _step(game, person, "announce_made", move=_at_hand(game, turn.made))
    if rule != "assistant":
        return None
    if _owes_press(game, of):
        return _step(game, person, "press")
    if game.side == of and turn.made is not None and _may_press(game, of):
        return _step(game, person, "press", move=_at_hand(game, turn.made))
    return None


def _of_arbiter(game: State) -> Step | None:
    """The step of the arbiter: what the game waits for first, then whatever else calls them."""
    if game.over:
        return _attending(game)
    pending = game.pending
    if pending is not None and _blocks(game):
        if pending.asked:
            return None
        return Step("arbiter", "decide", articles=pending.ruling.articles)
    if game.presided and enveloped(game):
        if must_wait_for_the_other(game, "arbiter"):
            return None
        return _step(game, "arbiter", "open")
    if game.clock.flags:
        return _step(game, "arbiter", "flag", "flag")
    if (attending := _attending(game)) is not None:
        return attending
    if not _is_directed(game) or _waits_for_assistant(game):
        return None
    if _is_unbegun(game):
        return _step(game, "arbiter", "begin")
    wrong = any(table.wanted is not None for table in game.tables.values())
    if stands(game) and not wrong and game.owners_known:
        return _step(game, "arbiter", "continue")
    return None


def _attending(game: State) -> Step | None:
    call = next(iter(game.unattended), None)
    return Step("arbiter", "attend", call=call, articles=call.articles) if call else None


def needs(game: State) -> tuple[str, ...]:
    """Return the elements of :data:`NEEDS` that hold now; none when the game is over."""
    if game.over:
        return ()
    now = {
        "decision": game.pending is not None,
        "arbiter": bool(game.calls),
        "flag": bool(game.clock.flags),
        "boards": any(table.wanted is not None for table in game.tables.values()),
    }
    return tuple(need for need in NEEDS if now[need])


def missing(game: State) -> tuple[str, ...]:
    """Return the sides that nothing shows to have come to a game that goes on or has not begun."""
    return () if game.over else tuple(side for side in f.SIDES if not has_come(game, side))


def unsigned(game: State) -> tuple[str, ...]:
    """Return the sides that have not signed a result which players sign (8.7). Nobody is asked to
    sign a game that was forfeited."""
    if not game.over or game.forfeited:
        return ()
    return tuple(side for side in f.SIDES if due(game, side).do == "sign")


# --- doing it ---------------------------------------------------------------------------------


def deeds(game: State, step: Step) -> tuple[Fact, ...]:
    """The facts, with any time, that do ``step`` at one press; none if its person has to choose, to
    write, to use their hands or to wait."""
    by = step.of
    uci = step.move.move.uci() if step.move is not None else ""
    if step.by_hand:
        return ()
    match step.do:
        case "begin":
            return (f.Start(by=by),)
        case "continue":
            return (f.Arbiter(do="start_clocks", player=by if by in OTHER else None),)
        case "arrive":
            called = game.clock.running == by
            return (f.CallArbiter(by=by) if called else f.Arrive(by=by),)
        case "open":
            return (f.OpenEnvelope(by=by),)
        case "repeat":
            return (f.Repeat(by=by, move=uci),)
        case "repeat_and_execute":
            return (f.Repeat(by=by, move=uci), f.Make(by=by, move=uci))
        case "execute":
            return (f.Make(by=by, move=uci),)
        case "announce_made":
            return (f.Announce(by=by, move=uci),)
        case "press":
            return (f.Press(by=by),)
        case "sign":
            assert game.result is not None
            return (f.Sign(by=by, result=game.result),)
        case "seal" if uci:
            return (f.Seal(by=by, text=uci),)
        case "assist":
            return (f.Assistant(by=by, of=by),)
        case "attend":
            return (f.Arbiter(do="attend"),)
    return ()


def goal(game: State, board: str) -> Pieces:
    """The placement to which a ``correct`` step brings ``board``."""
    wanted = game.tables[board].wanted
    return wanted if wanted is not None else game.position_pieces()
