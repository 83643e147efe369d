"""FIDE's tournament report file: the pairings of a round, the standings, and results written back.

The FIDE Handbook describes the format (C.04, annex on the report file). This module reads in each
``001`` line: starting number (columns 5 to 8), name (15 to 47), points (81 to 84), rank (86 to
89), and for round 1 the opponent's number (92 to 95), the colour (97) and the result (99); each
further round is ten columns later. These columns are the same in TRF16 and in TRF26, whose
published description (version 2026, section of players) was read for this. All other lines are
kept as they are; TRF26's tags 202 and 212 name the tie-breaks. A pairing that is not played yet
has an opponent, a colour and no result.
"""

from collections import Counter
from collections.abc import Container, Iterator, Set
from dataclasses import dataclass, field, replace

from blindplay.encodings import encoded, guess, shown_whole
from blindplay.given import plain, shown
from blindplay.translation import UserError, _
from blindplay.wording.names import spoken_name, typed

from .byes import is_nobody

_FIRST, _ROUND = 91, 10  # where round 1 begins, and how long a round is, counted from 0
_COLOURS = {"w": "white", "b": "black"}
_RESULTS = frozenset("10=+-wdl")
_BYES = frozenset("hfuz")
_POINTS = {**dict.fromkeys("1+wfu", 1.0), **dict.fromkeys("=dh", 0.5)}  # the others give none


@dataclass(frozen=True)
class TrfGame:
    """One round in a player's line."""

    opponent: int
    """The starting number; 0: no opponent."""
    colour: str
    """white or black; empty without a game."""
    result: str
    """One character; empty: none yet."""


@dataclass(frozen=True)
class TrfPlayer:
    """A player, and their line in the file."""

    line: int
    """The index of the line."""
    number: int
    name: str
    points: str = ""
    rank: int = 0
    """0: the file gives none."""
    games: tuple[TrfGame, ...] = ()

    def game(self, number: int) -> TrfGame:
        """Round ``number``; empty if the line ends before it."""
        return self.games[number - 1] if number <= len(self.games) else TrfGame(0, "", "")


_Pair = tuple[TrfPlayer, TrfPlayer]
"""White and Black."""


@dataclass
class TrfFile:
    """A report file. :meth:`content` returns the bytes that were read, except for the results
    that were entered."""

    lines: list[str]
    """Each with its line end."""
    encodings: tuple[str, ...]
    """Of each line: a file may be put together of several."""
    remarks: list[str] = field(default_factory=list)
    """Sentences about the reading of the file."""
    players: dict[int, TrfPlayer] = field(default_factory=dict)
    """By their starting numbers, in the order of the file."""

    @property
    def rounds(self) -> int:
        """The number of rounds in the lines of players."""
        return max((len(player.games) for player in self.players.values()), default=0)

    @property
    def played(self) -> int:
        """The number of the last round that has a result; 0 if none has."""
        played = [
            number
            for player in self.players.values()
            for number, game in enumerate(player.games, 1)
            if game.opponent and game.result
        ]
        return max(played, default=0)

    @property
    def counted(self) -> int | None:
        """The number of the last round whose results are in the points, at one point for a win and
        half a point for a draw; None if the points are those of no round."""
        ranked = [player for player in self.players.values() if player.points]
        return next(
            (n for n in range(self.played, -1, -1) if all(_has_counted(one, n) for one in ranked)),
            None,
        )

    @property
    def has_ranks(self) -> bool:
        """Whether the file ranks the players."""
        return any(player.rank for player in self.players.values())

    @property
    def tie_breaks(self) -> tuple[str, ...]:
        """The codes of the tie-breaks by which the file says that its ranks are made: those of the
        tag 212 or, without it, of 202 (TRF26). Points are not among them."""
        for tag in ("212 ", "202 "):
            for line in self.lines:
                if line.startswith(tag):
                    codes = [plain(code).strip() for code in line[4:].split(",")]
                    return tuple(code for code in codes if code and code != "PTS")
        return ()

    def content(self) -> bytes:
        return encoded(self.lines, self.encodings)

    def pairs(self, number: int) -> list[tuple[TrfPlayer, TrfPlayer]]:
        """White and Black of each game of round ``number``, the first board first.

        They are sorted as FIDE's rules sort boards, by the points of the better player, by those of
        both, and by the better starting number. In an event of teams the boards of a match follow
        each other, and matches are sorted in this way. Pairs whose lines contradict each other are
        left out (:meth:`left_out`).
        """
        return [pair for _board, pair in self._paired(number)[0]]

    def left_out(self, number: int) -> list[str]:
        """A sentence about each pair of round ``number`` whose lines contradict each other."""
        return self._paired(number)[1]

    def _paired(self, number: int) -> tuple[list[tuple[int, _Pair]], list[str]]:
        """The board and players of each pair, and the sentences of :meth:`left_out`. A pair that is
        left out keeps its board: the others stay at theirs when the file is corrected."""
        pairs: list[_Pair] = []
        unpaired: list[TrfPlayer] = []
        contradicting = dict[frozenset[int], str]()
        for player in self.players.values():
            game = player.game(number)
            opponent = self.players.get(game.opponent)
            if not game.opponent or not game.colour or _is_alone(player, opponent):
                continue
            other = opponent.game(number) if opponent else None
            if (
                opponent is None
                or other is None
                or other.opponent != player.number
                or {game.colour, other.colour} != {"white", "black"}
            ):
                unpaired.append(player)
                both = frozenset((player.number, game.opponent))
                contradicting.setdefault(both, self._contradicts(player, game, opponent, number))
            elif game.colour == "white":
                pairs.append((player, opponent))
        whole = {player.number for pair in pairs for player in pair}
        every = [*pairs, *self._likely_pairs(number, unpaired, whole)]
        matches = self._matches(number, every)
        every.sort(key=lambda pair: matches.get(pair[0].number, ((*_board(pair), 0), 0)))
        boards = [(at, pair) for at, pair in enumerate(every, 1) if pair[0].number in whole]
        return boards, list(contradicting.values())

    def _likely_pairs(
        self, number: int, unpaired: list[TrfPlayer], paired: Set[int]
    ) -> Iterator[_Pair]:
        """The pairs that players were most likely in whose lines contradict others': with the
        opponent in their line, unless that one has another game. The rest play each other.
        Somebody whose opponent is not in the file is a pair alone."""
        used = set(paired)
        for player in unpaired:
            opponent = self.players.get(player.game(number).opponent)
            if opponent and not {player.number, opponent.number} & used:
                used |= {player.number, opponent.number}
                yield player, opponent
        rest = [player for player in unpaired if player.number not in used]
        alone = [one for one in rest if one.game(number).opponent not in self.players]
        others = [one for one in rest if one not in alone]
        yield from zip(alone, alone, strict=True)
        yield from zip(others[::2], others[1::2] + others[-1:], strict=False)

    def _matches(
        self, number: int, pairs: list[_Pair]
    ) -> dict[int, tuple[tuple[float, float, int, int], int]]:
        """For White of each pair in a match of two teams: the order of the match, and that of the
        board in it."""
        teams = _teams(self.lines)
        team_of = {one: at for at, team in enumerate(teams) for one in team.players}
        # Players may change places on the boards of one round.
        places = {one: at for team in teams for at, one in enumerate(team.players)}
        places |= _places(self.lines, number)
        points = [team.points for team in teams]
        if not any(points):
            known = ([self.players.get(one) for one in team.players] for team in teams)
            points = [sum(_points(one) for one in team if one is not None) for team in known]
        order = dict[int, tuple[tuple[float, float, int, int], int]]()
        for white, black in pairs:
            sides = [team_of.get(white.number, -1), team_of.get(black.number, -1)]
            if -1 in sides or sides[0] == sides[1]:
                continue
            first = min(sides, key=lambda team: (-points[team], team))
            place = white.number if team_of[white.number] == first else black.number
            scores = sorted((points[team] for team in sides), reverse=True)
            order[white.number] = (-scores[0], -sum(scores), first, max(sides)), places[place]
        return order

    def resting(self, number: int) -> list[TrfPlayer]:
        """The players without a game in round ``number``. The one whose opponent has none in the
        file is among them."""
        return [
            player
            for player in self.players.values()
            if not is_nobody(player.name) and self._rests(player, number)
        ]

    def _rests(self, player: TrfPlayer, number: int) -> bool:
        opponent = self.players.get(player.game(number).opponent)
        return _is_alone(player, opponent) or (
            opponent is None or opponent.game(number).opponent != player.number
        )

    @staticmethod
    def _contradicts(
        player: TrfPlayer, game: TrfGame, opponent: TrfPlayer | None, number: int
    ) -> str:
        return _(
            "Round {number}: the lines of {name} and of {opponent} contradict each other, so this "
            "pair is left out; correct it in the pairing program.",
            name=spoken_name(player.name),
            opponent=spoken_name(opponent.name) if opponent else game.opponent,
            number=number,
        )

    def boards(self, number: int) -> list[tuple[str, tuple[TrfPlayer, TrfPlayer]]]:
        """The number of the board and both players of each game; see :meth:`pairs`."""
        return [(str(board), pair) for board, pair in self._paired(number)[0]]

    def open_round(self) -> int:
        """The first round in which a game that is paired has no result.

        :raises ValueError: if there is none.
        """
        for number in range(1, self.rounds + 1):
            for player in self.players.values():
                game = player.game(number)
                if game.opponent and game.colour and not game.result:
                    return number
        raise UserError(
            "The file pairs no game that has no result; write it anew with the pairing program "
            "after the round is paired, or name the round with --round."
        )

    def has_result(self, number: int, pair: tuple[TrfPlayer, TrfPlayer]) -> bool:
        """Return whether the lines of both players have a result of round ``number``."""
        return all(player.game(number).result for player in pair)

    def scores(self, number: int, pair: tuple[TrfPlayer, TrfPlayer]) -> tuple[str, str]:
        """The results of White and Black as the file has them, a character each."""
        white, black = (player.game(number).result for player in pair)
        return white, black

    def numbers(self, pair: tuple[TrfPlayer, TrfPlayer]) -> tuple[int, ...]:
        """The lines of both players, counted from 1."""
        return tuple(player.line + 1 for player in pair)

    @property
    def all_rounds(self) -> range:
        """The numbers of the rounds."""
        return range(1, self.rounds + 1)

    def enter(
        self,
        number: int,
        pair: tuple[TrfPlayer, TrfPlayer],
        scores: tuple[str, str],
        former: Container[tuple[str, str]] = (),
    ) -> str:
        """Enter the scores of White and Black in round ``number``, a character each. Return
        ``entered``, ``replaced`` if scores in ``former`` stood there, or ``other`` if another score
        stands there, which stays."""
        white, black = (player.game(number).result.upper() for player in pair)
        fits = all(one in ("", score) for one, score in zip((white, black), scores, strict=True))
        if not fits and (white, black) not in former:
            return "other"
        for player, score in zip(pair, scores, strict=True):
            self._set(player.line, _FIRST + _ROUND * (number - 1) + 7, score)
        return "entered" if fits else "replaced"

    def _set(self, line: int, column: int, character: str) -> None:
        text, end = _split(self.lines[line])
        column += text.startswith("\ufeff")
        text = text.ljust(column)
        self.lines[line] = f"{text[:column]}{character}{text[column + 1 :]}{end}"


def _is_alone(player: TrfPlayer, opponent: TrfPlayer | None) -> bool:
    """Return whether one of both is a line for a bye, as some programs write it."""
    return is_nobody(player.name) or (opponent is not None and is_nobody(opponent.name))


@dataclass(frozen=True)
class _Team:
    """A team: the starting numbers of its players by their boards, and its match points, if the
    file has them."""

    players: tuple[int, ...]
    points: float = 0.0


def _teams(lines: list[str]) -> list[_Team]:
    """The teams in the lines 310 (TRF26) or, without any, 013 (TRF16)."""
    for tag, first in (("310", 73), ("013", 36)):
        found = []
        for line in lines:
            if line.startswith(f"{tag} "):
                text = _split(line)[0]
                points = text[54:60].strip() if tag == "310" else ""
                known = points.replace(".", "", 1).isdecimal()
                found.append(_Team(_numbers(text, first), float(points) if known else 0.0))
        if found:
            return found
    return []


def _places(lines: list[str], number: int) -> dict[int, int]:
    """The boards of players who do not play at their usual ones in round ``number`` (300)."""
    return {
        player: at
        for line in lines
        if line.startswith("300 ") and line[4:7].strip().lstrip("0") == str(number)
        for at, player in enumerate(_numbers(_split(line)[0], 16))
        if player
    }


def _numbers(text: str, first: int) -> tuple[int, ...]:
    """The starting numbers in columns of five from ``first`` on, counted from 0."""
    columns = (text[at : at + 4].strip() for at in range(first, len(text), 5))
    return tuple(int(one) if one.isascii() and one.isdecimal() else 0 for one in columns)


def _board(pair: tuple[TrfPlayer, TrfPlayer]) -> tuple[float, float, int]:
    points = sorted((_points(player) for player in pair), reverse=True)
    higher = min(pair, key=lambda player: (-_points(player), player.number))
    return -points[0], -sum(points), higher.number


def _points(player: TrfPlayer) -> float:
    return float(player.points or 0)


def _has_counted(player: TrfPlayer, number: int) -> bool:
    """Return whether a player's points are those after round ``number``. Programs count a later bye
    at once, or after its round."""
    points = sum(_POINTS.get(game.result, 0) for game in player.games[:number])
    later = (game.result for game in player.games[number:] if not game.opponent)
    return points <= _points(player) <= points + sum(_POINTS.get(result, 0) for result in later)


def read_trf(data: bytes, name: str = "") -> TrfFile:
    """A report file in any encoding; ``name`` is the file's in sentences.

    :raises ValueError: one sentence with the line, if it is none.
    """
    read = guess(data, name or _("The file"))
    file = TrfFile(list(read.lines), read.encodings, [read.guessed] if read.guessed else [])
    for index, line in enumerate(file.lines):
        text = _split(line)[0].removeprefix("\ufeff")
        if text[:4].rstrip() == "001":
            player = _player(index, text)
            if player.number in file.players:
                raise _wrong(index, 5, str(player.number))
            file.players[player.number] = player
    if not file.players:
        raise UserError("This is not a tournament report file: no line begins with 001.")
    _tell_apart(file.players)
    return file


def _tell_apart(players: dict[int, TrfPlayer]) -> None:
    """Add the starting number to the names of players who have the same name, as people type it:
    tables and journals know players by their names only."""
    names = Counter(typed(player.name) for player in players.values())
    for number, player in players.items():
        name = spoken_name(player.name)
        if names[typed(name)] > 1:
            players[number] = replace(player, name=f"{name} {number}")


def _split(line: str) -> tuple[str, str]:
    text = line.rstrip("\r\n")
    return text, line[len(text) :]


def _wrong(index: int, column: int, text: str) -> ValueError:
    """The error about a text that cannot stand in a column, counted from 1."""
    return UserError(
        "Line {index}, from column {column} on: {text} cannot stand there; write the "
        "file anew with the pairing program.",
        index=index + 1,
        column=column,
        text=shown(text),
    )


def _player(index: int, text: str) -> TrfPlayer:
    number = _number(index, 5, text[4:8])
    points = text[80:84].strip().replace(",", ".")
    if not number:
        raise _wrong(index, 5, text[4:8])
    if points and not points.replace(".", "", 1).isdecimal():
        raise _wrong(index, 81, points)
    rounds = range(_FIRST, len(text.rstrip()), _ROUND)
    return TrfPlayer(
        index,
        number,
        plain(shown_whole(text[14:47])).strip(),
        points,
        _number(index, 86, text[85:89]),
        tuple(_game(index, start + 1, text[start : start + _ROUND]) for start in rounds),
    )


def _game(index: int, column: int, text: str) -> TrfGame:
    opponent, colour, result = text[:4].strip(), text[5:6].strip(), text[7:8].strip().lower()
    if not opponent.strip("0-") or result in _BYES:
        return TrfGame(0, "", result)
    if colour.lower() not in (*_COLOURS, "", "-"):
        raise _wrong(index, column + 5, colour)
    if result and result not in _RESULTS:
        raise _wrong(index, column + 7, result)
    number = _number(index, column, opponent)
    return TrfGame(number, _COLOURS.get(colour.lower(), ""), result)


def _number(index: int, column: int, text: str) -> int:
    text = text.strip()
    if text and not (text.isascii() and text.isdecimal()):
        raise _wrong(index, column, text)
    return int(text or 0)


@dataclass(frozen=True)
class Standing:
    """One line of the standings."""

    rank: int
    name: str
    points: str


def standings(file: TrfFile) -> list[Standing]:
    """The players in the order of their ranks in the file. Without ranks, they are in the order of
    their points, and those with equal points share a rank (:attr:`TrfFile.has_ranks`).

    :raises ValueError: if the file has neither.
    """
    ranked = [player for player in file.players.values() if player.rank]
    if not ranked:
        ranked = [player for player in file.players.values() if player.points]
        points = sorted((_points(player) for player in ranked), reverse=True)
        ranked = [replace(one, rank=points.index(_points(one)) + 1) for one in ranked]
    if not ranked:
        raise UserError(
            "The file has no ranking; write it again with the pairing program after a round."
        )
    ranked.sort(key=lambda player: player.rank)
    return [Standing(player.rank, spoken_name(player.name), player.points) for player in ranked]
