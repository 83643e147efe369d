"""The opponent at Lichess: follows the game there, sends the moves from here, and reports events.

Lichess decides: its moves, its clocks, its offers and its result count. A move that is played here
is sent once. It is sent again only when a newer connection has shown that Lichess lacks it. An
action that needs Lichess's consent, such as a resignation, becomes a fact when Lichess tells of it.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

import chess

from blindplay.laws import Fact, Game, Origin
from blindplay.laws import facts as f
from blindplay.laws.rulings import ClockReading, Completed, Refused
from blindplay.laws.state import LOSES, OTHER
from blindplay.wording.values import Tell, Written

from ..player import ORIGIN, AbsentPlayer, PlayedTable, WriteAccess, is_to_choose, rests
from .api import (
    USUAL,
    Account,
    GameStream,
    LichessApi,
    LichessError,
    LimitedError,
    LostLineError,
    RefusedError,
    StreamLine,
    TokenError,
    Waits,
)
from .followed import Course, Do, DueStep, GameState, Sending, ServedGame

REFUSED = "refused"
"""It is for Lichess to decide, and cannot be asked for."""
_DECIDED_THERE = (f.CallArbiter, f.RequestExtraTime, f.Seal, f.OpenEnvelope)
_WRONG_BEGINNINGS = ("wrong_start", "reversed_colours", "board_turned", "wrong_clock")


def lichess_request(fact: Fact, game: Game, player: str, takebacks: frozenset[str]) -> str | None:
    """The request, as the end of its address, or :data:`REFUSED`; None if ``fact`` is decided here.
    ``takebacks``: the sides that ask to take back."""
    offered = OTHER[player] in game.offers
    match fact:
        case f.Arbiter(by="table"):
            return None
        case f.Arbiter():
            return "takeback/yes" if fact.do == "restore" else REFUSED
        case f.Resign():
            return "resign"
        case f.OfferDraw():
            return "draw/yes"
        case f.AcceptDraw():
            return "draw/yes" if offered else None
        case f.DeclineDraw():
            return "draw/no" if offered else "takeback/no" if OTHER[player] in takebacks else None
        case f.ClaimDraw(move=None, rule="repetition" | "fifty_moves"):
            return "draw/yes"
        case f.ClaimDraw():
            return REFUSED
        case f.ClaimTime():
            return "claim-victory"
    wrong = isinstance(fact, f.Irregular) and fact.what in _WRONG_BEGINNINGS
    return REFUSED if wrong or isinstance(fact, _DECIDED_THERE) else None


_TOLD = {
    "outoftime": "lichess_out_of_time",
    "timeout": "lichess_left",
    "noStart": "lichess_left",
    "draw": "lichess_draw",
}
_WITHOUT_RESULT = frozenset(("aborted", "noStart", "unknownFinish"))


def end_as_told(
    game: Game, state: GameState, submit: Callable[[Fact], Any], tell: Callable[[str], Any]
) -> None:
    """End ``game`` as ``state`` says, with the fact that explains it best. Hold the table."""
    if state.winner is None and state.status in _WITHOUT_RESULT:
        if game.clock and game.clock.running is not None:
            submit(f.Arbiter(by="table", do="stop_clocks"))
        tell("lichess_aborted")
        return
    result = LOSES[OTHER[state.winner]] if state.winner else "1/2-1/2"
    explained = None if game.over else _explaining(game, state)
    if explained is not None:
        submit(explained)
    if not game.over:
        tell(_TOLD.get(state.status, "lichess_ended"))
        submit(f.Arbiter(do="declare", result=result))
    elif game.result != result:  # nothing here can change a result
        tell(f"lichess_result_{state.winner or 'draw'}")


def _explaining(game: Game, state: GameState) -> Fact | None:
    """The players' fact that ends the game as Lichess has; None if it was not a player's."""
    if state.status == "resign" and state.winner is not None:
        return f.Resign(by=OTHER[state.winner])
    if state.status == "draw" and game.offers and not _drawn_by_itself(game.board):
        return f.AcceptDraw(by=OTHER[next(iter(game.offers))])
    return None


def _drawn_by_itself(board: chess.Board) -> bool:
    return board.is_insufficient_material() or board.halfmove_clock >= 100


LAG_MS = 2000
"""Milliseconds from which on it is said that Lichess has charged more time than this table."""


class KeepingUp:
    """Submits by ``submit`` what Lichess says, each thing once. ``player`` is at this table."""

    def __init__(self, player: str, submit: Callable[[Fact], Any], tell: Tell) -> None:
        self.takebacks: frozenset[str] = frozenset()
        """The sides that ask to take back."""
        self._player, self._submit, self._tell = player, submit, tell
        self._timed: GameState | None = None
        self._offers: frozenset[str] = frozenset()
        self._first_move_told = -1

    def went_back(self) -> None:
        """The clocks here are those of an earlier move: take them over anew."""
        self._timed = None

    def take(self, game: Game, state: GameState, on_move: str) -> None:
        """Take over what ``state`` says. ``on_move`` is on move in it. Hold the table."""
        if game.clock and state is not self._timed:
            self._set_clocks(game, state, on_move)
        if not state.ended:
            self._take_offers(game, state)
            self._take_takebacks(state)

    def _set_clocks(self, game: Game, state: GameState, on_move: str) -> None:
        player, plies, left = self._player, len(state.moves), dict(state.left)
        if plies > 1 and not state.ended:  # before, no clock runs at Lichess
            passed = round((time.monotonic() - state.received) * 1000)
            left[on_move] = max(0, left[on_move] - passed)
        late = game.clock.left[player] - left[player]
        if on_move != player and plies > 2 and self._timed is not None and late >= LAG_MS:
            self._tell("lichess_lag", time=timedelta(milliseconds=late))
        self._timed = state
        self._submit(f.Arbiter(do="set_clock", white=left["white"], black=left["black"]))
        if state.first_move and on_move == player and self._first_move_told != plies:
            self._first_move_told = plies
            seconds = timedelta(seconds=round(state.first_move / 1000))
            self._tell("lichess_first_move", time=seconds)

    def _take_offers(self, game: Game, state: GameState) -> None:
        for side in sorted(state.offers - self._offers - game.offers):
            self._submit(f.OfferDraw(by=side))
        for side in sorted(game.offers - state.offers):
            self._submit(f.DeclineDraw(by=OTHER[side]))
        self._offers = state.offers

    def _take_takebacks(self, state: GameState) -> None:
        player, before, self.takebacks = self._player, self.takebacks, state.takebacks
        if OTHER[player] in state.takebacks - before:
            self._tell("lichess_takeback_asked")
        if player in state.takebacks - before:
            self._tell("lichess_takeback_sent")


class OpponentNews:
    """Tells of the opponent ``name`` by ``tell``."""

    def __init__(self, name: str, tell: Tell) -> None:
        self._name, self._tell = name, tell
        self._opponent_left = False
        self._heard = 0
        self._claim: threading.Timer | None = None

    def gone(self, line: Mapping[str, Any]) -> None:
        """Tell, once, that the opponent has left, is back, or that the win can be claimed."""
        gone, seconds = bool(line.get("gone")), line.get("claimWinInSeconds")
        if gone and not self._opponent_left:
            self._tell("lichess_gone")
        elif self._opponent_left and not gone:
            self._tell("lichess_came_back")
        if gone is not self._opponent_left:
            self.close()
        self._opponent_left = gone
        if gone and isinstance(seconds, int) and self._claim is None:
            self._claim = threading.Timer(max(0, seconds), self._tell, ("lichess_claim",))
            self._claim.daemon = True
            self._claim.start()

    def written(self, line: Mapping[str, Any]) -> None:
        """Say that the opponent has written. The words are read out on request."""
        if line.get("room") == "player" and line.get("username") == self._name:
            self._tell("lichess_chat_new")

    def read_out(self, lines: list[tuple[str, str]]) -> None:
        """Tell what nobody has heard yet of ``lines``, each with its writer."""
        news = lines[self._heard :]
        self._heard = len(lines)
        for name, text in news:
            self._tell("lichess_chat", name=Written(name), text=Written(text))
        if not news:
            self._tell("lichess_chat_none")

    def close(self) -> None:
        """Tell no longer that the win can be claimed."""
        if self._claim is not None:
            self._claim.cancel()
        self._claim = None


_ORIGIN = Origin(ORIGIN.name, (Completed, Refused, ClockReading))


class LichessPlayer(AbsentPlayer, WriteAccess):
    """Plays the game that the Site of the table's record names, for the opponent there."""

    def __init__(self, account: Account, waits: Waits = USUAL) -> None:
        super().__init__()
        self._api = LichessApi(account, waits)
        self._stream = GameStream(self._api, self._changed.set)
        self._followed = ServedGame()
        self._course = Course()
        self._asked: deque[str] = deque()
        self._keeping: KeepingUp
        self._news: OpponentNews | None = None
        self._before: tuple[chess.Move, ...] = ()
        self._made: tuple[int, chess.Move, float] | None = None
        self._not_before = 0.0
        self._lost = self._ended = False

    # --- what the table asks ---------------------------------------------------------------------

    def sit(self, table: PlayedTable, tell: Tell) -> None:
        assert table.game.setup is not None
        self._id = table.game.setup.site.rsplit("/", 1)[-1]
        self._keeping = KeepingUp(OTHER[self.side], self._submit, tell)
        super().sit(table, tell)
        self._stream.begin(self._id)

    def read_chat(self) -> None:
        self._ask("chat")

    def access(self, table: PlayedTable, facts: list[Fact]) -> WriteAccess:
        return self

    def decides(self, fact: Fact) -> bool:
        return self._request_for(fact) is None

    def admit(self, fact: Fact, origin: Origin) -> Fact | None:
        """Request of Lichess the facts of others that it decides. It tells the outcome, which
        this player submits."""
        request = None if origin.name == ORIGIN.name else self._request_for(fact)
        if request is not None:
            self._ask(request)
            return None
        return fact

    def _request_for(self, fact: Fact) -> str | None:
        """The request to Lichess for ``fact``; None while this table decides it."""
        if not self._stream.begun or self._ended or self._table.game.over:
            return None
        takebacks = self._keeping.takebacks
        return lichess_request(fact, self._table.game, OTHER[self.side], takebacks)

    def _ask(self, action: str) -> None:
        self._asked.append(action)
        self._changed.set()

    def _release(self) -> None:
        if self._news is not None:
            self._news.close()
        self._stream.end()
        self._api.close()

    def _read_anew(self) -> None:
        self._stream.read_anew(self._followed.since)

    def _submit(self, fact: Fact) -> None:
        self._table.submit(fact, _ORIGIN)

    # --- in the thread of this player ------------------------------------------------------------

    def _consider(self) -> None:
        while self._stream.arrived:
            self._take(self._stream.arrived.popleft())
        while self._asked:
            self._request(self._asked.popleft())
        if self._followed.state is not None and not self._ended:
            self._follow(self._followed.state)

    def _take(self, arrived: StreamLine) -> None:
        if arrived.why:
            self._leave(arrived.why)
        elif arrived.line is None:
            if not self._lost and not self._ended:
                self._lost = True
                self._tell("lichess_lost")
        else:
            if self._lost:
                self._lost = False
                self._tell("lichess_back")
            try:
                self._take_line(arrived.line, arrived.opened)
            except (ValueError, KeyError, TypeError):
                if self._news is None:
                    self._leave("lichess_no_game")
                else:
                    self._read_anew()

    def _take_line(self, line: Mapping[str, object], opened: int | None) -> None:
        """:raises ValueError, KeyError, TypeError: if it is not as Lichess describes it."""
        kind, news = line.get("type"), self._news
        if opened is not None:
            self._followed.begin(line, opened)
            if news is None:
                self._greet()
        elif news is None or self._ended:
            return
        elif kind in ("gameFull", "gameState"):
            if not self._followed.add(line):
                self._read_anew()
        elif kind == "opponentGone":
            news.gone(line)
        elif kind == "chatLine":
            news.written(line)

    def _greet(self) -> None:
        """Say who the opponent is, and let the clocks run: they do at Lichess.

        :raises ValueError: if this is not the game that the table plays.
        """
        about, table = self._followed.about, self._table
        assert about is not None
        self._before = self._followed.moves_before(table.game.start_board)
        self._course = Course(len(self._before) + _confirmed(table))
        person = about.players[self.side]
        self._news = OpponentNews(person.name, self._tell)
        if person.ai is not None:
            self._tell("lichess_plays_ai", number=person.ai)
        elif person.rating is None:
            self._tell("lichess_plays_unknown", name=Written(person.name))
        else:
            key = "lichess_plays_rated" if about.rated else "lichess_plays_casual"
            self._tell(key, name=Written(person.name), number=person.rating)
        with table.lock:
            if not table.game.started:
                self._submit(f.Start())
            elif table.game.paused == "table" and not table.game.over:
                self._submit(f.Arbiter(by="table", do="start_clocks"))

    def _leave(self, key: str) -> None:
        """Follow the game no longer, and say why."""
        self._ended = True
        self._stream.end()
        self._tell(key)

    def _request(self, action: str) -> None:
        """Ask something of Lichess, or tell why not. The stream tells the outcome."""
        if action == REFUSED:
            self._tell("lichess_decides")
            return
        try:
            if action != "chat":
                self._api.in_game(self._id, action)
            elif self._news is not None:
                self._news.read_out(self._api.chat(self._id))
        except LichessError as error:
            self._tell(_why(error))

    def _wake(self, seconds: float) -> None:
        """Consider again after ``seconds``."""
        timer = threading.Timer(seconds, self._changed.set)
        timer.daemon = True
        timer.start()

    # --- following the game ----------------------------------------------------------------------

    def _follow(self, state: GameState) -> None:
        """Do one step; what comes of it leads to the next."""
        with self._table.lock:
            step = self._next()
            if state.ended and (self._table.game.over or step.do is Do.EXECUTE):
                step = DueStep(Do.NOTHING)
        _DO[step.do](self, state, step)

    def _next(self) -> DueStep:
        """The next step. Hold the table."""
        game, state = self._table.game, self._followed.state
        assert state is not None
        return self._course.next(
            self._here(game),
            state,
            self._followed.since,
            lambda plies: self._followed.on_move(plies) != self.side,
        )

    def _here(self, game: Game) -> list[chess.Move]:
        """The moves here, from the beginning of the game at Lichess. Where nobody presses, a made
        move counts when it is not corrected for a while."""
        moves = [*self._before, *(ply.move for ply in game.history)]
        made, plies = game.turn.made, len(game.history)
        if game.clock or made is None:
            return moves
        if self._made is None or self._made[:2] != (plies, made):
            self._made = plies, made, time.monotonic() + self._api.waits.unpressed_s
            self._wake(self._api.waits.unpressed_s)
        return [*moves, made] if time.monotonic() >= self._made[2] else moves

    def _send(self, state: GameState, step: DueStep) -> None:
        rest = self._not_before - time.monotonic()
        if rest > 0:
            return
        about = self._followed.about
        assert about is not None and step.move is not None
        board = about.start.copy(stack=False)
        for move in state.moves:
            board.push(move)
        uci = board.uci(step.move, chess960=about.king_takes_rook)
        outcome = Sending.UNKNOWN
        try:
            self._api.in_game(self._id, f"move/{uci}")
            outcome = Sending.TAKEN
        except LimitedError:
            self._tell("lichess_busy")
            self._not_before = time.monotonic() + self._api.waits.limited_s
            self._wake(self._api.waits.limited_s)
            return
        except TokenError:
            self._leave("lichess_token")
            return
        except RefusedError:
            outcome = Sending.REFUSED
        except LostLineError:
            pass
        self._course.sent(step, outcome, self._stream.next_count())
        if outcome is not Sending.TAKEN:
            self._read_anew()

    def _play_theirs(self, state: GameState, step: DueStep) -> None:
        move = step.move
        assert move is not None

        def still() -> bool:
            with self._table.lock:
                return is_to_choose(self._table.game, self.side) and self._next() == step

        self._play(move, still)

    def _have_executed(self, state: GameState, step: DueStep) -> None:
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

    def _go_back(self, state: GameState, step: DueStep) -> None:
        ply = step.plies - len(self._before)
        if ply < 0 or self._table.game.over:  # that cannot be taken back here
            self._leave("lichess_no_game" if ply < 0 else step.why)
            return

        def restore() -> None:
            if self._next() == step and not self._table.game.over:
                self._tell(step.why)
                self._submit(f.Arbiter(do="restore", ply=ply))
                self._course.went_back(step.plies)
                self._keeping.went_back()

        self._table.after_hands(restore)

    def _keep_up(self, state: GameState, step: DueStep) -> None:
        """Both show the same moves: take over clocks, offers and the end."""
        with self._table.lock:
            game = self._table.game
            if not game.over:
                self._keeping.take(game, state, self._followed.on_move(len(state.moves)))
            if state.ended:
                self._ended = True
                end_as_told(game, state, self._submit, self._tell)
        if self._ended:
            self._stream.end()


_DO: Mapping[Do, Callable[[LichessPlayer, GameState, DueStep], None]] = {
    Do.NOTHING: LichessPlayer._keep_up,
    Do.WAIT: lambda player, state, step: None,
    Do.READ_ANEW: lambda player, state, step: player._read_anew(),
    Do.SEND: LichessPlayer._send,
    Do.PLAY: LichessPlayer._play_theirs,
    Do.EXECUTE: LichessPlayer._have_executed,
    Do.GO_BACK: LichessPlayer._go_back,
}


def _confirmed(table: PlayedTable) -> int:
    """Return how many plies of a continued game Lichess has had: it has told of the clocks after
    them."""
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
        LostLineError: "lichess_unreached",
    }
    return kinds.get(type(error), "lichess_refuses")
