"""A player's phone without its browser: it speaks the protocol of phone.js over a real line."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable
from typing import Any, Self

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect
from websockets.typing import Origin

from blindplay.speech.audio import BLOCK_BYTES
from blindplay.speech.phone import SoundPacket
from tests import web
from tests.waiting import until


class TestPhone:
    """A phone that has come in with ``link`` and answers pings. ``run`` is its name, and ``now``
    gives its time in seconds; ``role`` is that of its person. ``said`` is what it was told."""

    __test__ = False

    def __init__(
        self, link: str, run: str, now: Callable[[], float],
        trusts: ssl.SSLContext | None = None, role: str = "white",
    ) -> None:  # fmt: skip
        self.now, self.role = now, role
        base, _, token = link.partition("/#")
        self._trusts = trusts
        self.client = web.Client(base_url=base, headers={"origin": base}, verify=trusts or True)
        self.client.post("/enter", data={"token": token})
        self.base, self.run = base, run
        self.said: list[dict[str, Any]] = []
        self.code: int | None = None
        """The code with which the table ended the line."""
        self.sounds: list[bytes] = []
        """The sounds that it was sent, each after its number of four bytes."""
        self.plays = True
        """Whether it tells the end of each sound at once."""
        self.answers = True
        """Whether it answers pings."""
        self.answered: list[int] = []
        """The pings that it has answered."""
        self.number = self.at = 0

    def connect(self, *, again: bool = False, stream: str = "1") -> Self:
        cookies = "; ".join(f"{one.name}={one.value}" for one in self.client.cookies.jar)
        self.line = connect(
            f"{self.base.replace('http', 'ws')}/{self.role.replace(':', '-')}/line",
            additional_headers={"cookie": cookies},
            origin=Origin(self.base),
            ssl=self._trusts,
        ).__enter__()
        self.code = None
        threading.Thread(target=self._read, args=(self.line,), daemon=True).start()
        self.tell(run=self.run, stream=stream, again=again)
        return self

    def _read(self, line: Any) -> None:
        try:
            for text in line:
                if isinstance(text, bytes):
                    self.sounds.append(text)
                    if self.plays:
                        self.tell(ended=int.from_bytes(text[:4]), played=True)
                    continue
                message = json.loads(text)
                if "ping" in message:
                    if not self.answers:
                        continue
                    self.tell(pong=message["ping"], at=self.ms())
                    self.answered.append(message["ping"])
                else:
                    self.said.append(message)
        except ConnectionClosed:
            pass
        self.code = line.close_code

    def ms(self) -> int:
        """The time of the phone."""
        return round(self.now() * 1000) % 2**32

    def tell(self, **message: Any) -> None:
        self.line.send(json.dumps(message))

    def listen(self) -> None:
        """Give the microphone, and wait until the table hears it."""
        self.tell(do="listen")
        assert until(lambda: {"hears": "yes"} in self.said), self.said

    def speak(self, pcm: bytes, change: Callable[[list[bytes]], list[bytes]] = list) -> None:
        """Send sound, as ``change`` leaves its packets."""
        packets = []
        for start in range(0, len(pcm) - BLOCK_BYTES + 1, BLOCK_BYTES):
            block = pcm[start : start + BLOCK_BYTES]
            packets.append(bytes(SoundPacket(self.number, self.at % 2**32, block)))
            self.number, self.at = self.number + 1, self.at + 40
        for packet in change(packets):
            self.line.send(packet)

    def close(self) -> None:
        self.line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self.client.close()
