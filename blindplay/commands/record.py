"""What is kept of games: ``blindplay games``, ``score``, ``reconcile``, ``forget``, ``verify``."""

import dataclasses
import sys
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
from blindplay.record import disputes, writing
from blindplay.record import games as kept
from blindplay.record.writing import PAPER, EntryForm, Paper, RecordFormat
from blindplay.translation import _, join_texts

from . import options
from .reader import to_reader

if TYPE_CHECKING:
    from blindplay.record.games import KeptGame

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


_TAPE = "tape"
_FORMAT = options.MemberChoice((*RecordFormat, _TAPE))
_ENTRIES = options.MemberChoice(EntryForm)


@click.command()
@click.argument(
    "journal",
    type=options.FILE,
    required=False,
    help=_("Read the game from this journal. Without it, the game that was played last is taken."),
)
@click.option(
    "--format", "form", type=_FORMAT, default="pgn", help=_("Write the record in this form.")
)
@click.option(
    "--side", type=click.Choice(SIDES), help=_("Write the scoresheet of this player; see above.")
)
@click.option(
    "--output", type=options.FILE, help=_("Write this file; a tape as .flac, .opus or .wav.")
)
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
@click.option("--from", "first", type=click.IntRange(1), help=_("Play the tape from this move on."))
@click.option(
    "--header", multiple=True, help=_("Add this tag of PGN, such as Site=Oslo; it can be repeated.")
)
def score(
    journal: Path | None,
    form: RecordFormat | str,
    side: str | None,
    output: Path | None,
    entries: EntryForm | None,
    language: str | None,
    cells: int,
    lines: int,
    points: int,
    first: int | None,
    header: tuple[str, ...],
) -> None:
    """Write the record of a game, or play its tape.

    The format sheet is a scoresheet in plain text, braille one in Unicode Braille, brf one for an
    embosser, longhand one in whole words, html a page for a printer, tape the recorded sound.
    Without --side, the scoresheet is that of the impaired player, or White's. Without --entries,
    plain text is as written by the player, Braille in algebraic notation, longhand and html in the
    words of announcements.
    """
    if first is not None and form != _TAPE:
        raise ValueError(_("--from goes with --format tape; a scoresheet is always written whole."))
    options.check_folder_of(output)
    journal = journal or kept.last_played()
    if output is not None:
        writing.check_output(journal, output)
    if not isinstance(form, RecordFormat):
        _play_tape(journal, first, output)
        return
    if language is not None:
        options.load_language(language)
    tags = {name: value for name, _, value in (given.partition("=") for given in header)}
    broken = None
    try:
        scored = writing.Scored.of(journal, tags)
    except writing.BrokenGameError as error:  # the readable part is written all the same
        scored, broken = error.before, error
    paper = Paper(cells, lines, points)
    _write(scored.write(form, side, language=language, entries=entries, paper=paper), output)
    if broken is not None:
        raise broken


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
        output.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise ValueError(
            _("{output} cannot be written ({reason}).", output=output, reason=reason_of(error))
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
    sheets = {"white": disputes.read_sheet(white), "black": disputes.read_sheet(black)}
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


@click.command()
@click.argument(
    "table", help=_("This is a table's journal: its path, or its name in your folder of tables.")
)
@click.option("--hall", type=options.FILE, help=_("Only trust the keys of the tables in this file, "
              "the hall's own one of the event."))  # fmt: skip
@options.as_json(help=_("Print JSON, one object for each line."))
def verify(table: str, hall: Path | None, as_json: bool) -> int:
    """Check a journal: its chain, its signatures, and that the rulings follow from the facts.

    It says each result in one sentence. The exit status is 1 if something does not hold. With
    --hall, the journal must be signed up to its last line.
    """
    from blindplay.record import signatures

    known = None
    if hall is not None:
        from blindplay.hall.event_file import read_event_file

        joined = read_event_file(hall, table=False)
        if not joined.keys:
            raise ValueError(
                _("{hall} holds no keys of tables; name the file of the hall.", hall=hall)
            )
        known = signatures.KnownKeys(joined.event, joined.keys)
    wrong = 0
    for finding in signatures.verify(kept.find(table), known):
        wrong += not finding.holds
        options.show(asdict(finding) if as_json else finding.sentence)
    if not as_json:
        options.show(
            _("What does not hold: {wrong}.", wrong=wrong) if wrong else _("All of this holds.")
        )
    return 1 if wrong else 0
