"""From what a DGT board reports to the moves that were played on it.

Hands slide pieces over legal squares, put down before they lift, castle rook first, and take a
piece without its square ever being reported empty. So no position is a move because it is legal.
The finder keeps a line of plies that the board has shown since the last move it told, and revises
the end of that line as long as hands may still be at work: a position that continues the line
lengthens it, one that an earlier position of the line leads to replaces what came after. A move is
told when it can no longer be revised: with ``clock``, when the running side of the clock changes
while the line stands on the board; with ``position``, when later moves have answered it, or the
game is over.

What lost bytes do: the board heard is wrong in the squares whose updates are missing. Positions
that one position leads to differ in two squares at least (but for the piece of a promotion), so a
single update that is lost without a trace leaves the heard board fitting no move, with a piece too
many or too few: too many when the clock is pressed, or for long, or a press that no move explains,
twice in a row, end the telling, and so does a loss that shows: a damaged message, or a clock that
was heard each second and jumps. Then nothing is told until a dump of the whole board, and after it
only if one way leads there from what was told. One lost update thus makes no wrong move where the
clock commits; where positions alone do, a capture of the piece whose lift was lost may hide it.

What nobody can tell apart: several updates lost without a trace, whose remainder is legal; a
flipped bit that turns a field or a promotion piece into another legal one; moves made unheard
that lead back to a position that was heard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import chess

from .protocol import (
    FIELDS,
    PIECES,
    ClockSide,
    ClockTimes,
    Damaged,
    Dump,
    FieldUpdate,
    Message,
)

_EMPTY = ord(".")
_LETTERS = (PIECES + "???").encode()  # result pieces stand in no position of a game
_MOMENT = 3
"""Updates for which a piece may be heard in two places."""
_CENTRE = (chess.D4, chess.E4, chess.D5, chess.E5)

Commit: TypeAlias = Literal["clock", "position"]
Placement: TypeAlias = bytes
"""What stands on a1, b1, … h8: 64 FEN letters, a dot for an empty square."""


@dataclass(frozen=True)
class MoveFound:
    """A move was played: its number from 1 within this game, and its UCI."""

    ply: int
    uci: str


@dataclass(frozen=True)
class MoveUnclear:
    """A sentence for a person: something cannot be told, or was settled in a certain way."""

    sentence: str


MoveFinding: TypeAlias = MoveFound | MoveUnclear


def placement_of(codes: list[int] | tuple[int, ...], turned: bool) -> Placement:
    """The placement that 64 piece codes by field mean; ``turned``: White sits at field 0's side."""
    cells = bytearray(FIELDS)
    for field, code in enumerate(codes):
        square = chess.square(field % 8, 7 - field // 8)
        cells[FIELDS - 1 - square if turned else square] = _LETTERS[code]
    return bytes(cells)


def position_placement(board: chess.BaseBoard) -> Placement:
    """The placement of a position."""
    cells = bytearray([_EMPTY]) * FIELDS
    for square, piece in board.piece_map().items():
        cells[square] = ord(piece.symbol())
    return bytes(cells)


def board_fen(placement: Placement) -> str:
    """The first field of a FEN; a result piece is left out, for it is no piece of a game."""
    board = chess.BaseBoard(None)
    for square, letter in enumerate(placement):
        if chr(letter) in PIECES[1:]:
            board.set_piece_at(square, chess.Piece.from_symbol(chr(letter)))
    return board.board_fen()


START = position_placement(chess.Board())


def turned_at_start(codes: list[int] | tuple[int, ...]) -> bool | None:
    """Whether a board that shows the start position lies turned; None if it does not show it."""
    for turned in (False, True):
        if placement_of(codes, turned) == START:
            return turned
    return None


class _Node:
    """A position that was on the board, and the move that led to it."""

    def __init__(self, board: chess.Board, move: chess.Move | None, shown: Placement) -> None:
        self.board, self.move, self.placement = board, move, shown
        self._next: dict[Placement, chess.Move] | None = None

    def next(self) -> dict[Placement, chess.Move]:
        """What the board may show one move later."""
        if self._next is None:
            self._next = {
                _moved(self.board, self.placement, move): move for move in self.board.legal_moves
            }
        return self._next

    def play(self, move: chess.Move) -> _Node:
        board = self.board.copy(stack=False)
        board.push(move)
        board.clear_stack()
        return _Node(board, move, _moved(self.board, self.placement, move))

    def pairs_to(self, goal: Placement) -> list[tuple[_Node, _Node]]:
        """All pairs of plies that lead to ``goal``.

        The square that the first ply leaves, and then the one that the second leaves, differ from
        the goal: either they stay empty, or the other side comes to stand there.
        """
        found = []
        for first in self.board.generate_legal_moves(_differing(self.placement, goal)):
            middle = self.play(first)
            for second in middle.board.generate_legal_moves(_differing(middle.placement, goal)):
                if _moved(middle.board, middle.placement, second) == goal:
                    found.append((middle, middle.play(second)))
        return found


def _differing(one: Placement, other: Placement) -> int:
    mask = 0
    for square in range(FIELDS):
        if one[square] != other[square]:
            mask |= 1 << square
    return mask


def _moved(board: chess.Board, placement: Placement, move: chess.Move) -> Placement:
    cells = bytearray(placement)
    piece = cells[move.from_square]
    rank = chess.square_rank(move.from_square)
    if board.is_castling(move):
        rook_from = move.to_square
        if not board.occupied_co[board.turn] >> rook_from & 1:  # written as the king's two steps
            rook_from = chess.square(7 if move.to_square > move.from_square else 0, rank)
        rook, short = cells[rook_from], rook_from > move.from_square
        cells[move.from_square] = cells[rook_from] = _EMPTY
        cells[chess.square(6 if short else 2, rank)] = piece
        cells[chess.square(5 if short else 3, rank)] = rook
        return bytes(cells)
    cells[move.from_square] = _EMPTY
    if board.is_en_passant(move):
        cells[chess.square(chess.square_file(move.to_square), rank)] = _EMPTY
    if move.promotion:
        piece = ord(chess.Piece(move.promotion, board.turn).symbol())
    cells[move.to_square] = piece
    return bytes(cells)


class _Rhythm:
    """Hears when a clock that ticked each second was not heard for a while.

    Then messages were lost without a trace, and moves may be among them. Only a recording whose
    clock has been heard each second for a while can tell; others are left alone.
    """

    _SURE = 15
    _MOST = 3

    def __init__(self) -> None:
        self._last: ClockTimes | None = None
        self._steady: int | None = 0
        self._doubted = False

    def judge(self, clock: ClockTimes) -> Literal["good", "doubtful", "jump"]:
        """Take the next clock message: a doubtful one is to be ignored, for the clock's line may
        have misread it; the next one tells whether that was so or time has passed unheard."""
        last = self._last
        regular = last is None or clock.running is None or self._regular(last, clock)
        if regular or self._steady is None or self._steady < self._SURE:
            if last is not None and not regular:
                self._steady = None
            self._last = clock if clock.running else None
            self._doubted = False
            return "good"
        if not self._doubted:
            self._doubted = True
            return "doubtful"
        self._last, self._doubted = clock, False
        return "jump"

    def _regular(self, last: ClockTimes, clock: ClockTimes) -> bool:
        # Time may be given: an increment, a new period. It never goes faster than it does.
        fell = max(last.left - clock.left, last.right - clock.right)
        if fell == 1 and self._steady is not None:
            self._steady += 1
        if last.running != clock.running:
            return fell <= self._MOST
        stands = (last.left, clock.left) if clock.running == "right" else (last.right, clock.right)
        return fell <= self._MOST and stands[0] == stands[1]


class MoveFinder:
    """Finds the moves in the messages of one board.

    ``commit`` is what makes a move final: ``clock`` or ``position`` (see the module). ``position``
    is where the game begins, if it is not what the first dump shows. ``turned`` is how the board
    lies; None: see for yourself, by the start position or ``position``. ``last_unpressed`` tells a
    last move, too, after which the clock was not pressed any more.
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
        self._given = position
        self._given_turned = turned
        self._turned = bool(turned)
        self._last_unpressed = last_unpressed
        self._codes: list[int] | None = None
        # Where the line begins: the position after the last move told. Two before the first move
        # if nobody knows who is on move.
        self._bases: list[_Node] = []
        self._line: list[_Node] = []
        # Two plies that may have been played since the first so many of the line.
        self._pair: tuple[int, tuple[_Node, _Node]] | None = None
        self._plies = 0
        self._lost = False
        self._damaged = False
        self._missed_begin = False
        self._strays = False
        self._unmatched = 0
        self._crowded = 0
        self._adrift = False
        self._stood = False  # the line ended in what stood on the board before this dump
        # What was heard to be put where since the board was last understood, and whether a dump
        # was heard since then.
        self._heard: set[tuple[int, int]] = set()
        self._whole = False
        self._result: Placement | None = None
        self._clock: ClockSide | None = None
        self._white_clock: ClockSide | None = None
        self._sure_of_clock = False
        self._rhythm = _Rhythm()
        self._findings: list[MoveFinding] = []
        self._said: set[str] = set()

    # --- what is heard ---------------------------------------------------------------------

    def hear(self, message: Message) -> list[MoveFinding]:
        """Take the next message of the stream and return what it settles."""
        match message:
            case Dump(codes):
                self._dump(codes)
            case FieldUpdate(field, code):
                self._update(field, code)
            case ClockTimes():
                self._times(message)
            case Damaged():
                self._damaged = True
                self._loses("Bytes were lost or damaged")
        return self._told()

    def finish(self) -> list[MoveFinding]:
        """The stream has ended: return what is left to tell."""
        if self._codes is None:
            self._say("The board was never heard as a whole, so no moves can be told.")
        elif not self._bases:
            self._say("The board never showed a position of a game, so no moves can be told.")
        else:
            self._end()
        return self._told()

    def _told(self) -> list[MoveFinding]:
        told, self._findings = self._findings, []
        return told

    def _say(self, sentence: str) -> None:
        self._findings.append(MoveUnclear(sentence))

    def _say_once(self, sentence: str) -> None:
        if sentence not in self._said:
            self._said.add(sentence)
            self._say(sentence)

    def _where(self) -> str:
        return f"after {self._plies} {'move' if self._plies == 1 else 'moves'}"

    def _loses(self, what: str) -> None:
        if self._codes is None or self._lost:
            return
        self._lost = True
        if not self._adrift:
            self._say(
                f"{what} {self._where()}: nothing more is told until the board is heard as a "
                "whole again."
            )

    def _dump(self, codes: tuple[int, ...]) -> None:
        first = self._codes is None
        self._stood = not first and bool(self._line) and self._line[-1].placement == self._shown()
        self._codes = list(codes)
        self._whole = True
        if first and self._missed_begin and self._given is None and turned_at_start(codes) is None:
            self._lost = True
            self._say("Moves were played before the board was heard as a whole; none is told.")
            return
        if first or not (self._bases or self._lost):
            self._begin()
        if self._lost and self._bases:
            self._lost = False
            if not self._adrift:
                self._say("The whole board was heard again; the moves go on from it if they can.")
            self._bridge()
        else:
            self._look()
        guessed = self._given is None and not self._plies and self._bases
        if guessed and self._strays and not self._line and self._bases[0].placement != START:
            # The first dump was only a guess at where the game begins; unless a piece is just in
            # somebody's hand, this one is a better guess.
            shown = self._shown()
            if not any(_only_taken_off(base.placement, shown) for base in self._bases):
                self._begin()
                self._strays = False

    def _update(self, field: int, code: int) -> None:
        if self._codes is None:
            if self._given is None:
                self._missed_begin = self._damaged
                self._say_once(
                    "Changes were heard before the whole board was; they say nothing without it."
                )
                return
            self._say("There is no dump of the board, so it is taken to stand as given.")
            self._codes = _codes_of(self._given, self._turned)
            self._begin()
        self._codes[field] = code
        square = chess.square(field % 8, 7 - field // 8)
        self._heard.add((FIELDS - 1 - square if self._turned else square, _LETTERS[code]))
        self._stood = False
        if self._lost:
            self._look()  # putting all pieces up again begins a new game, whatever was lost
            return
        if not self._bases:
            self._begin()
        self._look()

    def _times(self, clock: ClockTimes) -> None:
        match self._rhythm.judge(clock):
            case "doubtful":
                return
            case "jump":
                self._loses("The clock jumped, so part of the stream is missing")
        before, now = self._clock, clock.running
        if now is None:
            return
        self._clock = now
        if before in (None, now) or self._lost or not self._bases:
            return
        assert before is not None
        if self._strays and self._crowded:
            self._loses("The clock was pressed while more pieces were heard than there are")
        elif self._commit == "clock":
            self._press(before)

    def _press(self, before: ClockSide) -> None:
        if self._standing() and self._pressed_by_the_mover(before):
            self._tell(len(self._line))
        elif not self._strays and not self._line:
            self._unmatched = 0
        elif self._strays and self._played_but_for_missing(before):
            pass
        else:
            # Once: the last update came after the press, or the answer before it. Twice in a row:
            # something is wrong.
            self._unmatched += 1
            if self._unmatched > 1 and self._result is None and not self._adrift:
                self._loses("The clock was pressed twice while the board showed no move for it")

    def _played_but_for_missing(self, side: ClockSide) -> bool:
        """Whether one move of the presser explains what stands there, but for pieces that fell
        over and lie beside their squares. It joins the line; it is told when they stand again."""
        if self._white_clock is None:
            return False
        turn = chess.WHITE if side == self._white_clock else chess.BLACK
        keep, shown = len(self._line), self._shown()
        if keep and self._line[-1].board.turn != turn:
            keep -= 1  # what was seen of his move was on the way
        found = [
            (base, move)
            for base in (self._line[keep - 1 : keep] if keep else self._bases)
            if base.board.turn == turn
            for placement, move in base.next().items()
            if (move.to_square, placement[move.to_square]) in self._heard
            and _stands_but_for(base.placement, placement, shown)
        ]
        if len(found) != 1:
            return False
        base, move = found[0]
        del self._line[keep:]
        self._extend(base, [base.play(move)])
        return True

    def _pressed_by_the_mover(self, side: ClockSide) -> bool:
        """Whether ``side`` of the clock is that of the player who moved last. The first two presses
        that agree show whose it is; one may have been somebody's who only started the clock."""
        white_moved = self._line[-1].board.turn == chess.BLACK
        white = side if white_moved else ("right" if side == "left" else "left")
        if white == self._white_clock:
            self._sure_of_clock = True
        elif self._sure_of_clock:
            return False
        self._white_clock = white
        return True

    # --- where a game begins -----------------------------------------------------------------

    def _shown(self) -> Placement:
        assert self._codes is not None
        return placement_of(self._codes, self._turned)

    def _begin(self) -> None:
        assert self._codes is not None
        self._line = []
        if self._given is not None:
            self._begin_as_given(self._given)
            return
        turned = turned_at_start(self._codes)
        if turned is not None and self._given_turned in (None, turned):
            self._turned = turned
            self._bases = [_Node(chess.Board(), None, START)]
            return
        ways = (False, True) if self._given_turned is None else (self._given_turned,)
        for turned in ways:
            shown = placement_of(self._codes, turned)
            self._bases = [_Node(b, None, shown) for b in _positions(shown)]
            if self._bases:
                self._turned = turned
                self._say_once(
                    "The board does not show the start position first: White is taken to sit at "
                    f"the {'far' if turned else 'usual'} side, and who is on move is told by who "
                    "moves. If that is wrong, give the position (--fen) or how the board lies "
                    "(--turned, --not-turned)."
                )
                return
        self._say_once("The board shows no position of a game yet.")

    def _begin_as_given(self, given: chess.Board) -> None:
        assert self._codes is not None
        base = _Node(given.copy(stack=False), None, position_placement(given))
        self._bases = [base]
        if self._given_turned is None:
            wrong = {
                turned: bin(_differing(placement_of(self._codes, turned), base.placement)).count(
                    "1"
                )
                for turned in (False, True)
            }
            self._turned = wrong[True] < wrong[False]
        if self._shown() != base.placement:
            self._say_once("The first dump does not show the position that was given.")

    def _set_up_anew(self) -> bool:
        """Whether the pieces now stand for a new game."""
        assert self._codes is not None
        turned = turned_at_start(self._codes)
        if turned is None or self._given_turned not in (None, turned):
            return False
        if self._lost and not self._plies and self._given is None:
            return False  # the same game, of which the first changes may have been lost
        if self._plies or self._line:
            if self._given is None and not self._plies and self._bases[0].placement != START:
                self._line = []  # all that was seen is how the pieces were put up
            else:
                self._end(new_game=True)
        if self._plies or self._line or self._given is not None:
            self._say("The pieces stand for a new game.")
        self._turned, self._given = turned, None
        self._bases, self._line, self._pair = [_Node(chess.Board(), None, START)], [], None
        self._plies = self._unmatched = self._crowded = 0
        self._lost = self._strays = self._adrift = False
        self._result = self._white_clock = None
        self._sure_of_clock = False
        return True

    # --- following the board -----------------------------------------------------------------

    def _look(self) -> None:
        if self._lost:
            self._set_up_anew()
            return
        if not self._bases:
            return
        shown = self._shown()
        if self._follow(shown) or self._set_up_anew():
            self._understood()
            return
        self._strays = True
        if _kings_in_the_centre(shown):
            self._result = shown
        self._watch_for_ghosts(shown)

    def _understood(self) -> None:
        self._strays = self._adrift = self._whole = False
        self._result, self._pair, self._crowded = None, None, 0
        self._heard.clear()
        if self._commit == "position" and len(self._line) > 2:
            self._tell(len(self._line) - 2)

    def _watch_for_ghosts(self, shown: Placement) -> None:
        """A piece put down before its lift was noticed is two for a moment. If it stays two, the
        lift was lost, and what looks like a position of the game may not be one."""
        known = self._given is not None or self._plies or self._bases[0].placement == START
        if not known or self._result is not None or not _crowded(self._bases[0].placement, shown):
            self._crowded = 0
            return
        self._crowded += 1
        if self._crowded > _MOMENT:
            self._loses("More pieces were heard than there are")

    def _follow(self, shown: Placement) -> bool:
        """Bring the line up to ``shown``; False if nothing on or near the line explains it."""
        tips = self._line[-1:] or self._bases
        for tip in tips:
            if tip.placement == shown:
                return True
            if move := tip.next().get(shown):
                self._extend(tip, [tip.play(move)])
                return True
        if self._line:
            # Hands still at work, or putting back: the last ply becomes another one.
            for parent in self._line[-2:-1] or self._bases:
                if move := parent.next().get(shown):
                    self._line.pop()
                    self._extend(parent, [parent.play(move)])
                    return True
            for keep in range(len(self._line) - 1, -1, -1):
                earlier = self._line[keep - 1 : keep] or self._bases
                if any(node.placement == shown for node in earlier):
                    del self._line[keep:]
                    return True
        return self._follow_pair(shown)

    def _follow_pair(self, shown: Placement) -> bool:
        """Two plies between two looks, one of each side.

        A capture half done may look the same, so a pair joins the line only when something
        follows from it, or when it is what stands there at the end or when the clock is pressed.
        """
        if self._pair:
            keep, (first, second) = self._pair
            if second.placement == shown:
                return False
            if move := second.next().get(shown):
                self._take_pair()
                self._extend(second, [second.play(move)])
                return True
            if move := first.next().get(shown):
                self._pair = keep, (first, first.play(move))
                return False
            self._pair = None
        before = len(self._line)
        pairs = [(before, pair) for tip in self._line[-1:] or self._bases
                 for pair in tip.pairs_to(shown)]  # fmt: skip
        if self._line and not pairs:
            pairs = [(before - 1, pair) for parent in self._line[-2:-1] or self._bases
                     for pair in parent.pairs_to(shown)]  # fmt: skip
        pairs = [(keep, pair) for keep, pair in pairs if self._whole or self._was_heard(pair[0])]
        if len(pairs) == 1:
            self._pair = pairs[0]
        return False

    def _was_heard(self, node: _Node) -> bool:
        """Whether the piece that moved was heard to stand where it went to. If not, the update may
        be lost, and a piece that is missing may stand anywhere."""
        assert node.move is not None
        to = node.move.to_square
        return (to, node.placement[to]) in self._heard

    def _take_pair(self) -> None:
        assert self._pair is not None
        keep, pair = self._pair
        del self._line[keep:]
        if not keep:
            self._bases.sort(key=lambda base: base.board.turn == pair[0].board.turn)
        self._line += pair
        self._pair = None

    def _bridge(self) -> None:
        """Go on from a dump after a loss, if one way leads from the line to it.

        The last ply of the line may have been under way when the bytes were lost, so what
        replaces it counts like what follows it.
        """
        shown = self._shown()
        ways: dict[tuple[chess.Move | None, ...], tuple[int, tuple[_Node, ...]]] = {}
        for back in (0, 1) if self._line else (0,):
            keep = len(self._line) - back
            for origin in self._line[keep - 1 : keep] if keep else self._bases:
                found: list[tuple[_Node, ...]] = [*origin.pairs_to(shown)]
                if origin.placement == shown:
                    found.append(())
                if move := origin.next().get(shown):
                    found.append((origin.play(move),))
                for plies in found:
                    moves = tuple(node.move for node in (*self._line[:keep], *plies))
                    ways[moves] = keep, plies
        if len(ways) == 1:
            ((keep, added),) = ways.values()
            if not keep and added:
                self._bases.sort(key=lambda base: base.board.turn == added[0].board.turn)
            self._line[keep:] = added
            self._understood()
            return
        self._strays = True
        if self._set_up_anew() or self._adrift:
            return
        self._adrift = True
        why = "can be reached in several ways" if ways else "cannot be reached"
        self._say(
            f"What the board shows {why} from the position {self._where()} by a move or two: "
            "moves are missing here."
        )

    def _explained(self) -> bool:
        return self._pair is not None and self._pair[1][1].placement == self._shown()

    def _standing(self) -> bool:
        """Whether the line ends in what stands on the board, be it after a pair of plies."""
        if self._explained():
            self._take_pair()
            self._strays = self._whole = False
            self._heard.clear()
        return bool(self._line) and self._line[-1].placement == self._shown()

    def _extend(self, origin: _Node, line: list[_Node]) -> None:
        self._line += line
        if len(self._bases) > 1 and self._line[0] is line[0]:
            # Until a move is told, the other side may still turn out to be on move.
            self._bases.sort(key=lambda base: base is not origin)

    # --- telling -----------------------------------------------------------------------------

    def _tell(self, count: int) -> None:
        told, self._line = self._line[:count], self._line[count:]
        before = self._bases[0]
        for node in told:
            assert node.move is not None
            self._plies += 1
            self._findings.append(MoveFound(self._plies, before.board.uci(node.move)))
            before = node
        if told:
            self._bases, self._pair, self._unmatched = [before], None, 0

    def _end(self, *, new_game: bool = False) -> None:
        """The game is over, or at least nothing more is heard of it."""
        if self._lost:
            # The last ply may have been under way when the bytes were lost.
            if self._commit == "position":
                self._tell(len(self._line) - 1 if self._line else 0)
            self._say(f"The board was not heard as a whole again: the moves {self._where()} are "
                      "not told.")  # fmt: skip
            return
        if self._result:
            self._forget_setting_up(self._result)
        else:
            self._standing()
        tip = self._line[-1] if self._line else None
        shown = self._shown()
        stands = tip is not None and (
            self._result is not None or (self._stood if new_game else _left_standing(tip, shown))
        )
        if stands and self._may_be_half_a_castling():
            stands = False
        over = tip is not None and not any(tip.board.legal_moves)
        if self._commit == "position":
            self._tell(len(self._line) - (0 if stands else 1) if self._line else 0)
        elif stands and len(self._line) == 1 and (self._last_unpressed or over):
            self._tell(1)
            if not over:  # mate and stalemate end the game without a press
                self._say(f"After move {self._plies}, the last one, the clock was not pressed.")
        if self._line:
            seen = " ".join(node.move.uci() for node in self._line if node.move)
            why = (
                "the clock was not pressed after it"
                if self._commit == "clock"
                else "what followed on the board does not show that it was finished"
            )
            self._say(f"Also seen {self._where()}, but not told, because {why}: {seen}.")
        elif self._strays and not self._result and not new_game:
            self._say(f"What was done on the board {self._where()} fits no legal move.")

    def _may_be_half_a_castling(self) -> bool:
        """Whether the last move is a rook's that would be castling if the king followed: a
        recording that was cut may end there."""
        before = self._line[-2] if len(self._line) > 1 else self._bases[0]
        last = self._line[-1].move
        assert last is not None
        for move in before.board.legal_moves:
            if before.board.is_castling(move):
                after = before.play(move).placement
                rook = before.placement[last.from_square]
                gone = after[last.from_square] == _EMPTY and after[last.to_square] == rook
                if gone and chr(rook) in "Rr":
                    return True
        return False

    def _forget_setting_up(self, shown: Placement) -> None:
        """A king that went to the middle to show the result made no move, though it looked so."""
        while self._line:
            last = self._line[-1]
            assert last.move is not None
            king = last.placement[last.move.to_square]
            if chr(king) not in "Kk":
                return
            if chess.square_distance(last.move.to_square, shown.index(king)) > 1:
                return
            self._line.pop()
            self._say(
                f"The king's {last.move.uci()} is taken for part of showing the result, not for "
                "a move."
            )


def _codes_of(board: chess.Board, turned: bool) -> list[int]:
    codes = [0] * FIELDS
    for square, piece in board.piece_map().items():
        at = FIELDS - 1 - square if turned else square
        codes[chess.square(chess.square_file(at), 7 - chess.square_rank(at))] = PIECES.index(
            piece.symbol()
        )
    return codes


def _positions(shown: Placement) -> list[chess.Board]:
    """The positions of a game that look so, with White and with Black on move."""
    if ord("?") in shown:
        return []
    found = []
    for turn in (chess.WHITE, chess.BLACK):
        board = chess.Board(None)
        for square, letter in enumerate(shown):
            if letter != _EMPTY:
                board.set_piece_at(square, chess.Piece.from_symbol(chr(letter)))
        board.turn = turn
        board.castling_rights = chess.BB_CORNERS
        board.castling_rights = board.clean_castling_rights()
        if board.is_valid():
            found.append(board)
    return found


def _kings_in_the_centre(shown: Placement) -> bool:
    """The players show the result: both kings in the middle, side by side as in no game."""
    middle = [shown[square] for square in _CENTRE]
    return ord("K") in middle and ord("k") in middle


def _crowded(before: Placement, shown: Placement) -> bool:
    """Whether a side has more pieces than it had, and than its missing pawns may have become."""
    for colour in (bytes.upper, bytes.lower):
        more = {
            kind: shown.count(colour(kind)) - before.count(colour(kind))
            for kind in (b"p", b"n", b"b", b"r", b"q", b"k")
        }
        promoted = sum(max(0, more[kind]) for kind in (b"n", b"b", b"r", b"q"))
        if more[b"k"] > 0 or more[b"p"] > 0 or promoted > -more[b"p"]:
            return True
    return False


def _stands_but_for(before: Placement, after: Placement, shown: Placement) -> bool:
    """Whether the move from ``before`` to ``after`` is shown, and only pieces that it did not
    move are missing."""
    return all(
        now == new or (now == _EMPTY and old == new)
        for old, new, now in zip(before, after, shown, strict=True)
    )


def _left_standing(tip: _Node, shown: Placement) -> bool:
    """Whether the last move stood and then other pieces were taken off the board."""
    assert tip.move is not None
    to = tip.move.to_square
    return tip.placement[to] == shown[to] and _only_taken_off(tip.placement, shown)


def _only_taken_off(stood: Placement, shown: Placement) -> bool:
    return all(now in (was, _EMPTY) for was, now in zip(stood, shown, strict=True))
