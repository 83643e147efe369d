"""Robots that play at a table and know only the sentences that it gave them."""
