"""``blindplay voice``: a player's own voice."""

from __future__ import annotations

import contextlib
import json
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from blindplay import language

if TYPE_CHECKING:
    from blindplay.language import Language
    from blindplay.table.voice.booth import Booth
    from blindplay.table.voice.enrolment import Learned, Session

app = typer.Typer(help="A player's own voice.", rich_markup_mode=None)

_LanguageOption = Annotated[str, typer.Option("--language", help="Language of the table.")]
_MicrophoneOption = Annotated[
    str | None, typer.Option(help="Microphone, a part of its name; the system's own if none.")
]
_SilentOption = Annotated[bool, typer.Option("--silent", help="Print what would be said.")]
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
    """Learn how a player speaks: he says some forty moves and words after the table.

    It takes three to five minutes and needs no eyes. Enter repeats, s leaves out, q ends. What is
    learned is used only if it is measurably better; it stays on this machine, and
    ``blindplay voice forget NAME`` removes it.
    """
    from blindplay.speech.models import chosen
    from blindplay.table import preferences
    from blindplay.table.hearing import open_recogniser
    from blindplay.table.voice import enrolment

    pack = language.load(language_id)
    models = chosen(pack.code)
    with _booth(pack, microphone, silent) as booth:
        asked = enrolment.prompts(pack, seed=random.randrange(1 << 30))
        session = enrolment.Session()
        try:
            enrolment.record(booth, pack, asked, open_recogniser(pack, *models), session)
        finally:  # also when the microphone is gone, or the user has had enough
            _keep(name, pack, session)
        if session.ended:
            booth.tell("voice_stopped")
        booth.tell("enrol_working")
        try:
            learned = enrolment.learn(pack, name, models, session.answers, progress=_percent())
        except enrolment.NotEnoughError as error:
            booth.tell("enrol_not_enough")
            raise ValueError(str(error)) from None
        with contextlib.suppress(OSError):
            preferences.learn(name, enrolment.misheard(pack, models, session.answers))
        for one in learned:
            _tell_learned(booth, pack, one)


def _keep(name: str, pack: Language, session: Session) -> None:
    from blindplay.table import voices

    said = [
        (one.prompt.line.words or "", one.prompt.line.fen, one.take.pcm) for one in session.answers
    ]
    if said:
        print(f"The recordings are in {voices.keep(name, pack.code, said)}.")


def _tell_learned(booth: Booth, pack: Language, one: Learned) -> None:
    print(f"{one.model.name}:")
    booth.tell(
        "enrol_figures",
        count=pack.number(one.before.of),
        before=pack.number(one.before.right),
        after=pack.number(one.after.right),
    )
    booth.tell("enrol_installed" if one.installed else "enrol_kept")
    if one.words:
        print(f"New pronunciations: {', '.join(one.words)}.")
    if one.trained:
        print("The network was trained on this voice.")


@app.command("check")
def check(
    name: _NameArgument = "",
    language_id: _LanguageOption = "de",
    microphone: _MicrophoneOption = None,
    silent: _SilentOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Say how well a player is understood: forty words and ten moves, said after the table.

    Tells which model and which way of speaking to take, and whether the microphone is the
    trouble. Nothing is kept.
    """
    from blindplay.speech.models import PEOPLE, ModelError, available, chosen
    from blindplay.table import voices
    from blindplay.table.voice import check

    pack = language.load(language_id)
    used = voices.models(name, pack.code, chosen(pack.code))
    with _booth(pack, microphone, silent) as booth:
        said = check.record(booth, pack, check.lines(pack, seed=len(name)))
        if not said.takes:
            raise ValueError("Nothing was heard; check the microphone with: blindplay doctor.")
        result = check.judged(pack, used, said)
        results = {}
        for model, folder in available(pack.code).items():
            with contextlib.suppress(ModelError):
                results[model] = check.judged(pack, [folder], said)
        best = check.better(results, result)
        check.tell(booth, pack, said, result, best)
        if best is not None:
            print(f"To take it: blindplay models use {best} --language {pack.code}")
        print(PEOPLE)
        if as_json:
            told = {"used": asdict(result), **{n: asdict(one) for n, one in results.items()}}
            print(json.dumps(told, ensure_ascii=False))


@app.command("forget")
def forget(name: _NameArgument = "") -> None:
    """Forget how a player likes to be spoken to, how he has been misheard, and his voice; without
    a name, the player who gave none."""
    from blindplay.table import preferences, voices

    who = name or "the player without a name"
    wanted, voice = preferences.forget(name), voices.forget(name)
    if not wanted and not voice:
        raise ValueError(f"Nothing is kept of {who}; check the name.")
    print(f"Nothing is kept of {who} any more.")


@contextlib.contextmanager
def _booth(pack: Language, microphone: str | None, silent: bool) -> Iterator[Booth]:
    from blindplay.speech.audio import MicrophoneSource
    from blindplay.table.play import Devices, open_speaker
    from blindplay.table.voice.booth import Booth

    with ExitStack() as stack:
        speaker = None
        if not silent:
            speaker = open_speaker(stack, pack, Devices(), sys.stdout)
            stack.callback(speaker.close)
        source = MicrophoneSource(microphone)
        yield stack.enter_context(Booth(pack, speaker, source, sys.stdin, sys.stdout))


def _percent() -> Callable[[float], None]:
    """Prints how much is done, a line each quarter: a screen reader reads every line."""
    told = 0

    def tell(done: float) -> None:
        nonlocal told
        quarters = int(4 * done)
        if told < quarters < 4:
            told = quarters
            print(f"{25 * quarters} percent done.", flush=True)

    return tell
