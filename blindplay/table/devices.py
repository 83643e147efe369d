"""The devices of a table: those that the command line names, else those that are found; and what
an organiser may want to know about them."""

import ctypes
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from blindplay.boards.driver import BoardDriver
from blindplay.boards.makers import address_of, located
from blindplay.boards.peg import PegBoard
from blindplay.boards.ports import BoardNotFoundError
from blindplay.braille.brlapi import Connection
from blindplay.hearing import speaker_models
from blindplay.hearing.recognisers import listening_models, open_recognisers
from blindplay.language import Language, load
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from blindplay.speech.audio import AudioError, AudioSink, SilentSink
from blindplay.speech.audio_devices import DeviceSink, MicrophoneSource, check_named, devices
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.ensemble import AnyRecogniser
from blindplay.speech.models.folders import ModelError
from blindplay.speech.phone import PhoneSource
from blindplay.speech.screen_reader import WORDS_PER_MINUTE, ScreenReader
from blindplay.speech.speaker import Speaker
from blindplay.speech.synthesis import Synthesiser
from blindplay.translation import _
from blindplay.version import VERSION
from blindplay.wording.readers import announcing

from .board_seat import BoardSeat
from .braille_seat import BrailleSeat, ReadersBraille
from .choices import BrailleBy, PrivateVoice
from .session import Session


@dataclass(frozen=True)
class WantedDevices:
    """The devices that the command line named; None: search. A microphone "none": keys only."""

    board: str | None = None
    sighted_board: str | None = None
    microphone: str | None = None
    private_output: str | None = None
    public_output: str | None = None
    models: tuple[Path, ...] = ()
    silent: bool = False
    push_to_talk: bool = False
    shared_microphone: bool = False
    """The microphone hears both players; the turn tells who spoke."""
    talk_levers: bool = False
    """The levers of the impaired player's board are talk buttons instead of the clock."""
    voice: PrivateVoice = PrivateVoice.OWN
    reader_rate: int = WORDS_PER_MINUTE
    """Words a minute that the screen reader speaks."""
    braille: BrailleBy = BrailleBy.OFF
    own: str = ""
    """The side whose devices come first; empty: that of the impaired player, else White."""
    phones_only: bool = False
    """The players' phones are the only devices: other tables run on this machine, and what is
    plugged in belongs to none of them."""

    @property
    def hears_here(self) -> bool:
        """Return whether a microphone of this machine may be used."""
        return self.microphone != "none" and not self.phones_only

    def any_present(self) -> bool:
        """Return whether there is a board or a microphone to play with."""
        microphone = self.hears_here and devices().capture
        return bool(self.board or self.sighted_board or microphone or _found_board())

    def reader(self) -> ScreenReader | None:
        """The player's own screen reader, if it is wanted.

        :raises ReaderError: if what reaches it is not installed.
        """
        speaks = self.voice is PrivateVoice.READER and not self.silent
        if not speaks and self.braille is not BrailleBy.READER:
            return None
        return ScreenReader(words_per_minute=self.reader_rate)

    def check(self) -> None:
        """Look for what must be there before a game begins.

        :raises AudioError, ReaderError, BrailleError: if it is not.
        """
        for output in (self.private_output, self.public_output):
            if output is not None and not self.silent:
                check_named(output, capture=False)
        if self.microphone not in (None, "none"):
            check_named(self.microphone, capture=True)
        self.reader()
        if self.braille is BrailleBy.BRLTTY:
            Connection().close()

    def boards(self) -> tuple[str | None, str | None]:
        """The addresses of the impaired player's board and of the opponent's.

        :raises BoardNotFoundError, ValueError: if a named one is not there.
        """
        own, sighted = (
            None if address is None else located(address)
            for address in (self.board, self.sighted_board)
        )
        return own or (None if self.phones_only else _found_board()), sighted

    def check_boards(self) -> None:
        """Look for the named boards while they may be in use. A search would not find them then.

        :raises BoardNotFoundError, ValueError: if one is not there.
        """
        for address in filter(None, (self.board, self.sighted_board)):
            located(address)


def board_address(seat: BoardSeat | None) -> str | None:
    """Return the address at which the board of ``seat`` was last found, if it has one."""
    board = None if seat is None else seat.board
    return address_of(board) if isinstance(board, BoardDriver) else None


def _found_board() -> str | None:
    try:
        return PegBoard.find()
    except BoardNotFoundError:
        return None


def open_speaker(
    stack: ExitStack,
    pack: Language,
    trouble: Callable[[str], None],
    wanted: WantedDevices = WantedDevices(),
    beside: Callable[[int], bytes] | None = None,
    phone: AudioSink | None = None,
) -> Speaker:
    """Open a speaker for the wanted outputs. ``stack`` closes these and the synthesiser; close the
    speaker yourself, before. ``trouble`` is called with a sentence about what cannot be heard.
    ``beside`` gives what a named earphone plays between sentences, as :class:`DeviceSink` takes it.
    ``phone``: the ear of a phone, in place of all of them.

    :raises AudioError: if a named output is not there.
    :raises ReaderError: if a screen reader is wanted, and what reaches it is not installed.
    """
    reader = wanted.reader() if wanted.voice is PrivateVoice.READER else None
    synthesiser = stack.enter_context(
        Synthesiser(pack.code, spellings=pack.spoken, spellings_of=lambda code: load(code).spoken)
    )
    synthesiser.start()
    sinks = outputs(stack, trouble, wanted, beside) if phone is None else (phone, phone)
    return Speaker(synthesiser, *sinks, reader=reader, on_error=trouble)


def outputs(
    stack: ExitStack,
    trouble: Callable[[str], None],
    wanted: WantedDevices = WantedDevices(),
    beside: Callable[[int], bytes] | None = None,
) -> tuple[AudioSink, AudioSink]:
    """Open the player's own output and everybody's, until ``stack`` closes them; with one device
    both share it. If there is none, ``trouble`` is called with a sentence.

    :raises AudioError: if a named output is not there.
    """
    if wanted.phones_only:
        return SilentSink("private"), SilentSink("public")
    if wanted.private_output is None and wanted.public_output is None:
        try:
            shared = stack.enter_context(closing(DeviceSink()))
        except AudioError as error:
            trouble(_("{error} Until then everything is printed.", error=error))
            return SilentSink("private"), SilentSink("public")
        return shared, shared
    public = stack.enter_context(closing(DeviceSink(wanted.public_output)))
    if wanted.private_output is None:
        return public, public
    return stack.enter_context(closing(DeviceSink(wanted.private_output, beside=beside))), public


def attach_boards(
    session: Session,
    own: str,
    wanted: WantedDevices,
    found: tuple[str | None, ...],
    *,
    resumed: bool = False,
) -> None:
    """Read the boards at the addresses ``found``, of the player at ``own`` and of the opponent.
    ``resumed``: the addresses are those from before, and ports may have swapped their names."""
    for side, address in zip((own, OTHER[own]), found, strict=True):
        if address is None:
            continue
        levers = side != own or not wanted.talk_levers
        session.attach_board(side, address, levers=levers, by_name=resumed)


def attach_braille(
    stack: ExitStack,
    session: Session,
    side: str,
    wanted: WantedDevices,
    type_line: Callable[[str, str], None],
) -> None:
    """Show what the player at ``side`` hears in Braille, if it is wanted."""
    if wanted.braille is BrailleBy.BRLTTY:
        stack.callback(BrailleSeat(session, side, Connection, type_line).close)
    elif wanted.braille is BrailleBy.READER and (reader := wanted.reader()) is not None:
        stack.callback(ReadersBraille(session, side, reader).close)


def hears(session: Session) -> bool:
    """Return whether somebody can speak to the table now: a microphone is there, and the table
    listens to it."""
    return bool(session.microphones and devices().capture)


def attach_microphone(
    session: Session,
    side: str,
    wanted: WantedDevices,
    also: Callable[[bytes], None] | None = None,
    *,
    gives_way: bool = False,
) -> None:
    """Listen to the player at ``side``, unless no microphone is wanted, or this one ``gives_way``
    to a phone that has come. ``also`` gets what the microphone hears, as :class:`MicrophoneSource`
    gives it.

    :raises AudioError, ModelError: if a named one is not there.
    """
    if not wanted.hears_here:
        return
    try:
        session.attach_microphone(
            side,
            # A microphone that was not named may be plugged in later.
            MicrophoneSource(wanted.microphone, allow_missing=wanted.microphone is None, also=also),
            _ear(session, side, wanted),
            _mode(wanted),
            shared=wanted.shared_microphone,
            gives_way=gives_way,
        )
    except (AudioError, ModelError) as error:
        if wanted.microphone is not None or wanted.models:
            raise
        session.desk.trouble("type_meanwhile", error=error)


def attach_phone(
    session: Session,
    seat: str,
    wanted: WantedDevices,
    source: PhoneSource,
    gone: Callable[[str], None],
    back: Callable[[], None],
) -> None:
    """Listen to the phone of the player or the assistant at ``seat``, in place of a microphone with
    a cable. It gets the same ear. The last two arguments are those of :class:`.MicrophoneSeat`.

    :raises ModelError: if there is no ear.
    """
    session.attach_microphone(
        seat,
        source,
        _ear(session, seat, wanted),
        _mode(wanted),
        late_seconds=lambda: source.late_s,
        gone=gone,
        back=back,
    )


def _ear(session: Session, seat: str, wanted: WantedDevices) -> AnyRecogniser:
    """The recogniser that listens at ``seat`` already, else a new one.

    :raises ModelError: as :func:`_recogniser` does.
    """
    before = session.microphones.get(seat)
    return _recogniser(session, seat, wanted) if before is None else before.recogniser


def _mode(wanted: WantedDevices) -> MicrophoneMode:
    return MicrophoneMode.PUSH_TO_TALK if wanted.push_to_talk else MicrophoneMode.OPEN


def _recogniser(session: Session, side: str, wanted: WantedDevices) -> AnyRecogniser:
    """The recogniser of announcements, and of what those who speak here say in their languages.

    :raises ModelError: if there is no model for any of this, or a named one is not there.
    """
    lost = partial(session.desk.tell_trouble, "model_gone")
    if wanted.models:
        announced = announcing(session.table.game)
        return _listening(session, [(announced, one) for one in wanted.models], lost)
    models: list[tuple[Language, Path]] = []
    missing: list[ModelError] = []
    for code, pack in _packs(session, side, wanted).items():
        try:
            folders = listening_models(code, lost)
        except ModelError as error:
            missing.append(error)
            continue
        if not wanted.shared_microphone and side in SIDES:  # others have another voice
            name = session.table.game.player(side).name
            folders = speaker_models.models(name, code, folders, lost)
        models += [(pack, folder) for folder in folders]
    if not models:
        raise missing[0]
    for none in missing:
        session.desk.trouble("type_language", error=none)
    return _listening(session, models, lost)


def _listening(
    session: Session, models: Sequence[tuple[Language, Path]], lost: Callable[[str], None]
) -> AnyRecogniser:
    """The recogniser of these models: one that listens at another seat already, else a new one.

    :raises ModelError: as :func:`open_recognisers` does.
    """
    folders = tuple(folder for _, folder in models)
    for seat in session.microphones.values():
        if seat.recogniser.folders == folders:
            return seat.recogniser
    return open_recognisers(models, lost=lost)


def _packs(session: Session, side: str, wanted: WantedDevices) -> dict[str, Language]:
    """The languages that are heard at the seat of ``side``, that of announcements first."""
    announced = announcing(session.table.game)
    packs = {announced.code: announced}
    both = wanted.shared_microphone or side not in SIDES  # an assistant speaks for both
    for one in SIDES if both else (side,):
        packs.setdefault(session.readers.of(one).code, session.readers.of(one))
    return packs


def offer_model(
    session: Session,
    side: str,
    wanted: WantedDevices,
    also: Callable[[bytes], None] | None = None,
) -> None:
    """Offer a better speech model to the player at ``side``, if there is a microphone. The other
    arguments are those with which :func:`attach_microphone` was called."""
    if not wanted.hears_here or wanted.models or not devices().capture:
        return

    def listen(then: Callable[[], None]) -> None:
        seat = session.microphones.get(side)
        if seat is None:
            attach_microphone(session, side, wanted, also)
            if side in session.microphones:
                then()
        else:
            seat.listen_with(_recogniser(session, side, wanted), then)

    session.offer_model(side, tuple(_packs(session, side, wanted)), listen)


class AboutTable:
    """The equipment of a table's machine. Little of it is known before it follows a session."""

    def __init__(self, wanted: WantedDevices) -> None:
        self._wanted = wanted
        self._session: Session | None = None

    def follow(self, session: Session) -> None:
        """Tell of this session from now on."""
        self._session = session

    def now(self) -> dict[str, Any]:
        """The keys that docs/development/hall-protocol.md lists. Unknown values are left out."""
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
        # The one that was named, or else the first that the system has.
        microphone = self._wanted.microphone or next(iter(devices().capture), "")
        found["microphone"] = microphone if seats else ""
        models = {folder.name for seat in seats for folder in seat.models}
        found["models"] = sorted(models)
        speaker = session.desk.speaker
        if speaker is not None:
            found["voice"] = f"{session.pack.code}, {speaker.voicing.rate}"
        return found


_SUPPLIES = Path("/sys/class/power_supply")


def power(supplies: Path = _SUPPLIES) -> tuple[str, int | None]:
    """``mains`` or ``battery``, and how full the battery is in percent; None without one. An empty
    text if the system does not say. ``supplies`` is where Linux tells it."""
    if sys.platform == "win32":
        return _of_windows()
    try:
        found = [_read(one) for one in sorted(supplies.iterdir())]
    except OSError:
        return "", None
    batteries = [one for one in found if one.get("type") == "Battery" and not one.get("scope")]
    if not batteries:
        return "mains" if found else "", None
    full = batteries[0].get("capacity", "")
    discharges = any(one.get("status") == "Discharging" for one in batteries)
    return "battery" if discharges else "mains", int(full) if full.isdigit() else None


def _read(supply: Path) -> dict[str, str]:
    """Return the properties of a supply, by name. A device that is plugged in, such as a mouse, has
    a scope."""
    told = {}
    for name in ("type", "scope", "status", "capacity"):
        try:
            told[name] = (supply / name).read_text("ascii", "replace").strip()
        except OSError:
            continue
    return told


class _PowerStatus(ctypes.Structure):
    _fields_ = (
        ("mains", ctypes.c_ubyte), ("flag", ctypes.c_ubyte), ("percent", ctypes.c_ubyte),
        ("saver", ctypes.c_ubyte), ("left", ctypes.c_ulong), ("whole", ctypes.c_ulong),
    )  # fmt: skip


def _of_windows() -> tuple[str, int | None]:
    if sys.platform != "win32":
        return "", None
    status = _PowerStatus()
    if not ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return "", None
    known = {0: "battery", 1: "mains"}.get(status.mains, "")
    return known, status.percent if status.percent <= 100 else None
