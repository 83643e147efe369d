"""The agreement of two tables on a game: kept beside the journal, so that it goes on alone."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from blindplay.laws.state import OTHER
from blindplay.record import files

from .keys import Keys
from .meeting import Calling, Waiting
from .places import Door, PortDoor, PortWay, Way
from .player import DistantPlayer
from .relay import Relay
from .wire import Lifeline

_ENDING: files.OwnEnd = ".distant"


class NoAgreementError(ValueError):
    """No keys are kept by which the other table of a game knows this one."""


@dataclass(frozen=True)
class Agreement:
    """``here`` is the side of this table, ``waited`` says that the other one called it. ``port``,
    ``host`` and ``inbox`` are those of the :class:`~.places.Venue`."""

    keys: Keys
    here: str
    limit_s: int
    training: bool
    waited: bool
    port: int
    host: str = ""
    inbox: str = ""

    def keep(self, journal: Path) -> None:
        """Keep this beside ``journal``, for its user only.

        :raises OSError: if it cannot be written.
        """
        journal.parent.mkdir(parents=True, exist_ok=True)
        files.write_new(files.beside(journal, _ENDING), json.dumps(asdict(self)).encode())

    def player(self, lifeline: Lifeline, *, voices: bool = False) -> DistantPlayer:
        """The opponent at the other end of ``lifeline``. ``voices``: the player here wants them."""
        return DistantPlayer(
            OTHER[self.here],
            lifeline,
            waited=self.waited,
            limit_s=self.limit_s,
            training=self.training,
            voices=voices,
        )

    def lifeline(self) -> Lifeline:
        """The connection of a game that goes on: wait for the other table, or call it.

        :raises OSError: if the port is taken.
        """
        doors: list[Waiting | Calling] = []
        lifeline = Lifeline(lambda: doors[0].close())
        if self.waited:
            doors.append(Waiting(self._door(), lambda sock, keys: lifeline.offer(sock), self.keys))
        else:
            doors.append(Calling(self._way(), self.keys, lifeline))
        return lifeline

    def _door(self) -> Door:
        if self.inbox:
            return Relay(self.host, self.port, inbox=self.inbox)
        return PortDoor(self.port)

    def _way(self) -> Way:
        if self.inbox:
            return Relay(self.host, self.port, other=self.inbox)
        return PortWay(self.host, self.port)


def kept(journal: Path) -> Agreement:
    """Read the agreement for the game in ``journal``.

    :raises NoAgreementError: one sentence, if it cannot be read.
    """
    path = files.beside(journal, _ENDING)
    try:
        found = json.loads(path.read_text("utf-8"))
        keys = Keys(**found["keys"])
        return Agreement(**{"waited": not found["host"], **found, "keys": keys})
    except (OSError, ValueError, TypeError, KeyError):
        raise NoAgreementError(
            f"{path} cannot be read, so the other table would not know this one; put the file "
            "back, or begin another game without --resume."
        ) from None
