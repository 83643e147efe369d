"""Turns the requests of pages into facts: by the role that the server knows, and only while the
game is as the page showed it. The consequences of an arbiter's action are told before it is done.
"""

import dataclasses
import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

import chess

from blindplay.language import PLAYS_AGAIN, QUESTIONS, About, Command, Kind, load
from blindplay.language.scoresheets import reading
from blindplay.laws import Fact, Game, Origin, Ruling, Taken, permissions
from blindplay.laws import facts as f
from blindplay.laws.due import deeds, due
from blindplay.laws.facts import Tick
from blindplay.laws.game import Turn
from blindplay.laws.reasons import MoveReason
from blindplay.laws.rulings import Answer, ClockReading, Completed, NotMade, Refused
from blindplay.laws.sheets import before_last_of
from blindplay.record.score import ply_at
from blindplay.translation import translated
from blindplay.wording.announcements import (
    Announcement,
    announcements,
    goes_to_earphone,
    to_everybody,
)
from blindplay.wording.pack_words import answer_in_words
from blindplay.wording.position import hint_in_words, look, time_in_words
from blindplay.wording.readers import reader
from blindplay.wording.steps import is_not_now, step_in_words

from .messages import catalogue
from .table_port import TablePort, held


@dataclass(frozen=True)
class Consequences:
    """The game as it would be, the rulings that lead there, and a ``digest`` of both.

    The digest tells whether an action still does what a page has shown. Clocks that run, and moves
    that the action does not concern, leave it as it is.
    """

    game: Game
    rulings: tuple[Ruling, ...]
    digest: str


def at_time(game: Game, t: int) -> Game:
    """A copy of the game as it stands at ``t`` ms of the table's time. The game itself has the time
    of its last fact, which may be long ago while no clock runs."""
    return game.foretell(Tick(t=t))[0]


def consequences(game: Game, fact: Fact) -> Consequences:
    """The consequences of ``fact`` in a ``game`` as it stands at its time; see :func:`at_time`. The
    game stays as it is."""
    after, rulings = game.foretell(fact)
    # Readings of the clocks change with each second; only what the action does to them counts.
    told = [(one.kind, one.fields) for one in rulings if not isinstance(one, ClockReading)]
    same = after.over or after.clock.running == game.clock.running
    clocks = () if same else (after.clock.running,)
    done = (told, _moves_changed(game, after), clocks, after.result)
    digest = hashlib.sha256(repr(done).encode()).hexdigest()[:16]
    return Consequences(after, tuple(rulings), digest)


def _moves_changed(game: Game, after: Game) -> tuple[list[str], list[str]]:
    """The moves that would no longer stand, and those that would stand then."""
    before, then = ([ply.move.uci() for ply in one.history] for one in (game, after))
    pairs = enumerate(zip(before, then, strict=False))
    kept = next((at for at, (old, new) in pairs if old != new), min(len(before), len(then)))
    return before[kept:], then[kept:]


Form = Mapping[str, Sequence[str]]

# The server knows these fields; no page can set them.
_SERVERS = frozenset(("t", "by", "seen_by", "who", "request"))
# These refer to the moves that the page showed, and ``make`` also to the boards. The other facts
# are true in any later state: an entry on a scoresheet names its move.
_OF_MOVES = frozenset(("announce", "consent", "correct", "make", "press", "seal"))
_PROMOTIONS = frozenset("qrbn")
_OF_ONE_CLOCK = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT)
_ABOUT: Mapping[Command, str] = {
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
}
_UCI = re.compile("[a-h][1-8][a-h][1-8][qrbn]?")
# The facts of each way to handle a move.
_STEPS = {
    "both": ("announce", "make"),
    "announce": ("announce",),
    "make": ("make",),
    "correct": ("correct",),
}
# The steps that are due by which a player's own move is made and announced.
_MOVING = frozenset(("announce_made", "execute"))
_OF_SQUARES = frozenset(
    (
        Command.SQUARE, Command.ATTACKERS, Command.RANK, Command.FILE, Command.DIAGONALS,
        Command.LEGAL_MOVES,
    )
)  # fmt: skip
# The field with wrong content that a refusal is about, by the kind of action.
_FIELDS: Mapping[str, str] = {
    "move": "text", "ask": "text", "claim_draw": "text", "seal": "text",
    "touch": "square", "record": "ply",
}  # fmt: skip
_WRONG = frozenset((*get_args(MoveReason), "empty_square", "no_such_ply"))
_NOT_OF_A_FIELD = frozenset(("stale", "press_held", "no_such_action", "decided_elsewhere"))
# The questions that a page can ask. The Laws forbid those about the position.
_ASKED = frozenset(
    (
        Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH,
        Command.MOVES, Command.LAST_MOVE, Command.HINT, *QUESTIONS,
    )
)  # fmt: skip


@dataclass(frozen=True)
class ActionResult:
    """The result of an action: sentences for the page that acted, and whether it was refused."""

    sentences: tuple[str, ...] = ()
    refused: bool = False
    seen: str = field(default="", compare=False)
    """The stamp of the game after the action, if the page had shown the game before it."""
    ends_with_due: bool = field(default=False, compare=False)
    """True if the last sentence is the step that is due, which holds only while it is."""
    told: bool = field(default=False, compare=False)
    """True if everybody hears of the action, so that its page need not confirm it."""
    field: str = field(default="", compare=False)
    """The name of the field whose content was refused."""


class NoActionError(ValueError):
    """A page asked for no action; the argument is a key of the catalogue or a sentence. ``field``:
    the name of the form's field that is wrong, if the kind of action does not tell it."""

    def __init__(self, why: str, field: str = "") -> None:
        super().__init__(why)
        self.field = field


def stamp(game: Game) -> str:
    """A digest of the game's state. It changes when something is announced or completed. Of two
    pages that act on the same position, and so send the same stamp, the second is late. The part
    after the point stands for the pieces on the boards without sensors. Hands on the others make
    no page late: each request of a page comes after their work.
    """
    turn = game.turn
    shown = [sorted(table.placement.items()) for table in game.tables.values() if not table.sensors]
    moves = (turn.announced, turn.attempted)
    # A page also shows a decision that is pending.
    pending = game.pending and (game.pending.ruling.t, game.pending.ruling.kind)
    state = (len(game.history), len(game.unpressed()), game.board.fen(), moves, pending)
    return ".".join(hashlib.sha256(repr(one).encode()).hexdigest()[:16] for one in (state, shown))


def _is_late(now: str, seen: str, kind: str) -> bool:
    """Return whether ``kind`` refers to an earlier position. Boards matter only to ``make``."""
    if kind != "make":
        seen, now = seen.partition(".")[0], now.partition(".")[0]
    return kind in _OF_MOVES and seen != now


@dataclass
class AskedAction:
    """An action that a browser has asked for: the stamp of the game that its page showed, and, when
    it is done, the stamp after it; empty if another page had acted before."""

    seen: str
    done: bool = False
    after: str = ""


def act_after_hands(
    table: TablePort,
    role: str,
    language: str,
    form: Form,
    answer: Callable[[ActionResult], object],
    before: AskedAction | None = None,
) -> AskedAction:
    """Do the same as :func:`act` after the work of hands on the boards, perhaps later and in
    another thread, and call ``answer`` with the result. A press may wait for a board that cannot be
    read. Then ``answer`` is called twice: first with that reason, later with the result.

    A form that makes a move may have ``draw``: then a draw is offered with it. It may have
    ``press``: then the clock is pressed if nothing else is due. Each is a step of its own, in
    the order of the Laws (9.1.2.1).

    ``before``: the last action that the same browser asked for. Until it is done, its page cannot
    show its effect, so that effect does not make the browser late.
    """
    words, kind = catalogue(language), value_of(form, "act")
    asked = AskedAction(value_of(form, "seen"))
    follows = before if before is not None and not before.done else None
    trouble = ActionResult((words["trouble"],), refused=True)
    done, in_time = trouble, False

    def do() -> None:
        nonlocal done, in_time
        seen, presses = asked.seen, False
        if follows is not None and not _is_late(follows.seen, seen, "press"):
            seen = follows.after or seen
        in_time = not _is_late(stamp(table.game), seen, "press")
        try:
            done = act(table, role, language, {**form, "seen": [seen]})
            with_move = kind == "move" or (value_of(form, "step") in _MOVING and has_moved())
            if with_move and value_of(form, "draw") and not done.refused:
                done = _followed(done, offer())
            wants = kind in ("move", "due") and value_of(form, "press") and not done.refused
            presses = bool(wants) and due(table.game, role).do == "press"
        finally:
            if not presses:
                finish()
        if presses:
            now = stamp(table.game)
            table.after_hands(lambda: press(now), presser=role, unread=unread)

    def has_moved() -> bool:
        return table.game.side == role and table.game.turn.made is not None

    def offer() -> ActionResult:
        """Offer a draw with the move, or say why that is not done yet."""
        if not has_moved():
            return ActionResult((words["offer_draw_sure"],))
        return act(table, role, language, {"act": ["offer_draw"]})

    def press(seen: str) -> None:
        nonlocal done
        made, done = done, trouble
        try:
            pressed = {"act": ["press"], "seen": [seen]}
            done = _followed(made, act(table, role, language, pressed))
        finally:
            finish()

    def finish() -> None:
        asked.done, asked.after = True, stamp(table.game) if in_time else ""
        answer(done)

    def unread(sides: Sequence[str]) -> None:
        pack = load(language)
        boards = [pack.sentence("board_unread", player=pack.sentence(side)) for side in sides]
        if not table.game.owners_known:
            boards = [pack.sentence("owners_asked")]
        answer(ActionResult((*boards, words["press_waits"])))

    presser = role if kind == "press" else None
    table.after_hands(do, presser=presser, unread=unread)
    return asked


def _followed(first: ActionResult, second: ActionResult) -> ActionResult:
    """The result of two actions, one after the other."""
    sentences = (*first.sentences, *second.sentences)
    told = first.told or second.told
    return dataclasses.replace(second, sentences=sentences, told=told)


def act(table: TablePort, role: str, language: str, form: Form) -> ActionResult:
    """Do now what a page of ``role`` asks for. In ``form``, ``act`` is a kind of fact, and the
    other names are its fields; or ``act`` is ``due`` with the ``step`` that the page showed as due
    and the ``move`` that it was about; or ``move`` with ``text`` and ``how``; or ``again`` with
    what a player ``wants`` after the game, nothing for no other game; or ``ask`` with a question in
    words as ``text``, or a command of the languages as ``about`` with a ``square`` or a ``piece``.

    The answer is always a sentence. If it is refused because it is not the time for it, the step
    that is due follows. No request of a page raises an error.
    """
    words, kind = catalogue(language), value_of(form, "act")
    try:
        result = _done(table, role, language, form)
    except NoActionError as error:
        why = str(error)
        field = "" if why in _NOT_OF_A_FIELD else error.field or _FIELDS.get(kind, "")
        result = ActionResult((words.get(why, why),), refused=True, field=field)
        if why != "stale":
            return result
    except f.FactError as error:
        said = words["no_fact"].format(why=translated(str(error), language))
        return ActionResult((said,), refused=True, field=_FIELDS.get(kind, ""))
    if not result.refused or result.field:
        return result
    with held(table) as game:
        step = due(game, role)
        sentence = step_in_words(load(language), game, step)
    if any(sentence in said for said in result.sentences):
        return result
    sentences = (*result.sentences, sentence)
    return dataclasses.replace(result, sentences=sentences, ends_with_due=True)


def _done(table: TablePort, role: str, language: str, form: Form) -> ActionResult:
    """Do what a page asks for, and return the answer without the step that is due.

    :raises NoActionError: if the page asks for no action.
    :raises FactError: if a field has no value of the contract.
    """
    kind, seen = value_of(form, "act"), value_of(form, "seen")
    with held(table) as game:
        if kind == "ask":
            return _ask(table, game, role, language, form)
        if kind == "again":
            return _again(table, game, role, language, form)
        if kind == "take_back":
            return _take_back(table, game, role, language, seen)
        now = stamp(game)
        if kind == "due":  # a person may always do that, even if it is the arbiter's task
            facts = _due_facts(game, role, form)
        else:
            steps = _steps(game, language, kind, form)
            if any(_is_late(now, seen, step) for step, _ in steps):
                raise NoActionError("stale")
            refusals = (permissions.refusal(game, role, step) for step, _ in steps)
            refusal = next(filter(None, refusals), None)
            if refusal is not None:
                return _answer(game, role, language, [refusal])
            facts = [_fact(step, role, fields) for step, fields in steps]
        if _does_something_else(game, table.time(), role, kind, form):
            raise NoActionError("changed")
        withheld = _withheld(game, role, kind)
        if withheld is not None:
            key, rule = withheld
            cited = ", ".join(game.edition.cite(rule, game.regime))
            return ActionResult((f"{catalogue(language)[key]} ({cited})",), refused=True)
        if kind == "press" and table.holds_press(role):
            raise NoActionError("press_held")
        done = _submitted(table, role, facts)
        rulings = [ruling for taken in done for ruling in taken.rulings]
        wrong = any(isinstance(one, Refused) and one.why in _WRONG for one in rulings)
        return dataclasses.replace(
            _answer(game, role, language, rulings),
            seen=stamp(game) if seen == now else "",
            told=any(isinstance(one, Completed) for one in rulings)
            or any(to_everybody(taken, game, load(language)) for taken in done),
            field=_FIELDS.get(kind, "") if wrong else "",
        )


def _due_facts(game: Game, role: str, form: Form) -> list[Fact]:
    """The facts that do the step which is due from ``role``; with ``only`` in the form, those of
    that kind. Other events since the page was shown do not matter while the same step is due.

    :raises NoActionError: if another step is due by now.
    """
    step = due(game, role)
    move = "" if step.move is None else step.move.move.uci()
    facts = deeds(game, step)
    if not facts or (step.do, move) != (value_of(form, "step"), value_of(form, "move")):
        raise NoActionError("stale")
    only = value_of(form, "only")
    return [fact for fact in facts if only in ("", fact.kind)]


def _steps(
    game: Game, language: str, kind: str, form: Form
) -> Sequence[tuple[str, Mapping[str, Any]]]:
    """The kinds and the fields of the facts that a form asks for."""
    if kind == "move":
        return _moves(game, language, form)
    if kind == "claim_draw":
        return [(kind, _claim(game, language, form))]
    side = value_of(form, "side")
    if kind == "record" and side in f.SIDES:  # then ``ply`` is the number of a move
        number = _number(value_of(form, "ply"))
        return [(kind, _fields(kind, {**form, "ply": [str(ply_at(game, number, side))]}))]
    return [(kind, _fields(kind, form))]


def _does_something_else(game: Game, t: int, role: str, kind: str, form: Form) -> bool:
    """Return whether a decision of the arbiter at ``t`` ms has other effects than its preview."""
    shown = value_of(form, "preview")
    if not shown or role != "arbiter":
        return False
    return shown != consequences(at_time(game, t), fact_of(kind, role, form, t)).digest


def _withheld(game: Game, role: str, kind: str) -> tuple[str, str] | None:
    """The key of the sentence, and the rule, for something that a role may do but hardly meant. It
    is not brought before the Laws. None for everything else: there the Laws themselves answer."""
    if kind not in permissions.rights(game, role):
        return None
    if kind == "seal" and not (game.adjourning or game.adjourned):
        return "seal_unasked", "sealing"
    if kind == "press" and _slipped(game, role):
        return "press_unbegun", "press_without_move"
    return None


def _slipped(game: Game, role: str) -> bool:
    """Return whether a press would come without a move (7.5.3): a finger may slip on a page."""
    stopped = game.paused or game.adjourning or game.sealed is not None or not game.started
    if game.side != role.removeprefix("assistant:") or game.unpressed() or stopped:
        return False
    return game.turn == Turn() and game.displacing is None


def come_in(table: TablePort, role: str) -> None:
    """Record the effects of opening the link of ``role``. An arbiter presides: from now on
    decisions wait for the arbiter. The person who opens an assistant's link becomes that player's
    assistant, since the table's owner has issued it, unless the player is known to have none.
    """
    kind, _, side = role.rpartition(":")
    with held(table) as game:
        if game.over:
            return
        if role == "arbiter" and not game.presided:
            table.submit(f.Arbiter(do="preside"), _origin(role))
        elif kind == "assistant" and game.assistants[side] is None:
            table.submit(f.Assistant(by="table", of=side), _origin(role))


def _origin(role: str) -> Origin:
    """Return the origin of a page's facts. The page itself tells its reader, and only them, why an
    action was refused. The arbiter has no earphone, so the page also answers their questions."""
    answers = (Answer,) if role == "arbiter" else ()
    return Origin(f"page of {role}", (Refused, NotMade, *answers))


def _submitted(table: TablePort, role: str, facts: Sequence[Fact]) -> list[Taken]:
    """Submit these facts of ``role`` up to the first that is refused."""
    found: list[Taken] = []
    for fact in facts:
        found.append(_taken(table, dataclasses.replace(fact, t=table.time()), _origin(role)))
        if any(isinstance(ruling, Refused) for ruling in found[-1].rulings):
            break
    return found


def _taken(table: TablePort, fact: f.Fact, origin: Origin) -> Taken:
    """Submit ``fact`` and return it as it was taken.

    :raises NoActionError: if it was not: Lichess or a distant table decides about it.
    """
    before = len(table.log)
    table.submit(fact, origin)
    for taken in table.log[before:]:  # another table's facts may have come first
        if taken.origin is origin:
            return taken
    raise NoActionError("decided_elsewhere")


def _fact(kind: str, role: str, fields: Mapping[str, Any], t: int = 0) -> f.Fact:
    given = {**fields, "by": role}  # a page cannot say who acts
    return f.parse({"t": t / 1000, "fact": kind, **given})


def fact_of(kind: str, role: str, form: Form, t: int) -> f.Fact:
    """The fact that a form of ``role`` stands for, at ``t`` ms of the table's time.

    :raises NoActionError: if the form stands for none.
    :raises FactError: if a field has no value of the contract.
    """
    return _fact(kind, role, _fields(kind, form), t)


def _answer(game: Game, role: str, language: str, rulings: Sequence[Ruling]) -> ActionResult:
    """Return the sentences for the page that acted. Every page shows public sentences anyway."""
    sentences = []
    # An assistant's act for the player concerns the assistant, too.
    concerned = {role, role.removeprefix("assistant:")}
    for ruling in rulings:
        if isinstance(ruling, Refused | NotMade):
            said = " ".join(one.words for one in _told(game, ruling, language))
            if is_not_now(ruling):  # the step says that and more
                step = step_in_words(load(language), game, due(game, role))
                said = f"{catalogue(language)['not_done']} {step}"
            if isinstance(ruling, Refused) or ruling.by in concerned:
                sentences.append(f"{said} ({', '.join(ruling.articles)})")
        elif isinstance(ruling, Answer):
            sentences.append(_answered(game, ruling, language))
        elif getattr(ruling, "again", False):
            sentences.append(catalogue(language)[f"again_{ruling.kind}"])
        elif getattr(ruling, "by", None) in concerned:
            told = _told(game, ruling, language)
            if all(one.to is not None and goes_to_earphone(game, one.to) for one in told):
                sentences += [one.words for one in told]
    refused = any(isinstance(ruling, Refused | NotMade) for ruling in rulings)
    return ActionResult(tuple(filter(None, sentences)), refused)


def _answered(game: Game, answer: Answer, language: str) -> str:
    """The words of an answer in the page's language; the table has spoken the player's."""
    return answer_in_words(answer, reader(load(language), game))


def _ask(table: TablePort, game: Game, role: str, language: str, form: Form) -> ActionResult:
    """Answer a question on this page only. That it was asked is recorded."""
    command, about = _question(game, language, form)
    refusal = permissions.refusal(game, role, "query")
    if refusal is not None:
        return _answer(game, role, language, [refusal])
    kind = "time" if command in _OF_ONE_CLOCK else _ABOUT.get(command, "position")
    origin = Origin(f"page of {role}", (Answer, Refused))
    taken = _taken(table, f.Query(by=role, about=kind), origin)
    (ruling,) = (one for one in taken.rulings if isinstance(one, Answer | Refused))
    pack = load(language)
    if command is Command.HINT and role in f.SIDES:
        words = hint_in_words(pack, game, role, table.hint(), given=table.allows(Command.HINT))
        return ActionResult((words,))
    if command in QUESTIONS and table.allows(command) and role in f.SIDES and not game.over:
        return ActionResult((look(pack, game, role, command, about),))
    if isinstance(ruling, Refused):
        return _answer(game, role, language, [ruling])
    if command in _OF_ONE_CLOCK and role != "arbiter":  # the arbiter has no clock and hears both
        return ActionResult((time_in_words(pack, ruling, command),))
    return ActionResult((_answered(game, ruling, language),))


def _again(table: TablePort, game: Game, role: str, language: str, form: Form) -> ActionResult:
    """Want another game after this one, agree to one, or want none."""
    wants = value_of(form, "wants")
    commands = {one.value: one for one in PLAYS_AGAIN}
    if role not in f.SIDES or not table.another_game.may or wants not in (*commands, ""):
        raise NoActionError("no_such_action")
    if wants and not table.absent and any(due(game, side).do == "sign" for side in f.SIDES):
        return ActionResult((catalogue(language)["again_sign"],), refused=True)
    before = dict(table.another_game.wanted)
    table.another_game.want(role, commands.get(wants))
    return ActionResult(told=table.another_game.wanted != before)


def _take_back(table: TablePort, game: Game, role: str, language: str, seen: str) -> ActionResult:
    """Take back the player's own last move, with the answer: in training without an arbiter or, on
    a server, if the opponent agrees."""
    pack = load(language)
    if not table.allows(Command.TAKE_BACK) or role not in f.SIDES:
        key = "arbiter_only_page" if game.presided else "take_back_stands"
        return ActionResult((pack.sentence(key),), refused=True)
    if _is_late(stamp(game), seen, "press"):
        raise NoActionError("stale")
    own = 0 if game.served and game.history else before_last_of(game, role)
    if own is None or game.over:
        return ActionResult((pack.sentence("nothing_to_take_back"),), refused=True)
    taken = _taken(table, f.Arbiter(do="restore", ply=own), _origin(role))
    answer = _answer(game, role, language, taken.rulings)
    return dataclasses.replace(answer, seen=stamp(game), told=True)


def _question(game: Game, language: str, form: Form) -> tuple[Command, About]:
    """The question and its object."""
    if text := value_of(form, "text"):
        for code in dict.fromkeys((language, game.announcing_language())):
            meant = load(code).understand(text, game.board)
            if meant.command in _ASKED:
                return meant.command, meant.about or About()
        raise NoActionError("no_question")
    try:
        command = Command(value_of(form, "about"))
        square = value_of(form, "square")
        at = chess.parse_square(square) if square else None
        piece = value_of(form, "piece")
        kind = chess.PIECE_NAMES.index(piece) if piece else None
    except ValueError:
        raise NoActionError("no_question") from None
    if command not in _ASKED:
        raise NoActionError("no_question")
    if command is Command.PIECES:
        return command, About(piece=kind)
    if command in _OF_SQUARES:
        if at is None:
            raise NoActionError("no_question")
        whole = {
            Command.RANK: chess.BB_RANKS[chess.square_rank(at)],
            Command.FILE: chess.BB_FILES[chess.square_file(at)],
        }.get(command, chess.BB_SQUARES[at])
        return command, About(squares=tuple(chess.SquareSet(whole)))
    return command, About()


def _told(game: Game, ruling: Ruling, language: str) -> Sequence[Announcement]:
    """Return the announcements of a ruling, in the page's language."""
    return announcements(Taken(f.Tick(), (ruling,)), game, load(language))


def value_of(form: Form, name: str) -> str:
    """The first value of a field; empty if there is none."""
    values = form.get(name, ())
    return values[0].strip() if values else ""


def _fields(kind: str, form: Form) -> dict[str, Any]:
    """The fields of a fact, in the form of its contract, from a page's texts."""
    if kind not in f.KINDS:
        raise NoActionError("no_such_action")
    known = {item.name for item in dataclasses.fields(f.KINDS[kind])} - _SERVERS
    # Pages and the contract call the kind of a penalty "kind"; the fact's field is ``penalty``.
    names = {name: "kind" if name == "penalty" else name for name in known}
    fields: dict[str, Any] = {}
    for name, contract in names.items():
        text = value_of(form, contract)
        if name == "fulfils":  # a form without a tick does not send this field
            fields[contract] = list(filter(None, form.get(contract, ())))
        elif not text:
            continue
        elif name in ("present", "missing", "given", "declined"):
            fields[contract] = text == "yes"
        elif name == "ply" or (name in f.SIDES and kind == "arbiter"):
            fields[contract] = _number(text)
        else:
            fields[contract] = text
    return fields


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise NoActionError("no_number")
    return int(text)


def _moves(game: Game, language: str, form: Form) -> list[tuple[str, dict[str, Any]]]:
    """The facts of a move that is to be announced, executed, or both; announced only once."""
    how, text = value_of(form, "how") or "both", value_of(form, "text")
    if how not in _STEPS:
        raise NoActionError("no_such_action")
    if how == "make" and value_of(form, "anyway") and _UCI.fullmatch(text):
        # A hand can put a piece anywhere; the Laws decide what follows (7.5).
        return [("make", {"move": text})]
    first = game.board.copy(stack=False)
    completed = [ply.before for board in game.tables for ply in game.outstanding(board)]
    boards = [*completed, first] if how == "make" else [first, *completed]
    if how == "make" and game.turn.made is not None:
        boards.append(game.position)
    move = read_move(game, language, text, boards, value_of(form, "promotion"))
    steps = _STEPS[how]
    if how == "both" and game.turn.announced == move:
        steps = ("make",)
    return [(step, {"move": move.uci()}) for step in steps]


def _claim(game: Game, language: str, form: Form) -> dict[str, Any]:
    """The fields of a claim; the move that will make it a draw may be typed (9.2.1)."""
    fields, text = _fields("claim_draw", form), value_of(form, "text")
    if text:
        boards = [game.board.copy(stack=False), game.position]
        fields["move"] = read_move(game, language, text, boards).uci()
    return fields


def read_move(
    game: Game, language: str, text: str, boards: Sequence[chess.Board], promotion: str = ""
) -> chess.Move:
    """The move that was typed in notation or in words of the page, of the table or of any country,
    on the first of ``boards`` on which it is a move.

    :raises NoActionError: if it is not a move, is ambiguous, or lacks the piece of a promotion.
    """
    for board in boards:
        found = _read(game, board, language, text, promotion)
        if found is not None:
            return found
    missing = any(m.promotion and m.uci()[:4] == text for b in boards for m in b.legal_moves)
    raise NoActionError(
        "promotion_missing" if missing else _why_no_move(game, language, text, boards)
    )


def _why_no_move(game: Game, language: str, text: str, boards: Sequence[chess.Board]) -> str:
    """Return the first board's reason why that is not a move, in the table's words, or a key."""
    pack, is_move = reader(load(language), game), bool(_UCI.fullmatch(text))
    for board in boards:
        meant = pack.understand(text, board)
        is_move |= meant.kind is Kind.ILLEGAL
        if meant.kind is Kind.AMBIGUOUS:
            moves = [pack.announce(board, move) for move in meant.moves]
            return pack.sentence("ambiguous", candidates=pack.either(moves))
        reason = f"illegal_{meant.why.value}" if meant.why else ""
        if reason in pack.sentences():
            return f"{catalogue(language)['no_move']} {pack.sentence(reason)}"
    return "no_move" if is_move else "not_understood"


def _read(
    game: Game, board: chess.Board, language: str, text: str, promotion: str
) -> chess.Move | None:
    if promotion in _PROMOTIONS and len(text) == 4:
        text = next((m.uci() for m in board.legal_moves if m.uci() == text + promotion), text)
    for code in dict.fromkeys((language, game.announcing_language())):
        understood = load(code).understand(text, board)
        if understood.kind is Kind.MOVE:
            return understood.moves[0]
    found = reading.read(text, board, reading.letters_of((text,), language))
    # A letter that may be a piece's elsewhere moves no pawn.
    return None if reading.Remark.PAWN_LETTER in found.remarks else found.move
