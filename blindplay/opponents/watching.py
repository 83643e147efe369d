"""Sources of games that are played elsewhere: Lichess, and PGN that grows, as that of a hall.

A source reads in a thread of its own what everybody may read, without a token, and tells what it
has now. After a cut it goes on by itself, from what the source has then. All that it reads has
bounds.
"""

import logging
import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import httpx

from blindplay.encodings import guess
from blindplay.given import GAMES, plain, read_bytes, too_large
from blindplay.record.watched_games import GameSplitter, GamesReader, WatchedGame, is_game, watched
from blindplay.translation import SentenceError, UserError, _

from .lichess.api import hang_up, trusted
from .lichess.spectated import SpectatedGame, read_line

_LOG = logging.getLogger(__name__)
_MOST_LINE = 1_000_000  # characters of a line of a stream, and of one game
_MOST_CUTS = 3
"""The user hears of cut connections after so many in a row that brought nothing new."""
_BEHIND = 10
"""So many times longer a connection may take to catch up before moves count as taken back."""


@dataclass(frozen=True)
class WatchWaits:
    """Seconds to wait."""

    answer_s: float = 15.0
    quiet_s: float = 75.0
    """For the next line of a stream of Lichess."""
    file_s: float = 1.0
    """Between two looks at a file, and at an address."""
    address_s: float = 10.0
    settle_s: float = 0.5
    """Before the second look at a text that has changed: it may be half written."""
    limited_s: float = 60.0
    """After the status 429."""
    retry_s: tuple[float, ...] = (0.5, 1, 2, 4, 8, 15, 30)
    """Before each new try, the last one again and again."""
    steady_s: float = 10.0
    """A connection that has lasted as long ends the row of tries."""


@dataclass(frozen=True)
class SourceNews:
    """What a source tells.

    ``games``: these games as they are now; ``whole``: it has no others. ``lost``: it cannot be
    reached at the moment. ``over``: nothing more will come. ``why`` is a sentence about that, or
    empty.
    """

    games: tuple[WatchedGame, ...] = ()
    whole: bool = False
    lost: bool = False
    over: bool = False
    why: str = ""


class CutError(SentenceError, RuntimeError):
    """The source cannot be read now. The message is a sentence."""


class BusyError(CutError):
    """The source asks for fewer or later requests."""


class GoneError(SentenceError, RuntimeError):
    """The source has nothing for us. The message is a sentence."""


class GameSource(ABC):
    """Games to follow. ``name`` is the source for people. ``chapter`` is the end of the key of the
    game that its address names, or empty."""

    chapter = ""

    def __init__(self, name: str, waits: WatchWaits | None = None) -> None:
        self.name = name
        self._waits = waits or WatchWaits()
        self._done = threading.Event()
        self._tell: Callable[[SourceNews], object]
        self._reader = GamesReader()
        self._brought = False
        self._known: dict[str, WatchedGame] = {}
        self._count = -1  # of the games when all were told
        self._new = False  # something has come that was not told before
        self._lost = self._unsteady = False  # as it was told; by cuts after whatever it brought

    def begin(self, tell: Callable[[SourceNews], object]) -> None:
        """Give ``tell``, in another thread, the games now and whenever they have changed."""
        self._tell = tell
        threading.Thread(target=self._run, name="followed games", daemon=True).start()

    def end(self) -> None:
        """Tell nothing more."""
        self._done.set()

    def _run(self) -> None:
        failures, known = 0, False
        while not self._done.is_set():
            self._brought = False
            why, wait, begun = "", 0.0, time.monotonic()
            try:
                if not self._follow():
                    self._say(SourceNews(over=True))
                    return
            except GoneError as error:
                why = str(error)
                if not (known or self._brought):
                    self._say(SourceNews(over=True, why=why))
                    return
            except BusyError as error:
                why, wait = str(error), self._waits.limited_s
            except CutError as error:
                why = str(error)
            except Exception:
                _LOG.exception("A source of games failed.")
                why = _("{name} cannot be read.", name=self.name)
            known = known or self._brought
            steady = self._brought and time.monotonic() - begun >= self._waits.steady_s
            if self._new or steady or not why:
                failures = 0
            self._new = False
            if why and not self._lost and (failures >= _MOST_CUTS or not self._brought):
                self._lost, self._unsteady = True, self._brought
                self._say(SourceNews(lost=True, why=why))
            retries = self._waits.retry_s
            self._done.wait(wait or retries[min(failures, len(retries) - 1)])
            failures += 1

    def _say(self, news: SourceNews) -> None:
        if not self._done.is_set():
            self._tell(news)

    def _bring(self, *games: WatchedGame, whole: bool = True) -> None:
        self._brought = True
        new = any(self._known.get(game.key) != game for game in games)
        if whole:
            new = new or len(games) != self._count
            self._count = len(games)
        self._known |= {game.key: game for game in games}
        if self._unsteady and not new:
            return  # it may be cut again at once
        self._new = self._new or new
        self._lost = self._unsteady = False
        self._say(SourceNews(games, whole))

    def _read(self, data: bytes) -> tuple[WatchedGame, ...]:
        """The games of a text.

        :raises GoneError: if it has none, such as a page, or reading them takes too long.
        """
        try:
            text = guess(data, self.name).text
            games = tuple(filter(is_game, self._reader.games(text, self.name)))
        except ValueError as error:
            raise GoneError(str(error)) from None
        if text.strip() and not games:
            raise GoneError("{name} holds no game; name a PGN.", name=self.name)
        return games

    @abstractmethod
    def _follow(self) -> bool:
        """Tell the games until the source is cut. Return False if nothing more will come.

        :raises CutError, GoneError: if it cannot be read now, or at all.
        """


class Web:
    """Requests of everybody, without a token. One thread asks; any thread may hang up."""

    def __init__(self, waits: WatchWaits) -> None:
        self._waits = waits
        self._client = httpx.Client(
            headers={"user-agent": "BlindPlay"},
            timeout=waits.answer_s,
            verify=trusted(),
            follow_redirects=True,
        )
        self._response: httpx.Response | None = None
        self._closed = False

    def close(self) -> None:
        """Ask nothing more, also while another thread waits for an answer."""
        self._closed = True
        if (response := self._response) is not None:
            hang_up(response)

    @contextmanager
    def _asked(self, url: str, read_s: float) -> Iterator[httpx.Response]:
        with _explained(url):
            timeout = httpx.Timeout(self._waits.answer_s, read=read_s)
            with self._client.stream("GET", url, timeout=timeout) as response:
                _check(response.status_code, url)
                yield response

    def get(self, url: str) -> bytes:
        """:raises CutError, GoneError: if it cannot be read now, or at all."""
        content = b""
        with self._asked(url, self._waits.answer_s) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > GAMES.most_bytes:
                    raise GoneError(str(too_large(url, GAMES)))
        return content

    @contextmanager
    def stream(self, url: str, quiet_s: float) -> Iterator[Iterator[str]]:
        """The lines of a stream, as they come.

        :raises CutError, GoneError: if it cannot be read now, or at all.
        """
        with self._asked(url, quiet_s) as response:
            self._response = response
            try:
                if self._closed:
                    raise CutError
                yield _lines(response, url)
            finally:
                self._response = None


def _lines(response: httpx.Response, url: str) -> Iterator[str]:
    with _explained(url):
        text = ""
        for part in response.iter_text():
            *lines, text = (text + part).split("\n")
            for line in lines:
                yield line.rstrip("\r")
            if len(text) > _MOST_LINE:
                raise GoneError("A line of {name} is too long.", name=_shown(url))


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """:raises CutError: for any error that cuts a connection."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError):
        raise CutError(_unreached(url)) from None


def _unreached(url: str) -> str:
    return _(
        "{name} cannot be reached. Check the address and the way to the internet.",
        name=_shown(url),
    )


def _shown(url: str) -> str:
    parts = urlsplit(url)
    return plain(urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")))


def _check(status: int, url: str) -> None:
    if 200 <= status < 300:
        return
    if status in (429, 503):
        raise BusyError("{name} asks to wait for a minute.", name=_shown(url))
    if 400 <= status < 500:
        raise GoneError(
            "{name} has nothing to follow (status {status}); check the address.",
            name=_shown(url),
            status=status,
        )
    raise CutError("{name} has a problem (status {status}).", name=_shown(url), status=status)


class _WebSource(GameSource):
    """A source with an address."""

    def __init__(self, name: str, waits: WatchWaits | None = None) -> None:
        super().__init__(name, waits)
        self._web = Web(self._waits)

    def end(self) -> None:
        super().end()
        self._web.close()


class LichessGame(_WebSource):
    """One game at ``server``. A connection begins with all moves so far, one line each. Therefore a
    line becomes news when no other line follows it for a moment."""

    def __init__(self, server: str, game: str, waits: WatchWaits | None = None) -> None:
        super().__init__(f"{server}/{game}", waits)
        self._url = f"{server}/api/stream/game/{game}"
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._now: WatchedGame | None = None
        self._told: WatchedGame | None = None

    def _follow(self) -> bool:
        game: SpectatedGame | None = None
        with self._web.stream(self._url, self._waits.quiet_s) as lines:
            try:
                for line in lines:
                    if self._done.is_set():
                        return False
                    if not line.strip():
                        continue
                    if game is None:
                        game = SpectatedGame(read_line(line))
                        self._brought = True
                    elif game.take(read_line(line)):
                        break
                    self._soon(game.now)
            except ValueError:
                if game is None:
                    raise GoneError(
                        "{name} is not a game that can be followed; name a game of chess or "
                        "Chess960.",
                        name=self.name,
                    ) from None
        if game is not None and game.ended:
            self._soon(game.now)
            self._tell_if_last(game.now, at_once=True)
            return False
        raise CutError(_unreached(self._url))

    def _soon(self, now: WatchedGame) -> None:
        """Tell the game when no other line has followed. A new connection that has not caught up
        yet gets more time: moves are seldom taken back."""
        with self._lock:
            behind = self._told is not None and self._told.continues(now)
            if self._timer is not None:
                self._timer.cancel()
            self._now = now
            wait = self._waits.settle_s * (_BEHIND if behind else 1)
            self._timer = threading.Timer(wait, self._tell_if_last, (now,))
            self._timer.daemon = True
            self._timer.start()

    def _tell_if_last(self, now: WatchedGame, *, at_once: bool = False) -> None:
        with self._lock:
            if at_once or now is self._now:
                if self._timer is not None:
                    self._timer.cancel()
                self._now, self._told = None, now
                self._bring(now)

    def end(self) -> None:
        super().end()
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()


class LichessRound(_WebSource):
    """The games of one round of a broadcast at ``server``."""

    def __init__(self, server: str, name: str, waits: WatchWaits | None = None) -> None:
        super().__init__(f"{server}/broadcast/-/-/{name}", waits)
        self._stream_url = f"{server}/api/stream/broadcast/round/{name}.pgn"
        self._url = f"{server}/api/broadcast/round/{name}.pgn"

    def _follow(self) -> bool:
        # The stream begins with all games, too, but nothing tells where they end.
        self._bring(*self._read(self._web.get(self._url)))
        with self._web.stream(self._stream_url, self._waits.quiet_s) as lines:
            splitter, size = GameSplitter(), 0
            for line in lines:
                if self._done.is_set():
                    return False
                size += len(line)
                if text := splitter.feed(line):
                    self._bring(watched(text), whole=False)
                    size = 0
                elif size > _MOST_LINE:
                    raise CutError("A line of {name} is too long.", name=self.name)
        raise CutError(_unreached(self._stream_url))


class _PolledGames(GameSource):
    """Games in a text that is read again and again. A text that has changed is taken when the next
    look finds the same, because it may be half written."""

    _every_s: float
    _SETTLING = 5

    def _follow(self) -> bool:
        told: bytes | None = None
        while not self._done.is_set():
            content = self._content()
            for _look in range(self._SETTLING if content != told else 0):
                before = content
                if self._done.wait(self._waits.settle_s):
                    return False
                content = self._content()
                if content == before:
                    break
            rewritten = told and not content.strip()  # a writer begins with nothing
            if content != told and not rewritten:
                told = content
                self._bring(*self._read(content))
            self._done.wait(self._every_s)
        return False

    @abstractmethod
    def _content(self) -> bytes:
        """:raises CutError, GoneError: if it cannot be read now, or at all."""


class PgnFile(_PolledGames):
    """A file in PGN that grows; it may still be empty.

    :raises ValueError: one sentence, if it cannot be read, or is something else.
    """

    def __init__(self, path: Path, waits: WatchWaits | None = None) -> None:
        super().__init__(plain(str(path)), waits)
        self._path, self._every_s = path, self._waits.file_s
        try:
            self._read(read_bytes(path, GAMES))
        except GoneError as error:
            raise ValueError(str(error)) from None

    def _content(self) -> bytes:
        try:
            return read_bytes(self._path, GAMES)
        except ValueError as error:
            raise CutError(str(error)) from None


class PgnAddress(_PolledGames, _WebSource):
    """An address of a text in PGN that grows."""

    def __init__(self, url: str, waits: WatchWaits | None = None) -> None:
        super().__init__(_shown(url), waits)
        self._url, self._every_s = url, self._waits.address_s

    def _content(self) -> bytes:
        return self._web.get(self._url)


_LICHESS = ("lichess.org", "www.lichess.org", "lichess.dev", "www.lichess.dev")
_GAME = re.compile(r"/(\w{8})(?:\w{4})?(?:/(?:white|black))?/?", re.ASCII)
_STREAM_OF_GAME = re.compile(r"/api/stream/game/(\w{8})", re.ASCII)
_ROUND = re.compile(
    r"/broadcast/[^/]+/[^/]+/(\w{8})(?:/(\w{8}))?/?|/api/(?:stream/)?broadcast/round/(\w{8})\.pgn",
    re.ASCII,
)
_PAGES_OF_HALL = re.compile(
    r"(.*/public/)(?:pairings|results|standings|screen|([^/]+)/)?", re.ASCII
)


def source_of(given: str, waits: WatchWaits | None = None) -> GameSource:
    """The source that ``given`` names: an address of Lichess, of a hall or of a PGN, or a file.

    :raises ValueError: one sentence, if it names none.
    """
    if not re.match(r"https?://", given, re.IGNORECASE):
        return PgnFile(Path(given).expanduser(), waits)
    try:
        parts = urlsplit(given)
        named = bool(parts.hostname) and parts.port != 0
    except ValueError:  # such as a bracket, or a port that is none
        named = False
    if not named:
        raise UserError("{given} is not an address; copy it whole.", given=plain(given))
    server, path = f"{parts.scheme}://{parts.netloc}", parts.path
    if match := _ROUND.fullmatch(path):
        found = LichessRound(server, match[1] or match[3], waits)
        found.chapter = match[2] or ""
        return found
    lichess = parts.hostname in _LICHESS
    if lichess and path.startswith("/broadcast/"):
        raise UserError(
            "{given} is not a round; open one of its rounds, and copy that address.",
            given=plain(given),
        )
    if match := (lichess and _GAME.fullmatch(path)) or _STREAM_OF_GAME.fullmatch(path):
        return LichessGame(server, match[1], waits)
    if path in ("", "/") and not parts.query:
        path = "/public/"
    if match := _PAGES_OF_HALL.fullmatch(path):
        given = f"{server}{match[1]}" + (f"{match[2]}/game.pgn" if match[2] else "games.pgn")
    return PgnAddress(given, waits)
