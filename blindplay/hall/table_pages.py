"""The arbiter's pages of the tables, at the hall.

They are the same pages as at each table, from a game that is folded from the copied journal. An
arbiter's actions there go to the table as requests, and come back as facts in its journal.
"""

import threading
import time
from collections.abc import Collection
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial

from blindplay.console.access import AccessLinks, BrowserSession
from blindplay.console.actions import ActionResult, AskedAction, Form, value_of
from blindplay.console.app import Answer, Console
from blindplay.console.messages import catalogue
from blindplay.console.table_port import TablePort
from blindplay.console.views import NamedLink

from .follower import FoldedGame
from .hall import Hall
from .protocol import RequestAnswer
from .requests import UnreachableError

NEXT_KEY = "F4"
"""The key that opens the next table in need, on the hall's page and on those of the tables."""
_KEPT_S = 300.0  # after its last page was closed


class TableLinks(AccessLinks):
    """The sessions of the arbiters at one table, which are the hall's."""

    def __init__(self, hall: AccessLinks) -> None:
        super().__init__()
        self._hall = hall
        self._here: dict[bytes, tuple[BrowserSession, BrowserSession]] = {}
        self._chosen: dict[bytes, tuple[str, str]] = {}

    def session(self, role: str | None, secret: str) -> BrowserSession | None:
        person = self._hall.session(None, secret)
        if person is None or role not in (None, "arbiter"):
            return None
        if person.digest not in self._here:
            here = BrowserSession("arbiter", person.digest, person.language, who=person.role)
            self._here[person.digest] = here, person
        here, _ = self._here[person.digest]
        here.language, here.theme = person.language, person.theme
        self._chosen[person.digest] = person.language, person.theme
        return here

    def displaced(self, secret: str) -> bool:
        return self._hall.displaced(secret)

    def keep(self) -> None:
        """Let a choice on one page hold for all."""
        for digest, (here, person) in self._here.items():
            if (here.language, here.theme) != self._chosen[digest]:
                person.language, person.theme = here.language, here.theme
        self._hall.keep()


@dataclass
class _Opened:
    folded: FoldedGame
    console: Console
    used_at: float


class TablePages:
    """The consoles of the tables that somebody looks at. Safe to use from several threads."""

    def __init__(self, hall: Hall, links: AccessLinks, cookie: str, *, encrypted: bool) -> None:
        self._hall, self._links = hall, links
        self._cookie, self._encrypted = cookie, encrypted
        self._opened: dict[str, _Opened] = {}
        self._lock = threading.Lock()

    def console(self, name: str) -> Console | None:
        """The pages of a table; None if no game has come from it."""
        with self._lock:
            self._close_others(name)
            opened = self._opened.get(name) or self._open(name)
            if opened is None:
                return None
            opened.used_at = time.monotonic()
            return opened.console

    def _open(self, name: str) -> _Opened | None:
        try:
            folded = FoldedGame(self._hall.follower, name)
        except (ValueError, OSError):
            return None
        if folded.game.setup is None:
            return None
        console = Console(
            folded,
            (),
            TableLinks(self._links),
            encrypted=self._encrypted,
            cookie=self._cookie,
            does=partial(self._ask_table, name),
            around=partial(_links, name),
            name=name,
        )
        self._opened[name] = _Opened(folded, console, 0.0)
        return self._opened[name]

    def _close_others(self, name: str) -> None:
        """Close the pages of each table that plays another game now, and those of other tables that
        have had no reader for some time."""
        now = time.monotonic()
        for other, opened in list(self._opened.items()):
            unused = now - opened.used_at > _KEPT_S and not opened.console.pages.count.total()
            if (unused and other != name) or self._has_gone_on(other, opened.folded):
                self._opened.pop(other).console.close()

    def _has_gone_on(self, name: str, folded: FoldedGame) -> bool:
        """Return whether the table plays another game than this."""
        with self._hall.follower.lock:
            copy = self._hall.follower.tables[name].copy
            return copy is not None and copy.game != folded.digest

    def catch_up(self, names: Collection[str]) -> None:
        """Fold the new lines of these tables, as far as their pages are open."""
        with self._lock:
            opened = {name: page for name, page in self._opened.items() if name in names}
        for name, page in opened.items():
            if self._has_gone_on(name, page.folded):
                self.console(name)
            else:
                page.folded.catch_up()

    def close(self) -> None:
        """End all streams of changes."""
        with self._lock:
            for opened in self._opened.values():
                opened.console.close()

    # --- what an arbiter does --------------------------------------------------------------------

    def _ask_table(
        self,
        name: str,
        table: TablePort,
        session: BrowserSession,
        language: str,
        form: Form,
        answer: Answer,
    ) -> AskedAction:
        """Ask the table for it. It is refused if the table cannot be reached; it does not wait."""
        say = catalogue(language)
        folded, action = self._opened.get(name), AskedAction(value_of(form, "seen"), done=True)
        if folded is None or folded.folded is not table:
            answer(ActionResult((say["hall_stale"],), refused=True))
            return action
        body = {"language": language, "form": {key: list(texts) for key, texts in form.items()}}
        try:
            future = self._hall.request(name, session.who, "act", body)
        except UnreachableError:
            answer(ActionResult((say["hall_unreachable"].format(table=name),), refused=True))
            return action

        def on_done(done: "Future[RequestAnswer]") -> None:
            answer(result_of(name, language, done.result()))

        future.add_done_callback(on_done)
        return action


def result_of(name: str, language: str, answer: RequestAnswer) -> ActionResult:
    if answer.status in ("done", "refused"):
        return ActionResult(tuple(answer.sentences), refused=answer.status == "refused")
    sentence = catalogue(language)[f"hall_{answer.status}"].format(table=name)
    return ActionResult((sentence,), refused=True)


def _links(name: str, language: str) -> list[NamedLink]:
    say = catalogue(language)
    return [
        NamedLink("all-tables", "/hall/", say["hall_all"]),
        NamedLink("next-table", f"/hall/next?after={name}", say["hall_next"], NEXT_KEY),
    ]
