"""Two boards, two scoresheets (D.2.9): where they differ and how a board is put right."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import chess

from .placement import Pieces


def differences(white: Pieces, black: Pieces, goal: Pieces) -> list[dict[str, str | None]]:
    """The squares on which a board differs from the other or from the game, a1 first."""
    found = []
    for square in range(64):
        shown = white.get(square), black.get(square)
        if shown[0] != shown[1] or shown[0] != goal.get(square):
            found.append(
                {
                    "square": chess.square_name(square),
                    "white": shown[0],
                    "black": shown[1],
                }
            )
    return found


def steps(now: Pieces, goal: Pieces) -> list[dict[str, str]]:
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
    return todo + [_step("place", square, goal[square]) for square in empty if square not in filled]


def _shortest(now: Pieces, goal: Pieces) -> dict[int, int]:
    """To which square each piece that stands wrong, and is needed elsewhere, goes."""
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
    """With what the piece on ``at`` may change places outside its circle: equal pieces that go
    elsewhere or are too many, and squares that would be filled from beside the board."""
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
    """By how many squares the ways get longer when ``at`` and ``other`` are exchanged."""
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


def _step(what: str, square: int, piece: str) -> dict[str, str]:
    name = chess.square_name(square)
    return {"do": what, what: name, "square": name, "piece": piece}


def scoresheets_part(
    white: Mapping[int, str],
    black: Mapping[int, str],
    positions: Sequence[chess.Board],
    read: Callable[[str, str, chess.Board], chess.Move | None],
) -> int | None:
    """The first ply that both sheets hold and for which they name different moves, else None.

    A sheet that merely lags behind, or has a gap, does not disagree. ``positions[n]`` is the
    position before ply n + 1; ``read(side, text, position)`` is the move an entry stands for.
    """
    for ply in sorted(white.keys() & black.keys()):
        if white[ply].strip().casefold() == black[ply].strip().casefold():
            continue
        if ply > len(positions):
            break  # nothing has been played there yet, so there is nothing to take back
        position = positions[ply - 1]
        ours, theirs = read("white", white[ply], position), read("black", black[ply], position)
        # What nobody can read proves nothing, neither for nor against the other's entry.
        if ours is not None and theirs is not None and ours != theirs:
            return ply
    return None
