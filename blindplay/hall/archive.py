"""The archive of an event: one file with all that shows how it went, and no secret.

It is a zip file. ``games`` has the hall's copies of the journals with the signatures of their
tables, and the pairings; ``report`` the files of the pairing program; ``papers`` the results and
the reports. ``archive.json`` names the event, the public key of each table, and each file with its
length and its SHA-256. docs/development/journal.md describes it for other programs.

:func:`verify` reads it with distrust, on a machine that knows nothing of the event.
"""

import datetime
import hashlib
import io
import json
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from blindplay.console.messages import negotiate
from blindplay.given import (
    ARCHIVE,
    JOURNAL,
    PAIRINGS,
    check_file,
    in_time,
    plain,
    read_bytes,
    shown,
    too_large,
)
from blindplay.language import Language
from blindplay.laws import FactError, Game
from blindplay.record import JournalError, read_journal, signatures
from blindplay.record.chain import digest_of
from blindplay.record.files import PART, SUFFIX
from blindplay.record.signatures import Finding, KnownKeys
from blindplay.translation import Message, UserError, _, codes, join_texts, translated
from blindplay.version import VERSION
from blindplay.wording.names import spoken_name
from blindplay.wording.pack_words import PackWords

from .copies import branches_of
from .event_file import EventFile
from .overview import natural
from .pairings.csv_pairings import CsvFile
from .pairings.decided import Forfeit, decisions_file
from .pairings.played import (
    NEWER,
    OPEN,
    SIGNED,
    PlayedGames,
    ResultFile,
    TableResult,
    all_results_in,
    as_result,
    forfeits_in,
    pair_of,
    result_of,
)
from .pairings.rounds import (
    Assignment,
    Round,
    kept_rounds,
    pairings_file,
    read_result_file,
    result_file_of,
)
from .pairings.trf import TrfFile
from .papers import EventRound, PaperKind, RoundPaper, reporter_of
from .protocol import NAME

_KIND, _FORMAT = "blindplay event archive", 1
_MANIFEST, _README = "archive.json", "README.txt"
_GAMES, _REPORT, _PAPERS = "games", "report", "papers"
_GAME = re.compile(rf"{_GAMES}/table-({NAME.pattern})/([0-9a-f]{{32}})\.jsonl")
_REPORT_NAME = re.compile(r"[^/\\:<>|?*\"\x00-\x1f.][^/\\:<>|?*\"\x00-\x1f]{0,100}")
_MEMBER = re.compile(
    rf"{re.escape(_README)}|{re.escape(_MANIFEST)}"
    rf"|{_GAMES}/(?:pairings\.json|decisions\.jsonl|incidents\.jsonl)"
    rf"|{_GAMES}/table-(?:{NAME.pattern})/[0-9a-f]{{32}}\.(?:jsonl|signatures)"
    rf"|{_GAMES}/table-(?:{NAME.pattern})/branches/[0-9a-f]{{32}}-[0-9a-f]{{8}}\.jsonl"
    rf"|{_REPORT}/(?:{_REPORT_NAME.pattern})"
    rf"|{_PAPERS}/[\w-]{{1,60}}\.(?:html|txt)"
)
_MOST_FILES = 50_000
_MOST_INDEX = 5_000_000  # bytes of the zip file's own list of its files, and of the manifest
_PIECE = 1 << 16
_REREADS = 5
_HEX = re.compile("[0-9a-f]{64}")


class EventArchiveError(UserError):
    """An archive that cannot be used. The message says why."""


# --- writing -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WrittenArchive:
    """An archive that was written."""

    games: int
    digest: str
    """The SHA-256 of the file."""
    keys: str
    """The digest of the tables' public keys; see :func:`keys_digest`."""
    remarks: tuple[str, ...] = ()
    """Sentences about what was guessed in the files of the pairing program."""


def write(
    output: Path,
    joined: EventFile,
    reports: Sequence[Path],
    pack: Language,
    *,
    with_sealed: bool = False,
) -> WrittenArchive:
    """Write the archive of an event, whole or not at all. ``reports``: files of the pairing
    program; the papers in it are in the language of ``pack``. Only what this module names goes into
    it, so no secret of the event's folder does; a sealed move that nobody has opened is one, unless
    ``with_sealed``.

    :raises ValueError: if a file is wrong or too large, there are too many, a sealed move is not
        opened, or ``output`` exists.
    :raises OSError: if something cannot be read or written.
    """
    if output.exists():
        raise UserError(
            "{output} exists already; choose another file with --output.", output=output
        )
    if not with_sealed:
        _check_envelopes(joined.folder)
    files = {path: read_result_file(path) for path in reports}
    part = output.with_name(output.name + PART)
    listed: dict[str, tuple[int, str]] = {}
    games = 0
    try:
        with part.open("wb") as stream:
            with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
                for name, content in _contents(output, joined, files, pack):
                    listed[name] = len(content), hashlib.sha256(content).hexdigest()
                    games += bool(_GAME.fullmatch(name))
                    if len(listed) >= _MOST_FILES:
                        raise UserError("The event has too many games for one archive.")
                    _put(opened, name, content)
                _put(opened, _MANIFEST, _manifest(joined, listed))
            stream.flush()
            os.fsync(stream.fileno())
        check_file(part, ARCHIVE)
        part.replace(output)
    finally:
        part.unlink(missing_ok=True)
    remarks = tuple(remark for file in files.values() for remark in file.remarks)
    digest, keys = _digest_of_file(output), keys_digest(joined.event, joined.keys)
    return WrittenArchive(games, digest, keys, remarks)


def _check_envelopes(folder: Path) -> None:
    """:raises ValueError: if a game that is not over has a sealed move that is not opened."""
    tables = [
        path.parent.name.removeprefix("table-")
        for path in folder.glob(f"table-*/*{SUFFIX}")
        if any(map(_is_sealed, (path, *branches_of(path)))) and not _folded(path).over
    ]
    if tables:
        raise UserError(
            "Everybody could read the sealed moves of adjourned games in the archive. Their "
            "tables: {tables}. Go on with these games first, with: blindplay hall resume; or "
            "archive them all the same with --with-sealed.",
            tables=", ".join(sorted(set(tables), key=natural)),
        )


def _is_sealed(journal: Path) -> bool:
    """Return whether a journal has a sealed move that is not opened."""
    if b'"seal"' not in read_bytes(journal, JOURNAL):
        return False
    return _folded(journal).sealed is not None


def _folded(journal: Path) -> Game:
    """The game of a journal as far as it can be read, and the Laws take it."""
    game = Game(PackWords())
    with suppress(FactError, JournalError):
        for fact in read_journal(journal).facts:
            game.apply(fact)
    return game


def _put(opened: zipfile.ZipFile, name: str, content: bytes) -> None:
    about = zipfile.ZipInfo(name, datetime.datetime.now().timetuple()[:6])
    about.compress_type = zipfile.ZIP_DEFLATED
    about.external_attr = (stat.S_IFREG | 0o644) << 16
    opened.writestr(about, content)


def _contents(
    output: Path, joined: EventFile, files: Mapping[Path, TrfFile | CsvFile], pack: Language
) -> Iterator[tuple[str, bytes]]:
    yield _README, _readme(output.name, joined).encode()
    folder = joined.folder
    kept = {path.with_suffix(SUFFIX) for path in folder.glob("table-*/*")}
    for path in sorted(kept, key=lambda path: natural(str(path))):
        if not _GAME.fullmatch(name := _within(path, folder)):
            continue  # a file of somebody
        content, signed = _signed_journal(path)
        if content is not None:
            yield name, content
        if signed:  # perhaps of a game that has not come
            yield _within(signatures.file_of(path), folder), signed
        for branch in branches_of(path):
            if _MEMBER.fullmatch(other := _within(branch, folder)):
                yield other, _whole_lines(branch)
    for path in (pairings_file(folder), decisions_file(folder), folder / "incidents.jsonl"):
        if path.is_file():
            yield _within(path, folder), read_bytes(path, JOURNAL)
    names = set[str]()
    for path in files:
        if not _REPORT_NAME.fullmatch(path.name) or path.name.casefold() in names:
            raise UserError("{path} needs another name in the archive; rename the file.", path=path)
        names.add(path.name.casefold())
        yield f"{_REPORT}/{path.name}", read_bytes(path, PAIRINGS)
    yield from _papers(joined, files, pack)


def _within(path: Path, folder: Path) -> str:
    return f"{_GAMES}/{path.relative_to(folder).as_posix()}"


def _signed_journal(path: Path) -> tuple[bytes | None, bytes]:
    """The content of a journal, None if there is none, and its signatures. A hall may be adding to
    both at this moment: signatures that came meanwhile are of other lines."""
    for _unused in range(_REREADS):
        signed = signatures.lines_of(path)
        content = _whole_lines(path) if path.is_file() else None
        if signatures.lines_of(path) == signed:
            break
    return content, b"".join(signed)


def _whole_lines(path: Path) -> bytes:
    """The content of a journal. A hall may be adding lines at this moment."""
    content = read_bytes(path, JOURNAL)
    for _unused in range(_REREADS):
        if content.endswith(b"\n"):
            break
        content = read_bytes(path, JOURNAL)
    return content


def _papers(
    joined: EventFile, files: Mapping[Path, TrfFile | CsvFile], pack: Language
) -> Iterator[tuple[str, bytes]]:
    reporter, results = reporter_of(joined), all_results_in(joined.folder, None)
    names = set[str]()
    for paired in sorted(kept_rounds(joined.folder), key=lambda one: natural(one.round)):
        own = [one for one in results if one.round == paired.round]
        report = reporter.report(negotiate(pack.code), paired.round)
        about = EventRound(joined.title, paired, joined.play, own, report=report)
        name = _unused(f"round-{paired.round}", names)
        for kind in (PaperKind.RESULTS, PaperKind.REPORT):
            yield from _as_files(f"{name}-{kind}", about.paper(kind, pack))
    for path, file in files.items():
        if isinstance(file, TrfFile):
            about = EventRound(joined.title, Round("", ()), ranked=file)
            name = _unused(f"standings-{path.stem}", names)
            yield from _as_files(name, about.paper(PaperKind.STANDINGS, pack))


def _unused(text: str, names: set[str]) -> str:
    """A name for a file that is not among ``names``, to which it is added."""
    name = re.sub(r"[^\w-]+", "-", text)[:40]
    while name in names:
        name += "-"
    names.add(name)
    return name


def _as_files(name: str, paper: RoundPaper | None) -> Iterator[tuple[str, bytes]]:
    if paper is not None:
        yield f"{_PAPERS}/{name}.html", paper.html(12).encode()
        yield f"{_PAPERS}/{name}.txt", paper.text().encode()


def _manifest(joined: EventFile, listed: Mapping[str, tuple[int, str]]) -> bytes:
    about = {
        "kind": _KIND,
        "format": _FORMAT,
        "event": joined.event,
        "title": joined.title,
        "made": datetime.datetime.now().isoformat(timespec="seconds"),
        "version": VERSION,
        "keys": dict(joined.keys),
        "files": listed,
    }
    return json.dumps(about, ensure_ascii=False, indent=1).encode() + b"\n"


def _readme(name: str, joined: EventFile) -> str:
    """What this is and how to check it, in each language."""
    sentences = (
        _("This is the archive of {title}, made by BlindPlay {version}.", title=joined.title,
          version=VERSION),
        _("Anybody can check it with one command, without a password and without a network:"),
        f"    blindplay verify {name}",
        _("It says for each game whether it is what its table wrote and signed, and whether the "
          "report file has the same result. Each difference is named with its table and its line."),
        _("The folder games has the journals with the signatures of their tables. report has the "
          "files of the pairing program, papers the results and the reports of the rounds. "
          "archive.json has the public key of each table, and the length and the SHA-256 of each "
          "file."),
        _("Whoever makes an archive may also make its keys. So compare the digest of the keys that "
          "the command says with the one that the organiser has published."),
    )  # fmt: skip
    parts = ("\n".join(translated(one, code) for one in sentences) for code in codes())
    return "\n\n".join(dict.fromkeys(parts)) + "\n"


def keys_digest(event: str, keys: Mapping[str, str]) -> str:
    """A short digest of an event's public keys, by which people compare them: half a SHA-256."""
    lines = "".join(f"{table} {keys[table]}\n" for table in sorted(keys, key=natural))
    return hashlib.sha256(f"{event}\n{lines}".encode()).hexdigest()[:32]


def _digest_of_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Manifest:
    event: str
    title: str
    made: str
    keys: Mapping[str, str]
    files: Mapping[str, tuple[int, str]]


class _BoundedFile(io.BufferedReader):
    """A file of which no large part is read at once: zipfile reads the list of its files, of
    whatever size, into memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = _MOST_INDEX + 1 if size is None or size < 0 else size
        if wanted > _MOST_INDEX and len(content := super().read(_MOST_INDEX + 1)) <= _MOST_INDEX:
            return content
        if wanted > _MOST_INDEX:
            raise EventArchiveError("The archive holds too many files for one of an event.")
        return super().read(wanted)


class _Archive:
    """An opened archive: only members that may be in one, each once."""

    def __init__(self, path: Path, opened: zipfile.ZipFile) -> None:
        self._opened = opened
        self.members: dict[str, zipfile.ZipInfo] = {}
        self.strange: list[str] = []
        """The names of members that do not belong into it."""
        infos = opened.infolist()
        if len(infos) > _MOST_FILES:
            raise EventArchiveError("The archive holds too many files for one of an event.")
        for info in infos:
            name = info.orig_filename
            if name.endswith("/") and not info.file_size:
                continue  # a folder
            plain_file = (
                info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
                and not info.flag_bits & 1
                and stat.S_IFMT(info.external_attr >> 16) in (0, stat.S_IFREG)
            )
            if _MEMBER.fullmatch(name) and plain_file and name not in self.members:
                self.members[name] = info
            else:
                self.strange.append(name)
        if sum(info.file_size for info in self.members.values()) > ARCHIVE.most_bytes:
            raise EventArchiveError(str(too_large(path, ARCHIVE)))
        self.manifest = self._read_manifest(path)

    def read(self, name: str, most: int = JOURNAL.most_bytes) -> tuple[bytes, bool]:
        """What can be read of a member, and whether that is all of it."""
        content, info = bytearray(), self.members[name]
        if info.file_size > most:
            return b"", False
        try:
            with self._opened.open(info) as member:
                while piece := member.read(_PIECE):
                    content += piece
                    if len(content) > most:
                        return b"", False
        except EventArchiveError:
            raise
        except Exception:  # zipfile raises whatever its decompressors raise
            return bytes(content), False
        return bytes(content), True

    def _read_manifest(self, path: Path) -> _Manifest:
        wrong = EventArchiveError(
            "{path} is not the archive of an event, or is damaged; ask for it again.",
            path=plain(str(path)),
        )
        content, whole = (
            self.read(_MANIFEST, _MOST_INDEX) if _MANIFEST in self.members else (b"", 0)
        )
        try:
            value: Any = json.loads(content.decode()) if whole else None
            if value["kind"] != _KIND or type(value["format"]) is not int:
                raise wrong
            if value["format"] > _FORMAT:
                raise EventArchiveError(
                    "A newer BlindPlay wrote this archive, in format {format}; update "
                    "BlindPlay here.",
                    format=value["format"],
                )
            return _manifest_of(value)
        except EventArchiveError:
            raise
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise wrong from None


def _manifest_of(value: dict[str, Any]) -> _Manifest:
    """:raises ValueError, TypeError, KeyError, AttributeError: if something in it is wrong."""
    keys = {table: key for table, key in value["keys"].items() if _HEX.fullmatch(key)}
    files = {
        name: (size, digest)
        for name, (size, digest) in value["files"].items()
        if _MEMBER.fullmatch(name) and type(size) is int and _HEX.fullmatch(digest)
    }
    texts = value["event"], value["title"], value["made"]
    if (
        len(keys) != len(value["keys"])
        or len(files) != len(value["files"])
        or not all(isinstance(text, str) and len(text) < 1000 for text in texts)
        or not NAME.fullmatch(value["event"])
        or not all(map(NAME.fullmatch, keys))
    ):
        raise ValueError
    event, title, made = texts
    return _Manifest(event, plain(title), plain(made), keys, files)


@contextmanager
def _opened(path: Path) -> Iterator[_Archive]:
    check_file(path, ARCHIVE)
    with ExitStack() as stack:
        try:
            file = stack.enter_context(_BoundedFile(io.FileIO(path)))
            archive = _Archive(path, stack.enter_context(zipfile.ZipFile(file)))
        except (EventArchiveError, OSError):
            raise
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError, OverflowError):
            raise EventArchiveError(
                "{path} is not the archive of an event, or is damaged; ask for it again.",
                path=plain(str(path)),
            ) from None
        yield archive


# --- checking ------------------------------------------------------------------------------------


def verify(path: Path, known: KnownKeys | None = None) -> Iterator[Finding]:
    """Yield the findings about an archive, right and wrong. ``known``: the keys of the organiser,
    in place of those that are in the archive.

    :raises ValueError: if it is no archive, or a newer version wrote it.
    :raises OSError: if the disk takes no copy of a game.
    """
    with _opened(path) as archive:
        about = archive.manifest
        yield Finding(
            "archive",
            True,
            _(
                "This is the archive of {title}, made {made}. Its SHA-256 is {digest}.",
                title=about.title,
                made=about.made.replace("T", " "),
                digest=_digest_of_file(path),
            ),
        )
        yield from _files(archive)
        yield from _keys(about, known)
        trusted = known or (KnownKeys(about.event, about.keys) if about.keys else None)
        with tempfile.TemporaryDirectory(prefix="blindplay-archive-") as name:
            folder = Path(name)
            played: list[TableResult] = []
            found: list[tuple[tuple[tuple[int, str], ...], list[Finding]]] = []
            games, lost = _by_game(archive)
            for member in lost:
                text = _("{name} is of a game whose journal is missing.", name=member)
                yield Finding("game", False, text)
            for members in games.values():
                journal = _unpacked(archive, members, folder)
                game = result_of(journal)
                played += [] if game is None else [game]
                number = "" if game is None else game.round[:100]
                place = *natural(number), (-2, ""), *natural(journal.parent.name)
                found.append((place, list(_game(journal, game, trusted))))
                for file in (*branches_of(journal), signatures.file_of(journal), journal):
                    file.unlink(missing_ok=True)
            for _place, findings in sorted(found, key=lambda one: one[0]):
                yield from findings
            forfeits = _forfeits(archive, folder)
            yield from map(_declared, forfeits)
            played += map(as_result, forfeits)
            yield from _reports(archive, folder, played)


def _files(archive: _Archive) -> Iterator[Finding]:
    """Yield what is wrong with the files as a whole."""
    listed = archive.manifest.files
    wrong = False
    for name in archive.strange:
        wrong = True
        yield Finding("file", False, _("{name} does not belong in this archive.", name=shown(name)))
    for name in archive.members.keys() - listed.keys() - {_MANIFEST}:
        wrong = True
        yield Finding("file", False, _("{name} was added to the archive later.", name=shown(name)))
    for name, (size, digest) in listed.items():
        if name not in archive.members:
            wrong = True
            yield Finding("file", False, _("{name} is missing.", name=shown(name)))
            continue
        content, whole = archive.read(name)
        if not whole or (len(content), hashlib.sha256(content).hexdigest()) != (size, digest):
            wrong = True
            yield Finding(
                "file",
                False,
                _("{name} is not as it was when the archive was made.", name=shown(name)),
            )
    if not wrong:
        text = _("All {count} files are as they were when the archive was made.", count=len(listed))
        yield Finding("file", True, text)


def _keys(about: _Manifest, known: KnownKeys | None) -> Iterator[Finding]:
    if known is not None:
        for table in sorted(about.keys, key=natural):
            if known.keys.get(table) != about.keys[table]:
                text = _("The key of table {table} is not the organiser's.", table=table)
                yield Finding("keys", False, text)
    elif about.keys:
        digest = keys_digest(about.event, about.keys)
        text = _(
            "The digest of the tables' keys is {digest}; compare it with the organiser's.",
            digest=digest,
        )
        yield Finding("keys", True, text)
    else:
        text = _("The event has no keys, so nothing shows who wrote these games.")
        yield Finding("keys", None, text)


def _by_game(archive: _Archive) -> tuple[dict[str, list[str]], list[str]]:
    """The members of each game: its journal, first, its signatures and its other versions; and the
    members of games without a journal."""
    games = {
        member.removesuffix(SUFFIX): [member]
        for member in sorted(filter(_GAME.fullmatch, archive.members), key=natural)
    }
    lost = []
    for member in archive.members:
        path = PurePosixPath(member)
        game = str(path.with_suffix(""))
        if path.parent.name == "branches":
            game = str(path.parent.parent / path.stem.partition("-")[0])
        elif path.suffix != ".signatures":
            continue
        if game in games:
            games[game].append(member)
        else:
            lost.append(member)
    return games, lost


def _unpacked(archive: _Archive, members: Sequence[str], folder: Path) -> Path:
    """Unpack the members of a game as a hall keeps it; return its journal."""
    paths = [folder / member.removeprefix(f"{_GAMES}/") for member in members]
    for member, path in zip(members, paths, strict=True):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(archive.read(member)[0])
    return paths[0]


def _game(journal: Path, game: TableResult | None, known: KnownKeys | None) -> Iterator[Finding]:
    table = journal.parent.name.removeprefix("table-")
    label = _("Table {table}, {file}", table=table, file=journal.name)
    if game is not None:
        label = _label(game)
    wrong = False
    try:
        findings = [
            *_misplaced(journal, table),
            *signatures.verify(journal, known, unsigned=_unsigned(game)),
        ]
    except JournalError as error:
        findings = [Finding("game", False, str(error))]
    for finding in findings:
        if not finding.holds:
            wrong = wrong or finding.about != "signature" or finding.holds is False
            sentence = _inside(finding.sentence, journal.parent.parent)
            yield Finding("game", finding.holds, join_texts(": ", (label, sentence)))
    if game is None:
        if not wrong:
            text = _("It is not the journal of a game.")
            yield Finding("game", False, join_texts(": ", (label, text)))
        return
    yield from _told(label, game, wrong=wrong)
    for branch in branches_of(journal):
        yield from _other_version(label, branch)


def _unsigned(game: TableResult | None) -> bool | None:
    """What holds of a game whose last line no table has signed. Tables sign games that are over, so
    one that goes on may be whole, or have been cut."""
    if game is None or game.result:
        return False
    return True if game.state in ("setup", NEWER) else None


def _told(label: str, game: TableResult, *, wrong: bool) -> Iterator[Finding]:
    """Yield what a game is, if nothing is wrong with it, and what must be known about it."""
    if not wrong:
        if game.result:
            what = _(
                "{result}; the players: {signed}. The journal and the table's signature hold.",
                result=game.result,
                signed=SIGNED[game.signed],
            )
        else:
            what = OPEN.get(game.state, OPEN["setup"])
        yield Finding("game", True, join_texts(": ", (label, what)))
    if game.former:
        corrected = _("The arbiter has corrected it: {reason}.", reason=game.reason.rstrip("."))
        yield Finding("game", True, join_texts(": ", (label, corrected)))


def _other_version(label: str, branch: Path) -> Iterator[Finding]:
    """Yield what is known about another version of a game."""
    other = result_of(branch)
    what = _("This game went on in two ways; both are in the archive.")
    if other is not None and other.result:
        ended = _("The other one ended {result}.", result=other.result)
        what = join_texts(" ", (what, ended))
    yield Finding("game", True, join_texts(": ", (label, what)))
    try:
        findings = list(signatures.verify(branch))
    except JournalError as error:
        findings = [Finding("chain", False, str(error))]
    for finding in findings:
        if finding.holds is False and finding.about == "chain":
            inside = _inside(finding.sentence, branch.parents[2])
            sentence = join_texts(" ", (_("The other version:"), inside))
            yield Finding("game", False, join_texts(": ", (label, sentence)))


def _inside(text: str, folder: Path) -> str:
    """A message without the folder into which the archive is unpacked."""
    if isinstance(text, Message):
        values = {name: _inside(value, folder) for name, value in text.values.items()}
        return Message(text.template, values, text.many, text.number)
    return text.replace(f"{folder}{os.sep}", "")


def _label(game: TableResult | Assignment) -> str:
    return _(
        "Round {round}, table {table}: {white} – {black}",
        round=plain(game.round),
        table=plain(game.table),
        white=plain(game.white),
        black=plain(game.black),
    )


def _misplaced(journal: Path, table: str) -> Iterator[Finding]:
    """Yield what is wrong with the place of a game: it is another one, or another table's."""
    first = read_journal(journal).proved.partition(b"\n")[0] + b"\n"
    if digest_of(first) != journal.stem:
        text = _("This is another game than the name of its file says.")
        yield Finding("game", False, text)
    tables = set()
    for line in signatures.lines_of(journal):
        try:
            tables.add(signatures.read_line(line).table)
        except signatures.SignatureError:
            continue  # signatures.verify names it
    for other in sorted(tables - {table}):
        text = _("Table {other} has signed this game of table {table}.", other=other, table=table)
        yield Finding("game", False, text)


# --- the files of the pairing program ------------------------------------------------------------


_SAME = {"w": "1", "l": "0", "d": "="}
"""Results of games that are not rated."""


_Key = tuple[str, tuple[str, str]]
"""A game by its round and its players, as pairs of a round are compared."""


def _reports(archive: _Archive, folder: Path, played: list[TableResult]) -> Iterator[Finding]:
    paired = _paired(archive, folder)
    names = [name for name in archive.members if name.startswith(f"{_REPORT}/")]
    found, named = set[_Key](), set[_Key]()
    for name in sorted(names):
        shown_name = plain(name.partition("/")[2])
        try:
            file = result_file_of(archive.read(name, PAIRINGS.most_bytes)[0], shown_name)
            for remark in file.remarks:
                yield Finding("report", True, remark)
            yield from _compared(file, shown_name, played, paired, found, named)
        except ValueError as error:
            yield Finding("report", False, join_texts(": ", (shown_name, error)))
    for game in played if names else ():
        if game.result and (game.round, pair_of(game.white, game.black)) not in found:
            text = _("No report file has this game.")
            yield Finding("report", False, join_texts(": ", (_label(game), text)))
    yield from _lacking(played, paired, named)


def _lacking(
    played: Iterable[TableResult], paired: Mapping[_Key, Assignment], named: Container[_Key]
) -> Iterator[Finding]:
    """Yield the games that the hall has paired and of which nothing here shows what became of them.
    ``named``: those whose results in a report file are named already."""
    shown_games = {
        (game.round, pair_of(game.white, game.black)) for game in played if game.state != "setup"
    }
    for key, game in paired.items():
        if key not in shown_games and key not in named:
            text = _("Here is no journal in which this game has begun, and no forfeit of it.")
            yield Finding("game", None, join_texts(": ", (_label(game), text)))


def _paired(archive: _Archive, folder: Path) -> dict[_Key, Assignment]:
    """The games that the hall has paired."""
    name = f"{_GAMES}/{pairings_file(folder).name}"
    if name not in archive.members:
        return {}
    pairings_file(folder).write_bytes(archive.read(name, PAIRINGS.most_bytes)[0])
    try:
        rounds = kept_rounds(folder)
    except ValueError:
        return {}
    return {
        (one.round, pair_of(one.white, one.black)): one for paired in rounds for one in paired.games
    }


def _forfeits(archive: _Archive, folder: Path) -> list[Forfeit]:
    """The games that were forfeited without their tables. Their pairings say which ones count."""
    _paired(archive, folder)
    file = decisions_file(folder)
    name = f"{_GAMES}/{file.name}"
    if name not in archive.members:
        return []
    file.write_bytes(archive.read(name)[0])
    return [
        one
        for one in forfeits_in(folder, None)
        if all(isinstance(text, str) for text in (one.round, one.table, one.article, one.who))
    ]


def _declared(forfeit: Forfeit) -> Finding:
    text = _(
        "{result}, forfeited ({article}). {who} declared it in the hall, so no table has signed "
        "it.",
        result=_printed(_normal(as_result(forfeit).scores)),
        article=plain(forfeit.article),
        who=plain(forfeit.who),
    )
    return Finding("game", True, join_texts(": ", (_label(as_result(forfeit)), text)))


def _compared(
    file: ResultFile,
    name: str,
    played: Iterable[TableResult],
    paired: Mapping[_Key, Assignment],
    found: set[_Key],
    named: set[_Key],
) -> Iterator[Finding]:
    """Yield each difference between a report file and the games. Note in ``found`` the games that
    are in the file, and in ``named`` those with a difference."""
    agree = elsewhere = 0
    for number in in_time(file.all_rounds, PAIRINGS, name):
        games = PlayedGames(game for game in played if game.round == str(number))
        for _board, pair in file.boards(number):
            white, black = (spoken_name(player.name) for player in pair)
            key = str(number), pair_of(white, black)
            found.add(key)
            lines = join_texts(", ", file.numbers(pair))
            at = _("{name}, line {lines}, round {round}", name=name, lines=lines, round=number)
            label = join_texts(": ", (at, f"{plain(white)} – {plain(black)}"))
            scores = _normal(file.scores(number, pair))
            game = games.of(white, black)
            why = ""
            doubt = games.doubt(white, black)
            if doubt == "played":
                why = _(
                    "it was declared forfeited in the hall, but a table has begun it, and has "
                    "another result or none."
                )
            elif doubt:
                why = _("two tables have different results.")
            elif game is not None and game.result:
                expected = _normal(game.scores)
                agree += scores == expected
                if scores != expected:
                    why = _differs(game, scores)
            elif game is not None and game.state == NEWER:
                continue  # nobody knows its result here, and its finding says so
            elif scores != ("", "") and (game is not None or key in paired):
                why = _unshown(scores, game or paired[key])
            elif set(scores) <= set("+-"):
                only = _("{result}, a forfeit that only this file has.", result=_printed(scores))
                yield Finding("report", True, join_texts(": ", (label, only)))
            else:
                elsewhere += scores != ("", "")
            if why:
                named.add(key)
                yield Finding("report", False, join_texts(": ", (label, why)))
    text = _("{name}: {count} results are those of the games.", name=name, count=agree)
    yield Finding("report", True, text)
    if elsewhere:
        text = _(
            "{name}: {count} results are of games that the hall has no journal of.",
            name=name,
            count=elsewhere,
        )
        yield Finding("report", True, text)


def _unshown(scores: tuple[str, str], game: TableResult | Assignment) -> str:
    """A sentence about a result in the file that no game and no forfeit here shows."""
    if set(scores) <= set("+-"):
        return _(
            "the file says {result}, and neither table {table} nor the hall has declared this game "
            "forfeited.",
            result=_printed(scores),
            table=plain(game.table),
        )
    return _(
        "the file says {result}, and the archive has no finished game of table {table}.",
        result=_printed(scores),
        table=plain(game.table),
    )


def _differs(game: TableResult, scores: tuple[str, str]) -> str:
    if scores == ("", ""):
        return _(
            "the file has no result, and the game at table {table} ended {result}.",
            table=game.table,
            result=game.result,
        )
    return _(
        "the file says {stated}, and the game at table {table} ended {result}.",
        stated=_printed(scores),
        table=game.table,
        result=_printed(_normal(game.scores)),
    )


def _normal(scores: tuple[str, str]) -> tuple[str, str]:
    white, black = (_SAME.get(one.lower(), one.lower()) for one in scores)
    return white, black


def _printed(scores: tuple[str, str]) -> str:
    between = ":" if set(scores) & set("+-") else "-"
    return between.join(plain(one)[:10].replace("=", "1/2") or "?" for one in scores)
