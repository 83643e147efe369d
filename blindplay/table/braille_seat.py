"""A player's Braille display: it shows everything that this player hears, and takes what is typed.

The display of BRLTTY is read and written here, in threads of its own, so that one that hangs stops
no game. When it vanishes, a voice says so; it is looked for until it is back.
"""

import contextlib
import logging
import queue
import threading
from collections.abc import Callable

import chess

from blindplay.braille.brlapi import (
    BrailleError,
    BrailleKey,
    Connection,
    Display,
    Pressed,
)
from blindplay.braille.line import BrailleLine
from blindplay.language import Command, Language
from blindplay.language.scoresheets import braille
from blindplay.laws import Taken
from blindplay.laws.rulings import Announced, AnnouncementVoid
from blindplay.speech.screen_reader import ReaderError, ScreenReader
from blindplay.wording.steps import step_in_words

from .session import Session

log = logging.getLogger(__name__)

RETRY_S = 1.0
"""Seconds between two searches for a display that vanished."""


def with_move(session: Session, side: str, words: str) -> str:
    """Return ``words``; if they announce a move, that move in chess Braille stands before them."""
    log = session.table.log
    latest = log[-1].rulings if log else ()
    ruling = next((one for one in latest if isinstance(one, Announced)), None)
    void = any(isinstance(one, AnnouncementVoid) for one in latest)
    if ruling is None or void or ruling.words != words:
        return words
    cells = compact_move(session, side)
    return f"{cells} {words}" if cells else words


def compact_move(session: Session, side: str) -> str:
    """The announced move, or else the last one, as ``side`` writes it in Braille; "" before."""
    game, pack = session.table.game, session.readers.of(side)
    board, move = game.board, game.turn.announced
    if move is None or not board.is_legal(move):
        if not game.history or game.history[-1].illegal:
            return ""
        board, move = game.history[-1].before, game.history[-1].spoken
    cells = braille_move(pack, board, move)
    if pack.code == "en":  # dots 3 6 before Black's move (Braille Chess Code, 1.2)
        number = braille.write_number(board.fullmove_number, pack.code)
        return f"{number} {'' if board.turn else '⠤'}{cells}"
    dots = "." if board.turn else "..."
    return braille.write(f"{board.fullmove_number}{dots}", pack.code) + cells


def braille_move(pack: Language, board: chess.Board, move: chess.Move) -> str:
    """A move in the country's chess Braille."""
    san = board.copy(stack=False).san(move)
    return braille.write_move(san, pack.notation(san), pack.code)


class BrailleSeat:
    """The display of the player at ``seat``. ``connect`` gives a display, or raises BrailleError;
    ``type_line`` takes lines as the keyboard does. A player who also hears badly misses nothing:
    each sentence waits until it was read, and so does its question."""

    def __init__(
        self,
        session: Session,
        seat: str,
        connect: Callable[[], Connection],
        type_line: Callable[[str, str], None],
    ) -> None:
        self._session = session
        self._seat = seat
        self._connect = connect
        self._type_line = type_line
        keeps = session.table.game.player(seat).hearing_impaired
        self._line = BrailleLine(keeps=keeps)
        self._lock = threading.Lock()  # of the line; never held while the table's is waited for
        self._changed = threading.Event()
        self._closed = threading.Event()
        self._connection: Connection | None = None
        self._there = True
        session.desk.on_said(self._said)
        session.table.listen(self._taken)
        session.desk.await_reading(self._is_unread)
        for work in (self._read, self._write):
            threading.Thread(target=work, name="Braille", daemon=True).start()

    def _is_unread(self) -> bool:
        with self._lock:
            return self._line.unread

    def close(self) -> None:
        """Give the display back."""
        self._closed.set()
        self._changed.set()
        if self._connection is not None:
            self._connection.close()

    # --- what is shown -----------------------------------------------------------------------

    def _said(self, words: str) -> None:
        sentence = with_move(self._session, self._side, words)
        with self._lock:
            self._line.say(sentence)
        self._changed.set()

    def _taken(self, taken: Taken) -> None:
        self._changed.set()  # the state may be shown

    @property
    def _side(self) -> str:
        return self._session.table.side_of(self._seat)

    def _state(self) -> str:
        """The question that waits, or else the last move and the step that is due."""
        session, side = self._session, self._side
        with session.table.lock:
            question = session.talking.asked(side)
            if question is not None:
                return question.words
            game, pack, step = session.table.game, session.readers.of(side), session.steps.of(side)
            if step.do == "nothing":
                return self._line.newest

            def name(board: chess.Board, move: chess.Move) -> str:
                return braille_move(pack, board, move)

            due = step_in_words(pack, game, step, name)
            return due if step.move else f"{compact_move(session, side)} {due}".strip()

    def _write(self) -> None:
        shown = None
        while not self._closed.is_set():
            self._changed.wait()
            self._changed.clear()
            connection = self._connection
            if connection is None or not connection.display.cells:
                shown = None
                continue
            state = self._state()
            with self._lock:
                wanted = self._line.shown(connection.display.cells, state)
            if (connection, connection.display, wanted) == shown:
                continue
            shown = (connection, connection.display, wanted)
            with contextlib.suppress(BrailleError):  # the reading thread notices it, too
                connection.write(*wanted)

    # --- what is pressed ---------------------------------------------------------------------

    def _read(self) -> None:
        while not self._closed.is_set():
            try:
                with self._connect() as connection:
                    self._connection = connection
                    self._is_there(connection.display.cells > 0)
                    while not self._closed.is_set():  # it may have been closed meanwhile
                        self._take(connection.read(), connection.display.cells)
            except BrailleError as error:
                self._connection = None
                self._is_there(False, str(error))
            self._closed.wait(RETRY_S)

    def _is_there(self, now: bool, why: str = "") -> None:
        """Tell by voice that the display is gone or back, once."""
        if now is not self._there and not self._closed.is_set():
            self._there = now
            _tell(self._session, now, why)
        self._changed.set()

    def _take(self, event: Display | Pressed, cells: int) -> None:
        if isinstance(event, Display):
            self._is_there(event.cells > 0)
            return
        try:
            self._press(event, cells)
        except Exception:  # a failing listener must not end the display
            log.exception("A listener failed at a key of the Braille display.")
        self._changed.set()

    def _press(self, key: Pressed, cells: int) -> None:
        if key.key is BrailleKey.ROUTE:
            self._route()
        elif key.key is BrailleKey.TIME:
            self._type(self._session.readers.of(self._side).command(Command.CLOCK_MINE))
        elif key.key is BrailleKey.ENTER:
            self._enter()
        else:
            state = self._state()
            with self._lock:
                _move(self._line, key, cells, state)

    def _enter(self) -> None:
        with self._lock:
            typed, self._line.typed = self._line.typed, ""
        self._type(braille.read_typed(typed, self._session.readers.of(self._side).code))

    def _route(self) -> None:
        """Acknowledge: end the line that is typed, say yes to the question that is shown, or go on
        to what was said after this. A question that is not shown is shown first."""
        question = self._session.talking.asked(self._side)
        with self._lock:
            typed, sentence = self._line.typed, self._line.sentence
        if typed:
            self._enter()
        elif question is not None and sentence in (None, question.words):
            with self._lock:
                self._line.next()
            self._type(self._session.readers.of(self._side).command(Command.YES))
        else:
            with self._lock:
                self._line.next()

    def _type(self, line: str) -> None:
        self._type_line(self._side, line)


def _tell(session: Session, works: bool, why: str) -> None:
    """Tell by voice that the display is gone or back."""
    if why:
        session.transcript.trouble(why)
    session.desk.tell_privately("braille_back" if works else "braille_gone")


def _move(line: BrailleLine, key: Pressed, cells: int, state: str) -> None:
    """Do what a key does to the line."""
    if key.key is BrailleKey.SIGN:
        line.typed += key.sign
    elif key.key is BrailleKey.BACKSPACE:
        line.typed = line.typed[:-1]
    elif key.key is BrailleKey.ESCAPE:
        line.typed = ""
    elif key.key is BrailleKey.RIGHT:
        line.right(cells, state)
    elif key.key is BrailleKey.LEFT:
        line.left(cells)
    elif key.key is BrailleKey.DOWN:
        line.next()
    elif key.key is BrailleKey.UP:
        line.back()
    else:
        line.home()


class ReadersBraille:
    """Shows what the player at ``seat`` hears on the display of their screen reader, which pages
    through it by itself."""

    def __init__(self, session: Session, seat: str, reader: ScreenReader) -> None:
        self._session = session
        self._seat = seat
        self._reader = reader
        self._works = True
        self._sentences: queue.Queue[str | None] = queue.Queue()
        session.desk.on_said(self._said)
        threading.Thread(target=self._show, name="Braille", daemon=True).start()

    def _said(self, words: str) -> None:
        side = self._session.table.side_of(self._seat)
        self._sentences.put(with_move(self._session, side, words))

    def _show(self) -> None:
        while (sentence := self._sentences.get()) is not None:
            try:
                self._reader.braille(sentence)
                works, why = True, ""
            except ReaderError as error:
                works, why = False, str(error)
            if works is not self._works:
                self._works = works
                _tell(self._session, works, why)

    def close(self) -> None:
        """Show nothing more."""
        self._sentences.put(None)
