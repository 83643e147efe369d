"""Facts about the machine of a table that an organiser may want to know."""

from typing import Any

from blindplay.speech.audio_devices import devices
from blindplay.version import VERSION

from .devices import WantedDevices
from .power import power
from .session import Session


class AboutTable:
    """The equipment of a table's machine. Little of it is known before it follows a session."""

    def __init__(self, wanted: WantedDevices) -> None:
        self._wanted = wanted
        self._session: Session | None = None

    def follow(self, session: Session) -> None:
        """Tell of this session from now on."""
        self._session = session

    def now(self) -> dict[str, Any]:
        """The keys that docs/hall-protocol.md lists. Unknown values are left out."""
        supply, percent = power()
        found: dict[str, Any] = {"version": VERSION}
        if supply:
            found["power"] = supply
        if percent is not None:
            found["battery"] = percent
        session = self._session
        if session is None:
            return found
        found["boards"] = {
            seat.side: seat.about if seat.connected else ""
            for seat in list(session.boards.values())
        }
        seats = list(session.microphones.values())
        found["microphone"] = self._microphone() if seats else ""
        models = {folder.name for seat in seats for folder in seat.models}
        found["models"] = sorted(models)
        speaker = session.desk.speaker
        if speaker is not None:
            found["voice"] = f"{session.pack.code}, {speaker.voicing.rate}"
        return found

    def _microphone(self) -> str:
        """The one that was named, or else the first that the system has."""
        return self._wanted.microphone or next(iter(devices().capture), "")
