"""Leading hands to a position: before the game, and when a board must be corrected."""

import threading
from collections.abc import Callable, Mapping

from blindplay.language import Command
from blindplay.laws import Ruling
from blindplay.laws.placement import Pieces
from blindplay.laws.rulings import (
    ArbiterNeeded,
    BoardsAgree,
    BoardsDiffer,
    CorrectBoard,
    Explained,
    MustRecord,
    Scoresheets,
)
from blindplay.speech.speaker import Output
from blindplay.wording.board_steps import KEYS, SetupGuide, key_of

from .board_seat import BoardSeat
from .desk import Desk

# What the Laws say about boards that differ. It is not said while they are set up.
_OF_BOARDS = (BoardsDiffer, BoardsAgree, Scoresheets, MustRecord, Explained)


class SettingUp:
    """Leads the hands at the boards of ``seats`` step by step, one board at a time."""

    def __init__(self, desk: Desk, seats: Mapping[str, BoardSeat]) -> None:
        self._desk = desk
        self._seats = seats
        self._guides: dict[str, SetupGuide] = {}
        self._begin: Callable[[], None] | None = None
        self._before_game = False
        self._beginning = threading.Lock()

    def prepare(self) -> None:
        """Say nothing about the boards until :meth:`start`, when everything is attached."""
        self._before_game = True

    def start(self, begin: Callable[[], None]) -> None:
        """Lead hands to the position, and call ``begin`` once when the boards show it. A board that
        cannot be reached is not waited for."""
        with self._desk.table.lock:
            self._before_game = True
            self._begin = begin
            self.lead()  # some boards may have been seen already
        self.begin_if_ready()

    def begin_now(self) -> bool:
        """Begin whatever the boards show; False if nothing waits to begin."""
        with self._beginning:  # both boards may get ready at once, each in its own thread
            begin, self._begin = self._begin, None
        if begin is None:
            return False
        self._before_game = False
        begin()
        return True

    def begin_if_ready(self) -> None:
        """Begin if every board shows the position, or cannot be reached."""
        ready = all(seat.seen and self._shows_goal(seat) for seat in self._seats.values())
        if self._begin is not None and ready:
            self.begin_now()

    def _shows_goal(self, seat: BoardSeat) -> bool:
        table, guide = seat.table_board, self._guides.get(seat.side)
        led = guide is not None and guide.finished
        return seat.gone or table is None or led or table.placement == self._goal(seat.side)

    def _goal(self, side: str) -> Pieces | None:
        """The position that the board of ``side`` must show; None while it may show anything."""
        game = self._desk.table.game
        table = game.tables.get(side)
        if table is None or game.over:
            return None
        if table.wanted is None and self._begin is not None:
            return game.position_pieces()
        return table.wanted

    def leads_instead(self, ruling: Ruling) -> bool:
        """Whether to lead hands step by step instead of announcing this ruling."""
        if isinstance(ruling, CorrectBoard):
            # A board without sensors counts as corrected, so all steps are said at once.
            watched = self._desk.table.game.tables[ruling.board].wanted is not None
            return watched and any(seat.side == ruling.board for seat in self._seats.values())
        unwritten = isinstance(ruling, ArbiterNeeded) and ruling.why == "records_missing"
        return self._before_game and (unwritten or isinstance(ruling, _OF_BOARDS))

    def lead(self) -> None:
        """Say the next step, for one board at a time: a hand can do one thing at a time."""
        if self._before_game and self._begin is None:
            return
        for seat in list(self._seats.values()):
            side, goal = seat.side, self._goal(seat.side)
            guide = self._guides.get(side)
            if guide is not None and guide.goal != goal:
                del self._guides[side]
                guide = None
            if goal is not None and not self._lead_to(side, goal, guide):
                return

    def _lead_to(self, side: str, goal: Pieces, guide: SetupGuide | None) -> bool:
        """Say the next step for one board; False if hands have something to do there."""
        desk = self._desk
        shown = desk.table.game.tables[side].placement
        if guide is not None:
            self._say(guide.feel(shown))
            return guide.finished
        guide = SetupGuide(goal, desk.pack)
        first = guide.begin(shown)
        if not first:
            return True
        self._guides[side] = guide
        player = desk.pack.sentence(side)
        if self._begin is not None:
            self._say(guide.opening(player))
        else:
            desk.tell_all("correct_board", player=player)
        self._say(first)
        return guide.finished

    def _say(self, sentences: list[str]) -> None:
        for words in sentences:
            self._desk.say(Output.PUBLIC, words)

    def _leading(self) -> SetupGuide | None:
        guides = (self._guides.get(seat.side) for seat in self._seats.values())
        return next((one for one in guides if one is not None and not one.finished), None)

    def phrases(self) -> list[str]:
        """The phrases that repeat a step or leave it out, while a guide leads."""
        return self._desk.pack.command_phrases(KEYS) if self._leading() is not None else []

    def asks(self, text: str) -> bool:
        """Do what ``text`` asks of the guide that leads; False if it asks nothing of one."""
        guide = self._leading()
        asked = key_of(self._desk.pack, text) if guide is not None else None
        if guide is None or asked is None:
            return False
        self._say(guide.repeat() if asked is Command.REPEAT else guide.skip())
        if guide.finished:
            self.lead()
        self.begin_if_ready()
        return True
