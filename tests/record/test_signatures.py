"""Signatures of a journal, in a file beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from blindplay.record import signatures
from blindplay.record.signatures import SignatureError, SignedStatement, read_line, signed

# RFC 8032, 7.1, test 1
SECRET = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
STATEMENT = SignedStatement(
    "open", "4", "1" * 32, 7, "2" * 32, 12.5, "1-0", 3, "8/8/8/8/8/8/8/8 w - - 0 1", "3" * 32,
    "0.1.0", PUBLIC,
)  # fmt: skip


def test_the_key_is_one_of_ed25519() -> None:
    assert signatures.public_key(SECRET) == PUBLIC


def test_a_new_key_is_another_one_each_time() -> None:
    assert len({signatures.new_key() for _ in range(3)}) == 3


def test_a_statement_can_be_read_from_its_line() -> None:
    assert read_line(signed(STATEMENT, SECRET)) == STATEMENT


def test_another_program_can_check_a_line() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    covered, _, end = signed(STATEMENT, SECRET).rpartition(b',"signature":"')
    made = bytes.fromhex(end.decode().removesuffix('"}\n'))
    Ed25519PublicKey.from_public_bytes(bytes.fromhex(PUBLIC)).verify(made, covered)


@pytest.mark.parametrize("field", ["event", "table", "game", "n", "digest", "result", "rulings"])
def test_a_changed_statement_is_found(field: str) -> None:
    line = signed(STATEMENT, SECRET)
    value = {"n": 8}.get(field, "4" * 32)
    other = json.loads(line) | {field: value}
    text = json.dumps(other, separators=(",", ":")) + "\n"
    with pytest.raises(SignatureError, match="does not belong"):
        read_line(text.encode())


@pytest.mark.parametrize(
    "line",
    [
        b"", b"\n", b"{}\n", b"[]\n", b'{"signature":1}\n', b"\xff\n", b'{"signature":"00"}\n',
        signed(replace(STATEMENT, n=0), SECRET), signed(replace(STATEMENT, game="x"), SECRET),
        signed(STATEMENT, SECRET)[:-1], signed(replace(STATEMENT, wall=1), SECRET),
        signed(replace(STATEMENT, key="00"), SECRET), b"[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_signature_is_refused(line: bytes) -> None:
    with pytest.raises(SignatureError, match="not a signature"):
        read_line(line)


def test_lines_are_kept_once_and_in_order(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    first, second = (signed(replace(STATEMENT, n=n), SECRET) for n in (1, 2))
    assert signatures.lines_of(journal) == []
    assert [signatures.add(journal, line) for line in (first, second, first)] == [True, True, False]
    assert signatures.lines_of(journal) == [first, second]
    assert (tmp_path / "game.signatures").read_bytes() == first + second


def test_a_line_that_a_power_cut_has_torn_goes(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    first, second = (signed(replace(STATEMENT, n=n), SECRET) for n in (1, 2))
    (tmp_path / "game.signatures").write_bytes(first + second[:50])
    signatures.add(journal, second)
    assert signatures.lines_of(journal) == [first, second]


def test_the_file_does_not_grow_without_end(tmp_path: Path) -> None:
    journal = tmp_path / "game.jsonl"
    (tmp_path / "game.signatures").write_bytes(b"x\n" * 500_000)
    with pytest.raises(OSError, match="too many"):
        signatures.add(journal, signed(STATEMENT, SECRET))
