"""A table that is played at random, step by step: what must hold at every moment."""

from __future__ import annotations

import chess
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.laws.table import Table, one
from tests.sampling import examples

CONTROLS = {"60": 0, "300+5": 5, "3/40+2:60+2": 2, "-": 0}
SIDES = ("white", "black")


class TableMachine(RuleBasedStateMachine):
    """Players who move, wait, err and are punished. ``self.bank`` is what both clocks together
    must show: what was given at the start, less what has run, plus what was added."""

    @initialize(
        control=st.sampled_from(sorted(CONTROLS)),
        edition=st.sampled_from(("fide-2023", "fide-2014", "fide-1997", "basics-no")),
        impaired=st.booleans(),
        bronstein=st.booleans(),
    )
    def set_up(self, control: str, edition: str, impaired: bool, bronstein: bool) -> None:
        self.increment = CONTROLS[control]
        self.bronstein = bronstein
        self.table = Table(
            edition=edition,
            time_control=control,
            clock_mode="bronstein" if bronstein else "increment",
            white={"impaired": impaired},
        )
        self.game = self.table.game
        self.t = 0.0
        self.oracle = chess.Board()
        self.bank = sum(self.game.clock.left.values())
        self.thought = 0.0
        self.table.feed({"fact": "start"})

    def playing(self) -> bool:
        return not self.game.over and self.game.pending is None

    @rule(seconds=st.integers(0, 20))
    def wait(self, seconds: int) -> None:
        running = self.game.clock.running
        self.t += seconds
        self.table.feed({"fact": "tick", "t": self.t})
        if running is not None:
            self.bank -= seconds * 1000
            self.thought += seconds

    @precondition(lambda self: self.playing() and not self.game.clock.flags)
    @rule(pick=st.integers(0, 200), press_early=st.booleans())
    def play(self, pick: int, press_early: bool) -> None:
        side = self.game.side
        moves = sorted(self.oracle.legal_moves, key=str)
        move = moves[pick % len(moves)]
        periods = self.game.clock.period(side)
        got = self.table.feed({"fact": "announce", "by": side, "move": move.uci()})
        if press_early and self.game.impaired(side):
            early = self.table.feed({"fact": "press", "by": side})
            assert "placed" in one(early, "not_made").missing
            assert self.game.side == side
        got = self.table.feed({"fact": "make", "by": side, "move": move.uci()})
        made = one(got, "made")
        assert made.san == self.oracle.san(move)
        self.oracle.push(move)
        if self.game.over:
            return
        if len(self.game.tables) == 2:
            other = "black" if side == "white" else "white"
            self.table.feed({"fact": "make", "by": other, "move": move.uci()})
        got = self.table.feed({"fact": "press", "by": side})
        assert one(got, "completed").ply == len(self.oracle.move_stack)
        added = self.increment * 1000
        if self.bronstein:
            added = min(added, round(self.thought * 1000))
        if self.game.clock:
            self.bank += added
        if self.game.clock.period(side) != periods:
            self.bank += 60_000
        self.thought = 0

    @precondition(lambda self: self.playing() and self.game.clock and not self.game.clock.flags)
    @rule(side=st.sampled_from(SIDES), seconds=st.integers(1, 120))
    def punish(self, side: str, seconds: int) -> None:
        gains = "black" if side == "white" else "white"
        penalty = {"fact": "arbiter", "do": "penalty", "player": side, gains: seconds}
        assert one(self.table.feed(penalty), "penalty").gives == gains
        self.bank += seconds * 1000

    @precondition(lambda self: self.playing())
    @rule(side=st.sampled_from(SIDES))
    def the_player_who_is_not_on_move_cannot_press(self, side: str) -> None:
        if side != self.game.side:
            before = self.game.clock.running
            self.table.feed({"fact": "press", "by": side})
            assert self.game.clock.running == before

    @precondition(lambda self: self.game.pending is not None)
    @rule()
    def the_arbiter_confirms(self) -> None:
        self.table.feed({"fact": "arbiter", "do": "confirm"})
        self.bank = sum(self.game.clock.left.values())

    @invariant()
    def the_game_is_the_oracles(self) -> None:
        if hasattr(self, "game"):
            assert self.game.board.epd() == self.oracle.epd() or self.game.turn.made is not None

    @invariant()
    def times_are_conserved_and_never_negative_unnoticed(self) -> None:
        if hasattr(self, "game") and self.game.clock:
            left = self.game.clock.left
            assert min(left.values()) >= 0
            if 0 in left.values():
                assert self.game.clock.flags or self.game.over
            elif not self.game.clock.flags and not self.game.over:
                assert sum(left.values()) == self.bank


TestTableMachine = TableMachine.TestCase
TestTableMachine.settings = examples(120, stateful_step_count=40)
