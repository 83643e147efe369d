"""Joins the pads of the printed board by tracks on a grid, each of two sides with a direction.

Tracks above run mostly across, those below along the files. Each pad is joined to the nearest
copper of its net by the cheapest way (A*). The order and all costs are whole numbers, so the same
circuit gives the same board on every computer.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

import circuit
from circuit import CLEARANCE, GRID, POWER, TRACK, VIA, Part, PlacedPad, Track, Via

FREE, NOBODY = 0, -1
STEP, AGAINST, CHANGE = 10, 35, 70
"""Costs of one step along and against a side's direction, and of a via."""

WIDE_NETS = (
    circuit.GROUND, circuit.SUPPLY, circuit.OUTSIDE, "MOTOR_HIGH", "MOTOR_LOW", "BUZZER_LOW",
)  # fmt: skip


class NoWayError(RuntimeError):
    """A pad cannot be joined to the rest of its net."""


class Board:
    """The grid with what lies on it: for each node the net that may have a track or a via there."""

    def __init__(self) -> None:
        left, near, right, far = circuit.OUTLINE
        self.x0, self.y0 = round(left / GRID), round(near / GRID)
        self.columns = round(right / GRID) - self.x0 + 1
        self.rows = round(far / GRID) - self.y0 + 1
        self.size = self.columns * self.rows
        # Track and wide track (also via) above and below.
        self.thin = [[FREE] * self.size for _ in range(2)]
        self.wide = [[FREE] * self.size for _ in range(2)]
        self.via = [FREE] * self.size
        self.numbers: dict[str, int] = {}
        self.tracks: list[Track] = []
        self.vias: list[Via] = []
        edge = circuit.EDGE
        for row in range(self.rows):
            for column in range(self.columns):
                x, y = self.place(row * self.columns + column)
                inside = min(x - left, right - x, y - near, far - y)
                for half, maps in ((TRACK / 2, self.thin), (POWER / 2, self.wide)):
                    if inside < edge + half:
                        for side in maps:
                            side[row * self.columns + column] = NOBODY

    def number(self, net: str) -> int:
        return self.numbers.setdefault(net, len(self.numbers) + 1)

    def place(self, node: int) -> tuple[float, float]:
        row, column = divmod(node, self.columns)
        return round((column + self.x0) * GRID, 4), round((row + self.y0) * GRID, 4)

    def node(self, x: float, y: float) -> int:
        return (round(y / GRID) - self.y0) * self.columns + round(x / GRID) - self.x0

    def _near(
        self, low: tuple[float, float], high: tuple[float, float], reach: float
    ) -> Iterable[int]:
        first = max(0, int((low[0] - reach) / GRID) - self.x0)
        last = min(self.columns - 1, int((high[0] + reach) / GRID) + 1 - self.x0)
        bottom = max(0, int((low[1] - reach) / GRID) - self.y0)
        top = min(self.rows - 1, int((high[1] + reach) / GRID) + 1 - self.y0)
        for row in range(bottom, top + 1):
            yield from range(row * self.columns + first, row * self.columns + last + 1)

    def _claim(self, owners: list[int], node: int, net: int) -> None:
        owners[node] = net if owners[node] in (FREE, net) else NOBODY

    def keep(
        self, net: int, sides: Iterable[bool], low: tuple[float, float], high: tuple[float, float],
        radius: float, vias: bool = True,
    ) -> None:  # fmt: skip
        """Copper of ``net``: the box from ``low`` to ``high``, and all within ``radius`` of it.

        Without ``vias`` it keeps away even those of its own net: another hole, or a pad whose
        solder a via would drink. ``net`` may be NOBODY.
        """
        far = radius + CLEARANCE + POWER / 2 + 0.05
        for node in self._near(low, high, far):
            x, y = self.place(node)
            dx = max(low[0] - x, 0, x - high[0])
            dy = max(low[1] - y, 0, y - high[1])
            # A track runs between the nodes, up to this much nearer to something round.
            away = (dx * dx + dy * dy) ** 0.5 - radius - 0.03
            if away < CLEARANCE + POWER / 2:
                for below in sides:
                    self._claim(self.wide[below], node, net)
                    if away < CLEARANCE + TRACK / 2:
                        self._claim(self.thin[below], node, net)
            if not vias and away < VIA / 2 + CLEARANCE:
                self.via[node] = NOBODY

    def pad(self, pad: PlacedPad) -> None:
        net = self.number(pad.net) if pad.net else NOBODY
        sides = (False, True) if pad.drill else (pad.below,)
        half_x, half_y = pad.width / 2, pad.height / 2
        radius = min(half_x, half_y) if pad.round else 0.0
        low = (pad.x - half_x + radius, pad.y - half_y + radius)
        high = (pad.x + half_x - radius, pad.y + half_y - radius)
        self.keep(net, sides, low, high, radius, vias=False)

    def lay(self, track: Track) -> None:
        low = (min(track.start[0], track.end[0]), min(track.start[1], track.end[1]))
        high = (max(track.start[0], track.end[0]), max(track.start[1], track.end[1]))
        self.keep(self.number(track.net), (track.below,), low, high, track.width / 2)
        self.tracks.append(track)

    def drill(self, via: Via) -> None:
        self.keep(self.number(via.net), (False, True), via.at, via.at, VIA / 2)
        for node in self._near(via.at, via.at, GRID * 1.2):
            x, y = self.place(node)
            if (x - via.at[0]) ** 2 + (y - via.at[1]) ** 2 < 0.56**2:
                self.via[node] = NOBODY
        self.vias.append(via)

    def search(self, net: int, wide: bool, starts: set[int], goals: set[int]) -> list[int]:
        """The cheapest way from one of ``starts`` to one of ``goals``; nodes of both sides, those
        below come after all above. Empty if there is none."""
        size, columns = self.size, self.columns
        owners = (self.wide if wide else self.thin)[0] + (self.wide if wide else self.thin)[1]
        above, below, via = self.wide[0], self.wide[1], self.via
        spots = [goal % size for goal in goals]
        left, right = min(s % columns for s in spots), max(s % columns for s in spots)
        low, high = min(s // columns for s in spots), max(s // columns for s in spots)

        def rest(node: int) -> int:
            row, column = divmod(node % size, columns)
            return STEP * (max(left - column, 0, column - right) + max(low - row, 0, row - high))

        cost = dict.fromkeys(starts, 0)
        before: dict[int, int] = {}
        queue = [(rest(start), start) for start in sorted(starts)]
        heapq.heapify(queue)
        done = set()
        while queue:
            _, node = heapq.heappop(queue)
            if node in done:
                continue
            done.add(node)
            if node in goals:
                way = [node]
                while node in before:
                    node = before[node]
                    way.append(node)
                return way[::-1]
            spot, column = node % size, node % size % columns
            across, along = (STEP, AGAINST) if node < size else (AGAINST, STEP)
            steps = []
            if column:
                steps.append((node - 1, across))
            if column < columns - 1:
                steps.append((node + 1, across))
            if spot >= columns:
                steps.append((node - columns, along))
            if spot < size - columns:
                steps.append((node + columns, along))
            if via[spot] == FREE and above[spot] in (FREE, net) and below[spot] in (FREE, net):
                steps.append((spot if node >= size else node + size, CHANGE))
            paid = cost[node]
            for other, price in steps:
                if owners[other] not in (FREE, net) and other not in goals:
                    continue
                total = paid + price
                if total < cost.get(other, 1 << 30):
                    cost[other] = total
                    before[other] = node
                    heapq.heappush(queue, (total + rest(other), other))
        return []


def _pad_nodes(board: Board, pad: PlacedPad) -> set[int]:
    """The node nearest to the middle of the pad, on each side that has copper."""
    spot = board.node(pad.x, pad.y)
    return {spot + board.size * below for below in (False, True) if pad.on(below)}


def _track_nodes(board: Board, track: Track) -> set[int]:
    """The nodes at which another track may join this one."""
    (x1, y1), (x2, y2) = track.start, track.end
    steps = max(1, round(max(abs(x2 - x1), abs(y2 - y1)) / GRID))
    found = set()
    for i in range(steps + 1):
        x, y = x1 + (x2 - x1) * i / steps, y1 + (y2 - y1) * i / steps
        node = board.node(x, y)
        nx, ny = board.place(node)
        if max(abs(nx - x), abs(ny - y)) < track.width / 2:
            found.add(node + board.size * track.below)
    return found


def _commit(board: Board, net: str, way: list[int], width: float, pad: PlacedPad) -> None:
    """Lay the tracks and vias of a way that begins at ``pad``."""
    start = board.place(way[0] % board.size)
    if (pad.x, pad.y) != start:
        below = pad.below if not pad.drill else way[0] >= board.size
        board.lay(Track(net, (pad.x, pad.y), start, min(width, pad.width, pad.height), below))
    i = 0
    while i < len(way) - 1:
        if way[i] % board.size == way[i + 1] % board.size:
            board.drill(Via(net, board.place(way[i] % board.size)))
            i += 1
            continue
        step, j = way[i + 1] - way[i], i + 1
        while j < len(way) - 1 and way[j + 1] - way[j] == step:
            j += 1
        ends = board.place(way[i] % board.size), board.place(way[j] % board.size)
        board.lay(Track(net, *ends, width, way[i] >= board.size))
        i = j


def _trimmed(track: Track, board: Board, pads: list[PlacedPad]) -> Track:
    """A bus without the ends that join nothing."""
    if track.width < circuit.BUS:
        return track
    (x1, y1), (x2, y2) = track.start, track.end
    upright = x1 == x2
    points = [
        p
        for t in board.tracks
        if t.net == track.net and t is not track
        for p in (t.start, t.end)
        if t.below == track.below
    ]
    points += [via.at for via in board.vias if via.net == track.net]
    points += [(p.x, p.y) for p in pads if p.net == track.net and p.on(track.below)]
    if upright:
        along = [y for x, y in points if abs(x - x1) < track.width / 2 and y1 <= y <= y2]
        return replace(track, start=(x1, min(along)), end=(x2, max(along)))
    along = [x for x, y in points if abs(y - y1) < track.width / 2 and x1 <= x <= x2]
    return replace(track, start=(min(along), y1), end=(max(along), y2))


def route(parts: list[Part]) -> tuple[list[Track], list[Via]]:
    """All tracks and vias of the board. Raises :class:`NoWayError` if a pad cannot be joined."""
    board = Board()
    pads = [pad for part in parts for pad in part.pads()]
    for pad in pads:
        board.pad(pad)
    for x, y in circuit.MOUNTS:
        radius = circuit.MOUNT_HOLE / 2
        board.keep(NOBODY, (False, True), (x, y), (x, y), radius + 0.3, vias=False)
    tracks, vias = circuit.buses()
    joined: dict[str, set[int]] = defaultdict(set)
    for track in tracks:
        board.lay(track)
        joined[track.net] |= _track_nodes(board, track)
    for via in vias:
        board.drill(via)
    by_net: dict[str, list[PlacedPad]] = defaultdict(list)
    for pad in pads:
        if pad.net:
            by_net[pad.net].append(pad)

    def reach(net: str) -> float:
        xs, ys = [p.x for p in by_net[net]], [p.y for p in by_net[net]]
        return max(xs) - min(xs) + max(ys) - min(ys)

    # Wide nets first, then short ones: a long one finds a way around.
    for net in sorted(by_net, key=lambda n: (n not in WIDE_NETS, reach(n), n)):
        waiting = list(by_net[net])
        nodes = joined[net]
        if net == circuit.GROUND:  # the buses go through the sleeves of the jacks
            waiting = [p for p in waiting if not (p.part[0] == "J" and p.name == "S")]
        if not nodes:
            nodes |= _pad_nodes(board, waiting.pop(0))
        while waiting:
            middle = [board.place(n % board.size) for n in nodes] if len(nodes) < 3000 else []

            def gap(pad: PlacedPad, middle: list[tuple[float, float]] = middle) -> float:
                return min((abs(pad.x - x) + abs(pad.y - y) for x, y in middle), default=0)

            pad = min(waiting, key=gap)
            waiting.remove(pad)
            wide = net in WIDE_NETS
            way = board.search(board.number(net), wide, _pad_nodes(board, pad), nodes)
            if not way and wide:
                wide = False
                way = board.search(board.number(net), wide, _pad_nodes(board, pad), nodes)
            if not way:
                raise NoWayError(f"{pad.part} pad {pad.name} cannot be joined to {net}.")
            _commit(board, net, way, POWER if wide else TRACK, pad)
            nodes |= set(way) | _pad_nodes(board, pad)
    return [_trimmed(track, board, pads) for track in board.tracks], board.vias
