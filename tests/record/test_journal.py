"""The lines of a journal and their chain. A reader gives exactly the facts that were written, up to
damage.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import random
import re
import stat
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from blindplay.given import JOURNAL
from blindplay.laws import Fact
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, chain, pulse, read_journal
from blindplay.record.chain import FIRST, checked, digest_of, encoded
from blindplay.record.journal import JournalContents, is_journal
from tests import ROOT
from tests.sampling import examples
from tests.waiting import PATIENCE_S

ONE, END = encoded(f.Setup(white=f.Player(name="Žofie")), (0, ""))
TWO, _ = encoded(f.Start(t=1500), END)


def test_a_line_holds_its_number_its_fact_and_the_digest_of_all_before_it() -> None:
    assert ONE.startswith(FIRST) and (1, digest_of(ONE)) == END
    value = checked(TWO[:-1], 2, digest_of(ONE))
    assert value["fact"] == {"t": 1.5, "fact": "start"}
    assert value == json.loads(TWO)


@pytest.mark.parametrize(
    ("line", "number", "before"),
    [
        (TWO[:-1], 3, digest_of(ONE)),
        (TWO[:-1], 2, ""),
        (TWO[:-2], 2, digest_of(ONE)),
        (TWO[:-1].replace(b"start", b"tick"), 2, digest_of(ONE)),
        (TWO[:-1].replace(b":1.5", b": 1.5"), 2, digest_of(ONE)),
        (b"[]", 1, ""),
        (b"\xff", 1, ""),
    ],
    ids=["number", "chain", "cut", "changed", "spaces", "list", "bytes"],
)
def test_a_line_that_is_not_as_it_was_written_is_refused(
    line: bytes, number: int, before: str
) -> None:
    with pytest.raises(ValueError):
        checked(line, number, before)


FACTS: list[Fact] = [
    f.Setup(t=0),
    f.Start(t=1),
    f.Announce(t=2, by="white", text='Läufer\n\0 "," {♞} \u2028'),
    f.Tick(t=3),
]
WRITER = """
import sys, pathlib
from blindplay.laws.facts import Tick
from blindplay.record import Journal
journal = Journal(pathlib.Path(sys.argv[1]))
for t in range(10**6):
    journal.append(Tick(t=t))
    print(t, flush=True)
"""


def written(path: Path, facts: list[Fact]) -> bytes:
    with Journal(path) as journal:
        journal.append(*facts)
    return path.read_bytes()


def checked_by_hand(content: bytes) -> list[str]:
    """The texts of the facts and the seal, read after docs/development/journal.md alone."""
    found, seal = [], ""
    for number, line in enumerate(content.removesuffix(b"\n").split(b"\n"), 1):
        covered, digest = line[:-45], line[-34:-2].decode()
        assert line == covered + b',"digest":"%b"}' % digest.encode()
        assert digest == hashlib.sha256(seal.encode() + covered).hexdigest()[:32]
        assert re.match(rb'\{"n":%d,"wall":\d+\.\d{1,3},"fact":\{' % number, covered)
        found.append(json.dumps(json.loads(line)["fact"], ensure_ascii=False))
        seal = digest
    return [*found, seal]


# --- the lines -----------------------------------------------------------------------------------


def test_a_journal_is_a_text_file_with_one_chained_line_for_each_fact(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    before = time.time()
    with Journal(path) as journal:
        for fact in FACTS:
            journal.append(fact)
        seal = journal.seal
    content = path.read_bytes()
    facts = [json.dumps(fact.to_json(), ensure_ascii=False) for fact in FACTS]
    assert checked_by_hand(content) == [*facts, seal]
    stamps = [json.loads(line)["wall"] for line in content.splitlines()]
    assert all(before - 0.001 <= stamp <= time.time() + 0.001 for stamp in stamps)


def test_the_reader_in_the_documentation_reads_a_journal_and_finds_damage(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "development" / "journal.md").read_text("utf-8")
    script, *_ = re.findall(r"```python\n(.+?)```", page, re.DOTALL)
    path = tmp_path / "game.jsonl"
    content = written(path, FACTS)

    def told() -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", script, str(path)]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=PATIENCE_S)

    good = told()
    assert good.stdout.splitlines()[-1].split()[-1] == content[-35:-3].decode(), good.stderr
    path.write_bytes(content.replace(b'"tick"', b'"lick"'))
    assert told().returncode != 0


def test_a_journal_gives_back_its_facts_also_when_opened_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "table.jsonl"
    with Journal(path) as journal:
        for fact in FACTS[:2]:
            journal.append(fact)
    with Journal(path, resume=True) as journal:
        assert journal.facts() == FACTS[:2] and not journal.notes
        journal.append(*FACTS[2:])
        assert journal.facts() == FACTS
    assert read_journal(path).facts == FACTS


def test_the_seal_changes_with_everything_that_is_written(tmp_path: Path) -> None:
    seals = [""]
    with Journal(tmp_path / "game.jsonl") as journal:
        for fact in FACTS:
            journal.append(fact)
            seals.append(journal.seal)
    assert len(set(seals)) == len(seals)
    with Journal(tmp_path / "game.jsonl", resume=True) as journal:
        assert journal.seal == seals[-1]


def test_every_fact_of_the_scenarios_is_read_as_it_was_written(tmp_path: Path) -> None:
    facts = []
    for file in (ROOT / "tests" / "laws" / "scenarios").glob("*.jsonl"):
        for line in file.read_text("utf-8").splitlines():
            with contextlib.suppress(f.FactError):
                facts.append(f.loads(line, t=5))
    assert {fact.kind for fact in facts} == set(f.KINDS)
    written(tmp_path / "game.jsonl", facts)
    assert read_journal(tmp_path / "game.jsonl").facts == facts


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_user_can_read_what_is_created(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Journal(tmp_path / "game.jsonl") as journal:
            journal.append(*FACTS)
            journal.beat(5)
    finally:
        os.umask(before)
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


# --- damage --------------------------------------------------------------------------------------

_CHANCE = random.Random(1)
_GAME: list[Fact] = [
    f.Setup(t=0, event="Läufer", white=f.Player(impaired=True)),
    *(f.Tick(t=t) for t in range(1, 4)),
    f.Announce(t=4, by="white", text="Springer g1 f3 ♞"),
    *(f.Record(t=t, by="white", ply=t, text="e4 " * _CHANCE.randrange(5)) for t in range(5, 9)),
]


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return written(tmp_path_factory.mktemp("whole") / "game.jsonl", _GAME)


def check_reading(path: Path, original: bytes, changed: bytes) -> JournalContents | None:
    """The reader gives facts of the game from its beginning, at least those whose lines are as they
    were. It never gives another one, and it says where the file differs."""
    lines = original.splitlines(keepends=True)
    whole = 0
    while whole < len(lines) and changed.startswith(b"".join(lines[: whole + 1])):
        whole += 1
    path.write_bytes(changed)
    try:
        read = read_journal(path)
    except JournalError as error:
        assert "is not a BlindPlay journal" in str(error) and whole == 0
        assert not lines[0][:14].startswith(changed[:14])
        return None
    count = len(read.facts)
    assert count >= whole and read.facts == _GAME[:count]
    assert read.whole == read.proved == b"".join(lines[:count])
    assert bool(read.repaired or read.fault) is (changed != read.whole)
    if read.fault:
        assert re.search(rf"\bline {count + 1}\b", read.fault, re.IGNORECASE)
    assert path.read_bytes() == changed
    return read


@pytest.mark.parametrize("bit", range(8))
def test_a_bit_that_is_flipped_anywhere_is_put_right_and_told(
    tmp_path: Path, content: bytes, bit: int
) -> None:
    """The digests prove all facts, whichever bit it was."""
    for at in range(bit, len(content), 8):
        changed = bytearray(content)
        changed[at] ^= 1 << bit
        read = check_reading(tmp_path / "game.jsonl", content, bytes(changed))
        assert read is not None and read.facts == _GAME and not read.fault, at
        place = content.count(b"\n", 0, at) + 1
        assert f"(line {place})" in read.repaired


def test_a_byte_that_an_editor_has_changed_is_put_right_and_told(
    tmp_path: Path, content: bytes
) -> None:
    chance = random.Random(2)
    for at in range(0, len(content), 29):
        changed = bytearray(content)
        changed[at] = chance.choice(sorted(set(range(256)) - {content[at]}))
        read = check_reading(tmp_path / "game.jsonl", content, bytes(changed))
        assert read is not None and read.facts == _GAME and read.repaired, at


@pytest.mark.parametrize("fact", [f.Tick(t=7), f.Press(t=7, by="white"),
    f.Lift(t=7, board="black", square="g8"), f.Place(t=7, board="white", square="f3", piece="N"),
    f.Make(t=7, by="white", move="e7e8q"), f.Announce(t=7, by="black", move="g8f6")])  # fmt: skip
def test_a_fact_of_which_nothing_is_left_is_found_by_its_digest(tmp_path: Path, fact: Fact) -> None:
    path = tmp_path / "game.jsonl"
    game = [*_GAME[:4], fact, f.Tick(t=8)]
    lines = written(path, game).splitlines(keepends=True)
    begun = lines[4].index(b'"fact":{"t":0.007,') + len(b'"fact":{"t":0.007,')
    lines[4] = lines[4][:begun] + b"#" * (len(lines[4]) - begun - 46) + lines[4][-46:]
    path.write_bytes(b"".join(lines))
    read = read_journal(path)
    assert read.facts == game and not read.fault and "(line 5)" in read.repaired


def test_words_of_which_nothing_is_left_are_not_guessed(tmp_path: Path, content: bytes) -> None:
    changed = content.replace(b"Springer g1 f3", b"Springer b1 c3")
    read = check_reading(tmp_path / "game.jsonl", content, changed)
    assert read is not None and read.facts == _GAME[:4]
    assert "at line 5. Lines 6 to 9 follow each other, but nothing proves what" in read.fault


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda content: b"\xef\xbb\xbf" + content, "a byte order mark at the beginning"),
        (lambda content: b"\r\n\n" + content, "an empty line at the beginning"),
        (lambda content: content.replace(b"\n", b"\r\n"), "lines that end in CR LF"),
    ],
)
def test_what_programs_add_that_copy_a_text_is_taken_away_and_told(
    tmp_path: Path, content: bytes, change: Callable[[bytes], bytes], told: str
) -> None:
    read = check_reading(tmp_path / "game.jsonl", content, change(content))
    assert read is not None and read.facts == _GAME and not read.fault
    assert f"({told})" in read.repaired
    assert is_journal(tmp_path / "game.jsonl")


def test_a_journal_that_is_cut_anywhere_gives_its_whole_lines(
    tmp_path: Path, content: bytes
) -> None:
    for end in range(len(content) + 1):
        read = check_reading(tmp_path / "game.jsonl", content, content[:end])
        assert read is not None and len(read.facts) == content[:end].count(b"\n")
        assert read.torn is (not content[:end].endswith(b"\n") and end > 0)


@pytest.mark.parametrize("what", ["removed", "doubled", "swapped", "inserted"])
def test_lines_that_are_doubled_swapped_or_inserted_harm_nothing_and_one_that_lacks_is_told(
    tmp_path: Path, content: bytes, what: str
) -> None:
    for at in range(len(_GAME) - 1):
        lines = content.splitlines(keepends=True)
        if what == "removed":
            del lines[at]
        elif what == "doubled":
            lines.insert(at, lines[at])
        elif what == "inserted":
            lines.insert(at + 1, b"hello\n")
        else:
            lines[at : at + 2] = lines[at + 1], lines[at]
        read = check_reading(tmp_path / "game.jsonl", content, b"".join(lines))
        if read is None:
            assert at == 0 and what in ("removed", "swapped")
        elif what == "removed":
            assert read.facts == _GAME[:at] and read.fault
        else:
            assert read.facts == _GAME and read.repaired and not read.fault


@examples(100)
@given(st.lists(st.tuples(st.integers(0, 2**16), st.integers(0, 40), st.binary(max_size=60)),
                min_size=1, max_size=4))  # fmt: skip
@example([(2**16 - 1, 0, b"\n")])
@example([(2**16 - 1, 0, bytes(50))])
def test_whatever_is_done_to_the_bytes_no_other_fact_is_given(
    edits: list[tuple[int, int, bytes]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.jsonl"
        original = _kept_content()
        changed = bytearray(original)
        for place, removed, added in edits:
            at = place * len(changed) >> 16 if place < 2**16 - 1 else len(changed)
            changed[at : at + removed] = added
        check_reading(path, original, bytes(changed))


_kept: list[bytes] = []


def _kept_content() -> bytes:
    if not _kept:
        with tempfile.TemporaryDirectory() as folder:
            _kept.append(written(Path(folder) / "game.jsonl", _GAME))
    return _kept[0]


def rechained(lines: list[str]) -> bytes:
    """Lines with the right digests, whatever they hold: the work of a forger, or another program.
    Each text ends where its digest begins."""
    out, before = b"", ""
    for line in lines:
        covered = line.encode("utf-8", "surrogatepass")
        before = hashlib.sha256(before.encode() + covered).hexdigest()[:32]
        out += covered + b',"digest":"%b"}\n' % before.encode()
    return out


def test_a_chain_that_is_right_around_another_form_is_damage_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    good = '{"n":2,"wall":2.5,"fact":{"t":0.002,"fact":"tick"}'
    first = '{"n":1,"wall":1.5,"fact":{"t":0,"fact":"tick"}'
    path.write_bytes(rechained([first, good]))
    assert read_journal(path).facts == [f.Tick(t=0), f.Tick(t=2)]
    forms = [
        good.replace('"n":2', '"n": 2'), good.replace('"n":2', '"n":2.0'), good.replace("2.5", "2"),
        good.replace('"n":2', '"n":true'), good.replace("2.5", "2.50"), good.replace("2.5", "-2.5"),
        good.replace("2.5", "NaN"), good.replace("2.5", "1e999"),
        good.replace("tick", "tic\\u006b"),
        good.replace('"wall":2.5,', ""), good.replace('"wall":2.5,', '"wall":2.5,"wall":2.5,'),
        good.replace('"n":2,"wall":2.5', '"wall":2.5,"n":2'), good.replace('"n":2', '"n":3'),
        good.replace('"n":2', '"n":1'), good.replace('"n":2', '"n":' + "9" * 5000),
        good + ',"more":1', "[" * 5000, "\ufeff" + good, good + "\r", "\ud800" + good,
    ]  # fmt: skip
    for form in forms:
        path.write_bytes(rechained([first, form, good.replace('"n":2', '"n":3')]))
        read = read_journal(path)
        assert read.facts == [f.Tick(t=0)], form
        assert "line 2" in read.trouble, form


def test_a_line_without_a_digest_is_damage(tmp_path: Path, content: bytes) -> None:
    """An editor cannot drop the chain and have a changed game believed."""
    path = tmp_path / "game.jsonl"
    bare = re.sub(rb',"digest":"\w+"', b"", content)
    path.write_bytes(bare)
    assert read_journal(path).facts == [] and "line 1" in read_journal(path).trouble


FIRST_LINE = '{"n":1,"wall":1.5,"fact":{"t":0,"fact":"setup"}'


@pytest.mark.parametrize(
    ("fact", "named"),
    [
        ('{"t":0.002,"fact":"dance","by":"white"}', 'the fact "dance"'),
        ('{"t":0.002,"fact":"press","by":"white","harder":true}', 'the field "harder" of press'),
        ('{"t":0.002,"fact":"arbiter","do":"sing"}', "arbiter: do must be one of"),
        ('{"t":0.002,"fact":"inspect","board":"white","fulfils":["smell"]}', "inspect: fulfils"),
    ],
)
def test_what_a_newer_version_wrote_is_called_that_and_left_as_it_is(
    tmp_path: Path, fact: str, named: str
) -> None:
    path = tmp_path / "game.jsonl"
    lines = [FIRST_LINE, f'{{"n":2,"wall":2.5,"fact":{fact}',
             '{"n":3,"wall":2.5,"fact":{"t":0.003,"fact":"tick"}']  # fmt: skip
    path.write_bytes(rechained(lines))
    read = read_journal(path)
    assert read.facts == [f.Setup()] and read.newer and not read.fault and not read.torn
    assert read.trouble.startswith(f"A newer BlindPlay wrote the journal {path}")
    assert f"line 2 holds ({named}" in read.trouble and "Update BlindPlay" in read.trouble
    assert read.proved == path.read_bytes() and read.proved_end[0] == 3
    before = in_folder(path)
    for resume in (True, False):
        with pytest.raises(JournalError) as refused:
            Journal(path, resume=resume)
        assert str(refused.value) == read.trouble
    assert in_folder(path) == before


def test_a_journal_of_a_later_format_is_not_read_at_all(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    later = FIRST_LINE.replace("}", f',"format":{f.FORMAT + 1},"white":7}}')
    path.write_bytes(rechained([later, '{"n":2,"wall":2.5,"fact":{"t":0.002,"fact":"tick"}']))
    read = read_journal(path)
    assert read.facts == [] and read.newer
    assert (
        f"line 1 holds (format {f.FORMAT + 1}; the latest one known is {f.FORMAT})" in read.trouble
    )
    with pytest.raises(JournalError, match="Update BlindPlay"):
        Journal(path, resume=True)


def test_damage_after_what_is_not_known_is_told_too(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    lines = [FIRST_LINE, '{"n":2,"wall":2.5,"fact":{"t":0.002,"fact":"dance"}']
    path.write_bytes(rechained(lines) + b"garbage\n")
    read = read_journal(path)
    assert read.newer and "at line 3" in read.fault and read.fault in read.trouble


def test_what_is_no_fact_of_any_version_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(rechained([FIRST_LINE, '{"n":2,"wall":2.5,"fact":{"t":-1,"fact":"tick"}']))
    read = read_journal(path)
    assert not read.newer and "holds at line 2 no fact that this program knows" in read.trouble
    with pytest.raises(JournalError, match="no fact that this program knows"):
        Journal(path, resume=True)


def test_facts_that_are_missing_at_the_end_are_told_if_there_is_a_pulse(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(*_GAME)
        journal.beat(50)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert f"lacks fact {len(lines)}." in read_journal(path).trouble
    path.write_bytes(b"".join(lines[:4]) + lines[4][:20])  # not torn: the pulse knows better
    read = read_journal(path)
    assert read.facts == _GAME[:4] and not read.torn
    assert f"lacks facts 5 to {len(lines)}." in read.trouble
    path.write_bytes(b"")
    assert f"lacks facts 1 to {len(lines)}." in read_journal(path).trouble
    pulse.Pulse(path).forget()
    path.write_bytes(b"".join(lines[:-1]))
    assert read_journal(path).trouble == ""


def test_a_fact_after_the_last_beat_cannot_be_cut_off_unnoticed(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(_GAME[0])
        journal.beat(50)
        journal.append(*_GAME[1:])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))
    assert f"lacks fact {len(lines)}." in read_journal(path).trouble


@pytest.mark.parametrize("length", [1, 4, len(_GAME)])
@pytest.mark.parametrize("end", [b"", b"#\n", b'{"n":'])
def test_another_game_in_the_place_of_the_one_with_this_pulse_is_not_continued(
    tmp_path: Path, length: int, end: bytes
) -> None:
    path, other = tmp_path / "game.jsonl", tmp_path / "other.jsonl"
    others: list[Fact] = [f.Setup(t=0, id="other"), *_GAME[1:length]]
    with Journal(path) as journal:
        journal.append(*_GAME[:4])
        journal.beat(50)
    path.write_bytes(written(other, others) + end)
    read = read_journal(path)
    assert read.facts == others
    assert "not the one that its table left: game.pulse" in read.trouble
    before = in_folder(path)
    with pytest.raises(JournalError) as refused:
        Journal(path, resume=True)
    assert str(refused.value) == read.trouble and in_folder(path) == before
    (tmp_path / "game.pulse").rename(tmp_path / "away")
    with Journal(path, resume=True) as journal:
        assert journal.facts() == others


def test_a_game_whose_facts_were_changed_with_their_digests_is_not_continued(
    tmp_path: Path,
) -> None:
    path, forged = tmp_path / "game.jsonl", tmp_path / "forged.jsonl"
    with Journal(path) as journal:
        journal.append(_GAME[0])
        with Journal(forged) as copy:
            forged.write_bytes(path.read_bytes())
    with Journal(path, resume=True) as journal, Journal(forged, resume=True) as copy:
        journal.append(*_GAME[1:4])
        journal.beat(50)
        copy.append(_GAME[1], f.Tick(t=3), *_GAME[3:])
    forged.replace(path)
    with pytest.raises(JournalError, match="put the right one there"):
        Journal(path, resume=True)


# --- reading -------------------------------------------------------------------------------------


def in_folder(path: Path) -> dict[str, tuple[bytes, int]]:
    """Every file in the folder of ``path``, with the time of its last change."""
    return {
        found.name: (found.read_bytes(), found.stat().st_mtime_ns)
        for found in path.parent.iterdir()
    }


def test_reading_a_journal_changes_no_file_and_leaves_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a table? 100 % #1.jsonl"
    for end in (len(content), len(content) - 10, 400):
        path.write_bytes(content[:end])
        before = in_folder(path)
        read_journal(path)
        assert in_folder(path) == before
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        assert read_journal(path).facts
    finally:
        tmp_path.chmod(0o700)


def test_a_journal_is_read_whole_while_its_table_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    told, reads = 0, 0
    with Journal(path) as journal:
        journal.append(FACTS[0])
        done = threading.Event()

        def write() -> None:
            nonlocal told
            for t in range(1, 300):
                journal.append(f.Record(t=t, by="white", ply=1, text="e4 " * (t % 50)))
                journal.beat(t)
                told = t
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        while not done.is_set():
            known = told
            read = read_journal(path)
            assert read.trouble == "" and len(read.facts) > known
            reads += 1
        writer.join()
    assert reads and len(read_journal(path).facts) == 300


def test_a_last_line_that_the_table_is_just_writing_is_read_again(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.jsonl"
    lines = content.splitlines(keepends=True)
    path.write_bytes(content[:-20])
    waited: list[float] = []

    def wait(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 2:
            path.write_bytes(content)

    monkeypatch.setattr(time, "sleep", wait)
    assert read_journal(path).torn and not waited  # no table runs: nobody goes on writing
    digest = lines[2][-35:-3].decode()
    pulse.Pulse(path).beat(pulse.Beat(3, digest, 5, time.time()))
    read = read_journal(path)
    assert len(waited) == 2 and read.facts == _GAME and not read.trouble


def test_a_writer_that_is_killed_loses_nothing_it_had_appended(tmp_path: Path) -> None:
    path = tmp_path / "table.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        told = [int(writer.stdout.readline()) for _ in range(20)]
        writer.kill()
        told += [int(line) for line in writer.stdout.read().splitlines() if line]
    with Journal(path, resume=True) as journal:
        there = [fact.t for fact in journal.facts()]
        assert not journal.damaged
    assert there[: len(told)] == told
    assert len(there) <= len(told) + 1


def test_what_is_not_a_journal_is_said_and_left_as_it_is(tmp_path: Path) -> None:
    letter, database = tmp_path / "letter.jsonl", tmp_path / "other.jsonl"
    letter.write_bytes(b"Dear Sir or Madam")
    database.write_bytes(b"SQLite format 3\0" + bytes(100))
    before = in_folder(letter)
    for path in (letter, database):
        for resume in (False, True):
            with pytest.raises(JournalError, match=f"{path.name} is not a BlindPlay journal"):
                Journal(path, resume=resume)
        with pytest.raises(JournalError, match=f"{path.name} is not a BlindPlay journal"):
            read_journal(path)
    for missing in (tmp_path / "missing.jsonl", tmp_path / "no" / "folder.jsonl", tmp_path):
        with pytest.raises(JournalError, match="no journal at"):
            read_journal(missing)
        with pytest.raises(JournalError, match="no journal at"):
            Journal(missing, resume=True)
    with pytest.raises(JournalError, match="choose another place"):
        Journal(letter / "in" / "a-file.jsonl")
    assert in_folder(letter) == before


def test_a_table_that_was_killed_before_its_first_fact_can_be_started_again(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "game.jsonl"
    for left in (b"", content[:5], content[:60]):
        path.write_bytes(left)
        assert read_journal(path).facts == []
        with Journal(path) as journal:
            journal.append(*_GAME)
        assert read_journal(path).facts == _GAME and not read_journal(path).trouble
        path.unlink()


def test_a_new_game_is_not_begun_in_a_damaged_journal(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "game.jsonl"
    for at in (30, 500):  # in the first line, and in a later one
        changed = content[:at] + b"##" + content[at + 2 :]
        path.write_bytes(changed)
        with pytest.raises(JournalError, match="damaged or was changed at line"):
            Journal(path)
        assert path.read_bytes() == changed


def test_ten_thousand_facts_take_a_moment_only(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    facts: list[Fact] = [f.Announce(t=t, by="white", text="Springer") for t in range(10_000)]
    written(path, facts)
    before = time.process_time()
    assert len(read_journal(path).facts) == 10_000
    assert time.process_time() - before < 10, "each line must take a bounded time"


@pytest.mark.parametrize("resume", [True, False])
def test_a_journal_beyond_the_limit_is_not_read_into_memory(tmp_path: Path, resume: bool) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.write(FIRST)
        file.truncate(JOURNAL.most_bytes + 1)
    tracemalloc.start()
    with pytest.raises(JournalError, match=r"is too large; it may have 30000 kilobytes\."):
        Journal(path, resume=resume)
    with pytest.raises(JournalError, match=r"Check that it is the right file\.$"):
        read_journal(path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()


def test_more_lines_than_a_journal_has_take_no_memory_and_are_damage(
    tmp_path: Path, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two million empty lines would take 240 megabytes. No line has fewer than 80 bytes."""
    shortest, _end = encoded(f.Tick(t=0), (0, ""))
    assert len(shortest) > 80 >= JOURNAL.most_bytes / chain.MOST_LINES
    monkeypatch.setattr(chain, "MOST_LINES", 100)
    path = tmp_path / "game.jsonl"
    path.write_bytes(content + b"\n" * 200_000)
    tracemalloc.start()
    chain.read_chain(path.read_bytes(), _GAME.count, path)
    assert tracemalloc.get_traced_memory()[1] < 1_000_000
    tracemalloc.stop()
    read = read_journal(path)
    assert read.facts == _GAME and read.whole == content
    assert f"was changed at line {len(_GAME) + 1}." in read.fault


@pytest.mark.parametrize("line", [b'{"n":2,', None], ids=["nothing", "a line that does not fit"])
def test_each_attempt_to_prove_a_line_counts_against_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: bytes | None
) -> None:
    path = tmp_path / "game.jsonl"
    setup = written(path, [f.Setup(t=0)])
    other, _end = encoded(f.Tick(t=1), (1, "of another game"))
    path.write_bytes(setup + (other if line is None else line + b"\n") * 1000)
    clock = itertools.count()  # each look at it takes a second
    monkeypatch.setattr(time, "thread_time", partial(next, clock))
    with pytest.raises(JournalError, match=r"takes longer than 300 seconds\. Check that it is the"):
        read_journal(path)
    assert next(clock) < 310


def test_a_line_that_no_fact_fills_is_damage_whatever_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(f.Setup(t=0))
    whole = path.read_bytes()
    covered = b'{"n":2,"wall":1.0,"fact":{"t":0.0,"fact":"tick","x":[%b0]}' % (b"0," * 60_000)
    digest = hashlib.sha256(journal.seal.encode() + covered).hexdigest()[:32].encode()
    path.write_bytes(whole + b'%b,"digest":"%b"}\n' % (covered, digest))
    contents = read_journal(path)
    assert contents.whole == whole and "damaged or was changed at line 2" in contents.trouble


def test_a_line_is_proved_whose_line_feed_is_another_byte_before_a_torn_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        journal.append(f.Setup(t=0), f.Start(t=1))
    first, second, _end = path.read_bytes().split(b"\n")
    for kept in range(1, len(second)):
        path.write_bytes(first + b"\x0b" + second[:kept])
        read = read_journal(path)
        assert read.facts == [f.Setup(t=0)] and "line 1" in read.repaired, kept
