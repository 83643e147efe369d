"""The step that is due from a person, in one sentence."""

from collections.abc import Callable, Sequence

import chess

from blindplay.language import Language, join
from blindplay.laws import Game, Ruling, Taken
from blindplay.laws.due import Played, Step, goal
from blindplay.laws.facts import Tick
from blindplay.laws.reasons import RefusalReason
from blindplay.laws.rulings import Refused

from .announcements import announcements, result_in_words
from .board_steps import plan, say_step

_NOT_NOW: frozenset[RefusalReason] = frozenset(
    (
        "adjourned", "clocks_stopped", "game_over", "not_on_move", "not_sealed", "not_started",
        "opponent_absent", "seal_due", "waiting_for_arbiter", "waiting_for_players",
    )
)  # fmt: skip
Name = Callable[[chess.Board, chess.Move], str]
"""Names a legal move of a position."""


def step_in_words(pack: Language, game: Game, step: Step, name: Name | None = None) -> str:
    """Tell ``step`` to its own person: what to do, or for whom and for what they wait. Moves are
    named as they are announced, or by ``name``."""
    name = name or _announcing(pack, game)
    what = _doing(pack, game, step, name) if step.do != "wait" else _waiting(pack, game, step)
    return what[:1].upper() + what[1:]


def _doing(pack: Language, game: Game, step: Step, name: Name) -> str:
    values = {"move": _move(step.move, name)}
    match step.do:
        case "announce" if step.owed:
            return owed_in_words(pack, game, step.owed)
        case "announce" if step.move is not None:
            return pack.sentence("due_announce_made", **values)
        case "correct" if step.owed:
            return pack.sentence("due_put_back")
        case "correct":
            key = "due_correct" if step.of == step.board else "due_correct_on"
            first = _first_step(pack, game, step.board)
            return pack.sentence(key, player=pack.sentence(step.board), step=first).strip()
        case "execute" if step.of != step.board:
            return pack.sentence("due_execute_on", player=pack.sentence(step.board), **values)
        case "seal" if step.owed:
            owed = owed_in_words(pack, game, step.owed)
            return join(" ", (pack.sentence("due_seal"), owed), pack.code)
        case "seal" if step.move is not None:
            return pack.sentence("due_seal_made", **values)
        case "press" if not game.clock:
            return pack.sentence("due_complete")
        case "sign" if game.result is not None:
            return pack.sentence("due_sign", result=result_in_words(pack, game.result))
        case "attend" if step.call is not None:
            told = announcements(Taken(Tick(), (step.call,)), game, pack)
            return " ".join(one.words for one in told) or pack.sentence("due_attend")
    return pack.sentence(f"due_{step.do}", **values)


def _first_step(pack: Language, game: Game, board: str) -> str:
    """The first thing that hands do to put ``board`` right."""
    first = next(plan(game.tables[board].placement, goal(game, board)), None)
    return "" if first is None else say_step(first, pack)


def _waiting(pack: Language, game: Game, step: Step) -> str:
    why = "complete" if step.why == "press" and not game.clock else step.why
    sentence = pack.sentence(f"wait_{why}", player=person_in_words(pack, step.whom))
    return pack.sentence("due_wait", what=sentence)


def is_not_now(ruling: Ruling) -> bool:
    """Return whether ``ruling`` refuses something only because it cannot be done now. The step of
    the person who is refused says that and more."""
    return isinstance(ruling, Refused) and ruling.why in _NOT_NOW


def person_in_words(pack: Language, person: str) -> str:
    """A person of :data:`~blindplay.laws.facts.PEOPLE` inside a sentence: "White", "the
    arbiter"."""
    kind, _, side = person.rpartition(":")
    if kind:
        return pack.sentence("due_assistant_of", player=pack.sentence(side))
    return pack.sentence("due_arbiter" if person == "arbiter" else person)


def _announcing(pack: Language, game: Game) -> Name:
    setup = game.setup
    assert setup is not None
    return lambda board, move: pack.announce(board, move, edition=setup.edition)


def _move(played: Played | None, name: Name) -> str:
    if played is None or not played.before.is_legal(played.move):
        return "" if played is None else played.move.uci()
    return name(played.before, played.move)


def owed_in_words(pack: Language, game: Game, owed: Sequence[chess.Move]) -> str:
    """Tell the player on move the obligation to play one of the moves ``owed``: the move that they
    have claimed a draw with (9.5.3), or else the piece, but no square that it may go to (4.3 to
    4.7, 11.3.1)."""
    if game.turn.must_play is not None:
        played = Played(game.board, game.turn.must_play, game.side)
        return pack.sentence("due_owed_move", move=_move(played, _announcing(pack, game)))
    for key, squares in (
        ("due_owed_piece", {move.from_square for move in owed}),
        ("due_owed_capture", {move.to_square for move in owed}),
    ):
        piece = game.board.piece_at(min(squares))
        if len(squares) == 1 and piece is not None:
            return pack.sentence(key, piece=pack.piece(piece), square=pack.square(min(squares)))
    return pack.sentence("due_owed")
