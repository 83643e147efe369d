"""The check of a journal: its chain, its signatures, and the Laws once more."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from blindplay.laws import FactError, Game
from blindplay.version import VERSION
from blindplay.wording.pack_words import PackWords

from . import signatures
from .chain import digest_of
from .journal import JournalContents, read_journal
from .signatures import RulingsDigest, SignatureError, SignedStatement


@dataclass(frozen=True)
class Finding:
    """One thing that was checked."""

    about: str
    """chain, rulings or signature."""
    holds: bool
    sentence: str


@dataclass(frozen=True)
class KnownKeys:
    """The public keys of an event's tables, from the organiser."""

    event: str
    keys: Mapping[str, str]


def verify(journal: Path, known: KnownKeys | None = None) -> Iterator[Finding]:
    """Yield the findings about a journal, right and wrong. With ``known``, its last line must be
    signed with the key of one of these tables.

    :raises JournalError: if there is no journal.
    :raises OSError: if the file of its signatures cannot be read.
    """
    contents = read_journal(journal)
    lines = contents.whole.splitlines(keepends=True)
    yield _chain(contents)
    statements = list(_statements(journal))
    refolded = _Refolded(
        contents, {one.n for one in statements if isinstance(one, SignedStatement)}
    )
    yield refolded.finding
    covered = 0
    for one in statements:
        found = one if isinstance(one, Finding) else _checked(one, lines, refolded, known)
        if isinstance(one, SignedStatement) and found.holds:
            covered = max(covered, one.n)
        yield found
    yield from _uncovered(covered, len(lines), known)


def _chain(contents: JournalContents) -> Finding:
    if contents.trouble:
        return Finding("chain", False, contents.trouble)
    number, seal = contents.end
    return Finding("chain", True, f"The chain holds: {number} lines, and the seal is {seal}.")


def _statements(journal: Path) -> Iterator[SignedStatement | Finding]:
    """Yield each signature, or a finding about a wrong line."""
    for number, line in enumerate(signatures.lines_of(journal), 1):
        try:
            yield signatures.read_line(line)
        except SignatureError as error:
            file = signatures.file_of(journal)
            yield Finding("signature", False, f"Line {number} of {file} is wrong: {error}.")


class _Refolded:
    """The game folded once more, and the outcome that a table must have signed at some lines."""

    def __init__(self, contents: JournalContents, wanted: set[int]) -> None:
        self.at: dict[int, dict[str, object]] = {}
        game, rulings = Game(PackWords()), RulingsDigest()
        for number, fact in enumerate(contents.facts, 1):
            try:
                rulings.add(game.apply(fact))
            except FactError as error:
                text = f"The Laws do not take line {number}: {error}."
                self.finding = Finding("rulings", False, text)
                return
            if number in wanted:
                self.at[number] = {**signatures.outcome(game), "rulings": rulings.digest}
        number = len(contents.facts)
        text = f"The Laws take all lines up to line {number}, and the game is not over."
        if game.result:
            text = f"The Laws take all lines up to line {number}; the result is {game.result}."
        self.finding = Finding("rulings", True, text)


def _checked(
    signed: SignedStatement, lines: list[bytes], refolded: _Refolded, known: KnownKeys | None
) -> Finding:
    """Return whether a valid signature fits this journal and, with ``known``, its table's key."""
    table, event, n = signed.table, signed.event, signed.n
    own = signed.game == (digest_of(lines[0]) if lines else "")
    wrong = ""
    if n > len(lines):
        wrong = f"Table {table} of {event} signed {n} lines, and there are only {len(lines)}."
    elif not own or digest_of(lines[n - 1]) != signed.digest:
        wrong = f"Table {table} of {event} signed another line {n} than this one."
    elif known is not None and event != known.event:
        wrong = f"Table {table} of {event} signed this, and the keys are those of {known.event}."
    elif known is not None and known.keys.get(table) != signed.key:
        wrong = f"Line {n} is not signed with the key of table {table} of {event}."
    elif n in refolded.at:
        wrong = _contradiction(signed, refolded.at[n])
    if wrong:
        return Finding("signature", False, wrong)
    if known is not None:
        right = f"Table {table} of {event} signed all lines up to line {n}."
    else:
        right = (
            f"Table {table} of {event} signed all lines up to line {n}; compare its key with the "
            f"organiser's: {signed.key}."
        )
    return Finding("signature", True, right)


def _contradiction(signed: SignedStatement, found: Mapping[str, object]) -> str:
    """Return a sentence on how the facts contradict the signed outcome; empty if they agree."""
    n = signed.n
    for name, value in found.items():
        stated = getattr(signed, name)
        if stated == value:
            continue
        if name != "rulings":
            return f"At line {n} {name} is signed as {stated!r}, and the facts give {value!r}."
        if signed.version == VERSION:
            return f"At line {n} other rulings are signed than follow from the facts."
        return (
            f"At line {n} other rulings are signed than follow from the facts here; check it with "
            f"BlindPlay {signed.version}, for this is {VERSION}."
        )
    return ""


def _uncovered(covered: int, number: int, known: KnownKeys | None) -> Iterator[Finding]:
    if covered == number:
        return
    sentence = f"No table signed the lines from {covered + 1} to {number}."
    yield Finding("signature", known is None, sentence)
