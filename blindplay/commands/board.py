"""``blindplay board`` and ``blindplay emulate``: pegged boards, real and emulated."""

import sys
from itertools import takewhile
from pathlib import Path
from typing import get_args

import chess
import click

from blindplay.boards import recordings
from blindplay.boards.dgt import Commit, MoveFound, NoRecordingError
from blindplay.boards.makers import find_boards
from blindplay.boards.monitor import monitor
from blindplay.boards.peg import flashing
from blindplay.boards.peg.emulator import EmulatedBoard, practise
from blindplay.boards.ports import BoardNotFoundError, check_url
from blindplay.given import read_bytes
from blindplay.language import Key, Language, key_of
from blindplay.laws.placement import pieces_of
from blindplay.translation import _

from . import options
from .reader import to_reader, user_language

_port = click.option(
    "--port", help=_("Read the board at this port or URL. Without it, the board is searched for.")
)
_COMMIT = click.Choice(get_args(Commit))
_PROTOCOL = click.Choice(recordings.PROTOCOLS)
_silent = options.flag("silent", _("Print the steps and say nothing."))


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@_port
@options.as_json(help=_("Print JSON instead of plain lines."))
@click.option("--seconds", type=options.SECONDS, help=_("Stop after so many seconds."))
@click.pass_context
def board(context: click.Context, port: str | None, as_json: bool, seconds: float | None) -> None:
    """Show live what a pegged board reports, or look after it."""
    if context.invoked_subcommand is None:
        monitor(port, json=as_json, seconds=seconds, out=to_reader(sys.stdout))


@board.command()
@_port
@options.fen_from_start()
@options.language(help=_("Take this language as the one that is spoken."))
@_silent
def setup(port: str | None, board: chess.Board, pack: Language, silent: bool) -> int:
    """Guide hands to a position, step by step, and check each step on the board.

    The exit status is 1 if the board does not show the position at the end.
    """
    from blindplay.table.attendant import set_up

    done = set_up(port, pieces_of(board), pack, silent, sys.stdin, sys.stdout)
    return 0 if done else 1


@board.command()
@_port
@options.language(help=_("Take this language as the one that is spoken."))
@_silent
def calibrate(port: str | None, pack: Language, silent: bool) -> int:
    """Check each contact and each kind of piece, guided by voice.

    Press Enter after each step. The result is kept, and play reports bad squares before a game.
    The exit status is 1 if a square is bad or none was checked.
    """
    from blindplay.table.board_calibration import calibrate as check_board

    return 0 if check_board(port, pack, silent, sys.stdin, sys.stdout) else 1


@board.command()
@click.argument("file", type=options.FILE, help=_("Write this firmware, a file in Intel HEX."))
@_port
@click.option(
    "--board",
    default="nano",
    help=_("Write to a nano, a nano-old (with the old boot loader) or an uno."),
)
@click.option("--baud", type=click.IntRange(1), help=_("Use another speed of the boot loader."))
def flash(file: Path, port: str | None, board: str, baud: int | None) -> None:
    """Write firmware to a board with avrdude. It first says what it will do."""
    if port is not None:
        check_url(port)
    planned = flashing.plan(file, port, board, baud)
    options.show(planned.sentence)
    flashing.flash(planned, sys.stdout)
    options.show(_("The firmware has been written."))


@board.command()
@click.argument(
    "file", help=_("Read the bytes that the board sent from this file; - is standard input.")
)
@click.option("--protocol", type=_PROTOCOL, default="dgt", help=_("Read this protocol."))
@click.option("--commit", type=_COMMIT, help=_("Take this as what makes a move final; see above."))
@options.fen(
    help=_("Begin with this position. Without it, the first one in the recording is taken.")
)
@click.option(
    "--turned/--not-turned", default=None, help=_("Say how the board stood, if it is known.")
)
@click.option(
    "--positions", is_flag=True, help=_("Print each position in FEN as the board reports it.")
)
def decode(
    file: str,
    protocol: str,
    commit: Commit | None,
    board: chess.Board | None,
    turned: bool | None,
    positions: bool,
) -> None:
    """Print the moves of a recorded stream in UCI, one per line.

    Doubts go to standard error. Without --commit, a press of a DGT clock makes a move
    final if the clock was used in the recording; otherwise the position does, as on all other
    boards.
    """
    if commit is not None and protocol != "dgt":
        raise ValueError(_("Only DGT boards report a clock; leave out --commit."))
    most = options.MOST_BYTES
    data = sys.stdin.buffer.read(most) if file == "-" else read_bytes(Path(file), most)
    try:
        if positions:
            for placement in recordings.positions(data, protocol, turned):
                print(placement, flush=True)
            return
        for finding in recordings.decode(
            data, protocol, commit=commit, position=board, turned=turned
        ):
            if isinstance(finding, MoveFound):
                print(finding.uci, flush=True)
            else:
                options.warn(finding.sentence)
    except NoRecordingError as error:
        raise ValueError(
            _(
                "{file} is no {protocol} recording: {error}.",
                file=file,
                protocol=protocol,
                error=error,
            )
        ) from None


@board.command(name="serve")
@click.option(
    "--livechess", is_flag=True, required=True, help=_("Answer as the program DGT LiveChess does.")
)
@click.option("--board", "address", metavar="BOARD", help=_("Serve this board, as for play. "
              "Without it, a pegged board is searched for."))  # fmt: skip
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", help=_("Serve at this address; "
              "0.0.0.0 is all. Other machines can then read the board."))  # fmt: skip
@click.option("--livechess-port", default=1982, type=click.IntRange(0, 65535),
              help=_("Serve at this port, which programs know."))  # fmt: skip
@click.option("--origin", "origins", multiple=True, metavar="URL", help=_("Add a site whose pages "
              "may read the board. It can be given several times."))  # fmt: skip
def serve_board(
    livechess: bool, address: str | None, host: str, livechess_port: int, origins: tuple[str, ...]
) -> None:
    """Let other programs play with any board that this one reads.

    Programs and browser extensions that know DGT LiveChess find the board without settings. Pages
    of lichess.org and www.chess.com and extensions may read it, other pages only with --origin.
    Ctrl-C ends it.
    """
    from blindplay.boards.livechess import serve

    serve(address, host, livechess_port, origins, options.show)


@board.command()
def find() -> None:
    """Search for boards of all makers, and print each as --board takes it.

    It asks serial ports and listens for Bluetooth boards, which takes some seconds.
    """
    any_board = False
    for address, about in find_boards(options.warn):
        any_board = True
        options.show(f"{address}: {about}.")
    if not any_board:
        raise BoardNotFoundError(
            _("No board was found: switch it on, and plug it in or come nearer.")
        )


@click.command()
@click.option("--fen", default=options.START, help=_("Put these pieces on the board, in FEN."))
@click.option("--socket", is_flag=True, help=_("Use a TCP port instead of a serial port."))
@click.option(
    "--identity/--no-identity", default=True, help=_("Emulate a board that knows each piece.")
)
def emulate(fen: str, socket: bool, identity: bool) -> None:
    """Emulate a pegged board on a machine without one.

    It prints the board's URL and reads from standard input: lift e2, place e4 P, move e2e4,
    press white, fault e2, mend e2, unplug, plug, fen, signals and quit.
    """
    placement = fen.split()[0] if fen.split() else ""
    with EmulatedBoard(placement, force_socket=socket, identity=identity, signals=True) as emulated:
        pack = options.load_language(user_language())
        lines = takewhile(lambda line: key_of(pack, line) is not Key.END, sys.stdin)
        practise(emulated, lines, to_reader(sys.stdout))
