"""The step that is due from each person of a table: told to them, and done at one press.

:mod:`blindplay.laws.due` works the steps out. Here the Enter key of the table's keyboard and the
levers of its boards do them, as far as one press can, and nothing happens without a sentence.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from blindplay.language import Command, Language, join
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.due import Do, Step, deeds, due, stands
from blindplay.laws.game import Turn
from blindplay.laws.rulings import Adjourned, ExecutedDiffers, NotMade, Refused
from blindplay.laws.state import OTHER, enveloped
from blindplay.wording.steps import is_not_now, step_in_words

from .desk import Desk
from .setting_up import SettingUp

# The words that do a step where the Enter key does not.
_COMMANDS: Mapping[Do, tuple[Command, ...]] = {
    "begin": (Command.RESUME,), "continue": (Command.RESUME,), "open": (Command.RESUME,),
    "arrive": (Command.CALL_ARBITER,), "sign": (Command.SIGN,),
    "consent": (Command.YES, Command.NO), "assist": (Command.CALL_ASSISTANT,),
}  # fmt: skip
# The words with which the arbiter does a step at the table's keyboard.
_ARBITERS: Mapping[Do, tuple[str, ...]] = {
    "begin": ("start",), "continue": ("start",), "open": ("open",),
    "decide": ("confirm", "reject"), "attend": ("attend",),
}  # fmt: skip
# At a keyboard that both players share, Enter never repeats, answers or signs for anybody.
_AT_A_SHARED_KEYBOARD: frozenset[Do] = frozenset(
    ("begin", "continue", "open", "execute", "press", "seal", "assist")
)
# A lever does these, and presses; it never repeats or executes.
_BY_LEVER: frozenset[Do] = frozenset(("begin", "continue", "open", "sign"))
_EXECUTING: frozenset[Do] = frozenset(("repeat", "repeat_and_execute", "execute"))


class People(Protocol):
    """The part of a session that takes what players say and press."""

    def typed(self, side: str, text: str) -> None:
        """Take typed words of ``side``."""

    def pressed(self, side: str, at: int, *, late: int = 0) -> None:
        """Take a press of the clock ``at`` this time, after what hands have done."""

    def asked(self, side: str) -> bool:
        """Return whether a question to ``side`` is open."""

    def reads_back(self, side: str) -> bool:
        """Return whether a move is read back to ``side``, so that a press confirms it."""


class NextSteps:
    """Tells and does what is due at the table of ``desk``."""

    def __init__(self, desk: Desk, setting_up: SettingUp, people: People) -> None:
        self._desk = desk
        self._table = desk.table
        self._setting_up = setting_up
        self._people = people
        self.has_keyboard = False
        """True if lines are typed at the table itself."""
        self.arbiter_has_page = False
        """True if the arbiter decides on a page, so that Enter at the table is not theirs."""
        self._is_taught = False
        self._adjourned_here = False  # a key that bounces must not open the envelope at once
        self._table.listen(self._taken)

    def _taken(self, taken: Taken) -> None:
        self._adjourned_here |= any(isinstance(one, Adjourned) for one in taken.rulings)

    # --- telling -------------------------------------------------------------------------------

    def of(self, person: str) -> Step:
        """Return the step of ``person``. A table that waits for people to be ready waits for each
        of them."""
        game = self._table.game
        step = due(game, person)
        waits_for_arbiter = step.whom == "arbiter" and step.why in ("begin", "continue")
        before = ("correct", "identify", "assist")  # comes first
        if not self._setting_up.waits or step.do in before or step.why in before:
            return step
        if waits_for_arbiter or person == "arbiter":
            return step
        return Step(person, "continue" if game.started else "begin")

    def of_now(self, person: str) -> Step:
        """Return the step of ``person``; none as long as they may leave the table, because it has
        just adjourned the game."""
        rests = self._adjourned_here and self._table.game.adjourned
        return Step(person, "nothing") if rests else self.of(person)

    def tell_players(self) -> None:
        """Tell each player who is here what is due, unless it is just a move: whose clock runs has
        been said."""
        for side in f.SIDES:
            step = self.of(side)
            plain = step.do == "announce" and step.move is None and not step.owed
            if side != self._table.absent and step.is_active and not plain:
                self.tell(side)

    def teach(self, side: str) -> None:
        """``side``, alone at the table, has played their first move: say how it is completed."""
        game = self._table.game
        first = self._table.absent and not any(ply.side == side for ply in game.history)
        if first and not self._is_taught and self.of(side).do in ("press", "execute"):
            self._is_taught = True
            self.tell(side)

    def words(self, person: str) -> str:
        """Return the step of ``person``, and how it is done at this table."""
        pack, step = self._pack(person), self.of(person)
        told = step_in_words(pack, self._table.game, step)
        return join(" ", filter(None, (told, self._how(pack, step))), pack.code)

    def tell(self, person: str) -> None:
        """Tell ``person`` alone what is due from them. While boards are set up, that is the step at
        the boards."""
        if not self._setting_up.repeat_step():
            self._desk.tell(person, self.words(person), fleeting=True)

    def follow(self, taken: Taken) -> None:
        """Tell people what is due after this fact, where they cannot know it.

        These are everybody who was refused something, the players after an envelope was opened, and
        a player who has executed another move than the announced one and must announce it.
        """
        game = self._table.game
        if isinstance(taken.fact, f.OpenEnvelope) and not game.adjourned:
            self.tell_players()
        differs = any(isinstance(one, ExecutedDiffers) for one in taken.rulings)
        if differs and self.of(game.side).do == "announce_made":
            self.tell(game.side)
        refusals = (one for one in taken.rulings if isinstance(one, Refused | NotMade))
        told = [one for one in refusals if not isinstance(one, taken.origin.reports)]
        for person in dict.fromkeys(one.by for one in told if self._is_followed(one)):
            self.tell(person)

    def _is_followed(self, ruling: Refused | NotMade) -> bool:
        """Return whether the step of a person who is here says more than ``ruling``."""
        step = self.of(ruling.by)
        if isinstance(ruling, NotMade) and step.do == "announce" and not step.owed:
            return False
        is_here = ruling.by.removeprefix("assistant:") != self._table.absent
        arbiters = ruling.by == "arbiter" and not self._table.game.presided
        return is_here and (is_not_now(ruling) or not arbiters)

    def _pack(self, person: str) -> Language:
        return self._desk.readers.of(person)

    def _how(self, pack: Language, step: Step) -> str:
        """Return the key or the words that do ``step`` here; empty if it needs a choice, hands, or
        patience."""
        doer = replace(step, of="arbiter", do=step.why) if step.whom == "arbiter" else step
        if self.has_keyboard and self.enters(doer):
            return pack.sentence("due_enter")
        served = self._table.game.served
        typed = _ARBITERS.get(doer.do) if doer.of == "arbiter" and self.has_keyboard else None
        if typed and not served:
            return pack.sentence("due_arbiter_types", words=pack.either([*typed]))
        commands = _COMMANDS.get(step.do, ())
        if not commands or served:
            return ""
        return pack.sentence("help_say", commands=", ".join(map(pack.command, commands)))

    # --- the Enter key ------------------------------------------------------------------------

    def enter(self) -> None:
        """The Enter key of the table's keyboard: do what is due, if one press does it; else say
        what is due."""
        at, side = self._table.time(), self.typist()
        if self._may_press(side):
            # Some boards tell of a move only when its player presses.
            self._table.after_hands(lambda: self._entered(side, at), at, presser=side)
        else:
            self._do_or_tell(side, at)

    def _entered(self, side: str, at: int) -> None:
        """Enter after what hands have done. A key may bounce or be hit by chance, so a press
        without a move (7.5.3) takes a lever. What a lone player announced in vain is no move."""
        turn = self._table.game.turn
        if self._table.absent:
            turn = replace(turn, begun=False, misnamed=None, unnamed_promotion=False)
        if turn != Turn() or self._people.reads_back(side):
            self._people.pressed(side, at)
        else:
            self._do_or_tell(side, at)

    def _do_or_tell(self, side: str, at: int) -> None:
        game, step = self._table.game, self._step_to_enter(side)
        if step is not None:
            self._do(step, at)
        elif self._table.absent and self.of(side).do in _EXECUTING and game.side == side:
            self._lead_hands(side)
        elif self._people.asked(side):
            self._people.typed(side, self._pack(side).command(Command.REPEAT))
        else:
            self.tell(side)

    def typist(self) -> str:
        """Return the player for whom the Enter key acts: the only one here, or the player whose
        clock runs; while none runs, the player who has something to do."""
        game = self._table.game
        if self._table.absent:
            return OTHER[self._table.absent]
        if game.clock.running is not None:
            return game.clock.running
        sides = (OTHER[game.side], game.side) if enveloped(game) else (game.side, OTHER[game.side])
        return next((side for side in sides if self.of(side).is_active), sides[0])

    def _may_press(self, side: str) -> bool:
        """Return whether Enter may be a press of the clock, for a move of ``side``."""
        game = self._table.game
        sealing = game.adjourning or game.sealed is not None
        return game.side == side and not (game.over or sealing or stands(game))

    def _step_to_enter(self, side: str) -> Step | None:
        """The step that the Enter key does now: of ``side`` or, where one presides, of the
        arbiter."""
        for person in (side, "arbiter"):
            step = self.of(person)
            if self.enters(step):
                return step
        return None

    def enters(self, step: Step) -> bool:
        """Return whether the Enter key of the table's keyboard does ``step``.

        At a keyboard of one person it does all that one press can do. At one that both share it
        acts for the player whose clock runs, and what begins the game or goes on with it. Where an
        arbiter presides, the keyboard is also theirs."""
        game = self._table.game
        if step.of == "arbiter":
            return self._enters_for_arbiter(step.do)
        if step.of == self._table.absent or step.of not in OTHER:
            return False
        if step.do in ("begin", "continue"):
            return self._setting_up.waits or not game.served
        if self._table.absent:
            return bool(deeds(game, step))
        if step.of != self.typist():
            return False
        return step.do in _AT_A_SHARED_KEYBOARD and bool(deeds(game, step))

    def _enters_for_arbiter(self, do: Do) -> bool:
        """Return whether the Enter key does this for the arbiter. Clocks that they have stopped
        are not started by a key that may bounce."""
        if do in ("begin", "continue"):
            return self._setting_up.waits
        return do == "open" and not (self.arbiter_has_page or self._adjourned_here)

    # --- levers --------------------------------------------------------------------------------

    def lever(self, side: str, at: int, *, late: int = 0) -> None:
        """The lever of ``side`` was pressed ``at`` this time; that was ``late`` ms on a line. It is
        the clock; while the clocks stand, it begins the game or goes on with it. It never repeats
        or executes."""
        game, step = self._table.game, self.of(side)
        if self._setting_up.waits and side != game.side:
            self._setting_up.begin_now()  # it starts the opponent's clock, as on any clock
        elif not game.over and not stands(game):
            self._press(side, at, late)
        elif step.do in _BY_LEVER and not self._setting_up.waits:
            self._do(step, at)
        else:
            self.tell(side)

    # --- doing ---------------------------------------------------------------------------------

    def _press(self, side: str, at: int, late: int = 0) -> None:
        self._table.after_hands(lambda: self._people.pressed(side, at, late=late), at, presser=side)

    def _lead_hands(self, side: str) -> None:
        """The hands of ``side`` are led to the move of an opponent who is not in the room."""
        self._people.typed(side, self._pack(side).command(Command.DONE))

    def _do(self, step: Step, at: int) -> None:
        """Do ``step``, which one press does."""
        own = step.move is not None and step.move.by == step.of
        match step.do:
            case "begin" | "continue" if self._setting_up.waits:
                self._setting_up.begin_now()
            case "continue":
                self._desk.tell_all("resume")
                self._submit(step)
            case "open" if self._adjourned_here and step.of in OTHER:
                self._people.typed(step.of, self._pack(step.of).command(Command.RESUME))
            case "sign":  # a question follows
                self._people.typed(step.of, self._pack(step.of).command(Command.SIGN))
            case "press":
                self._press(step.of, at)
            case "execute" if own:
                self._press(step.of, at)
            case "repeat" | "repeat_and_execute":
                self._submit(replace(step, do="repeat"))
                self._table.after_hands(lambda: self._execute(step.of))
            case "execute":
                self._execute(step.of)
            case _:
                self._submit(step)

    def _execute(self, side: str) -> None:
        """The move that ``side`` has repeated is executed, too."""
        if self.of(side).do == "execute":
            self._lead_hands(side)
        else:
            self.tell(side)

    def _submit(self, step: Step) -> None:
        """Submit the facts that do ``step``, if it is still due after what hands have done."""

        def submit() -> None:
            for fact in deeds(self._table.game, step):
                self._table.submit(replace(fact, t=self._table.time()))

        self._table.after_hands(submit)
