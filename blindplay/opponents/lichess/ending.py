"""The end of a game at Lichess, as facts of this table."""

from collections.abc import Callable
from typing import Any

import chess

from blindplay.laws import Fact, Game
from blindplay.laws import facts as f
from blindplay.laws.state import LOSES, OTHER

from .followed import GameState

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
