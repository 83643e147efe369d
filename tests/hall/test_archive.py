"""The archive of an event: what is in it, and what everybody can verify, whatever was done to
it."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from blindplay.given import ARCHIVE, Limit, read_bytes
from blindplay.hall import archive
from blindplay.hall.pairings.decided import Forfeit, declare
from blindplay.hall.pairings.rounds import Assignment, Round
from blindplay.hall.table_side.publisher import Publisher
from blindplay.language import load
from blindplay.laws import facts as f
from blindplay.record import signatures
from blindplay.record.signatures import KnownKeys
from tests.waiting import until

from .day import FIRST, NAMES, OVER, SEALED, Day
from .running import Event, is_equal, play

RESULTS = ("1", "0"), ("0", "1"), ("", ""), ("-", "+")
"""In the report file of :func:`day`: table 3 has adjourned, White has not come to table 4."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Day:
    day = Day(tmp_path_factory.mktemp("day"))
    day.pair()
    day.game("1")
    day.game("2", [f.Resign(by="white")])
    day.game("3", SEALED)
    day.game("4", [f.Arbiter(do="declare", result="0-1", who="Maria Berg")], moves=0)
    day.report(*RESULTS)
    write(day)
    return day


def write(day: Day) -> Path:
    """The archive of the day, written anew."""
    path = day.folder.parent / "open.zip"
    path.unlink(missing_ok=True)
    archive.write(path, day.joined, [day.folder.parent / "open.trf"], load("en"), with_sealed=True)
    return path


@pytest.fixture
def day(built: Day, tmp_path: Path) -> Day:
    """A copy of the day, for a test that changes it."""
    shutil.copytree(built.folder.parent, tmp_path, dirs_exist_ok=True)
    copy = Day.__new__(Day)
    copy.folder, copy._play = tmp_path / built.folder.name, tmp_path / "play"
    return copy


@pytest.fixture
def file(built: Day, tmp_path: Path) -> Path:
    """A copy of the archive, alone on a machine that knows nothing else."""
    return Path(shutil.copy(built.folder.parent / "open.zip", tmp_path / "given.zip"))


def wrong(path: Path, known: KnownKeys | None = None) -> list[str]:
    return [one.sentence for one in archive.verify(path, known) if not one.holds]


def said(path: Path) -> str:
    return "\n".join(one.sentence for one in archive.verify(path))


def change(path: Path, *, relist: bool = True, **members: bytes | None) -> None:
    """Write an archive again with other ``members``, by the beginnings of their names; None: it
    lacks. With ``relist``, whoever does it also corrects the list of all files."""
    with zipfile.ZipFile(path) as opened:
        contents = {name: opened.read(name) for name in opened.namelist()}
    for start, content in members.items():
        name = next(name for name in contents if re.sub(r"\W", "_", name).startswith(start))
        contents[name] = b"" if content is None else content
        if content is None:
            del contents[name]
    about = json.loads(contents["archive.json"])
    if relist:
        about["files"] = {
            name: [len(content), hashlib.sha256(content).hexdigest()]
            for name, content in contents.items()
            if name != "archive.json"
        }
        contents["archive.json"] = json.dumps(about).encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in contents.items():
            opened.writestr(name, content)


def member(path: Path, start: str) -> bytes:
    with zipfile.ZipFile(path) as opened:
        return opened.read(next(name for name in opened.namelist() if name.startswith(start)))


def test_a_whole_event_is_verified_from_the_file_alone(file: Path) -> None:
    assert wrong(file) == []
    lines = said(file)
    assert "Round 1, table 1: Łukasz Núñez – Siobhán O’Neill: 1-0; the players: signed by" in lines
    assert "table 2: Jürgen Müller-Lüdenscheidt – Åse Ødegård: 0-1; the players: not sig" in lines
    assert "table 3: Anna Berg – Bert Dahl: no result yet. It is adjourned." in lines
    assert "open.trf: 3 results are those of the games." in lines
    assert hashlib.sha256(file.read_bytes()).hexdigest() in lines
    with zipfile.ZipFile(file) as opened:
        names = set(opened.namelist())
        assert "blindplay verify open.zip" in opened.read("README.txt").decode()
    papers = "report/open.trf", "papers/round-1-report.html", "papers/round-1-results.txt"
    assert names > {"README.txt", "games/pairings.json", "papers/standings-open.txt", *papers}


def secrets(folder: Path) -> Iterator[bytes]:
    """All secret bytes in the files of an event."""

    def texts(value: Any, name: str = "") -> Iterator[str]:
        for key, inner in value.items():
            if isinstance(inner, dict) and key != "keys":
                yield from texts(inner)
            elif isinstance(inner, str) and re.search("key|password|token|issuer", key):
                yield inner

    for path in folder.rglob("*.toml"):
        yield from map(str.encode, texts(tomllib.loads(path.read_text("utf-8"))))
    for path in (folder / "broker").iterdir():
        yield from (line for line in path.read_bytes().splitlines() if len(line) > 40)


def test_no_secret_of_the_event_is_in_its_archive(day: Day) -> None:
    links = day.joined.folder / "arbiters.links"
    links.write_bytes(b"a-secret-link-of-an-arbiter-0123456789")
    (day.joined.folder / "table-1" / "notes.jsonl").write_bytes(b"another-secret-0123456789")
    content = io.BytesIO(write(day).read_bytes())
    with zipfile.ZipFile(content) as opened:
        everything = b"\n".join(map(opened.read, opened.namelist()))
    found = [*secrets(day.folder), links.read_bytes(), b"another-secret-0123456789"]
    assert len(found) > 30 and all(len(secret) > 6 for secret in found)
    for secret in found:
        assert secret not in everything and secret not in content.getvalue()


def test_a_sealed_move_is_archived_only_after_it_was_opened_or_if_that_is_asked_for(
    day: Day, tmp_path: Path
) -> None:
    """Table 3 has adjourned: anybody could read the move in its journal."""
    path = tmp_path / "sealed.zip"
    with pytest.raises(ValueError, match=r"tables: 3\. .*hall resume.*--with-sealed"):
        archive.write(path, day.joined, [], load("en"))
    assert not path.exists()
    shutil.rmtree(day.joined.folder / "table-3")
    shutil.rmtree(tmp_path / "play")
    resumed = f.Arrive(by="white"), f.Arrive(by="black"), f.OpenEnvelope()
    day.game("3", [*SEALED, *resumed])
    archive.write(path, day.joined, [], load("en"))
    assert b'"d2d4"' in member(path, "games/table-3/")


# --- what is said of games that are not simply over ----------------------------------------------


def test_corrections_branches_and_games_that_have_not_begun_are_named(day: Day) -> None:
    second = Round("2", (Assignment("2", "1", "Cia", "Dan"), Assignment("2", "2", "Eva", "Finn")))
    day.pair(second)
    corrected = f.Arbiter(do="declare", result="1/2-1/2", reason="Both agreed", who="Maria")
    day.game("1", [*OVER, corrected], paired=second)
    day.game("2", [], paired=second, moves=0, signed=False)
    journal = next((day.joined.folder / "table-1").glob("*.jsonl"))
    branches = journal.parent / "branches"
    branches.mkdir()
    shutil.copy(journal, branches / f"{journal.stem}-0123abcd.jsonl")
    lines = said(write(day))
    assert "table 1: Cia – Dan: The arbiter has corrected it: Both agreed." in lines
    assert "table 2: Eva – Finn: no result yet. It has not begun." in lines
    assert "went on in two ways; both are in the archive. The other one ended" in lines
    assert wrong(day.folder.parent / "open.zip") == [
        "Round 2, table 1: Cia – Dan: No report file has this game.",
        "Round 2, table 2: Eva – Finn: Here is no journal in which this game has begun, and no "
        "forfeit of it.",
    ]


def test_a_finished_game_that_its_table_has_not_signed_does_not_hold(day: Day) -> None:
    for path in (day.joined.folder / "table-2").glob("*.signatures"):
        path.unlink()
    (sentence,) = wrong(write(day))
    assert "table 2" in sentence and "No table signed the lines from 1 to" in sentence


def test_without_keys_nothing_shows_who_wrote_the_games(built: Day, tmp_path: Path) -> None:
    path = tmp_path / "open.zip"
    archive.write(path, replace(built.joined, keys={}), [], load("de"), with_sealed=True)
    found = [one for one in archive.verify(path) if not one.holds]
    assert [(one.about, one.holds) for one in found] == [("keys", None)]


# --- an archive that somebody has changed --------------------------------------------------------


def test_a_changed_line_is_named_also_if_the_list_of_files_was_corrected(file: Path) -> None:
    journal = member(file, "games/table-1/")
    changed = journal.replace(b'"resign"', b'"arrive"', 1)
    assert changed != journal
    change(file, games_table_1=changed)
    sentences = wrong(file)
    assert any("table 1" in one and "line 1" in one for one in sentences), sentences
    change(file, relist=False, games_table_1=journal + b"x")
    assert any("is not as it was when the archive" in one for one in wrong(file))


@pytest.mark.parametrize(
    ("line", "results", "message"),
    [
        (2, (("0", "1"), *RESULTS[1:]), "line 2, 3, round 1: Łukasz Núñez – Siobhán O’Neill: the "
         "file says 0-1, and the game at table 1 ended 1-0."),
        (4, (RESULTS[0], ("", ""), *RESULTS[2:]), "the file has no result, and the game at table 2 "
         "ended 0-1."),
        (6, (*RESULTS[:2], ("=", "="), RESULTS[3]), "the file says 1/2-1/2, and the archive has no "
         "finished game of table 3."),
        (8, (*RESULTS[:3], ("0", "1")), "the file says 0-1, and the game at table 4 ended -:+."),
    ],
)  # fmt: skip
def test_a_result_that_is_not_that_of_the_game_is_named_with_table_and_line(
    day: Day, line: int, results: tuple[tuple[str, str], ...], message: str
) -> None:
    day.report(*results)
    (sentence,) = wrong(write(day))
    assert message in sentence and f"open.trf, line {line}, {line + 1}" in sentence


def test_a_table_in_csv_is_compared_too(day: Day) -> None:
    path = day.folder.parent / "round-1.csv"
    rows = "".join(f"{one.table},{one.white},{one.black},1,{{}}\n" for one in FIRST.games)
    path.write_text("table,white,black,round,result\n" + rows.format("1-0", "1-0", "", "-:+"))
    archive.write(day.folder / "csv.zip", day.joined, [path], load("en"), with_sealed=True)
    (sentence,) = wrong(day.folder / "csv.zip")
    assert sentence.startswith("round-1.csv, line 3, round 1: Jürgen Müller-Lüdenscheidt")
    path.write_bytes(path.read_text("utf-8").replace("Ł", "L").encode("cp1252"))
    (day.folder / "csv.zip").unlink()
    archive.write(day.folder / "csv.zip", day.joined, [path], load("en"), with_sealed=True)
    assert "round-1.csv" in said(day.folder / "csv.zip") and len(wrong(day.folder / "csv.zip")) == 1


def test_a_game_that_is_not_rated_agrees_with_a_file_that_does_not_say_so(day: Day) -> None:
    second = Round("2", (Assignment("2", "1", NAMES[0], NAMES[1]),))
    day.pair(second)
    day.game("1", paired=second, moves=1)
    path = day.folder.parent / "second.csv"
    for result in ("1-0", "1 - 0"):
        path.write_text(f"table,white,black,round,result\n1,{NAMES[0]},{NAMES[1]},2,{result}\n")
        (day.folder / "csv.zip").unlink(missing_ok=True)
        report = day.folder.parent / "open.trf"
        archive.write(
            day.folder / "csv.zip", day.joined, [report, path], load("en"), with_sealed=True
        )
        assert wrong(day.folder / "csv.zip") == []


def test_files_whose_names_differ_in_signs_only_each_have_their_papers(day: Day) -> None:
    report = day.folder.parent / "open.trf"
    others = [shutil.copy(report, report.with_name(name)) for name in ("o 1.trf", "o-1.trf")]
    path = day.folder / "several.zip"
    archive.write(path, day.joined, [Path(one) for one in others], load("en"), with_sealed=True)
    assert wrong(path) == []
    with zipfile.ZipFile(path) as opened:
        names = {"papers/standings-o-1.txt", "papers/standings-o-1-.txt"}
        assert names < set(opened.namelist())


def test_a_forfeit_of_the_hall_is_in_the_archive_and_compared(day: Day) -> None:
    """Table 4 never came."""
    folder = day.joined.folder
    shutil.rmtree(folder / "table-4")
    game = FIRST.games[3]
    declare(folder, Forfeit("1", "4", game.white, game.black, "white", "fide-2023 6.7.1", "Maria"))
    path = write(day)
    assert wrong(path) == [] and "open.trf: 3 results are those of the games." in said(path)
    assert b"fide-2023 6.7.1" in member(path, "games/decisions.jsonl")
    told = "Ida Ek – Finn Öst: -:+, forfeited (fide-2023 6.7.1). Maria declared it in the hall, so"
    assert told in said(path)
    hostile = b"[" * 50_000 + b'\n{"kind": "forfeit", "round": 1, "missing": "white", "table": 4,'
    hostile += b'"white": "A", "black": "B", "article": 1, "who": 2}\n\xff\n'
    change(path, games_decisions=hostile)
    assert told not in said(path)
    day.report(*RESULTS[:3], ("0", "1"))
    (sentence,) = wrong(write(day))
    assert "the file says 0-1, and the game at table 4 ended -:+." in sentence


def test_a_forfeit_of_a_pairing_that_was_replaced_is_not_missed_in_the_report(day: Day) -> None:
    """It was declared before the round was played, and then other players were paired."""
    game = FIRST.games[3]
    forfeit = Forfeit("1", "4", game.white, "Di Falk", "black", "fide-2023 6.7.1", "Maria")
    declare(day.joined.folder, forfeit)
    path = write(day)
    assert wrong(path) == [] and "Di Falk" not in said(path)


def test_games_that_were_exchanged_or_taken_out_are_named(file: Path) -> None:
    one, two = (member(file, f"games/table-{table}/") for table in "12")
    change(file, games_table_1=two, games_table_2=one)
    text = "\n".join(wrong(file))
    assert "another game than the name of its file says" in text
    change(file, games_table_1=one, games_table_2=None)
    text = "\n".join(wrong(file))
    assert "the file says 0-1, and the archive has no finished game of table 2." in text


LOST_1 = ("-", "+"), *RESULTS[1:]
"""Table 1 was won by White; whoever cheats lets White lose it by forfeit."""


@pytest.mark.parametrize("lines", [0, 1, 4])
@pytest.mark.parametrize("reported", [True, False])
def test_a_game_that_was_taken_out_or_cut_with_its_signatures_is_never_proved(
    day: Day, lines: int, reported: bool
) -> None:
    """The file and its list are as whoever cheats wants them: no journal, one in which the game has
    not begun, or one in which it goes on."""
    report = day.report(*LOST_1)
    path = day.folder / "cut.zip"
    archive.write(path, day.joined, [report] if reported else [], load("en"), with_sealed=True)
    journal = member(path, "games/table-1/").splitlines(keepends=True)
    (name,) = (one.stem for one in (day.joined.folder / "table-1").glob("*.jsonl"))
    cut = b"".join(journal[:lines]) or None
    start = f"games_table_1_{name}_"
    change(path, relist=True, **{f"{start}jsonl": cut, f"{start}signatures": None})
    told = "\n".join(wrong(path))
    if reported:
        assert "the file says -:+, and neither table 1 nor the hall has declared this game" in told
    elif lines < 2:
        assert "table 1: Łukasz Núñez – Siobhán O’Neill: Here is no journal in which" in told
    if lines == 4:
        assert "No table signed the lines from 1 to 4. So nothing shows whether lines" in told
        assert "Siobhán O’Neill: no result yet. It goes on." in said(path)


def test_forfeits_in_the_file_before_a_round_is_paired_need_no_journal(day: Day) -> None:
    """No table was ever given such a game: the program had the forfeit first."""
    day.pair(replace(FIRST, games=FIRST.games[1:], resting=(*FIRST.resting, *NAMES[:2])))
    shutil.rmtree(day.joined.folder / "table-1")
    day.report(*LOST_1)
    path = write(day)
    assert wrong(path) == []
    assert "line 2, 3, round 1: Łukasz Núñez – Siobhán O’Neill: -:+, a forfeit that" in said(path)


def test_a_forfeit_of_a_game_that_its_table_has_begun_is_told_as_what_it_is(day: Day) -> None:
    game = FIRST.games[0]
    declare(
        day.joined.folder,
        Forfeit("1", "1", game.white, game.black, "white", "fide-2023 6.7.1", "Maria"),
    )
    (sentence,) = wrong(write(day))
    assert "declared forfeited in the hall, but a table has begun it" in sentence
    assert "two tables" not in sentence


def test_signatures_without_their_journal_are_named(day: Day) -> None:
    (journal,) = (day.joined.folder / "table-2").glob("*.jsonl")
    journal.unlink()  # it has never come to the hall
    text = "\n".join(wrong(write(day)))
    assert f"table-2/{journal.stem}.signatures is of a game whose journal is missing." in text


@pytest.mark.parametrize("content", [b"", b"nothing", b"\xff" * 5000, b'{"n":1,"wall":1}\n'])
def test_what_is_no_journal_is_named_and_all_other_games_are_verified(
    file: Path, content: bytes
) -> None:
    change(file, games_table_1=content)
    text = "\n".join(wrong(file))
    assert "Table 1, " in text and "blindplay-archive-" not in text
    assert "table 2: Jürgen Müller-Lüdenscheidt – Åse Ødegård: 0-1" in said(file)


def test_a_broken_other_version_is_named(day: Day) -> None:
    (journal,) = (day.joined.folder / "table-1").glob("*.jsonl")
    branch = journal.parent / "branches" / f"{journal.stem}-0123abcd.jsonl"
    branch.parent.mkdir()
    for content in (b"nothing", journal.read_bytes().replace(b'"resign"', b'"arrive"', 1)):
        branch.write_bytes(content)
        (sentence,) = wrong(write(day))
        assert "Siobhán O’Neill: The other version: " in sentence
        assert "blindplay-archive-" not in sentence


def test_a_game_of_a_newer_version_is_neither_right_nor_wrong(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(f.KINDS, "sign")
    found = [(one.about, one.holds) for one in archive.verify(file) if not one.holds]
    assert found == [("game", None)]
    assert "open.trf: 2 results are those of the games." in said(file)


def test_games_are_told_by_round_and_table(day: Day) -> None:
    second = Round("10", (Assignment("10", "1", "Cia", "Dan"),))
    day.game("1", paired=second)
    told = [one.sentence[:17] for one in archive.verify(write(day)) if one.about == "game"]
    assert told == [*(f"Round 1, table {table}:" for table in "1234"), "Round 10, table 1"]


def test_a_report_file_that_takes_long_or_is_none_is_named(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = member(file, "report/open.trf")
    for content, message in (
        (b"no report", "must name the columns"),
        (b"001  x", "cannot stand there"),
    ):
        change(file, report_open=content)
        assert any(one.startswith("open.trf: ") and message in one for one in wrong(file))
    change(file, report_open=whole)
    monkeypatch.setattr(archive, "PAIRINGS", Limit(4_000_000, -1))
    assert any("takes longer than" in one for one in wrong(file))


def test_a_signature_of_another_table_or_key_is_named(day: Day) -> None:
    folder = day.joined.folder
    (path,) = (folder / "table-1").glob("*.jsonl")
    (folder / "table-3" / path.name).write_bytes(path.read_bytes())
    shutil.copy(signatures.file_of(path), folder / "table-3")
    assert any("Table 1 has signed this game of table 3." in one for one in wrong(write(day)))
    others = KnownKeys(day.joined.event, {**day.joined.keys, "1": "0" * 64})
    text = "\n".join(wrong(day.folder.parent / "open.zip", others))
    assert "The key of table 1 is not the organiser's." in text
    assert "is not signed with the key of table 1" in text


def test_keys_that_were_made_with_an_archive_have_another_digest(file: Path) -> None:
    about = json.loads(member(file, "archive.json"))
    before = archive.keys_digest(about["event"], about["keys"])
    about["keys"]["1"] = "0" * 64
    change(file, archive_json=json.dumps(about).encode())
    text = said(file)
    assert before not in text and "compare it with the organiser's" in text


@pytest.mark.parametrize(
    "name",
    ["../evil.jsonl", "/etc/evil", "games/table-1/../../evil.jsonl", "games\\table-1\\evil.jsonl",
     "games/table-1/evil.jsonl", "report/../evil.trf", "report/.hidden", "papers/evil.exe",
     "C:/evil.txt", "games/table-ü/" + "0" * 32 + ".jsonl", "hall.toml"],
)  # fmt: skip
def test_what_does_not_belong_in_an_archive_is_named_and_never_unpacked(
    file: Path, tmp_path: Path, name: str
) -> None:
    with zipfile.ZipFile(file, "a") as opened:
        opened.writestr(name, b"evil")
    before = set(tmp_path.rglob("*"))
    sentences = wrong(file)
    assert len(sentences) == 1 and "does not belong in this archive" in sentences[0]
    assert set(tmp_path.rglob("*")) == before


def test_what_was_added_or_is_there_twice_is_named(file: Path) -> None:
    with zipfile.ZipFile(file, "a") as opened:
        opened.writestr("papers/more.txt", b"more")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as opened:
        opened.writestr("report/open.trf", b"001 other")
    text = "\n".join(wrong(file))
    assert "'papers/more.txt' was added to the archive later." in text
    assert "'report/open.trf' does not belong in this archive." in text
    change(file, relist=False, papers_more=None, papers_round_1_results=None)
    assert "'papers/round-1-results.html' is missing." in "\n".join(wrong(file))


@pytest.mark.parametrize("share", [0.05, 0.5, 0.9, 0.999])
def test_a_truncated_archive_is_called_damaged(file: Path, share: float) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: round(len(content) * share)])
    with pytest.raises(archive.EventArchiveError, match="or is damaged; ask for it again"):
        wrong(file)


def test_whatever_byte_is_changed_it_is_found_and_nothing_else_happens(file: Path) -> None:
    content, whole = file.read_bytes(), said(file)
    for at in range(0, len(content), 809):
        file.write_bytes(content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :])
        try:
            found = wrong(file)
        except archive.EventArchiveError:
            continue
        # The digest of all of it differs, also where only a date or a right of a file does.
        assert found or said(file).splitlines()[0] != whole.splitlines()[0]


@pytest.mark.parametrize(
    "manifest",
    [b"", b"[]", b"null", b"{}", b'{"kind": 1}', b"\xff\xfe{}", b"[" * 100_000,
     b'{"kind": "blindplay event archive", "format": "1"}',
     b'{"kind": "blindplay event archive", "format": 1, "files": {"a": 1}}'],
)  # fmt: skip
def test_what_is_no_list_of_an_archive_is_refused(file: Path, manifest: bytes) -> None:
    with zipfile.ZipFile(file, "w") as opened:
        opened.writestr("archive.json", manifest)
    with pytest.raises(archive.EventArchiveError, match="is not the archive of an event"):
        wrong(file)


@pytest.mark.parametrize(
    ("field", "value"),
    [("keys", {"1": "x"}), ("keys", {"../1": "0" * 64}), ("event", "../.."), ("title", 7),
     ("files", {"../x": [1, "0" * 64]}), ("files", {"README.txt": ["1", "0" * 64]})],
)  # fmt: skip
def test_a_wrong_value_in_the_list_is_refused(file: Path, field: str, value: object) -> None:
    about = {**json.loads(member(file, "archive.json")), field: value}
    change(file, relist=False, archive_json=json.dumps(about).encode())
    with pytest.raises(archive.EventArchiveError, match="is not the archive of an event"):
        wrong(file)


def test_an_archive_of_a_newer_version_says_so(file: Path) -> None:
    about = json.loads(member(file, "archive.json"))
    change(file, relist=False, archive_json=json.dumps({**about, "format": 2}).encode())
    with pytest.raises(archive.EventArchiveError, match="A newer BlindPlay wrote this archive"):
        wrong(file)


def test_another_file_is_no_archive(tmp_path: Path) -> None:
    for content in (b"", b"PK\x03\x04", b"PK\x03\x04" + b"x" * 10_000):
        (tmp_path / "other.zip").write_bytes(content)
        with pytest.raises(archive.EventArchiveError):
            wrong(tmp_path / "other.zip")


# --- an archive that takes too much --------------------------------------------------------------


def test_a_file_that_swells_is_left(file: Path) -> None:
    change(file, relist=False, games_table_1=b"0" * 31_000_000)
    assert file.stat().st_size < 100_000
    assert any("is not as it was" in one for one in wrong(file))


def test_an_archive_that_swells_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "ARCHIVE", Limit(15_000, whole=True))
    assert file.stat().st_size < 15_000
    with pytest.raises(ValueError, match="is too large"):
        wrong(file)
    assert ARCHIVE.most_bytes <= 1_000_000_000


def test_a_zip_file_of_very_many_files_is_refused_before_it_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_MOST_INDEX", 1000)
    with pytest.raises(archive.EventArchiveError, match="too many files"):
        wrong(file)


def test_an_archive_of_very_many_files_is_refused(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_MOST_FILES", 5)
    with pytest.raises(archive.EventArchiveError, match="too many files"):
        wrong(file)


# --- writing -------------------------------------------------------------------------------------


def test_no_archive_is_written_over_and_none_is_left_half(
    built: Day, tmp_path: Path, call: Callable[..., None]
) -> None:
    path = tmp_path / "open.zip"
    path.write_bytes(b"mine")
    with pytest.raises(ValueError, match="exists already"):
        call(path, [])
    other = tmp_path / "other.txt"
    other.write_text("no report", "utf-8")
    with pytest.raises(ValueError, match="must name the columns"):
        call(tmp_path / "new.zip", [other])
    report = built.folder.parent / "open.trf"
    with pytest.raises(ValueError, match="another name in the archive"):
        call(tmp_path / "new.zip", [report, Path(shutil.copy(report, tmp_path / "OPEN.trf"))])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["OPEN.trf", "open.zip", "other.txt"]


def test_a_game_that_ends_while_it_is_archived_has_the_signature_of_its_own_lines(
    day: Day, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last lines and its signature come to the hall after its first lines were read."""
    (path,) = (day.joined.folder / "table-2").glob("*.jsonl")
    whole, signed = path.read_bytes(), signatures.file_of(path).read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[:4]))
    signatures.file_of(path).unlink()
    ended = []

    def ends(file: Path, limit: Limit) -> bytes:
        content = read_bytes(file, limit)
        if file == path and b"resign" not in content:
            ended.append(path.write_bytes(whole))
            signatures.file_of(path).write_bytes(signed)
        return content

    monkeypatch.setattr(archive, "read_bytes", ends)
    assert wrong(write(day)) == [] and ended


@pytest.fixture
def call(built: Day) -> Callable[..., None]:
    def write(path: Path, reports: list[Path]) -> None:
        archive.write(path, built.joined, reports, load("en"), with_sealed=True)

    return write


def test_what_a_running_hall_has_kept_is_archived(event: Event, tmp_path: Path) -> None:
    """The journal comes over a real broker, and its signature from the table itself."""
    hall, key = event.hall(), signatures.new_key()
    played = event.table()
    play(played, "e2e4", "e7e5")
    for fact in OVER:
        played.submit(fact)
    joined = replace(event.joined("1"), key=key)
    publisher = Publisher(played, joined)
    event.callback(publisher.close)
    folder = event.folder / "hall" / "table-1"
    assert until(lambda: is_equal(hall, played) and any(folder.glob("*.signatures")))
    about = replace(event.joined(), folder=event.folder / "hall",
                    keys={"1": signatures.public_key(key)})  # fmt: skip
    archive.write(tmp_path / "kept.zip", about, [], load("en"))
    assert wrong(tmp_path / "kept.zip") == []
    assert "1-0; the players: signed by both." in said(tmp_path / "kept.zip")
