"""The words that a table says and hears while two tables meet for a game."""

import queue
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TextIO

import chess

from blindplay.given import plain_lines
from blindplay.language import Command, Key, Language, join, key_of, word_of
from blindplay.laws.facts import SIDES, Player, Setup
from blindplay.laws.state import OTHER
from blindplay.opponents.distant import meeting
from blindplay.opponents.distant.connections import Lifeline, TableConnector, TableListener, Venue
from blindplay.opponents.distant.meeting import Agreement, Keys, Terms
from blindplay.speech.audio_devices import devices
from blindplay.speech.speaker import Output
from blindplay.typed_lines import TypedLines
from blindplay.version import VERSION
from blindplay.wording.values import settings_in_words, speakable

from .devices import WantedDevices, open_speaker

_LOOK_S = 0.1


@dataclass(frozen=True)
class Met:
    """Two tables that play a game from now on."""

    agreement: Agreement
    setup: Setup
    lifeline: Lifeline


@dataclass(frozen=True)
class MeetingPlace:
    """The output and the keyboard of a table before there is a game."""

    pack: Language
    wanted: WantedDevices
    lines: TypedLines
    out: TextIO

    def show(self, words: str) -> None:
        """Print, for everybody."""
        print(plain_lines(words), file=self.out, flush=True)

    def trouble(self, sentence: str) -> None:
        """Print a sentence about what went wrong, written in English."""
        self.show(self.pack.trouble(sentence))

    def voice(self, stack: ExitStack) -> Callable[[str], None]:
        """Return a function that speaks a sentence, or prints it where no voice is heard, until
        ``stack`` closes.

        :raises AudioError: if a named output cannot be used.
        """
        if self.wanted.silent:
            return self.show
        speaker = open_speaker(stack, self.pack, self.trouble, self.wanted)
        stack.callback(speaker.close)
        stack.callback(speaker.wait, 10)

        def say(words: str) -> None:
            if not devices().playback:
                self.show(words)
            speaker.say(words, to=Output.PUBLIC)

        return say


def _limit_in_words(limit_s: int, pack: Language) -> str:
    """Return the sentence about the line: its delay costs nobody time, and when it counts as
    lost."""
    return pack.sentence("distant_limit", time=pack.duration(limit_s * 1000))


# --- the table that waits -----------------------------------------------------------------------


class _Reception:
    """Receives the tables that know the digits, until one agrees to the terms."""

    def __init__(self, listener: TableListener, propose: Callable[[Player], Terms]) -> None:
        self.met: Met | None = None
        self.news: queue.Queue[tuple[str, str]] = queue.Queue()
        """The news for people here: the key of a sentence, and the player who has come."""
        self._propose = propose
        self._agreeing = threading.Lock()
        self._lifeline = Lifeline(lambda: self.waiting.close())
        self.waiting = meeting.Waiting(
            listener, self._came, changed=lambda: self.news.put(("distant_new_digits", ""))
        )

    def _came(self, sock: ssl.SSLSocket, keys: Keys) -> None:
        if self.met is not None:
            if keys is self.met.agreement.keys:
                self._lifeline.offer(sock)
            else:
                with sock:
                    meeting.guest_of(sock, VERSION)
                    meeting.refuse(sock, VERSION)
        elif not self._agree(sock, keys):
            sock.close()

    def _agree(self, sock: ssl.SSLSocket, keys: Keys) -> bool:
        """Propose the game; return whether it begins."""
        name = ""
        try:
            guest = meeting.guest_of(sock, VERSION)
            name = guest.name
            proposed = self._propose(guest)
            self.news.put(("distant_guest", name))
            agrees = meeting.propose(sock, proposed, VERSION)
        except meeting.OtherVersionError:
            self.news.put(("distant_other_version", name))
            return False
        except (OSError, ValueError, KeyError, TypeError):
            agrees = False
        with self._agreeing:
            if not agrees or self.met is not None:
                self.news.put(("distant_declined", name))
                return False
            meeting.begin(sock)
            agreement = _agreed(keys, proposed, self.waiting.place, waited=True)
            self.met = Met(agreement, proposed.setup, self._lifeline)
            self.waiting.only(keys)
            self._lifeline.offer(sock)
        return True


def _agreed(keys: Keys, proposed: Terms, at: Venue, *, waited: bool) -> Agreement:
    here, limit_s, training = proposed.here, proposed.limit_s, proposed.training
    return Agreement(keys, here, limit_s, training, waited, **asdict(at))


def await_guest(
    place: MeetingPlace, listener: TableListener, propose: Callable[[Player], Terms]
) -> Met | None:
    """Wait at ``listener`` for the other table, and tell the digits that it needs. ``propose``
    gives the terms for a guest. None if somebody types the word that ends the table.

    :raises AudioError: if a named output cannot be used.
    """
    from blindplay.console.server import reached_at  # it takes long to load

    pack = place.pack
    with ExitStack() as stack:
        guests = _Reception(listener, propose)
        stack.callback(lambda: None if guests.met else guests.waiting.close())
        say = place.voice(stack)

        def invite() -> None:
            digits, at = guests.waiting.ticket, listener.place
            words = ", ".join(pack.number(int(digit)) for digit in digits)
            told, shown = ("hall_digits", "hall_call") if at.host else ("digits", "call")
            say(pack.sentence(f"distant_{told}", digits=words, end=word_of(pack, Key.END)))
            host = at.host or reached_at()
            address = f"[{host}]" if ":" in host else host
            place.show(
                pack.printed(f"distant_{shown}", digits=digits, address=address, port=at.port)
            )

        invite()
        while guests.met is None:
            while not guests.news.empty():
                key, name = guests.news.get()
                name = speakable(name, pack) or pack.sentence("distant_unnamed")
                say(pack.sentence(key, name=name))
                if key == "distant_new_digits":
                    invite()
            line = place.lines.within(_LOOK_S)
            if line is not None and key_of(pack, line) is Key.END:
                return None
            if line is not None:
                invite()
            elif place.lines.ended:
                threading.Event().wait(_LOOK_S)
        say(pack.sentence("distant_agreed"))
        say(_limit_in_words(guests.met.agreement.limit_s, pack))
        return guests.met


# --- the table that calls ------------------------------------------------------------------------


def call_table(place: MeetingPlace, connector: TableConnector, digits: str, player: Player) -> Met:
    """Call the table that waits there, tell its terms, and ask ``player`` for a yes.

    :raises NotReachedError, NoMeetingError, WrongDigitsError, OtherVersionError, NotAgreedError: if
        nothing comes of it.
    :raises AudioError: if a named output cannot be used.
    """
    with ExitStack() as stack:
        say = place.voice(stack)
        say(place.pack.sentence("distant_calling"))
        sock, keys = meeting.call(connector, digits)
        try:
            proposed = meeting.introduce(sock, player, VERSION)
            meeting.answer(sock, agrees=_agrees(place, say, proposed))
        except (meeting.OtherVersionError, meeting.NotAgreedError):
            sock.close()
            raise
        except (OSError, ValueError, KeyError, TypeError):
            sock.close()
            raise meeting.NotAgreedError from None
    agreement = _agreed(keys, proposed, connector.place, waited=False)
    callers: list[meeting.Calling] = []
    lifeline = Lifeline(lambda: callers[0].close())
    lifeline.offer(sock)
    callers.append(meeting.Calling(connector, keys, lifeline))
    return Met(agreement, proposed.setup, lifeline)


def _agrees(place: MeetingPlace, say: Callable[[str], None], proposed: Terms) -> bool:
    pack = place.pack
    words = join(" ", [*_terms_in_words(proposed, pack), pack.sentence("say_yes_or_no")], pack.code)
    say(words)
    while not place.lines.ended:
        line = place.lines.within(_LOOK_S)
        if line is None:
            continue
        meant = pack.understand(line, chess.Board()).command
        if meant in (Command.YES, Command.NO) or key_of(pack, line) is Key.END:
            return meant is Command.YES
        say(words)
    return False


def _terms_in_words(proposed: Terms, pack: Language) -> Iterator[str]:
    setup, there = proposed.setup, OTHER[proposed.here]
    yield pack.sentence("distant_side", player=pack.sentence(proposed.here))
    names = dict.fromkeys(SIDES, "")
    names[there] = speakable(setup.player(there).name, pack)
    *said, _ = settings_in_words(setup, names, (), pack)  # the last one is about boards here
    yield from said
    if proposed.training:
        yield pack.sentence("distant_training")
    yield _limit_in_words(proposed.limit_s, pack)
