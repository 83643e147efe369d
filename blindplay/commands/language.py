"""``blindplay language``: the languages that are installed, and packs that people write."""

import dataclasses
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from blindplay import language as languages
from blindplay.given import PACK, read_bytes
from blindplay.language import LanguageError, pack
from blindplay.language.pack import Pack, source
from blindplay.language.pack_check import PackFinding, PackReport
from blindplay.language.pack_check import check as check_pack
from blindplay.translation import UserError, _, join_texts

from . import options

_MOST_SHOWN = 100  # findings of one kind


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def language() -> None:
    """List the languages, or check and add your own."""


@language.command("list")
@options.as_json(help=_("Print JSON instead of plain lines."))
def list_languages(as_json: bool) -> None:
    """List the languages, both the built-in ones and your own."""
    for code in languages.languages():
        row: dict[str, Any] = {"language": code, "file": source(code)[1]}
        try:
            row["name"] = Pack.read(code).text("name")
            lexicon = languages.lexicon(code)
            row |= {"words": len(lexicon.words), "fillers": len(lexicon.fillers)}
        except LanguageError as error:
            row["error"] = str(error)
        if as_json:
            options.show(row)
        elif "error" in row:
            options.show(_("{code}: cannot be used. {error}", code=code, error=row["error"]))
        else:
            options.show(
                _(
                    "{code}: {name}, {words} words to listen for and {fillers} others to "
                    "tell them from; {file}.",
                    code=code,
                    name=row["name"],
                    words=row["words"],
                    fillers=row["fillers"],
                    file=row["file"],
                )
            )


@language.command()
@click.argument("code", metavar="LANGUAGE", help=_("Read the sentences of this language."))
@click.option(
    "--output",
    type=options.FILE,
    help=_("Keep the answers in this file. Without it, it is review-LANGUAGE.toml in this folder."),
)
@options.flag("silent", _("Print everything and say nothing."))
def review(code: str, output: Path | None, silent: bool) -> None:
    """Read every sentence aloud to a native speaker, who calls it good or gives a better one.

    Each sentence is read with its key. Type yes in the language if it is good, or a better
    sentence. Enter repeats it. The next time, the sentences that are left are read. Send the file
    to those who write BlindPlay.
    """
    from blindplay.table.proofreading import proofread

    pack = options.load_language(code)
    file = output or Path(f"review-{pack.code}.toml")
    options.check_folder_of(file)
    proofread(pack, file, silent, sys.stdin, sys.stdout)


@language.command()
@click.argument(
    "file", type=options.FILE, help=_("Check this language pack, or the language with this code.")
)
@options.as_json(help=_("Print one JSON object."))
def check(file: Path, as_json: bool) -> int:
    """Check a language pack for errors, missing words, and words that sound alike.

    Each error comes with its line and its remedy. Words that are spelled or sound alike are
    warnings if a table can still be run. The exit status is 2 if the pack cannot be used.
    """
    report = _checked(file)
    if as_json:
        options.show({"usable": report.usable, **dataclasses.asdict(report)})
    else:
        _print_report(report)
    return 0 if report.usable else 2


@language.command()
@click.argument(
    "file",
    type=options.FILE,
    help=_("Add this language pack; it is named after its code, such as fo.toml."),
)
def add(file: Path) -> int:
    """Add a language pack of your own. It replaces a built-in one of the same name."""
    if misnamed := _misnamed(file):
        raise ValueError(misnamed)
    report = _checked(file)
    if not report.usable:
        _print_report(report)
        return 2
    folder = pack.own_packs()
    folder.mkdir(parents=True, exist_ok=True)
    added, unfinished = folder / file.name, folder / f".{file.stem}.new"
    unfinished.write_bytes(read_bytes(file, PACK))
    unfinished.replace(added)
    options.show(_("{name} is there now: {added}.", name=file.stem, added=added))
    return 0


@language.command()
@click.argument("code", help=_("Remove the language with this code, which you have added."))
def remove(code: str) -> None:
    """Remove a language pack that you have added."""
    file = pack.own_packs() / f"{code}.toml"
    if not re.fullmatch("[a-z]{2,3}", code) or not file.is_file():
        raise UserError("No language {code} has been added, so none is removed.", code=repr(code))
    file.unlink()
    options.show(_("{file} is removed.", file=file))


def _misnamed(file: Path) -> str:
    """The error in the name of a pack that is to be added; "" if there is none."""
    if re.fullmatch(r"[a-z]{2,3}\.toml", file.name):
        return ""
    return _(
        "{name} must be named after the code of its language, two or three small "
        "letters, such as fo.toml: rename it before you add it.",
        name=file.name,
    )


def _checked(file: Path) -> PackReport:
    from blindplay.speech.adaptation.sounds import sounds_of, unlikeness
    from blindplay.speech.synthesis import is_words

    if file.is_file():
        text, name = read_bytes(file, PACK), file.name
    elif str(file) in languages.languages():
        entry, name = source(str(file))
        text = entry.read_bytes()
    else:
        raise UserError(
            "There is no file {file}, and no language of this code; see blindplay language list.",
            file=file,
        )
    code = Path(name).stem
    report = check_pack(
        text,
        name,
        code,
        likeness=unlikeness,
        is_sound=lambda sound: bool(sounds_of(sound)),
        is_words=partial(is_words, language=code),
    )
    if file.is_file() and _misnamed(file):
        report.warnings.append(PackFinding("", None, _misnamed(file)))
    return report


def _print_report(report: PackReport) -> None:
    """Print the verdict first, so that a listener can stop after it."""
    errors, warnings = len(report.errors), len(report.warnings)
    about = {"file": report.file, "errors": errors, "warnings": warnings}
    options.show(
        _("{file} can be used. Errors: {errors}; warnings: {warnings}.", **about)
        if report.usable
        else _("{file} cannot be used yet. Errors: {errors}; warnings: {warnings}.", **about)
    )
    for finding in report.errors[:_MOST_SHOWN]:
        options.show(_in_words(_("Error,"), finding))
    if (more := errors - _MOST_SHOWN) > 0:
        options.show(_("Errors that are not shown: {count}; --json shows them.", count=more))
    for finding in report.warnings[:_MOST_SHOWN]:
        options.show(_in_words(_("Warning,"), finding))
    if (more := warnings - _MOST_SHOWN) > 0:
        options.show(_("Warnings that are not shown: {count}; --json shows them.", count=more))


def _in_words(kind: str, finding: PackFinding) -> str:
    """A finding with its kind and its place."""
    parts = [
        kind,
        "" if finding.line is None or not finding.key else _("line {line},", line=finding.line),
        f"{finding.key}:" if finding.key else "",
        finding.text,
    ]
    return join_texts(" ", filter(None, parts))
