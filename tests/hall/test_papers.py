"""The papers of a round, in all forms."""

from __future__ import annotations

import io
import re
import wave
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from blindplay.console.messages import LANGUAGES
from blindplay.hall.pairings.played import TableResult
from blindplay.hall.pairings.rounds import Assignment, Round
from blindplay.hall.pairings.trf import read_trf
from blindplay.hall.papers import EventRound, PaperKind, RoundPaper
from blindplay.language import load
from blindplay.language.scoresheets import braille
from blindplay.record.writing import Paper
from blindplay.speech.audio import wav
from blindplay.speech.synthesis import is_words

from .day import NAMES
from .pairings.trf_text import OPEN

PAIRED = Round(
    "3",
    (
        Assignment("3", "10", NAMES[0], NAMES[1], "black"),
        Assignment("3", "2", NAMES[2], NAMES[3], "none", time_control="300+3"),
    ),
    ("Eva Gran", "Ida Ek", "Bo Vik", "Cia Ro"),
    {"Eva Gran": "full", "Ida Ek": "half", "Bo Vik": "zero"},
)
PLAY = {"edition": "fide-2023", "time-control": "90m+30s"}
FIRST, SECOND = (one.pairing for one in PAIRED.games)


def played(number: int, result: str = "", **more: Any) -> TableResult:
    game = PAIRED.games[number]
    usual: dict[str, Any] = {"signed": ("white", "black"), "plies": 40, "declared": False}
    return TableResult(game.table, game.white, game.black, result, round="3", **{**usual, **more})


ABOUT = EventRound("Nordic Open", PAIRED, PLAY, [played(0, "1-0")], read_trf(OPEN.encode()))


def paper(kind: PaperKind, language: str = "en", about: EventRound = ABOUT) -> RoundPaper:
    found = about.paper(kind, load(language))
    assert found is not None
    return found


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self._styles = False

    def handle_data(self, data: str) -> None:
        self.text += "" if self._styles else data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._styles = tag == "style"
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        self._styles = False


def shown(html: str) -> str:
    """The text of a page, which needs no other file."""
    parser = _Text()
    parser.feed(html)
    assert not parser.addresses and "url(" not in html and "@page" in html
    return " ".join(parser.text.split())


def cells(one: RoundPaper) -> str:
    return braille.from_brf(one.brf())


WRITTEN = [PaperKind.PAIRINGS, PaperKind.PLAYERS, PaperKind.CARDS, PaperKind.SLIPS]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", WRITTEN)
def test_no_form_in_any_language_loses_a_letter_of_a_name(kind: PaperKind, language: str) -> None:
    one = paper(kind, language)
    printed, large, text = shown(one.html(14)), shown(one.html(32)), one.text()
    embossed = " ".join(cells(one).split())
    for name in NAMES[:4]:
        assert name in printed and name in large and name in text
        assert braille.write(name, language) in embossed
        assert "⠿" not in braille.write(name, language).replace("⠠⠿", "")  # é of the Nordic codes
    assert "{" not in printed + text
    assert all(is_words(line, language) for line in one.spoken_lines())


def test_pairings_are_by_table_and_by_last_name_and_byes_are_in_words() -> None:
    by_table = paper(PaperKind.PAIRINGS)
    assert [line.cells for line in by_table.sheets[0].lines] == [
        ("2", NAMES[2], NAMES[3]), ("10", NAMES[0], NAMES[1]),
    ]  # fmt: skip
    text = by_table.text()
    assert "Table 10: Łukasz Núñez has White against Siobhán O’Neill." in text
    for bye in ("Eva Gran has no opponent, and gets one point.", "Ida Ek does not play, and gets "
                "half a point.", "Bo Vik does not play.", "Cia Ro has no opponent."):  # fmt: skip
        assert bye in text
    by_name = paper(PaperKind.PLAYERS)
    names = [line.cells[0] for line in by_name.sheets[0].lines]
    assert names[:3] == ["Ida Ek", "Eva Gran", NAMES[2]] and len(names) == 8
    assert "Siobhán O’Neill: Table 10, Black. Opponent: Łukasz Núñez." in by_name.text()
    assert "Siobhán O’Neill: Table ten, Black. Opponent: Łukasz Núñez." in by_name.spoken_lines()


def test_a_card_has_the_table_the_names_and_the_rules_of_its_game() -> None:
    first, last = paper(PaperKind.CARDS).sheets
    assert (first.heading, last.heading) == ("Table 2", "Table 10")
    assert {line.cells[0]: line.cells[1] for line in last.lines} == {
        "White": NAMES[0], "Black": NAMES[1], "Round": "3", "Event": "Nordic Open",
        "Time control": "one hour thirty minutes for all moves, with thirty seconds more for each "
        "move", "Rules": "Laws of FIDE, 2023", "Visually impaired": "Black",
        "Moves": "announced clearly, repeated by the opponent and executed on their own board",
    }  # fmt: skip
    own = {line.cells[0]: line.cells[1] for line in first.lines}
    assert own["Time control"].startswith("five minutes") and "Moves" not in own
    assert "Visually impaired" not in own
    html = paper(PaperKind.CARDS).html(14)
    assert html.count("<article>") == 2 and "break-after: page" in html


def test_a_slip_has_boxes_for_the_result_and_room_for_two_signatures() -> None:
    html = paper(PaperKind.SLIPS, "de").html(14)
    assert html.count('class="box"') == 6 and html.count('class="signature"') == 4
    text = shown(html)
    assert "Ergebnis: 1–0 ½–½ 0–1 Unterschrift Weiß Unterschrift Schwarz" in text
    pages = cells(paper(PaperKind.SLIPS, "de")).split("\f")
    assert len(pages) == 3 and pages[2] == ""  # one for each table
    for word in ("Tisch 10", "Unterschrift Schwarz:", "1/2-1/2:"):
        assert braille.write(word) in pages[1]


@pytest.mark.parametrize(
    ("results", "cell", "remark", "words"),
    [
        ([], "not begun", "", "Not begun."),
        ([played(0, "1-0")], "1–0", "", "White wins."),
        ([played(0, "0-1", signed=("white",))], "0–1", "not signed by both", "Not signed by both."),
        ([played(0, "0-1", plies=0, declared=True)], "– : +", "", "Black wins."),
        ([played(0, "0-1", plies=0, declared=True, declared_by="Maria Berg", forfeited=True)],
         "– : +", "", "Black wins."),
        ([played(0, state="adjourned")], "adjourned", "", "Adjourned."),
        ([played(0, state="newer")], "no result yet", "", "No result yet."),
        ([played(0, "1/2-1/2", former=("1-0",), reason="x")], "½–½",
         "corrected by the arbiter", "Corrected by the arbiter."),
        ([played(0, "1-0"), played(0, "0-1")], "no result yet", "two tables have different results",
         "Two tables have different results."),
        ([played(0, "1-0", in_conflict=True)], "1–0", "the game went on in two ways",
         "The game went on in two ways."),
    ],
)  # fmt: skip
def test_each_state_of_a_game_is_told(
    results: list[TableResult], cell: str, remark: str, words: str
) -> None:
    about = replace(ABOUT, results=[*results, played(1, "1-0")])
    one = paper(PaperKind.RESULTS, about=about)
    line = one.sheets[0].lines[1]
    assert line.cells == ("10", NAMES[0], NAMES[1], cell, remark)
    assert line.written.startswith("Table 10: ") and words in line.written
    assert all(is_words(said, "en") for said in one.spoken_lines())
    assert shown(one.html(14)).count(remark or cell) >= 1


def test_standings_say_after_which_round_they_are() -> None:
    one = paper(PaperKind.STANDINGS, "de")
    assert "Nach Runde 1" in one.text() and "Anna Berg. Punkte: 1,0." in one.text()
    assert "Rang: 1" in shown(one.html(24))  # line by line
    assert one.sheets[0].lines[0].cells == ("1", "Anna Berg", "1,0")
    said = "Nach Runde eins, wie das Paarungsprogramm die Spieler reiht."
    assert list(one.spoken_lines())[1] == said


def test_standings_name_their_tie_breaks() -> None:
    ranked = read_trf(f"{OPEN}212 PTS,BH/C1,XY\n".encode())
    one = paper(PaperKind.STANDINGS, about=replace(ABOUT, ranked=ranked))
    assert "Ties are broken by: Buchholz (BH/C1), XY." in one.text()


def test_a_file_without_ranks_gives_standings_by_points_and_says_so() -> None:
    """Three have a point and share a rank, as on the page."""
    ranked = read_trf(re.sub(r"(\d\.\d)    \d ", r"\1      ", OPEN).encode())
    one = paper(PaperKind.STANDINGS, about=replace(ABOUT, ranked=ranked))
    rows = [line.cells for line in one.sheets[0].lines]
    assert [(rank, points) for rank, _name, points in rows] == [("1", "1.0")] * 3 + [
        ("4", "0.0")
    ] * 2
    told = "The file has no ranks. This is the order of the points. After round 1."
    assert told in one.text()


def test_what_there_is_nothing_for_is_no_paper() -> None:
    empty = EventRound("Open", Round("1", ()))
    for kind in (PaperKind.RESULTS, PaperKind.STANDINGS, PaperKind.REPORT, PaperKind.CARDS):
        assert empty.paper(kind, load("en")) is None


def test_pages_of_braille_have_their_size_and_their_numbers() -> None:
    many = replace(PAIRED, games=tuple(
        Assignment("3", str(table), f"{NAMES[2]} {table}", f"{NAMES[3]} {table}")
        for table in range(1, 21)
    ))  # fmt: skip
    one = paper(PaperKind.PAIRINGS, "nb", replace(ABOUT, paired=many))
    for size in (Paper(), Paper(cells=28, lines=10)):
        *pages, rest = one.brf(size).split("\f")
        assert rest == "" and len(pages) > 1
        for number, page in enumerate(pages, 1):
            lines = page.split("\r\n")[:-1]
            assert len(lines) <= size.lines and max(map(len, lines)) <= size.cells
            assert number == 1 or lines[0].strip() == braille.to_brf(braille.write(str(number)))
    with pytest.raises(ValueError, match="at least 10 cells"):
        one.brf(Paper(cells=5))


def test_large_print_is_black_on_white_in_the_chosen_size() -> None:
    html = paper(PaperKind.PAIRINGS).html(32)
    assert "font: 32pt" in html and "color: #000; background: #fff" in html
    assert "<table" not in html and html.count("<article>") == 2
    colours = set(re.findall("#[0-9a-f]{3,6}", html))
    assert colours == {"#000", "#fff"}


class _Voice:
    """A voice that says each sentence with one sample."""

    def __init__(self, folder: Path) -> None:
        self.said: list[str] = []
        self._file = folder / "said.wav"
        self._file.write_bytes(wav(b"\x01\x00", 16_000))

    def render(self, words: str, *, public: bool) -> Path:
        assert public
        self.said.append(words)
        return self._file


def test_the_sound_says_every_line_with_pauses(tmp_path: Path) -> None:
    voice, one = _Voice(tmp_path), paper(PaperKind.PAIRINGS)
    with wave.open(io.BytesIO(one.sound(voice))) as made:  # type: ignore[arg-type]
        assert made.getnframes() == 7 + 6 * 6400
    assert voice.said == [
        "Nordic Open: Pairings by table, round three.",
        "Table two: Jürgen Müller-Lüdenscheidt has White against Åse Ødegård.",
        "Table ten: Łukasz Núñez has White against Siobhán O’Neill.",
        "Round three: Eva Gran has no opponent, and gets one point.",
        "Round three: Ida Ek does not play, and gets half a point.",
        "Round three: Bo Vik does not play.",
        "Round three: Cia Ro has no opponent.",
    ]
