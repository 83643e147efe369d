"""Figures for ``python -m benchmarks``: how fast and how reliably a pegged board reports hands.

All measurements but :func:`wall_latency` run in lock-step with a board, in software or with the
real firmware. Its time passes only when the host says so, so the figures are exact and repeatable.
"""

from __future__ import annotations

import itertools
import queue
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import astuple, dataclass
from typing import Literal, Protocol

import chess
from chess import STARTING_BOARD_FEN as START

from blindplay.boards import events
from blindplay.boards.events import BoardEvent
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.driver import PegBoardState
from blindplay.boards.peg.emulator import EmulatedBoard
from hardware.lockstep import LockstepBoard

_SEED = 2026
_STEP_MS = 10.0
_PATIENCE_MS = 15_000.0
"""Time to wait for a board, in ms. Strong noise damages several pings and dumps in a row."""
Side = Literal["white", "black"]


class Stepped(Protocol):
    """A board in lock-step, as LockstepBoard describes it."""

    time: float

    def set(self, square: str, piece: str, bounce: float = 0.0) -> None: ...
    def feel(self, square: str, for_ms: float) -> None: ...
    def resistance(self, square: str, ohms: float) -> None: ...
    def damp(self, square: str, ohms: float) -> None: ...
    def mend(self, square: str) -> None: ...
    def press(self, side: Side) -> None: ...
    def unplug(self) -> None: ...
    def plug(self) -> None: ...
    def noise(self, out_ppm: float, in_ppm: float) -> None: ...
    def hear(self, data: bytes) -> None: ...
    def run(self, ms: float) -> list[tuple[float, bytes]]: ...
    def close(self) -> None: ...


class InRealTime(Protocol):
    """A board on a serial line, as EmulatedBoard describes it."""

    @property
    def url(self) -> str: ...
    def lift(self, square: str, *, wait: bool = True) -> str: ...
    def place(self, square: str, piece: str, *, wait: bool = True) -> None: ...
    def press(self, side: Side) -> None: ...


class Host:
    """The driver in lock-step with a board: the same work without its thread."""

    def __init__(self, board: Stepped) -> None:
        self.board = board
        self.rejected = 0
        self.heard: list[tuple[float, BoardEvent]] = []
        """All events so far, each with the time in milliseconds at which the host received it."""
        self.messages: list[peg.Message] = []
        self._state = PegBoardState("lock-step", None)
        self._decoder = peg.Decoder()

    def connect(self) -> None:
        """Begin a new connection, as after plugging in."""
        self._state = PegBoardState("lock-step", self._state)
        self._decoder = peg.Decoder()

    @property
    def placement(self) -> str | None:
        """The placement as the host knows it."""
        return self._state.placement()

    def told_since(self, begun: int) -> list[BoardEvent]:
        """All events but the first ``begun``."""
        return [event for _, event in self.heard[begun:]]

    def reads(self) -> tuple[int, ...]:
        """The codes that the board reads now."""
        self.board.hear(peg.encode(peg.AskDump()))
        self.run(100)
        return next(one.codes for one in reversed(self.messages) if isinstance(one, peg.Dump))

    @property
    def certain(self) -> bool:
        """False while the host needs a dump that has not come yet."""
        return not self._state.wants_dump

    def run(self, ms: float) -> list[BoardEvent]:
        """Let ``ms`` milliseconds pass and return the events of that time."""
        told: list[BoardEvent] = []
        end = self.board.time + ms
        while (left := end - self.board.time) > 0.01:  # a board may round its time
            for at, data in self.board.run(min(left, _STEP_MS)):
                told += self._take(data, at)
            if request := self._state.requests(self.board.time / 1000):
                self.board.hear(request)
        return told

    def run_until(self, done: Callable[[list[BoardEvent]], bool], at_most: float) -> bool:
        """Run until ``done`` is true of all events since now; False after ``at_most`` ms."""
        told: list[BoardEvent] = []
        end = self.board.time + at_most
        while not done(told):
            if self.board.time >= end:
                return False
            told += self.run(_STEP_MS)
        return True

    def _take(self, data: bytes, at: float) -> list[BoardEvent]:
        told: list[BoardEvent] = []
        before = self._decoder.rejected
        self.messages += self._decoder.feed(data)
        told += self._state.receive(data, at / 1000)
        self.rejected += self._decoder.rejected - before
        self.heard += [(at, event) for event in told]
        return told


def _connected(board: Stepped) -> Host:
    host = Host(board)
    if not host.run_until(
        lambda told: any(isinstance(e, events.BoardPosition) for e in told), 5000
    ):
        raise RuntimeError("The board does not answer.")
    host.run(100)
    return host


def _holds(kind: type) -> Callable[[list[BoardEvent]], bool]:
    return lambda told: any(isinstance(event, kind) for event in told)


# --- latency ---------------------------------------------------------------------------------

Latency = Mapping[str, list[float]]
"""Milliseconds from each hand's action ("lift", "place", "press") to the driver's event.

They include the time until the board trusts a contact: 150 ms for a lift, 25 ms for a placing.
"""


_KINDS = {"lift": events.Lifted, "place": events.Placed, "press": events.LeverPressed}


def _latency(
    times: int,
    once: Callable[[Callable[[], object], type], float],
    **actions: Callable[[], object],
) -> Latency:
    """Take the time of each action, named as in ``_KINDS``, so many ``times``."""
    taken = [{name: once(do, _KINDS[name]) for name, do in actions.items()} for _ in range(times)]
    return {name: [one[name] for one in taken] for name in actions}


def simulated_latency(board: Stepped, times: int = 50) -> Latency:
    """Measure by the board's own clock, until the last bit is sent at 9600 baud."""
    host, rng = _connected(board), random.Random(_SEED)

    def once(do: Callable[[], object], kind: type) -> float:
        host.run(rng.uniform(100, 200))
        begun = board.time
        do()
        host.run_until(_holds(kind), 2000)
        return next(at for at, event in reversed(host.heard) if isinstance(event, kind)) - begun

    return _latency(
        times,
        once,
        lift=lambda: board.set("e2", ".", 2),
        place=lambda: board.set("e2", "P", 2),
        press=lambda: board.press("white"),
    )


def wall_latency(board: InRealTime, times: int = 20) -> Latency:
    """Measure in real time, through the serial line, the driver and its thread."""
    heard: queue.SimpleQueue[tuple[float, BoardEvent]] = queue.SimpleQueue()

    def await_event(kind: type, limit_s: float) -> float:
        """Return when the next event of this kind comes. Raises queue.Empty."""
        while True:
            at, event = heard.get(timeout=limit_s)
            if isinstance(event, kind):
                return at

    def once(do: Callable[[], object], kind: type) -> float:
        time.sleep(0.1)  # also lets a lever spring back
        begun = time.monotonic()
        do()
        return 1000 * (await_event(kind, 5) - begun)

    def hear(event: BoardEvent) -> None:
        heard.put((time.monotonic(), event))

    with PegBoard(board.url, hear, ports=list):
        await_event(events.BoardPosition, 10)
        return _latency(
            times,
            once,
            lift=lambda: board.lift("e2", wait=False),
            place=lambda: board.place("e2", "P", wait=False),
            press=lambda: board.press("white"),
        )


# --- reliability -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Reliability:
    """The reports of random moves with bouncing contacts, noise and a cable that is pulled.

    ``actions`` are lifts and placings that were made. Each was either ``told`` as an event, or
    ``shown`` only as part of a position, because the cable was out or the frame damaged, or
    ``lost``. ``invented`` lifts and placings were reported and never made. The same for presses.
    """

    moves: int = 0
    actions: int = 0
    told: int = 0
    shown: int = 0
    lost: int = 0
    invented: int = 0
    presses: int = 0
    presses_lost: int = 0
    presses_invented: int = 0
    unplugged: int = 0
    damaged_frames: int = 0

    def __add__(self, other: Reliability) -> Reliability:
        pairs = zip(astuple(self), astuple(other), strict=True)
        return Reliability(*(one + more for one, more in pairs))


def reliability(board: Stepped, moves: int, seed: int = _SEED) -> Reliability:
    """Make ``moves`` random moves and compare the reports with the actions.

    ``board`` stands in the initial position. A quarter of the moves is made in noise of up to 1000
    flipped bits in a million. The cable is pulled in every fiftieth move.
    """
    rng = random.Random(seed)
    host = _connected(board)
    codes = list(peg.codes_of(START))
    found = Reliability()
    for number in range(moves):
        found += _one_move(host, codes, rng, "black" if number % 2 else "white")
    return found + Reliability(damaged_frames=host.rejected)


def _one_move(host: Host, codes: list[int], rng: random.Random, side: Side) -> Reliability:
    """Make a random move, press the lever of ``side``, and compare."""
    board = host.board
    noisy, pulled = rng.random() < 0.25, rng.random() < 0.02
    if noisy:
        board.noise(rng.uniform(50, 1000), rng.uniform(50, 1000))
    done = _random_move(codes, rng)
    heard = _execute(host, done, rng.randrange(len(done)) if pulled else None, rng)
    placement = peg.placement_of(codes)
    board.press(side)

    def settled(now: list[BoardEvent]) -> bool:
        pressed = any(isinstance(event, events.LeverPressed) for event in now)
        return pressed and host.certain and host.placement == placement

    start = len(host.heard)
    unknown = not host.run_until(settled, _PATIENCE_MS) and host.placement != placement
    board.noise(0, 0)
    host.run(120)  # until the lever has sprung back
    heard += [event for _, event in host.heard[start:]]
    found = _compared(done, heard, side)
    return found + Reliability(lost=int(unknown), unplugged=int(pulled))


def _execute(
    host: Host, done: list[tuple[str, str]], pull_at: int | None, rng: random.Random
) -> list[BoardEvent]:
    """Lift and place, with the cable out during the action ``pull_at``; return the events."""
    board = host.board
    heard: list[BoardEvent] = []
    for index, (square, piece) in enumerate(done):
        if index == pull_at:
            board.unplug()
        board.set(square, piece, rng.uniform(0, 5))
        heard += host.run(rng.uniform(175, 400) if piece == "." else rng.uniform(45, 200))
        if index == pull_at:
            board.plug()
            host.connect()
            # No board can notice a press while it boots.
            heard += host.run(rng.uniform(50, 300))
    return heard


def _compared(done: list[tuple[str, str]], heard: Iterable[BoardEvent], side: Side) -> Reliability:
    """Return how well the events report the actions ``done`` and one press by ``side``."""
    unreported, invented, positions = list(done), 0, 0
    pressed: list[str] = []
    for event in heard:
        match event:
            case events.Lifted(square):
                action = (square, ".")
            case events.Placed(square, piece):
                action = (square, piece or "")
            case events.LeverPressed(presser):
                pressed.append(presser)
                continue
            case events.BoardPosition():
                positions += 1
                continue
            case _:
                continue
        if action in unreported:
            unreported.remove(action)
        else:
            invented += 1
    right = pressed.count(side)
    return Reliability(
        moves=1,
        actions=len(done),
        told=len(done) - len(unreported),
        shown=len(unreported) if positions else 0,
        lost=0 if positions else len(unreported),
        invented=invented,
        presses=1,
        presses_lost=int(right == 0),
        presses_invented=len(pressed) - min(right, 1),
    )


def _random_move(codes: list[int], rng: random.Random) -> list[tuple[str, str]]:
    """Move any piece anywhere, sometimes after removing another, and change ``codes`` accordingly.

    A removed piece returns to an empty square in a later move.
    """
    occupied = [square for square in range(64) if codes[square]]
    empty = [square for square in range(64) if not codes[square]]
    start = rng.choice(occupied)
    done: list[tuple[str, str]] = []
    if rng.random() < 0.2 and len(occupied) > 8:
        end = rng.choice([square for square in occupied if square != start])
        done.append((chess.square_name(end), "."))
    elif rng.random() < 0.2 and len(occupied) < 30:
        # From beside the board.
        beside = Counter(peg.codes_of(START)) - Counter(codes)
        piece = rng.choice([code for code in beside.elements() if code])
        end = rng.choice(empty)
        codes[end] = piece
        return [(chess.square_name(end), peg.PIECES[piece])]
    else:
        end = rng.choice(empty)
    piece = codes[start]
    done += [(chess.square_name(start), "."), (chess.square_name(end), peg.PIECES[piece])]
    codes[start], codes[end] = peg.EMPTY, piece
    return done


# --- damaged dumps ---------------------------------------------------------------------------


def dumps(board: Stepped, asked: int, ppm: float) -> tuple[int, int]:
    """Request the initial position while ``ppm`` bits in a million are flipped, both ways.

    Return how many dumps were accepted, and how many of these were wrong.
    """
    _connected(board)
    board.noise(ppm, ppm)
    decoder, codes = peg.Decoder(), []
    for _ in range(asked):
        board.hear(peg.encode(peg.AskDump()))
        for _, data in board.run(90):
            codes += [one.codes for one in decoder.feed(data) if isinstance(one, peg.Dump)]
    board.noise(0, 0)
    return len(codes), sum(one != peg.codes_of(START) for one in codes)


# --- touching is not lifting ------------------------------------------------------------------


@dataclass
class Felt:
    """``felt`` contacts opened too shortly for a lift, and ``lifts`` pieces were lifted.

    The board reported ``false`` lifts of the former, and ``found`` lifts of the latter.
    """

    felt: int = 0
    false: int = 0
    lifts: int = 0
    found: int = 0


def feeling(board: Stepped, rounds: int, lift_ms: int, seed: int = _SEED) -> Felt:
    """Touch a dozen pieces at a time and lift one now and then, with ``lift_ms`` as the setting.

    The contact of a touched piece opens for 1 ms to ``lift_ms``. That of a lifted piece opens for
    at least 12 ms more, which are three scans.
    """
    host, rng = _connected(board), random.Random(seed)
    board.hear(peg.encode(peg.Set(peg.Setting.LIFT_MS, lift_ms)))
    host.run(50)
    pieces = [chess.square_name(square) for square, code in enumerate(peg.codes_of(START)) if code]
    found = Felt()
    for _ in range(rounds):
        chosen = rng.sample(pieces, 13)
        really = chosen.pop() if rng.random() < 0.5 else None
        for square in chosen:
            # The longest touches are the hardest to tell from lifts.
            open_for = rng.uniform(1, lift_ms) if rng.random() < 0.5 else lift_ms - rng.random()
            board.feel(square, open_for)
        if really is not None:
            board.feel(really, lift_ms + rng.uniform(12, 200))
        told = host.run(lift_ms + 500)
        lifted = [event.square for event in told if isinstance(event, events.Lifted)]
        found.felt += len(chosen)
        found.lifts += really is not None
        found.found += really in lifted
        found.false += sum(square != really for square in lifted)
    return found


# --- contacts with resistance, and damp ---------------------------------------------------------

SPARSE = "r3k3/1p4p1/2p5/8/3n4/2N5/PP6/4K2R"
"""Of most pieces there could be one more."""
_SETTLE_MS = 600.0


@dataclass
class Spoilt:
    """Of ``tried`` holes with more resistance or damp, ``false`` were told as lifts or placings
    that no hand did, or as the placing of another piece. ``silent`` ones read as another piece than
    what counts, and nobody was told. Placings by hands were ``placed``, of which ``lost`` were not
    told after the piece had been taken out, its contact mended, and put back."""

    tried: int = 0
    false: int = 0
    silent: int = 0
    placed: int = 0
    lost: int = 0

    def __add__(self, other: Spoilt) -> Spoilt:
        return Spoilt(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))


def _about(told: Iterable[BoardEvent], square: str) -> list[BoardEvent]:
    return [event for event in told if getattr(event, "square", None) == square]


def _of_hands(told: Iterable[BoardEvent]) -> int:
    return sum(isinstance(event, events.Lifted | events.Placed) for event in told)


def worn(board: Stepped, ohms: Iterable[float]) -> Spoilt:
    """Give each contact with a piece of the initial position so much more resistance, all at once,
    and take it away."""
    host = _connected(board)
    pieces = {chess.square_name(at): code for at, code in enumerate(peg.codes_of(START)) if code}
    found = Spoilt()
    for more in ohms:
        begun = len(host.heard)
        for square in pieces:
            board.resistance(square, more)
        host.run(3 * _SETTLE_MS)  # the line needs 17 ms for each change
        reads = host.reads()
        told = host.told_since(begun)
        for square, piece in pieces.items():
            other = reads[peg.square_index(square)] != piece
            found.silent += other and not _about(told, square)
            board.mend(square)
        host.run(3 * _SETTLE_MS)
        found.tried += len(pieces)
        found.false += _of_hands(host.told_since(begun))
    return found


def worn_and_placed(board: Stepped, placement: str, ohms: Iterable[float]) -> Spoilt:
    """Move each kind of piece to an empty hole whose contact has so much more resistance, and then,
    as people are asked to, take it out, and put it back into a mended contact."""
    host = _connected(board)
    codes = peg.codes_of(placement)
    goal = chess.square_name(codes.index(peg.EMPTY))
    found = Spoilt()

    def put(square: str, piece: str, more: float = 0) -> list[BoardEvent]:
        board.set(square, piece)
        if more:
            board.resistance(square, more)
        return _about(host.run(_SETTLE_MS), square)

    for more, code in itertools.product(ohms, sorted({*codes} - {peg.EMPTY})):
        piece, start = peg.PIECES[code], chess.square_name(codes.index(code))
        put(start, ".")
        told = put(goal, piece, more)
        placed = [event.piece for event in told if isinstance(event, events.Placed)]
        found.tried += 1
        found.false += placed not in ([], [piece])
        found.silent += not told
        put(goal, ".")
        board.mend(goal)
        told = put(goal, piece)
        found.placed += 1
        found.lost += not any(
            isinstance(event, events.Placed) and event.piece == piece for event in told
        )
        put(goal, ".")
        put(start, piece)
    return found


def damp(board: Stepped, placement: str, ohms: Iterable[float], *, sudden: bool) -> Spoilt:
    """Let an empty hole become damp and dry again step by step, or ``sudden``: others, each at one
    stroke."""
    host = _connected(board)
    empty = [chess.square_name(at) for at, code in enumerate(peg.codes_of(placement)) if not code]
    steps = list(ohms)
    found = Spoilt()

    def soak(square: str, wet: float) -> None:
        begun = len(host.heard)
        board.damp(square, wet)
        host.run(_SETTLE_MS)
        other = host.reads()[peg.square_index(square)] != peg.EMPTY
        found.tried += 1
        found.false += _of_hands(host.told_since(begun))
        found.silent += other and not _about(host.told_since(0), square)

    def dry(square: str) -> None:
        begun = len(host.heard)
        board.mend(square)
        host.run(_SETTLE_MS)
        found.false += _of_hands(host.told_since(begun))

    if sudden:
        for square, wet in zip(itertools.cycle(empty), steps, strict=False):
            soak(square, wet)
            dry(square)
    else:
        for wet in [*steps, *reversed(steps)]:
            soak(empty[0], wet)
        dry(empty[0])
    return found


# --- in words --------------------------------------------------------------------------------


def _latency_line(name: str, clock: str, taken: Latency) -> str:
    def figures(action: str) -> str:
        return f"{statistics.median(taken[action]):.0f} and {max(taken[action]):.0f} ms"

    return (
        f"{name}, from hand to event on the {clock}, median and longest of {len(taken['lift'])}: "
        f"lift {figures('lift')}, of which 150 are the board's wait; placing {figures('place')}, "
        f"of which 25; clock lever {figures('press')}."
    )


def in_lockstep(name: str, make: Callable[[], Stepped], *, moves: int) -> Iterator[str]:
    """Yield all measurements in lock-step as plain lines, each on a new board."""
    with closing(make()) as board:
        yield _latency_line(name, "board's clock at 9600 baud", simulated_latency(board))
    with closing(make()) as board:
        it = reliability(board, moves)
        yield (
            f"{name}, {it.moves} random moves with bounce, noise and the cable pulled "
            f"{it.unplugged} times, {it.damaged_frames} frames damaged: of {it.actions} lifts and "
            f"placings {it.told} reported, {it.shown} shown in a position, {it.lost} lost, "
            f"{it.invented} invented; of {it.presses} presses {it.presses_lost} lost, "
            f"{it.presses_invented} invented."
        )
    for ppm in (100, 1000):
        with closing(make()) as board:
            asked = max(200, moves // 5)
            accepted, wrong = dumps(board, asked, ppm)
            yield (
                f"{name}, {ppm} bits in a million flipped: of {asked} dumps requested "
                f"{accepted} accepted, {wrong} of them wrong."
            )
    for lift_ms in (50, 150, 300):
        with closing(make()) as board:
            felt = feeling(board, max(20, moves // 20), lift_ms)
            yield (
                f"{name}, lifts accepted after {lift_ms} ms: {felt.felt} contacts opened for less, "
                f"{felt.false} reported as lifts; {felt.found} of {felt.lifts} true lifts found."
            )


def spoilt(make: Callable[[str], Stepped], *, steps: int = 30) -> Iterator[tuple[str, Spoilt]]:
    """Yield what was done to contacts, and what came of it, with so many ``steps`` of each."""
    step = 30 / steps
    more = [round(100 * 10 ** (n * step / 8)) for n in range(steps)]
    wet = [round(2e6 / 10 ** (n * step / 8)) for n in range(steps)]
    slowly = [round(2e6 / 10 ** (n / 8)) for n in range(30)]
    with closing(make(START)) as board:
        yield "more ohms where pieces stand", worn(board, more)
    for placement, where in ((START, ""), (SPARSE, ", where each piece may be one more")):
        with closing(make(placement)) as board:
            yield (
                f"more ohms where pieces are placed{where}",
                worn_and_placed(board, placement, more),
            )
        with closing(make(placement)) as board:
            yield f"empty holes damp slowly{where}", damp(board, placement, slowly, sudden=False)
        with closing(make(placement)) as board:
            yield f"empty holes damp at one stroke{where}", damp(board, placement, wet, sudden=True)


def spoilt_lines(name: str, make: Callable[[str], Stepped]) -> Iterator[str]:
    """Yield the same as plain lines."""
    for what, it in spoilt(make):
        lost = f", {it.lost} of {it.placed} placings lost" if it.placed else ""
        yield (
            f"{name}, {what}: of {it.tried} readings {it.false} false lifts or placings, "
            f"{it.silent} that nobody was told of{lost}."
        )


def figures(*, moves: int = 500) -> Iterator[str]:
    """Yield lines about the board in software. The long measurement takes 20 000 ``moves``."""
    with EmulatedBoard() as board:
        yield _latency_line("Board in software", "wall's clock", wall_latency(board))
    yield from in_lockstep("Board in software", LockstepBoard, moves=moves)
    yield from spoilt_lines("Board in software", LockstepBoard)


def firmware_figures(*, moves: int = 500) -> Iterator[str]:
    """Yield the same lines about the real firmware in its emulator.

    :raises ToolsMissingError: if it cannot be built.
    """
    from hardware.emulated import FirmwareBoard, LockstepFirmware, build

    build()
    with FirmwareBoard() as board:
        yield _latency_line("Real firmware", "wall's clock", wall_latency(board))
    yield from in_lockstep("Real firmware", LockstepFirmware, moves=moves)
    yield from spoilt_lines("Real firmware", LockstepFirmware)
