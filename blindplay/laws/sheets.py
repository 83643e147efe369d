"""Two boards, two scoresheets: entries, comparing, correcting, taking back (D.2.9, 7.6)."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import chess

from . import facts as f
from . import rulings as r
from .clock import ClockState
from .deviation import Explanation, explain
from .permissions import acting
from .placement import Pieces, change, difference, laid_over, pieces_of, write_placement
from .proposals import propose
from .reasons import ArbiterReason, RefusalReason
from .rulings import both_seconds
from .sheet_comparison import Comparison, compare, differences, steps
from .state import OTHER, Effect, Ply, State, TakenBack, Turn, position_key

FIVE_MINUTES = 300_000
HALF_A_MINUTE = 30_000


# Number of plies that a player may write ahead if the edition allows it: the next own move.
_AHEAD = 2


def record(game: State, fact: f.Record) -> None:
    """Write a scoresheet entry, unless it is refused."""
    side = acting(game, fact.by, "record", duty="own")
    if side is None:
        return
    begun = game.turn.announced or game.turn.executed or game.turn.attempted or game.turn.made
    forbidden = game.switch("record_in_advance_forbidden")
    last = len(game.history) + bool(begun)
    if fact.ply > last + (0 if game.over or forbidden else _AHEAD):
        early = forbidden and not game.over
        why: RefusalReason = "written_in_advance" if early else "no_such_ply"
        rule = "record_in_advance" if early else "recording"
        game.refuse(fact.by, "record", why, rule, ply=fact.ply)
        return
    before = game.sheets[side].get(fact.ply)
    if before is not None and before != fact.text:
        game.struck.append((side, fact.ply, before))
    game.sheets[side][fact.ply] = fact.text
    doubt = game.differ_told is not None or (game.history and game.history[-1].misannounced)
    if doubt and not game.over and game.pending is None:
        compare_boards(game, late_entry=True)


def in_order(game: State, board: str) -> bool:
    """A board is in order while it shows the game, lags behind it, or is being moved on."""
    table = game.tables[board]
    shown = table.placement
    if shown in (game.pieces, game.shown_after(table.plies), game.position_pieces()):
        return True
    if any(shown == ply.pieces for ply in game.outstanding(board)):
        return True
    if table.wanted is not None:
        return shown != table.wanted and table.wanted == game.position_pieces()
    # A move begun by its owner is not a wrong position.
    turn = game.turn
    if board == game.board_of(game.side) and not game.outstanding(board):
        return bool(turn.touched or turn.executed or turn.attempted)
    # Neither is what has been announced, on the other board before it is made (D.2.1).
    return turn.announced is not None and shows(game, board, turn.announced)


def in_motion(game: State, board: str) -> bool:
    """Return whether a hand is on its way: one or two pieces are missing, and every other piece
    stands where it was or where a move to be executed here puts it. The player on move may have
    begun."""
    table = game.tables[board]
    base = game.shown_after(table.plies)
    moving = [(ply.before, ply.move) for ply in game.outstanding(board)]
    moving += [(game.board, move) for move in (game.turn.made, game.turn.announced) if move]
    after: dict[int, str | None] = {}
    for before, move in moving:
        after |= change(before, move)
    stands = all(
        base.get(at) == letter or after.get(at) == letter for at, letter in table.placement.items()
    )
    expected = bool(moving) or board == game.board_of(game.side)
    return stands and 0 < len(base) - len(table.placement) <= 2 and expected


def _wrong_boards(game: State, at_rest: str | None) -> list[str]:
    """The boards that are not in order, without those on which a hand is on its way; no hand is
    on the board ``at_rest``."""
    return [
        board
        for board in game.tables
        if not in_order(game, board) and (board == at_rest or not in_motion(game, board))
    ]


def compare_boards(game: State, *, late_entry: bool = False, pressed: str | None = None) -> None:
    """Compare both boards with the game. If they differ, both scoresheets decide (D.2.9). A board
    on which a hand is on its way is not reported, unless its player has just ``pressed``.

    ``late_entry``: something has been written since it was decided. If the sheets now say something
    else than before, it is decided anew.
    """
    if len(game.tables) < 2:
        return
    at_rest = None if pressed is None else game.board_of(pressed)
    wrong = _wrong_boards(game, at_rest)
    # A sighted player announced another move than they made: the scoresheets decide.
    in_doubt = bool(game.history) and game.history[-1].misannounced
    if late_entry:
        wrong += [board for board in game.tables if _is_led(game, board) and board not in wrong]
    elif not wrong and not in_doubt:
        if not any(_is_led(game, board) for board in game.tables):
            game.differ_told = None  # that is settled; what is written from now on changes nothing
        return
    before, sheets = game.differ_told, evidence(game)
    outcome = (sheets.stop, sheets.ply) if sheets.stop else None
    if before is not None and late_entry and before[-1] == outcome and sheets.changed is None:
        return
    followed = _follow_sheets(game, sheets)
    if followed:
        wrong = _wrong_boards(game, at_rest)
    if not wrong and (outcome is None or before is None):
        return
    goal = game.position_pieces()
    shown = {
        board: table.placement if board in wrong else goal for board, table in game.tables.items()
    }
    told = (tuple(wrong), sorted(shown["white"].items()), sorted(shown["black"].items()), outcome)
    if told == before:
        return
    game.differ_told = told
    if wrong:
        game.rule(
            r.BoardsDiffer(squares=differences(shown["white"], shown["black"], goal)),
            "boards_differ",
        )
    parted = sheets.stop == "parted"
    rule = "boards_differ_sheets_differ" if parted else "boards_differ"
    told_by_sheets = sheets.stop is not None or followed or _is_covered(game, wrong)
    if not _say_what_is_written(game, sheets, rule, told_by_sheets, followed=followed):
        # The sheets say nothing about the difference, so nothing is proved (D.2.9). The table's
        # game is proposed to the hands; the arbiter knows that it rests on that alone.
        _correct(game, wrong, rule)
        return
    if sheets.stop is None:
        _correct(game, wrong, rule)
        if wrong and game.presided:
            # The article has the boards corrected with the arbiter's help (D.2.9). It has the
            # clocks set only where the sheets differ, so here they go on until somebody stops them.
            game.rule(r.ArbiterNeeded(why="boards_differ"), rule)
        return
    reason = {"illegal": "illegal_written", "unfit": "moves_do_not_fit"}.get(sheets.stop)
    if reason is not None:
        # Both wrote a move that cannot have been played, or after which the later ones cannot:
        # back to the last position that can be identified (7.5, 7.6).
        rule = "illegal" if sheets.stop == "illegal" else "displaced_found"
    to_ply = min(sheets.ply - 1, len(game.history))
    back = r.TakeBack(to_ply=to_ply, **clocks_at(game, to_ply), why=reason)
    confirm = Effect(_go_by_the_sheets, sheets, to_ply, rule)
    reject = Effect(_go_by_the_table, sheets.ply, tuple(wrong), rule)
    propose(game, back, (rule,), confirm, reject)


def _go_by_the_sheets(game: State, sheets: Comparison, to_ply: int, rule: str) -> None:
    if sheets.changed is not None:
        _take_moves_of(game, sheets)
    take_back(game, to_ply, rule)


def _go_by_the_table(game: State, ply: int, wrong: Sequence[str], rule: str) -> None:
    """The arbiter holds by the game as the table has it: then the boards must show that."""
    game.settled.add(ply)
    _correct(game, wrong, rule)
    game.resume()


def _is_covered(game: State, wrong: Sequence[str]) -> bool:
    """Return whether the sheets hold the plies that the boards differ about: those not yet executed
    on a board that is ``wrong``, else the last one. A sheet proves nothing about other plies."""
    last = len(game.history) + (game.turn.made is not None)
    first = min((game.tables[board].plies + 1 for board in wrong), default=last)
    plies = range(min(first, last), last + 1)
    return all(any(ply in sheet for sheet in game.sheets.values()) for ply in plies)


def _say_what_is_written(
    game: State, sheets: Comparison, rule: str, covered: bool, *, followed: bool
) -> bool:
    """Say what both scoresheets tell about a difference; False if they tell nothing about it."""
    for side in game.sheets:
        ply = first_missing(game, side, len(game.history))
        if ply is not None and must_write(game, side):
            game.rule(r.MustRecord(by=side, ply=ply), "recording")
    if not covered:
        game.rule(r.ArbiterNeeded(why="records_missing"), rule)
        return False
    testimony = _testimony(game, sheets) if sheets.stop == "parted" else r.Scoresheets(agree=True)
    if followed:
        assert sheets.changed is not None
        move = sheets.moves[sheets.changed - 1].uci()
        testimony = replace(testimony, ply=sheets.changed, move=move)
    game.rule(testimony, rule)
    for side, ply, certainty in sheets.unclear:
        why: ArbiterReason = "illegal_entry" if certainty == "illegal" else "illegible_entry"
        text = game.sheets[side][ply]
        game.rule(r.ArbiterNeeded(why=why, by=side, ply=ply, text=text), rule)
    for slip in sheets.slips:
        why, text = "entry_slip", slip.entry.text
        game.rule(r.ArbiterNeeded(why=why, by=slip.side, ply=slip.ply, text=text), rule)
    for side, ply in sheets.against:
        text = game.sheets[side][ply]
        game.rule(r.ArbiterNeeded(why="entry_differs", by=side, ply=ply, text=text), rule)
    return True


def _is_led(game: State, board: str) -> bool:
    """Return whether hands are correcting this board now."""
    table = game.tables[board]
    return table.wanted is not None and table.placement != table.wanted


def _correct(game: State, boards: Sequence[str], rule: str) -> None:
    for board in boards:
        want(game, board, game.position_pieces(), rule)


def evidence(game: State) -> Comparison:
    """Return the comparison of both sheets with the moves as they were made. A disagreement about
    moves that have not been played yet is none."""
    made = [ply.move for ply in game.history]
    if game.turn.made is not None:
        made.append(game.turn.made)
    last = len(game.history) + 1
    sheets = {
        side: {ply: text for ply, text in sheet.items() if ply <= last}
        for side, sheet in game.sheets.items()
    }
    readers = {
        side: game.words.reader(tuple(sheet.values()), game.player(side).language)
        for side, sheet in sheets.items()
    }
    found = compare(game.start_board, sheets, readers, made, game.settled)
    if found.stop in ("gap", "ambiguous") or (found.stop != "parted" and found.ply > len(made)):
        return replace(found, stop=None)
    return found


def _testimony(game: State, sheets: Comparison) -> r.Scoresheets:
    """Return what each source says about the ply at which the sheets part: both sheets, the moves
    that they mean, the move as announced, the clocks when it was completed, and which of these
    moves each board shows."""
    ply = sheets.ply
    meant = {side: list(sheets.entries[side].moves) for side in OTHER}
    sure = {side: moves[0].uci() for side, moves in meant.items() if len(moves) == 1}
    testimony = r.Scoresheets(
        agree=False,
        from_ply=ply,
        white=game.sheets["white"].get(ply),
        white_move=sure.get("white"),
        black=game.sheets["black"].get(ply),
        black_move=sure.get("black"),
    )
    if ply > len(game.history):
        return testimony
    made = game.history[ply - 1]
    candidates = [*meant["white"], *meant["black"], made.move, made.spoken]
    return replace(
        testimony,
        announced=made.spoken.uci(),
        clocks=clocks_at(game, ply),
        boards={
            board: _move_shown(game, ply, candidates, table.placement)
            for board, table in game.tables.items()
        },
    )


def _move_shown(
    game: State, ply: int, candidates: Iterable[chess.Move], placement: Pieces
) -> str | None:
    """The first candidate that leads to ``placement`` if it was executed at ``ply``."""
    for move in dict.fromkeys(candidates):
        if _had_been_played(game, ply, move) == placement:
            return move.uci()
    return None


def _had_been_played(game: State, ply: int, move: chess.Move) -> Pieces:
    """Return the placement that a board would show if ``move`` had been executed at ``ply``, the
    others as played."""
    first = game.history[ply - 1]
    shown: Pieces = laid_over(first.pieces, change(first.before, move))
    for later in game.history[ply:]:
        shown = laid_over(shown, change(later.before, later.move))
    return shown


def check_single_board(game: State) -> None:
    """With one board there is no other to compare with, but it may show another position than
    the game's: pieces have been displaced (7.6)."""
    if len(game.tables) == 1 and not in_order(game, "white"):
        want(game, "white", game.position_pieces(), "displaced_found")


def _follow_sheets(game: State, sheets: Comparison) -> bool:
    """Both sheets hold another move than the table does: they decide (D.2.9), so the game is what
    they say, if all later moves are legal then. Return whether they are."""
    turn = game.turn
    if turn.announced or turn.executed or turn.made or turn.attempted:
        return False
    if sheets.changed is None or len(sheets.moves) < len(game.history):
        return False
    _take_moves_of(game, sheets)
    return True


def _take_moves_of(game: State, sheets: Comparison) -> None:
    """The game becomes what the sheets say, as far as they say it."""
    board = game.start_board.copy(stack=False)
    plies: list[Ply] = []
    for ply, move in zip(game.history, sheets.moves, strict=False):
        plies.append(replace(ply, before=board, pieces=pieces_of(board), move=move, announced=None))
        board = board.copy(stack=False)
        board.push(move)
    game.history, game.board, game.pieces = plies, board, pieces_of(board)
    game.keys = [position_key(ply.before) for ply in plies] + [position_key(board)]
    for table in game.tables.values():
        table.plies = min(table.plies, len(plies))


def want(game: State, board: str, goal: Pieces, *rules: str, explained: bool = True) -> None:
    """``board`` must be brought to ``goal``: say why it differs (unless ``explained`` is False,
    because it is the game that has changed) and how, and watch until it has been done."""
    table = game.tables[board]
    if table.placement == goal:
        table.wanted = None
        table.plies = len(game.history)
        table.hand.clear()
        return
    table.wanted = dict(goal)
    table.inherited = difference(table.placement, game.pieces)
    table.wanted_plies = len(game.history) + (game.turn.made is not None)
    found = explanations(game, board, goal) if explained else ()
    if found:
        first = "white" if game.start_board.turn else "black"
        words = game.words.diagnosis(found, board, first, game.announcing_language())
        game.rule(r.Explained(board=board, explanations=found, words=words), *rules)
    todo, placement = steps(table.placement, goal), write_placement(goal)
    game.rule(r.CorrectBoard(board=board, placement=placement, steps=todo), *rules)
    if not table.sensors:
        # Without sensors nobody sees the hands; the people at the table confirm it by sight.
        table.show(goal)
        table.wanted = None
        table.plies = len(game.history)


def righted(game: State, board: str, plies: int, *, differ: bool = False) -> None:
    """``board`` was to be corrected and now shows the first ``plies`` plies. The boards agree once
    no other one is to be corrected, unless they ``differ`` in another way."""
    table = game.tables[board]
    table.wanted = None
    table.plies = plies
    table.hand.clear()
    table.unsure.clear()
    game.differ_told = None
    if differ or any(other.wanted is not None for other in game.tables.values()):
        return
    rule: Final = "boards_differ" if len(game.tables) == 2 else "displaced_found"
    game.rule(r.BoardsAgree(board=board), rule)
    paid = game.displacing is not None and game.displacing.own_time
    if paid and game.switch("opponent_starts_displacers_clock"):
        return  # in fide-1997 the player starts the other clock when the pieces are right
    game.displacing = None
    if paid and game.clock.running is not None:
        game.resume("displaced")  # the player on move no longer waits at the other's cost


def check_corrections(game: State, pressed: str) -> None:
    """The game has gone on: a board that was to be corrected may be right now, or must be
    corrected to the new position. No hand is on that of the player who has just ``pressed``."""
    wrong = len(game.tables) == 2 and _wrong_boards(game, game.board_of(pressed))
    for board, table in game.tables.items():
        if table.wanted is not None and table.placement == game.pieces:
            righted(game, board, len(game.history), differ=bool(wrong))
    if game.tables["white"].wanted is not None:
        check_single_board(game)


def explanations(game: State, board: str, goal: Pieces) -> tuple[Explanation, ...]:
    """Return what hands must have done on ``board`` if it was to show ``goal``."""
    if goal != game.position_pieces():
        return ()
    moves = [ply.move for ply in game.history]
    if game.turn.made is not None:
        moves.append(game.turn.made)
    table = game.tables[board]
    return explain(game.start_board, moves, table.placement, named=not table.unsure)


def _clock_state(game: State, ply: int) -> ClockState:
    return game.history[ply - 1].clock if ply else game.start_clocks


def clocks_at(game: State, ply: int) -> r.BothClocks:
    """Both times in seconds as they stood when ``ply`` was completed; of a ply that was taken back,
    too, and of the last such ply as they stood before."""
    back = brought_back(game)
    if back is not None and ply == back.last:
        return both_seconds(back.clock.left)
    if back is not None and ply > back.to_ply:
        return both_seconds(back.plies[ply - back.to_ply - 1].clock.left)
    return both_seconds(_clock_state(game, ply).left)


def call_to_set_clocks(game: State, why: ArbiterReason, rule: str) -> None:
    """Call the arbiter to set the clocks after a fault, and propose both times (6.10, 7.1).

    They are the times when the last move was completed, changed by what was set since then, such as
    a penalty. So the fault costs neither player anything.
    """
    call = r.ArbiterNeeded(why=why)
    if game.clock:
        then, granted = _clock_state(game, len(game.history)), game.clock.granted
        equal = {side: max(0, left + granted[side]) for side, left in then.left.items()}
        call = replace(call, **both_seconds(equal))
    game.rule(call, rule)


def brought_back(game: State) -> TakenBack | None:
    """Return what :func:`bring_back` can bring back: nothing once another move has been made. Where
    only an announcement was taken back, another one ends that, too."""
    back, turn = game.taken_back, game.turn
    if back is None or back.to_ply != len(game.history) or turn.made is not None:
        return None
    return back if back.plies or (back.turn != Turn() and turn.announced is None) else None


def before_last_of(game: State, side: str) -> int | None:
    """Return the number of plies before the last move of ``side``, which may be announced or made
    but not completed; None if there is no such move."""
    begun = game.turn.announced is not None or game.turn.made is not None
    next_to_move = OTHER[game.side] if begun else game.side
    own = len(game.history) + begun - (2 if side == next_to_move else 1)
    return own if own >= 0 else None


def take_back(game: State, to_ply: int, *rules: str) -> None:
    """Back to the position after ``to_ply``; both sheets are struck through, not erased."""
    clock, entries = _clock_state(game, to_ply), list[tuple[str, int, str]]()
    for side, sheet in game.sheets.items():
        for number in sorted(number for number in sheet if number > to_ply):
            entries.append((side, number, sheet.pop(number)))
    game.struck += entries
    _keep_taken_back(game, to_ply, entries)
    if to_ply < len(game.history):
        ply = game.history[to_ply]
        game.board, game.pieces = ply.before, ply.pieces
        del game.history[to_ply:]
        del game.keys[to_ply + 1 :]
        game.offered_at = [at for at in game.offered_at if at[0] <= to_ply]
    game.complete_all()
    game.settled = {ply for ply in game.settled if ply <= to_ply}
    game.turn = Turn()
    _go_on_from_here(game, clock, *rules)


def _keep_taken_back(game: State, to_ply: int, entries: list[tuple[str, int, str]]) -> None:
    """Keep the plies after ``to_ply`` with what was taken back right before, if anything was."""
    plies, keys = game.history[to_ply:], game.keys[to_ply + 1 :]
    before = brought_back(game)
    if before is not None:
        plies, keys = [*plies, *before.plies], [*keys, *before.keys]
        entries = [*entries, *before.entries]
        settled = before.settled | game.settled
        game.taken_back = replace(
            before, to_ply=to_ply, plies=plies, keys=keys, entries=entries, settled=settled
        )
        return
    clock = game.clock.snapshot()
    game.taken_back = TakenBack(
        to_ply, plies, keys, entries, game.settled, game.board, game.pieces, game.turn, clock
    )


def bring_back(game: State, to_ply: int, *rules: str) -> None:
    """The plies up to ``to_ply`` stand again, which were taken back; so do their entries."""
    back = brought_back(game)
    assert back is not None and to_ply <= back.last
    number = to_ply - back.to_ply
    game.history += back.plies[:number]
    game.keys += back.keys[:number]
    for entry in back.entries:
        side, ply, text = entry
        if ply <= to_ply or to_ply == back.last:
            game.struck.remove(entry)
            game.sheets[side][ply] = text
    game.settled |= {ply for ply in back.settled if ply <= to_ply or to_ply == back.last}
    if to_ply == back.last:
        game.board, game.pieces, game.turn, clock = back.board, back.pieces, back.turn, back.clock
        game.taken_back = None
    else:
        following = back.plies[number]
        game.board, game.pieces, game.turn = following.before, following.pieces, Turn()
        clock = _clock_state(game, to_ply)
        left = [entry for entry in back.entries if entry[1] > to_ply]
        game.taken_back = replace(
            back, to_ply=to_ply, plies=back.plies[number:], keys=back.keys[number:], entries=left
        )
    _go_on_from_here(game, clock, *rules)


def _go_on_from_here(game: State, clock: ClockState, *rules: str) -> None:
    """Set the clocks and lead all boards to the position that the game has now."""
    game.displacing, game.wants_to_adjourn = None, ""
    game.offers.clear()
    game.told_missing.clear()
    game.clock.restore(clock)
    game.tell_clock("arbiter_sets_clocks")
    game.differ_told = None
    for board, table in game.tables.items():
        table.plies = min(table.plies, len(game.history))
        goal = game.position_pieces()
        want(game, board, goal, *rules, explained=False)
    game.note_what_stands_wrong()
    if not game.presided:
        game.resume()
    elif game.clock and game.started:
        # The arbiter decides when the game goes on (6.11.3); until then the clocks stand.
        if game.paused == "table":
            game.clock.stopped_by = "arbiter"
        game.rule(r.ArbiterNeeded(why="start_clocks"), "resuming")


def difference_of(game: State, board: str) -> dict[int, str | None]:
    """Return how a board differs from the game's position before the move that is being made."""
    return difference(game.tables[board].placement, game.pieces)


def shows(game: State, board: str, move: chess.Move) -> bool:
    """Return whether a board shows the position after ``move``."""
    return difference_of(game, board) == change(game.board, move)


# --- the duty to record (article 8, D.2.7) ---------------------------------------------------


def must_write(game: State, side: str) -> bool:
    """Return whether ``side`` must record now.

    Nobody must in rapid and blitz. A player with less than five minutes need not if each move adds
    less than thirty seconds (8.4). Some editions free that player for the rest of the period.
    """
    if not game.switch("record_duty"):
        return False
    return game.exempt.get(side) != game.clock.period(side)


def watch_recording(game: State) -> None:
    """Notice each side that has come under five minutes; called whenever time has passed."""
    clock = game.clock
    for side in OTHER if clock else ():
        if clock.left[side] < FIVE_MINUTES and clock.increment(side) < HALF_A_MINUTE:
            game.exempt[side] = clock.period(side)
        elif game.exempt and not game.switch("record_exemption_lasts_period"):
            game.exempt.pop(side, None)


def first_missing(game: State, side: str, upto: int) -> int | None:
    """The first ply up to ``upto`` that ``side`` has not written, None if there is none."""
    sheet = game.sheets[side]
    return next((ply for ply in range(1, upto + 1) if ply not in sheet), None)


def remind_to_record(game: State, side: str, upto: int, *rules: str) -> None:
    """``side`` lacks an entry up to ``upto``: say so, once for each gap."""
    ply = first_missing(game, side, upto)
    if ply is None or game.told_missing.get(side) == ply:
        return
    game.told_missing[side] = ply
    if game.impaired(side):
        rules = (*rules, "record_special")
    game.rule(r.MustRecord(by=side, ply=ply), *rules)


def record_before_next_move(game: State, side: str) -> None:
    """A player must have written their own previous move before they make a new one (8.1.3)."""
    if must_write(game, side):
        own_last = len(game.history) - 1
        if own_last > 0 and own_last not in game.sheets[side]:
            remind_to_record(game, side, own_last, "record_before_next_move")


def bring_sheet_up_to_date(game: State, side: str, period_before: int) -> None:
    """The period without the duty to record is over: the sheet must be completed (8.5)."""
    ended = game.exempt.get(side) == period_before != game.clock.period(side)
    if ended and game.switch("record_duty"):
        remind_to_record(game, side, len(game.history), "record_update")


def record_after_a_flag(game: State) -> None:
    """A flag has fallen: a player who has stopped writing must complete their sheet (8.5)."""
    if not game.switch("record_duty"):
        return
    stopped = [
        side
        for side in OTHER
        if game.exempt.get(side) == game.clock.period(side)
        and first_missing(game, side, len(game.history)) is not None
    ]
    rule = "record_update_both" if len(stopped) == 2 else "record_update"
    for side in stopped:
        remind_to_record(game, side, len(game.history), rule)
