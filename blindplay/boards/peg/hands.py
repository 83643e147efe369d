"""What hands can have done at a pegged board: which pieces can stand in its holes at once, and
which piece a hand can have brought. Pieces are codes, and times are the board's uptimes."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from . import ladder
from . import protocol as peg

LATEST_LIFT_MS = 330
"""The board tells a lift when the hole has read as empty for 300 ms and a few scans. A quick hand
may have placed the piece before that."""
_PUSHES_S = 3.0
"""Seconds in which a hand pushes a piece in, though its contact is a fault at first."""
_CHANGES_S = 3.0
"""Seconds in which a hand hardly puts a piece away and brings another one."""
_HOLDS_S = 600.0
"""Seconds for which a hand may hold a piece that it lifted."""
_PUSHES_AGAIN_S = 60.0
"""Seconds in which it pushes that piece in once more if its contact is bad."""

HALF_RANGE_S = (1 << 31) / 1000
"""A board's uptime begins again after twice as many seconds. More than this lies in the past."""


class Hands:
    """The pieces that hands have lifted and not yet placed, and the placings that they can hardly
    have done."""

    def __init__(self) -> None:
        self._lifted_at: defaultdict[int, list[int]] = defaultdict(list)
        self._placed_at: dict[int, int] = {}
        self._unlikely: dict[int, tuple[int, int]] = {}

    def lift(self, piece: int, uptime: int) -> None:
        """The hole of this ``piece`` opened at ``uptime``. It may have been placed since."""
        placed = self._placed_at.get(piece)
        if placed is None or not _soon(uptime, placed):
            self._lifted_at[piece].append(uptime)
        for square, (other, at) in list(self._unlikely.items()):
            if other == piece and _soon(uptime, at):
                del self._unlikely[square]

    def place(self, square: int, piece: int, uptime: int, fault_since: int | None = None) -> bool:
        """Take the placing of a ``piece`` into an empty hole, which read as a fault since
        ``fault_since``. Return whether a hand is unlikely to have done it. A lift that the board
        tells later can still explain it."""
        held = {code: _held_for(at[-1], uptime) for code, at in self._lifted_at.items() if at}
        slow = fault_since is not None and passed(fault_since, uptime) > _PUSHES_S
        # More resistance in a contact makes the piece that was lifted just before read as this one.
        recent = [code for code, seconds in held.items() if seconds < _CHANGES_S]
        worn = any(ladder.OHMS[code] < ladder.OHMS[piece] for code in recent) and not any(
            _promotes(code, square, piece) for code in recent
        )
        unlikely = worn and not self.holds(piece, uptime)
        if slow:
            unlikely = held.get(piece, math.inf) > _PUSHES_AGAIN_S
        if unlikely:
            self._unlikely[square] = piece, uptime
        if self._lifted_at[piece]:
            self._lifted_at[piece].pop()
        self._placed_at[piece] = uptime
        return unlikely

    def holds(self, piece: int, uptime: int) -> bool:
        """Return whether a hand may hold this ``piece``."""
        return any(_held_for(lifted, uptime) < _HOLDS_S for lifted in self._lifted_at[piece])

    def unlikely(self) -> set[int]:
        """The squares of the placings since the last call that hands can hardly have done."""
        squares = set(self._unlikely)
        self._unlikely.clear()
        return squares


def _promotes(pawn: int, square: int, piece: int) -> bool:
    """Return whether a pawn may become this ``piece`` on this ``square``."""
    letter, other = peg.PIECES[pawn], peg.PIECES[piece]
    return (letter, square // 8, other in "QRBN") == ("P", 7, True) or (
        (letter, square // 8, other in "qrbn") == ("p", 0, True)
    )


def passed(since: int, uptime: int) -> float:
    """The seconds from one uptime to another."""
    return (uptime - since) % (1 << 32) / 1000


def _held_for(lifted: int, uptime: int) -> float:
    """The seconds since a lift. A lift that was lost has the uptime of the reading that showed it.
    A placing that was told after that may have been before: then they are none."""
    seconds = passed(lifted, uptime)
    return 0.0 if seconds > HALF_RANGE_S else seconds


def _soon(lifted: int, placed: int) -> bool:
    """Return whether a placing came so soon after a lift that it may have been told before it."""
    return passed(lifted, placed) * 1000 < LATEST_LIFT_MS


def too_many(codes: Sequence[int], square: int, piece: int) -> bool:
    """Return whether ``piece`` on ``square`` would be one more than can be, or make it worse."""
    without = Counter(codes)
    without[codes[square]] -= 1
    return _surplus(without + Counter([piece])) > _surplus(without)


def _surplus(count: Mapping[int, int]) -> int:
    """The number of pieces that no game can have, since each that was promoted was a pawn."""
    surplus = 0
    for letters in ("PKQRBN", "pkqrbn"):
        pawns, kings, queens, *others = (count[peg.PIECES.index(letter)] for letter in letters)
        promoted = max(0, queens - 1) + sum(max(0, other - 2) for other in others)
        surplus += max(0, kings - 1) + max(0, pawns + promoted - 8)
    return surplus
