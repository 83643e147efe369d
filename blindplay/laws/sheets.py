"""Two boards, two scoresheets: entries, comparing, correcting, taking back (D.2.9, 7.6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import chess

from . import facts as f
from .clock import ClockState
from .facts import seconds
from .placement import Pieces, change, difference, moves_that_show, pieces_of, write_placement
from .reconcile import differences, scoresheets_part, steps
from .state import OTHER, Ply, State, position_key


def record(game: State, fact: f.Record) -> None:
    """A scoresheet entry. Whatever is said about it, the sheet keeps what was written."""
    side = game.acting(fact.by, "record", duty="own")
    if side is None:
        return
    begun = game.turn.announced or game.turn.executed or game.turn.attempted or game.turn.made
    before = game.sheets[side].get(fact.ply)
    if before is not None and before != fact.text:
        game.struck.append((side, fact.ply, before))
    game.sheets[side][fact.ply] = fact.text
    in_advance = fact.ply > len(game.history) + bool(begun)
    if in_advance and not game.over and game.switch("record_in_advance_forbidden"):
        game.refuse(
            fact.by, "record", "written_in_advance", "record_in_advance", ply=fact.ply, kept=True
        )
    doubt = game.differ_told is not None or (game.history and game.history[-1].said is not None)
    if doubt and not game.over and game.pending is None:
        compare_boards(game)


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
    on_move = board == game.board_of(game.side) and not game.outstanding(board)
    turn = game.turn
    return on_move and bool(turn.touched or turn.executed or turn.attempted)


def compare_boards(game: State) -> None:
    """Do both boards show the game? If not, both scoresheets decide (D.2.9)."""
    if len(game.tables) < 2:
        return
    wrong = [board for board in game.tables if not in_order(game, board)]
    # A sighted player who announced another move than he made: what was written decides.
    in_doubt = bool(game.history) and game.history[-1].said is not None
    if not wrong and not in_doubt:
        return
    followed = _follow_sheets(game)
    if followed is not None:
        wrong = [board for board in game.tables if not in_order(game, board)]
    if not wrong:
        return
    goal = game.position_pieces()
    shown = {
        board: table.placement if board in wrong else goal for board, table in game.tables.items()
    }
    part = _sheets_part(game)
    told = (tuple(wrong), sorted(shown["white"].items()), sorted(shown["black"].items()), part)
    if told == game.differ_told:
        return
    game.differ_told = told
    game.rule(
        "boards_differ",
        "boards_differ",
        squares=differences(shown["white"], shown["black"], goal),
    )
    for side, sheet in game.sheets.items():
        if game.history and len(game.history) not in sheet:
            game.rule("must_record", "recording", by=side, ply=len(game.history))
    rule = "boards_differ" if part is None else "boards_differ_sheets_differ"
    if not any(game.sheets.values()):
        # Nobody has written anything: that proves nothing (D.2.9). What the table has is proposed
        # to the hands, and the arbiter knows that it rests on that alone.
        game.rule("arbiter_needed", rule, why="records_missing")
        for board in wrong:
            want(game, board, goal, rule)
        return
    sheets: dict[str, Any] = {"agree": part is None}
    if followed is not None:
        sheets |= {"ply": followed[0], "move": followed[1].uci()}
    if part is not None:
        sheets |= {"from_ply": part} | {side: game.sheets[side].get(part) for side in OTHER}
    game.rule("scoresheets", rule, **sheets)
    for side, ply in _illegible(game):
        game.rule("arbiter_needed", rule, why="illegible_entry", by=side, ply=ply)
    if part is None:
        for board in wrong:
            want(game, board, goal, rule)
        return
    to_ply = part - 1

    def reject() -> None:
        # The arbiter holds by the game as the table has it: then the boards must show that.
        for board in wrong:
            want(game, board, game.position_pieces(), rule)
        game.resume()

    game.propose(
        "take_back",
        (rule,),
        {"to_ply": to_ply, **clocks_at(game, to_ply)},
        lambda: take_back(game, to_ply),
        reject,
    )


def check_single_board(game: State) -> None:
    """With one board there is no other to compare with, but it may show another position than
    the game's: pieces have been displaced (7.6)."""
    if len(game.tables) == 1 and not in_order(game, "white"):
        want(game, "white", game.position_pieces(), "displaced_found")


def _read(game: State, side: str, text: str, board: chess.Board) -> chess.Move | None:
    """The move that an entry stands for, in its writer's own language, legal or not; None for
    what nobody can read."""
    heard = game.words.understand(text, board, game.player(side).language)
    if heard.kind == "illegal":
        return heard.moves[0] if heard.moves else chess.Move.null()
    return heard.moves[0] if heard.kind == "move" else None


def _sheets_part(game: State) -> int | None:
    """The first ply at which the two scoresheets disagree, None if they agree."""
    positions = [ply.before for ply in game.history] + [game.position]
    return scoresheets_part(
        game.sheets["white"],
        game.sheets["black"],
        positions,
        lambda side, text, board: _read(game, side, text, board),
    )


def _illegible(game: State) -> list[tuple[str, int]]:
    """The entries of moves that have been played which nobody can read."""
    found = []
    for side in OTHER:
        for ply, text in sorted(game.sheets[side].items()):
            if ply > len(game.history):
                break
            if _read(game, side, text, game.history[ply - 1].before) is None:
                found.append((side, ply))
    return found


def _follow_sheets(game: State) -> tuple[int, chess.Move] | None:
    """Both sheets hold another move than the table does: the sheets decide (D.2.9), so the game
    is what they say, if all later moves are legal then. Gives the ply and the move."""
    turn = game.turn
    if turn.announced or turn.executed or turn.made or turn.attempted:
        return None
    first: tuple[int, chess.Move] | None = None
    board = game.start_board.copy(stack=False)
    plies: list[Ply] = []
    for number, ply in enumerate(game.history, 1):
        written = [_written(game, side, number, board) for side in OTHER]
        move = ply.move
        if written[0] is not None and written[0] == written[1] != move:
            move = written[0]
            first = first or (number, move)
        if ply.illegal or not board.is_legal(move):
            return None
        plies.append(
            dataclasses.replace(ply, before=board, pieces=pieces_of(board), move=move, said=None)
        )
        board = board.copy(stack=False)
        board.push(move)
    if first is None:
        return None
    game.history, game.board, game.pieces = plies, board, pieces_of(board)
    game.keys = [position_key(ply.before) for ply in plies] + [position_key(board)]
    game.turn = type(turn)()
    for table in game.tables.values():
        shown = (n for n in range(len(plies), -1, -1) if table.placement == game.shown_after(n))
        table.plies = next(shown, len(plies))
    return first


def _written(game: State, side: str, number: int, board: chess.Board) -> chess.Move | None:
    text = game.sheets[side].get(number)
    return None if text is None else _read(game, side, text, board)


def want(game: State, board: str, goal: Pieces, *rules: str) -> None:
    """``board`` must be brought to ``goal``: say how, and watch until it has been done."""
    table = game.tables[board]
    if table.placement == goal:
        table.wanted = None
        table.plies = len(game.history)
        table.hand.clear()
        return
    table.wanted = dict(goal)
    table.wanted_plies = len(game.history) + (game.turn.made is not None)
    game.rule(
        "correct_board",
        *rules,
        board=board,
        placement=write_placement(goal),
        steps=steps(table.placement, goal),
        diagnosis=_diagnosis(game, board),
    )
    if not table.sensors:
        # Without sensors nobody sees the hands; the people at the table confirm it by sight.
        table.show(goal)
        table.wanted = None
        table.plies = len(game.history)


def _diagnosis(game: State, board: str) -> str:
    """Which move must have been executed instead of the last one, in squares; or nothing."""
    if not game.history or game.turn.made is not None:
        return ""
    last = game.history[-1]
    shown = difference(game.tables[board].placement, last.pieces)
    for move in moves_that_show(last.before, shown):
        if move != last.move:
            return f"{move.uci()} was executed instead of {last.move.uci()}"
    return ""


def _clock_state(game: State, ply: int) -> ClockState:
    return game.history[ply - 1].clock if ply else game.start_clocks


def clocks_at(game: State, ply: int) -> Mapping[str, int | float]:
    """Both times in seconds as they stood when ``ply`` was completed."""
    left = _clock_state(game, ply).left
    return {side: seconds(left[side]) for side in OTHER}


def take_back(game: State, to_ply: int, *rules: str) -> None:
    """Back to the position after ``to_ply``; both sheets are struck through, not erased."""
    state = _clock_state(game, to_ply)
    if to_ply < len(game.history):
        ply = game.history[to_ply]
        game.board, game.pieces = ply.before, ply.pieces
        del game.history[to_ply:]
        del game.keys[to_ply + 1 :]
        game.offered_at = [at for at in game.offered_at if at[0] <= to_ply]
    for ply_before in game.history:
        ply_before.completed = True
    game.turn = type(game.turn)()
    game.offers.clear()
    for side, sheet in game.sheets.items():
        for number in sorted(number for number in sheet if number > to_ply):
            game.struck.append((side, number, sheet.pop(number)))
    game.told_missing.clear()
    game.clock.restore(state)
    game.tell_clock("arbiter_sets_clocks")
    game.differ_told = None
    for board, table in game.tables.items():
        table.plies = min(table.plies, to_ply)
        table.adjusting = False
        want(game, board, game.pieces, *(rules or ("boards_differ",)))
    assert game.setup is not None
    if game.setup.arbiter == "automatic":
        game.resume()
    elif game.clock and game.started:
        # The arbiter decides when the game goes on (6.11.3); until then the clocks stand.
        game.rule("arbiter_needed", "resuming", why="start_clocks")


def difference_of(game: State, board: str) -> dict[int, str | None]:
    """How a board differs from the game's position before the move that is being made."""
    return difference(game.tables[board].placement, game.pieces)


def shows(game: State, board: str, move: chess.Move) -> bool:
    """Whether a board shows the position after ``move``."""
    return difference_of(game, board) == change(game.board, move)
