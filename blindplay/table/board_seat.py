"""A player's sensor board: its events become facts, its lamps show what hands have to do."""

from collections.abc import Callable, Collection, Iterable

import chess

from blindplay.boards import events
from blindplay.boards.driver import Notice, SensorBoard
from blindplay.boards.nameless import possible_moves
from blindplay.laws import facts as f
from blindplay.laws import touching, unidentified_pieces
from blindplay.laws.placement import (
    Pieces,
    change,
    difference,
    laid_over,
    read_placement,
    write_placement,
)
from blindplay.laws.state import State, TableBoard
from blindplay.laws.unidentified_pieces import UNKNOWN, named, occupied, told

from .desk import NAMES, Desk


class BoardSeat:
    """The board at ``seat``.

    ``on_lever`` is called with a seat and the seconds since its clock lever was pressed, and
    ``changed`` after every event. ``asked`` tells whether a side is asked something.
    """

    def __init__(
        self,
        desk: Desk,
        seat: str,
        board: SensorBoard,
        *,
        on_lever: Callable[[str, float], None],
        changed: Callable[[], None],
        asked: Callable[[str], bool],
    ) -> None:
        self.board = board
        self.about = ""
        """The board's description of itself, with its firmware; empty before it has been
        connected."""
        self.connected = False
        """True if the board can be asked."""
        self.gone = False
        """True if the board was lost and has not come back."""
        self.seen = False
        """True if the board has shown its position, or cannot be reached."""
        self._desk = desk
        self.seat = seat
        """The seat whose board it is."""
        self.unassigned = False
        """True while it is not certain whose board it is. Until then nothing on it counts."""
        self.levers = True
        """True if its levers are the table's clock, False if they are its player's talk buttons."""
        self._on_lever = on_lever
        self._changed = changed
        self._asked = asked
        self._which: str | None = None
        self._faulty: set[str] = set()
        self._advised = False
        self.lifts = AskedLifts(desk, self)
        # The position, while hands rest, of a board that tells positions only, and the squares
        # that were seen empty since it showed a position of the game.
        self._resting: str | None = None
        self._emptied: set[chess.Square] = set()
        self._lit: tuple[frozenset[chess.Square], frozenset[Notice]] = frozenset(), frozenset()
        desk.table.hands_first.attach(seat, self)

    @property
    def side(self) -> str:
        """The side whose board it is now."""
        return self._desk.table.side_of(self.seat)

    @property
    def table_board(self) -> TableBoard | None:
        """The board as the Laws know it; None where the table has only one."""
        return self._desk.table.game.tables.get(self.side)

    def read(self, number: int) -> None:
        """Ask the board to tell everything that hands have done."""
        self.board.read(number)

    def ask_to_check(self) -> None:
        """Ask everybody to look at the board, for it cannot be read, or to say the move."""
        if self.unassigned:
            self._desk.tell_all("owners_asked")
            return
        if self.lifts.doubted and not self.gone:
            self.lifts.ask_again()
            return
        sentence = "board_unread" if self.gone or not self._unclear() else "board_unclear"
        self._desk.tell_all(sentence, player=self._desk.pack.sentence(self.side))

    # --- events ------------------------------------------------------------------------------

    def take(self, event: events.BoardEvent) -> None:
        """Make facts of what has happened on the board."""
        desk, hands_first = self._desk, self._desk.table.hands_first
        match event:
            case events.Lifted() | events.Placed() | events.BoardPosition() if (
                not self.board.FEELS_TOUCHES
            ):
                self._untouched(event)
            case events.Lifted(square):
                self._line(f"{square} lifted")
                self.lifts.lift(square)
            case events.Placed(square, piece):
                self._line(f"{piece or 'a piece'} placed on {square}")
                self.lifts.place(square, piece or None)
            case events.PieceTouched(square):
                self._line(f"{square} touched")
                self._touched(square)
            case events.PieceDoubted(square):
                self._line(f"the piece on {square} is doubted")
                self.lifts.doubt(square)
            case events.PieceCertain(square):
                self._line(f"the piece on {square} is certain")
                self.lifts.certain(square)
            case events.BoardPosition():
                self._line(f"position {event.placement}")
                self._position(event)
            case events.Read(number):
                hands_first.read(self.seat, number)
            case events.PositionUnknown():
                # People hear why nothing happens: moves of hands wait until it can be read.
                self._line("the position is not known")
                self.ask_to_check()
                hands_first.unreadable(self.seat)
            case events.LeverPressed(side):
                self._on_lever(side, max(0.0, self.board.now() - event.at))
            case events.Connected():
                self.connected, self.about = True, event.board
                desk.transcript.line(f"{NAMES[self.side]}'s board is connected: {event.board}")
                if event.advice and not self._advised:
                    self._advised = True  # a cable may be pulled often; it is said once
                    desk.transcript.trouble(event.advice)
                self._tell_faults(event.which)
                if self.gone:
                    self.gone = False
                    desk.tell_all("board_back", player=desk.pack.sentence(self.side))
                hands_first.connected(self.seat)
            case events.Disconnected(why):
                desk.transcript.trouble(why)
                self.gone = self.seen = True
                self.connected = False
                self.lifts.forget_lift()
                hands_first.read(self.seat, None)
                desk.tell_all("board_gone", player=desk.pack.sentence(self.side))
            case events.ContactFault(square):
                desk.trouble("contact_of", player=desk.pack.sentence(self.side), square=square)
                self._tell_fault(square)
        self.lead()
        self._changed()

    def _tell_faults(self, which: str | None) -> None:
        """Tell what a check has found at the board ``which``. Another board has other faults."""
        if which != self._which:
            self._which = which
            self._faulty.clear()
        for square in self.board.known_faults(which):
            self._tell_fault(square)

    def _tell_fault(self, square: str) -> None:
        """Tell that a contact is bad, once: a fault may come and go."""
        if square not in self._faulty:
            self._faulty.add(square)
            tell_bad_contact(self._desk, square)

    def _line(self, text: str) -> None:
        self._desk.transcript.line(f"felt {NAMES[self.side]}'s board: {text}")

    def _touched(self, square: str) -> None:
        """A piece that a finger was on has left its square. On the tactile board only leaving the
        securing hole touches (D.2.2)."""
        game = self._desk.table.game
        tactile = len(game.tables) == 2 and game.impaired(self.side)
        if self.table_board is None or tactile:
            return
        if touching.counts_as_touch(game, self.side, chess.parse_square(square)):
            self._desk.table.submit(f.Touch(by=game.side, square=square))

    def _position(self, event: events.BoardPosition) -> None:
        self.lifts.forget_lift()
        game, placement = self._desk.table.game, event.placement
        if self.side in game.tables:  # unnamed pieces stand where the game has them
            placement = unidentified_pieces.named(game, self.side, placement)
        table = self.table_board
        if table is None or table.placement != read_placement(placement) or not self.seen:
            self._desk.table.submit(f.Position(board=self.side, placement=placement))
        self.seen = self.connected = True
        self.lifts.doubt_only(event.doubted)

    # --- a board that tells positions only -----------------------------------------------------

    def _untouched(self, event: events.Lifted | events.Placed | events.BoardPosition) -> None:
        """A position proves no touch: no checksum protects it, and a piece that stands may still
        be in the hand. Its position counts when it is awaited, and when its player presses the
        clock; until then the move is not released (4.7)."""
        self._resting = None
        if isinstance(event, events.BoardPosition):
            self._line(f"position {event.placement}")
            self._resting = event.placement
            self.seen = True
            self.take_awaited()
            if UNKNOWN in event.placement:  # a press may wait until the board tells the move
                self._desk.table.hands_first.connected(self.seat)
        else:
            if isinstance(event, events.Lifted):
                self._emptied.add(chess.parse_square(event.square))
            now = "empty" if isinstance(event, events.Lifted) else "occupied"
            self._line(f"{event.square} is {now}")

    def take_awaited(self) -> None:
        """Take the position at rest if it is what should stand there now."""
        placement = read_position(self._desk.table.game, self.side, self._resting, self._emptied)
        if placement is not None and self._awaits(placement):
            self._take(placement)

    def hides(self, presser: str) -> bool:
        """Return whether the presser's move may stand on this board, which cannot tell: it is gone
        or unassigned, a piece is doubted, or it knows no pieces and several moves look the same."""
        game = self._desk.table.game
        unmade = game.turn.made is None and game.sealed is None and not game.over
        if not unmade or not self._is_own(presser) or not presser.endswith(game.side):
            return False
        hidden = self.gone or self.unassigned or self._doubt_hides()
        return hidden or self._unclear()

    def _doubt_hides(self) -> bool:
        """Return whether a doubted square may hide a move. One that counts as empty, such as a damp
        one, does so only while a piece is missing on the board."""
        table, doubted = self.table_board, self.lifts.doubted
        if not doubted or table is None:
            return bool(doubted)
        shown = table.placement
        missing = len(shown) < len(self._desk.table.game.pieces)
        return missing or any(chess.parse_square(square) in shown for square in doubted)

    def _unclear(self) -> bool:
        nameless = self._resting is not None and UNKNOWN in self._resting
        shown = self.board.look() if nameless else None
        game = self._desk.table.game
        return shown is not None and read_position(game, self.side, shown, self._emptied) is None

    def take_pressed(self, presser: str) -> None:
        """The clock is pressed: take the position on the presser's board as played."""
        if self._is_own(presser) and not self.board.FEELS_TOUCHES:
            game, shown = self._desk.table.game, self.board.look()
            self._take(read_position(game, self.side, shown, self._emptied))

    def _is_own(self, presser: str) -> bool:
        """Return whether the presser, a player or an assistant, moves on this board."""
        game, side = self._desk.table.game, presser.removeprefix("assistant:")
        return side in f.SIDES and game.setup is not None and game.board_of(side) == self.side

    def _take(self, placement: str | None) -> None:
        table = self.table_board
        if table is None or placement is None:
            return
        if table.placement != read_placement(placement):
            self._desk.table.submit(f.Position(board=self.side, placement=placement))
        self._emptied.clear()

    def lead(self) -> None:
        """Light the squares at which hands have something to do, and tell the player without words
        what is to be done."""
        game, side = self._desk.table.game, self.side
        asked = self._asked(side) or bool(self.lifts.doubted)
        lit = to_light(game, side, self._resting), notices(game, side, asked=asked)
        if self.unassigned:
            lit = frozenset(), frozenset((Notice.QUESTION,))
        if lit != self._lit:
            self._lit = lit
            self.board.light(*lit)

    def _awaits(self, placement: str) -> bool:
        """Return whether this position is expected: the board is being set up or corrected, the
        game has reached the position, or the announced or made move leads to it."""
        game, table = self._desk.table.game, self.table_board
        if table is None:
            return False
        if not playing(game) or table.wanted is not None:
            return True
        return read_placement(placement) in unidentified_pieces.expected(game, self.side)


def tell_bad_contact(desk: Desk, square: str) -> None:
    """Tell the impaired player that a hole of the board has a bad contact."""
    name = desk.private_pack.square(chess.parse_square(square))
    desk.tell_privately("contact_bad", square=name)


_KINGS = {"white": "K", "black": "k"}


class AskedLifts:
    """Lifts and placings on one board, which become facts unless the table has asked for them.

    A lift that was asked for waits for what the hand does next. The piece back in its hole: nothing
    has happened. Another piece in that hole: it was put there. Anything else: it was a lift like
    any other. That does not touch a piece (4.3, D.2.2).
    """

    def __init__(self, desk: Desk, seat: "BoardSeat") -> None:
        self._desk = desk
        self._seat = seat
        # Squares whose piece is doubted, and whether the player waits to hear of it.
        self._doubted: dict[str, bool] = {}
        self._told: set[str] = set()
        self._king_expected = False
        self._lifted: str | None = None

    @property
    def doubted(self) -> Collection[str]:
        """The squares whose piece is doubted."""
        return self._doubted.keys()

    def lift(self, square: str) -> None:
        """A hand has lifted the piece on ``square``."""
        self._not_put_back()
        king = self._king_expected and self._piece_on(square) == _KINGS[self._seat.side]
        self._king_expected = False
        if king or square in self._doubted:
            self._lifted = square
        else:
            self._desk.table.submit(f.Lift(board=self._seat.side, square=square))

    def place(self, square: str, piece: str | None) -> None:
        """A hand has put a piece on ``square``; None: the board cannot name it."""
        asked = self._lifted == square
        if asked:
            self._lifted = None
        self._not_put_back()
        if not asked or piece != self._piece_on(square):
            self._desk.table.submit(f.Place(board=self._seat.side, square=square, piece=piece))
        if asked:
            self.certain(square)

    def _not_put_back(self) -> None:
        square, self._lifted = self._lifted, None
        if square is not None:
            self._desk.table.submit(f.Lift(board=self._seat.side, square=square))
            self.doubt_only(self._doubted.keys() - {square})

    def expect_king(self) -> None:
        """The player has been asked to lift their king and may do so yet, though it is no longer
        needed."""
        self._king_expected = True

    def forget_lift(self) -> None:
        """The line was interrupted: the position that follows shows what hands have done."""
        self._lifted = None

    # --- doubted pieces ------------------------------------------------------------------------

    def doubt(self, square: str) -> None:
        """The board doubts the piece on ``square``. The player is asked once in a game: a bad
        contact comes and goes."""
        self._doubted.setdefault(square, False)
        if square not in self._told:
            self._told.add(square)
            self._ask(square)

    def doubt_only(self, squares: Collection[str]) -> None:
        """The pieces on ``squares``, and no others, are doubted."""
        before = self._doubted
        self._doubted = {at: told for at, told in before.items() if at in squares}
        for square in squares:
            self.doubt(square)
        if before and not squares:
            self._desk.table.hands_first.connected(self._seat.seat)  # a press may wait for it

    def certain(self, square: str) -> None:
        """What stands on ``square`` is certain: say it, if its player waits for that."""
        piece = self._piece_on(square)
        if self._doubted.get(square):
            pack = self._desk.readers.of(self._seat.side)
            name = pack.square(chess.parse_square(square))
            words = pack.sentence("square_empty", square=name)
            if piece is not None:
                holds = pack.piece(chess.Piece.from_symbol(piece))
                words = pack.sentence("square_holds", square=name, piece=holds)
            self._desk.tell(self._seat.side, words)
        self.doubt_only(self._doubted.keys() - {square})

    def ask_again(self) -> None:
        """Say of each doubted piece what makes it certain."""
        for square in sorted(self._doubted):
            self._ask(square)

    def _ask(self, square: str) -> None:
        self._doubted[square] = True
        pack = self._desk.readers.of(self._seat.side)
        shown = self._seat.table_board is not None and self._piece_on(square) is None
        key = "contact_counts_empty" if shown else "contact_doubted"
        words = pack.sentence(key, square=pack.square(chess.parse_square(square)))
        player = pack.sentence(self._seat.side)
        self._desk.tell(self._seat.side, pack.sentence("on_board_of", player=player, words=words))

    def _piece_on(self, square: str) -> str | None:
        board = self._seat.table_board
        return None if board is None else board.placement.get(chess.parse_square(square))


def playing(game: State) -> bool:
    """Return whether moves are played now, and no board is only set up."""
    return (game.started or not game.clock) and not game.over and not game.adjourned


def read_position(
    game: State, side: str, placement: str | None, emptied: Iterable[chess.Square]
) -> str | None:
    """``placement``, shown by the board of ``side``, with a name for each piece.

    ``emptied`` are the squares that were seen empty since the board showed a position of the game.
    None if several moves may have led there and nobody announced one of them, or if none fits. A
    pawn that reaches the last rank stays a pawn unless its promotion was announced.
    """
    if placement is None or UNKNOWN not in placement:
        return placement
    table = game.tables.get(side)
    if table is None:
        return None
    if not playing(game) or table.wanted is not None:
        return named(game, side, placement)
    holes = occupied(placement)
    if game.outstanding(side) or holes == table.placement.keys():
        return told(game, side, placement)
    moves = possible_moves(game.board, int(chess.SquareSet(holes)), int(chess.SquareSet(emptied)))
    announced = game.turn.announced
    if announced is not None:  # but for the piece of a promotion, which holes do not show
        fits = (announced.from_square, announced.to_square)
        if any((move.from_square, move.to_square) == fits for move in moves):
            moves = [announced]
    if len(moves) != 1:
        return None if moves else told(game, side, placement)
    move = moves[0]
    if move.promotion and move != announced:
        pawn = game.pieces[move.from_square]
        return write_placement(
            laid_over(game.pieces, {move.from_square: None, move.to_square: pawn})
        )
    return write_placement(laid_over(game.pieces, change(game.board, move)))


def to_light(game: State, side: str, resting: str | None) -> frozenset[chess.Square]:
    """The squares at which the board of ``side`` differs from what should stand there, or from the
    announced move. A player's own thoughts light nothing.

    ``resting`` is what a board that tells positions only shows while hands rest.
    """
    table = game.tables.get(side)
    if table is None or game.over:
        return frozenset()
    goal: Pieces = game.pieces
    if table.wanted is not None:
        goal = table.wanted
    elif (move := game.turn.made or game.turn.announced) is not None:
        goal = laid_over(game.pieces, change(game.board, move))
    elif playing(game) and game.board_of(game.side) == side and not game.outstanding(side):
        return frozenset()
    if resting is None:
        return frozenset(difference(table.placement, goal))
    if UNKNOWN in resting:
        return frozenset(occupied(resting) ^ goal.keys())
    return frozenset(difference(read_placement(resting), goal))


def notices(game: State, side: str, *, asked: bool) -> frozenset[Notice]:
    """Return what the player of ``side`` has to do now; ``asked`` if a question is open to them."""
    on_move = playing(game) and game.side == side
    return frozenset(
        notice for notice, holds in ((Notice.YOUR_MOVE, on_move), (Notice.QUESTION, asked)) if holds
    )
