"""Two boards, two scoresheets (D.2.9): where they differ and how a board is corrected."""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import chess

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
    stand in each other's way in a circle, one is set aside (lifted, and placed when its square
    is free), and equal pieces go where the fewest circles come of it, then the shorter way.
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


EntryCertainty = Literal["sure", "likely", "ambiguous", "illegal", "unreadable", "missing"]


@dataclass(frozen=True)
class WrittenEntry:
    """The meaning of an entry of a scoresheet. ``text`` is kept as it was written; ``moves`` are
    those that it can mean: one if it is sure or likely, several if it is ambiguous, the intended
    move (or nothing) if no legal move fits. ``odd`` says what is odd about it, as its reader names
    it. Entries whose ``meant`` have something in common say the same, in whatever letters."""

    text: str
    certainty: EntryCertainty
    moves: tuple[chess.Move, ...] = ()
    odd: tuple[str, ...] = ()
    meant: frozenset[object] = frozenset()

    @property
    def legible(self) -> bool:
        """Return whether the entry says anything."""
        return self.certainty not in ("unreadable", "missing")


EntryReader = Callable[[str, chess.Board], WrittenEntry]
"""Reads one entry of one sheet in a position."""

Stop = Literal["parted", "illegal", "gap", "ambiguous", "unfit"]
_NOTHING = WrittenEntry("", "missing")
_MOST_LINES = 256  # positions; as many as four promotions of which nobody has named the piece


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
    than was announced, while the other sheet is silent.
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

    @property
    def unclear(self) -> list[tuple[str, int, EntryCertainty]]:
        """Entries (side, ply) within the game, and at a move that both sheets lack, that prove
        nothing, and why."""
        return [
            (side, ply, entry.certainty)
            for side, ply, entry in self.odd
            if ply <= len(self.moves) + (self.stop == "gap")
            and entry.text.strip()
            and entry.certainty in ("unreadable", "missing", "illegal")
        ]


@dataclass(frozen=True)
class _Line:
    board: chess.Board
    moves: tuple[chess.Move, ...] = ()
    bridged: int | None = None  # the ply at which a gap in both sheets has been bridged
    changed: int | None = None
    odd: tuple[tuple[str, int, WrittenEntry], ...] = ()
    against: tuple[tuple[str, int], ...] = ()
    open_from: int | None = None  # from there on other games, too, lead to this position


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
    """
    last = max([len(announced), *sheets["white"], *sheets["black"]], default=0)
    lines = [_Line(start)]
    for ply in range(1, last + 1):
        said = announced[ply - 1] if ply <= len(announced) else None
        more: list[_Line] = []
        stops: list[tuple[Stop, Mapping[str, WrittenEntry]]] = []
        for line in lines:
            entries = {
                side: _NOTHING
                if (text := sheet.get(ply)) is None or (ply in settled and said is not None)
                else readers[side](text, line.board)
                for side, sheet in sheets.items()
            }
            found = _continue(line, ply, entries, said, ply < last)
            if isinstance(found, list):
                more += found
            else:
                stops.append((found, entries))
        if not more:
            return _concluded(start, lines, *stops[0])
        lines = _by_position(more)
        if len(lines) > _MOST_LINES:
            # Following only some of them would make those look certain.
            return _concluded(start, lines, "ambiguous", {})
    return _concluded(start, lines, None, {})


def _by_position(lines: list[_Line]) -> list[_Line]:
    """Return one line for each position: the way to it makes no difference to what follows."""
    if len(lines) == 1:
        return lines
    found: dict[object, _Line] = {}
    for line in lines:
        key = line.board.epd(), line.changed
        kept = found.setdefault(key, line)
        if kept is not line:
            parted = [one.open_from for one in (kept, line) if one.open_from is not None]
            parted.append(_parting([kept.moves, line.moves]) + 1)
            found[key] = dataclasses.replace(kept, open_from=min(parted))
    return list(found.values())


def _parting(games: Sequence[tuple[chess.Move, ...]]) -> int:
    """Return the number of moves that games have in common from their beginning."""
    common = 0
    for moves in zip(*games, strict=False):
        if len(set(moves)) > 1:
            break
        common += 1
    return common


def _concluded(
    start: chess.Board, lines: list[_Line], stop: Stop | None, entries: Mapping[str, WrittenEntry]
) -> Comparison:
    """The comparison when ``lines`` end, at the end of the sheets unless ``stop`` says why not."""
    first = lines[0]
    common = _parting([line.moves for line in lines])
    fitting = () if stop else tuple(line.moves for line in lines)
    opened = [line.open_from for line in lines if line.open_from is not None]
    if (stop or len(lines) > 1) and opened:
        common = min(common, *(ply - 1 for ply in opened))
    odd = first.odd + tuple(_odd(len(first.moves) + 1, entries))
    if common < len(first.moves):
        # Where the lines part it is open which move was played; what comes later is, too.
        stop, entries = ("gap" if first.bridged == common + 1 else "ambiguous"), {}
    position = start.copy(stack=False)
    for move in first.moves[:common]:
        position.push(move)
    return Comparison(
        first.moves[:common], position, stop, common + 1, entries, fitting, first.changed, odd,
        first.against,
        (first.bridged,) if first.bridged and first.bridged <= common else (),
        first.open_from if common == len(first.moves) else None,
    )  # fmt: skip


def _odd(ply: int, entries: Mapping[str, WrittenEntry]) -> Iterator[tuple[str, int, WrittenEntry]]:
    for side, entry in entries.items():
        if entry is not _NOTHING and (entry.certainty != "sure" or entry.odd):
            yield side, ply, entry


def _continue(
    line: _Line,
    ply: int,
    entries: Mapping[str, WrittenEntry],
    said: chess.Move | None,
    goes_on: bool,
) -> list[_Line] | Stop:
    """The games that ``line`` may go on with, or why it ends."""
    legible = {side: entry for side, entry in entries.items() if entry.legible}
    holding = [set(entry.moves) for entry in legible.values()]
    common = set.intersection(*holding) if holding else set()
    against: tuple[tuple[str, int], ...] = ()
    changed = line.changed
    if said is not None and (not legible or said in common):
        candidates = [said]
    elif len(legible) == 2:
        white, black = legible["white"], legible["black"]
        if white.certainty == black.certainty == "illegal":
            same = white.text.split() == black.text.split() or white.meant & black.meant
            return "illegal" if common or same else "parted"
        if not common:
            return "parted"
        candidates = sorted(common, key=str)
        changed = changed if said is None else changed or ply
    elif legible:
        ((side, entry),) = legible.items()
        if said is not None:
            candidates, against = [said], ((side, ply),)
        elif entry.certainty == "illegal":
            return "illegal"
        else:
            candidates = sorted(common, key=str)
    elif goes_on and not line.bridged:
        candidates = sorted(line.board.legal_moves, key=str)
    else:
        return "gap"
    odd = line.odd + tuple(_odd(ply, entries))
    against = line.against + against
    bridged = line.bridged or (None if legible or said else ply)
    followers = []
    for move in candidates:
        # A played move counts as it was played, legal or not, as long as nothing has changed;
        # a move read from a sheet is legal.
        if changed is not None and move == said and not line.board.is_legal(move):
            continue
        board = line.board.copy(stack=False)
        board.push(move)
        moves = (*line.moves, move)
        followers.append(_Line(board, moves, bridged, changed, odd, against, line.open_from))
    return followers or "unfit"
