"""A pegged board that is asked one thing after the other, and finding one by its name."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from blindplay.translation import _, all_of, join_texts

from ..ports import (
    BoardNotFoundError,
    FoundPort,
    NoAnswerError,
    UnfitBoardError,
    check_url,
    close_port,
    discover,
    explained,
    open_port,
    read_port,
)
from . import protocol as peg
from .naming import checked_name, new_id

SAMPLES = 7
"""Readings of one hole. A loose contact shows in their spread."""

_PATIENCE = 3.0
_ASK_EVERY = 0.5
_STEP = 0.1
"""Seconds of each bit of a sound."""
_TONES = 4
"""Tones with pauses that one command holds."""


@dataclass(frozen=True)
class HoleReading:
    """One hole: its raw ``levels``, and the piece ``code`` that the board reads there."""

    levels: tuple[int, ...]
    code: int

    @property
    def level(self) -> int:
        """The median of the levels."""
        return sorted(self.levels)[len(self.levels) // 2]


class RawBoard:
    """A pegged board that is asked for readings, its name or a sound. Close all its other users
    first. A board without an id gets one.

    :raises BoardNotFoundError: if ``url`` is not a board's address.
    :raises NoAnswerError: if no board answers.
    :raises OSError: for anything else, with one sentence.
    """

    def __init__(self, url: str) -> None:
        check_url(url)
        self.url = url
        self._decoder = peg.Decoder()
        with explained(url):
            self._port = open_port(url)
        self._identity = peg.NO_IDENTITY
        try:
            hello = self._hello()
            self.able = peg.Capability(hello.capabilities)
            """What the board can do."""
            if self._keeps_name and not self._identity.id:
                self._identify(peg.Identify(new_id(), self.name))
        except OSError:
            self.close()
            raise

    @property
    def knows_pieces(self) -> bool:
        """True if the board can tell one kind of piece from another."""
        return peg.Capability.IDENTITY in self.able

    @property
    def which(self) -> str:
        """The board's id, empty if it has none."""
        return self._identity.text

    @property
    def name(self) -> str:
        """The board's name, empty if it has none."""
        return self._identity.name

    def rename(self, name: str, *, afresh: bool = False) -> None:
        """Give the board this name, and with ``afresh`` a new id.

        :raises ValueError: if no board can have this name, or the firmware is too old to keep one.
        :raises OSError: if the board does not keep it.
        """
        name = checked_name(name)
        if not self._keeps_name:
            raise UnfitBoardError(
                "The firmware of the board at {url} is too old to keep a name: write a newer "
                "one with blindplay board flash.",
                url=self.url,
            )
        number = new_id() if afresh or not self._identity.id else self._identity.id
        self._identify(peg.Identify(number, name))
        if self._identity != peg.Identity(number, name):
            raise OSError(
                _(
                    "The board at {url} has not kept the name: try again, or replace its "
                    "controller.",
                    url=self.url,
                )
            )

    def buzz(self, times: int) -> bool:
        """Let the board sound its buzzer so often, and wait until it is silent. False, and nothing,
        if it cannot."""
        if peg.Capability.BUZZER not in self.able:
            return False
        for first in range(0, times, _TONES):
            pattern = sum(1 << 2 * tone for tone in range(min(_TONES, times - first)))
            if isinstance(self._ask(peg.Buzz(pattern), (peg.Ack, peg.Nak)), peg.Nak):
                return False
            time.sleep(_STEP * (pattern.bit_length() + 1))
        return True

    @property
    def _keeps_name(self) -> bool:
        return peg.Capability.NAME in self.able

    def _hello(self) -> peg.Hello:
        hello: peg.Hello = self._ask(peg.AskHello(), peg.Hello)
        return hello

    def _identify(self, command: peg.Identify) -> None:
        self._ask(command, (peg.Ack, peg.Nak))
        self._hello()

    def read(self, squares: Sequence[int], samples: int = SAMPLES) -> dict[int, HoleReading]:
        """Read each of these squares (0–63) ``samples`` times. One reading takes about a twentieth
        of a second."""
        levels = {
            square: tuple(
                self._ask(peg.AskRaw(square), peg.Raw, square=square).value for _ in range(samples)
            )
            for square in squares
        }
        codes = self._ask(peg.AskDump(), peg.Dump).codes
        return {square: HoleReading(levels[square], codes[square]) for square in squares}

    def close(self) -> None:
        """Free the port."""
        close_port(self._port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(
        self, command: peg.HostCommand, kind: type[Any] | tuple[type[Any], ...], **fields: object
    ) -> Any:
        """Send ``command`` until an answer of this kind, with these fields, has arrived."""
        end, next_ask = time.monotonic() + _PATIENCE, 0.0
        with explained(self.url):
            while (now := time.monotonic()) < end:
                if now >= next_ask:
                    self._port.write(peg.encode(command))
                    next_ask = now + _ASK_EVERY
                for message in self._decoder.feed(read_port(self._port)):
                    if isinstance(message, peg.Identity):
                        self._identity = message
                    if isinstance(message, kind) and all(
                        getattr(message, name) == value for name, value in fields.items()
                    ):
                        return message
        raise NoAnswerError(
            "The board at {url} does not answer: check that it is the board's port, "
            "then replug it.",
            url=self.url,
        )


def is_name(board: str) -> bool:
    """Return whether ``board`` can be the name of a board, and not a port or a URL."""
    port = "://" in board or re.search(r"[/\\]|^(COM\d+)?$", board, re.IGNORECASE)
    return not port and not Path(board).exists()


def port_of(board: str, ports: Callable[[], Iterable[FoundPort]] = discover) -> str:
    """Return the port of ``board``, which is a port, a URL or the name of a board.

    Only a name opens ports, to ask them.

    :raises BoardNotFoundError: if no board, or more than one, has this name. It also says which
        ports could not be asked, for instance because another table uses them.
    """
    if not is_name(board):
        return board
    found: list[str] = []
    names: list[str] = []
    unasked: list[str] = []
    for port in ports():
        if not port.likely:
            continue
        try:
            with RawBoard(port.url) as asked:
                name = asked.name
        except NoAnswerError:
            continue
        except (OSError, ValueError) as error:
            unasked.append(str(error))
            continue
        names += [name] if name else []
        if name.casefold() == board.casefold():
            found.append(port.url)
    if len(found) == 1:
        return found[0]
    if found:
        raise BoardNotFoundError(
            "The boards at {ports} are all named {name}: give the port of one.",
            ports=all_of(found),
            name=board,
        )
    missing = (
        _(
            "There is no port and no board named {name}, but there are the boards {names}.",
            name=board,
            names=all_of(names),
        )
        if names
        else _(
            "There is no port and no board named {name}: plug it in, or give its port.",
            name=board,
        )
    )
    raise BoardNotFoundError(join_texts(" ", (missing, *unasked)))
