"""Typed decisions that need a yes first: they end the game, undo moves, or set a clock. Those that
undo moves are the arbiter's if there is one. Without an arbiter the Laws ask the other player, too,
unless the game is training."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from blindplay.language import Command, join
from blindplay.laws import Fact, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import ClockReading, GameOver, IllegalMove, TakeBack
from blindplay.speech.speaker import Output
from blindplay.wording.announcements import announcements

from .conversation import ANSWER_SECONDS
from .session import Session

# The ends that a position brings about: a move is not asked about.
_ON_THE_BOARD = frozenset(
    ("checkmate", "stalemate", "dead_position", "fivefold", "seventyfive_moves")
)
_SETS_CLOCKS = frozenset(("set_clock", "penalty"))


@dataclass(frozen=True)
class _Asked:
    fact: Fact
    words: str
    since: int


class Revising:
    """Asks at the keyboard of ``session`` before a fact that needs a yes. ``on_page``: the arbiter
    has a page, which knows who they are; a keyboard does not."""

    def __init__(self, session: Session, *, on_page: bool) -> None:
        self._session = session
        self.on_page = on_page
        self._asked: _Asked | None = None

    def asks(self, fact: Fact, *, by_arbiter: bool) -> bool:
        """Ask about ``fact`` first, or refuse it, if it needs a yes. Return whether it was asked
        about or refused, and so must not be submitted now. ``by_arbiter``: the line was typed as
        the arbiter's."""
        if isinstance(fact, f.OpenEnvelope):
            return False  # what follows from it is the sealed move's secret
        table = self._session.table
        with table.lock:
            game = table.game
            alone = game.presided or game.served or table.training
            if isinstance(fact, f.Arbiter) and fact.do == "restore" and not alone:
                fact = replace(fact, player=self._session.dialogue.author(""))
            words, undoes = self._needs_yes(fact)
            if undoes and isinstance(fact, f.Arbiter) and self.refuses(by_arbiter=by_arbiter):
                return True
            return bool(words) and self.ask(fact, words)

    def ask(self, fact: Fact, words: str) -> bool:
        """Ask with ``words`` whether ``fact`` is meant; True."""
        self._asked = _Asked(fact, words, self._session.table.time())
        return self._say(words)

    def refuses(self, *, by_arbiter: bool) -> bool:
        """Refuse the arbiter's decision if somebody else may have typed it; return whether it was
        refused."""
        if not self._session.table.game.presided or (by_arbiter and not self.on_page):
            return False
        key = "arbiter_only_page" if self.on_page else "arbiter_only"
        return self._say(self._session.desk.private_pack.sentence(key))

    def answers(self, line: str) -> bool:
        """Take ``line`` as the answer to the open question, and return whether it was one. Another
        line means no, and is done by itself; an empty one presses no clock."""
        asked, self._asked = self._asked, None
        table, pack = self._session.table, self._session.desk.private_pack
        if asked is None or table.time() - asked.since > ANSWER_SECONDS * 1000:
            return False
        command = pack.understand(line, table.game.board).command
        if command is Command.REPEAT:
            self._asked = replace(asked, since=table.time())
            return self._say(asked.words)
        if command is Command.YES:
            table.submit(replace(asked.fact, t=table.time()))
        else:
            self._session.desk.say(Output.PRIVATE, pack.sentence("cancelled"), fleeting=True)
        return not line or command in (Command.YES, Command.NO)

    def _needs_yes(self, fact: Fact) -> tuple[str, bool]:
        """The question about what ``fact`` would do, and whether that undoes moves; no words if it
        needs no yes."""
        pack = self._session.desk.private_pack
        rulings = self._session.table.preview(fact)
        if (undoing := _undoing(fact, rulings)) is not None:
            told = self._in_words(fact, replace(undoing, status="confirmed"))
            return join(" ", (told, pack.sentence("say_yes_or_no")), pack.code), True
        for one in rulings:
            if isinstance(one, GameOver) and one.reason not in _ON_THE_BOARD:
                return pack.sentence("over_sure", result=self._in_words(fact, one)), False
            if isinstance(one, ClockReading) and getattr(fact, "do", "") in _SETS_CLOCKS:
                left = {"white": one.white, "black": one.black}
                read = {side: pack.duration(round(left[side] * 1000)) for side in f.SIDES}
                times = pack.sentence("clocks_read", **read)
                return pack.sentence("clocks_sure", times=times), False
        return "", False

    def _in_words(self, fact: Fact, ruling: Ruling) -> str:
        pack = self._session.desk.private_pack
        told = announcements(Taken(fact, (ruling,)), self._session.table.game, pack)
        return join(" ", [one.words for one in told], pack.code)

    def _say(self, words: str) -> bool:
        self._session.desk.say(Output.PRIVATE, words, fleeting=True)
        return True


def _undoing(fact: Fact, rulings: Iterable[Ruling]) -> TakeBack | IllegalMove | None:
    """The ruling by which ``fact`` would take moves back or bring them back, at once or if the
    other player agrees; None if it would not, or if the Laws ask both players."""
    if not isinstance(fact, f.Arbiter | f.Irregular):
        return None
    for one in rulings:
        if isinstance(one, TakeBack | IllegalMove) and one.to_ply is not None:
            asked = one.status == "confirmed" or isinstance(fact, f.Arbiter)
            return one if asked else None
    return None
