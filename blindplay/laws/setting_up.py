"""Before the game: who plays on what, with whose help, and when the clock starts (D.1, 6.6)."""

import chess

from . import facts as f
from . import rulings as r
from .adjournment import end_by_sealed_move
from .clock import Clock, TimeControl
from .compulsory_assistant import (
    check_assistants,
    go_on_with_assistant,
    release_clocks,
    wait_for_assistant,
)  # fmt: skip
from .editions import load
from .ends import end, end_if_over
from .permissions import (
    bars_assistant,
    board_on_table,
    by_player,
    closed,
    help_rule,
    is_player,
    needs_no_consent,
)
from .placement import pieces_of
from .proposals import propose
from .state import LOSES, OTHER, Effect, State, TableBoard, position_key
from .time_controls import mode_of


def set_up(game: State, fact: f.Setup) -> None:
    game.setup = fact
    game.edition = load(fact.edition)
    game.announce_in = fact.announce_in
    game.presided = fact.arbiter == "present"
    game.served = fact.arbiter == "server"
    game.board = chess.Board(fact.fen, chess960=fact.variant == "chess960")
    game.pieces = pieces_of(game.board)
    game.start_board = game.board.copy()
    game.keys = [position_key(game.board)]
    carries = fact.clock_mode != "delay" or game.edition.switch("delay_carries_saved_time")
    control = TimeControl.parse(fact.time_control)
    game.clock = Clock(control, fact.clock_mode, carries=carries, has_flags=not game.served)
    game.clock.at = fact.t
    game.start_clocks = game.clock.snapshot()
    game.assistants = {side: fact.player(side).assistant or None for side in OTHER}
    sides = f.SIDES if fact.board_count == 2 else f.SIDES[:1]
    game.tables = {side: TableBoard(dict(game.pieces)) for side in sides}
    if fact.variant == "chess960" and not game.switch("chess960"):
        game.rule(r.ArbiterNeeded(why="chess960_not_in_edition"), "not_covered")
    _check_mode(game)
    check_assistants(game)
    end_if_over(game, game.board)


def _check_mode(game: State) -> None:
    """Tell the arbiter if the time control does not fit rapid or blitz as the edition defines them
    (A.1, B.1).

    Standard play is not checked: any other game is standard play."""
    setup, edition = game.setup, game.edition
    assert setup is not None
    if setup.mode == "standard" or not game.clock:
        return
    fits = mode_of(game.clock.control, edition)
    if setup.mode == "rapid" and fits != "rapid":
        game.rule(r.ArbiterNeeded(why="not_a_rapid_time_control"), "rapid_game")
    elif setup.mode == "blitz" and fits != "blitz":
        game.rule(r.ArbiterNeeded(why="not_a_blitz_time_control"), "blitz_game")


def two_boards(game: State, fact: f.TwoBoards) -> None:
    """Either player may demand two boards when one of them is visually impaired (D.1)."""
    if not is_player(game, fact.by, "two_boards"):
        return
    if closed(game, "two_boards", fact.by):
        return
    if not any(game.impaired(side) for side in OTHER):
        game.refuse(fact.by, "two_boards", "nobody_impaired", "two_boards")
        return
    if len(game.tables) == 1:
        game.tables["black"] = TableBoard(dict(game.pieces), plies=len(game.history))
    game.rule(r.TwoBoardsDemanded(by=fact.by), "two_boards")


def know_owners(game: State, fact: f.BoardOwners) -> None:
    """The table no longer knows which board is whose, or knows it again (D.1: each player's)."""
    game.owners_known = fact.known
    game.rule(r.Owners(known=fact.known), "two_boards")


def inspect(game: State, fact: f.Inspect) -> None:
    """The special board, requirement by requirement (D.1.1 to D.1.4)."""
    if closed(game, "inspect", "arbiter") or board_on_table(game, fact.board, "inspect") is None:
        return
    missing = tuple(name for name in f.REQUIREMENTS if name not in fact.fulfils)
    citations = {
        name: game.edition.cite(f"special_{name}", game.regime)[0] for name in f.REQUIREMENTS
    }
    inspected = r.SpecialBoardInspected(
        board=fact.board, fulfils=fact.fulfils, missing=missing, citations=citations
    )
    game.rule(inspected, *(f"special_{name}" for name in missing or f.REQUIREMENTS))


def assistant(game: State, fact: f.Assistant) -> None:
    """An assistant comes or leaves. The player says so, or the arbiter, or the table when the link
    that it issued is opened. The sighted player's is allowed only while the impaired one has none
    (D.2.11)."""
    rule = help_rule(game, fact.of)
    own = (fact.of,) if needs_no_consent(game, fact.of) else ()
    if game.over:
        game.refuse(fact.by, fact.kind, "game_over", "result")
    elif fact.by not in ("arbiter", "table", *own):
        game.refuse(fact.by, fact.kind, "not_their_task", rule)
    elif fact.present and bars_assistant(game, fact.of):
        game.refuse(fact.by, fact.kind, "opponent_has_assistant", rule)
    else:
        game.assistants[fact.of] = fact.present
        game.rule(r.AssistantPresence(of=fact.of, present=fact.present), rule)
        if check_assistants(game):
            go_on_with_assistant(game)
        else:
            wait_for_assistant(game)


def start(game: State, fact: f.Start) -> None:
    if closed(game, "start", fact.by, while_adjourned=True):
        return
    if game.adjourned:
        # The player who must answer is away: their clock starts at the agreed time (I.9.2).
        if check_assistants(game):
            game.resumed_at = game.t
            release_clocks(game)
            game.resume("answering_player_absent")
        return
    if game.started:
        game.refuse(fact.by, "start", "already_started", "start")
        return
    if not check_assistants(game):
        return
    game.started, game.clock.stopped_by = True, ""
    game.started_at = game.t
    game.clock.start(game.side)
    game.tell_clock("start")


def arrive(game: State, fact: f.Arrive) -> None:
    """A player comes to the board; after the default time they lose, unless the arbiter decides
    otherwise (6.7.1). The same holds where an adjourned game is resumed (I.10)."""
    if not by_player(game, fact, while_adjourned=True):
        return
    first = fact.by not in game.arrived
    game.arrived.add(fact.by)
    resumed = game.resumed_at
    acted = _has_played(game, fact.by)
    if not first or not game.started or acted or (game.adjourned and resumed is None):
        return
    assert game.setup is not None
    allowed = game.setup.default_time
    if allowed is None:
        edition = game.switch("default_time_seconds")
        allowed = None if edition < 0 else edition * 1000
    late = game.t - (game.started_at if resumed is None else resumed)
    rule = "late" if resumed is None else "late_at_resumption"
    if allowed is None:
        if late:
            game.rule(r.ArbiterNeeded(why="default_time_not_set"), rule)
        return
    if late > allowed:
        ruling = r.Late(by=fact.by, seconds=f.seconds(late))
        excuse = Effect(_excuse, game.clock.running, rule)
        propose(game, ruling, (rule,), Effect(_lose_by_lateness, fact.by, rule), excuse)
    elif late:
        game.rule(r.Arrived(by=fact.by, seconds=f.seconds(late)), rule)


def _has_played(game: State, side: str) -> bool:
    """Return whether ``side`` has completed a move since the start or, after an adjournment, since
    the sealed move."""
    first = game.resumed_from if game.adjourned or game.resumed_at is not None else 0
    return any(ply.side == side for ply in game.history[first:])


def has_come(game: State, side: str) -> bool:
    """Return whether something shows that ``side`` has come to the board: an arrival, a move, an
    announcement, a touched piece or a call. Where an adjourned game is resumed, only what came
    since counts."""
    turn = game.turn
    begun = game.side == side and bool(turn.touched or turn.announced or turn.made)
    called = any(one.why == "called" and one.by == side for one in game.calls)
    shown = begun and not game.adjourned
    return side in game.arrived or _has_played(game, side) or shown or called


def _lose_by_lateness(game: State, side: str, rule: str) -> None:
    if not end_by_sealed_move(game, side):
        end(game, LOSES[side], "declared", rule)


def _excuse(game: State, running: str | None, rule: str) -> None:
    """Nobody loses by coming late: the clock that ran goes on."""
    if running is not None:
        game.clock.start(running)
    game.tell_clock(rule)
