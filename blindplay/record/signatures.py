"""Signatures of a journal, by which tables vouch for its lines. They use Ed25519.

``game.signatures`` lies beside ``game.jsonl``. Each line is a JSON object that states how far the
journal went and what the table had ruled by then; docs/record.md describes it. The journal itself
stays as it is.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blindplay.laws import Game, Ruling
from blindplay.laws.rulings import dumps

from . import files
from .chain import DIGITS

_ENDING: files.OwnEnd = ".signatures"
_MOST_BYTES = 1_000_000
_COVERED = b',"signature":"'
_HEX = {size: re.compile(f"[0-9a-f]{{{size}}}") for size in (DIGITS, 64, 128)}


class SignatureError(ValueError):
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
    """Empty while the game goes on."""
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

    covered, _, end = line.rpartition(_COVERED)
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
    wanted = dict.fromkeys(types, str) | {"n": int, "moves": int, "wall": float}
    digests = statement.game, statement.digest, statement.rulings
    return (
        types == wanted
        and all(_HEX[DIGITS].fullmatch(one) for one in digests)
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
            raise OSError("there are too many signatures")
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
