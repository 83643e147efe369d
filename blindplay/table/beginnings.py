"""The unfinished beginnings of announcements, and what completes them.

Slow speakers pause between the squares: "Springer Gustav eins", two seconds, "Felix drei". Each
part is an utterance of its own, and the second part alone would be another piece's move. So nothing
shorter than a whole announcement is taken by itself for some seconds after a beginning.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

import chess

from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.expectation import felt_moves
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import IllegalReason, Kind, Language
from blindplay.laws import facts as f
from blindplay.laws.rulings import NotUnderstood
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.wording.readers import Readers, announcing

from .commands import Grammar
from .conversation import Awaited, Beginning, Effect, Relisten, Reply, Submit, reply
from .questions import Questions
from .table import Table

Read: TypeAlias = Callable[[str, Recognition | None], Statement]
"""Gives the statement of a player in these words; the recognition is None if they were typed."""


class Beginnings:
    """Keeps beginnings of announcements until their rest comes."""

    def __init__(
        self, table: Table, readers: Readers, grammar: Grammar, questions: Questions
    ) -> None:
        self._table = table
        self._readers = readers
        self._grammar = grammar
        self._questions = questions

    def complete(self, side: str, decision: Decision, together: Decision | None) -> Decision:
        """Return the decision about an utterance of ``side`` together with the beginning before
        it; the same decision if there is none, or if it does not matter. ``together``: the decision
        about the sound of both as one utterance."""
        talk, taken, heard = self._questions.talk(side), decision.taken, decision.recognition
        begun = talk.begun or self._corrected(side, taken)
        if begun is None or self._table.game.adjourning:
            return decision
        read = partial(self._read, side)
        found = [one.statement for one in decision.candidates]
        found = [read(heard.words, heard), *found] if taken is None else [taken]
        if self._squares(side, _joined(begun.said, found[0], read)):
            return decision  # "Springer", and then "Gustav eins"
        options, sure = completed(
            begun,
            found,
            read,
            self._readers.of(side),
            sure=taken is not None,
            heard=None if together is None else together.taken,
            felt=felt_moves(self._table.game, side),
        )
        if not options or (talk.begun is None and options[0].text == found[0].text):
            return decision
        if sure:
            talk.begun = None
            return Decision(Verdict.ACCEPT, heard, options[0])
        talk.begun = begun
        candidates = tuple(Candidate(one, decision.cost) for one in options)
        return Decision(Verdict.ASK, heard, None, candidates)

    def _corrected(self, side: str, said: Statement | None) -> Beginning | None:
        """Return the beginning of the announced move, to which the destination in a correction may
        belong: "Korrektur Hector drei"."""
        game = self._table.game
        announced = game.turn.announced
        if said is None or not said.meant.correction or side != game.side or announced is None:
            return None
        square = announcing(game).square(announced.from_square)
        begun = self._read(side, f"{self._readers.of(side).corrections[0]} {square}", None)
        return Beginning(begun, True, False, self._table.time(), announced)

    def begin(self, side: str, decision: Decision) -> list[Effect] | None:
        """Keep the beginning of an announcement, and return the effects; None if this is none, or
        if something else has to be done with it, too."""
        talk, game, heard = self._questions.talk(side), self._table.game, decision.recognition
        question, taken = talk.question, decision.taken
        said = taken or self._read(side, heard.words, heard)
        squares, sure, asks = self._squares(side, said), taken is not None, False
        if talk.begun is not None and said.text and said.meant.command is None:
            longer = _joined(talk.begun.said, said, partial(self._read, side))
            if more := self._squares(side, longer):
                said, squares, sure = longer, more, sure and talk.begun.sure
                asks = talk.begun.asks
        waits = self._grammar.awaited(side, question) is Awaited.WAIT or self._grammar.asks(side)
        if not squares or game.adjourning or waits:
            return None
        if question and not question.begun and reply(question, said)[0] is Reply.CHOSEN:
            return None  # "Turm" answers "Turm oder Dame?"
        typed = said.recognition is None
        due = self._grammar.repeats(side)
        known = (game.turn.announced, due[1] if due is not None else None)
        echoes = any(move is not None and move.from_square in squares for move in known)
        to_us = decision.verdict in (Verdict.ILLEGAL, Verdict.REFUSE)
        asks |= typed or (to_us and not echoes)
        if not asks and talk.begun is not None and talk.begun.asks:
            return None  # somebody's talk in between
        begun = Beginning(said, sure, asks, self._table.time(), game.turn.announced)
        effects: list[Effect] = []
        if question is not None:
            if not asks or (question.confirms and taken is None):
                talk.begun = begun
                return None
            if not question.asks_for_a_move or question.begun:
                self._questions.close(side, question, refused=False)
                told = question.confirms and not question.consents
                effects += self._questions.cancelled(side) if told else ()
        talk.begun = begun
        if decision.verdict is Verdict.ASK:
            return None
        if not asks:
            return []
        if side == game.side:  # the move is begun (D.2.4)
            effects.append(Submit(f.Announce(by=side, text=""), reports=(NotUnderstood,)))
        return [*effects, *(self._questions.ask_where(side, begun) if typed else [Relisten()])]

    def _read(self, side: str, text: str, recognition: Recognition | None) -> Statement:
        due = self._grammar.repeats(side) if recognition is not None else None
        return interpret(
            text,
            self._grammar.boards(side),
            self._readers.of(side),
            repeated=due[1] if due is not None else None,
            recognition=recognition,
        )

    def _squares(self, side: str, said: Statement) -> list[int]:
        """Return the squares of the pieces whose announcement ``said`` may begin."""
        if said.move is not None or said.meant.command is not None:
            return []
        pack = self._readers.of(side)
        boards = self._grammar.boards(side)
        return [square for board in boards for square in pack.begins(said.text, board)]


def completed(
    begun: Beginning,
    found: Sequence[Statement],
    read: Read,
    pack: Language,
    *,
    sure: bool,
    heard: Statement | None = None,
    felt: frozenset[chess.Move] | None = None,
) -> tuple[list[Statement], bool]:
    """Return what ``found`` may mean after ``begun``, the likeliest first, and whether the first of
    it is sure; nothing if ``begun`` does not matter.

    ``found`` are the statements that may have been made, of which the first is certain if ``sure``.
    ``heard`` is what the ear has taken the sound of both for, ``felt`` the moves that fit what
    hands have done, if anything.

    >>> from blindplay.language import load
    >>> de, board = load("de"), chess.Board()
    >>> def read(text, heard): return interpret(text, [board], de, recognition=heard)
    >>> begun = Beginning(read("Springer Gustav eins", None), True, True, 0, None)
    >>> options, sure = completed(begun, [read("Felix drei", None)], read, de, sure=True)
    >>> [one.key for one in options], sure
    (['g1f3'], True)
    """
    if sure and found[0].meant.command is not None:
        return [], False
    joined = [_joined(begun.said, one, read) for one in found if one.meant.command is None]
    if heard is not None and heard.text.startswith(begun.said.text) and _is_playable(heard):
        joined = [heard]
    else:
        heard = None
    together = [one for one in joined if _is_playable(one)]
    alone = [one for one in found if one.move is not None]
    options = list({one.key: one for one in (*alone[::-1], *together[::-1])}.values())[::-1]
    # What is open is asked for anyway: the promotion, or which of two pieces.
    if together and together[0].move is None and not alone:
        return together, True
    if not (sure or heard):
        return (options if together else []), False
    first = found[0]
    whole = first.move is not None and _is_whole(first, pack)
    if together:
        # A piece alone may have been somebody's talk.
        trusted = begun.sure or (heard is not None and " " in begun.said.text)
        meant = together[0].meant
        fits = felt is None or meant.correction or not felt.isdisjoint(meant.moves)
        if alone and (whole or first.meant.correction or not (trusted and fits)):
            return options, len(options) == 1
        return together, fits and (begun.sure or heard is not None)
    if first.move is not None:
        return ([] if whole else [first]), False
    kinds = {first.meant.kind, joined[0].meant.kind}
    if kinds == {Kind.ILLEGAL} and not _is_playable(first):
        return joined, True  # the reason why the whole is illegal, not its second half
    return [], False


def _is_whole(said: Statement, pack: Language) -> bool:
    """Return whether an announcement names more than a destination: a piece, both squares, or
    castling."""
    words = said.meant.uttered.split()
    places = sum(map(pack.is_file_or_rank, words))
    return places in (0, 4) or any(map(pack.is_piece, words[:1]))


def _joined(begun: Statement, rest: Statement, read: Read) -> Statement:
    """Return what both say together."""
    words = rest.meant.uttered if rest.meant.correction else rest.text
    heard = rest.recognition
    if heard is not None:
        before = begun.text if begun.recognition is None else begun.recognition.words
        heard = Recognition((Hypothesis(f"{before} {heard.words}", 0.0),))
    return read(f"{begun.text} {words}", heard)


def _is_playable(said: Statement) -> bool:
    """Return whether it names a legal move, or all of one but its promotion."""
    missing = said.meant.why is IllegalReason.PROMOTION_MISSING
    return said.meant.kind in (Kind.MOVE, Kind.AMBIGUOUS) or missing
