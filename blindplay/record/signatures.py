"""Signatures of a journal, by which tables vouch for its lines, and the check of a journal: its
chain, its signatures, and the Laws once more.

``game.signatures`` lies beside ``game.jsonl``. Each line is a JSON object that states how far the
journal went and what the table had ruled by then, with an Ed25519 signature;
docs/development/journal.md describes it. The journal itself stays as it is.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blindplay.laws import FactError, Game, Ruling
from blindplay.laws.rulings import dumps
from blindplay.translation import UserError, _, join_texts
from blindplay.version import VERSION
from blindplay.wording.pack_words import PackWords

from . import files
from .chain import DIGITS, digest_of
from .journal import JournalContents, read_journal

_ENDING: files.OwnEnd = ".signatures"
_MOST_BYTES = 1_000_000
_COVERED = b',"signature":"'
_HEX = {size: re.compile(f"[0-9a-f]{{{size}}}") for size in (DIGITS, 64, 128)}


class SignatureError(UserError):
    """A line that is not a signature, or whose signature is wrong."""


@dataclass(frozen=True)
class SignedStatement:
    """The statement that a table signs."""

    event: str
    table: str
    game: str
    """The digest of the journal's first line."""
    n: int
    digest: str
    """The number and the digest of the last line that it signs."""
    wall: float
    """The table's time of day, since 1970."""
    result: str
    """Empty before the game has ended."""
    moves: int
    fen: str
    rulings: str
    """The digest of all rulings up to this line, see :class:`RulingsDigest`."""
    version: str
    """The version of BlindPlay that made these rulings."""
    key: str
    """The table's public key."""


class RulingsDigest:
    """Half a SHA-256 of rulings, each as one line of JSON."""

    def __init__(self) -> None:
        self._sum = hashlib.sha256()

    def add(self, rulings: Iterable[Ruling]) -> None:
        for ruling in rulings:
            self._sum.update(dumps(ruling).encode() + b"\n")

    @property
    def digest(self) -> str:
        return self._sum.hexdigest()[:DIGITS]


def outcome(game: Game) -> dict[str, Any]:
    """Return the part of a statement about the game itself."""
    return {
        "result": game.result or "",
        "moves": len(game.history) + bool(game.turn.made),
        "fen": game.position.fen(),
    }


def new_key() -> str:
    """A new private key, in hexadecimal."""
    # Imported here and below: a table without a hall signs nothing.
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.generate().private_bytes_raw().hex()


def public_key(key: str) -> str:
    """The public key that belongs to a private ``key``."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key))
    return private.public_key().public_bytes_raw().hex()


def signed(statement: SignedStatement, key: str) -> bytes:
    """The line of a statement, signed with the private ``key``."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    covered = json.dumps(asdict(statement), ensure_ascii=False, separators=(",", ":"))[:-1].encode()
    made = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(key)).sign(covered)
    return covered + _COVERED + made.hex().encode() + b'"}\n'


def read_line(line: bytes) -> SignedStatement:
    """Return the statement in a line, after a check of its signature. The caller must check the
    owner of the key.

    :raises SignatureError: if it is not such a line, or if the signature is wrong.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    covered, _rest, end = line.rpartition(_COVERED)
    try:
        value = json.loads(line)
        made = value.pop("signature")
        statement = SignedStatement(**value)
        if end != made.encode() + b'"}\n' or not _is_possible(statement, made):
            raise ValueError
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(statement.key))
        public.verify(bytes.fromhex(made), covered)
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        raise SignatureError("it is not a signature of a journal") from None
    except InvalidSignature:
        raise SignatureError("the signature does not belong to what it signs") from None
    return statement


def _is_possible(statement: SignedStatement, made: str) -> bool:
    values: dict[str, Any] = asdict(statement)
    types = {name: type(value) for name, value in values.items()}
    expected = dict.fromkeys(types, str) | {"n": int, "moves": int, "wall": float}
    digests = statement.game, statement.digest, statement.rulings
    return (
        types == expected
        and all(_HEX[DIGITS].fullmatch(digest) for digest in digests)
        and _HEX[64].fullmatch(statement.key) is not None
        and _HEX[128].fullmatch(made) is not None
        and statement.n > 0
        and 0 <= statement.wall < math.inf
    )


def file_of(journal: Path) -> Path:
    """The file of a journal's signatures; it need not exist."""
    return files.beside(journal, _ENDING)


def lines_of(journal: Path) -> list[bytes]:
    """The lines of a journal's signatures as they are; none if there is no file.

    :raises OSError: if the file cannot be read.
    """
    with contextlib.suppress(FileNotFoundError), file_of(journal).open("rb") as file:
        return file.read(_MOST_BYTES).splitlines(keepends=True)
    return []


def add(journal: Path, line: bytes) -> bool:
    """Add a line to a journal's signatures; False if it is there already. An incomplete last line
    is removed.

    :raises OSError: if it cannot be written.
    """
    if line in lines_of(journal):
        return False
    handle = files.open_file(file_of(journal), create=True)
    try:
        content = files.read(handle)
        whole = content.rfind(b"\n") + 1
        if whole + len(line) > _MOST_BYTES:
            raise OSError(_("there are too many signatures"))
        if whole < len(content):  # a power cut came while it was written
            files.truncate(handle, whole)
        files.write(handle, line)
        files.sync(handle)
    finally:
        os.close(handle)
    return True


def now() -> float:
    """The time of day as statements have it."""
    return round(max(time.time(), 0.0), 3)


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    about: str
    """chain, rulings or signature."""
    holds: bool | None
    """None if nothing shows it here: a newer version wrote the journal, or a signature lacks that
    need not be there."""
    sentence: str


@dataclass(frozen=True)
class KnownKeys:
    """The public keys of an event's tables, from the organiser."""

    event: str
    keys: Mapping[str, str]


def verify(
    journal: Path, known: KnownKeys | None = None, *, unsigned: bool | None = False
) -> Iterator[Finding]:
    """Yield the findings about a journal, right and wrong. With ``known``, its last line should be
    signed with the key of one of these tables; ``unsigned`` is what holds if it is not.

    :raises JournalError: if there is no journal.
    :raises OSError: if the file of its signatures cannot be read.
    """
    contents = read_journal(journal)
    lines = contents.proved.splitlines(keepends=True)
    yield from _chain(contents)
    statements = list(_statements(journal))
    refolded = _Refolded(
        contents, {entry.n for entry in statements if isinstance(entry, SignedStatement)}
    )
    yield refolded.finding
    covered = 0
    for entry in statements:
        finding = entry if isinstance(entry, Finding) else _checked(entry, lines, refolded, known)
        if isinstance(entry, SignedStatement) and finding.holds:
            covered = max(covered, entry.n)
        yield finding
    yield from _uncovered(covered, len(lines), True if known is None else unsigned)


def _chain(contents: JournalContents) -> Iterator[Finding]:
    if contents.repaired:
        yield Finding("chain", False, contents.repaired)
    number, seal = contents.proved_end
    if contents.fault or (contents.unknown and not contents.newer):
        yield Finding("chain", False, contents.trouble)
    elif not number:  # somebody may have emptied it
        yield Finding("chain", False, _("The journal is empty, so it proves no game."))
    elif not contents.repaired:
        yield Finding(
            "chain",
            True,
            _("The chain holds: {number} lines, and the seal is {seal}.", number=number, seal=seal),
        )


def _statements(journal: Path) -> Iterator[SignedStatement | Finding]:
    """Yield each signature, or a finding about a wrong line."""
    for number, line in enumerate(lines_of(journal), 1):
        try:
            yield read_line(line)
        except SignatureError as error:
            file = file_of(journal)
            yield Finding(
                "signature",
                False,
                _(
                    "Line {number} of {file} is wrong: {error}.",
                    number=number,
                    file=file,
                    error=error,
                ),
            )


class _Refolded:
    """The game folded once more, and the outcome that a table must have signed at some lines."""

    def __init__(self, contents: JournalContents, numbers: set[int]) -> None:
        self.at: dict[int, dict[str, object]] = {}
        game, rulings = Game(PackWords()), RulingsDigest()
        for number, fact in enumerate(contents.facts, 1):
            try:
                rulings.add(game.apply(fact))
            except FactError as error:
                text = _("The Laws do not take line {number}: {error}.", number=number, error=error)
                self.finding = Finding("rulings", False, text)
                return
            if number in numbers:
                self.at[number] = {**outcome(game), "rulings": rulings.digest}
        if contents.newer:
            self.finding = Finding("rulings", None, contents.unknown)
            return
        number = len(contents.facts)
        text = _(
            "The Laws take all lines up to line {number}, and the game is not over.", number=number
        )
        if game.result:
            text = _(
                "The Laws take all lines up to line {number}; the result is {result}.",
                number=number,
                result=game.result,
            )
        self.finding = Finding("rulings", True, text)


def _checked(
    signed: SignedStatement, lines: list[bytes], refolded: _Refolded, known: KnownKeys | None
) -> Finding:
    """Return whether a valid signature fits this journal and, with ``known``, its table's key."""
    table, event, n = signed.table, signed.event, signed.n
    own = signed.game == (digest_of(lines[0]) if lines else "")
    wrong = ""
    if n > len(lines):
        wrong = _(
            "Table {table} of {event} signed {number} lines, and there are only {count}.",
            table=table,
            event=event,
            number=n,
            count=len(lines),
        )
    elif not own or digest_of(lines[n - 1]) != signed.digest:
        wrong = _(
            "Table {table} of {event} signed another line {number} than this one.",
            table=table,
            event=event,
            number=n,
        )
    elif known is not None and event != known.event:
        wrong = _(
            "Table {table} of {event} signed this, and the keys are those of {other_event}.",
            table=table,
            event=event,
            other_event=known.event,
        )
    elif known is not None and known.keys.get(table) != signed.key:
        wrong = _(
            "Line {number} is not signed with the key of table {table} of {event}.",
            number=n,
            table=table,
            event=event,
        )
    elif n in refolded.at:
        wrong = _contradiction(signed, refolded.at[n])
    if wrong:
        return Finding("signature", False, wrong)
    if known is not None:
        right = _(
            "Table {table} of {event} signed all lines up to line {number}.",
            table=table,
            event=event,
            number=n,
        )
    else:
        right = _(
            "Table {table} of {event} signed all lines up to line {number}; compare "
            "its key with the organiser's: {key}.",
            table=table,
            event=event,
            number=n,
            key=signed.key,
        )
    return Finding("signature", True, right)


def _contradiction(signed: SignedStatement, refolded: Mapping[str, object]) -> str:
    """Return a sentence on how the facts contradict the signed outcome; empty if they agree."""
    n = signed.n
    for name, value in refolded.items():
        stated = getattr(signed, name)
        if stated == value:
            continue
        if name != "rulings":
            return _(
                "At line {number} {name} is signed as {stated}, and the facts give {value}.",
                number=n,
                name=name,
                stated=repr(stated),
                value=repr(value),
            )
        if signed.version == VERSION:
            return _(
                "At line {number} other rulings are signed than follow from the facts.", number=n
            )
        return _(
            "At line {line} other rulings are signed than follow from the facts here; "
            "check it with BlindPlay {theirs}, for this is {ours}.",
            line=n,
            theirs=signed.version,
            ours=VERSION,
        )
    return ""


def _uncovered(covered: int, number: int, holds: bool | None) -> Iterator[Finding]:
    if covered == number:
        return
    sentence = _(
        "No table signed the lines from {covered} to {number}.", covered=covered + 1, number=number
    )
    if holds is None:
        last = _("So nothing shows whether lines after them are missing.")
        sentence = join_texts(" ", (sentence, last))
    yield Finding("signature", holds, sentence)
