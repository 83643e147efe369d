"""Writes firmware into a pegged board, through the boot loader of its Arduino.

Boot loaders of the Nano and the Uno speak STK500, version 1: the old one of the Nano with 57600
baud, the others with 115200. They start when the port is opened, and keep themselves out of reach:
a board whose writing was interrupted can always be written again.

What is in the board is read out first and kept. Its first page is then written as one that does
nothing (:data:`~.firmware.HALT`), then all others, and the right first page at last. So a board
never runs a mixture of two programs: wherever the power is cut, it has the old firmware, the new
one, or none. (While a page is written, some milliseconds, it may be empty.) The EEPROM, which has
the settings, the id and the name of the board, is never written.
"""

import contextlib
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from blindplay.given import reason_of
from blindplay.translation import SentenceError, UserError, _, all_of

from ..ports import (
    BAUD,
    LINK_ERRORS,
    BoardNotFoundError,
    NoAnswerError,
    Port,
    check_url,
    close_port,
    discover,
    explained,
    open_port,
    read_port,
)
from . import protocol as peg
from .firmware import HALT, PAGE, PAGES, SIZE, Firmware, keep, version_text
from .raw_board import port_of

BOARDS: Mapping[str, int] = {"nano": 115200, "nano-old": 57600, "uno": 115200}
"""By the value of ``--board``: the speed of its boot loader."""


def rates(board: str | None) -> tuple[int, ...]:
    """The speeds of the boot loader of a ``board``, a key of :data:`BOARDS`, or of any."""
    return (BOARDS[board],) if board else tuple(dict.fromkeys(BOARDS.values()))


SIGNATURE = bytes.fromhex("1E950F")
"""That of the ATmega328P."""

# Of STK500, Atmel's application note AVR061.
_SYNC, _LEAVE, _SET_ADDRESS = b"\x30", b"\x51", b"\x55"
_WRITE, _READ, _SIGNATURE = b"\x64", b"\x74", b"\x75"
_END, _IN_SYNC, _OK = b"\x20", b"\x14", b"\x10"

_RESET_SECONDS = 0.25
"""The capacitor at the reset pin is charged after this time."""
# Numbers of readings that may pass without a byte. Each waits a twentieth of a second.
_QUIET = 20
_QUIET_AT_FIRST = 6
_QUIET_BOARD = 60
_QUIET_NEW_BOARD = 160
_GREETINGS = 8
_CHATTER = 4000
"""A device that says so many bytes is not a board that waits."""
_TRIES = 10
"""So many errors of the line in a row end the writing."""
_ROUNDS = 6
"""So many times the board is written and read until it holds what it should."""

Open = Callable[[int], Port]
"""Opens the port of a board at a speed, which starts its boot loader."""


class FlashingError(SentenceError, RuntimeError):
    """The firmware could not be written. The message says why, what is in the board, and what to
    do."""


class _GarbledError(Exception):
    """The boot loader has not answered as it should."""


@dataclass(frozen=True)
class Target:
    """A board to be written: its port, and the version of its firmware if it answers."""

    url: str
    version: int | None


def opened(url: str) -> Open:
    """Return what opens the port ``url`` and resets the board behind it."""

    def open_at(rate: int) -> Port:
        port = open_port(url, rate, dtr=False)
        with contextlib.suppress(*LINK_ERRORS):  # a line in software has no such wires
            port.rts = False
            time.sleep(_RESET_SECONDS)
            port.dtr = port.rts = True
        return port

    return open_at


# --- which board -------------------------------------------------------------------------------


def target(port: str | None) -> Target:
    """Find the board to be written: the one at ``port``, a port or a board's name, or the only
    one that is plugged in. A controller without firmware counts if nothing else is there, and each
    other port could be asked: the board may be at one that is in use.

    :raises BoardNotFoundError: if there is none, or more than one.
    :raises OSError: if its port cannot be used, with a sentence for the person.
    """
    if port is not None:
        if "://" in port:
            raise UserError(
                "{port} is not a serial port: firmware goes through a cable.", port=port
            )
        port = port_of(port)
        check_url(port)
        with explained(port):
            return Target(port, version_at(opened(port)))
    silent: list[Target] = []
    answering: list[Target] = []
    reason: Exception | None = None
    for found in discover():
        if not found.likely:
            continue
        try:
            with explained(found.url):
                one = Target(found.url, version_at(opened(found.url)))
        except (OSError, ValueError) as error:
            reason = error
        else:
            (silent if one.version is None else answering).append(one)
    boards = answering or ([] if reason else silent)
    if len(boards) == 1:
        return boards[0]
    if boards:
        raise BoardNotFoundError(
            "There are several boards, at {ports}: give the port of one with --port.",
            ports=all_of([board.url for board in boards]),
        )
    raise reason or BoardNotFoundError(
        "No board was found: plug it in, or give its port with --port."
    )


def version_at(open_at: Open, quiet: int = _QUIET_BOARD) -> int | None:
    """Ask a board for the version of its firmware. None if no pegged board answers: ``quiet`` is
    how many readings without a byte it is waited for."""
    port = open_at(BAUD)
    decoder = peg.Decoder()
    try:
        heard = waited = next_hello = 0
        while waited < quiet and heard < _CHATTER:
            if waited >= next_hello:
                port.write(peg.encode(peg.AskHello()))
                next_hello += _QUIET_AT_FIRST
            data = read_port(port)
            heard, waited = heard + len(data), waited + (not data)
            for message in decoder.feed(data):
                if isinstance(message, peg.Hello):
                    port.write(peg.encode(peg.Leave()))
                    return message.firmware
    finally:
        close_port(port)
    return None


def refuse_older(wanted: Firmware, board: Target) -> None:
    """Refuse to replace a firmware by an older one.

    :raises ValueError: if the board has a newer firmware than ``wanted``.
    """
    if board.version and wanted.version and board.version > wanted.version:
        raise UserError(
            "The board at {url} has firmware {newer}, and this program brings {older}: update "
            "BlindPlay, or name the file of an older firmware.",
            url=board.url,
            newer=version_text(board.version),
            older=version_text(wanted.version),
        )


def announced(wanted: Firmware, board: Target) -> str:
    """Say what will be written where, in one sentence."""
    return _(
        "This writes {firmware} from {file} ({size} bytes, SHA-256 {digest}) into {board}, and "
        "replaces what is in it.",
        firmware=_("firmware {version}", version=version_text(wanted.version))
        if wanted.version
        else _("firmware of a board"),
        file=wanted.name,
        size=wanted.size,
        digest=f"{wanted.digest[:12]}…",
        board=_(
            "the board at {url}, which has firmware {version}",
            url=board.url,
            version=version_text(board.version),
        )
        if board.version
        else _("the controller at {url}, which does not answer as a board", url=board.url),
    )


# --- the boot loader ---------------------------------------------------------------------------


class _Loader:
    """The boot loader of a board, from :meth:`enter` to :meth:`close`. ``rates`` are its possible
    speeds."""

    def __init__(self, open_at: Open, rates: Collection[int]) -> None:
        self._open_at, self._rates = open_at, tuple(rates)
        self._port: Port | None = None

    def enter(self) -> None:
        """Start the boot loader.

        :raises NoAnswerError: if none answers at any speed.
        """
        for rate in self._rates * 2:
            self.close()
            self._port = self._open_at(rate)
            if self._greet():
                self._rates = (rate,)
                return
        raise NoAnswerError

    def _greet(self) -> bool:
        assert self._port is not None
        for _turn in range(_GREETINGS):
            self._port.write(_SYNC + _END)
            heard, quiet = b"", 0
            while quiet < _QUIET_AT_FIRST and len(heard) < _CHATTER:
                data = read_port(self._port)
                heard, quiet = heard + data, quiet + (not data)
                if heard.endswith(_IN_SYNC + _OK):
                    break
            else:
                continue
            for _more in range(_QUIET_AT_FIRST):  # answers to earlier greetings may follow
                read_port(self._port)
            with contextlib.suppress(_GarbledError):
                self._ask(_SYNC)
                return True
        return False

    def _ask(self, command: bytes, size: int = 0) -> bytes:
        """Give a command and return its answer of ``size`` bytes."""
        assert self._port is not None
        self._port.write(command + _END)
        heard, quiet = b"", 0
        while len(heard) < size + 2:
            if data := self._port.read(size + 2 - len(heard)):
                heard += bytes(data)
            elif (quiet := quiet + 1) == _QUIET:
                raise _GarbledError
        if heard[:1] != _IN_SYNC or heard[-1:] != _OK:
            raise _GarbledError
        return heard[1:-1]

    def _surely(self, *commands: tuple[bytes, int]) -> bytes:
        """Give commands and return the last answer. If the line garbles one, begin again."""
        for _turn in range(_TRIES):
            with contextlib.suppress(_GarbledError):
                return [self._ask(*command) for command in commands][-1]
            self.enter()
        raise _GarbledError

    def signature(self) -> bytes:
        """The three bytes that tell the kind of controller."""
        return self._surely((_SIGNATURE, 3))

    def read(self, page: int) -> bytes:
        """The bytes of a page."""
        size = PAGE.to_bytes(2, "big")
        return self._surely(_at(page), (_READ + size + b"F", PAGE))

    def write(self, page: int, data: bytes) -> None:
        """Write a page. Only reading shows what is in it then."""
        size = PAGE.to_bytes(2, "big")
        self._surely(_at(page), (_WRITE + size + b"F" + data, 0))

    def leave(self) -> None:
        """Let the controller start its program."""
        with contextlib.suppress(_GarbledError):  # the next opening of the port starts it, too
            self._ask(_LEAVE)

    def close(self) -> None:
        """Free the port."""
        if self._port is not None:
            close_port(self._port)
        self._port = None


def _at(page: int) -> tuple[bytes, int]:
    """The command for the place of the next reading or writing, in words of two bytes."""
    return _SET_ADDRESS + (page * PAGE // 2).to_bytes(2, "little"), 0


# --- all together --------------------------------------------------------------------------------


def flash(
    wanted: Firmware,
    url: str,
    rates: Collection[int],
    tell: Callable[[str], None],
    open_at: Open | None = None,
) -> None:
    """Write a firmware into the board at ``url``, whose boot loader has one of the speeds
    ``rates``. If the board then does not answer with the version of this firmware, write back what
    was in it. ``tell`` gets a sentence about each step.

    :raises FlashingError: if the board has not got this firmware.
    :raises OSError: if the port cannot be used; then nothing was written.
    """
    open_at = open_at or opened(url)
    loader = _Loader(open_at, rates)
    with contextlib.closing(loader):
        before = _read_out(loader, url, rates, tell)
        if before == wanted.image:
            tell(_("The board has this firmware already."))
        with _interrupted(url):
            _write(loader, before, wanted.image, tell)
    if wanted.version is None:
        tell(_("The firmware has been written."))
        return
    tell(_("The board is asked for its version."))
    with explained(url):
        answered = version_at(open_at, _QUIET_NEW_BOARD)
    if answered == wanted.version:
        tell(_("The board answers with firmware {version}.", version=version_text(answered)))
        return
    if not Firmware(before).whole or before == wanted.image:
        raise FlashingError(
            "The firmware is in the board, but the board does not answer with it: plug it in "
            "again, and repeat the command."
        )
    tell(_("The board does not answer with the new firmware: the one from before is written back."))
    with contextlib.closing(loader), _interrupted(url):
        loader.enter()
        _write(loader, _all_of(loader), before, tell)
    raise FlashingError(
        "The board did not answer with firmware {version}, so it has its firmware from before "
        "again: plug it in again, and repeat the command.",
        version=version_text(wanted.version),
    )


def _read_out(
    loader: _Loader, url: str, rates: Collection[int], tell: Callable[[str], None]
) -> bytes:
    """Return what is in a board, and keep it if it is whole. Write nothing into the board."""
    try:
        with explained(url):
            loader.enter()
            signature = loader.signature()
            if signature != SIGNATURE:
                raise FlashingError(
                    "The controller at {url} is not an ATmega328P, its signature is "
                    "{signature}: nothing was written.",
                    url=url,
                    signature=signature.hex().upper(),
                )
            tell(_("What is in the board is read."))
            image = _all_of(loader)
    except NoAnswerError:
        raise NoAnswerError(
            "No boot loader answers at {url} with {rates} baud: check the port, or press the "
            "controller's reset button and repeat the command at once.",
            url=url,
            rates=all_of(list(dict.fromkeys(rates))),
        ) from None
    except _GarbledError:
        raise FlashingError(
            "The line to the board at {url} is disturbed, so nothing was written: take "
            "another cable.",
            url=url,
        ) from None
    if Firmware(image).whole:
        try:
            tell(_("What was in the board is kept in {file}.", file=keep(Firmware(image))))
        except OSError as error:
            raise FlashingError(
                "What is in the board cannot be kept ({reason}), so nothing was written: make "
                "room on the disk.",
                reason=reason_of(error),
            ) from error
    return image


def _all_of(loader: _Loader) -> bytes:
    return b"".join(loader.read(page) for page in range(PAGES)).ljust(SIZE, b"\xff")


_ENDS: tuple[type[BaseException], ...] = (
    *LINK_ERRORS, _GarbledError, NoAnswerError, KeyboardInterrupt
)  # fmt: skip
"""The ends of a writing before its time."""


@contextlib.contextmanager
def _interrupted(url: str) -> Iterator[None]:
    """Explain an error after which the board may have no firmware."""
    try:
        yield
    except _ENDS as error:
        raise FlashingError(
            "The writing at {url} was interrupted, and the board may do nothing until it has "
            "been written: plug it in again, and repeat the command.",
            url=url,
        ) from error


def _write(loader: _Loader, before: bytes, wanted: bytes, tell: Callable[[str], None]) -> None:
    """Write the pages that differ, the first one last, and read them again.

    :raises _GarbledError: if they are not as they should be after several rounds.
    """

    def pages(image: bytes) -> list[bytes]:
        return [image[PAGE * page : PAGE * (page + 1)] for page in range(used)]

    used = -(-max(len(image.rstrip(b"\xff")) for image in (before, wanted)) // PAGE)
    held, right = pages(before), pages(wanted)
    for _turn in range(_ROUNDS):
        others = [page for page in range(1, used) if held[page] != right[page]]
        if others:
            _halt(loader)
            quarter = -(-len(others) // 4)
            for number, page in enumerate(others):
                if number and number % quarter == 0:
                    tell(_("Written: {percent} percent.", percent=25 * (number // quarter)))
                loader.write(page, right[page])
            tell(_("All is written, and is read again."))
        elif held[0] != right[0]:
            loader.write(0, right[0])
        else:
            loader.leave()
            return
        held = [loader.read(page) for page in range(used)]
    raise _GarbledError


def _halt(loader: _Loader) -> None:
    """Let a board do nothing as long as it is not written to the end."""
    for _turn in range(_TRIES):
        if loader.read(0) == HALT:
            return
        loader.write(0, HALT)
    raise _GarbledError
