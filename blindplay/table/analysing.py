"""Analysis by moving pieces: a person tries moves on a board, by ear or by keyboard, and hears who
stands better, the best line and the name of the opening."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import chess
import chess.engine
import chess.pgn

from blindplay.boards import events
from blindplay.boards.nameless import certain_moves, possible_moves
from blindplay.given import sentence_of, shown
from blindplay.hearing.decision import Decision
from blindplay.language import About, AnalysisWord, Command, Key, analysis_word_of, key_of
from blindplay.language.mixed_text import in_language
from blindplay.language.pack import fold
from blindplay.laws.deviation import UNKNOWN
from blindplay.laws.placement import Pieces, difference, moves_that_show, pieces_of
from blindplay.laws.unidentified_pieces import occupied
from blindplay.opponents.analysis import AS_GOOD, Analyst, Judgement
from blindplay.opponents.questions import (
    Arrival,
    BackgroundAnalyst,
    BestLine,
    Compared,
    ComparedLines,
    EngineAnswer,
    EngineRefused,
    EngineReplaced,
    best_line,
    compare,
)
from blindplay.opponents.uci import EngineProgram
from blindplay.record.analysis_tree import AnalysisTree, game_from, new_analysis
from blindplay.record.files import write_new
from blindplay.record.openings import OpeningName, can_name, opening_of, remedy
from blindplay.speech.synthesis import is_words
from blindplay.translation import _
from blindplay.wording.announcements import result_in_words
from blindplay.wording.board_steps import named
from blindplay.wording.evaluation import evaluation_in_words
from blindplay.wording.position import in_order

from .another_position import SETTING_UP, AnotherPosition, phrases_for_pieces
from .attendant import EndedError, Event, News
from .reviewing import Teacher
from .shown_places import earlier, is_on_the_way, move_instead, move_of_other_side

LONGEST_S = 6.0
"""Seconds that an engine may look at one position. An engine that hangs is replaced soon after."""
_PLIES = 6
"""So many moves of the best line are told, unless another number is asked for."""
_MOST_PLIES = 40
_ASKED = (
    Command.POSITION, Command.MATERIAL, Command.PAWNS, Command.LAST_MOVE, Command.LAST_MOVES,
    Command.SCORE, Command.CAPTURED, Command.WHAT_NOW, Command.HELP, Command.TAKE_BACK,
    Command.HINT,
)  # fmt: skip
_UNHEARD = (AnalysisWord.ANALYSE, AnalysisWord.FEN, AnalysisWord.KEEP, *SETTING_UP)
_SPOKEN_NUMBERS = range(1, 10)
_OTHER_REASONS = {
    "insufficient_material": "dead_position",
    "fivefold_repetition": "fivefold",
}
"""The names of our sentences for ends that ``chess`` names otherwise."""


class Analysing:
    """Analyses the positions of ``tree`` with one person, from the place where it is.

    ``analyst`` is None without an engine. ``may_look`` raises ValueError while a table plays a
    game; it is asked before everything that is done (11.3.1). ``given``: the position was asked
    for, so hands are led to it.
    """

    def __init__(
        self,
        teacher: Teacher,
        tree: AnalysisTree,
        analyst: Analyst | None,
        may_look: Callable[[], None],
        *,
        given: bool = False,
    ) -> None:
        self._teacher, self._pack, self._tree = teacher, teacher.pack, tree
        self._voice = teacher.voice
        self._attendant, self._may_look = teacher.attendant, may_look
        tell = teacher.attendant.tell
        self._engine = None if analyst is None else BackgroundAnalyst(analyst, tell)
        self._asked = 0
        self._pending: int | None = None
        """The question that an engine is to answer."""
        self._keys_over = False
        self._opening = ""
        self._goes = given
        """True if hands are to be led to the place."""
        self._near = False
        """True if only one move leads there, which was told."""
        self._settled: Pieces = {}
        """What the board showed when it last showed a place of the tree."""
        self._shown: Pieces = {}
        self._emptied: set[chess.Square] = set()
        self._differs = self._lost = self._unsaved = False
        self._setting: AnotherPosition | None = None
        self._reading = 0
        self._then: Callable[[], object] | None = None
        """What waits until the board has told all that hands have done."""

    def run(self) -> None:
        """Analyse until the person ends.

        :raises ValueError: if a table plays a game now.
        """
        try:
            self._begin()
            while not (self._keys_over and self._pending is None):
                self._step()
        except EndedError:
            pass
        finally:
            if self._unsaved:  # there may be room now; if not, that is told once more
                self._unsaved = False
                with self._saving():
                    self._tree.keep()
            if self._engine is not None:
                self._engine.close()
            if self._teacher.answers.ear is not None:
                self._teacher.answers.ear.rest()

    @property
    def _has_board(self) -> bool:
        return self._attendant.board is not None

    @property
    def _board(self) -> chess.Board:
        return self._tree.board

    def _begin(self) -> None:
        self._say("analyse_begin_board" if self._has_board else "analyse_begin")
        self._say("analyse_keys")
        self._say("analyse_keys_more")
        if not can_name():
            self._say("analyse_no_names")
            self._voice.trouble(remedy())
        board = self._board
        moved = [self._last_move(board)] if board.move_stack and board.peek() else []
        self._voice.tell([*moved, self._voice.to_move(board)])
        self._arrive()

    def _step(self) -> None:
        placement = self._attendant.placement()
        if self._goes and placement is not None and self._setting is None:
            self._goes, near, self._near = False, self._near, False
            goal = pieces_of(self._board)
            if named(placement, goal) == goal:
                if self._lost:
                    self._say("set_up_done")
            else:
                self._attendant.lead(goal, move=near and not self._lost, heed=self._stays)
            self._lost = False
            placement = self._attendant.placement()
            self._settle(goal if placement is None else named(placement, goal))
            return
        # A script waits for each answer; a person need not.
        answered = self._pending is None or self._attendant.terminal
        typed = answered and self._then is None
        self._take(self._attendant.event(hands=True, typed=typed))

    def _stays(self, event: Decision | News | str) -> bool:
        """Take what arrives while hands are led; return whether they go to the same position."""
        node, self._goes = self._tree.node, False
        self._take(event)
        stays = self._tree.node is node and self._setting is None
        self._goes = self._goes or not stays
        return stays

    def _take(self, event: Event) -> None:
        if event is None:
            self._keys_over = True
            if self._attendant.terminal:
                raise EndedError
        elif isinstance(event, str):
            self._line(event)
        elif isinstance(event, Decision):
            self._hear(event)
        elif isinstance(event, News):
            self._answered(event.what)
        else:
            self._feel(event)

    # --- what the person says or types -----------------------------------------------------------

    def _hear(self, decision: Decision) -> None:
        taken = decision.taken
        if taken is not None and taken.meant.command is Command.REPEAT:
            self._voice.again()
            return
        text = self._teacher.answers.taken(decision, self._board)
        if text:
            self._line(text)

    def _line(self, line: str) -> None:
        self._may_look()
        if self._setting is not None:
            self._set_up_line(line, self._setting)
            return
        key = key_of(self._pack, line)
        first, _space, rest = line.partition(" ")
        found = analysis_word_of(self._pack, line)
        if not line:
            self._tell_due()
        elif key is Key.END:
            raise EndedError
        elif key is Key.HELP:
            self._say("analyse_keys")
            self._say("analyse_keys_more")
        elif key is Key.REPEAT:
            self._voice.again()
        elif found is not None:
            self._do(*found)
        elif key_of(self._pack, first) is Key.BACK and (count := self._count(rest, 1)):
            self._back(count)
        elif line.isdecimal() or (len(line.split()) == 1 and self._count(line) > 0):
            self._choose(self._count(line))
        else:
            self._answer(line)

    def _do(self, word: AnalysisWord, rest: str) -> None:
        match word:
            case AnalysisWord.EVALUATION if self._board.is_game_over():
                self._arrive()
            case AnalysisWord.EVALUATION:
                self._ask(lambda analyst, board: analyst.judge(board, closer=True))
            case AnalysisWord.BEST_LINE:
                self._ask_line(self._count(rest, _PLIES))
            case AnalysisWord.COMPARE:
                self._compare(rest)
            case AnalysisWord.OPENING:
                self._tell_opening(opening_of(self._board))
            case AnalysisWord.FORWARD:
                self._forward(max(1, self._count(rest, 1)))
            case AnalysisWord.START:
                self._go(self._tree.game)
            case AnalysisWord.VARIATIONS:
                self._tell_tried()
            case AnalysisWord.OTHER_SIDE:
                self._pass()
            case AnalysisWord.SET_UP:
                self._after_hands(self._begin_set_up)
            case AnalysisWord.FEN:
                self._voice.show(self._board.fen())
            case AnalysisWord.KEEP:
                self._keep_as(rest)
            case _:
                self._say("not_understood")

    def _answer(self, line: str) -> None:
        """Take a move, or answer a question."""
        board = self._board
        meant = self._pack.understand(line, board)
        command = meant.command or self._pack.letters.get(fold(line))
        if command is Command.HINT:
            self._ask_line(1)
        elif command is Command.TAKE_BACK:
            self._back(1)
        elif command is Command.WHAT_NOW:
            self._tell_due()
        elif told := self._voice.answer(
            board, in_order(board.root(), board.move_stack), command, meant.about or About()
        ):
            self._voice.tell(told)
        elif (move := self._teacher.move_meant(line, board)) is not None:
            self._play_led(move)

    def _count(self, words: str, usual: int = 0) -> int:
        """The number that was typed or said; ``usual`` if nothing was, 0 if it is none."""
        text = fold(words)
        if not text:
            return usual
        if text.isdecimal():
            return min(int(text[:4]), _MOST_PLIES)
        numbers = range(1, _MOST_PLIES + 1)
        return next((one for one in numbers if fold(self._pack.number(one)) == text), 0)

    # --- moves -----------------------------------------------------------------------------------

    def _play(self, move: chess.Move) -> None:
        """Go to the position after a move, and tell it."""
        board = self._board
        with self._saving():
            self._tree.play(move)
        self._voice.tell([self._voice.move(board, move)])
        self._arrive()

    def _play_led(self, move: chess.Move) -> None:
        """Go to the position after a move, and lead hands there."""
        self._play(move)
        self._near, self._goes = True, self._has_board

    def _go(self, node: chess.pgn.GameNode, *, led: bool = True) -> None:
        """Go to another place, and tell which one it is. ``led``: lead hands there."""
        self._tree.go(node)
        board = self._board
        moved = self._last_move(board) if board.move_stack else self._pack.sentence("no_last_move")
        self._voice.tell([moved, self._voice.to_move(board)])
        self._goes = led and self._has_board
        self._arrive()

    def _back(self, count: int) -> None:
        node = self._tree.node
        if node.parent is None:
            self._voice.tell([self._pack.sentence("no_last_move")])
        elif count > 1:
            path = list(self._tree.path_to(node))
            self._go(path[min(count, len(path) - 1)])
        else:
            self._take_back(node.parent)
            self._near, self._goes = True, self._has_board

    def _take_back(self, parent: chess.pgn.GameNode) -> None:
        """Go back by the last move, and tell it."""
        board = self._board
        move = board.pop()
        self._tree.go(parent)
        moved = [self._voice.move(board, move, "follow_back_move")] if move else []
        self._voice.tell([*moved, self._voice.to_move(board)])
        self._arrive()

    def _forward(self, count: int) -> None:
        node = self._tree.following()
        if node is None:
            self._voice.tell([self._pack.sentence("analyse_no_more")])
        elif count > 1:
            for _ in range(count):
                if (node := self._tree.following()) is not None:
                    self._tree.go(node)
            self._go(self._tree.node)
        else:
            others = len(self._tree.node.variations) - 1
            assert node.move is not None
            self._play_led(node.move)
            if others:
                count_of = self._voice.number(others)
                self._voice.tell([self._pack.sentence("analyse_others", count=count_of)], more=True)

    def _pass(self) -> None:
        """Let the same side move again. Where nothing was tried, the other side begins."""
        board = self._board
        if board.is_check():
            self._say("analyse_pass_in_check", player=self._voice.player(board.turn))
            return
        if self._tree.node.parent is None and not self._tree.node.variations:
            board.turn, board.ep_square = not board.turn, None
            with self._saving():
                self._tree.begin(board)
            self._voice.tell([self._voice.to_move(board)])
            self._arrive()
        else:
            self._play(chess.Move.null())
            self._voice.tell([self._voice.to_move(self._board)], more=True)

    def _tell_tried(self) -> None:
        """Tell the moves that were tried here, by number."""
        board, tried = self._board, self._tree.node.variations
        if not tried:
            self._voice.tell([self._pack.sentence("analyse_none_tried")])
            return
        self._voice.tell(
            self._pack.sentence(
                "puzzles_choice",
                number=self._voice.number(number),
                choice=self._said(board, node.move),
            )
            for number, node in enumerate(tried, 1)
        )

    def _choose(self, number: int) -> None:
        tried = self._tree.node.variations
        if 0 < number <= len(tried):
            self._play_led(tried[number - 1].move)
        else:
            self._tell_tried()

    def _arrive(self) -> None:
        """The place is another one: judge it, name its opening, and listen for its moves."""
        self._teacher.answers.forget()
        self._differs = False
        self._listen()
        board = self._board
        self._pending = None
        outcome = board.outcome()
        if outcome is not None:
            self._voice.tell([self._over(outcome)], more=True)
        elif self._engine is None:
            self._note_opening(opening_of(board))
        else:
            self._ask(lambda analyst, at: Arrival(opening_of(at), analyst.judge(at)))

    def _over(self, outcome: chess.Outcome) -> str:
        reason = outcome.termination.name.lower()
        reason = _OTHER_REASONS.get(reason, reason)
        said = self._pack.sentence(f"game_over_{reason}")
        return result_in_words(self._pack, outcome.result(), said)

    # --- the engine and the names ----------------------------------------------------------------

    def _ask(self, question: Callable[[Analyst, chess.Board], object]) -> None:
        """Ask the engine about the place. Its answer arrives as news."""
        if self._engine is None:
            self._say("analyse_no_engine")
            return
        board = self._board
        self._asked += 1
        self._pending = self._asked
        self._engine.ask(self._asked, lambda analyst: question(analyst, board))

    def _ask_line(self, plies: int) -> None:
        if not plies:
            self._say("not_understood")
        elif self._board.is_game_over():
            self._arrive()
        else:
            self._ask(lambda analyst, board: best_line(analyst, board, plies))

    def _compare(self, rest: str) -> None:
        """Compare two moves, or the ends of the lines that were tried here."""
        board = self._board
        two = self._two_moves(board, rest) if rest else ()
        if rest and not two:
            self._say("analyse_compare_what")
            return
        tried = (tuple(_line_from(node)) for node in self._tree.node.variations)
        lines: list[tuple[chess.Move, ...]] = [(move,) for move in two] or list(tried)
        if len(lines) < 2:
            self._say("analyse_compare_what")
            return
        self._ask(lambda analyst, at: compare(analyst, at, lines))

    def _two_moves(self, board: chess.Board, words: str) -> tuple[chess.Move, ...]:
        """The two moves that the words name, with or without a word such as *and* between them."""
        texts = words.replace(",", " ").split()
        found = set()
        for at in range(1, len(texts)):
            for skipped in (0, 1):
                pair = " ".join(texts[:at]), " ".join(texts[at + skipped :])
                moves = [self._pack.understand(one, board).move for one in pair if one]
                if len(moves) == 2 and None not in moves and moves[0] != moves[1]:
                    found.add((moves[0], moves[1]))
        return found.pop() if len(found) == 1 else ()  # type: ignore[return-value]

    def _answered(self, what: object) -> None:
        if isinstance(what, EngineRefused):
            raise what.error
        if isinstance(what, EngineReplaced):
            if what.by_built_in:
                self._say("review_engine_failed")
            else:
                self._engine = None
                self._pending = None
                self._say("analyse_no_engine")
            return
        if not isinstance(what, EngineAnswer) or what.key != self._pending:
            return  # an answer about another place
        self._pending, board = None, self._board
        match what.value:
            case Arrival(opening, judged):
                self._note_opening(opening)
                self._tell_judged(board, judged)
            case Judgement() as judged:
                self._tell_judged(board, judged)
                self._voice.show(_in_pawns(judged, board))
            case BestLine(judged, line):
                self._tell_line(board, line)
                self._tell_judged(board, judged)
            case ComparedLines(lines):
                self._tell_compared(board, lines)

    def _tell_judged(self, board: chess.Board, judged: Judgement) -> None:
        with self._saving():
            self._tree.judge(self._tree.node, chess.engine.PovScore(judged.score, board.turn))
        words = evaluation_in_words(self._pack, board.turn, judged.chance, judged.mate)
        self._voice.tell([words], more=True)

    def _tell_line(self, board: chess.Board, line: Sequence[chess.Move]) -> None:
        told, at = [self._pack.sentence("analyse_line")], board.copy()
        for move in line:
            told.append(self._voice.move(at, move))
            at.push(move)
        self._voice.tell(told)

    def _tell_compared(self, board: chess.Board, lines: Sequence[Compared]) -> None:
        told = []
        for one in lines:
            told.append(self._voice.move(board, one.move))
            if (outcome := one.end.outcome()) is not None:
                told.append(self._over(outcome))
            else:
                judged = one.judgement
                told.append(
                    evaluation_in_words(self._pack, one.end.turn, judged.chance, judged.mate)
                )
            told.append(self._teacher.reason(one.bad))
        best = lines[0].chance
        good = [self._said(board, one.move) for one in lines if best - one.chance < AS_GOOD]
        if len(good) > 1:
            told.append(self._pack.sentence("analyse_as_good", moves=", ".join(good)))
        else:
            told.append(self._pack.sentence("analyse_is_better", move=good[0]))
        self._voice.tell(filter(None, told))

    def _note_opening(self, opening: OpeningName | None) -> None:
        """Tell the name of an opening when it becomes another one, and keep it."""
        if opening is None:
            return
        if self._tree.node.is_mainline():
            with self._saving():
                self._tree.name(opening)
        if not self._opening.startswith(opening.name):
            self._tell_opening(opening)
        self._opening = opening.name

    def _tell_opening(self, opening: OpeningName | None) -> None:
        if not can_name():
            self._voice.tell([self._pack.sentence("analyse_no_names")])
            self._voice.trouble(remedy())
        elif opening is None:
            self._voice.tell([self._pack.sentence("analyse_no_opening")])
        else:
            name = ", ".join(part for part in opening.parts if is_words(part, "en"))
            said = in_language(name, "en")
            self._voice.tell([self._pack.sentence("analyse_opening", name=said)], more=True)
            self._voice.show(opening.eco)

    # --- what hands do on the board --------------------------------------------------------------

    def _feel(self, event: events.BoardEvent) -> None:
        attendant = self._attendant
        if isinstance(event, events.Disconnected):
            self._lost = True
        told = isinstance(event, events.Read) and event.number == self._reading
        if told or isinstance(event, events.Disconnected | events.PositionUnknown):
            then, self._then = self._then, None
            if then is not None:
                then()
        if isinstance(event, events.Lifted):
            self._emptied.add(chess.parse_square(event.square))
        known = (events.Lifted, events.Placed, events.BoardPosition)
        placement = attendant.placement(event) if isinstance(event, known) else None
        if placement is None:
            return
        self._may_look()
        goal = pieces_of(self._board)
        pieces = named(placement, goal)
        before, self._shown = self._shown, pieces
        if self._setting is not None:
            self._setting.put_by_hand(before, pieces)
        elif not self._goes:
            back, self._lost = self._lost, False
            placed = not isinstance(event, events.Lifted)
            if UNKNOWN in placement:
                self._feel_unnamed(placement, goal, placed=placed, back=back)
            else:
                self._feel_named(pieces, goal, placed=placed, back=back)

    def _after_hands(self, then: Callable[[], object]) -> None:
        """Do something when the board has told all that hands have done by now."""
        board = self._attendant.board
        if board is None or self._attendant.placement() is None:
            then()
            return
        self._reading += 1
        self._then = then
        board.read(self._reading)

    def _settle(self, pieces: Pieces) -> None:
        self._settled = self._shown = dict(pieces)
        self._emptied.clear()
        self._differs = False

    def _feel_named(self, pieces: Pieces, goal: Pieces, *, placed: bool, back: bool) -> None:
        if pieces == goal:
            if self._differs or back:
                self._say("set_up_done")
            self._settle(pieces)
        elif self._moved_by_hand(pieces, goal):
            self._settle(pieces)
        elif (
            placed
            and not self._differs
            and not is_on_the_way(self._tree.node, pieces, self._settled)
        ):
            self._differs = True
            self._say("analyse_differs")

    def _moved_by_hand(self, pieces: Pieces, goal: Pieces) -> bool:
        """Go where the board shows: after a move, before the last ones, or after another move
        instead of the last one. Return whether it shows such a place."""
        board = self._board
        move = next(moves_that_show(board, difference(pieces, goal)), None)
        if move is not None:
            self._play(move)
        elif (place := earlier(self._tree.node, lambda shown: shown == pieces)) is not None:
            self._return(place)
        elif (instead := move_instead(self._tree.node, pieces)) is not None:
            move, only_begun = instead
            with self._saving():
                self._tree.back(drop=only_begun)
            self._play(move)
        elif not is_on_the_way(self._tree.node, pieces, self._settled) and (
            passed := move_of_other_side(board, difference(pieces, goal))
        ):
            with self._saving():
                self._tree.play(chess.Move.null())
            self._voice.tell([self._voice.move(board, chess.Move.null())])
            self._play(passed)
        else:
            return False
        return True

    def _return(self, place: chess.pgn.GameNode) -> None:
        """Go to an earlier place, which the board shows."""
        if place is self._tree.node.parent:
            self._take_back(place)
        else:
            self._go(place, led=False)

    def _feel_unnamed(self, placement: str, goal: Pieces, *, placed: bool, back: bool) -> None:
        """Find the move on a board that knows only which squares are occupied."""
        board, holes = self._board, occupied(placement)
        if holes == goal.keys():
            if self._differs or back:
                self._say("set_up_done")
            self._settle(goal)
            return
        emptied = int(chess.SquareSet(self._emptied))
        # A piece in the hand looks like one that has captured.
        moves_that_fit = possible_moves if placed else certain_moves
        moves = moves_that_fit(board, int(chess.SquareSet(holes)), emptied)
        place = earlier(self._tree.node, lambda shown: shown.keys() == holes)
        if len(moves) == 1 and place is None:
            self._play(moves[0])
        elif not moves and place is not None:
            self._return(place)
        else:
            if placed and (moves or len(holes) >= len(goal)) and not self._differs:
                self._differs = True
                self._say("analyse_unclear" if moves else "analyse_differs")
            return
        self._settle(pieces_of(self._board))

    # --- another position ------------------------------------------------------------------------

    def _begin_set_up(self) -> None:
        """Take what stands on the board, or begin to set a position up."""
        goal, placement = pieces_of(self._board), self._attendant.placement()
        nameless = placement is None or UNKNOWN in placement
        pieces = goal
        if placement is not None and not nameless:
            pieces = self._shown = named(placement, goal)
        self._setting = AnotherPosition(self._voice, self._say, pieces)
        if pieces != goal and (board := self._setting.finished(self._board.turn)) is not None:
            self._take_position(board)
            return
        self._say("analyse_set_up_board" if self._has_board and not nameless else "analyse_set_up")
        self._listen()

    def _set_up_line(self, line: str, setting: AnotherPosition) -> None:
        pack, key = self._pack, key_of(self._pack, line)
        word = analysis_word_of(pack, line)
        if key is Key.END:
            raise EndedError
        if key is Key.BACK:
            self._setting = None
            self._say("analyse_cancelled")
            self._goes = self._has_board
            self._listen()
        elif line.count("/") == 7:
            self._take_position(setting.of_fen(line))
        elif (word is not None and word[0] is AnalysisWord.READY) or (
            pack.understand(line, self._board).command is Command.DONE
        ):
            self._after_hands(lambda: self._take_position(setting.finished(self._board.turn)))
        elif setting.put(line):
            return
        elif not line or key in (Key.HELP, Key.REPEAT):
            self._say("analyse_set_up_board" if self._has_board else "analyse_set_up")
            setting.tell()
        else:
            self._say("not_understood")

    def _take_position(self, board: chess.Board | None) -> None:
        """Analyse the position that was set up, if there is one."""
        if board is None:
            return
        self._setting, self._opening = None, ""
        with self._saving():
            self._tree.begin(board)
        self._voice.tell(
            [self._sentence("analyse_set_up_done"), self._voice.to_move(board)]
            + ([self._sentence("analyse_castling")] if board.castling_rights else [])
        )
        self._goes = self._has_board
        self._arrive()

    # --- files -----------------------------------------------------------------------------------

    @contextmanager
    def _saving(self) -> Iterator[None]:
        """A disk that cannot be written is told once; the analysis goes on, and is written again
        with the next move."""
        try:
            yield
            self._unsaved = False
        except OSError as error:
            if not self._unsaved:
                self._voice.trouble(sentence_of(error))
            self._unsaved = True

    def _keep_as(self, name: str) -> None:
        """Write everything as PGN, or the position as FEN, into a file that does not exist yet."""
        pack, voice = self._pack, self._voice
        if not name:
            with self._saving():
                self._tree.keep()
                voice.show(pack.printed("analyse_kept", path=self._tree.path))
            return
        path, fen = Path(name), False
        try:
            path = path.expanduser()
            if not path.name.strip("."):
                raise ValueError(name)
            path = path if path.suffix else path.with_suffix(".pgn")
            fen = path.suffix.lower() == ".fen"
            text = f"{self._board.fen()}\n" if fen else self._tree.text
            if path.exists() or path.is_symlink():
                raise FileExistsError
            write_new(path, text.encode())
        except FileExistsError:
            self._say("analyse_no_file")
            self._voice.trouble(_("{path} exists already; give another name.", path=path))
        except OSError as error:
            self._say("analyse_no_file")
            self._voice.trouble(sentence_of(error))
        except (ValueError, RuntimeError):  # no name of a file, or the home of nobody
            self._say("analyse_no_file")
            self._voice.trouble(_("{name} cannot be the name of a file.", name=shown(name)))
        else:
            voice.show(pack.printed("analyse_fen_kept" if fen else "analyse_kept", path=path))

    # --- words -----------------------------------------------------------------------------------

    def _tell_due(self) -> None:
        """Tell what can be done now; a board that shows another position is put right."""
        placement, goal = self._attendant.placement(), pieces_of(self._board)
        if placement is not None and named(placement, goal) != goal:
            self._goes = True
            return
        if self._pending is not None:
            self._say("analyse_thinking")
        self._voice.say(self._voice.to_move(self._board))
        self._say("analyse_due")

    def _listen(self) -> None:
        ear, pack = self._teacher.answers.ear, self._pack
        if ear is None:
            return
        if self._setting is not None:
            ear.listen(None, phrases_for_pieces(pack))
            return
        line = pack.analysis_phrases(AnalysisWord.BEST_LINE)[0]
        numbers = [pack.number(number) for number in _SPOKEN_NUMBERS]
        ear.listen(
            self._board,
            [
                *(
                    phrase
                    for word in AnalysisWord
                    if word not in _UNHEARD
                    for phrase in pack.analysis_phrases(word)
                ),
                *(f"{line} {number}" for number in numbers),
                *numbers[: len(self._tree.node.variations)],
                *pack.command_phrases(_ASKED),
            ],
        )

    def _last_move(self, board: chess.Board) -> str:
        before = board.copy()
        return self._voice.move(before, before.pop(), "last_move")

    def _said(self, board: chess.Board, move: chess.Move | None) -> str:
        """A move inside of a sentence."""
        if not move:
            return self._voice.move(board, chess.Move.null()).rstrip(".")
        return self._pack.announce(board, move)

    def _sentence(self, key: str, **values: str) -> str:
        """A sentence of the pack, with the words that can be typed."""
        return self._pack.sentence(key, **{**self._voice.keys, **self._words, **values})

    @cached_property
    def _words(self) -> dict[str, str]:
        """A phrase for each word of the analysis: one that can be said, if there is one."""
        ear, found = self._teacher.answers.ear, {}
        for word in AnalysisWord:
            phrases = self._pack.analysis_phrases(word)
            said = (one for one in phrases if ear is not None and ear.knows(one))
            found[word.value] = next(said, phrases[0])
        return found

    def _say(self, key: str, **values: str) -> None:
        """Say a sentence that is not repeated later."""
        self._voice.say(self._sentence(key, **values))


def _line_from(node: chess.pgn.GameNode) -> Iterator[chess.Move]:
    """The moves of a line, from that of ``node`` to its end."""
    at: chess.pgn.GameNode | None = node
    while at is not None:
        assert at.move is not None
        yield at.move
        at = at.variations[0] if at.variations else None


def _in_pawns(judged: Judgement, board: chess.Board) -> str:
    """A score as programs write it: for White, in pawns, or ``#3``."""
    score = chess.engine.PovScore(judged.score, board.turn).white()
    if score.is_mate():
        return f"#{score.mate()}"
    pawns = (score.score() or 0) / 100
    return "0.00" if math.isclose(pawns, 0) else f"{pawns:+.2f}"


class TryingOut:
    """Analyses from positions of a review or of puzzles, with the engine ``program``. ``goes_on``
    is the sentence after it."""

    def __init__(
        self, teacher: Teacher, program: EngineProgram, may_look: Callable[[], None]
    ) -> None:
        self._teacher, self._program, self._may_look = teacher, program, may_look
        self._trees: dict[str, AnalysisTree] = {}

    def __call__(self, board: chess.Board, goes_on: str) -> None:
        """Analyse from ``board``, with the moves that led there, until the person ends."""
        teacher, begin = self._teacher, board.root().fen()
        tree = self._trees.get(begin)
        if tree is None:
            tree = AnalysisTree(new_analysis(), game_from(board), self._program.name)
            self._trees[begin] = tree
        tree.walk(board.move_stack)
        analyst = Analyst(self._program, self._may_look, longest_s=LONGEST_S)
        Analysing(teacher, tree, analyst, self._may_look, given=True).run()
        if tree.kept:
            teacher.voice.show(teacher.pack.printed("analyse_kept", path=tree.path))
        teacher.say(goes_on)
