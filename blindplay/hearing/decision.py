"""From sound to meaning: what to listen for now, and what is done about an utterance.

The recogniser gives hypotheses with the likelihood of the sound under each. They are grouped by
meaning: a legal move, an announcement of an illegal move, a command, or nothing. The lead of the
likeliest meaning over all others, and over other talk, gives the odds that it was said. The
`ConfidenceModel` that turns leads into odds is measured for each speech model. One decision
follows: take it, ask, or say that it was not understood. Asking is better than guessing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import TypeAlias

import chess

from blindplay.language import Command, Kind, Language, Understanding, lexicon
from blindplay.language.understanding import IllegalReason
from blindplay.laws.game import Game
from blindplay.speech.confidence import ConfidenceModel, Features, MeaningKind
from blindplay.speech.confusions import Confusions
from blindplay.speech.ensemble import AnyRecogniser, Ensemble, summed, votes
from blindplay.speech.models import folders as models
from blindplay.speech.recogniser import UNKNOWN, Hypothesis, Recogniser, Recognition

ANSWER = 3.0
"""How much likelier an answer is than other sound, in nats, while we wait for one."""
MOST_CANDIDATES = 4
_NO_BOARD = chess.Board()
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
LEANING = 4.0
"""How much likelier, in nats, what hands have done makes that move, or the announcement the move
that the opponent is to repeat: enough to settle a doubt of the ear, not to overrule it."""


class Verdict(Enum):
    """What is done about an utterance."""

    ACCEPT = "accept"
    ASK = "ask"
    REFUSE = "refuse"
    ILLEGAL = "illegal"
    COMMAND = "command"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Candidate:
    """One thing that may have been said: the phrase, its cost in nats above the best, and what it
    means: a move, a command, or, with neither, an announcement that is no legal move."""

    phrase: str
    cost: float
    move: chess.Move | None = None
    command: Command | None = None


@dataclass(frozen=True)
class Decision:
    """One decision about one utterance. ``phrase`` is what was taken as said (ACCEPT, also of an
    answer to our question, ILLEGAL, COMMAND), else None; ``candidates`` are the likeliest, best
    first: after ASK those to choose between, one alone to be read back. ``cost`` is the doubt
    that is left about the first of them: the logarithm of the odds that it was not said, in nats;
    0 is an even chance."""

    verdict: Verdict
    recognition: Recognition
    phrase: str | None = None
    candidates: tuple[Candidate, ...] = ()
    cost: float = 0.0


@dataclass(frozen=True)
class Expected:
    """All that may be said now.

    ``boards``: the position whose moves may be announced, and perhaps the one before, whose last
    move may be repeated. ``phrases`` are what the recogniser is given: all forms of the legal
    moves, and ``others``: commands and answers; ``corrections`` are those that may go before a
    move. Phrases with words the model lacks are left out, never shortened; those words are
    ``out_of_vocabulary``. ``felt``: the moves that fit what hands have done on the board already,
    None if nothing; ``repeated``: the announcement that is to be repeated now (D.2.1);
    ``awaited``: phrases that answer a question of ours. Each makes what fits it likelier; none is
    taken for granted.
    """

    boards: tuple[chess.Board, ...]
    phrases: Mapping[str, None]
    others: frozenset[str]
    corrections: frozenset[str] = frozenset()
    out_of_vocabulary: tuple[str, ...] = ()
    felt: frozenset[chess.Move] | None = None
    repeated: chess.Move | None = None
    awaited: frozenset[str] = frozenset()

    def leaning(self, move: chess.Move | None) -> float:
        """How much likelier ``move`` is for another reason than its sound, in nats."""
        if move is None:
            return 0.0
        return LEANING * ((self.felt is not None and move in self.felt) + (move == self.repeated))

    def contradicts(self, meant: Understanding) -> bool:
        """Whether hands have done something else than ``meant``, which is no correction."""
        return (
            self.felt is not None
            and meant.move is not None
            and not meant.correction
            and meant.move not in self.felt
        )


Lost: TypeAlias = Callable[[str], None]
"""What is told, in one sentence, when a model cannot listen and the others go on without it."""


def listening_models(language: str, lost: Lost) -> tuple[Path, ...]:
    """The folders of the models that are to listen together, as the user chose them; of those
    chosen, the ones that are there. The usual ones, if his choice cannot be read.

    Raises ModelError when there is none.
    """
    if unread := models.unread_choices():
        lost(unread)
    try:
        return models.chosen_models(language)
    except models.ModelError as error:
        there = models.available(language)
        left = tuple(there[name] for name in models.chosen_names(language) if name in there)
        if not left:
            raise
        lost(str(error))
        return left


def open_recogniser(pack: Language, *folders: Path, lost: Lost | None = None) -> AnyRecogniser:
    """The recogniser of the model in this folder for the words of ``pack``, and for others that
    are known to be none of them; a large model's own words would be too many to listen for. The
    models of several folders listen together.

    Raises ModelError when the model cannot be loaded; of several, only when none can be, or when
    nobody is told what was ``lost``.
    """
    known = lexicon(pack.code)
    words = {*pack.grammar_words(), *known.words, *known.fillers}
    loaded: list[Recogniser] = []
    for number, folder in enumerate(folders, 1):
        try:
            loaded.append(Recogniser(folder, pack.code, spellings=pack.spoken, words=words))
        except models.ModelError as error:
            if lost is None or (number == len(folders) and not loaded):
                raise
            lost(f"{error} The others listen without it.")
    return loaded[0] if len(loaded) == 1 else Ensemble(loaded, on_lost=lost)


def expect(
    recogniser: AnyRecogniser,
    pack: Language,
    boards: Iterable[chess.Board],
    *,
    others: Iterable[str] | None = None,
    felt: frozenset[chess.Move] | None = None,
    repeated: chess.Move | None = None,
    awaited: Collection[str] = (),
) -> Expected:
    """What may be said of any of ``boards``, and the ``others``: all the commands unless given."""
    boards = tuple(boards)
    if others is None:
        others = [*pack.command_phrases(), *pack.command_phrases(opened=True)]
    moves = dict.fromkeys(form for board in boards for form in pack.forms(board))
    said = dict.fromkeys((*others, *awaited))
    return Expected(
        boards,
        dict.fromkeys(recogniser.known_phrases([*moves, *said])),
        frozenset(recogniser.known_phrases(said)),
        frozenset(recogniser.known_phrases(pack.corrections)),
        tuple(recogniser.unknown_words([*moves, *said])),
        felt,
        repeated,
        frozenset(awaited),
    )


def felt(game: Game, side: str) -> frozenset[chess.Move] | None:
    """The moves that fit what ``side``, on move, has done with his hands; None if nothing yet."""
    turn = game.turn
    if side != game.side:
        return None
    if turn.executed is not None:
        return frozenset((turn.executed,))
    if not turn.touched:
        return None
    if turn.due is not None and not turn.due[1].free:
        return frozenset(turn.due[1].moves) or None  # what touching obliges to (4.3)
    # A piece of his own that he has touched is to be moved, or taken with: one of the other's.
    square = turn.touched[0]
    fitting = frozenset(
        move for move in game.board.legal_moves if square in (move.from_square, move.to_square)
    )
    return fitting or None


@dataclass(frozen=True)
class Meaning:
    """One meaning an utterance may have, in its likeliest words.

    ``score`` is in nats; ``unexplained`` counts the words and stretches of sound that say
    nothing: the fillers, articles and other sound that went with it. ``in_grammar``: it is one of
    the forms that are expected, perhaps after a correction. ``agreed``: several models agree on it,
    in whatever words. ``onset_delay_s``: seconds of voice before its first word.
    """

    key: str
    phrase: str
    score: float
    unexplained: int
    meant: Understanding
    in_grammar: bool = False
    agreed: bool = True
    onset_delay_s: float = 0.0

    @property
    def move(self) -> chess.Move | None:
        return self.meant.move if self.meant.command is None else None


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
    return prior + expected.leaning(reading.move)


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
    meant = _understand(heard.words, expected, pack)
    unexplained = heard.unknown_edges + len(heard.words.split())
    if meant is None:
        return Meaning("", heard.words, heard.score, unexplained, Understanding(Kind.UNCLEAR, ""))
    in_grammar = _in_grammar(heard.words, expected)
    if not in_grammar:
        unexplained -= len((meant.uttered or meant.words).split())
    return Meaning(
        _key(meant, heard.words),
        heard.words,
        heard.score,
        heard.unknown_edges if in_grammar else unexplained,
        meant,
        in_grammar=in_grammar or meant.kind is Kind.ILLEGAL,
        onset_delay_s=heard.onset_delay_s,
    )


def _understand(words: str, expected: Expected, pack: Language) -> Understanding | None:
    """What ``words`` mean if they hang together and make sense now; None if not."""
    if not words or UNKNOWN in words.split():
        return None
    start = expected.boards[0] if expected.boards else _NO_BOARD
    meant = pack.understand(words, start)
    if words in expected.others:
        return meant
    for before in expected.boards[1:]:
        again = pack.understand(words, before)
        if again.move is None or not _leads_to(before, again.move, start):
            continue
        # "Springer schlägt Eva vier" may be both what the opponent has played and what takes it:
        # as long as the repetition is waited for, it is that, for that plays nothing.
        if meant.kind not in (Kind.MOVE, Kind.COMMAND) or again.move == expected.repeated:
            return again
    if meant.kind is Kind.COMMAND:
        # A correction goes before anything; any other command was listed or makes no sense now.
        return meant if meant.command is Command.CORRECTION or meant.moves else None
    if meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL) and expected.boards:
        return meant
    return None


def _leads_to(before: chess.Board, move: chess.Move, now: chess.Board) -> bool:
    after = before.copy(stack=False)
    after.push(move)
    return after.board_fen() == now.board_fen() and after.turn == now.turn


def _key(meant: Understanding, words: str) -> str:
    """What it means, whatever the words: the same for the long and the short form of a move."""
    correction = "correction " if meant.correction else ""
    if meant.command is not None:
        about = "" if meant.about is None else str(meant.about)
        moves = " ".join(move.uci() for move in meant.moves)
        return f"command {meant.command.value} {about} {moves} {meant.rest}"
    if meant.move is not None:
        return correction + meant.move.uci()
    return correction + (meant.core or words)


def features(
    recognition: Recognition,
    ranked: list[Meaning],
    nothing: Meaning | None,
    expected: Expected,
    pack: Language,
) -> Features:
    """What speaks for and against the first of ``ranked``, which is not empty."""
    first = ranked[0]

    def ahead(score: float | None) -> float | None:
        return None if score is None else first.score - score

    # What else speaks for a move weighs against its rivals, but not against there being none.
    behind = [
        (first.score - r.score + expected.leaning(first.move) - expected.leaning(r.move), r)
        for r in ranked[1:]
    ]
    legal = (by for by, r in behind if r.meant.kind is not Kind.ILLEGAL)
    lead = min((by for by, _ in behind), default=None)
    outscored = nothing is not None and nothing.key != first.key and nothing.score > first.score
    answers = first.phrase in expected.awaited
    awaited = ANSWER if answers else 0.0
    words = first.phrase.split()
    places = sum(map(pack.is_file_or_rank, words))
    castles = first.move is not None and places == 0
    return Features(
        kind=MeaningKind.COMMAND if answers else _what(first.meant),
        lead=lead,
        legal_lead=min(legal, default=None),
        meaningless_lead=ahead(None if nothing is None else nothing.score - awaited),
        longer_lead=ahead(_best_longer(recognition, words, pack)),
        extra_words=0 if nothing is None else len(nothing.phrase.split()) - len(words),
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


def _in_grammar(words: str, expected: Expected) -> bool:
    if words in expected.phrases:
        return True
    return any(
        words.startswith(f"{first} ") and words.removeprefix(f"{first} ") in expected.phrases
        for first in expected.corrections
    )


def _what(meant: Understanding) -> MeaningKind:
    if meant.command is not None:
        return MeaningKind.COMMAND
    return MeaningKind.ILLEGAL if meant.kind is Kind.ILLEGAL else MeaningKind.MOVE


def decide(
    recognition: Recognition,
    expected: Expected,
    pack: Language,
    confidence: ConfidenceModel,
    habits: Confusions = _NO_HABITS,
) -> Decision:
    """What is done about an utterance; ``habits`` are the speaker's own confusions."""
    decision = _decide(recognition, expected, pack, confidence, habits)
    if decision.verdict is not Verdict.REFUSE:
        return decision
    similar = _similar(recognition, expected, pack, confidence)
    return Decision(Verdict.ASK, recognition, None, similar, decision.cost) if similar else decision


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
        Candidate(r.phrase, first.score - r.score, r.move, r.meant.command)
        for r in ranked
        if r.meant.kind is not Kind.ILLEGAL or r is first
    )[:MOST_CANDIDATES]
    sure, likely = odds >= confidence.accept(found), odds >= confidence.ask(found)
    if sure and first.phrase in expected.awaited:
        # "Vier" or "Turm" means something as an answer only: whoever has asked knows what.
        commands = first.meant.command is not None
        verdict = Verdict.COMMAND if commands else Verdict.ACCEPT
        return Decision(verdict, recognition, first.phrase, candidates, -odds)
    if sure and first.meant.command is not None:
        return Decision(Verdict.COMMAND, recognition, first.phrase, candidates, -odds)
    if sure and first.meant.kind is Kind.ILLEGAL:
        return Decision(Verdict.ILLEGAL, recognition, first.phrase, candidates, -odds)
    if sure and first.meant.kind is Kind.MOVE and not expected.contradicts(first.meant):
        return Decision(Verdict.ACCEPT, recognition, first.phrase, candidates, -odds)
    legal = tuple(c for c in candidates if c.move is not None or c.command is not None)
    if first.meant.kind is Kind.AMBIGUOUS and likely:
        return Decision(Verdict.ASK, recognition, None, candidates, -odds)
    if likely and legal:
        return Decision(Verdict.ASK, recognition, None, legal, -odds)
    if likely or _is_attempt(recognition.words, expected, pack):
        return Decision(Verdict.REFUSE, recognition, None, candidates, -odds)
    return Decision(Verdict.NOTHING, recognition, None, candidates, -odds)


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
            move = pack.understand(phrase, expected.boards[0]).move
            if move is not None and (move not in found or cost < found[move].cost):
                found[move] = Candidate(phrase, cost, move)
    ranked = sorted(found.values(), key=lambda candidate: candidate.cost)
    return tuple(ranked) if len(ranked) <= MOST_SIMILAR else ()


def _is_attempt(words: str, expected: Expected, pack: Language) -> bool:
    """Whether somebody probably spoke to us: two words, and half of all, are of announcements; or
    half of them answer what we have asked."""
    said = words.split()
    ours = sum(map(pack.is_word_of_a_move, said))
    answers = sum(word in expected.awaited for word in said)
    return (ours >= 2 and 2 * ours >= len(said)) or (answers >= 1 and 2 * answers >= len(said))


def understand_sound(
    recogniser: AnyRecogniser,
    pack: Language,
    board: chess.Board,
    pcm: bytes,
    confidence: ConfidenceModel,
) -> tuple[Decision, Understanding]:
    """What one utterance (16 kHz mono 16-bit PCM) means on ``board``, with no other evidence."""
    expected = expect(recogniser, pack, [board])
    decision = decide(recogniser.recognise(pcm, list(expected.phrases)), expected, pack, confidence)
    if decision.phrase is not None:
        return decision, pack.understand(decision.phrase, board)
    heard = decision.recognition.words
    return decision, Understanding(Kind.UNCLEAR if heard else Kind.NOTHING, heard)
