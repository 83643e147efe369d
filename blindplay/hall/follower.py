"""The hall's side of the protocol, without a network: it takes messages, requests missing lines and
keeps a copy of each journal on the disk.

A table's head is the authority. It names a game and a line, and the hall brings its copy of that
game to that line: it requests missing lines, and removes and reports lines that do not belong
there. So lines may be lost, doubled, late or cut off, and the copy is equal to the journal in the
end.

A :class:`Follower` follows all tables, a :class:`FollowedTable` one of them, a
:class:`FollowedGame` one journal. A :class:`FoldedGame` shows the game in that journal.
"""

import contextlib
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from blindplay.console.table_port import AnotherGameNow
from blindplay.given import reason_of
from blindplay.language import Command
from blindplay.laws import TABLE, Fact, FactError, Game, Origin, Ruling, Taken
from blindplay.laws.facts import UnknownError, parse_kept
from blindplay.record import signatures
from blindplay.record.chain import DIGITS
from blindplay.record.files import SUFFIX
from blindplay.translation import UserError, _
from blindplay.wording.pack_words import PackWords

from .copies import Branches, JournalCopy, WaitingLines
from .incidents import Incidents
from .protocol import (
    Head,
    LinesWanted,
    MessageError,
    Presence,
    Topic,
    decode,
    encode,
    lines_of,
    number_of,
    topic_of,
)

FOLLOWED = ("journal", "head", "presence", "signature")
"""The kinds of messages that a hall takes from all tables."""
_FOLDER = "table-"  # before a table's name, for no system forbids such a folder
SETTLE_S = 3.0
"""Seconds after which the messages that were in transit have arrived."""
_FIRST_ASK_S = 0.2
_LAST_ASK_S = 30.0
_HOPELESS = 6  # asks
_FRUITLESS = 2  # asks; then the copy itself may be wrong, and all lines are requested
_MOST_RUNS = 16
_MOST_CLAIMS = 20  # heads of a game that are compared with its journal
_REST_S = 5.0  # after the disk could not be written
_CLOCK_S = 60.0  # a time of day that differs by more is wrong


class SignatureKeeper:
    """Keeps the signatures of one event. ``keys``: the public key of each table; without keys, each
    valid signature is kept."""

    def __init__(self, event: str, keys: dict[str, str], incidents: Incidents) -> None:
        self._event = event
        self._keys = keys
        self._incidents = incidents

    def finished(self, table: str, journal: Path) -> list[tuple[int, str]]:
        """The number and the digest of each line up to which a table has signed the copy
        ``journal`` with a result. Without known keys there is none: anybody can sign."""
        ends = []
        with contextlib.suppress(OSError):
            for line in signatures.lines_of(journal):
                with contextlib.suppress(signatures.SignatureError):
                    statement = signatures.read_line(line)
                    if statement.result and statement.key == self._keys.get(table):
                        ends.append((statement.n, statement.digest))
        return ends

    def take(self, table: str, folder: Path, payload: bytes) -> None:
        """Keep the lines of a message of ``table`` in its ``folder``; report wrong ones."""
        for line in payload.splitlines(keepends=True):
            try:
                statement = signatures.read_line(line)
                if (statement.event, statement.table) != (self._event, table):
                    raise signatures.SignatureError("it is another table's")
                if self._keys and statement.key != self._keys.get(table):
                    raise signatures.SignatureError("it is not made with the table's key")
                folder.mkdir(parents=True, exist_ok=True)
                signatures.add(folder / f"{statement.game}{SUFFIX}", line)
            except signatures.SignatureError as error:
                self._incidents.note(table, "signature", _key(line), text=str(error))
            except OSError as error:
                self._incidents.note(table, "storage", text=reason_of(error))


class FollowedGame:
    """The copy of one game, and the end of its journal that the table named last."""

    def __init__(
        self, path: Path, game: str, finished: Callable[[Path], list[tuple[int, str]]]
    ) -> None:
        """``finished`` gives the ends up to which the table has signed the copy with a result."""
        self.copy = JournalCopy(path, game)
        self._finished = finished
        self._signed: tuple[int, list[tuple[int, str]]] = -1, []  # with the size of their file
        self.end = 0, ""
        """The number and the digest of the last line; 0 if the table has not named one."""
        self.end_at = 0.0
        self.head: Head | None = None
        """The newest head whose line the copy has."""
        self.reopeners = set[str]()
        """The runs that contradict the game as its table has signed it."""
        self.branches = Branches(self.copy)
        self.other_end = 0, ""
        """The last line of the version that contradicts the signed one; 0 if there is none."""
        self.grown_at = 0.0
        self.claims: dict[tuple[int, str], float] = {}
        """The ends that were named last, with the times at which they were named first."""
        self.checked = True
        """True if :attr:`claims` have been compared with the present copy."""
        self._ask_at: float | None = None  # None while no line is missing
        self._pause = _FIRST_ASK_S
        self._asked = 0  # times, without a new line since

    @property
    def contradicted(self) -> bool:
        """True if the copy reaches the table's last line, but differs there from the table."""
        number, _rest = self.end
        return self.copy.number >= number and not self.settled

    @property
    def signed_end(self) -> tuple[int, str]:
        """The last line up to which the table has signed the finished game; 0 if it has not."""
        path = self.copy.path
        try:
            size = signatures.file_of(path).stat().st_size
        except OSError:
            size = 0
        if size != self._signed[0]:
            self._signed = size, self._finished(path)
        return max((end for end in self._signed[1] if self.copy.reaches(*end)), default=(0, ""))

    @property
    def settled(self) -> bool:
        """True if the copy has the table's last line, and so all lines before it."""
        return self.copy.reaches(*self.end)

    @property
    def in_conflict(self) -> bool:
        """True if the game went on in two ways."""
        return bool(self.other_end[0]) or any(self.branches)

    @property
    def lacks_branch(self) -> bool:
        """True if lines of the version that contradicts the signed one are missing."""
        known = self.copy.reaches(*self.other_end) or self.branches.reach(*self.other_end)
        return not (known or self.branches.full or self.hopeless)

    @property
    def hopeless(self) -> bool:
        """True if many requests to the table brought no new line."""
        return self._asked > _HOPELESS

    def ends(self, end: tuple[int, str], now: float) -> None:
        self.end, self.end_at = end, now
        self.claims.setdefault(end, now)
        if len(self.claims) > _MOST_CLAIMS:
            del self.claims[next(iter(self.claims))]
        self.checked = False

    def wrong_claims(self) -> Iterator[tuple[tuple[int, str], bool]]:
        """Yield the named ends that can be judged, each with whether it was wrong: the copy, which
        is settled, contradicts it, or has not reached it in time."""
        for (number, digest), since in list(self.claims.items()):
            if number <= self.copy.number:
                yield (number, digest), self.copy.digest(number) != digest
            elif self.end_at - since > SETTLE_S:
                yield (number, digest), True
        self.checked = True

    def grow(self, line: bytes, now: float) -> None:
        self.copy.append(line)
        self.grown_at, self.checked = now, False
        self.hurry(now)

    def hurry(self, now: float) -> None:
        """Ask soon for missing lines: an answer is likely now."""
        self._ask_at, self._pause, self._asked = now + _FIRST_ASK_S, _FIRST_ASK_S, 0

    def complete(self) -> None:
        """Note that no line is missing."""
        self._ask_at = None

    def ask(self, now: float) -> LinesWanted | None:
        """The next ask; None if it is too early. Each ask without an answer doubles
        the pause."""
        if self._ask_at is None:
            self.hurry(now)
        if self._ask_at is None or now < self._ask_at:
            return None
        self._pause = min(self._pause * 2, _LAST_ASK_S)
        self._ask_at = now + self._pause
        self._asked += 1
        doubtful = self.contradicted or self.lacks_branch or self._asked > _FRUITLESS
        return LinesWanted(self.copy.game, 1 if doubtful else self.copy.number + 1)


class FollowedTable:
    """One table. It reads no clock to time its actions: ``now`` is monotonic seconds."""

    def __init__(
        self, name: str, folder: Path, incidents: Incidents, keeper: SignatureKeeper
    ) -> None:
        self.name = name
        self.folder = folder
        self.presence: Presence | None = None
        self.waits = False
        """True while it waits for its next game. Its head, if any, is of an earlier one."""
        self.head: Head | None = None
        self.game: FollowedGame | None = None
        """The game that the newest head names."""
        self.heard_at = 0.0
        """The time of the table's last message; 0.0 if there is none since the hall began."""
        self._incidents = incidents
        self._keeper = keeper
        self._games: dict[str, FollowedGame] = {}
        self._waiting = WaitingLines()
        self._runs: dict[str, int] = {}  # the number of the newest head of each run
        self._order: list[str] = []  # the runs in the order in which they took turns
        self._ask_at = 0.0
        self._rest_until = 0.0
        self._awaited = False  # the table waits for the confirmation that nothing is missing
        self._dirty: set[FollowedGame] = set()

    @property
    def online(self) -> bool:
        return self.presence is not None and self.presence.online

    @property
    def copy(self) -> JournalCopy | None:
        """The copy of the game that is played now."""
        return None if self.game is None else self.game.copy

    def copies(self) -> list[JournalCopy]:
        """The copies of all games, also of those that were played before the hall was started."""
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            self.followed(path.stem)
        return [game.copy for game in self._games.values() if game.copy.number]

    def followed(self, game: str) -> FollowedGame:
        """The copy of a game by its name, which is the digest of its first line."""
        if game not in self._games:
            finished = partial(self._keeper.finished, self.name)
            self._games[game] = FollowedGame(self.folder / f"{game}{SUFFIX}", game, finished)
        return self._games[game]

    # --- messages ------------------------------------------------------------------------------

    def take_presence(self, presence: Presence, now: float) -> None:
        """Take a presence, but ignore a late farewell of an earlier run."""
        known = self.presence
        if presence.online or known is None or presence.run == known.run or not known.online:
            self.presence, self.waits = presence, presence.waits >= 0
        self.heard_at = now
        if presence.online:
            for name, (number, digest) in presence.games.items():
                self._set_end(self.followed(name), (number, digest), now, plays=False)
            self.hurry(now)

    def hurry(self, now: float) -> None:
        """Ask soon for missing lines."""
        for game in self._games.values():
            game.hurry(now)

    def take_head(self, head: Head, now: float, *, live: bool = True) -> bool:
        """Take a head; False if it is old. ``live``: the table has published it this moment."""
        if head.seq <= self._runs.get(head.run, 0):
            return False
        self._runs[head.run] = head.seq
        self._note_turn(head.run)
        self.heard_at = now
        self.game, end = self.followed(head.game), (head.n, head.digest)
        if head.run in self.game.reopeners:
            self._reopened(self.game, end, now)
        elif self._set_end(self.game, end, now):
            self.head, self._awaited = head, head.leaves
        if live and abs(head.wall - time.time()) > _CLOCK_S:
            self._note("clock", text=f"{head.wall - time.time():+.0f} s")
        elif live:
            self._incidents.withdraw(self.name, "clock")
        for stranger in head.strangers:
            self._note("two_tables", stranger, text=stranger)
        return True

    def _set_end(
        self, game: FollowedGame, end: tuple[int, str], now: float, *, plays: bool = True
    ) -> bool:
        """Take the end that the table names; False if it contradicts the game as it was signed.
        ``plays``: the table has this game open. An earlier one of which a machine has only the
        beginning was finished at another machine, and is in order."""
        signed = game.signed_end
        if end < signed or (end[0] == signed[0] and end != signed):
            if plays or not game.copy.reaches(*end):
                self._reopened(game, end, now)
            return False
        if game.copy.reaches(*game.other_end):  # that machine has added nothing
            game.other_end = 0, ""
        game.ends(end, now)
        self._place_waiting(game, now)
        return True

    def _reopened(self, game: FollowedGame, end: tuple[int, str], now: float) -> None:
        """Leave the copy of a signed game as it is, and report another end of it: perhaps a
        machine that failed during this game has come back."""
        self._note("reopened", game.copy.game, end[0], f"{end[0]} {end[1]}")
        game.other_end = end
        head = self.head
        if head is not None and (head.game, head.n, head.digest) == (game.copy.game, *end):
            game.reopeners.add(head.run)
            self.head = game.head
        if not (game.end[0] and game.settled):
            game.claims.pop(game.end, None)
            game.end = game.copy.end
        game.ends(game.end, now)

    def _check_claims(self, game: FollowedGame) -> None:
        """Report the heads that the journal contradicts, now that it is here."""
        for (number, digest), wrong in game.wrong_claims():
            if wrong:
                self._note("head", f"{number} {digest}", number, f"{number} {digest}")
            else:
                self._incidents.withdraw(self.name, "head", f"{number} {digest}")

    def _note_turn(self, run: str) -> None:
        """Notice two programs that publish under this name: a table that is started again never
        comes back under its former run."""
        if self._order[-1:] != [run]:
            self._order.append(run)
            del self._order[:-_MOST_RUNS]
            if self._order.count(run) > 2:
                self._note("two_tables", text=" ".join(sorted(set(self._order[-2:]))))
        if len(self._runs) > 4 * _MOST_RUNS:
            del self._runs[next(iter(self._runs))]

    def take_lines(self, payload: bytes, now: float) -> None:
        """Take a message of lines: each is placed, dropped if it is known, or waits."""
        self.heard_at = now
        for line in lines_of(payload):
            number = number_of(line)
            if not number or not line.endswith(b"\n"):
                self._note("damaged", "line")
            elif not self._place(number, line, now):
                self._waiting.add(line, now)

    def _note(self, kind: str, key: str = "", n: int = 0, text: str = "") -> None:
        self._incidents.note(self.name, kind, key, n, text)

    # --- placing lines ---------------------------------------------------------------------------

    def _place(self, number: int, line: bytes, now: float) -> bool:
        """Put a line where it belongs; False if it has no place now."""
        first = [] if self.game is None else [self.game]
        for game in (*first, *self._games.values()):
            if game.copy.has(line, number):
                return True
            if number == game.copy.number + 1 and game.copy.fits(line, number):
                self._grow(game, line, now)
                self._place_waiting(game, now)
                return True
        return False

    def _grow(self, game: FollowedGame, line: bytes, now: float) -> None:
        game.grow(line, now)
        self._dirty.add(game)
        for kind in ("forged", "forked"):
            self._incidents.withdraw(self.name, kind, _key(line))
        if game.copy.number == 1:
            self._incidents.withdraw(self.name, "head", game.copy.game)

    def _place_waiting(self, game: FollowedGame, now: float) -> None:
        """Place the lines that waited for the ones before them."""
        while line := self._waiting.next_of(game.copy):
            self._grow(game, line, now)
            self._waiting.remove(line)

    # --- from time to time ---------------------------------------------------------------------

    @property
    def at_rest(self) -> bool:
        """True if there is no work until the next message."""
        game = self.game
        exact = game is not None and game.copy.number == game.end[0]
        settled = exact and all(
            followed.settled and not followed.lacks_branch for followed in self._games.values()
        )
        return settled and not (self._waiting or self._dirty)

    def tick(self, now: float) -> list[LinesWanted]:
        """Correct the copies, write them, and return the requests for the table."""
        if now < self._rest_until:  # the disk is full
            return []
        asks = [ask for game in list(self._games.values()) for ask in self._tend(game, now)]
        if self.game is None and self._waiting and now >= self._ask_at:
            self._ask_at = now + 1.0
            asks.append(LinesWanted(""))
        self._judge()
        self._flush(now)
        game, head = self.game, self.head
        if game is None or head is None or not game.copy.reaches(head.n, head.digest):
            return asks
        game.head = head
        if self._awaited and game.settled and game not in self._dirty:
            self._awaited = False
            asks.append(LinesWanted(game.copy.game, game.end[0] + 1, game.end[1]))
        return asks

    def _tend(self, game: FollowedGame, now: float) -> Iterable[LinesWanted]:
        number, _rest = game.end
        if not number:
            return
        if game is not self.game and game.hopeless and not game.copy.number and self.online:
            # The table is connected and plays another game; this one is unknown to it.
            self._note("head", game.copy.game, number, game.copy.game)
            del self._games[game.copy.game]
            return
        if not game.settled:
            self._change_branch(game, now)
        elif game.copy.number > number and game.end_at - game.grown_at > SETTLE_S:
            self._cut(game, number)  # the table does not have these lines
        if game.lacks_branch:
            self._keep_branch(game)
        ahead = game is self.game and self._waiting.last > game.copy.number + 1
        if not game.settled or game.lacks_branch or ahead:
            ask = game.ask(now)
            if ask is not None:
                yield ask
        else:
            game.complete()
        if game.settled and not game.checked:
            self._check_claims(game)

    def _change_branch(self, game: FollowedGame, now: float) -> None:
        """Replace wrong lines of the copy by waiting lines that lead to the table's end.

        If waiting lines lead there and those of the copy do not, the copy's are not the table's.
        """
        branch = self._waiting.branch(game.copy, *game.end)
        if branch:
            first = number_of(branch[0])
            if first <= game.signed_end[0]:
                self._reopened(game, game.end, now)
                return
            if not self._cut(game, first - 1):
                return
            for line in branch:
                self._grow(game, line, now)
                self._waiting.remove(line)
            self._place_waiting(game, now)

    def _keep_branch(self, game: FollowedGame) -> None:
        """Keep the waiting lines that lead to an end which contradicts the signed one."""
        for root in (game.copy, *game.branches):
            lines = self._waiting.branch(root, *game.other_end)
            if lines:
                try:
                    game.branches.keep(lines)
                except OSError as error:
                    self._note("storage", text=reason_of(error))
                    return
                for line in lines:
                    self._waiting.remove(line)
                return

    def _cut(self, game: FollowedGame, number: int) -> bool:
        """Remove the lines after ``number`` from a copy, and report them, once they are kept as
        another version of the game. False if the disk does not take them, or there are too many
        versions: then the copy stays, and the end that the table names is reported."""
        try:
            taken = list(game.copy.lines(number + 1))
            if taken and not game.branches.keep(taken):
                end = f"{game.end[0]} {game.end[1]}"
                self._note("forked", end, game.end[0], end)
                return False
            game.copy.cut(number)
        except OSError as error:
            self._note("storage", text=reason_of(error))
            return False
        self._dirty.add(game)
        game.checked = False
        for line in taken:
            self._name("forked", line)
        return True

    def _judge(self) -> None:
        """Report the lines that cannot be the table's: it has named its end since, and they have no
        place up to there."""
        game = self.game
        if game is None or not self._waiting or not game.settled:
            return
        games = self._games.values()
        if any(one.lacks_branch or not (one.settled or one.hopeless) for one in games):
            return
        old = self._waiting.older_than(game.end_at - SETTLE_S)
        copies = self.copies() if old else []
        copies += [branch for game in games for branch in game.branches]
        for line in old:
            self._waiting.remove(line)
            number = number_of(line)
            if not any(copy.has(line, number) for copy in copies):
                forks = any(copy.fits(line, number) for copy in copies)
                self._name("forked" if forks else "forged", line)

    def _name(self, kind: str, line: bytes) -> None:
        text = line.decode("utf-8", "replace").rstrip("\n")
        self._note(kind, _key(line), number_of(line), text)

    def _flush(self, now: float) -> None:
        for game in list(self._dirty):
            try:
                game.copy.flush()
            except OSError as error:
                self._note("storage", text=reason_of(error))
                self._rest_until = now + _REST_S
            else:
                self._incidents.withdraw(self.name, "storage")
                self._dirty.discard(game)


def _key(line: bytes) -> str:
    """Return a unique name of a line: lines that state the same digest have different names."""
    return hashlib.sha256(line).hexdigest()[:DIGITS]


class Follower:
    """Follows all tables of one event. Safe to use from several threads.

    ``folder`` keeps a folder for each table, with one file for each game; ``send`` publishes.
    """

    def __init__(
        self,
        event: str,
        folder: Path,
        send: Callable[[Topic, bytes], object],
        keys: Mapping[str, str] | None = None,
    ) -> None:
        """``keys``: the public key of each table.

        :raises OSError: if the folder cannot be made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.event = event
        self.folder = folder
        self.lock = threading.RLock()
        """Held while a message is taken. Hold it to read a consistent hall."""
        self.incidents = Incidents(folder / "incidents.jsonl")
        self._signatures = SignatureKeeper(event, dict(keys or {}), self.incidents)
        self.tables: dict[str, FollowedTable] = {}
        """The tables by their names, also those of which there are only copies."""
        self._send = send
        self._listeners: list[Callable[[str], object]] = []
        self._busy: set[str] = set()  # tables that have something to do
        for path in sorted(folder.glob(f"{_FOLDER}*")):
            self._table(path.name.removeprefix(_FOLDER))

    def listen(self, listener: Callable[[str], object]) -> None:
        """Call ``listener`` with the name of a table after each message from it."""
        self._listeners.append(listener)

    def _table(self, name: str) -> FollowedTable:
        if name not in self.tables:
            self.tables[name] = FollowedTable(
                name, self.folder / f"{_FOLDER}{name}", self.incidents, self._signatures
            )
        return self.tables[name]

    def receive(self, topic: str, payload: bytes, now: float, *, retained: bool = False) -> None:
        """Take a message. ``retained``: the broker kept it, so it may be of any age. ``now`` is
        monotonic seconds."""
        try:
            where = topic_of(topic)
        except MessageError:
            return
        if where.event != self.event or where.kind not in FOLLOWED:
            return
        with self.lock:
            table = self._table(where.table)
            self._busy.add(where.table)
            try:
                if where.kind == "journal":
                    table.take_lines(payload, now)
                elif where.kind == "head":
                    table.take_head(decode(Head, payload), now, live=not retained)
                elif where.kind == "signature":
                    self._signatures.take(table.name, table.folder, payload)
                elif payload:  # an empty one removes the message that the broker kept
                    table.take_presence(decode(Presence, payload), now)
            except MessageError as error:
                self.incidents.note(where.table, "damaged", where.kind, text=str(error))
            for listener in self._listeners:
                listener(where.table)

    def hurry(self, now: float) -> None:
        """Ask soon for missing lines: the hall is connected again."""
        with self.lock:
            for table in self.tables.values():
                table.hurry(now)

    def tick(self, now: float) -> None:
        """Do the due work: write, and ask for missing lines. Call it many times a second."""
        asks: list[tuple[str, LinesWanted]] = []
        with self.lock:
            for name in list(self._busy):
                asks += [(name, ask) for ask in self.tables[name].tick(now)]
                if self.tables[name].at_rest:
                    self._busy.discard(name)
            with contextlib.suppress(OSError):
                self.incidents.flush()
        for name, ask in asks:
            self._send(Topic(self.event, name, "ask"), encode(ask))


def folding_trouble(error: FactError) -> str:
    """Return why a game cannot be shown further after a fact that this program does not know."""
    if isinstance(error, UnknownError):
        return _(
            "A newer BlindPlay wrote this game: this one does not know what comes next "
            "({error}). Update BlindPlay here.",
            error=error,
        )
    return _("The game cannot be shown further, update BlindPlay here: {error}.", error=error)


class FoldedGame:
    """One game of a table, folded from its copy, for reading: it has the methods of a
    :class:`~blindplay.console.table_port.TablePort`.

    Each call of :meth:`catch_up` folds the new lines. Facts are not submitted here: an arbiter's
    decision goes to the table as a request (:meth:`.Hall.request`).
    """

    def __init__(
        self,
        follower: Follower,
        table: str,
        now: Callable[[], float] = time.monotonic,
        copy: JournalCopy | None = None,
    ) -> None:
        """``copy`` None: the game that the table plays now, or has played last.

        :raises ValueError: if the hall knows no game of ``table``.
        """
        followed = follower.tables.get(table)
        copy = copy or (followed.copy if followed else None)
        if followed is None or copy is None:
            raise UserError("The hall knows no game of table {table}.", table=table)
        self._follower = follower
        self._followed = followed
        self._copy = copy
        self._now = now
        self._listeners: list[Callable[[Taken], object]] = []
        self._end = 0, ""  # of the lines that are folded
        self.lock = threading.RLock()
        """Held while facts are folded. Do not take it in a listener of the follower."""
        self.game = Game(PackWords())
        self.log: list[Taken] = []
        self.trouble = ""
        """One sentence on why the game cannot be folded further; empty if it can."""
        self.catch_up()

    @property
    def digest(self) -> str:
        """The digest by which this game differs from the others of the table."""
        return self._copy.game

    @property
    def path(self) -> Path:
        return self._copy.path

    @property
    def training(self) -> bool:
        return False

    @property
    def absent(self) -> str:
        return ""

    def allows(self, command: Command) -> bool:
        return False

    def hint(self) -> None:
        return None

    def listen(self, listener: Callable[[Taken], object]) -> None:
        """Call ``listener`` with each fact that is folded from now on. After a :attr:`game` that
        was folded anew, it is called with all of them."""
        self._listeners.append(listener)

    def time(self) -> int:
        """The table's time in milliseconds: that of its head, plus the time since then."""
        followed, seconds = self._followed, 0.0
        if followed.head is not None and followed.head.game == self._copy.game and followed.game:
            passed = self._now() - followed.game.end_at if followed.online else 0.0
            seconds = followed.head.t + max(0.0, passed)
        return max(self.game.t, round(seconds * 1000))

    def catch_up(self) -> bool:
        """Fold the lines that are new; True if there were any. If lines were taken out of the copy,
        fold all of it anew."""
        with self.lock:
            with self._follower.lock:
                whole = self._copy.reaches(*self._end)
                lines = list(self._copy.lines(self._end[0] + 1 if whole else 1))
                self._end = self._copy.end
            if not whole:
                self.game, self.log, self.trouble = Game(PackWords()), [], ""
            for line in lines:
                self._fold(line)
            return bool(lines) or not whole

    def _fold(self, line: bytes) -> None:
        if self.trouble:
            return
        try:
            fact = parse_kept(json.loads(line)["fact"])
            taken = Taken(fact, tuple(self.game.apply(fact)), TABLE)
        except FactError as error:
            self.trouble = folding_trouble(error)
            return
        if taken.rulings or fact.kind != "tick":
            self.log.append(taken)
        for listener in self._listeners:
            listener(taken)

    # --- what only a running table does --------------------------------------------------------

    def submit(self, fact: Fact, origin: Origin) -> tuple[Ruling, ...]:
        """:raises FactError: always; only the table itself takes facts."""
        raise FactError("only the table itself takes facts")

    def after_hands(
        self,
        do: Callable[[], object],
        *,
        presser: str | None = None,
        unread: Callable[[Sequence[str]], object] = lambda sides: None,
    ) -> None:
        """Call ``do`` now: the hall sees no hands."""
        with self.lock:
            do()

    @property
    def another_game(self) -> AnotherGameNow:
        """An event arranges the next game."""
        return AnotherGameNow()

    def holds_press(self, presser: str) -> bool:
        return False
