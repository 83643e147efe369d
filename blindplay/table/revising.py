"""Changes of played moves: they need a yes first, and are the arbiter's if there is one. Without an
arbiter the Laws ask the other player, too, unless the game is training."""

from dataclasses import dataclass, replace

from blindplay.language import Command, join
from blindplay.laws import Fact, Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import IllegalMove, TakeBack
from blindplay.speech.speaker import Output
from blindplay.wording.announcements import announcements

from .conversation import ANSWER_SECONDS
from .session import Session


@dataclass(frozen=True)
class _Asked:
    fact: Fact
    words: str
    since: int


class Revising:
    """Asks at the keyboard of ``session`` before a fact that undoes moves. ``on_page``: the arbiter
    has a page, which knows who they are; a keyboard does not."""

    def __init__(self, session: Session, *, on_page: bool) -> None:
        self._session = session
        self._on_page = on_page
        self._asked: _Asked | None = None

    def asks(self, fact: Fact, *, by_arbiter: bool) -> bool:
        """Ask about ``fact`` first, or refuse it, if it undoes moves. Return whether it was asked
        about or refused, and so must not be submitted now. ``by_arbiter``: the line was typed as
        the arbiter's."""
        table, pack = self._session.table, self._session.desk.private_pack
        with table.lock:
            game = table.game
            alone = game.presided or game.served or table.training
            if isinstance(fact, f.Arbiter) and fact.do == "restore" and not alone:
                fact = replace(fact, player=self._session.dialogue.author(""))
            ruling = self._revision(fact)
            if ruling is None:
                return False
            if isinstance(fact, f.Arbiter) and self.refuses(by_arbiter=by_arbiter):
                return True
            taken = Taken(fact, (replace(ruling, status="confirmed"),))
            told = [one.words for one in announcements(taken, table.game, pack)]
            words = join(" ", [*told, pack.sentence("say_yes_or_no")], pack.code)
            self._asked = _Asked(fact, words, table.time())
        return self._say(words)

    def refuses(self, *, by_arbiter: bool) -> bool:
        """Refuse the arbiter's decision if somebody else may have typed it; return whether it was
        refused."""
        if not self._session.table.game.presided or (by_arbiter and not self._on_page):
            return False
        key = "arbiter_only_page" if self._on_page else "arbiter_only"
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

    def _revision(self, fact: Fact) -> TakeBack | IllegalMove | None:
        """The ruling by which ``fact`` would take moves back or bring them back, at once or if the
        other player agrees; None if it would not, or if the Laws ask both players."""
        if not isinstance(fact, f.Arbiter | f.Irregular):
            return None
        for one in self._session.table.preview(fact):
            if isinstance(one, TakeBack | IllegalMove) and one.to_ply is not None:
                asked = one.status == "confirmed" or isinstance(fact, f.Arbiter)
                return one if asked else None
        return None

    def _say(self, words: str) -> bool:
        self._session.desk.say(Output.PRIVATE, words, fleeting=True)
        return True
