"""Why a board stands as it does: the smallest slip of the hands that explains it (D.2.9).

The sheets say which moves were played, a board shows what hands have made of them. Hands ask no
Laws. For a later move there need only be a piece on the square where it begins, nothing in the hole
that it fills, and for a capture a piece of the other colour. So a wrong execution can be behind a
board if the later moves have left alone what it changed, or have taken it off. Going back from the
last move, the squares that are still to be explained get fewer, and the search ends when none is
left.

A slip that one wrong execution explains comes before one that needs pieces to have moved by
themselves, and a single slip before two. Several explanations that are equally small are all
given: the board does not tell them apart.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import chess

from .placement import Change, Pieces, captured_en_passant, castling_rook, change, letter_at, mask
from .placement import pieces_of as placement_of

UNKNOWN = "?"
"""A piece that its board cannot name."""


class SlipKind(Enum):
    """A kind of difference between the written moves and those that hands executed."""

    NOT_EXECUTED = "not_executed"
    BEHIND = "behind"  # this move and all later ones are not executed
    NOT_WRITTEN = "not_written"  # a further move stands on the board
    OTHER_SQUARE = "other_square"
    OTHER_PIECE = "other_piece"
    OTHER_MOVE = "other_move"
    OTHER_PROMOTION = "other_promotion"
    PAWN_NOT_REPLACED = "pawn_not_replaced"
    OTHER_CASTLING = "other_castling"
    ROOK_FORGOTTEN = "rook_forgotten"
    KING_FORGOTTEN = "king_forgotten"
    EN_PASSANT_PAWN_LEFT = "en_passant_pawn_left"
    CAPTURER_LEFT = "capturer_left"  # the captured piece is off, the capturing one has not come
    TWICE = "twice"  # the same step once more
    BY_OTHER_SIDE_TOO = "by_other_side_too"  # the mirrored move, of the other colour
    DISPLACED = "displaced"
    EXCHANGED = "exchanged"
    MISSING = "missing"
    EXTRA = "extra"
    REPLACED = "replaced"  # another piece stands there


@dataclass(frozen=True)
class Slip:
    """One thing that hands did otherwise than written.

    ``ply`` counts from 1; None where a board does not tell when it happened. ``move`` is what was
    to be executed then, ``executed`` what was done instead (or also). ``piece`` is the piece that
    it is about, as a FEN letter or :data:`UNKNOWN`; ``square`` where it should stand (where it
    stands if nothing should), ``to`` where it stands instead, ``other`` what stands in its place.
    """

    what: SlipKind
    ply: int | None = None
    move: chess.Move | None = None
    executed: chess.Move | None = None
    piece: str | None = None
    square: int | None = None
    to: int | None = None
    other: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields that are known, squares and moves by name."""
        told: dict[str, Any] = {"what": self.what.value}
        for name in ("ply", "move", "executed", "piece", "square", "to", "other"):
            value = getattr(self, name)
            if isinstance(value, chess.Move):
                told[name] = value.uci()
            elif value is not None:
                told[name] = chess.square_name(value) if name in ("square", "to") else value
        return told


Explanation = tuple[Slip, ...]

# Costs of explanations; the cheapest is believed. A hand that executes a move wrongly is more
# likely than one that touches a piece outside its move.
_MOVED, _STRANGE, _BY_ITSELF, _UNNOTICED = 10, 20, 30, 15
_LAGS = 3
_ANYWHERE = frozenset((SlipKind.EXTRA, SlipKind.DISPLACED))
_MOST_SQUARES = 12
_MOST_TOLD = 4


@dataclass(frozen=True)
class _Found:
    """A slip, the squares of the difference that it explains, and what believing it costs."""

    cost: int
    slip: Slip
    explains: int


def explain(
    start: chess.Board, moves: Sequence[chess.Move], shown: Pieces, *, named: bool = True
) -> tuple[Explanation, ...]:
    """Return what must have happened on a board that was to execute ``moves`` from ``start``.

    Each explanation is one slip or two; none where the board shows what it should (``((),)``).
    One explanation: it is the only one as small. Several: the board does not tell which. An empty
    tuple: no explanation fits, and what is left is the plain difference. ``named`` False: the
    board only tells which squares are occupied, whatever letters ``shown`` has.
    """
    return _Search(start, moves, shown, named).explanations()


class _Search:
    """The line as it should have been, and what the board shows instead."""

    def __init__(
        self, start: chess.Board, moves: Sequence[chess.Move], shown: Pieces, named: bool
    ) -> None:
        self.moves = moves
        self.named = named
        self.boards = [start]
        for move in moves:
            after = self.boards[-1].copy(stack=False)
            after.push(move)
            self.boards.append(after)
        self.changes = [
            change(board, move) for board, move in zip(self.boards, moves, strict=False)
        ]
        self.shown = shown if named else dict.fromkeys(shown, UNKNOWN)

    def see(self, letter: str | None) -> str | None:
        """A piece as the board tells it."""
        return letter if self.named or letter is None else UNKNOWN

    def explanations(self) -> tuple[Explanation, ...]:
        plies = len(self.moves)
        goal = placement_of(self.boards[-1])
        odd = {
            square: self.shown.get(square)
            for square in goal.keys() | self.shown.keys()
            if self.shown.get(square) != self.see(goal.get(square))
        }
        if not odd:
            return ((),)
        behind, lagging = self._lags(odd)
        singles = self._singles(plies, odd)
        if behind:
            cost = _MOVED if behind <= _LAGS else _BY_ITSELF
            singles.append((cost, (self._behind(plies - behind),)))
        singles += [(_STRANGE, (slip,)) for slip in self._further_move(odd)]
        if singles:
            return _cheapest(singles)
        pairs = self._pairs(plies, odd)
        for back, gap in enumerate(lagging, 1):
            # A board that lags behind, and is wrong besides.
            pairs += [
                (cost + _MOVED, (*slips, self._behind(plies - back)))
                for cost, slips in self._singles(plies - back, gap)
            ]
        told = _cheapest(pairs)
        if len(told) == 1 and all(slip.what in _ANYWHERE for slip in told[0]):
            return ()  # any board can be explained so
        return told

    def _lags(self, odd: Change) -> tuple[int, list[Change]]:
        """Return two things: the number of plies that the board lags behind if it is right
        otherwise, else 0; and how it differs from the position before the last ply, before the last
        two, and so on."""
        gap, lagging = dict(odd), []
        for back in range(1, len(self.moves) + 1):
            before = self.boards[-1 - back]
            for square in self.changes[-back]:
                if self.shown.get(square) == self.see(letter_at(before, square)):
                    gap.pop(square, None)
                else:
                    gap[square] = self.shown.get(square)
            if not gap:
                return back, []
            if back <= _LAGS:
                lagging.append(dict(gap))
        return 0, lagging

    def _behind(self, executed: int) -> Slip:
        move = self.moves[executed]
        if executed + 1 < len(self.moves):
            return Slip(SlipKind.BEHIND, executed + 1, move)
        return _slip(SlipKind.NOT_EXECUTED, executed + 1, self.boards[executed], move, None)

    def _further_move(self, odd: Change) -> Iterator[Slip]:
        board = self.boards[-1]
        if len(odd) > 4 or not any(odd.values()):
            return
        for move in board.legal_moves:
            if {at: self.see(now) for at, now in change(board, move).items()} == odd:
                piece = letter_at(board, move.from_square)
                yield Slip(
                    SlipKind.NOT_WRITTEN, len(self.moves) + 1, None, move, piece,
                    move.from_square, move.to_square,
                )  # fmt: skip

    def _singles(self, plies: int, odd: Change) -> list[tuple[int, Explanation]]:
        if len(odd) > _MOST_SQUARES:
            return []
        everything = mask(odd)
        for found in (
            [*self._wrong_executions(plies, odd), *self._by_themselves(plies, odd)],
            self._wrong_executions(plies, odd, unnoticed=True),
        ):
            whole = [one for one in found if one.explains == everything]
            if whole:
                return [(one.cost, (one.slip,)) for one in whole]
        return []

    def _pairs(self, plies: int, odd: Change) -> list[tuple[int, Explanation]]:
        if len(odd) > _MOST_SQUARES:
            return []
        everything = mask(odd)
        found = [*self._wrong_executions(plies, odd), *self._by_themselves(plies, odd)]
        return [
            (one.cost + two.cost, (one.slip, two.slip))
            for one, two in itertools.combinations(found, 2)
            if one.explains ^ two.explains == everything  # nothing is explained twice
            and (one.slip.ply is None or one.slip.ply != two.slip.ply)
        ]

    # --- moves that were executed otherwise ------------------------------------------------

    def _wrong_executions(
        self, plies: int, odd: Change, *, unnoticed: bool = False
    ) -> list[_Found]:
        """Return what each ply may have been executed as, from the last one back.

        ``unnoticed``: later moves may also have met a piece where there should be none, or none
        where there should be one, and nobody noticed.
        """
        live, erased = mask(odd), 0
        found: dict[Slip, _Found] = {}
        for ply in range(plies, 0, -1):
            before, move, did = self.boards[ply - 1], self.moves[ply - 1], self.changes[ply - 1]
            touched = mask(did)
            if touched & (live | erased):
                open_ = live | erased
                for cost, what, executed, put in self._executions(before, move, open_, odd):
                    explains = self._explains(before, did, put, odd, live, erased, unnoticed)
                    if explains:
                        slip = _slip(what, ply, before, move, executed)
                        cost = cost + _UNNOTICED if unnoticed else cost
                        found.setdefault(slip, _Found(cost, slip, explains))
            for one in self._repeated(ply, odd, live):
                # A piece may go to and fro: report the last time at which it can have happened.
                if not any(_same(one, other) for other in found.values()):
                    found[one.slip] = one
            live &= ~touched
            if not live:
                break
            erased &= ~touched
            erased |= self._erased(before, did, unnoticed)
        return list(found.values())

    @staticmethod
    def _erased(before: chess.Board, did: Change, unnoticed: bool) -> int:
        """Return the squares whose earlier content nobody knows after a move."""
        erased = mask(did) & before.occupied_co[not before.turn]
        if unnoticed:
            filled = mask({at: now for at, now in did.items() if now is not None})
            erased |= filled & ~before.occupied
        return erased

    def _explains(
        self, before: chess.Board, did: Change, put: Change, odd: Change,
        live: int, erased: int, unnoticed: bool,
    ) -> int:  # fmt: skip
        """The odd squares that stand as they do if ``put`` was done instead of ``did``; 0 if the
        board would look otherwise then. Squares in ``erased`` were emptied by a later capture."""
        explains = 0
        for square in did.keys() | put.keys():
            stood = letter_at(before, square)
            right, stands = did.get(square, stood), put.get(square, stood)
            if self.see(right) == self.see(stands):
                continue
            bit = chess.BB_SQUARES[square]
            if live & bit:
                if odd[square] != self.see(stands):
                    return 0
                explains |= bit
            elif not erased & bit or not (unnoticed or _same_colour(right, stands)):
                return 0
        return explains

    def _executions(
        self, before: chess.Board, move: chess.Move, open_: int, odd: Change
    ) -> Iterator[tuple[int, SlipKind, chess.Move | None, Change]]:
        """Yield what hands may have done instead of ``move``: the cost, the kind of slip, the move
        that it looks like if it looks like one, and the change of the board."""
        yield _MOVED, SlipKind.NOT_EXECUTED, None, {}
        piece = letter_at(before, move.from_square)
        if piece is None:
            return
        home, target = move.from_square, move.to_square
        if piece in "Kk" and before.is_castling(move):
            yield from self._castlings(before, move)
            target = -1
        elif piece in "Pp" and before.is_en_passant(move):
            left = {at: now for at, now in change(before, move).items()
                    if at != captured_en_passant(move)}  # fmt: skip
            yield _MOVED, SlipKind.EN_PASSANT_PAWN_LEFT, None, left
        elif before.piece_type_at(target) is not None:
            yield _MOVED, SlipKind.CAPTURER_LEFT, None, {target: None}
        for letter in "qrbn" if move.promotion else "":
            other = chess.Move(home, target, chess.PIECE_SYMBOLS.index(letter))
            if other != move:
                yield _MOVED, SlipKind.OTHER_PROMOTION, other, change(before, other)
        if move.promotion:
            unpromoted = chess.Move(home, target)
            yield _MOVED, SlipKind.PAWN_NOT_REPLACED, unpromoted, change(before, unpromoted)
        yield from self._other_moves(before, move, target, open_, odd)

    def _castlings(
        self, before: chess.Board, move: chess.Move
    ) -> Iterator[tuple[int, SlipKind, chess.Move | None, Change]]:
        did, rook_from = change(before, move), castling_rook(before, move)
        king = {at: now for at, now in did.items() if now in ("K", "k") or at == move.from_square}
        if did.get(move.from_square) in ("R", "r"):
            king[move.from_square] = None
        rook = {at: now for at, now in did.items() if now in ("R", "r") or at == rook_from}
        if did.get(rook_from) in ("K", "k"):
            rook[rook_from] = None
        yield _MOVED, SlipKind.ROOK_FORGOTTEN, None, king
        yield _STRANGE, SlipKind.KING_FORGOTTEN, None, rook
        short = rook_from > move.from_square
        for at, now in did.items():
            if now in ("K", "k") and before.piece_type_at(at) is None:
                alone = chess.Move(rook_from, at)
                yield _STRANGE, SlipKind.OTHER_PIECE, alone, change(before, alone)
        rank = chess.square_rank(move.from_square)
        own = before.rooks & before.occupied_co[before.turn] & chess.BB_RANKS[rank]
        beyond = [at for at in chess.scan_forward(own) if (at > move.from_square) != short]
        if beyond:
            other = chess.Move(move.from_square, min(beyond) if short else max(beyond))
            executed = other
            if not before.chess960:
                executed = chess.Move(move.from_square, chess.square(2 if short else 6, rank))
            yield _MOVED, SlipKind.OTHER_CASTLING, executed, change(before, other)

    def _other_moves(
        self, before: chess.Board, move: chess.Move, target: int, open_: int,
        odd: Change,
    ) -> Iterator[tuple[int, SlipKind, chess.Move | None, Change]]:  # fmt: skip
        """Another square, another piece, or another move altogether."""
        own = before.occupied_co[before.turn]
        home = move.from_square
        wanted = before.piece_type_at(home)
        captures = target >= 0 and before.piece_type_at(target) is not None
        left = [
            square
            for square in chess.scan_forward(open_ & before.occupied)
            if odd.get(square) is None or square not in odd
        ]
        right = {square: odd.get(square) for square in chess.scan_forward(open_)}
        for source in {home, *left}:
            kind = before.piece_type_at(source)
            ours = bool(own & chess.BB_SQUARES[source])
            letter = letter_at(before, source)
            for goal in {target, *right} if target >= 0 else right:
                if goal in (source, -1) or (source, goal) == (home, target):
                    continue
                if source == home and target < 0 and before.is_castling(chess.Move(source, goal)):
                    continue  # that is castling to the other side
                if goal in right and goal in odd and right[goal] is None:
                    continue
                cost = _MOVED
                if source == home:
                    what = SlipKind.OTHER_SQUARE
                elif goal == target:
                    what = SlipKind.OTHER_PIECE
                    cost = _MOVED if ours and kind == wanted else _STRANGE
                    if not ours and kind != wanted:
                        continue
                else:
                    what, cost = SlipKind.OTHER_MOVE, _STRANGE
                    if not ours:
                        continue
                if not _reaches(before, source, goal):
                    # The neighbouring hole is soon taken for the right one.
                    near = target >= 0 and chess.square_distance(goal, target) == 1
                    empty = before.piece_type_at(goal) is None
                    if source != home or not near or not empty:
                        continue
                    cost = _STRANGE
                for named in _promotions(letter, goal):
                    executed = chess.Move(source, goal, named)
                    put = change(before, executed)
                    yield cost, what, executed, put
                    if captures and goal != target:
                        yield cost, what, executed, {target: None, **put}

    # --- the same once more, and the mirrored move -----------------------------------------

    def _repeated(self, ply: int, odd: Change, live: int) -> Iterator[_Found]:
        before, move = self.boards[ply - 1], self.moves[ply - 1]
        after = self.boards[ply]
        home, target = move.from_square, move.to_square
        file = 2 * chess.square_file(target) - chess.square_file(home)
        rank = 2 * chess.square_rank(target) - chess.square_rank(home)
        tried = []
        if 0 <= file < 8 and 0 <= rank < 8 and chess.BB_SQUARES[target] & live:
            tried.append((SlipKind.TWICE, target, chess.square(file, rank)))
        mirrored = chess.square_mirror(home), chess.square_mirror(target)
        if chess.BB_SQUARES[mirrored[0]] & live and chess.BB_SQUARES[mirrored[1]] & live:
            # On the other player's side of the board, and with that player's piece.
            other, same = after.piece_at(mirrored[0]), before.piece_at(home)
            if other and same and other.piece_type == same.piece_type and (
                other.color != same.color
            ):  # fmt: skip
                tried.append((SlipKind.BY_OTHER_SIDE_TOO, *mirrored))
        for what, source, goal in tried:
            letter = letter_at(after, source)
            both = mask((source, goal))
            if letter is None or both & ~live or letter_at(after, goal) is not None:
                continue
            if odd[source] is None and odd[goal] == self.see(letter):
                executed = chess.Move(source, goal)
                slip = Slip(what, ply, move, executed, letter, source, goal)
                yield _Found(_STRANGE, slip, both)

    # --- pieces that moved by themselves ---------------------------------------------------

    def _by_themselves(self, plies: int, odd: Change) -> Iterator[_Found]:
        """Pieces that fell over, were pushed aside or taken off: nobody knows when."""
        board = self.boards[plies]
        goal = {square: letter_at(board, square) for square in odd}
        too_many = self.named and too_many_pieces(self.shown)
        for square, stands in odd.items():
            bit, wanted = chess.BB_SQUARES[square], goal[square]
            if wanted is None and too_many:
                continue  # it comes from another game, or all is otherwise
            if wanted is None:
                slip = Slip(SlipKind.EXTRA, piece=stands, square=square)
            elif stands is None:
                slip = Slip(SlipKind.MISSING, piece=wanted, square=square)
            else:
                slip = Slip(SlipKind.REPLACED, piece=wanted, square=square, other=stands)
            yield _Found(_BY_ITSELF, slip, bit)
        for square, wanted in goal.items():
            for to, stands in odd.items():
                if to == square or wanted is None or stands != self.see(wanted):
                    continue
                displaced = odd[square] is None
                if displaced or (square < to and odd[square] == self.see(goal[to])):
                    what = SlipKind.DISPLACED if displaced else SlipKind.EXCHANGED
                    slip = Slip(what, piece=wanted, square=square, to=to, other=goal[to])
                    yield _Found(_BY_ITSELF, slip, mask((square, to)))


def _slip(
    what: SlipKind, ply: int, before: chess.Board, move: chess.Move, executed: chess.Move | None
) -> Slip:
    if what is SlipKind.ROOK_FORGOTTEN:
        square = castling_rook(before, move)
    elif what is SlipKind.EN_PASSANT_PAWN_LEFT:
        square = captured_en_passant(move)
    else:
        square = (executed or move).from_square
    to = None if executed is None else executed.to_square
    return Slip(what, ply, move, executed, letter_at(before, square), square, to)


def _same_colour(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one.isupper() == other.isupper()


def _reaches(board: chess.Board, source: int, goal: int) -> bool:
    """Return whether the piece on ``source`` can move to ``goal``; checks are ignored."""
    colour = board.color_at(source)
    assert colour is not None
    bit = chess.BB_SQUARES[goal]
    if board.occupied_co[colour] & bit:
        return False
    if board.attacks_mask(source) & bit:
        pawn = bool(board.pawns & chess.BB_SQUARES[source])
        return not pawn or bool(board.occupied & bit) or goal == board.ep_square
    if board.kings & chess.BB_SQUARES[source]:
        return colour == board.turn and board.is_castling(chess.Move(source, goal))
    if not board.pawns & chess.BB_SQUARES[source] or board.occupied & bit:
        return False
    ahead = 8 if colour else -8
    if goal == source + ahead:
        return True
    first = chess.square_rank(source) == (1 if colour else 6)
    return first and goal == source + 2 * ahead and board.piece_type_at(source + ahead) is None


def _promotions(letter: str | None, goal: int) -> tuple[chess.PieceType | None, ...]:
    if letter in ("P", "p") and chess.square_rank(goal) == (7 if letter == "P" else 0):
        return (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT, None)
    return (None,)


def _same(one: _Found, other: _Found) -> bool:
    return (one.slip.what, one.explains) == (other.slip.what, other.explains)


def too_many_pieces(pieces: Pieces) -> bool:
    """Return whether one colour has more pieces than any game can have."""
    for letters in ("KQRBNP", "kqrbnp"):
        king, queen, rook, bishop, knight, pawn = (
            sum(letter == other for other in pieces.values()) for letter in letters
        )
        promoted = max(queen - 1, 0) + sum(max(n - 2, 0) for n in (rook, bishop, knight))
        if king > 1 or promoted + pawn > 8:
            return True
    return False


def _when(slip: Slip) -> tuple[bool, int, int]:
    """Return a key that sorts slips by time; slips of no known ply come last."""
    return slip.ply is None, slip.ply or 0, slip.square or 0


def _cheapest(found: list[tuple[int, Explanation]]) -> tuple[Explanation, ...]:
    if not found:
        return ()
    least = min(cost for cost, _ in found)
    # The same slips may have been found in either order; they are told in one.
    told = dict.fromkeys(tuple(sorted(slips, key=_when)) for cost, slips in found if cost == least)
    return tuple(told)[:_MOST_TOLD]
