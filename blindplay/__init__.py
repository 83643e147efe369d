"""BlindPlay: a table for chess between a visually impaired player and an opponent.

Facts go in, rulings come out: see :mod:`blindplay.laws`.
"""

__version__ = "0.1.0"
