"""The voices of two players at two tables, as they speak. Nothing of it is kept.

Each packet has 40 ms of Opus. Few are on their way at a time: the other table answers them, and
what cannot be sent at once is dropped. So a slow line carries gaps, and facts do not wait.
"""

import base64
import struct
import threading
import time
from collections.abc import Callable

import numpy as np

from blindplay.speech.audio import BLOCK_BYTES
from blindplay.speech.opus import HEARD_RATE, OpusDecoder, OpusEncoder
from blindplay.wording.values import Tell

MARK = b"~"
"""The first byte of a message with voice. All other messages are JSON."""
WINDOW = 12
"""Limit of the packets without an answer: half a second."""
MOST_BYTES = 600
"""Limit of a packet."""
MOST_PER_S = 50
"""Limit of the packets that are taken; a voice has 25."""
_PATIENCE_S = 2.0  # a packet without an answer for so long is lost
_ANSWERED = 4  # number of packets that one answer confirms
_FIRST = HEARD_RATE * 120 // 1000 * 2  # bytes of sound that wait before playing begins
_LAST = HEARD_RATE * 500 // 1000 * 2  # most bytes that wait; older ones are dropped
_HEAD = struct.Struct(">II")


class Voices:
    """Sends the sound of the microphone while ``carried`` and ``on``, and plays the received sound.

    ``send`` sends a message, or loses it, and does not wait. ``now`` gives monotonic seconds.
    """

    def __init__(
        self, send: Callable[[bytes], object], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._send, self._now = send, now
        self._encoder, self._decoder = OpusEncoder(), OpusDecoder()
        self._lock = threading.Lock()
        self.on = True
        """True if the player here wants to be heard."""
        self._carried = False
        self._other_wants: tuple[bool | None, ...] = ()  # nothing is known yet
        self._rest = b""  # of the microphone's sound
        self._sent = self._answered = 0  # the numbers of packets
        self._sent_at = 0.0
        self._received = self._unanswered = 0
        self._allowed, self._allowed_at = float(MOST_PER_S), now()
        self._waiting = bytearray()
        self._playing = False  # the waiting sound is being heard
        self._ducked = False

    @property
    def carried(self) -> bool:
        """Return whether both players want voices, and the tables are connected."""
        return self._carried

    @carried.setter
    def carried(self, now: bool) -> None:
        with self._lock:
            self._carried = now
            if not now:
                self._forget()

    def switch(self) -> str | None:
        """Switch the own voice off or on; the key of what to tell, None if none is carried."""
        if not self._carried:
            return None
        self.on = not self.on
        return "distant_voice_own_on" if self.on else "distant_voice_own_off"

    def learn(self, theirs: object, tell: Tell) -> None:
        """Say whether the other player wants to be heard, if that has changed; None: no voices."""
        before = self._other_wants
        self._other_wants = (None if theirs is None else bool(theirs),)
        if before == self._other_wants:
            return
        if theirs is None:
            tell("distant_voices_unwanted")
            return
        if before in ((), (None,)):
            tell("distant_voices")
        elif theirs:
            tell("distant_voice_on")
        if not theirs:
            tell("distant_voice_off")

    def carry(self, connected: bool, over: bool, tell: Tell) -> None:
        """Carry voices while both players want them, until the game is ``over``."""
        carried = connected and not over and self._other_wants not in ((), (None,))
        if self._carried and over:
            tell("distant_voices_end")
        if carried is not self._carried:
            self.carried = carried

    def begin(self) -> None:
        """There is a new connection; nothing is on its way there."""
        with self._lock:
            self._answered, self._received, self._unanswered = self._sent, 0, 0
            self._forget()

    def give_way(self, speaks: bool) -> None:
        """Be soft while the table ``speaks``."""
        self._ducked = speaks

    def _forget(self) -> None:
        self._waiting.clear()
        self._playing = False

    def hear(self, pcm: bytes) -> None:
        """Take what the microphone hears: mono, 16 kHz, 16 bits, of any length."""
        with self._lock:
            if not (self._carried and self.on):
                self._rest = b""
                return
            self._rest += pcm
            while len(self._rest) >= BLOCK_BYTES:
                block, self._rest = self._rest[:BLOCK_BYTES], self._rest[BLOCK_BYTES:]
                self._carry(block)

    def _carry(self, block: bytes) -> None:
        now = self._now()
        if now - self._sent_at > _PATIENCE_S:
            self._answered = self._sent
        if self._sent - self._answered < WINDOW:
            self._sent, self._sent_at = self._sent + 1, now
            self._post(self._sent, self._encoder.encode(block))

    def _post(self, number: int, packet: bytes) -> None:
        self._unanswered = 0
        self._send(MARK + base64.b64encode(_HEAD.pack(number, self._received) + packet))

    def on_message(self, message: bytes) -> None:
        """Take a message with voice. Any bytes may come: the other table may run other software, so
        what cannot be read is dropped."""
        try:
            data = base64.b64decode(message.removeprefix(MARK), validate=True)
            number, answered = _HEAD.unpack_from(data)
        except (ValueError, struct.error):
            return
        packet = data[_HEAD.size :]
        with self._lock:
            if self._answered < answered <= self._sent:
                self._answered = answered
            if len(packet) > MOST_BYTES or number <= self._received or not self._may_come():
                return
            self._received, self._unanswered = number, self._unanswered + 1
            if self._carried:
                self._waiting += self._decoder.decode(packet)
                del self._waiting[: max(0, len(self._waiting) - _LAST)]
            if self._unanswered >= _ANSWERED:
                self._post(0, b"")

    def _may_come(self) -> bool:
        now = self._now()
        more = (now - self._allowed_at) * MOST_PER_S
        self._allowed, self._allowed_at = min(self._allowed + more, MOST_PER_S), now
        if self._allowed < 1:
            return False
        self._allowed -= 1
        return True

    def give(self, samples: int) -> bytes:
        """At most so many samples of the other player's voice: mono, 16 bits, 48 kHz."""
        with self._lock:
            if not self._playing and len(self._waiting) < _FIRST:
                return b""
            piece = bytes(self._waiting[: 2 * samples])
            del self._waiting[: 2 * samples]
            self._playing = bool(self._waiting)
        return (np.frombuffer(piece, "<i2") // 4).tobytes() if self._ducked else piece
