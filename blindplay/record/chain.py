"""The chain of a journal's lines: how one is written and checked, and how a damaged file is read.

Each line ends with a digest that covers the digest of the line before and its own bytes. So a line
that a file holds at another place, or with a wrong byte, can be proved: only what was written fits
the digest. :func:`read_chain` gives the lines that are proved, and says where the file differs from
them. It never gives a line that it guessed.
"""

import codecs
import functools
import hashlib
import itertools
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import chess

from blindplay.given import JOURNAL, LONGEST_LINE, in_time
from blindplay.laws import facts as f
from blindplay.translation import UserError, _

FIRST = b'{"n":1,"wall":'
"""Every journal begins with these bytes."""
DIGITS = 32
"""The length of a digest, in hexadecimal: half a SHA-256."""
_TAIL = (
    len(',"digest":""}') + DIGITS
)  # bytes of a line, without its line feed, that no digest covers
_LEGIBLE = 24  # digits of a digest that must be as they were: no chance makes 96 bits equal
_STATED = re.compile(rb',"digest":"([0-9a-f]{32})"\}')
_NUMBER = re.compile(rb'\{"n":(\d{1,9}),')
_HEAD = re.compile(rb'\{"n":(\d{1,9}),"wall":\d+\.\d+,"fact":\{"t":\d+(?:\.\d+)?,')
# The end of a line, and the byte after it in place of its line feed.
_ENDING = re.compile(_STATED.pattern + b"(.)", re.DOTALL)
_MERGED = re.compile(_ENDING.pattern + rb'\{"n":', re.DOTALL)
# Bounds of what is tried, so that any file is read in a short time.
MOST_LINES = JOURNAL.most_bytes // 80
"""Of a file: no line of a journal is shorter than 80 bytes."""
_MOST_MENDED = 100  # lines
_LONGEST_BITS, _LONGEST_BYTES = 2000, 600  # of a line in which each bit, or each byte, is tried


def encoded(fact: f.Fact, end: tuple[int, str]) -> tuple[bytes, tuple[int, str]]:
    """The line of a fact that comes after ``end``, and the new end: a number and a digest."""
    number, before = end[0] + 1, end[1]
    wall = round(max(time.time(), 0.0), 3)
    covered = f'{{"n":{number},"wall":{wall!r},"fact":{f.dumps(fact)}'.encode()
    digest = _digest(before, covered)
    return _line(covered, digest) + b"\n", (number, digest)


def digest_of(line: bytes) -> str:
    """The digest at the end of a whole line; empty for no line."""
    return line[-len('"}\n') - DIGITS : -len('"}\n')].decode("ascii", "replace")


def stated(line: bytes) -> str:
    """The digest at the end of a whole line that comes without its line feed."""
    return digest_of(line + b"\n")


def number_of(line: bytes) -> int:
    """The number with which a line begins; 0 if it has none."""
    return int(found[1]) if (found := _NUMBER.match(line)) else 0


def checked(line: bytes, number: int, before: str) -> dict[str, Any]:
    """The JSON object on a whole line, which comes without its line feed. It must have this number
    and come after the digest ``before``. The line must be as it was written, byte for byte: the
    same object with another space is damage.

    :raises ValueError: if it is not.
    """
    if len(line) > LONGEST_LINE:
        raise UserError("too long")
    text = line.decode("utf-8")
    value = json.loads(text)
    if not isinstance(value, dict) or list(value) != ["n", "wall", "fact", "digest"]:
        raise UserError("other keys")
    if type(value["n"]) is not int or value["n"] != number:
        raise UserError("another number")
    if type(value["wall"]) is not float or not 0 <= value["wall"] < math.inf:
        raise UserError("no time of day")
    if text != json.dumps(value, ensure_ascii=False, separators=(",", ":")):
        raise UserError("another form")
    if value["digest"] != _digest(before, line[:-_TAIL]):
        raise UserError("another digest")
    return value


def begins(content: bytes) -> bool:
    """Return whether ``content`` begins as a journal does. One of its first bytes may be wrong if
    the digest of its first line proves that."""
    tidy, _differences = _tidied(content)
    if FIRST.startswith(tidy[: len(FIRST)]):
        return bool(tidy or not content)
    wrong = sum(one != other for one, other in zip(tidy, FIRST, strict=False))
    return wrong == 1 and _mended(tidy.split(b"\n", 1)[0], 1, "") is not None


def _digest(before: str, covered: bytes) -> str:
    return hashlib.sha256(before.encode() + covered).hexdigest()[:DIGITS]


def _line(covered: bytes, digest: str) -> bytes:
    return b'%b,"digest":"%b"}' % (covered, digest.encode())


# --- reading a file ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Chain:
    """The lines of a journal that are proved."""

    lines: list[bytes]
    """Without their line feeds, as they were written."""
    rest: bytes
    """The incomplete last line of the file."""
    differences: tuple[str, ...] = ()
    """How the file differs from these lines, in words."""
    gap: int = 0
    """The number of the line that cannot be read, at which they end; 0 if nothing comes after."""
    later: tuple[bytes, ...] = ()
    """The lines after the gap that chain among each other: the longest such run. Nothing proves
    what came before them."""


def read_chain(content: bytes, take: Callable[[Any], object], name: object) -> Chain:
    """Read the lines of a journal, whatever was done to the file, which has this ``name``. ``take``
    gets what is the fact of each line, in order.

    A line is taken wherever it stands, if its number and its digest fit. One that was changed in
    one byte, or only in its fact, is put right if just one text fits its digest.

    :raises ValueError: one sentence, if it takes too long.
    """
    content, differences = _tidied(content)
    *lines, rest = content.split(b"\n", MOST_LINES)
    reading = _Reading(take, name)
    whole = next((n for n, line in enumerate(lines) if not reading.add(line)), len(lines))
    if whole == len(lines) and not rest:  # most journals are whole
        return Chain(reading.proved, rest, differences)
    return reading.of_damaged(lines, whole, rest, differences)


@dataclass(eq=False, slots=True)
class _FileLine:
    """A line of the file, without its line feed; ``place`` counts from 1."""

    place: int
    line: bytes
    after: "_FileLine | None"
    used: bool = False


class _Reading:
    """One reading of one file: the lines that are proved, and those of the file that are not used.

    Each attempt to prove a line counts against the limit of time.
    """

    def __init__(self, take: Callable[[Any], object], name: object) -> None:
        self.proved: list[bytes] = []
        self._take = take
        self._before = ""  # the digest of the last line that is proved
        self._time = in_time(itertools.count(), JOURNAL, name)
        self._first: _FileLine | None = None  # of those after the whole lines at the beginning
        self._at: _FileLine | None = None  # where the next line is expected
        self._end = 0  # the highest place of a line that was used
        self._changed = set[int]()  # the places at which the file is not as it was written
        self._mendings = _MOST_MENDED
        self._rest = b""

    @property
    def _number(self) -> int:
        return len(self.proved) + 1

    def add(self, line: bytes) -> bool:
        """Add ``line`` if it is the next one of the chain."""
        if (value := self._checked(line, self._number, self._before)) is None:
            return False
        self.proved.append(line)
        self._before = value["digest"]
        self._take(value["fact"])
        return True

    def _checked(self, line: bytes, number: int, before: str) -> dict[str, Any] | None:
        next(self._time)
        return _value(line, number, before)

    def of_damaged(
        self, lines: list[bytes], whole: int, rest: bytes, differences: tuple[str, ...]
    ) -> Chain:
        """Go on after the first ``whole`` lines of a file."""
        unread = b"\n" in rest  # more lines than any journal has
        self._rest = b"" if unread else rest
        for place in range(len(lines), whole, -1):
            self._first = _FileLine(place, lines[place - 1], self._first)
        self._at, last = self._first, len(lines) + 1
        while self._in_order() or self._elsewhere() or self._mended() or self._before_rest(last):
            pass
        beyond = self._unused()
        if self._changed:
            differences += (_in_words(sorted(self._changed)),)
        gap = self._number if beyond or unread else 0
        return Chain(self.proved, self._rest, differences, gap, self._longest_run(beyond))

    def _use(self, line: _FileLine) -> bool:
        """Add a line of the file if it is the next one of the chain."""
        if line.used or not self.add(line.line):
            return False
        if line.place < self._end:
            self._changed.add(line.place)
        line.used, self._end = True, max(self._end, line.place)
        return True

    def _in_order(self) -> bool:
        while self._at is not None and self._at.used:
            self._at = self._at.after
        return self._at is not None and self._use(self._at)

    def _elsewhere(self) -> bool:
        """Use the next line from any place, and go on there."""
        found = next(filter(self._use, self._by_number.get(self._number, ())), None)
        self._at = found or self._at
        return found is not None

    @functools.cached_property
    def _by_number(self) -> dict[int, list[_FileLine]]:
        found: dict[int, list[_FileLine]] = {}
        for line in _from(self._first):
            if number := number_of(line.line):
                found.setdefault(number, []).append(line)
        return found

    def _mended(self) -> bool:
        """Put the line that is expected right, if its digest proves what was written."""
        line = self._at
        if line is None or not self._mendings:
            return False
        number, before, after = self._number, self._before, line.after
        if (mended := _mended(line.line, number, before)) is not None:
            line.line = mended
        elif after is not None and (  # a byte has become a line feed
            mended := _mended(b"\n".join((line.line, after.line)), number, before, len(line.line))
        ):
            line.line, line.after, after.used = mended, after.after, True
        elif end := self._whole_in(line.line, _MERGED):  # the line feed has become another byte
            line.after = _FileLine(line.place, line.line[end + 1 :], after)
            line.line = line.line[:end]
        else:
            return False
        self._changed.add(line.place)
        self._mendings -= 1
        return self._use(line)

    def _before_rest(self, place: int) -> bool:
        """Use a whole line before the incomplete one: its line feed is another byte now."""
        if self._at is not None or not (end := self._whole_in(self._rest, _ENDING)):
            return False
        self._changed.add(place)
        line, self._rest = self._rest[:end], self._rest[end + 1 :]
        return self._use(_FileLine(place, line, None))

    def _whole_in(self, text: bytes, ending: re.Pattern[bytes]) -> int:
        """The length of the next line of the chain if ``text`` begins with it and goes on; 0 if
        not."""
        ends = (found.start(2) for found in ending.finditer(text, 0, LONGEST_LINE + 10))
        return next(
            (end for end in ends if self._checked(text[:end], self._number, self._before)), 0
        )

    def _unused(self) -> list[_FileLine]:
        """The lines after all that were used. Those between them are only changes of the file."""
        known = set(self.proved) if self._first else set()
        beyond: list[_FileLine] = []
        for line in _from(self._first):
            if not line.used and line.place > self._end and line.line not in known:
                beyond.append(line)
            elif not line.used:
                self._changed.add(line.place)
        return beyond

    def _longest_run(self, lines: list[_FileLine]) -> tuple[bytes, ...]:
        """The most lines in a row that follow each other; none for a single one."""
        longest: list[bytes] = []
        run: list[bytes] = []
        last = 0
        for before, line in itertools.pairwise(lines):
            number = number_of(line.line)
            if not number or self._checked(line.line, number, stated(before.line)) is None:
                number = 0
            if number != last + 1:
                run = []
            if number:
                run.append(line.line)
            longest, last = max(longest, run, key=len), number
        return tuple(longest) if len(longest) > 1 else ()


def _from(line: _FileLine | None) -> Iterator[_FileLine]:
    while line is not None:
        yield line
        line = line.after


def _tidied(content: bytes) -> tuple[bytes, tuple[str, ...]]:
    """Take away what programs add that copy a text, and name it."""
    differences: tuple[str, ...] = ()
    bare = content.removeprefix(codecs.BOM_UTF8)
    if bare != content:
        differences += (_("a byte order mark at the beginning"),)
    content, bare = bare, bare.lstrip(b"\r\n")
    if bare and bare != content:
        content = bare
        differences += (_("an empty line at the beginning"),)
    if b"\r\n" in content:
        content = content.replace(b"\r\n", b"\n")
        differences += (_("lines that end in CR LF"),)
    return content, differences


def _value(line: bytes, number: int, before: str) -> dict[str, Any] | None:
    try:
        return checked(line, number, before)
    except (ValueError, RecursionError):
        return None


def _in_words(places: list[int]) -> str:
    shown = ", ".join(map(str, places[:5])) + ("…" if len(places) > 5 else "")
    return (
        _("line {number}", number=shown)
        if len(places) == 1
        else _("lines {numbers}", numbers=shown)
    )


# --- putting a line right ------------------------------------------------------------------------


def _mended(line: bytes, number: int, before: str, at: int | None = None) -> bytes | None:
    """The line that was written, if one of the texts that are tried fits the digest. ``at``: only
    this byte may be another one."""
    covered, tail = line[:-_TAIL], line[-_TAIL:]
    digest = _digest(before, covered)
    digits = zip(tail[-len('"}') - DIGITS :], digest.encode(), strict=False)
    if sum(one == other for one, other in digits) < _LEGIBLE:
        legible = _STATED.fullmatch(tail)
        if legible is None:
            return None
        digest = legible[1].decode()
        found = _with_another_byte(covered, before, digest, at)
        if found is None and at is None:
            found = _with_another_fact(covered, number, before, digest)
        if found is None:
            return None
        covered = found
    written = _line(covered, digest)
    return None if _value(written, number, before) is None else written


def _with_another_byte(covered: bytes, before: str, digest: str, only: int | None) -> bytes | None:
    """``covered`` with one other byte, so that it has this digest; None if there is no such."""
    if len(covered) > _LONGEST_BITS:
        return None
    masks = [1 << bit for bit in range(8)]  # a flipped bit is the most likely
    if len(covered) <= _LONGEST_BYTES:
        masks += set(range(1, 256)) - set(masks)
    sought, begun, starts = bytes.fromhex(digest), hashlib.sha256(before.encode()), []
    for at in range(len(covered)):
        starts.append(begun.copy())
        begun.update(covered[at : at + 1])
    for mask in masks:
        for at in range(len(covered)) if only is None else (only,):
            changed = bytes((covered[at] ^ mask,)) + covered[at + 1 :]
            tried = starts[at].copy()
            tried.update(changed)
            if tried.digest().startswith(sought):
                return covered[:at] + changed
    return None


def _with_another_fact(covered: bytes, number: int, before: str, digest: str) -> bytes | None:
    """The beginning of ``covered``, up to the fact's time, with a fact that has this digest."""
    head = _HEAD.match(covered)
    if head is None or int(head[1]) != number:
        return None
    begun, sought = hashlib.sha256(before.encode() + head[0]), bytes.fromhex(digest)
    for fact in _plain_facts():
        tried = begun.copy()
        tried.update(fact)
        if tried.digest().startswith(sought):
            return head[0] + fact
    return None


@functools.cache
def _plain_facts() -> tuple[bytes, ...]:
    """The usual facts without words, as JSON after their time."""
    people = (f.Press, f.Adjust, f.Arrive, f.OfferDraw, f.AcceptDraw, f.DeclineDraw, f.Resign,
              f.CallArbiter, f.ClaimTime)  # fmt: skip
    facts: list[f.Fact] = [f.Tick(), *(kind(by=by) for kind in people for by in f.PEOPLE)]
    facts += [f.Start(), *(f.Arbiter(do=do) for do in ("confirm", "reject"))]
    facts += [
        f.Arbiter(by=by, do=do)
        for by in ("arbiter", "table")
        for do in ("stop_clocks", "start_clocks")
    ]
    at_a1: list[f.Fact] = [
        *(f.Lift(board=side, square="a1") for side in f.SIDES),
        *(f.Touch(by=side, square="a1") for side in f.SIDES),
        *(f.Place(board=side, square="a1") for side in f.SIDES),
        *(
            f.Place(board=side, square="a1", piece=one)
            for side in f.SIDES
            for one in "PNBRQKpnbrqk"
        ),
    ]
    a1_b1: list[f.Fact] = [
        kind(by=side, move="a1b1") for kind in (f.Announce, f.Repeat, f.Make) for side in f.SIDES
    ]
    a1_b1 += [f.Make(by=side, move="a1b1", presumed=True) for side in f.SIDES]
    moves = [one + other for one, other in itertools.permutations(chess.SQUARE_NAMES, 2)]
    moves += [
        move + piece for move in moves if move[1] + move[3] in ("78", "21") for piece in "qrbn"
    ]
    texts = [f.dumps(fact) for fact in facts]
    texts += [f.dumps(fact).replace("a1", at) for fact in at_a1 for at in chess.SQUARE_NAMES]
    texts += [f.dumps(fact).replace("a1b1", move) for fact in a1_b1 for move in moves]
    return tuple(text.encode()[len('{"t":0,') :] for text in texts)
