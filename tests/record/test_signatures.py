"""Signatures of a journal, in a file beside it, and the check of a journal as evidence."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from blindplay.laws import Game
from blindplay.laws import facts as f
from blindplay.record import Journal, read_journal, signatures
from blindplay.record.chain import encoded
from blindplay.record.signatures import (
    Finding,
    KnownKeys,
    RulingsDigest,
    SignatureError,
    SignedStatement,
    read_line,
    signed,
    verify,
)
from blindplay.version import VERSION
from blindplay.wording.pack_words import PackWords

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


KEY, OTHER = signatures.new_key(), signatures.new_key()
KNOWN = KnownKeys("open", {"4": signatures.public_key(KEY)})
FACTS = (
    f.Setup(white=f.Player(name="Anna", impaired=True), time_control="900+10"),
    f.Start(t=1000),
    f.Announce(t=2000, by="white", move="e2e4"),
    f.Make(t=3000, by="white", move="e2e4"),
    f.Make(t=4000, by="black", move="e2e4"),
    f.Press(t=5000, by="white"),
    f.Resign(t=6000, by="black"),
)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*FACTS)
    return path


def statement(path: Path, n: int = len(FACTS)) -> SignedStatement:
    contents, game, rulings = read_journal(path), Game(PackWords()), RulingsDigest()
    for fact in contents.facts[:n]:
        rulings.add(game.apply(fact))
    line = contents.whole.splitlines()[n - 1]
    return SignedStatement(
        "open", "4", contents.game, n, line[-34:-2].decode(), 1.0, **signatures.outcome(game),
        rulings=rulings.digest, version=VERSION, key=signatures.public_key(KEY),
    )  # fmt: skip


def sign(path: Path, one: SignedStatement, key: str = KEY) -> None:
    signatures.add(path, signatures.signed(replace(one, key=signatures.public_key(key)), key))


def wrong(path: Path, known: KnownKeys | None = KNOWN) -> list[str]:
    return [one.sentence for one in verify(path, known) if not one.holds]


def test_a_signed_journal_holds(journal: Path) -> None:
    sign(journal, statement(journal))
    seal = statement(journal).digest
    assert list(verify(journal, KNOWN)) == [
        Finding("chain", True, f"The chain holds: 7 lines, and the seal is {seal}."),
        Finding("rulings", True, "The Laws take all lines up to line 7; the result is 1-0."),
        Finding("signature", True, "Table 4 of open signed all lines up to line 7."),
    ]


def test_without_the_organisers_keys_the_key_is_named(journal: Path) -> None:
    sign(journal, statement(journal))
    assert not wrong(journal, None)
    assert signatures.public_key(KEY) in [one.sentence for one in verify(journal)][-1]


def test_a_journal_without_a_signature_holds_unless_one_is_wanted(journal: Path) -> None:
    assert wrong(journal, None) == []
    assert wrong(journal) == ["No table signed the lines from 1 to 7."]


def test_an_emptied_journal_proves_nothing(journal: Path) -> None:
    journal.write_bytes(b"")
    for known in (None, KNOWN):
        assert "The journal is empty, so it proves no game." in wrong(journal, known)


def test_lines_after_the_last_signature_are_named(journal: Path) -> None:
    sign(journal, statement(journal, 5))
    assert wrong(journal) == ["No table signed the lines from 6 to 7."]


def test_a_changed_line_is_found(journal: Path) -> None:
    sign(journal, statement(journal))
    journal.write_bytes(journal.read_bytes().replace(b'"resign","by":"black"',
                                                     b'"resign","by":"white"'))  # fmt: skip
    assert wrong(journal) == [
        f"The journal {journal} is not as its table wrote it (line 7). The digests prove what was "
        "written, and that is read."
    ]


def test_a_line_that_nothing_proves_any_more_is_found(journal: Path) -> None:
    sign(journal, statement(journal))
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:3] + lines[4:]))
    chain, signature, *_ = wrong(journal)
    assert "at line 4. Lines 6 to 7 follow each other" in chain
    assert signature == "Table 4 of open signed 7 lines, and there are only 3."


def test_what_a_newer_version_wrote_is_neither_right_nor_wrong(journal: Path) -> None:
    end, lines = (7, statement(journal).digest), journal.read_bytes()
    with mock.patch.object(f, "dumps", lambda fact: '{"t":9,"fact":"dance"}'):
        line, end = encoded(f.Tick(t=9000), end)
    journal.write_bytes(lines + line)
    journal.with_suffix(".pulse").unlink(missing_ok=True)
    sign(journal, replace(statement(journal), n=8, digest=end[1]))
    chain, rulings, signature = verify(journal, KNOWN)
    assert chain.holds and f"8 lines, and the seal is {end[1]}" in chain.sentence
    assert rulings.holds is None and rulings.sentence.startswith("A newer BlindPlay wrote")
    assert signature.holds and signature.sentence.endswith("signed all lines up to line 8.")


def forge(path: Path, change: Callable[[f.Fact], f.Fact]) -> None:
    """Write the journal anew, with digests that fit."""
    end, lines = (0, ""), b""
    for fact in FACTS:
        line, end = encoded(change(fact), end)
        lines += line
    path.write_bytes(lines)
    path.with_suffix(".pulse").unlink(missing_ok=True)


def test_a_chain_that_somebody_has_computed_anew_is_found(journal: Path) -> None:
    sign(journal, statement(journal))
    forge(journal, lambda fact: replace(fact, by="white") if isinstance(fact, f.Resign) else fact)
    assert wrong(journal) == [
        "Table 4 of open signed another line 7 than this one.",
        "No table signed the lines from 1 to 7.",
    ]


def test_a_signature_with_another_key_is_found(journal: Path) -> None:
    sign(journal, statement(journal), OTHER)
    assert wrong(journal) == [
        "Line 7 is not signed with the key of table 4 of open.",
        "No table signed the lines from 1 to 7.",
    ]


def test_a_key_of_another_event_is_not_enough(journal: Path) -> None:
    sign(journal, replace(statement(journal), event="club"))
    assert wrong(journal)[0] == ("Table 4 of club signed this, and the keys are those of open.")


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("result", "0-1", "result is signed as '0-1', and the facts give '1-0'."),
        ("moves", 9, "moves is signed as 9, and the facts give 1."),
        ("rulings", "0" * 32, "other rulings are signed than follow from the facts."),
    ],
)
def test_rulings_that_do_not_follow_from_the_facts_are_named(
    journal: Path, field: str, value: object, sentence: str
) -> None:
    sign(journal, replace(statement(journal), **{field: value}))  # type: ignore[arg-type]
    assert wrong(journal)[0] == f"At line 7 {sentence}"


def test_rulings_of_another_version_are_named_as_such(journal: Path) -> None:
    sign(journal, replace(statement(journal), rulings="0" * 32, version="9.1"))
    assert "check it with BlindPlay 9.1" in wrong(journal)[0]


def test_facts_that_the_laws_cannot_take_are_named(journal: Path) -> None:
    end, lines = (0, ""), b""
    for fact in (*FACTS[:2], FACTS[0]):
        line, end = encoded(fact, end)
        lines += line
    journal.write_bytes(lines)
    journal.with_suffix(".pulse").unlink(missing_ok=True)
    assert wrong(journal, None)[0].startswith("The Laws do not take line 3: ")


def test_each_signature_that_is_damaged_is_named(journal: Path) -> None:
    sign(journal, statement(journal))
    file = signatures.file_of(journal)
    file.write_bytes(file.read_bytes() + b"{}\n" + file.read_bytes().replace(b"1-0", b"0-1"))
    assert wrong(journal) == [
        f"Line 2 of {file} is wrong: it is not a signature of a journal.",
        f"Line 3 of {file} is wrong: the signature does not belong to what it signs.",
    ]


def test_any_changed_byte_is_found(journal: Path) -> None:
    sign(journal, statement(journal))
    journal.with_suffix(".pulse").unlink(missing_ok=True)
    whole = journal.read_bytes()
    for place in itertools.islice(range(len(whole)), 0, None, 97):
        spoilt = bytes([whole[place] ^ 1])
        journal.write_bytes(whole[:place] + spoilt + whole[place + 1 :])
        try:
            assert wrong(journal)
        except ValueError as error:
            assert "journal" in str(error)
    assert json.loads(whole.splitlines()[-1])["n"] == 7
