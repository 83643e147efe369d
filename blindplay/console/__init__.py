"""The console: web pages of one table for the people who sit at it.

It knows the Laws and the languages, and reaches the table only through :class:`~.ports.Table`.
"""
