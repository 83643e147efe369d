"""The journal: every fact of one table, one line each, in a text file (JSON Lines).

The journal *is* the game. :meth:`Journal.append` returns only when the line is on the disk, so a
ruling that is announced afterwards is never lost.

A line is ``{"n":7,"wall":1763827200.123,"fact":{…},"digest":"…"}``. The digest covers the digest of
the line before and the exact bytes of this line: the lines form a chain, so an edited, removed or
inserted line is found. The last digest, the seal, stands for the whole game. The chain does not say
who wrote a line, and cannot show that lines are missing at the end; the pulse can (see
:mod:`.pulse`). docs/development/journal.md describes the format for other programs.

Reading never changes anything: :func:`read_journal` gives the facts up to the first line that is
not whole, and one sentence about the rest. Everything that reads a journal uses it.
"""

import contextlib
import hashlib
import json
import math
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from blindplay.given import read_bytes, reason_of
from blindplay.laws.facts import Fact, FactError, dumps, parse
from blindplay.translation import _, join_texts

from . import files
from .pulse import Beat, Pulse, last_beat

FIRST = b'{"n":1,"wall":'
"""Every journal begins with these bytes."""
DIGITS = 32
"""The length of a digest, in hexadecimal: half a SHA-256."""


MOST_BYTES = 50_000_000
"""Limit of a journal that is read, five days of a running clock. A table reads all of its own."""


def encoded(fact: Fact, end: tuple[int, str]) -> tuple[bytes, tuple[int, str]]:
    """The line of a fact that comes after ``end``, and the new end: a number and a digest."""
    number, before = end[0] + 1, end[1]
    wall = round(max(time.time(), 0.0), 3)
    covered = f'{{"n":{number},"wall":{wall!r},"fact":{dumps(fact)}'.encode()
    digest = _digest(before, covered)
    return b'%b,"digest":"%b"}\n' % (covered, digest.encode()), (number, digest)


def digest_of(line: bytes) -> str:
    """The digest at the end of a whole line; empty for no line."""
    return line[-len('"}\n') - DIGITS : -len('"}\n')].decode("ascii", "replace")


def checked(line: bytes, number: int, before: str) -> dict[str, Any]:
    """The JSON object on a whole line, which comes without its line feed. It must have this number
    and come after the digest ``before``. The line must be as it was written, byte for byte: the
    same object with another space is damage.

    :raises ValueError: if it is not.
    """
    text = line.decode("utf-8")
    value = json.loads(text)
    if not isinstance(value, dict) or list(value) != ["n", "wall", "fact", "digest"]:
        raise ValueError(_("other keys"))
    if type(value["n"]) is not int or value["n"] != number:
        raise ValueError(_("another number"))
    if type(value["wall"]) is not float or not 0 <= value["wall"] < math.inf:
        raise ValueError(_("no time of day"))
    if text != json.dumps(value, ensure_ascii=False, separators=(",", ":")):
        raise ValueError(_("another form"))
    if value["digest"] != _digest(before, line[: -len(',"digest":""}') - DIGITS]):
        raise ValueError(_("another digest"))
    return value


def _digest(before: str, covered: bytes) -> str:
    return hashlib.sha256(before.encode() + covered).hexdigest()[:DIGITS]


_KEEP = _(
    "What comes from there on cannot be relied on; keep the file as it is and go by the "
    "scoresheets from there."
)
_FOREIGN = _("another game lies there")
# A table whose last beat is recent may be writing the journal at this moment.
_RECENT_S = 2.0
_REREADS, _REREAD_S = 5, 0.05
_RELOCKS, _RELOCK_S = 10, 0.03


class JournalError(ValueError):
    """A journal that cannot be opened, read or written; the message says what to do."""


@dataclass(frozen=True)
class JournalContents:
    """The facts of a journal up to the last whole line, and the fault after it."""

    facts: list[Fact]
    whole: bytes
    """The lines of these facts."""
    trouble: str = ""
    """One sentence about a fault after them; empty if there is none."""
    torn: bool = False
    """Only the last line is incomplete: the table stopped while it wrote the line."""
    foreign: bool = False
    """The pulse beside the journal belongs to other facts than these."""

    @property
    def end(self) -> tuple[int, str]:
        """The number and the digest of the last fact; 0 and empty if there is none."""
        return len(self.facts), digest_of(self.whole)

    @property
    def game(self) -> str:
        """The digest of the first fact, by which games differ; empty if there is none."""
        return digest_of(self.whole[: self.whole.find(b"\n") + 1])


def read_journal(path: Path) -> JournalContents:
    """Read the journal at ``path``; a table may be writing it at the same time.

    :raises JournalError: if there is none, it cannot be read, or it is another program's file.
    """
    for _unused in range(_REREADS):
        beat = last_beat(path)  # before the lines: a running table adds more
        contents = _decoded(path, _content_of(path), beat)
        if not contents.trouble or beat is None or abs(time.time() - beat.wall) > _RECENT_S:
            break
        time.sleep(_REREAD_S)
    return contents


def is_journal(path: Path) -> bool:
    """Return whether the file at ``path`` begins as a journal does."""
    with contextlib.suppress(OSError):
        if path.is_file():  # reading a named pipe would wait
            with path.open("rb") as file:
                return file.read(len(FIRST)) == FIRST
    return False


def is_running(path: Path) -> bool:
    """Return whether a table has the journal at ``path`` open now. It may be suspended."""
    with contextlib.suppress(OSError):
        handle, _rest = _open_existing(path)
        try:
            return not files.lock(handle)
        finally:
            os.close(handle)
    return False


def check_new(path: Path) -> None:
    """Look whether a new game can be written at ``path``, and leave nothing there.

    :raises JournalError: if not.
    """
    was_there = os.path.lexists(path)
    with Journal(path) as journal:
        if journal.facts():
            raise holds_game(path)
    if not was_there:
        with contextlib.suppress(OSError):
            path.unlink()


class Journal:
    """The journal of a running table. Safe to use from several threads.

    It holds the operating system's lock on the file, so no second table can write the same game.
    """

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        """Open the journal at ``path`` for a new game, or with ``resume`` to continue its game.

        A damaged journal is continued after its last whole line; the damaged file is kept under
        another name first. While that, or any other writing, is impossible (a full disk, a
        read-only folder), the journal is opened all the same, and the facts are kept in memory.
        :attr:`notes` says what happened.

        :raises JournalError: if a table has this journal open, the file is not a journal or a
            symbolic link; with ``resume``, if there is none, its first line is damaged, or the
            pulse belongs to another game; otherwise, if the file is damaged or cannot be created.
        """
        self.path = path
        self.notes: tuple[str, ...] = ()
        """One sentence about each damage that was found, for the person who resumes the game."""
        self.damaged = False
        """More than an incomplete last line was wrong: facts may be missing."""
        self.left: Beat | None = None
        """The last beat of the table that had this journal before; None if there is none."""
        self._lock = threading.Lock()
        self._pulse = Pulse(path)
        self._closed = False
        self._content = bytearray()  # all lines, also those that could not be written yet
        self._end = (0, "")  # number and digest of the last line in _content
        self._game = ""  # digest of the first line
        self._synced = 0  # number of bytes of _content that are in the file
        self._synced_end = (0, "")  # number and digest of the last line in the file
        self._clean = False  # the file holds only these bytes
        self._damage: bytes | None = None  # the damaged file's content, until a copy is kept
        self._repaired = ""  # what was found wrong with the file and set right; not reported yet
        self._handle: int | None = None  # of the file, open for writing and locked
        self._guard: int | None = None  # of a file that can only be read, but is locked
        try:
            self._open(resume)
        except BaseException:
            self._release()
            raise

    def append(self, *facts: Fact) -> None:
        """Write facts, with one write for all; they are on the disk when this returns.

        A fact that cannot be written is kept, and is written before any later one as soon as
        possible: the journal has no holes.

        :raises JournalError: if it could not be written (a full disk, a read-only folder).
        """
        with self._lock:
            for fact in facts:
                line, self._end = encoded(fact, self._end)
                self._game = self._game or self._end[1]
                self._content += line
            self._write()
            if facts and self._pulse.beats:  # else facts after the last beat could be cut off
                self.beat(facts[-1].t)

    def save(self) -> None:
        """Write the facts that could not be written before.

        :raises JournalError: if it still cannot be written; or if the journal was moved, deleted
            or changed, and has been written anew.
        """
        with self._lock:
            if self.unwritten or not self._is_in_place() or self._is_changed():
                self._write()

    @property
    def unwritten(self) -> int:
        """The number of facts that wait until they can be written."""
        return self._content.count(b"\n", self._synced)

    @property
    def seal(self) -> str:
        """The digest of all written lines. A copy of it can prove later whether any line was
        changed, added or removed. Empty while there is no fact."""
        return self._synced_end[1]

    @property
    def written(self) -> tuple[int, str]:
        """The number and the digest of the last line that is on the disk; 0 and empty for none."""
        return self._synced_end

    def facts(self) -> list[Fact]:
        """All facts in order, including those that could not be written yet."""
        with self._lock:
            return _decoded(self.path, bytes(self._content), None).facts

    def beat(self, t: int) -> None:
        """Note beside the journal that the table's time is ``t`` ms. It never fails, and
        waits only for this."""
        if not self._closed and self._damage is None:
            self._pulse.beat(Beat(*self._synced_end, t, time.time(), self._game))

    def close(self) -> None:
        """Release the journal. Facts that could not be written are lost."""
        with self._lock:
            self._closed = True
            self._release()
        self._pulse.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- opening ---------------------------------------------------------------------------

    def _open(self, resume: bool) -> None:
        """Open and lock the file, read it, and continue after its last whole line."""
        path = self.path
        if path.is_symlink():
            raise JournalError(
                _(
                    "{link} is a symbolic link; name the file that it leads to, {path}.",
                    link=path,
                    path=path.resolve(),
                )
            )
        try:
            if not resume:
                path.parent.mkdir(parents=True, exist_ok=True)
                handle, writable = files.open_file(path, create=True), True
            elif path.is_file():
                handle, writable = _open_existing(path)
            else:
                raise _no_journal(path)
        except OSError as error:
            raise JournalError(
                _(
                    "The journal {path} cannot be opened ({reason}); choose another place "
                    "with --journal.",
                    path=path,
                    reason=reason_of(error),
                )
            ) from None
        self._handle, self._guard = (handle, None) if writable else (None, handle)
        self._lock_file(handle)
        beat = last_beat(path) if resume else None
        try:
            content = files.read(handle)
        except OSError as error:
            raise _unreadable(path, error) from None
        self._take_over(content, _decoded(path, content, beat), resume)
        if self._end[0] == 0:
            self._pulse.forget()  # of a game whose journal is gone
        elif not self.damaged:
            self.left = beat

    def _lock_file(self, handle: int) -> None:
        try:
            # A check whether a table plays this game holds the lock for a moment, too.
            locked = files.lock(handle)
            for _unused in range(_RELOCKS):
                if locked:
                    break
                time.sleep(_RELOCK_S)
                locked = files.lock(handle)
        except OSError as error:
            raise JournalError(
                _(
                    "The journal {path} cannot be locked against a second table "
                    "({reason}); choose a place on a disk of this machine with --journal.",
                    path=self.path,
                    reason=reason_of(error),
                )
            ) from None
        if not locked:
            raise JournalError(
                _(
                    "A table is playing the game in {journal} at this moment; close that "
                    "one first.",
                    journal=self.path,
                )
            )

    def _take_over(self, content: bytes, contents: JournalContents, resume: bool) -> None:
        """Continue the journal that the file holds."""
        damaged = bool(contents.trouble) and not contents.torn
        if contents.foreign or (damaged and not (resume and contents.facts)):
            raise JournalError(contents.trouble)
        if self._handle is not None:
            with contextlib.suppress(OSError):  # a killed table may have left it in the cache
                files.sync(self._handle)
        self._content += contents.whole
        self._end = self._synced_end = contents.end
        self._game = contents.game
        self._synced = len(contents.whole)
        self._clean = content == contents.whole
        self.damaged = damaged
        if contents.trouble:
            self.notes = (contents.trouble,)
        if damaged:
            self._damage = content
            with contextlib.suppress(OSError):  # a full disk ends no game; try again later
                copy = self._restore(content)
                self.notes += (_("The damaged journal is kept as {copy}.", copy=copy),)
        elif resume and content and (copy_before := files.damaged_before(self.path, content)):
            self.damaged = True  # a power cut came before it was reported
            self.notes += (
                _(
                    "The journal was damaged before, and is kept as {copy_before}.",
                    copy_before=copy_before,
                ),
            )

    def _restore(self, damaged: bytes) -> Path:
        """Keep a copy of the damaged file as evidence, then cut off the bytes after the last
        whole line.

        A power cut between these steps does no harm: the journal stays damaged until the last
        step, and the next call uses the same copy.
        """
        if self._handle is None:
            raise PermissionError(_("it can only be read"))
        copy = files.keep_damaged(self.path, damaged)
        self._pulse.forget()
        files.truncate(self._handle, self._synced)
        files.sync(self._handle)
        self._damage, self._clean = None, True
        return copy

    def _release(self) -> None:
        """Close the file, which also releases its lock."""
        for handle in (self._handle, self._guard):
            if handle is not None:
                os.close(handle)
        self._handle = self._guard = None

    # --- writing ---------------------------------------------------------------------------

    def _write(self) -> None:
        """Write all lines that are not in the file yet."""
        try:
            if self._closed:
                raise OSError(_("it is closed"))
            while True:
                if not self._is_in_place():
                    self._find_place()
                elif self._damage is None and self._is_changed():
                    assert self._handle is not None
                    self._take_back(files.read(self._handle))
                if self._damage is not None:
                    copy = self._restore(self._damage)
                    if self._repaired:
                        self._repaired += " " + _(
                            "The damaged journal is kept as {copy}.", copy=copy
                        )
                self._put()
                if self._is_in_place():  # else the file was moved in the middle of this
                    break
        except OSError as error:
            raise JournalError(
                _(
                    "The journal {path} cannot be written ({reason}); make room on the "
                    "disk, and keep the scoresheets by hand meanwhile.",
                    path=self.path,
                    reason=reason_of(error),
                )
            ) from None
        if self._repaired:
            repaired, self._repaired = self._repaired, ""
            raise JournalError(repaired)

    def _put(self) -> None:
        """Write and sync the lines that the file lacks."""
        assert self._handle is not None
        if not self._clean:
            # After a failure, cut back to the synced lines: a torn line must not stay before later
            # ones, and bytes of a failed sync may never leave the cache unless written again.
            files.truncate(self._handle, self._synced)
        self._clean = False
        files.write(self._handle, bytes(self._content[self._synced :]))
        files.sync(self._handle)
        self._clean = True
        self._synced, self._synced_end = len(self._content), self._end

    def _is_changed(self) -> bool:
        """Return whether another program has written into our file, or cut it."""
        if self._handle is None:
            return False
        size = os.fstat(self._handle).st_size
        return size < self._synced or (self._clean and size > self._synced)

    def _take_back(self, content: bytes) -> None:
        """Go on after the lines of our game at the beginning of the changed ``content``. Unless it
        is only cut, keep a copy of it."""
        ours, whole = bytes(self._content), 0
        while (end := content.find(b"\n", whole) + 1) and ours.startswith(content[:end]):
            whole = end
        self._synced, self._clean = whole, False
        self._synced_end = ours.count(b"\n", 0, whole), digest_of(ours[:whole])
        self._damage = None if ours.startswith(content) else content
        self._repaired = _(
            "Another program has changed the journal {path} during the game. All of it "
            "has been written there once more; keep other programs away from it.",
            path=self.path,
        )

    def _find_place(self) -> None:
        """Open the file that the journal's name belongs to now. If it is not a file of this game,
        leave it alone, and continue under another name beside it."""
        if self._handle is not None:
            self._release()
            self._synced, self._synced_end = 0, (0, "")
            self._repaired = _(
                "The journal {path} was moved or deleted during the game. All of it "
                "has been written there once more; leave it where it is.",
                path=self.path,
            )
        try:
            self._attach()
        except _ForeignFileError:
            taken, self.path = self.path, files.continue_beside(self.path)
            self._pulse.close()
            self._pulse = Pulse(self.path)
            self._attach()
            self._repaired = _(
                "Another game lies in the place of the journal {taken}. All of this "
                "one has been written into {path} and goes on there; keep both files.",
                taken=taken,
                path=self.path,
            )

    def _is_in_place(self) -> bool:
        """Return whether the journal's name still belongs to the file that is open for writing."""
        if self._handle is None:
            return False
        try:
            named, ours = os.lstat(self.path), os.fstat(self._handle)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:  # a disk that does not answer cannot be written either, and says so then
            return True
        # Some file systems do not number their files.
        return not (named.st_ino and ours.st_ino) or os.path.samestat(named, ours)

    def _attach(self) -> None:
        """Open the file that the journal's name belongs to now, or create one.

        An existing file is taken only if it holds this game.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = files.open_file(self.path, create=True)
        self._release()  # the file that could only be read, for its lock would be in the way
        try:
            if not files.lock(handle):
                raise _ForeignFileError(_FOREIGN)
            content = files.read(handle)
            if content == self._damage:
                self._synced = len(_decoded(self.path, content, None).whole)
            elif self._content.startswith(content):
                self._damage = None
                self._synced, self._clean = len(content), True
            elif self._content.startswith(content[: content.find(b"\n") + 1] or content):
                self._take_back(content)
            else:
                raise _ForeignFileError(_FOREIGN)
        except BaseException:
            os.close(handle)
            raise
        self._handle = handle


class _ForeignFileError(OSError):
    """The file holds another game, or another table has it open."""


def _open_existing(path: Path) -> tuple[int, bool]:
    """A handle of the file, and whether it can be written: evidence may be read-only."""
    try:
        return files.open_file(path), True
    except OSError:
        return files.open_file(path, write=False), False


def _content_of(path: Path) -> bytes:
    if not path.is_file():
        raise _no_journal(path)
    try:
        return read_bytes(path, MOST_BYTES)
    except ValueError as error:
        raise JournalError(str(error)) from None


def _no_journal(path: Path) -> JournalError:
    return JournalError(_("There is no journal at {path}; check the name.", path=path))


def holds_game(path: Path) -> JournalError:
    """The reason why no new game can be written at ``path``."""
    return JournalError(
        _(
            "{path} already holds a game; continue it with --resume, or give another name "
            "with --journal.",
            path=path,
        )
    )


def _unreadable(path: Path, error: OSError) -> JournalError:
    return JournalError(
        _(
            "The journal {path} cannot be read ({reason}); copy it elsewhere.",
            path=path,
            reason=reason_of(error),
        )
    )


# --- the lines -----------------------------------------------------------------------------------


def _decoded(path: Path, content: bytes, beat: Beat | None) -> JournalContents:
    """Return the facts in ``content``, and whether the table that made the ``beat`` wrote them.

    :raises JournalError: if it does not begin as a journal does.
    """
    if content[: len(FIRST)] != FIRST[: len(content)]:
        raise JournalError(
            _(
                "{path} is not a BlindPlay journal; check the name, or choose another file "
                "with --journal.",
                path=path,
            )
        )
    *lines, rest = content.split(b"\n")
    facts: list[Fact] = []
    digests = [""]
    whole, wrong = 0, ""
    for number, line in enumerate(lines, 1):
        try:
            value = checked(line, number, digests[-1])
            facts.append(parse(value["fact"]))
        except FactError as error:
            wrong = _(
                "The journal {path} holds at line {number} no fact that this program knows "
                "({error}).",
                path=path,
                number=number,
                error=error,
            )
            break
        except (ValueError, RecursionError):
            wrong = _(
                "The journal {path} is damaged or was changed at line {number}.",
                path=path,
                number=number,
            )
            break
        digests.append(value["digest"])
        whole += len(line) + 1
    named = files.pulse_of(path).name
    trouble = ""
    foreign = beat is not None and not _continues(digests, beat)
    if foreign:
        trouble = _(
            "The journal {path} is not the one that its table left: {named} beside it "
            "tells of another; put the right one there, or move {named} elsewhere to "
            "continue this one.",
            path=path,
            named=named,
        )
    elif wrong:
        trouble = join_texts(" ", (wrong, _KEEP))
    elif beat is not None and beat.facts > len(facts):
        first = len(facts) + 1
        lacks = (
            _("The journal {path} lacks fact {first}.", path=path, first=first)
            if beat.facts == first
            else _(
                "The journal {path} lacks facts {first} to {last}.",
                path=path,
                first=first,
                last=beat.facts,
            )
        )
        trouble = join_texts(" ", (lacks, _KEEP))
    torn = bool(rest) and not trouble
    if torn:
        trouble = _(
            "Line {count}, the last one of the journal {path}, is incomplete and is "
            "left out: the table stopped while it wrote the line; compare the position "
            "with the scoresheets.",
            count=len(lines) + 1,
            path=path,
        )
    return JournalContents(facts, content[:whole], trouble, torn, foreign)


def _continues(digests: list[str], beat: Beat) -> bool:
    """Return whether the lines with these ``digests`` may belong to the game of ``beat``. The first
    digest is empty: it stands before the first line."""
    if len(digests) > 1 and beat.game not in ("", digests[1]):
        return False
    return beat.facts >= len(digests) or beat.digest == digests[beat.facts]
