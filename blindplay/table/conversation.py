"""The course of a conversation: what is awaited, what is asked, and what an answer means. Pure.

The effects that follow are values, too. The session brings them about, in order.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

import chess

from blindplay.hearing.statement import Statement
from blindplay.language import Command, Kind, Language
from blindplay.laws import Fact, Ruling
from blindplay.laws.rulings import Answer
from blindplay.speech.recogniser import Recognition

ANSWER_SECONDS = 15
"""Seconds that a question waits for its answer."""
BEGINNING_SECONDS = 6
"""Seconds that the beginning of an announcement waits for its rest. Then the table asks for it."""
# A draw may be claimed with the move that will bring it about (9.2.1, 9.3.1).
CLAIMS_WITH_MOVE = (Command.CLAIM_REPETITION, Command.CLAIM_FIFTY_MOVES)
ASK_AGAIN = frozenset((Command.REPEAT, Command.HELP, Command.MORE))


class Awaited(Enum):
    """The utterance that is awaited of one player."""

    ANNOUNCE = "announce"
    """A move: the player is on move."""
    EXECUTE = "execute"
    """The move is announced. It may be corrected until the opponent's clock runs (D.2.8)."""
    REPEAT = "repeat"
    """The opponent has announced (D.2.1)."""
    WAIT = "wait"
    """The opponent is on move and has not announced."""
    ANSWER = "answer"
    """A question is open."""
    OVER = "over"
    """No move is to be played."""


@dataclass(frozen=True)
class Sayable:
    """All that one player may say now.

    ``boards``: the positions whose moves may be announced or repeated; ``repeats``: the position
    and the move that may be repeated, likely but never assumed (D.2.1). ``bare``: commands that
    need no opening word; ``single``: those of them that need none even as one word; ``opened``:
    commands that are heard after it. ``answers``: words that answer the open question ("turm",
    "eva zwei"), in small letters.
    """

    awaited: Awaited
    boards: tuple[chess.Board, ...] = ()
    repeats: tuple[chess.Board, chess.Move] | None = None
    bare: frozenset[Command] = frozenset()
    single: frozenset[Command] = frozenset()
    opened: frozenset[Command] = frozenset()
    answers: frozenset[str] = frozenset()

    def phrases(self, pack: Language) -> list[str]:
        """Everything but the moves, each phrase once, in small letters."""
        return [
            *sorted(self.answers),
            *pack.command_phrases(self.single),
            *(phrase for phrase in pack.command_phrases(self.bare - self.single) if " " in phrase),
            *pack.command_phrases(self.opened, opened=True),
        ]


@dataclass(frozen=True)
class Beginning:
    """The beginning of an announcement: a piece, the square that it leaves, or both.

    ``sure``: it was typed, or the ear was sure of it. ``asks``: the table asks for the rest if it
    does not come. ``at``: when it was said, in ms of the table's time. ``announced``: the move that
    stood announced then; the beginning lapses with the next announcement.
    """

    said: Statement
    sure: bool
    asks: bool
    at: int
    announced: chess.Move | None


@dataclass(frozen=True)
class Question:
    """A question to a player that waits for its answer.

    ``options`` are what the player may have said; a single one is answered by ja or nein.
    ``answers`` are the words that choose each option. ``confirms``: the words were understood and
    change the game, so only a ja will do. ``consents``: the opponent has asked; without an answer
    their wish stands. ``begun``: the only option is the beginning of an announcement, and the rest
    of it is asked for. ``asked`` and ``since``, in ms of the table's time: when it was asked first,
    and from when on the answer is waited for.
    """

    options: tuple[Statement, ...]
    words: str
    asked: int
    since: int
    confirms: bool = False
    begun: bool = False
    answers: tuple[tuple[str, ...], ...] = ()
    unclear: int = 0
    consents: bool = False

    @property
    def is_about_a_move(self) -> bool:
        """Return whether it is about the move that is being announced; then it lapses with that
        move."""
        return self.options[0].meant.command in (None, Command.CORRECTION)

    @property
    def asks_for_a_move(self) -> bool:
        """Return whether it asks for the rest of an announcement, or for the move that replaces the
        announced one: the player said only that the announcement is wrong."""
        return self.begun or self.options[0].meant.command is Command.CORRECTION

    @property
    def is_a_doubt(self) -> bool:
        """Return True if the ear was not sure which move, or whether a whole move, was said. Such a
        move needs no *ja*: what the player does next confirms or withdraws it (see
        :class:`.Doubts`)."""
        return not self.confirms and not self.begun and self.is_about_a_move

    @property
    def signs(self) -> bool:
        """Return whether it asks for a signature, after the game (8.7)."""
        return self.options[0].meant.command is Command.SIGN

    @property
    def holds_the_clock(self) -> bool:
        """Return whether the player wants to correct the announcement (D.2.8), or to seal a move.
        Until that is answered a press must not complete the move as it was announced. Sound without
        a word of correction may be the opponent's repetition, so it holds nothing."""
        said = self.options[0]
        if said.meant.command is Command.SEAL:
            return True
        wanted = said.meant.correction or said.recognition is None
        return (self.confirms or self.begun) and self.is_about_a_move and wanted


class Reply(Enum):
    """The way in which an utterance answers a question."""

    CHOSEN = "chosen"
    NO = "no"
    AGAIN = "again"
    UNCLEAR = "unclear"
    OTHER = "other"


def reply(question: Question, said: Statement) -> tuple[Reply, Statement | None]:
    """Return how ``said`` answers ``question``, and the option that it chooses."""
    meant, options = said.meant, question.options
    if question.confirms and said.key in [option.key for option in options]:
        return Reply.AGAIN, None
    if meant.command in (Command.NO, Command.CORRECTION):
        return Reply.NO, None
    if meant.command is Command.YES:
        yes_or_no = len(options) == 1 and not question.begun
        return (Reply.CHOSEN, options[0]) if yes_or_no else (Reply.UNCLEAR, None)
    if meant.command in ASK_AGAIN:
        return Reply.AGAIN, None
    if meant.command is None and question.answers:
        names = {meant.core, said.text.casefold()}
        pairs = zip(options, question.answers, strict=True)
        named = [option for option, words in pairs if not names.isdisjoint(words)]
        if len(named) == 1:
            return Reply.CHOSEN, named[0]
    if not question.confirms:
        same = [option for option in options if option.key == said.key]
        if len(same) == 1:
            return Reply.CHOSEN, same[0]
    if meant.kind in (Kind.UNCLEAR, Kind.NOTHING):
        return Reply.UNCLEAR, None
    return Reply.OTHER, None


def claim_with(question: Question, said: Statement) -> Statement | None:
    """The claim that was asked about, with the move said now; None if this is none."""
    claim = question.options[0].meant
    if not question.confirms or claim.command not in CLAIMS_WITH_MOVE or said.meant.move is None:
        return None
    meant = replace(claim, moves=said.meant.moves, rest=said.text)
    return Statement(f"{question.options[0].text} {said.text}", meant, False, said.recognition)


FLEETING = frozenset(("cancelled", "not_understood", "repeat_please"))
"""Sentences that nobody wants to hear again."""


@dataclass(frozen=True)
class Say:
    """Speak ``words`` to a player, or to everybody (None). "Repeat" skips what is ``fleeting``."""

    to: str | None
    words: str
    fleeting: bool = False


@dataclass(frozen=True)
class SayAgain:
    """Speak the last sentence once more, to a player."""

    to: str


@dataclass(frozen=True)
class Submit:
    """Submit a fact. The dialogue itself reports rulings of the kinds in ``reports``."""

    fact: Fact
    reports: tuple[type[Ruling], ...] = ()


@dataclass(frozen=True)
class Ask:
    """Submit a question of a player and speak ``words`` of its answer to them."""

    side: str
    fact: Fact
    words: Callable[[Answer], str]


@dataclass(frozen=True)
class Relisten:
    """Listen anew: what players may say has changed without a ruling."""


@dataclass(frozen=True)
class Learn:
    """It turned out what a player said: ``phrase`` is what was meant by this sound."""

    side: str
    recognition: Recognition
    phrase: str


@dataclass(frozen=True)
class AdjustVoice:
    """Speak louder, softer, slower or faster from now on, and say so to a player."""

    side: str
    command: Command


@dataclass(frozen=True)
class LeadHands:
    """Say how a player's board is brought to the position of the game."""

    side: str


Effect: TypeAlias = LeadHands | Say | SayAgain | Submit | Ask | Relisten | Learn | AdjustVoice


def say(pack: Language, to: str | None, key: str, **values: str) -> Say:
    """Speak the sentence ``key`` of ``pack``."""
    return Say(to, pack.sentence(key, **values), fleeting=key in FLEETING)
