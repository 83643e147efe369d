"""Finds the moves in the messages of a DGT board, live or recorded. Its clock shows gaps in the
stream, and the side that moved.

Hands slide pieces over legal squares, put down before they lift, castle rook first, and take a
piece without its square ever being reported empty. So a position is not a move just because it is
legal. The finder keeps the line of plies that the board has shown since the last reported move. It
revises the end of that line as long as hands may still be at work: a position that continues the
line lengthens it, and one that an earlier position of the line leads to replaces the rest. A move
is final when it can no longer be revised. With ``clock`` that is when the running side of the clock
changes while the board shows the end of the line. With ``position`` it is when later moves have
answered it, or when the game is over.

Lost bytes leave the heard board wrong in the squares whose updates are missing. The positions that
one position leads to differ in at least two squares, except for the piece of a promotion. So one
update that is lost without a trace leaves a board that fits no move, with a piece too many or too
few. These end the reports: extra pieces at a press of the clock, or for long; two presses in a row
that no move explains; a damaged message; and a clock that was heard each second and jumps. Then the
finder reports nothing until a dump of the whole board, and after it only if exactly one way leads
there from the last reported move. So one lost update causes no wrong move if the clock makes moves
final. If positions do, a capture of the piece whose lift was lost may hide the loss.

These errors cannot be noticed: several updates lost without a trace that leave a legal position; a
flipped bit that turns a field or a promotion piece into another legal one; moves made unheard that
lead back to a position that was heard.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import chess

from blindplay.translation import UserError, _, _n

from ..diagram import (
    START,
    Diagram,
    diagram_of_board,
    differing,
    has_extra_pieces,
    kings_in_the_centre,
    only_pieces_removed,
    positions_of,
    turned_at_start,
)
from ..reporting import (
    BoardMessage,
    BoardReport,
    ClockSide,
    ClockTimes,
    Garbled,
    SquareChange,
)
from .pending import HeardBoard, Node, PendingMoves
from .protocol import Decoder

_STEADY_TICKS = 15
"""Number of regular seconds after which a jump of the clock shows a loss."""
_LARGEST_STEP = 3
"""Most seconds that a clock falls between two messages if it is heard each second."""


class ClockRhythm:
    """Notices when a clock that ticked each second was not heard for a while.

    Then messages were lost without a trace, and moves may be among them. Only a recording whose
    clock was heard each second for a while can show this; the others pass as good.
    """

    def __init__(self) -> None:
        self._last: ClockTimes | None = None
        self._ticks: int | None = 0  # None: this clock is not heard each second
        self._doubted = False

    def judge(self, clock: ClockTimes) -> Literal["good", "doubtful", "jump"]:
        """Take the next clock message. Ignore a doubtful one: its time may be misread. The next
        message shows whether it was, or whether time has passed unheard."""
        last = self._last
        regular = last is None or clock.running is None or self._is_regular(last, clock)
        if regular or self._ticks is None or self._ticks < _STEADY_TICKS:
            if last is not None and not regular:
                self._ticks = None
            self._last = clock if clock.running else None
            self._doubted = False
            return "good"
        if not self._doubted:
            self._doubted = True
            return "doubtful"
        self._last, self._doubted = clock, False
        return "jump"

    def _is_regular(self, last: ClockTimes, clock: ClockTimes) -> bool:
        # The clock may add time: an increment, a new period. It never runs fast.
        fell = max(last.left - clock.left, last.right - clock.right)
        if fell == 1 and self._ticks is not None:
            self._ticks += 1
        if last.running != clock.running:
            return fell <= _LARGEST_STEP
        stands = (last.left, clock.left) if clock.running == "right" else (last.right, clock.right)
        return fell <= _LARGEST_STEP and stands[0] == stands[1]


class ClockOwners:
    """The owners of the clock's sides; ``white`` is White's side, or None while it is unknown."""

    def __init__(self) -> None:
        self.white: ClockSide | None = None
        self._sure = False

    def mover_pressed(self, side: ClockSide, white_moved: bool) -> bool:
        """Return whether ``side`` of the clock belongs to the player who moved last.

        The first two presses that agree settle it: one alone may only have started the clock.
        """
        white: ClockSide = side if white_moved else ("right" if side == "left" else "left")
        if white == self.white:
            self._sure = True
        elif self._sure:
            return False
        self.white = white
        return True


Commit: TypeAlias = Literal["clock", "position"]

_EXTRA_PIECE_UPDATES = 3
"""Number of updates for which a piece may be in two places: put down before its lift was
noticed."""


@dataclass(frozen=True)
class MoveFound:
    """A move was played: its number from 1 within this game, and its UCI."""

    ply: int
    uci: str


@dataclass(frozen=True)
class MoveUnclear:
    """A sentence for a person: about a gap, or about a choice that the finder has made."""

    sentence: str


MoveFinding: TypeAlias = MoveFound | MoveUnclear


class _Findings:
    """The findings that were not taken yet. ``plies`` counts the moves of this game."""

    def __init__(self) -> None:
        self.plies = 0
        self._findings: list[MoveFinding] = []
        self._sentences: set[str] = set()

    @property
    def where(self) -> str:
        return _n("after {count} move", "after {count} moves", self.plies)

    def move(self, uci: str) -> None:
        self.plies += 1
        self._findings.append(MoveFound(self.plies, uci))

    def say(self, sentence: str) -> None:
        self._findings.append(MoveUnclear(sentence))

    def say_once(self, sentence: str) -> None:
        if sentence not in self._sentences:
            self._sentences.add(sentence)
            self.say(sentence)

    def take(self) -> list[MoveFinding]:
        findings, self._findings = self._findings, []
        return findings


class MoveFinder:
    """Finds the moves in the messages of one board.

    ``commit`` makes a move final: ``clock`` or ``position`` (see the module). ``position``
    is where the game begins, if the first dump does not show it. ``turned`` says that White sits
    at the side of field 0; with None the start position or ``position`` shows it.
    ``last_unpressed`` reports a last move even if the clock was not pressed after it.
    """

    def __init__(
        self,
        commit: Commit,
        *,
        position: chess.Board | None = None,
        turned: bool | None = None,
        last_unpressed: bool = False,
    ) -> None:
        self._commit = commit
        self._start = position
        self._start_turned = turned
        self._last_unpressed = last_unpressed
        self._heard = HeardBoard(bool(turned))
        self._reports = _Findings()
        self._pending: PendingMoves | None = None  # None before the first position of a game
        self._result: Diagram | None = None  # the board, if it shows both kings in the centre
        self._unexplained = False  # the board shows nothing that the line explains
        self._presses_unexplained = 0
        self._extra_pieces_for = 0  # updates
        self._showed_end = False  # the board showed the end of the line until the last dump
        self._lost = False  # no reports until a dump
        self._lost_reported = False  # and that was reported
        self._damaged = False
        self._beginning_missed = False
        self._running: ClockSide | None = None
        self._clock_owners = ClockOwners()
        self._rhythm = ClockRhythm()

    # --- messages --------------------------------------------------------------------------

    def hear(self, message: BoardMessage) -> list[MoveFinding]:
        """Take the next message of the stream and return the findings."""
        match message:
            case BoardReport(diagram):
                self._hear_dump(diagram)
            case SquareChange(square, letter):
                self._hear_update(square, letter)
            case ClockTimes():
                self._hear_clock(message)
            case Garbled():
                self._damaged = True
                self._lose(_("Bytes were lost or damaged"))
        return self._reports.take()

    def finish(self) -> list[MoveFinding]:
        """The stream has ended: return the last findings."""
        if self._heard.diagram is None:
            self._reports.say(_("The board was never heard as a whole, so no moves can be found."))
        elif self._pending is None:
            self._reports.say(
                _("The board never showed a position of a game, so no moves can be found.")
            )
        else:
            self._end(self._pending)
        return self._reports.take()

    def _lose(self, reason: str) -> None:
        if self._heard.diagram is None or self._lost:
            return
        self._lost = True
        if not self._lost_reported:
            self._reports.say(
                _(
                    "{reason} {where}: no more moves are reported until the board is heard "
                    "as a whole again.",
                    reason=reason,
                    where=self._reports.where,
                )
            )

    def _hear_dump(self, diagram: Diagram) -> None:
        first = self._heard.diagram is None
        self._showed_end = (
            not first and self._pending is not None and self._pending.ends_in(self._heard.shown)
        )
        self._heard.dump(diagram)
        at_start = turned_at_start(diagram) is not None
        if first and self._beginning_missed and self._start is None and not at_start:
            self._lost = True
            self._reports.say(
                _("Moves were played before the board was heard as a whole; they are not reported.")
            )
            return
        if first or (self._pending is None and not self._lost):
            self._begin()
        if self._lost and self._pending is not None:
            self._lost = False
            if not self._lost_reported:
                self._reports.say(
                    _(
                        "The whole board was received again; the moves continue from there if "
                        "possible."
                    )
                )
            self._bridge(self._pending)
        else:
            self._look()
        self._guess_beginning_again()

    def _hear_update(self, square: chess.Square, letter: int) -> None:
        if self._heard.diagram is None:
            if self._start is None:
                self._beginning_missed = self._damaged
                self._reports.say_once(
                    _(
                        "Changes before the first dump of the whole board mean nothing and are "
                        "skipped."
                    )
                )
                return
            self._reports.say(
                _("There is no dump of the board, so the game is taken to begin as given.")
            )
            start = diagram_of_board(self._start)
            self._heard.diagram = start[::-1] if self._heard.turned else start
            self._begin()
        self._heard.update(square, letter)
        self._showed_end = False
        if self._pending is None and not self._lost:
            self._begin()
        self._look()

    def _hear_clock(self, clock: ClockTimes) -> None:
        match self._rhythm.judge(clock):
            case "doubtful":
                return
            case "jump":
                self._lose(_("The clock jumped, so part of the stream is missing"))
        before, now = self._running, clock.running
        if now is None:
            return
        self._running = now
        if before is None or before == now or self._lost or self._pending is None:
            return
        if self._unexplained and self._extra_pieces_for:
            self._lose(_("The clock was pressed while there seemed to be more pieces than before"))
        elif self._commit == "clock":
            self._press(self._pending, before)

    def _press(self, pending: PendingMoves, side: ClockSide) -> None:
        white = self._clock_owners.white
        if self._shows_end(pending) and self._clock_owners.mover_pressed(
            side, white_moved=pending.line[-1].board.turn == chess.BLACK
        ):
            self._report(pending, len(pending.line))
        elif not self._unexplained and not pending.line:
            self._presses_unexplained = 0
        elif (
            self._unexplained
            and white is not None
            and pending.accept_with_pieces_missing(side == white, self._heard)
        ):
            pass  # It is reported when the pieces stand again.
        else:
            # One press may be early: the last update came after it, or the answer before it.
            # Two in a row show a loss.
            self._presses_unexplained += 1
            if self._presses_unexplained > 1 and self._result is None and not self._lost_reported:
                self._lose(_("The clock was pressed twice while the board showed no move"))

    # --- where a game begins -----------------------------------------------------------------

    def _begin(self) -> None:
        diagram = self._heard.diagram
        assert diagram is not None
        if self._start is not None:
            self._begin_at_start(diagram, self._start)
            return
        turned = turned_at_start(diagram)
        if turned is not None and self._start_turned in (None, turned):
            self._heard.turned = turned
            self._pending = PendingMoves([Node(chess.Board(), None, START)])
            return
        self._pending = None
        for turned in (False, True) if self._start_turned is None else (self._start_turned,):
            shown = diagram[::-1] if turned else diagram
            if bases := [Node(board, None, shown) for board in positions_of(shown)]:
                self._heard.turned = turned
                self._pending = PendingMoves(bases)
                self._reports.say_once(
                    _(
                        "The board does not show the start position first: White is taken "
                        "to sit at the far side, and the first move shows which side is to "
                        "move. If that is wrong, give the position (--fen) or how the "
                        "board lies (--turned, --not-turned)."
                    )
                    if turned
                    else _(
                        "The board does not show the start position first: White is taken "
                        "to sit at the usual side, and the first move shows which side is "
                        "to move. If that is wrong, give the position (--fen) or how the "
                        "board lies (--turned, --not-turned)."
                    )
                )
                return
        self._reports.say_once(_("The board shows no position of a game yet."))

    def _begin_at_start(self, diagram: Diagram, position: chess.Board) -> None:
        base = Node(position.copy(stack=False), None, diagram_of_board(position))
        self._pending = PendingMoves([base])
        if self._start_turned is None:
            straight, turned = (
                differing(way, base.diagram).bit_count() for way in (diagram, diagram[::-1])
            )
            self._heard.turned = turned < straight
        if self._heard.shown != base.diagram:
            self._reports.say_once(_("The first dump does not show the position that was given."))

    def _guess_beginning_again(self) -> None:
        """The first dump was only a guess at where the game begins. A later dump is a better guess,
        unless a piece is just in somebody's hand."""
        if self._start is not None or self._reports.plies or self._pending is None:
            return
        bases, shown = self._pending.bases, self._heard.shown
        if not self._unexplained or self._pending.line or bases[0].diagram == START:
            return
        if not any(only_pieces_removed(base.diagram, shown) for base in bases):
            self._begin()
            self._unexplained = False

    def _begin_if_set_up(self) -> bool:
        """Begin a new game if the pieces stand for one, and return whether they do."""
        assert self._heard.diagram is not None
        turned = turned_at_start(self._heard.diagram)
        if turned is None or self._start_turned not in (None, turned):
            return False
        plies, pending = self._reports.plies, self._pending
        if self._lost and not plies and self._start is None:
            return False  # the same game; its first changes may have been lost
        line = pending.line if pending else []
        if pending and (plies or line):
            if self._start is None and not plies and pending.bases[0].diagram != START:
                pending.line = []  # only the pieces were put up
            else:
                self._end(pending, new_game=True)
        if self._reports.plies or (pending and pending.line) or self._start is not None:
            self._reports.say(_("The pieces stand for a new game."))
        self._heard.turned, self._start = turned, None
        self._pending = PendingMoves([Node(chess.Board(), None, START)])
        self._reports.plies = self._presses_unexplained = self._extra_pieces_for = 0
        self._lost = self._unexplained = self._lost_reported = False
        self._result = None
        self._clock_owners = ClockOwners()
        return True

    # --- following the board -----------------------------------------------------------------

    def _look(self) -> None:
        if self._lost:
            self._begin_if_set_up()  # setting up all pieces begins a new game in any case
            return
        if self._pending is None:
            return
        if self._pending.follow(self._heard) or self._begin_if_set_up():
            self._understood()
            return
        self._unexplained = True
        shown = self._heard.shown
        if kings_in_the_centre(shown):
            self._result = shown
        self._watch_for_extra_pieces(self._pending.bases[0].diagram, shown)

    def _understood(self) -> None:
        self._unexplained = self._lost_reported = False
        self._result, self._extra_pieces_for = None, 0
        self._heard.understood()
        pending = self._pending
        if self._commit == "position" and pending is not None and len(pending.line) > 2:
            self._report(pending, len(pending.line) - 2)

    def _watch_for_extra_pieces(self, base: Diagram, shown: Diagram) -> None:
        """A piece that was put down before its lift was noticed is two for a moment. If it stays
        two, the lift was lost, and a legal position on the board may be wrong."""
        known = self._start is not None or self._reports.plies or base == START
        if not known or self._result is not None or not has_extra_pieces(base, shown):
            self._extra_pieces_for = 0
            return
        self._extra_pieces_for += 1
        if self._extra_pieces_for > _EXTRA_PIECE_UPDATES:
            self._lose(_("There seemed to be more pieces than before"))

    def _bridge(self, pending: PendingMoves) -> None:
        """Go on from a dump after a loss, if exactly one way leads from the line to it."""
        ways = pending.bridge(self._heard.shown)
        if ways == 1:
            self._understood()
            return
        self._unexplained = True
        if self._begin_if_set_up() or self._lost_reported:
            return
        self._lost_reported = True
        why = _("can be reached in several ways") if ways else _("cannot be reached")
        self._reports.say(
            _(
                "The position on the board {why} from the one {where} by a move or two: "
                "moves are missing here.",
                why=why,
                where=self._reports.where,
            )
        )

    def _shows_end(self, pending: PendingMoves) -> bool:
        """Return whether the board shows the end of the line. A pair of plies may join it first."""
        shown = self._heard.shown
        if pending.join_pair_to(shown):
            self._unexplained = False
            self._heard.understood()
        return pending.ends_in(shown)

    # --- reporting -----------------------------------------------------------------------------

    def _report(self, pending: PendingMoves, count: int) -> None:
        for uci in pending.take(count):
            self._reports.move(uci)
            self._presses_unexplained = 0

    def _end(self, pending: PendingMoves, *, new_game: bool = False) -> None:
        """The game is over, or at least nothing more is heard of it."""
        reports = self._reports
        if self._lost:
            if self._commit == "position":  # The last ply may have been under way at the loss.
                self._report(pending, max(0, len(pending.line) - 1))
            reports.say(
                _(
                    "The board was not heard as a whole again: the moves {where} are missing.",
                    where=reports.where,
                )
            )
            return
        finished = self._finish_line(pending, new_game)
        over = bool(pending.line) and not any(pending.line[-1].board.legal_moves)
        if self._commit == "position":
            self._report(pending, max(0, len(pending.line) - (0 if finished else 1)))
        elif finished and len(pending.line) == 1 and (self._last_unpressed or over):
            self._report(pending, 1)
            if not over:  # mate and stalemate end the game without a press
                reports.say(
                    _(
                        "After move {plies}, the last one, the clock was not pressed.",
                        plies=reports.plies,
                    )
                )
        if pending.line:
            seen = " ".join(node.move.uci() for node in pending.line if node.move)
            why = (
                _("the clock was not pressed after it")
                if self._commit == "clock"
                else _("the board does not show that it was finished")
            )
            reports.say(
                _(
                    "Also seen {where}, but not reported, because {why}: {seen}.",
                    where=reports.where,
                    why=why,
                    seen=seen,
                )
            )
        elif self._unexplained and not self._result and not new_game:
            reports.say(
                _("The changes on the board {where} fit no legal move.", where=reports.where)
            )

    def _finish_line(self, pending: PendingMoves, new_game: bool) -> bool:
        """Bring the line to the end of the game. Whether its last move is certainly finished."""
        if self._result:
            for uci in pending.drop_king_walk(self._result):
                self._reports.say(
                    _(
                        "The king's step {uci} is taken for showing the result, not for a move.",
                        uci=uci,
                    )
                )
        else:
            self._shows_end(pending)
        if not pending.line or pending.may_be_half_a_castling():
            return False
        if self._result is not None:
            return True
        if new_game:
            return self._showed_end
        last, shown = pending.line[-1], self._heard.shown
        assert last.move is not None
        to = last.move.to_square
        # The move stood, and then pieces were taken off the board.
        return last.diagram[to] == shown[to] and only_pieces_removed(last.diagram, shown)


class NoRecordingError(UserError):
    """The bytes are not a recording of a DGT board."""


def decode(
    data: bytes,
    *,
    commit: Commit | None = None,
    position: chess.Board | None = None,
    turned: bool | None = None,
) -> Iterator[MoveFinding]:
    """Yield the moves in a recorded stream, and a sentence about each gap.

    With ``commit`` None, the clock makes moves final if it was pressed for most of them, and the
    last move counts even without a press; otherwise positions do. ``position`` is where the game
    begins, if the first dump does not show it.

    :raises NoRecordingError: if the bytes hold no board.
    """
    decoder = Decoder()
    messages = decoder.feed(data)
    if not any(isinstance(message, BoardReport | SquareChange) for message in messages):
        raise NoRecordingError("it holds no messages of a DGT board")
    if position is None and not any(isinstance(message, BoardReport) for message in messages):
        raise NoRecordingError("it holds no dump of the whole board, so no moves can be found")
    finder = MoveFinder(
        commit or _commit_of(messages, position, turned),
        position=position,
        turned=turned,
        last_unpressed=commit is None,
    )
    for message in messages:
        yield from finder.hear(message)
    if decoder.unfinished:
        yield MoveUnclear(_("The recording ends within a message about the board."))
        yield from finder.hear(Garbled())
    yield from finder.finish()
    if decoder.unknown:
        yield MoveUnclear(
            _("Skipped messages of an unknown kind: {unknown}.", unknown=decoder.unknown)
        )


def _commit_of(
    messages: list[BoardMessage], position: chess.Board | None, turned: bool | None
) -> Commit:
    running = [m.running for m in messages if isinstance(m, ClockTimes) and m.running]
    presses = sum(earlier != later for earlier, later in pairwise(running))
    if not presses:
        return "position"
    finder = MoveFinder("position", position=position, turned=turned)
    moves = sum(isinstance(finding, MoveFound) for m in messages for finding in finder.hear(m))
    # A clock that was only tried, or left alone for the rest of the game, makes nothing final.
    return "clock" if 2 * presses >= moves else "position"
