"""Leads a blind person through the check of a pegged board: each kind of piece, each square."""

import datetime
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from typing import Protocol, TextIO

import chess

from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import calibration as found
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.calibration import Calibration, Contact
from blindplay.boards.peg.raw_board import HoleReading, RawBoard, port_of
from blindplay.language import Key, Language, key_of, word_of
from blindplay.translation import _, translated

from .attendant import EndedError, Prompter, Say

REFERENCE = chess.E4
"""The hole in which each kind of piece is read."""
CARRIED = "P"
"""The piece that is carried over the board; its resistor is the smallest, so that it shows a bad
contact best."""


class Readings(Protocol):
    """The part of a board that the check needs; :class:`RawBoard` has it."""

    @property
    def knows_pieces(self) -> bool: ...

    def read(self, squares: Sequence[int], samples: int = ...) -> dict[int, HoleReading]: ...


class _Check:
    """One pass over a board: asks, reads, and says what is wrong until it is right or left out."""

    def __init__(
        self, board: Readings, pack: Language, say: Say, keys: Iterator[str], squares: Sequence[int]
    ) -> None:
        self._board, self._pack, self._say, self._keys = board, pack, say, keys
        self._squares = squares
        self.pieces: dict[str, int] = {}
        self.levels: dict[int, int] = {}
        self.bad: dict[int, Contact] = {}

    def run(self) -> None:
        """Check the empty board, each kind of piece, and each square.

        :raises EndedError: the keys end, or one of them ends it
        """
        self._say(self._keys_in_words())
        self._empty()
        if self._board.knows_pieces:
            for letter in peg.PIECES[1:]:
                self._kind(letter)
            for low, high in found.alike(self.pieces):
                names = self._pack.either([self._piece(low), self._piece(high)])
                self._say(self._pack.sentence("contact_alike", pieces=names))
        else:
            self._say(self._pack.sentence("calibrate_no_names"))
        for square in self._squares:
            self._square(square)

    def _empty(self) -> None:
        while self._asked(self._pack.sentence("calibrate_empty")):
            readings = self._board.read(range(peg.SQUARES), 1)  # many are slow
            judged = {at: found.judge_empty(reading) for at, reading in readings.items()}
            wrong = [at for at, contact in judged.items() if contact is not Contact.GOOD]
            self.bad = dict.fromkeys(wrong, Contact.NOT_EMPTY)
            for square in wrong:
                self._tell(Contact.NOT_EMPTY, square, peg.EMPTY)
            if not wrong:
                return

    def _kind(self, letter: str) -> None:
        """Read one kind of piece in the reference hole."""
        while self._asked(self._place(letter, REFERENCE)):
            reading = self._board.read([REFERENCE])[REFERENCE]
            contact = found.judge(reading, peg.PIECES.index(letter), None)
            if contact is Contact.GOOD:
                self.pieces[letter] = reading.level
                return
            self._tell(contact, REFERENCE, reading.code)

    def _square(self, square: int) -> None:
        """Read the carried piece in this hole. A bad hole that is left out is noted."""
        code = peg.PIECES.index(CARRIED) if self._board.knows_pieces else None
        while self._asked(self._place(CARRIED, square)):
            reading = self._board.read([square])[square]
            # Where no kinds were read, the first square stands for all.
            level = self.pieces.get(CARRIED, next(iter(self.levels.values()), None))
            contact = found.judge(reading, code, level)
            if contact is Contact.GOOD:
                self.levels[square] = reading.level
                self.bad.pop(square, None)
                return
            self.bad[square] = contact
            self._tell(contact, square, reading.code)

    def _asked(self, sentence: str) -> bool:
        """Ask for something; False to leave it out."""
        self._say(sentence)
        for line in self._keys:
            key = key_of(self._pack, line)
            if key is Key.END:
                raise EndedError
            if key is Key.SKIP:
                return False
            if key is Key.HELP:
                self._say(self._keys_in_words())
            elif key is not Key.REPEAT:
                return True
            self._say(sentence)
        raise EndedError

    def _keys_in_words(self) -> str:
        repeat, skip = (word_of(self._pack, one) for one in (Key.REPEAT, Key.SKIP))
        return self._pack.sentence("calibrate_begin", repeat=repeat, skip=skip)

    def _tell(self, contact: Contact, square: int, code: int) -> None:
        piece = self._piece(peg.PIECES[code]) if 0 < code < len(peg.PIECES) else ""
        name = self._pack.square(square)
        self._say(self._pack.sentence(contact.value, square=name, piece=piece))

    def _place(self, letter: str, square: int) -> str:
        return self._pack.sentence(
            "calibrate_place", piece=self._piece(letter), square=self._pack.square(square)
        )

    def _piece(self, letter: str) -> str:
        return self._pack.piece(chess.Piece.from_symbol(letter))


def check(
    board: Readings,
    pack: Language,
    say: Say,
    keys: Iterable[str],
    squares: Sequence[int] = range(peg.SQUARES),
) -> Calibration:
    """Lead through the check of ``squares`` (0–63, all by default) and return what was found.

    ``keys`` are typed lines without their ends: an empty one after each step, the words for
    repeating, for leaving out and for ending. The check ends with them.
    """
    going = _Check(board, pack, say, iter(keys), squares)
    try:
        going.run()
    except EndedError:
        say(pack.sentence("cancelled"))
    if going.bad:
        names = ", ".join(pack.square(square) for square in sorted(going.bad))
        say(pack.sentence("calibrate_poor", squares=names))
    elif going.levels:
        say(pack.sentence("calibrate_good"))
    return Calibration(
        pieces=going.pieces,
        squares={chess.square_name(at): level for at, level in going.levels.items()},
        bad={chess.square_name(at): contact.name.lower() for at, contact in going.bad.items()},
        checked_at=datetime.date.today().isoformat(),
    )


def calibrate(
    url: str | None, pack: Language, silent: bool, keys: Iterable[str], out: TextIO
) -> bool:
    """Check the board at ``url``, which may be its name (None: it is searched for), and keep what
    was found. Return whether squares were checked and none is bad.

    :raises OSError: there is no such board, or it fails, as :class:`RawBoard` says
    """
    url = PegBoard.find() if url is None else port_of(url)
    with RawBoard(url) as board, ExitStack() as stack:
        voice = Prompter(stack, pack, silent, out)
        result, which = check(board, pack, voice.say, voice.heed(keys)), board.which
    if result.squares or result.pieces or result.bad:
        # An incomplete check keeps what is known of the other squares.
        before = found.kept(which, url) or Calibration()
        path = found.keep(which, url, found.merged(before, result))
        print(
            translated(_("What was found is kept in {path}.", path=path), pack.code),
            file=out,
            flush=True,
        )
    # A check of nothing proves nothing.
    return bool(result.squares) and not result.bad
