"""How a conversation goes: what is awaited, what is asked, and what an answer means. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum

import chess

from blindplay.language import Command, Kind, Language, Understanding
from blindplay.speech.recogniser import Recognition

# A draw may be claimed with the move that will bring it about (9.2.1, 9.3.1).
CLAIMS_WITH_MOVE = (Command.CLAIM_REPETITION, Command.CLAIM_FIFTY_MOVES)
ASK_AGAIN = frozenset((Command.REPEAT, Command.HELP, Command.MORE))


class Awaited(Enum):
    """What is awaited of one player."""

    ANNOUNCE = "announce"
    """He is on move."""
    EXECUTE = "execute"
    """He has announced; until the opponent's clock runs he may correct it (D.2.8)."""
    REPEAT = "repeat"
    """The opponent has announced (D.2.1)."""
    WAIT = "wait"
    """The opponent is on move and has not announced."""
    ANSWER = "answer"
    """We have asked him something."""
    OVER = "over"
    """No move is to be played."""


@dataclass(frozen=True)
class Sayable:
    """All that one player may say now, from which a grammar is made.

    ``boards``: the positions whose moves he may announce or repeat; ``repeats``: the position and
    the move that he may be repeating, likely but never assumed (D.2.1); ``bare``: the commands
    that are heard as they are, and ``single`` those of them that are so in one word, too;
    ``opened``: those heard after the opening word; ``answers``: words that answer our question
    ("turm", "eva zwei"), in small letters.
    """

    state: Awaited
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
class Statement:
    """One thing that was said, or may have been, as it is understood. ``repeats``: it is the
    opponent's last move, repeated; ``recognition`` is its sound, None when it was typed."""

    text: str
    meant: Understanding
    repeats: bool = False
    recognition: Recognition | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """What it means, whatever the words."""
        meant = self.meant
        if meant.command is not None:
            return " ".join([meant.command.value, *(move.uci() for move in meant.moves)])
        if meant.move is not None:
            return meant.move.uci()
        return meant.core or meant.words


@dataclass(frozen=True)
class Question:
    """What a player was asked, and waits for his answer.

    ``options`` are what he may have said, one alone to be answered by ja or nein; ``answers`` are
    for each the words that choose it. ``confirms``: it was understood, and needs a ja because it
    changes the game; only ja will do, and nothing was misheard. ``asked`` and ``since``, in ms of
    the table's time: when it was asked first, and from when on an answer is waited for.
    """

    options: tuple[Statement, ...]
    words: str
    asked: int
    since: int
    confirms: bool = False
    answers: tuple[tuple[str, ...], ...] = ()
    unclear: int = 0

    @property
    def is_about_a_move(self) -> bool:
        """Whether it is about the move that is being announced, and lapses with it."""
        return self.options[0].meant.command is None


class Reply(Enum):
    """What an utterance is to a question."""

    CHOSEN = "chosen"
    NO = "no"
    AGAIN = "again"
    UNCLEAR = "unclear"
    OTHER = "other"


def reply(question: Question, said: Statement) -> tuple[Reply, Statement | None]:
    """How ``said`` answers ``question``, and the option that it chooses."""
    meant = said.meant
    options = question.options
    if meant.command in (Command.NO, Command.CORRECTION):
        return Reply.NO, None
    if meant.command is Command.YES:
        return (Reply.CHOSEN, options[0]) if len(options) == 1 else (Reply.UNCLEAR, None)
    if meant.command in ASK_AGAIN:
        return Reply.AGAIN, None
    if meant.command is None:
        named = [
            option
            for option, words in zip(options, question.answers, strict=bool(question.answers))
            if meant.core in words or said.text.casefold() in words
        ]
        if len(named) == 1:
            return Reply.CHOSEN, named[0]
    if not question.confirms:
        same = [option for option in options if option.key == said.key]
        if len(same) == 1:
            return Reply.CHOSEN, same[0]
    elif said.key in [option.key for option in options]:
        return Reply.AGAIN, None
    if meant.kind in (Kind.UNCLEAR, Kind.NOTHING):
        return Reply.UNCLEAR, None
    return Reply.OTHER, None


def claim_with(question: Question, said: Statement) -> Statement | None:
    """The claim that was asked about, with the move that is said now."""
    claim = question.options[0].meant
    if not question.confirms or claim.command not in CLAIMS_WITH_MOVE or said.meant.move is None:
        return None
    meant = replace(claim, moves=said.meant.moves, rest=said.text)
    return Statement(f"{question.options[0].text} {said.text}", meant, False, said.recognition)
