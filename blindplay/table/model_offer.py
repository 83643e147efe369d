"""The offer of a speech model that was trained on people, to a player whose language has none.

It is asked about once, before a game or after it. The model is fetched in the background, and the
table listens with it from the next utterance on. What came stays when the table ends, and the next
table goes on. After that only a typed word asks for the model.
"""

import math
import threading
from collections.abc import Callable, Sequence

from blindplay.conversation.state import ANSWER_SECONDS
from blindplay.hearing.recognisers import model_words
from blindplay.language import Command, join
from blindplay.own_files import read_object, write_json
from blindplay.speech.models import catalogue, folders, store
from blindplay.speech.models.download import DownloadError, answers

from .desk import Desk
from .setting_up import SettingUp

_KEPT = "offered.json"
_FETCHING, _OFFLINE, _DONE = "fetching", "offline", "done"
_HOLDS_MS = 20_000
"""How long boards alone do not begin the game after the question was spoken."""
_ANSWERS = (Command.YES, Command.NO, Command.REPEAT)


class ModelOffer:
    """Offers a model to the player at ``seat``. ``codes`` are the languages that are heard there.
    ``asked`` says whether a player is asked something else. ``listen`` lets the table listen with
    what is installed now, and calls its argument when it does; ``listen_anew`` for other
    :meth:`phrases`."""

    def __init__(
        self,
        desk: Desk,
        setting_up: SettingUp,
        seat: str,
        codes: Sequence[str],
        *,
        asked: Callable[[], bool],
        listen: Callable[[Callable[[], None]], object],
        listen_anew: Callable[[], object],
    ) -> None:
        self._desk = desk
        self._setting_up = setting_up
        self._seat = seat
        self._codes = codes
        self._asked = asked
        self._listen = listen
        self._listen_anew = listen_anew
        self._base = catalogue.load().for_language(codes[0])[0]
        self._question = ""
        self._since = 0  # when the answer began to be waited for
        self._due: Callable[[], None] | None = None
        self._percent: int | None = None  # of what is being fetched
        self._closed = False

    def begin(self) -> None:
        """Go on with what was being fetched, or look whether the model can be offered."""
        if self._lacking and self._answer != _DONE:
            self._work(self._look)

    def close(self) -> None:
        """Fetch no more; what came stays."""
        self._closed = True

    @property
    def side(self) -> str:
        """The player to whom the model is offered."""
        return self._desk.table.side_of(self._seat)

    @property
    def fetches(self) -> bool:
        """Return whether a model is being fetched now."""
        return self._percent is not None

    @property
    def holds(self) -> bool:
        """Return whether the question was just asked."""
        told = self._desk.told(self._question) if self._open else None
        return told is not None and self._desk.table.time() - told < _HOLDS_MS

    def second(self) -> None:
        """A second has passed: ask, or tell, as soon as nobody plays or is asked anything else, and
        everything was said. A question without an answer in time means no. If the game begins
        before it was heard to its end, it is asked again after the game."""
        with self._desk.table.lock:
            now = self._desk.table.time()
            if self._desk.is_being_heard or not self._free:
                self._since = now
            played = not (self._setting_up.waits or self._desk.table.game.over)
            unheard = self._desk.told(self._question) in (None, math.inf)
            late = now - self._since > ANSWER_SECONDS * 1000
            if self._question and (late or (played and not unheard)):
                self._end("model_later")
            # The next answer is not one to this question.
            elif self._question and (played or self._asked()):
                self._question, self._due = "", self._ask
            elif self._due is not None and self._free and not self._desk.is_speaking:
                due, self._due = self._due, None
                due()

    def phrases(self) -> list[str]:
        """The phrases that answer the open question."""
        return self._desk.readers.of(self.side).command_phrases(_ANSWERS if self._open else ())

    def answer(self, text: str) -> Command | None:
        """Return what ``text`` answers to the open question; None if it is no answer."""
        if not self._open:
            return None
        pack, board = self._desk.readers.of(self.side), self._desk.table.game.board
        meant = pack.understand(text, board).command
        return meant if meant in _ANSWERS else None

    def asks(self, text: str, side: str) -> bool:
        """Take ``text`` of ``side`` as the answer to the open question, and return whether it was
        one."""
        with self._desk.table.lock:
            meant = self.answer(text) if side == self.side else None
            if meant is Command.YES:
                self._fetch()
            elif meant is Command.NO:
                self._end("model_later")
            elif meant is Command.REPEAT:
                self._ask()
            return meant is not None

    def typed(self) -> None:
        """Fetch the model without a question, or tell how much of it is here."""
        with self._desk.table.lock:
            if self._percent is not None:
                self._tell("model_percent", self._percent)
            elif not self._lacking:
                self._tell("model_there")
            else:
                self._fetch()

    # --- asking ----------------------------------------------------------------------------------

    @property
    def _lacking(self) -> list[str]:
        """The languages without a model of people, as far as the user has chosen none."""
        return [
            code
            for code in self._codes
            if not folders.available(code).keys() - {folders.BUILT_IN}
            and not folders.chosen_names(code)
        ]

    @property
    def _answer(self) -> str:
        return str(read_object(folders.data_folder() / _KEPT).get(self._codes[0], ""))

    def _keep(self, answer: str) -> None:
        kept = folders.data_folder() / _KEPT
        with self._desk.remembering():
            write_json(kept, {**read_object(kept), self._codes[0]: answer})

    @property
    def _free(self) -> bool:
        """Return whether nobody plays, no hands are led, and nobody is asked anything else."""
        over = self._desk.table.game.over
        return (self._setting_up.idle or over) and not self._asked()

    @property
    def _open(self) -> bool:
        return bool(self._question) and self._free

    def _look(self) -> None:
        """Look whether the model can be had, and go on if it was being fetched."""
        there = answers(self._base.address)
        with self._desk.table.lock:
            if self._closed or self._percent is not None:
                return
            if there and self._answer == _FETCHING:
                self._fetch()
            elif there:
                self._due = self._ask
            elif not self._answer:
                self._due = self._tell_offline

    def _ask(self) -> None:
        pack = self._desk.readers.of(self.side)
        asked = pack.sentence("model_offer", size=pack.number(self._megabytes))
        self._question = join(" ", (asked, pack.sentence("say_yes_or_no")), pack.code)
        self._since = self._desk.table.time()
        self._desk.tell(self.side, self._question, fleeting=True)
        self._listen_anew()

    def _end(self, key: str) -> None:
        """Ask no more."""
        self._question = ""
        self._keep(_DONE)
        self._tell(key)
        self._listen_anew()

    def _tell_offline(self) -> None:
        self._keep(_OFFLINE)
        self._tell("model_offline")

    def _tell(self, key: str, number: int = 0) -> None:
        pack = self._desk.readers.of(self.side)
        if not self._closed:
            self._desk.tell(self.side, pack.sentence(key, count=pack.number(number)))

    @property
    def _megabytes(self) -> int:
        return math.ceil(self._base.size / 1_000_000)

    # --- fetching --------------------------------------------------------------------------------

    def _work(self, do: Callable[[], None]) -> None:
        threading.Thread(target=do, daemon=True, name="model offer").start()

    def _fetch(self) -> None:
        self._question, self._due, self._percent = "", None, 0
        self._keep(_FETCHING)
        self._tell("model_fetching", self._megabytes)
        self._listen_anew()
        self._work(self._install)

    def _install(self) -> None:
        try:
            self._install_lacking()
        except _ClosedError:
            return
        except DownloadError as error:  # it goes on with the next table
            self._fail("model_cut", error)
        except (ValueError, OSError) as error:
            self._keep(_DONE)
            self._fail("model_failed", error)
        else:
            self._keep(_DONE)
            self._hear_with_it()

    def _install_lacking(self) -> None:
        try:
            with store.workplace(self._line) as work:
                for code in self._lacking:
                    words = model_words(code, self._desk.transcript.trouble)
                    progress = self._progress
                    store.install(
                        work, code, words, base=self._base, tell=self._line, progress=progress
                    )
        finally:
            self._percent = None

    def _hear_with_it(self) -> None:
        if self._closed:
            return
        try:
            self._listen(lambda: self._tell("model_listens"))
        except (ValueError, OSError) as error:
            self._fail("model_unheard", error)

    def _fail(self, key: str, error: Exception) -> None:
        self._desk.transcript.trouble(str(error))
        self._tell(key)

    def _line(self, text: str) -> None:
        self._check_open()
        self._desk.transcript.line(text)

    def _check_open(self) -> None:
        if self._closed:
            raise _ClosedError

    def _progress(self, have: int, total: int | None) -> None:
        self._check_open()
        before, self._percent = self._percent or 0, 100 * have // (total or self._base.size)
        if before < 50 <= self._percent < 100:
            self._tell("model_half")


class _ClosedError(Exception):
    """The table ends."""
