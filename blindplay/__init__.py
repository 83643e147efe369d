"""BlindPlay: a table for chess between a visually impaired player and an opponent.

Facts go in, rulings come out. A game under the Laws:

>>> import blindplay
>>> game = blindplay.Game()
>>> setup = blindplay.facts.Setup(white=blindplay.facts.Player(impaired=True))
>>> game.apply(setup)
[]
>>> lifted = game.apply(blindplay.facts.Lift(t=1000, board="white", square="g1"))
>>> [ruling.kind for ruling in lifted]
['touched', 'obliged']

The words for moves, and moves from words:

>>> import chess
>>> board, german = chess.Board(), blindplay.load_language("de")
>>> german.announce(board, chess.Move.from_uci("g1f3"))
'Springer Gustav eins Felix drei'
>>> german.understand("springer f3", board).move
Move.from_uci('g1f3')

:func:`open_table` runs a table with its journal, :class:`PegBoard` reads a board, and
:class:`Ear` understands recordings. See docs/development/embedding.md. Everything else is private.
"""

from typing import TYPE_CHECKING

from .lazy import attributes
from .version import VERSION

if TYPE_CHECKING:
    from .boards import events
    from .boards.driver import BoardDriver, BoardState, SensorBoard
    from .boards.peg import PegBoard
    from .embedding import Game, OpenTable, Opponent, open_table
    from .hearing.recognisers import Ear
    from .language import load as load_language
    from .laws import facts, rulings

__all__ = [
    "BoardDriver",
    "BoardState",
    "Ear",
    "Game",
    "OpenTable",
    "Opponent",
    "PegBoard",
    "SensorBoard",
    "events",
    "facts",
    "load_language",
    "open_table",
    "rulings",
]
__version__ = VERSION

__getattr__ = attributes(
    __name__,
    {
        "BoardDriver": ".boards.driver",
        "BoardState": ".boards.driver",
        "Ear": ".hearing.recognisers",
        "Game": ".embedding",
        "OpenTable": ".embedding",
        "Opponent": ".embedding",
        "PegBoard": ".boards.peg",
        "SensorBoard": ".boards.driver",
        "events": ".boards.events",
        "facts": ".laws.facts",
        "load_language": ".language:load",
        "open_table": ".embedding",
        "rulings": ".laws.rulings",
    },
)
