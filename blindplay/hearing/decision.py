"""The decision about an utterance: take it, ask, say that it was not understood, or pass it over.

Each utterance has a likeliest meaning, and a probability that it was said. Taking a wrong one costs
more than a question, and a question more than nothing; the costs are in ``confidence``. So asking
is better than guessing.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.speech.confidence import (
    MAX_TALK_BEFORE_S,
    ConfidenceModel,
    MeaningKind,
    accepted_from,
    asked_from,
)
from blindplay.speech.confusions import Confusions
from blindplay.speech.endpointing import COMPLETE_S, LIKELY_S, UNDECIDED_S, UNFINISHED_S
from blindplay.speech.recogniser import Recognition

from .expectation import Expected
from .meanings import BOTH_SQUARES, NO_HABITS, Meaning, features, key_of, readings
from .statement import Statement, interpret

MOST_CANDIDATES = 4
SIMILAR_TO = 3
SIMILAR = 9.0
"""Nats by which the words of a move may differ from what was heard to be asked about, or to be
waited for: one word never heard so, and a little."""
_LIKE_AN_ANNOUNCEMENT = 2
"""So many words more or less are heard of an announcement. People who talk say more."""
MOST_SIMILAR = 3
"""Number of similar moves that can be asked about; among more, players would not find their own."""


class Verdict(Enum):
    """The kind of decision about an utterance."""

    ACCEPT = "accept"
    ASK = "ask"
    REFUSE = "refuse"
    ILLEGAL = "illegal"
    COMMAND = "command"
    NOTHING = "nothing"


_UNSURE = (Verdict.ASK, Verdict.REFUSE, Verdict.NOTHING)


@dataclass(frozen=True)
class Candidate:
    """One thing that may have been said, and its cost in nats above the likeliest."""

    statement: Statement
    cost: float

    @property
    def phrase(self) -> str:
        return self.statement.text

    @property
    def move(self) -> chess.Move | None:
        return self.statement.move

    @property
    def command(self) -> Command | None:
        return self.statement.meant.command


@dataclass(frozen=True)
class Decision:
    """The decision about one utterance.

    ``taken`` is what was taken as said (ACCEPT, ILLEGAL, COMMAND), else None. ``candidates`` are
    the likeliest, best first: after ASK those to choose between, one alone to be read back.
    ``cost`` is the doubt about the first of them: the logarithm of the odds that it was not said,
    in nats; 0 is an even chance. ``tried``: if it was not taken, the words of announcements that
    were heard: somebody who waits for an answer may have tried to announce.
    """

    verdict: Verdict
    recognition: Recognition
    taken: Statement | None = None
    candidates: tuple[Candidate, ...] = ()
    cost: float = 0.0
    tried: frozenset[str] = frozenset()

    @property
    def phrase(self) -> str | None:
        """The words that were taken as said."""
        return None if self.taken is None else self.taken.text

    @property
    def meant(self) -> Understanding:
        """Return what was taken as said; UNCLEAR or NOTHING if nothing was."""
        if self.taken is not None:
            return self.taken.meant
        heard = self.recognition.words
        return Understanding(Kind.UNCLEAR if heard else Kind.NOTHING, heard)

    @property
    def likeliest(self) -> Statement | None:
        """Return what was taken, or else the first candidate."""
        if self.taken is not None or not self.candidates:
            return self.taken
        return self.candidates[0].statement


def decide(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions = NO_HABITS,
) -> Decision:
    """Return the decision about an utterance; ``habits`` are the speaker's own confusions."""
    decision = _decide(recognition, expected, pack, confidence, habits)
    if decision.verdict is Verdict.REFUSE:
        similar = _similar(recognition, expected, pack, confidence)
        if similar:
            decision = replace(decision, verdict=Verdict.ASK, candidates=similar)
    elif decision.verdict is Verdict.NOTHING:
        decision = _lone(decision, expected, pack, confidence)
    if decision.taken is None:
        decision = replace(decision, tried=_tried(decision, pack))
    taken = decision.taken and replace(decision.taken, recognition=recognition)
    candidates = tuple(
        replace(candidate, statement=replace(candidate.statement, recognition=recognition))
        for candidate in decision.candidates
    )
    return replace(decision, taken=taken, candidates=candidates)


def decide_among(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidences: Sequence[ConfidenceModel],
    habits: Confusions = NO_HABITS,
) -> Decision:
    """Return the decision about an utterance that models of several languages have heard, each with
    its confidence model. The odds of a decision are measured for each, so they can be compared. If
    two languages are sure of different things, it is asked about."""
    heard = (replace(recognition, elsewhere=()), *recognition.elsewhere)
    pairs = zip(heard, confidences, strict=False)
    made = [decide(one, expected, pack, confidence, habits) for one, confidence in pairs]
    made.sort(key=lambda one: one.cost)
    sure = {key_of(one.taken): one for one in reversed(made) if one.taken is not None}
    if len(sure) > 1:
        both = sorted(sure.values(), key=lambda one: one.cost)
        candidates = (Candidate(one.taken, one.cost) for one in both if one.taken is not None)
        return replace(both[0], verdict=Verdict.ASK, taken=None, candidates=tuple(candidates))
    return next(iter(sure.values()), None) or min(made, key=lambda one: _UNSURE.index(one.verdict))


def as_of_another(decision: Decision, pack: Language) -> Decision:
    """Return the decision about an utterance that is probably somebody else's: a move is asked
    about, and what is in doubt is passed over, unless its speaker waits for an answer."""
    taken = decision.taken
    if taken is None:
        return replace(decision, verdict=Verdict.NOTHING)
    if taken.meant.command is not None:
        return decision
    found = taken.move is not None
    doubted = replace(
        decision,
        verdict=Verdict.ASK if found else Verdict.NOTHING,
        taken=None,
        candidates=(Candidate(taken, decision.cost),) if found else (),
    )
    return replace(doubted, tried=_tried(doubted, pack))


def silence_after(decision: Decision, expected: Expected, pack: Language) -> float:
    """Return the seconds of silence that end an utterance about which this would be decided. What
    may be the beginning of an announcement waits, also if it was misheard: its rest alone would be
    another move."""
    taken, tokens = decision.taken, decision.recognition.words.split()
    guesses = decision.recognition.hypotheses[:SIMILAR_TO]
    heard = {one.words for one in guesses if one.score >= guesses[0].score - SIMILAR}
    if taken is not None:
        heard.add(taken.text)
    if any(_may_go_on(words, expected, pack) for words in heard):
        return UNFINISHED_S
    words = decision.recognition.words if taken is None else taken.text
    longer = any(phrase.startswith(f"{words} ") for phrase in expected.phrases)
    if taken is not None:
        return UNDECIDED_S if longer else COMPLETE_S

    def pieces(said: list[str]) -> set[str]:
        return set(filter(pack.is_piece, said))

    def is_whole(guess: list[str]) -> bool:
        """Return whether its last word was heard, or as many words, and little else."""
        ends = len(guess) <= len(tokens) or guess[-1:] == tokens[-1:]
        near = abs(len(guess) - len(tokens)) <= _LIKE_AN_ANNOUNCEMENT
        return ends and near and pieces(guess) == pieces(tokens)

    # A doubtful command may be a piece, misheard.
    moves = [one.phrase.split() for one in decision.candidates if one.move is not None]
    if decision.verdict is Verdict.ASK and not longer and any(map(is_whole, moves)):
        return LIKELY_S
    return UNFINISHED_S if tokens else UNDECIDED_S


def _may_go_on(words: str, expected: Expected, pack: Language) -> bool:
    """Return whether this begins an announcement, or names an illegal move without both squares:
    the beginning of another one, misheard."""
    if words in expected.corrections or any(pack.begins(words, one) for one in expected.boards):
        return True
    short = sum(map(pack.is_file_or_rank, words.split())) < BOTH_SQUARES
    return short and interpret(words, expected.boards, pack).meant.kind is Kind.ILLEGAL


def _decide(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions,
) -> Decision:
    read = readings(recognition, expected, pack, habits)
    if not read.ranked:
        # No meaning: other people's talk, or a word that was not understood.
        ours = _is_attempt(recognition, expected, pack)
        return Decision(Verdict.REFUSE if ours else Verdict.NOTHING, recognition)
    heard_features = features(read, recognition, expected, pack)
    first = read.ranked[0]
    odds = confidence.odds(heard_features)
    if odds > 0 and heard_features.kind is not MeaningKind.COMMAND:
        odds = max(odds, _odds_of_built_in(first, recognition, expected, pack, confidence, habits))
    candidates = tuple(
        Candidate(meaning.statement, first.score - meaning.score)
        for meaning in read.ranked
        if meaning.meant.kind is not Kind.ILLEGAL or meaning is first
    )[:MOST_CANDIDATES]
    undecided = Decision(Verdict.NOTHING, recognition, None, candidates, -odds)
    # An answer that names a move decides that move, so a wrong one costs as much as a wrong move.
    names_move = first.statement.text in expected.awaited and first.meant.command is None
    taken_as = MeaningKind.MOVE if names_move else heard_features.kind
    needed = accepted_from(taken_as, shown=expected.shown) + pack.certainty(first.statement.text)
    needed += first.form_cost
    surely = odds >= needed
    sure = heard_features.certain and surely
    # The end of a longer sentence is rather talk: nobody is asked about it in doubt, unless it
    # answers a question: "Um, yes".
    ends_talk = heard_features.follows_talk and first.statement.text not in expected.awaited
    likely = surely if ends_talk else odds >= asked_from()
    verdict = _sure_verdict(first, expected) if sure else None
    if verdict is not None:
        return replace(undecided, verdict=verdict, taken=first.statement)
    legal = tuple(c for c in candidates if c.move is not None or c.command is not None)
    if first.meant.kind is Kind.AMBIGUOUS and likely:
        return replace(undecided, verdict=Verdict.ASK)
    if likely and legal:
        return replace(undecided, verdict=Verdict.ASK, candidates=legal)
    if (likely and not ends_talk) or _is_attempt(recognition, expected, pack):
        return replace(undecided, verdict=Verdict.REFUSE)
    return undecided


def _odds_of_built_in(
    meaning: Meaning,
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions,
) -> float:
    """Return the odds of a meaning by the built-in model alone. Only it hears other talk. Minus
    infinity unless it has heard this meaning and is certain. If it would accept the meaning alone,
    and all models together think it likelier than not, it is accepted: more models must not ask
    more."""
    heard = recognition.by_talk_listener
    if heard is not None and confidence.of_built_in is not None:
        read = readings(heard, expected, pack, habits)
        if read.ranked and read.ranked[0].key == meaning.key:
            heard_features = features(read, heard, expected, pack)
            if heard_features.certain:
                return confidence.of_built_in.odds(heard_features)
    return -math.inf


def _sure_verdict(first: Meaning, expected: Expected) -> Verdict | None:
    """The verdict about a meaning that was surely said; None if hands did something else."""
    if first.meant.command is not None:
        return Verdict.COMMAND
    if first.statement.text in expected.awaited:
        return Verdict.ACCEPT  # "Vier" or "Turm" answers a question
    if first.meant.kind is Kind.ILLEGAL:
        return Verdict.ILLEGAL
    if first.meant.kind is Kind.MOVE and not expected.contradicts(first.meant):
        return Verdict.ACCEPT
    return None


def _similar(
    recognition: Recognition, expected: Expected, pack: Language, confidence: ConfidenceModel
) -> tuple[Candidate, ...]:
    """The legal moves whose words are nearest to the heard words, if no reading is a legal move.
    They are asked about, never accepted."""
    if not recognition.hypotheses or not expected.boards:
        return ()
    best = recognition.hypotheses[0].score
    candidates: dict[chess.Move, Candidate] = {}
    for heard in recognition.hypotheses[:SIMILAR_TO]:
        words = heard.words.split()
        for phrase in expected.phrases:
            tokens = phrase.split()
            if abs(len(tokens) - len(words)) > 1 or len(set(tokens) & set(words)) < len(tokens) - 2:
                continue
            cost = best - heard.score + confidence.confusions.distance(tokens, words)
            if cost > SIMILAR:
                continue
            statement = interpret(phrase, expected.boards[:1], pack)
            move = statement.meant.move
            if move is not None and (move not in candidates or cost < candidates[move].cost):
                candidates[move] = Candidate(statement, cost)
    ranked = sorted(candidates.values(), key=lambda candidate: candidate.cost)
    return tuple(ranked) if len(ranked) <= MOST_SIMILAR else ()


def _lone(
    decision: Decision, expected: Expected, pack: Language, confidence: ConfidenceModel
) -> Decision:
    """Return a decision for nothing with what may have been meant if somebody said it alone: the
    legal moves that all of it may be."""
    heard = decision.recognition.hypotheses
    starts = {one.words: one.onset_delay_s for one in reversed(heard)}
    guesses = tuple(
        one
        for one in decision.candidates
        if one.move is not None and starts.get(one.phrase, 0.0) < MAX_TALK_BEFORE_S
    )
    guesses = guesses or _similar(decision.recognition, expected, pack, confidence)
    return replace(decision, candidates=guesses)


def _tried(decision: Decision, pack: Language) -> frozenset[str]:
    """Return the words of announcements in the likeliest readings and in the candidates."""
    heard = (one.words for one in decision.recognition.hypotheses[:SIMILAR_TO])
    phrases = (*heard, *(one.phrase for one in decision.candidates))
    words = {word for phrase in phrases for word in phrase.split()}
    return frozenset(filter(pack.is_word_of_a_move, words))


def _is_attempt(recognition: Recognition, expected: Expected, pack: Language) -> bool:
    """Return whether somebody probably spoke to the table: at least two words, and three of four,
    are words of announcements that name one move; or half of them answer the table's question.
    People who talk about the game near the table say more other words, name several moves, or name
    one at the end of a sentence. A model that hears no other talk proves no attempt."""
    if not recognition.heard_talk or recognition.hypotheses[0].onset_delay_s >= MAX_TALK_BEFORE_S:
        return False
    tokens = recognition.words.split()
    ours = sum(map(pack.is_word_of_a_move, tokens))
    answers = sum(word in expected.awaited for word in tokens)
    one_move = ours >= 2 and 4 * ours >= 3 * len(tokens) and not _names_several(tokens, pack)
    return one_move or (answers >= 1 and 2 * answers >= len(tokens))


def _names_several(tokens: Sequence[str], pack: Language) -> bool:
    """Return whether several moves are named: more than two squares, or another piece and its
    square after a square and another word."""
    places = [pack.is_file_or_rank(word) for word in tokens]
    kinds = "".join(
        "s" if place else "p" if pack.is_word_of_a_move(word) else " "
        for word, place in zip(tokens, places, strict=True)
    )
    return sum(places) > 4 or re.search(r"s[^s]*[^sp][^s]*p *s", kinds) is not None
