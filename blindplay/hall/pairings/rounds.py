"""The rounds of an event: pairings from a file, games to tables, results, and a round's report.

The results and the report come from the hall's copies of the journals.
"""

import csv
import io
import json
import re
import threading
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from blindplay.console.messages import catalogue
from blindplay.console.pages import timeline
from blindplay.given import decoded, plain, read_bytes, read_json, read_text, shown
from blindplay.language import Language, languages
from blindplay.laws import FactError, Game
from blindplay.laws import rulings as r
from blindplay.laws.facts import SIDES, Setup, Start
from blindplay.record import JournalError, files, read_journal
from blindplay.record.files import SUFFIX
from blindplay.translation import Message, _, join_texts
from blindplay.wording.pack_words import PackWords
from blindplay.wording.values import (
    Pairing,
    number_in_words,
    pairing_in_words,
    speakable,
    write_time,
)

from ..follower import FoldedGame, Follower
from ..hall import TableAsker
from ..overview import natural
from ..protocol import RequestAnswer
from ..requests import UnreachableError
from .csv_pairings import COLUMNS, CsvFile
from .trf import TrfFile, read_trf, spoken_name

MOST_BYTES = 4_000_000
"""The longest file of pairings that is read."""
IMPAIRED = (*SIDES, "both", "none")
_FILE = "pairings.json"
_LONGEST = 200


@dataclass(frozen=True)
class Assignment:
    """A game for a table to play. An empty value leaves the option of the table's start."""

    round: str
    table: str
    white: str
    black: str
    impaired: str = ""
    """One of :data:`IMPAIRED`."""
    white_language: str = ""
    black_language: str = ""

    def __post_init__(self) -> None:
        """:raises ValueError: one sentence, if something in it cannot be."""
        for value in asdict(self).values():
            if not isinstance(value, str) or len(value) > _LONGEST:
                raise ValueError(_("This is not an assignment of a game."))
        for name in ("round", "table", "white", "black"):
            if not getattr(self, name):
                raise ValueError(_("A game lacks its {name}; write it into the file.", name=name))
        if self.impaired not in ("", *IMPAIRED):
            raise ValueError(
                _(
                    "impaired is white, black, both or none, not {impaired}.",
                    impaired=shown(self.impaired),
                )
            )
        for code in (self.white_language, self.black_language):
            if code and code not in languages():
                raise ValueError(
                    _("There is no language {code}; take one such as en.", code=shown(code))
                )

    @property
    def pairing(self) -> Pairing:
        return Pairing(self.round, self.table, self.white, self.black)


@dataclass(frozen=True)
class Round:
    """The games of a round, and the players without a game."""

    round: str
    games: tuple[Assignment, ...]
    resting: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """:raises ValueError: if a table or a player has two games."""
        tables = [game.table for game in self.games]
        players = [name for game in self.games for name in (game.white, game.black)]
        for names in (tables, players):
            twice = next((name for name in names if names.count(name) > 1), None)
            if twice is not None:
                raise ValueError(
                    _(
                        "{twice} is paired twice in this round; correct the file.",
                        twice=shown(twice),
                    )
                )


def read_round(path: Path, number: int | None = None) -> Round:
    """The pairings of round ``number`` from a report file (TRF) or a table in CSV. Without a number
    it is the round that the file says, or the first one with a game to play.

    :raises ValueError: one sentence, if the file cannot be read or is wrong.
    """
    data = read_bytes(path, MOST_BYTES)
    try:
        if _is_report(data):
            return _from_trf(data, number)
        return _from_csv(_csv_file(data, path), number)
    except ValueError as error:
        raise ValueError(join_texts(": ", (path, error))) from None


def _is_report(data: bytes) -> bool:
    return any(line.startswith((b"001 ", b"\xef\xbb\xbf001 ")) for line in data.splitlines())


def read_result_file(path: Path) -> TrfFile | CsvFile:
    """A file of pairings into which results can be entered.

    :raises ValueError: one sentence, if it cannot be read or is wrong.
    """
    data = read_bytes(path, MOST_BYTES)
    try:
        return read_trf(data) if _is_report(data) else _csv_file(data, path)
    except ValueError as error:
        raise ValueError(join_texts(": ", (path, error))) from None


def _csv_file(data: bytes, path: Path) -> CsvFile:
    decoded(data, plain(str(path)))  # fails if it is not in UTF-8
    return CsvFile(data.decode())


def _from_trf(data: bytes, number: int | None) -> Round:
    file = read_trf(data)
    number = number or file.open_round()
    games = [
        Assignment(str(number), str(board), spoken_name(white.name), spoken_name(black.name))
        for board, (white, black) in enumerate(file.pairs(number), 1)
    ]
    if not games:
        raise ValueError(_("The file has no pairings for this round."))
    resting = (spoken_name(player.name) for player in file.resting(number))
    return Round(str(number), tuple(games), tuple(resting))


def _from_csv(file: CsvFile, number: int | None) -> Round:
    games: list[Assignment] = []
    resting: list[str] = []
    for _unused, row in file.games():
        row["round"] = row["round"] or (str(number) if number else "")
        if number is not None and row["round"] != str(number):
            continue
        names = [spoken_name(row[side]) for side in SIDES]
        if all(names):
            games.append(Assignment(**{**row, "white": names[0], "black": names[1]}))
        else:
            resting += filter(None, names)
    return _one_round(games, resting)


def _one_round(games: list[Assignment], resting: list[str]) -> Round:
    rounds = {game.round for game in games}
    if not rounds:
        raise ValueError(_("The file has no pairings for this round."))
    if len(rounds) > 1:
        raise ValueError(_("The file has games of several rounds; name the round with --round."))
    return Round(rounds.pop(), tuple(games), tuple(resting))


# --- in the hall's folder ------------------------------------------------------------------------


def pairings_file(folder: Path) -> Path:
    """The file in the hall's folder that holds the pairings."""
    return folder / _FILE


def keep_round(folder: Path, paired: Round) -> None:
    """Keep the pairings in the hall's folder, in place of those that this round had.

    :raises OSError: if they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        others = [other for other in kept_rounds(folder) if other.round != paired.round]
    except ValueError:
        others = []
    rounds = [asdict(kept) for kept in (*others, paired)]
    files.write_new(
        pairings_file(folder), json.dumps({"rounds": rounds}, ensure_ascii=False).encode()
    )


def kept_round(folder: Path, number: int | None = None) -> Round | None:
    """The pairings of round ``number`` that :func:`keep_round` has kept, or those that it kept
    last; None if there are none.

    :raises ValueError: if the file cannot be read.
    """
    rounds = [kept for kept in kept_rounds(folder) if number is None or kept.round == str(number)]
    return rounds[-1] if rounds else None


def kept_rounds(folder: Path) -> list[Round]:
    """All rounds that :func:`keep_round` has kept, the one that was paired last at the end.

    :raises ValueError: if the file cannot be read.
    """
    path = pairings_file(folder)
    if not path.is_file():
        return []
    value = read_json(read_text(path, MOST_BYTES))
    try:
        return [
            Round(
                kept["round"],
                tuple(Assignment(**game) for game in kept["games"]),
                tuple(map(str, kept["resting"])),
            )
            for kept in value["rounds"]
        ]
    except (TypeError, KeyError):
        raise ValueError(
            _("{path} is not a file of pairings; pair the round again.", path=path)
        ) from None


def assignment_of(body: dict[str, Any]) -> Assignment:
    """The assignment in a request; unknown keys are ignored.

    :raises ValueError: if it is not an assignment.
    """
    values = {name: body[name] for name in COLUMNS if name in body}
    try:
        return Assignment(**{name: plain(value) for name, value in values.items()})
    except (TypeError, AttributeError):  # a value that is not a text
        raise ValueError(_("This is not an assignment of a game.")) from None


@dataclass(frozen=True)
class PlayerPlace:
    """One player of a round."""

    name: str
    pairing: Pairing | None
    """None: no game in this round."""


# Letters that people type in two ways, beside those that only lose a mark: the longer way.
_LONG = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "æ": "ae", "ø": "oe", "œ": "oe", "ł": "l",
     "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)  # fmt: skip
_SHORT = re.compile("([ao])e|(a)a|ue")
_APOSTROPHES = re.compile("['’‘ʼ`´′ʹ]")


def typed(name: str) -> str:
    """``name`` in small letters without marks, however people type it. Hyphens are spaces, and
    apostrophes are left out.

    >>> typed("Jürgen O’Neill-Åse"), typed("Juergen o'neill aase")
    ('jurgen oneill ase', 'jurgen oneill ase')
    """
    text = re.sub(r"[-‐‑–.,]", " ", _APOSTROPHES.sub("", spoken_name(name).casefold()))
    text = unicodedata.normalize("NFC", text).translate(_LONG)
    text = "".join(
        sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign)
    )
    return " ".join(_SHORT.sub(lambda found: found[1] or found[2] or "u", text).split())


def _words_of(name: str) -> set[str]:
    """The words by which a player may be called: of O’Neill also *neill*, of Berg-Dahl *berg*."""
    return {
        word
        for parted in (name, _APOSTROPHES.sub(" ", name), name.replace("-", ""))
        for word in typed(parted).split()
    }


def where(paired: Round, name: str, *, whole_words: bool = False) -> list[PlayerPlace]:
    """Return the places of the players with this name, as :func:`typed` compares names: those of
    exactly this name or, without one, all whose names contain these words or, with
    ``whole_words``, have them. Then one letter alone finds nobody: it would list many players."""
    everybody = [
        PlayerPlace(player, game.pairing)
        for game in paired.games
        for player in (game.white, game.black)
    ]
    everybody += [PlayerPlace(player, None) for player in paired.resting]
    wanted = typed(name)
    words = set(wanted.split())
    if exact := [place for place in everybody if wanted and typed(place.name) == wanted]:
        return exact
    if whole_words:
        enough = any(len(word) > 1 for word in words)
        return [place for place in everybody if enough and words <= _words_of(place.name)]
    return [
        place for place in everybody if words and all(word in typed(place.name) for word in words)
    ]


def place_in_words(place: PlayerPlace, paired: Round, pack: Language) -> tuple[str, str]:
    """Return the sentence about a player's place: as it is printed, and as it is spoken."""
    pairing = place.pairing
    if pairing is None:
        number, spoken = number_in_words(paired.round, pack), speakable(place.name, pack)
        return (
            pack.sentence("pairing_none", round=paired.round, name=place.name),
            pack.sentence("pairing_none", round=number, name=spoken),
        )
    printed = pack.sentence(
        "pairing",
        round=pairing.round,
        table=pairing.table,
        white=pairing.white,
        black=pairing.black,
    )
    return printed, pairing_in_words(pairing, pack)


# --- results -------------------------------------------------------------------------------------

_SCORES = {"1": "1", "0": "0", "1/2": "="}
_UNRATED = {"1": "W", "0": "L", "1/2": "D"}
_FORFEITED = {"1": "+", "0": "-", "1/2": "D"}
_MOVED = 2  # plies after which both have made a move


@dataclass(frozen=True)
class TableResult:
    """One game of a round, as its table has recorded it."""

    table: str
    white: str
    black: str
    result: str
    """As in facts; empty while there is none."""
    signed: tuple[str, ...]
    """The sides that have signed this result (8.7)."""
    plies: int
    declared: bool
    """The arbiter has decided the result."""

    @property
    def scores(self) -> tuple[str, str]:
        """The results of White and Black in a report file. If a side has not moved, the game is
        not rated. If neither has moved and the arbiter has decided, it was forfeited."""
        names = _SCORES if self.plies >= _MOVED else _UNRATED
        names = _FORFEITED if self.declared and not self.plies else names
        white, black = self.result.split("-")
        return names[white], names[black]


def results_in(
    folder: Path, number: str, counts: Callable[[Path], bool] = lambda path: True
) -> list[TableResult]:
    """The games of round ``number`` of which the hall has copies in ``folder``, as files that
    count.

    :raises OSError: if the folder cannot be read.
    """
    paths = filter(counts, sorted(folder.glob(f"table-*/*{SUFFIX}")))
    results = [_result(path, number) for path in paths]
    return [result for result in results if result is not None]


def _result(path: Path, number: str) -> TableResult | None:
    try:
        facts = read_journal(path).facts
    except JournalError:
        return None
    if not facts or not isinstance(facts[0], Setup) or facts[0].round != number:
        return None
    game, declared = Game(PackWords()), False
    try:
        for fact in facts:
            for ruling in game.apply(fact):
                if isinstance(ruling, r.GameOver):
                    declared = ruling.reason == "declared"
    except FactError:  # written by a newer program; a result before that fact does not count
        return None
    result = (game.result or "") if game.over else ""
    signed = tuple(side for side in SIDES if result and game.signed.get(side) == result)
    white, black = (game.player(side).name for side in SIDES)
    table = path.parent.name.removeprefix("table-")
    return TableResult(table, white, black, result, signed, len(game.history), declared)


@dataclass(frozen=True)
class Entered:
    """One game of the file, and whether its result was entered."""

    board: str
    white: str
    black: str
    game: TableResult | None
    """The game at a table; None if there is no copy of it."""
    status: str
    """entered; open (no result yet); other (the file says something else, which stays); twice (two
    tables, two results)."""


class ResultFile(Protocol):
    """A file of pairings into which results can be entered. Its players have a ``name``."""

    def boards(self, number: int) -> Sequence[tuple[str, Any]]: ...

    def enter(self, number: int, pair: Any, scores: tuple[str, str]) -> bool: ...


def enter_results(file: ResultFile, number: int, folder: Path) -> list[Entered]:
    """Enter the results of round ``number`` into ``file``.

    :raises ValueError: if the file is contradictory, or has no pairings for this round.
    :raises OSError: if the copies cannot be read.
    """
    boards = file.boards(number)
    if not boards:
        raise ValueError(_("The file has no pairings for this round."))
    known: dict[tuple[str, str], list[TableResult]] = {}
    for result in results_in(folder, str(number)):
        known.setdefault(pair_of(result.white, result.black), []).append(result)
    entered = []
    for board, pair in boards:
        white, black = (spoken_name(player.name) for player in pair)
        games = known.get(pair_of(white, black), [])
        over = [game for game in games if game.result]
        game = next(iter(over or games), None)
        if not over:
            status = "open"
        elif len({game.result for game in over}) > 1:
            status, game = "twice", None
        else:
            status = "entered" if file.enter(number, pair, over[0].scores) else "other"
        entered.append(Entered(board, white, black, game, status))
    return entered


def pair_of(white: str, black: str) -> tuple[str, str]:
    """Both names, as pairs of a round are compared."""
    return spoken_name(white).casefold(), spoken_name(black).casefold()


# --- the report of a round -----------------------------------------------------------------------


@dataclass(frozen=True)
class ReportedIncident:
    """One ruling that a report names."""

    table: str
    time: str
    """The table's time."""
    articles: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class ReportedGame:
    """One game of the round."""

    table: str
    round: str
    white: str
    black: str
    result: str
    """Empty while the game goes on."""
    reason: str
    moves: int
    took: str
    """The table's time from the start of the clocks to the end of the game, or to now."""
    left: dict[str, str]
    """The time left of each side; empty without a clock."""
    decided_by: tuple[str, ...]
    """The arbiters with a decision in this game."""
    incidents: tuple[ReportedIncident, ...]


@dataclass(frozen=True)
class RoundReport:
    """The games that the tables play now, or have played last."""

    at: datetime
    games: tuple[ReportedGame, ...]

    @property
    def incidents(self) -> list[ReportedIncident]:
        return [incident for game in self.games for incident in game.incidents]

    @property
    def by_article(self) -> list[tuple[str, int]]:
        """Each article, and how many rulings rest on it, the most frequent first."""
        counted = Counter(article for incident in self.incidents for article in incident.articles)
        return sorted(counted.items(), key=lambda item: (-item[1], item[0]))


class Reporter:
    """Makes reports. It folds a game again only when something has been added to it."""

    def __init__(self, follower: Follower) -> None:
        self._follower = follower
        self._lock = threading.Lock()  # one report at a time, for it takes the processor
        self._games: dict[tuple[str, str], tuple[tuple[int, str], ReportedGame]] = {}

    def report(self, language: str) -> RoundReport:
        """The report in a language of the pages. It reads files."""
        with self._lock:
            names = sorted(self._follower.tables, key=natural)
            games = [self._game(name, language) for name in names]
        return RoundReport(datetime.now(), tuple(game for game in games if game is not None))

    def _game(self, name: str, language: str) -> ReportedGame | None:
        with self._follower.lock:
            copy = self._follower.tables[name].copy
            end = (0, "") if copy is None else copy.end
        known = self._games.get((name, language))
        if known is not None and known[0] == end:
            return known[1]
        try:
            folded = FoldedGame(self._follower, name)
        except (ValueError, OSError):
            return None
        if folded.game.setup is None:
            return None
        made = _reported(name, folded, language)
        self._games[name, language] = end, made
        return made


def _reported(name: str, folded: FoldedGame, language: str) -> ReportedGame:
    game, log = folded.game, folded.log
    assert game.setup is not None
    narrator = timeline.Narrator(game, language)
    ends = [
        (t.fact.t, ruling) for t in log for ruling in t.rulings if isinstance(ruling, r.GameOver)
    ]
    ended = ends[-1] if ends and game.over else None
    began = next((taken.fact.t for taken in log if isinstance(taken.fact, Start)), None)
    until = ended[0] if ended else game.t
    arbiters = dict.fromkeys(taken.fact.who for taken in log if taken.fact.who)
    return ReportedGame(
        table=name,
        round=game.setup.round,
        white=game.player("white").name,
        black=game.player("black").name,
        result=game.result or "",
        reason=narrator.word(ended[1].reason) if ended else "",
        moves=(len(game.history) + 1) // 2,
        took=write_time(until - began) if began is not None else "",
        left={side: write_time(game.clock.left[side]) for side in SIDES if game.clock},
        decided_by=tuple(arbiters),
        incidents=tuple(_incidents(name, folded, narrator)),
    )


def _incidents(
    name: str, folded: FoldedGame, narrator: timeline.Narrator
) -> list[ReportedIncident]:
    incidents = []
    for taken in folded.log:
        for ruling in taken.rulings:
            if _is_incident(ruling):
                line = narrator.line(ruling)
                articles = tuple(article.citation for article in line.articles)
                time = write_time(taken.fact.t)
                incidents.append(ReportedIncident(name, time, articles, str(line.text)))
    return incidents


def _is_incident(ruling: r.Ruling) -> bool:
    """Return whether a ruling concerns the arbiter. A proposed ruling is left out, since it comes
    once more when it is decided."""
    if not isinstance(ruling, r.Proposable) or isinstance(ruling, r.Touched):
        return False
    again = isinstance(ruling, r.ArbiterNeeded) and ruling.again
    return ruling.status != "proposed" and not again


def as_csv(report: RoundReport, language: str) -> str:
    """The games of a report, for a spreadsheet: one line each, with a heading."""
    say = catalogue(language)
    names = (
        "table", "round", "white", "black", "result", "reason", "moves", "took", "left_white",
        "left_black", "incidents", "articles", "arbiters",
    )  # fmt: skip
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([say[f"hall_report_{name}"] for name in names])
    for game in report.games:
        articles = [article for incident in game.incidents for article in incident.articles]
        writer.writerow(
            map(
                _harmless,
                (
                    game.table, game.round, game.white, game.black, game.result, game.reason,
                    str(game.moves), game.took, game.left.get("white", ""),
                    game.left.get("black", ""), str(len(game.incidents)),
                    "; ".join(dict.fromkeys(articles)), "; ".join(game.decided_by),
                ),
            )
        )  # fmt: skip
    return text.getvalue()


def _harmless(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t") else text


ASSIGN, TELL = "assign", "pairings"
"""The kinds of requests: play this game next; tell your people where they play next."""


@dataclass(frozen=True)
class AssignmentResult:
    """The result of the assignment of one game. ``status`` is that of the table's answer, or
    ``unreachable``; ``sentence`` is the table's comment."""

    game: Assignment
    status: str
    sentence: str = ""


def with_tables(paired: Round, tables: Iterable[str]) -> Round:
    """The round with the names that the tables have: table 4 of a file may be called ``table-4``.

    :raises ValueError: if two tables have the number that the file gives to a game.
    """
    known = set(tables)
    numbered: dict[str, list[str]] = {}
    for name in sorted(known):
        numbered.setdefault(_number(name), []).append(name)

    def named(game: Assignment) -> Assignment:
        number = _number(game.table)
        candidates = numbered.get(number, []) if number and game.table not in known else []
        if len(candidates) > 1:
            raise ValueError(
                _(
                    "Two tables have the number {number}: {first} and {second}.",
                    number=number,
                    first=candidates[0],
                    second=candidates[1],
                )
            )
        return replace(game, table=candidates[0]) if candidates else game

    return replace(paired, games=tuple(map(named, paired.games)))


def _number(name: str) -> str:
    match = re.search(r"(\d+)$", name)
    return match[1].lstrip("0") if match else ""


def assign_round(hall: TableAsker, paired: Round) -> list[AssignmentResult]:
    """Give each game to its table, and tell the people at each table of the last round where
    they play. Tables that have their game already stay as they are."""
    requests: list[tuple[Assignment, Future[RequestAnswer] | None]] = []
    for game in paired.games:
        body = {name: value for name, value in asdict(game).items() if value}
        requests.append((game, _ask(hall, game.table, ASSIGN, body)))
    results = [_result_of(game, future) for game, future in requests]
    notices = [_ask(hall, *request) for request in _to_tell(hall, paired)]
    for future in filter(None, notices):
        future.result()
    return results


def _ask(
    hall: TableAsker, table: str, kind: str, body: dict[str, Any]
) -> "Future[RequestAnswer] | None":
    try:
        return hall.request(table, "", kind, body)
    except UnreachableError:
        return None


def _result_of(game: Assignment, future: "Future[RequestAnswer] | None") -> AssignmentResult:
    if future is None:
        return AssignmentResult(game, "unreachable")
    answer = future.result()
    return AssignmentResult(game, answer.status, join_texts(" ", map(Message, answer.sentences)))


def _to_tell(hall: TableAsker, paired: Round) -> Iterable[tuple[str, str, dict[str, Any]]]:
    """The requests that tell the people at each table of the last round where they play now."""
    with hall.follower.lock:
        people = {
            name: (table.head.white, table.head.black)
            for name, table in hall.follower.tables.items()
            if table.head is not None and table.online
        }
    for table, names in sorted(people.items()):
        pairings = [game.pairing for game in paired.games if any(n in game.pairing for n in names)]
        if pairings:
            body = {"pairings": [asdict(pairing) for pairing in pairings]}
            yield table, TELL, body
