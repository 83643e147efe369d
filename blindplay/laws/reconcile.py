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

    Every piece that stands wrong is first lifted (or removed for good), then what is missing is
    placed: a square is always empty when something is put on it.
    """
    wrong = [square for square, piece in sorted(now.items()) if goal.get(square) != piece]
    empty = [square for square, piece in sorted(goal.items()) if now.get(square) != piece]
    todo: list[dict[str, str]] = []
    spare: list[int] = []
    lifted: list[tuple[int, int]] = []
    waiting = list(empty)
    for square in wrong:
        targets = [target for target in waiting if goal[target] == now[square]]
        if targets:
            nearest = min(targets, key=lambda target: chess.square_distance(square, target))
            waiting.remove(nearest)
            lifted.append((square, nearest))
        else:
            spare.append(square)
    for square in spare:
        todo.append(_step("remove", square, now[square]))
    # A piece may go straight to its square once nothing stands there any more.
    free = {square for square in range(64) if square not in now} | set(spare)
    while lifted:
        direct = [pair for pair in lifted if pair[1] in free]
        if direct:
            source, target = direct[0]
            lifted.remove(direct[0])
            todo.append(_step("lift", source, now[source]))
            todo.append(_step("place", target, goal[target]))
            free.discard(target)
            free.add(source)
            continue
        # A circle of pieces that stand in each other's way: set the first one aside.
        source, target = lifted.pop(0)
        todo.append(_step("lift", source, now[source]))
        free.add(source)
        waiting.append(target)
    for square in sorted(waiting):
        todo.append(_step("place", square, goal[square]))
    return todo


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
        if ours is None or ours != theirs:
            return ply
    return None
