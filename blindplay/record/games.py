"""The games that are kept on this machine: the folder of tables, each game with its players, date,
length and result, its rulings once more, its options, and the removal of its files.

The journal holds the facts for the Laws: the same facts give the same rulings again. The table's
language, voice and boards are in a file of their own. If that file is deleted, the game continues
with the options of the command line.
"""

import contextlib
import dataclasses
import datetime
import itertools
import json
import secrets
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blindplay.given import JOURNAL, in_time
from blindplay.laws import Fact, FactError, Game, Ruling
from blindplay.laws.facts import Setup, loads
from blindplay.own_files import data_folder, read_object
from blindplay.translation import UserError, _, join_texts
from blindplay.wording.pack_words import PackWords

from . import files
from .files import OWN_ENDS, PART, SUFFIX, beside, damaged_copies
from .journal import JournalError, is_journal, is_running, read_journal
from .tape import is_recording, tape_folder

_LATELY = 10  # games among which an unfinished one is looked for
_EVENT_DAY_S = 86_400.0  # after that, --resume leaves out a finished game of an event


def tables_folder() -> Path:
    """The folder of journals, unless the user names another place."""
    return data_folder() / "tables"


def halls_folder() -> Path:
    """The folder of the files that this machine's tables have fetched from halls."""
    return data_folder() / "halls"


def new_journal(folder: Path | None = None) -> Path:
    """An unused name for a journal in ``folder`` or, without it, in one that only this user can
    read: it holds names."""
    folder = folder or tables_folder()
    with contextlib.suppress(OSError):  # opening the journal reports the fault
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Random, because two tables may begin within one tick of a machine's clock.
    return folder / f"{datetime.datetime.now():%Y-%m-%d-%H-%M-%S}-{secrets.token_hex(3)}{SUFFIX}"


@dataclass(frozen=True)
class Removed:
    """``recordings`` sound files of ``bytes`` together were removed, and other ``files``.
    ``left`` are files in the tape's folder that do not belong to the tape."""

    recordings: int
    bytes: int
    files: tuple[Path, ...]
    left: tuple[Path, ...]


def find(table: str) -> Path:
    """The journal of ``table``: its path, or its name in :func:`tables_folder`, with ``.jsonl`` or
    without. A missing journal counts while its tape exists.

    :raises ValueError: if there is none.
    """
    if not Path(table).name:
        raise UserError("The name of a table is empty; name its journal.")
    places = [
        folder / name
        for folder in (Path(), tables_folder())
        for name in (table, f"{table}{SUFFIX}")
    ]
    for journal in places:
        if journal.is_file():
            return journal
    for journal in places:
        if tape_folder(journal).is_dir():
            return journal
    raise UserError(
        "There is no table {table}; name its journal, or one of those in {folder}.",
        table=table,
        folder=tables_folder(),
    )


def forget(journal: Path, *, everything: bool = False) -> Removed:
    """Remove the tape of the game in ``journal``; with ``everything`` also the journal, damaged
    copies of it, and the files beside it.

    Only files that BlindPlay has written are removed. A call that was interrupted can be repeated.

    :raises ValueError: if a table is playing this game, or (``everything``) it is not a journal.
    :raises OSError: if something cannot be removed.
    """
    if is_running(journal):
        raise UserError(
            "A table is playing the game in {journal} at this moment; close that one first.",
            journal=journal,
        )
    kept = everything or not tape_folder(journal).is_dir()
    if kept and journal.is_file() and journal.stat().st_size and not is_journal(journal):
        raise JournalError("{journal} is not a BlindPlay journal; check the name.", journal=journal)
    files = list(_files(journal)) if everything else []
    tape, count, size = tape_folder(journal), 0, 0
    left: tuple[Path, ...] = ()
    if tape.is_dir():
        for path in sorted(tape.iterdir()):
            if is_recording(path):
                size += path.stat().st_size
                path.unlink()
                count += 1
        left = tuple(sorted(tape.iterdir()))
        if not left:
            tape.rmdir()
    for path in files:
        path.unlink(missing_ok=True)
    return Removed(count, size, tuple(files), left)


def _files(journal: Path) -> Iterator[Path]:
    """All files of a game but its tape. The journal comes last: while it is there, a call that was
    interrupted can find the rest by its name."""
    own = [beside(journal, end) for end in OWN_ENDS]
    parts = [path.with_name(path.name + PART) for path in own]
    for path in (*damaged_copies(journal), *own, *parts, journal):
        with contextlib.suppress(OSError):
            if path.is_file():
                yield path


@dataclass(frozen=True)
class KeptGame:
    """A game as its journal holds it; the names are empty if they are unknown."""

    journal: Path
    white: str = ""
    black: str = ""
    date: str = ""
    """YYYY-MM-DD; empty if not known."""
    moves: int = 0
    """The moves that White has completed, or Black has if they are more."""
    begun: bool = False
    """White's clock was started."""
    result: str = ""
    """Empty if the game is not over."""
    running: bool = False
    """A table is playing it now."""
    trouble: str = ""
    """One sentence about a fault of the journal; the rest comes from its undamaged part."""

    @property
    def unfinished(self) -> bool:
        """True if the game can be continued."""
        return self.begun and not self.result


def journals() -> list[Path]:
    """The journals in the folder of tables, the last written one first."""
    files = []
    for path in tables_folder().glob(f"*{SUFFIX}"):
        with contextlib.suppress(OSError):
            if ".damaged-" not in path.name and is_journal(path):
                files.append((path.stat().st_mtime_ns, path.name, path))
    return [path for _, _, path in sorted(files, reverse=True)]


def kept_game(journal: Path) -> KeptGame:
    """The game in one journal. No content of the file raises an error."""
    game, troubles = Game(PackWords()), list[str]()
    try:
        deque(replay(read_from_journal(journal, troubles.append), game=game), maxlen=0)
    except ValueError as error:
        troubles.append(str(error))
    trouble = join_texts(" ", troubles)
    running = is_running(journal)
    setup = game.setup
    if setup is None:
        return KeptGame(journal, running=running, trouble=trouble)
    return KeptGame(
        journal,
        setup.white.name,
        setup.black.name,
        setup.date,
        (len(game.history) + 1) // 2,
        game.started,
        game.result or "",
        running,
        trouble,
    )


def kept_games() -> Iterator[KeptGame]:
    """The games in the folder of tables, the last one first. Each is read when it is wanted."""
    yield from map(kept_game, journals())


def left_unfinished() -> KeptGame | None:
    """The newest game that is unfinished and that no table plays now, among the last ones: each
    takes time to read."""
    for game in itertools.islice(kept_games(), _LATELY):
        if game.unfinished and not game.running:
            return game
    return None


def last_played() -> Path:
    """The journal that was written last.

    :raises ValueError: if there is none.
    """
    for journal in journals():
        return journal
    raise UserError("There is no game in {folder}; name its journal.", folder=tables_folder())


def last_unfinished(*, of_event: bool = False) -> Path:
    """The journal of the unfinished game that was played last. At a table that waits for pairings
    any game of the last day can be resumed: one that is set up, one that players must sign, and
    the last one before the next pairing. After people have left such a table, an unfinished game
    comes before it, unless one ``of_event`` is wanted.

    :raises ValueError: if there is none.
    """
    journal, left = None, False
    for game in kept_games():
        goes_on = _may_go_on(game.journal)
        left = left or (goes_on and bool(kept_options(game.journal).get("left")))  # and all before
        if goes_on if of_event else game.unfinished or (goes_on and not left):
            return game.journal
        if journal is None and (game.unfinished or goes_on):
            journal = game.journal
    if journal is None:
        raise UserError(
            "There is no unfinished game in {folder}; name its journal with --journal, "
            "or begin a game without --resume.",
            folder=tables_folder(),
        )
    return journal


def _may_go_on(journal: Path) -> bool:
    kept = kept_options(journal)
    return bool(
        kept.get("await_pairing")
        and not kept.get("withdrawn")
        and time.time() - journal.stat().st_mtime < _EVENT_DAY_S
    )


def last_finished() -> Path:
    """The journal of the game that ended last.

    :raises ValueError: if there is none.
    """
    journal = next((game.journal for game in kept_games() if game.result), None)
    if journal is None:
        raise UserError(
            "There is no finished game in {folder}; name a journal, a PGN or an EPD.",
            folder=tables_folder(),
        )
    return journal


def being_played(*others: Path) -> Path | None:
    """A journal in the folder of tables, or one of ``others``, that a table has open now."""
    return next(filter(is_running, (*others, *journals())), None)


def check_none_is_played(*others: Path) -> None:
    """Look whether a position may be examined now (11.3.1). ``others`` as :func:`being_played`.

    :raises ValueError: if a table plays a game.
    """
    if (playing := being_played(*others)) is not None:
        raise UserError(
            "A table is playing the game in {playing} at this moment; a review "
            "comes after the game.",
            playing=playing,
        )


class ReplayError(UserError):
    """A line that is not a fact, or a fact that cannot come at its place."""


def read_facts(stream: Iterable[str], name: str) -> Iterator[tuple[str, Fact]]:
    """The facts of a stream of JSON Lines, each with its place, ``NAME:LINE``; empty lines are
    skipped.

    :raises ReplayError: at the first line that is not a fact.
    """
    number = 0
    try:
        for number, line in enumerate(stream, 1):
            if line.strip():
                try:
                    yield f"{name}:{number}", loads(line)
                except FactError as error:
                    raise ReplayError(
                        "{place}: {error}.", place=f"{name}:{number}", error=error
                    ) from None
    except UnicodeDecodeError:
        raise ReplayError(
            "{name}:{number}: it is not a text in UTF-8.", name=name, number=number + 1
        ) from None


def read_from_journal(
    path: Path, tell: Callable[[str], object] = lambda sentence: None
) -> Iterator[tuple[str, Fact]]:
    """The facts of a journal. Instead of its position, each has the beginning of the
    message for a fact that cannot come. ``tell`` gets a sentence about damage that was put right.

    :raises JournalError: if there is no journal; if it is damaged, after the last line that is
        proved; if a newer version wrote it, before the first line that is not known.
    :raises ValueError: one sentence, if the work on the facts takes too long.
    """
    contents = read_journal(path)
    if contents.repaired:
        tell(contents.repaired)
    for fact in in_time(contents.facts, JOURNAL, path):
        yield _("{path} is not the journal of a game", path=path), fact
    if contents.trouble:
        raise JournalError(contents.trouble)


def replay(
    facts: Iterable[tuple[str, Fact]], edition: str | None = None, game: Game | None = None
) -> Iterator[Ruling]:
    """The rulings of all facts, in order; ``edition`` replaces that of the setup. ``game``: the
    game that takes them, a new one if not given.

    :raises ReplayError: at the first fact that cannot come at its place.
    """
    game = game or Game(PackWords())
    for place, fact in facts:
        if edition is not None and isinstance(fact, Setup):
            fact = dataclasses.replace(fact, edition=edition)
        try:
            yield from game.apply(fact)
        except FactError as error:
            raise ReplayError("{place}: {error}.", place=place, error=error) from None


_END: files.OwnEnd = ".options"


def options_of(journal: Path) -> Path:
    """The file with the options of the game in ``journal``."""
    return files.beside(journal, _END)


def keep_options(journal: Path, options: Mapping[str, Any]) -> None:
    """Keep ``options``, which JSON can hold, by their names. A disk that cannot keep them does not
    stop the game."""
    text = json.dumps(dict(options), ensure_ascii=False, indent=1) + "\n"
    with contextlib.suppress(OSError):
        journal.parent.mkdir(parents=True, exist_ok=True)
        files.write_new(options_of(journal), text.encode())


def note(journal: Path, **marks: Any) -> None:
    """Note beside the journal what a later table must know of its game: ``withdrawn`` by the hall,
    ``left`` by people who have ended the table of the event, ``board_ids`` by seat, or options that
    have changed."""
    kept = kept_options(journal)
    if kept and any(kept.get(name, False) != mark for name, mark in marks.items()):
        keep_options(journal, {**kept, **marks})


def leave_event() -> None:
    """Note that people have ended a table that waits for pairings; see :func:`last_unfinished`."""
    journal = next(filter(_may_go_on, journals()), None)
    if journal is not None:
        note(journal, left=True)


def kept_options(journal: Path) -> dict[str, Any]:
    """The options that were kept for the game in ``journal``; none if they cannot be read."""
    return read_object(options_of(journal))
