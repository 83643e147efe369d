"""Drawings, wiring table, parts list and guides follow the design, and the design the Laws."""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from blindplay.boards import ports
from tests import ROOT

HARDWARE = ROOT / "hardware"
DRAWINGS = HARDWARE / "drawings"
EDITIONS = ROOT / "blindplay" / "laws" / "editions"
SVG = "{http://www.w3.org/2000/svg}"
PIECES = "PpNnBbRrQqKk"


def _load(name: str) -> Any:
    """Import a module of hardware/drawings, which is a folder of scripts and no package."""
    sys.path.insert(0, str(DRAWINGS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DRAWINGS))


design, pages, panel, draw = map(_load, ("design", "pages", "panel", "draw"))
ladder = design.ladder


def _text(name: str) -> str:
    return (HARDWARE / name).read_text("utf-8")


def _rows(text: str, columns: int) -> list[list[str]]:
    """The cells of all tables with so many columns, without headings."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    headings = re.findall(r"^\| (.+?) \|.*\n\|---", text, re.MULTILINE)
    return [row for row in rows if len(row) == columns and row[0] not in headings]


# --- generated files -------------------------------------------------------------------------


@pytest.mark.parametrize("path", draw.OUTPUTS, ids=lambda path: path.name)
def test_the_committed_file_is_what_the_design_gives(path: Path) -> None:
    assert path.read_text("utf-8") == draw.OUTPUTS[path](), "run drawings/draw.py"


def test_check_says_which_file_is_out_of_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stale = tmp_path / "bom.md"
    monkeypatch.setattr(draw, "OUTPUTS", {stale: pages.bom})
    assert draw.main(["--check"]) == 1
    assert "bom.md" in capsys.readouterr().err
    assert not stale.exists()
    assert draw.main([]) == 0
    assert draw.main(["--check"]) == 0


@pytest.mark.parametrize("name", ["schematic.svg", "board.svg", "pieces.svg"])
def test_a_screen_reader_finds_title_and_description_first(name: str) -> None:
    root = ElementTree.parse(DRAWINGS / name).getroot()
    title, description = root[0], root[1]
    assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
    assert title.text and description.text and len(description.text) > 200
    assert root.get("role") == "img"
    assert root.get("aria-labelledby", "").split() == [title.get("id"), description.get("id")]


def test_schematic_shows_and_names_every_part_of_the_circuit() -> None:
    root = ElementTree.parse(DRAWINGS / "schematic.svg").getroot()
    drawn = [" ".join("".join(text.itertext()).split()) for text in root.iter(f"{SVG}text")]
    for connection in design.connections():
        assert f"{connection.jack} {connection.square}" in drawn
    parts = "R1 R2 R3 R4 R5 R6 R7 R8 R14 C1 C5 C6 SW1 SW2 BZ1 Q1 Q2 D1 D2 CL1 F1 MT1 LD1"
    for part in parts.split():
        assert any(re.match(rf"{part}\b", text) for text in drawn), part
    for ohms in ladder.RESISTORS:
        assert f"{ladder.value(ohms)} 1 %" in drawn


# --- wiring ----------------------------------------------------------------------------------


def test_wiring_table_has_each_square_where_the_firmware_reads_it() -> None:
    firmware = _text("firmware/avr.c")
    # The firmware's comments, and the square numbers of the wire protocol.
    ranges = dict(re.findall(r"\b(A[0-3]) (?:has squares )?([a-h][1-8]-[a-h][1-8])", firmware))
    assert len(ranges) == 4
    assert "0 is a, 7 is h of the lower rank" in firmware
    headings = re.findall(
        r"^### Multiplexer (A\d) \(U\d\): (\S+) to (\S+)$", _text("wiring.md"), re.M
    )
    assert {pin: f"{first}-{last}" for pin, first, last in headings} == ranges
    found = []
    for section in _text("wiring.md").split("### Multiplexer ")[1:]:
        multiplexer = int(section[1])
        for square, channel, jack, _, _ in _rows(section.split("At a bare chip")[0], 5):
            index = 16 * multiplexer + int(channel.removeprefix("C"))
            assert square == "abcdefgh"[index % 8] + str(index // 8 + 1)
            assert jack == f"J{index + 1}"
            found.append(square)
    assert len(found) == len(set(found)) == 64


def test_wiring_table_has_the_pins_of_the_firmware() -> None:
    firmware = _text("firmware/avr.c")
    goes_to = dict(_rows(_text("wiring.md"), 2))
    assert "D4 to D7  PD4-PD7  select lines S0 to S3" in firmware
    for bit in range(4):
        assert goes_to[f"D{4 + bit}"].startswith(f"S{bit} ")
    assert "D2, D3    PD2, PD3 White's and Black's clock lever" in firmware
    assert goes_to["D2"].startswith("White's lever")
    assert goes_to["D3"].startswith("Black's lever")
    assert "D11       PB3      buzzer" in firmware
    assert "Q1" in goes_to["D11"]
    assert "D9        PB1      vibration motor" in firmware
    assert "D8        PB0      to ground if the motor is there" in firmware
    assert "Q2" in goes_to["D9"] and "ground" in goes_to["D8"]
    assert "D10       PB2      signal lamp" in firmware
    assert "D12       PB4      to ground if the signal lamp is there" in firmware
    assert "LD1" in goes_to["D10"] and "ground" in goes_to["D12"]


def test_firmware_wired_in_unknown_words_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "_firmware", lambda: "int main(void) { return 0; }")
    with pytest.raises(design.FirmwareChangedError, match=r"avr\.c"):
        design.connections()


def test_select_line_table_pairs_squares_that_differ_in_that_line_only() -> None:
    pairs = {row[0]: row[2] for row in _rows(_text("wiring.md"), 3)}
    # Lines 0 to 2 count files, line 3 is the upper of the two ranks.
    assert pairs == {"S0": "a1 and b1", "S1": "a1 and c1", "S2": "a1 and e1", "S3": "a1 and a2"}


def test_pegs_are_measured_within_one_percent_of_the_firmwares_resistors() -> None:
    header = _text("firmware/ladder.h")
    listed = re.search(r"LADDER_OHMS \{([^}]*)\}", header)
    assert listed
    by_code = [int(ohms) for ohms in listed[1].split(",")]
    of_piece = dict(zip("PRNBKQprnbkq", by_code[1:], strict=True))
    rows = {row[0]: row for row in _rows(_text("wiring.md"), 5) if row[0].count(" ") == 1}
    for piece, ohms in of_piece.items():
        _, _, low, high, _ = rows[ladder.describe(piece)]
        low_ohms, high_ohms = (float(re.sub(r"\D", "", text)) for text in (low, high))
        assert low_ohms == pytest.approx(ohms * 0.99, abs=0.6)
        assert high_ohms == pytest.approx(ohms * 1.01, abs=0.6)


# --- parts -----------------------------------------------------------------------------------


def _bom() -> dict[str, list[str]]:
    return {row[0]: row for row in _rows(_text("bom.md"), 8)}


def test_parts_list_has_one_jack_a_square_and_one_plug_a_piece() -> None:
    bom = _bom()
    assert bom["J1–J64"][1] == str(8 * 8)
    # 16 pieces a side, and two queens more for promotion.
    assert bom["P1–P36"][1] == str(2 * (16 + 2))
    assert bom["M2"][1] == str(64 // 2)
    assert bom["M13"][1] == str(16 + 2)
    assert bom["M10"][1] == str(1 + 2)


def test_resistors_of_each_value_are_as_many_as_the_pieces_they_name() -> None:
    bom = _bom()
    wanted = {"p": 8, "n": 2, "b": 2, "r": 2, "q": 1 + 2, "k": 1}
    for n, piece in enumerate(ladder.ORDER, start=1):
        row = bom[f"RP{n}"]
        assert row[1] == str(wanted[piece.lower()]), row
        assert ladder.describe(piece) in row[6]
        assert ladder.value(design.ohms()[piece]) in row[4]
    assert sum(int(bom[f"RP{n}"][1]) for n in range(1, 13)) == int(bom["P1–P36"][1])


def test_set_of_pegs_holds_at_least_what_the_ladders_list_counts() -> None:
    for piece, count in design.pegs().items():
        assert count >= ladder.PER_SIDE[piece.lower()]


def test_references_run_over_as_many_parts_as_are_needed() -> None:
    for reference, row in _bom().items():
        span = re.fullmatch(r"[A-Z]+(\d+)–[A-Z]+(\d+)", reference)
        if span:
            assert int(row[1]) == int(span[2]) - int(span[1]) + 1, reference


def test_what_to_buy_is_what_is_needed_and_the_spares_and_prices_are_left_to_the_reader() -> None:
    for reference, row in _bom().items():
        needed, spare, buy = (int(cell.split()[0]) for cell in row[1:4])
        assert buy == needed + spare, reference
        assert row[7] == "", reference
        assert all(row[4:7]), reference


def test_row_that_names_an_unknown_count_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "bom.toml").write_text('[[part]]\nreference = "X1"\ncount = "moons"\n', "utf-8")
    monkeypatch.setattr(design, "HARDWARE", tmp_path)
    monkeypatch.setattr(design, "counts", lambda: {"one": 1})
    with pytest.raises(KeyError, match="moons"):
        pages.parts()


# --- the board -------------------------------------------------------------------------------


def _groups() -> dict[str, ElementTree.Element]:
    root = ElementTree.parse(DRAWINGS / "board.svg").getroot()
    return {group[0].text or "": group for group in root.iter(f"{SVG}g")}


def test_playing_field_is_larger_than_twenty_by_twenty_centimetres() -> None:
    field = next(group for title, group in _groups().items() if title.startswith("Field"))[1]
    assert field.get("width") == field.get("height")
    assert float(field.get("width", "0")) >= 200


def test_every_square_has_a_hole_for_a_jack_in_its_middle() -> None:
    squares = {title[:2]: g for title, g in _groups().items() if re.match("[a-h][1-8],", title)}
    assert len(squares) == 64
    for name, group in squares.items():
        edge = group.find(f"{SVG}rect")
        hole = group.findall(f"{SVG}circle")[-1]
        assert edge is not None
        side = float(edge.get("width", "0"))
        assert float(hole.get("cx", "0")) == float(edge.get("x", "0")) + side / 2, name
        assert float(hole.get("cy", "0")) == float(edge.get("y", "0")) + side / 2, name
        assert 2 * float(hole.get("r", "0")) == design.JACK_HOLE


def test_exactly_the_black_squares_are_raised() -> None:
    raised = {title[:2] for title in _groups() if title[3:].startswith(" black, raised")}
    assert {"a1", "c1", "h8", "b2"} <= raised
    assert not {"h1", "a8", "b1", "a2"} & raised
    assert len(raised) == 32
    assert design.TILE_THICK > 0
    # A piece then goes equally deep into its hole on every square.
    assert design.TILE_HOLE > design.JACK_NUT


def test_nothing_on_the_panel_is_in_the_way_of_anything_else() -> None:
    jack_body, button_body, screw_head = 12.0, 18.0, 6.0
    width, height = design.PANEL
    round_things = [
        *((*design.hole(name), jack_body) for name in design.SQUARE_NAMES),
        *((design.LEVER_X, y, button_body) for y in design.LEVER_Y),
        (*design.BUZZER, 12.0),
        (*design.MOTOR, design.MOTOR_WIDTH),
        (*design.LAMP, 14.0),
        *((x, y, screw_head) for x, y in design.SCREWS),
    ]
    for i, (x, y, size) in enumerate(round_things):
        assert size / 2 <= x <= width - size / 2
        assert size / 2 <= y <= height - size / 2
        for other_x, other_y, other in round_things[i + 1 :]:
            assert (x - other_x) ** 2 + (y - other_y) ** 2 > ((size + other) / 2) ** 2
    for rail in design.RAILS_Y:
        for _, y, size in round_things[: -len(design.SCREWS)]:
            assert abs(y - rail) > (size + design.RAIL) / 2
    for what, dots in panel.marks():
        for x, y in dots:
            assert 0 < x < width and 0 < y < height, what
            start, end = design.MARGIN, design.MARGIN + design.FIELD
            assert not (start <= x <= end and start <= y <= end), what
            assert abs(x - design.LEVER_X) > design.LEVER_ARM[1] / 2, what
            for screw_x, screw_y in design.SCREWS:
                assert max(abs(x - screw_x), abs(y - screw_y)) > screw_head / 2, what


def _read_braille(dots: list[tuple[float, float]]) -> str:
    """The Braille cells under a finger, as Unicode, from dots with y away from the reader."""
    left, top = min(x for x, _ in dots), max(y for _, y in dots)
    cells: dict[int, int] = {}
    for x, y in dots:
        cell, rest = divmod(round(x - left, 3), 6.0)
        row = round((top - y) / 2.5)
        bit = row + (3 if rest > 1 else 0)
        cells[int(cell)] = cells.get(int(cell), 0) | 1 << bit
    return "".join(chr(0x2800 + cells[i]) for i in sorted(cells))


def test_marks_read_as_letters_and_numbers_from_either_players_side() -> None:
    letters = dict(zip("abcdefgh", "⠁⠃⠉⠙⠑⠋⠛⠓", strict=True))
    width, height = design.PANEL
    seen = []
    for what, dots in panel.marks():
        name, _, player = what.split()
        if player == "Black":
            dots = [(width - x, height - y) for x, y in dots]
        if name in letters:
            assert _read_braille(dots) == letters[name], what
        else:
            # The number sign is one dot wider at the left than its lowest left dot.
            sign = [(x, y) for x, y in dots if x - min(x for x, _ in dots) < 3]
            digit = [(x, y) for x, y in dots if x - min(x for x, _ in dots) > 3]
            assert _read_braille(sign) == "⠼", what
            assert _read_braille(digit) == letters["abcdefgh"[int(name) - 1]], what
        seen.append(what)
    assert len(set(seen)) == 2 * 16


# --- guides ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["README.md", "building.md", "flashing.md", "measuring.md", "wiring.md", "bom.md"]
)
def test_links_of_the_guides_lead_somewhere(name: str) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", _text(name)):
        assert target.startswith("http") or (HARDWARE / target).exists(), target


def test_drilling_plan_says_the_places_of_the_design() -> None:
    guide = _text("building.md")
    places = [f"{design.hole(f'{file}1')[0]:g}" for file in "abcdefgh"]
    assert f"{', '.join(places[:-1])} and {places[-1]}" in guide
    for number in (*design.PANEL, design.LEVER_X, *design.LEVER_Y, design.BUZZER[1]):
        assert f"{number:g}" in guide
    for x, y in (*design.SCREWS, design.MOTOR, design.LAMP):
        assert f"{x:g} and {y:g}" in guide


def test_guide_names_the_resistor_of_each_piece() -> None:
    guide = _text("building.md")
    for piece, ohms in design.ohms().items():
        assert f"{ladder.describe(piece)}: {ladder.value(ohms)}" in guide


@pytest.mark.parametrize("edition", ["fide-2023", "fide-2014", "fide-1997"])
def test_every_demand_on_a_special_board_is_answered(edition: str) -> None:
    articles = tomllib.loads((EDITIONS / f"{edition}.toml").read_text("utf-8"))["articles"]
    cells = {cell for row in _rows(_text("README.md"), 5) for cell in row}
    for key in (
        "special_size",
        "special_raised_black_squares",
        "special_securing_holes",
        "special_pegs",
        "special_staunton_black_marked",
    ):
        assert articles[key] in cells, (key, articles[key])


def test_udev_rule_covers_the_adapters_that_the_driver_takes_for_boards() -> None:
    rules = _text("99-blindplay.rules")
    vendors = {int(vendor, 16) for vendor in re.findall(r'idVendor\}=="([0-9a-f]{4})"', rules)}
    assert vendors == set(ports.VENDORS)
    for known in ('"1a86", ATTRS{idProduct}=="7523"', '"0403", ATTRS{idProduct}=="6001"'):
        assert known in rules
    assert '"10c4", ATTRS{idProduct}=="ea60"' in rules
