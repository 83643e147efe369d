"""The papers of a round, and the archive of an event: ``blindplay hall papers`` and ``archive``."""

import contextlib
import functools
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blindplay.given import PAIRINGS, plain, read_bytes, shown
from blindplay.language.scoresheets import braille
from blindplay.record import files
from blindplay.record.writing import PAPER, Paper
from blindplay.translation import UserError, _, one_of

from . import options
from .hall_event import about_file, event_option, open_voice, round_option

if TYPE_CHECKING:
    from enum import StrEnum

    from blindplay.hall.papers import EventRound, PaperForm, PaperKind, RoundPaper
    from blindplay.language import Language
    from blindplay.speech.synthesis import Synthesiser


def _kinds() -> "type[PaperKind]":
    from blindplay.hall.papers import PaperKind

    return PaperKind


def _forms() -> "type[PaperForm]":
    from blindplay.hall.papers import PaperForm

    return PaperForm


def _one_of(members: "Callable[[], type[StrEnum]]") -> options.ParsedValue:
    """A choice among the members of an enumeration that is imported when it is needed."""

    def choices() -> tuple[str, ...]:
        return tuple(members())

    def parse(text: str) -> "StrEnum":
        if text not in choices():
            known = one_of(choices())
            raise UserError("There is no {text}; choose {known}.", text=shown(text), known=known)
        return members()(text)

    return options.ParsedValue("name", parse, choices)


_LARGE = 24  # points


@click.command()
@click.argument("file", type=options.FILE, required=False, help=_("Take the standings from this "
                "report file (TRF)."))  # fmt: skip
@event_option
@round_option(_("Take this round. Without it, it is the newest one."))
@click.option("--paper", "kinds", type=_one_of(_kinds), multiple=True,
              help=_("Write this paper; it can be given several times. Without it, all are written "
              "for which there is something."))  # fmt: skip
@click.option("--form", "forms", type=_one_of(_forms), multiple=True,
              help=_("Write this form; it can be given several times. Without it, all but sound "
              "are written."))  # fmt: skip
@click.option("--output", type=options.FOLDER, help=_("Write into this folder."),
              show_default=_("round-NUMBER-LANGUAGE"))  # fmt: skip
@click.option("--points", type=click.IntRange(16, 32), default=_LARGE, help=_("Use this size of "
              "type in large print."))  # fmt: skip
@click.option("--cells", type=int, default=PAPER.cells, help=_("Write so many cells in a line of "
              "Braille."))  # fmt: skip
@click.option("--lines", type=int, default=PAPER.lines, help=_("Write so many lines on a page of "
              "Braille."))  # fmt: skip
@options.language(help=_("Write and speak in this language."))
@click.option("--say", "aloud", is_flag=True, help=_("Speak the papers instead of writing them."))
def papers(
    file: Path | None,
    event_file: Path,
    number: int | None,
    kinds: "tuple[PaperKind, ...]",
    forms: "tuple[PaperForm, ...]",
    output: Path | None,
    points: int,
    cells: int,
    lines: int,
    pack: "Language",
    aloud: bool,
) -> None:
    """Write the papers of a round: pairings, cards, result slips, results, standings, report.

    Each is a page for a printer, the same in large print, a file for an embosser (BRF), and a text
    to read by ear. The form sound is a WAV file.
    """
    from blindplay.hall.event_file import read_event_file
    from blindplay.hall.pairings.trf import read_trf
    from blindplay.hall.papers import ENDINGS, EventRound, PaperForm

    with about_file(file):
        ranked = None if file is None else read_trf(read_bytes(file, PAIRINGS), plain(str(file)))
    for remark in ranked.remarks if ranked else ():
        options.warn(remark)
    about = EventRound.of(read_event_file(event_file, table=False), number, pack.code, ranked)
    found = list(_found(about, kinds, pack))
    if aloud:
        _speak(found, pack)
        return
    name = re.sub(r"[^\w-]+", "-", about.paired.round)
    folder = output or Path(f"round-{name}-{pack.code}")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = forms or [form for form in PaperForm if form is not PaperForm.SOUND]
    paper = Paper(cells, lines, points)
    with contextlib.ExitStack() as stack:
        voice = functools.cache(lambda: _voice(stack, pack))
        for one in found:
            for form in wanted:
                content = _content(one, form, paper, voice)
                if content is not None:
                    path = folder / f"{one.kind}{ENDINGS[form]}"
                    files.write_new(path, content)
                    print(path)
    if PaperForm.BRAILLE in wanted:
        _name_unwritten(about, pack)


def _found(
    about: "EventRound", kinds: "tuple[PaperKind, ...]", pack: "Language"
) -> "Iterator[RoundPaper]":
    for kind in kinds or _kinds():
        paper = about.paper(kind, pack)
        if paper is not None:
            yield paper
        elif kinds:
            raise ValueError(_NOTHING[kind])


_NOTHING = {
    "results": _("No game of this round has come to the hall yet."),
    "report": _("No game of this round has begun yet."),
    "standings": _(
        "The standings come from the pairing program; name a report file (TRF) with ranks "
        "or points."
    ),
}
"""By the kinds of papers that may be missing."""


def _content(
    one: "RoundPaper", form: "PaperForm", paper: Paper, voice: "Callable[[], Synthesiser]"
) -> bytes | None:
    """The file of a paper; None if it is of no use in this form."""
    if form == "print":
        return one.html(PAPER.points).encode()
    if form == "large":
        return one.html(paper.points).encode()
    if form == "braille":
        return one.brf(paper).encode("ascii")
    if one.kind == "slips":  # it is there to be written on
        return None
    return one.text().encode() if form == "text" else one.sound(voice())


def _voice(stack: contextlib.ExitStack, pack: "Language") -> "Synthesiser":
    from blindplay.speech.synthesis import Synthesiser

    return stack.enter_context(Synthesiser(pack.code, spellings=pack.spoken))


def _speak(found: "Iterable[RoundPaper]", pack: "Language") -> None:
    with contextlib.ExitStack() as stack:
        say = open_voice(stack, pack)
        for one in found:
            if one.kind != "slips":
                for line in one.spoken_lines():
                    print(line, flush=True)
                    say(line)


def _name_unwritten(about: "EventRound", pack: "Language") -> None:
    """Warn of letters in names that the Braille of this language does not have."""
    games = about.paired.games
    names = [name for game in games for name in (game.white, game.black)] + [*about.paired.resting]
    for name in names:
        letters = braille.unwritten(name, pack.code)
        if letters:
            options.warn(
                _(
                    "The Braille of this language has no sign for {letters}; write {name} by hand.",
                    letters=", ".join(letters),
                    name=name,
                )
            )


@click.command()
@click.argument("reports", nargs=-1, type=options.FILE, metavar="[FILE]...", help=_("Put this "
                "report file (TRF) or table (CSV) into it; there can be several."))  # fmt: skip
@event_option
@click.option("--output", type=options.FILE, help=_("Write this file. Without it, it is called "
              "EVENT.zip."))  # fmt: skip
@options.language(help=_("Write the papers in it in this language."))
@click.option("--with-sealed", is_flag=True, help=_("Archive adjourned games although everybody "
              "can read their sealed moves in it."))  # fmt: skip
def archive(
    reports: tuple[Path, ...],
    event_file: Path,
    output: Path | None,
    pack: "Language",
    with_sealed: bool,
) -> None:
    """Write the archive of an event: one file with all games, which anybody can verify.

    It has the journals with their signatures, the public keys, the pairings, the files of the
    pairing program, the results and the reports, and no password and no private key. It is checked
    at once. The exit status is 1 if something does not hold.
    """
    from blindplay.hall import archive as archives
    from blindplay.hall.event_file import read_event_file

    joined = read_event_file(event_file, table=False)
    output = output or Path(f"{joined.event}.zip")
    options.check_folder_of(output)
    written = archives.write(output, joined, reports, pack, with_sealed=with_sealed)
    for remark in written.remarks:
        options.warn(remark)
    options.show(
        _("The archive is in {output}. Games in it: {games}.", output=output, games=written.games)
    )
    wrong = [one for one in archives.verify(output) if not one.holds]
    options.show_all(one.sentence for one in wrong)
    if wrong:
        options.show(_("What does not hold: {wrong}.", wrong=len(wrong)))
    options.show_all(
        [
            _("Anybody can check it with:"),
            f"    {options.called()} verify {output}",
            _("Publish these two digests, so that people can compare them."),
            _("The SHA-256 of the archive is {digest}.", digest=written.digest),
            _("The digest of the tables' keys is {digest}.", digest=written.keys),
        ]
    )
    if wrong:
        raise click.exceptions.Exit(1)
