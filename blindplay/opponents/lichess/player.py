"""The opponent at Lichess: follows the game there, sends what is played here, and tells the rest.

What Lichess says is the truth: its moves, its clocks, its offers, its result. A move that is played
here is sent once. It is sent again only when a newer connection has shown that Lichess lacks it.
What needs Lichess's consent, such as a resignation, becomes a fact when Lichess tells of it.
"""

import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import chess

from blindplay.laws import Fact, Game, Origin
from blindplay.laws import facts as f
from blindplay.laws.rulings import ClockReading, Completed, Refused
from blindplay.laws.state import OTHER
from blindplay.wording.values import Written

from ..duties import is_to_choose, rests
from ..player import AbsentPlayer, PlayedTable, Tell
from .account import Account
from .api import (
    USUAL,
    EventLines,
    LichessApi,
    LichessError,
    LimitedError,
    MissingError,
    Patience,
    RefusedError,
    TokenError,
    UnreachableError,
)
from .course import Course, Do, Outcome, Step
from .ending import end_as_told
from .followed import FollowedGame, GameState

ORIGIN = Origin("opponent", (Completed, Refused, ClockReading))
LAG_MS = 2000
"""From how much on it is said that Lichess has charged more time than this table."""
UNPRESSED_S = 2.0
"""Without a clock nobody presses; so long a made move may still be corrected."""
_DECIDED_THERE = (f.CallArbiter, f.RequestExtraTime, f.Seal, f.OpenEnvelope)
_WRONG_BEGINNINGS = ("wrong_start", "reversed_colours", "board_turned", "wrong_clock")


@dataclass(frozen=True)
class _Arrived:
    """A line of the stream; ``opened``: the count at which its connection was opened, if it is the
    first line of it. ``line`` None: the connection was lost."""

    line: Mapping[str, Any] | None
    opened: int | None = None


class LichessPlayer(AbsentPlayer):
    """Plays the game that the Site of the table's record names, for whoever is there."""

    def __init__(self, account: Account, patience: Patience = USUAL) -> None:
        super().__init__()
        self._api = LichessApi(account, patience)
        self._patience = patience
        self._followed = FollowedGame()
        self._course = Course()
        self._count = itertools.count()
        self._inbox: deque[_Arrived] = deque()
        self._asked: deque[str] = deque()
        self._lines: EventLines | None = None
        self._reader = threading.Thread(target=self._read, name="lichess", daemon=True)
        self._before: tuple[chess.Move, ...] = ()
        self._timed: GameState | None = None
        self._made: tuple[int, chess.Move, float] | None = None
        self._first_move_told = -1
        self._not_before = 0.0
        self._offers: frozenset[str] = frozenset()
        self._takebacks: frozenset[str] = frozenset()
        self._gone: bool | None = None
        self._chat_heard = 0
        self._lost = self._greeted = self._stopped = self._ended = False

    # --- what the table asks ---------------------------------------------------------------------

    def sit(self, table: PlayedTable, tell: Tell) -> None:
        assert table.game.setup is not None
        self._id = table.game.setup.site.rsplit("/", 1)[-1]
        super().sit(table, tell)
        self._reader.start()

    def read_chat(self) -> None:
        self._ask("chat")

    def keeps(self, fact: Fact) -> bool:
        if self._reader.ident is None or self._ended or self._table.game.over:
            return False
        asked = self._asked_of_lichess(fact)
        if asked is not None:
            self._ask(asked)
        return asked is not None

    def _ask(self, what: str) -> None:
        self._asked.append(what)
        self._changed.set()

    def _asked_of_lichess(self, fact: Fact) -> str | None:
        """What to ask of Lichess in place of ``fact``; None if it is the table's own."""
        offered = self.side in self._table.game.offers
        if isinstance(fact, f.Arbiter):
            if fact.by == "table":
                return None
            return "takeback/yes" if fact.do == "restore" else "refused"
        if isinstance(fact, f.Resign):
            return "resign"
        if isinstance(fact, f.OfferDraw) or (isinstance(fact, f.AcceptDraw) and offered):
            return "draw/yes"
        if isinstance(fact, f.DeclineDraw):
            taken_back = self.side in self._takebacks
            return "draw/no" if offered else "takeback/no" if taken_back else None
        if isinstance(fact, f.ClaimDraw):
            known = fact.move is None and fact.rule in ("repetition", "fifty_moves")
            return "draw/yes" if known else "refused"
        if isinstance(fact, f.ClaimTime):
            return "claim-victory"
        wrong = isinstance(fact, f.Irregular) and fact.what in _WRONG_BEGINNINGS
        return "refused" if wrong or isinstance(fact, _DECIDED_THERE) else None

    def _release(self) -> None:
        lines = self._lines
        if lines is not None:
            lines.close()
        self._api.close()

    # --- the stream ------------------------------------------------------------------------------

    def _read(self) -> None:
        """Read the stream, and open it again as long as the game is played."""
        failures = 0
        while not (self._closed.is_set() or self._ended or self._stopped):
            try:
                if self._read_once():
                    failures = 0
            except LimitedError:
                self._closed.wait(self._patience.limited_s)
                continue
            except (MissingError, TokenError) as error:
                self._stop(
                    "lichess_no_game" if isinstance(error, MissingError) else "lichess_token"
                )
                return
            except LichessError:
                self._inbox.append(_Arrived(None))
                self._changed.set()
            self._closed.wait(self._patience.before_retry(failures))
            failures += 1

    def _read_once(self) -> bool:
        """Read one connection to its end; give whether more than the first line came."""
        opened: int | None = next(self._count)
        number = 0
        with self._api.stream("GET", f"/api/board/game/stream/{self._id}") as lines:
            self._lines = lines
            if self._closed.is_set():
                return False
            with suppress(UnreachableError):  # it is opened again; that may fail
                for line in lines:
                    number += 1
                    if line is not None:
                        self._inbox.append(_Arrived(line, opened))
                        opened = None
                        self._changed.set()
        return number > 1

    def _stop(self, key: str) -> None:
        if not self._stopped:
            self._stopped = True
            self._tell(key)

    def _doubt(self) -> None:
        """Read the game anew: only a new connection tells what Lichess has."""
        lines = self._lines
        if lines is not None:
            lines.close()

    # --- in the thread of this player ------------------------------------------------------------

    def _consider(self) -> None:
        while self._inbox:
            self._take(self._inbox.popleft())
        while self._asked:
            self._request(self._asked.popleft())
        state = self._followed.state
        if state is not None and not self._ended:
            self._follow(state)

    def _take(self, arrived: _Arrived) -> None:
        line = arrived.line
        if line is None:
            if not self._lost and not self._ended:
                self._lost = True
                self._tell("lichess_lost")
            return
        if self._lost:
            self._lost = False
            self._tell("lichess_back")
        try:
            if arrived.opened is not None:
                self._followed.begin(line, arrived.opened)
                if not self._greeted and not self._begin_here():
                    raise ValueError("another game")
                self._greet()
            elif line.get("type") in ("gameFull", "gameState") and self._followed.state is not None:
                if not self._followed.add(line):
                    self._doubt()
            elif line.get("type") == "opponentGone":
                self._tell_gone(line)
            elif line.get("type") == "chatLine":
                self._tell_of_chat(line)
        except (ValueError, KeyError, TypeError):
            if self._followed.state is None:
                self._stop("lichess_no_game")
            else:
                self._doubt()

    def _greet(self) -> None:
        """Say who the opponent is, and let the clocks run: they do at Lichess."""
        about, table = self._followed.about, self._table
        if self._greeted or about is None:
            return
        self._greeted = True
        person = about.players[self.side]
        rated = "rated" if about.rated else "casual"
        if person.ai is not None:
            self._tell("lichess_plays_ai", number=person.ai)
        elif person.rating is None:
            self._tell("lichess_plays_unknown", name=Written(person.name))
        else:
            self._tell(f"lichess_plays_{rated}", name=Written(person.name), number=person.rating)
        with table.lock:
            game = table.game
            if not game.started:
                self._submit(f.Start())
            elif game.paused == "table" and not game.over:
                self._submit(f.Arbiter(by="table", do="start_clocks"))

    def _submit(self, fact: Fact) -> None:
        self._table.submit(fact, ORIGIN)

    def _request(self, what: str) -> None:
        """Ask something of Lichess, or tell why not. What comes of it, the stream tells."""
        if what == "refused":
            self._tell("lichess_decides")
            return
        try:
            if what == "chat":
                self._read_out_chat()
            else:
                self._api.in_game(self._id, what)
        except LichessError as error:
            self._tell(_why(error))

    def _tell_gone(self, line: Mapping[str, Any]) -> None:
        gone, seconds = bool(line.get("gone")), line.get("claimWinInSeconds")
        if self._ended:
            return
        if gone and isinstance(seconds, int) and seconds <= 0:
            self._tell("lichess_claim")
        elif gone and not self._gone:
            self._tell("lichess_gone")
            if isinstance(seconds, int):
                self._wake(seconds, claims=True)
        elif self._gone and not gone:
            self._tell("lichess_came_back")
        self._gone = gone

    def _tell_of_chat(self, line: Mapping[str, Any]) -> None:
        person = self._followed.about.players[self.side] if self._followed.about else None
        if line.get("room") == "player" and person and line.get("username") == person.name:
            self._tell("lichess_chat_new")

    def _read_out_chat(self) -> None:
        lines = self._api.chat(self._id)
        news = lines[self._chat_heard :]
        self._chat_heard = len(lines)
        for name, text in news:
            self._tell("lichess_chat", name=Written(name), text=Written(text))
        if not news:
            self._tell("lichess_chat_none")

    def _wake(self, seconds: float, *, claims: bool = False) -> None:
        """Consider again after ``seconds``; with ``claims`` the opponent may be gone for good."""

        def wake() -> None:
            if claims and self._gone:
                gone = {"type": "opponentGone", "gone": True, "claimWinInSeconds": 0}
                self._inbox.append(_Arrived(gone))
            self._changed.set()

        timer = threading.Timer(seconds, wake)
        timer.daemon = True
        timer.start()

    # --- following the game ----------------------------------------------------------------------

    def _follow(self, state: GameState) -> None:
        """Do one step; what comes of it leads to the next."""
        with self._table.lock:
            step = self._next()
            if state.ended and (self._table.game.over or step.do is Do.EXECUTE):
                step = Step(Do.NOTHING)
        _DO[step.do](self, state, step)

    def _next(self) -> Step:
        """The next step. Hold the table."""
        game, state = self._table.game, self._followed.state
        assert state is not None

        def is_players(plies: int) -> bool:
            return (self._begins == self.side) is bool(plies % 2)

        return self._course.next(self._here(game), state, self._followed.since, is_players)

    @property
    def _begins(self) -> str:
        about = self._followed.about
        return "white" if about is None or about.start.turn else "black"

    def _here(self, game: Game) -> list[chess.Move]:
        """The moves here, from the beginning of the game at Lichess. Where nobody presses, a made
        move counts when it is not corrected for a while."""
        moves = [*self._before, *(ply.move for ply in game.history)]
        made, plies = game.turn.made, len(game.history)
        if game.clock or made is None:
            return moves
        if self._made is None or self._made[:2] != (plies, made):
            self._made = plies, made, time.monotonic() + UNPRESSED_S
            self._wake(UNPRESSED_S)
        return [*moves, made] if time.monotonic() >= self._made[2] else moves

    def _begin_here(self) -> bool:
        """Find where this table began in the game at Lichess; False if it did not."""
        about, state = self._followed.about, self._followed.state
        assert about is not None and state is not None
        board, goal = about.start.copy(), self._table.game.start_board.fen()
        for played, move in enumerate((*state.moves, None)):
            if board.fen() == goal:
                self._before = state.moves[:played]
                self._course = Course(played + _confirmed(self._table))
                return True
            if move is not None:
                board.push(move)
        return False

    def _send(self, state: GameState, step: Step) -> None:
        rest = self._not_before - time.monotonic()
        if rest > 0:
            return
        about = self._followed.about
        assert about is not None and step.move is not None
        board = about.start.copy(stack=False)
        for move in state.moves:
            board.push(move)
        uci = board.uci(step.move, chess960=about.king_takes_rook)
        outcome = Outcome.UNKNOWN
        try:
            self._api.in_game(self._id, f"move/{uci}")
            outcome = Outcome.TAKEN
        except LimitedError:
            self._tell("lichess_busy")
            self._not_before = time.monotonic() + self._patience.limited_s
            self._wake(self._patience.limited_s)
            return
        except TokenError:
            self._stop("lichess_token")
            return
        except RefusedError:
            outcome = Outcome.REFUSED
        except UnreachableError:
            pass
        self._course.sent(step, outcome, next(self._count))
        if outcome is not Outcome.TAKEN:
            self._doubt()

    def _play_theirs(self, state: GameState, step: Step) -> None:
        move = step.move
        assert move is not None

        def still() -> bool:
            with self._table.lock:
                return is_to_choose(self._table.game, self.side) and self._next() == step

        self._play(move, still)

    def _have_executed(self, state: GameState, step: Step) -> None:
        """The player has moved in another way, such as on a phone: say it for them."""
        player = OTHER[self.side]

        def announce() -> None:
            game = self._table.game
            begun = game.turn.announced is not None or game.turn.made is not None
            if game.side == player and not begun and not rests(game) and self._next() == step:
                self._tell("lichess_moved_elsewhere")
                assert step.move is not None
                self._submit(f.Announce(by=player, move=step.move.uci()))

        self._table.after_hands(announce)

    def _go_back(self, state: GameState, step: Step) -> None:
        ply = step.plies - len(self._before)
        if ply < 0:
            self._stop("lichess_no_game")
            return

        def restore() -> None:
            if self._next() == step and not self._table.game.over:
                self._tell(step.why)
                self._submit(f.Arbiter(do="restore", ply=ply))
                self._course.went_back(step.plies)
                self._timed = None

        self._table.after_hands(restore)

    def _keep_up(self, state: GameState, step: Step) -> None:
        """Both show the same moves: take over clocks, offers and the end."""
        with self._table.lock:
            game = self._table.game
            if not game.over:
                self._set_clocks(game, state)
                self._take_offers(game, state)
            if state.ended:
                self._ended = True
                end_as_told(game, state, self._submit, self._tell)
        self._take_takebacks(state)

    def _set_clocks(self, game: Game, state: GameState) -> None:
        if not game.clock or state is self._timed:
            return
        player, plies = OTHER[self.side], len(state.moves)
        left = dict(state.left)
        runs = self._begins if plies % 2 == 0 else OTHER[self._begins]
        if plies > 1 and not state.ended:
            passed = round((time.monotonic() - state.received) * 1000)
            left[runs] = max(0, left[runs] - passed)
        late = game.clock.left[player] - left[player]
        if runs != player and plies > 2 and self._timed is not None and late >= LAG_MS:
            self._tell("lichess_lag", time=timedelta(milliseconds=late))
        self._timed = state
        self._submit(f.Arbiter(do="set_clock", white=left["white"], black=left["black"]))
        if state.first_move and runs == player and self._first_move_told != plies:
            self._first_move_told = plies
            seconds = timedelta(seconds=round(state.first_move / 1000))
            self._tell("lichess_first_move", time=seconds)

    def _take_offers(self, game: Game, state: GameState) -> None:
        if state.ended:
            return
        for side in sorted(state.offers - self._offers - game.offers):
            self._submit(f.OfferDraw(by=side))
        for side in sorted(game.offers - state.offers):
            self._submit(f.DeclineDraw(by=OTHER[side]))
        self._offers = state.offers

    def _take_takebacks(self, state: GameState) -> None:
        player, before = OTHER[self.side], self._takebacks
        self._takebacks = state.takebacks
        if state.ended:
            return
        if self.side in state.takebacks - before:
            self._tell("lichess_takeback_asked")
        if player in state.takebacks - before:
            self._tell("lichess_takeback_sent")


_DO: Mapping[Do, Callable[[LichessPlayer, GameState, Step], None]] = {
    Do.NOTHING: LichessPlayer._keep_up,
    Do.WAIT: lambda player, state, step: None,
    Do.READ_ANEW: lambda player, state, step: player._doubt(),
    Do.SEND: LichessPlayer._send,
    Do.PLAY: LichessPlayer._play_theirs,
    Do.EXECUTE: LichessPlayer._have_executed,
    Do.GO_BACK: LichessPlayer._go_back,
}


def _confirmed(table: PlayedTable) -> int:
    """How many plies of a continued game Lichess has had: it has told of the clocks after them."""
    plies = len(table.game.history)
    for taken in reversed(table.log):
        if isinstance(taken.fact, f.Arbiter) and taken.fact.do == "set_clock":
            return plies
        plies -= sum(isinstance(ruling, Completed) for ruling in taken.rulings)
    return 0


def _why(error: LichessError) -> str:
    """The sentence about a request that failed."""
    kinds = {
        LimitedError: "lichess_busy",
        TokenError: "lichess_token",
        UnreachableError: "lichess_unreached",
    }
    return kinds.get(type(error), "lichess_refuses")
