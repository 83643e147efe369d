"""The unfinished beginnings of announcements, and what completes them.

Slow speakers pause between the squares: "Springer Gustav eins", two seconds, "Felix drei". Each
part is an utterance of its own, and the second part alone would be another piece's move. So nothing
shorter than a whole announcement is taken by itself for some seconds after a beginning.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

import chess

from blindplay.hearing.decision import Candidate, Decision, Verdict
from blindplay.hearing.expectation import felt_moves
from blindplay.hearing.statement import Statement, interpret
from blindplay.language import IllegalReason, Kind, Language
from blindplay.laws import facts as f
from blindplay.laws.rulings import NotUnderstood
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.wording.readers import announcing

from . import questions
from .effects import Relisten
from .state import Awaited, Beginning, Exchange, Reply, Sayable

_ONE_SQUARE = 2
"""A square is a file and a rank."""
Read: TypeAlias = Callable[[str, Recognition | None], Statement]
"""Gives the statement of a player in these words; the recognition is None if they were typed."""


def join(
    now: Exchange, may: Sayable, decision: Decision, together: Decision | None
) -> Decision | None:
    """Return the decision about an utterance together with the beginning before it; the same
    decision if there is none, or if it does not matter. None: it is a beginning itself, and the
    exchange remembers it. ``may``: what the player may say; ``together``: the decision about the
    sound of both as one utterance."""

    def read(text: str, heard: Recognition | None) -> Statement:
        due = may.repeats if heard is not None else None
        return interpret(
            text,
            may.boards,
            now.pack,
            repeated=due[1] if due is not None else None,
            recognition=heard,
        )

    if not now.game.adjourning:
        decision = _complete(now, may, decision, together, read)
        if _begin(now, may, decision, read):
            return None
        decision = _after_misheard(now, decision, read)
    return decision


def _complete(
    now: Exchange, may: Sayable, decision: Decision, together: Decision | None, read: Read
) -> Decision:
    taken, heard = decision.taken, decision.recognition
    begun = now.talk.beginning or _corrected(now, taken, read)
    if begun is None:
        return decision
    found = [one.statement for one in decision.candidates]
    found = [read(heard.words, heard), *found] if taken is None else [taken]
    if _squares(now.pack, may, _longer(begun.said, found[0], read)):
        return decision  # "Springer", and then "Gustav eins"
    options, sure = completed(
        begun,
        found,
        read,
        now.pack,
        sure=taken is not None,
        heard=None if together is None else together.taken,
        felt=felt_moves(now.game, now.side),
    )
    if not options or (now.talk.beginning is None and options[0].text == found[0].text):
        return decision
    now.change(beginning=None if sure else begun)
    if sure:
        return Decision(Verdict.ACCEPT, heard, options[0])
    candidates = tuple(Candidate(one, decision.cost) for one in options)
    return Decision(Verdict.ASK, heard, None, candidates)


def _after_misheard(now: Exchange, decision: Decision, read: Read) -> Decision:
    """Return the decision about an utterance after a square that is no move. That may have been the
    beginning, misheard: "Springer Gustav acht". Then a square alone is read back. Remember whether
    this is such a square."""
    taken, heard = decision.taken, decision.recognition
    said = taken or read(heard.words, heard)
    if said.recognition is None or now.side != now.game.side or said.meant.command is not None:
        return decision
    misheard = now.talk.misheard is not None and now.talk.question is None
    square = sum(map(now.pack.is_file_or_rank, said.text.casefold().split())) == _ONE_SQUARE
    now.change(misheard=now.about.now if square and said.move is None else None)
    if taken is None or taken.move is None or not misheard or _is_whole(taken, now.pack):
        return decision
    return Decision(Verdict.ASK, heard, None, (Candidate(taken, decision.cost),))


def _corrected(now: Exchange, said: Statement | None, read: Read) -> Beginning | None:
    """Return the beginning of the announced move, to which the destination in a correction may
    belong: "Korrektur Hector drei"."""
    announced = now.game.turn.announced
    corrects = said is not None and said.meant.correction and now.side == now.game.side
    if not corrects or announced is None:
        return None
    square = announcing(now.game).square(announced.from_square)
    begun = read(f"{now.pack.corrections[0]} {square}", None)
    return Beginning(begun, True, False, now.about.now, announced)


def _begin(now: Exchange, may: Sayable, decision: Decision, read: Read) -> bool:
    """Remember the beginning of an announcement. Return whether this is done with it: it is one,
    and nothing else has to be done with it, too."""
    game, heard = now.game, decision.recognition
    question, before, taken = now.talk.question, now.talk.beginning, decision.taken
    said = taken or read(heard.words, heard)
    squares, sure, asks = _squares(now.pack, may, said), taken is not None, False
    if before is not None and said.text and said.meant.command is None:
        longer = _longer(before.said, said, read)
        if more := _squares(now.pack, may, longer):
            said, squares, sure, asks = longer, more, sure and before.sure, before.asks
    mumbled = said.recognition is not None and len(said.text) == 1  # "eh" sounds like a letter
    if not squares or mumbled or may.both_asked or may.awaited is Awaited.WAIT:
        return False
    if question and not question.begun and question.reply(said, now.pack)[0] is Reply.CHOSEN:
        return False  # "Turm" answers "Turm oder Dame?"
    typed = said.recognition is None
    echoes = _echoes(now, may, said, squares)
    to_us = decision.verdict in (Verdict.ILLEGAL, Verdict.REFUSE)
    asks |= typed or (to_us and not echoes)
    if not asks and before is not None and before.asks:
        return False  # somebody's talk in between
    begun = Beginning(said, sure, asks, now.about.now, game.turn.announced)
    if question is not None and (not asks or (question.confirms and taken is None)):
        now.change(beginning=begun)
        return False
    if question is not None and (question.begun or not question.asks_for_a_move):
        now.end_question()
        if question.confirms and not question.consents:
            now.cancel()
    now.change(beginning=begun)
    if decision.verdict is Verdict.ASK:
        return False
    if typed:
        now.ask(questions.where(now.about, now.side, begun))
    elif asks:
        if now.side == game.side:  # the move is begun (D.2.4)
            now.submit(f.Announce(by=now.side, text=""), NotUnderstood)
        now.do(Relisten())
    return True


def _echoes(now: Exchange, may: Sayable, said: Statement, squares: Sequence[int]) -> bool:
    """Return whether ``said`` may be a part of what is announced, or of its repetition. Both
    microphones hear that."""
    known = [may.repeats] if may.repeats is not None else []
    if now.game.turn.announced is not None:
        known.append((now.game.board, now.game.turn.announced))
    places = set(filter(now.pack.is_file_or_rank, said.meant.uttered.casefold().split()))
    return any(
        move.from_square in squares
        and places <= set(announcing(now.game).announce(board, move).casefold().split())
        for board, move in known
    )


def _squares(pack: Language, may: Sayable, said: Statement) -> list[int]:
    """Return the squares of the pieces whose announcement ``said`` may begin."""
    if said.move is not None or said.meant.command is not None:
        return []
    return [square for board in may.boards for square in pack.begins(said.text, board)]


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
    joined = [_longer(begun.said, one, read) for one in found if one.meant.command is None]
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
        lone = pack.is_file_or_rank(begun.said.text)  # a name of people, too
        return together, fits and (begun.sure or (heard is not None and not lone))
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


def _longer(begun: Statement, rest: Statement, read: Read) -> Statement:
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
