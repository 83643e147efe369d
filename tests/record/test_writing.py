"""``blindplay score``: every record of a game is made from its journal alone, on paper and in
Braille.
"""

from __future__ import annotations

import datetime
import io
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from random import Random
from typing import Any

import chess
import chess.pgn
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blindplay.language import languages, load
from blindplay.language.scoresheets import braille, reading
from blindplay.language.scoresheets.entries import entries as entries_of
from blindplay.laws import facts as f
from blindplay.record import Journal, JournalError, Tape
from blindplay.record.files import OWN_ENDS
from blindplay.record.score import Labels, ScoredPly, moves, written
from blindplay.record.tape import tape_folder
from blindplay.record.tape_playback import play_tape
from blindplay.record.writing import (
    BrokenGameError,
    EntryForm,
    Paper,
    RecordFormat,
    Scored,
    braille_pages,
    brf,
    check_output,
    print_page,
)
from blindplay.table import Table
from tests.command_line import run
from tests.record import games
from tests.record.recorded import MOVES, WORDS, lose, recorded
from tests.sampling import examples
from tests.table.sitting import play_moves

WORD = st.text("ABC#'.", min_size=1, max_size=14)
BLOCKS = st.lists(st.lists(WORD, min_size=1, max_size=12).map(" ".join), max_size=60)


@given(BLOCKS, st.integers(10, 40), st.integers(3, 25))
def test_no_line_and_no_page_is_too_long_and_nothing_is_lost(
    blocks: list[str], cells: int, lines: int
) -> None:
    laid_out = braille_pages(blocks, cells=cells, lines=lines, number=lambda page: f"~{page}")
    for number, page in enumerate(laid_out, 1):
        assert len(page) <= lines and all(len(line) <= cells for line in page)
        if number > 1:
            assert page[0] == f"~{number}".rjust(cells)
    text = [line for page in laid_out for line in page if "~" not in line]
    assert "".join("".join(text).split()) == "".join("".join(blocks).split())


@given(BLOCKS, st.integers(3, 25))
def test_a_move_that_fits_on_a_page_is_not_divided(blocks: list[str], lines: int) -> None:
    laid_out = braille_pages(blocks, cells=20, lines=lines, number=lambda page: f"~{page}")
    starts = {}
    at = 0
    for number, page in enumerate(laid_out):
        for line in page:
            if "~" not in line:
                starts[at] = number
                at += 1
    at = 0
    for block in blocks:
        long = len(braille_pages([block], cells=20, lines=1000)[0])
        if long <= lines - 1:
            assert starts[at] == starts[at + long - 1]
        at += long


def test_a_long_block_continues_in_the_third_cell() -> None:
    assert braille_pages(["1. Bauer Eva zwei Eva vier"], cells=12)[0] == [
        "1. Bauer Eva", "  zwei Eva", "  vier",
    ]  # fmt: skip
    assert braille_pages(["ABCDEFGHIJKLMNO P"], cells=10)[0] == ["ABCDEFGHIJ", "  KLMNO P"]


def test_too_small_paper_is_refused() -> None:
    for cells, lines in ((9, 25), (40, 2)):
        with pytest.raises(ValueError, match="at least"):
            braille_pages(["A"], cells=cells, lines=lines)


def test_the_default_page_has_forty_cells_and_twenty_five_lines() -> None:
    laid_out = braille_pages(["A"] * 60 + ["B" * 41])
    assert [len(page) for page in laid_out] == [25, 25, 14]
    assert laid_out[2][-2:] == ["B" * 40, "  B"]
    assert laid_out[1][0] == " " * 39 + "2"


def test_a_file_for_an_embosser_ends_lines_with_cr_lf_and_pages_with_a_form_feed() -> None:
    assert brf([["A", "B"], ["C"]]) == "A\r\nB\r\n\fC\r\n\f"


class Read(HTMLParser):
    """The open elements must close in order; collects the text of each kind of element."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text: dict[str, list[str]] = {}
        self.attributes: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)
            self.text.setdefault(tag, []).append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text[self.open[-1]][-1] += data


ENTRIES = [
    ScoredPly(1, 1, "white", "Bauer <b>Eva</b> & Co", ("e3", "d4"), offered=True),
    ScoredPly(2, 1, "black", None),
    ScoredPly(3, 2, "white", "Sf3"),
]


def read(page: str) -> Read:
    reader = Read()
    reader.feed(page)
    reader.close()
    assert not reader.open
    return reader


def printed(points: int = 14, **values: object) -> str:
    """The page of a scoresheet."""
    usual = {
        "title": "Formular", "heading": {}, "moves": moves(ENTRIES), "labels": Labels(),
        "language": "de", "signed": {}, "written": written, "remark": "", "yellow": False,
    }  # fmt: skip
    return print_page("record", "scoresheet.html", points, **{**usual, **values})


def test_the_printed_page_is_a_table_that_a_screen_reader_can_walk_through() -> None:
    labels = Labels(
        "Zug", "Weiß", "Schwarz", "Unterschriften", "(leer)", "durchgestrichen: {entry}"
    )
    found = read(printed(heading={"Ort": "A<B"}, labels=labels))
    assert ("html", {"lang": "de"}) in found.attributes
    assert found.text["h1"] == found.text["title"] == ["Formular"]
    assert (found.text["dt"], found.text["dd"]) == (["Ort"], ["A<B"])
    assert found.text["th"] == ["Zug", "Weiß", "Schwarz", "1", "2"]
    assert found.text["td"] == ["Bauer <b>Eva</b> & Co (=)", "(leer)", "Sf3", ""]
    assert found.text["del"] == ["durchgestrichen: e3", "durchgestrichen: d4"]
    assert (found.text["h2"], found.text["p"]) == (["Unterschriften"], ["Weiß", "Schwarz"])
    scopes = [attributes["scope"] for tag, attributes in found.attributes if tag == "th"]
    assert scopes == ["col"] * 3 + ["row"] * 2


def test_the_size_of_type_is_chosen() -> None:
    assert "font: 14pt/" in printed()
    assert "font: 22pt/" in printed(22)
    for points in (5, 73):
        with pytest.raises(ValueError, match="large print"):
            printed(points)


GERMAN = ["e4", "e5", "Sf3", "Sc6", "Lb5", "a6", "0-0", "Sf6"]
BRF = ("E#D", "E#E", ".SF#C", ".SC#F", ".LB#E", "A#F", "#J-#J", ".SF#F")


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return recorded(tmp_path / "game.jsonl", WORDS)


def add(path: Path, fact: f.Fact) -> None:
    with Journal(path, resume=True) as kept:
        Table(kept).submit(fact)


def test_pgn_has_the_headers_of_the_setup_and_those_that_are_given(journal: Path) -> None:
    add(journal, f.Resign(by="black"))
    text = Scored.of(journal, {"Site": "Oslo", "Round": "7"}).write(RecordFormat.PGN)
    game = chess.pgn.read_game(io.StringIO(text))
    assert game is not None and not game.errors
    named = ("Event", "Site", "Date", "Round", "White", "Result", "Termination")
    assert [game.headers[name] for name in named] == [
        "Cup", "Oslo", "2026.11.21", "7", "Ada", "1-0", "normal",
    ]  # fmt: skip
    assert [move.uci() for move in game.mainline_moves()] == MOVES
    # A standard position of chess is not one of chess960, whatever its castlings look like.
    assert "Variant" not in game.headers


def test_the_sheet_is_the_impaired_players_as_it_was_written(journal: Path) -> None:
    text = Scored.of(journal).write(RecordFormat.SHEET)
    assert text.splitlines()[:4] == [
        "Partieformular von Weiß", "Turnier: Cup", "Datum: 2026.11.21", "Weiß: Ada",
    ]  # fmt: skip
    assert text.splitlines()[5:] == [
        f"{at // 2 + 1}. {WORDS[at]} … {WORDS[at + 1]}" for at in range(0, len(WORDS), 2)
    ]


def test_longhand_is_the_announcements_whatever_was_written(tmp_path: Path) -> None:
    wanted = [
        f"{at // 2 + 1}. {'Schwarz' if at % 2 else 'Weiß'}: {words}"
        for at, words in enumerate(WORDS)
    ]
    for name, texts in (("words", WORDS), ("notation", GERMAN), ("uci", MOVES)):
        path = recorded(tmp_path / f"{name}.jsonl", texts)
        assert Scored.of(path).write(RecordFormat.LONGHAND).splitlines()[-len(WORDS) :] == wanted


def test_the_braille_sheet_is_in_the_countrys_notation(journal: Path) -> None:
    text = Scored.of(journal).write(RecordFormat.BRF)
    assert text.endswith("\r\n\f") and text.isascii()
    lines = text.replace("\f", "").split("\r\n")
    numbers = ("#A'", "#B'", "#C'", "#D'")
    assert lines[-5:-1] == [
        f"{number} {BRF[2 * at]} {BRF[2 * at + 1]}" for at, number in enumerate(numbers)
    ]
    cells = Scored.of(journal).write(RecordFormat.BRAILLE)
    assert cells.rstrip("\n").split("\n") == [braille.from_brf(line) for line in lines[:-1]]
    assert all(sign in " \n" or 0x2800 <= ord(sign) < 0x2840 for sign in cells)


def test_a_braille_sheet_has_the_chess_code_of_its_country(tmp_path: Path) -> None:
    path = recorded(tmp_path / "game.jsonl", GERMAN)
    english = Scored.of(path).write(RecordFormat.BRAILLE, "white", language="en")
    assert english.splitlines()[-4:] == ["⠂ ⠑⠲ ⠑⠢", "⠆ ⠎⠋⠒ ⠎⠉⠖", "⠒ ⠇⠃⠢ ⠁⠖", "⠲ ⠴⠤⠴ ⠎⠋⠖"]
    norwegian = Scored.of(path).write(RecordFormat.BRAILLE, "white", language="nb")
    assert norwegian.splitlines()[-3] == "⠼⠃⠄ ⠠⠎⠋⠼⠉ ⠠⠎⠉⠼⠋"


@pytest.mark.parametrize("language", ["de", "en", "nb", "sv", "da"])
@pytest.mark.parametrize(
    ("form", "entries"),
    [
        (RecordFormat.BRF, EntryForm.NOTATION),
        (RecordFormat.BRAILLE, EntryForm.NOTATION),
        (RecordFormat.SHEET, EntryForm.NOTATION),
        (RecordFormat.SHEET, EntryForm.WORDS),
        (RecordFormat.SHEET, EntryForm.WRITTEN),
    ],
)
def test_a_written_sheet_is_read_again_as_the_moves_that_were_played(
    journal: Path, language: str, form: RecordFormat, entries: EntryForm
) -> None:
    paper = Paper(cells=16, lines=6)
    text = Scored.of(journal).write(form, language=language, entries=entries, paper=paper)
    found = entries_of(text, brf=form is RecordFormat.BRF)
    board, read = chess.Board(), []
    for entry in found:
        move = reading.read(entry.text, board).move
        assert move is not None, (entry, text)
        read.append(move.uci())
        board.push(move)
    assert read == MOVES


def test_braille_paper_is_as_large_as_it_is_said_to_be(journal: Path) -> None:
    text = Scored.of(journal).write(RecordFormat.BRF, paper=Paper(cells=12, lines=5))
    sheets = text.removesuffix("\f").split("\f")
    assert len(sheets) > 1
    for number, page in enumerate(sheets, 1):
        lines = page.removesuffix("\r\n").split("\r\n")
        assert len(lines) <= 5 and max(map(len, lines)) <= 12
        assert number == 1 or lines[0].strip() == f"#{'ABCDEFGHIJ'[number - 1]}"
    with pytest.raises(ValueError, match="at least"):
        Scored.of(journal).write(RecordFormat.BRF, paper=Paper(cells=1))


def test_a_missing_entry_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    with Journal(path) as journal:
        table = Table(journal, f.Setup(t=0))
        table.submit(f.Start())
        play_moves(table, "e2e4", "e7e5")
        table.submit(f.Record(by="white", ply=2, text="e5"))
    written = Scored.of(path).write(RecordFormat.LONGHAND)
    assert "1. Weiß: (nichts notiert)" in written.splitlines()


def test_struck_and_doubtful_entries_are_shown(journal: Path) -> None:
    for ply, text in ((2, "e6"), (3, "Kaffee"), (4, "Sc6+")):
        add(journal, f.Record(by="white", ply=ply, text=text))
    lines = Scored.of(journal).write(RecordFormat.LONGHAND).splitlines()[5:]
    assert lines[1] == (
        "1. Schwarz: Bauer Eva sieben Eva sechs (durchgestrichen: Bauer Eva sieben Eva fünf)"
    )
    assert lines[2].startswith("2. Weiß: so notiert: Kaffee (durchgestrichen: Springer Gustav")
    assert lines[3].startswith("2. Schwarz: Springer Bella acht Cäsar sechs; so notiert: Sc6+ (")
    page = Scored.of(journal).write(RecordFormat.HTML)
    assert "<del>durchgestrichen: Springer Gustav eins Felix drei</del>" in page


@examples(40)
@given(games.STARTS, st.integers(0, 120), st.integers(0, 2**32), st.sampled_from(languages()))
def test_any_sheet_of_any_game_can_be_written_in_every_form(
    start: dict[str, Any], length: int, seed: int, language: str
) -> None:
    table, pack, chance = games.played(start, "900+10", length, seed), load(language), Random(seed)
    game, wanted = table.game, {}
    for number, ply in enumerate(game.history, 1):
        texts = ["", "?", "Kaffee <b>", "{entry}", "Tf9 (=)", ply.move.uci()]
        if not ply.illegal:
            good = [pack.announce(ply.before, ply.move), pack.write(ply.before, ply.move)]
            texts += good * 5
        text = chance.choice(texts)
        if text in texts[6:]:
            wanted[number] = pack.announce(ply.before, ply.move)
        table.feed({"fact": "record", "by": "black", "ply": number, "text": text})
    scored = Scored(game)
    for form in RecordFormat:
        for entries in (None, *EntryForm):
            text = scored.write(form, "black", language=language, entries=entries)
            assert text.endswith("\f" if form is RecordFormat.BRF else "\n")
    lines = scored.write(RecordFormat.LONGHAND, "black", language=language).splitlines()
    body = lines[lines.index("") + 1 :]
    assert len(body) >= len(game.history)
    for number, words in wanted.items():
        assert words.casefold() in body[number - 1].casefold()
    for page in scored.write(RecordFormat.BRF, "black", language=language).split("\f"):
        rows = page.split("\r\n")
        assert len(rows) <= 26 and max(map(len, rows)) <= 40


def test_a_sheet_is_written_in_its_owners_language_or_another(tmp_path: Path) -> None:
    white = {"impaired": True, "language": "nb"}
    path = recorded(tmp_path / "game.jsonl", GERMAN, white=white, black={"language": "en"})
    assert "Noteringsskjema for Hvit" in Scored.of(path).write(RecordFormat.LONGHAND)
    assert "Scoresheet of Black" in Scored.of(path).write(RecordFormat.LONGHAND, "black")
    assert '<html lang="sv">' in Scored.of(path).write(RecordFormat.HTML, language="sv")


def test_a_file_without_a_game_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="no journal at"):
        Scored.of(tmp_path / "none.jsonl")
    Journal(tmp_path / "empty.jsonl").close()
    with pytest.raises(JournalError, match="no game"):
        Scored.of(tmp_path / "empty.jsonl")


def test_a_damaged_journal_gives_the_game_before_the_damage_and_a_sentence(
    journal: Path,
) -> None:
    lose(journal, 18, 20)
    with pytest.raises(BrokenGameError, match=r"damaged or was changed at line 18\.") as caught:
        Scored.of(journal, {"Site": "Oslo"})
    game = chess.pgn.read_game(io.StringIO(caught.value.before.write(RecordFormat.PGN)))
    assert game is not None and game.headers["Site"] == "Oslo" and game.headers["Result"] == "*"
    assert [move.uci() for move in game.mainline_moves()] == MOVES[:3]
    assert caught.value.before.write(RecordFormat.SHEET).count(WORDS[2]) == 1
    lose(journal, 2, 30)
    with pytest.raises(BrokenGameError):
        Scored.of(journal)
    journal.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(JournalError, match="not a BlindPlay journal") as nothing:
        Scored.of(journal)
    assert not isinstance(nothing.value, BrokenGameError)


def test_writing_a_record_changes_nothing_in_the_journals_folder(journal: Path) -> None:
    def stands() -> dict[str, tuple[bytes, int]]:
        return {
            found.name: (found.read_bytes(), found.stat().st_mtime_ns)
            for found in journal.parent.iterdir()
        }

    (journal.parent / "empty.txt").touch()
    before = stands()
    Scored.of(journal).write(RecordFormat.BRF)
    with pytest.raises(JournalError, match="no game"):
        Scored.of(journal.parent / "empty.txt")
    assert stands() == before


@pytest.mark.parametrize("there", [True, False])
def test_a_record_is_not_written_over_a_journal(journal: Path, there: bool) -> None:
    other = recorded(journal.with_name("other"), [])
    damaged = journal.with_name("game.damaged-1.jsonl")
    damaged.write_bytes(b"what a power cut has left")
    shouted = journal.with_name("GAME.jsonl")
    for output in (journal, shouted, other, damaged):
        if output == journal and not there:
            journal.unlink()
        with pytest.raises(ValueError, match="give another --output"):
            check_output(journal, output)
        with pytest.raises(ValueError, match="give another --output"):
            play_tape(journal, None, output, None, io.StringIO())


@pytest.mark.parametrize("name", ["game.pulse", "game.links", "other.PULSE"])
def test_a_record_is_not_written_over_a_pulse_or_the_links_of_the_console(
    journal: Path, name: str
) -> None:
    with pytest.raises(ValueError, match="give another --output"):
        check_output(journal, journal.with_name(name))


@pytest.mark.parametrize("name", ["000001-ply-1-table.flac", "new.flac", "deep/new.pgn", ""])
def test_a_record_is_not_written_into_a_tape(journal: Path, name: str) -> None:
    output = tape_folder(journal) / name
    for _ in ("before there is a tape", "where there is one"):
        with pytest.raises(ValueError, match="part of a tape"):
            check_output(journal, output)
        with pytest.raises(ValueError, match="part of a tape"):
            play_tape(journal, None, output, None, io.StringIO())
        Tape(tape_folder(journal)).keep(bytes(800), 16_000, t=0, ply=1, by="table", words="e4")
    with pytest.raises(ValueError, match="part of a tape"):
        check_output(journal.with_name("other.jsonl"), output)


def test_a_link_to_evidence_is_evidence(journal: Path) -> None:
    folder = journal.parent
    try:
        (folder / "sheet.txt").symlink_to(folder / "game.pulse")
        (folder / "linked.jsonl").symlink_to(journal)
        (folder / "out").symlink_to(tape_folder(journal), target_is_directory=True)
    except OSError:
        pytest.skip("links may not be made here")
    for output in ("sheet.txt", "linked.jsonl", "out/x.flac"):
        with pytest.raises(ValueError, match="give another --output"):
            check_output(journal, folder / output)
    with pytest.raises(ValueError, match="give another --output"):
        check_output(folder / "linked.jsonl", folder / "game.tape" / "x.flac")


def test_a_record_may_lie_beside_its_journal(journal: Path) -> None:
    Tape(tape_folder(journal))
    (journal.parent / "empty").touch()
    for name in ("game.pgn", "game.jsonl.txt", "tape.flac", "game", "empty"):
        check_output(journal, journal.with_name(name))


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("Site", "", "needs an equals sign and a value"),
        ("FEN", "x", "where the game began"),
        ("SetUp", "1", "where the game began"),
        ("Variant", "Chess960", "where the game began"),
        ("Result", "1-0", "how the game ended"),
        ("result", "1-0", "how the game ended"),
        ("Termination", "time forfeit", "how the game ended"),
    ],
)
def test_a_header_without_a_value_or_of_another_position_is_refused(
    journal: Path, name: str, value: str, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        Scored.of(journal, {name: value})


def test_a_header_cannot_end_its_tag_or_command_a_terminal(journal: Path) -> None:
    wicked = 'Oslo"]\n[Result "1-0"]\x1b[2J\u202e'
    written = Scored.of(journal, {"Site": wicked}).write(RecordFormat.PGN)
    site = next(line for line in written.splitlines() if line.startswith("[Site "))
    assert site == r'[Site "Oslo\"] [Result \"1-0\"]"]'
    assert len([line for line in written.splitlines() if line.startswith("[Result ")]) == 1


def command(*arguments: str, typed: str = "") -> subprocess.CompletedProcess[bytes]:
    done = run(*arguments, stdin=typed)
    return subprocess.CompletedProcess(
        arguments, done.status, done.stdout_bytes, done.stderr.encode()
    )


def score(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return command("score", *arguments)


def test_the_head_of_a_record_holds_the_options_of_play_and_the_day(
    tmp_path: Path,
) -> None:
    journal, before = str(tmp_path / "game.jsonl"), datetime.date.today()
    done = command(
        "play", "--microphone", "none", "--silent", "--journal", journal, "--event", "Cup",
        "--site", "Oslo NOR", "--round", "3", "--white", "Ada", typed="start\ne4\n\nquit\n",
    )  # fmt: skip
    assert done.returncode == 0
    game = chess.pgn.read_game(io.StringIO(score(journal).stdout.decode()))
    assert game is not None
    named = ("Event", "Site", "Round", "White", "Result")
    assert [game.headers[name] for name in named] == ["Cup", "Oslo NOR", "3", "Ada", "*"]
    days = {before.strftime("%Y.%m.%d"), datetime.date.today().strftime("%Y.%m.%d")}
    assert game.headers["Date"] in days
    assert [move.uci() for move in game.mainline_moves()] == ["e2e4"]


def test_the_command_prints_or_writes_the_same_bytes(journal: Path, tmp_path: Path) -> None:
    printed = score(str(journal), "--format", "brf", "--side", "white", "--cells", "30")
    assert printed.returncode == 0 and printed.stderr == b""
    output = tmp_path / "sheet.brf"
    written = score(str(journal), "--format", "brf", "--cells", "30", "--output", str(output))
    assert written.stdout.decode().strip() == str(output)
    assert output.read_bytes() == printed.stdout
    assert b"\r\n" in printed.stdout and b"\r\r" not in printed.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none.jsonl",), "no journal"),
        (("{}", "--format", "tape", "--output", "x.wav"), "no tape"),
        (("{}", "--output", "{}"), "is the file that is read"),
        *((("{}", "--output", f"other{end}"), "part of a table") for end in OWN_ENDS),
        (("{}", "--format", "tape"), "no tape"),
        (("{}", "--header", "Site"), "equals sign"),
        (("{}", "--header", "FEN=x"), "where the game began"),
        (("{}", "--output", "no-such-folder/x"), "no folder"),
        (("{}", "--format", "brf", "--cells", "3"), "at least"),
        (("{}", "--format", "html", "--points", "500"), "6 to 72"),
        (("{}", "--format", "midi"), "midi"),
        (("{}", "--language", "xx", "--format", "html"), "Unknown language"),
        (("{}", "--header", "a b=c"), "not a tag of PGN"),
        (("{}", "--format", "tape", "--from", "0"), "--from"),
        (("{}", "--format", "brf", "--from", "3"), "--format tape"),
    ],
)
def test_each_mistake_is_one_sentence_and_nothing_is_written(
    journal: Path, arguments: tuple[str, ...], said: str
) -> None:
    before = journal.read_bytes()
    done = score(*(argument.format(journal) for argument in arguments))
    assert done.returncode == 2 and done.stdout == b""
    lines = done.stderr.decode().strip().splitlines()
    assert len(lines) == 1 and said in lines[0]
    assert journal.read_bytes() == before


def test_the_command_writes_the_game_before_the_damage_and_then_says_so(
    journal: Path,
) -> None:
    lose(journal, 18, 20)
    before = journal.read_bytes()
    done = score(str(journal))
    assert done.returncode == 2
    game = chess.pgn.read_game(io.StringIO(done.stdout.decode()))
    assert game is not None and [move.uci() for move in game.mainline_moves()] == MOVES[:3]
    lines = done.stderr.decode().strip().splitlines()
    assert len(lines) == 1 and "line 18" in lines[0]
    replayed = command("replay", "--journal", str(journal))
    assert replayed.returncode == 2 and replayed.stdout
    assert "line 18" in replayed.stderr.decode()
    assert journal.read_bytes() == before


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("de", "Datum: zweiundzwanzigster November zweitausendsechsundzwanzig"),
        ("en", "Date: the twenty-second of November two thousand and twenty-six"),
    ],
)
def test_a_date_that_is_read_aloud_is_a_date_in_words(
    tmp_path: Path, language: str, words: str
) -> None:
    path = tmp_path / "dated.jsonl"
    with Journal(path) as journal:
        journal.append(f.Setup(t=0, date="2026-11-22"))
    scored = Scored.of(path)
    assert words in scored.write(RecordFormat.LONGHAND, language=language).splitlines()
    assert "2026.11.22" in scored.write(RecordFormat.SHEET, language=language)
