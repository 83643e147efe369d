"""``blindplay board`` and ``blindplay emulate``: pegged boards, real and emulated."""

import sys
from itertools import takewhile
from pathlib import Path
from typing import get_args

import chess
import click

from blindplay.boards import recordings
from blindplay.boards.dgt import Commit, MoveFound, NoRecordingError
from blindplay.boards.makers import driver_of, find_boards
from blindplay.boards.monitor import monitor
from blindplay.boards.peg import PegBoard, firmware, flashing
from blindplay.boards.peg import protocol as peg
from blindplay.boards.peg.emulator import EmulatedBoard, practise
from blindplay.boards.peg.naming import checked_name
from blindplay.boards.peg.raw_board import RawBoard, is_name, port_of
from blindplay.boards.ports import BoardNotFoundError, check_url
from blindplay.given import RECORDING, in_time, read_bytes, too_large
from blindplay.language import Key, Language, key_of
from blindplay.laws.placement import pieces_of
from blindplay.translation import UserError, _, _n, join_texts

from . import options
from .reader import READER, to_reader, user_language

_port = click.option(
    "--port",
    help=_("Read the board of this port, URL or name. Without it, the board is searched for."),
)
_COMMIT = click.Choice(get_args(Commit))
_PROTOCOL = click.Choice(tuple(recordings.FRAMERS))
_silent = options.flag("silent", _("Print the steps and say nothing."))


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@_port
@options.as_json(help=_("Print JSON instead of plain lines."))
@click.option("--seconds", type=options.SECONDS, help=_("Stop after so many seconds."))
@click.pass_context
def board(context: click.Context, port: str | None, as_json: bool, seconds: float | None) -> None:
    """Show live what a pegged board reports, or look after it."""
    if context.invoked_subcommand is None:
        out = to_reader(sys.stdout)
        monitor(port, json=as_json, seconds=seconds, out=out, told=READER.told)


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
@click.argument(
    "file",
    type=options.FILE,
    required=False,
    help=_("Write this firmware, a file in Intel HEX. Without it, that of this program is taken."),
)
@_port
@click.option(
    "--board",
    type=click.Choice(tuple(flashing.BOARDS)),
    help=_(
        "Write to a nano, a nano-old (with the old boot loader) or an uno only. Without it, each "
        "boot loader is tried."
    ),
)
@click.option("--baud", type=click.IntRange(1), help=_("Use another speed of the boot loader."))
def flash(file: Path | None, port: str | None, board: str | None, baud: int | None) -> None:
    """Write firmware to a board, and check that the board answers with it.

    It first says what it will do, and keeps what was in the board. If the board does not answer
    with the new firmware, that is written back. Settings, calibration and name of the board stay.
    """
    wanted = firmware.own() if file is None else firmware.read(file)
    rates = (baud,) if baud else flashing.rates(board)
    found = flashing.target(port_of(port) if port else port)
    if file is None:
        flashing.refuse_older(wanted, found)
    options.show(flashing.announced(wanted, found))
    flashing.flash(wanted, found.url, rates, options.show)


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
        raise UserError("Only DGT boards report a clock; leave out --commit.")
    if file == "-":
        data = sys.stdin.buffer.read(RECORDING.most_bytes + 1)
        if len(data) > RECORDING.most_bytes:
            raise too_large(_("Standard input"), RECORDING)
    else:
        data = read_bytes(Path(file), RECORDING)
    try:
        if positions:
            placements = recordings.positions(data, protocol, turned)
            for placement in in_time(placements, RECORDING, file):
                print(placement, flush=True)
            return
        found = recordings.decode(data, protocol, commit=commit, position=board, turned=turned)
        for finding in in_time(found, RECORDING, file):
            if isinstance(finding, MoveFound):
                print(finding.uci, flush=True)
            else:
                options.warn(finding.sentence)
    except NoRecordingError as error:
        raise UserError(
            "{file} is no {protocol} recording: {error}.", file=file, protocol=protocol, error=error
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
@click.argument("name", help=_("Give the board this name, such as 'Board 3'."))
@_port
@click.option(
    "--new-id",
    is_flag=True,
    help=_("Give it a new id, too: its memory was copied from another board."),
)
def name(name: str, port: str | None, new_id: bool) -> None:
    """Give a pegged board a name, which it keeps itself.

    The name is then taken instead of a port, for example in play --board 'Board 3'.
    """
    name = checked_name(name)
    if driver_of(name)[0] is not PegBoard or not is_name(name):
        raise UserError(
            "{name} already means something else after --board: give another name.", name=name
        )
    url = flashing.target(None).url if port is None else port_of(port)
    check_url(url)
    with RawBoard(url) as asked:
        asked.rename(name, afresh=new_id)
        options.show(_("The board at {url} is now named {name}.", url=url, name=name))
        _let_buzz(asked, 1)


@board.command()
@options.flag("silent", _("Print the boards, and let none buzz."))
def find(silent: bool) -> None:
    """Search for boards of all makers, and print each as --board takes it.

    Each pegged board buzzes after its line: the first once, the second twice, and so on. It asks
    serial ports and listens for Bluetooth boards, which takes some seconds.
    """
    any_board, buzzing = False, 0
    ids: dict[str, str] = {}
    for address, about in find_boards(options.warn):
        any_board = True
        options.show(join_texts("", (f"{address}: ", about, ".")))
        if driver_of(address)[0] is not PegBoard:
            continue
        buzzing += 1
        try:
            with RawBoard(address) as asked:
                other = ids.setdefault(asked.which or address, address)
                if not silent:
                    _let_buzz(asked, buzzing)
        except (OSError, ValueError) as error:
            options.warn(str(error))
            continue
        if other != address:
            options.warn(
                _(
                    "The boards at {one} and {other} have the same id, because the memory of one "
                    "is a copy: run 'blindplay board name' with --port {other} and --new-id.",
                    one=other,
                    other=address,
                )
            )
    if not any_board:
        raise BoardNotFoundError("No board was found: switch it on, and plug it in or come nearer.")


def _let_buzz(asked: RawBoard, times: int) -> None:
    """Let a board buzz, and say so before, or why it does not."""
    if asked.able & peg.Capability.BUZZER:
        options.show(_n("It buzzes once now.", "It buzzes {count} times now.", times))
    if not asked.buzz(times):
        options.show(_("It cannot buzz: to learn which one it is, unplug it and search again."))


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
