"""Two boards: which of them is whose.

Adapters without a serial number of their own may swap the names of their ports after a power cut,
when they are replugged, or before a game is resumed. A lift on the wrong board would be a touch of
the wrong player (4.3, D.2.2). Boards with ids of their own are known by them, and the seats change
their boards at once. A board without one that comes back is unassigned, and nothing that happens on
it counts, until one of these shows whose it is: the other board has answered without a break, so it
is not that one; the id of the other board; what stands on it can be only one player's; or a player
has lifted their own king and put it back, as the table asks.
"""

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import chess

from blindplay.boards import events
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import (
    Change,
    Pieces,
    change,
    difference,
    read_placement,
    write_placement,
)
from blindplay.laws.state import OTHER, State
from blindplay.laws.unidentified_pieces import UNKNOWN
from blindplay.record import games

from .board_seat import BoardSeat, playing
from .desk import Desk


@dataclass
class _Unassigned:
    """What has happened on a board since it came back, and how much of it before the table asked;
    None: it has not asked yet. ``which`` is the board's id, as :class:`events.Connected` has it."""

    which: str | None
    happened: list[events.BoardEvent] = field(default_factory=list)
    asked: int | None = None

    @property
    def rested(self) -> str | None:
        """The position that the board has shown, if no hand has been at it since."""
        felt = [one for one in self.happened if isinstance(one, _OF_HANDS)]
        last = felt[-1] if felt else None
        return last.placement if isinstance(last, events.BoardPosition) else None

    @property
    def seen(self) -> bool:
        """Return whether the board has shown its position."""
        return any(isinstance(one, events.BoardPosition) for one in self.happened)

    def lifts_of_kings(self, game: State) -> Iterator[str]:
        """The sides whose kings were lifted and put back after the table had asked."""
        felt = [one for one in self.happened[self.asked or 0 :] if isinstance(one, _OF_HANDS)]
        for lifted, placed in itertools.pairwise(felt):
            owner = _owner(game, lifted, placed)
            if self.asked is not None and owner is not None:
                yield owner

    def in_the_end(self) -> list[events.BoardEvent]:
        """The events without those of hands: only the position in the end."""
        pieces: dict[int, str] = {}
        nameless, doubted, at = False, set[str](), 0.0
        for event in self.happened:
            match event:
                case events.BoardPosition(placement):
                    pieces, nameless = _read(placement), UNKNOWN in placement
                    doubted = set(event.doubted)
                case events.Lifted(square):
                    pieces.pop(chess.parse_square(square), None)
                    doubted.discard(square)
                case events.Placed(square, piece):
                    pieces[chess.parse_square(square)] = piece or _ANY
                case events.PieceDoubted(square):
                    doubted.add(square)
                case events.PieceCertain(square):
                    doubted.discard(square)
            at = event.at
        placement = write_placement(pieces)
        if nameless:
            placement = re.sub("[A-Za-z]", UNKNOWN, placement)
        others = [one for one in self.happened if isinstance(one, _OF_BOARD)]
        return [*others, events.BoardPosition(placement, at, tuple(sorted(doubted)))]


_KEPT = "board_ids"
"""The option beside the journal that holds the ids of the boards by seat."""
_ANY = "P"  # stands for a piece that the board cannot name
_OF_HANDS = (events.Lifted, events.Placed, events.BoardPosition)
_OF_BOARD = (events.Connected, events.ContactFault)


class WhoseBoards:
    """Passes the events of boards on to their seats, once it is certain whose boards they are."""

    def __init__(self, desk: Desk, seats: dict[str, BoardSeat]) -> None:
        self._desk = desk
        self._seats = seats
        self._by_name: set[BoardSeat] = set()
        self._connections: Counter[BoardSeat] = Counter()
        self._lost_at: dict[BoardSeat, float] = {}
        self._unassigned: dict[BoardSeat, _Unassigned] = {}
        # By seat, the id of its board, empty if it has none. A game that goes on knows those from
        # before.
        before = games.kept_options(desk.table.path).get(_KEPT)
        self._ids: dict[str, str] = {
            seat: which
            for seat, which in (before.items() if isinstance(before, dict) else ())
            if seat in SIDES and isinstance(which, str)
        }
        self._seen = {which for which in self._ids.values() if which}
        desk.table.watch_journal(self._note)

    def attach(self, seat: BoardSeat, *, by_name: bool) -> None:
        """Listen to the board of ``seat``. ``by_name``: it was that seat's before, and now only the
        name of its port says so."""
        if by_name:
            self._by_name.add(seat)
        seat.board.know(self._seen)
        seat.board.listen(lambda event: self._hear(seat, event))

    def tick(self) -> None:
        """A second has passed: ask about boards of which nothing else tells whose they are."""
        table = self._desk.table
        with table.lock:
            self._look()
            waiting = self._unassigned.values()
            if not waiting and not table.game.owners_known and not self._alike:
                table.submit(f.BoardOwners(known=True))  # the game had other boards before
            alone = all(seat.unassigned or not seat.connected for seat in self._seats.values())
            if not waiting or not alone or table.game.over:
                return
            if all(one.seen for one in waiting) and any(one.asked is None for one in waiting):
                for one in waiting:
                    one.asked = len(one.happened)
                table.submit(f.BoardOwners(known=False))

    @property
    def _alike(self) -> bool:
        """Return whether nothing but the names of ports tells the boards apart."""
        ids = [self._ids.get(seat) for seat in self._seats]
        if any(ids) and len(set(ids)) == len(ids) and None not in ids:
            return False
        return any(
            one.board.may_be(two.board, by_name=True)
            for one, two in itertools.pairwise(self._seats.values())
        )

    def _hear(self, seat: BoardSeat, event: events.BoardEvent) -> None:
        with self._desk.table.lock:
            if isinstance(event, events.Connected):
                self._connections[seat] += 1
                if event.which:
                    self._seen.add(event.which)
                for one in self._seats.values():
                    one.board.know(self._seen)
                self._meet(seat, event.which)
            elif isinstance(event, events.Disconnected):
                self._lost_at[seat] = event.at
                seat.unassigned = False
                self._unassigned.pop(seat, None)
            unassigned = self._unassigned.get(seat)
            if unassigned is not None and not isinstance(event, events.LeverPressed):
                unassigned.happened.append(event)
                self._look()
                return
        seat.take(event)

    def _meet(self, seat: BoardSeat, which: str | None) -> None:
        """The board ``which`` answers at ``seat``."""
        other, crossed = self._other(seat), self._shown_by_id(seat, which)
        if crossed is None:
            unassigned = self._may_be_the_others(seat)
        else:
            # That the other board was lost may still have to be told.
            unassigned = crossed and other is not None and other.connected
        if unassigned:
            seat.unassigned = True
            self._unassigned[seat] = _Unassigned(which)
            return
        if crossed:
            self._exchange()
        self._learn(seat, which)

    def _learn(self, seat: BoardSeat, which: str | None) -> None:
        """The board ``which`` is certainly that of ``seat``. Say so if it is another one than
        before, or if both players' boards have the same id."""
        if which is None:
            return
        before, self._ids[seat.seat] = self._ids.get(seat.seat), which
        other, desk = self._other(seat), self._desk
        if which and other is not None and other.connected and self._ids.get(other.seat) == which:
            desk.tell_all("board_copied")
        elif before and which != before:
            desk.tell_all("board_other", player=desk.pack.sentence(seat.side))
        if which != before:
            self._note()

    def _note(self, trouble: str | None = None) -> None:
        """Keep the ids beside the journal, after a full disk as soon as there is room."""
        if trouble is None and self._ids:
            games.note(self._desk.table.path, **{_KEPT: dict(self._ids)})

    def _shown_by_id(self, seat: BoardSeat, which: str | None) -> bool | None:
        """Return whether the boards are exchanged, as the id of the board at ``seat`` shows; None
        if it shows nothing."""
        other = self._other(seat)
        own, others = (None if one is None else self._ids.get(one.seat) for one in (seat, other))
        if which is None or own == others or which not in (own, others):
            return None
        if not which:  # only one of the two boards has an id
            return False if which == own and others else None
        return which == others

    def _other(self, seat: BoardSeat) -> BoardSeat | None:
        return next((one for one in self._seats.values() if one is not seat), None)

    def _may_be_the_others(self, seat: BoardSeat) -> bool:
        other = self._other(seat)
        if other is None:
            return False
        if seat.about:
            return seat.board.may_be(other.board)
        # It answers for the first time: people have just named its port.
        if seat not in self._by_name and not (other.gone and other.about):
            return False
        return seat.board.may_be(other.board, by_name=True)

    # --- whose they are --------------------------------------------------------------------------

    def _look(self) -> None:
        """Pass on what has happened on boards whose owners are certain now."""
        if not self._unassigned:
            return
        crossed = False
        for seat in self._unassigned:
            other = self._other(seat)
            assert other is not None
            if not other.unassigned and other.connected:
                lost_at = self._lost_at.get(seat, -math.inf)
                if other.board.answers_since(lost_at, self._connections[other]):
                    break  # both answer, each on a line of its own
                return
        else:
            ids = (self._shown_by_id(seat, one.which) for seat, one in self._unassigned.items())
            shown = next((crossed for crossed in ids if crossed is not None), None)
            shown = self._shown_by_kings() if shown is None else shown
            shown = self._shown_by_positions() if shown is None else shown
            if shown is None:
                return
            crossed = shown
        self._settle(crossed=crossed)

    def _shown_by_kings(self) -> bool | None:
        """Return whether the boards are exchanged, as the king that was lifted and put back after
        the table had asked shows; None if none was."""
        for seat, unassigned in self._unassigned.items():
            for owner in unassigned.lifts_of_kings(self._desk.table.game):
                return owner != seat.side
        return None

    def _shown_by_positions(self) -> bool | None:
        """Return whether the boards are exchanged, if what stands on them shows it; else None.
        While boards are set up or corrected, hands may put anything anywhere."""
        game = self._desk.table.game
        sides = {seat.side for seat in self._seats.values()}
        rested = {seat.side: unassigned.rested for seat, unassigned in self._unassigned.items()}
        free = not playing(game) or any(table.wanted for table in game.tables.values())
        if free or sides != game.tables.keys() or None in rested.values():
            return None
        straight = all(_fits(game, side, shown or "") for side, shown in rested.items())
        crossed = all(_fits(game, OTHER[side], shown or "") for side, shown in rested.items())
        return None if straight == crossed else crossed

    def _settle(self, *, crossed: bool) -> None:
        game = self._desk.table.game
        unassigned, self._unassigned = self._unassigned, {}
        if crossed:
            self._exchange()
        for seat, one in unassigned.items():
            self._learn(seat, one.which)
            self._by_name.discard(seat)
            seat.unassigned = one.asked is not None  # a press waits until everything has been told
            if seat.unassigned and seat.side not in one.lifts_of_kings(game):
                seat.lifts.expect_king()
            for event in one.in_the_end() if seat.unassigned else one.happened:
                seat.take(event)
        for seat in unassigned:
            seat.unassigned = False
            seat.lead()
        if not game.owners_known:
            self._desk.table.submit(f.BoardOwners(known=True))
        for seat in unassigned:
            self._desk.table.hands_first.connected(seat.seat)  # a press may wait

    def _exchange(self) -> None:
        self._desk.transcript.line("the two boards came back under exchanged names")
        one, other = self._seats.values()
        one.seat, other.seat = other.seat, one.seat
        one.levers, other.levers = other.levers, one.levers
        for seat in (one, other):
            self._seats[seat.seat] = seat
            self._desk.table.hands_first.attach(seat.seat, seat)


def _owner(game: State, lifted: events.BoardEvent, placed: events.BoardEvent) -> str | None:
    """Return the side whose king was lifted and put back; None if none was."""
    if not isinstance(lifted, events.Lifted) or not isinstance(placed, events.Placed):
        return None
    if lifted.square != placed.square:
        return None
    at = chess.parse_square(placed.square)
    kings = {"K": "white", "k": "black"}
    if placed.piece is not None:
        return kings.get(placed.piece)
    return kings.get(game.position_pieces().get(at, ""))


def _fits(game: State, side: str, placement: str) -> bool:
    """Return whether ``placement`` may stand on the board of ``side``: what it has shown last, or
    something on the way from there through the game to the next move. A board does not go back in
    the game by itself. Each board may show the next move first, for it is spoken (D.2.1)."""
    table, position = game.tables[side], game.position
    ways: list[tuple[Pieces, Change]] = [(table.placement, {})]
    ways += [(ply.pieces, change(ply.before, ply.move)) for ply in game.outstanding(side)]
    for board, pieces in ((game.board, game.pieces), (position, game.position_pieces())):
        ways += [(pieces, {}), *((pieces, change(board, move)) for move in board.legal_moves)]
    shown = _read(placement)
    if UNKNOWN in placement:  # only the occupied holes count
        ways = [(_nameless(before), _nameless(changed)) for before, changed in ways]
    return any(
        all(
            at in changed and now in (None, changed[at])
            for at, now in difference(shown, before).items()
        )
        for before, changed in ways
    )


def _read(placement: str) -> dict[int, str]:
    return dict(read_placement(placement.replace(UNKNOWN, _ANY)))


def _nameless(pieces: Mapping[int, str | None]) -> dict[int, Any]:
    return {at: None if letter is None else _ANY for at, letter in pieces.items()}
