"""The conversation with both players. Pure: no table, no threads, no clock of its own.

:func:`.converse.converse` takes the state, what happened and what is known of the table. It returns
the next state and effects, which the table brings about in their order.

A statement visits each file once, from the top. ``converse`` asks ``grammar`` for all that its
player may say; ``beginnings`` joins it with an unfinished announcement; ``converse`` or
``commands`` does it; ``questions`` words the question that may come of it. ``state`` and
``effects`` are values.
"""

from enum import StrEnum


class OpeningWord(StrEnum):
    """The spoken commands that need the opening word before them. Typed commands never need it."""

    REQUIRED = "required"
    SINGLE = "single"
    """Commands of one word, because other talk is most easily mistaken for them."""
    OPTIONAL = "optional"
