"""A robot: one person at a table, with a game in mind and intentions, who knows only what the
sentences of their channel told them; see :mod:`.mind`.

It also knows the ordinary course of a move (announce it, execute it, press the clock), and the
words of its language.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Literal, TypeAlias

import chess

from blindplay.language import NEVER_OPENED, Command, languages, load
from blindplay.laws import editions
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER

from .mind import ANYBODY, ARBITER, MEANWHILE, TOLD, Due, Mind, Words, asks
from .vocabulary import Heard, vocabulary

_UNTOLD_S = 15.0
"""Seconds without a thing to do or to wait for, after which a robot asks what to do."""
_SILENCE_S = 35.0
"""Seconds of silence after which a robot that waits asks what to do."""
_ASKS_AGAIN_S = 60.0
_COURTESY_S = 8.0
"""Seconds for which a robot lets somebody else do what they were told in another language."""
_WHAT_NOW = Command.__members__.get("WHAT_NOW")

Kind: TypeAlias = Literal[
    "say", "write", "key", "line", "hands", "button", "look", "shows", "come back"
]


@dataclass(frozen=True)
class Act:
    """One thing that a person does.

    They ``say`` words, or ``write`` what must not be spoken; press the Enter ``key``; type a
    ``line`` for the keyboard of the table; use their ``hands`` on their own board; press a
    ``button`` of their page, which sends a ``form``, or ``look`` at what it would do; they
    ``show`` an assistant a move; or ``come back``, that is, start the table again. ``on_move``:
    they believe that it is their move.
    ``asks``: they only ask what to do.
    """

    kind: Kind
    words: str = ""
    on_move: bool = False
    asks: bool = False
    form: Mapping[str, str] = field(default_factory=dict)


ENTER, COME_BACK = Act("key"), Act("come back")


COMMANDS_ASIDE = (
    Command.CLOCK_MINE,
    Command.CLOCK_OPPONENT,
    Command.CLOCK_BOTH,
    Command.MOVES,
    Command.LAST_MOVE,
    Command.HELP,
    Command.REPEAT,
    Command.POSITION,
)
COMMANDS_OF_PLAY = (
    Command.OFFER_DRAW,
    Command.RESIGN,
    Command.TAKE_BACK,
    Command.ADJOURN,
    Command.CLAIM_REPETITION,
    Command.CLAIM_FIFTY_MOVES,
    Command.CLAIM_TIME,
    Command.CALL_ARBITER,
    Command.PAUSE,
    Command.CALL_ASSISTANT,
)


@dataclass(frozen=True)
class Person:
    """The languages and habits of one person.

    ``table`` is the language of what everybody hears, and ``announces`` that of announcements; a
    person who sits down there knows both a little. ``people`` are all who sit there, with their
    languages. ``apart``: they get what is for them alone in an earphone. ``whim`` is the chance,
    each time something may be done, that they do something that nobody told them to. ``plies``:
    after so many they are tired, and end the game.
    """

    side: str
    language: str
    table: str
    announces: str
    people: Mapping[str, str]
    apart: bool = False
    whim: float = 0.15
    plies: int = 16


class Robot:
    """Plays the part of ``person``; ``rng`` decides everything that nobody tells."""

    def __init__(
        self, person: Person, rng: random.Random, feel: Callable[[], Mapping[int, str]] | None
    ) -> None:
        """``feel`` gives the pieces that the robot feels on its own board; None without one."""
        self.person = person
        self._feel = feel
        self._touched: set[int] = set()
        self.side = person.side
        self.mind = Mind(person.side, presided=ARBITER in person.people, apart=person.apart)
        self.attempts = 0
        """How often the robot has done the same thing that it was told to do, without effect."""
        self.untold_since: float | None = None
        """Since when nobody has told the robot what to do or whom to wait for, in s."""
        self._unread: list[str] = []  # since it was last told what is due
        self.helped = 0
        """How often the robot had to ask what to do."""
        self._rng = rng
        self._pack = load(person.language)
        self._announcing = load(person.announces)
        codes = dict.fromkeys((person.language, person.table))
        self._known = [vocabulary(code) for code in codes]
        self._native = {who: vocabulary(code) for who, code in person.people.items()}
        self._shown: Mapping[int, str] = {}  # what the robot believes that its board shows
        self._ready_at = 0.0
        self._seen = ""  # the side whose clock ran when the robot looked last
        self._meant: chess.Move | None = None
        self._asked_at = -_ASKS_AGAIN_S
        self._heard_at = 0.0

    # --- what it reads -----------------------------------------------------------------------

    def hear(self, text: str, now: float, *, alone: bool = False) -> None:
        """Take in one line of the table; nobody else does if ``alone``."""
        before = self.mind.due
        self.mind.now, self.mind.alone, self._heard_at = now, alone, now
        self.mind.speakers = [who for who, known in self._native.items() if known.knows(text)]
        if not self._hear_announcement(text):
            for known in self._known:
                sentences = known.read(text)
                if known.knows(text):
                    for one in sentences:
                        words = Words(one, known, self._announcing)
                        self._take(one, words)
                    break
            else:
                if not self._hear_choice(text):
                    self._hear_foreign(text)
        self._think_about(before, now)

    def _think_about(self, before: Due | None, now: float) -> None:
        """Think, if something else is due than ``before``."""
        if self.mind.due != before:
            self._ready_at = now + self._thinks()
            self.attempts = 0
            self._unread.clear()

    def _take(self, one: Heard, words: Words) -> None:
        if not one.keys:
            self._hear_announcement(one.text)
            return
        key = next((key for key in one.keys if key in TOLD), one.keys[0])
        self.mind.last_key = key
        if key in TOLD:
            if key not in MEANWHILE:
                self.mind.asked = None
            TOLD[key](self.mind, words)

    def _hear_announcement(self, text: str) -> bool:
        """Take ``text`` as an announced move, if it is one."""
        if text.endswith((".", "?", "!")):
            return False
        for pack in dict.fromkeys((self._announcing, self._pack)):
            board, move = self.mind.board, pack.understand(text, self.mind.board).move
            spelt = (pack.announce(board, move, edition=one) for one in editions.names() if move)
            if move is not None and text in spelt:
                self.mind.last_key = "announced"
                self.mind.hears_move(move)
                return True
        return False

    def _hear_choice(self, text: str) -> bool:
        """Take ``text`` as a question that names what may be meant, if it is one."""
        for known in self._known:
            if text.endswith("?") and f" {known.pack.sentence('or')} " in text:
                words = Words(Heard(("which",), {}, text), known, self._announcing)
                self.mind.last_key = "which"
                asks("choice")(self.mind, words)
                return True
        return False

    def _hear_foreign(self, text: str) -> None:
        """The sentence is in another person's language: let them do it."""
        self._unread.append(text)
        self.mind.foreign_answer |= bool(self.mind.speakers)
        self.attempts, self._ready_at = 0, max(self._ready_at, self.mind.now + _COURTESY_S)

    def see_press(self) -> None:
        """See what the last act was, before the next one. Who has been told something in another
        language when a hand pressed the clock has completed their move."""
        mind = self.mind
        pressed = mind.foreign_answer and mind.presser == mind.turn
        if pressed and mind.turn != self.side and mind.announced is not None:
            halted = mind.halted
            mind.moves(OTHER[mind.turn])
            mind.halted = halted
        mind.foreign_answer = False

    def sees_end(self, now: float) -> None:
        """The table's process has ended without a word."""
        self.mind.last_key = "killed"
        self.mind.begin_again()
        self.mind.base = Due(ANYBODY, "come back")
        self._ready_at, self.attempts = now + self._thinks(), 0

    def see_clock(self, running: str, now: float) -> None:
        """See the clock of the side ``running`` run; none if it is empty."""
        if running and running != self._seen:
            before = self.mind.due
            self.mind.runs(running)
            self._think_about(before, now)
        self._seen = running

    # --- what it does ------------------------------------------------------------------------

    @property
    def waits_for(self) -> str:
        """Return whom the robot was told to wait for; empty if it has something to do, or knows
        nothing."""
        due = self.mind.due
        return "" if due is None or due.who in ("", ANYBODY, self.side) else due.who

    @property
    def heard_foreign(self) -> bool:
        """Return whether something was told in a language that the robot does not know, since it
        was last told what is due."""
        others = [vocabulary(code) for code in languages()]
        return any(one.knows(text) for text in self._unread for one in others)

    @property
    def announces(self) -> bool:
        """Return whether the robot believes that it has to announce a move."""
        return self.mind.due == Due(self.side, "announce")

    @property
    def untold(self) -> bool:
        """Return whether nobody told the robot what to do or whom to wait for."""
        due = self.mind.due
        return due is None or not due.who

    def act(self, now: float) -> Act | None:
        """Return what the robot does now; None if it does nothing."""
        if not self.untold:
            self.untold_since = None
        elif self.untold_since is None:
            self.untold_since = now
        if now < self._ready_at:
            return None
        self._ready_at = now + self._thinks()
        self.see_press()
        if self.untold:
            return self._ask(now, self.untold_since, _UNTOLD_S)
        due = self.mind.due
        assert due is not None
        if (hands := self._use_hands()) is not None:
            return hands
        if due.who not in (ANYBODY, self.side):
            silence = _WHAT_NOW and self._ask(now, self._heard_at, _SILENCE_S)
            return silence or self._aside()
        whim = self._whim(due)
        if whim is not None:
            return whim
        self.attempts += 1
        return self._do(due)

    def _thinks(self) -> float:
        """Return for how many seconds the robot thinks: now and then for long."""
        return self._rng.uniform(10, 25) if self._rng.random() < 0.03 else self._rng.uniform(1, 6)

    def _ask(self, now: float, since: float | None, patience: float) -> Act | None:
        """Ask what to do if nothing has come since some time, and the robot has not just asked."""
        if self.side not in SIDES or since is None or now - since < patience:
            return None
        if now - self._asked_at < _ASKS_AGAIN_S:
            return None
        self._asked_at = now
        self.helped += 1
        return replace(self._command(_WHAT_NOW or Command.HELP), asks=True)

    def _do(self, due: Due) -> Act | None:
        """Do what was told."""
        match due.what:
            case "press" if self._feel is not None and self._rng.random() < 0.5:
                return Act("hands", f"press {self.side}")
            case "enter" | "open by key" | "press":
                return ENTER
            case "hands":
                steps, self.mind.steps = self.mind.steps, []
                return Act("hands", ", ".join(steps)) if steps and self._feel is not None else None
            case "announce" | "move":
                self._meant = self._chosen()
                return self._say(self._spoken(self._meant))
            case "execute" if self._feel is not None:
                self.attempts = 0  # hands have done it, or do it when they feel what is wrong
                return None
            case "execute":
                move = self.mind.named or self.mind.announced or self._meant
                next_step = "announce" if self.mind.announced is None else "press"
                self.mind.base = Due(self.mind.turn, next_step)
                return None if move is None else Act("line", f"execute {self.side} {move.uci()}")
            case "destination":
                move = self._meant
                if move is None or not self.mind.board.is_legal(move):
                    return self._command(Command.NO)
                return self._say(self._announcing.destination(self.mind.board, move))
            case "promotion":
                piece = (self._meant and self._meant.promotion) or chess.QUEEN
                return self._say(self._announcing.piece_alone(piece))
            case "choice":
                self.mind.asked = None
                return self._say(self._first_choice())
            case "seal":
                move = self.mind.announced or self._chosen()
                words = self._pack.write(self.mind.board, move)
                return replace(self._say(words), kind="write")
            case "answer":
                self.mind.asked = None
                return self._answer()
            case "consent":
                self.mind.consents.discard(self.side)
                return self._command(self._yes_or_no())
            case "resume" | "open by word":
                return self._command(Command.RESUME)
            case "arrive":
                return self._command(Command.CALL_ARBITER)
            case "repeat":
                next_step = "announce" if self.mind.announced is None else "press"
                self.mind.base = Due(self.mind.turn, next_step)
                return self._repeat()
            case "leave" | "quit":
                return self._typed_word("end")
            case "come back":
                return COME_BACK
            case "settle":
                return Act("line", "confirm")
            case "confirm" | "reject" | "start" | "adjourn" | "open":
                return Act("line", due.what)
        raise ValueError(due.what)

    def _use_hands(self) -> Act | None:
        """Return what hands do on the own board to show the position in mind, with the announced
        move (D.2.1). While hands are led, they do nothing of their own."""
        mind = self.mind
        if self._feel is None or mind.led == self.side or mind.halted is not None or mind.steps:
            return None
        if mind.base is None or mind.base.what not in ("announce", "press", "execute"):
            return None
        after = mind.board.copy(stack=False)
        if mind.announced is not None:
            after.push(mind.announced)
        wanted = {at: piece.symbol() for at, piece in after.piece_map().items()}
        felt = self._feel()
        wrong = [at for at in chess.SQUARES if felt.get(at) != wanted.get(at)]
        if not wrong or (self._shown == wanted and mind.content):
            return None
        mind.content, self._shown = True, wanted
        lifts = sorted((at for at in wrong if at in felt), key=lambda at: at in wanted)
        places = {at: wanted[at] for at in wrong if at in wanted}
        self._slip(places, felt)
        steps = [f"lift {chess.square_name(at)}" for at in lifts]
        steps += [f"place {chess.square_name(at)} {piece}" for at, piece in places.items()]
        return Act("hands", ", ".join(steps))

    def _slip(self, places: dict[int, str], felt: Mapping[int, str]) -> None:
        """Now and then, put the piece on a wrong square."""
        if len(places) == 1 and self._rng.random() < self.person.whim / 2:
            (piece,) = places.values()
            free = [at for at in chess.SQUARES if at not in felt and at not in places]
            places.clear()
            places[self._rng.choice(free)] = piece

    def _answer(self) -> Act | None:
        if self._rng.random() < 0.07:
            self._ready_at += 20  # they do not answer
            return None
        return self._command(self._yes_or_no())

    def _yes_or_no(self) -> Command:
        return Command.NO if self._rng.random() < 0.15 else Command.YES

    def _first_choice(self) -> str:
        text = self.mind.question.removesuffix("?")
        for known in self._known:
            link = f" {known.pack.sentence('or')} "
            if link in text:
                return text.split(link)[0].split(", ")[0].rsplit(": ")[-1]
        return text

    def _chosen(self) -> chess.Move:
        """Return the move that the robot has in mind: a legal one, seldom the end of the game."""
        moves = sorted(self.mind.board.legal_moves, key=chess.Move.uci)
        if self.mind.bound:
            self.mind.bound = False
            moves = [one for one in moves if one.from_square in self._touched] or moves
        moves = [one for one in moves if one in self.mind.owed] or moves
        quiet = [one for one in moves if not self._ends_game(one)]
        return self._rng.choice(quiet or moves)

    def _ends_game(self, move: chess.Move) -> bool:
        after = self.mind.board.copy(stack=False)
        after.push(move)
        return after.is_checkmate() or after.is_stalemate()

    def _spoken(self, move: chess.Move) -> str:
        board = self.mind.board
        forms = (
            lambda: self._announcing.announce(board, move),
            lambda: self._pack.announce(board, move),
            lambda: self._pack.write(board, move),
        )
        return self._rng.choice(forms)()

    def _say(self, words: str) -> Act:
        return Act("say", words, on_move=self.side == self.mind.turn)

    def _command(self, command: Command) -> Act:
        """Say a command, after the opening word if the table asks for it."""
        words = self._pack.command(command)
        if self.mind.opens and command not in NEVER_OPENED:
            words = f"{self._pack.opening_word} {words}"
        return self._say(words)

    # --- what nobody told it to do -----------------------------------------------------------

    def _whim(self, due: Due) -> Act | None:
        """Return what the robot does instead of what is due, or before it."""
        mind = self.mind
        if self.side not in SIDES:
            return None
        playing = due.what in ("announce", "press") and due == mind.base
        if playing and mind.offered == OTHER[self.side]:
            return self._answer_offer()
        if playing and len(mind.board.move_stack) >= self.person.plies:
            return self._command(self._rng.choice((Command.RESIGN, Command.OFFER_DRAW)))
        if due.what not in self._whims or self._rng.random() >= self.person.whim:
            return None
        return self._rng.choice(self._whims[due.what])()

    @cached_property
    def _whims(self) -> Mapping[str, Sequence[Callable[[], Act | None]]]:
        """What a robot may do instead of what is due: so people are curious, or mistaken."""
        ask = partial(self._one_of, COMMANDS_ASIDE)
        leaves = partial(self._typed_word, "end")
        playing: list[Callable[[], Act | None]] = [ask, leaves, self._restore]
        playing += [partial(self._command, one) for one in COMMANDS_OF_PLAY]
        return {
            "announce": (
                *(*playing, self._err, self._begin, self._press, self._nonsense),
                *(self._touch, self._press_lever),
            ),
            "press": (
                *playing,
                self._correct,
                partial(self._command, Command.CORRECTION),
                self._execute_other,
                self._nonsense,
            ),
            "enter": (ask, self._move_early, self._nonsense, leaves),
            "seal": (
                *(ask, leaves, self._press, self._err, self._nonsense),
                partial(self._command, Command.RESIGN),
                partial(self._command, Command.SEAL),
            ),
            "open by key": (ask, leaves, self._move_early, partial(self._command, Command.RESUME)),
            "leave": (ask, self._move_early, self._press, partial(self._command, Command.RESIGN)),
            "answer": (ask, self._nonsense, self._move_early, self._press),
            "consent": (ask, self._move_early, self._press),
            "quit": (ask, partial(self._command, Command.SIGN), self._move_early, self._press),
            "resume": (ask, self._move_early, self._press),
        }

    def _aside(self) -> Act | None:
        """Return what the robot says while it waits for somebody."""
        mind = self.mind
        if self.side not in SIDES or mind.over or mind.halted is not None or mind.base is None:
            return None
        if mind.offered == OTHER[self.side]:
            return self._answer_offer()
        if self._rng.random() >= self.person.whim / 4 or mind.base.what not in (
            "announce",
            "press",
        ):
            return None
        whims: tuple[Callable[[], Act | None], ...] = (
            partial(self._one_of, COMMANDS_ASIDE),
            partial(self._command, Command.OFFER_DRAW),
            partial(self._command, Command.CLAIM_TIME),
            partial(self._command, Command.ADJOURN),
            partial(self._command, Command.PAUSE),
            partial(self._command, Command.RESIGN),
            self._repeat,
            self._move_early,
        )
        return self._rng.choice(whims)()

    def _one_of(self, commands: Sequence[Command]) -> Act:
        return self._command(self._rng.choice(commands))

    def _typed_word(self, name: str) -> Act:
        return Act("line", self._pack.typed(name)[0])

    def _press(self) -> Act:
        return ENTER

    def _nonsense(self) -> Act:
        return self._say("hm hm")

    def _move_early(self) -> Act:
        """Announce a move though it is not the time for one."""
        return self._say(self._spoken(self._chosen()))

    def _touch(self) -> Act | None:
        """Lift a piece, and put it back into its hole."""
        if self._feel is None:
            return None
        move, felt = self._chosen(), self._feel()
        at, name = move.from_square, chess.square_name(move.from_square)
        if at not in felt:
            return None
        self._touched = {at}
        return Act("hands", f"lift {name}, place {name} {felt[at]}")

    def _press_lever(self) -> Act | None:
        return None if self._feel is None else Act("hands", f"press {self.side}")

    def _execute_other(self) -> Act | None:
        """Execute another move than the announced one, where nothing feels hands."""
        if self._feel is not None:
            return None
        return Act("line", f"execute {self.side} {self._chosen().uci()}")

    def _restore(self) -> Act:
        """Ask to take back all moves after some ply."""
        ply = self._rng.randrange(len(self.mind.board.move_stack) + 1)
        return Act("line", f"restore {(ply + 1) // 2}{' white' * (ply % 2)}")

    def _answer_offer(self) -> Act | None:
        """Accept the offered draw, decline it, or say nothing."""
        self.mind.offered = ""
        chosen = self._rng.choice((Command.ACCEPT_DRAW, Command.DECLINE_DRAW, None))
        return None if chosen is None else self._command(chosen)

    def _err(self) -> Act | None:
        """Name a move that is not possible."""
        own = chess.Board(self.mind.board.fen())
        own.turn = not own.turn
        moves = [one for one in own.legal_moves if not self.mind.board.is_legal(one)]
        if not moves:
            return None
        return self._say(self._announcing.announce(own, self._rng.choice(moves)))

    def _begin(self) -> Act | None:
        """Name a piece and its square, and not where to."""
        self._meant = move = self._chosen()
        piece = self.mind.board.piece_type_at(move.from_square)
        assert piece is not None
        pack = self._announcing
        return self._say(f"{pack.piece_alone(piece)} {pack.square(move.from_square)}")

    def _correct(self) -> Act | None:
        """Correct what was announced."""
        self._meant = move = self._chosen()
        words = self._announcing.announce(self.mind.board, move)
        return self._say(f"{self._pack.command(Command.CORRECTION)} {words}")

    def _repeat(self) -> Act | None:
        """Repeat the opponent's announcement, or their last move (D.2.1)."""
        board = self.mind.board.copy()
        move = self.mind.named or self.mind.announced
        if (move is None or not board.is_legal(move)) and board.move_stack:
            move = board.pop()
        return None if move is None else self._say(self._announcing.announce(board, move))
