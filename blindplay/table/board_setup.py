"""The commands that lead hands at one board: a voice, keys that do not wait, and the set-up."""

import queue
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import TextIO

from blindplay.boards import events
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg import protocol as peg
from blindplay.boards.ports import check_url
from blindplay.language import Key, Language, key_of
from blindplay.laws.placement import Pieces
from blindplay.speech.speaker import Output
from blindplay.wording.board_steps import SetupGuide, named

from .devices import open_speaker

Say = Callable[[str], None]


class Prompter:
    """Prints and, unless ``silent``, speaks; leaving ``stack`` waits for the end of it.

    ``pack`` gives the language; raises as :func:`~blindplay.table.devices.open_speaker` does.
    """

    def __init__(self, stack: ExitStack, pack: Language, silent: bool, out: TextIO) -> None:
        self._out, self._pack = out, pack
        self._speaker = None
        if not silent:
            self._speaker = open_speaker(stack, pack, self.trouble)
            stack.callback(self._speaker.close)
            stack.callback(self._speaker.wait, 60)

    def trouble(self, sentence: str) -> None:
        """Print a sentence about what went wrong, written in English."""
        print(self._pack.trouble(sentence), file=self._out, flush=True)

    def say(self, words: str) -> None:
        """Print and speak a sentence."""
        print(words, file=self._out, flush=True)
        if self._speaker is not None:
            self._speaker.say(words, to=Output.PRIVATE)

    def heed(self, keys: Iterable[str]) -> Iterator[str]:
        """Yield the typed lines, stripped. Each one interrupts what is being said."""
        for line in keys:
            if self._speaker is not None:
                self._speaker.interrupt()
            yield line.strip()


def set_up(
    url: str | None, goal: Pieces, pack: Language, silent: bool, keys: Iterable[str], out: TextIO
) -> bool:
    """Lead hands at the board at ``url`` (searched for if None) to ``goal``, step by step.

    ``keys``: the word for repeating (or an empty line), for leaving out, or for ending. Gives
    whether the board shows ``goal``. Raises BoardNotFoundError.
    """
    url = PegBoard.find() if url is None else url
    check_url(url)
    inbox: queue.Queue[events.BoardEvent | str] = queue.Queue()
    guide = SetupGuide(goal, pack)
    begun = False
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, out)

        def read() -> None:
            for line in voice.heed(keys):
                inbox.put(line)

        threading.Thread(target=read, name="keys", daemon=True).start()
        board = stack.enter_context(PegBoard(url, inbox.put))
        while not (begun and guide.finished):
            said: list[str] = []
            match inbox.get():
                case str(line):
                    key = key_of(pack, line)
                    if key is Key.END:
                        break
                    said = guide.skip() if key is Key.SKIP else guide.repeat()
                case events.Disconnected() as lost:
                    voice.trouble(lost.why)
                    said = [pack.sentence("board_lost")]
                case events.ContactFault() as fault:
                    square = pack.square(peg.square_index(fault.square))
                    said = [pack.sentence("contact_bad", square=square)]
                case events.Connected() | events.LeverPressed():
                    pass
                case event if (placement := board.placement()) is not None:
                    shown = named(placement, goal)
                    if begun:
                        again = isinstance(event, events.BoardPosition)  # it was gone for a while
                        said = guide.feel(shown) or (guide.repeat() if again else [])
                    else:
                        begun, first = True, guide.begin(shown)
                        done = [pack.sentence("set_up_done")]
                        said = [*guide.opening(), *first] if first else done
            for words in said:
                voice.say(words)
        placement = board.placement()
        return placement is not None and named(placement, goal) == goal
