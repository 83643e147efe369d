"""A distant table: two tables, two boards, one game, one order of facts."""

LAG_LIMIT_S = 5
"""Seconds without an answer after which a connection counts as lost, if nothing else is agreed."""
LAG_LIMITS_S = range(2, 61)
"""The limits that two tables can agree on."""
