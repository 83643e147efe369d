"""The journal: every fact of one table, one line each, in a text file (JSON Lines).

The journal *is* the game. :meth:`Journal.append` returns only when the line is on the disk, so a
ruling that is announced afterwards is never lost.

A line is ``{"n":7,"wall":1763827200.123,"fact":{…},"digest":"…"}``. The digest covers the digest of
the line before and the exact bytes of this line: the lines form a chain, so an edited, removed or
inserted line is found. The last digest, the seal, stands for the whole game. The chain does not say
who wrote a line, and cannot show that lines are missing at the end; the pulse can (see
:mod:`.pulse`). docs/development/journal.md describes the format for other programs.

Reading never changes anything: :func:`read_journal` gives the facts up to the first line that
nothing proves, and one sentence about the rest. Everything that reads a journal uses it. A damaged
line that its digest proves is put right (see :mod:`.chain`).
"""

import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from blindplay.given import JOURNAL, read_bytes, reason_of, too_large
from blindplay.laws.facts import Fact, FactError, UnknownError, parse_kept
from blindplay.translation import UserError, _, join_texts

from . import files
from .chain import Chain, begins, digest_of, encoded, number_of, read_chain, stated
from .pulse import Beat, Pulse, last_beat

_KEEP = _(
    "What comes from there on cannot be relied on; keep the file as it is and go by the "
    "scoresheets from there."
)
_FOREIGN = _("another game lies there")
_BEGINNING = 3000  # bytes, enough for the first line of a journal
# A table whose last beat is recent may be writing the journal at this moment. One that stands in
# the middle of a line, on a busy machine, has it open.
_RECENT_S = 2.0
_REREADS, _REREAD_S = 40, 0.05
_RELOCKS, _RELOCK_S = 10, 0.03


class JournalError(UserError):
    """A journal that cannot be opened, read or written; the message says what to do."""


@dataclass(frozen=True)
class JournalContents:
    """The facts of a journal up to the last line that is proved, and the fault after it."""

    facts: list[Fact]
    whole: bytes
    """The lines of these facts, as they were written."""
    fault: str = ""
    """One sentence about damage after them; empty if there is none."""
    torn: bool = False
    """Only the last line is incomplete: the table stopped while it wrote the line."""
    foreign: bool = False
    """The pulse beside the journal belongs to other facts than these."""
    unknown: str = ""
    """One sentence about a line of the chain after them that this program does not know."""
    newer: bool = False
    """A newer version wrote that line."""
    repaired: str = ""
    """One sentence about damage that was put right, so that the facts are proved all the same."""
    proved: bytes = b""
    """All lines that are proved, also those that this program does not know."""
    later: tuple[tuple[int, Fact], ...] = ()
    """The facts of later lines that follow each other, with their numbers. They are no part of the
    game: nothing proves what came before them."""

    @property
    def trouble(self) -> str:
        """Why these are not all facts; empty if they are."""
        return join_texts(" ", filter(None, (self.unknown, self.fault)))

    @property
    def end(self) -> tuple[int, str]:
        """The number and the digest of the last fact; 0 and empty if there is none."""
        return len(self.facts), digest_of(self.whole)

    @property
    def proved_end(self) -> tuple[int, str]:
        """The number and the digest of the last line that is proved."""
        return self.proved.count(b"\n"), digest_of(self.proved)

    @property
    def game(self) -> str:
        """The digest of the first line, by which games differ; empty if there is none."""
        return digest_of(self.proved[: self.proved.find(b"\n") + 1])


def read_journal(path: Path) -> JournalContents:
    """Read the journal at ``path``; a table may be writing it at the same time.

    :raises JournalError: if there is none, it cannot be read, or it is another program's file.
    """
    for _unused in range(_REREADS):
        beat = last_beat(path)  # before the lines: a running table adds more
        contents = _decoded(path, _content_of(path), beat)
        if not contents.trouble:
            break
        recent = beat is not None and abs(time.time() - beat.wall) <= _RECENT_S
        if not recent and not (contents.torn and is_running(path)):
            break
        time.sleep(_REREAD_S)
    return contents


def is_journal(path: Path) -> bool:
    """Return whether the file at ``path`` begins as a journal does."""
    with contextlib.suppress(OSError):
        if path.is_file():  # reading a named pipe would wait
            with path.open("rb") as file:
                return bool(content := file.read(_BEGINNING)) and begins(content)
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

        A damaged journal is continued after the last line that is proved; the damaged file is kept
        under another name first. While that, or any other writing, is impossible (a full disk, a
        read-only folder), the journal is opened all the same, and the facts are kept in memory.
        :attr:`notes` says what happened.

        :raises JournalError: if a table has this journal open, the file is not a journal or a
            symbolic link; with ``resume``, if there is none, its first line is damaged, the pulse
            belongs to another game, or a newer version wrote it; otherwise, if the file is damaged
            or cannot be created.
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
        self._failed = False  # people were told the last facts, but the disk did not take them
        self._clean = False  # the file holds only these bytes
        self._compared = 0  # when the file that holds only our lines was changed last, in ns
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
            try:
                self._write()
            finally:
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
        """Note beside the journal that the table's time is ``t`` ms, and how many facts people were
        told, also those that could not be written. It never fails, and waits only for this."""
        if not self._closed and self._damage is None:
            told = self._end if self._failed else self._synced_end
            self._pulse.beat(Beat(*told, t, time.time(), self._game))

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
                "{link} is a symbolic link; name the file that it leads to, {path}.",
                link=path,
                path=path.resolve(),
            )
        if path.is_file() and path.stat().st_size > JOURNAL.most_bytes:
            raise JournalError(str(too_large(path, JOURNAL)))
        while True:
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
                    "The journal {path} cannot be opened ({reason}); choose another place "
                    "with --journal.",
                    path=path,
                    reason=reason_of(error),
                ) from None
            self._handle, self._guard = (handle, None) if writable else (None, handle)
            self._lock_file(handle)
            if _is_named(path, handle):
                break
            self._release()  # a table that put a damaged file right has replaced this one
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
            locked = _locked(handle)
        except OSError as error:
            raise JournalError(
                "The journal {path} cannot be locked against a second table "
                "({reason}); choose a place on a disk of this machine with --journal.",
                path=self.path,
                reason=reason_of(error),
            ) from None
        if not locked:
            raise _busy(self.path)

    def _take_over(self, content: bytes, contents: JournalContents, resume: bool) -> None:
        """Continue the journal that the file holds."""
        damaged = bool(contents.trouble) and not contents.torn
        refused = contents.foreign or contents.unknown or (damaged and not contents.facts)
        if refused or (damaged and not resume):
            raise JournalError(contents.trouble)
        if contents.repaired and not resume:
            raise holds_game(self.path) if contents.facts else JournalError(contents.repaired)
        if self._handle is not None:
            with contextlib.suppress(OSError):  # a killed table may have left it in the cache
                files.sync(self._handle)
        self._content += contents.whole
        self._end, self._game = contents.end, contents.game
        self._has_until(content)
        self._clean = content == contents.whole
        self.damaged = damaged
        self.notes = tuple(filter(None, (contents.trouble, contents.repaired)))
        if damaged or contents.repaired:
            self._damage = content
            try:
                copy = self._restore(content)
                self.notes += (_("The damaged journal is kept as {copy}.", copy=copy),)
                self._put()
            except _ForeignFileError:  # in the moment in which the restored file was not locked
                raise _busy(self.path) from None
            except OSError:  # a full disk ends no game; try again later
                pass
        elif resume and content and (copy_before := files.damaged_before(self.path, content)):
            self.damaged = True  # a power cut came before it was reported
            self.notes += (
                _(
                    "The journal was damaged before, and is kept as {copy_before}.",
                    copy_before=copy_before,
                ),
            )

    def _has_until(self, content: bytes) -> None:
        """Note that the file, which holds ``content``, begins with these of our lines."""
        ours, whole = bytes(self._content), 0
        if content.startswith(ours):
            whole = len(ours)
        while end := content.find(b"\n", whole) + 1:
            if content[whole:end] != ours[whole:end]:
                break
            whole = end
        self._synced = whole
        self._synced_end = ours.count(b"\n", 0, whole), digest_of(ours[:whole])

    def _restore(self, damaged: bytes) -> Path:
        """Keep a copy of the damaged file as evidence, then put our lines into its place, all at
        once. A power cut before that leaves the damaged file, and the next call uses the same
        copy."""
        if self._handle is None:
            raise PermissionError(_("it can only be read"))
        copy = files.keep_damaged(self.path, damaged)
        if self.damaged:
            self._pulse.forget()
        if sys.platform == "win32":
            self._release()  # Windows replaces no file that is open, here or at another table
        try:
            files.write_new(self.path, bytes(self._content))
        except OSError:
            if self._handle is None:
                self._attach()
            raise
        self._attach()
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
            self._failed = False
        except OSError as error:
            self._failed = True
            raise JournalError(
                "The journal {path} cannot be written ({reason}); make room on the "
                "disk, and keep the scoresheets by hand meanwhile.",
                path=self.path,
                reason=reason_of(error),
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
        try:
            files.write(self._handle, bytes(self._content[self._synced :]))
            files.sync(self._handle)
        except OSError:
            with contextlib.suppress(OSError):  # who reads the file meanwhile finds whole lines
                files.truncate(self._handle, self._synced)
            raise
        self._compared = 0  # somebody may have written into it meanwhile
        self._clean = True
        self._synced, self._synced_end = len(self._content), self._end

    def _is_changed(self) -> bool:
        """Return whether another program has written into our file, or cut it."""
        if self._handle is None:
            return False
        now = os.fstat(self._handle)
        if now.st_size < self._synced or (self._clean and now.st_size > self._synced):
            return True
        if now.st_mtime_ns == self._compared:
            return False
        if files.read(self._handle)[: self._synced] != self._content[: self._synced]:
            return True
        self._compared = now.st_mtime_ns
        return False

    def _take_back(self, content: bytes) -> None:
        """Go on after the lines of our game at the beginning of the changed ``content``. Unless it
        is only cut, keep a copy of it."""
        self._has_until(content)
        self._clean = False
        self._damage = None if self._content.startswith(content) else content
        self._repaired = _(
            "Another program has changed the journal {path} during the game. All of it "
            "has been written there once more; keep other programs away from it.",
            path=self.path,
        )

    def _find_place(self) -> None:
        """Open the file that the journal's name belongs to now. If something else than this game
        lies there, leave it alone, and continue under another name beside it."""
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
        except OSError as error:
            other = self.path.is_symlink() or (self.path.exists() and not self.path.is_file())
            if not (other or isinstance(error, _ForeignFileError)):
                raise
            taken, self.path = self.path, files.continue_beside(self.path)
            self._pulse.close()
            self._pulse = Pulse(self.path)
            self._attach()
            self._repaired = _(
                "Something else lies in the place of the journal {taken}. All of this game "
                "has been written into {path} and goes on there; keep both.",
                taken=taken,
                path=self.path,
            )

    def _is_in_place(self) -> bool:
        """Return whether the journal's name still belongs to the file that is open for writing."""
        return self._handle is not None and _is_named(self.path, self._handle)

    def _attach(self) -> None:
        """Open the file that the journal's name belongs to now, or create one.

        An existing file is taken only if it holds this game.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle = files.open_file(self.path, create=True)
        if self._guard is not None:
            self._release()  # the lock on the file that could only be read would be in the way
        try:
            if not _locked(handle):
                raise _ForeignFileError(_FOREIGN)
            content = files.read(handle)
            if content == self._damage:
                self._has_until(content)
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
        self._release()  # not before: who waits for a damaged file may not lock it in between
        self._handle = handle


class _ForeignFileError(OSError):
    """The file holds another game, or another table has it open."""


def _locked(handle: int) -> bool:
    """Lock an open file. A question whether a table runs holds the lock for a moment, too."""
    for _unused in range(_RELOCKS):
        if files.lock(handle):
            return True
        time.sleep(_RELOCK_S)
    return files.lock(handle)


def _busy(path: Path) -> JournalError:
    return JournalError(
        "A table is playing the game in {journal} at this moment; close that one first.",
        journal=path,
    )


def _is_named(path: Path, handle: int) -> bool:
    """Return whether ``path`` is the name of this open file."""
    try:
        named, ours = os.lstat(path), os.fstat(handle)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:  # a disk that does not answer cannot be written either, and says so then
        return True
    # Some file systems do not number their files.
    return not (named.st_ino and ours.st_ino) or os.path.samestat(named, ours)


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
        return read_bytes(path, JOURNAL)
    except ValueError as error:
        raise JournalError(str(error)) from None


def _no_journal(path: Path) -> JournalError:
    return JournalError("There is no journal at {path}; check the name.", path=path)


def holds_game(path: Path) -> JournalError:
    """The reason why no new game can be written at ``path``."""
    return JournalError(
        "{path} already holds a game; continue it with --resume, or give another name "
        "with --journal.",
        path=path,
    )


def _unreadable(path: Path, error: OSError) -> JournalError:
    return JournalError(
        "The journal {path} cannot be read ({reason}); copy it elsewhere.",
        path=path,
        reason=reason_of(error),
    )


# --- the lines -----------------------------------------------------------------------------------


def _decoded(path: Path, content: bytes, beat: Beat | None) -> JournalContents:
    """Return the facts in ``content``, and whether the table that made the ``beat`` wrote them.

    :raises JournalError: if it does not begin as a journal does.
    """
    if not begins(content):
        raise JournalError(
            "{path} is not a BlindPlay journal; check the name, or choose another file "
            "with --journal.",
            path=path,
        )
    facts: list[Fact] = []
    unknown: list[FactError] = []

    def take(value: Any) -> None:
        if not unknown:
            try:
                facts.append(parse_kept(value))
            except FactError as error:
                unknown.append(error)

    try:
        chain = read_chain(content, take, path)
    except ValueError as error:  # it takes too long
        raise JournalError(str(error)) from None
    fault = ""
    foreign = beat is not None and not _continues(chain.lines, beat)
    if foreign:
        fault = _foreign(path)
        unknown.clear()
    elif chain.gap:
        fault = _gap(path, chain)
    elif beat is not None and beat.facts > len(chain.lines):
        fault = _lacking(path, len(chain.lines) + 1, beat.facts)
    torn = bool(chain.rest) and not fault and not unknown
    if torn:
        fault = _(
            "Line {count}, the last one of the journal {path}, is incomplete and is "
            "left out: the table stopped while it wrote the line; compare the position "
            "with the scoresheets.",
            count=len(chain.lines) + 1,
            path=path,
        )
    repaired = ""
    if chain.differences:
        repaired = _(
            "The journal {path} is not as its table wrote it ({differences}). The digests prove "
            "what was written, and that is read.",
            path=path,
            differences=join_texts("; ", chain.differences),
        )
    proved = whole = _joined(chain.lines)
    if len(facts) < len(chain.lines):
        whole = _joined(chain.lines[: len(facts)])
    not_known = _unknown(path, len(facts) + 1, unknown[0]) if unknown else ""
    newer = bool(unknown) and isinstance(unknown[0], UnknownError)
    later = () if foreign or unknown else tuple(_later(chain))
    return JournalContents(
        facts, whole, fault, torn, foreign, not_known, newer, repaired, proved, later
    )


def _later(chain: Chain) -> Iterator[tuple[int, Fact]]:
    for line in chain.later:
        with contextlib.suppress(FactError):
            yield number_of(line), parse_kept(json.loads(line)["fact"])


def _unknown(path: Path, number: int, error: FactError) -> str:
    if isinstance(error, UnknownError):
        return _(
            "A newer BlindPlay wrote the journal {path}: this one does not know what line "
            "{number} holds ({error}). Update BlindPlay; the file stays as it is.",
            path=path,
            number=number,
            error=error,
        )
    wrong = _(
        "The journal {path} holds at line {number} no fact that this program knows ({error}).",
        path=path,
        number=number,
        error=error,
    )
    return join_texts(" ", (wrong, _KEEP))


def _foreign(path: Path) -> str:
    named = files.pulse_of(path).name
    return _(
        "The journal {path} is not the one that its table left: {named} beside it "
        "tells of another; put the right one there, or move {named} elsewhere to "
        "continue this one.",
        path=path,
        named=named,
    )


def _gap(path: Path, chain: Chain) -> str:
    wrong = _(
        "The journal {path} is damaged or was changed at line {number}.",
        path=path,
        number=chain.gap,
    )
    later = ""
    if chain.later:
        later = _(
            "Lines {first} to {last} follow each other, but nothing proves what came before them.",
            first=number_of(chain.later[0]),
            last=number_of(chain.later[-1]),
        )
    return join_texts(" ", filter(None, (wrong, later, _KEEP)))


def _lacking(path: Path, first: int, last: int) -> str:
    lacks = (
        _("The journal {path} lacks fact {first}.", path=path, first=first)
        if first == last
        else _(
            "The journal {path} lacks facts {first} to {last}.", path=path, first=first, last=last
        )
    )
    return join_texts(" ", (lacks, _KEEP))


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join((*lines, b""))


def _continues(lines: list[bytes], beat: Beat) -> bool:
    """Return whether these lines may belong to the game of ``beat``."""
    if lines and beat.game not in ("", stated(lines[0])):
        return False
    if beat.facts > len(lines):
        return True
    return beat.digest == (stated(lines[beat.facts - 1]) if beat.facts else "")
