"""The interface for programs that embed BlindPlay; :mod:`blindplay` exports it."""

import contextlib
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO, TypeVar

import chess

from blindplay.boards.driver import SensorBoard
from blindplay.language import load
from blindplay.laws import Fact, Ruling, Taken, game
from blindplay.laws.facts import SIDES, Press, Setup
from blindplay.opponents.player import AbsentPlayer, is_to_choose, position
from blindplay.record import Journal
from blindplay.table.desk import Transcript
from blindplay.table.devices import open_speaker
from blindplay.table.hands_first import LONGEST_S
from blindplay.table.play import go_on
from blindplay.table.session import Session
from blindplay.table.table import Table
from blindplay.translation import UserError
from blindplay.wording.pack_words import PackWords

Kind = TypeVar("Kind", bound=Ruling | Fact)


class Game(game.Game):
    """A game under one edition of the Laws: facts in, rulings out.

    ``fallback`` is the language of announcements whose own language has no pack.

    >>> game = Game()
    >>> checked = game.apply(facts.Setup(white=facts.Player(impaired=True)))
    >>> for ruling in game.apply(facts.Lift(t=1000, board="white", square="g1")):
    ...     print(ruling.kind, ruling.articles)
    touched ('fide-2023 D.2.2',)
    obliged ('fide-2023 4.3.1',)
    """

    def __init__(self, fallback: str = "de") -> None:
        super().__init__(PackWords(fallback))


def _side(side: str) -> str:
    if side not in SIDES:
        raise UserError("A side is white or black, not {side}.", side=repr(side))
    return side


class Opponent(AbsentPlayer):
    """A program that plays at a table, see :func:`open_table`. A subclass chooses its moves.

    Its other duties under the Laws are done for it: it repeats each announcement, executes it,
    announces and executes its own move, and presses the clock.
    """

    @abstractmethod
    def choose(self, board: chess.Board) -> chess.Move:
        """The move to play in this position, with the moves that led to it. Called in a thread of
        its own; it may take long. The move is dropped if the position has changed. After an illegal
        move, which is logged, it is called again after a second."""

    def _consider(self) -> None:
        def asked() -> chess.Board | None:
            game = self._table.game
            return position(game) if is_to_choose(game, self.side) else None

        with self._table.lock:
            board = asked()
        if board is not None:
            chosen = self.choose(board.copy())
            if not board.is_legal(chosen):  # else it would be refused and chosen again at once
                raise ValueError(f"choose() returned {chosen}, which is not legal: {board.fen()}")
            self._play(chosen, lambda: asked() == board)


class OpenTable:
    """A running table; see :func:`open_table`. Its methods may be called from any thread."""

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def game(self) -> game.Game:
        """The game as it stands. It is for reading."""
        return self._session.table.game

    def submit(self, fact: Fact) -> tuple[Ruling, ...]:
        """Take a fact and give its rulings. ``t`` 0 means now.

        The moves of hands on the boards come first. Inside a function that :meth:`on` calls, or
        while a board cannot be read, the fact is taken afterwards and the result is empty. Raises
        :class:`FactError` for a fact that the game cannot take.
        """
        table, rulings = self._session.table, Future[tuple[Ruling, ...]]()

        def submit() -> None:
            try:
                rulings.set_result(table.submit(fact))
            except Exception as error:
                rulings.set_exception(error)

        with table.lock:
            inside = table.delivering
            table.after_hands(submit, presser=fact.by if isinstance(fact, Press) else None)
        with contextlib.suppress(TimeoutError):
            return rulings.result(0 if inside else LONGEST_S)
        return ()

    def typed(self, side: str, text: str) -> None:
        """Take what ``side`` ("white" or "black") types: a move in words or a command. On a board
        without sensors this executes the move.

        :raises ValueError: another side
        """
        self._session.typed(_side(side), text)

    def attach(self, board: SensorBoard, *, side: str) -> None:
        """Read the board of ``side`` from now on; the table closes it.

        :raises ValueError: another side than "white" or "black"
        """
        self._session.attach(board, _side(side))

    def on(self, kind: type[Kind], function: Callable[[Kind], object]) -> None:
        """Call ``function`` with each ruling or fact of this class, or of its subclasses, from now
        on. It must not block for long."""

        def listener(taken: Taken) -> None:
            for item in (taken.fact, *taken.rulings):
                if isinstance(item, kind):
                    function(item)

        self._session.table.listen(listener)


@contextlib.contextmanager
def open_table(
    path: Path | str,
    setup: Setup | None = None,
    *,
    language: str = "de",
    aloud: bool = False,
    out: TextIO | None = None,
    opponent: Opponent | None = None,
) -> Iterator[OpenTable]:
    """Run a table with its journal at ``path`` until the block ends.

    Without ``setup``, go on with the game in the journal; nobody is charged for the time between.
    The table speaks ``language``: ``aloud`` at the default loudspeaker, and printed to ``out``.
    ``opponent`` plays against the impaired player.

    :raises JournalError: if the journal cannot be written, or holds another game.
    :raises LanguageError: if there is no such language.

    >>> with open_table(folder / "game.jsonl", facts.Setup()) as table:
    ...     table.on(rulings.Announced, lambda ruling: print(ruling.by, ruling.words))
    ...     started = table.submit(facts.Start())
    ...     table.typed("white", "Springer f3")
    white Springer Gustav eins Felix drei
    """
    pack = load(language)
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(Path(path), resume=setup is None))
        table = Table(journal, setup, opponent=opponent)
        if out is None:
            out = stack.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
        transcript = Transcript(out, table.time)
        speaker = open_speaker(stack, pack, transcript.trouble) if aloud else None
        session = Session(table, pack, speaker, transcript)
        stack.callback(session.close)
        if setup is None:
            go_on(session, journal, charged=False)
        if opponent is not None:
            stack.callback(opponent.close)
            opponent.sit(table, session.desk.tell_all)
        yield OpenTable(session)
        session.wait_until_said()
