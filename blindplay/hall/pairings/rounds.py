"""The rounds of an event: pairings from a file, the organiser's changes, and the hall's folder that
keeps them."""

import contextlib
import json
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from blindplay.encodings import guess, shown_whole
from blindplay.given import PAIRINGS, plain, read_bytes, read_json, read_text, shown, too_large
from blindplay.language import Language, languages
from blindplay.laws import time_controls
from blindplay.laws.facts import SIDES
from blindplay.record import files
from blindplay.translation import UserError, _, join_texts
from blindplay.wording.names import KnownNames, find_names, find_player, spoken_name
from blindplay.wording.values import Pairing, pairing_in_words

from ..overview import natural
from .csv_pairings import COLUMNS, CsvFile
from .trf import TrfFile, read_trf

IMPAIRED = (*SIDES, "both", "none")
BYES = {"u": "full", "f": "full", "h": "half", "z": "zero"}
"""The kinds of byes, by their characters in a report file: those that the pairing gives, with one
point, half a point and none."""
_FILE, _GUARD = "pairings.json", "pairings.lock"
_LOOK_S = 0.05
_BUSY_S = 60.0  # longer than a round takes until its tables have set up their games
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
    time_control: str = ""
    default_time: str = ""

    def __post_init__(self) -> None:
        """:raises ValueError: one sentence, if something in it cannot be."""
        for value in vars(self).values():
            if not isinstance(value, str) or len(value) > _LONGEST:
                raise UserError("This is not an assignment of a game.")
        for name in ("round", "table", "white", "black"):
            if not getattr(self, name):
                raise UserError("A game lacks its {name}; write it into the file.", name=name)
        if self.impaired not in ("", *IMPAIRED):
            raise UserError(
                "impaired is white, black, both or none, not {impaired}.",
                impaired=shown(self.impaired),
            )
        if self.time_control:
            time_controls.stored(self.time_control)
        if self.default_time:
            time_controls.read_length(self.default_time)
        for code in (self.white_language, self.black_language):
            _check_language(code)

    @property
    def pairing(self) -> Pairing:
        return Pairing(self.round, self.table, self.white, self.black)


@lru_cache(maxsize=64)
def _check_language(code: str) -> None:
    """Kept, because each look reads a folder, and a round has thousands of games."""
    if code and code not in languages():
        raise UserError("There is no language {code}; take one such as en.", code=shown(code))


@dataclass(frozen=True)
class Round:
    """The games of a round, and the players without a game."""

    round: str
    games: tuple[Assignment, ...]
    resting: tuple[str, ...] = ()
    byes: Mapping[str, str] = field(default_factory=dict)
    """The kind of bye of each player without a game, if it is known, as in :data:`BYES`."""
    undone: bool = False
    """The pairings were taken back: nobody has a game, until there are others."""
    left_out: tuple[str, ...] = field(default=(), compare=False)
    """Sentences about pairs of the file that cannot be read; they are not kept."""

    def __post_init__(self) -> None:
        """:raises ValueError: if a table or a player has two games, or there is no such bye."""
        for kind in self.byes.values():
            if kind not in BYES.values():
                raise UserError("bye is full, half or zero, not {kind}.", kind=shown(kind))
        tables = [game.table for game in self.games]
        players = [name for game in self.games for name in (game.white, game.black)]
        for names in (tables, players):
            twice, count = next(iter(Counter(names).most_common(1)), ("", 0))
            if count > 1:
                raise UserError(
                    "{twice} is paired twice in this round; correct the file.", twice=shown(twice)
                )


def read_round(
    path: Path, number: int | None = None, tell: Callable[[str], object] = lambda sentence: None
) -> Round:
    """The pairings of round ``number`` from a report file (TRF) or a table in CSV. Without a number
    it is the round that the file says, or the first one with a game to play. ``tell`` gets
    sentences about what was guessed or is left out.

    :raises ValueError: one sentence, if the file cannot be read or is wrong.
    """
    file = read_result_file(path)
    try:
        read = _from_trf(file, number) if isinstance(file, TrfFile) else _from_csv(file, number)
    except ValueError as error:
        raise ValueError(join_texts(": ", (path, error))) from None
    for remark in file.remarks:
        tell(remark)
    return read


def is_whole(path: Path) -> bool:
    """Return whether the file has a whole round: a report file does, a table may not.

    :raises ValueError: if it cannot be read.
    """
    return _is_report(read_bytes(path, PAIRINGS))


def _is_report(data: bytes) -> bool:
    lines = guess(data, "").lines
    return any(line.removeprefix("\ufeff").startswith("001 ") for line in lines)


def read_result_file(path: Path) -> TrfFile | CsvFile:
    """A file of pairings into which results can be entered.

    :raises ValueError: one sentence, if it cannot be read or is wrong.
    """
    data = read_bytes(path, PAIRINGS)
    try:
        return result_file_of(data, plain(str(path)))
    except ValueError as error:
        raise ValueError(join_texts(": ", (path, error))) from None


def result_file_of(data: bytes, name: str) -> TrfFile | CsvFile:
    """Like :func:`read_result_file`, of the content of a file with this ``name``."""
    return read_trf(data, name) if _is_report(data) else _csv_file(data, name)


def _csv_file(data: bytes, name: str) -> CsvFile:
    text = guess(data, name)
    lines = zip(text.lines, text.encodings, strict=True)
    encodings = {one for line, one in lines if not line.isascii() or one.startswith("utf-16")}
    # A file of several encodings is written in UTF-8, which has all letters.
    encoding = encodings.pop() if len(encodings) == 1 else "utf-8"
    return CsvFile(shown_whole("".join(text.lines)), encoding, text.guessed)


def _from_trf(file: TrfFile, number: int | None) -> Round:
    number = number or file.open_round()
    games, left = [], tuple(file.left_out(number))
    forfeited: list[str] = []
    for board, (white, black) in file.boards(number):
        names = spoken_name(white.name), spoken_name(black.name)
        if {*file.scores(number, (white, black))} <= {"+", "-"}:
            forfeited += names  # no game is played
        else:
            games.append(Assignment(str(number), board, *names))
    if not games:
        raise ValueError(left[0] if left else _("The file has no pairings for this round."))
    resting, byes = resting_in(file, number)
    return Round(str(number), tuple(games), (*resting, *forfeited), byes, left_out=left)


def resting_in(file: TrfFile, number: int) -> tuple[tuple[str, ...], dict[str, str]]:
    """The players without a game in round ``number``, and the kinds of their byes."""
    resting = {spoken_name(one.name): one.game(number).result for one in file.resting(number)}
    return tuple(resting), {name: BYES[kind] for name, kind in resting.items() if kind in BYES}


def _from_csv(file: CsvFile, number: int | None) -> Round:
    games: list[Assignment] = []
    resting: list[str] = []
    byes: dict[str, str] = {}
    rounds: set[str] = set()
    left: list[str] = []
    for place, row in file.games():
        bye = row.pop("bye")
        row["round"] = row["round"] or (str(number) if number else "")
        if number is not None and row["round"] != str(number):
            continue
        names = [spoken_name(row[side]) for side in SIDES]
        rounds |= {row["round"]} if any(names) else set()
        if all(names):
            try:
                games.append(Assignment(**{**row, "white": names[0], "black": names[1]}))
            except ValueError as error:
                left.append(
                    _(
                        "Row {row}, {white} against {black}, is left out: {reason}",
                        row=place + 1,
                        white=names[0],
                        black=names[1],
                        reason=str(error),
                    )
                )
        else:
            resting += filter(None, names)
            byes |= {name: bye for name in names if name and bye}
    rounds.discard("")  # a bye may leave it open
    if left and not games:
        raise ValueError(left[0])
    if not rounds:
        raise UserError("The file has no pairings for this round.")
    if len(rounds) > 1:
        raise UserError("The file has games of several rounds; name the round with --round.")
    return Round(rounds.pop(), tuple(games), tuple(resting), byes, left_out=tuple(left))


# --- changes of a round ----------------------------------------------------------------------


def changed(
    kept: Round | None, new: Round | None, gone: Iterable[str], tables: Iterable[str], *,
    merges: bool,
) -> Round:  # fmt: skip
    """The round ``kept``, changed by ``new`` or, unless it ``merges``, replaced by it; then the
    players ``gone`` withdraw. ``tables`` are the names of the tables that the hall knows.

    :raises ValueError: if there is no round, or it cannot be changed so.
    """
    now = kept
    if new is not None:
        seats = [game.table for game in kept.games] if kept else []
        now = with_tables(new, {*tables, *seats})
        if kept is not None and merges:
            now = merged(kept, now)
    if now is None:
        raise UserError("This round is not paired yet; do it with: blindplay hall pair FILE")
    for name in gone:
        now = without(now, name)
    return now


def merged(kept: Round, new: Round) -> Round:
    """Return ``kept`` with the games and byes of ``new``. A game replaces those at its table and
    those of its players, whose names may be typed otherwise (:func:`typed_otherwise`). A player
    whose game is replaced has no opponent."""
    meant = KnownNames(players_in(kept)).each_known(players_in(new))
    new = Round(
        new.round,
        tuple(
            replace(game, white=meant[game.white], black=meant[game.black]) for game in new.games
        ),
        tuple(meant[name] for name in new.resting),
        {meant.get(name, name): kind for name, kind in new.byes.items()},
    )
    tables = {game.table for game in new.games}
    players = set(players_in(new))
    games = list(new.games)
    lost: list[str] = []
    for game in kept.games:
        names = [game.white, game.black]
        others = [name for name in names if name not in players]
        if game.table in tables or len(others) < len(names):
            lost += others
        else:
            games.append(game)
    resting = [name for name in kept.resting if name not in players]
    byes = {name: kind for name, kind in kept.byes.items() if name in resting}
    games.sort(key=lambda game: natural(game.table))
    everybody = (*resting, *new.resting, *lost)
    return Round(kept.round, tuple(games), everybody, byes | dict(new.byes))


def typed_otherwise(kept: Round | None, new: Round) -> dict[str, str]:
    """The players of ``new`` who are typed otherwise than in ``kept``, and how they are written
    there."""
    meant = KnownNames(players_in(kept) if kept else ()).each_known(players_in(new))
    return {name: player for name, player in meant.items() if player != name}


def without(kept: Round, name: str) -> Round:
    """``kept`` after a player has withdrawn.

    :raises ValueError: if not exactly one player of the round has this name.
    """
    player = one_player(players_in(kept), name)
    return merged(kept, Round(kept.round, (), (player,), {player: "zero"}))


def one_player(names: Iterable[str], name: str) -> str:
    """:raises ValueError: if not exactly one player has this name."""
    names = KnownNames(names).players
    player = find_player(names, name)
    if not player:
        raise UserError(
            "{count} players are called {name}; write the whole name of one.",
            count=len(find_names(names, name)),
            name=shown(name),
        )
    return player


def players_in(paired: Round) -> list[str]:
    return [*(n for game in paired.games for n in (game.white, game.black)), *paired.resting]


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
            raise UserError(
                "Two tables have the number {number}: {first} and {second}.",
                number=number,
                first=candidates[0],
                second=candidates[1],
            )
        return replace(game, table=candidates[0]) if candidates else game

    return replace(paired, games=tuple(map(named, paired.games)))


def _number(name: str) -> str:
    match = re.search(r"(\d+)$", name)
    return match[1].lstrip("0") if match else ""


def withdrawn_from(before: Round | None, now: Round | None) -> list[Assignment]:
    """The games of the round ``before`` whose tables have none ``now``."""
    tables = {game.table for game in now.games} if now else set()
    return [game for game in before.games if game.table not in tables] if before else []


# --- in the hall's folder ------------------------------------------------------------------------


def pairings_file(folder: Path) -> Path:
    """The file in the hall's folder that holds the pairings."""
    return folder / _FILE


@contextlib.contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Let nobody else change the pairings meanwhile, nor give them to tables: two changes at once
    would lose one of them.

    :raises ValueError: if somebody else does so for long.
    :raises OSError: if the hall's folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    guard = files.open_file(folder / _GUARD, create=True)
    try:
        until = time.monotonic() + _BUSY_S
        while not files.lock(guard):
            if time.monotonic() >= until:
                raise UserError(
                    "The pairings are being changed elsewhere; do it again when that is done."
                )
            time.sleep(_LOOK_S)
        yield
    finally:
        os.close(guard)


@dataclass(frozen=True)
class _Kept:
    """What the hall's file of pairings holds."""

    rounds: list[Round]
    """By their numbers."""
    changed: str = ""
    """The round that was changed last; empty if that cannot be undone."""
    replaced: Round | None = None
    """What that round was before; None: it was not paired."""
    undone: Round | None = None
    """A round that was paired, and is not any more."""

    def of(self, number: str) -> Round | None:
        return next((one for one in self.rounds if one.round == number), None)

    @property
    def newest(self) -> Round | None:
        """The round of which players were told last; a correction of an earlier one is no news."""
        found = [*self.rounds, *([self.undone] if self.undone else [])]
        return max(found, key=lambda one: natural(one.round), default=None)


def keep_round(folder: Path, paired: Round) -> None:
    """Keep the pairings in the hall's folder, in place of those that this round had. Nothing is
    written if it has these already: they may be given once more, to a table that was away.

    :raises ValueError: if the file of the earlier rounds cannot be read, or would be too large.
    :raises OSError: if they cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    kept = _read(folder)
    before, undone = kept.of(paired.round), kept.undone
    if before == paired:
        return
    if before is None:  # the new round stands for one that was undone, whatever its number
        undone = None
    others = [other for other in kept.rounds if other.round != paired.round]
    _write(folder, _Kept([*others, paired], paired.round, before, undone))


def _write(folder: Path, kept: _Kept) -> None:
    rounds = sorted(kept.rounds, key=lambda one: natural(one.round))
    replaced = [kept.replaced] if kept.replaced else []
    before = {"changed": kept.changed, "replaced": replaced} if kept.changed else None
    value = {"rounds": rounds, "before": before, "undone": kept.undone}
    content = json.dumps(value, ensure_ascii=False, default=_given_values).encode()
    if len(content) > PAIRINGS.most_bytes:
        raise too_large(pairings_file(folder), PAIRINGS)
    files.write_new(pairings_file(folder), content)


def _given_values(value: Any) -> dict[str, Any]:
    """The values of a round or a game, without those that are empty."""
    needed = ("round", "games", "resting")
    names = (name for name, one in vars(value).items() if one or name in needed)
    return {name: vars(value)[name] for name in names if name != "left_out"}


def undo_round(folder: Path) -> tuple[Round, Round | None]:
    """Bring back the pairings as they were before :func:`keep_round` changed them last. Return the
    round that was changed and what it was before; None: it was not paired.

    :raises ValueError: if there is nothing to undo, or the file cannot be read.
    :raises OSError: if they cannot be written.
    """
    kept = _read(folder)
    changed = kept.of(kept.changed)
    if changed is None:
        raise UserError("There is no pairing to undo; pair the round anew.")
    rounds, undone = [one for one in kept.rounds if one is not changed], kept.undone
    if kept.replaced is not None:
        rounds.append(kept.replaced)
    else:
        undone = Round(changed.round, (), tuple(players_in(changed)), undone=True)
    _write(folder, _Kept(rounds, undone=undone))
    return changed, kept.replaced


def kept_round(folder: Path, number: int | str | None = None) -> Round | None:
    """The pairings of round ``number`` that :func:`keep_round` has kept, or those of the newest
    round; None if there are none, or they were undone.

    :raises ValueError: if the file cannot be read.
    """
    if number is not None:
        return _read(folder).of(str(number))
    newest = told_round(folder)
    return None if newest is None or newest.undone else newest


def told_round(folder: Path) -> Round | None:
    """The newest round that players were told, even if it was undone since; None if there is none.

    :raises ValueError: if the file cannot be read.
    """
    return _read(folder).newest


def kept_rounds(folder: Path, *, undone: bool = False) -> list[Round]:
    """All rounds that :func:`keep_round` has kept, by their numbers; with ``undone``, before them
    the one that was paired and is not any more.

    :raises ValueError: if the file cannot be read.
    """
    kept = _read(folder)
    return [*((kept.undone,) if undone and kept.undone else ()), *kept.rounds]


def _read(folder: Path) -> _Kept:
    path = pairings_file(folder)
    if not path.is_file():
        return _Kept([])
    value = read_json(read_text(path, PAIRINGS))
    try:
        rounds = [_round_of(one) for one in value["rounds"]]
        changed, replaced, undone = "", list[Round](), value.get("undone")
        if before := value.get("before"):
            # Earlier versions kept the rounds in the order in which they were paired.
            changed = before.get("changed", rounds[-1].round if rounds else "")
            replaced = [_round_of(one) for one in before["replaced"]]
        rounds.sort(key=lambda one: natural(one.round))
        return _Kept(rounds, changed, next(iter(replaced), None), undone and _round_of(undone))
    except (TypeError, KeyError, AttributeError):
        raise UserError(
            "{path} is not a file of pairings; move it away, and pair the round again.", path=path
        ) from None


def _round_of(kept: dict[str, Any]) -> Round:
    games = tuple(Assignment(**game) for game in kept["games"])
    resting, byes = tuple(map(str, kept["resting"])), dict(kept.get("byes", {}))
    return Round(kept["round"], games, resting, byes, bool(kept.get("undone")))


def assignment_of(body: dict[str, Any]) -> Assignment:
    """The assignment in a request; unknown keys are ignored.

    :raises ValueError: if it is not an assignment.
    """
    values = {name: body[name] for name in COLUMNS if name in body}
    try:
        return Assignment(**{name: plain(value) for name, value in values.items()})
    except (TypeError, AttributeError):  # a value that is not a text
        raise UserError("This is not an assignment of a game.") from None


@dataclass(frozen=True)
class PlayerPlace:
    """One player of a round."""

    name: str
    pairing: Pairing | None
    """None: no game in this round."""
    bye: str = ""
    """Its kind, if it is known, as in :data:`BYES`; ``undone`` in a round that was undone."""

    @property
    def table(self) -> str:
        """Empty: no game."""
        return self.pairing.table if self.pairing else ""

    @property
    def side(self) -> str:
        return "white" if self.pairing and self.pairing.white == self.name else "black"

    @property
    def opponent(self) -> str:
        pairing = self.pairing
        return "" if pairing is None else pairing.black if self.side == "white" else pairing.white


def where(paired: Round, name: str, *, whole_words: bool = False) -> list[PlayerPlace]:
    """Return the places of the players with this name, as :func:`.names.find_names` finds them."""
    found = set(find_names(players_in(paired), name, whole_words=whole_words))
    games = [
        PlayerPlace(player, game.pairing)
        for game in paired.games
        for player in (game.white, game.black)
        if player in found
    ]
    resting = [
        PlayerPlace(player, None, "undone" if paired.undone else paired.byes.get(player, ""))
        for player in paired.resting
        if player in found
    ]
    return games + resting


def place_in_words(place: PlayerPlace, paired: Round, pack: Language) -> tuple[str, str]:
    """Return the sentence about a player's place: as it is printed, and as it is spoken."""
    pairing = place.pairing
    if pairing is None:
        bye = Pairing(paired.round, "", place.name, "", place.bye or "none")
        printed = pack.sentence(f"pairing_{bye.bye}", round=bye.round, name=place.name)
        return printed, pairing_in_words(bye, pack)
    printed = pack.sentence(
        "pairing",
        round=pairing.round,
        table=pairing.table,
        white=pairing.white,
        black=pairing.black,
    )
    return printed, pairing_in_words(pairing, pack)
