"""Contradictions that must never occur, whatever happens at a table."""

from __future__ import annotations

import pytest

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from tests.laws.random_games import play


class Witness:
    """Holds each fact's rulings against all that was ruled before."""

    def __init__(self) -> None:
        self.over = self.stopped = False
        self.made: tuple[str, str] | None = None  # the move that is made, and by whom
        self.presumed = False  # nobody has said that it was executed
        self.answered: list[tuple[str, str]] = []  # moves that are made, answered, not completed

    def see(self, fact: Fact, rulings: list[Ruling], game: Game) -> None:
        for ruling in rulings:
            self._cites_its_edition(ruling, game)
            if isinstance(ruling, r.Undone) and ruling.reopened:
                self.over = False
            if self.over:
                after = (r.Refused, r.Signed, r.ArbiterNeeded, r.Attended, r.Owners)
                assert isinstance(ruling, after), f"{ruling.kind} after the end"
            self._follows(ruling)
            self._is_not_announced(ruling, game)
            self.over |= isinstance(ruling, r.GameOver)
        if game.turn.made is None:
            if self.made is not None and game.unpressed():
                self.answered.append(self.made)
            self.made = None
        elif self.made is None:
            self.made = game.side, game.turn.made.uci()  # the sheets have changed the game
        self.presumed = game.turn.presumed
        self._clocks_stand(fact, rulings, game)

    @staticmethod
    def _cites_its_edition(ruling: Ruling, game: Game) -> None:
        allowed = {game.edition.id}
        if game.edition.id == "basics-no":
            allowed.add("fide-2023")  # where it is silent
        assert ruling.articles
        assert {article.split(" ")[0] for article in ruling.articles} <= allowed

    def _follows(self, ruling: Ruling) -> None:
        if isinstance(ruling, r.Made):
            assert self.made is None or self.made[0] != ruling.by, f"{ruling} after {self.made}"
            if self.made is not None:
                self.answered.append(self.made)
            self.made = ruling.by, ruling.move
        elif isinstance(ruling, r.Completed):
            done = ruling.by, ruling.move
            assert ruling.illegal or done == self.made or done in self.answered, ruling
            if done in self.answered:
                self.answered.remove(done)
            else:
                self.made = None
        elif isinstance(ruling, r.SlipCorrected) and self.made == (ruling.by, ruling.was):
            assert self.presumed, "what is announced and made is no slip (4.7, D.2.3)"
            self.made = None
        elif isinstance(ruling, r.IllegalMove | r.TakeBack) and ruling.status == "confirmed":
            self.made = None
            if isinstance(ruling, r.IllegalMove):  # the opponent's move before it stands
                self.answered = [one for one in self.answered if one[0] != ruling.by]
            else:
                self.answered.clear()
        elif isinstance(ruling, r.Scoresheets) and ruling.move is not None:
            self.answered.clear()

    @staticmethod
    def _is_not_announced(ruling: Ruling, game: Game) -> None:
        """What a touched piece or a wrong claim forbids is not offered for repetition (4.3)."""
        if isinstance(ruling, r.AnnouncementVoid):
            assert game.turn.announced is None
        elif isinstance(ruling, r.Refused) and ruling.why == "touched_piece" and ruling.move:
            announced = game.turn.announced
            assert announced is None or announced.uci() != ruling.move

    def _clocks_stand(self, fact: Fact, rulings: list[Ruling], game: Game) -> None:
        refused = any(isinstance(ruling, r.Refused) for ruling in rulings)
        stops = (
            (isinstance(fact, f.CallArbiter) and bool(game.clock))  # else it would stand for ever
            or (isinstance(fact, f.Arbiter) and fact.do == "stop_clocks")
            or (isinstance(fact, f.Irregular) and fact.what == "wrong_clock" and ":" not in fact.by)
        )
        starts = isinstance(fact, f.Start | f.OpenEnvelope) or (
            isinstance(fact, f.Arbiter) and fact.do == "start_clocks"
        )
        new_game = any(isinstance(ruling, r.TakeBack) and ruling.new_game for ruling in rulings)
        if not refused and (starts or new_game):
            self.stopped = False
        elif not refused and stops:
            self.stopped = True
        asked = game.pending is not None and not game.pending.claimable
        if self.stopped or asked or self.over:
            assert game.clock.running is None, f"a clock runs after {fact}"
        if not game.clock:
            assert not any(isinstance(ruling, r.ClockReading) for ruling in rulings)


def _no_contradiction_in(seed: int) -> None:
    witness = Witness()
    for number, (fact, rulings, game) in enumerate(play(seed, 100)):
        try:
            witness.see(fact, rulings, game)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, fact {number} {fact}: {error}") from error


@pytest.mark.parametrize("tens", range(6))
def test_no_contradiction_in_random_games(tens: int) -> None:
    for seed in range(10 * tens, 10 * tens + 10):
        _no_contradiction_in(seed)


@pytest.mark.long
@pytest.mark.parametrize("hundreds", range(50))
def test_no_contradiction_in_five_thousand_random_games(hundreds: int) -> None:
    for seed in range(100 * hundreds, 100 * hundreds + 100):
        _no_contradiction_in(seed)
