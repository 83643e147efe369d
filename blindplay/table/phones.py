"""The phones of players and their assistants: each is a microphone with a talk button, and a clock.

A phone joins from the page of its person, over a line that may fail at any time. It is away when
nothing has come from it for some seconds. Everybody is told so, and nothing else happens: the game
goes on, and the phone comes back to the state that the game has then.
"""

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from blindplay.console.phone import PhoneSend
from blindplay.laws import Taken
from blindplay.laws.facts import SIDES
from blindplay.laws.rulings import (
    Ambiguous,
    Announced,
    Completed,
    NotMade,
    NotUnderstood,
    Refused,
    Repeated,
)
from blindplay.laws.state import OTHER
from blindplay.opponents.distant import LAG_LIMIT_S
from blindplay.speech.audio_devices import MICROPHONE_PATIENCE_S
from blindplay.speech.callbacks import call
from blindplay.speech.models.folders import ModelError
from blindplay.speech.phone import PATIENCE_S, PhoneClock, PhoneEar, PhoneSource
from blindplay.speech.speaker import Output
from blindplay.translation import _
from blindplay.wording.steps import person_in_words

from .choices import Keep
from .desk import NAMES
from .session import Session

_LOOK_S = 0.25
_PING_S = 1.0
_PINGS = 10
"""So many of the latest pings may still be answered."""

AttachPhone = Callable[[str, PhoneSource, Callable[[str], None], Callable[[], None]], None]
"""Listen to the phone at a seat; see :func:`.devices.attach_phone`."""


@dataclass
class Phone:
    """The phone of a seat, which is a player's or an assistant's. ``run`` names it, and ``stream``
    the packets of its page."""

    seat: str
    source: PhoneSource | None = None
    run: str = ""
    stream: str = ""
    send: PhoneSend = lambda message: None
    heard_at: float = 0.0
    away: bool = False
    out: PhoneEar = field(init=False)
    silent: bool = False
    """The page is there, but no sound comes from its microphone."""
    back: tuple[float, int] | None = None
    """When it came back without sound yet, and how many packets it had given."""
    clock: PhoneClock = field(default_factory=PhoneClock)
    talks: bool = False
    """The talk button is down, as its page was told."""
    _pings: dict[int, float] = field(default_factory=dict)  # when each was sent that has no answer
    _pinged: int = 0
    _pinged_at: float = 0.0

    def __post_init__(self) -> None:
        self.out = PhoneEar(lambda message: self.send(message), lambda: not self.away)

    def join(self, run: str, stream: str, send: PhoneSend, now: float) -> bool:
        """The page ``run`` has this place from now on, and packets of ``stream``. Return whether
        it is another page than before, which hears that its place is taken."""
        before, new, anew = self.send, self.run != run, self.stream != stream
        self.run, self.stream, self.send, self.heard_at = run, stream, send, now
        self.talks = False
        if new:
            self.clock.begin()
        call(before, None)
        if anew and self.source is not None:
            self.source.begin()
        return new

    def told(self, told: Mapping[str, Any], now: float) -> bool:
        """Take what a phone tells by itself; False if this is what its player wants."""
        if "pong" in told:
            sent = self._pings.pop(told["pong"], None) if isinstance(told["pong"], int) else None
            at = phone_time(told)
            if sent is not None and at is not None:
                self.clock.answered(sent, now, at)
        elif "ended" in told:
            self.out.ended(told["ended"], played=told.get("played") is True)
        return "pong" in told or "ended" in told

    def ping(self, now: float) -> None:
        """Ask it for its time, if that is due, and tell what has come."""
        if now - self._pinged_at < _PING_S:
            return
        self._pinged_at = now
        self._pinged += 1
        self._pings[self._pinged] = now
        self._pings.pop(self._pinged - _PINGS, None)
        came = -1 if self.source is None else self.source.came
        self.send({"ping": self._pinged} | ({"came": came} if came >= 0 else {}))


def phone_time(told: Mapping[str, Any]) -> int | None:
    """The time of a phone in a message, in ms; None if it tells none."""
    at = told.get("at")
    return at % 2**32 if isinstance(at, int) else None


class PhoneHost(Protocol):
    """What looks after phones."""

    def heard_from(self, phone: Phone) -> None:
        """Something has come from a phone."""

    def message(self, phone: Phone, told: Mapping[str, Any]) -> None:
        """A phone has sent a message."""


class PhoneCall:
    """One line to a phone. It is of no use any more when another page has taken the seat."""

    def __init__(self, phones: PhoneHost, phone: Phone, send: PhoneSend) -> None:
        self._phones, self._phone, self._send = phones, phone, send

    @property
    def holds(self) -> bool:
        """Return whether this line still is the one of its seat."""
        return self._phone.send is self._send

    def sound(self, packet: bytes) -> bool:
        """Take a packet of sound; False if it is none."""
        self._phones.heard_from(self._phone)
        return self._phone.source is None or self._phone.source.take(packet)

    def message(self, told: Mapping[str, Any]) -> None:
        """Take another message. What it asks for is done in a thread of the phones, in order."""
        self._phones.heard_from(self._phone)
        self._phones.message(self._phone, told)


class PlayerPhones:
    """The phones of one table. ``attach`` lets it listen to one; None: it listens to none, because
    one microphone hears both players. ``taped``: what of the sound is kept. ``left`` is called with
    the seat of a player who puts the phone away, and ``also`` gets what all phones hear."""

    def __init__(
        self,
        session: Session,
        attach: AttachPhone | None,
        taped: Keep = Keep.OFF,
        *,
        left: Callable[[str], object] = lambda seat: None,
        also: Callable[[bytes], None] | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._session, self._attach, self._taped, self._now = session, attach, taped, now
        self._left, self._also = left, also
        self._phones: dict[str, Phone] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._work = ThreadPoolExecutor(1, "phones")
        self._ears = ThreadPoolExecutor(1, "ears of phones")  # models load there for seconds
        self._watching: threading.Thread | None = None
        session.table.listen(self._taken)

    def join(
        self, role: str, run: str, stream: str, send: PhoneSend, *, again: bool
    ) -> PhoneCall | None:
        """See :class:`blindplay.console.phone.PhonePort`."""
        seat = self._session.table.side_of(role)
        with self._lock:
            phone = self._phones.setdefault(seat, Phone(seat))
            others = phone.run not in ("", run)
            if others and again:
                return None
            new = phone.join(run, stream, send, self._now())
            if self._watching is None:
                self._watching = threading.Thread(target=self._watch, daemon=True, name="phones")
                self._watching.start()
        self._work.submit(call, self._welcome, phone, send, others, new)
        return PhoneCall(self, phone, send)

    def heard_from(self, phone: Phone) -> None:
        phone.heard_at = self._now()

    def message(self, phone: Phone, told: Mapping[str, Any]) -> None:
        do, at, now = told.get("do"), phone_time(told), self._now()
        if phone.told(told, now):
            return
        if do in ("press", "talk"):
            ago = 0.0 if at is None else min(phone.clock.ago(at, now), LAG_LIMIT_S)
            pressed = self._press if do == "press" else self._talk
            self._work.submit(call, pressed, phone, told, now - ago)
        elif do == "hear" and phone.seat in SIDES:
            self._work.submit(call, self._hear, phone, told)
        elif do == "leave":
            self._work.submit(call, self._leave, phone, phone.send)
        elif do == "listen":
            self._ears.submit(call, self._listen, phone)

    def close(self) -> None:
        """Stop looking after the phones. Their pages connect again to the next table."""
        self._closed.set()
        for threads in (self._work, self._ears):
            threads.shutdown(wait=False, cancel_futures=True)

    def _is_here(self, phone: Phone) -> bool:
        """Return whether its player has not put this phone away."""
        return self._phones.get(phone.seat) is phone

    # --- the microphone ------------------------------------------------------------------------

    def _welcome(self, phone: Phone, send: PhoneSend, others: bool, new: bool) -> None:
        if others:
            self._tell(phone, "phone_other")
        elif new:
            self._tell(phone, "phone_here")
        send({"tape": self._taped.value})

    def _listen(self, phone: Phone) -> None:
        """Hear the phone's microphone, and say to its page whether the table does."""
        if not self._is_here(phone):
            return
        hears = "no"
        try:
            if phone.source is not None and not phone.source.is_closed:
                hears = "yes"
            elif self._attach is None:
                hears = "shared"
            else:
                phone.send({"hears": "soon"})
                source = PhoneSource(phone.clock, self._also)
                lost, found = partial(self._lost, phone), partial(self._found, phone)
                self._attach(phone.seat, source, lost, found)
                phone.source, hears = source, "yes"
        except ModelError as error:
            self._session.transcript.trouble(str(error))
        finally:
            phone.send({"hears": hears})

    # --- the ear -------------------------------------------------------------------------------

    def _hear(self, phone: Phone, told: Mapping[str, Any]) -> None:
        """The player chooses what to hear on the phone."""
        session, desk = self._session, self._session.desk
        side = session.table.side_of(phone.seat)
        wanted, own = told.get("private"), desk.has_earphone(side)
        wanted = wanted if wanted in ("sound", "earphones", "text") else ""
        answer = wanted
        if desk.speaker is None:
            answer = "silent"
        elif wanted and not (own or session.table.game.impaired(side)):
            answer = "other"
        elif own or session.table.game.impaired(side):
            output = Output.PRIVATE if own else Output.SECOND
            public = phone.out if told.get("public") is True else None
            reader = phone.out if wanted == "text" else None
            desk.speaker.use_phone(output, phone.out if wanted else None, reader, public)
            session.phone_ears[output] = wanted
            if not own:
                desk.second_ear = phone.seat if wanted else ""
        phone.send({"ear": answer})

    def _lost(self, phone: Phone, sentence: str) -> None:
        """No sound comes from a phone. If nothing else comes either, it is away."""
        self._session.transcript.line(sentence)
        if self._is_here(phone) and not phone.away:
            phone.silent = True
            phone.send({"hears": "silent"})
            self._tell(phone, "phone_silent")

    def _found(self, phone: Phone) -> None:
        """Sound comes again."""
        phone.send({"hears": "yes"})
        if phone.silent:
            phone.silent = False
            self._tell(phone, "phone_back")

    def _leave(self, phone: Phone, send: PhoneSend) -> None:
        """The player puts the phone away, whose line sends with ``send``."""
        with self._lock:
            if phone.send is not send or not self._is_here(phone):
                return  # the player has taken one again already
            del self._phones[phone.seat]
        if self._session.desk.speaker is not None and phone.seat in SIDES:
            self._hear(phone, {})
        self._tell(phone, "phone_left")
        phone.send(None)
        self._ears.submit(call, self._give_back, phone)

    def _give_back(self, phone: Phone) -> None:
        """Listen to the phone no more."""
        if phone.source is not None:
            phone.source.lose(_("The player has put the phone away."))
            self._left(phone.seat)

    # --- the buttons ---------------------------------------------------------------------------

    def _press(self, phone: Phone, told: Mapping[str, Any], at: float) -> None:
        """The clock was pressed ``at`` this time of ours."""
        session, ago = self._session, self._now() - at
        side = session.table.side_of(phone.seat)
        if side not in SIDES:
            return  # an assistant starts the clock on the whole page
        session.transcript.line(f"felt {NAMES[side]}'s phone pressed {ago:.3f} s ago")
        session.press(side, ago, line=ago)

    def _talk(self, phone: Phone, told: Mapping[str, Any], at: float) -> None:
        """The talk button went down or up, or was pressed without that being told apart."""
        side, session = self._session.table.side_of(phone.seat), self._session
        if "down" in told:
            session.hold_talk(side, down=bool(told["down"]), briefly=bool(told.get("briefly")))
        else:
            session.talk(side)

    def _taken(self, taken: Taken) -> None:
        """Let the phones be felt: the player's words or press were taken or refused, or it is their
        turn."""
        for phone in list(self._phones.values()):
            side = self._session.table.side_of(phone.seat)
            if feel := _felt(taken, side):
                phone.send({"feel": feel})

    # --- away and back -------------------------------------------------------------------------

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK_S):
            with self._lock:
                phones = list(self._phones.values())
            for phone in phones:
                call(self._look, phone)

    def _look(self, phone: Phone) -> None:
        now = self._now()
        away = now - phone.heard_at >= PATIENCE_S
        if away and not phone.away:
            phone.away = True
            if phone.source is not None:
                phone.source.lose(_("The phone is away."))
                # Nobody will tell that the finger is lifted.
                self._session.hold_talk(self._session.table.side_of(phone.seat), down=False)
            self._tell(phone, "phone_away")
        elif phone.away and not away:
            phone.away = phone.silent = False
            phone.back = None if phone.source is None else (now, phone.source.given)
            self._tell(phone, "phone_back")
        self._expect_sound(phone, now)
        microphone = self._session.microphones.get(phone.seat)
        talks = microphone is not None and microphone.is_held
        if talks is not phone.talks:
            phone.talks = talks
            phone.send({"talks": talks})
        if not away:
            phone.ping(now)

    def _expect_sound(self, phone: Phone, now: float) -> None:
        """Tell it when a phone is back, and its microphone is not, as after a call."""
        if phone.back is None or phone.source is None or phone.away:
            return
        since, given = phone.back
        if phone.source.given > given:
            phone.back = None
        elif now - since >= MICROPHONE_PATIENCE_S:
            phone.back = None
            self._lost(phone, _("The phone gives no sound; look at its page."))

    def _tell(self, phone: Phone, key: str) -> None:
        """Tell everybody about a phone, while that matters to the game."""
        desk, table = self._session.desk, self._session.table
        player = person_in_words(desk.pack, table.side_of(phone.seat))
        if not table.game.over:
            desk.tell_all(key, player=player)


def _felt(taken: Taken, person: str) -> str:
    """What the phone of a person lets them feel of these rulings; empty: nothing."""
    rulings, by_them = taken.rulings, getattr(taken.fact, "by", "") == person
    own = [one for one in rulings if by_them or getattr(one, "by", None) == person]
    if any(isinstance(one, Refused | NotMade | NotUnderstood | Ambiguous) for one in own):
        return "refused"
    if any(isinstance(one, Completed) and one.by == OTHER.get(person) for one in rulings):
        return "turn"
    done = any(isinstance(one, Announced | Repeated | Completed) for one in own)
    return "taken" if done else ""
