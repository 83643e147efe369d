"""Leading hands to a position: before the game, when a board must be corrected, and when a hand
slips while it executes the move of an opponent who is not in the room."""

import threading
from collections.abc import Callable, Mapping

import chess

from blindplay.language import Command, Key, Kind, join, key_of
from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.placement import Pieces, difference, moves_that_show
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
        self._how: Callable[[], None] = lambda: None
        self._holds: Callable[[], bool] = bool
        self._how_is_told = False
        self._asked = self._overruled = ""  # objections that were told, and answered with yes
        self._played: chess.Move | None = None  # it is asked whether this was played
        self._not_played = set[chess.Move]()
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
        how: Callable[[], None] = lambda: None,
        holds: Callable[[], bool] = bool,
    ) -> None:
        """Lead hands to the position, and call ``begin`` once.

        ``waits``: when people are ready, that is at :meth:`begin_now` or when all boards show the
        position. Otherwise as soon as no board that can be reached shows anything else.
        ``objection`` gives what speaks against beginning now; empty if nothing does. People are
        told, and asked whether to begin all the same. ``how`` tells how the game begins or goes on.
        It is called when no hands are led any more, for before that no key begins it. The boards
        alone do not begin it while ``holds``: people are asked something.
        """
        with self._desk.table.lock:
            self._before_game = True
            self._begin, self._waits, self._objection = begin, waits, objection
            self._how, self._how_is_told, self._holds = how, False, holds
            self.lead()  # some boards may have been seen already
        self.begin_if_ready()

    @property
    def waits(self) -> bool:
        """Return whether the game has not begun, or does not go on, until people are ready."""
        return self._begin is not None and self._waits

    @property
    def idle(self) -> bool:
        """Return whether the game waits for people alone: no hands are led, and nothing is
        asked."""
        return self.waits and self._leads_nobody and not self.asking

    @property
    def asking(self) -> bool:
        """Return whether people are asked here to begin all the same, or about a played move."""
        return bool(self._asked) or self._played is not None

    @property
    def _leads_nobody(self) -> bool:
        seen = all(seat.seen for seat in self._seats.values())
        return seen and self._leading() is None and self._played is None

    def entered(self) -> bool:
        """The Enter key: repeat the step that is due, or begin; False if nothing waits."""
        if (self.waits or self._desk.table.game.adjourned) and self.repeat_step():
            return True
        return self.waits and self.begin_now()

    def repeat_step(self) -> bool:
        """Say the step at the boards, or the question about them, once more; False if there is
        none."""
        if self._played is not None:
            self._ask_played(self._played)
            return True
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
        self._before_game, self._played = False, None
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
        if self._begin is not None:
            with self._desk.table.lock:
                self.lead()
        ready = all(seat.seen and self._shows_goal(seat) for seat in self._seats.values())
        by_boards = self.begins_by_boards and ready
        if self._begin is not None and ready and not self._waits:
            self._take()
        elif self._begin is not None and self._waits and by_boards:
            held = self._desk.is_speaking or self._holds() or self._objects(again=False)
            if not held:
                self._take()
            return
        self._tell_how()

    def _tell_how(self) -> None:
        """Tell how the game begins or goes on, once, when no hands are led."""
        with self._desk.table.lock:
            if self._how_is_told or not self._leads_nobody:
                return
            self._how_is_told = True
            self._how()

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
            absent = self._desk.table.absent
            if ruling.board == absent or (absent and not self._seats):
                return True  # no hand moves anything there
            # A board without sensors counts as corrected, so all steps are said at once.
            watched = self._desk.table.game.tables[ruling.board].wanted is not None
            return watched and any(seat.side == ruling.board for seat in self._seats.values())
        unwritten = isinstance(ruling, ArbiterNeeded) and ruling.why == "records_missing"
        return self._before_game and (unwritten or isinstance(ruling, _OF_BOARDS))

    def lead(self) -> None:
        """Say the next step, for one board at a time: a hand can do one thing at a time."""
        unseen = not all(seat.seen for seat in self._seats.values())
        if self._before_game and (self._begin is None or (self._waits and unseen)):
            return  # which hands are led may depend on the other board
        if self._asks_played():
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
            self._say(guide.feel(shown))
            return guide.finished
        guide = SetupGuide(goal, desk.pack)
        first = guide.begin(shown)
        if not first:
            return True
        self._guides[side], self._how_is_told = guide, False
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
        """The phrases that repeat a step or leave it out, while a guide leads, or that begin."""
        if self._leading() is not None:
            return self._desk.pack.command_phrases((Command.REPEAT, Command.SKIP))
        begin = (Command.RESUME,) if self.waits else ()
        answers = (Command.YES, Command.NO) if self.waits and self.asking else ()
        pack = self._desk.pack
        return [*pack.command_phrases(begin, opened=True), *pack.command_phrases(answers)]

    def asks(self, text: str, side: str) -> bool:
        """Do what ``side`` asks with ``text`` of the guide that leads, or of a game that waits to
        begin; False if it asks nothing of them."""
        if self.waits and self._answers(text, side):
            return True
        guide = self._leading()
        if guide is None and self.waits:
            meant = self._desk.pack.understand(text, self._desk.table.game.board)
            return meant.command is Command.RESUME and self.begin_now()
        asked = key_of(self._desk.pack, text) if guide is not None else None
        if guide is None or asked not in (Key.REPEAT, Key.SKIP):
            return False
        self._say(guide.repeat() if asked is Key.REPEAT else guide.skip())
        if guide.finished:
            self.lead()
        self.begin_if_ready()
        return True

    def _answers(self, text: str, side: str) -> bool:
        """Take ``text`` as the answer to the question whether to begin all the same, or whether a
        move was played, and return whether it was one."""
        pack, game = self._desk.readers.of(side), self._desk.table.game
        answer = pack.understand(text, game.board).command
        if answer not in (Command.YES, Command.NO):
            return False
        if self._played is not None and side == game.side:
            self._answer_played(self._played, answer is Command.YES)
            return True
        if not self._asked:
            return False
        asked, self._asked = self._asked, ""
        if answer is Command.YES:
            self._overruled = asked
            return self._take()
        self._desk.tell_all("cancelled")
        return True

    def is_early(self, text: str) -> bool:
        """Return whether ``text`` is a move, and the game waits to begin or to go on."""
        if not self.waits or self._leading() is not None:
            return False
        meant = self._desk.pack.understand(text, self._desk.table.game.board)
        return meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)

    # --- a move that stands on the boards already ------------------------------------------------

    def _shown_already(self) -> chess.Move | None:
        """Return the legal move of the player on move that all boards show, before the game begins
        or goes on; None if they do not show one."""
        table, game = self._desk.table, self._desk.table.game
        if not self.waits or table.shared or game.adjourned or game.side == table.absent:
            return None
        here = game.tables.keys() - ({table.absent} if len(game.tables) > 1 else set())
        seen = [seat for seat in self._seats.values() if seat.seen and not seat.gone]
        shown = {seat.side: seat.table_board for seat in seen if not seat.unassigned}
        first = next(iter(shown.values()), None)
        if game.turn.made is not None or first is None or not here <= shown.keys():
            return None
        if any(one is None or one.placement != first.placement for one in shown.values()):
            return None
        changed = difference(first.placement, game.pieces)
        return next(moves_that_show(game.board, changed), None)

    def _asks_played(self) -> bool:
        """Ask the player on move whether the move that all boards show was played, instead of
        leading the boards back. Return whether that is asked."""
        move = self._shown_already()
        before, self._played = self._played, None if move in self._not_played else move
        if self._played is not None and self._played != before:
            self._guides.clear()
            self._ask_played(self._played)
            self._listen_anew()
        return self._played is not None

    def _ask_played(self, move: chess.Move) -> None:
        game = self._desk.table.game
        pack = self._desk.readers.of(game.side)
        assert game.setup is not None
        words = pack.announce(game.board, move, edition=game.setup.edition)
        self._desk.tell(game.side, pack.sentence("played_sure", move=words), fleeting=True)

    def _answer_played(self, move: chess.Move, yes: bool) -> None:
        """Begin, and take ``move`` as played; or lead the boards back."""
        table, self._played = self._desk.table, None
        if not yes:
            self._not_played.add(move)
            self.lead()
            self.begin_if_ready()
            return
        side, uci = table.game.side, move.uci()
        self._take()
        if any(map(table.game.impaired, f.SIDES)):
            table.submit(f.Announce(by=side, move=uci))
        for board in table.game.tables:
            if board != table.absent or len(table.game.tables) == 1:
                table.submit(f.Make(by=board if len(table.game.tables) > 1 else side, move=uci))


def _strays(shown: Pieces, before: Pieces, after: Pieces) -> bool:
    """Return whether a piece stands, or is gone, in a way that no step between the two positions
    explains."""
    changed = difference(after, before)
    return any(
        at not in changed or now not in (None, after.get(at))
        for at, now in difference(shown, before).items()
    )
