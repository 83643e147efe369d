"""The conversation at one table: its state, and what it knows of the table."""

from collections.abc import Callable, Mapping

from blindplay.conversation import OpeningWord, grammar
from blindplay.conversation.converse import converse
from blindplay.conversation.effects import Effect
from blindplay.conversation.state import Event, Question, Sayable, Situation, Talk, Talks
from blindplay.hearing.decision import Decision
from blindplay.hearing.statement import Statement
from blindplay.language import Command
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.wording.readers import Readers
from blindplay.wording.values import Pairing

from .table import Table


class Talking:
    """Keeps the state of the conversation with both players of ``table``.

    ``hears``: whether anything hears people; typed commands need no ``opening_word``.
    ``plays_again``: another game may follow this one. ``speaking``:
    whether the table is speaking; nobody is expected to answer meanwhile. ``told``: when a question
    was spoken to its end; see :class:`.Situation`.
    """

    def __init__(
        self,
        table: Table,
        readers: Readers,
        *,
        opening_word: OpeningWord = OpeningWord.OPTIONAL,
        plays_again: bool = False,
        hears: Callable[[], bool] = lambda: True,
        speaking: Callable[[], bool] = lambda: False,
        told: Callable[[str], float | None] = lambda words: 0,
    ) -> None:
        self.talks = Talks()
        self._table = table
        self._readers = readers
        self._opening_word = opening_word
        self._plays_again = plays_again
        self._hears = hears
        self._speaking = speaking
        self._told = told

    def take(self, event: Event) -> list[Effect]:
        """Take what happened, and return the effects. Hold the table's lock from the call until
        they are done, so that the game does not change in between."""
        with self._table.lock:
            self.talks, effects = converse(self.talks, event, self._situation)
        return effects

    def sayable(self, side: str) -> Sayable:
        """Return what ``side`` may say now."""
        with self._table.lock:
            return grammar.sayable(self._situation, side, self._talk(side))

    def asked(self, side: str) -> Question | None:
        """Return the question that ``side`` is asked now; None if there is none."""
        with self._table.lock:
            return self._talk(side).question

    @property
    def wanted_again(self) -> Mapping[str, Command]:
        """Return the other game that a player wants, by that player, while the other is asked."""
        with self._table.lock:
            asked = {} if self._table.absent else {side: self.asked(side) for side in SIDES}
            return {
                OTHER[side]: command
                for side, question in asked.items()
                if question is not None and (command := question.other_game)
            }

    def begun(self, side: str) -> Statement | None:
        """Return the beginning of an announcement whose rest is awaited of ``side``; None if there
        is none."""
        with self._table.lock:
            beginning = self._talk(side).beginning
        return None if beginning is None else beginning.said

    def author(self, text: str) -> str:
        """Return the side whose words a typed line is that names nobody."""
        with self._table.lock:
            return grammar.author(self._situation, self.talks, text)

    def speaker(self, owner: str, decision: Decision) -> str:
        """Return the side that has spoken into the microphone of ``owner``, which is for both."""
        with self._table.lock:
            return grammar.speaker(self._situation, self.talks, owner, decision.likeliest)

    @property
    def may_play_again(self) -> bool:
        """Return whether the players may decide to play another game now."""
        with self._table.lock:
            return self._situation.may_play_again

    def _talk(self, side: str) -> Talk:
        return self.talks.of(side).current(self._table.game, side)

    @property
    def _situation(self) -> Situation:
        table = self._table
        return Situation(
            table.game,
            self._readers,
            table.time(),
            table.preview,
            opening_word=self._opening_word if self._hears() else OpeningWord.OPTIONAL,
            absent=table.absent,
            at_hall=bool(table.pairings.here),
            plays_again=self._plays_again,
            speaking=self._speaking(),
            allows=table.allows,
            hint=table.hint,
            pairing=self._pairing,
            told=self._told,
        )

    def _pairing(self, side: str) -> Pairing | None:
        """The game that a player plays next, or else the present one."""
        pairings, game = self._table.pairings, self._table.game
        return pairings.next_of(game.player(side).name) or pairings.played(game)
