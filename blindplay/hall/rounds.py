"""The pairings of a round: read from a file, kept in the hall's folder, and looked up by name."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from blindplay.given import decoded, plain, read_bytes, read_json, read_text, shown
from blindplay.language import Language, languages
from blindplay.laws.facts import SIDES
from blindplay.record import files
from blindplay.wording.pairings import Pairing, number_in_words, pairing_in_words, speakable

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
                raise ValueError("This is not an assignment of a game.")
        for name in ("round", "table", "white", "black"):
            if not getattr(self, name):
                raise ValueError(f"A game lacks its {name}; write it into the file.")
        if self.impaired not in ("", *IMPAIRED):
            raise ValueError(f"impaired is white, black, both or none, not {shown(self.impaired)}.")
        for code in (self.white_language, self.black_language):
            if code and code not in languages():
                raise ValueError(f"There is no language {shown(code)}; take one such as en.")

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
        tables = [one.table for one in self.games]
        players = [name for one in self.games for name in (one.white, one.black)]
        for names in (tables, players):
            twice = next((one for one in names if names.count(one) > 1), None)
            if twice is not None:
                raise ValueError(f"{shown(twice)} is paired twice in this round; correct the file.")


def read_round(path: Path, number: int | None = None) -> Round:
    """The pairings of round ``number`` from a report file (TRF) or a table in CSV. Without a number
    it is the round that the file says, or the first one with a game to play.

    :raises ValueError: one sentence, if the file cannot be read or is wrong.
    """
    data = read_bytes(path, MOST_BYTES)
    try:
        if _is_report(data):
            return _from_trf(data, number)
        return _from_csv(_table(data, path), number)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _is_report(data: bytes) -> bool:
    return any(line.startswith((b"001 ", b"\xef\xbb\xbf001 ")) for line in data.splitlines())


def read_result_file(path: Path) -> TrfFile | CsvFile:
    """A file of pairings into which results can be entered.

    :raises ValueError: one sentence, if it cannot be read or is wrong.
    """
    data = read_bytes(path, MOST_BYTES)
    try:
        return read_trf(data) if _is_report(data) else _table(data, path)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _table(data: bytes, path: Path) -> CsvFile:
    decoded(data, plain(str(path)))  # says so if it is not in UTF-8
    return CsvFile(data.decode())


def _from_trf(data: bytes, number: int | None) -> Round:
    file = read_trf(data)
    number = number or file.open_round()
    games = [
        Assignment(str(number), str(board), spoken_name(white.name), spoken_name(black.name))
        for board, (white, black) in enumerate(file.pairs(number), 1)
    ]
    if not games:
        raise ValueError("The file pairs nobody in this round.")
    resting = (spoken_name(one.name) for one in file.resting(number))
    return Round(str(number), tuple(games), tuple(resting))


def _from_csv(file: CsvFile, number: int | None) -> Round:
    games: list[Assignment] = []
    resting: list[str] = []
    for _, given in file.games():
        given["round"] = given["round"] or (str(number) if number else "")
        if number is not None and given["round"] != str(number):
            continue
        names = [spoken_name(given[side]) for side in SIDES]
        if all(names):
            games.append(Assignment(**{**given, "white": names[0], "black": names[1]}))
        else:
            resting += filter(None, names)
    return _one_round(games, resting)


def _one_round(games: list[Assignment], resting: list[str]) -> Round:
    rounds = {one.round for one in games}
    if not rounds:
        raise ValueError("The file pairs nobody in this round.")
    if len(rounds) > 1:
        raise ValueError("The file has games of several rounds; name the round with --round.")
    return Round(rounds.pop(), tuple(games), tuple(resting))


# --- in the hall's folder ------------------------------------------------------------------------


def keep_round(folder: Path, paired: Round) -> None:
    """Keep the pairings in the hall's folder, in place of those that this round had.

    :raises OSError: if they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        others = [one for one in _kept(folder / _FILE) if one.round != paired.round]
    except ValueError:
        others = []
    rounds = [asdict(one) for one in (*others, paired)]
    files.write_new(folder / _FILE, json.dumps({"rounds": rounds}, ensure_ascii=False).encode())


def kept_round(folder: Path, number: int | None = None) -> Round | None:
    """The pairings of round ``number`` that :func:`keep_round` has kept, or those that it kept
    last; None if there are none.

    :raises ValueError: if the file cannot be read.
    """
    found = [one for one in _kept(folder / _FILE) if number is None or one.round == str(number)]
    return found[-1] if found else None


def _kept(path: Path) -> list[Round]:
    """All rounds in the file, the one that was paired last at the end."""
    if not path.is_file():
        return []
    value = read_json(read_text(path, MOST_BYTES))
    try:
        return [
            Round(
                one["round"],
                tuple(Assignment(**game) for game in one["games"]),
                tuple(map(str, one["resting"])),
            )
            for one in value["rounds"]
        ]
    except (TypeError, KeyError):
        raise ValueError(f"{path} is not a file of pairings; pair the round again.") from None


def assignment_of(body: dict[str, Any]) -> Assignment:
    """The assignment in a request; unknown keys are ignored.

    :raises ValueError: if it is not an assignment.
    """
    given = {name: body[name] for name in COLUMNS if name in body}
    try:
        return Assignment(**{name: plain(value) for name, value in given.items()})
    except (TypeError, AttributeError):  # a value that is not a text
        raise ValueError("This is not an assignment of a game.") from None


@dataclass(frozen=True)
class Found:
    """One player of a round."""

    name: str
    pairing: Pairing | None
    """None: no game in this round."""


def where(paired: Round, name: str) -> list[Found]:
    """Return the places of the players with this name: those of exactly this name or, without one,
    all whose names contain these words."""
    everybody = [
        Found(player, one.pairing) for one in paired.games for player in (one.white, one.black)
    ]
    everybody += [Found(player, None) for player in paired.resting]
    wanted = spoken_name(name).casefold()
    exact = [one for one in everybody if one.name.casefold() == wanted]
    words = wanted.split()
    return exact or [
        one for one in everybody if words and all(word in one.name.casefold() for word in words)
    ]


def place_in_words(found: Found, paired: Round, pack: Language) -> tuple[str, str]:
    """Return the sentence about a player's place: as it is printed, and as it is spoken."""
    one = found.pairing
    if one is None:
        number, spoken = number_in_words(paired.round, pack), speakable(found.name, pack)
        return (
            pack.sentence("pairing_none", round=paired.round, name=found.name),
            pack.sentence("pairing_none", round=number, name=spoken),
        )
    printed = pack.sentence(
        "pairing", round=one.round, table=one.table, white=one.white, black=one.black
    )
    return printed, pairing_in_words(one, pack)
