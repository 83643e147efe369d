"""Killing a table at random moments, and checking that nothing of the game is lost.

A table with two boards, keys, a microphone and a console plays random games. Its process is killed
(SIGKILL, or its counterpart on the system) at a random moment, sometimes while it starts, and
another process resumes the journal. These checks follow each kill:

- The journal holds every printed ruling, in its order, and every completed move.
- The journal holds a fact for every request of the console that was answered.
- Every completed move but the last stands on both sheets.
- The clocks continue near the times that they showed at the kill. The time of the kill comes from
  the time stamps that the table prints, which are rounded to a tenth of a second.
"""

import contextlib
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import chess
import httpx

from blindplay.boards.peg.emulator import EmulatedBoard
from blindplay.language import load
from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.placement import Pieces, pieces_of, read_placement
from blindplay.laws.state import OTHER
from blindplay.record import JournalError, read_journal
from blindplay.speech.synthesis import Synthesiser
from blindplay.table.desk import plain
from blindplay.wording.pack_words import PackWords
from tests import ROOT
from tests.ports import free_port
from tests.waiting import PATIENCE_S

from .visitor import OpenedPage

_PLIES = 24  # of a game
_IDLE_LIVES = 15  # without a move: the game is given up
_PATIENCE_S = 4.0  # a person waits so long for an answer
_READY_S = 60.0
_WHOSE = "owners: known False"
_RUNS = ("clock: running white", "clock: running black")
_STAMP = re.compile(r"(\d+\.\d) (.*)")
_COMPLETED = re.compile(r"ruled completed: by \w+; move (\w+); ply (\d+)")


@dataclass
class CrashFigures:
    """The results of all kills."""

    kills: int = 0
    while_starting: int = 0
    rulings: int = 0  # printed before a kill
    unprinted: int = 0  # in the journal, but killed before they were printed
    torn: int = 0  # journals with an incomplete last line
    requests: int = 0  # of the console, answered
    moves: int = 0
    games: int = 0
    given_up: int = 0  # games without a completed move in many lives
    heard: int = 0  # announcements that the microphone heard and the table understood
    back: list[float] = field(default_factory=list)  # ms that a kill gave back to the clock
    dead: list[float] = field(default_factory=list)  # s from a kill to the next process
    faults: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """Yield the figures, a line each."""
        yield (
            f"Kills: {self.kills}, {self.while_starting} of them while the table started; "
            f"{self.games} games, {self.given_up} of them given up; {self.moves} moves completed, "
            f"{self.heard} announcements heard."
        )
        yield (
            f"Printed rulings that the journals must hold: {self.rulings}; they hold "
            f"{self.unprinted} more. Answered requests of the console: {self.requests}. Journals "
            f"with an incomplete last line: {self.torn}."
        )
        if self.back:
            back, dead = sorted(self.back), sorted(self.dead)
            yield (
                f"Time that a kill gave back to the running clock, {len(back)} times measured (to "
                f"50 ms): median {back[len(back) // 2]:.0f} ms, 99 of 100 within "
                f"{back[len(back) * 99 // 100]:.0f} ms, at most {back[-1]:.0f} ms, at least "
                f"{back[0]:.0f} ms; no table ran for {dead[0]:.1f} to {dead[-1]:.1f} s."
            )
        yield f"Faults: {len(self.faults)}."
        yield from self.faults


class _Life:
    """One process of the table, and the lines that it prints."""

    def __init__(self, wanted: dict[str, object], errors: Path) -> None:
        self.born = time.monotonic()
        self.lines: list[str] = []
        self.origin: float | None = None  # when the table's time was 0, as its stamps tell
        self._new = threading.Condition()
        with errors.open("ab") as complaints:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.endurance.victim", json.dumps(wanted)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                cwd=ROOT,
            )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            now = time.monotonic()
            if not line.endswith(b"\n"):
                break  # it was killed while it printed the line
            text = line.decode("utf-8").rstrip()
            stamp = _STAMP.fullmatch(text)
            with self._new:
                if stamp is not None:
                    origin = now - float(stamp[1])
                    self.origin = origin if self.origin is None else min(self.origin, origin)
                self.lines.append(stamp[2] if stamp is not None else text)
                self._new.notify_all()
        with self._new:
            self._new.notify_all()

    def type(self, line: str) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()

    def await_ruling(self, *starts: str, seconds: float = _PATIENCE_S, since: int = 0) -> bool:
        """Return whether a ruling after the first ``since`` that starts so is printed in time."""

        def found() -> bool:
            return any(ruling.startswith(starts) for ruling in self.ruled()[since:])

        with self._new:
            self._new.wait_for(lambda: found() or self.process.poll() is not None, seconds)
            return found()

    def kill(self) -> float:
        """Kill the process. Return the time, in monotonic seconds."""
        now = time.monotonic()
        self.process.kill()
        self.process.wait()
        self._reader.join()
        with self._new:  # there will be no ruling to wait for
            self._new.notify_all()
        with contextlib.suppress(OSError), self.process:
            pass  # its pipes are closed
        return now

    def ruled(self) -> list[str]:
        return [line.removeprefix("ruled ") for line in self.lines if line.startswith("ruled ")]


class _Players:
    """The people at the table, with their boards. They survive the process that is killed."""

    def __init__(self, folder: Path, seed: int, seen: CrashFigures, longest: float) -> None:
        self.seen = seen
        self.longest = longest  # s that a process may live while people play
        self.rng = random.Random(seed)
        self.folder = folder
        self.pack = load("de")
        self.sounds = folder / "sounds"
        self.sounds.mkdir()
        self.boards: dict[str, EmulatedBoard] = {}
        self.synthesiser = Synthesiser("de", spellings=self.pack.spoken)
        self.page: OpenedPage | None = None
        self.down = 0.0  # s from the last kill to the next process
        self.port = free_port()
        self.new_game()

    def new_game(self) -> None:
        self.seen.games += 1
        self.journal = self.folder / f"game-{self.seen.games}.jsonl"
        self.setup: dict[str, object] | None = {
            "t": 0, "fact": "setup", "time_control": "5400+30", "arbiter": "automatic",
            "white": {"impaired": True, "name": "Anna", "assistant": True},
            "black": {"name": "Bert"},
        }  # fmt: skip
        self.taken = 0  # facts that earlier processes have written
        self.answered = 0  # requests of the console in this game
        self.completed: list[str] = []  # moves that were printed as completed
        self.leave()
        self.boards = {side: EmulatedBoard() for side in f.SIDES}
        self.game: Game | None = None

    def leave(self) -> None:
        for board in self.boards.values():
            board.close()
        self.boards = {}
        if self.page is not None:
            self.page.client.close()
            self.page = None

    def close(self) -> None:
        self.leave()
        self.synthesiser.close()

    # --- a life ----------------------------------------------------------------------------

    def live(self, with_microphone: bool) -> tuple[_Life, float]:
        """Start a process and kill it. Return it, and the time of the kill."""
        wanted: dict[str, object] = {
            "journal": str(self.journal),
            "setup": self.setup,
            "boards": [self.boards[side].url for side in f.SIDES],
            "port": self.port,
            "sounds": str(self.sounds) if with_microphone else None,
        }
        life = _Life(wanted, self.folder / "errors.txt")
        if self.setup is None and self.rng.random() < 0.15:
            time.sleep(self.rng.uniform(0, 3))
            self.seen.while_starting += 1
            return life, life.kill()
        hands = threading.Thread(target=self._play, args=(life, with_microphone), daemon=True)
        hands.start()
        goes = life.await_ruling(*_RUNS, seconds=_READY_S)
        if not goes and life.process.poll() is None:
            self.seen.faults.append(f"{self.journal.name}: no game ran within {_READY_S} s")
        if self.seen.kills % 3 == 1:  # a slow machine, too, gets some moves done before its kills
            life.await_ruling("completed", seconds=PATIENCE_S)
        time.sleep(self.rng.uniform(0.05, self.longest))
        killed = life.kill()
        hands.join(timeout=PATIENCE_S)
        return life, killed

    def _play(self, life: _Life, with_microphone: bool) -> None:
        """Play until the process is dead."""
        with contextlib.suppress(OSError, ValueError, httpx.HTTPError, JournalError):
            if self.game is not None:
                for side in f.SIDES:
                    self._arrange(side, self.game.position_pieces())
            if life.await_ruling(*_RUNS, _WHOSE, seconds=_READY_S) and life.await_ruling(
                _WHOSE, seconds=0
            ):
                self._show_whose()
            if not life.await_ruling(*_RUNS, seconds=_READY_S):
                return
            if self.page is None:
                self._come_in(life)
            if self.game is not None and self.game.turn.made is not None:
                self.boards["white"].press(_levered(self.game.side))
                life.await_ruling("completed")
            while life.process.poll() is None:
                game = _fold(read_journal(self.journal).facts)
                if game.over:
                    return
                self._ply(life, game, with_microphone)

    def _ply(self, life: _Life, game: Game, with_microphone: bool) -> None:
        side, other = game.side, OTHER[game.side]
        move = game.turn.announced or self._chosen(game)
        words = self.pack.announce(game.board, move)
        ruled = partial(life.await_ruling, since=len(life.ruled()))
        if game.turn.announced is None:
            spoken = with_microphone and side == "white"
            if spoken:
                self._speak(words)
            if spoken and ruled("announced:"):
                self.seen.heard += 1
            else:
                life.type(f"{side}: {words}")
                ruled("announced:")
        asks = self.rng.random() < 0.5
        if asks and self.page and self.page.send({"act": "query", "about": "moves"}):
            self.answered += 1
            self.seen.requests += 1
        for hand in (side, other):
            self._arrange(hand, pieces_of(game.after(move)))
        ruled("made:")
        if self.rng.random() < 0.3:
            life.type(f"{other}: {words}")
        self.boards["white"].press(_levered(side))
        ruled("completed:")

    def _chosen(self, game: Game) -> chess.Move:
        """A legal move that does not end the game; always the same one in the same position."""
        rng = random.Random(f"{self.seen.games} {len(game.history)}")
        moves = sorted(game.board.legal_moves, key=str)
        quiet = [move for move in moves if not game.after(move).is_game_over()]
        bound = [move for move in quiet if move.from_square in game.turn.touched]
        return rng.choice(bound or quiet or moves)

    def _arrange(self, side: str, wanted: Pieces) -> None:
        """Bring a board to a position; remove the wrong pieces first."""
        board = self.boards[side]
        shown = read_placement(board.placement)
        # Touch the king first: after touching the rook first nobody may castle (4.4.2).
        for square in sorted(shown, key=lambda at: shown[at] not in "Kk"):
            if wanted.get(square) != shown[square]:
                board.lift(chess.square_name(square))
        for square in sorted(wanted):
            if wanted[square] != shown.get(square):
                board.place(chess.square_name(square), str(wanted[square]))

    def _show_whose(self) -> None:
        """Lift the own king of each board and put it back, as the table asks: the ports of two
        boards without serial numbers may have been exchanged."""
        for side, board in self.boards.items():
            own = "K" if side == "white" else "k"
            pieces = read_placement(board.placement)
            (king,) = (at for at, one in pieces.items() if str(one) == own)
            name = chess.square_name(king)
            board.place(name, board.lift(name))

    def _speak(self, words: str) -> None:
        rendered = self.synthesiser.render(words, rate=140)
        name = self.sounds / f"{time.monotonic_ns()}"
        name.with_suffix(".part").write_bytes(rendered.read_bytes())
        name.with_suffix(".part").replace(name.with_suffix(".wav"))

    def _come_in(self, life: _Life) -> None:
        """Open the first page of the console whose link is printed."""
        links = (re.search(r"http://\S+#\S+", line) for line in life.lines)
        if link := next(filter(None, links), None):
            with contextlib.suppress(httpx.HTTPError):  # killed before it could answer
                self.page = OpenedPage(link[0], timeout=_PATIENCE_S)

    # --- after the kill --------------------------------------------------------------------

    def examine(self, life: _Life, killed: float, before: tuple[Game, float] | None) -> None:
        """Compare the journal with what the table has printed and answered."""
        seen, name = self.seen, f"{self.journal.name}, kill {self.seen.kills}"
        told = life.ruled()
        contents = read_journal(self.journal) if self.journal.exists() else None
        if contents is None or not contents.facts:
            if told:
                seen.faults.append(f"{name}: rulings were printed, but there is no journal")
            return
        facts = contents.facts
        seen.torn += contents.torn
        if contents.trouble and not contents.torn:
            seen.faults.append(f"{name}: {contents.trouble}")
        self.setup = None
        game = _fold(facts[: self.taken])
        kept = [plain(one) for fact in facts[self.taken :] for one in game.apply(fact)]
        if kept[: len(told)] != told:
            at = next((i for i, one in enumerate(told) if kept[i : i + 1] != [one]), len(told))
            seen.faults.append(f"{name}: printed, but not in the journal: {told[at : at + 1]}")
        seen.rulings += len(told)
        seen.unprinted += len(kept) - len(told)
        for line in life.lines:
            if found := _COMPLETED.match(line):
                del self.completed[int(found[2]) - 1 :]
                self.completed.append(found[1])
                seen.moves += 1
        played = [ply.move.uci() for ply in game.history]
        if played[: len(self.completed)] != self.completed:
            seen.faults.append(f"{name}: completed {self.completed}, in the journal {played}")
        self.completed = played
        for side, sheet in game.sheets.items():
            # After a kill between a move and its entries, the next process writes the entries.
            lacking = [ply for ply in range(1, len(played)) if ply not in sheet]
            if lacking:
                seen.faults.append(f"{name}: {side}'s sheet lacks {lacking}")
        queries = sum(isinstance(one, f.Query) and one.by != "white" for one in facts)
        if queries < self.answered:
            seen.faults.append(
                f"{name}: {self.answered} requests answered, {queries} in the journal"
            )
        if before is not None and len(facts) > self.taken:
            self._compare_clocks(before, facts, killed)
        self.taken = len(facts)
        self.game = game

    def _compare_clocks(self, before: tuple[Game, float], facts: list[Fact], killed: float) -> None:
        """Compare the clock at the last kill with the clock from which this process continued."""
        then, at = before
        side = then.clock.running
        first = facts[self.taken]
        if side is None or not isinstance(first, f.Arbiter) or then.over:
            return
        left = then.clock.left[side] - max(0.0, at - then.t)
        gone_on = _fold(facts[: self.taken + 1]).clock.left[side]
        self.seen.back.append(gone_on - left)
        self.seen.dead.append(self.down)


def _levered(side: str) -> Literal["white", "black"]:
    return "white" if side == "white" else "black"


def _fold(facts: list[Fact]) -> Game:
    game = Game(PackWords())
    for fact in facts:
        game.apply(fact)
    return game


def crash(
    kills: int,
    *,
    seed: int = 1,
    heard: float = 0.2,
    longest: float = 4.0,
    progress: Callable[[str], None] = print,
) -> CrashFigures:
    """Kill a table so many times, each at most ``longest`` seconds after the game has started or
    continued. The share ``heard`` of the processes has a microphone."""
    seen = CrashFigures()
    with tempfile.TemporaryDirectory(prefix="blindplay-crash-") as name:
        players = _Players(Path(name), seed, seen, longest)
        before: tuple[Game, float] | None = None
        last, idle, grown = 0.0, 0, 0
        try:
            while seen.kills < kills:
                life, killed = players.live(players.rng.random() < heard)
                seen.kills += 1
                players.down = life.born - last
                players.examine(life, killed, before)
                last = killed
                before = None
                if players.game is not None and life.origin is not None:
                    before = players.game, (killed - life.origin) * 1000
                plies = 0 if players.game is None else len(players.game.history)
                idle = idle + 1 if plies == grown else 0
                grown = plies
                seen.given_up += idle == _IDLE_LIVES
                ended = players.game is not None and players.game.over
                if ended or plies >= _PLIES or idle == _IDLE_LIVES:
                    players.new_game()
                    before, idle, grown = None, 0, 0
                if seen.kills % 20 == 0:
                    progress(f"{seen.kills} kills, {len(seen.faults)} faults.")
        finally:
            players.close()
    return seen
