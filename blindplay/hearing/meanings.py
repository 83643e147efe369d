"""The meanings that an utterance may have, and the evidence for and against the likeliest one.

The recogniser gives hypotheses with the likelihood of the sound under each. They are grouped by
meaning: a legal move, an announcement of an illegal move, a command, an answer, or nothing. How far
the likeliest meaning is ahead of the others, in all models together and in each, are ``Features``.
"""

import itertools
from dataclasses import dataclass, field, replace

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.language.understanding import IllegalReason
from blindplay.speech.confidence import Features, MeaningKind
from blindplay.speech.confusions import Confusions
from blindplay.speech.ensemble import MOST_BEHIND, Vote, summed, votes
from blindplay.speech.recogniser import UNKNOWN, Hypothesis, Recognition

from .expectation import Expected
from .statement import Statement, interpret

ANSWER = 3.0
"""Nats by which an answer is likelier than other sound while we wait for one."""
LEGAL = 5.0
"""Nats by which a legal move is likelier than an illegal one that sounds as well: few announcements
are illegal. Whether it was said is another question (see ``ConfidenceModel``)."""
OTHER_FORM, EMPTY_WORD, LETTER = 0.5, 0.5, 0.5
"""Nats by which the ear must be surer: of a move in a form that nobody listens for, of a move with
a word that says nothing (for each such word), and of one with a file that is called by its letter
(for each)."""
_RHYMING = ("bcdeg", "ah")
"""Letters that sound alike in most languages: "d two" is never taken where "b two" is legal."""
_LEGAL = (Kind.MOVE, Kind.AMBIGUOUS)
NO_HABITS = Confusions()
BOTH_SQUARES = 4
"""So many files and ranks name both squares of a move."""


@dataclass(frozen=True)
class Meaning:
    """One meaning that an utterance may have, in its likeliest words.

    ``key`` is the same for the same meaning, "" if there is none. ``score`` is in nats;
    ``unexplained`` counts words and stretches of sound that say nothing. ``in_grammar``: the words
    are a form that is expected, or mean the same in other words, which costs ``form_cost`` nats.
    ``onset_delay_s``: seconds of voice before the first word.
    """

    key: str
    statement: Statement
    score: float
    unexplained: int
    in_grammar: bool = False
    onset_delay_s: float = 0.0
    form_cost: float = 0.0

    @property
    def meant(self) -> Understanding:
        return self.statement.meant

    @property
    def is_expected(self) -> bool:
        """Return whether its words are listened for."""
        return self.in_grammar and not self.form_cost


@dataclass(frozen=True)
class Meanings:
    """The meanings of an utterance, the likeliest first, and the best reading without any.

    ``votes`` are those of the models, by the keys of meanings; "" is not a meaning.
    """

    ranked: list[Meaning]
    nothing: Meaning | None = None
    votes: list[Vote] = field(default_factory=list)


def readings(
    recognition: Recognition, expected: Expected, pack: Language, habits: Confusions = NO_HABITS
) -> Meanings:
    """Return what an utterance may mean. ``habits``: how this player has been misheard before; what
    fits them gains by it."""
    recognition = _accustomed(recognition, habits)
    by_key: dict[str, Meaning] = {}
    nothing: Meaning | None = None
    meanings: dict[str, str] = {}
    for heard in recognition.hypotheses:
        reading = _reading(heard, expected, pack)
        meanings[heard.words] = reading.key
        better = by_key.get(reading.key)
        beside: Meaning | None = reading
        if reading.key and (better is None or _is_expected_form(reading, better)):
            by_key[reading.key], beside = reading, better
        # In a form that nobody uses it is rather something else: "der Eva drei" is not a pawn. But
        # if every word belongs to the meaning ("Hektor" for "Hector"), it is the same in other
        # words.
        same = beside is None or (beside.key and (beside.in_grammar or not beside.unexplained))
        if nothing is None and not same:
            nothing = beside
    by_model = votes(recognition.by_model or (recognition,), meanings)
    if recognition.by_model:
        for key, meaning in by_key.items():
            expects = expected.in_grammar(meaning.statement.text)
            score = sum(vote.of(key, expected=expects) for vote in by_model)
            by_key[key] = replace(meaning, score=score)
    ranked = sorted(
        by_key.values(),
        key=lambda r: -r.score - _legal(r) - expected.leaning(r.statement.move),
    )
    return Meanings(ranked, nothing, by_model)


def _is_expected_form(reading: Meaning, better: Meaning) -> bool:
    """Return whether ``reading`` is the expected form of a meaning, and counts although an
    unexpected form fits the sound ``better``. It does not count if that form fits far better and
    all its words belong to the meaning: "geht auf" for "nach", or if it has words that say nothing:
    "äh" was sound before the first word of the other."""
    near = reading.score > better.score - MOST_BEHIND
    preferred = reading.is_expected and not better.is_expected and better.form_cost <= OTHER_FORM
    return preferred and (near or better.unexplained > 0)


def _legal(reading: Meaning) -> float:
    """Return how much likelier a meaning of its kind is, in nats."""
    # Few announcements correct another. A piece after the square is rather somebody else's word.
    unlikely = (reading.meant.kind is Kind.ILLEGAL or reading.meant.correction) + (
        reading.meant.why is IllegalReason.PROMOTION_NOT_POSSIBLE
    )
    return LEGAL * (1 - unlikely)


def _accustomed(recognition: Recognition, habits: Confusions) -> Recognition:
    if not habits.table or not recognition.hypotheses:
        return recognition
    if recognition.by_model:
        return summed(_accustomed(part, habits) for part in recognition.by_model)
    heard = recognition.words.split()
    weighed = [
        replace(guess, score=guess.score + habits.credit(guess.words.split(), heard))
        for guess in recognition.hypotheses
    ]
    return replace(recognition, hypotheses=tuple(sorted(weighed, key=lambda guess: -guess.score)))


def _reading(heard: Hypothesis, expected: Expected, pack: Language) -> Meaning:
    unexplained = heard.unknown_edges + len(heard.words.split())
    statement = _makes_sense(heard.words, expected, pack)
    if statement is None:
        nothing = Statement(heard.words, Understanding(Kind.UNCLEAR, ""))
        return Meaning("", nothing, heard.score, unexplained)
    in_grammar = expected.in_grammar(statement.text)
    form_cost = None if in_grammar else _form_cost(statement, expected, pack)
    in_grammar |= form_cost is not None
    if not in_grammar:
        unexplained -= len((statement.meant.uttered or statement.meant.words).split())
    return Meaning(
        key_of(statement),
        statement,
        heard.score,
        heard.unknown_edges if in_grammar else unexplained,
        in_grammar=in_grammar or statement.meant.kind is Kind.ILLEGAL,
        onset_delay_s=heard.onset_delay_s,
        form_cost=form_cost or 0.0,
    )


def _form_cost(statement: Statement, expected: Expected, pack: Language) -> float | None:
    """Return by how many nats surer the ear must be of a move in a form that nobody listens for;
    None if it is never sure."""
    meant, empty = statement.meant, pack.empty_words(statement.text)
    if statement.move is None or meant.false_check or empty is None:
        return None
    bare = 0 < _places(meant.uttered, pack) < BOTH_SQUARES
    if empty and bare and not pack.is_piece(meant.uttered.split()[0]):
        return None  # "This is table five" sounds like "Gustav five hm"
    words = statement.text.split()
    letters = [n for n, word in enumerate(words) if len(word) == 1 and pack.is_file_or_rank(word)]
    if letters and _places(statement.text, pack) % 2:
        return None  # "rook five h six" may have lost a letter
    for number, group in itertools.product(letters, _RHYMING):
        if words[number] in group:
            for other in group.replace(words[number], ""):
                rhyme = " ".join([*words[:number], other, *words[number + 1 :]])
                if interpret(rhyme, expected.boards, pack).meant.kind in _LEGAL:
                    return None
    return OTHER_FORM + EMPTY_WORD * empty + LETTER * len(letters)


def _makes_sense(words: str, expected: Expected, pack: Language) -> Statement | None:
    """Return what ``words`` mean if they hang together and make sense now; None if not."""
    if not words or UNKNOWN in words.split():
        return None
    if words in expected.others:
        return interpret(words, expected.boards[:1], pack)
    if pack.has_typed_word(words):
        return None
    statement = interpret(words, expected.boards, pack, repeated=expected.repeated)
    meant = statement.meant
    if meant.kind is Kind.AMBIGUOUS and len(meant.moves) == 1:  # only one castling is legal
        meant = replace(meant, kind=Kind.MOVE)
        statement = replace(statement, meant=meant)
    if meant.kind is Kind.COMMAND and not statement.repeats:
        # A correction goes before anything; any other command was listed or makes no sense now.
        return statement if meant.command is Command.CORRECTION or meant.moves else None
    if meant.in_part:  # people who talk about the game say that, too
        return None
    if meant.kind in _LEGAL and expected.boards:
        return statement
    # People who talk about the game name moves, too, and most of them are illegal here. Of an
    # announcement every word belongs to the move.
    whole = len(words.split()) == len((meant.uttered or meant.words).split())
    if meant.kind is not Kind.ILLEGAL or not whole or not expected.boards:
        return None
    if _places(words, pack) >= BOTH_SQUARES:  # "pawn Anna two Anna five" is what it sounds like
        return statement
    alike = (interpret(other, expected.boards, pack) for other in pack.sounding_like(words))
    return next((other for other in alike if other.meant.kind is Kind.MOVE), statement)


def _places(words: str, pack: Language) -> int:
    """Return how many files and ranks the words name."""
    return sum(map(pack.is_file_or_rank, words.split()))


def key_of(statement: Statement) -> str:
    """Return the same for the long and the short form of a move; a correction is another."""
    meant = statement.meant
    if meant.command is not None:
        about = "" if meant.about is None else str(meant.about)
        return f"command {statement.key} {about} {meant.rest}"
    named = statement.key if meant.move is not None else meant.core or statement.text
    return f"correction {named}" if meant.correction else named


def features(
    read: Meanings, recognition: Recognition, expected: Expected, pack: Language
) -> Features:
    """Return what speaks for and against the first meaning, which there must be."""
    first, *others = read.ranked
    move, words = first.statement.move, first.statement.text.split()
    uttered = first.meant.uttered.split() or words
    answers = first.statement.text in expected.awaited
    kind = MeaningKind.MOVE
    if answers or first.meant.command is not None:
        kind = MeaningKind.COMMAND
    elif first.meant.kind is Kind.ILLEGAL:
        kind = MeaningKind.ILLEGAL
    places = _places(first.statement.text, pack)
    castles = move is not None and places == 0
    short = first.meant.command is None and places < BOTH_SQUARES and not castles and not answers

    def over(other: Meaning) -> float:
        # Other evidence for a move weighs against its rivals, but not against there being none.
        leaning = expected.leaning(move) - expected.leaning(other.statement.move)
        return first.score - other.score + leaning

    legal = [over(another) for another in others if another.meant.kind is not Kind.ILLEGAL]
    illegal = [over(another) for another in others if another.meant.kind is Kind.ILLEGAL]
    nothing, extra_words = None, 0
    if read.nothing is not None:
        nothing = first.score - read.nothing.score + (ANSWER if answers else 0.0)
        extra_words = len(read.nothing.statement.text.split()) - len(words)
    expects = expected.in_grammar(first.statement.text)
    own = [vote.of(first.key, expected=expects) for vote in read.votes]
    rivals = [
        max(
            (v for key, v in vote.behind.items() if key not in ("", first.key)),
            default=-MOST_BEHIND,
        )
        for vote in read.votes
    ]
    return Features(
        kind,
        over_legal=min(legal, default=None),
        over_illegal=min(illegal, default=None),
        over_nothing=nothing,
        over_longer=_over_longer(recognition, words, pack, first.score),
        rivals=tuple(map(over, others)),
        over_rivals_by_model=tuple(mine - by for mine, by in zip(own, rivals, strict=True)),
        over_nothing_by_model=tuple(
            mine - vote.of("")
            for mine, vote in zip(own, read.votes, strict=True)
            if not vote.expected_only
        ),
        behind_best=sum(own),
        absent=sum(first.key not in vote.behind for vote in read.votes) / max(1, len(read.votes)),
        extra_words=extra_words,
        unexplained=first.unexplained,
        short_form=short,
        both_squares=places >= BOTH_SQUARES,
        word_count=4 if castles or answers else len(uttered),
        is_whole=castles or pack.is_piece(uttered[0]),
        in_grammar=first.in_grammar,
        onset_delay_s=first.onset_delay_s,
        heard_talk=recognition.heard_talk,
    )


def _over_longer(
    recognition: Recognition, words: list[str], pack: Language, score: float
) -> float | None:
    """Return the lead over the best reading that has all these words and more: one may be lost.

    Of several models one may have heard a link ("nach") where another heard none, so there links do
    not count. A model alone was measured with its links.
    """

    def counted(all_words: list[str]) -> list[str]:
        return [word for word in all_words if not pack.is_link(word)] or all_words

    if recognition.by_model:
        words = counted(words)
    for heard in recognition.hypotheses:
        more = heard.words.split()
        if recognition.by_model:
            more = counted(more)
        rest = iter(more)
        if len(more) > len(words) and all(word in rest for word in words):
            return score - heard.score
    return None
