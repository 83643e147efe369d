"""``blindplay games``: the games that are kept on this machine."""

import dataclasses
import datetime
from itertools import islice
from typing import TYPE_CHECKING

import click

from blindplay.language import Language

from . import options

if TYPE_CHECKING:
    from blindplay.record.games import KeptGame

_NEWEST = 20


@click.command()
@options.language(help="Write the list in this language.")
@click.option("--all", "everything", is_flag=True, help=f"List all games, not the last {_NEWEST}.")
@options.as_json(help="Print JSON, one object for each game.")
def games(pack: Language, everything: bool, as_json: bool) -> None:
    """List your games with players, date, moves and result, the last one first.

    blindplay play --resume continues the last one that is not finished.
    """
    from blindplay.record.games import journals, kept_games

    options.find_own_languages()
    count = len(journals())
    for game in kept_games() if everything else islice(kept_games(), _NEWEST):
        if as_json:
            options.show({**dataclasses.asdict(game), "journal": str(game.journal)})
        else:
            options.show(_in_words(game, pack))
    if not count and not as_json:
        options.show(pack.printed("games_none"))
    elif count > _NEWEST and not everything and not as_json:
        options.show(pack.printed("games_more").format(count=count - _NEWEST))


def _in_words(game: "KeptGame", pack: Language) -> str:
    name = game.journal.stem
    if game.trouble and not game.begun:
        return pack.printed("games_unread").format(name=name, why=game.trouble)
    state = "games_running" if game.running else "games_open"
    line = pack.printed("games_line").format(
        name=name,
        date=_date(game.date, pack),
        white=game.white or pack.sentence("white"),
        black=game.black or pack.sentence("black"),
        moves=pack.printed("games_moves").format(count=game.moves),
        result=game.result or pack.printed(state),
    )
    return f"{line} {game.trouble}".strip()


def _date(date: str, pack: Language) -> str:
    """The date of a game, as people write it; one that is not whole stays as it is."""
    try:
        return pack.printed_date(datetime.date.fromisoformat(date))
    except ValueError:
        return date or pack.printed("games_undated")
