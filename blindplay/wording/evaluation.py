"""How good a position is, in words."""

import chess

from blindplay.language import Language

from .values import number_in_words

LEVEL, SLIGHTLY, BETTER = 0.53, 0.58, 0.75
"""The chances to win, from 0 to 1, from which a side stands slightly better, better, and has a
winning position; about a third of a pawn, nine tenths and three pawns."""


def evaluation_in_words(
    pack: Language, side: chess.Color, chance: float, mate: int | None = None
) -> str:
    """Who stands better, or who mates in how many moves. ``chance``: how likely ``side`` wins;
    ``mate``: in how many moves it mates, or is mated if that is negative.

    >>> from blindplay.language import load
    >>> evaluation_in_words(load("en"), chess.BLACK, 0.55)
    'Black stands slightly better.'
    """
    if mate:
        return pack.sentence(
            "analyse_mates", player=_player(pack, side == (mate > 0)), moves=moves(pack, abs(mate))
        )
    if chance < 0.5:
        side, chance = not side, 1 - chance
    if chance < LEVEL:
        return pack.sentence("analyse_level")
    names = ((SLIGHTLY, "slightly"), (BETTER, "better"))
    name = next((name for limit, name in names if chance < limit), "winning")
    return pack.sentence(f"analyse_{name}", player=_player(pack, side))


def moves(pack: Language, count: int) -> str:
    """So many moves, as after *in*."""
    key = "review_mate_one" if count == 1 else "review_mate_more"
    return pack.sentence(key, count=number_in_words(str(count), pack))


def _player(pack: Language, side: chess.Color) -> str:
    return pack.sentence("white" if side else "black")
