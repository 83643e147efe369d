"""Games that are being played elsewhere, as PGN shows them now. Pure: texts in, games out.

A file or a broadcast shows each game again and again. A later text may also correct an earlier one:
it then has fewer moves, or others.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import chess
import chess.pgn

from blindplay.given import GAMES, in_time, plain
from blindplay.laws.facts import SIDES
from blindplay.wording.names import spoken_name
from blindplay.wording.position import in_order

from .ongoing import has_end
from .studied_pgn import as_far_as_read

MOST_GAMES = 500
"""The most games of one source."""
_MOST_PLIES = 1200
_TAG = re.compile(r'\s*\[\s*\w+\s+"')
_ADDRESSES = ("GameURL", "ChapterURL")
_STANDS = re.compile(r"An illegal move stands; moves from here: (\w+)")
"""In our own PGN, from which other moves are left out."""
_RESULTS = ("1-0", "0-1", "1/2-1/2")


@dataclass(frozen=True)
class WatchedGame:
    """A game as far as it is known.

    ``key`` tells the games of a source apart. ``left``: the ms that each side had after its last
    move, if they are known. ``result`` is empty for a game without a result. ``stopped`` is the
    word after ``moves`` that cannot be played, or empty. ``no_chess``: it begins with no position
    of chess or Chess960, so ``start`` is not its own. ``round`` and ``table`` are empty if unknown.
    """

    key: str
    white: str = ""
    black: str = ""
    start: chess.Board = field(default_factory=chess.Board)
    moves: tuple[chess.Move, ...] = ()
    left: Mapping[str, int] = field(default_factory=dict)
    ended: bool = False
    result: str = ""
    stopped: str = ""
    no_chess: bool = False
    round: str = ""
    table: str = ""

    @property
    def board(self) -> chess.Board:
        """The position after the last move, with all moves."""
        board = self.start.copy()
        for move in self.moves:
            board.push(move)
        return board

    @property
    def played(self) -> list[tuple[chess.Board, chess.Move]]:
        """Each move with the position before it."""
        return in_order(self.start, self.moves)

    def common_moves(self, other: "WatchedGame") -> int:
        """The number of first moves that are the same in both; -1 if their beginnings differ."""
        if self.start.fen() != other.start.fen():
            return -1
        pairs = zip(self.moves, other.moves, strict=False)
        differing = (at for at, (own, theirs) in enumerate(pairs) if own != theirs)
        return next(differing, min(len(self.moves), len(other.moves)))

    def continues(self, other: "WatchedGame") -> bool:
        """Return whether this game has all moves of the other one."""
        return self.common_moves(other) == len(other.moves)

    def corrects(self, other: "WatchedGame") -> bool:
        """Return whether this is the other game with a corrected tag: it goes on from its moves,
        and a player with his colour, or the round and the table, are the same."""
        if other.ended or not self.continues(other):
            return False
        pairs = ((self.round, other.round), (self.table, other.table))
        if any(own and theirs and own != theirs for own, theirs in pairs):
            return False
        players = ((self.white, other.white), (self.black, other.black))
        placed = "." in self.round or (self.round and self.table)  # "3.2" is also the table
        return any(own and own == theirs for own, theirs in players) or bool(
            placed and all(own == theirs for own, theirs in pairs)
        )


class GameSplitter:
    """Divides PGN that comes line by line into the texts of its games."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._in_moves = self._in_comment = False

    def feed(self, line: str) -> str:
        """The text of the game that ends with this line or before it; empty if none does."""
        line = line.rstrip()
        if not line:
            if self._in_moves and not self._in_comment:
                return self.rest()
            if self._lines:
                self._lines.append("")
            return ""
        done = ""
        if _TAG.match(line):
            if self._in_moves or (self._lines and not self._lines[-1]):
                done = self.rest()
        else:
            self._in_moves = True
            if "{" in line or "}" in line:
                self._in_comment = line.rfind("{") > line.rfind("}")
        self._lines.append(line)
        return done

    def rest(self) -> str:
        """The text since the last game, which is taken for a whole one."""
        text = "\n".join(self._lines)
        self._lines = []
        self._in_moves = self._in_comment = False
        return f"{text}\n" if text.strip() else ""


def texts_of_games(text: str) -> Iterator[str]:
    """Each game of a text in PGN."""
    splitter = GameSplitter()
    for line in text.splitlines():
        if game := splitter.feed(line):
            yield game
    if game := splitter.rest():
        yield game


class GamesReader:
    """Reads one text after the other. A game that is as before is not read again."""

    def __init__(self) -> None:
        self._known: dict[str, WatchedGame] = {}

    def games(self, text: str, name: str) -> tuple[WatchedGame, ...]:
        """The first :data:`MOST_GAMES` games of a text.

        :raises ValueError: one sentence, if reading takes too long.
        """
        found: list[WatchedGame] = []
        known: dict[str, WatchedGame] = {}
        for one in in_time(texts_of_games(text), GAMES, name):
            known[one] = self._known.get(one) or watched(one)
            found.append(known[one])
            if len(found) == MOST_GAMES:
                break
        self._known = known
        return tuple(found)


def watched(text: str) -> WatchedGame:
    """The game of a text in PGN, as far as it can be read."""
    try:
        game, board, stopped = as_far_as_read(text)
    except (ValueError, RecursionError):
        game, board, stopped = chess.pgn.Game(), chess.Board(), "?"
    named = _tags(text)
    # A first move that cannot be read leaves the usual position, unless another one is named.
    no_chess = stopped == "?" and not named.keys().isdisjoint(("FEN", "Variant"))
    if type(board) is not chess.Board or not board.is_valid() or board.fullmove_number > 5000:
        game, board, stopped, no_chess = chess.pgn.Game(), chess.Board(), "?", True
    moves: list[chess.Move] = []
    left: dict[str, int] = {}
    for node in game.mainline():
        if not node.move or len(moves) == _MOST_PLIES:
            stopped = "--"
            break
        moves.append(node.move)
        if (seconds := node.clock()) is not None:
            left[SIDES[not node.parent.turn()]] = round(seconds * 1000)
    if not stopped and (stands := _STANDS.search(game.end().comment)):
        stopped = stands[1]
    result = game.headers.get("Result", "").strip()
    return WatchedGame(
        key=_key(named),
        white=_name(named.get("White", "")),
        black=_name(named.get("Black", "")),
        start=board.copy(stack=False),
        moves=tuple(moves),
        left=left,
        ended=has_end(game),
        result=result if result in _RESULTS else "",
        stopped=plain(stopped),
        no_chess=no_chess,
        round=named.get("Round", "").strip("?-. "),
        table=named.get("Board", "").strip("?-. "),
    )


def is_game(game: WatchedGame) -> bool:
    """Return whether a text held a game: a tag that names it, or a move."""
    return bool(game.moves or game.key.strip())


_NAMED = re.compile(r'^\s*\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]', re.MULTILINE)


def _tags(text: str) -> dict[str, str]:
    """The tags of a game, also of one that cannot be read otherwise."""
    return {name: re.sub(r"\\(.)", r"\1", value) for name, value in _NAMED.findall(text)}


def _key(tags: Mapping[str, str]) -> str:
    for tag in _ADDRESSES:
        if tags.get(tag, "").strip("?"):
            return tags[tag]
    return "\n".join(tags.get(tag, "") for tag in ("Event", "Round", "Board", "White", "Black"))


def _name(name: str) -> str:
    return spoken_name(plain(name)) if name.strip("?. ") else ""


class NumberedGames:
    """The games of a source by number, from 1. A game keeps its number, also when it is no longer
    among the games of the source: it is then in ``gone``."""

    def __init__(self) -> None:
        self.games: dict[int, WatchedGame] = {}
        self.gone: set[int] = set()
        self._numbers: dict[str, int] = {}
        self._places: list[int] = []
        """The numbers in the order of the last whole text."""

    def take(self, games: Iterable[WatchedGame], *, whole: bool) -> None:
        """Take these games as they are now. ``whole``: the source has no others."""
        keyed = list(_told_apart(games) if whole else ((game.key, game) for game in games))
        names = {key for key, _game in keyed}
        if whole:
            self.gone = {number for key, number in self._numbers.items() if key not in names}
        places = [self._number(place, key, game) for place, (key, game) in enumerate(keyed)]
        for number, (_rest, game) in zip(places, keyed, strict=True):
            self.games[number] = game
            self.gone.discard(number)
        if whole:
            self._places = places

    def _number(self, place: int, key: str, game: WatchedGame) -> int:
        """The number of a game. At the place of one that is gone, a game may be the same: a name
        was corrected."""
        if key not in self._numbers:
            before = self._places[place] if place < len(self._places) else 0
            if before in self.gone and game.corrects(self.games[before]):
                self._numbers = {k: n for k, n in self._numbers.items() if n != before}
                self._numbers[key] = before
            else:
                self._numbers[key] = len(self.games) + 1
        self.games.setdefault(self._numbers[key], game)
        return self._numbers[key]


def _told_apart(games: Iterable[WatchedGame]) -> Iterator[tuple[str, WatchedGame]]:
    """Each game with its key, also of games with the same tags."""
    counts: dict[str, int] = {}
    for game in games:
        counts[game.key] = count = counts.get(game.key, 0) + 1
        yield (game.key if count == 1 else f"{game.key}\n{count}", game)
