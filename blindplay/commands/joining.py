"""``blindplay play --hall`` with a ticket: the table fetches its file from the hall."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import options


def with_fetched_file(given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, the options of ``play``, with the file of the table in place of a ticket.

    :raises ValueError: one sentence, if the ticket does not lead to a file.
    """
    from blindplay.hall.table_side.joining import join, ticket_of
    from blindplay.record.games import halls_folder

    ticket = None if given["hall"] is None else ticket_of(str(given["hall"]))
    if ticket is None:
        return dict(given)
    digits, address = ticket
    if not address:
        address = _answer("Which address stands beside the ticket on the hall's page?")
    joined, path = join(digits, address, _which, halls_folder())
    options.show(f"This is table {joined.table} of {joined.title}. Its file is {path}.")
    options.show("From now on you can start the table with:")
    options.show(f"    {options.called()} play --hall {path}")
    return {**given, "hall": path}


def _which(tables: Sequence[str]) -> str:
    return _answer(f"Which table is this? There are tickets for: {', '.join(tables)}.")


def _answer(question: str) -> str:
    options.show(question)
    line = sys.stdin.readline().strip()
    if not line:
        raise ValueError("There is no answer; type the ticket as the hall's page shows it.")
    return line
