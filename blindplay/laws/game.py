"""The game: folds facts into rulings.

:class:`Game` is the only place where the Laws have state. It does no input or output and never asks
what time it is: every fact brings its own time. It asks its :class:`Words` for everything that
needs words: understanding an announcement, spelling one out.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

from blindplay.translation import _

from . import (
    adjournment,
    arbiter,
    claims,
    ends,
    executing,
    irregularities,
    moving,
    proposals,
    setting_up,
    sheets,
    touching,
    undoing,
)
from . import facts as f
from .facts import Fact, Setup, seconds
from .permissions import is_outsiders
from .rulings import ArbiterNeeded, BoardsAgree, Ruling
from .state import Heard, State, Turn, Words

MOST_CALLS = 5


_LONGEST_LINE_MS = 60_000  # as the longest limit on which two distant tables can agree


class Game(State):
    """A game under one edition of the Laws.

    Feed it with :meth:`apply`; the first fact must be a ``setup``. The order of the rulings, and
    the rulings themselves, depend on nothing but the facts.
    """

    def apply(self, fact: Fact) -> list[Ruling]:
        """Fold one fact into the game and give the rulings it causes, in order.

        :raises f.FactError: if :meth:`check` does; a fact with a wrong value raises it when it is
            made. Everything else that a person can do at the table is answered, never raised.
        """
        self.check(fact)
        self.t = fact.t
        self.out = []
        self.helping = None
        unseen = self.sealed is not None and not self.adjourned and not self.sealed_reply
        if isinstance(fact, f.OpenEnvelope) and unseen:
            # The envelope was closed and the clock stopped, though nobody saw the press (I.1.1).
            self.clock.at = fact.t
        late = self._on_the_line(fact)
        if not isinstance(fact, Setup):
            self.clock.advance(fact.t - late)
            sheets.watch_recording(self)
            if not isinstance(fact, f.ClaimTime):  # who claims is heard before the table looks
                ends.watch_flags(self)
        before = self.fork() if undoing.is_decision(self, fact) else None
        if not is_outsiders(self, fact):
            _HANDLERS[type(fact)](self, fact)
        if late:
            self.clock.arrive(fact.t, getattr(fact, "by", "").removeprefix("assistant:"))
            ends.watch_flags(self)
        # A penalty may take the last seconds, and so may the end of one that gave some.
        timed = isinstance(fact, f.Arbiter) and fact.do in ("penalty", "undo")
        if timed or isinstance(fact, f.ClaimTime):
            ends.watch_flags(self)
        if before is None:
            undoing.forget(self)
        else:
            undoing.keep(self, fact, before)
        out, self.out = self.out, []
        self._note_calls(fact, out)
        return out

    def _on_the_line(self, fact: Fact) -> int:
        """How many ms a press was on the line while the clock of its player ran."""
        if not isinstance(fact, f.Press) or not self.clock:
            return 0
        side = fact.by.removeprefix("assistant:")
        runs = self.clock.running == side and side not in self.clock.flags
        return min(fact.late, _LONGEST_LINE_MS) if runs else 0

    def _note_calls(self, fact: Fact, out: list[Ruling]) -> None:
        """Remember the calls for the arbiter until the arbiter has done something."""
        heeded = isinstance(fact, f.Arbiter | f.Start | f.OpenEnvelope)
        undone = isinstance(fact, f.Arbiter) and fact.do == "undo"  # what was heeded calls again
        heeded = heeded and not undone and getattr(fact, "by", "") != "table"
        called = [
            one
            for one in reversed(out)
            if isinstance(one, ArbiterNeeded) and one.status is None and not one.again
        ]
        calls = (*called, *(() if heeded else self.calls))
        sealing = self.adjourning and self.sealed is None
        equal = any(isinstance(one, BoardsAgree) for one in out)
        settled = {"seal": not sealing, "boards_differ": equal}
        self.calls = tuple(one for one in calls if not settled.get(one.why))[:MOST_CALLS]

    def check(self, fact: Fact) -> None:
        """:raises f.FactError: if the first fact is no ``setup``, a second one comes, or ``t``
        decreases."""
        if fact.t < self.t:
            raise f.FactError(
                _(
                    "t must not decrease: {now} after {before}",
                    now=seconds(fact.t),
                    before=seconds(self.t),
                )
            )
        if isinstance(fact, Setup):
            if self.setup is not None:
                raise f.FactError("setup must be the first fact and come only once")
        elif self.setup is None:
            raise f.FactError("the first fact must be setup")

    def foretell(self, fact: Fact) -> tuple[Self, list[Ruling]]:
        """The game as it would be after ``fact``, and the rulings that this would cause now. The
        game itself stays as it is."""
        game = self.fork()
        return game, game.apply(replace(fact, t=max(fact.t, self.t)))

    def preview(self, fact: Fact) -> list[Ruling]:
        """The rulings that ``fact`` would cause now. The game stays as it is."""
        return self.foretell(fact)[1]


_HANDLERS: dict[type[Fact], Callable[[State, Any], None]] = {
    f.Setup: setting_up.set_up,
    f.TwoBoards: setting_up.two_boards,
    f.Inspect: setting_up.inspect,
    f.Assistant: setting_up.assistant,
    f.Arrive: setting_up.arrive,
    f.Start: setting_up.start,
    f.Lift: executing.lift,
    f.Place: executing.place,
    f.Position: executing.position,
    f.BoardOwners: setting_up.know_owners,
    f.Adjust: touching.adjust,
    f.Touch: touching.touch,
    f.Announce: moving.announce,
    f.Repeat: moving.repeat,
    f.Correct: moving.correct,
    f.Make: moving.make,
    f.Press: moving.press,
    f.Record: sheets.record,
    f.OfferDraw: ends.offer_draw,
    f.AcceptDraw: ends.accept_draw,
    f.DeclineDraw: ends.decline_draw,
    f.Consent: proposals.consent,
    f.Resign: ends.resign,
    f.ClaimDraw: claims.claim_draw,
    f.RequestExtraTime: claims.request_extra_time,
    f.ClaimTime: ends.claim_time,
    f.CallArbiter: arbiter.call_arbiter,
    f.Query: arbiter.query,
    f.Irregular: irregularities.irregular,
    f.Adjourn: adjournment.want_to_adjourn,
    f.Seal: adjournment.seal,
    f.OpenEnvelope: adjournment.open_envelope,
    f.Sign: arbiter.sign,
    f.Arbiter: arbiter.arbiter,
    f.Tick: lambda game, fact: None,  # time has passed; the flags have been looked at already
}


__all__ = ["Game", "Heard", "Turn", "Words"]
