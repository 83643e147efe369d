"""Leading hands to a position: before the game, when a board must be corrected, and when a hand
slips while it executes the move of an opponent who is not in the room."""

import threading
from collections.abc import Callable, Mapping

from blindplay.language import Command, Key, Kind, join, key_of
from blindplay.language.language import SPOKEN
from blindplay.laws import Ruling
from blindplay.laws.placement import Pieces, difference
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
from blindplay.wording.board_steps import SetupGuide

from .board_seat import BoardSeat
from .desk import Desk

# The rulings about boards that differ. They are not said while boards are set up.
_OF_BOARDS = (BoardsDiffer, BoardsAgree, Scoresheets, MustRecord, Explained)


class SettingUp:
    """Leads the hands at the boards of ``seats`` step by step, one board at a time."""

    def __init__(
        self, desk: Desk, seats: Mapping[str, BoardSeat], listen_anew: Callable[[], object]
    ) -> None:
        """``listen_anew``: other :meth:`phrases` may be said now."""
        self._desk = desk
        self._listen_anew = listen_anew
        self._seats = seats
        self._guides: dict[str, SetupGuide] = {}
        self._behind: set[str] = set()  # boards that are led to the opponent's move
        self._begin: Callable[[], None] | None = None
        self._objection: Callable[[], str] = str
        self._asked = self._overruled = ""  # objections that were told, and answered with yes
        self._waits = False
        self._before_game = False
        self._beginning = threading.Lock()

    def prepare(self) -> None:
        """Say nothing about the boards until :meth:`start`, when everything is attached."""
        self._before_game = True

    def start(
        self,
        begin: Callable[[], None],
        *,
        waits: bool = True,
        objection: Callable[[], str] = str,
    ) -> None:
        """Lead hands to the position, and call ``begin`` once.

        ``waits``: when people are ready, that is at :meth:`begin_now` or when all boards show the
        position. Otherwise as soon as no board that can be reached shows anything else.
        ``objection`` gives what speaks against beginning now; empty if nothing does. People are
        told, and asked whether to begin all the same.
        """
        with self._desk.table.lock:
            self._before_game = True
            self._begin, self._waits, self._objection = begin, waits, objection
            self.lead()  # some boards may have been seen already
        self.begin_if_ready()

    @property
    def waits(self) -> bool:
        """Return whether the game has not begun, or does not go on, until people are ready."""
        return self._begin is not None and self._waits

    def entered(self) -> bool:
        """The Enter key: repeat the step that is due, or begin; False if nothing waits."""
        if (self.waits or self._desk.table.game.adjourned) and self.repeat_step():
            return True
        return self.waits and self.begin_now()

    def repeat_step(self) -> bool:
        """Say the step at the boards once more; False if no hands are led."""
        guide = self._leading()
        if guide is not None:
            self._say(guide.repeat())
        return guide is not None

    def begun_otherwise(self) -> None:
        """The clocks may have been started by others, such as the arbiter."""
        game = self._desk.table.game
        runs = game.clock.running is not None or (game.started and not game.clock)
        if self.waits and runs and not self._desk.table.shared:
            self._take()

    def begin_now(self) -> bool:
        """Begin whatever the boards show, or ask first if something speaks against it; False if
        nothing waits to begin."""
        return self._begin is not None and (self._objects(again=True) or self._take())

    def _objects(self, *, again: bool) -> bool:
        """Return whether something speaks against beginning. Tell it, and ask, if that was not done
        yet, or ``again``."""
        objection = self._objection() if self._waits else ""
        if not objection or objection == self._overruled:
            return False
        if again or objection != self._asked:
            self._asked = objection
            pack = self._desk.pack
            question = (
                objection,
                pack.sentence("begin_all_the_same"),
                pack.sentence("say_yes_or_no"),
            )
            self._desk.say(Output.PUBLIC, join(" ", question, pack.code), fleeting=True)
            self._listen_anew()
        return True

    def _take(self) -> bool:
        """Begin; False if nothing waits to begin."""
        with self._beginning:  # both boards may get ready at once, each in its own thread
            begin, self._begin = self._begin, None
        if begin is None:
            return False
        self._before_game = False
        begin()
        return True

    @property
    def begins_by_boards(self) -> bool:
        """Return whether the game begins by itself when the boards show the position. They all must
        have sensors, and where an arbiter presides, White's clock is theirs to start (6.6)."""
        game = self._desk.table.game
        shown = {seat.side for seat in self._seats.values()}
        return shown >= game.tables.keys() and (game.started or not game.presided)

    def begin_if_ready(self) -> None:
        """Begin if every board shows the position and, where the game waits for people, they have
        heard what it begins with."""
        if self._begin is None:
            return
        if self._waits and (not self.begins_by_boards or self._desk.is_speaking):
            return
        ready = all(seat.seen and self._shows_goal(seat) for seat in self._seats.values())
        if ready and not self._objects(again=False):
            self._take()

    def _shows_goal(self, seat: BoardSeat) -> bool:
        table, guide = seat.table_board, self._guides.get(seat.side)
        if seat.gone or table is None:
            return not self._waits
        led = guide is not None and guide.finished
        return led or table.placement == self._goal(seat.side)

    def _goal(self, side: str) -> Pieces | None:
        """The position that the board of ``side`` must show; None while it may show anything."""
        game = self._desk.table.game
        table = game.tables.get(side)
        if table is None or game.over:
            return None
        if table.wanted is None and (self._begin is not None or side in self._behind):
            return game.position_pieces()
        return table.wanted

    def leads_instead(self, ruling: Ruling) -> bool:
        """Return whether to lead hands step by step instead of announcing this ruling."""
        if isinstance(ruling, CorrectBoard):
            if ruling.board == self._desk.table.absent:
                return True  # no hand moves anything there
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
            side = seat.side
            if seat.unassigned:
                continue
            self._look_for_slips(side)
            goal = self._goal(side)
            guide = self._guides.get(side)
            if guide is not None and guide.goal != goal:
                del self._guides[side]
                guide = None
            if goal is not None and not self._lead_to(side, goal, guide):
                return
            self._behind.discard(side)

    def lead_to_position(self, side: str) -> None:
        """Lead the board of ``side`` to the opponent's move that it does not show yet."""
        self._behind.add(side)
        self.lead()

    def _look_for_slips(self, side: str) -> None:
        """A hand has put something where the opponent's move has nothing to put: lead it. Once the
        own move is begun, it is led no more."""
        table = self._desk.table
        board = table.game.tables.get(side)
        if not table.absent or board is None:
            return
        turn, lagging = table.game.turn, table.game.outstanding(side)
        if turn.touched or turn.announced is not None:
            self._behind.discard(side)
        elif (
            lagging
            and not board.hand
            and _strays(board.placement, lagging[0].pieces, table.game.pieces)
        ):
            self._behind.add(side)

    def _lead_to(self, side: str, goal: Pieces, guide: SetupGuide | None) -> bool:
        """Say the next step for one board; False if hands have something to do there."""
        desk = self._desk
        shown = desk.table.game.tables[side].placement
        if guide is not None:
            self._tell(guide, guide.feel(shown))
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

    def _tell(self, guide: SetupGuide, sentences: list[str]) -> None:
        """Say the next step or, after the last one of a board, how the game begins."""
        self._say(sentences)
        if sentences and guide.finished and self.waits and not self.begins_by_boards:
            started = self._desk.table.game.started
            self._desk.tell_all("going_on_key" if started else "begin_key")

    def _say(self, sentences: list[str]) -> None:
        for words in sentences:
            self._desk.say(Output.PUBLIC, words)

    def _leading(self) -> SetupGuide | None:
        guides = (self._guides.get(seat.side) for seat in self._seats.values())
        return next((one for one in guides if one is not None and not one.finished), None)

    def phrases(self) -> list[str]:
        """The phrases that repeat a step or leave it out, while a guide leads, or that begin."""
        if self._leading() is not None:
            return self._desk.pack.command_phrases(SPOKEN.values())
        begin = (Command.RESUME,) if self.waits else ()
        answers = (Command.YES, Command.NO) if self.waits and self._asked else ()
        pack = self._desk.pack
        return [*pack.command_phrases(begin, opened=True), *pack.command_phrases(answers)]

    def asks(self, text: str) -> bool:
        """Do what ``text`` asks of the guide that leads, or of a game that waits to begin; False
        if it asks nothing of them."""
        if self.waits and self._asked and self._answers(text):
            return True
        guide = self._leading()
        if guide is None and self.waits:
            return self._asks_to_begin(text)
        asked = key_of(self._desk.pack, text) if guide is not None else None
        if guide is None or asked not in SPOKEN:
            return False
        self._tell(guide, guide.repeat() if asked is Key.REPEAT else guide.skip())
        if guide.finished:
            self.lead()
        self.begin_if_ready()
        return True

    def _answers(self, text: str) -> bool:
        """Take ``text`` as the answer to the question whether to begin all the same, and return
        whether it was one."""
        answer = self._desk.pack.understand(text, self._desk.table.game.board).command
        if answer not in (Command.YES, Command.NO):
            return False
        asked, self._asked = self._asked, ""
        if answer is Command.YES:
            self._overruled = asked
            return self._take()
        self._desk.tell_all("cancelled")
        return True

    def _asks_to_begin(self, text: str) -> bool:
        """Begin if ``text`` asks for it, and answer a move: it comes too early. Return whether the
        text was one of these."""
        desk, game = self._desk, self._desk.table.game
        meant = desk.pack.understand(text, game.board)
        if meant.command is Command.RESUME:
            return self.begin_now()
        early = meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
        if early:
            desk.tell_all("clock_stopped" if game.started else "begin_not_yet")
            desk.tell_all("going_on_key" if game.started else "begin_key")
        return early


def _strays(shown: Pieces, before: Pieces, after: Pieces) -> bool:
    """Return whether a piece stands, or is gone, in a way that no step between the two positions
    explains."""
    changed = difference(after, before)
    return any(
        at not in changed or now not in (None, after.get(at))
        for at, now in difference(shown, before).items()
    )
