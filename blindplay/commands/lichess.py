"""``blindplay lichess``: the user's account at Lichess."""

import sys

import click

from . import options


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def lichess() -> None:
    """Let BlindPlay play in your name at Lichess, or no longer."""


@lichess.command()
@click.option("--server", default="https://lichess.org", help="Play at this server of Lichess.")
def login(server: str) -> None:
    """Enter the token of your account once.

    Lichess makes the token at the page that is printed. It is not shown while you type or paste it,
    and is kept in a file that only you can read.
    """
    from blindplay.opponents.lichess import api

    server = server.rstrip("/")
    if not server.startswith(("https://", "http://")):
        raise ValueError(
            f"--server {server} is not an address; give one such as https://lichess.org."
        )
    options.show(f"Make a token at this page: {api.token_page(server)}")
    options.show("Paste it here and press Enter. It is not shown.")
    if sys.stdin.isatty():
        given = click.prompt("", prompt_suffix="", hide_input=True, show_default=False)
    else:
        given = sys.stdin.readline()
    token = api.checked_token(given)
    with api.LichessApi(api.Account("", token, server)) as asked:
        name, permitted = asked.user()
    if missing := api.missing_scopes(permitted):
        raise ValueError(
            f"This token does not permit {' and '.join(missing)}; make one at the page above."
        )
    api.keep_account(api.Account(name, token, server))
    options.show(f"You are {name} at Lichess. To play: blindplay play --against lichess")


@lichess.command()
def logout() -> None:
    """Remove the token from this machine. The page of your tokens at Lichess ends it there, too."""
    from blindplay.opponents.lichess import api

    removed = api.forget_account()
    options.show("The token is removed." if removed else "No token is kept on this machine.")
