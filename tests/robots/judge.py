"""The judge of the games of robots: plays one from a seed, and tells who got stuck, and why.

A robot is stuck if nobody told it what to do for :data:`PATIENCE_S` of the game's time, if it did
what it was told and was refused, or if it waits for somebody who waits, too, or is not there.
"""

from __future__ import annotations

import random
import traceback
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import chess

from blindplay.conversation import OpeningWord
from blindplay.laws import Game as PlayedGame
from blindplay.laws import facts as f
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.record import files, read_journal
from blindplay.wording.pack_words import PackWords
from tests.table.sitting import ManualClock

from .channels import EVERYBODY, Game, PegBoard, People, Room, Terminal
from .fingers import READER, Fingers
from .mind import ARBITER
from .pages import PageRobot, Pages
from .process import Process
from .robot import COME_BACK, ENTER, Act, Person, Robot

PATIENCE_S = 60.0
"""Seconds of the game's time for which a robot may be left without a word."""
_ATTEMPTS = 4  # to do the same thing that was told, all of them without effect
_LONGEST_S = 3_000.0
_KILLS = 0.004  # the chance of a kill, each second
_AWAY_S = 30.0
_MISTAKEN_S = 20.0
"""Seconds of the game's time within which the table must put right what a robot believes."""
_QUIET_S = 20.0  # after a game whose pages stay

CHANNELS = ("terminal", "room", "pages", "braille")
"""The lines of a terminal, the sentences of a voice, pages with a screen reader, and a Braille line
of 20 cells. There is also a "process": a terminal of a process of its own."""
LANGUAGES = ("en", "de", "nb", "sv", "da")
CONTROLS = ("-", "300", "300+5", "60", "5400+30")


@dataclass(frozen=True)
class Stuck:
    """A robot that got stuck: the ``cause`` in words, and the lines of the game."""

    cause: str
    transcript: str


@dataclass
class Told:
    """The outcome of one game."""

    seed: int
    stuck: Stuck | None = None
    plies: int = 0
    asked: int = 0
    """How often somebody had to ask what to do."""
    ended: bool = False


def channel_of(
    name: str,
    game: Game,
    clock: ManualClock,
    boards: Mapping[str, PegBoard],
    languages: Mapping[str, str],
    *,
    earphone: bool,
) -> People:
    """The channel with this name of :data:`CHANNELS`."""
    if name == "terminal":
        return Terminal(game, clock, boards)
    if name == "process":
        return Process(game)
    if name == "room":
        return Room(game, clock, boards, earphone=earphone)
    if name == "braille":
        return Fingers(game, clock, boards)
    pages = Pages(game, clock, boards)
    pages.languages = languages
    return pages


class Judge:
    """Lets robots play one game from ``seed`` in ``folder``."""

    def __init__(self, folder: Path, seed: int, channel: str = "terminal") -> None:
        self._rng = rng = random.Random(seed)
        self.told = Told(seed)
        self._clock = ManualClock()
        table = rng.choice(LANGUAGES)
        self._presided = rng.random() < 0.3
        impaired = rng.choice((("white",), ("black",), SIDES, ()))
        deaf = READER if channel == "braille" else ""
        if deaf:
            impaired = (READER,)
        languages = {side: rng.choice(LANGUAGES) for side in SIDES}
        if rng.random() < 0.5:
            languages = dict.fromkeys(SIDES, table)
        players = {
            side: Player(
                name=side,
                impaired=side in impaired,
                hearing_impaired=side == deaf,
                language=languages[side],
            )
            for side in SIDES
        }
        announce_in = rng.choice(("de", table))
        setup = Setup(
            id=f"robots-{seed}",
            time_control=rng.choice(CONTROLS),
            arbiter="present" if self._presided else "automatic",
            announce_in=announce_in,
            white=players["white"],
            black=players["black"],
        )
        training = not self._presided and rng.random() < 0.3
        opening_word = rng.choice(list(OpeningWord)) if channel == "room" else OpeningWord.OPTIONAL
        self._path = folder / f"robots-{channel}-{seed}.jsonl"
        game = Game(self._path, setup, table, training, opening_word)
        earphone = rng.random() < 0.5
        apart = impaired[0] if impaired else "white"
        apart = apart if channel == "room" and earphone else ""
        boards = {} if channel == "process" else self._boards(impaired)
        self._channel = channel_of(channel, game, self._clock, boards, languages, earphone=earphone)
        plies = rng.randrange(6, 20)
        spoken = languages | ({ARBITER: table} if self._presided else {})
        people = [
            Person(who, language, table, announce_in, spoken, who == apart, plies=plies)
            for who, language in spoken.items()
        ]
        self._seat(
            [self._robot(one, boards.get(one.side)) for one in people],
            f"Seed {seed}, table in {table}, {setup.time_control}, arbiter {setup.arbiter}, "
            f"impaired {impaired}, languages {languages}, announced in {announce_in}, "
            f"training {training}, {channel}, opening word {opening_word}, "
            f"earphone {earphone}, boards {list(boards)}.",
        )

    def _seat(self, robots: list[Robot], told: str) -> None:
        """Let ``robots`` sit down; ``told`` heads the transcript."""
        self.robots, self._lines = robots, [told]
        self._kills = self._rng.random() < 0.5
        self._had: set[str] = set()
        self._began = self._acted = self._clock.at
        self._mistaken: dict[str, float] = {}  # since when robots believe in another position

    def _boards(self, impaired: Collection[str]) -> dict[str, PegBoard]:
        """Return the boards with sensors: mostly none, else those of some players who do not see,
        or both. Sometimes a piece stands wrong."""
        rng = self._rng
        if not impaired or rng.random() < 0.5:
            return {}
        boards = {}
        for side in rng.choice((SIDES, tuple(impaired))):
            boards[side] = PegBoard(self._pieces(), self._clock)
        return boards

    def _pieces(self) -> dict[int, str]:
        """Return the pieces on a board before the game; sometimes one is missing."""
        pieces = {at: one.symbol() for at, one in chess.Board().piece_map().items()}
        if self._rng.random() < 0.3:
            pieces.pop(self._rng.choice(list(pieces)))
        return pieces

    def _robot(self, person: Person, board: PegBoard | None) -> Robot:
        channel, rng = self._channel, random.Random(self._rng.random())
        feel = None if board is None else lambda: board.pieces
        if isinstance(channel, Pages) and person.side in channel.languages:
            return PageRobot(person, rng, feel, lambda: channel.page(person.side))
        return Robot(person, rng, feel)

    @property
    def _now(self) -> float:
        return self._clock.at

    def play(self) -> Told:
        """Play the game, to its end or until a robot is stuck."""
        told = self.told
        try:
            with patch.object(files, "sync"):  # no power cut is tested, so nothing waits for a disk
                self._play()
        except Exception as error:  # the transcript shows how it came about
            trace = traceback.format_exc()
            told.stuck = Stuck(f"error: {error!r}", f"{self.transcript}\n{trace}")
        finally:
            told.plies = len(self.robots[0].mind.board.move_stack)
            told.asked = sum(one.helped for one in self.robots)
            if self._channel.open:
                self._channel.kill()
        return told

    def _play(self) -> None:
        self._channel.start()
        while not self.told.ended and self.told.stuck is None:
            self._second()
            cause = next(self._causes(), None)
            if cause is not None:
                self.told.stuck = Stuck(cause, self.transcript)

    def happened(self) -> set[str]:
        """Return what the game had, as its journal and its people tell."""
        game, had = PlayedGame(PackWords()), set(self._had)
        for fact in read_journal(self._path).facts:
            by = f" {fact.do}" if isinstance(fact, f.Arbiter) else ""
            had.add(f"fact {fact.kind}{by}")
            had |= {f"ruling {ruling.kind}" for ruling in game.apply(fact)}
        setup = game.setup
        assert setup is not None
        if len({"", setup.white.language, setup.black.language}) == 3:
            had.add("two languages")
        return had | {f"arbiter {setup.arbiter}"}

    @property
    def transcript(self) -> str:
        """Return everything that was typed and printed."""
        return "\n".join(self._lines)

    def _note(self, text: str) -> None:
        self._lines.append(f"{self._now - self._began:7.1f} {text}")

    # --- a second ----------------------------------------------------------------------------

    def _second(self) -> None:
        self._clock.at += 1
        quiet = self._now - self._acted > _QUIET_S
        self.told.ended = self._channel.is_left and (quiet or not self._channel.open)
        if self._channel.open:
            self._channel.second()
            self._listen()
            self._look()
            if self._kills and self._rng.random() < _KILLS:
                self._kill()
        for robot in self._rng.sample(self.robots, len(self.robots)):
            if self._channel.busy or self.told.ended:
                return
            if self._channel.has_more(robot.side):
                continue
            act = robot.act(self._now)
            if act is not None:
                self._do(robot, act)

    def _kill(self) -> None:
        self._had.add("killed")
        self._note("*** The process is killed.")
        self._channel.kill()
        for robot in self.robots:
            robot.sees_end(self._now)

    def _do(self, robot: Robot, act: Act) -> None:
        self._acted = self._acted if act.asks else self._now
        if not self._channel.open:
            if act is COME_BACK:
                self._clock.at += self._rng.uniform(0, _AWAY_S)
                self._had.add("come back")
                self._note(f"*** {robot.side} starts the table again.")
                self._channel.start()
                self._listen()
            else:
                robot.sees_end(self._now)  # nothing answers
            return
        if act is COME_BACK:
            self._channel.await_end()
            return
        for one in self.robots:
            one.see_press()
            mind = one.mind
            mind.actor, mind.acted_at, mind.actor_asks = robot.side, self._now, act.asks
            lever = robot.side if act.words == f"press {robot.side}" else ""
            mind.presser = mind.turn if act == ENTER else lever
        place = len(self._lines)
        done = self._channel.do(robot.side, act)
        self._listen()
        self._lines.insert(place, f"{self._now - self._began:7.1f} {robot.side} {done}")

    def _look(self) -> None:
        """Let those who see look at the clock, if there is one to be seen."""
        if not self._channel.shows_clock:
            return
        game = self._channel.state
        for robot in self.robots:
            if robot.side == ARBITER or not game.impaired(robot.side):
                robot.see_clock(game.clock.running or "", self._now)

    def _listen(self) -> None:
        for who, line in self._channel.told():
            alone = isinstance(who, str)
            people = f"to {who} alone: " if isinstance(who, str) else f"to {', '.join(who)}: "
            self._note(f"    {'' if who == EVERYBODY else people}{line}")
            for robot in self.robots:
                if robot.side == who or (not alone and robot.side in who):
                    robot.hear(line, self._now, alone=alone)

    # --- the verdict -------------------------------------------------------------------------

    def _causes(self) -> Iterator[str]:
        """Yield why robots are stuck now, in words."""
        for robot in self.robots:
            due, since = robot.mind.due, robot.untold_since
            if robot.attempts >= _ATTEMPTS and due is not None:
                who = "arbiter" if robot.side == ARBITER else "player"
                what = f"the {who} has to {due.what}"
                yield f"did what it was told and was refused: {what}, {self._last_told(robot)}"
            if since is not None and self._now - since > PATIENCE_S and self._channel.open:
                yield f"not told what to do, {self._last_told(robot)}"
        if self._now - self._acted > PATIENCE_S:
            yield from self._deadlocks()
        if self._now - self._began > _LONGEST_S:
            yield "the game does not end"
        if self._channel.open:
            yield from self._misbeliefs()

    def _deadlocks(self) -> Iterator[str]:
        """Everybody waits for somebody, who waits, too, or is not there."""
        waiting = {robot.waits_for: robot for robot in self.robots}
        if "" in waiting:
            return
        told = min(map(self._last_told, self.robots))
        for who in sorted(waiting.keys() - {robot.side for robot in self.robots}):
            due = waiting[who].mind.due
            assert due is not None
            yield f"waits for the {who}, who is not there, to {due.what}, {told}"
        dues = {one.mind.due.what for one in self.robots if one.mind.due is not None}
        yield f"wait for each other to {', '.join(sorted(dues))}, {told}"

    def _last_told(self, robot: Robot) -> str:
        if robot.heard_foreign:
            return "and was told something in a language that it does not know"
        return f"last told {robot.mind.last_key}"

    def _misbeliefs(self) -> Iterator[str]:
        """A robot that wants to move in another position than the table's was not told a move."""
        for robot in self.robots:
            if not robot.announces or self._channel.has_more(robot.side):
                self._mistaken.pop(robot.side, None)
                continue
            game = self._channel.state
            shown = (game.board, game.position)
            if game.over or any(chess.BaseBoard.__eq__(robot.mind.board, one) for one in shown):
                self._mistaken.pop(robot.side, None)
            elif self._now - self._mistaken.setdefault(robot.side, self._now) > _MISTAKEN_S:
                yield f"moves in another position than the table's, {self._last_told(robot)}"
