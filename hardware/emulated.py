"""The real firmware in its emulator, with the same hands as the board in software.

:class:`FirmwareBoard` works like ``EmulatedBoard`` of :mod:`blindplay.boards.peg.emulator`, in real
time behind a pseudo terminal. :class:`LockstepFirmware` works like ``LockstepBoard`` of
:mod:`hardware.lockstep`. Both need the output of ``make -C hardware``.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from chess import STARTING_BOARD_FEN as START

from blindplay.boards.peg import protocol as peg

FOLDER = Path(__file__).parent
BUILD = FOLDER / "build"

_SCAN_MS = 4.0
_SETTLED_MS = 20.0
"""Some scans and the frame's time on the line, after the time for confirming a change."""
_LIFT_MS, _PLACE_MS, _FAULT_MS = 150.0, 25.0, 200.0
_STEP_MS = 100.0


class ToolsMissingError(RuntimeError):
    """Compilers or libraries are missing. The text says which to install."""


@contextlib.contextmanager
def _building() -> Iterator[None]:
    """Several test processes may build at once."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        if sys.platform != "win32":
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def build() -> None:
    """Build firmware and emulator if they are out of date.

    Raises :class:`ToolsMissingError` without the tools, :class:`subprocess.CalledProcessError`
    with the compiler's output if it fails with them.
    """
    with _building():
        try:
            tools = subprocess.run(
                ["make", "-s", "-C", str(FOLDER), "tools"], capture_output=True, text=True
            )
        except FileNotFoundError as error:
            raise ToolsMissingError("Install make to build the firmware.") from error
        if tools.returncode:
            raise ToolsMissingError(tools.stderr.splitlines()[0])
        subprocess.run(["make", "-s", "-C", str(FOLDER)], capture_output=True, check=True)


class _Control:
    """One running emulator. It answers each line that it gets."""

    def __init__(self, *command: str | Path) -> None:
        self._lock = threading.Lock()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._answer()

    def __call__(self, command: str) -> str:
        """Return the text after ``ok``. Raises ValueError with the sentence after ``error``."""
        return self.run(command)[1]

    def run(self, command: str) -> tuple[list[tuple[float, bytes]], str]:
        """Like a call, with the frames that the board sent before the answer."""
        with self._lock:
            if self._process.stdin is None or self._process.stdin.closed:
                return [], "0"
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
            return self._answer()

    def _answer(self) -> tuple[list[tuple[float, bytes]], str]:
        said: list[tuple[float, bytes]] = []
        assert self._process.stdout is not None
        for line in self._process.stdout:
            word, _, rest = line.strip().partition(" ")
            if word == "said":
                at, _, data = rest.partition(" ")
                said.append((float(at), bytes.fromhex(data)))
            elif word == "ok":
                return said, rest
            else:
                raise ValueError(rest)
        raise RuntimeError(f"The emulator ended with status {self._process.wait()}.")

    def time(self) -> float:
        """Simulated milliseconds since power was first given."""
        return float(self("time"))

    def close(self) -> None:
        with self._lock:
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()
            self._process.wait()


def _emulator(baud: int, old: bool) -> tuple[Path, Path]:
    return BUILD / "emulator", BUILD / f"{'old' if old else 'firmware'}-{baud}.elf"


def _fit(control: _Control) -> None:
    """Build motor and lamp in, before the board boots."""
    control("fit motor")
    control("fit lamp")


class FirmwareBoard:
    """The real firmware, its serial line a pseudo terminal at ``url``.

    ``boot_seconds`` is how long it is deaf after power, reset and each opening of its line, 0
    without such resets. ``speed`` is the speed of its clock relative to the wall clock. With
    ``signals`` it has a vibration motor and a lamp. An ``old`` firmware knows no id and no name.
    ``loader`` is a boot loader in Intel HEX, which each opening of the line starts.
    Raises :class:`ValueError` for a wrong placement.
    """

    def __init__(
        self,
        placement: str = START,
        *,
        boot_seconds: float = 0.0,
        baud: int = 9600,
        seed: int = 1,
        speed: float = 1.0,
        signals: bool = False,
        old: bool = False,
        loader: Path | None = None,
    ) -> None:
        self._holes = list(peg.codes_of(placement))
        self._folder = tempfile.TemporaryDirectory(prefix="blindplay-board-")
        self.url = str(Path(self._folder.name) / "board")
        options = ["--line", self.url, "--seed", str(seed), "--speed", str(speed)]
        if boot_seconds:
            options += ["--boot", str(round(boot_seconds * 1000))]
        if loader is not None:
            options += ["--loader", str(loader)]
        self._control = _Control(*_emulator(baud, old), *options)
        self._speed = speed
        self._plugged = True
        self._edges: dict[str, list[tuple[float, bool]]] = {"buzzer": [], "motor": []}
        # It has just booted with empty holes: restart it with the pieces in place.
        self._control("unplug")
        self._control(f"fen {placement}")
        if signals:
            _fit(self._control)
        self._control("plug")

    @property
    def placement(self) -> str:
        """The pieces that really stand on the board, as FEN's first field."""
        return peg.placement_of(self._holes)

    @property
    def buzzed(self) -> list[int]:
        """The buzzer patterns that have sounded to their end, as far as one can hear."""
        return self._patterns("buzzer", 8)

    @property
    def felt(self) -> list[int]:
        """The patterns that the vibration motor has shown to their end, as far as one can feel."""
        return self._patterns("motor", 16)

    def _patterns(self, output: str, bits: int) -> list[int]:
        now, *edges = self._control(output).split()
        seen = self._edges[output]
        seen += [(float(edge[:-1]), edge[-1] == "+") for edge in edges]
        patterns: list[int] = []
        begun = -1e9
        ends = [at for at, _ in seen[1:]] + [float(now)]
        for (at, on), end in zip(seen, ends, strict=False):
            if not on:
                continue
            if at - begun >= bits * _STEP_MS:
                begun = at
                patterns.append(0)
            first, last = (round((t - begun) / _STEP_MS) for t in (at, end))
            patterns[-1] |= (1 << last) - (1 << first)
        if float(now) - begun < bits * _STEP_MS:
            patterns.pop()
        return patterns

    # --- hands -----------------------------------------------------------------------------

    def lift(self, square: str, *, wait: bool = True) -> str:
        """Like ``EmulatedBoard.lift``."""
        index = peg.square_index(square)
        code = self._holes[index]
        if code == peg.EMPTY:
            raise ValueError(f"there is no piece on {square} to lift")
        self._holes[index] = peg.EMPTY
        self._control(f"set {square} -")
        self._wait(_LIFT_MS, wait)
        return peg.PIECES[code] if code != peg.FAULT else "?"

    def place(self, square: str, piece: str, *, wait: bool = True) -> None:
        """Like ``EmulatedBoard.place``."""
        index = peg.square_index(square)
        if len(piece) != 1 or piece not in peg.PIECES[1:] + "!":
            raise ValueError(f"{piece!r} is not a piece: write one of P N B R Q K p n b r q k")
        if self._holes[index] != peg.EMPTY:
            raise ValueError(f"{square} is occupied: lift that piece first")
        self._holes[index] = peg.FAULT if piece == "!" else peg.PIECES.index(piece)
        self._control(f"set {square} {piece}")
        self._wait(_FAULT_MS if piece == "!" else _PLACE_MS, wait)

    def open_contact(self, square: str, seconds: float) -> None:
        """Feel the piece on ``square``, so that its contact opens for ``seconds``, and wait."""
        if self._holes[peg.square_index(square)] == peg.EMPTY:
            raise ValueError(f"there is no piece on {square} to feel")
        self._control(f"feel {square} {seconds * 1000}")
        self._wait(seconds * 1000 + _PLACE_MS, True)

    def fault(self, square: str, *, wait: bool = True) -> None:
        """Like ``EmulatedBoard.fault``."""
        self._control(f"fault {square}")
        self._wait(_FAULT_MS, wait)

    def mend(self, square: str, *, wait: bool = True) -> None:
        """Like ``EmulatedBoard.mend``."""
        self._control(f"mend {square}")
        self._wait(_LIFT_MS, wait)

    def press(self, side: Literal["white", "black"]) -> None:
        """Like ``EmulatedBoard.press``."""
        self._control(f"press {side}")

    def _wait(self, ms: float, wait: bool) -> None:
        """Wait on the board's own clock: on a busy computer it is slow."""
        end = self._control.time() + ms + 2 * _SCAN_MS + _SETTLED_MS
        while wait and self._plugged and (left := end - self._control.time()) > 0:
            time.sleep(min(left, 50.0) / 1000 / self._speed)

    # --- the cable -------------------------------------------------------------------------

    def unplug(self) -> None:
        """Like ``EmulatedBoard.unplug``."""
        self._plugged = False
        self._control("unplug")

    def plug(self) -> None:
        """Like ``EmulatedBoard.plug``."""
        self._control("plug")
        self._plugged = True

    def reset(self) -> None:
        """Restart the board while the line stays up, as its watchdog would."""
        self._control("reset")

    def lose(self, frames: int) -> None:
        """Lose the next ``frames`` frames from the board on the line."""
        self._control(f"lose {frames}")

    def garble(self, frames: int) -> None:
        """Flip one bit in each of the next ``frames`` frames from the board."""
        self._control(f"garble {frames}")

    def send_raw(self, data: bytes) -> None:
        """Send any bytes to the host."""
        self._control(f"say {data.hex()}")

    def close(self) -> None:
        """Like ``EmulatedBoard.close``."""
        self._plugged = False
        self._control.close()
        self._folder.cleanup()

    def __enter__(self) -> FirmwareBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def build_rp2040() -> None:
    """Build the firmware for the RP2040, and fetch what its emulator needs.

    Raises :class:`ToolsMissingError` if that is not possible here.
    """
    with _building():
        made = subprocess.run(
            ["make", "-s", "-C", str(FOLDER), "rp2040"], capture_output=True, text=True
        )
    if made.returncode:
        raise ToolsMissingError(made.stderr or made.stdout)


class LockstepFirmware:
    """The real firmware, whose time passes only in :meth:`run`.

    ``LockstepBoard`` documents the methods.
    """

    def __init__(
        self,
        placement: str = START,
        *,
        seed: int = 1,
        baud: int = 9600,
        signals: bool = False,
        old: bool = False,
    ) -> None:
        peg.codes_of(placement)
        self._control = _Control(*_emulator(baud, old), "--seed", str(seed))
        self._control(f"fen {placement}")
        if signals:
            _fit(self._control)
        self.time = 0.0

    def set(self, square: str, piece: str, bounce: float = 0.0) -> None:
        self._control(f"set {square} {'-' if piece == '.' else piece} {bounce}")

    def feel(self, square: str, for_ms: float) -> None:
        self._control(f"feel {square} {for_ms}")

    def fault(self, square: str) -> None:
        """Short the contact, until :meth:`mend`."""
        self._control(f"fault {square}")

    def resistance(self, square: str, ohms: float) -> None:
        """Add ``ohms`` to the contact, until :meth:`mend`."""
        self._control(f"resistance {square} {ohms}")

    def damp(self, square: str, ohms: float) -> None:
        """Join the hole's tip and ground by ``ohms``, until :meth:`mend`."""
        self._control(f"damp {square} {ohms}")

    def mend(self, square: str) -> None:
        self._control(f"mend {square}")

    def press(self, side: Literal["white", "black"]) -> None:
        self._control(f"press {side}")

    def unplug(self) -> None:
        self._control("unplug")

    def plug(self) -> None:
        self._control("plug")

    def hang(self) -> None:
        """Catch the firmware in an endless loop."""
        self._control("hang")

    def shown(self, output: str) -> list[tuple[float, bool]]:
        """When the ``buzzer``, ``motor`` or ``lamp`` went on and off since the last call."""
        _, *edges = self._control(output).split()
        return [(float(edge[:-1]), edge[-1] == "+") for edge in edges]

    def stack_free(self) -> int:
        """The bytes of memory that the stack has never reached."""
        return int(self._control("stack").split()[1])

    def noise(self, out_ppm: float, in_ppm: float) -> None:
        self._control(f"noise {out_ppm} {in_ppm}")

    def lose(self, frames: int) -> None:
        self._control(f"lose {frames}")

    def hear(self, data: bytes) -> None:
        self._control(f"hear {data.hex()}")

    def run(self, ms: float) -> list[tuple[float, bytes]]:
        said, at = self._control.run(f"run {ms}")
        self.time = float(at)
        return said

    def close(self) -> None:
        self._control.close()


class LockstepRp2040(LockstepFirmware):
    """The same core on an emulated RP2040. It needs :func:`build_rp2040`."""

    def __init__(self, placement: str = START, *, seed: int = 1, signals: bool = False) -> None:
        peg.codes_of(placement)
        emulator = FOLDER / "emulator" / "rp2040.mjs"
        ladder = FOLDER / "firmware" / "ladder.h"
        self._control = _Control("node", emulator, BUILD / "firmware-rp2040.bin", ladder, str(seed))
        if signals:
            _fit(self._control)
        self._control("unplug")
        self._control(f"fen {placement}")
        self._control("plug")
        self.time = 0.0
