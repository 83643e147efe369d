"""Certabo's boards, and Tabutronic's Sentio, which speaks alike.

A Certabo reads the chip in each piece. The driver learns the chips of a set when it first stands in
the start position. A Sentio knows only which squares are occupied. Both tell positions only, so
nothing on them is a touch.

A board sends lines of decimal numbers after a colon, again and again. A Certabo sends the five
bytes of a chip's number for each square, a8 first. A Sentio sends one byte for each rank, the
eighth first, with the a-file in the highest bit. A letter acknowledges a command for lamps, in a
line of its own or at the end of such a line. There is no checksum, so three lines of a Sentio must
agree. Of a Certabo two must, also before chips are learned: a spoilt number of a chip is hardly
ever another chip of the set. An unknown chip is a piece without a name.

Sources: Certabo's own programs (CERTABO/CERTABO-CHESSBOARDS-SOFTWARE: lines, order of squares,
empty squares, lamps); the Certabo and Sentio drivers of picochess (Sentio, coloured lamps, learning
from the start position); the CertaboAdapter of BoardKit, with its notes on lines that are wrapped.
Never tried on hardware.
"""

import logging
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import chess

from blindplay.own_files import config_folder, read_object, write_json
from blindplay.translation import _

from .diagram import EMPTY, NAMELESS, START, Diagram
from .reporting import BoardMessage, BoardReport, Framer, ReportingBoard, ReportingState, SignOfLife

_MOST = 2048
"""Longest line, in bytes."""
_CHIP = 5
_FIELDS = [chess.square_mirror(square) for square in chess.SQUARES]
_END = b"\r\n"
_LAMPS = b"LD"
"""How a board acknowledges a command for its lamps."""
_COLOURED = b"D"
_SPARE_QUEENS = {chess.D6: ord("q"), chess.D3: ord("Q")}
"""The squares on which a second queen may stand while a set is learned."""
_COLOUR = bytes((0, 0, 0x40))

Chips = dict[bytes, int]
"""The letter of a diagram by the number of a chip."""


def lamps(squares: Collection[chess.Square], *, coloured: bool) -> bytes:
    """The command that lights these squares, or for ``coloured`` lamps their corners."""
    if not coloured:
        rows = bytearray(8)
        for square in squares:
            rows[7 - chess.square_rank(square)] |= 1 << chess.square_file(square)
        return bytes(rows)
    lit = {
        9 * (chess.square_rank(square) + up) + 7 - chess.square_file(square) + left
        for square in squares
        for up in (0, 1)
        for left in (0, 1)
    }
    return b"\xff\x55" + b"".join(_COLOUR if lamp in lit else bytes(3) for lamp in range(81)) + _END


class Decoder(Framer):
    """Cuts what a board sends into messages, with the names in ``chips``.

    ``learned`` is called with ``chips`` when it has grown. ``coloured``: the board has said that
    its lamps are.
    """

    BEGINNINGS = b":" + _LAMPS

    def __init__(
        self,
        chips: Chips | None = None,
        learned: Callable[[Mapping[bytes, int]], None] = lambda chips: None,
    ) -> None:
        super().__init__()
        self.coloured = False
        self._chips: Chips = {} if chips is None else chips
        self._learned = learned
        self._numbers = b""
        self._chips_on: list[bytes] = []  # the chips on a1, b1, … h8
        self._diagram: Diagram = b""

    def _size(self, buffer: bytearray) -> int:
        end = buffer.find(_END, 0, _MOST)
        if end >= 0:
            return end + len(_END)
        return 0 if len(buffer) >= _MOST else len(buffer) + 1

    def _read(self, frame: bytes) -> BoardMessage | None:
        line = frame[: -len(_END)]
        if line[-1:] in _LAMPS:
            self.coloured = line[-1:] == _COLOURED
            line = line[:-1]
            if not line:
                return SignOfLife()
        try:
            # Some boards wrap lines, even within a number.
            numbers = bytes(map(int, line[1:].replace(b"\n", b"").split()))
        except ValueError:  # no number, or none of a byte
            return None
        if len(numbers) == 8:
            return BoardReport(_occupied(numbers))
        if len(numbers) == 64 * _CHIP:
            return BoardReport(self._named(numbers), agree=2)
        return None

    def _named(self, numbers: bytes) -> Diagram:
        repeated = numbers == self._numbers
        if not repeated:
            self._numbers = numbers
            self._chips_on = [numbers[_CHIP * at : _CHIP * (at + 1)] for at in _FIELDS]
        if not repeated or self._learn(self._chips_on):
            self._diagram = bytes(
                EMPTY if _is_empty(chip) else self._chips.get(chip, NAMELESS)
                for chip in self._chips_on
            )
        return self._diagram

    def _learn(self, chips: list[bytes]) -> bool:
        """Learn the chips of a set that stands in the start position, if none of them is known as
        another piece. Return whether any was new."""
        letters: Chips = {}
        for square, chip in enumerate(chips):
            if _is_empty(chip):
                if START[square] != EMPTY:
                    return False
                continue
            letter = _SPARE_QUEENS.get(square, START[square])
            if letter == EMPTY or chip in letters or self._chips.get(chip, letter) != letter:
                return False
            letters[chip] = letter
        if letters.keys() <= self._chips.keys():
            return False
        self._chips.update(letters)
        self._learned(self._chips)
        return True


def _is_empty(chip: bytes) -> bool:
    """Return whether no chip was read. A failed reading contains zeros, too."""
    return chip.count(0) > 2


def _occupied(rows: bytes) -> Diagram:
    return bytes(
        NAMELESS if rows[7 - square // 8] >> (7 - square % 8) & 1 else EMPTY
        for square in chess.SQUARES
    )


_LETTERS = "PRNBKQprnbkq"

_log = logging.getLogger(__name__)


def _file() -> Path:
    return config_folder() / "chips.json"


def kept() -> Chips:
    """The chips that were learned. None of them if the file cannot be read."""
    try:
        return {
            bytes.fromhex(chip): ord(letter)
            for letter, chips in read_object(_file()).items()
            if letter in _LETTERS
            for chip in chips
        }
    except (ValueError, TypeError):
        return {}


def keep(chips: Mapping[bytes, int]) -> None:
    """Save the chips, by their letters. If that fails, they must be learned again next time."""
    path = _file()
    named = {
        letter: sorted(chip.hex() for chip, own in chips.items() if own == ord(letter))
        for letter in _LETTERS
    }
    try:
        write_json(path, named)
    except OSError:
        _log.exception("%s could not be saved", path)


class CertaboState(ReportingState):
    """The state of a Certabo, with the chips that are known, or of a Sentio."""

    def __init__(
        self, kind: type[ReportingBoard], url: str, before: ReportingState | None = None
    ) -> None:
        super().__init__(kind, url, before)
        self._framer = self._decoder = Decoder(kept(), keep)

    def _lamps(self, squares: frozenset[chess.Square]) -> list[bytes]:
        return [lamps(squares, coloured=self._decoder.coloured)]


class CertaboBoard(ReportingBoard):
    """A Certabo, or a Sentio by Tabutronic.

    A Certabo learns the chips of a set when it stands in the start position, with White at the
    board's usual side, and knows them from then on. Until then it shows pieces without names.
    """

    KIND = _("Certabo or Sentio board")
    BAUD = 38400
    USB_IDS = ((0x10C4, 0xEA60),)
    FRAMER = Decoder
    SPACING = 0.6
    STATE = CertaboState
