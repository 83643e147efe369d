"""``blindplay verify`` and ``blindplay hall sign``: journals as evidence."""

from dataclasses import asdict
from pathlib import Path

import click

from blindplay.record import games

from . import options


@click.command()
@click.argument(
    "table", help="This is a table's journal: its path, or its name in your folder of tables."
)
@click.option("--hall", type=options.FILE, help="Only trust the keys of the tables in this file, "
              "the hall's own one of the event.")  # fmt: skip
@options.as_json(help="Print JSON, one object for each line.")
def verify(table: str, hall: Path | None, as_json: bool) -> int:
    """Check a journal: its chain, its signatures, and that the rulings follow from the facts.

    It says each result in one sentence. The exit status is 1 if something does not hold. With
    --hall, the journal must be signed up to its last line.
    """
    from blindplay.record import signatures

    known = None
    if hall is not None:
        from blindplay.hall.event_file import read_event_file

        joined = read_event_file(hall, table=False)
        if not joined.keys:
            raise ValueError(f"{hall} holds no keys of tables; name the file of the hall.")
        known = signatures.KnownKeys(joined.event, joined.keys)
    options.find_own_languages()
    wrong = 0
    for finding in signatures.verify(games.find(table), known):
        wrong += not finding.holds
        options.show(asdict(finding) if as_json else finding.sentence)
    if not as_json:
        options.show(f"What does not hold: {wrong}." if wrong else "All of this holds.")
    return 1 if wrong else 0


@click.command()
@click.argument("file", type=options.FILE, help="Use this file, the hall's own one of the event.")
@click.argument("table", help="Name the table as the event's files do.")
@click.option("--who", default="", help="Write this name of the arbiter into the request.")
def sign(file: Path, table: str, who: str) -> int:
    """Ask a table to sign its journal now, in the middle of a game.

    At the end of a game tables sign by themselves. The signature lies beside the journal and, when
    a hall is running, beside its copy.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.hall import ask_once
    from blindplay.hall.protocol import checked_name

    joined = read_event_file(file, table=False)
    answer = ask_once(joined, checked_name(table, "a table"), who, "sign")
    if answer.status == "done":
        options.show(f"Table {table} has signed all lines up to line {answer.n}.")
        return 0
    options.show(" ".join(answer.sentences) or f"Table {table} has not signed; ask again.")
    return 1
