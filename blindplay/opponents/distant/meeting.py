"""The meeting of two tables: one waits at a listener, the other calls it, and they agree on a game.

At the first time both know six digits, and exchange certificates with them. Each table makes its
certificate for this game. The connection is then encrypted with TLS, and each table lets in only
the other. The table that waits proposes the game, and the other one's player agrees, or not. The
agreement is kept beside the journal: later the certificates are enough.
"""

import contextlib
import json
import socket
import ssl
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Self

from blindplay import certificates
from blindplay.given import KEPT, read_text
from blindplay.laws import facts as f
from blindplay.laws.facts import Player, Setup
from blindplay.laws.state import OTHER
from blindplay.record import files
from blindplay.six_digits import DigitsSide, WrongDigitsError, six_digits
from blindplay.translation import UserError

from . import LAG_LIMITS_S
from .connections import (
    PATIENCE_S,
    Lifeline,
    PortConnector,
    PortListener,
    Relay,
    TableConnector,
    TableListener,
)
from .player import DistantPlayer


@dataclass(frozen=True)
class Keys:
    """This table's certificate with its key, and the other table's certificate; all in PEM."""

    own: str
    key: str
    other: str = ""

    @classmethod
    def new(cls) -> Self:
        """A certificate that certifies itself, and is known to nobody yet."""
        key = certificates.new_key()
        own = certificates.certify("blindplay", key)  # the game bounds its use
        return cls(certificates.in_pem(own), certificates.key_in_pem(key))

    def knowing(self, other: str) -> Self:
        """These keys with the certificate of the other table."""
        return replace(self, other=other)

    def context(self, folder: Path, *, server: bool) -> ssl.SSLContext:
        """The TLS settings that let only the other table in. ``folder`` is for a temporary file.

        :raises ssl.SSLError: if the other's certificate is none.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate is the other table's, wherever it is
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=self.other)
        path = folder / "own.pem"
        files.write_new(path, (self.own + self.key).encode())
        try:
            context.load_cert_chain(path)
        finally:
            path.unlink()
        return context


PORT = 16464
"""The port at which a table waits by default."""
TRIES = 3
"""Number of wrong guesses of the digits before there are new ones."""
_AGAIN_S = 1.0  # between two calls
_ACCEPT_AGAIN_S = 0.1  # after a guest who was gone at once, or too many open files
_TURN_S = 3 * PATIENCE_S  # a caller's: others may be before it
_LOOK_S = 0.1  # between two looks whether a guest who waits for their turn has been sent away
MOST_GUESTS = 8
"""Limit of the connections that are not known yet; fewer than a relay's."""
_MOST_BYTES = 16384
_NAMES = b"blindplay caller 1", b"blindplay waiting 1"
_CALLER, _WAITING = 1, 2  # numbers of sealed messages
_TLS = b"\x16"


class NotReachedError(UserError):
    """There is no table at this address."""


class NoMeetingError(UserError):
    """The answer at this address is cut off, too slow, or not that of a table."""


class _Guest:
    """A connection that is not known yet."""

    def __init__(self, sock: socket.socket) -> None:
        """:raises OSError: if it is gone already."""
        peer = sock.getpeername()
        self.address = str(peer[0]) if isinstance(peer, tuple) else ""  # a relay tells none
        self._handle = sock.dup()  # encryption takes the socket itself over
        self.spoke = self.known = self.gone = False

    def send_away(self) -> None:
        """Cut the connection; its thread notices."""
        self.gone = True
        with contextlib.suppress(OSError):
            self._handle.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._handle.close()


class _Doorkeeper:
    """Limits idle connections (slowloris). Of too many guests one goes, and never the newest: of
    the address with the most, one that has said nothing, the oldest first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._present: list[_Guest] = []

    def welcome(self, sock: socket.socket) -> _Guest:
        """Let a connection in, and send another one away if there are too many.

        :raises OSError: if it is gone already, or all others are known.
        """
        guest = _Guest(sock)
        with self._lock:
            if len(self._present) >= MOST_GUESTS:
                unknown = [one for one in self._present if not one.known]
                if not unknown:
                    guest.close()
                    raise ConnectionAbortedError
                addresses = [one.address for one in unknown]
                first = max(unknown, key=lambda one: (addresses.count(one.address), not one.spoke))
                first.send_away()
                self._present.remove(first)
            self._present.append(guest)
        return guest

    def leave(self, guest: _Guest) -> None:
        with self._lock:
            if guest in self._present:
                self._present.remove(guest)
            guest.close()


class Waiting:
    """A table that waits at ``listener``.

    Without ``keys`` any table that knows the :attr:`ticket` may come; :meth:`only` lets one in from
    then on. ``on_connect`` gets each connection, with its keys. ``changed`` is called when there is
    a new ticket.
    """

    def __init__(
        self,
        listener: TableListener,
        on_connect: Callable[[ssl.SSLSocket, Keys], object],
        keys: Keys | None = None,
        changed: Callable[[], object] = lambda: None,
    ) -> None:
        self._listener = listener
        self.place = listener.place
        self.digits = six_digits()
        self._tries = TRIES
        self._keys, self._only = keys, keys is not None
        self._on_connect, self._changed = on_connect, changed
        self._exchanging = threading.Lock()
        self._guests = _Doorkeeper()
        self._closed = threading.Event()
        threading.Thread(target=self._wait, name="waiting", daemon=True).start()

    @property
    def ticket(self) -> str:
        """The digits that another table needs: those of the room, and the six secret ones."""
        return self._listener.room + self.digits

    def only(self, keys: Keys) -> None:
        """From now on let in only the table with these keys; the ticket is used up."""
        self._keys, self._only = keys, True
        self._listener.hide()

    def close(self) -> None:
        self._closed.set()
        self._listener.close()

    def _wait(self) -> None:
        while not self._closed.is_set():
            try:
                sock = self._listener.accept()
            except OSError:
                self._closed.wait(_ACCEPT_AGAIN_S)
                continue
            try:
                guest = self._guests.welcome(sock)
            except OSError:
                sock.close()
                continue
            threading.Thread(target=self._receive, args=(sock, guest), daemon=True).start()

    def _receive(self, sock: socket.socket, guest: _Guest) -> None:
        try:
            sock.settimeout(PATIENCE_S)
            begins = sock.recv(1, socket.MSG_PEEK)
            guest.spoke = True
            if begins != _TLS:
                first = read(sock, PATIENCE_S)  # a silent guest holds no lock
                with self._turn_of(guest):
                    self._keys = self._exchange(sock, first)
            if (keys := self._keys) is None:
                raise WrongDigitsError
            encrypted = _encrypted(sock, keys, server=True)
            guest.known = True
            self._on_connect(encrypted, keys)
        except WrongDigitsError:
            with contextlib.suppress(OSError), sock:
                write(sock, wrong=True)
        except (OSError, ValueError, KeyError, TypeError):
            sock.close()
        finally:
            self._guests.leave(guest)

    @contextlib.contextmanager
    def _turn_of(self, guest: _Guest) -> Iterator[None]:
        """One exchange at a time, and none with a guest who was sent away: it would be a try."""
        while not self._exchanging.acquire(timeout=_LOOK_S):
            if guest.gone:
                raise ConnectionAbortedError
        try:
            if guest.gone:
                raise ConnectionAbortedError
            yield
        finally:
            self._exchanging.release()

    def _exchange(self, guest: socket.socket, first: dict[str, Any]) -> Keys:
        """Exchange certificates with a guest who knows the digits. Each exchange that was begun and
        does not end well is one of the tries."""
        if self._only:
            raise WrongDigitsError
        side = DigitsSide(self.digits, _NAMES, b"".join(_NAMES), first=False)
        side.agree(bytes.fromhex(first["message"]))
        self._tries -= 1
        try:
            write(guest, message=side.message.hex())
            keys = Keys.new()
            message = read(guest, PATIENCE_S)
            other = side.unseal(bytes.fromhex(message["sealed"]), _NAMES[0], _CALLER)
            sealed = side.seal(keys.own.encode(), _NAMES[1], _WAITING)
            write(guest, sealed=sealed.hex())
        except BaseException:
            if not self._tries:
                self.digits, self._tries = six_digits(), TRIES
                self._changed()
            raise
        self._tries = TRIES
        return keys.knowing(other.decode())


def call(connector: TableConnector, digits: str) -> tuple[ssl.SSLSocket, Keys]:
    """Call the table that waits, with the six digits that it shows.

    :raises NotReachedError: if nothing answers there.
    :raises WrongDigitsError: if the digits are wrong.
    :raises NoMeetingError: if what answers is cut off, too slow, or no table.
    """
    try:
        sock = connector.connect()
    except OSError:
        raise NotReachedError from None
    try:
        side = DigitsSide(digits, _NAMES, b"".join(_NAMES), first=True)
        write(sock, message=side.message.hex())
        side.agree(bytes.fromhex(_answer(sock)["message"]))
        keys = Keys.new()
        write(sock, sealed=side.seal(keys.own.encode(), _NAMES[0], _CALLER).hex())
        other = side.unseal(bytes.fromhex(_answer(sock)["sealed"]), _NAMES[1], _WAITING)
        keys = keys.knowing(other.decode())
        return _encrypted(sock, keys, server=False), keys
    except WrongDigitsError:
        sock.close()
        raise
    except (OSError, ValueError, KeyError, TypeError):
        sock.close()
        raise NoMeetingError from None


def _answer(sock: socket.socket) -> dict[str, Any]:
    """The next message of the table that waits. It says so if the digits are wrong."""
    message = read(sock, _TURN_S)
    if message.get("wrong"):
        raise WrongDigitsError
    return message


class Calling:
    """Calls the table of a game whenever ``lifeline`` has no connection."""

    def __init__(self, connector: TableConnector, keys: Keys, lifeline: Lifeline) -> None:
        self._connector, self._keys, self._lifeline = connector, keys, lifeline
        self._closed = threading.Event()
        threading.Thread(target=self._run, name="calling", daemon=True).start()

    def close(self) -> None:
        self._closed.set()
        self._lifeline.idle.set()
        self._connector.close()

    def _run(self) -> None:
        while self._lifeline.idle.wait() and not self._closed.is_set():
            try:
                sock = _encrypted(self._connector.connect(), self._keys, server=False)
                self._lifeline.offer(sock)
            except (OSError, ValueError):
                self._closed.wait(_AGAIN_S)


def _encrypted(sock: socket.socket, keys: Keys, *, server: bool) -> ssl.SSLSocket:
    """The connection, encrypted, with nobody but the other table at its end."""
    try:
        sock.settimeout(PATIENCE_S)
        with tempfile.TemporaryDirectory() as folder:
            context = keys.context(Path(folder), server=server)
        return context.wrap_socket(sock, server_side=server)
    except BaseException:
        sock.close()
        raise


def write(sock: socket.socket, **message: Any) -> None:
    """Send one line.

    :raises OSError: if the connection is cut.
    """
    sock.sendall(json.dumps(message).encode() + b"\n")


def read(sock: socket.socket, within_s: float | None = None) -> dict[str, Any]:
    """The next line of the other side, and nothing of what follows it. All of it must come
    ``within_s`` seconds; None: each byte within the timeout of ``sock``.

    :raises OSError, ValueError: if there is none, or it is not a message.
    """
    ends = time.monotonic() + (within_s or 0)
    line = bytearray()
    while not line.endswith(b"\n"):
        if within_s is not None:
            left = ends - time.monotonic()
            if left <= 0:
                raise TimeoutError
            sock.settimeout(left)
        if len(line) > _MOST_BYTES or not (byte := sock.recv(1)):
            raise ConnectionError
        line += byte
    try:
        message = json.loads(line)
    except RecursionError:
        raise ValueError from None
    if not isinstance(message, dict):
        raise ValueError
    return message


ANSWER_S = 600.0
"""Seconds that a player may think about the terms."""
_CONTRACT = 1  # of what tables send to each other


class OtherVersionError(UserError):
    """The other table has another version of BlindPlay; the message is that version."""


class NotAgreedError(UserError):
    """The players have not agreed, or there is a game already."""


@dataclass(frozen=True)
class Terms:
    """A proposed game. ``here`` is the side of the table that waits; after ``limit_s`` seconds
    without an answer the connection counts as lost."""

    setup: Setup
    here: str
    limit_s: int
    training: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "setup": self.setup.to_json(),
            "here": OTHER[self.here],
            "limit": self.limit_s,
            "training": self.training,
        }


def introduce(sock: ssl.SSLSocket, player: Player, version: str) -> Terms:
    """Say who plays at this table, and get the terms, as this table sees them.

    :raises OtherVersionError: if the other table has another version.
    :raises NotAgreedError: if that table has a game already.
    :raises OSError, ValueError: if the other table says nothing that makes sense.
    """
    write(sock, contract=_CONTRACT, version=version, player=player.to_json())
    message = read(sock)
    if message.get("version") != version:
        raise OtherVersionError(str(message.get("version", "")))
    if message.get("taken"):
        raise NotAgreedError
    setup, limit_s = f.parse(message["setup"]), message["limit"]
    if not isinstance(setup, Setup) or message["here"] not in f.SIDES:
        raise ValueError
    if not isinstance(limit_s, int) or limit_s not in LAG_LIMITS_S:
        raise ValueError
    return Terms(setup, message["here"], limit_s, message["training"] is True)


def answer(sock: ssl.SSLSocket, *, agrees: bool) -> None:
    """Agree to the terms or not, and wait until the other table has it.

    :raises NotAgreedError: if there is no game.
    :raises OSError, ValueError: if the connection is cut.
    """
    write(sock, agrees=agrees)
    if not agrees or read(sock).get("begins") is not True:
        raise NotAgreedError


def guest_of(sock: ssl.SSLSocket, version: str) -> Player:
    """The player at the table that calls.

    :raises OtherVersionError: if that table has another version; that table learns it, too.
    :raises OSError, ValueError: if it says nothing that makes sense.
    """
    message = read(sock)
    if message.get("version") != version or message.get("contract") != _CONTRACT:
        write(sock, version=version)
        raise OtherVersionError(str(message.get("version", "")))
    return Setup(black=message["player"]).black


def propose(sock: ssl.SSLSocket, terms: Terms, version: str) -> bool:
    """Propose ``terms``, and return whether the player at the other table agrees.

    :raises OSError, ValueError: if the connection is cut.
    """
    write(sock, version=version, **terms.to_json())
    sock.settimeout(ANSWER_S)
    return read(sock).get("agrees") is True


def begin(sock: ssl.SSLSocket) -> None:
    """Tell the other table that the game begins."""
    write(sock, begins=True)


def refuse(sock: ssl.SSLSocket, version: str) -> None:
    """Tell a table that there is a game already."""
    write(sock, version=version, taken=True)


_ENDING: files.OwnEnd = ".distant"


class NoAgreementError(UserError):
    """No keys are kept_agreement by which the other table of a game knows this one."""


@dataclass(frozen=True)
class Agreement:
    """``here`` is the side of this table, ``waited`` says that the other one called it. ``port``,
    ``host`` and ``inbox`` are those of the :class:`.Venue`."""

    keys: Keys
    here: str
    limit_s: int
    training: bool
    waited: bool
    port: int
    host: str = ""
    inbox: str = ""

    def keep(self, journal: Path) -> None:
        """Keep this beside ``journal``, for its user only.

        :raises OSError: if it cannot be written.
        """
        journal.parent.mkdir(parents=True, exist_ok=True)
        files.write_new(files.beside(journal, _ENDING), json.dumps(asdict(self)).encode())

    def player(self, lifeline: Lifeline, *, voices: bool = False) -> DistantPlayer:
        """The opponent at the other end of ``lifeline``. ``voices``: the player here wants them."""
        return DistantPlayer(
            OTHER[self.here],
            lifeline,
            waited=self.waited,
            limit_s=self.limit_s,
            training=self.training,
            voices=voices,
        )

    def lifeline(self) -> Lifeline:
        """The connection of a game that goes on: wait for the other table, or call it.

        :raises OSError: if the port is taken.
        """
        sources: list[Waiting | Calling] = []
        lifeline = Lifeline(lambda: sources[0].close())
        if self.waited:
            sources.append(
                Waiting(self._listener(), lambda sock, keys: lifeline.offer(sock), self.keys)
            )
        else:
            sources.append(Calling(self._connector(), self.keys, lifeline))
        return lifeline

    def _listener(self) -> TableListener:
        if self.inbox:
            return Relay(self.host, self.port, inbox=self.inbox)
        return PortListener(self.port)

    def _connector(self) -> TableConnector:
        if self.inbox:
            return Relay(self.host, self.port, other=self.inbox)
        return PortConnector(self.host, self.port)


def kept_agreement(journal: Path) -> Agreement:
    """Read the agreement for the game in ``journal``.

    :raises NoAgreementError: one sentence, if it cannot be read.
    """
    path = files.beside(journal, _ENDING)
    try:
        kept = json.loads(read_text(path, KEPT))
        keys = Keys(**kept["keys"])
        return Agreement(**{"waited": not kept["host"], **kept, "keys": keys})
    except (OSError, ValueError, TypeError, KeyError):
        raise NoAgreementError(
            "{path} cannot be read, so the other table would not know this one; put "
            "the file back, or begin another game without --resume.",
            path=path,
        ) from None
