"""The interactive table: voice and board where there are some, typed words where not."""

import ctypes
import gc
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from blindplay.console import LOOPBACK, PORT
from blindplay.conversation import OpeningWord
from blindplay.ctrl_c import CtrlC
from blindplay.hearing import speaker_preferences
from blindplay.language import Command, Language, load
from blindplay.laws import facts as f
from blindplay.laws.due import due
from blindplay.laws.facts import Setup
from blindplay.laws.rulings import GameOver
from blindplay.laws.state import OTHER
from blindplay.opponents.player import AbsentPlayer
from blindplay.record import Journal, JournalError, Tape, TapeError, files, games, pgn, scoresheet
from blindplay.record.journal import check_new
from blindplay.record.score import labels_of
from blindplay.record.tape import tape_folder
from blindplay.speech.audio import AudioError
from blindplay.speech.audio_devices import devices
from blindplay.speech.confusions import Confusions
from blindplay.speech.models.folders import ModelError
from blindplay.speech.phone import PhoneSource
from blindplay.speech.speaker import Speaker
from blindplay.translation import _
from blindplay.typed_lines import LOOK_S, TypedLines
from blindplay.wording.announcements import result_in_words

from .choices import Keep, PressAnswer, Printed, PrivateVoice
from .desk import Transcript
from .devices import (
    AboutTable,
    WantedDevices,
    attach_boards,
    attach_braille,
    attach_microphone,
    attach_phone,
    board_address,
    hears,
    offer_model,
    open_speaker,
)
from .hall_contact import Pairings
from .keyboard import Keyboard
from .opening import open_game
from .session import Session, record_last_move
from .table import Table

if TYPE_CHECKING:
    from blindplay.certificates import Issuer
    from blindplay.console.encryption import Encryption
    from blindplay.console.public import PublicPage
    from blindplay.console.server import ConsoleHost, Front
    from blindplay.opponents.distant.voices import Voices

    from .phones import PlayerPhones

_SILENT_AFTER_S = 60.0
"""A table whose keys have ended closes so long after its last word, once the game is over; the
sentence over_closes says so."""
_HALL_FIRST_S = 5.0
_HALL_CONNECTS_S = 1.0  # else a new game begins, and people hear later what the hall says
_HALL_SOON_S, _HALL_AT_MOST_S = 1.0, 10.0  # the sentence hall_waits says the second one
ECHO_SECONDS = 0.1
"""Seconds that a room echoes after the loudspeaker stops."""


@dataclass(frozen=True)
class TableOptions:
    """Options for the talk of the table, and for what it keeps. Without a loudspeaker, it prints
    what it says."""

    language: str = "de"
    training: bool = False
    opening_word: OpeningWord = OpeningWord.OPTIONAL
    printed: Printed = Printed.ALL
    tape: Keep = Keep.OFF
    charge_dead_time: bool = False
    """On resuming, deduct the downtime from the clock that ran."""
    time_warnings: tuple[int, ...] = ()
    """Seconds left at which an impaired player is warned, in training or with permission."""
    remind_after: tuple[int, ...] = ()
    """Seconds of silence before a player is reminded of what is due, and before the next time."""
    press_answer: PressAnswer = PressAnswer.WORDS
    one_enter: bool = False
    """Against the computer a typed move is completed without another Enter."""
    table: str = ""
    """The name of the table in its hall."""
    as_service: bool = False
    """There is no keyboard, and people hear that the table is ready."""
    command: str = field(default="blindplay", compare=False)
    """The command that calls this program; the advice how to continue the game begins with it."""
    kept: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Options to keep beside the journal, of a resumed game those that may have changed; see
    :func:`blindplay.record.games.kept_options`."""


@dataclass(frozen=True)
class ConsoleAt:
    """The address at which the console listens; None: loopback, its usual port.

    A ``certificate`` with its ``key``, both in PEM, encrypts the pages. Without it, with
    ``encrypt``, one of the event's ``issuer`` does, or of this machine's, if there is one. ``qr``:
    draw each link as a code for a phone's camera. ``remember_s``: for how many seconds a closed
    browser is remembered. ``public_delay``: show the game to everybody so many seconds later;
    None: to nobody. ``public_names``: with the players' names. ``front``: the server in front of
    the pages, which gives people their links.
    """

    host: str | None = None
    port: int | None = None
    certificate: Path | None = None
    key: Path | None = None
    qr: bool = False
    remember_s: int = 0
    public_delay: int | None = None
    public_names: bool = False
    encrypt: bool = True
    issuer: "Issuer | None" = None
    front: "Front | None" = None
    keeps_links: bool = False
    """The links beside the journal are those of the game before, at the same table."""
    after: "Ended | None" = None
    """The game before. With its link the arbiter presides over this one, too, and the public page
    shows its end first."""


@dataclass(frozen=True)
class Ended:
    """How a table ended: whether the game is ``over``, and the other game that everybody wants
    ``again``, NEW_GAME or REMATCH. ``setup`` is that of this game, with reversed colours if they
    were ``swapped`` (7.3). ``assisted``: the sides that had an assistant at the end. ``presided``:
    an arbiter was there. ``boards``: the addresses at which the player's own board and the
    opponent's were at the end, if any. ``public``: its public page."""

    over: bool
    again: Command | None
    setup: Setup
    swapped: bool = False
    assisted: frozenset[str] = frozenset()
    presided: bool = False
    boards: tuple[str | None, ...] = (None, None)
    public: "PublicPage | None" = None
    withdrawn: bool = False
    """The hall has withdrawn the game before it began."""
    whole: bool = True
    """Its journal holds all of it."""
    adjourned: bool = False
    """The game rests until its envelope is opened."""


Companion = Callable[[Table, Callable[[], Mapping[str, Any]]], AbstractContextManager[object]]

DEFAULT = TableOptions()


def run(
    path: Path,
    setup: Setup | None,
    wanted: WantedDevices,
    keys: TypedLines | Iterable[str],
    out: TextIO,
    options: TableOptions = DEFAULT,
    console: ConsoleAt | None = None,
    companion: Companion | None = None,
    opponent: AbsentPlayer | None = None,
    prepare: Callable[[Ended], object] = lambda ended: None,
    follows: Callable[[], bool] = bool,
) -> Ended:
    """Run a table until the game is over and the keys end, or everybody wants another one, then say
    what comes next. With ``console``, serve its pages. ``setup`` None: go on with that in ``path``.
    ``companion`` runs beside the table, such as a hall's publisher; it gets a function that tells
    about the table's machine. ``opponent`` plays against the impaired player or, if there is none,
    against White; the side of ``wanted`` decides before. ``prepare`` looks for what another game
    needs once everybody wants it. If it raises an error, people hear so and this table goes on.
    ``follows``: whether the hall has given the next game; a table without a keyboard leaves a game
    that is over for it, once nobody has to sign.

    Where the keys end before the game, it goes on with what else there is. With pages the table
    goes on after the game, too. Ctrl-C ends it as ``quit`` does.

    :raises JournalError, TapeError, ModelError, BoardNotFoundError, AudioError, ReaderError,
        BrailleError, ConsoleError: if something that was named cannot be had.
    """
    pack = load(options.language)
    share_one_heap()
    _give_memory_back()
    resumed = setup is None
    if resumed:
        _check_devices(wanted, options)
    else:
        check(path, wanted, options, console)
    lines = keys if isinstance(keys, TypedLines) else TypedLines(keys)
    boards = () if resumed else wanted.boards()  # a wrong name leaves no journal behind
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(path, resume=resumed))
        boards = boards or wanted.boards()  # nobody opens those of a game that is being played
        pairings = Pairings(options.table)
        if opponent is not None and wanted.own:
            opponent.side = OTHER[wanted.own]
        table = Table(
            journal, setup, training=options.training, pairings=pairings, opponent=opponent
        )
        if resumed:
            games.note(path, **options.kept)
        else:
            _keep_options(table, options)
        about = AboutTable(wanted)
        if companion is not None:
            stack.enter_context(companion(table, about.now))
        # What another machine has done as this table, before anything is done here.
        unreached = None if resumed else _HALL_CONNECTS_S
        elsewhere = table.hall.hear_first(_HALL_FIRST_S, unreached)
        transcript = Transcript(out, table.time, options.printed, pack.trouble)
        trouble = transcript.trouble
        opening = stack.enter_context(ExitStack())
        opening.enter_context(transcript.troubles_last())  # a missing device is not what begins
        voices = opponent.voices if opponent is not None else None
        speaker = None if wanted.silent else _speaker(stack, pack, trouble, wanted, voices)
        if wanted.phones_only or not devices().playback:
            transcript.is_heard(False, public=True)
            transcript.is_heard(wanted.voice is PrivateVoice.READER, public=False)
        own = _own_side(table, wanted)
        session = _session(table, pack, speaker, transcript, wanted, options, own)
        stack.callback(session.close)
        if elsewhere is not None and elsewhere.signed:
            _refuse_to_reopen(session, elsewhere.result)
        about.follow(session)
        ctrl_c = stack.enter_context(CtrlC())
        again: Command | None = None
        host: ConsoleHost | None = None
        with suppress(KeyboardInterrupt):
            interrupted = resumed and go_on(session, journal, options.charge_dead_time)
            if options.tape is not Keep.OFF:
                tape = Tape(tape_folder(path))
                transcript.show(pack.printed("tape_is", folder=tape.folder))
                session.keep_tape(tape, voices=options.tape is Keep.VOICES)
            session.setting_up.prepare()
            attach_boards(session, own, wanted, boards, resumed=resumed)
            also = voices.hear if voices is not None else None
            listen = partial(attach_microphone, session, own, wanted, also)
            hears_at_once = bool(devices().capture)
            if hears_at_once:
                listen()
            if console is not None:
                phones = _phones(stack, session, own, wanted, options.tape, also)
                host = _serve(stack, session, console, phones, resumed=resumed)
            keyboard = Keyboard(session, host, qr=console is not None and console.qr)
            session.steps.has_keyboard = not (wanted.phones_only or options.as_service)

            def type_line(side: str, line: str) -> None:
                lines.type(keyboard.as_words_of(side, line))

            attach_braille(stack, session, own, wanted, type_line)
            open_game(session, resumed=resumed, interrupted=interrupted)
            if not hears_at_once:
                listen(gives_way=True)
            if options.as_service:
                session.desk.tell_all("table_ready")
            opening.close()
            offer_model(session, own, wanted, also)
            if opponent is not None:
                stack.callback(opponent.close)
                opponent.sit(table, session.desk.tell_all)
            go_on_with = partial(
                _do_keys, session, keyboard, lines, ctrl_c, follows, pages=host is not None
            )
            while again is None and (wants := go_on_with()) is not None:
                again = _prepared(session, _ended(session, own, wants), prepare)
        if opponent is not None:
            opponent.close()
        _end(session, journal, options.command, lambda: again is not None and not ctrl_c.pressed)
        ended = _ended(session, own, None if ctrl_c.pressed else again)
    if ended.withdrawn:
        _put_aside(table)
    setup = table.game.setup
    # Nothing can be written any more, so this is the seal of the whole game.
    if table.whole and (transcript.everything or (setup and setup.arbiter == "present")):
        transcript.show("\n" + pack.printed("journal_seal", seal=journal.seal))
    return replace(ended, public=host.console.public if host is not None else None)


def _ended(session: Session, own: str, again: Command | None) -> Ended:
    game, boards = session.table.game, session.boards
    assert game.setup is not None
    assisted = frozenset(side for side in f.SIDES if game.assistants[side])
    places = tuple(board_address(boards.get(side)) for side in (own, OTHER[own]))
    rests = game.adjourned and game.resumed_at is None and not game.over
    return Ended(
        game.over, again, game.setup, game.swapped, assisted, game.presided, places,
        withdrawn=bool(session.table.pairings.withdrawn), whole=session.table.whole,
        adjourned=rests,
    )  # fmt: skip


def _prepared(session: Session, ended: Ended, prepare: Callable[[Ended], object]) -> Command | None:
    """Return the game that everybody wants again, if it can be played; else tell everybody. What
    could not be written is lost when the table closes, so that must be saved before."""
    session.table.save()
    if session.table.whole:
        try:
            prepare(ended)
            return ended.again
        except (ValueError, RuntimeError, OSError) as error:
            session.desk.tell_trouble("again_failed", str(error))
    else:
        session.desk.tell_all("again_unsaved")
    session.another_game.chosen = None
    return None


def check(
    path: Path | None, wanted: WantedDevices, options: TableOptions, console: ConsoleAt | None
) -> None:
    """Look for what :func:`run` needs for a new game, before anybody is asked to play it and before
    there is a journal. ``path`` None: the journal has no name yet.

    :raises JournalError, TapeError, AudioError, ReaderError, BrailleError, ConsoleError: if
        something that was named cannot be had.
    """
    _check_devices(wanted, options)
    if console is not None:
        from blindplay.console.server import listen

        listen(*_address(console)).close()
    if path is not None:
        check_new(path)


def _speaker(
    stack: ExitStack,
    pack: Language,
    trouble: Callable[[str], None],
    wanted: WantedDevices,
    voices: "Voices | None",
) -> Speaker:
    """Open the speaker, with the voice of a distant player in the earphone beside it."""
    if voices is None:
        return open_speaker(stack, pack, trouble, wanted)
    speaker = open_speaker(stack, pack, trouble, wanted, voices.give)
    speaker.on_speaking(voices.give_way)
    return speaker


class FinishedElsewhereError(JournalError):
    """The game went on at another machine, and this table has signed its end there."""


def _refuse_to_reopen(session: Session, result: str) -> NoReturn:
    """Tell everybody that the game is over: a table that had failed must not reopen a game that
    was finished elsewhere.

    :raises FinishedElsewhereError: always.
    """
    pack = session.pack
    session.desk.tell_all("hall_finished", result=result_in_words(pack, result))
    session.wait_until_said()
    raise FinishedElsewhereError(
        "The game in {path} is not reopened: the hall has its end, {result}, "
        "signed by this table; keep the journal as it is, and begin the next game "
        "without --resume.",
        path=session.table.path,
        result=result,
    )


def _keep_options(table: Table, options: TableOptions) -> None:
    """Keep the options beside the journal, on a full disk as soon as there is room. What has been
    noted with them since stays."""

    def keep(trouble: str | None) -> None:
        if trouble is None and not games.kept_options(table.path):
            games.keep_options(table.path, options.kept)

    with suppress(OSError):  # they may be those of a game whose journal is gone
        games.options_of(table.path).unlink(missing_ok=True)
    keep(None)
    table.watch_journal(keep)


def _own_side(table: Table, wanted: WantedDevices) -> str:
    """The side whose devices come first: the only player here, or the impaired one."""
    if table.absent:
        return OTHER[table.absent]
    return wanted.own or next(
        (side for side in f.SIDES if table.game.player(side).impaired), "white"
    )


def _do_keys(
    session: Session,
    keyboard: Keyboard,
    lines: TypedLines,
    ctrl_c: CtrlC,
    follows: Callable[[], bool] = bool,
    *,
    pages: bool,
) -> Command | None:
    """Do what is typed, until everybody wants another game; return it. When the keys end, go on
    with boards, microphones and pages, if any. After the game pages stay, for the signatures and
    the records, and microphones until a minute of silence. None: nothing is left to do, or
    somebody leaves, whatever others want."""
    game, silent_since, listens = session.table.game, time.monotonic(), False

    def left() -> bool:
        withdrawn = bool(session.table.pairings.withdrawn)
        gives_way = not session.steps.has_keyboard and follows() and _is_done(session.table)
        wanted = session.another_game.chosen is not None
        return ctrl_c.pressed or wanted or withdrawn or gives_way

    def goes_on() -> bool:
        nonlocal silent_since, listens
        if session.is_used or not game.over:
            silent_since = time.monotonic()
        listens = listens or hears(session)  # a microphone that is pulled out comes back
        heard = listens and time.monotonic() - silent_since < _SILENT_AFTER_S
        return pages or heard or (bool(session.boards) and not game.over)

    if keyboard.do_all(lines.until(left)):
        return None
    if session.steps.has_keyboard and not left():
        session.steps.has_keyboard = False
        if goes_on() or not game.over:
            session.desk.tell_all("keyboard_ended" if goes_on() else "keyboard_ended_all")
    while not left() and goes_on():
        line = lines.within(LOOK_S)
        if line is not None and keyboard.do_all([line]):
            return None
    return None if ctrl_c.pressed else session.another_game.chosen


def _is_done(table: Table) -> bool:
    """Return whether the game is over and signed, or rests."""
    with table.lock:
        game = table.game
        if game.adjourned and game.resumed_at is None:
            return True
        return game.over and all(due(game, side).do != "sign" for side in f.SIDES)


def _check_devices(wanted: WantedDevices, options: TableOptions) -> None:
    wanted.check()
    keep = options.tape
    if keep is not Keep.OFF and wanted.silent:
        raise TapeError("A tape keeps what is spoken; leave out --silent, or --tape.")
    if keep is Keep.VOICES and not devices().playback:
        raise TapeError(
            "Voices are kept only when everybody has been told aloud: plug in a loudspeaker, "
            "or take --tape table."
        )


def _session(
    table: Table,
    pack: Language,
    speaker: Speaker | None,
    transcript: Transcript,
    wanted: WantedDevices,
    options: TableOptions,
    own: str,
) -> Session:
    """Make a session that knows the players' voices and preferences from earlier games."""
    names = {side: table.game.player(side).name for side in f.SIDES}
    for sentence in speaker_preferences.damaged():
        transcript.trouble(sentence)
    if speaker is not None:
        speaker.voicing = speaker_preferences.kept(names[own])

    def learn(seat: str, pairs: list[tuple[str, str]]) -> Confusions:
        return speaker_preferences.learn(names[seat], pairs)

    return Session(
        table,
        pack,
        speaker,
        transcript,
        private_is_heard_by_all=wanted.private_output is None and not wanted.phones_only,
        echo_seconds=ECHO_SECONDS,
        opening_word=options.opening_word,
        press_answer=options.press_answer,
        on_voicing=partial(speaker_preferences.keep, names[own]),
        habits={seat: speaker_preferences.habits(name) for seat, name in names.items()},
        learn=learn,
        time_warnings=options.time_warnings,
        remind_after=options.remind_after,
        one_enter=options.one_enter,
        plays_again=not (options.table or table.shared or table.game.served),
    )


def go_on(session: Session, journal: Journal, charged: bool) -> bool:
    """Continue the clocks, and tell what happened to the game while no process ran it. Return
    whether people were told that it was interrupted."""
    table, desk = session.table, session.desk
    running = table.game.clock and not table.game.over and table.game.clock.running
    table.go_on(charge_dead_time=charged)
    record_last_move(table, session.pack)  # it may have been killed between a move and its entries
    for sentence in journal.notes:
        session.transcript.trouble(sentence)
    if journal.damaged:
        desk.tell_all("journal_damaged")
    if not running:
        return False
    if table.down is not None:
        session.transcript.line(
            _("the table was down for {down} s", down=f"{table.down / 1000:.1f}")
        )
    if charged:
        player = session.pack.sentence(running)
        time = session.pack.duration(table.down or 0)
        desk.tell_all("interrupted_charged", player=player, time=time)
    else:
        desk.tell_all("interrupted")
    return True


def _address(console: ConsoleAt) -> tuple[str, int, "Encryption | None"]:
    from blindplay.console.encryption import encryption_of

    host, port = console.host or LOOPBACK, PORT if console.port is None else console.port
    files = console.certificate, console.key
    return host, port, encryption_of(host, *files, console.issuer, own=console.encrypt)


def _phones(
    stack: ExitStack,
    session: Session,
    own: str,
    wanted: WantedDevices,
    tape: Keep,
    also: Callable[[bytes], None] | None,
) -> "PlayerPhones":
    """The phones of the players at the table. The player at ``own`` may have a microphone with a
    cable, too. ``also`` gets what they hear."""
    from .phones import PlayerPhones

    def attach(seat: str, source: PhoneSource, *how: Callable[..., Any]) -> None:
        attach_phone(session, seat, wanted, source, *how)

    def left(seat: str) -> None:
        if seat != own or not devices().capture:
            return
        try:
            attach_microphone(session, own, wanted, also)
        except (AudioError, ModelError) as error:
            session.desk.tell_trouble("microphone_gone", str(error))

    attaches = None if wanted.shared_microphone else attach
    phones = PlayerPhones(session, attaches, tape, left=left, also=also)
    stack.callback(phones.close)
    return phones


def _serve(
    stack: ExitStack, session: Session, console: ConsoleAt, phones: "PlayerPhones", *, resumed: bool
) -> "ConsoleHost":
    # Imported here, for the web server takes long to load.
    from blindplay.console.public import Audience
    from blindplay.console.server import ConsoleHost

    at, port, certificate = _address(console)
    delay, after = console.public_delay, console.after
    audience = None
    if delay is not None:
        audience = Audience(delay, console.public_names, after.public if after else None)
    links = files.beside(session.table.path, ".links")
    if not (resumed or console.keeps_links):
        links.unlink(missing_ok=True)  # left by a game whose journal is gone
    host = ConsoleHost(
        session.table,
        at,
        port,
        certificate=certificate,
        links=links,
        remember_s=console.remember_s,
        audience=audience,
        phones=phones,
        front=console.front,
    )
    stack.callback(host.close)
    language, known = session.pack.code, host.console.present()
    if known and after is not None and after.presided and known.get("arbiter", (0,))[0]:
        from blindplay.console.actions import come_in

        come_in(session.table, "arbiter")
    new = [role for role in host.roles() if role not in known]
    if console.front is not None:
        stack.callback(console.front.gone)
        for role in new:
            host.link(role)  # so that the role is known; people come by invitations
        console.front.served(session.table, host)
        return host
    if known:
        session.transcript.show(host.sentence("link_still", language))
    if new:
        session.transcript.show(host.new_links(new, language, qr=console.qr))
    if advice := host.advice(language):
        session.transcript.show(advice)
    host.tell_moves(session.transcript.show, language)
    if public := host.public(language):
        session.transcript.show(public)
    return host


def _end(
    session: Session, journal: Journal, command: str, again: Callable[[], bool] = bool
) -> None:
    """Stop the clocks, let the table speak to its end, and say how the game can be continued or
    reviewed, unless another one follows ``again``. Print the record where every ruling is printed,
    or if the journal lacks something."""
    table, transcript = session.table, session.transcript
    session.settle()
    if table.pairings.withdrawn:
        session.desk.tell_all(table.pairings.withdrawn)
        table.save()
        if _is_recorded(table):  # a call of the arbiter, or the time at which somebody arrived
            table.hall.hand_over(_HALL_SOON_S)
            if not table.whole:
                session.desk.trouble("journal_lacks", count=journal.unwritten)
        session.wait_until_said()
        return
    clock = table.game.clock
    if clock and clock.running is not None and not table.game.over:
        table.submit(f.Arbiter(by="table", do="stop_clocks"))
    table.save()
    session.desk.tell_all("saved" if table.whole else "journal_failed")
    given = _give_to_hall(session)
    session.wait_until_said()
    if not table.whole:
        show_record(session)
        session.desk.trouble("journal_lacks", count=journal.unwritten)
        return
    if not again():
        _tell_what_can_follow(session, journal, command, in_hall=given)
    if transcript.everything:
        show_record(session)


def _is_recorded(table: Table) -> bool:
    """Return whether the journal holds more than the set-up and what devices have told."""
    return any(
        not isinstance(fact, (Setup, f.Tick, f.Lift, f.Place, f.Position, f.BoardOwners))
        and not (isinstance(fact, f.Arbiter) and fact.by == "table")
        for fact in (taken.fact for taken in table.log)
    )


def _put_aside(table: Table) -> None:
    """Leave a withdrawn game. If nothing was recorded in it, nobody wants its journal."""
    with suppress(OSError, ValueError):
        if _is_recorded(table):
            games.note(table.path, withdrawn=True)
        else:
            games.forget(table.path, everything=True)


def _tell_what_can_follow(
    session: Session, journal: Journal, command: str, *, in_hall: bool
) -> None:
    """Print the commands that continue the game, or review it."""
    table, transcript, pack = session.table, session.transcript, session.pack
    path = str(journal.path.absolute())
    path = f'"{path}"' if sys.platform == "win32" else shlex.quote(path)
    # The last one is found without its name; others may follow an adjourned one before it goes on.
    last = games.journals()[:1] == [journal.path] and table.game.started
    last = last and (table.game.over or not table.game.adjourned)
    if not table.game.over:
        transcript.show(pack.sentence("saved_resume"))
        transcript.show(f"    {command} play --resume{'' if last else f' --journal {path}'}")
    elif table.game.history:
        found = "" if last else f" {path}"
        for sentence, then in (
            ("review_offer", f"review{found}"),
            ("try_out_offer", f"analyse {path}"),
            ("record_offer", f"score{found}"),
        ):
            transcript.show(pack.printed(sentence))
            transcript.show(f"    {command} {then}")
    if table.game.over and not in_hall:
        transcript.show(pack.printed("hall_send"))
        transcript.show(f"    {command} play --resume --journal {path}")


def _give_to_hall(session: Session) -> bool:
    """Wait until the hall, if there is one, has the whole game, or say that it may lack something;
    True if it has everything. Ctrl-C ends the waiting."""
    hall, tell, has = session.table.hall, session.desk.tell_all, False
    with suppress(KeyboardInterrupt):
        has = hall.hand_over(_HALL_SOON_S)
        if not has and hall.online:
            tell("hall_waits")
            has = hall.hand_over(_HALL_AT_MOST_S - _HALL_SOON_S)
            if has:
                tell("hall_has")
    if not has:
        tell("hall_lacks")
    return has


def show_record(session: Session) -> None:
    """Print the game in PGN and both scoresheets."""
    game, pack = session.table.game, session.pack
    ended = [ruling.reason for ruling in session.rulings if isinstance(ruling, GameOver)]
    session.transcript.show("\n" + pgn(game, ended[-1] if ended else ""))
    labels = labels_of(pack)
    for side in f.SIDES:
        title = pack.sentence("sheet_title", player=pack.sentence(side))
        session.transcript.show(f"\n{title}:\n{scoresheet(game, side, labels)}")


def share_one_heap() -> None:
    """Let all threads take memory from one heap.

    The GNU C library gives each thread a heap of its own. Memory that the recogniser takes in one
    thread and frees in another is not used again for long: a table grows by about 10 MiB a game,
    although nothing is kept. Elsewhere this does nothing. Call it before there are threads.
    """
    if sys.platform == "linux":
        arena_max = -8  # of mallopt(3), in malloc.h of the GNU C library
        with suppress(OSError, AttributeError):  # another C library
            ctypes.CDLL(None).mallopt(arena_max, 1)


def _give_memory_back() -> None:
    """Give the system the memory of the game before. Its ears took much in few objects, which
    Python collects late, and the GNU C library keeps what is free."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).malloc_trim(0)
