"""The console: web pages of one table for the people who sit at it.

It reaches the table only through :class:`~.table_port.TablePort`.
"""

LOOPBACK = "127.0.0.1"
PORT = 8080
"""The default address: only this machine can open the pages."""
PUBLIC_DELAY_S = 900
"""The default delay of the public page, in seconds."""
