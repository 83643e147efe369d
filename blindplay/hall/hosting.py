"""Tables on one computer that share a host: each is a process of its own.

The host starts them, gives people their way in, and starts a table again that has ended: it
continues its game. On Linux all of them are forked from one process that has loaded the program and
the speech models, so what no table changes is in memory once. Elsewhere each loads its own.

A table and its host talk through a pipe. When the host has gone, the pipe tells it, and the table
ends as it does after Ctrl-C.
"""

import contextlib
import io
import itertools
import json
import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from blindplay.given import plain, reason_of
from blindplay.laws import Taken
from blindplay.laws.facts import SIDES, Tick
from blindplay.own_files import data_folder, read_object, write_json
from blindplay.record import files, games
from blindplay.translation import UserError, _

if TYPE_CHECKING:
    from blindplay.console.server import ConsoleHost
    from blindplay.console.table_port import TablePort

SHARED = "BLINDPLAY_SHARED"
"""The variable of the environment that tells :mod:`.shared` what to load, as JSON."""
_LINES = 20
_INVITING_S = 5.0
_ENDING_S = 30.0
_WAITS_S = 0.5, 30.0
"""The shortest and the longest time until a table that ended by itself is started again."""
_SETTLED_S = 30.0
_STATE, _LOCK = "host.json", "host.lock"


class Pipe(Protocol):
    """One end of a pipe between processes."""

    def send(self, obj: Any) -> None: ...

    def recv(self) -> Any: ...


@dataclass(frozen=True)
class HostedGame:
    """The game at a table, as far as its host shows it."""

    white: str = ""
    black: str = ""
    begun: bool = False
    moves: int = 0
    result: str = ""


# --- at the table --------------------------------------------------------------------------------


class TableLine:
    """The table's end of the pipe. What it sends never waits for the host."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._sending: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._pages: ConsoleHost | None = None
        self._game: HostedGame | None = None
        for does in (self._send, self._read):
            threading.Thread(target=does, name="line to the host", daemon=True).start()

    def served(self, table: "TablePort", pages: "ConsoleHost") -> None:
        """The pages of a game are served now. See :class:`blindplay.console.server.Front`."""
        self._pages, self._game = pages, None
        self._sending.put(("served", pages.port, pages.roles(), str(table.path.absolute())))

        def look(taken: Taken | None = None) -> None:
            if taken is not None and isinstance(taken.fact, Tick) and not taken.rulings:
                return
            game = table.game
            white, black = (game.player(side).name for side in SIDES)
            moves = (len(game.history) + 1) // 2
            now = HostedGame(white, black, game.started, moves, game.result or "")
            if now != self._game:
                self._game = now
                self._sending.put(("game", now))

        with table.lock:
            look()
        table.listen(look)

    def gone(self) -> None:
        """No pages are served until those of the next game."""
        self._pages = None
        self._sending.put(("gone",))

    def said(self, line: str) -> None:
        """The table has printed a line."""
        self._sending.put(("said", line))

    def _send(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._pipe.send(self._sending.get())

    def _read(self) -> None:
        with contextlib.suppress(EOFError, OSError):
            while (asked := self._pipe.recv()) is not None:
                number, role = asked
                pages = self._pages
                token = pages.console.sign_in.links.invite(role) if pages else ""
                self._sending.put(("invited", number, token))
        signal.raise_signal(signal.SIGTERM)  # as a service is ended


class _Printed(io.TextIOBase):
    """Standard output of a table: its lines go to the host."""

    def __init__(self, line: TableLine) -> None:
        self._line, self._part = line, ""

    def write(self, text: str) -> int:
        *lines, self._part = (self._part + text).split("\n")
        for one in filter(str.strip, lines):
            self._line.said(one)
        return len(text)


class _NoKeys(io.TextIOBase):
    """Standard input of a table: nobody types there, and it does not end before the table does."""

    def readline(self, size: int | None = -1, /) -> str:  # type: ignore[override]
        threading.Event().wait()
        return ""


RunTable = Callable[[TableLine, str, Sequence[str]], int]
"""Runs ``blindplay`` with these arguments as a table whose host offers its pages under a path, and
returns its exit status. It is called in another process."""


def _begin(pipe: Pipe, run: RunTable, root: str, arguments: Sequence[str]) -> None:
    """The process of a table."""
    # The host says when it is to end, also when their window is closed: twice would cut it off.
    for name in {"SIGINT", "SIGHUP"} & {*dir(signal)}:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    line = TableLine(pipe)
    sys.stdin = _NoKeys()
    sys.stdout = sys.stderr = _Printed(line)
    sys.exit(run(line, root, arguments))


# --- at the host ---------------------------------------------------------------------------------


class UnreachableTableError(UserError):
    """The table is not there now: it is being started, or waits for its game."""


@dataclass
class HostedTable:
    """A table of the host, as it is now."""

    number: int
    journal: Path | None = None
    port: int = 0
    """That of its pages; 0: they are not served now."""
    roles: Sequence[str] = ()
    game: HostedGame = HostedGame()
    failed: int = 0
    """How often it has ended by itself."""
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=_LINES))
    """What it has printed last."""
    _process: BaseProcess | None = None
    _pipe: Pipe | None = None
    _ends: bool = False
    """It is being ended, so that another game begins."""
    _asked: dict[int, Future[str]] = field(default_factory=dict)


class HostedTables:
    """The tables of one host: they run until it is closed.

    ``run`` runs a table; ``arguments`` gives those of the table of a number for the game in a
    journal, which is there already or not. ``tell`` is called with a sentence about a table, from
    several threads. ``preload``: the modules to import before tables are forked; ``models`` and
    ``languages``: those of speech to load then.
    """

    def __init__(
        self,
        count: int,
        run: RunTable,
        arguments: Callable[[int, Path], Sequence[str]],
        tell: Callable[[str], object],
        preload: Sequence[str] = (),
        models: Sequence[Path] = (),
        languages: Sequence[str] = (),
    ) -> None:
        """:raises ValueError: if another host runs for this user."""
        self._guard = _only_host()
        self._run, self._arguments, self._tell = run, arguments, tell
        # What other systems load may not outlive a fork.
        self._processes: Any = multiprocessing.get_context("spawn")
        if sys.platform == "linux":
            self._processes = multiprocessing.get_context("forkserver")
            wanted = {"models": [*map(str, models)], "languages": languages}
            os.environ[SHARED] = json.dumps(wanted)
            self._processes.set_forkserver_preload([*preload, f"{__package__}.shared"])
        self._numbers = itertools.count(1)
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self.tables = {number: HostedTable(number) for number in range(1, count + 1)}
        self._continue()
        self._threads = [
            threading.Thread(target=self._keep, args=(table,), name=f"table {table.number}")
            for table in self.tables.values()
        ]
        for thread in self._threads:
            thread.start()

    def _continue(self) -> None:
        """Give each table its game that has begun and is not over."""
        kept = read_object(data_folder() / _STATE)
        for number, table in self.tables.items():
            path = kept.get(str(number))
            journal = Path(path if isinstance(path, str) else "")
            if journal.is_file() and (game := games.kept_game(journal)).unfinished:
                table.journal = journal
                table.game = HostedGame(game.white, game.black, game.begun, game.moves)

    def invite(self, number: int, role: str) -> str:
        """The secret of a link that opens one session of ``role`` at a table.

        :raises UnreachableTableError: if the table does not answer.
        """
        table = self.tables[number]
        ask, answer = next(self._numbers), Future[str]()
        with self._lock:
            pipe = table._pipe if table.port else None
            table._asked[ask] = answer
        try:
            if pipe is None:
                raise UnreachableTableError
            pipe.send((ask, role))
            token = answer.result(_INVITING_S)
        except (OSError, TimeoutError):
            raise UnreachableTableError from None
        finally:
            table._asked.pop(ask, None)
        if not token:
            raise UnreachableTableError
        return token

    def begin_anew(self, number: int) -> bool:
        """End the game of a table and begin another one; False if it has begun and is not over."""
        table = self.tables[number]
        if table.game.begun and not table.game.result:
            return False
        with self._lock:
            table._ends = True
            _end(table)
        return True

    def close(self) -> None:
        """End all tables as Ctrl-C does. Their games can be continued."""
        self._closing.set()
        with self._lock:
            for table in self.tables.values():
                _end(table)
        until = time.monotonic() + _ENDING_S
        for table, thread in zip(self.tables.values(), self._threads, strict=True):
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive() and table._process is not None:
                table._process.kill()  # what it has taken is on the disk
            thread.join()
        os.close(self._guard)

    # --- one table, in a thread of its own -----------------------------------------------------

    def _keep(self, table: HostedTable) -> None:
        waits = 0.0
        while not self._closing.wait(waits):
            began = time.monotonic()
            try:
                status = self._once(table)
            except (OSError, EOFError) as error:  # no memory, no files: that passes
                status = None
                table.lines.append(reason_of(error))
            if self._closing.is_set():
                return
            lived = time.monotonic() - began
            if table._ends or (status == 0 and table.game.result):
                table._ends, waits = False, 0.0
                # A game that has begun in this moment is continued.
                if table.journal is None or not games.kept_game(table.journal).unfinished:
                    table.journal = None
                continue
            table.failed += 1
            shortest, longest = _WAITS_S
            waits = shortest if lived > _SETTLED_S else min(max(shortest, 2 * waits), longest)
            self._tell(_told(table))

    def _once(self, table: HostedTable) -> int | None:
        """Run a table until its process ends; return its exit status."""
        if table.journal is None or _holds_nothing(table.journal):
            table.journal, table.game = games.new_journal(), HostedGame()
        ours, theirs = self._processes.Pipe()
        given = self._run, f"/{table.number}", list(self._arguments(table.number, table.journal))
        process: BaseProcess = self._processes.Process(
            target=_begin, args=(theirs, *given), name=f"table {table.number}"
        )
        with self._lock:
            if self._closing.is_set() or table._ends:
                return None
            process.start()
            table._pipe, table._process = ours, process
        theirs.close()
        with contextlib.suppress(EOFError, OSError):
            while True:
                self._take(table, *ours.recv())
        with self._lock:
            table.port, table._pipe = 0, None
        process.join()
        ours.close()
        return process.exitcode

    def _take(self, table: HostedTable, what: str, *told: Any) -> None:
        """Take what a table has told."""
        if what == "served":
            table.journal = Path(told[2])
            self._note()
            table.port = told[0]
            table.roles = told[1]  # only now: a code that is shown must open its seat
        elif what == "gone":
            table.port, table.roles = 0, ()
        elif what == "game":
            (table.game,) = told
        elif what == "said":
            table.lines.append(plain(told[0]))
        elif what == "invited" and (answer := table._asked.get(told[0])) is not None:
            answer.set_result(told[1])

    def _note(self) -> None:
        """Note which game is at which table, so that a later host continues it."""
        with self._lock, contextlib.suppress(OSError):  # then people name the journals
            noted = {
                str(table.number): str(table.journal.absolute())
                for table in self.tables.values()
                if table.journal is not None
            }
            write_json(data_folder() / _STATE, noted, private=True)


def _end(table: HostedTable) -> None:
    if table._pipe is not None:
        with contextlib.suppress(OSError):
            table._pipe.send(None)


def _holds_nothing(journal: Path) -> bool:
    """Return whether a table was ended before the first line of its journal was whole. Nobody could
    continue that game."""
    with contextlib.suppress(OSError), journal.open("rb") as file:
        return not file.readline().endswith(b"\n")
    return False


def _told(table: HostedTable) -> str:
    last = table.lines[-1] if table.lines else ""
    if last:
        return _(
            "Table {number} has ended by itself, and is started again. It said last: {line}",
            number=table.number,
            line=last,
        )
    return _("Table {number} has ended by itself, and is started again.", number=table.number)


def _only_host() -> int:
    """Hold the place of this user's host; the handle holds it.

    :raises ValueError: if there is another one.
    """
    data_folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    guard = files.open_file(data_folder() / _LOCK, create=True)
    if not files.lock(guard):
        os.close(guard)
        raise UserError(
            "blindplay host runs already on this computer. One is enough; end it before you "
            "start another."
        )
    return guard
