"""The console of a table: serves its pages, and prints a link for each who may come in."""

from __future__ import annotations

import io
import socket
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

import segno
import uvicorn

from blindplay import language as packs
from blindplay.console import views
from blindplay.console.app import Console
from blindplay.console.ports import Utterance
from blindplay.language import About, Command
from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.record import Tape, TapeError
from blindplay.record.tape import beside
from blindplay.speech.speaker import Output

from .looking import ask
from .table import Table
from .words import spoken

LOOPBACK = "127.0.0.1"
PORT = 8080
_ANY = "0.0.0.0"


class ConsoleError(OSError):
    """The console cannot be served; the message says why and what to do."""


class TablePort:
    """The table as the console sees it; see :class:`blindplay.console.ports.Table`."""

    def __init__(self, table: Table, *, training: bool = False) -> None:
        self._table = table
        self._training = training

    @contextmanager
    def held(self) -> Iterator[Game]:
        with self._table.lock:
            yield self._table.game

    def time(self) -> int:
        return self._table.time()

    def submit(self, role: str, kind: str, fields: Mapping[str, Any]) -> list[Ruling]:
        # What the fields say of whose doing it is counts for nothing.
        return self._table.submit(f.KINDS[kind], **{**fields, "by": role})

    def log(self) -> Sequence[tuple[Fact, Sequence[Ruling]]]:
        return self._table.log

    def tape(self) -> dict[int, Utterance]:
        try:
            tape = Tape(beside(self._table.path), create=False)
            return {
                said.number: Utterance(said.t, said.by, said.words, said.path)
                for said in tape.recordings()
            }
        except (TapeError, OSError):  # there is none, or it is gone
            return {}

    def told(self, ruling: Ruling, language: str) -> list[tuple[bool, str]]:
        said = spoken(ruling, self._table.game, packs.load(language))
        # What was asked on a page is answered there, and nowhere else.
        public = Output.PUBLIC if not self._table.answered(ruling) else None
        return [(output is public, words) for output, words in said]

    @property
    def training(self) -> bool:
        return self._training

    def ask(self, role: str, command: Command, about: About, language: str) -> Ruling:
        pack = packs.load(language)
        return ask(self._table, role, command, about, pack, training=self._training)


class ConsoleHost:
    """Serves the console of ``table`` until it is closed.

    ``host`` and ``port`` are where it listens: loopback and nothing else, unless it is given.
    ``training``: players may ask their pages what stands on the board.
    """

    def __init__(
        self, table: Table, host: str = LOOPBACK, port: int = PORT, *, training: bool = False
    ) -> None:
        """:raises ConsoleError: if nothing can listen there."""
        try:
            self._socket = socket.create_server((host, port))
        except OSError as error:
            raise ConsoleError(
                f"The console cannot be served at {host}, port {port}: {error.strerror or error}. "
                "Name another with --host or --console-port."
            ) from None
        self._port: int = self._socket.getsockname()[1]
        self._address = _reached_at() if host == _ANY else host
        self.url = f"http://{self._address}:{self._port}"
        self._table = table
        names = {host, self._address, LOOPBACK, "localhost", socket.gethostname().lower()}
        self.console = Console(TablePort(table, training=training), sorted(names - {_ANY}))
        table.listen(self.console.happened)
        config = uvicorn.Config(
            self.console.app, log_config=None, access_log=False, server_header=False, ws="none",
            lifespan="off", timeout_graceful_shutdown=2, limit_concurrency=200, proxy_headers=False,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        sockets = [self._socket]
        self._thread = threading.Thread(
            target=lambda: self._server.run(sockets=sockets), name="console", daemon=True
        )
        self._thread.start()

    def link(self, role: str) -> str:
        """A new link for ``role``; the old one opens nothing from now on."""
        return f"{self.url}/#{self.console.issue(role)}"

    def roles(self) -> list[str]:
        """Those at this table who have a page."""
        with self._table.lock:
            return views.roles(self._table.game)

    def print_links(self, out: TextIO, roles: Sequence[str] | None = None) -> None:
        """Print a new link and its QR code for each of ``roles``; all that have pages if none."""
        for role in self.roles() if roles is None else roles:
            link = self.link(role)
            code = io.StringIO()
            segno.make(link, error="m").terminal(out=code, compact=True)
            who = role.replace("assistant:", "assistant of ")
            print(f"The page of the {who}: {link}", code.getvalue(), sep="\n", file=out, flush=True)

    def close(self) -> None:
        """Stop serving; pages say that the connection is lost."""
        self.console.close()
        self._server.should_exit = True
        self._thread.join(timeout=5)
        self._socket.close()


def _reached_at() -> str:
    """This machine's address in its network; loopback where there is none. Nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return LOOPBACK
        return str(probe.getsockname()[0])
