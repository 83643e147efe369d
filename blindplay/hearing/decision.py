"""From sound to meaning: what to listen for now, and what is done about an utterance.

The recogniser gives hypotheses with the likelihood of the sound under each. They are grouped by
meaning: a legal move, an announcement of an illegal move, a command, or nothing. The lead of the
likeliest meaning over all others, and over other talk, gives the odds that it was said. The
`ConfidenceModel` that turns leads into odds is measured for each speech model. One decision
follows: take it, ask, or say that it was not understood. Asking is better than guessing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.language.understanding import IllegalReason
from blindplay.speech.confidence import ConfidenceModel, Features, MeaningKind
from blindplay.speech.confusions import Confusions
from blindplay.speech.ensemble import summed, votes
from blindplay.speech.recogniser import UNKNOWN, Hypothesis, Recognition

from .expectation import Expected
from .statement import Statement, interpret

ANSWER = 3.0
"""How much likelier an answer is than other sound, in nats, while we wait for one."""
MOST_CANDIDATES = 4
_NO_HABITS = Confusions()
SIMILAR_TO = 3
SIMILAR = 9.0
"""How much, in nats, the words of a move may differ from what was heard to be asked about: one
word never heard so, and a little."""
MOST_SIMILAR = 3
"""So many similar moves can be asked about; among more nobody would find his own."""
LEGAL = 5.0
"""How much likelier, in nats, a legal move is than an illegal one that sounds as well: few
announcements are illegal. Whether it was said is another question (see `ConfidenceModel`)."""


class Verdict(Enum):
    """What is done about an utterance."""

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
    """What is done about one utterance.

    ``taken`` is what was taken as said (ACCEPT, ILLEGAL, COMMAND), else None. ``candidates`` are
    the likeliest, best first: after ASK those to choose between, one alone to be read back.
    ``cost`` is the doubt about the first of them: the logarithm of the odds that it was not said,
    in nats; 0 is an even chance.
    """

    verdict: Verdict
    recognition: Recognition
    taken: Statement | None = None
    candidates: tuple[Candidate, ...] = ()
    cost: float = 0.0

    @property
    def phrase(self) -> str | None:
        """The words that were taken as said."""
        return None if self.taken is None else self.taken.text

    @property
    def meant(self) -> Understanding:
        """What was taken as said; UNCLEAR or NOTHING if nothing was."""
        if self.taken is not None:
            return self.taken.meant
        heard = self.recognition.words
        return Understanding(Kind.UNCLEAR if heard else Kind.NOTHING, heard)

    @property
    def likeliest(self) -> Statement | None:
        """What was taken, or else the first candidate."""
        if self.taken is not None or not self.candidates:
            return self.taken
        return self.candidates[0].statement


@dataclass(frozen=True)
class Meaning:
    """One meaning that an utterance may have, in its likeliest words.

    ``key`` is the same for the same meaning, "" if there is none. ``score`` is in nats;
    ``unexplained`` counts words and stretches of sound that say nothing. ``in_grammar``: the words
    are a form that is expected. ``agreed``: several models agree on the meaning, in whatever words.
    ``onset_delay_s``: seconds of voice before the first word.
    """

    key: str
    statement: Statement
    score: float
    unexplained: int
    in_grammar: bool = False
    agreed: bool = True
    onset_delay_s: float = 0.0

    @property
    def meant(self) -> Understanding:
        return self.statement.meant


def readings(
    recognition: Recognition, expected: Expected, pack: Language, habits: Confusions = _NO_HABITS
) -> tuple[list[Meaning], Meaning | None]:
    """The meanings of an utterance, the likeliest first, and the best reading that has none.

    ``habits``: how this player has been misheard before; what fits them gains by it.
    """
    recognition = _accustomed(recognition, habits)
    found: dict[str, Meaning] = {}
    nothing: Meaning | None = None
    meanings: dict[str, str] = {}
    for heard in recognition.hypotheses:
        reading = _reading(heard, expected, pack)
        if reading.key:
            meanings[heard.words] = reading.key
        better = found.get(reading.key)
        if reading.key and (better is None or (reading.in_grammar and not better.in_grammar)):
            found[reading.key] = reading
        # In a form that nobody uses it is rather something else: "der Eva drei" is no pawn.
        elif (not reading.key or not reading.in_grammar) and nothing is None:
            nothing = reading
        if better is not None and found[reading.key] is reading and nothing is None:
            nothing = better
    if recognition.by_model:
        for key, (score, agreed) in votes(recognition.by_model, meanings).items():
            found[key] = replace(found[key], score=score, agreed=agreed)
    return sorted(found.values(), key=lambda r: -r.score - _prior(r, expected)), nothing


def _prior(reading: Meaning, expected: Expected) -> float:
    prior = 0.0 if reading.meant.kind is Kind.ILLEGAL else LEGAL
    if reading.meant.why is IllegalReason.PROMOTION_NOT_POSSIBLE:
        prior -= LEGAL  # a piece after the square is rather somebody else's word
    return prior + expected.leaning(reading.statement.move)


def _accustomed(recognition: Recognition, habits: Confusions) -> Recognition:
    if not habits.table or not recognition.hypotheses:
        return recognition
    if recognition.by_model:
        return summed(_accustomed(part, habits) for part in recognition.by_model)
    heard = recognition.words.split()
    weighed = [
        replace(one, score=one.score + habits.credit(one.words.split(), heard))
        for one in recognition.hypotheses
    ]
    return Recognition(tuple(sorted(weighed, key=lambda one: -one.score)))


def _reading(heard: Hypothesis, expected: Expected, pack: Language) -> Meaning:
    unexplained = heard.unknown_edges + len(heard.words.split())
    said = _makes_sense(heard.words, expected, pack)
    if said is None:
        nothing = Statement(heard.words, Understanding(Kind.UNCLEAR, ""))
        return Meaning("", nothing, heard.score, unexplained)
    in_grammar = expected.in_grammar(heard.words)
    if not in_grammar:
        unexplained -= len((said.meant.uttered or said.meant.words).split())
    return Meaning(
        _key(said),
        said,
        heard.score,
        heard.unknown_edges if in_grammar else unexplained,
        in_grammar=in_grammar or said.meant.kind is Kind.ILLEGAL,
        onset_delay_s=heard.onset_delay_s,
    )


def _makes_sense(words: str, expected: Expected, pack: Language) -> Statement | None:
    """What ``words`` mean if they hang together and make sense now; None if not."""
    if not words or UNKNOWN in words.split():
        return None
    if words in expected.others:
        return interpret(words, expected.boards[:1], pack)
    said = interpret(words, expected.boards, pack, repeated=expected.repeated)
    meant = said.meant
    if meant.kind is Kind.COMMAND and not said.repeats:
        # A correction goes before anything; any other command was listed or makes no sense now.
        return said if meant.command is Command.CORRECTION or meant.moves else None
    if meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL) and expected.boards:
        return said
    return None


def _key(said: Statement) -> str:
    """The same for the long and the short form of a move; a correction is another meaning."""
    meant = said.meant
    if meant.command is not None:
        about = "" if meant.about is None else str(meant.about)
        return f"command {said.key} {about} {meant.rest}"
    named = said.key if meant.move is not None else meant.core or said.text
    return f"correction {named}" if meant.correction else named


def features(
    recognition: Recognition,
    ranked: list[Meaning],
    nothing: Meaning | None,
    expected: Expected,
    pack: Language,
) -> Features:
    """What speaks for and against the first of ``ranked``, which is not empty."""
    first = ranked[0]
    phrase, move = first.statement.text, first.statement.move
    leaning = expected.leaning(move)

    def ahead(score: float | None) -> float | None:
        return None if score is None else first.score - score

    # What else speaks for a move weighs against its rivals, but not against there being none.
    behind = [
        (first.score - r.score + leaning - expected.leaning(r.statement.move), r)
        for r in ranked[1:]
    ]
    legal = (by for by, r in behind if r.meant.kind is not Kind.ILLEGAL)
    lead = min((by for by, _ in behind), default=None)
    outscored = nothing is not None and nothing.key != first.key and nothing.score > first.score
    answers = phrase in expected.awaited
    awaited = ANSWER if answers else 0.0
    words = phrase.split()
    kind = MeaningKind.MOVE
    if answers or first.meant.command is not None:
        kind = MeaningKind.COMMAND
    elif first.meant.kind is Kind.ILLEGAL:
        kind = MeaningKind.ILLEGAL
    places = sum(map(pack.is_file_or_rank, words))
    castles = move is not None and places == 0
    return Features(
        kind=kind,
        lead=lead,
        legal_lead=min(legal, default=None),
        meaningless_lead=ahead(None if nothing is None else nothing.score - awaited),
        longer_lead=ahead(_best_longer(recognition, words, pack)),
        extra_words=0 if nothing is None else len(nothing.statement.text.split()) - len(words),
        unexplained=first.unexplained,
        short_form=first.meant.command is None and places < 4 and not castles and not answers,
        in_grammar=first.in_grammar,
        agreed=first.agreed,
        onset_delay_s=first.onset_delay_s,
        outscored=outscored,
        # A sum of what each model is behind its own best.
        disagreement=-first.score if recognition.by_model else 0.0,
        models=max(1, len(recognition.by_model)),
        word_count=4 if castles else len(words),
    )


def _best_longer(recognition: Recognition, words: list[str], pack: Language) -> float | None:
    """The best score of a reading that has all these words and more: one may have been lost.

    Of several models one may have heard a link ("nach") where another heard none: there only
    files and ranks count. A model alone was measured with its links.
    """

    def counted(all_words: list[str]) -> list[str]:
        return [word for word in all_words if pack.is_file_or_rank(word)] or all_words

    if recognition.by_model:
        words = counted(words)
    for heard in recognition.hypotheses:
        more = heard.words.split()
        if recognition.by_model:
            more = counted(more)
        rest = iter(more)
        if len(more) > len(words) and all(word in rest for word in words):
            return heard.score
    return None


def decide(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions = _NO_HABITS,
) -> Decision:
    """What is done about an utterance; ``habits`` are the speaker's own confusions."""
    decision = _decide(recognition, expected, pack, confidence, habits)
    if decision.verdict is Verdict.REFUSE:
        similar = _similar(recognition, expected, pack, confidence)
        if similar:
            decision = replace(decision, verdict=Verdict.ASK, candidates=similar)
    taken = decision.taken and replace(decision.taken, recognition=recognition)
    candidates = tuple(
        replace(one, statement=replace(one.statement, recognition=recognition))
        for one in decision.candidates
    )
    return replace(decision, taken=taken, candidates=candidates)


def decide_among(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidences: Sequence[ConfidenceModel],
    habits: Confusions = _NO_HABITS,
) -> Decision:
    """What is done about an utterance that models of several languages have heard, each with its
    confidence model. The odds of a decision are measured for each, so they can be compared. If two
    languages are sure of different things, it is asked about."""
    heard = (replace(recognition, elsewhere=()), *recognition.elsewhere)
    pairs = zip(heard, confidences, strict=False)
    made = [decide(one, expected, pack, confidence, habits) for one, confidence in pairs]
    made.sort(key=lambda one: one.cost)
    sure = {_key(one.taken): one for one in reversed(made) if one.taken is not None}
    if len(sure) > 1:
        both = sorted(sure.values(), key=lambda one: one.cost)
        found = (Candidate(one.taken, one.cost) for one in both if one.taken is not None)
        return replace(both[0], verdict=Verdict.ASK, taken=None, candidates=tuple(found))
    return next(iter(sure.values()), None) or min(made, key=lambda one: _UNSURE.index(one.verdict))


def _decide(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions,
) -> Decision:
    ranked, nothing = readings(recognition, expected, pack, habits)
    if not ranked:
        # Nothing of ours was in it: other people's talk, or a word that was not understood.
        ours = _is_attempt(recognition.words, expected, pack)
        return Decision(Verdict.REFUSE if ours else Verdict.NOTHING, recognition)
    found = features(recognition, ranked, nothing, expected, pack)
    odds = confidence.odds(found)
    first = ranked[0]
    candidates = tuple(
        Candidate(meaning.statement, first.score - meaning.score)
        for meaning in ranked
        if meaning.meant.kind is not Kind.ILLEGAL or meaning is first
    )[:MOST_CANDIDATES]
    undecided = Decision(Verdict.NOTHING, recognition, None, candidates, -odds)
    sure, likely = odds >= confidence.accept(found), odds >= confidence.ask(found)
    verdict = _sure_verdict(first, expected) if sure else None
    if verdict is not None:
        return replace(undecided, verdict=verdict, taken=first.statement)
    legal = tuple(c for c in candidates if c.move is not None or c.command is not None)
    if first.meant.kind is Kind.AMBIGUOUS and likely:
        return replace(undecided, verdict=Verdict.ASK)
    if likely and legal:
        return replace(undecided, verdict=Verdict.ASK, candidates=legal)
    if likely or _is_attempt(recognition.words, expected, pack):
        return replace(undecided, verdict=Verdict.REFUSE)
    return undecided


def _sure_verdict(first: Meaning, expected: Expected) -> Verdict | None:
    """What to do about a meaning that is sure; None if something else than the ear doubts it."""
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
    """Legal moves in words that differ little from what was heard, for no reading was one: by
    the cheapest way from the words of a move to those that were heard. Never taken, only asked."""
    if not recognition.hypotheses or not expected.boards:
        return ()
    best = recognition.hypotheses[0].score
    found: dict[chess.Move, Candidate] = {}
    for heard in recognition.hypotheses[:SIMILAR_TO]:
        words = heard.words.split()
        for phrase in expected.phrases:
            said = phrase.split()
            if abs(len(said) - len(words)) > 1 or len(set(said) & set(words)) < len(said) - 2:
                continue
            cost = best - heard.score + confidence.confusions.distance(said, words)
            if cost > SIMILAR:
                continue
            statement = interpret(phrase, expected.boards[:1], pack)
            move = statement.meant.move
            if move is not None and (move not in found or cost < found[move].cost):
                found[move] = Candidate(statement, cost)
    ranked = sorted(found.values(), key=lambda candidate: candidate.cost)
    return tuple(ranked) if len(ranked) <= MOST_SIMILAR else ()


def _is_attempt(words: str, expected: Expected, pack: Language) -> bool:
    """Whether somebody probably spoke to us: two words, and half of all, are of announcements; or
    half of them answer what we have asked."""
    said = words.split()
    ours = sum(map(pack.is_word_of_a_move, said))
    answers = sum(word in expected.awaited for word in said)
    return (ours >= 2 and 2 * ours >= len(said)) or (answers >= 1 and 2 * answers >= len(said))
