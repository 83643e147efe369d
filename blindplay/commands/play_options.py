"""The options of ``blindplay play``. Each is named here only, with its type, default and help.

An option is called as it is typed, with underscores: ``--sighted-board`` is ``sighted_board``.
Each is also a setting of the settings file and of an event's file.
"""
# ruff: noqa: RUF009 (an option is a call that makes a field)

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from blindplay.conversation import OpeningWord
from blindplay.given import shown
from blindplay.laws import facts
from blindplay.opponents.distant import LAG_LIMITS_S
from blindplay.speech.screen_reader import WORDS_PER_MINUTE
from blindplay.table.choices import BrailleBy, Keep, PressAnswer, Printed, PrivateVoice
from blindplay.translation import UserError, _

from . import options
from .reader import user_language

WAIT = "wait"
_ADDRESS = re.compile(r"(?:(?P<ticket>[0-9]{6}|[0-9]{8}|wait)@)?(?P<address>.+)")
_DIGITS = 6
_DAYS = ("1", "2", "3", "5", "7", "10", "14")


@dataclass(frozen=True)
class Address:
    """Where two tables meet. A ``ticket`` of six digits calls a table that waits at ``host``; one
    of eight, which begin with its room, calls one at a broker there. An empty ticket is asked for.
    A table that ``waits`` does so at a port of its own, or with ``host`` at that broker."""

    waits: bool
    host: str = ""
    port: int | None = None
    ticket: str = ""

    @property
    def at_broker(self) -> bool:
        return bool(self.host) if self.waits else len(self.ticket) > _DIGITS

    def __str__(self) -> str:
        """The address as it is typed."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        place = "@".join(filter(None, (WAIT if self.waits else self.ticket, host)))
        return place if self.port is None else f"{place}:{self.port}"


Opponent = Literal["engine", "lichess"] | Address
"""An opponent who is not in the room: by name, or at a distant table."""


def opponent_of(text: str) -> Opponent:
    """Return the opponent in ``engine``, ``lichess``, ``wait``, ``wait:port``, ``wait@host:port``
    or ``482915@host:port``.

    :raises ValueError: one sentence, if ``text`` names no opponent.
    """
    if text == "engine":
        return "engine"
    if text == "lichess":
        return "lichess"
    match = _ADDRESS.fullmatch(text.strip())
    try:
        parts = urlsplit(f"//{match['address']}") if match else None
        whole = parts and not (parts.path or parts.query or parts.username)
        # A name alone is rather a slip of the keyboard than a machine.
        known = text == WAIT or re.search("[@.:]", text)
        if match and parts and parts.hostname and whole and known:
            ticket = match["ticket"] or ""
            if parts.hostname == WAIT and not ticket:
                return Address(True, port=parts.port)
            waits = ticket == WAIT
            return Address(waits, parts.hostname, parts.port, "" if waits else ticket)
    except ValueError:
        pass
    raise UserError(
        "--against {text} is not an opponent; write engine, lichess, wait, wait@ and "
        "the address of a hall, or the digits and the address that a table which waits "
        "gives you, such as 482915@192.168.1.20.",
        text=shown(text),
    )


class _LanguageCode(click.ParamType[str, Any]):
    """The code of a language pack. Only announcements can be in two languages, such as de+nb."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        code = str(value)
        options.load_language(code)
        if "+" in code and param is not None and param.name != "announce_in":
            raise UserError(
                "{option} {code} names two languages; give one there, and "
                "--announce-in {code} for the ranks in another language.",
                option=param.opts[0],
                code=code,
            )
        return code


def _seconds(text: str) -> tuple[int, ...]:
    from blindplay.wording.values import read_time

    return tuple(read_time(time.strip()) for time in text.split(","))


_LANGUAGE = _LanguageCode()


def _reminders(text: str) -> tuple[int, ...]:
    return () if text.strip() == "off" else _seconds(text)


_TIMES = options.ParsedValue("text", _seconds)
_REMINDERS = options.ParsedValue("text", _reminders)
_OPPONENT = options.ParsedValue("opponent", opponent_of)


_option = options.option
_flag = partial(_option, value=False)


@dataclass(frozen=True)
class PlayOptions:
    """The values of all options. A ``heading`` holds for the options that follow, too."""

    # fmt: off
    board: str | None = _option(_("Use this port, URL or named board for the impaired player. "
        "Without it, all ports are searched."), kept=True, heading=_("Boards"), first=True)
    sighted_board: str | None = _option(_("Use this sensor board for the opponent. NAME:PORT is a "
        "board of that maker, such as dgt; the name alone searches for one."), kept=True,
        two_people=True)
    talk_levers: bool = _flag(_("Use the levers of the impaired player's board as talk buttons "
        "only."),
        kept=True)

    microphone: str | None = _option(_("Use the microphone with this in its name; none: type "
        "instead of speaking."), kept=True, heading=_("Microphone"), first=True)
    push_to_talk: bool = _flag(_("Listen only after the talk button: t and Enter, or a lever."),
        kept=True)
    shared_microphone: bool = _flag(_("The microphone stands between the players and hears both."),
        kept=True, two_people=True)
    opening_word: OpeningWord | None = _option(_('Say which spoken commands need the opening word, '
        '"Brett". Without it, those of one word need it; with --push-to-talk none '
        'does.'), kept=True)
    model: tuple[Path, ...] = _option(_("Use the Vosk model in this folder instead of the chosen "
        "ones; it can be repeated."), (), type=options.FOLDER, multiple=True, kept=True)

    language: str = _option(_("Print, ask and understand commands in this language. Without it, it "
        "is that of the system, or English."), user_language, type=_LANGUAGE, show_default=False,
        kept=True, heading=_("Voice and print"), first=True)
    announce_in: str | None = _option(_("Announce moves in this language; de+nb is German with the "
        "ranks in Norwegian. Without it, German is spoken, or what D.2.1 says; your own language "
        "in training, against the computer and on Lichess."), type=_LANGUAGE,
        waiting_decides=True)
    check: bool = _flag(_("Announce check and checkmate, too, which the Laws do not ask for."),
        waiting_decides=True)
    private_output: str | None = _option(_("Use the earphone with this in its name for what one "
        "player may hear."), kept=True)
    public_output: str | None = _option(_("Use the loudspeaker with this in its name."), kept=True)
    voice: PrivateVoice = _option(_("Choose who speaks what one player may hear. own: BlindPlay; "
        "reader: this player's own screen reader."), PrivateVoice.OWN, kept=True, first=True)
    reader_rate: int = _option(_("Say how many words a minute your screen reader speaks, because "
        "most readers do not tell when they end."), WORDS_PER_MINUTE,
        type=click.IntRange(60, 900), kept=True)
    braille: BrailleBy = _option(_("Show all that the impaired player hears on a Braille display. "
        "brltty: that of BRLTTY, whose keys are read, too; reader: that of the screen reader."),
        BrailleBy.OFF, kept=True)
    silent: bool = _flag(_("Print everything and say nothing."), kept=True)
    print: Printed = _option(_("Choose what is printed. unspoken: only what no voice speaks, so "
        "that a screen reader does not talk over it; words: also what is said; all: also every "
        "ruling and, at the end, the record."),
        Printed.UNSPOKEN, kept=True)
    press_answer: PressAnswer = _option(_("Answer a press of the clock in words, or by a short "
        "sound."), PressAnswer.WORDS, kept=True)
    press_apart: bool = _flag(_("Press the clock with an Enter of its own after a typed move "
        "against the computer, as at a tournament. Without it, a typed move is pressed, too."),
        kept=True)
    tape: Keep = _option(_("Choose what is kept on tape. table: what it says to everybody; voices: "
        "also the announcements of the players."), Keep.OFF, kept=True)
    time_warnings: tuple[int, ...] | None = _option(_("Say when the impaired player has so little "
        "time left, such as 10m,1m; under the Laws only when the arbiter permits it."),
        type=_TIMES)
    remind: tuple[int, ...] = _option(_("Tell players who are silent what is due from them, after "
        "so long, and again after so much more; off: never. In a game under the Laws "
        "nobody is reminded while they may think."), (20, 60), default="20s,60s", type=_REMINDERS)

    edition: str = _option(_("Use this edition of the Laws."), "fide-2023", type=options.EDITION,
        waiting_decides=True, heading=_("Rules"))
    time_control: str = _option(_("Give each player this time, such as 90m+30s, 40/90m+30m+30s or "
        "3h, or write it as in PGN; - means no clock."), "90m+30s",
        type=options.TIME_CONTROL, waiting_decides=True, first=True)
    default_time: str | None = _option(_("Take this default time, such as 30m: how late a player "
        "may come (6.7.1). Without it, the edition decides."), type=options.DEFAULT_TIME,
        waiting_decides=True)
    mode: str | None = _option(_("Play standard chess, rapid or blitz. Without it, the time "
        "control decides (A.1, "
        "B.1)."), type=options.MemberChoice(facts.MODES), waiting_decides=True)
    supervised: bool = _flag(_("Apply the rules for fully supervised rapid or blitz (A.4, B.2)."),
        waiting_decides=True)
    quickplay_finish: bool = _flag(_("Apply the rules of the quickplay finish, which were "
        "announced."),
        waiting_decides=True)
    chess960: bool = _flag(_("Castle as in Chess960."), waiting_decides=True)
    fen: str = _option(_("Begin with this position, in FEN."), options.START, type=options.PLACED,
        waiting_decides=True)
    arbiter: bool = _flag(_("Leave the decisions that the Laws give to arbiters to one."),
        waiting_decides=True)
    training: bool = _flag(_("Answer questions about the position, which the Laws "
        "forbid."), kept=True,
        waiting_decides=True, first=True)

    white: str = _option(_("Call White by this name."), "", heading=_("Players"))
    black: str = _option(_("Call Black by this name."), "")
    impaired: str = _option(_("Say which player is visually impaired."), "white",
        type=options.MemberChoice((*facts.SIDES, "both", "none")))
    white_language: str | None = _option(_("Answer White, and understand commands of White, in "
        "this language."), type=_LANGUAGE)
    black_language: str | None = _option(_("Answer Black, and understand commands of Black, in "
        "this language."), type=_LANGUAGE)
    white_hearing_impaired: bool = _flag(_("Say that White hears badly and needs an assistant "
        "(D.2.11)."))
    black_hearing_impaired: bool = _flag(_("Say that Black hears badly and needs an assistant "
        "(D.2.11)."))
    white_assistant: bool = _flag(_("Say that White has an assistant."))
    black_assistant: bool = _flag(_("Say that Black has an assistant."))

    against: Opponent | None = _option(_("Play against an opponent who is not at this table: "
        "engine is Stockfish or, where it is not installed, a small opponent that is built in; "
        "lichess is anybody on Lichess; wait waits for another table, at port 16464 or "
        "wait:PORT, or at a hall with wait@HOST; that table gives the digits and the address, "
        "such as 482915@192.168.1.20."), type=_OPPONENT, kept=True, first=True,
        heading=_("Opponent"))
    level: str | None = _option(_("Play at this level: beginner, learner, club, strong, master, "
        "full, or a number of Elo. Without it, it is club. Play against the computer of Lichess at "
        "a level from 1 to 8."), kept=True, first=True)
    lag_limit: int | None = _option(_("With --against wait: a connection without an answer for so "
        "many seconds counts as lost, and both clocks stop. Without it, it is 5."),
        type=click.IntRange(LAG_LIMITS_S[0], LAG_LIMITS_S[-1]), kept=True, waiting_decides=True)
    voices: bool = _flag(_("Talk with the opponent at a distant table, if that player wants it, "
        "too. It needs an earphone: --private-output."), kept=True)
    engine: str | None = _option(_("Use this UCI engine instead of Stockfish."), kept=True)
    challenge: str | None = _option(_("Play against this player at Lichess, if they accept."),
        type=options.LICHESS_USER)
    accept: bool = _flag(_("Take a challenge on Lichess, and do not seek an opponent."))
    rated: bool = _flag(_("Play for the rating at Lichess."))
    days: str | None = _option(_("Give so many days for each move at Lichess."),
        type=options.MemberChoice(_DAYS))

    event: str = _option(_("Write this competition into the record."), "", waiting_decides=True,
        heading=_("Record"))
    site: str = _option(_("Write this place into the record."), "", waiting_decides=True)
    round: str = _option(_("Write this round into the record."), "", waiting_decides=True)
    journal: Path | None = _option(_("Keep the game in this file. Without it, a new one in your "
        "data folder is made."), type=options.FILE)
    resume: bool = _flag(_("Continue the game in --journal or, without it, the last unfinished "
        "one."), first=True)
    dead_time: str = _option(_("With --resume: whose clock is charged for the time without a "
        "table."),
        "nobody", type=options.MemberChoice(("nobody", "running")))

    console: bool = _flag(_("Serve web pages for everybody at the table. Each link is shown once."),
        heading=_("Console"), kept=True, first=True)
    host: str | None = _option(_("Serve the console at this address; 0.0.0.0 is all. Without it, "
        "only this machine is served."), kept=True)
    console_port: int | None = _option(_("Serve the console at this port."),
        type=click.IntRange(0, 65535), kept=True)
    certificate: Path | None = _option(_("Encrypt the console with this certificate, in PEM."),
        type=options.FILE, kept=True)
    key: Path | None = _option(_("Use this private key of the certificate, in PEM, without a "
        "password."), type=options.FILE, kept=True)
    encrypt: bool = _option(_("Encrypt the console for other devices with the certificate "
        "of the event or of this computer, unless --certificate names one."), True, kept=True)
    remember_browsers: int | None = _option(_("Let a browser that was closed come in again "
        "without a new link for this time since it was last open, such as "
        "12h."), type=options.LENGTH, kept=True)
    public: bool = _flag(_("Show the game to everybody at /public/, without a link."),
        kept=True)
    public_delay: int | None = _option(_("Show it so much later, such as 15m or 90s; 0 is at once. "
        "Without it, it is shown 15 minutes later."), type=options.LENGTH, kept=True)
    public_names: bool = _flag(_("Show the players' names there, too."), kept=True)
    qr: bool = _flag(_("Draw each link as a QR code, too. No screen reader can read it."),
        kept=True)

    hall: Path | None = _option(_("Take part in a tournament's hall with this file, which the "
        "organiser has given you, or with a ticket from the hall's page, such as "
        "482915@192.168.1.20. The network may fail: the table does not need "
        "it."), type=options.FILE,
        kept=True, two_people=True, heading=_("Hall"))
    await_pairing: bool = _flag(_("Wait for the hall's pairing before each game; players and round "
        "come from it. It needs --hall."), kept=True, two_people=True)

    or_demo: bool = _flag(_("Offer the unfinished game, one against the computer, one of two "
        "people, or the demonstration. Where nobody can be asked, show the demonstration if there "
        "is neither board nor microphone."), heading=_("Without devices"))
    as_service: bool = _flag(_("Run as blindplay service does: without a keyboard, continue the "
        "unfinished game or begin one, and say that the table is ready."))
    # fmt: on

    typed: frozenset[str] = frozenset()
    """The options on the command line itself."""
    chosen: frozenset[str] = frozenset()
    """Those on the command line or in the settings file."""
    typed_before: Mapping[str, Any] = field(default_factory=dict)
    """The kept options that were typed when the resumed table was started."""
    own_language: str = ""
    """The language of this machine, if the journal of a resumed game has brought another one."""
    boards: int = 0
    """The number of boards, if the opponent decides it."""
    own: str = ""
    """The side whose devices come first, in a game after the first; empty: the usual one."""
    who: str = ""
    """The arbiter in the hall who assigned the game."""
    request: str = ""
    """The id of the hall's request that assigned it."""

    @classmethod
    def of(cls, context: click.Context) -> "PlayOptions":
        """The options of a command line, with the defaults of the settings file."""
        source = {name: context.get_parameter_source(name) for name in context.params}
        typed = {name for name in source if source[name] is ParameterSource.COMMANDLINE}
        settled = {name for name in source if source[name] is ParameterSource.DEFAULT_MAP}
        return cls(**context.params, typed=frozenset(typed), chosen=frozenset(typed | settled))


class PlayOption(options.FieldOption):
    """An option of ``play``.

    ``heading``: its part of the help. ``kept``: it says how a table talks, what it reads and where
    its pages are, so it is kept with a game for ``--resume``; the journal holds the others.
    ``waiting_decides``: of two distant tables, the one that waits decides it. ``two_people``: it
    needs two people at the table. ``first``: ``--help`` shows it; ``--help-all`` shows all.
    """

    def __init__(
        self,
        field: Field[Any],
        *,
        heading: str,
        kept: bool = False,
        waiting_decides: bool = False,
        two_people: bool = False,
        first: bool = False,
        **about: Any,
    ) -> None:
        super().__init__(field, **about)
        self.heading = heading
        self.kept = kept
        self.waiting_decides = waiting_decides
        self.two_people = two_people
        self.first = first

    @property
    def of_the_console(self) -> bool:
        """True if it says how the pages are served; ``--console`` itself says that anew."""
        return self.heading == "Console"

    @property
    def of_each_game(self) -> bool:
        """True if a table that plays several games takes it for each of them."""
        return self.heading == "Players" or (self.of_the_event and self.name != "round")

    @property
    def of_the_event(self) -> bool:
        """True if the user's settings do not count at an event: it must be the same at all
        tables."""
        return self.waiting_decides and self.name != "lag_limit"


def _options() -> Iterator[PlayOption]:
    heading = ""
    for own in fields(PlayOptions):
        if own.metadata:
            heading = own.metadata.get("heading", heading)
            yield PlayOption(own, **{**own.metadata, "heading": heading})


OPTIONS: Mapping[str, PlayOption] = {str(one.name): one for one in _options()}
"""All options in the order of the help, by the names of their values."""
SETTINGS: Mapping[str, PlayOption] = {options.name_of(one): one for one in OPTIONS.values()}
"""All options as settings, by their names in a file, such as ``sighted-board``."""


def setting(name: str) -> PlayOption:
    """The option for which a setting stands.

    :raises ValueError: one sentence, if there is no such setting.
    """
    if name in SETTINGS:
        return SETTINGS[name]
    close = difflib.get_close_matches(name[:100].replace("_", "-"), SETTINGS, 1)
    meant = (
        _("perhaps {close} is meant.", close=close[0])
        if close
        else _("blindplay settings names lists all.")
    )
    raise UserError("There is no setting {name}; {meant}", name=shown(name), meant=meant)


def check(given: PlayOptions) -> None:
    """Raise ValueError for values that do not go together."""
    from blindplay.laws import editions

    announced = given.announce_in or "de"
    if announced != "de" and not editions.load(given.edition).switch("ranks_by_arbiter"):
        raise UserError(
            "{edition} fixes the German numbers of the ranks (F.1); leave out "
            "--announce-in, or choose another edition.",
            edition=given.edition,
        )
    if given.supervised and not editions.load(given.edition).switch("supervision"):
        raise UserError(
            "{edition} has no rules for supervised games; leave out --supervised, or choose "
            "another edition.",
            edition=given.edition,
        )
    if "dead_time" in given.typed and not given.resume:
        raise UserError("--dead-time says how a game goes on; leave it out, or add --resume.")
    served = (given.host, given.console_port, given.certificate, given.key,
              given.remember_browsers)  # fmt: skip
    if not given.console and (given.qr or any(value is not None for value in served)):
        raise UserError(
            "--host, --console-port, --certificate, --key, --remember-browsers and --qr need "
            "--console."
        )
    if given.await_pairing and not given.resume:
        if not given.hall:
            raise UserError("--await-pairing needs --hall with the file of this table.")
        if given.journal:
            raise UserError(
                "--await-pairing gives each game a journal of its own; leave out --journal."
            )
    if given.as_service and {"resume", "journal", "or_demo"} & set(given.typed):
        raise UserError(
            "A service finds its game itself; leave out --resume, --journal and --or-demo."
        )
    if given.public and not given.console:
        raise UserError("--public needs --console.")
    if not given.public and (given.public_delay is not None or given.public_names):
        raise UserError("--public-delay and --public-names need --public.")
    if (given.certificate is None) is not (given.key is None):
        raise UserError("--certificate and --key need each other.")
