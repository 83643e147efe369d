"""``blindplay follow``: games that are played elsewhere, by ear and on one's own board."""

import sys
from contextlib import ExitStack

import click

from blindplay.language import Language
from blindplay.translation import UserError, _

from . import options


@click.command()
@click.argument(
    "source",
    help=_(
        "Read this address of a game or a round at Lichess, of a hall's public page or of a PGN, "
        "or this PGN file that grows."
    ),
)
@options.language(help=_("Speak and print in this language."))
@click.option("--game", help=_("Begin with this game: its number, or the name of a player."))
@options.board_and_voice
def follow(
    source: str,
    pack: Language,
    game: str | None,
    board: bool,
    port: str | None,
    microphone: str | None,
    silent: bool,
) -> None:
    """Follow games that are played elsewhere, by ear and on your own board.

    It announces each move, and leads hands to it. Type or say the number of a game to follow
    another one; ask for the position, the clocks or the last moves. No move is judged: the games
    are running (11.3.1). After a cut it goes on by itself.
    """
    from blindplay.opponents.watching import source_of
    from blindplay.table.attendant import Attendant, Prompter, open_ear
    from blindplay.table.following import Following

    if port is not None and not board:
        raise UserError("--port needs --board.")
    games = source_of(source)
    with ExitStack() as stack:
        voice = Prompter(stack, pack, silent, sys.stdout)
        attendant = Attendant(stack, voice, sys.stdin, (port or "") if board else None)
        following = Following(
            voice, attendant, games, wanted=game or "", keys_go=sys.stdin.isatty()
        )
        following.ear = open_ear(stack, voice, attendant.hear, microphone)
        why = following.run()
    if why:
        raise ValueError(why)
