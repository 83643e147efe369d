"""Questions to a running table whose answers nobody else is to hear."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from blindplay.language import QUESTIONS, About, Command, Language
from blindplay.laws import Ruling
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import Answer, Refused
from blindplay.wording.position import look, time_in_words

from .table import Table

ABOUT: Mapping[Command, str] = {
    Command.CLOCK_BOTH: "time",
    Command.MOVES: "moves",
    Command.LAST_MOVE: "last_move",
}
"""Questions that the Laws allow, and what their facts are about."""
_OF_ONE_CLOCK = (Command.CLOCK_MINE, Command.CLOCK_OPPONENT)


def ask(
    table: Table, by: str, command: Command, about: About, pack: Language, *, training: bool
) -> Ruling:
    """Ask for ``by`` what nobody else is to hear: an ``answer`` with its words, or ``refused``.

    It is recorded as any question is, but not spoken; who asked so tells the answer himself.
    ``command``: one of :data:`ABOUT`, of :data:`~blindplay.language.QUESTIONS`, or one clock.
    """
    kind = "time" if command in _OF_ONE_CLOCK else ABOUT.get(command, "position")
    with table.answering("answer", "refused"):
        rulings = table.submit(f.Query, by=by, about=kind)
        (ruling,) = (one for one in rulings if isinstance(one, Answer | Refused))
        game = table.game
        if command in QUESTIONS:
            if not (training and by in SIDES) or game.over:
                return ruling
            words = look(pack, game, command, about)
            answer = Answer(to=by, about=kind, words=words)
            return answer.stamped(ruling.t, ruling.articles)
        if isinstance(ruling, Refused):
            return ruling
        if command in _OF_ONE_CLOCK and by != "arbiter":  # the arbiter has no clock and hears both
            return replace(ruling, words=time_in_words(pack, ruling, command))
        if ruling.announcement is not None:
            last = game.history[-1]
            ruling = replace(ruling, announcement=pack.announce(last.before, last.move))
        return replace(ruling, words=game.words.answer(ruling, pack.code))
