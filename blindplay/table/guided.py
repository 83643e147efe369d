"""What the commands that lead hands have in common: a voice, and keys that do not wait."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TextIO

from blindplay.language import Language
from blindplay.speech.speaker import Output

from .play import Devices, open_speaker

Say = Callable[[str], None]


def voice(stack: ExitStack, pack: Language, silent: bool, out: TextIO) -> Say:
    """Prints a sentence and, unless ``silent``, speaks it; leaving ``stack`` waits for its end."""
    speaker = None if silent else open_speaker(stack, pack, Devices(), out)

    def say(words: str) -> None:
        print(words, file=out, flush=True)
        if speaker is not None:
            speaker.say(words, to=Output.PUBLIC)

    if speaker is not None:
        stack.callback(speaker.close)
        stack.callback(speaker.wait, 60)
    return say


def keys_into(inbox: queue.Queue[object], keys: TextIO) -> None:
    """Put each typed line (a str, without its end) into ``inbox``, then None at the end."""

    def read() -> None:
        for line in keys:
            inbox.put(line.strip())
        inbox.put(None)

    threading.Thread(target=read, name="keys", daemon=True).start()
