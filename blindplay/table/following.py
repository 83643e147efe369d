"""Follows games that are played elsewhere: by ear and, move by move, on one's own board.

It tells what a source shows and never what is good: the games are running (11.3.1).
"""

import threading
from collections.abc import Iterable, Iterator
from itertools import chain

import chess

from blindplay.hearing.decision import Decision, Verdict
from blindplay.language import About, Command, Key, key_of
from blindplay.language.pack import fold
from blindplay.laws.facts import SIDES
from blindplay.laws.placement import pieces_of
from blindplay.opponents.watching import GameSource, SourceNews
from blindplay.record.watched_games import NumberedGames, WatchedGame
from blindplay.wording.announcements import result_in_words
from blindplay.wording.names import find_names
from blindplay.wording.values import speakable

from .attendant import AnsweringEar, Attendant, EndedError, Event, News, Prompter

QUIET_S = 900.0
"""Seconds after which somebody is told that nothing new has come."""
_AT_ONCE = 8
"""The most moves, and the most new games, that are said one by one when they come together."""
_QUIET = "quiet"
_ASKED = (
    Command.CLOCK_BOTH, Command.LAST_MOVE, Command.LAST_MOVES, Command.SCORE, Command.MOVES,
    Command.WHAT_NOW, Command.POSITION, Command.MATERIAL, Command.PAWNS, Command.CAPTURED,
    Command.HELP,
)  # fmt: skip
"""The questions that are listened for, besides those about squares and pieces."""
_CLOCKS = (Command.CLOCK_BOTH, Command.CLOCK_MINE, Command.CLOCK_OPPONENT)


class Following:
    """Follows the games of ``source``, one at a time, for one person.

    ``wanted`` is the number or the player of the first game; empty: the person chooses. ``keys_go``
    is whether the end of the keys ends it at once; else it ends with the game.
    """

    def __init__(
        self,
        voice: Prompter,
        attendant: Attendant,
        source: GameSource,
        *,
        wanted: str = "",
        keys_go: bool = True,
        quiet_s: float = QUIET_S,
    ) -> None:
        self.ear: AnsweringEar | None = None
        self._voice, self._pack = voice, voice.pack
        self._attendant, self._source = attendant, source
        self._wanted, self._keys_go, self._quiet_s = wanted, keys_go, quiet_s
        self._numbered = NumberedGames()
        self._number = 0  # of the game that is followed
        self._game: WatchedGame | None = None
        """The followed game as far as it was told."""
        self._led: tuple[int, tuple[chess.Move, ...] | None] | None = None
        """The game to which hands were led, and its moves; None: not to its last position."""
        self._told_gone: set[int] = set()
        self._quiet = 0  # so often in a row nothing was new
        self._early: list[str] | None = []
        """Lines that were typed before the source has told anything."""
        self._begun = self._lost = self._over = self._keys_over = self._all_over = False
        self._timer: threading.Timer | None = None

    def run(self) -> str:
        """Follow until the person ends. Return a sentence, if there was nothing to follow."""
        self._source.begin(self._attendant.tell)
        self._wait_for_news()
        try:
            while True:
                if why := self._step():
                    return why
        except EndedError:
            return ""
        finally:
            self._source.end()
            if self._timer is not None:
                self._timer.cancel()

    def _step(self) -> str:
        game = self._game
        place = self._place()
        leads = self._attendant.board is not None and self._led != place
        if leads and game is not None and not game.no_chess:
            more = self._led is not None and self._led[0] == self._number
            self._led = self._number, None
            self._attendant.lead(pieces_of(game.board), move=more, heed=self._stays)
            if self._place() == place:
                self._led = place
            return ""
        event = self._attendant.event()
        if isinstance(event, News) and isinstance(event.what, SourceNews):
            news = event.what
            if news.over and not self._begun:
                return news.why or self._pack.sentence("follow_none")
        self._heed(event)
        if self._early is not None and isinstance(event, News):
            early, self._early = self._early, None
            for line in early:
                self._do(line)
        if self._keys_over:
            self._begin_without_keys()
        if self._keys_over and (self._over or (self._game is not None and self._game.ended)):
            raise EndedError
        return ""

    def _stays(self, event: Decision | News | str) -> bool:
        """Take what arrives while hands are led; return whether they go to the same position."""
        before = self._place()
        self._heed(event)
        return self._place() == before

    def _place(self) -> tuple[int, tuple[chess.Move, ...] | None]:
        """The game that is followed, and its moves."""
        return self._number, None if self._game is None else self._game.moves

    def _heed(self, event: Event) -> None:
        if event is None:
            self._keys_over = True
            if self._keys_go:
                raise EndedError
        elif isinstance(event, Decision):
            if event.taken is not None:
                self._do(event.taken.text)
            elif event.verdict is not Verdict.NOTHING:
                self._voice.prompt("not_understood")
        elif isinstance(event, str):
            at_once = self._keys_go and key_of(self._pack, event) is Key.END
            if self._early is None or at_once:
                self._do(event)
            else:
                self._early.append(event)
        elif isinstance(event, News) and isinstance(event.what, SourceNews):
            self._take(event.what)
        elif self._begun and not (self._over or (self._game is not None and self._game.ended)):
            self._quiet += 1
            minutes = max(1, round(self._quiet * self._quiet_s / 60))
            self._tell("follow_quiet", count=self._voice.number(minutes))
            self._wait_for_more()

    # --- what the source tells -------------------------------------------------------------------

    def _take(self, news: SourceNews) -> None:
        if news.lost:
            self._lost = True
            self._tell("follow_lost")
            self._voice.trouble(news.why)
            return
        if self._lost and not news.over:
            self._lost = False
            self._tell("follow_back")
        if news.over:
            self._over = True
            self._tell("follow_over")
            if news.why:
                self._voice.trouble(news.why)
            return
        before = dict(self._numbered.games)
        self._numbered.take(news.games, whole=news.whole)
        games = self._numbered.games
        followed = self._number
        if games.get(followed) != before.get(followed) if followed else games != before:
            self._wait_for_news()
        if followed:
            self._go_on(news)
        else:
            self._begin(first=not before)
        if len(games) != len(before):
            self._listen()
            told = {*before, self._number if not followed else 0}
            new = [number for number in games if number not in told]
            if before and len(new) <= _AT_ONCE:
                self._voice.tell([self._line(number) for number in new])
            if followed and len(before) == 1:
                self._voice.prompt("follow_keys_games", **self._voice.keys)
        ended = bool(games) and all(game.ended for game in games.values())
        if ended and not self._all_over and len(games) > 1:
            self._tell("follow_all_over")
        self._all_over = ended

    def _begin(self, *, first: bool) -> None:
        """Choose the game that is wanted, or the only one, or let the person choose. ``first``:
        there was no game before."""
        games = self._numbered.games
        if not games:
            if not self._begun:
                self._begun = True
                self._tell("follow_none_yet")
            return
        self._begun = True
        meant, wants = self._first_meant(), bool(self._wanted or self._source.chapter)
        if len(meant) == 1 or (not wants and len(games) == 1):
            self._choose(meant[0] if meant else 1)
        elif first:
            if wants and not meant:
                self._tell("follow_not_yet")
            self._list()

    def _first_meant(self) -> list[int]:
        """The games that were wanted from the beginning, by the person or by the address."""
        if self._wanted:
            return self._all_meant(self._wanted)
        games, chapter = self._numbered.games, self._source.chapter
        return [n for n, game in games.items() if chapter and game.key.endswith(f"/{chapter}")]

    def _begin_without_keys(self) -> None:
        """Take the first game that runs, because nobody can choose one. Go on waiting for the one
        that is wanted."""
        games = self._numbered.games
        meant = self._first_meant() or ([] if self._wanted else list(games))
        if meant and not self._number:
            self._choose(next((n for n in meant if not games[n].ended), meant[0]))

    def _go_on(self, news: SourceNews) -> None:
        """Tell what is new in the game that is followed."""
        old, new = self._game, self._numbered.games[self._number]
        gone = news.whole and self._number in self._numbered.gone
        back = self._number in self._told_gone and self._number not in self._numbered.gone
        self._told_gone &= self._numbered.gone
        if back:
            self._game = new
            self._head()
            return
        if old is None or (new == old and not gone):
            return
        if gone:
            if new.ended or self._number in self._told_gone:
                return
            self._told_gone.add(self._number)
            self._tell("follow_gone")
            return
        self._game = new
        if old.common_moves(new) < 0 or old.no_chess != new.no_chess:
            self._head()
            return
        same = (old.white, old.black) == (new.white, new.black)
        named = [] if same else [self._line(self._number)]
        self._voice.tell(chain(named, self._changes(old, new)))

    def _changes(self, old: WatchedGame, new: WatchedGame) -> Iterator[str]:
        """Sentences about what is new in ``new``."""
        same = old.common_moves(new)
        back, came = old.played[same:], new.played[same:]
        if len(back) > _AT_ONCE:
            yield self._pack.sentence("follow_many_back", count=self._voice.number(len(back)))
        else:
            for board, move in reversed(back):
                yield self._voice.move(board, move, "follow_back_move")
        if len(came) > _AT_ONCE:
            yield self._pack.sentence("follow_many", count=self._voice.number(len(came)))
            came = came[-1:]
        for board, move in came:
            yield self._voice.move(board, move)
        told = (old.stopped, old.moves, old.ended)
        if (unread := self._unread(new)) and (new.stopped, new.moves, new.ended) != told:
            yield from unread
            self._voice.show("" if new.no_chess else new.stopped)
        if new.ended and (not old.ended or new.result != old.result):
            yield self._end_of(new)
        elif old.ended and not new.ended:
            yield self._pack.sentence("follow_runs_again")

    def _unread(self, game: WatchedGame) -> list[str]:
        """A sentence, if there are moves that cannot be read."""
        if game.no_chess:
            return [self._pack.sentence("follow_no_chess")]
        if not game.stopped:
            return []
        return [self._pack.sentence("follow_rest_unread" if game.ended else "follow_unreadable")]

    def _end_of(self, game: WatchedGame) -> str:
        if not game.result:
            return self._pack.sentence("follow_no_result")
        return result_in_words(self._pack, game.result)

    def _wait_for_news(self) -> None:
        """Say it when nothing new has come for long from now on."""
        self._quiet = 0
        self._wait_for_more()

    def _wait_for_more(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(self._quiet_s, self._attendant.tell, (_QUIET,))
        self._timer.daemon = True
        self._timer.start()

    # --- what the person wants -------------------------------------------------------------------

    def _do(self, line: str) -> None:
        key = key_of(self._pack, line)
        if key is Key.END:
            raise EndedError
        if key is Key.HELP:
            self._keys()
        elif key is Key.BACK:
            self._list()
        elif not line or key in (Key.REPEAT, Key.SKIP):
            self._voice.again()
        elif number := self._meant(line):
            self._choose(number)
        else:
            self._answer(line)

    def _meant(self, line: str) -> int:
        """The game that a number or words of a player's name mean; 0 if it is none or several."""
        meant = self._all_meant(line)
        return meant[0] if len(meant) == 1 else 0

    def _all_meant(self, line: str) -> list[int]:
        games, text = self._numbered.games, fold(line)
        for number in games:
            if text in (str(number), fold(self._pack.number(number))):
                return [number]
        names = {name for game in games.values() for name in (game.white, game.black) if name}
        found = set(find_names(names, line, whole_words=True))
        return [n for n, game in games.items() if found & {game.white, game.black}]

    def _choose(self, number: int) -> None:
        first = not self._number
        self._number, self._game = number, self._numbered.games[number]
        self._wait_for_news()
        self._head()
        if number in self._numbered.gone and not self._game.ended:
            self._told_gone.add(number)
            self._tell("follow_gone")
        if first:
            self._keys()
            self._listen()

    def _answer(self, line: str) -> None:
        game = self._game
        board = chess.Board() if game is None else game.board
        meant = self._pack.understand(line, board)
        command = meant.command or self._pack.letters.get(fold(line))
        if line.isdecimal():
            self._no_such_game()
        elif game is None:
            self._tell("follow_which")
        elif command in _CLOCKS:
            self._voice.tell([self._clocks(game)])
        elif command is Command.WHAT_NOW:
            self._answer_with(game, [self._voice.to_move(game.board)])
        elif command is Command.MOVES:
            self._answer_with(game, [self._count(game)])
        elif told := self._voice.answer(board, game.played, command, meant.about or About()):
            self._answer_with(game, told)
        else:
            self._voice.prompt("not_understood")

    def _answer_with(self, game: WatchedGame, told: Iterable[str]) -> None:
        """Tell an answer about a game, after what cannot be read of it."""
        self._voice.tell([*self._unread(game), *(() if game.no_chess else told)])

    def _keys(self) -> None:
        if len(self._numbered.games) > 1:
            self._voice.prompt("follow_keys_games", **self._voice.keys)
        self._voice.prompt("follow_keys", **self._voice.keys)

    def _list(self) -> None:
        """Say all games by number."""
        if not self._numbered.games:
            self._tell("follow_none_yet")
            return
        self._voice.tell(
            [
                *(self._line(number) for number in sorted(self._numbered.games)),
                self._pack.sentence("follow_which"),
            ]
        )

    def _no_such_game(self) -> None:
        self._tell("follow_no_game", count=self._voice.number(len(self._numbered.games)))
        if not self._number:
            self._list()

    def _listen(self) -> None:
        """Listen for the numbers of the games, and for questions."""
        if self.ear is not None:
            numbers = [self._voice.number(number) for number in self._numbered.games]
            self.ear.listen(None, [*numbers, *self._pack.command_phrases(_ASKED)])

    # --- words -----------------------------------------------------------------------------------

    def _head(self) -> None:
        """Say which game is followed and how it stands."""
        game = self._numbered.games[self._number]
        last = self._voice.last_moves(game.played) if game.moves else []
        unread = [] if game.no_chess else self._unread(game)
        turn = [] if game.ended or game.no_chess else [self._voice.to_move(game.board)]
        self._voice.tell([self._line(self._number), *last, *unread, *turn])

    def _line(self, number: int) -> str:
        """A game with its number, its players, and its result or its clocks."""
        game = self._numbered.games[number]
        names = {
            side: speakable(name, self._pack) or self._pack.sentence(side)
            for side, name in zip(SIDES, (game.white, game.black), strict=True)
        }
        if game.no_chess:
            state = [*self._unread(game), *([self._end_of(game)] if game.ended else [])]
        elif game.ended:
            state = [self._end_of(game)]
        elif not game.moves:
            state = [self._pack.sentence("no_last_move")]
        else:
            state = [self._count(game), *([self._clocks(game)] if game.left else [])]
        head = self._pack.sentence("follow_game", number=self._voice.number(number), **names)
        return " ".join((head, *state))

    def _count(self, game: WatchedGame) -> str:
        begins = game.start.turn == chess.BLACK
        return self._pack.sentence(
            "follow_moves", count=self._voice.number((len(game.moves) + 1 + begins) // 2)
        )

    def _clocks(self, game: WatchedGame) -> str:
        if not game.left:
            return self._pack.sentence("follow_no_clocks")
        told = [
            self._pack.sentence(
                "follow_clock",
                player=self._pack.sentence(side),
                time=self._pack.duration(game.left[side]),
            )
            for side in SIDES
            if side in game.left
        ]
        return " ".join(told)

    def _tell(self, key: str, **values: str) -> None:
        self._voice.tell([self._pack.sentence(key, **values)])
