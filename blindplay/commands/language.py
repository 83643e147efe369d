"""``blindplay language``: which languages there are, and packs that people write themselves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import platformdirs
import typer

from blindplay import language
from blindplay.language import LanguageError
from blindplay.language.pack import Pack, source
from blindplay.language.pack_check import PackFinding, PackReport, check

app = typer.Typer(
    help="Languages: which there are, and checking one that you write.", rich_markup_mode=None
)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of plain lines.")]


def own_folder() -> Path:
    """Where the user's own packs are, one file a language, ``CODE.toml``."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "languages"


@app.command("list")
def list_languages(as_json: JsonOption = False) -> None:
    """Print the languages there are, built in and your own."""
    for code in language.languages():
        told: dict[str, Any] = {"language": code, "file": source(code)[1]}
        try:
            told["name"] = Pack.read(code).text("name")
            lexicon = language.lexicon(code)
            told |= {"words": len(lexicon.words), "fillers": len(lexicon.fillers)}
        except LanguageError as error:
            told["error"] = str(error)
        if as_json:
            print(json.dumps(told, ensure_ascii=False))
        elif "error" in told:
            print(f"{code}: cannot be used. {told['error']}")
        else:
            print(
                f"{code}: {told['name']}, {told['words']} words to listen for and "
                f"{told['fillers']} others to tell them from; {told['file']}."
            )


@app.command("check")
def check_file(
    file: Annotated[Path, typer.Argument(help="A language pack, or the code of one there is.")],
    as_json: JsonOption = False,
) -> None:
    """Say what a language pack lacks, and what sounds alike.

    Every fault is told, with its line and what to do; and what is ambiguous in letters or in sound,
    as a warning where a table can be held nevertheless. The exit status is 2 where none can be.
    """
    report = _checked(file)
    if as_json:
        print(json.dumps(_as_json(report), ensure_ascii=False))
    else:
        for line in _told(report):
            print(line)
    if not report.usable:
        raise typer.Exit(2)


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="A language pack named after its code: fo.toml.")],
) -> None:
    """Use a pack of your own from now on.

    It goes before a built-in one of its name.
    """
    code = _code(file)
    report = _checked(file)
    if not report.usable:
        for line in _told(report):
            print(line)
        raise typer.Exit(2)
    folder = own_folder()
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / f".{code}.new"
    made.write_bytes(file.read_bytes())
    made.replace(folder / f"{code}.toml")
    print(f"{code} is there now: {folder / f'{code}.toml'}.")


@app.command("remove")
def remove(
    code: Annotated[str, typer.Argument(help="The code of a language that you have added.")],
) -> None:
    """Remove a language pack that you have added."""
    file = own_folder() / f"{code}.toml"
    if not re.fullmatch("[a-z]{2,3}", code) or not file.is_file():
        raise ValueError(f"No language {code!r} has been added, so none is removed.")
    file.unlink()
    print(f"{file} is removed.")


def _code(file: Path) -> str:
    if misnamed := _misnamed(file):
        raise ValueError(misnamed)
    return file.stem


def _misnamed(file: Path) -> str:
    """What is wrong with the name of a pack that is to be added; "" if nothing."""
    if re.fullmatch(r"[a-z]{2,3}\.toml", file.name):
        return ""
    return (
        f"{file.name} must be named after the code of its language, two or three small "
        "letters, such as fo.toml: rename it before you add it."
    )


def _checked(file: Path) -> PackReport:
    from blindplay.speech.adaptation.sounds import sounds_of, unlikeness

    if file.is_file():
        text, name = file.read_bytes(), file.name
    elif str(file) in language.languages():
        entry, name = source(str(file))
        text = entry.read_bytes()
    else:
        raise ValueError(
            f"There is no file {file}, and no language of this code; see blindplay language list."
        )
    code = Path(name).stem
    report = check(text, name, code, likeness=unlikeness, is_sound=lambda s: bool(sounds_of(s)))
    if file.is_file() and _misnamed(file):
        report.warnings.append(PackFinding("", None, _misnamed(file)))
    return report


def _told(report: PackReport) -> list[str]:
    """The verdict first: who listens need not hear all to know it."""
    verdict = "can be used" if report.usable else "cannot be used yet"
    errors, warnings = len(report.errors), len(report.warnings)
    return [
        f"{report.file} {verdict}: {errors or 'no'} {'error' if errors == 1 else 'errors'}, "
        f"{warnings or 'no'} {'warning' if warnings == 1 else 'warnings'}.",
        *(f"Error, {one}" for one in report.errors),
        *(f"Warning, {one}" for one in report.warnings),
    ]


def _as_json(report: PackReport) -> dict[str, Any]:
    def listed(findings: list[PackFinding]) -> list[dict[str, Any]]:
        return [{"key": one.key, "line": one.line, "text": one.text} for one in findings]

    return {
        "file": report.file,
        "usable": report.usable,
        "errors": listed(report.errors),
        "warnings": listed(report.warnings),
    }
