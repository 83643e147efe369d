"""The tape of a running table: what it says to everybody, and, if wanted, how moves were announced.

It keeps only what everybody was told it keeps: no private answers, and players' voices only with
``voices``, and only what was taken for a move. The table first says what will be recorded. It keeps
no voice before that was said to its end.
"""

import contextlib
import functools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Self

from blindplay.hearing.statement import Statement
from blindplay.language import Kind
from blindplay.record import Tape, TapeError
from blindplay.record.tape_playback import sound
from blindplay.speech.audio import BLOCK_MS, RATE, AudioSource, level
from blindplay.speech.speaker import Outcome, Output, Speaker

from .table import Table

_LONGEST_BLOCKS = 20_000 // BLOCK_MS  # no announcement takes longer
_PREROLL_BLOCKS = 320 // BLOCK_MS
_QUIET_DB = 25.0  # what is this much softer than the utterance's loudest block is a pause


class Taping:
    """Keeps on ``tape`` what is said at ``table``. ``failed`` is called with a sentence when it
    cannot, once until it can again."""

    def __init__(
        self, tape: Tape, table: Table, failed: Callable[[str], None], *, voices: bool = False
    ) -> None:
        self.tape = tape
        self.voices = voices
        self._table = table
        self._failed = failed
        self._works = True
        self._told = False
        self._overheard: dict[str, _Overheard] = {}

    def ply(self) -> int:
        """The ply that is being played; what is said now belongs to it."""
        return len(self._table.game.history) + 1

    def says(self, words: str) -> Callable[[bytes, int], None]:
        """The table begins to say ``words`` now. Return a function to call with their sound."""
        t, ply = self._table.time(), self.ply()

        def keep(pcm: bytes, rate: int) -> None:
            self._told = True
            self._keep(pcm, rate, t, ply, "table", words)

        return keep

    def overhear(self, seat: str, source: AudioSource) -> AudioSource:
        """Return ``source``, with its sound in memory until :meth:`hears` takes or forgets it."""
        if not self.voices:
            return source
        self._overheard[seat] = _Overheard(source)
        return self._overheard[seat]

    def hears(self, seat: str, side: str, said: Statement | None) -> None:
        """The player of ``seat``, who has the colour ``side``, has said something; None if it was
        not understood. Call it before the game takes it, for its ply."""
        source = self._overheard.get(seat)
        pcm = source.take() if source is not None else b""
        if not pcm or said is None or not self._told:
            return
        if said.meant.kind in (Kind.MOVE, Kind.AMBIGUOUS, Kind.ILLEGAL):
            self._keep(pcm, RATE, self._table.time(), self.ply(), side, said.text)

    def play(self, speaker: Speaker, ply: int) -> bool:
        """Let ``speaker`` play privately what is on tape from ``ply`` on; False if there is none.

        It plays one utterance at a time, so that announcements come between, and an interruption
        ends it.
        """
        try:
            rest = iter(self.tape.from_ply(ply))
        except TapeError:
            return False

        def go_on(outcome: Outcome) -> None:
            following = next(rest, None)
            if outcome not in (Outcome.SPOKEN, Outcome.FAILED) or following is None:
                return
            with contextlib.suppress(ValueError):  # the speaker has been closed meanwhile
                speaker.say(
                    following.words,
                    to=Output.PRIVATE,
                    sound=functools.partial(sound, following),
                    on_done=go_on,
                )

        go_on(Outcome.SPOKEN)
        return True

    def _keep(self, pcm: bytes, rate: int, t: int, ply: int, by: str, words: str) -> None:
        try:
            self.tape.keep(pcm, rate, t=t, ply=ply, by=by, words=words)
        except TapeError as error:
            worked, self._works = self._works, False
            if worked:
                self._failed(str(error))
        else:
            self._works = True


class _Overheard:
    """A source of sound that remembers its last utterance."""

    def __init__(self, source: AudioSource) -> None:
        self._source = source
        self._blocks: deque[bytes] = deque(maxlen=_LONGEST_BLOCKS)

    def __enter__(self) -> Self:
        self._source.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._source.__exit__(*error)

    def __iter__(self) -> Iterator[bytes]:
        for block in self._source:
            self._blocks.append(block)
            yield block

    def discard(self) -> None:
        self._blocks.clear()
        self._source.discard()

    def reopen(self) -> bool:
        self._blocks.clear()
        return self._source.reopen()

    def close(self) -> None:
        self._source.close()

    def take(self) -> bytes:
        """Return what was said last, without the silence before it, and forget it."""
        blocks = list(self._blocks)
        self._blocks.clear()
        loudness = [level(block) for block in blocks]
        loud = max(loudness, default=0.0) - _QUIET_DB
        first = next((at for at, heard in enumerate(loudness) if heard >= loud), 0)
        return b"".join(blocks[max(0, first - _PREROLL_BLOCKS) :])
