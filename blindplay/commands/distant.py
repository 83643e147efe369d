"""``play --against wait`` and ``play --against DIGITS@HOST``: a game at two tables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from blindplay.given import shown
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.opponents.distant import LAG_LIMIT_S

from . import options
from .resuming import typed

if TYPE_CHECKING:
    from blindplay.opponents.distant.connections import TableConnector, TableListener
    from blindplay.opponents.distant.player import DistantPlayer
    from blindplay.table.meeting_distant import MeetingPlace, Met

WAIT = "wait"
_ADDRESS = re.compile(r"(?:(?P<ticket>[0-9]{6}|[0-9]{8}|wait)@)?(?P<address>.+)")
_DIGITS, _ROOM_DIGITS = 6, 2
_OF_THE_GAME = frozenset(
    ("edition", "time_control", "mode", "supervised", "quickplay_finish", "chess960", "fen",
     "arbiter", "training", "event", "site", "round", "announce_in", "check", "lag_limit")
)  # fmt: skip
"""Options that the table that waits decides."""


@dataclass(frozen=True)
class Address:
    """``ticket`` has six digits for a table that waits at ``host``, and eight for one that waits at
    a broker there: first its room. It is empty until somebody is asked. Without a ``host`` this
    table ``waits`` at a port of its own, else at a broker."""

    waits: bool
    host: str = ""
    port: int | None = None
    ticket: str = ""

    @property
    def at_broker(self) -> bool:
        return bool(self.host) if self.waits else len(self.ticket) > _DIGITS


def address_of(text: str) -> Address:
    """Return the address in ``wait``, ``wait:port``, ``wait@host:port`` or ``482915@host:port``.

    :raises ValueError: one sentence, if it is not an address.
    """
    found = _ADDRESS.fullmatch(text.strip())
    try:
        parts = urlsplit(f"//{found['address']}") if found else None
        whole = parts and not (parts.path or parts.query or parts.username)
        # A name alone is rather a slip of the keyboard than a machine.
        known = text == WAIT or re.search("[@.:]", text)
        if found and parts and parts.hostname and whole and known:
            ticket = found["ticket"] or ""
            if parts.hostname == WAIT and not ticket:
                return Address(True, port=parts.port)
            waits = ticket == WAIT
            return Address(waits, parts.hostname, parts.port, "" if waits else ticket)
    except ValueError:
        pass
    raise ValueError(
        f"--against {shown(text)} is not an opponent; write engine, lichess, wait, wait@ and the "
        "address of a hall, or the digits and the address that a table which waits gives you, such "
        "as 482915@192.168.1.20."
    )


def with_both(given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, with what a game at two tables has besides: two boards.

    :raises ValueError: for values that do not go together.
    """
    if not address_of(given["against"]).waits:
        for name in sorted(typed(given) & _OF_THE_GAME):
            raise ValueError(
                f"The table that waits decides about --{name.replace('_', '-')}; leave it out."
            )
    return {**given, "boards": 2}


def check_voices(given: Mapping[str, Any]) -> None:
    """Look for what --voices needs.

    :raises ValueError: one sentence, if it is not there.
    """
    from blindplay.speech import opus

    if not given["voices"]:
        return
    if given["private_output"] is None or given["silent"] or given["microphone"] == "none":
        raise ValueError(
            "--voices needs an earphone, so that the microphone does not hear the other player; "
            "add --private-output, and leave out --silent and --microphone none."
        )
    opus.check()


def meet(
    given: Mapping[str, Any],
    setup: Setup,
    place: "MeetingPlace",
) -> "Met | None":
    """Meet the other table as ``--against`` says. ``setup`` is that of this table alone.

    :raises ValueError: one sentence, if nothing comes of it.
    :raises AudioError: if a named output cannot be used.
    """
    address = address_of(given["against"])
    impaired = [side for side in SIDES if setup.player(side).impaired]
    here = impaired[0] if impaired else "white"
    if address.waits:
        return _await(given, setup, here, place, address)
    address = address if address.ticket else replace(address, ticket=_asked(place))
    name = setup.white.name or setup.black.name
    return _call(place, address, replace(setup.player(here), name=name))


def _await(
    given: Mapping[str, Any], setup: Setup, here: str, place: "MeetingPlace", address: Address
) -> "Met | None":
    from blindplay.opponents.distant.meeting import Terms
    from blindplay.table.meeting_distant import await_guest
    from blindplay.table.table import with_id

    def propose(guest: Player) -> Terms:
        both = replace(setup, black=guest) if here == "white" else replace(setup, white=guest)
        both = with_id(both)  # both tables take the same first fact
        return Terms(both, here, given["lag_limit"] or LAG_LIMIT_S, given["training"])

    return await_guest(place, _listener(address), propose)


def _listener(address: Address) -> "TableListener":
    """Return the listener at which this table waits.

    :raises ValueError: one sentence, if it cannot wait there.
    """
    from blindplay.opponents.distant import connections
    from blindplay.opponents.distant.connections import PortListener
    from blindplay.opponents.distant.meeting import PORT

    if not address.at_broker:
        port = PORT if address.port is None else address.port
        try:
            return PortListener(port)
        except OSError:
            raise _taken(port) from None
    try:
        return connections.waiting_at(address.host, address.port or connections.BROKER_PORT)
    except connections.NoRoomError:
        raise ValueError(
            f"Too many tables wait at {shown(address.host)}; try again later."
        ) from None
    except OSError:
        raise _no_hall(address) from None


def _connector(address: Address) -> "TableConnector":
    """Return the connector with which this table calls the other.

    :raises ValueError: one sentence, if a broker does not answer, or nobody waits there.
    """
    from blindplay.opponents.distant import connections
    from blindplay.opponents.distant.connections import PortConnector
    from blindplay.opponents.distant.meeting import PORT

    if not address.at_broker:
        return PortConnector(address.host, PORT if address.port is None else address.port)
    room = address.ticket[:_ROOM_DIGITS]
    connector = connections.Relay(address.host, address.port or connections.BROKER_PORT, room=room)
    try:
        waits = connector.holder()
    except OSError:
        connector.close()
        raise _no_hall(address) from None
    if not waits:
        connector.close()
        raise ValueError(
            f"No table waits at {shown(address.host)} with these digits; ask for them again."
        )
    return connector


def _no_hall(address: Address) -> ValueError:
    from blindplay.opponents.distant.connections import BROKER_PORT

    return ValueError(
        f"No hall answers at {shown(address.host)}, port {address.port or BROKER_PORT}; check the "
        "address, and whether blindplay hall meetings runs there."
    )


def _call(place: "MeetingPlace", address: Address, player: Player) -> "Met":
    from blindplay.opponents.distant.meeting import (
        NoMeetingError,
        NotAgreedError,
        NotReachedError,
        OtherVersionError,
    )
    from blindplay.six_digits import WrongDigitsError
    from blindplay.table.meeting_distant import call_table

    connector = _connector(address)
    try:
        return call_table(place, connector, address.ticket[-_DIGITS:], player)
    except (
        NotReachedError, NoMeetingError, WrongDigitsError, OtherVersionError, NotAgreedError
    ) as error:  # fmt: skip
        connector.close()
        raise ValueError(_said(error, address, connector.place.port)) from None


def _said(error: ValueError, address: Address, port: int) -> str:
    """Return why a call failed."""
    from blindplay.opponents.distant.meeting import (
        NoMeetingError,
        NotAgreedError,
        OtherVersionError,
    )
    from blindplay.six_digits import WrongDigitsError
    from blindplay.version import VERSION

    match error:
        case WrongDigitsError():
            return (
                "These are not the digits that the other table shows; ask for them again. After "
                "three tries it has new ones."
            )
        case NoMeetingError():
            return (
                f"The program at {shown(address.host)}, port {port}, does not answer as a waiting "
                "table does; check the address, and try again."
            )
        case OtherVersionError():
            return (
                f"The other table has BlindPlay {shown(str(error))}, this one {VERSION}; both "
                "need the same version."
            )
        case NotAgreedError():
            return "There is no game: the two tables have not agreed."
    return (
        f"No table waits at {shown(address.host)}, port {port}; check the address, and whether "
        f"the firewall and the router there let TCP port {port} through to that machine."
    )


def _asked(place: "MeetingPlace") -> str:
    """Return the digits that somebody types at ``place``.

    :raises ValueError: one sentence, if they cannot be a ticket.
    """
    options.show("Which digits does the other table show?")
    digits = "".join((place.lines.next() or "").split())
    if not re.fullmatch("[0-9]{6}|[0-9]{8}", digits):
        raise ValueError(
            "These are neither six nor eight digits; type them as the other table says them."
        )
    return digits


def go_on(given: Mapping[str, Any], journal: Path) -> "DistantPlayer":
    """The distant opponent of the game in ``journal``. A typed --against says where it is now.

    :raises ValueError: one sentence, if the other table could not know this one, or the port is
        taken.
    """
    from blindplay.opponents.distant import connections, meeting
    from blindplay.opponents.distant.meeting import kept_agreement

    if given["dead_time"] != "nobody":
        raise ValueError("--dead-time is for a game at one table; leave it out.")
    agreed = kept_agreement(journal)
    address = address_of(given["against"])
    same = address.waits is agreed.waited and bool(address.host) is bool(agreed.host)
    if "against" in typed(given) and (address.host if agreed.inbox else same):
        usual = connections.BROKER_PORT if agreed.inbox else meeting.PORT
        port = usual if address.port is None else address.port
        agreed = replace(agreed, host=address.host, port=port)
    try:
        return agreed.player(agreed.lifeline(), voices=given["voices"])
    except OSError:
        raise _taken(agreed.port) from None


def _taken(port: int) -> ValueError:
    return ValueError(
        f"The port {port} is taken on this machine; end the other table, or choose another port "
        f"with --against {WAIT}:{port + 1}."
    )
