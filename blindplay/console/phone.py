"""The lines to the phones of players and assistants: a WebSocket for each, behind the session of
its page.

A phone sends packets of sound, and JSON for everything else. The table sends JSON. Nothing that
comes is trusted: it has a limit of size and of frequency, and only the page that holds its person's
seat is heard.
"""

import asyncio
import contextlib
import json
import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from starlette.concurrency import run_in_threadpool
from starlette.websockets import WebSocket, WebSocketDisconnect

from blindplay.given import PHONE
from blindplay.laws.facts import PEOPLE

from .access import BrowserSession, RateLimiter
from .sign_in import SignIn

PHONE_HEADERS = {"permissions-policy": "camera=(), microphone=(self), geolocation=()"}
"""Only a phone's page may ask for the microphone."""
TAKEN, REVOKED, OVER, TOO_MUCH = 4001, 4003, 4004, 4008
"""The codes with which a line ends: another page has the seat, the link is not valid any more, the
phone is needed no more, or more came than a phone sends. phone.js knows them."""
_AGAIN = 1013
"""The code of a line that the page is to make anew."""
_A_SECOND = 40
"""Messages: a phone sends 25 packets of sound, and little else."""
_MOST_UNSENT = 100
_ROLES = frozenset(PEOPLE) - {"arbiter"}
_LOOK_S = 1.0

PhoneSend = Callable[[Mapping[str, Any] | bytes | None], None]
"""Sends a message to a phone, from any thread: bytes are a sound with its number before it. None:
another page has the seat."""


class PhoneLine(Protocol):
    """One line to the phone of a seat."""

    @property
    def holds(self) -> bool:
        """Return whether it still is the line of its seat."""

    def sound(self, packet: bytes) -> bool:
        """Take a packet of sound; False if it is none."""

    def message(self, told: Mapping[str, Any]) -> None:
        """Take another message."""


class PhonePort(Protocol):
    """The phones of a table."""

    def join(
        self, role: str, run: str, stream: str, send: PhoneSend, *, again: bool
    ) -> PhoneLine | None:
        """The phone ``run`` is that of the person of ``role`` from now on, and numbers its packets
        in ``stream``. Return its line; None if another one has taken the seat while it was away
        (``again``)."""


class PhoneLines:
    """Serves the lines of a table to the browsers that ``sign_in`` knows. When it is ``closing``,
    their pages connect again, or end with another ``code``."""

    def __init__(
        self, port: PhonePort, sign_in: SignIn, closing: threading.Event, code: int = _AGAIN
    ) -> None:
        self._port, self._sign_in, self._closing, self._code = port, sign_in, closing, code
        self.open = 0
        """So many lines are open."""
        self._coming = RateLimiter(_A_SECOND, _A_SECOND * PHONE.seconds)

    async def serve(self, socket: WebSocket) -> None:
        """Serve one line until it ends."""
        session = self._sign_in.session(socket)
        if session is None or session.role not in _ROLES:
            await socket.close()
            return
        await socket.accept()
        sending: asyncio.Queue[Mapping[str, Any] | bytes | int] = asyncio.Queue(_MOST_UNSENT)
        loop = asyncio.get_running_loop()

        def put(message: Mapping[str, Any] | bytes | int) -> None:
            if sending.full():  # the line is as good as cut, and the page will connect again
                sending.get_nowait()
                message = _AGAIN
            sending.put_nowait(message)

        def send(message: Mapping[str, Any] | bytes | None) -> None:
            try:
                loop.call_soon_threadsafe(put, TAKEN if message is None else message)
            except RuntimeError:
                return  # the server has stopped

        self.open += 1
        talker = asyncio.create_task(self._send(socket, session, sending))
        # Where the line is cut, the phone is away until it connects again.
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            await self._receive(socket, session, send)
        talker.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect, RuntimeError):
            await talker
        self.open -= 1

    async def _receive(self, socket: WebSocket, session: BrowserSession, send: PhoneSend) -> None:
        line: PhoneLine | None = None
        client = session.digest.hex()
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            if not self._coming.take(client):
                await socket.close(TOO_MUCH)
                return
            if line is not None and not line.holds:
                return  # the sender says why
            packet = message.get("bytes")
            if packet is not None:
                if line is None or not line.sound(packet):
                    await socket.close(TOO_MUCH)
                    return
                continue
            told = _read(message.get("text") or "")
            if "run" in told:
                run, stream = (str(told.get(name))[:40] for name in ("run", "stream"))
                again = bool(told.get("again"))
                line = await run_in_threadpool(
                    self._port.join, session.role, run, stream, send, again=again
                )
                if line is None:
                    await socket.close(TAKEN)
                    return
            elif line is not None:
                line.message(told)

    async def _send(
        self,
        socket: WebSocket,
        session: BrowserSession,
        sending: asyncio.Queue[Mapping[str, Any] | bytes | int],
    ) -> None:
        """Send what is to be sent, and end the line when its page has no right to it any more."""
        message: Mapping[str, Any] | bytes | int
        while not self._closing.is_set():
            try:
                message = await asyncio.wait_for(sending.get(), _LOOK_S)
            except TimeoutError:
                message = {}
            if self._sign_in.session(socket) is not session:
                message = _AGAIN if self._sign_in.moved(socket) else REVOKED
            if isinstance(message, int):
                await socket.close(message)
                return
            if isinstance(message, bytes):
                await socket.send_bytes(message)
            elif message:
                await socket.send_text(json.dumps(message))
        await socket.close(self._code)


def _read(text: str) -> Mapping[str, Any]:
    """The message in a text; an empty one if it is none."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
