"""``blindplay language``: the languages that are installed, and packs that people write."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import click

from blindplay import language as languages
from blindplay.given import plain, read_bytes
from blindplay.language import LanguageError, pack
from blindplay.language.pack import MOST_BYTES, Pack, source
from blindplay.language.pack_check import PackFinding, PackReport
from blindplay.language.pack_check import check as check_pack

from . import options
from .reader import READER

_MOST_SHOWN = 100  # findings of one kind


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def language() -> None:
    """List the languages, or check and add your own."""


@language.command("list")
@options.as_json(help="Print JSON instead of plain lines.")
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
            options.show(f"{code}: cannot be used. {row['error']}")
        else:
            options.show(
                f"{code}: {row['name']}, {row['words']} words to listen for and "
                f"{row['fillers']} others to tell them from; {row['file']}."
            )


@language.command()
@click.argument(
    "file", type=options.FILE, help="Check this language pack, or the language with this code."
)
@options.as_json(help="Print one JSON object.")
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
    help="Add this language pack; it is named after its code, such as fo.toml.",
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
    unfinished.write_bytes(file.read_bytes())
    unfinished.replace(added)
    options.show(f"{file.stem} is there now: {added}.")
    return 0


@language.command()
@click.argument("code", help="Remove the language with this code, which you have added.")
def remove(code: str) -> None:
    """Remove a language pack that you have added."""
    file = pack.own_packs() / f"{code}.toml"
    if not re.fullmatch("[a-z]{2,3}", code) or not file.is_file():
        raise ValueError(f"No language {code!r} has been added, so none is removed.")
    file.unlink()
    options.show(f"{file} is removed.")


def _misnamed(file: Path) -> str:
    """The error in the name of a pack that is to be added; "" if there is none."""
    if re.fullmatch(r"[a-z]{2,3}\.toml", file.name):
        return ""
    return (
        f"{file.name} must be named after the code of its language, two or three small "
        "letters, such as fo.toml: rename it before you add it."
    )


def _checked(file: Path) -> PackReport:
    from blindplay.speech.adaptation.sounds import sounds_of, unlikeness
    from blindplay.speech.synthesis import is_words

    if file.is_file():
        text, name = read_bytes(file, MOST_BYTES), file.name
    elif str(file) in languages.languages():
        entry, name = source(str(file))
        text = entry.read_bytes()
    else:
        raise ValueError(
            f"There is no file {file}, and no language of this code; see blindplay language list."
        )
    code = Path(name).stem
    report = check_pack(
        text,
        name,
        code,
        likeness=unlikeness,
        is_sound=lambda sound: bool(sounds_of(sound)),
        is_words=is_words,
    )
    if file.is_file() and _misnamed(file):
        report.warnings.append(PackFinding("", None, _misnamed(file)))
    return report


def _print_report(report: PackReport) -> None:
    """Print the verdict first, so that a listener can stop after it."""
    errors, warnings = len(report.errors), len(report.warnings)
    verdict = "can be used" if report.usable else "cannot be used yet"
    options.show(f"{report.file} {verdict}. Errors: {errors}; warnings: {warnings}.")
    for kind, found in (("Error", report.errors), ("Warning", report.warnings)):
        for finding in found[:_MOST_SHOWN]:
            print(_in_words(kind, finding))
        if len(found) > _MOST_SHOWN:
            more = len(found) - _MOST_SHOWN
            options.show(f"{kind}s that are not shown: {more}; --json shows them.")


def _in_words(kind: str, finding: PackFinding) -> str:
    """A finding with its kind and its place, in the reader's language."""
    parts = [
        READER.told(f"{kind},"),
        "" if finding.line is None or not finding.key else READER.told(f"line {finding.line},"),
        f"{finding.key}:" if finding.key else "",
        READER.told(finding.text),
    ]
    return plain(" ".join(filter(None, parts)))
