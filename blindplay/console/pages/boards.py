"""The boards on pages: the board as it is now, the steps that correct it, and past positions."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import chess

from blindplay.language import Language, load
from blindplay.laws import Game
from blindplay.laws.deviation import UNKNOWN
from blindplay.laws.due import Played
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import Pieces, difference, read_placement
from blindplay.laws.rulings import CorrectBoard, CorrectingStep
from blindplay.wording.board_steps import BoardStep, plan

from ..actions import Form, value_of
from ..messages import catalogue
from ..pieces import Rows, image_of, rows
from ..table_port import TableView, held
from . import common

_GOES_ON = frozenset(("announce", "make", "press", "start"))
_LOOKED_BACK = 100  # entries


def live(
    game: Game,
    board: str,
    language: str,
    *,
    black_below: bool,
    differing: Collection[int] = (),
    apart: Collection[int] = (),
) -> Rows:
    """``board`` as it stands. Marked are the last move, pieces that the player on move has touched,
    check if the board shows the game's position, wrong pieces or squares, and those ``apart``."""
    state, position = game.tables[board], game.position
    shows_game = state.placement == game.position_pieces()
    moving = board == game.board_of(game.side) and game.turn.made is None and not game.over
    wrong = () if state.wanted is None else difference(state.placement, state.wanted)
    return rows(
        state.placement,
        language,
        black_below=black_below,
        marked=common.squares_of(common.last_announced(game, language)),
        touched=[at for at in game.turn.touched if at in state.placement] if moving else (),
        check=in_check(position) if shows_game else (),
        differing={*differing, *wrong},
        apart=apart,
    )


def in_check(position: chess.Board) -> tuple[int, ...]:
    """The square of the king that is in check, if one is."""
    king = position.king(position.turn)
    return (king,) if king is not None and position.is_check() else ()


# --- how a board is put right -----------------------------------------------------------------


@dataclass(frozen=True)
class ShownStep:
    """One thing that a hand does: ``words`` for it, from where and to where a piece goes (empty for
    beside the board), and the name of its drawing."""

    words: str
    source: str
    to: str
    image: str


@dataclass(frozen=True)
class Restoring:
    """The correction of a board: the board now, and the fewest steps, in order."""

    rows: Rows
    steps: list[ShownStep]


def restoring(
    table: TableView, game: Game, board: str, language: str, *, black_below: bool
) -> Restoring | None:
    """The steps to put ``board`` right if it must be corrected; None if it need not.

    A board with sensors is compared with what it must show, so that the steps follow the hands.
    Without sensors the hands are not seen: the steps stay until the game goes on.
    """
    state = game.tables[board]
    if state.wanted is not None:
        return steps_between(state.placement, state.wanted, language, black_below=black_below)
    if state.sensors or game.over:
        return None
    for taken in reversed(table.log[-_LOOKED_BACK:]):
        for ruling in reversed(taken.rulings):
            if isinstance(ruling, CorrectBoard) and ruling.board == board:
                goal = read_placement(ruling.placement)
                shown = undone(goal, ruling.steps)
                return steps_between(shown, goal, language, black_below=black_below)
        if taken.fact.kind in _GOES_ON:
            break
    return None


def steps_between(
    shown: Pieces, goal: Pieces, language: str, *, black_below: bool = False
) -> Restoring | None:
    """The fewest steps of a hand from ``shown`` to ``goal``; None if there is nothing to do."""
    pack = load(language)
    steps = [_shown_step(step, pack, language) for step in plan(shown, goal)]
    if not steps:
        return None
    known = {at: letter for at, letter in shown.items() if letter != UNKNOWN}
    return Restoring(rows(known, language, black_below=black_below), steps)


def undone(goal: Pieces, steps: Iterable[CorrectingStep]) -> dict[int, str]:
    """Return the position of a board before ``steps`` brought it to ``goal``."""
    shown = dict(goal)
    for step in reversed(tuple(steps)):
        square = chess.parse_square(step.square)
        if step.do == "place":
            del shown[square]
        else:
            shown[square] = step.piece
    return shown


def _shown_step(step: BoardStep, pack: Language, language: str) -> ShownStep:
    say = catalogue(language)
    unknown = step.piece == UNKNOWN
    piece = say["a_piece"] if unknown else pack.piece(chess.Piece.from_symbol(step.piece))
    square = chess.square_name(step.square)
    to = "" if step.to is None else chess.square_name(step.to)
    kind = step.sentence.removeprefix("set_up_").removesuffix("_unknown")
    words = say[f"step_{kind}"].format(piece=piece[:1].upper() + piece[1:], square=square, to=to)
    if kind == "place":
        return ShownStep(words, "", square, image_of(step.piece))
    return ShownStep(words, square, to, image_of(step.piece))


# --- past positions ---------------------------------------------------------------------------


def may_look_back(game: Game, role: str) -> bool:
    """Return whether ``role`` may step through past positions.

    During play a player may look at the scoresheet, but analyse on no other chessboard (fide-2023
    11.3.1), and a board that shows past positions is one. So players and their assistants may after
    the game, the arbiter and the public at any time.
    """
    return game.over or not (role in SIDES or role.startswith("assistant"))


def before_last(game: Game, role: str) -> int | None:
    """The ply to which the first step back leads; None if there is none, or
    ``role`` may not look back now."""
    return len(game.history) - 1 if game.history and may_look_back(game, role) else None


def past(table: TableView, role: str, language: str, form: Form) -> dict[str, Any]:
    """A past position: that after the number of plies that ``form`` names."""
    with held(table) as game:
        if not may_look_back(game, role):
            return {"past": None, "why": catalogue(language)["past_not_yet"]}
        return {"past": position_after(game, role, language, value_of(form, "ply"))}


def position_after(game: Game, role: str, language: str, text: str) -> dict[str, Any]:
    """The position after as many plies as ``text`` says, and the ways on from it. The last
    position, if ``text`` is not such a number."""
    plies = game.history
    latest = len(plies)
    ply = min(int(text), latest) if text.isdecimal() and len(text) < 7 else latest
    position = plies[ply].before if ply < latest else game.board
    say, title, move = catalogue(language), "past_start", None
    if ply:
        done = plies[ply - 1]
        move = common.told(game, Played(done.before, done.move, done.side), language)
        title = f"past_{done.side}"
    return {
        "title": say[title].format(
            number=move.number if move else "", move=move.notation if move else ""
        ),
        "rows": rows(
            game.shown_after(ply),
            language,
            black_below=role == "black",
            marked=common.squares_of(move),
            check=in_check(position),
        ),
        "earlier": ply - 1 if ply else None,
        "later": ply + 1 if ply < latest else None,
        "latest": latest,
    }
