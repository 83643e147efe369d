"""The state of the conversation, what may happen in it, and what it knows of the table: values.

All times are milliseconds of the table's time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Self, TypeAlias

import chess

from blindplay.hearing.decision import Decision
from blindplay.hearing.statement import Statement
from blindplay.language import PLAYS_AGAIN, About, Command, Kind, Language
from blindplay.laws import Fact, Game, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Ambiguous, NotUnderstood, Refused
from blindplay.laws.state import OTHER
from blindplay.wording.readers import Readers
from blindplay.wording.values import Pairing

from . import OpeningWord
from .effects import Effect, Relisten, Say, Submit, TellStep, say

ANSWER_SECONDS = 15
"""Seconds that a question waits for its answer."""
AGAIN_SECONDS = 60
"""The same for one about another game: a page, too, asks it, and reading takes longer."""
BEGINNING_SECONDS = 6
"""Seconds that the beginning of an announcement waits for its rest. Then the table asks for it."""
CLAIMS_WITH_MOVE = (Command.CLAIM_REPETITION, Command.CLAIM_FIFTY_MOVES)
"""Claims of a draw that may be made with the move that will bring it about (9.2.1, 9.3.1)."""
ASK_AGAIN = frozenset((Command.REPEAT, Command.HELP, Command.MORE))
NAMES_A_MOVE = (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL)
"""Kinds of statements that name a move, legal or not."""


# --- what may be said -----------------------------------------------------------------------------


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
    and the move that may be repeated, likely but never assumed (D.2.1). ``both_asked``: the Laws
    ask the player for a yes or no, to agree with the opponent. ``asked``: when the player was asked
    what is still open; None if nothing is. ``commands`` make sense apart from
    any question, the most pressing first. ``bare``: commands that need no opening word; ``single``:
    those of them that need none even as one word; ``opened``: commands that are heard after it.
    ``answers``: words that answer the open question ("turm", "eva zwei"), in small letters.
    """

    awaited: Awaited
    boards: tuple[chess.Board, ...] = ()
    repeats: tuple[chess.Board, chess.Move] | None = None
    both_asked: bool = False
    asked: int | None = None
    commands: tuple[Command, ...] = ()
    bare: frozenset[Command] = frozenset()
    single: frozenset[Command] = frozenset()
    opened: frozenset[Command] = frozenset()
    answers: frozenset[str] = frozenset()

    def answer_phrases(self, pack: Language) -> list[str]:
        """The phrases that answer the open question, in small letters."""
        if self.awaited is not Awaited.ANSWER:
            return []
        return [*self.answers, *pack.command_phrases((Command.YES, Command.NO))]

    def phrases(self, pack: Language) -> list[str]:
        """Everything but the moves, each phrase once, in small letters."""
        return [
            *sorted(self.answers),
            *pack.command_phrases(self.single),
            *(phrase for phrase in pack.command_phrases(self.bare - self.single) if " " in phrase),
            *pack.command_phrases(self.opened, opened=True),
        ]


# --- what is remembered ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Beginning:
    """The beginning of an announcement: a piece, the square that it leaves, or both.

    ``sure``: it was typed, or the ear was sure of it. ``asks``: the table asks for the rest if it
    does not come. ``at``: when it was said. ``announced``: the move that stood announced then; the
    beginning lapses with the next announcement.
    """

    said: Statement
    sure: bool
    asks: bool
    at: int
    announced: chess.Move | None


class Reply(Enum):
    """The way in which an utterance answers a question."""

    CHOSEN = "chosen"
    NO = "no"
    AGAIN = "again"
    UNCLEAR = "unclear"
    OTHER = "other"


@dataclass(frozen=True)
class Question:
    """A question to a player that waits for its answer.

    ``options`` are what the player may have said; a single one is answered by ja or nein.
    ``words`` ask, and ``again``, if given, asks once more and says how to answer. ``answers`` are
    the words that choose each option, in small letters. ``confirms``: the words were understood
    and change the game, so only a ja will do. ``consents``: the opponent has asked; without an
    answer their wish stands. ``begun``: the only option is the beginning of an announcement, and
    the rest of it is asked for. ``text``: the words of the announcement that left this open.
    ``asked`` and ``since``: when it was asked first, and from when on the answer is waited for.
    ``unclear``: how many answers were not understood.
    """

    options: tuple[Statement, ...]
    words: str
    again: str = ""
    answers: tuple[tuple[str, ...], ...] = ()
    confirms: bool = False
    consents: bool = False
    begun: bool = False
    text: str = ""
    asked: int = 0
    since: int = 0
    unclear: int = 0

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
        move needs no *ja*: what the player does next confirms or withdraws it."""
        return not self.confirms and not self.begun and self.is_about_a_move

    @property
    def signs(self) -> bool:
        """Return whether it asks for a signature, after the game (8.7)."""
        return self.options[0].meant.command is Command.SIGN

    @property
    def other_game(self) -> Command | None:
        """Return the game that it asks for, after the game; None if it asks something else."""
        command = self.options[0].meant.command
        return command if command in PLAYS_AGAIN else None

    @property
    def seconds(self) -> int:
        """How long its answer is awaited."""
        return AGAIN_SECONDS if self.other_game else ANSWER_SECONDS

    @property
    def is_public(self) -> bool:
        """Return whether everybody hears it: a key that anybody may press asks it, or the other
        player waits for the answer."""
        return self.options[0].meant.command is Command.RESUME or bool(self.other_game)

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

    def reply(self, said: Statement, pack: Language) -> tuple[Reply, Statement | None]:
        """Return how ``said``, in the words of ``pack``, answers this, and the option that it
        chooses."""
        meant, options = said.meant, self.options
        yes_or_no = len(options) == 1 and not self.asks_for_a_move
        if self.confirms and said.key in [option.key for option in options]:
            return (Reply.CHOSEN, options[0]) if self.other_game else (Reply.AGAIN, None)
        if meant.command in (Command.NO, Command.CORRECTION):
            return Reply.NO, None
        if meant.command is Command.YES:
            return (Reply.CHOSEN, options[0]) if yes_or_no else (Reply.UNCLEAR, None)
        if meant.command in ASK_AGAIN:
            return Reply.AGAIN, None
        if meant.command is None and self.answers:
            core = " ".join(word for word in meant.core.split() if not pack.is_link(word))
            names = {meant.core, core, said.text.casefold()}
            pairs = zip(options, self.answers, strict=True)
            named = [option for option, words in pairs if not names.isdisjoint(words)]
            if len(named) == 1:
                return Reply.CHOSEN, named[0]
        if not self.confirms:
            same = [option for option in options if option.key == said.key]
            if len(same) == 1:
                return Reply.CHOSEN, same[0]
        if meant.kind in (Kind.UNCLEAR, Kind.NOTHING):
            return Reply.UNCLEAR, None
        return Reply.OTHER, None

    def claim_with(self, said: Statement) -> Statement | None:
        """The claim that is asked about, with the move said now; None if this is none."""
        claim = self.options[0].meant
        claims = self.confirms and claim.command in CLAIMS_WITH_MOVE
        if not claims or said.meant.move is None:
            return None
        meant = replace(claim, moves=said.meant.moves, rest=said.text)
        return Statement(f"{self.options[0].text} {said.text}", meant, False, said.recognition)


@dataclass(frozen=True)
class Talk:
    """The state of the conversation with one player. Most of it is of one ply.

    ``question`` is open; ``lapsed``: when the last one was over without an answer. ``beginning``:
    an announcement whose rest is still to come. ``misheard``: when a square was heard that is no
    move, so it may have been the beginning of one. ``refused``: statements that the player refused,
    and how often each was heard since; they are not offered at once. ``doubted``: the likeliest of
    what the player said no to; ``accepted``: the last announcement that was taken; ``repetition``:
    a doubtful repetition of what everybody has just heard, which hands confirm. ``untold``:
    the sentences of help or of the scoresheet that each *more* tells, since ``helped``.
    ``looked_at``: the square that the player asked about last. ``unanswered``: what the ear made of
    sound that got no answer; ``failures``: how many attempts to announce failed; ``knows_names``:
    the player has announced by voice, or was told what files and ranks are called.
    """

    question: Question | None = None
    lapsed: int | None = None
    beginning: Beginning | None = None
    misheard: int | None = None
    plies: int = 0
    refused: Mapping[str, int] = field(default_factory=dict)
    doubted: Statement | None = None
    accepted: Statement | None = None
    repetition: Statement | None = None
    untold: tuple[tuple[str, ...], ...] = ()
    helped: int = 0
    looked_at: About | None = None
    unanswered: Decision | None = None
    failures: int = 0
    knows_names: bool = False

    def current(self, game: Game, side: str) -> Self:
        """Return this state without what has lapsed in the course of ``game``."""
        talk, plies = self, len(game.history)
        if talk.plies != plies:
            done = talk.question is not None and talk.question.is_about_a_move
            talk = replace(
                talk,
                question=None if done else talk.question,
                beginning=None, misheard=None, plies=plies, refused={},
                doubted=None, accepted=None, repetition=None, unanswered=None, failures=0,
            )  # fmt: skip
        silent = game.over or game.adjourning or game.adjourned  # no move is announced any more
        begun = talk.beginning
        if begun is not None and (silent or begun.announced != game.turn.announced):
            asks = talk.question is not None and talk.question.begun
            talk = replace(talk, beginning=None, question=None if asks else talk.question)
        question = talk.question
        if question is not None and (
            (game.over and not (question.signs or question.other_game))
            or (question.other_game and not game.over)
            or (silent and question.is_about_a_move)
            or (question.consents and game.wants_to_adjourn != OTHER[side])
        ):
            talk = replace(talk, question=None)
        return talk


@dataclass(frozen=True)
class Talks:
    """The state of the conversation with both players."""

    white: Talk = Talk()
    black: Talk = Talk()

    def of(self, side: str) -> Talk:
        """The state of the conversation with ``side``."""
        return self.white if side == "white" else self.black


# --- what is known of the table -------------------------------------------------------------------


@dataclass(frozen=True)
class Situation:
    """All that the conversation knows of its table, at the time ``now``.

    The game does not change during a step. ``absent``: the side of an opponent who is not in the
    room, or "". ``at_hall``: people of a hall hear when the arbiter is called. ``plays_again``:
    the table plays another game if its players want one. ``speaking``: the table is speaking, so
    nobody is expected to answer. ``preview`` gives the rulings that a fact
    would cause; ``allows``, whether a command is allowed beyond the Laws; ``hint``, a good move;
    ``pairing``, where a player plays. ``told`` gives when words were spoken to their end; infinity:
    they are still to be spoken; None: they were cut off.
    """

    game: Game
    readers: Readers
    now: int
    preview: Callable[[Fact], Sequence[Ruling]]
    opening_word: OpeningWord = OpeningWord.OPTIONAL
    absent: str = ""
    at_hall: bool = False
    plays_again: bool = False
    speaking: bool = False
    allows: Callable[[Command], bool] = lambda command: False
    hint: Callable[[], chess.Move | None] = lambda: None
    pairing: Callable[[str], Pairing | None] = lambda side: None
    told: Callable[[str], float | None] = lambda words: 0

    def board(self, statement: Statement) -> chess.Board:
        """The position that a statement is about."""
        return self.game.history[-1].before if statement.repeats else self.game.board

    @property
    def arbiter_comes(self) -> bool:
        """True if somebody hears when a player calls the arbiter."""
        return (self.game.presided or self.at_hall) and not self.game.served

    @property
    def next_is_arranged(self) -> bool:
        """True if the arbiter or a hall decides about the next game here."""
        return self.at_hall or (self.game.presided and not self.absent)

    @property
    def may_play_again(self) -> bool:
        """True if the players may decide to play another game now."""
        return self.game.over and self.plays_again and not self.next_is_arranged

    @property
    def seal_due(self) -> bool:
        """True if a sealed move is to be written now. Then nothing may be announced (I.1)."""
        return self.game.adjourning and not self.game.adjourned


# --- what happens ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class TypedLine:
    """``side`` has typed ``text``; commands need no opening word."""

    side: str
    text: str


@dataclass(frozen=True)
class HeardUtterance:
    """``side`` has said something, as the ear has decided about it.

    ``began``: when the utterance began; None: now. Speech that began before a question does not
    answer it. ``awaited``: it was taken because it answers a question; if none is open any more, it
    is nothing. ``together``: the decision about it as one utterance with the one before, which
    began the announcement. ``pressed``: the talk button was down, so it is meant for the table.
    ``assistant``: the assistant who has said it for ``side``; empty: the player.
    """

    side: str
    decision: Decision
    began: int | None = None
    awaited: bool = False
    together: Decision | None = None
    pressed: bool = False
    assistant: str = ""


@dataclass(frozen=True)
class Hushed:
    """Nobody spoke before or after the last utterance of ``side``: they seem to wait for an
    answer."""

    side: str


@dataclass(frozen=True)
class ClockPressed:
    """``presser``, a player or an assistant, has pressed the clock at the time ``at``."""

    presser: str
    at: int


@dataclass(frozen=True)
class ButtonTapped:
    """``side`` has pressed the talk button twice, too quickly to say a word, at the time ``at``."""

    side: str
    at: int


@dataclass(frozen=True)
class SecondPassed:
    """A second has passed: a question without an answer in time means no."""


@dataclass(frozen=True)
class TableBegun:
    """The table has begun: everybody hears how to find out what can be said, once in each language
    of the players."""


@dataclass(frozen=True)
class AgainWanted:
    """The opponent of ``side`` wants another game: ``command`` is one of PLAYS_AGAIN."""

    side: str
    command: Command


@dataclass(frozen=True)
class AgainAnswered:
    """A page has answered what ``side`` is asked about another game: ``command`` is the game that
    both want. None: one of them wants none."""

    side: str
    command: Command | None


Event: TypeAlias = (
    TypedLine | HeardUtterance | Hushed | ClockPressed | ButtonTapped
    | Taken | SecondPassed | TableBegun | AgainWanted | AgainAnswered
)  # fmt: skip
"""What may happen. A fact with its rulings may answer a question, or ask one."""


# --- one step -------------------------------------------------------------------------------------


class Exchange:
    """One step of the conversation with ``side``: the state as it becomes, and the effects in their
    order. It lives only as long as the step."""

    def __init__(self, about: Situation, side: str, talk: Talk) -> None:
        self.about = about
        self.game = about.game
        self.side = side
        self.pack = about.readers.of(side)
        self.talk = talk.current(about.game, side)
        self.effects: list[Effect] = []

    def change(self, **values: object) -> None:
        """Change values of the state."""
        self.talk = replace(self.talk, **values)  # type: ignore[arg-type]

    def do(self, *effects: Effect) -> None:
        """Add effects."""
        self.effects += effects

    def submit(self, fact: Fact, *reports: type[Ruling]) -> None:
        """Submit a fact; the conversation itself reports rulings of the kinds ``reports``."""
        self.do(Submit(fact, reports))

    @property
    def has_just_lapsed(self) -> bool:
        """Return whether the player's answer may be one to a question that is open no more."""
        lapsed = self.talk.lapsed
        return lapsed is not None and self.about.now - lapsed <= ANSWER_SECONDS * 1000

    def say(self, key: str, **values: str) -> None:
        """Say the sentence ``key`` to the player."""
        self.do(say(self.pack, self.side, key, **values))

    def refuse(self, why: str | None) -> None:
        """Say the sentence ``why`` something cannot be done, if any, and what is due instead."""
        if why is not None:
            self.say(why)
        self.do(TellStep(self.side))

    def ask(self, question: Question) -> None:
        """Ask, and let the answer decide. A player on move who tried to announce has begun the move
        (D.2.4), so that is a fact at once."""
        now, options = self.about.now, question.options
        self.change(question=replace(question, asked=now, since=now))
        announces = any(one.meant.command is None and not one.repeats for one in options)
        if announces and not question.confirms and self.side == self.game.side:
            announced = f.Announce(by=self.side, text=question.text)
            self.submit(announced, NotUnderstood, Ambiguous, Refused)
        to = None if question.is_public else self.side
        self.do(Say(to, question.words, fleeting=True), Relisten())

    def end_question(self, *, refused: bool = False) -> None:
        """End the question, and with one about a move the announcement that was begun. ``refused``:
        the player said none of its options."""
        question = self.talk.question
        if question is None or question.is_about_a_move:
            self.change(beginning=None)
        self.change(question=None)
        if question is not None and refused and not question.confirms and not question.begun:
            keys = dict.fromkeys((option.key for option in question.options), 0)
            self.change(refused={**self.talk.refused, **keys}, doubted=question.options[0])

    def cancel(self) -> None:
        """Say that what was asked about is not done."""
        self.say("cancelled")
        self.do(Relisten())
