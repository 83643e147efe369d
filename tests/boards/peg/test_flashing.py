"""Writing firmware: which file, which board, and what is in it wherever the writing ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.boards.peg import PegBoard, firmware, flashing
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard as Board
from blindplay.boards.peg.firmware import HALT, PAGE, SIZE, Firmware
from blindplay.boards.peg.flashing import FlashingError
from blindplay.boards.ports import BoardNotFoundError, FoundPort, NoAnswerError
from tests.boards.peg.nano import Nano, image
from tests.command_line import run
from tests.waiting import until

MARK = "BlindPlay firmware 0x{:04x} for {} at {} baud"
OLD = image(MARK.format(0x0102, "atmega328p", 9600), 2, seed=1)
NEW = image(MARK.format(0x0103, "atmega328p", 9600), 3, seed=2)
BLINK = image("no mark", 2, seed=3)
EMPTY = b"\xff" * SIZE
PROGRAMS = {OLD: 0x0102, NEW: 0x0103}


@pytest.fixture(autouse=True)
def few_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the 240 pages only those that these firmwares have are read."""
    monkeypatch.setattr(flashing, "PAGES", 4)


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of what was in boards."""
    monkeypatch.setattr(firmware, "_kept_folder", lambda: tmp_path / "kept")
    yield tmp_path / "kept"


def _memory(nano: Nano) -> bytes:
    return bytes(nano.memory)


def _flash(nano: Nano, wanted: bytes = NEW, rates: tuple[int, ...] = (115200, 57600)) -> list[str]:
    told: list[str] = []
    flashing.flash(Firmware(wanted), "COM3", rates, told.append, nano.open_at)
    return told


@pytest.mark.parametrize("erases_at_once", [True, False], ids=["optiboot", "old loader"])
@pytest.mark.parametrize("rate", [115200, 57600])
def test_each_boot_loader_is_found_and_the_board_asked_for_the_new_version(
    rate: int, erases_at_once: bool
) -> None:
    nano = Nano(OLD, rate=rate, programs=PROGRAMS, erases_at_once=erases_at_once)
    told = _flash(nano)
    assert _memory(nano) == NEW
    assert told[-1] == "The board answers with firmware 1.3."
    assert nano.opened[-1] == 9600


def test_an_empty_controller_and_one_with_another_program_get_the_firmware(kept: Path) -> None:
    nano = Nano(EMPTY, programs=PROGRAMS)
    _flash(nano)
    assert _memory(nano) == NEW and not kept.exists()  # there was nothing to keep
    nano = Nano(BLINK, programs=PROGRAMS)
    told = _flash(nano)
    assert _memory(nano) == NEW
    (file,) = kept.iterdir()
    assert f"What was in the board is kept in {file}." in told


def test_what_was_in_a_board_can_be_written_again_from_the_file_in_which_it_was_kept(
    kept: Path,
) -> None:
    nano = Nano(BLINK, programs=PROGRAMS)
    _flash(nano)
    (file,) = kept.iterdir()
    again = firmware.read(file)
    assert again.image == BLINK and again.version is None
    told = _flash(nano, again.image)
    assert _memory(nano) == BLINK and told[-1] == "The firmware has been written."


def test_a_firmware_that_is_there_already_is_not_written_again() -> None:
    nano = Nano(NEW, programs=PROGRAMS)
    told = _flash(nano)
    assert "The board has this firmware already." in told
    assert not any("percent" in one for one in told)
    assert told[-1] == "The board answers with firmware 1.3."


@pytest.mark.parametrize("program", [OLD, BLINK], ids=["board", "other"])
def test_a_board_that_does_not_answer_with_the_new_version_has_the_old_program_again(
    program: bytes,
) -> None:
    nano = Nano(program, programs={OLD: 0x0102})
    with pytest.raises(FlashingError, match="has its firmware from before again") as told:
        _flash(nano)
    assert _memory(nano) == program
    assert len(str(told.value).splitlines()) == 1


def test_a_board_that_answers_with_another_version_has_the_old_program_again() -> None:
    nano = Nano(OLD, programs={OLD: 0x0102, NEW: 0x0102})
    with pytest.raises(FlashingError, match=r"did not answer with firmware 1.3"):
        _flash(nano)
    assert _memory(nano) == OLD


# --- wherever it ends ----------------------------------------------------------------------------


def _does_nothing(memory: bytes) -> bool:
    """Whether a board with it waits for its boot loader. While its first page is written, some
    milliseconds, that may be empty."""
    return memory[:2] in (HALT[:2], b"\xff\xff")


@pytest.mark.parametrize("erases_at_once", [True, False], ids=["optiboot", "old loader"])
def test_power_may_be_cut_at_any_byte(erases_at_once: bool) -> None:
    whole = Nano(OLD, programs=PROGRAMS, erases_at_once=erases_at_once)
    _flash(whole)
    ends = set()
    for power in range(whole.crossed):
        nano = Nano(OLD, programs=PROGRAMS, erases_at_once=erases_at_once)
        nano.power = power
        with pytest.raises((FlashingError, OSError)) as told:
            _flash(nano)
        sentence, memory = str(told.value), _memory(nano)
        assert memory in (OLD, NEW) or _does_nothing(memory), power
        assert re.fullmatch(r"[^\n]*: [^\n]*\.", sentence) and "COM3" in sentence
        if memory not in (OLD, NEW):
            assert "plug it in again, and repeat the command" in sentence
        ends.add("old" if memory == OLD else "new" if memory == NEW else "nothing")
        nano.power = None
        if power % 7 == 0:
            _flash(nano)
            assert _memory(nano) == NEW
    assert ends == {"old", "nothing", "new"}


@pytest.mark.parametrize("flips", [0.0002, 0.002, 0.02])
def test_noise_never_leaves_two_programs_in_one(flips: float) -> None:
    done = 0
    for seed in range(25):
        nano = Nano(OLD, programs=PROGRAMS)
        nano.flips = flips
        nano.dice.seed(seed)
        try:
            _flash(nano)
            done += 1
            assert _memory(nano) == NEW
        except (FlashingError, OSError) as error:
            assert str(error).endswith(".")
            memory = _memory(nano)
            # Only the page that was written last may be garbled.
            assert _does_nothing(memory) or memory[PAGE:] in (OLD[PAGE:], NEW[PAGE:])
    assert done == 25 or flips > 0.001


def test_ctrl_c_is_answered_with_what_is_in_the_board(monkeypatch: pytest.MonkeyPatch) -> None:
    nano = Nano(OLD, programs=PROGRAMS)

    def tell(sentence: str) -> None:
        if "percent" in sentence:
            raise KeyboardInterrupt

    with pytest.raises(FlashingError, match="may do nothing until it has been written"):
        flashing.flash(Firmware(NEW), "COM3", (115200,), tell, nano.open_at)
    assert _memory(nano)[:PAGE] == HALT


# --- what is no board ----------------------------------------------------------------------------


def test_another_controller_is_not_written() -> None:
    nano = Nano(OLD, signature=b"\x1e\x95\x16")  # an ATmega328PB
    with pytest.raises(FlashingError, match="not an ATmega328P, its signature is 1E9516"):
        _flash(nano)
    assert _memory(nano) == OLD


def test_where_no_boot_loader_answers_the_speeds_are_named() -> None:
    nano = Nano(OLD, rate=19200)
    with pytest.raises(NoAnswerError, match="at COM3 with 115200 and 57600 baud"):
        _flash(nano)
    assert set(nano.opened) == {115200, 57600} and _memory(nano) == OLD
    with pytest.raises(NoAnswerError, match="with 57600 baud"):
        _flash(nano, rates=flashing.rates("nano-old"))


def test_without_room_for_the_old_firmware_nothing_is_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setattr(firmware, "_kept_folder", lambda: tmp_path / "file" / "folder")
    nano = Nano(OLD, programs=PROGRAMS)
    with pytest.raises(FlashingError, match="nothing was written"):
        _flash(nano)
    assert _memory(nano) == OLD


# --- files ---------------------------------------------------------------------------------------


def _file(tmp_path: Path, program: bytes) -> Path:
    file = tmp_path / "board firmware.hex"
    file.write_text(Firmware(program).hex(), "ascii")
    return file


def test_a_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = firmware.read(_file(tmp_path, OLD))
    assert (found.image, found.version, found.name) == (OLD, 0x0102, "board firmware.hex")


@pytest.mark.parametrize(
    ("mark", "reason"),
    [
        (MARK.format(0x0103, "atmega328p", 115200), "speaks with 115200 baud, .* with 9600"),
        (MARK.format(0x0103, "atmega2560", 9600), "for the controller atmega2560, .* atmega328p"),
        ("Blink", "no firmware of the pegged board"),
    ],
    ids=["speed", "controller", "program"],
)
def test_a_file_for_another_board_is_refused(mark: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=reason) as told:
        firmware.read(_file(tmp_path, image(mark, 3)))
    assert len(str(told.value).splitlines()) == 1


@pytest.mark.parametrize(
    "text",
    ["", "hello\n", ":0400000001020304F3\n:00000001FF\n", ":0400000001020304F2\n", ":00000001FF\n",
     ":04000000\n:00000001FF\n", "é\n"],
    ids=["empty", "words", "checksum", "cut-off", "no-bytes", "short", "not-ascii"],
)  # fmt: skip
def test_a_file_that_is_no_firmware_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "board.hex"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="Intel HEX"):
        firmware.read(file)


def test_a_file_with_a_boot_loader_in_it_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "all.hex"
    file.write_text(":0478000001020304" + "7A\n:00000001FF\n")
    with pytest.raises(ValueError, match="has a boot loader in it"):
        firmware.read(file)


def test_a_file_for_a_pico_is_refused_with_how_it_gets_there(tmp_path: Path) -> None:
    file = tmp_path / "firmware.uf2"
    file.write_bytes(b"UF2\nWQ]\x9e" + bytes(504))
    with pytest.raises(ValueError, match=r"for a Raspberry Pi Pico: .* copy the file"):
        firmware.read(file)


@pytest.mark.parametrize(
    ("file", "said"), [("nothing.hex", "no file"), (".", "is a folder; name a file in it")]
)
def test_a_wrong_file_is_refused_before_the_search_for_a_board(
    file: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flashing, "discover", pytest.fail)
    done = run("board", "flash", str(tmp_path / file))
    assert done.status == 2
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


def test_without_firmware_in_the_box_the_remedy_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(firmware, "shipped", lambda *names: tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"gcc-avr .*make -C hardware firmware"):
        firmware.own()


def test_firmware_of_another_version_in_the_box_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = _file(tmp_path, image(MARK.format(0x0001, "atmega328p", 9600), 3))
    monkeypatch.setattr(firmware, "shipped", lambda *names: file)
    with pytest.raises(ValueError, match="not that of this program"):
        firmware.own()


# --- which board ---------------------------------------------------------------------------------


def _ports(monkeypatch: pytest.MonkeyPatch, boards: dict[str, int | Exception | None]) -> None:
    """These ports are plugged in, with the versions of their firmware."""
    found = [FoundPort(url, url, 0x1A86, 1, None, True) for url in boards]
    found.append(FoundPort("printer", "printer", 1, 1, None, False))

    def version_at(url: str) -> int | None:
        answer = boards[url]
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(flashing, "discover", lambda: found)
    monkeypatch.setattr(flashing, "opened", lambda url: url)
    monkeypatch.setattr(flashing, "version_at", version_at)


def test_the_only_board_that_answers_is_the_one_and_else_the_only_controller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _ports(monkeypatch, {"a": None, "b": 0x0102, "c": PermissionError(13, "denied")})
    assert flashing.target(None) == flashing.Target("b", 0x0102)
    _ports(monkeypatch, {"a": None})
    assert flashing.target(None) == flashing.Target("a", None)


@pytest.mark.parametrize(
    ("boards", "said"),
    [
        ({}, "No board was found"),
        ({"a": 0x0101, "b": 0x0102, "c": None}, "several boards, at a and b"),
        ({"a": None, "b": None}, "several boards, at a and b"),
        ({"a": OSError(11, "Could not exclusively lock port")}, "Port a is in use"),
        ({"a": OSError(11, "Could not exclusively lock port"), "b": None}, "Port a is in use"),
    ],
    ids=["none", "two", "two controllers", "busy", "busy, and a controller"],
)
def test_no_other_board_is_ever_written(
    boards: dict[str, int | Exception | None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _ports(monkeypatch, boards)
    with pytest.raises((BoardNotFoundError, OSError), match=said):
        flashing.target(None)


def test_a_port_that_a_game_uses_is_left_alone(tmp_path: Path) -> None:
    heard: list[object] = []
    with Board() as emulated, PegBoard(emulated.url, heard.append):
        assert until(lambda: heard)  # the game has the port
        done = run("board", "flash", str(_file(tmp_path, OLD)), "--port", emulated.url)
    assert done.status == 2
    assert "is in use by another program" in done.stderr or "socket" in emulated.url


def test_a_board_may_be_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with Board(force_socket=False) as emulated:
        monkeypatch.setattr(flashing, "port_of", {"Anna": emulated.url}.get)
        if "://" in emulated.url:
            pytest.skip("This system has no pseudo terminals.")
        found = flashing.target("Anna")
    assert found == flashing.Target(emulated.url, peg.FIRMWARE_VERSION)


def test_firmware_goes_through_a_cable(tmp_path: Path) -> None:
    done = run("board", "flash", str(_file(tmp_path, OLD)), "--port", "socket://127.0.0.1:1")
    assert done.status == 2 and "through a cable" in done.stderr


def test_a_newer_firmware_is_replaced_only_by_a_file_that_is_named() -> None:
    newer = flashing.Target("COM3", 0x0104)
    with pytest.raises(ValueError, match=r"has firmware 1.4, and this program brings 1.3"):
        flashing.refuse_older(Firmware(NEW), newer)
    flashing.refuse_older(Firmware(NEW), flashing.Target("COM3", 0x0103))
    flashing.refuse_older(Firmware(NEW), flashing.Target("COM3", None))


def test_the_command_says_first_what_it_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nano = Nano(OLD, programs=PROGRAMS)
    _ports(monkeypatch, {"COM3": 0x0102})
    monkeypatch.setattr(flashing, "opened", lambda url: nano.open_at)
    monkeypatch.setattr(flashing, "version_at", _VERSION_AT)
    done = run("board", "flash", str(_file(tmp_path, NEW)))
    assert done.status == 0, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("This writes firmware 1.3 from board firmware.hex (384 bytes, SHA-256 ")
    assert "into the board at COM3, which has firmware 1.2" in first
    assert last == "The board answers with firmware 1.3."
    assert _memory(nano) == NEW


_VERSION_AT = flashing.version_at


def test_the_version_of_the_program_and_that_of_its_firmware_are_one() -> None:
    source = (Path(__file__).parents[3] / "hardware" / "firmware" / "device.h").read_text()
    found = re.search(r"#define FIRMWARE_VERSION (0x\d{4})", source)
    assert found is not None and int(found[1], 16) == peg.FIRMWARE_VERSION
