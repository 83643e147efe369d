"""``play --against``: an opponent who is not in the room. It is a program, Lichess or a table."""

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from blindplay.given import shown
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.opponents.distant import LAG_LIMIT_S
from blindplay.translation import UserError, _

from . import lichess, options
from .play_options import OPTIONS, WAIT, Address, PlayOptions

if TYPE_CHECKING:
    from blindplay.opponents.distant.connections import TableConnector, TableListener
    from blindplay.opponents.distant.player import DistantPlayer
    from blindplay.opponents.engine import EnginePlayer
    from blindplay.opponents.player import AbsentPlayer
    from blindplay.table.meeting_distant import MeetingPlace, Met

_BARELY = 1320
"""The weakest level of Stockfish. Below it the built-in opponent plays better at its level."""
_DIGITS, _ROOM_DIGITS = 6, 2


def with_opponent(given: PlayOptions) -> PlayOptions:
    """``given``, with what a game against an absent opponent has besides: two boards, a name, and
    training, unless that was refused or an arbiter is there. Options that need two people are as
    if nobody had given them: those in the settings file are passed over.

    :raises ValueError: for values that do not go together.
    """
    against, distant = given.against, isinstance(given.against, Address)
    if (against is None or distant) and not (given.engine is given.level is None):
        raise UserError("--engine and --level need --against engine.")
    if against != "lichess" and (given.challenge or given.accept or given.rated or given.days):
        raise UserError("--challenge, --accept, --rated and --days need --against lichess.")
    if not distant and given.lag_limit is not None:
        raise UserError("--lag-limit needs --against wait.")
    if not distant and "voices" in given.typed:
        raise UserError("--voices needs --against with a distant table, such as wait.")
    if against is None:
        return given
    of_two: dict[str, Any] = {
        name: option.default for name, option in OPTIONS.items() if option.two_people
    }
    for name in of_two:
        if name in given.typed and getattr(given, name):
            raise UserError(
                "--{name} needs two people at the table; leave it out, or --against.",
                name=name.replace("_", "-"),
            )
    alone = replace(given, boards=2, **of_two)
    if against == "lichess":
        _check_lichess(given)
        return replace(alone, training=False, arbiter=False)
    if given.impaired == "both":
        raise UserError("--impaired both leaves no side for --against; give white, black or none.")
    if isinstance(against, Address):
        _check_call(given, against)
        return alone
    program = _engine_player(given).program.name
    training = given.training if "training" in given.chosen else not given.arbiter
    if given.impaired == "black":
        return replace(alone, training=training, white=given.white or program)
    return replace(alone, training=training, black=given.black or program)


def _check_lichess(given: PlayOptions) -> None:
    """Raise ValueError if something was asked for that no game at Lichess has."""
    for name in ("training", "arbiter", "engine", "white", "black"):
        if name in given.typed and getattr(given, name):
            raise UserError("--{name} cannot go with --against lichess; leave it out.", name=name)
    lichess.wanted_game(given)


def opponent(given: PlayOptions) -> "AbsentPlayer | None":
    """The opponent of --against; None if both players are at the table, or at two.

    :raises ValueError: if the engine or the level is none, or no account at Lichess is known.
    """
    if given.against == "lichess":
        from blindplay.opponents.lichess.api import kept_account
        from blindplay.opponents.lichess.player import LichessPlayer

        return LichessPlayer(kept_account())
    return _engine_player(given) if given.against == "engine" else None


def _engine_player(given: PlayOptions) -> "EnginePlayer":
    from blindplay.opponents import uci
    from blindplay.opponents.engine import EnginePlayer

    level = uci.level(uci.USUAL if given.level is None else given.level)
    if given.engine is not None:
        return EnginePlayer(uci.named(given.engine), level)
    weak = level.elo is not None and level.elo < _BARELY
    return EnginePlayer((None if weak else uci.installed()) or uci.BUILT_IN, level)


# --- a distant table


def _check_call(given: PlayOptions, address: Address) -> None:
    """Raise ValueError if this table calls, and something was typed that the other one decides."""
    for name in () if address.waits else sorted(given.typed):
        if OPTIONS[name].waiting_decides:
            raise UserError(
                "The table that waits decides about --{name}; leave it out.",
                name=name.replace("_", "-"),
            )


def check_voices(given: PlayOptions) -> None:
    """Look for what --voices needs.

    :raises ValueError: one sentence, if it is not there.
    """
    from blindplay.speech import opus

    if not given.voices:
        return
    if given.private_output is None or given.silent or given.microphone == "none":
        raise UserError(
            "--voices needs an earphone, so that the microphone does not hear the other "
            "player; add --private-output, and leave out --silent and --microphone none."
        )
    opus.check()


def meet(given: PlayOptions, setup: Setup, place: "MeetingPlace") -> "Met | None":
    """Meet the other table as ``--against`` says. ``setup`` is that of this table alone.

    :raises ValueError: one sentence, if nothing comes of it.
    :raises AudioError: if a named output cannot be used.
    """
    address = given.against
    assert isinstance(address, Address)
    impaired = [side for side in SIDES if setup.player(side).impaired]
    here = impaired[0] if impaired else "white"
    if address.waits:
        return _await(given, setup, here, place, address)
    address = address if address.ticket else replace(address, ticket=_typed_ticket(place))
    name = setup.white.name or setup.black.name
    return _call(place, address, replace(setup.player(here), name=name))


def _await(
    given: PlayOptions, setup: Setup, side: str, place: "MeetingPlace", address: Address
) -> "Met | None":
    from blindplay.opponents.distant.meeting import Terms
    from blindplay.table.meeting_distant import await_guest
    from blindplay.table.table import with_id

    def propose(guest: Player) -> Terms:
        both = replace(setup, black=guest) if side == "white" else replace(setup, white=guest)
        both = with_id(both)  # both tables take the same first fact
        return Terms(both, side, given.lag_limit or LAG_LIMIT_S, given.training)

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
        raise UserError(
            "Too many tables wait at {host}; try again later.", host=shown(address.host)
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
        raise UserError(
            "No table waits at {host} with these digits; ask for them again.",
            host=shown(address.host),
        )
    return connector


def _no_hall(address: Address) -> ValueError:
    from blindplay.opponents.distant.connections import BROKER_PORT

    return UserError(
        "No hall answers at {host}, port {port}; check the address, and whether "
        "blindplay hall meetings runs there.",
        host=shown(address.host),
        port=address.port or BROKER_PORT,
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
        raise ValueError(_failure(error, address, connector.place.port)) from None


def _failure(error: ValueError, address: Address, port: int) -> str:
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
            return _(
                "These are not the digits that the other table shows; ask for them again. After "
                "three tries it has new ones."
            )
        case NoMeetingError():
            return _(
                "The program at {host}, port {port}, does not answer as a waiting "
                "table does; check the address, and try again.",
                host=shown(address.host),
                port=port,
            )
        case OtherVersionError():
            return _(
                "The other table has BlindPlay {error}, this one {version}; both need "
                "the same version.",
                error=shown(str(error)),
                version=VERSION,
            )
        case NotAgreedError():
            return _("There is no game: the two tables have not agreed.")
    return _(
        "No table waits at {host}, port {port}; check the address, and whether the "
        "firewall and the router there let TCP port {port} through to that machine.",
        host=shown(address.host),
        port=port,
    )


def _typed_ticket(place: "MeetingPlace") -> str:
    """Return the digits that somebody types at ``place``.

    :raises ValueError: one sentence, if they cannot be a ticket.
    """
    options.show(_("Which digits does the other table show?"))
    digits = "".join((place.lines.next() or "").split())
    if not re.fullmatch("[0-9]{6}|[0-9]{8}", digits):
        raise UserError(
            "These are neither six nor eight digits; type them as the other table says them."
        )
    return digits


def go_on(given: PlayOptions, journal: Path) -> "DistantPlayer":
    """The distant opponent of the game in ``journal``. A typed --against says where it is now.

    :raises ValueError: one sentence, if the other table could not know this one, or the port is
        taken.
    """
    from blindplay.opponents.distant import connections, meeting
    from blindplay.opponents.distant.meeting import kept_agreement

    if given.dead_time != "nobody":
        raise UserError("--dead-time is for a game at one table; leave it out.")
    agreed = kept_agreement(journal)
    address = given.against
    assert isinstance(address, Address)
    same = address.waits is agreed.waited and bool(address.host) is bool(agreed.host)
    if "against" in given.typed and (address.host if agreed.inbox else same):
        usual = connections.BROKER_PORT if agreed.inbox else meeting.PORT
        port = usual if address.port is None else address.port
        agreed = replace(agreed, host=address.host, port=port)
    try:
        return agreed.player(agreed.lifeline(), voices=given.voices)
    except OSError:
        raise _taken(agreed.port) from None


def _taken(port: int) -> ValueError:
    return UserError(
        "The port {port} is taken on this machine; end the other table, or choose "
        "another port with --against {wait}:{next_port}.",
        port=port,
        wait=WAIT,
        next_port=port + 1,
    )
