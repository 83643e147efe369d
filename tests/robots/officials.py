"""Robots for the people who do not play: an assistant (D.2.10, D.2.11) and an arbiter.

They know their pages, and their guides: what they may do besides what their page says is due. Each
has an agenda of such things, and does them while a player thinks about a move.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

import chess

from blindplay.console.messages import catalogue
from blindplay.laws import editions
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.laws.rulings import NotMade, Refused
from blindplay.laws.state import OTHER
from blindplay.wording.values import Pairing

from .channels import Game
from .judge import CONTROLS, LANGUAGES, Judge, Stuck, Told
from .mind import ARBITER, Due
from .pages import PageRobot, Pages, Thing
from .robot import Act, Person, Robot

TOUCHED = "touched"
"""Stands for the square of a piece that the player on move may have touched."""
_BACK = Act("look", "back")


@dataclass(frozen=True)
class _Case:
    """The players who do not see, and whether the other one does not hear."""

    impaired: Sequence[str]
    is_deaf: bool = False


_CASES = (
    *(_Case((side,)) for side in SIDES), _Case(SIDES), _Case(("white",), is_deaf=True), _Case(()),
)  # fmt: skip
_TASKS = 5  # that each person has in mind
_SEEN_BY_SENSORS = frozenset(("wrong_start", "reversed_colours", "board_turned", "displaced"))
_REPORTED = [
    what for what in f.IRREGULARITIES if what != "illegal_move"
]  # nobody here plays one so
_NAMED = ("do", "penalty", "what", "about")  # the field that says what a fact is


@dataclass(frozen=True)
class Task:
    """Something that an agenda has: the button whose form sends ``form``, and what is ``filled``
    in. ``when`` it may be done: while a player thinks ("play"), or while the game is adjourned
    ("adjourned")."""

    form: Mapping[str, str]
    filled: Mapping[str, str] = field(default_factory=dict)
    when: str = "play"

    @property
    def ends_game(self) -> bool:
        """Return whether the game is over after it."""
        return self.form.get("do") == "declare" or self.filled.get("kind") == "loss"

    def fits(self, thing: Thing) -> bool:
        """Return whether ``thing`` is the button of this task."""
        return thing.is_button and all(thing.form.get(k) == v for k, v in self.form.items())


def _arbiter(do: str, **filled: str) -> Task:
    return Task({"act": "arbiter", "do": do}, filled)


ARBITERS: Sequence[Task] = (
    _arbiter("stop_clocks"),
    _arbiter("set_clock", white="4:00"),
    _arbiter("set_clock", white="3:00", black="3:00"),
    *(Task({"act": "arbiter", "do": "penalty"}, {"player": side, "kind": kind, **more})
      for side, kind, more in (
          ("white", "warning", {}), ("black", "time", {"given": "2:00"}),
          ("white", "time", {"taken": "10"}), ("black", "loss", {}),
          ("white", "loss", {"result": "0-0"}),
      )),
    _arbiter("restore", number="1", after="white"),
    _arbiter("restore", after="start"),
    _arbiter("declare", result="1/2-1/2"),
    _arbiter("adjourn"),
    _arbiter("adjourn"),
    _arbiter("withdraw"),
    _arbiter("permit_warnings"),
    _arbiter("announce_in", language="same"),
    Task({"act": "assistant", "of": "white", "present": "yes"}),
    Task({"act": "assistant", "of": "black", "present": "no"}),
    Task({"act": "inspect"}, {"fulfils": "pegs"}),
    Task({"act": "touch"}, {"square": TOUCHED}),
    Task({"act": "open_envelope"}, {"missing": "yes"}, "adjourned"),
    *(Task({"act": "irregular"}, {"what": what}) for what in _REPORTED),
)  # fmt: skip
"""The decisions and reports of an arbiter besides what the page says is due."""
ASSISTANTS: Sequence[Task] = (
    *(Task({"act": "query", "about": about}) for about in ("time", "moves", "last_move")),
    Task({"act": "record"}, {"text": "last"}),
    Task({"act": "touch"}, {"square": TOUCHED}),
    Task({"act": "call_arbiter"}),
    Task({"act": "move", "how": "make"}, {"text": "illegal", "anyway": "yes"}),
    Task({"act": "irregular"}, {"what": "phone"}),
    Task({"act": "irregular"}, {"what": "disturbance"}),
)  # fmt: skip
"""The duties of an assistant besides what the page says is due."""


class Official(PageRobot):
    """One of these people. ``agenda``: what they have in mind besides what is due."""

    agenda: list[Task]
    sighted: Sequence[str]
    """The players who see."""
    has_sensors = False
    """True if a board feels its pieces, so that it is known how it stands."""

    @property
    def _plays(self) -> bool:
        """Return whether a player thinks about a move now."""
        base, mind = self.mind.base, self.mind
        waits = base is not None and base.who in SIDES and base.what == "announce"
        return waits and mind.halted is None and not mind.consents and not mind.over

    def _buttons_of(self, task: Task) -> Iterator[Thing]:
        yield from (one for one in self._things if task.fits(one))

    def _fill(self, thing: Thing, filled: Mapping[str, str] = MappingProxyType({})) -> Act:
        """Use a button with ``filled`` in, other lists at what stands first, fields as they are."""
        chosen = {name: values[0] for name, values in thing.choices.items()}
        form = {**thing.form, **chosen, **thing.given, **filled}
        form = {name: text for name, text in form.items() if text}
        words = f"{thing.step} {thing.name}".strip()
        return Act("look" if thing.looks else "button", words, form=form)

    def _do(self, due: Due) -> Act | None:
        """See :meth:`.Robot._do`: press the filled button of the page."""
        if due.what in ("come back", "hands"):
            return super()._do(due)
        if due.what == "quit":
            self.attempts = 0
            return None
        if (sure := self._sure()) is not None:
            return sure
        main = next((one for one in self._things if one.is_button and one.is_main), None)
        if main is None:
            return self._do_plain(due)
        if "text" not in main.fields:
            return self._fill(main)
        move = self.mind.announced or self._chosen()
        return self._fill(main, {"text": self._pack.write(self.mind.board, move)})

    def _do_plain(self, due: Due) -> Act | None:
        """Do what no filled button of the page does."""
        return None

    def _sure(self) -> Act | None:
        """Say yes to what the page shows as the consequences, if it shows any; now and then no."""
        asked = [one for one in self._things if one.part == "sure"]
        if not asked:
            return None
        yes = next((one for one in asked if one.is_button), None)
        if yes is None or self._rng.random() < 0.1:
            self.attempts = 0  # they think about it
            return _BACK
        return self._fill(yes)

    def _whim(self, due: Due) -> Act | None:
        """See :meth:`.Robot._whim`: what the agenda has for an adjourned game."""
        return self._next_task("adjourned") if due.what == "open" else None

    def _aside(self) -> Act | None:
        """See :meth:`.Robot._aside`: do what the agenda has for a time at which a player thinks."""
        if (sure := self._sure()) is not None:
            return sure
        ready = self._plays and self._rng.random() < 0.8
        return self._next_task("play") if ready else None

    def _next_task(self, when: str) -> Act | None:
        """Do the first thing of the agenda that can be done now, and strike it off."""
        for task in self.agenda:
            thing = next(self._buttons_of(task), None)
            filled = self._filled(task, thing) if thing is not None and task.when == when else None
            if thing is not None and filled is not None:
                self.agenda.remove(task)
                return self._fill(thing, filled)
        return None

    def _filled(self, task: Task, thing: Thing) -> Mapping[str, str] | None:
        """Return what is filled in for ``task`` in this position; None if it makes no sense in
        it."""
        board, filled = self.mind.board, dict(task.filled)
        if task.filled.get("what") in _SEEN_BY_SENSORS and self.has_sensors:
            return None
        if task.filled.get("number") and len(board.move_stack) < 2:
            return None
        if task.filled.get("language"):
            filled["language"] = self.person.announces
        if task.filled.get("square") == TOUCHED:
            if self.mind.turn not in self.sighted:
                return None  # at a special board a piece is touched when it leaves its hole (D.2.2)
            filled["square"] = chess.square_name(self._chosen().from_square)
        match task.filled.get("text"):
            case "last":
                before = board.copy()
                if not before.move_stack:
                    return None
                filled["ply"] = str(len(before.move_stack))
                move = before.pop()
                filled["text"] = self._pack.write(before, move)
            case "illegal":
                sighted = self.mind.turn in self.sighted
                knight = next(iter(board.pieces(chess.KNIGHT, board.turn)), None)
                if not sighted or knight is None or "anyway" not in thing.fields:
                    return None
                moves = [
                    chess.Move(knight, to) for to in chess.SQUARES if to not in board.piece_map()
                ]
                wrong = [one for one in moves if not board.is_legal(one)]
                filled["text"] = self._rng.choice(wrong).uci()
        return filled


class Arbiter(Official):
    """An arbiter with a page."""

    def _read_step(self) -> None:
        """See :meth:`.PageRobot._read_step`. A call stands there in its own words."""
        self.mind.last_key = ""
        super()._read_step()
        if not self.mind.last_key and self._things and not self.mind.over:
            self.mind.halted = Due(ARBITER, "attend")

    def _do(self, due: Due) -> Act | None:
        """See :meth:`.Robot._do`. A proposal is confirmed, or rejected now and then."""
        rejecting = (one for one in self._things if one.form.get("do") == "reject")
        reject = next(rejecting, None)
        if due.what == "settle" and reject is not None and self._rng.random() < 0.3:
            return self._sure() or self._fill(reject)
        return super()._do(due)

    def _do_plain(self, due: Due) -> Act | None:
        """A call, and a fallen flag: look at the table, let the clocks go on, or claim it."""
        wanted = {"attend": ("start_clocks", "preside"), "flag": ("claim_time",)}.get(due.what, ())
        for one in self._things:
            if one.is_button and (one.form.get("do") or one.form.get("act")) in wanted:
                return self._fill(one)
        if due.what == "attend":  # the clocks run: a warning, as people do
            warn = next(self._buttons_of(_arbiter("penalty")), None)
            if warn is not None:
                return self._fill(warn, {"player": self.mind.turn, "kind": "warning"})
            self.attempts = 0  # the game is over: they are there, and nothing is to be typed
        return None

    _parts = ("game",)


class Assistant(Official):
    """An assistant with a page. ``shown``: the move that the player beside them shows them."""

    _parts = ("now",)
    shown: chess.Move | None = None

    @property
    def can_enter(self) -> bool:
        """Return whether the page has a field for moves."""
        return any(one.form.get("act") == "move" for one in self._things)

    def see(self, move: chess.Move) -> None:
        """Take in a move that a player shows on their board, or whispers."""
        self.shown, self._ready_at = move, 0.0

    def _aside(self) -> Act | None:
        """See :meth:`Official._aside`. First they enter a move that they have seen, and claim a
        fallen flag."""
        say = catalogue(self.person.language)
        fell = any(one.name == say["clock_fell"] for one in self._things if one.part == "clocks")
        if fell and self._plays:
            claim = next(self._buttons_of(Task({"act": "claim_time"})), None)
            if claim is not None:
                return self._fill(claim)
        if self.shown is not None and self._plays:
            move, self.shown = self.shown, None
            ways = [one for one in self._things if one.form.get("act") == "move"]
            owed = self.mind.touched in ("", chess.square_name(move.from_square))
            if ways and owed and self.mind.board.is_legal(move):
                return self._fill(ways[0], {"text": self._pack.write(self.mind.board, move)})
        return super()._aside()


class ShowingPlayer(PageRobot):
    """A player who lets an assistant enter the moves."""

    assistant: Assistant

    def _do(self, due: Due) -> Act | None:
        """See :meth:`.PageRobot._do`."""
        if due.what != "announce" or self.attempts > 2 or not self.assistant.can_enter:
            return super()._do(due)
        return Act("shows", self._chosen().uci())


class Meeting(Judge):
    """A game at which everybody has a page: the players, their assistants and the arbiter."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self.counted: Counter[str] = Counter()
        """How often each duty was done, and each decision taken."""
        self._rng = rng = random.Random(seed)
        case = _CASES[seed % len(_CASES)]
        helped = [side for side in case.impaired if case.is_deaf or rng.random() < 0.7]
        if len(case.impaired) == 1 and not helped:
            helped = [OTHER[case.impaired[0]]]  # D.2.11
        roles = [*SIDES, ARBITER, *(f"assistant:{side}" for side in helped)]
        languages = {role: rng.choice(LANGUAGES) for role in roles}
        players = {
            side: Player(
                name=side,
                impaired=side in case.impaired,
                hearing_impaired=case.is_deaf and side not in case.impaired,
                assistant=side in helped and side not in case.impaired,
                language=languages[side],
            )
            for side in SIDES
        }
        table, announce_in = rng.choice(LANGUAGES), rng.choice(LANGUAGES)
        setup = Setup(
            id=f"meeting-{seed}",
            edition=rng.choice(editions.names()),
            time_control=rng.choice(CONTROLS),
            arbiter=rng.choice(("present", "automatic")),
            announce_in=announce_in,
            white=players["white"],
            black=players["black"],
        )
        boards = self._boards(case.impaired)
        self._path = folder / f"meeting-{seed}.jsonl"
        game = Game(self._path, setup, table)
        self._channel = self._pages = pages = Pages(game, self._clock, boards)
        pages.languages = languages
        late = case.is_deaf and rng.random() < 0.5
        pages.coming = [role for role in roles if not (late and role.startswith("assistant"))]
        people = [Person(role, languages[role], table, announce_in, languages) for role in roles]
        self._seat(
            [self._at_page(one) for one in people],
            f"Seed {seed}, {case}, {setup.edition}, {setup.time_control}, arbiter {setup.arbiter}, "
            f"languages {languages}, table in {table}, announced in {announce_in}, "
            f"boards {list(boards)}.",
        )
        assistants = [one for one in self.robots if isinstance(one, Assistant)]
        for one in self.robots:
            if isinstance(one, ShowingPlayer):
                one.assistant = self._rng.choice(assistants)

    def _at_page(self, person: Person) -> PageRobot:
        role, pages, rng = person.side, self._pages, random.Random(self._rng.random())
        board = pages.boards.get(role)
        feel = None if board is None else lambda: board.pieces
        given = (replace(person, plies=rng.randrange(6, 16)), rng, feel, lambda: pages.page(role))
        if role in SIDES:
            shows = len(pages.languages) > len(SIDES) + 1 and rng.random() < 0.5
            return ShowingPlayer(*given) if shows else PageRobot(*given)
        official = Arbiter(*given) if role == ARBITER else Assistant(*given)
        tasks = ARBITERS if role == ARBITER else ASSISTANTS
        at = self.told.seed * _TASKS
        official.sighted = [side for side in SIDES if not pages.game.setup.player(side).impaired]
        official.has_sensors = bool(pages.boards)
        chosen = [tasks[(at + n) % len(tasks)] for n in range(_TASKS)]
        rng.shuffle(chosen)
        official.agenda = sorted(chosen, key=lambda task: task.ends_game)
        return official

    def play(self) -> Told:
        """See :meth:`.Judge.play`."""
        told = super().play()
        for taken in self._pages.table.log:
            fact, by = taken.fact, taken.origin.name.removeprefix("page of ").partition(":")[0]
            refused = any(isinstance(one, Refused | NotMade) for one in taken.rulings)
            if by in (ARBITER, "assistant") and not refused:
                what = next(filter(None, (getattr(fact, one, "") for one in _NAMED)), "")
                self.counted[f"{by} {fact.kind} {what}".strip()] += 1
        return told

    def _do(self, robot: Robot, act: Act) -> None:
        """See :meth:`.Judge._do`."""
        if act.kind == "shows" and isinstance(robot, ShowingPlayer):
            self._acted = self._now
            self._note(f"{robot.side} shows {act.words}")
            robot.assistant.see(chess.Move.from_uci(act.words))
            return
        super()._do(robot, act)
        again = {catalogue(robot.person.language)[one] for one in ("changed", "stale")}
        refused = set(self._pages.refused)
        if isinstance(robot, Official) and refused and act.form and not refused & again:
            cause = f"was refused what the page offered: {robot.side} {dict(act.form)}"
            self.told.stuck = Stuck(cause, self.transcript)


class InHall(Judge):
    """A game at a table of a hall. The players share its terminal, and its arbiter decides on the
    page that the hall shows of this table, mostly when called. The hall is gone for some time, and
    it tells where the players play next."""

    def __init__(self, folder: Path, seed: int) -> None:
        super().__init__(folder, seed)
        self._rng = rng = random.Random(seed)
        table, announce_in = rng.choice(LANGUAGES), rng.choice(LANGUAGES)
        languages = {who: rng.choice((table, rng.choice(LANGUAGES))) for who in (*SIDES, ARBITER)}
        impaired = rng.choice((("white",), ("black",), SIDES))
        players = {
            side: Player(name=side, impaired=side in impaired, language=languages[side])
            for side in SIDES
        }
        setup = Setup(
            id=f"hall-{seed}",
            round="3",
            time_control=rng.choice(CONTROLS),
            arbiter=rng.choice(("present", "automatic")),
            announce_in=announce_in,
            white=players["white"],
            black=players["black"],
        )
        boards = self._boards(impaired)
        self._path = folder / f"hall-{seed}.jsonl"
        game = Game(self._path, setup, table, hall="4")
        self._channel = pages = _HallTable(game, self._clock, boards)
        pages.languages = {ARBITER: languages[ARBITER]}
        people = [
            Person(who, languages[who], table, announce_in, languages, plies=rng.randrange(6, 16))
            for who in (*SIDES, ARBITER)
        ]
        robots = [self._robot(one, boards.get(one.side)) for one in people[:2]]
        arbiter = Arbiter(people[2], random.Random(rng.random()), None, lambda: pages.page(ARBITER))
        arbiter.sighted, arbiter.has_sensors, arbiter.agenda = (), bool(boards), []
        self._seat(
            [*robots, arbiter],
            f"Seed {seed} in a hall, {setup.time_control}, arbiter {setup.arbiter}, languages "
            f"{languages}, table in {table}, announced in {announce_in}, impaired {impaired}, "
            f"boards {list(boards)}.",
        )


_GONE_S, _BACK_S = 60.0, 260.0
_NEXT = Pairing("4", "7", "white", "Anna")


class _HallTable(Pages):
    """The table, with what it knows of its hall."""

    def second(self) -> None:
        """See :meth:`.People.second`."""
        begun = self.clock.at - self.table._origin
        self.table.hall.see(not _GONE_S < begun < _BACK_S, self.clock.at)
        if begun > _BACK_S:
            self.table.pairings.tell([_NEXT])
        super().second()

    @property
    def is_left(self) -> bool:
        """See :meth:`.People.is_left`: the players leave the terminal."""
        return not self.open and self.table.game.over
