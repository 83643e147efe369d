"""``blindplay voice``: a player's own voice."""

import contextlib
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import chess
import click

from blindplay.hearing import speaker_models, speaker_preferences
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.prompting import Booth
from blindplay.hearing.recognisers import listening_models, open_recogniser
from blindplay.hearing.voice_archive import squares_of
from blindplay.language import Command, Key, Language, word_of
from blindplay.laws.state import SCANDINAVIAN
from blindplay.speech.audio import AudioError
from blindplay.translation import UserError, _

from . import options
from .hall import ServedAt, show_advice
from .reader import to_reader

if TYPE_CHECKING:
    from blindplay.hearing.donation import UnfinishedDonation
    from blindplay.speech.ensemble import AnyRecogniser
    from blindplay.table.booth_phone import BoothPhone

_name = click.argument(
    "name", default="", help=_("Name the player as play does, if there is a name.")
)
_microphone = click.option("--microphone", help=_("Use the microphone with this in its name."))
_announced = click.option(
    "--announce-in",
    "spoken",
    type=options.LANGUAGE,
    help=_(
        "Take the words of this language, in which moves are announced. Without it, German is "
        "taken, or for Scandinavian players their own language, as D.2.1 says."
    ),
)
_silent = click.option("--silent", is_flag=True, help=_("Print everything and say nothing."))


@dataclass(frozen=True)
class PhoneAt(ServedAt):
    """Whether a phone is the microphone, and where its page is served, as options."""

    # fmt: off
    host: str = options.option(_("Serve the page of --phone at this address. Without it, all "
        "addresses of this computer are served."), "0.0.0.0", show_default=False)
    phone: bool = options.option(_("Use a phone as microphone, earphone and keys. Its page is "
        "served with the certificate of this computer."), False)
    qr: bool = options.option(_("Draw each link as a QR code, too. No screen reader can "
        "read it."), False)
    # fmt: on

    def check(self, microphone: str | None) -> None:
        """:raises ValueError: if options do not go together."""
        if self.phone and microphone is not None:
            raise UserError("--phone is the microphone; leave out --microphone.")
        if not self.phone and self != PhoneAt(encrypt=self.encrypt):
            raise UserError("The options of a phone's page go with --phone; add it.")


_phone = options.taking("at", PhoneAt, encrypt=True)


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def voice() -> None:
    """Learn, check, give or forget a player's voice."""


@voice.command()
@_name
@options.language(help=_("Speak and print in this language."))
@_announced
@_microphone
@_silent
@_phone
def enrol(
    name: str,
    pack: Language,
    spoken: Language | None,
    microphone: str | None,
    silent: bool,
    at: PhoneAt,
) -> None:
    """Learn how a player speaks.

    The player repeats about fifty moves and words. This takes three to five minutes and needs no
    eyes: Enter repeats, s skips, q ends. Then learning takes some more minutes. What was learned
    is used only if it is measurably better. It stays on this machine; blindplay voice forget NAME
    removes it.
    """
    from blindplay.hearing import enrolment

    words = spoken or _words_of_announcements(pack)
    models = listening_models(words.code, options.warn)
    with _booth(pack, microphone, silent, at=at, keeps=True) as booth:
        prompts = enrolment.prompts(words, seed=random.randrange(1 << 30))
        session = enrolment.EnrolmentSession()
        recogniser = open_recogniser(words, *models, lost=options.warn)
        try:
            with speaker_models.Keeper(name, words.code) as keeper:
                enrolment.record(booth, words, prompts, recogniser, session, keeper.add)
        finally:  # even after Ctrl-C or without the microphone, the recordings remain
            if session.answers:
                place = speaker_models.recordings(name, words.code)
                print(pack.sentence("enrol_recordings", folder=str(place)), flush=True)
        if session.ended:
            booth.tell("voice_stopped")
        with _learning(booth):
            with contextlib.suppress(OSError):
                speaker_preferences.learn(name, enrolment.misheard(words, models, session.answers))
            _learn(booth, words, name, models, session.answers)


@voice.command()
@_name
@options.language(help=_("Speak and print in this language."))
@_announced
@_silent
def learn(name: str, pack: Language, spoken: Language | None, silent: bool) -> None:
    """Learn again from the recordings of an enrolment. Nothing has to be repeated.

    Use it after learning was stopped, or after other models were chosen or learned new words.
    """
    words = spoken or _words_of_announcements(pack)
    models = listening_models(words.code, options.warn)
    with _booth(pack, None, silent, hears=False) as booth:
        answers = speaker_models.kept(name, words.code)
        if not answers:
            booth.tell("enrol_nothing")
            raise UserError(
                "There are no recordings of {player} in {recordings}; check the name "
                "and the language.",
                player=_player(name),
                recordings=speaker_models.recordings(name, words.code),
            )
        with _learning(booth):
            _learn(booth, words, name, models, answers)


@contextlib.contextmanager
def _learning(booth: Booth) -> Iterator[None]:
    """Announce that learning begins. On Ctrl-C, say how to resume."""
    booth.tell("enrol_working")
    try:
        yield
    except KeyboardInterrupt:
        booth.tell("enrol_stopped")
        raise


def _learn(
    booth: Booth,
    words: Language,
    name: str,
    models: Sequence[Path],
    answers: Sequence[SpeakerRecording],
) -> None:
    """Learn from answers in ``words``; report each tenth of the progress, and the result."""
    from blindplay.hearing import enrolment

    tenths, pack = 0, booth.pack

    def progress(done: float) -> None:
        nonlocal tenths
        if booth.to_end:
            raise KeyboardInterrupt
        if tenths < int(10 * done) < 10:
            tenths = int(10 * done)
            booth.tell("enrol_done", percent=pack.number(10 * tenths))

    try:
        learned = enrolment.learn(
            words, name, models, answers, progress=progress, lost=options.warn
        )
    except enrolment.NotEnoughError as error:
        booth.tell("enrol_not_enough")
        raise ValueError(str(error)) from None
    booth.tell(
        "enrol_figures",
        count=pack.number(learned.before.of),
        before=pack.number(learned.before.right),
        after=pack.number(learned.after.right),
    )
    booth.tell("enrol_installed" if learned.own else "enrol_kept")
    for own in learned.own:
        print(f"{own.model.name}:")
        if own.words:
            print(pack.sentence("enrol_words", words=", ".join(own.words)))
        if own.trained:
            print(pack.sentence("enrol_trained"))


@voice.command()
@_name
@options.language(help=_("Speak and print in this language."))
@_announced
@_microphone
@_silent
@_phone
@options.as_json(help=_("Print the figures as JSON."))
def check(
    name: str,
    pack: Language,
    spoken: Language | None,
    microphone: str | None,
    silent: bool,
    as_json: bool,
    at: PhoneAt,
) -> None:
    """Check how well a player is understood.

    The player repeats forty words and ten moves. The result names the best model and the best way
    of speaking, and says whether the microphone is at fault. Nothing is kept.
    """
    from blindplay.hearing import voice_check
    from blindplay.speech.models.folders import ModelError, available

    words = spoken or _words_of_announcements(pack)
    chosen = listening_models(words.code, options.warn)
    used = speaker_models.models(name, words.code, chosen, options.warn)
    out = sys.stderr if as_json else sys.stdout
    with _booth(pack, microphone, silent, out=out, at=at) as booth:
        takes = voice_check.record(booth, words, voice_check.lines(words, seed=len(name)))
        if not takes:
            raise UserError("Nothing was heard; check the microphone with: blindplay doctor.")
        result = voice_check.judged(words, used, takes, options.warn)
        results = {}
        for model, folder in available(words.code).items():
            with contextlib.suppress(ModelError):
                results[model] = voice_check.judged(words, [folder], takes, options.warn)
        voice_check.tell(booth, words, takes, result, voice_check.better(results, result))
        if as_json:
            options.show({n: asdict(checked) for n, checked in {"used": result, **results}.items()})


@voice.command()
@click.argument(
    "archives", nargs=-1, type=options.FILE, help=_("Name the archives for --check or --collect.")
)
@options.language(help=_("Speak and print in this language."))
@click.option(
    "--announce-in",
    "spoken",
    type=options.LANGUAGE,
    help=_("Say the moves and words of this language. Without it, your own is taken."),
)
@_microphone
@_silent
@click.option(
    "--output", type=options.FOLDER, default=Path(), help=_("Write your archive into this folder.")
)
@click.option("--check", "checks", is_flag=True, help=_("Check archives that others have given."))
@click.option(
    "--collect",
    type=options.FOLDER,
    help=_("Check them, and put the good ones into this folder."),
)
@click.option("--revoke", help=_("Remove the voice with this code from the folder of --collect."))
@options.as_json(help=_("Print what --check finds as JSON, one object per line."))
def donate(
    archives: tuple[Path, ...],
    pack: Language,
    spoken: Language | None,
    microphone: str | None,
    silent: bool,
    output: Path,
    checks: bool,
    collect: Path | None,
    revoke: str | None,
    as_json: bool,
) -> int:
    """Give your voice to everybody who teaches machines to understand people at a chessboard.

    This takes ten minutes and needs no eyes. First you hear what you agree to. You can stop at any
    time and continue later. The result is one archive without your name, under CC0; nothing is
    sent. A secret code takes your voice back.

    With --check, for somebody who collects voices, it checks ARCHIVES. The exit status is 1 if one
    of them cannot be used.
    """
    if revoke is not None:
        return _revoke(revoke, collect)
    if checks or collect is not None:
        return _check_archives(archives, collect, as_json)
    if archives:
        raise UserError("Archives go with '--check'; alone, donate records your voice.")
    if not output.is_dir():
        raise UserError("There is no folder {parent}; make it first.", parent=output)
    with _booth(pack, microphone, silent) as booth:
        _donate(booth, spoken or pack, output)
    return 0


def _donate(booth: Booth, words: Language, output: Path) -> None:
    """Let a donor agree, say sentences in ``words``, and have an archive in the folder."""
    from blindplay.hearing import donation

    unfinished = _unfinished_or_new(booth, words)
    if unfinished is None:
        return
    try:
        whole = donation.record(booth, words, unfinished, _recogniser_if_any(words))
    except (KeyboardInterrupt, AudioError, OSError):
        booth.tell("donate_saved")
        raise
    if not whole:
        booth.tell("donate_saved")
        return
    target = output / f"blindplay-voice-{words.code}-{unfinished.donation.speaker}.zip"
    if not donation.finish(words, unfinished, target):
        booth.tell("donate_incomplete")
        return
    booth.tell("donate_done")
    booth.show(booth.pack.sentence("donate_archive", file=str(target)))
    squares = ", ".join(map(booth.pack.square, squares_of(unfinished.code)))
    booth.show(unfinished.code)
    booth.typed("donate_code", code=squares, end=word_of(booth.pack, Key.END))


def _unfinished_or_new(booth: Booth, words: Language) -> "UnfinishedDonation | None":
    """The donation that this donor has begun, or a new one; None if the donor wants neither."""
    from blindplay.hearing import donation
    from blindplay.hearing.kept_recordings import lines

    yes, no = (booth.pack.command(answer).lower() for answer in (Command.YES, Command.NO))
    for unfinished in donation.unfinished(words.code):
        count = booth.pack.number(len(lines(unfinished.place)))
        typed = booth.typed("donate_resume", count=count, yes=yes, no=no)
        if typed is None:
            booth.tell("donate_saved")
            return None
        if booth.pack.understand(typed, chess.Board()).command is Command.YES:
            return unfinished
    agreed = donation.consent(booth)
    if agreed is None:
        booth.tell("donate_declined")
        return None
    return donation.begin(words.code, booth.pack.sentence("donate_statement"), *agreed)


def _recogniser_if_any(words: Language) -> "AnyRecogniser | None":
    """Return a recogniser that notices if something else was said; None without a speech model of
    the language."""
    from blindplay.speech.models.folders import ModelError

    try:
        return open_recogniser(words, *listening_models(words.code, options.warn))
    except ModelError:
        return None


def _check_archives(archives: Sequence[Path], collect: Path | None, as_json: bool) -> int:
    from blindplay.hearing import voice_archive

    if not archives:
        raise UserError("Name the archives to check.")
    good = 0
    for archive in voice_archive.check(archives, collect):
        good += archive.good
        options.show(archive.as_json() if as_json else archive.sentence)
    if not as_json:
        options.show(
            _("Archives that can be used: {good} of {count}.", good=good, count=len(archives))
        )
        if good:
            options.show(
                _("Now listen to consent.wav in each: no program can tell who is speaking.")
            )
    return 0 if good == len(archives) else 1


def _revoke(code: str, collect: Path | None) -> int:
    from blindplay.hearing import voice_archive

    if collect is None or not collect.is_dir():
        raise UserError("Name the folder of the collection with --collect.")
    if voice_archive.revoke(collect, code):
        options.show(
            _("This voice was removed. It will not be taken again; delete its archive, too.")
        )
        return 0
    options.show(_("No voice here has this code. It will not be taken if it comes."))
    return 1


@voice.command()
@_name
def forget(name: str) -> None:
    """Forget a player's voice and preferences.

    This removes how the player wants to be spoken to, what was misheard, the recordings, what was
    learned from them, and the phrases that voices have rendered, which hold names. Without a name,
    it forgets the player who gave no name.
    """
    from blindplay.speech.synthesis import forget_phrases

    kept = [forget_phrases(), speaker_models.forget(name), speaker_preferences.forget(name)]
    if not any(kept):
        raise UserError("Nothing is kept of {player}; check the name.", player=_player(name))
    options.show(_("Nothing is kept of {player} any more.", player=_player(name)))


def _words_of_announcements(reader: Language) -> Language:
    """The language in which moves are announced between players who read this one (D.2.1)."""
    return reader if reader.code in SCANDINAVIAN else options.load_language("de")


def _player(name: str) -> str:
    return name or _("the player without a name")


@contextlib.contextmanager
def _booth(
    pack: Language,
    microphone: str | None,
    silent: bool,
    *,
    hears: bool = True,
    out: TextIO | None = None,
    at: PhoneAt | None = None,
    keeps: bool = False,
) -> Iterator[Booth]:
    """A booth in which a player is prompted and recorded; ``keeps``: what they say is kept.

    Without ``hears`` the microphone stays closed: learning from recordings needs none. ``at``:
    where the page of a phone is served, if one is wanted.
    """
    from blindplay.speech.audio_devices import MicrophoneSource
    from blindplay.table.devices import open_speaker

    out = out or sys.stdout
    with contextlib.ExitStack() as stack:
        phone = None
        if at is not None:
            at.check(microphone)
            phone = _phone_at(stack, at, out, keeps=keeps) if at.phone else None
        speaker = None
        if not silent:
            trouble = partial(print, _("trouble:"), file=to_reader(out), flush=True)
            speaker = open_speaker(stack, pack, trouble, phone=phone.ear if phone else None)
            stack.callback(speaker.close)
        if phone is None:
            booth = Booth(pack, speaker, MicrophoneSource(microphone), sys.stdin, out)
        else:
            late_s = partial(getattr, phone.source, "late_s")
            booth = Booth(pack, speaker, phone.source, sys.stdin, out, keys="enrol_keys_phone",
                          late_s=late_s)  # fmt: skip
            phone.on_key = booth.press
        try:
            yield stack.enter_context(booth) if hears else booth
        except AudioError as error:
            if at is None or at.phone or microphone is not None:
                raise
            raise AudioError("{error} Or use a phone: add --phone.", error=error) from None


def _phone_at(
    stack: contextlib.ExitStack, at: PhoneAt, out: TextIO, *, keeps: bool
) -> "BoothPhone":
    """Serve the page of a phone until ``stack`` closes it, and wait for the phone."""
    from blindplay.console.server import PageServer
    from blindplay.table.booth_phone import BoothPhone

    show = partial(print, file=to_reader(out), flush=True)
    encryption = at.encryption()
    server = PageServer(at.host, at.console_port, encryption)
    phone = stack.enter_context(BoothPhone(server, encrypted=encryption is not None, keeps=keeps))
    show(_("Open this link on the phone: {link}", link=phone.link))
    if at.qr:
        show(phone.drawn_link)
    show_advice(server.advice, show)
    phone.wait()
    return phone
