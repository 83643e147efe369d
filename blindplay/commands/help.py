"""``blindplay help``: the short guides, spoken and printed."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from blindplay import language

if TYPE_CHECKING:
    from blindplay.speech.speaker import Speaker


class Role(StrEnum):
    """For whom there is a guide."""

    PLAYER = "player"
    ASSISTANT = "assistant"
    ARBITER = "arbiter"
    ORGANISER = "organiser"


def tell(
    role: Annotated[
        Role | None, typer.Argument(help="For whom; if none, what there is and how to begin.")
    ] = None,
    language_id: Annotated[str, typer.Option("--language", help="de or en.")] = "de",
    silent: Annotated[bool, typer.Option(help="Print only, say nothing.")] = False,
) -> None:
    """Speak and print the short guide for a player, an assistant, an arbiter or an organiser.

    After each paragraph it waits. Enter goes on, also in the middle of a sentence; repeat or
    wiederholen says the paragraph again, back or zurück the one before, quit leaves.
    """
    from .guides import GuideReader, short

    guide = short(None if role is None else role.value, language_id)
    pack = language.load(language_id)
    with ExitStack() as stack:
        speaker = None if silent else _speaker(stack, pack)
        GuideReader(pack, speaker, sys.stdout).read(
            guide, sys.stdin if sys.stdin.isatty() else None
        )


def _speaker(stack: ExitStack, pack: language.Language) -> Speaker | None:
    """A speaker at this machine's usual output; None, and it is said, where there is none."""
    from blindplay.speech.audio import AudioError, DeviceSink
    from blindplay.speech.speaker import Speaker
    from blindplay.speech.synthesis import Synthesiser

    from .guides import SPELLINGS

    try:
        sink = DeviceSink()
    except AudioError as error:
        print(f"trouble: {error} Until then the guide is printed.", flush=True)
        return None
    stack.callback(sink.close)
    spellings = {**pack.spoken, **SPELLINGS.get(pack.code, {})}
    synthesiser = stack.enter_context(Synthesiser(pack.code, spellings=spellings))
    speaker = Speaker(synthesiser, sink, sink, on_error=_trouble)
    stack.callback(speaker.close)
    return speaker


def _trouble(sentence: str) -> None:
    print(f"trouble: {sentence}", flush=True)
