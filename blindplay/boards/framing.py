"""The messages of boards that report whole positions, and the cutting of bytes into them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import chess

from .diagram import Diagram


@dataclass(frozen=True)
class BoardReport:
    """All squares at once, as they lie under a board whose White sits at its usual side.

    ``agree``: so many reports in a row that say the same are believed; 1 if a checksum covers it.
    """

    diagram: Diagram
    agree: int = 3


@dataclass(frozen=True)
class SquareChange:
    """One square changed to this letter of a diagram."""

    square: chess.Square
    letter: int


@dataclass(frozen=True)
class FingerOn:
    """A finger is on the piece of this square."""

    square: chess.Square


@dataclass(frozen=True)
class AboutBoard:
    """A description that the board gives of itself, in English: ``firmware 1.3``."""

    text: str


@dataclass(frozen=True)
class SignOfLife:
    """A whole message that this program does not use."""


@dataclass(frozen=True)
class Garbled:
    """Bytes that are not a message: here bytes were lost or changed."""


BoardMessage: TypeAlias = BoardReport | SquareChange | FingerOn | AboutBoard | SignOfLife | Garbled


class Framer(ABC):
    """Cuts a stream into messages, which do not depend on the sizes of the chunks.

    A subclass says with which bytes a frame begins, how long the frame at the start of the buffer
    is, and what it means. Where no frame begins or a frame makes no sense, the stream is read from
    the next byte that may begin one; the skipped bytes become one :class:`Garbled`.
    """

    BEGINNINGS: ClassVar[bytes]
    """The bytes with which a frame may begin."""
    _noise: ClassVar[bytes]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls._noise = bytes(set(range(256)) - set(cls.BEGINNINGS))

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._garbled = False

    def feed(self, data: bytes) -> list[BoardMessage]:
        """Take the next bytes of the stream and return the messages that they complete."""
        self._buffer += data
        messages: list[BoardMessage] = []
        while self._buffer:
            size = self._size(self._buffer) if self._buffer[0] in self.BEGINNINGS else 0
            if size > len(self._buffer):
                break
            message = self._read(bytes(self._buffer[:size])) if size else None
            if message is not None:
                del self._buffer[:size]
                messages.append(message)
                self._garbled = False
            else:
                self._buffer = self._buffer[1:].lstrip(self._noise)
                if not self._garbled:
                    messages.append(Garbled())
                self._garbled = True
        return messages

    @property
    def unfinished(self) -> bool:
        """True if the stream ended within a frame."""
        return bool(self._buffer)

    @abstractmethod
    def _size(self, buffer: bytearray) -> int:
        """The length of the frame that begins ``buffer`` with one of :data:`BEGINNINGS`, 0 if none
        does. While too little of it is known, any number above the length of ``buffer``."""

    @abstractmethod
    def _read(self, frame: bytes) -> BoardMessage | None:
        """The meaning of a frame. None if it has none."""
