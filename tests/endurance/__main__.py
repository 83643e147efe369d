"""``python -m tests.endurance`` with ``crash KILLS``, ``soak --hours H``, ``phones --hours H`` or
``promises``.

See docs/development/endurance.md.

The exit status is 1 if anything was lost, or if a ruling differs from a replay of its journal.
"""

import argparse
import sys
from functools import partial

from tests.endurance import phones
from tests.endurance.crash import CrashFigures, crash
from tests.endurance.promises.figures import Figures
from tests.endurance.promises.whole import whole
from tests.endurance.soak import SoakFigures, soak


def main() -> int:
    """Read the command line, run the measurement and print its figures."""
    reader = argparse.ArgumentParser(prog="python -m tests.endurance", description=__doc__)
    commands = reader.add_subparsers(dest="command", required=True)
    killing = commands.add_parser("crash", help="kill a table at random moments")
    killing.add_argument("kills", type=int, nargs="?", default=20)
    killing.add_argument("--heard", type=float, default=0.2, help="share with a microphone")
    killing.add_argument("--longest", type=float, default=4.0, help="most seconds before a kill")
    soaking = commands.add_parser("soak", help="play for hours at high speed")
    soaking.add_argument("--hours", type=float, default=8.0, help="hours of play")
    soaking.add_argument("--speed", type=float, default=20.0, help="1 is real time")
    phoning = commands.add_parser("phones", help="play by voice through two phones for hours")
    phoning.add_argument("--hours", type=float, default=1.0, help="hours of play")
    attacking = commands.add_parser("promises", help="attack the promises from outside")
    attacking.add_argument("only", nargs="?", default="", help="attacks whose names begin so")
    attacking.add_argument("--size", type=float, default=1.0, help="1 is half an hour")
    for one in (killing, soaking, phoning, attacking):
        one.add_argument("--seed", type=int, default=1, help="of the random games")
    given = vars(reader.parse_args())
    progress = partial(print, file=sys.stderr, flush=True)
    found: CrashFigures | SoakFigures | phones.PhoneFigures | Figures
    match given.pop("command"):
        case "crash":
            found = crash(progress=progress, **given)
        case "soak":
            found = soak(progress=progress, **given)
        case "phones":
            found = phones.play(progress=progress, **given)
        case _:
            found = whole(progress=progress, **given)
    print(*found.lines(), sep="\n")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
