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
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from blindplay.given import plain, shown
from blindplay.translation import _

_FIRST, _ROUND = 91, 10  # where round 1 begins, and how long a round is, counted from 0
_COLOURS = {"w": "white", "b": "black"}
_RESULTS = frozenset("10=+-wdl")
_BYES = frozenset("hfuz")
_NOBODY = ("", "0", "0000")


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


@dataclass
class TrfFile:
    """A report file. :meth:`content` returns the bytes that were read, except for the results
    that were entered."""

    lines: list[str]
    """Each with its line end."""
    encoding: str
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
        return "".join(self.lines).encode(self.encoding)

    def pairs(self, number: int) -> list[tuple[TrfPlayer, TrfPlayer]]:
        """White and Black of each game of round ``number``, the first board first: sorted as FIDE's
        rules sort boards, by the points of the better player, by those of both, and by the better
        starting number.

        :raises ValueError: if the lines of two players contradict each other.
        """
        pairs = []
        for player in self.players.values():
            game = player.game(number)
            if not game.opponent or not game.colour:
                continue
            opponent = self.players.get(game.opponent)
            other = opponent.game(number) if opponent else None
            if opponent is None or other is None or other.opponent != player.number:
                raise ValueError(self._contradicts(player, number))
            if {game.colour, other.colour} != {"white", "black"}:
                raise ValueError(self._contradicts(player, number))
            if game.colour == "white":
                pairs.append((player, opponent))
        return sorted(pairs, key=_board)

    def resting(self, number: int) -> list[TrfPlayer]:
        """The players without a game in round ``number``."""
        return [player for player in self.players.values() if not player.game(number).opponent]

    @staticmethod
    def _contradicts(player: TrfPlayer, number: int) -> str:
        return _(
            "The lines of {name} and of the opponent in round {number} contradict each "
            "other; write the file anew with the pairing program.",
            name=plain(player.name),
            number=number,
        )

    def boards(self, number: int) -> list[tuple[str, tuple[TrfPlayer, TrfPlayer]]]:
        """The number of the board and both players of each game; see :meth:`pairs`."""
        return [(str(board), pair) for board, pair in enumerate(self.pairs(number), 1)]

    def open_round(self) -> int:
        """The first round in which a game that is paired has no result.

        :raises ValueError: if there is none.
        """
        for number in range(1, self.rounds + 1):
            for player in self.players.values():
                game = player.game(number)
                if game.opponent and game.colour and not game.result:
                    return number
        raise ValueError(
            _(
                "The file pairs no game that has no result; write it anew with the pairing program "
                "after the round is paired, or name the round with --round."
            )
        )

    def enter(
        self, number: int, pair: tuple[TrfPlayer, TrfPlayer], scores: tuple[str, str]
    ) -> bool:
        """Enter the scores of White and Black in round ``number``, a character each; False if one
        of their lines holds another score already, which stays."""
        entered = list(zip(pair, scores, strict=True))
        for player, score in entered:
            if player.game(number).result not in ("", score.lower()):
                return False
        for player, score in entered:
            self._set(player.line, _FIRST + _ROUND * (number - 1) + 7, score)
        return True

    def _set(self, line: int, column: int, character: str) -> None:
        text, end = _split(self.lines[line])
        column += text.startswith("\ufeff")
        text = text.ljust(column)
        self.lines[line] = f"{text[:column]}{character}{text[column + 1 :]}{end}"


def _board(pair: tuple[TrfPlayer, TrfPlayer]) -> tuple[float, float, int]:
    points = sorted((_points(player) for player in pair), reverse=True)
    higher = min(pair, key=lambda player: (-_points(player), player.number))
    return -points[0], -sum(points), higher.number


def _points(player: TrfPlayer) -> float:
    return float(player.points or 0)


def read_trf(data: bytes) -> TrfFile:
    """A report file, in UTF-8 or in Latin-1.

    :raises ValueError: one sentence with the line, if it is none.
    """
    try:
        encoding, text = "utf-8", data.decode("utf-8")
    except UnicodeDecodeError:
        encoding, text = "latin-1", data.decode("latin-1")
    file = TrfFile(list(_lines(text)), encoding)
    for index, line in enumerate(file.lines):
        text = _split(line)[0].removeprefix("\ufeff")
        if text[:4].rstrip() == "001":
            player = _player(index, text)
            if player.number in file.players:
                raise _wrong(index, 5, str(player.number))
            file.players[player.number] = player
    if not file.players:
        raise ValueError(_("This is not a tournament report file: no line begins with 001."))
    _tell_apart(file.players)
    return file


def _tell_apart(players: dict[int, TrfPlayer]) -> None:
    """Add the starting number to the names of players who have the same name: tables and journals
    know players by their names only."""
    names = Counter(spoken_name(player.name).casefold() for player in players.values())
    for number, player in players.items():
        name = spoken_name(player.name)
        if names[name.casefold()] > 1:
            players[number] = replace(player, name=f"{name} {number}")


def _lines(text: str) -> Iterator[str]:
    """The lines, each with its end: a line feed, a carriage return, or both."""
    start = 0
    for index, character in enumerate(text):
        last = character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n")
        if last:
            yield text[start : index + 1]
            start = index + 1
    if text[start:]:
        yield text[start:]


def _split(line: str) -> tuple[str, str]:
    text = line.rstrip("\r\n")
    return text, line[len(text) :]


def _wrong(index: int, column: int, text: str) -> ValueError:
    """The error about a text that cannot stand in a column, counted from 1."""
    return ValueError(
        _(
            "Line {index}, from column {column} on: {text} cannot stand there; write the "
            "file anew with the pairing program.",
            index=index + 1,
            column=column,
            text=shown(text),
        )
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
        plain(text[14:47]).strip(),
        points,
        _number(index, 86, text[85:89]),
        tuple(_game(index, start + 1, text[start : start + _ROUND]) for start in rounds),
    )


def _game(index: int, column: int, text: str) -> TrfGame:
    opponent, colour, result = text[:4].strip(), text[5:6].strip(), text[7:8].strip().lower()
    if opponent in _NOBODY or result in _BYES:
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


def spoken_name(name: str) -> str:
    """A name in the order in which people say it.

    >>> spoken_name("Berg, Anna"), spoken_name("Anna Berg")
    ('Anna Berg', 'Anna Berg')
    """
    last, comma, first = name.partition(",")
    return " ".join(f"{first} {last}".split()) if comma else " ".join(name.split())


@dataclass(frozen=True)
class Standing:
    """One line of the standings."""

    rank: int
    name: str
    points: str


def standings(file: TrfFile) -> list[Standing]:
    """The players in the order of their ranks in the file; nothing is computed here.

    :raises ValueError: if the file has no ranks.
    """
    ranked = [player for player in file.players.values() if player.rank]
    if not ranked:
        raise ValueError(
            _("The file has no ranking; write it again with the pairing program after a round.")
        )
    ranked.sort(key=lambda player: player.rank)
    return [Standing(player.rank, spoken_name(player.name), player.points) for player in ranked]
