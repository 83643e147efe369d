"""``play --against wait`` and ``play --against HOST``: a game at two tables."""

import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blindplay.given import shown
from blindplay.laws.facts import SIDES, Player, Setup

from . import options
from .resuming import typed

if TYPE_CHECKING:
    from blindplay.opponents.distant.player import DistantPlayer
    from blindplay.table.meeting_distant import MeetingPlace, Met

WAIT = "wait"
LAG_LIMIT_S = 5
_ADDRESS = re.compile(r"(?:(?P<digits>[0-9]{6})@)?(?P<address>.+)")
_OF_THE_GAME = frozenset(
    ("edition", "time_control", "mode", "supervised", "quickplay_finish", "chess960", "fen",
     "arbiter", "training", "event", "site", "round", "announce_in", "check", "lag_limit")
)  # fmt: skip
"""Options that the table that waits decides."""


def address_of(text: str) -> tuple[str, str, int]:
    """The digits, the host and the port of ``482915@host:port``; without digits they are empty, and
    so is the host of ``wait``.

    :raises ValueError: one sentence, if it is no address.
    """
    from blindplay.opponents.distant.meeting import PORT

    found = _ADDRESS.fullmatch(text.strip())
    try:
        parts = urlsplit(f"//{found['address']}") if found else None
        whole = found and parts and parts.hostname and not (parts.path or parts.query)
        # A name alone is rather a slip of the keyboard than a machine.
        known = text == WAIT or re.search("[@.:]", text)
        if found and parts and parts.hostname and whole and known:
            waits = parts.hostname == WAIT and not found["digits"]
            port = PORT if parts.port is None else parts.port
            return found["digits"] or "", "" if waits else parts.hostname, port
    except ValueError:
        pass
    raise ValueError(
        f"--against {shown(text)} is no opponent; write engine, lichess, wait, or the six digits "
        f"and the address of a table that waits, such as 482915@192.168.1.20:{PORT}."
    )


def with_both(given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, with what a game at two tables has besides: two boards.

    :raises ValueError: for values that do not go together.
    """
    _, host, _ = address_of(given["against"])
    if host:
        for name in sorted(typed(given) & _OF_THE_GAME):
            raise ValueError(
                f"The table that waits decides about --{name.replace('_', '-')}; leave it out."
            )
    return {**given, "boards": 2}


def meet(
    given: Mapping[str, Any],
    setup: Setup,
    place: "MeetingPlace",
) -> "Met | None":
    """Meet the other table as ``--against`` says. ``setup`` is that of this table alone.

    :raises ValueError: one sentence, if nothing comes of it.
    :raises AudioError: if a named output cannot be used.
    """
    digits, host, port = address_of(given["against"])
    impaired = [side for side in SIDES if setup.player(side).impaired]
    here = impaired[0] if impaired else "white"
    if not host:
        return _await(given, setup, here, place, port)
    name = setup.white.name or setup.black.name
    return _call(place, host, port, digits or _asked(), replace(setup.player(here), name=name))


def _await(
    given: Mapping[str, Any], setup: Setup, here: str, place: "MeetingPlace", port: int
) -> "Met | None":
    from blindplay.opponents.distant.terms import Terms
    from blindplay.table.meeting_distant import await_guest

    def propose(guest: Player) -> Terms:
        both = replace(setup, black=guest) if here == "white" else replace(setup, white=guest)
        return Terms(both, here, given["lag_limit"] or LAG_LIMIT_S, given["training"])

    try:
        return await_guest(place, port, propose)
    except OSError:
        raise _taken(port) from None


def _call(place: "MeetingPlace", host: str, port: int, digits: str, player: Player) -> "Met":
    from blindplay import __version__
    from blindplay.opponents.distant import meeting, terms
    from blindplay.six_digits import WrongDigitsError
    from blindplay.table.meeting_distant import call_table

    try:
        return call_table(place, host, port, digits, player)
    except meeting.NotReachedError:
        raise ValueError(
            f"No table waits at {shown(host)}, port {port}; check the address, and whether the "
            f"firewall and the router there let TCP port {port} through to that machine."
        ) from None
    except WrongDigitsError:
        raise ValueError(
            "These are not the digits that the other table shows; ask for them again. After three "
            "tries it has new ones."
        ) from None
    except terms.OtherVersionError as error:
        raise ValueError(
            f"The other table has BlindPlay {shown(str(error))}, this one {__version__}; both need "
            "the same version."
        ) from None
    except terms.NotAgreedError:
        raise ValueError("There is no game: the two tables have not agreed.") from None


def _asked() -> str:
    options.show("Which six digits does the other table show?")
    line = "".join(sys.stdin.readline().split())
    if not re.fullmatch("[0-9]{6}", line):
        raise ValueError("These are no six digits; type them as the other table says them.")
    return line


def go_on(given: Mapping[str, Any], journal: Path) -> "DistantPlayer":
    """The distant opponent of the game in ``journal``. A typed --against says where it is now.

    :raises ValueError: one sentence, if the other table could not know this one, or the port is
        taken.
    """
    from blindplay.opponents.distant.agreement import kept

    if given["dead_time"] != "nobody":
        raise ValueError("--dead-time is for a game at one table; leave it out.")
    agreed = kept(journal)
    _, host, port = address_of(given["against"])
    if "against" in typed(given) and bool(host) == bool(agreed.host):
        agreed = replace(agreed, host=host, port=port)
    try:
        return agreed.player(agreed.lifeline())
    except OSError:
        raise _taken(agreed.port) from None


def _taken(port: int) -> ValueError:
    return ValueError(
        f"The port {port} is taken on this machine; end the other table, or choose another port "
        f"with --against {WAIT}:{port + 1}."
    )
