"""A pegged board in software, behind a real serial line, for tests, demonstrations and practice.

It speaks the native protocol of :mod:`blindplay.boards.peg`. :class:`EmulatedBoard` does so in its
own thread. Its line is a pseudo terminal where the system has them, else a TCP port on the loopback
interface which is opened as ``socket://127.0.0.1:PORT``. Time is real, yet what a contact does is
computed from when it did it, so that a busy computer does not make the board feel differently.
:class:`LockstepBoard` has a line and a clock of its own, for exact measurements.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import os
import random
import select
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal, Protocol

from .. import protocol as peg

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

_TICK = 0.005
"""Seconds between two looks at the contacts, as the hardware scans."""
_FAULT_MS = 200.0
_LEVER_MS = 80.0
"""How long a lever that is pressed stays down."""
_HOST_SILENCE_MS = 10_000.0
"""Without a word from the host for so long, the board falls silent."""
_PING_MS = 1000.0
_BYTE_MS = 10 / 9.6
"""What a byte takes at 9600 baud."""


class _SerialLine(Protocol):
    url: str

    def read(self, timeout: float) -> bytes | None:
        """Wait up to ``timeout`` seconds; None while no host has the line open."""

    def write(self, data: bytes) -> None:
        """Send at once or lose it, as a serial line does."""

    def close(self) -> None:
        """Take the line away, as pulling the plug does."""


if sys.platform != "win32":

    class _PtyLine:
        def __init__(self, link: Path) -> None:
            import tty

            self._fd, slave = os.openpty()
            try:
                tty.setraw(slave)  # Before anyone opens it, or the first bytes would be echoed.
                link.unlink(missing_ok=True)
                link.symlink_to(os.ttyname(slave))
            finally:
                os.close(slave)
            os.set_blocking(self._fd, False)
            self._link = link
            self.url = str(link)

        def read(self, timeout: float) -> bytes | None:
            ready, _, _ = select.select([self._fd], [], [], timeout)
            if not ready:
                return b""
            try:
                data = os.read(self._fd, 4096)
            except BlockingIOError:
                return b""
            except OSError:  # EIO: nobody has the other end open
                data = b""
            if not data:
                time.sleep(timeout)
                return None
            return data

        def write(self, data: bytes) -> None:
            with contextlib.suppress(OSError):
                os.write(self._fd, data)

        def close(self) -> None:
            self._link.unlink(missing_ok=True)
            os.close(self._fd)


class _SocketLine:
    def __init__(self, port: int) -> None:
        self._listener = socket.socket()
        if os.name == "posix":  # On Windows it would let two programs share the port.
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))
        self._listener.listen(1)
        self._host: socket.socket | None = None
        self.port: int = self._listener.getsockname()[1]
        self.url = f"socket://127.0.0.1:{self.port}"

    def read(self, timeout: float) -> bytes | None:
        source = self._host or self._listener
        ready, _, _ = select.select([source], [], [], timeout)
        if self._host is None:
            if not ready:
                return None
            self._host, _ = self._listener.accept()
            self._host.setblocking(False)
            self._host.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return b""
        if not ready:
            return b""
        try:
            data = self._host.recv(4096)
        except BlockingIOError:
            return b""
        except OSError:
            data = b""
        if not data:
            self._host.close()
            self._host = None
            return None
        return data

    def write(self, data: bytes) -> None:
        if self._host is not None:
            with contextlib.suppress(OSError):
                self._host.send(data)

    def close(self) -> None:
        if self._host is not None:
            self._host.close()
        self._listener.close()


class SoftBoard:
    """The inside of a board: contacts and bytes in, messages out; no thread, no line, no clock.

    ``now`` and ``at`` are milliseconds since its boot and never go back. ``holes`` is what really
    stands in the holes, ``contact`` what they read and ``state`` what the board believes, all as
    64 piece codes. Raises :class:`ValueError` for a placement that is none.
    """

    def __init__(
        self, placement: str, *, lift_ms: float = 150.0, place_ms: float = 25.0, identity: bool
    ) -> None:
        self.holes = list(peg.codes_of(placement))
        self.buzzed: list[int] = []
        self._lift_ms, self._place_ms = lift_ms, place_ms
        self._identity = identity
        self._order = itertools.count()
        self.boot(0)

    def boot(self, nonce: int) -> None:
        """Begin anew, as after a loss of power, with what stands in the holes now."""
        self._nonce = nonce
        self._sequence = self._wobbles = 0
        self.contact = list(self.holes)
        self.state = list(self.holes)
        self._presses, self._pressed_at = [0, 0], [0.0, 0.0]
        # Holes on their way to a new state: code, time of the first change, when it is believed.
        self._pending: dict[int, tuple[int, float, float]] = {}
        self._changes: list[tuple[float, int, Callable[[float], None]]] = []
        self._decoder = peg.FrameDecoder()
        self._said: list[peg.Message] = []
        self.native = False
        self._host_heard = self._next_ping = 0.0

    # --- contacts --------------------------------------------------------------------------

    def put(self, square: int, code: int, at: float) -> None:
        """A hand changes what stands in a hole."""
        self.holes[square] = code
        self.touch(square, code, at)

    def touch(self, square: int, code: int, at: float) -> None:
        """The contact of a hole reads ``code`` from ``at`` on, whatever stands in it."""
        self._at(at, lambda t: self._contact_changes(square, code, t))

    def move_lever(self, lever: int, down: int, at: float) -> None:
        """Lever 0, White's, or 1 goes down (1) or up (0)."""
        self._at(at, lambda t: self._lever_moves(lever, down, t))

    def settled(self, square: int) -> bool:
        """Whether nothing about this hole is still to be believed or dismissed."""
        return square not in self._pending

    def due(self, now: float) -> bool:
        """Whether a change should have happened by now that has not."""
        return bool(self._changes) and self._changes[0][0] <= now

    def _at(self, when: float, what: Callable[[float], None]) -> None:
        heapq.heappush(self._changes, (when, next(self._order), what))

    def _contact_changes(self, index: int, code: int, now: float) -> None:
        self.contact[index] = code
        pending = self._pending.pop(index, None)
        if code == self.state[index]:
            if pending is not None:
                self._wobbles += 1
            return
        need = {peg.EMPTY: self._lift_ms, peg.FAULT: _FAULT_MS}.get(code, self._place_ms)
        self._pending[index] = (code, pending[1] if pending else now, now + need)

    def _believe(self, index: int) -> None:
        code, first, _ = self._pending.pop(index)
        old, self.state[index] = self.state[index], code
        old, new = self._seen(old), self._seen(code)
        if old != new:
            self._sequence = (self._sequence + 1) & 0xFFFF
            self._tell(peg.HoleChanged(self._sequence, _u32(first), index, old, new))

    def _lever_moves(self, lever: int, down: int, now: float) -> None:
        self._sequence = (self._sequence + 1) & 0xFFFF
        if down:
            self._presses[lever] = (self._presses[lever] + 1) & 0xFF
            self._pressed_at[lever] = now
        self._tell(peg.LeverMoved(self._sequence, _u32(now), lever, down))

    def _seen(self, code: int) -> int:
        # Without identity any plug is the same plug.
        return code if self._identity or code in (peg.EMPTY, peg.FAULT) else 1

    # --- the host --------------------------------------------------------------------------

    def advance(self, now: float) -> None:
        """Let everything happen, in order, that should have happened by now."""
        while True:
            believed = min(
                ((p[2], index) for index, p in self._pending.items() if p[2] <= now), default=None
            )
            change = self._changes[0] if self._changes and self._changes[0][0] <= now else None
            if believed is not None and (change is None or believed[0] <= change[0]):
                self._believe(believed[1])
            elif change is not None:
                heapq.heappop(self._changes)
                change[2](change[0])
            else:
                break
        if now - self._host_heard > _HOST_SILENCE_MS:
            self.native = False
        if self.native and now >= self._next_ping:
            self._next_ping = now + _PING_MS
            self._said += [self._ping(now), self._count_presses(now)]

    def hear(self, data: bytes, now: float) -> None:
        """Bytes came from the host."""
        for body in self._decoder.feed_bodies(data):
            self._obey(body, now)

    def take(self) -> list[peg.Message]:
        """What the board has said since this was last asked."""
        said, self._said = self._said, []
        return said

    def _tell(self, message: peg.Message) -> None:
        if self.native:
            self._said.append(message)

    def _obey(self, body: bytes, now: float) -> None:
        self._host_heard = now
        try:
            command = peg.parse_command(body)
        except peg.MalformedFrameError:
            self._said.append(peg.Nak(peg.NakReason.BAD_ARGUMENT))
            return
        match command:
            case peg.AskHello():
                if not self.native:
                    self._next_ping = now + _PING_MS
                self.native = True
                self._said.append(self._hello(now))
            case peg.AskDump():
                codes = tuple(map(self._seen, self.state))
                dump = peg.Dump(self._sequence, _u32(now), codes)
                self._said += [dump, self._count_presses(now)]
            case peg.AskPing():
                self._said += [self._ping(now), self._count_presses(now)]
            case peg.AskRaw(square):
                # Any value a real converter might give: open reads full scale.
                code = self.contact[square]
                self._said.append(peg.Raw(square, 1023 if code == peg.EMPTY else 60 * code))
            case peg.Set(key, value):
                self._said.append(self._set(key, value))
            case peg.Buzz(pattern):
                self.buzzed.append(pattern)
                self._said.append(peg.Ack())
            case peg.Leave():
                self.native = False
            case None:
                self._said.append(peg.Nak(peg.NakReason.UNKNOWN_COMMAND))

    def _set(self, key: int, value: int) -> peg.Message:
        if key == peg.Setting.LIFT_MS and 50 <= value <= 300:
            self._lift_ms = float(value)
        elif key == peg.Setting.PLACE_MS and 5 <= value <= 300:
            self._place_ms = float(value)
        else:
            return peg.Nak(peg.NakReason.BAD_ARGUMENT)
        return peg.Ack()

    def _hello(self, now: float) -> peg.Hello:
        able = peg.Capability.LEVERS | peg.Capability.BUZZER
        if self._identity:
            able |= peg.Capability.IDENTITY
        return peg.Hello(
            version=peg.PROTOCOL_VERSION,
            firmware=0x0100,
            capabilities=able,
            squares=peg.SQUARES,
            nonce=self._nonce,
            cause=1,
            uptime=_u32(now),
        )

    def _ping(self, now: float) -> peg.Ping:
        return peg.Ping(
            sequence=self._sequence,
            uptime=_u32(now),
            state_crc=peg.state_crc(map(self._seen, self.state)),
            overruns=0,
            line_errors=min(
                255, self._decoder.bad_crc + self._decoder.bad_encoding + self._decoder.overlong
            ),
            wobbles=min(0xFFFF, self._wobbles),
            scan_us=3300,
        )

    def _count_presses(self, now: float) -> peg.Presses:
        (white, black), (white_at, black_at) = self._presses, self._pressed_at
        return peg.Presses(_u32(now), white, _u32(white_at), black, _u32(black_at))


class EmulatedBoard:
    """A board with pieces, levers and a plug, and hands to move them.

    ``placement`` is FEN's first field. ``lift_ms`` and ``place_ms`` are the times after which a
    change is believed; ``boot_seconds`` is how long it is deaf after power, reset and each
    opening of its line (an Arduino: 1.5; 0 means that opening does not reset it).
    ``identity=False`` makes it a board that knows occupied holes only. ``url`` is where a driver
    finds it, the same after each :meth:`plug`.

    Raises :class:`ValueError` for a placement that is none.
    """

    def __init__(
        self,
        placement: str = START,
        *,
        force_socket: bool = False,
        lift_ms: float = 150.0,
        place_ms: float = 25.0,
        boot_seconds: float = 0.0,
        identity: bool = True,
    ) -> None:
        self._board = SoftBoard(placement, lift_ms=lift_ms, place_ms=place_ms, identity=identity)
        self._boot_seconds = boot_seconds
        self._lock = threading.RLock()
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._port = 0
        if sys.platform != "win32" and not force_socket:
            self._directory = tempfile.TemporaryDirectory(prefix="blindplay-board-")
        self._line: _SerialLine | None = None
        self._retired: _SerialLine | None = None
        self._lose = self._garble = 0
        self._random = random.Random(1)
        self._boot()
        self._line = self._new_line()
        self.url = self._line.url
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="emulated board", daemon=True)
        self._thread.start()

    # --- hands -----------------------------------------------------------------------------

    @property
    def placement(self) -> str:
        """What really stands on the board, as FEN's first field."""
        with self._lock:
            return peg.placement_of(self._board.holes)

    @property
    def buzzed(self) -> list[int]:
        """Buzzer patterns the host asked for."""
        return self._board.buzzed

    def lift(self, square: str, *, wait: bool = True) -> str:
        """Take the piece from ``square`` and return its FEN letter.

        Returns when the board believes it; with ``wait=False`` at once, as hasty hands do.
        Raises :class:`ValueError` for an empty hole or what is no square.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._board.holes[index]
            if code == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to lift")
            self._board.put(index, peg.EMPTY, self._uptime())
        if wait:
            self._wait_for(index)
        return peg.PIECES[code] if code != peg.FAULT else "?"

    def place(self, square: str, piece: str, *, wait: bool = True) -> None:
        """Put ``piece`` (a FEN letter, or ``!`` for a plug the board cannot read) into a hole.

        Returns when the board believes it, or at once. Raises :class:`ValueError` for a hole that
        is occupied, what is no piece or what is no square.
        """
        index = peg.square_index(square)
        if len(piece) != 1 or piece not in peg.PIECES[1:] + "!":
            raise ValueError(f"{piece!r} is no piece: write one of P N B R Q K p n b r q k")
        with self._lock:
            if self._board.holes[index] != peg.EMPTY:
                raise ValueError(f"{square} is occupied: lift that piece first")
            code = peg.FAULT if piece == "!" else peg.PIECES.index(piece)
            self._board.put(index, code, self._uptime())
        if wait:
            self._wait_for(index)

    def open_contact(self, square: str, seconds: float) -> None:
        """Feel the piece on ``square`` so that its contact opens for ``seconds``; returns then.

        Less than the lift time gives no event; more is a lift and a placing. Raises
        :class:`ValueError` for an empty hole.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._board.holes[index]
            if code == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to feel")
            now = self._uptime()
            self._board.touch(index, peg.EMPTY, now)
            self._board.touch(index, code, now + seconds * 1000)
        time.sleep(seconds)
        self._wait(lambda: self._board.settled(index))

    def fault(self, square: str, *, wait: bool = True) -> None:
        """Spoil the contact of ``square``: it reads neither piece nor empty."""
        index = peg.square_index(square)
        with self._lock:
            self._board.touch(index, peg.FAULT, self._uptime())
        if wait:
            self._wait(lambda: self._board.state[index] == peg.FAULT)

    def mend(self, square: str, *, wait: bool = True) -> None:
        """Make the contact of ``square`` good again."""
        index = peg.square_index(square)
        with self._lock:
            self._board.touch(index, self._board.holes[index], self._uptime())
        if wait:
            self._wait_for(index)

    def press(self, side: Literal["white", "black"]) -> None:
        """Press a player's clock lever; it springs back by itself.

        Raises :class:`ValueError` for another side.
        """
        if side not in ("white", "black"):
            raise ValueError(f"{side!r} has no lever: write white or black")
        lever = ("white", "black").index(side)
        with self._lock:
            now = self._uptime()
            self._board.move_lever(lever, 1, now)
            self._board.move_lever(lever, 0, now + _LEVER_MS)

    # --- the cable -------------------------------------------------------------------------

    def unplug(self) -> None:
        """Pull the plug: the port vanishes and the board, fed by it, loses power."""
        with self._lock:
            if self._line is not None:
                self._line, self._retired = None, self._line
        # The board's own thread may be reading: it alone closes, or it might read from whatever
        # file gets the same number next.
        end = time.monotonic() + 5
        while self._thread.is_alive() and self._retired is not None and time.monotonic() < end:
            time.sleep(_TICK / 5)
        self._close_retired()

    def plug(self) -> None:
        """Plug in again: the board boots with whatever stands in its holes now."""
        with self._lock:
            if self._line is None and not self._closed.is_set():
                self._boot()
                self._line = self._new_line()

    def reset(self) -> None:
        """Restart the board while the line stays, as its watchdog would."""
        with self._lock:
            self._boot()

    def lose(self, frames: int) -> None:
        """Let the next ``frames`` frames from the board get lost on the line."""
        with self._lock:
            self._lose = frames

    def garble(self, frames: int) -> None:
        """Flip one bit in each of the next ``frames`` frames from the board."""
        with self._lock:
            self._garble = frames

    def send_raw(self, data: bytes) -> None:
        """Put any bytes on the line to the host."""
        with self._lock:
            if self._line is not None:
                self._line.write(data)

    def close(self) -> None:
        """Unplug for good and free everything; closing twice is harmless."""
        self._closed.set()
        self._thread.join(timeout=5)
        self.unplug()
        if self._directory is not None:
            self._directory.cleanup()

    def __enter__(self) -> EmulatedBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- between the board and its line ----------------------------------------------------

    def _new_line(self) -> _SerialLine:
        if sys.platform != "win32" and self._directory is not None:
            return _PtyLine(Path(self._directory.name) / "board")
        line = _SocketLine(self._port)
        self._port = line.port
        return line

    def _close_retired(self) -> None:
        with self._lock:
            line, self._retired = self._retired, None
            if line is not None:
                line.close()

    def _boot(self) -> None:
        self._booted = time.monotonic()
        self._board.boot(random.SystemRandom().randrange(1 << 16))

    def _uptime(self) -> float:
        return (time.monotonic() - self._booted) * 1000

    def _wait_for(self, index: int) -> None:
        self._wait(lambda: self._board.state[index] == self._board.holes[index])

    def _wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with self._lock:
                if self._line is None or (done() and not self._board.due(self._uptime())):
                    return
            time.sleep(_TICK)

    def _send(self, message: peg.Message) -> None:
        if self._line is None:
            return
        frame = peg.encode(message)
        if self._lose > 0:
            self._lose -= 1
            return
        if self._garble > 0:
            self._garble -= 1
            bits = bytearray(frame)
            bits[self._random.randrange(1, len(bits) - 1)] ^= 1 << self._random.randrange(8)
            frame = bytes(bits)
        self._line.write(frame)

    def _run(self) -> None:
        present = False
        while not self._closed.is_set():
            with self._lock:
                self._close_retired()
                line = self._line
            if line is None:
                present = False
                self._closed.wait(_TICK)
                continue
            data = line.read(_TICK)
            with self._lock:
                if self._line is not line:
                    continue
                if data is None:
                    present = self._board.native = False
                elif not present:
                    present = True
                    if self._boot_seconds:
                        self._boot()
                self._board.advance(self._uptime())
                if self._uptime() >= self._boot_seconds * 1000:
                    self._board.hear(data or b"", self._uptime())
                for message in self._board.take():
                    self._send(message)


class LockstepBoard:
    """A board with a 9600 baud line whose time goes by only while :meth:`run` runs it.

    The same calls always give the same answers. Squares are named, pieces are FEN letters, ``.``
    is an empty hole; all times are milliseconds. Raises :class:`ValueError` as
    :class:`EmulatedBoard` does.
    """

    def __init__(self, placement: str = START, *, seed: int = 1) -> None:
        self.time = 0.0
        self._random = random.Random(seed)
        self._board = SoftBoard(placement, identity=True)
        self._booted = 0.0
        self._powered = True
        self._out_flips = self._in_flips = 0.0
        self._to_host: list[tuple[float, bytes]] = []
        self._to_board: list[tuple[float, int]] = []
        self._out_free = self._in_free = 0.0
        self._lose = 0
        self._board.boot(self._random.randrange(1 << 16))

    def set(self, square: str, piece: str, bounce: float = 0.0) -> None:
        """Put a piece into a hole, or take it out, its contact bouncing for ``bounce``."""
        index, code = peg.square_index(square), peg.PIECES.index(piece)
        old, now = self._board.holes[index], self.time - self._booted
        spent = 0.0
        while spent < bounce:
            self._board.touch(index, self._random.choice((old, code)), now + spent)
            spent += self._random.uniform(0.2, 1.0)
        self._board.holes[index] = code
        self._board.touch(index, code, now + bounce)

    def feel(self, square: str, for_ms: float) -> None:
        """Let the contact open and close again after ``for_ms``."""
        index, now = peg.square_index(square), self.time - self._booted
        self._board.touch(index, peg.EMPTY, now)
        self._board.touch(index, self._board.holes[index], now + for_ms)

    def press(self, side: Literal["white", "black"]) -> None:
        """Press a lever, which springs back."""
        lever, now = ("white", "black").index(side), self.time - self._booted
        self._board.move_lever(lever, 1, now)
        self._board.move_lever(lever, 0, now + _LEVER_MS)

    def unplug(self) -> None:
        """Take power and line away."""
        self._powered = False
        self._to_host.clear()
        self._to_board.clear()

    def plug(self) -> None:
        """Give power and line again: the board boots."""
        self._powered = True
        self._booted = self._out_free = self._in_free = self.time
        self._board.boot(self._random.randrange(1 << 16))

    def noise(self, out_ppm: float, in_ppm: float) -> None:
        """Flip so many bits in a million on the way from the board, and to it."""
        self._out_flips, self._in_flips = out_ppm / 1e6, in_ppm / 1e6

    def lose(self, frames: int) -> None:
        """Let the next ``frames`` frames from the board get lost on the line."""
        self._lose = frames

    def hear(self, data: bytes) -> None:
        """Put bytes on the line to the board, after those that are still on it."""
        if not self._powered:
            return
        at = max(self.time, self._in_free)
        for byte in self._flip(data, self._in_flips):
            at += _BYTE_MS
            self._to_board.append((at, byte))
        self._in_free = at

    def run(self, ms: float) -> list[tuple[float, bytes]]:
        """Let ``ms`` go by; return what came from the board, each part with its last bit's time."""
        came: list[tuple[float, bytes]] = []
        end = self.time + ms
        while self.time < end:
            self.time = min(end, self.time + 1.0)
            if not self._powered:
                continue
            now = self.time - self._booted
            self._board.advance(now)
            while self._to_board and self._to_board[0][0] <= self.time:
                self._board.hear(bytes([self._to_board.pop(0)[1]]), now)
            for message in self._board.take():
                self._send(peg.encode(message))
            while self._to_host and self._to_host[0][0] <= self.time:
                came.append(self._to_host.pop(0))
        return came

    def close(self) -> None:
        """Nothing is held; here so that any lock-step board can be closed."""

    def _send(self, frame: bytes) -> None:
        if self._lose > 0:
            self._lose -= 1
            return
        self._out_free = max(self.time, self._out_free) + len(frame) * _BYTE_MS
        self._to_host.append((self._out_free, self._flip(frame, self._out_flips)))

    def _flip(self, data: bytes, probability: float) -> bytes:
        if not probability:
            return data
        flipped = bytearray(data)
        for bit in range(8 * len(data)):
            if self._random.random() < probability:
                flipped[bit // 8] ^= 1 << bit % 8
        return bytes(flipped)


def _u32(milliseconds: float) -> int:
    return int(milliseconds) & 0xFFFFFFFF
