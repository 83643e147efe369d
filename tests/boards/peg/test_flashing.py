"""Writing firmware: the announcement, the command line of avrdude, and its failures."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from blindplay.boards.peg import flashing
from blindplay.boards.ports import BoardNotFoundError, FoundPort
from tests.command_line import run

HEX = ":0400000001020304F2\n:00000001FF\n"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell script on PATH")


@pytest.fixture
def firmware(tmp_path: Path) -> Path:
    file = tmp_path / "board firmware.hex"
    file.write_text(HEX)
    return file


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fake avrdude that writes down its arguments. It fails if the port is called bad."""
    folder = tmp_path / "programs"
    folder.mkdir()
    told = tmp_path / "told"
    script = folder / "fake.py"
    script.write_text(
        "import sys, pathlib\n"
        f"pathlib.Path({str(told)!r}).write_text('\\n'.join(sys.argv[1:]))\n"
        "print('avrdude: 4 bytes of flash verified')\n"
        "sys.exit('bad' in ' '.join(sys.argv))\n"
    )
    if sys.platform == "win32":
        (folder / "avrdude.bat").write_text(f'@"{sys.executable}" "{script}" %*\n')
    else:
        program = folder / "avrdude"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{script}" "$@"\n')
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder) + os.pathsep + os.environ["PATH"])
    return told


@pytest.mark.parametrize(
    ("board", "rate"), [("nano", "115200"), ("nano-old", "57600"), ("uno", "115200")]
)
def test_each_boot_loader_is_spoken_to_at_its_own_rate(
    board: str, rate: str, firmware: Path, avrdude: Path
) -> None:
    planned = flashing.plan(firmware, "/dev/ttyUSB0", board)
    assert rate in planned.sentence and "4 bytes" in planned.sentence
    assert "/dev/ttyUSB0" in planned.sentence and firmware.name in planned.sentence
    assert not avrdude.exists()  # a plan runs nothing
    out = io.StringIO()
    flashing.flash(planned, out)
    assert "verified" in out.getvalue()
    told = avrdude.read_text().splitlines()
    assert told == ["-p", "atmega328p", "-c", "arduino", "-P", "/dev/ttyUSB0", "-b", rate, "-D",
                    "-U", f"flash:w:{firmware}:i"]  # fmt: skip


def test_another_rate_may_be_given(firmware: Path, avrdude: Path) -> None:
    assert "19200" in flashing.plan(firmware, "COM3", "nano", 19200).command


def test_a_failure_of_avrdude_is_one_sentence(firmware: Path, avrdude: Path) -> None:
    planned = flashing.plan(firmware, "bad", "nano")
    with pytest.raises(flashing.FlashingError, match="nano-old") as told:
        flashing.flash(planned, io.StringIO())
    assert len(str(told.value).splitlines()) == 1


def test_without_avrdude_the_message_says_how_to_install_it(
    firmware: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(flashing.FlashingError, match="not installed"):
        flashing.plan(firmware, "/dev/ttyUSB0", "nano")


@pytest.mark.parametrize(
    "text",
    ["", "hello\n", ":0400000001020304F3\n:00000001FF\n", ":0400000001020304F2\n", ":00000001FF\n",
     ":04000000\n:00000001FF\n", "é\n"],
    ids=["empty", "words", "checksum", "cut-off", "no-bytes", "short", "not-ascii"],
)  # fmt: skip
def test_a_file_that_is_no_firmware_is_never_written(
    text: str, tmp_path: Path, avrdude: Path
) -> None:
    file = tmp_path / "board.hex"
    file.write_text(text, "utf-8")
    with pytest.raises(ValueError, match="Intel HEX"):
        flashing.plan(file, "/dev/ttyUSB0", "nano")
    assert not avrdude.exists()


def test_a_wrong_board_port_file_or_rate_is_refused(
    firmware: Path, avrdude: Path, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match="not a board: give one of nano, nano-old, uno"):
        flashing.plan(firmware, "/dev/ttyUSB0", "mega")
    with pytest.raises(ValueError, match="cable"):
        flashing.plan(firmware, "socket://127.0.0.1:1", "nano")
    with pytest.raises(ValueError, match="no file"):
        flashing.plan(tmp_path / "nothing.hex", "/dev/ttyUSB0", "nano")
    with pytest.raises(ValueError, match="is a folder; name a file in it"):
        flashing.plan(tmp_path, "/dev/ttyUSB0", "nano")
    for baud in (0, -5):
        with pytest.raises(ValueError, match="not a baud rate"):
            flashing.plan(firmware, "/dev/ttyUSB0", "nano", baud)


@pytest.mark.parametrize(
    ("options", "said"), [(["--baud", "-5"], "--baud"), ([], "is a folder; name a file in it")]
)
def test_wrong_input_is_reported_before_the_search_for_a_board(
    options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flashing, "discover", list)
    done = run("board", "flash", str(tmp_path), *options)
    assert done.status == 2
    assert said in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("ports", "said"), [([], "No board was found"), (["a", "b"], "several boards, at a and b")]
)
def test_the_port_is_found_only_if_there_is_exactly_one(
    ports: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(names: list[str]) -> list[FoundPort]:
        return [FoundPort(name, name, 0x1A86, 1, None, True) for name in names]

    monkeypatch.setattr(flashing, "discover", lambda: found(ports))
    with pytest.raises(BoardNotFoundError, match=said):
        flashing.only_port()
    monkeypatch.setattr(flashing, "discover", lambda: found(["a"]))
    assert flashing.only_port() == "a"


@POSIX
def test_the_command_announces_the_flashing_before_it_begins(
    firmware: Path, avrdude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flashing, "only_port", lambda: "/dev/ttyUSB0")
    done = run("board", "flash", str(firmware))
    assert done.status == 0
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("This writes board firmware.hex (4 bytes) into the Arduino Nano")
    assert last == "The firmware has been written."


def test_the_command_without_avrdude_is_one_sentence_and_status_2(
    firmware: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(flashing, "only_port", lambda: "/dev/ttyUSB0")
    done = run("board", "flash", str(firmware))
    assert done.status == 2
    assert done.stdout == "" and len(done.stderr.splitlines()) == 1 and "avrdude" in done.stderr
