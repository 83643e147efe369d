"""``blindplay help`` and ``blindplay version``."""

import sys
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import click

from blindplay.translation import _
from blindplay.version import VERSION

from . import options
from .reader import to_reader, user_language

if TYPE_CHECKING:
    from blindplay.language import Language
    from blindplay.speech.speaker import Speaker

ROLES = ("player", "assistant", "arbiter", "organiser")
"""The roles that have a guide, each in a file of ``docs/guides``."""


@click.command("help")
@click.argument(
    "role",
    type=click.Choice(ROLES),
    required=False,
    help=_("Read the guide for this role. Without it, the guides are listed."),
)
@click.option(
    "--language",
    help=_("Read the guide in this language. Without it, it is that of the system, or English."),
)
@options.flag("silent", _("Print the guide and say nothing."))
def help_command(role: str | None, language: str | None, silent: bool) -> None:
    """Read a short guide aloud.

    It also prints the guide, and waits after each paragraph. Enter continues, even in the middle
    of a sentence. repeat or wiederholen repeats the paragraph, back or zurück returns to the one
    before, quit stops.
    """
    from .guides import LANGUAGES, GuideReader, short

    if language is None:
        language = user_language() if user_language() in LANGUAGES else "en"
    guide = short(role, language)
    pack = options.load_language(language)
    keys = sys.stdin if sys.stdin.isatty() else None
    with ExitStack() as stack:
        speaker = None if silent else _speaker(stack, pack)
        GuideReader(pack, speaker, sys.stdout).read(guide, keys)


def _speaker(stack: ExitStack, pack: "Language") -> "Speaker | None":
    """A speaker at the default output. If there is no output, print so and return None."""
    from blindplay.speech.audio import AudioError
    from blindplay.speech.audio_devices import DeviceSink
    from blindplay.speech.speaker import Speaker
    from blindplay.speech.synthesis import Synthesiser

    from .guides import SPELLINGS

    trouble = partial(print, _("trouble:"), file=to_reader(sys.stdout), flush=True)
    try:
        sink = DeviceSink()
    except AudioError as error:
        trouble(_("{error} Until then the guide is printed.", error=error))
        return None
    stack.callback(sink.close)
    spellings = {**pack.spoken, **SPELLINGS.get(pack.code, {})}
    synthesiser = stack.enter_context(Synthesiser(pack.code, spellings=spellings))
    speaker = Speaker(synthesiser, sink, sink, on_error=trouble)
    stack.callback(speaker.close)
    return speaker


@click.command()
def version() -> None:
    """Print the version of BlindPlay."""
    print(VERSION)
