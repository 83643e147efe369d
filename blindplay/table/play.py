"""The interactive table: voice and board where there are some, typed words where not."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast

import chess

from blindplay.boards.dgt import DgtBoard
from blindplay.boards.peg import PegBoard
from blindplay.boards.peg.calibration import kept
from blindplay.boards.ports import BoardNotFoundError, check_url
from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.hearing.decision import listening_models, open_recogniser
from blindplay.language import Language, load
from blindplay.laws import facts as f
from blindplay.laws.facts import FactError, Setup, loads
from blindplay.laws.game import Turn
from blindplay.laws.rulings import GameOver
from blindplay.record import Journal, Tape, TapeError, files, pgn, scoresheet
from blindplay.record.tape import tape_folder
from blindplay.speech.audio import AudioError, AudioSink, SilentSink
from blindplay.speech.audio_devices import DeviceSink, MicrophoneSource, devices
from blindplay.speech.endpointing import MicrophoneMode
from blindplay.speech.models.folders import ModelError
from blindplay.speech.speaker import Output, Speaker, Voicing
from blindplay.speech.synthesis import Synthesiser
from blindplay.wording.announcements import announcements

from .choices import Keep, OpeningWord, Printed
from .memory import share_one_heap
from .session import DGT, Session
from .table import Table

if TYPE_CHECKING:
    from blindplay.console.server import ConsoleHost

log = logging.getLogger(__name__)

# A room goes on sounding for about so long after a loudspeaker has stopped.
ECHO_SECONDS = 0.1


@dataclass(frozen=True)
class WantedDevices:
    """What the command line named; None: search. "none" as the microphone: keys only."""

    board: str | None = None
    sighted_board: str | None = None
    microphone: str | None = None
    private_output: str | None = None
    public_output: str | None = None
    models: tuple[Path, ...] = ()
    silent: bool = False
    push_to_talk: bool = False
    shared_microphone: bool = False
    """The microphone hears both players: whose turn it is tells who has spoken."""
    talk_levers: bool = False
    """The levers of the impaired player's board are his talk button instead of the clock."""

    def any_present(self) -> bool:
        """Whether there is a board or a microphone to play with."""
        if self.board or self.sighted_board:
            return True
        if self.microphone != "none" and devices().capture:
            return True
        try:
            PegBoard.find()
        except BoardNotFoundError:
            return False
        return True


@dataclass(frozen=True)
class TableOptions:
    """How the table talks: what :class:`Session` is told. Where there is no loudspeaker, what is
    said is printed in any case."""

    training: bool = False
    opening_word: OpeningWord = OpeningWord.OPTIONAL
    printed: Printed = Printed.ALL


@dataclass(frozen=True)
class ConsoleAt:
    """Where the console listens; None: loopback, its usual port."""

    host: str | None = None
    port: int | None = None
    certificate: Path | None = None
    key: Path | None = None
    """Both, in PEM: the pages are encrypted; neither: they are not."""
    qr: bool = True
    """Draw each link's code for a phone's camera."""


DEFAULT = TableOptions()


def run(
    path: Path,
    setup: Setup | None,
    language: str,
    wanted: WantedDevices,
    keys: Iterable[str],
    out: TextIO,
    keep: Keep = Keep.OFF,
    manner: TableOptions = DEFAULT,
    console: ConsoleAt | None = None,
    *,
    charge_dead_time: bool = False,
) -> None:
    """Run a table until the game is over and the keys end, then print the record. With
    ``console``, serve its pages meanwhile. ``setup`` None: go on with the game in ``path``; the
    time for which no process ran it is charged to nobody or, with ``charge_dead_time``, to whose
    clock ran.

    :raises JournalError, TapeError, ModelError, BoardNotFoundError, AudioError, ConsoleError: when
        something that was named is not there, or the console cannot be served there.
    """
    pack = load(language)
    share_one_heap()
    out = cast(TextIO, _Unfailing(out))
    if keep is not Keep.OFF and wanted.silent:
        raise TapeError("A tape keeps what is spoken; leave out --silent, or --tape.")
    if keep is Keep.VOICES and not devices().playback:
        raise TapeError(
            "Voices are kept only when everybody has been told aloud: plug in a loudspeaker, or "
            "take --tape table."
        )
    boards = _boards(wanted)
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(path, resume=setup is None))
        table = Table(journal, setup, training=manner.training)
        assert table.game.setup is not None
        speaker = None if wanted.silent else open_speaker(stack, pack, wanted, out)
        printed = manner.printed
        if printed is Printed.UNSPOKEN and not (speaker is not None and devices().playback):
            printed = Printed.WORDS
        session = Session(
            table,
            pack,
            speaker,
            out,
            printed=printed,
            private_is_heard_by_all=wanted.private_output is None,
            echo_seconds=ECHO_SECONDS,
            opening_word=manner.opening_word,
        )
        stack.callback(session.close)
        if setup is None:
            _go_on(session, journal, charge_dead_time)
        if keep is not Keep.OFF:
            tape = Tape(tape_folder(path))
            print(f"The tape is {tape.folder}.", file=out)
            session.keep_tape(tape, voices=keep is Keep.VOICES)
        impaired = [side for side in f.SIDES if table.game.player(side).impaired] or ["white"]
        own, other = impaired[0], "black" if impaired[0] == "white" else "white"
        if speaker is not None:
            _speak_as_wanted(session, speaker, table.game.player(own).name)
        session.prepare()
        for side, url in zip((own, other), boards, strict=True):
            if url is not None:
                talks = wanted.talk_levers and side == own
                session.attach_board(side, url, levers=not talks)
                _tell_bad_contacts(session, url)
        _hear_as_accustomed(session, {side: table.game.player(side).name for side in f.SIDES})
        if wanted.microphone != "none":
            _attach_microphone(session, own, wanted)
        host = (
            None
            if console is None
            else _serve(stack, table, console, path, out, manner, language, resumed=setup is None)
        )
        session.show(pack.printed("keyboard"))
        session.show(f"The journal is {path}.")
        session.set_up(lambda: _begin(session))
        for line in _lines(keys):
            if speaker is not None:
                speaker.interrupt()
            if line.strip() == "quit":
                break
            try:
                if host is not None and line.split()[:1] in (["link"], ["unlink"], ["links"]):
                    assert console is not None
                    _links(host, line.split(), out, language, qr=console.qr)
                else:
                    _typed(session, line.strip())
            except Exception as error:  # whoever failed at it: the next line may do better
                log.exception("a typed line was not told to everybody")
                session.trouble(f"Something failed at what was typed ({error}); the game goes on.")
        else:
            # No keyboard (any more): voice and board go on alone until the game is over.
            while session.has_devices() and not table.game.over:
                time.sleep(0.2)
        if table.game.clock and table.game.clock.running is not None and not table.game.over:
            table.submit(f.Arbiter(by="table", do="stop_clocks"))
        session.wait_until_said()
        ended = [ruling.reason for ruling in session.rulings if isinstance(ruling, GameOver)]
        print("", pgn(table.game, ended[-1] if ended else ""), sep="\n", file=out)
        for side in f.SIDES:
            title = session.pack.sentence("sheet_title", player=session.pack.sentence(side))
            print(f"\n{title}:", file=out)
            print(scoresheet(table.game, side), file=out)
        table.save()
        if journal.unwritten:
            session.trouble(
                f"The journal lacks the last {journal.unwritten} facts: keep what is printed here."
            )
        else:
            print(f"\nThe journal's seal is {journal.seal}.", file=out)


def _go_on(session: Session, journal: Journal, charged: bool) -> None:
    """Say what has become of the game while no process ran it."""
    table = session.table
    running = table.game.clock and not table.game.over and table.game.clock.running
    table.go_on(charge_dead_time=charged)
    session.keep_scoresheets()  # it may have been killed between a move and its entries
    for sentence in journal.notes:
        session.trouble(sentence)
    if journal.damaged:
        session.say(Output.PUBLIC, session.pack.sentence("journal_damaged"))
    if running:
        if table.down is not None:
            session.line(f"the table was down for {table.down / 1000:.1f} s")
        player = session.pack.sentence(running)
        key = "interrupted_charged" if charged else "interrupted"
        session.say(Output.PUBLIC, session.pack.sentence(key, player=player))


def _serve(
    stack: ExitStack,
    table: Table,
    console: ConsoleAt,
    path: Path,
    out: TextIO,
    manner: TableOptions,
    language: str,
    *,
    resumed: bool,
) -> ConsoleHost:
    # A web server, for those who want one.
    from blindplay.console import LOOPBACK, PORT
    from blindplay.console.server import Certificate, ConsoleHost

    certificate = None
    if console.certificate is not None and console.key is not None:
        certificate = Certificate(console.certificate, console.key)
    doors = files.beside(path, ".links")
    if not resumed:
        doors.unlink(missing_ok=True)  # of a game whose journal is gone
    host = ConsoleHost(
        table,
        console.host or LOOPBACK,
        PORT if console.port is None else console.port,
        certificate=certificate,
        doors=doors,
    )
    stack.callback(host.close)
    known = host.console.present()
    if known:
        print(host.sentence("link_still", language), file=out)
    new = [role for role in host.roles() if role not in known]
    host.print_links(out, new, language, qr=console.qr)
    return host


def _links(host: ConsoleHost, words: list[str], out: TextIO, language: str, *, qr: bool) -> None:
    """``links``: who is in. ``link ROLE``: a new link for a role, in place of one that was lost or
    seen by others. ``unlink ROLE``: nobody has this role's page any more."""
    known = host.roles()
    if words == ["links"]:
        host.print_present(out, language)
    elif len(words) != 2 or words[1] not in known or words[0] == "links":
        said = host.sentence("link_which", language, roles=", ".join(known) or "-")
        print(f"trouble: {said}", file=out, flush=True)
    elif words[0] == "link":
        host.print_links(out, words[1:], language, qr=qr)
    else:
        host.console.revoke(words[1])
        said = host.sentence("link_revoked", language, role=words[1])
        print(said, file=out, flush=True)


def _speak_as_wanted(session: Session, speaker: Speaker, player: str) -> None:
    """As loud and as fast as the player has wanted it before, and remember what he wants now."""

    def keep(voicing: Voicing) -> None:
        try:
            speaker_preferences.keep(player, voicing)
        except OSError as error:
            session.trouble(f"It will not be remembered: {error}.")

    speaker.voicing = speaker_preferences.kept(player)
    session.on_voicing = keep


def _hear_as_accustomed(session: Session, players: Mapping[str, str]) -> None:
    """Hear each player as his answers and corrections have taught, and go on learning."""

    def learn(seat: str, pairs: list[tuple[str, str]]) -> None:
        try:
            session.habits[seat] = speaker_preferences.learn(players[seat], pairs)
        except OSError as error:
            session.trouble(f"It will not be remembered: {error}.")

    session.habits = {seat: speaker_preferences.habits(name) for seat, name in players.items()}
    session.on_misheard = learn


def _tell_bad_contacts(session: Session, url: str) -> None:
    """What ``blindplay board calibrate`` found bad on this board and nobody has put right."""
    known = kept(url)
    for square in sorted(known.bad) if known is not None else ():
        name = session.pack.square(chess.parse_square(square))
        session.say(Output.PRIVATE, session.pack.sentence("contact_bad", square=name))


def open_speaker(stack: ExitStack, pack: Language, wanted: WantedDevices, out: TextIO) -> Speaker:
    """A speaker for the outputs that are wanted; ``stack`` closes its synthesiser, not itself.

    :raises AudioError: when an output that was named is not there.
    """
    synthesiser = stack.enter_context(Synthesiser(pack.code, spellings=pack.spoken))
    private, public = _outputs(wanted, out)
    return Speaker(
        synthesiser,
        private,
        public,
        on_error=lambda sentence: print(f"trouble: {sentence}", file=out, flush=True),
    )


def _begin(session: Session) -> None:
    """The boards show the position: the game begins, or goes on."""
    table = session.table
    if not table.game.started and not table.game.over:
        session.say(Output.PUBLIC, session.pack.sentence("welcome"))
        session.dialogue.introduce()
        for one in announcements(table.log[0], table.game, session.pack):
            session.say(Output.PUBLIC, one.words)  # nobody listened when the table was set up
        table.submit(f.Start())
    elif table.game.clock and not table.game.over:
        if table.game.paused == "table":  # it ended while they ran
            table.submit(f.Arbiter(by="table", do="start_clocks"))
        elif table.game.paused:  # somebody has stopped them: they stand until he lets them go on
            session.say(Output.PUBLIC, session.pack.sentence("pause"))


def _boards(wanted: WantedDevices) -> tuple[str | None, str | None]:
    sighted = wanted.sighted_board
    if sighted in (DGT, DGT.rstrip(":")):
        sighted = DGT + DgtBoard.find()
    for url in (wanted.board, sighted):
        if url is not None:
            check_url(url.removeprefix(DGT))
    if wanted.board is not None:
        return wanted.board, sighted
    try:
        return PegBoard.find(), sighted
    except BoardNotFoundError:
        return None, sighted


def _outputs(wanted: WantedDevices, out: TextIO) -> tuple[AudioSink, AudioSink]:
    """The player's own output and everybody's; with one device both share it."""
    if wanted.private_output is None and wanted.public_output is None:
        try:
            shared = DeviceSink()
        except AudioError as error:
            print(f"trouble: {error} Until then everything is printed.", file=out, flush=True)
            return SilentSink("private", keeps=False), SilentSink("public", keeps=False)
        return shared, shared
    public = DeviceSink(wanted.public_output)
    if wanted.private_output is None:
        return public, public
    return DeviceSink(wanted.private_output), public


def _attach_microphone(session: Session, side: str, wanted: WantedDevices) -> None:
    try:
        language, lost = session.pack.code, session.lost_model
        folders = wanted.models or listening_models(language, lost)
        if not wanted.shared_microphone:  # the other player has a voice of his own
            name = session.table.game.player(side).name
            folders = speaker_models.models(name, language, folders, lost)
        # Of models that were named, none is passed over in silence.
        recogniser = open_recogniser(session.pack, *folders, lost=lost)
        session.attach_microphone(
            side,
            # One that was not named may be plugged in after the start.
            MicrophoneSource(wanted.microphone, allow_missing=wanted.microphone is None),
            recogniser,
            MicrophoneMode.PUSH_TO_TALK if wanted.push_to_talk else MicrophoneMode.OPEN,
            shared=wanted.shared_microphone,
        )
    except (AudioError, ModelError) as error:
        if wanted.microphone is not None or wanted.models:
            raise
        session.trouble(f"{error} Until then type what you would say.")


def _typed(session: Session, line: str) -> None:
    """One line of the keyboard."""
    table = session.table
    words = line.split()
    side = table.game.side
    if line == "start" and session.begin_now():
        return
    if not words:
        if table.game.turn == Turn() and table.game.sealed is None and not table.game.over:
            # A key may bounce or be hit by chance; at this table a press without a move (7.5.3)
            # takes a lever.
            session.say(Output.PRIVATE, session.pack.sentence("press_unbegun"))
        else:
            session.press(side)
        return
    decisions = {"confirm": "confirm", "reject": "reject", "stop": "stop_clocks",
                 "start": "start_clocks", "adjourn": "adjourn",
                 "preside": "preside", "withdraw": "withdraw"}  # fmt: skip
    try:
        number = _number(words[1]) if len(words) == 2 else None
        if words[0] == "tape" and number is not None:
            session.play_tape(number)
        elif words == ["tape", "off"]:
            pass  # every line ends what is being said
        elif line.startswith("{"):
            fact = loads(line, t=table.time())
            table.submit(fact)
        elif line == "t":
            session.talk()
        elif words[0] in decisions and len(words) == 1:
            table.submit(f.Arbiter(do=decisions[words[0]]))
        elif words[0] == "restore" and number is not None:
            table.submit(f.Arbiter(do="restore", ply=number))
        elif words[0] == "execute" and len(words) == 3:
            table.submit(f.Make(by=words[1], move=words[2]))
        elif words[0] == "record" and len(words) >= 4 and (ply := _number(words[2])) is not None:
            table.submit(f.Record(by=words[1], ply=ply, text=" ".join(words[3:])))
        else:
            for name in f.SIDES:
                if line.startswith(f"{name}:"):
                    side, line = name, line.removeprefix(f"{name}:").strip()
            session.typed(side, line)
    except FactError as error:
        session.trouble(f"That was not understood: {error}.")


def _number(word: str) -> int | None:
    """The number that a word is, as long as any can be in a game."""
    return int(word) if word.isdecimal() and len(word) < 10 else None


def _lines(keys: Iterable[str]) -> Iterator[str]:
    """What is typed, until nothing can be any more: a keyboard that is gone ends no game."""
    with contextlib.suppress(OSError, ValueError):
        yield from keys


class _Unfailing(io.TextIOBase):
    """Prints if it can: a closed terminal or a full disk does not end the game.

    Each line is written in one piece, because several threads print at the same time.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._begun = threading.local()  # the text of this thread that is not a line yet

    def write(self, text: str) -> int:
        line = getattr(self._begun, "text", "") + text
        self._begun.text = "" if line.endswith("\n") else line
        if line.endswith("\n"):
            with contextlib.suppress(OSError, ValueError):
                self._out.write(line)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._out.flush()
