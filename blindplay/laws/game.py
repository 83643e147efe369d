"""The game: folds facts into rulings.

:class:`Game` is the only place where the Laws have state. It does no input or output and never
asks what time it is: every fact brings its own time. What needs words (understanding an
announcement, spelling one out) is asked of the :class:`Words` it is given.

Positions: ``Game.board`` is the position after the last *completed* move; the move that is being
announced, executed and made is in ``Game.turn``. Each board on the table has a placement of its
own, for hands err and sensors see only that board.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import chess

from . import facts as f
from .clock import Clock, ClockState, TimeControl
from .editions import load
from .facts import Fact, Player, Setup, seconds
from .reconcile import differences, scoresheets_part, steps
from .rulings import Ruling
from .touch import Obligation, obligation, squares_of

OTHER = {"white": "black", "black": "white"}
COLOURS = {"white": chess.WHITE, "black": chess.BLACK}
LOSES = {"white": "0-1", "black": "1-0"}
DRAW = "1/2-1/2"


@dataclass(frozen=True)
class Heard:
    """What words were taken for. ``moves`` is one for "move", the candidates for "ambiguous",
    what was probably meant for "illegal"; ``why`` is the reason why it is illegal."""

    kind: Literal["move", "ambiguous", "illegal", "other"]
    moves: tuple[chess.Move, ...] = ()
    why: str = ""


class Words(Protocol):
    """The language packs as the Laws see them."""

    def understand(self, text: str, board: chess.Board, language: str) -> Heard: ...

    def announce(
        self, board: chess.Board, move: chess.Move, language: str, edition: str
    ) -> str: ...

    def answer(self, about: str, figures: Mapping[str, Any], language: str) -> str:
        """The words that answer a question; ``figures`` are the ruling's own."""
        ...


@dataclass
class TableBoard:
    """One board on the table, as it stands."""

    placement: dict[int, chess.Piece]
    plies: int = 0  # completed plies that have been executed on it
    sensors: bool = False
    hand: list[tuple[int, chess.Piece]] = field(default_factory=list)
    adjusting: bool = False
    wanted: dict[int, chess.Piece] | None = None  # what it must be corrected to
    wanted_plies: int = 0  # completed plies that ``wanted`` shows


@dataclass
class Turn:
    """The move of the player on move, as far as it has come."""

    touched: list[int] = field(default_factory=list)
    announced: chess.Move | None = None
    executed: chess.Move | None = None
    attempted: chess.Move | None = None  # entered at the console, but not legal
    made: chess.Move | None = None
    begun: bool = False  # he tried to announce or execute something that was not taken
    claim_lost: bool = False


@dataclass(frozen=True)
class Ply:
    """A completed ply: the position before it, the move, and the clocks when it was completed."""

    before: chess.Board
    move: chess.Move
    clock: ClockState
    t: int


@dataclass
class Pending:
    """A ruling that waits for the arbiter, and what confirming it does."""

    ruling: Ruling
    confirm: Callable[[], None]
    reject: Callable[[], None]


class Game:
    """A game under one edition of the Laws.

    Feed it with :meth:`apply`; the first fact must be a ``setup``. The order of the rulings, and
    the rulings themselves, depend on nothing but the facts.
    """

    def __init__(self, words: Words) -> None:
        self.words = words
        self.setup: Setup | None = None
        self.board = chess.Board()
        self.start_board = chess.Board()
        self.turn = Turn()
        self.history: list[Ply] = []
        self.sheets: dict[str, dict[int, str]] = {"white": {}, "black": {}}
        self.struck: list[tuple[str, int, str]] = []
        self.clock = Clock(TimeControl(()))
        self.tables: dict[str, TableBoard] = {}
        self.started = False
        self.result: str | None = None
        self.offers: set[str] = set()
        self.pending: Pending | None = None
        self.illegal_moves = {"white": 0, "black": 0}
        self._out: list[Ruling] = []
        self._t = 0
        self._start_clocks = ClockState({}, {}, {}, {})
        self._differ_told: tuple[Any, ...] | None = None

    # --- what others may ask ---------------------------------------------------------------

    @property
    def side(self) -> str:
        """Who is on move: "white" or "black"."""
        return "white" if self.board.turn == chess.WHITE else "black"

    @property
    def over(self) -> bool:
        return self.result is not None

    @property
    def position(self) -> chess.Board:
        """The position after the last move that was made, completed or not."""
        board = self.board.copy()
        if self.turn.made is not None:
            board.push(self.turn.made)
        return board

    def player(self, side: str) -> Player:
        assert self.setup is not None
        return self.setup.player(side)

    def board_of(self, side: str) -> str:
        """Which board ``side`` plays on; with one board both play on "white"."""
        return side if len(self.tables) == 2 else "white"

    # --- the fold --------------------------------------------------------------------------

    def apply(self, fact: Fact) -> list[Ruling]:
        """Fold one fact into the game and give the rulings it causes, in order.

        :raises f.FactError: if the first fact is no ``setup``, a second one comes, or ``t``
            decreases. Whatever else a person can do at the table is answered, never raised.
        """
        if fact.t < self._t:
            raise f.FactError(f"t must not decrease: {seconds(fact.t)} after {seconds(self._t)}")
        if isinstance(fact, Setup):
            if self.setup is not None:
                raise f.FactError("setup must be the first fact and come only once")
        elif self.setup is None:
            raise f.FactError("the first fact must be setup")
        self._t = fact.t
        self._out = []
        if isinstance(fact, Setup):
            self._set_up(fact)
        else:
            self.clock.advance(fact.t)
            self._watch_flags()
            _HANDLERS[type(fact)](self, fact)
        out, self._out = self._out, []
        return out

    def _rule(self, kind: str, *rules: str, **fields: Any) -> Ruling:
        assert self.setup is not None
        edition = load(self.setup.edition)
        ruling = Ruling(self._t, kind, fields, tuple(edition.article(rule) for rule in rules))
        self._out.append(ruling)
        return ruling

    def _switch(self, name: str) -> Any:
        assert self.setup is not None
        return load(self.setup.edition).switches[name]

    def _refuse(self, by: str, what: str, why: str, *rules: str, **fields: Any) -> None:
        self._rule("refused", *(rules or ("arbiter",)), by=by, what=what, why=why, **fields)

    # --- setting up, starting --------------------------------------------------------------

    def _set_up(self, fact: Setup) -> None:
        self.setup = fact
        self.board = chess.Board(fact.fen, chess960=fact.variant == "chess960")
        self.start_board = self.board.copy()
        self.clock = Clock(TimeControl.parse(fact.time_control), fact.clock_mode)
        self.clock.at = fact.t
        self._start_clocks = self.clock.snapshot()
        sides = ("white", "black") if fact.board_count == 2 else ("white",)
        self.tables = {side: TableBoard(self.board.piece_map()) for side in sides}
        if any(
            fact.player(side).hearing_impaired
            and fact.player(OTHER[side]).impaired
            and not (fact.player(side).assistant or fact.player(OTHER[side]).assistant)
            for side in OTHER
        ):
            self._rule("arbiter_needed", "deaf_opponent", why="assistant_compulsory")
        self._end_if_over(self.board)

    def _start(self, fact: f.Start) -> None:
        if self._closed("start", fact.by):
            return
        if self.started:
            self._refuse(fact.by, "start", "already_started", "start")
            return
        self.started = True
        self.clock.start(self.side)
        self._tell_clock("start")

    def _tell_clock(self, *rules: str) -> None:
        if self.clock:
            self._rule(
                "clock",
                *rules,
                running=self.clock.running or "none",
                white=seconds(self.clock.left["white"]),
                black=seconds(self.clock.left["black"]),
            )

    # --- who may do what -------------------------------------------------------------------

    def _closed(self, what: str, by: str) -> bool:
        """Whether nothing of the kind can happen now; says so."""
        if self.over:
            self._refuse(by, what, "game_over", "result")
            return True
        if self.pending is not None:
            self._refuse(by, what, "waiting_for_arbiter", "arbiter")
            return True
        return False

    def _acting(self, by: str, what: str, *, duty: str) -> str | None:
        """The side that ``by`` acts for, None (and a refusal) if he may not.

        ``duty``: "announce" and "execute" any assistant may do for both players (D.2.10.1-2,
        D.2.11), "clock" and "record" only the impaired player's, and only for him (D.2.10.3).
        """
        if not by.startswith("assistant:"):
            return by
        of = by.removeprefix("assistant:")
        if duty in ("announce", "execute"):
            return self.side
        if self.player(of).impaired:
            return of
        self._refuse(by, what, "not_his_task", "assistant_of_sighted")
        return None

    # --- touching --------------------------------------------------------------------------

    def _lift(self, fact: f.Lift) -> None:
        table = self._table(fact.board, "lift")
        if table is None:
            return
        table.sensors = True
        square = chess.parse_square(fact.square)
        piece = table.placement.pop(square, None)
        if piece is None:
            self._refuse(fact.board, "lift", "empty_square", "moving", square=fact.square)
            return
        table.hand.append((square, piece))
        if self.over:
            return
        if self.pending is None and self._counts_as_touch(fact.board, square):
            self._touched(square)
        self._look(fact.board)

    def _place(self, fact: f.Place) -> None:
        table = self._table(fact.board, "place")
        if table is None:
            return
        table.sensors = True
        square = chess.parse_square(fact.square)
        piece = chess.Piece.from_symbol(fact.piece) if fact.piece else self._in_hand(table, square)
        if piece is None:
            self._refuse(fact.board, "place", "nothing_in_the_hand", "moving", square=fact.square)
            return
        covered = table.placement.get(square)
        if covered is not None:
            # A sensor may report the new piece without the old one ever having left (DGT).
            table.hand.append((square, covered))
        for index in range(len(table.hand) - 1, -1, -1):
            if table.hand[index][1] == piece:
                del table.hand[index]
                break
        table.placement[square] = piece
        self._look(fact.board)

    def _in_hand(self, table: TableBoard, square: int) -> chess.Piece | None:
        """The piece a board without identities must have been given: the one that belongs there,
        else the last of the player on move."""
        own = [piece for _, piece in table.hand if piece.color == self.board.turn]
        here = [piece for home, piece in table.hand if home == square]
        rest = [piece for _, piece in table.hand]
        likely = self._likeliest(table, square)
        if likely is not None:
            return likely
        for found in (here, own, rest):
            if found:
                return found[-1]
        return None

    def _likeliest(self, table: TableBoard, square: int) -> chess.Piece | None:
        """The piece in the hand that brings the board nearest to a position it may be meant for:
        fewest squares wrong, and fewest lifted pieces that would have to go back home."""
        board = next(name for name, other in self.tables.items() if other is table)
        goals = [] if table.wanted is None else [table.wanted]
        goals += [_after(ply.before, ply.move) for ply in self._outstanding(board)]
        if self.turn.announced is not None:
            goals.append(_after(self.board, self.turn.announced))
        goals += [_after(self.board, move) for move in self.board.legal_moves]
        goals += [self._expected(board)]
        best: tuple[int, int] | None = None
        found = None
        for goal in goals:
            piece = goal.get(square)
            if piece is None:
                continue
            promoted = chess.Piece(chess.PAWN, piece.color)
            held = [held for _, held in table.hand]
            if piece not in held and not (
                # A board that cannot tell pieces apart sees no promotion: what was announced is.
                promoted in held and chess.square_rank(square) in (0, 7)
            ):
                continue
            shown = {**table.placement, square: piece}
            wrong = sum(shown.get(at) != goal.get(at) for at in range(64))
            back = sum(goal.get(home) == held for home, held in table.hand if home != square)
            if best is None or (wrong, back) < best:
                best, found = (wrong, back), piece
        return found

    def _table(self, board: str, what: str) -> TableBoard | None:
        table = self.tables.get(board)
        if table is None:
            self._refuse(board, what, "no_such_board", "two_boards")
        return table

    def _counts_as_touch(self, board: str, square: int) -> bool:
        """A touch is the mover's, on his own board, with his own move in mind: not while he
        adjusts, corrects a wrong position, or executes his opponent's last move."""
        table = self.tables[board]
        if board != self.board_of(self.side) or table.adjusting or table.wanted is not None:
            return False
        if not self.started and self.clock:
            return False
        if self.turn.made is not None:
            return False
        if any(square in squares_of(ply.before, ply.move) for ply in self._outstanding(board)):
            return False
        return self.board.piece_at(square) is not None and square not in self.turn.touched

    def _touched(self, square: int, *, by_report: bool = False) -> None:
        side = self.side
        piece = self.board.piece_at(square)
        assert piece is not None
        self.turn.touched.append(square)
        special = self.player(side).impaired and not by_report
        rule = "touched_special" if special else "sighted_ordinary"
        if len(self.tables) == 1:
            rule = "touched_own" if piece.color == self.board.turn else "touched_opponents"
        self._rule("touched", rule, by=side, square=chess.square_name(square), piece=piece.symbol())
        if self._switch("claim_lost_by") == "touch":
            self.turn.claim_lost = True
        self._decline_by_playing(side)
        self._oblige()

    def _bound(self) -> Obligation:
        another_takes = self._switch("touched_both_another_takes")
        return obligation(self.board, self.turn.touched, another_takes=another_takes)

    def _oblige(self) -> None:
        bound = self._bound()
        fields: dict[str, Any] = {"moves": [move.uci() for move in bound.moves]}
        if bound.free:
            fields["free"] = True
        self._rule("obliged", bound.rule, by=self.side, **fields)

    def _touch(self, fact: f.Touch) -> None:
        if self._closed("touch", fact.by):
            return
        square = chess.parse_square(fact.square)
        if fact.by != self.side or self.turn.made is not None:
            self._refuse(fact.by, "touch", "not_on_move", "touched_own")
        elif self.board.piece_at(square) is None:
            self._refuse(fact.by, "touch", "empty_square", "touched_own")
        elif square not in self.turn.touched:
            self._touched(square, by_report=True)

    def _adjust(self, fact: f.Adjust) -> None:
        if self._closed("adjust", fact.by):
            return
        side = self._acting(fact.by, "adjust", duty="record")
        if side is None:
            return
        if side != self.side or self.turn.touched:
            self._refuse(fact.by, "adjust", "too_late", "adjusting")
            return
        self.tables[self.board_of(side)].adjusting = True
        self._rule("adjusting", "adjusting", by=side)

    # --- looking at a board ----------------------------------------------------------------

    def _outstanding(self, board: str) -> list[Ply]:
        """Completed plies that have not yet been executed on ``board``."""
        return self.history[self.tables[board].plies :]

    def _look(self, board: str) -> None:
        """A piece moved on ``board``: what has been executed, and does that make the move?"""
        if self.over:
            return
        table = self.tables[board]
        if table.wanted is not None:
            shown = self._corrected(table)
            if shown is not None:
                table.wanted = None
                table.hand.clear()
                table.plies = shown
                self._rule("boards_agree", "boards_differ", board=board)
                self._differ_told = None
            return
        if table.adjusting:
            if table.placement == self._expected(board):
                table.adjusting = False
                table.hand.clear()
                return
            if self._executed_move(table) is None:
                return
            # He adjusted into another square: that was no adjusting (4.2), so it was a touch.
            table.adjusting = False
            for square, _ in self._moved_from(table):
                if square not in self.turn.touched and self.board.piece_at(square):
                    self._touched(square)
        self._catch_up(board)
        if self.over or self.pending is not None:
            return
        if board == self.board_of(self.side):
            self._look_at_own(board)
        if len(self.tables) == 2 and board != self.board_of(self.side):
            self._look_at_other(board)

    def _corrected(self, table: TableBoard) -> int | None:
        """How many plies a board that was to be corrected now shows; None while it is wrong.

        The game may have gone on meanwhile, and the board may have been brought up to it."""
        for plies in range(len(self.history), table.wanted_plies, -1):
            if table.placement == self._shown_after(plies):
                return plies
        if table.placement == table.wanted:
            return min(table.wanted_plies, len(self.history))
        return None

    def _shown_after(self, plies: int) -> dict[int, chess.Piece]:
        """The placement after that many completed plies."""
        return (self.history[plies].before if plies < len(self.history) else self.board).piece_map()

    def _moved_from(self, table: TableBoard) -> list[tuple[int, chess.Piece]]:
        before = self.board.piece_map()
        return [
            (square, piece)
            for square, piece in before.items()
            if table.placement.get(square) != piece
        ]

    def _expected(self, board: str) -> dict[int, chess.Piece]:
        return self._shown_after(self.tables[board].plies)

    def _catch_up(self, board: str) -> None:
        """Notice that completed moves have now been executed on this board, too."""
        table = self.tables[board]
        for index in range(len(self.history), table.plies, -1):
            if table.placement == self._shown_after(index):
                for ply in self.history[table.plies : index]:
                    self._rule("executed", "announcing", board=board, move=ply.move.uci())
                table.plies = index
                table.hand.clear()
                return

    def _executed_move(self, table: TableBoard) -> chess.Move | None:
        """The legal move that turns the position into what stands on ``table``, if any."""
        said = self.turn.announced
        if said is not None and table.placement == _after(self.board, said):
            return said  # in Chess960 castling may look like a move of the rook
        moved = {square for square, _ in self._moved_from(table)}
        for move in self.board.legal_moves:
            touched = move.from_square in moved or (moved and self.board.is_castling(move))
            if touched and table.placement == _after(self.board, move):
                return move
        return None

    def _look_at_own(self, board: str) -> None:
        """The mover's own board: he executes his move."""
        table, turn = self.tables[board], self.turn
        if self._outstanding(board) or (self.clock and not self.started):
            return
        move = self._executed_move(table)
        if move == turn.executed:
            return
        before, turn.executed = turn.executed, move
        impaired = self.player(self.side).impaired
        if move is None:
            if before is not None and impaired:
                turn.made = None
            return
        self._rule("executed", "announcing", board=board, move=move.uci())
        if turn.announced is not None and turn.announced != move:
            self._executed_differs(board, turn.announced, move)
        self._try_to_make()

    def _look_at_other(self, board: str) -> None:
        """The opponent's board: the announced move is executed on it, too (D.2.1)."""
        table, turn = self.tables[board], self.turn
        expected = turn.made or turn.announced
        if expected is None or self._outstanding(board):
            return
        if table.placement == _after(self.board, expected):
            self._rule("executed", "announcing", board=board, move=expected.uci())
            return
        move = self._executed_move(table)
        if move is not None and move != expected:
            self._executed_differs(board, expected, move)

    def _executed_differs(self, board: str, announced: chess.Move, move: chess.Move) -> None:
        self._rule(
            "executed_differs",
            "announcing",
            "boards_differ",
            board=board,
            announced=announced.uci(),
            executed=move.uci(),
        )

    def _position(self, fact: f.Position) -> None:
        table = self._table(fact.board, "position")
        if table is None:
            return
        table.sensors = True
        seen = chess.BaseBoard(fact.placement).piece_map()
        changed = seen != table.placement
        table.placement = seen
        if changed:
            table.hand.clear()
            self._look(fact.board)
        if not self.over and self.pending is None:
            self._compare_boards()

    # --- announcing ------------------------------------------------------------------------

    def _meaning(self, fact: f.Spoken, side: str, board: chess.Board) -> chess.Move | None:
        """The legal move that was spoken, or None and a ruling that says why not."""
        if fact.move is not None:
            move = chess.Move.from_uci(fact.move)
            move = board.parse_uci(fact.move) if _is_legal(board, fact.move) else move
            heard = (
                Heard("move", (move,))
                if _is_legal(board, fact.move)
                else Heard("illegal", (move,), "cannot_move_there")
            )
        else:
            assert fact.text is not None and self.setup is not None
            heard = self.words.understand(fact.text, board, self.setup.announce_in)
        if heard.kind == "move":
            return heard.moves[0]
        if side == self.side:
            # Who was not understood has begun his move: 7.5.3 is for a press without any.
            self.turn.begun = True
        if heard.kind == "ambiguous":
            self._rule(
                "ambiguous",
                "announcing",
                by=side,
                text=fact.text or "",
                moves=[move.uci() for move in heard.moves],
            )
        elif heard.kind == "illegal":
            named = {"move": heard.moves[0].uci()} if heard.moves else {}
            self._refuse(side, fact.kind, heard.why, "announcing", "moving", **named)
        else:
            self._rule("not_understood", "announcing", by=side, text=fact.text or "")
        return None

    def _announce(self, fact: f.Announce) -> None:
        if self._closed("announce", fact.by):
            return
        side = self._acting(fact.by, "announce", duty="announce")
        if side is None:
            return
        self._complete_without_clock(side)
        if self.over:
            return
        if not self._may_move(side, "announce"):
            return
        if self.turn.announced is not None and self.turn.made is not None:
            # Made is made; only a correction before the clock changes it (D.2.8).
            again = self._meaning(fact, side, self.board)
            if again is None:
                return
            if again == self.turn.announced:
                self._announced(side, again)
            else:
                self._slip(side, again)
            return
        move = self._meaning(fact, side, self.board)
        if move is None:
            return
        was = self.turn.announced
        if was is not None and was != move:
            self._slip(side, move)
            return
        self.turn.announced = move
        self._announced(side, move)
        self._after_announcing()

    def _announced(self, side: str, move: chess.Move) -> None:
        assert self.setup is not None
        self._rule(
            "announced",
            "announcing",
            by=side,
            move=move.uci(),
            words=self.words.announce(self.board, move, self.setup.announce_in, self.setup.edition),
        )

    def _after_announcing(self) -> None:
        turn, table = self.turn, self.tables[self.board_of(self.side)]
        assert turn.announced is not None
        if turn.executed is not None and table.placement == _after(self.board, turn.announced):
            turn.executed = turn.announced  # Chess960: castling that looked like the rook's move
        if turn.executed is not None and turn.executed != turn.announced:
            # What was announced is what the opponent repeats and writes; until the two agree
            # the move stands as not made.
            turn.made = None
            self._executed_differs(self.board_of(self.side), turn.announced, turn.executed)
        self._try_to_make()

    def _slip(self, side: str, now: chess.Move) -> None:
        """The announcement is corrected before the opponent's clock runs (D.2.8)."""
        was = self.turn.announced
        assert was is not None
        self.turn.announced = now
        if self.player(side).impaired or self.turn.executed is None:
            self.turn.made = None
        self._rule("slip_corrected", "slip", by=side, was=was.uci(), now=now.uci())
        self._announced(side, now)
        self._after_announcing()

    def _correct(self, fact: f.Correct) -> None:
        if self._closed("correct", fact.by):
            return
        side = self._acting(fact.by, "correct", duty="announce")
        if side is None:
            return
        if side != self.side:
            # His clock has been stopped and the opponent's runs: too late.
            self._rule("too_late", "slip", by=side)
            return
        if self.turn.announced is None:
            if self._may_move(side, "correct"):
                self._announce(f.Announce(t=fact.t, by=fact.by, text=fact.text, move=fact.move))
            return
        now = self._meaning(fact, side, self.board)
        if now is None:
            return
        if now == self.turn.announced:
            self._announced(side, now)
        else:
            self._slip(side, now)

    def _repeat(self, fact: f.Repeat) -> None:
        """The opponent repeats the last announcement (D.2.1)."""
        if self._closed("repeat", fact.by):
            return
        by = fact.by.removeprefix("assistant:") if ":" in fact.by else fact.by
        if self.turn.announced is not None and by != self.side:
            before, announced = self.board, self.turn.announced
        elif self.history and by == self.side:
            before, announced = self.history[-1].before, self.history[-1].move
        else:
            self._refuse(fact.by, "repeat", "nothing_announced", "announcing")
            return
        move = self._meaning(fact, by, before)
        if move is None:
            return
        if move != announced:
            self._rule(
                "repeat_differs",
                "announcing",
                by=by,
                announced=announced.uci(),
                repeated=move.uci(),
            )
            return
        assert self.setup is not None
        words = self.words.announce(before, move, self.setup.announce_in, self.setup.edition)
        self._rule("repeated", "announcing", by=by, move=move.uci(), words=words)

    # --- making and completing -------------------------------------------------------------

    def _may_move(self, side: str, what: str) -> bool:
        if side != self.side:
            self._refuse(side, what, "not_on_move", "completing")
            return False
        if not self.started and self.clock:
            self._refuse(side, what, "not_started", "start")
            return False
        return True

    def _make(self, fact: f.Make) -> None:
        if self._closed("make", fact.by):
            return
        side = self._acting(fact.by, "make", duty="execute")
        if side is None:
            return
        if fact.by.startswith("assistant:"):
            # The assistant's hand is on the sighted player's board (D.2.10.1, D.2.11).
            of = fact.by.removeprefix("assistant:")
            board = self.board_of(OTHER[of] if self.player(of).impaired else of)
        else:
            board = self.board_of(fact.by)
        self._complete_without_clock(side if board == self.board_of(side) else OTHER[side])
        if self.over:
            return
        for ply in self._outstanding(board):
            if ply.move == _legal(ply.before, fact.move):
                # He executes the opponent's completed move on his own board.
                table = self.tables[board]
                after = ply.before.copy()
                after.push(ply.move)
                table.placement = after.piece_map()
                self._catch_up(board)
                return
        if board != self.board_of(self.side):
            self._make_on_other(fact, board)
        elif self._may_move(side, "make"):
            self._make_on_own(fact, board)

    def _make_on_other(self, fact: f.Make, board: str) -> None:
        """The announced move is executed on the other player's board."""
        expected = self.turn.made or self.turn.announced
        if expected is None:
            self._refuse(fact.by, "make", "not_on_move", "announcing")
            return
        move = _legal(self.board, fact.move)
        if move is None:
            self._refuse(fact.by, "make", "cannot_move_there", "moving", move=fact.move)
            return
        self.tables[board].placement = _after(self.board, move)
        if move == expected:
            self._rule("executed", "announcing", board=board, move=move.uci())
        else:
            self._executed_differs(board, expected, move)

    def _make_on_own(self, fact: f.Make, board: str) -> None:
        table, turn = self.tables[board], self.turn
        move = _legal(self.board, fact.move)
        impaired = self.player(self.side).impaired
        if move is None:
            if impaired:
                turn.begun = True
                self._refuse(fact.by, "make", "cannot_move_there", "moving", move=fact.move)
                return
            if self._outstanding(board):
                table.plies = len(self.history)
            # A sighted hand can put a piece anywhere; it is his until the clock is pressed.
            turn.attempted = chess.Move.from_uci(fact.move)
            table.placement = _moved_anyhow(self.board, turn.attempted)
            turn.executed = turn.made = None
            return
        if turn.made is not None and not impaired and move != turn.made:
            self._refuse(fact.by, "make", "already_made", "released", move=fact.move)
            return
        turn.attempted = None
        if self._outstanding(board):
            table.plies = len(self.history)
        table.placement = _after(self.board, move)
        table.wanted = None
        table.hand.clear()
        if turn.executed != move:
            turn.executed = move
            self._rule("executed", "announcing", board=board, move=move.uci())
            if turn.announced is not None and turn.announced != move:
                self._executed_differs(board, turn.announced, move)
            self._try_to_make()

    def _try_to_make(self) -> None:
        """The move is made when everything the Laws ask of this player has been done."""
        turn, side = self.turn, self.side
        if turn.executed is None or turn.made is not None:
            return
        impaired = self.player(side).impaired
        if impaired and turn.announced is None:
            return
        if turn.announced is not None and turn.announced != turn.executed:
            return
        if turn.touched:
            bound = self._bound()
            if not bound.free and turn.executed not in bound.moves:
                self._refuse(side, "make", "touched_piece", bound.rule, move=turn.executed.uci())
                self._oblige()
                return
        move = turn.made = turn.executed
        rules: tuple[str, ...] = ("made_special",) if impaired else ("released",)
        if not impaired and len(self.tables) == 2:
            rules = ("sighted_ordinary", "released")
        self._rule("made", *rules, by=side, move=move.uci(), san=self.board.san(move))
        turn.claim_lost = True
        self._decline_by_playing(side)
        after = self.board.copy()
        after.push(move)
        self._end_if_over(after, last=True)

    def _missing(self) -> list[str]:
        """What D.2.3 still asks of the impaired player on move."""
        turn = self.turn
        missing = [] if turn.announced is not None else ["announced"]
        table = self.tables[self.board_of(self.side)]
        wanted = turn.announced or turn.executed
        if wanted is None:
            return [*missing, "placed"]
        target = _after(self.board, wanted)
        captured = [
            square
            for square, piece in self.board.piece_map().items()
            if piece.color != self.board.turn and target.get(square) != piece
        ]
        placed = all(
            table.placement.get(square) == piece
            for square, piece in target.items()
            if self.board.piece_at(square) != piece
        ) and all(
            square not in table.placement or table.placement[square].color != self.board.turn
            for square in self.board.piece_map()
            if square not in target
        )
        if wanted.promotion and not placed:
            pawn = table.placement.get(wanted.to_square)
            if wanted.from_square not in table.placement and (
                pawn is None or pawn.piece_type == chess.PAWN
            ):
                missing.append("promotion_piece")
            else:
                missing.append("placed")
        elif not placed:
            missing.append("placed")
        before = self.board.piece_map()
        if any(table.placement.get(square) == before[square] for square in captured):
            missing.append("captured_piece_removed")
        return missing

    def _press(self, fact: f.Press) -> None:
        if self._closed("press", fact.by):
            return
        side = self._acting(fact.by, "press", duty="clock")
        if side is None:
            return
        if not self.started and self.clock:
            self._refuse(fact.by, "press", "not_started", "start")
            return
        if side != self.side:
            self._refuse(fact.by, "press", "not_on_move", "completing")
            return
        turn = self.turn
        if turn.made is None and not self.player(side).impaired and turn.executed is not None:
            # Announced and executed differ. What he announced is what was repeated and is being
            # written, so the game goes by it, and his board is what must be corrected (D.2.9).
            bound = self._bound()
            if turn.announced is not None and (bound.free or turn.announced in bound.moves):
                turn.made = turn.announced
                self._rule(
                    "made",
                    "announcing",
                    by=side,
                    move=turn.made.uci(),
                    san=self.board.san(turn.made),
                )
                after = self.board.copy()
                after.push(turn.made)
                self._end_if_over(after, last=True)
                if self.over:
                    return
        if turn.made is not None:
            self._complete()
            return
        self._press_unmade(side)

    def _press_unmade(self, side: str) -> None:
        """The clock was pressed, but no move has been made."""
        table, turn = self.tables[self.board_of(side)], self.turn
        before = self.board.piece_map()
        begun = (
            turn.touched
            or turn.announced
            or turn.executed
            or turn.attempted
            or turn.begun
            or (not self._outstanding(self.board_of(side)) and table.placement != before)
        )
        if self.player(side).impaired:
            if begun:
                self._rule(
                    "not_made",
                    "made_special",
                    "clock_special",
                    by=side,
                    missing=self._missing() or ["placed"],
                )
                return
        elif (
            (table.sensors or turn.attempted)
            and turn.executed is None
            and table.placement != before
            and not self._outstanding(self.board_of(side))
        ):
            self._illegal(side, turn.attempted or _guess(before, table.placement))
            return
        elif begun:
            missing = ["placed"]
            self._rule("not_made", "released", "completing", by=side, missing=missing)
            return
        if self._switch("press_without_move_is_illegal"):
            self._illegal(side, None, "press_without_move")
        else:
            self._refuse(side, "press", "no_move", "press_without_move")

    def _complete(self) -> None:
        """The move that was made is completed: the clock is pressed (D.2.4, 6.2.1)."""
        turn, side = self.turn, self.side
        move = turn.made
        assert move is not None
        own = self.board_of(side)
        boards = [
            board
            for board, table in self.tables.items()
            if table.placement == _after(self.board, move) and not self._outstanding(board)
        ]
        before = self.board.copy()
        self.board.push(move)
        self.clock.complete(side)
        self.history.append(Ply(before, move, self.clock.snapshot(), self._t))
        self.turn = Turn()
        for board in boards:
            self.tables[board].plies = len(self.history)
            self.tables[board].hand.clear()
        self.tables[own].adjusting = False
        if not self.started:
            self.started = True
        self._rule("completed", "completing", by=side, move=move.uci(), ply=len(self.history))
        rules = ("clock_special",) if self.player(side).impaired else ("completing",)
        self._tell_clock(*rules)
        self._compare_boards()

    def _complete_without_clock(self, side: str) -> None:
        """With no clock on the table nothing is pressed: a move that was made is completed by
        the opponent's beginning his own."""
        if not self.clock and self.turn.made is not None and side != self.side:
            self._complete()

    # --- illegal moves ---------------------------------------------------------------------

    def _illegal(self, side: str, move: chess.Move | None, why: str = "illegal") -> None:
        """An illegal move was completed by pressing the clock (7.5)."""
        if why == "illegal":
            why = _why_illegal(self.board, move)
        number = self.illegal_moves[side] + 1
        table = self.tables[self.board_of(side)]
        undo = steps(table.placement, self.board.piece_map())
        fields: dict[str, Any] = {"by": side, "why": why, "number": number, "undo": undo}
        if move is not None:
            fields["move"] = move.uci()
        rule = why if why in _ILLEGAL_BY_ITSELF else "illegal"

        def confirm() -> None:
            assert self.setup is not None
            self.illegal_moves[side] = number
            self.turn.executed = self.turn.attempted = self.turn.announced = None
            self.turn.made = None
            limit = self._switch("illegal_moves_that_lose")
            penalty = self._switch("illegal_penalty_seconds")[self.setup.mode]
            if limit and number >= limit:
                result = self._loses_unless_dead(side)
                self._rule(
                    "penalty", "penalty", player=side, loses=True, result=result,
                    status="confirmed",
                )  # fmt: skip
                self._end(result, "illegal_moves", "penalty")
                return
            if penalty and self.clock:
                self.clock.set(OTHER[side], self.clock.left[OTHER[side]] + penalty * 1000)
                self._rule(
                    "penalty", "penalty", player=side, gives=OTHER[side], seconds=penalty,
                    status="confirmed",
                )  # fmt: skip
            else:
                self._rule("arbiter_needed", "penalty", why="penalty")
            if why == "pawn_not_replaced" and self._switch("unreplaced_pawn_becomes_queen"):
                assert move is not None
                self._replace_pawn(move)
                return
            if not self._outstanding(self.board_of(side)):
                self._want(self.board_of(side), self.board.piece_map(), rule="restore")
            self._resume(side, "arbiter_sets_clocks")

        self._propose("illegal", (rule,), fields, confirm, lambda: self._resume(side))

    def _replace_pawn(self, move: chess.Move) -> None:
        """A pawn left on the last rank becomes a queen, and the move is completed (7.5.2)."""
        side = self.side
        queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
        after = self.board.copy()
        after.push(queen)
        self.turn.executed = self.turn.made = queen
        self._rule(
            "made", "pawn_not_replaced", by=side, move=queen.uci(), san=self.board.san(queen)
        )
        board = self.board_of(side)
        self._want(board, after.piece_map(), rule="pawn_not_replaced")
        self._end_if_over(after, last=True)
        if not self.over:
            self._complete()

    def _resume(self, side: str, rule: str = "arbiter") -> None:
        """The clock of ``side`` goes on, if the game has begun."""
        if self.started:
            self.clock.start(side)
        self._tell_clock(rule)

    def _loses_unless_dead(self, side: str) -> str:
        """``side`` loses, but the game is drawn if the opponent cannot mate (6.9, 7.5.5)."""
        if self.position.has_insufficient_material(COLOURS[OTHER[side]]):
            return DRAW
        return LOSES[side]

    # --- the arbiter -----------------------------------------------------------------------

    def _propose(
        self,
        kind: str,
        rules: tuple[str, ...],
        fields: dict[str, Any],
        confirm: Callable[[], None],
        reject: Callable[[], None],
    ) -> None:
        """Give a ruling that is the arbiter's to confirm; a friendly game confirms it at once."""
        assert self.setup is not None
        self.clock.stop()
        if self.setup.arbiter == "automatic":
            self._rule(kind, *rules, **fields, status="confirmed")
            confirm()
            return
        ruling = self._rule(kind, *rules, **fields, status="proposed")
        self.pending = Pending(ruling, confirm, reject)
        self._tell_clock("arbiter")

    def _arbiter(self, fact: f.Arbiter) -> None:
        pending = self.pending
        if fact.do in ("confirm", "reject"):
            if pending is None:
                self._refuse("arbiter", fact.do, "nothing_proposed", "arbiter")
                return
            self.pending = None
            status = "confirmed" if fact.do == "confirm" else "rejected"
            again = dict(pending.ruling.fields) | {"status": status}
            self._out.append(Ruling(self._t, pending.ruling.kind, again, pending.ruling.articles))
            (pending.confirm if fact.do == "confirm" else pending.reject)()
            return
        if self.over:
            self._refuse("arbiter", fact.do, "game_over", "result")
        elif fact.do == "stop_clocks":
            self.clock.stop()
            self._tell_clock("arbiter")
        elif fact.do == "start_clocks":
            if pending is not None:
                self._refuse("arbiter", fact.do, "waiting_for_arbiter", "arbiter")
                return
            self.started = True
            self.clock.start(self.side)
            self._tell_clock("arbiter")
        elif fact.do == "set_clock":
            for side, left in (("white", fact.white), ("black", fact.black)):
                if left is not None:
                    self.clock.set(side, left)
            self._tell_clock("arbiter_sets_clocks")
        elif fact.do == "restore":
            assert fact.ply is not None
            if fact.ply > len(self.history):
                self._refuse("arbiter", "restore", "no_such_ply", "restore")
                return
            self.pending = None
            self._rule(
                "take_back", "restore", to_ply=fact.ply, **self._clocks_at(fact.ply),
                status="confirmed",
            )  # fmt: skip
            self._take_back(fact.ply)
        elif fact.do == "declare":
            assert fact.result is not None
            self._end(fact.result, "declared", "arbiter")
        else:
            self._penalise(fact)

    def _penalise(self, fact: f.Arbiter) -> None:
        """The arbiter's own penalty: time for the opponent of ``player``, if any is given."""
        if fact.player is None:
            self._refuse("arbiter", "penalty", "player_missing", "arbiter")
            return
        gains = OTHER[fact.player]
        given = (fact.white if gains == "white" else fact.black) or 0
        self.clock.set(gains, self.clock.left[gains] + given)
        self._rule(
            "penalty", "arbiter", player=fact.player, gives=gains, seconds=seconds(given),
            status="confirmed",
        )  # fmt: skip
        self._tell_clock("arbiter_sets_clocks")

    # --- two boards, two scoresheets -------------------------------------------------------

    def _record(self, fact: f.Record) -> None:
        side = self._acting(fact.by, "record", duty="record")
        if side is None:
            return
        if fact.ply > len(self.history) + 2:
            self._refuse(fact.by, "record", "no_such_ply", "recording", ply=fact.ply)
            return
        before = self.sheets[side].get(fact.ply)
        if before is not None and before != fact.text:
            self.struck.append((side, fact.ply, before))
        self.sheets[side][fact.ply] = fact.text
        if self._differ_told is not None and not self.over and self.pending is None:
            self._compare_boards()

    def _compare_boards(self) -> None:
        """Do both boards show the game? If not, both scoresheets decide (D.2.9)."""
        if len(self.tables) < 2:
            return
        wrong = [board for board in self.tables if not self._in_order(board)]
        if not wrong:
            return
        goal = self.position.piece_map()
        shown = {
            board: table.placement if board in wrong else goal
            for board, table in self.tables.items()
        }
        part = self._sheets_part()
        told = (tuple(wrong), str(sorted(shown["white"].items())),
                str(sorted(shown["black"].items())), part)  # fmt: skip
        if told == self._differ_told:
            return
        self._differ_told = told
        self._rule(
            "boards_differ",
            "boards_differ",
            squares=differences(shown["white"], shown["black"], goal),
        )
        for side, sheet in self.sheets.items():
            if self.history and len(self.history) not in sheet:
                self._rule("must_record", "recording", by=side, ply=len(self.history))
        sheets: dict[str, Any] = {"agree": part is None}
        if part is not None:
            sheets |= {
                "from_ply": part,
                "white": self.sheets["white"].get(part),
                "black": self.sheets["black"].get(part),
            }
        self._rule("scoresheets", self._sheets_rule(part), **sheets)
        if part is None:
            for board in wrong:
                self._want(board, goal, rule="boards_differ")
            return
        to_ply = part - 1
        self._propose(
            "take_back",
            (self._sheets_rule(part),),
            {"to_ply": to_ply, **self._clocks_at(to_ply)},
            lambda: self._take_back(to_ply),
            lambda: self._resume(self.side),
        )

    def _sheets_rule(self, part: int | None) -> str:
        assert self.setup is not None
        rules = load(self.setup.edition).articles
        differ = "boards_differ_sheets_differ"
        return differ if part is not None and differ in rules else "boards_differ"

    def _sheets_part(self) -> int | None:
        """The first ply at which the two scoresheets disagree, None if they agree."""
        positions = [ply.before for ply in self.history] + [self.position]
        assert self.setup is not None
        languages = {side: self.player(side).language for side in OTHER}

        def read(side: str, text: str, board: chess.Board) -> chess.Move | None:
            heard = self.words.understand(text, board, languages[side])
            return heard.moves[0] if heard.kind == "move" else None

        return scoresheets_part(self.sheets["white"], self.sheets["black"], positions, read)

    def _in_order(self, board: str) -> bool:
        """A board is in order while it shows the game, lags behind it, or is being moved on."""
        table = self.tables[board]
        if not table.sensors and table.placement == self._expected(board):
            return True
        allowed = [self.position.piece_map(), self.board.piece_map(), self._expected(board)]
        if any(table.placement == placement for placement in allowed):
            return True
        for ply in self._outstanding(board):
            if table.placement == ply.before.piece_map():
                return True
        if table.wanted is not None:
            return False
        # A move begun by its owner is not a wrong position.
        on_move = board == self.board_of(self.side) and not self._outstanding(board)
        return on_move and bool(self.turn.touched or self.turn.executed or self.turn.attempted)

    def _want(self, board: str, goal: dict[int, chess.Piece], *, rule: str) -> None:
        table = self.tables[board]
        if table.placement == goal:
            table.wanted = None
            table.plies = len(self.history)
            table.hand.clear()
            return
        table.wanted = dict(goal)
        table.wanted_plies = len(self.history) + (self.turn.made is not None)
        todo = steps(table.placement, goal)
        self._rule(
            "correct_board",
            rule,
            board=board,
            placement=_placement(goal),
            steps=todo,
            diagnosis=self._diagnosis(board),
        )
        if not table.sensors:
            # Without sensors nobody sees the hands; the people at the table confirm it by sight.
            table.placement = dict(goal)
            table.wanted = None
            table.plies = len(self.history)

    def _diagnosis(self, board: str) -> str:
        """Which move must have been executed instead of the last one, in squares; or nothing."""
        table = self.tables[board]
        if self.history and self.turn.made is None:
            last = self.history[-1]
            for move in last.before.legal_moves:
                if move != last.move and table.placement == _after(last.before, move):
                    return f"{move.uci()} was executed instead of {last.move.uci()}"
        return ""

    def _clocks_at(self, ply: int) -> dict[str, int | float]:
        state = self.history[ply - 1].clock if ply else self._start_clocks
        return {side: seconds(state.left[side]) for side in ("white", "black")}

    def _take_back(self, to_ply: int) -> None:
        """Back to the position after ``to_ply``; both sheets are struck through, not erased."""
        state = self.history[to_ply - 1].clock if to_ply else self._start_clocks
        while len(self.history) > to_ply:
            self.history.pop()
            self.board.pop()
        self.turn = Turn()
        self.offers.clear()
        for side, sheet in self.sheets.items():
            for ply in sorted(ply for ply in sheet if ply > to_ply):
                self.struck.append((side, ply, sheet.pop(ply)))
        self.clock.restore(state)
        self._tell_clock("arbiter_sets_clocks")
        self._differ_told = None
        goal = self.board.piece_map()
        for board, table in self.tables.items():
            table.plies = min(table.plies, to_ply)
            table.adjusting = False
            self._want(board, goal, rule="boards_differ")
        assert self.setup is not None
        if self.setup.arbiter == "automatic":
            self._resume(self.side)

    # --- questions -------------------------------------------------------------------------

    def _query(self, fact: f.Query) -> None:
        assert self.setup is not None
        if self.over:
            self._refuse(fact.by, "query", "game_over", "result")
            return
        side = fact.by.removeprefix("assistant:")
        figures: dict[str, Any]
        if fact.about == "position":
            self._refuse(fact.by, "query", "not_during_play", "on_request_only", "outside_help")
            return
        if fact.about == "time":
            if not self.clock:
                self._refuse(fact.by, "query", "no_clock", "on_request_only")
                return
            figures = {
                "white": seconds(self.clock.left["white"]),
                "black": seconds(self.clock.left["black"]),
            }
        elif fact.about == "moves":
            figures = {"moves": (len(self.history) + 1) // 2, "plies": len(self.history)}
        else:
            figures = {}
            if self.history:
                last = self.history[-1]
                figures = {
                    "move": last.move.uci(),
                    "by": "white" if last.before.turn == chess.WHITE else "black",
                    "announcement": self.words.announce(
                        last.before, last.move, self.setup.announce_in, self.setup.edition
                    ),
                }
        language = self.player(side).language if side in OTHER else self.setup.announce_in
        words = self.words.answer(fact.about, figures | {"to": fact.by}, language)
        self._rule(
            "answer", "on_request_only", to=fact.by, about=fact.about, words=words, **figures
        )

    # --- ends ------------------------------------------------------------------------------

    def _end(self, result: str, reason: str, *rules: str) -> None:
        self.result = result
        self.pending = None
        self.clock.stop()
        self._tell_clock(*rules)
        self._rule("game_over", *rules, result=result, reason=reason)

    def _end_if_over(self, board: chess.Board, *, last: bool = False) -> None:
        """Checkmate, stalemate, a dead position and the automatic draws end the game at once."""
        if board.is_checkmate():
            winner = "0-1" if board.turn == chess.WHITE else "1-0"
            self._finish(last, winner, "checkmate", "checkmate")
        elif board.is_stalemate():
            self._finish(last, DRAW, "stalemate", "stalemate")
        elif board.is_insufficient_material():
            self._finish(last, DRAW, "dead_position", "dead_position")
        elif self._fivefold(board):
            self._finish(last, DRAW, "fivefold", "fivefold")
        elif self._switch("automatic_seventyfive") and board.is_seventyfive_moves():
            self._finish(last, DRAW, "seventyfive_moves", "seventyfive_moves")

    def _fivefold(self, board: chess.Board) -> bool:
        how = self._switch("automatic_fivefold")
        if how == "consecutive":
            # 9.6 a of fide-2014: in consecutive alternate moves, so every second one of each.
            return len(board.move_stack) >= 16 and _returns_every_four_plies(board, 5)
        return how == "any" and board.is_repetition(5)

    def _finish(self, last: bool, result: str, reason: str, rule: str) -> None:
        if last and self.turn.made is not None:
            # The move ends the game, so it needs no press (6.2.1.1): it belongs to the record.
            side, move = self.side, self.turn.made
            before = self.board.copy()
            self.board.push(move)
            self.history.append(Ply(before, move, self.clock.snapshot(), self._t))
            self.turn = Turn()
            for board, table in self.tables.items():
                if table.placement == self.board.piece_map():
                    self.tables[board].plies = len(self.history)
            self._rule("completed", "completing", by=side, move=move.uci(), ply=len(self.history))
        self._end(result, reason, rule)

    def _offer_draw(self, fact: f.OfferDraw) -> None:
        if self._closed("offer_draw", fact.by):
            return
        self.offers.add(fact.by)
        self._rule("draw_offered", "draw_offer", by=fact.by)

    def _decline_by_playing(self, side: str) -> None:
        """An offer is rejected by touching a piece with the intention of moving it (9.1.2.1)."""
        if OTHER[side] in self.offers:
            self.offers.discard(OTHER[side])
            self._rule("draw_declined", "draw_offer", by=side)

    def _accept_draw(self, fact: f.AcceptDraw) -> None:
        if self._closed("accept_draw", fact.by):
            return
        if OTHER[fact.by] not in self.offers:
            self._refuse(fact.by, "accept_draw", "no_offer", "draw_offer")
            return
        plies = len(self.history) + (self.turn.made is not None)
        if self._switch("agreement_needs_a_move_of_each") and plies < 2:
            self._refuse(fact.by, "accept_draw", "too_early", "agreement")
            return
        self._end(DRAW, "agreement", "agreement")

    def _decline_draw(self, fact: f.DeclineDraw) -> None:
        if self._closed("decline_draw", fact.by):
            return
        if OTHER[fact.by] not in self.offers:
            self._refuse(fact.by, "decline_draw", "no_offer", "draw_offer")
            return
        self.offers.discard(OTHER[fact.by])
        self._rule("draw_declined", "draw_offer", by=fact.by)

    def _resign(self, fact: f.Resign) -> None:
        if self._closed("resign", fact.by):
            return
        result = LOSES[fact.by]
        if self._switch("resignation_draws_when_opponent_cannot_mate"):
            result = self._loses_unless_dead(fact.by)
        self._end(result, "resignation", "resignation")

    def _claim_draw(self, fact: f.ClaimDraw) -> None:
        if self._closed("claim_draw", fact.by):
            return
        rule = "claim_repetition" if fact.rule == "repetition" else "claim_fifty_moves"
        if fact.by != self.side:
            self._refuse(fact.by, "claim_draw", "not_on_move", rule)
            return
        if self.turn.claim_lost:
            self._refuse(fact.by, "claim_draw", "claim_lost", "claim_lost_by_touch")
            return
        board = self.board.copy()
        if fact.move is not None:
            move = _legal(board, fact.move)
            if move is None:
                self._refuse(fact.by, "claim_draw", "cannot_move_there", "moving", move=fact.move)
                return
            board.push(move)
        correct = (
            board.is_repetition(3) if fact.rule == "repetition" else board.halfmove_clock >= 100
        )

        def confirm() -> None:
            if correct:
                reason = "repetition" if fact.rule == "repetition" else "fifty_moves"
                self._end(DRAW, reason, rule)
            else:
                self._wrong_claim(fact.by)

        self._propose(
            "claim",
            (rule, "claim"),
            {"by": fact.by, "rule": fact.rule, "correct": correct},
            confirm,
            lambda: self._resume(self.side),
        )

    def _wrong_claim(self, by: str) -> None:
        assert self.setup is not None
        gains = OTHER[by]
        given = self._switch("wrong_claim_penalty_seconds")[self.setup.mode]
        if not self.clock:
            self._rule("arbiter_needed", "wrong_claim", why="penalty")
            return
        if self._switch("wrong_claim_halves_time"):
            self.clock.set(by, self.clock.left[by] - min(self.clock.left[by] // 2, 180_000))
        self.clock.set(gains, self.clock.left[gains] + given * 1000)
        self._rule(
            "penalty", "wrong_claim", player=by, gives=gains, seconds=given, status="confirmed"
        )
        self._resume(self.side)

    # --- flags -----------------------------------------------------------------------------

    def _watch_flags(self) -> None:
        """A flag that has fallen is noticed by the table with the next fact."""
        if self.over or self.pending is not None or not self.clock.flags:
            return
        self._fallen(self.clock.flags[0], "table")

    def _fallen(self, side: str, called_by: str) -> None:
        result = LOSES[side]
        if self.position.has_insufficient_material(COLOURS[OTHER[side]]):
            result = DRAW

        def reject() -> None:
            self.clock.flags.clear()
            self._rule("arbiter_needed", "arbiter_sets_clocks", why="set_clock")

        self._propose(
            "flag",
            ("flag", "win_on_time"),
            {"by": side, "called_by": called_by},
            lambda: self._end(result, "flag", "win_on_time"),
            reject,
        )

    def _claim_time(self, fact: f.ClaimTime) -> None:
        if self._closed("claim_time", fact.by):
            return
        side = fact.by
        if fact.by.startswith("assistant:"):
            acting = self._acting(fact.by, "claim_time", duty="clock")
            if acting is None:
                return
            side = acting
        against = self.side if side == "arbiter" else OTHER[side]
        if against in self.clock.flags:
            self._fallen(against, fact.by)
        else:
            self._refuse(fact.by, "claim_time", "flag_has_not_fallen", "flag")

    # --- what this program leaves to the arbiter -------------------------------------------

    def _irregular(self, fact: f.Irregular) -> None:
        if self._closed("irregular", fact.by):
            return
        if fact.what == "two_hands" and self._switch("two_hands_is_illegal"):
            self._illegal(self.side, None, "two_hands")
            return
        rule = {"displaced": "displaced", "wrong_start": "wrong_position"}.get(fact.what, fact.what)
        self._rule("arbiter_needed", rule, why=fact.what)

    def _adjournment(self, fact: f.Seal | f.OpenEnvelope) -> None:
        if not self._closed(fact.kind, fact.by):
            self._rule("arbiter_needed", "adjournment", why=fact.kind)

    def _tick(self, fact: f.Tick) -> None:
        """Time has passed; the flags have been looked at already."""


_ILLEGAL_BY_ITSELF = ("press_without_move", "two_hands", "pawn_not_replaced")

_HANDLERS: dict[type[Fact], Callable[[Game, Any], None]] = {
    f.Start: Game._start,
    f.Lift: Game._lift,
    f.Place: Game._place,
    f.Position: Game._position,
    f.Adjust: Game._adjust,
    f.Announce: Game._announce,
    f.Repeat: Game._repeat,
    f.Correct: Game._correct,
    f.Make: Game._make,
    f.Touch: Game._touch,
    f.Press: Game._press,
    f.Record: Game._record,
    f.OfferDraw: Game._offer_draw,
    f.AcceptDraw: Game._accept_draw,
    f.DeclineDraw: Game._decline_draw,
    f.Resign: Game._resign,
    f.ClaimDraw: Game._claim_draw,
    f.ClaimTime: Game._claim_time,
    f.Query: Game._query,
    f.Irregular: Game._irregular,
    f.Seal: Game._adjournment,
    f.OpenEnvelope: Game._adjournment,
    f.Arbiter: Game._arbiter,
    f.Tick: Game._tick,
}


def fold(facts: Iterable[Fact], words: Words) -> Iterator[Ruling]:
    """All rulings of a game, in order."""
    game = Game(words)
    for fact in facts:
        yield from game.apply(fact)


def _returns_every_four_plies(board: chess.Board, times: int) -> bool:
    """Whether the position stood ``times`` times, four plies apart, the last time now."""
    earlier = board.copy()
    for _ in range(times - 1):
        for _ in range(4):
            earlier.pop()
        if earlier.fen().split()[:4] != board.fen().split()[:4]:
            return False
    return True


def _after(board: chess.Board, move: chess.Move) -> dict[int, chess.Piece]:
    """The placement after ``move``."""
    after = board.copy(stack=False)
    after.push(move)
    return after.piece_map()


def _placement(pieces: Mapping[int, chess.Piece]) -> str:
    board = chess.BaseBoard(None)
    board.set_piece_map(pieces)
    return board.board_fen()


def _is_legal(board: chess.Board, uci: str) -> bool:
    return _legal(board, uci) is not None


def _legal(board: chess.Board, uci: str) -> chess.Move | None:
    """The legal move with this UCI, castling in either spelling; None if there is none."""
    try:
        return board.parse_uci(uci)
    except ValueError:
        return None


def _moved_anyhow(board: chess.Board, move: chess.Move) -> dict[int, chess.Piece]:
    """The placement after a hand moved a piece without asking the Laws."""
    pieces = board.piece_map()
    piece = pieces.pop(move.from_square, None)
    if piece is not None:
        kind = move.promotion or piece.piece_type
        pieces[move.to_square] = chess.Piece(kind, piece.color)
    return pieces


def _guess(
    before: Mapping[int, chess.Piece], after: Mapping[int, chess.Piece]
) -> chess.Move | None:
    """The one piece that went from one square to another, if that is all that happened."""
    gone = [square for square in before if square not in after]
    come = [square for square, piece in after.items() if before.get(square) != piece]
    if len(gone) == len(come) == 1 and before[gone[0]].color == after[come[0]].color:
        return chess.Move(gone[0], come[0])
    return None


def _why_illegal(board: chess.Board, move: chess.Move | None) -> str:
    if move is None:
        return "cannot_move_there"
    piece = board.piece_at(move.from_square)
    if piece is None:
        return "no_such_piece"
    if piece.color != board.turn:
        return "not_his_piece"
    back = 7 if board.turn == chess.WHITE else 0
    last_rank = chess.square_rank(move.to_square) == back
    if piece.piece_type == chess.PAWN and last_rank and not move.promotion:
        queen = chess.Move(move.from_square, move.to_square, chess.QUEEN)
        if queen in board.legal_moves:
            return "pawn_not_replaced"
    return "king_in_check" if board.is_pseudo_legal(move) else "cannot_move_there"
