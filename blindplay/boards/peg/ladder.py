"""The resistors in the pegs, and the readings that mean them. Written by hardware/ladder.py: change
and run that instead of this file."""

import math

PULL_UP = 10000
"""Ohms from each line to the supply."""

OHMS = (math.inf, 10000, 7500, 62000, 27000, 820, 3300, 15000, 20000, 110000, 39000, 1800, 5100)
"""The resistor of each piece, by its code; 0 is an empty hole."""

USUAL = 100
"""Ohms that multiplexer and contact usually have together."""

TOP = 1023
"""The highest reading, that of an open hole."""

WINDOWS = (
    (69, 110, 5),
    (145, 187, 11),
    (241, 283, 6),
    (331, 372, 12),
    (423, 463, 2),
    (496, 534, 1),
    (598, 634, 7),
    (667, 701, 8),
    (732, 764, 4),
    (800, 830, 10),
    (868, 895, 3),
    (925, 950, 9),
    (1013, 1023, 0),
)
"""The lowest and the highest reading of each code, by rising reading."""
