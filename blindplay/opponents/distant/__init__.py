"""A distant table: two tables, two boards, one game, one order of facts."""
