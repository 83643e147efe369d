"""What is kept of games: ``blindplay games``, ``score``, ``reconcile``, ``forget``, ``verify``.

``score`` writes any games: those of the tables, and those of other files.
"""

import contextlib
import dataclasses
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import chess
import click

from blindplay.given import reason_of
from blindplay.language import Language
from blindplay.laws.facts import SIDES
from blindplay.record import book, disputes, files, writing
from blindplay.record import games as kept
from blindplay.record.journal import is_journal
from blindplay.record.study import Unread
from blindplay.record.writing import PAPER, EntryForm, Paper, RecordFormat
from blindplay.translation import UserError, _, join_texts

from . import options
from .reader import to_reader, user_language

if TYPE_CHECKING:
    from blindplay.record.games import KeptGame
    from blindplay.record.signatures import Finding

# --- the list


_NEWEST = 20


@click.command()
@options.language(help=_("Write the list in this language."))
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help=_("List all games, not only the last ones."),
)
@options.as_json(help=_("Print JSON, one object for each game."))
def games(pack: Language, everything: bool, as_json: bool) -> None:
    """List your games with players, date, moves and result, the last one first.

    blindplay play --resume continues the last one that is not finished.
    """
    from blindplay.record.games import journals, kept_games

    count = len(journals())
    for game in kept_games() if everything else islice(kept_games(), _NEWEST):
        if as_json:
            options.show({**dataclasses.asdict(game), "journal": str(game.journal)})
        else:
            options.show(_in_words(game, pack))
    if not count and not as_json:
        options.show(pack.printed("games_none"))
    elif count > _NEWEST and not everything and not as_json:
        options.show(pack.printed("games_more").format(count=count - _NEWEST))


def _in_words(game: "KeptGame", pack: Language) -> str:
    name = game.journal.stem
    if game.trouble and not game.begun:
        return pack.printed("games_unread", name=name, why=game.trouble)
    state = "games_running" if game.running else "games_open"
    line = pack.printed(
        "games_line",
        name=name,
        date=options.date_of(game.date, pack),
        white=game.white or pack.sentence("white"),
        black=game.black or pack.sentence("black"),
        moves=pack.printed("games_moves", count=game.moves),
        result=game.result or pack.printed(state),
    )
    return join_texts(" ", filter(None, (line, game.trouble)))


# --- the record


_TAPE, _SPEECH = "tape", "speech"
_FORMAT = options.MemberChoice((*RecordFormat, _SPEECH, _TAPE))
_ENTRIES = options.MemberChoice(EntryForm)


@click.command()
@click.argument(
    "journal",
    type=options.FILE,
    required=False,
    help=_(
        "Read the game from this journal, or the games from this file: PGN, FEN, EPD, or what this "
        "command has written. Without it, the game that was played last is taken."
    ),
)
@click.option(
    "--format", "form", type=_FORMAT, default="pgn", help=_("Write the record in this form.")
)
@click.option(
    "--side", type=click.Choice(SIDES), help=_("Write the scoresheet of this player; see above.")
)
@click.option(
    "--output",
    type=options.FILE,
    help=_("Write this file; a tape as .flac, .mp3, .opus or .wav, and speech into a folder."),
)
@options.overwrite
@click.option(
    "--entries", type=_ENTRIES, help=_("Write a scoresheet's entries like this; see above.")
)
@click.option(
    "--language",
    help=_("Write in this language. Without it, the record is in that of the sheet's player."),
)
@click.option(
    "--cells", type=int, default=PAPER.cells, help=_("Write so many cells in a line of Braille.")
)
@click.option(
    "--lines", type=int, default=PAPER.lines, help=_("Write so many lines on a page of Braille.")
)
@click.option(
    "--points",
    type=int,
    default=PAPER.points,
    help=_("Print in this size of type; 18 is large print."),
)
@click.option("--yellow", is_flag=True, help=_("Print black on yellow."))
@click.option(
    "--diagrams",
    type=click.IntRange(0, 100),
    default=0,
    help=_(
        "Print a diagram after so many moves, one on a page. With 0, there are those of the author "
        "and of positions that games begin with."
    ),
)
@click.option(
    "--no-times",
    is_flag=True,
    help=_("Leave out times, evaluations and arrows that programs have written into comments."),
)
@click.option("--from", "first", type=click.IntRange(1), help=_("Play the tape from this move on."))
@click.option(
    "--header", multiple=True, help=_("Add this tag of PGN, such as Site=Oslo; it can be repeated.")
)
def score(
    journal: Path | None,
    form: RecordFormat | str,
    side: str | None,
    output: Path | None,
    overwrite: bool,
    entries: EntryForm | None,
    language: str | None,
    cells: int,
    lines: int,
    points: int,
    yellow: bool,
    diagrams: int,
    no_times: bool,
    first: int | None,
    header: tuple[str, ...],
) -> int:
    """Write the record of a game, the games of a file, or play a tape.

    The format sheet is plain text, braille Unicode Braille, brf a file for an embosser, longhand
    whole words, html pages for a printer, speech a sound file for each game, tape the recorded
    sound. The games of a file are written with variations, comments and a table of contents, and
    what is written can be read again. An entry that cannot be read is named, and the exit status
    is 2.

    Of a journal, a scoresheet is written. Without --side, it is that of the impaired player, or
    White's. Without --entries, plain text is as written by the player, Braille in algebraic
    notation, longhand and html in the words of announcements.
    """
    if first is not None and form != _TAPE:
        raise UserError("--from goes with --format tape; a scoresheet is always written whole.")
    journal = journal or kept.last_played()
    if output is not None:
        writing.check_output(journal, output)
    if form != _SPEECH:
        options.check_new(output, overwrite=overwrite)
    paper = Paper(cells, lines, points)
    if form == _SPEECH or (form != _TAPE and journal.is_file() and not is_journal(journal)):
        if side is not None or entries is not None or header:
            raise UserError(
                "--side, --entries and --header are for scoresheets of journals; leave them out."
            )
        style = book.BookStyle(times=not no_times, yellow=yellow, diagrams=diagrams)
        return _write_book(journal, form, output, language, paper, style, overwrite=overwrite)
    if diagrams or no_times:
        raise UserError(
            "--diagrams and --no-times are for files with games; leave them out for a journal."
        )
    if not isinstance(form, RecordFormat):
        _play_tape(journal, first, output)
        return 0
    if language is not None:
        options.load_language(language)
    tags = {name: value for name, _, value in (given.partition("=") for given in header)}
    broken = None
    try:
        scored = writing.Scored.of(journal, tags)
    except writing.BrokenGameError as error:  # the readable part is written all the same
        scored, broken = error.before, error
    _write(
        scored.write(form, side, language=language, entries=entries, paper=paper, yellow=yellow),
        output,
    )
    if scored.repaired:
        print(scored.repaired, file=sys.stderr)
    if broken is not None:
        raise broken
    return 0


def _write_book(
    source: Path,
    form: RecordFormat | str,
    output: Path | None,
    language: str | None,
    paper: Paper,
    style: "book.BookStyle",
    *,
    overwrite: bool,
) -> int:
    """Write the games of a file. Name those that cannot be read, or not to their end."""
    pack = options.load_language(language or user_language())
    if form == _SPEECH and output is None:
        raise UserError("Speech is one file for each game; name a folder with --output.")
    found = book.read_games(source, options.warn)
    games = (one if isinstance(one, Unread) else one.pgn for one in found)
    written = book.Book.of(source.stem, games, pack, style)
    if isinstance(form, RecordFormat):
        _write(written.write(form, paper), output)
    else:
        assert output is not None
        _speak_book(written, output, overwrite=overwrite)
    trouble = [
        one.sentence if isinstance(one, Unread) else one.remark
        for one in found
        if isinstance(one, Unread) or one.remark
    ]
    for sentence in trouble:
        options.warn(sentence)
    return 2 if trouble else 0


def _speak_book(written: "book.Book", folder: Path, *, overwrite: bool) -> None:
    from blindplay.record.book_sound import all_files, write_spoken
    from blindplay.speech.synthesis import Synthesiser

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            "{output} cannot be written ({reason}).", output=folder, reason=reason_of(error)
        ) from None
    for name in all_files(written):
        options.check_new(folder / name, overwrite=overwrite)
    pack = written.pack
    with Synthesiser(
        pack.code,
        spellings=pack.spoken,
        spellings_of=lambda code: options.load_language(code).spoken,
    ) as synthesiser:
        for path in write_spoken(written, folder, synthesiser):
            print(path, flush=True)


def _play_tape(journal: Path, first: int | None, output: Path | None) -> None:
    from blindplay.record import tape_playback
    from blindplay.speech.audio_devices import DeviceSink

    tape_playback.find_tape(journal)  # without a tape, a missing loudspeaker does not matter
    with closing(DeviceSink()) if output is None else nullcontext() as sink:
        tape_playback.play_tape(journal, first, output, sink, to_reader(sys.stdout))


def _write(text: str, output: Path | None) -> None:
    """Write as bytes: an embosser's line ends are CR LF on every system."""
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
        return
    try:
        files.write_new(output, text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            "{output} cannot be written ({reason}).", output=output, reason=reason_of(error)
        ) from None
    print(output)


@click.command()
@click.option(
    "--white",
    type=options.FILE,
    required=True,
    help=_("Read White's scoresheet from this text file."),
)
@click.option(
    "--black", type=options.FILE, required=True, help=_("Read Black's scoresheet from this file.")
)
@click.option(
    "--white-board", help=_("Compare this position on White's board, in FEN; ? is any piece.")
)
@click.option("--black-board", help=_("Compare this position on Black's board, in FEN."))
@options.fen_from_start(help=_("Begin the game with this position, in FEN."))
@options.edition()
@options.language(help=_("Answer in this language."))
@options.as_json(help=_("Print one JSON object."))
def reconcile(
    white: Path,
    black: Path,
    white_board: str | None,
    black_board: str | None,
    board: chess.Board,
    edition: str,
    pack: Language,
    as_json: bool,
) -> None:
    """Compare two scoresheets and two boards (D.2.9).

    It tells where they differ, who must correct what, and how.
    """
    sheets = {
        side: disputes.read_sheet(path, options.warn)
        for side, path in (("white", white), ("black", black))
    }
    boards = {
        side: disputes.check_board(placement, f"--{side}-board")
        for side, placement in (("white", white_board), ("black", black_board))
        if placement is not None
    }
    decision = disputes.decide(sheets, boards, board, edition, pack)
    if as_json:
        options.show(decision.to_json())
        return
    for sentence, articles in decision.lines:
        print(f"{sentence} ({', '.join(articles)})")


@click.command()
@click.argument(
    "table", help=_("This is a table's journal: its path, or its name in your folder of tables.")
)
@click.option("--all", "everything", is_flag=True, help=_("Remove the journal, and so the game."))
def forget(table: str, everything: bool) -> None:
    """Remove the sound of a table or, with --all, the whole game.

    The phrases that voices have rendered go, too, because they hold the players' names. It does
    not ask. It names each file that it removes. It does not find copies elsewhere, such
    as backups.
    """
    from blindplay.speech.synthesis import forget_phrases

    journal = kept.find(table)
    done = kept.forget(journal, everything=everything)
    if done.recordings:
        megabytes = done.bytes / 1_000_000
        options.show(
            _(
                "Removed: {recordings} recordings, {megabytes} megabytes of sound.",
                recordings=done.recordings,
                megabytes=f"{megabytes:.1f}",
            )
        )
    else:
        options.show(_("There was no sound."))
    if forget_phrases():
        options.show(_("Removed: the phrases that the voices have rendered."))
    for path in done.files:
        options.show(_("Removed: {path}.", path=path))
    for path in done.left:
        options.show(_("Not removed, because it does not belong to the tape: {path}.", path=path))
    if not everything and journal.is_file():
        options.show(
            _("The game stays complete in {journal}; --all removes it, too.", journal=journal)
        )


# --- journals as evidence

_TOLD_LATER = (
    "moves",
    "sheets",
    "claims",
    "decisions",
)  # of a gap; boards and the time are left out


@click.command()
@click.argument("table", help=_("This is a table's journal: its path, or its name in your folder "
                "of tables; or the archive of an event."))  # fmt: skip
@click.option("--hall", type=options.FILE, help=_("Only trust the keys of the tables in this file, "
              "the hall's own one of the event."))  # fmt: skip
@options.as_json(help=_("Print JSON, one object for each line."))
def verify(table: str, hall: Path | None, as_json: bool) -> int:
    """Check a journal: its chain, its signatures, and that the rulings follow from the facts.

    It says each result in one sentence. The exit status is 1 if something does not hold, or cannot
    be checked because a newer version wrote it. With --hall, the journal must be signed up to its
    last line. If lines after a gap follow each other, it says what they hold, each marked as not
    proved. An archive of blindplay hall archive is checked game by game, and its report files
    are compared with the games.
    """
    from blindplay.record import signatures

    known = None
    if hall is not None:
        from blindplay.hall.event_file import read_event_file

        joined = read_event_file(hall, table=False)
        if not joined.keys:
            raise UserError("{hall} holds no keys of tables; name the file of the hall.", hall=hall)
        known = signatures.KnownKeys(joined.event, joined.keys)
    wrong = unchecked = 0
    if _is_archive(Path(table)):
        from blindplay.hall import archive

        findings = archive.verify(Path(table), known)
    else:
        findings = signatures.verify(kept.find(table), known)
    for finding in findings:
        wrong += finding.holds is False
        unchecked += finding.holds is None
        options.show(asdict(finding) if as_json else finding.sentence)
    if wrong and not _is_archive(Path(table)):
        for later in _after_the_gap(kept.find(table)):
            options.show(asdict(later) if as_json else later.sentence)
    if not as_json:
        if wrong:
            options.show(_("What does not hold: {wrong}.", wrong=wrong))
        if unchecked:
            options.show(_("What could not be checked: {unchecked}.", unchecked=unchecked))
        if not wrong and not unchecked:
            options.show(_("All of this holds."))
    return 1 if wrong or unchecked else 0


def _after_the_gap(journal: Path) -> Iterator["Finding"]:
    """What lines say for the arbiter that follow each other after a gap of a journal. Each sentence
    says that it is not proved. No record holds these lines, for nobody knows what came between."""
    from blindplay.console.messages import negotiate
    from blindplay.console.pages.timeline import GROUPS, Narrator
    from blindplay.laws import FactError, Game
    from blindplay.record import read_journal
    from blindplay.record.signatures import Finding
    from blindplay.wording.pack_words import PackWords

    contents, game = read_journal(journal), Game(PackWords())
    with contextlib.suppress(FactError):
        for fact in contents.facts:
            game.apply(fact)
    narrator = Narrator(game, negotiate(user_language()))
    told = frozenset[str]().union(*(GROUPS[group] for group in _TOLD_LATER))
    for number, fact in contents.later:
        if fact.kind in told:
            place = _("After the gap, not proved, line {number}:", number=number)
            yield Finding("later", None, join_texts(" ", (place, narrator.fact(fact))))


def _is_archive(path: Path) -> bool:
    """Return whether the file at ``path`` begins as a zip file does."""
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                return file.read(4) == b"PK\x03\x04"
    return False
