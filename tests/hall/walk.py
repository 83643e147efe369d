"""A day of a tournament with real processes: the hall's machine, and the computers at the tables.

People here know what :mod:`.guide` gives them, and do it word for word. What differs from a hall:
all machines are this one, so that addresses and ports are its own, and there are no microphones and
loudspeakers.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import time
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import chess

from blindplay.console.messages import catalogue
from blindplay.language import Command, Key, Language, word_of
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER
from tests import web
from tests.command_line import Ran, run
from tests.programs import need
from tests.robots.pages import Thing, parsed
from tests.terminal import Terminal
from tests.waiting import PATIENCE_S, until

from .broker import LOCAL
from .guide import Guide

EVENT = "open-2026"
_LOOK_S = 0.2
_PATIENCE = (
    "blindplay.commands.hall_event._PATIENCE_S",
    "blindplay.commands.hall_event._SET_UP_S",
    "blindplay.hall.requests._PATIENCE_S",
)
_TYPED = ("--microphone", "none", "--silent")


@dataclass(frozen=True)
class Scenario:
    """A short game: its moves, its end if they are not it, and its result."""

    moves: str
    result: str
    end: Command | None = None
    """The player on move does it, and says yes."""


GAMES = (
    Scenario("e4 e5", "0-1", Command.RESIGN),
    Scenario("f3 e5 g4 Qh4#", "0-1"),
    Scenario("e4 e5 Qh5 Nc6 Bc4 Nf6 Qxf7#", "1-0"),
    Scenario("d4 d5", "1/2-1/2", Command.OFFER_DRAW),
    Scenario("Nf3 Nf6 Nc3", "1-0", Command.RESIGN),
)
_WINS = {"1-0": "game_over_white_wins", "0-1": "game_over_black_wins", "1/2-1/2": "game_over_draw"}


class Computer:
    """A computer at a table: a folder with its files, and the window in which its table runs."""

    def __init__(self, day: Day, name: str) -> None:
        self.folder = day.folder / name
        self.folder.mkdir()
        self._day = day
        self._table: Terminal | None = None

    @property
    def table(self) -> Terminal:
        assert self._table is not None
        return self._table

    def start(self, words: list[str]) -> Terminal:
        """Type a command of ``play``."""
        if words[1:] != ["--resume"]:
            words = [*words, *_TYPED]
        with contextlib.chdir(self.folder):
            self._table = self._day.callback_of(Terminal(*words, home=self.folder / "home"))
        return self.table

    def journals(self) -> list[Path]:
        return sorted(self.folder.rglob("*.jsonl"))

    @property
    def journal(self) -> Path:
        """The journal of the game that it plays."""
        return max(self.journals(), key=lambda path: path.stat().st_mtime_ns)

    def fails(self) -> None:
        """Pull its plug."""
        self.table.kill()


class Day:
    """The day, and the machine of the hall in the folder ``hall``."""

    def __init__(self, folder: Path, guide: Guide, pack: Language, stack: ExitStack) -> None:
        need("Mosquitto")
        self.folder, self.guide, self.pack = folder, guide, pack
        self._stack = stack
        self.hall = folder / "hall"
        self.hall.mkdir()
        self.port = _free_port()
        self.seats: dict[str, Computer] = {}  # by table
        self.computers: dict[str, Computer] = {}
        self.broker: Terminal
        self.serving: Terminal
        self.page: ArbitersBrowser

    def callback_of(self, terminal: Terminal) -> Terminal:
        """Close the window after the test."""
        return self._stack.enter_context(terminal)

    # --- the machine of the hall -----------------------------------------------------------------

    def run(self, words: list[str], status: int = 0) -> Ran:
        """Type a command in a window of the hall's machine, and see the sentences that the guide
        quotes after it."""
        with contextlib.chdir(self.hall), ExitStack() as patient:
            for name in _PATIENCE:  # a busy machine takes longer than a hall's people wait
                patient.enter_context(mock.patch(name, PATIENCE_S))
            done = run(*words, home=self.folder / "home", reader=self.pack.code)
        assert done.status == status, (words, done.stdout, done.stderr)
        return done

    def window(self, words: list[str]) -> Terminal:
        """Type a command that goes on running."""
        with contextlib.chdir(self.hall):
            return self.callback_of(Terminal(*words, home=self.folder / "home"))

    def init(self, words: list[str]) -> None:
        """``hall init`` with the addresses of this machine."""
        words[words.index("--host") + 1] = LOCAL
        self.run([*words, "--port", str(self.port)])

    def start_broker(self, words: list[str]) -> None:
        """Start the broker. It is not left to itself after the test."""
        self.broker = self.window(words)
        self._stack.callback(self.end_broker, self.broker)
        self.broker.shows(str(self.port))

    def end_broker(self, broker: Terminal) -> None:
        """Press Ctrl-C in the broker's window."""
        broker.interrupt()
        assert broker.status() == 130

    def serve(self, words: list[str]) -> None:
        """Start the hall, and open its page."""
        self._serving = [*words, "--console-port", str(_free_port())]
        self.serving = self.window(self._serving)
        assert until(lambda: "/#" in self.serving.printed), self.serving.printed
        (link,) = re.findall(r"http\S+/#\S+", self.serving.printed)
        self.page = ArbitersBrowser(link, self.pack.code)

    def serve_again(self) -> None:
        """Start the hall again after it has failed; its arbiter's page is still open."""
        self.serving.kill()
        self.serving = self.window(self._serving)
        self.serving.shows("--new-links")

    def write(self, name: str, text: str) -> None:
        (self.hall / name).write_text(text, "utf-8")

    def secrets(self) -> str:
        """All files of the event that hold passwords or keys."""
        return "".join(one.read_text("utf-8") for one in (self.hall / EVENT).glob("*.toml"))

    # --- the tables ------------------------------------------------------------------------------

    def seat(self, table: str, name: str) -> Computer:
        """Put a new computer at a table."""
        self.seats[table] = self.computers[name] = Computer(self, name)
        return self.seats[table]

    def bring(self, name: str, file: Path | str, called: str = "") -> None:
        """Bring a file of the hall to a computer."""
        path = self.hall / EVENT / file
        shutil.copy(path, self.seats[name].folder / (called or path.name))

    def copies(self, table: str) -> list[Path]:
        """The hall's copies of a table's journals, the newest last."""
        copies = (self.hall / EVENT / f"hall-{EVENT}").glob(f"table-{table}/*.jsonl")
        return sorted(copies, key=lambda path: path.stat().st_mtime_ns)

    def waits(self, *tables: str) -> bool:
        """Wait until the hall's page says that so many tables wait for their next game."""
        return self.page.comes("hall_state_waiting", len(tables))

    def is_copied(self, table: str) -> bool:
        """Return whether the hall has all of the game that this computer plays."""
        own = self.seats[table].journal.read_bytes()
        return own in [copy.read_bytes() for copy in self.copies(table)]

    def say(self, key: str, **values: str) -> str:
        return self.pack.sentence(key, **values)

    def begin(self, name: str) -> None:
        """Press Enter when both players are ready."""
        table = self.seats[name].table
        table.comes(self.say("begin_key"))
        table.enter("", self.say("clock_started", player=self.say("white")))

    def go_on(self, name: str, side: str) -> None:
        """Press Enter when both players are ready to continue the game."""
        table = self.seats[name].table
        table.comes(self.say("going_on_key"))
        table.enter("", self.say("clock_started", player=self.say(side)))

    def moves(self, name: str, moves: str, begun: str = "") -> None:
        """Type these moves after those that were ``begun`` with, each as its player writes it, and
        press the clock."""
        table, board = self.seats[name].table, chess.Board()
        for san in begun.split():
            board.push_san(san)
        for san in moves.split():
            move = board.parse_san(san)
            table.type(self.pack.write(board, move))
            board.push(move)
            table.type("")
        presses = len(board.move_stack) - board.is_checkmate()
        journal = self.seats[name].journal
        done = until(lambda: journal.read_bytes().count(b'"fact":"press"') >= presses)
        assert done, table.printed

    def end(self, name: str, scenario: Scenario) -> None:
        """End the game as in ``scenario``, and sign the result."""
        table = self.seats[name].table
        mover = SIDES[len(scenario.moves.split()) % 2]
        if scenario.end is not None:
            self._wish(table, mover, scenario.end)
        if scenario.end is Command.OFFER_DRAW:
            self._wish(table, OTHER[mover], Command.ACCEPT_DRAW)
        over = self.say(_WINS[scenario.result], reason="").strip()
        table.comes(over)
        self.sign(name)

    def _wish(self, table: Terminal, side: str, command: Command) -> None:
        """Say it for this player, who says yes when asked."""
        table.type(f"{self.say(side)}: {self.pack.command(command)}")
        table.comes(self.say(f"{command.value}_sure", what="").strip())
        table.type(f"{self.say(side)}: {self.pack.command(Command.YES)}")

    def sign(self, name: str) -> None:
        """Let both players sign the result."""
        table = self.seats[name].table
        for side in SIDES:
            self._wish(table, side, Command.SIGN)
            table.comes(self.say("signed", player=self.say(side)))

    def play(self, name: str, scenario: Scenario) -> None:
        """Play a whole game at a table that has set it up."""
        self.begin(name)
        self.moves(name, scenario.moves)
        self.end(name, scenario)

    def comes_to_wait(self, name: str) -> None:
        """Wait until the table says that it waits for its next game."""
        words = self.say("pairing_awaited", table="\0", end=self.leaving)
        self.seats[name].table.comes(words.partition("\0")[2])

    @property
    def leaving(self) -> str:
        """The word that ends a table."""
        return word_of(self.pack, Key.END)

    def leave(self, name: str) -> None:
        self.seats[name].table.type(self.leaving)


class ArbitersBrowser:
    """The page of the hall, as an arbiter reads it who presses what the guide names."""

    def __init__(self, link: str, language: str) -> None:
        base, _, token = link.partition("/#")
        headers = {"origin": base, "accept-language": language}
        self._client = web.Client(base_url=base, headers=headers)
        self._say: Mapping[str, str] = catalogue(language)
        answer = self._client.post("/enter", data={"token": token})
        assert answer.status_code == 303, answer

    def read(self, path: str) -> str:
        answer = self._client.get(path, follow_redirects=True)
        assert answer.status_code == 200, (path, answer.text)
        return answer.text

    def comes(self, key: str, times: int = 1) -> bool:
        """Look at all tables until these words stand there so often."""

        def stands() -> bool:
            time.sleep(_LOOK_S)  # drawing the page is work for the hall
            return self.read("/hall/?view=list").count(self._say[key]) >= times

        return until(stands)

    def things(self, path: str) -> list[Thing]:
        return parsed("page", self.read(path))

    def press(self, table: str, key: str, **filled: str) -> None:
        """Press a button of the page of a table, and yes if it asks; ``key`` is that of its
        words, or of the line that unfolds to show it."""
        words, place = self._say[key], f"/tables/{table}/arbiter/"

        def button() -> Thing | None:
            things = (one for one in self.things(place) if one.is_button)
            return next((one for one in things if words in (one.name, one.step)), None)

        found = until(button)
        assert found is not None, (words, self.read(place))
        form = {**found.form, **{name: filled.get(name, "") for name in found.fields}, **filled}
        if found.looks:
            sure = self._client.get(f"{place}sure", params=form)
            assert sure.status_code == 200, sure.text
            form = next(
                one.form
                for one in parsed("sure", sure.text)
                if one.is_button and one.form.get("act")
            )
        answer = self._client.post(f"{place}do", data=form, headers={"accept": "application/json"})
        assert answer.status_code == 200 and not answer.json()["refused"], answer.text

    def ticket(self, table: str) -> list[str]:
        """Show a ticket, and return the words of the command that stands beside it."""
        self._client.post("/hall/ticket", data={"table": table})
        (command,) = re.findall(
            r"blindplay (play --hall \S+ --await-pairing)", self.read("/hall/tickets")
        )
        return str(command).split()


def _free_port() -> int:
    with socket.create_server((LOCAL, 0)) as free:
        port: int = free.getsockname()[1]
    return port
