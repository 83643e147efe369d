"""``blindplay models``: speech models, to list, install, check and choose them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import options

if TYPE_CHECKING:
    from blindplay.speech.models.catalogue import Catalogue
    from blindplay.speech.models.store import ModelWords

_one_language = click.option("--language", "code", help="Only this language; all if not given.")
_language = click.option("--language", "code", default="de", help="The language to be heard.")
_SECONDS = click.FloatRange(1, 600)
_names = click.argument("names", nargs=-1, help="Models, such as vosk-model-cs-0.4 or english.")


@click.group(cls=options.CommandGroup, no_args_is_help=False)
def models() -> None:
    """List, install, check and choose speech models."""
    options.find_own_languages()


@models.command("list")
@_one_language
@options.as_json("Print JSON, one object per line.")
def list_models(code: str | None, as_json: bool) -> None:
    """List the models of each language, and those that are recommended.

    For each model it tells the size, the licence, and whether it is in use.
    """
    from blindplay import language
    from blindplay.speech.models import catalogue, folders

    if unread := folders.unread_choices():
        options.warn(unread)
    broken = 0
    for one in _languages(code):
        try:
            name = language.load(one).name
        except language.LanguageError as error:
            options.warn(f"{one}: cannot be used. {error}")
            broken += 1
            continue
        rows = _rows(one)
        if as_json:
            for row in rows:
                print(json.dumps(row, ensure_ascii=False))
        else:
            _print_rows(one, name, rows)
    if not as_json:
        _print_catalogue(catalogue.load())
    if broken:
        raise ValueError(f"{_counted(broken)} cannot be used; see above.")


def _print_rows(code: str, language: str, rows: list[dict[str, Any]]) -> None:
    there = [row for row in rows if row["there"]]
    heard = _heard_with(code) if there else "no model is installed, so nothing can be heard."
    print(f"{code}, {language}: {heard}")
    for row in there:
        print(f"  {_row_in_words(row)}")
    if lacking := [row for row in rows if row["recommended"] and not row["there"]]:
        named = "; ".join(
            f"{row['short']}, {_megabytes(row['bytes_to_fetch'])}, licence {row['licence']}"
            for row in lacking
        )
        print(f"  Recommended and not installed: {named}.")


def _print_catalogue(known: Catalogue) -> None:
    print(
        "To install the recommended models: blindplay models install --language LANGUAGE. "
        "Any of these models can be installed for any language, by name. Their licences are those "
        f"stated at {known.page}."
    )
    for base in known.bases.values():
        tried = "" if base.tried else " Nobody has tried it with BlindPlay yet."
        print(
            f"  {base.short}, trained on {base.heard}: {base.name}, {_megabytes(base.size)}, "
            f"licence {base.licence}.{tried}"
        )


@models.command()
@_names
@_language
@click.option("--from", "source", type=options.FILE, help="A zip file or a folder with a model.")
@click.option("--timeout", type=_SECONDS, default=30.0, help="Seconds to wait for more bytes.")
def install(names: tuple[str, ...], code: str, source: Path | None, timeout: float) -> None:
    """Download models and teach them the words of a language.

    Without names, it installs the recommended models. It continues a download that was
    interrupted. The new models listen from then on.
    """
    from blindplay.speech.models import catalogue, store
    from blindplay.speech.models.download import Patience

    if source is not None and len(names) > 1:
        raise ValueError("With --from there is one model: give one name, or none.")
    words, patience = model_words(_known(code)), Patience(stall=timeout)
    wanted: list[str | None] = list(names)
    if not wanted:
        recommended = catalogue.load().for_language(code)
        wanted = [None] if source else [base.name for base in recommended]
    faults = 0
    for name in wanted:
        try:
            base = store.find_base(name, patience=patience) if name and not source else None
            made = store.install(
                code, words, base=base, source=source, name=name, tell=_say, patience=patience
            )
        except (ValueError, OSError) as error:
            if len(wanted) == 1:
                raise
            faults += 1
            options.warn(f"{name} was not installed: {error}")
            continue
        licence = f"; its licence: {made.licence}" if made.licence else ""
        _say(
            f"{made.name} is installed and knows {made.words} words, heard by the phones of: "
            f"{made.phones}{licence}."
        )
        _tell_whether_in_use(code, made.name)
    if faults:
        raise ValueError(f"{faults} of {len(wanted)} models could not be installed.")
    _say(f"{code}: {_heard_with(code)}")


def _tell_whether_in_use(code: str, name: str) -> None:
    from blindplay.speech.models import folders

    if (choice := folders.chosen_names(code)) and name not in choice:
        _say(
            f"It does not listen, because you chose others. To use it: blindplay models use "
            f"{' '.join([name, *choice])} --language {code}."
        )


@models.command()
@click.argument("name", help="The model's name, as shown by models list.")
@_one_language
def remove(name: str, code: str | None) -> None:
    """Remove a model without asking.

    It can be installed again. What it learned of players' voices is removed, too. The recordings
    of their voices stay.
    """
    from blindplay.hearing import speaker_models
    from blindplay.speech.models import folders, store

    codes = [_known(code)] if code else store.languages()
    before = {one: {*folders.available(one)} for one in codes}
    with folders.writing(folders.data_folder()):
        for line in store.remove(name, code):
            print(line)
    learned = 0
    with folders.writing(speaker_models.players_folder()):
        for one, there in before.items():
            for gone in there.difference(folders.available(one)):
                learned += speaker_models.drop_all(gone, one)
    if learned:
        print(
            f"What it had learned of {learned} {'voice' if learned == 1 else 'voices'} has been "
            "removed, too. The recordings stay; other models learn from them with: blindplay "
            "voice learn NAME."
        )
    for one in before:
        if not folders.available(one):
            print(f"{one}: no model is left, so nothing can be heard.")
        else:
            print(f"{one}: {_heard_with(one)}")


@models.command()
@_names
@_language
def use(names: tuple[str, ...], code: str) -> None:
    """Choose the models that listen to a language, the most trusted first.

    Several can listen together. Without names, it returns to the usual choice: at most two models
    that were trained on people, and the built-in one.
    """
    from blindplay.speech.models import catalogue, folders

    installed, known = folders.available(_known(code)), catalogue.load()
    wanted = []
    for name in names:
        base = known.known(name)
        wanted.append(base.name if base and name not in installed else name)
    aside = folders.choose(code, wanted)
    if aside is not None:
        options.warn(
            "Your earlier choice was damaged; choose again for the other languages, too. "
            f"It is kept as {aside}."
        )
    print(f"{code}: {_heard_with(code)}")
    if wanted and folders.BUILT_IN in installed and folders.BUILT_IN not in wanted:
        print(
            "The built-in model, which is good in noise, does not listen; add built-in to use it."
        )


@models.command()
@_one_language
@options.as_json("Print JSON, one object per line.")
def check(code: str | None, as_json: bool) -> None:
    """Load each model, look up every word, and compare its files with those installed.

    The exit status is 2 if a model is damaged or lacks words.
    """
    from blindplay import language
    from blindplay.speech.models import folders

    if unread := folders.unread_choices():
        options.warn(unread)
    good = count = broken = 0
    for one in _languages(code):
        try:
            lexicon = language.lexicon(one)
            words = {*language.load(one).grammar_words(), *lexicon.words, *lexicon.squares}
        except language.LanguageError as error:
            options.warn(f"{one}: cannot be used. {error}")
            broken += 1
            continue
        for name, folder in folders.available(one).items():
            found = {"language": one, "model": name, "folder": str(folder)} | _checked(
                folder, one, words
            )
            count += 1
            good += found["ok"]
            if as_json:
                print(json.dumps(found, ensure_ascii=False), flush=True)
            else:
                _say(_check_in_words(found, len(words)))
    if broken:
        raise ValueError(f"{_counted(broken)} cannot be used; see above.")
    if not count:
        raise ValueError(
            f"There is no model of {code or 'any language'}; install one with: blindplay "
            f"models install --language {code or 'LANGUAGE'}."
        )
    if good < count:
        raise ValueError(f"{count - good} of {count} models cannot be relied upon; see above.")


def _checked(folder: Path, code: str, words: set[str]) -> dict[str, Any]:
    """Whether the model in ``folder`` is as installed and knows ``words``; else what is wrong."""
    from blindplay.speech.confidence import confidence_of
    from blindplay.speech.models import folders

    try:
        files = folders.verify(folder)
        folders.probe(folder, code)
        confidence_of(folder)
        missing = sorted(words - folders.vocabulary(folder))
    except ValueError as error:
        return {"ok": False, "error": str(error)}
    return {"ok": not missing, "files": files, "missing": missing}


@models.command()
@click.argument(
    "base", type=options.FILE, help="An unpacked small Vosk model, or an installed one."
)
@click.option("--language", "code", required=True, help="The language to be heard.")
@click.option("--output", type=options.FILE, help="The folder to write, instead of your own model.")
@click.option("--family", help="The kind of BASE, such as english, if it is not recognised.")
def adapt(base: Path, code: str, output: Path | None, family: str | None) -> None:
    """Make a model of your own from another model.

    It hears with the acoustics of BASE, whatever its language, and knows the words of a table.
    """
    from blindplay.speech import adaptation
    from blindplay.speech.models import folders, store

    words = model_words(code)
    if not base.exists():  # it may be the name of an installed model
        base = store.installed_base(str(base)) or base
    if output is None:
        folder, report = store.make_own(code, words, base, family=family)
    else:
        folder = output
        with folders.writing(folder):
            report = adaptation.adapt(
                base, folder, words.vocabulary, family=family, lexicons=words.lexicons
            )
            if folder.samefile(base):  # a built-in model that is made in the source tree
                folders.seal_built_in(folder)
    print(
        f"{folder}: {report.words} words in {report.pronunciations} pronunciations, heard by "
        f"the phones of: {report.base}."
    )
    if output is None:
        print(f"{code}: {_heard_with(code)}")


# --- languages and words -------------------------------------------------------------------------


def _known(code: str) -> str:
    """The code of a language that has a pack; LanguageError otherwise."""
    options.load_language(code)
    return code


def _languages(code: str | None) -> list[str]:
    from blindplay import language

    return [_known(code)] if code else list(language.languages())


def _counted(languages: int) -> str:
    return "1 language" if languages == 1 else f"{languages} languages"


def model_words(code: str) -> ModelWords:
    """The words that a model of this language learns, and how other languages pronounce theirs.

    A pack of the user's own that is damaged is left out with a warning.
    """
    from blindplay import language
    from blindplay.speech.adaptation import Vocabulary
    from blindplay.speech.models.store import ModelWords

    lexicon = language.lexicon(code)
    vocabulary = Vocabulary({**lexicon.words, **lexicon.fillers}, lexicon.squares)
    lexicons = []
    for one in language.languages():
        try:
            lexicons.append(language.lexicon(one).words)
        except language.LanguageError as error:
            options.warn(f"{one} gives no pronunciations. {error}")
    return ModelWords(vocabulary, lexicons)


# --- in words ------------------------------------------------------------------------------------


def _say(sentence: str) -> None:
    print(sentence, flush=True)


def _heard_with(code: str) -> str:
    from blindplay.speech.models import folders

    try:
        chosen = folders.chosen_models(code)
    except ValueError as error:
        return str(error)
    by_folder = {folder: name for name, folder in folders.available(code).items()}
    names = [by_folder[folder] for folder in chosen]
    joined = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"heard with {joined}{', together' if len(names) > 1 else ''}."


def _rows(code: str) -> list[dict[str, Any]]:
    """A row for each model that hears ``code``, and for each that could be installed."""
    from blindplay.speech.models import catalogue, folders

    known = catalogue.load()
    there = folders.available(code)
    try:
        used = set(folders.chosen_models(code))
    except ValueError:
        used = set()
    recommended = [base.name for base in known.for_language(code)]
    rows = []
    for name in [*there, *(name for name in known.order(code, known.bases) if name not in there)]:
        base = known.bases.get(name)
        folder = there.get(name)
        try:
            kept = (folders.manifest(folder) or {}) if folder else {}
        except ValueError:
            kept = {}
        licence = "GPL-3.0-or-later" if name == folders.BUILT_IN else kept.get("licence")
        rows.append(
            {
                "language": code,
                "model": name,
                "short": base.short if base else None,
                "built_in": name == folders.BUILT_IN,
                "there": folder is not None,
                "used": folder in used,
                "recommended": name in recommended,
                "bytes_on_disk": _size(folder) if folder else None,
                "bytes_to_fetch": base.size if base else None,
                "licence": (base.licence if base else licence) or None,
                "heard": base.heard if base else None,
                "tried": base.tried if base else None,
                "folder": str(folder) if folder else None,
            }
        )
    return rows


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _megabytes(size: int) -> str:
    from blindplay.speech.models.store import megabytes

    return megabytes(size)


def _row_in_words(row: dict[str, Any]) -> str:
    from blindplay.speech.models.folders import OWN

    if row["built_in"]:
        words = ["comes with the program"]
    elif row["model"] == OWN:
        words = ["made with blindplay models adapt"]
    else:
        words = ["installed", *([f"trained on {row['heard']}"] if row["heard"] else [])]
    words.append("in use" if row["used"] else "not in use")
    words += ["recommended"] if row["recommended"] else []
    words.append(_megabytes(row["bytes_on_disk"]))
    words += [f"licence {row['licence']}"] if row["licence"] else []
    return f"{row['model']}: {', '.join(words)}."


def _check_in_words(found: dict[str, Any], wanted: int) -> str:
    name = f"{found['language']}, {found['model']}"
    if "error" in found:
        return f"{name}: bad. {found['error']}"
    if missing := found["missing"]:
        first = ", ".join(missing[:5])
        return (
            f"{name}: bad. It does not know {len(missing)} of {wanted} words, such as {first}; "
            "install it again, or adapt it again, and it learns them."
        )
    files = f", its {found['files']} files are as they were installed" if found["files"] else ""
    return f"{name}: good. It loads{files}, and it knows all {wanted} words."
