"""Two boards, two scoresheets (D.2.9): where they differ and how a board is corrected."""

import dataclasses
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

import chess

from .facts import SIDES
from .placement import Pieces
from .rulings import CorrectingStep, DifferingSquare


def differences(white: Pieces, black: Pieces, goal: Pieces) -> tuple[DifferingSquare, ...]:
    """The squares on which a board differs from the other or from the game, a1 first."""
    return tuple(
        DifferingSquare(chess.square_name(square), white.get(square), black.get(square))
        for square in range(64)
        if not white.get(square) == black.get(square) == goal.get(square)
    )


def steps(now: Pieces, goal: Pieces) -> tuple[CorrectingStep, ...]:
    """Lifts, placements and removals that turn ``now`` into ``goal``, one hand at a time.

    As few as there can be: each piece that stands wrong is lifted once and each square that lacks
    its piece is filled once. A square is always empty when something is put on it. Where pieces
    stand in each other's way in a circle, one is set aside: it is lifted, and placed when its
    square is free. Equal pieces go where they make the fewest circles, then the shorter way.
    """
    target = _shortest(now, goal)
    _break_circles(target, now, goal)
    wrong = [square for square, piece in sorted(now.items()) if goal.get(square) != piece]
    empty = [square for square, piece in sorted(goal.items()) if now.get(square) != piece]
    todo = [_step("remove", square, now[square]) for square in wrong if square not in target]
    occupied = set(target)
    while occupied:
        ready = [source for source in sorted(occupied) if target[source] not in occupied]
        source = ready[0] if ready else min(occupied)
        # Follow the way back: the square that becomes free is the one that the next piece needs.
        origin = {target[other]: other for other in occupied}
        aside = source
        todo.append(_step("lift", source, now[source]))
        if ready:
            todo.append(_step("place", target[source], now[source]))
        occupied.discard(source)
        while (source := origin.get(source, aside)) in occupied:
            todo.append(_step("lift", source, now[source]))
            todo.append(_step("place", target[source], now[source]))
            occupied.discard(source)
        if not ready:
            todo.append(_step("place", target[aside], now[aside]))
    filled = set(target.values())
    todo += [_step("place", square, goal[square]) for square in empty if square not in filled]
    return tuple(todo)


def _shortest(now: Pieces, goal: Pieces) -> dict[int, int]:
    """Return the square to which each piece goes that stands wrong and is needed elsewhere."""
    ways = sorted(
        (chess.square_distance(source, square), source, square)
        for source, piece in now.items()
        for square, wanted in goal.items()
        if piece == wanted and goal.get(source) != piece and now.get(square) != piece
    )
    target: dict[int, int] = {}
    filled: set[int] = set()
    for _, source, square in ways:
        if source not in target and square not in filled:
            target[source] = square
            filled.add(square)
    return target


def _break_circles(target: dict[int, int], now: Pieces, goal: Pieces) -> None:
    """Change which of equal pieces goes where as long as that opens or joins circles."""
    while True:
        circles = _circles(target)
        exchange = min(
            (
                (_longer(target, at, other, now), at, other)
                for circle in circles
                for at in circle
                for other in _equal(at, circle, target, now, goal)
            ),
            default=None,
        )
        if exchange is None:
            return
        _, at, other = exchange
        if now.get(other) != now[at]:
            target[at] = other  # a piece from beside the board comes where it would have gone
        elif other in target:
            target[at], target[other] = target[other], target[at]
        else:
            target[other] = target.pop(at)  # the other one, which was too many, goes instead


def _equal(
    at: int, circle: list[int], target: Mapping[int, int], now: Pieces, goal: Pieces
) -> list[int]:
    """Return the squares with which ``at`` may change places outside its circle: equal pieces that
    go elsewhere or are too many, and squares that would be filled from beside the board."""
    piece = now[at]
    pieces = [
        other
        for other, kind in now.items()
        if kind == piece and goal.get(other) != piece and other not in circle
    ]
    filled = set(target.values())
    squares = [
        square
        for square, kind in goal.items()
        if kind == piece and now.get(square) != piece and square not in filled
    ]
    return pieces + squares


def _longer(target: Mapping[int, int], at: int, other: int, now: Pieces) -> int:
    """Return by how many squares the ways get longer when ``at`` and ``other`` are exchanged."""
    far = chess.square_distance
    before = far(at, target[at])
    if now.get(other) != now[at]:
        return far(at, other) - before
    if other not in target:
        return far(other, target[at]) - before
    return far(at, target[other]) + far(other, target[at]) - before - far(other, target[other])


def _circles(target: Mapping[int, int]) -> list[list[int]]:
    """The squares whose pieces stand in each other's way, circle by circle."""
    found: list[list[int]] = []
    seen: set[int] = set()
    for start in sorted(target):
        way: list[int] = []
        square = start
        while square in target and square not in seen:
            seen.add(square)
            way.append(square)
            square = target[square]
        if square in way:
            found.append(way[way.index(square) :])
    return found


def _step(do: str, square: int, piece: str) -> CorrectingStep:
    return CorrectingStep(do, piece, chess.square_name(square))


# --- what two sheets say ------------------------------------------------------------------------

EntryCertainty = Literal["sure", "likely", "ambiguous", "illegal", "unreadable", "missing"]
Letters = frozenset[tuple[str, int]]
"""The letters of a sheet, each with the piece that it stands for."""
AllowedLetters = Literal["likely", "new", "any"]
"""The pieces that a letter may stand for: the likeliest ones on its sheet, any if it has not stood
for another one yet, or any."""


@dataclass(frozen=True)
class WrittenEntry:
    """The meaning of an entry of a scoresheet. ``text`` is kept as it was written; ``moves`` are
    those that it can mean: one if it is sure or likely, several if it is ambiguous, the intended
    move (or nothing) if no legal move fits. ``odd`` says what is odd about it, as its reader names
    it. Entries whose ``meant`` have something in common say the same, in whatever letters.
    ``letters``: for each move, what the letters of the sheet stand for then."""

    text: str
    certainty: EntryCertainty
    moves: tuple[chess.Move, ...] = ()
    odd: tuple[str, ...] = ()
    meant: frozenset[object] = frozenset()
    letters: tuple[Letters, ...] = ()

    @property
    def legible(self) -> bool:
        """Return whether the entry says anything."""
        return self.certainty not in ("unreadable", "missing")

    @property
    def legal(self) -> frozenset[chess.Move]:
        """The legal moves that it can mean."""
        found = self.certainty in ("sure", "likely", "ambiguous")
        return frozenset(self.moves) if found else frozenset()

    def letters_for(self, move: chess.Move, known: Letters) -> Letters:
        """What the letters stand for if the entry means ``move``; else ``known``."""
        return (
            self.letters[self.moves.index(move)]
            if move in self.moves[: len(self.letters)]
            else known
        )


class EntryReader(Protocol):
    """Reads the entries of one sheet."""

    def read(
        self,
        text: str,
        board: chess.Board,
        letters: Letters = frozenset(),
        allowed: AllowedLetters = "likely",
    ) -> WrittenEntry:
        """The meaning of an entry in a position. ``letters`` are known so far."""
        ...

    def weight(self, letters: Letters) -> int:
        """How unlikely it is that letters have these meanings; 3 is as much as a slip."""
        ...


PenSlipKind = Literal["entry", "exchanged", "number"]
"""An entry says another move than was played; the two entries of a line are exchanged; the numbers
do not go on in order."""
Stop = Literal["parted", "illegal", "gap", "ambiguous", "unfit"]
_NOTHING = WrittenEntry("", "missing")
_MOST_LINES = 256  # positions; as many as four promotions of which nobody has named the piece
_MOST_DOUBTS = 2  # slips one after the other; a third one tells of another game
_SLIP = 3  # the weight of a slip
_FAR = 3  # slips that a reading may have more than the best one, before it is dropped


_LIKELY: Sequence[AllowedLetters] = ("likely", "likely")
_AGAIN: Sequence[Sequence[AllowedLetters]] = (("any", "new"), ("new", "any"), ("any", "any"))


@dataclass(frozen=True)
class PenSlip:
    """A slip of the pen that the rest of both sheets shows. ``entry`` is what is written."""

    side: str
    ply: int
    kind: PenSlipKind
    entry: WrittenEntry


@dataclass(frozen=True)
class Comparison:
    """The result of comparing two scoresheets.

    ``moves`` is the game as far as they do not disagree: what both hold, what one holds where the
    other lags or has a gap, what was announced where both are silent. ``stop`` is why it ends
    before the sheets do, at the ply after it: they hold different moves, both hold the same
    illegal one, neither holds one, what they hold may be several moves, or an announced move does
    not fit what both hold; None if they never disagree. ``entries`` are both sides' entries at
    ``ply``, which is that ply, or the first after the game.

    ``lines`` are the games that fit all that the sheets hold, one for each position that they can
    have led to; none where no game fits it all, or so many that they have not been followed to
    the end. ``inferred`` are the plies of the game that neither sheet tells: only these moves fit
    what is written later. From ``open_from`` on several games lead to this position.

    ``changed`` is the first ply at which both hold another move than was announced; ``odd`` are
    the entries (side, ply) that are not sure; ``against`` those of one sheet that say otherwise
    than was announced, while the other sheet is silent. ``slips`` are slips of the pen.
    ``placed`` tells, by side, at which ply each ply of the game stands in the numbers of a sheet.
    """

    moves: tuple[chess.Move, ...]
    position: chess.Board
    stop: Stop | None
    ply: int
    entries: Mapping[str, WrittenEntry]
    lines: tuple[tuple[chess.Move, ...], ...]
    changed: int | None
    odd: tuple[tuple[str, int, WrittenEntry], ...]
    against: tuple[tuple[str, int], ...]
    inferred: tuple[int, ...] = ()
    open_from: int | None = None
    slips: tuple[PenSlip, ...] = ()
    placed: Mapping[str, Mapping[int, int]] = dataclasses.field(default_factory=dict)

    @property
    def unclear(self) -> list[tuple[str, int, EntryCertainty]]:
        """Entries (side, ply) within the game, and at a move that both sheets lack, that prove
        nothing, and why."""
        slips = {(slip.side, slip.ply) for slip in self.slips}
        return [
            (side, ply, entry.certainty)
            for side, ply, entry in self.odd
            if ply <= len(self.moves) + (self.stop == "gap")
            and entry.text.strip()
            and (side, ply) not in slips
            and entry.certainty in ("unreadable", "missing", "illegal")
        ]


@dataclass(frozen=True)
class _SheetReading:
    """One reading of a sheet."""

    letters: Letters = frozenset()
    slips: tuple[tuple[int, PenSlipKind], ...] = ()
    """Each with its ply."""
    exchanged: tuple[int, ...] = ()
    """The plies at which the entries of a line are exchanged."""
    ahead: tuple[tuple[int, int], ...] = ()
    """From which ply on the sheet's numbers are so far ahead of the game's."""

    def at(self, ply: int) -> int:
        """The ply by the numbers of the sheet."""
        shift = next((by for since, by in reversed(self.ahead) if since <= ply), 0)
        swapped = (ply in self.exchanged) - (ply - 1 in self.exchanged)
        return ply + shift + swapped

    @property
    def shift(self) -> int:
        return self.ahead[-1][1] if self.ahead else 0

    def up_to(self, last: int) -> "_SheetReading":
        """The same sheet, read as it is written after ``last``."""
        exchanged = tuple(ply for ply in self.exchanged if ply <= last)
        ahead = tuple((since, by) for since, by in self.ahead if since <= last)
        return replace(self, exchanged=exchanged, ahead=ahead)


@dataclass(frozen=True)
class _Line:
    """A game that the sheets can mean. ``doubts`` are the plies of slips that nothing has confirmed
    since: no entry on which both sheets agree."""

    board: chess.Board
    sheets: tuple[_SheetReading, _SheetReading]
    moves: tuple[chess.Move, ...] = ()
    bridged: int | None = None  # the ply at which a gap in both sheets has been bridged
    changed: int | None = None
    doubts: tuple[int, ...] = ()
    against: tuple[tuple[str, int], ...] = ()
    open_from: int | None = None  # from there on other games, too, lead to this position

    @property
    def sure(self) -> tuple[chess.Move, ...]:
        """The game up to the first slip that nothing has confirmed."""
        return self.moves[: self.doubts[0] - 1] if self.doubts else self.moves


def compare(
    start: chess.Board,
    sheets: Mapping[str, Mapping[int, str]],
    readers: Mapping[str, EntryReader],
    announced: Sequence[chess.Move] = (),
    settled: Collection[int] = (),
) -> Comparison:
    """Hold both sheets (by side, entries by ply) against each other and against the moves as
    announced. Of the plies in ``settled`` the arbiter has said that the announced move counts.

    A sheet that merely lags, has a gap or an entry that nobody can read does not disagree. An
    entry that can mean several moves is decided by the other sheet, by what was announced, or by
    later entries that only fit one of them.

    Each sheet is read as a whole. A game, with what the letters stand for, costs each sheet the
    slips of the pen that it must hold then. A game stands if no other one suits either sheet
    better, and each slip is followed by an entry on which both sheets agree. If two games are left,
    the sheets part where these do.
    """
    return _Comparing(start, sheets, readers, announced, settled).outcome()


class _Comparing:
    def __init__(
        self,
        start: chess.Board,
        sheets: Mapping[str, Mapping[int, str]],
        readers: Mapping[str, EntryReader],
        announced: Sequence[chess.Move],
        settled: Collection[int],
    ) -> None:
        self.start, self.announced, self.settled = start, announced, settled
        self.texts = tuple(sheets[side] for side in SIDES)
        self.readers = tuple(readers[side] for side in SIDES)
        self.ends = tuple(max(sheet, default=0) for sheet in self.texts)
        self.last = max(len(announced), *self.ends)

    def outcome(self) -> Comparison:
        """Follow all games that the sheets can mean, ply by ply."""
        lines = [_Line(self.start, (_SheetReading(), _SheetReading()))]
        before = lines
        for ply in range(1, self.last + 1):
            more, reasons = self._next(lines, ply)
            if not more and ply > 1:
                # Both may have exchanged the same two entries: the first is legal by chance.
                both = [one for line in before for one in self._exchanged(line, ply - 1)]
                more, _ = self._next(both, ply)
            if not more:
                return self._concluded(lines, ply, reasons[0])
            before, lines = lines, self._kept(more)
            if len(lines) > _MOST_LINES:
                # Following only some of them would make those look certain.
                return self._concluded(lines, None, "ambiguous")
        return self._concluded(lines, None, None)

    # --- the next ply ----------------------------------------------------------------------

    def _next(self, lines: list[_Line], ply: int) -> tuple[list[_Line], list[Stop]]:
        """All games that ``lines`` may go on with, and why others end."""
        more: list[_Line] = []
        reasons: list[Stop] = []
        for line in lines:
            found = self._followers(line, ply)
            if isinstance(found, list):
                more += found
            else:
                reasons.append(found)
        return more, reasons

    def _followers(self, line: _Line, ply: int) -> list[_Line] | Stop:
        """The games that ``line`` may go on with, or why it ends."""
        said = self._said(ply)
        entries = self._entries(line, line.sheets, ply)
        if said is None and not self._goes_on(line, ply):
            return [line]
        found: list[_Line] = []
        legible = [entry for entry in entries if entry.legible]
        common = frozenset.intersection(*(one.legal for one in legible)) if legible else frozenset()
        if said is not None and (len(legible) < 2 or said in common):
            against = tuple(
                (side, ply)
                for side, entry in zip(SIDES, entries, strict=True)
                if entry.legible and said not in entry.legal
            )
            found = self._go_on(line, ply, entries, [said], against=against)
            return found or "unfit"
        if len(legible) == 2 and common:
            found = self._go_on(line, ply, entries, common, changed=said is not None)
            letters = [sheet.letters for sheet in line.sheets]
            if any([sheet.letters for sheet in one.sheets] == letters for one in found):
                return found
            entries = self._entries(line, line.sheets, ply, _LIKELY)
            if any(all(one.moves[-1] in entry.legal for entry in entries) for one in found):
                return found
            # A slip of the pen may be likelier than what a letter stands for here.
        elif len(legible) == 1:
            found = self._go_on(line, ply, entries, common)
        elif not legible:
            found = self._bridged(line, ply, entries)
        found += self._with_slips(line, ply, entries, said)
        return found or self._reason(entries)

    def _goes_on(self, line: _Line, ply: int) -> bool:
        """True if a sheet holds something from ``ply`` on."""
        return any(sheet.at(ply) <= end for sheet, end in zip(line.sheets, self.ends, strict=True))

    def _said(self, ply: int) -> chess.Move | None:
        return self.announced[ply - 1] if 0 < ply <= len(self.announced) else None

    def _entries(
        self,
        line: _Line,
        sheets: tuple[_SheetReading, _SheetReading],
        ply: int,
        allowed: Sequence[AllowedLetters] = ("new", "new"),
    ) -> tuple[WrittenEntry, ...]:
        """The entries of both sheets at a ply of the game."""
        if ply in self.settled and self._said(ply) is not None:
            return (_NOTHING, _NOTHING)
        return tuple(
            _NOTHING
            if (text := self.texts[side].get(sheet.at(ply))) is None
            else reader.read(text, line.board, sheet.letters, way)
            for side, (sheet, reader, way) in enumerate(
                zip(sheets, self.readers, allowed, strict=True)
            )
        )

    def _go_on(
        self,
        line: _Line,
        ply: int,
        entries: Sequence[WrittenEntry],
        moves: Iterable[chess.Move],
        sheets: tuple[_SheetReading, _SheetReading] | None = None,
        *,
        slips: Sequence[PenSlipKind | None] = (None, None),
        bridged: bool = False,
        changed: bool = False,
        against: tuple[tuple[str, int], ...] = (),
    ) -> list[_Line]:
        """``line`` with each of ``moves``. ``slips`` are those of both sheets at this ply."""
        found = []
        for move in sorted(moves, key=str):
            # A played move counts as it was played, legal or not, as long as nothing has changed;
            # a move read from a sheet is legal.
            played = (*line.moves, move)
            if not line.board.is_legal(move) and played != tuple(self.announced[:ply]):
                continue
            holding = [move in entry.legal for entry in entries]
            doubts = line.doubts + ((ply,) if any(slips) else ())
            # One sheet is enough where nothing else is written, or with what was announced.
            enough = not all(self.ends) or (self._said(ply) == move and not against)
            if all(holding) or (any(holding) and enough and not any(slips)):
                doubts = ()
            if len(doubts) > _MOST_DOUBTS:
                continue
            after = tuple(
                replace(
                    sheet,
                    letters=entry.letters_for(move, sheet.letters),
                    slips=sheet.slips if slip is None else (*sheet.slips, (ply, slip)),
                )
                for sheet, entry, slip in zip(sheets or line.sheets, entries, slips, strict=True)
            )
            board = line.board.copy(stack=False)
            board.push(move)
            found.append(
                _Line(
                    board, (after[0], after[1]), played,
                    line.bridged or (ply if bridged else None),
                    line.changed or (ply if changed else None),
                    doubts, line.against + against, line.open_from,
                )
            )  # fmt: skip
        return found

    def _with_slips(
        self, line: _Line, ply: int, entries: tuple[WrittenEntry, ...], said: chess.Move | None
    ) -> list[_Line]:
        """The games that ``line`` may go on with if somebody has made a slip of the pen here."""
        found: list[_Line] = []
        legible = [entry for entry in entries if entry.legible]
        for allowed in _AGAIN:
            read = self._entries(line, line.sheets, ply, allowed)
            held = [entry.legal for entry in read if entry.legible]
            if read != entries and held:
                found += self._go_on(line, ply, read, frozenset.intersection(*held))
        for sheets, slips in self._misplaced(line, ply):
            moved = self._entries(line, sheets, ply)
            held = [entry.legal for entry in moved if entry.legible]
            if any(slip and not entry.legible for entry, slip in zip(moved, slips, strict=True)):
                continue
            if held and frozenset.intersection(*held):
                moves = frozenset.intersection(*held)
                found += self._go_on(line, ply, moved, moves, sheets, slips=slips)
            elif len(held) == 2:
                found += self._one_is_wrong(line, ply, moved, sheets, slips, said)
        if len(legible) == 2 and not _same_impossible(*entries):
            found += self._one_is_wrong(line, ply, entries, line.sheets, (None, None), said)
        if legible and not any(entry.legal for entry in legible) and said is None:
            found += self._bridged(line, ply, entries)
        return found

    def _exchanged(self, line: _Line, ply: int) -> list[_Line]:
        """The games in which both sheets have the entries of this line exchanged."""
        found: list[_Line] = []
        for sheets, slips in self._misplaced(line, ply) if self._said(ply) is None else ():
            if slips == ("exchanged", "exchanged"):
                entries = self._entries(line, sheets, ply)
                moves = entries[0].legal & entries[1].legal
                found += self._go_on(line, ply, entries, moves, sheets, slips=slips)
        return found

    def _bridged(self, line: _Line, ply: int, entries: tuple[WrittenEntry, ...]) -> list[_Line]:
        """The games in which neither sheet holds the move. If only one of them fits what is written
        later, that was played. The same impossible move on both sheets is no slip (7.5)."""
        if line.bridged or not self._goes_on(line, ply + 1) or _same_impossible(*entries):
            return []
        wrong: list[PenSlipKind | None] = ["entry" if one.legible else None for one in entries]
        moves = line.board.legal_moves
        return self._go_on(line, ply, entries, moves, slips=wrong, bridged=True)

    def _one_is_wrong(
        self,
        line: _Line,
        ply: int,
        entries: tuple[WrittenEntry, ...],
        sheets: tuple[_SheetReading, _SheetReading],
        slips: tuple[PenSlipKind | None, PenSlipKind | None],
        said: chess.Move | None,
    ) -> list[_Line]:
        """The games in which one of two entries is right, or what was announced."""
        found: list[_Line] = []
        wanted = {move for entry in entries for move in entry.legal}
        for move in wanted if said is None else wanted | {said}:
            holding = [move in entry.legal for entry in entries]
            if all(held or slip is None for held, slip in zip(holding, slips, strict=True)):
                wrong = [
                    slip if held else "entry" for held, slip in zip(holding, slips, strict=True)
                ]
                found += self._go_on(line, ply, entries, [move], sheets, slips=wrong)
        return found

    def _misplaced(
        self, line: _Line, ply: int
    ) -> Iterator[
        tuple[tuple[_SheetReading, _SheetReading], tuple[PenSlipKind | None, PenSlipKind | None]]
    ]:
        """The sheets, read as if entries stood at another ply than they should."""
        ways: list[list[tuple[_SheetReading, PenSlipKind | None]]] = []
        for texts, sheet in zip(self.texts, line.sheets, strict=True):
            here = sheet.at(ply)
            way: list[tuple[_SheetReading, PenSlipKind | None]] = [(sheet, None)]
            if line.board.turn and here in texts and here + 1 in texts:
                way.append((replace(sheet, exchanged=(*sheet.exchanged, ply)), "exchanged"))
            if here not in texts and (here == 1 or here - 1 in texts):
                gap = min((later for later in texts if later > here), default=here) - here
                if gap and gap % 2 == 0:
                    moved = (*sheet.ahead, (ply, sheet.shift + gap))
                    way.append((replace(sheet, ahead=moved), "number"))
            ways.append(way)
        for white, slip in ways[0]:
            for black, other in ways[1]:
                if slip or other:
                    yield (white, black), (slip, other)

    def _reason(self, entries: Sequence[WrittenEntry]) -> Stop:
        """Why the game ends where both sheets hold ``entries``."""
        legible = [entry for entry in entries if entry.legible]
        if len(legible) == 2:
            if _same_impossible(*entries):
                return "illegal"
            return "ambiguous" if entries[0].legal & entries[1].legal else "parted"
        if legible:
            return "illegal" if legible[0].certainty == "illegal" else "ambiguous"
        return "gap"

    # --- games that are alike, and the best one ---------------------------------------------

    def _cost(self, line: _Line) -> tuple[int, int]:
        """The slips that each sheet must hold if this is the game. A move that neither holds counts
        as a slip of both."""
        white, black = (
            len(sheet.slips) + (line.bridged is not None) + reader.weight(sheet.letters) // _SLIP
            for sheet, reader in zip(line.sheets, self.readers, strict=True)
        )
        return white, black

    def _strangeness(self, line: _Line) -> int:
        """How unusual the letters of both sheets are then. Where games cost as many slips, a slip
        of the pen goes before a letter that stands for two pieces."""
        return sum(
            reader.weight(sheet.letters)
            for sheet, reader in zip(line.sheets, self.readers, strict=True)
        )

    def _kept(self, lines: list[_Line]) -> list[_Line]:
        """Return one line for each position: the way to it makes no difference to what follows."""
        if len(lines) == 1:
            return lines
        found: dict[object, _Line] = {}
        costs = [self._cost(line) for line in lines]
        best = min(map(sum, costs))
        # The more games there are, the less may speak against one that is followed further.
        far = next((far for far in range(_FAR, 0, -1) if self._are_few(costs, best + far)), 0)
        for line, cost in zip(lines, costs, strict=True):
            if sum(cost) > best + far:
                continue
            state = tuple(
                (sheet.letters, sheet.shift, sheet.exchanged[-1:]) for sheet in line.sheets
            )
            key = line.board.epd(), line.changed, line.doubts, state, cost
            kept = found.setdefault(key, line)
            if kept.moves != line.moves:
                parted = [one.open_from for one in (kept, line) if one.open_from is not None]
                parted.append(_parting([kept.moves, line.moves]) + 1)
                found[key] = replace(kept, open_from=min(parted))
        return list(found.values())

    @staticmethod
    def _are_few(costs: Sequence[tuple[int, int]], most: int) -> bool:
        """True if few games cost at most so many slips."""
        return sum(sum(cost) <= most for cost in costs) <= _MOST_LINES

    def _best(self, lines: list[_Line]) -> list[_Line]:
        """The lines than which no other one suits either sheet better."""
        costs = [(self._cost(line), line) for line in lines]
        best = [
            (cost, line)
            for cost, line in costs
            if not any(_suits_better(other, cost) for other, _ in costs)
        ]
        least: dict[tuple[int, int], int] = {}
        for cost, line in best:
            strange = self._strangeness(line)
            least[cost] = min(strange, least.get(cost, strange))
        found = [line for cost, line in best if self._strangeness(line) == least[cost]]
        played = tuple(self.announced)
        return sorted(found, key=lambda line: line.moves != played[: len(line.moves)])

    def _concluded(self, lines: list[_Line], ended: int | None, why: Stop | None) -> Comparison:
        """The comparison when ``lines`` end: at ``ended``, or at the end of the sheets."""
        best = self._best(lines)
        first = best[0]
        games = {line.sure for line in best}
        common = _parting([line.sure for line in best])
        cut = any(line.doubts for line in best)
        opened = [line.open_from for line in best if line.open_from is not None]
        if len({line.board.epd() for line in best}) == 1 and not cut and why is None:
            # One position, whatever the order of the moves was.
            if len(games) > 1:
                opened.append(common + 1)
            common = len(first.moves)
        elif (why or len(games) > 1 or cut) and opened:
            common = min(common, *(ply - 1 for ply in opened))
        stop: Stop | None = None
        entries: Mapping[str, WrittenEntry] = {}
        position = self.start.copy(stack=False)
        for move in first.moves[:common]:
            position.push(move)
        if common < len(first.moves) or why:
            literal = tuple(sheet.up_to(common) for sheet in first.sheets)
            at = _Line(position, (literal[0], literal[1]), first.moves[:common])
            written = self._entries(at, at.sheets, common + 1, _LIKELY)
            stop = why if ended == common + 1 and why else self._reason(written)
            if stop == "parted" or stop == "illegal" or ended == common + 1:
                entries = dict(zip(SIDES, written, strict=True))
            if first.bridged == common + 1 and stop == "ambiguous":
                stop = "gap"
        whole = why is None and not cut and stop not in ("parted", "illegal")
        fitting = tuple({line.moves: None for line in best}) if whole else ()
        return Comparison(
            first.moves[:common], position, stop, common + 1, entries, fitting, first.changed,
            tuple(self._odd(first, common + 1)), first.against,
            (first.bridged,) if first.bridged and first.bridged <= common else (),
            min(opened) if opened and common == len(first.moves) else None,
            tuple(self._slips(best, common)),
            {
                side: {ply: sheet.at(ply) for ply in range(1, self.last + 1)}
                for side, sheet in zip(SIDES, first.sheets, strict=True)
            },
        )  # fmt: skip

    def _replayed(self, line: _Line, last: int) -> Iterator[tuple[int, Mapping[str, WrittenEntry]]]:
        """The entries up to ``last`` ply by ply, with all that is known of the letters."""
        board = self.start.copy(stack=False)
        for ply in range(1, last + 1):
            at = _Line(board, line.sheets)
            entries = self._entries(at, line.sheets, ply, _LIKELY)
            yield ply, dict(zip(SIDES, entries, strict=True))
            if ply <= len(line.moves):
                board.push(line.moves[ply - 1])

    def _odd(self, line: _Line, last: int) -> Iterator[tuple[str, int, WrittenEntry]]:
        for ply, entries in self._replayed(line, last):
            for side, entry in entries.items():
                if entry is not _NOTHING and (entry.certainty != "sure" or entry.odd):
                    yield side, ply, entry

    def _slips(self, best: list[_Line], last: int) -> Iterator[PenSlip]:
        """The slips up to ``last`` that all the best games have."""
        common = set.intersection(
            *(
                {
                    (ply, side, kind)
                    for side, sheet in enumerate(line.sheets)
                    for ply, kind in sheet.slips
                }
                for line in best
            )
        )
        for ply, entries in self._replayed(best[0], last) if common else ():
            for at, side, kind in sorted(common):
                if at == ply:
                    yield PenSlip(SIDES[side], ply, kind, entries[SIDES[side]])


def _same_impossible(white: WrittenEntry, black: WrittenEntry) -> bool:
    """True if both entries hold the same move, which is not legal."""
    if white.certainty != "illegal" or black.certainty != "illegal":
        return False
    same = white.text.split() == black.text.split() or bool(white.meant & black.meant)
    return same or bool(set(white.moves) & set(black.moves))


def _suits_better(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """True if ``one`` costs neither sheet more than ``other``, and one of them less."""
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def _parting(games: Sequence[tuple[chess.Move, ...]]) -> int:
    """Return the number of moves that games have in common from their beginning."""
    common = 0
    for moves in zip(*games, strict=False):
        if len(set(moves)) > 1:
            break
        common += 1
    return common
