"""Another game after this one: what the players of a table want, by voice, by keys or on a page."""

from collections.abc import Callable, Mapping

from blindplay.conversation.state import AgainAnswered, AgainWanted
from blindplay.language import Command
from blindplay.laws.state import OTHER

from .desk import Transcript
from .table import Table
from .talking import Talking

Watcher = Callable[[Mapping[str, Command], bool], object]


class AnotherGame:
    """What both players want after their game, as far as they decide that. ``converse`` takes the
    events by which they agree; see :class:`~blindplay.console.table_port.AnotherGamePort`."""

    def __init__(
        self,
        table: Table,
        talking: Talking,
        transcript: Transcript,
        converse: Callable[[AgainAnswered | AgainWanted], object],
    ) -> None:
        self.chosen: Command | None = None
        """NEW_GAME or REMATCH, as soon as everybody here wants that."""
        self._table = table
        self._talking = talking
        self._transcript = transcript
        self._converse = converse
        self._known: Mapping[str, Command] = {}  # the wishes of which the watchers know
        self._watchers: list[Watcher] = []

    @property
    def may(self) -> bool:
        """Return whether they may decide it now."""
        return self._talking.may_play_again

    @property
    def wanted(self) -> Mapping[str, Command]:
        """NEW_GAME or REMATCH, by the player who wants it and waits for the other's answer."""
        return self._talking.wanted_again

    def want(self, side: str, command: Command | None) -> None:
        """``side`` wants this, or no other game, on a page. Another player who is asked to agree
        may also answer by voice or keys. Hold the table's lock."""
        wanted, other = self.wanted, OTHER[side]
        if self.chosen is not None:
            return  # pressed twice
        if other in wanted:
            agreed = command if command is wanted[other] else None
            self._converse(AgainAnswered(side, agreed))
        elif command is None:
            if side in wanted:
                self._converse(AgainAnswered(other, None))
        elif self._table.absent:
            self.chosen = command
        else:
            self.ask(other, command)

    def ask(self, side: str, command: Command) -> None:
        """Ask ``side`` whether they want it, too. Print the question to a player who does not hear
        it; no page shows it."""
        self._converse(AgainWanted(side, command))
        question, deaf = self._talking.asked(side), self._table.game.player(side).hearing_impaired
        if question is not None and deaf and self._transcript.leaves(public=True):
            self._transcript.show(question.words)

    def watch(self, watcher: Watcher) -> None:
        """Call ``watcher`` whenever what is wanted changes, with what was wanted before, and True
        if both wanted that."""
        self._watchers.append(watcher)

    def look(self, *, begins: bool) -> None:
        """Tell the watchers if what is wanted has changed. ``begins``: both wanted the same."""
        before, self._known = self._known, self.wanted
        for watcher in self._watchers if self._known != before else ():
            watcher(before, begins)
