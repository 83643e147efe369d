"""A pegged board in software, behind a real serial line, for tests, demonstrations and practice.

It speaks the native protocol of :mod:`blindplay.boards.peg` in its own thread. Its line is a
pseudo terminal where the system has them, else a TCP port on the loopback interface which is
opened as ``socket://127.0.0.1:PORT``. Time is real, yet what a contact does is computed from when
it did it, so that a busy computer does not make the board feel differently.
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

from blindplay.boards import peg

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

_TICK = 0.005
"""Seconds between two looks at the contacts, as the hardware scans."""
_FAULT_MS = 200.0
_LEVER_MS = 80.0
_HOST_SILENCE = 10.0
"""Without a word from the host for so long, the board falls silent."""


class _Line(Protocol):
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
        self._holes = list(peg.codes_of(placement))
        self._lift_ms, self._place_ms = lift_ms, place_ms
        self._boot_seconds = boot_seconds
        self._identity = identity
        self._lock = threading.RLock()
        self._order = itertools.count()
        self._directory: tempfile.TemporaryDirectory[str] | None = None
        self._port = 0
        if sys.platform != "win32" and not force_socket:
            self._directory = tempfile.TemporaryDirectory(prefix="blindplay-board-")
        self._line: _Line | None = None
        self._retired: _Line | None = None
        self._lose = self._garble = 0
        self._random = random.Random(1)
        self.buzzed: list[int] = []
        """Buzzer patterns the host asked for."""
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
            return peg.placement_of(self._holes)

    def lift(self, square: str, *, wait: bool = True) -> str:
        """Take the piece from ``square`` and return its FEN letter.

        Returns when the board believes it; with ``wait=False`` at once, as hasty hands do.
        Raises :class:`ValueError` for an empty hole or what is no square.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._holes[index]
            if code == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to lift")
            self._put(index, peg.EMPTY)
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
            if self._holes[index] != peg.EMPTY:
                raise ValueError(f"{square} is occupied: lift that piece first")
            self._put(index, peg.FAULT if piece == "!" else peg.PIECES.index(piece))
        if wait:
            self._wait_for(index)

    def open_contact(self, square: str, seconds: float) -> None:
        """Feel the piece on ``square`` so that its contact opens for ``seconds``; returns then.

        Less than the lift time gives no event; more is a lift and a placing. Raises
        :class:`ValueError` for an empty hole.
        """
        index = peg.square_index(square)
        with self._lock:
            code = self._holes[index]
            if code == peg.EMPTY:
                raise ValueError(f"there is no piece on {square} to feel")
            now = self._uptime()
            self._at(now, lambda t: self._contact_changes(index, peg.EMPTY, t))
            self._at(now + seconds * 1000, lambda t: self._contact_changes(index, code, t))
        time.sleep(seconds)
        self._wait(lambda: index not in self._pending)

    def fault(self, square: str, *, wait: bool = True) -> None:
        """Spoil the contact of ``square``: it reads neither piece nor empty."""
        index = peg.square_index(square)
        with self._lock:
            self._contact_to(index, peg.FAULT)
        if wait:
            self._wait(lambda: self._state[index] == peg.FAULT)

    def mend(self, square: str, *, wait: bool = True) -> None:
        """Make the contact of ``square`` good again."""
        index = peg.square_index(square)
        with self._lock:
            self._contact_to(index, self._holes[index])
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
            self._at(now, lambda t: self._lever_moves(lever, 1, t))
            self._at(now + _LEVER_MS, lambda t: self._lever_moves(lever, 0, t))

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

    # --- the board's inside ----------------------------------------------------------------

    def _new_line(self) -> _Line:
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
        self._nonce = random.SystemRandom().randrange(1 << 16)
        self._sequence = self._wobbles = 0
        self._contact = list(self._holes)
        self._state = list(self._holes)
        # Holes on their way to a new state: code, time of the first change, when it is believed.
        self._pending: dict[int, tuple[int, float, float]] = {}
        self._changes: list[tuple[float, int, Callable[[float], None]]] = []
        self._decoder = peg.FrameDecoder()
        self._native = False
        self._host_heard = self._booted
        self._next_ping = self._booted + 1.0

    def _uptime(self) -> float:
        return (time.monotonic() - self._booted) * 1000

    def _at(self, when: float, what: Callable[[float], None]) -> None:
        heapq.heappush(self._changes, (when, next(self._order), what))

    def _put(self, index: int, code: int) -> None:
        self._holes[index] = code
        self._contact_to(index, code)

    def _contact_to(self, index: int, code: int) -> None:
        self._at(self._uptime(), lambda t: self._contact_changes(index, code, t))

    def _contact_changes(self, index: int, code: int, now: float) -> None:
        self._contact[index] = code
        pending = self._pending.pop(index, None)
        if code == self._state[index]:
            if pending is not None:
                self._wobbles += 1
            return
        need = {peg.EMPTY: self._lift_ms, peg.FAULT: _FAULT_MS}.get(code, self._place_ms)
        self._pending[index] = (code, pending[1] if pending else now, now + need)

    def _advance(self) -> None:
        """Let everything happen, in order, that should have happened by now."""
        now = self._uptime()
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
                return

    def _believe(self, index: int) -> None:
        code, first, _ = self._pending.pop(index)
        old, self._state[index] = self._state[index], code
        old, new = self._seen(old), self._seen(code)
        if old != new:
            self._sequence = (self._sequence + 1) & 0xFFFF
            self._tell(peg.Event(self._sequence, _u32(first), index, old, new))

    def _lever_moves(self, lever: int, down: int, now: float) -> None:
        self._sequence = (self._sequence + 1) & 0xFFFF
        self._tell(peg.Lever(self._sequence, _u32(now), lever, down))

    def _seen(self, code: int) -> int:
        # Without identity any plug is the same plug.
        return code if self._identity or code in (peg.EMPTY, peg.FAULT) else 1

    def _wait_for(self, index: int) -> None:
        self._wait(lambda: self._state[index] == self._holes[index])

    def _wait(self, done: Callable[[], bool]) -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            with self._lock:
                if self._line is None or (done() and not self._due()):
                    return
            time.sleep(_TICK)

    def _due(self) -> bool:
        return bool(self._changes) and self._changes[0][0] <= self._uptime()

    def _tell(self, message: peg.Message) -> None:
        if self._native:
            self._send(message)

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
                    present = self._native = False
                elif not present:
                    present = True
                    if self._boot_seconds:
                        self._boot()
                self._advance()
                if time.monotonic() - self._booted >= self._boot_seconds:
                    for body in self._decoder.feed_bodies(data or b""):
                        self._obey(body)
                    self._live()

    def _live(self) -> None:
        now = time.monotonic()
        if now - self._host_heard > _HOST_SILENCE:
            self._native = False
        if self._native and now >= self._next_ping:
            self._next_ping = now + 1.0
            self._send(self._ping())

    def _obey(self, body: bytes) -> None:
        self._host_heard = time.monotonic()
        try:
            command = peg.parse_command(body)
        except peg.MalformedFrameError:
            self._send(peg.Nak(peg.NakReason.BAD_ARGUMENT))
            return
        match command:
            case peg.AskHello():
                if not self._native:
                    self._next_ping = self._host_heard + 1.0
                self._native = True
                self._send(self._hello())
            case peg.AskDump():
                codes = tuple(map(self._seen, self._state))
                self._send(peg.Dump(self._sequence, _u32(self._uptime()), codes))
            case peg.AskPing():
                self._send(self._ping())
            case peg.AskRaw(square):
                # Any value a real converter might give: open reads full scale.
                level = 1023 if self._contact[square] == peg.EMPTY else 60 * self._contact[square]
                self._send(peg.Raw(square, level))
            case peg.Set(key, value):
                self._send(self._set(key, value))
            case peg.Buzz(pattern):
                self.buzzed.append(pattern)
                self._send(peg.Ack())
            case peg.Leave():
                self._native = False
            case None:
                self._send(peg.Nak(peg.NakReason.UNKNOWN_COMMAND))

    def _set(self, key: int, value: int) -> peg.Message:
        if key == peg.Setting.LIFT_MS and 50 <= value <= 300:
            self._lift_ms = float(value)
        elif key == peg.Setting.PLACE_MS and 5 <= value <= 300:
            self._place_ms = float(value)
        else:
            return peg.Nak(peg.NakReason.BAD_ARGUMENT)
        return peg.Ack()

    def _hello(self) -> peg.Hello:
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
            uptime=_u32(self._uptime()),
        )

    def _ping(self) -> peg.Ping:
        return peg.Ping(
            sequence=self._sequence,
            uptime=_u32(self._uptime()),
            state_crc=peg.state_crc(map(self._seen, self._state)),
            overruns=0,
            line_errors=min(255, self._decoder.bad_crc + self._decoder.bad_encoding),
            wobbles=min(0xFFFF, self._wobbles),
            scan_us=3300,
        )


def _u32(milliseconds: float) -> int:
    return int(milliseconds) & 0xFFFFFFFF
