"""``blindplay voice``: a player's own voice."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from blindplay import language

if TYPE_CHECKING:
    from blindplay.hearing.enrolment import PromptAnswer
    from blindplay.hearing.prompting import Booth
    from blindplay.language import Language

app = typer.Typer(help="A player's own voice.", rich_markup_mode=None)

_LanguageOption = Annotated[str, typer.Option("--language", help="Language of the table.")]
_MicrophoneOption = Annotated[
    str | None, typer.Option(help="Microphone, a part of its name; the system's own if none.")
]
_SilentOption = Annotated[bool, typer.Option("--silent", help="Print only, and do not speak.")]
_NameArgument = Annotated[
    str, typer.Argument(help="The player's name, as it is given to play; none for nobody's.")
]


@app.command("enrol")
def enrol(
    name: _NameArgument = "",
    language_id: _LanguageOption = "de",
    microphone: _MicrophoneOption = None,
    silent: _SilentOption = False,
) -> None:
    """Learn how a player speaks.

    He says some fifty moves and words after the table. It takes three to five minutes and needs no
    eyes. Enter repeats, s leaves out, q ends. The learning afterwards takes some minutes more. What
    is learned is used only if it is measurably better; it stays on this machine, and blindplay
    voice forget NAME removes it.
    """
    from blindplay.hearing import enrolment, speaker_models, speaker_preferences
    from blindplay.hearing.decision import listening_models, open_recogniser

    pack = language.load(language_id)
    models = listening_models(pack.code, _warn)
    with _booth(pack, microphone, silent) as booth:
        asked = enrolment.prompts(pack, seed=random.randrange(1 << 30))
        session = enrolment.EnrolmentSession()
        recogniser = open_recogniser(pack, *models, lost=_warn)
        try:
            with speaker_models.Keeper(name, pack.code) as keeper:
                enrolment.record(booth, pack, asked, recogniser, session, keeper.add)
        finally:  # also when the microphone is gone, or the user has had enough
            if session.answers:
                place = speaker_models.recordings(name, pack.code)
                print(pack.sentence("enrol_recordings", folder=str(place)), flush=True)
        if session.ended:
            booth.tell("voice_stopped")
        with _learning(booth):
            with contextlib.suppress(OSError):
                speaker_preferences.learn(name, enrolment.misheard(pack, models, session.answers))
            _learn(booth, pack, name, models, session.answers)


@app.command("learn")
def learn(
    name: _NameArgument = "", language_id: _LanguageOption = "de", silent: _SilentOption = False
) -> None:
    """Learn again from the recordings of an enrolment.

    Nothing has to be said again. For when learning was ended before its time, and when the models
    that listen are others than then, or know other words.
    """
    from blindplay.hearing import enrolment, speaker_models
    from blindplay.hearing.decision import listening_models

    pack = language.load(language_id)
    models = listening_models(pack.code, _warn)
    with _booth(pack, None, silent, hears=False) as booth:
        answers = enrolment.answered(pack, speaker_models.kept(name, pack.code))
        if not answers:
            booth.tell("enrol_nothing")
            raise ValueError(
                f"There are no recordings of {_who(name)} in "
                f"{speaker_models.recordings(name, pack.code)}; check the name and the language."
            )
        with _learning(booth):
            _learn(booth, pack, name, models, answers)


@contextlib.contextmanager
def _learning(booth: Booth) -> Iterator[None]:
    """Who ends it is told how it is gone on with."""
    booth.tell("enrol_working")
    try:
        yield
    except KeyboardInterrupt:
        booth.tell("enrol_stopped")
        raise


def _learn(
    booth: Booth, pack: Language, name: str, models: Sequence[Path], answers: Sequence[PromptAnswer]
) -> None:
    from blindplay.hearing import enrolment

    told = 0

    def progress(done: float) -> None:
        nonlocal told
        if booth.to_end:
            raise KeyboardInterrupt
        if told < int(10 * done) < 10:
            told = int(10 * done)
            booth.tell("enrol_done", percent=pack.number(10 * told))

    try:
        learned = enrolment.learn(pack, name, models, answers, progress=progress, lost=_warn)
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
    for one in learned.own:
        print(f"{one.model.name}:")
        if one.words:
            print(pack.sentence("enrol_words", words=", ".join(one.words)))
        if one.trained:
            print(pack.sentence("enrol_trained"))


@app.command("check")
def check(
    name: _NameArgument = "",
    language_id: _LanguageOption = "de",
    microphone: _MicrophoneOption = None,
    silent: _SilentOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Say how well a player is understood.

    He says forty words and ten moves after the table. It tells which model and which way of
    speaking to take, and whether the microphone is the trouble. Nothing is kept.
    """
    from blindplay.hearing import speaker_models
    from blindplay.hearing import voice_check as check
    from blindplay.hearing.decision import listening_models
    from blindplay.speech.models.folders import ModelError, available

    pack = language.load(language_id)
    used = speaker_models.models(name, pack.code, listening_models(pack.code, _warn), _warn)
    out = sys.stderr if as_json else sys.stdout
    with _booth(pack, microphone, silent, out=out) as booth:
        said = check.record(booth, pack, check.lines(pack, seed=len(name)))
        if not said.takes:
            raise ValueError("Nothing was heard; check the microphone with: blindplay doctor.")
        result = check.judged(pack, used, said, _warn)
        results = {}
        for model, folder in available(pack.code).items():
            with contextlib.suppress(ModelError):
                results[model] = check.judged(pack, [folder], said, _warn)
        best = check.better(results, result)
        check.tell(booth, pack, said, result, best)
        if as_json:
            told = {"used": asdict(result), **{n: asdict(one) for n, one in results.items()}}
            print(json.dumps(told, ensure_ascii=False))


@app.command("forget")
def forget(name: _NameArgument = "") -> None:
    """Forget a player's voice and wishes.

    How he likes to be spoken to, how he has been misheard, his recordings, and what was learned
    from them. Without a name, those of the player who gave none.
    """
    from blindplay.hearing import speaker_models, speaker_preferences

    wanted, voice = speaker_preferences.forget(name), speaker_models.forget(name)
    if not wanted and not voice:
        raise ValueError(f"Nothing is kept of {_who(name)}; check the name.")
    print(f"Nothing is kept of {_who(name)} any more.")


def _who(name: str) -> str:
    return name or "the player without a name"


def _warn(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _booth(
    pack: Language,
    microphone: str | None,
    silent: bool,
    *,
    hears: bool = True,
    out: TextIO | None = None,
) -> Iterator[Booth]:
    """Who only learns from recordings need not have a microphone: then it does not hear."""
    from blindplay.hearing.prompting import Booth
    from blindplay.speech.audio import MicrophoneSource
    from blindplay.table.play import WantedDevices, open_speaker

    out = out or sys.stdout
    with ExitStack() as stack:
        speaker = None
        if not silent:
            speaker = open_speaker(stack, pack, WantedDevices(), out)
            stack.callback(speaker.close)
        source = MicrophoneSource(microphone)
        booth = Booth(pack, speaker, source, sys.stdin, out)
        yield stack.enter_context(booth) if hears else booth
