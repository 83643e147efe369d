"""A table that plays one game after the other, each as the hall assigns it."""

import contextlib
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

from blindplay.ctrl_c import CtrlC
from blindplay.given import plain
from blindplay.language import Key, Language, key_of, word_of
from blindplay.table.about import AboutTable
from blindplay.table.devices import WantedDevices, open_speaker
from blindplay.table.pairings import Pairings
from blindplay.table.table import Table
from blindplay.typed_lines import LOOK_S, TypedLines
from blindplay.wording.pairings import number_in_words

from .assigning import Assigned, NextGame, WaitingTable, handlers
from .between_games import BetweenGames, open_ears
from .event_file import EventFile
from .publisher import Publisher


def publisher(
    table: Table,
    joined: EventFile,
    about: Callable[[], Mapping[str, Any]],
    following: NextGame | None = None,
) -> Publisher:
    """Publish a table that takes the hall's pairings, with the data of ``about`` on its
    machine. ``following`` keeps its next game; None: it plays this one only."""
    return Publisher(table, joined, about=about, handlers=handlers(table, joined, following))


class AssignedGames:
    """The games of one table at an event. Earlier journals are in ``folder``."""

    def __init__(self, joined: EventFile, folder: Path) -> None:
        self._joined = joined
        self._folder = folder
        self._following = NextGame()

    @property
    def known(self) -> bool:
        """True if the next game is assigned already."""
        return self._following.known is not None

    def companion(self, table: Table, about: Callable[[], Mapping[str, Any]]) -> Publisher:
        """The publisher of one of these games."""
        return publisher(table, self._joined, about, self._following)

    def next(
        self, pack: Language, devices: WantedDevices, lines: TypedLines, out: TextIO
    ) -> Mapping[str, Any] | None:
        """The options of the next game that differ: names, round and more. Wait
        for it if need be, and say so. None if somebody types the word that ends the table.

        :raises AudioError, ValueError: if a named output or the broker cannot be used.
        """
        assigned = self._following.take() or self._wait(pack, devices, lines, out)
        return None if assigned is None else _given(assigned)

    def _wait(
        self, pack: Language, devices: WantedDevices, lines: TypedLines, out: TextIO
    ) -> Assigned | None:
        def shown(sentence: str) -> None:
            print(plain(sentence), file=out, flush=True)

        def trouble(sentence: str) -> None:
            shown(pack.trouble(sentence))

        with ExitStack() as stack:
            speaker = None if devices.silent else open_speaker(stack, pack, trouble, devices)
            if speaker is not None:
                stack.callback(speaker.close)
            pairings = Pairings(self._joined.table)
            people = BetweenGames(pack, speaker, pairings, shown)
            table, end = number_in_words(self._joined.table, pack), word_of(pack, Key.END)
            words = pack.sentence("pairing_awaited", table=table, end=end)
            people.say(words)
            ctrl_c = stack.enter_context(CtrlC())
            stack.enter_context(contextlib.suppress(KeyboardInterrupt))
            open_ears(stack, people, pack, devices)
            about = AboutTable(devices).now()
            waiting = WaitingTable(self._joined, self._folder, about, pairings)
            stack.enter_context(waiting)
            while not ctrl_c.pressed:
                assigned = waiting.wait(LOOK_S)
                if assigned is not None:
                    return assigned
                line = lines.within(LOOK_S)
                if line is None:
                    continue
                if key_of(pack, line) is Key.END:
                    return None
                if people.is_question(line):
                    people.answer()
                else:  # a key is pressed to hear where one is
                    people.say(words)
        return None


def _given(assigned: Assigned) -> dict[str, Any]:
    """An assignment, as options of ``blindplay play``; open values are left out."""
    game = assigned.game
    names = ("round", "white", "black", "impaired", "white_language", "black_language")
    chosen = {name: value for name in names if (value := getattr(game, name))}
    return {**chosen, "who": assigned.who, "request": assigned.request}
